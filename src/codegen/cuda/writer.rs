//! What the kinds of loop kernels share: parameters, vector width, reductions, and the function around the lines.

use super::super::emit::{Emitter, Finished, Operand, Storage};
use super::super::{Kernel, NativeHeader, cpp};
use super::BLOCK;
use crate::kernels;
use crate::kernels::{Body, Pointer};
use crate::loops::{BufferId, Expr, Program, ReductionOp};
use crate::print::Dialect;
use crate::print::words::functor;
use crate::schedule::{Group, GroupKind, INNER, Item, Loops, Stage, inner_position};
use crate::types::{SymInt, SymbolId};

/// A loop kernel being written.
pub struct Writer<'p> {
    pub emitter: Emitter<'p>,
    pub program: &'p Program,
    pub group: &'p Group,
    pub loops: &'p Loops,
    pub buffers: Vec<BufferId>,
    /// Elements of a thread's vector; 1: scalars.
    pub lanes: i64,
    /// Blocks that a multiprocessor is to hold at least, which bounds registers; 0: as many as fit.
    pub resident: i64,
    /// Blocks of a cluster; 1: none.
    pub cluster: i64,
}

/// What a thread keeps of a reduction: a value, and where it stands for an extreme with its position.
pub struct Partial {
    pub value: String,
    pub place: Option<String>,
    /// A value for each lane.
    pub vector: bool,
}

impl<'p> Writer<'p> {
    /// `lanes`: the widest vector that the accesses allow; `space`: elements that threads count.
    pub fn new(program: &'p Program, group: &'p Group, loops: &'p Loops, lanes: i64, space: SymInt) -> Self {
        let mut buffers: Vec<BufferId> = group.reads.iter().chain(&group.writes).copied().collect();
        for last in &group.last {
            if !buffers.contains(&last.tickets) {
                buffers.push(last.tickets);
            }
        }
        let mut emitter = Emitter::new(program, Dialect::Cuda);
        emitter.set_index_type(super::width::index_type(program, group, &buffers, space));
        emitter.aligned = Some(lanes);
        for (k, buffer) in buffers.iter().enumerate() {
            emitter.storage.insert(*buffer, Storage::Memory(Pointer::buffer(k)));
        }
        emitter.written.extend(group.writes.iter().copied());
        Writer { emitter, program, group, loops, buffers, lanes, resident: 0, cluster: 1 }
    }

    /// A kernel whose threads have one vector each of `width` elements side by side, of each of `rows`: opens the work of
    /// `thread` and gives how many there are, and the vectors of a row.
    pub fn of_threads(
        program: &'p Program,
        group: &'p Group,
        loops: &'p Loops,
        lanes: i64,
        [rows, width]: [SymInt; 2],
    ) -> (Self, [SymInt; 2]) {
        let syms = &program.syms;
        let vectors = syms.floordiv(width, syms.constant(lanes));
        let threads = syms.mul(rows, vectors);
        let mut w = Writer::new(program, group, loops, lanes, syms.mul_const(threads, lanes));
        let ty = w.emitter.index_name();
        w.emitter.line(&format!("const {ty} thread = ({ty})blockIdx.x * {BLOCK} + (int)threadIdx.x;"));
        let total = w.emitter.index_text(threads);
        w.emitter.line(&format!("if (thread >= {total}) return;"));
        w.emitter.open();
        (w, [threads, vectors])
    }

    /// The end of such a kernel.
    pub fn finish_threads(mut self, kind: &'static str, threads: SymInt) -> Kernel {
        self.emitter.close("");
        let syms = &self.program.syms;
        let blocks = syms.ceildiv(threads, syms.constant(BLOCK));
        self.finish(kind, blocks, BLOCK, syms.constant(0))
    }

    /// Names a thread's row and the first of its elements there, of so many vectors a row.
    pub fn name_row(&mut self, vectors: SymInt, [row, first]: [&str; 2]) {
        let (ty, lanes, width) = (self.emitter.index_name(), self.lanes, self.emitter.divisor_text(vectors));
        self.emitter.line(&format!(
            "const {ty} {row} = thread / {width}, {first} = (thread - {row} * {width}) * {lanes}; (void){row}; (void){first};"
        ));
    }

