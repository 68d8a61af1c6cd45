//! Transposed convolutions: each input element, times the window's weights, is added to the result where the window lies.
//!
//! Floats in steps of one are a convolution with the weight turned round, in up to two dimensions. Otherwise a product of
//! matrices makes one column for each element of the window, and each result element adds those that meet there; with
//! steps as long as the window that is one. PyTorch does so in three dimensions, too, and sums that cancel keep its order.
//!
//! Deliberately absent: a convolution for each of the result's residues modulo the step, which needs no columns in memory
//! but has as many kernels as residues.

use super::convolution::{
    Geometry, Operands, both, finish, geometry, operands, product_where, quotient, spatial, sum_of_products,
    sum_where, within,
};
use super::scatter::sum_by_steps;
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, ReductionOp};
use crate::types::SymInt;

type Results = Result<Vec<Lazy>, LowerError>;

pub fn conv_transpose(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let o = operands(cx, args)?;
    let g = geometry(args, o.weight.sizes.len() - 2)?;
    let in_columns = meets_in_columns(args, &g)?;
    let made = if in_columns || !args.result(0).dtype.is_float() {
        gathered(cx, args, &o, &g, in_columns)
    } else if let Some(padding) = padding_when_turned(cx, &o, &g) {
        turned(cx, &o, &g, padding)
    } else {
        let columns = columns(cx, &o, &g);
        let folds = Folded { window: &o.weight.sizes[2..], places: &o.input.sizes[2..], geometry: &g };
        folded(cx, &columns, &o.shape, &folds)
    };
    finish(cx, args, &o, &made)
}

/// The padding of the convolution that a transposed one with steps of one is.
fn padding_when_turned(cx: &Lower<'_>, o: &Operands, g: &Geometry) -> Option<Vec<i64>> {
    let window = cx.syms().as_consts(&o.weight.sizes[2..])?;
    let reach = window.iter().zip(&g.dilation).map(|(size, dilation)| (size - 1) * dilation);
    let padding: Vec<i64> = reach.zip(&g.padding).map(|(reach, padding)| reach - padding).collect();
    let fits = padding.len() <= 2 && padding.iter().all(|p| *p >= 0);
    (fits && g.stride.iter().all(|s| *s == 1)).then_some(padding)
}

/// The convolution with the weight turned round and its channels exchanged.
fn turned(cx: &mut Lower<'_>, o: &Operands, g: &Geometry, padding: Vec<i64>) -> Lazy {
    let syms = cx.syms();
    let (per_group_in, per_group_out) = per_group(cx, o, g);
    let mut sizes = vec![o.shape[1], per_group_in];
    sizes.extend(&o.weight.sizes[2..]);
    let v = cx.vars(&sizes);
    let (group, filter) = quotient(cx, v[0], per_group_out, syms.constant(g.groups));
    let mut at = vec![syms.add(syms.mul(group, per_group_in), v[1]), filter];
    at.extend(v[2..].iter().zip(&sizes[2..]).map(|(v, size)| syms.add_const(syms.sub(*size, *v), -1)));
    let weight = Lazy { expr: cx.at(&o.weight, &at), sizes };
    let turned = Operands { input: o.input.clone(), weight, shape: o.shape.clone(), batched: true };
    let (stride, dilation) = (g.stride.clone(), g.dilation.clone());
    sum_of_products(cx, &turned, &Geometry { stride, padding, dilation, groups: g.groups })
}

