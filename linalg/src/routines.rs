//! Written by scripts/generate from src/plan/external.rs: the attributes of this library's routines.

pub const VERSION: u32 = 4;

#[repr(C)]
pub struct Cholesky {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
    pub upper: i64,
}

#[repr(C)]
pub struct TriangularSolve {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
    pub columns: i64,
    pub upper: i64,
    pub transposed: i64,
    pub unit: i64,
}

#[repr(C)]
pub struct Lu {
    pub batch: i64,
    pub dtype: i64,
    pub rows: i64,
    pub columns: i64,
    pub pivoting: i64,
}

#[repr(C)]
pub struct LuSolve {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
    pub columns: i64,
    pub transposed: i64,
}

#[repr(C)]
pub struct Permutation {
    pub batch: i64,
    pub dtype: i64,
    pub rows: i64,
    pub pivots: i64,
}

#[repr(C)]
pub struct Qr {
    pub batch: i64,
    pub dtype: i64,
    pub rows: i64,
    pub columns: i64,
}

#[repr(C)]
pub struct Reflect {
    pub batch: i64,
    pub dtype: i64,
    pub rows: i64,
    pub stored: i64,
    pub reflections: i64,
    pub columns: i64,
    pub transposed: i64,
}

#[repr(C)]
pub struct Svd {
    pub batch: i64,
    pub dtype: i64,
    pub rows: i64,
    pub columns: i64,
    pub full: i64,
}

#[repr(C)]
pub struct SingularValues {
    pub batch: i64,
    pub dtype: i64,
    pub rows: i64,
    pub columns: i64,
}

#[repr(C)]
pub struct Eigh {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
    pub upper: i64,
}

#[repr(C)]
pub struct Eigenvalues {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
    pub upper: i64,
}

#[repr(C)]
pub struct Eig {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
    pub pairs: i64,
}

#[repr(C)]
pub struct GeneralEigenvalues {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
    pub pairs: i64,
}

#[repr(C)]
pub struct Ldl {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
}

#[repr(C)]
pub struct LdlSolve {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
    pub columns: i64,
}

#[repr(C)]
pub struct ReflectGradient {
    pub batch: i64,
    pub dtype: i64,
    pub rows: i64,
    pub stored: i64,
    pub reflections: i64,
    pub columns: i64,
    pub transposed: i64,
}

#[repr(C)]
pub struct Exponential {
    pub batch: i64,
    pub dtype: i64,
    pub n: i64,
}

#[repr(C)]
pub struct Fourier {
    pub batch: i64,
    pub dtype: i64,
    pub outer: i64,
    pub n: i64,
    pub inner: i64,
    pub outers: i64,
    pub columns: i64,
    pub kind: i64,
    pub normalization: i64,
}
