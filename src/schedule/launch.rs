//! Independent kernels that run as one launch: their tasks are dealt out together.
//!
//! The projections of one input, two rotations, the writes of keys and values into a cache: kernels of one kind that
//! need nothing of one another. Each keeps its code, its epilogue and its memory; what is saved is handing out work
//! and waiting for it, and small kernels fill the machine together.
//!
//! Invariants: a launch only reads what earlier launches wrote; the order of launches is an order of dependence.
//!
//! Deliberately absent: merging the loops of such kernels. `join` does that where they read the same data.

use super::{Group, GroupKind, Loops};
use crate::loops::{BufferId, NodeKind, Program};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How many launches back a kernel may move: each keeps its results in memory for longer.
const BACK: usize = 4;
/// Kernels of one launch.
const MOST: usize = 8;
/// Kernels whose work differs by more than this are not dealt out together: a few heavy tasks among many light ones
/// would be one thread's.
const UNEVEN: f64 = 8.0;

/// Reorders the groups so that the kernels of a launch stand together; gives each launch's kernels.
pub fn combine(program: &Program, groups: &mut Vec<Group>) -> Vec<Range<usize>> {
    let mut launches: Vec<Vec<Group>> = Vec::new();
    let mut made: FxHashMap<BufferId, usize> = FxHashMap::default();
    for group in std::mem::take(groups) {
        let ready = group.reads.iter().filter_map(|b| made.get(b)).max().map_or(0, |l| l + 1);
        let first = ready.max(launches.len().saturating_sub(BACK));
        let fits = |l: &usize| {
            let members = &launches[*l];
            members.len() < MOST && members.iter().all(|m| alike(program, m, &group))
        };
        let place = (first..launches.len()).find(fits).unwrap_or(launches.len());
        if place == launches.len() {
            launches.push(Vec::new());
        }
        made.extend(group.writes.iter().map(|b| (*b, place)));
        launches[place].push(group);
    }
    let mut ranges = Vec::with_capacity(launches.len());
    for launch in launches {
        let first = groups.len();
        groups.extend(launch);
        ranges.push(first..groups.len());
    }
    ranges
}

/// One kind of kernel, about as much work, in about as many pieces.
fn alike(program: &Program, a: &Group, b: &Group) -> bool {
    let kind = |g: &Group| match &g.kind {
        GroupKind::Loops(_) => Some("loops"),
        GroupKind::Standalone { node } => match &program.nodes[*node].kind {
            NodeKind::Scatter { .. } => Some("scatter"),
            _ => None,
        },
        GroupKind::Template { node, .. } => match &program.nodes[*node].kind {
            NodeKind::Gemm { .. } => Some("gemm"),
            NodeKind::Convolution(_) => Some("convolution"),
            _ => Some("attention"),
        },
        GroupKind::Pack { .. } | GroupKind::RowColumnReduction(_) => None,
    };
    if kind(a).is_none() || kind(a) != kind(b) {
        return false;
    }
    let near = |x: f64, y: f64| x.max(y) <= UNEVEN * x.min(y);
    match (&a.kind, &b.kind) {
        (GroupKind::Loops(a), GroupKind::Loops(b)) => {
            let ((rows_a, width_a), (rows_b, width_b)) = (extent(program, a), extent(program, b));
            near(rows_a, rows_b) && near(width_a, width_b)
        }
        _ => near(written(program, a), written(program, b)),
    }
}

/// Rows and elements of each.
fn extent(program: &Program, loops: &Loops) -> (f64, f64) {
    let syms = &program.syms;
    let rows = syms.hint(syms.product(&loops.outer)).max(1) as f64;
    let width: i64 = loops.stages.iter().map(|s| syms.hint(syms.product(&s.inner)).max(1)).sum();
    (rows, width as f64)
}

/// Elements that a group writes.
fn written(program: &Program, group: &Group) -> f64 {
    let syms = &program.syms;
    let elements = |b: &BufferId| syms.hint(syms.product(&program.buffers[*b].sizes)).max(1);
    group.writes.iter().map(elements).sum::<i64>() as f64
}
