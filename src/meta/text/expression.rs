//! Symbolic integers and arguments.

use super::{Reader, Result, TextError};
use crate::ir::Arg;
use crate::ir::text::is_keyword;
use crate::ir::text::lexer::Token;
use crate::types::{Calculation, Device, DeviceKind, Dtype, Layout, MemoryFormat, Scalar, SymInt};

/// How deep parentheses may nest.
const DEPTH: usize = 100;

/// A binary operator: how strongly it binds, and its sign.
fn binary(token: &Token) -> Option<(u8, &str)> {
    Some(match token {
        Token::Word(w) if w == "or" => (1, "or"),
        Token::Word(w) if w == "and" => (2, "and"),
        Token::Sign(s @ ("==" | "!=" | "<" | "<=" | ">" | ">=")) => (4, s),
        Token::Sign(s @ ("+" | "-")) => (5, s),
        Token::Sign(s @ ("*" | "//" | "%")) => (6, s),
        _ => return None,
    })
}
const NOT: u8 = 3;
const PRODUCT: u8 = 6;

impl Reader {
    pub(super) fn size(&mut self) -> Result<SymInt> {
        let place = self.cursor.place();
        let size = self.expression(0, 0)?;
        let syms = self.syms();
        // What overflows is not folded.
        if syms.as_const(size).is_none() && syms.symbols(size).is_empty() {
            return Err(TextError::new(place, format!("{} does not fit 64 bits", syms.display(size))));
        }
        Ok(size)
    }
    pub(super) fn sizes(&mut self) -> Result<Vec<SymInt>> {
        self.cursor.sign("[")?;
        let mut sizes = Vec::new();
        while !self.cursor.take_sign("]") {
            sizes.push(self.size()?);
            if !self.cursor.take_sign(",") {
                self.cursor.sign("]")?;
                break;
            }
        }
        Ok(sizes)
    }

    fn expression(&mut self, least: u8, depth: usize) -> Result<SymInt> {
        if depth > DEPTH {
            return Err(TextError::new(
                self.cursor.place(),
                format!("the expression nests deeper than {DEPTH}"),
            ));
        }
        let mut left = self.operand(depth)?;
        loop {
            let Some((strength, sign)) = binary(self.cursor.peek()).filter(|(s, _)| *s >= least) else {
                return Ok(left);
            };
            let sign = sign.to_string();
            let place = self.cursor.place();
            self.cursor.next();
            let right = self.expression(strength + 1, depth + 1)?;
            let syms = self.syms();
            if matches!(sign.as_str(), "//" | "%") && syms.as_const(right) == Some(0) {
                return Err(TextError::new(place, "division by zero"));
            }
            left = match sign.as_str() {
                "or" => syms.or(left, right),
                "and" => syms.and(left, right),
                "==" => syms.eq(left, right),
                "!=" => syms.ne(left, right),
                "<" => syms.lt(left, right),
                "<=" => syms.le(left, right),
                ">" => syms.lt(right, left),
                ">=" => syms.le(right, left),
                "+" => syms.add(left, right),
                "-" => syms.sub(left, right),
                "*" => syms.mul(left, right),
                "//" => syms.floordiv(left, right),
                _ => syms.modulo(left, right),
            };
        }
    }

    fn operand(&mut self, depth: usize) -> Result<SymInt> {
        let syms = self.syms();
        let place = self.cursor.place();
        match self.cursor.peek().clone() {
            Token::Int(_) => Ok(syms.constant(self.cursor.integer()?)),
            Token::Sign("-") => {
                self.cursor.next();
                if matches!(self.cursor.peek(), Token::Int(_)) {
                    return Ok(syms.constant(self.cursor.unsigned()?.wrapping_neg()));
                }
                let inner = self.expression(PRODUCT, depth + 1)?;
                Ok(syms.neg(inner))
            }
            Token::Sign("(") => {
                self.cursor.next();
                let inner = self.expression(0, depth + 1)?;
                self.cursor.sign(")")?;
                Ok(inner)
            }
            Token::Word(w) if w == "not" => {
                self.cursor.next();
                let inner = self.expression(NOT, depth + 1)?;
                Ok(syms.not(inner))
            }
            Token::Word(w) if matches!(w.as_str(), "min" | "max" | "select") => {
                self.cursor.next();
                self.cursor.sign("(")?;
                let mut args = vec![self.expression(0, depth + 1)?];
                while self.cursor.take_sign(",") {
                    args.push(self.expression(0, depth + 1)?);
                }
                self.cursor.sign(")")?;
                match (w.as_str(), &args[..]) {
                    ("min", [a, b]) => Ok(syms.min(*a, *b)),
                    ("max", [a, b]) => Ok(syms.max(*a, *b)),
                    ("select", [c, a, b]) => Ok(syms.select(*c, *a, *b)),
                    _ => Err(TextError::new(place, format!("`{w}` does not take {} arguments", args.len()))),
                }
            }
            Token::Word(w) if Calculation::from_name(&w).is_some_and(|c| !c.gives_float()) => {
                self.calculation(depth + 1)
            }
            Token::Word(name) | Token::Symbol(name) => match self.symbols.get(&name) {
                Some(symbol) => {
                    let symbol = *symbol;
                    self.cursor.next();
                    Ok(symbol)
                }
                None => {
                    Err(TextError::new(place, format!("there is no symbol `{name}` declared before this")))
                }
            },
            _ => Err(self.cursor.expected("a size")),
        }
    }

