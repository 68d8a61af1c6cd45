//! Operators that move elements or make them. Sizes and places are symbols throughout, so that a graph may compute them, or
//! read them from data.

use super::super::super::error::Result;
use super::super::super::number::{self, Number};
use super::super::call::{Cx, Results};
use super::super::data::dtype;
use super::super::entry::{Entry, Known};
use super::super::fold::decode;
use super::super::reader::file;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// `Shape` and `Size` are folded.
pub fn shape(cx: &mut Cx<'_, '_>) -> Results {
    Err(cx.wrong("it has no input"))
}

pub fn constant(cx: &mut Cx<'_, '_>) -> Results {
    // The attribute of a function that one of the node refers to has a name of its own.
    let name = cx.node.attributes.first().map(|a| &a.name[..]).unwrap_or_default();
    let Some(given) = cx.attribute(name).cloned() else {
        return Err(cx.wrong("it has no value"));
    };
    let syms = cx.syms.clone();
    let known = |dtype, items: Vec<Number>, scalar: bool| {
        let shape = if scalar { Vec::new() } else { vec![items.len() as i64] };
        Ok(vec![Entry::known(Known { dtype, shape, items })])
    };
    match name {
        "value" => match &given.tensor {
            Some(tensor) => Ok(vec![file(cx.reader.store.tensor(tensor)?)]),
            None => Err(cx.wrong("its value is no tensor")),
        },
        "value_float" => known(Dtype::Float32, vec![Number::Float(given.f as f64)], true),
        "value_floats" => {
            known(Dtype::Float32, given.floats.iter().map(|v| Number::Float(*v as f64)).collect(), false)
        }
        "value_int" => known(Dtype::Int64, vec![Number::Int(syms.constant(given.i))], true),
        "value_ints" => {
            known(Dtype::Int64, given.ints.iter().map(|v| Number::Int(syms.constant(*v))).collect(), false)
        }
        other => Err(cx.refuse(format!("a constant given by `{other}` is not supported"))),
    }
}

pub fn constant_of_shape(cx: &mut Cx<'_, '_>) -> Results {
    let sizes = cx.sizes(0)?.unwrap_or_default();
    let data = match cx.attribute("value").and_then(|a| a.tensor.clone()) {
        Some(tensor) => Some(cx.reader.store.tensor(&tensor)?),
        None => None,
    };
    let (dtype, value) = match &data {
        None => (Dtype::Float32, Arg::Float(0.0)),
        Some(data) if data.count() != 1 => return Err(cx.wrong("its value is not one number")),
        Some(data) => match decode(&cx.syms, data.dtype, data.bytes.bytes()) {
            Some(Number::Float(v)) => (data.dtype, Arg::Float(v)),
            Some(Number::Bool(v)) => (data.dtype, Arg::Bool(cx.syms.as_const(v) == Some(1))),
            Some(Number::Int(v)) => (data.dtype, Arg::Int(v)),
            _ => return Err(cx.refuse(format!("a value of {}", data.dtype))),
        },
    };
    let args = [Arg::Ints(sizes), value, Arg::Dtype(dtype)];
    let value = cx.call("full($0, $1, dtype=$2)", &args)?;
    let narrow = data.and_then(|d| d.narrow);
    Ok(vec![cx.narrowed(value, narrow)])
}

/// A view of the first input in other sizes.
fn viewed(cx: &mut Cx<'_, '_>, sizes: &[SymInt]) -> Results {
    let (x, narrow) = (cx.raw(0)?, cx.narrow(0));
    let value = cx.reshape(x, sizes)?;
    Ok(vec![cx.narrowed(value, narrow)])
}

