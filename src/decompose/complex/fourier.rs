//! Fourier transforms of complex tensors as transforms of pairs, one dimension after the other.

use super::context::{Built, BuiltPair, Held, Pair, Split};
use super::{DecomposeError, Results};
use crate::ir::{Arg, Value};
use crate::types::SymInt;

/// Dimensions that are transformed, counted from the start.
fn dims(cx: &Split<'_, '_>, rank: usize) -> Result<Vec<usize>, DecomposeError> {
    let given = cx.known_ints("dim")?;
    given.into_iter().map(|d| cx.dim(d, rank)).collect()
}

/// Transforms each of some dimensions of pairs.
fn transformed(cx: &mut Split<'_, '_>, mut pairs: Value, dims: &[usize], forward: bool) -> Built {
    let norm = cx.known_int("normalization")?;
    for dim in dims {
        let args = vec![Arg::Value(pairs), cx.int_arg(*dim as i64), cx.int_arg(norm), Arg::Bool(forward)];
        pairs = cx.call("litz.fourier.default", args)?;
    }
    Ok(pairs)
}

pub fn c2c(cx: &mut Split<'_, '_>) -> Results {
    let own = cx.given_value("self")?;
    let (dims, forward) = (dims(cx, cx.old.meta(own).rank())?, cx.bool("forward"));
    let pairs = cx.joined_of(own)?;
    Ok(vec![Held::Joined(transformed(cx, pairs, &dims, forward)?)])
}

pub fn r2c(cx: &mut Split<'_, '_>) -> Results {
    let x = cx.value("self")?;
    let shape = cx.shape(x);
    let dims = dims(cx, shape.len())?;
    let Some((last, others)) = dims.split_last() else {
        let im = cx.zeros_like(x)?;
        return Ok(vec![Pair { re: x, im }.into()]);
    };
    let norm = cx.known_int("normalization")?;
    let args = vec![Arg::Value(x), cx.int_arg(*last as i64), cx.int_arg(norm)];
    let half = cx.call("litz.fourier_real.default", args)?;
    let half = transformed(cx, half, others, true)?;
    if cx.bool("onesided") {
        return Ok(vec![Held::Joined(half)]);
    }
    Ok(vec![whole_spectrum(cx, half, (*last, shape[*last]), others)?.into()])
}

/// All of a real signal's spectrum from the half of it in one dimension: the number at `-k` is the conjugate of that at `k`.
fn whole_spectrum(
    cx: &mut Split<'_, '_>,
    half: Value,
    (last, size): (usize, SymInt),
    others: &[usize],
) -> BuiltPair {
    let (one, have) = (cx.constant(1), cx.shape(half)[last]);
    let missing = cx.syms().sub(size, have);
    let end = cx.syms().add(one, missing);
    let args = vec![Arg::Value(half), cx.int_arg(last as i64), Arg::Int(one), Arg::Int(end)];
    let mut mirror = cx.call("aten.slice.Tensor", args)?;
    let all: Vec<i64> = others.iter().chain([&last]).map(|d| *d as i64).collect();
    let flipped = cx.ints_arg(&all);
    mirror = cx.call("aten.flip.default", vec![Arg::Value(mirror), flipped])?;
    if !others.is_empty() {
        // The number at 0 is its own mirror image.
        let shifts = cx.ints_arg(&vec![1; others.len()]);
        let rolled = cx.ints_arg(&all[..others.len()]);
        mirror = cx.call("aten.roll.default", vec![Arg::Value(mirror), shifts, rolled])?;
    }
    let (first, second) = (cx.parts_of(half)?, cx.parts_of(mirror)?);
    let turned = cx.unary("neg", second.im)?;
    let re = cx.cat(vec![first.re, second.re], last as i64)?;
    Ok(Pair { re, im: cx.cat(vec![first.im, turned], last as i64)? })
}

pub fn c2r(cx: &mut Split<'_, '_>) -> Results {
    let own = cx.given_value("self")?;
    let shape = cx.old.meta(own).shape.clone();
    let dims = dims(cx, shape.len())?;
    let missing = cx.unsupported("no dimension is named");
    let (last, others) = dims.split_last().ok_or(missing)?;
    let missing = cx.unsupported("`last_dim_size` must be an integer");
    let size = cx.int("last_dim_size").ok_or(missing)?;
    let mut pairs = cx.joined_of(own)?;
    let half = crate::meta::rules::half(cx.syms(), size);
    let dim = cx.int_arg(*last as i64);
    if half != shape[*last] {
        let zero = cx.int_arg(0);
        pairs = cx.call("aten.slice.Tensor", vec![Arg::Value(pairs), dim.clone(), zero, Arg::Int(half)])?;
    }
    let pairs = transformed(cx, pairs, others, false)?;
    let norm = cx.known_int("normalization")?;
    let args = vec![Arg::Value(pairs), dim, Arg::Int(size), cx.int_arg(norm)];
    Ok(vec![Held::Whole(cx.call("litz.fourier_back.default", args)?)])
}
