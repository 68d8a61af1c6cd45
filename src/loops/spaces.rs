//! The index spaces of a node's expressions.

use super::{Expr, ExprId, LoopNode, NodeKind, Program};
use crate::base::{HashMap, HashSet};
use crate::types::{SymInt, SymbolId, SymbolKind};

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

    /// The loop variables in an expression, each once.
    pub(super) fn variables(&self, root: ExprId) -> Vec<SymbolId> {
        let (mut found, mut seen) = (Vec::new(), HashSet::default());
        for id in self.exprs.postorder(&[root]) {
            let index: &[SymInt] = match &self.exprs[id] {
                Expr::Load { index, .. } => index,
                Expr::Index(index, _) => std::slice::from_ref(index),
                _ => continue,
            };
            for e in index.iter().filter(|e| seen.insert(**e)) {
                let all = self.syms.symbols(*e).into_iter();
                let new = all.filter(|s| matches!(self.syms.symbol_kind(*s), SymbolKind::Index { .. }));
                new.for_each(|s| {
                    if !found.contains(&s) {
                        found.push(s);
                    }
                });
            }
        }
        found
    }

    /// Writes each expression of a node in the variables of its own space. An operand's size may equal that of the space by a guard alone.
    /// Its variable then is another one.
    pub(super) fn over_own_spaces(&mut self, node: &mut LoopNode) {
        let mut spaces = self.spaces(&node.kind).into_iter();
        node.for_each_expr(&mut |root| {
            let own = self.vars(&spaces.next().unwrap_or_default());
            let other = |s: SymbolId| match self.syms.symbol_kind(s) {
                SymbolKind::Index { position, .. } => {
                    own.get(position as usize).copied().filter(|own| self.syms.as_symbol(*own) != Some(s))
                }
                _ => None,
            };
            let map: HashMap<SymbolId, SymInt> =
                self.variables(*root).into_iter().filter_map(|s| Some((s, other(s)?))).collect();
            *root = self.exprs.substitute(&self.syms, *root, &map);
        });
    }
}
