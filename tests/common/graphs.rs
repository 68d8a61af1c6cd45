//! Graphs over contiguous inputs, and what they compile to for a GPU that need not be there.

use litz::ir::{Arg, Graph, OutputValue, Value};
use litz::meta::Builder;
use litz::plan::Plan;
use litz::session::{self, Options};
use litz::types::{Dtype, TensorMeta};

/// A graph over inputs of these shapes.
pub fn graph_of(
    dtype: Dtype,
    shapes: &[&[i64]],
    build: impl FnOnce(&mut Graph, &[Value]) -> Vec<Value>,
) -> Graph {
    let mut graph = Graph::new("case");
    let mut inputs = Vec::new();
    for (k, shape) in shapes.iter().enumerate() {
        let sizes = shape.iter().map(|n| graph.syms.constant(*n)).collect();
        let meta = TensorMeta::contiguous(&graph.syms, dtype, sizes);
        inputs.push(graph.add_input(&format!("x{k}"), meta));
    }
    for (k, output) in build(&mut graph, &inputs).into_iter().enumerate() {
        graph.add_output(&format!("y{k}"), OutputValue::Tensor(output));
    }
    graph
}

/// The one result of an operator.
pub fn op(graph: &mut Graph, name: &str, args: Vec<Arg>) -> Value {
    Builder::new(graph).op(name, args).unwrap()
}

/// The options for a GPU of an architecture.
pub fn cuda(arch: &str, more: &[(&str, &str)]) -> Options {
    let mut options = Options::new();
    for (key, value) in [("backend", "cuda"), ("cuda.arch", arch)].iter().chain(more) {
        options.set(key, value).unwrap();
    }
    options
}

pub fn plan(graph: &Graph, options: &Options) -> Plan {
    session::plan(graph, options)
        .unwrap_or_else(|e| panic!("{e}\n{}", e.output().unwrap_or("run scripts/nvrtc for the compiler")))
}

/// What describe says of the plan.
pub fn describe(graph: &Graph, options: &Options) -> serde_json::Value {
    serde_json::from_str(&plan(graph, options).metadata).unwrap()
}
