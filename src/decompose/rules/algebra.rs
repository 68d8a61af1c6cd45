//! Linear algebra as matrix products and pointwise operators.

use super::distance::common_shape;
use crate::base::StableSort;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::meta::einsum::Einsum;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

pub fn outer(cx: &mut Decompose<'_>) -> Results {
    let (a, b) = (cx.value("self")?, cx.value("vec2")?);
    let a = cx.unsqueeze(a, 1)?;
    Ok(vec![cx.mul(a, b)?])
}

/// Each dimension of the result has the sizes of both: the first tensor's outside, the second's inside.
pub fn kron(cx: &mut Decompose<'_>) -> Results {
    let (a, b) = (cx.value("self")?, cx.value("other")?);
    let (sa, sb) = (cx.shape(a), cx.shape(b));
    let rank = sa.len().max(sb.len());
    let one = cx.constant(1);
    let size = |s: &[SymInt], d: usize| (d + s.len()).checked_sub(rank).map_or(one, |k| s[k]);
    let (mut left, mut right, mut shape) = (Vec::new(), Vec::new(), Vec::new());
    for d in 0..rank {
        let (x, y) = (size(&sa, d), size(&sb, d));
        left.extend([x, one]);
        right.extend([one, y]);
        shape.push(cx.syms().mul(x, y));
    }
    let (a, b) = (cx.reshape(a, &left)?, cx.reshape(b, &right)?);
    let product = cx.mul(a, b)?;
    Ok(vec![cx.reshape(product, &shape)?])
}

/// The contracted dimensions of both are brought together and multiplied as matrices.
pub fn tensordot(cx: &mut Decompose<'_>) -> Results {
    let (mut a, mut b) = (cx.value("self")?, cx.value("other")?);
    let (ra, rb) = (cx.rank(a), cx.rank(b));
    let (mut da, mut db) = (Vec::new(), Vec::new());
    for d in cx.known_ints("dims_self")? {
        da.push(cx.dim(d, ra)?);
    }
    for d in cx.known_ints("dims_other")? {
        db.push(cx.dim(d, rb)?);
    }
    let one = cx.constant(1);
    // A contracted size of 1 stands for any: the other tensor is summed there.
    for (i, j) in da.iter().zip(&db) {
        let (x, y) = (cx.shape(a)[*i], cx.shape(b)[*j]);
        if x == one && y != one {
            b = sum_in_place(cx, b, *j)?;
        } else if y == one && x != one {
            a = sum_in_place(cx, a, *i)?;
        }
    }
    let (sa, sb) = (cx.shape(a), cx.shape(b));
    let left: Vec<usize> = (0..ra).filter(|d| !da.contains(d)).collect();
    let right: Vec<usize> = (0..rb).filter(|d| !db.contains(d)).collect();
    let k = cx.syms().product(&da.iter().map(|d| sa[*d]).collect::<Vec<_>>());
    let m = cx.syms().product(&left.iter().map(|d| sa[*d]).collect::<Vec<_>>());
    let n = cx.syms().product(&right.iter().map(|d| sb[*d]).collect::<Vec<_>>());
    let order: Vec<usize> = left.iter().chain(&da).copied().collect();
    let a = cx.permute(a, &order)?;
    let a = cx.reshape(a, &[m, k])?;
    let order: Vec<usize> = db.iter().chain(&right).copied().collect();
    let b = cx.permute(b, &order)?;
    let b = cx.reshape(b, &[k, n])?;
    let product = cx.matmul(a, b)?;
    let shape: Vec<SymInt> = left.iter().map(|d| sa[*d]).chain(right.iter().map(|d| sb[*d])).collect();
    Ok(vec![cx.reshape(product, &shape)?])
}

/// The sum over a dimension, which stays, in the dtype of `a`.
fn sum_in_place(cx: &mut Decompose<'_>, a: Value, dim: usize) -> Result<Value, DecomposeError> {
    let sum = cx.sum(a, &[dim as i64], true)?;
    cx.cast(sum, cx.dtype_of(a))
}

