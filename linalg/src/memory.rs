//! Operands, workspace and statuses of routines.

use faer::dyn_stack::{MemBuffer, StackReq};
use faer::traits::ComplexField;
use faer::{MatMut, MatRef};
use rustfft::num_complex::Complex;
use std::ffi::{CStr, c_void};
use std::ops::{Add, Mul, Range, Sub};

/// What matrices are made of, real or complex, by its number in plans.
pub trait Field: ComplexField + Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A number without its imaginary part.
    type Part: Copy;
    const DTYPE: i64;
    const ZERO: Self;
    const ONE: Self;
    fn from_parts(re: f64, im: f64) -> Self;
    /// Real and imaginary part.
    fn parts(self) -> (f64, f64);
    fn part(self) -> Self::Part;
    fn over(self, divisor: Self) -> Self;
    fn conjugate(self) -> Self;
    /// The size that LAPACK chooses pivots by.
    fn size(self) -> f64 {
        let (re, im) = self.parts();
        re.abs() + im.abs()
    }
}

/// A real type that routines compute in.
pub trait Element: Field<Part = Self> + faer::traits::RealField {
    fn magnitude(self) -> Self;
    fn to_f64(self) -> f64;
    fn from_f64(value: f64) -> Self;
}
macro_rules! element {
    ($type:ident $dtype:literal $complex:literal) => {
        impl Field for $type {
            type Part = $type;
            const DTYPE: i64 = $dtype;
            const ZERO: $type = 0.0;
            const ONE: $type = 1.0;
            fn from_parts(re: f64, _: f64) -> $type {
                re as $type
            }
            fn parts(self) -> (f64, f64) {
                (self.into(), 0.0)
            }
            fn part(self) -> $type {
                self
            }
            fn over(self, divisor: $type) -> $type {
                self / divisor
            }
            fn conjugate(self) -> $type {
                self
            }
        }
        impl Field for Complex<$type> {
            type Part = $type;
            const DTYPE: i64 = $complex;
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            fn from_parts(re: f64, im: f64) -> Self {
                Complex { re: re as $type, im: im as $type }
            }
            fn parts(self) -> (f64, f64) {
                (self.re.into(), self.im.into())
            }
            fn part(self) -> $type {
                self.re
            }
            fn over(self, divisor: Self) -> Self {
                self / divisor
            }
            fn conjugate(self) -> Self {
                Complex { im: -self.im, ..self }
            }
        }
        impl Element for $type {
            fn magnitude(self) -> $type {
                self.abs()
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn from_f64(value: f64) -> $type {
                value as $type
            }
        }
    };
}
element!(f32 7 10);
element!(f64 8 11);

/// Why a routine gave up. A routine with a result for its success says so there instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    Memory = 1,
    Panic,
    Dtype,
    NotFinite,
    NoConvergence,
    Pivot,
}

impl Failure {
    const ALL: [Failure; 6] = [
        Failure::Memory,
        Failure::Panic,
        Failure::Dtype,
        Failure::NotFinite,
        Failure::NoConvergence,
        Failure::Pivot,
    ];
    pub fn message(status: i32) -> &'static CStr {
        match Failure::ALL.into_iter().find(|f| *f as i32 == status) {
            Some(Failure::Memory) => c"there is no memory for the workspace",
            Some(Failure::Panic) => c"a defect of the library ended the call",
            Some(Failure::Dtype) => c"the dtype is not among those that the library computes in",
            Some(Failure::NotFinite) => {
                c"the algorithm failed to converge because the input matrix contained non-finite values"
            }
            Some(Failure::NoConvergence) => {
                c"the algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated values"
            }
            Some(Failure::Pivot) => c"a pivot is not from 1 to the number of rows",
            None => c"the status is unknown",
        }
    }
}

pub type Outcome = Result<(), Failure>;

/// The wall around a routine.
pub fn enter(body: impl FnOnce() -> Outcome) -> i32 {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
    match outcome.unwrap_or(Err(Failure::Panic)) {
        Ok(()) => 0,
        Err(failure) => failure as i32,
    }
}

/// The memory of a call.
pub struct Operands {
    memory: *const *mut c_void,
    items: Range<usize>,
}

/// The part of the operands that belongs to one element of the batch.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    operands: &'a Operands,
    at: usize,
}

