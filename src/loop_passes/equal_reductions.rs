//! Computes a reduction once where several nodes ask for the same one. A mean and a sum of the same values are the same reduction, which
//! the graph cannot show: there they are two operators.
//!
//! Deliberately absent: pointwise nodes, which cost nothing where they are fused; results that leave the program.

use crate::loops::uses::lies_in_memory;
use crate::loops::{BufferId, Expr, ExprId, LoopNode, NodeKind, Program, ReductionOp};
use crate::types::{Dtype, SymInt};
use rustc_hash::FxHashMap;

/// What is reduced, and how. Equal expressions have equal handles.
type Key = (Vec<SymInt>, Vec<SymInt>, ReductionOp, ExprId, Vec<Dtype>);

pub fn run(program: &mut Program) {
    let mut first: FxHashMap<Key, usize> = FxHashMap::default();
    let mut same: FxHashMap<BufferId, BufferId> = FxHashMap::default();
    let mut kept = Vec::with_capacity(program.nodes.len());
    for mut node in std::mem::take(&mut program.nodes) {
        if !same.is_empty() {
            node.for_each_expr(&mut |root| *root = redirected(program, *root, &same));
        }
        match &node.kind {
            // A block may be left out, or run again with other values.
            NodeKind::Control(_) => first.clear(),
            NodeKind::Reduction { sizes, reduced, op, value, outs }
                if outs.iter().all(|b| !lies_in_memory(program, *b)) =>
            {
                let dtypes = outs.iter().map(|b| program.buffers[*b].dtype).collect();
                let key = (sizes.clone(), reduced.clone(), *op, *value, dtypes);
                if let Some(earlier) = first.get(&key) {
                    let earlier: &mut LoopNode = &mut kept[*earlier];
                    earlier.operators.add(&node.operators);
                    same.extend(outs.iter().copied().zip(earlier.outs()));
                    continue;
                }
                first.insert(key, kept.len());
            }
            _ => {}
        }
        kept.push(node);
    }
    program.nodes = kept;
}

/// The expression with its loads from buffers that others stand for.
fn redirected(program: &mut Program, root: ExprId, same: &FxHashMap<BufferId, BufferId>) -> ExprId {
    program.exprs.rewrite(root, &mut |exprs, id| match exprs[id].clone() {
        Expr::Load { buffer, index, data } => match same.get(&buffer) {
            Some(other) => {
                let dtype = exprs.dtype(id);
                exprs.load(*other, dtype, index.to_vec(), data.into())
            }
            None => id,
        },
        _ => id,
    })
}
