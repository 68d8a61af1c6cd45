//! Windows over spatial dimensions: pooling.

use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The spatial dimensions that the operator's name tells.
fn spatial_count(cx: &Infer<'_>) -> usize {
    let name = cx.op.name();
    name.find("pool").and_then(|k| name.as_bytes().get(k + 4)).map_or(0, |b| b.wrapping_sub(b'0') as usize)
}

/// An input `[c, spatial..]` or `[n, c, spatial..]`: how many dimensions come before the spatial ones.
fn leading(cx: &Infer<'_>, count: usize) -> Result<usize, MetaError> {
    let rank = cx.meta("self")?.rank();
    if rank == count + 1 || rank == count + 2 {
        return Ok(rank - count);
    }
    Err(cx.shape_error(format!(
        "an input of {} or {} dimensions is needed, not {rank}",
        count + 1,
        count + 2
    )))
}

fn list(cx: &Infer<'_>, name: &str, count: usize, default: &[i64]) -> Result<Vec<i64>, MetaError> {
    if cx.op.schema().arg(name).is_none() {
        return Ok(default.to_vec());
    }
    let list = cx.known_ints(name)?;
    // As PyTorch, whose pooling holds these in 32 bits: products of two stay within 64.
    if let Some(far) = list.iter().find(|n| i32::try_from(**n).is_err()) {
        return Err(cx.error(Status::InvalidArgument, format!("{far} in `{name}` does not fit 32 bits")));
    }
    match list.len() {
        0 => Ok(default.to_vec()),
        1 => Ok(vec![list[0]; count]),
        n if n == count => Ok(list),
        n => Err(cx.error(Status::InvalidArgument, format!("`{name}` has {n} numbers, not {count}"))),
    }
}

pub(super) fn pooled(cx: &mut Infer<'_>) -> Result<TensorMeta, MetaError> {
    let count = spatial_count(cx);
    let input = cx.meta("self")?.clone();
    let skip = leading(cx, count)?;
    let kernel = list(cx, "kernel_size", count, &[])?;
    if kernel.len() != count {
        return Err(cx.error(Status::InvalidArgument, "`kernel_size` is empty"));
    }
    let stride = list(cx, "stride", count, &kernel)?;
    let padding = list(cx, "padding", count, &vec![0; count])?;
    let dilation = list(cx, "dilation", count, &vec![1; count])?;
    let ceil = cx.bool("ceil_mode");
    only_batch_empty(cx, &input.shape[skip - 1..])?;
    let mut shape = input.shape[..skip].to_vec();
    for k in 0..count {
        if kernel[k] <= 0
            || stride[k] <= 0
            || dilation[k] <= 0
            || padding[k] < 0
            || padding[k] > ((kernel[k] - 1) * dilation[k] + 1) / 2
        {
            let message = format!(
                "kernel {}, stride {}, dilation {} must be positive and padding {} at most half the kernel",
                kernel[k], stride[k], dilation[k], padding[k]
            );
            return Err(cx.error(Status::InvalidArgument, message));
        }
        let size = input.shape[skip + k];
        let out = window_count(cx, size, kernel[k], stride[k], padding[k], dilation[k], ceil);
        let some = cx.syms().le(cx.syms().constant(1), out);
        let text = format!("no window of {} fits a size of {}", kernel[k], cx.syms().display(size));
        cx.require(some, text)?;
        shape.push(out);
    }
    Ok(laid_out(cx, &input, shape))
}

/// What comes after the batch has elements, as PyTorch has it for windows.
pub(super) fn only_batch_empty(cx: &mut Infer<'_>, sizes: &[SymInt]) -> Result<(), MetaError> {
    let one = cx.syms().constant(1);
    for size in sizes {
        cx.require(cx.syms().le(one, *size), "the input may be empty in its batch alone")?;
    }
    Ok(())
}

/// The result in the format that PyTorch suggests: sequences but for `max_pool1d` count as images of one row. A single volume
/// is contiguous, and so are volumes but for those of `max_pool3d`.
fn laid_out(cx: &Infer<'_>, input: &TensorMeta, shape: Vec<SymInt>) -> TensorMeta {
    match (spatial_count(cx), shape.len()) {
        (1, 3) if !cx.op.name().contains(".max_pool1d") => {
            super::rearrange::suggested_as_image(cx, input, input.dtype, shape)
        }
        (3, rank) if rank == 4 || !cx.op.name().contains(".max_pool3d") => {
            super::contraction::made(cx, input.dtype, shape)
        }
        _ => super::rearrange::suggested(cx, input, input.dtype, shape),
    }
}

/// How many windows fit; with `ceil`, also one that only begins inside the input or its left padding.
fn window_count(
    cx: &Infer<'_>,
    size: SymInt,
    kernel: i64,
    stride: i64,
    pad: i64,
    dilation: i64,
    ceil: bool,
) -> SymInt {
    let syms = cx.syms();
    let room = syms.add_const(size, 2 * pad - dilation * (kernel - 1) - 1);
    let step = syms.constant(stride);
    if !ceil {
        return syms.add_const(syms.floordiv(room, step), 1);
    }
    let up = syms.add_const(syms.floordiv(syms.add_const(room, stride - 1), step), 1);
    let last_begin = syms.mul_const(syms.add_const(up, -1), stride);
    let outside = syms.le(syms.add_const(size, pad), last_begin);
    syms.select(outside, syms.add_const(up, -1), up)
}

