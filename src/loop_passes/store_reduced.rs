//! Stores results of templates as a reduced float if every reader rounds them to one: half the bytes to write and to read, and an operand
//! that the next template takes as it lies. Where other nodes read such a result and an output is a copy of it, the result is that output, so
//! that it does not lie in memory twice.
//!
//! Invariant: no value changes. A store to such a buffer rounds, and every load of it was followed by that rounding.

use crate::base::{HashMap, StableSort};
use crate::loops::uses::{is_template, reads_of, stretches};
use crate::loops::{BufferData, BufferId, BufferKind, Expr, ExprId, LoopNode, NodeKind, Program, Stand};
use crate::types::Dtype;

/// What the loads of a buffer are converted to at once.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Rounded(Dtype),
    Other,
}

/// Narrows the results of templates where it changes nothing.
pub fn run(program: &mut Program) {
    let mut uses: HashMap<BufferId, Option<Use>> = HashMap::default();
    for node in program.nodes.iter().filter(|n| is_template(&n.kind)) {
        // Beside its result, an attention keeps the logarithms of its sums, which no product reads.
        for out in node.outs().into_iter().take(1) {
            let leaves = program.outputs.contains(&out) || program.writes.iter().any(|w| w.1 == out);
            let data = &program.buffers[out];
            if data.kind == BufferKind::Temporary && data.dtype == Dtype::Float32 && !leaves {
                uses.insert(out, None);
            }
        }
    }
    if uses.is_empty() {
        return;
    }
    let stretches = stretches(program);
    let of_nodes = program.nodes.iter().zip(&stretches);
    let made_in: HashMap<BufferId, usize> =
        of_nodes.clone().flat_map(|(node, at)| node.outs().into_iter().map(|out| (out, *at))).collect();
    let mut note = |load: ExprId, reader: Use, at: usize| {
        if let Expr::Load { buffer, .. } = &program.exprs[load]
            && let Some(known) = uses.get_mut(buffer)
        {
            // Behind a fence another kernel rounds it.
            let reader = if made_in[buffer] == at { reader } else { Use::Other };
            *known = Some(match known {
                None => reader,
                Some(before) if *before == reader => reader,
                Some(_) => Use::Other,
            });
        }
    };
    for (node, at) in of_nodes {
        let roots = node.exprs();
        roots.iter().for_each(|root| note(*root, Use::Other, *at));
        for expr in program.exprs.postorder(&roots) {
            let reader = match program.exprs[expr] {
                Expr::Cast(to, _) if to.is_reduced_float() => Use::Rounded(to),
                _ => Use::Other,
            };
            program.exprs.operands(expr).into_iter().for_each(|operand| note(operand, reader, *at));
        }
    }
    // What control nodes and libraries read is as they know it.
    uses.retain(|buffer, found| matches!(found, Some(Use::Rounded(_))) && !program.pinned.contains(buffer));
    // A buffer of its own: what loads the old one is known by the old dtype.
    let mut narrowed: HashMap<BufferId, (BufferId, Dtype)> = HashMap::default();
    for (buffer, found) in uses {
        if let Some(Use::Rounded(dtype)) = found {
            let data = BufferData { dtype, ..program.buffers[buffer].clone() };
            let dims = (0..data.sizes.len()).collect();
            let own = program.buffers.push(data);
            program.stands_for.insert(own, (buffer, Stand::Dims(dims)));
            narrowed.insert(buffer, (own, dtype));
        }
    }
    let mut nodes = std::mem::take(&mut program.nodes);
    for node in &mut nodes {
        let out = match &mut node.kind {
            NodeKind::Gemm { out, .. } => Some(out),
            NodeKind::Convolution(c) => Some(&mut c.out),
            NodeKind::Attention(a) => Some(&mut a.out),
            _ => None,
        };
        if let Some(out) = out
            && let Some((own, _)) = narrowed.get(out)
        {
            *out = *own;
        }
        node.for_each_expr(&mut |root| {
            *root = program.exprs.rewrite(*root, &mut |exprs, id| {
                let Expr::Cast(_, operand) = exprs[id] else { return id };
                match exprs[operand].clone() {
                    Expr::Load { buffer, index, data } => match narrowed.get(&buffer) {
                        Some((own, dtype)) => exprs.load(*own, *dtype, index.into(), data.into()),
                        None => id,
                    },
                    _ => id,
                }
            });
        });
    }
    program.nodes = nodes;
    let mut own: Vec<BufferId> = narrowed.values().map(|(own, _)| *own).collect();
    own.stable_sort();
    for buffer in own {
        hand_out(program, buffer);
    }
}

/// Makes a buffer that others read the output that is a copy of it.
fn hand_out(program: &mut Program, buffer: BufferId) {
    let copies = |node: &LoopNode| {
        let NodeKind::Pointwise { sizes, value, out } = &node.kind else { return None };
        let (from, to) = (&program.buffers[buffer], &program.buffers[*out]);
        let alike = from.dtype == to.dtype && from.sizes == to.sizes && from.strides == to.strides;
        let leaves = program.outputs.contains(out) && !program.pinned.contains(out);
        let whole = *sizes == from.sizes
            && matches!(&program.exprs[*value], Expr::Load { buffer: source, index, data }
                if *source == buffer && data.is_empty() && index[..] == program.vars(sizes)[..]);
        (alike && leaves && whole).then_some(*out)
    };
    let found = program.nodes.iter().enumerate().find_map(|(k, node)| Some((k, copies(node)?)));
    let Some((copy, output)) = found else { return };
    let reads = |k: usize, wanted: BufferId| reads_of(program, k).contains(&wanted);
    let others = (0..program.nodes.len()).filter(|k| *k != copy);
    let is_read = others.clone().any(|k| reads(k, buffer));
    let stays = others.clone().any(|k| reads(k, output)) || program.writes.iter().any(|w| w.1 == output);
    if is_read && !stays {
        program.nodes.remove(copy);
        program.outputs.iter_mut().filter(|b| **b == output).for_each(|b| *b = buffer);
    }
}
