//! Floor 2: the compiled program as plain data: what code generation and lowering write and what the executor runs.
//!
//! A plan names symbols (sizes known only at run time) and where they come from, a straight-line program of
//! integer scalars over them, guards, tensors in and out, constants, buffers, kernels, and two blocks of steps:
//! `init` fills the buffers that depend on constants alone (packed weights, folded subgraphs) when a program is
//! created and again when its constants are updated; `main` is one run.
//!
//! Invariants (checked by [`Plan::check`], and again by the executor's reader of the flat bytes):
//! - a scalar refers only to earlier scalars, so one pass evaluates them all;
//! - every index into another table is in range;
//! - `init` steps touch only constants and derived buffers, and write only derived ones;
//! - the blocks that a step steers follow it and lie within the block around it; `init` has none;
//! - a function ends before the steps that run it again, so that none runs itself;
//! - a size that a step gives is used by steps alone, and by outputs;
//! - a kernel step writes only output, arena, derived, mutated or overwritten input and mutable constant buffers.
//!
//! Deliberately absent: any knowledge of operators, and any pointer: the bytes mean the same in every process.

mod check;
mod costs;
pub mod declarations;
mod error;
pub mod external;
mod folded;
mod format;
pub mod host;
mod usage;

use crate::types::{Calculation, RandomState};

pub use check::MAX_RANK;
pub use costs::Costs;
pub use error::PlanError;
pub use external::{Attributes, Library, Routine};
pub use folded::Folded;
pub use host::HostCall;

/// Index into [`Plan::scalars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScalarId(pub u32);
/// Index into [`Plan::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);
/// Index into [`Plan::kernels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelId(pub u32);

/// A compiled program, but for its kernels' binary and its constants' data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub name: String,
    pub symbols: Vec<Symbol>,
    pub scalars: Vec<ScalarOp>,
    pub guards: Vec<Guard>,
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    /// What outputs are views of and no result shows all of: numbered after the outputs, each with memory of its own.
    pub hidden: Vec<Output>,
    /// What constants lie in; the program's data of each is given in this order.
    pub storages: Vec<Storage>,
    pub constants: Vec<Constant>,
    pub buffers: Vec<Buffer>,
    pub kernels: Vec<Kernel>,
    /// What a kernel's nonzero return `n` means: `assertions[n - 1]`, reported as `LITZ_ERROR_ASSERTION`.
    /// Steps name texts of it too.
    pub assertions: Vec<String>,
    pub init: Vec<Step>,
    pub main: Vec<Step>,
    /// Bytes of the block that all `Arena` buffers of a run lie in.
    pub arena_bytes: Option<ScalarId>,
    /// Bytes of the block that all `Derived` buffers lie in; a constant.
    pub derived_bytes: u64,
    /// Where the random offset stands after a run; none: runs draw no random numbers.
    pub next_offset: Option<ScalarId>,
    /// What `litz_executable_describe` says, as JSON.
    pub metadata: String,
}

/// A size known at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    pub name: String,
    /// Declared range; a value outside is `LITZ_ERROR_SHAPE`. `max` is `i64::MAX` where there is no bound.
    pub min: i64,
    pub max: i64,
    pub source: SymbolSource,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SymbolSource {
    /// `(shape[dim] - addend) / factor` of a tensor input; that the division is exact is seen when the input's
    /// shape is compared with its expected one.
    Dimension { input: u32, dim: u32, factor: i64, addend: i64 },
    /// The value of a 0-d host input: an integer, a bool as 0 and 1, a float64 as its bits.
    Value { input: u32 },
    /// A step of the run: what depends on it is known only then.
    Step,
    /// The random state that the run starts from.
    Random(RandomState),
}

