//! Constants in a text: their names, the views of a storage that others share, and their data: written out, in base64, made
//! from a seed, or in a file beside the text.

use super::{Reader, Result, TextError};
use crate::ir::seeded::{MOST_BYTES, Seeded};
use crate::ir::text::base64;
use crate::ir::text::lexer::{Place, Token};
use crate::ir::{ConstantData, ConstantKind, ConstantView};
use crate::types::{Dtype, Scalar};
use std::sync::Arc;

impl Reader {
    pub(super) fn constant(&mut self, kind: ConstantKind, start: Place) -> Result<()> {
        let (number, place, name) = self.head()?;
        self.check_new(&name, start)?;
        let aliases = self.aliases()?;
        let views = self.constant_views()?;
        self.text.cursor.sign(":")?;
        let at = self.text.cursor.place();
        let meta = self.meta()?;
        let sizes = self.graph.syms.as_consts(&meta.shape);
        let bytes = sizes.and_then(|s| s.iter().try_fold(meta.dtype.size() as i64, |n, d| n.checked_mul(*d)));
        let bytes = bytes.ok_or_else(|| TextError::new(at, "a constant's sizes must be known numbers"))?;
        self.text.cursor.sign("=")?;
        let at = self.text.cursor.place();
        let data = self.data(meta.dtype, bytes as usize)?;
        let given = data.bytes().len();
        if given as i64 != bytes {
            return Err(TextError::new(at, format!("{bytes} bytes are asked, {given} given")));
        }
        let count = given / meta.dtype.size();
        for view in &views {
            let last = view.shape.iter().zip(&view.strides).try_fold(view.offset, |sum, (n, stride)| {
                sum.checked_add((n - 1).max(0).checked_mul(*stride)?)
            });
            let empty = view.shape.contains(&0);
            let fits = last.is_some_and(|last| empty || (last as u64) < count as u64);
            if meta.shape.len() != 1 || !fits {
                let message =
                    format!("the view \"{}\" does not lie in a storage of one dimension", view.name);
                return Err(TextError::new(start, message));
            }
        }
        let value = self.graph.add_constant(&name, kind, meta, Arc::new(data));
        if let Some(constant) = self.graph.constants.last_mut() {
            constant.aliases = aliases;
            constant.views = views;
        }
        self.define(number, place, value)
    }

    fn aliases(&mut self) -> Result<Vec<String>> {
        let mut aliases = Vec::new();
        if self.text.cursor.take_word("aliases") {
            self.text.cursor.sign("[")?;
            while !self.text.cursor.take_sign("]") {
                aliases.push(self.text.cursor.string("an alias")?);
                if !self.text.cursor.take_sign(",") {
                    self.text.cursor.sign("]")?;
                    break;
                }
            }
        }
        Ok(aliases)
    }

    /// `views [buffer "v" [4] strides [1] offset 2, …]`
    fn constant_views(&mut self) -> Result<Vec<ConstantView>> {
        let mut views = Vec::new();
        if !self.text.cursor.take_word("views") {
            return Ok(views);
        }
        self.text.cursor.sign("[")?;
        while !self.text.cursor.take_sign("]") {
            let place = self.text.cursor.place();
            let kind = match self.text.cursor.next() {
                Token::Word(w) if w == "parameter" => ConstantKind::Parameter,
                Token::Word(w) if w == "buffer" => ConstantKind::Buffer,
                Token::Word(w) if w == "constant" => ConstantKind::Constant,
                other => {
                    let message = format!("expected `parameter`, `buffer` or `constant`, found {other}");
                    return Err(TextError::new(place, message));
                }
            };
            let name = self.text.cursor.string("the name")?;
            self.check_new(&name, place)?;
            let aliases = self.aliases()?;
            let shape = self.known_sizes()?;
            self.text.cursor.word("strides")?;
            let strides = self.known_sizes()?;
            self.text.cursor.word("offset")?;
            let offset = self.text.cursor.integer()?;
            if strides.len() != shape.len() || offset < 0 {
                return Err(TextError::new(
                    place,
                    "a view has one stride for each size, and a place from 0 on",
                ));
            }
            views.push(ConstantView { name, aliases, kind, shape, strides, offset });
            if !self.text.cursor.take_sign(",") {
                self.text.cursor.sign("]")?;
                break;
            }
        }
        Ok(views)
    }

    /// A list of known numbers that are not negative.
    fn known_sizes(&mut self) -> Result<Vec<i64>> {
        let place = self.text.cursor.place();
        let sizes = self.text.sizes()?;
        let known = self.graph.syms.as_consts(&sizes).filter(|list| list.iter().all(|n| *n >= 0));
        known.ok_or_else(|| TextError::new(place, "these must be known numbers, none of them negative"))
    }

