//! Groups of loops as functions.
//!
//! Lanes run along the innermost loop where most accesses are contiguous in it, otherwise along the fastest dimension
//! of the rows: then a task is a block of neighbouring rows, each lane one of them (column sums).

use super::Kernel;
use super::cpp;
use super::emit::{Emitter, Lanes, Operand, Storage};
use crate::loops::{BufferId, Expr, ExprId, Program, ReductionOp};
use crate::schedule::{Group, INNER, Item, Loops, Stage, inner_position};
use crate::target::CpuTarget;
use crate::types::{Dtype, SymInt, SymbolId};
use rustc_hash::FxHashMap;

/// Elements of the fastest dimension that one task of a pointwise kernel computes.
const CHUNK: i64 = 4096;
/// Elements below which splitting over threads does not pay.
const GRAIN: i64 = 16384;
/// Vectors that a reduction adds up side by side.
const UNROLL: i64 = 4;
/// Rows that are computed together where a load runs along them: a line of the cache serves all.
const TILE: i64 = 16;
/// Vectors in a block of rows that are computed lane by lane.
const BLOCK: i64 = 8;

/// The function of a group of loops.
pub fn kernel(program: &Program, group: &Group, loops: &Loops, target: &CpuTarget) -> Kernel {
    let syms = &program.syms;
    let reduces = loops.stages.iter().any(|s| s.items.iter().any(|i| matches!(i, Item::Reduce { .. })));
    let over_rows =
        reduces && loops.row_buffers.is_empty() && rows_are_better(program, loops, target.isa.lanes() as i64);
    let last_inner = loops.stages.iter().filter_map(|s| s.inner.last()).next_back().copied();
    let chunked = !reduces
        && loops.stages.len() == 1
        && last_inner.is_some_and(|n| syms.as_const(n).is_none_or(|n| n > CHUNK));
    let tiled = !reduces && !over_rows && runs_across(program, loops, target);
    let chunked = chunked && !tiled;
    let writer = Writer {
        emitter: Emitter::new(program),
        program,
        group,
        loops,
        pointers: FxHashMap::default(),
        block: over_rows.then(|| BLOCK * target.isa.lanes() as i64),
        chunked,
        tiled,
        lanes: target.isa.lanes() as i64,
        bounds: None,
    };
    writer.write()
}

/// True when more accesses are contiguous along the rows' fastest dimension, of which there are `least` at least, than
/// along the innermost loop.
pub fn rows_are_better(program: &Program, loops: &Loops, least: i64) -> bool {
    let syms = &program.syms;
    let Some(last) = loops.outer.last() else { return false };
    let row = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let Some(row) = syms.as_symbol(row) else { return false };
    if syms.hint(*last) < least {
        return false;
    }
    let (mut along_rows, mut along_inner) = (0i64, 0i64);
    for stage in &loops.stages {
        let Some(k) = stage.inner.len().checked_sub(1) else { continue };
        let inner = syms.as_symbol(syms.index_var(INNER + k as u32, stage.inner[k]));
        for item in &stage.items {
            // The position of an extreme value is found by a scalar loop.
            if let Item::Reduce {
                op: ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex | ReductionOp::Xor,
                ..
            } = item
            {
                return false;
            }
            for load in program.exprs.loads(&[item.value()]) {
                let Expr::Load { index, .. } = &program.exprs[load] else { continue };
                let good = |symbol: SymbolId| {
                    syms.linear_in(index[0], symbol)
                        .is_some_and(|(c, _)| matches!(syms.as_const(c), Some(0 | 1)))
                };
                along_rows += i64::from(!good(row));
                along_inner += i64::from(inner.is_some_and(|s| !good(s)));
            }
        }
    }
    along_rows < along_inner
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

struct Writer<'p> {
    emitter: Emitter<'p>,
    program: &'p Program,
    group: &'p Group,
    loops: &'p Loops,
    pointers: FxHashMap<BufferId, String>,
    /// Rows per task when lanes run over rows.
    block: Option<i64>,
    chunked: bool,
    /// A task is a tile of rows, computed column of vectors by column of vectors.
    tiled: bool,
    lanes: i64,
    /// First and end of the innermost loop, where a task has but a part of it.
    bounds: Option<(String, String)>,
}

