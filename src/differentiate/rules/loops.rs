//! The derivative of `while_loop`: a loop over the turns from the last to the first.
//!
//! The loop itself gets further results: for each carried value that the derivative reads, what every turn was given, stacked.
//! A turn back takes these, computes the body again, and turns the cotangents of what the body gave into those of what it was given;
//! gradients by the other operands are summed up. Rows that are a turn's own are read and written as rows: the gradient by an
//! operand that the body reads so is a stack that each turn fills in one row of, and so are the cotangents of stacked results.
//!
//! The backward loop counts as any other, so that it can be differentiated again.
//!
//! Where no bound of the turns is known, they are counted first (`counting`).
//!
//! Deliberately absent: loops whose sizes change.

use super::control::append;
use super::turn_values::{
    cast, counter, index, op, read_row, reshaped, turn_number, turns_before, write_row,
};
use crate::base::{SideMap, Status};
use crate::differentiate::counting::{Counted, count as count_first};
use crate::differentiate::turns::{Loop, Row, Turns, reached, row, row_read, row_written};
use crate::differentiate::{Derivative, DerivativeError, Outcome, gradients};
use crate::ir::{Arg, Definition, Graph, NodeId, OutputValue, Subgraph, Value, ValueData, gives_symbols};
use crate::meta::Builder;
use crate::ops::OpId;
use crate::types::{Dtype, SymInt, TensorMeta};
use std::sync::Arc;

type Found<T> = Result<T, DerivativeError>;

/// What becomes of a carried value in a turn.
#[derive(Clone, Copy)]
enum Fate {
    /// It stays.
    Stays,
    /// Nothing but one row of it changes, the turn's own, and nobody reads it.
    Stack {
        row: Row,
        value: Value,
    },
    Changes,
}

/// An operand of which a turn reads a row of its own, and nothing else.
struct Sliced {
    row: Row,
    reads: Vec<Value>,
}

/// What the rule knows of the loop.
struct Facts {
    node: NodeId,
    condition: Arc<Graph>,
    body: Arc<Graph>,
    carried: Vec<Value>,
    additional: Vec<Value>,
    turns: Turns,
    fates: Vec<Fate>,
    /// By additional operand.
    sliced: Vec<Option<Sliced>>,
}

/// An input of the backward's body.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// The number of the turn back.
    Turn,
    /// The cotangent of a carried value.
    Cotangent(usize),
    /// The gradient by an additional operand so far.
    Sum(usize),
    /// What is left of the cotangent of a stack once the rows are taken out that turns wrote.
    Rest(usize),
    /// What each turn was given of a carried value.
    Given(usize),
    /// A carried value that stays.
    First(usize),
    Additional(usize),
    /// The cotangent of a stack.
    Stack(usize),
    /// How many turns there were.
    Count,
    /// A stack itself, which nothing reads.
    Nothing,
}

/// The backward's body as it is made.
struct Back {
    graph: Graph,
    roles: Vec<Role>,
    /// The results, for the inputs that are carried.
    next: Vec<(Role, Value)>,
}

