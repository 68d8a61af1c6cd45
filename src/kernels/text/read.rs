//! Text to kernels: parameters, launch and statements.
//!
//! Invariants: no text panics or overflows the stack; an error has the line and column of what was not understood and says
//! what was expected. What was read is not verified.

use crate::base::{Handle, HashMap};
use crate::ir::text::lexer::{Place, Token};
use crate::kernels::{
    Access, Axis, Block, Body, BufferParameter, Extreme, IndexType, Kernel, LastBlocks, Launch, Length,
    Local, LocalId, Loop, Over, Reduction, Role, Scope, Semaphore, Space, Statement, Step, TensorMap, Type,
    Unroll, Value, ValueId,
};
use crate::loops::text::Spelled;
use crate::loops::{ReductionOp, ScatterMode};
use crate::meta::text::cursor::Cursor;
use crate::meta::text::symbolic::Symbolic;
use crate::meta::text::{Result, TextError};
use crate::types::{Dtype, SymArena, SymInt, SymbolId, contiguous_strides};
use std::sync::Arc;

/// How deep blocks and values may nest.
pub(super) const DEPTH: usize = 100;

/// A kernel and the arena of its symbols.
#[derive(Debug)]
pub struct Read {
    pub syms: Arc<SymArena>,
    pub kernel: Kernel,
    /// Those that the text declares.
    pub symbols: Vec<SymbolId>,
    /// Where each statement begins, in the order of their text.
    pub places: Vec<Place>,
}

/// Reads a kernel.
pub fn parse(text: &str) -> Result<Read> {
    let syms = Arc::new(SymArena::new());
    let one = syms.constant(1);
    let text = Symbolic { cursor: Cursor::new(text)?, syms: Arc::clone(&syms), symbols: HashMap::default() };
    let kernel = Kernel {
        buffers: Vec::new(),
        symbols: Vec::new(),
        launch: Launch::Cpu { tasks: one, grain: one, scratch: syms.constant(0) },
        lanes: 1,
        maps: Vec::new(),
        body: Body::default(),
    };
    let mut reader =
        Reader { text, kernel, scope: Vec::new(), places: Vec::new(), symbols: Vec::new(), depth: 0 };
    reader.text.cursor.word("kernel")?;
    reader.text.cursor.sign("{")?;
    reader.parameters()?;
    reader.kernel.body.block = reader.statements()?;
    reader.text.cursor.end()?;
    Ok(Read { syms, kernel: reader.kernel, symbols: reader.symbols, places: reader.places })
}

pub(super) struct Reader {
    pub text: Symbolic,
    pub kernel: Kernel,
    /// The names that can be used here, the innermost last.
    pub(super) scope: Vec<(String, LocalId)>,
    places: Vec<Place>,
    symbols: Vec<SymbolId>,
    pub depth: usize,
}

impl Reader {
    pub fn fail<T>(&self, place: Place, message: impl Into<String>) -> Result<T> {
        Err(TextError::new(place, message))
    }
    pub fn push(&mut self, value: Value) -> ValueId {
        self.kernel.body.values.push(value)
    }
    pub(super) fn number(&mut self) -> Result<i64> {
        self.text.cursor.integer()
    }
    fn size_after(&mut self, word: &str) -> Result<SymInt> {
        self.text.cursor.word(word)?;
        self.text.size()
    }
    pub(super) fn number_after(&mut self, word: &str) -> Result<i64> {
        self.text.cursor.word(word)?;
        self.number()
    }
    fn spelled<T: Spelled>(&mut self, what: &str) -> Result<T> {
        let found = match self.text.cursor.peek() {
            Token::Word(word) => T::from_text(word),
            _ => None,
        };
        let found = found.ok_or_else(|| self.text.cursor.expected(what))?;
        self.text.cursor.next();
        Ok(found)
    }

