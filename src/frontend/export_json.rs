//! The JSON of an exported program, or its `graph_module` part alone, without an archive around it.

use super::error::Result;
use super::{json, program};
use crate::ir::Graph;

/// Reads a document. There are no weights: parameters, buffers and constants become inputs, in the signature's
/// order, under their exported names.
pub fn read(bytes: &[u8]) -> Result<Graph> {
    program::read(&json::parse(bytes)?, "program", None)
}
