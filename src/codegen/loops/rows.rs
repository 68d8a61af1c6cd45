//! Lanes over rows: when neighbouring rows are neighbours in memory, and the loops of a block of them, each lane a row of its
//! own.
//!
//! A block at the edge has fewer rows; its lanes beyond the last are masked where they read or store.

use super::super::cpp;
use super::super::emit::{Lanes, Operand, Storage};
use super::{BLOCK, TILE, Writer};
use crate::kernels;
use crate::loops::{BufferId, Expr, ExprId, Program, ReductionOp};
use crate::schedule::{INNER, Item, Loops, RowBuffer, Stage, inner_position};
use crate::target::CpuTarget;
use crate::types::{SymInt, SymbolId};
use rustc_hash::FxHashMap;

/// Elements of a window that is gone through for each row of a block.
const WINDOW: i64 = 64;
/// Operations that are worth being done once for a tile of rows.
const SHARED: usize = 16;
/// Bytes that a block may keep of its rows where one vector of rows keeps no more, and those that one vector may keep.
const NEAR: i64 = 64 << 10;
const FAR: i64 = 1 << 20;

/// How accesses lie along both loops that lanes may run along.
struct Ways {
    /// Those that are not contiguous, along the rows' fastest dimension and along the innermost loop.
    along_rows: i64,
    along_inner: i64,
    /// All step evenly along the rows.
    even: bool,
    /// Every stage goes through few elements, in lines that fill half a vector at most.
    window: bool,
}