/// One line of the scalar program. Arithmetic is 64-bit and overflow is `LITZ_ERROR_SHAPE`. Comparisons and
/// logic give 0 or 1. `FloorDiv` and `Mod` round as Python does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarOp {
    Constant(i64),
    Symbol(u32),
    Add(ScalarId, ScalarId),
    Sub(ScalarId, ScalarId),
    Mul(ScalarId, ScalarId),
    FloorDiv(ScalarId, ScalarId),
    Mod(ScalarId, ScalarId),
    Min(ScalarId, ScalarId),
    Max(ScalarId, ScalarId),
    Eq(ScalarId, ScalarId),
    Lt(ScalarId, ScalarId),
    Le(ScalarId, ScalarId),
    And(ScalarId, ScalarId),
    Or(ScalarId, ScalarId),
    Not(ScalarId),
    Select(ScalarId, ScalarId, ScalarId),
    /// Floats are the bits of a float64. An operand that the calculation does not take repeats the first.
    Calculate(Calculation, [ScalarId; 3]),
}

/// Must be nonzero once inputs are bound; otherwise the run fails with `status` and `message`.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    pub scalar: ScalarId,
    pub status: i32,
    pub message: String,
}

/// A user input. `dtype` is the C ABI's number.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub name: String,
    pub dtype: i32,
    /// The sizes that a given tensor must have.
    pub shape: Vec<ScalarId>,
    /// The strides (elements) kernels read it with; another layout is copied to this one first, and copied back
    /// after the run when the input is mutated.
    pub strides: Vec<ScalarId>,
    pub mutated: bool,
    /// Kernels write other values over its contents, which nobody needs after the run; never beside `mutated`.
    pub overwritten: bool,
    /// True when only its value is used, as a symbol: a 0-d host tensor that no kernel reads.
    pub scalar: bool,
    /// The host says that its address stays the same between runs.
    pub fixed: bool,
    pub need: InputNeed,
    /// Bounds of each size for `litz_executable_info`; -1 in `max_shape`: no bound.
    pub min_shape: Vec<i64>,
    pub max_shape: Vec<i64>,
}

/// What a run needs of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputNeed {
    /// The tensor may be left out. One that is given must be of the promised type.
    Nothing,
    /// Its memory, strides and device are not looked at.
    Sizes,
    #[default]
    Data,
}

/// A user output. `run` gives it these strides (elements), PyTorch's. A caller's tensor with other strides is filled by a
/// strided copy after the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub name: String,
    pub dtype: i32,
    pub shape: Vec<ScalarId>,
    pub strides: Vec<ScalarId>,
    pub min_shape: Vec<i64>,
    pub max_shape: Vec<i64>,
    pub memory: OutputMemory,
    /// For `litz_executable_info`.
    pub alias: Alias,
}

/// Where an output is computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OutputMemory {
    /// In a buffer of kind `Output(k)`, as it is given.
    #[default]
    Own,
    /// In such a buffer, with these strides, from which it is copied: its own leave gaps, or repeat elements.
    Packed(Vec<ScalarId>),
    /// In another output's memory, from this element on: it is a view of that one, which is `Own`, perhaps as another dtype. Those
    /// that are hidden count on after the others.
    View { of: u32, offset: ScalarId },
}

/// What an output shares memory with, by index: an input or constant where the graph says so (a run gives a copy), or an
/// earlier output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alias {
    #[default]
    None,
    Input(u32),
    Constant(u32),
    Output(u32),
}

/// Memory of one or more constants, unchanged by runs or private to an instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Storage {
    /// Place in the weights of an artifact, in bytes, 64-byte aligned.
    pub offset: u64,
    pub bytes: u64,
    /// Written by runs: every instance has its own copy, and runs of one instance are serialised.
    pub mutated: bool,
    /// No step names it: it has no bytes, though its constants have. One that is frozen, too, was dropped: what was made of it is
    /// in its place.
    pub unused: bool,
    /// What init makes of it stays as it is: its constants cannot be replaced, and where no run reads it, it is dropped.
    pub frozen: bool,
}

/// A parameter, buffer or constant of the program: a view of a storage, of which others may be views too.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    pub name: String,
    pub aliases: Vec<String>,
    /// 0 parameter, 1 buffer, 2 constant.
    pub kind: i32,
    pub dtype: i32,
    pub shape: Vec<i64>,
    /// In elements, not negative.
    pub strides: Vec<i64>,
    /// Index into [`Plan::storages`].
    pub storage: u32,
    /// Where its first element lies in the storage, in bytes, a multiple of an element's size.
    pub offset: u64,
}

