//! Single buffers of a program, computed from those that are known: what generated kernels are compared with.
//!
//! Invariant: a value is computed from the nearest known ones, so that what one kernel got wrong is not held against the next.
//!
//! Deliberately absent: control flow. What a block leaves is known when it was seen to run.

use super::{InterpError, Interpreter, RawBuffer};
use crate::base::HashMap;
use crate::loops::{BufferId, Program};
use crate::types::SymbolId;
use std::sync::Arc;

/// The nodes of a program, ready to compute buffers.
pub struct Oracle {
    program: Arc<Program>,
    interpreter: Interpreter,
    /// The node that writes each buffer.
    writers: HashMap<BufferId, usize>,
}

/// Buffers by their content, contiguous.
pub type Known = HashMap<BufferId, Arc<Vec<u8>>>;

impl Oracle {
    /// For a program that nothing was fused in.
    pub fn new(program: Arc<Program>) -> Result<Oracle, InterpError> {
        let interpreter = Interpreter::new(Arc::clone(&program))?;
        let mut writers = HashMap::default();
        for (k, kernel) in interpreter.kernels().iter().enumerate() {
            writers.extend(kernel.iter().flat_map(|kernel| kernel.writes()).map(|b| (*b, k)));
        }
        Ok(Oracle { program, interpreter, writers })
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What a buffer should hold. `given` gives inputs and constants, and whatever else is not computed; `None` where the
    /// value depends on one that nobody knows.
    pub fn value<E: From<InterpError>>(
        &self,
        buffer: BufferId,
        known: &Known,
        given: &mut dyn FnMut(BufferId) -> Result<Option<Arc<Vec<u8>>>, E>,
        symbols: &dyn Fn(SymbolId) -> Option<i64>,
    ) -> Result<Option<Arc<Vec<u8>>>, E> {
        let mut made = Known::default();
        // The buffer is computed even where it is known.
        let mut stack = vec![buffer];
        while let Some(next) = stack.last().copied() {
            if made.contains_key(&next) {
                stack.pop();
                continue;
            }
            if next != buffer
                && let Some(value) = known.get(&next)
            {
                made.insert(next, Arc::clone(value));
                continue;
            }
            let Some((kernel, node)) =
                self.writers.get(&next).and_then(|k| Some((self.interpreter.kernels()[*k].as_ref()?, *k)))
            else {
                let Some(value) = given(next)? else { return Ok(None) };
                made.insert(next, value);
                continue;
            };
            let missing: Vec<BufferId> =
                kernel.reads().iter().copied().filter(|b| !made.contains_key(b)).collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let scalars: Option<Vec<i64>> =
                kernel.symbols().iter().map(|s| self.symbol(*s, symbols)).collect();
            let Some(scalars) = scalars else { return Ok(None) };
            let lengths = kernel.byte_lengths(&scalars)?;
            let mut results: Vec<Vec<u8>> =
                lengths[kernel.reads().len()..].iter().map(|n| vec![0; *n]).collect();
            {
                let reads = kernel.reads().iter().map(|b| RawBuffer::Read(&made[b]));
                let mut buffers: Vec<RawBuffer<'_>> = reads.collect();
                buffers.extend(results.iter_mut().map(|r| RawBuffer::Write(r)));
                kernel.try_run(&mut buffers, &scalars)?;
            }
            let outs = self.interpreter.kernels()[node].as_ref().map(|k| k.writes()).unwrap_or_default();
            made.extend(outs.iter().copied().zip(results.into_iter().map(Arc::new)));
        }
        Ok(made.remove(&buffer))
    }

    fn symbol(&self, symbol: SymbolId, values: &dyn Fn(SymbolId) -> Option<i64>) -> Option<i64> {
        let syms = &self.program.syms;
        syms.eval(syms.symbol_expr(symbol), values).ok()
    }
}
