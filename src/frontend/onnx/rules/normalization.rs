//! Norms and what is made of a whole row.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// `Softmax`, `LogSoftmax` and `Hardmax`. Up to opset 12 all dimensions from the axis on are one row.
pub fn softmax(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let rank = cx.rank(x);
    let shape = cx.shape(x);
    let flat = cx.opset < 13;
    let axis = cx.dim(cx.attr_or("axis", if flat { 1 } else { -1 }), rank)?;
    let (x, dim) = if flat {
        let sizes = [cx.syms.product(&shape[..axis]), cx.syms.product(&shape[axis..])];
        (cx.reshape(x, &sizes)?, 1)
    } else {
        (x, axis as i64)
    };
    let args = [Arg::Value(x), cx.int(dim)];
    let value = match &cx.node.op_type[..] {
        "Softmax" => cx.call("softmax.int($0, $1)", &args)?,
        "LogSoftmax" => cx.call("log_softmax.int($0, $1)", &args)?,
        _ => {
            let mut sizes = vec![cx.syms.constant(1); cx.rank(x)];
            let width = cx.shape(x)[dim as usize];
            sizes[dim as usize] = width;
            let dtype = cx.dtype(x);
            let args = [Arg::Value(x), cx.int(dim), Arg::Int(width), Arg::Ints(sizes)];
            let value = cx.call("eq(argmax($0, $1, true), reshape(arange($2), $3))", &args)?;
            cx.cast(value, dtype)?
        }
    };
    let value = if flat { cx.reshape(value, &shape)? } else { value };
    cx.one(value)
}

/// A list for each channel, as wide as the input.
fn channels(cx: &mut Cx<'_, '_>, list: Value, like: Value) -> Result<Value> {
    let rank = cx.rank(like);
    let mut sizes = vec![cx.syms.constant(1); rank.max(2)];
    sizes[1] = cx.syms.constant(-1);
    cx.reshape(list, &sizes)
}

pub fn batch(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let epsilon = Arg::Float(cx.float("epsilon", 1e-5));
    if !cx.flag("training_mode") {
        if cx.results() > 1 {
            return Err(cx.refuse("that gives statistics outside of training"));
        }
        let dtype = cx.dtype(x);
        let mut args = vec![Arg::Value(x)];
        let mut same = true;
        for k in 1..5 {
            let value = cx.value(k)?;
            same &= cx.dtype(value) == dtype;
            args.push(Arg::Value(value));
        }
        args.push(epsilon);
        if same {
            let value = cx.call("batch_norm($0, $1, $2, $3, $4, false, 0.0, $5, false)", &args)?;
            return cx.one(value);
        }
        let wide = cx.cast(x, Dtype::Float32)?;
        args[0] = Arg::Value(wide);
        for arg in &mut args[1..5] {
            if let Arg::Value(v) = *arg {
                *arg = Arg::Value(cx.cast(v, Dtype::Float32)?);
            }
        }
        let value = cx.call("batch_norm($0, $1, $2, $3, $4, false, 0.0, $5, false)", &args)?;
        let value = cx.cast(value, dtype)?;
        return cx.one(value);
    }
    let rank = cx.rank(x) as i64;
    let dims: Vec<i64> = (0..rank).filter(|k| *k != 1).collect();
    let args = [Arg::Value(x), cx.int_list(&dims)];
    let mean = cx.call("mean.dim($0, $1, true)", &args)?;
    let var = cx.call("var.correction($0, $1, correction=0, keepdim=true)", &args)?;
    let (scale, bias) = (cx.value(1)?, cx.value(2)?);
    let (scale, bias) = (channels(cx, scale, x)?, channels(cx, bias, x)?);
    let args = [x, mean, var, scale, bias].map(Arg::Value);
    let args = [&args[..], &[epsilon]].concat();
    let y = cx.call("add(mul(div(sub($0, $1), sqrt(add($2, $5))), $3), $4)", &args)?;
    let momentum = cx.float("momentum", 0.9);
    let mut results = vec![cx.entry(y)];
    for (k, new) in [(3, mean), (4, var)] {
        let old = cx.value(k)?;
        let args = [Arg::Value(old), Arg::Value(new), Arg::Float(momentum), Arg::Float(1.0 - momentum)];
        let value = cx.call("add(mul($0, $2), mul(reshape($1, [-1]), $3))", &args)?;
        results.push(cx.entry(value));
    }
    Ok(results)
}

