//! Floor 7: the loop-level IR, where speed is decided: what to compute at one point of an index space, as scalar
//! expressions over loads, and the index spaces themselves, all symbolic.
//!
//! A [`Program`] is buffers and nodes in an order in which every buffer is written before it is read. A node's loop
//! variables are not stored: dimension `k` of its space of the given sizes is `syms.index_var(k, sizes[k])`, the
//! reduced dimensions counted after the outer ones. Views do not exist here: they are index expressions of loads.
//!
//! Invariants (checked by [`verify`]):
//! - a buffer is written by exactly one node (inputs and constants by none) or by copies alone, before its first
//!   reader; copies of slices write to buffers that a copy has filled;
//! - index expressions have one entry per dimension of the buffer and stay within its sizes wherever they are
//!   evaluated (data-dependent ones by an explicit `Check` or clamp around the data): [`bound`] proves it, or adds what a
//!   run has to check;
//! - arithmetic has no operand of a reduced float: `float16` and `bfloat16` are loaded, cast to float32, computed,
//!   cast back and stored; operands of a binary operation have one dtype; conditions are bool;
//! - outputs are distinct temporaries, contiguous; a write's source is not its target.
//!
//! Deliberately absent: which nodes share a kernel, loop order, vectors, memory.

pub mod access;
pub mod arithmetic;
mod attention;
mod bounds;
mod expr;
mod gamma;
pub mod lower;
mod number;
mod operators;
mod recurrence;
mod routine;
mod spaces;
mod stand;
pub mod text;
pub mod uses;
mod verify;

pub use attention::{Attention, AttentionBackward, Band, Score};
pub use bounds::{BoundsError, Equal, Interval, Proof, Prover, bound, not_negative, stay_within};
pub use expr::{BinaryOp, Expr, ExprArena, ExprId, UnaryOp};
pub use number::Number;
pub use operators::{OUTPUT, Operators};
pub use recurrence::{Cell, Recurrence};
pub use routine::Routine;
pub use stand::{Original, Part, Stand};
pub use verify::{LoopsError, verify};

use crate::base::{Arena, Handle, HashMap, HashSet};
use crate::ir::{HostOperators, Origins};
use crate::types::{Dtype, SymArena, SymInt, SymbolId};
use std::sync::Arc;

pub type BufferId = Handle<BufferData>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    Input(usize),
    Constant(usize),
    Temporary,
}

/// Memory with a dtype and sizes. Element `[i, j]` lies at `i*strides[0] + j*strides[1]` elements from its start.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferData {
    pub kind: BufferKind,
    pub dtype: Dtype,
    pub sizes: Vec<SymInt>,
    pub strides: Vec<SymInt>,
}

/// A program of loops.
#[derive(Clone, Debug)]
pub struct Program {
    pub syms: Arc<SymArena>,
    pub exprs: ExprArena,
    pub buffers: Arena<BufferData>,
    pub nodes: Vec<LoopNode>,
    /// The buffer of each graph input; number inputs have one too, which no node reads.
    pub inputs: Vec<BufferId>,
    pub constants: Vec<BufferId>,
    /// The buffer that holds each output.
    pub outputs: Vec<BufferId>,
    /// Inputs whose contents nobody needs after the run: what it computes may lie there.
    pub spent: HashSet<BufferId>,
    /// `(target, source)`: copied when everything is computed; the target is an input or constant.
    pub writes: Vec<(BufferId, BufferId)>,
    /// Where the random offset stands after a run; none: nothing draws random numbers.
    pub next_offset: Option<SymInt>,
    /// Messages of `Expr::Check` and of control nodes, by number.
    pub assertions: Vec<String>,
    /// Buffers that control nodes name, and those of nodes that run for their effect: they always lie in memory.
    pub pinned: HashSet<BufferId>,
    /// Symbols whose values control nodes read in the middle of a run.
    pub unbacked: HashSet<SymbolId>,
    /// The strides of the tensors that inputs and outputs are, by the graph's own account. Buffers are contiguous until
    /// the scheduler knows better.
    pub given: Given,
    /// Outputs whose buffers have their dimensions in another order: the dimension that each of the buffer's is.
    pub orders: HashMap<BufferId, Vec<usize>>,
    /// Buffers that were put in the place of others, which they hold in another order or rounded.
    pub stands_for: HashMap<BufferId, (BufferId, Stand)>,
    /// The user's operator of each node that computes others in its loops as well, by the node's first result.
    pub own: HashMap<BufferId, Operators>,
    /// What the nodes' origins are.
    pub origins: Arc<Origins>,
    /// Where the operators of a host's are that nodes call.
    pub operators: HostOperators,
    /// Passes keep each rounding to a half that the graph has.
    pub keeps_roundings: bool,
}

