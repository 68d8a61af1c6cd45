//! Nodes that run graphs: `cond` and `while_loop`. A subgraph becomes one of its own, whose inputs are the tensors among
//! the operands; numbers mean the same inside as outside. Numbers that a loop carries, or that branches give, pass as
//! 0-d tensors.

use super::FrontendError;
use super::args::{Call, Given, bound_name};
use super::error::Result;
use super::json;
use super::number::{Number, float_bits};
use super::program::{Reader, number_symbols};
use super::scope::{Entry, Scope, bind};
use crate::ir::{Arg, Graph, OutputValue, Subgraph, Value};
use crate::meta::{Builder, common_strides};
use crate::types::{Dtype, Range, SymInt, TensorMeta, contiguous_strides, dense_order};
use serde_json::Value as Json;
use std::sync::Arc;

/// A subgraph that was read, and what its results are to the graph around it.
struct Read {
    graph: Graph,
    results: Vec<Kind>,
}

/// What a 0-d tensor between graphs stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Tensor,
    Int,
    Bool,
    Float,
}

/// What a subgraph's input is given.
#[derive(Clone)]
enum Operand {
    /// A tensor like this.
    Tensor(TensorMeta),
    /// A number that is in a 0-d tensor.
    Carried(Kind),
    /// What stands outside.
    Captured(Entry),
}

