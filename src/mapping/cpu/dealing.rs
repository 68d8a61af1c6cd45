//! Divides a group of loops into tasks, and chooses the axis of its lanes.

use super::windows::{self, Windows};
use crate::base::HashMap;
use crate::loops::{BufferId, Expr, ExprId, Program};
use crate::schedule::lane_axis;
use crate::schedule::{INNER, Item, Loops, RowBuffer, Stage};
use crate::target::CpuTarget;
use crate::types::{SymArena, SymInt, SymbolId};

/// Elements of the fastest dimension that one task of a pointwise kernel computes.
pub(super) const CHUNK: i64 = 4096;
/// Elements below which splitting over threads does not pay.
const GRAIN: i64 = 16384;
/// Rows that are computed together where a load runs along them: a line of the cache serves all.
pub(super) const TILE: i64 = 16;
/// Elements of each of them that one task computes: a multiple of every vector's lanes.
pub(super) const TILE_WIDTH: i64 = 1024;
/// Vectors in a block of rows that are computed lane by lane.
const BLOCK: i64 = 8;
/// Operations that are worth being done once for a tile of rows.
const SHARED: usize = 16;
/// Bytes that a block may keep of its rows where one vector of rows keeps no more, and those that one vector may keep.
const NEAR: i64 = 64 << 10;
const FAR: i64 = 1 << 20;

/// What a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dealing {
    /// A row, lanes along its innermost loop.
    Row,
    /// A piece of a row's only loop, lanes along it.
    Chunk,
    /// A piece of some rows, computed column of vectors by column of vectors, lanes along the innermost loop.
    Tile,
    /// So many neighbouring rows, each lane one of them.
    Block(i64),
    /// Some rows of windows, each lane one of them, whose columns are reduced first.
    Windows(Windows),
}

impl Dealing {
    pub(super) fn of(program: &Program, loops: &Loops, target: &CpuTarget) -> Dealing {
        let syms = &program.syms;
        let reduces = loops.stages.iter().any(|s| s.items.iter().any(|i| matches!(i, Item::Reduce { .. })));
        let lanes = target.isa.lanes() as i64;
        if reduces {
            if let Some(form) = windows::form(program, loops, lanes) {
                return Dealing::Windows(form);
            }
            let over_rows = lane_axis::rows_fill_vectors(program, loops, lanes);
            let block = block(program, loops, lanes).filter(|_| over_rows);
            return block.map_or(Dealing::Row, Dealing::Block);
        }
        let last_inner = loops.stages.iter().filter_map(|s| s.inner.last()).next_back().copied();
        if runs_across(program, loops, target) {
            Dealing::Tile
        } else if loops.stages.len() == 1
            && last_inner.is_some_and(|n| syms.as_const(n).is_none_or(|n| n > CHUNK))
        {
            Dealing::Chunk
        } else {
            Dealing::Row
        }
    }

    /// Rows that a task computes side by side.
    pub(super) fn rows(self) -> i64 {
        match self {
            Dealing::Block(rows) => rows,
            _ => 1,
        }
    }

    /// The number of tasks, and how many of them are worth a thread.
    pub(super) fn tasks(self, program: &Program, loops: &Loops) -> (SymInt, SymInt) {
        let syms = &program.syms;
        let (tasks, work) = self.work(program, loops);
        let one = syms.constant(1);
        (tasks, syms.max(one, syms.floordiv(syms.constant(GRAIN), syms.max(work, one))))
    }

    /// The number of tasks and the elements that each computes.
    fn work(self, program: &Program, loops: &Loops) -> (SymInt, SymInt) {
        let syms = &program.syms;
        let rows = syms.product(&loops.outer);
        let inner =
            loops.stages.iter().map(|s| syms.product(&s.inner)).fold(syms.constant(0), |a, b| syms.add(a, b));
        let size = match self {
            Dealing::Windows(form) => return windows::work(program, loops, form),
            Dealing::Row => return (rows, inner),
            Dealing::Chunk => {
                let chunks = syms.ceildiv(inner, syms.constant(CHUNK));
                return (syms.mul(rows, chunks), syms.min(inner, syms.constant(CHUNK)));
            }
            Dealing::Tile => syms.constant(TILE),
            Dealing::Block(rows) => syms.constant(rows),
        };
        let (last, rest) = loops.outer.split_last().expect("lanes over rows have rows");
        let blocks = syms.mul(syms.product(rest), syms.ceildiv(*last, size));
        if self == Dealing::Tile {
            let wide = syms.min(inner, syms.constant(TILE_WIDTH));
            return (syms.mul(blocks, parts_of_tile(syms, loops)), syms.mul(wide, size));
        }
        (blocks, syms.mul(inner, size))
    }
}