impl Program {
    /// Nothing yet, over the symbols of a graph.
    pub fn new(syms: Arc<SymArena>) -> Program {
        Program {
            syms,
            exprs: ExprArena::new(),
            buffers: Arena::new(),
            nodes: Vec::new(),
            inputs: Vec::new(),
            constants: Vec::new(),
            outputs: Vec::new(),
            spent: HashSet::default(),
            writes: Vec::new(),
            next_offset: None,
            assertions: Vec::new(),
            pinned: HashSet::default(),
            unbacked: HashSet::default(),
            given: Given::default(),
            orders: HashMap::default(),
            stands_for: HashMap::default(),
            own: HashMap::default(),
            origins: Arc::default(),
            operators: HostOperators::default(),
            keeps_roundings: false,
        }
    }
}

/// Strides by number; of outputs that are numbers none.
#[derive(Clone, Debug, Default)]
pub struct Given {
    pub inputs: Vec<Vec<SymInt>>,
    pub outputs: Vec<Vec<SymInt>>,
}

/// One loop nest.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopNode {
    pub kind: NodeKind,
    pub operators: Operators,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// `out[vars] = value`
    Pointwise {
        sizes: Vec<SymInt>,
        value: ExprId,
        out: BufferId,
    },
    /// `outs[vars] = reduce over reduced vars of value`.
    Reduction {
        sizes: Vec<SymInt>,
        reduced: Vec<SymInt>,
        op: ReductionOp,
        value: ExprId,
        outs: Vec<BufferId>,
    },
    /// `outs[.., k, ..]` is the reduction of `value` at positions `0..=k` of dimension `axis`.
    Scan {
        sizes: Vec<SymInt>,
        axis: usize,
        op: ScanOp,
        value: ExprId,
        outs: Vec<BufferId>,
    },
    /// Values sorted along `axis` (NaN is the largest), and the positions (int64) they came from. Equal elements keep
    /// their order. The results hold the first `kept` places of each line, all where that is the size of the axis.
    Sort {
        sizes: Vec<SymInt>,
        axis: usize,
        descending: bool,
        kept: SymInt,
        value: ExprId,
        values: BufferId,
        positions: BufferId,
    },
    /// `out = initial` everywhere, then for every point of `sizes` in order `out[index] (mode)= value`. `index` may
    /// use `data_var(k)`, which stands for the int64 expression `data[k]`. See [`ScatterMode::SetUnique`] for points that have
    /// no place.
    Scatter {
        sizes: Vec<SymInt>,
        index: Vec<SymInt>,
        data: Vec<ExprId>,
        value: ExprId,
        mode: ScatterMode,
        /// Over `out`'s own index space.
        initial: ExprId,
        out: BufferId,
    },
    /// `out[batch.., m, n] = sum over k of a[batch.., m, k] * b[batch.., n, k]`, in the dtype of `a`, which is that
    /// of `b`. Variables in order: batch.., m, n, k; `a` does not use n, nor `b` m.
    Gemm {
        batch: Vec<SymInt>,
        m: SymInt,
        n: SymInt,
        k: SymInt,
        a: ExprId,
        b: ExprId,
        out: BufferId,
    },
    Convolution(Box<Convolution>),
    Attention(Box<Attention>),
    AttentionBackward(Box<AttentionBackward>),
    Recurrence(Box<Recurrence>),
    /// What a library computes from whole buffers, which lie in memory.
    Library(Box<Routine>),
    /// Steers the nodes around it.
    Control(Control),
}

