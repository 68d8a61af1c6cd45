//! Floor 5: composite operators as graphs of simpler ones.
//!
//! A row of the operator table whose rule is `decompose(f)` is defined by `f`, a function that builds the result with
//! the inferring builder. [`decompose`] rebuilds the graph with every such node replaced, again and again until only
//! operators that lower by themselves are left: a rule may use composite operators itself.
//!
//! Invariants: the input is functional; a rule gives one value per result, with the dtype and the shape that `meta`
//! inferred for the composite operator; a host's rules are held to the same; inputs, constants, outputs, writes, guards, symbols and names are kept.
//!
//! Deliberately absent: operators that lower to loops directly, however large (normalisations, softmax,
//! convolutions: see `loops::lower`).

pub mod complex;
mod context;
mod expression;
mod float8;
mod kernels;
pub mod parts;
mod rounded_windows;
mod rules;

pub use context::{Decompose, Operand};
pub use expression::check as check_expression;
pub use kernels::Kernels;
pub use rules::{
    AttentionGradient, AttentionGradients, Quantized, attention_scale, flash_attention_backward, quantized,
};

use crate::base::{HashMap, SideMap, Status};
use crate::ir::{Arg, Graph, Node, OutputValue, Shared, Value, ValueData};
use crate::meta::MetaError;
use crate::ops::{OpId, for_each_op};
use std::sync::Arc;

/// A composite operator that cannot be rebuilt from simpler ones.
pub type DecomposeError = MetaError;

type Rule = fn(&mut Decompose<'_>) -> Result<Vec<Value>, DecomposeError>;

/// A host's decomposition. It is given a node's operator, arguments and number of results, appends nodes to the graph, and
/// returns the values that replace the results. `None` keeps the node.
pub type HostRule =
    Arc<dyn Fn(&mut Graph, OpId, &[Arg], usize) -> Result<Option<Vec<Value>>, DecomposeError> + Send + Sync>;

/// A host's rules, which go before Litz's own.
pub type HostRules = HashMap<Decomposed, HostRule>;

/// What a host's rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decomposed {
    Operator(OpId),
    /// A host's own operator, by its name.
    Host(&'static str),
}

impl Decomposed {
    fn of(node: &Node) -> Decomposed {
        match &node.args[..] {
            [Arg::Call(call)] => Decomposed::Host(call.operator.name),
            _ => Decomposed::Operator(node.op),
        }
    }
    pub fn name(self) -> &'static str {
        match self {
            Decomposed::Operator(op) => op.name(),
            Decomposed::Host(name) => name,
        }
    }
}

/// The rules of one decomposition.
#[derive(Clone, Copy)]
pub struct Rules<'r> {
    pub host: &'r HostRules,
    pub own: Own,
    pub kernels: Kernels<'r>,
}

/// Which of Litz's own rules are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    None,
    /// Those of composite operators on complex numbers.
    Complex,
    All,
}

impl Rules<'_> {
    fn own(&self, graph: &Graph, node: &Node) -> Option<Rule> {
        let used = match self.own {
            Own::None => false,
            Own::Complex => complex::is_composite(graph, node),
            Own::All => true,
        };
        rule_of(node.op).or_else(|| self.kernels.missing(graph, node)).filter(|_| used)
    }
    fn cover(&self, graph: &Graph, node: &Node) -> bool {
        self.own(graph, node).is_some() || self.host.contains_key(&Decomposed::of(node))
    }
}

macro_rules! rule_or_none {
    (decompose $f:ident) => {
        Some(rules::$f as Rule)
    };
    ($other:ident $($f:ident)?) => {
        None
    };
}
macro_rules! rule_table {
    ($($id:ident $name:literal $schema:literal $class:ident [$($form:ident)*] meta($meta:ident) $rule:ident($($f:ident)?) $($grad:ident($derivative:ident))?;)*) => {
        fn rule_of(op: OpId) -> Option<Rule> {
            match op { $(OpId::$id => rule_or_none!($rule $($f)?),)* }
        }
    };
}
for_each_op!(rule_table);

