//! The order of dimensions in memory. Buffers are contiguous; a buffer can get another order of dimensions together with the nodes that write
//! it and every index into it.
//!
//! Results get PyTorch's order here if their values are computed in it, or a kernel's template writes them so; other results are copied.

use crate::base::{HashMap, StableSort};
use crate::loops::access::replacing;
use crate::loops::{BufferData, BufferId, BufferKind, Expr, LoopNode, NodeKind, Operators, Program, Stand};
use crate::types::{SymInt, contiguous_strides, dense_order};
use std::sync::Arc;

/// Gives results that are dense in PyTorch, with their dimensions in another order, that order. `templates`: kernels
/// follow, not the interpreter, which writes nodes that are templates in the order of their sizes.
pub fn run(program: &mut Program, templates: bool) {
    let mut turned = HashMap::default();
    let (mut copied, mut strided) = (Vec::new(), Vec::new());
    for (k, buffer) in program.outputs.iter().enumerate() {
        let Some(order) = order_of(program, k).filter(|_| !program.orders.contains_key(buffer)) else {
            continue;
        };
        if is_free(program, *buffer) {
            turned.insert(*buffer, order);
        } else if templates && is_written_by_rows(program, *buffer) && order.last() == Some(&3) {
            strided.push((*buffer, program.given.outputs[k].clone()));
        } else {
            copied.push((k, order));
        }
    }
    for (buffer, strides) in strided {
        program.buffers[buffer].strides = strides;
    }
    if !turned.is_empty() {
        reorder(program, &turned);
    }
    for (k, order) in copied {
        copy(program, k, order);
    }
}

/// The order that PyTorch gives the dimensions of a result, where it is dense and they are not in the order of its sizes.
pub fn order_of(program: &Program, k: usize) -> Option<Vec<usize>> {
    let data = &program.buffers[program.outputs[k]];
    let strides = program.given.outputs.get(k).filter(|s| s.len() == data.sizes.len())?;
    let order = dense_order(&program.syms, &data.sizes, strides)?;
    (!order.is_sorted_by_key(|d| place_of(program, &data.sizes, *d))).then_some(order)
}

/// Gives a result's buffer that order, before a node writes or reads it.
pub fn lay_out(program: &mut Program, k: usize, order: &[usize]) {
    let (buffer, syms) = (program.outputs[k], Arc::clone(&program.syms));
    let data = &mut program.buffers[buffer];
    data.sizes = in_order(order, &data.sizes);
    data.strides = contiguous_strides(&syms, &data.sizes);
    program.orders.insert(buffer, order.to_vec());
}

/// Dimensions of size 1 lie anywhere.
fn place_of(program: &Program, sizes: &[SymInt], dim: usize) -> usize {
    if program.syms.as_const(sizes[dim]) == Some(1) { 0 } else { dim }
}

/// True for a buffer that nodes write point by point, in whatever order.
fn is_free(program: &Program, buffer: BufferId) -> bool {
    let mut writers = program.nodes.iter().filter(|n| n.outs().contains(&buffer)).peekable();
    // A reduction of several results turns all of them.
    let by_points = |n: &LoopNode| {
        matches!(&n.kind, NodeKind::Pointwise { .. } | NodeKind::Reduction { .. }) && n.outs().len() == 1
    };
    may_be_turned(program, buffer) && writers.peek().is_some() && writers.all(by_points)
}

/// True for an attention's result or gradient: its template writes rows wherever they lie.
fn is_written_by_rows(program: &Program, buffer: BufferId) -> bool {
    let data = &program.buffers[buffer];
    let mut writers = program.nodes.iter().filter(|n| n.outs().contains(&buffer));
    let by_rows = writers.next().is_some_and(|node| match &node.kind {
        NodeKind::Attention(a) => a.out == buffer,
        NodeKind::AttentionBackward(a) => a.results().any(|(out, _)| out == buffer),
        _ => false,
    });
    by_rows && writers.next().is_none() && may_be_turned(program, buffer) && data.sizes.len() == 4
}

