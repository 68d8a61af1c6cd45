//! Operators whose places are data: gathers, scatters, sorts, what is found. ONNX counts negative indices from the end.

use super::super::super::error::Result;
use super::super::super::number::Number;
use super::super::call::{Cx, Results};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

pub fn arg_extreme(cx: &mut Cx<'_, '_>) -> Results {
    let mut x = cx.value(0)?;
    let rank = cx.rank(x);
    let dim = cx.dim(cx.attr_or("axis", 0), rank)?;
    let last = cx.flag("select_last_index");
    if last {
        x = cx.call("flip($0, $1)", &[Arg::Value(x), cx.int_list(&[dim as i64])])?;
    }
    let text = if cx.node.op_type == "ArgMax" { "argmax($0, $1, $2)" } else { "argmin($0, $1, $2)" };
    let keep = Arg::Bool(cx.attr_or("keepdims", 1) != 0);
    let mut value = cx.call(text, &[Arg::Value(x), cx.int(dim as i64), keep])?;
    if last {
        let size = cx.syms.add_const(cx.shape(x)[dim], -1);
        value = cx.call("rsub.Scalar($0, $1)", &[Arg::Value(value), Arg::Int(size)])?;
    }
    cx.one(value)
}

/// Indices as int64, none negative.
fn places(cx: &mut Cx<'_, '_>, index: Value, size: SymInt) -> Result<Value> {
    let index = cx.cast(index, Dtype::Int64)?;
    cx.call("where.self(lt($0, 0), add($0, $1), $0)", &[Arg::Value(index), Arg::Int(size)])
}

pub fn gather(cx: &mut Cx<'_, '_>) -> Results {
    let (x, narrow) = (cx.raw(0)?, cx.narrow(0));
    let rank = cx.rank(x);
    let dim = cx.dim(cx.attr_or("axis", 0), rank)?;
    if let (Some(Number::Int(place)), Some(known)) = (cx.number(1)?, cx.known(1)?)
        && known.shape.is_empty()
    {
        let value =
            cx.call("select.int($0, $1, $2)", &[Arg::Value(x), cx.int(dim as i64), Arg::Int(place)])?;
        return Ok(vec![cx.narrowed(value, narrow)]);
    }
    let index = cx.value(1)?;
    let index = cx.cast(index, Dtype::Int64)?;
    let mut list = vec![None; dim];
    list.push(Some(index));
    let value = cx.call("index.Tensor($0, $1)", &[Arg::Value(x), Arg::Values(list)])?;
    Ok(vec![cx.narrowed(value, narrow)])
}

pub fn gather_elements(cx: &mut Cx<'_, '_>) -> Results {
    let (x, index) = (cx.value(0)?, cx.value(1)?);
    let rank = cx.rank(x);
    let dim = cx.dim(cx.attr_or("axis", 0), rank)?;
    let size = cx.shape(x)[dim];
    let index = places(cx, index, size)?;
    let value = cx.call("gather($0, $1, $2)", &[Arg::Value(x), cx.int(dim as i64), Arg::Value(index)])?;
    cx.one(value)
}

/// The columns of indices, as an index for each of the first dimensions.
fn columns(cx: &mut Cx<'_, '_>, index: Value, batch: usize) -> Result<Vec<Option<Value>>> {
    let shape = cx.shape(index);
    let count = shape.last().and_then(|s| cx.syms.as_const(*s));
    let Some(count) = count.filter(|c| (1..=64).contains(c)) else {
        return Err(cx.refuse("indices whose last size is not known"));
    };
    let index = cx.cast(index, Dtype::Int64)?;
    let mut list = Vec::new();
    for (k, size) in shape.iter().enumerate().take(batch) {
        let mut sizes = vec![cx.syms.constant(1); shape.len() - 1];
        sizes[k] = *size;
        let args = [Arg::Int(*size), Arg::Ints(sizes)];
        list.push(Some(cx.call("reshape(arange($0), $1)", &args)?));
    }
    for k in 0..count {
        list.push(Some(cx.call("select.int($0, -1, $1)", &[Arg::Value(index), cx.int(k)])?));
    }
    Ok(list)
}

pub fn gather_nd(cx: &mut Cx<'_, '_>) -> Results {
    let (x, index) = (cx.value(0)?, cx.value(1)?);
    let batch = cx.attr_or("batch_dims", 0).clamp(0, 64) as usize;
    if batch >= cx.rank(index) {
        return Err(cx.wrong("it has more batch dimensions than indices"));
    }
    let list = columns(cx, index, batch)?;
    let value = cx.call("index.Tensor($0, $1)", &[Arg::Value(x), Arg::Values(list)])?;
    cx.one(value)
}

