//! Nodes whose elements depend on their order: scans, sorts and scatters, each a kernel of its own.

use super::{CodegenError, Kernel};
use crate::loops::Program;
use crate::schedule::Group;

/// The function of a node that is computed by itself.
pub fn kernel(program: &Program, group: &Group, node: usize) -> Result<Kernel, CodegenError> {
    let kind = format!("{:?}", program.nodes[node].kind);
    let kind = kind.split([' ', '(']).next().unwrap_or_default().to_string();
    Err(CodegenError {
        operators: group.operators.join(", "),
        message: format!("no native code for {kind} yet"),
    })
}