    /// Binds the lane variable and, where a thread has several lanes, makes values vectors from here on.
    pub fn enter_lanes(&mut self, var: SymInt, name: &str) {
        let level = self.emitter.depth();
        self.emitter.bind(var, name, level);
        if self.lanes > 1
            && let Some(symbol) = self.program.syms.as_symbol(var)
        {
            self.emitter.lanes = Some(super::super::emit::Lanes { symbol, count: None, multiple: None });
        }
    }
    pub fn leave_lanes(&mut self) {
        self.emitter.lanes = None;
    }

    pub fn pointer(&self, buffer: BufferId) -> String {
        let k = self.buffers.iter().position(|b| *b == buffer).expect("the buffer is a parameter");
        format!("b{k}")
    }

    /// How many panels the kernel's blocks take.
    pub fn panels(&self) -> SymInt {
        match &self.group.kind {
            GroupKind::Panels(panels) => panels.columns.outer[0],
            _ => self.program.syms.constant(1),
        }
    }

    /// From here on a buffer's values are found where they lie.
    pub fn store_in_memory(&mut self, buffer: BufferId) {
        let pointer = self.pointer(buffer);
        self.emitter.storage.insert(buffer, Storage::Memory(pointer.as_str().into()));
    }

    /// Declares what a thread keeps of a reduction.
    pub fn partial(&mut self, item: &Item, vector: bool) -> Option<Partial> {
        let Item::Reduce { op, value, .. } = item else { return None };
        let dtype = kernels::accumulator(self.program.exprs.dtype(*value));
        let (name, start) = (self.emitter.fresh("r"), cpp::identity(*op, dtype));
        if vector {
            self.emitter.line(&format!("{} {name} = splat({start});", cpp::vector_type(dtype)));
        } else {
            self.emitter.line(&format!("{} {name} = {start};", cpp::scalar_type(dtype)));
        }
        let place = has_place(*op).then(|| {
            let place = self.emitter.fresh("r");
            self.emitter.line(&format!("i64 {place} = -1;"));
            place
        });
        Some(Partial { value: name, place, vector })
    }

    /// One value more.
    pub fn accumulate(&mut self, item: &Item, partial: &Partial, stage: &Stage) {
        let Item::Reduce { op, value, .. } = item else { return };
        let own = self.program.exprs.dtype(*value);
        let dtype = kernels::accumulator(own);
        let mut operand = self.emitter.value(*value);
        if dtype != own {
            operand = self.emitter.convert(operand, dtype);
        }
        let name = &partial.value;
        if let Some(place) = &partial.place {
            let position = inner_position(self.program, &stage.inner);
            let (position, function, ty) =
                (self.emitter.index_text(position), functor(*op), cpp::scalar_type(dtype));
            let text = self.emitter.text(operand.value);
            self.emitter.line(&format!(
                "{{ const auto f = {function}()(litz_place<{ty}>{{{name}, {place}}}, litz_place<{ty}>{{{text}, (i64){position}}}); {name} = f.value; {place} = f.place; }}"
            ));
            return;
        }
        let text = if self.emitter.lanes.is_some() {
            self.emitter.vector_text(operand)
        } else {
            self.emitter.text(operand.value)
        };
        let combine = cpp::reduction(*op, dtype).0;
        let text = if partial.vector { text } else { format!("litz_fold({}(), {text})", functor(*op)) };
        self.emitter.line(&format!("{name} = {combine}({name}, {text});"));
    }

    /// Stores a value at the current point.
    pub fn store(&mut self, buffer: BufferId, offset: SymInt, value: crate::loops::ExprId) {
        let pointer = self.pointer(buffer);
        self.emitter.store(&pointer, offset, value);
    }

    /// Makes a value of the row known to later stages; `first` is the condition under which one thread stores it.
    pub fn row_value(&mut self, buffer: BufferId, offset: SymInt, value: Operand, first: &str) {
        if self.group.writes.contains(&buffer) {
            let (pointer, place) = (self.pointer(buffer), self.emitter.index_text(offset));
            let text = self.emitter.text(value.value);
            self.emitter.line(&format!("if ({first}) store({pointer} + {place}, {text});"));
        }
        self.emitter.storage.insert(buffer, Storage::Row(value));
    }

