//! ONNX models: opsets 13 to 28 of ONNX's own operators and what earlier ones share with them, those of `com.microsoft` that
//! exporters write, functions, and data in files beside the model.
//!
//! An operator becomes ATen nodes. [`table`] has a row for each operator and range of opsets: a [`formula`], or a rule where
//! it takes a choice. Sizes that a model computes with operators are folded to expressions of symbols ([`fold`]).
//!
//! Invariants:
//! - bad bytes are an error, never a panic: every size is checked, every name looked up, every recursion bounded;
//! - an operator, attribute value or element type that is not supported is refused with operator, opset and node.
//!
//! Deliberately absent: strings, maps, sparse tensors, training information, and a check for attributes that the standard does
//! not have: ONNX's own operators pass over them.

mod call;
mod control;
mod data;
mod entry;
mod fold;
mod order;
mod proto;
mod reader;
mod rows;
mod rules;
mod survey;
mod table;

use super::FrontendError;
use super::error::Result;
use super::mapped::{Shared, map};
use crate::ir::Graph;
use data::Store;
use prost::Message;
use std::path::Path;
use std::sync::Arc;

/// Reads a file. It is mapped, and weights stay in the mapping: it must not be written to while the graph, or anything
/// compiled from it, lives. Files that it names lie in its folder.
pub fn read(path: &Path) -> Result<Graph> {
    let file = path.display().to_string();
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    map(path).and_then(|bytes| read_shared(bytes, Some(folder), &stem)).map_err(|e| e.in_file(&file))
}

/// Reads a model in memory; the bytes are kept as long as the graph needs them. Files that it names lie in the folder.
pub fn read_bytes(bytes: Vec<u8>, folder: Option<&Path>) -> Result<Graph> {
    read_shared(Arc::new(bytes), folder, "")
}

fn read_shared(bytes: Shared, folder: Option<&Path>, stem: &str) -> Result<Graph> {
    let store = Store::new(bytes, folder);
    let model = proto::Model::decode(store.bytes())
        .map_err(|e| FrontendError::parse(format!("this is no ONNX model: {e}")))?;
    reader::read(&model, store, stem)
}