impl Writer<'_> {
    fn write(mut self) -> Kernel {
        let program = self.program;
        let syms = &program.syms;
        let buffers: Vec<BufferId> = self.group.reads.iter().chain(&self.group.writes).copied().collect();
        super::template::declare_pointers(&mut self.emitter, program, self.group, &buffers);
        for (k, buffer) in buffers.iter().enumerate() {
            self.pointers.insert(*buffer, format!("b{k}"));
        }
        let scratch = self.declare_row_buffers();
        let outer = self.loops.outer.clone();
        let one = syms.constant(1);
        // What a task is: a row, a piece of a row's loop, or a block of rows.
        let (tasks, work) = self.tasks(&outer);
        self.emitter.open();
        if self.chunked {
            self.open_chunk(&outer);
        } else if let Some(block) = self.block {
            self.open_block(&outer, block);
        } else if self.tiled {
            self.open_block(&outer, TILE);
        } else {
            self.emitter.bind_point(&outer, "row");
        }
        if self.tiled {
            self.tile();
        } else {
            for stage in &self.loops.stages {
                self.stage(stage);
            }
        }
        self.emitter.close("for (i64 row = begin; row < end; row++)");
        let grain = syms.max(one, syms.floordiv(syms.constant(GRAIN), syms.max(work, one)));
        let (lines, symbols, functions) = self.emitter.finish();
        let body = super::template::function(&lines);
        Kernel {
            kind: "loops",
            body,
            functions,
            headers: Vec::new(),
            buffers,
            symbols,
            tasks,
            grain,
            scratch,
            lanes: 0,
            maps: Vec::new(),
        }
    }

    fn declare_row_buffers(&mut self) -> SymInt {
        let syms = &self.program.syms;
        let mut end = syms.constant(0);
        let mut buffers: Vec<(BufferId, SymInt)> =
            self.loops.row_buffers.iter().map(|(b, r)| (*b, r.elements)).collect();
        buffers.sort();
        for (buffer, elements) in buffers {
            let dtype = self.program.buffers[buffer].dtype;
            let (name, ty) = (self.emitter.fresh("w"), cpp::memory_type(dtype));
            let offset = self.emitter.index(end);
            self.emitter.line(&format!("{ty} *const {name} = ({ty} *)((char *)scratch + {offset});"));
            self.pointers.insert(buffer, name);
            let bytes = syms.mul_const(elements, dtype.size() as i64);
            let unit = syms.constant(64);
            end = syms.add(end, syms.mul(syms.ceildiv(bytes, unit), unit));
        }
        end
    }

    /// The number of tasks and the elements that each computes.
    fn tasks(&self, outer: &[SymInt]) -> (SymInt, SymInt) {
        let syms = &self.program.syms;
        let rows = syms.product(outer);
        let inner = self
            .loops
            .stages
            .iter()
            .map(|s| syms.product(&s.inner))
            .fold(syms.constant(0), |a, b| syms.add(a, b));
        if self.chunked {
            let chunks = syms.ceildiv(inner, syms.constant(CHUNK));
            return (syms.mul(rows, chunks), syms.min(inner, syms.constant(CHUNK)));
        }
        match (self.block.or(self.tiled.then_some(TILE)), outer.split_last()) {
            (Some(block), Some((last, rest))) => {
                let size = syms.constant(block);
                let blocks = syms.ceildiv(*last, size);
                (syms.mul(syms.product(rest), blocks), syms.mul(inner, size))
            }
            _ => (rows, inner),
        }
    }

    fn open_chunk(&mut self, outer: &[SymInt]) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let inner = syms.product(&self.loops.stages[0].inner);
        // Of nothing there are no chunks; what is not run must compile.
        let chunks = syms.max(syms.ceildiv(inner, syms.constant(CHUNK)), syms.constant(1));
        let (total, chunks) = (self.emitter.index(inner), self.emitter.index(chunks));
        if outer.is_empty() {
            self.emitter.line(&format!("const i64 first = row * {CHUNK};"));
        } else {
            self.emitter
                .line(&format!("const i64 whole = row / {chunks}, first = (row % {chunks}) * {CHUNK};"));
            self.emitter.bind_point(outer, "whole");
        }
        self.emitter.line(&format!("const i64 last = litz_lesser(first + {CHUNK}, {total});"));
        self.bounds = Some(("first".to_string(), "last".to_string()));
    }

    fn open_block(&mut self, outer: &[SymInt], block: i64) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let (last, rest) = outer.split_last().expect("lanes over rows have rows");
        let blocks = syms.max(syms.ceildiv(*last, syms.constant(block)), syms.constant(1));
        let (total, blocks) = (self.emitter.index(*last), self.emitter.index(blocks));
        if rest.is_empty() {
            self.emitter.line(&format!("const i64 base = row * {block};"));
        } else {
            self.emitter
                .line(&format!("const i64 whole = row / {blocks}, base = (row % {blocks}) * {block};"));
            self.emitter.bind_point(rest, "whole");
        }
        self.emitter.line(&format!("const i64 wide = litz_lesser((i64){block}, {total} - base);"));
    }

    /// The only stage over a tile of rows: vectors of the inner loop outside, rows inside.
    fn tile(&mut self) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let loops = self.loops;
        let (stage, outer) = (&loops.stages[0], &loops.outer);
        let var = syms.index_var(INNER, stage.inner[0]);
        let row_var = syms.index_var(outer.len() as u32 - 1, outer[outer.len() - 1]);
        let symbol = syms.as_symbol(var).expect("a tile has lanes");
        let (name, last) = (self.emitter.fresh("j"), self.emitter.index(stage.inner[0]));
        let accumulators = vec![Vec::new(); stage.items.len()];
        self.emitter.line(&format!("i64 {name} = 0;"));
        for whole in [true, false] {
            self.emitter.open();
            let level = self.emitter.depth();
            self.emitter.bind(var, &name, level);
            let mut count = None;
            if !whole {
                let (n, mask) = (self.emitter.fresh("n"), self.emitter.fresh("m"));
                self.emitter.line(&format!("const i64 {n} = {last} - {name};"));
                self.emitter.line(&format!("const vmask {mask} = tail_mask({n}); (void){mask};"));
                self.emitter.set_tail_mask(Some(mask));
                count = Some(n);
            }
            self.emitter.lanes = Some(Lanes { symbol, count });
            let row = self.emitter.fresh("r");
            self.emitter.open();
            let level = self.emitter.depth();
            self.emitter.bind(row_var, &row, level);
            self.items(stage, &accumulators);
            self.emitter.close(&format!("for (i64 {row} = base; {row} < base + wide; {row}++)"));
            self.emitter.lanes = None;
            self.emitter.set_tail_mask(None);
            self.emitter.close(&if whole {
                format!("for (; {name} + LITZ_LANES <= {last}; {name} += LITZ_LANES)")
            } else {
                format!("if ({name} < {last})")
            });
        }
    }

    fn stage(&mut self, stage: &Stage) {
        if self.block.is_some() {
            return self.stage_over_rows(stage);
        }
        if stage.inner.is_empty() {
            for item in &stage.items {
                self.row_item(item);
            }
            return;
        }
        self.place_row_buffers(stage);
        let one_value = self.program.syms.as_const(stage.inner[stage.inner.len() - 1]) == Some(1);
        let scalar = one_value
            || stage.items.iter().any(|i| {
                matches!(
                    i,
                    Item::Reduce {
                        op: ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex | ReductionOp::Xor,
                        ..
                    }
                )
            });
        let accumulators: Vec<Vec<String>> =
            stage.items.iter().map(|i| self.accumulators(i, !scalar, None)).collect();
        let (last, before) = stage.inner.split_last().expect("the stage has inner loops");
        let mut heads = Vec::new();
        for (k, size) in before.iter().enumerate() {
            heads.push(self.open_loop(k, *size));
        }
        self.lane_loop(stage, before.len(), *last, scalar, &accumulators);
        for head in heads.into_iter().rev() {
            self.emitter.close(&head);
        }
        for (item, names) in stage.items.iter().zip(&accumulators) {
            self.finish_reduction(item, names, !scalar);
        }
    }

    /// Row-local buffers are addressed by the position within the stage.
    fn place_row_buffers(&mut self, stage: &Stage) {
        let position = inner_position(self.program, &stage.inner);
        for buffer in self.loops.row_buffers.keys() {
            let pointer = self.pointers[buffer].clone();
            self.emitter.storage.insert(*buffer, Storage::Local { pointer, position });
        }
    }

    fn open_loop(&mut self, k: usize, size: SymInt) -> String {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let (name, bound) = (self.emitter.fresh("j"), self.emitter.index(size));
        self.emitter.open();
        let level = self.emitter.depth();
        self.emitter.bind(syms.index_var(INNER + k as u32, size), &name, level);
        format!("for (i64 {name} = 0; {name} < {bound}; {name}++)")
    }

    /// The innermost loop: whole vectors, then what is left under a mask; or one element at a time.
    fn lane_loop(
        &mut self,
        stage: &Stage,
        k: usize,
        size: SymInt,
        scalar: bool,
        accumulators: &[Vec<String>],
    ) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let var = syms.index_var(INNER + k as u32, size);
        let (first, last) = match self.bounds.clone() {
            Some(bounds) => bounds,
            None => ("0".to_string(), self.emitter.index(size)),
        };
        if scalar {
            let name = self.emitter.fresh("j");
            self.emitter.open();
            let level = self.emitter.depth();
            self.emitter.bind(var, &name, level);
            self.items(stage, accumulators);
            self.emitter.close(&format!("for (i64 {name} = {first}; {name} < {last}; {name}++)"));
            return;
        }
        let known = syms.as_const(size).filter(|_| self.bounds.is_none());
        let lanes = self.lanes;
        self.over_lanes(var, (&first, &last), known, lanes, stage, accumulators);
    }

    fn over_lanes(
        &mut self,
        var: SymInt,
        bounds: (&str, &str),
        known: Option<i64>,
        lanes: i64,
        stage: &Stage,
        accumulators: &[Vec<String>],
    ) {
        let reduces = stage.items.iter().any(|i| matches!(i, Item::Reduce { .. }));
        let unroll = if reduces { UNROLL } else { 1 };
        // In an unrolled turn each vector adds to an accumulator of its own.
        let apart: Vec<Vec<String>> =
            accumulators.iter().map(|names| names.iter().map(|n| format!("{n}_u[u]")).collect()).collect();
        let several = unroll > 1 && known.is_none_or(|n| n >= 2 * unroll * lanes);
        if several {
            for (item, names) in stage.items.iter().zip(accumulators) {
                if let (Item::Reduce { op, value, .. }, [name]) = (item, &names[..]) {
                    let dtype = cpp::accumulator(self.program.exprs.dtype(*value));
                    let (ty, start) = (cpp::vector_type(dtype), cpp::identity(*op, dtype));
                    self.emitter.line(&format!(
                        "{ty} {name}_u[{UNROLL}]; for (auto &r : {name}_u) r = splat({start});"
                    ));
                }
            }
        }
        // The emitter is lent to the loop, and lent back to each body.
        let mut emitter = std::mem::replace(&mut self.emitter, Emitter::new(self.program));
        emitter.over_lanes_unrolled(var, bounds, known, lanes, unroll, &mut |e, unrolled| {
            std::mem::swap(&mut self.emitter, e);
            self.items(stage, if unrolled { &apart } else { accumulators });
            std::mem::swap(&mut self.emitter, e);
        });
        self.emitter = emitter;
        if several {
            for (item, names) in stage.items.iter().zip(accumulators) {
                if let (Item::Reduce { op, value, .. }, [name]) = (item, &names[..]) {
                    let combine = cpp::reduction(*op, cpp::accumulator(self.program.exprs.dtype(*value))).0;
                    self.emitter
                        .line(&format!("for (const auto &r : {name}_u) {name} = {combine}({name}, r);"));
                }
            }
        }
    }

    fn items(&mut self, stage: &Stage, accumulators: &[Vec<String>]) {
        for (item, names) in stage.items.iter().zip(accumulators) {
            match item {
                Item::Store { buffer, offset, value, .. } => self.store(*buffer, *offset, *value),
                Item::Reduce { op, value, .. } => self.accumulate(*op, *value, names, stage),
            }
        }
    }

    /// Stores a value of the lane loop.
    fn store(&mut self, buffer: BufferId, offset: SymInt, value: ExprId) {
        let storage = self.emitter.storage.get(&buffer).cloned();
        let (pointer, offset) = match storage {
            Some(Storage::Memory(pointer)) => (pointer, offset),
            Some(Storage::Local { pointer, position }) => (pointer, position),
            _ => unreachable!("a store goes to memory"),
        };
        self.emitter.store(&pointer, offset, value);
    }

    /// Declares what a reduction keeps: names by result.
    fn accumulators(&mut self, item: &Item, vector: bool, array: Option<i64>) -> Vec<String> {
        let Item::Reduce { op, value, .. } = item else { return Vec::new() };
        let dtype = cpp::accumulator(self.program.exprs.dtype(*value));
        let name = self.emitter.fresh("r");
        let start = cpp::identity(*op, dtype);
        if let Some(count) = array {
            let ty = cpp::vector_type(dtype);
            self.emitter.line(&format!("{ty} {name}[{count}]; for (auto &r : {name}) r = splat({start});"));
        } else if vector {
            self.emitter.line(&format!("{} {name} = splat({start});", cpp::vector_type(dtype)));
        } else {
            self.emitter.line(&format!("{} {name} = {start};", cpp::scalar_type(dtype)));
        }
        match op {
            ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex => {
                let place = self.emitter.fresh("r");
                self.emitter.line(&format!("i64 {place} = 0; bool {place}_any = false;"));
                vec![name, place]
            }
            _ => vec![name],
        }
    }

    fn accumulate(&mut self, op: ReductionOp, value: ExprId, names: &[String], stage: &Stage) {
        let own = self.program.exprs.dtype(value);
        let dtype = cpp::accumulator(own);
        let mut operand = self.emitter.value(value);
        if dtype != own {
            operand.text = format!("{}({})", cpp::cast(dtype), operand.text);
        }
        if let [best, place] = names {
            let position = inner_position(self.program, &stage.inner);
            let position = self.emitter.index(position);
            let better = if op == ReductionOp::MaxWithIndex { ">" } else { "<" };
            let v = operand.text;
            // The first NaN wins over everything.
            let beats = if dtype.is_float() {
                format!("!{place}_any || ({best} == {best} && ({v} {better} {best} || {v} != {v}))")
            } else {
                format!("!{place}_any || {v} {better} {best}")
            };
            self.emitter
                .line(&format!("if ({beats}) {{ {best} = {v}; {place} = {position}; {place}_any = true; }}"));
            return;
        }
        let (combine, _) = cpp::reduction(op, dtype);
        let name = &names[0];
        let text = match self.emitter.lanes.clone() {
            None => operand.text,
            Some(lanes) => {
                let vector = self.emitter.vector(operand);
                match (&lanes.count, self.block) {
                    // Lanes beyond the end must not count; lanes that are rows of their own do no harm.
                    (Some(_), None) => {
                        let mask = self.emitter.tail_mask();
                        format!("select({mask}, {vector}, splat({}))", cpp::identity(op, dtype))
                    }
                    _ => vector,
                }
            }
        };
        self.emitter.line(&format!("{name} = {combine}({name}, {text});"));
    }

    /// The results of a reduction as values of the row, and in memory where it is needed there.
    fn finish_reduction(&mut self, item: &Item, names: &[String], vector: bool) {
        let Item::Reduce { op, value, outs, offset, .. } = item else { return };
        let own = self.program.exprs.dtype(*value);
        let dtype = cpp::accumulator(own);
        for (out, name) in outs.iter().zip(names) {
            let is_place = names.len() == 2 && *name == names[1];
            let ty = if is_place { Dtype::Int64 } else { own };
            let mut text = name.clone();
            if vector && !is_place {
                text = format!("{}({text})", cpp::reduction(*op, dtype).1);
            }
            if !is_place && dtype != own {
                text = format!("{}({text})", cpp::cast(own));
            }
            let result = self.emitter.fresh("v");
            self.emitter.line(&format!("const {} {result} = {text}; (void){result};", cpp::scalar_type(ty)));
            self.row_value(*out, *offset, Operand::uniform(result));
        }
    }

    fn row_value(&mut self, buffer: BufferId, offset: SymInt, value: Operand) {
        if self.group.writes.contains(&buffer) {
            let pointer = self.pointers[&buffer].clone();
            let place = self.emitter.index(offset);
            self.emitter.line(&format!("store({pointer} + {place}, {});", value.text));
        }
        self.emitter.storage.insert(buffer, Storage::Row(value));
    }

    /// An item that is computed once per row.
    fn row_item(&mut self, item: &Item) {
        if let Item::Store { buffer, offset, value, .. } = item {
            let value = self.emitter.value(*value);
            self.row_value(*buffer, *offset, value);
        }
    }

    // Lanes over rows.

    fn stage_over_rows(&mut self, stage: &Stage) {
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
