//! Pools: a maximum, mean or norm of each window.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::convolution::{Windows, windows};
use crate::ir::{Arg, Value};
use crate::types::SymInt;

fn kernel(cx: &Cx<'_, '_>, windows: &Windows) -> Result<Vec<i64>> {
    let kernel =
        cx.syms.as_consts(&windows.kernel).ok_or_else(|| cx.refuse("windows whose size is not known"))?;
    for (k, size) in kernel.iter().enumerate() {
        if *size < 1 || (size - 1).checked_mul(windows.dilations[k]).is_none_or(|reach| reach == i64::MAX) {
            return Err(
                cx.wrong(format!("windows of {size} elements with a dilation of {}", windows.dilations[k]))
            );
        }
    }
    Ok(kernel)
}

/// The pads as PyTorch's pools take them: the same before and behind, and at most half of a window.
fn halves(cx: &Cx<'_, '_>, windows: &Windows, kernel: &[i64]) -> Option<Vec<i64>> {
    windows.symmetric(cx).filter(|pads| pads.iter().zip(kernel).all(|(p, k)| *p <= k / 2))
}

pub fn max_pool(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let (mut windows, shape, dtype) = (windows(cx, x, None)?, cx.shape(x), cx.dtype(x));
    let kernel = kernel(cx, &windows)?;
    let rank = kernel.len();
    let padding = halves(cx, &windows, &kernel);
    let (source, padding, moved) = match padding {
        Some(padding) => (x, padding, false),
        None => {
            let least = match dtype.integer_range() {
                Some((low, _)) => cx.int(low),
                None => Arg::Float(f64::NEG_INFINITY),
            };
            ceiled(cx, x, &mut windows, &kernel)?;
            let args = [Arg::Value(x), Arg::Ints(windows.pads_list()), least];
            (cx.call("constant_pad_nd($0, $1, $2)", &args)?, vec![0; rank], true)
        }
    };
    let args = [
        Arg::Value(source),
        cx.int_list(&kernel),
        cx.int_list(&windows.strides),
        cx.int_list(&padding),
        cx.int_list(&windows.dilations),
        Arg::Bool(cx.flag("ceil_mode") && !moved),
    ];
    let name = format!("max_pool{rank}d");
    if !cx.gives(1) {
        let value = cx.call(&format!("{name}($0, $1, $2, $3, $4, $5)"), &args)?;
        return cx.one(value);
    }
    let results = cx.calls(&format!("{name}_with_indices($0, $1, $2, $3, $4, $5)"), &args)?;
    let index = places(cx, results[1], source, &windows, &shape, moved)?;
    Ok(vec![cx.entry(results[0]), cx.entry(index)])
}

/// Places in the whole input, from those in one image, which may have been padded.
fn places(
    cx: &mut Cx<'_, '_>,
    index: Value,
    source: Value,
    windows: &Windows,
    shape: &[SymInt],
    moved: bool,
) -> Result<Value> {
    let syms = cx.syms.clone();
    let own = cx.shape(source);
    let by_column = cx.flag("storage_order");
    // One coordinate after another, the last one first.
    let (mut rest, mut step) = (index, syms.constant(1));
    let mut parts = Vec::new();
    for k in (2..shape.len()).rev() {
        let args = [Arg::Value(rest), Arg::Int(own[k])];
        let mut at = cx.call("remainder($0, $1)", &args)?;
        rest = cx.call("floor_divide($0, $1)", &args)?;
        if moved {
            at = cx.call("sub($0, $1)", &[Arg::Value(at), Arg::Int(windows.pads[k - 2].0)])?;
        }
        parts.push((k, at));
    }
    if by_column {
        parts.reverse();
    }
    let mut all: Option<Value> = None;
    for (k, at) in parts {
        let term = cx.call("mul($0, $1)", &[Arg::Value(at), Arg::Int(step)])?;
        step = syms.mul(step, shape[k]);
        all = Some(match all {
            None => term,
            Some(sum) => cx.of("add($0, $1)", &[sum, term])?,
        });
    }
    let all = all.unwrap_or(index);
    let mut sizes = vec![syms.constant(1); shape.len()];
    (sizes[0], sizes[1]) = (shape[0], shape[1]);
    let args = [Arg::Value(all), Arg::Int(syms.mul(shape[0], shape[1])), Arg::Ints(sizes), Arg::Int(step)];
    cx.call("add($0, mul(reshape(arange($1), $2), $3))", &args)
}

pub fn max_unpool(cx: &mut Cx<'_, '_>) -> Results {
    let (x, index) = (cx.value(0)?, cx.value(1)?);
    let shape = cx.shape(x);
    let syms = cx.syms.clone();
    let windows = windows(cx, x, None)?;
    // The size that the places were found in.
    let sizes = |cx: &Cx<'_, '_>| -> Vec<SymInt> {
        let mut list = shape[..2].to_vec();
        for (k, (begin, end)) in windows.pads.iter().enumerate() {
            let span = cx.syms.mul_const(cx.syms.add_const(shape[k + 2], -1), windows.strides[k]);
            list.push(cx.syms.sub(cx.syms.add(span, windows.kernel[k]), cx.syms.add(*begin, *end)));
        }
        list
    };
    let sizes = sizes(cx);
    let count = syms.product(&sizes);
    let args = [Arg::Value(x), Arg::Value(index), Arg::Int(count)];
    let text = "scatter.src(new_zeros($0, [$2]), 0, reshape($1, [-1]), reshape($0, [-1]))";
    let flat = cx.call(text, &args)?;
    let mut value = cx.reshape(flat, &sizes)?;
    if let Some(larger) = cx.sizes(2)? {
        if larger.len() != sizes.len() {
            return Err(cx.wrong("its output shape has another rank"));
        }
        let pads = larger
            .iter()
            .zip(&sizes)
            .rev()
            .flat_map(|(want, have)| [syms.constant(0), syms.sub(*want, *have)]);
        let args = [Arg::Value(value), Arg::Ints(pads.collect())];
        value = cx.call("constant_pad_nd($0, $1)", &args)?;
    }
    cx.one(value)
}

