//! Workspaces of scans, sorts and scatters on a GPU: where lines are long, several blocks share one and pass partial results
//! to each other through memory. The shapes chosen here are the launch shapes that `mapping` uses.
//!
//! Invariants: a node with a workspace is in no group that runs only once (`init`), whose buffers are kept; no other buffer
//! uses a workspace's memory while its kernel runs; semaphores are zero before and after each kernel.

use super::{Group, GroupKind};
use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program, ScatterMode};
use crate::target::CudaTarget;
use crate::templates::scan_sort::{SEMAPHORES, Scan, Scatter, Sort};
use crate::types::{Dtype, SymInt, SymbolId, SymbolKind};

/// What a kernel uses beside its node's operands and results.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Its phases count their finished items here.
    pub semaphores: BufferId,
    /// They are among the group's `writes`.
    pub buffers: Vec<BufferId>,
}

/// The longest line that one thread scans.
const SHORT: i64 = 16;
/// The longest line that a launch is shaped for where the length is not known.
const LONG: i64 = 1 << 18;
/// The most points that one thread goes through.
const FEW: i64 = 16;
/// The longest line of points in which each block searches for its own, and about how many blocks of a multiprocessor do so.
const NEAR: i64 = 1 << 15;
const NEAR_BLOCKS: i64 = 2;
/// So many threads keep a GPU busy even where each goes through many points.
const MANY: i64 = 4096;

/// How the lines of a scan are divided among threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanShape {
    /// A thread scans a short line, or one of very many that lie beside one another.
    Thread,
    /// Lines beside one another, by segments.
    Beside,
    /// So many blocks for a line, of so many threads.
    Blocks { parts: i64, threads: i64 },
}

/// How the points of a scatter are divided among threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScatterShape {
    /// A thread takes a point. Where points may meet, they are combined by atomic operations.
    Points { meet: bool },
    /// A thread goes through all points that meet, in their order; those that differ in `apart` never do.
    Own { apart: Vec<usize>, meeting: Vec<usize> },
    /// Points that differ in `lines` never meet, and those that differ in `beside` are beside one another. Each of so many
    /// groups of blocks takes its share of the places, and looks for those among a line's points.
    Near { lines: Vec<usize>, beside: Vec<usize>, meeting: Vec<usize>, groups: i64 },
    /// The points that meet are brought together by sorting them.
    Sorted { apart: Vec<usize>, meeting: Vec<usize> },
}

/// How many lines along an axis there are.
fn lines(program: &Program, sizes: &[SymInt], axis: usize) -> SymInt {
    let others: Vec<SymInt> = (0..sizes.len()).filter(|k| *k != axis).map(|k| sizes[k]).collect();
    program.syms.product(&others)
}

pub fn scan_shape(
    program: &Program,
    sizes: &[SymInt],
    axis: usize,
    out: BufferId,
    gpu: &CudaTarget,
) -> ScanShape {
    let syms = &program.syms;
    let some = syms.hint(lines(program, sizes, axis)).max(1);
    // A line whose length a run finds may be long.
    let long = syms.hint(sizes[axis]).max(syms.range(sizes[axis]).max.min(LONG)).max(1);
    let beside = some > 1 && syms.as_const(program.buffers[out].strides[axis]) != Some(1);
    let multiprocessors = gpu.multiprocessors as i64;
    if long <= SHORT || (beside && some >= multiprocessors * Scan::WIDE) {
        return ScanShape::Thread;
    }
    if beside {
        return ScanShape::Beside;
    }
    let threads = ((long / Scan::EACH).max(1) as u64).next_power_of_two().clamp(32, 256) as i64;
    let parts = (4 * multiprocessors / some).min(long / (4 * Scan::EACH * threads)).max(1);
    ScanShape::Blocks { parts, threads }
}

/// Keys of a line that a block sorts in shared memory.
pub fn near(gpu: &CudaTarget) -> i64 {
    Sort::near(gpu.shared_bytes as i64)
}

/// Whether a line of a sort may be more than a block's.
pub fn is_far(program: &Program, size: SymInt, kept: SymInt, gpu: &CudaTarget) -> bool {
    let most = |n: SymInt| program.syms.range(n).max;
    let first = kept != size && most(kept) <= near(gpu);
    most(size) > near(gpu) && !first
}

/// Bytes of a key's digits with its position.
pub fn tag_bytes(dtype: Dtype) -> i64 {
    Sort::tag_bytes(dtype.size() as i64)
}