/// The pieces of a tile's rows that are tasks of their own.
pub(super) fn parts_of_tile(syms: &SymArena, loops: &Loops) -> SymInt {
    // Of nothing there are no pieces; what is not run must compile.
    syms.max(syms.ceildiv(loops.stages[0].inner[0], syms.constant(TILE_WIDTH)), syms.constant(1))
}

/// Rows in a block of lanes over rows: fewer vectors than [`BLOCK`] where there are fewer rows, or where what is kept of
/// each would not stay in cache; none where not even a vector's would.
fn block(program: &Program, loops: &Loops, lanes: i64) -> Option<i64> {
    let syms = &program.syms;
    let rows = loops.outer.last().and_then(|n| syms.as_const(*n)).unwrap_or(BLOCK * lanes);
    let bytes = |(buffer, row): (&BufferId, &RowBuffer)| {
        // Scratch is as large as a run's sizes ask for.
        let elements = syms.range(row.elements).max;
        elements.saturating_mul(program.buffers[*buffer].dtype.size() as i64 * lanes)
    };
    let kept = loops.row_buffers.iter().map(bytes).fold(0, i64::saturating_add);
    let mut vectors = BLOCK.min(rows.saturating_add(lanes - 1) / lanes).max(1);
    while vectors > 1 && kept.saturating_mul(vectors) > NEAR {
        vectors /= 2;
    }
    (kept <= FAR).then_some(vectors * lanes)
}

/// True when some load's neighbours lie along the rows and not along the inner loop, as in a transposed operand: one
/// row after the other would fetch a line of the cache for each of its elements.
fn runs_across(program: &Program, loops: &Loops, target: &CpuTarget) -> bool {
    let syms = &program.syms;
    let [Stage { inner, items }] = &loops.stages[..] else { return false };
    let ([size], Some(last)) = (&inner[..], loops.outer.last()) else { return false };
    let row = syms.as_symbol(syms.index_var(loops.outer.len() as u32 - 1, *last));
    let lane = syms.as_symbol(syms.index_var(INNER, *size));
    let (Some(row), Some(lane)) = (row, lane) else { return false };
    let lanes = target.isa.lanes() as i64;
    let enough = syms.hint(*last) >= TILE && syms.hint(*size) >= lanes;
    let any_crosses = |item: &Item| {
        program.exprs.loads(&[item.value()]).iter().any(|load| crosses(program, *load, [row, lane], lanes))
    };
    enough && (items.iter().any(any_crosses) || share(program, items, [row, lane]))
}

/// Whether a load's neighbours lie along the rows and not along the lanes.
pub(super) fn crosses(program: &Program, load: ExprId, [row, lane]: [SymbolId; 2], lanes: i64) -> bool {
    let syms = &program.syms;
    let Expr::Load { index, data, .. } = &program.exprs[load] else { return false };
    let step = |symbol| syms.linear_in(index[0], symbol).map(|(step, _)| step);
    data.is_empty()
        && step(row).and_then(|step| syms.as_const(step)) == Some(1)
        && step(lane).is_some_and(|step| syms.hint(step) >= lanes)
}

/// Whether neighbouring rows have much in common that differs from lane to lane, as places to sample at have for all
/// channels, and a row's lanes little.
pub(super) fn share(program: &Program, items: &[Item], [row, lane]: [SymbolId; 2]) -> bool {
    let syms = &program.syms;
    let roots: Vec<ExprId> = items.iter().map(|i| i.value()).collect();
    let mut moving: HashMap<ExprId, (bool, bool)> = HashMap::default();
    let (mut along_lanes, mut along_rows) = (0, 0);
    for e in program.exprs.postorder(&roots) {
        let mut own = program
            .exprs
            .operands(e)
            .iter()
            .filter_map(|o| moving.get(o))
            .fold((false, false), |a, b| (a.0 | b.0, a.1 | b.1));
        let index = match &program.exprs[e] {
            Expr::Index(index, _) => Some(*index),
            Expr::Load { index, .. } => Some(index[0]),
            _ => None,
        };
        if let Some(index) = index {
            own = (own.0 | syms.depends_on(index, lane), own.1 | syms.depends_on(index, row));
        }
        moving.insert(e, own);
        along_lanes += usize::from(own == (true, false));
        along_rows += usize::from(own == (false, true));
    }
    along_lanes >= SHARED && along_lanes > 2 * along_rows
}