    fn parameters(&mut self) -> Result<()> {
        let mut launched = false;
        loop {
            let place = self.text.cursor.place();
            let Token::Word(word) = self.text.cursor.peek().clone() else { break };
            match word.as_str() {
                "symbol" => {
                    self.text.cursor.next();
                    let symbol = self.text.symbol()?;
                    self.symbols.extend(self.text.syms.as_symbol(symbol));
                }
                "parameter" => {
                    self.text.cursor.next();
                    let e = self.text.size()?;
                    let Some(symbol) = self.text.syms.as_symbol(e) else {
                        return self.fail(place, "a parameter is a symbol or a calculation");
                    };
                    self.kernel.symbols.push(symbol);
                }
                "cpu" => {
                    self.text.cursor.next();
                    launched = true;
                    self.kernel.launch = Launch::Cpu {
                        tasks: self.size_after("tasks")?,
                        grain: self.size_after("grain")?,
                        scratch: self.size_after("scratch")?,
                    };
                }
                "gpu" => {
                    self.text.cursor.next();
                    launched = true;
                    self.kernel.launch = Launch::Gpu {
                        blocks: self.size_after("blocks")?,
                        threads: self.number_after("threads")?,
                        cluster: self.number_after("cluster")?,
                        resident: self.number_after("resident")?,
                        shared: self.size_after("shared")?,
                    };
                }
                "lanes" => {
                    self.text.cursor.next();
                    self.kernel.lanes = self.number()?;
                }
                "map" => {
                    self.text.cursor.next();
                    let map = self.map()?;
                    self.kernel.maps.push(map);
                }
                "index" => {
                    self.text.cursor.next();
                    self.kernel.body.index = match self.text.dtype()? {
                        Dtype::Int32 => IndexType::I32,
                        Dtype::Int64 => IndexType::I64,
                        other => return self.fail(place, format!("indices are int32 or int64, not {other}")),
                    };
                }
                name if buffer_place(name).is_some() => self.buffer()?,
                _ => break,
            }
        }
        if launched {
            Ok(())
        } else {
            Err(self.text.cursor.expected("`cpu …` or `gpu …`, how it is started"))
        }
    }

    fn buffer(&mut self) -> Result<()> {
        let place = self.text.cursor.place();
        let Token::Word(name) = self.text.cursor.next() else { return Ok(()) };
        if buffer_place(&name) != Some(self.kernel.buffers.len()) {
            return self.fail(place, "buffers are numbered in order, from 0");
        }
        self.text.cursor.sign(":")?;
        let dtype = self.text.dtype()?;
        let sizes = self.text.sizes()?;
        let strides = match self.text.cursor.take_word("strides") {
            true => self.text.sizes()?,
            false => contiguous_strides(&self.text.syms, &sizes),
        };
        if strides.len() != sizes.len() {
            return self.fail(place, format!("`{name}` has not as many strides as sizes"));
        }
        let role = self.spelled::<Role>(
            "what the kernel does with it: `Input`, `Result`, `Repeated`, `Updated`, `Accumulated`, `Combined`, `Workspace` or `Semaphores`",
        )?;
        let buffer = Handle::new(self.kernel.buffers.len());
        self.kernel.buffers.push(BufferParameter { buffer, dtype, sizes, strides, role });
        Ok(())
    }

    fn map(&mut self) -> Result<TensorMap> {
        let place = self.text.cursor.place();
        let Token::Word(name) = self.text.cursor.next() else {
            return self.fail(place, "expected a buffer");
        };
        let Some(parameter) = buffer_place(&name).and_then(|k| self.kernel.buffers.get(k)) else {
            return self.fail(place, format!("there is no buffer `{name}`"));
        };
        let buffer = parameter.buffer;
        let offset = self.size_after("at")?;
        self.text.cursor.word("sizes")?;
        let sizes = self.text.sizes()?;
        self.text.cursor.word("strides")?;
        let strides = self.text.sizes()?;
        let (boxes, steps) = (self.numbers_after("boxes")?, self.numbers_after("steps")?);
        let swizzle = self.number_after("swizzle")?;
        let tf32 = self.text.cursor.take_word("tf32");
        if [strides.len(), boxes.len(), steps.len()].iter().any(|n| *n != sizes.len()) {
            return self.fail(place, "a map has as many strides, boxes and steps as sizes");
        }
        let Ok(swizzle) = u32::try_from(swizzle) else {
            return self.fail(place, "a pattern has a number of bytes");
        };
        Ok(TensorMap { buffer, offset, sizes, strides, boxes, steps, swizzle, tf32 })
    }
    fn numbers_after(&mut self, word: &str) -> Result<Vec<u32>> {
        let place = self.text.cursor.place();
        self.text.cursor.word(word)?;
        let sizes = self.text.sizes()?;
        let number = |s: &SymInt| self.text.syms.as_const(*s).and_then(|n| u32::try_from(n).ok());
        match sizes.iter().map(number).collect() {
            Some(numbers) => Ok(numbers),
            None => self.fail(place, format!("`{word}` are numbers")),
        }
    }