/// The sum of each window, channel by channel: a product with ones. `None` for the input counts elements.
fn sums(cx: &mut Cx<'_, '_>, x: Value, windows: &Windows, kernel: &[i64]) -> Result<Value> {
    let syms = cx.syms.clone();
    let dtype = cx.dtype(x);
    let args = [Arg::Value(x), Arg::Ints(windows.pads_list())];
    let x = cx.call("constant_pad_nd($0, $1)", &args)?;
    let shape = cx.shape(x);
    let mut flat = vec![syms.mul(shape[0], shape[1]), syms.constant(1)];
    flat.extend(&shape[2..]);
    let x = cx.reshape(x, &flat)?;
    let ones = [&[1, 1], kernel].concat();
    let args = [
        Arg::Value(x),
        cx.int_list(&ones),
        Arg::Dtype(dtype),
        cx.int_list(&windows.strides),
        cx.int_list(&vec![0; kernel.len()]),
        cx.int_list(&windows.dilations),
    ];
    let sums = cx.call("convolution($0, ones($1, dtype=$2), none, $3, $4, $5, false, $4, 1)", &args)?;
    let mut sizes = shape[..2].to_vec();
    sizes.extend(&cx.shape(sums)[2..]);
    cx.reshape(sums, &sizes)
}

/// Rows added behind so that a last window which does not fit is taken, too, unless it lies in them alone.
fn ceiled(cx: &mut Cx<'_, '_>, x: Value, windows: &mut Windows, kernel: &[i64]) -> Result<()> {
    if !cx.flag("ceil_mode") {
        return Ok(());
    }
    let syms = cx.syms.clone();
    let shape = cx.shape(x);
    for k in 0..kernel.len() {
        let (begin, end) = windows.pads[k];
        let (stride, reach) = (syms.constant(windows.strides[k]), (kernel[k] - 1) * windows.dilations[k] + 1);
        let inside = syms.add(shape[k + 2], begin);
        let span = syms.add_const(syms.add(inside, end), -reach);
        let count = syms.add_const(syms.ceildiv(span, stride), 1);
        // A window that would begin behind the input and what stands before it.
        let last = syms.mul(syms.add_const(count, -1), stride);
        let count = syms.select(syms.le(inside, last), syms.add_const(count, -1), count);
        let need = syms.add_const(syms.mul(syms.add_const(count, -1), stride), reach);
        windows.pads[k].1 = syms.max(end, syms.sub(need, inside));
    }
    Ok(())
}

pub fn average_pool(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let value = averaged(cx, x)?;
    cx.one(value)
}

/// The means of a node's windows over a tensor.
pub fn averaged(cx: &mut Cx<'_, '_>, x: Value) -> Result<Value> {
    let mut windows = windows(cx, x, None)?;
    let kernel = kernel(cx, &windows)?;
    let count_pads = cx.flag("count_include_pad");
    let symmetric = halves(cx, &windows, &kernel);
    if let (Some(padding), true) = (symmetric, windows.dilations.iter().all(|d| *d == 1)) {
        let args = [
            Arg::Value(x),
            cx.int_list(&kernel),
            cx.int_list(&windows.strides),
            cx.int_list(&padding),
            Arg::Bool(cx.flag("ceil_mode")),
            Arg::Bool(count_pads),
        ];
        return cx.call(&format!("avg_pool{}d($0, $1, $2, $3, $4, $5)", kernel.len()), &args);
    }
    let mut inside = cx.of("ones_like($0)", &[x])?;
    if count_pads {
        let args = [Arg::Value(inside), Arg::Ints(windows.pads_list())];
        inside = cx.call("constant_pad_nd($0, $1, 1)", &args)?;
    }
    let given = windows.pads.clone();
    ceiled(cx, x, &mut windows, &kernel)?;
    let total = sums(cx, x, &windows, &kernel)?;
    if count_pads {
        // What was added behind for the last window is no padding, and is not counted.
        let zero = cx.syms.constant(0);
        for (own, given) in windows.pads.iter_mut().zip(given) {
            *own = (zero, cx.syms.sub(own.1, given.1));
        }
    }
    let counts = sums(cx, inside, &windows, &kernel)?;
    cx.of("div($0, $1)", &[total, counts])
}

pub fn lp_pool(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let mut windows = windows(cx, x, None)?;
    let kernel = kernel(cx, &windows)?;
    ceiled(cx, x, &mut windows, &kernel)?;
    let p = cx.attr_or("p", 2) as f64;
    let powers = cx.call("pow.Tensor_Scalar(abs($0), $1)", &[Arg::Value(x), Arg::Float(p)])?;
    let total = sums(cx, powers, &windows, &kernel)?;
    let value = cx.call("pow.Tensor_Scalar($0, $1)", &[Arg::Value(total), Arg::Float(1.0 / p)])?;
    cx.one(value)
}

pub fn global(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let dims: Vec<i64> = (2..cx.rank(x) as i64).collect();
    let args = [Arg::Value(x), cx.int_list(&dims), Arg::Float(cx.attr_or("p", 2) as f64)];
    let text = match &cx.node.op_type[..] {
        "GlobalAveragePool" => "mean.dim($0, $1, true)",
        "GlobalMaxPool" => "amax($0, $1, true)",
        _ => "linalg_vector_norm($0, $2, $1, true)",
    };
    let value = if dims.is_empty() { x } else { cx.call(text, &args)? };
    cx.one(value)
}
