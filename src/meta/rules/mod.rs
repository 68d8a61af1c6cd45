//! The meta rules, by family of operators; a row of the operator table names the function.

mod algebra;
mod contraction;
mod convolution;
mod creation;
mod indexing;
mod loss;
mod normalization;
mod part;
mod placement;
mod pointwise;
mod pooling;
mod rearrange;
mod recurrence;
mod reduction;
mod resampling;
mod scan;
mod segments;
mod view;

pub use algebra::*;
pub use contraction::*;
pub use convolution::*;
pub use creation::*;
pub use indexing::*;
pub use loss::*;
pub use normalization::*;
pub use part::*;
pub use placement::*;
pub use pointwise::*;
pub use pooling::*;
pub use rearrange::*;
pub use recurrence::*;
pub use reduction::*;
pub use resampling::*;
pub use scan::*;
pub use segments::*;
pub use view::*;
