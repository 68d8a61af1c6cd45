//! Locals, which values name: loop variables, named values, accumulators, arrays and pointers.

use crate::base::Handle;
use crate::types::Dtype;
use std::borrow::Cow;

pub type LocalId = Handle<Local>;

/// A name in a kernel. Its statement gives it its value or its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// What it is for, as readers of the text see it.
    pub name: Cow<'static, str>,
    /// Where several have the same name, what tells them apart.
    pub number: Option<u32>,
    pub ty: Type,
    /// Some kernels of this form do not use it, which a compiler should not warn about.
    pub may_be_unused: bool,
}

/// The type of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer that is indexed with: the body's index type.
    Index,
    /// One value in a register; reduced floats are float32 there.
    Scalar(Dtype),
    /// One value for each lane. A vector of bool is a mask.
    Vector(Dtype),
    /// So many scalars or, where `vectors`, vectors.
    Array { dtype: Dtype, vectors: bool, length: Length, space: Space },
    /// So many runs of `width` neighbours in a thread's registers, as they lie in memory.
    Held { dtype: Dtype, width: i64, count: i64 },
    /// The first of some elements in memory.
    Pointer { dtype: Dtype, space: Space },
    /// A block that templates call.
    Region,
}

impl Type {
    /// One value of this dtype: a vector where it `varies` from lane to lane.
    pub fn of(dtype: Dtype, varies: bool) -> Type {
        if varies { Type::Vector(dtype) } else { Type::Scalar(dtype) }
    }
}

/// How many elements an array has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Known(i64),
    /// As many as a vector.
    Lanes,
}

impl Length {
    /// The number, where a vector has so many lanes.
    pub fn count(self, lanes: i64) -> i64 {
        match self {
            Length::Known(n) => n,
            Length::Lanes => lanes,
        }
    }
}

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// A buffer of the plan.
    Global,
    /// A thread's own registers.
    Registers,
    /// The memory of its own that a call on a CPU gets.
    Scratch,
    /// A GPU block's shared memory, of a size that the kernel states.
    Shared,
    /// A GPU block's shared memory, of the size that the launch states.
    DynamicShared,
    /// What a template lends a region.
    Lent,
}
