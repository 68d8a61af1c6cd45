//! Operators whose form depends on data, such as an axis that a run computes. Each form is a branch.

use super::super::super::error::Result;
use super::super::call::Cx;
use super::super::control::{chosen, within};
use super::super::entry::{At, Tensor};
use crate::ir::{Arg, Value};

/// Branches at most.
const MOST: usize = 64;

/// A branch for each candidate, built by `f`. A run takes the one that the number equals, and fails where none does.
pub fn choose<'a>(
    cx: &mut Cx<'_, 'a>,
    number: Value,
    candidates: &[i64],
    f: &dyn Fn(&mut Cx<'_, 'a>, i64) -> Result<Value>,
) -> Result<Value> {
    if candidates.is_empty() || candidates.len() > MOST {
        return Err(cx.refuse(format!("data say which of {} forms it has", candidates.len())));
    }
    let mut known = None;
    for candidate in candidates {
        let is = cx.call("eq($0, $1)", &[Arg::Value(number), cx.int(*candidate)])?;
        known = Some(match known {
            None => is,
            Some(other) => cx.of("logical_or($0, $1)", &[other, is])?,
        });
    }
    if let Some(known) = known {
        let message = Arg::Str(format!("{}: no such axis", cx.node.op_type));
        cx.calls("_assert_async.msg($0, $1)", &[Arg::Value(known), message])?;
    }
    let at = Tensor { at: At::Graph(cx.reader.frames.len() - 1, number), known: None, narrow: None };
    branch(cx, &at, candidates, f)
}

fn branch<'a>(
    cx: &mut Cx<'_, 'a>,
    number: &Tensor,
    candidates: &[i64],
    f: &dyn Fn(&mut Cx<'_, 'a>, i64) -> Result<Value>,
) -> Result<Value> {
    let (first, rest) = (candidates[0], &candidates[1..]);
    if rest.is_empty() {
        return f(cx, first);
    }
    let value = cx.reader.value(number)?;
    let is = cx.call("eq($0, $1)", &[Arg::Value(value), cx.int(first)])?;
    let (node, opset, inputs) = (cx.node, cx.opset, cx.inputs.clone());
    let yes = within(cx.reader, "this", |reader| {
        let mut cx = Cx::new(reader, node, opset, inputs.clone());
        let value = f(&mut cx, first)?;
        Ok(vec![cx.entry(value)])
    })?;
    let no = within(cx.reader, "other", |reader| {
        let mut cx = Cx::new(reader, node, opset, inputs.clone());
        let value = branch(&mut cx, number, rest, f)?;
        Ok(vec![cx.entry(value)])
    })?;
    Ok(chosen(cx, is, yes, no)?[0])
}
