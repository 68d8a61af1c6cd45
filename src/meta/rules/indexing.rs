//! Reading and writing at indices that are data.

use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta, preserved_strides};

type Metas = Result<Vec<TensorMeta>, MetaError>;

fn one_result(cx: &Infer<'_>, dtype: Dtype, shape: Vec<SymInt>) -> Metas {
    Ok(vec![TensorMeta::contiguous(cx.syms(), dtype, shape)])
}

/// Refuses indices that are no integers.
fn check_index(cx: &Infer<'_>, name: &str) -> Result<(), MetaError> {
    let dtype = cx.meta(name)?.dtype;
    if !matches!(dtype, Dtype::Int64 | Dtype::Int32) {
        return Err(cx.error(Status::Dtype, format!("`{name}` must be int64 or int32, not {dtype}")));
    }
    Ok(())
}

/// Refuses indices that are not int64.
fn check_long(cx: &Infer<'_>, name: &str) -> Result<(), MetaError> {
    match cx.meta(name)?.dtype {
        Dtype::Int64 => Ok(()),
        dtype => Err(cx.error(Status::Dtype, format!("`{name}` must be int64, not {dtype}"))),
    }
}

/// Rows of `weight`.
pub fn embedding(cx: &mut Infer<'_>) -> Metas {
    check_index(cx, "indices")?;
    let (weight, indices) = (cx.meta("weight")?, cx.meta("indices")?);
    if weight.rank() != 2 {
        return Err(cx.error(Status::InvalidArgument, "`weight` must have two dimensions"));
    }
    let mut shape = indices.shape.clone();
    shape.push(weight.shape[1]);
    one_result(cx, weight.dtype, shape)
}

/// Where advanced indices stand in a tensor and its result.
#[derive(Clone, Debug)]
pub struct AdvancedIndex {
    /// The indexed dimensions, in order, with the place of each index in the argument list.
    pub dims: Vec<(usize, usize)>,
    /// The indices' common shape.
    pub shape: Vec<SymInt>,
    /// The result's dimension where that shape starts.
    pub at: usize,
    /// All sizes of the result.
    pub result: Vec<SymInt>,
}

