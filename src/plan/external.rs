//! Steps that something else than a generated kernel does: a routine of a library, with typed attributes, operands and a
//! workspace.
//!
//! `routines!` declares each routine once: a struct of its attributes and the list of its operands. A plan holds an attribute as a
//! scalar. The executor reads the values as the C struct that `declarations` prints, and finds library, operands and attributes of
//! every routine in one table (`declarations`), so that only the file that calls a library knows what its routines do. Another library, or
//! functions of a host's, are rows here and such a file.
//!
//! Invariants: attributes are 64-bit integers, floats their bits as float64; an operand that a routine does without repeats the
//! one that it writes.
//!
//! Deliberately absent: what libraries can do, which the scheduler knows, and files, which the executor opens.

use super::host::HostCall;

/// A library with routines, which is opened when the first program that needs it is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Library {
    Cublaslt,
    Cudnn,
    Cufft,
    /// Does routines of Litz's own second library on a GPU ([`Routine::on_device`]), and has none of its own.
    Cusolver,
    /// Litz's own second library. In a program on a GPU its routines run on the host, unless another library does them on the device.
    Linalg,
    /// Functions of a host's, on either.
    Host,
}

impl Library {
    pub const ALL: [Library; 6] = [
        Library::Cublaslt,
        Library::Cudnn,
        Library::Cufft,
        Library::Cusolver,
        Library::Linalg,
        Library::Host,
    ];

    /// As its users know it.
    pub fn name(self) -> &'static str {
        match self {
            Library::Cublaslt => "cuBLASLt",
            Library::Cudnn => "cuDNN",
            Library::Cufft => "cuFFT",
            Library::Cusolver => "cuSOLVER",
            Library::Linalg => "liblitz_linalg",
            Library::Host => "the host",
        }
    }
}

/// What a library may apply to the result of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    None,
    Relu,
    GeluTanh,
}

impl Activation {
    pub(super) const ALL: [Activation; 3] = [Activation::None, Activation::Relu, Activation::GeluTanh];
}

/// A matrix for each element of a batch, in a buffer: the offset of the first, their distance, and the stride of rows, or of
/// columns where neighbours are `turned`; in elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix<T> {
    pub offset: T,
    pub batch_stride: T,
    pub stride: T,
    pub turned: T,
}

/// Attributes as a list of values, in the order of the C struct.
trait Field<T>: Sized {
    /// The type, and what stands behind the name, in C.
    const C: (&'static str, &'static str);
    fn give<'a>(&'a self, to: &mut Vec<&'a T>);
    fn take(from: &mut dyn Iterator<Item = T>) -> Option<Self>;
}

impl<T> Field<T> for T {
    const C: (&'static str, &'static str) = ("int64_t", "");
    fn give<'a>(&'a self, to: &mut Vec<&'a T>) {
        to.push(self);
    }
    fn take(from: &mut dyn Iterator<Item = T>) -> Option<T> {
        from.next()
    }
}

impl<T, const N: usize> Field<T> for [T; N] {
    const C: (&'static str, &'static str) = ("int64_t", ["[0]", "[1]", "[2]", "[3]", "[4]"][N]);
    fn give<'a>(&'a self, to: &mut Vec<&'a T>) {
        to.extend(self);
    }
    fn take(from: &mut dyn Iterator<Item = T>) -> Option<[T; N]> {
        from.take(N).collect::<Vec<T>>().try_into().ok()
    }
}

impl<T> Field<T> for Matrix<T> {
    const C: (&'static str, &'static str) = ("lx_matrix", "");
    fn give<'a>(&'a self, to: &mut Vec<&'a T>) {
        to.extend([&self.offset, &self.batch_stride, &self.stride, &self.turned]);
    }
    fn take(from: &mut dyn Iterator<Item = T>) -> Option<Matrix<T>> {
        let [offset, batch_stride, stride, turned] = Field::take(from)?;
        Some(Matrix { offset, batch_stride, stride, turned })
    }
}

