//! The index spaces of a node's expressions.

use super::{NodeKind, Program};
use crate::types::SymInt;

impl Program {
    /// The sizes of the space of each expression of a node, in the order of [`super::LoopNode::exprs`]: the variables in it are
    /// `self.vars(sizes)`.
    pub fn spaces(&self, kind: &NodeKind) -> Vec<Vec<SymInt>> {
        match kind {
            NodeKind::Pointwise { sizes, .. }
            | NodeKind::Scan { sizes, .. }
            | NodeKind::Sort { sizes, .. } => {
                vec![sizes.clone()]
            }
            NodeKind::Reduction { sizes, reduced, .. } => {
                vec![sizes.iter().chain(reduced).copied().collect()]
            }
            NodeKind::Scatter { sizes, data, out, .. } => {
                let own = std::iter::repeat_n(sizes.clone(), data.len() + 1);
                own.chain([self.buffers[*out].sizes.clone()]).collect()
            }
            NodeKind::Gemm { batch, m, n, k, .. } => {
                vec![batch.iter().copied().chain([*m, *n, *k]).collect::<Vec<_>>(); 2]
            }
            NodeKind::Convolution(c) => vec![c.input_sizes.to_vec(), c.weight_sizes.to_vec()],
            NodeKind::Attention(a) => {
                let scores = vec![a.batch, a.heads, a.queries, a.keys];
                let mut spaces = vec![
                    vec![a.batch, a.heads, a.queries, a.head_size],
                    vec![a.batch, a.kv_heads, a.keys, a.head_size],
                    vec![a.batch, a.kv_heads, a.keys, a.value_size],
                ];
                spaces.extend(a.mask.map(|_| scores.clone()));
                spaces.extend(a.score.map(|_| scores.clone()));
                spaces.extend(a.band.length.map(|_| scores[..2].to_vec()));
                spaces
            }
            NodeKind::AttentionBackward(a) => {
                let scores = vec![a.batch, a.heads, a.queries, a.keys];
                let mut spaces = a.operands().map(|o| o.1).to_vec();
                spaces.extend(a.mask.map(|_| scores.clone()));
                spaces.extend(a.band.length.map(|_| scores[..2].to_vec()));
                spaces
            }
            NodeKind::Recurrence(r) => r.operands(&self.syms).into_iter().flatten().map(|o| o.1).collect(),
            NodeKind::Library(_) | NodeKind::Control(_) => Vec::new(),
        }
    }
}
