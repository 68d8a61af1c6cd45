//! Complex tensors as memory: views of their parts, other views of their storage, conversions and factories.

use super::Results;
use super::context::{Built, Held, Pair, Split};
use crate::ir::{Arg, Value};
use crate::ops::Class;
use crate::types::{Dtype, SymInt};

pub fn view_as_real(cx: &mut Split<'_, '_>) -> Results {
    let value = cx.given_value("self")?;
    Ok(vec![Held::Whole(cx.joined_of(value)?)])
}

pub fn view_as_complex(cx: &mut Split<'_, '_>) -> Results {
    Ok(vec![Held::Joined(cx.value("self")?)])
}

pub fn real(cx: &mut Split<'_, '_>) -> Results {
    let value = cx.given_value("self")?;
    Ok(vec![Held::Whole(cx.pair_of(value)?.re)])
}

pub fn imag(cx: &mut Split<'_, '_>) -> Results {
    let value = cx.given_value("self")?;
    Ok(vec![Held::Whole(cx.pair_of(value)?.im)])
}

pub fn conj(cx: &mut Split<'_, '_>) -> Results {
    let value = cx.given_value("self")?;
    let Pair { re, im } = cx.pair_of(value)?;
    Ok(vec![Pair { re, im: cx.unary("neg", im)? }.into()])
}

pub fn neg(cx: &mut Split<'_, '_>) -> Results {
    let pair = cx.pair("self")?;
    Ok(vec![cx.negated(pair)?.into()])
}

/// Transposed and conjugated.
pub fn adjoint(cx: &mut Split<'_, '_>) -> Results {
    let value = cx.given_value("self")?;
    let Pair { re, im } = cx.pair_of(value)?;
    let name = cx.op.name();
    let im = cx.unary("neg", im)?;
    let (re, im) = (cx.call(name, vec![Arg::Value(re)])?, cx.call(name, vec![Arg::Value(im)])?);
    Ok(vec![Pair { re, im }.into()])
}

pub fn complex(cx: &mut Split<'_, '_>) -> Results {
    let (re, im) = (cx.value("real")?, cx.value("imag")?);
    Ok(vec![Pair { re, im }.into()])
}

pub fn polar(cx: &mut Split<'_, '_>) -> Results {
    let (size, angle) = (cx.value("abs")?, cx.value("angle")?);
    let (cos, sin) = (cx.unary("cos", angle)?, cx.unary("sin", angle)?);
    Ok(vec![Pair { re: cx.mul(size, cos)?, im: cx.mul(size, sin)? }.into()])
}

/// Another dtype, or the same. A complex number loses its imaginary part on the way to a real one.
pub fn convert(cx: &mut Split<'_, '_>) -> Results {
    let first = cx.op.schema().args[0].name.as_str();
    let value = cx.given_value(first)?;
    converted(cx, value)
}

fn converted(cx: &mut Split<'_, '_>, value: Value) -> Results {
    let to = cx.old.meta(cx.node.outputs[0]).dtype;
    if cx.is_complex(value) {
        let Pair { re, im } = cx.pair_of(value)?;
        let part = to.part();
        return Ok(vec![match to.is_complex() {
            true => Pair { re: cx.cast(re, part)?, im: cx.cast(im, part)? }.into(),
            false => Held::Whole(cx.cast(re, to)?),
        }]);
    }
    let value = cx.real_of(value);
    let re = cx.cast(value, to.part())?;
    if to.is_complex() {
        return Ok(vec![Pair { re, im: cx.zeros_like(re)? }.into()]);
    }
    Ok(vec![Held::Whole(re)])
}

/// `src` in the shape and dtype of `self`.
pub fn copy(cx: &mut Split<'_, '_>) -> Results {
    let source = cx.given_value("src")?;
    converted(cx, source)
}

/// Ones have no imaginary part.
pub fn ones(cx: &mut Split<'_, '_>) -> Results {
    let meta = cx.old.meta(cx.node.outputs[0]).clone();
    let mut args: Vec<Arg> = cx.args.to_vec();
    if let Some(k) = cx.op.schema().arg("self") {
        // Only its shape and dtype count.
        let value = cx.given_value("self")?;
        args[k] = Arg::Value(if cx.is_complex(value) { cx.pair_of(value)?.re } else { cx.real_of(value) });
    }
    if let Some(k) = cx.op.schema().arg("dtype") {
        args[k] = Arg::Dtype(meta.dtype.part());
    }
    let name = cx.op.name();
    let re = cx.call(name, args)?;
    if !meta.dtype.is_complex() {
        return Ok(vec![Held::Whole(re)]);
    }
    let im = cx.zeros_like(re)?;
    Ok(vec![Pair { re, im }.into()])
}

