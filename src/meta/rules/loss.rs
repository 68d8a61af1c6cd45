//! Losses. Distances and norms are in `norms.rs`.

use super::contraction::{check_rank, made, same_size};
use super::{broadcast, promote_tensors};
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::numbers::overflows;
use crate::meta::{Infer, MetaError};
use crate::ops::ArgBase;
use crate::types::{Dtype, Scalar, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// `reduction`: 0 keeps the elements, 1 means them, 2 sums them.
fn reduced(cx: &Infer<'_>, dtype: Dtype, shape: Vec<SymInt>) -> Metas {
    match cx.known_int("reduction")? {
        0 => Ok(vec![made(cx, dtype, shape)]),
        1 | 2 => Ok(vec![made(cx, dtype, Vec::new())]),
        other => Err(cx.error(Status::InvalidArgument, format!("`reduction` is {other}, not 0, 1 or 2"))),
    }
}

/// [`reduced`], where what is not reduced is computed element-wise from these operands.
fn reduced_over(cx: &Infer<'_>, dtype: Dtype, shape: Vec<SymInt>, operands: &[&TensorMeta]) -> Metas {
    let mut metas = reduced(cx, dtype, shape)?;
    let mut operands = operands.to_vec();
    // PyTorch begins with a factor of the target in these.
    let name = cx.op.name();
    let by_target = ["kl_div", "margin_ranking", "hinge_embedding", "with_logits"];
    if by_target.iter().any(|part| name.contains(part)) {
        operands.rotate_right(1);
    }
    for meta in metas.iter_mut().filter(|meta| meta.rank() > 0) {
        meta.strides = crate::meta::elementwise_strides(cx.syms(), &meta.shape, &operands);
    }
    Ok(metas)
}

/// The tensors that the schema always asks for: weights and the like are optional.
fn operands<'a>(cx: &Infer<'a>) -> Vec<&'a TensorMeta> {
    let schema = cx.op.schema();
    let plain = schema.args.iter().filter(|a| a.ty.base == ArgBase::Tensor && !a.ty.optional && !a.ty.list);
    plain.filter_map(|a| cx.optional_meta(&a.name)).collect()
}

fn broadcast_all(cx: &mut Infer<'_>, metas: &[&TensorMeta]) -> Result<Vec<SymInt>, MetaError> {
    let shapes: Vec<&[SymInt]> = metas.iter().map(|m| m.shape.as_slice()).collect();
    broadcast(cx, &shapes)
}

pub(super) fn need_float(cx: &Infer<'_>, dtype: Dtype) -> Result<Dtype, MetaError> {
    if dtype.is_continuous() {
        return Ok(dtype);
    }
    Err(cx.error(Status::Unsupported, format!("it is there for floating-point tensors, not for {dtype}")))
}

/// A loss of elements: its tensors broadcast and promote.
pub fn loss(cx: &mut Infer<'_>) -> Metas {
    let metas = operands(cx);
    let dtype = need_float(cx, promote_tensors(cx, &metas)?)?;
    for (name, least) in [("delta", f64::MIN_POSITIVE), ("beta", 0.0)] {
        if cx.op.schema().arg(name).is_some()
            && matches!(cx.arg(name), Arg::Float(number) if number.is_nan() || *number < least)
        {
            return Err(cx.error(Status::InvalidArgument, format!("`{name}` is too small")));
        }
    }
    let mut shape = broadcast_all(cx, &metas)?;
    for name in ["weight", "pos_weight"] {
        if cx.op.schema().arg(name).is_some()
            && let Some(weight) = cx.optional_meta(name)
        {
            shape = broadcast(cx, &[&shape, &weight.shape])?;
        }
    }
    reduced_over(cx, dtype, shape, &metas)
}

/// A loss that is written over one of its tensors: the others broadcast to its shape and do not widen its dtype.
fn loss_over(cx: &mut Infer<'_>, name: &str) -> Metas {
    let own = cx.meta(name)?.clone();
    let metas = operands(cx);
    let dtype = need_float(cx, promote_tensors(cx, &metas)?)?;
    if !own.dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("`{name}` is {}, the loss {dtype}", own.dtype)));
    }
    let mut shapes: Vec<&[SymInt]> = metas.iter().map(|m| m.shape.as_slice()).collect();
    let others = ["weight", "pos_weight"].into_iter().filter(|n| cx.op.schema().arg(n).is_some());
    shapes.extend(others.filter_map(|n| cx.optional_meta(n)).map(|m| m.shape.as_slice()));
    let shape = broadcast(cx, &shapes)?;
    let wrong = format!("the other tensors do not broadcast to the shape of `{name}`");
    cx.require_sizes(&shape, &own.shape, None, &wrong)?;
    reduced_over(cx, own.dtype, own.shape.clone(), &[&own])
}

