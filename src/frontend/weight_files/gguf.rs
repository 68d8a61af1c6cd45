//! GGUF, versions 2 and 3, of little-endian machines: keys and values, then what tensors there are, then their blocks.

use super::blocks::{self, Blocks};
use super::{Format, WeightFile, insert};
use crate::base::shortened;
use crate::frontend::error::{FrontendError, Result};
use crate::frontend::mapped::Shared;
use crate::types::Dtype;
use serde_json::Value as Json;

pub const MAGIC: &[u8] = b"GGUF";

/// Where tensors begin, unless the file says otherwise.
const ALIGNMENT: usize = 32;

/// Lists of lists of lists: files have one level.
const DEEPEST: usize = 4;

pub fn read(bytes: &Shared) -> Result<WeightFile> {
    let mut reader = Reader { bytes: (**bytes).as_ref(), at: MAGIC.len() };
    let version = reader.u32()?;
    if !matches!(version, 2 | 3) {
        let message =
            format!("version {version} of GGUF is not read; versions 2 and 3 of little-endian machines are");
        return Err(FrontendError::unsupported(message));
    }
    let (tensors, pairs) = (reader.u64()?, reader.u64()?);
    let mut file = WeightFile::default();
    for _ in 0..pairs {
        let key = reader.text()?;
        let kind = reader.u32()?;
        let value = reader.value(kind, 0)?;
        file.metadata.insert(key, value);
    }
    let mut listed = Vec::new();
    for _ in 0..tensors {
        let name = reader.text()?;
        let rank = reader.u32()?;
        if rank > 64 {
            return Err(reader.wrong(&format!("tensor `{}` has {rank} dimensions", shortened(&name))));
        }
        let mut shape = (0..rank).map(|_| reader.u64()).collect::<Result<Vec<u64>>>()?;
        shape.reverse();
        listed.push((name, shape, reader.u32()?, reader.u64()?));
    }
    let alignment = match file.metadata.get("general.alignment").map(Json::as_u64) {
        None => ALIGNMENT,
        Some(Some(n)) if n > 0 && n <= 1 << 20 => n as usize,
        Some(_) => return Err(reader.wrong("`general.alignment` is no number of bytes")),
    };
    let first = reader.at.next_multiple_of(alignment);
    for (name, shape, kind, offset) in listed {
        let shape = shape.iter().map(|n| i64::try_from(*n).unwrap_or(-1)).collect();
        let start = usize::try_from(offset).unwrap_or(usize::MAX).saturating_add(first);
        insert(&mut file, &name, (format(kind), shape), bytes, (start, None))?;
    }
    Ok(file)
}

fn format(kind: u32) -> Format {
    Format::Plain(match kind {
        0 => Dtype::Float32,
        1 => Dtype::Float16,
        24 => Dtype::Int8,
        25 => Dtype::Int16,
        26 => Dtype::Int32,
        27 => Dtype::Int64,
        28 => Dtype::Float64,
        30 => Dtype::Bfloat16,
        _ => match blocks::FORMATS.iter().find(|f: &&Blocks| f.number == kind) {
            Some(blocks) => return Format::Blocks(blocks),
            None => return Format::Unknown(name(kind), kind),
        },
    })
}

/// Formats that are not read, by their names.
fn name(kind: u32) -> &'static str {
    match kind {
        9 => "Q8_1",
        16 => "IQ2_XXS",
        17 => "IQ2_XS",
        18 => "IQ3_XXS",
        19 => "IQ1_S",
        21 => "IQ3_S",
        22 => "IQ2_S",
        29 => "IQ1_M",
        34 => "TQ1_0",
        _ => "",
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong(&self, what: &str) -> FrontendError {
        FrontendError::parse(format!("this is no whole GGUF file: byte {}: {what}", self.at))
    }
    fn take(&mut self, count: u64) -> Result<&'a [u8]> {
        let end = usize::try_from(count).ok().and_then(|n| self.at.checked_add(n));
        let Some(piece) = end.and_then(|end| self.bytes.get(self.at..end)) else {
            return Err(self
                .wrong(&format!("{count} more bytes are asked for, and the file has {}", self.bytes.len())));
        };
        self.at += piece.len();
        Ok(piece)
    }
    fn number<const N: usize>(&mut self) -> Result<[u8; N]> {
        let piece = self.take(N as u64)?;
        Ok(piece.try_into().expect("as many bytes as were asked for"))
    }
    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.number()?))
    }
    fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.number()?))
    }
    /// Texts of vocabularies need not be UTF-8.
    fn text(&mut self) -> Result<String> {
        let length = self.u64()?;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }
    /// Floats that are no finite numbers are null.
    fn value(&mut self, kind: u32, depth: usize) -> Result<Json> {
        Ok(match kind {
            0 => u8::from_le_bytes(self.number()?).into(),
            1 => i8::from_le_bytes(self.number()?).into(),
            2 => u16::from_le_bytes(self.number()?).into(),
            3 => i16::from_le_bytes(self.number()?).into(),
            4 => self.u32()?.into(),
            5 => i32::from_le_bytes(self.number()?).into(),
            6 => f32::from_le_bytes(self.number()?).into(),
            7 => (u8::from_le_bytes(self.number()?) != 0).into(),
            8 => self.text()?.into(),
            9 if depth < DEEPEST => {
                let (kind, count) = (self.u32()?, self.u64()?);
                // Each takes a byte at least, so that a short file cannot ask for a long list.
                if count > self.bytes.len() as u64 {
                    return Err(self.wrong(&format!("a list of {count}")));
                }
                Json::Array((0..count).map(|_| self.value(kind, depth + 1)).collect::<Result<_>>()?)
            }
            10 => self.u64()?.into(),
            11 => i64::from_le_bytes(self.number()?).into(),
            12 => f64::from_le_bytes(self.number()?).into(),
            other => return Err(self.wrong(&format!("a value of the unknown kind {other}"))),
        })
    }
}
