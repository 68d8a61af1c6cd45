//! Groups of rows: some threads of a block share a row, stage after stage.
//!
//! Where the width of a row is known and fits, each thread keeps its part of the row in registers: a value that several stages load is loaded
//! once, and a value that one stage computes for another does not go to memory. Where the GPU has clusters, the blocks of a cluster share a row
//! that is too wide for one block, and combine partial results of a reduction through each other's shared memory.

mod kept;

use super::row_threads::{KEPT, WALKED_SOFTMAX, blocks_at_once, blocks_of_row, threads_of_row};
use super::softmax_sums;
use super::split_reduction_finish::Grid;
use super::writer::{Partial, Writer, last_inner, vector_elements};
use crate::base::HashMap;
use crate::kernels::{
    Axis, Builtin, IndexOp, Kernel, LocalId, Loop, Over, Scope, Statement, Step, Type, Unroll, ValueId,
};
use crate::loops::{BufferId, ExprId, Program};
use crate::mapping::emit::{Operand, Storage};
use crate::schedule::{Group, INNER, Item, Loops, Stage, inner_position};
use crate::target::CudaTarget;
use crate::types::{Dtype, SymInt};

/// Threads of a block, at least; shorter rows share one.
const LEAST_BLOCK: i64 = 128;
/// Shared memory of a reduction over a cluster: a row of partial results of warps, and two halves in turn.
const CLUSTER_BYTES: i64 = 512 + 32;

pub(super) struct Rows<'w, 'p> {
    pub(super) w: &'w mut Writer<'p>,
    /// Threads that share a row, those of all its blocks.
    threads: i64,
    /// Blocks that share a row; several are a cluster.
    blocks: i64,
    /// A thread among them.
    thread: ValueId,
    /// What reductions work in, where more than a warp takes part.
    shared: Option<LocalId>,
    /// Reductions put together so far.
    reductions: i64,
    /// The width of the stages whose values are kept in registers, and how many vectors of each a thread has.
    kept: Option<(SymInt, i64)>,
    /// The first of two stages that find a maximum and the sum of exponentials below it in one walk.
    softmax: Option<usize>,
    /// The vector of a kept stage that a thread is at.
    turn: Option<ValueId>,
    /// Row buffers in registers.
    in_registers: Vec<(BufferId, LocalId)>,
    /// Buffers in memory whose values later stages find in registers: the array, and the loads that it stands for.
    stored: HashMap<BufferId, (LocalId, Vec<ExprId>)>,
    /// The arrays in registers: the first and the last stage that has each, and the registers of an element.
    held: Vec<(usize, usize, i64)>,
}

/// The kernel of a group of rows.
pub fn kernel(program: &Program, group: &Group, loops: &Loops, target: &CudaTarget) -> Kernel {
    let syms = &program.syms;
    let lasts: Vec<SymInt> = loops.stages.iter().filter_map(|s| s.inner.last().copied()).collect();
    let lanes = vector_elements(program, group, loops, |s| last_inner(program, s), &lasts);
    let rows = syms.product(&loops.outer);
    let widest = loops
        .stages
        .iter()
        .map(|s| syms.product(&s.inner))
        .max_by_key(|n| syms.hint(*n))
        .unwrap_or_else(|| syms.constant(1));
    let width = syms.hint(widest).max(1);
    let known = syms.as_const(widest);
    let softmax = known.filter(|n| *n >= WALKED_SOFTMAX).and_then(|_| softmax_sums::pair(program, loops));
    let walked = softmax.is_some();
    let shared_by =
        known.filter(|_| !walked).map_or(1, |width| blocks_of_row(program, group, loops, target, width));
    let threads = threads_of_row([width, syms.hint(rows)], shared_by, lanes, walked, target);
    let vectors = (width + threads * lanes - 1) / (threads * lanes);
    let kept = known.filter(|_| !walked && vectors * lanes <= KEPT).map(|_| (widest, vectors));
    let per_block = (LEAST_BLOCK / threads).max(1);
    let mut w = Writer::new(program, group, loops, lanes, syms.mul(rows, widest));
    w.cluster = shared_by;
    if per_block > 1 {
        w.repeats();
    }
    let (mut walk, row) = Rows::of_block(&mut w, [threads, shared_by], per_block, rows);
    walk.kept = kept;
    walk.softmax = softmax;
    let shared = walk.write(row, per_block);
    let registers = walk.registers(loops.stages.len());
    let of_block = threads / shared_by * per_block;
    w.resident = blocks_at_once(registers, of_block);
    let blocks = syms.mul_const(syms.ceildiv(rows, syms.constant(per_block)), shared_by);
    super::split_reduction_finish::write(&mut w, &Grid::Rows { per_block, threads: of_block });
    w.finish(blocks, of_block, shared)
}