pub fn while_loop(d: &mut Derivative<'_>) -> Outcome {
    let facts = facts(d)?;
    let no_turn = d.graph.syms.range(facts.turns.most).max <= 0;
    if no_turn {
        for (k, value) in facts.carried.iter().enumerate() {
            if let Some(cotangent) = d.cotangent(k) {
                d.give_value(*value, cotangent)?;
            }
        }
        return Ok(());
    }
    let given: Vec<usize> = (0..d.results.len()).filter(|k| d.cotangent(*k).is_some()).collect();
    let carried = carriers(d, &facts, &given);
    let back = back(d, &facts, &given, &carried)?;
    if back.next.len() == 1 {
        return Ok(());
    }
    let saved: Vec<usize> =
        back.roles.iter().filter_map(|r| if let Role::Given(k) = r { Some(*k) } else { None }).collect();
    let stacks = save(d, &facts, &saved)?;
    let condition = condition(d, &facts, &back)?;
    let mut first = Vec::new();
    let mut rest = Vec::new();
    for role in &back.roles {
        let k = match *role {
            Role::Turn => {
                first.push(zeros(d, Dtype::Int64, Vec::new())?);
                continue;
            }
            Role::Cotangent(k) => {
                first.push(d.grad_of(k)?);
                continue;
            }
            Role::Sum(k) => {
                let meta = d.meta(facts.additional[k]);
                first.push(zeros(d, meta.dtype, meta.shape)?);
                continue;
            }
            Role::Rest(k) => {
                first.push(d.grad_of(k)?);
                continue;
            }
            Role::Given(k) => saved.iter().position(|s| *s == k).map(|place| stacks[place]),
            Role::First(k) => Some(facts.carried[k]),
            Role::Additional(k) => Some(facts.additional[k]),
            Role::Stack(k) => d.cotangent(k),
            Role::Count => Some(count(d, &facts)?),
            Role::Nothing => None,
        };
        rest.push(k.ok_or_else(|| d.error(Status::Internal, "the backward of a loop lacks an operand"))?);
    }
    let n_carried = first.len();
    let Back { graph, roles, .. } = back;
    let wrap = |graph: Graph| Arg::Graph(Subgraph(Arc::new(graph)));
    let list = |values: Vec<Value>| Arg::Values(values.into_iter().map(Some).collect());
    let args = vec![wrap(condition), wrap(graph), list(first), list(rest)];
    let results = Builder::new(d.graph).call_named("higher_order.while_loop", args, Vec::new())?;
    for (role, result) in roles.iter().zip(&results[..n_carried]) {
        match *role {
            Role::Cotangent(k) | Role::Rest(k) => d.give_value(facts.carried[k], *result)?,
            Role::Sum(k) => d.give_value(facts.additional[k], *result)?,
            _ => {}
        }
    }
    Ok(())
}

/// Looks at the loop; refuses one whose turns cannot be gone through backwards.
fn facts(d: &mut Derivative<'_>) -> Found<Facts> {
    let refused = |why: &str| d.error(Status::Unsupported, format!("the derivative of a loop {why}"));
    let (Arg::Graph(Subgraph(condition)), Arg::Graph(Subgraph(body))) = (d.arg("cond_fn"), d.arg("body_fn"))
    else {
        return Err(d.error(Status::Internal, "no condition and body"));
    };
    let (condition, body) = (condition.clone(), body.clone());
    if matches!(d.arg("sizes"), Arg::Ints(sizes) if !sizes.is_empty()) {
        return Err(refused("whose carried tensors change their sizes"));
    }
    if gives_symbols(&body) || gives_symbols(&condition) {
        return Err(refused("in which data decide a size or a number"));
    }
    let Definition::Node { node, .. } = d.graph.values[d.results[0]].definition else {
        return Err(d.error(Status::Internal, "no node"));
    };
    let (mut carried, additional) = (d.values("carried"), d.values("additional"));
    let looked = Loop {
        outer: d.graph,
        condition: &condition,
        body: &body,
        carried: &carried,
        additional: &additional,
    };
    let (condition, body, turns) = match looked.turns() {
        Some(turns) => (condition, body, turns),
        None => {
            let Counted { condition, body, zero, turns } =
                count_first(d, node, [&condition, &body], [&carried, &additional])?;
            carried.push(zero);
            (condition, body, turns)
        }
    };
    let counter = body.inputs[turns.counter].value;
    let own = |index: Value| row(&body, counter, index).filter(|row| row.is_own(&body, &turns));
    let uses = |value: Value| -> Vec<NodeId> {
        body.order.iter().copied().filter(|id| body.nodes[*id].uses().any(|v| v == value)).collect()
    };
    let results: Vec<Option<Value>> = body.outputs.iter().map(|o| tensor(o.value)).collect();
    let is_result = |value: Value| results.iter().filter(|r| **r == Some(value)).count();
    let fate = |k: usize| -> Option<Fate> {
        let (input, result) = (body.inputs[k].value, results[k]?);
        if input == result {
            return Some(Fate::Stays);
        }
        let Definition::Node { node, .. } = body.values[result].definition else { return None };
        let (index, value) = row_written(&body, &body.nodes[node], input)?;
        let alone = uses(input) == [node]
            && uses(result).is_empty()
            && is_result(input) == 0
            && is_result(result) == 1;
        Some(Fate::Stack { row: own(index).filter(|_| alone)?, value })
    };
    let fates = (0..carried.len()).map(|k| fate(k).unwrap_or(Fate::Changes)).collect();
    let slices = |k: usize| -> Option<Sliced> {
        let operand = body.inputs[carried.len() + k].value;
        let (mut reads, mut found) = (Vec::new(), None);
        for id in uses(operand) {
            let node = &body.nodes[id];
            let row = own(row_read(&body, node, operand)?)?;
            if *found.get_or_insert(row) != row {
                return None;
            }
            reads.extend(&node.outputs);
        }
        let row = found.filter(|_| is_result(operand) == 0)?;
        Some(Sliced { row, reads })
    };
    let sliced = (0..additional.len()).map(slices).collect();
    Ok(Facts { node, condition, body, carried, additional, turns, fates, sliced })
}

