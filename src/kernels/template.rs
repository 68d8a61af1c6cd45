//! Templates: kernels whose native text is written by hand, called with their geometry, operands and regions.
//!
//! A [`Routine`] names the template and holds its geometry, the only place where a kernel has these numbers. Operands are
//! memory, or a [`Region`] that computes a piece of one where it is asked for. What is done with a finished piece is a region,
//! too.

use super::{Block, LocalId, Pointer, Type, ValueId};
use crate::loops::Cell;
use crate::types::{Dtype, SymInt};

/// A named block that templates call, with parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    pub local: LocalId,
    pub parameters: Vec<Parameter>,
    /// The type of its result.
    pub gives: Option<Type>,
    pub body: Block,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub local: LocalId,
    pub is: Is,
}

/// What a region is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Is {
    /// A coordinate, less than this.
    Below(SymInt),
    /// The first coordinate of a run that ends within this.
    First(SymInt),
    /// How many coordinates the run has, one at least.
    Count,
    /// The elements of the run, or so many where there is no run. Where `written`, the region may change them.
    Elements {
        length: Option<SymInt>,
        written: bool,
    },
    Value,
    /// A variable that the region sets.
    Place,
}

impl Is {
    /// The size that it is about.
    pub fn size(self) -> Option<SymInt> {
        match self {
            Is::Below(size) | Is::First(size) => Some(size),
            Is::Elements { length, .. } => length,
            Is::Count | Is::Value | Is::Place => None,
        }
    }
}

/// A call by all tasks or threads of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateCall {
    pub routine: Routine,
    /// In the order that the routine says, as are sizes and regions.
    pub operands: Vec<Operand>,
    pub numbers: Vec<ValueId>,
    pub regions: Vec<Option<LocalId>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Absent,
    Memory(Box<Memory>),
    /// A region computes a piece of it.
    Region(LocalId),
}

/// Elements in memory that a template touches.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub pointer: Pointer,
    pub dtype: Dtype,
    /// The first element.
    pub at: Option<ValueId>,
    /// What the template asks for: distances between elements along the operand's dimensions.
    pub strides: Vec<ValueId>,
    /// Elements from the first to the last one that is touched.
    pub elements: SymInt,
    pub written: bool,
}

/// A number of a template's geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field {
    Number(i64),
    Flag(bool),
    Float(f64),
    Dtype(Dtype),
    Name(&'static str),
}

/// What is a field of a routine.
pub trait IsField: Sized {
    fn field(self) -> Field;
    fn of(field: Field) -> Option<Self>;
}

macro_rules! fields {
    ($($ty:ty: $field:ident,)*) => { $(
        impl IsField for $ty {
            fn field(self) -> Field { Field::$field(self) }
            fn of(field: Field) -> Option<Self> {
                match field { Field::$field(value) => Some(value), _ => None }
            }
        }
    )* };
}
fields!(i64: Number, bool: Flag, f64: Float, Dtype: Dtype,);

macro_rules! names {
    ($($ty:ident: $($value:ident)*;)*) => { $(
        impl IsField for $ty {
            fn field(self) -> Field {
                Field::Name(match self { $($ty::$value => stringify!($value),)* })
            }
            fn of(field: Field) -> Option<Self> {
                match field {
                    $(Field::Name(name) if name == stringify!($value) => Some($ty::$value),)*
                    _ => None,
                }
            }
        }
        impl $ty {
            const NAMES: &'static [&'static str] = &[$(stringify!($value)),*];
        }
    )* };
}
names!(Cell: Tanh Relu Lstm Gru; ConvolutionForm: Depthwise Product Computed Windows;);

/// The name of a field's value, as [`Field::Name`] holds it.
pub fn field_name(word: &str) -> Option<&'static str> {
    Cell::NAMES.iter().chain(ConvolutionForm::NAMES).copied().find(|name| *name == word)
}

/// How a convolution is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConvolutionForm {
    /// Each channel by itself.
    Depthwise,
    /// A product of weights with the image as it lies in memory.
    Product,
    /// A product of weights with an image that a region computes.
    Computed,
    /// A product of weights with the image's windows.
    Windows,
}

