//! Sampling at the places of a grid: differentiated as the elements around each place, weighted by how near they are.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::{Arg, Value};
use crate::meta::rules::GridPadding;
use crate::types::{Dtype, SymInt};

#[derive(Clone, Copy)]
struct How {
    padding: GridPadding,
    align_corners: bool,
    dtype: Dtype,
}

/// An element along one dimension: its whole place, and its weight.
#[derive(Clone, Copy)]
struct Tap {
    place: Value,
    weight: Option<Value>,
}

pub fn grid_sampler(d: &mut Derivative<'_>) -> Outcome {
    let (input, grid) = (d.value("input")?, d.value("grid")?);
    let (own, grid) = (d.compute(input)?, d.compute(grid)?);
    let padding = GridPadding::from_number(d.known_int("padding_mode")?).unwrap_or(GridPadding::Zeros);
    let how = How { padding, align_corners: d.bool("align_corners"), dtype: d.dtype_of(own) };
    let mode = d.known_int("interpolation_mode")?;
    let (sizes, out) = (d.shape(own), d.shape(d.results[0]));
    let mut axes = Vec::new();
    for (k, size) in sizes[2..].iter().enumerate() {
        // The grid names the innermost dimension first.
        let given = d.select_index(grid, -1, (sizes.len() - 3 - k) as i64)?;
        let place = how.place(d, given, *size)?;
        axes.push(match mode {
            0 => how.linear(d, place, *size)?,
            1 => how.nearest(d, place, *size)?,
            _ => how.cubic(d, place, *size)?,
        });
    }
    let count = d.syms().product(&sizes[2..]);
    let places = d.syms().product(&out[2..]);
    let rows = d.reshape(own, &[sizes[0], sizes[1], count])?;
    let mut sum = None;
    let mut chosen = vec![0; axes.len()];
    loop {
        let taps: Vec<Tap> = axes.iter().zip(&chosen).map(|(taps, k)| taps[*k]).collect();
        let term = how.element(d, rows, &taps, &sizes, &[sizes[0], sizes[1], places])?;
        sum = Some(match sum {
            None => term,
            Some(sum) => d.add(sum, term)?,
        });
        // The next combination of taps.
        let Some(k) = (0..axes.len()).rev().find(|k| chosen[*k] + 1 < axes[*k].len()) else { break };
        chosen[k] += 1;
        chosen[k + 1..].fill(0);
    }
    if let Some(sum) = sum {
        let result = d.reshape(sum, &out)?;
        let dtype = d.dtype_of(d.results[0]);
        let result = d.cast(result, dtype)?;
        d.through(vec![result]);
    }
    if mode == 1 && d.needs("grid") {
        // Steps: the slope is zero.
        let zeros = d.zeros_like(grid)?;
        d.give("grid", zeros)?;
    }
    Ok(())
}

impl How {
    fn length(self, d: &mut Derivative<'_>, size: SymInt) -> Outcome<Value> {
        let named = vec![("dtype", Arg::Dtype(self.dtype))];
        d.call_with("aten.full.default", vec![Arg::Ints(Vec::new()), Arg::Int(size)], named)
    }

    /// The place in elements of a number from -1 to 1.
    fn place(self, d: &mut Derivative<'_>, given: Value, size: SymInt) -> Outcome<Value> {
        let length = self.length(d, size)?;
        let moved = d.add(given, 1.0)?;
        if self.align_corners {
            let span = d.sub(length, 1.0)?;
            let twice = d.mul(moved, span)?;
            return d.mul(twice, 0.5);
        }
        let twice = d.mul(moved, length)?;
        let twice = d.sub(twice, 1.0)?;
        d.mul(twice, 0.5)
    }

    /// A place moved into the input as the padding asks for. At the borders themselves it does not move any more.
    fn padded(self, d: &mut Derivative<'_>, place: Value, size: SymInt) -> Outcome<Value> {
        if self.padding == GridPadding::Zeros {
            return Ok(place);
        }
        let length = self.length(d, size)?;
        let end = d.sub(length, 1.0)?;
        let mut place = place;
        if self.padding == GridPadding::Reflection {
            let (low, span) = if self.align_corners { (0.0, end) } else { (-0.5, length) };
            place = self.reflected(d, place, low, span)?;
        }
        let (above, below) = (d.compare("gt", place, 0.0)?, d.compare("lt", place, end)?);
        let zero = d.scalar(0.0, self.dtype)?;
        let place = d.select(below, place, end)?;
        d.select(above, place, zero)
    }