pub fn max_pool(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![pooled(cx)?])
}

/// The values and their places (int64) within the spatial dimensions, flattened.
pub fn max_pool_with_indices(cx: &mut Infer<'_>) -> Metas {
    let values = pooled(cx)?;
    let places = TensorMeta { dtype: Dtype::Int64, ..values.clone() };
    Ok(vec![values, places])
}

pub fn avg_pool(cx: &mut Infer<'_>) -> Metas {
    let result = pooled(cx)?;
    if cx.op.name() == "aten.avg_pool3d.default" {
        // Not the padded input, as in two dimensions.
        let input = cx.meta("self")?.clone();
        let kernel = list(cx, "kernel_size", 3, &[])?;
        for (size, kernel) in input.shape[input.rank() - 3..].iter().zip(kernel) {
            let fits = cx.syms().le(cx.syms().constant(kernel), *size);
            cx.require(
                fits,
                format!("the input of {} is smaller than the kernel", cx.syms().display(*size)),
            )?;
        }
    }
    if result.dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "there is no mean of bool tensors"));
    }
    if cx.op.schema().arg("divisor_override").is_some() && cx.optional_int("divisor_override").is_some() {
        let divisor = cx.known_int("divisor_override")?;
        if divisor == 0 {
            return Err(cx.error(Status::InvalidArgument, "`divisor_override` is zero"));
        }
    }
    Ok(vec![result])
}

fn adaptive(cx: &mut Infer<'_>) -> Result<TensorMeta, MetaError> {
    let count = spatial_count(cx);
    let input = cx.meta("self")?.clone();
    let skip = leading(cx, count)?;
    let sizes = cx.ints("output_size")?;
    if sizes.len() != count {
        return Err(cx.error(Status::InvalidArgument, format!("`output_size` has {} numbers", sizes.len())));
    }
    let syms = cx.syms();
    // As in PyTorch: averages of lines and images may have no channels, all others may be empty in their first dimension alone.
    let first = if cx.op.name().contains("avg") && count < 3 { skip } else { 1 };
    for size in &input.shape[first..] {
        cx.require(
            syms.le(syms.constant(1), *size),
            "a dimension of the input that is pooled over is empty",
        )?;
    }
    for size in sizes {
        if syms.range(*size).min < 0 {
            return Err(cx.error(Status::InvalidArgument, "`output_size` must not be negative"));
        }
    }
    let mut shape = input.shape[..skip].to_vec();
    shape.extend(sizes);
    Ok(laid_out(cx, &input, shape))
}

pub fn adaptive_avg_pool(cx: &mut Infer<'_>) -> Metas {
    let result = adaptive(cx)?;
    if !result.dtype.is_float() {
        return Err(
            cx.error(Status::Dtype, format!("it needs a floating-point tensor, not {}", result.dtype))
        );
    }
    Ok(vec![result])
}

pub fn adaptive_max_pool(cx: &mut Infer<'_>) -> Metas {
    let values = adaptive(cx)?;
    let places = TensorMeta { dtype: Dtype::Int64, ..values.clone() };
    Ok(vec![values, places])
}

/// Windows that random numbers place: the values and their places within the spatial dimensions, flattened.
pub fn fractional_max_pool(cx: &mut Infer<'_>) -> Metas {
    let count = spatial_count(cx);
    let input = cx.meta("self")?.clone();
    let skip = leading(cx, count)?;
    let (kernel, windows) = (cx.known_ints("kernel_size")?, cx.known_ints("output_size")?);
    if [&kernel, &windows].iter().any(|list| list.len() != count) {
        let message = format!("`kernel_size` and `output_size` must have {count} elements each");
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let samples = cx.meta("random_samples")?.clone();
    if samples.rank() != 3 || samples.dtype != input.dtype {
        let message = "`random_samples` must have three dimensions and the input's dtype";
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let syms = cx.syms();
    let batch = if skip == 2 { input.shape[0] } else { syms.constant(1) };
    let wanted = [batch, input.shape[skip - 1], syms.constant(count as i64)];
    cx.require_sizes(&samples.shape, &wanted, None, "`random_samples` must have a number for each plane")?;
    let mut shape = input.shape[..skip].to_vec();
    for k in 0..count {
        let (window, number) = (kernel[k], windows[k]);
        let fits =
            syms.le(syms.constant(number.saturating_add(window).saturating_sub(1)), input.shape[skip + k]);
        if window < 1 || number < 1 {
            return Err(cx.error(Status::InvalidArgument, "kernel and output sizes must be positive"));
        }
        cx.require(fits, "so many windows do not fit the input")?;
        shape.push(syms.constant(number));
    }
    let values = super::contraction::made(cx, input.dtype, shape);
    let places = TensorMeta { dtype: Dtype::Int64, ..values.clone() };
    Ok(vec![values, places])
}