/// The part of a scatter that decides where its points go.
pub struct Points<'n> {
    pub sizes: &'n [SymInt],
    pub index: &'n [SymInt],
    pub data: &'n [ExprId],
    pub value: ExprId,
    pub mode: ScatterMode,
    pub out: BufferId,
}

impl Points<'_> {
    pub fn shape(&self, program: &Program, gpu: &CudaTarget) -> ScatterShape {
        let syms = &program.syms;
        let float = program.exprs.dtype(self.value).is_float();
        let reduced = program.buffers[self.out].dtype.is_reduced_float();
        let any_order = match self.mode {
            // What all points bring is the same in any order.
            ScatterMode::Set => matches!(program.exprs[self.value], Expr::Constant(..)),
            ScatterMode::Add => !float || (!reduced && (gpu.atomics || self.counts(program))),
            ScatterMode::Multiply => !float,
            // Of float64, zeros of both signs and NaNs of several payloads are told apart by the order alone.
            ScatterMode::Max | ScatterMode::Min => {
                gpu.atomics || program.exprs.dtype(self.value) != Dtype::Float64
            }
            ScatterMode::SetUnique => true,
        };
        let all: Vec<usize> = (0..self.sizes.len()).collect();
        let (apart, meeting): (Vec<usize>, Vec<usize>) =
            all.iter().partition(|k| self.keeps_apart(program, **k));
        if any_order || meeting.is_empty() {
            let replaces = self.mode.combination().is_none();
            return ScatterShape::Points { meet: !meeting.is_empty() && !replaces };
        }
        let same_place = self.is_same_along(program, &apart);
        let beside = syms.hint(self.space(program, &apart));
        let points = syms.range(self.space(program, &meeting)).max;
        if points <= FEW || (!same_place && beside >= MANY) {
            return ScatterShape::Own { apart, meeting };
        }
        // Each block looks at all points of its line.
        let few = syms.hint(self.space(program, &meeting));
        let fits = self.near_bytes(program) <= gpu.shared_bytes as i64;
        if few <= NEAR && points <= 16 * NEAR && fits {
            let (lines, beside) = if same_place { (Vec::new(), apart) } else { (apart, Vec::new()) };
            let blocks = syms.mul(
                self.space(program, &lines),
                syms.ceildiv(self.space(program, &beside), syms.constant(Scatter::NEAR_WIDE)),
            );
            let wanted = NEAR_BLOCKS * gpu.multiprocessors as i64 / syms.hint(blocks).max(1);
            let groups = wanted.min(few / FEW).max(1);
            return ScatterShape::Near { lines, beside, meeting, groups };
        }
        match same_place {
            true => ScatterShape::Sorted { apart, meeting },
            false => ScatterShape::Sorted { apart: Vec::new(), meeting: all },
        }
    }

    /// The points that differ in these dimensions.
    pub fn space(&self, program: &Program, dims: &[usize]) -> SymInt {
        program.syms.product(&dims.iter().map(|k| self.sizes[*k]).collect::<Vec<_>>())
    }

    /// Whether all points bring the same number, or that or nothing: any order of additions then rounds alike.
    fn counts(&self, program: &Program) -> bool {
        match &program.exprs[self.value] {
            Expr::Constant(..) => true,
            Expr::Cast(_, from) => program.exprs.dtype(*from) == Dtype::Bool,
            _ => false,
        }
    }

    /// Whether points that differ in a variable never meet: one dimension of the result follows it, and nothing else.
    fn keeps_apart(&self, program: &Program, k: usize) -> bool {
        let syms = &program.syms;
        let Some(symbol) = syms.as_symbol(syms.index_var(k as u32, self.sizes[k])) else { return true };
        self.index.iter().any(|i| {
            syms.linear_in(*i, symbol).is_some_and(|(step, rest)| {
                let plain = |s| matches!(syms.symbol_kind(s), SymbolKind::Free);
                syms.as_const(step).is_some_and(|n| n != 0) && syms.symbols(rest).into_iter().all(plain)
            })
        })
    }

    /// Whether all points that differ only in these variables go to the same place but for those.
    fn is_same_along(&self, program: &Program, dims: &[usize]) -> bool {
        let syms = &program.syms;
        let symbols = self.symbols(program, dims);
        let varies = |i: SymInt| symbols.iter().any(|s| syms.depends_on(i, *s));
        let moved = self.moved(program, dims);
        !varies(moved)
            && program.exprs.postorder(self.data).into_iter().all(|e| match &program.exprs[e] {
                Expr::Index(i, _) => !varies(*i),
                Expr::Load { index, .. } => !index.iter().any(|i| varies(*i)),
                _ => true,
            })
    }

    /// The part of a point's offset in the result that more than the variables of `apart` decides: points that agree in
    /// those meet where they agree in this.
    pub fn moved(&self, program: &Program, apart: &[usize]) -> SymInt {
        self.terms(program, apart, false)
    }

    /// The rest of the offset, which the variables of `apart` decide alone.
    pub fn rest(&self, program: &Program, apart: &[usize]) -> SymInt {
        self.terms(program, apart, true)
    }

    fn terms(&self, program: &Program, apart: &[usize], staying: bool) -> SymInt {
        let syms = &program.syms;
        let own: Vec<SymbolId> = self.symbols(program, apart);
        let stays = |i: &SymInt| {
            let known = |s| own.contains(&s) || matches!(syms.symbol_kind(s), SymbolKind::Free);
            syms.symbols(*i).into_iter().all(known)
        };
        let strides = &program.buffers[self.out].strides;
        let terms = self.index.iter().zip(strides).filter(|(i, _)| stays(i) == staying);
        let terms: Vec<SymInt> = terms.map(|(i, s)| syms.mul(*i, *s)).collect();
        syms.sum(&terms)
    }

    fn symbols(&self, program: &Program, dims: &[usize]) -> Vec<SymbolId> {
        let syms = &program.syms;
        dims.iter().filter_map(|k| syms.as_symbol(syms.index_var(*k as u32, self.sizes[*k]))).collect()
    }

    /// Shared memory of a block that finds its own points.
    pub fn near_bytes(&self, program: &Program) -> i64 {
        Scatter::near_bytes(self.tag_bytes(program))
    }

    /// Bytes of a point's place in the result with its number.
    pub fn tag_bytes(&self, program: &Program) -> i64 {
        let elements = program.syms.product(&program.buffers[self.out].sizes);
        Sort::tag_bytes(if program.syms.range(elements).max < i64::from(u32::MAX) { 4 } else { 8 })
    }
}

