//! Formulas of operators that move elements.

use super::super::formula::Scope;
use super::{Cx, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Guard};
use crate::types::Range;

/// Writes a number to the diagonal. With `wrap`, the diagonal of a tall matrix starts again one row after it ended.
pub fn fill_diagonal(cx: &mut Cx<'_, '_>) -> Results {
    let (own, number) = (cx.value(0)?, cx.args[1].clone());
    let shape = cx.shape(own);
    let syms = cx.b.graph.syms.clone();
    if shape.len() < 2 {
        return Err(
            cx.error(Status::Shape, format!("a tensor of {} dimensions has no diagonal", shape.len()))
        );
    }
    if shape.len() > 2 && shape.iter().any(|n| syms.decide(syms.eq(*n, shape[0])) == Some(false)) {
        return Err(cx.error(Status::Shape, "a tensor of more than two dimensions must have equal sizes"));
    }
    for size in shape.iter().skip(1).filter(|_| shape.len() > 2) {
        let condition = syms.eq(*size, shape[0]);
        if syms.decide(condition).is_none() {
            let message = format!("{}: a tensor of more than two dimensions must have equal sizes", cx.name);
            cx.b.graph.guards.push(Guard { condition, message });
        }
    }
    if shape.len() == 2 && !cx.flag(2) {
        cx.call("fill_.Scalar(diagonal($0), $1)", &[v(own), number])?;
        return Ok(vec![own]);
    }
    // The places where each index is the first one, which in a tall matrix counts from the last row without an element.
    let named = |size| [Arg::Int(size)];
    let rows = cx.call("arange($0)", &named(shape[0]))?;
    let mut mask = None;
    for dim in 1..shape.len() {
        let mut first = rows;
        if shape.len() == 2 {
            let period = Arg::Int(syms.add_const(shape[1], 1));
            first = cx.call("remainder.Scalar($0, $1)", &[v(rows), period])?;
        }
        let own = cx.call("arange($0)", &named(shape[dim]))?;
        let mut tail = vec![syms.constant(1); shape.len() - dim];
        tail[0] = shape[dim];
        let own = cx.call("reshape($0, $1)", &[v(own), Arg::Ints(tail)])?;
        let mut head = vec![syms.constant(1); shape.len()];
        head[0] = shape[0];
        let first = cx.call("reshape($0, $1)", &[v(first), Arg::Ints(head)])?;
        let equal = cx.of("eq($0, $1)", &[first, own])?;
        mask = Some(match mask {
            None => equal,
            Some(before) => cx.of("logical_and($0, $1)", &[before, equal])?,
        });
    }
    let Some(mask) = mask else { return Ok(vec![own]) };
    cx.call("masked_fill_.Scalar($0, $1, $2)", &[v(own), v(mask), number])?;
    Ok(vec![own])
}

/// Sequences of different lengths as rows of one tensor.
pub fn pad_sequence(cx: &mut Cx<'_, '_>) -> Results {
    let list = cx.values(0);
    let (batch_first, padding) = (cx.flag(1), cx.args[2].clone());
    let at_left = match cx.text(3) {
        "left" => true,
        "right" => false,
        other => return Err(cx.wrong(format!("`padding_side` is \"{other}\", not \"left\" or \"right\""))),
    };
    let syms = cx.b.graph.syms.clone();
    let Some(first) = list.first() else { return Err(cx.wrong("a list without tensors".into())) };
    let rank = cx.rank(*first);
    if rank == 0 || list.iter().any(|value| cx.rank(*value) != rank) {
        return Err(cx.error(Status::Shape, "the sequences must have equal ranks of at least one"));
    }
    let longest = list.iter().map(|value| cx.shape(*value)[0]).reduce(|a, b| syms.max(a, b));
    let longest = longest.unwrap_or(syms.constant(0));
    let mut rows = Vec::new();
    for value in list {
        let missing = syms.sub(longest, cx.shape(value)[0]);
        let mut pad = vec![syms.constant(0); 2 * rank];
        pad[2 * rank - if at_left { 2 } else { 1 }] = missing;
        rows.push(Some(
            cx.call("constant_pad_nd($0, $1, $2)", &[v(value), Arg::Ints(pad), padding.clone()])?,
        ));
    }
    let args = [Arg::Values(rows), cx.int(if batch_first { 0 } else { 1 })];
    Ok(vec![cx.call("stack($0, $1)", &args)?])
}

/// A slice whose start is a tensor of one integer.
pub fn narrow(cx: &mut Cx<'_, '_>) -> Results {
    let (own, start) = (cx.value(0)?, cx.value(2)?);
    let syms = cx.b.graph.syms.clone();
    if cx.rank(start) > 0 || !cx.dtype(start).is_integer() {
        return Err(cx.wrong("`start` must be a 0-d tensor of integers".into()));
    }
    let (dim, rank) = (cx.known(1)?, cx.rank(own) as i64);
    if dim < -rank || dim >= rank {
        return Err(cx.wrong(format!("dimension {dim} of a tensor of rank {rank}")));
    }
    let size = cx.shape(own)[dim.rem_euclid(rank) as usize];
    let Some(length) = cx.args[3].int() else { return Err(cx.wrong("`length` must be an integer".into())) };
    let given = cx.b.data_symbol(Range::new(i64::MIN, i64::MAX));
    cx.b.read_number(start, given)?;
    let negative = syms.lt(given, syms.constant(0));
    let start = syms.add(given, syms.mul(negative, size));
    let end = syms.add(start, length);
    for condition in [syms.le(syms.constant(0), start), syms.le(end, size)] {
        let message = format!("{}: the slice lies outside of the dimension", cx.name);
        cx.b.graph.guards.push(Guard { condition, message });
    }
    let args = [v(own), Arg::Int(syms.constant(dim)), Arg::Int(start), Arg::Int(length)];
    Ok(vec![cx.call("narrow($0, $1, $2, $3)", &args)?])
}
