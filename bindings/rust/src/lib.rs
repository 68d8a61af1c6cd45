//! Litz from Rust: graphs, programs and tensors over the C ABI of `liblitz.so`, without `unsafe` in the caller.
//!
//! The library is opened with the first call that needs it ([`library_path`] says which file it is): the file that the
//! environment's `LITZ_LIBRARY` names, `liblitz.so` beside the program or in `../lib` of it, or the one that the system's
//! loader finds. It stays open until the process ends.
//!
//! ```no_run
//! use litz_api::{Executable, Graph, Options, RunOptions, Tensor};
//!
//! # fn main() -> Result<(), litz_api::Error> {
//! let options = Options::new()?;
//! let graph = Graph::from_pt2("model.pt2", &options)?;
//! let program = graph.compile(&options)?;
//! let x = Tensor::from_slice(&[2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let outputs = program.run(&[&x], &RunOptions::default())?;
//! println!("{:?}", outputs[0].to_vec::<f32>()?);
//! # Ok(())
//! # }
//! ```
//!
//! Errors carry the status, the message and the JSON detail of the ABI. [`Executable`] may be shared by any number of
//! threads; [`Options`] and [`Graph`] are for one at a time, which the types say (they are `Send`, not `Sync`).
//!
//! Deliberately absent: building graphs operator by operator, training, registries. They are reached through the
//! C ABI (`litz.h`).

mod error;
mod executable;
mod graph;
mod options;
mod process;
pub mod sys;
mod tensor;

pub use error::{Error, Status};
pub use executable::{Alias, Executable, Info, RunOptions};
pub use graph::{Graph, Predicate};
pub use options::Options;
pub use process::{backends, counters, library_path, options_list, reset, version};
pub use tensor::{Dtype, Element, Tensor};
