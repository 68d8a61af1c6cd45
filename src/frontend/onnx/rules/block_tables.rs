//! `GatherBlockQuantized` of `com.microsoft`: slices of a table whose blocks each have a scale and a zero point.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::super::data::Narrow;
use super::microsoft::takes;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

pub fn gather(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 4, &["bits", "block_size", "gather_axis", "quantize_axis"])?;
    let (table, narrow) = (cx.raw(0)?, cx.narrow(0));
    let (index, scales) = (cx.value(1)?, cx.value(2)?);
    let (rank, dtype) = (cx.rank(table), cx.dtype(scales));
    let axis = cx.dim(cx.attr_or("gather_axis", 0), rank)?;
    let blocked = cx.dim(cx.attr_or("quantize_axis", 1), rank)?;
    let block = cx.attr_or("block_size", 128);
    let bits = cx.attr_or("bits", 4);
    // How many bits each number of a byte has, and what stands for zero without zero points.
    let (packed, middle) = match narrow {
        Some(Narrow::Float(_)) => return Err(cx.refuse("a table of floats")),
        Some(Narrow::Int { .. }) => (8, 0.0),
        None if cx.dtype(table) != Dtype::Uint8 => {
            return Err(cx.wrong("its table is of no integers of 8 bits"));
        }
        None if ![2, 4, 8].contains(&bits) => return Err(cx.refuse(format!("of {bits} bits"))),
        None => (bits, (1 << (bits - 1)) as f64),
    };
    if block < 1 || cx.rank(scales) != rank {
        return Err(cx.wrong(format!("blocks of {block} with scales of rank {}", cx.rank(scales))));
    }
    if packed < 8 && (blocked + 1 != rank || axis == blocked) {
        return Err(
            cx.wrong("its bytes hold several numbers of a dimension that has no blocks or is gathered")
        );
    }
    let places = Places::of(cx, index, cx.size(table, axis)?)?;
    // Slices are few where a table is long: they are taken before anything is computed of them.
    let first = axis != blocked;
    let taken = |cx: &mut Cx<'_, '_>, x: Value| if first { places.taken(cx, x, axis) } else { Ok(x) };
    let along = match first && blocked > axis {
        true => blocked - 1 + cx.rank(index),
        false => blocked,
    };
    let (table, scales) = (taken(cx, table)?, taken(cx, scales)?);
    let whole = unpacked(cx, table, packed)?;
    let whole = cx.cast(whole, dtype)?;
    let (count, blocks) = (cx.size(whole, along)?, cx.size(scales, along)?);
    let spread = |cx: &mut Cx<'_, '_>, x: Value| {
        let args = [Arg::Value(x), cx.int(block), cx.int(along as i64), Arg::Int(count)];
        cx.call("slice.Tensor(repeat_interleave.self_int($0, $1, $2), $2, 0, $3)", &args)
    };
    let scales = spread(cx, scales)?;
    let centred = match cx.has(3) {
        false => cx.call("sub($0, $1)", &[Arg::Value(whole), Arg::Float(middle)])?,
        true => {
            let zero = cx.raw(3)?;
            let zero = taken(cx, zero)?;
            let zero = unpacked(cx, zero, packed)?;
            // Each row of them ends with a whole byte.
            let args = [Arg::Value(zero), cx.int(along as i64), Arg::Int(blocks)];
            let zero = cx.call("slice.Tensor($0, $1, 0, $2)", &args)?;
            let zero = cx.cast(zero, dtype)?;
            let zero = spread(cx, zero)?;
            cx.of("sub($0, $1)", &[whole, zero])?
        }
    };
    let mut value = cx.of("mul($0, $1)", &[centred, scales])?;
    if !first {
        value = places.taken(cx, value, axis)?;
    }
    let value = places.inside(cx, value, axis)?;
    cx.one(value)
}

/// Where slices are, and which of them there are: others are zeros.
struct Places {
    index: Value,
    inside: Value,
}

impl Places {
    fn of(cx: &mut Cx<'_, '_>, index: Value, size: SymInt) -> Result<Places> {
        let index = cx.cast(index, Dtype::Int64)?;
        let (none, last) = (cx.syms.mul_const(size, -1), cx.syms.add_const(size, -1));
        let args = [Arg::Value(index), Arg::Int(none), Arg::Int(size), Arg::Int(last)];
        let inside = cx.call("logical_and(ge($0, $1), lt($0, $2))", &args)?;
        let index = cx.call("clamp(where.self(lt($0, 0), add($0, $2), $0), 0, $3)", &args)?;
        Ok(Places { index, inside })
    }

    fn taken(&self, cx: &mut Cx<'_, '_>, x: Value, axis: usize) -> Result<Value> {
        let mut list = vec![None; axis];
        list.push(Some(self.index));
        cx.call("index.Tensor($0, $1)", &[Arg::Value(x), Arg::Values(list)])
    }

    fn inside(&self, cx: &mut Cx<'_, '_>, x: Value, axis: usize) -> Result<Value> {
        let mut sizes = cx.shape(self.inside);
        sizes.resize(cx.rank(x) - axis, cx.syms.constant(1));
        let args = [Arg::Value(self.inside), Arg::Ints(sizes), Arg::Value(x)];
        cx.call("masked_fill.Scalar($2, logical_not(reshape($0, $1)), 0)", &args)
    }
}

/// The numbers of bytes that hold several each along the last dimension, the lowest bits first.
fn unpacked(cx: &mut Cx<'_, '_>, bytes: Value, bits: i64) -> Result<Value> {
    if bits == 8 {
        return Ok(bytes);
    }
    let mut parts = Vec::new();
    for k in 0..8 / bits {
        let args = [Arg::Value(bytes), cx.int(k * bits), cx.int((1 << bits) - 1)];
        parts.push(Some(cx.call("bitwise_and.Scalar(__rshift__.Scalar($0, $1), $2)", &args)?));
    }
    cx.call("flatten.using_ints(stack($0, -1), -2)", &[Arg::Values(parts)])
}
