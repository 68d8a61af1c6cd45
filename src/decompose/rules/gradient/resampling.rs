//! Gradients of resampling. Resampling is linear in each dimension: the gradient of an element is the weighted sum of the gradients
//! of the results that read it. These results are neighbours, so each element has a window of them. The forward operator itself
//! tells the windows and the weights: it is applied to unit vectors.
//!
//! Invariant: a result contributes nothing to an element that it does not read, so a NaN stays where it is. Multiplying by a
//! matrix of weights would spread it.

use super::{Built, Results, counted, dims, given, or_zero};
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

pub fn upsample_backward(cx: &mut Decompose<'_>) -> Results {
    let gradient = given(cx)?;
    let dtype = cx.dtype_of(gradient);
    let from = cx.ints("input_size").unwrap_or(&[]).to_vec();
    let to = cx.ints("output_size").unwrap_or(&[]).to_vec();
    let count = to.len();
    let names = match count {
        1 => &["scales"][..],
        2 => &["scales_h", "scales_w"],
        _ => &["scales_d", "scales_h", "scales_w"],
    };
    let mut value = cx.compute(gradient)?;
    for k in 0..count {
        let scale = cx.float(names[k]).filter(|scale| *scale > 0.0);
        let line = Line { small: from[2 + k], large: to[k], scale };
        let line = Line { scale: scale.filter(|_| !ignores_scale(cx, &line)), ..line };
        value = match repeats(cx, &line) {
            Some(times) => gathered(cx, value, 2 + k, line.small, times)?,
            None => drawn(cx, value, 2 + k, &line)?,
        };
    }
    Ok(vec![cx.cast(value, dtype)?])
}

/// A dimension before and after the resampling, and the factor that was given.
struct Line {
    small: SymInt,
    large: SymInt,
    scale: Option<f64>,
}

/// Whether PyTorch's kernel for the gradient looks at the sizes alone: a linear one where the size stays, a nearest one also where
/// it doubles.
fn ignores_scale(cx: &Decompose<'_>, line: &Line) -> bool {
    let (name, syms) = (cx.op.name(), cx.syms());
    let is_times = |n: i64| syms.decide(syms.eq(line.large, syms.mul_const(line.small, n))) == Some(true);
    let nearest = name.contains("upsample_nearest") && !name.contains("exact");
    is_linear(cx) && is_times(1) || nearest && (is_times(1) || is_times(2))
}

fn is_linear(cx: &Decompose<'_>) -> bool {
    cx.op.name().contains("linear") && !cx.op.name().contains("_aa")
}

/// How often a nearest resampling repeats each element, where it repeats all as often.
fn repeats(cx: &Decompose<'_>, line: &Line) -> Option<SymInt> {
    if !cx.op.name().contains("nearest") {
        return None;
    }
    let times = cx.syms().divide_exact(line.large, line.small)?;
    let known = cx.syms().as_const(times);
    line.scale.is_none_or(|scale| known.is_some_and(|times| times as f64 == scale)).then_some(times)
}

/// The sums of so many neighbours in a dimension.
fn gathered(cx: &mut Decompose<'_>, value: Value, dim: usize, small: SymInt, times: SymInt) -> Built {
    let mut shape = cx.shape(value);
    shape[dim] = small;
    shape.insert(dim + 1, times);
    let parts = cx.reshape(value, &shape)?;
    cx.sum(parts, &dims(dim + 1, dim + 2), false)
}

/// The place of result `i` among the elements is `numerator / denominator * (i + before) + behind`; it reads elements
/// up to `reach` away, or the nearest one that there is.
struct Places {
    numerator: SymInt,
    denominator: SymInt,
    /// Stands for the fraction where it is known.
    step: Option<f64>,
    before: f64,
    behind: f64,
    /// With what rounding adds.
    reach: f64,
    /// Whether the places are the elements' own in some runs.
    may_stay: bool,
}

