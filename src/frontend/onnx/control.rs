//! `If`, `Loop` and `Scan`. A branch or body becomes a graph of its own, whose inputs are what it carries and, behind that,
//! the tensors that it uses of the graph around.
//!
//! A condition that is known takes its branch where it stands. A loop whose number of steps is known and small is unrolled,
//! so that sequences may be carried and sizes stay known; any other becomes `while_loop`. What each step of that gives is
//! written to its place where the number of steps is a size, and appended where a condition ends the loop.

use super::super::FrontendError;
use super::super::error::Result;
use super::super::number::Number;
use super::call::{Cx, Results};
use super::entry::{At, Entry, Known, Tensor};
use super::proto;
use super::reader::{Frame, Reader};
use crate::base::HashMap;
use crate::ir::{Arg, Definition, Input, OutputValue, Subgraph, Value};
use crate::meta::edit::End;
use crate::types::{Dtype, Range, SymInt, TensorMeta};
use std::rc::Rc;
use std::sync::Arc;

/// Steps that a loop is unrolled to.
const MOST_STEPS: i64 = 32;

fn body<'a>(cx: &Cx<'_, 'a>, name: &str) -> Result<&'a proto::Graph> {
    let found = cx.node.attributes.iter().find(|a| a.name == name).and_then(|a| a.graph.as_ref());
    found.ok_or_else(|| cx.wrong(format!("the attribute `{name}` is missing")))
}

pub fn branch(cx: &mut Cx<'_, '_>) -> Results {
    let (yes, no) = (body(cx, "then_branch")?, body(cx, "else_branch")?);
    if let Some(Number::Bool(known)) = cx.number(0)?
        && let Some(known) = cx.syms.as_const(known)
    {
        return cx.reader.inline(if known != 0 { yes } else { no }, Vec::new());
    }
    let condition = cx.value(0)?;
    let condition = cx.reshape(condition, &[])?;
    let yes = within(cx.reader, "then", |reader| reader.inline(yes, Vec::new()))?;
    let no = within(cx.reader, "else", |reader| reader.inline(no, Vec::new()))?;
    let narrow = narrows(&yes);
    if narrow != narrows(&no) {
        return Err(cx.refuse("its branches give different element types"));
    }
    let rank = |inner: &Inner, v: &Value| inner.frame.graph.meta(*v).rank();
    let same = yes.values.iter().zip(&no.values).all(|(a, b)| rank(&yes, a) == rank(&no, b));
    if !same || yes.values.len() != no.values.len() {
        return Err(cx.refuse("its branches give tensors of different rank or number"));
    }
    let results = chosen(cx, condition, yes, no)?;
    Ok(results.into_iter().zip(narrow).map(|(v, n)| cx.narrowed(v, n)).collect())
}

/// The results of the graph that the condition chooses.
pub fn chosen(cx: &mut Cx<'_, '_>, condition: Value, yes: Inner, no: Inner) -> Result<Vec<Value>> {
    let (mut yes, mut no) = (closed(yes), closed(no));
    let operands = arrange(&cx.syms, &mut [&mut yes, &mut no], 0);
    let args = vec![Arg::Value(condition), wrap(yes), wrap(no), tensors(&operands)];
    Ok(cx.reader.builder().call_named("higher_order.cond", args, Vec::new())?)
}

/// A graph being built inside of another, and what it gives.
pub struct Inner {
    frame: Frame,
    results: Vec<Entry>,
    values: Vec<Value>,
}

/// Reads something into a graph of its own.
pub fn within<'a>(
    reader: &mut Reader<'a>,
    name: &str,
    read: impl FnOnce(&mut Reader<'a>) -> Result<Vec<Entry>>,
) -> Result<Inner> {
    let graph = reader.graph().new_subgraph(name);
    reader.frames.push(Frame { graph, captures: HashMap::new() });
    let outcome = read(reader).and_then(|results| {
        let mut values = Vec::new();
        for entry in &results {
            values.push(match entry {
                Entry::Tensor(tensor) => reader.value(tensor)?,
                _ => return Err(FrontendError::unsupported("a branch or body that gives no tensor")),
            });
        }
        Ok((results, values))
    });
    let frame = reader.frames.pop();
    let (results, values) = outcome?;
    match frame {
        Some(frame) => Ok(Inner { frame, results, values }),
        None => Err(FrontendError::parse("a graph was left that was not entered")),
    }
}