/// Over images, filters, window and the input's places: what the input's channels give there. The window is flat, with the
/// filter, so that this is a convolution of one by one.
fn columns(cx: &mut Lower<'_>, o: &Operands, g: &Geometry) -> Lazy {
    let syms = cx.syms();
    let (per_group_in, per_group_out) = per_group(cx, o, g);
    let (window, places) = (&o.weight.sizes[2..], &o.input.sizes[2..]);
    let taps = syms.product(window);
    let one = syms.constant(1);

    let sizes = [syms.mul(o.shape[1], taps), per_group_in, one, one];
    let v = cx.vars(&sizes);
    let (filter, mut tap) = quotient(cx, v[0], taps, o.shape[1]);
    let (group, filter) = quotient(cx, filter, per_group_out, syms.constant(g.groups));
    let mut inner = Vec::new();
    for (k, size) in window.iter().enumerate().rev() {
        let (outer, place) = quotient(cx, tap, *size, syms.product(&window[..k]));
        inner.push(place);
        tap = outer;
    }
    let mut at = vec![syms.add(syms.mul(group, per_group_in), v[1]), filter];
    at.extend(inner.into_iter().rev());
    let weight = Lazy { expr: cx.at(&o.weight, &at), sizes: sizes.to_vec() };

    // The places as a height and a width, whatever their dimensions.
    let (first, last) = places.split_at(places.len() - 1);
    let image = [o.input.sizes[0], o.input.sizes[1], syms.product(first), last[0]];
    let v = cx.vars(&image);
    let mut at = vec![v[0], v[1]];
    let mut rest = v[2];
    for k in (0..first.len()).rev() {
        let (outer, place) = quotient(cx, rest, first[k], syms.product(&first[..k]));
        at.insert(2, place);
        rest = outer;
    }
    at.push(v[3]);
    let input = Lazy { expr: cx.at(&o.input, &at), sizes: image.to_vec() };

    let shape = vec![image[0], sizes[0], image[2], image[3]];
    let product = Operands { input, weight, shape, batched: true };
    let (stride, padding, dilation) = (vec![1, 1], vec![0, 0], vec![1, 1]);
    let made = sum_of_products(cx, &product, &Geometry { stride, padding, dilation, groups: g.groups });

    let sizes: Vec<SymInt> = [image[0], o.shape[1]].iter().chain(window).chain(places).copied().collect();
    let v = cx.vars(&sizes);
    let flat = |vars: &[SymInt], sizes: &[SymInt]| {
        vars.iter().zip(sizes).fold(syms.constant(0), |at, (v, size)| syms.add(syms.mul(at, *size), *v))
    };
    let count = window.len();
    let (window_at, place_at) = (&v[2..2 + count], &v[2 + count..]);
    let filter = syms.add(syms.mul(v[1], taps), flat(window_at, window));
    let row = flat(&place_at[..count - 1], first);
    Lazy { expr: cx.at(&made, &[v[0], filter, row, place_at[count - 1]]), sizes }
}

/// The windows that columns are of: a size for each spatial dimension.
pub(super) struct Folded<'a> {
    pub window: &'a [SymInt],
    /// How many windows there are.
    pub places: &'a [SymInt],
    pub geometry: &'a Geometry,
}

/// Adds up the columns, over some dimensions, the window and its places, that meet at each element of `shape`. Along a
/// dimension whose window has no gaps those are one step apart, so that only as many are looked at as can meet.
pub(super) fn folded(cx: &mut Lower<'_>, columns: &Lazy, shape: &[SymInt], f: &Folded<'_>) -> Lazy {
    let syms = cx.syms();
    let (g, count) = (f.geometry, f.window.len());
    let reduced: Vec<SymInt> = (0..count)
        .map(|k| match g.dilation[k] {
            1 => syms.ceildiv(f.window[k], syms.constant(g.stride[k])),
            _ => f.window[k],
        })
        .collect();
    let space: Vec<SymInt> = shape.iter().chain(&reduced).copied().collect();
    let v = cx.vars(&space);
    let (outer, inner) = v.split_at(shape.len());
    let before = shape.len() - count;
    let (mut taps, mut places) = (Vec::new(), Vec::new());
    let mut inside = syms.constant(1);
    for k in 0..count {
        let shifted = syms.add_const(outer[before + k], g.padding[k]);
        let stride = syms.constant(g.stride[k]);
        let (tap, place) = if g.dilation[k] == 1 {
            let tap = syms.add(syms.modulo(shifted, stride), syms.mul(inner[k], stride));
            inside = both(cx, inside, syms.lt(tap, f.window[k]));
            (tap, syms.sub(syms.floordiv(shifted, stride), inner[k]))
        } else {
            let spread = syms.sub(shifted, syms.mul_const(inner[k], g.dilation[k]));
            inside = both(cx, inside, syms.eq(syms.modulo(spread, stride), syms.constant(0)));
            (inner[k], syms.floordiv(spread, stride))
        };
        inside = both(cx, inside, within(cx, place, f.places[k]));
        taps.push(tap);
        places.push(place);
    }
    let index: Vec<SymInt> = outer[..before].iter().chain(&taps).chain(&places).copied().collect();
    let value = cx.compute_at(columns, &index);
    let zero = cx.program.exprs.int(0, cx.program.exprs.dtype(value));
    let value = cx.where_index(inside, value, zero);
    match syms.as_consts(&reduced) {
        Some(sizes) if sizes.iter().product::<i64>() <= MOST_TERMS => {
            let each = Lazy { expr: value, sizes: space };
            Lazy { expr: sum_of_terms(cx, &each, outer, &sizes), sizes: shape.to_vec() }
        }
        _ => cx.reduce(ReductionOp::Sum, shape, &reduced, value),
    }
}

/// As many columns as one expression adds up, in the window's order, as PyTorch does; it fuses with what follows and needs
/// no loop. A window of 3 x 3 x 3 in steps of one has 27.
const MOST_TERMS: i64 = 32;

