//! Floor 10: readers of other people's graphs: `.pt2` archives ([`pt2`]) and the JSON of exported programs
//! ([`export_json`]), as PyTorch 2.10 and later write them; ONNX models; and files of weights ([`WeightFile`]).
//!
//! [`to_export_json`] writes the latter.
//!
//! A reader takes from a file what only the file knows: inputs with their shapes and ranges, constants with their
//! data, which operators run on what, and which conditions must hold. Everything else (dtypes, shapes, strides of
//! results) is inferred again with `meta`, so a file cannot claim what its operators do not give.
//!
//! Invariants:
//! - bad bytes are an error, never a panic: every size is checked, every name looked up, every recursion bounded;
//! - what is not understood is refused by name; nothing is skipped that could change a result;
//! - symbolic numbers (`_operator.mul`, `torch.sym_max`, …) leave no nodes: they become symbolic integers.
//!
//! Deliberately absent: pickle in any form, custom objects.

mod archive;
mod args;
mod composite;
mod composite_results;
mod constants;
mod control;
mod error;
pub mod export_json;
mod functionalized;
mod guards;
mod json;
mod mapped;
mod nodes;
mod number;
mod onnx;
mod origin;
mod outputs;
mod program;
pub mod pt2;
mod python;
mod regions;
mod scope;
mod signature;
mod slices;
mod srepr;
mod survey;
mod symbols;
mod vendor_attention;
mod weight_files;
mod weights;
mod write;

pub use error::FrontendError;
pub use export_json::{
    read as from_export_json, read_with as from_export_json_with,
    read_with_weights as from_export_json_with_weights,
};
pub use nodes::OWN;
pub use number::{Number, evaluate, float_bits, text as number_text};
pub use onnx::{read as from_onnx, read_bytes as from_onnx_bytes};
pub use pt2::{
    read as from_pt2, read_bytes as from_pt2_bytes, read_bytes_with as from_pt2_bytes_with,
    read_with as from_pt2_with,
};
pub use weight_files::{Format as WeightFormat, WeightFile};
pub use write::write as to_export_json;
