//! Random programs of views and mutations against plain memory, and the special cases one by one.
//!
//! The tests run what they build with the interpreter, which stands on a higher floor; nothing else here does.

use super::functionalize;
use crate::base::Status;
use crate::interp::{HostTensor, run_graph};
use crate::ir::{Arg, ConstantData, ConstantKind, Definition, Graph, OutputValue, Value, verify};
use crate::meta::{Builder, MetaError};
use crate::types::{Dtype, Range, TensorMeta, view_strides};
use std::sync::Arc;

fn meta(graph: &Graph, dtype: Dtype, shape: &[i64]) -> TensorMeta {
    let shape = shape.iter().map(|s| graph.syms.constant(*s)).collect();
    TensorMeta::contiguous(&graph.syms, dtype, shape)
}

fn input(graph: &mut Graph, name: &str, shape: &[i64]) -> Value {
    let meta = meta(graph, Dtype::Float32, shape);
    graph.add_input(name, meta)
}

fn buffer(graph: &mut Graph, name: &str, values: &[f32]) -> Value {
    let meta = meta(graph, Dtype::Float32, &[values.len() as i64]);
    let bytes = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
    graph.add_constant(name, ConstantKind::Buffer, meta, Arc::new(ConstantData::Owned(bytes)))
}

fn int(graph: &Graph, v: i64) -> Arg {
    Arg::Int(graph.syms.constant(v))
}
fn ints(graph: &Graph, list: &[i64]) -> Arg {
    Arg::Ints(list.iter().map(|v| graph.syms.constant(*v)).collect())
}

fn call(graph: &mut Graph, name: &str, args: Vec<Arg>) -> Vec<Value> {
    Builder::new(graph).call_named(name, args, Vec::new()).unwrap_or_else(|e| panic!("{e}"))
}
fn op(graph: &mut Graph, name: &str, args: Vec<Arg>) -> Value {
    call(graph, name, args)[0]
}
fn output(graph: &mut Graph, value: Value) {
    let name = format!("out{}", graph.outputs.len());
    graph.add_output(&name, OutputValue::Tensor(value));
}

