//! Pointwise operators of a host's, by their expressions.

use crate::decompose::{Decompose, DecomposeError, expression};
use crate::ir::Value;

pub fn host_pointwise(cx: &mut Decompose<'_>) -> Result<Vec<Value>, DecomposeError> {
    expression::build(cx)
}
