//! Convolutions: `Convolution` nodes for floats, reductions over the window for integers. The node has two spatial
//! dimensions: a missing one is a height of 1, and the third is gone before it (see [`over_depth`]).

use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, Convolution, ExprId, NodeKind, ReductionOp};
use crate::types::SymInt;

type Results = Result<Vec<Lazy>, LowerError>;

/// A convolution's numbers, one per spatial dimension; `padding` is that before the first element.
pub(super) struct Geometry {
    pub stride: Vec<i64>,
    pub padding: Vec<i64>,
    pub dilation: Vec<i64>,
    pub groups: i64,
}

/// The tensors of a convolution; an input without a batch dimension has got one of size 1.
pub(super) struct Operands {
    pub input: Lazy,
    pub weight: Lazy,
    /// The result's sizes, batch included.
    pub shape: Vec<SymInt>,
    pub batched: bool,
}

pub(super) fn spatial(args: &Args<'_>, name: &str, count: usize) -> Result<Vec<i64>, LowerError> {
    let list = args.known_ints(name)?;
    Ok(if list.len() == 1 { vec![list[0]; count] } else { list })
}

pub(super) fn operands(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<Operands, LowerError> {
    let (input, weight) = (args.lazy(cx, "input")?, args.lazy(cx, "weight")?);
    let (mut input, weight) = (cx.computed(&input), cx.computed(&weight));
    let mut shape = args.result(0).shape.clone();
    let batched = input.sizes.len() == weight.sizes.len();
    if !batched {
        let one = cx.syms().constant(1);
        let mut sizes = vec![one];
        sizes.extend(&input.sizes);
        let vars = cx.vars(&sizes);
        let expr = cx.at(&input, &vars[1..]);
        input = Lazy { sizes, expr };
        shape.insert(0, one);
    }
    Ok(Operands { input, weight, shape, batched })
}

/// The result from its four-dimensional (or whatever) buffer: bias added, cast, without the batch dimension that
/// was not given. `made` is over `operands.shape`.
pub(super) fn finish(cx: &mut Lower<'_>, args: &Args<'_>, operands: &Operands, made: &Lazy) -> Results {
    let out = args.result(0);
    let vars = cx.vars(&out.shape);
    let mut index = vars.clone();
    if !operands.batched {
        index.insert(0, cx.syms().constant(0));
    }
    let mut expr = cx.at(made, &index);
    let channel = vars[usize::from(operands.batched)];
    if let Some(bias) = args.optional_lazy(cx, "bias") {
        let bias = cx.compute_at(&bias, &[channel]);
        expr = cx.bin(BinaryOp::Add, expr, bias);
    }
    let expr = cx.cast(expr, out.dtype);
    Ok(vec![Lazy { sizes: out.shape.clone(), expr }])
}

/// `conv1d`, `conv2d`, `conv3d`, and their forms with a padding mode.
pub fn conv(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let operands = operands(cx, args)?;
    let count = operands.weight.sizes.len() - 2;
    let dilation = spatial(args, "dilation", count)?;
    let padding = match args.string("padding") {
        None => spatial(args, "padding", count)?,
        Some("same") => {
            let kernel = cx.syms().as_consts(&operands.weight.sizes[2..]);
            let kernel = kernel.ok_or_else(|| cx.unsupported("padding \"same\" needs a constant kernel"))?;
            kernel.iter().zip(&dilation).map(|(k, d)| (k - 1).max(0) * d / 2).collect()
        }
        Some(_) => vec![0; count],
    };
    let stride = spatial(args, "stride", count)?;
    let g = Geometry { stride, padding, dilation, groups: args.known_int("groups")? };
    forward(cx, args, &operands, &g)
}

/// `convolution` and `_convolution`.
pub fn convolution(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    if args.bool("transposed") {
        return super::conv_transpose::conv_transpose(cx, args);
    }
    let operands = operands(cx, args)?;
    let g = geometry(args, operands.weight.sizes.len() - 2)?;
    forward(cx, args, &operands, &g)
}

pub(super) fn geometry(args: &Args<'_>, count: usize) -> Result<Geometry, LowerError> {
    Ok(Geometry {
        stride: spatial(args, "stride", count)?,
        padding: spatial(args, "padding", count)?,
        dilation: spatial(args, "dilation", count)?,
        groups: args.known_int("groups")?,
    })
}

fn forward(cx: &mut Lower<'_>, args: &Args<'_>, o: &Operands, g: &Geometry) -> Results {
    let result = args.result(0);
    let (dtype, shape) = (result.dtype, result.shape.clone());
    // Without channels there are no filters to go over either, whatever the weight's shape is.
    if shape.iter().any(|n| cx.syms().as_const(*n) == Some(0)) {
        return Ok(vec![Lazy { sizes: shape, expr: cx.program.exprs.int(0, dtype) }]);
    }
    let made = if dtype.is_float() { sum_of_products(cx, o, g) } else { window_sum(cx, o, g) };
    finish(cx, args, o, &made)
}

/// A convolution of floats over `o.shape`.
pub(super) fn sum_of_products(cx: &mut Lower<'_>, o: &Operands, g: &Geometry) -> Lazy {
    if g.stride.len() <= 2 { convolution_node(cx, o, g) } else { over_depth(cx, o, g) }
}

/// Three spatial dimensions: each slice of the result is an image whose channels are the input's, once for each slice of
/// the window, which is then a matter of height and width alone. What lies outside in depth is zero.
fn over_depth(cx: &mut Lower<'_>, o: &Operands, g: &Geometry) -> Lazy {
    let syms = cx.syms();
    let (input, weight) = (&o.input.sizes, &o.weight.sizes);
    let (slices, taps) = (o.shape[2], weight[2]);
    let images = [syms.mul(input[0], slices), syms.mul(input[1], taps), input[3], input[4]];
    let v = cx.vars(&images);
    let (picture, slice) = quotient(cx, v[0], slices, input[0]);
    let (channel, tap) = quotient(cx, v[1], taps, input[1]);
    let begin = syms.add_const(syms.mul_const(slice, g.stride[0]), -g.padding[0]);
    let place = syms.add(begin, syms.mul_const(tap, g.dilation[0]));
    let x = cx.at(&o.input, &[picture, channel, place, v[2], v[3]]);
    let zero = cx.program.exprs.int(0, cx.program.exprs.dtype(x));
    let inside = within(cx, place, input[2]);
    let image = Lazy { expr: cx.where_index(inside, x, zero), sizes: images.to_vec() };

    let filters = [weight[0], syms.mul(weight[1], taps), weight[3], weight[4]];
    let v = cx.vars(&filters);
    let (channel, tap) = quotient(cx, v[1], taps, weight[1]);
    let filter = Lazy { expr: cx.at(&o.weight, &[v[0], channel, tap, v[2], v[3]]), sizes: filters.to_vec() };

    let shape = vec![images[0], o.shape[1], o.shape[3], o.shape[4]];
    let flat = Operands { input: image, weight: filter, shape, batched: true };
    let rest = |list: &[i64]| list[1..].to_vec();
    let (stride, padding, dilation) = (rest(&g.stride), rest(&g.padding), rest(&g.dilation));
    let made = convolution_node(cx, &flat, &Geometry { stride, padding, dilation, groups: g.groups });
    let v = cx.vars(&o.shape);
    let picture = syms.add(syms.mul(v[0], slices), v[2]);
    Lazy { expr: cx.at(&made, &[picture, v[1], v[3], v[4]]), sizes: o.shape.clone() }
}

/// A variable over `outer * inner` places as its place among the outer ones and among the inner ones.
pub(super) fn quotient(cx: &Lower<'_>, var: SymInt, inner: SymInt, outer: SymInt) -> (SymInt, SymInt) {
    let syms = cx.syms();
    match (syms.as_const(outer), syms.as_const(inner)) {
        (Some(1), _) => (syms.constant(0), var),
        (_, Some(1)) => (var, syms.constant(0)),
        _ => (syms.floordiv(var, inner), syms.modulo(var, inner)),
    }
}

/// Four sizes: one spatial dimension gets a height of 1 before it.
fn with_height(cx: &Lower<'_>, sizes: &[SymInt]) -> [SymInt; 4] {
    match *sizes {
        [a, b, width] => [a, b, cx.syms().constant(1), width],
        [a, b, height, width] => [a, b, height, width],
        _ => unreachable!("one or two spatial dimensions"),
    }
}

/// The node, and its result over `o.shape`.
fn convolution_node(cx: &mut Lower<'_>, o: &Operands, g: &Geometry) -> Lazy {
    let flat = g.stride.len() == 1;
    let operand = |cx: &mut Lower<'_>, lazy: &Lazy| -> ([SymInt; 4], ExprId) {
        let sizes = with_height(cx, &lazy.sizes);
        let mut index = cx.vars(&sizes);
        if flat {
            index.remove(2);
        }
        (sizes, cx.compute_at(lazy, &index))
    };
    let (input_sizes, input) = operand(cx, &o.input);
    let (weight_sizes, weight) = operand(cx, &o.weight);
    let pair = |list: &[i64], height: i64| if flat { [height, list[0]] } else { [list[0], list[1]] };
    let dtype = cx.program.exprs.dtype(input);
    let out_sizes = with_height(cx, &o.shape);
    let out = cx.program.temporary(dtype, &out_sizes);
    let node = Convolution {
        input_sizes,
        input,
        weight_sizes,
        weight,
        stride: pair(&g.stride, 1),
        padding: pair(&g.padding, 0),
        dilation: pair(&g.dilation, 1),
        groups: g.groups,
        channels_last: false,
        out,
    };
    cx.push(NodeKind::Convolution(Box::new(node)));
    let all = cx.load_all(out);
    let mut index = cx.vars(&o.shape);
    if flat {
        index.insert(2, cx.syms().constant(0));
    }
    let expr = cx.at(&all, &index);
    Lazy { sizes: o.shape.clone(), expr }
}

