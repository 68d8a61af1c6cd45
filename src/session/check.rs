//! `debug.check`: the graph node by node with a run's inputs, each node alone, beside what was inferred when it was built.
//!
//! Before the first step of a run every node of the functional graph is inferred again on the numbers that this run's sizes
//! are, made a graph of its own, and run by the interpreter on what the nodes before it gave. dtype, sizes and strides must be
//! those that inference promised for all sizes; the strides of views are measured, by following
//! where elements come from.
//!
//! The graphs of `cond` and `while_loop` are walked in the same way, the branch that is taken and every iteration, so that the
//! message names the node inside (see [`bodies`]).
//!
//! With `finite`, a NaN is told where no operand has one, and an infinity where no operand and no number that the node is given
//! is infinite: where they come into being, and not where they were passed on. Inputs and constants must not be NaN; infinities
//! are usual in masks.
//!
//! Invariant: nothing here depends on how the program was compiled.
//!
//! Deliberately absent: the values themselves (see `compare`).

mod bodies;

use super::SessionError;
use super::rebuild::again;
use super::seen::Places;
use crate::base::{HashMap, Status};
use crate::decompose::decompose;
use crate::interp::difference::index_of;
use crate::interp::{HostTensor, run_graph};
use crate::ir::{Arg, Graph, Node, NodeId, OutputValue, Shared, Value};
use crate::meta::Builder;
use crate::ops::{Class, OpId};
use crate::runtime::{Moment, Observer, RuntimeError, View};
use crate::types::floats::float;
use crate::types::{Dtype, SymInt, SymbolId, TensorMeta};

/// A graph to be checked before each run.
pub struct Check {
    graph: Graph,
    places: Places,
    finite: bool,
}

/// What is wrong.
type Outcome<T = ()> = Result<T, RuntimeError>;

/// A tensor and how it lies.
#[derive(Clone, Debug)]
struct Laid {
    tensor: HostTensor,
    strides: Vec<i64>,
}

fn wrong(message: String) -> RuntimeError {
    RuntimeError::new(Status::Assertion, format!("debug.check: {message}"))
}

/// The option where it cannot act.
pub fn refused(why: &str) -> SessionError {
    SessionError::invalid(format!("option `debug.check` is on, but {why}"))
}

impl Check {
    /// `graph`: functional, as it was before operators were decomposed.
    pub fn new(graph: Graph, places: Places, finite: bool) -> Check {
        Check { graph, places, finite }
    }
}

impl Observer for Check {
    fn see(&self, view: &View<'_>, moment: Moment) -> Outcome {
        if moment != Moment::Begin {
            return Ok(());
        }
        let graph = &self.graph;
        let mut run = Run {
            graph,
            symbols: HashMap::default(),
            values: HashMap::default(),
            finite: self.finite,
            place: String::new(),
        };
        for (id, number) in self.places.known_symbols(view) {
            run.symbols.insert(id, number);
        }
        for (k, input) in graph.inputs.iter().enumerate() {
            let meta = graph.meta(input.value);
            if let Some(symbol) = input.symbol {
                let Ok(number) = run.number(symbol) else { continue };
                let bytes = number.to_ne_bytes()[..meta.dtype.size().min(8)].to_vec();
                run.give(
                    input.value,
                    Laid { tensor: HostTensor::new(meta.dtype, &[], bytes), strides: Vec::new() },
                );
                continue;
            }
            run.given(input.value, self.places.input(view, k)?, &format!("input `{}`", input.name))?;
        }
        for constant in &graph.constants {
            // What no step reads is as it was when the graph was made.
            let bytes = match self.places.constant(view, &constant.name)? {
                Some(bytes) => bytes,
                None => constant.data.bytes().to_vec(),
            };
            run.given(constant.value, Some(bytes), &format!("constant `{}`", constant.name))?;
        }
        for id in &graph.order {
            run.node(*id)?;
        }
        Ok(())
    }
}

/// One walk over the nodes.
struct Run<'g> {
    graph: &'g Graph,
    symbols: HashMap<SymbolId, i64>,
    values: HashMap<Value, Laid>,
    finite: bool,
    /// Where the graph is, as messages say it behind a node's name; empty for the outermost one.
    place: String,
}

