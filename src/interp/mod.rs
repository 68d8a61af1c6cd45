//! Floor 8: runs the loop IR directly: slow, needs no compiler, the oracle for generated code.
//!
//! A node's expressions are compiled once into steps over columns of numbers (see `compile`), which a run evaluates
//! block by block. Nothing is fused. [`run_node`] runs one node on any memory; [`Interpreter`] keeps the compiled
//! nodes of a program and hands out one [`NodeKernel`] each for a backend; [`run_program`] runs all of a program,
//! [`run_graph`] all of a graph.
//!
//! Invariants: the meaning of every expression is what `loops::expr` documents; a load outside of its buffer is an
//! error, never a read; float sums are kept in float64 and rounded once; nothing is shared between runs.
//!
//! Deliberately absent: threads, fusion, memory planning.

mod attention;
mod compile;
mod contract;
pub mod difference;
mod eval;
mod graph;
mod lines;
mod nodes;
mod oracle;
mod program;
mod recurrence;
mod reduce;
mod scatter;
mod storage;

pub use graph::{HostTensor, RunError, run_graph};
pub use oracle::{Known, Oracle};
pub use program::{Interpreter, NodeKernel, RawBuffer, run_program};

use crate::base::Status;
use crate::loops::{BufferId, Program};
use crate::types::SymbolId;

/// A node that could not be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// The numbered assertion of the program does not hold.
    #[error("assertion {0} of the program does not hold")]
    Assertion(u32),
    #[error("index {index} is outside of a dimension of {size} of buffer {buffer}")]
    OutOfBounds { buffer: BufferId, index: i64, size: i64 },
    /// A library's routine.
    #[error("{message}")]
    Library { status: Status, message: String },
    #[error("{0}")]
    Internal(String),
}

impl InterpError {
    pub(crate) fn internal(message: impl Into<String>) -> InterpError {
        InterpError::Internal(message.into())
    }
    pub fn status(&self) -> Status {
        match self {
            InterpError::Assertion(_) => Status::Assertion,
            InterpError::Library { status, .. } => *status,
            _ => Status::Internal,
        }
    }
}

/// The memory that a node works on: the bytes of each buffer, laid out as the program says.
pub trait Memory {
    fn read(&self, buffer: BufferId) -> Option<&[u8]>;
    fn write(&mut self, buffer: BufferId) -> Option<&mut [u8]>;
}

/// Executes one node for the given values of symbols.
pub fn run_node(
    program: &Program,
    node: usize,
    memory: &mut dyn Memory,
    symbols: &dyn Fn(SymbolId) -> Option<i64>,
) -> Result<(), InterpError> {
    let code = nodes::NodeCode::new(program, node)?;
    program::run_code(program, &code, memory, symbols)
}

#[cfg(test)]
mod tests;
