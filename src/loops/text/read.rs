//! Text to programs of loops: buffers, symbols, the marks of blocks, outputs and writes.
//!
//! Invariants: no text panics or overflows the stack; an error has the line and column of what was not understood and says
//! what was expected. What was read is verified.

use super::Spelled;
use crate::base::{HashMap, StableSort};
use crate::ir::text::lexer::{Place, Token};
use crate::loops::{
    BufferData, BufferId, BufferKind, Control, ExprId, LoopNode, NodeKind, OUTPUT, Operators, Program,
    Routine, verify,
};
use crate::meta::text::cursor::Cursor;
use crate::meta::text::symbolic::Symbolic;
use crate::meta::text::{Result, TextError};
use crate::ops::OpId;
use crate::plan::{Attributes, external};
use crate::types::{SymArena, SymInt, contiguous_strides};
use std::sync::Arc;

/// Reads a program.
pub fn parse(text: &str) -> Result<Program> {
    let reader = Reader::of(text)?;
    reader.text.cursor.end()?;
    let program = reader.program;
    verify(&program).map_err(|e| TextError::new(reader.start, e.to_string()))?;
    Ok(program)
}

/// A program that was read, and what stands behind it, which texts of later stages go on with.
pub struct Reader {
    pub text: Symbolic,
    pub program: Program,
    pub buffers: HashMap<String, BufferId>,
    /// `vN` of the expression that is being read.
    pub values: HashMap<String, ExprId>,
    start: Place,
}

impl Reader {
    /// Reads a program, which is not verified.
    pub fn of(text: &str) -> Result<Reader> {
        let syms = Arc::new(SymArena::new());
        let cursor = Cursor::new(text)?;
        let start = cursor.place();
        let text = Symbolic { cursor, syms: Arc::clone(&syms), symbols: HashMap::default() };
        let (buffers, values) = (HashMap::default(), HashMap::default());
        let mut reader = Reader { text, program: Program::new(syms), buffers, values, start };
        reader.text.cursor.word("loops")?;
        reader.text.cursor.sign("{")?;
        while !reader.text.cursor.take_sign("}") {
            reader.line()?;
        }
        Ok(reader)
    }

    fn line(&mut self) -> Result<()> {
        let place = self.text.cursor.place();
        let Token::Word(word) = self.text.cursor.next() else {
            return Err(TextError::new(
                place,
                "expected a buffer, `symbol`, `node`, `output`, `write` or `}`",
            ));
        };
        match word.as_str() {
            "symbol" => self.text.symbol().map(|_| ()),
            "unbacked" => {
                self.text.cursor.word("symbol")?;
                let symbol = self.text.symbol()?;
                self.program.unbacked.extend(self.program.syms.as_symbol(symbol));
                Ok(())
            }
            "assertion" => {
                let number = self.number()?;
                if number != self.program.assertions.len() {
                    return Err(TextError::new(place, "assertions are numbered in order, from 0"));
                }
                let message = self.text.cursor.string("the message")?;
                self.program.assertions.push(message);
                Ok(())
            }
            "node" => self.node(),
            "output" => self.output(),
            "write" => {
                let target = self.buffer()?;
                self.text.cursor.sign("=")?;
                let source = self.buffer()?;
                self.program.writes.push((target, source));
                Ok(())
            }
            _ => self.declared(word, place),
        }
    }

    pub fn number(&mut self) -> Result<usize> {
        let place = self.text.cursor.place();
        let number = self.text.cursor.integer()?;
        usize::try_from(number).map_err(|_| TextError::new(place, format!("{number} is negative")))
    }
    pub(super) fn numbers<const N: usize>(&mut self) -> Result<[i64; N]> {
        self.text.cursor.sign("[")?;
        let mut numbers = [0; N];
        for (k, number) in numbers.iter_mut().enumerate() {
            if k > 0 {
                self.text.cursor.sign(",")?;
            }
            *number = self.text.cursor.integer()?;
        }
        self.text.cursor.sign("]")?;
        Ok(numbers)
    }
    pub(super) fn sizes<const N: usize>(&mut self) -> Result<[SymInt; N]> {
        let place = self.text.cursor.place();
        let sizes = self.text.sizes()?;
        let found = sizes.len();
        sizes.try_into().map_err(|_| TextError::new(place, format!("expected {N} sizes, found {found}")))
    }
    fn word(&mut self, what: &str) -> Result<String> {
        match self.text.cursor.peek().clone() {
            Token::Word(word) => {
                self.text.cursor.next();
                Ok(word)
            }
            _ => Err(self.text.cursor.expected(what)),
        }
    }
    pub fn spelled<T: Spelled>(&mut self, what: &str) -> Result<T> {
        let found = match self.text.cursor.peek() {
            Token::Word(word) => T::from_text(word),
            _ => None,
        };
        let found = found.ok_or_else(|| self.text.cursor.expected(what))?;
        self.text.cursor.next();
        Ok(found)
    }
    pub fn buffer(&mut self) -> Result<BufferId> {
        let place = self.text.cursor.place();
        let name = self.word("a buffer")?;
        let found = self.buffers.get(&name).copied();
        found.ok_or_else(|| TextError::new(place, format!("there is no buffer `{name}`")))
    }
    fn given(&mut self) -> Result<Vec<SymInt>> {
        if self.text.cursor.take_word("given") { self.text.sizes() } else { Ok(Vec::new()) }
    }

