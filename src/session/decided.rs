//! Results with data-dependent sizes of a host's callable: their memory until the run has some, and the values of the graph's
//! symbols that follow from their sizes.
//!
//! Invariants: when [`Decided::bind`] succeeds, every symbol has a value in its range, and every size, number and guard that
//! depends on symbols so found agrees with them.
//!
//! Deliberately absent: symbols that no result gives. A size that depends on one is refused when the graph is compiled; numbers
//! and guards that depend on one are not checked.

use super::registry::HostError;
use crate::base::{HashMap, HashSet, Status};
use crate::ir::{Graph, Number, OutputValue, symbols_of_nodes};
use crate::types::dlpack::DLTensor;
use crate::types::{Dtype, SymArena, SymInt, SymbolId};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Where a run finds a value.
#[derive(Clone, Copy, Debug)]
enum Source {
    Size { output: usize, dim: usize },
    Number { output: usize },
}

/// An expression whose value a run finds.
struct Fact {
    value: SymInt,
    source: Source,
}

/// `fact = factor * symbol + rest`
struct Binding {
    symbol: SymbolId,
    fact: usize,
    factor: i64,
    rest: SymInt,
}

/// The results of a graph whose sizes or numbers a callable decides.
pub(super) struct Decided {
    syms: Arc<SymArena>,
    names: Vec<String>,
    /// The dtypes and sizes of the outputs that are tensors of sizes to be decided.
    tensors: HashMap<usize, (Dtype, Vec<SymInt>)>,
    /// The outputs that are numbers to be decided.
    numbers: HashMap<usize, Number>,
    facts: Vec<Fact>,
    bindings: Vec<Binding>,
    guards: Vec<(SymInt, String)>,
}

/// A result's memory while the callable has it.
struct Held {
    shape: Box<[i64]>,
    bytes: Box<[Cell<u8>]>,
}

/// The results of one run, by output.
#[derive(Default)]
pub(super) struct Results(RefCell<HashMap<usize, Held>>);

impl Results {
    /// The bytes of every result, once the callable has returned, as `laid` lays out an output's of these sizes.
    pub fn into_bytes(self, laid: impl Fn(usize, &[i64], Vec<u8>) -> Vec<u8>) -> Vec<(usize, Vec<u8>)> {
        let bytes = |held: &Held| held.bytes.iter().map(Cell::get).collect();
        self.0.into_inner().into_iter().map(|(k, held)| (k, laid(k, &held.shape, bytes(&held)))).collect()
    }
}

fn failed(status: Status, message: String) -> HostError {
    HostError { status, message }
}

impl Decided {
    /// `None` where inputs decide all sizes and numbers. The error names a symbol that no result gives.
    pub fn of(graph: &Graph) -> Result<Option<Decided>, String> {
        let syms = &graph.syms;
        let found = symbols_of_nodes(graph);
        let depends = |s: SymInt| syms.sources(s).iter().any(|id| found.contains(id));
        let mut decided = Decided {
            syms: Arc::clone(syms),
            names: graph.outputs.iter().map(|o| o.name.clone()).collect(),
            tensors: HashMap::default(),
            numbers: HashMap::default(),
            facts: Vec::new(),
            bindings: Vec::new(),
            guards: Vec::new(),
        };
        for (output, of) in graph.outputs.iter().enumerate() {
            match of.value {
                OutputValue::Tensor(value) => {
                    let meta = graph.meta(value);
                    if meta.shape.iter().any(|s| depends(*s)) {
                        decided.tensors.insert(output, (meta.dtype, meta.shape.clone()));
                        let sizes = meta.shape.iter().enumerate();
                        let fact = |(dim, s): (usize, &SymInt)| Fact {
                            value: *s,
                            source: Source::Size { output, dim },
                        };
                        decided.facts.extend(sizes.map(fact));
                    }
                }
                OutputValue::Number(number) => {
                    let value = match number {
                        Number::Symbolic(s) | Number::Truth(s) | Number::Float(s) => s,
                        Number::Scalar(_) => continue,
                    };
                    if depends(value) {
                        decided.numbers.insert(output, number);
                        decided.facts.push(Fact { value, source: Source::Number { output } });
                    }
                }
            }
        }
        if decided.facts.is_empty() {
            return Ok(None);
        }
        let mut unknown = found.clone();
        decided.solve(&mut unknown);
        for (output, (_, sizes)) in &decided.tensors {
            let open = sizes.iter().flat_map(|s| syms.sources(*s)).find(|id| unknown.contains(id));
            if let Some(symbol) = open {
                return Err(format!(
                    "no size of a result gives the symbol `{}`, which the sizes of output \"{}\" depend on",
                    syms.symbol_name(symbol),
                    decided.names[*output]
                ));
            }
        }
        let is_open = |value: SymInt| syms.sources(value).iter().any(|id| unknown.contains(id));
        decided.guards = (graph.guards.iter().filter(|g| depends(g.condition) && !is_open(g.condition)))
            .map(|g| (g.condition, g.message.clone()))
            .collect();
        // A number of a symbol that nothing gives cannot be compared with anything.
        let kept: Vec<bool> = decided.facts.iter().map(|f| !is_open(f.value)).collect();
        let mut places = kept.iter().scan(0usize, |next, kept| {
            let place = *next;
            *next += usize::from(*kept);
            Some(place)
        });
        let places: Vec<usize> = places.by_ref().collect();
        decided.bindings.iter_mut().for_each(|b| b.fact = places[b.fact]);
        let mut keep = kept.into_iter();
        decided.facts.retain(|_| keep.next() == Some(true));
        Ok(Some(decided))
    }