fn tensor(value: OutputValue) -> Option<Value> {
    match value {
        OutputValue::Tensor(v) => Some(v),
        OutputValue::Number(_) => None,
    }
}

/// The carried values whose cotangents are carried back: floats that lead from what gradients are wanted for to results that have
/// cotangents, by whatever number of turns.
fn carriers(d: &Derivative<'_>, facts: &Facts, given: &[usize]) -> Vec<usize> {
    let body = &facts.body;
    let n = facts.carried.len();
    // What a body's result is made of; a stack's is the row.
    let source = |k: usize| match facts.fates[k] {
        Fate::Stack { value, .. } => Some(value),
        _ => tensor(body.outputs[k].value),
    };
    let is_float = |k: usize| body.meta(body.inputs[k].value).dtype.is_continuous();
    let is_stack = |k: usize| matches!(facts.fates[k], Fate::Stack { .. });
    // From which inputs each result is reached.
    let from: Vec<Vec<usize>> = (0..n)
        .map(|k| {
            let Some(source) = source(k).filter(|_| is_float(k)) else { return Vec::new() };
            let found = reached(body, &[source]);
            (0..body.inputs.len()).filter(|i| found.get(body.inputs[*i].value).is_some()).collect()
        })
        .collect();
    let mut leads: Vec<bool> = (0..n).map(|k| is_float(k) && given.contains(&k)).collect();
    let mut active: Vec<bool> = (0..n).map(|k| is_float(k) && d.needs_value(facts.carried[k])).collect();
    loop {
        let before = (leads.clone(), active.clone());
        for k in (0..n).filter(|k| is_float(*k)) {
            for i in &from[k] {
                match i.checked_sub(n) {
                    None => {
                        leads[*i] |= leads[k] && is_float(*i) && !is_stack(*i);
                        active[k] |= active[*i];
                    }
                    Some(place) => active[k] |= d.needs_value(facts.additional[place]),
                }
            }
        }
        if before == (leads.clone(), active.clone()) {
            break;
        }
    }
    (0..n).filter(|k| leads[*k] && active[*k] && !is_stack(*k)).collect()
}

