//! Sequences and optionals: lists of tensors whose number is known while the model is read. They leave no nodes. A loop may have put
//! together a sequence of as many as a run decides, of one shape; it can be joined and counted.

use super::super::super::FrontendError;
use super::super::super::error::Result;
use super::super::super::number::Number;
use super::super::call::{Cx, Results};
use super::super::data::Narrow;
use super::super::entry::{Entry, Known, MOST_KNOWN};
use crate::ir::{Arg, Value};
use crate::types::Dtype;
use std::rc::Rc;

fn sequence(cx: &Cx<'_, '_>, k: usize) -> Result<Rc<Vec<Entry>>> {
    match cx.inputs.get(k) {
        Some(Entry::Sequence(list)) => Ok(list.clone()),
        Some(Entry::Stacked(_)) => Err(cx.refuse("a sequence of so many tensors as a run decides")),
        _ => Err(cx.wrong(format!("input {k} is no sequence"))),
    }
}

fn given(list: Vec<Entry>) -> Results {
    Ok(vec![Entry::Sequence(Rc::new(list))])
}

/// A place of a list of so many, which must be known.
fn place(cx: &mut Cx<'_, '_>, k: usize, count: usize) -> Result<usize> {
    let found = cx.ints(k, "the position in a sequence")?.and_then(|p| p.first().copied());
    let Some(at) = found else { return Ok(count) };
    let place = if at < 0 { at + count as i64 } else { at };
    usize::try_from(place)
        .ok()
        .filter(|p| *p <= count)
        .ok_or_else(|| cx.wrong(format!("position {at} of a sequence of {count}")))
}

pub fn construct(cx: &mut Cx<'_, '_>) -> Results {
    given(cx.inputs.clone())
}

pub fn at(cx: &mut Cx<'_, '_>) -> Results {
    let list = sequence(cx, 0)?;
    let at = place(cx, 1, list.len())?;
    list.get(at).map(|e| vec![e.clone()]).ok_or_else(|| cx.wrong("a position behind the last of a sequence"))
}

pub fn erase(cx: &mut Cx<'_, '_>) -> Results {
    let mut list = (*sequence(cx, 0)?).clone();
    let last = list.len().saturating_sub(1);
    let at = if cx.has(1) { place(cx, 1, list.len())? } else { last };
    if at >= list.len() {
        return Err(cx.wrong("a position behind the last of a sequence"));
    }
    list.remove(at);
    given(list)
}

pub fn insert(cx: &mut Cx<'_, '_>) -> Results {
    let mut list = (*sequence(cx, 0)?).clone();
    let at = place(cx, 2, list.len())?;
    list.insert(at, cx.inputs.get(1).cloned().unwrap_or(Entry::Nothing));
    given(list)
}

pub fn length(cx: &mut Cx<'_, '_>) -> Results {
    let count = match stacked(cx)? {
        Some((all, _)) => cx.size(all, 0)?,
        None => cx.syms.constant(sequence(cx, 0)?.len() as i64),
    };
    let items = vec![Number::Int(count)];
    Ok(vec![Entry::known(Known { dtype: Dtype::Int64, shape: Vec::new(), items })])
}

/// The body for each element of the sequences; other inputs are the same each time.
pub fn map(cx: &mut Cx<'_, '_>) -> Results {
    let Some(body) = cx.node.attributes.iter().find(|a| a.name == "body").and_then(|a| a.graph.as_ref())
    else {
        return Err(cx.wrong("it has no body"));
    };
    let count = sequence(cx, 0)?.len();
    let mut results: Vec<Vec<Entry>> = vec![Vec::new(); body.outputs.len()];
    for k in 0..count {
        let mut inputs = Vec::new();
        for input in &cx.inputs {
            inputs.push(match input {
                Entry::Sequence(list) => list
                    .get(k)
                    .cloned()
                    .ok_or_else(|| FrontendError::parse("its sequences differ in length"))?,
                other => other.clone(),
            });
        }
        for (list, entry) in results.iter_mut().zip(cx.reader.inline(body, inputs)?) {
            list.push(entry);
        }
    }
    Ok(results.into_iter().map(|list| Entry::Sequence(Rc::new(list))).collect())
}