    /// A block behind its `{`, up to its `}`.
    fn statements(&mut self) -> Result<Block> {
        let place = self.text.cursor.place();
        self.depth += 1;
        if self.depth > DEPTH {
            return self.fail(place, format!("blocks nest deeper than {DEPTH}"));
        }
        let known = self.scope.len();
        let mut block = Vec::new();
        while !self.text.cursor.take_sign("}") {
            let statement = self.statement()?;
            block.push(statement);
        }
        self.scope.truncate(known);
        self.depth -= 1;
        Ok(block)
    }
    pub(super) fn braced(&mut self) -> Result<Block> {
        self.text.cursor.sign("{")?;
        self.statements()
    }

    /// The innermost local of a name.
    pub fn find(&self, name: &str) -> Option<LocalId> {
        self.scope.iter().rev().find(|(n, _)| n == name).map(|(_, local)| *local)
    }
    pub(super) fn local(&mut self, what: &str) -> Result<LocalId> {
        let place = self.text.cursor.place();
        match self.text.cursor.next() {
            Token::Word(name) => self
                .find(&name)
                .ok_or_else(|| TextError::new(place, format!("there is no `{name}` defined before this"))),
            other => self.fail(place, format!("expected {what}, found {other}")),
        }
    }

    /// A name and its type, not to be used yet.
    pub(super) fn declaration(&mut self, default: Option<Type>) -> Result<(String, LocalId)> {
        let place = self.text.cursor.place();
        let name = match self.text.cursor.next() {
            Token::Word(name) if !name.contains('.') && buffer_place(&name).is_none() => name,
            other => return self.fail(place, format!("expected a name for a local, found {other}")),
        };
        let ty = match default {
            Some(ty) if *self.text.cursor.peek() != Token::Sign(":") => ty,
            _ => {
                self.text.cursor.sign(":")?;
                self.ty()?
            }
        };
        let may_be_unused = self.text.cursor.take_word("unused");
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (word, digits) = name.split_at(name.len() - digits);
        let number = digits.parse::<u32>().ok().filter(|n| n.to_string() == digits);
        let (word, number) = if number.is_some() { (word, number) } else { (name.as_str(), None) };
        let local = Local { name: word.to_string().into(), number, ty, may_be_unused };
        let local = self.kernel.body.locals.push(local);
        Ok((name, local))
    }
    pub(super) fn define(&mut self, (name, local): (String, LocalId)) -> LocalId {
        self.scope.push((name, local));
        local
    }

    pub(super) fn ty(&mut self) -> Result<Type> {
        if self.text.cursor.take_word("index") {
            return Ok(Type::Index);
        }
        if self.text.cursor.take_word("pointer") {
            return Ok(Type::Pointer { dtype: self.text.dtype()?, space: self.spelled::<Space>("a space")? });
        }
        if self.text.cursor.take_word("held") {
            let dtype = self.text.dtype()?;
            let (width, count) = (self.number_after("width")?, self.number_after("count")?);
            return Ok(Type::Held { dtype, width, count });
        }
        let vectors = self.text.cursor.take_word("vector");
        let dtype = self.text.dtype()?;
        if self.text.cursor.take_sign("[") {
            let length = match self.text.cursor.take_word("lanes") {
                true => Length::Lanes,
                false => Length::Known(self.number()?),
            };
            self.text.cursor.sign("]")?;
            return Ok(Type::Array { dtype, vectors, length, space: self.spelled::<Space>("a space")? });
        }
        Ok(Type::of(dtype, vectors))
    }

    pub(super) fn value_after(&mut self, sign: &str) -> Result<ValueId> {
        self.text.cursor.sign(sign)?;
        self.value()
    }
    fn value_after_word(&mut self, word: &str) -> Result<ValueId> {
        self.text.cursor.word(word)?;
        self.value()
    }
    fn optional(&mut self, sign: &str) -> Result<Option<ValueId>> {
        if self.text.cursor.take_sign(sign) { Ok(Some(self.value()?)) } else { Ok(None) }
    }

