//! Of resampling: it is linear in each dimension, so its gradient is a product with the transposed matrix of each. The
//! matrix is what the resampling itself makes of the unit vectors.

use super::{Built, Results, dims, given};
use crate::decompose::Decompose;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

pub fn upsample_backward(cx: &mut Decompose<'_>) -> Results {
    let gradient = given(cx)?;
    let dtype = cx.dtype_of(gradient);
    let from = cx.ints("input_size").unwrap_or(&[]).to_vec();
    let to = cx.ints("output_size").unwrap_or(&[]).to_vec();
    let count = to.len();
    let names = match count {
        1 => &["scales"][..],
        2 => &["scales_h", "scales_w"],
        _ => &["scales_d", "scales_h", "scales_w"],
    };
    let mut value = cx.compute(gradient)?;
    for k in 0..count {
        let (small, large) = (from[2 + k], to[k]);
        let scale = cx.float(names[k]);
        value = match repeats(cx, small, large, scale) {
            Some(times) => gathered(cx, value, 2 + k, small, times)?,
            None => {
                let matrix = matrix(cx, small, large, scale)?;
                along(cx, value, 2 + k, matrix)?
            }
        };
    }
    Ok(vec![cx.cast(value, dtype)?])
}

/// How often a nearest resampling repeats each element, where it repeats all as often.
fn repeats(cx: &Decompose<'_>, small: SymInt, large: SymInt, scale: Option<f64>) -> Option<SymInt> {
    if !cx.op.name().contains("nearest") {
        return None;
    }
    let times = cx.syms().divide_exact(large, small)?;
    let known = cx.syms().as_const(times);
    scale.is_none_or(|scale| known.is_some_and(|times| times as f64 == scale)).then_some(times)
}

/// The sums of so many neighbours in a dimension.
fn gathered(cx: &mut Decompose<'_>, value: Value, dim: usize, small: SymInt, times: SymInt) -> Built {
    let mut shape = cx.shape(value);
    shape[dim] = small;
    shape.insert(dim + 1, times);
    let parts = cx.reshape(value, &shape)?;
    cx.sum(parts, &dims(dim + 1, dim + 2), false)
}

/// `[large, small]`: how much of each element is in each result.
fn matrix(cx: &mut Decompose<'_>, small: SymInt, large: SymInt, scale: Option<f64>) -> Built {
    let unit =
        cx.call_with("aten.eye.default", vec![Arg::Int(small)], vec![("dtype", Arg::Dtype(Dtype::Float32))])?;
    let wide = cx.dtype_of(given(cx)?).compute();
    let unit = cx.cast(unit, wide)?;
    let name = cx.op.name();
    let scale = scale.map_or(Arg::None, Arg::Float);
    let one = cx.constant(1);
    let align = cx.op.schema().arg("align_corners").map(|_| cx.arg("align_corners").clone());
    // One line for each unit vector; images of one column where there is no form for lines.
    let rows = if name.contains("bicubic") || name.contains("_aa") {
        let image = cx.reshape(unit, &[small, one, small, one])?;
        let operator = name.replace("_backward", "");
        let mut args = vec![Arg::Value(image), Arg::Ints(vec![large, one])];
        args.extend(align);
        args.extend([scale, Arg::None]);
        cx.call(&operator, args)?
    } else {
        let line = cx.reshape(unit, &[small, one, small])?;
        let operator = match () {
            _ if name.contains("nearest_exact") => "aten._upsample_nearest_exact1d.default",
            _ if name.contains("nearest") => "aten.upsample_nearest1d.default",
            _ => "aten.upsample_linear1d.default",
        };
        let mut args = vec![Arg::Value(line), Arg::Ints(vec![large])];
        args.extend(align);
        args.push(scale);
        cx.call(operator, args)?
    };
    let rows = cx.reshape(rows, &[small, large])?;
    cx.transpose(rows, 0, 1)
}

/// The product of a dimension with a matrix.
pub(super) fn along(cx: &mut Decompose<'_>, value: Value, dim: usize, matrix: Value) -> Built {
    let last = cx.rank(value) as i64 - 1;
    let turned = cx.transpose(value, dim as i64, last)?;
    let product = cx.matmul(turned, matrix)?;
    cx.transpose(product, dim as i64, last)
}
