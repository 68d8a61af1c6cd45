//! Floor 5: composite operators as graphs of simpler ones.
//!
//! A row of the operator table whose rule is `decompose(f)` is defined by `f`, a function that builds the result with
//! the inferring builder. [`decompose`] rebuilds the graph with every such node replaced, again and again until only
//! operators that lower by themselves are left: a rule may use composite operators itself.
//!
//! Invariants: the input is functional; a rule gives one value per result, with the dtype and the shape that `meta`
//! inferred for the composite operator; inputs, constants, outputs, writes, guards, symbols and names are kept.
//!
//! Deliberately absent: operators that lower to loops directly, however large (normalisations, softmax,
//! convolutions: see `loops::lower`).

mod context;
mod rules;

pub use context::{Decompose, Operand};

use crate::base::{SideMap, Status};
use crate::ir::{Graph, OutputValue, Shared, Value, ValueData};
use crate::meta::MetaError;
use crate::ops::{OpId, for_each_op};

/// A composite operator that cannot be rebuilt from simpler ones.
pub type DecomposeError = MetaError;

type Rule = fn(&mut Decompose<'_>) -> Result<Vec<Value>, DecomposeError>;

macro_rules! rule_or_none {
    (decompose $f:ident) => {
        Some(rules::$f as Rule)
    };
    ($other:ident $($f:ident)?) => {
        None
    };
}
macro_rules! rule_table {
    ($($id:ident $name:literal $schema:literal $class:ident [$($form:ident)*] meta($meta:ident) $rule:ident($($f:ident)?);)*) => {
        fn rule_of(op: OpId) -> Option<Rule> {
            match op { $(OpId::$id => rule_or_none!($rule $($f)?),)* }
        }
    };
}
for_each_op!(rule_table);

/// A rule that uses its own operator would never end; real ones nest a few levels.
const MAX_ROUNDS: usize = 24;

/// The graph with composite operators replaced until none is left.
pub fn decompose(graph: &Graph) -> Result<Graph, DecomposeError> {
    decompose_with(&mut Shared::default(), graph)
}

fn decompose_with(shared: &mut Shared, graph: &Graph) -> Result<Graph, DecomposeError> {
    let mut current = graph.clone();
    current.map_subgraphs(shared, &mut decompose_with)?;
    for _ in 0..MAX_ROUNDS {
        let composite =
            current.order.iter().map(|id| current.nodes[*id].op).find(|op| rule_of(*op).is_some());
        let Some(_) = composite else { return Ok(current) };
        current = round(&current)?;
    }
    let left = current.order.iter().map(|id| current.nodes[*id].op).find(|op| rule_of(*op).is_some());
    match left {
        None => Ok(current),
        Some(op) => {
            let message = format!("its decomposition does not end after {MAX_ROUNDS} rounds");
            Err(MetaError::new(Status::Internal, op.name(), message))
        }
    }
}

/// The graph with each composite node replaced once.
fn round(old: &Graph) -> Result<Graph, DecomposeError> {
    let mut new = old.new_subgraph(&old.name);
    new.guards = old.guards.clone();
    new.symbols = old.symbols.clone();
    let mut map: SideMap<ValueData, Value> = SideMap::new();
    for input in &old.inputs {
        let value = new.add_input(&input.name, old.meta(input.value).clone());
        if let Some(last) = new.inputs.last_mut() {
            last.symbol = input.symbol;
        }
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
        let results = match rule_of(node.op) {
            Some(rule) => {
                let unknown_float = std::cell::Cell::new(false);
                let mut context = Decompose { graph: &mut new, op: node.op, args: &args, unknown_float };
                let mut results = rule(&mut context);
                if context.unknown_float.get() {
                    results = Err(context.unsupported("an argument is a float known only at run time"));
                }
                let results = results.and_then(|list| {
                    check(old, &new, node.op, &node.outputs, &list)?;
                    Ok(list)
                });
                results.map_err(|e| e.at(&new.making))?
            }
            None => {
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
    }
    new.writes = old.writes.clone();
    new.writes.iter_mut().for_each(|w| w.value = map[w.value]);
    Ok(new)
}

/// A rule's results must be what `meta` promised: later nodes were inferred on that promise.
fn check(
    old: &Graph,
    new: &Graph,
    op: OpId,
    promised: &[Value],
    found: &[Value],
) -> Result<(), DecomposeError> {
    let error = |message: String| MetaError::new(Status::Internal, op.name(), message);
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
