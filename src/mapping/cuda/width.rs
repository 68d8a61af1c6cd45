//! The width of a kernel's integers: 32 bits, which cost a GPU half as much, where no value that it computes needs more.
//!
//! Offsets of elements are not the only large values. An index that is used as a value may be any number (`arange` from a billion on, a
//! number among the inputs), and the dividend of a quotient exceeds the quotient (the windows of adaptive pooling).

use crate::base::HashSet;
use crate::kernels::IndexType;
use crate::loops::{BufferId, Expr, ExprId, Program};
use crate::schedule::{Group, GroupKind, Item, Loops};
use crate::types::{SymArena, SymInt, SymNode, SymbolKind};

/// With room for what threads add beyond the last element.
const MOST: i64 = (1 << 31) - (1 << 20);

/// The type of indices in a kernel over `buffers` whose threads count to `space`.
pub fn index_type(program: &Program, group: &Group, buffers: &[BufferId], space: SymInt) -> IndexType {
    let syms = &program.syms;
    let extents = buffers.iter().flat_map(|b| {
        let data = &program.buffers[*b];
        let extents = data.sizes.iter().zip(&data.strides).map(|(n, s)| syms.mul(*n, *s));
        extents.chain([syms.product(&data.sizes)]).collect::<Vec<_>>()
    });
    let counts = extents.chain([space]).all(|n| syms.range(n).max < MOST);
    if counts && fit(program, &items(group)) { IndexType::I32 } else { IndexType::I64 }
}

/// Whether 32 bits hold all indices of a template's kernel, with those of values that it computes beside its epilogue.
pub fn indices_fit(program: &Program, group: &Group, buffers: &[BufferId], values: &[ExprId]) -> bool {
    let zero = program.syms.constant(0);
    index_type(program, group, buffers, zero) == IndexType::I32 && fit_all(program, values, Vec::new())
}

/// What the group's own loops and its last stages compute.
fn items(group: &Group) -> Vec<&Item> {
    fn of(loops: &Loops) -> impl Iterator<Item = &Item> {
        loops.stages.iter().flat_map(|s| &s.items)
    }
    let mut items: Vec<&Item> = match &group.kind {
        GroupKind::Loops(loops) => of(loops).collect(),
        GroupKind::RowColumnReduction(panels) => of(&panels.columns).chain(&panels.rows).collect(),
        GroupKind::Template { epilogue, .. } => epilogue.iter().collect(),
        GroupKind::Standalone { .. } | GroupKind::Pack { .. } => Vec::new(),
    };
    items.extend(group.last.iter().flat_map(|l| of(&l.loops)));
    items
}

/// True when all integers that the items are computed from, on their way too, are small.
fn fit(program: &Program, items: &[&Item]) -> bool {
    let values: Vec<ExprId> = items.iter().map(|i| i.value()).collect();
    fit_all(program, &values, items.iter().map(|i| i.offset()).collect())
}

fn fit_all(program: &Program, values: &[ExprId], mut indices: Vec<SymInt>) -> bool {
    for e in program.exprs.postorder(values) {
        match &program.exprs[e] {
            // A parameter that is a value keeps its 64 bits.
            Expr::Index(index, _) if is_parameter(&program.syms, *index) => {}
            Expr::Index(index, _) => indices.push(*index),
            Expr::Load { index, .. } => indices.extend(index),
            _ => {}
        }
    }
    let mut seen = HashSet::default();
    while let Some(index) = indices.pop() {
        if seen.insert(index) && !one_fits(&program.syms, index, &mut indices) {
            return false;
        }
    }
    true
}

fn is_parameter(syms: &SymArena, index: SymInt) -> bool {
    syms.as_symbol(index).is_some_and(|symbol| syms.symbol_kind(symbol) == SymbolKind::Free)
}

