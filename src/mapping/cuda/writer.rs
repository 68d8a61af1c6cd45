//! Shared by all loop kernels: parameters, vector width and reductions.

use super::BLOCK;
use crate::kernels::{
    Access, BufferParameter, Builtin, Extreme, IndexOp, Kernel, Launch, Length, LocalId, Over, Pointer,
    Reduction, Role, Shape, Space, Statement, Type, Value, ValueId, accumulator, combination, identity,
};
use crate::loops::{BufferId, Expr, ExprId, Program, ReductionOp};
use crate::mapping::emit::{Emitter, Finished, Lanes, Operand, Storage, lane_step};
use crate::mapping::parameters;
use crate::schedule::{Group, GroupKind, INNER, Item, Loops, Stage, inner_position};
use crate::types::{Dtype, Scalar, SymInt};

/// A loop kernel being built.
pub struct Writer<'p> {
    pub emitter: Emitter<'p>,
    pub program: &'p Program,
    pub group: &'p Group,
    pub loops: &'p Loops,
    buffers: Vec<BufferParameter>,
    /// Elements of a thread's vector; 1: scalars.
    pub lanes: i64,
    /// Blocks that a multiprocessor is to hold at least, which bounds registers; 0: as many as fit.
    pub resident: i64,
    /// Blocks of a cluster; 1: none.
    pub cluster: i64,
}

/// What a thread keeps of a reduction: a value, and where it stands for an extreme with its position.
#[derive(Clone, Copy)]
pub struct Partial {
    /// A variable, or an array's element.
    pub value: ValueId,
    /// Variables: the value and its place.
    pub extreme: Option<[LocalId; 2]>,
    /// A value for each lane.
    pub vector: bool,
}

/// Threads that have a vector each: how many, how many of them a row has, and which one this is.
#[derive(Clone, Copy)]
pub struct Threads {
    pub count: SymInt,
    pub of_row: SymInt,
    pub own: ValueId,
}

impl<'p> Writer<'p> {
    /// `lanes`: the widest vector that the accesses allow; `space`: elements that threads count.
    pub fn new(program: &'p Program, group: &'p Group, loops: &'p Loops, lanes: i64, space: SymInt) -> Self {
        let mut buffers: Vec<BufferId> = group.reads.iter().chain(&group.writes).copied().collect();
        for last in &group.last {
            if !buffers.contains(&last.semaphores) {
                buffers.push(last.semaphores);
            }
        }
        let mut emitter = Emitter::new(program);
        emitter.set_index_type(super::width::index_type(program, group, &buffers, space));
        emitter.aligned = Some(lanes);
        let buffers = parameters::declare(&mut emitter, group, &buffers);
        emitter.written.extend(group.writes.iter().copied());
        Writer { emitter, program, group, loops, buffers, lanes, resident: 0, cluster: 1 }
    }

    /// A kernel whose threads have one vector each of `width` elements side by side, of each of `rows`: opens the work of a
    /// thread.
    pub fn of_threads(
        program: &'p Program,
        group: &'p Group,
        loops: &'p Loops,
        lanes: i64,
        [rows, width]: [SymInt; 2],
    ) -> (Self, Threads) {
        let syms = &program.syms;
        let of_row = syms.floordiv(width, syms.constant(lanes));
        let count = syms.mul(rows, of_row);
        let mut w = Writer::new(program, group, loops, lanes, syms.mul_const(count, lanes));
        let e = &mut w.emitter;
        let (block, size, thread) =
            (e.builtin(Builtin::BlockIndex), e.integer(BLOCK), e.builtin(Builtin::ThreadIndex));
        let first = e.times(block, size);
        let own = e.plus(first, thread);
        let own = e.named("thread", Type::Index, own);
        let total = e.index(count);
        let when = e.index_op(IndexOp::GreaterEqual, &[own, total]);
        e.push(Statement::Return { when });
        e.open();
        (w, Threads { count, of_row, own })
    }

    /// The end of such a kernel.
    pub fn finish_threads(mut self, threads: Threads) -> Kernel {
        self.emitter.close_scope();
        let syms = &self.program.syms;
        let blocks = syms.ceildiv(threads.count, syms.constant(BLOCK));
        self.finish(blocks, BLOCK, syms.constant(0))
    }

