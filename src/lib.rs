//! Litz: a tensor-graph compiler in one shared library.
//!
//! The way of the data:
//!
//! ```text
//!  C ABI / .pt2 / export JSON / text                         host tensors (DLPack)
//!         │                                                        │
//!    frontend ─► ir ─► meta ─► functionalize ─► decompose ─► passes
//!                                                 │
//!                                      loops (loop-level IR)
//!                                                 │
//!                             loop_passes (layouts, templates found, splits)
//!                                                 │
//!                                 schedule (fusion, tiles, memory)
//!                                                 │
//!                                          codegen (cpp)
//!                                                 │
//!                                               plan ─────► runtime ─► executor
//!                                                 │
//!                                           artifact (.so)
//! ```
//!
//! A module uses only modules on lower floors; modules of one floor do not see each other. `tests/tidy.rs` reads
//! this table and holds the code to it.
//!
//! | floor | module | what it is |
//! |---|---|---|
//! | 13 | `capi` | every exported function; NULL checks, panic wall, status codes; nothing else |
//! | 12 | `session` | `compile()`: the pipeline as prose, read it first; options; artifact writing |
//! | 11 | `codegen` | translation units: printed kernels behind what they need, several kernels as one, a host's source |
//! | 10 | `frontend` | readers of other people's graphs: `.pt2`, ONNX, export JSON; and of files of weights: safetensors, GGUF |
//! | 10 | `mapping` | groups to kernels: every decision about a machine, in data |
//! | 10 | `picture` | graphs and compiled programs drawn: layout, SVG, dot, a page |
//! | 9 | `print` | kernels to C++ and to CUDA: spells, and decides nothing |
//! | 9 | `schedule` | dependences, what may fuse, what should fuse, loop order, memory planning |
//! | 8 | `loop_passes` | one ordered list of passes over loops: layouts, templates found, reductions split |
//! | 8 | `interp` | runs the loop IR directly: slow, needs no compiler, the oracle for codegen |
//! | 8 | `kernels` | kernels as data: parameters, launch, statements and values; their text, verifier and interpreter |
//! | 7 | `loops` | loop-level IR over symbolic index expressions; lowering from `ir` |
//! | 6 | `differentiate` | a derivative rule for each row; gradients as plain graph |
//! | 6 | `passes` | one ordered list of named passes per stage |
//! | 5 | `functionalize` | mutation and aliasing made pure |
//! | 5 | `decompose` | composite operators as graphs of simpler ones |
//! | 4 | `runtime` | argument binding, allocation, artifact loading, around the executor |
//! | 4 | `meta` | dtype, shape and strides of every operator's results; the inferring builder; operators that are formulas of others |
//! | 3 | `device` | CPU features, the host C++ compiler, the CUDA driver, NVRTC and the cache on disk: what the machine can do |
//! | 3 | `ir` | the graph: arenas, text form, verifier |
//! | 2 | `plan` | the compiled program as plain data |
//! | 2 | `ops` | the one table of operators |
//! | 2 | `target` | what a machine can do, as plain data |
//! | 1 | `types` | dtype and promotion, symbolic integers, scalars |
//! | 1 | `templates` | the registry of templates: their native text and geometry |
//! | 0 | `base` | arenas and typed handles, status codes, events |

pub mod base;
pub mod capi;
pub mod codegen;
pub mod decompose;
pub mod device;
pub mod differentiate;
pub mod frontend;
pub mod functionalize;
pub mod interp;
pub mod ir;
pub mod kernels;
pub mod loop_passes;
pub mod loops;
pub mod mapping;
pub mod meta;
pub mod ops;
pub mod passes;
pub mod picture;
pub mod plan;
pub mod print;
pub mod runtime;
pub mod schedule;
pub mod session;
pub mod target;
pub mod templates;
pub mod types;
