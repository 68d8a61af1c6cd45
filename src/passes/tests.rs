//! Each pass on small graphs: what must go, what must stay, and that results are the same.
//!
//! The tests run graphs with the interpreter, which stands on a higher floor; nothing else here does.

use super::*;
use crate::interp::{HostTensor, run_graph};
use crate::ir::{Arg, ConstantData, ConstantKind, Definition, OutputValue, Value, Write};
use crate::meta::Builder;
use crate::types::{Dtype, TensorMeta};
use std::sync::Arc;

fn meta(graph: &Graph, dtype: Dtype, shape: &[i64]) -> TensorMeta {
    let shape = shape.iter().map(|s| graph.syms.constant(*s)).collect();
    TensorMeta::contiguous(&graph.syms, dtype, shape)
}
fn input(graph: &mut Graph, dtype: Dtype, shape: &[i64]) -> Value {
    let meta = meta(graph, dtype, shape);
    let name = format!("x{}", graph.inputs.len());
    graph.add_input(&name, meta)
}
fn constant(graph: &mut Graph, shape: &[i64], values: &[f32]) -> Value {
    let meta = meta(graph, Dtype::Float32, shape);
    let bytes = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
    let name = format!("c{}", graph.constants.len());
    graph.add_constant(&name, ConstantKind::Parameter, meta, Arc::new(ConstantData::Owned(bytes)))
}
fn op(graph: &mut Graph, name: &str, args: Vec<Arg>) -> Value {
    Builder::new(graph).op(name, args).unwrap_or_else(|e| panic!("{e}"))
}
fn output(graph: &mut Graph, value: Value) {
    let name = format!("out{}", graph.outputs.len());
    graph.add_output(&name, OutputValue::Tensor(value));
}
fn names(graph: &Graph) -> Vec<&'static str> {
    graph.order.iter().map(|id| graph.nodes[*id].op.name()).collect()
}
fn ints(graph: &Graph, list: &[i64]) -> Arg {
    Arg::Ints(list.iter().map(|v| graph.syms.constant(*v)).collect())
}

fn join(graph: &mut Graph, list: &[Value], dim: i64) -> Value {
    let dim = graph.syms.constant(dim);
    let list = list.iter().copied().map(Some).collect();
    op(graph, "aten.cat.default", vec![Arg::Values(list), Arg::Int(dim)])
}

#[test]
fn what_grows_by_joining_is_joined_once() {
    let mut graph = Graph::new("grown");
    let x: Vec<Value> = (0..5).map(|k| input(&mut graph, Dtype::Float32, &[2, 1 + k])).collect();
    let a = join(&mut graph, &[x[0], x[1]], 1);
    let b = join(&mut graph, &[x[2], a, x[3]], -1);
    let c = join(&mut graph, &[b, x[4]], 1);
    output(&mut graph, c);
    let given = |k: i64| -> Vec<f32> { (0..2 * (1 + k)).map(|j| (10 * k + j) as f32).collect() };
    let inputs: Vec<HostTensor> = (0..5).map(|k| HostTensor::float32(&[2, 1 + k], &given(k))).collect();
    let before = run_graph(&graph, &inputs).unwrap().0[0].as_float32();
    run(&mut graph).unwrap();
    assert_eq!(names(&graph), ["aten.cat.default"]);
    let node = &graph.nodes[*graph.order.iter().next().unwrap()];
    assert_eq!(node.args[0], Arg::Values([x[2], x[0], x[1], x[3], x[4]].map(Some).to_vec()));
    assert_eq!(run_graph(&graph, &inputs).unwrap().0[0].as_float32(), before);
}

#[test]
fn a_join_stays_that_another_reads_or_that_rounds() {
    // Another user; another dimension; integers that the inner join rounds to halves.
    let mut graph = Graph::new("kept");
    let (x, y) = (input(&mut graph, Dtype::Float32, &[2, 2]), input(&mut graph, Dtype::Float32, &[2, 2]));
    let read = join(&mut graph, &[x, y], 0);
    let outer = join(&mut graph, &[read, x], 0);
    let across = join(&mut graph, &[x, y], 1);
    let wide = input(&mut graph, Dtype::Float32, &[2, 4]);
    let along = join(&mut graph, &[across, wide], 0);
    let (long, half) = (input(&mut graph, Dtype::Int64, &[2]), input(&mut graph, Dtype::Float16, &[2]));
    let rounded = join(&mut graph, &[long, half], 0);
    let vector = input(&mut graph, Dtype::Float32, &[2]);
    let converted = join(&mut graph, &[rounded, vector], 0);
    for value in [read, outer, along, converted] {
        output(&mut graph, value);
    }
    run(&mut graph).unwrap();
    assert_eq!(names(&graph).len(), 6);
}