/// Functionalizes, verifies and runs; gives the outputs and what is written back.
fn run(graph: &Graph, inputs: &[HostTensor]) -> (Vec<HostTensor>, Vec<HostTensor>) {
    let pure = functionalize(graph).unwrap_or_else(|e| panic!("{e}"));
    verify(&pure, true).unwrap_or_else(|e| panic!("{e}"));
    run_graph(&pure, inputs).unwrap_or_else(|e| panic!("{e}"))
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// A tensor in plain memory: the place of each element in one of the storages.
#[derive(Clone, Debug)]
struct Plain {
    value: Value,
    storage: usize,
    shape: Vec<usize>,
    places: Vec<usize>,
}

impl Plain {
    /// A view whose element at an index is this one's at another index.
    fn view(&self, value: Value, shape: &[usize], from: impl Fn(&[usize]) -> Vec<usize>) -> Plain {
        let count = shape.iter().product();
        let places = (0..count)
            .map(|flat| {
                let mut index = vec![0; shape.len()];
                let mut rest = flat;
                for k in (0..shape.len()).rev() {
                    index[k] = rest % shape[k];
                    rest /= shape[k];
                }
                let place = from(&index).iter().zip(&self.shape).fold(0, |p, (i, s)| p * s + i);
                self.places[place]
            })
            .collect();
        Plain { value, storage: self.storage, shape: shape.to_vec(), places }
    }
}

fn reordered(x: &Plain, value: Value, order: &[usize]) -> Plain {
    let shape: Vec<usize> = order.iter().map(|k| x.shape[*k]).collect();
    x.view(value, &shape, |index| {
        let mut from = vec![0; index.len()];
        order.iter().zip(index).for_each(|(k, i)| from[*k] = *i);
        from
    })
}

/// One random view of `x`, if the chosen kind applies.
fn random_view(graph: &mut Graph, random: &mut Random, x: &Plain) -> Vec<Plain> {
    let rank = x.shape.len();
    let own = Arg::Value(x.value);
    let kind = random.below(11);
    if rank == 0 && kind != 8 {
        return Vec::new();
    }
    let dim = random.below(rank.max(1));
    let size = x.shape.get(dim).copied().unwrap_or(1);
    let d = int(graph, dim as i64);
    match kind {
        0 | 1 if size > 0 => {
            let start = random.below(size);
            let length = 1 + random.below(size - start);
            let step = 1 + random.below(2);
            let end = int(graph, (start + length) as i64);
            let args = vec![own, d, int(graph, start as i64), end, int(graph, step as i64)];
            let value = op(graph, "aten.slice.Tensor", args);
            let mut shape = x.shape.clone();
            shape[dim] = length.div_ceil(step);
            vec![x.view(value, &shape, |i| {
                let mut from = i.to_vec();
                from[dim] = start + i[dim] * step;
                from
            })]
        }
        2 if size > 0 => {
            let at = random.below(size);
            let given = if random.below(2) == 0 { at as i64 } else { at as i64 - size as i64 };
            let given = int(graph, given);
            let value = op(graph, "aten.select.int", vec![own, d, given]);
            let mut shape = x.shape.clone();
            shape.remove(dim);
            vec![x.view(value, &shape, |i| [&i[..dim], &[at], &i[dim..]].concat())]
        }
        3 => {
            let mut order: Vec<usize> = (0..rank).collect();
            (0..rank).for_each(|k| order.swap(k, random.below(rank)));
            let list: Vec<i64> = order.iter().map(|k| *k as i64).collect();
            let value = {
                let list = ints(graph, &list);
                op(graph, "aten.permute.default", vec![own, list])
            };
            vec![reordered(x, value, &order)]
        }
        4 if rank >= 2 => {
            let (a, b) = (int(graph, 0), int(graph, 1));
            let value = op(graph, "aten.transpose.int", vec![own, a, b]);
            let mut order: Vec<usize> = (0..rank).collect();
            order.swap(0, 1);
            vec![reordered(x, value, &order)]
        }
        5 | 6 => {
            let count = x.places.len();
            let shapes: Vec<Vec<usize>> =
                [vec![count], vec![2, count / 2], vec![count / 3, 3], vec![2, count / 4, 2]]
                    .into_iter()
                    .filter(|s| s.iter().product::<usize>() == count && count > 0)
                    .collect();
            let shape = random.pick(&shapes);
            let sizes: Vec<_> = shape.iter().map(|s| graph.syms.constant(*s as i64)).collect();
            let from = graph.meta(x.value).clone();
            let name = if kind == 5 { "aten.view.default" } else { "aten.reshape.default" };
            if view_strides(&graph.syms, &from.shape, &from.strides, &sizes).is_none() {
                return Vec::new();
            }
            let value = op(graph, name, vec![own, Arg::Ints(sizes)]);
            vec![Plain { value, storage: x.storage, shape, places: x.places.clone() }]
        }
        7 if rank >= 2 => {
            let offset = random.below(2);
            let (rows, columns) = (x.shape[0], x.shape[1]);
            if columns <= offset {
                return Vec::new();
            }
            let args = vec![own, int(graph, offset as i64), int(graph, 0), int(graph, 1)];
            let value = op(graph, "aten.diagonal.default", args);
            let length = rows.min(columns - offset);
            let shape = [&x.shape[2..], &[length]].concat();
            vec![x.view(value, &shape, |i| {
                let k = i[i.len() - 1];
                [&[k, k + offset], &i[..i.len() - 1]].concat()
            })]
        }
        8 => {
            let value = op(graph, "aten.unsqueeze.default", vec![own, int(graph, 0)]);
            let shape = [&[1], &x.shape[..]].concat();
            vec![x.view(value, &shape, |i| i[1..].to_vec())]
        }
        9 if size > 1 => {
            let first = 1 + random.below(size - 1);
            let sizes = ints(graph, &[first as i64, (size - first) as i64]);
            let values = call(graph, "aten.split_with_sizes.default", vec![own, sizes, d]);
            [(0, first), (first, size - first)]
                .into_iter()
                .zip(values)
                .map(|((start, length), value)| {
                    let mut shape = x.shape.clone();
                    shape[dim] = length;
                    x.view(value, &shape, |i| {
                        let mut from = i.to_vec();
                        from[dim] += start;
                        from
                    })
                })
                .collect()
        }
        10 if size > 0 => {
            let values = call(graph, "aten.unbind.int", vec![own, d]);
            let mut shape = x.shape.clone();
            shape.remove(dim);
            let view = |(at, value)| x.view(value, &shape, |i| [&i[..dim], &[at], &i[dim..]].concat());
            values.into_iter().enumerate().map(view).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn random_views_and_mutations_behave_as_memory() {
    for seed in 0..150 {
        let mut random = Random(seed);
        let mut graph = Graph::new("random");
        let mut storages: Vec<Vec<f32>> = Vec::new();
        let mut tensors: Vec<Plain> = Vec::new();
        for (name, shape) in [("a", vec![4, 6]), ("b", vec![2, 3, 4])] {
            let sizes: Vec<i64> = shape.iter().map(|s| *s as i64).collect();
            let value = input(&mut graph, name, &sizes);
            let storage = storages.len();
            storages.push((0..24).map(|k| (k + 100 * storage) as f32).collect());
            tensors.push(Plain { value, storage, shape, places: (0..24).collect() });
        }
        let given: Vec<HostTensor> = [[4, 6].as_slice(), &[2, 3, 4]]
            .iter()
            .zip(&storages)
            .map(|(s, v)| HostTensor::float32(s, v))
            .collect();
        for _ in 0..25 {
            let x = random.pick(&tensors);
            match random.below(8) {
                0 => {
                    // A value of its own, made from what x shows now.
                    let value =
                        op(&mut graph, "aten.add.Tensor", vec![Arg::Value(x.value), Arg::Value(x.value)]);
                    storages.push(x.places.iter().map(|p| 2.0 * storages[x.storage][*p]).collect());
                    let places = (0..x.places.len()).collect();
                    tensors.push(Plain { value, storage: storages.len() - 1, shape: x.shape, places });
                }
                1 | 2 => {
                    let same: Vec<Plain> = tensors.iter().filter(|t| t.shape == x.shape).cloned().collect();
                    let from = random.pick(&same);
                    let name = if random.below(2) == 0 { "aten.add_.Tensor" } else { "aten.copy_.default" };
                    let value = op(&mut graph, name, vec![Arg::Value(x.value), Arg::Value(from.value)]);
                    let read: Vec<f32> = from.places.iter().map(|p| storages[from.storage][*p]).collect();
                    for (p, v) in x.places.iter().zip(read) {
                        let own = &mut storages[x.storage][*p];
                        *own = if name.contains("add") { *own + v } else { v };
                    }
                    tensors.push(Plain { value, ..x });
                }
                3 => {
                    op(&mut graph, "aten.relu_.default", vec![Arg::Value(x.value)]);
                    x.places.iter().for_each(|p| {
                        let own = &mut storages[x.storage][*p];
                        *own = own.max(0.0);
                    });
                }
                _ => {
                    let views = random_view(&mut graph, &mut random, &x);
                    tensors.extend(views);
                }
            }
        }
        for t in &tensors {
            output(&mut graph, t.value);
        }
        let (outputs, writes) = run(&graph, &given);
        for (k, (t, found)) in tensors.iter().zip(&outputs).enumerate() {
            let want: Vec<f32> = t.places.iter().map(|p| storages[t.storage][*p]).collect();
            assert_eq!(found.as_float32(), want, "seed {seed}, tensor {k} of shape {:?}", t.shape);
        }
        let pure = functionalize(&graph).unwrap();
        for (write, found) in pure.writes.iter().zip(&writes) {
            let Definition::Input(k) = write.target else { panic!("a write to {:?}", write.target) };
            assert_eq!(found.as_float32(), storages[k], "seed {seed}, input {k}");
        }
        for (k, (storage, given)) in storages.iter().zip(&given).enumerate() {
            let written = pure.writes.iter().any(|w| w.target == Definition::Input(k));
            assert!(written || *storage == given.as_float32(), "seed {seed}: input {k} is not written back");
        }
    }
}

#[test]
fn a_buffer_is_counted_up_and_written_back() {
    let mut graph = Graph::new("count");
    let n = buffer(&mut graph, "n", &[1.0, 2.0]);
    let x = input(&mut graph, "x", &[2]);
    let before = op(&mut graph, "aten.add.Tensor", vec![Arg::Value(x), Arg::Value(n)]);
    let counted = op(&mut graph, "aten.add_.Tensor", vec![Arg::Value(n), Arg::Value(x)]);
    output(&mut graph, before);
    output(&mut graph, counted);
    output(&mut graph, n);
    let (outputs, writes) = run(&graph, &[HostTensor::float32(&[2], &[10.0, 20.0])]);
    let all: Vec<Vec<f32>> = outputs.iter().map(HostTensor::as_float32).collect();
    assert_eq!(all, [[11.0, 22.0]; 3]);
    assert_eq!(writes.len(), 1);
    assert_eq!(functionalize(&graph).unwrap().writes[0].target, Definition::Constant(0));
}

#[test]
fn slices_of_unknown_size_are_written() {
    let mut graph = Graph::new("slice");
    let n = graph.syms.symbol("n", Range::new(4, 64), None);
    let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, vec![n]);
    let x = graph.add_input("x", meta);
    let slice = [0, 1, -1, 2].map(|v| int(&graph, v));
    let part = op(&mut graph, "aten.slice.Tensor", [&[Arg::Value(x)], &slice[..]].concat());
    op(&mut graph, "aten.add_.Tensor", vec![Arg::Value(part), Arg::Value(part)]);
    output(&mut graph, x);
    let (outputs, _) = run(&graph, &[HostTensor::float32(&[6], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
    assert_eq!(outputs[0].as_float32(), [1.0, 4.0, 3.0, 8.0, 5.0, 6.0]);
}

#[test]
fn strided_views_look_at_the_storage() {
    let mut graph = Graph::new("strided");
    let x = input(&mut graph, "x", &[2, 3]);
    let t = op(&mut graph, "aten.t.default", vec![Arg::Value(x)]);
    let (size, stride, offset) = (ints(&graph, &[2]), ints(&graph, &[2]), int(&graph, 1));
    let diagonal = op(&mut graph, "aten.as_strided.default", vec![Arg::Value(t), size, stride, offset]);
    op(&mut graph, "aten.add_.Tensor", vec![Arg::Value(t), Arg::Value(t)]);
    op(&mut graph, "aten.zero_.default", vec![Arg::Value(diagonal)]);
    output(&mut graph, t);
    output(&mut graph, diagonal);
    let (outputs, writes) = run(&graph, &[HostTensor::float32(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
    assert_eq!(outputs[0].as_float32(), [2.0, 0.0, 0.0, 10.0, 6.0, 12.0]);
    assert_eq!(outputs[1].as_float32(), [0.0, 0.0]);
    assert_eq!(writes[0].as_float32(), [2.0, 0.0, 6.0, 0.0, 10.0, 12.0]);
}

#[test]
fn repeated_elements_are_not_written_to() {
    let mut graph = Graph::new("expanded");
    let x = input(&mut graph, "x", &[1, 3]);
    let wide = ints(&graph, &[2, 3]);
    let wide = op(&mut graph, "aten.expand.default", vec![Arg::Value(x), wide]);
    let first = [0, 0].map(|v| int(&graph, v));
    let row = op(&mut graph, "aten.select.int", [&[Arg::Value(wide)], &first[..]].concat());
    let mut part = graph.clone();
    op(&mut graph, "aten.add_.Tensor", vec![Arg::Value(wide), Arg::Value(wide)]);
    assert_eq!(functionalize(&graph).unwrap_err().status, Status::InvalidArgument);
    op(&mut part, "aten.add_.Tensor", vec![Arg::Value(row), Arg::Value(row)]);
    assert_eq!(functionalize(&part).unwrap_err().status, Status::Unsupported);
}

#[test]
fn conversions_that_do_nothing_are_aliases_and_others_are_not() {
    let mut graph = Graph::new("alias");
    let x = input(&mut graph, "x", &[2]);
    let same = op(&mut graph, "aten.to.dtype", vec![Arg::Value(x), Arg::Dtype(Dtype::Float32)]);
    let wide = op(&mut graph, "aten.to.dtype", vec![Arg::Value(x), Arg::Dtype(Dtype::Float64)]);
    let copy = op(&mut graph, "aten.clone.default", vec![Arg::Value(x)]);
    let kept =
        op(&mut graph, "aten.dropout.default", vec![Arg::Value(same), Arg::Float(0.5), Arg::Bool(false)]);
    op(&mut graph, "aten.zero_.default", vec![Arg::Value(kept)]);
    let narrow = op(&mut graph, "aten.to.dtype", vec![Arg::Value(wide), Arg::Dtype(Dtype::Float32)]);
    for value in [x, same, narrow, copy] {
        output(&mut graph, value);
    }
    let (outputs, _) = run(&graph, &[HostTensor::float32(&[2], &[1.0, 2.0])]);
    let all: Vec<Vec<f32>> = outputs.iter().map(HostTensor::as_float32).collect();
    assert_eq!(all, [[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [1.0, 2.0]]);
}

#[test]
fn what_does_not_fit_in_place_is_refused() {
    let mut graph = Graph::new("cast");
    let wide = input(&mut graph, "x", &[2, 2]);
    let narrow = input(&mut graph, "y", &[2]);
    let meta = meta(&graph, Dtype::Int64, &[2, 2]);
    let whole = graph.add_input("i", meta);
    let mut try_call = |name: &str, a: Value, b: Value| -> Result<Vec<Value>, MetaError> {
        Builder::new(&mut graph).call_named(name, vec![Arg::Value(a), Arg::Value(b)], Vec::new())
    };
    assert_eq!(try_call("aten.add_.Tensor", narrow, wide).unwrap_err().status, Status::Shape);
    assert_eq!(try_call("aten.add_.Tensor", whole, wide).unwrap_err().status, Status::Dtype);
    let compared = try_call("aten.add_.Tensor", wide, whole).unwrap()[0];
    assert_eq!(graph.meta(compared).dtype, Dtype::Float32);
}

#[test]
fn a_batch_of_nothing_moves_no_statistics() {
    for shape in [vec![0, 3], vec![0]] {
        let mut graph = Graph::new("norm");
        let mean = buffer(&mut graph, "mean", &[0.0; 3]);
        let var = buffer(&mut graph, "var", &[1.0; 3]);
        let x = input(&mut graph, "x", &shape);
        let mut args = vec![Arg::Value(x), Arg::None, Arg::None, Arg::Value(mean), Arg::Value(var)];
        args.extend([Arg::Bool(true), Arg::Float(0.5), Arg::Float(0.0), Arg::Bool(false)]);
        let y = op(&mut graph, "aten.batch_norm.default", args);
        output(&mut graph, y);
        let (outputs, writes) = run(&graph, &[HostTensor::float32(&shape, &[])]);
        assert_eq!(outputs[0].as_float32(), [0.0f32; 0]);
        assert!(writes.is_empty());
    }
}

#[test]
fn norms_move_their_running_statistics() {
    for name in ["aten.batch_norm.default", "aten.instance_norm.default"] {
        let mut graph = Graph::new("norm");
        let (mean, var) = (buffer(&mut graph, "mean", &[0.0]), buffer(&mut graph, "var", &[1.0]));
        let x = input(&mut graph, "x", &[2, 1, 2]);
        let args = vec![
            Arg::Value(x),
            Arg::None,
            Arg::None,
            Arg::Value(mean),
            Arg::Value(var),
            Arg::Bool(true),
            Arg::Float(0.5),
            Arg::Float(0.0),
            Arg::Bool(false),
        ];
        let y = op(&mut graph, name, args);
        output(&mut graph, y);
        let (outputs, writes) = run(&graph, &[HostTensor::float32(&[2, 1, 2], &[1.0, 3.0, 5.0, 7.0])]);
        let moved: Vec<f32> = writes.iter().flat_map(HostTensor::as_float32).collect();
        if name.contains("instance") {
            assert_eq!(outputs[0].as_float32(), [-1.0, 1.0, -1.0, 1.0]);
            // The mean of 2 and 6, and of the unbiased variances 2 and 2.
            assert_eq!(moved, [2.0, 1.5]);
        } else {
            assert_eq!(moved, [2.0, 0.5 + 0.5 * 20.0 / 3.0]);
        }
    }
}
