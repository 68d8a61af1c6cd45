//! Identities of reductions, and the types of their partial results.

use crate::loops::{BinaryOp, ReductionOp};
use crate::types::{Dtype, Scalar};

/// The initial value of a reduction.
pub fn identity(op: ReductionOp, dtype: Dtype) -> Scalar {
    use ReductionOp::*;
    match op {
        Sum | Xor => Scalar::Int(0),
        Product => Scalar::Int(1),
        Max | MaxWithIndex => match dtype {
            Dtype::Bool => Scalar::Bool(false),
            d if d.is_float() => Scalar::Float(f64::NEG_INFINITY),
            d => Scalar::Int(lowest(d)),
        },
        Min | MinWithIndex => match dtype {
            Dtype::Bool => Scalar::Bool(true),
            d if d.is_float() => Scalar::Float(f64::INFINITY),
            d => Scalar::Int(highest(d)),
        },
    }
}

fn lowest(dtype: Dtype) -> i64 {
    if !dtype.is_signed() { 0 } else { i64::MIN >> (64 - 8 * dtype.size()) }
}

fn highest(dtype: Dtype) -> i64 {
    match (dtype.is_signed(), dtype.size()) {
        (true, n) => i64::MAX >> (64 - 8 * n),
        (false, 8) => -1,
        (false, n) => (1i64 << (8 * n)) - 1,
    }
}

/// The type that partial results are kept in: vectors of narrow integers have no folds.
pub fn accumulator(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::Int8 | Dtype::Int16 | Dtype::Uint8 | Dtype::Uint16 => Dtype::Int32,
        other => other,
    }
}

/// What combines two partial results, the positions of extremes aside.
pub fn combination(op: ReductionOp) -> BinaryOp {
    match op {
        ReductionOp::Sum => BinaryOp::Add,
        ReductionOp::Product => BinaryOp::Mul,
        ReductionOp::Max | ReductionOp::MaxWithIndex => BinaryOp::Maximum,
        ReductionOp::Min | ReductionOp::MinWithIndex => BinaryOp::Minimum,
        ReductionOp::Xor => BinaryOp::BitwiseXor,
    }
}