/// A piece of memory that steps name. Buffers may share memory: lifetimes are the memory planner's business.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    pub kind: BufferKind,
    pub bytes: ScalarId,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BufferKind {
    Input(u32),
    Output(u32),
    /// All of a storage of constants.
    Storage(u32),
    /// At `offset` bytes of the derived block.
    Derived {
        offset: u64,
    },
    /// At `offset` bytes of the run's arena.
    Arena {
        offset: ScalarId,
    },
    /// Memory of its own, whose size a run finds; [`Step::Allocate`] gives it. Buffers that live apart share a slot.
    Slot(u32),
    /// At `offset` bytes of what is zero before each run, and left zero by it. Its size is fixed.
    Semaphores {
        offset: u64,
    },
}

impl BufferKind {
    /// What it is, in a message's words.
    pub fn name(self) -> &'static str {
        match self {
            BufferKind::Input(_) => "an input",
            BufferKind::Output(_) => "an output",
            BufferKind::Storage(_) => "a storage of constants",
            BufferKind::Derived { .. } => "derived from constants",
            BufferKind::Arena { .. } => "in the arena",
            BufferKind::Slot(_) => "in a slot",
            BufferKind::Semaphores { .. } => "of semaphores",
        }
    }
}

/// A generated function. Equal kernels appear once.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The C symbol in the kernels' binary.
    pub symbol: String,
}

/// A kernel's scratch lies on the thread's stack if it is no more than this.
pub const STACK_SCRATCH: i64 = 8192;

/// A buffer as a tensor whose boxes a GPU's copy engine brings to shared memory. Every list has one entry for each
/// dimension, the innermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorMap {
    pub buffer: BufferId,
    pub dtype: i32,
    /// Bytes from the buffer's start to the first element; a multiple of 16 when it runs.
    pub offset: ScalarId,
    pub sizes: Vec<ScalarId>,
    /// In bytes; all but the first, which is the size of an element, are multiples of 16 when it runs.
    pub strides: Vec<ScalarId>,
    /// Elements that a box spans, 1 to 256.
    pub boxes: Vec<u32>,
    /// Every how many-th of these elements is copied, 1 to 8.
    pub steps: Vec<u32>,
    /// Bytes that a box's rows have in shared memory, whose chunks of 16 bytes are permuted by the row: 32, 64 or 128;
    /// 0: not permuted.
    pub swizzle: u32,
    /// float32 is rounded to TF32 on its way.
    pub tf32: bool,
}

impl TensorMap {
    pub const MAX_RANK: usize = 5;

    /// The scalars that it needs.
    pub fn scalars(&self) -> impl Iterator<Item = &ScalarId> {
        std::iter::once(&self.offset).chain(&self.sizes).chain(&self.strides)
    }
}

