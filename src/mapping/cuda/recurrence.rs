//! Recurrences: a cluster of blocks follows some rows of the batch through all steps. Each block has some of the hidden units.

use super::template::{Blocks, Template};
use crate::kernels::{Kernel, LocalId, Routine, Statement, Type};
use crate::loops::access::offset_of;
use crate::loops::{BufferId, ExprId, Program, Recurrence};
use crate::mapping::Refusal;
use crate::target::CudaTarget;
use crate::templates::recurrence::{Held, MOST, THREADS, UNITS};
use crate::types::{Dtype, SymInt};

/// How a recurrence is dealt out.
struct Geometry {
    /// Blocks of a cluster.
    blocks: i64,
    /// Rows of the batch that a cluster follows.
    rows: i64,
    /// A block's weights lie in its shared memory.
    kept: bool,
    shared: i64,
}

/// How a recurrence is dealt out, or why it has no kernel.
fn geometry(program: &Program, r: &Recurrence, target: &CudaTarget) -> Result<Geometry, &'static str> {
    let syms = &program.syms;
    let (Some(hidden), Some(projected)) = (syms.as_const(r.hidden), syms.as_const(r.projected)) else {
        return Err("on a GPU, the number of hidden units must be known when it is compiled");
    };
    // Many blocks share a row where it is long; only Hopper and its successors have clusters.
    let mut blocks = 1;
    while target.arch >= 90 && blocks < MOST && hidden / (2 * blocks) >= UNITS {
        blocks *= 2;
    }
    let clusters = (target.multiprocessors as i64 / blocks).max(1);
    let batch = syms.hint(r.batch).max(1);
    let mut rows = (((batch + clusters - 1) / clusters) as u64).next_power_of_two().min(MOST as u64) as i64;
    let (gates, projects) = (r.cell.gates(), r.projection.is_some());
    let size = program.exprs.dtype(r.gates).size() as i64;
    let shared = |rows: i64, kept: bool| {
        size * Held { blocks, rows, hidden, projected, gates, projects, kept }.elements()
    };
    let most = target.shared_bytes as i64 - 1024;
    while rows > 1 && shared(rows, false) > most {
        rows /= 2;
    }
    if shared(rows, false) > most {
        return Err("so many hidden units do not fit into a GPU's shared memory");
    }
    let kept = shared(rows, true) <= most;
    Ok(Geometry { blocks, rows, kept, shared: shared(rows, kept) })
}

impl Template<'_> {
    pub(super) fn recurrence(mut self, r: &Recurrence) -> Result<Kernel, Refusal> {
        let (program, syms) = (self.program, &self.program.syms);
        let Geometry { blocks, rows, kept, shared } = geometry(program, r, self.target)
            .map_err(|message| Refusal::new(program, self.group, message))?;
        let dtype = program.exprs.dtype(r.gates);
        let [gates, weight, first, bias, first_cell, projection] = r.operands(syms);
        let projects = projection.is_some();
        let (step, row) = (("step", r.steps), ("row", r.batch));
        let rows_of = if r.batch_first { [1, 0, 2] } else { [0, 1, 2] };
        let unit = |name, operand: &Option<(ExprId, Vec<SymInt>)>, dim: usize| {
            (name, operand.as_ref().map_or(syms.constant(0), |(_, sizes)| sizes[dim]))
        };
        // As the native text asks for them: a region's coordinates, and which of them each dimension of the operand is.
        let mut regions = vec![
            self.operand_region("gates", &gates, &[step, row, unit("n", &gates, 2)], &rows_of),
            self.operand_region("weight", &weight, &[unit("k", &weight, 0), unit("n", &weight, 1)], &[0, 1]),
            self.operand_region("bias", &bias, &[unit("n", &bias, 0)], &[0]),
            self.operand_region("first", &first, &[row, unit("k", &first, 1)], &[0, 1]),
            self.operand_region("first_cell", &first_cell, &[row, unit("k", &first_cell, 1)], &[0, 1]),
            self.operand_region(
                "projection",
                &projection,
                &[unit("k", &projection, 0), unit("n", &projection, 1)],
                &[0, 1],
            ),
        ];
        let (out, hidden) = (("n", r.projected), ("n", r.hidden));
        regions.push(self.result_region("out", Some(r.out), &[step, row, out], &rows_of, dtype));
        regions.push(self.result_region("last", Some(r.last), &[row, out], &[0, 1], dtype));
        regions.push(self.result_region("last_cell", r.last_cell, &[row, hidden], &[0, 1], dtype));
        let cell = r.cell;
        let routine =
            Routine::RecurrenceCluster { dtype, cell, blocks, rows, kept, projects, reverse: r.reverse };
        self.call(routine, Vec::new(), &[r.steps, r.batch, r.hidden, r.projected], regions);
        let groups = syms.ceildiv(r.batch, syms.constant(rows));
        let count = syms.mul_const(groups, blocks);
        let blocks = Blocks { cluster: blocks, ..Blocks::new(count, THREADS, syms.constant(shared)) };
        Ok(self.finish(blocks))
    }

    /// A region that gives an operand, whose dimension k is the coordinate `order[k]`.
    fn operand_region(
        &mut self,
        name: &'static str,
        operand: &Option<(ExprId, Vec<SymInt>)>,
        coordinates: &[(&'static str, SymInt)],
        order: &[usize],
    ) -> Option<LocalId> {
        let (expr, sizes) = operand.as_ref()?;
        let mut region = self.emitter.open_region(name);
        let mut places = Vec::with_capacity(coordinates.len());
        for (name, size) in coordinates {
            places.push(self.emitter.coordinate(&mut region, name, *size));
        }
        let level = self.emitter.depth();
        for ((k, size), place) in (0..).zip(sizes).zip(order) {
            self.emitter.bind(self.program.syms.index_var(k, *size), places[*place], level);
        }
        let value = self.emitter.value(*expr).value;
        self.emitter.push(Statement::Give(value));
        let gives = Type::Scalar(self.program.exprs.dtype(*expr));
        Some(self.emitter.close_region(region, Some(gives)))
    }

    /// A region that stores a value into a result, if anyone reads it.
    fn result_region(
        &mut self,
        name: &'static str,
        buffer: Option<BufferId>,
        coordinates: &[(&'static str, SymInt)],
        order: &[usize],
        dtype: Dtype,
    ) -> Option<LocalId> {
        let buffer = buffer.filter(|b| self.group.writes.contains(b))?;
        let syms = &self.program.syms;
        let mut region = self.emitter.open_region(name);
        let mut places = Vec::with_capacity(coordinates.len());
        for (name, size) in coordinates {
            places.push(self.emitter.coordinate(&mut region, name, *size));
        }
        let value = self.emitter.given(&mut region, "value", dtype);
        let data = &self.program.buffers[buffer];
        let vars = self.program.vars(&data.sizes);
        let level = self.emitter.depth();
        for (var, place) in vars.iter().zip(order) {
            self.emitter.bind(*var, places[*place], level);
        }
        let (pointer, offset) = (self.pointer(buffer), offset_of(syms, &vars, &data.strides));
        self.emitter.store_value(pointer, offset, crate::mapping::emit::Operand::uniform(value));
        Some(self.emitter.close_region(region, None))
    }
}
