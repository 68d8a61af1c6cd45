//! Operators on elements that are known: chains of `Shape`, `Gather`, `Concat`, arithmetic and the like, which exporters
//! write for sizes, become expressions of symbols here and leave no nodes.
//!
//! Invariant: a result is known only where it is exactly what the operator would compute: integers that cannot wrap, and
//! floats as float64 calculates them, which a cast to an integer ends.

use super::super::FrontendError;
use super::super::error::Result;
use super::super::number::{self, Number};
use super::call::Cx;
use super::data::{Data, attribute};
use super::entry::{Entry, Known, MOST_KNOWN};
use super::reader::{Reader, file};
use crate::ir::{Arg, ConstantData, ConstantKind, Value};
use crate::types::{Dtype, SymArena, SymInt};
use std::rc::Rc;
use std::sync::Arc;

/// One element of a dtype; `None` for those that are not calculated with.
pub fn decode(syms: &SymArena, dtype: Dtype, b: &[u8]) -> Option<Number> {
    let int = |v: i64| Some(Number::Int(syms.constant(v)));
    match dtype {
        Dtype::Bool => Some(Number::Bool(syms.constant((b[0] != 0) as i64))),
        Dtype::Uint8 => int(b[0] as i64),
        Dtype::Int8 => int(b[0] as i8 as i64),
        Dtype::Uint16 => int(u16::from_le_bytes(b.try_into().ok()?) as i64),
        Dtype::Int16 => int(i16::from_le_bytes(b.try_into().ok()?) as i64),
        Dtype::Uint32 => int(u32::from_le_bytes(b.try_into().ok()?) as i64),
        Dtype::Int32 => int(i32::from_le_bytes(b.try_into().ok()?) as i64),
        Dtype::Int64 => int(i64::from_le_bytes(b.try_into().ok()?)),
        Dtype::Uint64 => int(i64::try_from(u64::from_le_bytes(b.try_into().ok()?)).ok()?),
        Dtype::Float16 => Some(Number::Float(half::f16::from_le_bytes(b.try_into().ok()?).to_f64())),
        Dtype::Bfloat16 => Some(Number::Float(half::bf16::from_le_bytes(b.try_into().ok()?).to_f64())),
        Dtype::Float32 => Some(Number::Float(f32::from_le_bytes(b.try_into().ok()?) as f64)),
        Dtype::Float64 => Some(Number::Float(f64::from_le_bytes(b.try_into().ok()?))),
        _ => None,
    }
}

/// The bytes of a known number of a dtype.
fn encode(syms: &SymArena, dtype: Dtype, number: Number) -> Option<Vec<u8>> {
    if dtype.is_float() {
        let v = match number {
            Number::Float(v) => v,
            Number::Int(v) | Number::Bool(v) => syms.as_const(v)? as f64,
            _ => return None,
        };
        return Some(match dtype {
            Dtype::Float16 => half::f16::from_f32(v as f32).to_le_bytes().to_vec(),
            Dtype::Bfloat16 => half::bf16::from_f32(v as f32).to_le_bytes().to_vec(),
            Dtype::Float32 => (v as f32).to_le_bytes().to_vec(),
            Dtype::Float64 => v.to_le_bytes().to_vec(),
            _ => return None,
        });
    }
    let (Number::Int(v) | Number::Bool(v)) = number else { return None };
    Some(syms.as_const(v)?.to_le_bytes()[..dtype.size()].to_vec())
}

impl Reader<'_> {
    /// Known elements as a tensor: a constant, or built of the symbols.
    pub fn materialize(&mut self, known: &Known) -> Result<Value> {
        let syms = self.graph().syms.clone();
        let bytes: Option<Vec<Vec<u8>>> =
            known.items.iter().map(|n| encode(&syms, known.dtype, *n)).collect();
        if let Some(bytes) = bytes {
            let data = Data {
                name: String::new(),
                kind: ConstantKind::Constant,
                dtype: known.dtype,
                narrow: None,
                shape: known.shape.clone(),
                bytes: Arc::new(ConstantData::Owned(bytes.concat())),
            };
            let Entry::Tensor(tensor) = file(data) else {
                return Err(FrontendError::parse("data that are no tensor"));
            };
            return self.value(&tensor);
        }
        let mut items = Vec::new();
        for item in &known.items {
            let arg = match *item {
                Number::Int(v) | Number::Bool(v) => Arg::Int(v),
                float => Arg::SymFloat(number::float_bits(&syms, float)),
            };
            let dtype = vec![("dtype", Arg::Dtype(known.dtype))];
            items.push(Some(self.builder().op_with("aten.scalar_tensor.default", vec![arg], dtype)?));
        }
        let shape = Arg::Ints(known.shape.iter().map(|n| syms.constant(*n)).collect());
        let mut builder = self.builder();
        let stacked = builder.op("aten.stack.default", vec![Arg::Values(items)])?;
        Ok(builder.op("aten.reshape.default", vec![Arg::Value(stacked), shape])?)
    }
}