pub fn inner(cx: &mut Decompose<'_>) -> Results {
    let (a, b) = (cx.value("self")?, cx.value("other")?);
    if cx.rank(a) == 0 || cx.rank(b) == 0 {
        return Ok(vec![cx.mul(a, b)?]);
    }
    let last = cx.ints_arg(&[-1]);
    Ok(vec![cx.call("aten.tensordot.default", vec![Arg::Value(a), Arg::Value(b), last.clone(), last])?])
}

/// `cross` without a dimension takes the first of size 3.
pub fn cross(cx: &mut Decompose<'_>) -> Results {
    let (a, b) = (cx.value("self")?, cx.value("other")?);
    let shape = {
        let shapes = [cx.shape(a), cx.shape(b)];
        common_shape(cx, &shapes)
    };
    let three = cx.constant(3);
    let dim = match cx.int("dim") {
        Some(_) => cx.dim(cx.known_int("dim")?, shape.len())?,
        None => shape.iter().position(|s| *s == three).unwrap_or(0),
    };
    let expand = |cx: &mut Decompose<'_>, x: Value| {
        cx.call("aten.expand.default", vec![Arg::Value(x), Arg::Ints(shape.clone())])
    };
    let (a, b) = (expand(cx, a)?, expand(cx, b)?);
    let mut parts = Vec::new();
    for k in 0..3i64 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let part = |cx: &mut Decompose<'_>, i: i64, j: i64| -> Built {
            let (x, y) = (cx.select_index(a, dim as i64, i)?, cx.select_index(b, dim as i64, j)?);
            cx.mul(x, y)
        };
        let (plus, minus) = (part(cx, i, j)?, part(cx, j, i)?);
        parts.push(Some(cx.sub(plus, minus)?));
    }
    let dim = cx.int_arg(dim as i64);
    Ok(vec![cx.call("aten.stack.default", vec![Arg::Values(parts), dim])?])
}

pub fn trace(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("self")?;
    let diagonal = cx.call("aten.diagonal.default", vec![Arg::Value(x)])?;
    Ok(vec![cx.sum(diagonal, &[], false)?])
}

pub fn vecdot(cx: &mut Decompose<'_>) -> Results {
    let (a, b) = (cx.value("x")?, cx.value("y")?);
    let shape = {
        let shapes = [cx.shape(a), cx.shape(b)];
        common_shape(cx, &shapes)
    };
    let dim = cx.dim(cx.known_int("dim")?, shape.len())? as i64;
    let product = cx.mul(a, b)?;
    let sum = cx.sum(product, &[dim], false)?;
    let dtype = super::loss::promoted(cx, &[cx.value("x")?, cx.value("y")?])?;
    Ok(vec![cx.cast(sum, dtype)?])
}

/// The batch is one more contracted dimension; for narrow floats, whose sums are rounded after each matrix, the
/// matrices are added one by one.
pub fn addbmm(cx: &mut Decompose<'_>) -> Results {
    let (own, a, b) = (cx.value("self")?, cx.value("batch1")?, cx.value("batch2")?);
    let (sa, sb) = (cx.shape(a), cx.shape(b));
    let (beta, alpha) = (cx.arg("beta").clone(), cx.arg("alpha").clone());
    let addmm = |cx: &mut Decompose<'_>, own: Value, a: Value, b: Value, beta: Arg| {
        let named = vec![("beta", beta), ("alpha", alpha.clone())];
        cx.call_with("aten.addmm.default", vec![Arg::Value(own), Arg::Value(a), Arg::Value(b)], named)
    };
    if cx.dtype_of(a).is_reduced_float()
        && let Some(count @ 1..=64) = cx.syms().as_const(sa[0])
    {
        let mut sum = own;
        for k in 0..count {
            let (x, y) = (cx.select_index(a, 0, k)?, cx.select_index(b, 0, k)?);
            let beta = if k == 0 { beta.clone() } else { cx.int_arg(1) };
            sum = addmm(cx, sum, x, y, beta)?;
        }
        return Ok(vec![sum]);
    }
    let inner = cx.syms().mul(sa[0], sa[2]);
    let a = cx.permute(a, &[1, 0, 2])?;
    let a = cx.reshape(a, &[sa[1], inner])?;
    let b = cx.reshape(b, &[inner, sb[2]])?;
    Ok(vec![addmm(cx, own, a, b, beta)?])
}