impl Places {
    fn of(cx: &Decompose<'_>, line: &Line) -> Places {
        let (name, syms) = (cx.op.name(), cx.syms());
        let aligned = cx.op.schema().arg("align_corners").is_some() && cx.bool("align_corners");
        // Antialiased windows have half-pixel centres even with aligned corners.
        let exact = name.contains("_aa") || !aligned && (name.contains("exact") || !name.contains("nearest"));
        let (before, behind) = if exact { (0.5, -0.5) } else { (0.0, 0.0) };
        let (numerator, denominator) = match aligned {
            true => {
                (syms.add_const(line.small, -1), syms.max(syms.add_const(line.large, -1), cx.constant(1)))
            }
            false => (line.small, line.large),
        };
        let step = match (line.scale, syms.as_const(numerator), syms.as_const(denominator)) {
            (Some(scale), ..) if !aligned => Some(1.0 / scale),
            (_, Some(a), Some(b)) => Some(a as f64 / b as f64),
            _ => None,
        };
        // Places are float32, which are this far off.
        let rounding = syms.as_const(line.small).map_or(0.5, |small| 0.01 + small as f64 * 1e-6);
        let mut reach = if name.contains("bicubic") { 2.0 } else { 1.0 };
        if name.contains("_aa") {
            reach = reach * step.unwrap_or(1.0).max(1.0) + 1.0;
        }
        let unknown = syms.decide(syms.eq(line.small, line.large)).is_none();
        let may_stay = unknown && is_linear(cx) && line.scale.is_some() && !aligned;
        Places { numerator, denominator, step, before, behind, reach: reach + rounding, may_stay }
    }

    /// The first result that may read element `j`, for each `j`; within the dimension.
    fn firsts(&self, cx: &mut Decompose<'_>, line: &Line) -> Built {
        let elements = counted(cx, line.small)?;
        let elements = cx.cast(elements, Dtype::Float64)?;
        let least = cx.sub(elements, self.reach + self.behind)?;
        let place = match self.step {
            Some(step) => cx.div(least, step)?,
            None => {
                let scaled = cx.mul(least, self.denominator)?;
                cx.div(scaled, self.numerator)?
            }
        };
        let place = cx.sub(place, self.before)?;
        let place = cx.unary("ceil", place)?;
        // Where sizes that a run gives may be equal, a linear resampling may leave out the factor.
        let last = if self.may_stay { cx.constant(0) } else { cx.syms().add_const(line.large, -1) };
        let place =
            cx.call("aten.clamp.default", vec![Arg::Value(place), Arg::Float(0.0), Arg::Int(last)])?;
        cx.cast(place, Dtype::Int64)
    }

    /// At least as many results as read any element.
    fn most(&self, cx: &Decompose<'_>, line: &Line) -> SymInt {
        let (syms, large) = (cx.syms(), line.large);
        if self.may_stay {
            return large;
        }
        let wide = 2.0 * self.reach;
        let Some(step) = self.step else {
            // The last result lies at the last element, or half a step before its end.
            let scaled = syms.mul_const(self.denominator, wide.ceil() as i64);
            let count = syms.floordiv(scaled, syms.max(self.numerator, syms.constant(1)));
            return syms.min(syms.add_const(count, 1), large);
        };
        let count = wide / step + 1.0;
        if count.is_nan() || count >= 1e9 {
            return large;
        }
        // A factor that the sizes do not have leaves results behind the last element, which all read that one.
        let first = |small: f64| (small - 1.0 - self.reach - self.behind) / step - self.before;
        let behind = match (syms.as_const(line.small), syms.as_const(large)) {
            (Some(small), Some(large)) => Some(large as f64 - first(small as f64).floor()),
            _ => {
                let times = 1.0 / step;
                let rest = syms.sub(large, syms.mul_const(line.small, times as i64));
                let rest = syms.as_const(rest).filter(|_| times.fract() == 0.0 && times < 1e6);
                rest.map(|rest| rest as f64 - first(0.0).floor())
            }
        };
        match behind {
            Some(behind) => syms.min(syms.constant(count.max(behind) as i64), large),
            None => large,
        }
    }
}