/// Its results as outputs.
fn closed(inner: Inner) -> Frame {
    let mut frame = inner.frame;
    for (k, value) in inner.values.into_iter().enumerate() {
        frame.graph.add_output(&format!("result_{k}"), OutputValue::Tensor(value));
    }
    frame
}

/// What the bytes of its results mean.
fn narrows(inner: &Inner) -> Vec<Option<super::data::Narrow>> {
    let one = |entry: &Entry| if let Entry::Tensor(t) = entry { t.narrow } else { None };
    inner.results.iter().map(one).collect()
}

/// Gives graphs the same inputs behind the first ones: the tensors around that any of them uses, which the node is given.
fn arrange(syms: &crate::types::SymArena, frames: &mut [&mut Frame], first: usize) -> Vec<Value> {
    let mut all: HashMap<Value, TensorMeta> = HashMap::new();
    for frame in frames.iter() {
        for (outer, inner) in &frame.captures {
            all.entry(*outer).or_insert_with(|| frame.graph.meta(*inner).clone());
        }
    }
    for frame in frames {
        let mut inputs: Vec<Input> = frame.graph.inputs[..first].to_vec();
        for (k, (outer, meta)) in all.iter().enumerate() {
            let inner = match frame.captures.get(outer) {
                Some(inner) => *inner,
                None => {
                    let meta = TensorMeta::contiguous(syms, meta.dtype, meta.shape.clone());
                    frame.graph.add_input("unused", meta)
                }
            };
            inputs.push(Input { name: format!("captured_{k}"), value: inner, symbol: None, spent: false });
        }
        for (k, input) in inputs.iter().enumerate() {
            frame.graph.values[input.value].definition = Definition::Input(k);
        }
        frame.graph.inputs = inputs;
    }
    all.into_keys().collect()
}

fn wrap(frame: Frame) -> Arg {
    Arg::Graph(Subgraph(Arc::new(frame.graph)))
}

fn tensors(values: &[Value]) -> Arg {
    Arg::Values(values.iter().map(|v| Some(*v)).collect())
}

fn truth(cx: &Cx<'_, '_>, entry: &Entry) -> Option<bool> {
    let Entry::Tensor(tensor) = entry else { return None };
    let known = super::call::known_of(tensor, &cx.syms)?;
    match known.items[..] {
        [Number::Bool(v)] => cx.syms.as_const(v).map(|v| v != 0),
        _ => None,
    }
}

fn known(dtype: Dtype, number: Number) -> Entry {
    Entry::known(Known { dtype, shape: Vec::new(), items: vec![number] })
}

