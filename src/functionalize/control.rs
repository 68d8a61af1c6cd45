//! Branches and loop bodies that write to what they are given: what they leave there becomes a result of theirs, which the
//! graph around them writes to the operand.
//!
//! A tensor that a body changes and that is not carried is carried from now on. A carried one is the caller's in the first
//! turn alone, so that its contents after that turn are kept beside what is carried.
//!
//! Deliberately absent: operands that share memory with one that is written to, and loops whose body gives out a carried
//! operand that it writes to: what is written then depends on aliases that PyTorch refuses as well.

use super::{Functionalize, views};
use crate::base::{HashMap, StableSort, Status};
use crate::ir::{Arg, Definition, Graph, Node, NodeId, OutputValue, Subgraph, Value};
use crate::meta::{Builder, MetaError};
use crate::ops::{Form, OpId};
use crate::types::{Dtype, TensorMeta};
use std::sync::Arc;

/// The operands that a graph writes to, by its inputs.
fn written(graph: &Graph) -> Vec<usize> {
    let mut list: Vec<usize> = graph
        .writes
        .iter()
        .filter_map(|w| if let Definition::Input(k) = w.target { Some(k) } else { None })
        .collect();
    list.stable_sort();
    list.dedup();
    list
}

/// What an input holds in the end.
fn left_in(graph: &Graph, input: usize) -> Value {
    let write = graph.writes.iter().rev().find(|w| w.target == Definition::Input(input));
    write.map_or(graph.inputs[input].value, |w| w.value)
}

/// An input of a graph whose inputs are put in another order.
enum Slot {
    Old(usize),
    New(&'static str, TensorMeta),
}

fn reordered(graph: &Graph, slots: &[Slot]) -> Graph {
    let mut new = graph.clone();
    let inputs = std::mem::take(&mut new.inputs);
    for slot in slots {
        match slot {
            Slot::Old(k) => {
                new.values[inputs[*k].value].definition = Definition::Input(new.inputs.len());
                new.inputs.push(inputs[*k].clone());
            }
            Slot::New(name, meta) => {
                let name = format!("{name}{}", new.inputs.len());
                new.add_input(&name, meta.clone());
            }
        }
    }
    new
}

/// The input whose storage each value shows, of those that show an input's.
fn inputs_shown(graph: &Graph) -> HashMap<Value, usize> {
    let mut shown: HashMap<Value, usize> =
        graph.inputs.iter().enumerate().map(|(k, i)| (i.value, k)).collect();
    for id in &graph.order {
        let node = &graph.nodes[*id];
        let is_alias = node.form == Form::InPlace || views::aliases(graph, node).is_some();
        if let (true, Some(Arg::Value(own))) = (is_alias, node.args.first())
            && let Some(k) = shown.get(own).copied()
        {
            shown.extend(node.outputs.iter().map(|v| (*v, k)));
        }
    }
    shown
}

/// The graphs that a node runs, pure, with what they write.
fn graphs(args: &[Arg]) -> impl Iterator<Item = &Arc<Graph>> {
    args.iter().filter_map(|a| if let Arg::Graph(g) = a { Some(&g.0) } else { None })
}

/// Whether a graph among the arguments writes to its inputs.
pub(super) fn writes(args: &[Arg]) -> bool {
    graphs(args).any(|g| !g.writes.is_empty())
}

fn listed(node: &Node, name: &str) -> Vec<Value> {
    match node.arg(name) {
        Some(Arg::Values(list)) => list.iter().flatten().copied().collect(),
        _ => Vec::new(),
    }
}

impl Functionalize<'_> {
    /// A node whose graphs write to its operands; `args` are those of the new graph.
    pub(super) fn steered(&mut self, id: NodeId, args: Vec<Arg>) -> Result<(), MetaError> {
        let old = self.old;
        match old.nodes[id].op {
            OpId::Cond => self.branches(&old.nodes[id], args),
            OpId::WhileLoop => self.body(&old.nodes[id], args),
            op => Err(self.error(Status::Unsupported, op, "a graph that it runs writes to its operand")),
        }
    }

