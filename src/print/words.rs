//! The spelling of types, functions and numbers: one vocabulary, which each target's prelude defines. A table without structure.

use crate::kernels::{IndexType, Space, Type, Word};
use crate::loops::{BinaryOp, ReductionOp, UnaryOp};
use crate::types::{Dtype, Scalar};

/// The type of an element in memory.
pub fn memory_type(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Float16 => "half",
        Dtype::Bfloat16 => "bfloat",
        Dtype::Bool => "boolean",
        other => scalar_type(other),
    }
}

/// The type of one value in a register.
pub fn scalar_type(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Float64 => "f64",
        Dtype::Int64 => "i64",
        Dtype::Int32 => "i32",
        Dtype::Int16 => "i16",
        Dtype::Int8 => "i8",
        Dtype::Uint64 => "u64",
        Dtype::Uint32 => "u32",
        Dtype::Uint16 => "u16",
        Dtype::Uint8 => "u8",
        Dtype::Bool => "bool",
        _ => "f32",
    }
}

/// The type of a vector of values.
pub fn vector_type(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Float64 => "vf64",
        Dtype::Int64 => "vi64",
        Dtype::Int32 => "vi32",
        Dtype::Int16 => "vi16",
        Dtype::Int8 => "vi8",
        Dtype::Uint64 => "vu64",
        Dtype::Uint32 => "vu32",
        Dtype::Uint16 => "vu16",
        Dtype::Uint8 => "vu8",
        Dtype::Bool => "vmask",
        _ => "vf32",
    }
}

/// A literal, of exactly the register type of its dtype.
pub fn literal(value: Scalar, dtype: Dtype) -> String {
    match dtype {
        Dtype::Bool => value.as_bool().to_string(),
        Dtype::Float64 => double(value.as_f64()),
        d if d.is_float() => float(value.as_f64() as f32),
        Dtype::Int64 if value.as_i64() == i64::MIN => "((i64)1 << 63)".to_string(),
        Dtype::Uint64 => format!("(u64){}u", value.as_i64() as u64),
        d => {
            let v = value.as_i64();
            let v = match d {
                Dtype::Int32 => v as i32 as i64,
                Dtype::Int16 => v as i16 as i64,
                Dtype::Int8 => v as i8 as i64,
                Dtype::Uint32 => v as u32 as i64,
                Dtype::Uint16 => v as u16 as i64,
                Dtype::Uint8 => v as u8 as i64,
                _ => v,
            };
            format!("({}){v}", scalar_type(d))
        }
    }
}

fn float(v: f32) -> String {
    if v.is_nan() {
        "__builtin_nanf(\"\")".to_string()
    } else if v.is_infinite() {
        if v > 0.0 { "__builtin_inff()" } else { "-__builtin_inff()" }.to_string()
    } else {
        let text = format!("{v:?}");
        if text.contains(['.', 'e']) { format!("{text}f") } else { format!("{text}.0f") }
    }
}

fn double(v: f64) -> String {
    if v.is_nan() {
        "__builtin_nan(\"\")".to_string()
    } else if v.is_infinite() {
        if v > 0.0 { "__builtin_inf()" } else { "-__builtin_inf()" }.to_string()
    } else {
        let text = format!("{v:?}");
        if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
    }
}

/// The function that converts to a dtype, from any register type; reduced floats are rounded in float32.
pub fn cast(to: Dtype) -> &'static str {
    match to {
        Dtype::Float64 => "to_f64",
        Dtype::Int64 => "to_i64",
        Dtype::Int32 => "to_i32",
        Dtype::Int16 => "to_i16",
        Dtype::Int8 => "to_i8",
        Dtype::Uint64 => "to_u64",
        Dtype::Uint32 => "to_u32",
        Dtype::Uint16 => "to_u16",
        Dtype::Uint8 => "to_u8",
        Dtype::Bool => "to_bool",
        _ => "to_f32",
    }
}

