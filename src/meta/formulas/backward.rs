//! Formulas of gradients that PyTorch's autograd leaves in graphs.

use super::super::formula::Scope;
use super::{Built, Cx, MetaError, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// The derivative of a distance by the first point's coordinates: `grad sign(d) (|d| / distance)^(p - 1)`.
fn by_distance(cx: &mut Cx<'_, '_>, grad: Value, difference: Value, distance: Value, p: f64) -> Built {
    let sign = cx.of("sign($0)", &[difference])?;
    let slope = if p == 0.0 {
        cx.of("zeros_like($0)", &[difference])?
    } else if p == 1.0 {
        sign
    } else if p.is_infinite() {
        cx.of("mul($0, eq(abs($1), $2))", &[sign, difference, distance])?
    } else {
        let args = [v(sign), v(difference), v(distance), Arg::Float(p - 1.0)];
        // A coordinate in which the points agree has no slope, though below p = 1 its power is infinite.
        let text =
            "masked_fill.Scalar(mul($0, pow.Tensor_Scalar(div(abs($1), $2), $3)), eq.Scalar($1, 0), 0)";
        cx.call(text, &args)?
    };
    // Points at one place have no slope.
    let none = cx.of("eq.Scalar($0, 0)", &[distance])?;
    cx.of("masked_fill.Scalar(mul($0, $1), $2, 0)", &[grad, slope, none])
}

/// `_cdist_backward`: by the first of two lists of points.
pub fn cdist(cx: &mut Cx<'_, '_>) -> Results {
    let [grad, first, second, distance] = [cx.value(0)?, cx.value(1)?, cx.value(2)?, cx.value(4)?];
    let p = cx.float(3)?;
    let difference = cx.of("sub(unsqueeze($0, -2), unsqueeze($1, -3))", &[first, second])?;
    let grad = cx.of("unsqueeze($0, -1)", &[grad])?;
    let distance = cx.of("unsqueeze($0, -1)", &[distance])?;
    let slopes = by_distance(cx, grad, difference, distance, p)?;
    let sum = cx.of("sum.dim_IntList($0, [-2])", &[slopes])?;
    // Batches of the second list alone are summed up.
    let shape = Arg::Ints(cx.shape(first));
    Ok(vec![cx.call("sum_to_size($0, $1)", &[v(sum), shape])?])
}

/// `_pdist_backward`: by the list of points.
pub fn pdist(cx: &mut Cx<'_, '_>) -> Results {
    let [grad, points, distance] = [cx.value(0)?, cx.value(1)?, cx.value(3)?];
    let p = cx.float(2)?;
    if cx.rank(points) != 2 {
        return Err(cx.error(Status::Shape, "the points must be the rows of a matrix"));
    }
    let count = Arg::Int(cx.shape(points)[0]);
    let pairs = cx.call("triu_indices($0, $0, 1)", &[count])?;
    let mut ends = Vec::new();
    for k in [0, 1] {
        let args = [v(pairs), cx.int(k)];
        ends.push(cx.call("select.int($0, 0, $1)", &args)?);
    }
    let text = "sub(index_select($0, 0, $1), index_select($0, 0, $2))";
    let difference = cx.of(text, &[points, ends[0], ends[1]])?;
    let grad = cx.of("unsqueeze($0, -1)", &[grad])?;
    let distance = cx.of("unsqueeze($0, -1)", &[distance])?;
    let slopes = by_distance(cx, grad, difference, distance, p)?;
    let text = "index_add(index_add(zeros_like($0), 0, $1, $3), 0, $2, neg($3))";
    Ok(vec![cx.of(text, &[points, ends[0], ends[1], slopes])?])
}

/// `masked_scatter_backward`: the gradient's elements where the mask is set, in their order, and then zeros.
pub fn masked_scatter(cx: &mut Cx<'_, '_>) -> Results {
    let (grad, mask, sizes) = (cx.value(0)?, cx.value(1)?, cx.args[2].clone());
    let Arg::Ints(list) = &sizes else { return Err(cx.wrong("`sizes` must be integers".into())) };
    let count = cx.syms().product(list);
    // The last place collects elements that the mask did not choose and those beyond `count`. It is cut off.
    let room = Arg::Ints(vec![cx.syms().add_const(count, 1)]);
    let given = cx.call("new_zeros($0, $1)", &[v(grad), room])?;
    let mask = cx.of("reshape(expand_as($0, $1), [-1])", &[mask, grad])?;
    let chosen = cx.of("masked_fill.Scalar(reshape($0, [-1]), logical_not($1), 0)", &[grad, mask])?;
    let places = cx.call("clamp(sub.Scalar(cumsum($0, 0), 1), 0, $1)", &[v(mask), Arg::Int(count)])?;
    let args = [v(given), v(places), v(chosen), Arg::Int(count), sizes];
    Ok(vec![cx.call("reshape(narrow(scatter_add($0, 0, $1, $2), 0, 0, $3), $4)", &args)?])
}

/// `_new_zeros_with_same_feature_meta`: a tangent that is zero, with the batch dimensions of the first tensor before the sizes of the
/// second. It is contiguous.
pub fn zero_tangent(cx: &mut Cx<'_, '_>) -> Results {
    let (own, other, n_batch) = (cx.value(0)?, cx.value(1)?, cx.known(2)?);
    let mut sizes = cx.shape(own);
    let n = usize::try_from(n_batch).ok().filter(|n| *n <= sizes.len()).ok_or_else(|| {
        cx.wrong(format!("{n_batch} batch dimensions of a tensor of {} dimensions", cx.rank(own)))
    })?;
    sizes.truncate(n);
    sizes.extend(cx.shape(other));
    Ok(vec![cx.call("new_zeros($0, $1)", &[v(other), Arg::Ints(sizes)])?])
}

/// `rrelu_with_noise_backward`: by the noise in training, otherwise by the mean slope.
pub fn rrelu(cx: &mut Cx<'_, '_>) -> Results {
    let (lower, upper) = (cx.float(3)?, cx.float(4)?);
    Ok(vec![if cx.flag(5) && upper - lower > 1e-6 {
        cx.of("mul($0, $1)", &[cx.value(0)?, cx.value(2)?])?
    } else {
        let args =
            [cx.args[0].clone(), cx.args[1].clone(), Arg::Float((lower + upper) / 2.0), cx.args[6].clone()];
        cx.call("leaky_relu_backward($0, $1, $2, $3)", &args)?
    }])
}

/// Rows of the scores, and the classes of each row; a vector is one row.
fn rows(
    cx: &mut Cx<'_, '_>,
    scores: Value,
    target: Value,
    classes: bool,
) -> Result<(Value, Value), MetaError> {
    if cx.rank(scores) > 2 || cx.rank(scores) == 0 {
        return Err(cx.error(Status::Shape, "the scores must have one or two dimensions"));
    }
    let rows = if cx.rank(scores) == 2 { scores } else { cx.of("unsqueeze($0, 0)", &[scores])? };
    let target = match (classes, cx.rank(target)) {
        (true, 2) => target,
        (true, _) => cx.of("reshape($0, [1, -1])", &[target])?,
        (false, _) => cx.of("reshape($0, [-1, 1])", &[target])?,
    };
    Ok((rows, target))
}

/// The incoming gradient of each row, divided by the number that the mean divides by.
fn weight_of_rows(cx: &mut Cx<'_, '_>, grad: Value, scores: Value, reduction: i64) -> Built {
    let shape = cx.shape(scores);
    let share = if reduction == 1 { cx.syms().mul(shape[0], shape[1]) } else { shape[1] };
    let grad = if reduction == 0 { cx.of("reshape($0, [-1, 1])", &[grad])? } else { grad };
    let args = [v(grad), Arg::Int(share)];
    cx.call("div.Scalar($0, $1)", &args)
}

/// `max(0, margin - x[y] + x[j])^p` for each class `j` but the right one.
pub fn multi_margin(cx: &mut Cx<'_, '_>) -> Results {
    let [grad, given, target] = [cx.value(0)?, cx.value(1)?, cx.value(2)?];
    let (p, margin, reduction) = (cx.float(3)?, cx.args[4].clone(), cx.known(6)?);
    if p != 1.0 && p != 2.0 {
        return Err(cx.wrong(format!("`p` is {p}, not 1 or 2")));
    }
    let (scores, classes) = rows(cx, given, target, false)?;
    let own = cx.of("gather($0, 1, $1)", &[scores, classes])?;
    let excess = cx.call("add.Scalar(sub($0, $1), $2)", &[v(scores), v(own), margin])?;
    let counts = cx.of("gt.Scalar($0, 0)", &[excess])?;
    let slope = match p == 2.0 {
        true => cx.of("mul.Scalar($0, 2)", &[excess])?,
        false => cx.of("ones_like($0)", &[excess])?,
    };
    let mut slope = cx.of("masked_fill.Scalar($0, logical_not($1), 0)", &[slope, counts])?;
    let zero = cx.of("zeros_like($0)", &[own])?;
    slope = cx.of("scatter.src($0, 1, $1, $2)", &[slope, classes, zero])?;
    if let Some(weight) = cx.optional(5) {
        slope = cx.of("mul($0, take($1, $2))", &[slope, weight, classes])?;
    }
    let share = weight_of_rows(cx, grad, scores, reduction)?;
    let slope = cx.of("mul($0, $1)", &[slope, share])?;
    let text = "view_as(scatter_add($0, 1, $1, neg(sum.dim_IntList($0, [1], true))), $2)";
    Ok(vec![cx.of(text, &[slope, classes, given])?])
}

/// Which classes of a row are its own, which begin its target and end before the first negative number: `[rows, classes]` of places in
/// the target, and of classes.
fn own_classes(cx: &mut Cx<'_, '_>, target: Value) -> Result<[Value; 3], MetaError> {
    let present = cx.of("gt.Scalar(cumprod(ge.Scalar($0, 0), 1), 0)", &[target])?;
    let classes = cx.of("masked_fill.Scalar($0, logical_not($1), 0)", &[target, present])?;
    let counted = cx.cast(present, Dtype::Int64)?;
    let own = cx.of("scatter_add(zeros_like($0), 1, $0, $1)", &[classes, counted])?;
    Ok([present, classes, cx.of("gt.Scalar($0, 0)", &[own])?])
}

/// The loss, and which classes are a row's own.
pub fn multilabel_margin_forward(cx: &mut Cx<'_, '_>) -> Results {
    let (given, target) = (cx.value(0)?, cx.value(1)?);
    let loss = cx.call("multilabel_margin_loss($0, $1, $2)", &cx.args.clone())?;
    let (_, classes) = rows(cx, given, target, true)?;
    let [_, _, own] = own_classes(cx, classes)?;
    let own = cx.of("view_as($0, $1)", &[own, target])?;
    Ok(vec![loss, cx.cast(own, cx.dtype(given))?])
}

/// `max(0, 1 - x[y] + x[j])` for each of a row's own classes `y` and each other class `j`.
pub fn multilabel_margin(cx: &mut Cx<'_, '_>) -> Results {
    let [grad, given, target] = [cx.value(0)?, cx.value(1)?, cx.value(2)?];
    let reduction = cx.known(3)?;
    let (scores, target) = rows(cx, given, target, true)?;
    let [present, classes, own] = own_classes(cx, target)?;
    let chosen = cx.of("gather($0, 1, $1)", &[scores, classes])?;
    let excess = cx.of("sub(add.Scalar(unsqueeze($0, 1), 1), unsqueeze($1, 2))", &[scores, chosen])?;
    let text = "logical_and(logical_and(gt.Scalar($0, 0), unsqueeze($1, 2)), logical_not(unsqueeze($2, 1)))";
    let counts = cx.of(text, &[excess, present, own])?;
    let counts = cx.cast(counts, cx.dtype(scores))?;
    let text = "scatter_add(sum.dim_IntList($0, [1]), 1, $1, neg(sum.dim_IntList($0, [2])))";
    let slope = cx.of(text, &[counts, classes])?;
    let share = weight_of_rows(cx, grad, scores, reduction)?;
    Ok(vec![cx.of("view_as(mul($0, $1), $2)", &[slope, share, given])?])
}

/// The bag of each index: the last one that begins at or before it.
fn bags(cx: &mut Cx<'_, '_>, indices: Value, offsets: Value) -> Built {
    let count = Arg::Int(cx.shape(indices)[0]);
    let offsets = cx.cast(offsets, Dtype::Int64)?;
    let text = "sub.Scalar(searchsorted($0, arange($1), right=true), 1)";
    cx.call(text, &[v(offsets), count])
}

fn check_ranks<const N: usize>(cx: &Cx<'_, '_>, all: [(Value, usize, &str); N]) -> Result<(), MetaError> {
    for (value, rank, name) in all {
        if cx.rank(value) != rank {
            let message = format!("`{name}` must have {rank} dimensions, not {}", cx.rank(value));
            return Err(cx.error(Status::Shape, message));
        }
    }
    Ok(())
}

/// `_embedding_bag_backward`: by the table.
pub fn embedding_bag(cx: &mut Cx<'_, '_>) -> Results {
    let [grad, indices, offsets, sizes] = [cx.value(0)?, cx.value(1)?, cx.value(2)?, cx.value(4)?];
    check_ranks(cx, [(grad, 2, "grad"), (indices, 1, "indices"), (offsets, 1, "offsets")])?;
    let (rows, scaled, padding) = (cx.args[6].clone(), cx.args[7].clone(), cx.args[11].clone());
    let mode = cx.known(8)?;
    let Some(rows_of_table) = rows.int() else {
        return Err(cx.wrong("`num_weights` must be an integer".into()));
    };
    if mode == 2 {
        let columns = cx.shape(grad)[1];
        let table = cx.call("new_zeros($0, $1)", &[v(grad), Arg::Ints(vec![rows_of_table, columns])])?;
        let places = cx.cast(cx.value(5)?, Dtype::Int64)?;
        let empty = cx.of("unsqueeze(eq.Scalar($0, 0), 1)", &[sizes])?;
        let text = "scatter_add($0, 0, clamp_min($1, 0), masked_fill.Scalar($2, $3, 0))";
        return Ok(vec![cx.of(text, &[table, places, grad, empty])?]);
    }
    let bags = bags(cx, indices, offsets)?;
    let mut each = cx.of("index_select($0, 0, $1)", &[grad, bags])?;
    if mode == 1 {
        let sizes = cx.cast(sizes, cx.dtype(grad))?;
        each = cx.of("div($0, unsqueeze(index_select($1, 0, $2), 1))", &[each, sizes, bags])?;
    }
    if let Some(weights) = cx.optional(10) {
        each = cx.of("mul($0, unsqueeze($1, 1))", &[each, weights])?;
    }
    let args = [v(each), v(indices), rows, padding, scaled];
    Ok(vec![cx.call("embedding_dense_backward($0, $1, $2, $3, $4)", &args)?])
}

/// `_embedding_bag_per_sample_weights_backward`.
pub fn embedding_bag_weights(cx: &mut Cx<'_, '_>) -> Results {
    let [grad, table, indices, offsets] = [cx.value(0)?, cx.value(1)?, cx.value(2)?, cx.value(3)?];
    check_ranks(cx, [(grad, 2, "grad"), (table, 2, "weight"), (indices, 1, "indices")])?;
    check_ranks(cx, [(offsets, 1, "offsets")])?;
    let bags = bags(cx, indices, offsets)?;
    let text = "sum.dim_IntList(mul(index_select($0, 0, $1), index_select($2, 0, $3)), [1])";
    let slopes = cx.of(text, &[grad, bags, table, indices])?;
    let args = [v(slopes), v(indices), cx.args[6].clone()];
    Ok(vec![cx.call("masked_fill.Scalar($0, eq.Scalar($1, $2), 0)", &args)?])
}