/// Casts to the dtype that a norm over the last dimensions computes in: float32, or the input's where that is wider.
fn wide(cx: &mut Cx<'_, '_>, x: Value) -> Result<Value> {
    let dtype = cx.dtype(x);
    if dtype.is_reduced_float() && cx.attr_or("stash_type", 1) == 1 {
        cx.cast(x, Dtype::Float32)
    } else {
        Ok(x)
    }
}

pub fn layer(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let (scale, bias) = (cx.optional(1)?, cx.optional(2)?);
    let epsilon = cx.float("epsilon", 1e-5);
    layered(cx, x, scale, bias, epsilon)
}

/// The norm, and where they are asked for the mean and the reciprocal of the deviation.
pub fn layered(
    cx: &mut Cx<'_, '_>,
    x: Value,
    scale: Option<Value>,
    bias: Option<Value>,
    epsilon: f64,
) -> Results {
    let (rank, shape) = (cx.rank(x), cx.shape(x));
    let axis = cx.dim(cx.attr_or("axis", -1), rank)?;
    let own: Vec<SymInt> = shape[axis..].to_vec();
    let fits = |cx: &mut Cx<'_, '_>, v: Option<Value>| match v {
        None => true,
        Some(v) => {
            let given = cx.shape(v);
            given.len() == own.len() && given.iter().zip(&own).all(|(a, b)| cx.syms.known_eq(*a, *b))
        }
    };
    if fits(cx, scale) && fits(cx, bias) && cx.results() < 2 {
        let args = [
            Arg::Value(x),
            Arg::Ints(own.clone()),
            scale.map_or(Arg::None, Arg::Value),
            bias.map_or(Arg::None, Arg::Value),
            Arg::Float(epsilon),
        ];
        let value = cx.call("layer_norm($0, $1, $2, $3, $4)", &args)?;
        return cx.one(value);
    }
    let dtype = cx.dtype(x);
    let x = wide(cx, x)?;
    let dims: Vec<i64> = (axis as i64..rank as i64).collect();
    let args = [Arg::Value(x), cx.int_list(&dims), Arg::Float(epsilon)];
    let mean = cx.call("mean.dim($0, $1, true)", &args)?;
    let inverse = cx.call("rsqrt(add(var.correction($0, $1, correction=0, keepdim=true), $2))", &args)?;
    let value = cx.of("mul(sub($0, $1), $2)", &[x, mean, inverse])?;
    let mut value = cx.cast(value, dtype)?;
    if let Some(scale) = scale {
        value = cx.of("mul($0, $1)", &[value, scale])?;
    }
    if let Some(bias) = bias {
        value = cx.of("add($0, $1)", &[value, bias])?;
    }
    Ok([value, mean, inverse].into_iter().map(|v| cx.entry(v)).collect())
}

pub fn root_mean_square(cx: &mut Cx<'_, '_>) -> Results {
    let (x, scale) = (cx.value(0)?, cx.value(1)?);
    let epsilon = cx.float("epsilon", 1e-5);
    let value = scaled_by_size(cx, x, Some(scale), epsilon)?;
    cx.one(value)
}

