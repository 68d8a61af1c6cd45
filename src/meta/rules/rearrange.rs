//! Rearrangements: results whose elements are moved, not computed. Their results are contiguous.

use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta, lies_apart, lies_channels_last, preserved_strides};

type Metas = Result<Vec<TensorMeta>, MetaError>;

pub(super) fn one_result(cx: &Infer<'_>, dtype: Dtype, shape: Vec<SymInt>) -> Metas {
    Ok(vec![TensorMeta::contiguous(cx.syms(), dtype, shape)])
}

/// A new image in the format that PyTorch suggests for one made of `like`: with its channels last where that has, otherwise
/// contiguous.
pub fn suggested(cx: &Infer<'_>, like: &TensorMeta, dtype: Dtype, shape: Vec<SymInt>) -> TensorMeta {
    let syms = cx.syms();
    let order: &[usize] = match shape.len() {
        4 => &[1, 3, 2, 0],
        5 => &[1, 4, 3, 2, 0],
        _ => &[],
    };
    if order.is_empty() || !lies_channels_last(syms, &like.shape, &like.strides) {
        return TensorMeta::contiguous(syms, dtype, shape);
    }
    let strides = crate::meta::dense_strides(syms, &shape, order);
    TensorMeta { dtype, shape, strides, offset: syms.constant(0) }
}

/// [`suggested`] for sequences `[.., channels, length]`, which PyTorch takes for images of one row.
pub fn suggested_as_image(cx: &Infer<'_>, like: &TensorMeta, dtype: Dtype, shape: Vec<SymInt>) -> TensorMeta {
    let syms = cx.syms();
    let one = syms.constant(1);
    let with_row = |shape: &[SymInt]| {
        let mut image = shape.to_vec();
        image.insert(shape.len() - 1, one);
        image
    };
    let [.., stride] = like.strides[..] else { return TensorMeta::contiguous(syms, dtype, shape) };
    let mut image = TensorMeta { shape: with_row(&like.shape), ..like.clone() };
    image.strides.insert(like.rank() - 1, syms.mul(like.shape[like.rank() - 1], stride));
    let mut result = suggested(cx, &image, dtype, with_row(&shape));
    result.strides.remove(shape.len() - 1);
    TensorMeta { shape, ..result }
}

/// The tensors of a joining operator in the shapes in which they are joined, and the dimension: the stacking
/// operators add dimensions first; `cat` passes over empty vectors, as PyTorch does for old programs' sake.
pub fn joined_shapes(cx: &Infer<'_>) -> Result<(Vec<Vec<SymInt>>, usize), MetaError> {
    let metas = cx.metas("tensors")?;
    let syms = cx.syms();
    let (one, name) = (syms.constant(1), cx.op.name());
    if metas.is_empty() {
        return Err(cx.error(Status::InvalidArgument, "needs at least one tensor"));
    }
    let mut shapes: Vec<Vec<SymInt>> = metas.iter().map(|m| m.shape.clone()).collect();
    let grow = |shape: &mut Vec<SymInt>, least: usize| {
        while shape.len() < least {
            if shape.len() == 2 { shape.push(one) } else { shape.insert(0, one) }
        }
    };
    let dim = if name.contains(".hstack.") {
        shapes.iter_mut().for_each(|s| grow(s, 1));
        (shapes[0].len() > 1) as usize
    } else if name.contains(".vstack.") || name.contains(".row_stack.") {
        shapes.iter_mut().for_each(|s| grow(s, 2));
        0
    } else if name.contains(".dstack.") {
        shapes.iter_mut().for_each(|s| grow(s, 3));
        2
    } else if name.contains(".column_stack.") {
        for shape in &mut shapes {
            match shape.len() {
                0 => *shape = vec![one, one],
                1 => shape.push(one),
                _ => {}
            }
        }
        1
    } else if name.contains(".stack.") {
        let dim = cx.dim(cx.known_int("dim")?, metas[0].rank() + 1)?;
        for shape in &mut shapes {
            if shape.len() < dim {
                return Err(cx.shape_error("the tensors must have the same number of dimensions"));
            }
            shape.insert(dim, one);
        }
        dim
    } else {
        let full = shapes.iter().find(|s| !is_empty_vector(cx, s)).unwrap_or(&shapes[0]);
        cx.dim(cx.known_int("dim")?, full.len())?
    };
    Ok((shapes, dim))
}