/// Whether an operator is defined by others.
pub fn has_rule(op: OpId) -> bool {
    rule_of(op).is_some()
}

/// Appends what a composite operator is made of, one level down, and gives its results. `None`: it is no composite.
pub fn expand(graph: &mut Graph, op: OpId, args: &[Arg]) -> Option<Result<Vec<Value>, DecomposeError>> {
    let rule = rule_of(op)?;
    let mut context = Decompose { graph, op, args, unknown_float: std::cell::Cell::new(false) };
    let results = rule(&mut context);
    if context.unknown_float.get() {
        return Some(Err(context.unsupported("an argument is a float known only at run time")));
    }
    Some(results)
}

/// A rule that uses its own operator would never end; real ones nest a few levels.
const MAX_ROUNDS: usize = 24;

/// The graph with composite operators replaced until none is left.
pub fn decompose(graph: &Graph) -> Result<Graph, DecomposeError> {
    decompose_by(graph, Rules { host: &HostRules::default(), own: Own::All, kernels: Kernels::All })
}

/// The graph with every node replaced that these rules replace.
pub fn decompose_by(graph: &Graph, rules: Rules<'_>) -> Result<Graph, DecomposeError> {
    decompose_with(&mut Shared::default(), graph, rules)
}

fn decompose_with(shared: &mut Shared, graph: &Graph, rules: Rules<'_>) -> Result<Graph, DecomposeError> {
    let mut current = graph.clone();
    if rules.own == Own::All {
        // A host's rules see operators as they were given.
        if !rules.host.is_empty() {
            current = decompose_with(shared, graph, Rules { own: Own::None, ..rules })?;
        }
        current = complex::split(&current)?.unwrap_or(current);
    }
    for round_number in 0..MAX_ROUNDS {
        // A host's rules may add nodes that run graphs.
        if round_number == 0 || !rules.host.is_empty() {
            current.map_subgraphs(shared, &mut |shared, inner| decompose_with(shared, inner, rules))?;
        }
        if !current.order.iter().any(|id| rules.cover(&current, &current.nodes[*id])) {
            return settled(current, rules);
        }
        let (next, replaced) = round(&current, rules)?;
        current = next;
        if replaced && rules.own == Own::All {
            // Composites on whole complex numbers were replaced by operators on parts.
            current = complex::split(&current)?.unwrap_or(current);
        }
        if !replaced {
            return settled(current, rules);
        }
    }
    let left = current.order.iter().map(|id| &current.nodes[*id]).find(|n| rules.cover(&current, n));
    match left.map(Decomposed::of) {
        None => settled(current, rules),
        Some(op) => {
            let message = format!("its decomposition does not end after {MAX_ROUNDS} rounds");
            let hosts = rules.host.contains_key(&op);
            let status = if hosts { Status::InvalidArgument } else { Status::Internal };
            Err(MetaError::new(status, op.name(), message))
        }
    }
}

/// The graph without composite operators, and without float8 numbers inside.
fn settled(graph: Graph, rules: Rules<'_>) -> Result<Graph, DecomposeError> {
    if rules.own != Own::All {
        return Ok(graph);
    }
    Ok(float8::split(&graph)?.unwrap_or(graph))
}