pub fn scaled_by_size(cx: &mut Cx<'_, '_>, x: Value, scale: Option<Value>, epsilon: f64) -> Result<Value> {
    let dtype = cx.dtype(x);
    let inverse = inverse_size(cx, x, epsilon)?;
    let x = wide(cx, x)?;
    let value = cx.of("mul($0, $1)", &[x, inverse])?;
    let value = cx.cast(value, dtype)?;
    match scale {
        Some(scale) => cx.of("mul($0, $1)", &[value, scale]),
        None => Ok(value),
    }
}

/// One divided by the root of the mean square over the dimensions from `axis` on, which stay as ones.
pub fn inverse_size(cx: &mut Cx<'_, '_>, x: Value, epsilon: f64) -> Result<Value> {
    let rank = cx.rank(x);
    let axis = cx.dim(cx.attr_or("axis", -1), rank)?;
    let dims: Vec<i64> = (axis as i64..rank as i64).collect();
    let x = wide(cx, x)?;
    let args = [Arg::Value(x), cx.int_list(&dims), Arg::Float(epsilon)];
    cx.call("rsqrt(add(mean.dim(mul($0, $0), $1, true), $2))", &args)
}

/// Scale and bias are those of groups up to opset 20, of channels afterwards.
pub fn group(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let groups = cx.attr("num_groups").ok_or_else(|| cx.wrong("the attribute `num_groups` is missing"))?;
    let channels = *cx.shape(x).get(1).ok_or_else(|| cx.wrong("its input has no channels"))?;
    let mut args = vec![Arg::Value(x), cx.int(groups), Arg::Float(cx.float("epsilon", 1e-5))];
    let each = cx.syms.floordiv(channels, cx.syms.constant(groups.max(1)));
    for k in [1, 2] {
        let mut value = cx.value(k)?;
        if cx.opset < 21 {
            let repeat = [Arg::Value(value), Arg::Int(each)];
            value = cx.call("repeat_interleave.self_int($0, $1)", &repeat)?;
        }
        args.push(Arg::Value(value));
    }
    let value = cx.call("group_norm($0, $1, $3, $4, $2)", &args)?;
    cx.one(value)
}

pub fn lp(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let args = [Arg::Value(x), cx.int_list(&[cx.attr_or("axis", -1)]), Arg::Float(cx.attr_or("p", 2) as f64)];
    let norm = cx.call("linalg_vector_norm($0, $2, $1, true)", &args)?;
    // A row of zeros stays one.
    let value = cx.of("div($0, where.self(eq($1, 0), ones_like($1), $1))", &[x, norm])?;
    cx.one(value)
}

pub fn local_response(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let size =
        cx.attr("size").filter(|s| *s > 0).ok_or_else(|| cx.wrong("the attribute `size` is missing"))?;
    let rank = cx.rank(x);
    if rank < 3 {
        return Err(cx.wrong("its input has no dimensions behind channels"));
    }
    let (before, behind) = ((size - 1) / 2, size / 2);
    let mut pads = vec![0; 2 * (rank - 2)];
    pads.extend([before, behind]);
    let args = [
        Arg::Value(x),
        cx.int_list(&pads),
        cx.int(size),
        Arg::Float(cx.float("alpha", 1e-4) / size as f64),
        Arg::Float(cx.float("bias", 1.0)),
        Arg::Float(cx.float("beta", 0.75)),
    ];
    let text = "div($0, pow.Tensor_Scalar(add(mul(sum.dim_IntList(unfold(constant_pad_nd(mul($0, $0), $1), 1, $2, 1), [-1]), $3), $4), $5))";
    let value = cx.call(text, &args)?;
    cx.one(value)
}

pub fn mean_variance(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let axes = cx.list("axes").unwrap_or_else(|| vec![0, 2, 3]);
    let args = [Arg::Value(x), cx.int_list(&axes)];
    let text = "div(sub($0, mean.dim($0, $1, true)), add(sqrt(var.correction($0, $1, correction=0, keepdim=true)), 1e-9))";
    let value = cx.call(text, &args)?;
    cx.one(value)
}
