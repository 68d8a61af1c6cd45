//! Text to programs of loops.
//!
//! Invariants: no text panics or overflows the stack; an error has the line and column of what was not understood and says
//! what was expected. What was read is verified.

use super::{MOST_VARIABLES, Spelled, names, spaces};
use crate::ir::text::lexer::{Place, Token};
use crate::loops::{
    Attention, Band, BinaryOp, BufferData, BufferId, BufferKind, Cell, Control, Convolution, ExprId,
    LoopNode, NodeKind, OUTPUT, Operators, Program, Recurrence, ReductionOp, ScanOp, ScatterMode, Score,
    UnaryOp, verify,
};
use crate::meta::text::cursor::Cursor;
use crate::meta::text::symbolic::Symbolic;
use crate::meta::text::{Result, TextError};
use crate::ops::OpId;
use crate::types::{Dtype, Scalar, SymArena, SymInt, contiguous_strides};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How deep expressions may nest.
const DEPTH: usize = 200;

/// Reads a program.
pub fn parse(text: &str) -> Result<Program> {
    let syms = Arc::new(SymArena::new());
    let text =
        Symbolic { cursor: Cursor::new(text)?, syms: Arc::clone(&syms), symbols: FxHashMap::default() };
    let program = Program::new(syms);
    let mut reader = Reader { text, program, buffers: FxHashMap::default(), values: FxHashMap::default() };
    let start = reader.text.cursor.place();
    reader.text.cursor.word("loops")?;
    reader.text.cursor.sign("{")?;
    while !reader.text.cursor.take_sign("}") {
        reader.line()?;
    }
    reader.text.cursor.end()?;
    let program = reader.program;
    verify(&program).map_err(|e| TextError::new(start, e.to_string()))?;
    Ok(program)
}

struct Reader {
    text: Symbolic,
    program: Program,
    buffers: FxHashMap<String, BufferId>,
    /// `vN` of the expression that is being read.
    values: FxHashMap<String, ExprId>,
}

impl Reader {
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
            "late" => {
                self.text.cursor.word("symbol")?;
                let symbol = self.text.symbol()?;
                self.program.late.extend(self.program.syms.as_symbol(symbol));
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

    fn number(&mut self) -> Result<usize> {
        let place = self.text.cursor.place();
        let number = self.text.cursor.integer()?;
        usize::try_from(number).map_err(|_| TextError::new(place, format!("{number} is negative")))
    }
    fn numbers<const N: usize>(&mut self) -> Result<[i64; N]> {
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
    fn sizes<const N: usize>(&mut self) -> Result<[SymInt; N]> {
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
    fn spelled<T: Spelled>(&mut self, what: &str) -> Result<T> {
        let found = match self.text.cursor.peek() {
            Token::Word(word) => T::from_text(word),
            _ => None,
        };
        let found = found.ok_or_else(|| self.text.cursor.expected(what))?;
        self.text.cursor.next();
        Ok(found)
    }
    fn buffer(&mut self) -> Result<BufferId> {
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
        if self.text.cursor.take_word("held") {
            self.program.held.insert(buffer);
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
            sorted.sort_unstable();
            if !sorted.into_iter().eq(0..rank) {
                return Err(TextError::new(place, format!("the order is none of {rank} dimensions")));
            }
            self.program.orders.insert(buffer, order);
        }
        Ok(())
    }

    fn node(&mut self) -> Result<()> {
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
            "read" | "set" | "check" | "copy" | "if" | "else" | "end" | "while" | "do"
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
            "copy" => {
                let destination = self.buffer()?;
                self.text.cursor.sign("=")?;
                Control::Copy { destination, source: self.buffer()? }
            }
            "if" => Control::If { predicate: self.buffer()? },
            "else" => Control::Else,
            "while" => Control::While,
            "do" => Control::Do { predicate: self.buffer()? },
            _ if self.text.cursor.take_word("if") => Control::EndIf,
            _ => {
                self.text.cursor.word("while")?;
                Control::EndWhile
            }
        }))
    }
    fn symbol(&mut self) -> Result<crate::types::SymbolId> {
        let place = self.text.cursor.place();
        let symbol = self.text.size()?;
        let found = self.program.syms.as_symbol(symbol);
        found.ok_or_else(|| TextError::new(place, "expected a symbol"))
    }
    fn assertion(&mut self) -> Result<u32> {
        let place = self.text.cursor.place();
        let number = self.number()?;
        match self.program.assertions.len() {
            count if number < count => Ok(number as u32),
            _ => Err(TextError::new(place, format!("there is no assertion {number}"))),
        }
    }