/// One row of a last stage by all threads of a block. The writer's loops are the last stage's.
pub fn part(w: &mut Writer<'_>, row: ValueId, threads: i64) {
    let (program, loops) = (w.program, w.loops);
    let lasts: Vec<SymInt> = loops.stages.iter().filter_map(|s| s.inner.last().copied()).collect();
    let lanes = vector_elements(program, w.group, loops, |s| last_inner(program, s), &lasts);
    // What does not come in the kernel's vectors comes one by one.
    let own = w.lanes;
    if lanes < own {
        w.lanes = 1;
    }
    let thread = place_in_row(w, threads);
    let shared = (threads > 32).then(|| w.shared(512));
    w.emitter.open();
    w.emitter.row_level = w.emitter.depth();
    w.emitter.bind_point(&loops.outer, row);
    Rows::walking(w, threads, thread, shared).stages();
    w.emitter.close_scope();
    w.lanes = own;
}

/// A thread among so many neighbours.
fn place_in_row(w: &mut Writer<'_>, threads: i64) -> ValueId {
    let (own, threads) = (w.emitter.builtin(Builtin::ThreadIndex), w.emitter.integer(threads));
    let place = w.emitter.rest_of(own, threads);
    w.small("thread", place)
}

impl<'w, 'p> Rows<'w, 'p> {
    /// Rows that threads of a block walk along, keeping nothing.
    fn walking(
        w: &'w mut Writer<'p>,
        threads: i64,
        thread: ValueId,
        shared: Option<LocalId>,
    ) -> Rows<'w, 'p> {
        Rows {
            w,
            threads,
            blocks: 1,
            thread,
            shared,
            reductions: 0,
            kept: None,
            softmax: None,
            turn: None,
            in_registers: Vec::new(),
            stored: HashMap::default(),
            held: Vec::new(),
        }
    }

    /// The rows of a block, and which row is a thread's.
    fn of_block(
        w: &'w mut Writer<'p>,
        [threads, blocks]: [i64; 2],
        per_block: i64,
        rows: SymInt,
    ) -> (Rows<'w, 'p>, ValueId) {
        let e = &mut w.emitter;
        let (block, thread) = (e.builtin(Builtin::BlockIndex), e.builtin(Builtin::ThreadIndex));
        if blocks > 1 {
            let (rank, own) = (e.builtin(Builtin::ClusterRank), e.integer(threads / blocks));
            let before = e.times(rank, own);
            let place = e.plus(before, thread);
            let place = w.small("thread", place);
            let e = &mut w.emitter;
            let all = e.integer(blocks);
            let row = e.quotient_of(block, all);
            let row = e.named("row", Type::Index, row);
            let shared = Some(w.shared(CLUSTER_BYTES));
            return (Rows { blocks, ..Rows::walking(w, threads, place, shared) }, row);
        }
        let place = place_in_row(w, threads);
        // Rows beyond the last are computed again, with the same result: every thread meets every barrier.
        let e = &mut w.emitter;
        let total = e.index(rows);
        let (of_block, of_row, one) = (e.integer(per_block), e.integer(threads), e.integer(1));
        let first = e.times(block, of_block);
        let within = e.quotient_of(thread, of_row);
        let own = e.plus(first, within);
        let last = e.minus(total, one);
        let row = e.lesser(own, last);
        let row = e.named("row", Type::Index, row);
        let shared = (threads > 32).then(|| w.shared(per_block * 32 * 16));
        (Rows::walking(w, threads, place, shared), row)
    }

    fn write(&mut self, row: ValueId, per_block: i64) -> SymInt {
        let scratch = self.row_buffers(per_block);
        self.w.emitter.open();
        let outer = self.w.loops.outer.clone();
        self.w.emitter.bind_point(&outer, row);
        self.stages();
        if self.reductions > 0 && self.blocks > 1 {
            // Another block may still read what lies in our shared memory.
            self.w.emitter.push(Statement::Barrier(Scope::Cluster));
        }
        self.w.emitter.close_scope();
        scratch
    }