/// `Loop(trips?, condition?, carried…)`; the body takes the step, the condition and what is carried, and gives the
/// condition, what is carried, and an element of each collected result.
pub fn repeat(cx: &mut Cx<'_, '_>) -> Results {
    let body = body(cx, "body")?;
    let carried: Vec<Entry> = cx.inputs.get(2..).unwrap_or_default().to_vec();
    if body.outputs.len() < carried.len() + 1 || body.inputs.len() != carried.len() + 2 {
        return Err(cx.wrong("its body takes or gives another number of tensors than it carries"));
    }
    let goes = match cx.inputs.get(1) {
        Some(entry @ Entry::Tensor(_)) => truth(cx, entry),
        _ => Some(true),
    };
    // Without a number of steps the condition alone ends the loop.
    let trips = match cx.number(0)? {
        Some(Number::Int(trips)) => cx.syms.as_const(trips).filter(|n| *n <= MOST_STEPS),
        _ if !cx.has(0) => Some(MOST_STEPS),
        _ => None,
    };
    if let (Some(true), Some(trips)) = (goes, trips)
        && let Some(results) = unrolled(cx, &carried, trips)?
    {
        return Ok(results);
    }
    let steps = match cx.has(0) {
        true => Some(cx.read(0)?),
        false => None,
    };
    let steps = match steps {
        None => None,
        Some(Number::Int(n)) => Some(cx.syms.max(n, cx.syms.constant(0))),
        Some(_) => return Err(cx.wrong("its number of steps is no integer")),
    };
    let start = if goes == Some(true) { None } else { Some(cx.value(1)?) };
    let lists = appended(cx, body, &carried)?;
    let kept = carried.iter().enumerate().filter(|(k, _)| !lists.contains(k)).map(|(_, entry)| entry.clone());
    let takes = Takes { carried: kept.collect(), sliced: Vec::new(), lists: lists.clone(), is_loop: true };
    let mut results = looped(cx, takes, steps, start)?;
    let stacks = results.split_off(results.len() - lists.len());
    for (place, stack) in lists.into_iter().zip(stacks) {
        results.insert(
            place,
            match stack {
                Entry::Tensor(tensor) => Entry::Stacked(tensor),
                other => other,
            },
        );
    }
    Ok(results)
}

/// The places of carried sequences to whose end each step appends a tensor, and of which the body asks nothing else. They begin
/// empty.
fn appended(cx: &Cx<'_, '_>, body: &proto::Graph, carried: &[Entry]) -> Result<Vec<usize>> {
    let mut lists = Vec::new();
    for (k, entry) in carried.iter().enumerate() {
        let Entry::Sequence(list) = entry else { continue };
        let (given, result) = (&body.inputs[2 + k].name, &body.outputs[1 + k].name);
        let appends = |node: &proto::Node| {
            node.op_type == "SequenceInsert"
                && matches!(&node.inputs[..], [from, tensor] | [from, tensor, _] if from == given && tensor != given)
                && node.inputs.get(2).is_none_or(String::is_empty)
                && node.outputs.first() == Some(result)
        };
        let one = body.nodes.iter().filter(|node| appends(node)).count() == 1;
        let results = body.outputs.iter().filter(|o| [given, result].contains(&&o.name)).count();
        if !list.is_empty() || !one || uses(body, given) != 1 || uses(body, result) != 0 || results != 1 {
            return Err(cx.refuse(format!(
                "carried sequence {k} of a loop with more than {MOST_STEPS} steps; one that begins empty, and that each step appends a tensor to, is taken"
            )));
        }
        lists.push(k);
    }
    Ok(lists)
}

/// How many inputs of nodes have this name, in the graphs that they hold, too.
fn uses(graph: &proto::Graph, name: &str) -> usize {
    let inside = |node: &proto::Node| -> usize {
        let held = node.attributes.iter().filter_map(|a| a.graph.as_ref());
        let results = |g: &proto::Graph| g.outputs.iter().filter(|o| o.name == name).count();
        held.map(|g| uses(g, name) + results(g)).sum()
    };
    let own = |node: &proto::Node| node.inputs.iter().filter(|input| *input == name).count() + inside(node);
    graph.nodes.iter().map(own).sum()
}

