//! Floor 4: what every operator's results look like, and the builder that infers while it builds.
//!
//! A rule gets its node's arguments (coerced to the schema) and gives one [`TensorMeta`] per result, all symbolic.
//! Where a rule must know something about a symbol it asks [`Infer::require`], which decides it from ranges or
//! records a guard that a run checks.
//!
//! Invariants: a rule never looks at data; the same arguments give the same result; wrong arguments are an error
//! that names the operator, the argument and the sizes.
//!
//! Deliberately absent: layouts that the compiler chooses; strides here are PyTorch's.

mod builder;
mod coerce;
mod distinct;
mod dynamic;
pub mod edit;
pub mod einsum;
pub mod formula;
pub mod formulas;
mod infer;
mod numbers;
mod parts;
mod promote;
mod resized;
pub mod rules;
pub mod suppression;
mod switch;
pub mod text;

pub use builder::{Builder, Prepared};
pub use coerce::{coerce, coerce_by};
pub use dynamic::expands_always;
pub use infer::{Infer, MOST_DIMENSIONS, MetaError, ScalarArg, check_dimensions, infer, infer_form};
pub use promote::{
    common_strides, dense_strides, elementwise_strides, is_dense, memory_format_strides, ranked_type,
    result_type,
};
pub use rules::{
    Triangle, converts_nothing, default_attention_scale, dimension_order, reduced_dims, split_parts,
    squeezed_dims, takes_slices_in_order,
};