    fn statement(&mut self) -> Result<Statement> {
        let place = self.text.cursor.place();
        self.places.push(place);
        let Token::Word(word) = self.text.cursor.next() else {
            return self.fail(place, "expected a statement or `}`");
        };
        let (word, rest) = word.split_once('.').map_or((word.as_str(), ""), |(word, rest)| (word, rest));
        Ok(match word {
            "let" => {
                let local = self.declaration(None)?;
                let value = self.value_after("=")?;
                Statement::Let { local: self.define(local), value }
            }
            "var" => {
                let local = self.declaration(None)?;
                let value = self.optional("=")?;
                Statement::Variable { local: self.define(local), value }
            }
            "set" => {
                let target = self.value()?;
                Statement::Assign { place: target, value: self.value_after("=")? }
            }
            "array" => {
                let local = self.declaration(None)?;
                let fill = self.optional("=")?;
                Statement::Array { local: self.define(local), fill }
            }
            "pointer" => {
                let local = self.declaration(None)?;
                let bytes = self.value_after_word("at")?;
                let more = self.text.cursor.take_word("plus");
                let elements = if more { Some(self.value()?) } else { None };
                Statement::Pointer { local: self.define(local), bytes, elements }
            }
            "store" => {
                let access = self.access(rest, place)?;
                Statement::Store { access, value: self.value_after("=")? }
            }
            "scatter" => {
                let (mode, atomic) = match rest.strip_suffix(".atomic") {
                    Some(mode) => (mode, true),
                    None => (rest, false),
                };
                let Some(mode) = ScatterMode::from_text(mode) else {
                    return self
                        .fail(place, format!("expected how points meet, such as `Add`, found `{mode}`"));
                };
                let access = self.access("", place)?;
                Statement::Scatter { access, mode, value: self.value_after("=")?, atomic }
            }
            "prefetch" => {
                let Access { pointer, at, .. } = self.access(rest, place)?;
                Statement::Prefetch { pointer, at }
            }
            "for" => self.loop_()?,
            "if" => {
                let condition = self.value()?;
                let then = self.braced()?;
                let otherwise = if self.text.cursor.take_word("else") { self.braced()? } else { Vec::new() };
                Statement::If { condition, then, otherwise }
            }
            "block" => Statement::Block(self.braced()?),
            "check" => {
                let failed = self.value()?;
                let number = self.number_after("assertion")?;
                match u32::try_from(number) {
                    Ok(assertion) => Statement::Check { failed, assertion },
                    Err(_) => return self.fail(place, format!("{number} is no assertion's number")),
                }
            }
            "fold" => {
                let (op, dtype) = self.reduced(rest, place)?;
                let array = self.local("an array")?;
                self.text.cursor.word("into")?;
                Statement::FoldArray { op, dtype, array, into: self.local("a variable")? }
            }
            "transpose" => {
                let array = self.local("an array")?;
                let first = self.value_after("[")?;
                self.text.cursor.sign("]")?;
                Statement::Transpose { array, first }
            }
            "extreme" => self.extreme(rest, place)?,
            "return" => Statement::Return { when: self.value()? },
            "barrier" => Statement::Barrier(self.spelled::<Scope>("a scope")?),
            "reduce" => self.reduction(rest, place)?,
            "last" => self.last()?,
            "reduce_strips" | "fold_rows" | "fetch" | "put_square" | "flush" => {
                self.shared(word, rest, place)?
            }
            "define" => self.region()?,
            "give" => Statement::Give(self.value()?),
            "call" => self.call_of_template(place)?,
            other => return self.fail(place, format!("there is no statement `{other}`")),
        })
    }

