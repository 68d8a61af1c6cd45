//! The JSON of an exported program, or its `graph_module` part alone, without an archive around it.

use super::error::Result;
use super::json;
use super::program::{self, State};
use super::weight_files::WeightFile;
use crate::ir::{Graph, HostOperators};

/// Reads a document. There are no weights: parameters, buffers and constants become inputs, in the signature's
/// order, under their exported names.
pub fn read(bytes: &[u8]) -> Result<Graph> {
    read_with(bytes, &HostOperators::default())
}

/// [`read`] of a program that may call operators of a host's.
pub fn read_with(bytes: &[u8], operators: &HostOperators) -> Result<Graph> {
    program::read(&json::parse(bytes)?, "program", State::Inputs, operators)
}

/// [`read_with`] of a program whose weights are in a file of their own. What is no part of a `state_dict` (buffers that are not
/// persistent, constants) is an input where that file does not have it.
pub fn read_with_weights(bytes: &[u8], weights: &WeightFile, operators: &HostOperators) -> Result<Graph> {
    program::read(&json::parse(bytes)?, "program", State::Weights(weights), operators)
}
