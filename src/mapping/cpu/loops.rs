//! Groups of loops: tasks, the loops inside, and reductions along them.

use super::block::KeptRows;
use super::dealing::{CHUNK, Dealing};
use super::{declare_buffers, finish};
use crate::base::{HashMap, StableSort};
use crate::kernels::{
    Axis, Extreme, Kernel, Launch, Length, LocalId, Pointer, Space, Statement, Type, Unroll, Value, ValueId,
    accumulator, combination, identity,
};
use crate::loops::{BufferId, ExprId, Program, ReductionOp};
use crate::mapping::emit::{Emitter, Operand, Span, Storage, is_unrolled};
use crate::schedule::{Group, INNER, Item, Loops, Stage, inner_position};
use crate::target::CpuTarget;
use crate::types::{Dtype, SymInt};

/// Vectors that a reduction adds up side by side.
const UNROLL: i64 = 4;

/// The kernel of a group of loops.
pub fn kernel(program: &Program, group: &Group, loops: &Loops, target: &CpuTarget) -> Kernel {
    let mut emitter = Emitter::new(program);
    let buffers = declare_buffers(&mut emitter, group);
    let pointers = buffers.iter().enumerate().map(|(k, b)| (b.buffer, Pointer::buffer(k))).collect();
    let dealing = Dealing::of(program, loops, target);
    let lanes = target.isa.lanes() as i64;
    let mut writer = Writer {
        emitter,
        program,
        group,
        loops,
        pointers,
        dealing,
        lanes,
        part: None,
        rows: None,
        kept_rows: Vec::new(),
        columns: Vec::new(),
    };
    let scratch = writer.build();
    let (tasks, grain) = dealing.tasks(program, loops);
    finish(writer.emitter, buffers, Launch::Cpu { tasks, grain, scratch }, lanes)
}

pub(super) struct Writer<'p> {
    pub(super) emitter: Emitter<'p>,
    pub(super) program: &'p Program,
    pub(super) group: &'p Group,
    pub(super) loops: &'p Loops,
    pub(super) pointers: HashMap<BufferId, Pointer>,
    pub(super) dealing: Dealing,
    pub(super) lanes: i64,
    /// First and end of the innermost loop, where a task has but a part of it.
    pub(super) part: Option<(ValueId, ValueId)>,
    /// The first of a task's rows and how many they are, where it has several.
    pub(super) rows: Option<(ValueId, ValueId)>,
    /// What a block's stages have left for later ones.
    pub(super) kept_rows: Vec<KeptRows>,
    /// Where the columns of windows lie in scratch, for each of their reductions.
    pub(super) columns: Vec<LocalId>,
}

/// What a reduction keeps.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    /// A variable of a value or a vector, or an array of vectors.
    Partial(LocalId),
    /// Variables: the best, its place, and whether there is one.
    Extreme { best: LocalId, place: LocalId, any: LocalId },
}

