//! Sorts: a block sorts a line in shared memory if it fits there. If only the first elements of a long line are wanted, they are selected by
//! their digits. Blocks share longer lines (`schedule::workspaces` decides that and adds the workspaces).

use super::template::{Blocks, Template};
use crate::kernels::{IndexOp, Kernel, Routine, Statement, Type, Value};
use crate::loops::NodeKind;
use crate::schedule::workspaces;
use crate::templates::scan_sort::{AT_ONCE, Scatter, Sort};
use crate::types::{Dtype, Scalar};

impl Template<'_> {
    pub(super) fn sort_lines(mut self) -> Kernel {
        let NodeKind::Sort { sizes, axis, descending, kept, value, values, positions } =
            self.program.nodes[self.node].kind.clone()
        else {
            unreachable!("a sort's node is one")
        };
        let (program, syms) = (self.program, &self.program.syms);
        let dtype = program.exprs.dtype(value);
        let (count, n) = (self.lines().count(&sizes, axis), sizes[axis]);
        let (near, some) = (workspaces::near(self.target), kept != n);
        let far = workspaces::is_far(program, n, kept, self.target);

        let mut region = self.open_line("value_at", (&sizes, axis), Some(count), n);
        let e = &mut self.emitter;
        let to = e.variable(&mut region, "to", Type::Scalar(dtype));
        let zero = e.add(Value::Constant(Scalar::Int(0), dtype));
        e.push(Statement::Assign { place: to, value: zero });
        let v = e.value(value).value;
        e.push(Statement::Assign { place: to, value: v });
        let value_at = e.close_region(region, None);

        // Blocks that share a line sort all of it.
        let given = if far { n } else { kept };
        let mut region = self.open_line("give", (&sizes, axis), Some(count), given);
        let e = &mut self.emitter;
        let (key, at) = (e.given(&mut region, "key", dtype), e.given(&mut region, "at", Dtype::Int64));
        let wanted = (far && some).then(|| {
            let step = region.parameter(1);
            let (step, kept) = (e.local_value(step), e.index(kept));
            let wanted = e.index_op(IndexOp::Less, &[step, kept]);
            e.open();
            wanted
        });
        self.lines().store_at(values, &sizes, key);
        self.lines().store_at(positions, &sizes, at);
        if let Some(wanted) = wanted {
            self.emitter.close_if(wanted);
        }
        let regions = vec![Some(value_at), Some(self.emitter.close_region(region, None))];

        let alone = Routine::SortLines { dtype, descending, some, near };
        let (range, tag) = (syms.range(n), Sort::padded(workspaces::tag_bytes(dtype)));
        if !far {
            self.call(alone, Vec::new(), &[count, n, kept], regions);
            let threads = syms.as_const(n).filter(|n| *n <= near).map_or(Sort::MOST_THREADS, |n| {
                ((n.max(1) + Sort::EACH - 1) as u64 / Sort::EACH as u64)
                    .next_power_of_two()
                    .clamp(32, Sort::MOST_THREADS as u64) as i64
            });
            let held = syms.min(n, syms.constant(near));
            let shared = syms.add_const(syms.mul_const(held, tag), Sort::RESERVED);
            return self.finish(Blocks::new(count, threads, shared));
        }
        let only_far = range.min > near;
        let threads = if only_far { Scatter::SHARING.min(near / Sort::EACH) } else { near / Sort::EACH };
        let together = Routine::SortTogether { dtype, descending, threads };
        let operands = self.workspace();
        if only_far {
            self.call(together, operands, &[count, n], regions);
        } else {
            let (size, most) = (self.emitter.index(n), self.emitter.integer(near));
            let condition = self.emitter.index_op(IndexOp::Greater, &[size, most]);
            self.emitter.open();
            self.call(together, operands, &[count, n], regions.clone());
            let then = self.emitter.close_block();
            self.emitter.open();
            self.call(alone, Vec::new(), &[count, n, kept], regions);
            let otherwise = self.emitter.close_block();
            self.emitter.push(Statement::If { condition, then, otherwise });
        }
        let tiles = syms.mul(count, syms.ceildiv(n, syms.constant(threads * Sort::EACH)));
        let at_once = syms.constant(AT_ONCE * self.target.multiprocessors as i64);
        let tile = threads * Sort::EACH * if only_far { tag } else { Sort::WIDEST } + Sort::RESERVED;
        self.finish(Blocks::new(syms.min(tiles, at_once), threads, syms.constant(tile)))
    }
}
