//! One node being read: its inputs and attributes, and short words for building what it becomes.

use super::super::FrontendError;
use super::super::error::Result;
use super::super::number::Number;
use super::data::Narrow;
use super::entry::{At, Entry, Known, MOST_KNOWN, Tensor};
use super::reader::Reader;
use super::table::{Row, Rule};
use super::{fold, proto};
use crate::base::{StableSort, Status};
use crate::ir::{Arg, Guard, Value};
use crate::meta::{Builder, formula};
use crate::types::{Dtype, Range, SymArena, SymInt, TensorMeta};
use std::rc::Rc;
use std::sync::Arc;

/// What a node's operator gives.
pub type Results = Result<Vec<Entry>>;

pub struct Cx<'r, 'a> {
    pub reader: &'r mut Reader<'a>,
    pub node: &'a proto::Node,
    pub opset: i64,
    pub inputs: Vec<Entry>,
    pub syms: Arc<SymArena>,
}

/// Numbers read from a tensor at most.
const MOST_READ: i64 = 64;

impl formula::Scope for Cx<'_, '_> {
    type Error = FrontendError;

    fn builder(&mut self) -> Builder<'_> {
        self.reader.builder()
    }
    fn attribute(&self, name: &str, default: Option<Arg>) -> Result<Arg> {
        let syms = &self.syms;
        let Some(given) = self.reader.attribute(self.node, name) else {
            return default.ok_or_else(|| self.wrong(format!("the attribute `{name}` is missing")));
        };
        Ok(match (given.kind, default) {
            (_, Some(Arg::Bool(_))) => Arg::Bool(given.i != 0),
            (_, Some(Arg::Float(_))) | (1, _) => Arg::Float(given.f as f64),
            (3, _) => Arg::Str(String::from_utf8_lossy(&given.s).into_owned()),
            (6, _) => Arg::Floats(given.floats.iter().map(|v| *v as f64).collect()),
            (7, _) => Arg::Ints(given.ints.iter().map(|v| syms.constant(*v)).collect()),
            _ => Arg::Int(syms.constant(given.i)),
        })
    }
    fn wrong(&self, message: String) -> FrontendError {
        FrontendError::new(Status::InvalidArgument, message)
    }
}

impl<'r, 'a> Cx<'r, 'a> {
    pub fn new(reader: &'r mut Reader<'a>, node: &'a proto::Node, opset: i64, inputs: Vec<Entry>) -> Self {
        let syms = reader.graph().syms.clone();
        Cx { reader, node, opset, inputs, syms }
    }

    pub fn apply(&mut self, row: &Row) -> Results {
        if let Some(known) = fold::fold(self)? {
            return Ok(vec![Entry::known(known)]);
        }
        match row.rule {
            Rule::Call(rule) => rule(self),
            Rule::Formula(text) => {
                let mut args = Vec::new();
                for k in 0..self.inputs.len() {
                    args.push(self.optional(k)?.map_or(Arg::None, Arg::Value));
                }
                Ok(formula::evaluate(self, text, &args)?.into_iter().map(|v| self.entry(v)).collect())
            }
        }
    }

    // What is given.