/// Reads the body once for each step. `None`, and a graph without these steps, where only a run computes the condition, and where
/// nothing but the condition ends the loop and more steps than `trips` are needed.
fn unrolled(cx: &mut Cx<'_, '_>, carried: &[Entry], trips: i64) -> Result<Option<Vec<Entry>>> {
    let body = body(cx, "body")?;
    let end = End::of(cx.reader.graph());
    let mut state = carried.to_vec();
    let mut collected: Vec<Vec<Entry>> = vec![Vec::new(); body.outputs.len() - 1 - carried.len()];
    let mut is_done = cx.has(0);
    for k in 0..trips {
        let step = known(Dtype::Int64, Number::Int(cx.syms.constant(k)));
        let condition = known(Dtype::Bool, Number::Bool(cx.syms.constant(1)));
        let inputs = [vec![step, condition], state].concat();
        let mut results = cx.reader.inline(body, inputs)?;
        let Some(goes) = truth(cx, &results[0]) else {
            end.take_back(cx.reader.graph());
            return Ok(None);
        };
        let slices = results.split_off(1 + carried.len());
        for (list, slice) in collected.iter_mut().zip(slices) {
            list.push(slice);
        }
        state = results.split_off(1);
        if !goes {
            is_done = true;
            break;
        }
    }
    if !is_done {
        end.take_back(cx.reader.graph());
        return Ok(None);
    }
    for (k, list) in collected.into_iter().enumerate() {
        if list.is_empty() {
            return Err(cx.refuse(format!("collected result {k} of a loop without steps")));
        }
        state.push(cx.joined("stack($0, $1)", &list, 0)?);
    }
    Ok(Some(state))
}

/// `Scan(states…, inputs…)`: the body for each slice of the inputs.
pub fn scan(cx: &mut Cx<'_, '_>) -> Results {
    let body = body(cx, "body")?;
    let count = cx.attr("num_scan_inputs").unwrap_or(0).max(0) as usize;
    let Some(states) = cx.inputs.len().checked_sub(count).filter(|_| count > 0) else {
        return Err(cx.wrong("it has fewer inputs than it scans"));
    };
    if body.inputs.len() != cx.inputs.len() || body.outputs.len() < states {
        return Err(cx.wrong("its body takes or gives another number of tensors"));
    }
    let carried = cx.inputs[..states].to_vec();
    let collected = body.outputs.len() - states;
    let list = |cx: &Cx<'_, '_>, name: &str, n: usize| cx.list(name).unwrap_or_else(|| vec![0; n]);
    let (axes, turns) = (list(cx, "scan_input_axes", count), list(cx, "scan_input_directions", count));
    let (places, turned) =
        (list(cx, "scan_output_axes", collected), list(cx, "scan_output_directions", collected));
    if axes.len() != count || turns.len() != count || places.len() != collected || turned.len() != collected {
        return Err(cx.wrong("its axes and directions differ in number from what is scanned"));
    }
    let mut sliced = Vec::new();
    for k in 0..count {
        let mut x = cx.value(states + k)?;
        let rank = cx.rank(x);
        let dim = cx.dim(axes[k], rank)? as i64;
        x = cx.call("movedim.int($0, $1, 0)", &[Arg::Value(x), cx.int(dim)])?;
        if turns[k] != 0 {
            x = cx.of("flip($0, [0])", &[x])?;
        }
        sliced.push(x);
    }
    let steps = cx.shape(sliced[0])[0];
    let mut results = match cx.syms.as_const(steps).filter(|n| (1..=MOST_STEPS).contains(n)) {
        None => looped(cx, Takes { carried, sliced, lists: Vec::new(), is_loop: false }, Some(steps), None)?,
        Some(n) => {
            let mut state = carried;
            let mut lists: Vec<Vec<Entry>> = vec![Vec::new(); collected];
            for k in 0..n {
                for x in &sliced {
                    let slice = cx.call("select.int($0, 0, $1)", &[Arg::Value(*x), cx.int(k)])?;
                    state.push(cx.entry(slice));
                }
                state = cx.reader.inline(body, state)?;
                for (list, entry) in lists.iter_mut().zip(state.split_off(states)) {
                    list.push(entry);
                }
            }
            for list in lists {
                state.push(cx.joined("stack($0, $1)", &list, 0)?);
            }
            state
        }
    };
    for (k, entry) in results[states..].iter_mut().enumerate() {
        let Entry::Tensor(tensor) = &*entry else { continue };
        let mut value = cx.reader.value(tensor)?;
        if turned[k] != 0 {
            value = cx.of("flip($0, [0])", &[value])?;
        }
        let rank = cx.rank(value);
        let dim = cx.dim(places[k], rank)? as i64;
        value = cx.call("movedim.int($0, 0, $1)", &[Arg::Value(value), cx.int(dim)])?;
        *entry = cx.narrowed(value, tensor.narrow);
    }
    Ok(results)
}