/// True for the vectors without elements that `cat` passes over.
pub fn is_empty_vector(cx: &Infer<'_>, shape: &[SymInt]) -> bool {
    shape.len() == 1 && cx.syms().as_const(shape[0]) == Some(0)
}

/// `cat`, `stack` and their kin.
pub fn join(cx: &mut Infer<'_>) -> Metas {
    let (shapes, dim) = joined_shapes(cx)?;
    let metas = cx.metas("tensors")?;
    let dtype = super::promote_tensors(cx, &metas)?;
    let syms = cx.syms();
    let mut result: Option<Vec<SymInt>> = None;
    let mut lengths = Vec::new();
    for (k, shape) in shapes.into_iter().enumerate() {
        if is_empty_vector(cx, &shape) && metas.iter().any(|m| m.rank() > 1) {
            continue;
        }
        let Some(have) = &mut result else {
            if shape.is_empty() {
                return Err(cx.shape_error("a 0-d tensor cannot be concatenated"));
            }
            lengths.push(shape[dim]);
            result = Some(shape);
            continue;
        };
        let wrong = |have: &[SymInt]| {
            format!(
                "tensor {k} of shape {} does not fit the first one, {}, in all dimensions but {dim}",
                syms.display_list(&shape),
                syms.display_list(have)
            )
        };
        if shape.len() != have.len() {
            return Err(cx.shape_error(wrong(have)));
        }
        for j in (0..shape.len()).filter(|j| *j != dim) {
            if shape[j] != have[j] {
                cx.require(syms.eq(shape[j], have[j]), wrong(have))?;
            }
            if syms.as_const(shape[j]).is_some() {
                have[j] = shape[j];
            }
        }
        lengths.push(shape[dim]);
    }
    if let Some(have) = &mut result {
        have[dim] = *syms.ends(&lengths).last().unwrap_or(&have[dim]);
    }
    let shape = result.unwrap_or_else(|| vec![syms.constant(0)]);
    // An image with its channels last where all are.
    let last = |m: &&TensorMeta| lies_channels_last(syms, &m.shape, &m.strides);
    match metas.first() {
        Some(first) if cx.op.name().contains(".cat.") && metas.iter().all(last) => {
            Ok(vec![suggested(cx, first, dtype, shape)])
        }
        // Joined along the next dimension, and seen with one more.
        Some(first) if cx.op.name().contains(".stack.") && metas.iter().all(last) && dim < first.rank() => {
            let mut joined = first.shape.clone();
            joined[dim] = syms.mul(joined[dim], shape[dim]);
            let mut strides = suggested(cx, first, dtype, joined).strides;
            strides.insert(dim, syms.mul(strides[dim], first.shape[dim]));
            Ok(vec![TensorMeta { strides, ..TensorMeta::contiguous(syms, dtype, shape) }])
        }
        _ => one_result(cx, dtype, shape),
    }
}

/// Each tensor's dimensions as one of the common grid's.
pub fn meshgrid(cx: &mut Infer<'_>) -> Metas {
    let metas = cx.metas("tensors")?;
    let one = cx.syms().constant(1);
    if metas.is_empty() || metas.iter().any(|m| m.rank() > 1) {
        return Err(cx.error(Status::InvalidArgument, "needs one or more tensors of at most one dimension"));
    }
    if metas.iter().any(|m| m.dtype != metas[0].dtype) {
        return Err(cx.error(Status::Dtype, "the tensors must have one dtype"));
    }
    let mut shape: Vec<SymInt> = metas.iter().map(|m| m.shape.first().copied().unwrap_or(one)).collect();
    if swaps_first_two(cx)? && shape.len() > 1 {
        shape.swap(0, 1);
    }
    let swapped = swaps_first_two(cx)?;
    let syms = cx.syms();
    // Each vector, expanded.
    let grid = |(k, m): (usize, &&TensorMeta)| {
        let mut grid = TensorMeta::contiguous(syms, m.dtype, shape.clone());
        let along = if swapped && k < 2 && shape.len() > 1 { 1 - k } else { k };
        for (dim, stride) in grid.strides.iter_mut().enumerate() {
            *stride = if dim == along { m.strides.first().copied().unwrap_or(one) } else { syms.constant(0) };
        }
        grid
    };
    Ok(metas.iter().enumerate().map(grid).collect())
}

