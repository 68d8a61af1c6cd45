//! Nodes that work along an axis, element by element. The kernels of CPUs and GPUs share this part.

use super::emit::{Emitter, Operand, Storage};
use crate::kernels::{IndexOp, ValueId};
use crate::loops::{BufferId, ExprId, Program, ScatterMode};
use crate::schedule::Group;
use crate::types::SymInt;

/// A kernel being built, whose buffers the emitter knows.
pub struct Lines<'e, 'p> {
    pub emitter: &'e mut Emitter<'p>,
    pub program: &'p Program,
    pub group: &'p Group,
}

impl Lines<'_, '_> {
    /// How many lines along `axis` there are.
    pub fn count(&self, sizes: &[SymInt], axis: usize) -> SymInt {
        let others: Vec<SymInt> = (0..sizes.len()).filter(|k| *k != axis).map(|k| sizes[k]).collect();
        self.program.syms.product(&others)
    }

    /// Names all variables but that of `axis` for the line at `position`.
    pub fn bind(&mut self, sizes: &[SymInt], axis: usize, position: ValueId) {
        let others: Vec<usize> = (0..sizes.len()).filter(|k| *k != axis).collect();
        self.bind_dims(sizes, &others, position);
    }

    /// Names the variables of these dimensions for a position in the space that they span.
    pub fn bind_dims(&mut self, sizes: &[SymInt], dims: &[usize], position: ValueId) {
        let dims: Vec<(u32, SymInt)> = dims.iter().map(|k| (*k as u32, sizes[*k])).collect();
        self.emitter.bind_dims(&dims, position);
    }

    /// Gives the variable of `axis` its value in the innermost scope.
    pub fn bind_axis(&mut self, sizes: &[SymInt], axis: usize, place: ValueId) {
        let level = self.emitter.depth();
        self.emitter.bind(self.program.syms.index_var(axis as u32, sizes[axis]), place, level);
    }

    /// The offset of an element of a buffer.
    pub fn offset(&self, buffer: BufferId, index: &[SymInt]) -> SymInt {
        let syms = &self.program.syms;
        let strides = &self.program.buffers[buffer].strides;
        let terms: Vec<SymInt> = index.iter().zip(strides).map(|(i, s)| syms.mul(*i, *s)).collect();
        syms.sum(&terms)
    }

    /// Whether a point of a scatter into `out` has a place there; none: each has.
    pub fn has_place(
        &mut self,
        mode: ScatterMode,
        out: BufferId,
        (index, data): (&[SymInt], &[ExprId]),
    ) -> Option<ValueId> {
        open_ends(self.program, mode, out, index).fold(None, |found, (i, size)| {
            let ends = [self.emitter.index_of_data(i, data), self.emitter.index(size)];
            let within = self.emitter.index_op(IndexOp::Less, &ends);
            Some(found.map_or(within, |found| self.emitter.index_op(IndexOp::And, &[found, within])))
        })
    }

    /// Stores into a buffer of the node's own sizes, if anyone reads it.
    pub fn store_at(&mut self, buffer: BufferId, sizes: &[SymInt], value: ValueId) {
        if self.group.writes.contains(&buffer)
            && let Some(Storage::Memory(pointer)) = self.emitter.storage.get(&buffer).cloned()
        {
            let offset = self.offset(buffer, &self.program.vars(sizes));
            self.emitter.store_value(pointer, offset, Operand::uniform(value));
        }
    }
}

/// The indices of a scatter that may be behind the end of their dimension, each with its size.
pub fn open_ends<'a>(
    program: &'a Program,
    mode: ScatterMode,
    out: BufferId,
    index: &'a [SymInt],
) -> impl Iterator<Item = (SymInt, SymInt)> + 'a {
    let syms = &program.syms;
    let ends = index.iter().copied().zip(program.buffers[out].sizes.iter().copied());
    ends.filter(move |(i, size)| mode.leaves_out() && syms.decide(syms.lt(*i, *size)) != Some(true))
}