pub fn reshape(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.raw(0)?;
    let own = cx.shape(x);
    let given = cx.sizes(1)?.ok_or_else(|| cx.wrong("input 1 is missing"))?;
    let syms = cx.syms.clone();
    let (zero, one, free) = (syms.constant(0), syms.constant(1), syms.constant(-1));
    let allow_zero = cx.flag("allowzero");
    // A number from data may be 0 or -1, which have a meaning of their own. A number calculated from sizes is a size.
    let is_special = |cx: &Cx<'_, '_>, size: SymInt| {
        let from_data = syms.as_symbol(size).is_some() && !cx.reader.sizes.contains(&size);
        syms.range(size).min < 0 && (from_data || syms.as_const(size).is_some())
    };
    let mut sizes = Vec::new();
    for (k, size) in given.iter().enumerate() {
        sizes.push(match (syms.as_const(*size), own.get(k)) {
            (Some(0), Some(same)) if !allow_zero => *same,
            (Some(0), None) if !allow_zero => {
                return Err(cx.wrong(format!("size {k} is that of a dimension that the input lacks")));
            }
            (None, Some(same)) if is_special(cx, *size) && !allow_zero => {
                syms.select(syms.eq(*size, zero), *same, *size)
            }
            (None, same) if syms.range(*size).min < 0 && !is_special(cx, *size) => {
                cx.require(syms.le(zero, *size), format!("size {k} of the result is negative"))?;
                if let (Some(same), false) = (same, allow_zero) {
                    let plain = syms.or(syms.ne(*size, zero), syms.eq(*same, zero));
                    cx.require(
                        plain,
                        format!("size {k} of the result is 0, for that of the input's dimension"),
                    )?;
                }
                *size
            }
            _ => *size,
        });
    }
    // One size at most is free: beside a known one, no other.
    let one_is_known = given.contains(&free);
    let frees: Vec<bool> =
        given.iter().map(|size| if one_is_known { *size == free } else { is_special(cx, *size) }).collect();
    if frees.contains(&true) {
        // Sizes that both have cancel.
        let (mut left, mut rest) = (own.clone(), one);
        for (size, is_free) in sizes.iter().zip(&frees) {
            match (left.iter().position(|s| s == size), is_free) {
                (Some(place), false) => drop(left.swap_remove(place)),
                (None, false) => rest = syms.mul(rest, *size),
                (_, true) => rest = syms.mul(rest, syms.select(syms.eq(*size, free), one, *size)),
            }
        }
        let all = syms.product(&left);
        if syms.as_const(rest) == Some(0) {
            return Err(cx.wrong("a size cannot be found beside one of 0"));
        }
        let found = syms.divide_exact(all, rest).unwrap_or_else(|| syms.floordiv(all, rest));
        for (size, is_free) in sizes.iter_mut().zip(frees) {
            if is_free {
                *size = syms.select(syms.eq(*size, free), found, *size);
            }
        }
    }
    viewed(cx, &sizes)
}

pub fn flatten(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.raw(0)?;
    let own = cx.shape(x);
    let axis = cx.attr_or("axis", 1);
    let axis = if axis == own.len() as i64 { own.len() } else { cx.dim(axis, own.len().max(1))? };
    let sizes = [cx.syms.product(&own[..axis.min(own.len())]), cx.syms.product(&own[axis.min(own.len())..])];
    viewed(cx, &sizes)
}

/// Axes by attribute, or by input from opset 13 on.
fn axes(cx: &mut Cx<'_, '_>) -> Result<Option<Vec<SymInt>>> {
    if cx.opset >= 13 {
        return cx.sizes(1);
    }
    Ok(cx.list("axes").map(|list| list.iter().map(|v| cx.syms.constant(*v)).collect()))
}

/// For each dimension 0 or 1: whether the axes name it.
fn members(cx: &Cx<'_, '_>, axes: &[SymInt], rank: usize) -> Result<Vec<SymInt>> {
    let syms = &cx.syms;
    if let Some(known) = syms.as_consts(axes) {
        let dims = cx.dims(&known, rank)?;
        return Ok((0..rank as i64).map(|k| syms.constant(dims.contains(&k) as i64)).collect());
    }
    let names = |k: i64, axis: SymInt| {
        syms.or(syms.eq(axis, syms.constant(k)), syms.eq(axis, syms.constant(k - rank as i64)))
    };
    let no = syms.constant(0);
    Ok((0..rank as i64).map(|k| axes.iter().fold(no, |any, a| syms.or(any, names(k, *a)))).collect())
}

