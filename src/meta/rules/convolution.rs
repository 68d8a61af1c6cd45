//! Convolutions and transposed convolutions.

use super::contraction::{made, same_dtype, same_size};
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymArena, SymInt, TensorMeta, lies_channels_last};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// A spatial argument: one number per dimension, or one for all.
fn spatial(cx: &Infer<'_>, name: &str, count: usize) -> Result<Vec<i64>, MetaError> {
    let list = cx.known_ints(name)?;
    match list.len() {
        1 => Ok(vec![list[0]; count]),
        n if n == count => Ok(list),
        n => Err(cx.error(Status::InvalidArgument, format!("`{name}` has {n} numbers, not {count}"))),
    }
}

/// The arguments of a convolution that are not tensors, one number per spatial dimension.
struct Geometry {
    stride: Vec<i64>,
    padding: [Vec<i64>; 2],
    dilation: Vec<i64>,
    output_padding: Vec<i64>,
    groups: i64,
    transposed: bool,
}

/// Where steps of a window end: sums of a few products of them and of sizes stay within 64 bits.
const FAR: i64 = 1 << 31;

fn shape_of(cx: &mut Infer<'_>, geometry: &Geometry, batched: bool) -> Metas {
    // A gradient's schema has no bias.
    let names = ["input", "weight", "bias"].into_iter().filter(|n| cx.op.schema().arg(n).is_some());
    let names: Vec<&str> = names.collect();
    let dtype = same_dtype(cx, &names)?;
    if dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "there are no convolutions of bool tensors"));
    }
    // Of the integers, PyTorch's kernels for these take one.
    let dilated = geometry.dilation.iter().any(|d| *d != 1);
    if dtype.is_integral() && dtype != Dtype::Int64 && (geometry.transposed || dilated) {
        let which = if geometry.transposed { "transposed" } else { "dilated" };
        return Err(cx.error(Status::Dtype, format!("there are no {which} convolutions of {dtype}")));
    }
    let (input, weight) = (cx.meta("input")?.clone(), cx.meta("weight")?.clone());
    let spatial = geometry.stride.len();
    let skip = usize::from(batched);
    let positive = |list: &[i64]| list.iter().all(|v| (1..FAR).contains(v));
    let none_negative = |list: &[i64]| list.iter().all(|v| (0..FAR).contains(v));
    let valid = positive(&geometry.stride)
        && positive(&geometry.dilation)
        && geometry.groups > 0
        && none_negative(&geometry.padding[0])
        && none_negative(&geometry.padding[1])
        && none_negative(&geometry.output_padding);
    if !valid {
        let message =
            "stride, dilation and groups must be positive, padding not negative, all of them below 2^31";
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let channels = input.shape[skip];
    let groups = cx.syms().constant(geometry.groups);
    let syms = cx.syms();
    let (taken, filters) = if geometry.transposed {
        (weight.shape[0], syms.mul(weight.shape[1], groups))
    } else {
        (syms.mul(weight.shape[1], groups), weight.shape[0])
    };
    same_size(cx, "the input's channels and the weight's", channels, taken)?;
    let given = if nothing_to_sum(cx, &input, &weight, geometry, skip)? { syms.constant(0) } else { filters };
    for (of, size) in [("input", taken), ("output", filters)] {
        let rest = syms.modulo(size, groups);
        let whole = syms.eq(rest, syms.constant(0));
        cx.require(whole, format!("the {of} channels are no multiple of {} groups", geometry.groups))?;
    }
    if let Some(bias) = cx.op.schema().arg("bias").and_then(|_| cx.optional_meta("bias")) {
        if bias.rank() != 1 {
            return Err(cx.shape_error("`bias` must have one dimension"));
        }
        same_size(cx, "the bias's size and the output channels", bias.shape[0], filters)?;
    }
    let mut shape: Vec<SymInt> = input.shape[..skip].to_vec();
    shape.push(given);
    for k in 0..spatial {
        let (size, kernel) = (input.shape[skip + 1 + k], weight.shape[2 + k]);
        let pad = geometry.padding[0][k] + geometry.padding[1][k];
        let reach = syms.mul_const(syms.add_const(kernel, -1), geometry.dilation[k]);
        let out = if geometry.transposed {
            let steps = syms.mul_const(syms.add_const(size, -1), geometry.stride[k]);
            let out = syms.add_const(syms.add(steps, reach), 1 - pad + geometry.output_padding[k]);
            let some = syms.le(syms.constant(1), out);
            cx.require(some, format!("the output's size {} is not positive", syms.display(out)))?;
            out
        } else {
            let room = syms.sub(syms.add_const(size, pad - 1), reach);
            let fits = syms.le(syms.constant(0), room);
            let text = format!("the kernel is larger than the padded input of {}", syms.display(size));
            cx.require(fits, text)?;
            let stride = syms.constant(geometry.stride[k]);
            syms.add_const(syms.floordiv(room, stride), 1)
        };
        shape.push(out);
    }
    Ok(vec![laid_out(cx, &input, &weight, geometry, dtype, shape)])
}

