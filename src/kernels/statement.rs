//! Statements, in blocks that nest.

use super::{Access, LocalId, Pointer, Region, TemplateCall, ValueId};
use crate::loops::{ReductionOp, ScatterMode};
use crate::types::Dtype;

pub type Block = Vec<Statement>;

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Names a value.
    Let {
        local: LocalId,
        value: ValueId,
    },
    /// Declares a variable. Without an initial value, an assignment comes before the first read.
    Variable {
        local: LocalId,
        value: Option<ValueId>,
    },
    /// `place`: a variable, or an array's element.
    Assign {
        place: ValueId,
        value: ValueId,
    },
    /// Declares an array; `fill`: what each of its elements begins with.
    Array {
        local: LocalId,
        fill: Option<ValueId>,
    },
    /// A pointer into the space that its type says, so many bytes from the space's beginning on, and then so many elements.
    Pointer {
        local: LocalId,
        bytes: ValueId,
        elements: Option<ValueId>,
    },
    Store {
        access: Access,
        value: ValueId,
    },
    /// Takes a value into the element that lies there. `atomic`: other threads may meet this one there, so that sums, products and
    /// extremes are atomic; with `Set` all of them bring the same.
    Scatter {
        access: Access,
        mode: ScatterMode,
        value: ValueId,
        atomic: bool,
    },
    /// Asks for the cache line of an element that a later turn reads. It may lie outside of the memory.
    Prefetch {
        pointer: Pointer,
        at: ValueId,
    },
    Loop(Box<Loop>),
    If {
        condition: ValueId,
        then: Block,
        otherwise: Block,
    },
    /// A scope of its own.
    Block(Block),
    /// Ends the run with a failed assertion where the condition holds.
    Check {
        failed: ValueId,
        assertion: u32,
    },
    /// Puts all elements of an array of partial results into a variable.
    FoldArray {
        op: ReductionOp,
        dtype: Dtype,
        array: LocalId,
        into: LocalId,
    },
    /// Exchanges rows and columns of as many vectors of an array as there are lanes, from element `first` on.
    Transpose {
        array: LocalId,
        first: ValueId,
    },
    /// Takes a value and its position into the best so far.
    Extreme(Box<Extreme>),
    /// Names a block for templates.
    Region(Box<Region>),
    /// The result of the region that it stands in.
    Give(ValueId),
    Template(Box<TemplateCall>),

    // Of a GPU.
    /// A thread for which the condition holds is done. No barrier may follow.
    Return {
        when: ValueId,
    },
    /// Every thread of the scope comes here before any goes on, and sees what the others wrote before.
    Barrier(Scope),
    Reduction(Box<Reduction>),
    ReduceStrips(Box<ReduceStrips>),
    /// Puts an array's elements together over a warp's lanes, whose neighbours then have one each as element 0: the first of n
    /// elements the first 32 / n lanes, and so on.
    FoldRows {
        op: ReductionOp,
        dtype: Dtype,
        array: LocalId,
    },
    /// A run of neighbours from memory into the run `turn` of what is held.
    Fetch {
        held: LocalId,
        turn: ValueId,
        from: Pointer,
        at: ValueId,
    },
    /// The runs that all of a block's threads hold to their places in a square, whose rows are one longer than its side.
    PutSquare {
        held: LocalId,
        array: LocalId,
        side: i64,
        threads: i64,
    },
    /// A run of `width` neighbours from shared memory to memory.
    Flush {
        array: LocalId,
        place: ValueId,
        to: Pointer,
        at: ValueId,
        width: i64,
    },
    LastBlocks(Box<LastBlocks>),
}

