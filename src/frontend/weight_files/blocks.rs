//! GGUF's block formats: how many bytes a block has, and the nodes that unpack it.
//!
//! A block holds small integers of a row's elements beside their scales. The layouts are those of ggml's `block_q4_0` and its
//! like; arithmetic is in float32.
//!
//! Deliberately absent: formats whose elements are numbers of entries in large tables (`IQ1` to `IQ3`), and packing.

use crate::ir::{Arg, ConstantData, ConstantKind, Graph, Value};
use crate::meta::{Builder, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta};
use std::sync::Arc;

/// A format of blocks.
pub struct Blocks {
    /// As GGUF counts types.
    pub number: u32,
    pub name: &'static str,
    /// How many a block holds.
    pub elements: usize,
    pub bytes: usize,
    /// Makes a block's elements.
    unpack: fn(&mut Unpack<'_>) -> Built,
}

type Built = Result<Value, MetaError>;

const fn row(
    number: u32,
    name: &'static str,
    size: (usize, usize),
    unpack: fn(&mut Unpack<'_>) -> Built,
) -> Blocks {
    Blocks { number, name, elements: size.0, bytes: size.1, unpack }
}

pub const FORMATS: &[Blocks] = &[
    row(2, "Q4_0", (32, 18), |b| {
        let codes = b.nibbles(2, 16, 1)?;
        b.scaled(codes, -8.0, 0)
    }),
    row(3, "Q4_1", (32, 20), |b| {
        let codes = b.nibbles(4, 16, 1)?;
        b.scaled_and_moved(codes)
    }),
    row(6, "Q5_0", (32, 22), |b| {
        let codes = b.with_fifth_bits(6, 2)?;
        b.scaled(codes, -16.0, 0)
    }),
    row(7, "Q5_1", (32, 24), |b| {
        let codes = b.with_fifth_bits(8, 4)?;
        b.scaled_and_moved(codes)
    }),
    row(8, "Q8_0", (32, 34), |b| {
        let codes = b.numbers(2, 32, Dtype::Int8)?;
        b.scaled(codes, 0.0, 0)
    }),
    row(10, "Q2_K", (256, 84), |b| {
        let codes = b.fields(16, 2, 32, (4, 2))?;
        let codes = b.float(codes)?;
        let scales = b.bytes(0, 16)?;
        let (low, high) = (b.masked(scales, 0, 15)?, b.masked(scales, 4, 15)?);
        b.scaled_by_groups(codes, (low, 80), Some((high, 82)), 16)
    }),
    row(11, "Q3_K", (256, 110), |b| {
        let (low, high) = (b.fields(32, 2, 32, (4, 2))?, b.fields(0, 1, 32, (8, 1))?);
        let codes = b.joined(low, high, 2)?;
        let codes = b.moved(codes, -4.0)?;
        let (low, high) = (b.fields(96, 1, 8, (2, 4))?, b.fields(104, 1, 4, (4, 2))?);
        let scales = b.joined(low, high, 4)?;
        let scales = b.moved(scales, -32.0)?;
        b.scaled_by_groups(codes, (scales, 108), None, 16)
    }),
    row(12, "Q4_K", (256, 144), |b| {
        let codes = b.nibbles(16, 128, 4)?;
        let codes = b.float(codes)?;
        b.scaled_by_six_bits(codes)
    }),
    row(13, "Q5_K", (256, 176), |b| {
        let (low, high) = (b.nibbles(48, 128, 4)?, b.fields(16, 1, 32, (8, 1))?);
        let codes = b.joined(low, high, 4)?;
        let codes = b.float(codes)?;
        b.scaled_by_six_bits(codes)
    }),
    row(14, "Q6_K", (256, 210), |b| {
        let (low, high) = (b.nibbles(0, 128, 2)?, b.fields(128, 2, 32, (4, 2))?);
        let codes = b.joined(low, high, 4)?;
        let codes = b.moved(codes, -32.0)?;
        let scales = b.numbers(192, 16, Dtype::Int8)?;
        b.scaled_by_groups(codes, (scales, 208), None, 16)
    }),
    row(15, "Q8_K", (256, 292), |b| {
        let (codes, scale) = (b.numbers(4, 256, Dtype::Int8)?, b.numbers(0, 4, Dtype::Float32)?);
        b.product(codes, scale)
    }),
    row(20, "IQ4_NL", (32, 18), |b| {
        let codes = b.nibbles(2, 16, 1)?;
        let codes = b.looked_up(codes, "IQ4_NL", &UNEVEN)?;
        b.scaled(codes, 0.0, 0)
    }),
    row(23, "IQ4_XS", (256, 136), |b| {
        let codes = b.nibbles(8, 128, 8)?;
        let codes = b.looked_up(codes, "IQ4_NL", &UNEVEN)?;
        // Of 8 scales, 4 low bits each in one place and 2 high bits in another.
        let low = b.bytes(4, 4)?;
        let (low, high) = (b.spread_behind(low, (2, 4))?, b.bytes(2, 2)?);
        let high = b.spread_behind(high, (4, 2))?;
        let scales = b.joined(low, high, 4)?;
        let scales = b.moved(scales, -32.0)?;
        b.scaled_by_groups(codes, (scales, 0), None, 32)
    }),
    row(35, "TQ2_0", (256, 66), |b| {
        let codes = b.fields(0, 2, 32, (4, 2))?;
        b.scaled(codes, -1.0, 64)
    }),
    row(39, "MXFP4", (32, 17), |b| {
        let codes = b.nibbles(1, 16, 1)?;
        let codes = b.looked_up(codes, "MXFP4", &SMALL_FLOATS)?;
        let scale = b.half_of_power(0)?;
        b.product(codes, scale)
    }),
];

/// The 16 values of `IQ4_NL` and `IQ4_XS`: denser around 0.
const UNEVEN: [f32; 16] = [
    -127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0, 89.0, 113.0,
];

/// Twice the floats of 4 bits (two of exponent, one of mantissa).
const SMALL_FLOATS: [f32; 16] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -12.0];

impl Blocks {
    /// The elements of blocks of shape `[…, bytes]`, as float32 of shape `[…, elements]`.
    pub(super) fn unpacked(&self, graph: &mut Graph, blocks: Value) -> Built {
        let mut lead = graph.meta(blocks).shape.clone();
        lead.pop();
        let mut unpack = Unpack { graph, blocks, lead };
        (self.unpack)(&mut unpack)
    }
}

/// The nodes that unpack one tensor. Values have the blocks' leading dimensions and one of their own, unless it says otherwise.
struct Unpack<'g> {
    graph: &'g mut Graph,
    blocks: Value,
    lead: Vec<SymInt>,
}