/// Elements `[batch, n, k]` in panels of columns: one lies at
/// `((batch * ceil(sizes[1] / columns) + n / columns) * sizes[2] + k) * columns + n % columns` of a step's result, and at
/// `offset + batch * strides[0] + n * strides[1] + k * strides[2]` of the storage that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panels {
    /// Bytes of an element.
    pub item: i64,
    pub columns: i64,
    pub sizes: [i64; 3],
    pub strides: [i64; 3],
    pub offset: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Runs a kernel over the task range `[0, tasks)`, split into pieces of at least `grain` tasks that may run
    /// on several threads at once. Each call gets `scratch` bytes of its thread's own, 64-byte aligned: from `scratch_buffer`, a
    /// buffer of the arena, as far as that suffices for the threads there are.
    Kernel {
        kernel: KernelId,
        buffers: Vec<BufferId>,
        scalars: Vec<ScalarId>,
        tasks: ScalarId,
        grain: ScalarId,
        scratch: ScalarId,
        scratch_buffer: Option<BufferId>,
        /// For a GPU: parameters behind the buffers.
        maps: Vec<TensorMap>,
        /// It writes to an input or to a storage of constants: a run that was cancelled is not ended from here on.
        lasting: bool,
        /// What it packs, where that is a part of a storage as it lies.
        packs: Option<Panels>,
    },
    /// Copies `bytes` from the start of one buffer to another, from its byte `start` on or its start; they do not overlap. What does
    /// not lie in the other is `LITZ_ERROR_ASSERTION`.
    Copy { destination: BufferId, source: BufferId, bytes: ScalarId, start: Option<ScalarId> },
    /// The symbol is the number at the start of a buffer: int64, bool, or float64 as its bits. A value out of the
    /// symbol's range is `LITZ_ERROR_ASSERTION`.
    Read { symbol: u32, buffer: BufferId, dtype: i32 },
    /// The symbol is the scalar.
    Set { symbol: u32, value: ScalarId },
    /// The scalar must not be zero; otherwise the run fails with this one of `assertions`.
    Check { condition: ScalarId, assertion: u32 },
    /// The line to standard output is this one of `assertions`.
    Print { text: u32 },
    /// A buffer in a slot, or that is an output, gets memory of its size, which is known by now.
    Allocate { buffer: BufferId },
    /// Where the bool at the start of the buffer holds, the block of the next `then` steps runs, otherwise the block of
    /// `otherwise` steps after those.
    If { predicate: BufferId, then: u32, otherwise: u32 },
    /// The block of the next `condition` steps runs, and as long as it leaves true in the predicate, the block of `body`
    /// steps after those, and again.
    While { predicate: BufferId, condition: u32, body: u32 },
    /// The next `steps` steps are a function: they run here, and again where a later step says so.
    Function { steps: u32 },
    /// Runs the steps of the function that begins at this step of `main`, and ends before this one.
    Again { function: u32 },
    /// A routine of a library. Its workspace is so many bytes at most.
    Extern { attributes: Attributes<ScalarId>, operands: Vec<BufferId>, workspace: ScalarId },
}

impl Plan {
    /// An output, or one of those that are hidden.
    pub fn computed(&self, k: u32) -> Option<&Output> {
        let k = k as usize;
        self.outputs.get(k).or_else(|| self.hidden.get(k.checked_sub(self.outputs.len())?))
    }
}