/// The sizes at the places that are not members, in order: how many they are is known.
fn remaining(cx: &Cx<'_, '_>, members: &[SymInt], sizes: &[SymInt], count: usize) -> Vec<SymInt> {
    let syms = &cx.syms;
    let mut before = syms.constant(0);
    let mut found = vec![syms.constant(1); count];
    for (member, size) in members.iter().zip(sizes) {
        for (k, slot) in found.iter_mut().enumerate() {
            let here = syms.and(syms.not(*member), syms.eq(before, syms.constant(k as i64)));
            *slot = syms.select(here, *size, *slot);
        }
        before = syms.add(before, syms.select(*member, syms.constant(0), syms.constant(1)));
    }
    found
}

pub fn squeeze(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.raw(0)?;
    let own = cx.shape(x);
    let syms = cx.syms.clone();
    let sizes = match axes(cx)? {
        None => own.iter().copied().filter(|s| syms.as_const(*s) != Some(1)).collect(),
        Some(axes) => {
            if axes.len() > own.len() {
                return Err(cx.wrong("it has more axes than the input"));
            }
            let members = members(cx, &axes, own.len())?;
            remaining(cx, &members, &own, own.len() - axes.len())
        }
    };
    viewed(cx, &sizes)
}

pub fn unsqueeze(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.raw(0)?;
    let own = cx.shape(x);
    let axes = axes(cx)?.ok_or_else(|| cx.wrong("it has no axes"))?;
    let rank = own.len() + axes.len();
    let members = members(cx, &axes, rank)?;
    let syms = cx.syms.clone();
    let (zero, one) = (syms.constant(0), syms.constant(1));
    let (mut before, mut sizes) = (zero, Vec::new());
    for member in &members {
        let places = own.iter().enumerate();
        let next = places
            .fold(one, |next, (k, size)| syms.select(syms.eq(before, syms.constant(k as i64)), *size, next));
        sizes.push(syms.select(*member, one, next));
        before = syms.add(before, syms.select(*member, zero, one));
    }
    viewed(cx, &sizes)
}

pub fn transpose(cx: &mut Cx<'_, '_>) -> Results {
    let (x, narrow) = (cx.raw(0)?, cx.narrow(0));
    let rank = cx.rank(x) as i64;
    let order = cx.list("perm").unwrap_or_else(|| (0..rank).rev().collect());
    let value = cx.permute(x, &order)?;
    Ok(vec![cx.narrowed(value, narrow)])
}

pub fn concat(cx: &mut Cx<'_, '_>) -> Results {
    let axis = cx.attr("axis").ok_or_else(|| cx.wrong("the attribute `axis` is missing"))?;
    let list = cx.inputs.clone();
    Ok(vec![cx.joined("cat($0, $1)", &list, axis)?])
}

pub fn expand(cx: &mut Cx<'_, '_>) -> Results {
    let (x, narrow) = (cx.raw(0)?, cx.narrow(0));
    let given = cx.sizes(1)?.ok_or_else(|| cx.wrong("input 1 is missing"))?;
    let value = expanded(cx, x, &given)?;
    Ok(vec![cx.narrowed(value, narrow)])
}

/// Each size is the greater of the two, as one of them is 1 where they differ.
pub fn expanded(cx: &mut Cx<'_, '_>, x: Value, given: &[SymInt]) -> Result<Value> {
    let own = cx.shape(x);
    let syms = cx.syms.clone();
    let rank = own.len().max(given.len());
    let one = syms.constant(1);
    let at =
        |list: &[SymInt], k: usize| if k + list.len() < rank { one } else { list[k + list.len() - rank] };
    let mut sizes = Vec::new();
    for k in 0..rank {
        let (have, want) = (at(&own, k), at(given, k));
        sizes.push(if want == one || syms.known_eq(have, want) {
            have
        } else if have == one {
            want
        } else if syms.range(have).min > 1 {
            let fits = syms.or(syms.eq(want, one), syms.eq(want, have));
            cx.require(
                fits,
                format!("dimension {k} of {} cannot become {}", syms.display(have), syms.display(want)),
            )?;
            have
        } else {
            want
        });
    }
    cx.call("expand($0, $1)", &[Arg::Value(x), Arg::Ints(sizes)])
}