/// One turn back.
fn back(d: &Derivative<'_>, facts: &Facts, given: &[usize], carriers: &[usize]) -> Found<Back> {
    let (body, syms) = (&facts.body, d.graph.syms.clone());
    let mut graph = body.new_subgraph(&format!("derivative of {}", body.name));
    graph.symbols.clone_from(&body.symbols);
    let mut roles = Vec::new();
    let mut input = |graph: &mut Graph, role: Role, meta: TensorMeta| {
        roles.push(role);
        graph.add_input(&format!("operand {}", roles.len() - 1), meta)
    };
    let like = |meta: &TensorMeta| TensorMeta::contiguous(&syms, meta.dtype, meta.shape.clone());
    let number = TensorMeta::contiguous(&syms, Dtype::Int64, Vec::new());
    let turn = input(&mut graph, Role::Turn, number.clone());
    let mut cotangents = Vec::new();
    for k in carriers {
        let meta = like(body.meta(body.inputs[*k].value));
        cotangents.push(input(&mut graph, Role::Cotangent(*k), meta));
    }
    let n = facts.carried.len();
    let mut sums = Vec::new();
    for (k, value) in facts.additional.iter().enumerate() {
        let meta = body.meta(body.inputs[n + k].value);
        if d.needs_value(*value) && meta.dtype.is_continuous() {
            sums.push((k, input(&mut graph, Role::Sum(k), like(meta))));
        }
    }
    let stack = |k: usize| match facts.fates[k] {
        Fate::Stack { row, value } if given.contains(&k) => Some((row, value)),
        _ => None,
    };
    // A stack's cotangent: carried where the rows are to be taken out of it.
    let mut stacks = Vec::new();
    for k in 0..n {
        if let (Some((row, value)), Some(cotangent)) = (stack(k), d.cotangent(k)) {
            let role = if d.needs_value(facts.carried[k]) { Role::Rest(k) } else { Role::Stack(k) };
            let meta = like(&d.meta(cotangent));
            stacks.push((role, row, value, input(&mut graph, role, meta)));
        }
    }
    let count = input(&mut graph, Role::Count, number);
    let mut map: SideMap<ValueData, Value> = SideMap::new();
    let turn_number = turn_number(&mut graph, &facts.turns, turn, count)?;
    let counter = counter(&mut graph, &facts.turns, turn_number)?;
    for (k, inner) in body.inputs.iter().enumerate() {
        let meta = body.meta(inner.value);
        let value = match k.checked_sub(n) {
            Some(place) => input(&mut graph, Role::Additional(place), meta.clone()),
            None if k == facts.turns.counter => {
                let value = cast(&mut graph, counter, meta.dtype)?;
                reshaped(&mut graph, value, &meta.shape)?
            }
            None => match facts.fates[k] {
                Fate::Stays => input(&mut graph, Role::First(k), like(meta)),
                Fate::Stack { .. } => input(&mut graph, Role::Nothing, like(meta)),
                Fate::Changes => {
                    let shape = std::iter::once(facts.turns.most).chain(meta.shape.clone()).collect();
                    let all =
                        input(&mut graph, Role::Given(k), TensorMeta::contiguous(&syms, meta.dtype, shape));
                    read_row(&mut graph, all, turn_number)?
                }
            },
        };
        map.insert(inner.value, value);
    }
    append(d, "loop", body, &mut graph, &mut map)?;
    let mut weighted = Vec::new();
    for (k, cotangent) in carriers.iter().zip(&cotangents) {
        if let Some(result) = tensor(body.outputs[*k].value) {
            weighted.push((map[result], Some(*cotangent)));
        }
    }
    let mut next = Vec::new();
    for (role, row, value, cotangent) in &stacks {
        let index = index(&mut graph, *row, counter)?;
        let one = read_row(&mut graph, *cotangent, index)?;
        weighted.push((map[*value], Some(one)));
        if let Role::Rest(_) = role {
            let nothing = op(&mut graph, "aten.zeros_like.default", vec![Arg::Value(one)])?;
            next.push((*role, write_row(&mut graph, *cotangent, index, nothing)?));
        }
    }
    // The gradient by a slice is the gradient by what reads it.
    let mut wrt: Vec<Value> = carriers.iter().map(|k| map[body.inputs[*k].value]).collect();
    let mut places = Vec::new();
    for (k, _) in &sums {
        let from = wrt.len();
        match &facts.sliced[*k] {
            Some(sliced) => wrt.extend(sliced.reads.iter().map(|v| map[*v])),
            None => wrt.push(map[body.inputs[n + *k].value]),
        }
        places.push(from..wrt.len());
    }
    let found = gradients(&mut graph, &weighted, &wrt)?;
    let one = syms.constant(1);
    next.push((Role::Turn, op(&mut graph, "aten.add.Scalar", vec![Arg::Value(turn), Arg::Int(one)])?));
    for ((k, cotangent), gradient) in carriers.iter().zip(cotangents).zip(&found) {
        let gradient = match gradient {
            Some(gradient) => *gradient,
            None => op(&mut graph, "aten.zeros_like.default", vec![Arg::Value(cotangent)])?,
        };
        next.push((Role::Cotangent(*k), gradient));
    }
    for ((k, sum), range) in sums.into_iter().zip(places) {
        let mut total = None;
        let shape = body.meta(body.inputs[n + k].value).shape.clone();
        for gradient in found[range].iter().flatten() {
            let gradient = match facts.sliced[k] {
                Some(_) => reshaped(&mut graph, *gradient, &shape[1..])?,
                None => *gradient,
            };
            total = Some(match total {
                None => gradient,
                Some(before) => {
                    op(&mut graph, "aten.add.Tensor", vec![Arg::Value(before), Arg::Value(gradient)])?
                }
            });
        }
        let Some(gradient) = total else { continue };
        let value = match &facts.sliced[k] {
            Some(sliced) => {
                let index = index(&mut graph, sliced.row, counter)?;
                write_row(&mut graph, sum, index, gradient)?
            }
            None => op(&mut graph, "aten.add.Tensor", vec![Arg::Value(sum), Arg::Value(gradient)])?,
        };
        next.push((Role::Sum(k), value));
    }
    graph.making = Vec::new();
    finish(d, facts, Back { graph, roles, next })
}