/// PyTorch's name of a reduction, and whether there is one.
fn reduction(cx: &Cx<'_, '_>) -> Result<Option<&'static str>> {
    Ok(match &cx.string("reduction", "none")?[..] {
        "none" => None,
        "add" => Some("sum"),
        "mul" => Some("prod"),
        "max" => Some("amax"),
        "min" => Some("amin"),
        other => return Err(cx.refuse(format!("the reduction `{other}`"))),
    })
}

pub fn scatter_elements(cx: &mut Cx<'_, '_>) -> Results {
    let (x, index, updates) = (cx.value(0)?, cx.value(1)?, cx.value(2)?);
    let rank = cx.rank(x);
    let dim = cx.dim(cx.attr_or("axis", 0), rank)?;
    let size = cx.shape(x)[dim];
    let index = places(cx, index, size)?;
    let mut args = vec![Arg::Value(x), cx.int(dim as i64), Arg::Value(index), Arg::Value(updates)];
    let value = match reduction(cx)? {
        None => cx.call("scatter.src($0, $1, $2, $3)", &args)?,
        Some(name) => {
            args.push(Arg::Str(name.to_string()));
            cx.call("scatter_reduce.two($0, $1, $2, $3, $4)", &args)?
        }
    };
    cx.one(value)
}

pub fn scatter_nd(cx: &mut Cx<'_, '_>) -> Results {
    let (x, index, updates) = (cx.value(0)?, cx.value(1)?, cx.value(2)?);
    let list = columns(cx, index, 0)?;
    let reduction = reduction(cx)?;
    if matches!(reduction, None | Some("sum")) {
        let accumulate = Arg::Bool(reduction.is_some());
        let args = [Arg::Value(x), Arg::Values(list), Arg::Value(updates), accumulate];
        let value = cx.call("index_put($0, $1, $2, $3)", &args)?;
        return cx.one(value);
    }
    // By one index over all of the indexed dimensions.
    let syms = cx.syms.clone();
    let shape = cx.shape(x);
    let (front, back) = shape.split_at(list.len().min(shape.len()));
    let mut flat: Option<Value> = None;
    for (size, column) in front.iter().zip(list.into_iter().flatten()) {
        let column = places(cx, column, *size)?;
        flat = Some(match flat {
            None => column,
            Some(before) => {
                let args = [Arg::Value(before), Arg::Int(*size), Arg::Value(column)];
                cx.call("add(mul($0, $1), $2)", &args)?
            }
        });
    }
    let Some(flat) = flat else { return Err(cx.wrong("it has no indices")) };
    let (rows, width) = (syms.product(front), syms.product(back));
    let count = cx.meta(flat).numel(&syms);
    let flat = cx.reshape(flat, &[count, syms.constant(1)])?;
    let flat = cx.call("expand($0, $1)", &[Arg::Value(flat), Arg::Ints(vec![count, width])])?;
    let (own, given) = (cx.reshape(x, &[rows, width])?, cx.reshape(updates, &[count, width])?);
    let name = Arg::Str(reduction.unwrap_or_default().to_string());
    let args = [Arg::Value(own), Arg::Value(flat), Arg::Value(given), name];
    let value = cx.call("scatter_reduce.two($0, 0, $1, $2, $3)", &args)?;
    let value = cx.reshape(value, &shape)?;
    cx.one(value)
}

/// New elements of a cache, from a place of each batch on.
pub fn tensor_scatter(cx: &mut Cx<'_, '_>) -> Results {
    let (cache, update) = (cx.value(0)?, cx.value(1)?);
    let rank = cx.rank(cache);
    let dim = cx.dim(cx.attr_or("axis", -2), rank)?;
    if dim == 0 {
        return Err(cx.wrong("its axis is that of the batch"));
    }
    let (size, count, batch) = (cx.shape(cache)[dim], cx.shape(update)[dim], cx.size(cache, 0)?);
    let start = match cx.optional(2)? {
        Some(start) => cx.cast(start, Dtype::Int64)?,
        None => cx.call("zeros($0, dtype=$1)", &[Arg::Ints(vec![batch]), Arg::Dtype(Dtype::Int64)])?,
    };
    let mut place = cx.call("add(unsqueeze($0, 1), arange($1))", &[Arg::Value(start), Arg::Int(count)])?;
    match &cx.string("mode", "linear")?[..] {
        "linear" => {}
        "circular" => place = cx.call("remainder($0, $1)", &[Arg::Value(place), Arg::Int(size)])?,
        other => return Err(cx.refuse(format!("the mode `{other}`"))),
    }
    let args =
        [Arg::Value(cache), Arg::Value(update), cx.int(dim as i64), Arg::Int(batch), Arg::Value(place)];
    let text = "movedim.int(index_put(movedim.int($0, $2, 1), [unsqueeze(arange($3), 1), $4], movedim.int($1, $2, 1)), 1, $2)";
    let value = cx.call(text, &args)?;
    cx.one(value)
}

