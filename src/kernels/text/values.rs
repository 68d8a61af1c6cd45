//! Reads values.

use super::read::{DEPTH, Reader, buffer_place};
use super::{BUILTINS, INFIX, is_list};
use crate::ir::text::lexer::{Place, Token};
use crate::kernels::{Access, Base, IndexOp, Pointer, Shape, Type, Value, ValueId, Word};
use crate::loops::text::Spelled;
use crate::loops::{BinaryOp, UnaryOp};
use crate::meta::text::Result;
use crate::types::{Dtype, Scalar};

impl Reader {
    pub(super) fn value(&mut self) -> Result<ValueId> {
        let place = self.text.cursor.place();
        self.depth += 1;
        if self.depth > DEPTH {
            return self.fail(place, format!("values nest deeper than {DEPTH}"));
        }
        let value = self.operand(place);
        self.depth -= 1;
        value
    }

    fn operand(&mut self, place: Place) -> Result<ValueId> {
        if self.text.cursor.take_sign("(") {
            return self.infix();
        }
        let Token::Word(word) = self.text.cursor.peek().clone() else { return self.constant() };
        if let Some(local) = self.find(&word) {
            self.text.cursor.next();
            if !self.text.cursor.take_sign("[") {
                return Ok(self.push(Value::Local(local)));
            }
            let at = self.value()?;
            self.text.cursor.sign("]")?;
            return Ok(self.push(Value::Element(local, at)));
        }
        if matches!(word.as_str(), "true" | "false" | "inf" | "nan") {
            return self.constant();
        }
        self.text.cursor.next();
        if let Some((builtin, _)) = BUILTINS.iter().find(|(_, name)| *name == word) {
            return Ok(self.push(Value::Builtin(*builtin)));
        }
        let (head, rest) = word.split_once('.').unwrap_or((&word, ""));
        match head {
            "load" => {
                let access = self.access(rest, place)?;
                Ok(self.push(Value::Load(access)))
            }
            "symbol" => {
                self.text.cursor.sign("(")?;
                let e = self.text.size()?;
                self.text.cursor.sign(")")?;
                let symbol = self.text.syms.as_symbol(e);
                let at = self.kernel.symbols.iter().position(|s| Some(*s) == symbol);
                match at {
                    Some(at) => Ok(self.push(Value::Parameter(at))),
                    None => self.fail(place, "this is no parameter of the kernel"),
                }
            }
            _ if *self.text.cursor.peek() != Token::Sign("(") => {
                self.fail(place, format!("there is no `{word}` defined before this"))
            }
            _ => {
                let operands = self.operands()?;
                self.call(head, rest, &operands, place)
            }
        }
    }

    /// Behind `(`: operands with one sign between them.
    fn infix(&mut self) -> Result<ValueId> {
        let mut operands = vec![self.value()?];
        let mut op = None;
        loop {
            let place = self.text.cursor.place();
            let found = match self.text.cursor.peek() {
                Token::Sign(")") => {
                    self.text.cursor.next();
                    return Ok(match op {
                        None => operands[0],
                        Some(op) => self.push(Value::Index(op, operands.into())),
                    });
                }
                Token::Sign(sign) => INFIX.iter().find(|(_, s)| s == sign),
                Token::Word(word) => INFIX.iter().find(|(_, s)| s == word),
                _ => None,
            };
            let Some((found, _)) = found else { return Err(self.text.cursor.expected("an operator or `)`")) };
            if op.is_some_and(|op| op != *found || !is_list(op)) {
                return self.fail(place, "operators side by side stand in parentheses of their own");
            }
            op = Some(*found);
            self.text.cursor.next();
            operands.push(self.value()?);
        }
    }

    fn operands(&mut self) -> Result<Vec<ValueId>> {
        let mut operands = Vec::new();
        self.text.cursor.sign("(")?;
        while !self.text.cursor.take_sign(")") {
            if !operands.is_empty() {
                self.text.cursor.sign(",")?;
            }
            operands.push(self.value()?);
        }
        Ok(operands)
    }

    fn constant(&mut self) -> Result<ValueId> {
        let place = self.text.cursor.place();
        let value = self.text.cursor.scalar()?;
        if self.text.cursor.take_sign(":") {
            let dtype = self.text.dtype()?;
            return Ok(self.push(Value::Constant(value, dtype)));
        }
        match value {
            Scalar::Int(value) => Ok(self.push(Value::Integer(value))),
            _ => self.fail(place, "an element's constant has its dtype behind it, such as `1.0:float32`"),
        }
    }