/// Whether the input has no channels: then the result has none either, as in PyTorch. Otherwise the weight has filters and
/// elements, and the input is empty in its batch alone.
fn nothing_to_sum(
    cx: &mut Infer<'_>,
    input: &TensorMeta,
    weight: &TensorMeta,
    geometry: &Geometry,
    skip: usize,
) -> Result<bool, MetaError> {
    let syms = cx.syms();
    let groups = syms.constant(geometry.groups);
    let enough = syms.le(groups, weight.shape[0]);
    cx.require(enough, format!("the weight has fewer filters than {} groups", geometry.groups))?;
    let one = syms.constant(1);
    if syms.as_const(input.shape[skip]) == Some(0) {
        return Ok(true);
    }
    cx.require(syms.le(one, input.shape[skip]), "the input has no channels")?;
    for size in &weight.shape[1..] {
        cx.require(syms.le(one, *size), "the weight is empty")?;
    }
    let no_batch = if skip == 1 { syms.le(input.shape[0], syms.constant(0)) } else { syms.constant(0) };
    for size in &input.shape[skip + 1..] {
        cx.require(syms.or(no_batch, syms.le(one, *size)), "the input may be empty in its batch alone")?;
    }
    Ok(false)
}

/// An image or a filter with its channels last gives such an image. Of sequences, which count as images of one row, only the
/// filter says. Volumes are contiguous where PyTorch has a kernel of its own for them ([`has_own_kernel`]).
fn laid_out(
    cx: &Infer<'_>,
    input: &TensorMeta,
    weight: &TensorMeta,
    geometry: &Geometry,
    dtype: Dtype,
    shape: Vec<SymInt>,
) -> TensorMeta {
    let syms = cx.syms();
    let spatial = geometry.stride.len();
    let batched = shape.len() == spatial + 2;
    if spatial == 3 && has_own_kernel(syms, input, weight, geometry, dtype.part()) {
        return made(cx, dtype, shape);
    }
    let with_batch = |meta: &TensorMeta| {
        let mut meta = meta.clone();
        if meta.rank() < spatial + 2 {
            meta.strides.insert(0, syms.mul(meta.shape[0], meta.strides[0]));
            meta.shape.insert(0, syms.constant(1));
        }
        meta
    };
    let whole = with_batch(&TensorMeta::contiguous(syms, dtype, shape));
    let mut result = if spatial == 1 {
        super::rearrange::suggested_as_image(cx, weight, dtype, whole.shape)
    } else {
        let image = with_batch(input);
        let last = |m: &&TensorMeta| lies_channels_last(syms, &m.shape, &m.strides);
        match [&image, weight].into_iter().find(last) {
            Some(like) => super::rearrange::suggested(cx, like, dtype, whole.shape),
            None => made(cx, dtype, whole.shape),
        }
    };
    if !batched {
        result.shape.remove(0);
        result.strides.remove(0);
    }
    result
}

/// Whether PyTorch convolves volumes on a CPU by its own kernel and not by oneDNN: those of float64, those padded by a whole step, and
/// of float32 small single ones with a small filter.
fn has_own_kernel(
    syms: &SymArena,
    input: &TensorMeta,
    weight: &TensorMeta,
    geometry: &Geometry,
    dtype: Dtype,
) -> bool {
    let padded = geometry.output_padding.iter().zip(&geometry.stride).any(|(more, step)| more >= step);
    if dtype == Dtype::Float64 || geometry.transposed && padded {
        return true;
    }
    if dtype == Dtype::Bfloat16 || geometry.groups > 1 {
        return false;
    }
    let mut sizes = input.shape.clone();
    if sizes.len() == 4 {
        sizes.insert(0, syms.constant(1));
    }
    let is_single = syms.as_const(sizes[0]) == Some(1);
    let is_large = syms.as_const(syms.product(&sizes[..4])).is_some_and(|n| n > 20_480);
    let wide = weight.shape[3..].iter().all(|size| syms.as_const(*size).is_some_and(|n| n > 3));
    is_single && !is_large && !wide
}