impl Writer<'_> {
    /// Builds the body; gives the bytes of scratch.
    fn build(&mut self) -> SymInt {
        let scratch = match self.dealing {
            Dealing::Windows(form) => self.declare_columns(form),
            _ => self.declare_row_buffers(),
        };
        let outer = &self.loops.outer;
        let row = self.emitter.local("row", Type::Index);
        let place = self.emitter.local_value(row);
        self.emitter.open();
        match self.dealing {
            Dealing::Row => self.emitter.bind_point(outer, place),
            Dealing::Chunk => self.open_chunk(place),
            Dealing::Block(block) => self.open_block(outer, block, place),
            Dealing::Windows(form) => self.open_block(&outer[..outer.len() - 1], form.rows, place),
            Dealing::Tile => self.open_tile(place),
        }
        match self.dealing {
            Dealing::Tile => self.tile(),
            Dealing::Windows(form) => self.windows(form),
            _ => {
                for stage in &self.loops.stages {
                    self.stage(stage);
                }
            }
        }
        self.emitter.close_tasks(row);
        scratch
    }

    fn declare_row_buffers(&mut self) -> SymInt {
        let syms = &self.program.syms;
        let mut end = syms.constant(0);
        let mut buffers: Vec<(BufferId, SymInt)> =
            self.loops.row_buffers.iter().map(|(b, r)| (*b, r.elements)).collect();
        buffers.stable_sort();
        for (buffer, elements) in buffers {
            let dtype = self.program.buffers[buffer].dtype;
            let local = self.emitter.local("w", Type::Pointer { dtype, space: Space::Scratch });
            let bytes = self.emitter.index(end);
            self.emitter.push(Statement::Pointer { local, bytes, elements: None });
            self.pointers.insert(buffer, local.into());
            let bytes = syms.mul_const(elements, dtype.size() as i64 * self.dealing.rows());
            let unit = syms.constant(64);
            end = syms.add(end, syms.mul(syms.ceildiv(bytes, unit), unit));
        }
        end
    }

    fn open_chunk(&mut self, place: ValueId) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let inner = syms.product(&self.loops.stages[0].inner);
        // Of nothing there are no chunks; what is not run must compile.
        let chunks = syms.max(syms.ceildiv(inner, syms.constant(CHUNK)), syms.constant(1));
        let e = &mut self.emitter;
        let (total, chunks) = (e.index(inner), e.index(chunks));
        let chunk = e.integer(CHUNK);
        let whole = (!self.loops.outer.is_empty()).then(|| {
            let whole = e.quotient_of(place, chunks);
            e.named("whole", Type::Index, whole)
        });
        let own = if whole.is_some() { e.rest_of(place, chunks) } else { place };
        let first = e.times(own, chunk);
        let first = e.named("first", Type::Index, first);
        if let Some(whole) = whole {
            e.bind_point(&self.loops.outer, whole);
        }
        let end = e.plus(first, chunk);
        let last = e.lesser(end, total);
        self.part = Some((first, e.named("last", Type::Index, last)));
    }

    /// Names the rows of the block that stands at `place` among all blocks: values of the last of these variables.
    pub(super) fn open_block(&mut self, outer: &[SymInt], block: i64, place: ValueId) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let (last, rest) = outer.split_last().expect("a block has rows");
        let blocks = syms.max(syms.ceildiv(*last, syms.constant(block)), syms.constant(1));
        let e = &mut self.emitter;
        let (total, blocks) = (e.index(*last), e.index(blocks));
        let size = e.integer(block);
        let base = if rest.is_empty() {
            let base = e.times(place, size);
            e.named("base", Type::Index, base)
        } else {
            let whole = e.quotient_of(place, blocks);
            let whole = e.named("whole", Type::Index, whole);
            let own = e.rest_of(place, blocks);
            let base = e.times(own, size);
            let base = e.named("base", Type::Index, base);
            e.bind_point(rest, whole);
            base
        };
        let left = e.minus(total, base);
        let wide = e.lesser(size, left);
        self.rows = Some((base, e.named("wide", Type::Index, wide)));
    }

    fn stage(&mut self, stage: &Stage) {
        if let Dealing::Block(_) = self.dealing {
            return self.stage_over_rows(stage);
        }
        let Some((last, before)) = stage.inner.split_last() else {
            for item in &stage.items {
                self.row_item(item);
            }
            return;
        };
        self.place_row_buffers(stage);
        let one_value = self.program.syms.as_const(*last) == Some(1);
        let scalar = one_value || stage.items.iter().any(is_scalar);
        let kept: Vec<Option<Kept>> = stage.items.iter().map(|i| self.kept(i, !scalar)).collect();
        let loops: Vec<(LocalId, ValueId)> =
            before.iter().enumerate().map(|(k, size)| self.open_loop(k, *size)).collect();
        self.lane_loop(stage, before.len(), *last, scalar, &kept);
        for (variable, bound) in loops.into_iter().rev() {
            self.emitter.close_loop(variable, bound, Axis::Serial, Unroll::Free);
        }
        for (item, kept) in stage.items.iter().zip(&kept) {
            if let Some(kept) = kept {
                self.finish_reduction(item, *kept, !scalar);
            }
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

    /// Opens a loop of a stage; gives its variable and its bound.
    pub(super) fn open_loop(&mut self, k: usize, size: SymInt) -> (LocalId, ValueId) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let (local, bound) = (self.emitter.local("j", Type::Index), self.emitter.index(size));
        self.emitter.open();
        let (level, place) = (self.emitter.depth(), self.emitter.local_value(local));
        self.emitter.bind(syms.index_var(INNER + k as u32, size), place, level);
        (local, bound)
    }

    /// The innermost loop: whole vectors, then what is left under a mask; or one element at a time.
    fn lane_loop(&mut self, stage: &Stage, k: usize, size: SymInt, scalar: bool, kept: &[Option<Kept>]) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let var = syms.index_var(INNER + k as u32, size);
        let (first, last) = match self.part {
            Some(part) => part,
            None => (self.emitter.integer(0), self.emitter.index(size)),
        };
        if scalar {
            let local = self.emitter.local("j", Type::Index);
            self.emitter.open();
            let (level, place) = (self.emitter.depth(), self.emitter.local_value(local));
            self.emitter.bind(var, place, level);
            self.items(stage, kept, None);
            return self.emitter.close_range(local, [first, last], Axis::Serial, Unroll::Free);
        }
        let known = syms.as_const(size).filter(|_| self.part.is_none());
        // Chunks are multiples of every vector's lanes.
        let divisible = syms.as_const(size).is_some_and(|n| n % self.lanes == 0);
        let span = Span { variable: var, first, last, known, lanes: self.lanes, whole: true, divisible };
        self.over_lanes(span, stage, kept);
    }

    fn over_lanes(&mut self, span: Span, stage: &Stage, kept: &[Option<Kept>]) {
        let reduces = stage.items.iter().any(|i| matches!(i, Item::Reduce { .. }));
        let unroll = if reduces { UNROLL } else { 1 };
        // In an unrolled turn each vector adds to an accumulator of its own.
        let several = is_unrolled(span.known, unroll, self.lanes);
        let mut apart = kept.to_vec();
        for (item, kept) in stage.items.iter().zip(&mut apart).filter(|_| several) {
            if let (Item::Reduce { op, value, .. }, Some(Kept::Partial(partial))) = (item, kept) {
                *partial = self.partial_vectors(*op, *value, UNROLL);
            }
        }
        // The emitter is lent to the loop, and lent back to each body.
        let mut emitter = std::mem::replace(&mut self.emitter, Emitter::new(self.program));
        emitter.over_lanes_unrolled(span, unroll, &mut |e, turn| {
            std::mem::swap(&mut self.emitter, e);
            self.items(stage, if turn.is_some() { &apart } else { kept }, turn);
            std::mem::swap(&mut self.emitter, e);
        });
        self.emitter = emitter;
        for ((item, kept), apart) in stage.items.iter().zip(kept).zip(apart).filter(|_| several) {
            if let (Item::Reduce { op, value, .. }, Some(Kept::Partial(into)), Some(Kept::Partial(array))) =
                (item, kept, apart)
            {
                let dtype = accumulator(self.program.exprs.dtype(*value));
                self.emitter.push(Statement::FoldArray { op: *op, dtype, array, into: *into });
            }
        }
    }

    /// What a stage's items compute at a point; `turn`: where accumulators are arrays, the one of them.
    pub(super) fn items(&mut self, stage: &Stage, kept: &[Option<Kept>], turn: Option<ValueId>) {
        for (item, kept) in stage.items.iter().zip(kept) {
            match (item, kept) {
                (Item::Store { buffer, offset, value, .. }, _) => self.store(*buffer, *offset, *value),
                (Item::Reduce { op, value, .. }, Some(kept)) => {
                    self.accumulate(*op, *value, *kept, turn, stage);
                }
                (Item::Reduce { .. }, None) => unreachable!("a reduction keeps something"),
            }
        }
    }

    /// Stores a value of the lane loop.
    pub(super) fn store(&mut self, buffer: BufferId, offset: SymInt, value: ExprId) {
        let storage = self.emitter.storage.get(&buffer).cloned();
        let (pointer, offset) = match storage {
            Some(Storage::Memory(pointer)) => (pointer, offset),
            Some(Storage::Local { pointer, position }) => (pointer, position),
            _ => unreachable!("a store goes to memory"),
        };
        self.emitter.store(pointer, offset, value);
    }

    /// The initial value of a reduction.
    pub(super) fn start(&mut self, op: ReductionOp, dtype: Dtype) -> ValueId {
        self.emitter.add(Value::Constant(identity(op, dtype), dtype))
    }

    /// Declares what a reduction keeps.
    fn kept(&mut self, item: &Item, vector: bool) -> Option<Kept> {
        let Item::Reduce { op, value, .. } = item else { return None };
        let dtype = accumulator(self.program.exprs.dtype(*value));
        let mut start = self.start(*op, dtype);
        if vector {
            start = self.emitter.splat(start);
        }
        let best = self.variable("r", Type::of(dtype, vector), start);
        Some(match op {
            ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex => {
                let (zero, no) = (self.emitter.integer(0), self.emitter.bool(false));
                let place = self.variable("r", Type::Index, zero);
                Kept::Extreme { best, place, any: self.variable("any", Type::Scalar(Dtype::Bool), no) }
            }
            _ => Kept::Partial(best),
        })
    }
    pub(super) fn variable(&mut self, name: &'static str, ty: Type, value: ValueId) -> LocalId {
        let local = self.emitter.local(name, ty);
        self.emitter.push(Statement::Variable { local, value: Some(value) });
        local
    }

    /// Declares so many vectors that a reduction keeps.
    pub(super) fn partial_vectors(&mut self, op: ReductionOp, value: ExprId, count: i64) -> LocalId {
        let dtype = accumulator(self.program.exprs.dtype(value));
        let start = self.start(op, dtype);
        let fill = Some(self.emitter.splat(start));
        self.vectors(dtype, count, fill)
    }
    /// Declares an array of vectors.
    pub(super) fn vectors(&mut self, dtype: Dtype, count: i64, fill: Option<ValueId>) -> LocalId {
        let (length, space) = (Length::Known(count), Space::Registers);
        let local = self.emitter.local("r", Type::Array { dtype, vectors: true, length, space });
        self.emitter.push(Statement::Array { local, fill });
        local
    }

    /// Takes a value into what a reduction keeps; `turn`: into that element of an array.
    pub(super) fn accumulate(
        &mut self,
        op: ReductionOp,
        value: ExprId,
        kept: Kept,
        turn: Option<ValueId>,
        stage: &Stage,
    ) {
        let own = self.program.exprs.dtype(value);
        let dtype = accumulator(own);
        let mut operand = self.emitter.value(value);
        if dtype != own {
            operand = self.emitter.convert(operand, dtype);
        }
        let partial = match kept {
            Kept::Extreme { best, place, any } => {
                let position = inner_position(self.program, &stage.inner);
                let position = self.emitter.index(position);
                let (value, any) = (operand.value, Some(any));
                let extreme = Extreme { op, dtype, best, place, any, value, position };
                return self.emitter.push(Statement::Extreme(Box::new(extreme)));
            }
            Kept::Partial(partial) => partial,
        };
        let place = match turn {
            Some(turn) => self.emitter.add(Value::Element(partial, turn)),
            None => self.emitter.local_value(partial),
        };
        let value = match self.emitter.lanes {
            None => operand.value,
            Some(lanes) => {
                let vector = self.emitter.vector(operand);
                match (lanes.count, self.dealing) {
                    // Lanes that are rows of their own do no harm beyond the end.
                    (None, _) | (_, Dealing::Block(_) | Dealing::Windows(_)) => vector,
                    (Some(_), _) => {
                        let (mask, start) = (self.emitter.tail_mask(), self.start(op, dtype));
                        let start = self.emitter.splat(start);
                        self.emitter.add(Value::Select(mask, vector, start))
                    }
                }
            }
        };
        let value = self.emitter.add(Value::Binary(combination(op), place, value));
        self.emitter.push(Statement::Assign { place, value });
    }

    /// The results of a reduction as values of the row, and in memory where they are needed there.
    fn finish_reduction(&mut self, item: &Item, kept: Kept, vector: bool) {
        let Item::Reduce { op, value, outs, offset, .. } = item else { return };
        let own = self.program.exprs.dtype(*value);
        let dtype = accumulator(own);
        let (best, place) = match kept {
            Kept::Partial(best) => (best, None),
            Kept::Extreme { best, place, .. } => (best, Some(place)),
        };
        let mut result = self.emitter.local_value(best);
        if vector {
            result = self.emitter.add(Value::Fold(*op, dtype, result));
        }
        if dtype != own {
            result = self.emitter.add(Value::Cast(own, result));
        }
        let result = self.emitter.spare("v", Type::Scalar(own), result);
        self.row_value(outs[0], *offset, Operand::uniform(result));
        if let Some(place) = place {
            let place = self.emitter.local_value(place);
            let place = self.emitter.spare("v", Type::Scalar(Dtype::Int64), place);
            self.row_value(outs[1], *offset, Operand::uniform(place));
        }
    }

    fn row_value(&mut self, buffer: BufferId, offset: SymInt, value: Operand) {
        if self.group.writes.contains(&buffer) {
            let pointer = self.pointers[&buffer].clone();
            self.emitter.store_value(pointer, offset, value);
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

/// Whether an item's values are taken one after another: where an extreme lies, and what has no vectors.
fn is_scalar(item: &Item) -> bool {
    use ReductionOp::*;
    matches!(item, Item::Reduce { op: MaxWithIndex | MinWithIndex | Xor, .. })
}
