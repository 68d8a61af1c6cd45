//! Scatters. Points that may meet in one element need an order where it shows in the result, as with sums of floats. Then one thread takes all
//! points of an element in their order. Where very many points meet, a block combines them in an order that does not depend on how threads
//! run; the points of an element are brought together by sorting all points, or by a search of each block among few points. All other
//! scatters divide their points among all threads, and combine points that meet by atomic operations.
//!
//! The result already holds the initial values: `schedule::fill` has made a kernel for them.

use super::template::{Blocks, Template};
use crate::kernels::{Access, Axis, Kernel, LocalId, Operand, Role, Routine, Shape, Statement, Type, Unroll};
use crate::loops::{Expr, NodeKind, ScatterMode};
use crate::schedule::workspaces::{Points, ScatterShape};
use crate::templates::scan_sort::{AT_ONCE, Scatter, Sort, THREADS};
use crate::types::SymInt;

impl Template<'_> {
    pub(super) fn scatter(mut self) -> Kernel {
        let NodeKind::Scatter { sizes, index, data, value, mode, out, .. } =
            self.program.nodes[self.node].kind.clone()
        else {
            unreachable!("a scatter's node is one")
        };
        let (program, syms) = (self.program, &self.program.syms);
        self.set_role(out, Role::Combined);
        let s = Points { sizes: &sizes, index: &index, data: &data, value, mode, out };
        let all: Vec<usize> = (0..sizes.len()).collect();
        let none = syms.constant(0);
        match s.shape(program, self.target) {
            ScatterShape::Points { meet } => {
                let total = s.space(program, &all);
                let point = self.open_own("point", total);
                self.lines().bind_dims(&sizes, &all, point);
                // Points that meet where they replace one another bring the same number.
                let same = mode == ScatterMode::Set && matches!(program.exprs[value], Expr::Constant(..));
                self.take_point(&s, meet || same);
                self.emitter.close_scope();
                self.finish(Blocks::new(syms.ceildiv(total, syms.constant(THREADS)), THREADS, none))
            }
            ScatterShape::Own { apart, meeting } => {
                let total = s.space(program, &apart);
                let own = self.open_own("own", total);
                self.lines().bind_dims(&sizes, &apart, own);
                let end = self.emitter.index(s.space(program, &meeting));
                let point = self.emitter.local("point", Type::Index);
                self.emitter.open();
                let at = self.emitter.local_value(point);
                self.lines().bind_dims(&sizes, &meeting, at);
                self.take_point(&s, false);
                self.emitter.close_loop(point, end, Axis::Serial, Unroll::Free);
                self.emitter.close_scope();
                self.finish(Blocks::new(syms.ceildiv(total, syms.constant(THREADS)), THREADS, none))
            }
            ScatterShape::Sorted { apart, meeting } => self.sorted(&s, &apart, &meeting),
            ScatterShape::Near { lines, beside, meeting, groups } => {
                self.near(&s, [&lines, &beside, &meeting], groups)
            }
        }
    }

    /// Takes the point's value into its element, if it has one.
    fn take_point(&mut self, s: &Points<'_>, atomic: bool) {
        let has_place = self.lines().has_place(s.mode, s.out, (s.index, s.data));
        if has_place.is_some() {
            self.emitter.open();
        }
        let offset = self.lines().offset(s.out, s.index);
        let value = self.emitter.value(s.value).value;
        let at = self.emitter.index_of_data(offset, s.data);
        let access = Access { pointer: self.pointer(s.out), at, shape: Shape::Element };
        self.emitter.push(Statement::Scatter { access, mode: s.mode, value, atomic });
        if let Some(condition) = has_place {
            self.emitter.close_if(condition);
        }
    }

    fn sorted(mut self, s: &Points<'_>, apart: &[usize], meeting: &[usize]) -> Kernel {
        let (program, syms) = (self.program, &self.program.syms);
        let (beside, points) = (s.space(program, apart), s.space(program, meeting));
        let regions = self.point_regions(s, [&[], apart, meeting]);
        let threads = Scatter::SHARING;
        let (dtype, wide) = (program.exprs.dtype(s.value), s.tag_bytes(program) > 8);
        let routine = Routine::ScatterSorted { dtype, mode: s.mode, threads, wide };
        let operands = self.result_and_workspace(s);
        self.call(routine, operands, &[syms.constant(1), points, beside], regions);
        let tiles = syms.ceildiv(points, syms.constant(Scatter::SHARING * Sort::EACH));
        let more = syms.ceildiv(syms.mul(points, beside), syms.constant(Scatter::SHARING));
        let at_once = syms.constant(AT_ONCE * self.target.multiprocessors as i64);
        let blocks = syms.min(syms.max(tiles, more), at_once);
        let shared = Scatter::SHARING * Sort::EACH * Sort::padded(s.tag_bytes(program)) + Sort::RESERVED;
        self.finish(Blocks::new(blocks, threads, syms.constant(shared)))
    }

    fn near(mut self, s: &Points<'_>, dims: [&[usize]; 3], groups: i64) -> Kernel {
        let (program, syms) = (self.program, &self.program.syms);
        let [lines, beside, points] = dims.map(|dims| s.space(program, dims));
        // A line's points are a block's, which needs no more threads than there are eights of them.
        let few = syms.hint(points).max(1) as u64;
        let threads = if groups > 1 {
            Scatter::SHARING
        } else {
            (few.div_ceil(Sort::EACH as u64).next_power_of_two() as i64).clamp(64, Scatter::SHARING)
        };
        let regions = self.point_regions(s, dims);
        let (dtype, wide) = (program.exprs.dtype(s.value), s.tag_bytes(program) > 8);
        let routine = Routine::ScatterNear { dtype, mode: s.mode, threads, wide, groups };
        let operands = self.result_and_workspace(s);
        self.call(routine, operands, &[lines, points, beside], regions);
        let chunks = syms.ceildiv(beside, syms.constant(Scatter::NEAR_WIDE));
        let blocks = syms.mul_const(syms.mul(lines, chunks), groups);
        let shared = syms.constant(s.near_bytes(program) * threads / Scatter::SHARING);
        self.finish(Blocks::new(blocks, threads, shared))
    }

    fn result_and_workspace(&self, s: &Points<'_>) -> Vec<Operand> {
        let out = Operand::Memory(Box::new(self.whole(s.out)));
        [out].into_iter().chain(self.workspace()).collect()
    }

    /// A point's key and value, and where an element lies from its key.
    fn point_regions(&mut self, s: &Points<'_>, dims: [&[usize]; 3]) -> Vec<Option<LocalId>> {
        let program = self.program;
        let [line, beside, meeting] = dims;
        let spaces = dims.map(|dims| s.space(program, dims));
        let open = |t: &mut Self, name| {
            let mut region = t.emitter.open_region(name);
            let coordinates = [("line", line, spaces[0]), ("point", meeting, spaces[2])];
            for (name, dims, size) in coordinates {
                let at = t.emitter.coordinate(&mut region, name, size);
                t.lines().bind_dims(s.sizes, dims, at);
            }
            region
        };
        let mut region = open(self, "key_of");
        let to = self.emitter.variable(&mut region, "to", Type::Index);
        let moved = s.moved(program, beside);
        let moved = self.emitter.index_of_data(moved, s.data);
        self.emitter.push(Statement::Assign { place: to, value: moved });
        let key_of = self.emitter.close_region(region, None);

        let mut region = self.emitter.open_region("rest_of");
        self.bind_beside(&mut region, s, beside, spaces[1]);
        let rest = self.emitter.index(s.rest(program, beside));
        self.emitter.push(Statement::Give(rest));
        let rest_of = self.emitter.close_region(region, Some(Type::Index));

        let mut region = open(self, "value_of");
        self.bind_beside(&mut region, s, beside, spaces[1]);
        let to = self.emitter.variable(&mut region, "to", Type::Scalar(program.exprs.dtype(s.value)));
        let v = self.emitter.value(s.value).value;
        self.emitter.push(Statement::Assign { place: to, value: v });
        vec![Some(key_of), Some(rest_of), Some(self.emitter.close_region(region, None))]
    }

    fn bind_beside(
        &mut self,
        region: &mut crate::mapping::emit::OpenRegion,
        s: &Points<'_>,
        beside: &[usize],
        size: SymInt,
    ) {
        let own = self.emitter.coordinate(region, "own", size);
        self.lines().bind_dims(s.sizes, beside, own);
    }
}
