//! Resampling: elements of a result are weighted sums of the input's elements around a place that is computed in
//! floating point, exactly as PyTorch computes it, since rounding decides which elements these are.

mod bytes;

use crate::ir::Arg;
use crate::loops::lower::{Args, Lazy, Lower, LowerError, X};
use crate::loops::{ExprId, ReductionOp};
use crate::types::{Dtype, Scalar, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// The coefficient of the cubic convolution kernel that PyTorch interpolates with.
const CUBIC: f64 = -0.75;
/// That of its antialiased one.
const CUBIC_ANTIALIASED: f64 = -0.5;

/// The height and width together of the largest image for which PyTorch takes its kernel for small ones, which looks at the
/// sizes alone where one stays or doubles.
const SMALL_IMAGE: i64 = 128;

/// One of the input's elements, along one dimension.
struct Tap {
    /// The place, which lies within the input.
    place: Place,
    /// `None` stands for 1.
    weight: Option<ExprId>,
}

/// A place along a dimension.
#[derive(Clone, Copy)]
enum Place {
    Index(SymInt),
    /// An int64 expression.
    Data(ExprId),
}

/// A resampling operator's tensors and numbers.
struct Resampling {
    input: Lazy,
    shape: Vec<SymInt>,
    align_corners: bool,
    /// The factors that were given, one per spatial dimension.
    factors: Vec<Option<f64>>,
    /// Where it depends on a run's sizes: the condition under which sizes alone count, whatever the factor is.
    by_sizes: Vec<Option<SymInt>>,
    dtype: Dtype,
}

impl Resampling {
    fn new(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<Self, LowerError> {
        let schema = args.node.op.schema();
        let input = args.lazy(cx, if schema.arg("input").is_some() { "input" } else { "self" })?;
        let out = args.result(0);
        let count = out.rank() - 2;
        let factors = match schema.arg("scale_factors") {
            Some(_) => match args.get("scale_factors") {
                Arg::Floats(list) => list.iter().map(|f| Some(*f)).collect(),
                _ => vec![None; count],
            },
            None if count == 1 => vec![args.float("scales")],
            None => ["scales_d", "scales_h", "scales_w"][3 - count..].iter().map(|n| args.float(n)).collect(),
        };
        let mut factors = factors;
        let mut by_sizes = vec![None; count];
        if args.node.op.name().contains("upsample_nearest2d") {
            let syms = cx.syms();
            let is_small = syms.le(syms.sum(&out.shape[2..]), syms.constant(SMALL_IMAGE));
            for k in 0..count {
                let (from, to) = (input.sizes[2 + k], out.shape[2 + k]);
                let doubled = syms.mul_const(from, 2);
                let plain = syms.or(syms.eq(to, from), syms.eq(to, doubled));
                let condition = syms.and(is_small, plain);
                // Whether the factor says what sizes say. Where both are 0 it says it of nothing.
                let known = |condition: SymInt| syms.decide(condition) == Some(true);
                let agrees = match factors[k] {
                    Some(2.0) => known(syms.eq(to, doubled)) || known(syms.lt(from, to)),
                    Some(1.0) => known(syms.eq(to, from)) || known(syms.lt(to, doubled)),
                    _ => false,
                };
                match syms.decide(condition) {
                    Some(true) => factors[k] = None,
                    None if !agrees => by_sizes[k] = factors[k].and(Some(condition)),
                    _ => {}
                }
            }
        }
        let align_corners = schema.arg("align_corners").is_some() && args.bool("align_corners");
        let dtype = if out.dtype == Dtype::Float64 { Dtype::Float64 } else { Dtype::Float32 };
        Ok(Resampling { input, shape: out.shape.clone(), align_corners, factors, by_sizes, dtype })
    }
    fn sizes(&self, k: usize) -> (SymInt, SymInt) {
        (self.input.sizes[2 + k], self.shape[2 + k])
    }
}

fn float(cx: &mut Lower<'_>, value: f64, dtype: Dtype) -> ExprId {
    let value = if dtype == Dtype::Float32 { value as f32 as f64 } else { value };
    cx.program.exprs.constant(Scalar::Float(value), dtype)
}

/// `a / b` in `dtype`.
fn ratio(cx: &mut Lower<'_>, a: SymInt, b: SymInt, dtype: Dtype) -> ExprId {
    if let (Some(a), Some(b)) = (cx.syms().as_const(a), cx.syms().as_const(b)) {
        let value = if dtype == Dtype::Float32 { (a as f32 / b as f32) as f64 } else { a as f64 / b as f64 };
        return float(cx, value, dtype);
    }
    let (a, b) = (cx.size_as(a, dtype), cx.size_as(b, dtype));
    cx.bin(crate::loops::BinaryOp::Div, a, b)
}

/// How far the input's place moves when the result's moves by one, along spatial dimension `k`.
fn step(cx: &mut Lower<'_>, r: &Resampling, k: usize) -> ExprId {
    let (from, to) = r.sizes(k);
    let syms = cx.syms();
    if r.align_corners {
        let one = syms.constant(1);
        let (from, last) = (syms.add_const(from, -1), syms.add_const(to, -1));
        let step = ratio(cx, from, syms.max(last, one), r.dtype);
        let zero = float(cx, 0.0, r.dtype);
        return cx.where_index(syms.le(one, last), step, zero);
    }
    match r.factors[k] {
        Some(factor) if factor > 0.0 => {
            let given = given_step(cx, 1.0 / factor, from, r.dtype);
            match r.by_sizes[k] {
                Some(condition) => {
                    let of_sizes = ratio(cx, from, to, r.dtype);
                    cx.where_index(condition, of_sizes, given)
                }
                None => given,
            }
        }
        _ => ratio(cx, from, to, r.dtype),
    }
}

/// Steps up to this one are used as a factor gives them.
const LONGEST_STEP: f64 = (1 << 24) as f64;

/// The step that a factor gives. A longer one is limited to a length that still leaves the image at once, so that places stay
/// within int64. Places behind the last element read the last element anyway.
fn given_step(cx: &mut Lower<'_>, step: f64, from: SymInt, dtype: Dtype) -> ExprId {
    let given = float(cx, step.min(f32::MAX.into()), dtype);
    if step <= LONGEST_STEP {
        return given;
    }
    let size = cx.size_as(from, dtype);
    cx.formula(|x| x(given).minimum(x(size) * 2.0 + LONGEST_STEP))
}

/// The place in the input that the result's place `var` stands for.
fn source<'c>(r: &Resampling, var: X<'c>, step: X<'c>, clamp: bool) -> X<'c> {
    let var = var.cast(r.dtype);
    if r.align_corners {
        return step * var;
    }
    let place = step * (var + 0.5) - 0.5;
    if clamp { place.maximum(0.0) } else { place }
}

/// The sum of the input's elements at all combinations of taps, times their weights.
fn blend(
    cx: &mut Lower<'_>,
    r: &Resampling,
    taps: &[Vec<Tap>],
    chosen: &mut Vec<Place>,
    lead: &[SymInt],
) -> ExprId {
    let Some((first, rest)) = taps.split_first() else {
        let (mut index, mut data) = (lead.to_vec(), Vec::new());
        for place in chosen.iter() {
            index.push(match place {
                Place::Index(i) => *i,
                Place::Data(expr) => {
                    data.push(*expr);
                    cx.syms().data_var(data.len() as u32 - 1)
                }
            });
        }
        return if data.is_empty() { cx.at(&r.input, &index) } else { cx.at_data(&r.input, index, data) };
    };
    let mut sum: Option<ExprId> = None;
    for tap in first {
        chosen.push(tap.place);
        let mut value = blend(cx, r, rest, chosen, lead);
        chosen.pop();
        if let Some(weight) = tap.weight {
            value = cx.cast(value, r.dtype);
            value = cx.bin(crate::loops::BinaryOp::Mul, weight, value);
        }
        sum = Some(match sum {
            None => value,
            Some(sum) => cx.bin(crate::loops::BinaryOp::Add, sum, value),
        });
    }
    sum.unwrap_or_else(|| float(cx, 0.0, r.dtype))
}

fn blended(cx: &mut Lower<'_>, args: &Args<'_>, r: &mut Resampling, taps: &[Vec<Tap>]) -> Results {
    // Read at data: as a buffer, once.
    r.input = cx.computed(&r.input);
    let lead = cx.vars(&r.shape)[..2].to_vec();
    let value = blend(cx, r, taps, &mut Vec::new(), &lead);
    let expr = cx.cast(value, args.result(0).dtype);
    Ok(vec![Lazy { sizes: r.shape.clone(), expr }])
}

/// One element each: the one whose place is reached (`nearest`), or the nearest one (`nearest_exact`).
pub fn upsample_nearest(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut r = Resampling::new(cx, args)?;
    let exact = args.node.op.name().contains("exact");
    let mut taps = Vec::new();
    for k in 0..r.factors.len() {
        let place = nearest_place(cx, &r, k, exact);
        taps.push(vec![Tap { place, weight: None }]);
    }
    blended(cx, args, &mut r, &taps)
}

fn nearest_place(cx: &mut Lower<'_>, r: &Resampling, k: usize, exact: bool) -> Place {
    if let Some(index) = nearest_index(cx, r, k, exact) {
        return Place::Index(index);
    }
    let (from, _) = r.sizes(k);
    let var = cx.vars(&r.shape)[2 + k];
    let step = step(cx, r, k);
    let last = cx.size_as(cx.syms().add_const(from, -1), Dtype::Int64);
    let place = cx.formula(|x| {
        let (step, last) = (x(step), x(last));
        let var = step.index(var);
        let place = if exact { source(r, var, step, true) + 0.5 } else { step * var.cast(r.dtype) };
        place.floor().cast(Dtype::Int64).minimum(last).maximum(0)
    });
    Place::Data(place)
}

/// The nearest place as an index expression, where that is provably what rounding gives: such a load is no gather.
fn nearest_index(cx: &Lower<'_>, r: &Resampling, k: usize, exact: bool) -> Option<SymInt> {
    let (from, to) = r.sizes(k);
    let syms = cx.syms();
    let var = cx.vars(&r.shape)[2 + k];
    let (Some(n_from), Some(n_to)) = (syms.as_const(from), syms.as_const(to)) else {
        // Steps of a power of two are exact.
        let alone = r.by_sizes[k].is_none();
        let factor = r.factors[k].filter(|f| alone && !exact && (0.0625..=16.0).contains(f))?;
        let (up, down) = (factor, 1.0 / factor);
        let place = |var: SymInt| {
            if up >= 1.0 && up.log2().fract() == 0.0 {
                Some(syms.floordiv(var, syms.constant(up as i64)))
            } else if down >= 1.0 && down.log2().fract() == 0.0 {
                Some(syms.mul_const(var, down as i64))
            } else {
                None
            }
        };
        // A size that the factor does not give may reach beyond the input, whose last element then stands for the others.
        let inside = syms.lt(place(syms.add_const(to, -1))?, from);
        return place(var).filter(|_| syms.decide(inside) == Some(true));
    };
    if n_to > 1 << 16 {
        return None;
    }
    // Up to 2^17 times as many as 63 bits count.
    let (wide_from, wide_to) = (i128::from(n_from), i128::from(n_to));
    let rational = |i: i64| {
        let i = i128::from(i);
        if exact { (2 * i + 1) * wide_from / (2 * wide_to) } else { i * wide_from / wide_to }
    };
    let step = match r.factors[k] {
        Some(factor) if factor > 0.0 => 1.0 / factor,
        _ if r.dtype == Dtype::Float32 => (n_from as f32 / n_to as f32) as f64,
        _ => n_from as f64 / n_to as f64,
    };
    let rounded = |i: i64| {
        let place = match (r.dtype, exact) {
            (Dtype::Float32, false) => (i as f32 * step as f32).floor() as f64,
            (Dtype::Float32, true) => ((step as f32 * (i as f32 + 0.5) - 0.5).max(0.0) + 0.5).floor() as f64,
            (_, false) => (i as f64 * step).floor(),
            (_, true) => ((step * (i as f64 + 0.5) - 0.5).max(0.0) + 0.5).floor(),
        };
        (place as i64).min(n_from - 1)
    };
    if !(0..n_to).all(|i| rational(i) == rounded(i).into()) {
        return None;
    }
    Some(if exact {
        let place = syms.mul_const(syms.add_const(syms.mul_const(var, 2), 1), n_from);
        syms.floordiv(place, syms.constant(2 * n_to))
    } else {
        syms.floordiv(syms.mul_const(var, n_from), syms.constant(n_to))
    })
}

/// Between two elements per dimension.
pub fn upsample_linear(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut r = Resampling::new(cx, args)?;
    if args.result(0).dtype == Dtype::Uint8 {
        return bytes::resampled(cx, r, false, false);
    }
    // PyTorch has a kernel of its own for two dimensions, which keeps the weights as they are.
    let dtype = if r.factors.len() == 2 { r.dtype } else { args.result(0).dtype };
    let mut taps = Vec::new();
    for k in 0..r.factors.len() {
        taps.push(linear_taps(cx, &r, k, dtype));
    }
    blended(cx, args, &mut r, &taps)
}

/// A weight as a dtype holds it: PyTorch's general kernel has halves for the weights of halves.
fn held(cx: &mut Lower<'_>, weight: ExprId, dtype: Dtype) -> ExprId {
    let narrow = cx.cast(weight, dtype);
    cx.compute(narrow)
}

/// Weights of this dtype.
fn linear_taps(cx: &mut Lower<'_>, r: &Resampling, k: usize, dtype: Dtype) -> Vec<Tap> {
    let (from, to) = r.sizes(k);
    let syms = cx.syms();
    let var = cx.vars(&r.shape)[2 + k];
    // A size that stays is not resampled, whatever the factor. The second element is the first one, with no weight: an infinite
    // one becomes NaN, as in PyTorch.
    let same = syms.eq(from, to);
    if syms.decide(same) == Some(true) {
        let tap = |cx: &mut Lower<'_>, weight: f64| Tap {
            place: Place::Index(var),
            weight: Some(float(cx, weight, r.dtype)),
        };
        return vec![tap(cx, 1.0), tap(cx, 0.0)];
    }
    let step = step(cx, r, k);
    let last = cx.size_as(syms.add_const(from, -1), Dtype::Int64);
    let own = cx.program.exprs.index_value(var, Dtype::Int64);
    let place = cx.formula(|x| source(r, x(own), x(step), true));
    let low = cx.formula(|x| x(place).floor().cast(Dtype::Int64).minimum(x(last)).maximum(0));
    let upper = cx.formula(|x| {
        let low = x(low);
        (x(place) - low.cast(r.dtype)).maximum(0.0).minimum(1.0)
    });
    let (mut low, mut upper) = (low, upper);
    let mut high = cx.formula(|x| (x(low) + 1).minimum(x(last)));
    if syms.decide(same).is_none() {
        let condition = cx.condition(same);
        let own = cx.formula(|x| x(own).minimum(x(last)));
        [low, high] = [low, high].map(|place| cx.formula(|x| x(condition).select(x(own), x(place))));
        upper = cx.formula(|x| x(condition).select(x(upper).float(0.0), x(upper)));
    }
    let upper = held(cx, upper, dtype);
    let lower = cx.formula(|x| 1.0 - x(upper));
    let lower = held(cx, lower, dtype);
    vec![
        Tap { place: Place::Data(low), weight: Some(lower) },
        Tap { place: Place::Data(high), weight: Some(upper) },
    ]
}

/// Between four elements per dimension by cubic convolution; places outside of the input are its border's.
pub fn upsample_cubic(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut r = Resampling::new(cx, args)?;
    if args.result(0).dtype == Dtype::Uint8 {
        return bytes::resampled(cx, r, true, false);
    }
    let mut taps = Vec::new();
    for k in 0..r.factors.len() {
        let mut row = cubic_taps(cx, &r, k);
        for weight in row.iter_mut().filter_map(|tap| tap.weight.as_mut()) {
            *weight = held(cx, *weight, args.result(0).dtype);
        }
        taps.push(row);
    }
    blended(cx, args, &mut r, &taps)
}

fn cubic_taps(cx: &mut Lower<'_>, r: &Resampling, k: usize) -> Vec<Tap> {
    let (from, _) = r.sizes(k);
    let var = cx.vars(&r.shape)[2 + k];
    let step = step(cx, r, k);
    let last = cx.size_as(cx.syms().add_const(from, -1), Dtype::Int64);
    let own = cx.program.exprs.index_value(var, Dtype::Int64);
    let place = cx.formula(|x| source(r, x(own), x(step), false));
    let low = cx.formula(|x| x(place).floor().cast(Dtype::Int64).minimum(x(last)));
    let t = cx.formula(|x| (x(place) - x(low).cast(r.dtype)).maximum(0.0).minimum(1.0));
    (0..4)
        .map(|tap| Tap {
            place: Place::Data(cx.formula(|x| (x(low) + (tap - 1)).maximum(0).minimum(x(last)))),
            weight: Some(cx.formula(|x| cubic_weight(x(t), tap, |x| x))),
        })
        .collect()
}

/// The weight of the element at distance `tap - 1 - t`; `round` is applied to every step.
pub(super) fn cubic_weight<'c>(t: X<'c>, tap: i64, round: impl Fn(X<'c>) -> X<'c> + Copy) -> X<'c> {
    match tap {
        0 => cubic_far(round(t + 1.0), CUBIC, round),
        1 => cubic_near(t, CUBIC, round),
        2 => cubic_near(round(1.0 - t), CUBIC, round),
        _ => cubic_far(round(2.0 - t), CUBIC, round),
    }
}
/// The kernel at distances up to 1.
fn cubic_near<'c>(x: X<'c>, a: f64, round: impl Fn(X<'c>) -> X<'c>) -> X<'c> {
    let sum = round(round((a + 2.0) * x) - (a + 3.0));
    round(round(round(sum * x) * x) + 1.0)
}
/// The kernel at distances from 1 to 2.
fn cubic_far<'c>(x: X<'c>, a: f64, round: impl Fn(X<'c>) -> X<'c>) -> X<'c> {
    let sum = round(round(a * x) - 5.0 * a);
    let sum = round(round(sum * x) + 8.0 * a);
    round(round(sum * x) - 4.0 * a)
}