fn list(dtype: Dtype, items: Vec<Number>) -> Known {
    Known { dtype, shape: vec![items.len() as i64], items }
}

/// What the node gives, where its inputs are known and its operator is one of those that shapes are computed with.
pub fn fold(cx: &mut Cx<'_, '_>) -> Result<Option<Known>> {
    if !super::reader::plain(&cx.node.domain).is_empty() || cx.results() > 1 {
        return Ok(None);
    }
    let operator = &cx.node.op_type[..];
    match operator {
        "Shape" | "Size" => return shape(cx).map(Some),
        "Constant" => return Ok(None),
        _ => {}
    }
    if !FOLDED.contains(&operator) {
        return Ok(None);
    }
    let mut inputs: Vec<Option<Rc<Known>>> = Vec::new();
    for k in 0..cx.inputs.len() {
        let known = cx.known(k)?;
        if known.is_none() && cx.has(k) {
            return Ok(None);
        }
        inputs.push(known);
    }
    let Some(Some(first)) = inputs.first().cloned() else { return Ok(None) };
    // Floats are calculated with as scalars and short lists: sizes scaled and rounded. Data are left to kernels.
    if inputs.iter().flatten().any(|k| k.dtype.is_float() && k.items.len() > 16) {
        return Ok(None);
    }
    Ok(known(cx, operator, &first, &inputs).filter(|k| k.items.len() <= MOST_KNOWN))
}

const FOLDED: [&str; 36] = [
    "Identity",
    "Cast",
    "Gather",
    "Concat",
    "Slice",
    "Squeeze",
    "Unsqueeze",
    "Reshape",
    "Transpose",
    "Expand",
    "ConstantOfShape",
    "Range",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Mod",
    "Min",
    "Max",
    "Neg",
    "Abs",
    "Floor",
    "Ceil",
    "Equal",
    "Less",
    "LessOrEqual",
    "Greater",
    "GreaterOrEqual",
    "And",
    "Or",
    "Not",
    "Where",
    "ReduceProd",
    "ReduceSum",
    "ReduceMax",
    "Sqrt",
];

/// A tensor's sizes, or how many elements it has.
fn shape(cx: &mut Cx<'_, '_>) -> Result<Known> {
    let tensor = cx.tensor(0)?;
    let syms = cx.syms.clone();
    let sizes: Vec<SymInt> = match (&tensor.at, &tensor.known) {
        (super::entry::At::Graph(level, value), _) => {
            cx.reader.frames[*level].graph.meta(*value).shape.clone()
        }
        (super::entry::At::File(data), _) => data.shape.iter().map(|n| syms.constant(*n)).collect(),
        (_, Some(known)) => known.shape.iter().map(|n| syms.constant(*n)).collect(),
        _ => return Err(FrontendError::parse("a tensor of which nothing is known")),
    };
    cx.reader.sizes.extend(&sizes);
    if cx.node.op_type == "Size" {
        let items = vec![Number::Int(syms.product(&sizes))];
        return Ok(Known { dtype: Dtype::Int64, shape: Vec::new(), items });
    }
    let rank = sizes.len() as i64;
    let place = |at: i64| (if at < 0 { at.saturating_add(rank) } else { at }).clamp(0, rank) as usize;
    let (start, end) = (place(cx.attr_or("start", 0)), place(cx.attr_or("end", rank)));
    let chosen = sizes.get(start..end).unwrap_or_default();
    Ok(list(Dtype::Int64, chosen.iter().map(|s| Number::Int(*s)).collect()))
}

fn ints(syms: &SymArena, known: &Known) -> Option<Vec<i64>> {
    known.items.iter().map(|n| super::call::constant(syms, *n)).collect()
}