    /// Finds symbols one by one: a fact with a single unknown symbol gives it, if it is linear in the symbol.
    fn solve(&mut self, unknown: &mut HashSet<SymbolId>) {
        loop {
            let before = self.bindings.len();
            for (fact, Fact { value, .. }) in self.facts.iter().enumerate() {
                let open = self.syms.sources(*value).into_iter().filter(|id| unknown.contains(id));
                let [symbol] = open.collect::<Vec<_>>()[..] else { continue };
                let Some((factor, rest)) = self.syms.linear_in(*value, symbol) else { continue };
                let Some(factor) = self.syms.as_const(factor).filter(|f| *f != 0) else { continue };
                unknown.remove(&symbol);
                self.bindings.push(Binding { symbol, fact, factor, rest });
            }
            if self.bindings.len() == before {
                return;
            }
        }
    }

    /// The symbols that results give.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> + '_ {
        self.bindings.iter().map(|b| b.symbol)
    }
    pub fn is_tensor(&self, output: usize) -> bool {
        self.tensors.contains_key(&output)
    }
    pub fn is_number(&self, output: usize) -> bool {
        self.numbers.contains_key(&output)
    }
    /// Everything that is evaluated with the symbols of a run.
    pub fn expressions(&self) -> impl Iterator<Item = SymInt> + '_ {
        let facts = self.facts.iter().map(|f| f.value);
        facts.chain(self.guards.iter().map(|g| g.0)).chain(self.bindings.iter().map(|b| b.rest))
    }

    fn describe(&self, source: Source) -> String {
        match source {
            Source::Size { output, dim } => format!("size {dim} of output \"{}\"", self.names[output]),
            Source::Number { output } => format!("the number \"{}\"", self.names[output]),
        }
    }

    /// Gives an output its sizes, and memory for them.
    pub fn resize(
        &self,
        results: &Results,
        output: usize,
        shape: &[i64],
        tensor: &Cell<DLTensor>,
    ) -> Result<(), HostError> {
        let Some((dtype, sizes)) = self.tensors.get(&output) else {
            let message = match self.names.get(output) {
                Some(name) => format!("the sizes of output \"{name}\" are given already"),
                None => format!("there is no output {output}"),
            };
            return Err(failed(Status::InvalidArgument, message));
        };
        debug_assert_eq!(shape.len(), sizes.len());
        for (dim, (given, size)) in shape.iter().zip(sizes).enumerate() {
            let range = self.syms.range(*size);
            if *given < range.min.max(0) || *given > range.max {
                let place = self.describe(Source::Size { output, dim });
                let (least, most) = (range.min.max(0), range.max);
                let bounds =
                    if most == i64::MAX { format!("at least {least}") } else { format!("{least} to {most}") };
                return Err(failed(Status::Shape, format!("{place} is {given}; it has to be {bounds}")));
            }
        }
        let bytes = shape.iter().try_fold(dtype.size() as i64, |n, s| n.checked_mul(*s));
        let mut memory: Vec<Cell<u8>> = Vec::new();
        let room =
            bytes.and_then(|n| usize::try_from(n).ok()).filter(|n| memory.try_reserve_exact(*n).is_ok());
        let Some(room) = room else {
            let name = &self.names[output];
            return Err(failed(Status::OutOfMemory, format!("there is no memory for output \"{name}\"")));
        };
        memory.resize(room, Cell::new(0));
        let held = Held { shape: shape.into(), bytes: memory.into() };
        let mut shown = tensor.get();
        shown.data = held.bytes.as_ptr().cast_mut().cast();
        shown.shape = held.shape.as_ptr().cast_mut();
        shown.strides = std::ptr::null_mut();
        tensor.set(shown);
        results.0.borrow_mut().insert(output, held);
        Ok(())
    }

    /// The values of the graph's symbols that follow from the results. `given`: values that inputs give; `bytes`: of an output.
    pub fn bind(
        &self,
        results: &Results,
        given: &dyn Fn(SymbolId) -> Option<i64>,
        bytes: &dyn Fn(usize) -> Vec<u8>,
    ) -> Result<HashMap<SymbolId, i64>, HostError> {
        let results = results.0.borrow();
        if let Some(output) = self.tensors.keys().filter(|k| !results.contains_key(*k)).min() {
            let name = &self.names[*output];
            return Err(failed(
                Status::InvalidArgument,
                format!("output \"{name}\" got no sizes: call `resize` before it is written"),
            ));
        }
        let wrong = |message: String| Err(failed(Status::Shape, message));
        let found = |source: Source| match source {
            Source::Size { output, dim } => results[&output].shape[dim],
            Source::Number { output } => number_of(&bytes(output)),
        };
        let mut values: HashMap<SymbolId, i64> = HashMap::default();
        let evaluate = |value: SymInt, values: &HashMap<SymbolId, i64>| {
            let known = |id: SymbolId| values.get(&id).copied().or_else(|| given(id));
            self.syms.eval(value, &known).map_err(|e| failed(Status::Shape, format!("a size: {e}")))
        };
        for binding in &self.bindings {
            let source = self.facts[binding.fact].source;
            let multiple = found(source).checked_sub(evaluate(binding.rest, &values)?);
            let quotient = multiple.filter(|m| m.checked_rem(binding.factor) == Some(0));
            let Some(value) = quotient.and_then(|m| m.checked_div(binding.factor)) else {
                let (place, text) =
                    (self.describe(source), self.syms.display(self.facts[binding.fact].value));
                return wrong(format!("{place} is {}, which is no value of {text}", found(source)));
            };
            let range = self.syms.symbol_range(binding.symbol);
            if value < range.min || value > range.max {
                let (place, name) = (self.describe(source), self.syms.symbol_name(binding.symbol));
                return wrong(format!(
                    "{place} makes `{name}` {value}; it has to be {} to {}",
                    range.min, range.max
                ));
            }
            values.insert(binding.symbol, value);
        }
        for fact in &self.facts {
            let (have, want) = (found(fact.source), evaluate(fact.value, &values)?);
            if have != want {
                let (place, text) = (self.describe(fact.source), self.syms.display(fact.value));
                return wrong(format!("{place} is {have}; it has to be {want}, the value of {text}"));
            }
        }
        for (condition, message) in &self.guards {
            if evaluate(*condition, &values)? == 0 {
                return wrong(message.clone());
            }
        }
        Ok(values)
    }
}

/// The number in a 0-d tensor of int64, bool, or float64 as its bits.
fn number_of(bytes: &[u8]) -> i64 {
    match <[u8; 8]>::try_from(bytes) {
        Ok(word) => i64::from_ne_bytes(word),
        Err(_) => i64::from(bytes.first().copied().unwrap_or(0)),
    }
}
