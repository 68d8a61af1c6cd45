//! Gradients of attention on tensor cores (`native/cuda/attention_backward_wgmma.h`). One kernel computes those of queries, another those of
//! keys and values. Each block has rows of its own and accumulates in registers over all rows of the other side.
//!
//! Invariants: `loop_passes` has split the node, so that it has the gradient of queries or those of keys and values; its operands are
//! tensors for the copy engine.
//!
//! Deliberately absent: an epilogue, and a kernel where `templates::attention::has_backward` does not hold: such gradients are
//! decomposed into products.

use super::attention::{Scores, bounds};
use super::attention_tiles::Heads;
use super::template::{Blocks, Coordinate, Template};
use crate::kernels::{Kernel, Memory, Operand, Routine};
use crate::loops::uses::reduced_load;
use crate::loops::{AttentionBackward, BufferId};
use crate::mapping::Refusal;
use crate::templates::attention::{BackwardTile, has_backward};
use crate::types::{Dtype, SymInt};

/// The operands as tensors: queries, cotangents, keys and values.
struct Operands {
    head_size: i64,
    value_size: i64,
    tensors: [Heads; 4],
}

impl Template<'_> {
    pub(super) fn attention_backward(
        mut self,
        a: &AttentionBackward,
    ) -> Result<(&'static str, Kernel), Refusal> {
        let program = self.program;
        let syms = &program.syms;
        let of_halves = program.exprs.dtype(reduced_load(program, a.query)).is_reduced_float();
        let sizes = [a.head_size, a.value_size].map(|size| syms.as_const(size));
        if !has_backward(self.target.arch, of_halves, sizes) {
            let message = format!(
                "the CUDA backend has gradients of attention on sm_90 alone, of halves, whose heads and values are whole eights of up to {} elements",
                BackwardTile::WIDEST
            );
            return Err(Refusal::new(program, self.group, message));
        }
        let Operands { head_size, value_size, tensors } = self.backward_operands(a);
        let of_queries = a.grad_query.is_some();
        debug_assert!(!of_queries || a.grad_key.or(a.grad_value).is_none(), "a loop pass divides the node");
        let tile = match of_queries {
            true => BackwardTile::of_queries(head_size, value_size),
            false => BackwardTile::of_keys(head_size, value_size),
        };
        let (own, walked) = (tile.rows(), tile.walked);
        let boxes = if of_queries { [own, own, walked, walked] } else { [walked, walked, own, own] };
        let tensor = |(heads, rows): (&Heads, i64)| self.tensor(heads, rows);
        let mut operands: Vec<Operand> = tensors.iter().zip(boxes).map(tensor).collect();
        let (rows, heads, other) = match of_queries {
            true => (a.queries, a.heads, a.keys),
            false => (a.keys, a.kv_heads, a.queries),
        };
        let heads = syms.mul(a.batch, heads);
        let count = syms.mul(heads, syms.ceildiv(rows, syms.constant(own)));
        // The number of heads whose walked-over rows fit the second-level cache together.
        let room = syms.constant(self.target.l2 as i64 * 2 / 5 / (2 * (head_size + value_size)));
        let near = syms.floordiv(room, syms.max(other, syms.constant(1)));
        let near = syms.max(syms.min(near, heads), syms.constant(1));
        let scores = Scores::of_gradient(a);
        let score = self.score(&scores, Dtype::Float32);
        let sizes = [a.batch, a.heads, a.queries];
        let rows_of = program.vars(&sizes).into_iter().zip(sizes).zip(["batch", "head", "place"]);
        let rows_of: Vec<Coordinate> = rows_of.map(|((v, size), name)| (v, size, name)).collect();
        let log_sum = self.element("log_sum", &[], &rows_of, a.log_sum, Dtype::Float32);
        let mean = self.element("mean", &[], &rows_of, a.mean, Dtype::Float32);
        let keys_of = self.keys_of(&a.band, [a.batch, a.heads, a.keys]);
        let results = if of_queries { vec![a.grad_query] } else { vec![a.grad_key, a.grad_value] };
        operands.extend(results.into_iter().map(|buffer| self.result_rows(buffer)));
        let (stored, scale, bounded) = (tensors[0].dtype, a.scale, self.bounded(&scores));
        let (groups, stages) = (tile.groups, tile.stages);
        let (kind, routine) = match of_queries {
            true => (
                "attention_grad_queries",
                Routine::AttentionGradQueries {
                    stored,
                    scale,
                    groups,
                    walked,
                    stages,
                    head_size,
                    value_size,
                    bounded,
                },
            ),
            false => (
                "attention_grad_keys",
                Routine::AttentionGradKeys {
                    stored,
                    scale,
                    groups,
                    walked,
                    stages,
                    head_size,
                    value_size,
                    bounded,
                },
            ),
        };
        let [lower, upper] = bounds(syms, &a.band);
        let numbers = [a.batch, a.heads, a.kv_heads, a.queries, a.keys, lower, upper, near];
        self.call(routine, operands, &numbers, vec![score, Some(log_sum), Some(mean), Some(keys_of)]);
        let shared = syms.constant(tile.bytes(head_size, value_size));
        Ok((kind, self.finish(Blocks { count, threads: tile.threads(), cluster: 1, resident: 1, shared })))
    }

    fn backward_operands(&self, a: &AttentionBackward) -> Operands {
        let syms = &self.program.syms;
        let [query, key, value] = a.operand_sizes();
        let cotangent = [a.batch, a.heads, a.queries, a.value_size];
        let all = [(a.query, query), (a.grad, cotangent), (a.key, key), (a.value, value)];
        let tensors = all.map(|(operand, sizes)| {
            self.heads(operand, sizes, 8).expect("a loop pass makes tensors of the operands of a gradient")
        });
        let known = |s: SymInt| syms.as_const(s).expect("a gradient's node has widths that are known");
        Operands { head_size: known(a.head_size), value_size: known(a.value_size), tensors }
    }

    /// A result as rows of neighbours, where it is wanted.
    fn result_rows(&mut self, buffer: Option<BufferId>) -> Operand {
        let Some(buffer) = buffer else { return Operand::Absent };
        let strides = self.program.buffers[buffer].strides[..3].to_vec();
        let strides = strides.into_iter().map(|s| self.emitter.index(s)).collect();
        Operand::Memory(Box::new(Memory { strides, ..self.whole(buffer) }))
    }
}