    fn loop_(&mut self) -> Result<Statement> {
        let axis = self.spelled::<Axis>(
            "what the loop's turns are: `Task`, `Thread`, `Lane`, `Vector`, `Unrolled` or `Serial`",
        )?;
        let known = self.scope.len();
        let goes_on = match self.text.cursor.peek() {
            Token::Word(name) => self.find(name).filter(|_| self.text.cursor.second_is_word("to")),
            _ => None,
        };
        let (variable, first) = match goes_on {
            Some(variable) => {
                self.text.cursor.next();
                (variable, None)
            }
            None => {
                let local = self.declaration(Some(Type::Index))?;
                let first = self.value_after("=")?;
                (self.define(local), Some(first))
            }
        };
        let bound = self.value_after_word("to")?;
        let step = match self.text.cursor.take_word("step") {
            false => Step::One,
            true if self.text.cursor.take_word("vectors") => Step::Vectors(self.number()?),
            true => Step::By(self.number()?),
        };
        let unroll = match self.text.cursor.take_word("unroll") {
            false => Unroll::Free,
            true if self.text.cursor.take_word("whole") => Unroll::Whole,
            true => Unroll::Times(self.number()?),
        };
        let body = self.braced()?;
        self.scope.truncate(known);
        Ok(Statement::Loop(Box::new(Loop { axis, variable, first, bound, step, unroll, body })))
    }

    /// `Sum.float32` of `fold.Sum.float32`.
    pub fn reduced(&self, rest: &str, place: Place) -> Result<(ReductionOp, Dtype)> {
        let (op, dtype) = rest.split_once('.').unwrap_or((rest, ""));
        match (ReductionOp::from_text(op), Dtype::from_name(dtype)) {
            (Some(op), Some(dtype)) => Ok((op, dtype)),
            _ => self.fail(
                place,
                format!("expected a reduction and its dtype, such as `Sum.float32`, found `{rest}`"),
            ),
        }
    }

    fn extreme(&mut self, rest: &str, place: Place) -> Result<Statement> {
        let (op, dtype) = self.reduced(rest, place)?;
        let best = self.local("a variable")?;
        self.text.cursor.word("at")?;
        let at = self.local("a variable")?;
        let any = if self.text.cursor.take_word("any") { Some(self.local("a variable")?) } else { None };
        let value = self.value_after_word("from")?;
        let position = self.value_after_word("at")?;
        Ok(Statement::Extreme(Box::new(Extreme { op, dtype, best, place: at, any, value, position })))
    }

    fn reduction(&mut self, rest: &str, place: Place) -> Result<Statement> {
        let (op, dtype) = self.reduced(rest, place)?;
        let result = self.declaration(None)?;
        let result_place =
            if self.text.cursor.take_word("at") { Some(self.declaration(None)?) } else { None };
        self.text.cursor.word("over")?;
        let over = if self.text.cursor.take_word("threads") {
            Over::Threads { threads: self.number()? }
        } else if self.text.cursor.take_word("cluster") {
            Over::Cluster {
                blocks: self.number()?,
                threads: self.number_after("threads")?,
                turn: self.number_after("turn")?,
            }
        } else {
            Over::Above { across: self.number_after("across")?, above: self.number_after("above")? }
        };
        let value = self.value_after_word("of")?;
        let at = if self.text.cursor.take_word("at") { Some(self.value()?) } else { None };
        let workspace = match self.text.cursor.take_word("in") {
            true => Some(self.local("an array")?),
            false => None,
        };
        let result = self.define(result);
        let result_place = result_place.map(|place| self.define(place));
        let reduction = Reduction { op, dtype, over, value, place: at, workspace, result, result_place };
        Ok(Statement::Reduction(Box::new(reduction)))
    }

    fn last(&mut self) -> Result<Statement> {
        let ready = self.declaration(None)?;
        self.text.cursor.word("at")?;
        let mut semaphores = Vec::new();
        loop {
            let place = self.text.cursor.place();
            let Token::Word(name) = self.text.cursor.next() else {
                return self.fail(place, "expected a buffer");
            };
            let buffer = buffer_place(&name).filter(|b| *b < self.kernel.buffers.len());
            let Some(buffer) = buffer else {
                return self.fail(place, format!("there is no buffer `{name}`"));
            };
            let at = self.value_after("[")?;
            self.text.cursor.sign("]")?;
            let blocks = self.value_after_word("of")?;
            semaphores.push(Semaphore { buffer, at, blocks });
            if !self.text.cursor.take_sign(",") {
                break;
            }
        }
        let ready = self.define(ready);
        let mut regions = Vec::new();
        while self.text.cursor.take_word("region") {
            regions.push(self.braced()?);
        }
        Ok(Statement::LastBlocks(Box::new(LastBlocks { ready, semaphores, regions })))
    }
}

/// `b7`
pub(super) fn buffer_place(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('b')?;
    let place: usize = digits.parse().ok()?;
    (place.to_string() == digits).then_some(place)
}
