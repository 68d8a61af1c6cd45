//! Nodes along an axis, element by element: what the kernels of a CPU and of a GPU write alike.

use super::emit::{Emitter, Operand};
use super::{cpp, template::pointer_of};
use crate::loops::{BufferId, Program, ScanOp};
use crate::schedule::Group;
use crate::types::{Dtype, SymInt};

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
        let syms = std::sync::Arc::clone(&self.program.syms);
        let level = self.emitter.depth();
        let left = self.emitter.fresh("left");
        self.emitter.line(&format!("i64 {left} = {position}; (void){left};"));
        for k in (0..sizes.len()).rev().filter(|k| *k != axis) {
            let (name, size) = (self.emitter.fresh("i"), self.emitter.divisor(sizes[k]));
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
            self.emitter.store_text(&pointer, offset, Operand::uniform(text));
        }
    }

    /// Takes `v`, the value at `step`, into the scan's `total` and, for an extreme, its `place`; where `first` holds,
    /// nothing came before.
    pub fn scan_step(&mut self, op: ScanOp, dtype: Dtype, v: &str, first: &str) {
        let ty = cpp::scalar_type(dtype);
        match op {
            ScanOp::Sum => self.emitter.line(&format!("total = {first} ? {v} : add(total, {v});")),
            ScanOp::Product => self.emitter.line(&format!("total = {first} ? {v} : mul(total, {v});")),
            ScanOp::LogSumExp => {
                for name in ["EXP", "LOG1P"] {
                    self.emitter.use_function(Some(name));
                }
                self.emitter.line(&format!("if ({first} || {v} != {v}) total = {v};"));
                self.emitter
                    .line(&format!("else if (total == total && !(l_isinf(total) && total == {v})) {{"));
                self.emitter.line(&format!(
                    "  const {ty} most = l_maximum(total, {v}), least = l_minimum(total, {v});"
                ));
                self.emitter.line("  total = add(most, l_log1p(l_exp(sub(least, most))));");
                self.emitter.line("}");
            }
            ScanOp::MaxWithIndex | ScanOp::MinWithIndex => {
                let better = if op == ScanOp::MaxWithIndex { ">=" } else { "<=" };
                let beats = if dtype.is_float() {
                    format!("{v} != {v} || (total == total && {v} {better} total)")
                } else {
                    format!("{v} {better} total")
                };
                self.emitter.line(&format!("if ({first} || {beats}) {{ total = {v}; place = step; }}"));
            }
        }
    }
}
