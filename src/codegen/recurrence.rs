//! Recurrences: the native loop over the steps, with the operands' strides.

use super::convolution::operand;
use super::emit::Finished;
use super::template::{Template, pointer_of};
use super::{Kernel, NativeHeader, cpp};
use crate::loops::{BufferId, Cell, Expr, ExprId, NodeKind};
use crate::mapping::cpu::declare_buffers;
use crate::print;
use crate::templates::recurrence::PANEL;
use crate::types::{Dtype, SymInt};

/// The function of a recurrence; a task is a few rows of the batch.
pub fn kernel(mut t: Template<'_>) -> Kernel {
    let program = t.program;
    let syms = &program.syms;
    let NodeKind::Recurrence(r) = program.nodes[t.node].kind.clone() else {
        unreachable!("a recurrence's group has a recurrence")
    };
    let parameters = declare_buffers(&mut t.emitter, t.group);
    let buffers: Vec<BufferId> = parameters.iter().map(|b| b.buffer).collect();
    let dtype = program.exprs.dtype(r.gates);
    let ty = cpp::scalar_type(dtype);
    for name in ["SIGMOID", "TANH", if dtype == Dtype::Float64 { "TILE_F64" } else { "TILE_F32" }] {
        t.emitter.use_function(Some(name));
    }
    let [gates, weight, first, bias, first_cell, projection] = r.operands(syms);
    let none = || ("nullptr".to_string(), vec![syms.constant(0); 2]);
    let mut read = |given: Option<(ExprId, Vec<SymInt>)>| match given {
        Some((expr, sizes)) => {
            let (pointer, _, strides) = operand(&mut t, expr, &sizes);
            (pointer, strides)
        }
        None => none(),
    };
    let (gates, gate_strides) = read(gates);
    let (first, first_strides) = read(first);
    let (bias, _) = read(bias);
    let (first_cell, first_cell_strides) = read(first_cell);
    let [weight, projection] = [weight, projection].map(|given| match given {
        Some((expr, _)) => panels(&t, expr),
        None => none().0,
    });
    let out_strides = program.buffers[r.out].strides.clone();
    let (step, row) = if r.batch_first { (1, 0) } else { (0, 1) };

    let rows = t.target.register_tile().rows;
    let batch = syms.hint(r.batch).max(1);
    // Even blocks, one for each core where there are rows enough; larger ones read the weights less often.
    let most = 4 * rows;
    let blocks = ((batch + most - 1) / most).max((t.target.cores as i64).min(batch));
    let block = (batch + blocks - 1) / blocks;
    let fields = [
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
    let fields: Vec<String> = fields.into_iter().map(|f| t.emitter.index_text(f)).collect();
    t.emitter.line(&format!(
        "const litz_recurrence_shape shape = {{{}, {block}, {}}};",
        fields.join(", "),
        r.reverse
    ));
    let written = [Some(r.out), Some(r.last), r.last_cell]
        .map(|buffer| buffer.map_or("nullptr".to_string(), |b| pointer_of(&t.emitter, b)));
    t.emitter.line(&format!(
        "const litz_recurrence_operands<{ty}> operands = {{{gates}, {weight}, {bias}, {first}, {first_cell}, {projection}, {}}};",
        written.join(", ")
    ));
    let cell = match r.cell {
        Cell::Tanh => "LITZ_CELL_TANH",
        Cell::Relu => "LITZ_CELL_RELU",
        Cell::Lstm => "LITZ_CELL_LSTM",
        Cell::Gru => "LITZ_CELL_GRU",
    };
    t.emitter.line(&format!("litz_recurrence_run<{cell}, {ty}>(shape, operands, begin, end, scratch);"));
    let tasks = syms.ceildiv(r.batch, syms.constant(block));
    let padded = |n: SymInt| {
        let whole = syms.floordiv(n, syms.constant(PANEL));
        syms.add_const(syms.mul_const(whole, PANEL), PANEL)
    };
    let sums = padded(syms.mul_const(r.hidden, r.cell.gates()));
    let row = syms.sum(&[sums, padded(r.projected), padded(r.hidden), padded(r.hidden)]);
    let scratch = syms.mul_const(row, block * dtype.size() as i64);
    let Finished { body: lines, symbols, functions } = t.emitter.finish();
    Kernel {
        kind: "recurrence",
        body: print::cxx::function(&parameters, &lines),
        functions,
        headers: vec![NativeHeader::Tile, NativeHeader::Recurrence],
        buffers,
        symbols,
        tasks,
        lanes: 0,
        maps: Vec::new(),
        grain: syms.constant(1),
        scratch,
    }
}

/// The buffer that holds weights in panels (the schedule saw to that).
fn panels(t: &Template<'_>, operand: ExprId) -> String {
    match &t.program.exprs[operand] {
        Expr::Load { buffer, .. } => pointer_of(&t.emitter, *buffer),
        other => unreachable!("weights are {other:?}, not in panels"),
    }
}