/// Places of elements, as many as are asked for; of equal ones, those of lower index come first.
pub fn top_k(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let rank = cx.rank(x);
    let dim = cx.dim(cx.attr_or("axis", -1), rank)? as i64;
    let k = cx.sizes(1)?.and_then(|k| k.first().copied()).ok_or_else(|| cx.wrong("input 1 is missing"))?;
    let descending = Arg::Bool(cx.attr_or("largest", 1) != 0);
    let args = [Arg::Value(x), cx.int(dim), descending];
    let sorted = cx.calls("sort.stable($0, stable=true, dim=$1, descending=$2)", &args)?;
    let mut results = Vec::new();
    for value in sorted {
        let value = cx.call("narrow($0, $1, 0, $2)", &[Arg::Value(value), cx.int(dim), Arg::Int(k)])?;
        results.push(cx.entry(value));
    }
    Ok(results)
}

/// Values, the first place of each, which of them each element is, and how often each occurs.
pub fn unique(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let rank = cx.rank(x);
    let (values, length) = match cx.attr("axis") {
        None => {
            let values = cx.calls("_unique2($0, true, true, true)", &[Arg::Value(x)])?;
            (values, cx.meta(x).numel(&cx.syms))
        }
        Some(axis) => {
            let dim = cx.dim(axis, rank)?;
            let args = [Arg::Value(x), cx.int(dim as i64)];
            (cx.calls("unique_dim($0, $1, true, true, true)", &args)?, cx.shape(x)[dim])
        }
    };
    let (mut unique, inverse, mut counts) = (values[0], values[1], values[2]);
    let along = cx.attr("axis").map_or(Ok(0), |axis| cx.dim(axis, rank))?;
    let count = cx.shape(unique)[along];
    let mut inverse = cx.reshape(inverse, &[length])?;
    // The least of all places of each.
    let args = [Arg::Ints(vec![count]), Arg::Int(length), Arg::Value(inverse), Arg::Dtype(Dtype::Int64)];
    let mut first =
        cx.call("scatter_reduce.two(full($0, $1, dtype=$3), 0, $2, arange($1), 'amin')", &args)?;
    if cx.attr_or("sorted", 1) == 0 {
        let order = cx.of("argsort.stable($0, stable=true)", &[first])?;
        unique = cx.call(
            "index_select($0, $1, $2)",
            &[Arg::Value(unique), cx.int(along as i64), Arg::Value(order)],
        )?;
        first = cx.of("index_select($0, 0, $1)", &[first, order])?;
        counts = cx.of("index_select($0, 0, $1)", &[counts, order])?;
        inverse = cx.of("index_select(argsort.stable($0, stable=true), 0, $1)", &[order, inverse])?;
    }
    Ok([unique, first, inverse, counts].into_iter().map(|v| cx.entry(v)).collect())
}

pub fn compress(cx: &mut Cx<'_, '_>) -> Results {
    let (mut x, condition) = (cx.value(0)?, cx.value(1)?);
    let rank = cx.rank(x);
    let dim = match cx.attr("axis") {
        Some(axis) => cx.dim(axis, rank)?,
        None => {
            x = cx.of("reshape($0, [-1])", &[x])?;
            0
        }
    };
    let args = [Arg::Value(x), cx.int(dim as i64), Arg::Value(condition)];
    let value = cx.call("index_select($0, $1, select.int(nonzero($2), 1, 0))", &args)?;
    cx.one(value)
}

