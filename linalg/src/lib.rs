//! `liblitz_linalg.so.0`: factorisations of matrices and Fourier transforms for the steps of programs, opened by the executor when
//! a program that needs it is created. It is a library of its own so that `liblitz.so` stays small.
//!
//! Each routine is one C function: `int32_t litz_linalg_<routine>(const int64_t *attributes, void *const *operands, int64_t
//! begin, int64_t end)`. It does the elements `begin..end` of the batch. `routines.rs` and the executor's `routines.h` are
//! written from one declaration, `src/plan/external.rs`. Operands are contiguous, the batch first, matrices row by row;
//! complex numbers are pairs of real and imaginary part.
//!
//! Invariants: a routine writes only its results, and only those of its elements, so that threads share a batch; a panic or a
//! shortage of memory is a status; plans of Fourier transforms alone are kept between calls.
//!
//! Deliberately absent: shapes and dtypes are checked when a graph is built; threads are the executor's.

mod eigen;
mod exponential;
mod fourier;
mod general;
mod indefinite;
mod lu;
mod memory;
mod orthogonal;
mod routines;
mod triangular;
mod unitary;

use faer::{c32, c64};
use memory::{Failure, Field, Operands};
use std::ffi::{c_char, c_void};

/// The interface's number, which the executor compares with its own.
#[unsafe(no_mangle)]
pub extern "C" fn litz_linalg_version() -> u32 {
    routines::VERSION
}

/// A sentence about a status of a routine.
#[unsafe(no_mangle)]
pub extern "C" fn litz_linalg_message(status: i32) -> *const c_char {
    Failure::message(status).as_ptr()
}

/// Calls the body for each element of the batch, in the type that `dtype` names.
macro_rules! export {
    ($($name:ident: $attributes:ident => $($module:ident :: $body:ident of $($type:ident)*),+;)*) => { $(
        /// # Safety
        /// `attributes` are those of the routine, and `operands` has its operands, which are as large as they say.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            attributes: *const i64,
            operands: *const *mut c_void,
            begin: i64,
            end: i64,
        ) -> i32 {
            memory::enter(|| {
                // SAFETY: the caller's, by the declaration that both are written from.
                let attributes = unsafe { &*attributes.cast::<routines::$attributes>() };
                // SAFETY: as above.
                let operands = unsafe { Operands::new(operands, begin as usize..end as usize) };
                match attributes.dtype {
                    $($(<$type>::DTYPE => operands.each(|item| $module::$body::<$type>(attributes, item)),)*)+
                    _ => Err(Failure::Dtype),
                }
            })
        }
    )* };
}

export! {
    litz_linalg_cholesky: Cholesky => triangular::cholesky of f32 f64 c32 c64;
    litz_linalg_triangularsolve: TriangularSolve => triangular::solve of f32 f64 c32 c64;
    litz_linalg_lu: Lu => lu::factor of f32 f64 c32 c64;
    litz_linalg_lusolve: LuSolve => lu::solve of f32 f64 c32 c64;
    litz_linalg_permutation: Permutation => lu::permutation of f32 f64;
    litz_linalg_qr: Qr => orthogonal::qr of f32 f64, unitary::qr of c32 c64;
    litz_linalg_reflect: Reflect => orthogonal::reflect of f32 f64, unitary::reflect of c32 c64;
    litz_linalg_reflectgradient: ReflectGradient => orthogonal::reflect_gradient of f32 f64;
    litz_linalg_ldl: Ldl => indefinite::factor of f32 f64;
    litz_linalg_ldlsolve: LdlSolve => indefinite::solve of f32 f64;
    litz_linalg_svd: Svd => eigen::svd of f32 f64 c32 c64;
    litz_linalg_singularvalues: SingularValues => eigen::singular_values of f32 f64 c32 c64;
    litz_linalg_eigh: Eigh => eigen::eigh of f32 f64 c32 c64;
    litz_linalg_eigenvalues: Eigenvalues => eigen::eigenvalues of f32 f64 c32 c64;
    litz_linalg_eig: Eig => general::eig of f32 f64;
    litz_linalg_generaleigenvalues: GeneralEigenvalues => general::eigenvalues of f32 f64;
    litz_linalg_exponential: Exponential => exponential::exponential of f32 f64;
    litz_linalg_fourier: Fourier => fourier::transform of f32 f64;
}