/// A `while_loop` that counts its steps. `body` gets the number of the step and the carried values. It gives the next carried values,
/// which have the same shapes.
pub fn counted<'a>(
    cx: &mut Cx<'_, 'a>,
    steps: SymInt,
    carried: Vec<Value>,
    body: impl FnOnce(&mut Cx<'_, 'a>, &[Value]) -> Result<Vec<Value>>,
) -> Result<Vec<Value>> {
    let (node, opset, syms) = (cx.node, cx.opset, cx.syms.clone());
    let mut first = vec![cx.call("zeros([], dtype=$0)", &[Arg::Dtype(Dtype::Int64)])?];
    first.extend(carried);
    let metas: Vec<TensorMeta> = first.iter().map(|v| cx.meta(*v)).collect();
    let enter = |reader: &mut Reader<'a>| -> Vec<Value> {
        let input = |(k, m): (usize, &TensorMeta)| {
            let meta = TensorMeta::contiguous(&syms, m.dtype, m.shape.clone());
            reader.graph().add_input(&format!("carried_{k}"), meta)
        };
        metas.iter().enumerate().map(input).collect()
    };
    let inner = within(cx.reader, "body", |reader| {
        let given = enter(reader);
        let mut cx = Cx::new(reader, node, opset, Vec::new());
        let mut next = vec![cx.of("add($0, 1)", &given[..1])?];
        next.extend(body(&mut cx, &given)?);
        Ok(next.into_iter().map(|v| cx.entry(v)).collect())
    })?;
    let condition = within(cx.reader, "condition", |reader| {
        let given = enter(reader);
        let mut cx = Cx::new(reader, node, opset, Vec::new());
        let more = cx.call("lt($0, $1)", &[Arg::Value(given[0]), Arg::Int(steps)])?;
        cx.one(more)
    })?;
    let (mut inner, mut condition) = (closed(inner), closed(condition));
    let captured = arrange(&cx.syms, &mut [&mut condition, &mut inner], metas.len());
    let args = vec![wrap(condition), wrap(inner), tensors(&first), tensors(&captured), Arg::Ints(Vec::new())];
    let results = cx.reader.builder().call_named("higher_order.while_loop", args, Vec::new())?;
    Ok(results[1..].to_vec())
}

/// The operands of a loop's body.
struct Takes {
    carried: Vec<Entry>,
    /// The body gets a slice of each in each step.
    sliced: Vec<Value>,
    /// Where the body takes sequences, counted with what is carried. What it appends to them is collected, behind its other results.
    lists: Vec<usize>,
    /// A body of `Loop` takes the step and a condition, and gives a condition; one of `Scan` does not.
    is_loop: bool,
}

