//! Loop nests to nodes: their kinds, sizes and expressions.

use super::read::Reader;
use super::{MOST_VARIABLES, Spelled, names};
use crate::base::HashMap;
use crate::ir::text::lexer::{Place, Token};
use crate::loops::{
    Attention, AttentionBackward, Band, BufferId, Cell, Convolution, ExprId, LoopNode, NodeKind, Operators,
    Recurrence, ReductionOp, Routine, ScanOp, ScatterMode, Score,
};
use crate::meta::text::{Result, TextError};
use crate::types::{Dtype, Scalar, SymInt};
use std::sync::Arc;

impl Reader {
    /// Variables of a space, and data of an access, by their names.
    pub fn enter(&mut self, space: &[SymInt], data: usize) {
        let space: Vec<(u32, SymInt)> = space.iter().enumerate().map(|(k, s)| (k as u32, *s)).collect();
        self.enter_variables(&space, data);
    }

    /// The same for variables of these positions and sizes.
    pub fn enter_variables(&mut self, variables: &[(u32, SymInt)], data: usize) {
        let syms = Arc::clone(&self.program.syms);
        self.text.symbols.retain(|name, _| !is_variable(name));
        let vars = variables.iter().map(|(k, size)| (format!("i{k}"), syms.index_var(*k, *size)));
        self.text.symbols.extend(vars);
        self.text.symbols.extend((0..data).map(|k| (format!("d{k}"), syms.data_var(k as u32))));
    }

    pub(super) fn loops(&mut self) -> Result<NodeKind> {
        let start = self.text.cursor.place();
        let mut outs = Vec::new();
        // A routine that runs for its effect may have no results.
        if !matches!(self.text.cursor.peek(), Token::Word(w) if w == "library") {
            outs = self.buffer_list()?;
            self.text.cursor.sign("=")?;
        }
        let nothing = self.program.exprs.int(0, Dtype::Int64);
        let mut kind = self.head(&outs, nothing, start)?;
        // What stands in the head says which expressions follow; those that may be left out are told by their names.
        let expected = names(&kind);
        let expected: Vec<(String, Vec<SymInt>)> =
            expected.into_iter().zip(self.program.spaces(&kind)).collect();
        let mut found: HashMap<String, ExprId> = HashMap::default();
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
                let indexed = op.has_places();
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
            "library" => {
                let effect = self.text.cursor.take_word("effect");
                NodeKind::Library(Box::new(Routine { effect, ..self.routine()? }))
            }
            "attention" => {
                results(outs.len().clamp(1, 2))?;
                self.attention(outs, nothing)?
            }
            "attention_backward" => self.attention_backward(outs, nothing)?,
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

    fn attention(&mut self, outs: &[BufferId], nothing: ExprId) -> Result<NodeKind> {
        let [batch, heads, kv_heads, queries, keys, head_size, value_size] = self.sizes()?;
        self.text.cursor.word("at")?;
        self.enter(&[batch, heads, queries, value_size], 0);
        let place = self.text.sizes()?;
        let scale = self.scale()?;
        let empty_is_nan = self.text.cursor.take_word("empty_is_nan");
        let band = self.band(nothing)?;
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
            band,
            scale,
            empty_is_nan,
            place,
            out: outs[0],
            log_sum: outs.get(1).copied(),
        })))
    }

    fn attention_backward(&mut self, outs: &[BufferId], nothing: ExprId) -> Result<NodeKind> {
        let [batch, heads, kv_heads, queries, keys, head_size, value_size] = self.sizes()?;
        self.text.cursor.word("of")?;
        let start = self.text.cursor.place();
        let mut left = outs.iter().copied();
        let named = ["query", "key", "value"].map(|word| self.text.cursor.take_word(word));
        if named.iter().filter(|there| **there).count() != outs.len() {
            return Err(TextError::new(start, format!("expected the names of {} results", outs.len())));
        }
        let [grad_query, grad_key, grad_value] = named.map(|there| if there { left.next() } else { None });
        let scale = self.scale()?;
        let band = self.band(nothing)?;
        Ok(NodeKind::AttentionBackward(Box::new(AttentionBackward {
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
            grad: nothing,
            log_sum: nothing,
            mean: nothing,
            mask: Some(nothing),
            band,
            scale,
            grad_query,
            grad_key,
            grad_value,
        })))
    }

    fn scale(&mut self) -> Result<f64> {
        self.text.cursor.word("scale")?;
        let at = self.text.cursor.place();
        match self.text.cursor.scalar()? {
            Scalar::Float(v) => Ok(v),
            _ => Err(TextError::new(at, "the scale is a float")),
        }
    }

    fn band(&mut self, nothing: ExprId) -> Result<Band> {
        let mut bound = |word: &str| match self.text.cursor.take_word(word) {
            true => self.text.size().map(Some),
            false => Ok(None),
        };
        Ok(Band { lower: bound("lower")?, upper: bound("upper")?, length: Some(nothing) })
    }

    /// Puts the expressions that were read in their places; what was left out is not there.
    fn fill(&self, kind: &mut NodeKind, found: &HashMap<String, ExprId>) {
        match kind {
            NodeKind::Attention(a) => {
                a.mask = a.mask.filter(|_| found.contains_key("mask"));
                a.band.length = a.band.length.filter(|_| found.contains_key("length"));
            }
            NodeKind::AttentionBackward(a) => {
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
}

/// `i0`, `d3`: variables that texts name by themselves.
fn is_variable(name: &str) -> bool {
    name.strip_prefix(['i', 'd']).is_some_and(is_digits)
}
pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Expressions that not every node of their kind has.
fn is_optional(name: &str) -> bool {
    matches!(name, "mask" | "length" | "bias" | "first_cell" | "projection")
}
