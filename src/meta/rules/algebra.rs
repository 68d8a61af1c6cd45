//! Linear algebra made of products.

use super::contraction::{check_rank, made, same_dtype, same_size};
use super::linalg::by_columns;
use super::{broadcast, promote_tensors};
use crate::base::Status;
use crate::meta::einsum::Einsum;
use crate::meta::{Infer, MetaError, elementwise_strides};
use crate::types::{Dtype, SymInt, TensorMeta, view_strides};

type Metas = Result<Vec<TensorMeta>, MetaError>;

pub fn outer(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[1])?;
    check_rank(cx, "vec2", &[1])?;
    let (a, b) = (cx.meta("self")?, cx.meta("vec2")?);
    let dtype = promote_tensors(cx, &[a, b])?;
    Ok(vec![made(cx, dtype, vec![a.shape[0], b.shape[0]])])
}

pub fn kron(cx: &mut Infer<'_>) -> Metas {
    let (a, b) = (cx.meta("self")?, cx.meta("other")?);
    let rank = a.rank().max(b.rank());
    let one = cx.syms().constant(1);
    // Both have the rank of the result before they are multiplied, so that a 0-d tensor's dtype counts.
    let ranked = |m: &TensorMeta| TensorMeta::contiguous(cx.syms(), m.dtype, vec![one; rank]);
    let dtype = promote_tensors(cx, &[&ranked(a), &ranked(b)])?;
    let size = |m: &TensorMeta, d: usize| (d + m.rank()).checked_sub(rank).map_or(one, |k| m.shape[k]);
    let syms = cx.syms();
    let shape: Vec<SymInt> = (0..rank).map(|d| syms.mul(size(a, d), size(b, d))).collect();
    // An element-wise product with a dimension of its own for each of both tensors', viewed as one for both.
    let spread = |m: &TensorMeta, first: bool| {
        let mut wide = TensorMeta::contiguous(syms, dtype, vec![one; 2 * rank]);
        for (k, d) in (rank - m.rank()..rank).enumerate() {
            let place = 2 * d + usize::from(!first);
            (wide.shape[place], wide.strides[place]) = (m.shape[k], m.strides[k]);
        }
        wide
    };
    let wide: Vec<SymInt> = (0..rank).flat_map(|d| [size(a, d), size(b, d)]).collect();
    let strides = elementwise_strides(syms, &wide, &[&spread(a, true), &spread(b, false)]);
    let strides = view_strides(syms, &wide, &strides, &shape);
    let result = made(cx, dtype, shape);
    Ok(vec![TensorMeta { strides: strides.unwrap_or_else(|| result.strides.clone()), ..result }])
}

pub fn tensordot(cx: &mut Infer<'_>) -> Metas {
    let dtype = same_dtype(cx, &["self", "other"])?;
    let (a, b) = (cx.meta("self")?, cx.meta("other")?);
    let (da, db) = (cx.known_ints("dims_self")?, cx.known_ints("dims_other")?);
    if da.len() != db.len() {
        return Err(cx.error(Status::InvalidArgument, "as many dimensions must be named for both tensors"));
    }
    if !da.is_empty() && (a.rank() == 0 || b.rank() == 0) {
        return Err(cx.shape_error("a 0-d tensor has no dimensions to contract"));
    }
    let da = da.iter().map(|d| cx.dim(*d, a.rank())).collect::<Result<Vec<_>, _>>()?;
    let db = db.iter().map(|d| cx.dim(*d, b.rank())).collect::<Result<Vec<_>, _>>()?;
    let one = cx.syms().constant(1);
    for (i, j) in da.iter().zip(&db) {
        if a.shape[*i] != one && b.shape[*j] != one {
            same_size(cx, "the contracted sizes", a.shape[*i], b.shape[*j])?;
        }
    }
    let left = a.shape.iter().enumerate().filter(|(d, _)| !da.contains(d));
    let right = b.shape.iter().enumerate().filter(|(d, _)| !db.contains(d));
    let shape = left.chain(right).map(|(_, s)| *s).collect();
    Ok(vec![made(cx, dtype, shape)])
}

/// The product over both last dimensions; a tensor without dimensions multiplies.
pub fn inner(cx: &mut Infer<'_>) -> Metas {
    let dtype = same_dtype(cx, &["self", "other"])?;
    let (a, b) = (cx.meta("self")?, cx.meta("other")?);
    if a.rank() == 0 || b.rank() == 0 {
        let shape = if a.rank() == 0 { b.shape.clone() } else { a.shape.clone() };
        let strides = crate::meta::elementwise_strides(cx.syms(), &shape, &[a, b]);
        return Ok(vec![TensorMeta { strides, ..made(cx, dtype, shape) }]);
    }
    let (i, j) = (a.rank() - 1, b.rank() - 1);
    same_size(cx, "the last sizes", a.shape[i], b.shape[j])?;
    let shape = a.shape[..i].iter().chain(&b.shape[..j]).copied().collect();
    Ok(vec![made(cx, dtype, shape)])
}

