//! Combines independent kernels into one launch over the tasks of all of them.
//!
//! The projections of one input, two rotations, the writes of keys and values into a cache, the updates of an optimizer are
//! kernels of one kind without dependences between them. Each keeps its code, its epilogue and its memory. A shared launch saves the
//! overhead of launches, and small kernels fill the machine together. A GPU combines only pointwise kernels: their blocks are alike, and many
//! of them have the same code.
//!
//! Invariants: a launch reads only what earlier launches wrote. No kernel of a launch reads what another one writes in place. The order
//! of launches is an order of dependence.
//!
//! Deliberately absent: merging the loops of such kernels, which `join` does where they read the same data.

use super::{Group, GroupKind, INNER, Item, Loops};
use crate::base::{HashMap, HashSet};
use crate::loops::access::flat_accesses;
use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program};
use crate::target::Target;
use crate::types::{Dtype, SymArena, SymInt, SymbolKind};
use std::ops::Range;

/// How many launches back a kernel may move: each keeps its results in memory for longer.
const BACK: usize = 4;
/// The same for a GPU's kernel that writes in place: its results need no memory of their own.
const BACK_IN_PLACE: usize = 512;
/// Kernels of one launch of a CPU.
const MOST: usize = 8;
/// Kernels of one launch of a GPU, and the buffers that these have together: parameters are 4096 bytes at most.
const MOST_ON_GPU: usize = 64;
const MOST_BUFFERS: usize = 480;
/// Kernels whose work differs by more than this are not dealt out together: a few heavy tasks among many light ones
/// would be one thread's.
const UNEVEN: f64 = 8.0;

/// Kernels that run together. `elements`: what they have in common, if they are computed element by element.
#[derive(Default)]
struct Launch {
    groups: Vec<Group>,
    elements: Option<Elements>,
    /// The buffers that any of them reads or writes.
    buffers: HashSet<BufferId>,
}

/// Reorders the groups so that the kernels of a launch stand together; gives each launch's kernels.
pub fn combine(program: &Program, target: &Target, groups: &mut Vec<Group>) -> Vec<Range<usize>> {
    let on_gpu = matches!(target, Target::Cuda(_));
    let targets: HashMap<BufferId, BufferId> = program.writes.iter().map(|w| (w.1, w.0)).collect();
    let mut launches: Vec<Launch> = Vec::new();
    let (mut made, mut read) = (HashMap::<BufferId, usize>::default(), HashMap::default());
    for group in std::mem::take(groups) {
        // After the kernels that make its operands, and after those that read what its results overwrite.
        let before = group.reads.iter().filter_map(|b| made.get(b));
        let readers = group.writes.iter().filter_map(|b| read.get(targets.get(b)?));
        let ready = before.chain(readers).max().map_or(0, |l| l + 1);
        let in_place = on_gpu && group.writes.iter().all(|b| targets.contains_key(b));
        let back = if in_place { BACK_IN_PLACE } else { BACK };
        let first = ready.max(launches.len().saturating_sub(back));
        let elements = if on_gpu { elements(program, &group) } else { None };
        let fits = |l: &usize| {
            let launch = &launches[*l];
            match on_gpu {
                true => {
                    let further = || buffers(&group).filter(|b| !launch.buffers.contains(*b)).count();
                    elements.is_some()
                        && elements == launch.elements
                        && launch.groups.len() < MOST_ON_GPU
                        && launch.buffers.len() + further() <= MOST_BUFFERS
                }
                false => {
                    launch.groups.len() < MOST && launch.groups.iter().all(|m| alike(program, m, &group))
                }
            }
        };
        let place = (first..launches.len()).find(fits).unwrap_or(launches.len());
        if place == launches.len() {
            launches.push(Launch { elements, ..Launch::default() });
        }
        made.extend(group.writes.iter().map(|b| (*b, place)));
        for buffer in &group.reads {
            let last = read.entry(*buffer).or_insert(place);
            *last = place.max(*last);
        }
        let launch = &mut launches[place];
        launch.buffers.extend(buffers(&group));
        launch.groups.push(group);
    }
    let mut ranges = Vec::with_capacity(launches.len());
    for launch in launches {
        let first = groups.len();
        groups.extend(launch.groups);
        ranges.push(first..groups.len());
    }
    ranges
}

/// The buffers that a group reads or writes.
fn buffers(group: &Group) -> impl Iterator<Item = &BufferId> {
    group.reads.iter().chain(&group.writes)
}

/// The dtypes of a group's buffers, and the widest vector, of up to eight elements, that divides its innermost dimension.
type Elements = (Vec<Dtype>, i64);

/// Whether an index depends on loop variables alone. A number that only a run knows would be one more parameter of the kernel.
fn is_fixed(syms: &SymArena, index: SymInt) -> bool {
    syms.symbols(index).iter().all(|s| syms.symbol_kind(*s) != SymbolKind::Free)
}

/// What a group has in common with others, if it is computed element by element: each access is at the point of the loops, along memory,
/// or at a constant place.
fn elements(program: &Program, group: &Group) -> Option<Elements> {
    let syms = &program.syms;
    let GroupKind::Loops(loops) = &group.kind else { return None };
    let [stage] = &loops.stages[..] else { return None };
    if !loops.row_buffers.is_empty() || !group.last.is_empty() || group.workspace.is_some() {
        return None;
    }
    syms.as_consts(&loops.outer)?;
    let inner = syms.as_consts(&stage.inner)?;
    // Neither a dimension of size 1 nor a 0-d tensor has a variable.
    let place = INNER + stage.inner.len().saturating_sub(1) as u32;
    let symbol = stage.inner.last().and_then(|size| syms.as_symbol(syms.index_var(place, *size)));
    let last = inner.last().copied().unwrap_or(1);
    let along = |offset: SymInt| {
        symbol.is_none_or(|symbol| {
            syms.linear_in(offset, symbol).is_some_and(|(step, _)| syms.as_const(step) == Some(1))
        })
    };
    let mut at = None;
    for item in &stage.items {
        let Item::Store { offset, value, .. } = item else { return None };
        let own = *at.get_or_insert(*offset);
        let elsewhere =
            |(_, load, data): (BufferId, SymInt, bool)| data || load != own && syms.as_const(load).is_none();
        let refused = |e: &ExprId| match program.exprs[*e] {
            Expr::Check { .. } => true,
            Expr::Index(index, _) => !is_fixed(syms, index),
            _ => false,
        };
        if *offset != own
            || !along(own)
            || !is_fixed(syms, own)
            || flat_accesses(program, *value).into_iter().any(elsewhere)
            || program.exprs.postorder(&[*value]).iter().any(refused)
        {
            return None;
        }
    }
    let dtypes = buffers(group).map(|b| program.buffers[*b].dtype).collect();
    let vector = [8, 4, 2].into_iter().find(|n| last % n == 0).unwrap_or(1);
    Some((dtypes, vector))
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
