//! Fractional max pooling.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

fn counted(cx: &mut Decompose<'_>, count: SymInt, dtype: Dtype) -> Built {
    cx.call_with("aten.arange.default", vec![Arg::Int(count)], vec![("dtype", Arg::Dtype(dtype))])
}

/// Where the windows of a dimension begin: window `i` at `int((i + u) * alpha) - int(u * alpha)` with the plane's random
/// number `u` and `alpha = (size - kernel) / (windows - 1)`, in the dtype of `u`; the last one ends with the dimension.
fn begins(cx: &mut Decompose<'_>, u: Value, size: i64, kernel: i64, windows: i64) -> Built {
    let dtype = cx.dtype_of(u);
    let last = cx.constant(windows - 1);
    let numbers = counted(cx, last, dtype)?;
    let alpha = cx.scalar((size - kernel) as f64, dtype)?;
    let steps = cx.scalar((windows - 1).max(1) as f64, dtype)?;
    let alpha = cx.div(alpha, steps)?;
    let sum = cx.add(u, numbers)?;
    let at = cx.mul(sum, alpha)?;
    let at = cx.cast(at, Dtype::Int64)?;
    let first = cx.mul(u, alpha)?;
    let first = cx.cast(first, Dtype::Int64)?;
    let places = cx.sub(at, first)?;
    let mut shape = cx.shape(u);
    let end = shape.len() - 1;
    shape[end] = cx.constant(1);
    let number = cx.int_arg(size - kernel);
    let args = vec![Arg::Ints(shape), number];
    let tail = cx.call_with("aten.full.default", args, vec![("dtype", Arg::Dtype(Dtype::Int64))])?;
    cx.cat(vec![places, tail], -1)
}

/// The largest element of each window, and its place among the flat spatial dimensions.
pub fn fractional_max_pool(cx: &mut Decompose<'_>) -> Results {
    let (mut x, samples) = (cx.value("self")?, cx.value("random_samples")?);
    let count = if cx.op.name().contains("3d") { 3 } else { 2 };
    let single = cx.rank(x) == count + 1;
    if single {
        x = cx.unsqueeze(x, 0)?;
    }
    let whole = cx.shape(x);
    let (kernel, windows) = (cx.known_ints("kernel_size")?, cx.known_ints("output_size")?);
    let Some(sizes) = cx.syms().as_consts(&whole[2..]) else {
        return Err(cx.unsupported("an input whose sizes are not constant"));
    };
    let samples = cx.reshape(samples, &[whole[0], whole[1], cx.constant(count as i64)])?;
    let one = cx.constant(1);
    // Over [batch, channels, windows.., elements of a window..].
    let mut place: Option<Value> = None;
    for k in 0..count {
        // In two dimensions the random numbers stand the other way round.
        let number = if count == 2 { 1 - k } else { k };
        let u = cx.select_index(samples, 2, number as i64)?;
        let u = cx.unsqueeze(u, 2)?;
        let begin = begins(cx, u, sizes[k], kernel[k], windows[k])?;
        let mut shape = vec![one; 2 + 2 * count];
        (shape[0], shape[1]) = (whole[0], whole[1]);
        shape[2 + k] = cx.constant(windows[k]);
        let begin = cx.reshape(begin, &shape)?;
        let elements = cx.constant(kernel[k]);
        let within = counted(cx, elements, Dtype::Int64)?;
        let mut line = vec![one; 2 + 2 * count];
        line[2 + count + k] = elements;
        let within = cx.reshape(within, &line)?;
        let at = cx.add(begin, within)?;
        place = Some(match place {
            None => at,
            Some(outer) => {
                let rows = cx.mul(outer, whole[2 + k])?;
                cx.add(rows, at)?
            }
        });
    }
    let place = place.ok_or_else(|| cx.error(Status::Internal, "no dimensions"))?;
    let spatial: Vec<SymInt> = windows.iter().map(|w| cx.constant(*w)).collect();
    let area = cx.constant(kernel.iter().product());
    let shape = [&whole[..2], &spatial[..], &[area]].concat();
    let place = cx.reshape(place, &shape)?;
    let all = cx.syms().product(&shape[2..]);
    let flat = cx.reshape(place, &[whole[0], whole[1], all])?;
    let places = cx.syms().product(&whole[2..]);
    let x = cx.reshape(x, &[whole[0], whole[1], places])?;
    let dim = cx.int_arg(2);
    let values = cx.call("aten.gather.default", vec![Arg::Value(x), dim, Arg::Value(flat)])?;
    let values = cx.reshape(values, &shape)?;
    let last = cx.int_arg(-1);
    let found =
        cx.call_all("aten.max.dim", vec![Arg::Value(values), last.clone(), Arg::Bool(true)], Vec::new())?;
    let chosen = cx.call("aten.gather.default", vec![Arg::Value(place), last, Arg::Value(found[1])])?;
    let mut results = vec![found[0], chosen];
    for result in &mut results {
        *result = cx.squeeze(*result, -1)?;
        if single {
            *result = cx.squeeze(*result, 0)?;
        }
    }
    Ok(results)
}
