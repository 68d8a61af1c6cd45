//! Runs kernels as data: tasks of a CPU, blocks and threads of a GPU, vectors lane by lane.
//!
//! A GPU's threads run one at a time from barrier to barrier, in an order that follows from a number; so does the division of a CPU's
//! tasks among calls. Every element of memory remembers who wrote it, who read it and when (`memory`), so that a race is found in
//! any order. A violation is a [`Fault`] that names the statement.
//!
//! Found: accesses outside of memory, reads of what was never written, races and missing barriers, barriers that some threads
//! do not meet, results that are left out or written twice, semaphores that are left counted, wide accesses that are not
//! aligned, integers that overflow, and operands of wrong types.
//!
//! `template`, `products`, `rows` and `attention_backward` run a CPU's templates by the definition of each routine, `device` a
//! GPU's. They read operands by their strides, and call regions with the coordinates and memory that the native text passes.
//!
//! Invariants: numbers are computed as the interpreter of loops does; the memory of a launch ([`run`]) is its own.
//!
//! Deliberately absent: speed, and what rounding a machine's own functions have.

mod attention_backward;
mod compute;
mod device;
mod launch;
mod memory;
mod products;
mod rows;
mod shared;
mod template;
mod thread;

#[cfg(test)]
mod tests;

pub use launch::run;
pub use memory::Stamp;

use crate::loops::Number;
use crate::types::Dtype;

/// What a kernel did that it may not do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// What a kernel may do: a check of the program does not hold.
    #[error("assertion {0} of the program does not hold")]
    Assertion(u32),
    #[error("element {at} lies outside of `{memory}`, which has {length}")]
    Outside { memory: String, at: i64, length: i64 },
    #[error("element {at} of `{memory}` is read, and nothing was written there")]
    Uninitialised { memory: String, at: i64 },
    #[error("the access at {at} of `{memory}` is not at a multiple of {multiple}")]
    Unaligned { memory: String, at: i64, multiple: i64 },
    #[error(
        "race: {by} would {what} element {at} of `{memory}`, which {other} {did} with no barrier between them"
    )]
    Race { memory: String, at: i64, what: &'static str, by: Stamp, other: Stamp, did: &'static str },
    #[error("element {at} of the result `{memory}` is written twice: by {other}, and by {by}")]
    Twice { memory: String, at: i64, by: Stamp, other: Stamp },
    #[error("element {at} of the result `{memory}` is never written")]
    Unwritten { memory: String, at: i64 },
    #[error("element {at} of `{memory}` is written, where no element of the result lies")]
    Stray { memory: String, at: i64 },
    #[error("the input `{memory}` is written at {at}")]
    WritesInput { memory: String, at: i64 },
    #[error("semaphore {at} of `{memory}` is {left} after the kernel")]
    SemaphoreLeft { memory: String, at: i64, left: i64 },
    #[error(
        "thread {thread} of block {block} waits at a barrier of scope {scope}; thread {other} of block {other_block} {does}"
    )]
    Diverged { scope: String, block: u32, thread: u32, other_block: u32, other: u32, does: &'static str },
    #[error("`{local}` is read before it has a value")]
    Unset { local: String },
    #[error("{what}: {found}")]
    Type { what: &'static str, found: String },
    #[error("an integer that is indexed with does not fit {bits} bits")]
    Overflow { bits: u32 },
    #[error("the divisor of an index is {divisor}, and its dividend {dividend}")]
    Division { dividend: i64, divisor: i64 },
    #[error("a tail of {count} lanes of {lanes}")]
    Tail { count: i64, lanes: i64 },
    #[error("the launch: {0}")]
    Launch(String),
    #[error("the kernel does not end")]
    Endless,
    #[error("the template {name} has other operands, numbers or regions than it asks for")]
    Template { name: &'static str },
    #[error("`{statement}`: {fault}")]
    At { statement: String, fault: Box<Fault> },
}

impl Fault {
    /// The fault itself, without where it was found.
    pub fn cause(&self) -> &Fault {
        match self {
            Fault::At { fault, .. } => fault.cause(),
            other => other,
        }
    }
}

/// The value of a local or of an operation.
#[derive(Clone, Debug, PartialEq)]
enum Data {
    /// An integer that is indexed with.
    Index(i64),
    Scalar(Dtype, Number),
    Vector(Dtype, Box<[Number]>),
}

/// The dtype of a register that holds such an element.
fn register(dtype: Dtype) -> Dtype {
    if dtype.is_reduced_float() { Dtype::Float32 } else { dtype }
}