/// A window that widens as the result gets smaller, so that every element of the input has a part in it: first along
/// the width, then along the height, rounded to the tensor's dtype in between.
pub fn upsample_antialiased(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let r = Resampling::new(cx, args)?;
    let cubic = args.node.op.name().contains("bicubic");
    if args.result(0).dtype == Dtype::Uint8 {
        return bytes::resampled(cx, r, cubic, true);
    }
    let mut value = r.input.clone();
    for k in (0..r.factors.len()).rev() {
        value = antialias(cx, &r, &value, k, cubic);
        value.expr = cx.cast(value.expr, args.result(0).dtype);
    }
    Ok(vec![value])
}

fn antialias(cx: &mut Lower<'_>, r: &Resampling, input: &Lazy, k: usize, cubic: bool) -> Lazy {
    let (from, to) = r.sizes(k);
    let input = cx.computed(input);
    let mut sizes = input.sizes.clone();
    sizes[2 + k] = to;
    let window = window_size(cx, r, k, cubic);
    let space: Vec<SymInt> = sizes.iter().copied().chain([window]).collect();
    let vars = cx.vars(&space);
    let (place, inside, weight) = tapped(cx, r, k, cubic, (vars[2 + k], vars[sizes.len()]));
    let zero = float(cx, 0.0, r.dtype);
    // The element's place is within the input wherever it is used.
    let safe = cx.clamped(place, from);
    let mut index = vars[..sizes.len()].to_vec();
    index[2 + k] = cx.syms().data_var(0);
    let element = cx.at_data(&input, index, vec![safe]);
    let element = cx.cast(element, r.dtype);
    let product = cx.formula(|x| x(weight) * x(element));
    let product = cx.program.exprs.masked(inside, product, zero);
    let sum = cx.reduce(ReductionOp::Sum, &sizes, &[window], product);
    let total = cx.reduce(ReductionOp::Sum, &sizes, &[window], weight);
    let expr = cx.formula(|x| {
        let total = x(total.expr);
        x(sum.expr) / total.eq(0.0).select(total.float(1.0), total)
    });
    Lazy { sizes, expr }
}