/// Input and target are of one dtype.
pub fn binary_cross_entropy(cx: &mut Infer<'_>) -> Metas {
    let (own, target) = (cx.meta("self")?.dtype, cx.meta("target")?.dtype);
    if own != target {
        return Err(cx.error(Status::Dtype, format!("`self` is {own}, `target` is {target}")));
    }
    loss_over(cx, "self")
}

/// Logits, written over `1 - target`; weights of what is positive are written over the logits' part first.
pub fn binary_cross_entropy_with_logits(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.clone();
    need_float(cx, own.dtype)?;
    if cx.optional_meta("pos_weight").is_some() {
        let target = cx.meta("target")?.shape.clone();
        let wrong = "`target` does not broadcast to the shape of `self`";
        let shape = broadcast(cx, &[&own.shape, &target])?;
        cx.require_sizes(&shape, &own.shape, None, wrong)?;
    }
    loss_over(cx, "target")
}

/// Written to a tensor of the dtype of `self`.
pub fn huber_loss(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.dtype;
    need_float(cx, own)?;
    Ok(loss(cx)?.into_iter().map(|result| TensorMeta { dtype: own, ..result }).collect())
}

/// Of floats alone.
pub fn kl_div(cx: &mut Infer<'_>) -> Metas {
    for meta in operands(cx) {
        need_float(cx, meta.dtype)?;
    }
    loss(cx)
}

pub fn soft_margin_loss(cx: &mut Infer<'_>) -> Metas {
    loss_over(cx, "self")
}

/// Bools have no differences.
pub(super) fn no_bools(cx: &Infer<'_>, metas: &[&TensorMeta]) -> Result<(), MetaError> {
    if metas.iter().any(|m| m.dtype == Dtype::Bool) {
        return Err(cx.error(Status::Dtype, "bools have no differences"));
    }
    Ok(())
}

/// Integers become the default float, as a margin is one.
pub(super) fn with_margin(dtype: Dtype) -> Dtype {
    if dtype.is_float() { dtype } else { Dtype::Float32 }
}

pub fn margin_loss(cx: &mut Infer<'_>) -> Metas {
    let metas = operands(cx);
    no_bools(cx, &metas)?;
    let dtype = with_margin(promote_tensors(cx, &metas)?);
    let shape = broadcast_all(cx, &metas)?;
    reduced_over(cx, dtype, shape, &metas)
}

/// Computed and given in the dtype of `self`, integers too, whose sum is int64 and which have no mean.
pub fn hinge_embedding_loss(cx: &mut Infer<'_>) -> Metas {
    let (own, metas) = (cx.meta("self")?.dtype, operands(cx));
    if own == Dtype::Bool || own.is_complex() {
        return Err(
            cx.error(Status::Dtype, format!("it is there for numbers that can be compared, not for {own}"))
        );
    }
    let margin = match cx.arg("margin") {
        Arg::Float(margin) => Some(Scalar::Float(*margin)),
        _ => None,
    };
    if margin.is_some_and(|margin| overflows(margin, own)) {
        return Err(cx.error(Status::InvalidArgument, format!("`margin` does not fit {own}")));
    }
    let shape = broadcast_all(cx, &metas)?;
    let dtype = match (cx.known_int("reduction")?, own.is_float()) {
        (1, false) => return Err(cx.error(Status::Dtype, format!("{own} has no mean"))),
        (2, false) => Dtype::Int64,
        _ => own,
    };
    reduced_over(cx, dtype, shape, &metas)
}

/// Of integers too, whose sum is int64 and which have no mean.
pub fn l1_loss(cx: &mut Infer<'_>) -> Metas {
    let metas = operands(cx);
    no_bools(cx, &metas)?;
    let dtype = promote_tensors(cx, &metas)?;
    if dtype.is_float() {
        return loss(cx);
    }
    let shape = broadcast_all(cx, &metas)?;
    if dtype.is_complex() {
        return reduced_over(cx, dtype.part(), shape, &metas);
    }
    match cx.known_int("reduction")? {
        1 => Err(cx.error(Status::Dtype, format!("{dtype} has no mean"))),
        2 => reduced_over(cx, Dtype::Int64, shape, &metas),
        _ => reduced_over(cx, dtype, shape, &metas),
    }
}

/// The distance of two (broadcast) tensors along their last dimension, where they have one, loses it.
fn without_last(shape: Vec<SymInt>) -> Vec<SymInt> {
    shape.split_last().map(|(_, rest)| rest.to_vec()).unwrap_or_default()
}

