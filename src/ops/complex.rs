//! Which operators take complex numbers, and how.
//!
//! Kernels know no complex numbers: `decompose::complex` rewrites each operator on them into operators on their real and their
//! imaginary parts, before anything else looks at a functional graph. This table says which rule it takes.
//!
//! Invariants: an operator that is not named here is refused where a complex number is among its arguments; an operator with
//! [`Complex::Rule`] has a rule there (a test sees to it); one with [`Complex::Composite`] is defined by a decomposition that holds for
//! complex numbers as it stands.
//!
//! Deliberately absent: the rules; Bunch and Kaufman's factors and least squares of complex numbers.

use super::{Class, OpId};

/// How an operator takes complex numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complex {
    Refused,
    /// It moves, joins or adds elements, so that it is applied to real and imaginary parts by itself.
    Parts,
    /// By a rule of its own.
    Rule,
    /// As its decomposition does.
    Composite,
    /// On whole numbers, as they lie in memory: by a routine, or as a decomposition does once derivatives are taken.
    Whole,
}

impl OpId {
    /// How the operator takes complex numbers.
    pub fn complex(self) -> Complex {
        use OpId::*;
        match self {
            // Views that complex numbers alone have, and what looks at storage.
            ViewAsReal
            | ViewAsComplex
            | ViewAsRealCopy
            | ViewAsComplexCopy
            | Real
            | Imag
            | Conj
            | UnderscoreConj
            | ConjPhysical
            | UnderscoreConjPhysical
            | ConjCopy
            | NegView
            | NegViewCopy
            | AsStrided
            | AsStridedCopy
            | AsStridedScatter
            | MH
            | Adjoint
            | MatrixH
            | ViewDtype
            | ViewCopyDtype => Complex::Rule,
            op if op.class() == Class::View => Complex::Parts,
            op if op.is_real_of_complex() => Complex::Rule,
            Cond | WhileLoop => Complex::Rule,

            // Element by element.
            Neg | Negative | Positive | WhereSelf | WhereScalar | WhereScalarOther | WhereScalarSelf
            | MaskedFillScalar | MaskedFillTensor | FillScalar | FillTensor | Zero => Complex::Parts,
            AddTensor
            | AddScalar
            | SubTensor
            | SubScalar
            | SubtractTensor
            | SubtractScalar
            | RsubTensor
            | RsubScalar
            | MulTensor
            | MulScalar
            | MultiplyTensor
            | MultiplyScalar
            | DivTensor
            | DivScalar
            | DivideTensor
            | DivideScalar
            | TrueDivideTensor
            | TrueDivideScalar
            | DivTensorMode
            | DivScalarMode
            | PowTensorTensor
            | PowScalar
            | PowTensorScalar
            | FloatPowerTensorTensor
            | FloatPowerTensorScalar
            | FloatPowerScalar
            | Sgn
            | Square
            | Exp
            | Exp2
            | Expm1
            | Log
            | Log2
            | Log10
            | Log1p
            | Sin
            | Cos
            | Tan
            | Asin
            | Arcsin
            | Acos
            | Arccos
            | Atan
            | Arctan
            | Sinh
            | Cosh
            | Tanh
            | Asinh
            | Arcsinh
            | Acosh
            | Arccosh
            | Atanh
            | Arctanh
            | Sqrt
            | Rsqrt
            | Reciprocal
            | Sigmoid
            | Silu
            | Sinc
            | EqTensor
            | EqScalar
            | NeTensor
            | NeScalar
            | NotEqualTensor
            | NotEqualScalar
            | Isclose
            | Isnan
            | Isinf
            | Isfinite
            | Isreal
            | LogicalNot
            | LogicalAnd
            | LogicalOr
            | LogicalXor
            | Addcmul
            | Addcdiv
            | LerpScalar
            | LerpTensor
            | NanToNum
            | ToDtype
            | ToDevice
            | ToDtypeLayout
            | ToOther
            | ToCopy
            | TypeAs
            | Clone
            | Contiguous
            | Copy
            | PrimsConvertElementType
            | ComplexDefault
            | Polar => Complex::Rule,

            // Over dimensions.
            Sum | SumDimIntList | Mean | MeanDim | SumToSize | Cumsum => Complex::Parts,
            Prod
            | ProdDimInt
            | Cumprod
            | Any
            | AnyDim
            | AnyDims
            | All
            | AllDim
            | AllDims
            | CountNonzero
            | CountNonzeroDimIntList
            | Logsumexp
            | Nansum
            | NonzeroStatic => Complex::Rule,

            // Factories; a one is one in its real part alone.
            Zeros | EmptyMemoryFormat | Full | ScalarTensor | NewZeros | NewEmpty | NewFull | ZerosLike
            | EmptyLike | FullLike | EmptyStrided | NewEmptyStrided | EmptyPermuted | Linspace
            | LinspaceTensorTensor | LinspaceTensorScalar | LinspaceScalarTensor | Tril | Triu => {
                Complex::Parts
            }
            Ones | NewOnes | OnesLike | Eye | EyeM => Complex::Rule,

            // What moves and joins elements.
            BroadcastTensors
            | Atleast1dSequence
            | Atleast2dSequence
            | Atleast3dSequence
            | AliasCopy
            | DetachCopy
            | LiftFreshCopy
            | ViewCopy
            | ReshapeCopy
            | PermuteCopy
            | TransposeCopyInt
            | TCopy
            | ExpandCopy
            | UnsqueezeCopy
            | SqueezeCopy
            | SqueezeCopyDim
            | SqueezeCopyDims
            | SliceCopyTensor
            | NarrowCopy
            | SelectCopyInt
            | SplitCopyTensor
            | SplitWithSizesCopy
            | UnbindCopyInt
            | DiagonalCopy
            | Cat
            | Concat
            | Concatenate
            | Stack
            | Hstack
            | Vstack
            | RowStack
            | Dstack
            | ColumnStack
            | Meshgrid
            | MeshgridIndexing
            | BlockDiag
            | CartesianProd
            | Combinations
            | Pad
            | ConstantPadNd
            | ReflectionPad1d
            | ReflectionPad2d
            | ReflectionPad3d
            | ReplicationPad1d
            | ReplicationPad2d
            | ReplicationPad3d
            | Flip
            | Fliplr
            | Flipud
            | Roll
            | FftFftshift
            | FftIfftshift
            | Repeat
            | Tile
            | RepeatInterleaveSelfInt
            | Rot90
            | Diag
            | Diagflat
            | DiagEmbed
            | PixelShuffle
            | PixelUnshuffle
            | ChannelShuffle
            | NativeChannelShuffle
            | SliceScatter
            | SelectScatter
            | DiagonalScatter
            | Im2col
            | Col2im
            | UnfoldBackward
            | UnfoldCopy
            | Diff => Complex::Parts,
            ChunkCat | L1Loss => Complex::Composite,
            // Others when they are added to a graph.
            Nonzero
            | Argwhere
            | NonzeroNumpy
            | WhereDefault
            | MaskedSelect
            | RepeatInterleaveTensor
            | RepeatInterleaveSelfTensor
            | TensorSplitTensor => Complex::Composite,
            // Functionalization draws their parts.
            Rand | RandGenerator | RandLike | RandLikeGenerator | Randn | RandnGenerator | RandnLike
            | RandnLikeGenerator | NormalFunctional => Complex::Composite,

            // By indices.
            Embedding | IndexTensor | UnsafeIndexTensor | UnsafeMaskedIndex | UnsafeMaskedIndexPut
            | IndexPut | UnsafeIndexPut | Gather | TakeAlongDim | IndexSelect | ScatterSrc | ScatterValue
            | ScatterAdd | IndexCopy | IndexAdd | IndexFillIntScalar | IndexFillIntTensor | Take | Put
            | MaskedScatter => Complex::Parts,

            // Products.
            Mm | Bmm | Matmul | LinalgMatmul | Mv | Dot | Vdot | Linear | Addmm | Baddbmm | Addmv | Addr
            | LinalgVecdot => Complex::Rule,
            TrapezoidX
            | TrapezoidDx
            | TrapzX
            | TrapzDx
            | CumulativeTrapezoidX
            | CumulativeTrapezoidDx
            | GradientScalarint
            | GradientScalararray
            | GradientArray
            | GradientScalarrayint
            | GradientScalarrayarray
            | GradientTensorarrayint
            | GradientTensorarray
            | Outer
            | Ger
            | Kron
            | Tensordot
            | Inner
            | Cross
            | LinalgCross
            | Trace
            | Addbmm
            | LinalgMultiDot
            | ChainMatmul
            | MatrixPower
            | LinalgMatrixPower
            | Einsum
            | LinalgVander
            | Bilinear
            | Trilinear => Complex::Composite,
            FftC2c | FftR2c | FftC2r => Complex::Rule,
            LinalgEig | LinalgEigvals | UnderscoreLinalgEigvals => Complex::Rule,
            LinalgMatrixExp => Complex::Rule,
            LinalgCholeskyEx
            | LinalgSolveTriangular
            | LinalgLuFactorEx
            | LinalgLuSolve
            | Geqrf
            | LinalgHouseholderProduct
            | Ormqr
            | LinalgSvdParts
            | LinalgEighParts
            | LinalgQr => Complex::Whole,
            LinalgCholesky
            | Cholesky
            | CholeskySolve
            | CholeskyInverse
            | LinalgLuFactor
            | LuWithInfo
            | LinalgLu
            | LuUnpack
            | LuSolve
            | LinalgSolveParts
            | LinalgSolveEx
            | LinalgSolve
            | TriangularSolve
            | LinalgInvEx
            | LinalgInv
            | Inverse
            | LinalgDetParts
            | LinalgDet
            | Det
            | LinalgSlogdetParts
            | LinalgSlogdet
            | Slogdet
            | Logdet
            | Qr
            | Orgqr
            | LinalgSvd
            | LinalgSvdvals
            | Svd
            | LinalgEigh
            | LinalgEigvalsh
            | MatrixExp
            | LinalgMatrixRank
            | LinalgMatrixRankTolTensor
            | LinalgMatrixRankTensor
            | LinalgMatrixRankFloat
            | LinalgPinv
            | LinalgPinvRcondTensor
            | LinalgPinvTensor
            | LinalgPinvFloat
            | Pinverse
            | LinalgCond
            | LinalgCondStr
            | LinalgTensorinv
            | LinalgTensorsolve
            | LinalgPolar
            | LinalgMatrixSqrth => Complex::Composite,
            Conv1d | Conv1dPadding | Conv2d | Conv2dPadding | Conv3d | Conv3dPadding | ConvTranspose1d
            | ConvTranspose2d | ConvTranspose3d => Complex::Rule,
            op if op.class() == Class::Spectral => Complex::Composite,
            _ => Complex::Refused,
        }
    }

    /// Whether the results for complex numbers are real: absolute values and what is made of them.
    pub fn is_real_of_complex(self) -> bool {
        use OpId::*;
        matches!(
            self,
            Abs | Absolute
                | Angle
                | Var
                | VarDim
                | VarCorrection
                | Std
                | StdDim
                | StdCorrection
                | LinalgVectorNorm
                | NormScalar
                | NormScalarOptDim
                | NormScalarOptDimDtype
                | NormScalarOptDtype
                | LinalgNorm
                | LinalgNormOrdStr
                | LinalgMatrixNorm
                | LinalgMatrixNormStrOrd
                | FrobeniusNormDim
                | Dist
                | VarMean
                | VarMeanDim
                | VarMeanCorrection
                | StdMean
                | StdMeanDim
                | StdMeanCorrection
        )
    }
}