    /// No other operand may show what is written.
    fn check_apart(&self, op: OpId, operands: &[Value], written: &[usize]) -> Result<(), MetaError> {
        let root = |k: usize| self.states[self.resolve(operands[k])].root;
        for k in written {
            if let Some(other) = (0..operands.len()).find(|j| j != k && root(*j) == root(*k)) {
                let message = format!(
                    "operand {k} is written to and shares its memory with operand {other}; clone one of them"
                );
                return Err(self.error(Status::Unsupported, op, message));
            }
        }
        Ok(())
    }

    /// Gives a node's results their values, and writes the further ones to these old values.
    fn give_and_write(&mut self, node: &Node, results: &[Value], targets: &[Value]) -> Result<(), MetaError> {
        let (given, left) = results.split_at(node.outputs.len());
        for (old, new) in node.outputs.iter().zip(given) {
            self.add_base(*old, *new);
        }
        for (target, contents) in targets.iter().zip(left) {
            self.mutate(node.op, self.resolve(*target), *contents)?;
        }
        Ok(())
    }

    fn branches(&mut self, node: &Node, mut args: Vec<Arg>) -> Result<(), MetaError> {
        let operands = listed(node, "operands");
        let mut all: Vec<usize> = graphs(&args).flat_map(|g| written(g)).collect();
        all.stable_sort();
        all.dedup();
        self.check_apart(node.op, &operands, &all)?;
        // A branch that does not write to an operand leaves what is there.
        let result = |graph: &Graph| {
            let mut new = graph.clone();
            for k in &all {
                let name = format!("{} afterwards", graph.inputs[*k].name);
                new.add_output(&name, OutputValue::Tensor(left_in(graph, *k)));
            }
            new.writes.clear();
            Subgraph(Arc::new(new))
        };
        let mut seen: Option<(Subgraph, Subgraph)> = None;
        for arg in &mut args {
            if let Arg::Graph(graph) = arg {
                // Branches that are one graph stay one.
                let new = match &seen {
                    Some((before, after)) if before == graph => after.clone(),
                    _ => result(&graph.0),
                };
                seen = Some((graph.clone(), new.clone()));
                *graph = new;
            }
        }
        let results = self.builder().call(node.op, Form::Functional, args)?;
        let targets: Vec<Value> = all.iter().map(|k| operands[*k]).collect();
        self.give_and_write(node, &results, &targets)
    }