/// The rounding of a float32 register to a reduced float's values.
pub fn rounding(to: Dtype) -> Option<&'static str> {
    match to {
        Dtype::Float16 => Some("round_half"),
        Dtype::Bfloat16 => Some("round_bfloat"),
        _ => None,
    }
}

/// The function of an operation, and the macro that makes it available where it is not always there.
pub fn unary(op: UnaryOp) -> (&'static str, Option<&'static str>) {
    use UnaryOp::*;
    match op {
        Neg => ("neg", None),
        Abs => ("l_abs", None),
        Sign => ("l_sign", None),
        Exp => ("l_exp", Some("EXP")),
        Exp2 => ("l_exp2", Some("EXP2")),
        Expm1 => ("l_expm1", Some("EXPM1")),
        Log => ("l_log", Some("LOG")),
        Log2 => ("l_log2", Some("LOG2")),
        Log10 => ("l_log10", Some("LOG10")),
        Log1p => ("l_log1p", Some("LOG1P")),
        Sin => ("l_sin", Some("SIN")),
        Cos => ("l_cos", Some("COS")),
        Tan => ("l_tan", Some("TAN")),
        Asin => ("l_asin", Some("ASIN")),
        Acos => ("l_acos", Some("ACOS")),
        Atan => ("l_atan", Some("ATAN")),
        Sinh => ("l_sinh", Some("SINH")),
        Cosh => ("l_cosh", Some("COSH")),
        Tanh => ("l_tanh", Some("TANH")),
        Asinh => ("l_asinh", Some("ASINH")),
        Acosh => ("l_acosh", Some("ACOSH")),
        Atanh => ("l_atanh", Some("ATANH")),
        Erf => ("l_erf", Some("ERF")),
        Erfc => ("l_erfc", Some("ERFC")),
        Erfinv => ("l_erfinv", Some("ERFINV")),
        Sqrt => ("l_sqrt", None),
        Rsqrt => ("l_rsqrt", None),
        Reciprocal => ("l_reciprocal", None),
        Sigmoid => ("l_sigmoid", Some("SIGMOID")),
        GeluTanh => unreachable!("kernels have its formula"),
        Floor => ("l_floor", None),
        Ceil => ("l_ceil", None),
        Trunc => ("l_trunc", None),
        Round => ("l_round", None),
        Lgamma => ("l_lgamma", Some("LGAMMA")),
        Digamma => ("l_digamma", Some("DIGAMMA")),
        LogicalNot => ("mask_not", None),
        BitwiseNot => ("bit_not", None),
        ToBits => ("litz_bits_of", None),
        FromBits => ("litz_float_of", None),
        HalfFromBits => ("litz_half_of", None),
        BfloatFromBits => ("litz_bfloat_of", None),
        IsNan => ("l_isnan", None),
        IsInf => ("l_isinf", None),
        Signbit => ("l_signbit", None),
    }
}

/// As [`unary`], for two arguments.
pub fn binary(op: BinaryOp) -> (&'static str, Option<&'static str>) {
    use BinaryOp::*;
    match op {
        Add => ("add", None),
        Sub => ("sub", None),
        Mul => ("mul", None),
        Div => ("divide", None),
        FloorDiv => ("l_floor_divide", None),
        TruncDiv => ("l_trunc_divide", None),
        Remainder => ("l_remainder", None),
        Fmod => ("l_fmod", None),
        Pow => ("l_pow", Some("POW")),
        Maximum => ("l_maximum", None),
        Minimum => ("l_minimum", None),
        Fmax => ("l_fmax", None),
        Fmin => ("l_fmin", None),
        Atan2 => ("l_atan2", Some("ATAN2")),
        Copysign => ("l_copysign", None),
        Nextafter => ("l_nextafter", Some("NEXTAFTER")),
        Hypot => ("l_hypot", Some("HYPOT")),
        Igamma => ("l_igamma", Some("IGAMMA")),
        Igammac => ("l_igammac", Some("IGAMMAC")),
        Eq => ("eq", None),
        Ne => ("ne", None),
        Lt => ("lt", None),
        Le => ("le", None),
        Gt => ("gt", None),
        Ge => ("ge", None),
        LogicalAnd => ("mask_and", None),
        LogicalOr => ("mask_or", None),
        LogicalXor => ("mask_xor", None),
        BitwiseAnd => ("bit_and", None),
        BitwiseOr => ("bit_or", None),
        BitwiseXor => ("bit_xor", None),
        ShiftLeft => ("shl", None),
        ShiftRight => ("shr", None),
        Philox => ("l_philox", Some("PHILOX")),
    }
}

