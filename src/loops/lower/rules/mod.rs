//! The lowering rules, by family of operators; a row of the operator table names the function.

mod pointwise;
mod rearrange;
mod view;

pub use pointwise::*;
pub use rearrange::*;
pub use view::*;