/// The tensors of a sequence of as many as a run decides, along a first dimension.
fn stacked(cx: &mut Cx<'_, '_>) -> Result<Option<(Value, Option<Narrow>)>> {
    match cx.inputs.first() {
        Some(Entry::Stacked(tensor)) => {
            let tensor = tensor.clone();
            Ok(Some((cx.reader.value(&tensor)?, tensor.narrow)))
        }
        _ => Ok(None),
    }
}

pub fn concat(cx: &mut Cx<'_, '_>) -> Results {
    if let Some((all, narrow)) = stacked(cx)? {
        let (new, rank) = (cx.flag("new_axis"), cx.rank(all));
        let dim = cx.dim(cx.attr_or("axis", 0), if new { rank } else { rank - 1 })? as i64;
        let moved = cx.call("movedim.int($0, 0, $1)", &[Arg::Value(all), cx.int(dim)])?;
        let joined = match new {
            true => moved,
            false => {
                cx.call("flatten.using_ints($0, $1, $2)", &[Arg::Value(moved), cx.int(dim), cx.int(dim + 1)])?
            }
        };
        return Ok(vec![cx.narrowed(joined, narrow)]);
    }
    let list = sequence(cx, 0)?;
    let text = if cx.flag("new_axis") { "stack($0, $1)" } else { "cat($0, $1)" };
    Ok(vec![cx.joined(text, &list, cx.attr_or("axis", 0))?])
}

pub fn split(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let rank = cx.rank(x);
    let dim = cx.dim(cx.attr_or("axis", 0), rank)?;
    let size = cx.shape(x)[dim];
    let Some(size) = cx.syms.as_const(size) else {
        return Err(cx.refuse("of a size that is known only in a run: the number of elements would be, too"));
    };
    if size > MOST_KNOWN as i64 {
        return Err(cx.refuse(format!("into a sequence of up to {size} tensors")));
    }
    let scalar = cx.known(1)?.is_some_and(|k| k.shape.is_empty());
    let sizes = match cx.ints(1, "split")? {
        None => vec![1; size as usize],
        Some(each) if scalar => {
            let each =
                each.first().copied().filter(|n| *n > 0).ok_or_else(|| cx.wrong("parts of no size"))?;
            (0..size).step_by(each as usize).map(|at| each.min(size - at)).collect()
        }
        Some(sizes) => sizes,
    };
    let args = [Arg::Value(x), cx.int_list(&sizes), cx.int(dim as i64)];
    let mut list = Vec::new();
    for value in cx.calls("split_with_sizes($0, $1, $2)", &args)? {
        let keep = cx.has(1) || cx.attr_or("keepdims", 1) != 0;
        let value = if keep {
            value
        } else {
            cx.call("squeeze.dim($0, $1)", &[Arg::Value(value), cx.int(dim as i64)])?
        };
        list.push(cx.entry(value));
    }
    given(list)
}

/// Its element; without one, an optional that holds nothing.
pub fn optional(cx: &mut Cx<'_, '_>) -> Results {
    Ok(vec![cx.inputs.first().cloned().unwrap_or(Entry::Nothing)])
}

pub fn get_element(cx: &mut Cx<'_, '_>) -> Results {
    match cx.inputs.first() {
        Some(Entry::Nothing) | None => Err(cx.wrong("the optional holds nothing")),
        Some(entry) => Ok(vec![entry.clone()]),
    }
}

pub fn has_element(cx: &mut Cx<'_, '_>) -> Results {
    let has = cx.has(0) as i64;
    let items = vec![Number::Bool(cx.syms.constant(has))];
    Ok(vec![Entry::known(Known { dtype: Dtype::Bool, shape: Vec::new(), items })])
}
