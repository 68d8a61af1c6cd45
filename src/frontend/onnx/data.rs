//! Tensors that a file holds: element types, data in the message or in files beside the model.
//!
//! Invariants: the number of bytes is what shape and element type say; a path of external data stays within the model's
//! folder, links followed.
//!
//! Types of 2 and 4 bits and the small floats have no dtype that kernels compute with. They are held one value to a byte:
//! integers as int8 or uint8, floats as uint8 with their bits. [`Narrow`] says what such bytes mean.
//!
//! Deliberately absent: strings, and sparse tensors.

use super::super::FrontendError;
use super::super::error::Result;
use super::super::mapped::{Shared, beside, is_aligned, map};
use super::proto;
use crate::base::{HashMap, is_planted, memory};
use crate::ir::{ConstantData, ConstantKind};
use crate::types::Dtype;
use bytes::Bytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An element type that no dtype computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    Int { bits: u32, signed: bool },
    Float(SmallFloat),
}

/// A float of at most 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallFloat {
    pub signed: bool,
    pub exponent: u32,
    pub mantissa: u32,
    pub bias: i32,
    pub special: Special,
}

/// Which codes are no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// Infinities and NaN as IEEE 754 has them.
    Ieee,
    /// All bits set is NaN, of either sign.
    AllOnes,
    /// Minus zero is NaN, alone.
    NegativeZero,
    /// Every code is a number.
    Never,
}

/// The dtype that elements are held in, and what they mean where that is not all.
pub fn element(number: i32) -> Result<(Dtype, Option<Narrow>)> {
    let int =
        |bits, signed| (if signed { Dtype::Int8 } else { Dtype::Uint8 }, Some(Narrow::Int { bits, signed }));
    let float = |exponent, mantissa, bias, special| {
        let signed = special != Special::AllOnes || mantissa > 0;
        (Dtype::Uint8, Some(Narrow::Float(SmallFloat { signed, exponent, mantissa, bias, special })))
    };
    Ok(match number {
        1 => (Dtype::Float32, None),
        2 => (Dtype::Uint8, None),
        3 => (Dtype::Int8, None),
        4 => (Dtype::Uint16, None),
        5 => (Dtype::Int16, None),
        6 => (Dtype::Int32, None),
        7 => (Dtype::Int64, None),
        9 => (Dtype::Bool, None),
        10 => (Dtype::Float16, None),
        11 => (Dtype::Float64, None),
        12 => (Dtype::Uint32, None),
        13 => (Dtype::Uint64, None),
        14 => (Dtype::Complex64, None),
        15 => (Dtype::Complex128, None),
        16 => (Dtype::Bfloat16, None),
        17 => float(4, 3, 7, Special::AllOnes),
        18 => float(4, 3, 8, Special::NegativeZero),
        19 => float(5, 2, 15, Special::Ieee),
        20 => float(5, 2, 16, Special::NegativeZero),
        21 => int(4, false),
        22 => int(4, true),
        23 => float(2, 1, 1, Special::Never),
        24 => float(8, 0, 127, Special::AllOnes),
        25 => int(2, false),
        26 => int(2, true),
        8 => return Err(FrontendError::unsupported("tensors of strings are not supported")),
        0 => return Err(FrontendError::parse("the element type is not given")),
        other => {
            return Err(FrontendError::unsupported(format!("the element type number {other} is not known")));
        }
    })
}

/// [`element`] of an attribute, where only types do that kernels compute with.
pub fn dtype(number: i64) -> Result<Dtype> {
    let (dtype, narrow) = attribute(number)?;
    match narrow {
        None => Ok(dtype),
        Some(_) => {
            Err(FrontendError::unsupported(format!("the element type number {number} is not supported here")))
        }
    }
}

/// [`element`] of an attribute.
pub fn attribute(number: i64) -> Result<(Dtype, Option<Narrow>)> {
    element(i32::try_from(number).unwrap_or(-1))
}

/// How many bits of a byte or more an element has in a file.
pub fn bits(dtype: Dtype, narrow: Option<Narrow>) -> usize {
    match narrow {
        Some(Narrow::Int { bits, .. }) => bits as usize,
        Some(Narrow::Float(f)) => (f.signed as u32 + f.exponent + f.mantissa) as usize,
        None => 8 * dtype.size(),
    }
}

/// A tensor whose data are known.
#[derive(Clone, Debug)]
pub struct Data {
    /// What a constant of the graph is called; empty where the file has no name for it.
    pub name: String,
    pub kind: ConstantKind,
    pub dtype: Dtype,
    pub narrow: Option<Narrow>,
    pub shape: Vec<i64>,
    pub bytes: Arc<ConstantData>,
}

impl Data {
    pub fn count(&self) -> usize {
        self.bytes.bytes().len() / self.dtype.size()
    }
}

/// Where a model's data lie.
pub struct Store {
    /// The model itself.
    file: Shared,
    folder: Option<PathBuf>,
    others: HashMap<String, Shared>,
}

/// Shared bytes for a decoder.
struct Owner(Shared);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl Store {
    pub fn new(file: Shared, folder: Option<&Path>) -> Store {
        Store { file, folder: folder.map(Path::to_path_buf), others: HashMap::default() }
    }
    /// The model's bytes; pieces of them share its memory.
    pub fn bytes(&self) -> Bytes {
        Bytes::from_owner(Owner(self.file.clone()))
    }