/// The spatial dimensions of a convolution, from its weight, and whether the input has a batch dimension.
fn dimensions(cx: &Infer<'_>) -> Result<(usize, bool), MetaError> {
    let (input, weight) = (cx.meta("input")?.rank(), cx.meta("weight")?.rank());
    if !(3..=5).contains(&weight) || (input != weight && input + 1 != weight) {
        return Err(
            cx.shape_error(format!("an input of {input} dimensions does not go with a weight of {weight}"))
        );
    }
    Ok((weight - 2, input == weight))
}

/// `conv1d`, `conv2d`, `conv3d`, and their forms with a padding mode.
pub fn conv(cx: &mut Infer<'_>) -> Metas {
    let (count, batched) = dimensions(cx)?;
    let given = cx.op.name().as_bytes().get("aten.conv".len()).map_or(0, |b| (b - b'0') as usize);
    if given != count {
        return Err(cx.shape_error(format!("the weight has {count} spatial dimensions, not {given}")));
    }
    let stride = spatial(cx, "stride", count)?;
    let dilation = spatial(cx, "dilation", count)?;
    let padding = match cx.string("padding") {
        None => {
            let padding = spatial(cx, "padding", count)?;
            [padding.clone(), padding]
        }
        Some("valid") => [vec![0; count], vec![0; count]],
        Some("same") => {
            if stride.iter().any(|s| *s != 1) {
                let message = "padding \"same\" goes with stride 1 only";
                return Err(cx.error(Status::InvalidArgument, message));
            }
            let kernel = cx.syms().as_consts(&cx.meta("weight")?.shape[2..]).ok_or_else(|| {
                cx.error(Status::Unsupported, "padding \"same\" needs a kernel of constant size")
            })?;
            let total: Vec<i64> =
                kernel.iter().zip(&dilation).map(|(k, d)| (k - 1).max(0).saturating_mul(*d)).collect();
            [total.iter().map(|t| t / 2).collect(), total.iter().map(|t| t - t / 2).collect()]
        }
        Some(other) => {
            let message = format!("padding must be \"same\" or \"valid\", not \"{other}\"");
            return Err(cx.error(Status::InvalidArgument, message));
        }
    };
    let geometry = Geometry {
        stride,
        padding,
        dilation,
        output_padding: vec![0; count],
        groups: cx.known_int("groups")?,
        transposed: false,
    };
    shape_of(cx, &geometry, batched)
}

pub fn conv_transpose(cx: &mut Infer<'_>) -> Metas {
    any(cx, true)
}

/// More output padding than a stride or a dilation reaches would be a place that nothing writes.
fn check_output_padding(cx: &Infer<'_>, g: &Geometry) -> Result<(), MetaError> {
    let fits = |k: usize| g.output_padding[k] >= 0 && g.output_padding[k] < g.stride[k].max(g.dilation[k]);
    if (0..g.stride.len()).all(fits) {
        return Ok(());
    }
    Err(cx.error(Status::InvalidArgument, "`output_padding` must be smaller than stride or dilation"))
}

/// `convolution` and `_convolution`: any number of dimensions, transposed or not.
pub fn convolution(cx: &mut Infer<'_>) -> Metas {
    let transposed = cx.bool("transposed");
    any(cx, transposed)
}

fn any(cx: &mut Infer<'_>, transposed: bool) -> Metas {
    let (count, batched) = dimensions(cx)?;
    let padding = spatial(cx, "padding", count)?;
    let geometry = Geometry {
        stride: spatial(cx, "stride", count)?,
        padding: [padding.clone(), padding],
        dilation: spatial(cx, "dilation", count)?,
        output_padding: spatial(cx, "output_padding", count)?,
        groups: cx.known_int("groups")?,
        transposed,
    };
    if transposed {
        check_output_padding(cx, &geometry)?;
    }
    shape_of(cx, &geometry, batched)
}