pub fn triplet_margin_loss(cx: &mut Infer<'_>) -> Metas {
    let metas = operands(cx);
    no_bools(cx, &metas)?;
    if metas.iter().any(|m| m.rank() != metas[0].rank()) {
        return Err(cx.shape_error("the three tensors must have as many dimensions"));
    }
    let dtype = with_margin(promote_tensors(cx, &metas)?);
    let shape = without_last(broadcast_all(cx, &metas)?);
    reduced(cx, dtype, shape)
}

pub fn cosine_embedding_loss(cx: &mut Infer<'_>) -> Metas {
    let (a, b, target) = (cx.meta("input1")?, cx.meta("input2")?, cx.meta("target")?);
    let shape = broadcast(cx, &[&a.shape, &b.shape])?;
    if target.rank() > 1 || shape.len() != target.rank() + 1 {
        return Err(
            cx.shape_error("inputs must be [n, d] with a target [n], or [d] with a target of no dimensions")
        );
    }
    if [a, b].iter().any(|m| m.rank() != target.rank() + 1) {
        return Err(cx.shape_error("both inputs must have one dimension more than the target"));
    }
    let rows = without_last(shape);
    let shape = broadcast(cx, &[&rows, &target.shape])?;
    let dtype = with_margin(promote_tensors(cx, &[a, b])?);
    reduced(cx, dtype, shape)
}

/// Classes `[c]` or `[n, c]`, and a target without the dimension of classes.
pub fn multi_margin_loss(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[0, 1, 2])?;
    let (input, target) = (cx.meta("self")?, cx.meta("target")?);
    let dtype = need_float(cx, input.dtype)?;
    if input.rank() == 2 {
        if target.rank() != 1 {
            return Err(cx.shape_error("`target` must have one dimension"));
        }
        same_size(cx, "the counts of inputs and targets", input.shape[0], target.shape[0])?;
    }
    if let Some(classes) = input.shape.last() {
        let one = cx.syms().constant(1);
        cx.require(cx.syms().le(one, *classes), "`self` has no classes")?;
    }
    let shape = input.shape[..input.rank().saturating_sub(1)].to_vec();
    reduced(cx, dtype, shape)
}

pub fn multilabel_margin_loss(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[0, 1, 2])?;
    let (input, target) = (cx.meta("self")?, cx.meta("target")?);
    let dtype = need_float(cx, input.dtype)?;
    if input.rank() != target.rank() {
        return Err(cx.shape_error("`self` and `target` must have the same dimensions"));
    }
    for (a, b) in input.shape.iter().zip(&target.shape) {
        same_size(cx, "the sizes of `self` and `target`", *a, *b)?;
    }
    if let Some(classes) = input.shape.last() {
        let syms = cx.syms();
        cx.require(syms.ne(*classes, syms.constant(0)), "`self` needs at least one class")?;
    }
    let shape = input.shape[..input.rank().saturating_sub(1)].to_vec();
    reduced(cx, dtype, shape)
}

/// Class scores `[c]` or `[n, c, ..]` and the target's shape, which lacks the classes.
pub fn class_target(cx: &mut Infer<'_>) -> Result<(TensorMeta, Vec<SymInt>), MetaError> {
    let (input, target) = (cx.meta("self")?.clone(), cx.meta("target")?.clone());
    need_float(cx, input.dtype)?;
    if input.rank() == 0 {
        return Err(cx.shape_error("`self` needs a dimension of classes"));
    }
    let classes = usize::from(input.rank() > 1);
    let mut shape = input.shape.clone();
    let count = shape.remove(classes);
    if let Some(weight) = cx.optional_meta("weight") {
        if weight.rank() != 1 {
            return Err(cx.shape_error("`weight` must have one dimension"));
        }
        same_size(cx, "the counts of weights and classes", weight.shape[0], count)?;
    }
    if !target.dtype.is_float() || cx.op.schema().arg("label_smoothing").is_none() {
        if let Some(weight) = cx.optional_meta("weight")
            && weight.dtype != input.dtype
        {
            let message = format!("`weight` is {}, the scores are {}", weight.dtype, input.dtype);
            return Err(cx.error(Status::Dtype, message));
        }
        // The kernel for pixels takes int64 alone.
        let bytes = target.dtype == Dtype::Uint8 && input.rank() < 3;
        if target.dtype != Dtype::Int64 && !bytes {
            return Err(
                cx.error(Status::Dtype, format!("`target` must hold class numbers, not {}", target.dtype))
            );
        }
        let is_loss = cx.op.schema().arg("total_weight").is_none();
        if input.rank() == 1 && target.rank() == 1 && is_loss {
            // One example, whose class has a dimension; its loss has none.
            let one = cx.syms().constant(1);
            same_size(cx, "the counts of examples and targets", one, target.shape[0])?;
            return Ok((input, shape));
        }
        if target.rank() != shape.len() {
            return Err(cx.shape_error(format!(
                "a target of {} dimensions does not go with scores of {}",
                target.rank(),
                input.rank()
            )));
        }
        for (a, b) in shape.iter().zip(&target.shape) {
            same_size(cx, "the sizes of scores and target", *a, *b)?;
        }
    } else {
        if target.rank() != input.rank() {
            return Err(cx.shape_error("a target of probabilities must have the dimensions of `self`"));
        }
        for (a, b) in input.shape.iter().zip(&target.shape) {
            same_size(cx, "the sizes of scores and target", *a, *b)?;
        }
    }
    Ok((input, shape))
}