    /// True when a stage reads from memory what this kernel wrote there, other than by the loads `found` elsewhere.
    pub fn reads_back(&self, stage: &Stage, found: &[crate::loops::ExprId]) -> bool {
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

    /// The kernel around the lines: `tasks` blocks of `threads`, and `shared` bytes of dynamic shared memory.
    pub fn finish(self, kind: &'static str, tasks: SymInt, threads: i64, shared: SymInt) -> Kernel {
        let Finished { body: lines, symbols, functions } = self.emitter.finish();
        let launch = Launch { threads, resident: self.resident, cluster: self.cluster };
        let headers = match self.cluster {
            1 => Vec::new(),
            _ => vec![NativeHeader::CudaTma, NativeHeader::CudaCluster],
        };
        let body = function(self.program, self.group, &self.buffers, 0, symbols.len(), launch, &lines);
        Kernel {
            kind,
            body,
            functions,
            headers,
            buffers: self.buffers,
            symbols,
            tasks,
            grain: self.program.syms.constant(threads),
            scratch: shared,
            lanes: self.lanes,
            maps: Vec::new(),
        }
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
    let (mut along, mut across) = (0, 0);
    for stage in &loops.stages {
        let Some(symbol) = lane(stage).and_then(|v| syms.as_symbol(v)) else { continue };
        let mut count = |offset: SymInt| match step(program, offset, symbol) {
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
    if along <= across {
        return 1;
    }
    let bytes = |b: &BufferId| program.buffers[*b].dtype.size() as i64;
    let narrowest = group.reads.iter().chain(&group.writes).map(bytes).min().unwrap_or(4);
    let mut lanes = (16 / narrowest.max(1)).clamp(1, 8);
    let whole = |n: SymInt, lanes: i64| syms.as_const(syms.modulo(n, syms.constant(lanes))) == Some(0);
    while lanes > 1 && !lasts.iter().all(|n| whole(*n, lanes)) {
        lanes /= 2;
    }
    lanes
}

fn has_place_item(item: &Item) -> bool {
    matches!(item, Item::Reduce { op, .. } if has_place(*op))
}

fn step(program: &Program, offset: SymInt, symbol: SymbolId) -> Option<i64> {
    let (step, _) = program.syms.linear_in(offset, symbol)?;
    program.syms.as_const(step)
}

/// The variable of a stage's innermost loop.
pub fn last_inner(program: &Program, stage: &Stage) -> Option<SymInt> {
    let k = stage.inner.len().checked_sub(1)?;
    Some(program.syms.index_var(INNER + k as u32, stage.inner[k]))
}

/// How a kernel's blocks are.
#[derive(Clone, Copy)]
pub struct Launch {
    pub threads: i64,
    /// Blocks of a cluster, whose shared memory they read from one another; 1: none.
    pub cluster: i64,
    /// Blocks of a multiprocessor at a time, among which its registers are dealt out, so that threads can hand them to
    /// one another; 0: as the compiler likes.
    pub resident: i64,
}

impl Launch {
    pub fn block(threads: i64) -> Launch {
        Launch { threads, cluster: 1, resident: 0 }
    }
}

/// The function around a kernel's lines.
pub fn function(
    program: &Program,
    group: &Group,
    buffers: &[BufferId],
    n_maps: usize,
    n_symbols: usize,
    launch: Launch,
    body: &Body,
) -> String {
    let mut parameters: Vec<String> = Vec::new();
    for (k, buffer) in buffers.iter().enumerate() {
        let ty = cpp::memory_type(program.buffers[*buffer].dtype);
        let written = group.writes.contains(buffer) || group.tickets().any(|t| t == *buffer);
        let constant = if written { "" } else { "const " };
        parameters.push(format!("{constant}{ty} *__restrict__ b{k}"));
    }
    parameters.extend((0..n_maps).map(|k| format!("const __grid_constant__ litz_tensor_map t{k}")));
    let symbols: Vec<String> = (0..n_symbols).map(|k| format!("s{k}")).collect();
    parameters.extend(symbols.iter().map(|s| format!("i64 {s}")));
    parameters.push("int *failure".into());
    let Launch { threads, cluster, resident } = launch;
    let cluster = if cluster > 1 { format!("__cluster_dims__({cluster}, 1, 1) ") } else { String::new() };
    let resident = if resident > 0 { format!(", {resident}") } else { String::new() };
    let mut text = format!(
        "\nextern \"C\" __global__ void {cluster}__launch_bounds__({threads}{resident}) LITZ_KERNEL({}) {{\n",
        parameters.join(", ")
    );
    if !symbols.is_empty() {
        text.push_str(&format!("  const i64 S[] = {{{}}};\n", symbols.join(", ")));
    }
    text.push_str(&crate::print::block(Dialect::Cuda, body, &body.block, 1));
    text.push_str("}\n");
    text
}
