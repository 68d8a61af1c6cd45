//! Weights of 4 bits: a weight is unpacked by views and shifts, which become the prologue of the product that reads it.
//!
//! A weight is `(code - 8) * scale + zero`, with a scale and a zero point for each group of a row. PyTorch computes it in float32 on a
//! CPU, and rounds it to bfloat16 on a GPU. With scales and zero points apart, a weight is `(code - zero) * scale`, rounded to the
//! dtype of the other operand: this form has a kernel for Intel's GPUs alone (oneDNN's product with weights of the type u4).

use crate::decompose::Decompose;
use crate::decompose::DecomposeError;
use crate::ir::{Arg, Value};
use crate::ops::int4::Int4Layout;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

impl Decompose<'_> {
    /// The codes of 4 bits at the bit offsets in `places`, which broadcasts over the last dimensions: `(x >> places) & 15`.
    fn codes(&mut self, x: Value, places: Value) -> Built {
        let shifted =
            self.call("aten.bitwise_right_shift.Tensor", vec![Arg::Value(x), Arg::Value(places)])?;
        let mask = self.int_arg(15);
        self.call("aten.bitwise_and.Scalar", vec![Arg::Value(shifted), mask])
    }
    /// `step * [0, 1, …, count)`, along one dimension before `after` others.
    fn places(&mut self, count: i64, step: i64, dtype: Dtype, after: usize) -> Built {
        let end = self.int_arg(count * step);
        let (start, step) = (self.int_arg(0), self.int_arg(step));
        let places = self.call_with(
            "aten.arange.start_step",
            vec![start, end, step],
            vec![("dtype", Arg::Dtype(dtype))],
        )?;
        let mut shape = vec![self.constant(1); after + 1];
        shape[0] = self.constant(count);
        self.reshape(places, &shape)
    }
    /// Codes `[n, k]` as weights in float32.
    fn weights(&mut self, codes: Value) -> Built {
        let group = self.known_int("qGroupSize")?;
        let parameters = self.value("qScaleAndZeros")?;
        let shape = self.shape(codes);
        let (n, k) = (shape[0], shape[1]);
        let codes = self.cast(codes, Dtype::Float32)?;
        let centred = self.sub(codes, 8.0)?;
        let [scales, zeros] = [0, 1].map(|which| {
            let each = self.select_index(parameters, 2, which)?;
            self.for_each_code(each, [n, k], group)
        });
        let scaled = self.mul(centred, scales?)?;
        self.add(scaled, zeros?)
    }
    /// Repeats each group's number for its codes: `[k / group, n]` to float32 `[n, k]`.
    fn for_each_code(&mut self, groups: Value, [n, k]: [SymInt; 2], group: i64) -> Built {
        let count = self.shape(groups)[0];
        let each = self.transpose(groups, 0, 1)?;
        let each = self.unsqueeze(each, 2)?;
        let size = Arg::Ints(vec![n, count, self.constant(group)]);
        let each = self.call("aten.expand.default", vec![Arg::Value(each), size])?;
        let each = self.reshape(each, &[n, k])?;
        self.cast(each, Dtype::Float32)
    }
}

/// The dimensions of a weight as tensor cores take it, and the order in which they make rows and columns:
/// tile of rows, row; outer tile, pair of inner tiles, tile of the pair, half of the tile, pair of columns, column.
struct Tiles {
    /// `[n / 8, k / (16 t), 8, 4, t / 2]`, the threads of a warp as rows and pairs.
    words: Vec<SymInt>,
    n: SymInt,
    k: SymInt,
}

/// Dimensions of words with codes beside them: `[tile, outer, row, pair, inner, column, tile of the pair, half]`.
const TO_MATRIX: [usize; 8] = [0, 2, 1, 4, 6, 7, 3, 5];
const TO_WORDS: [usize; 8] = [0, 2, 1, 6, 3, 7, 4, 5];

impl Tiles {
    fn of(cx: &Decompose<'_>, tiles: SymInt, outer: SymInt, half: SymInt) -> Tiles {
        let syms = cx.syms();
        Tiles {
            words: vec![tiles, outer, cx.constant(8), cx.constant(4), half],
            n: syms.mul_const(tiles, 8),
            k: syms.mul(outer, syms.mul_const(half, 32)),
        }
    }
    /// Words with their codes as dimensions.
    fn with_codes(&self, cx: &Decompose<'_>) -> Vec<SymInt> {
        self.words.iter().copied().chain([cx.constant(2); 3]).collect()
    }
}

/// The bit at which each code of a word begins: `[column, tile of the pair, half]`.
fn bits_of_word(cx: &mut Decompose<'_>) -> Built {
    let column = cx.places(2, 16, Dtype::Int32, 2)?;
    let tile = cx.places(2, 8, Dtype::Int32, 1)?;
    let half = cx.places(2, 4, Dtype::Int32, 0)?;
    let of_column = cx.add(column, tile)?;
    cx.add(of_column, half)
}

