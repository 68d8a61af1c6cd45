//! Sampling at places that a grid gives.

use crate::loops::lower::{Args, Lazy, Lower, LowerError, X};
use crate::loops::{BinaryOp, ExprId};
use crate::meta::rules::GridPadding;
use crate::types::{Dtype, SymInt};

use super::resampling::cubic_weight;

type Results = Result<Vec<Lazy>, LowerError>;

/// One dimension of one sample.
#[derive(Clone, Copy)]
struct Axis {
    /// The place in elements, in the compute dtype.
    place: ExprId,
    size: SymInt,
}

struct Sampler {
    input: Lazy,
    padding: GridPadding,
    align_corners: bool,
    dtype: Dtype,
    /// The dtype that every step is rounded to, places too: the tensors' own. PyTorch computes cubic sampling in three
    /// dimensions in float32, and on a GPU all of it.
    own: Dtype,
    lead: Vec<SymInt>,
}

pub fn grid_sampler(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (input, grid) = (args.lazy(cx, "input")?, args.lazy(cx, "grid")?);
    let (input, grid) = (cx.computed(&input), cx.computed(&grid));
    let out = args.result(0);
    let count = out.rank() - 2;
    let padding = GridPadding::from_number(args.known_int("padding_mode")?).unwrap_or(GridPadding::Zeros);
    let mode = args.known_int("interpolation_mode")?;
    let vars = cx.vars(&out.shape);
    let sampler = Sampler {
        input,
        padding,
        align_corners: args.bool("align_corners"),
        dtype: out.dtype.compute(),
        own: if args.graph.made_on_gpu || (mode == 2 && count == 3) {
            out.dtype.compute()
        } else {
            out.dtype
        },
        lead: vars[..2].to_vec(),
    };
    let mut axes = Vec::new();
    for k in 0..count {
        // The grid names the innermost dimension first.
        let mut index = vec![vars[0]];
        index.extend(&vars[2..]);
        index.push(cx.syms().constant((count - 1 - k) as i64));
        let given = cx.compute_at(&grid, &index);
        let size = sampler.input.sizes[2 + k];
        let length = cx.size_as(size, sampler.dtype);
        let align = sampler.align_corners;
        let s = &sampler;
        let place = cx.formula(|x| {
            let (given, length) = (x(given), x(length));
            let moved = s.round(given + 1.0);
            match (align, count) {
                (true, 2) => s.round(moved * s.round((length - 1.0) / 2.0)),
                (false, 2) => s.round(s.round(moved * s.round(length / 2.0)) - 0.5),
                (true, _) => s.round(s.round(moved / 2.0) * (length - 1.0)),
                (false, _) => s.round(s.round(s.round(moved * length) - 1.0) / 2.0),
            }
        });
        axes.push(Axis { place, size });
    }
    let value = match mode {
        0 => linear(cx, &sampler, &axes),
        1 => nearest(cx, &sampler, &axes),
        _ => cubic(cx, &sampler, &axes),
    };
    let expr = cx.cast(value, out.dtype);
    Ok(vec![Lazy { sizes: out.shape.clone(), expr }])
}

impl Sampler {
    /// The number as the tensors' dtype holds it.
    fn round<'c>(&self, x: X<'c>) -> X<'c> {
        x.cast(self.own).cast(self.dtype)
    }
    fn rounded(&self, cx: &mut Lower<'_>, expr: ExprId) -> ExprId {
        cx.formula(|x| self.round(x(expr)))
    }

    /// The place moved into the input as the padding asks for.
    fn padded(&self, cx: &mut Lower<'_>, axis: Axis) -> ExprId {
        if self.padding == GridPadding::Zeros {
            return axis.place;
        }
        let length = cx.size_as(axis.size, self.dtype);
        let (reflect, align) = (self.padding == GridPadding::Reflection, self.align_corners);
        cx.formula(|x| {
            let length = x(length);
            let mut place = x(axis.place);
            if reflect {
                // Between the centres of the border's elements, or between their outer edges.
                let (low, span) = if align { (0.0, length - 1.0) } else { (-0.5, length) };
                place = reflected(place, low, span);
            }
            // NaN is no place: it becomes the first.
            place.fmax(0.0).fmin(length - 1.0)
        })
    }

    /// The element at whole places, 0 outside of the input.
    fn element(&self, cx: &mut Lower<'_>, places: &[(ExprId, SymInt)]) -> ExprId {
        let (mut index, mut data, mut inside) = (self.lead.clone(), Vec::new(), None);
        for (k, (place, size)) in places.iter().enumerate() {
            let length = cx.size_as(*size, self.dtype);
            // In floating point, so that places too far for an integer are outside, too.
            let within = cx.formula(|x| x(*place).ge(0.0).and(x(*place).lt(x(length))));
            let zero = cx.program.exprs.float(0.0, self.dtype);
            let place = cx.program.exprs.select(within, *place, zero);
            let place = cx.cast(place, Dtype::Int64);
            // A length that the float dtype rounds up would let its own number pass.
            let exact = cx.syms().as_const(*size).is_some_and(|n| n <= 1 << 24);
            data.push(if exact { place } else { cx.clamped(place, *size) });
            index.push(cx.syms().data_var(k as u32));
            inside = Some(match inside {
                None => within,
                Some(all) => cx.bin(BinaryOp::LogicalAnd, all, within),
            });
        }
        let value = cx.at_data(&self.input, index, data);
        let value = cx.compute(value);
        let zero = cx.program.exprs.float(0.0, self.dtype);
        match inside {
            Some(inside) => cx.program.exprs.masked(inside, value, zero),
            None => value,
        }
    }
}