/// The bytes of the buffers that a node's kernel works in; `None`: it needs none.
fn wanted(program: &Program, node: usize, gpu: &CudaTarget) -> Option<Vec<SymInt>> {
    let syms = &program.syms;
    match &program.nodes[node].kind {
        NodeKind::Scan { sizes, axis, outs, .. } => {
            let shape = scan_shape(program, sizes, *axis, outs[0], gpu);
            let ScanShape::Blocks { parts: parts @ 2.., .. } = shape else { return None };
            // A value, or one with its place.
            Some(vec![syms.mul_const(lines(program, sizes, *axis), 16 * parts)])
        }
        NodeKind::Sort { sizes, axis, kept, value, .. } => {
            is_far(program, sizes[*axis], *kept, gpu).then(|| {
                let bytes = tag_bytes(program.exprs.dtype(*value));
                let all = syms.mul_const(syms.product(sizes), bytes);
                // Where the run's lines turn out to be a block's each, nothing.
                let far = syms.lt(syms.constant(near(gpu)), sizes[*axis]);
                vec![syms.select(far, all, syms.constant(0)); 2]
            })
        }
        NodeKind::Scatter { sizes, index, data, value, mode, out, .. } => {
            let points = Points { sizes, index, data, value: *value, mode: *mode, out: *out };
            let ScatterShape::Sorted { meeting, .. } = points.shape(program, gpu) else { return None };
            let bytes = points.tag_bytes(program);
            Some(vec![syms.mul_const(points.space(program, &meeting), bytes); 2])
        }
        _ => None,
    }
}

/// Whether a node's kernel needs a workspace.
pub fn has_workspace(program: &Program, node: usize, gpu: &CudaTarget) -> bool {
    wanted(program, node, gpu).is_some()
}

/// Gives kernels their workspaces.
pub fn add(program: &mut Program, groups: &mut [Group], gpu: &CudaTarget) {
    for group in groups {
        let GroupKind::Standalone { node } = group.kind else { continue };
        let Some(bytes) = wanted(program, node, gpu) else { continue };
        let semaphores = program.syms.constant(SEMAPHORES);
        let semaphores = program.temporary(Dtype::Int32, &[semaphores]);
        let buffers: Vec<BufferId> =
            bytes.into_iter().map(|n| program.temporary(Dtype::Uint8, &[n])).collect();
        group.writes.extend(&buffers);
        group.workspace = Some(Workspace { semaphores, buffers });
    }
}
