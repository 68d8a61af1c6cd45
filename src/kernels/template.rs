//! Templates: kernels whose native text is written by hand, called with their geometry, operands and regions.
//!
//! A [`Routine`] names the template and holds its geometry, the only place where a kernel has these numbers. Operands are
//! memory, or a [`Region`] that computes a piece of one where it is asked for. What is done with a finished piece is a region,
//! too.

use super::{Block, LocalId, Pointer, Type, ValueId};
use crate::loops::{BufferId, Cell, ScanOp, ScatterMode};
use crate::templates::gemv::codes::{CodeStep, CodeSteps};
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
    /// The first of so many neighbouring coordinates, at a multiple of their number, which divides this size.
    Step {
        size: SymInt,
        of: i64,
    },
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
            Is::Below(size) | Is::First(size) | Is::Step { size, .. } => Some(size),
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
    /// A region computes a piece of it, or an element.
    Region(LocalId),
    /// Rows of neighbours in memory: a region gives the offset of a row's first element.
    Rows(Box<Memory>, LocalId),
    Boxes(Boxes),
}

/// Boxes of a tensor map, which a GPU's copy engine moves. A region sets the coordinates of a box's first element, the
/// innermost first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boxes {
    /// The place of the map in the kernel's list.
    pub map: usize,
    /// None: the routine says where a box begins.
    pub at: Option<LocalId>,
    pub written: bool,
}

/// A buffer as a tensor whose boxes a GPU's copy engine brings to shared memory, or stores from there. The innermost dimension is
/// the first; offset and strides are in elements. Elements of a box outside of the tensor are zeros, and are not stored.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorMap {
    pub buffer: BufferId,
    pub offset: SymInt,
    pub sizes: Vec<SymInt>,
    pub strides: Vec<SymInt>,
    /// Places of a box along each dimension. One in `steps` of them is an element.
    pub boxes: Vec<u32>,
    pub steps: Vec<u32>,
    /// Bytes of the pattern in which rows lie in shared memory.
    pub swizzle: u32,
    /// float32 that is rounded to TF32 on the way.
    pub tf32: bool,
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
    /// So many numbers of a list.
    List([i64; 15], usize),
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
/// The dimensions of a box of pixels, the innermost first: at most three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PixelAxes {
    pub rank: usize,
    pub axes: [PixelAxis; 3],
}

/// A dimension along which a convolution's pixels are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PixelAxis {
    /// Pixels of a box.
    pub size: i64,
    pub step: i64,
    pub padding: i64,
    pub dilation: i64,
    /// Places of the window.
    pub taps: i64,
}

impl IsField for PixelAxes {
    fn field(self) -> Field {
        let mut list = [0; 15];
        for (of, axis) in list.chunks_exact_mut(5).zip(self.axes) {
            of.copy_from_slice(&[axis.size, axis.step, axis.padding, axis.dilation, axis.taps]);
        }
        Field::List(list, 5 * self.rank)
    }
    fn of(field: Field) -> Option<Self> {
        let Field::List(list, length) = field else { return None };
        let rank = length / 5;
        let mut axes = [PixelAxis::default(); 3];
        for (axis, of) in axes.iter_mut().zip(list.chunks_exact(5)) {
            let [size, step, padding, dilation, taps] = <[i64; 5]>::try_from(of).ok()?;
            *axis = PixelAxis { size, step, padding, dilation, taps };
        }
        (length == 5 * rank && rank <= 3).then_some(PixelAxes { rank, axes })
    }
}

impl IsField for CodeSteps {
    fn field(self) -> Field {
        let mut list = [0; 15];
        for (of, step) in list.chunks_exact_mut(3).zip(self.0) {
            of.copy_from_slice(&match step {
                CodeStep::None => [0, 0, 0],
                CodeStep::Add(a) => [1, a, 0],
                CodeStep::Subtract(a) => [2, a, 0],
                CodeStep::Multiply(a) => [3, a, 0],
                CodeStep::MultiplyAdd(a, b) => [4, a, b],
                CodeStep::MultiplySubtract(a, b) => [5, a, b],
            });
        }
        Field::List(list, 3 * self.iter().count().max(1))
    }
    fn of(field: Field) -> Option<Self> {
        let Field::List(list, length) = field else { return None };
        let mut steps = CodeSteps::default();
        for (step, of) in steps.0.iter_mut().zip(list[..length].chunks_exact(3)) {
            *step = match *of {
                [0, ..] => CodeStep::None,
                [1, a, _] => CodeStep::Add(a),
                [2, a, _] => CodeStep::Subtract(a),
                [3, a, _] => CodeStep::Multiply(a),
                [4, a, b] => CodeStep::MultiplyAdd(a, b),
                [5, a, b] => CodeStep::MultiplySubtract(a, b),
                _ => return None,
            };
        }
        Some(steps)
    }
}