/// Leaves out the inputs that nothing reads, and gives those that are carried their results.
fn finish(d: &Derivative<'_>, facts: &Facts, back: Back) -> Found<Back> {
    let Back { mut graph, roles, next } = back;
    let results: Vec<Value> = next.iter().map(|(_, v)| *v).collect();
    // Turns of a loop in the body that were counted are a symbol.
    graph.remove_unused(None, results.iter().copied(), |node| node.op == OpId::Bind);
    let mut used: SideMap<ValueData, ()> = SideMap::new();
    for value in graph.order.iter().flat_map(|id| graph.nodes[*id].uses()).chain(results) {
        used.insert(value, ());
    }
    let is_carried = |role: &Role| next.iter().any(|(r, _)| r == role);
    let kept: Vec<usize> = (0..roles.len())
        .filter(|k| {
            // The condition asks for the count where it is not known.
            let counts = roles[*k] == Role::Count && !facts.turns.exact;
            is_carried(&roles[*k]) || counts || used.get(graph.inputs[*k].value).is_some()
        })
        .collect();
    let (first, rest): (Vec<usize>, Vec<usize>) = kept.into_iter().partition(|k| is_carried(&roles[*k]));
    let order: Vec<usize> = first.iter().chain(&rest).copied().collect();
    let roles: Vec<Role> = order.iter().map(|k| roles[*k]).collect();
    if roles[first.len()..].contains(&Role::Nothing) {
        return Err(d.error(Status::Internal, "the backward of a loop reads a stack"));
    }
    graph.take_inputs(&order);
    for role in &roles[..first.len()] {
        if let Some((_, value)) = next.iter().find(|(r, _)| r == role) {
            graph.add_output(&format!("result {}", graph.outputs.len()), OutputValue::Tensor(*value));
        }
    }
    Ok(Back { graph, roles, next })
}

/// Whether there is another turn back.
fn condition(d: &Derivative<'_>, facts: &Facts, back: &Back) -> Found<Graph> {
    let mut graph = d.graph.new_subgraph("more");
    graph.symbols.clone_from(&facts.body.symbols);
    for input in &back.graph.inputs {
        graph.add_input(&input.name, back.graph.meta(input.value).clone());
    }
    let place = |role: Role| back.roles.iter().position(|r| *r == role);
    let turn = place(Role::Turn).map(|k| graph.inputs[k].value);
    let turn = turn.ok_or_else(|| d.error(Status::Internal, "the backward of a loop does not count"))?;
    let mut more = op(&mut graph, "aten.lt.Scalar", vec![Arg::Value(turn), Arg::Int(facts.turns.most)])?;
    if !facts.turns.exact {
        let count = place(Role::Count).map(|k| graph.inputs[k].value);
        let count = count.ok_or_else(|| d.error(Status::Internal, "the backward of a loop has no count"))?;
        let fewer = op(&mut graph, "aten.lt.Tensor", vec![Arg::Value(turn), Arg::Value(count)])?;
        more = op(&mut graph, "aten.logical_and.default", vec![Arg::Value(more), Arg::Value(fewer)])?;
    }
    graph.add_output("goes on", OutputValue::Tensor(more));
    Ok(graph)
}

