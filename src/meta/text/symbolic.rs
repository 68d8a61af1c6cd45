//! What texts of graphs and of loops share: symbols, symbolic integers and dtypes.

use super::cursor::Cursor;
use super::{Result, TextError};
use crate::base::HashMap;
use crate::ir::text::lexer::Token;
use crate::types::{Calculation, Dtype, RandomState, Range, Scalar, SymArena, SymInt};
use std::sync::Arc;

/// How deep parentheses may nest.
const DEPTH: usize = 100;
/// Operations on the longest way down an expression: readers recurse through them.
const MOST_OPERATIONS: u32 = 500;

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

/// A place in a text, and the symbols that were declared before it.
pub struct Symbolic {
    pub cursor: Cursor,
    pub syms: Arc<SymArena>,
    pub symbols: HashMap<String, SymInt>,
}

impl Symbolic {
    /// `symbol` was read: the rest of its declaration.
    pub fn symbol(&mut self) -> Result<SymInt> {
        let place = self.cursor.place();
        let name = match self.cursor.next() {
            Token::Word(w) | Token::Symbol(w) => w,
            other => return Err(TextError::new(place, format!("expected a symbol's name, found {other}"))),
        };
        self.cursor.word("in")?;
        self.cursor.sign("[")?;
        let min = self.bound()?;
        self.cursor.sign(",")?;
        let max = self.bound()?;
        self.cursor.sign("]")?;
        if min > max {
            return Err(TextError::new(place, format!("the range of `{name}` is empty")));
        }
        let hint = if self.cursor.take_word("hint") { Some(self.cursor.integer()?) } else { None };
        // A functional graph names the random state that its runs start from.
        let is_state = |part: &RandomState| {
            part.name() == name && part.range() == Range::new(min, max) && hint.is_none()
        };
        let symbol = match RandomState::ALL.into_iter().find(is_state) {
            Some(part) => self.syms.random_state(part),
            None => self.syms.symbol(&name, Range::new(min, max), hint),
        };
        if self.symbols.insert(name.clone(), symbol).is_some() {
            return Err(TextError::new(place, format!("the symbol `{name}` is declared twice")));
        }
        Ok(symbol)
    }
    /// `let` was read: a name for a part of sizes.
    pub fn part(&mut self) -> Result<()> {
        let place = self.cursor.place();
        let name = match self.cursor.next() {
            Token::Word(w) | Token::Symbol(w) => w,
            other => return Err(TextError::new(place, format!("expected a name for a size, found {other}"))),
        };
        self.cursor.sign("=")?;
        let value = if self.at_float() { self.float(0)? } else { self.size()? };
        match self.symbols.insert(name.clone(), value) {
            None => Ok(()),
            Some(_) => Err(TextError::new(place, format!("the symbol `{name}` is declared twice"))),
        }
    }
    fn bound(&mut self) -> Result<i64> {
        if self.cursor.take_sign("-") {
            if self.cursor.take_word("inf") {
                return Ok(i64::MIN);
            }
            return Ok(self.cursor.unsigned()?.wrapping_neg());
        }
        if self.cursor.take_word("inf") { Ok(i64::MAX) } else { self.cursor.integer() }
    }

    pub fn dtype(&mut self) -> Result<Dtype> {
        let place = self.cursor.place();
        match self.cursor.next() {
            Token::Word(w) if Dtype::from_name(&w).is_some() => {
                Ok(Dtype::from_name(&w).unwrap_or(Dtype::Float32))
            }
            other => {
                let known: Vec<&str> = Dtype::ALL.iter().map(|d| d.name()).collect();
                Err(TextError::new(place, format!("expected a dtype ({}), found {other}", known.join(", "))))
            }
        }
    }

    pub fn size(&mut self) -> Result<SymInt> {
        let place = self.cursor.place();
        let size = self.expression(0, 0)?;
        let syms = Arc::clone(&self.syms);
        // What overflows is not folded.
        if syms.as_const(size).is_none() && syms.symbols(size).is_empty() {
            return Err(TextError::new(place, format!("{} does not fit 64 bits", syms.display(size))));
        }
        Ok(size)
    }
    pub fn sizes(&mut self) -> Result<Vec<SymInt>> {
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
            let syms = Arc::clone(&self.syms);
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
            // Operations from left to right nest without parentheses.
            if syms.depth(left) > MOST_OPERATIONS {
                let message = format!("the expression nests deeper than {MOST_OPERATIONS} operations");
                return Err(TextError::new(place, message));
            }
        }
    }

    fn operand(&mut self, depth: usize) -> Result<SymInt> {
        let syms = Arc::clone(&self.syms);
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
        Ok(self.syms.calculate(calculation, &operands))
    }

    /// True where a float of symbols begins.
    pub fn at_float(&mut self) -> bool {
        let Token::Word(w) = self.cursor.peek() else { return false };
        w == "as_float" || Calculation::from_name(w).is_some_and(Calculation::gives_float)
    }
    /// A float, as its bits: a literal, a calculation, or a symbol that holds a float's bits.
    pub fn float(&mut self, depth: usize) -> Result<SymInt> {
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
            Some(Scalar::Float(v)) => Ok(self.syms.float_constant(v)),
            _ => Err(TextError::new(
                place,
                "expected a float: a literal such as 0.5, a calculation or `as_float(…)`",
            )),
        }
    }
}