impl Operands {
    /// # Safety
    /// The operands are alive for as long as the value is, and are as large as the routine's attributes say.
    pub unsafe fn new(memory: *const *mut c_void, items: Range<usize>) -> Operands {
        Operands { memory, items }
    }
    pub fn each(&self, mut body: impl FnMut(Item<'_>) -> Outcome) -> Outcome {
        self.items.clone().try_for_each(|at| body(Item { operands: self, at }))
    }
}

impl<'a> Item<'a> {
    /// Its place in the batch.
    pub fn place(self) -> usize {
        self.at
    }
    /// Some values of an operand, where elements of the batch differ in how many they have.
    pub fn read_at<T>(self, operand: usize, from: usize, values: usize) -> &'a [T] {
        if values == 0 {
            return &[];
        }
        // SAFETY: `Operands::new`'s; nobody writes to what is read.
        unsafe {
            let base = (*self.operands.memory.add(operand)).cast::<T>();
            std::slice::from_raw_parts(base.add(from), values)
        }
    }
    /// The same of a result; an element of the batch takes its own values alone, and none of them twice at a time.
    #[allow(clippy::mut_from_ref)]
    pub fn write_at<T>(self, operand: usize, from: usize, values: usize) -> &'a mut [T] {
        if values == 0 {
            return &mut [];
        }
        // SAFETY: `Operands::new`'s; the elements of results are apart, and each is taken once.
        unsafe {
            let base = (*self.operands.memory.add(operand)).cast::<T>();
            std::slice::from_raw_parts_mut(base.add(from), values)
        }
    }
    /// This element's part of an operand that has so many values for each.
    pub fn read<T>(self, operand: usize, values: usize) -> &'a [T] {
        self.read_at(operand, self.at * values, values)
    }
    /// The same of a result; each result of an element is taken once.
    #[allow(clippy::mut_from_ref)]
    pub fn write<T>(self, operand: usize, values: usize) -> &'a mut [T] {
        self.write_at(operand, self.at * values, values)
    }
}

/// So many of a value.
pub fn filled<T: Copy>(value: T, count: usize) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    all.try_reserve_exact(count).map_err(|_| Failure::Memory)?;
    all.resize(count, value);
    Ok(all)
}

/// Workspace of a size that faer asks for.
pub fn scratch(request: StackReq) -> Result<MemBuffer, Failure> {
    MemBuffer::try_new(request).map_err(|_| Failure::Memory)
}

/// A matrix of its own, column by column, as the algorithms like it best.
pub struct Work<T> {
    values: Vec<T>,
    rows: usize,
    columns: usize,
}

impl<T: Field> Work<T> {
    pub fn zeros(rows: usize, columns: usize) -> Result<Work<T>, Failure> {
        Ok(Work { values: filled(T::ZERO, rows * columns)?, rows, columns })
    }
    pub fn identity(n: usize) -> Result<Work<T>, Failure> {
        let mut work = Work::zeros(n, n)?;
        (0..n).for_each(|k| work.values[k * n + k] = T::ONE);
        Ok(work)
    }
    /// From values row by row.
    pub fn of(values: &[T], rows: usize, columns: usize) -> Result<Work<T>, Failure> {
        let mut work = Work::zeros(rows, columns)?;
        for (i, row) in values.chunks_exact(columns.max(1)).enumerate() {
            row.iter().enumerate().for_each(|(j, v)| work.values[j * rows + i] = *v);
        }
        Ok(work)
    }
    /// Puts its values into memory row by row.
    pub fn give(&self, to: &mut [T]) {
        for (i, row) in to.chunks_exact_mut(self.columns.max(1)).enumerate() {
            row.iter_mut().enumerate().for_each(|(j, v)| *v = self.values[j * self.rows + i]);
        }
    }
    pub fn at(&self, row: usize, column: usize) -> T {
        self.values[column * self.rows + row]
    }
    /// Column by column.
    pub fn values(&self) -> &[T] {
        &self.values
    }
    pub fn view(&self) -> MatRef<'_, T> {
        MatRef::from_column_major_slice(&self.values, self.rows, self.columns)
    }
    pub fn view_mut(&mut self) -> MatMut<'_, T> {
        MatMut::from_column_major_slice_mut(&mut self.values, self.rows, self.columns)
    }
}

pub fn is_finite<T: Field>(values: &[T]) -> bool {
    values.iter().all(|v| v.size().is_finite())
}

pub fn conjugate<T: Field>(values: &mut [T]) {
    values.iter_mut().for_each(|v| *v = v.conjugate());
}
