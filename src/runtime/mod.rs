//! Floor 4: compiled programs as things that run: [`Program`] (plan, code, constants: shared, unchanging),
//! [`Executable`] (an instance of one, with its mutable state), artifacts on disk, and the tensors that cross.
//!
//! Invariants:
//! - what a run means is the C executor's affair (`src/executor`); nothing here repeats it, so that a program behaves
//!   the same in this process and as an artifact;
//! - an instance keeps its program's code and constants alive; outputs keep nothing alive but themselves.
//!
//! Deliberately absent: compiling, and any knowledge of operators.

pub mod artifact;
mod capture;
mod constants;
pub mod cuda;
mod error;
mod examples;
mod executable;
mod ffi;
mod host;
mod library;
pub mod memory;
mod observe;
mod operators;
pub mod overlap;
pub mod profile;
mod program;
mod run_options;
pub mod shared_inputs;
mod spare;
mod tensor;
mod timing;
pub mod training;
mod weights;

pub use capture::{Captured, SharedTensor, View as CapturedView};
pub use cuda::{Cubin, CubinKind, CudaRuns, GraphCounts};
pub use error::RuntimeError;
pub use examples::Examples;
pub use executable::{Executable, InstanceOptions, Listener, TensorInfo, set_threads};
pub use ffi::{KernelFn, MOST_THREADS, ParallelForFn, RangeFn};
pub use host::{HostKernel, KernelCall, KernelFailure};
pub use library::call_routine;
pub use memory::Weights;
pub use observe::{Moment, Observer, View};
pub use operators::{call_host, names as host_operators};
pub use program::{Code, ConstantBytes, Program, VendorFiles};
pub use run_options::{RUN_ASYNC, RUN_HAS_SEED, RUN_HAS_STREAM, RunOptions};
pub use tensor::Tensor;
pub use weights::RandomState;

#[cfg(test)]
mod tests;
