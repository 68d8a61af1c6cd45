//! Which operators take float8 numbers: those that move or convert elements, as in PyTorch.
//!
//! Invariant: an operator that computes with its operands' elements is none of them; `decompose::float8` applies those that are, or what they are composed of, to bytes.
//!
//! Deliberately absent: arithmetic, which PyTorch has none of but products, composites of conversions.

use super::{Class, OpId};

impl OpId {
    /// Moves elements, whatever they are, converts them, or is made of conversions.
    pub fn takes_float8(self) -> bool {
        use OpId::*;
        match self {
            ViewAsReal | ViewAsComplex | Real | Imag | NegView => false,
            op if op.class() == Class::View || op.class() == Class::Control => true,
            AliasCopy | DetachCopy | LiftFreshCopy | ViewCopy | ViewCopyDtype | ReshapeCopy | PermuteCopy
            | TransposeCopyInt | TCopy | ExpandCopy | UnsqueezeCopy | SqueezeCopy | SqueezeCopyDim
            | SqueezeCopyDims | SliceCopyTensor | NarrowCopy | SelectCopyInt | SplitCopyTensor
            | SplitWithSizesCopy | UnbindCopyInt | DiagonalCopy | AsStridedCopy | Cat | Concat
            | Concatenate | Stack | Hstack | Vstack | Dstack | Flip | Roll | Repeat | Tile | SliceScatter
            | SelectScatter | DiagonalScatter | AsStridedScatter | IndexTensor | IndexSelect | Gather
            | Embedding | IndexCopy | WhereSelf => true,
            ScaledMm
            | ScaledMmV2
            | QuantizePerTensor
            | QuantizePerTensorTensor
            | QuantizePerTensorTensor2
            | DequantizePerTensor
            | DequantizePerTensorTensor
            | DequantizePerTensorTensor2 => true,
            op => op.converted().is_some() || op.is_of_zeros(),
        }
    }
    /// The argument that a conversion takes its elements from.
    pub fn converted(self) -> Option<&'static str> {
        use OpId::*;
        match self {
            ToDtype | ToDevice | ToDtypeLayout | ToOther | ToCopy | TypeAs | Clone | Contiguous => {
                Some("self")
            }
            PrimsConvertElementType => Some("a"),
            ConvertElementTypeNoFuse => Some("input"),
            Copy => Some("src"),
            _ => None,
        }
    }
    /// Gives zeros, in any dtype.
    pub fn is_of_zeros(self) -> bool {
        use OpId::*;
        matches!(
            self,
            Zeros
                | EmptyMemoryFormat
                | NewZeros
                | NewEmpty
                | ZerosLike
                | EmptyLike
                | EmptyStrided
                | NewEmptyStrided
                | Zero
        )
    }
}