    /// A calculation by its name.
    fn calculation(&mut self, depth: usize) -> Result<SymInt> {
        let place = self.cursor.place();
        let calculation = match self.cursor.next() {
            Token::Word(w) => Calculation::from_name(&w),
            _ => None,
        };
        let calculation =
            calculation.ok_or_else(|| TextError::new(place, "expected a calculation's name"))?;
        if depth > DEPTH {
            return Err(TextError::new(place, format!("the expression nests deeper than {DEPTH}")));
        }
        self.cursor.sign("(")?;
        let mut operands = Vec::new();
        for k in 0..calculation.arity() {
            if k > 0 {
                self.cursor.sign(",")?;
            }
            operands.push(match calculation.takes_float(k) {
                true => self.float(depth + 1)?,
                false => self.expression(0, depth + 1)?,
            });
        }
        self.cursor.sign(")")?;
        Ok(self.syms().calculate(calculation, &operands))
    }

    /// True where a float of symbols begins.
    pub(super) fn at_float(&mut self) -> bool {
        let Token::Word(w) = self.cursor.peek() else { return false };
        w == "as_float" || Calculation::from_name(w).is_some_and(Calculation::gives_float)
    }
    /// A float, as its bits: a literal, a calculation, or a symbol that stands for one.
    pub(super) fn float(&mut self, depth: usize) -> Result<SymInt> {
        if self.at_float() {
            if !self.cursor.take_word("as_float") {
                return self.calculation(depth);
            }
            self.cursor.sign("(")?;
            let symbol = self.expression(0, depth + 1)?;
            self.cursor.sign(")")?;
            return Ok(symbol);
        }
        let place = self.cursor.place();
        match self.cursor.known_scalar() {
            Some(Scalar::Float(v)) => Ok(self.syms().float_constant(v)),
            _ => Err(TextError::new(
                place,
                "expected a float: a literal such as 0.5, a calculation or `as_float(…)`",
            )),
        }
    }

    /// One argument of a node.
    pub(super) fn argument(&mut self) -> Result<Arg> {
        let place = self.cursor.place();
        if let Some(known) = self.cursor.known_scalar() {
            return Ok(match known {
                Scalar::Float(v) => Arg::Float(v),
                Scalar::Bool(v) => Arg::Bool(v),
                Scalar::Int(v) => Arg::Int(self.graph.syms.constant(v)),
            });
        }
        if self.at_float() {
            return self.float(0).map(Arg::SymFloat);
        }
        match self.cursor.peek().clone() {
            Token::Value(n) => {
                self.cursor.next();
                self.lookup(n, place).map(Arg::Value)
            }
            Token::Str(s) => {
                self.cursor.next();
                Ok(Arg::Str(s))
            }
            Token::Word(w) if w == "graph" => self.subgraph().map(Arg::Graph),
            Token::Sign("[") => self.list_argument(),
            Token::Word(w) if !self.symbols.contains_key(&w) => match self.word_argument(&w)? {
                Some(arg) => Ok(arg),
                None => self.size().map(Arg::Int),
            },
            _ => self.size().map(Arg::Int),
        }
    }

    /// What a word that is no symbol means.
    fn word_argument(&mut self, word: &str) -> Result<Option<Arg>> {
        let arg = match word {
            "None" => Arg::None,
            "strided" => Arg::Layout(Layout::Strided),
            "contiguous" => Arg::MemoryFormat(MemoryFormat::Contiguous),
            "channels_last" => Arg::MemoryFormat(MemoryFormat::ChannelsLast),
            "channels_last_3d" => Arg::MemoryFormat(MemoryFormat::ChannelsLast3d),
            "preserve" => Arg::MemoryFormat(MemoryFormat::Preserve),
            "cpu" | "cuda" => {
                self.cursor.next();
                let kind = if word == "cuda" { DeviceKind::Cuda } else { DeviceKind::Cpu };
                let place = self.cursor.place();
                let index = if self.cursor.take_sign("(") {
                    let index = self.cursor.integer()?;
                    self.cursor.sign(")")?;
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
                        .cursor
                        .expected("an argument (a value, number, size, string, dtype or list)"));
                }
            },
        };
        self.cursor.next();
        Ok(Some(arg))
    }

    fn list_argument(&mut self) -> Result<Arg> {
        let place = self.cursor.place();
        self.cursor.sign("[")?;
        let mut items = Vec::new();
        while !self.cursor.take_sign("]") {
            if matches!(self.cursor.peek(), Token::Sign("[")) {
                return Err(self.cursor.expected("an element that is no list"));
            }
            items.push(self.argument()?);
            if !self.cursor.take_sign(",") {
                self.cursor.sign("]")?;
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