impl Statement {
    /// The blocks inside of it, in the order of their text.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Statement::Loop(l) => vec![&l.body],
            Statement::If { then, otherwise, .. } => vec![then, otherwise],
            Statement::Block(block) => vec![block],
            Statement::Region(region) => vec![&region.body],
            Statement::ReduceStrips(strips) => vec![&strips.body],
            Statement::LastBlocks(last) => last.regions.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Calls `f` for every statement of a block and of those inside.
pub fn each_statement<'k>(block: &'k [Statement], f: &mut impl FnMut(&'k Statement)) {
    for statement in block {
        f(statement);
        statement.blocks().into_iter().for_each(|inside| each_statement(inside, f));
    }
}

/// `variable` from `first` up, less than `bound`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    pub axis: Axis,
    pub variable: LocalId,
    /// Without one the variable, declared before, goes on from what it is, and is there after the loop.
    pub first: Option<ValueId>,
    pub bound: ValueId,
    pub step: Step,
    pub unroll: Unroll,
    pub body: Block,
}

/// What turns of a loop are to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Tasks: independent, dealt out to threads.
    Task,
    /// Turns that a GPU's threads share: each takes those from its own place on.
    Thread,
    /// The lanes of a vector, one after another.
    Lane,
    /// Whole vectors: only turns that fit whole are taken.
    Vector,
    /// Vectors beside one another, unrolled, each with an accumulator of its own.
    Unrolled,
    /// One after another; turns may depend on those before.
    Serial,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    One,
    By(i64),
    /// So many vectors.
    Vectors(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// As the compiler likes.
    Free,
    Times(i64),
    Whole,
}

/// The first place of the largest, or of the smallest value; a NaN beats everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Extreme {
    pub op: ReductionOp,
    /// The dtype of the values.
    pub dtype: Dtype,
    /// Variables: the best so far, its place, and on a CPU whether there is one (on a GPU its place is -1 as long as there is
    /// none).
    pub best: LocalId,
    pub place: LocalId,
    pub any: Option<LocalId>,
    pub value: ValueId,
    pub position: ValueId,
}

/// How far threads see one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Thread,
    Warp,
    Block,
    Cluster,
    Device,
}

/// Threads' partial results put together; all of them have the result afterwards. It meets barriers of its scope, so every
/// thread of the scope takes part.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    pub op: ReductionOp,
    /// The accumulator's dtype.
    pub dtype: Dtype,
    pub over: Over,
    /// The thread's part, and for an extreme its place.
    pub value: ValueId,
    pub place: Option<ValueId>,
    /// An array in shared memory, where more than a warp takes part.
    pub workspace: Option<LocalId>,
    /// Named values that the statement defines.
    pub result: LocalId,
    pub result_place: Option<LocalId>,
}

/// Vectors beside one another of threads above one another, put together column by column. Each column's result is given to
/// `body` by one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct ReduceStrips {
    pub op: ReductionOp,
    /// The accumulator's dtype.
    pub dtype: Dtype,
    /// [`Over::Above`]
    pub over: Over,
    /// The vectors of a thread, each of which lies a row of threads behind the one before.
    pub array: LocalId,
    pub workspace: LocalId,
    /// The column among those of the block, and its result.
    pub place: LocalId,
    pub result: LocalId,
    pub body: Block,
}

/// The threads that a reduction is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// So many neighbours of a block.
    Threads { threads: i64 },
    /// So many blocks of a cluster, each of so many threads; reductions use two halves of their workspaces in turn.
    Cluster { blocks: i64, threads: i64, turn: i64 },
    /// `above` threads, each `across` threads behind the one before. The value may be a vector, and so is the result, which only
    /// the first of them has.
    Above { across: i64, above: i64 },
}

/// What the last of some blocks to arrive does: it sees everything that the others wrote before. All semaphores are counted at
/// once, and each is zero again afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct LastBlocks {
    /// A bit for each semaphore: whether this block is its last.
    pub ready: LocalId,
    pub semaphores: Vec<Semaphore>,
    /// What is done once all blocks of the semaphore at the same place have arrived.
    pub regions: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Semaphore {
    /// The buffer parameter at this place, and the element that this block counts in.
    pub buffer: usize,
    pub at: ValueId,
    /// Blocks that arrive at it.
    pub blocks: ValueId,
}