macro_rules! routines {
    ($(
        $(#[$doc:meta])*
        $routine:ident, $name:literal of $library:ident $(on $device:ident)? {
            operands: $($operand:literal)*, writes $($written:literal)*;
            $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
        }
    )*) => {
        /// What a library can be asked for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Routine {
            $($(#[$doc])* $routine,)*
            /// An operator of a host's.
            Host,
        }

        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $routine<T> {
                $($(#[$field_doc])* pub $field: $type,)*
            }
        )*

        /// The attributes of a step, each a `T`.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Attributes<T> {
            $($routine($routine<T>),)*
            Host(HostCall<T>),
        }

        impl Routine {
            pub const ALL: &[Routine] = &[$(Routine::$routine,)* Routine::Host];

            /// What it is, for `describe`: the name that a kernel for the same would have.
            pub fn kind(self) -> &'static str {
                match self {
                    $(Routine::$routine => $name,)*
                    Routine::Host => "host",
                }
            }
            pub fn library(self) -> Library {
                match self {
                    $(Routine::$routine => Library::$library,)*
                    Routine::Host => Library::Host,
                }
            }
            /// Whose it is on a GPU where that library is found, with the same operands and attributes, and as far as its sizes suit it. `None`:
            /// its own library's alone.
            pub fn on_device(self) -> Option<Library> {
                match self {
                    $($(Routine::$routine => Some(Library::$device),)?)*
                    _ => None,
                }
            }
            /// The names of its operands; a call of a host's says itself how many it has.
            pub(super) fn operands(self) -> &'static [&'static str] {
                match self {
                    $(Routine::$routine => &[$($operand),*],)*
                    Routine::Host => &[],
                }
            }
            /// The operands that it writes.
            pub(super) fn written(self) -> &'static [usize] {
                match self {
                    $(Routine::$routine => &[$($written),*],)*
                    Routine::Host => &[],
                }
            }
            /// The C struct of its attributes: types, names and what stands behind them.
            pub(super) fn fields(self) -> Vec<(&'static str, &'static str, &'static str)> {
                match self {
                    $(Routine::$routine => {
                        type T = i64;
                        vec![$((<$type as Field<T>>::C.0, stringify!($field), <$type as Field<T>>::C.1)),*]
                    })*
                    Routine::Host => Vec::new(),
                }
            }
        }

        impl<T> Attributes<T> {
            pub fn routine(&self) -> Routine {
                match self {
                    $(Attributes::$routine(_) => Routine::$routine,)*
                    Attributes::Host(_) => Routine::Host,
                }
            }
            pub fn values(&self) -> Vec<&T> {
                let mut values = Vec::new();
                match self {
                    $(Attributes::$routine(a) => { $(Field::<T>::give(&a.$field, &mut values);)* })*
                    Attributes::Host(call) => values.extend(&call.values),
                }
                values
            }
            /// The attributes of a routine from all their values, and the words of a host's call; `None`: it has more or fewer.
            pub fn from_values(routine: Routine, values: Vec<T>, words: Vec<u32>) -> Option<Attributes<T>> {
                let mut values = values.into_iter();
                let attributes = match routine {
                    $(Routine::$routine => Attributes::$routine($routine {
                        $($field: Field::<T>::take(&mut values)?,)*
                    }),)*
                    Routine::Host => return Some(Attributes::Host(HostCall { words, values: values.collect() })),
                };
                values.next().is_none().then_some(attributes)
            }
        }
    };
}