/// Has the loop give what each turn was given of these carried values, stacked.
fn save(d: &mut Derivative<'_>, facts: &Facts, wanted: &[usize]) -> Found<Vec<Value>> {
    let body = &facts.body;
    let n = facts.carried.len();
    let syms = d.graph.syms.clone();
    let known = |k: usize| {
        (0..n).find(|s| {
            let size = body.meta(body.inputs[*s].value).shape.first().copied();
            let plain = |row: Row| row.sign == 1 && syms.known_eq(syms.add(row.addend, facts.turns.first), syms.constant(0));
            matches!(facts.fates[*s], Fate::Stack { row, value } if value == body.inputs[k].value && plain(row))
                && facts.turns.step == 1
                && size.is_some_and(|size| syms.known_eq(size, facts.turns.most))
        })
    };
    let missing: Vec<usize> = wanted.iter().copied().filter(|k| known(*k).is_none()).collect();
    let mut made = Vec::new();
    if !missing.is_empty() {
        let (mut new_body, mut new_condition) = ((**body).clone(), (*facts.condition).clone());
        let turn = turns_before(&mut new_body, &facts.turns, body.inputs[facts.turns.counter].value)?;
        let (mut first, mut metas) = (Vec::new(), Vec::new());
        for k in &missing {
            let given = body.inputs[*k].value;
            let meta = body.meta(given);
            let shape: Vec<SymInt> = std::iter::once(facts.turns.most).chain(meta.shape.clone()).collect();
            let meta = TensorMeta::contiguous(&syms, meta.dtype, shape.clone());
            let name = format!("turns of {k}, {}", body.inputs.len());
            let stack = new_body.add_input(&name, meta.clone());
            new_condition.add_input(&name, meta.clone());
            let more = write_row(&mut new_body, stack, turn, given)?;
            new_body.add_output(&name, OutputValue::Tensor(more));
            let dtype = vec![("dtype", Arg::Dtype(meta.dtype))];
            let zeros = Builder::new(d.graph).op_with("aten.zeros.default", vec![Arg::Ints(shape)], dtype)?;
            if let Definition::Node { node, .. } = d.graph.values[zeros].definition {
                d.graph.order.remove(node);
                d.graph.order.insert_before(node, facts.node);
            }
            first.push(Some(zeros));
            metas.push(meta);
        }
        let all = body.inputs.len();
        let order: Vec<usize> = (0..n).chain(all..all + missing.len()).chain(n..all).collect();
        new_body.take_inputs(&order);
        new_condition.take_inputs(&order);
        made = d.graph.add_results(facts.node, metas);
        let args = &mut d.graph.nodes[facts.node].args;
        args[0] = Arg::Graph(Subgraph(Arc::new(new_condition)));
        args[1] = Arg::Graph(Subgraph(Arc::new(new_body)));
        if let Arg::Values(list) = &mut args[2] {
            list.extend(first);
        }
    }
    let place = |k: &usize| match known(*k) {
        Some(stack) => Some(d.results[stack]),
        None => missing.iter().position(|m| m == k).map(|at| made[at]),
    };
    let found: Option<Vec<Value>> = wanted.iter().map(place).collect();
    found.ok_or_else(|| d.error(Status::Internal, "a loop keeps nothing of a carried value"))
}

/// How many turns there were, as an int64 without dimensions.
fn count(d: &mut Derivative<'_>, facts: &Facts) -> Found<Value> {
    let last = d.results[facts.turns.counter];
    turns_before(d.graph, &facts.turns, last)
}

fn zeros(d: &mut Derivative<'_>, dtype: Dtype, shape: Vec<SymInt>) -> Found<Value> {
    d.zeros(&shape, dtype)
}
