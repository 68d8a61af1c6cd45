//! Element types, numbered as in PyTorch's export schema, and PyTorch's promotion between them.

use std::fmt;

/// An element type. The numbers are PyTorch's export schema's and the C ABI's `LITZ_DTYPE_…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
pub enum Dtype {
    Uint8 = 1,
    Int8 = 2,
    Int16 = 3,
    Int32 = 4,
    Int64 = 5,
    Float16 = 6,
    Float32 = 7,
    Float64 = 8,
    Complex32 = 9,
    Complex64 = 10,
    Complex128 = 11,
    Bool = 12,
    Bfloat16 = 13,
    Uint16 = 28,
    Float8E4m3fn = 29,
    Float8E5m2 = 30,
    Float8E4m3fnuz = 31,
    Float8E5m2fnuz = 32,
    Uint32 = 36,
    Uint64 = 37,
}

/// PyTorch's promotion categories, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    Bool,
    Integer,
    Float,
    Complex,
}

use Dtype::*;

impl Dtype {
    pub const ALL: [Dtype; 20] = [
        Uint8,
        Int8,
        Int16,
        Int32,
        Int64,
        Float16,
        Float32,
        Float64,
        Complex32,
        Complex64,
        Complex128,
        Bool,
        Bfloat16,
        Uint16,
        Float8E4m3fn,
        Float8E5m2,
        Float8E4m3fnuz,
        Float8E5m2fnuz,
        Uint32,
        Uint64,
    ];