    /// The place where one ends that runs to and fro over `span` from `low`.
    fn reflected(self, d: &mut Derivative<'_>, place: Value, low: f64, span: Value) -> Outcome<Value> {
        let distance = d.sub(place, low)?;
        let (back, turned) = (d.compare("lt", distance, 0.0)?, d.unary("neg", distance)?);
        let distance = d.select(back, turned, distance)?;
        let (flat, one) = (d.compare("eq", span, 0.0)?, d.scalar(1.0, self.dtype)?);
        let safe = d.select(flat, one, span)?;
        let rest = d.call("aten.fmod.Tensor", vec![Arg::Value(distance), Arg::Value(safe)])?;
        let turns = d.div(distance, safe)?;
        let turns = d.unary("floor", turns)?;
        let odd = d.call("aten.fmod.Scalar", vec![Arg::Value(turns), Arg::Float(2.0)])?;
        let even = d.compare("eq", odd, 0.0)?;
        let back = d.sub(span, rest)?;
        let rest = d.select(even, rest, back)?;
        let place = d.add(rest, low)?;
        let zero = d.zeros_like(place)?;
        d.select(flat, zero, place)
    }

    fn nearest(self, d: &mut Derivative<'_>, place: Value, size: SymInt) -> Outcome<Vec<Tap>> {
        let place = self.padded(d, place, size)?;
        Ok(vec![Tap { place: d.unary("round", place)?, weight: None }])
    }

    fn linear(self, d: &mut Derivative<'_>, place: Value, size: SymInt) -> Outcome<Vec<Tap>> {
        let place = self.padded(d, place, size)?;
        let low = d.unary("floor", place)?;
        let high = d.add(low, 1.0)?;
        let (below, above) = (d.sub(high, place)?, d.sub(place, low)?);
        Ok(vec![Tap { place: low, weight: Some(below) }, Tap { place: high, weight: Some(above) }])
    }

    /// The padding is for each of the four places around, not for the place itself. The weights are Keys' with a = -0.75.
    fn cubic(self, d: &mut Derivative<'_>, place: Value, size: SymInt) -> Outcome<Vec<Tap>> {
        let low = d.unary("floor", place)?;
        let part = d.sub(place, low)?;
        let mut taps = Vec::new();
        for k in 0..4 {
            let at = d.add(low, f64::from(k - 1))?;
            let at = self.padded(d, at, size)?;
            let at = d.unary("trunc", at)?;
            // The distance to the tap.
            let shifted = d.sub(part, f64::from(k - 1))?;
            let far = if k < 2 { shifted } else { d.unary("neg", shifted)? };
            // (1.25 x - 2.25) x² + 1 within 1; -0.75 (((x - 5) x + 8) x - 4) within 2.
            let (c3, c2, c1, c0) =
                if k == 1 || k == 2 { (1.25, -2.25, 0.0, 1.0) } else { (-0.75, 3.75, -6.0, 3.0) };
            let mut weight = d.mul(far, c3)?;
            for c in [c2, c1] {
                weight = d.add(weight, c)?;
                weight = d.mul(weight, far)?;
            }
            taps.push(Tap { place: at, weight: Some(d.add(weight, c0)?) });
        }
        Ok(taps)
    }

    /// The elements at whole places, 0 outside of the input, times their weights.
    fn element(
        self,
        d: &mut Derivative<'_>,
        rows: Value,
        taps: &[Tap],
        sizes: &[SymInt],
        shape: &[SymInt; 3],
    ) -> Outcome<Value> {
        let (mut number, mut weight, mut inside) = (None, None, None);
        for (tap, size) in taps.iter().zip(&sizes[2..]) {
            let length = self.length(d, *size)?;
            // In floating point, so that places too far for an integer are outside, too.
            let (from, to) = (d.compare("ge", tap.place, 0.0)?, d.compare("lt", tap.place, length)?);
            let within = d.call("aten.logical_and.default", vec![Arg::Value(from), Arg::Value(to)])?;
            let zero = d.zeros_like(tap.place)?;
            let place = d.select(within, tap.place, zero)?;
            let place = d.cast(place, Dtype::Int64)?;
            number = Some(match number {
                None => place,
                Some(outer) => {
                    let outer = d.call("aten.mul.Scalar", vec![Arg::Value(outer), Arg::Int(*size)])?;
                    d.add(outer, place)?
                }
            });
            inside = Some(match inside {
                None => within,
                Some(all) => d.call("aten.logical_and.default", vec![Arg::Value(all), Arg::Value(within)])?,
            });
            weight = match (weight, tap.weight) {
                (Some(all), Some(own)) => Some(d.mul(all, own)?),
                (all, own) => all.or(own),
            };
        }
        let flat = [shape[0], d.constant(1), shape[2]];
        let (Some(number), Some(inside)) = (number, inside) else { return Ok(rows) };
        let number = d.reshape(number, &flat)?;
        let number = d.call("aten.expand.default", vec![Arg::Value(number), Arg::Ints(shape.to_vec())])?;
        let last = d.int_arg(2);
        let mut value = d.call("aten.gather.default", vec![Arg::Value(rows), last, Arg::Value(number)])?;
        if let Some(weight) = weight {
            let weight = d.reshape(weight, &flat)?;
            value = d.mul(value, weight)?;
        }
        let inside = d.reshape(inside, &flat)?;
        let zero = d.zeros_like(value)?;
        d.select(inside, value, zero)
    }
}
