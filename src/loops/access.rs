//! Offsets: the relation of an index space to memory.

use super::{BufferId, Expr, ExprId, Program};
use crate::base::{HashMap, HashSet};
use crate::types::{SymArena, SymInt, SymNode, SymbolId};

/// Row-major position of a point.
pub fn flatten(syms: &SymArena, index: &[SymInt], sizes: &[SymInt]) -> SymInt {
    index.iter().zip(sizes).fold(syms.constant(0), |sum, (i, s)| syms.add(syms.mul(sum, *s), *i))
}

/// The point at a row-major position.
pub fn unflatten(syms: &SymArena, position: SymInt, sizes: &[SymInt]) -> Vec<SymInt> {
    let mut index = vec![position; sizes.len()];
    let mut below = syms.constant(1);
    for k in (0..sizes.len()).rev() {
        let quotient = syms.floordiv(position, below);
        index[k] = if k == 0 { quotient } else { syms.modulo(quotient, sizes[k]) };
        below = syms.mul(below, sizes[k]);
    }
    index
}

/// Where the element at an index lies, in elements, in memory with these strides.
pub fn offset_of(syms: &SymArena, index: &[SymInt], strides: &[SymInt]) -> SymInt {
    let terms: Vec<SymInt> = index.iter().zip(strides).map(|(i, s)| syms.mul(*i, *s)).collect();
    syms.sum(&terms)
}

/// The expression with every load's index flattened to its offset in elements.
pub fn flat_loads(program: &mut Program, root: ExprId) -> ExprId {
    let buffers = &program.buffers;
    let syms = &program.syms;
    program.exprs.rewrite(root, &mut |exprs, id| match exprs[id].clone() {
        Expr::Load { buffer, index, data } => {
            let (dtype, offset) = (exprs.dtype(id), offset_of(syms, &index, &buffers[buffer].strides));
            exprs.load(buffer, dtype, vec![offset], data.into())
        }
        _ => id,
    })
}

/// The offset of a node's store at its own point.
pub fn store_offset(program: &Program, buffer: BufferId, vars: &[SymInt]) -> SymInt {
    offset_of(&program.syms, vars, &program.buffers[buffer].strides)
}

/// Every load below a root as `(buffer, flat offset, depends on data)`.
pub fn flat_accesses(program: &Program, root: ExprId) -> Vec<(BufferId, SymInt, bool)> {
    let loads = program.exprs.loads(&[root]);
    loads
        .into_iter()
        .filter_map(|l| match &program.exprs[l] {
            Expr::Load { buffer, index, data } => Some((*buffer, index[0], !data.is_empty())),
            _ => None,
        })
        .collect()
}

/// Replacements of one list of variables.
pub fn replacing(syms: &SymArena, from: &[SymInt], to: &[SymInt]) -> HashMap<SymbolId, SymInt> {
    from.iter()
        .zip(to)
        .filter(|(f, t)| f != t)
        .filter_map(|(f, t)| syms.as_symbol(*f).map(|s| (s, *t)))
        .collect()
}

/// How many of the offsets are no linear function of every one of the variables.
pub fn nonlinear(syms: &SymArena, offsets: &[SymInt], vars: &[SymInt]) -> usize {
    let symbols: Vec<SymbolId> = vars.iter().filter_map(|v| syms.as_symbol(*v)).collect();
    offsets.iter().filter(|o| symbols.iter().any(|s| syms.linear_in(**o, *s).is_none())).count()
}

/// True when the offset visits `0..product(sizes)` once each as the variables run over their sizes, in any order of
/// the dimensions; gives the dimensions from the slowest to the fastest. Dimensions of size 1 come first.
pub fn memory_order(
    syms: &SymArena,
    offset: SymInt,
    vars: &[SymInt],
    sizes: &[SymInt],
) -> Option<Vec<usize>> {
    let one = syms.constant(1);
    let mut coefficients = Vec::with_capacity(vars.len());
    let mut rest = offset;
    for (v, s) in vars.iter().zip(sizes) {
        if *s == one {
            coefficients.push(one);
            continue;
        }
        let (c, r) = syms.linear_in(rest, syms.as_symbol(*v)?)?;
        coefficients.push(c);
        rest = r;
    }
    if rest != syms.constant(0) {
        return None;
    }
    let mut left: Vec<usize> = (0..vars.len()).filter(|k| sizes[*k] != one).collect();
    let mut order: Vec<usize> = Vec::with_capacity(vars.len());
    let mut stride = one;
    while !left.is_empty() {
        let place = left.iter().rposition(|k| coefficients[*k] == stride)?;
        let k = left.remove(place);
        stride = syms.mul(stride, sizes[k]);
        order.push(k);
    }
    order.extend((0..vars.len()).filter(|k| sizes[*k] == one).rev());
    order.reverse();
    Some(order)
}

/// What a variable is divided by in an index.
pub fn divisor_of(syms: &SymArena, index: SymInt, var: SymbolId) -> Option<SymInt> {
    let (mut stack, mut seen) = (vec![index], HashSet::default());
    while let Some(e) = stack.pop() {
        // Sizes may share any number of parts.
        if !seen.insert(e) || !syms.depends_on(e, var) {
            continue;
        }
        match syms.node(e) {
            SymNode::FloorDiv(a, b) | SymNode::Mod(a, b) => {
                if syms.as_symbol(a) == Some(var) {
                    return Some(b);
                }
                stack.push(a);
            }
            SymNode::Add(list) | SymNode::Mul(list) => stack.extend(list.iter()),
            _ => {}
        }
    }
    None
}

/// Vectors that begin at multiples of their size have at most so many elements.
pub const VECTOR: i64 = 16;

/// What an index grows by from one place of a row to the next, within vectors that begin at multiples of [`VECTOR`].
pub fn vector_step(syms: &SymArena, index: SymInt, row: SymbolId) -> Option<i64> {
    if let Some((step, _)) = syms.linear_in(index, row) {
        return syms.as_const(step);
    }
    let whole = |by: SymInt| syms.as_const(by).is_some_and(|by| by > 0 && by % VECTOR == 0);
    match syms.node(index) {
        SymNode::Add(terms) => {
            terms.iter().try_fold(0i64, |sum, t| sum.checked_add(vector_step(syms, *t, row)?))
        }
        SymNode::Mul(factors) => {
            let (own, rest): (Vec<SymInt>, Vec<SymInt>) =
                factors.iter().copied().partition(|f| syms.depends_on(*f, row));
            let [own] = own[..] else { return None };
            vector_step(syms, own, row)?.checked_mul(syms.as_const(syms.product(&rest))?)
        }
        SymNode::Mod(a, by) | SymNode::FloorDiv(a, by) if syms.as_symbol(a) == Some(row) && whole(by) => {
            Some(i64::from(matches!(syms.node(index), SymNode::Mod(..))))
        }
        // A term that is constant within a vector stays constant under `//` and `%`.
        SymNode::Mod(a, by) | SymNode::FloorDiv(a, by)
            if !syms.depends_on(by, row) && vector_step(syms, a, row) == Some(0) =>
        {
            Some(0)
        }
        _ => None,
    }
}
