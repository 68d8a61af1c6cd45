//! Litz text to graphs (`ir::text` says what it looks like). It stands here because results' types are inferred.
//!
//! Invariants: no text panics or overflows the stack; an error has the line and column of what was not understood
//! and says what was expected.

mod constant;
pub(crate) mod cursor;
mod expression;
mod origins;
mod signature;
pub(crate) mod symbolic;
mod unknown;

use crate::base::{Boxed, HashMap, HashSet, SharedBytes, Status, bounded, is_planted};
use crate::ir::text::lexer::{Place, Token};
use crate::ir::text::print_inside;
use crate::ir::{
    self, ConstantKind, Definition, Graph, Guard, HostOperators, Number, Origin, OriginId, OutputValue,
    Subgraph, Value, Write,
};
use crate::meta::Builder;
use crate::meta::builder::is_known;
use crate::types::{Dtype, Scalar, SymArena, SymInt, TensorMeta};
use cursor::Cursor;
use std::sync::Arc;
use symbolic::Symbolic;

/// What is wrong with a text, and where.
pub type TextError = Boxed<TextErrorFields>;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct TextErrorFields {
    pub status: Status,
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl TextError {
    pub fn status(&self) -> Status {
        self.status
    }
    pub fn new(place: Place, message: impl Into<String>) -> TextError {
        TextError::with_status(Status::Parse, place, message)
    }
    fn with_status(status: Status, place: Place, message: impl Into<String>) -> TextError {
        let Place { line, column } = place;
        Boxed::of(TextErrorFields { status, line, column, message: bounded(message.into()) })
    }
}

pub type Result<T> = std::result::Result<T, TextError>;

/// Reads one graph.
pub fn parse(text: &str) -> Result<Graph> {
    parse_with(text, &HostOperators::default())
}

/// Reads one graph, which may call operators of a host's.
pub fn parse_with(text: &str, operators: &HostOperators) -> Result<Graph> {
    read(text, None, operators)
}

/// Reads a graph whose larger data are `stored` in a file that belongs to the text.
pub fn parse_placed(text: &str, stored: &SharedBytes, operators: &HostOperators) -> Result<Graph> {
    read(text, Some(stored.clone()), operators)
}

fn read(text: &str, stored: Option<SharedBytes>, operators: &HostOperators) -> Result<Graph> {
    let mut cursor = Cursor::new(text)?;
    cursor.word("graph")?;
    let name = cursor.string("the graph's name")?;
    cursor.sign("{")?;
    let graph = Graph { operators: operators.clone(), ..Graph::new(&name) };
    let text = Symbolic { cursor, syms: Arc::clone(&graph.syms), symbols: HashMap::default() };
    let mut reader = Reader {
        text,
        graph,
        values: HashMap::default(),
        guards: Vec::new(),
        graphs: HashMap::default(),
        depth: 0,
        stored,
        known: origins::Known::default(),
    };
    let start = reader.text.cursor.place();
    reader.body()?;
    reader.text.cursor.end()?;
    reader.check_signature(start)?;
    let graph = reader.graph;
    ir::verify(&graph, false).map_err(|e| TextError::new(start, e.to_string()))?;
    Ok(graph)
}

/// Graphs that became subgraphs of one graph, by their texts and origins.
pub type Imported = HashMap<(String, Vec<OriginId>), Subgraph>;

/// A graph of its own as a subgraph of another one: symbols that it declares and that the other declares or computes, of the same
/// names, are the same. A graph that became one already is the same subgraph, unless it gives symbols.
pub fn import(outer: &Graph, graph: &Graph, known: &mut Imported) -> Result<Subgraph> {
    let syms = &outer.syms;
    let named = |id| (syms.symbol_name(id), syms.symbol_expr(id));
    let declared = outer.symbols.iter().filter_map(|s| syms.as_symbol(*s));
    let symbols: HashMap<String, SymInt> =
        ir::symbols_of_own_nodes(outer).chain(declared).map(named).collect();
    let (text, origins) = print_inside(graph, &symbols.keys().cloned().collect());
    let origins: Vec<OriginId> =
        origins.into_iter().map(|id| outer.origins.add(Origin::clone(&graph.origins.get(id)))).collect();
    let key = (text, origins);
    if let Some(subgraph) = known.get(&key) {
        return Ok(subgraph.clone());
    }
    let mut reader = Reader {
        text: Symbolic { cursor: Cursor::new(&key.0)?, syms: Arc::clone(syms), symbols },
        graph: outer.new_subgraph(""),
        values: HashMap::default(),
        guards: Vec::new(),
        graphs: HashMap::default(),
        depth: 0,
        stored: None,
        known: origins::Known::of(key.1.clone()),
    };
    let inner = reader.subgraph()?;
    if !ir::gives_symbols(&inner.0) {
        known.insert(key, inner.clone());
    }
    Ok(inner)
}

struct Reader {
    text: Symbolic,
    graph: Graph,
    /// What `%N` of the text stands for.
    values: HashMap<u64, Value>,
    guards: Vec<Guard>,
    /// Graphs that may stand again.
    graphs: HashMap<i64, Subgraph>,
    /// How many graphs are around this one.
    depth: usize,
    /// The file that belongs to the text.
    stored: Option<SharedBytes>,
    known: origins::Known,
}

/// Graphs nest no deeper.
const NESTED: usize = 50;

const LINES: &str = "`symbol`, `let`, `input`, `number`, `parameter`, `buffer`, `constant`, `guard`, `write`, `output`, `wide_unsigned`, `gpu`, `module`, `trace`, `origin`, a node, a line of the signature or `}`";

impl Reader {
    fn syms(&self) -> Arc<SymArena> {
        self.graph.syms.clone()
    }

    /// The lines of a graph, and its end.
    fn body(&mut self) -> Result<()> {
        while !self.text.cursor.take_sign("}") {
            self.line()?;
        }
        // The text's guards come first and in its order; what inference asks beside them follows.
        let inferred = std::mem::replace(&mut self.graph.guards, std::mem::take(&mut self.guards));
        let mut known: HashSet<SymInt> = self.graph.guards.iter().map(|g| g.condition).collect();
        self.graph.guards.extend(inferred.into_iter().filter(|guard| known.insert(guard.condition)));
        Ok(())
    }

    /// A graph that is an argument: values are its own, symbols are those of the graph around it.
    fn subgraph(&mut self) -> Result<Subgraph> {
        let place = self.text.cursor.place();
        self.text.cursor.word("graph")?;
        if let Token::Int(number) = *self.text.cursor.peek() {
            self.text.cursor.next();
            return self
                .graphs
                .get(&number)
                .cloned()
                .ok_or_else(|| TextError::new(place, format!("no graph before this one is `as {number}`")));
        }
        let name = self.text.cursor.string("the graph's name")?;
        let mut number = None;
        if *self.text.cursor.peek() == Token::Word("as".to_string()) {
            self.text.cursor.next();
            let place = self.text.cursor.place();
            number = match self.text.cursor.next() {
                Token::Int(number) if !self.graphs.contains_key(&number) => Some(number),
                other => {
                    return Err(TextError::new(
                        place,
                        format!("expected a number that no graph has, found {other}"),
                    ));
                }
            };
        }
        self.text.cursor.sign("{")?;
        if self.depth == NESTED {
            return Err(TextError::new(place, format!("graphs nest deeper than {NESTED}")));
        }
        let inner = self.graph.new_subgraph(&name);
        let outer = std::mem::replace(&mut self.graph, inner);
        let (values, guards) = (std::mem::take(&mut self.values), std::mem::take(&mut self.guards));
        self.depth += 1;
        let read = self.body();
        self.depth -= 1;
        (self.values, self.guards) = (values, guards);
        let inner = std::mem::replace(&mut self.graph, outer);
        read?;
        let inner = Subgraph(Arc::new(inner));
        if let Some(number) = number {
            if ir::gives_symbols(&inner.0) {
                let message =
                    "a graph that gives symbols stands once: write it out again, with symbols of its own";
                return Err(TextError::new(place, message));
            }
            self.graphs.insert(number, inner.clone());
        }
        Ok(inner)
    }

    fn line(&mut self) -> Result<()> {
        let place = self.text.cursor.place();
        let word = match self.text.cursor.peek() {
            Token::Word(w) => w.clone(),
            Token::Value(_) => return self.node(),
            _ => return Err(self.text.cursor.expected(LINES)),
        };
        if word.contains('.') {
            return self.node();
        }
        self.text.cursor.next();
        match word.as_str() {
            "symbol" => {
                let symbol = self.text.symbol()?;
                self.graph.symbols.push(symbol);
                Ok(())
            }
            "let" => self.text.part(),
            "input" => self.input(place),
            "number" => self.number(place),
            "parameter" => self.constant(ConstantKind::Parameter, place),
            "buffer" => self.constant(ConstantKind::Buffer, place),
            "constant" => self.constant(ConstantKind::Constant, place),
            "wide_unsigned" => {
                self.graph.takes_wide_unsigned = true;
                Ok(())
            }
            "gpu" => {
                self.graph.made_on_gpu = true;
                Ok(())
            }
            "guard" => self.guard(),
            "write" => self.write(),
            "output" => self.output(),
            _ if origins::is_line(&word) => self.origin(&word, place),
            _ if signature::is_line(&word) => self.signature(&word, place),
            _ => Err(TextError::new(place, format!("expected {LINES}, found `{word}`"))),
        }
    }

    /// `%3 "name"`
    fn head(&mut self) -> Result<(u64, Place, String)> {
        let place = self.text.cursor.place();
        let number = self.text.cursor.value_number()?;
        Ok((number, place, self.text.cursor.string("the name")?))
    }
    fn define(&mut self, number: u64, place: Place, value: Value) -> Result<()> {
        match self.values.insert(number, value) {
            None => Ok(()),
            Some(_) => Err(TextError::new(place, format!("`%{number}` is defined twice"))),
        }
    }
    fn lookup(&self, number: u64, place: Place) -> Result<Value> {
        let found = self.values.get(&number).copied();
        match found {
            None if is_planted("death") => std::process::abort(),
            None if is_planted("hang") => loop {
                std::thread::park();
            },
            _ => {}
        }
        found.ok_or_else(|| TextError::new(place, format!("`%{number}` is not defined before it is used")))
    }
    fn named(&mut self, name: &str) -> Option<Definition> {
        self.graph.named(name).filter(|n| !n.is_alias).map(|n| n.definition)
    }
    fn check_new(&mut self, name: &str, place: Place) -> Result<()> {
        match self.named(name) {
            None => Ok(()),
            Some(_) => Err(TextError::new(place, format!("the name \"{name}\" is given twice"))),
        }
    }

    fn input(&mut self, start: Place) -> Result<()> {
        let (number, place, name) = self.head()?;
        self.check_new(&name, start)?;
        let at = self.text.cursor.place();
        let spent = self.text.cursor.take_word("spent");
        if spent && self.depth > 0 {
            return Err(TextError::new(at, "only inputs of the outermost graph may be `spent`"));
        }
        self.text.cursor.sign(":")?;
        let meta = self.meta()?;
        let value = self.graph.add_input(&name, meta);
        if let Some(last) = self.graph.inputs.last_mut() {
            last.spent = spent;
        }
        self.define(number, place, value)
    }

    fn number(&mut self, start: Place) -> Result<()> {
        let (number, place, name) = self.head()?;
        self.check_new(&name, start)?;
        self.text.cursor.sign(":")?;
        let at = self.text.cursor.place();
        let dtype = self.text.dtype()?;
        if !dtype.is_integral() && dtype != Dtype::Float64 {
            return Err(TextError::new(
                at,
                format!("a number is an integer, a bool or float64, not {dtype}"),
            ));
        }
        self.text.cursor.sign("=")?;
        let symbol = self.text.size()?;
        let value = self.graph.add_number_input(&name, dtype, symbol);
        self.define(number, place, value)
    }

    /// `float32[s0, 4] strides [1, s0] offset 2`
    fn meta(&mut self) -> Result<TensorMeta> {
        let dtype = self.text.dtype()?;
        let place = self.text.cursor.place();
        let shape = self.text.sizes()?;
        let syms = self.syms();
        if let Some(size) = shape.iter().find(|s| syms.range(**s).max < 0) {
            return Err(TextError::new(place, format!("the size {} is negative", syms.display(*size))));
        }
        let mut meta = TensorMeta::contiguous(&syms, dtype, shape);
        if self.text.cursor.take_word("strides") {
            let place = self.text.cursor.place();
            meta.strides = self.text.sizes()?;
            if meta.strides.len() != meta.shape.len() {
                return Err(TextError::new(
                    place,
                    format!("{} strides for {} dimensions", meta.strides.len(), meta.shape.len()),
                ));
            }
        }
        if self.text.cursor.take_word("offset") {
            meta.offset = self.text.size()?;
        }
        Ok(meta)
    }

    fn node(&mut self) -> Result<()> {
        let start = self.text.cursor.place();
        let mut results = Vec::new();
        while matches!(self.text.cursor.peek(), Token::Value(_)) {
            let place = self.text.cursor.place();
            let number = self.text.cursor.value_number()?;
            let name = match self.text.cursor.peek() {
                Token::Str(_) => Some(self.text.cursor.string("a name")?),
                _ => None,
            };
            results.push((number, place, name));
            if !self.text.cursor.take_sign(",") {
                break;
            }
        }
        if !results.is_empty() {
            self.text.cursor.sign("=")?;
        }
        let place = self.text.cursor.place();
        let Token::Word(op) = self.text.cursor.next() else {
            return Err(TextError::new(place, "expected an operator's name, such as `aten.add.Tensor`"));
        };
        self.text.cursor.sign("(")?;
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        while !self.text.cursor.take_sign(")") {
            match self.text.cursor.argument_name() {
                Some(name) => named.push((name, self.argument()?)),
                None if named.is_empty() => positional.push(self.argument()?),
                None => {
                    return Err(self.text.cursor.expected("a named argument: the ones before it are named"));
                }
            }
            if !self.text.cursor.take_sign(",") {
                self.text.cursor.sign(")")?;
                break;
            }
        }
        self.graph.making = self.node_origins()?;
        let values = Builder::with_results(&mut self.graph, results.len()).call_named(&op, positional, named);
        self.graph.making = Vec::new();
        let values = values.map_err(|e| {
            let all = |op| unknown::all_from(&self.text.cursor, op, place, &self.graph.operators);
            let all = (!is_known(&op, &self.graph.operators)).then(|| all(&op)).flatten();
            all.unwrap_or_else(|| TextError::with_status(e.status(), place, e.to_string()))
        })?;
        if values.len() != results.len() {
            return Err(TextError::new(
                start,
                format!("`{op}` gives {} results, but {} are named", values.len(), results.len()),
            ));
        }
        for (value, (number, place, name)) in values.into_iter().zip(results) {
            self.graph.values[value].name = name;
            self.define(number, place, value)?;
        }
        Ok(())
    }

    fn guard(&mut self) -> Result<()> {
        let condition = self.text.size()?;
        let message = self.text.cursor.string("the guard's message")?;
        self.guards.push(Guard { condition, message });
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        let place = self.text.cursor.place();
        let name = self.text.cursor.string("the name of an input or constant")?;
        let target = self.named(&name);
        let target = target
            .ok_or_else(|| TextError::new(place, format!("there is no input or constant \"{name}\"")))?;
        self.text.cursor.sign("=")?;
        let place = self.text.cursor.place();
        let number = self.text.cursor.value_number()?;
        let value = self.lookup(number, place)?;
        self.graph.writes.push(Write { target, value });
        Ok(())
    }

    fn output(&mut self) -> Result<()> {
        let name = self.text.cursor.string("the output's name")?;
        self.text.cursor.sign("=")?;
        let place = self.text.cursor.place();
        let value = match self.text.cursor.peek() {
            Token::Value(n) => {
                let number = *n;
                self.text.cursor.next();
                OutputValue::Tensor(self.lookup(number, place)?)
            }
            _ => OutputValue::Number(match self.text.cursor.known_scalar() {
                Some(known) => Number::Scalar(known),
                None if self.text.at_float() => Number::Float(self.text.float(0)?),
                None if self.text.cursor.take_word("bool") => {
                    self.text.cursor.sign("(")?;
                    let truth = self.text.size()?;
                    self.text.cursor.sign(")")?;
                    Number::Truth(truth)
                }
                None => {
                    let size = self.text.size()?;
                    match self.graph.syms.as_const(size) {
                        Some(v) => Number::Scalar(Scalar::Int(v)),
                        None => Number::Symbolic(size),
                    }
                }
            }),
        };
        self.graph.add_output(&name, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
