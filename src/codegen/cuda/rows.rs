//! Groups of rows: some threads of a block share a row, stage after stage.
//!
//! Where a row's width is known and fits, each thread keeps its part of the row in registers: what several stages load
//! is loaded once, and what one stage leaves for another never goes to memory. A row that is too wide for a block is
//! shared by the blocks of a cluster, where the GPU has these: they put their parts of a reduction together through one
//! another's shared memory.

use super::super::emit::Storage;
use super::super::{Kernel, cpp};
use super::last::Grid;
use super::row_threads::{KEPT, blocks_at_once, blocks_of_row, threads_of_row};
use super::writer::{Partial, Writer, last_inner, vector_elements};
use crate::kernels;
use crate::loops::{BufferId, Expr, ExprId, Program};
use crate::print::words::functor;
use crate::schedule::{Group, INNER, Item, Loops, Stage, inner_position};
use crate::target::CudaTarget;
use crate::types::{Dtype, SymInt};
use rustc_hash::FxHashMap;

/// Threads of a block, at least; shorter rows share one.
const LEAST_BLOCK: i64 = 128;

struct Rows<'w, 'p> {
    w: &'w mut Writer<'p>,
    /// Threads that share a row, those of all its blocks.
    threads: i64,
    /// Blocks that share a row; several are a cluster.
    blocks: i64,
    /// Reductions put together so far.
    reductions: usize,
    /// The width of the stages whose values are kept in registers, and how many vectors of each a thread has.
    kept: Option<(SymInt, i64)>,
    /// Buffers in memory whose values later stages find in registers: the array, and the loads that it stands for.
    stored: FxHashMap<BufferId, (String, Vec<ExprId>)>,
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
    let shared_by =
        syms.as_const(widest).map_or(1, |width| blocks_of_row(program, group, loops, target, width));
    let threads = threads_of_row([width, syms.hint(rows)], shared_by, lanes, target);
    let vectors = (width + threads * lanes - 1) / (threads * lanes);
    let kept = syms.as_const(widest).filter(|_| vectors * lanes <= KEPT).map(|_| (widest, vectors));
    let per_block = (LEAST_BLOCK / threads).max(1);
    let mut w = Writer::new(program, group, loops, lanes, syms.mul(rows, widest));
    w.cluster = shared_by;
    let mut kernel = Rows { kept, blocks: shared_by, ..Rows::walking(&mut w, threads) };
    let shared = kernel.write(rows, per_block);
    let registers = kernel.registers(loops.stages.len());
    let of_block = threads / shared_by * per_block;
    w.resident = blocks_at_once(registers, of_block);
    let blocks = syms.mul_const(syms.ceildiv(rows, syms.constant(per_block)), shared_by);
    super::last::write(&mut w, &Grid::Rows { per_block, threads: of_block });
    w.finish("rows", blocks, of_block, shared)
}

/// One row of a last stage, named by a variable, by all threads of a block. The writer's loops are the last stage's.
pub fn part(w: &mut Writer<'_>, row: &str, threads: i64) {
    let (program, loops) = (w.program, w.loops);
    let lasts: Vec<SymInt> = loops.stages.iter().filter_map(|s| s.inner.last().copied()).collect();
    let lanes = vector_elements(program, w.group, loops, |s| last_inner(program, s), &lasts);
    // What does not come in the kernel's vectors comes one by one.
    let own = w.lanes;
    if lanes < own {
        w.lanes = 1;
    }
    w.emitter.line(&format!("const int thread = threadIdx.x % {threads}; (void)thread;"));
    if threads > 32 {
        w.emitter.line("__shared__ __align__(16) char shared[512];");
    } else {
        w.emitter.line("char *const shared = nullptr;");
    }
    w.emitter.open();
    w.emitter.row_level = w.emitter.depth();
    w.emitter.bind_point(&loops.outer, row);
    Rows::walking(w, threads).stages();
    w.emitter.close("");
    w.lanes = own;
}

impl<'w, 'p> Rows<'w, 'p> {
    /// Rows that threads of a block walk along, keeping nothing.
    fn walking(w: &'w mut Writer<'p>, threads: i64) -> Rows<'w, 'p> {
        Rows {
            w,
            threads,
            blocks: 1,
            reductions: 0,
            kept: None,
            stored: FxHashMap::default(),
            held: Vec::new(),
        }
    }