    pub fn has(&self, k: usize) -> bool {
        !matches!(self.inputs.get(k), None | Some(Entry::Nothing))
    }
    pub fn tensor(&self, k: usize) -> Result<Tensor> {
        match self.inputs.get(k) {
            Some(Entry::Tensor(t)) => Ok(t.clone()),
            Some(Entry::Sequence(_) | Entry::Stacked(_)) => {
                Err(FrontendError::unsupported(format!("input {k} is a sequence")))
            }
            _ => Err(FrontendError::parse(format!("input {k} is missing"))),
        }
    }
    /// An input as a tensor of the graph, whatever its bytes mean.
    pub fn raw(&mut self, k: usize) -> Result<Value> {
        let tensor = self.tensor(k)?;
        let value = self.reader.value(&tensor)?;
        if !matches!(tensor.at, At::Graph(..)) {
            let at = At::Graph(self.reader.frames.len() - 1, value);
            let known = known_of(&tensor, &self.syms);
            self.inputs[k] = Entry::Tensor(Tensor { at, known, ..tensor });
        }
        Ok(value)
    }
    /// An input to compute with.
    pub fn value(&mut self, k: usize) -> Result<Value> {
        if self.narrow(k).is_some() {
            let message = format!(
                "input {k} has an element type of at most 8 bits that this operator is not supported for"
            );
            return Err(FrontendError::unsupported(message));
        }
        self.raw(k)
    }
    pub fn optional(&mut self, k: usize) -> Result<Option<Value>> {
        if self.has(k) { self.value(k).map(Some) } else { Ok(None) }
    }
    pub fn optional_arg(&mut self, k: usize) -> Result<Arg> {
        Ok(self.optional(k)?.map_or(Arg::None, Arg::Value))
    }
    pub fn arg(&mut self, k: usize) -> Result<Arg> {
        self.value(k).map(Arg::Value)
    }
    pub fn narrow(&self, k: usize) -> Option<Narrow> {
        match self.inputs.get(k) {
            Some(Entry::Tensor(t)) => t.narrow,
            _ => None,
        }
    }
    pub fn values(&mut self) -> Result<Vec<Value>> {
        (0..self.inputs.len()).map(|k| self.value(k)).collect()
    }
    /// How many results the node names, up to the last one.
    pub fn results(&self) -> usize {
        self.node.outputs.iter().rposition(|n| !n.is_empty()).map_or(0, |k| k + 1)
    }
    pub fn gives(&self, k: usize) -> bool {
        self.node.outputs.get(k).is_some_and(|n| !n.is_empty())
    }

    /// The elements of an input, where they are known.
    pub fn known(&mut self, k: usize) -> Result<Option<Rc<Known>>> {
        match self.inputs.get(k) {
            Some(Entry::Tensor(t)) => Ok(known_of(t, &self.syms)),
            _ => Ok(None),
        }
    }
    /// Integers of an input: known ones, or symbols that a run reads from it.
    pub fn sizes(&mut self, k: usize) -> Result<Option<Vec<SymInt>>> {
        if !self.has(k) {
            return Ok(None);
        }
        if let Some(known) = self.known(k)? {
            let ints = known.items.iter().map(|n| match n {
                Number::Int(v) | Number::Bool(v) => Ok(*v),
                _ => Err(FrontendError::unsupported(format!(
                    "input {k} holds floats where integers are asked"
                ))),
            });
            return ints.collect::<Result<_>>().map(Some);
        }
        let value = self.value(k)?;
        let meta = self.meta(value);
        if meta.rank() > 1 {
            return Err(
                self.wrong(format!("input {k} holds sizes, and has {} dimensions, not one", meta.rank()))
            );
        }
        let count = self.syms.as_const(meta.numel(&self.syms)).filter(|n| *n <= MOST_READ);
        let (Some(count), true) = (count, meta.dtype.is_integral()) else {
            let message = format!("input {k} holds sizes, and is no tensor of at most {MOST_READ} integers");
            return Err(FrontendError::unsupported(message));
        };
        let flat = self.call("reshape($0, [-1])", &[Arg::Value(value)])?;
        let mut symbols = Vec::new();
        for i in 0..count {
            let one = self.call("select.int($0, 0, $1)", &[Arg::Value(flat), self.int(i)])?;
            let mut builder = self.reader.builder();
            let symbol = builder.data_symbol(Range::new(i64::MIN, i64::MAX));
            builder.read_number(one, symbol)?;
            symbols.push(symbol);
        }
        let shape = self.syms.as_consts(&meta.shape).unwrap_or_default();
        let items = symbols.iter().map(|s| Number::Int(*s)).collect();
        if let Some(Entry::Tensor(t)) = self.inputs.get_mut(k) {
            t.known = Some(Rc::new(Known { dtype: meta.dtype, shape, items }));
        }
        Ok(Some(symbols))
    }
    /// Integers of an input that must be known while the model is read.
    pub fn ints(&mut self, k: usize, what: &str) -> Result<Option<Vec<i64>>> {
        if !self.has(k) {
            return Ok(None);
        }
        let known = match self.known(k)? {
            Some(known) => known.items.iter().map(|n| constant(&self.syms, *n)).collect::<Option<Vec<_>>>(),
            None => None,
        };
        known.map(Some).ok_or_else(|| {
            FrontendError::unsupported(format!("input {k} ({what}) must be known while the model is read"))
        })
    }
    /// A number that an input holds, known.
    pub fn number(&mut self, k: usize) -> Result<Option<Number>> {
        Ok(self.known(k)?.filter(|known| known.items.len() == 1).map(|known| known.items[0]))
    }