/// True for meshgrid's `xy` indexing.
pub fn swaps_first_two(cx: &Infer<'_>) -> Result<bool, MetaError> {
    if cx.op.schema().arg("indexing").is_none() {
        return Ok(false);
    }
    match cx.string("indexing") {
        Some("xy") => Ok(true),
        Some("ij") | None => Ok(false),
        Some(other) => Err(cx.error(Status::InvalidArgument, format!("unknown indexing `{other}`"))),
    }
}

/// Matrices along the diagonal of one.
pub fn block_diag(cx: &mut Infer<'_>) -> Metas {
    let metas = cx.metas("tensors")?;
    let syms = cx.syms();
    if metas.iter().any(|m| m.rank() > 2) {
        return Err(cx.error(Status::InvalidArgument, "needs tensors of at most two dimensions"));
    }
    let dtype = super::promote_tensors(cx, &metas)?;
    let sizes: Vec<[SymInt; 2]> = metas.iter().map(|m| matrix_sizes(cx, m)).collect();
    let total = |k: usize| syms.sum(&sizes.iter().map(|s| s[k]).collect::<Vec<_>>());
    let shape =
        if metas.is_empty() { vec![syms.constant(1), syms.constant(0)] } else { vec![total(0), total(1)] };
    one_result(cx, dtype, shape)
}

/// Rows and columns of a tensor of at most two dimensions; a vector is a row.
pub fn matrix_sizes(cx: &Infer<'_>, meta: &TensorMeta) -> [SymInt; 2] {
    let one = cx.syms().constant(1);
    match meta.shape[..] {
        [rows, columns] => [rows, columns],
        [columns] => [one, columns],
        _ => [one, one],
    }
}

/// All tuples of the tensors' elements.
pub fn cartesian_prod(cx: &mut Infer<'_>) -> Metas {
    let metas = cx.metas("tensors")?;
    if metas.is_empty() || metas.iter().any(|m| m.rank() != 1) {
        return Err(cx.error(Status::InvalidArgument, "needs one or more tensors of one dimension"));
    }
    let syms = cx.syms();
    if metas.iter().any(|m| m.dtype != metas[0].dtype) {
        return Err(cx.error(Status::Dtype, "the tensors must have one dtype"));
    }
    let dtype = metas[0].dtype;
    if metas.len() == 1 {
        return Ok(vec![metas[0].clone()]);
    }
    let sizes: Vec<SymInt> = metas.iter().map(|m| m.shape[0]).collect();
    one_result(cx, dtype, vec![syms.product(&sizes), syms.constant(metas.len() as i64)])
}

/// All sub-tuples of `r` elements of a vector.
pub fn combinations(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let r = cx.known_int("r")?;
    if meta.rank() != 1 || r < 0 {
        return Err(cx.error(Status::InvalidArgument, "needs a vector and r of zero or more"));
    }
    let syms = cx.syms();
    if r == 0 {
        return one_result(cx, meta.dtype, vec![syms.constant(0)]);
    }
    let n = syms
        .as_const(meta.shape[0])
        .ok_or_else(|| cx.error(Status::Unsupported, "combinations of a vector whose length is a symbol"))?;
    let chosen_from = if cx.bool("with_replacement") && n > 0 { n.checked_add(r - 1) } else { Some(n) };
    let count = chosen_from.and_then(|n| binomial(n, r)).ok_or_else(|| {
        cx.error(Status::Unsupported, format!("{r} of {n} elements are too many combinations"))
    })?;
    one_result(cx, meta.dtype, vec![syms.constant(count), syms.constant(r)])
}