routines! {
    /// `result[batch, row, column] = activation(alpha * sum over k of left[batch, row, k] * right[batch, column, k]
    /// + bias[column] + beta * addend[batch, row, column])`
    Product, "gemm" of Cublaslt {
        operands: "left" "right" "result" "bias" "addend", writes 2;
        /// Of the operands; the other is that of result, bias and addend.
        dtype: T,
        result_dtype: T,
        /// Whether float32 may be rounded to TF32.
        tf32: T,
        /// An [`Activation`].
        activation: T,
        has_bias: T,
        has_addend: T,
        alpha: T,
        beta: T,
        batch: T,
        rows: T,
        columns: T,
        depth: T,
        /// Of the operands, rows have their neighbours along the depth, or along the rows where they are turned.
        left: Matrix<T>,
        right: Matrix<T>,
        result: Matrix<T>,
        addend: Matrix<T>,
        /// The offset of the bias.
        bias: T,
    }
    /// `result[image, filter, y, x] = sum over channel, i, j of input[image, group's channel, y * stride - padding + i * dilation, …]
    /// * weight[filter, channel, i, j]`, all contiguous, from offsets in elements on.
    Convolution, "convolution" of Cudnn {
        operands: "input" "weight" "result", writes 2;
        dtype: T,
        /// Whether float32 may be rounded to TF32.
        tf32: T,
        /// Whether all three have their channels last in memory; sizes are in the order above.
        last: T,
        groups: T,
        /// Vertical, horizontal.
        stride: [T; 2],
        padding: [T; 2],
        dilation: [T; 2],
        /// Images, channels, height, width.
        input_sizes: [T; 4],
        /// Filters, channels of a group, height, width.
        weight_sizes: [T; 4],
        /// Offsets.
        input: T,
        weight: T,
        result: T,
    }
    // Of the second library: operands are contiguous, the batch first, matrices row by row. Where the dtype is complex, matrices are pairs
    // of real and imaginary part in a last dimension of 2, and singular values and those of Hermitian matrices are real.

    /// `matrix = factor * factor^T` with a lower triangle, or the transposed of it. `info` is the order of the first minor that
    /// is not positive definite, or 0.
    Cholesky, "cholesky" of Linalg on Cusolver {
        operands: "matrix" "factor" "info", writes 1 2;
        batch: T,
        dtype: T,
        n: T,
        upper: T,
    }
    /// `op(matrix) * result = right`
    TriangularSolve, "triangular_solve" of Linalg on Cusolver {
        operands: "matrix" "right" "result", writes 2;
        batch: T,
        dtype: T,
        n: T,
        columns: T,
        upper: T,
        transposed: T,
        /// Whether the diagonal is taken to be 1.
        unit: T,
    }
    /// LAPACK's `getrf`: pivots and `info` count from 1. Without `pivoting` each row is its own pivot.
    Lu, "lu" of Linalg on Cusolver {
        operands: "matrix" "factors" "pivots" "info", writes 1 2 3;
        batch: T,
        dtype: T,
        rows: T,
        columns: T,
        pivoting: T,
    }
    /// `A * result = right` by the factors and pivots of `A`; with `transposed` 1 the transposed `A`, 2 the conjugated one, 3 both.
    LuSolve, "lu_solve" of Linalg on Cusolver {
        operands: "factors" "pivots" "right" "result", writes 3;
        batch: T,
        dtype: T,
        n: T,
        columns: T,
        transposed: T,
    }
    /// The row of `A` that each row of `L * U` is, from pivots.
    Permutation, "permutation" of Linalg {
        operands: "pivots" "order", writes 1;
        batch: T,
        dtype: T,
        rows: T,
        /// How many.
        pivots: T,
    }
    /// LAPACK's `geqrf`.
    Qr, "qr" of Linalg on Cusolver {
        operands: "matrix" "factors" "tau", writes 1 2;
        batch: T,
        dtype: T,
        rows: T,
        columns: T,
    }
    /// `result = op(Q) * other`, with `transposed` 1 the adjoint `Q`, 2 the conjugated one, 3 both, and with `Q` the product of the reflections in the first columns of the factors of `qr`.
    Reflect, "reflect" of Linalg on Cusolver {
        operands: "factors" "tau" "other" "result", writes 3;
        batch: T,
        dtype: T,
        rows: T,
        /// Columns of the factors.
        stored: T,
        reflections: T,
        /// Of `other`.
        columns: T,
        transposed: T,
    }
    /// `matrix = left * diag(values) * right`, with all vectors or those of values alone.
    Svd, "svd" of Linalg on Cusolver {
        operands: "matrix" "left" "values" "right", writes 1 2 3;
        batch: T,
        dtype: T,
        rows: T,
        columns: T,
        full: T,
    }
    SingularValues, "singular_values" of Linalg on Cusolver {
        operands: "matrix" "values", writes 1;
        batch: T,
        dtype: T,
        rows: T,
        columns: T,
    }
    /// `matrix = vectors * diag(values) * vectors^T` of a symmetric matrix, of which one triangle is read.
    Eigh, "eigh" of Linalg on Cusolver {
        operands: "matrix" "values" "vectors", writes 1 2;
        batch: T,
        dtype: T,
        n: T,
        upper: T,
    }
    Eigenvalues, "eigenvalues" of Linalg on Cusolver {
        operands: "matrix" "values", writes 1;
        batch: T,
        dtype: T,
        n: T,
        upper: T,
    }
    /// `matrix * vectors = vectors * diag(values)` of a matrix of numbers, or of `pairs` of real and imaginary parts in a last
    /// dimension of 2. Values and vectors are pairs. Vectors have length 1, and the largest element of a complex one is real.
    Eig, "eig" of Linalg {
        operands: "matrix" "values" "vectors", writes 1 2;
        batch: T,
        dtype: T,
        n: T,
        pairs: T,
    }
    GeneralEigenvalues, "general_eigenvalues" of Linalg {
        operands: "matrix" "values", writes 1;
        batch: T,
        dtype: T,
        n: T,
        pairs: T,
    }
    /// LAPACK's `sytrf` of a symmetric matrix's lower triangle: factors of Bunch and Kaufman, pivots that are negative for blocks of 2.
    Ldl, "ldl" of Linalg {
        operands: "matrix" "factors" "pivots" "info", writes 1 2 3;
        batch: T,
        dtype: T,
        n: T,
    }
    /// `A * result = right` by the factors and pivots of `ldl`.
    LdlSolve, "ldl_solve" of Linalg {
        operands: "factors" "pivots" "right" "result", writes 3;
        batch: T,
        dtype: T,
        n: T,
        columns: T,
    }
    /// Gradients of `reflect` by its factors and by tau, from that of its result.
    ReflectGradient, "reflect_gradient" of Linalg {
        operands: "factors" "tau" "other" "grad" "by_factors" "by_tau", writes 4 5;
        batch: T,
        dtype: T,
        rows: T,
        stored: T,
        reflections: T,
        columns: T,
        transposed: T,
    }
    Exponential, "matrix_exponential" of Linalg {
        operands: "matrix" "result", writes 1;
        batch: T,
        dtype: T,
        n: T,
    }
    /// Discrete Fourier transforms along the second of three dimensions `[outer, n, inner]`: of complex numbers with
    /// `exp(-2 pi i j k / n)` (kind 0) or `exp(2 pi i j k / n)` (1), of real numbers to half of their spectrum (2), and from that half
    /// to `n` real numbers (3). Results are divided by nothing, by the root of `n`, or by `n` (normalization 0, 1 and 2).
    Fourier, "fourier" of Linalg {
        operands: "input" "result", writes 1;
        /// Blocks of lines: `outers` outer places, and `columns` inner ones of each.
        batch: T,
        dtype: T,
        outer: T,
        n: T,
        inner: T,
        outers: T,
        columns: T,
        kind: T,
        normalization: T,
    }
    /// The same by a GPU's library, without blocks of lines and without normalization.
    Transform, "cufft" of Cufft {
        operands: "input" "result", writes 1;
        dtype: T,
        outer: T,
        n: T,
        inner: T,
        kind: T,
    }
}