    /// Reads a tensor.
    pub fn tensor(&mut self, tensor: &proto::Tensor) -> Result<Data> {
        if tensor.segment.is_some() {
            return Err(FrontendError::unsupported("a tensor whose data are divided into segments"));
        }
        let (dtype, narrow) = element(tensor.data_type)?;
        let bits = bits(dtype, narrow);
        if tensor.dims.len() > 64 {
            return Err(FrontendError::parse(format!("a tensor of {} dimensions", tensor.dims.len())));
        }
        let shape = tensor.dims.clone();
        let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(usize::try_from(*d).ok()?));
        let wanted = count.and_then(|n| Some(n.checked_mul(bits)?.div_ceil(8)));
        let (Some(count), Some(wanted)) = (count, wanted) else {
            return Err(FrontendError::parse(format!("the sizes {shape:?} are no tensor's")));
        };
        let bytes = if tensor.location == 1 {
            self.external(tensor, wanted)?
        } else if let Some(raw) = &tensor.raw {
            check_length(raw.len(), wanted)?;
            self.piece(raw)
        } else {
            let bytes = typed(tensor, dtype, narrow)?;
            check_length(bytes.len(), wanted)?;
            ConstantData::Owned(bytes)
        };
        let bytes = if bits < 8 {
            ConstantData::Owned(unpack(bytes.bytes(), count, bits, dtype))
        } else if dtype == Dtype::Bool && bytes.bytes().iter().any(|b| *b > 1) {
            ConstantData::Owned(bytes.bytes().iter().map(|b| (*b != 0) as u8).collect())
        } else {
            bytes
        };
        Ok(Data {
            name: String::new(),
            kind: ConstantKind::Constant,
            dtype,
            narrow,
            shape,
            bytes: Arc::new(bytes),
        })
    }

    /// Bytes of the model, where they lie aligned for every dtype; a copy otherwise.
    fn piece(&self, bytes: &Bytes) -> ConstantData {
        let all = (*self.file).as_ref();
        let start = (bytes.as_ptr() as usize).checked_sub(all.as_ptr() as usize);
        match start {
            Some(start) if start + bytes.len() <= all.len() && is_aligned(bytes) => {
                ConstantData::Shared { owner: self.file.clone(), range: start..start + bytes.len() }
            }
            _ => {
                memory::expect(bytes.len());
                ConstantData::Owned(bytes.to_vec())
            }
        }
    }

    fn external(&mut self, tensor: &proto::Tensor, wanted: usize) -> Result<ConstantData> {
        let field = |key: &str| tensor.external.iter().find(|e| e.key == key).map(|e| e.value.as_str());
        let number = |key: &str, default: usize| match field(key) {
            None => Ok(default),
            Some(text) => text.trim().parse::<usize>().map_err(|_| {
                FrontendError::parse(format!("external data have the {key} `{text}`, which is no number"))
            }),
        };
        let location = field("location")
            .ok_or_else(|| FrontendError::parse("external data do not say in which file they are"))?;
        let (offset, length) = (number("offset", 0)?, number("length", wanted)?);
        check_length(length, wanted)?;
        let file = self.open(location)?;
        let size = (*file).as_ref().len();
        let Some(end) = offset.checked_add(length).filter(|end| *end <= size) else {
            return Err(FrontendError::parse(format!(
                "{length} bytes from byte {offset} on are asked of `{location}`, which has {size}"
            )));
        };
        let bytes = &(*file).as_ref()[offset..end];
        if is_aligned(bytes) {
            return Ok(ConstantData::Shared { range: offset..end, owner: file });
        }
        memory::expect(length);
        Ok(ConstantData::Owned(bytes.to_vec()))
    }

    /// Maps a file of the model's folder.
    fn open(&mut self, location: &str) -> Result<Shared> {
        if let Some(known) = self.others.get(location) {
            return Ok(known.clone());
        }
        let folder = self.folder.as_ref().ok_or_else(|| {
            FrontendError::unsupported(format!(
                "the model's data are in the file `{location}`, and no folder is given to look for it in"
            ))
        })?;
        let path = beside(folder, location).map_err(|e| e.about("external data", location))?;
        let file = map(&path).map_err(|e| e.about("external data", location))?;
        self.others.insert(location.to_string(), file.clone());
        Ok(file)
    }
}

fn check_length(have: usize, want: usize) -> Result<()> {
    if have == want {
        return Ok(());
    }
    assert!(!is_planted("tensor"), "a panic that a test asked for");
    Err(FrontendError::parse(format!("a tensor has {have} bytes of data, and its sizes ask for {want}")))
}

/// The data of the field that the element type has.
fn typed(tensor: &proto::Tensor, dtype: Dtype, narrow: Option<Narrow>) -> Result<Vec<u8>> {
    let size = match dtype {
        _ if narrow.is_some() => 1,
        Dtype::Complex64 => 4,
        Dtype::Complex128 => 8,
        _ => dtype.size(),
    };
    fn low<const N: usize>(bytes: [u8; N], size: usize) -> Vec<u8> {
        bytes[..size.min(N)].to_vec()
    }
    Ok(match dtype {
        Dtype::Float32 | Dtype::Complex64 => tensor.floats.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Dtype::Float64 | Dtype::Complex128 => tensor.doubles.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Dtype::Int64 => tensor.longs.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Dtype::Uint32 | Dtype::Uint64 => {
            tensor.unsigned.iter().flat_map(|v| low(v.to_le_bytes(), size)).collect()
        }
        _ => tensor.ints.iter().flat_map(|v| low(v.to_le_bytes(), size)).collect(),
    })
}

/// Values of 2 or 4 bits, lowest first, one to a byte.
fn unpack(bytes: &[u8], count: usize, bits: usize, dtype: Dtype) -> Vec<u8> {
    let per = 8 / bits;
    let value = |k: usize| {
        let raw = bytes[k / per] >> (k % per * bits) & ((1 << bits) - 1) as u8;
        match dtype {
            Dtype::Int8 => (((raw << (8 - bits)) as i8) >> (8 - bits)) as u8,
            _ => raw,
        }
    };
    (0..count).map(value).collect()
}
