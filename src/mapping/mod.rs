//! Floor 10: maps groups of loops to kernels. Every decision about a machine is made here, as data; `print` only spells it.
//!
//! [`emit`] builds a kernel's body and computes each value in the loop where it belongs.
//!
//! Deliberately absent: source text.

pub mod cpu;
pub mod cuda;
pub mod emit;
pub mod lines;
mod parameters;
mod scan;

use crate::base::Status;
use crate::kernels::{Kernel, Role};
use crate::loops::{BufferId, Program};
use crate::schedule::Group;
use crate::target::Target;

/// A group that no kernel of the target computes.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{operators}: {message}")]
pub struct Refusal {
    pub operators: String,
    pub message: String,
}

impl Refusal {
    pub fn new(program: &Program, group: &Group, message: impl Into<String>) -> Refusal {
        Refusal { operators: group.operators.located(&program.origins), message: message.into() }
    }
    pub fn status(&self) -> Status {
        Status::Unsupported
    }
}

/// Maps a group to a kernel, and names its kind as `describe` does.
/// `scratch`: the most bytes that a thread of a CPU should need, where the mapping decides about them.
pub fn kernel(
    program: &Program,
    group: &Group,
    target: &Target,
    scratch: i64,
) -> Result<(&'static str, Kernel), Refusal> {
    match target {
        Target::Cpu(target) => cpu::kernel(program, group, target, scratch),
        Target::Cuda(target) => cuda::kernel(program, group, target),
    }
}

/// What a group's kernel does with a buffer.
fn role(group: &Group, buffer: BufferId) -> Role {
    if group.semaphores().any(|t| t == buffer) {
        Role::Semaphores
    } else if group.workspace.as_ref().is_some_and(|w| w.buffers.contains(&buffer)) {
        Role::Workspace
    } else if !group.writes.contains(&buffer) {
        Role::Input
    } else if group.updates.contains(&buffer) {
        Role::Updated
    } else {
        Role::Result
    }
}
