//! Points of one space as points of another, and items rewritten from one's variables to the other's.
//!
//! Invariant: spaces of as many points are visited in row-major order, and a point stands for the one at its own position.
//!
//! Deliberately absent: whether a node may share a group's loops, which `join` decides.

use super::Item;
use crate::base::HashMap;
use crate::loops::Program;
use crate::loops::access::{flat_accesses, flatten, nonlinear, replacing, unflatten};
use crate::types::{SymArena, SymInt, SymbolId};
use std::sync::Arc;

/// What each variable becomes.
pub(super) type Map = HashMap<SymbolId, SymInt>;

/// Whether neighbours by the last variable lie beside one another.
pub(super) fn stores_neighbours(syms: &SymArena, offset: SymInt, vars: &[SymInt]) -> bool {
    let last = vars.last().and_then(|v| syms.as_symbol(*v));
    last.is_none_or(|s| syms.linear_in(offset, s).is_some_and(|(step, _)| syms.as_const(step) == Some(1)))
}

/// Whether two spaces have as many points.
pub(super) fn same_count(syms: &SymArena, a: &[SymInt], b: &[SymInt]) -> bool {
    syms.product(a) == syms.product(b)
}

/// The variables of `from` as functions of those of `to`, both visited in row-major order.
pub(super) fn space_map(
    syms: &SymArena,
    from: &[SymInt],
    from_base: u32,
    to: &[SymInt],
    to_base: u32,
) -> Map {
    let vars: Vec<SymInt> =
        from.iter().enumerate().map(|(k, s)| syms.index_var(from_base + k as u32, *s)).collect();
    replacing(syms, &vars, &carried(syms, from, to, to_base))
}

/// The point of a space of sizes `from` that has the same row-major position as the variables of `to`.
pub(super) fn carried(syms: &SymArena, from: &[SymInt], to: &[SymInt], to_base: u32) -> Vec<SymInt> {
    let vars: Vec<SymInt> =
        to.iter().enumerate().map(|(k, s)| syms.index_var(to_base + k as u32, *s)).collect();
    if from == to {
        return vars;
    }
    unflatten(syms, flatten(syms, &vars, to), from)
}

/// The item under a change of variables.
pub(super) fn moved(program: &mut Program, item: &Item, map: &Map) -> Item {
    let syms = Arc::clone(&program.syms);
    let value = program.exprs.substitute(&syms, item.value(), map);
    let offset = syms.substitute(item.offset(), map);
    match item.clone() {
        Item::Store { node, buffer, .. } => Item::Store { node, buffer, offset, value },
        Item::Reduce { node, op, outs, .. } => Item::Reduce { node, op, value, outs, offset },
    }
}

/// True when the change of variables made offsets nonlinear in the fastest variable that were linear.
pub(super) fn worse(
    program: &Program,
    before: &Item,
    before_vars: &[SymInt],
    after: &Item,
    after_vars: &[SymInt],
) -> bool {
    let count = |item: &Item, vars: &[SymInt]| {
        let mut offsets: Vec<SymInt> =
            flat_accesses(program, item.value()).into_iter().filter(|a| !a.2).map(|a| a.1).collect();
        offsets.push(item.offset());
        let last: Vec<SymInt> = vars.last().copied().into_iter().collect();
        nonlinear(&program.syms, &offsets, &last)
    };
    count(after, after_vars) > count(before, before_vars)
}