/// The weighted sums of a resampling's windows.
fn drawn(cx: &mut Decompose<'_>, value: Value, dim: usize, line: &Line) -> Built {
    let places = Places::of(cx, line);
    if places.step.is_none() && cx.op.name().contains("_aa") {
        return Err(cx.unsupported("the gradient of an antialiased window over a symbolic size"));
    }
    let firsts = places.firsts(cx, line)?;
    let most = places.most(cx, line);
    sums_of_windows(cx, value, dim, (firsts, most), |cx, window| {
        let looked_up = |cx: &mut Decompose<'_>, one: f64| -> Built {
            let rows = resampled(cx, line, one)?;
            let along = cx.int_arg(1);
            cx.call("aten.gather.default", vec![Arg::Value(rows), along, Arg::Value(window)])
        };
        let weights = looked_up(cx, 1.0)?;
        // What reads a NaN gives one, with a weight of zero too.
        let read = looked_up(cx, f64::NAN)?;
        Ok((cx.unary("isnan", read)?, weights))
    })
}

/// For each element of a dimension the weighted sum of those of at most `most` neighbours of `value`, from `firsts` on, that
/// read it. `of` says of `[elements, most]` places of neighbours whether they read the element, and with which weight.
pub(super) fn sums_of_windows(
    cx: &mut Decompose<'_>,
    value: Value,
    dim: usize,
    (firsts, most): (Value, SymInt),
    of: impl FnOnce(&mut Decompose<'_>, Value) -> Result<(Value, Value), DecomposeError>,
) -> Built {
    let (elements, neighbours) = (cx.shape(firsts)[0], cx.shape(value)[dim]);
    let firsts = cx.unsqueeze(firsts, 1)?;
    let steps = counted(cx, most)?;
    let window = cx.add(firsts, steps)?;
    let inside = cx.compare("lt", window, neighbours)?;
    let last = cx.syms().add_const(neighbours, -1);
    let window = cx.call("aten.clamp_max.default", vec![Arg::Value(window), Arg::Int(last)])?;
    let (read, weights) = of(cx, window)?;
    let read = cx.call("aten.logical_and.default", vec![Arg::Value(read), Arg::Value(inside)])?;
    let mut index = vec![None; dim];
    index.push(Some(window));
    let parts = cx.call("aten.index.Tensor", vec![Arg::Value(value), Arg::Values(index)])?;
    // Two dimensions stand for the one.
    let one = cx.constant(1);
    let mut shape = vec![elements, most];
    shape.resize(cx.rank(parts) - dim, one);
    let (read, weights) = (cx.reshape(read, &shape)?, cx.reshape(weights, &shape)?);
    let product = cx.mul(parts, weights)?;
    let product = or_zero(cx, read, product)?;
    cx.sum(product, &dims(dim + 1, dim + 2), false)
}

/// `[small, large]`: the forward operator applied to each unit vector, with `element` in the place of the one.
fn resampled(cx: &mut Decompose<'_>, line: &Line, element: f64) -> Built {
    let Line { small, large, scale } = *line;
    let is_element =
        cx.call_with("aten.eye.default", vec![Arg::Int(small)], vec![("dtype", Arg::Dtype(Dtype::Bool))])?;
    let wide = cx.dtype_of(given(cx)?).compute();
    let (element, zero) = (cx.scalar(element, wide)?, cx.scalar(0.0, wide)?);
    let unit = cx.select(is_element, element, zero)?;
    let name = cx.op.name();
    let scale = scale.map_or(Arg::None, Arg::Float);
    let one = cx.constant(1);
    let align = cx.op.schema().arg("align_corners").map(|_| cx.arg("align_corners").clone());
    // One line for each vector; images of one column where there is no form for lines.
    let rows = if name.contains("bicubic") || name.contains("_aa") {
        let image = cx.reshape(unit, &[small, one, small, one])?;
        let operator = name.replace("_backward", "");
        let mut args = vec![Arg::Value(image), Arg::Ints(vec![large, one])];
        args.extend(align);
        args.extend([scale, Arg::None]);
        cx.call(&operator, args)?
    } else {
        let line = cx.reshape(unit, &[small, one, small])?;
        let operator = match () {
            _ if name.contains("nearest_exact") => "aten._upsample_nearest_exact1d.default",
            _ if name.contains("nearest") => "aten.upsample_nearest1d.default",
            _ => "aten.upsample_linear1d.default",
        };
        let mut args = vec![Arg::Value(line), Arg::Ints(vec![large])];
        args.extend(align);
        args.push(scale);
        cx.call(operator, args)?
    };
    cx.reshape(rows, &[small, large])
}