pub fn tile(cx: &mut Cx<'_, '_>) -> Results {
    let (x, narrow) = (cx.raw(0)?, cx.narrow(0));
    let repeats = cx.sizes(1)?.ok_or_else(|| cx.wrong("input 1 is missing"))?;
    let value = cx.call("repeat($0, $1)", &[Arg::Value(x), Arg::Ints(repeats)])?;
    Ok(vec![cx.narrowed(value, narrow)])
}

/// Start, end and step of each dimension.
pub fn slice(cx: &mut Cx<'_, '_>) -> Results {
    let (mut x, narrow) = (cx.raw(0)?, cx.narrow(0));
    let rank = cx.rank(x);
    let syms = cx.syms.clone();
    let constants = |list: Vec<i64>| list.iter().map(|v| syms.constant(*v)).collect::<Vec<_>>();
    let [starts, ends, axes, steps] = if cx.opset < 10 {
        ["starts", "ends", "axes", "steps"].map(|name| cx.list(name).map(constants))
    } else {
        [cx.sizes(1)?, cx.sizes(2)?, cx.sizes(3)?, cx.sizes(4)?]
    };
    let (Some(starts), Some(ends)) = (starts, ends) else {
        return Err(cx.wrong("starts or ends are missing"));
    };
    let axes = axes.unwrap_or_else(|| constants((0..starts.len() as i64).collect()));
    let steps = steps.unwrap_or_else(|| vec![syms.constant(1); starts.len()]);
    if ends.len() != starts.len() || axes.len() != starts.len() || steps.len() != starts.len() {
        return Err(cx.wrong("starts, ends, axes and steps differ in number"));
    }
    if let Some(known) = syms.as_consts(&axes) {
        for (k, dim) in known.iter().enumerate() {
            let dim = cx.dim(*dim, rank)?;
            x = sliced(cx, x, dim, starts[k], ends[k], steps[k])?;
        }
    } else {
        // Which dimension each is of is known in a run: each has all of them, chosen by its place.
        for dim in 0..rank {
            let (mut start, mut end, mut step) =
                (syms.constant(0), syms.constant(i64::MAX), syms.constant(1));
            for (k, axis) in axes.iter().enumerate() {
                let here = members(cx, &[*axis], rank)?[dim];
                start = syms.select(here, starts[k], start);
                end = syms.select(here, ends[k], end);
                step = syms.select(here, steps[k], step);
            }
            x = sliced(cx, x, dim, start, end, step)?;
        }
    }
    Ok(vec![cx.narrowed(x, narrow)])
}

fn sliced(
    cx: &mut Cx<'_, '_>,
    x: Value,
    dim: usize,
    start: SymInt,
    end: SymInt,
    step: SymInt,
) -> Result<Value> {
    let syms = cx.syms.clone();
    let plain = |v: SymInt| syms.as_const(v).is_some() || syms.range(v).min >= 0;
    if syms.as_const(step).is_some_and(|s| s > 0) && plain(start) && plain(end) {
        let args = [Arg::Value(x), cx.int(dim as i64), Arg::Int(start), Arg::Int(end), Arg::Int(step)];
        return cx.call("slice.Tensor($0, $1, $2, $3, $4)", &args);
    }
    let size = cx.shape(x)[dim];
    let (zero, one) = (syms.constant(0), syms.constant(1));
    let last = syms.sub(size, one);
    let placed = |v: SymInt, low: i64, high: SymInt| {
        // A number far outside of the tensor stays so; adding the size to it may overflow.
        let far = syms.constant(-(1 << 40));
        let v = syms.min(syms.max(v, far), syms.constant(1 << 40));
        let v = syms.select(syms.lt(v, zero), syms.add(v, size), v);
        syms.min(syms.max(v, syms.constant(low)), high)
    };
    let up = |step: SymInt| {
        let (from, to) = (placed(start, 0, size), placed(end, 0, size));
        (from, syms.max(zero, syms.ceildiv(syms.sub(to, from), step)))
    };
    let down = |step: SymInt| {
        let (from, to) = (placed(start, -1, last), placed(end, -1, last));
        (from, syms.max(zero, syms.ceildiv(syms.sub(from, to), syms.neg(step))))
    };
    let (from, count) = match syms.as_const(step) {
        Some(0) => return Err(cx.wrong("a step of 0")),
        Some(s) if s > 0 => up(step),
        Some(_) => down(step),
        None => {
            let positive = syms.lt(zero, step);
            let (a, b) = (up(syms.max(step, one)), down(syms.min(step, syms.constant(-1))));
            (syms.select(positive, a.0, b.0), syms.select(positive, a.1, b.1))
        }
    };
    let args = [Arg::Value(x), cx.int(dim as i64), Arg::Int(count), Arg::Int(step), Arg::Int(from)];
    cx.call("index_select($0, $1, add(mul(arange($2), $3), $4))", &args)
}