/// `cross` without a dimension takes the first of size 3.
pub fn cross(cx: &mut Infer<'_>) -> Metas {
    let dtype = same_dtype(cx, &["self", "other"])?;
    let (a, b) = (cx.meta("self")?, cx.meta("other")?);
    if a.rank() != b.rank() || a.rank() == 0 {
        return Err(cx.shape_error("vectors of three numbers in as many dimensions are needed"));
    }
    let three = cx.syms().constant(3);
    let dim = match cx.optional_int("dim") {
        Some(_) => cx.dim(cx.known_int("dim")?, a.rank())?,
        None => match a.shape.iter().position(|s| *s == three) {
            Some(dim) => {
                // The first one is meant: a size before it that is 3 only in some runs would be another.
                for size in &a.shape[..dim] {
                    let other = cx.syms().ne(*size, three);
                    cx.require(
                        other,
                        "a dimension before the vectors' has size 3, too: `dim` must be given",
                    )?;
                }
                dim
            }
            None => return Err(cx.shape_error("no dimension has size 3")),
        },
    };
    for meta in [a, b] {
        same_size(cx, "the vectors' size and", meta.shape[dim], three)?;
    }
    let shape = broadcast(cx, &[&a.shape, &b.shape])?;
    Ok(vec![made(cx, dtype, shape)])
}

pub fn trace(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    let dtype = cx.meta("self")?.dtype;
    if dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "there is no trace of bool matrices"));
    }
    let dtype = if dtype.is_integer() { Dtype::Int64 } else { dtype };
    Ok(vec![made(cx, dtype, Vec::new())])
}

pub fn vecdot(cx: &mut Infer<'_>) -> Metas {
    let dtype = same_dtype(cx, &["x", "y"])?;
    let (a, b) = (cx.meta("x")?, cx.meta("y")?);
    if !dtype.is_continuous() {
        return Err(cx.error(Status::Dtype, format!("it needs floating-point tensors, not {dtype}")));
    }
    let mut shape = broadcast(cx, &[&a.shape, &b.shape])?;
    let dim = cx.dim(cx.known_int("dim")?, shape.len())?;
    if shape.is_empty() {
        return Err(cx.shape_error("vectors are needed"));
    }
    shape.remove(dim);
    Ok(vec![made(cx, dtype, shape)])
}

fn not_bool(cx: &Infer<'_>, dtype: Dtype) -> Result<Dtype, MetaError> {
    if dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "there are no products of bool tensors"));
    }
    Ok(dtype)
}

/// The sum of a batch of products `[b, n, m] · [b, m, p]`, added to `self`.
pub fn addbmm(cx: &mut Infer<'_>) -> Metas {
    let dtype = same_dtype(cx, &["self", "batch1", "batch2"])?;
    not_bool(cx, dtype)?;
    check_rank(cx, "batch1", &[3])?;
    check_rank(cx, "batch2", &[3])?;
    let (a, b) = (cx.meta("batch1")?, cx.meta("batch2")?);
    same_size(cx, "the batch sizes", a.shape[0], b.shape[0])?;
    same_size(cx, "the inner sizes", a.shape[2], b.shape[1])?;
    let shape = vec![a.shape[1], b.shape[2]];
    added_to(cx, dtype, shape)
}

fn added_to(cx: &mut Infer<'_>, dtype: Dtype, shape: Vec<SymInt>) -> Metas {
    let own = cx.meta("self")?.shape.clone();
    let broadcast = broadcast(cx, &[&shape, &own])?;
    if broadcast.len() != shape.len() {
        return Err(cx.shape_error("`self` has more dimensions than the product"));
    }
    cx.require_sizes(&broadcast, &shape, None, "`self` is larger than the product")?;
    Ok(vec![made(cx, dtype, shape)])
}

pub fn addmv(cx: &mut Infer<'_>) -> Metas {
    let dtype = same_dtype(cx, &["self", "mat", "vec"])?;
    not_bool(cx, dtype)?;
    check_rank(cx, "mat", &[2])?;
    check_rank(cx, "vec", &[1])?;
    let (a, b) = (cx.meta("mat")?, cx.meta("vec")?);
    same_size(cx, "the inner sizes", a.shape[1], b.shape[0])?;
    let shape = vec![a.shape[0]];
    added_to(cx, dtype, shape)
}

