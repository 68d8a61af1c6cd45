//! Formulas of quantisation while training: values rounded to what integers can hold, and observers of their range.

use super::super::formula::Scope;
use super::{Built, Cx, MetaError, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// The rounded values, and where they were within the range.
pub fn cachemask(cx: &mut Cx<'_, '_>) -> Results {
    let args: Vec<Arg> = cx.args[..5].to_vec();
    let rounded = cx.call("fake_quantize_per_tensor_affine($0, $1, $2, $3, $4)", &args)?;
    let text = "scalar_tensor($0, dtype=$1)";
    let scale = cx.call(text, &[args[1].clone(), Arg::Dtype(Dtype::Float32)])?;
    let zero = cx.call(text, &[args[2].clone(), Arg::Dtype(Dtype::Int32)])?;
    let mask = within(cx, cx.value(0)?, scale, zero, &args[3..5])?;
    Ok(vec![rounded, mask])
}

pub fn channel_cachemask(cx: &mut Cx<'_, '_>) -> Results {
    let args: Vec<Arg> = cx.args[..6].to_vec();
    let rounded = cx.call("fake_quantize_per_channel_affine($0, $1, $2, $3, $4, $5)", &args)?;
    let own = cx.value(0)?;
    let axis = cx.known(3)?;
    let scale = along(cx, cx.value(1)?, own, axis)?;
    let zero = along(cx, cx.value(2)?, own, axis)?;
    let mask = within(cx, own, scale, zero, &args[4..6])?;
    Ok(vec![rounded, mask])
}

/// A vector with one number for each index of an axis, as it broadcasts to the tensor.
fn along(cx: &mut Cx<'_, '_>, numbers: Value, own: Value, axis: i64) -> Built {
    let rank = cx.rank(own) as i64;
    if axis < -rank || axis >= rank {
        return Err(cx.wrong(format!("axis {axis} of a tensor of rank {rank}")));
    }
    let mut shape = vec![1; rank as usize];
    shape[axis.rem_euclid(rank) as usize] = -1;
    let shape = cx.ints(&shape);
    cx.call("reshape($0, $1)", &[v(numbers), shape])
}

/// Whether `zero + round(x / scale)` lies within the range.
fn within(cx: &mut Cx<'_, '_>, own: Value, scale: Value, zero: Value, range: &[Arg]) -> Built {
    let wide = cx.cast(own, cx.dtype(own).compute())?;
    let scale = cx.cast(scale, Dtype::Float32)?;
    // Zero points that are floats are added before rounding.
    let text = match cx.dtype(zero).is_float() {
        true => "round(add(mul($0, reciprocal($1)), $2))",
        false => "add(round(mul($0, reciprocal($1))), $2)",
    };
    let whole = cx.of(text, &[wide, scale, zero])?;
    let args = [v(whole), range[0].clone(), range[1].clone()];
    cx.call("logical_and(ge.Scalar($0, $1), le.Scalar($0, $2))", &args)
}

pub fn of_tensors(cx: &mut Cx<'_, '_>) -> Results {
    let (own, scale) = (cx.value(0)?, cx.value(1)?);
    let zero = zero_of_all(cx)?;
    let range = cx.args[3..5].to_vec();
    Ok(vec![by_one(cx, own, scale, zero, &range)?])
}

/// PyTorch takes the one zero point of all values as an integer.
fn zero_of_all(cx: &mut Cx<'_, '_>) -> Built {
    let zero = cx.value(2)?;
    cx.cast(zero, Dtype::Int32)
}

/// All values by one scale, which is in a tensor.
fn by_one(cx: &mut Cx<'_, '_>, own: Value, scale: Value, zero: Value, range: &[Arg]) -> Built {
    let args = [v(own), v(scale), v(zero), range[0].clone(), range[1].clone()];
    let text = "squeeze.dim(fake_quantize_per_channel_affine(unsqueeze($0, 0), reshape($1, [1]), \
                reshape($2, [1]), 0, $3, $4), 0)";
    cx.call(text, &args)
}

pub fn cachemask_of_tensors(cx: &mut Cx<'_, '_>) -> Results {
    let (own, scale, enabled) = (cx.value(0)?, cx.value(1)?, cx.value(3)?);
    let zero = zero_of_all(cx)?;
    let range = cx.args[4..6].to_vec();
    let rounded = by_one(cx, own, scale, zero, &range)?;
    let mask = within(cx, own, scale, zero, &range)?;
    where_enabled(cx, enabled, own, rounded, mask)
}

/// The rounded values and their mask, or the values as they are, where rounding is not enabled.
fn where_enabled(cx: &mut Cx<'_, '_>, enabled: Value, own: Value, rounded: Value, mask: Value) -> Results {
    let enabled = cx.of("ne.Scalar(select.int(reshape($0, [-1]), 0, 0), 0)", &[enabled])?;
    let result = cx.of("where.self($0, $1, $2)", &[enabled, rounded, own])?;
    let mask = cx.of("logical_or($0, logical_not($1))", &[mask, enabled])?;
    Ok(vec![result, mask])
}

/// The observer's updated state, and the values rounded with it.
struct Observed {
    results: Vec<Value>,
    /// The least and the greatest value seen, scale and zero point.
    state: [Value; 4],
}

/// A moving average of the least and the greatest value, which begins with the first ones, and the scale that covers it.
fn observe(cx: &mut Cx<'_, '_>) -> Result<Observed, MetaError> {
    let (own, on, enabled) = (cx.value(0)?, cx.value(1)?, cx.value(2)?);
    let before = [cx.value(3)?, cx.value(4)?, cx.value(5)?, cx.value(6)?];
    let (constant, range) = (cx.args[7].clone(), cx.args[8..10].to_vec());
    let (low, high) = (cx.known(8)?, cx.known(9)?);
    let (by_row, symmetric) = (cx.flag(11), cx.flag(12));
    if low >= high {
        return Err(cx.error(Status::InvalidArgument, "`quant_min` is not below `quant_max`"));
    }
    let rank = cx.rank(own) as i64;
    let axis = cx.known(10)?;
    if by_row && (axis < -rank || axis >= rank) {
        return Err(cx.wrong(format!("axis {axis} of a tensor of rank {rank}")));
    }
    let on = cx.of("ne.Scalar(select.int(reshape($0, [-1]), 0, 0), 0)", &[on])?;
    let mut state = before;
    for (k, extreme) in ["amin", "amax"].into_iter().enumerate() {
        let seen = match by_row {
            true => {
                let args = [v(own), cx.int(axis), cx.int(0)];
                cx.call(
                    &format!("{extreme}(flatten.using_ints(movedim.int($0, $1, $2), 1, -1), [1])"),
                    &args,
                )?
            }
            false => cx.of(&format!("{extreme}($0)"), &[own])?,
        };
        let dtype = cx.dtype(before[k]);
        let seen = cx.cast(seen, dtype)?;
        // Infinite before the first values.
        let args = [v(before[k]), v(seen), constant.clone()];
        let shape = Arg::Ints(cx.shape(before[k]));
        let seen_alike = if by_row && cx.rank(before[k]) == 1 {
            seen
        } else {
            cx.call("expand($0, $1)", &[v(seen), shape])?
        };
        let mixed = cx.call("add($0, mul.Scalar(sub($1, $0), $2))", &args)?;
        let first = cx.of("isinf($0)", &[before[k]])?;
        let after = cx.of("where.self($0, $1, $2)", &[first, seen_alike, mixed])?;
        state[k] = cx.of("where.self($0, $1, $2)", &[on, after, before[k]])?;
    }
    // Scales change where values are rounded by them.
    let fake = cx.of("ne.Scalar(select.int(reshape($0, [-1]), 0, 0), 0)", &[enabled])?;
    let (scale, zero) = chosen(cx, state[0], state[1], (low, high), symmetric)?;
    for (k, made) in [(2, scale), (3, zero)] {
        let made = cx.cast(made, cx.dtype(before[k]))?;
        let shape = Arg::Ints(cx.shape(before[k]));
        let made = cx.call("expand($0, $1)", &[v(made), shape])?;
        state[k] = cx.of("where.self($0, $1, $2)", &[fake, made, before[k]])?;
    }
    let (rounded, mask) = match by_row {
        true => {
            let args = [v(own), v(state[2]), v(state[3]), cx.int(axis), range[0].clone(), range[1].clone()];
            let rounded = cx.call("fake_quantize_per_channel_affine($0, $1, $2, $3, $4, $5)", &args)?;
            let scale = along(cx, state[2], own, axis)?;
            let zero = along(cx, state[3], own, axis)?;
            (rounded, within(cx, own, scale, zero, &range)?)
        }
        false => {
            let rounded = by_one(cx, own, state[2], state[3], &range)?;
            let (scale, zero) =
                (cx.of("reshape($0, [])", &[state[2]])?, cx.of("reshape($0, [])", &[state[3]])?);
            (rounded, within(cx, own, scale, zero, &range)?)
        }
    };
    Ok(Observed { results: where_enabled(cx, enabled, own, rounded, mask)?, state })
}

/// The least scale that values are divided by.
const SMALLEST_SCALE: f64 = 6.1e-5f32 as f64;

/// Scale and zero point of a range, as PyTorch's kernel for a CPU chooses them, in float64.
fn chosen(
    cx: &mut Cx<'_, '_>,
    least: Value,
    greatest: Value,
    (low, high): (i64, i64),
    symmetric: bool,
) -> Result<(Value, Value), MetaError> {
    let steps = (high - low) as f64;
    let (mut least, mut greatest) = (cx.cast(least, Dtype::Float64)?, cx.cast(greatest, Dtype::Float64)?);
    let around = cx.of("logical_and(lt.Scalar($0, 0), gt.Scalar($1, 0))", &[least, greatest])?;
    if symmetric {
        let (down, up) = (-((high - low) / 2 + 1) as f64, ((high - low) / 2) as f64);
        let args = [v(least), v(greatest), Arg::Float(down), Arg::Float(up)];
        let unit = cx.call("maximum(abs(div.Scalar($0, $2)), abs(div.Scalar($1, $3)))", &args)?;
        for (bound, factor) in [(&mut least, down), (&mut greatest, up)] {
            let wide = cx.call("mul.Scalar($0, $1)", &[v(unit), Arg::Float(factor)])?;
            // Kept in float32.
            let wide = cx.cast(wide, Dtype::Float32)?;
            let wide = cx.cast(wide, Dtype::Float64)?;
            *bound = cx.of("where.self($0, $1, $2)", &[around, wide, *bound])?;
        }
    }
    // The range holds zero, so that zero is a quantised number.
    let least = cx.of("clamp_max($0, 0)", &[least])?;
    let greatest = cx.of("clamp_min($0, 0)", &[greatest])?;
    let scale = cx.call("div.Scalar(sub($1, $0), $2)", &[v(least), v(greatest), Arg::Float(steps)])?;
    let narrow = cx.cast(scale, Dtype::Float32)?;
    let useless = cx.of("logical_or(eq.Scalar($0, 0), isinf(reciprocal($0)))", &[narrow])?;
    let scale = cx.call("masked_fill.Scalar($0, $1, $2)", &[v(scale), v(useless), Arg::Float(0.1)])?;
    // A small scale is enlarged, and the range with it.
    let args = [v(scale), Arg::Float(SMALLEST_SCALE), Arg::Float(SMALLEST_SCALE * steps)];
    let small = cx.call("lt.Scalar($0, $1)", &args)?;
    let growth = cx.call("mul.Scalar(reciprocal($0), $1)", &args)?;
    let span = args[2].clone();
    let [no_least, no_greatest] = [least, greatest].map(|end| cx.of("eq.Scalar($0, 0)", &[end]));
    let (no_least, no_greatest) = (no_least?, no_greatest?);
    let one = [v(no_greatest), v(least), v(growth), span.clone()];
    let first = cx.call("where.self($0, neg(full_like($1, $3)), mul($1, $2))", &one)?;
    let one = [v(no_least), v(greatest), v(growth), span];
    let last = cx.call("where.self($0, full_like($1, $3), mul($1, $2))", &one)?;
    // Both ends at zero: PyTorch moves the greatest one.
    let first = cx.call("masked_fill.Scalar($0, $1, 0)", &[v(first), v(no_least)])?;
    let moved = cx.of("logical_and($0, logical_not($1))", &[no_greatest, no_least])?;
    let last = cx.call("masked_fill.Scalar($0, $1, 0)", &[v(last), v(moved)])?;
    let least = cx.of("where.self($0, $1, $2)", &[small, first, least])?;
    let greatest = cx.of("where.self($0, $1, $2)", &[small, last, greatest])?;
    let scale = cx.call("clamp_min($0, $1)", &[v(scale), Arg::Float(SMALLEST_SCALE)])?;
    // The zero point is computed from the end of the range that has the smaller error, as in PyTorch.
    let ends = [(least, low), (greatest, high)].map(|(end, number)| {
        let args = [v(end), v(scale), cx.int(number), cx.int(number.abs())];
        let place = cx.call("rsub.Scalar(div($0, $1), $2)", &args)?;
        Ok::<_, MetaError>((place, cx.call("rsub.Scalar(abs(div($0, $1)), $3)", &args)?))
    });
    let [by_least, by_greatest] = ends;
    let ((by_least, error), (by_greatest, other)) = (by_least?, by_greatest?);
    let args = [error, other, by_least, by_greatest];
    let mut zero = cx.of("where.self(lt.Tensor($0, $1), $2, $3)", &args)?;
    if symmetric {
        let middle = Arg::Float((low + high) as f64 / 2.0);
        let around = cx.of("logical_and(lt.Scalar($0, 0), gt.Scalar($1, 0))", &[least, greatest])?;
        zero = cx.call("masked_fill.Scalar($0, $1, $2)", &[v(zero), v(around), middle])?;
    }
    let bounds = [v(zero), cx.int(low), cx.int(high)];
    Ok((scale, cx.call("round(clamp($0, $1, $2))", &bounds)?))
}

pub fn observed_functional(cx: &mut Cx<'_, '_>) -> Results {
    let Observed { mut results, state } = observe(cx)?;
    results.extend(state);
    Ok(results)
}

/// The observer's state is written to the tensors that hold it.
pub fn observed(cx: &mut Cx<'_, '_>) -> Results {
    let Observed { results, state } = observe(cx)?;
    for (k, after) in state.into_iter().enumerate() {
        let before = cx.value(3 + k)?;
        cx.of("copy_($0, $1)", &[before, after])?;
    }
    Ok(results)
}

pub fn observed_alone(cx: &mut Cx<'_, '_>) -> Results {
    Ok(observed(cx)?[..1].to_vec())
}

/// The products of groups of rows with matrices of their own: each row of the left operand and each column of a matrix has a scale.
pub fn scaled_grouped_mm(cx: &mut Cx<'_, '_>) -> Results {
    let (a, b) = (cx.value(0)?, cx.value(1)?);
    if cx.optional(6).is_some() {
        return Err(cx.error(Status::Unsupported, "`scale_result`"));
    }
    if cx.rank(a) == 2 && cx.rank(b) == 2 {
        return Err(cx.error(Status::Unsupported, "groups along the inner dimension"));
    }
    for k in [0, 1] {
        let operand = cx.value(k)?;
        if !cx.dtype(operand).is_float8() {
            let message = format!("an operand of dtype {}, not a float8", cx.dtype(operand));
            return Err(cx.error(Status::Dtype, message));
        }
    }
    let out = cx.args[7].dtype().unwrap_or(Dtype::Bfloat16);
    let (a, b) = (cx.cast(a, Dtype::Float32)?, cx.cast(b, Dtype::Float32)?);
    let a = cx.of("mul($0, unsqueeze($1, -1))", &[a, cx.value(2)?])?;
    let b = cx.of("mul($0, unsqueeze($1, -2))", &[b, cx.value(3)?])?;
    let args = [v(a), v(b), cx.args[4].clone(), cx.args[5].clone()];
    let product = cx.call("_grouped_mm($0, $1, $2, $3)", &args)?;
    Ok(vec![cx.cast(product, out)?])
}

/// `_scaled_grouped_mm_v2`. Each operand has a recipe for its scales; recipe 1 is one scale for each row.
pub fn scaled_grouped_mm_v2(cx: &mut Cx<'_, '_>) -> Results {
    let syms = cx.b.graph.syms.clone();
    for k in [3, 4, 6, 7, 11] {
        let recipes = cx.args[k].ints().and_then(|list| syms.as_consts(list));
        let wanted: &[i64] = if matches!(k, 3 | 6) { &[1] } else { &[0] };
        if !recipes.is_some_and(|list| list == wanted || (list.is_empty() && !matches!(k, 3 | 6))) {
            let message =
                "scales other than one for each row, swizzled ones, or another dimension of contraction";
            return Err(cx.error(Status::Unsupported, message));
        }
    }
    let [Some(left), Some(right)] = [2, 5].map(|k| cx.values(k).first().copied()) else {
        return Err(cx.wrong("both operands need scales".into()));
    };
    let [offsets, bias, dtype] = [8, 9, 10].map(|k| cx.args[k].clone());
    let args = [cx.args[0].clone(), cx.args[1].clone(), v(left), v(right), offsets, bias, dtype];
    cx.calls("_scaled_grouped_mm($0, $1, $2, $3, $4, $5, none, $6)", &args)
}
