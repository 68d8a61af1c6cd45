//! A host number as an operator's `Scalar` argument or a literal in a kernel.

use super::{Category, Dtype};

/// A number with Python's three kinds. Equality is bitwise for floats, so that NaN equals itself.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    Int(i64),
    Float(f64),
    Bool(bool),
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Scalar::Int(a), Scalar::Int(b)) => a == b,
            (Scalar::Bool(a), Scalar::Bool(b)) => a == b,
            (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}
impl Eq for Scalar {}
impl std::fmt::Display for Scalar {
    /// Floats have as many digits as tell them apart.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::Int(v) => write!(f, "{v}"),
            Scalar::Float(v) => write!(f, "{v:?}"),
            Scalar::Bool(v) => write!(f, "{v}"),
        }
    }
}
impl std::hash::Hash for Scalar {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            Scalar::Int(v) => (0u8, *v as u64).hash(state),
            Scalar::Float(v) => (1u8, v.to_bits()).hash(state),
            Scalar::Bool(v) => (2u8, *v as u64).hash(state),
        }
    }
}

impl Scalar {
    pub fn category(self) -> Category {
        match self {
            Scalar::Int(_) => Category::Integer,
            Scalar::Float(_) => Category::Float,
            Scalar::Bool(_) => Category::Bool,
        }
    }
    /// The dtype PyTorch gives a tensor made from this number, with float32 as the default float.
    pub fn default_dtype(self) -> Dtype {
        match self {
            Scalar::Int(_) => Dtype::Int64,
            Scalar::Float(_) => Dtype::Float32,
            Scalar::Bool(_) => Dtype::Bool,
        }
    }
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::Int(v) => v as f64,
            Scalar::Float(v) => v,
            Scalar::Bool(v) => v as u8 as f64,
        }
    }
    /// The integer value; floats are truncated as C does, saturating.
    pub fn as_i64(self) -> i64 {
        match self {
            Scalar::Int(v) => v,
            Scalar::Float(v) => v as i64,
            Scalar::Bool(v) => v as i64,
        }
    }
    pub fn as_bool(self) -> bool {
        match self {
            Scalar::Int(v) => v != 0,
            Scalar::Float(v) => v != 0.0,
            Scalar::Bool(v) => v,
        }
    }
}