pub fn addmm_activation(cx: &mut Decompose<'_>) -> Results {
    let named = vec![("beta", cx.arg("beta").clone()), ("alpha", cx.arg("alpha").clone())];
    let args =
        vec![Arg::Value(cx.value("self")?), Arg::Value(cx.value("mat1")?), Arg::Value(cx.value("mat2")?)];
    let sum = cx.call_with("aten.addmm.default", args, named)?;
    if cx.bool("use_gelu") {
        let approximate = vec![("approximate", Arg::Str("tanh".to_string()))];
        return Ok(vec![cx.call_with("aten.gelu.default", vec![Arg::Value(sum)], approximate)?]);
    }
    Ok(vec![cx.unary("relu", sum)?])
}

/// The first input times the weight as a matrix `[i, o*j]`, then times the second, each product rounded.
pub fn bilinear(cx: &mut Decompose<'_>) -> Results {
    let (a, b, weight) = (cx.value("input1")?, cx.value("input2")?, cx.value("weight")?);
    let (sa, sw) = (cx.shape(a), cx.shape(weight));
    let weight = cx.permute(weight, &[1, 0, 2])?;
    let columns = cx.syms().mul(sw[0], sw[2]);
    let weight = cx.reshape(weight, &[sw[1], columns])?;
    let product = cx.matmul(a, weight)?;
    let mut shape = sa[..sa.len() - 1].to_vec();
    shape.extend([sw[0], sw[2]]);
    let product = cx.reshape(product, &shape)?;
    let b = cx.unsqueeze(b, -1)?;
    let product = cx.matmul(product, b)?;
    let mut sum = cx.squeeze(product, -1)?;
    if let Some(bias) = cx.optional_value("bias") {
        sum = cx.add(sum, bias)?;
    }
    Ok(vec![sum])
}

/// `i1 * i2`, summed where `i3` has no dimension and rounded, times `i3`, summed over the other dimensions.
pub fn trilinear(cx: &mut Decompose<'_>) -> Results {
    let dtype = cx.dtype_of(cx.value("i1")?);
    let mut factors = Vec::new();
    for (name, expand) in [("i1", "expand1"), ("i2", "expand2"), ("i3", "expand3")] {
        let mut x = cx.value(name)?;
        x = cx.compute(x)?;
        for place in cx.known_ints(expand)? {
            x = cx.unsqueeze(x, place)?;
        }
        factors.push(x);
    }
    let alone = cx.known_ints("expand3")?;
    let dims = cx.known_ints("sumdim")?;
    let (early, late): (Vec<i64>, Vec<i64>) = dims.iter().partition(|d| alone.contains(d));
    let mut pair = cx.mul(factors[0], factors[1])?;
    if !early.is_empty() {
        pair = cx.sum(pair, &early, true)?;
    }
    pair = cx.cast(pair, dtype)?;
    pair = cx.compute(pair)?;
    let mut sum = cx.mul(pair, factors[2])?;
    if !late.is_empty() {
        sum = cx.sum(sum, &late, true)?;
    }
    let mut dropped = dims;
    dropped.stable_sort();
    for dim in dropped.into_iter().rev() {
        sum = cx.squeeze(sum, dim)?;
    }
    Ok(vec![cx.cast(sum, dtype)?])
}

