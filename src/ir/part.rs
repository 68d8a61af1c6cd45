//! Cuts a part out of a graph: the chosen nodes, with an input for each value that a node outside of the part computes.
//!
//! Invariants: inputs, constants and outputs keep their names; a value of a node that is left out becomes an input of its
//! own type, and a symbol that nothing of the part gives becomes a number that is given at run time, so that every part
//! compiles by itself; guards whose symbols are all left stay.
//!
//! Deliberately absent: which part to take (see `session::minify`).

use super::text::mentioned;
use super::{Arg, Definition, Graph, Input, Node, NodeId, OutputValue, Value, ValueData, Write};
use super::{each_graph, symbols_of_nodes};
use crate::base::{HashSet, SideMap};
use crate::ops::{Class, Form, OpId};
use crate::types::{Dtype, SymInt, SymbolId};

/// Which results a part gives. Results are counted through: first the outputs, then the writes.
pub enum Results<'a> {
    /// The graph's own as far as nodes of the part make them, and what the nodes that are left out used.
    Needed,
    /// These of the graph's own, and no others; nodes that none of them needs go.
    Chosen(&'a [usize]),
}

/// How many results a graph has: outputs and writes.
pub fn count_of_results(graph: &Graph) -> usize {
    graph.outputs.len() + graph.writes.len()
}

/// Gives each value that a node makes a name that nothing else of the graph has: parts then name their inputs by it.
pub fn name_values(graph: &mut Graph) {
    let mut taken: HashSet<String> = graph.inputs.iter().map(|i| i.name.clone()).collect();
    for constant in &graph.constants {
        taken.insert(constant.name.clone());
        taken.extend(constant.aliases.iter().cloned());
        for view in &constant.views {
            taken.insert(view.name.clone());
            taken.extend(view.aliases.iter().cloned());
        }
    }
    for id in graph.order.clone() {
        for value in graph.nodes[id].outputs.clone() {
            let own = graph.values[value].name.take().unwrap_or_else(|| format!("v{}", value.index()));
            let mut name = own.clone();
            let mut count = 1;
            while !taken.insert(name.clone()) {
                count += 1;
                name = format!("{own}_{count}");
            }
            graph.values[value].name = Some(name);
        }
    }
}

/// The part with these nodes of a graph whose values have names.
pub fn part(graph: &Graph, nodes: &HashSet<NodeId>, results: Results<'_>) -> Graph {
    let chosen = match results {
        Results::Chosen(chosen) => Some(chosen),
        Results::Needed => None,
    };
    let nodes = &without_given(
        graph,
        match chosen {
            Some(chosen) => live(graph, nodes, chosen),
            None => nodes.clone(),
        },
    );
    let mut cx = Part { old: graph, new: graph.new_subgraph(&graph.name), map: SideMap::new() };
    let made = |value: Value| match graph.values[value].definition {
        Definition::Node { node, .. } => nodes.contains(&node),
        _ => false,
    };
    let is_chosen = |k: usize, value: OutputValue| match (chosen, value) {
        (Some(chosen), _) => chosen.contains(&k),
        (None, OutputValue::Tensor(value)) => made(value),
        (None, OutputValue::Number(_)) => false,
    };
    let outputs: Vec<usize> =
        (0..graph.outputs.len()).filter(|k| is_chosen(*k, graph.outputs[*k].value)).collect();
    let first_write = graph.outputs.len();
    let writes: Vec<&Write> = graph
        .writes
        .iter()
        .enumerate()
        .filter(|(k, w)| is_chosen(first_write + k, OutputValue::Tensor(w.value)))
        .map(|(_, write)| write)
        .collect();
    cx.given(nodes, &outputs, &writes);
    for id in graph.order.iter().filter(|id| nodes.contains(id)) {
        cx.node(&graph.nodes[*id]);
    }
    for output in outputs.iter().map(|k| &graph.outputs[*k]) {
        let value = match output.value {
            OutputValue::Tensor(value) => OutputValue::Tensor(cx.value(value)),
            number => number,
        };
        cx.new.add_output(&output.name, value);
    }
    for write in writes {
        let (target, value) = (cx.target(write.target), cx.value(write.value));
        cx.new.writes.push(Write { target, value });
    }
    if chosen.is_none() {
        cx.boundary(nodes, &made);
    }
    cx.numbers();
    cx.new
}

