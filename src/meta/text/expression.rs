//! Arguments of nodes.

use super::{Reader, Result, TextError};
use crate::ir::Arg;
use crate::ir::text::is_keyword;
use crate::ir::text::lexer::Token;
use crate::types::{Device, DeviceKind, Dtype, Layout, MemoryFormat, Scalar};

impl Reader {
    /// One argument of a node.
    pub(super) fn argument(&mut self) -> Result<Arg> {
        let place = self.text.cursor.place();
        if let Some(known) = self.text.cursor.known_scalar() {
            return Ok(match known {
                Scalar::Float(v) => Arg::Float(v),
                Scalar::Bool(v) => Arg::Bool(v),
                Scalar::Int(v) => Arg::Int(self.graph.syms.constant(v)),
            });
        }
        if self.text.at_float() {
            return self.text.float(0).map(Arg::SymFloat);
        }
        match self.text.cursor.peek().clone() {
            Token::Value(n) => {
                self.text.cursor.next();
                self.lookup(n, place).map(Arg::Value)
            }
            Token::Str(s) => {
                self.text.cursor.next();
                Ok(Arg::Str(s))
            }
            Token::Word(w) if w == "graph" => self.subgraph().map(Arg::Graph),
            Token::Sign("[") => self.list_argument(),
            Token::Word(w) if !self.text.symbols.contains_key(&w) => match self.word_argument(&w)? {
                Some(arg) => Ok(arg),
                None => self.text.size().map(Arg::Int),
            },
            _ => self.text.size().map(Arg::Int),
        }
    }

    /// What a word that is no symbol means.
    fn word_argument(&mut self, word: &str) -> Result<Option<Arg>> {
        let arg = match word {
            "complex" => {
                self.text.cursor.next();
                self.text.cursor.sign("(")?;
                let re = self.text.cursor.scalar()?.as_f64();
                self.text.cursor.sign(",")?;
                let im = self.text.cursor.scalar()?.as_f64();
                self.text.cursor.sign(")")?;
                return Ok(Some(Arg::Complex([re, im])));
            }
            "None" => Arg::None,
            "strided" => Arg::Layout(Layout::Strided),
            "contiguous" => Arg::MemoryFormat(MemoryFormat::Contiguous),
            "channels_last" => Arg::MemoryFormat(MemoryFormat::ChannelsLast),
            "channels_last_3d" => Arg::MemoryFormat(MemoryFormat::ChannelsLast3d),
            "preserve" => Arg::MemoryFormat(MemoryFormat::Preserve),
            "cpu" | "cuda" => {
                self.text.cursor.next();
                let kind = if word == "cuda" { DeviceKind::Cuda } else { DeviceKind::Cpu };
                let place = self.text.cursor.place();
                let index = if self.text.cursor.take_sign("(") {
                    let index = self.text.cursor.integer()?;
                    self.text.cursor.sign(")")?;
                    i32::try_from(index)
                        .map_err(|_| TextError::new(place, format!("{index} is no device's number")))?
                } else {
                    0
                };
                return Ok(Some(Arg::Device(Device { kind, index })));
            }
            _ => match Dtype::from_name(word) {
                Some(dtype) => Arg::Dtype(dtype),
                None if is_keyword(word) => return Ok(None),
                None => {
                    return Err(self
                        .text
                        .cursor
                        .expected("an argument (a value, number, size, string, dtype or list)"));
                }
            },
        };
        self.text.cursor.next();
        Ok(Some(arg))
    }

    fn list_argument(&mut self) -> Result<Arg> {
        let place = self.text.cursor.place();
        self.text.cursor.sign("[")?;
        let mut items = Vec::new();
        while !self.text.cursor.take_sign("]") {
            if matches!(self.text.cursor.peek(), Token::Sign("[")) {
                return Err(self.text.cursor.expected("an element that is no list"));
            }
            items.push(self.argument()?);
            if !self.text.cursor.take_sign(",") {
                self.text.cursor.sign("]")?;
                break;
            }
        }
        let syms = self.syms();
        let float = |a: &Arg| match a {
            Arg::Float(v) => Some(*v),
            Arg::Int(v) => syms.as_const(*v).map(|v| v as f64),
            _ => None,
        };
        let ints = items.iter().map(|a| if let Arg::Int(v) = a { Some(*v) } else { None }).collect();
        if let Some(ints) = ints {
            return Ok(Arg::Ints(ints));
        }
        if let Some(list) = items.iter().map(|a| if let Arg::Bool(v) = a { Some(*v) } else { None }).collect()
        {
            return Ok(Arg::Bools(list));
        }
        if let Some(list) = items.iter().map(float).collect() {
            return Ok(Arg::Floats(list));
        }
        if let Some(list) =
            items.iter().map(|a| if let Arg::Graph(g) = a { Some(g.clone()) } else { None }).collect()
        {
            return Ok(Arg::Graphs(list));
        }
        let values = items.iter().map(|a| match a {
            Arg::Value(v) => Some(Some(*v)),
            Arg::None => Some(None),
            _ => None,
        });
        match values.collect() {
            Some(list) => Ok(Arg::Values(list)),
            None => Err(TextError::new(place, "the elements of a list must be of one kind")),
        }
    }
}