macro_rules! routines {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty),* $(,)? },)*) => {
        /// A template and its geometry.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Routine {
            $($(#[$doc])* $name { $($field: $ty),* },)*
        }

        impl Routine {
            pub fn name(&self) -> &'static str {
                match self { $(Routine::$name { .. } => stringify!($name),)* }
            }
            /// The geometry, by name.
            pub fn fields(&self) -> Vec<(&'static str, Field)> {
                match *self {
                    $(Routine::$name { $($field),* } => vec![$((stringify!($field), IsField::field($field))),*],)*
                }
            }
            /// The routine of this name, whose fields `find` gives.
            pub fn of(name: &str, find: &dyn Fn(&str) -> Option<Field>) -> Option<Routine> {
                match name {
                    $(stringify!($name) => Some(Routine::$name {
                        $($field: find(stringify!($field)).and_then(IsField::of)?),*
                    }),)*
                    _ => None,
                }
            }
        }
    };
}

routines! {
    /// Packs the right operand of products of `dtype` into panels of `stored`. Operands: it, the panels. Numbers: batches, k, n.
    Pack { dtype: Dtype, stored: Dtype },
    /// Products, in blocks of m by n, so much of k at a time. Operands: left, right. Numbers: batches, m, n, k. Region: what is
    /// done with a piece of a finished row.
    Product { dtype: Dtype, m: i64, n: i64, k: i64, left_copied: bool, right_copied: bool },
    /// The same with a right operand of float32 that regions compute in vectors of columns: `value * scale + offset`, where the first
    /// is one for each place `(panel, vector, group, phase, place)` and the others for each phase. A column is
    /// `panel * columns + vector * lanes + lane`, a row `group * group size + phase * phase size + place`. `rows`: those of a block,
    /// where their number is known, otherwise 0. Operand: left. Regions: the
    /// epilogue, value, scale, offset; the last two may be missing.
    UnpackedProduct {
        rows: i64, columns: i64, group: i64, phase: i64,
        m: i64, n: i64, k: i64, left_copied: bool, right_copied: bool,
    },
    /// Operands: image, weight. Numbers: images, groups, channels of the image and of the result in a group, sizes of image,
    /// result and window, stride, padding, dilation, strides of the image. Region: what is done with a piece of a finished
    /// channel. The blocks are those of the product that it is.
    Convolution { dtype: Dtype, form: ConvolutionForm, m: i64, n: i64, k: i64, left_copied: bool, right_copied: bool },
    /// Operands: query, key, value. Numbers: batch, heads, heads of keys, queries, keys, head size, value size. Regions: what is
    /// done with scores, with a finished row.
    Attention {
        scale: f64, causal: bool, zeros: bool, queries: i64, keys: i64, depth: i64, queries_copied: bool,
    },
    /// Gradients of attention, in blocks of so many queries and keys. Operands: query, key, value, the result's cotangent,
    /// logarithms of rows' sums, means of rows' cotangents, and the gradients of query, key and value, where they are wanted.
    /// Numbers: as of attention; then strides: three of each operand that is read and four of each that is written. Region: what
    /// is done with scores. `query_kept`: sums of the query's gradient stay in scratch until all keys were seen.
    AttentionBackward { scale: f64, causal: bool, queries: i64, keys: i64, query_kept: bool },
    /// The same as `Attention` in float64, by rows of scores.
    AttentionRows { scale: f64, causal: bool, zeros: bool },
    /// Operands: gates, weight, bias, first, first cell, projection, out, last, last cell. Numbers: steps, batch, hidden,
    /// projected, strides of gates, of out, of first, of the first cell. A task is `block` rows.
    Recurrence { dtype: Dtype, cell: Cell, block: i64, reverse: bool },
    /// Puts keys with their positions in order, in scratch that holds twice as many. Numbers: how many, how many of the first
    /// have to be in order.
    Sort { dtype: Dtype, descending: bool, some: bool },
}