    /// `b0` was read: its dtype, sizes, strides and kind.
    fn declared(&mut self, name: String, place: Place) -> Result<()> {
        self.text.cursor.sign(":")?;
        let dtype = self.text.dtype()?;
        let sizes = self.text.sizes()?;
        let strides = match self.text.cursor.take_word("strides") {
            true => self.text.sizes()?,
            false => contiguous_strides(&self.program.syms, &sizes),
        };
        if strides.len() != sizes.len() {
            return Err(TextError::new(place, format!("`{name}` has not as many strides as sizes")));
        }
        let data = BufferData { kind: BufferKind::Temporary, dtype, sizes, strides };
        let buffer = self.program.buffers.push(data);
        if self.buffers.insert(name.clone(), buffer).is_some() {
            return Err(TextError::new(place, format!("the buffer `{name}` is declared twice")));
        }
        let next = |list: &[BufferId]| list.len();
        if self.text.cursor.take_word("input") {
            let number = self.number()?;
            if number != next(&self.program.inputs) {
                return Err(TextError::new(place, "inputs are numbered in order, from 0"));
            }
            let given = self.given()?;
            if self.text.cursor.take_word("spent") {
                self.program.spent.insert(buffer);
            }
            self.program.inputs.push(buffer);
            self.program.given.inputs.push(given);
            self.program.buffers[buffer].kind = BufferKind::Input(number);
        } else if self.text.cursor.take_word("constant") {
            let number = self.number()?;
            if number != next(&self.program.constants) {
                return Err(TextError::new(place, "constants are numbered in order, from 0"));
            }
            self.program.constants.push(buffer);
            self.program.buffers[buffer].kind = BufferKind::Constant(number);
        }
        if self.text.cursor.take_word("pinned") {
            self.program.pinned.insert(buffer);
        }
        Ok(())
    }

    fn output(&mut self) -> Result<()> {
        let buffer = self.buffer()?;
        let given = self.given()?;
        self.program.outputs.push(buffer);
        self.program.given.outputs.push(given);
        if self.text.cursor.take_word("order") {
            let place = self.text.cursor.place();
            let rank = self.program.buffers[buffer].sizes.len();
            self.text.cursor.sign("[")?;
            let mut order = Vec::new();
            while !self.text.cursor.take_sign("]") {
                if !order.is_empty() {
                    self.text.cursor.sign(",")?;
                }
                order.push(self.number()?);
            }
            let mut sorted = order.clone();
            sorted.stable_sort();
            if !sorted.into_iter().eq(0..rank) {
                return Err(TextError::new(place, format!("the order is none of {rank} dimensions")));
            }
            self.program.orders.insert(buffer, order);
        }
        Ok(())
    }

    /// A list of buffers.
    pub fn buffer_list(&mut self) -> Result<Vec<BufferId>> {
        let mut found = vec![self.buffer()?];
        while self.text.cursor.take_sign(",") {
            found.push(self.buffer()?);
        }
        Ok(found)
    }