/// Bytes that a routine may work in beside its operands: what NVIDIA advises for GPUs of today.
pub const WORKSPACE: i64 = 32 << 20;

impl<T> Attributes<T> {
    /// The same with each attribute mapped.
    pub fn try_map<U, E>(&self, f: impl FnMut(&T) -> Result<U, E>) -> Result<Attributes<U>, E> {
        let values = self.values().into_iter().map(f).collect::<Result<Vec<U>, E>>()?;
        let words = self.words().to_vec();
        Ok(Attributes::from_values(self.routine(), values, words).expect("a routine has as many attributes"))
    }
    /// Who does it, as users know them: the library, or the operator of a host's.
    pub fn name(&self) -> String {
        match self {
            Attributes::Host(call) => call.name().unwrap_or_default(),
            other => other.routine().library().name().to_string(),
        }
    }
    /// What a host's call says beside its numbers.
    pub fn words(&self) -> &[u32] {
        if let Attributes::Host(call) = self { &call.words } else { &[] }
    }
    pub fn operand_count(&self) -> usize {
        match self {
            Attributes::Host(call) => {
                let (read, written) = call.operand_counts();
                read.saturating_add(written)
            }
            other => other.routine().operands().len(),
        }
    }
    /// The operands that it writes, of as many as it has.
    pub fn written(&self) -> Vec<usize> {
        match self {
            Attributes::Host(call) => {
                let (read, written) = call.operand_counts();
                (read..read.saturating_add(written)).collect()
            }
            other => other.routine().written().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_their_values() {
        for routine in Routine::ALL.iter().filter(|r| **r != Routine::Host) {
            let from_values = |values| Attributes::<i64>::from_values(*routine, values, Vec::new());
            let count = routine.fields().into_iter().map(|(c, _, behind)| match (c, behind) {
                ("lx_matrix", _) => 4,
                (_, "") => 1,
                (_, n) => n.trim_matches(['[', ']']).parse::<i64>().unwrap(),
            });
            let values: Vec<i64> = (0..count.sum()).collect();
            let attributes = from_values(values.clone()).unwrap();
            assert_eq!(attributes.values().into_iter().copied().collect::<Vec<_>>(), values);
            assert_eq!(from_values(values[1..].to_vec()), None);
            assert_eq!(from_values([&values[..], &[0]].concat()), None);
        }
    }
}