/// The result, or `None` where it is not known exactly. Errors of a node are left to its rule.
fn known(cx: &Cx<'_, '_>, operator: &str, first: &Rc<Known>, inputs: &[Option<Rc<Known>>]) -> Option<Known> {
    let syms = &cx.syms;
    let given = |k: usize| inputs.get(k).and_then(Option::as_ref);
    let dtype = first.dtype;
    let all = |dtype: Dtype, f: &dyn Fn(Number) -> Option<Number>| {
        let items = first.items.iter().map(|n| f(*n)).collect::<Option<Vec<_>>>()?;
        Some(Known { dtype, shape: first.shape.clone(), items })
    };
    // An integer's range is that of 64 bits: narrower ones may wrap.
    let wide = dtype == Dtype::Int64 || dtype == Dtype::Float32 || dtype == Dtype::Float64;
    let apply = |name: &str, args: &[Number]| number::evaluate(syms, name, args).ok();
    match operator {
        "Identity" => Some((**first).clone()),
        "Cast" => {
            let (to, narrow) = attribute(cx.attr_or("to", 0)).ok()?;
            if narrow.is_some() {
                return None;
            }
            all(to, &|n| cast(syms, n, to))
        }
        "Neg" if wide => all(dtype, &|n| apply("neg", &[n])),
        "Abs" if wide => all(dtype, &|n| apply("abs", &[n])),
        "Not" => all(Dtype::Bool, &|n| apply("not", &[n])),
        // Of floats that are known, as kernels compute them.
        "Sqrt" if dtype == Dtype::Float64 || dtype == Dtype::Float32 => {
            all(dtype, &|n| if let Number::Float(v) = n { Some(rounded(dtype, v.sqrt())) } else { None })
        }
        "Floor" | "Ceil" if dtype.is_float() => all(dtype, &|n| {
            let whole = apply(if operator == "Floor" { "floor" } else { "ceil" }, &[n])?;
            apply("float", &[whole])
        }),
        "Add" | "Sub" | "Mul" | "Div" | "Mod" | "Min" | "Max" if wide => {
            let second = given(1)?;
            if inputs.len() != 2 {
                return None;
            }
            broadcast(first, second, dtype, |a, b| arithmetic(cx, operator, dtype, a, b))
        }
        "Equal" | "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual" => {
            let name = match operator {
                "Equal" => "eq",
                "Less" => "lt",
                "LessOrEqual" => "le",
                "Greater" => "gt",
                _ => "ge",
            };
            broadcast(first, given(1)?, Dtype::Bool, |a, b| match (a, b) {
                (Number::Bool(a), Number::Bool(b)) => apply(name, &[Number::Int(a), Number::Int(b)]),
                (a, b) => apply(name, &[a, b]),
            })
        }
        "And" | "Or" => {
            let name = if operator == "And" { "and" } else { "or" };
            broadcast(first, given(1)?, Dtype::Bool, |a, b| apply(name, &[a, b]))
        }
        "Where" => {
            let (yes, no) = (given(1)?, given(2)?);
            let pairs = broadcast(first, yes, yes.dtype, |_, b| Some(b))?;
            let conditions = broadcast(first, &pairs, Dtype::Bool, |a, _| Some(a))?;
            let chosen = broadcast(&pairs, no, yes.dtype, |a, _| Some(a))?;
            let others = broadcast(&chosen, no, yes.dtype, |_, b| Some(b))?;
            let conditions = broadcast(&conditions, &others, Dtype::Bool, |a, _| Some(a))?;
            let items = conditions.items.iter().zip(&chosen.items).zip(&others.items);
            let items = items.map(|((c, a), b)| match (c, a, b) {
                (Number::Bool(c), Number::Int(a), Number::Int(b)) => {
                    Some(Number::Int(syms.select(*c, *a, *b)))
                }
                (Number::Bool(c), a, b) => Some(if syms.as_const(*c)? != 0 { *a } else { *b }),
                _ => None,
            });
            Some(Known {
                dtype: yes.dtype,
                shape: chosen.shape.clone(),
                items: items.collect::<Option<_>>()?,
            })
        }
        "Gather" => {
            let indices = given(1)?;
            let places = ints(syms, indices)?;
            let axis = cx.dim(cx.attr_or("axis", 0), first.shape.len()).ok()?;
            let (outer, size, inner) = around(&first.shape, axis)?;
            // Counted first: beside a size of 0, others may be of any size.
            let count = outer.checked_mul(places.len())?.checked_mul(inner)?;
            if count > MOST_KNOWN || outer > MOST_KNOWN {
                return None;
            }
            let mut items = Vec::new();
            for o in 0..outer {
                for place in &places {
                    let place = if *place < 0 { place + size as i64 } else { *place };
                    let place = usize::try_from(place).ok().filter(|p| *p < size)?;
                    items.extend((0..inner).map(|i| first.items[(o * size + place) * inner + i]));
                }
            }
            let mut shape = first.shape[..axis].to_vec();
            shape.extend(&indices.shape);
            shape.extend(&first.shape[axis + 1..]);
            Some(Known { dtype, shape, items })
        }
        "Concat" if first.shape.len() == 1 => {
            let mut items = Vec::new();
            for input in inputs {
                let input = input.as_ref().filter(|k| k.shape.len() == 1 && k.dtype == dtype)?;
                items.extend(&input.items);
                if items.len() > MOST_KNOWN {
                    return None;
                }
            }
            Some(list(dtype, items))
        }
        "Slice" => sliced(cx, first, inputs),
        "Transpose" => {
            let rank = first.shape.len();
            let order = cx.list("perm").unwrap_or_else(|| (0..rank as i64).rev().collect());
            let sorted = cx.dims(&order, rank).ok()?;
            // Beside a size of 0, others may be of any size.
            if sorted.len() != rank || (first.items.is_empty() && rank > 1) {
                return None;
            }
            let all = |d: &i64| (*d as usize, (0..first.shape[*d as usize]).collect());
            picked(first, order.iter().map(all).collect())
        }
        "Squeeze" | "Unsqueeze" | "Reshape" => {
            let shape = match operator {
                "Reshape" => {
                    let sizes = ints(syms, given(1)?)?;
                    let mut sizes: Vec<i64> = sizes
                        .into_iter()
                        .enumerate()
                        .map(|(k, n)| {
                            if n == 0 && !cx.flag("allowzero") {
                                first.shape.get(k).copied()
                            } else {
                                Some(n)
                            }
                        })
                        .collect::<Option<_>>()?;
                    let rest = product(sizes.iter().filter(|n| **n >= 0))?;
                    let total = first.items.len() as i64;
                    if let Some(free) = sizes.iter_mut().find(|n| **n == -1) {
                        *free = total.checked_div(rest)?;
                    }
                    sizes
                }
                _ => {
                    let axes = match given(1) {
                        Some(axes) => Some(ints(syms, axes)?),
                        None => cx.list("axes"),
                    };
                    resqueezed(cx, operator == "Squeeze", &first.shape, axes)?
                }
            };
            let same = shape.iter().all(|n| *n >= 0) && product(&shape)? == first.items.len() as i64;
            same.then(|| Known { dtype, shape, items: first.items.clone() })
        }
        "Expand" => {
            let sizes = ints(syms, given(1)?)?;
            let count = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(usize::try_from(*s).ok()?))?;
            if count > MOST_KNOWN {
                return None;
            }
            let ones = Known { dtype, shape: sizes, items: vec![Number::Int(syms.constant(1)); count] };
            broadcast(first, &ones, dtype, |a, _| Some(a))
        }
        "ConstantOfShape" => {
            let shape = ints(syms, first)?;
            let count = shape.iter().try_fold(1usize, |n, s| n.checked_mul(usize::try_from(*s).ok()?))?;
            if count > 64
                || cx.attribute("value").is_some_and(|a| a.tensor.as_ref().is_some_and(|t| t.data_type != 7))
            {
                return None;
            }
            let value = match cx.attribute("value") {
                Some(a) => {
                    let t = a.tensor.as_ref()?;
                    let raw = t.raw.as_ref().and_then(|r| decode(syms, Dtype::Int64, r.get(..8)?));
                    raw.or_else(|| t.longs.first().map(|v| Number::Int(syms.constant(*v))))?
                }
                None => return None,
            };
            Some(Known { dtype: Dtype::Int64, shape, items: vec![value; count] })
        }
        "Range" if dtype == Dtype::Int64 => {
            let bounds = [ints(syms, first)?, ints(syms, given(1)?)?, ints(syms, given(2)?)?].concat();
            let [start, limit, step] = bounds[..] else { return None };
            let step = if step == 0 { return None } else { step };
            let count = limit.checked_sub(start)?.checked_add(step - step.signum())?.checked_div(step)?;
            if count > 64 {
                return None;
            }
            Some(list(dtype, (0..count).map(|k| Number::Int(syms.constant(start + k * step))).collect()))
        }
        "ReduceProd" | "ReduceSum" | "ReduceMax" if dtype == Dtype::Int64 && first.shape.len() == 1 => {
            let start = match (operator, first.items.first()) {
                ("ReduceProd", _) => Number::Int(syms.constant(1)),
                ("ReduceSum", _) => Number::Int(syms.constant(0)),
                (_, first) => *first?,
            };
            if given(1).is_none_or(|axes| axes.items.is_empty()) && cx.flag("noop_with_empty_axes") {
                return None;
            }
            let name = match operator {
                "ReduceProd" => "mul",
                "ReduceSum" => "add",
                _ => "max",
            };
            let result = first.items.iter().try_fold(start, |a, b| apply(name, &[a, *b]))?;
            let shape = if cx.attr_or("keepdims", 1) != 0 { vec![1] } else { Vec::new() };
            Some(Known { dtype, shape, items: vec![result] })
        }
        _ => None,
    }
}

