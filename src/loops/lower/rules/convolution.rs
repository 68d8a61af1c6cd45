//! Convolutions: `Convolution` nodes for floats in one or two dimensions, reductions over the window for the rest
//! (three dimensions, integers, transposed).

use super::scatter::sum_by_steps;
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, Convolution, ExprId, NodeKind, ReductionOp};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// A convolution's numbers, one per spatial dimension; `padding` is that before the first element.
struct Geometry {
    stride: Vec<i64>,
    padding: Vec<i64>,
    dilation: Vec<i64>,
    groups: i64,
}

/// The tensors of a convolution; an input without a batch dimension has got one of size 1.
struct Operands {
    input: Lazy,
    weight: Lazy,
    /// The result's sizes, batch included.
    shape: Vec<SymInt>,
    batched: bool,
}

fn spatial(args: &Args<'_>, name: &str, count: usize) -> Result<Vec<i64>, LowerError> {
    let list = args.known_ints(name)?;
    Ok(if list.len() == 1 { vec![list[0]; count] } else { list })
}

fn operands(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<Operands, LowerError> {
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
fn finish(cx: &mut Lower<'_>, args: &Args<'_>, operands: &Operands, made: &Lazy) -> Results {
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
        return conv_transpose(cx, args);
    }
    let operands = operands(cx, args)?;
    let g = geometry(args, operands.weight.sizes.len() - 2)?;
    forward(cx, args, &operands, &g)
}

fn geometry(args: &Args<'_>, count: usize) -> Result<Geometry, LowerError> {
    Ok(Geometry {
        stride: spatial(args, "stride", count)?,
        padding: spatial(args, "padding", count)?,
        dilation: spatial(args, "dilation", count)?,
        groups: args.known_int("groups")?,
    })
}

fn forward(cx: &mut Lower<'_>, args: &Args<'_>, o: &Operands, g: &Geometry) -> Results {
    let dtype = args.result(0).dtype;
    let made = if dtype.is_float() && g.stride.len() <= 2 {
        convolution_node(cx, o, g)
    } else {
        window_sum(cx, o, g)
    };
    finish(cx, args, o, &made)
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

/// The sum over `reduced` of `x * w`, the products outside of the input counted as zero. Over three spatial dimensions a
/// float32 is summed in float64: this is one running sum of hundreds of terms, where PyTorch adds up blocks.
fn sum_where(
    cx: &mut Lower<'_>,
    o: &Operands,
    reduced: &[SymInt],
    inside: SymInt,
    x: ExprId,
    w: ExprId,
) -> Lazy {
    let dtype = cx.program.exprs.dtype(x);
    if dtype != Dtype::Float32 || o.weight.sizes.len() < 5 {
        let value = product_where(cx, inside, x, w);
        return cx.reduce(ReductionOp::Sum, &o.shape, reduced, value);
    }
    let [x, w] = [x, w].map(|e| cx.cast(e, Dtype::Float64));
    let value = product_where(cx, inside, x, w);
    let mut sum = cx.reduce(ReductionOp::Sum, &o.shape, reduced, value);
    sum.expr = cx.cast(sum.expr, dtype);
    sum
}

fn product_where(cx: &mut Lower<'_>, inside: SymInt, x: ExprId, w: ExprId) -> ExprId {
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

/// Each result element gathers the input elements that a step of the transposed convolution would scatter to it:
/// those whose place times stride, plus a window offset, is its own place in the padded result.
pub fn conv_transpose(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let o = operands(cx, args)?;
    let syms = cx.syms();
    let count = o.weight.sizes.len() - 2;
    let g = geometry(args, count)?;
    let groups = syms.constant(g.groups);
    let per_group_in = syms.floordiv(o.weight.sizes[0], groups);
    let per_group_out = o.weight.sizes[1];
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
    let made = if meets_in_columns(args, &g)? {
        sum_by_columns(cx, args, &o, &reduced, inside, [x, w])
    } else {
        sum_where(cx, &o, &reduced, inside, x, w)
    };
    finish(cx, args, &o, &made)
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