    fn body(&mut self, node: &Node, mut args: Vec<Arg>) -> Result<(), MetaError> {
        let place = |name: &str| node.op.schema().arg(name);
        let (Some(condition), Some(body), Some(carried), Some(additional)) =
            (place("cond_fn"), place("body_fn"), place("carried"), place("additional"))
        else {
            return Err(self.error(Status::Internal, node.op, "a loop without its arguments"));
        };
        let (Arg::Graph(checks), Arg::Graph(turns)) = (args[condition].clone(), args[body].clone()) else {
            return Err(self.error(Status::Internal, node.op, "a loop without its graphs"));
        };
        if !checks.0.writes.is_empty() {
            let message = "the loop's condition writes to its operand";
            return Err(self.error(Status::Unsupported, node.op, message));
        }
        let count = listed(node, "carried").len();
        let operands = [listed(node, "carried"), listed(node, "additional")].concat();
        let all = written(&turns.0);
        self.check_apart(node.op, &operands, &all)?;
        let (own, others): (Vec<usize>, Vec<usize>) = all.iter().partition(|k| **k < count);
        self.check_carried(node, &own)?;

        // Carried before, those carried from now on, what the first turn leaves, whether it is over, and the rest.
        let meta = |k: &usize| turns.0.meta(turns.0.inputs[*k].value).clone();
        let flag = TensorMeta::contiguous(&self.old.syms, Dtype::Bool, Vec::new());
        let mut slots: Vec<Slot> = (0..count).chain(others.iter().copied()).map(Slot::Old).collect();
        let kept = slots.len();
        slots.extend(own.iter().map(|k| Slot::New("kept", meta(k))));
        slots.extend((!own.is_empty()).then_some(Slot::New("over", flag)));
        let last = slots.len() - 1;
        slots.extend((count..operands.len()).filter(|k| !others.contains(k)).map(Slot::Old));
        let (checks, mut turns_new) = (reordered(&checks.0, &slots), reordered(&turns.0, &slots));
        for k in &others {
            turns_new.add_output(&format!("changed {k}"), OutputValue::Tensor(left_in(&turns.0, *k)));
        }
        for (n, k) in own.iter().enumerate() {
            let (over, before) = (turns_new.inputs[last].value, turns_new.inputs[kept + n].value);
            let values = [over, before, left_in(&turns.0, *k)].map(Arg::Value).to_vec();
            let value = Builder::new(&mut turns_new).op("aten.where.self", values)?;
            turns_new.add_output(&format!("kept {k}"), OutputValue::Tensor(value));
        }
        let truth = |graph: &mut Graph, value: bool| {
            let list = vec![Arg::Ints(Vec::new()), Arg::Bool(value)];
            Builder::new(graph).op_with("aten.full.default", list, vec![("dtype", Arg::Dtype(Dtype::Bool))])
        };
        if !own.is_empty() {
            let over = truth(&mut turns_new, true)?;
            turns_new.add_output("over", OutputValue::Tensor(over));
        }
        turns_new.writes.clear();

        let now = |cx: &Self, k: &usize| cx.states[cx.resolve(operands[*k])].current;
        let mut first: Vec<Value> = (0..count).chain(others.iter().copied()).map(|k| now(self, &k)).collect();
        first.extend(own.iter().map(|k| now(self, k)));
        if !own.is_empty() {
            first.push(truth(&mut self.new, false)?);
        }
        let rest = (count..operands.len()).filter(|k| !others.contains(k)).map(|k| Some(now(self, &k)));
        args[additional] = Arg::Values(rest.collect());
        args[carried] = Arg::Values(first.into_iter().map(Some).collect());
        (args[condition], args[body]) =
            (Arg::Graph(Subgraph(Arc::new(checks))), Arg::Graph(Subgraph(Arc::new(turns_new))));
        let results = self.builder().call(node.op, Form::Functional, args)?;
        let targets: Vec<Value> = others.iter().chain(&own).map(|k| operands[*k]).collect();
        self.give_and_write(node, &results, &targets)
    }

    /// A carried operand that is written to must keep its size, and be no result of the body: the next turn would write to
    /// the caller's tensor again.
    fn check_carried(&self, node: &Node, own: &[usize]) -> Result<(), MetaError> {
        let Some(Arg::Graph(body)) = node.arg("body_fn") else { return Ok(()) };
        let sizes = match node.arg("sizes") {
            Some(Arg::Ints(sizes)) => &sizes[..],
            _ => &[],
        };
        let shown = inputs_shown(&body.0);
        for k in own {
            let meta = body.0.meta(body.0.inputs[*k].value);
            let given = body.0.outputs.iter().any(|o| match o.value {
                OutputValue::Tensor(v) => shown.get(&v) == Some(k),
                OutputValue::Number(_) => false,
            });
            let what = if given {
                "and gives it out; clone it in the body"
            } else if meta.shape.iter().any(|s| sizes.contains(s)) {
                "whose size changes from turn to turn; clone it in the body"
            } else {
                continue;
            };
            let message = format!("the loop's body writes to carried tensor {k} {what}");
            return Err(self.error(Status::Unsupported, node.op, message));
        }
        Ok(())
    }
}