/// A `while_loop` that carries the step, the condition where there is one, what the body carries, and what it collects.
fn looped(cx: &mut Cx<'_, '_>, takes: Takes, steps: Option<SymInt>, start: Option<Value>) -> Results {
    let syms = cx.syms.clone();
    let mut first = vec![cx.call("zeros([], dtype=$0)", &[Arg::Dtype(Dtype::Int64)])?];
    let mut narrow = Vec::new();
    let conditional = start.is_some();
    for entry in &takes.carried {
        let Entry::Tensor(tensor) = entry else { return Err(cx.refuse("a loop that carries no tensor")) };
        first.push(cx.reader.value(tensor)?);
        narrow.push(tensor.narrow);
    }
    let count = takes.carried.len();
    // A first reading of the body tells whether it computes a condition, and the shapes of the results that are collected.
    let mut metas = Vec::new();
    for value in &first {
        metas.push(cx.meta(*value));
    }
    let trial = step(cx, &takes, &metas, &narrow, None)?;
    let has_condition = conditional || takes.is_loop && truth(cx, &trial.results[0]) != Some(true);
    let fixed = if has_condition { None } else { steps };
    let skip = takes.is_loop as usize;
    let given = narrows(&trial).split_off(skip);
    if given[..count] != narrow {
        return Err(cx.refuse("a loop whose body changes the element type of what it carries"));
    }
    narrow = given;
    let elements: Vec<TensorMeta> =
        trial.values[skip + count..].iter().map(|v| trial.frame.graph.meta(*v).clone()).collect();
    for element in &elements {
        let mut shape = vec![fixed.unwrap_or(syms.constant(0))];
        shape.extend(&element.shape);
        let empty = cx.call("zeros($0, dtype=$1)", &[Arg::Ints(shape), Arg::Dtype(element.dtype)])?;
        first.push(empty);
    }
    if has_condition {
        let value = match start {
            Some(start) => cx.reshape(start, &[])?,
            None => cx.call("ones([], dtype=$0)", &[Arg::Dtype(Dtype::Bool)])?,
        };
        first.push(value);
    }
    let mut metas: Vec<TensorMeta> = Vec::new();
    for value in &first {
        let meta = cx.meta(*value);
        metas.push(TensorMeta::contiguous(&syms, meta.dtype, meta.shape));
    }
    let (collected, mut sizes) = (elements.len(), Vec::new());
    let inner = loop {
        let inner = step(cx, &takes, &metas, &narrow, Some((fixed, has_condition)))?;
        // Sizes that the body changes are symbols; with them others may turn out to change.
        let mut changed = false;
        for (meta, value) in metas.iter_mut().zip(&inner.values) {
            let given = inner.frame.graph.meta(*value);
            if given.rank() != meta.rank() {
                return Err(cx.refuse("a loop that carries a tensor whose rank changes"));
            }
            let given = given.shape.clone();
            for (own, new) in meta.shape.iter_mut().zip(given) {
                if !syms.known_eq(*own, new) && !sizes.contains(own) {
                    *own = syms.symbol(&format!("n{}", sizes.len()), Range::size(), None);
                    sizes.push(*own);
                    changed = true;
                }
            }
            *meta = TensorMeta::contiguous(&syms, meta.dtype, std::mem::take(&mut meta.shape));
        }
        if !changed {
            break inner;
        }
    };
    let condition = within(cx.reader, "condition", |reader| {
        let values: Vec<Value> = metas
            .iter()
            .enumerate()
            .map(|(k, m)| reader.graph().add_input(&format!("carried_{k}"), m.clone()))
            .collect();
        let mut holds = has_condition.then(|| values[values.len() - 1]);
        if let Some(steps) = steps {
            let args = vec![Arg::Value(values[0]), Arg::Int(steps)];
            let more = reader.builder().op("aten.lt.Scalar", args)?;
            holds = Some(match holds {
                None => more,
                Some(other) => {
                    let args = vec![Arg::Value(more), Arg::Value(other)];
                    reader.builder().op("aten.logical_and.default", args)?
                }
            });
        }
        let Some(holds) = holds else {
            return Err(FrontendError::unsupported("a loop that nothing ends"));
        };
        let at = At::Graph(reader.frames.len() - 1, holds);
        Ok(vec![Entry::Tensor(Tensor { at, known: None, narrow: None })])
    })?;
    let mut inner = closed(inner);
    let mut condition = closed(condition);
    let captured = arrange(&syms, &mut [&mut condition, &mut inner], metas.len());
    let args = vec![wrap(condition), wrap(inner), tensors(&first), tensors(&captured), Arg::Ints(sizes)];
    let results = cx.reader.builder().call_named("higher_order.while_loop", args, Vec::new())?;
    let results = results[1..1 + count + collected].iter().zip(narrow);
    Ok(results.map(|(v, n)| cx.narrowed(*v, n)).collect())
}

