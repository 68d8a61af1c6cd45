//! Floor 1: what values are: dtypes and their promotion, scalars, symbolic integers with their ranges,
//! and the facts about a tensor (`TensorMeta`).
//!
//! Deliberately absent: operators and graphs.

pub mod dlpack;
mod dtype;
pub mod floats;
mod geometry;
mod scalar;
mod sym;
mod tensor;

pub use dtype::{Category, Dtype, promote};
pub use geometry::{
    dense_order, flatten_index, lies_apart, lies_channels_last, preserved_strides, reshape_index,
    slice_range, unflatten_index, view_strides,
};
pub use scalar::Scalar;
pub use sym::{
    Calculation, RandomState, Range, Replaced, SymArena, SymError, SymInt, SymNode, SymbolId, SymbolKind,
    float_text, gcd,
};
pub use tensor::{Device, DeviceKind, Layout, MemoryFormat, TensorMeta, contiguous_strides};
