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
//! Graphs are built, too, operator by operator, with weights of files and operators of the program's own:
//!
//! ```no_run
//! use litz_api::{Dtype, Graph, Options, Registry};
//!
//! # fn main() -> Result<(), litz_api::Error> {
//! let registry = Registry::new()?;
//! registry.add_pointwise("mylib::hill(Tensor x, float width=1.0) -> Tensor", "x / (width + x * x)")?;
//! let mut options = Options::new()?;
//! options.set_registry(&registry)?;
//! let graph = Graph::new("hills", &options)?;
//! let rows = graph.symbol("rows", 1, Some(64), None)?;
//! let x = graph.input("x", Dtype::Float32, &[rows.into(), 3.into()])?;
//! let y = graph.call("mylib.hill", &[x.into(), 0.5.into()])?;
//! graph.output("y", y)?;
//! let program = graph.compile(&options)?;
//! # Ok(())
//! # }
//! ```
//!
//! Errors carry the status, the message and the JSON detail of the ABI. [`Executable`] may be shared by any number of
//! threads; [`Options`] and [`Graph`] are for one at a time, which the types say (they are `Send`, not `Sync`).
//!
//! Deliberately absent: a forward and a backward apart (`litz_compile_training`), a host's passes and backends, and CUDA streams.
//! They are reached through the C ABI (`litz.h`).

mod building;
mod error;
mod executable;
mod graph;
mod options;
mod process;
mod registry;
pub mod sys;
mod tensor;
mod weights;

pub use building::{Arg, Kind, Size, Value};
pub use error::{Error, Status};
pub use executable::{Alias, Executable, Info, RunOptions};
pub use graph::{Graph, Predicate};
pub use options::Options;
pub use process::{backends, counters, library_path, options_list, reset, version};
pub use registry::{Given, Operator, Registry, Type, View, ViewMut};
pub use tensor::{Dtype, Element, Tensor};
pub use weights::Weights;
