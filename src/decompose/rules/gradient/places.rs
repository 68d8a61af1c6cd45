//! Gradients that go back to the places that values were taken from.

use super::{Results, counted, given, or_zero, zeros};
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// Of a maximum over windows: each value goes back to its place among the flat spatial dimensions.
pub fn max_pool_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, x, indices) = (given(cx)?, cx.value("self")?, cx.value("indices")?);
    let (dtype, whole) = (cx.dtype_of(gradient), cx.shape(x));
    let lead = whole.len() - if cx.op.name().contains("3d") { 3 } else { 2 };
    let flat = |cx: &mut Decompose<'_>, value: Value| {
        let shape = cx.shape(value);
        let places = cx.syms().product(&shape[lead..]);
        cx.reshape(value, &[&shape[..lead], &[places]].concat())
    };
    let gradient = cx.compute(gradient)?;
    let (gradient, indices) = (flat(cx, gradient)?, flat(cx, indices)?);
    let places = cx.syms().product(&whole[lead..]);
    let compute = cx.dtype_of(gradient);
    let none = zeros(cx, [&whole[..lead], &[places]].concat(), compute)?;
    let last = cx.int_arg(-1);
    let args = vec![Arg::Value(none), last, Arg::Value(indices), Arg::Value(gradient)];
    let sum = cx.call("aten.scatter_add.default", args)?;
    let sum = cx.reshape(sum, &whole)?;
    Ok(vec![cx.cast(sum, dtype)?])
}

/// The rows of a table: the sum of what was taken from each.
pub fn embedding_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, indices) = (given(cx)?, cx.value("indices")?);
    let dtype = cx.dtype_of(gradient);
    let (Some(rows), Some(padding)) = (cx.int("num_weights"), cx.int("padding_idx")) else {
        return Err(cx.unsupported("`num_weights` and `padding_idx` must be integers"));
    };
    let shape = cx.shape(gradient);
    let (width, taken) = (shape[shape.len() - 1], cx.syms().product(&shape[..shape.len() - 1]));
    let one = cx.constant(1);
    let gradient = cx.compute(gradient)?;
    let gradient = cx.reshape(gradient, &[taken, width])?;
    let indices = cx.cast(indices, Dtype::Int64)?;
    let indices = cx.reshape(indices, &[taken])?;
    let kept = cx.compare("ne", indices, padding)?;
    let kept = cx.reshape(kept, &[taken, one])?;
    let mut gradient = or_zero(cx, kept, gradient)?;
    let (compute, dim) = (cx.dtype_of(gradient), cx.int_arg(0));
    if cx.bool("scale_grad_by_freq") {
        let none = zeros(cx, vec![rows], compute)?;
        let ones = cx.call_with(
            "aten.ones.default",
            vec![Arg::Ints(vec![taken])],
            vec![("dtype", Arg::Dtype(compute))],
        )?;
        let args = vec![Arg::Value(none), dim.clone(), Arg::Value(indices), Arg::Value(ones)];
        let counts = cx.call("aten.index_add.default", args)?;
        let args = vec![Arg::Value(counts), dim.clone(), Arg::Value(indices)];
        let counts = cx.call("aten.index_select.default", args)?;
        let counts = cx.reshape(counts, &[taken, one])?;
        gradient = cx.div(gradient, counts)?;
    }
    let none = zeros(cx, vec![rows, width], compute)?;
    let args = vec![Arg::Value(none), dim, Arg::Value(indices), Arg::Value(gradient)];
    let sum = cx.call("aten.index_add.default", args)?;
    Ok(vec![cx.cast(sum, dtype)?])
}

/// Zeros of the sizes that an argument says.
fn whole(cx: &mut Decompose<'_>, name: &str, gradient: Value) -> Result<Value, DecomposeError> {
    let shape: Vec<SymInt> = cx.ints(name).unwrap_or(&[]).to_vec();
    let dtype = cx.dtype_of(gradient);
    zeros(cx, shape, dtype)
}

fn copied(cx: &mut Decompose<'_>, scatter: &str, names: &[&str]) -> Results {
    let gradient = given(cx)?;
    let none = whole(cx, "input_sizes", gradient)?;
    let mut args = vec![Arg::Value(none), Arg::Value(gradient)];
    args.extend(names.iter().map(|name| cx.arg(name).clone()));
    Ok(vec![cx.call(scatter, args)?])
}

pub fn slice_backward(cx: &mut Decompose<'_>) -> Results {
    copied(cx, "aten.slice_scatter.default", &["dim", "start", "end", "step"])
}

pub fn select_backward(cx: &mut Decompose<'_>) -> Results {
    copied(cx, "aten.select_scatter.default", &["dim", "index"])
}

pub fn diagonal_backward(cx: &mut Decompose<'_>) -> Results {
    copied(cx, "aten.diagonal_scatter.default", &["offset", "dim1", "dim2"])
}

pub fn index_select_backward(cx: &mut Decompose<'_>) -> Results {
    let gradient = given(cx)?;
    let none = whole(cx, "self_sizes", gradient)?;
    let args = vec![Arg::Value(none), cx.arg("dim").clone(), cx.arg("index").clone(), Arg::Value(gradient)];
    Ok(vec![cx.call("aten.index_add.default", args)?])
}

pub fn value_selecting_reduction_backward(cx: &mut Decompose<'_>) -> Results {
    let (mut gradient, mut indices) = (given(cx)?, cx.value("indices")?);
    let none = whole(cx, "sizes", gradient)?;
    if cx.rank(none) > 0 && !cx.bool("keepdim") {
        let dim = cx.dim(cx.known_int("dim")?, cx.rank(none))? as i64;
        (gradient, indices) = (cx.unsqueeze(gradient, dim)?, cx.unsqueeze(indices, dim)?);
    }
    let args = vec![Arg::Value(none), cx.arg("dim").clone(), Arg::Value(indices), Arg::Value(gradient)];
    Ok(vec![cx.call("aten.scatter.src", args)?])
}

/// The gradient on the diagonal.
pub fn trace_backward(cx: &mut Decompose<'_>) -> Results {
    let gradient = given(cx)?;
    let sizes = cx.ints("sizes").unwrap_or(&[]).to_vec();
    let [rows, columns] = sizes[..] else { return Err(cx.unsupported("`sizes` must be those of a matrix")) };
    let (down, across) = (counted(cx, rows)?, counted(cx, columns)?);
    let down = cx.unsqueeze(down, 1)?;
    let diagonal = cx.compare("eq", down, across)?;
    let zero = zeros(cx, Vec::new(), cx.dtype_of(gradient))?;
    Ok(vec![cx.call("aten.where.self", [diagonal, gradient, zero].map(Arg::Value).to_vec())?])
}