/// A convolution as a reduction over channels and window, any number of spatial dimensions.
fn window_sum(cx: &mut Lower<'_>, o: &Operands, g: &Geometry) -> Lazy {
    let syms = cx.syms();
    let count = g.stride.len();
    let reduced = o.weight.sizes[1..].to_vec();
    let space: Vec<SymInt> = o.shape.iter().chain(&reduced).copied().collect();
    let v = cx.vars(&space);
    let (outer, inner) = v.split_at(o.shape.len());
    let per_group = syms.floordiv(o.weight.sizes[0], syms.constant(g.groups));
    let group = if g.groups == 1 { syms.constant(0) } else { syms.floordiv(outer[1], per_group) };
    let channel = syms.add(syms.mul(group, reduced[0]), inner[0]);
    let mut index = vec![outer[0], channel];
    let mut inside = syms.constant(1);
    for k in 0..count {
        let begin = syms.add_const(syms.mul_const(outer[2 + k], g.stride[k]), -g.padding[k]);
        let place = syms.add(begin, syms.mul_const(inner[1 + k], g.dilation[k]));
        inside = both(cx, inside, within(cx, place, o.input.sizes[2 + k]));
        index.push(place);
    }
    let x = cx.compute_at(&o.input, &index);
    let mut at = vec![outer[1]];
    at.extend(inner);
    let w = cx.compute_at(&o.weight, &at);
    sum_where(cx, o, &reduced, inside, x, w)
}

