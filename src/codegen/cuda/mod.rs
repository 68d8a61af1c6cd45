//! The CUDA dialect: groups as kernels for one thread of a GPU.
//!
//! The walk over expressions is the one that CPUs have (`emit`), and so is the vocabulary; `native/cuda/prelude.h` gives
//! its words their meaning for a thread. What differs is how a group's loops are dealt out: over blocks and threads
//! instead of tasks and lanes (`rows`, `columns`, `points`, `tiles`).
//!
//! Invariants: a kernel touches only the buffers it is given; every thread of a block meets every barrier; vector
//! accesses are proved to be aligned, given buffers that start at multiples of 16 bytes.
//!
//! Deliberately absent: running a compiler, and devices.

mod attention;
mod attention_tiles;
mod beside;
mod columns;
mod convolution;
mod convolution_tma;
mod gemv;
mod last;
mod matrix;
mod matrix_tma;
mod order;
mod panels;
mod points;
mod recurrence;
mod row_threads;
mod rows;
mod scatter;
mod template;
mod tiles;
mod width;
mod windows;
mod writer;

use super::{CodegenError, Kernel};
use crate::loops::{BufferId, NodeKind, Program};
use crate::schedule::{Group, GroupKind, Item, Loops};
use crate::target::CudaTarget;
use std::collections::BTreeSet;

pub use template::candidates;

/// Threads of a block where nothing asks for another number.
const BLOCK: i64 = 256;

/// The kernel of a group: `tasks` is the number of blocks, `grain` the threads of a block, and `scratch` the bytes of
/// its dynamic shared memory.
pub fn kernel(program: &Program, group: &Group, target: &CudaTarget) -> Result<Kernel, CodegenError> {
    let kernel = match &group.kind {
        GroupKind::Loops(loops) => loops_kernel(program, group, loops, target),
        GroupKind::Template { node, .. } => template::kernel(program, group, *node, target)?,
        GroupKind::Panels(panels) => panels::kernel(program, group, panels),
        GroupKind::Single { node } => match &program.nodes[*node].kind {
            NodeKind::Recurrence(_) => template::kernel(program, group, *node, target)?,
            _ => order::kernel(program, group, *node, target)?,
        },
        GroupKind::Pack { .. } => unreachable!("nothing is packed for a GPU"),
    };
    debug_assert!(unwritten(group, &kernel).is_empty(), "{} leaves results: {}", kernel.kind, kernel.body);
    Ok(kernel)
}

/// The results of a group whose names do not occur in its kernel, but as parameters.
fn unwritten(group: &Group, kernel: &Kernel) -> Vec<BufferId> {
    let named = |name: &str| {
        let words = kernel.body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.filter(|word| *word == name).count() > 1
    };
    let missing = |b: &BufferId| {
        let by_copy_engine = kernel.maps.iter().any(|map| map.buffer == *b);
        let parameter = kernel.buffers.iter().position(|p| p == b);
        !by_copy_engine && parameter.is_some_and(|k| !named(&format!("b{k}")))
    };
    group.writes.iter().filter(|b| missing(b)).copied().collect()
}

fn loops_kernel(program: &Program, group: &Group, loops: &Loops, target: &CudaTarget) -> Kernel {
    let reduces = loops.stages.iter().any(|s| s.items.iter().any(|i| matches!(i, Item::Reduce { .. })));
    if !reduces && loops.stages.len() == 1 && loops.row_buffers.is_empty() {
        return match tiles::tiling(program, group, loops) {
            Some(tiling) => tiles::kernel(program, group, loops, &tiling),
            None => points::kernel(program, group, loops),
        };
    }
    if reduces && windows::fits(program, group, loops, target) {
        return windows::kernel(program, group, loops);
    }
    if loops.row_buffers.is_empty() && crate::mapping::lane_axis::rows_are_better(program, loops, 32) {
        return columns::kernel(program, group, loops, target);
    }
    rows::kernel(program, group, loops, target)
}

/// A program of kernels whose vectors have `lanes` elements, under their final names.
pub fn source(lanes: i64, kernels: &[(&String, &Kernel)]) -> String {
    let mut text = format!("#define LITZ_LANES {lanes}\n{}", include_str!("../native/cuda/prelude.h"));
    let headers: BTreeSet<_> = kernels.iter().flat_map(|(_, k)| k.headers.iter().copied()).collect();
    for header in headers {
        text.push_str(&header.text(0));
    }
    for (name, kernel) in kernels {
        text.push_str(&kernel.body.replace("LITZ_KERNEL", name));
    }
    text
}

/// The program that the executor copies between layouts with.
pub fn copy_source() -> String {
    source(1, &[]) + include_str!("../native/cuda/copy.h")
}