impl Step {
    /// How many steps each of the two blocks has that the step steers; they follow it.
    pub fn blocks(&self) -> [usize; 2] {
        match self {
            Step::If { then: first, otherwise: second, .. }
            | Step::While { condition: first, body: second, .. } => [*first as usize, *second as usize],
            Step::Function { steps } => [*steps as usize, 0],
            _ => [0, 0],
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// `y = (x + w) * 2` over a dynamic first dimension, with one of everything that a plan can hold.
    pub(crate) fn sample() -> Plan {
        let s = ScalarId;
        let output = |name: &str, memory, alias| Output {
            name: name.into(),
            dtype: 7,
            shape: vec![s(1), s(0)],
            strides: vec![s(0), s(2)],
            min_shape: vec![0, 3],
            max_shape: vec![100, 3],
            memory,
            alias,
        };
        Plan {
            name: "sample".into(),
            symbols: vec![
                Symbol {
                    name: "n".into(),
                    min: 0,
                    max: 100,
                    source: SymbolSource::Dimension { input: 0, dim: 0, factor: 1, addend: 0 },
                },
                Symbol { name: "u".into(), min: 0, max: 9, source: SymbolSource::Step },
                Symbol {
                    name: "random_offset".into(),
                    min: 0,
                    max: 1 << 60,
                    source: SymbolSource::Random(RandomState::Offset),
                },
            ],
            scalars: vec![
                ScalarOp::Constant(3),
                ScalarOp::Symbol(0),
                ScalarOp::Constant(1),
                ScalarOp::Mul(s(0), s(1)),
                ScalarOp::Constant(4),
                ScalarOp::Mul(s(3), s(4)),
                ScalarOp::Constant(12),
                ScalarOp::Constant(0),
                ScalarOp::Le(s(7), s(1)),
                ScalarOp::Select(s(8), s(5), s(7)),
                ScalarOp::Calculate(Calculation::Float, [s(1); 3]),
                ScalarOp::Symbol(1),
                ScalarOp::Symbol(2),
            ],
            guards: vec![Guard { scalar: s(8), status: 3, message: "n must not be negative".into() }],
            inputs: vec![Input {
                name: "x".into(),
                dtype: 7,
                shape: vec![s(1), s(0)],
                strides: vec![s(0), s(2)],
                mutated: false,
                overwritten: false,
                scalar: false,
                fixed: false,
                need: InputNeed::Data,
                min_shape: vec![0, 3],
                max_shape: vec![100, 3],
            }],
            outputs: vec![
                output("y", OutputMemory::Own, Alias::None),
                output("packed", OutputMemory::Packed(vec![s(0), s(2)]), Alias::Input(0)),
                output("view", OutputMemory::View { of: 0, offset: s(7) }, Alias::Output(0)),
                output("part", OutputMemory::View { of: 4, offset: s(7) }, Alias::None),
            ],
            hidden: vec![output("all", OutputMemory::Own, Alias::None)],
            storages: vec![Storage { bytes: 12, ..Storage::default() }],
            constants: vec![Constant {
                name: "w".into(),
                aliases: vec!["tied.w".into()],
                kind: 0,
                dtype: 7,
                shape: vec![3],
                strides: vec![1],
                storage: 0,
                offset: 0,
            }],
            buffers: vec![
                Buffer { kind: BufferKind::Input(0), bytes: s(5) },
                Buffer { kind: BufferKind::Output(0), bytes: s(5) },
                Buffer { kind: BufferKind::Storage(0), bytes: s(6) },
                Buffer { kind: BufferKind::Derived { offset: 0 }, bytes: s(6) },
                Buffer { kind: BufferKind::Arena { offset: s(7) }, bytes: s(9) },
                Buffer { kind: BufferKind::Slot(0), bytes: s(11) },
                Buffer { kind: BufferKind::Semaphores { offset: 64 }, bytes: s(6) },
            ],
            kernels: vec![Kernel { symbol: "add_rows".into() }],
            assertions: vec!["the sum must be finite".into()],
            init: vec![Step::Copy {
                destination: BufferId(3),
                source: BufferId(2),
                bytes: s(6),
                start: None,
            }],
            main: vec![
                Step::Kernel {
                    kernel: KernelId(0),
                    buffers: vec![BufferId(0), BufferId(3), BufferId(4)],
                    scalars: vec![s(1), s(0)],
                    tasks: s(1),
                    grain: s(2),
                    scratch: s(7),
                    scratch_buffer: Some(BufferId(4)),
                    maps: vec![TensorMap {
                        buffer: BufferId(0),
                        dtype: 7,
                        offset: s(7),
                        sizes: vec![s(0), s(1)],
                        strides: vec![s(3), s(6)],
                        boxes: vec![4, 8],
                        steps: vec![1, 2],
                        swizzle: 0,
                        tf32: false,
                    }],
                    lasting: true,
                    packs: Some(Panels {
                        item: 4,
                        columns: 32,
                        sizes: [1, 40, 3],
                        strides: [0, 3, 1],
                        offset: 0,
                    }),
                },
                Step::Copy { destination: BufferId(1), source: BufferId(4), bytes: s(5), start: Some(s(5)) },
                Step::Read { symbol: 1, buffer: BufferId(0), dtype: 5 },
                Step::While { predicate: BufferId(4), condition: 1, body: 2 },
                Step::Set { symbol: 1, value: s(0) },
                Step::If { predicate: BufferId(4), then: 1, otherwise: 0 },
                Step::Allocate { buffer: BufferId(5) },
                Step::Check { condition: s(11), assertion: 0 },
                Step::Function { steps: 1 },
                Step::Check { condition: s(11), assertion: 0 },
                Step::Again { function: 8 },
                Step::Print { text: 0 },
                Step::Extern {
                    attributes: Attributes::from_values(Routine::Product, vec![s(0); 29], Vec::new())
                        .expect("a product has as many attributes"),
                    operands: vec![BufferId(0), BufferId(3), BufferId(4), BufferId(4), BufferId(4)],
                    workspace: s(5),
                },
            ],
            arena_bytes: Some(s(5)),
            derived_bytes: 12,
            next_offset: Some(s(12)),
            metadata: "{}".into(),
        }
    }
}
