//! Reads inputs in the order in which they arrive, if that suits their readers. An input may be dense with its dimensions in any order. It
//! may also have gaps between its rows, such as a slice of a larger tensor. Other inputs are copied before a run.
//!
//! An order suits a reduction if neighbours in memory are neighbours in the innermost loop or in the rows. A softmax reads an input, and a
//! reduction over the input's neighbours; one kernel computes both, row by row. Such a value must have the same neighbours in memory as
//! the input, or the kernel would write each row with strides. Any order suits all other readers, since a copy would read the input in
//! that order, too.
//!
//! Deliberately absent: inputs that are written to, and blocks of memory that are copied as such.

use super::result_order::order_of;
use crate::base::HashSet;
use crate::loops::access::offset_of;
use crate::loops::uses::readers;
use crate::loops::{BufferId, BufferKind, Control, Expr, LoopNode, NodeKind, Program};
use crate::types::{SymInt, contiguous_strides, dense_order, lies_apart};

/// Gives the buffers of such inputs the strides that callers give.
pub fn run(program: &mut Program) {
    // Buffers that are copied as blocks of memory lie alike.
    let blocks: HashSet<BufferId> = program.nodes.iter().filter_map(copied_block).collect();
    let (mut taken, mut turned) = (Vec::new(), Vec::new());
    for buffer in program.inputs.clone() {
        let data = &program.buffers[buffer];
        let BufferKind::Input(k) = data.kind else { continue };
        let Some(strides) = program.given.inputs.get(k).filter(|s| s.len() == data.sizes.len()) else {
            continue;
        };
        let written = program.pinned.contains(&buffer) || program.writes.iter().any(|w| w.0 == buffer);
        let contiguous = contiguous_strides(&program.syms, &data.sizes);
        if written || blocks.contains(&buffer) || data.strides != contiguous || *strides == contiguous {
            continue;
        }
        let in_rows = strides.last() == Some(&program.syms.constant(1));
        if in_rows && lies_apart(&program.syms, &data.sizes, strides) {
            taken.push((buffer, strides.clone()));
        } else if dense_order(&program.syms, &data.sizes, strides).is_some() {
            turned.push((buffer, strides.clone()));
        }
    }
    if !turned.is_empty() {
        let readers = readers(program);
        let of = |b: &BufferId| readers.get(b).map_or(&[][..], Vec::as_slice);
        turned.retain(|(buffer, strides)| suits(program, of(buffer), *buffer, strides));
    }
    for (buffer, strides) in taken.into_iter().chain(turned) {
        program.buffers[buffer].strides = strides;
    }
}

fn copied_block(node: &LoopNode) -> Option<BufferId> {
    match node.kind {
        NodeKind::Control(Control::Copy { source, .. } | Control::Place { source, .. }) => Some(source),
        _ => None,
    }
}

/// True if an input in that order suits all of its readers.
fn suits(program: &Program, readers: &[usize], input: BufferId, strides: &[SymInt]) -> bool {
    let places = |node: usize| places_of(program, &program.nodes[node], input, strides);
    // The results of reductions over neighbours.
    let mut along: HashSet<BufferId> = HashSet::default();
    for node in readers {
        let NodeKind::Reduction { sizes, reduced, outs, .. } = &program.nodes[*node].kind else { continue };
        let all = [&sizes[..], &reduced[..]].concat();
        let row = last_of_result(program, outs[0], sizes);
        let inner = last_of(program, reduced).map(|k| sizes.len() + k);
        for place in places(*node) {
            let steps_by_one = |k: Option<usize>| k.is_some_and(|k| is_next(program, place, &all, k));
            if steps_by_one(inner) {
                along.extend(outs);
            } else if !steps_by_one(row) {
                return false;
            }
        }
    }
    readers.iter().all(|node| match &program.nodes[*node].kind {
        NodeKind::Pointwise { sizes, value, out } => {
            let last = last_of_result(program, *out, sizes);
            let mut places = places(*node).into_iter();
            let alike = places.all(|place| last.is_some_and(|k| is_next(program, place, sizes, k)));
            let mut loads = program.exprs.loads(&[*value]).into_iter();
            alike || !loads.any(|load| matches!(&program.exprs[load], Expr::Load { buffer, .. } if along.contains(buffer)))
        }
        _ => true,
    })
}

/// Where a node's loads of the input lie in memory.
fn places_of(program: &Program, node: &LoopNode, input: BufferId, strides: &[SymInt]) -> Vec<SymInt> {
    let loads = program.exprs.loads(&node.exprs());
    let of_input = loads.into_iter().filter_map(|load| match &program.exprs[load] {
        Expr::Load { buffer, index, .. } if *buffer == input => {
            Some(offset_of(&program.syms, index, strides))
        }
        _ => None,
    });
    of_input.collect()
}

/// The dimension along which neighbours of a node's result are neighbours in memory. Results of the program get PyTorch's order.
fn last_of_result(program: &Program, out: BufferId, sizes: &[SymInt]) -> Option<usize> {
    let order = program.outputs.iter().position(|b| *b == out).and_then(|k| order_of(program, k));
    match order.filter(|order| order.len() == sizes.len()) {
        Some(order) => order.last().copied(),
        None => last_of(program, sizes),
    }
}

/// The last dimension that has more than one element.
fn last_of(program: &Program, sizes: &[SymInt]) -> Option<usize> {
    sizes.iter().rposition(|s| program.syms.as_const(*s) != Some(1))
}

/// True if the loop over dimension `k` steps to the next element in memory.
fn is_next(program: &Program, place: SymInt, sizes: &[SymInt], k: usize) -> bool {
    let syms = &program.syms;
    let step = syms
        .as_symbol(syms.index_var(k as u32, sizes[k]))
        .and_then(|symbol| syms.linear_in(place, symbol))
        .and_then(|(step, _)| syms.as_const(step));
    step == Some(1)
}