/// Unlike the products, this promotes, and takes bool tensors.
pub fn addr(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "vec1", &[1])?;
    check_rank(cx, "vec2", &[1])?;
    let (own, a, b) = (cx.meta("self")?, cx.meta("vec1")?, cx.meta("vec2")?);
    let dtype = promote_tensors(cx, &[own, a, b])?;
    for name in ["beta", "alpha"] {
        super::factor_fits(cx, name, dtype)?;
    }
    let (syms, shape) = (cx.syms(), vec![a.shape[0], b.shape[0]]);
    let (one, zero) = (syms.constant(1), syms.constant(0));
    let column = TensorMeta { shape: vec![a.shape[0], one], strides: vec![a.strides[0], zero], ..a.clone() };
    // It refuses a `self` of more dimensions.
    let made = added_to(cx, dtype, shape.clone())?;
    let strides = crate::meta::elementwise_strides(cx.syms(), &shape, &[own, &column, b]);
    Ok(made.into_iter().map(|result| TensorMeta { strides: strides.clone(), ..result }).collect())
}

/// `input1[.., i]`, `input2[.., j]` and `weight[o, i, j]` give `[.., o]`.
pub fn bilinear(cx: &mut Infer<'_>) -> Metas {
    let dtype = same_dtype(cx, &["input1", "input2", "weight", "bias"])?;
    not_bool(cx, dtype)?;
    check_rank(cx, "weight", &[3])?;
    let (a, b, w) = (cx.meta("input1")?, cx.meta("input2")?, cx.meta("weight")?);
    let rank = a.rank();
    if rank == 0 || rank != b.rank() {
        return Err(cx.shape_error("both inputs must have the same dimensions, one at least"));
    }
    for d in 0..rank - 1 {
        same_size(cx, "the inputs' sizes", a.shape[d], b.shape[d])?;
    }
    same_size(cx, "the first input's features and the weight's", a.shape[rank - 1], w.shape[1])?;
    same_size(cx, "the second input's features and the weight's", b.shape[rank - 1], w.shape[2])?;
    if let Some(bias) = cx.optional_meta("bias") {
        if bias.rank() != 1 {
            return Err(cx.shape_error("`bias` must have one dimension"));
        }
        same_size(cx, "the sizes of bias and result", bias.shape[0], w.shape[0])?;
    }
    let mut shape = a.shape[..rank - 1].to_vec();
    shape.push(w.shape[0]);
    Ok(vec![made(cx, dtype, shape)])
}

/// The three tensors with dimensions of 1 put in at the places named, multiplied, and summed.
pub fn trilinear(cx: &mut Infer<'_>) -> Metas {
    let names = [("i1", "expand1"), ("i2", "expand2"), ("i3", "expand3")];
    let metas = [cx.meta("i1")?, cx.meta("i2")?, cx.meta("i3")?];
    let dtype = promote_tensors(cx, &metas)?;
    let one = cx.syms().constant(1);
    let mut shapes = Vec::new();
    for (meta, (_, expand)) in metas.iter().zip(names) {
        let mut shape = meta.shape.clone();
        let places = cx.known_ints(expand)?;
        if places.iter().enumerate().any(|(k, place)| places[..k].contains(place)) {
            return Err(cx.error(Status::InvalidArgument, format!("`{expand}` names a place twice")));
        }
        for place in places {
            if place < 0 || place as usize > shape.len() {
                return Err(cx.error(Status::InvalidArgument, format!("`{expand}` names no place")));
            }
            shape.insert(place as usize, one);
        }
        shapes.push(shape);
    }
    let shapes: Vec<&[SymInt]> = shapes.iter().map(Vec::as_slice).collect();
    if shapes.iter().any(|s| s.len() != shapes[0].len()) {
        return Err(cx.shape_error("the three tensors must be expanded to as many dimensions"));
    }
    for dim in cx.known_ints("expand3")?.into_iter().chain([cx.known_int("unroll_dim")?]) {
        cx.dim(dim, shapes[0].len())?;
    }
    let mut shape = broadcast(cx, &shapes)?;
    let mut dims = Vec::new();
    for dim in cx.known_ints("sumdim")? {
        let dim = cx.dim(dim, shape.len())?;
        if dims.contains(&dim) {
            return Err(cx.error(Status::InvalidArgument, format!("dimension {dim} is named twice")));
        }
        dims.push(dim);
    }
    let mut place = 0;
    shape.retain(|_| {
        place += 1;
        !dims.contains(&(place - 1))
    });
    Ok(vec![made(cx, dtype, shape)])
}

