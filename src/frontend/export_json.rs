//! The JSON of an exported program, or its `graph_module` part alone, without an archive around it.

use super::error::Result;
use super::{json, program};
use crate::ir::{Graph, HostOperators};

/// Reads a document. There are no weights: parameters, buffers and constants become inputs, in the signature's
/// order, under their exported names.
pub fn read(bytes: &[u8]) -> Result<Graph> {
    read_with(bytes, &HostOperators::default())
}

/// [`read`] of a program that may call operators of a host's.
pub fn read_with(bytes: &[u8], operators: &HostOperators) -> Result<Graph> {
    program::read(&json::parse(bytes)?, "program", None, operators)
}