/// A graph that a node runs, as a graph of its own.
pub fn alone(graph: &Graph) -> Graph {
    let all = graph.order.iter().copied().collect();
    let results: Vec<usize> = (0..count_of_results(graph)).collect();
    let mut named = graph.clone();
    name_values(&mut named);
    part(&named, &all, Results::Chosen(&results))
}

/// Those of the nodes that the results need, or that do something beside giving values.
fn live(graph: &Graph, nodes: &HashSet<NodeId>, results: &[usize]) -> HashSet<NodeId> {
    let mut values: HashSet<Value> = HashSet::default();
    for k in results {
        match graph.outputs.get(*k) {
            Some(output) => {
                if let OutputValue::Tensor(value) = output.value {
                    values.insert(value);
                }
            }
            None => values.extend(graph.writes.get(k - graph.outputs.len()).map(|w| w.value)),
        }
    }
    let mut kept = HashSet::default();
    for id in graph.order.iter().rev().filter(|id| nodes.contains(id)) {
        let node = &graph.nodes[*id];
        let acts = node.form == Form::InPlace || node.op.class() == Class::Effect;
        if acts || node.outputs.iter().any(|v| values.contains(v)) {
            values.extend(node.uses());
            kept.insert(*id);
        }
    }
    kept
}

/// The nodes without those that read a symbol out of a tensor where an input of the part, which was another node's result,
/// gives that symbol by its size.
fn without_given(graph: &Graph, mut nodes: HashSet<NodeId>) -> HashSet<NodeId> {
    let syms = &graph.syms;
    let mut given: HashSet<SymbolId> = HashSet::default();
    for value in nodes.iter().flat_map(|id| graph.nodes[*id].uses()) {
        if let Definition::Node { node, .. } = graph.values[value].definition
            && !nodes.contains(&node)
        {
            given.extend(graph.meta(value).shape.iter().flat_map(|s| syms.sources(*s)));
        }
    }
    nodes.retain(|id| {
        let node = &graph.nodes[*id];
        let symbol = node.arg("symbol").and_then(Arg::int).and_then(|s| syms.as_symbol(s));
        node.op != OpId::Bind || symbol.is_none_or(|s| !given.contains(&s))
    });
    nodes
}

struct Part<'g> {
    old: &'g Graph,
    new: Graph,
    map: SideMap<ValueData, Value>,
}

