//! Recurrent networks. The input's part of all steps' gates is one matrix product; what is left, which has to go step
//! by step, is one `Recurrence` for each direction of each layer.

use super::contraction::gemm;
use super::view::{from_meta, infer_of};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, Cell, NodeKind, Recurrence};
use crate::meta::rules::{RecurrentParameters, recurrent_arguments};
use crate::types::SymInt;

type Results = Result<Vec<Lazy>, LowerError>;

pub fn lstm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    network(cx, args, Cell::Lstm)
}
pub fn gru(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    network(cx, args, Cell::Gru)
}
pub fn rnn_tanh(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    network(cx, args, Cell::Tanh)
}
pub fn rnn_relu(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    network(cx, args, Cell::Relu)
}

fn network(cx: &mut Lower<'_>, args: &Args<'_>, cell: Cell) -> Results {
    let r = recurrent_arguments(&mut infer_of(args)).map_err(from_meta)?;
    let mut input = args.lazy(cx, "input")?;
    let (batch, steps) = r.batch_and_steps(args.meta("input")?);
    let states: Vec<Lazy> = r.states.iter().map(|s| cx.value(*s)).collect();
    let (mut last, mut last_cell) = (Vec::new(), Vec::new());
    for layer in &r.parameters {
        let mut outs = Vec::new();
        input = cx.computed(&input);
        for (direction, p) in layer.iter().enumerate() {
            let (gates, bias) = gates_of_input(cx, &input, p, cell);
            // The states of all layers and directions lie one after the other.
            let place = cx.syms().constant(last.len() as i64);
            let state = |cx: &mut Lower<'_>, all: &Lazy, width: SymInt| {
                let vars = cx.vars(&[batch, width]);
                cx.compute_at(all, &[place, vars[0], vars[1]])
            };
            let first = state(cx, &states[0], r.projected);
            let first_cell = states.get(1).map(|all| state(cx, all, r.hidden));
            let dtype = cx.program.exprs.dtype(gates.expr);
            let hidden = cx.value(p.hidden);
            let weight = transposed(cx, &hidden);
            let projection = p.projection.map(|p| {
                let projection = cx.value(p);
                transposed(cx, &projection)
            });
            let sizes = [input.sizes[0], input.sizes[1], r.projected];
            let out = cx.program.temporary(dtype, &sizes);
            let end = cx.program.temporary(dtype, &[batch, r.projected]);
            let end_cell = first_cell.is_some().then(|| cx.program.temporary(dtype, &[batch, r.hidden]));
            cx.push(NodeKind::Recurrence(Box::new(Recurrence {
                cell,
                steps,
                batch,
                hidden: r.hidden,
                projected: r.projected,
                reverse: direction == 1,
                batch_first: r.batch_first,
                gates: gates.expr,
                weight,
                bias,
                first,
                first_cell,
                projection,
                out,
                last: end,
                last_cell: end_cell,
            })));
            outs.push(cx.load_all(out));
            last.push(cx.load_all(end));
            last_cell.extend(end_cell.map(|b| cx.load_all(b)));
        }
        input = side_by_side(cx, &outs);
    }
    let dtype = args.result(0).dtype;
    let mut results = vec![input, stacked(cx, &last)];
    if !last_cell.is_empty() {
        results.push(stacked(cx, &last_cell));
    }
    for result in &mut results {
        result.expr = cx.cast(result.expr, dtype);
    }
    Ok(results)
}

/// A matrix over its transposed space, in the compute dtype.
fn transposed(cx: &mut Lower<'_>, matrix: &Lazy) -> crate::loops::ExprId {
    let vars = cx.vars(&[matrix.sizes[1], matrix.sizes[0]]);
    cx.compute_at(matrix, &[vars[1], vars[0]])
}

/// The gates that the input gives at all steps, with biases; the bias that has to be added to the hidden values' part,
/// where it is not the same as adding it here.
fn gates_of_input(
    cx: &mut Lower<'_>,
    input: &Lazy,
    p: &RecurrentParameters,
    cell: Cell,
) -> (Lazy, Option<crate::loops::ExprId>) {
    let weight = cx.value(p.input);
    let weight = cx.computed(&weight);
    let shape = vec![input.sizes[0], input.sizes[1], weight.sizes[0]];
    let space = [shape[0], shape[1], shape[2], weight.sizes[1]];
    let vars = cx.vars(&space);
    let a = cx.compute_at(input, &[vars[0], vars[1], vars[3]]);
    let b = cx.compute_at(&weight, &[vars[2], vars[3]]);
    let mut gates = gemm(cx, &shape, weight.sizes[1], a, b);
    let Some([own, hidden]) = p.biases else {
        return (cx.computed(&gates), None);
    };
    let (own, hidden) = (cx.value(own), cx.value(hidden));
    let mut add = |cx: &mut Lower<'_>, bias: &Lazy| {
        let bias = cx.compute_at(bias, &vars[2..3]);
        gates.expr = cx.bin(BinaryOp::Add, gates.expr, bias);
    };
    add(cx, &own);
    // The GRU's reset gate scales what the hidden values give, bias included.
    let bias = if cell == Cell::Gru {
        Some(cx.compute(hidden.expr))
    } else {
        add(cx, &hidden);
        None
    };
    (cx.computed(&gates), bias)
}

/// Both directions' values beside one another in the last dimension.
fn side_by_side(cx: &mut Lower<'_>, parts: &[Lazy]) -> Lazy {
    let [forward, backward] = parts else { return parts[0].clone() };
    let syms = cx.syms();
    let width = forward.sizes[2];
    let mut sizes = forward.sizes.clone();
    sizes[2] = syms.mul_const(width, 2);
    let vars = cx.vars(&sizes);
    let second = syms.sub(vars[2], width);
    let (a, b) = (cx.at(forward, &vars), cx.at(backward, &[vars[0], vars[1], second]));
    let dtype = cx.program.exprs.dtype(a);
    let zero = cx.program.exprs.int(0, dtype);
    let b = cx.where_index(syms.le(width, vars[2]), b, zero);
    let expr = cx.where_index(syms.lt(vars[2], width), a, b);
    Lazy { sizes, expr }
}

/// The parts as slices of a new first dimension.
fn stacked(cx: &mut Lower<'_>, parts: &[Lazy]) -> Lazy {
    let syms = cx.syms();
    let mut sizes = vec![syms.constant(parts.len() as i64)];
    sizes.extend(&parts[0].sizes);
    let vars = cx.vars(&sizes);
    let mut expr = cx.at(&parts[parts.len() - 1], &vars[1..]);
    for (k, part) in parts.iter().enumerate().rev().skip(1) {
        let own = cx.at(part, &vars[1..]);
        expr = cx.where_index(syms.eq(vars[0], syms.constant(k as i64)), own, expr);
    }
    Lazy { sizes, expr }
}