#[test]
fn what_changes_nothing_goes() {
    let mut graph = Graph::new("nothing");
    let x = input(&mut graph, Dtype::Float32, &[2, 3]);
    let shape = ints(&graph, &[2, 3]);
    let order = ints(&graph, &[0, 1]);
    let mut y = op(&mut graph, "aten.clone.default", vec![Arg::Value(x)]);
    y = op(&mut graph, "aten.view.default", vec![Arg::Value(y), shape]);
    y = op(&mut graph, "aten.permute.default", vec![Arg::Value(y), order]);
    y = op(&mut graph, "aten.to.dtype", vec![Arg::Value(y), Arg::Dtype(Dtype::Float32)]);
    y = op(&mut graph, "aten.mul.Scalar", vec![Arg::Value(y), Arg::Float(1.0)]);
    y = op(&mut graph, "aten.sub.Scalar", vec![Arg::Value(y), Arg::Float(0.0)]);
    y = op(&mut graph, "aten.dropout.default", vec![Arg::Value(y), Arg::Float(0.5), Arg::Bool(false)]);
    y = op(&mut graph, "aten.relu.default", vec![Arg::Value(y)]);
    output(&mut graph, y);
    run(&mut graph).unwrap();
    assert_eq!(names(&graph), ["aten.relu.default"]);
}

#[test]
fn what_changes_something_stays() {
    let mut graph = Graph::new("something");
    let x = input(&mut graph, Dtype::Float32, &[2, 2]);
    let i = input(&mut graph, Dtype::Int64, &[2]);
    let swapped = ints(&graph, &[1, 0]);
    let one = Arg::Int(graph.syms.constant(1));
    let calls = vec![
        // Turns -0.0 into 0.0, as does the next one.
        op(&mut graph, "aten.add.Scalar", vec![Arg::Value(x), Arg::Float(0.0)]),
        op(&mut graph, "aten.sub.Scalar", vec![Arg::Value(x), Arg::Float(-0.0)]),
        op(&mut graph, "aten.permute.default", vec![Arg::Value(x), swapped]),
        op(&mut graph, "aten.mul.Scalar", vec![Arg::Value(i), Arg::Float(1.0)]),
        op(&mut graph, "aten.div.Scalar", vec![Arg::Value(i), one]),
    ];
    calls.into_iter().for_each(|v| output(&mut graph, v));
    let before = names(&graph);
    let reports = run(&mut graph).unwrap();
    assert_eq!(names(&graph), before);
    assert!(reports.iter().all(|r| !r.changed));
}

