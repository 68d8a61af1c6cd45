//! The gradients of attention on tensor cores: of queries in one kernel, of keys and values in another, each of which walks over what
//! its rows meet and adds up in registers (`native/cuda/attention_backward_wgmma.h`).
//!
//! Invariants: `loop_passes` has divided the node, so that it has the gradient of queries or those of keys and values; its operands are
//! tensors for the copy engine; `templates::attention::has_backward` holds for its sizes.
//!
//! Deliberately absent: an epilogue, and a kernel for anything else: such gradients are decomposed into products.

use super::super::{Kernel, NativeHeader, cpp};
use super::attention::Scores;
use super::attention_tiles::{Heads, WGMMA_HEADERS, products};
use super::function::Launch;
use super::template::{Shape, Template};
use crate::loops::{AttentionBackward, BufferId};
use crate::templates::attention::BackwardTile;
use crate::types::{Dtype, Scalar, SymInt};

/// The operands as tensors: queries, cotangents, keys and values.
struct Operands {
    head_size: i64,
    value_size: i64,
    tensors: [Heads; 4],
}

impl Template<'_> {
    pub(super) fn attention_backward(mut self, a: &AttentionBackward) -> Kernel {
        let program = self.program;
        let syms = &program.syms;
        let operands = self.backward_operands(a);
        let Operands { head_size, value_size, tensors } = &operands;
        let of_queries = a.grad_query.is_some();
        debug_assert!(!of_queries || a.grad_key.or(a.grad_value).is_none(), "a loop pass divides the node");
        let tile = if of_queries {
            BackwardTile::of_queries(*head_size, *value_size)
        } else {
            BackwardTile::of_keys(*head_size, *value_size)
        };
        let (own, walked) = (tile.rows(), tile.walked);
        let boxes = if of_queries { [own, own, walked, walked] } else { [walked, walked, own, own] };
        let maps: Vec<String> =
            tensors.iter().zip(boxes).map(|(heads, rows)| self.map(heads.boxes(syms, rows))).collect();
        let (rows, heads, other) = match of_queries {
            true => (a.queries, a.heads, a.keys),
            false => (a.keys, a.kv_heads, a.queries),
        };
        let heads = syms.mul(a.batch, heads);
        let blocks = syms.mul(heads, syms.ceildiv(rows, syms.constant(own)));
        // The number of heads whose walked-over rows fit the second-level cache together.
        let room = syms.constant(self.target.l2 as i64 * 2 / 5 / (2 * (head_size + value_size)));
        let near = syms.floordiv(room, syms.max(other, syms.constant(1)));
        let near = syms.max(syms.min(near, heads), syms.constant(1));
        let near = self.emitter.index_text(near);
        let memory = cpp::memory_type(tensors[0].dtype);
        self.before = products(tensors[0].dtype, walked, &[*head_size, *value_size]);
        self.score(&Scores::of_gradient(a), Dtype::Float32, true);
        let rows_of = [(a.batch, "batch"), (a.heads, "head"), (a.queries, "place")];
        let vars = program.vars(&rows_of.map(|r| r.0));
        let names: Vec<(SymInt, &str)> = vars.into_iter().zip(rows_of.map(|r| r.1)).collect();
        self.element("log_sum", &[], &names, a.log_sum, Dtype::Float32);
        self.element("mean", &[], &names, a.mean, Dtype::Float32);
        self.band(&a.band, [a.batch, a.heads, a.keys]);
        let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys];
        let sizes: Vec<String> = sizes.into_iter().map(|s| self.emitter.index_text(s)).collect();
        self.emitter.line(&format!("const litz_attention_tiles shape = {{{}}};", sizes.join(", ")));
        let (groups, stages, scored) = (tile.groups, tile.stages, a.mask.is_some());
        let scale = cpp::literal(Scalar::Float(a.scale), Dtype::Float32);
        let maps = maps.join(", ");
        let counts = format!("{groups}, {walked}, {stages}, {head_size}, {value_size}, {scored}");
        let (kind, function, wanted, results) = if of_queries {
            ("attention_grad_queries", "litz_attention_grad_queries", String::new(), vec![a.grad_query])
        } else {
            let wanted = format!(", {}, {}", a.grad_key.is_some(), a.grad_value.is_some());
            ("attention_grad_keys", "litz_attention_grad_keys", wanted, vec![a.grad_key, a.grad_value])
        };
        let results: Vec<String> = results.into_iter().map(|r| self.result_rows(r, memory)).collect();
        self.emitter.line(&format!(
            "{function}<{memory}, LITZ_KERNEL_products, {counts}{wanted}>((int){near}, shape, band, {maps}, {scale}, score, log_sum, mean, {});",
            results.join(", ")
        ));
        let headers = [&WGMMA_HEADERS[..], &[NativeHeader::CudaAttentionBackwardWgmma]].concat();
        let launch = Launch { threads: tile.threads(), cluster: 1, resident: 1 };
        let shared = syms.constant(tile.bytes(*head_size, *value_size));
        self.finish(Shape { kind, headers, blocks, launch, shared })
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

    /// A result as rows at an address; rows at none where nobody wants it.
    fn result_rows(&mut self, buffer: Option<BufferId>, memory: &str) -> String {
        let Some(buffer) = buffer else { return format!("litz_result_rows<{memory}>{{}}") };
        let strides = self.program.buffers[buffer].strides[..3].to_vec();
        let strides: Vec<String> = strides.into_iter().map(|s| self.emitter.index_text(s)).collect();
        format!("litz_result_rows<{memory}>{{{}, {}}}", self.pointer(buffer), strides.join(", "))
    }
}
