//! Nodes along an axis, element by element: what the kernels of a CPU and of a GPU write alike.

use super::emit::Emitter;
use super::template::pointer_of;
use crate::loops::{BufferId, Program};
use crate::schedule::Group;
use crate::types::SymInt;

/// A kernel being written, whose buffers the emitter knows.
pub struct Lines<'p> {
    pub emitter: Emitter<'p>,
    pub program: &'p Program,
    pub group: &'p Group,
}

impl Lines<'_> {
    /// How many lines along `axis` there are.
    pub fn count(&self, sizes: &[SymInt], axis: usize) -> SymInt {
        let others: Vec<SymInt> = (0..sizes.len()).filter(|k| *k != axis).map(|k| sizes[k]).collect();
        self.program.syms.product(&others)
    }

    /// Names all variables but that of `axis` for the line at `position`.
    pub fn bind(&mut self, sizes: &[SymInt], axis: usize, position: &str) {
        let others: Vec<usize> = (0..sizes.len()).filter(|k| *k != axis).collect();
        self.bind_dims(sizes, &others, position);
    }

    /// Names the variables of these dimensions for a position in the space that they span.
    pub fn bind_dims(&mut self, sizes: &[SymInt], dims: &[usize], position: &str) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let level = self.emitter.depth();
        let left = self.emitter.fresh("left");
        self.emitter.line(&format!("i64 {left} = {position}; (void){left};"));
        for k in dims.iter().rev().copied() {
            let (name, size) = (self.emitter.fresh("i"), self.emitter.divisor_text(sizes[k]));
            self.emitter
                .line(&format!("const i64 {name} = {left} % {size}; {left} /= {size}; (void){name};"));
            self.emitter.bind(syms.index_var(k as u32, sizes[k]), &name, level);
        }
    }

    /// Names the variable of `axis` in the innermost scope.
    pub fn bind_axis(&mut self, sizes: &[SymInt], axis: usize, name: &str) {
        let level = self.emitter.depth();
        self.emitter.bind(self.program.syms.index_var(axis as u32, sizes[axis]), name, level);
    }

    /// The offset of an element of a buffer.
    pub fn offset(&self, buffer: BufferId, index: &[SymInt]) -> SymInt {
        let syms = &self.program.syms;
        let strides = &self.program.buffers[buffer].strides;
        let terms: Vec<SymInt> = index.iter().zip(strides).map(|(i, s)| syms.mul(*i, *s)).collect();
        syms.sum(&terms)
    }

    /// Stores into a buffer of the node's own sizes, if anyone reads it.
    pub fn store_at(&mut self, buffer: BufferId, sizes: &[SymInt], text: &str) {
        if self.group.writes.contains(&buffer) {
            let vars = self.program.vars(sizes);
            let (offset, pointer) = (self.offset(buffer, &vars), pointer_of(&self.emitter, buffer));
            let value = self.emitter.uniform(text);
            self.emitter.store_value(&pointer, offset, value);
        }
    }
}