pub fn multi_dot(cx: &mut Decompose<'_>) -> Results {
    let name = cx.op.schema().args[0].name.clone();
    let list = cx.values(&name);
    if list.is_empty() {
        return Err(cx.unsupported("there must be at least one matrix"));
    }
    // Of matrix `k`, rows[k] x rows[k + 1]; a vector is a row at the beginning and a column at the end.
    let hint = |sizes: &[SymInt], at: usize| cx.syms().hint(sizes[at]) as f64;
    let mut rows = Vec::new();
    for (k, value) in list.iter().enumerate() {
        let sizes = cx.shape(*value);
        rows.push(if sizes.len() == 1 && k == 0 { 1.0 } else { hint(&sizes, 0) });
        if k + 1 == list.len() {
            rows.push(if sizes.len() == 1 { 1.0 } else { hint(&sizes, sizes.len() - 1) });
        }
    }
    let order = cheapest_order(&rows);
    Ok(vec![chain(cx, &list, &order, 0, list.len() - 1)?])
}

/// Where to split each run of matrices `i ..= j` for the fewest multiplications: the last matrix of the left part, by dynamic
/// programming over the lengths of runs. Of equal ones PyTorch takes the first, and of three matrices the left two together.
fn cheapest_order(rows: &[f64]) -> Vec<Vec<usize>> {
    let n = rows.len() - 1;
    let mut cost = vec![vec![0.0; n]; n];
    let mut split = vec![vec![0; n]; n];
    for length in 1..n {
        for i in 0..n - length {
            let j = i + length;
            cost[i][j] = f64::INFINITY;
            for k in i..j {
                let own = cost[i][k] + cost[k + 1][j] + rows[i] * rows[k + 1] * rows[j + 1];
                if own < cost[i][j] || (n == 3 && own == cost[i][j]) {
                    (cost[i][j], split[i][j]) = (own, k);
                }
            }
        }
    }
    split
}

/// The product of a run of matrices.
fn chain(cx: &mut Decompose<'_>, list: &[Value], order: &[Vec<usize>], i: usize, j: usize) -> Built {
    if i == j {
        return Ok(list[i]);
    }
    let split = order[i][j];
    let left = chain(cx, list, order, i, split)?;
    let right = chain(cx, list, order, split + 1, j)?;
    cx.matmul(left, right)
}

/// By squaring; the power 0 is the identity.
pub fn matrix_power(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("self")?;
    let n = cx.known_int("n")?;
    let (x, n) = if n < 0 { (super::linalg::checked_inverse(cx, x)?, n.saturating_neg()) } else { (x, n) };
    if n == 0 {
        let (shape, dtype) = (cx.shape(x), cx.dtype_of(x));
        let size = shape[shape.len() - 1];
        let eye =
            cx.call_with("aten.eye.default", vec![Arg::Int(size)], vec![("dtype", Arg::Dtype(dtype))])?;
        let all = cx.call("aten.expand.default", vec![Arg::Value(eye), Arg::Ints(shape)])?;
        return Ok(vec![cx.call("aten.clone.default", vec![Arg::Value(all)])?]);
    }
    let (mut square, mut result, mut left) = (x, None, n);
    loop {
        if left & 1 == 1 {
            result = Some(match result {
                None => square,
                Some(r) => cx.matmul(r, square)?,
            });
        }
        left >>= 1;
        if left == 0 {
            break;
        }
        square = cx.matmul(square, square)?;
    }
    Ok(vec![result.unwrap_or(x)])
}

/// A tensor whose dimensions have labels.
struct Labelled {
    value: Value,
    labels: Vec<usize>,
}

impl Labelled {
    fn place(&self, label: usize) -> Option<usize> {
        self.labels.iter().position(|l| *l == label)
    }
}