/// True for a contiguous buffer that is one result, and that nothing else holds.
fn may_be_turned(program: &Program, buffer: BufferId) -> bool {
    let data = &program.buffers[buffer];
    let pinned = program.pinned.contains(&buffer) || program.writes.iter().any(|w| w.1 == buffer);
    data.kind == BufferKind::Temporary
        && data.strides == contiguous_strides(&program.syms, &data.sizes)
        && !pinned
        && program.outputs.iter().filter(|b| **b == buffer).count() == 1
}

/// Another buffer for the result, which is a copy in that order.
fn copy(program: &mut Program, k: usize, order: Vec<usize>) {
    let source = program.outputs[k];
    let BufferData { dtype, sizes, .. } = program.buffers[source].clone();
    let sizes: Vec<SymInt> = order.iter().map(|d| sizes[*d]).collect();
    let out = program.temporary(dtype, &sizes);
    let vars = program.vars(&sizes);
    let mut index = vars.clone();
    for (place, dim) in order.iter().enumerate() {
        index[*dim] = vars[place];
    }
    let value = program.exprs.load(source, dtype, index, Vec::new());
    let kind = NodeKind::Pointwise { sizes, value, out };
    program.nodes.push(LoopNode { kind, operators: Operators::default() });
    program.outputs[k] = out;
    program.stands_for.insert(out, (source, Stand::Dims(order.clone())));
    program.orders.insert(out, order);
}

/// Gives the buffers their dimensions in those orders, and the nodes that write them, and all indices.
pub fn reorder(program: &mut Program, orders: &HashMap<BufferId, Vec<usize>>) {
    let syms = Arc::clone(&program.syms);
    let mut moved: HashMap<BufferId, BufferId> = HashMap::default();
    let mut buffers: Vec<BufferId> = orders.keys().copied().collect();
    buffers.stable_sort();
    for buffer in buffers {
        let data = program.buffers[buffer].clone();
        let sizes = in_order(&orders[&buffer], &data.sizes);
        let strides = contiguous_strides(&syms, &sizes);
        let own = program.buffers.push(BufferData { sizes, strides, ..data });
        program.stands_for.insert(own, (buffer, Stand::Dims(orders[&buffer].clone())));
        moved.insert(buffer, own);
    }
    let mut nodes = std::mem::take(&mut program.nodes);
    for node in &mut nodes {
        let order = node.outs().iter().find_map(|b| orders.get(b));
        let to = |b: &mut BufferId| *b = moved[b];
        // Variables of the node's space, before and after.
        let mut map = HashMap::default();
        if let Some(order) = order {
            let mut turn = |sizes: &mut Vec<SymInt>| {
                let before = program.vars(sizes);
                *sizes = in_order(order, sizes);
                let after = program.vars(sizes);
                let mut back = before.clone();
                for (place, dim) in order.iter().enumerate() {
                    back[*dim] = after[place];
                }
                map = replacing(&syms, &before, &back);
            };
            match &mut node.kind {
                NodeKind::Pointwise { sizes, out, .. } => {
                    to(out);
                    turn(sizes);
                }
                NodeKind::Reduction { sizes, outs, .. } => {
                    outs.iter_mut().for_each(to);
                    turn(sizes);
                }
                NodeKind::Convolution(c) => {
                    to(&mut c.out);
                    c.channels_last = true;
                }
                _ => {}
            }
        }
        node.for_each_expr(&mut |root| {
            let own = program.exprs.substitute(&syms, *root, &map);
            *root = program.exprs.rewrite(own, &mut |exprs, id| match exprs[id].clone() {
                Expr::Load { buffer, index, data } => match moved.get(&buffer) {
                    Some(new) => {
                        let dtype = exprs.dtype(id);
                        exprs.load(*new, dtype, in_order(&orders[&buffer], &index), data.into())
                    }
                    None => id,
                },
                _ => id,
            });
        });
    }
    program.nodes = nodes;
    for output in &mut program.outputs {
        if let Some(new) = moved.get(output) {
            program.orders.insert(*new, orders[output].clone());
            *output = *new;
        }
    }
}

fn in_order(order: &[usize], list: &[SymInt]) -> Vec<SymInt> {
    order.iter().map(|dim| list[*dim]).collect()
}
