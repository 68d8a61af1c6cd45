//! Normalisations, softmax and dropout.

use super::contraction::{made, same_size};
use super::rearrange::suggested;
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MetaError, elementwise_strides};
use crate::types::{Dtype, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

fn float_input(cx: &Infer<'_>, name: &str) -> Result<TensorMeta, MetaError> {
    let input = cx.meta(name)?.clone();
    if input.dtype.is_float() {
        return Ok(input);
    }
    Err(cx.error(Status::Dtype, format!("it needs a floating-point tensor, not {}", input.dtype)))
}

/// A parameter's dtype: the input's, or float32 beside a narrower one.
fn check_parameters(cx: &Infer<'_>, input: Dtype, names: &[&str]) -> Result<(), MetaError> {
    for name in names {
        if let Some(meta) = cx.optional_meta(name)
            && meta.dtype != input
            && meta.dtype != input.compute()
        {
            let message = format!("`{name}` is {}, which does not go with an input of {input}", meta.dtype);
            return Err(cx.error(Status::Dtype, message));
        }
    }
    Ok(())
}

/// The dtype of the statistics that a layer or batch norm saves: on a GPU the one that they are computed in.
fn statistics_dtype(cx: &Infer<'_>, input: Dtype, names: &[&str]) -> Dtype {
    if cx.graph.made_on_gpu { input.compute() } else { parameters_dtype(cx, input, names) }
}

/// The dtype of the parameters, or else the input's.
fn parameters_dtype(cx: &Infer<'_>, input: Dtype, names: &[&str]) -> Dtype {
    names.iter().find_map(|n| cx.optional_meta(n)).map_or(input, |m| m.dtype)
}

/// The result of an operator that keeps its input's shape and dtype; parameters of one number per channel
/// (dimension 1) are checked.
pub fn normalized(cx: &mut Infer<'_>) -> Metas {
    let input = cx.meta("input")?.clone();
    if cx.op.schema().arg("weight").is_none() {
        return Ok(vec![input]);
    }
    // PyTorch gives an empty input of one dimension back before it looks for channels.
    let empty = input.rank() == 1 && cx.syms().as_const(input.shape[0]) == Some(0);
    if !(empty && cx.op.name() == "aten.batch_norm.default" && cx.optional_meta("weight").is_none()) {
        per_channel(cx)?;
    }
    if cx.op.name() == "aten.group_norm.default" {
        some_in_groups(cx, &input)?;
    }
    if cx.op.name() == "aten.instance_norm.default" {
        return Ok(vec![made(cx, input.dtype, input.shape)]);
    }
    Ok(vec![suggested(cx, &input, input.dtype, input.shape.clone())])
}

/// Checks an input `[n, c, ..]` and its parameters of `c` numbers.
fn per_channel(cx: &mut Infer<'_>) -> Result<TensorMeta, MetaError> {
    let input = float_input(cx, "input")?;
    if input.rank() < 2 {
        return Err(
            cx.shape_error(format!("`input` needs a dimension of channels; it has rank {}", input.rank()))
        );
    }
    let names: Vec<&str> = ["weight", "bias", "running_mean", "running_var"]
        .into_iter()
        .filter(|n| cx.op.schema().arg(n).is_some())
        .collect();
    check_parameters(cx, input.dtype, &names)?;
    let mut given = names.iter().filter_map(|n| Some((n, cx.optional_meta(n)?.dtype)));
    if let Some((first, dtype)) = given.next()
        && let Some((other, another)) = given.find(|(_, other)| *other != dtype)
    {
        let message = format!("`{first}` is {dtype}, `{other}` is {another}");
        return Err(cx.error(Status::Dtype, message));
    }
    for name in names {
        if let Some(meta) = cx.optional_meta(name) {
            if meta.rank() != 1 {
                return Err(cx.shape_error(format!("`{name}` must have one dimension, not {}", meta.rank())));
            }
            same_size(
                cx,
                &format!("the input's channels and the size of `{name}`,"),
                input.shape[1],
                meta.shape[0],
            )?;
        }
    }
    if cx.op.schema().arg("num_groups").is_some() {
        let groups = cx.known_int("num_groups")?;
        if groups <= 0 {
            return Err(cx.error(Status::InvalidArgument, format!("`num_groups` is {groups}")));
        }
        let syms = cx.syms();
        let rest = syms.modulo(input.shape[1], syms.constant(groups));
        let whole = syms.eq(rest, syms.constant(0));
        cx.require(whole, format!("the channels are no multiple of {groups} groups"))?;
    }
    Ok(input)
}

/// How many leading dimensions are outside `normalized_shape`, which must be the input's last ones.
fn outer_rank(cx: &mut Infer<'_>, input: &TensorMeta) -> Result<usize, MetaError> {
    let inner = cx.ints("normalized_shape")?;
    if inner.is_empty() || inner.len() > input.rank() {
        return Err(cx.shape_error(format!(
            "`normalized_shape` of {} dimensions does not go with an input of {}",
            inner.len(),
            input.rank()
        )));
    }
    let outer = input.rank() - inner.len();
    for (a, b) in input.shape[outer..].iter().zip(inner) {
        same_size(cx, "the input's last sizes and `normalized_shape`,", *a, *b)?;
    }
    for name in ["weight", "bias"] {
        if cx.op.schema().arg(name).is_none() {
            continue;
        }
        if let Some(meta) = cx.optional_meta(name) {
            if meta.rank() != inner.len() {
                return Err(
                    cx.shape_error(format!("`{name}` must have the dimensions of `normalized_shape`"))
                );
            }
            for (a, b) in meta.shape.iter().zip(inner) {
                same_size(cx, &format!("the sizes of `{name}` and `normalized_shape`,"), *a, *b)?;
            }
        }
    }
    Ok(outer)
}

/// `layer_norm` and `rms_norm`: the input's shape.
pub fn layer_norm(cx: &mut Infer<'_>) -> Metas {
    let input = float_input(cx, "input")?;
    let names: &[&str] = if cx.op.schema().arg("bias").is_some() { &["weight", "bias"] } else { &[] };
    check_parameters(cx, input.dtype, names)?;
    outer_rank(cx, &input)?;
    Ok(vec![made(cx, input.dtype, input.shape)])
}

/// The result, and the mean and reciprocal deviation of each row, with sizes of 1 in place of the normalized ones.
pub fn native_layer_norm(cx: &mut Infer<'_>) -> Metas {
    let input = float_input(cx, "input")?;
    check_parameters(cx, input.dtype, &["weight", "bias"])?;
    let outer = outer_rank(cx, &input)?;
    let mut shape = input.shape[..outer].to_vec();
    shape.resize(input.rank(), cx.syms().constant(1));
    let dtype = statistics_dtype(cx, input.dtype, &["weight", "bias"]);
    let saved = made(cx, dtype, shape);
    Ok(vec![made(cx, input.dtype, input.shape), saved.clone(), saved])
}

pub fn fused_rms_norm(cx: &mut Infer<'_>) -> Metas {
    let input = float_input(cx, "input")?;
    check_parameters(cx, input.dtype, &["weight"])?;
    let outer = outer_rank(cx, &input)?;
    let mut shape = input.shape[..outer].to_vec();
    shape.resize(input.rank(), cx.syms().constant(1));
    let saved = made(cx, input.dtype.compute(), shape);
    Ok(vec![made(cx, input.dtype, input.shape), saved])
}

/// A batch alone may be empty.
fn some_in_groups(cx: &mut Infer<'_>, input: &TensorMeta) -> Result<(), MetaError> {
    let syms = cx.syms();
    for size in &input.shape[1..] {
        cx.require(syms.le(syms.constant(1), *size), "there are no channels, or they have no elements")?;
    }
    Ok(())
}

/// The result, and mean and reciprocal deviation as `[N, group]`.
pub fn native_group_norm(cx: &mut Infer<'_>) -> Metas {
    let input = float_input(cx, "input")?;
    check_parameters(cx, input.dtype, &["weight", "bias"])?;
    let (n, c, inner) = (cx.int("N")?, cx.int("C")?, cx.int("HxW")?);
    let group = cx.known_int("group")?;
    if input.rank() < 2 || group <= 0 {
        return Err(cx.shape_error("`input` needs batch and channels, and `group` must be positive"));
    }
    let syms = cx.syms();
    same_size(cx, "the batch and N,", input.shape[0], n)?;
    same_size(cx, "the channels and C,", input.shape[1], c)?;
    same_size(cx, "the other sizes and HxW,", syms.product(&input.shape[2..]), inner)?;
    some_in_groups(cx, &input)?;
    let rest = syms.modulo(c, syms.constant(group));
    let whole = syms.eq(rest, syms.constant(0));
    cx.require(whole, format!("the channels are no multiple of {group} groups"))?;
    for name in ["weight", "bias"] {
        if let Some(meta) = cx.optional_meta(name) {
            let &[size] = &meta.shape[..] else {
                return Err(cx.shape_error(format!(
                    "`{name}` has one dimension, the channels; it has {}",
                    meta.rank()
                )));
            };
            same_size(cx, &format!("the channels and the size of `{name}`,"), c, size)?;
        }
    }
    let dtype = parameters_dtype(cx, input.dtype, &["weight", "bias"]);
    // The batch is `N`; the kernels count it as the input's size.
    let saved = made(cx, dtype, vec![input.shape[0], syms.constant(group)]);
    let result = suggested(cx, &input, input.dtype, input.shape.clone());
    Ok(vec![result, saved.clone(), saved])
}

/// The result and the saved statistics of a batch norm; without training these are empty on a CPU.
fn batch_norm_results(cx: &mut Infer<'_>, training: bool) -> Metas {
    let input = per_channel(cx)?;
    let names = ["weight", "bias", "running_mean", "running_var"];
    let names: Vec<&str> = names.into_iter().filter(|n| cx.op.schema().arg(n).is_some()).collect();
    let dtype = statistics_dtype(cx, input.dtype, &names);
    let size = if training || cx.graph.made_on_gpu { input.shape[1] } else { cx.syms().constant(0) };
    let saved = made(cx, dtype, vec![size]);
    let result = suggested(cx, &input, input.dtype, input.shape.clone());
    Ok(vec![result, saved.clone(), saved])
}

/// `native_batch_norm` and `_native_batch_norm_legit`, with and without running statistics.
pub fn native_batch_norm(cx: &mut Infer<'_>) -> Metas {
    let training = cx.bool("training");
    batch_norm_results(cx, training)
}

pub fn native_batch_norm_no_training(cx: &mut Infer<'_>) -> Metas {
    batch_norm_results(cx, false)
}

/// With the updated running statistics as results.
pub fn native_batch_norm_functional(cx: &mut Infer<'_>) -> Metas {
    let training = cx.bool("training");
    let mut results = batch_norm_results(cx, training)?;
    results.extend(updated(cx)?);
    Ok(results)
}

/// The running statistics have one number for each channel.
fn updated(cx: &Infer<'_>) -> Metas {
    let (mean, var) = (cx.meta("running_mean")?, cx.meta("running_var")?);
    let channels = vec![cx.meta("input")?.shape[1]];
    Ok(vec![made(cx, mean.dtype, channels.clone()), made(cx, var.dtype, channels)])
}

/// The third saved result is a byte tensor that PyTorch's CPU leaves empty.
pub fn batch_norm_with_update(cx: &mut Infer<'_>) -> Metas {
    let mut results = batch_norm_results(cx, true)?;
    results.push(made(cx, Dtype::Uint8, vec![cx.syms().constant(0)]));
    Ok(results)
}

pub fn batch_norm_with_update_functional(cx: &mut Infer<'_>) -> Metas {
    let mut results = batch_norm_with_update(cx)?;
    results.extend(updated(cx)?);
    Ok(results)
}

/// The dtype asked for, or the input's, which must then be a float.
pub fn softmax(cx: &mut Infer<'_>) -> Metas {
    let input = cx.meta("self")?.clone();
    let dtype = cx.dtype("dtype").unwrap_or(input.dtype);
    check_softmax(cx, &input, dtype)?;
    Ok(vec![TensorMeta { dtype, ..made(cx, dtype, input.shape) }])
}

/// `_softmax` and `_log_softmax`: `half_to_float` asks for float32 of float16.
pub fn core_softmax(cx: &mut Infer<'_>) -> Metas {
    let input = cx.meta("self")?.clone();
    let widened = cx.bool("half_to_float");
    if widened && input.dtype != Dtype::Float16 {
        return Err(cx.error(Status::Dtype, format!("`half_to_float` takes float16, not {}", input.dtype)));
    }
    let dtype = if widened { Dtype::Float32 } else { input.dtype };
    check_softmax(cx, &input, dtype)?;
    Ok(vec![made(cx, dtype, input.shape)])
}

fn check_softmax(cx: &Infer<'_>, input: &TensorMeta, dtype: Dtype) -> Result<(), MetaError> {
    cx.dim(cx.known_int("dim")?, input.rank())?;
    if !dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("the result must be a float, not {dtype}")));
    }
    Ok(())
}