/// Operands are contracted from left to right, each pair as one batched matrix product.
pub fn einsum(cx: &mut Decompose<'_>) -> Results {
    let values = cx.values("tensors");
    let ranks: Vec<usize> = values.iter().map(|v| cx.rank(*v)).collect();
    let equation = cx.string("equation").unwrap_or("");
    let parsed = Einsum::parse(equation, &ranks).map_err(|e| cx.unsupported(e))?;
    let mut operands = Vec::new();
    for (value, labels) in values.iter().zip(&parsed.operands) {
        operands.push(diagonals(cx, *value, labels)?);
    }
    if let [alone] = &mut operands[..]
        && parsed.output.len() < parsed.labels
        && cx.dtype_of(alone.value).is_integral()
    {
        alone.value = cx.cast(alone.value, Dtype::Int64)?;
    }
    let mut rest = operands.into_iter();
    let Some(mut done) = rest.next() else { return Err(cx.unsupported("there must be at least one tensor")) };
    let mut waiting: Vec<Labelled> = rest.collect();
    while !waiting.is_empty() {
        let next = waiting.remove(0);
        let needed: Vec<usize> =
            parsed.output.iter().chain(waiting.iter().flat_map(|o| &o.labels)).copied().collect();
        done = contract(cx, done, next, &needed)?;
    }
    let done = sum_unneeded(cx, done, &parsed.output)?;
    let order: Vec<usize> = parsed.output.iter().filter_map(|l| done.place(*l)).collect();
    if order.iter().copied().eq(0..done.labels.len()) {
        return Ok(vec![done.value]);
    }
    Ok(vec![cx.permute(done.value, &order)?])
}

/// A label that occurs twice keeps the elements where both places are equal.
fn diagonals(cx: &mut Decompose<'_>, value: Value, labels: &[usize]) -> Result<Labelled, DecomposeError> {
    let mut done = Labelled { value, labels: labels.to_vec() };
    while let Some((i, j)) = repeated(&done.labels) {
        let args = vec![Arg::Value(done.value), cx.int_arg(0), cx.int_arg(i as i64), cx.int_arg(j as i64)];
        done.value = cx.call("aten.diagonal.default", args)?;
        let label = done.labels[i];
        done.labels.remove(j);
        done.labels.remove(i);
        done.labels.push(label);
    }
    Ok(done)
}

fn repeated(labels: &[usize]) -> Option<(usize, usize)> {
    (0..labels.len()).find_map(|i| (i + 1..labels.len()).find(|j| labels[*j] == labels[i]).map(|j| (i, j)))
}

/// Sums as `sum` does, which gives int64 for integers. Dimensions of size 1 are dropped without that.
fn sum_unneeded(cx: &mut Decompose<'_>, x: Labelled, needed: &[usize]) -> Result<Labelled, DecomposeError> {
    let gone: Vec<usize> = (0..x.labels.len()).filter(|d| !needed.contains(&x.labels[*d])).collect();
    if gone.is_empty() {
        return Ok(x);
    }
    let (shape, one) = (cx.shape(x.value), cx.constant(1));
    let dtype = match cx.dtype_of(x.value) {
        dtype if dtype.is_integral() && gone.iter().any(|d| shape[*d] != one) => Dtype::Int64,
        dtype => dtype,
    };
    let dims: Vec<i64> = gone.iter().map(|d| *d as i64).collect();
    let sum = cx.sum(x.value, &dims, false)?;
    let value = cx.cast(sum, dtype)?;
    Ok(Labelled { value, labels: x.labels.iter().copied().filter(|l| needed.contains(l)).collect() })
}

