//! Operators of PyTorch's `prims` that have no equal among the others.

use crate::base::StableSort;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::SymInt;

type Results = Result<Vec<Value>, DecomposeError>;

pub fn iota(cx: &mut Decompose<'_>) -> Results {
    let (Some(length), Some(start), Some(step)) = (cx.int("length"), cx.int("start"), cx.int("step")) else {
        return Err(cx.unsupported("`length`, `start` and `step` must be integers"));
    };
    let named = vec![("dtype", cx.arg("dtype").clone())];
    let counted = cx.call_with("aten.arange.default", vec![Arg::Int(length)], named)?;
    let scaled = cx.call("aten.mul.Scalar", vec![Arg::Value(counted), Arg::Int(step)])?;
    Ok(vec![cx.call("aten.add.Scalar", vec![Arg::Value(scaled), Arg::Int(start)])?])
}

/// Of integers rounded to zero.
pub fn prims_div(cx: &mut Decompose<'_>) -> Results {
    let (a, b) = (cx.value("self")?, cx.value("other")?);
    if cx.dtype_of(a).is_float() {
        return Ok(vec![cx.div(a, b)?]);
    }
    let mode = vec![("rounding_mode", Arg::Str("trunc".into()))];
    Ok(vec![cx.call_with("aten.div.Tensor_mode", vec![Arg::Value(a), Arg::Value(b)], mode)?])
}

pub fn broadcast_in_dim(cx: &mut Decompose<'_>) -> Results {
    let a = cx.value("a")?;
    let shape = cx.ints("shape").unwrap_or(&[]).to_vec();
    let mut line: Vec<SymInt> = vec![cx.constant(1); shape.len()];
    for (size, dim) in cx.shape(a).into_iter().zip(cx.known_ints("broadcast_dimensions")?) {
        line[dim as usize] = size;
    }
    let a = cx.reshape(a, &line)?;
    Ok(vec![cx.call("aten.expand.default", vec![Arg::Value(a), Arg::Ints(shape)])?])
}

/// The dimensions that are listed, counted from the start; all where no list is given.
fn dims(cx: &Decompose<'_>, rank: usize) -> Result<Vec<i64>, DecomposeError> {
    match cx.ints("dims") {
        None => Ok((0..rank as i64).collect()),
        Some(_) => {
            let list = cx.known_ints("dims")?;
            list.into_iter().map(|d| cx.dim(d, rank).map(|d| d as i64)).collect()
        }
    }
}

/// `sum`, `amax` and `amin`: the result has the operand's dtype where no other is asked for. An empty list reduces nothing.
pub fn prims_reduction(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("inp")?;
    let dtype = cx.dtype("output_dtype").unwrap_or(cx.dtype_of(x));
    let list = dims(cx, cx.rank(x))?;
    if list.is_empty() {
        return Ok(vec![cx.cast(x, dtype)?]);
    }
    let list = cx.ints_arg(&list);
    let result = match cx.op.name() {
        "prims.amax.default" => cx.call("aten.amax.default", vec![Arg::Value(x), list])?,
        "prims.amin.default" => cx.call("aten.amin.default", vec![Arg::Value(x), list])?,
        _ => cx.call_with(
            "aten.sum.dim_IntList",
            vec![Arg::Value(x), list],
            vec![("dtype", Arg::Dtype(dtype))],
        )?,
    };
    Ok(vec![cx.cast(result, dtype)?])
}

/// The last dimensions first, so that the others keep their numbers.
pub fn prims_prod(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("inp")?;
    let dtype = cx.dtype("output_dtype").unwrap_or(cx.dtype_of(x));
    let mut list = dims(cx, cx.rank(x))?;
    list.stable_sort();
    let mut result = x;
    for dim in list.into_iter().rev() {
        let dim = cx.int_arg(dim);
        let named = vec![("dtype", Arg::Dtype(dtype))];
        result = cx.call_with("aten.prod.dim_int", vec![Arg::Value(result), dim], named)?;
    }
    Ok(vec![cx.cast(result, dtype)?])
}

pub fn prims_var(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("inp")?;
    let dtype = cx.dtype("output_dtype").unwrap_or(cx.dtype_of(x));
    let list = dims(cx, cx.rank(x))?;
    let correction = cx.float("correction").unwrap_or(1.0);
    if list.is_empty() {
        // Each element by itself: it does not vary, and is one.
        let away = cx.sub(x, x)?;
        let result = cx.div(away, f64::max(1.0 - correction, 0.0))?;
        return Ok(vec![cx.cast(result, dtype)?]);
    }
    let list = cx.ints_arg(&list);
    let named = vec![("correction", Arg::Float(correction))];
    let result = cx.call_with("aten.var.correction", vec![Arg::Value(x), list], named)?;
    Ok(vec![cx.cast(result, dtype)?])
}
