//! Images of bytes: PyTorch resamples them one dimension after the other with 16-bit integer weights, and rounds to bytes in between.

use super::{Resampling, cubic_weight, float, source, step, tapped, window_size};
use crate::loops::lower::{Lazy, Lower, LowerError};
use crate::loops::{ExprId, ReductionOp};
use crate::types::{Dtype, SymInt};

/// Weights have as many fraction bits as keep the largest one below 2^15, and at most this many.
const MOST_BITS: i32 = 22;

/// Resamples the width first. A dimension that keeps its size is not resampled, whatever the factor.
pub(super) fn resampled(
    cx: &mut Lower<'_>,
    mut r: Resampling,
    cubic: bool,
    antialiased: bool,
) -> Result<Vec<Lazy>, LowerError> {
    // Weights are computed in double precision.
    r.dtype = Dtype::Float64;
    let mut value = r.input.clone();
    for k in (0..r.factors.len()).rev() {
        let (from, to) = r.sizes(k);
        let same = cx.syms().eq(from, to);
        if cx.syms().decide(same) == Some(true) {
            continue;
        }
        let input = cx.computed(&value);
        value = along(cx, &r, &input, k, cubic, antialiased);
        if cx.syms().decide(same).is_none() {
            let condition = cx.condition(same);
            let mut index = cx.vars(&value.sizes);
            let own = cx.program.exprs.index_value(index[2 + k], Dtype::Int64);
            let own = cx.clamped(own, from);
            index[2 + k] = cx.syms().data_var(0);
            let kept = cx.at_data(&input, index, vec![own]);
            value.expr = cx.program.exprs.select(condition, kept, value.expr);
        }
    }
    Ok(vec![value])
}

/// The windows of all results along a dimension: over `[results, elements]` the weights, and over `[results]` the first places.
struct Windows {
    elements: SymInt,
    weights: Lazy,
    firsts: Lazy,
}

fn along(cx: &mut Lower<'_>, r: &Resampling, input: &Lazy, k: usize, cubic: bool, antialiased: bool) -> Lazy {
    let (from, to) = r.sizes(k);
    let Windows { elements, weights, firsts } = match antialiased {
        true => antialiased_windows(cx, r, k, cubic),
        false => plain_windows(cx, r, k, cubic),
    };
    let most = cx.reduce(ReductionOp::Max, &[], &[to, elements], weights.expr);
    let one = float(cx, 1.0, Dtype::Float64);
    let factor = cx.formula(|x| {
        (1..=MOST_BITS).fold(x(one), |factor, bits| {
            let times = f64::from(1 << bits);
            (x(most.expr) * times + 0.5).lt(32768.0).select(factor.float(times), factor)
        })
    });
    let factor = cx.computed(&Lazy { sizes: Vec::new(), expr: factor });
    let rounded = cx.formula(|x| {
        let weight = x(weights.expr);
        let half = weight.lt(0.0).select(weight.float(-0.5), weight.float(0.5));
        (weight * x(factor.expr) + half).cast(Dtype::Int32)
    });
    let weights = cx.computed(&Lazy { sizes: weights.sizes, expr: rounded });

    let mut sizes = input.sizes.clone();
    sizes[2 + k] = to;
    let space: Vec<SymInt> = sizes.iter().copied().chain([elements]).collect();
    let vars = cx.vars(&space);
    let (own, tap) = (vars[2 + k], vars[sizes.len()]);
    let weight = cx.at(&weights, &[own, tap]);
    let first = cx.at(&firsts, &[own]);
    let tap = cx.program.exprs.index_value(tap, Dtype::Int64);
    // Elements beyond the input have no weight.
    let place = cx.formula(|x| x(first) + x(tap));
    let place = cx.clamped(place, from);
    let mut index = vars[..sizes.len()].to_vec();
    index[2 + k] = cx.syms().data_var(0);
    let element = cx.at_data(input, index, vec![place]);
    let product = cx.formula(|x| x(element).cast(Dtype::Int32) * x(weight));
    let sum = cx.reduce(ReductionOp::Sum, &sizes, &[elements], product);
    let expr = cx.formula(|x| {
        let factor = x(factor.expr);
        let sum = x(sum.expr).cast(Dtype::Float64);
        ((sum + factor * 0.5) / factor).floor().maximum(0.0).minimum(255.0).cast(Dtype::Uint8)
    });
    Lazy { sizes, expr }
}

fn antialiased_windows(cx: &mut Lower<'_>, r: &Resampling, k: usize, cubic: bool) -> Windows {
    let (_, to) = r.sizes(k);
    let elements = window_size(cx, r, k, cubic);
    let sizes = vec![to, elements];
    let vars = cx.vars(&sizes);
    let first = cx.syms().constant(0);
    let (firsts, ..) = tapped(cx, r, k, cubic, (vars[0], first));
    let firsts = cx.computed(&Lazy { sizes: vec![to], expr: firsts });
    let (_, _, weight) = tapped(cx, r, k, cubic, (vars[0], vars[1]));
    let weights = cx.computed(&Lazy { sizes: sizes.clone(), expr: weight });
    let total = cx.reduce(ReductionOp::Sum, &[to], &[elements], weights.expr);
    let expr = cx.formula(|x| {
        let total = x(total.expr);
        x(weights.expr) / total.eq(0.0).select(total.float(1.0), total)
    });
    let weights = cx.computed(&Lazy { sizes, expr });
    Windows { elements, weights, firsts }
}

/// The weights of elements beyond the border are added to those of the border, and the sums are rounded.
fn plain_windows(cx: &mut Lower<'_>, r: &Resampling, k: usize, cubic: bool) -> Windows {
    let (from, to) = r.sizes(k);
    let reach = if cubic { 2 } else { 1 };
    let elements = cx.syms().constant(2 * reach);
    let sizes = vec![to, elements];
    let vars = cx.vars(&sizes);
    let step = step(cx, r, k);
    let last = cx.size_as(cx.syms().add_const(from, -1), Dtype::Int64);
    let own = cx.program.exprs.index_value(vars[0], Dtype::Int64);
    let tap = cx.program.exprs.index_value(vars[1], Dtype::Int64);
    let place = cx.formula(|x| source(r, x(own), x(step), !cubic));
    let low = cx.formula(|x| x(place).floor().cast(Dtype::Int64).minimum(x(last)));
    let t = cx.formula(|x| (x(place) - x(low).cast(r.dtype)).maximum(0.0).minimum(1.0));
    let first = cx.formula(|x| (x(low) - (reach - 1)).maximum(0));
    let firsts = cx.computed(&Lazy { sizes: vec![to], expr: first });
    let mut weight: Option<ExprId> = None;
    for j in 0..2 * reach {
        let own = cx.formula(|x| {
            let t = x(t);
            match (cubic, j) {
                (true, _) => cubic_weight(t, j, |x| x),
                (false, 0) => 1.0 - t,
                (false, _) => 1.0 - (1.0 - t),
            }
        });
        let part = cx.formula(|x| {
            let place = (x(low) + (j + 1 - reach)).maximum(0).minimum(x(last));
            let own = x(own);
            place.eq(x(first) + x(tap)).select(own, own.float(0.0))
        });
        weight = Some(match weight {
            None => part,
            Some(sum) => cx.formula(|x| x(sum) + x(part)),
        });
    }
    let expr = weight.unwrap_or(t);
    let weights = cx.computed(&Lazy { sizes, expr });
    Windows { elements, weights, firsts }
}
