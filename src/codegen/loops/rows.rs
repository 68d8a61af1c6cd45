//! Lanes over rows: when neighbouring rows are neighbours in memory, and the loops of a block of them, each lane a row of its
//! own.
//!
//! A block at the edge has fewer rows; its lanes beyond the last are masked where they read or store.

use super::super::cpp;
use super::super::emit::{Lanes, Operand, Storage};
use super::{BLOCK, TILE, Writer};
use crate::loops::{BufferId, Expr, ExprId, Program, ReductionOp};
use crate::schedule::{INNER, Item, Loops, Stage};
use crate::target::CpuTarget;
use crate::types::{SymInt, SymbolId};

/// Elements of a window that is gone through for each row of a block.
const WINDOW: i64 = 64;

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

/// True when more accesses are contiguous along the rows' fastest dimension, of which there are `least` at least, than
/// along the innermost loop.
pub fn rows_are_better(program: &Program, loops: &Loops, least: i64) -> bool {
    ways(program, loops, least).is_some_and(|w| w.along_rows < w.along_inner)
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
                let Expr::Load { index, .. } = &program.exprs[load] else { continue };
                let good = |symbol: SymbolId| {
                    syms.linear_in(index[0], symbol)
                        .is_some_and(|(c, _)| matches!(syms.as_const(c), Some(0 | 1)))
                };
                even &= syms.linear_in(index[0], row).is_some_and(|(c, _)| syms.as_const(c).is_some());
                along_rows += i64::from(!good(row));
                along_inner += i64::from(inner.is_some_and(|s| !good(s)));
            }
        }
    }
    window &= (1..=WINDOW).contains(&longest);
    Some(Ways { along_rows, along_inner, even, window })
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
    enough && items.iter().any(|i| program.exprs.loads(&[i.value()]).iter().any(across))
}

impl Writer<'_> {
    pub(super) fn stage_over_rows(&mut self, stage: &Stage) {
        let vectors = BLOCK;
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
        self.block_version(stage, &accumulators, &kept, true);
        self.block_version(stage, &accumulators, &kept, false);
        for (k, item) in stage.items.iter().enumerate() {
            match item {
                Item::Reduce { outs, offset, value, .. } => {
                    let own = self.program.exprs.dtype(*value);
                    let name = &accumulators[k][0];
                    let text = if cpp::accumulator(own) == own {
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

    /// The loops of a stage for a whole block, or for one at the edge.
    fn block_version(
        &mut self,
        stage: &Stage,
        accumulators: &[Vec<String>],
        kept: &[Option<String>],
        whole: bool,
    ) {
        let block = self.block.unwrap_or(self.lanes);
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
                    if self.group.writes.contains(buffer) {
                        self.store(*buffer, *offset, *value);
                    }
                }
            }
        }
        self.close_lanes(whole);
        for head in heads.into_iter().rev() {
            self.emitter.close(&head);
        }
        self.emitter.close(&if whole { format!("if (wide == {block})") } else { "else".to_string() });
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
        self.emitter.lanes = Some(Lanes { symbol, count });
    }

    fn close_lanes(&mut self, whole: bool) {
        self.emitter.lanes = None;
        self.emitter.set_tail_mask(None);
        let end = if whole { BLOCK.to_string() } else { "(wide + LITZ_LANES - 1) / LITZ_LANES".to_string() };
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
