//! Bounds of nodes that are no loop nest: control, templates with spaces of their own, and a library's routines.

use super::facts::Facts;
use super::{Access, BoundsError, Failure, Verifier};
use crate::base::HashMap;
use crate::loops::routine::{Layout, layout};
use crate::loops::{Attention, AttentionBackward, Control, Convolution, Routine};
use crate::types::SymInt;

impl Verifier<'_> {
    pub(super) fn control(&mut self, control: &Control) -> Result<(), Failure> {
        if let Control::If { .. }
        | Control::Else
        | Control::EndIf
        | Control::While
        | Control::Do { .. }
        | Control::EndWhile
        | Control::Function { .. }
        | Control::EndFunction = control
        {
            self.counts.leave_block();
        }
        match control {
            Control::Copy { destination, source } => {
                // The source was computed before symbols were set anew for the destination.
                let before = |size: &SymInt| {
                    self.sets.iter().rev().fold(*size, |size, (symbol, value)| {
                        self.program.syms.substitute(size, &HashMap::from_iter([(*symbol, *value)]))
                    })
                };
                let sizes: Vec<SymInt> =
                    self.program.buffers[*destination].sizes.iter().map(before).collect();
                return self.same(*source, &sizes);
            }
            Control::Set { symbol, value } => self.sets.push((*symbol, *value)),
            // A run looks whether the destination has the rows.
            Control::Place { destination, source, .. } => {
                let whole = &self.program.buffers[*destination].sizes;
                let slice = &self.program.buffers[*source].sizes;
                let rows = slice.iter().take((slice.len() + 1).saturating_sub(whole.len()));
                let sizes: Vec<SymInt> = rows.chain(whole.iter().skip(1)).copied().collect();
                return self.same(*source, &sizes);
            }
            Control::Check { condition, .. } if self.blocks.is_empty() => {
                self.prover.assume_always(*condition)
            }
            Control::Check { condition, .. } => self.prover.assume(*condition),
            Control::If { .. } | Control::While => self.blocks.push(self.prover.assumed.len()),
            // What was checked in one block says nothing about another.
            Control::Else | Control::Do { .. } => {
                self.prover.assumed.truncate(self.prover.syms, self.blocks.last().copied().unwrap_or(0));
            }
            Control::EndIf | Control::EndWhile => {
                let before = self.blocks.pop().unwrap_or(0);
                self.prover.assumed.truncate(self.prover.syms, before);
            }
            Control::Function { .. } => {
                self.around.push(std::mem::take(&mut self.prover.assumed));
                self.blocks.push(0);
            }
            Control::EndFunction => {
                self.blocks.pop();
                self.prover.assumed = self.around.pop().unwrap_or_default();
            }
            Control::Read { .. } | Control::Print { .. } | Control::Fence | Control::Again { .. } => {}
        }
        Ok(())
    }

    pub(super) fn convolution(&mut self, c: &Convolution) -> Result<(), Failure> {
        let syms = self.syms();
        let channels = syms.mul_const(c.weight_sizes[1], c.groups);
        let channels = syms.sub(c.input_sizes[1], channels);
        let out = self.program.buffers[c.out].sizes.clone();
        self.settle(c.out, "convolution", channels, &out)?;
        self.same(c.out, &[c.input_sizes[0], c.weight_sizes[0], out[2], out[3]])
    }

    pub(super) fn attention(&mut self, a: &Attention) -> Result<(), Failure> {
        let sizes = [a.batch, a.heads, a.queries, a.value_size];
        self.enter(&sizes);
        let context = Facts::TOP;
        self.access(&Access {
            buffer: a.out,
            index: &a.place,
            data: &[],
            sizes: &sizes,
            root: None,
            context,
            writes: true,
            beyond: 0,
        })?;
        a.log_sum.map_or(Ok(()), |out| self.same(out, &sizes[..3]))
    }

    pub(super) fn attention_backward(&mut self, a: &AttentionBackward) -> Result<(), Failure> {
        a.results().try_for_each(|(out, sizes)| self.same(out, &sizes))
    }

    /// Operands have the sizes that the attributes state.
    pub(super) fn routine(&mut self, routine: &Routine) -> Result<(), Failure> {
        let program = self.program;
        let unknown = || BoundsError::Routine { operators: self.operators() };
        let Layout { batch, operands } = layout(&program.syms, &routine.attributes).ok_or_else(unknown)?;
        let fits = routine.operands.len() == operands.len()
            && routine.operands.iter().zip(&operands).all(|(b, o)| program.buffers[*b].dtype == o.0);
        if !fits {
            return Err(unknown().into());
        }
        let Some(batch) = batch else {
            let count = |sizes: &[SymInt]| program.syms.product(sizes);
            let mut pairs = routine.operands.iter().zip(&operands);
            let fits = pairs.all(|(buffer, (_, own))| count(&program.buffers[*buffer].sizes) == count(own));
            return if fits { Ok(()) } else { Err(unknown().into()) };
        };
        let first = &program.buffers[*routine.operands.first().ok_or_else(unknown)?].sizes;
        let lead = first.len().checked_sub(operands[0].1.len()).ok_or_else(unknown)?;
        if program.syms.product(&first[..lead]) != batch {
            return Err(unknown().into());
        }
        routine.operands.iter().zip(&operands).try_for_each(|(buffer, (_, own))| {
            let sizes: Vec<SymInt> = first[..lead].iter().chain(own).copied().collect();
            self.same(*buffer, &sizes)
        })
    }
}