    /// Names a thread's row and the first of its elements there.
    pub fn name_row(&mut self, threads: Threads) -> [ValueId; 2] {
        let (e, lanes) = (&mut self.emitter, self.lanes);
        let width = e.divisor(threads.of_row);
        let row = e.quotient_of(threads.own, width);
        let row = e.spare("row", Type::Index, row);
        let before = e.times(row, width);
        let within = e.minus(threads.own, before);
        let lanes = e.integer(lanes);
        let first = e.times(within, lanes);
        [row, e.spare("j", Type::Index, first)]
    }

    /// Binds the lane variable and, where a thread has several lanes, makes values vectors from here on. `first` is a multiple of the lanes.
    pub fn enter_lanes(&mut self, var: SymInt, first: ValueId) {
        let level = self.emitter.depth();
        self.emitter.bind(var, first, level);
        if self.lanes > 1
            && let Some(symbol) = self.program.syms.as_symbol(var)
        {
            self.emitter.lanes = Some(Lanes { symbol, count: None, multiple: Some(self.lanes) });
        }
    }
    pub fn leave_lanes(&mut self) {
        self.emitter.lanes = None;
    }

    /// A name for an integer that 32 bits hold.
    pub fn small(&mut self, name: &'static str, value: ValueId) -> ValueId {
        self.emitter.spare(name, Type::Scalar(Dtype::Int32), value)
    }
    /// A thread's place among those beside one another, and above one another, in rows of so many.
    pub fn beside_and_above(&mut self, across: i64) -> [ValueId; 2] {
        let (thread, across) = (self.emitter.builtin(Builtin::ThreadIndex), self.emitter.integer(across));
        let beside = self.emitter.rest_of(thread, across);
        let beside = self.small("across", beside);
        let above = self.emitter.quotient_of(thread, across);
        [beside, self.small("above", above)]
    }
    /// So many bytes of shared memory that reductions work in.
    pub fn shared(&mut self, bytes: i64) -> LocalId {
        let (length, space) = (Length::Known(bytes), Space::Shared);
        let ty = Type::Array { dtype: Dtype::Uint8, vectors: false, length, space };
        let local = self.emitter.local("shared", ty);
        self.emitter.push(Statement::Array { local, fill: None });
        local
    }
    /// An array in a thread's registers, of values of this dtype as wide as its vectors.
    pub fn held(&mut self, name: &'static str, dtype: Dtype, length: i64) -> LocalId {
        let (length, space) = (Length::Known(length), Space::Registers);
        let local = self.emitter.local(name, Type::Array { dtype, vectors: self.lanes > 1, length, space });
        self.emitter.push(Statement::Array { local, fill: None });
        local
    }
    /// The value as a thread's vector, where it has several lanes.
    pub fn as_wide(&mut self, operand: Operand) -> ValueId {
        if self.lanes > 1 { self.emitter.vector(operand) } else { operand.value }
    }
    /// A value as wide as a thread's vectors.
    pub fn wide(&self, value: ValueId) -> Operand {
        if self.lanes > 1 { Operand::varying(value) } else { Operand::uniform(value) }
    }

    /// A buffer's place among the parameters.
    pub fn place(&self, buffer: BufferId) -> usize {
        self.buffers.iter().position(|b| b.buffer == buffer).expect("the buffer is a parameter")
    }
    pub fn pointer(&self, buffer: BufferId) -> Pointer {
        Pointer::buffer(self.place(buffer))
    }

    /// How many panels the kernel's blocks take.
    pub fn panels(&self) -> SymInt {
        match &self.group.kind {
            GroupKind::RowColumnReduction(panels) => panels.columns.outer[0],
            _ => self.program.syms.constant(1),
        }
    }

    /// From here on a buffer's values are found where they lie.
    pub fn store_in_memory(&mut self, buffer: BufferId) {
        let pointer = self.pointer(buffer);
        self.emitter.storage.insert(buffer, Storage::Memory(pointer));
    }

    /// The initial value of a reduction.
    pub fn start(&mut self, op: ReductionOp, dtype: Dtype) -> ValueId {
        self.emitter.add(Value::Constant(identity(op, dtype), dtype))
    }