/// `n` over `r`.
pub fn binomial(n: i64, r: i64) -> Option<i64> {
    if r > n {
        return Some(0);
    }
    (0..r).try_fold(1i64, |product, k| Some(product.checked_mul(n - k)? / (k + 1)))
}

/// A shape like `self`'s.
pub fn same_shape(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let mut named: Vec<usize> = Vec::new();
    for name in ["dims", "dim"] {
        if let Some(k) = cx.op.schema().arg(name)
            && cx.op.schema().args[k].ty.list
            && let Some(dims) = cx.optional_ints(name)
        {
            for d in dims {
                let d = cx.syms().as_const(*d).unwrap_or(i64::MIN);
                named.push(cx.dim(d, meta.rank())?);
            }
        }
    }
    let twice = (1..named.len()).any(|k| named[..k].contains(&named[k]));
    let op = cx.op.name();
    if twice && op.contains(".flip.") {
        return Err(cx.error(Status::InvalidArgument, "a dimension is named twice"));
    }
    let least = if op.contains(".fliplr.") { 2 } else { usize::from(op.contains(".flipud.")) };
    if meta.rank() < least {
        return Err(cx.shape_error(format!("needs {least} dimensions, not {}", meta.rank())));
    }
    if op.contains(".flip") {
        let strides = preserved_strides(cx.syms(), &meta.shape, &meta.strides);
        return Ok(vec![TensorMeta { strides, offset: cx.syms().constant(0), ..meta.clone() }]);
    }
    if op.contains(".roll.") {
        return rolled(cx, meta, &named);
    }
    // The others join parts, as `cat` does.
    Ok(vec![suggested(cx, meta, meta.dtype, meta.shape.clone())])
}

/// What is rolled over all elements is contiguous. Over dimensions, PyTorch joins two parts of each, and a part without elements
/// makes the result contiguous; without elements at all it copies.
fn rolled(cx: &Infer<'_>, meta: &TensorMeta, dims: &[usize]) -> Metas {
    let syms = cx.syms();
    if !dims.is_empty() && meta.rank() == 0 {
        return Err(cx.error(Status::InvalidArgument, "a tensor without dimensions is rolled over none"));
    }
    if !dims.is_empty() && meta.shape.iter().any(|n| syms.as_const(*n) == Some(0)) {
        let strides = preserved_strides(syms, &meta.shape, &meta.strides);
        return Ok(vec![TensorMeta { strides, offset: syms.constant(0), ..meta.clone() }]);
    }
    let shifts = cx.optional_ints("shifts").unwrap_or_default();
    let stays = |(shift, dim): (&SymInt, &usize)| {
        let (shift, size) = (syms.as_const(*shift), syms.as_const(meta.shape[*dim]));
        shift == Some(0)
            || size == Some(1)
            || matches!((shift, size), (Some(s), Some(n)) if n > 0 && s % n == 0)
    };
    if dims.is_empty() || shifts.iter().zip(dims).any(stays) {
        return one_result(cx, meta.dtype, meta.shape.clone());
    }
    Ok(vec![suggested(cx, meta, meta.dtype, meta.shape.clone())])
}

/// A tensor with its halves swapped along some dimensions: all of them where none is given.
pub fn fftshift(cx: &mut Infer<'_>) -> Metas {
    let none = cx.optional_ints("dim").is_some_and(<[SymInt]>::is_empty);
    if none || cx.meta("self")?.rank() == 0 {
        return Err(cx.error(Status::InvalidArgument, "there must be a dimension to shift along"));
    }
    same_shape(cx)
}