/// The bits as another dtype: the last dimension counts parts in between.
pub fn view_dtype(cx: &mut Split<'_, '_>) -> Results {
    let value = cx.given_value("self")?;
    let result = cx.old.meta(cx.node.outputs[0]).clone();
    let parts = if cx.is_complex(value) {
        let joined = cx.joined_of(value)?;
        let mut shape = cx.shape(joined);
        let count = shape.split_off(shape.len().saturating_sub(2));
        let last = cx.syms().product(&count);
        shape.push(last);
        cx.reshape(joined, &shape)?
    } else {
        let value = cx.real_of(value);
        if cx.rank(value) == 0 { cx.unsqueeze(value, 0)? } else { value }
    };
    let parts = cx.call("aten.contiguous.default", vec![Arg::Value(parts)])?;
    let bits = match cx.dtype_of(parts) == result.dtype.part() {
        true => parts,
        false => cx.call("aten.view.dtype", vec![Arg::Value(parts), Arg::Dtype(result.dtype.part())])?,
    };
    let mut shape = result.shape;
    if !result.dtype.is_complex() {
        return Ok(vec![Held::Whole(cx.reshape(bits, &shape)?)]);
    }
    shape.push(cx.constant(2));
    Ok(vec![Held::Joined(cx.reshape(bits, &shape)?)])
}

/// The storage that a view looks at, as one tensor of parts in the order of memory.
fn storage(cx: &mut Split<'_, '_>, value: Value) -> Built {
    let mut root = value;
    while let Some(node) = cx.old.producer(root)
        && node.op.class() == Class::View
        && let Some(source) = node.uses().next()
        && cx.is_complex(source)
    {
        root = source;
    }
    let meta = cx.old.meta(root);
    if !meta.is_contiguous(cx.syms()) || cx.syms().as_const(meta.offset) != Some(0) {
        return Err(cx.unsupported("the storage of complex numbers that are not contiguous"));
    }
    let joined = cx.joined_of(root)?;
    cx.call("aten.contiguous.default", vec![Arg::Value(joined)])
}

/// `size`, `stride` and `storage_offset` in parts.
fn strided(cx: &mut Split<'_, '_>) -> Result<Vec<Arg>, super::DecomposeError> {
    let own = cx.given_value("self")?;
    let offset = cx.int("storage_offset").unwrap_or(cx.old.meta(own).offset);
    let double = |s: &SymInt| cx.syms().mul_const(*s, 2);
    let mut size = cx.ints("size").unwrap_or(&[]).to_vec();
    let mut stride: Vec<SymInt> = cx.ints("stride").unwrap_or(&[]).iter().map(double).collect();
    size.push(cx.constant(2));
    stride.push(cx.constant(1));
    Ok(vec![Arg::Ints(size), Arg::Ints(stride), Arg::Int(double(&offset))])
}

pub fn as_strided(cx: &mut Split<'_, '_>) -> Results {
    let own = cx.given_value("self")?;
    let (whole, layout) = (storage(cx, own)?, strided(cx)?);
    let args = [vec![Arg::Value(whole)], layout].concat();
    Ok(vec![Held::Joined(cx.call("aten.as_strided.default", args)?)])
}

pub fn as_strided_scatter(cx: &mut Split<'_, '_>) -> Results {
    let (own, source) = (cx.given_value("self")?, cx.given_value("src")?);
    let (whole, layout) = (storage(cx, own)?, strided(cx)?);
    let source = if cx.is_complex(source) {
        cx.joined_of(source)?
    } else {
        let (re, part): (Value, Dtype) = (cx.real_of(source), cx.part);
        let re = cx.cast(re, part)?;
        let im = cx.zeros_like(re)?;
        cx.join(Pair { re, im })?
    };
    let args = [vec![Arg::Value(whole), Arg::Value(source)], layout].concat();
    Ok(vec![Held::Joined(cx.call("aten.as_strided_scatter.default", args)?)])
}
