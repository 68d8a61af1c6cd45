//! The bits of a tensor read as another dtype: element by element where both have one size; otherwise elements of the
//! last dimension are cut into several, or several are put together, the lowest bits first, as they lie in memory.

use super::view::remapped;
use crate::loops::ExprId;
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprArena};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// `view.dtype`
pub fn view_dtype(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let (from, to) = (cx.program.exprs.dtype(source.expr), args.result(0).dtype.stored());
    if from.size() == to.size() {
        let whole = remapped(cx, args, |_, vars| Ok(vars.to_vec()))?;
        let expr = cx.program.exprs.bits(whole[0].expr, to);
        return Ok(vec![Lazy { sizes: source.sizes, expr }]);
    }
    let sizes = args.result(0).shape.clone();
    let vars = cx.vars(&sizes);
    let last = vars.len() - 1;
    let syms = cx.syms();
    let at = |index: SymInt| [&vars[..last], &[index]].concat();
    let expr = if from.size() > to.size() {
        let parts = syms.constant((from.size() / to.size()) as i64);
        let element = cx.at(&source, &at(syms.floordiv(vars[last], parts)));
        let below = syms.mul_const(syms.modulo(vars[last], parts), 8 * to.size() as i64);
        part(&mut cx.program.exprs, element, below, to)
    } else {
        let parts = (to.size() / from.size()) as i64;
        let mut elements = Vec::new();
        for k in 0..parts {
            elements.push(cx.at(&source, &at(syms.add_const(syms.mul_const(vars[last], parts), k))));
        }
        joined(&mut cx.program.exprs, &elements, from, to)
    };
    Ok(vec![Lazy { sizes, expr }])
}

/// What lies above the lowest `below` bits of an element.
fn part(exprs: &mut ExprArena, element: ExprId, below: SymInt, to: Dtype) -> ExprId {
    let whole = exprs.dtype(element).integer_of_size();
    let bits = exprs.bits(element, whole);
    let below = exprs.index_value(below, whole);
    let shifted = exprs.binary(BinaryOp::ShiftRight, bits, below);
    let bits = exprs.cast(shifted, to.integer_of_size());
    exprs.bits(bits, to)
}

/// Elements one above the other.
fn joined(exprs: &mut ExprArena, elements: &[ExprId], from: Dtype, to: Dtype) -> ExprId {
    let whole = to.integer_of_size();
    let width = 8 * from.size() as i64;
    let mask = exprs.int((1 << width) - 1, whole);
    let parts: Vec<ExprId> = elements
        .iter()
        .zip(0..)
        .map(|(element, k)| {
            let bits = exprs.bits(*element, from.integer_of_size());
            let bits = exprs.cast(bits, whole);
            let bits = exprs.binary(BinaryOp::BitwiseAnd, bits, mask);
            let by = exprs.int(width * k, whole);
            exprs.binary(BinaryOp::ShiftLeft, bits, by)
        })
        .collect();
    let bits = parts.into_iter().reduce(|a, b| exprs.binary(BinaryOp::BitwiseOr, a, b));
    exprs.bits(bits.unwrap_or(mask), to)
}