    /// A number that an input holds, known or read from it in a run.
    pub fn read(&mut self, k: usize) -> Result<Number> {
        if let Some(number) = self.number(k)? {
            return Ok(number);
        }
        let value = self.value(k)?;
        let dtype = self.dtype(value);
        if !dtype.is_float() {
            let sizes = self.sizes(k)?.unwrap_or_default();
            let [one] = sizes[..] else { return Err(self.wrong(format!("input {k} is not one number"))) };
            return Ok(Number::Int(one));
        }
        self.read_value(value)
    }
    /// The float that a tensor of one element holds, read in a run.
    pub fn read_value(&mut self, value: Value) -> Result<Number> {
        let mut builder = self.reader.builder();
        let symbol = builder.data_symbol(Range::new(i64::MIN, i64::MAX));
        builder.read_number(value, symbol)?;
        Ok(Number::Bits(symbol))
    }
    /// A condition on sizes that each run checks.
    pub fn require(&mut self, condition: SymInt, message: String) -> Result<()> {
        match self.syms.decide(condition) {
            Some(true) => Ok(()),
            Some(false) => Err(FrontendError::new(Status::Shape, message)),
            None => {
                let guard = Guard { condition, message };
                let graph = self.reader.graph();
                if !graph.guards.contains(&guard) {
                    graph.guards.push(guard);
                }
                Ok(())
            }
        }
    }

    // Attributes.

    pub fn attribute(&self, name: &str) -> Option<&proto::Attribute> {
        self.reader.attribute(self.node, name)
    }
    pub fn attr(&self, name: &str) -> Option<i64> {
        self.attribute(name).map(|a| a.i)
    }
    pub fn attr_or(&self, name: &str, default: i64) -> i64 {
        self.attr(name).unwrap_or(default)
    }
    pub fn flag(&self, name: &str) -> bool {
        self.attr_or(name, 0) != 0
    }
    pub fn float(&self, name: &str, default: f64) -> f64 {
        self.attribute(name).map_or(default, |a| a.f as f64)
    }
    pub fn list(&self, name: &str) -> Option<Vec<i64>> {
        self.attribute(name).map(|a| a.ints.clone())
    }
    pub fn string(&self, name: &str, default: &str) -> Result<String> {
        match self.attribute(name) {
            None => Ok(default.to_string()),
            Some(a) => String::from_utf8(a.s.to_vec())
                .map_err(|_| FrontendError::parse(format!("attribute `{name}` is not UTF-8"))),
        }
    }
    /// The size of a tensor's dimension, which a model that is wrong may lack.
    pub fn size(&self, value: Value, dim: usize) -> Result<SymInt> {
        let shape = self.shape(value);
        shape.get(dim).copied().ok_or_else(|| {
            self.wrong(format!("a tensor of rank {} where one of at least {} is asked", shape.len(), dim + 1))
        })
    }
    /// Refuses a node that has an attribute which would change what it computes.
    pub fn refuse(&self, what: impl Into<String>) -> FrontendError {
        FrontendError::unsupported(what)
    }
    pub fn wrong(&self, what: impl Into<String>) -> FrontendError {
        FrontendError::new(Status::InvalidArgument, what)
    }

    // Building.