/// The graph with each composite node replaced once, and whether any was.
fn round(old: &Graph, rules: Rules<'_>) -> Result<(Graph, bool), DecomposeError> {
    let mut replaced = false;
    let mut new = old.new_subgraph(&old.name);
    new.guards = old.guards.clone();
    new.symbols = old.symbols.clone();
    new.results = old.results.clone();
    let mut map: SideMap<ValueData, Value> = SideMap::new();
    for input in &old.inputs {
        let value = new.add_input_like(input, old.meta(input.value).clone());
        map.insert(input.value, value);
    }
    for constant in &old.constants {
        let meta = old.meta(constant.value).clone();
        let value = new.add_constant_like(constant, meta);
        map.insert(constant.value, value);
    }
    for id in &old.order {
        let node = &old.nodes[*id];
        let mut args = node.args.clone();
        args.iter_mut().for_each(|a| a.map_values(&mut |v| map[v]));
        new.making = old.origins_of(*id);
        let by_host = match rules.host.get(&Decomposed::of(node)) {
            Some(rule) => by_host(rule, old, &mut new, node, &args).map_err(|e| e.at(&new.making))?,
            None => None,
        };
        let results = match (by_host, rules.own(old, node)) {
            (Some(results), _) => {
                replaced = true;
                results
            }
            (None, Some(rule)) => {
                replaced = true;
                let unknown_float = std::cell::Cell::new(false);
                let mut context = Decompose { graph: &mut new, op: node.op, args: &args, unknown_float };
                let mut results = rule(&mut context);
                if context.unknown_float.get() {
                    results = Err(context.unsupported("an argument is a float known only at run time"));
                }
                let results = results.and_then(|list| {
                    check(old, &new, node.op, &node.outputs, &list, Status::Internal)?;
                    Ok(list)
                });
                results.map_err(|e| e.at(&new.making))?
            }
            (None, None) => {
                let metas = node.outputs.iter().map(|v| old.meta(*v).clone()).collect();
                let made = new.add_node(node.op, node.form, args, metas);
                new.nodes[made].outputs.clone()
            }
        };
        for (before, after) in node.outputs.iter().zip(results) {
            if let Some(name) = &old.values[*before].name
                && new.values[after].name.is_none()
            {
                new.values[after].name = Some(name.clone());
            }
            map.insert(*before, after);
        }
    }
    new.making = Vec::new();
    for output in &old.outputs {
        let value = match output.value {
            OutputValue::Tensor(v) => OutputValue::Tensor(map[v]),
            number => number,
        };
        new.add_output(&output.name, value);
        if let Some(last) = new.outputs.last_mut() {
            (last.alias, last.shown) = (output.alias, output.shown.clone());
        }
    }
    new.writes = old.writes.clone();
    new.writes.iter_mut().for_each(|w| w.value = map[w.value]);
    Ok((new, replaced))
}

/// What a host's rule makes of a node, checked.
fn by_host(
    rule: &HostRule,
    old: &Graph,
    new: &mut Graph,
    node: &Node,
    args: &[Arg],
) -> Result<Option<Vec<Value>>, DecomposeError> {
    let last = new.order.last();
    let results = rule(new, node.op, args, node.outputs.len())?;
    match &results {
        Some(list) => check(old, new, node.op, &node.outputs, list, Status::InvalidArgument)?,
        // What it tried before it kept the node.
        None => new.order.truncate_after(last),
    }
    Ok(results)
}

/// A rule's results must be what `meta` promised: later nodes were inferred on that promise.
fn check(
    old: &Graph,
    new: &Graph,
    op: OpId,
    promised: &[Value],
    found: &[Value],
    status: Status,
) -> Result<(), DecomposeError> {
    let error = |message: String| MetaError::new(status, op.name(), message);
    if promised.len() != found.len() {
        return Err(error(format!("decomposed to {} results, not {}", found.len(), promised.len())));
    }
    for (k, (want, have)) in promised.iter().zip(found).enumerate() {
        let (want, have) = (old.meta(*want), new.meta(*have));
        let same = want.dtype == have.dtype
            && want.rank() == have.rank()
            && want
                .shape
                .iter()
                .zip(&have.shape)
                .all(|(a, b)| a == b || old.syms.decide(old.syms.eq(*a, *b)) != Some(false));
        if !same {
            let show =
                |m: &crate::types::TensorMeta| format!("{} {}", m.dtype, old.syms.display_list(&m.shape));
            return Err(error(format!("result {k} decomposed to {}, not {}", show(have), show(want))));
        }
    }
    Ok(())
}
