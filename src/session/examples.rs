//! Compiling with examples of the inputs: their sizes become hints, autotuning times runs on their data, and the program
//! has run once on them when it is handed over.
//!
//! Invariant: neither the graph nor an example is changed, and a program means the same with examples as without.

use super::begun::Begun;
use super::{Executable, Options, SessionError};
use crate::base::{HashMap, HashSet, Status};
use crate::ir::{self, Graph};
use crate::runtime::Examples;
use crate::types::SymbolId;

/// What a host says of a graph's inputs beside the graph.
#[derive(Clone, Copy, Default)]
pub struct Given<'a> {
    pub examples: Option<&'a Examples>,
    /// Inputs whose addresses stay the same between runs; empty: none.
    pub fixed: &'a [bool],
    /// Kernels, by symbol, of a program that this one is linked with, or runs beside: they are not compiled again.
    pub compiled: Option<&'a HashSet<&'a str>>,
    /// The compilation that this one goes on with.
    pub begun: Option<&'a Begun>,
}

/// Compiles a graph for this process, with example inputs.
pub fn compile_with(graph: &Graph, options: &Options, given: Given) -> Result<Executable, SessionError> {
    super::watched(options, || {
        let hinted = given.examples.map(|examples| hinted(graph, examples)).transpose()?;
        let executable = super::compiled(hinted.as_ref().unwrap_or(graph), options, given)?;
        if let Some(examples) = given.examples {
            examples.warm(&executable)?;
        }
        Ok(executable)
    })
}

/// The graph with the examples' sizes as its symbols' hints.
fn hinted(graph: &Graph, examples: &Examples) -> Result<Graph, SessionError> {
    let syms = &graph.syms;
    let wrong = |k: usize, status, what: String| {
        let name = &graph.inputs[k].name;
        SessionError::Option { status, message: format!("example {k} (input `{name}`): {what}") }
    };
    let mut known: HashMap<SymbolId, (i64, usize)> = HashMap::default();
    let mut learn = |k: usize, symbol: SymbolId, value: i64| {
        let (name, range) = (syms.symbol_name(symbol), syms.symbol_range(symbol));
        if !range.contains(value) {
            let bounds = format!("from {} to {}", range.min, range.max);
            return Err(wrong(k, Status::Shape, format!("it makes `{name}` {value}, which is {bounds}")));
        }
        match known.insert(symbol, (value, k)) {
            Some((other, first)) if other != value => {
                let what = format!("it makes `{name}` {value}, which example {first} makes {other}");
                Err(wrong(k, Status::Shape, what))
            }
            _ => Ok(()),
        }
    };
    // Bare symbols first, in the order in which a run reads them: other sizes are solved for symbols after that.
    for bare in [true, false] {
        for (k, input) in graph.inputs.iter().enumerate() {
            let Some(dtype) = examples.dtype(k) else { continue };
            let meta = graph.meta(input.value);
            let shape = examples.shape(k);
            if meta.dtype != dtype {
                let what = format!("its dtype is {dtype}, the graph takes {}", meta.dtype);
                return Err(wrong(k, Status::Dtype, what));
            }
            if meta.rank() != shape.len() {
                let what = format!("it has {} dimensions, the graph takes {}", shape.len(), meta.rank());
                return Err(wrong(k, Status::Shape, what));
            }
            if let Some(symbol) = input.symbol.and_then(|s| syms.as_symbol(s)).filter(|_| bare) {
                let number = examples.number(k);
                let number = number
                    .ok_or_else(|| wrong(k, Status::Device, "it is no number in host memory".into()))?;
                learn(k, symbol, number)?;
            }
            for (d, (size, value)) in meta.shape.iter().zip(shape).enumerate() {
                let refuse = || {
                    let what = format!("dimension {d} is {value}, the graph takes {}", syms.display(*size));
                    Err(wrong(k, Status::Shape, what))
                };
                if let Some(constant) = syms.as_const(*size) {
                    if constant != *value {
                        return refuse();
                    }
                } else if let Some(symbol) = syms.as_symbol(*size) {
                    if bare {
                        learn(k, symbol, *value)?;
                    }
                } else if !bare
                    && let [symbol] = syms.symbols(*size)[..]
                    && let Some((factor, rest)) = syms.linear_in(*size, symbol)
                    && let (Some(factor), Some(rest)) = (syms.as_const(factor), syms.as_const(rest))
                    && factor != 0
                {
                    match value.checked_sub(rest) {
                        Some(part) if part % factor == 0 => learn(k, symbol, part / factor)?,
                        _ => return refuse(),
                    }
                }
            }
        }
    }
    let hints: Vec<(SymbolId, i64)> = known.into_iter().map(|(symbol, (value, _))| (symbol, value)).collect();
    Ok(ir::with_hints(graph, &hints))
}
