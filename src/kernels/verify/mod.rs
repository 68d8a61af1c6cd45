//! The specification of kernels: the rules that each of them keeps, for all sizes in range.
//!
//! Invariants of a kernel that [`verify`] accepts:
//! - a value names only locals that are defined before it, in its own block or in one around it; a local is defined once;
//!   only variables and elements of arrays are assigned to (`types`);
//! - operands have the types that their operation needs, and what is stored has the type of its memory (`types`);
//! - every access stays within its buffer, array or workspace for all sizes in range, at every task, block, thread and lane; accesses
//!   with indices from data may be left to the proof over loops, as [`Data`] says (`bounds`);
//! - an access that says that it is aligned is so (`bounds`);
//! - inputs are not written, and every result and every semaphore is met by some statement (`types`);
//! - the threads of a barrier's scope agree on every condition around it and on every return before it, and a CPU has no
//!   barriers (`barriers`);
//! - threads, clusters, shared memory and registers are within the target's limits (`limits`).
//!
//! Deliberately absent: races, results that are written twice or in part, and reads of what was never written. The interpreter
//! finds those exactly, for the sizes that it runs.

mod barriers;
mod bounds;
mod facts;
mod limits;
mod parts;
mod symbolic;
mod trial;
mod types;

use super::text::heads;
use super::{Kernel, Scope};
use crate::target::Target;
use crate::types::SymArena;

/// Why a kernel is refused, and the number of the statement at fault. Statements are counted in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{wrong}", statement.as_ref().map(|s| format!("`{s}`: ")).unwrap_or_default())]
pub struct VerifyError {
    /// Its first line; none for what is wrong with parameters and launch.
    pub statement: Option<String>,
    pub wrong: Wrong,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error("{what} is not verified yet")]
    Unknown { what: &'static str },
    #[error("`{local}` is used where it is not defined")]
    Undefined { local: String },
    #[error("`{local}` is defined by two statements")]
    DefinedTwice { local: String },
    #[error("`{local}` is assigned to, and is no variable")]
    NotAVariable { local: String },
    #[error("{what} is {found}, and has to be {expected}")]
    Type { what: &'static str, found: String, expected: String },
    #[error("there is no {what} {place}")]
    Missing { what: &'static str, place: usize },
    #[error("the input `{memory}` is written")]
    WritesInput { memory: String },
    #[error("the result `{memory}` is never written")]
    NeverWritten { memory: String },
    #[error("cannot show that `{index}` is within `{memory}`, which has {length} elements")]
    Outside { memory: String, index: String, length: String },
    #[error("`{index}` is not within `{memory}`, which has {length} elements, where {place}")]
    Beyond { memory: String, index: String, length: String, place: String },
    #[error("`{memory}` from byte `{first}` on is not a whole number of its elements of {size} bytes")]
    UnalignedPointer { memory: String, first: String, size: i64 },
    #[error("cannot show that `{index}` of `{memory}` is a multiple of {lanes}")]
    Unaligned { memory: String, index: String, lanes: i64 },
    #[error("the step {step} of the loop is not positive")]
    Step { step: i64 },
    #[error("a barrier of scope {scope:?}, and threads agree on what is around it within a {agree:?} alone")]
    Divergent { scope: Scope, agree: Scope },
    #[error("a CPU's tasks do not wait for one another")]
    WaitsOnCpu,
    #[error("{what} of a GPU on a CPU, or the other way round")]
    OtherMachine { what: &'static str },
    #[error("{found} {what}; {target} has at most {most}")]
    Limit { what: &'static str, found: i64, most: i64, target: String },
    #[error("{found} {what} is not {expected}")]
    Launch { what: &'static str, found: i64, expected: String },
    #[error("a reduction over {found} threads, which are no whole part of a block of {threads}")]
    ReducedThreads { found: i64, threads: i64 },
    #[error("the workspace `{memory}` has {found} bytes, and the reduction needs {needed}")]
    Workspace { memory: String, found: i64, needed: i64 },
    #[error("{found} are not {what}")]
    Square { what: &'static str, found: i64 },
    #[error("{what} where no region is")]
    Misplaced { what: &'static str },
    #[error("{name} has {found} for {what}, and asks for {expected}")]
    Call { name: &'static str, what: &'static str, found: String, expected: String },
    #[error("{semaphores} semaphores and {regions} regions")]
    Regions { semaphores: usize, regions: usize },
}

/// What is wrong, and the number of the statement.
type Found = (Option<usize>, Wrong);

/// Who proves that places which come from data are within their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// The verifier, from what the kernel itself checks.
    Checked,
    /// `loops::bounds`, for the loops that the kernel was made of. Other places that are neither proved nor refuted are left to it,
    /// too: it has facts that a kernel no longer shows.
    BoundByLoops,
}

/// Checks all invariants of a kernel that stands for itself.
pub fn verify(syms: &SymArena, kernel: &Kernel, target: &Target) -> Result<(), VerifyError> {
    verify_with(syms, kernel, target, Data::Checked).map(|_| ())
}

/// Checks all invariants. Returns the number of accesses that only the loops' proof covers.
pub fn verify_with(
    syms: &SymArena,
    kernel: &Kernel,
    target: &Target,
    data: Data,
) -> Result<usize, VerifyError> {
    let all = || -> Result<usize, Found> {
        limits::check(syms, kernel, target)?;
        types::check(syms, kernel)?;
        barriers::check(kernel)?;
        bounds::check(syms, kernel, data)
    };
    all().map_err(|(number, wrong)| {
        let statement = number.and_then(|n| heads(syms, kernel).into_iter().nth(n));
        VerifyError { statement, wrong }
    })
}

/// A local's name as texts have it.
fn name(kernel: &Kernel, local: super::LocalId) -> String {
    let local = &kernel.body.locals[local];
    local.number.map_or_else(|| local.name.to_string(), |n| format!("{}{n}", local.name))
}
