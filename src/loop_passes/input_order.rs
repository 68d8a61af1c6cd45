//! Inputs are read as they arrive, wherever that serves their readers: dense with their dimensions in any order, or in rows with gaps
//! between them, as where an input is a part of a larger tensor. Other inputs are copied before a run.
//!
//! An order serves a reduction if neighbours in memory are neighbours along its innermost loop or along its rows. It serves a value that
//! is made of an input and of a reduction over the input's neighbours, as a softmax is, if the value has the same neighbours: a kernel
//! computes both row by row, and would write each element of a row to another place. All others take any order: a copy would read
//! the input in the same one.
//!
//! Deliberately absent: inputs that are written to, and blocks of memory that are copied as such.

use super::result_order::order_of;
use crate::loops::uses::readers;
use crate::loops::{BufferId, BufferKind, Control, Expr, LoopNode, NodeKind, Program};
use crate::types::{SymInt, contiguous_strides, dense_order, lies_apart};
use rustc_hash::FxHashSet;

/// Gives inputs the strides that they are given with.
pub fn run(program: &mut Program) {
    // Buffers that are copied as blocks of memory lie alike.
    let blocks: FxHashSet<BufferId> = program.nodes.iter().filter_map(copied_block).collect();
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
        turned.retain(|(buffer, strides)| serves(program, of(buffer), *buffer, strides));
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

/// True where the readers of an input read it well in that order.
fn serves(program: &Program, readers: &[usize], input: BufferId, strides: &[SymInt]) -> bool {
    let places = |node: usize| places_of(program, &program.nodes[node], input, strides);
    // Reductions that go along neighbours, and what they give.
    let mut along: FxHashSet<BufferId> = FxHashSet::default();
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
    let syms = &program.syms;
    let place = |index: &[SymInt]| {
        let terms: Vec<SymInt> = index.iter().zip(strides).map(|(i, s)| syms.mul(*i, *s)).collect();
        syms.sum(&terms)
    };
    let loads = program.exprs.loads(&node.exprs());
    let of_input = loads.into_iter().filter_map(|load| match &program.exprs[load] {
        Expr::Load { buffer, index, .. } if *buffer == input => Some(place(index)),
        _ => None,
    });
    of_input.collect()
}

/// The dimension along which a node's result has its neighbours in memory: a result of the program gets PyTorch's order.
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

/// True where the loop over dimension `k` goes from an element to its neighbour in memory.
fn is_next(program: &Program, place: SymInt, sizes: &[SymInt], k: usize) -> bool {
    let syms = &program.syms;
    let step = syms
        .as_symbol(syms.index_var(k as u32, sizes[k]))
        .and_then(|symbol| syms.linear_in(place, symbol))
        .and_then(|(step, _)| syms.as_const(step));
    step == Some(1)
}
