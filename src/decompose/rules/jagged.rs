//! Jagged tensors and dense ones: rows are looked up by where their parts begin.

use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

impl Decompose<'_> {
    fn numbers(&mut self, count: SymInt) -> Built {
        self.call_with(
            "aten.arange.default",
            vec![Arg::Int(count)],
            vec![("dtype", Arg::Dtype(Dtype::Int64))],
        )
    }
    /// Where parts begin and where they end.
    fn ends(&mut self) -> Result<(Value, Value), DecomposeError> {
        let offsets = self.values("offsets")[0];
        let offsets = self.cast(offsets, Dtype::Int64)?;
        let parts = self.syms().add_const(self.shape(offsets)[0], -1);
        let narrow = |cx: &mut Self, from: i64| {
            let (dim, from) = (cx.int_arg(0), cx.int_arg(from));
            cx.call("aten.narrow.default", vec![Arg::Value(offsets), dim, from, Arg::Int(parts)])
        };
        Ok((narrow(self, 0)?, narrow(self, 1)?))
    }
}

/// Places past a part's end read one row of padding, which is appended to the values.
pub fn jagged_to_padded(cx: &mut Decompose<'_>) -> Results {
    let values = cx.value("values")?;
    let (dtype, mut shape) = (cx.dtype_of(values), cx.shape(values));
    let rows = std::mem::replace(&mut shape[0], cx.constant(1));
    let padding = cx.float("padding_value").unwrap_or(0.0);
    let padding = cx.call_with(
        "aten.full.default",
        vec![Arg::Ints(shape), Arg::Float(padding)],
        vec![("dtype", Arg::Dtype(dtype))],
    )?;
    let padded = cx.cat(vec![values, padding], 0)?;
    let (begin, end) = cx.ends()?;
    let (begin, end) = (cx.unsqueeze(begin, 1)?, cx.unsqueeze(end, 1)?);
    let length = cx.ints("max_lengths").and_then(|l| l.first().copied()).unwrap_or(rows);
    let place = cx.numbers(length)?;
    let row = cx.add(begin, place)?;
    let inside = cx.compare("lt", row, end)?;
    let behind = cx.call_with(
        "aten.scalar_tensor.default",
        vec![Arg::Int(rows)],
        vec![("dtype", Arg::Dtype(Dtype::Int64))],
    )?;
    let row = cx.select(inside, row, behind)?;
    Ok(vec![cx.call("aten.index.Tensor", vec![Arg::Value(padded), Arg::Values(vec![Some(row)])])?])
}

pub fn padded_to_jagged(cx: &mut Decompose<'_>) -> Results {
    let dense = cx.value("dense")?;
    let Some(total) = cx.int("total_L") else { return Err(cx.unsupported("`total_L` must be known")) };
    let (begin, end) = cx.ends()?;
    let row = cx.numbers(total)?;
    // The part of a row: as many parts as have ended.
    let part = cx.call_with(
        "aten.searchsorted.Tensor",
        vec![Arg::Value(end), Arg::Value(row)],
        vec![("right", Arg::Bool(true))],
    )?;
    let begin = cx.call("aten.index.Tensor", vec![Arg::Value(begin), Arg::Values(vec![Some(part)])])?;
    let place = cx.sub(row, begin)?;
    let at = Arg::Values(vec![Some(part), Some(place)]);
    Ok(vec![cx.call("aten.index.Tensor", vec![Arg::Value(dense), at])?])
}