/// An upper bound for the elements of an antialiased window. A linear window reaches one step to each side, and at least one element. A
/// cubic window reaches twice as far.
fn window_size(cx: &mut Lower<'_>, r: &Resampling, k: usize, cubic: bool) -> SymInt {
    let reach = if cubic { 2 } else { 1 };
    let step = step(cx, r, k);
    let syms = cx.syms();
    let side = match cx.program.exprs[step] {
        crate::loops::Expr::Constant(Scalar::Float(step), _) => {
            syms.constant((step.max(1.0) * reach as f64).ceil() as i64)
        }
        _ => {
            let (from, to) = r.sizes(k);
            let one = syms.constant(1);
            let (from, to) = match r.align_corners {
                true => (syms.add_const(from, -1), syms.max(syms.add_const(to, -1), one)),
                false => (from, to),
            };
            syms.max(syms.ceildiv(syms.mul_const(from, reach), to), syms.constant(reach))
        }
    };
    syms.add_const(syms.mul_const(side, 2), 1)
}

/// Element `tap` of the antialiased window of result `own`: its place in the input, whether the window has it, and its weight before
/// normalisation.
fn tapped(
    cx: &mut Lower<'_>,
    r: &Resampling,
    k: usize,
    cubic: bool,
    (own, tap): (SymInt, SymInt),
) -> (ExprId, ExprId, ExprId) {
    let reach = if cubic { 2.0 } else { 1.0 };
    let step = step(cx, r, k);
    let width = cx.formula(|x| x(step).maximum(1.0));
    let support = cx.formula(|x| x(width) * reach);
    let own = cx.program.exprs.index_value(own, Dtype::Int64);
    let tap = cx.program.exprs.index_value(tap, Dtype::Int64);
    let size = cx.size_as(r.sizes(k).0, Dtype::Int64);
    let center = cx.formula(|x| x(step) * (x(own).cast(r.dtype) + 0.5));
    let first = cx.formula(|x| (x(center) - x(support) + 0.5).cast(Dtype::Int64).maximum(0));
    let end = cx.formula(|x| (x(center) + x(support) + 0.5).cast(Dtype::Int64).minimum(x(size)));
    let place = cx.formula(|x| x(first) + x(tap));
    let inside = cx.formula(|x| x(place).lt(x(end)));
    let weight = cx.formula(|x| {
        let distance = (x(place).cast(r.dtype) - x(center) + 0.5) * (1.0 / x(width));
        let distance = distance.abs();
        let zero = distance.float(0.0);
        if cubic {
            let near = cubic_near(distance, CUBIC_ANTIALIASED, |x| x);
            let far = cubic_far(distance, CUBIC_ANTIALIASED, |x| x);
            distance.lt(1.0).select(near, distance.lt(2.0).select(far, zero))
        } else {
            distance.lt(1.0).select(1.0 - distance, zero)
        }
    });
    let zero = float(cx, 0.0, r.dtype);
    let weight = cx.program.exprs.select(inside, weight, zero);
    (place, inside, weight)
}