    /// Variables of a space, and data of an access, by their names.
    fn enter(&mut self, space: &[SymInt], data: usize) {
        let syms = Arc::clone(&self.program.syms);
        self.text.symbols.retain(|name, _| !is_variable(name));
        let vars = space.iter().enumerate().map(|(k, s)| (format!("i{k}"), syms.index_var(k as u32, *s)));
        self.text.symbols.extend(vars);
        self.text.symbols.extend((0..data).map(|k| (format!("d{k}"), syms.data_var(k as u32))));
    }

    fn loops(&mut self) -> Result<NodeKind> {
        let start = self.text.cursor.place();
        let mut outs = vec![self.buffer()?];
        while self.text.cursor.take_sign(",") {
            outs.push(self.buffer()?);
        }
        self.text.cursor.sign("=")?;
        let nothing = self.program.exprs.int(0, Dtype::Int64);
        let mut kind = self.head(&outs, nothing, start)?;
        // What stands in the head says which expressions follow; those that may be left out are told by their names.
        let expected = names(&kind);
        let expected: Vec<(String, Vec<SymInt>)> =
            expected.into_iter().zip(spaces(&self.program, &kind)).collect();
        let mut found: FxHashMap<String, ExprId> = FxHashMap::default();
        for (name, space) in expected {
            if !self.at_operand(&name) {
                if is_optional(&name) {
                    continue;
                }
                return Err(self.text.cursor.expected(&format!("`{name} = …`")));
            }
            let value = self.operand(&space)?;
            found.insert(name, value);
        }
        self.fill(&mut kind, &found);
        self.enter(&[], 0);
        Ok(kind)
    }