impl Part<'_> {
    /// Inputs and constants that the part uses, in their order.
    fn given(&mut self, nodes: &HashSet<NodeId>, outputs: &[usize], writes: &[&Write]) {
        let old = self.old;
        let mut used: HashSet<Value> = nodes.iter().flat_map(|id| old.nodes[*id].uses()).collect();
        used.extend(outputs.iter().filter_map(|k| match old.outputs[*k].value {
            OutputValue::Tensor(value) => Some(value),
            OutputValue::Number(_) => None,
        }));
        for write in writes {
            used.insert(write.value);
            used.extend(match write.target {
                Definition::Input(k) => Some(old.inputs[k].value),
                Definition::Constant(k) => Some(old.constants[k].value),
                Definition::Node { .. } => None,
            });
        }
        for input in old.inputs.iter().filter(|i| used.contains(&i.value)) {
            self.input(input);
        }
        for constant in old.constants.iter().filter(|c| used.contains(&c.value)) {
            let value = self.new.add_constant_like(constant, old.meta(constant.value).clone());
            self.map.insert(constant.value, value);
        }
    }

    fn input(&mut self, input: &Input) {
        let value = self.new.add_input(&input.name, self.old.meta(input.value).clone());
        if let Some(last) = self.new.inputs.last_mut() {
            last.symbol = input.symbol;
        }
        self.map.insert(input.value, value);
    }

    /// A value of the part: one that it does not make is an input.
    fn value(&mut self, value: Value) -> Value {
        if let Some(known) = self.map.get(value) {
            return *known;
        }
        let name = self.old.values[value].name.clone().unwrap_or_else(|| format!("v{}", value.index()));
        let input = self.new.add_input(&name, self.old.meta(value).clone());
        self.map.insert(value, input);
        input
    }

    fn node(&mut self, node: &Node) {
        let mut args = node.args.clone();
        for arg in &mut args {
            arg.map_values(&mut |v| self.value(v));
        }
        let metas = node.outputs.iter().map(|v| self.old.meta(*v).clone()).collect();
        let made = self.new.add_node(node.op, node.form, args, metas);
        self.new.nodes[made].origins = node.origins.clone();
        for (before, after) in node.outputs.iter().zip(self.new.nodes[made].outputs.clone()) {
            self.new.values[after].name = self.old.values[*before].name.clone();
            self.map.insert(*before, after);
        }
    }

    fn target(&mut self, target: Definition) -> Definition {
        let value = match target {
            Definition::Input(k) => self.old.inputs[k].value,
            Definition::Constant(k) => self.old.constants[k].value,
            Definition::Node { .. } => return target,
        };
        self.new.values[self.map[value]].definition
    }

    /// What nodes outside of the part use of it are outputs, too.
    fn boundary(&mut self, nodes: &HashSet<NodeId>, made: &dyn Fn(Value) -> bool) {
        let old = self.old;
        let mut seen: HashSet<Value> = old
            .outputs
            .iter()
            .filter_map(|o| match o.value {
                OutputValue::Tensor(value) => Some(value),
                OutputValue::Number(_) => None,
            })
            .collect();
        for id in old.order.iter().filter(|id| !nodes.contains(id)) {
            for value in old.nodes[*id].uses() {
                if made(value) && seen.insert(value) {
                    let name = old.values[value].name.clone().unwrap_or_default();
                    let value = self.value(value);
                    self.new.add_output(&name, OutputValue::Tensor(value));
                }
            }
        }
    }

    /// Guards, declared symbols, and numbers for the symbols that nothing of the part gives.
    fn numbers(&mut self) {
        let (old, syms) = (self.old, self.old.syms.clone());
        let mut known = given_symbols(&self.new);
        let mentioned = mentioned(&self.new);
        let mut names: HashSet<String> = self.new.inputs.iter().map(|i| i.name.clone()).collect();
        names.extend(self.new.constants.iter().map(|c| c.name.clone()));
        for symbol in &mentioned {
            if !known.insert(*symbol) {
                continue;
            }
            let given = |i: &&Input| i.symbol.and_then(|s| syms.as_symbol(s)) == Some(*symbol);
            if let Some(input) = old.inputs.iter().find(given) {
                self.input(input);
                continue;
            }
            let own = syms.symbol_name(*symbol);
            let mut name = own.clone();
            let mut count = 1;
            while !names.insert(name.clone()) {
                count += 1;
                name = format!("{own}_{count}");
            }
            self.new.add_number_input(&name, dtype_of(old, *symbol), syms.symbol_expr(*symbol));
        }
        let all_known = |sources: Vec<SymbolId>| sources.iter().all(|s| known.contains(s));
        self.new.guards =
            old.guards.iter().filter(|g| all_known(syms.sources(g.condition))).cloned().collect();
        let declared = |s: &SymInt| syms.sources(*s).iter().all(|s| mentioned.contains(s));
        self.new.symbols = old.symbols.iter().copied().filter(declared).collect();
    }
}

/// The symbols that inputs give, by their sizes or as numbers, and those that nodes give.
fn given_symbols(graph: &Graph) -> HashSet<SymbolId> {
    let syms = &graph.syms;
    let mut known = HashSet::default();
    for input in &graph.inputs {
        known.extend(input.symbol.and_then(|s| syms.as_symbol(s)));
        for size in &graph.meta(input.value).shape {
            if let [symbol] = syms.symbols(*size)[..]
                && let Some((factor, rest)) = syms.linear_in(*size, symbol)
                && syms.as_const(rest).is_some()
                && syms.as_const(factor).is_some_and(|f| f > 0)
            {
                known.insert(symbol);
            }
        }
    }
    known.extend(symbols_of_nodes(graph));
    known
}

/// The dtype of the number that a symbol is.
fn dtype_of(graph: &Graph, symbol: SymbolId) -> Dtype {
    let syms = &graph.syms;
    let inner = each_graph(graph).into_iter().map(|(inner, _)| inner);
    for graph in std::iter::once(graph).chain(inner) {
        for node in graph.order.iter().map(|id| &graph.nodes[*id]).filter(|n| n.op == OpId::Bind) {
            if let (Some(Arg::Value(value)), Some(Arg::Int(given))) = (node.arg("self"), node.arg("symbol"))
                && syms.as_symbol(*given) == Some(symbol)
            {
                return match graph.meta(*value).dtype {
                    d if d.is_float() => Dtype::Float64,
                    Dtype::Bool => Dtype::Bool,
                    _ => Dtype::Int64,
                };
            }
        }
    }
    Dtype::Int64
}