/// The sum over the last dimensions of `each`, whose sizes are few and known, written out.
fn sum_of_terms(cx: &mut Lower<'_>, each: &Lazy, outer: &[SymInt], sizes: &[i64]) -> ExprId {
    let syms = cx.syms();
    let mut sum = None;
    for number in 0..sizes.iter().product() {
        let (mut index, mut rest) = (Vec::new(), number);
        for size in sizes.iter().rev() {
            index.push(syms.constant(rest % size));
            rest /= size;
        }
        let at: Vec<SymInt> = outer.iter().copied().chain(index.into_iter().rev()).collect();
        let term = cx.at(each, &at);
        sum = Some(match sum {
            None => term,
            Some(sum) => cx.bin(BinaryOp::Add, sum, term),
        });
    }
    sum.unwrap_or_else(|| cx.program.exprs.int(0, cx.program.exprs.dtype(each.expr)))
}

fn per_group(cx: &Lower<'_>, o: &Operands, g: &Geometry) -> (SymInt, SymInt) {
    let syms = cx.syms();
    (syms.floordiv(o.weight.sizes[0], syms.constant(g.groups)), o.weight.sizes[1])
}

/// Each result element gathers the input elements that a step of the transposed convolution would scatter to it:
/// those whose place times stride, plus a window offset, is its own place in the padded result.
fn gathered(cx: &mut Lower<'_>, args: &Args<'_>, o: &Operands, g: &Geometry, in_columns: bool) -> Lazy {
    let syms = cx.syms();
    let count = g.stride.len();
    let (per_group_in, per_group_out) = per_group(cx, o, g);
    let mut reduced = o.weight.sizes[2..].to_vec();
    reduced.push(per_group_in);
    let space: Vec<SymInt> = o.shape.iter().chain(&reduced).copied().collect();
    let v = cx.vars(&space);
    let (outer, inner) = v.split_at(o.shape.len());
    let one_group = g.groups == 1;
    let group = if one_group { syms.constant(0) } else { syms.floordiv(outer[1], per_group_out) };
    let channel = syms.add(syms.mul(group, per_group_in), inner[count]);
    let out_channel = if one_group { outer[1] } else { syms.modulo(outer[1], per_group_out) };
    let mut index = vec![outer[0], channel];
    let mut inside = syms.constant(1);
    for k in 0..count {
        let shifted = syms.add_const(outer[2 + k], g.padding[k]);
        let reach = syms.mul_const(inner[k], g.dilation[k]);
        let spread = syms.sub(shifted, reach);
        let stride = syms.constant(g.stride[k]);
        let place = syms.floordiv(spread, stride);
        let exact = syms.eq(syms.modulo(spread, stride), syms.constant(0));
        inside = both(cx, inside, exact);
        inside = both(cx, inside, within(cx, place, o.input.sizes[2 + k]));
        index.push(place);
    }
    let x = cx.compute_at(&o.input, &index);
    let mut at = vec![channel, out_channel];
    at.extend(&inner[..count]);
    let w = cx.compute_at(&o.weight, &at);
    if in_columns {
        sum_by_columns(cx, args, o, &reduced, inside, [x, w])
    } else {
        sum_where(cx, o, &reduced, inside, x, w)
    }
}

/// Whether PyTorch computes this transposed convolution as columns, one for each place of the window, that it rounds
/// to float16 or bfloat16 and then adds up: where the padding of the output is as large as a step.
fn meets_in_columns(args: &Args<'_>, g: &Geometry) -> Result<bool, LowerError> {
    let padding = spatial(args, "output_padding", g.stride.len())?;
    let large = padding.iter().zip(&g.stride).any(|(p, s)| p >= s);
    Ok(large && args.result(0).dtype.is_reduced_float())
}

/// The sum over channels, which come last in `reduced`, rounded to the result's dtype, and then over the window with
/// each step rounded.
fn sum_by_columns(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    o: &Operands,
    reduced: &[SymInt],
    inside: SymInt,
    [x, w]: [ExprId; 2],
) -> Lazy {
    let dtype = args.result(0).dtype;
    let (window, channels) = reduced.split_at(reduced.len() - 1);
    let sizes: Vec<SymInt> = o.shape.iter().chain(window).copied().collect();
    let value = product_where(cx, inside, x, w);
    let mut columns = cx.reduce(ReductionOp::Sum, &sizes, channels, value);
    columns.expr = cx.cast(columns.expr, dtype);
    let columns = cx.computed(&columns);
    let mut sum = sum_by_steps(cx, &o.shape, window, columns.expr);
    sum.expr = cx.compute(sum.expr);
    sum
}
