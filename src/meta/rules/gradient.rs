//! Gradients that PyTorch's autograd leaves in graphs: a gradient has the shape of what it belongs to. Results that an
//! `output_mask` leaves out have that shape, too; nothing reads them.

use super::broadcast;
use super::contraction::made;
use super::pointwise::{Out, elementwise};
use super::signal::takes_slices_in_order;
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MetaError, ScalarArg, infer};
use crate::ops::{ArgBase, Default, OpId, SchemaArg};
use crate::types::{Dtype, SymArena, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The names of the tensors that the schema always asks for.
fn tensors(cx: &Infer<'_>) -> Vec<&'static str> {
    let args = &cx.op.schema().args;
    let plain = args.iter().filter(|a| a.ty.base == ArgBase::Tensor && !a.ty.optional && !a.ty.list);
    plain.map(|a| a.name.as_str()).collect()
}

/// The one of these arguments that the schema has.
fn first<'a>(cx: &Infer<'a>, names: &[&str]) -> Result<&'a TensorMeta, MetaError> {
    let found = names.iter().find(|name| cx.op.schema().arg(name).is_some());
    match found {
        Some(name) => cx.meta(name),
        None => Err(cx.error(Status::Internal, "it has no gradient")),
    }
}

/// The gradient that is given.
fn given<'a>(cx: &Infer<'a>) -> Result<&'a TensorMeta, MetaError> {
    first(cx, &["grad_output", "grad_out", "grad", "grad_in", "grad_w"])
}

fn same_shape(cx: &mut Infer<'_>, a: &TensorMeta, shape: &[SymInt]) -> Result<(), MetaError> {
    let syms = cx.syms();
    let message =
        format!("a gradient of shape {} where {} is", syms.display_list(&a.shape), syms.display_list(shape));
    cx.require_sizes(&a.shape, shape, None, &message)
}

/// Requires operands of one dtype: PyTorch's kernel promotes none of these.
fn one_dtype(cx: &Infer<'_>, names: &[&str]) -> Result<(), MetaError> {
    let first = cx.meta(names[0])?.dtype;
    for name in &names[1..] {
        let dtype = cx.meta(name)?.dtype;
        if dtype != first {
            return Err(cx.error(Status::Dtype, format!("`{}` is {first}, `{name}` is {dtype}", names[0])));
        }
    }
    Ok(())
}

