//! Splits of a dimension whose size only a run knows, into as many parts as the program says. The parts have sizes that
//! are symbols' expressions, and a guard holds each run to that number of parts.

use super::{Builder, MetaError, infer};
use crate::base::Status;
use crate::ir::{Arg, Guard, Value};
use crate::ops::OpId;
use crate::types::SymInt;
use std::sync::Arc;

type Results = Result<Vec<Value>, MetaError>;

/// What a split gives whose number of parts the sizes leave open; `None` where its rule finds the number. A program
/// names the results it was made with; without that, `chunk` gives as many parts as it is asked for.
pub(super) fn expand(b: &mut Builder<'_>, op: OpId, args: &[Arg]) -> Option<Results> {
    let by_sizes = match op {
        OpId::Chunk | OpId::SplitTensor => "aten.split_with_sizes.default",
        OpId::UnsafeChunk | OpId::UnsafeSplitTensor => "aten.unsafe_split_with_sizes.default",
        OpId::SplitCopyTensor => "aten.split_with_sizes_copy.default",
        OpId::UnbindInt => "aten.select.int",
        OpId::UnbindCopyInt => "aten.select_copy.int",
        _ => return None,
    };
    let schema = op.schema();
    let arg = |name: &str| schema.arg(name).and_then(|k| args[k].int());
    let syms = Arc::clone(&b.graph.syms);
    let meta = b.graph.meta(args[0].value()?);
    let dim = syms.as_const(arg("dim")?)?;
    let rank = meta.rank() as i64;
    let place = if dim < 0 { dim.checked_add(rank)? } else { dim };
    let size = *meta.shape.get(usize::try_from(place).ok()?)?;
    // A size or a list of them that is known leaves nothing open, and what is wrong with it is the rule's to say.
    if syms.as_const(size).is_some() || infer(b.graph, op, args).is_ok() {
        return None;
    }
    let chunks = arg("chunks").and_then(|n| syms.as_const(n));
    let count = b.results.map(|n| n as i64).or(chunks)?;
    let most = super::rules::MOST_RESULTS;
    if !(1..=most).contains(&count) || chunks.is_some_and(|n| n < count) {
        return None;
    }
    let zero = syms.constant(0);
    if matches!(op, OpId::UnbindInt | OpId::UnbindCopyInt) {
        return Some(b.hold(op, syms.eq(size, syms.constant(count)), size, count).and_then(|()| {
            let one =
                |k: i64| vec![args[0].clone(), Arg::Int(syms.constant(dim)), Arg::Int(syms.constant(k))];
            (0..count).map(|k| b.op(by_sizes, one(k))).collect()
        }));
    }
    let each = match chunks {
        Some(chunks) => syms.ceildiv(size, syms.constant(chunks)),
        None => arg("split_size")?,
    };
    let before = syms.mul_const(each, count - 1);
    let mut fits = syms.le(size, syms.mul_const(each, count));
    // An empty dimension is one part of `split`, but as many chunks as `chunk` was asked for.
    if count > 1 || chunks.is_some_and(|n| n != count) {
        fits = syms.and(fits, syms.lt(before, size));
    }
    if chunks == Some(count) {
        fits = syms.or(syms.lt(before, size), syms.eq(size, zero));
    }
    let mut sizes = vec![each; count as usize - 1];
    sizes.push(syms.sub(size, before));
    Some(b.hold(op, fits, size, count).and_then(|()| {
        b.call_named(
            by_sizes,
            vec![args[0].clone(), Arg::Ints(sizes), Arg::Int(syms.constant(dim))],
            Vec::new(),
        )
    }))
}

impl Builder<'_> {
    /// Each run has a size that gives this number of parts.
    fn hold(&mut self, op: OpId, fits: SymInt, size: SymInt, count: i64) -> Result<(), MetaError> {
        let syms = &self.graph.syms;
        let message = format!("{}: size {} does not give {count} parts", op.name(), syms.display(size));
        match syms.decide(fits) {
            Some(true) => {}
            Some(false) => return Err(MetaError::new(Status::Shape, op.name(), message)),
            None => {
                let guard = Guard { condition: fits, message };
                if !self.graph.guards.contains(&guard) {
                    self.graph.guards.push(guard);
                }
            }
        }
        Ok(())
    }
}