/// The weight is rounded to bfloat16, as PyTorch's kernel rounds it.
pub fn int4_weight_mm(cx: &mut Decompose<'_>) -> Results {
    let (x, packed) = (cx.value("self")?, cx.value("mat2")?);
    let shape = cx.shape(packed);
    let tiles = Tiles::of(cx, shape[0], shape[1], shape[3]);
    let one = cx.constant(1);
    let words: Vec<SymInt> = tiles.words.iter().copied().chain([one; 3]).collect();
    let words = cx.reshape(packed, &words)?;
    let places = bits_of_word(cx)?;
    let codes = cx.codes(words, places)?;
    let codes = cx.permute(codes, &TO_MATRIX)?;
    let codes = cx.reshape(codes, &[tiles.n, tiles.k])?;
    let weight = cx.weights(codes)?;
    let weight = cx.cast(weight, Dtype::Bfloat16)?;
    Ok(vec![cx.call("aten.linear.default", vec![Arg::Value(x), Arg::Value(weight)])?])
}

/// Eight codes a word, the first in the lowest bits.
pub fn int4_weight_mm_with_zeros(cx: &mut Decompose<'_>) -> Results {
    let (x, packed) = (cx.value("self")?, cx.value("mat2")?);
    let (scales, zeros) = (cx.value("qScale")?, cx.value("qZeros")?);
    let group = cx.known_int("qGroupSize")?;
    let (n, k) = (cx.shape(packed)[0], cx.shape(x)[1]);
    let words = cx.unsqueeze(packed, 2)?;
    let places = cx.places(8, 4, Dtype::Int32, 0)?;
    let codes = cx.codes(words, places)?;
    let codes = cx.reshape(codes, &[n, k])?;
    let codes = cx.cast(codes, Dtype::Float32)?;
    let zeros = cx.for_each_code(zeros, [n, k], group)?;
    let scales = cx.for_each_code(scales, [n, k], group)?;
    let centred = cx.call("aten.sub.Tensor", vec![Arg::Value(codes), Arg::Value(zeros)])?;
    let weight = cx.mul(centred, scales)?;
    let weight = cx.cast(weight, cx.dtype_of(x))?;
    Ok(vec![cx.call("aten.linear.default", vec![Arg::Value(x), Arg::Value(weight)])?])
}

pub fn int4_packed(cx: &mut Decompose<'_>) -> Results {
    let given = cx.value("self")?;
    let (shape, inner) = (cx.shape(given), cx.known_int("innerKTiles")?);
    let syms = cx.syms();
    let outer = syms.floordiv(shape[1], syms.constant(8 * inner));
    let tiles = syms.floordiv(shape[0], syms.constant(8));
    let tiles = Tiles::of(cx, tiles, outer, cx.constant(inner / 2));
    // The first of two neighbours is in the upper half of the byte.
    let bytes = cx.cast(given, Dtype::Int32)?;
    let bytes = cx.unsqueeze(bytes, 2)?;
    let from = cx.places(2, 4, Dtype::Int32, 0)?;
    let last = cx.int_arg(4);
    let from = cx.call("aten.rsub.Scalar", vec![Arg::Value(from), last])?;
    let codes = cx.codes(bytes, from)?;
    // In the order of the matrix: tile, row, outer, inner, tile of the pair, half, pair, column.
    let with_codes = tiles.with_codes(cx);
    let matrix: Vec<SymInt> = TO_MATRIX.iter().map(|d| with_codes[*d]).collect();
    let codes = cx.reshape(codes, &matrix)?;
    let codes = cx.permute(codes, &TO_WORDS)?;
    let places = bits_of_word(cx)?;
    let placed = cx.call("aten.bitwise_left_shift.Tensor", vec![Arg::Value(codes), Arg::Value(places)])?;
    // No two have a bit in common.
    let dims = cx.ints_arg(&[5, 6, 7]);
    let words = cx.call_with(
        "aten.sum.dim_IntList",
        vec![Arg::Value(placed), dims, Arg::Bool(false)],
        vec![("dtype", Arg::Dtype(Dtype::Int32))],
    )?;
    let packed = [tiles.words[0], tiles.words[1], cx.constant(32), tiles.words[4]];
    Ok(vec![cx.reshape(words, &packed)?])
}

/// The layout, and how many rows fill whole blocks of it.
fn layout(cx: &Decompose<'_>, rows: SymInt) -> Result<(Int4Layout, i64, i64), DecomposeError> {
    let Some(layout) = cx.string("layout").and_then(Int4Layout::from_name) else {
        let message = "the bytes do not say which CPU packed the weight, and so in which order; option `int4.layout` says it";
        return Err(cx.unsupported(message));
    };
    let Some(rows) = cx.syms().as_const(rows) else {
        return Err(cx.unsupported("a packed weight of a size that only a run knows"));
    };
    let whole = rows - rows % layout.block();
    Ok((layout, whole, rows - whole))
}