/// A chain of matrices; the first and the last may be vectors.
pub fn multi_dot(cx: &mut Infer<'_>) -> Metas {
    let name = cx.op.schema().args[0].name.clone();
    let metas = cx.metas(&name)?;
    let least = if name == "matrices" { 1 } else { 2 };
    let Some((first, rest)) = metas.split_first().filter(|_| metas.len() >= least) else {
        return Err(cx.error(Status::InvalidArgument, format!("there must be {least} or more matrices")));
    };
    let count = metas.len();
    for (k, meta) in metas.iter().enumerate() {
        let end = (k == 0 || k + 1 == count) && name != "matrices";
        if !(meta.rank() == 2 || (meta.rank() == 1 && end)) {
            return Err(cx.shape_error(format!("matrix {k} has {} dimensions", meta.rank())));
        }
        if meta.dtype != first.dtype {
            return Err(cx.error(Status::Dtype, format!("matrix {k} is {}, not {}", meta.dtype, first.dtype)));
        }
    }
    not_bool(cx, first.dtype)?;
    let mut shape = first.shape.clone();
    for meta in rest {
        let Some(inner) = shape.pop() else { break };
        same_size(cx, "the inner sizes", inner, meta.shape[0])?;
        shape.extend(&meta.shape[1..]);
    }
    Ok(vec![made(cx, first.dtype, shape)])
}

pub fn matrix_power(cx: &mut Infer<'_>) -> Metas {
    let input = cx.meta("self")?.clone();
    not_bool(cx, input.dtype)?;
    let rank = input.rank();
    if rank < 2 {
        return Err(cx.shape_error("a matrix is needed"));
    }
    same_size(cx, "the matrix's sizes", input.shape[rank - 2], input.shape[rank - 1])?;
    // The power -1 is an inverse, which the factorisation gives by columns.
    if cx.known_int("n")? == -1 {
        return Ok(vec![by_columns(cx, input.dtype, input.shape)]);
    }
    Ok(vec![made(cx, input.dtype, input.shape)])
}

/// For each product of a path, the places of its two operands among those that are left, the smaller first. The path of a single
/// operand has one number, which is not used.
fn contraction_pairs(
    cx: &Infer<'_>,
    path: &[i64],
    operands: usize,
) -> Result<Vec<(usize, usize)>, MetaError> {
    let numbers = if operands == 1 { 1 } else { 2 * (operands - 1) };
    if path.len() != numbers {
        let message = format!("a path for {operands} operands has {numbers} numbers, not {}", path.len());
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let mut pairs = Vec::new();
    for (done, pair) in path.chunks_exact(2).enumerate() {
        let left = operands - done;
        let place = |k: i64| usize::try_from(k).ok().filter(|k| *k < left);
        match (place(pair[0]), place(pair[1])) {
            (Some(a), Some(b)) if a != b => pairs.push((a.min(b), a.max(b))),
            _ => {
                let message = format!("the path names {} and {} of {left} operands", pair[0], pair[1]);
                return Err(cx.error(Status::InvalidArgument, message));
            }
        }
    }
    Ok(pairs)
}

pub fn einsum(cx: &mut Infer<'_>) -> Metas {
    let metas = cx.metas("tensors")?;
    let Some(first) = metas.first() else {
        return Err(cx.error(Status::InvalidArgument, "there must be at least one tensor"));
    };
    let dtype = first.dtype;
    if let Some(other) = metas.iter().find(|m| m.dtype != dtype) {
        return Err(cx.error(Status::Dtype, format!("tensors of {dtype} and {}", other.dtype)));
    }
    let ranks: Vec<usize> = metas.iter().map(|m| m.rank()).collect();
    let equation = cx.string("equation").unwrap_or("");
    let parsed =
        Einsum::parse(equation, &ranks).map_err(|message| cx.error(Status::InvalidArgument, message))?;
    let one = cx.syms().constant(1);
    let mut sizes: Vec<Option<SymInt>> = vec![None; parsed.labels];
    for (labels, meta) in parsed.operands.iter().zip(&metas) {
        for (k, (label, size)) in labels.iter().zip(&meta.shape).enumerate() {
            // A diagonal has no size that broadcasts.
            if let Some(first) = labels[..k].iter().position(|before| before == label) {
                same_size(cx, "the sizes of a subscript that an operand repeats", meta.shape[first], *size)?;
            }
            match sizes[*label] {
                Some(have) if have != one && *size != one => {
                    same_size(cx, "the sizes of a subscript", have, *size)?
                }
                Some(have) if have != one => {}
                _ => sizes[*label] = Some(*size),
            }
        }
    }
    let shape = parsed.output.iter().map(|l| sizes[*l].unwrap_or(one)).collect();
    let path = match cx.optional_ints("path") {
        Some(_) => Some(contraction_pairs(cx, &cx.known_ints("path")?, metas.len())?),
        None => None,
    };
    let (strides, summed) = super::einsum_layout::strides(cx.syms(), &parsed, &metas, path.as_deref());
    // Labels of one operand alone are summed as `sum` does, which gives int64 for integers. The rest are products of matrices.
    let dtype = if summed && dtype.is_integral() { Dtype::Int64 } else { dtype };
    let result = made(cx, dtype, shape);
    Ok(vec![TensorMeta { strides, ..result }])
}