/// A part of known elements, by places in some of their dimensions.
fn sliced(cx: &Cx<'_, '_>, first: &Known, inputs: &[Option<Rc<Known>>]) -> Option<Known> {
    let list = |k: usize| inputs.get(k).and_then(Option::as_ref).map(|known| ints(&cx.syms, known));
    let (starts, ends) = (list(1)??, list(2)??);
    let axes = list(3).unwrap_or_else(|| Some((0..starts.len() as i64).collect()))?;
    let steps = list(4).unwrap_or_else(|| Some(vec![1; starts.len()]))?;
    if [&ends, &axes, &steps].iter().any(|list| list.len() != starts.len())
        || (first.items.is_empty() && first.shape.len() > 1)
    {
        return None;
    }
    let mut places: Vec<(usize, Vec<i64>)> =
        first.shape.iter().enumerate().map(|(d, n)| (d, (0..*n).collect())).collect();
    for (k, axis) in axes.iter().enumerate() {
        let dim = cx.dim(*axis, first.shape.len()).ok()?;
        let (n, step) = (first.shape[dim], steps[k]);
        let bound =
            |at: i64, low: i64, high: i64| (if at < 0 { at.saturating_add(n) } else { at }).clamp(low, high);
        let (start, end) = match step {
            0 => return None,
            1.. => (bound(starts[k], 0, n), bound(ends[k], 0, n)),
            _ => (bound(starts[k], -1, n - 1), bound(ends[k], -1, n - 1)),
        };
        let reached = |at: &i64| if step > 0 { *at < end } else { *at > end };
        places[dim].1 =
            std::iter::successors(Some(start), |at| at.checked_add(step)).take_while(reached).collect();
    }
    picked(first, places)
}