    /// The node with its sizes; expressions are `nothing` yet, and those that may be left out are there.
    fn head(&mut self, outs: &[BufferId], nothing: ExprId, start: Place) -> Result<NodeKind> {
        let results = |n: usize| match outs.len() == n {
            true => Ok(outs[0]),
            false => Err(TextError::new(start, format!("expected {n} results, found {}", outs.len()))),
        };
        let word = match self.text.cursor.peek().clone() {
            Token::Word(word) => word,
            _ => return Err(self.text.cursor.expected("what the node is")),
        };
        if let Some(op) = ReductionOp::from_text(&word) {
            self.text.cursor.next();
            self.text.cursor.word("over")?;
            let reduced = self.text.sizes()?;
            self.text.cursor.word("for")?;
            let indexed = matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex);
            results(1 + usize::from(indexed))?;
            let sizes = self.text.sizes()?;
            return Ok(NodeKind::Reduction { sizes, reduced, op, value: nothing, outs: outs.to_vec() });
        }
        self.text.cursor.next();
        Ok(match word.as_str() {
            "for" => NodeKind::Pointwise { sizes: self.text.sizes()?, value: nothing, out: results(1)? },
            "scan" => {
                let op = self.spelled::<ScanOp>("a scan's operation")?;
                self.text.cursor.word("along")?;
                let axis = self.number()?;
                self.text.cursor.word("for")?;
                let sizes = self.axes(axis)?;
                let indexed = matches!(op, ScanOp::MaxWithIndex | ScanOp::MinWithIndex);
                results(1 + usize::from(indexed))?;
                NodeKind::Scan { sizes, axis, op, value: nothing, outs: outs.to_vec() }
            }
            "sort" => {
                self.text.cursor.word("along")?;
                let axis = self.number()?;
                let descending = self.text.cursor.take_word("descending");
                self.text.cursor.word("kept")?;
                let kept = self.text.size()?;
                self.text.cursor.word("for")?;
                let sizes = self.axes(axis)?;
                let (values, _) = (results(2)?, ());
                let positions = outs[1];
                NodeKind::Sort { sizes, axis, descending, kept, value: nothing, values, positions }
            }
            "scatter" => self.scatter(results(1)?, nothing)?,
            "gemm" => {
                self.text.cursor.word("batch")?;
                let batch = self.text.sizes()?;
                let mut labelled = |word: &str| {
                    self.text.cursor.word(word)?;
                    self.text.size()
                };
                let (m, n, k) = (labelled("m")?, labelled("n")?, labelled("k")?);
                NodeKind::Gemm { batch, m, n, k, a: nothing, b: nothing, out: results(1)? }
            }
            "convolution" => {
                self.text.cursor.word("input")?;
                let input_sizes = self.sizes()?;
                self.text.cursor.word("weight")?;
                let weight_sizes = self.sizes()?;
                let mut pair = |word: &str| {
                    self.text.cursor.word(word)?;
                    self.numbers()
                };
                let (stride, padding, dilation) = (pair("stride")?, pair("padding")?, pair("dilation")?);
                self.text.cursor.word("groups")?;
                let groups = self.text.cursor.integer()?;
                let channels_last = self.text.cursor.take_word("channels_last");
                let (input, weight, out) = (nothing, nothing, results(1)?);
                NodeKind::Convolution(Box::new(Convolution {
                    input_sizes,
                    input,
                    weight_sizes,
                    weight,
                    stride,
                    padding,
                    dilation,
                    groups,
                    channels_last,
                    out,
                }))
            }
            "attention" => self.attention(results(1)?, nothing)?,
            "recurrence" => {
                let cell = self.spelled::<Cell>("a recurrent cell")?;
                let [steps, batch, hidden, projected] = self.sizes()?;
                let reverse = self.text.cursor.take_word("reverse");
                let batch_first = self.text.cursor.take_word("batch_first");
                let is_lstm = cell == Cell::Lstm;
                results(2 + usize::from(is_lstm))?;
                NodeKind::Recurrence(Box::new(Recurrence {
                    cell,
                    steps,
                    batch,
                    hidden,
                    projected,
                    reverse,
                    batch_first,
                    gates: nothing,
                    weight: nothing,
                    bias: Some(nothing),
                    first: nothing,
                    first_cell: Some(nothing),
                    projection: Some(nothing),
                    out: outs[0],
                    last: outs[1],
                    last_cell: is_lstm.then(|| outs[2]),
                }))
            }
            _ => return Err(TextError::new(start, format!("there is no kind of node `{word}`"))),
        })
    }

    /// Sizes that have the axis.
    fn axes(&mut self, axis: usize) -> Result<Vec<SymInt>> {
        let place = self.text.cursor.place();
        let sizes = self.text.sizes()?;
        match sizes.len() {
            rank if axis < rank => Ok(sizes),
            rank => Err(TextError::new(place, format!("there is no dimension {axis} of {rank}"))),
        }
    }

    fn scatter(&mut self, out: BufferId, nothing: ExprId) -> Result<NodeKind> {
        let mode = self.spelled::<ScatterMode>("a scatter's mode")?;
        self.text.cursor.word("for")?;
        let sizes = self.text.sizes()?;
        self.text.cursor.word("by")?;
        let count = self.number()?.min(MOST_VARIABLES);
        self.text.cursor.word("at")?;
        self.enter(&sizes, count);
        let index = self.text.sizes()?;
        let data = vec![nothing; count];
        Ok(NodeKind::Scatter { sizes, index, data, value: nothing, mode, initial: nothing, out })
    }

    fn attention(&mut self, out: BufferId, nothing: ExprId) -> Result<NodeKind> {
        let [batch, heads, kv_heads, queries, keys, head_size, value_size] = self.sizes()?;
        self.text.cursor.word("at")?;
        self.enter(&[batch, heads, queries, value_size], 0);
        let place = self.text.sizes()?;
        self.text.cursor.word("scale")?;
        let at = self.text.cursor.place();
        let scale = match self.text.cursor.scalar()? {
            Scalar::Float(v) => v,
            _ => return Err(TextError::new(at, "the scale is a float")),
        };
        let empty_is_nan = self.text.cursor.take_word("empty_is_nan");
        let mut bound = |word: &str| match self.text.cursor.take_word(word) {
            true => self.text.size().map(Some),
            false => Ok(None),
        };
        let (lower, upper) = (bound("lower")?, bound("upper")?);
        let score = match self.text.cursor.take_word("score") {
            true => Some(Score { raw: self.buffer()?, value: nothing }),
            false => None,
        };
        Ok(NodeKind::Attention(Box::new(Attention {
            batch,
            heads,
            kv_heads,
            queries,
            keys,
            head_size,
            value_size,
            query: nothing,
            key: nothing,
            value: nothing,
            mask: Some(nothing),
            score,
            band: Band { lower, upper, length: Some(nothing) },
            scale,
            empty_is_nan,
            place,
            out,
        })))
    }

    /// Puts the expressions that were read in their places; what was left out is not there.
    fn fill(&self, kind: &mut NodeKind, found: &FxHashMap<String, ExprId>) {
        match kind {
            NodeKind::Attention(a) => {
                a.mask = a.mask.filter(|_| found.contains_key("mask"));
                a.band.length = a.band.length.filter(|_| found.contains_key("length"));
            }
            NodeKind::Recurrence(r) => {
                r.bias = r.bias.filter(|_| found.contains_key("bias"));
                r.first_cell = r.first_cell.filter(|_| found.contains_key("first_cell"));
                r.projection = r.projection.filter(|_| found.contains_key("projection"));
            }
            _ => {}
        }
        let mut node = LoopNode { kind: kind.clone(), operators: Operators::default() };
        let mut places = names(kind).into_iter();
        node.for_each_expr(&mut |place| {
            if let Some(value) = places.next().and_then(|name| found.get(&name)) {
                *place = *value;
            }
        });
        *kind = node.kind;
    }

    /// Whether `name =` comes next; then it is read.
    fn at_operand(&mut self, name: &str) -> bool {
        let there = matches!(self.text.cursor.peek(), Token::Word(w) if w == name);
        there && self.text.cursor.argument_name().is_some()
    }

    /// The lines that name values, and the expression.
    fn operand(&mut self, space: &[SymInt]) -> Result<ExprId> {
        self.values.clear();
        self.enter(space, MOST_VARIABLES);
        loop {
            let place = self.text.cursor.place();
            let is_named = matches!(self.text.cursor.peek(), Token::Word(w) if is_value(w));
            let Some(name) = is_named.then(|| self.text.cursor.argument_name()).flatten() else {
                return self.expression(0);
            };
            let value = self.expression(0)?;
            if self.values.insert(name.clone(), value).is_some() {
                return Err(TextError::new(place, format!("`{name}` is defined twice")));
            }
        }
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

/// `i0`, `d3`: variables that texts name by themselves.
fn is_variable(name: &str) -> bool {
    name.strip_prefix(['i', 'd']).is_some_and(is_digits)
}
/// `v7`
fn is_value(name: &str) -> bool {
    name.strip_prefix('v').is_some_and(is_digits)
}
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Expressions that not every node of their kind has.
fn is_optional(name: &str) -> bool {
    matches!(name, "mask" | "length" | "bias" | "first_cell" | "projection")
}
