//! Right operands of products that are unpacked from weights: their vectors of columns, and their value, scale and offset.
//!
//! A position `(k, n)` is written in digits: `n` is a panel, a vector and a lane, `k` is a group, a phase and a place in it. Quotients and
//! remainders of the operand by the sizes of groups and panels then become digits, which the native code knows or hoists.
//! Parts that do not depend on the place are computed once for each phase: in `value * scale + offset`, only the value depends on it.
//!
//! Invariants: panels and groups divide the operand's sizes; in each vector, loads are contiguous or of one element
//! (`loop_passes::unpack_weights` arranged that).
//!
//! Deliberately absent: operands that depend on the batch; sizes that only a run knows; accumulation in anything but float32.

use crate::base::{HashMap, HashSet, StableSort};
use crate::loops::access::{flat_accesses, flat_loads, vector_step};
use crate::loops::uses::{gemm_shares_b, is_read_packed};
use crate::loops::{BinaryOp, Expr, ExprArena, ExprId, NodeKind, Program, UnaryOp};
use crate::target::Target;
use crate::types::{Dtype, SymArena, SymInt, SymNode, SymbolId};
use std::sync::Arc;

/// The largest panel, in vectors; the most phases of a group; the least size of a phase.
const MOST_VECTORS: i64 = 8;
const MOST_PHASES: i64 = 16;
const LEAST_PHASE: i64 = 8;
/// Less is not worth the work.
const LEAST_ELEMENTS: i64 = 1 << 12;
/// A panel has so many vectors where columns allow it: sums that do not wait for one another.
const VECTORS: i64 = 4;
/// A group of several phases is no larger than this, so that each part of `k` that is computed at a time has whole ones.
const MOST_GROUP: i64 = 256;

/// A right operand in digits: `value * scale + offset`, all in float32.
#[derive(Clone, Debug)]
pub struct Unpacked {
    /// Columns of a panel.
    pub columns: i64,
    pub group: i64,
    pub phase: i64,
    /// Panel, vector, lane, group, phase, place.
    pub digits: [Digit; 6],
    pub value: ExprId,
    pub scale: Option<ExprId>,
    pub offset: Option<ExprId>,
}

/// A variable of the expressions, and its size.
#[derive(Clone, Copy, Debug)]
pub struct Digit {
    pub variable: SymInt,
    pub size: SymInt,
}

/// A product's right operand in digits, if it is one that is read packed and it falls into them.
pub fn find(program: &mut Program, target: &Target, node: usize) -> Option<Unpacked> {
    let Target::Cpu(cpu) = target else { return None };
    let NodeKind::Gemm { batch, n, k, a, b, .. } = program.nodes[node].kind.clone() else { return None };
    let syms = Arc::clone(&program.syms);
    let (columns, depth) = (syms.as_const(n)?, syms.as_const(k)?);
    let sums = program.exprs.dtype(a);
    if !(sums == Dtype::Float32 || sums.is_reduced_float())
        || !program.exprs.dtype(b).is_float()
        || program.exprs.dtype(b) == Dtype::Float64
        || !gemm_shares_b(program, &batch, b)
        || !is_read_packed(program, b, columns.checked_mul(depth)?)
        || columns.checked_mul(depth)? < LEAST_ELEMENTS
    {
        return None;
    }
    let at = batch.len() as u32;
    let (column, row) = (syms.index_var(at + 1, n), syms.index_var(at + 2, k));
    let (along_n, along_k) = (syms.as_symbol(column)?, syms.as_symbol(row)?);
    let b = flat_loads(program, b);
    let along = |(_, index, data): &(_, SymInt, bool)| {
        !data && matches!(vector_step(&syms, *index, along_n), Some(0 | 1))
    };
    if !flat_accesses(program, b).iter().all(along) {
        return None;
    }
    let indices = indices(program, b);
    let lanes = cpu.isa.lanes() as i64;
    let panel = panel(divisors(&syms, &indices, along_n), columns, lanes)?;
    let (group, phase) = phases(divisors(&syms, &indices, along_k), depth)?;
    let sizes = [columns / panel, panel / lanes, lanes, depth / group, group / phase, phase];
    let digits: [Digit; 6] = std::array::from_fn(|d| {
        let size = syms.constant(sizes[d]);
        Digit { variable: syms.index_var(at + 3 + d as u32, size), size }
    });
    let number = |first: usize, units: [i64; 2]| {
        let [high, middle] = [0, 1].map(|d| syms.mul_const(digits[first + d].variable, units[d]));
        syms.sum(&[high, middle, digits[first + 2].variable])
    };
    let map: HashMap<SymbolId, SymInt> =
        [(along_n, number(0, [panel, lanes])), (along_k, number(3, [group, phase]))].into_iter().collect();
    let value = program.exprs.substitute(&syms, b, &map);
    let value = program.exprs.cast(value, Dtype::Float32);
    let parts = parts(program, value, syms.as_symbol(digits[5].variable));
    let Parts { value: Some(value), scale, offset } = parts else { return None };
    Some(Unpacked { columns: panel, group, phase, digits, value, scale, offset })
}

