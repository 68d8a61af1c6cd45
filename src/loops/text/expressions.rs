//! Scalar expressions, and the lines that name parts of them.

use super::nodes::is_digits;
use super::read::Reader;
use super::{MOST_VARIABLES, Spelled};
use crate::ir::text::lexer::{Place, Token};
use crate::loops::{BinaryOp, BufferId, ExprId, UnaryOp};
use crate::meta::text::{Result, TextError};
use crate::types::{Dtype, SymInt};

/// How deep expressions may nest.
const DEPTH: usize = 200;

impl Reader {
    /// Whether `name =` comes next; then it is read.
    pub(super) fn at_operand(&mut self, name: &str) -> bool {
        let there = matches!(self.text.cursor.peek(), Token::Word(w) if w == name);
        there && self.text.cursor.argument_name().is_some()
    }

    /// The lines that name values, and the expression.
    pub(super) fn operand(&mut self, space: &[SymInt]) -> Result<ExprId> {
        self.enter(space, MOST_VARIABLES);
        self.named_values()?;
        self.value()
    }

    /// Lines that name values of the expression behind them.
    pub fn named_values(&mut self) -> Result<()> {
        self.values.clear();
        loop {
            let place = self.text.cursor.place();
            let is_named = matches!(self.text.cursor.peek(), Token::Word(w) if is_value(w));
            let Some(name) = is_named.then(|| self.text.cursor.argument_name()).flatten() else {
                return Ok(());
            };
            let value = self.expression(0)?;
            if self.values.insert(name.clone(), value).is_some() {
                return Err(TextError::new(place, format!("`{name}` is defined twice")));
            }
        }
    }

    /// An expression, which may use named values.
    pub fn value(&mut self) -> Result<ExprId> {
        self.expression(0)
    }

    fn expression(&mut self, depth: usize) -> Result<ExprId> {
        let place = self.text.cursor.place();
        if depth > DEPTH {
            return Err(TextError::new(place, format!("the expression nests deeper than {DEPTH}")));
        }
        if self.text.cursor.take_sign("(") {
            // A float that sizes give is an index that has its bits.
            let index = if self.text.at_float() { self.text.float(0)? } else { self.text.size()? };
            self.text.cursor.sign(")")?;
            self.text.cursor.sign(":")?;
            let dtype = self.text.dtype()?;
            return Ok(self.program.exprs.index_value(index, dtype));
        }
        let Token::Word(word) = self.text.cursor.peek().clone() else { return self.constant() };
        if matches!(word.as_str(), "true" | "false" | "inf" | "nan") {
            return self.constant();
        }
        self.text.cursor.next();
        if is_value(&word) {
            let found = self.values.get(&word).copied();
            return found.ok_or_else(|| TextError::new(place, format!("there is no `{word}` before this")));
        }
        if self.buffers.contains_key(&word) {
            return self.load(self.buffers[&word], depth);
        }
        if *self.text.cursor.peek() == Token::Sign("[") {
            return Err(TextError::new(place, format!("there is no buffer `{word}`")));
        }
        self.text.cursor.sign("(")?;
        let mut operands = vec![self.expression(depth + 1)?];
        let mut assertion = None;
        while self.text.cursor.take_sign(",") {
            if word == "Check" && operands.len() == 2 {
                assertion = Some(self.assertion()?);
            } else {
                operands.push(self.expression(depth + 1)?);
            }
        }
        self.text.cursor.sign(")")?;
        self.call(&word, &operands, assertion, place)
    }

    fn constant(&mut self) -> Result<ExprId> {
        let value = self.text.cursor.scalar()?;
        self.text.cursor.sign(":")?;
        let dtype = self.text.dtype()?;
        Ok(self.program.exprs.constant(value, dtype))
    }

    fn load(&mut self, buffer: BufferId, depth: usize) -> Result<ExprId> {
        let index = self.text.sizes()?;
        let mut data = Vec::new();
        if self.text.cursor.take_sign("{") {
            data.push(self.expression(depth + 1)?);
            while self.text.cursor.take_sign(",") {
                data.push(self.expression(depth + 1)?);
            }
            self.text.cursor.sign("}")?;
        }
        let dtype = self.program.buffers[buffer].dtype;
        Ok(self.program.exprs.load(buffer, dtype, index, data))
    }

    fn call(
        &mut self,
        word: &str,
        operands: &[ExprId],
        assertion: Option<u32>,
        place: Place,
    ) -> Result<ExprId> {
        let exprs = &mut self.program.exprs;
        let dtypes: Vec<Dtype> = operands.iter().map(|o| exprs.dtype(*o)).collect();
        let wrong = |message: String| Err(TextError::new(place, message));
        if let Some(dtype) = Dtype::from_name(word) {
            return match operands {
                [a] => Ok(exprs.cast(*a, dtype)),
                _ => wrong(format!("a conversion to {dtype} has one operand")),
            };
        }
        if let (Some(op), [a]) = (UnaryOp::from_text(word), operands) {
            return Ok(exprs.unary(op, *a));
        }
        let alike = |a: usize, b: usize| match dtypes[a] == dtypes[b] {
            true => Ok(()),
            false => Err(TextError::new(place, format!("`{word}` of {} and {}", dtypes[a], dtypes[b]))),
        };
        if let (Some(op), [a, b]) = (BinaryOp::from_text(word), operands) {
            alike(0, 1)?;
            return Ok(exprs.binary(op, *a, *b));
        }
        match (word, operands, assertion) {
            ("Select", [c, a, b], None) => {
                alike(1, 2)?;
                Ok(exprs.select(*c, *a, *b))
            }
            ("Masked", [c, a, b], None) => {
                alike(1, 2)?;
                Ok(exprs.masked(*c, *a, *b))
            }
            ("Check", [c, a], Some(assertion)) => Ok(exprs.check(*c, *a, assertion)),
            _ => wrong(format!("there is no function `{word}` of {} operands", operands.len())),
        }
    }
}

/// `v7`
fn is_value(name: &str) -> bool {
    name.strip_prefix('v').is_some_and(is_digits)
}