/// The body as a graph of what is carried: the step first, behind it the body's own, collected tensors, and the condition.
/// Without `collect`, it gives what the body does.
fn step(
    cx: &mut Cx<'_, '_>,
    takes: &Takes,
    metas: &[TensorMeta],
    narrow: &[Option<super::data::Narrow>],
    collect: Option<(Option<SymInt>, bool)>,
) -> Result<Inner> {
    let syms = cx.syms.clone();
    let name = if takes.is_loop { "body" } else { "scan" };
    let given = self::body(cx, "body")?;
    let level = cx.reader.frames.len();
    let outer = level - 1;
    let count = takes.carried.len();
    within(cx.reader, name, |reader| {
        let values: Vec<Value> = metas
            .iter()
            .enumerate()
            .map(|(k, m)| reader.graph().add_input(&format!("carried_{k}"), m.clone()))
            .collect();
        let tensor =
            |value, narrow| Entry::Tensor(Tensor { at: At::Graph(level, value), known: None, narrow });
        let mut inputs = Vec::new();
        if takes.is_loop {
            inputs.push(tensor(values[0], None));
            let yes =
                Known { dtype: Dtype::Bool, shape: Vec::new(), items: vec![Number::Bool(syms.constant(1))] };
            inputs.push(Entry::known(yes));
        }
        let skip = inputs.len();
        inputs.extend(values[1..=count].iter().zip(narrow).map(|(v, n)| tensor(*v, *n)));
        for place in &takes.lists {
            inputs.insert(skip + place, Entry::Sequence(Rc::new(Vec::new())));
        }
        for x in &takes.sliced {
            let around = Tensor { at: At::Graph(outer, *x), known: None, narrow: None };
            let x = reader.value(&around)?;
            let args = vec![Arg::Value(x), Arg::Values(vec![Some(values[0])])];
            let slice = reader.builder().op("aten.index.Tensor", args)?;
            inputs.push(tensor(slice, None));
        }
        let mut results = reader.inline(given, inputs)?;
        let mut elements = Vec::new();
        for place in takes.lists.iter().rev() {
            match results.remove(takes.is_loop as usize + place) {
                Entry::Sequence(list) if list.len() == 1 => elements.push(list[0].clone()),
                _ => return Err(FrontendError::unsupported("a loop that appends no tensor to a sequence")),
            }
        }
        results.extend(elements.into_iter().rev());
        let Some((fixed, has_condition)) = collect else { return Ok(results) };
        let goes = if takes.is_loop { Some(results.remove(0)) } else { None };
        let slices = results.split_off(count);
        let next = vec![Arg::Value(values[0]), Arg::Int(syms.constant(1))];
        let next = reader.builder().op("aten.add.Scalar", next)?;
        results.insert(0, tensor(next, None));
        for (k, slice) in slices.iter().enumerate() {
            let Entry::Tensor(slice) = slice else {
                return Err(FrontendError::unsupported("a collected result that is no tensor"));
            };
            let slice = reader.value(slice)?;
            let all = Arg::Value(values[1 + count + k]);
            let value = match fixed {
                Some(_) => {
                    let args = vec![all, Arg::Values(vec![Some(values[0])]), Arg::Value(slice)];
                    reader.builder().op("aten.index_put.default", args)?
                }
                None => {
                    let args = vec![Arg::Value(slice), Arg::Int(syms.constant(0))];
                    let row = reader.builder().op("aten.unsqueeze.default", args)?;
                    let Arg::Value(all) = all else {
                        return Err(FrontendError::parse("a list that is no tensor"));
                    };
                    let args = vec![Arg::Values(vec![Some(all), Some(row)]), Arg::Int(syms.constant(0))];
                    reader.builder().op("aten.cat.default", args)?
                }
            };
            results.push(tensor(value, None));
        }
        if let (true, Some(Entry::Tensor(goes))) = (has_condition, goes) {
            let goes = reader.value(&goes)?;
            let flat = vec![Arg::Value(goes), Arg::Ints(Vec::new())];
            let goes = reader.builder().op("aten.reshape.default", flat)?;
            results.push(tensor(goes, None));
        }
        Ok(results)
    })
}