pub fn split(cx: &mut Cx<'_, '_>) -> Results {
    let (x, narrow) = (cx.raw(0)?, cx.narrow(0));
    let rank = cx.rank(x);
    let dim = cx.dim(cx.attr_or("axis", 0), rank)?;
    let syms = cx.syms.clone();
    let given = match cx.list("split") {
        Some(list) => Some(list.iter().map(|v| syms.constant(*v)).collect::<Vec<_>>()),
        None if cx.opset >= 13 => cx.sizes(1)?,
        None => None,
    };
    let sizes = match given {
        Some(sizes) => sizes,
        None => {
            let count = cx.node.outputs.len().max(1) as i64;
            if cx.attr("num_outputs").is_some_and(|given| given != count) {
                return Err(cx.wrong(format!("its number of outputs is not {count}, as many as it names")));
            }
            let size = cx.shape(x)[dim];
            let each = syms.ceildiv(size, syms.constant(count));
            let mut sizes = vec![each; count as usize - 1];
            sizes.push(syms.sub(size, syms.mul_const(each, count - 1)));
            sizes
        }
    };
    let args = [Arg::Value(x), Arg::Ints(sizes), cx.int(dim as i64)];
    let values = cx.calls("split_with_sizes($0, $1, $2)", &args)?;
    Ok(values.into_iter().map(|v| cx.narrowed(v, narrow)).collect())
}

pub fn pad(cx: &mut Cx<'_, '_>) -> Results {
    let (mut x, narrow) = (cx.raw(0)?, cx.narrow(0));
    let rank = cx.rank(x);
    let syms = cx.syms.clone();
    let pads = match cx.opset < 11 {
        true => cx.list("pads").map(|list| list.iter().map(|v| syms.constant(*v)).collect()),
        false => cx.sizes(1)?,
    };
    let pads: Vec<SymInt> = pads.ok_or_else(|| cx.wrong("it has no pads"))?;
    let axes = cx.sizes(3)?.unwrap_or_else(|| (0..rank as i64).map(|k| syms.constant(k)).collect());
    if pads.len() != 2 * axes.len() {
        return Err(cx.wrong(format!("{} pads for {} axes", pads.len(), axes.len())));
    }
    let mode = cx.string("mode", "constant")?;
    let mut each = vec![(syms.constant(0), syms.constant(0)); rank];
    for (k, axis) in axes.iter().enumerate() {
        for (pair, here) in each.iter_mut().zip(members(cx, &[*axis], rank)?) {
            *pair = (syms.select(here, pads[k], pair.0), syms.select(here, pads[k + axes.len()], pair.1));
        }
    }
    if mode == "constant" {
        let list: Vec<SymInt> = each.iter().rev().flat_map(|(b, e)| [*b, *e]).collect();
        let value = match (cx.opset < 11, cx.has(2)) {
            (true, _) => Arg::Float(cx.float("value", 0.0)),
            (_, false) => cx.int(0),
            _ => match cx.number(2)? {
                Some(Number::Float(v)) => Arg::Float(v),
                Some(Number::Int(v)) => Arg::Int(v),
                Some(Number::Bool(v)) => Arg::Int(v),
                _ => cx.arg(2)?,
            },
        };
        let pads = Arg::Ints(list);
        let value = match value {
            Arg::Value(v) => {
                let padded = cx.call("constant_pad_nd($0, $1)", &[Arg::Value(x), pads.clone()])?;
                let inside = cx.call("ones_like($0, dtype=$1)", &[Arg::Value(x), Arg::Dtype(Dtype::Bool)])?;
                let inside = cx.call("constant_pad_nd($0, $1)", &[Arg::Value(inside), pads])?;
                cx.of("where.self($0, $1, reshape($2, []))", &[inside, padded, v])?
            }
            number => cx.call("constant_pad_nd($0, $1, $2)", &[Arg::Value(x), pads, number])?,
        };
        return Ok(vec![cx.narrowed(value, narrow)]);
    }
    for (dim, (begin, end)) in each.into_iter().enumerate() {
        if syms.as_const(begin) == Some(0) && syms.as_const(end) == Some(0) {
            continue;
        }
        let size = cx.shape(x)[dim];
        let count = syms.add(syms.add(size, begin), end);
        let places = cx.call("sub(arange($0), $1)", &[Arg::Int(count), Arg::Int(begin)])?;
        let last = syms.add_const(size, -1);
        let places = match &mode[..] {
            "edge" => cx.call("clamp($0, 0, $1)", &[Arg::Value(places), Arg::Int(last)])?,
            "wrap" => cx.call("remainder($0, $1)", &[Arg::Value(places), Arg::Int(size)])?,
            "reflect" => {
                // There and back again takes 2 * (size - 1) steps.
                let period = syms.max(syms.mul_const(last, 2), syms.constant(1));
                let around = cx.call("remainder($0, $1)", &[Arg::Value(places), Arg::Int(period)])?;
                let args = [Arg::Value(around), Arg::Int(period)];
                cx.call("minimum($0, rsub.Scalar($0, $1))", &args)?
            }
            other => return Err(cx.refuse(format!("the mode `{other}`"))),
        };
        x = cx.call("index_select($0, $1, $2)", &[Arg::Value(x), cx.int(dim as i64), Arg::Value(places)])?;
    }
    Ok(vec![cx.narrowed(x, narrow)])
}