    fn write(&mut self, rows: SymInt, per_block: i64) -> SymInt {
        let (ty, threads) = (self.w.emitter.index_name(), self.threads);
        let total = self.w.emitter.index_text(rows);
        if self.blocks > 1 {
            let (blocks, own) = (self.blocks, threads / self.blocks);
            self.w.emitter.line(&format!(
                "const int thread = (int)litz_cluster_rank() * {own} + (int)threadIdx.x; (void)thread;"
            ));
            self.w.emitter.line(&format!("const {ty} row = ({ty})blockIdx.x / {blocks};"));
            self.w.emitter.line("__shared__ __align__(16) char shared[544];");
        } else {
            self.w.emitter.line(&format!("const int thread = threadIdx.x % {threads}; (void)thread;"));
            // Rows beyond the last are computed again, with the same result: every thread meets every barrier.
            self.w.emitter.line(&format!(
                "const {ty} row = litz_lesser(({ty})blockIdx.x * {per_block} + (int)threadIdx.x / {threads}, {total} - 1);"
            ));
            let bytes = per_block * 32 * 16;
            self.w.emitter.line(&match threads {
                ..=32 => "char *const shared = nullptr;".to_string(),
                _ => format!("__shared__ __align__(16) char shared[{bytes}];"),
            });
        }
        let scratch = self.row_buffers(per_block);
        self.w.emitter.open();
        let outer = self.w.loops.outer.clone();
        self.w.emitter.bind_point(&outer, "row");
        self.stages();
        if self.reductions > 0 && self.blocks > 1 {
            // Another block may still read what lies in our shared memory.
            self.w.emitter.line("litz_cluster_meet();");
        }
        self.w.emitter.close("");
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
                let meet = if self.blocks > 1 { "litz_cluster_meet();" } else { "__syncthreads();" };
                self.w.emitter.line(meet);
            }
            if stage.inner.is_empty() {
                self.row_items(stage);
            } else {
                self.stage(stage, &cached);
            }
        }
    }

    /// Registers of the arrays that a thread holds at a time: where one's last stage is another's first, element by
    /// element, the one gives way to the other.
    fn registers(&self, stages: usize) -> i64 {
        let Some((_, vectors)) = self.kept else { return 0 };
        let sum = |with: &dyn Fn(usize, usize) -> bool| -> i64 {
            self.held.iter().filter(|a| with(a.0, a.1)).map(|a| a.2).sum()
        };
        let at = |s: usize| {
            let through = sum(&|first, last| first < s && s < last);
            through
                + sum(&|first, last| first == s && s < last).max(sum(&|first, last| first < s && s == last))
        };
        (0..stages).map(at).max().unwrap_or(0) * vectors * self.w.lanes
    }

    /// The vector of an array that a thread is at. The only one of a row is read outside of the loop too: a variable of one
    /// value is no variable.
    fn held_at(&self, array: &str) -> String {
        if self.kept.is_some_and(|(_, vectors)| vectors == 1) {
            format!("{array}[0]")
        } else {
            format!("{array}[k]")
        }
    }

    /// Takes note of an array that is held over these stages.
    fn hold(&mut self, stages: &[usize], dtype: Dtype) {
        if let (Some(first), Some(last)) = (stages.first(), stages.last()) {
            self.held.push((
                *first,
                *last,
                dtype.compute().size() as i64 / 4 + i64::from(dtype.compute().size() < 4),
            ));
        }
    }

    fn is_kept(&self, stage: &Stage) -> bool {
        matches!((&stage.inner[..], self.kept), ([only], Some((width, _))) if *only == width)
    }

    /// Values that one stage leaves for another: in registers where each thread finds its own again, otherwise in
    /// shared memory. Returns the bytes of the latter.
    fn row_buffers(&mut self, per_block: i64) -> SymInt {
        let program = self.w.program;
        let syms = std::sync::Arc::clone(&program.syms);
        let mut buffers: Vec<(BufferId, SymInt)> =
            self.w.loops.row_buffers.iter().map(|(b, r)| (*b, r.elements)).collect();
        buffers.sort();
        let mut end = syms.constant(0);
        for (buffer, elements) in buffers {
            let dtype = program.buffers[buffer].dtype;
            let name = self.w.emitter.fresh("w");
            match self.kept {
                Some((width, vectors))
                    if width == elements && self.stages_of(buffer).all(|s| self.is_kept(s)) =>
                {
                    let ty = if self.w.lanes > 1 { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
                    self.w.emitter.line(&format!("{ty} {name}[{vectors}];"));
                    let text = self.held_at(&name);
                    let value = if self.w.lanes > 1 {
                        self.w.emitter.varying(&text)
                    } else {
                        self.w.emitter.uniform(&text)
                    };
                    let variable = syms.index_var(INNER, width);
                    self.w.emitter.storage.insert(buffer, Storage::Turn { value, variable });
                    let stages = self.places_of(buffer);
                    self.hold(&stages, dtype);
                }
                _ => {
                    let ty = cpp::memory_type(dtype);
                    let (offset, size) =
                        (self.w.emitter.index_text(end), self.w.emitter.index_text(elements));
                    let threads = self.threads;
                    self.w.emitter.line("extern __shared__ __align__(16) char dynamic[];");
                    self.w.emitter.line(&format!(
                        "{ty} *const {name} = ({ty} *)(dynamic + {offset}) + (int)threadIdx.x / {threads} * {size};"
                    ));
                    let position = syms.constant(0);
                    self.w
                        .emitter
                        .storage
                        .insert(buffer, Storage::Local { pointer: name.as_str().into(), position });
                    let bytes = syms.mul_const(elements, dtype.size() as i64 * per_block);
                    let unit = syms.constant(16);
                    end = syms.add(end, syms.mul(syms.ceildiv(bytes, unit), unit));
                }
            }
        }
        end
    }

    /// The places of the stages that store or load a buffer.
    fn places_of(&self, buffer: BufferId) -> Vec<usize> {
        let stages = &self.w.loops.stages;
        let is = |s: &Stage| self.stages_of(buffer).any(|o| std::ptr::eq(o, s));
        (0..stages.len()).filter(|k| is(&stages[*k])).collect()
    }

    /// The stages that store or load a buffer.
    fn stages_of(&self, buffer: BufferId) -> impl Iterator<Item = &Stage> {
        let program = self.w.program;
        self.w.loops.stages.iter().filter(move |s| {
            s.items.iter().any(|i| {
                i.outs().contains(&buffer)
                    || program
                        .exprs
                        .loads(&[i.value()])
                        .into_iter()
                        .any(|l| matches!(&program.exprs[l], Expr::Load { buffer: b, .. } if *b == buffer))
            })
        })
    }

    /// Loads that several kept stages make, made once: by expression, the array that holds them.
    fn cache_loads(&mut self) -> FxHashMap<ExprId, String> {
        let program = self.w.program;
        let mut uses: FxHashMap<ExprId, usize> = FxHashMap::default();
        let mut order: Vec<ExprId> = Vec::new();
        let mut last_use: FxHashMap<ExprId, usize> = FxHashMap::default();
        for (place, stage) in self.w.loops.stages.iter().enumerate().filter(|(_, s)| self.is_kept(s)) {
            let roots: Vec<_> = stage.items.iter().map(Item::value).collect();
            for load in self.unconditional_loads(&roots) {
                let count = uses.entry(load).or_insert(0);
                if *count == 0 {
                    order.push(load);
                }
                *count += 1;
                last_use.insert(load, place);
            }
        }
        order.retain(|l| uses[l] > 1);
        let mut cached = FxHashMap::default();
        let Some((width, vectors)) = self.kept.filter(|_| !order.is_empty()) else { return cached };
        for load in &order {
            let name = self.w.emitter.fresh("c");
            let dtype = program.exprs.dtype(*load);
            let ty = if self.w.lanes > 1 { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
            self.w.emitter.line(&format!("{ty} {name}[{vectors}];"));
            cached.insert(*load, name);
            self.hold(&[0, last_use[load]], dtype);
        }
        let stage = Stage { inner: vec![width], items: Vec::new() };
        self.over_row(&stage, &mut |this| {
            for load in &order {
                let operand = this.w.emitter.value(*load);
                let text = if this.w.lanes > 1 {
                    this.w.emitter.vector_text(operand)
                } else {
                    this.w.emitter.text(operand.value)
                };
                this.w.emitter.line(&format!("{}[k] = {text};", cached[load]));
            }
        });
        cached
    }

    /// What a kept stage stores and later kept stages load again at the same point stays in registers too.
    fn keep_stores(&mut self) {
        let program = self.w.program;
        let Some((_, vectors)) = self.kept else { return };
        let kept: Vec<&Stage> = self.w.loops.stages.iter().filter(|s| self.is_kept(s)).collect();
        let stores: Vec<(usize, BufferId, SymInt)> = kept
            .iter()
            .enumerate()
            .flat_map(|(k, s)| s.items.iter().map(move |i| (k, i)))
            .filter_map(|(k, i)| match i {
                Item::Store { buffer, offset, .. } if self.w.group.writes.contains(buffer) => {
                    Some((k, *buffer, *offset))
                }
                _ => None,
            })
            .collect();
        for (place, buffer, offset) in stores {
            let roots: Vec<_> =
                kept[place + 1..].iter().flat_map(|s| s.items.iter().map(Item::value)).collect();
            let loads: Vec<ExprId> = program
                .exprs
                .loads(&roots)
                .into_iter()
                .filter(|l| match &program.exprs[*l] {
                    Expr::Load { buffer: b, index, data } => {
                        *b == buffer && data.is_empty() && index[0] == offset
                    }
                    _ => false,
                })
                .collect();
            if loads.is_empty() {
                continue;
            }
            let name = self.w.emitter.fresh("c");
            let dtype = program.buffers[buffer].dtype;
            let ty = if self.w.lanes > 1 { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
            self.w.emitter.line(&format!("{ty} {name}[{vectors}];"));
            self.stored.insert(buffer, (name, loads));
            let stages = self.places_of(buffer);
            self.hold(&stages, dtype);
        }
    }

    /// Loads of memory at the row's points that are made whatever the data: not under a mask, a check or through data.
    fn unconditional_loads(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let (program, w) = (self.w.program, &self.w);
        let Some((width, _)) = self.kept else { return Vec::new() };
        let Some(symbol) = program.syms.as_symbol(program.syms.index_var(INNER, width)) else {
            return Vec::new();
        };
        let own = |load: &ExprId| match &program.exprs[*load] {
            Expr::Load { buffer, index, .. } => {
                !w.emitter.written.contains(buffer)
                    && matches!(w.emitter.storage.get(buffer), Some(Storage::Memory(_)))
                    && program.syms.depends_on(index[0], symbol)
            }
            _ => false,
        };
        program.exprs.unconditional_loads(roots).into_iter().filter(own).collect()
    }

    /// A loop over a stage's points, with the lane variable bound; `k` counts the vectors of a kept stage.
    fn over_row(&mut self, stage: &Stage, body: &mut dyn FnMut(&mut Self)) {
        let syms = std::sync::Arc::clone(&self.w.program.syms);
        let (ty, threads, lanes) = (self.w.emitter.index_name(), self.threads, self.w.lanes);
        let (last, before) = stage.inner.split_last().expect("the stage has inner loops");
        let var = last_inner(self.w.program, stage).expect("the stage has inner loops");
        if self.is_kept(stage)
            && let Some((width, vectors)) = self.kept
        {
            let width = syms.as_const(width).expect("kept widths are known");
            self.w.emitter.open();
            self.w.emitter.line(&format!("const {ty} j = (k * {threads} + thread) * {lanes}; (void)j;"));
            let whole = vectors * threads * lanes == width;
            self.w.emitter.open();
            self.w.enter_lanes(var, "j");
            body(self);
            self.w.leave_lanes();
            self.w.emitter.close(&if whole { String::new() } else { format!("if (j < {width})") });
            let around = self.w.emitter.depth() - 1;
            self.w.emitter.line_at(around, "_Pragma(\"unroll\")");
            self.w.emitter.close(&format!("for (int k = 0; k < {vectors}; k++)"));
            return;
        }
        let vectors = syms.floordiv(*last, syms.constant(lanes));
        let total = syms.mul(syms.product(before), vectors);
        let total = self.w.emitter.index_text(total);
        let width = self.w.emitter.divisor_text(vectors);
        let p = self.w.emitter.fresh("p");
        self.w.emitter.open();
        if before.is_empty() {
            self.w.emitter.line(&format!("const {ty} j = {p} * {lanes}; (void)j;"));
        } else {
            self.w
                .emitter
                .line(&format!("const {ty} q = {p} / {width}, j = ({p} - q * {width}) * {lanes}; (void)j;"));
            self.w.emitter.bind_space(INNER, before, "q");
        }
        self.w.enter_lanes(var, "j");
        body(self);
        self.w.leave_lanes();
        // Several loads on their way at a time.
        let around = self.w.emitter.depth() - 1;
        self.w.emitter.line_at(around, "_Pragma(\"unroll 4\")");
        self.w.emitter.close(&format!("for ({ty} {p} = thread; {p} < {total}; {p} += {threads})"));
    }

    fn stage(&mut self, stage: &Stage, cached: &FxHashMap<ExprId, String>) {
        let position = inner_position(self.w.program, &stage.inner);
        for buffer in self.w.loops.row_buffers.keys() {
            if let Some(Storage::Local { pointer, .. }) = self.w.emitter.storage.get(buffer).cloned() {
                self.w.emitter.storage.insert(*buffer, Storage::Local { pointer, position });
            }
        }
        let vector = self.w.lanes > 1;
        // One value for each reduction, not one for each lane: registers are what keeps threads from waiting for memory.
        let partials: Vec<Option<Partial>> = stage.items.iter().map(|i| self.w.partial(i, false)).collect();
        let kept = self.is_kept(stage);
        // Loads of this stage itself that registers hold.
        let roots: Vec<_> = stage.items.iter().map(Item::value).collect();
        let ready = self.w.program.exprs.loads(&roots);
        self.over_row(stage, &mut |this| {
            if kept {
                for (load, name) in cached {
                    let text = this.held_at(name);
                    let operand =
                        if vector { this.w.emitter.varying(&text) } else { this.w.emitter.uniform(&text) };
                    this.w.emitter.preset(*load, operand);
                }
                let stored =
                    this.stored.values().filter(|(_, loads)| loads.iter().any(|l| ready.contains(l)));
                let stored: Vec<(String, Vec<ExprId>)> = stored.cloned().collect();
                for (name, loads) in stored {
                    let text = this.held_at(&name);
                    let operand =
                        if vector { this.w.emitter.varying(&text) } else { this.w.emitter.uniform(&text) };
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
                    let text = if self.w.lanes > 1 {
                        self.w.emitter.vector_text(operand)
                    } else {
                        self.w.emitter.text(operand.value)
                    };
                    let place = self.w.emitter.text(own.value);
                    self.w.emitter.line(&format!("{place} = {text};"));
                }
                Some(Storage::Local { pointer, position }) => self.w.emitter.store(pointer, position, value),
                other => unreachable!("a row's buffer is {other:?}"),
            }
            return;
        }
        if !self.w.group.writes.contains(&buffer) {
            return;
        }
        if let Some((name, _)) = self.stored.get(&buffer).cloned() {
            let operand = self.w.emitter.value(value);
            let text = if self.w.lanes > 1 {
                self.w.emitter.vector_text(operand)
            } else {
                self.w.emitter.text(operand.value)
            };
            self.w.emitter.line(&format!("{name}[k] = {text};"));
        }
        self.w.store(buffer, offset, value);
    }

    /// The threads' parts of a reduction put together: a value of the row.
    fn finish_reduction(&mut self, item: &Item, partial: &Partial) {
        let Item::Reduce { op, value, outs, offset, .. } = item else { return };
        let own = self.w.program.exprs.dtype(*value);
        let dtype = kernels::accumulator(own);
        let (function, ty) = (functor(*op), cpp::scalar_type(dtype));
        let (call, turn) = match (self.blocks, self.threads / self.blocks) {
            (1, threads) => (format!("reduce_threads<{threads}>"), String::new()),
            (blocks, threads) => {
                (format!("litz_reduce_cluster<{blocks}, {threads}>"), format!(", {}", self.reductions % 2))
            }
        };
        self.reductions += 1;
        let (name, start) = (&partial.value, cpp::identity(*op, dtype));
        let result = self.w.emitter.fresh("v");
        if let Some(place) = &partial.place {
            let both = self.w.emitter.fresh("v");
            self.w.emitter.line(&format!(
                "const auto {both} = {call}(litz_place<{ty}>{{{name}, {place}}}, {function}(), litz_place<{ty}>{{{start}, -1}}, shared{turn});"
            ));
            let text = if dtype == own {
                format!("{both}.value")
            } else {
                format!("{}({both}.value)", cpp::cast(own))
            };
            self.w.emitter.line(&format!("const auto {result} = {text}; (void){result};"));
            let position = self.w.emitter.fresh("v");
            self.w.emitter.line(&format!(
                "const i64 {position} = litz_greater({both}.place, (i64)0); (void){position};"
            ));
            let result = self.w.emitter.uniform(&result);
            self.w.row_value(outs[0], *offset, result, "thread == 0");
            let position = self.w.emitter.uniform(&position);
            self.w.row_value(outs[1], *offset, position, "thread == 0");
            return;
        }
        let mut text =
            format!("{call}(litz_fold({function}(), {name}), {function}(), {start}, shared{turn})");
        if dtype != own {
            text = format!("{}({text})", cpp::cast(own));
        }
        self.w.emitter.line(&format!("const {} {result} = {text}; (void){result};", cpp::scalar_type(own)));
        let result = self.w.emitter.uniform(&result);
        self.w.row_value(outs[0], *offset, result, "thread == 0");
    }

    /// Items that are computed once per row: by every thread, stored by the first.
    fn row_items(&mut self, stage: &Stage) {
        for item in &stage.items {
            if let Item::Store { buffer, offset, value, .. } = item {
                let operand = self.w.emitter.value(*value);
                self.w.row_value(*buffer, *offset, operand, "thread == 0");
            }
        }
    }
}