/// Reads a list of integer indices with `None` for dimensions that are kept.
pub fn advanced_index(cx: &mut Infer<'_>) -> Result<AdvancedIndex, MetaError> {
    let Arg::Values(list) = cx.arg("indices") else {
        return Err(cx.error(Status::InvalidArgument, "`indices` must be a list of tensors"));
    };
    let meta = cx.meta("self")?;
    if list.len() > meta.rank() {
        let message = format!("{} indices for {} dimensions", list.len(), meta.rank());
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let mut dims = Vec::new();
    let mut shapes: Vec<&[SymInt]> = Vec::new();
    for (k, value) in list.iter().enumerate() {
        let Some(value) = value else { continue };
        let index = cx.graph.meta(*value);
        match index.dtype {
            Dtype::Bool | Dtype::Uint8 => {
                return Err(cx.error(
                    Status::Unsupported,
                    "the number of elements that a mask chooses depends on data",
                ));
            }
            Dtype::Int64 | Dtype::Int32 => {}
            other => return Err(cx.error(Status::Dtype, format!("index {k} is {other}, not an integer"))),
        }
        dims.push((k, k));
        shapes.push(&index.shape);
    }
    if dims.is_empty() {
        return Err(cx.error(Status::InvalidArgument, "there must be at least one index"));
    }
    let shape = super::broadcast(cx, &shapes)?;
    let syms = cx.syms();
    if let Some((dim, _)) = dims.iter().find(|(dim, _)| syms.as_const(meta.shape[*dim]) == Some(0))
        && syms.as_consts(&shape).is_some_and(|sizes| !sizes.contains(&0))
    {
        return Err(cx.shape_error(format!("dimension {dim} of `self` is empty, but its index is not")));
    }
    let adjacent = dims.windows(2).all(|w| w[1].0 == w[0].0 + 1);
    let at = if adjacent { dims.first().map_or(0, |d| d.0) } else { 0 };
    let kept: Vec<SymInt> =
        (0..meta.rank()).filter(|k| dims.iter().all(|d| d.0 != *k)).map(|k| meta.shape[k]).collect();
    let mut result = kept[..at].to_vec();
    result.extend(&shape);
    result.extend(&kept[at..]);
    Ok(AdvancedIndex { dims, shape, at, result })
}

/// `self[indices]`
pub fn index(cx: &mut Infer<'_>) -> Metas {
    let AdvancedIndex { dims, shape, at, result } = advanced_index(cx)?;
    let (meta, syms) = (cx.meta("self")?, cx.syms());
    // PyTorch goes over the result with the source's strides, 0 along the indices' dimensions, and with the indices' own.
    let zero = syms.constant(0);
    let kept: Vec<SymInt> =
        (0..meta.rank()).filter(|k| dims.iter().all(|d| d.0 != *k)).map(|k| meta.strides[k]).collect();
    let around = |middle: Vec<SymInt>, outside: &[SymInt]| [&outside[..at], &middle, &outside[at..]].concat();
    let of = |strides: Vec<SymInt>| TensorMeta {
        strides,
        ..TensorMeta::contiguous(syms, meta.dtype, result.clone())
    };
    let source = of(around(vec![zero; shape.len()], &kept));
    let indices = of(around(crate::types::contiguous_strides(syms, &shape), &vec![zero; kept.len()]));
    let strides = crate::meta::elementwise_strides(syms, &result, &[&source, &indices]);
    Ok(vec![TensorMeta { strides, ..TensorMeta::contiguous(syms, meta.dtype, result) }])
}

/// `self[indices]` where the mask holds, a number elsewhere.
pub fn masked_index(cx: &mut Infer<'_>) -> Metas {
    let advanced = advanced_index(cx)?;
    let shape = super::broadcast(cx, &[&advanced.result, &cx.meta("mask")?.shape])?;
    one_result(cx, cx.meta("self")?.dtype, shape)
}

/// A tensor like `self`, with something written into it.
pub fn like_self(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let strides = preserved_strides(cx.syms(), &meta.shape, &meta.strides);
    Ok(vec![TensorMeta { strides, offset: cx.syms().constant(0), ..meta.clone() }])
}

/// `self` with `values` at `indices`.
pub fn index_put(cx: &mut Infer<'_>) -> Metas {
    same_dtype(cx, "values")?;
    let values = cx.meta("values")?.clone();
    let result = match mask_of(cx) {
        Some((place, mask)) => masked_result(cx, place, mask)?,
        None => advanced_index(cx)?.result,
    };
    super::expanded(cx, &values, &result)?;
    like_self(cx)
}

/// What values are broadcast to where a mask is the only index. They have one element for all that it chooses: values of their own go
/// by places (`meta::dynamic`).
fn masked_result(cx: &mut Infer<'_>, place: usize, mask: crate::ir::Value) -> Result<Vec<SymInt>, MetaError> {
    let (own, mask) = (cx.meta("self")?.shape.clone(), cx.graph.meta(mask).shape.clone());
    let Some(masked) = own.get(place..place + mask.len()) else {
        return Err(cx.shape_error("a mask of more dimensions than `self`"));
    };
    cx.require_sizes(&mask, masked, None, "a mask must have the sizes of the dimensions that it indexes")?;
    let behind = &own[place + mask.len()..];
    let all = cx.syms().constant(1);
    Ok([&own[..place], &[all], behind].concat())
}

/// `self` with `values` added at `indices` where the mask holds.
pub fn masked_index_put(cx: &mut Infer<'_>) -> Metas {
    same_dtype(cx, "values")?;
    let advanced = advanced_index(cx)?;
    let (values, mask) = (cx.meta("values")?.clone(), cx.meta("mask")?);
    if mask.dtype != Dtype::Bool {
        return Err(cx.error(Status::Dtype, format!("`mask` must be bool, not {}", mask.dtype)));
    }
    let shape = super::broadcast(cx, &[&values.shape, &mask.shape])?;
    let masked = TensorMeta::contiguous(cx.syms(), values.dtype, shape);
    super::expanded(cx, &masked, &advanced.result)?;
    like_self(cx)
}

/// The place and dimensions of a mask that is the only index of an `index_put`.
pub fn mask_of(cx: &Infer<'_>) -> Option<(usize, crate::ir::Value)> {
    let Arg::Values(list) = cx.arg("indices") else { return None };
    let mut given = list.iter().enumerate().filter_map(|(k, v)| v.map(|v| (k, v)));
    let (place, value) = given.next()?;
    let is_mask = cx.graph.meta(value).dtype == Dtype::Bool;
    (given.next().is_none() && is_mask).then_some((place, value))
}

fn same_dtype(cx: &Infer<'_>, name: &str) -> Result<(), MetaError> {
    let (have, want) = (cx.meta(name)?.dtype, cx.meta("self")?.dtype);
    if have != want {
        return Err(cx.error(Status::Dtype, format!("`{name}` is {have}, `self` is {want}")));
    }
    Ok(())
}

/// Requires `index` to fit `self` (and `src`) in all dimensions but `dim`.
fn check_gather(cx: &mut Infer<'_>) -> Result<(), MetaError> {
    let (meta, index) = (cx.meta("self")?, cx.meta("index")?);
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    let syms = cx.syms();
    let no_elements = syms.as_const(index.numel(syms)) == Some(0);
    // PyTorch looks at no indices' dtype where there are none.
    if no_elements {
        return Ok(());
    }
    check_index(cx, "index")?;
    let src = cx.op.schema().arg("src").and_then(|_| cx.optional_meta("src"));
    let mut fit = |name: &str, other: &TensorMeta, skip: Option<usize>| -> Result<(), MetaError> {
        let wrong = format!(
            "index of shape {} does not fit `{name}` of shape {}",
            syms.display_list(&index.shape),
            syms.display_list(&other.shape)
        );
        if index.rank().max(1) != other.rank().max(1) {
            return Err(cx.shape_error(wrong));
        }
        // A tensor without dimensions counts as one of a single element.
        let size = |shape: &[SymInt], k: usize| shape.get(k).copied().unwrap_or(syms.constant(1));
        for k in (0..index.rank().max(1)).filter(|k| Some(*k) != skip) {
            cx.require(syms.le(size(&index.shape, k), size(&other.shape, k)), wrong.clone())?;
        }
        Ok(())
    };
    fit("self", meta, Some(dim))?;
    if meta.shape.get(dim).is_some_and(|size| syms.as_const(*size) == Some(0))
        && syms.as_const(index.numel(syms)).is_some()
    {
        return Err(cx.shape_error(format!("dimension {dim} of `self` is empty, but `index` is not")));
    }
    if let Some(src) = src {
        fit("src", src, None)?;
    }
    Ok(())
}

/// `self` at `index` along a dimension.
pub fn gather(cx: &mut Infer<'_>) -> Metas {
    check_gather(cx)?;
    one_result(cx, cx.meta("self")?.dtype, cx.meta("index")?.shape.clone())
}

/// Refuses a `reduce` that is not one of these.
fn check_reduction(cx: &Infer<'_>, known: &[&str]) -> Result<(), MetaError> {
    match cx.string("reduce") {
        Some(asked) if known.contains(&asked) => Ok(()),
        asked => {
            let message = format!("`reduce` is {:?}, not one of {}", asked.unwrap_or(""), known.join(", "));
            Err(cx.error(Status::InvalidArgument, message))
        }
    }
}

/// `self` with `src` or a number written at `index` along a dimension, or added or multiplied in.
pub fn scatter(cx: &mut Infer<'_>) -> Metas {
    if cx.op.schema().arg("reduce").is_some() {
        check_reduction(cx, &["add", "multiply"])?;
    }
    scattered(cx)
}

/// `self` reduced with `src` at `index` along a dimension.
pub fn scatter_reduce(cx: &mut Infer<'_>) -> Metas {
    check_reduction(cx, &["sum", "prod", "mean", "amax", "amin"])?;
    scattered(cx)
}

fn scattered(cx: &mut Infer<'_>) -> Metas {
    check_gather(cx)?;
    if cx.op.schema().arg("src").is_some() {
        same_dtype(cx, "src")?;
    }
    one_result(cx, cx.meta("self")?.dtype, cx.meta("self")?.shape.clone())
}

/// Elements of the flat `self`.
pub fn take(cx: &mut Infer<'_>) -> Metas {
    check_long(cx, "index")?;
    one_result(cx, cx.meta("self")?.dtype, cx.meta("index")?.shape.clone())
}

/// `self` with elements of the flat tensor written over.
pub fn put(cx: &mut Infer<'_>) -> Metas {
    check_long(cx, "index")?;
    same_dtype(cx, "source")?;
    let syms = cx.syms();
    let (a, b) = (cx.meta("index")?.numel(syms), cx.meta("source")?.numel(syms));
    cx.require(syms.eq(a, b), "`source` and `index` must have as many elements")?;
    like_self(cx)
}

/// `gather` with broadcasting; without `dim`, in the flat tensor.
pub fn take_along_dim(cx: &mut Infer<'_>) -> Metas {
    let (meta, index) = (cx.meta("self")?, cx.meta("indices")?);
    if cx.optional_int("dim").is_none() {
        check_index(cx, "indices")?;
        return one_result(cx, meta.dtype, vec![index.numel(cx.syms())]);
    }
    check_long(cx, "indices")?;
    let shape = take_along_shape(cx)?;
    one_result(cx, meta.dtype, shape)
}

/// The result's sizes of a `take_along_dim` with a dimension.
pub fn take_along_shape(cx: &mut Infer<'_>) -> Result<Vec<SymInt>, MetaError> {
    let (meta, index) = (cx.meta("self")?, cx.meta("indices")?);
    if meta.rank() != index.rank() {
        return Err(cx.shape_error("`indices` must have as many dimensions as `self`"));
    }
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    let mut source = meta.shape.clone();
    if meta.rank() > 0 {
        source[dim] = index.shape[dim];
    }
    super::broadcast(cx, &[&source, &index.shape])
}

/// `self` at every index of a vector along a dimension.
pub fn index_select(cx: &mut Infer<'_>) -> Metas {
    check_index(cx, "index")?;
    let (meta, index) = (cx.meta("self")?, cx.meta("index")?);
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    if index.rank() > 1 {
        return Err(cx.error(Status::InvalidArgument, "`index` must be a vector"));
    }
    let mut shape = meta.shape.clone();
    if meta.rank() > 0 {
        shape[dim] = index.numel(cx.syms());
    }
    one_result(cx, meta.dtype, shape)
}

/// `self` with slices along a dimension written, added or otherwise reduced in.
pub fn index_write(cx: &mut Infer<'_>) -> Metas {
    if cx.op.schema().arg("reduce").is_some() {
        check_reduction(cx, &["prod", "mean", "amax", "amin"])?;
        if cx.meta("self")?.dtype == Dtype::Bool {
            return Err(cx.error(Status::Dtype, "bools are not reduced at indices"));
        }
    }
    // Only sums take int32, too.
    if cx.op.schema().arg("alpha").is_some() || cx.op.schema().arg("reduce").is_some() {
        check_index(cx, "index")?;
    } else {
        check_long(cx, "index")?;
    }
    let (meta, index) = (cx.meta("self")?, cx.meta("index")?);
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    if index.rank() > 1 {
        return Err(cx.error(Status::InvalidArgument, "`index` must be a vector"));
    }
    let syms = cx.syms();
    if cx.op.schema().arg("source").is_some() {
        same_dtype(cx, "source")?;
        let source = cx.meta("source")?;
        let count = index.numel(syms);
        let wrong = format!(
            "`source` of shape {} does not fit {} slices of dimension {dim} of {}",
            syms.display_list(&source.shape),
            syms.display(count),
            syms.display_list(&meta.shape)
        );
        if source.rank() != meta.rank() && (source.rank() != 0 || meta.rank() != 1) {
            return Err(cx.shape_error(wrong));
        }
        if source.rank() == 0 && meta.rank() > 0 {
            // `index_copy` takes one element so, the reducing operators do not.
            if cx.op.schema().arg("alpha").is_some() || cx.op.schema().arg("reduce").is_some() {
                return Err(cx.shape_error(wrong));
            }
            cx.require(syms.eq(count, syms.constant(1)), wrong.clone())?;
        }
        for k in 0..source.rank() {
            let want = if k == dim { count } else { meta.shape[k] };
            cx.require(syms.eq(source.shape[k], want), wrong.clone())?;
        }
    }
    if cx.op.schema().arg("value").is_some() {
        cx.require_zero_dim("value")?;
        return like_self(cx);
    }
    // Fills are made of a clone of `self`, the others are new.
    match cx.op.schema().arg("source") {
        Some(_) => one_result(cx, meta.dtype, meta.shape.clone()),
        None => like_self(cx),
    }
}

/// `self` with elements of `source` in order wherever the mask holds.
pub fn masked_scatter(cx: &mut Infer<'_>) -> Metas {
    let (meta, mask) = (cx.meta("self")?, cx.meta("mask")?);
    if mask.dtype != Dtype::Bool {
        return Err(cx.error(Status::Dtype, format!("`mask` must be bool, not {}", mask.dtype)));
    }
    same_dtype(cx, "source")?;
    let shape = super::broadcast(cx, &[&meta.shape, &mask.shape])?;
    one_result(cx, meta.dtype, shape)
}

/// Numbers as unit vectors.
pub fn one_hot(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let classes = cx.known_int("num_classes")?;
    if meta.dtype != Dtype::Int64 {
        return Err(cx.error(Status::Dtype, "the classes must be int64"));
    }
    if classes == -1 {
        return Err(
            cx.error(Status::Unsupported, "the number of classes depends on data; give `num_classes`")
        );
    }
    if classes < 1 {
        return Err(cx.error(Status::InvalidArgument, "`num_classes` must be positive"));
    }
    let mut shape = meta.shape.clone();
    shape.push(cx.syms().constant(classes));
    one_result(cx, Dtype::Int64, shape)
}

/// The places of the elements that are not zero: exactly `size` of them.
pub fn nonzero_static(cx: &mut Infer<'_>) -> Metas {
    let size = cx.int("size")?;
    cx.require(cx.syms().le(cx.syms().constant(0), size), "`size` must not be negative")?;
    let rank = cx.syms().constant(cx.meta("self")?.rank() as i64);
    one_result(cx, Dtype::Int64, vec![size, rank])
}

/// The place of each number among sorted ones.
pub fn search(cx: &mut Infer<'_>) -> Metas {
    let sequence_name = search_sequence(cx);
    let sequence = cx.meta(sequence_name)?;
    let dtype = if cx.bool("out_int32") { Dtype::Int32 } else { Dtype::Int64 };
    let numbers: Vec<SymInt> = match cx.optional_meta("self") {
        Some(meta) => meta.shape.clone(),
        None => Vec::new(),
    };
    let syms = cx.syms();
    if sequence.rank() == 0 {
        return Err(cx.error(Status::InvalidArgument, "the sorted sequence must have a dimension"));
    }
    if let Some(side) = cx.op.schema().arg("side").and_then(|_| cx.string("side"))
        && !["left", "right"].contains(&side)
    {
        return Err(cx.error(Status::InvalidArgument, "`side` must be \"left\" or \"right\""));
    }
    if let Some(sorter) = cx.op.schema().arg("sorter").and_then(|_| cx.optional_meta("sorter")) {
        if sorter.dtype != Dtype::Int64 {
            return Err(cx.error(Status::Dtype, format!("`sorter` must be int64, not {}", sorter.dtype)));
        }
        let wrong = "`sorter` must have the shape of the sorted sequence";
        cx.require_sizes(&sorter.shape, &sequence.shape, None, wrong)?;
    }
    if sequence.rank() != 1 {
        let wrong = "the leading dimensions of numbers and sequence must agree";
        if sequence.rank() != numbers.len() {
            return Err(cx.shape_error(wrong));
        }
        for (a, b) in numbers.iter().zip(&sequence.shape[..sequence.rank() - 1]) {
            cx.require(syms.eq(*a, *b), wrong)?;
        }
        if sequence_name == "boundaries" {
            return Err(cx.error(Status::InvalidArgument, "`boundaries` must be a vector"));
        }
    }
    one_result(cx, dtype, numbers)
}

/// What a searching operator calls its sorted sequence.
pub fn search_sequence(cx: &Infer<'_>) -> &'static str {
    if cx.op.schema().arg("boundaries").is_some() { "boundaries" } else { "sorted_sequence" }
}