/// The same of one step of a calculation, whose operands are added to `operands`. What data are part of is calculated in
/// their own 64 bits, but what stands beside them is not.
fn one_fits(syms: &SymArena, index: SymInt, operands: &mut Vec<SymInt>) -> bool {
    let of_data =
        |e: SymInt| syms.symbols(e).iter().any(|s| matches!(syms.symbol_kind(*s), SymbolKind::Data(_)));
    // Bounds are infinite where nothing is known.
    let most = |e: SymInt| {
        let range = syms.range(e);
        if of_data(e) { 0 } else { (range.min as i128).abs().max((range.max as i128).abs()) }
    };
    let node = syms.node(index);
    // Sums and products come about term by term.
    let reached = match &node {
        SymNode::Add(terms) => terms.iter().map(|t| most(*t)).sum(),
        SymNode::Mul(factors) => {
            let own = factors.iter().filter(|f| !of_data(**f));
            own.fold(1i128, |n, f| n.saturating_mul(most(*f).max(1)))
        }
        _ => most(index),
    };
    operands.extend(node.operands());
    reached < MOST as i128
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::Operators;
    use crate::schedule::Stage;
    use crate::types::{Dtype, Range};
    use std::sync::Arc;

    /// The type for a kernel that stores an integer computed from the place among 1000.
    fn type_for(value: impl FnOnce(&SymArena, SymInt) -> SymInt) -> IndexType {
        let mut p = Program::new(Arc::new(SymArena::new()));
        let syms = Arc::clone(&p.syms);
        let sizes = [syms.constant(1000)];
        let (out, var) = (p.temporary(Dtype::Int64, &sizes), p.vars(&sizes)[0]);
        let value = p.exprs.index_value(value(&syms, var), Dtype::Int64);
        let items = vec![Item::Store { node: 0, buffer: out, offset: var, value }];
        let stages = vec![Stage { inner: Vec::new(), items }];
        let loops = Loops { outer: sizes.to_vec(), stages, row_buffers: Default::default() };
        let group = Group {
            kind: GroupKind::Loops(loops),
            reads: Vec::new(),
            writes: vec![out],
            updates: Vec::new(),
            operators: Operators::default(),
            last: Vec::new(),
            workspace: None,
        };
        index_type(&p, &group, &[out], sizes[0])
    }

    #[test]
    fn places_of_small_tensors_take_32_bits() {
        assert_eq!(type_for(|_, i| i), IndexType::I32);
        assert_eq!(type_for(|s, i| s.floordiv(s.mul_const(i, 999), s.constant(1001))), IndexType::I32);
    }

    #[test]
    fn large_numbers_on_the_way_take_64_bits() {
        // arange(3000000000, ...), and by large steps.
        assert_eq!(type_for(|s, i| s.add_const(i, 3_000_000_000)), IndexType::I64);
        assert_eq!(type_for(|s, i| s.mul_const(i, 1 << 40)), IndexType::I64);
        // The windows of adaptive pooling from many elements: the quotient is small, its dividend is not.
        assert_eq!(type_for(|s, i| s.floordiv(s.mul_const(i, 3_000_001), s.constant(1001))), IndexType::I64);
        // A number among the inputs.
        assert_eq!(
            type_for(|s, i| s.add(i, s.symbol("n", Range::new(i64::MIN, i64::MAX), None))),
            IndexType::I64
        );
        assert_eq!(type_for(|s, i| s.add(i, s.symbol("n", Range::new(0, 9), None))), IndexType::I32);
        // A parameter by itself is a value, whose 64 bits the kernel reads.
        assert_eq!(type_for(|s, _| s.symbol("n", Range::new(i64::MIN, i64::MAX), None)), IndexType::I32);
        // The sum is small, but not each of its terms.
        let apart = |s: &SymArena, i: SymInt| {
            let low = s.mul_const(s.floordiv(i, s.constant(7)), -30_000_000);
            s.add(low, s.mul_const(i, 4_285_714))
        };
        assert_eq!(type_for(apart), IndexType::I64);
    }
}