/// The whole tensor `repeats` times along each dimension; more repeats than dimensions add leading ones.
pub fn repeat(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let syms = cx.syms();
    let tiles = cx.op.schema().arg("dims").is_some();
    let repeats = cx.ints(if tiles { "dims" } else { "repeats" })?;
    if !tiles && repeats.len() < meta.rank() {
        return Err(cx.shape_error("there are fewer repeats than dimensions"));
    }
    let rank = repeats.len().max(meta.rank());
    let one = syms.constant(1);
    let at = |list: &[SymInt], k: usize| (k + list.len()).checked_sub(rank).map_or(one, |j| list[j]);
    for r in repeats {
        cx.require(syms.le(syms.constant(0), *r), "a negative number of repeats")?;
    }
    let shape = (0..rank).map(|k| syms.mul(at(&meta.shape, k), at(repeats, k))).collect();
    one_result(cx, meta.dtype, shape)
}

/// Every element `repeats` times in a row, along a dimension or in the flat tensor.
pub fn repeat_interleave(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let (syms, repeats) = (cx.syms(), cx.int("repeats")?);
    cx.require(syms.le(syms.constant(0), repeats), "a negative number of repeats")?;
    let (dim, mut shape) = match cx.optional_int("dim") {
        None => (0, vec![meta.numel(syms)]),
        Some(_) if meta.rank() == 0 => {
            return Err(cx.shape_error("a 0-d tensor has no dimension to repeat elements along"));
        }
        Some(_) => (cx.dim(cx.known_int("dim")?, meta.rank())?, meta.shape.clone()),
    };
    shape[dim] = syms.mul(shape[dim], repeats);
    if let Some(size) = cx.optional_int("output_size") {
        let wrong = format!(
            "`output_size` is {}, but {} elements result",
            syms.display(size),
            syms.display(shape[dim])
        );
        cx.require(syms.eq(size, shape[dim]), wrong)?;
    }
    one_result(cx, meta.dtype, shape)
}

/// Quarter turns in the plane of two dimensions.
pub fn rot90(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let dims = cx.known_ints("dims")?;
    if dims.len() != 2 || meta.rank() < 2 {
        return Err(cx.error(Status::InvalidArgument, "a rotation needs two dimensions"));
    }
    let (a, b) = (cx.dim(dims[0], meta.rank())?, cx.dim(dims[1], meta.rank())?);
    if a == b {
        return Err(cx.error(Status::InvalidArgument, "the two dimensions of a rotation must differ"));
    }
    // A flipped copy lies as `self`, and a quarter of a turn is a view of it.
    let turns = cx.known_int("k")?.rem_euclid(4);
    let mut result = TensorMeta::contiguous(cx.syms(), meta.dtype, meta.shape.clone());
    if turns > 0 {
        result.strides = preserved_strides(cx.syms(), &meta.shape, &meta.strides);
    }
    if turns % 2 == 1 {
        result.shape.swap(a, b);
        result.strides.swap(a, b);
    }
    Ok(vec![result])
}

/// A vector as the diagonal of a matrix, or a matrix's diagonal.
pub fn diag(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let offset = cx.known_int("diagonal")?;
    match meta.shape[..] {
        [n] => {
            let n = cx.syms().add_const(n, offset.saturating_abs());
            one_result(cx, meta.dtype, vec![n, n])
        }
        [rows, columns] => {
            let length = super::diagonal_length(cx, rows, columns, offset);
            one_result(cx, meta.dtype, vec![length])
        }
        _ => Err(cx.error(Status::InvalidArgument, "needs a vector or a matrix")),
    }
}

/// All elements as the diagonal of a matrix.
pub fn diagflat(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let n = cx.syms().add_const(meta.numel(cx.syms()), cx.known_int("offset")?.saturating_abs());
    one_result(cx, meta.dtype, vec![n, n])
}

