//! Groups of loops as functions.
//!
//! Lanes run along the innermost loop where most accesses are contiguous in it, otherwise along the fastest dimension
//! of the rows: then a task is a block of neighbouring rows, each lane one of them (column sums).

mod rows;

pub use rows::{moves, rows_are_as_good, rows_are_better};

use super::Kernel;
use super::cpp;
use super::emit::{Emitter, FIRST_OF_CHUNK, Lanes, Operand, Storage};
use crate::kernels;
use crate::loops::{BufferId, ExprId, Program, ReductionOp};
use crate::schedule::{Group, INNER, Item, Loops, Stage, inner_position};
use crate::target::CpuTarget;
use crate::types::{Dtype, SymInt};
use rustc_hash::FxHashMap;

/// Elements of the fastest dimension that one task of a pointwise kernel computes.
const CHUNK: i64 = 4096;
/// Elements below which splitting over threads does not pay.
const GRAIN: i64 = 16384;
/// Vectors that a reduction adds up side by side.
const UNROLL: i64 = 4;
/// Rows that are computed together where a load runs along them: a line of the cache serves all.
const TILE: i64 = 16;
/// Elements of each of them that one task computes: a multiple of every vector's lanes.
const TILE_WIDTH: i64 = 1024;
/// Vectors in a block of rows that are computed lane by lane.
const BLOCK: i64 = 8;

/// The function of a group of loops.
pub fn kernel(program: &Program, group: &Group, loops: &Loops, target: &CpuTarget) -> Kernel {
    let syms = &program.syms;
    let reduces = loops.stages.iter().any(|s| s.items.iter().any(|i| matches!(i, Item::Reduce { .. })));
    let lanes = target.isa.lanes() as i64;
    let over_rows = reduces && rows::rows_fill_vectors(program, loops, lanes);
    let block = rows::block(program, loops, lanes).filter(|_| over_rows);
    let last_inner = loops.stages.iter().filter_map(|s| s.inner.last()).next_back().copied();
    let chunked = !reduces
        && loops.stages.len() == 1
        && last_inner.is_some_and(|n| syms.as_const(n).is_none_or(|n| n > CHUNK));
    let tiled = !reduces && rows::runs_across(program, loops, target);
    let chunked = chunked && !tiled;
    let writer = Writer {
        emitter: Emitter::new(program),
        program,
        group,
        loops,
        pointers: FxHashMap::default(),
        block,
        chunked,
        tiled,
        lanes,
        bounds: None,
    };
    writer.write()
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
            self.open_block(&outer, block, "row");
        } else if self.tiled {
            let parts = self.parts_of_tile();
            let (parts, total) =
                (self.emitter.index(parts), self.emitter.index(self.loops.stages[0].inner[0]));
            self.emitter
                .line(&format!("const i64 tile = row / {parts}, first = (row % {parts}) * {TILE_WIDTH};"));
            self.emitter.line(&format!("const i64 last = litz_lesser(first + {TILE_WIDTH}, {total});"));
            self.open_block(&outer, TILE, "tile");
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
            let bytes = syms.mul_const(elements, dtype.size() as i64 * self.block.unwrap_or(1));
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
                let blocks = syms.mul(syms.product(rest), syms.ceildiv(*last, size));
                if self.tiled {
                    let wide = syms.min(inner, syms.constant(TILE_WIDTH));
                    return (syms.mul(blocks, self.parts_of_tile()), syms.mul(wide, size));
                }
                (blocks, syms.mul(inner, size))
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
        self.bounds = Some((FIRST_OF_CHUNK.to_string(), "last".to_string()));
    }

    /// The pieces of a tile's rows that are tasks of their own.
    fn parts_of_tile(&self) -> SymInt {
        let syms = &self.program.syms;
        // Of nothing there are no pieces; what is not run must compile.
        syms.max(syms.ceildiv(self.loops.stages[0].inner[0], syms.constant(TILE_WIDTH)), syms.constant(1))
    }

    /// Names the rows of the block that stands at `place` among all blocks.
    fn open_block(&mut self, outer: &[SymInt], block: i64, place: &str) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let (last, rest) = outer.split_last().expect("lanes over rows have rows");
        let blocks = syms.max(syms.ceildiv(*last, syms.constant(block)), syms.constant(1));
        let (total, blocks) = (self.emitter.index(*last), self.emitter.index(blocks));
        if rest.is_empty() {
            self.emitter.line(&format!("const i64 base = {place} * {block};"));
        } else {
            self.emitter.line(&format!(
                "const i64 whole = {place} / {blocks}, base = ({place} % {blocks}) * {block};"
            ));
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
        let (name, last) = (self.emitter.fresh("j"), "last");
        let accumulators = vec![Vec::new(); stage.items.len()];
        self.emitter.line(&format!("i64 {name} = first;"));
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
            self.emitter.lanes = Some(Lanes { symbol, count, multiple: Some(self.lanes) });
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
                    let dtype = kernels::accumulator(self.program.exprs.dtype(*value));
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
                    let combine =
                        cpp::reduction(*op, kernels::accumulator(self.program.exprs.dtype(*value))).0;
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
        let dtype = kernels::accumulator(self.program.exprs.dtype(*value));
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
        let dtype = kernels::accumulator(own);
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
        let dtype = kernels::accumulator(own);
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
}
