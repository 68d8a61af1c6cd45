//! Whole graphs on tensors in memory: lowering, binding symbols from the inputs' sizes, running every node. For tests
//! and for folding; backends use plans.

use super::{InterpError, run_program};
use crate::base::{HashMap, Status};
use crate::ir::Graph;
use crate::loops::lower::{LowerError, lower};
use crate::types::{Dtype, SymbolId};

/// A contiguous tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTensor {
    pub dtype: Dtype,
    pub shape: Vec<i64>,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Lower(#[from] LowerError),
    #[error(transparent)]
    Run(#[from] InterpError),
    #[error("{0}")]
    Input(String),
    /// An assertion of the graph, with its message.
    #[error("{0}")]
    Assertion(String),
}

impl RunError {
    pub fn status(&self) -> Status {
        match self {
            RunError::Lower(e) => e.status(),
            RunError::Run(e) => e.status(),
            RunError::Input(_) => Status::Shape,
            RunError::Assertion(_) => Status::Assertion,
        }
    }
}

impl HostTensor {
    pub fn new(dtype: Dtype, shape: &[i64], bytes: Vec<u8>) -> HostTensor {
        HostTensor { dtype, shape: shape.to_vec(), bytes }
    }
    /// A float32 tensor.
    pub fn float32(shape: &[i64], values: &[f32]) -> HostTensor {
        HostTensor::new(Dtype::Float32, shape, values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }
    /// An int64 tensor.
    pub fn int64(shape: &[i64], values: &[i64]) -> HostTensor {
        HostTensor::new(Dtype::Int64, shape, values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }
    /// The elements of a float32 tensor.
    pub fn as_float32(&self) -> Vec<f32> {
        let chunks = self.bytes.chunks_exact(4);
        chunks.map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect()
    }
    /// The elements of an int64 tensor.
    pub fn as_int64(&self) -> Vec<i64> {
        let chunks = self.bytes.chunks_exact(8);
        chunks.map(|b| i64::from_ne_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]])).collect()
    }
}

/// Runs a functional, decomposed graph. Gives its outputs, and then what its `writes` put back, in order.
pub fn run_graph(
    graph: &Graph,
    inputs: &[HostTensor],
) -> Result<(Vec<HostTensor>, Vec<HostTensor>), RunError> {
    let symbols = bind(graph, inputs)?;
    let value = |s: SymbolId| symbols.get(&s).copied();
    for guard in &graph.guards {
        if graph.syms.eval(guard.condition, &value) == Ok(0) {
            return Err(RunError::Input(guard.message.clone()));
        }
    }
    let program = lower(graph)?;
    let given: Vec<&[u8]> = inputs.iter().map(|t| t.bytes.as_slice()).collect();
    let constants: Vec<&[u8]> = graph.constants.iter().map(|c| c.data.bytes()).collect();
    let (outputs, writes) = run_program(&program, &given, &constants, &value).map_err(|e| match e {
        InterpError::Assertion(k) => {
            RunError::Assertion(program.assertions.get(k as usize).cloned().unwrap_or_default())
        }
        other => RunError::Run(other),
    })?;
    let tensor = |buffer, bytes| -> Result<HostTensor, RunError> {
        let data = &program.buffers[buffer];
        let sizes = data.sizes.iter().map(|s| graph.syms.eval(*s, &value));
        let shape = sizes.collect::<Result<_, _>>().map_err(|e| RunError::Input(e.to_string()))?;
        Ok(HostTensor { dtype: data.dtype, shape, bytes })
    };
    let outputs: Result<_, _> =
        program.outputs.iter().zip(outputs).map(|(b, bytes)| tensor(*b, bytes)).collect();
    let writes: Result<_, _> =
        program.writes.iter().zip(writes).map(|(w, bytes)| tensor(w.1, bytes)).collect();
    Ok((outputs?, writes?))
}

/// The values that inputs give to symbols.
fn bind(graph: &Graph, inputs: &[HostTensor]) -> Result<HashMap<SymbolId, i64>, RunError> {
    let mut symbols = HashMap::default();
    if inputs.len() != graph.inputs.len() {
        return Err(RunError::Input(format!("{} inputs given, {} taken", inputs.len(), graph.inputs.len())));
    }
    for (input, tensor) in graph.inputs.iter().zip(inputs) {
        let meta = graph.meta(input.value);
        if meta.dtype != tensor.dtype || meta.rank() != tensor.shape.len() {
            return Err(RunError::Input(format!("input \"{}\" has a wrong dtype or rank", input.name)));
        }
        if let Some(symbol) = input.symbol.and_then(|s| graph.syms.as_symbol(s)) {
            let number = match tensor.dtype {
                Dtype::Int64 => tensor.as_int64().first().copied(),
                _ => tensor.bytes.first().map(|b| *b as i64),
            };
            symbols.extend(number.map(|n| (symbol, n)));
        }
        for (size, given) in meta.shape.iter().zip(&tensor.shape) {
            for symbol in graph.syms.symbols(*size) {
                let Some((factor, rest)) = graph.syms.linear_in(*size, symbol) else { continue };
                let (Some(f), Some(r)) = (graph.syms.as_const(factor), graph.syms.as_const(rest)) else {
                    continue;
                };
                let multiple = given.checked_sub(r);
                if multiple.and_then(|n| n.checked_rem(f)) == Some(0)
                    && let Some(value) = multiple.and_then(|n| n.checked_div(f))
                {
                    symbols.entry(symbol).or_insert(value);
                }
            }
        }
    }
    for (input, tensor) in graph.inputs.iter().zip(inputs) {
        for (size, given) in graph.meta(input.value).shape.iter().zip(&tensor.shape) {
            if graph.syms.eval(*size, &|s| symbols.get(&s).copied()) != Ok(*given) {
                return Err(RunError::Input(format!("input \"{}\" has a wrong shape", input.name)));
            }
        }
    }
    Ok(symbols)
}
