//! The lowering rules, by family of operators; a row of the operator table names the function.

mod activation;
mod batch_norm;
mod contraction;
mod conv_transpose;
mod convolution;
mod creation;
mod grid;
mod indexing;
mod joining;
mod normalization;
mod pointwise;
mod pooling;
mod rearrange;
mod recurrence;
mod reduction;
mod resampling;
mod scan;
mod scatter;
mod segments;
#[cfg(test)]
mod smoke;
mod special;
mod special_tables;
mod view;

pub use activation::*;
pub use batch_norm::*;
pub use contraction::*;
pub use conv_transpose::*;
pub use convolution::*;
pub use creation::*;
pub use grid::*;
pub use indexing::*;
pub use joining::*;
pub use normalization::*;
pub use pointwise::*;
pub use pooling::*;
pub use rearrange::*;
pub use recurrence::*;
pub use reduction::*;
pub use resampling::*;
pub use scan::*;
pub use scatter::*;
pub use segments::*;
pub use special::*;
pub use view::*;