/// The input, kept as a whole outside of training.
pub fn dropout(cx: &mut Infer<'_>) -> Metas {
    super::random::probability(cx)?;
    let mut results = normalized(cx)?;
    if cx.bool("train") {
        scaled_floats(cx)?;
        if !matches!(cx.arg("p"), Arg::Float(p) if *p == 0.0) {
            // A product with random numbers; otherwise it is the input itself.
            let TensorMeta { shape, .. } = &results[0];
            results[0].strides = elementwise_strides(cx.syms(), shape, &[&results[0]]);
            results[0].offset = cx.syms().constant(0);
        }
    }
    Ok(results)
}

/// What is dropped at random is scaled, too.
fn scaled_floats(cx: &Infer<'_>) -> Result<(), MetaError> {
    let nothing = matches!(cx.arg("p"), Arg::Float(p) if *p == 0.0);
    if nothing { Ok(()) } else { float_input(cx, "input").map(drop) }
}

/// The result, and which elements were kept.
pub fn native_dropout(cx: &mut Infer<'_>) -> Metas {
    super::random::probability(cx)?;
    let input = cx.meta("input")?.clone();
    // PyTorch scales what is left by 1, too, and nothing where there is nothing.
    let empty = cx.syms().as_const(input.numel(cx.syms())) == Some(0);
    if !matches!(cx.arg("train"), Arg::Bool(false)) && !empty {
        float_input(cx, "input")?;
    }
    let mask = made(cx, Dtype::Bool, input.shape.clone());
    let strides = elementwise_strides(cx.syms(), &input.shape, &[&input]);
    Ok(vec![TensorMeta { strides, offset: cx.syms().constant(0), ..input }, mask])
}