    /// The data of a constant of `wanted` bytes.
    fn data(&mut self, dtype: Dtype, wanted: usize) -> Result<ConstantData> {
        let place = self.text.cursor.place();
        if self.text.cursor.take_word("stored") {
            let at = self.text.cursor.unsigned()? as usize;
            let Some(owner) = &self.stored else {
                let message =
                    "the data lie in a file beside this text: read its folder with litz_graph_from_repro";
                return Err(TextError::new(place, message));
            };
            let end = at.checked_add(wanted).filter(|end| *end <= (**owner).as_ref().len());
            let end =
                end.ok_or_else(|| TextError::new(place, "the file beside this text ends before the data"))?;
            return Ok(ConstantData::Shared { owner: owner.clone(), range: at..end });
        }
        if self.text.cursor.take_word("seeded") {
            let seeded = self.seeded()?;
            if wanted > MOST_BYTES {
                let message =
                    format!("{wanted} bytes are more than a seed may stand for, which is {MOST_BYTES}");
                return Err(TextError::new(place, message));
            }
            let made = seeded.bytes(dtype, wanted).map(ConstantData::Owned);
            return made.ok_or_else(|| TextError::new(place, format!("these are no elements of {dtype}")));
        }
        self.written(dtype).map(ConstantData::Owned)
    }

    /// `7 mean 0.0 spread 0.1`, `7 from 0 to 9`
    fn seeded(&mut self) -> Result<Seeded> {
        let seed = self.text.cursor.unsigned()? as u64;
        if self.text.cursor.take_word("mean") {
            let mean = self.text.cursor.scalar()?.as_f64();
            self.text.cursor.word("spread")?;
            return Ok(Seeded::Floats { seed, mean, spread: self.text.cursor.scalar()?.as_f64() });
        }
        self.text.cursor.word("from")?;
        let from = self.text.cursor.integer()?;
        self.text.cursor.word("to")?;
        let place = self.text.cursor.place();
        match self.text.cursor.integer()? {
            to if to < from => Err(TextError::new(place, format!("there is no number from {from} to {to}"))),
            to => Ok(Seeded::Integers { seed, from, to }),
        }
    }

    /// Data that stand in the text.
    fn written(&mut self, dtype: Dtype) -> Result<Vec<u8>> {
        let place = self.text.cursor.place();
        if self.text.cursor.take_word("base64") {
            let place = self.text.cursor.place();
            let text = self.text.cursor.string("the data in base64")?;
            return base64::decode(&text).map_err(|e| TextError::new(place, e));
        }
        if self.text.cursor.take_word("elided") {
            return Err(TextError::new(
                place,
                "this dump leaves the constant's data out, so it cannot be read; print the whole graph instead",
            ));
        }
        if !self.text.cursor.take_sign("[") {
            return Err(self.text.cursor.expected("the data: a list of numbers, or `base64` and a string"));
        }
        let mut bytes = Vec::new();
        while !self.text.cursor.take_sign("]") {
            let place = self.text.cursor.place();
            let element = encode(dtype, self.text.cursor.scalar()?);
            bytes.extend(element.map_err(|e| TextError::new(place, e))?);
            if !self.text.cursor.take_sign(",") {
                self.text.cursor.sign("]")?;
                break;
            }
        }
        Ok(bytes)
    }
}

/// One element's bytes.
fn encode(dtype: Dtype, value: Scalar) -> std::result::Result<Vec<u8>, String> {
    let range = |bits: u32, signed: bool| {
        let v = match value {
            Scalar::Int(v) => v as i128,
            other => return Err(format!("{other} is no {dtype}")),
        };
        let (min, max) =
            if signed { (-(1i128 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
        if v < min || v > max { Err(format!("{v} does not fit {dtype}")) } else { Ok(v as u64) }
    };
    let bits = 8 * dtype.size() as u32;
    Ok(match dtype {
        Dtype::Float32 => (value.as_f64() as f32).to_le_bytes().to_vec(),
        Dtype::Float64 => value.as_f64().to_le_bytes().to_vec(),
        Dtype::Bool => match value {
            Scalar::Bool(v) => vec![v as u8],
            other => return Err(format!("{other} is no bool")),
        },
        d if d.is_integer() => range(bits, d.is_signed())?.to_le_bytes()[..d.size()].to_vec(),
        d => return Err(format!("data of {d} stands in base64 only")),
    })
}