/// The sum over `reduced` of `x * w`, the products outside of the input counted as zero.
pub(super) fn sum_where(
    cx: &mut Lower<'_>,
    o: &Operands,
    reduced: &[SymInt],
    inside: SymInt,
    x: ExprId,
    w: ExprId,
) -> Lazy {
    let value = product_where(cx, inside, x, w);
    cx.reduce(ReductionOp::Sum, &o.shape, reduced, value)
}

pub(super) fn product_where(cx: &mut Lower<'_>, inside: SymInt, x: ExprId, w: ExprId) -> ExprId {
    let dtype = cx.program.exprs.dtype(x);
    let zero = cx.program.exprs.int(0, dtype);
    let value = cx.bin(BinaryOp::Mul, x, w);
    cx.where_index(inside, value, zero)
}

/// `0 <= place < size`
pub(super) fn within(cx: &Lower<'_>, place: SymInt, size: SymInt) -> SymInt {
    let syms = cx.syms();
    let low = syms.le(syms.constant(0), place);
    let high = syms.lt(place, size);
    both(cx, low, high)
}

/// `a and b`, where either may be known.
pub(super) fn both(cx: &Lower<'_>, a: SymInt, b: SymInt) -> SymInt {
    match (cx.syms().decide(a), cx.syms().decide(b)) {
        (Some(true), _) => b,
        (_, Some(true)) => a,
        _ => cx.syms().and(a, b),
    }
}