/// The elements at places in each dimension, the dimensions in the order that the result has them in.
fn picked(first: &Known, places: Vec<(usize, Vec<i64>)>) -> Option<Known> {
    let mut flat = vec![0];
    for (dim, list) in &places {
        let step = product(&first.shape[dim + 1..])?;
        flat = flat.iter().flat_map(|at| list.iter().map(move |place| at + place * step)).collect();
    }
    let items = flat.iter().map(|at| first.items.get(*at as usize).copied()).collect::<Option<_>>()?;
    Some(Known {
        dtype: first.dtype,
        shape: places.iter().map(|(_, list)| list.len() as i64).collect(),
        items,
    })
}

/// Sizes without, or with, dimensions of one element.
pub fn resqueezed(cx: &Cx<'_, '_>, squeeze: bool, shape: &[i64], axes: Option<Vec<i64>>) -> Option<Vec<i64>> {
    let rank = shape.len() + if squeeze { 0 } else { axes.as_ref()?.len() };
    let Some(axes) = axes else {
        return Some(shape.iter().copied().filter(|n| *n != 1).collect());
    };
    let dims = cx.dims(&axes, rank).ok()?;
    if squeeze {
        let kept = shape.iter().enumerate().filter(|(k, _)| !dims.contains(&(*k as i64)));
        return Some(kept.map(|(_, n)| *n).collect());
    }
    let mut own = shape.iter();
    (0..rank as i64).map(|k| if dims.contains(&k) { Some(1) } else { own.next().copied() }).collect()
}

/// Elements before a dimension, its own, and those behind it.
fn around(shape: &[i64], axis: usize) -> Option<(usize, usize, usize)> {
    let count = |list: &[i64]| usize::try_from(product(list)?).ok();
    Some((count(&shape[..axis])?, usize::try_from(shape[axis]).ok()?, count(&shape[axis + 1..])?))
}