/// Rows `from..from + count` of a matrix.
fn rows_of(cx: &mut Decompose<'_>, x: Value, from: i64, count: i64) -> Built {
    let args = [0, from, count].map(|n| cx.int_arg(n));
    cx.call("aten.narrow.default", [Arg::Value(x)].into_iter().chain(args).collect())
}

/// Bytes `[n, k / 2]` in blocks of `block` rows as codes `[n, k]`.
fn unpacked(cx: &mut Decompose<'_>, bytes: Value, rows: i64, block: i64, pairs: bool) -> Built {
    let k = cx.syms().mul_const(cx.shape(bytes)[1], 2);
    let [blocks, half, one] = [rows / block, block / 2, 1].map(|n| cx.constant(n));
    // A block has its rows as the last dimension.
    let (shape, after, order): (_, _, &[usize]) = match pairs {
        true => ([blocks, k, half, one], 0, &[0, 2, 3, 1]),
        false => ([blocks, k, one, half], 1, &[0, 2, 3, 1]),
    };
    let bytes = cx.reshape(bytes, &shape)?;
    let bytes = cx.cast(bytes, Dtype::Int32)?;
    let places = cx.places(2, 4, Dtype::Int32, after)?;
    let codes = cx.codes(bytes, places)?;
    let codes = cx.permute(codes, order)?;
    let rows = cx.constant(rows);
    cx.reshape(codes, &[rows, k])
}

/// Codes `[n, k]` as the bytes of blocks, `[n, k / 2]`.
fn packed(cx: &mut Decompose<'_>, codes: Value, rows: i64, block: i64, pairs: bool) -> Built {
    let k = cx.shape(codes)[1];
    let [blocks, half, two] = [rows / block, block / 2, 2].map(|n| cx.constant(n));
    let (shape, dim) = match pairs {
        true => ([blocks, half, two, k], 2),
        false => ([blocks, two, half, k], 1),
    };
    let codes = cx.reshape(codes, &shape)?;
    let (low, high) = (cx.select_index(codes, dim, 0)?, cx.select_index(codes, dim, 1)?);
    // The cast to uint8 drops bits above the eighth, as PyTorch's does.
    let (low, high) = (cx.cast(low, Dtype::Uint8)?, cx.cast(high, Dtype::Uint8)?);
    let four = cx.int_arg(4);
    let high = cx.call("aten.bitwise_left_shift.Tensor_Scalar", vec![Arg::Value(high), four])?;
    let bytes = cx.call("aten.bitwise_or.Tensor", vec![Arg::Value(low), Arg::Value(high)])?;
    let bytes = cx.permute(bytes, &[0, 2, 1])?;
    let half = cx.syms().floordiv(k, cx.constant(2));
    let rows = cx.constant(rows);
    cx.reshape(bytes, &[rows, half])
}

pub fn int4_weight_mm_for_cpu(cx: &mut Decompose<'_>) -> Results {
    let (x, bytes) = (cx.value("self")?, cx.value("mat2")?);
    let (layout, whole, rest) = layout(cx, cx.shape(bytes)[0])?;
    let mut parts = Vec::new();
    if whole > 0 {
        let part = rows_of(cx, bytes, 0, whole)?;
        parts.push(unpacked(cx, part, whole, layout.block(), layout.in_pairs())?);
    }
    if rest > 0 {
        let part = rows_of(cx, bytes, whole, rest)?;
        parts.push(unpacked(cx, part, rest, rest, true)?);
    }
    let codes = match parts[..] {
        [one] => one,
        _ => cx.cat(parts, 0)?,
    };
    let weight = cx.weights(codes)?;
    let dtype = cx.dtype_of(x);
    let x = cx.cast(x, Dtype::Float32)?;
    let product = cx.call("aten.linear.default", vec![Arg::Value(x), Arg::Value(weight)])?;
    Ok(vec![cx.cast(product, dtype)?])
}

pub fn int4_packed_for_cpu(cx: &mut Decompose<'_>) -> Results {
    let codes = cx.value("self")?;
    let shape = cx.shape(codes);
    let (layout, whole, rest) = layout(cx, shape[0])?;
    let mut parts = Vec::new();
    if whole > 0 {
        let part = rows_of(cx, codes, 0, whole)?;
        parts.push(packed(cx, part, whole, layout.block(), layout.in_pairs())?);
    }
    if rest > 0 {
        let part = rows_of(cx, codes, whole, rest)?;
        parts.push(packed(cx, part, rest, rest, true)?);
    }
    Ok(vec![match parts[..] {
        [one] => one,
        _ => cx.cat(parts, 0)?,
    }])
}