/// `start + k * delta` for all `k` with which it lies before the limit.
pub fn range(cx: &mut Cx<'_, '_>) -> Results {
    let first = cx.value(0)?;
    let dtype = cx.dtype(first);
    let (start, limit, delta) = (cx.read(0)?, cx.read(1)?, cx.read(2)?);
    let syms = cx.syms.clone();
    let apply = |name: &str, args: &[Number]| number::evaluate(&syms, name, args);
    let count = apply("sub", &[limit, start]).and_then(|span| match (span, delta) {
        (Number::Int(span), Number::Int(delta)) => {
            // Upwards `ceil(span / delta)`, and the same downwards.
            let (zero, one) = (syms.constant(0), syms.constant(1));
            Ok(Number::Int(match syms.as_const(delta) {
                Some(0) => return Err("a step of 0".to_string()),
                Some(d) if d > 0 => syms.ceildiv(span, delta),
                Some(_) => syms.ceildiv(syms.neg(span), syms.neg(delta)),
                None => syms.select(
                    syms.lt(zero, delta),
                    syms.ceildiv(span, syms.max(delta, one)),
                    syms.ceildiv(syms.neg(span), syms.max(syms.neg(delta), one)),
                ),
            }))
        }
        (span, delta) => apply("ceil", &[apply("truediv", &[span, delta])?]),
    });
    let count = count.map_err(|why| cx.refuse(why))?;
    let Number::Int(count) = count else { return Err(cx.wrong("its bounds are no numbers")) };
    let count = syms.max(count, syms.constant(0));
    let (start, delta) = (cx.value(0)?, cx.value(2)?);
    let steps = cx.call("arange($0, dtype=$1)", &[Arg::Int(count), Arg::Dtype(dtype)])?;
    let value = cx.of("add(mul($0, reshape($1, [])), reshape($2, []))", &[steps, delta, start])?;
    cx.one(value)
}

pub fn eye_like(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let dtype = match cx.attr("dtype") {
        Some(number) => dtype(number)?,
        None => cx.dtype(x),
    };
    let shape = cx.shape(x);
    let [rows, columns] = shape[..] else { return Err(cx.wrong("its input is no matrix")) };
    let args = [Arg::Int(rows), Arg::Int(columns), cx.int(cx.attr_or("k", 0))];
    let value = cx.call("eq(unsqueeze(add(arange($0), $2), 1), arange($1))", &args)?;
    let value = cx.cast(value, dtype)?;
    cx.one(value)
}