    pub fn entry(&self, value: Value) -> Entry {
        let at = At::Graph(self.reader.frames.len() - 1, value);
        Entry::Tensor(Tensor { at, known: None, narrow: None })
    }
    pub fn narrowed(&self, value: Value, narrow: Option<Narrow>) -> Entry {
        let at = At::Graph(self.reader.frames.len() - 1, value);
        Entry::Tensor(Tensor { at, known: None, narrow })
    }
    /// Tensors put together by a formula of their list and a dimension.
    pub fn joined(&mut self, text: &str, list: &[Entry], dim: i64) -> Result<Entry> {
        let (mut values, mut narrow) = (Vec::new(), None);
        for (k, entry) in list.iter().enumerate() {
            let Entry::Tensor(tensor) = entry else {
                return Err(FrontendError::unsupported("an element of the list is no tensor"));
            };
            if k > 0 && narrow != tensor.narrow {
                return Err(self.wrong("the tensors have different element types"));
            }
            narrow = tensor.narrow;
            values.push(Some(self.reader.value(tensor)?));
        }
        let value = self.call(text, &[Arg::Values(values), self.int(dim)])?;
        Ok(self.narrowed(value, narrow))
    }
    pub fn one(&self, value: Value) -> Results {
        Ok(vec![self.entry(value)])
    }
    /// The first result of a formula of the given values; see [`formula`].
    pub fn call(&mut self, text: &str, args: &[Arg]) -> Result<Value> {
        Ok(self.calls(text, args)?[0])
    }
    pub fn calls(&mut self, text: &str, args: &[Arg]) -> Result<Vec<Value>> {
        formula::evaluate(self, text, args)
    }
    /// [`Self::call`] of values alone.
    pub fn of(&mut self, text: &str, values: &[Value]) -> Result<Value> {
        let args: Vec<Arg> = values.iter().map(|v| Arg::Value(*v)).collect();
        self.call(text, &args)
    }
    pub fn meta(&self, value: Value) -> TensorMeta {
        self.reader.current().meta(value).clone()
    }
    pub fn shape(&self, value: Value) -> Vec<SymInt> {
        self.reader.current().meta(value).shape.clone()
    }
    pub fn rank(&self, value: Value) -> usize {
        self.reader.current().meta(value).rank()
    }
    pub fn dtype(&self, value: Value) -> Dtype {
        self.reader.current().meta(value).dtype
    }
    pub fn int(&self, value: i64) -> Arg {
        Arg::Int(self.syms.constant(value))
    }
    pub fn int_list(&self, list: &[i64]) -> Arg {
        Arg::Ints(list.iter().map(|v| self.syms.constant(*v)).collect())
    }
    pub fn cast(&mut self, value: Value, dtype: Dtype) -> Result<Value> {
        if self.dtype(value) == dtype {
            return Ok(value);
        }
        self.call("_to_copy($0, dtype=$1)", &[Arg::Value(value), Arg::Dtype(dtype)])
    }
    pub fn reshape(&mut self, value: Value, shape: &[SymInt]) -> Result<Value> {
        self.call("reshape($0, $1)", &[Arg::Value(value), Arg::Ints(shape.to_vec())])
    }
    pub fn permute(&mut self, value: Value, order: &[i64]) -> Result<Value> {
        if order.iter().enumerate().all(|(k, d)| k as i64 == *d) {
            return Ok(value);
        }
        self.call("permute($0, $1)", &[Arg::Value(value), self.int_list(order)])
    }
    /// A dimension, counted from the end where it is negative.
    pub fn dim(&self, axis: i64, rank: usize) -> Result<usize> {
        let n = rank as i64;
        if axis < -n || axis >= n {
            return Err(self.wrong(format!("axis {axis} of a tensor of rank {rank}")));
        }
        Ok(axis.rem_euclid(n) as usize)
    }
    /// Dimensions in ascending order.
    pub fn dims(&self, axes: &[i64], rank: usize) -> Result<Vec<i64>> {
        let mut dims: Vec<i64> = Vec::new();
        for axis in axes {
            dims.push(self.dim(*axis, rank)? as i64);
        }
        dims.stable_sort();
        if dims.windows(2).any(|w| w[0] == w[1]) {
            return Err(self.wrong(format!("axes {axes:?} name one dimension twice")));
        }
        Ok(dims)
    }
}

/// A known number that is whole.
pub fn constant(syms: &SymArena, number: Number) -> Option<i64> {
    match number {
        Number::Int(v) | Number::Bool(v) => syms.as_const(v),
        Number::Float(v) if v.fract() == 0.0 && v.abs() < 9e15 => Some(v as i64),
        _ => None,
    }
}

/// The elements of a tensor, where they are known and few.
pub fn known_of(tensor: &Tensor, syms: &SymArena) -> Option<Rc<Known>> {
    if tensor.narrow.is_some() {
        return None;
    }
    if let Some(known) = &tensor.known {
        return Some(known.clone());
    }
    let At::File(data) = &tensor.at else { return None };
    if data.count() > MOST_KNOWN {
        return None;
    }
    let size = data.dtype.size();
    let items = data.bytes.bytes().chunks_exact(size).map(|b| fold::decode(syms, data.dtype, b));
    let items = items.collect::<Option<Vec<Number>>>()?;
    Some(Rc::new(Known { dtype: data.dtype, shape: data.shape.clone(), items }))
}