/// Of examples, of pixels where the name says so, and of either in the form for any number of dimensions.
pub fn nll_loss(cx: &mut Infer<'_>) -> Metas {
    let (name, rank) = (cx.op.name(), cx.meta("self")?.rank());
    if name.contains("2d") {
        check_rank(cx, "self", &[4])?;
    } else if !name.contains("_nd") && rank > 2 {
        return Err(cx.shape_error(format!("scores of {rank} dimensions; it takes one or two")));
    }
    let (input, shape) = class_target(cx)?;
    reduced(cx, input.dtype, shape)
}

/// The loss and the sum of the weights.
pub fn nll_loss_forward(cx: &mut Infer<'_>) -> Metas {
    let mut results = nll_loss(cx)?;
    results.push(made(cx, results[0].dtype, Vec::new()));
    Ok(results)
}

/// A target of probabilities and its weights promote with the scores.
pub fn cross_entropy_loss(cx: &mut Infer<'_>) -> Metas {
    let (input, shape) = class_target(cx)?;
    if matches!(cx.arg("label_smoothing"), Arg::Float(share) if !(0.0..=1.0).contains(share)) {
        return Err(cx.error(Status::InvalidArgument, "`label_smoothing` must be between 0 and 1"));
    }
    let mut all = vec![&input];
    if cx.meta("target")?.dtype.is_float() {
        if cx.optional_int("ignore_index").is_some_and(|class| cx.syms().range(class).min >= 0) {
            return Err(cx.error(Status::InvalidArgument, "probabilities have no `ignore_index`"));
        }
        all.push(cx.meta("target")?);
        all.extend(cx.optional_meta("weight"));
    }
    let dtype = promote_tensors(cx, &all)?;
    reduced(cx, dtype, shape)
}

/// The loss of each sequence, and `[batch, steps, states]`: the labels of a target with blanks around each.
pub fn ctc_loss(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "log_probs", &[3])?;
    check_rank(cx, "targets", &[1, 2])?;
    let (given, targets) = (cx.meta("log_probs")?.clone(), cx.meta("targets")?.clone());
    for name in ["targets", "input_lengths", "target_lengths"] {
        let (dtype, rank) = (cx.meta(name)?.dtype, cx.meta(name)?.rank());
        if !dtype.is_integer() {
            return Err(cx.error(Status::Dtype, format!("`{name}` must be integers, not {dtype}")));
        }
        if name != "targets" && rank != 1 {
            return Err(cx.shape_error(format!("`{name}` must have a number for each of the batch")));
        }
        if rank == 1 && name == "targets" {
            continue;
        }
        let batch = cx.meta(name)?.shape[0];
        let message = format!("`{name}` must have one entry for each sequence of the batch");
        cx.require(cx.syms().eq(batch, given.shape[1]), message)?;
    }
    let (blank, syms) = (cx.int("blank")?, cx.syms());
    let within = syms.and(syms.le(syms.constant(0), blank), syms.lt(blank, given.shape[2]));
    cx.require(within, "the blank is none of the classes")?;
    let syms = cx.syms();
    let labels = targets.shape[targets.rank() - 1];
    let states = syms.add_const(syms.mul_const(labels, 2), 1);
    let shape = vec![given.shape[1], given.shape[0], states];
    Ok(vec![made(cx, given.dtype, vec![given.shape[1]]), made(cx, given.dtype, shape)])
}

/// The exponential or the logarithm of an integer is float32, which promotes with the target.
pub fn poisson_nll_loss(cx: &mut Infer<'_>) -> Metas {
    let (mut input, target) = (cx.meta("input")?.clone(), cx.meta("target")?);
    if input.dtype.is_integral() {
        input.dtype = Dtype::Float32;
    }
    let dtype = promote_tensors(cx, &[&input, target])?;
    let shape = broadcast_all(cx, &[&input, target])?;
    let metas = operands(cx);
    reduced_over(cx, dtype, shape, &metas)
}
