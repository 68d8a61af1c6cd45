//! Factories: constants, and functions of the index alone. What PyTorch leaves uninitialised is zero here, so that
//! every run gives the same.

use super::pointwise::{Results, finish, operand};
use crate::loops::ExprId;
use crate::loops::lower::{Args, Lower, X};
use crate::meta::Triangle;
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
            Some(n) => match args.int(n) {
                Some(int) => int,
                None => cx.syms().constant(args.float(n).map_or(default, |float| float as i64)),
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
    let alone = args.int("steps").is_some_and(|n| cx.syms().as_const(n) == Some(1));
    let power = match args.number(cx, "start", Dtype::Float64) {
        // The only place is not cut to an integer.
        Some(start) if alone => start,
        _ => spaced(cx, args)?,
    };
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

/// How many elements `t` rows have, the first of this length and each one longer than the one before.
fn before(t: X<'_>, length: i64) -> X<'_> {
    t * length + (t * (t - 1)).trunc_div(2)
}

/// Rows and columns of a triangle's elements in row order. Before the full rows, row `t` starts at the `t`-th number of
/// a sum of neighbours: the root of a square that float64 tells to within one.
pub fn triangle_indices(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let (rows, columns, offset) = (args.known_int("row")?, args.known_int("col")?, args.known_int("offset")?);
    let lower = args.node.op.name().contains("tril");
    let triangle = Triangle::new(rows, columns, offset, lower);
    let vars = cx.vars(&out.shape);
    let (syms, zero) = (cx.syms(), cx.syms().constant(0));
    let last = syms.add_const(out.shape[1], -1);
    let position = if lower { vars[1] } else { syms.sub(last, vars[1]) };
    // In the full rows.
    let beyond = syms.add_const(position, -triangle.before_full());
    let width = syms.constant(columns.max(1));
    let full_row = syms.add_const(syms.floordiv(beyond, width), triangle.full);
    let full_column = syms.modulo(beyond, width);
    let is_column = syms.eq(vars[0], syms.constant(1));
    let is_full = syms.le(zero, beyond);
    let mut index = |i: SymInt| cx.program.exprs.index_value(i, Dtype::Int64);
    let ids = [position, full_row, full_column, is_column, is_full].map(&mut index);
    let expr = cx.formula(|of| {
        let [position, full_row, full_column, is_column, is_full] = ids.map(of);
        let length = triangle.length.max(1);
        let place = position.cast(Dtype::Float64);
        let doubled = place.float(2.0 * length as f64 - 1.0);
        let guess = place * 4.0 / (doubled + (doubled * doubled + place * 8.0).sqrt());
        let t = guess.cast(Dtype::Int64);
        let t = before(t, length).gt(position).select(t - 1, t);
        let t = before(t + 1, length).le(position).select(t + 1, t);
        let row = is_full.cast(Dtype::Bool).select(full_row, t + triangle.first);
        let column = is_full.cast(Dtype::Bool).select(full_column, position - before(t, length));
        let (row, column) = match lower {
            true => (row, column),
            false => (-(row - (rows - 1)), -(column - (columns - 1))),
        };
        is_column.cast(Dtype::Bool).select(column, row)
    });
    Ok(vec![finish(cx, args, 0, expr)])
}