impl Run<'_> {
    fn number(&self, size: SymInt) -> Result<i64, String> {
        let value = |id: SymbolId| self.symbols.get(&id).copied();
        self.graph.syms.eval(size, &value).map_err(|e| e.to_string())
    }
    fn numbers(&self, list: &[SymInt]) -> Option<Vec<i64>> {
        list.iter().map(|s| self.number(*s).ok()).collect()
    }
    fn give(&mut self, value: Value, laid: Laid) {
        self.values.insert(value, laid);
    }

    /// An input or a constant, unless nobody knows it.
    fn given(&mut self, value: Value, bytes: Option<Vec<u8>>, what: &str) -> Outcome {
        let meta = self.graph.meta(value);
        let (Some(bytes), Some(shape), Some(strides)) =
            (bytes, self.numbers(&meta.shape), self.numbers(&meta.strides))
        else {
            return Ok(());
        };
        let tensor = HostTensor::new(meta.dtype, &shape, bytes);
        if self.finite
            && let Some(at) = first(&tensor, f64::is_nan)
        {
            return Err(wrong(format!("{what} is NaN at {:?}", index_of(at, &shape))));
        }
        self.give(value, Laid { tensor, strides });
        Ok(())
    }

    /// How messages name a node.
    fn name(&self, id: NodeId) -> String {
        let node = &self.graph.nodes[id];
        let result = node.outputs.first().map(|v| format!("{v} ")).unwrap_or_default();
        let origins = self.graph.origins.all(&self.graph.origins_of(id));
        let origin = origins.first().map(|o| format!(", {o}")).unwrap_or_default();
        format!("{result}({}{origin}){}", node.name(), self.place)
    }

    fn node(&mut self, id: NodeId) -> Outcome {
        let (graph, node) = (self.graph, &self.graph.nodes[id]);
        if let (OpId::Bind, Some(Arg::Value(value)), Some(Arg::Int(symbol))) =
            (node.op, node.arg("self"), node.arg("symbol"))
        {
            if let (Some(laid), Some(symbol)) = (self.values.get(value), graph.syms.as_symbol(*symbol)) {
                self.symbols.insert(symbol, bodies::number_in(&laid.tensor));
            }
            return Ok(());
        }
        // What depends on a value that nobody knows is not checked.
        let unknown = |arg: &Arg| match arg {
            Arg::Int(size) | Arg::SymFloat(size) => self.number(*size).is_err(),
            Arg::Ints(list) if node.op.class() != Class::Control => self.numbers(list).is_none(),
            _ => false,
        };
        let missing = node.uses().any(|v| !self.values.contains_key(&v)) || node.args.iter().any(unknown);
        if node.outputs.is_empty() || missing {
            return Ok(());
        }
        let told = |why: String| wrong(format!("{} {why}", self.name(id)));
        let (alone, metas) =
            self.alone(node, None).map_err(|e| told(format!("cannot be inferred again: {e}")))?;
        let is_control = node.op.class() == Class::Control;
        let results = if is_control {
            let Some(results) = self.bodies(id)? else { return Ok(()) };
            results
        } else {
            let operands: Vec<HostTensor> =
                self.operands(node).map(|v| self.values[&v].tensor.clone()).collect();
            let results = decompose(&alone)
                .map_err(|e| e.to_string())
                .and_then(|graph| run_graph(&graph, &operands).map(|r| r.0).map_err(|e| e.to_string()));
            let results = results.map_err(|e| told(format!("cannot be run alone: {e}")))?;
            results.into_iter().zip(&metas).map(|(result, meta)| as_inferred(result, meta.dtype)).collect()
        };
        let measured = self.measured(node);
        for (k, (value, result)) in node.outputs.iter().zip(results).enumerate() {
            let (said, meta) = (graph.meta(*value), &metas[k]);
            // A size that is decided by data is known from here on.
            for (size, number) in said.shape.iter().zip(&result.shape) {
                if let Some(symbol) = graph.syms.as_symbol(*size) {
                    self.symbols.entry(symbol).or_insert(*number);
                }
            }
            let told = |what: &str, is: String, said: String| {
                let which = if node.outputs.len() > 1 { format!("result {k} of ") } else { String::new() };
                wrong(format!("{which}{} has the {what} {is}, and inference said {said}", self.name(id)))
            };
            let text = |list: Option<Vec<i64>>| list.map_or("what no run knows".into(), |l| format!("{l:?}"));
            if result.dtype != said.dtype || meta.dtype != said.dtype {
                return Err(told("dtype", result.dtype.to_string(), said.dtype.to_string()));
            }
            let (sizes, strides) = (self.numbers(&said.shape), self.numbers(&said.strides));
            let again = self.numbers(&meta.shape);
            if sizes.as_ref() != Some(&result.shape) || again != sizes {
                return Err(told("sizes", format!("{:?}", result.shape), text(sizes)));
            }
            let own = self.numbers(&meta.strides);
            let real = measured.clone().or(own.clone()).unwrap_or_default();
            // The stride of a dimension of one element, or of none, says nothing.
            let empty = result.shape.contains(&0);
            let same = |a: &[i64], b: &[i64]| {
                empty
                    || a.len() == b.len()
                        && a.iter().zip(b).zip(&result.shape).all(|((x, y), n)| *n < 2 || x == y)
            };
            let promised = strides.clone().unwrap_or_default();
            if !same(&real, &promised) || own.is_some_and(|own| !same(&own, &promised)) {
                return Err(told("strides", format!("{real:?}"), text(strides)));
            }
            // What is not finite comes into being inside.
            if self.finite && !is_control {
                self.finite(id, &result)?;
            }
            self.values.insert(*value, Laid { tensor: result, strides: promised });
        }
        Ok(())
    }

    /// The tensors that a node uses, each once, in order.
    fn operands<'n>(&self, node: &'n Node) -> impl Iterator<Item = Value> + 'n {
        let mut seen = Vec::new();
        node.uses().filter(move |v| {
            let new = !seen.contains(v);
            seen.push(*v);
            new
        })
    }

    /// The node as a graph of its own, with numbers for symbols, and what its results are inferred to be. `dtype`: that of all
    /// operands instead of their own.
    fn alone(&self, node: &Node, dtype: Option<Dtype>) -> Result<(Graph, Vec<TensorMeta>), String> {
        let syms = &self.graph.syms;
        let constants = |list: &[i64]| list.iter().map(|n| syms.constant(*n)).collect();
        let mut alone = self.graph.new_subgraph("node");
        let mut map: HashMap<Value, Value> = HashMap::default();
        for (k, value) in self.operands(node).enumerate() {
            let laid = &self.values[&value];
            let meta = TensorMeta {
                dtype: dtype.unwrap_or(laid.tensor.dtype),
                shape: constants(&laid.tensor.shape),
                strides: constants(&laid.strides),
                offset: syms.constant(0),
            };
            map.insert(value, alone.add_input(&format!("x{k}"), meta));
        }
        let fixed: HashMap<SymbolId, SymInt> =
            self.symbols.iter().map(|(id, n)| (*id, syms.constant(*n))).collect();
        let mut shared = Shared::default();
        let mut args = node.args.clone();
        for arg in &mut args {
            arg.map_values(&mut |v| map[&v]);
            match arg {
                Arg::Int(size) => *size = syms.constant(self.number(*size)?),
                Arg::Ints(list) => {
                    for size in list {
                        *size = syms.constant(self.number(*size)?);
                    }
                }
                Arg::SymFloat(bits) => *arg = Arg::Float(f64::from_bits(self.number(*bits)? as u64)),
                Arg::Graph(graph) => {
                    *graph = shared
                        .map(graph, &mut |shared, inner| again(&fixed, inner, shared))
                        .map_err(|e| e.to_string())?;
                }
                _ => {}
            }
        }
        let results = Builder::new(&mut alone).call(node.op, node.form, args).map_err(|e| e.to_string())?;
        let metas = results.iter().map(|v| alone.meta(*v).clone()).collect();
        for (k, value) in results.into_iter().enumerate() {
            alone.add_output(&format!("y{k}"), OutputValue::Tensor(value));
        }
        Ok((alone, metas))
    }

    /// The strides of a view, from where its elements come from; `None` where that cannot be seen: the view is of another dtype,
    /// or of several tensors.
    fn measured(&self, node: &Node) -> Option<Vec<i64>> {
        let mut operands = self.operands(node);
        let (base, None) = (operands.next()?, operands.next()) else { return None };
        if node.op.class() != Class::View || node.outputs.len() != 1 {
            return None;
        }
        let laid = &self.values[&base];
        if self.graph.meta(node.outputs[0]).dtype != laid.tensor.dtype {
            return None;
        }
        let (mut places, mut index) = (Vec::new(), vec![0i64; laid.tensor.shape.len()]);
        for _ in 0..laid.tensor.shape.iter().product::<i64>() {
            places.push(index.iter().zip(&laid.strides).map(|(i, s)| i * s).sum::<i64>());
            next(&mut index, &laid.tensor.shape);
        }
        let (alone, metas) = self.alone(node, Some(Dtype::Int64)).ok()?;
        let graph = decompose(&alone).ok()?;
        let places = HostTensor::int64(&laid.tensor.shape, &places);
        let result = run_graph(&graph, &[places]).ok()?.0.pop()?;
        if result.dtype != Dtype::Int64 || metas[0].dtype != Dtype::Int64 || result.shape.contains(&0) {
            return None;
        }
        let found = result.as_int64();
        let mut step = 1usize;
        let mut strides = vec![0; result.shape.len()];
        for d in (0..result.shape.len()).rev() {
            let size = result.shape[d] as usize;
            strides[d] = if size > 1 { found[step] - found[0] } else { 0 };
            step *= size;
        }
        // Where the elements do not lie at such strides, it was a copy: then inference decides how it lies.
        let mut index = vec![0i64; strides.len()];
        for place in &found {
            let at: i64 = index.iter().zip(&strides).map(|(i, s)| i * s).sum();
            if *place != found[0] + at {
                return None;
            }
            next(&mut index, &result.shape);
        }
        Some(strides)
    }

    /// Tells of a NaN or an infinity that comes into being here.
    fn finite(&self, id: NodeId, result: &HostTensor) -> Outcome {
        let node = &self.graph.nodes[id];
        let given = |what: fn(f64) -> bool| {
            let number = node.args.iter().any(|arg| matches!(arg, Arg::Float(v) if what(*v)));
            number || self.operands(node).any(|v| first(&self.values[&v].tensor, what).is_some())
        };
        let any = |v: f64| !v.is_finite();
        let found = match first(result, f64::is_nan) {
            Some(at) if !given(f64::is_nan) => Some((at, "NaN")),
            _ => first(result, f64::is_infinite).filter(|_| !given(any)).map(|at| (at, "infinite")),
        };
        match found {
            None => Ok(()),
            Some((at, what)) => {
                Err(wrong(format!("{} is {what} at {:?}", self.name(id), index_of(at, &result.shape))))
            }
        }
    }
}

/// The next index, in order.
fn next(index: &mut [i64], shape: &[i64]) {
    for d in (0..index.len()).rev() {
        index[d] += 1;
        if index[d] < shape[d] {
            return;
        }
        index[d] = 0;
    }
}

/// A complex result, which the interpreter gives as a last dimension of two parts in the same memory.
fn as_inferred(mut result: HostTensor, dtype: Dtype) -> HostTensor {
    if dtype.is_complex() && result.dtype == dtype.part() && result.shape.last() == Some(&2) {
        result.shape.pop();
        result.dtype = dtype;
    }
    result
}

/// The first element for which something holds, or for a part of which it does.
fn first(tensor: &HostTensor, holds: fn(f64) -> bool) -> Option<usize> {
    let part = tensor.dtype.part();
    if !part.is_float() {
        return None;
    }
    let holds = |element: &[u8]| element.chunks_exact(part.size()).any(|p| holds(float(part, p)));
    tensor.bytes.chunks_exact(tensor.dtype.size()).position(holds)
}
