//! Operators that real and imaginary parts go through by themselves, since they move, join or add elements.

use super::Results;
use super::context::{Held, Pair, Split};
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::Builder;
use crate::ops::{ArgBase, Form, SchemaArg};

/// Tensors that say which elements, and are none themselves.
const PLACES: [&str; 5] = ["condition", "mask", "index", "indices", "repeats"];
/// Numbers that elements are multiplied by, and not elements themselves.
const FACTORS: [&str; 2] = ["alpha", "beta"];

/// The operator on the real parts, and on the imaginary ones. A real operand has zeros for its imaginary part.
pub fn each(cx: &mut Split<'_, '_>) -> Results {
    let real = one(cx, false)?;
    if !cx.node.outputs.iter().any(|v| cx.is_complex(*v)) {
        return Ok(real.into_iter().map(Held::Whole).collect());
    }
    let imaginary = one(cx, true)?;
    Ok(real.into_iter().zip(imaginary).map(|(re, im)| Held::Parts(Pair { re, im })).collect())
}

fn one(cx: &mut Split<'_, '_>, imaginary: bool) -> Result<Vec<crate::ir::Value>, super::DecomposeError> {
    let (node, schema) = (cx.node, cx.op.schema());
    let mut args = Vec::with_capacity(node.args.len());
    for (arg, want) in node.args.iter().zip(&schema.args) {
        args.push(argument(cx, arg, want, imaginary)?);
    }
    let (op, graph) = (cx.op, &mut *cx.graph);
    Builder::new(graph).call(op, Form::Functional, args)
}

fn argument(
    cx: &mut Split<'_, '_>,
    arg: &Arg,
    want: &SchemaArg,
    imaginary: bool,
) -> Result<Arg, super::DecomposeError> {
    let name = want.name.as_str();
    let places = PLACES.contains(&name);
    let number = matches!(want.ty.base, ArgBase::Scalar | ArgBase::Float | ArgBase::Tensor)
        && !FACTORS.contains(&name);
    Ok(match arg {
        Arg::Value(v) => Arg::Value(element(cx, *v, places, imaginary)?),
        Arg::Values(list) => {
            let mut parts = Vec::with_capacity(list.len());
            for value in list {
                parts.push(value.map(|v| element(cx, v, places, imaginary)).transpose()?);
            }
            Arg::Values(parts)
        }
        Arg::Dtype(dtype) => Arg::Dtype(dtype.part()),
        Arg::Complex(parts) if number => Arg::Float(parts[usize::from(imaginary)]),
        Arg::Complex(_) => {
            return Err(cx.error(Status::Unsupported, format!("a complex number as `{name}`")));
        }
        Arg::Int(_) | Arg::Float(_) | Arg::SymFloat(_) | Arg::Bool(_) if number && imaginary => {
            Arg::Float(0.0)
        }
        // The value of a pad may be left out, which means 0.
        other => other.clone(),
    })
}

fn element(
    cx: &mut Split<'_, '_>,
    value: crate::ir::Value,
    places: bool,
    imaginary: bool,
) -> Result<crate::ir::Value, super::DecomposeError> {
    if places {
        return Ok(cx.real_of(value));
    }
    let part = cx.part;
    if cx.is_complex(value) {
        let pair = cx.pair_of(value)?;
        return cx.cast(if imaginary { pair.im } else { pair.re }, part);
    }
    let value = cx.real_of(value);
    let value = cx.cast(value, part)?;
    if imaginary { cx.zeros_like(value) } else { Ok(value) }
}