/// Every index of an expression.
fn indices(program: &Program, root: ExprId) -> Vec<SymInt> {
    let mut found = Vec::new();
    for e in program.exprs.postorder(&[root]) {
        match &program.exprs[e] {
            Expr::Load { index, .. } => found.extend(index.iter().copied()),
            Expr::Index(index, _) => found.push(*index),
            _ => {}
        }
    }
    found
}

/// The units of a variable's digits that indices ask for: `x // 16 % 4` asks for 16 and 64.
fn divisors(syms: &SymArena, indices: &[SymInt], variable: SymbolId) -> Vec<i64> {
    let (mut found, mut left, mut seen) = (Vec::new(), indices.to_vec(), HashSet::default());
    while let Some(index) = left.pop() {
        // Sizes may share any number of parts.
        if !seen.insert(index) || !syms.depends_on(index, variable) {
            continue;
        }
        let node = syms.node(index);
        if let SymNode::FloorDiv(a, by) | SymNode::Mod(a, by) = node
            && let (Some(unit), Some(by)) = (unit(syms, a, variable), syms.as_const(by))
        {
            found.push(unit.saturating_mul(by));
        }
        left.extend(node.operands());
    }
    found
}

/// What one more of an index is worth of the variable that it is digits of.
fn unit(syms: &SymArena, index: SymInt, variable: SymbolId) -> Option<i64> {
    match syms.node(index) {
        SymNode::Symbol(symbol) => (symbol == variable).then_some(1),
        SymNode::Mod(a, _) => unit(syms, a, variable),
        SymNode::FloorDiv(a, by) => Some(unit(syms, a, variable)?.saturating_mul(syms.as_const(by)?)),
        _ => None,
    }
}

/// Columns of a panel: whole pairs of vectors, four vectors where that is possible, and what the operand divides by if that is not much
/// more.
fn panel(divisors: Vec<i64>, columns: i64, lanes: i64) -> Option<i64> {
    let whole = |size: &i64| columns % size == 0;
    let most =
        divisors.into_iter().filter(|d| *d <= MOST_VECTORS * lanes && d % lanes == 0).max().unwrap_or(0);
    let wide = [most, VECTORS * lanes].into_iter().max().filter(|size| size % (2 * lanes) == 0);
    wide.filter(whole).or(Some(2 * lanes).filter(whole))
}

/// The sizes of a group and of a phase: the largest and the least number that the operand divides by, if all others lie evenly between.
/// Otherwise all of `k` is one group.
fn phases(divisors: Vec<i64>, depth: i64) -> Option<(i64, i64)> {
    let mut sizes: Vec<i64> = divisors.into_iter().filter(|d| (LEAST_PHASE..depth).contains(d)).collect();
    sizes.stable_sort();
    if let (Some(phase), Some(group)) = (sizes.first().copied(), sizes.last().copied())
        && sizes.iter().all(|d| d % phase == 0 && group % d == 0)
        && depth % group == 0
        && group / phase <= MOST_PHASES
    {
        return Some(if group <= MOST_GROUP { (group, phase) } else { (phase, phase) });
    }
    (depth > 0).then_some((depth, depth))
}

/// What an expression is made of, 1 and 0 where there is none.
#[derive(Clone, Copy, Default)]
struct Parts {
    value: Option<ExprId>,
    scale: Option<ExprId>,
    offset: Option<ExprId>,
}

/// The expression as `value * scale + offset`, where scale and offset do not depend on the place.
fn parts(program: &mut Program, e: ExprId, place: Option<SymbolId>) -> Parts {
    let plain = Parts { value: Some(e), ..Parts::default() };
    let Expr::Binary(op, a, b) = program.exprs[e] else { return plain };
    let [still_a, still_b] = [a, b].map(|x| stands_still(program, x, place));
    let (moving, still) = match (still_a, still_b) {
        (false, true) => (a, b),
        (true, false) if matches!(op, BinaryOp::Mul | BinaryOp::Add) => (b, a),
        _ => return plain,
    };
    let inner = parts(program, moving, place);
    let exprs = &mut program.exprs;
    match op {
        BinaryOp::Mul => {
            let times = |exprs: &mut ExprArena, x: Option<ExprId>| {
                x.map_or(still, |x| exprs.binary(BinaryOp::Mul, x, still))
            };
            let offset = inner.offset.map(|offset| exprs.binary(BinaryOp::Mul, offset, still));
            Parts { scale: Some(times(exprs, inner.scale)), offset, ..inner }
        }
        // A zero point stays with the value, so that a weight of zero is exactly that beside a large activation.
        BinaryOp::Add | BinaryOp::Sub if inner.scale.is_none() && inner.offset.is_none() => plain,
        BinaryOp::Add => {
            let offset = inner.offset.map_or(still, |offset| exprs.binary(BinaryOp::Add, offset, still));
            Parts { offset: Some(offset), ..inner }
        }
        BinaryOp::Sub => {
            let offset = match inner.offset {
                Some(offset) => exprs.binary(BinaryOp::Sub, offset, still),
                None => exprs.unary(UnaryOp::Neg, still),
            };
            Parts { offset: Some(offset), ..inner }
        }
        _ => plain,
    }
}

/// Whether an expression is the same at every place of a phase.
fn stands_still(program: &Program, root: ExprId, place: Option<SymbolId>) -> bool {
    let Some(place) = place else { return true };
    indices(program, root).into_iter().all(|index| !program.syms.depends_on(index, place))
}
