//! `map`, `scan` and `associative_scan`: a graph that runs for each slice of tensors, in order.
//!
//! `associative_scan` is a scan that begins with the first slices, and of which each turn's result is what it carries on.
//!
//! A few slices, as many as is known, are unrolled: what they compute fuses. Others are a loop: it carries the number of the slice, what
//! the graph carries, and the stacked results, of which each turn writes one slice in place.
//!
//! Deliberately absent: slices in parallel; what flows from one slice of `map` to the next is nothing, but they run in order.

use super::FrontendError;
use super::args::{Call, Given};
use super::error::Result;
use super::program::Reader;
use super::scope::{Entry, Scope};
use crate::ir::{Arg, Graph, OutputValue, Subgraph, Value};
use crate::meta::Builder;
use crate::types::{Dtype, SymInt, TensorMeta};
use std::sync::Arc;

/// Slices that are unrolled.
const MOST_SLICES: i64 = 128;

/// What is done for each slice.
struct Slices<'a> {
    body: &'a Given<'a>,
    first: Vec<Value>,
    xs: Vec<Value>,
    additional: Vec<Entry>,
    /// Whether a slice's results are what the graph carries on, and the graph gives nothing else.
    gives_carried: bool,
    place: &'a str,
}

impl Reader<'_> {
    /// Gives what is carried at last, and for each result of a slice all of them, stacked.
    pub(super) fn map_or_scan(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let (body, first, xs, additional) = match call.given {
            [body, xs, additional] => (body, None, xs, additional),
            [body, first, xs, additional] => (body, Some(first), xs, additional),
            _ => return Err(FrontendError::unsupported("`scan` with other arguments than PyTorch 2.15's")),
        };
        let first = match first {
            Some(first) => tensors(&self.entries(std::slice::from_ref(first), scope)?, "carry")?,
            None => Vec::new(),
        };
        let xs = tensors(&self.entries(std::slice::from_ref(xs), scope)?, "go over")?;
        let additional = self.entries(std::slice::from_ref(additional), scope)?;
        let sliced = xs.first().and_then(|x| self.graph.meta(*x).shape.first().copied());
        let length = sliced.ok_or_else(|| FrontendError::unsupported("`map` and `scan` over no slices"))?;
        let slices = Slices { body, first, xs, additional, gives_carried: false, place: call.place };
        let results = self.over_slices(slices, length)?;
        let results: Vec<Entry> = results.into_iter().map(Entry::Tensor).collect();
        self.give(&results, call, scope)
    }

    /// Gives for each tensor its slices, each combined with all before it.
    pub(super) fn associative_scan(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [body, xs, additional] = call.given else {
            let message = "`associative_scan` with other arguments than PyTorch 2.15's";
            return Err(FrontendError::unsupported(message));
        };
        let xs = tensors(&self.entries(std::slice::from_ref(xs), scope)?, "go over")?;
        let additional = self.entries(std::slice::from_ref(additional), scope)?;
        let sliced = xs.first().and_then(|x| self.graph.meta(*x).shape.first().copied());
        let length = sliced.ok_or_else(|| FrontendError::unsupported("`associative_scan` over no slices"))?;
        let syms = self.graph.syms.clone();
        let int = |v: i64| Arg::Int(syms.constant(v));
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for x in &xs {
            first.push(self.built("aten.select.int", vec![Arg::Value(*x), int(0), int(0)])?);
            let args = vec![Arg::Value(*x), int(0), int(1), Arg::Int(length)];
            rest.push(self.built("aten.slice.Tensor", args)?);
        }
        let others = syms.sub(length, syms.constant(1));
        let mut results = xs;
        if syms.as_const(others) != Some(0) {
            let slices = Slices {
                body,
                first: first.clone(),
                xs: rest,
                additional,
                gives_carried: true,
                place: call.place,
            };
            let stacked = self.over_slices(slices, others)?.split_off(first.len());
            for ((result, first), stacked) in results.iter_mut().zip(first).zip(stacked) {
                let begin = self.built("aten.unsqueeze.default", vec![Arg::Value(first), int(0)])?;
                let list = Arg::Values(vec![Some(begin), Some(stacked)]);
                let all = self.built("aten.cat.default", vec![list, int(0)])?;
                // The result lies in memory as the tensor that was gone over.
                *result = self.built("aten.copy.default", vec![Arg::Value(*result), Arg::Value(all)])?;
            }
        }
        let results: Vec<Entry> = results.into_iter().map(Entry::Tensor).collect();
        self.give(&results, call, scope)
    }

    fn over_slices(&mut self, slices: Slices<'_>, length: SymInt) -> Result<Vec<Value>> {
        match self.graph.syms.as_const(length) {
            Some(known) if (1..=MOST_SLICES).contains(&known) => self.unrolled(slices, known),
            _ => self.looped(slices, length),
        }
    }

    fn built(&mut self, op: &str, args: Vec<Arg>) -> Result<Value> {
        Ok(Builder::new(&mut self.graph).op(op, args)?)
    }

    /// One slice: what it carries on, and its results.
    fn slice(
        &mut self,
        slices: &Slices<'_>,
        carried: &[Value],
        xs: &[Value],
    ) -> Result<(Vec<Value>, Vec<Value>)> {
        let given = carried.iter().chain(xs).map(|v| Entry::Tensor(*v));
        let operands: Vec<Entry> = given.chain(slices.additional.iter().copied()).collect();
        let mut carried = tensors(&self.inline_graph(slices.body, &operands, slices.place)?, "give")?;
        let results = match slices.gives_carried {
            true => carried.clone(),
            false => carried.split_off(slices.first.len().min(carried.len())),
        };
        Ok((carried, results))
    }

    fn unrolled(&mut self, slices: Slices<'_>, length: i64) -> Result<Vec<Value>> {
        let mut carried = slices.first.clone();
        let mut stacked: Vec<Vec<Option<Value>>> = Vec::new();
        let syms = self.graph.syms.clone();
        for k in 0..length {
            let mut xs = Vec::new();
            for x in &slices.xs {
                let args = vec![Arg::Value(*x), Arg::Int(syms.constant(0)), Arg::Int(syms.constant(k))];
                xs.push(self.built("aten.select.int", args)?);
            }
            let (next, results) = self.slice(&slices, &carried, &xs)?;
            carried = next;
            stacked.resize(results.len(), Vec::new());
            stacked.iter_mut().zip(results).for_each(|(list, slice)| list.push(Some(slice)));
        }
        for list in stacked {
            carried.push(self.built("aten.stack.default", vec![Arg::Values(list)])?);
        }
        Ok(carried)
    }

    fn looped(&mut self, slices: Slices<'_>, length: SymInt) -> Result<Vec<Value>> {
        let syms = self.graph.syms.clone();
        // The types of a slice's results are known once it was read.
        let (tried, counts) = self.turn(&slices, &[])?;
        let metas: Vec<TensorMeta> = tried.outputs[1 + counts[0]..]
            .iter()
            .filter_map(
                |o| if let OutputValue::Tensor(v) = o.value { Some(tried.meta(v).clone()) } else { None },
            )
            .map(|meta| {
                let shape = std::iter::once(length).chain(meta.shape).collect();
                TensorMeta::contiguous(&syms, meta.dtype, shape)
            })
            .collect();
        let (body, _) = self.turn(&slices, &metas)?;
        let condition = self.condition(&body, length)?;
        let counter = (Dtype::Int64, Vec::new());
        let rooms = metas.into_iter().map(|meta| (meta.dtype, meta.shape));
        let mut zeros = Vec::new();
        for (dtype, shape) in std::iter::once(counter).chain(rooms) {
            let named = vec![("dtype", Arg::Dtype(dtype))];
            let args = vec![Arg::Ints(shape)];
            zeros.push(Builder::new(&mut self.graph).op_with("aten.zeros.default", args, named)?);
        }
        let carried: Vec<Value> =
            zeros[..1].iter().chain(&slices.first).chain(&zeros[1..]).copied().collect();
        let outside =
            slices.additional.iter().filter_map(|e| if let Entry::Tensor(v) = e { Some(*v) } else { None });
        let outside = slices.xs.iter().copied().chain(outside);
        let list = |values: Vec<Value>| Arg::Values(values.into_iter().map(Some).collect());
        let wrap = |graph: Graph| Arg::Graph(Subgraph(Arc::new(graph)));
        let args = vec![wrap(condition), wrap(body), list(carried), list(outside.collect())];
        let results =
            Builder::new(&mut self.graph).call_named("higher_order.while_loop", args, Vec::new())?;
        Ok(results[1..].to_vec())
    }

    /// A turn of the loop, and how many tensors the graph carries and gives. Without stacked results, a slice's results are given as they
    /// are.
    fn turn(&mut self, slices: &Slices<'_>, stacked: &[TensorMeta]) -> Result<(Graph, [usize; 2])> {
        let outer_metas = |reader: &Self, list: &[Value]| -> Vec<TensorMeta> {
            list.iter().map(|v| reader.graph.meta(*v).clone()).collect()
        };
        let (first, xs) = (outer_metas(self, &slices.first), outer_metas(self, &slices.xs));
        let additional: Vec<Option<TensorMeta>> = slices
            .additional
            .iter()
            .map(|e| if let Entry::Tensor(v) = e { Some(self.graph.meta(*v).clone()) } else { None })
            .collect();
        let inner = self.graph.new_subgraph("slice");
        let outer = std::mem::replace(&mut self.graph, inner);
        let built = self.turn_inside(slices, (first, stacked, xs, additional));
        let graph = std::mem::replace(&mut self.graph, outer);
        Ok((graph, built?))
    }

    #[allow(clippy::type_complexity)]
    fn turn_inside(
        &mut self,
        slices: &Slices<'_>,
        (first, stacked, xs, additional): (
            Vec<TensorMeta>,
            &[TensorMeta],
            Vec<TensorMeta>,
            Vec<Option<TensorMeta>>,
        ),
    ) -> Result<[usize; 2]> {
        let syms = self.graph.syms.clone();
        let int = |v: i64| Arg::Int(syms.constant(v));
        let counter = self.graph.add_input("number", TensorMeta::contiguous(&syms, Dtype::Int64, Vec::new()));
        // What is carried lies contiguous.
        let contiguous = |meta: &TensorMeta| TensorMeta::contiguous(&syms, meta.dtype, meta.shape.clone());
        let mut input =
            |name: &str, k: usize, meta: TensorMeta| self.graph.add_input(&format!("{name}_{k}"), meta);
        let carried: Vec<Value> =
            first.iter().enumerate().map(|(k, meta)| input("carried", k, contiguous(meta))).collect();
        let stacks: Vec<Value> =
            stacked.iter().enumerate().map(|(k, meta)| input("stacked", k, meta.clone())).collect();
        let xs: Vec<Value> = xs.into_iter().enumerate().map(|(k, meta)| input("x", k, meta)).collect();
        let mut entries = Vec::new();
        for (k, (entry, meta)) in slices.additional.iter().zip(additional).enumerate() {
            entries.push(match meta {
                Some(meta) => Entry::Tensor(input("additional", k, meta)),
                None => *entry,
            });
        }
        let place = self.built("aten.unsqueeze.default", vec![Arg::Value(counter), int(0)])?;
        let mut own = Vec::new();
        for x in xs {
            let args = vec![Arg::Value(x), int(0), Arg::Value(place)];
            let one = self.built("aten.index_select.default", args)?;
            own.push(self.built("aten.squeeze.dim", vec![Arg::Value(one), int(0)])?);
        }
        let inside = Slices {
            body: slices.body,
            first: slices.first.clone(),
            xs: Vec::new(),
            additional: entries,
            gives_carried: slices.gives_carried,
            place: slices.place,
        };
        let (next, results) = self.slice(&inside, &carried, &own)?;
        let counts = [next.len(), results.len()];
        let more = self.built("aten.add.Scalar", vec![Arg::Value(counter), int(1)])?;
        let mut outputs = vec![more];
        outputs.extend(next);
        if stacks.is_empty() {
            outputs.extend(&results);
        }
        for (stack, result) in stacks.into_iter().zip(results) {
            let at = Arg::Values(vec![Some(counter)]);
            let args = vec![Arg::Value(stack), at, Arg::Value(result)];
            outputs.push(self.built("aten.index_put.default", args)?);
        }
        for (k, value) in outputs.into_iter().enumerate() {
            self.graph.add_output(&format!("result_{k}"), OutputValue::Tensor(value));
        }
        Ok(counts)
    }

    /// Whether there is another slice: a graph of the body's inputs.
    fn condition(&mut self, body: &Graph, length: SymInt) -> Result<Graph> {
        let inner = self.graph.new_subgraph("more");
        let outer = std::mem::replace(&mut self.graph, inner);
        for input in &body.inputs {
            self.graph.add_input(&input.name, body.meta(input.value).clone());
        }
        let counter = self.graph.inputs[0].value;
        let goes_on = self.built("aten.lt.Scalar", vec![Arg::Value(counter), Arg::Int(length)]);
        let mut graph = std::mem::replace(&mut self.graph, outer);
        graph.add_output("result_0", OutputValue::Tensor(goes_on?));
        Ok(graph)
    }
}

fn tensors(entries: &[Entry], what: &str) -> Result<Vec<Value>> {
    let tensor = |entry: &Entry| match entry {
        Entry::Tensor(v) => Ok(*v),
        _ => Err(FrontendError::unsupported(format!(
            "`map` or `scan` that {what} something that is no tensor"
        ))),
    };
    entries.iter().map(tensor).collect()
}
