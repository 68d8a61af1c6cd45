//! The dtypes that an operator's kernels take, where these are fewer than its operands promote to: a word in its row.
//!
//! Invariant: what a class leaves out PyTorch refuses on the CPU, too; `tests/refusals.rs` compares.
//!
//! Deliberately absent: dtypes that no operator computes with (`Dtype::is_computable`), and operators whose rules
//! must look at more than the common dtype.

use crate::types::Dtype;

/// The dtypes that there is a kernel for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Any,
    /// `numbers`: all but bool.
    Numbers,
    /// `floats`
    Floats,
    /// `no_halves`: integers and bools too, but no float16 or bfloat16.
    NoHalves,
    /// `full_floats`: float32 and float64.
    FullFloats,
    /// `floats_and_int64`
    FloatsAndInt64,
    /// `floats_and_bool`
    FloatsAndBool,
}

impl Takes {
    /// The class that a row's word names.
    pub const fn of_word(word: &str) -> Takes {
        match word.as_bytes() {
            b"numbers" => Takes::Numbers,
            b"floats" => Takes::Floats,
            b"no_halves" => Takes::NoHalves,
            b"full_floats" => Takes::FullFloats,
            b"floats_and_int64" => Takes::FloatsAndInt64,
            b"floats_and_bool" => Takes::FloatsAndBool,
            _ => Takes::Any,
        }
    }
    /// The narrower of two: one of them is [`Takes::Any`].
    pub const fn and(self, other: Takes) -> Takes {
        match self {
            Takes::Any => other,
            own => own,
        }
    }
    pub fn has(self, dtype: Dtype) -> bool {
        let half = matches!(dtype, Dtype::Float16 | Dtype::Bfloat16);
        match self {
            Takes::Any => true,
            Takes::Numbers => dtype != Dtype::Bool,
            Takes::Floats => dtype.is_float(),
            Takes::NoHalves => !half,
            Takes::FullFloats => dtype.is_float() && !half,
            Takes::FloatsAndInt64 => dtype.is_float() || dtype == Dtype::Int64,
            Takes::FloatsAndBool => !dtype.is_integer(),
        }
    }
    /// What it takes, in words.
    pub fn text(self) -> &'static str {
        match self {
            Takes::Any => "any dtype",
            Takes::Numbers => "numbers",
            Takes::Floats => "floats",
            Takes::NoHalves => "integers, float32 and float64",
            Takes::FullFloats => "float32 and float64",
            Takes::FloatsAndInt64 => "floats and int64",
            Takes::FloatsAndBool => "floats and bools",
        }
    }
}