/// `CumSum` and `CumProd`.
pub fn cumulative(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let rank = cx.rank(x);
    let axis = cx.sizes(1)?.and_then(|k| k.first().copied()).ok_or_else(|| cx.wrong("input 1 is missing"))?;
    if let Some(axis) = cx.syms.as_const(axis) {
        let dim = cx.dim(axis, rank)?;
        let value = cumulated(cx, x, dim)?;
        return cx.one(value);
    }
    // Data say along which dimension: each is computed, and one chosen.
    let place = cx.value(1)?;
    let mut chosen = x;
    for dim in 0..rank {
        let value = cumulated(cx, x, dim)?;
        let args = [
            Arg::Value(place),
            cx.int(rank as i64),
            cx.int(dim as i64),
            Arg::Value(value),
            Arg::Value(chosen),
        ];
        chosen = cx.call("where.self(eq(remainder(reshape($0, []), $1), $2), $3, $4)", &args)?;
    }
    cx.one(chosen)
}

fn cumulated(cx: &mut Cx<'_, '_>, x: Value, dim: usize) -> Result<Value> {
    let (sum, reverse) = (cx.node.op_type == "CumSum", cx.flag("reverse"));
    let (axis, dtype) = (cx.int(dim as i64), cx.dtype(x));
    let turn = cx.int_list(&[dim as i64]);
    let mut value = x;
    if reverse {
        value = cx.call("flip($0, $1)", &[Arg::Value(value), turn.clone()])?;
    }
    let text = if sum { "cumsum($0, $1, dtype=$2)" } else { "cumprod($0, $1, dtype=$2)" };
    value = cx.call(text, &[Arg::Value(value), axis.clone(), Arg::Dtype(dtype)])?;
    if cx.flag("exclusive") {
        // One place later, after what nothing adds up to.
        let rank = cx.rank(x);
        let mut pads = vec![0; 2 * (rank - 1 - dim)];
        pads.extend([1, -1]);
        let args = [Arg::Value(value), cx.int_list(&pads), cx.int(!sum as i64)];
        value = cx.call("constant_pad_nd($0, $1, $2)", &args)?;
    }
    if reverse {
        value = cx.call("flip($0, $1)", &[Arg::Value(value), turn])?;
    }
    Ok(value)
}

pub fn one_hot(cx: &mut Cx<'_, '_>) -> Results {
    let (index, values) = (cx.value(0)?, cx.value(2)?);
    let Number::Int(depth) = whole(cx)? else { return Err(cx.wrong("its depth is no integer")) };
    let rank = cx.rank(index);
    let dim = cx.dim(cx.attr_or("axis", -1), rank + 1)?;
    let index = cx.cast(index, Dtype::Int64)?;
    let index = places(cx, index, depth)?;
    let mut sizes = vec![cx.syms.constant(1); rank + 1];
    sizes[dim] = depth;
    let args = [Arg::Value(index), cx.int(dim as i64), Arg::Int(depth), Arg::Ints(sizes), Arg::Value(values)];
    let text = "where.self(eq(unsqueeze($0, $1), reshape(arange($2), $3)), select.int($4, 0, 1), select.int($4, 0, 0))";
    let value = cx.call(text, &args)?;
    cx.one(value)
}

/// The depth, which may be a float that is whole.
fn whole(cx: &mut Cx<'_, '_>) -> Result<Number> {
    let number = cx.read(1)?;
    let syms = cx.syms.clone();
    super::super::super::number::evaluate(&syms, "int", &[number]).map_err(|why| cx.refuse(why))
}

pub fn reverse_sequence(cx: &mut Cx<'_, '_>) -> Results {
    let (x, lengths) = (cx.value(0)?, cx.value(1)?);
    let lengths = cx.cast(lengths, Dtype::Int64)?;
    let (time, batch) = (cx.attr_or("time_axis", 0), cx.attr_or("batch_axis", 1));
    let shape = cx.shape(x);
    if !matches!((time, batch), (0, 1) | (1, 0)) || shape.len() < 2 {
        return Err(cx.wrong("time and batch are not the first two axes"));
    }
    let (steps, count) = (shape[time as usize], shape[batch as usize]);
    let args = [Arg::Value(lengths), Arg::Int(steps), cx.int(batch), cx.int(time), Arg::Int(count)];
    let place = cx.call("where.self(lt(unsqueeze(arange($1), $2), unsqueeze($0, $3)), sub(unsqueeze($0, $3), add(unsqueeze(arange($1), $2), 1)), unsqueeze(arange($1), $2))", &args)?;
    let item = cx.call("unsqueeze(arange($4), $3)", &args)?;
    let mut list = vec![Some(place), Some(item)];
    if time == 1 {
        list.reverse();
    }
    let value = cx.call("index.Tensor($0, $1)", &[Arg::Value(x), Arg::Values(list)])?;
    cx.one(value)
}
