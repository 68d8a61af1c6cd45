//! Maps the gradients of attention to the native template: it passes the strides of operands and results, and the mask.

use super::template::Template;
use crate::kernels::{Kernel, Memory, Operand, Routine};
use crate::loops::{Band, BufferId, NodeKind};
use crate::types::{Dtype, SymInt};

/// The kernel of a node of attention's gradients; a task is one head of keys and values.
pub fn kernel(mut t: Template<'_>) -> Kernel {
    let program = t.program;
    let syms = &program.syms;
    let NodeKind::AttentionBackward(a) = program.nodes[t.node].kind.clone() else {
        unreachable!("a group of attention's gradients has such a node")
    };
    let mut numbers = vec![a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size];
    let (mut operands, mut dtypes) = (Vec::with_capacity(9), Vec::with_capacity(6));
    for (expr, sizes) in a.operands() {
        let (operand, dtype, strides) = t.operand(expr, &sizes);
        operands.push(operand);
        dtypes.push(dtype);
        numbers.extend(&strides[..3]);
    }
    let dtype = dtypes[0];
    debug_assert!(dtypes[1..4].iter().all(|d| *d == dtype), "attention over one memory type");
    debug_assert!(dtypes[4..].iter().all(|d| *d == Dtype::Float32), "statistics of rows are float32");
    for buffer in [a.grad_query, a.grad_key, a.grad_value] {
        let (operand, strides) = t.gradient(buffer);
        operands.push(operand);
        numbers.extend(strides);
    }
    let scores = [a.batch, a.heads, a.queries, a.keys];
    let region = a.mask.map(|mask| t.scores(mask, None, scores, Dtype::Float32));

    // Sums of float32 are added up in the gradient's own memory.
    let group = syms.floordiv(a.heads, syms.max(a.kv_heads, syms.constant(1)));
    let all = syms.mul(group, a.queries);
    let narrow = a.grad_query.is_some_and(|buffer| program.buffers[buffer].dtype != Dtype::Float32);
    let none = syms.constant(0);
    let sizes = ([a.queries, a.keys], [a.head_size, a.value_size]);
    let mut blocks = t.attention_backward_blocks(sizes.0, sizes.1, if narrow { all } else { none });
    let query_kept = narrow && syms.as_const(a.keys).is_none_or(|keys| keys > blocks.keys);
    if narrow && !query_kept {
        blocks = t.attention_backward_blocks(sizes.0, sizes.1, none);
    }
    let routine = Routine::AttentionBackward {
        scale: a.scale,
        causal: a.band != Band::default(),
        queries: blocks.queries,
        keys: blocks.keys,
        query_kept,
    };
    t.call(routine, operands, &numbers, vec![region]);
    t.finish(syms.mul(a.batch, a.kv_heads), 1, blocks.bytes)
}

impl Template<'_> {
    /// A gradient and its strides, zeros where it is not wanted.
    fn gradient(&self, buffer: Option<BufferId>) -> (Operand, Vec<SymInt>) {
        let Some(buffer) = buffer else {
            return (Operand::Absent, vec![self.program.syms.constant(0); 4]);
        };
        let memory = Memory { written: true, ..self.whole(buffer) };
        (Operand::Memory(Box::new(memory)), self.program.buffers[buffer].strides.clone())
    }
}