    fn stages(&mut self) {
        let cached = self.cache_loads();
        self.keep_stores();
        let stages = &self.w.loops.stages;
        for (k, stage) in stages.iter().enumerate() {
            let found: Vec<ExprId> = match self.is_kept(stage) {
                true => self.stored.values().flat_map(|(_, loads)| loads.iter().copied()).collect(),
                false => Vec::new(),
            };
            if k > 0 && self.w.reads_back(stage, &found) {
                let scope = if self.blocks > 1 { Scope::Cluster } else { Scope::Block };
                self.w.emitter.push(Statement::Barrier(scope));
            }
            match self.softmax {
                Some(first) if k == first => self.softmax_sums(stage, &stages[k + 1]),
                Some(first) if k == first + 1 => {}
                _ if stage.inner.is_empty() => self.row_items(stage),
                _ => self.stage(stage, &cached),
            }
        }
    }

    /// A loop over a stage's points, with the lane variable bound.
    pub(super) fn over_row(&mut self, stage: &Stage, body: &mut dyn FnMut(&mut Self)) {
        let syms = std::sync::Arc::clone(&self.w.program.syms);
        let (last, before) = stage.inner.split_last().expect("the stage has inner loops");
        let var = last_inner(self.w.program, stage).expect("the stage has inner loops");
        if self.is_kept(stage)
            && let Some((width, vectors)) = self.kept
        {
            let width = syms.as_const(width).expect("kept widths are known");
            return self.over_kept(var, width, vectors, body);
        }
        let (threads, thread, e) = (self.threads, self.thread, &mut self.w.emitter);
        let vectors = syms.floordiv(*last, syms.constant(self.w.lanes));
        let bound = e.index(syms.mul(syms.product(before), vectors));
        let width = e.divisor(vectors);
        let variable = e.local("p", Type::Index);
        e.open();
        let (place, lanes) = (e.local_value(variable), e.integer(self.w.lanes));
        let first = if before.is_empty() {
            let first = e.times(place, lanes);
            e.spare("j", Type::Index, first)
        } else {
            let q = e.quotient_of(place, width);
            let q = e.named("q", Type::Index, q);
            let whole = e.times(q, width);
            let rest = e.minus(place, whole);
            let first = e.times(rest, lanes);
            let first = e.spare("j", Type::Index, first);
            e.bind_space(INNER, before, q);
            first
        };
        self.w.enter_lanes(var, first);
        body(self);
        self.w.leave_lanes();
        // Several loads on their way at a time.
        let body = self.w.emitter.close_block();
        let (axis, first, step, unroll) = (Axis::Thread, Some(thread), Step::By(threads), Unroll::Times(4));
        self.w.emitter.push(Statement::Loop(Box::new(Loop {
            axis,
            variable,
            first,
            bound,
            step,
            unroll,
            body,
        })));
    }

    /// The same of a stage whose values are kept: so many vectors of each thread.
    fn over_kept(&mut self, var: SymInt, width: i64, vectors: i64, body: &mut dyn FnMut(&mut Self)) {
        let (threads, thread, e) = (self.threads, self.thread, &mut self.w.emitter);
        let variable = e.local("k", Type::Scalar(Dtype::Int32));
        let turn = e.local_value(variable);
        e.open();
        let (of_turn, lanes) = (e.integer(threads), e.integer(self.w.lanes));
        let before = e.times(turn, of_turn);
        let place = e.plus(before, thread);
        let first = e.times(place, lanes);
        let first = e.spare("j", Type::Index, first);
        e.open();
        self.turn = Some(turn);
        for (buffer, array) in self.in_registers.clone() {
            let own = self.found_in(array);
            if let Some(Storage::Turn { value, .. }) = self.w.emitter.storage.get_mut(&buffer) {
                *value = own;
            }
        }
        self.w.enter_lanes(var, first);
        body(self);
        self.w.leave_lanes();
        self.turn = None;
        let e = &mut self.w.emitter;
        if vectors * threads * self.w.lanes == width {
            e.close_scope();
        } else {
            let width = e.integer(width);
            let within = e.index_op(IndexOp::Less, &[first, width]);
            e.close_if(within);
        }
        e.close_counted(variable, vectors, Axis::Unrolled, Unroll::Whole);
    }