    fn call(&mut self, head: &str, rest: &str, operands: &[ValueId], place: Place) -> Result<ValueId> {
        if head == "index"
            && let Some(op) = IndexOp::from_text(rest)
        {
            let count = match op {
                IndexOp::Negate => 1..=1,
                IndexOp::Choose => 3..=3,
                op if is_list(op) => 1..=usize::MAX,
                _ => 2..=2,
            };
            if !count.contains(&operands.len()) {
                return self.fail(place, format!("`index.{rest}` does not take {} operands", operands.len()));
            }
            return Ok(self.push(Value::Index(op, operands.into())));
        }
        let dtype = Dtype::from_name(if head == "round" { rest } else { head });
        let value = match (head, operands) {
            ("round", [a]) if dtype.is_some() => dtype.map(|dtype| Value::Round(dtype, *a)),
            ("fold", [a]) => {
                let (op, dtype) = self.reduced(rest, place)?;
                Some(Value::Fold(op, dtype, *a))
            }
            _ if !rest.is_empty() => None,
            ("ToIndex", [a]) => Some(Value::ToIndex(*a)),
            ("ToWide", [a]) => Some(Value::ToWide(*a)),
            ("Not", [a]) => Some(Value::Not(*a)),
            ("Splat", [a]) => Some(Value::Splat(*a)),
            ("Select", [c, a, b]) => Some(Value::Select(*c, *a, *b)),
            (_, [a]) if dtype.is_some() => dtype.map(|dtype| Value::Cast(dtype, *a)),
            (_, [a]) if UnaryOp::from_text(head).is_some() => {
                UnaryOp::from_text(head).map(|op| Value::Unary(op, *a))
            }
            (_, [a, b]) if BinaryOp::from_text(head).is_some() => {
                BinaryOp::from_text(head).map(|op| Value::Binary(op, *a, *b))
            }
            _ => Word::from_text(head).map(|word| Value::Word(word, operands.into())),
        };
        match value {
            Some(value) => Ok(self.push(value)),
            None => {
                let name = if rest.is_empty() { head.to_string() } else { format!("{head}.{rest}") };
                self.fail(place, format!("there is no function `{name}` of {} operands", operands.len()))
            }
        }
    }

    /// Behind `load` or `store` and the shape.
    pub(super) fn access(&mut self, shape: &str, place: Place) -> Result<Access> {
        let operands = match *self.text.cursor.peek() == Token::Sign("(") {
            true => self.operands()?,
            false => Vec::new(),
        };
        let shape = match (shape, &operands[..]) {
            ("", []) => Shape::Element,
            ("element_where", [mask]) => Shape::ElementWhere { mask: *mask },
            ("aligned", []) => Shape::Vector { aligned: true },
            ("vector", []) => Shape::Vector { aligned: false },
            ("tail", [count]) => Shape::Tail { count: *count },
            ("where", [mask]) => Shape::Where { mask: *mask },
            ("strided", [step]) => Shape::Strided { step: *step, count: None },
            ("strided", [step, count]) => Shape::Strided { step: *step, count: Some(*count) },
            ("each", [mask]) => Shape::Each { mask: *mask },
            _ => {
                return self
                    .fail(place, format!("there is no access `{shape}` of {} operands", operands.len()));
            }
        };
        let place = self.text.cursor.place();
        let Token::Word(name) = self.text.cursor.next() else {
            return self.fail(place, "expected a buffer, an array or a pointer");
        };
        let base = match (self.find(&name), buffer_place(&name)) {
            (Some(local), _) => match self.kernel.body.locals[local].ty {
                Type::Array { .. } | Type::Pointer { .. } => Base::Local(local),
                _ => return self.fail(place, format!("`{name}` is no array and no pointer")),
            },
            (None, Some(at)) if at < self.kernel.buffers.len() => Base::Buffer(at),
            _ => return self.fail(place, format!("there is no buffer, array or pointer `{name}`")),
        };
        self.text.cursor.sign("[")?;
        let at = self.value()?;
        let origin = if self.text.cursor.take_word("from") { Some(self.value()?) } else { None };
        self.text.cursor.sign("]")?;
        let bits = if self.text.cursor.take_word("as") { Some(self.text.dtype()?) } else { None };
        Ok(Access { pointer: Pointer { base, origin, bits }, at, shape })
    }
}
