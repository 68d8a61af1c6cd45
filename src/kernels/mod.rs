//! Floor 8: kernels as data. `mapping` builds a [`Kernel`] for one target, and a printer spells it.
//!
//! A kernel has parameters, a launch and a body of statements over values. It states every decision about a machine: the axes of tasks,
//! blocks, threads and lanes, the loop in which each value is computed, the values that stay in registers, the width of each
//! access. A printer changes none of that.
//!
//! Values are trees in the body's arena ([`value`]); statements are nested blocks ([`statement`]); locals are what values
//! name ([`local`]). [`text`] prints a kernel and reads it back, [`verify`] is its specification, and [`interpret`] runs it.
//!
//! Scalars are those of the loop IR: the same operations, dtypes and rules of arithmetic. Accesses differ: the loop IR has an index for each
//! dimension, a kernel has one flat offset with a shape (one element, a whole vector, its first lanes, strided, gathered).
//!
//! Invariants of a finished kernel:
//! - a value names only locals that are defined before it, in its own block or in one around it;
//! - a local is defined by one statement, and only variables are assigned to;
//! - operands of one operation have one dtype, and are all vectors or all scalars; `Splat` makes a vector of a scalar;
//! - every index is of the body's integer type, or 64 bits wide where it says so.
//!
//! Deliberately absent: choices (a mapping's), and the words of a language (a printer's).

pub mod interpret;
pub mod local;
mod reduction;
pub mod statement;
pub mod template;
pub mod text;
pub mod value;
pub mod verify;

pub use local::{Length, Local, LocalId, Space, Type};
pub use reduction::{accumulator, combination, identity};
pub use statement::{
    Axis, Block, Extreme, LastBlocks, Loop, Over, ReduceStrips, Reduction, Scope, Semaphore, Statement, Step,
    Unroll, each_statement,
};
pub use template::{
    Boxes, ConvolutionForm, Is, Memory, Operand, Parameter, PixelAxes, PixelAxis, Region, Routine,
    TemplateCall, TensorMap,
};
pub use value::{Access, Base, Builtin, IndexOp, Pointer, Shape, Value, ValueId, Word};

use crate::base::Arena;
use crate::loops::BufferId;
use crate::types::{Dtype, SymArena, SymInt, SymbolId};

/// A kernel for one target.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its buffer parameters in order.
    pub buffers: Vec<BufferParameter>,
    /// Its scalar parameters in order: the values of these symbols.
    pub symbols: Vec<SymbolId>,
    pub launch: Launch,
    /// Lanes of a vector.
    pub lanes: i64,
    /// Of a GPU: tensor maps, which are parameters behind the buffers.
    pub maps: Vec<TensorMap>,
    pub body: Body,
}

/// Memory that a kernel is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferParameter {
    pub buffer: BufferId,
    /// That of its elements in memory.
    pub dtype: Dtype,
    /// Element `[i, j]` lies at `i*strides[0] + j*strides[1]`; the kernel touches nothing behind the last one.
    pub sizes: Vec<SymInt>,
    pub strides: Vec<SymInt>,
    pub role: Role,
}

/// Elements from the first to the last one of a tensor; none where a size is zero.
pub fn reach(syms: &SymArena, sizes: &[SymInt], strides: &[SymInt]) -> SymInt {
    if sizes.iter().any(|size| syms.as_const(*size) == Some(0)) {
        return syms.constant(0);
    }
    let last = sizes.iter().zip(strides).map(|(size, stride)| syms.mul(syms.add_const(*size, -1), *stride));
    syms.add_const(syms.sum(&last.collect::<Vec<_>>()), 1)
}

/// What a kernel does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Input,
    /// The kernel writes each element once, and may read it afterwards.
    Result,
    /// A result whose elements several threads may write, all of them the same value.
    Repeated,
    /// A result that holds something before the kernel, which the kernel may read.
    Updated,
    /// The kernel writes each element, and may combine it with more values.
    Accumulated,
    /// A result that holds something before the kernel, which takes any number of values into its elements.
    Combined,
    /// Memory that holds nothing before the kernel and nothing after it.
    Workspace,
    /// Counters that are zero before the kernel and zero again after it.
    Semaphores,
}

impl Role {
    pub fn is_written(self) -> bool {
        self != Role::Input
    }
}

/// How a kernel is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    Cpu {
        /// Tasks are independent of one another; a call runs those from [`Builtin::Begin`] to [`Builtin::End`].
        tasks: SymInt,
        /// Tasks that are worth a thread.
        grain: SymInt,
        /// Bytes of memory of its own that each call needs.
        scratch: SymInt,
    },
    Gpu {
        blocks: SymInt,
        /// Threads of a block.
        threads: i64,
        /// Blocks of a cluster, which read one another's shared memory; 1: none.
        cluster: i64,
        /// Blocks that a multiprocessor is to hold at least, which bounds registers; 0: as the compiler likes.
        resident: i64,
        /// Bytes of dynamic shared memory of a block.
        shared: SymInt,
    },
}

/// The integers that a kernel indexes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexType {
    I32,
    #[default]
    I64,
}

/// What a kernel does, and the arenas that it is made of.
#[derive(Clone, Debug, Default)]
pub struct Body {
    pub index: IndexType,
    pub locals: Arena<Local>,
    pub values: Arena<Value>,
    pub block: Block,
}