impl Unpack<'_> {
    fn op(&mut self, name: &str, args: Vec<Arg>) -> Built {
        Builder::new(self.graph).op(name, args)
    }
    fn int(&self, n: usize) -> Arg {
        Arg::Int(self.graph.syms.constant(n as i64))
    }
    /// The leading dimensions and these.
    fn shaped(&mut self, value: Value, own: &[usize]) -> Built {
        let mut shape = self.lead.clone();
        shape.extend(own.iter().map(|n| self.graph.syms.constant(*n as i64)));
        self.op("aten.view.default", vec![Arg::Value(value), Arg::Ints(shape)])
    }
    fn width(&self, value: Value) -> usize {
        let own = &self.graph.meta(value).shape[self.lead.len()..];
        self.graph.syms.as_consts(own).map_or(0, |own| own.iter().product::<i64>() as usize)
    }
    fn flat(&mut self, value: Value) -> Built {
        let width = self.width(value);
        self.shaped(value, &[width])
    }
    fn float(&mut self, value: Value) -> Built {
        let dtype = vec![("dtype", Arg::Dtype(Dtype::Float32))];
        Builder::new(self.graph).op_with("aten._to_copy.default", vec![Arg::Value(value)], dtype)
    }

    fn bytes(&mut self, from: usize, count: usize) -> Built {
        let dim = self.int(self.lead.len());
        let args = vec![Arg::Value(self.blocks), dim, self.int(from), self.int(from + count)];
        self.op("aten.slice.Tensor", args)
    }
    /// Numbers of a dtype, of so many bytes, as float32.
    fn numbers(&mut self, from: usize, count: usize, dtype: Dtype) -> Built {
        let bytes = self.bytes(from, count)?;
        let numbers = self.op("aten.view.dtype", vec![Arg::Value(bytes), Arg::Dtype(dtype)])?;
        self.float(numbers)
    }
    /// Bits `from` on, of a mask.
    fn masked(&mut self, bytes: Value, from: usize, mask: usize) -> Built {
        let shifted = match from {
            0 => bytes,
            _ => {
                let args = vec![Arg::Value(bytes), self.int(from)];
                self.op("aten.bitwise_right_shift.Tensor_Scalar", args)?
            }
        };
        let args = vec![Arg::Value(shifted), self.int(mask)];
        self.op("aten.bitwise_and.Scalar", args)
    }
    /// `count` fields of `bits` bits of each byte, in a new dimension at `dim` from the end.
    fn spread(&mut self, bytes: Value, (count, bits): (usize, usize), behind: usize) -> Built {
        let dim = self.graph.meta(bytes).shape.len() - behind;
        let args = vec![Arg::Value(bytes), self.int(dim)];
        let bytes = self.op("aten.unsqueeze.default", args)?;
        let args = vec![self.int(0), self.int(count * bits), self.int(bits)];
        let dtype = vec![("dtype", Arg::Dtype(Dtype::Uint8))];
        let shifts = Builder::new(self.graph).op_with("aten.arange.start_step", args, dtype)?;
        let mut shape = vec![self.graph.syms.constant(count as i64)];
        shape.resize(1 + behind, self.graph.syms.constant(1));
        let shifts = self.op("aten.view.default", vec![Arg::Value(shifts), Arg::Ints(shape)])?;
        let args = vec![Arg::Value(bytes), Arg::Value(shifts)];
        let shifted = self.op("aten.bitwise_right_shift.Tensor", args)?;
        let fields = self.masked(shifted, 0, (1 << bits) - 1)?;
        self.flat(fields)
    }
    /// The fields of one byte stand beside one another.
    fn spread_behind(&mut self, bytes: Value, fields: (usize, usize)) -> Built {
        self.spread(bytes, fields, 0)
    }
    /// `groups` groups of `bytes` bytes: the first field of all bytes of a group, then the second, ….
    fn fields(&mut self, from: usize, groups: usize, bytes: usize, fields: (usize, usize)) -> Built {
        let all = self.bytes(from, groups * bytes)?;
        let all = self.shaped(all, &[groups, bytes])?;
        self.spread(all, fields, 1)
    }
    fn nibbles(&mut self, from: usize, bytes: usize, groups: usize) -> Built {
        self.fields(from, groups, bytes / groups, (2, 4))
    }
    /// Low bits, and high ones that stand apart.
    fn joined(&mut self, low: Value, high: Value, bits: usize) -> Built {
        let args = vec![Arg::Value(high), self.int(bits)];
        let high = self.op("aten.bitwise_left_shift.Tensor_Scalar", args)?;
        self.op("aten.bitwise_or.Tensor", vec![Arg::Value(low), Arg::Value(high)])
    }
    /// Codes of 5 bits: 16 bytes of nibbles, and 4 bytes of the highest bits in their elements' order.
    fn with_fifth_bits(&mut self, nibbles: usize, highest: usize) -> Built {
        let (low, high) = (self.nibbles(nibbles, 16, 1)?, self.bytes(highest, 4)?);
        let high = self.spread_behind(high, (8, 1))?;
        self.joined(low, high, 4)
    }

    fn moved(&mut self, value: Value, by: f64) -> Built {
        let value = self.float(value)?;
        self.op("aten.add.Scalar", vec![Arg::Value(value), Arg::Float(by)])
    }
    fn product(&mut self, a: Value, b: Value) -> Built {
        self.op("aten.mul.Tensor", vec![Arg::Value(a), Arg::Value(b)])
    }
    /// A scale of float16.
    fn scale(&mut self, from: usize) -> Built {
        self.numbers(from, 2, Dtype::Float16)
    }
    /// `(code + zero) * scale`
    fn scaled(&mut self, codes: Value, zero: f64, scale: usize) -> Built {
        let codes = if zero == 0.0 { codes } else { self.moved(codes, zero)? };
        let scale = self.scale(scale)?;
        self.product(codes, scale)
    }
    /// `code * scale + least`
    fn scaled_and_moved(&mut self, codes: Value) -> Built {
        let (codes, least) = (self.float(codes)?, self.scale(2)?);
        let scaled = self.scaled(codes, 0.0, 0)?;
        self.op("aten.add.Tensor", vec![Arg::Value(scaled), Arg::Value(least)])
    }
    /// `code * (group's scale * block's scale) - group's least * block's least`, for groups of so many elements.
    fn scaled_by_groups(
        &mut self,
        codes: Value,
        scale: (Value, usize),
        least: Option<(Value, usize)>,
        group: usize,
    ) -> Built {
        let groups = self.width(codes) / group;
        let mut of_groups = |(by, at): (Value, usize)| {
            let (by, whole) = (self.float(by)?, self.scale(at)?);
            let by = self.product(by, whole)?;
            self.shaped(by, &[groups, 1])
        };
        let (scale, least) = (of_groups(scale)?, least.map(of_groups).transpose()?);
        let codes = self.shaped(codes, &[groups, group])?;
        let mut value = self.product(codes, scale)?;
        if let Some(least) = least {
            value = self.op("aten.sub.Tensor", vec![Arg::Value(value), Arg::Value(least)])?;
        }
        self.flat(value)
    }
    /// 8 scales and 8 minima of 6 bits in 12 bytes: the first four of each whole, and the high bits of the last four above those.
    fn scaled_by_six_bits(&mut self, codes: Value) -> Built {
        let (a, b, c) = (self.bytes(4, 4)?, self.bytes(8, 4)?, self.bytes(12, 4)?);
        let mut of = |whole: Value, from: usize| {
            let (first, low, high) =
                (self.masked(whole, 0, 63)?, self.masked(c, from, 15)?, self.masked(whole, 6, 3)?);
            let last = self.joined(low, high, 4)?;
            let dim = self.int(self.lead.len());
            self.op("aten.cat.default", vec![Arg::Values(vec![Some(first), Some(last)]), dim])
        };
        let (scales, least) = (of(a, 0)?, of(b, 4)?);
        self.scaled_by_groups(codes, (scales, 0), Some((least, 2)), 32)
    }
    fn looked_up(&mut self, codes: Value, name: &str, values: &[f32]) -> Built {
        let name = format!("{name} values");
        let known = self.graph.constants.iter().find(|c| c.name == name).map(|c| c.value);
        let table = known.unwrap_or_else(|| {
            let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            let shape = vec![self.graph.syms.constant(values.len() as i64)];
            let meta = TensorMeta::contiguous(&self.graph.syms, Dtype::Float32, shape);
            self.graph.add_constant(&name, ConstantKind::Constant, meta, Arc::new(ConstantData::Owned(bytes)))
        });
        let dtype = vec![("dtype", Arg::Dtype(Dtype::Int64))];
        let codes =
            Builder::new(self.graph).op_with("aten._to_copy.default", vec![Arg::Value(codes)], dtype)?;
        self.op("aten.index.Tensor", vec![Arg::Value(table), Arg::Values(vec![Some(codes)])])
    }
    /// Half of the power of two of which a byte is the exponent, biased by 127.
    fn half_of_power(&mut self, at: usize) -> Built {
        let exponent = self.bytes(at, 1)?;
        let dtype = vec![("dtype", Arg::Dtype(Dtype::Int32))];
        let e =
            Builder::new(self.graph).op_with("aten._to_copy.default", vec![Arg::Value(exponent)], dtype)?;
        let one_less = vec![Arg::Value(e), self.int(1)];
        let normal = self.op("aten.sub.Scalar", one_less)?;
        let normal = vec![Arg::Value(normal), self.int(23)];
        let normal = self.op("aten.bitwise_left_shift.Tensor_Scalar", normal)?;
        // Exponents 0 and 1 give numbers below the smallest normal one.
        let small = vec![Arg::Value(e), self.int(1)];
        let small = self.op("aten.add.Scalar", small)?;
        let small = vec![Arg::Value(small), self.int(0x0020_0000)];
        let small = self.op("aten.mul.Scalar", small)?;
        let is_small = vec![Arg::Value(e), self.int(2)];
        let is_small = self.op("aten.lt.Scalar", is_small)?;
        let bits = vec![Arg::Value(is_small), Arg::Value(small), Arg::Value(normal)];
        let bits = self.op("aten.where.self", bits)?;
        self.op("aten.view.dtype", vec![Arg::Value(bits), Arg::Dtype(Dtype::Float32)])
    }
}
