//! Scatters. Where two points may meet in one element and their order shows, as it does when floats are added, each
//! element is one thread's, which takes its points in their order: results do not depend on how threads run. Otherwise
//! points are dealt out over all threads, and atomic operations join those that meet.

use super::super::template::pointer_of;
use super::order::{Order, THREADS};
use crate::loops::{BufferId, Expr, ExprId, ScatterMode};
use crate::types::{SymInt, SymbolKind};

/// Threads of a block that picks its points out of all.
const OWNERS: i64 = 256;
/// Elements beside one another that such a thread writes, about.
const EACH: i64 = 4;
/// Points that a thread goes through by itself rather than picking its own, at most.
const FEW: i64 = 16;
/// Threads that keep a GPU busy though each goes through many points.
const MANY: i64 = 4096;

/// What is scattered: `value` at each point of `sizes` into `out`, at `index`, in which the data variables stand for `data`.
pub struct Scatter {
    pub sizes: Vec<SymInt>,
    pub index: Vec<SymInt>,
    pub data: Vec<ExprId>,
    pub value: ExprId,
    pub mode: ScatterMode,
    pub out: BufferId,
}

impl Order<'_> {
    /// Gives blocks, and threads of a block.
    pub fn scatter(&mut self, s: &Scatter) -> (SymInt, i64) {
        let program = self.lines.program;
        let syms = &program.syms;
        let float = program.exprs.dtype(s.value).is_float();
        let reduced = program.buffers[s.out].dtype.is_reduced_float();
        let any_order = match s.mode {
            ScatterMode::Set => false,
            ScatterMode::Add => !float || (self.target.atomics && !reduced),
            ScatterMode::Multiply => !float,
            ScatterMode::Max | ScatterMode::Min => true,
        };
        let space = |dims: &[usize]| syms.product(&dims.iter().map(|k| s.sizes[*k]).collect::<Vec<_>>());
        let all: Vec<usize> = (0..s.sizes.len()).collect();
        let (mut apart, mut meeting): (Vec<usize>, Vec<usize>) =
            all.iter().partition(|k| self.keeps_apart(s, **k));
        if any_order || meeting.is_empty() {
            let total = space(&all);
            self.open_points("point", total);
            self.lines.bind_dims(&s.sizes, &all, "point");
            self.put(s, !meeting.is_empty());
            self.lines.emitter.close("");
            return (syms.ceildiv(total, syms.constant(THREADS)), THREADS);
        }
        let same_place = self.is_same_along(s, &apart);
        let (beside, points) = (syms.hint(space(&apart)).max(1), syms.hint(space(&meeting)).max(1));
        if points <= FEW || (!same_place && beside >= MANY) {
            let total = space(&apart);
            self.open_points("own", total);
            self.lines.bind_dims(&s.sizes, &apart, "own");
            let end = self.lines.emitter.index(space(&meeting));
            self.lines.emitter.open();
            self.lines.bind_dims(&s.sizes, &meeting, "point");
            self.put(s, false);
            self.lines.emitter.close(&format!("for (i64 point = 0; point < {end}; point++)"));
            self.lines.emitter.close("");
            return (syms.ceildiv(total, syms.constant(THREADS)), THREADS);
        }
        if !same_place {
            (apart, meeting) = (Vec::new(), all);
        }
        self.picked(s, &apart, &meeting)
    }

    /// Blocks pick the points of their own elements out of all: which block has an element follows from what the data
    /// say of its place. The threads of a block have elements beside one another.
    fn picked(&mut self, s: &Scatter, apart: &[usize], meeting: &[usize]) -> (SymInt, i64) {
        let program = self.lines.program;
        let syms = &program.syms;
        let space = |dims: &[usize]| syms.product(&dims.iter().map(|k| s.sizes[*k]).collect::<Vec<_>>());
        let (beside, points) = (space(apart), space(meeting));
        let chunks = syms.ceildiv(beside, syms.constant(OWNERS * EACH));
        let blocks = 8 * self.target.multiprocessors as i64;
        let owners = (blocks / syms.hint(chunks).max(1)).min(syms.hint(points) / 4).max(1);
        let lines = &mut self.lines;
        let (beside, points) = (lines.emitter.index(beside), lines.emitter.index(points));
        lines.emitter.line(&format!("__shared__ u32 votes[{}];", OWNERS / 32));
        lines.emitter.line(&format!(
            "const u32 owner = blockIdx.x % {owners}; const i64 first = blockIdx.x / {owners} * (i64){} + threadIdx.x;",
            OWNERS * EACH
        ));
        lines.emitter.line(&format!("const i64 last = litz_lesser(first + {}, {beside});", OWNERS * EACH));
        lines.emitter.open();
        lines.emitter.line("const i64 mine = start + threadIdx.x; u32 whose = owner + 1;");
        lines.emitter.open();
        lines.bind_dims(&s.sizes, meeting, "mine");
        let moved = self.moved(s);
        let lines = &mut self.lines;
        let moved = lines.emitter.index_of_data(moved, &s.data);
        lines.emitter.line(&format!("whose = litz_mixed((u64)({moved})) % {owners};"));
        lines.emitter.close(&format!("if (mine < {points})"));
        lines.emitter.line("const u32 vote = __ballot_sync(0xffffffffu, whose == owner);");
        lines.emitter.line("__syncthreads();");
        lines.emitter.line("if (threadIdx.x % 32 == 0) votes[threadIdx.x / 32] = vote;");
        lines.emitter.line("__syncthreads();");
        lines.emitter.open();
        lines.emitter.open();
        lines.emitter.line("const i64 point = start + w * 32 + __ffs(left) - 1;");
        lines.bind_dims(&s.sizes, meeting, "point");
        lines.emitter.open();
        lines.bind_dims(&s.sizes, apart, "own");
        self.put(s, false);
        let lines = &mut self.lines;
        lines.emitter.close(&format!("for (i64 own = first; own < last; own += {OWNERS})"));
        lines.emitter.close("for (u32 left = votes[w]; left != 0; left &= left - 1)");
        lines.emitter.close(&format!("for (int w = 0; w < {}; w++)", OWNERS / 32));
        lines.emitter.close(&format!("for (i64 start = 0; start < {points}; start += {OWNERS})"));
        (syms.mul_const(chunks, owners), OWNERS)
    }

    fn open_points(&mut self, name: &str, total: SymInt) {
        let total = self.lines.emitter.index(total);
        self.lines.emitter.line(&format!("const i64 {name} = blockIdx.x * (i64){THREADS} + threadIdx.x;"));
        self.lines.emitter.line(&format!("if ({name} >= {total}) return;"));
        self.lines.emitter.open();
    }

    /// Takes the point's value into its element.
    fn put(&mut self, s: &Scatter, atomic: bool) {
        let lines = &mut self.lines;
        let offset = lines.offset(s.out, &s.index);
        let v = lines.emitter.value(s.value).text;
        let place = lines.emitter.index_of_data(offset, &s.data);
        let at = format!("{} + {place}", pointer_of(&lines.emitter, s.out));
        let functor = match s.mode {
            ScatterMode::Set => {
                lines.emitter.line(&format!("store({at}, {v});"));
                return;
            }
            ScatterMode::Add => "litz_add()",
            ScatterMode::Multiply => "litz_mul()",
            ScatterMode::Max => "litz_max()",
            ScatterMode::Min => "litz_min()",
        };
        lines.emitter.line(&if atomic {
            format!("litz_atomic({at}, {v}, {functor});")
        } else {
            format!("litz_combine({at}, {v}, {functor});")
        });
    }

    /// Whether points that differ in a variable never meet: one dimension of the result follows it, and nothing else.
    fn keeps_apart(&self, s: &Scatter, k: usize) -> bool {
        let syms = &self.lines.program.syms;
        let Some(symbol) = syms.as_symbol(syms.index_var(k as u32, s.sizes[k])) else { return true };
        s.index.iter().any(|i| {
            syms.linear_in(*i, symbol).is_some_and(|(step, rest)| {
                let plain = |s| matches!(syms.symbol_kind(s), SymbolKind::Free);
                syms.as_const(step).is_some_and(|n| n != 0) && syms.symbols(rest).into_iter().all(plain)
            })
        })
    }

    /// Whether the data say the same of all points that differ only in these variables.
    fn is_same_along(&self, s: &Scatter, dims: &[usize]) -> bool {
        let program = self.lines.program;
        let syms = &program.syms;
        let own = |k: &usize| syms.as_symbol(syms.index_var(*k as u32, s.sizes[*k]));
        let symbols: Vec<_> = dims.iter().filter_map(own).collect();
        let varies = |i: SymInt| symbols.iter().any(|s| syms.depends_on(i, *s));
        let moved = self.moved(s);
        !varies(moved)
            && program.exprs.postorder(&s.data).into_iter().all(|e| match &program.exprs[e] {
                Expr::Index(i, _) => !varies(*i),
                Expr::Load { index, .. } => !index.iter().any(|i| varies(*i)),
                _ => true,
            })
    }

    /// The part of a point's offset in the result that the data decide.
    fn moved(&self, s: &Scatter) -> SymInt {
        let syms = &self.lines.program.syms;
        let is_data = |i: &SymInt| {
            syms.symbols(*i).into_iter().any(|s| matches!(syms.symbol_kind(s), SymbolKind::Data(_)))
        };
        let zero = syms.constant(0);
        let index: Vec<SymInt> = s.index.iter().map(|i| if is_data(i) { *i } else { zero }).collect();
        self.lines.offset(s.out, &index)
    }
}
