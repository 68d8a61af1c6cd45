//! Kernels for a GPU: divides loops among blocks, threads and vectors.
//!
//! | module | groups |
//! |---|---|
//! | [`pointwise`] | one stage without reductions: each thread computes a vector |
//! | [`tiles`] | the same with accesses across the lanes: squares go through shared memory |
//! | [`rows`] | stages along rows: the threads of a block, or of a cluster, share a row |
//! | [`softmax_sums`] | two such stages in one pass over the row: a maximum, and the sum of exponentials relative to it |
//! | [`columns`] | reductions across memory: neighbouring threads have neighbouring rows, so that loads are coalesced |
//! | [`windows`] | reductions over a few places: each thread computes results of its own |
//! | [`row_column_reduction`] | reductions of one matrix along rows and along columns that share one read |
//!
//! A node with a template becomes regions and a call ([`template`]):
//!
//! | module | nodes |
//! |---|---|
//! | [`product`], [`gemv`], [`product_tma`] | matrix products: by elements, in chunks, of few rows, in boxes of the copy engine |
//! | [`convolution`], [`convolution_tma`] | convolutions, likewise |
//! | [`attention`], [`attention_tiles`], [`attention_backward`] | attention, by elements or on tensor cores, and its gradients |
//! | [`scan`], [`sort`], [`scatter`] | scans, sorts and scatters |
//! | [`recurrence`] | recurrent cells over the steps of a sequence: a cluster follows some rows of the batch |
//!
//! A split reduction ends in a last stage ([`split_reduction_finish`]), which the last block to arrive computes.
//!
//! Invariants: a kernel touches only the buffers it is given; every thread of a block meets every barrier; vector
//! accesses are proved to be aligned, given buffers that start at multiples of 16 bytes.

mod attention;
mod attention_backward;
mod attention_tiles;
mod column_walk;
mod columns;
mod convolution;
mod convolution_tma;
mod gemv;
mod gemv_codes;
mod pointwise;
mod product;
mod product_tma;
mod recurrence;
mod row_column_reduction;
mod row_threads;
mod rows;
mod scan;
mod scatter;
mod softmax_sums;
mod sort;
mod split_reduction_finish;
mod template;
mod tiles;
mod width;
mod windows;
mod writer;

use crate::kernels::Kernel;
use crate::loops::{NodeKind, Program};
use crate::mapping::Refusal;
use crate::schedule::{Group, GroupKind, Item, Loops, lane_axis};
use crate::target::CudaTarget;
use crate::templates::Candidate;
use template::Template;

/// Threads of a block where nothing asks for another number.
const BLOCK: i64 = 256;

/// The kernel of a group, and what it is, for `describe`.
pub fn kernel(
    program: &Program,
    group: &Group,
    target: &CudaTarget,
) -> Result<(&'static str, Kernel), Refusal> {
    let template = |node: usize| Template::new(program, group, target, node);
    let refused =
        || Err(Refusal::new(program, group, "the CUDA backend has no kernel for it; the backend cpu has"));
    Ok(match &group.kind {
        GroupKind::Loops(loops) => loops_kernel(program, group, loops, target),
        GroupKind::RowColumnReduction(panels) => {
            ("panels", row_column_reduction::kernel(program, group, panels))
        }
        GroupKind::Template { node, .. } | GroupKind::Standalone { node } => {
            match &program.nodes[*node].kind {
                NodeKind::Gemm { .. } => template(*node).product(),
                NodeKind::Convolution(c) => template(*node).convolution(c),
                NodeKind::Attention(a) => template(*node).attention(a)?,
                NodeKind::AttentionBackward(a) => template(*node).attention_backward(a)?,
                NodeKind::Recurrence(r) => ("recurrence", template(*node).recurrence(r)?),
                NodeKind::Scan { .. } => ("scan", template(*node).scan()),
                NodeKind::Sort { .. } => ("sort", template(*node).sort_lines()),
                NodeKind::Scatter { .. } => ("scatter", template(*node).scatter()),
                _ => return refused(),
            }
        }
        GroupKind::Pack { .. } => return refused(),
    })
}

/// The tiles that a product or a convolution may use. The first one is the cost model's choice.
pub fn candidates(program: &Program, group: &Group, target: &CudaTarget) -> Vec<Candidate> {
    let GroupKind::Template { node, .. } = group.kind else { return Vec::new() };
    let template = Template::new(program, group, target, node);
    match &program.nodes[node].kind {
        NodeKind::Convolution(c) => template.convolution_candidates(c),
        _ => template.product_candidates(),
    }
}

/// The kernels of groups that one launch runs, which are computed element by element: in vectors of one width.
pub fn together(program: &Program, groups: &[Group]) -> Vec<(&'static str, Kernel)> {
    let loops = |group: &'_ Group| match &group.kind {
        GroupKind::Loops(loops) => loops.clone(),
        _ => unreachable!("what one launch runs on a GPU are loops"),
    };
    let all: Vec<Loops> = groups.iter().map(loops).collect();
    let widths = groups.iter().zip(&all).map(|(group, loops)| pointwise::lanes(program, group, loops));
    let lanes = widths.min().unwrap_or(1);
    let kernel = |(group, loops)| ("points", pointwise::kernel(program, group, loops, lanes));
    groups.iter().zip(&all).map(kernel).collect()
}

fn loops_kernel(
    program: &Program,
    group: &Group,
    loops: &Loops,
    target: &CudaTarget,
) -> (&'static str, Kernel) {
    let reduces = loops.stages.iter().any(|s| s.items.iter().any(|i| matches!(i, Item::Reduce { .. })));
    if !reduces && loops.stages.len() == 1 && loops.row_buffers.is_empty() {
        return match tiles::tiling(program, group, loops) {
            Some(tiling) => ("tiles", tiles::kernel(program, group, loops, &tiling)),
            None => {
                let lanes = pointwise::lanes(program, group, loops);
                ("points", pointwise::kernel(program, group, loops, lanes))
            }
        };
    }
    if reduces && windows::fits(program, group, loops, target) {
        return ("windows", windows::kernel(program, group, loops));
    }
    if lane_axis::goes_by_columns(program, loops) {
        return ("columns", columns::kernel(program, group, loops, target));
    }
    ("rows", rows::kernel(program, group, loops, target))
}