/// What is done between loops. A *block* is the nodes between two marks; blocks nest.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// The symbol takes the number in a 0-d buffer: int64, bool, or float64 as its bits.
    Read {
        symbol: SymbolId,
        buffer: BufferId,
    },
    /// The symbol takes the value of an expression.
    Set {
        symbol: SymbolId,
        value: SymInt,
    },
    /// The run fails with the numbered assertion where the condition does not hold.
    Check {
        condition: SymInt,
        assertion: u32,
    },
    /// The run writes a line to standard output: the numbered text among the messages of assertions.
    Print {
        text: u32,
    },
    /// No kernel computes nodes from both sides of it. Running it does nothing.
    Fence,
    /// Both have the same sizes and are contiguous. A buffer may be copied to more than once.
    Copy {
        destination: BufferId,
        source: BufferId,
    },
    /// The source is copied over rows of the destination's first dimension, from the row `start` on, all of which a run must find in
    /// it: the source has the destination's other sizes, and rows, or none for one.
    Place {
        destination: BufferId,
        source: BufferId,
        start: SymInt,
    },
    /// The block up to `Else` runs where the bool in the 0-d buffer holds, otherwise the one from there to `EndIf`.
    If {
        predicate: BufferId,
    },
    Else,
    EndIf,
    /// The block up to `Do` runs, and as long as it leaves true in the predicate, the one from there to `EndWhile`, and
    /// again.
    While,
    Do {
        predicate: BufferId,
    },
    EndWhile,
    /// The block up to `EndFunction` runs here, and again wherever `Again` says so. Functions are numbered in the order in which
    /// they stand.
    Function {
        number: u32,
    },
    EndFunction,
    /// Runs the block of a function that stands before.
    Again {
        function: u32,
    },
}

impl Control {
    pub fn reads(&self) -> Option<BufferId> {
        match self {
            Control::Read { buffer, .. } => Some(*buffer),
            Control::Copy { source, .. } | Control::Place { source, .. } => Some(*source),
            Control::If { predicate } | Control::Do { predicate } => Some(*predicate),
            _ => None,
        }
    }
    pub fn writes(&self) -> Option<BufferId> {
        match self {
            Control::Copy { destination, .. } | Control::Place { destination, .. } => Some(*destination),
            _ => None,
        }
    }
    /// The symbol that is known from here on.
    pub fn gives(&self) -> Option<SymbolId> {
        match self {
            Control::Read { symbol, .. } | Control::Set { symbol, .. } => Some(*symbol),
            _ => None,
        }
    }
}

/// A 2-D convolution (cross-correlation, as PyTorch's); 1-D has height 1. `out[n, o, y, x]` over float32 or float64.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    /// `[batch, in_channels, height, width]`
    pub input_sizes: [SymInt; 4],
    /// Over the variables of `input_sizes`.
    pub input: ExprId,
    /// `[out_channels, in_channels / groups, kernel_height, kernel_width]`
    pub weight_sizes: [SymInt; 4],
    /// Over the variables of `weight_sizes`.
    pub weight: ExprId,
    pub stride: [i64; 2],
    pub padding: [i64; 2],
    pub dilation: [i64; 2],
    pub groups: i64,
    /// True once a GPU's tensor cores are to compute it: `out` is `[batch, out_height, out_width, out_channels]`, the
    /// input is read in chunks of channels, and the weight lies with its channels last. A depthwise convolution is
    /// for its own template then, and the weight lies with its filters last.
    pub channels_last: bool,
    /// `[batch, out_channels, out_height, out_width]`
    pub out: BufferId,
}

