//! Computes a few elements of a value where they are looked up by an index from data, such as the target's logarithm of a softmax over
//! many classes.
//!
//! Otherwise the whole value would lie in memory for these reads, even where every other reader computes it again.
//!
//! Invariants: a read visits a small part of the value's space; the operands of the value lie in memory anyway.
//!
//! Deliberately absent: values that are masked, checked or indexed by data themselves.

use crate::base::HashMap;
use crate::loops::uses::{lies_in_memory, stretches};
use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program};
use crate::types::{SymInt, SymbolKind};
use std::sync::Arc;

/// A read that visits at most one in so many elements.
const FEW: i64 = 16;
/// A smaller value is served by caches.
const LEAST_ELEMENTS: i64 = 1 << 16;
/// A value of more expressions is computed once.
const MOST_EXPRS: usize = 24;

pub fn run(program: &mut Program) {
    let syms = Arc::clone(&program.syms);
    let mut made: HashMap<BufferId, (Vec<SymInt>, ExprId)> = HashMap::default();
    let stretches = stretches(program);
    let mut made_in: HashMap<BufferId, usize> = HashMap::default();
    for (node, stretch) in program.nodes.iter().zip(&stretches) {
        if let NodeKind::Pointwise { sizes, value, out } = &node.kind
            && syms.hint(syms.product(sizes)) >= LEAST_ELEMENTS
            && !lies_in_memory(program, *out)
        {
            made.insert(*out, (sizes.clone(), *value));
            made_in.insert(*out, *stretch);
        }
    }
    made = made
        .iter()
        .filter(|(_, (_, value))| is_plain(program, &made, *value))
        .map(|(b, m)| (*b, m.clone()))
        .collect();
    if made.is_empty() {
        return;
    }
    for (k, stretch) in stretches.into_iter().enumerate() {
        let (visits, root) = match &program.nodes[k].kind {
            NodeKind::Pointwise { sizes, value, .. } => (syms.product(sizes), *value),
            NodeKind::Reduction { sizes, reduced, value, .. } => {
                (syms.mul(syms.product(sizes), syms.product(reduced)), *value)
            }
            _ => continue,
        };
        let visits = syms.hint(visits).saturating_mul(FEW);
        let changed = program.exprs.rewrite(root, &mut |exprs, id| {
            let Expr::Load { buffer, index, data } = exprs[id].clone() else { return id };
            let Some((sizes, value)) = made.get(&buffer).filter(|_| !data.is_empty()) else { return id };
            if made_in[&buffer] != stretch {
                return id;
            }
            if visits > syms.hint(syms.product(sizes)) {
                return id;
            }
            let mut map = HashMap::default();
            for (k, (size, to)) in sizes.iter().zip(index.iter()).enumerate() {
                map.extend(syms.as_symbol(syms.index_var(k as u32, *size)).map(|symbol| (symbol, *to)));
            }
            let by_data = |i: &SymInt| {
                syms.symbols(*i).into_iter().any(|s| matches!(syms.symbol_kind(s), SymbolKind::Data(_)))
            };
            exprs.rewrite(*value, &mut |exprs, id| match exprs[id].clone() {
                Expr::Load { buffer, index, .. } => {
                    let index: Vec<SymInt> = index.iter().map(|i| syms.substitute(*i, &map)).collect();
                    let data = if index.iter().any(by_data) { data.to_vec() } else { Vec::new() };
                    let dtype = exprs.dtype(id);
                    exprs.load(buffer, dtype, index, data)
                }
                _ => id,
            })
        });
        match &mut program.nodes[k].kind {
            NodeKind::Pointwise { value, .. } | NodeKind::Reduction { value, .. } => *value = changed,
            _ => {}
        }
    }
}

/// A function of elements that lie in memory, and of nothing that says where it is computed.
fn is_plain(program: &Program, made: &HashMap<BufferId, (Vec<SymInt>, ExprId)>, value: ExprId) -> bool {
    let order = program.exprs.postorder(&[value]);
    order.len() <= MOST_EXPRS
        && order.iter().all(|e| match &program.exprs[*e] {
            Expr::Masked { .. } | Expr::Check { .. } | Expr::Index(..) => false,
            Expr::Load { buffer, data, .. } => data.is_empty() && !made.contains_key(buffer),
            _ => true,
        })
}
