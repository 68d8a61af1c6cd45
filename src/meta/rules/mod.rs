//! The meta rules, by family of operators; a row of the operator table names the function.

mod contraction;
mod convolution;
mod normalization;
mod pointwise;
mod rearrange;
mod view;
mod pooling;

pub use contraction::*;
pub use convolution::*;
pub use normalization::*;
pub use pointwise::*;
pub use rearrange::*;
pub use view::*;
pub use pooling::*;