    /// Declares what a thread keeps of a reduction.
    pub fn partial(&mut self, item: &Item, vector: bool) -> Option<Partial> {
        let Item::Reduce { op, value, .. } = item else { return None };
        let dtype = accumulator(self.program.exprs.dtype(*value));
        let start = self.start(*op, dtype);
        let e = &mut self.emitter;
        let start = if vector { e.splat(start) } else { start };
        let local = e.local("r", Type::of(dtype, vector));
        e.push(Statement::Variable { local, value: Some(start) });
        let extreme = has_place(*op).then(|| {
            let place = e.local("r", Type::Scalar(Dtype::Int64));
            let none = e.add(Value::Constant(Scalar::Int(-1), Dtype::Int64));
            e.push(Statement::Variable { local: place, value: Some(none) });
            [local, place]
        });
        Some(Partial { value: e.local_value(local), extreme, vector })
    }

    /// The value of a reduction's item here, in the accumulator's type; as wide as the lanes.
    pub fn reduced(&mut self, value: ExprId) -> Operand {
        let own = self.program.exprs.dtype(value);
        let operand = self.emitter.value(value);
        if accumulator(own) == own { operand } else { self.emitter.convert(operand, accumulator(own)) }
    }

    /// One value more.
    pub fn accumulate(&mut self, item: &Item, partial: &Partial, stage: &Stage) {
        let Item::Reduce { op, value, .. } = item else { return };
        let (op, dtype) = (*op, accumulator(self.program.exprs.dtype(*value)));
        let operand = self.reduced(*value);
        let e = &mut self.emitter;
        if let Some([best, place]) = partial.extreme {
            let position = inner_position(self.program, &stage.inner);
            let (value, position) = (operand.value, e.index(position));
            let extreme = Extreme { op, dtype, best, place, any: None, value, position };
            return e.push(Statement::Extreme(Box::new(extreme)));
        }
        let value = match e.lanes {
            Some(_) => {
                let vector = e.vector(operand);
                if partial.vector { vector } else { e.add(Value::Fold(op, dtype, vector)) }
            }
            None => operand.value,
        };
        let value = e.add(Value::Binary(combination(op), partial.value, value));
        e.push(Statement::Assign { place: partial.value, value });
    }

    /// The threads' parts of a reduction put together: the value in its own type, and for an extreme its place.
    pub fn put_together(
        &mut self,
        item: &Item,
        partial: &Partial,
        over: Over,
        workspace: Option<LocalId>,
    ) -> Option<(ValueId, Option<ValueId>)> {
        let Item::Reduce { op, value, .. } = item else { return None };
        let own = self.program.exprs.dtype(*value);
        let dtype = accumulator(own);
        let e = &mut self.emitter;
        let result = e.spare_local("v", Type::of(dtype, partial.vector));
        let place = partial.extreme.map(|[_, place]| e.local_value(place));
        let result_place = place.map(|_| e.spare_local("v", Type::Scalar(Dtype::Int64)));
        let reduction =
            Reduction { op: *op, dtype, over, value: partial.value, place, workspace, result, result_place };
        e.push(Statement::Reduction(Box::new(reduction)));
        let result = e.local_value(result);
        let result = self.own_type(item, result, partial.vector);
        Some((result, result_place.map(|place| self.emitter.local_value(place))))
    }

    /// A reduction's result in the type of its values, named.
    pub fn own_type(&mut self, item: &Item, result: ValueId, vector: bool) -> ValueId {
        let own = self.program.exprs.dtype(item.value());
        if accumulator(own) == own {
            return result;
        }
        let result = self.emitter.add(Value::Cast(own, result));
        self.emitter.spare("v", Type::of(own, vector), result)
    }

    /// Stores a value at the current point.
    pub fn store(&mut self, buffer: BufferId, offset: SymInt, value: ExprId) {
        let pointer = self.pointer(buffer);
        self.emitter.store(pointer, offset, value);
    }