fn product<'n>(sizes: impl IntoIterator<Item = &'n i64>) -> Option<i64> {
    sizes.into_iter().try_fold(1i64, |n, size| n.checked_mul(*size))
}

fn rounded(dtype: Dtype, v: f64) -> Number {
    Number::Float(if dtype == Dtype::Float32 { v as f32 as f64 } else { v })
}

fn cast(syms: &SymArena, number: Number, to: Dtype) -> Option<Number> {
    if to == Dtype::Bool {
        return number::truth(syms, number).ok().map(Number::Bool);
    }
    if to.is_float() {
        let float = number::evaluate(syms, "float", &[number]).ok()?;
        return Some(match (float, to) {
            (Number::Float(v), Dtype::Float32) => Number::Float(v as f32 as f64),
            (Number::Float(_), Dtype::Float64) | (_, Dtype::Float32 | Dtype::Float64) => float,
            _ => return None,
        });
    }
    let whole = match number {
        Number::Bool(v) | Number::Int(v) => v,
        Number::Float(v) if !v.is_finite() => return None,
        float => match number::evaluate(syms, "int", &[float]).ok()? {
            Number::Int(v) => v,
            _ => return None,
        },
    };
    let (low, high) = to.integer_range()?;
    let range = syms.range(whole);
    let fits = syms.as_const(whole).is_some_and(|v| (low..=high).contains(&v));
    // Sizes fit 32 bits as far as they ever come in such chains; a run of larger ones would fail for want of memory.
    let size = range.min >= 0 && to.size() >= 4;
    (fits || size || to == Dtype::Int64).then_some(Number::Int(whole))
}

fn arithmetic(cx: &Cx<'_, '_>, operator: &str, dtype: Dtype, a: Number, b: Number) -> Option<Number> {
    let syms = &cx.syms;
    let apply = |name: &str| number::evaluate(syms, name, &[a, b]).ok();
    let result = match operator {
        "Add" => apply("add"),
        "Sub" => apply("sub"),
        "Mul" => apply("mul"),
        "Min" => apply("min"),
        "Max" => apply("max"),
        "Div" if dtype.is_float() => apply("truediv"),
        "Div" | "Mod" => {
            let (Number::Int(x), Number::Int(y)) = (a, b) else { return None };
            // Where neither is negative, rounding down is rounding towards zero.
            if syms.range(x).min < 0 || syms.range(y).min < 1 {
                let (x, y) = (syms.as_const(x)?, syms.as_const(y)?);
                let quotient = x.checked_div(y)?;
                let result = match operator {
                    "Div" => quotient,
                    _ if cx.flag("fmod") => x.checked_rem(y)?,
                    _ => x.checked_rem(y)?.checked_add(y)?.checked_rem(y)?,
                };
                return Some(Number::Int(syms.constant(result)));
            }
            match operator {
                "Div" => Some(Number::Int(syms.divide_exact(x, y).unwrap_or_else(|| syms.floordiv(x, y)))),
                _ => Some(Number::Int(syms.modulo(x, y))),
            }
        }
        _ => None,
    }?;
    Some(match result {
        Number::Float(v) => rounded(dtype, v),
        other => other,
    })
}

/// Both with each other's sizes, element by element.
fn broadcast(
    a: &Known,
    b: &Known,
    dtype: Dtype,
    f: impl Fn(Number, Number) -> Option<Number>,
) -> Option<Known> {
    let rank = a.shape.len().max(b.shape.len());
    let size =
        |k: &Known, d: usize| if d + k.shape.len() < rank { 1 } else { k.shape[d + k.shape.len() - rank] };
    let mut shape = Vec::new();
    for d in 0..rank {
        shape.push(match (size(a, d), size(b, d)) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => return None,
        });
    }
    let count =
        shape.iter().try_fold(1usize, |n, s| n.checked_mul(*s as usize)).filter(|n| *n <= MOST_KNOWN)?;
    let place = |k: &Known, mut flat: usize| {
        let (mut at, mut step) = (0, 1);
        for d in (0..rank).rev() {
            let (own, all) = (size(k, d) as usize, shape[d] as usize);
            if own != 1 {
                at += flat % all * step;
                step *= own;
            }
            flat /= all;
        }
        at
    };
    let items = (0..count).map(|flat| f(a.items[place(a, flat)], b.items[place(b, flat)]));
    let items = items.collect::<Option<_>>()?;
    Some(Known { dtype, shape, items })
}
