//! Adding an operator to a graph.

use super::args;
use super::edit::Change;
use super::error::litz_error;
use super::graph::litz_graph;
use super::guard::{self, Failure};
use super::handles::edit;
use super::nodes::Room;
use super::symbols;
use super::types::*;
use crate::frontend::Number;
use crate::ir::{Arg, Graph, Value};
use crate::meta::edit::End;
use crate::meta::{Builder, MetaError};
use crate::types::{Dtype, Range};
use std::ffi::c_char;

/// Adds an operator: "aten.add.Tensor" (".default" may be left out; "aten.add_.Tensor" writes to its first argument),
/// or "sym.mul" and the like on symbols (add, sub, mul, floordiv, mod, min, max, neg, eq, lt, …, with one symbol as
/// result). Positional arguments come first; arguments that are left out have the schema's default. The results are written to
/// `outs`; where they are more than `outs_capacity` nothing is added, `*n_outs` is the count needed and the call gives
/// `LITZ_ERROR_CAPACITY`, which never leaves the graph failed. `outs` may be NULL when `outs_capacity` is 0. An operator
/// that is not known is `LITZ_ERROR_UNSUPPORTED` and the message names the nearest ones. "aten.chunk" of a size that only a
/// run knows gives as many parts as it is asked for; a run whose size makes another number of them is `LITZ_ERROR_SHAPE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_call(
    g: *mut litz_graph,
    op: *const c_char,
    args: *const litz_arg,
    n_args: usize,
    outs: *mut litz_value,
    outs_capacity: usize,
    n_outs: *mut usize,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Nodes, err, |state| {
            let op = guard::text(op, "op")?;
            let room = Room::new((outs, "outs"), outs_capacity, (n_outs, "n_outs"))?;
            let read = args::read(state, args, n_args).map_err(|f| f.within(op).with("operator", op))?;
            let reserve = |count: usize| {
                let results = || format!("{op} has {count} results");
                room.reserve(count, results).map_err(|f| f.with("operator", op))
            };
            let given = guard::list(args, n_args, "args")?;
            if let Some(result) = symbols::call(state, op, given, &read.positional) {
                let number = result?;
                if !read.named.is_empty() {
                    return Err(guard::invalid(format!("{op} takes no named arguments")));
                }
                reserve(1)?;
                outs.write(state.give_number(number));
                return Ok(());
            }
            if let ("aten.item" | "aten.item.default", [Arg::Value(value)]) = (op, &read.positional[..]) {
                reserve(1)?;
                let end = End::of(&state.graph);
                let number =
                    item(&mut state.graph, *value).map_err(|e| Failure::from(e).with("operator", op))?;
                state.put(end)?;
                outs.write(state.give_number(number));
                return Ok(());
            }
            let end = End::of(&state.graph);
            let mut builder = Builder::new(&mut state.graph);
            let prepared = builder
                .prepare(op, read.positional, read.named)
                .map_err(|e| Failure::from(e).with("operator", op))?;
            reserve(prepared.count())?;
            let values = builder.commit(prepared);
            state.put(end)?;
            for (k, value) in values.into_iter().enumerate() {
                outs.add(k).write(state.give_tensor(value));
            }
            Ok(())
        })
    }
}

/// A symbol for the number in a tensor.
fn item(graph: &mut Graph, value: Value) -> Result<Number, MetaError> {
    let dtype = graph.meta(value).dtype;
    let all = Range::new(i64::MIN, i64::MAX);
    let mut builder = Builder::new(graph);
    let symbol = builder.data_symbol(if dtype == Dtype::Bool { Range::new(0, 1) } else { all });
    builder.read_number(value, symbol)?;
    Ok(match dtype {
        Dtype::Bool => Number::Bool(symbol),
        d if d.is_float() => Number::Bits(symbol),
        _ => Number::Int(symbol),
    })
}