    fn stage(&mut self, stage: &Stage, cached: &HashMap<ExprId, LocalId>) {
        let position = inner_position(self.w.program, &stage.inner);
        for buffer in self.w.loops.row_buffers.keys() {
            if let Some(Storage::Local { pointer, .. }) = self.w.emitter.storage.get(buffer).cloned() {
                self.w.emitter.storage.insert(*buffer, Storage::Local { pointer, position });
            }
        }
        // One value for each reduction, not one for each lane: registers are what keeps threads from waiting for memory.
        let partials: Vec<Option<Partial>> = stage.items.iter().map(|i| self.w.partial(i, false)).collect();
        let kept = self.is_kept(stage);
        // Loads of this stage itself that registers hold.
        let roots: Vec<_> = stage.items.iter().map(Item::value).collect();
        let ready = self.w.program.exprs.loads(&roots);
        self.over_row(stage, &mut |this| {
            if kept {
                for (load, array) in cached {
                    let operand = this.found_in(*array);
                    this.w.emitter.preset(*load, operand);
                }
                let stored =
                    this.stored.values().filter(|(_, loads)| loads.iter().any(|l| ready.contains(l)));
                let stored: Vec<(LocalId, Vec<ExprId>)> = stored.cloned().collect();
                for (array, loads) in stored {
                    let operand = this.found_in(array);
                    for load in loads {
                        this.w.emitter.preset(load, operand);
                    }
                }
            }
            for (item, partial) in stage.items.iter().zip(&partials) {
                match (item, partial) {
                    (Item::Reduce { .. }, Some(partial)) => this.w.accumulate(item, partial, stage),
                    (Item::Store { buffer, offset, value, .. }, _) => this.store(*buffer, *offset, *value),
                    _ => {}
                }
            }
        });
        for (item, partial) in stage.items.iter().zip(&partials) {
            if let Some(partial) = partial {
                self.finish_reduction(item, partial);
            }
        }
    }

    fn store(&mut self, buffer: BufferId, offset: SymInt, value: ExprId) {
        if self.w.loops.row_buffers.contains_key(&buffer) {
            match self.w.emitter.storage.get(&buffer).cloned() {
                Some(Storage::Turn { value: own, .. }) => {
                    let operand = self.w.emitter.value(value);
                    let value = self.w.as_wide(operand);
                    self.w.emitter.push(Statement::Assign { place: own.value, value });
                }
                Some(Storage::Local { pointer, position }) => self.w.emitter.store(pointer, position, value),
                other => unreachable!("a row's buffer is {other:?}"),
            }
            return;
        }
        if !self.w.group.writes.contains(&buffer) {
            return;
        }
        if let Some((array, _)) = self.stored.get(&buffer).cloned() {
            let operand = self.w.emitter.value(value);
            self.keep_in(array, operand);
        }
        self.w.store(buffer, offset, value);
    }

    /// The condition under which a thread stores values of the row.
    fn first(&mut self) -> ValueId {
        let zero = self.w.emitter.integer(0);
        self.w.emitter.index_op(IndexOp::Equal, &[self.thread, zero])
    }

    /// The threads' parts of a reduction put together: a value of the row.
    pub(super) fn finish_reduction(&mut self, item: &Item, partial: &Partial) {
        let Item::Reduce { outs, offset, .. } = item else { return };
        let over = match (self.blocks, self.threads / self.blocks) {
            (1, threads) => Over::Threads { threads },
            (blocks, threads) => Over::Cluster { blocks, threads, turn: self.reductions % 2 },
        };
        self.reductions += 1;
        let first = self.first();
        let Some((result, place)) = self.w.put_together(item, partial, over, self.shared) else { return };
        self.w.row_value(outs[0], *offset, Operand::uniform(result), first);
        if let Some(place) = place {
            self.w.row_value(outs[1], *offset, Operand::uniform(place), first);
        }
    }

    /// Items that are computed once per row: by every thread, stored by the first.
    fn row_items(&mut self, stage: &Stage) {
        for item in &stage.items {
            if let Item::Store { buffer, offset, value, .. } = item {
                let operand = self.w.emitter.value(*value);
                let first = self.first();
                self.w.row_value(*buffer, *offset, operand, first);
            }
        }
    }
}