/// The function that combines two partial results, and the one that folds a vector of them.
pub fn reduction(op: ReductionOp, dtype: Dtype) -> (&'static str, &'static str) {
    use ReductionOp::*;
    match (op, dtype) {
        (Max | MaxWithIndex, Dtype::Bool) => ("l_maximum", "any"),
        (Min | MinWithIndex, Dtype::Bool) => ("l_minimum", "all"),
        (Sum, _) => ("add", "hsum"),
        (Product, _) => ("mul", "hprod"),
        (Max | MaxWithIndex, _) => ("l_maximum", "hmax"),
        (Min | MinWithIndex, _) => ("l_minimum", "hmin"),
        (Xor, _) => ("bit_xor", "hxor"),
    }
}

/// [`kernels::identity`](crate::kernels::identity) as text.
pub fn identity(op: ReductionOp, dtype: Dtype) -> String {
    literal(crate::kernels::identity(op, dtype), dtype)
}

/// The type of a GPU's function object that combines two partial results.
pub fn functor(op: ReductionOp) -> &'static str {
    use ReductionOp::*;
    match op {
        Sum => "litz_add",
        Product => "litz_mul",
        Max => "litz_max",
        Min => "litz_min",
        Xor => "litz_xor",
        MaxWithIndex => "litz_first_max",
        MinWithIndex => "litz_first_min",
    }
}

/// An operation that the loop IR does not have, and the macro that makes it available where it is not always there.
pub fn word(word: Word) -> (&'static str, Option<&'static str>) {
    match word {
        Word::LaneIndex => ("lane_index", None),
        Word::FirstLanes => ("first_lanes", None),
        Word::TailMask => ("tail_mask", None),
        Word::Any => ("any", None),
        Word::DivideBy => ("divide_by", None),
        Word::QuotientBy => ("litz_quotient_by", None),
        Word::RestBy => ("litz_rest_by", None),
        Word::SigmoidRounded => ("l_sigmoid_rounded", Some("SIGMOID")),
        Word::SigmoidScaled => ("l_sigmoid_scaled", None),
        Word::BitsOfHalf => ("litz_bits_of_half", None),
        Word::BitsOfBfloat => ("litz_bits_of_bfloat", None),
        Word::Nibble => ("litz_nibble", None),
    }
}

/// A type in registers, or in memory for what lies there; `index` is the type of indices.
pub fn type_name(ty: Type, index: IndexType) -> &'static str {
    match ty {
        Type::Index => index_type(index),
        Type::Scalar(dtype) | Type::Array { dtype, vectors: false, space: Space::Registers, .. } => {
            scalar_type(dtype)
        }
        Type::Vector(dtype) | Type::Array { dtype, vectors: true, .. } => vector_type(dtype),
        Type::Array { dtype, .. } | Type::Pointer { dtype, .. } => memory_type(dtype),
        Type::Held { dtype, .. } => memory_type(dtype),
        Type::Region => "auto",
    }
}

pub fn index_type(index: IndexType) -> &'static str {
    match index {
        IndexType::I32 => "i32",
        IndexType::I64 => "i64",
    }
}