    /// Reads a routine of a library: its name, its attributes and its operands.
    pub fn routine(&mut self) -> Result<Routine> {
        let place = self.text.cursor.place();
        let name = self.word("a routine")?;
        let found = external::Routine::ALL.iter().copied().find(|r| format!("{r:?}") == name);
        let routine = found.ok_or_else(|| TextError::new(place, format!("there is no routine `{name}`")))?;
        let values = self.text.sizes()?;
        let mut words = Vec::new();
        if self.text.cursor.take_word("words") {
            self.text.cursor.sign("[")?;
            while !self.text.cursor.take_sign("]") {
                if !words.is_empty() {
                    self.text.cursor.sign(",")?;
                }
                let word = u32::try_from(self.number()?);
                words.push(word.map_err(|_| TextError::new(place, "a word is a number below 2^32"))?);
            }
        }
        let attributes = Attributes::from_values(routine, values, words)
            .ok_or_else(|| TextError::new(place, format!("`{name}` has another number of attributes")))?;
        self.text.cursor.word("of")?;
        let operands = self.buffer_list()?;
        if operands.len() != attributes.operand_count() {
            return Err(TextError::new(place, format!("`{name}` has another number of operands")));
        }
        Ok(Routine::pure(attributes, operands))
    }

    /// Names of operators.
    pub fn operators(&mut self) -> Result<Operators> {
        let mut operators = Operators::default();
        while let Token::Str(_) = self.text.cursor.peek() {
            let place = self.text.cursor.place();
            let name = self.text.cursor.string("an operator")?;
            let found = OpId::find(&name).map(|(op, _)| op.name());
            let found = found.or((name == OUTPUT).then_some(OUTPUT));
            let found =
                found.ok_or_else(|| TextError::new(place, format!("there is no operator {name:?}")))?;
            operators.add_name(found);
            if !self.text.cursor.take_sign(",") {
                break;
            }
        }
        Ok(operators)
    }

    fn node(&mut self) -> Result<()> {
        let operators = self.operators()?;
        let kind = match self.control()? {
            Some(control) => NodeKind::Control(control),
            None => self.loops()?,
        };
        self.program.nodes.push(LoopNode { kind, operators });
        Ok(())
    }

    fn control(&mut self) -> Result<Option<Control>> {
        let Token::Word(word) = self.text.cursor.peek().clone() else { return Ok(None) };
        if !matches!(
            word.as_str(),
            "read"
                | "set"
                | "check"
                | "print"
                | "fence"
                | "copy"
                | "place"
                | "if"
                | "else"
                | "end"
                | "while"
                | "do"
                | "function"
                | "again"
        ) {
            return Ok(None);
        }
        self.text.cursor.next();
        Ok(Some(match word.as_str() {
            "read" => {
                let symbol = self.symbol()?;
                self.text.cursor.sign("=")?;
                Control::Read { symbol, buffer: self.buffer()? }
            }
            "set" => {
                let symbol = self.symbol()?;
                self.text.cursor.sign("=")?;
                Control::Set { symbol, value: self.text.size()? }
            }
            "check" => {
                let condition = self.text.size()?;
                self.text.cursor.word("assertion")?;
                Control::Check { condition, assertion: self.assertion()? }
            }
            "print" => {
                self.text.cursor.word("assertion")?;
                Control::Print { text: self.assertion()? }
            }
            "fence" => Control::Fence,
            "copy" => {
                let destination = self.buffer()?;
                self.text.cursor.sign("=")?;
                Control::Copy { destination, source: self.buffer()? }
            }
            "place" => {
                let source = self.buffer()?;
                self.text.cursor.word("over")?;
                let destination = self.buffer()?;
                self.text.cursor.word("from")?;
                Control::Place { destination, source, start: self.text.size()? }
            }
            "if" => Control::If { predicate: self.buffer()? },
            "else" => Control::Else,
            "while" => Control::While,
            "do" => Control::Do { predicate: self.buffer()? },
            "function" => Control::Function { number: self.function()? },
            "again" => Control::Again { function: self.function()? },
            _ if self.text.cursor.take_word("if") => Control::EndIf,
            _ if self.text.cursor.take_word("function") => Control::EndFunction,
            _ => {
                self.text.cursor.word("while")?;
                Control::EndWhile
            }
        }))
    }
    fn function(&mut self) -> Result<u32> {
        let place = self.text.cursor.place();
        u32::try_from(self.number()?).map_err(|_| TextError::new(place, "expected the number of a function"))
    }
    fn symbol(&mut self) -> Result<crate::types::SymbolId> {
        let place = self.text.cursor.place();
        let symbol = self.text.size()?;
        let found = self.program.syms.as_symbol(symbol);
        found.ok_or_else(|| TextError::new(place, "expected a symbol"))
    }
    pub(super) fn assertion(&mut self) -> Result<u32> {
        let place = self.text.cursor.place();
        let number = self.number()?;
        match self.program.assertions.len() {
            count if number < count => Ok(number as u32),
            _ => Err(TextError::new(place, format!("there is no assertion {number}"))),
        }
    }
}