pub fn trilu(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let k = cx.sizes(1)?.and_then(|k| k.first().copied()).unwrap_or(cx.syms.constant(0));
    let text = if cx.attr_or("upper", 1) != 0 { "triu($0, $1)" } else { "tril($0, $1)" };
    let value = cx.call(text, &[Arg::Value(x), Arg::Int(k)])?;
    cx.one(value)
}

pub fn center_crop_pad(cx: &mut Cx<'_, '_>) -> Results {
    let mut x = cx.value(0)?;
    let rank = cx.rank(x);
    let sizes = cx.sizes(1)?.ok_or_else(|| cx.wrong("input 1 is missing"))?;
    let axes = cx.list("axes").unwrap_or_else(|| (0..rank as i64).collect());
    if axes.len() != sizes.len() {
        return Err(cx.wrong(format!("{} sizes for {} axes", sizes.len(), axes.len())));
    }
    let syms = cx.syms.clone();
    for (axis, want) in axes.iter().zip(&sizes) {
        let dim = cx.dim(*axis, rank)?;
        let have = cx.shape(x)[dim];
        // What is cut off where there is more than wanted, and added where there is less; both halves rounded down.
        let (zero, two) = (syms.constant(0), syms.constant(2));
        let cut = syms.floordiv(syms.max(syms.sub(have, *want), zero), two);
        let args = [
            Arg::Value(x),
            cx.int(dim as i64),
            Arg::Int(cut),
            Arg::Int(syms.add(cut, syms.min(*want, have))),
        ];
        x = cx.call("slice.Tensor($0, $1, $2, $3)", &args)?;
        let missing = syms.max(syms.sub(*want, have), zero);
        let before = syms.floordiv(missing, two);
        let mut pads = vec![zero; 2 * (rank - 1 - dim)];
        pads.extend([before, syms.sub(missing, before)]);
        x = cx.call("constant_pad_nd($0, $1)", &[Arg::Value(x), Arg::Ints(pads)])?;
    }
    cx.one(x)
}

/// Channels as blocks of positions: `[n, b, b, c, h, w]` or, with `CRD`, `[n, c, b, b, h, w]`.
pub fn depth_to_space(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let shape = cx.shape(x);
    let [n, c, h, w] = shape[..] else { return Err(cx.wrong("its input has no four dimensions")) };
    let syms = cx.syms.clone();
    let b = syms
        .constant(cx.attr("blocksize").filter(|b| *b > 0).ok_or_else(|| cx.wrong("it has no blocksize"))?);
    let rest = syms.floordiv(c, syms.mul(b, b));
    let (split, order) = match &cx.string("mode", "DCR")?[..] {
        "DCR" => ([n, b, b, rest, h, w], [0, 3, 4, 1, 5, 2]),
        "CRD" => ([n, rest, b, b, h, w], [0, 1, 4, 2, 5, 3]),
        other => return Err(cx.wrong(format!("the mode `{other}`"))),
    };
    let parts = cx.reshape(x, &split)?;
    let parts = cx.permute(parts, &order)?;
    let value = cx.reshape(parts, &[n, rest, syms.mul(h, b), syms.mul(w, b)])?;
    cx.one(value)
}

pub fn space_to_depth(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let shape = cx.shape(x);
    let [n, c, h, w] = shape[..] else { return Err(cx.wrong("its input has no four dimensions")) };
    let syms = cx.syms.clone();
    let b = syms
        .constant(cx.attr("blocksize").filter(|b| *b > 0).ok_or_else(|| cx.wrong("it has no blocksize"))?);
    let (rows, columns) = (syms.floordiv(h, b), syms.floordiv(w, b));
    let (order, channels) = match &cx.string("mode", "DCR")?[..] {
        "DCR" => ([0, 3, 5, 1, 2, 4], syms.mul(c, syms.mul(b, b))),
        "CRD" => ([0, 1, 3, 5, 2, 4], syms.mul(c, syms.mul(b, b))),
        other => return Err(cx.wrong(format!("the mode `{other}`"))),
    };
    let parts = cx.reshape(x, &[n, c, rows, b, columns, b])?;
    let parts = cx.permute(parts, &order)?;
    let value = cx.reshape(parts, &[n, channels, rows, columns])?;
    cx.one(value)
}
