//! Recurrences: the native loop over the steps, with the operands' strides.

use super::template::Template;
use crate::kernels::{Kernel, Memory, Operand, Routine};
use crate::loops::{BufferId, Expr, ExprId, NodeKind};
use crate::templates::recurrence::PANEL;
use crate::types::SymInt;

/// The kernel of a recurrence; a task is a few rows of the batch.
pub fn kernel(mut t: Template<'_>) -> Kernel {
    let program = t.program;
    let syms = &program.syms;
    let NodeKind::Recurrence(r) = program.nodes[t.node].kind.clone() else {
        unreachable!("a recurrence's group has a recurrence")
    };
    let dtype = program.exprs.dtype(r.gates);
    let [gates, weight, first, bias, first_cell, projection] = r.operands(syms);
    let mut read = |given: Option<(ExprId, Vec<SymInt>)>| match given {
        Some((expr, sizes)) => {
            let (operand, _, strides) = t.operand(expr, &sizes);
            (operand, strides)
        }
        None => (Operand::Absent, vec![syms.constant(0); 2]),
    };
    let (gates, gate_strides) = read(gates);
    let (first, first_strides) = read(first);
    let (bias, _) = read(bias);
    let (first_cell, first_cell_strides) = read(first_cell);
    let [weight, projection] = [weight, projection].map(|given| match given {
        Some((expr, _)) => t.panels(expr),
        None => Operand::Absent,
    });
    let out_strides = program.buffers[r.out].strides.clone();
    let (step, row) = if r.batch_first { (1, 0) } else { (0, 1) };

    let rows = t.target.register_tile().rows;
    let batch = syms.hint(r.batch).clamp(1, 1 << 40);
    // Even blocks, one for each core where there are rows enough; larger ones read the weights less often.
    let most = 4 * rows;
    let blocks = ((batch + most - 1) / most).max((t.target.cores as i64).min(batch));
    let block = (batch + blocks - 1) / blocks;
    let numbers = [
        r.steps,
        r.batch,
        r.hidden,
        r.projected,
        gate_strides[step],
        gate_strides[row],
        out_strides[step],
        out_strides[row],
        first_strides[0],
        first_cell_strides[0],
    ];
    let mut operands = vec![gates, weight, bias, first, first_cell, projection];
    operands.extend([Some(r.out), Some(r.last), r.last_cell].map(|buffer| t.result(buffer)));
    let routine = Routine::Recurrence { dtype, cell: r.cell, block, reverse: r.reverse };
    t.call(routine, operands, &numbers, Vec::new());
    let tasks = syms.ceildiv(r.batch, syms.constant(block));
    let padded = |n: SymInt| {
        let whole = syms.floordiv(n, syms.constant(PANEL));
        syms.add_const(syms.mul_const(whole, PANEL), PANEL)
    };
    let sums = padded(syms.mul_const(r.hidden, r.cell.gates()));
    let row = syms.sum(&[sums, padded(r.projected), padded(r.hidden), padded(r.hidden)]);
    t.finish(tasks, 1, syms.mul_const(row, block * dtype.size() as i64))
}

impl Template<'_> {
    /// The buffer that holds weights in panels (the schedule saw to that).
    fn panels(&self, operand: ExprId) -> Operand {
        match &self.program.exprs[operand] {
            Expr::Load { buffer, .. } => Operand::Memory(Box::new(self.whole(*buffer))),
            other => unreachable!("weights are {other:?}, not in panels"),
        }
    }
    fn result(&self, buffer: Option<BufferId>) -> Operand {
        buffer.map_or(Operand::Absent, |buffer| {
            Operand::Memory(Box::new(Memory { written: true, ..self.whole(buffer) }))
        })
    }
}