impl Convolution {
    /// Whether each channel is a group by itself, with one filter.
    pub fn is_depthwise(&self, syms: &SymArena) -> bool {
        self.groups > 1
            && syms.as_const(self.weight_sizes[1]) == Some(1)
            && syms.as_const(self.weight_sizes[0]) == Some(self.groups)
    }
    /// Whether the window has as many places in the image as the result has elements. It has fewer if the result is longer by an output
    /// padding, or if an even window keeps the size and is padded by one more at the end.
    pub fn reaches(&self, program: &Program) -> bool {
        let (syms, out) = (&program.syms, &program.buffers[self.out].sizes);
        (0..2).all(|d| {
            let window = syms.mul_const(syms.add_const(self.weight_sizes[2 + d], -1), self.dilation[d]);
            let room = syms.add_const(syms.sub(self.input_sizes[2 + d], window), 2 * self.padding[d] - 1);
            let places = syms.add_const(syms.floordiv(room, syms.constant(self.stride[d])), 1);
            places == out[if self.channels_last { 1 } else { 2 } + d]
        })
    }
    /// Whether each place of the result is made of the image's channels at the same place.
    pub fn is_pointwise(&self, program: &Program) -> bool {
        let one = program.syms.constant(1);
        self.weight_sizes[2..] == [one, one]
            && self.stride == [1, 1]
            && self.padding == [0, 0]
            && self.reaches(program)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReductionOp {
    Sum,
    Product,
    /// NaN wins; for bool: any.
    Max,
    /// NaN wins; for bool: all.
    Min,
    /// Two results: the value, and the position (int64) of its first occurrence along the reduced space; NaN wins.
    MaxWithIndex,
    MinWithIndex,
    /// Bitwise exclusive or.
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanOp {
    Sum,
    Product,
    LogSumExp,
    /// Two results: values and positions (int64) of the last largest so far; NaN wins.
    MaxWithIndex,
    MinWithIndex,
}

impl ScanOp {
    /// Whether it has places as its second result.
    pub fn has_places(self) -> bool {
        matches!(self, ScanOp::MaxWithIndex | ScanOp::MinWithIndex)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScatterMode {
    Set,
    /// As `Set`, with two differences: no two points have the same place, so that their order does not matter, and an index may
    /// be the size of its dimension, which leaves the point out.
    SetUnique,
    Add,
    Multiply,
    Max,
    Min,
}

impl ScatterMode {
    /// What joins a point's value with what is there; none: it replaces it.
    pub fn combination(self) -> Option<BinaryOp> {
        match self {
            ScatterMode::Set | ScatterMode::SetUnique => None,
            ScatterMode::Add => Some(BinaryOp::Add),
            ScatterMode::Multiply => Some(BinaryOp::Mul),
            ScatterMode::Max => Some(BinaryOp::Maximum),
            ScatterMode::Min => Some(BinaryOp::Minimum),
        }
    }
    /// Whether a point may have no place.
    pub fn leaves_out(self) -> bool {
        self == ScatterMode::SetUnique
    }
}

impl NodeKind {
    /// Whether it does more than write its results: it runs whoever reads these, and others do not move past it.
    pub fn acts(&self) -> bool {
        match self {
            NodeKind::Control(_) => true,
            NodeKind::Library(routine) => routine.effect,
            _ => false,
        }
    }
}

impl LoopNode {
    /// The buffers that the node writes.
    pub fn outs(&self) -> Vec<BufferId> {
        match &self.kind {
            NodeKind::Pointwise { out, .. } | NodeKind::Scatter { out, .. } | NodeKind::Gemm { out, .. } => {
                vec![*out]
            }
            NodeKind::Reduction { outs, .. } | NodeKind::Scan { outs, .. } => outs.clone(),
            NodeKind::Sort { values, positions, .. } => vec![*values, *positions],
            NodeKind::Convolution(c) => vec![c.out],
            NodeKind::Attention(a) => [a.out].into_iter().chain(a.log_sum).collect(),
            NodeKind::AttentionBackward(a) => a.results().map(|r| r.0).collect(),
            NodeKind::Recurrence(r) => [r.out, r.last].into_iter().chain(r.last_cell).collect(),
            NodeKind::Library(r) => r.writes().collect(),
            NodeKind::Control(c) => c.writes().into_iter().collect(),
        }
    }
    /// The expressions that the node evaluates.
    pub fn exprs(&self) -> Vec<ExprId> {
        match &self.kind {
            NodeKind::Pointwise { value, .. }
            | NodeKind::Reduction { value, .. }
            | NodeKind::Scan { value, .. }
            | NodeKind::Sort { value, .. } => vec![*value],
            NodeKind::Scatter { data, value, initial, .. } => {
                data.iter().copied().chain([*value, *initial]).collect()
            }
            NodeKind::Gemm { a, b, .. } => vec![*a, *b],
            NodeKind::Convolution(c) => vec![c.input, c.weight],
            NodeKind::Attention(a) => {
                let score = a.score.map(|s| s.value);
                [a.query, a.key, a.value]
                    .into_iter()
                    .chain(a.mask)
                    .chain(score)
                    .chain(a.band.length)
                    .collect()
            }
            NodeKind::AttentionBackward(a) => {
                a.operands().map(|o| o.0).into_iter().chain(a.mask).chain(a.band.length).collect()
            }
            NodeKind::Recurrence(r) => [r.gates, r.weight, r.first]
                .into_iter()
                .chain(r.bias)
                .chain(r.first_cell)
                .chain(r.projection)
                .collect(),
            NodeKind::Library(_) | NodeKind::Control(_) => Vec::new(),
        }
    }
    /// Each expression that the node evaluates, to be replaced.
    pub fn for_each_expr(&mut self, f: &mut dyn FnMut(&mut ExprId)) {
        match &mut self.kind {
            NodeKind::Pointwise { value, .. }
            | NodeKind::Reduction { value, .. }
            | NodeKind::Scan { value, .. }
            | NodeKind::Sort { value, .. } => f(value),
            NodeKind::Scatter { data, value, initial, .. } => {
                data.iter_mut().chain([value, initial]).for_each(f)
            }
            NodeKind::Gemm { a, b, .. } => [a, b].into_iter().for_each(f),
            NodeKind::Convolution(c) => [&mut c.input, &mut c.weight].into_iter().for_each(f),
            NodeKind::Attention(a) => {
                let score = a.score.as_mut().map(|s| &mut s.value);
                let operands = [&mut a.query, &mut a.key, &mut a.value].into_iter();
                operands.chain(&mut a.mask).chain(score).chain(&mut a.band.length).for_each(f);
            }
            NodeKind::AttentionBackward(a) => a.exprs_mut().for_each(f),
            NodeKind::Recurrence(r) => {
                let operands = [&mut r.gates, &mut r.weight, &mut r.first].into_iter();
                let operands = operands.chain(&mut r.bias).chain(&mut r.first_cell);
                operands.chain(&mut r.projection).for_each(f);
            }
            NodeKind::Library(_) | NodeKind::Control(_) => {}
        }
    }
    /// The buffer that the node's expressions load, but that stands for values inside the node.
    pub fn inside(&self) -> Option<BufferId> {
        match &self.kind {
            NodeKind::Attention(a) => a.score.map(|s| s.raw),
            _ => None,
        }
    }
}

impl Program {
    /// The loop variables of a space.
    pub fn vars(&self, sizes: &[SymInt]) -> Vec<SymInt> {
        sizes.iter().enumerate().map(|(k, s)| self.syms.index_var(k as u32, *s)).collect()
    }
    /// How many bytes of a buffer lie before a row of its first dimension.
    pub fn bytes_before(&self, buffer: BufferId, row: SymInt) -> SymInt {
        let data = &self.buffers[buffer];
        let of_a_row = self.syms.product(data.sizes.get(1..).unwrap_or_default());
        self.syms.mul_const(self.syms.mul(row, of_a_row), data.dtype.size() as i64)
    }
    /// A contiguous temporary.
    pub fn temporary(&mut self, dtype: Dtype, sizes: &[SymInt]) -> BufferId {
        let strides = crate::types::contiguous_strides(&self.syms, sizes);
        self.buffers.push(BufferData { kind: BufferKind::Temporary, dtype, sizes: sizes.to_vec(), strides })
    }
}