/// Of a function of elements: the tensors broadcast and promote.
pub fn elementwise_gradient(cx: &mut Infer<'_>) -> Metas {
    // Below zero a result does not say whether its argument was.
    for (flag, slope) in [("self_is_result", "negative_slope"), ("is_result", "alpha")] {
        if cx.op.schema().arg(flag).is_some()
            && cx.bool(flag)
            && matches!(cx.scalar(slope), Some(ScalarArg::Known(number)) if number.as_f64() < 0.0)
        {
            let message = format!("with `{flag}`, `{slope}` must not be negative");
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    if cx.op.schema().arg("approximate").is_some()
        && !matches!(cx.arg("approximate"), Arg::Str(which) if ["none", "tanh"].contains(&which.as_str()))
    {
        return Err(cx.error(Status::InvalidArgument, "`approximate` must be \"none\" or \"tanh\""));
    }
    let names = tensors(cx);
    Ok(vec![elementwise(cx, &names, Out::Common)?])
}

/// PyTorch's kernel writes to a tensor of the dtype of `self`.
pub fn mish_backward(cx: &mut Infer<'_>) -> Metas {
    let (result, own) = (elementwise(cx, &["grad_output", "self"], Out::Common)?, cx.meta("self")?.dtype);
    if result.dtype.category() > own.category() {
        let message =
            format!("the result is {}, which can't be cast to {own}, the dtype of `self`", result.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    Ok(vec![TensorMeta { dtype: own, ..result }])
}

/// On a CPU `buffer` is as large as `self`, elsewhere it is empty; its elements are not looked at.
pub fn log_sigmoid_backward(cx: &mut Infer<'_>) -> Metas {
    let result = elementwise(cx, &["grad_output", "self"], Out::Common)?;
    one_dtype(cx, &["self", "grad_output"])?;
    let buffer = cx.meta("buffer")?.clone();
    if cx.syms().as_consts(&buffer.shape).as_deref() != Some(&[0]) {
        one_dtype(cx, &["self", "buffer"])?;
        same_shape(cx, &buffer, &result.shape)?;
    }
    Ok(vec![result])
}

pub fn prelu_kernel_backward(cx: &mut Infer<'_>) -> Metas {
    one_dtype(cx, &["self", "grad_output", "weight"])?;
    let result = elementwise(cx, &["grad_output", "self", "weight"], Out::Common)?;
    Ok(vec![result.clone(), result])
}

pub fn native_dropout_backward(cx: &mut Infer<'_>) -> Metas {
    let product = elementwise(cx, &["grad_output", "mask"], Out::Common)?;
    // The scale is a float, which integers are multiplied by.
    let dtype = if product.dtype.is_float() { product.dtype } else { Dtype::Float32 };
    Ok(vec![TensorMeta { dtype, ..product }])
}

/// The operator of which one is the derivative, and the arguments that it is the derivative by.
pub fn differentiated(op: OpId) -> Option<(OpId, &'static [&'static str])> {
    Some(match op {
        OpId::GridSampler2dBackward => (OpId::GridSampler2d, &["input", "grid"]),
        OpId::GridSampler3dBackward => (OpId::GridSampler3d, &["input", "grid"]),
        OpId::SegmentReduceBackward => (OpId::SegmentReduce, &["data"]),
        _ => return None,
    })
}

/// The arguments of the operator that is differentiated, of those of its derivative, by their names.
pub fn forward_arguments(op: OpId, args: &[Arg], syms: &SymArena) -> Vec<Arg> {
    let Some((forward, _)) = differentiated(op) else { return Vec::new() };
    let given = |arg: &SchemaArg| match (op.schema().arg(&arg.name), &arg.default) {
        (Some(k), _) => args[k].clone(),
        (None, Some(Default::Int(n))) => Arg::Int(syms.constant(*n)),
        (None, Some(Default::Bool(flag))) => Arg::Bool(*flag),
        (None, _) => Arg::None,
    };
    forward.schema().args.iter().map(given).collect()
}

/// Each gradient has the shape and dtype of its argument. The incoming gradient has those of the forward's result.
pub fn by_derivative(cx: &mut Infer<'_>) -> Metas {
    let Some((forward, by)) = differentiated(cx.op) else {
        return Err(cx.error(Status::Internal, "it is the derivative of no operator"));
    };
    let args = forward_arguments(cx.op, cx.args, &cx.graph.syms);
    let (results, guards) = infer(cx.graph, forward, &args)?;
    cx.guards.extend(guards);
    let Some(grad) = cx.args[0].value().map(|value| cx.graph.meta(value).clone()) else {
        return Err(cx.error(Status::InvalidArgument, "the gradient must be a tensor"));
    };
    same_shape(cx, &grad, &results[0].shape)?;
    let made = |name: &&str| -> Result<TensorMeta, MetaError> {
        let own = cx.meta(name)?;
        Ok(made(cx, own.dtype, own.shape.clone()))
    };
    by.iter().map(made).collect()
}

/// The gradient of a loss whose kernel takes one dtype.
pub fn loss_gradient_of_one_dtype(cx: &mut Infer<'_>) -> Metas {
    one_dtype(cx, &["self", "target", "grad_output"])?;
    if cx.op.schema().arg("weight").is_some() && cx.optional_meta("weight").is_some() {
        one_dtype(cx, &["self", "weight"])?;
    }
    loss_gradient(cx)
}

/// `self` and `target` broadcast, and `grad_output` to their shape; the kernel writes to a tensor of the dtype of `self`.
pub fn soft_margin_loss_backward(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.dtype;
    if !own.is_float() {
        return Err(
            cx.error(Status::Dtype, format!("a gradient can't be cast to {own}, the dtype of `self`"))
        );
    }
    let both = elementwise(cx, &["self", "target"], Out::Common)?;
    let result = loss_gradient(cx)?.remove(0);
    same_shape(cx, &result, &both.shape)?;
    Ok(vec![TensorMeta { dtype: own, ..result }])
}

/// Of a loss of elements: `grad_output` is one number where the loss was reduced.
pub fn loss_gradient(cx: &mut Infer<'_>) -> Metas {
    let result = vec![elementwise(cx, &["grad_output", "self", "target"], Out::Common)?];
    let reduction = cx.known_int("reduction")?;
    if !(0..=2).contains(&reduction) {
        let message = format!("`reduction` is {reduction}, not 0, 1 or 2");
        return Err(cx.error(Status::InvalidArgument, message));
    }
    // PyTorch's kernel writes to a tensor of the shape of `self`, which a larger result does not fit.
    if cx.op.name() == "aten.binary_cross_entropy_backward.default" {
        let own = cx.meta("self")?.shape.clone();
        let mut all = result[0].clone();
        if let Some(weight) = cx.optional_meta("weight").cloned() {
            all.shape = broadcast(cx, &[&all.shape, &weight.shape])?;
        }
        same_shape(cx, &all, &own)?;
    }
    Ok(result)
}

/// The gradient of class scores: of one example, of several, or of the pixels of images.
pub fn nll_loss_gradient(cx: &mut Infer<'_>) -> Metas {
    let images = cx.op.name().contains("2d");
    super::contraction::check_rank(cx, "self", if images { &[4] } else { &[1, 2] })?;
    let (own, losses) = super::loss::class_target(cx)?;
    one_dtype(cx, &["self", "grad_output", "total_weight"])?;
    if cx.syms().as_const(cx.meta("total_weight")?.numel(cx.syms())) != Some(1) {
        return Err(cx.shape_error("`total_weight` must be one number"));
    }
    let gradient = given(cx)?.clone();
    match cx.known_int("reduction")? {
        // One example has one loss, which may have a dimension.
        0 if own.rank() > 1 => same_shape(cx, &gradient, &losses)?,
        _ => {
            let one = cx.syms().constant(1);
            cx.require(cx.syms().eq(gradient.numel(cx.syms()), one), "`grad_output` must be one number")?;
        }
    }
    Ok(vec![made(cx, own.dtype, own.shape)])
}

/// The gradient of a gated linear unit. It has the shape of `self`; `grad_output` is half as long along `dim`.
pub fn glu_backward(cx: &mut Infer<'_>) -> Metas {
    let (own, gradient) = (cx.meta("self")?.clone(), given(cx)?.clone());
    one_dtype(cx, &["self", "grad_output"])?;
    if own.rank() == 0 {
        return Err(cx.shape_error("a tensor without dimensions has no halves"));
    }
    let (dim, syms) = (cx.dim(cx.known_int("dim")?, own.rank())?, cx.syms());
    let two = syms.constant(2);
    let even = syms.eq(syms.modulo(own.shape[dim], two), syms.constant(0));
    cx.require(even, format!("dimension {dim} has no halves"))?;
    let mut shape = own.shape.clone();
    shape[dim] = syms.floordiv(own.shape[dim], two);
    same_shape(cx, &gradient, &shape)?;
    Ok(vec![made(cx, own.dtype, own.shape)])
}

/// Of a pooling: as `self` lies; as many dimensions are pooled as the operator's name says.
pub fn pool_gradient(cx: &mut Infer<'_>) -> Metas {
    let (own, gradient) = (cx.meta("self")?.clone(), given(cx)?.clone());
    let count = if cx.op.name().contains("3d") { 3 } else { 2 };
    if own.rank() != gradient.rank() || !(count + 1..=count + 2).contains(&own.rank()) {
        let message = format!("a gradient of {} dimensions for an input of {}", gradient.rank(), own.rank());
        return Err(cx.shape_error(message));
    }
    if own.dtype != gradient.dtype {
        let message = format!("`grad_output` is {}, `self` is {}", gradient.dtype, own.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    let leading = own.rank() - count;
    for (a, b) in own.shape[..leading].iter().zip(&gradient.shape) {
        cx.require(cx.syms().eq(*a, *b), "`grad_output` has another batch or other channels than `self`")?;
    }
    let fractional = cx.op.schema().arg("output_size").is_some();
    if cx.op.name().contains("adaptive") {
        // PyTorch lets the first dimension be empty, be it the batch or the channels.
        let syms = cx.syms();
        for size in &gradient.shape[1..] {
            let some = syms.le(syms.constant(1), *size);
            cx.require(some, "a dimension of `grad_output` other than the first is empty")?;
        }
    }
    if !fractional && cx.op.schema().arg("kernel_size").is_some() {
        let pooled = super::pooling::pooled(cx)?;
        same_shape(cx, &gradient, &pooled.shape)?;
    }
    if fractional {
        let sizes = cx.ints("output_size")?.to_vec();
        let shape = [&gradient.shape[..leading], &sizes].concat();
        same_shape(cx, &gradient, &shape)?;
    }
    if cx.op.schema().arg("indices").is_some() {
        let indices = cx.meta("indices")?.clone();
        if indices.dtype != Dtype::Int64 {
            return Err(cx.error(Status::Dtype, format!("`indices` must be int64, not {}", indices.dtype)));
        }
        same_shape(cx, &indices, &gradient.shape)?;
    }
    Ok(vec![super::rearrange::suggested(cx, &own, own.dtype, own.shape.clone())])
}

/// Of a padding: each padded dimension of the gradient is that of `self` with its two pads.
pub fn pad_backward(cx: &mut Infer<'_>) -> Metas {
    let (own, gradient) = (cx.meta("self")?.clone(), given(cx)?.clone());
    one_dtype(cx, &["self", "grad_output"])?;
    if !own.dtype.is_continuous() {
        return Err(cx.error(Status::Dtype, format!("{} has no gradient", own.dtype)));
    }
    let padding = cx.ints("padding")?;
    let mut shape = own.shape.clone();
    let schema = cx.op.schema();
    let asked = schema.arg("padding").and_then(|at| schema.args[at].ty.length);
    // A dimension of channels stands before those that are padded.
    if asked != Some(padding.len()) || shape.len() <= padding.len() / 2 {
        return Err(cx.shape_error(format!("{} pads for {} dimensions", padding.len(), shape.len())));
    }
    let syms = cx.syms();
    for (k, pair) in padding.chunks(2).enumerate() {
        let dim = shape.len() - 1 - k;
        shape[dim] = syms.add(syms.add(shape[dim], pair[0]), pair[1]);
    }
    same_shape(cx, &gradient, &shape)?;
    Ok(vec![made(cx, gradient.dtype, own.shape)])
}

/// A shape that the arguments say.
pub fn sized_gradient(cx: &mut Infer<'_>) -> Metas {
    let names = ["input_size", "input_sizes", "self_sizes", "sizes"];
    let name = names.into_iter().find(|name| cx.op.schema().arg(name).is_some());
    let Some(name) = name else { return Err(cx.error(Status::Internal, "it is told no sizes")) };
    let shape = cx.ints(name)?.to_vec();
    let gradient = given(cx)?;
    for size in &shape {
        if cx.syms().range(*size).max < 0 {
            return Err(cx.shape_error(format!("`{name}` has a negative size")));
        }
    }
    if name == "input_size" {
        // An image: batch and channels, then the sizes that a resampling changed.
        let output = cx.ints("output_size")?;
        if shape.len() != output.len() + 2 {
            let message = format!("`input_size` has {} numbers, not {}", shape.len(), output.len() + 2);
            return Err(cx.shape_error(message));
        }
        let shape = [&shape[..2], output].concat();
        let gradient = gradient.clone();
        same_shape(cx, &gradient, &shape)?;
    }
    Ok(vec![made(cx, gradient.dtype, shape)])
}

/// Of windows along a dimension, which are the gradient's last one.
pub fn unfold_backward(cx: &mut Infer<'_>) -> Metas {
    let (gradient, mut shape) = (given(cx)?.clone(), cx.ints("input_sizes")?.to_vec());
    let dim = cx.dim(cx.known_int("dim")?, shape.len())?;
    let (size, step) = (cx.known_int("size")?, cx.known_int("step")?);
    if size < 0 || step <= 0 {
        return Err(
            cx.error(Status::InvalidArgument, format!("size {size} and step {step} are not possible"))
        );
    }
    let syms = cx.syms();
    if let Some(have) = shape.get_mut(dim) {
        cx.require(syms.le(syms.constant(size), *have), format!("no window of {size} fits `input_sizes`"))?;
        *have = syms.add_const(syms.floordiv(syms.add_const(*have, -size), syms.constant(step)), 1);
    }
    shape.push(syms.constant(size));
    let message = format!(
        "a gradient of shape {} where {} is",
        syms.display_list(&gradient.shape),
        syms.display_list(&shape)
    );
    // Windows that do not overlap are copied to their places, which repeats sizes of 1; others repeat them along other dimensions.
    let copied = step >= size || cx.ints("input_sizes")?.is_empty();
    if gradient.rank() > shape.len() || !copied && gradient.rank() != shape.len() {
        return Err(cx.shape_error(message));
    }
    let (one, added) = (cx.syms().constant(1), shape.len() - gradient.rank());
    for (k, (have, want)) in gradient.shape.iter().zip(&shape[added..]).enumerate() {
        let repeated = cx.syms().known_eq(*have, one) && (copied || k != dim && k + 1 != shape.len());
        if !repeated {
            cx.require(cx.syms().eq(*have, *want), message.clone())?;
        }
    }
    sized_gradient(cx)
}

/// The gradient of a matrix's trace, for a gradient that is one number.
pub fn trace_backward(cx: &mut Infer<'_>) -> Metas {
    cx.require_zero_dim("grad")?;
    if cx.ints("sizes")?.len() != 2 {
        return Err(cx.shape_error("`sizes` must be those of a matrix"));
    }
    sized_gradient(cx)
}

pub fn embedding_backward(cx: &mut Infer<'_>) -> Metas {
    let (gradient, indices) = (given(cx)?.clone(), cx.meta("indices")?.clone());
    if cx.op.schema().arg("sparse").is_some() && cx.bool("sparse") {
        return Err(cx.error(Status::Unsupported, "a sparse gradient"));
    }
    if !indices.dtype.is_integer() || gradient.rank() != indices.rank() + 1 {
        let message = "`grad_output` must have one dimension more than `indices`, which must be integers";
        return Err(cx.shape_error(message));
    }
    let width = *gradient.shape.last().unwrap_or(&cx.syms().constant(1));
    let shape = [&indices.shape[..], &[width]].concat();
    same_shape(cx, &gradient, &shape)?;
    Ok(vec![made(cx, gradient.dtype, vec![cx.int("num_weights")?, width])])
}

/// Of the input, the weight and the bias.
pub fn convolution_backward(cx: &mut Infer<'_>) -> Metas {
    let (gradient, input, weight) = (given(cx)?.clone(), cx.meta("input")?, cx.meta("weight")?);
    if !(3..=5).contains(&weight.rank()) || input.rank() != weight.rank() || gradient.rank() != input.rank() {
        let message = format!(
            "a gradient of {} dimensions for an input of {} and a weight of {}",
            gradient.rank(),
            input.rank(),
            weight.rank()
        );
        return Err(cx.shape_error(message));
    }
    if !input.dtype.is_float() || input.dtype != weight.dtype || gradient.dtype != input.dtype {
        let message = format!("{}, {} and {} are not one float", gradient.dtype, input.dtype, weight.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    for name in ["stride", "padding", "dilation", "output_padding"] {
        let count = cx.known_ints(name)?.len();
        if count != weight.rank() - 2 && count != 1 {
            let message = format!("`{name}` has {count} numbers, not {}", weight.rank() - 2);
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    let output = super::convolution::convolution(cx)?;
    same_shape(cx, &gradient, &output[0].shape)?;
    let bias = made(cx, input.dtype, vec![gradient.shape[1]]);
    let as_it_lies =
        |like: &TensorMeta| super::rearrange::suggested(cx, like, like.dtype, like.shape.clone());
    Ok(vec![as_it_lies(input), as_it_lies(weight), bias])
}

/// Of the input, and of parameters of the normalized shape.
pub fn layer_norm_backward(cx: &mut Infer<'_>) -> Metas {
    let (gradient, input) = (given(cx)?.clone(), cx.meta("input")?.clone());
    same_shape(cx, &gradient, &input.shape)?;
    if !gradient.dtype.is_float() || !input.dtype.is_float() {
        let message = format!("a gradient of {} for an input of {}", gradient.dtype, input.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    let shape = cx.ints("normalized_shape")?.to_vec();
    if shape.is_empty() {
        return Err(cx.shape_error("`normalized_shape` is empty"));
    }
    let Some(outer) = input.rank().checked_sub(shape.len()) else {
        return Err(cx.shape_error("`normalized_shape` has more dimensions than the input"));
    };
    cx.require_sizes(&shape, &input.shape[outer..], None, "the input does not end in `normalized_shape`")?;
    let weight = cx.optional_meta("weight").cloned();
    if let Some(weight) = &weight {
        cx.require_sizes(&weight.shape, &shape, None, "`weight` does not have the shape `normalized_shape`")?;
    }
    let dtype = weight.map_or(input.dtype, |w| w.dtype);
    let mut results = vec![made(cx, input.dtype, input.shape.clone())];
    for _ in 1..cx.op.schema().returns.len() {
        results.push(made(cx, dtype, shape.clone()));
    }
    Ok(results)
}

/// Of the input, and of parameters of one number per channel.
pub fn channel_norm_backward(cx: &mut Infer<'_>) -> Metas {
    let (gradient, input) = (given(cx)?.clone(), cx.meta("input")?.clone());
    if input.rank() < 2 {
        return Err(cx.shape_error("`input` needs a dimension of channels"));
    }
    if !input.dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("`input` must be floats, not {}", input.dtype)));
    }
    if cx.op.schema().arg("group").is_none() {
        same_shape(cx, &gradient, &input.shape)?;
    } else {
        let syms = cx.syms();
        let counted = syms.product(&[cx.int("N")?, cx.int("C")?, cx.int("HxW")?]);
        for (name, meta) in [("grad_out", &gradient), ("input", &input)] {
            let whole = syms.eq(meta.numel(syms), counted);
            cx.require(whole, format!("`{name}` does not have N * C * HxW elements"))?;
        }
    }
    let dtype = cx.optional_meta("weight").map_or(input.dtype, |w| w.dtype);
    let parameter = made(cx, dtype, vec![input.shape[1]]);
    let first = super::rearrange::suggested(cx, &input, input.dtype, input.shape.clone());
    Ok(vec![first, parameter.clone(), parameter])
}

/// As `native_batch_norm`, and a buffer that only cuDNN uses, which is empty.
pub fn cudnn_batch_norm(cx: &mut Infer<'_>) -> Metas {
    let mut results = super::native_batch_norm(cx)?;
    let empty = cx.syms().constant(0);
    results.push(made(cx, Dtype::Uint8, vec![empty]));
    Ok(results)
}

pub fn weight_norm_backward(cx: &mut Infer<'_>) -> Metas {
    let (gradient, v, g) = (given(cx)?.clone(), cx.meta("saved_v")?.clone(), cx.meta("saved_g")?.clone());
    same_shape(cx, &gradient, &v.shape)?;
    let dim = cx.known_int("dim")?;
    if !takes_slices_in_order(&v, dim) {
        return Err(cx.error(Status::InvalidArgument, "`dim` must be the first or last dimension"));
    }
    for name in ["saved_g", "saved_norms"] {
        let (meta, syms) = (cx.meta(name)?, cx.syms());
        let wrong = format!("`{name}` must have one number for each slice of `saved_v`");
        cx.require(syms.eq(meta.numel(syms), v.shape[dim as usize]), wrong)?;
    }
    Ok(vec![made(cx, v.dtype, v.shape.clone()), made(cx, g.dtype, g.shape)])
}
