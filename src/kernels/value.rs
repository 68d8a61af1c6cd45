//! Values: trees of operations over constants, locals and loads.
//!
//! Integers that are indexed with ([`IndexOp`]) and elements ([`Value::Unary`], [`Value::Binary`], …) are computed apart: the
//! former are exact where the program's ranges say so, the latter follow PyTorch's rules for their dtype. A vector's operations
//! are those of a scalar, lane by lane.

use super::LocalId;
use crate::base::Handle;
use crate::loops::{BinaryOp, ReductionOp, UnaryOp};
use crate::types::{Dtype, Scalar};

pub type ValueId = Handle<Value>;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An element of this dtype.
    Constant(Scalar, Dtype),
    /// An integer of the body's index type.
    Integer(i64),
    /// The scalar parameter at this place. It has 64 bits, which `ToWide` gives; as an index it is of the index type.
    Parameter(usize),
    Builtin(Builtin),
    Local(LocalId),
    /// The element of an array in registers.
    Element(LocalId, ValueId),
    /// Integers of the index type; comparisons give bool. `Add`, `Multiply` take any number of operands.
    Index(IndexOp, Box<[ValueId]>),
    /// An integer or a bool of the index type, where it was of another one.
    ToIndex(ValueId),
    /// An integer of 64 bits, where it was of the index type.
    ToWide(ValueId),
    /// A scalar condition.
    Not(ValueId),
    /// Operations of the loop IR, in register types. One seed serves a vector of `Philox`'s numbers.
    Unary(UnaryOp, ValueId),
    Binary(BinaryOp, ValueId, ValueId),
    /// To another register type.
    Cast(Dtype, ValueId),
    /// A float32 to the nearest value of a reduced float.
    Round(Dtype, ValueId),
    /// By lane where the condition is a mask.
    Select(ValueId, ValueId, ValueId),
    /// The scalar in every lane.
    Splat(ValueId),
    /// A vector's lanes put together.
    Fold(ReductionOp, Dtype, ValueId),
    Word(Word, Box<[ValueId]>),
    Load(Access),
}

/// What a launch gives every call or thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// The first task of a call, and the one after the last.
    Begin,
    End,
    /// Lanes of a vector.
    Lanes,
    /// A GPU's block among all blocks, and their number.
    BlockIndex,
    Blocks,
    /// A thread among those of its block.
    ThreadIndex,
    /// A block among those of its cluster.
    ClusterRank,
}

/// Operations on integers that are indexed with, and scalar conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexOp {
    Add,
    Subtract,
    Multiply,
    Negate,
    /// Of operands that are not negative.
    Divide,
    Remainder,
    /// Rounded down, and what is then left, for operands of any sign.
    FloorDivide,
    FloorRemainder,
    Min,
    Max,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    /// The second where the first holds, otherwise the third; only that one is computed.
    Choose,
}

/// Operations that the loop IR does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// 0, 1, 2, … as a vector of 64-bit integers.
    LaneIndex,
    /// The mask of the first n lanes; n may be negative or more than there are.
    FirstLanes,
    /// The same for 0 <= n <= lanes.
    TailMask,
    /// Whether a mask has a lane that is on.
    Any,
    /// A vector by one divisor, to the bit of `BinaryOp::Div`.
    DivideBy,
    /// A vector of 64-bit integers, not negative and less than 2^48, by a positive constant.
    QuotientBy,
    RestBy,
    /// A sigmoid that is only rounded to a reduced float, of x and of a x: the factor holds -log2(e), too.
    SigmoidRounded,
    SigmoidScaled,
    /// The bits of a float32 that is a half's value, as that half has them.
    BitsOfHalf,
    BitsOfBfloat,
    /// The low four bits of a 32-bit integer, less a float32 that is a constant: a float32.
    Nibble,
}

/// Elements in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub pointer: Pointer,
    /// How far the first element lies behind the pointer, in elements; of a gather, the vector of all of them.
    pub at: ValueId,
    pub shape: Shape,
}

/// Where offsets are counted from.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    pub base: Base,
    /// An offset that is taken off every offset: what is kept of a part of a space lies from its first element on.
    pub origin: Option<ValueId>,
    /// The dtype that the elements' bits are read or written as, where it is not the memory's own.
    pub bits: Option<Dtype>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// The buffer parameter at this place.
    Buffer(usize),
    /// An array or a pointer.
    Local(LocalId),
}

/// Which elements of memory an access touches. In memory, reduced floats and bools have types of their own; loads and stores
/// convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One.
    Element,
    /// One, where any lane of a mask is on; otherwise none, and the value is 0.
    ElementWhere { mask: ValueId },
    /// Neighbours, one for each lane. Where `aligned`, the first is at a multiple of the lanes.
    Vector { aligned: bool },
    /// The first so many of them; a load's other lanes are 0.
    Tail { count: ValueId },
    /// Those whose lanes are on; a load's other lanes are 0.
    Where { mask: ValueId },
    /// So many that lie `step` apart; without a count as many as there are lanes.
    Strided { step: ValueId, count: Option<ValueId> },
    /// One at each of a vector of offsets whose lane is on.
    Each { mask: ValueId },
}

impl Value {
    /// The values that it is computed from.
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            Value::Element(_, a)
            | Value::ToIndex(a)
            | Value::ToWide(a)
            | Value::Not(a)
            | Value::Unary(_, a)
            | Value::Cast(_, a)
            | Value::Round(_, a)
            | Value::Splat(a)
            | Value::Fold(_, _, a) => vec![*a],
            Value::Binary(_, a, b) => vec![*a, *b],
            Value::Select(c, a, b) => vec![*c, *a, *b],
            Value::Index(_, list) | Value::Word(_, list) => list.to_vec(),
            Value::Load(access) => access.operands(),
            Value::Constant(..)
            | Value::Integer(_)
            | Value::Parameter(_)
            | Value::Builtin(_)
            | Value::Local(_) => Vec::new(),
        }
    }
}

impl Access {
    /// The values that say where it is and which lanes it has.
    pub fn operands(&self) -> Vec<ValueId> {
        let mut found = vec![self.at];
        found.extend(self.pointer.origin);
        match self.shape {
            Shape::ElementWhere { mask } | Shape::Where { mask } | Shape::Each { mask } => found.push(mask),
            Shape::Tail { count } => found.push(count),
            Shape::Strided { step, count } => {
                found.push(step);
                found.extend(count);
            }
            Shape::Element | Shape::Vector { .. } => {}
        }
        found
    }
}

impl Pointer {
    /// The buffer parameter at this place.
    pub fn buffer(place: usize) -> Pointer {
        Pointer { base: Base::Buffer(place), origin: None, bits: None }
    }
    /// With its elements' bits taken as another dtype of their size.
    pub fn as_bits(self, dtype: Dtype) -> Pointer {
        Pointer { bits: Some(dtype), ..self }
    }
    /// With offsets counted from `origin`.
    pub fn from_origin(self, origin: ValueId) -> Pointer {
        Pointer { origin: Some(origin), ..self }
    }
}

impl From<LocalId> for Pointer {
    fn from(local: LocalId) -> Pointer {
        Pointer { base: Base::Local(local), origin: None, bits: None }
    }
}