    pub fn from_number(number: i64) -> Option<Dtype> {
        Self::ALL.into_iter().find(|d| *d as i64 == number)
    }
    pub fn number(self) -> i32 {
        self as i32
    }
    /// PyTorch's name, as in `torch.float32`.
    pub fn name(self) -> &'static str {
        match self {
            Uint8 => "uint8",
            Int8 => "int8",
            Int16 => "int16",
            Int32 => "int32",
            Int64 => "int64",
            Float16 => "float16",
            Float32 => "float32",
            Float64 => "float64",
            Complex32 => "complex32",
            Complex64 => "complex64",
            Complex128 => "complex128",
            Bool => "bool",
            Bfloat16 => "bfloat16",
            Uint16 => "uint16",
            Float8E4m3fn => "float8_e4m3fn",
            Float8E5m2 => "float8_e5m2",
            Float8E4m3fnuz => "float8_e4m3fnuz",
            Float8E5m2fnuz => "float8_e5m2fnuz",
            Uint32 => "uint32",
            Uint64 => "uint64",
        }
    }
    pub fn from_name(name: &str) -> Option<Dtype> {
        Self::ALL.into_iter().find(|d| d.name() == name)
    }
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Uint8 | Int8 | Bool | Float8E4m3fn | Float8E5m2 | Float8E4m3fnuz | Float8E5m2fnuz => 1,
            Int16 | Float16 | Bfloat16 | Uint16 => 2,
            Int32 | Float32 | Complex32 | Uint32 => 4,
            Int64 | Float64 | Complex64 | Uint64 => 8,
            Complex128 => 16,
        }
    }
    pub fn category(self) -> Category {
        match self {
            Bool => Category::Bool,
            Uint8 | Int8 | Int16 | Int32 | Int64 | Uint16 | Uint32 | Uint64 => Category::Integer,
            Complex32 | Complex64 | Complex128 => Category::Complex,
            _ => Category::Float,
        }
    }
    /// The signed integer of as many bytes; that of 8 for more.
    pub fn integer_of_size(self) -> Dtype {
        match self.size() {
            1 => Int8,
            2 => Int16,
            4 => Int32,
            _ => Int64,
        }
    }
    pub fn is_float(self) -> bool {
        self.category() == Category::Float
    }
    pub fn is_integer(self) -> bool {
        self.category() == Category::Integer
    }
    /// Integers and bool.
    pub fn is_integral(self) -> bool {
        self.category() <= Category::Integer
    }
    pub fn is_complex(self) -> bool {
        self.category() == Category::Complex
    }
    /// The dtype of the real and the imaginary part of a complex one; another dtype itself.
    pub fn part(self) -> Dtype {
        match self {
            Complex32 => Float16,
            Complex64 => Float32,
            Complex128 => Float64,
            own => own,
        }
    }
    /// The complex dtype whose parts are as wide as this one; integers count as the default float.
    pub fn complex(self) -> Dtype {
        match self {
            Float16 | Complex32 => Complex32,
            Float64 | Complex128 => Complex128,
            _ => Complex64,
        }
    }
    /// Floats and complex numbers: what gradients are of.
    pub fn is_continuous(self) -> bool {
        self.category() >= Category::Float
    }
    pub fn is_signed(self) -> bool {
        !matches!(self, Uint8 | Uint16 | Uint32 | Uint64 | Bool)
    }
    /// uint16, uint32 or uint64, which promote with no signed integer.
    pub fn is_wide_unsigned(self) -> bool {
        matches!(self, Dtype::Uint16 | Dtype::Uint32 | Dtype::Uint64)
    }
    /// The least and the greatest number of an integer dtype (as far as int64 reaches); `None` for other dtypes.
    pub fn integer_range(self) -> Option<(i64, i64)> {
        let bits = 8 * self.size() as u32;
        match self.category() {
            Category::Integer if self.is_signed() => Some((i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))),
            Category::Integer if bits == 64 => Some((0, i64::MAX)),
            Category::Integer => Some((0, (1 << bits) - 1)),
            _ => None,
        }
    }
    /// The greatest finite number of a float dtype that is computed with.
    pub fn largest_float(self) -> f64 {
        match self {
            Float16 => 65504.0,
            Bfloat16 => f64::from_bits(0x47ef_e000_0000_0000),
            Float32 | Complex64 => f32::MAX as f64,
            _ => f64::MAX,
        }
    }
    /// Floats narrower than 32 bits: stored as they are, computed in float32.
    pub fn is_reduced_float(self) -> bool {
        self.is_float() && self.size() < 4
    }
    pub fn is_float8(self) -> bool {
        self.is_float() && self.size() == 1
    }
    /// The dtype that kernels hold it in: float8 numbers are bytes to them.
    pub fn stored(self) -> Dtype {
        if self.is_float8() { Int8 } else { self }
    }
    /// The type that arithmetic on this dtype is done in (PyTorch's opmath type).
    pub fn compute(self) -> Dtype {
        if self.is_reduced_float() { Float32 } else { self }
    }
    /// True for the dtypes that graphs may compute with: those of kernels, and complex numbers, which are split into parts before.
    pub fn is_arithmetic(self) -> bool {
        self.is_computable() || matches!(self, Complex64 | Complex128)
    }
    /// True for the dtypes that kernels can be generated for.
    pub fn is_computable(self) -> bool {
        matches!(
            self,
            Uint8
                | Int8
                | Int16
                | Int32
                | Int64
                | Float16
                | Float32
                | Float64
                | Bool
                | Bfloat16
                | Uint16
                | Uint32
                | Uint64
        )
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The dtype that two tensors of the same priority promote to, as `torch.promote_types`.
/// `None` where PyTorch has no promotion (float8 with anything else, wide unsigned with signed).
pub fn promote(a: Dtype, b: Dtype) -> Option<Dtype> {
    if a == b {
        return Some(a);
    }
    let (lo, hi) = if a.category() <= b.category() { (a, b) } else { (b, a) };
    if lo.size() == 1 && lo.is_float() || hi.size() == 1 && hi.is_float() {
        return None;
    }
    match (lo.category(), hi.category()) {
        (Category::Bool, _) => Some(hi),
        (Category::Integer, Category::Integer) => promote_integers(lo, hi),
        (Category::Integer, _) => Some(hi),
        (Category::Float, Category::Float) => {
            Some(match (lo.size().max(hi.size()), lo.size() == hi.size()) {
                (_, true) => Float32,
                (4, _) => Float32,
                _ => Float64,
            })
        }
        (Category::Float, Category::Complex) => Some(match (lo, hi) {
            (_, Complex128) | (Float64, _) => Complex128,
            (Float16, Complex32) => Complex32,
            _ => Complex64,
        }),
        _ => Some(if lo.size() > hi.size() { lo } else { hi }),
    }
}

fn promote_integers(a: Dtype, b: Dtype) -> Option<Dtype> {
    let (u, s) = match (a.is_signed(), b.is_signed()) {
        (true, true) | (false, false) => return Some(if a.size() > b.size() { a } else { b }),
        (false, true) => (a, b),
        (true, false) => (b, a),
    };
    if u != Uint8 {
        return None;
    }
    Some(if s == Int8 { Int16 } else { s })
}