#[test]
fn copies_stay_where_a_strided_view_looks_at_their_storage() {
    let mut graph = Graph::new("storage");
    let x = input(&mut graph, Dtype::Float32, &[2, 3]);
    let t = op(&mut graph, "aten.t.default", vec![Arg::Value(x)]);
    let own = Arg::MemoryFormat(crate::types::MemoryFormat::Contiguous);
    let copy = op(&mut graph, "aten.contiguous.default", vec![Arg::Value(t), own]);
    let (size, stride) = (ints(&graph, &[6]), ints(&graph, &[1]));
    let flat = op(&mut graph, "aten.as_strided.default", vec![Arg::Value(copy), size, stride]);
    output(&mut graph, flat);
    run(&mut graph).unwrap();
    let given = HostTensor::float32(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let found = run_graph(&graph, &[given]).unwrap().0;
    assert_eq!(found[0].as_float32(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}

#[test]
fn equal_nodes_are_one_and_zeros_differ_by_sign() {
    let mut graph = Graph::new("equal");
    let x = input(&mut graph, Dtype::Float32, &[2]);
    let twice: Vec<Value> = (0..2)
        .map(|_| {
            let y = op(&mut graph, "aten.relu.default", vec![Arg::Value(x)]);
            op(&mut graph, "aten.add.Scalar", vec![Arg::Value(y), Arg::Float(0.0)])
        })
        .collect();
    let other = op(&mut graph, "aten.add.Scalar", vec![Arg::Value(x), Arg::Float(-0.0)]);
    let same = op(&mut graph, "aten.add.Scalar", vec![Arg::Value(x), Arg::Float(0.0)]);
    for v in [twice[0], twice[1], other, same] {
        output(&mut graph, v);
    }
    run(&mut graph).unwrap();
    assert_eq!(names(&graph).len(), 4);
    assert_eq!(graph.outputs[0].value, graph.outputs[1].value);
    assert_ne!(graph.outputs[2].value, graph.outputs[3].value);
}

#[test]
fn dead_code_goes_and_writes_stay() {
    let mut graph = Graph::new("dead");
    let x = input(&mut graph, Dtype::Float32, &[2]);
    let written = op(&mut graph, "aten.neg.default", vec![Arg::Value(x)]);
    op(&mut graph, "aten.relu.default", vec![Arg::Value(written)]);
    graph.writes.push(Write { target: Definition::Input(0), value: written });
    run(&mut graph).unwrap();
    assert_eq!(names(&graph), ["aten.neg.default"]);
}

/// A convolution and a batch norm; `bias` of the convolution is optional.
fn normalized(bias: bool) -> (Graph, Value) {
    let mut graph = Graph::new("norm");
    let x = input(&mut graph, Dtype::Float32, &[1, 2, 3, 3]);
    let w = constant(&mut graph, &[2, 2, 1, 1], &[1.0, -2.0, 0.5, 3.0]);
    let b = if bias { Arg::Value(constant(&mut graph, &[2], &[0.25, -1.0])) } else { Arg::None };
    let statistics = [[0.5f32, 2.0], [1.0, -1.0], [0.1, 0.2], [4.0, 0.25]];
    let list: Vec<Arg> = statistics.iter().map(|s| Arg::Value(constant(&mut graph, &[2], s))).collect();
    let y = op(&mut graph, "aten.conv2d.default", vec![Arg::Value(x), Arg::Value(w), b]);
    let mut args = vec![Arg::Value(y)];
    args.extend(list);
    args.extend([Arg::Bool(false), Arg::Float(0.1), Arg::Float(1e-5), Arg::Bool(true)]);
    let z = op(&mut graph, "aten.batch_norm.default", args);
    output(&mut graph, z);
    (graph, y)
}

#[test]
fn a_norm_goes_into_the_convolution_before_it() {
    for bias in [false, true] {
        let (mut graph, _) = normalized(bias);
        let given = HostTensor::float32(&[1, 2, 3, 3], &(0..18).map(|k| k as f32 / 4.0).collect::<Vec<_>>());
        let want = run_graph(&graph, std::slice::from_ref(&given)).unwrap().0[0].as_float32();
        run(&mut graph).unwrap();
        let left = names(&graph);
        assert!(!left.contains(&"aten.batch_norm.default"), "{left:?}");
        assert_eq!(left.iter().filter(|n| n.contains("conv")).count(), 1);
        let found = run_graph(&graph, &[given]).unwrap().0[0].as_float32();
        for (a, b) in found.iter().zip(&want) {
            assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{a} {b}");
        }
    }
}

#[test]
fn a_norm_stays_where_statistics_move_or_the_convolution_is_seen() {
    let (mut graph, y) = normalized(false);
    output(&mut graph, y);
    run(&mut graph).unwrap();
    assert!(names(&graph).contains(&"aten.batch_norm.default"));
    let (mut graph, y) = normalized(false);
    graph.writes.push(Write { target: Definition::Constant(3), value: y });
    run(&mut graph).unwrap();
    assert!(names(&graph).contains(&"aten.batch_norm.default"));
}

#[test]
fn long_graphs_take_linear_time() {
    let mut graph = Graph::new("long");
    let mut y = input(&mut graph, Dtype::Float32, &[2]);
    for _ in 0..20_000 {
        y = op(&mut graph, "aten.relu.default", vec![Arg::Value(y)]);
        y = op(&mut graph, "aten.clone.default", vec![Arg::Value(y)]);
    }
    output(&mut graph, y);
    let start = std::time::Instant::now();
    run(&mut graph).unwrap();
    assert_eq!(graph.order.len(), 20_000);
    assert!(start.elapsed().as_secs() < 10);
}