    /// Makes a value of the row known to later stages; `first` is the condition under which one thread stores it.
    pub fn row_value(&mut self, buffer: BufferId, offset: SymInt, value: Operand, first: ValueId) {
        if self.group.writes.contains(&buffer) {
            let (pointer, at) = (self.pointer(buffer), self.emitter.index(offset));
            let access = Access { pointer, at, shape: Shape::Element };
            let then = vec![Statement::Store { access, value: value.value }];
            self.emitter.push(Statement::If { condition: first, then, otherwise: Vec::new() });
        }
        self.emitter.storage.insert(buffer, Storage::Row(value));
    }

    /// True when a stage reads from memory what this kernel wrote there, other than by the loads `found` elsewhere.
    pub fn reads_back(&self, stage: &Stage, found: &[ExprId]) -> bool {
        let roots: Vec<_> = stage.items.iter().map(Item::value).collect();
        let loads = self.program.exprs.loads(&roots);
        loads.into_iter().filter(|l| !found.contains(l)).any(|load| match &self.program.exprs[load] {
            Expr::Load { buffer, .. } => {
                self.emitter.written.contains(buffer)
                    && matches!(self.emitter.storage.get(buffer), Some(Storage::Memory(_)))
            }
            _ => false,
        })
    }

    /// Says that several threads may compute and write the same elements: those beyond the last row or column, which take the last
    /// one again, so that every thread meets every barrier.
    pub fn repeats(&mut self) {
        for parameter in &mut self.buffers {
            if parameter.role == Role::Result {
                parameter.role = Role::Repeated;
            }
        }
    }

    /// The kernel: so many blocks of `threads`, and `shared` bytes of dynamic shared memory.
    pub fn finish(self, blocks: SymInt, threads: i64, shared: SymInt) -> Kernel {
        let Finished { body, symbols } = self.emitter.finish();
        let launch = Launch::Gpu { blocks, threads, cluster: self.cluster, resident: self.resident, shared };
        Kernel { buffers: self.buffers, symbols, launch, lanes: self.lanes, maps: Vec::new(), body }
    }
}

fn has_place(op: ReductionOp) -> bool {
    matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex)
}

/// The most elements that a thread's vectors may have: 16 bytes of the narrowest element, where most accesses are
/// contiguous along the variable `lane(stage)`, and the sizes `lasts` of that variable are whole vectors.
pub fn vector_elements(
    program: &Program,
    group: &Group,
    loops: &Loops,
    lane: impl Fn(&Stage) -> Option<SymInt>,
    lasts: &[SymInt],
) -> i64 {
    let syms = &program.syms;
    let bytes = |b: &BufferId| program.buffers[*b].dtype.size() as i64;
    let narrowest = group.reads.iter().chain(&group.writes).map(bytes).min().unwrap_or(4);
    let mut lanes = (16 / narrowest.max(1)).clamp(1, 8);
    let whole = |n: SymInt, lanes: i64| syms.as_const(syms.modulo(n, syms.constant(lanes))) == Some(0);
    while lanes > 1 && !lasts.iter().all(|n| whole(*n, lanes)) {
        lanes /= 2;
    }
    let (mut along, mut across) = (0, 0);
    for stage in &loops.stages {
        let Some(symbol) = lane(stage).and_then(|v| syms.as_symbol(v)) else { continue };
        let vector = Lanes { symbol, count: None, multiple: Some(lanes) };
        let step = |offset: SymInt| lane_step(syms, offset, &vector).and_then(|step| syms.as_const(step));
        let mut count = |offset: SymInt| match step(offset) {
            Some(0) => {}
            Some(1) => along += 1,
            _ => across += 1,
        };
        for item in &stage.items {
            if has_place_item(item) {
                return 1;
            }
            if let Item::Store { offset, .. } = item {
                count(*offset);
            }
            for load in program.exprs.loads(&[item.value()]) {
                if let Expr::Load { index, .. } = &program.exprs[load] {
                    count(index[0]);
                }
            }
        }
    }
    if along <= across { 1 } else { lanes }
}

fn has_place_item(item: &Item) -> bool {
    matches!(item, Item::Reduce { op, .. } if has_place(*op))
}

/// The variable of a stage's innermost loop.
pub fn last_inner(program: &Program, stage: &Stage) -> Option<SymInt> {
    let k = stage.inner.len().checked_sub(1)?;
    Some(program.syms.index_var(INNER + k as u32, stage.inner[k]))
}
