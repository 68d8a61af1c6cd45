//! Floor 10: groups of loops to kernels. All decisions about a machine are made here, in data; `print` spells them.
//!
//! [`emit`] builds a kernel's body: it computes each value in the loop where it belongs.
//!
//! Deliberately absent: text, but for what writers in `codegen` still spell by hand.

pub mod cpu;
pub mod cuda;
pub mod emit;
pub mod lane_axis;
pub mod lines;

use crate::kernels::Role;
use crate::loops::BufferId;
use crate::schedule::Group;

/// What a group's kernel does with a buffer.
fn role(group: &Group, buffer: BufferId) -> Role {
    if group.tickets().any(|t| t == buffer) {
        Role::Semaphores
    } else if !group.writes.contains(&buffer) {
        Role::Input
    } else if group.updates.contains(&buffer) {
        Role::Updated
    } else {
        Role::Result
    }
}