impl Reader<'_> {
    pub(super) fn cond(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [pred, yes, no, operands @ ..] = call.given else {
            return Err(FrontendError::parse("`cond` must have a predicate and two graphs"));
        };
        let pred = match self.entry(pred.tag, pred.value, scope)? {
            Entry::Tensor(v) if self.graph.meta(v).dtype == Dtype::Bool => v,
            Entry::Tensor(v) => {
                let named = vec![("dtype", Arg::Dtype(Dtype::Bool))];
                Builder::new(&mut self.graph).op_with("aten._to_copy.default", vec![Arg::Value(v)], named)?
            }
            Entry::Number(n, _) => self.number_tensor(n)?.0,
            Entry::Nothing => return Err(FrontendError::parse("the predicate of `cond` is None")),
        };
        let entries = self.entries(operands, scope)?;
        let inside: Vec<Operand> = entries.iter().map(|e| self.operand(*e)).collect();
        let (yes, no) = (self.subgraph(yes, &inside, call.place)?, self.subgraph(no, &inside, call.place)?);
        if yes.results != no.results {
            return Err(FrontendError::unsupported("the branches of `cond` give results of different kinds"));
        }
        let list = tensors(&entries);
        let kinds = yes.results;
        let args = vec![Arg::Value(pred), wrap(yes.graph), wrap(no.graph), list];
        let results = Builder::new(&mut self.graph).call_named("higher_order.cond", args, Vec::new())?;
        self.give_results(&results, &kinds, call, scope)
    }

    pub(super) fn while_loop(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [condition, body, carried, additional @ ..] = call.given else {
            return Err(FrontendError::parse("`while_loop` must have two graphs and what it carries"));
        };
        let carried = self.entries(std::slice::from_ref(carried), scope)?;
        let additional = self.entries(additional, scope)?;
        let (mut first, mut inside) = (Vec::new(), Vec::new());
        for entry in &carried {
            let (value, kind) = match *entry {
                Entry::Tensor(v) => (v, Kind::Tensor),
                Entry::Number(n, _) => self.number_tensor(n)?,
                Entry::Nothing => return Err(FrontendError::unsupported("`while_loop` that carries None")),
            };
            first.push(value);
            let (syms, mut meta) = (&self.graph.syms, self.graph.meta(value).clone());
            meta.offset = syms.constant(0);
            if dense_order(syms, &meta.shape, &meta.strides).is_none() {
                meta.strides = contiguous_strides(syms, &meta.shape);
            }
            inside.push(if kind == Kind::Tensor { Operand::Tensor(meta) } else { Operand::Carried(kind) });
        }
        inside.extend(additional.iter().map(|e| self.operand(*e)));
        let mut sizes: Vec<SymInt> = Vec::new();
        let mut read = self.subgraph(body, &inside, call.place)?;
        // A size that the body changes becomes a symbol, and a tensor whose order the body changes is carried contiguous. Either may show
        // that further ones change.
        while self.settle_carried(&read, &mut inside, first.len(), &mut sizes) {
            read = self.subgraph(body, &inside, call.place)?;
        }
        let condition = self.subgraph(condition, &inside, call.place)?;
        let kinds: Vec<Kind> = carried
            .iter()
            .map(|e| match e {
                Entry::Number(n, _) => kind_of(*n),
                _ => Kind::Tensor,
            })
            .collect();
        if read.results != kinds {
            return Err(FrontendError::unsupported(
                "`while_loop` whose body turns a number into a tensor or another kind",
            ));
        }
        let first = Arg::Values(first.into_iter().map(Some).collect());
        let args =
            vec![wrap(condition.graph), wrap(read.graph), first, tensors(&additional), Arg::Ints(sizes)];
        let results =
            Builder::new(&mut self.graph).call_named("higher_order.while_loop", args, Vec::new())?;
        self.give_results(&results, &kinds, call, scope)
    }

    /// Gives carried tensors new symbols for the sizes that the body changes, and contiguous strides if the body changes their order.
    /// False if nothing was replaced.
    fn settle_carried(
        &mut self,
        body: &Read,
        inside: &mut [Operand],
        count: usize,
        sizes: &mut Vec<SymInt>,
    ) -> bool {
        let syms = self.graph.syms.clone();
        let mut changed = false;
        for (operand, output) in inside[..count].iter_mut().zip(&body.graph.outputs) {
            let (Operand::Tensor(meta), OutputValue::Tensor(v)) = (operand, output.value) else { continue };
            let given = body.graph.meta(v);
            if given.rank() != meta.rank() {
                continue;
            }
            let before = meta.clone();
            for (own, new) in meta.shape.iter_mut().zip(&given.shape) {
                if !syms.known_eq(*own, *new) && !sizes.contains(own) {
                    *own = syms.symbol(&format!("n{}", sizes.len()), Range::size(), None);
                    sizes.push(*own);
                }
            }
            meta.strides = common_strides(&syms, &before, given, &meta.shape);
            changed |= (&meta.shape, &meta.strides) != (&before.shape, &before.strides);
        }
        changed
    }

    fn operand(&self, entry: Entry) -> Operand {
        match entry {
            Entry::Tensor(v) => Operand::Tensor(self.graph.meta(v).clone()),
            other => Operand::Captured(other),
        }
    }

    /// A number as a 0-d tensor.
    fn number_tensor(&mut self, number: Number) -> Result<(Value, Kind)> {
        let kind = kind_of(number);
        let (arg, dtype) = match number {
            Number::Int(v) => (Arg::Int(v), Dtype::Int64),
            Number::Bool(v) => (Arg::Int(v), Dtype::Bool),
            float => (Arg::SymFloat(float_bits(&self.graph.syms, float)), Dtype::Float64),
        };
        let named = vec![("dtype", Arg::Dtype(dtype))];
        let value = Builder::new(&mut self.graph).op_with("aten.scalar_tensor.default", vec![arg], named)?;
        Ok((value, kind))
    }

    fn read_kind(&mut self, value: Value, kind: Kind) -> Result<Entry> {
        let range = if kind == Kind::Bool { Range::new(0, 1) } else { Range::new(i64::MIN, i64::MAX) };
        let mut builder = Builder::new(&mut self.graph);
        let symbol = builder.data_symbol(range);
        builder.read_number(value, symbol)?;
        let number = match kind {
            Kind::Bool => Number::Bool(symbol),
            Kind::Float => Number::Bits(symbol),
            _ => Number::Int(symbol),
        };
        Ok(Entry::Number(number, 0))
    }

    /// Reads a graph of its own.
    fn subgraph(&mut self, body: &Given<'_>, operands: &[Operand], place: &str) -> Result<Read> {
        if body.tag != "as_graph" {
            return Err(FrontendError::parse("a branch or body must be a graph"));
        }
        let name = json::string(json::field(body.value, "name", place)?, place)?;
        let document = json::field(body.value, "graph", place)?;
        let inputs = json::list(json::field(document, "inputs", place)?, place)?;
        if inputs.len() != operands.len() {
            let (want, have) = (inputs.len(), operands.len());
            return Err(FrontendError::parse(format!("`{name}` takes {want} operands, but is given {have}")));
        }
        let inner = self.graph.new_subgraph(name);
        let outer = std::mem::replace(&mut self.graph, inner);
        let symbols = std::mem::replace(&mut self.number_symbols, number_symbols(document));
        let starts = std::mem::take(&mut self.starts);
        let around = self.starts_around;
        self.starts_around |= !starts.is_empty();
        let read = self.subgraph_inside(document, inputs, operands, place);
        (self.starts, self.starts_around) = (starts, around);
        self.number_symbols = symbols;
        let graph = std::mem::replace(&mut self.graph, outer);
        Ok(Read { graph, results: read? })
    }

    fn subgraph_inside(
        &mut self,
        document: &Json,
        inputs: &[Json],
        operands: &[Operand],
        place: &str,
    ) -> Result<Vec<Kind>> {
        let mut scope = Scope::default();
        for (k, (input, operand)) in inputs.iter().zip(operands).enumerate() {
            let name = bound_name(input)?;
            let label = name.map_or_else(|| format!("operand_{k}"), str::to_string);
            let entry = match operand {
                Operand::Tensor(meta) => Entry::Tensor(self.graph.add_input(&label, meta.clone())),
                Operand::Captured(entry) => *entry,
                Operand::Carried(kind) => {
                    let dtype = match kind {
                        Kind::Bool => Dtype::Bool,
                        Kind::Float => Dtype::Float64,
                        _ => Dtype::Int64,
                    };
                    let meta = TensorMeta::contiguous(&self.graph.syms, dtype, Vec::new());
                    let value = self.graph.add_input(&label, meta);
                    self.read_kind(value, *kind)?
                }
            };
            if let Some(name) = name {
                bind(&mut scope, name, entry, place)?;
            }
        }
        self.nodes(document, &mut scope, place)?;
        let mut kinds = Vec::new();
        for (k, result) in json::list(json::field(document, "outputs", place)?, place)?.iter().enumerate() {
            let (tag, value) = json::tagged(result, place)?;
            let (value, kind) = match self.entry(tag, value, &scope)? {
                Entry::Tensor(v) => (v, Kind::Tensor),
                Entry::Number(n, _) => self.number_tensor(n)?,
                Entry::Nothing => return Err(FrontendError::unsupported("a branch or body that gives None")),
            };
            self.graph.add_output(&format!("result_{k}"), OutputValue::Tensor(value));
            kinds.push(kind);
        }
        Ok(kinds)
    }

    fn give_results(
        &mut self,
        results: &[Value],
        kinds: &[Kind],
        call: Call<'_>,
        scope: &mut Scope,
    ) -> Result<()> {
        let mut entries = Vec::new();
        for (value, kind) in results.iter().zip(kinds) {
            entries.push(match kind {
                Kind::Tensor => Entry::Tensor(*value),
                _ => self.read_kind(*value, *kind)?,
            });
        }
        self.give(&entries, call, scope)
    }
}

fn kind_of(number: Number) -> Kind {
    match number {
        Number::Int(_) => Kind::Int,
        Number::Bool(_) => Kind::Bool,
        _ => Kind::Float,
    }
}

fn wrap(graph: Graph) -> Arg {
    Arg::Graph(Subgraph(Arc::new(graph)))
}

fn tensors(entries: &[Entry]) -> Arg {
    let tensor = |e: &Entry| match e {
        Entry::Tensor(v) => Some(Some(*v)),
        _ => None,
    };
    Arg::Values(entries.iter().filter_map(tensor).collect())
}