/// Rows in a block of lanes over rows: fewer vectors than [`BLOCK`] where there are fewer rows, or where what is kept of
/// each would not stay in cache; none where not even a vector's would.
pub(super) fn block(program: &Program, loops: &Loops, lanes: i64) -> Option<i64> {
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

/// True when more accesses are contiguous along the rows' fastest dimension, of which there are `least` at least, than
/// along the innermost loop.
pub fn rows_are_better(program: &Program, loops: &Loops, least: i64) -> bool {
    ways(program, loops, least).is_some_and(|w| w.along_rows < w.along_inner)
}

/// [`rows_are_better`], or neither is.
pub fn rows_are_as_good(program: &Program, loops: &Loops, least: i64) -> bool {
    ways(program, loops, least).is_some_and(|w| w.along_rows <= w.along_inner)
}

/// [`rows_are_better`], or lanes along the innermost loop would be few, and strided loads serve those along the rows.
pub(super) fn rows_fill_vectors(program: &Program, loops: &Loops, lanes: i64) -> bool {
    ways(program, loops, lanes).is_some_and(|w| w.along_rows < w.along_inner || w.window && w.even)
}

fn ways(program: &Program, loops: &Loops, least: i64) -> Option<Ways> {
    let syms = &program.syms;
    let last = loops.outer.last()?;
    let row = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let row = syms.as_symbol(row)?;
    if syms.hint(*last) < least {
        return None;
    }
    let (mut along_rows, mut along_inner) = (0i64, 0i64);
    let (mut even, mut window, mut longest) = (true, true, 0);
    for stage in &loops.stages {
        let Some(k) = stage.inner.len().checked_sub(1) else { continue };
        window &= syms.as_const(stage.inner[k]).is_some_and(|n| n * 2 <= least);
        longest = longest.max(syms.range(syms.product(&stage.inner)).max);
        let inner = syms.as_symbol(syms.index_var(INNER + k as u32, stage.inner[k]));
        for item in &stage.items {
            // The position of an extreme value is found by a scalar loop.
            if let Item::Reduce {
                op: ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex | ReductionOp::Xor,
                ..
            } = item
            {
                return None;
            }
            for load in program.exprs.loads(&[item.value()]) {
                let Expr::Load { buffer, index, data } = &program.exprs[load] else { continue };
                // What is kept of a row lies as the lanes like it.
                if loops.row_buffers.contains_key(buffer) {
                    continue;
                }
                // Places that are looked up are anywhere, wherever what they are looked up in moves.
                let moves = |symbol| moves(program, data, symbol);
                let good = |symbol: SymbolId| {
                    let step = syms.linear_in(index[0], symbol).and_then(|(c, _)| syms.as_const(c));
                    matches!(step, Some(0 | 1)) && !moves(symbol)
                };
                let steps = syms.linear_in(index[0], row).is_some_and(|(c, _)| syms.as_const(c).is_some());
                even &= steps && !moves(row);
                along_rows += i64::from(!good(row));
                along_inner += i64::from(inner.is_some_and(|s| !good(s)));
            }
        }
    }
    window &= (1..=WINDOW).contains(&longest);
    Some(Ways { along_rows, along_inner, even, window })
}

/// Whether any of these values changes with a loop's variable.
pub fn moves(program: &Program, values: &[ExprId], symbol: SymbolId) -> bool {
    let syms = &program.syms;
    program.exprs.postorder(values).into_iter().any(|e| match &program.exprs[e] {
        Expr::Index(index, _) => syms.depends_on(*index, symbol),
        Expr::Load { index, .. } => syms.depends_on(index[0], symbol),
        _ => false,
    })
}

/// True when some load's neighbours lie along the rows and not along the inner loop, as in a transposed operand: one
/// row after the other would fetch a line of the cache for each of its elements.
pub(super) fn runs_across(program: &Program, loops: &Loops, target: &CpuTarget) -> bool {
    let syms = &program.syms;
    let [Stage { inner, items }] = &loops.stages[..] else { return false };
    let ([size], Some(last)) = (&inner[..], loops.outer.last()) else { return false };
    let row = syms.as_symbol(syms.index_var(loops.outer.len() as u32 - 1, *last));
    let lane = syms.as_symbol(syms.index_var(INNER, *size));
    let (Some(row), Some(lane)) = (row, lane) else { return false };
    let step = |index: SymInt, symbol| syms.linear_in(index, symbol).map(|(c, _)| c);
    let lanes = target.isa.lanes() as i64;
    let enough = syms.hint(*last) >= TILE && syms.hint(*size) >= lanes;
    let across = |load: &ExprId| match &program.exprs[*load] {
        Expr::Load { index, data, .. } if data.is_empty() => {
            let along_rows = step(index[0], row).and_then(|c| syms.as_const(c)) == Some(1);
            along_rows && step(index[0], lane).is_some_and(|c| syms.hint(c) >= lanes)
        }
        _ => false,
    };
    let rows_share = || share(program, items, row, lane);
    enough && (items.iter().any(|i| program.exprs.loads(&[i.value()]).iter().any(across)) || rows_share())
}

/// Whether neighbouring rows have much in common that differs from lane to lane, as places to sample at have for all
/// channels, and a row's lanes little.
fn share(program: &Program, items: &[Item], row: SymbolId, lane: SymbolId) -> bool {
    let syms = &program.syms;
    let roots: Vec<ExprId> = items.iter().map(|i| i.value()).collect();
    let mut moving: FxHashMap<ExprId, (bool, bool)> = FxHashMap::default();
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

impl Writer<'_> {
    pub(super) fn stage_over_rows(&mut self, stage: &Stage) {
        let vectors = self.block.unwrap_or(self.lanes) / self.lanes;
        self.place_kept_rows(stage);
        let accumulators: Vec<Vec<String>> =
            stage.items.iter().map(|i| self.accumulators(i, true, Some(vectors))).collect();
        // Values of the row that later stages read: one vector per part of the block.
        let mut kept: Vec<Option<String>> = Vec::new();
        for item in &stage.items {
            let keep = match item {
                Item::Store { value, .. } if stage.inner.is_empty() => {
                    let name = self.emitter.fresh("r");
                    let ty = cpp::vector_type(self.program.exprs.dtype(*value));
                    self.emitter.line(&format!("{ty} {name}[{vectors}];"));
                    Some(name)
                }
                _ => None,
            };
            kept.push(keep);
        }
        let rows = self.loops.outer.last().and_then(|n| self.program.syms.as_const(*n));
        let block = vectors * self.lanes;
        if rows.is_none_or(|n| n >= block) {
            self.block_version(stage, &accumulators, &kept, true);
            let head = format!("if (wide == {block})");
            self.emitter.close(&head);
        }
        if rows.is_none_or(|n| n % block != 0) {
            self.block_version(stage, &accumulators, &kept, false);
            let head = format!("if (wide != {block})");
            self.emitter.close(&head);
        }
        for (k, item) in stage.items.iter().enumerate() {
            match item {
                Item::Reduce { outs, offset, value, .. } => {
                    let own = self.program.exprs.dtype(*value);
                    let name = &accumulators[k][0];
                    let text = if kernels::accumulator(own) == own {
                        format!("{name}[u]")
                    } else {
                        format!("{}({name}[u])", cpp::cast(own))
                    };
                    if self.group.writes.contains(&outs[0]) {
                        self.store_block(outs[0], *offset, &text);
                    }
                    self.emitter.storage.insert(outs[0], Storage::Row(Operand::varying(text)));
                }
                Item::Store { buffer, .. } => {
                    if let Some(name) = &kept[k] {
                        let value = Operand::varying(format!("{name}[u]"));
                        self.emitter.storage.insert(*buffer, Storage::Row(value));
                    }
                }
            }
        }
    }

    /// What is kept of a block's rows lies by the position within the stage, then by row.
    fn place_kept_rows(&mut self, stage: &Stage) {
        let (syms, outer) = (&self.program.syms, &self.loops.outer);
        let row = syms.index_var(outer.len() as u32 - 1, outer[outer.len() - 1]);
        let within = inner_position(self.program, &stage.inner);
        let position = syms.add(syms.mul_const(within, self.block.unwrap_or(self.lanes)), row);
        for buffer in self.loops.row_buffers.keys() {
            let pointer = format!("({} - base)", self.pointers[buffer]);
            self.emitter.storage.insert(*buffer, Storage::Local { pointer, position });
        }
    }

    /// The loops of a stage for a whole block, or for one at the edge, in a scope that the caller closes.
    fn block_version(
        &mut self,
        stage: &Stage,
        accumulators: &[Vec<String>],
        kept: &[Option<String>],
        whole: bool,
    ) {
        self.emitter.open();
        let mut heads = Vec::new();
        for (k, size) in stage.inner.iter().enumerate() {
            heads.push(self.open_loop(k, *size));
        }
        self.open_lanes(whole);
        for (k, item) in stage.items.iter().enumerate() {
            match item {
                Item::Reduce { op, value, .. } => {
                    let names: Vec<String> = accumulators[k].iter().map(|n| format!("{n}[u]")).collect();
                    self.accumulate(*op, *value, &names, stage);
                }
                Item::Store { buffer, offset, value, .. } => {
                    if let Some(name) = &kept[k] {
                        let operand = self.emitter.value(*value);
                        let text = self.emitter.vector(operand);
                        self.emitter.line(&format!("{name}[u] = {text};"));
                    }
                    if self.group.writes.contains(buffer) || self.loops.row_buffers.contains_key(buffer) {
                        self.store(*buffer, *offset, *value);
                    }
                }
            }
        }
        self.close_lanes(whole);
        for head in heads.into_iter().rev() {
            self.emitter.close(&head);
        }
    }

    fn open_lanes(&mut self, whole: bool) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let outer = &self.loops.outer;
        let var = syms.index_var(outer.len() as u32 - 1, outer[outer.len() - 1]);
        self.emitter.open();
        let level = self.emitter.depth();
        let name = self.emitter.fresh("c");
        self.emitter.line(&format!("const i64 {name} = base + u * LITZ_LANES; (void){name};"));
        self.emitter.bind(var, &name, level);
        let symbol = syms.as_symbol(var).expect("lanes over rows have a row variable");
        let mut count = None;
        if !whole {
            let (n, mask) = (self.emitter.fresh("n"), self.emitter.fresh("m"));
            self.emitter
                .line(&format!("const i64 {n} = litz_lesser((i64)LITZ_LANES, wide - u * LITZ_LANES);"));
            self.emitter.line(&format!("const vmask {mask} = tail_mask({n}); (void){mask};"));
            self.emitter.set_tail_mask(Some(mask));
            count = Some(n);
        }
        self.emitter.lanes = Some(Lanes { symbol, count, multiple: Some(self.lanes) });
    }

    fn close_lanes(&mut self, whole: bool) {
        self.emitter.lanes = None;
        self.emitter.set_tail_mask(None);
        let vectors = self.block.unwrap_or(self.lanes) / self.lanes;
        let end =
            if whole { vectors.to_string() } else { "(wide + LITZ_LANES - 1) / LITZ_LANES".to_string() };
        if whole {
            // Unrolled, so that the block's vectors stay in registers.
            let around = self.emitter.depth() - 1;
            self.emitter.line_at(around, "_Pragma(\"GCC unroll 8\")");
        }
        self.emitter.close(&format!("for (i64 u = 0; u < {end}; u++)"));
    }

    /// Stores one vector per part of the block to a buffer of rows.
    fn store_block(&mut self, buffer: BufferId, offset: SymInt, text: &str) {
        self.open_lanes(false);
        let pointer = self.pointers[&buffer].clone();
        self.emitter.store_text(&pointer, offset, Operand::varying(text));
        self.close_lanes(false);
    }
}
