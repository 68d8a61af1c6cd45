//! Operators that run graphs: what their subgraphs take and give.

use crate::base::Status;
use crate::ir::{Arg, Graph, OutputValue, Value};
use crate::meta::{Infer, MetaError, common_strides};
use crate::types::{Dtype, SymArena, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// `cond`: one of two graphs on the same operands. Sizes that differ are the symbols of `sizes`, in order.
pub fn cond(cx: &mut Infer<'_>) -> Metas {
    predicate(cx, "pred", &cx.meta("pred")?.clone())?;
    let operands = values(cx, "operands")?;
    let (yes, no) = (subgraph(cx, "true_fn")?, subgraph(cx, "false_fn")?);
    takes(cx, yes, &operands, &[])?;
    takes(cx, no, &operands, &[])?;
    let (yes, no) = (results(cx, yes)?, results(cx, no)?);
    if yes.len() != no.len() {
        let message = format!("the branches give {} and {} results", yes.len(), no.len());
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let mut sizes = cx.ints("sizes")?.iter().copied();
    let mut merged = Vec::with_capacity(yes.len());
    for (k, (a, b)) in yes.iter().zip(&no).enumerate() {
        same_kind(cx, k, a, b)?;
        let mut shape = Vec::with_capacity(a.rank());
        for (x, y) in a.shape.iter().zip(&b.shape) {
            shape.push(match cx.syms().known_eq(*x, *y) {
                true => *x,
                false => sizes.next().ok_or_else(|| {
                    let (x, y) = (cx.syms().display(*x), cx.syms().display(*y));
                    cx.shape_error(format!(
                        "result {k} has a size of {x} in one branch and of {y} in the other"
                    ))
                })?,
            });
        }
        merged.push(either(cx, a, b, shape));
    }
    Ok(merged)
}

/// `while_loop`: the body's results are its next carried operands. Sizes that change are the symbols of `sizes`.
pub fn while_loop(cx: &mut Infer<'_>) -> Metas {
    let (carried, additional) = (values(cx, "carried")?, values(cx, "additional")?);
    let (condition, body) = (subgraph(cx, "cond_fn")?, subgraph(cx, "body_fn")?);
    let sizes = cx.ints("sizes")?.to_vec();
    let operands: Vec<Value> = carried.iter().chain(&additional).copied().collect();
    takes(cx, condition, &operands, &sizes)?;
    takes(cx, body, &operands, &sizes)?;
    match &results(cx, condition)?[..] {
        [one] => predicate(cx, "cond_fn", one)?,
        other => {
            let message = format!("the condition gives {} results, not one", other.len());
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    let given = results(cx, body)?;
    if given.len() != carried.len() {
        let message = format!("the body gives {} results for {} carried tensors", given.len(), carried.len());
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let mut metas = Vec::with_capacity(given.len());
    for (k, result) in given.iter().enumerate() {
        let taken = body.meta(body.inputs[k].value).clone();
        same_kind(cx, k, &taken, result)?;
        for (want, have) in taken.shape.iter().zip(&result.shape) {
            if !sizes.contains(want) {
                let (x, y) = (cx.syms().display(*want), cx.syms().display(*have));
                let message =
                    format!("carried tensor {k} has a size of {x} before the body and of {y} after it");
                cx.require(cx.syms().eq(*want, *have), message)?;
            }
        }
        metas.push(either(cx, cx.graph.meta(carried[k]), result, taken.shape));
    }
    Ok(metas)
}

/// A result that is one of two tensors.
fn either(cx: &Infer<'_>, a: &TensorMeta, b: &TensorMeta, shape: Vec<SymInt>) -> TensorMeta {
    let strides = common_strides(cx.syms(), a, b, &shape);
    TensorMeta { strides, ..TensorMeta::contiguous(cx.syms(), a.dtype, shape) }
}

fn values(cx: &Infer<'_>, name: &str) -> Result<Vec<Value>, MetaError> {
    match cx.arg(name) {
        Arg::Values(list) => Ok(list.iter().flatten().copied().collect()),
        _ => Err(cx.error(Status::InvalidArgument, format!("argument `{name}` must be a list of tensors"))),
    }
}

fn subgraph<'a>(cx: &Infer<'a>, name: &str) -> Result<&'a Graph, MetaError> {
    match cx.arg(name) {
        Arg::Graph(g) if g.0.constants.is_empty() => Ok(&g.0),
        Arg::Graph(_) => {
            let message = format!("the graph `{name}` has constants of its own; give them as operands");
            Err(cx.error(Status::Unsupported, message))
        }
        _ => Err(cx.error(Status::InvalidArgument, format!("argument `{name}` must be a graph"))),
    }
}

fn results(cx: &Infer<'_>, graph: &Graph) -> Result<Vec<TensorMeta>, MetaError> {
    let one = |o: &crate::ir::Output| match o.value {
        OutputValue::Tensor(v) => Ok(graph.meta(v).clone()),
        OutputValue::Number(_) => {
            let message =
                format!("output `{}` of the graph `{}` is a number; make it a tensor", o.name, graph.name);
            Err(cx.error(Status::Unsupported, message))
        }
    };
    graph.outputs.iter().map(one).collect()
}

/// Whether the graph can be given these operands; sizes of `free` take whatever comes.
fn takes(cx: &mut Infer<'_>, graph: &Graph, operands: &[Value], free: &[SymInt]) -> Result<(), MetaError> {
    if graph.inputs.len() != operands.len() {
        let (want, have) = (graph.inputs.len(), operands.len());
        let message = format!("the graph `{}` takes {want} operands, and {have} are given", graph.name);
        return Err(cx.error(Status::InvalidArgument, message));
    }
    for (k, (input, value)) in graph.inputs.iter().zip(operands).enumerate() {
        let (want, have) = (graph.meta(input.value), cx.graph.meta(*value));
        if input.symbol.is_some() {
            return Err(cx.error(Status::Unsupported, "a graph with numbers as inputs"));
        }
        same_kind(cx, k, want, have)?;
        for (a, b) in want.shape.iter().zip(&have.shape).filter(|(a, _)| !free.contains(a)) {
            let (x, y) = (cx.syms().display(*a), cx.syms().display(*b));
            let message = format!("operand {k} of `{}` has a size of {y} where {x} is taken", graph.name);
            cx.require(cx.syms().eq(*a, *b), message)?;
        }
    }
    Ok(())
}

fn same_kind(cx: &Infer<'_>, k: usize, a: &TensorMeta, b: &TensorMeta) -> Result<(), MetaError> {
    if a.dtype != b.dtype {
        let message = format!("tensor {k} is {} in one place and {} in another", a.dtype, b.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    if a.rank() != b.rank() {
        let show = |m: &TensorMeta, syms: &SymArena| syms.display_list(&m.shape);
        let (x, y) = (show(a, cx.syms()), show(b, cx.syms()));
        return Err(cx.shape_error(format!("tensor {k} has the shape {x} in one place and {y} in another")));
    }
    Ok(())
}

fn predicate(cx: &mut Infer<'_>, name: &str, meta: &TensorMeta) -> Result<(), MetaError> {
    if meta.dtype != Dtype::Bool {
        return Err(cx.error(Status::Dtype, format!("`{name}` is {}, not bool", meta.dtype)));
    }
    let count = meta.numel(cx.syms());
    cx.require(cx.syms().eq(count, cx.syms().constant(1)), format!("`{name}` must have one element"))
}