names!(
    Cell: Tanh Relu Lstm Gru;
    ConvolutionForm: Depthwise Product Computed Windows;
    ScanOp: Sum Product LogSumExp MaxWithIndex MinWithIndex;
    ScatterMode: Set SetUnique Add Multiply Max Min;
);

/// The name of a field's value, as [`Field::Name`] holds it.
pub fn field_name(word: &str) -> Option<&'static str> {
    let all = [Cell::NAMES, ConvolutionForm::NAMES, ScanOp::NAMES, ScatterMode::NAMES];
    all.into_iter().flatten().copied().find(|name| *name == word)
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
    /// done with a piece of a finished row. `watched`: a product of float32 keeps off subnormal factors.
    Product {
        dtype: Dtype, m: i64, n: i64, k: i64, left_copied: bool, right_copied: bool, watched: bool,
    },
    /// The same with a right operand of float32 that regions compute in vectors of columns: `value * scale + offset`, where the first
    /// is one for each place `(panel, vector, group, phase, place)` and the others for each phase. A column is
    /// `panel * columns + vector * lanes + lane`, a row `group * group size + phase * phase size + place`. Operand: left. Regions:
    /// the epilogue, value, scale, offset; the last two may be missing.
    UnpackedProduct {
        columns: i64, group: i64, phase: i64,
        m: i64, n: i64, k: i64, left_copied: bool, right_copied: bool, watched: bool,
    },
    /// Operands: image, weight. Numbers: images, groups, channels of the image and of the result in a group, sizes of image,
    /// result and window, stride, padding, dilation, strides of the image. Region: what is done with a piece of a finished
    /// channel. The blocks are those of the product that it is.
    Convolution {
        dtype: Dtype, form: ConvolutionForm,
        m: i64, n: i64, k: i64, left_copied: bool, right_copied: bool, watched: bool,
    },
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

    // Of a GPU, whose blocks have a tile of the result each. Numbers of products: batches, m, n, k. Their region is what is done
    // with sums at (batch, m, n): one sum, or so many neighbours as its parameter says.
    /// Products in ordinary arithmetic. Operands: regions that give an element at (batch, row, k).
    GemmFma { dtype: Dtype },
    /// Products on tensor cores, whose operands come in chunks of 16 bytes: rows, or matrices whose rows are neighbours in memory.
    /// `warpgroups`: by the instructions of Hopper; otherwise tiles are cut into warps' of `down` by `across`.
    GemmMma { stored: Dtype, warpgroups: bool, rows: i64, columns: i64, down: i64, across: i64, stages: i64 },
    /// Products of few rows (columns where `swapped`), whose other operand's rows are read by warps; a block has `width` of them.
    GemvRows { stored: Dtype, thin: i64, rows: i64, split: i64, unrolled: i64, swapped: bool, width: i64 },
    /// The same, where neighbours in memory are rows.
    GemvColumns { stored: Dtype, thin: i64, across: i64, threads: i64, unrolled: i64, swapped: bool, width: i64 },
    /// Products of `thin` rows with weights that lie in memory as codes of so many bits, in the order of lanes. Operands: rows, a region that
    /// gives a weight at (batch, n, k), the codes that weights are made of. A code is its bits less `bias`, or a byte with its sign.
    /// Regions: also, for each number that `makes` takes, what gives it at (n, k). `ragged`: the last step of k is part of one.
    GemvCodes {
        stored: Dtype, thin: i64, bits: i64, signed: bool, bias: i64, makes: CodeSteps, warps: i64, depth: i64, ragged: bool,
    },
    /// Products whose operands the copy engine brings in boxes (`templates::tma::Tile` has the geometry). Operands: left, right, and
    /// the result's boxes where `boxes`: the region then gives pairs, which are stored as `result`. Where `exchanged`, the numbers are those of the
    /// transposed product, whose columns are rows of the result.
    GemmTma {
        stored: Dtype, result: Dtype, groups: i64, blocks: i64, columns: i64, stages: i64, down: i64, across: i64, split: i64,
        skew: i64, band: i64, boxes: i64, in_turn: bool, exchanged: bool, left_turned: bool, right_turned: bool,
    },

    // Convolutions of images whose channels are neighbours in memory. Operands: image, weight, which is contiguous with its channels
    // last. Numbers: groups, pixels of the result, filters of a group, k; then, but for `ConvolutionTma`, strides of images, lines
    // and pixels, height and width of the image and of the result, stride and padding down and across. Their region is what is
    // done with sums at (group, pixel, filter).
    /// In the tiles of `GemmMma`. k runs over blocks of `block` channels, within a block over taps.
    ConvolutionMma {
        stored: Dtype, warpgroups: bool, rows: i64, columns: i64, down: i64, across: i64, stages: i64,
        channels: i64, block: i64, taps_y: i64, taps_x: i64, dilation_y: i64, dilation_x: i64,
    },
    /// In tiles of Hopper's (`templates::pixels::PixelTile`), to which threads bring chunks of channels.
    ConvolutionWgmma {
        stored: Dtype, groups: i64, high: i64, columns: i64, stages: i64, split: i64,
        channels: i64, block: i64, taps_y: i64, taps_x: i64, dilation_y: i64, dilation_x: i64,
    },
    /// Each channel by itself; a thread has eight channels of `across` pixels. The first numbers are channels, pixels of the result, its
    /// lines, and places of the window; the group is 0.
    ConvolutionDepthwise {
        stored: Dtype, taps_y: i64, taps_x: i64, stride_x: i64, dilation_y: i64, dilation_x: i64, across: i64,
    },
    /// In the tiles of `GemmTma`, whose rows are boxes of pixels. More numbers: boxes along each dimension, and pixels of the result along
    /// it. `taps_x`: places of the window across.
    ConvolutionTma {
        stored: Dtype, groups: i64, blocks: i64, columns: i64, stages: i64, down: i64, across: i64, split: i64,
        skew: i64, band: i64, in_turn: bool, filters: i64, channels: i64, taps_x: i64, axes: PixelAxes,
    },

    // Of scans. Regions: one that sets the element at a step, and one that is given the result there, for an extreme with its
    // place. They are about the line of their thread or block, or have the line as their first coordinate.
    /// Threads scan a line that is theirs, of 32 lines beside one another, by so many segments. Thread t of block b has line
    /// 32 b + t % 32, or the last one. Numbers: lines, elements of one.
    ScanBeside { dtype: Dtype, op: ScanOp, segments: i64 },
    /// A block scans the line of its number. Numbers: lines, elements of one.
    ScanLine { dtype: Dtype, op: ScanOp, threads: i64 },
    /// Blocks share all lines, each in so many parts. Operands: room for a value with its place of each part, semaphores. Numbers:
    /// lines, elements of one, elements of a part. Regions have the line.
    ScanParts { dtype: Dtype, op: ScanOp, threads: i64, parts: i64 },

    // Of sorts, which are stable. Numbers: lines, elements of one. Regions: one that sets the key at (line, step), and one that is
    // given what comes at (line, step): the key, and its place before.
    /// Blocks take lines in turn, which each sorts in its shared memory, up to `near` elements. A third number says how many of
    /// the first are wanted; where `some`, a longer line is searched for those.
    SortLines { dtype: Dtype, descending: bool, some: bool, near: i64 },
    /// Blocks share all lines. Operands: two workspaces of a tag for each element, semaphores.
    SortTogether { dtype: Dtype, descending: bool, threads: i64 },

    // Of scatters, whose points are taken in their order where they meet. Operands: the result, and what follows. Numbers: lines,
    // points of one, elements beside one another. Regions: one that sets the key of (line, point), which is the same for
    // points that meet and is where the first of the elements lies; one that gives where an element lies from there; and
    // one that sets the value of (line, point, element). `wide`: keys have 64 bits.
    /// A block finds its own points among those of a line: those of one of so many groups of keys, for some of the elements.
    ScatterNear { dtype: Dtype, mode: ScatterMode, threads: i64, wide: bool, groups: i64 },
    /// Blocks sort the points of one line together. Operands: two workspaces of a tag for each point, semaphores.
    ScatterSorted { dtype: Dtype, mode: ScatterMode, threads: i64, wide: bool },

    /// `blocks` blocks follow so many rows of the batch through all steps, each with some of the hidden units; where `kept`, their
    /// weights lie in shared memory. Numbers: steps, batch, hidden, projected. Regions: what gives gates at (step, row, n), weight
    /// (k, n), bias (n), first (row, k), first cell (row, k) and projection (k, n), and what is given out (step, row, n),
    /// last (row, n) and last cell (row, n). Bias and what a cell lacks may be missing, and results that nobody reads.
    RecurrenceCluster {
        dtype: Dtype, cell: Cell, blocks: i64, rows: i64, kept: bool, projects: bool, reverse: bool,
    },

    // Attention on a GPU. Numbers: batch, heads, heads of keys, queries, keys, then what is added to a query's place for the first and the
    // last key that it attends (`templates::attention::ANY`: no bound), then the form's own. Regions: what the softmax sees of a scaled
    // score at (batch, head, query, key), if not the score itself; what is done with finished elements at (batch, head, query, d),
    // one or as many neighbours as a vector has; what is done with the logarithm of a row's sum of exponentials, if anything; how many
    // keys a head has. Where `bounded`, scores from -1e7 down are equal, but for minus infinity.
    /// A warp for each query. Operands: regions that give elements of query, key and value. Numbers: sizes of a head and of a value.
    AttentionWarps { dtype: Dtype, scale: f64, parts: i64, empty_is_nan: bool },
    /// Few queries, `own` of them in a block, whose keys are dealt out to the `splits` blocks of a cluster. Operands and numbers as before.
    AttentionFew {
        dtype: Dtype, scale: f64, own: i64, splits: i64, each: i64, depth: i64, parts: i64, empty_is_nan: bool,
    },
    /// Tiles in ordinary arithmetic. Operands and numbers as before; key and value are rows in memory where it says so.
    AttentionFma {
        dtype: Dtype, scale: f64, own: i64, head_size: i64, parts: i64, stages: i64, rows: bool,
        empty_is_nan: bool,
    },
    /// Tiles on tensor cores. Operands: query, key and value as rows in memory, which begin at multiples of `chunk` elements.
    AttentionMma {
        stored: Dtype, scale: f64, warps: i64, head_size: i64, value_size: i64, chunk: i64, bounded: bool,
        empty_is_nan: bool,
    },
    /// All queries of the heads that share keys, in `tiles` of 16, whose keys are dealt out to the `splits` blocks of a cluster.
    AttentionSplit {
        stored: Dtype, scale: f64, warps: i64, splits: i64, tiles: i64, stages: i64, head_size: i64,
        value_size: i64, bounded: bool, empty_is_nan: bool,
    },
    /// Tiles on Hopper's tensor cores. Operands: tensors. Numbers: pairs of tiles that each of the first `wave` blocks takes, and heads
    /// whose keys are read at a time.
    AttentionWgmma {
        stored: Dtype, scale: f64, wave: i64, groups: i64, keys: i64, stages: i64, head_size: i64,
        value_size: i64, bounded: bool, empty_is_nan: bool,
    },
    /// Gradients of attention's queries, 64 for each of `groups` warpgroups, that walk over `walked` keys at a time. Operands: query, the
    /// result's cotangent, key and value as tensors, then the gradient's rows. Numbers: heads whose keys are read at a time. Regions: for
    /// scores as before; logarithms of rows' sums, means of rows' cotangents, at (batch, head, query); how many keys a head has.
    AttentionGradQueries {
        stored: Dtype, scale: f64, groups: i64, walked: i64, stages: i64, head_size: i64, value_size: i64,
        bounded: bool,
    },
    /// Those of its keys and values, as far as they are wanted, that walk over queries. The last operands are the rows of both gradients.
    AttentionGradKeys {
        stored: Dtype, scale: f64, groups: i64, walked: i64, stages: i64, head_size: i64, value_size: i64,
        bounded: bool,
    },
}