/// The place where one ends that runs to and fro over `span` from `low`.
fn reflected<'c>(place: X<'c>, low: f64, span: X<'c>) -> X<'c> {
    let distance = (place - low).abs();
    let safe = span.eq(0.0).select(span.float(1.0), span);
    let (rest, turns) = (distance.fmod(safe), (distance / safe).floor());
    let even = turns.fmod(turns.float(2.0)).eq(0.0);
    let place = even.select(rest + low, span - rest + low);
    span.eq(0.0).select(span.float(0.0), place)
}

fn nearest(cx: &mut Lower<'_>, s: &Sampler, axes: &[Axis]) -> ExprId {
    let mut places = Vec::new();
    for axis in axes {
        let place = s.padded(cx, *axis);
        places.push((cx.formula(|x| x(place).round()), axis.size));
    }
    s.element(cx, &places)
}

/// The places around each axis' own with their weights, all combinations summed.
fn combined(
    cx: &mut Lower<'_>,
    s: &Sampler,
    taps: &[Vec<(ExprId, SymInt, ExprId)>],
    chosen: &mut Vec<(ExprId, SymInt)>,
) -> ExprId {
    let Some((first, rest)) = taps.split_first() else { return s.element(cx, chosen) };
    let mut sum = None;
    for (place, size, weight) in first {
        chosen.push((*place, *size));
        let value = combined(cx, s, rest, chosen);
        chosen.pop();
        let value = cx.bin(BinaryOp::Mul, value, *weight);
        let value = s.rounded(cx, value);
        sum = Some(match sum {
            None => value,
            Some(sum) => {
                let sum = cx.bin(BinaryOp::Add, sum, value);
                s.rounded(cx, sum)
            }
        });
    }
    sum.unwrap_or_else(|| cx.program.exprs.float(0.0, s.dtype))
}

fn linear(cx: &mut Lower<'_>, s: &Sampler, axes: &[Axis]) -> ExprId {
    let mut taps = Vec::new();
    for axis in axes {
        let place = s.padded(cx, *axis);
        let low = cx.formula(|x| x(place).floor());
        let high = cx.formula(|x| x(low) + 1.0);
        let (below, above) = (cx.formula(|x| x(high) - x(place)), cx.formula(|x| x(place) - x(low)));
        taps.push(vec![(low, axis.size, below), (high, axis.size, above)]);
    }
    combined(cx, s, &taps, &mut Vec::new())
}

/// The padding is for each of the four places around, not for the place itself.
fn cubic(cx: &mut Lower<'_>, s: &Sampler, axes: &[Axis]) -> ExprId {
    let mut taps = Vec::new();
    for axis in axes {
        let low = cx.formula(|x| x(axis.place).floor());
        let part = cx.formula(|x| x(axis.place) - x(low));
        let mut list = Vec::new();
        for tap in 0..4 {
            let place = cx.formula(|x| x(low) + (tap - 1) as f64);
            let place = s.padded(cx, Axis { place, size: axis.size });
            // Reflection at the elements' edges gives whole places, rounded here for good.
            let place = cx.formula(|x| x(place).trunc());
            list.push((place, axis.size, cx.formula(|x| cubic_weight(x(part), tap, |x| s.round(x)))));
        }
        taps.push(list);
    }
    combined(cx, s, &taps, &mut Vec::new())
}