/// The product of two operands; labels that nothing further needs are summed.
fn contract(
    cx: &mut Decompose<'_>,
    a: Labelled,
    b: Labelled,
    needed: &[usize],
) -> Result<Labelled, DecomposeError> {
    let one = cx.constant(1);
    let keep_a: Vec<usize> = needed.iter().chain(&b.labels).copied().collect();
    let keep_b: Vec<usize> = needed.iter().chain(&a.labels).copied().collect();
    let (mut a, mut b) = (sum_unneeded(cx, a, &keep_a)?, sum_unneeded(cx, b, &keep_b)?);
    // A size of 1 broadcasts: that side loses the label.
    for label in a.labels.clone() {
        let (Some(i), Some(j)) = (a.place(label), b.place(label)) else { continue };
        let (x, y) = (cx.shape(a.value)[i], cx.shape(b.value)[j]);
        let (small, place) = match (x == one, y == one) {
            (true, _) => (&mut a, i),
            (_, true) => (&mut b, j),
            _ => continue,
        };
        small.value = cx.squeeze(small.value, place as i64)?;
        small.labels.remove(place);
    }
    let keep_a: Vec<usize> = needed.iter().chain(&b.labels).copied().collect();
    let keep_b: Vec<usize> = needed.iter().chain(&a.labels).copied().collect();
    let (mut a, mut b) = (sum_unneeded(cx, a, &keep_a)?, sum_unneeded(cx, b, &keep_b)?);
    if cx.dtype_of(a.value) != cx.dtype_of(b.value) {
        a.value = cx.cast(a.value, Dtype::Int64)?;
        b.value = cx.cast(b.value, Dtype::Int64)?;
    }
    let shared = |l: &usize| b.labels.contains(l);
    let batch: Vec<usize> = a.labels.iter().copied().filter(|l| shared(l) && needed.contains(l)).collect();
    let inner: Vec<usize> = a.labels.iter().copied().filter(|l| shared(l) && !needed.contains(l)).collect();
    let left: Vec<usize> = a.labels.iter().copied().filter(|l| !shared(l)).collect();
    let right: Vec<usize> = b.labels.iter().copied().filter(|l| !a.labels.contains(l)).collect();
    let (sa, sb) = (cx.shape(a.value), cx.shape(b.value));
    let size_a = |l: &usize| a.place(*l).map_or(one, |d| sa[d]);
    let size_b = |l: &usize| b.place(*l).map_or(one, |d| sb[d]);
    let batch_sizes: Vec<SymInt> = batch.iter().map(size_a).collect();
    let left_sizes: Vec<SymInt> = left.iter().map(size_a).collect();
    let right_sizes: Vec<SymInt> = right.iter().map(size_b).collect();
    let inner_sizes: Vec<SymInt> = inner.iter().map(size_a).collect();
    let syms = cx.syms();
    let (m, n, k) = (syms.product(&left_sizes), syms.product(&right_sizes), syms.product(&inner_sizes));
    let with = |middle: [SymInt; 2]| -> Vec<SymInt> { batch_sizes.iter().copied().chain(middle).collect() };
    let (shape_a, shape_b) = (with([m, k]), with([k, n]));
    let x = arranged(cx, &a, [&batch, &left, &inner], &shape_a)?;
    let y = arranged(cx, &b, [&batch, &inner, &right], &shape_b)?;
    let product = if inner.is_empty() { cx.mul(x, y)? } else { cx.matmul(x, y)? };
    let shape: Vec<SymInt> = batch_sizes.iter().chain(&left_sizes).chain(&right_sizes).copied().collect();
    let value = cx.reshape(product, &shape)?;
    Ok(Labelled { value, labels: batch.into_iter().chain(left).chain(right).collect() })
}

/// The tensor with its dimensions in the order of the labels given, in a new shape.
fn arranged(cx: &mut Decompose<'_>, x: &Labelled, order: [&[usize]; 3], shape: &[SymInt]) -> Built {
    let dims: Vec<usize> = order.into_iter().flatten().filter_map(|l| x.place(*l)).collect();
    let value = if dims.iter().copied().eq(0..dims.len()) { x.value } else { cx.permute(x.value, &dims)? };
    cx.reshape(value, shape)
}
