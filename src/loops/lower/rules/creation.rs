//! Factories: constants, and functions of the index alone. What PyTorch leaves uninitialised is zero here, so that
//! every run gives the same.

use super::pointwise::{Results, finish, operand};
use crate::loops::ExprId;
use crate::loops::lower::{Args, Lower};
use crate::meta::triangle_rows;
use crate::types::{Dtype, Scalar, SymInt};

fn constant(cx: &mut Lower<'_>, args: &Args<'_>, value: Scalar) -> Results {
    let dtype = args.result(0).dtype.compute();
    let expr = cx.program.exprs.constant(value, dtype);
    Ok(vec![finish(cx, args, 0, expr)])
}

pub fn zeros(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    constant(cx, args, Scalar::Int(0))
}
pub fn ones(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    constant(cx, args, Scalar::Int(1))
}

fn filled(cx: &mut Lower<'_>, args: &Args<'_>, name: &str) -> Results {
    let dtype = args.result(0).dtype;
    let value = operand(cx, args, name, Some(dtype), false)?
        .ok_or_else(|| cx.unsupported(format!("argument `{name}` must be a number")))?;
    Ok(vec![finish(cx, args, 0, value)])
}
pub fn full(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    filled(cx, args, "fill_value")
}
pub fn scalar_tensor(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    filled(cx, args, "s")
}

/// `start + step * i`, exact for integers, in float64 otherwise.
pub fn arange(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let var = cx.vars(&out.shape)[0];
    let has = |name: &str| args.node.op.schema().arg(name).is_some();
    let (start, step) = (has("start").then_some("start"), has("step").then_some("step"));
    let is_whole = |name: Option<&str>| name.is_none_or(|n| !args.is_float(n));
    // In an integer dtype the bounds themselves are cut to integers, however many elements they span.
    let expr = if out.dtype.is_integral() || is_whole(start) && is_whole(step) {
        let int = |cx: &Lower<'_>, name: Option<&str>, default: i64| match name {
            Some(n) => match args.float(n) {
                Some(float) => cx.syms().constant(float as i64),
                None => args.int(n).unwrap_or_else(|| cx.syms().constant(default)),
            },
            None => cx.syms().constant(default),
        };
        let (start, step) = (int(cx, start, 0), int(cx, step, 1));
        let index = cx.syms().add(start, cx.syms().mul(step, var));
        cx.program.exprs.index_value(index, Dtype::Int64)
    } else {
        let mut number = |name: Option<&str>, default: f64| match name {
            Some(n) => args.number(cx, n, Dtype::Float64),
            None => Some(cx.program.exprs.float(default, Dtype::Float64)),
        };
        let (start, step) = (number(start, 0.0), number(step, 1.0));
        let (Some(start), Some(step)) = (start, step) else {
            return Err(cx.unsupported("bounds must be numbers"));
        };
        cx.formula(|of| of(start) + of(step) * of(start).index(var).cast(Dtype::Float64))
    };
    Ok(vec![finish(cx, args, 0, expr)])
}

/// `start` or `end` as float64.
fn bound(cx: &mut Lower<'_>, args: &Args<'_>, name: &str) -> Result<ExprId, crate::loops::lower::LowerError> {
    let value = operand(cx, args, name, None, false)?
        .ok_or_else(|| cx.unsupported(format!("argument `{name}` must be a number")))?;
    // A number that is no tensor comes as its own dtype and loses nothing.
    if let crate::ir::Arg::Float(number) = *args.get(name) {
        return Ok(cx.program.exprs.float(number, Dtype::Float64));
    }
    Ok(cx.program.exprs.cast(value, Dtype::Float64))
}

/// `steps` numbers from `start` to `end`, both met exactly: each half counts from its own end.
fn spaced(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<ExprId, crate::loops::lower::LowerError> {
    let out = args.result(0);
    let (var, steps) = (cx.vars(&out.shape)[0], out.shape[0]);
    let (start, end) = (bound(cx, args, "start")?, bound(cx, args, "end")?);
    // Integers are counted in whole numbers at both ends.
    let whole = out.dtype.is_integral();
    let syms = cx.syms();
    let (one, two) = (syms.constant(1), syms.constant(2));
    let last = syms.sub(steps, one);
    let half = syms.floordiv(steps, two);
    let from_end = syms.sub(last, var);
    Ok(cx.formula(|of| {
        let (mut start, mut end) = (of(start), of(end));
        if whole {
            (start, end) = (start.trunc(), end.trunc());
        }
        let count = |i: SymInt| start.index(i).cast(Dtype::Float64);
        let step = (end - start) / count(last);
        let near = start.index(var).lt(start.index(half));
        let value = near.select(start + step * count(var), end - step * count(from_end));
        start.index(last).eq(0).select(start, value)
    }))
}

pub fn linspace(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let expr = spaced(cx, args)?;
    Ok(vec![finish(cx, args, 0, expr)])
}

/// `base` to evenly spaced powers.
pub fn logspace(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let base = args.float("base").unwrap_or(10.0);
    let power = spaced(cx, args)?;
    let expr = cx.formula(|of| of(power).float(base).pow(of(power)));
    Ok(vec![finish(cx, args, 0, expr)])
}

pub fn eye(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let vars = cx.vars(&out.shape);
    let row = cx.program.exprs.index_value(vars[0], Dtype::Int64);
    let expr = cx.formula(|of| of(row).eq(of(row).index(vars[1])));
    Ok(vec![finish(cx, args, 0, expr)])
}

/// Rows and columns of a triangle's elements in row order: position `p` lies in the row whose start it has passed.
pub fn triangle_indices(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let (rows, columns, offset) = (args.known_int("row")?, args.known_int("col")?, args.known_int("offset")?);
    let ranges = triangle_rows(rows, columns, offset, args.node.op.name().contains("tril"));
    if ranges.len() > 256 {
        return Err(cx.unsupported(format!("indices of {} rows", ranges.len())));
    }
    let vars = cx.vars(&out.shape);
    let (mut row, mut column) = (cx.syms().constant(0), vars[1]);
    let mut begin = 0;
    for (k, range) in ranges.iter().enumerate().filter(|(_, r)| r.1 > r.0) {
        // From here on, until a later row begins.
        let here = cx.syms().le(cx.syms().constant(begin), vars[1]);
        row = cx.syms().select(here, cx.syms().constant(k as i64), row);
        let at = cx.syms().add_const(vars[1], range.0 - begin);
        column = cx.syms().select(here, at, column);
        begin += range.1 - range.0;
    }
    let zero = cx.syms().constant(0);
    let index = cx.syms().select(cx.syms().eq(vars[0], zero), row, column);
    let expr = cx.program.exprs.index_value(index, Dtype::Int64);
    Ok(vec![finish(cx, args, 0, expr)])
}