/// The last dimension as the diagonal of two new ones.
pub fn diag_embed(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let rank = meta.rank() + 1;
    let (a, b) = (cx.dim(cx.known_int("dim1")?, rank)?, cx.dim(cx.known_int("dim2")?, rank)?);
    let Some(last) = meta.shape.last() else {
        return Err(cx.error(Status::InvalidArgument, "needs at least one dimension"));
    };
    if a == b {
        return Err(cx.error(Status::InvalidArgument, "the two dimensions of a diagonal must differ"));
    }
    let n = cx.syms().add_const(*last, cx.known_int("offset")?.saturating_abs());
    let mut shape = meta.shape[..rank - 2].to_vec();
    for k in [a.min(b), a.max(b)] {
        shape.insert(k, n);
    }
    one_result(cx, meta.dtype, shape)
}

/// Channels to pixels, or back.
pub fn pixel_shuffle(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let rank = meta.rank();
    let up = cx.op.schema().arg("upscale_factor").is_some();
    let factor = cx.known_int(if up { "upscale_factor" } else { "downscale_factor" })?;
    if rank < 3 || factor <= 0 {
        return Err(cx.error(Status::InvalidArgument, "needs three dimensions and a positive factor"));
    }
    let syms = cx.syms();
    let (f, area) = (syms.constant(factor), syms.constant(factor.saturating_mul(factor)));
    let mut shape = meta.shape.clone();
    let zero = syms.constant(0);
    #[allow(clippy::needless_range_loop)] // the dimension is part of the message
    for k in rank - 3..rank {
        let channel = k == rank - 3;
        if channel == up {
            let divisor = if channel { area } else { f };
            let wrong = format!(
                "dimension {k} of size {} is not divisible by {}",
                syms.display(shape[k]),
                syms.display(divisor)
            );
            cx.require(syms.eq(syms.modulo(shape[k], divisor), zero), wrong)?;
            shape[k] = syms.floordiv(shape[k], divisor);
        } else {
            shape[k] = syms.mul(shape[k], if channel { area } else { f });
        }
    }
    Ok(vec![suggested(cx, meta, meta.dtype, shape)])
}

/// Channels dealt out to `groups`.
pub fn channel_shuffle(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let groups = cx.known_int("groups")?;
    if meta.rank() < 3 || groups <= 0 {
        return Err(
            cx.error(Status::InvalidArgument, "needs three dimensions and a positive number of groups")
        );
    }
    let syms = cx.syms();
    let rest = syms.modulo(meta.shape[1], syms.constant(groups));
    cx.require(syms.eq(rest, syms.constant(0)), "the channels are not divisible by the groups")?;
    Ok(vec![suggested(cx, meta, meta.dtype, meta.shape.clone())])
}

/// `self` with `src` written over a view of it.
pub fn view_scatter(cx: &mut Infer<'_>) -> Metas {
    let (meta, src) = (cx.meta("self")?, cx.meta("src")?);
    let name = cx.op.name();
    let target = if name.contains("slice") {
        super::slice(cx)?
    } else if name.contains("select") {
        super::select(cx)?
    } else if name.contains("diagonal") {
        super::diagonal(cx)?
    } else {
        super::as_strided(cx)?
    };
    let syms = cx.syms();
    let wrong = format!(
        "src of shape {} does not fit the place of shape {}",
        syms.display_list(&src.shape),
        syms.display_list(&target[0].shape)
    );
    cx.require_sizes(&src.shape, &target[0].shape, None, &wrong)?;
    if src.dtype != meta.dtype {
        let message = format!("src is {}, self is {}", src.dtype, meta.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    // PyTorch writes to a copy with the same strides, unless one of them shows an element many times.
    let repeats =
        |k: usize| syms.as_const(meta.strides[k]) == Some(0) && syms.as_const(meta.shape[k]) != Some(1);
    let strides = if (0..meta.rank()).any(repeats) {
        preserved_strides(syms, &meta.shape, &meta.strides)
    } else {
        let known = [&meta.shape, &meta.strides].into_iter().all(|list| syms.as_consts(list).is_some());
        if known && !lies_apart(syms, &meta.shape, &meta.strides) {
            let message = "a write to a copy in which elements share memory, as windows do";
            return Err(cx.error(Status::Unsupported, message));
        }
        meta.strides.clone()
    };
    Ok(vec![TensorMeta { offset: syms.constant(0), strides, ..meta.clone() }])
}
