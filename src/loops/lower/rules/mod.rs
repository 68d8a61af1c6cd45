//! The lowering rules, by family of operators; a row of the operator table names the function.

mod pointwise;
mod view;

pub use pointwise::*;
pub use view::*;
