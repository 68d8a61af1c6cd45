//! What fuses: how many kernels a run has, by the compiled program's own account. Results are held to the
//! interpreter's in the same breath, so that a plan cannot be small by leaving something out.

mod attention;
#[path = "../common/mod.rs"]
mod common;
mod deterministic;
mod lanes;
mod weights;

use litz::ir::{Arg, ConstantData, ConstantKind, Graph, OutputValue, Value};
use litz::meta::Builder;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::{Dtype, Range, TensorMeta};
use std::sync::Arc;

struct Case {
    graph: Graph,
    inputs: Vec<Tensor>,
    seed: u64,
}

impl Case {
    fn new(name: &str) -> Case {
        Case { graph: Graph::new(name), inputs: Vec::new(), seed: 1 }
    }
    fn numbers(&mut self, shape: &[i64]) -> Vec<u8> {
        let count = shape.iter().product::<i64>();
        let mut next = || {
            self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.seed >> 40) as f32 / (1u64 << 24) as f32) * 4.0 - 2.0
        };
        (0..count).flat_map(|_| next().to_le_bytes()).collect()
    }
    fn meta(&self, shape: &[i64]) -> TensorMeta {
        let shape = shape.iter().map(|n| self.graph.syms.constant(*n)).collect();
        TensorMeta::contiguous(&self.graph.syms, Dtype::Float32, shape)
    }
    fn input(&mut self, shape: &[i64]) -> Value {
        let bytes = self.numbers(shape);
        self.inputs.push(Tensor::from_bytes(Dtype::Float32, shape, &bytes).unwrap());
        let (name, meta) = (format!("x{}", self.graph.inputs.len()), self.meta(shape));
        self.graph.add_input(&name, meta)
    }
    fn parameter(&mut self, shape: &[i64]) -> Value {
        self.constant(ConstantKind::Parameter, shape)
    }
    fn constant(&mut self, kind: ConstantKind, shape: &[i64]) -> Value {
        let (bytes, meta) = (self.numbers(shape), self.meta(shape));
        let name = format!("w{}", self.graph.constants.len());
        self.graph.add_constant(&name, kind, meta, Arc::new(ConstantData::Owned(bytes)))
    }
    fn op(&mut self, name: &str, args: Vec<Arg>) -> Value {
        Builder::new(&mut self.graph).op(name, args).unwrap()
    }
    fn int(&self, v: i64) -> Arg {
        Arg::Int(self.graph.syms.constant(v))
    }
    fn ints(&self, v: &[i64]) -> Arg {
        Arg::Ints(v.iter().map(|n| self.graph.syms.constant(*n)).collect())
    }
    /// Compiles, compares with the interpreter, and gives each run kernel's kind and operators.
    fn kernels(self, outputs: &[Value]) -> Vec<(String, String)> {
        self.compared(outputs).0
    }
    /// [`Self::kernels`] of a program whose only result is this number.
    fn kernels_giving(self, outputs: &[Value], number: f32) -> Vec<(String, String)> {
        let (kernels, results) = self.compared(outputs);
        assert_eq!(floats(&results[0]), [number]);
        kernels
    }
    fn compared(mut self, outputs: &[Value]) -> (Vec<(String, String)>, Vec<Tensor>) {
        for (k, value) in outputs.iter().enumerate() {
            self.graph.add_output(&format!("y{k}"), OutputValue::Tensor(*value));
        }
        let run = |backend: &str| {
            let mut options = Options::new();
            options.set("backend", backend).unwrap();
            let program = session::compile(&self.graph, &options).unwrap();
            let inputs: Vec<&Tensor> = self.inputs.iter().collect();
            let mut results = program.run_tensors(&inputs).unwrap();
            // State goes on from run to run.
            results.extend(program.run_tensors(&inputs).unwrap());
            (program.describe(), results)
        };
        let ((described, got), (_, want)) = (run("cpu"), run("interpreter"));
        for (k, (a, b)) in got.iter().zip(&want).enumerate() {
            assert_eq!((a.dtype(), a.shape()), (b.dtype(), b.shape()));
            for (x, y) in floats(a).into_iter().zip(floats(b)) {
                assert!((x - y).abs() <= 1e-4 + 1e-4 * y.abs() || x == y, "output {k}: {x} is not {y}");
            }
        }
        let described: serde_json::Value = serde_json::from_str(&described).unwrap();
        let kernels = described["kernels"].as_array().unwrap().iter().filter(|k| k["stage"] == "run");
        let kernels =
            kernels.map(|k| (k["kind"].as_str().unwrap().to_string(), k["operators"].to_string())).collect();
        (kernels, got)
    }
}

fn floats(t: &Tensor) -> Vec<f32> {
    t.bytes().chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn v(value: Value) -> Arg {
    Arg::Value(value)
}

/// A row's state that a reduction is added to, and what is made of its new value.
#[test]
fn state_is_read_as_it_is_after_the_write() {
    for (shape, kept, dim) in [([67, 96], [67, 1], 1), ([67, 96], [1, 96], 0), ([1, 40], [1, 1], 1)] {
        let mut c = Case::new("state");
        let (x, state) = (c.input(&shape), c.constant(ConstantKind::Buffer, &kept));
        let sum = c.op("aten.sum.dim_IntList", vec![v(x), c.ints(&[dim]), Arg::Bool(true)]);
        let new = c.op("aten.add_.Tensor", vec![v(state), v(sum)]);
        let y = c.op("aten.sub.Tensor", vec![v(x), v(new)]);
        c.kernels(&[y]);
    }
}

/// What is computed again in a later stage needs what it is made of there.
#[test]
fn a_softmax_of_a_square_is_one_kernel() {
    let mut c = Case::new("square");
    let x = c.input(&[16, 64]);
    let bent = c.op("aten.tanh", vec![v(x)]);
    let square = c.op("aten.mul.Tensor", vec![v(bent), v(bent)]);
    let args = vec![v(square), c.int(1)];
    let y = c.op("aten.softmax.int", args);
    assert_eq!(c.kernels(&[y]).len(), 1);
}

#[test]
fn a_chain_of_pointwise_operators_is_one_kernel() {
    let mut c = Case::new("chain");
    let (a, b, bias) = (c.input(&[37, 50]), c.input(&[37, 50]), c.input(&[50]));
    let mut x = c.op("aten.mul.Tensor", vec![v(a), v(b)]);
    x = c.op("aten.add.Tensor", vec![v(x), v(bias)]);
    let gelu = c.op("aten.gelu", vec![v(x)]);
    x = c.op("aten.sub.Tensor", vec![v(gelu), v(a)]);
    for name in ["aten.tanh", "aten.relu", "aten.sigmoid", "aten.exp", "aten.neg", "aten.sin"] {
        x = c.op(name, vec![v(x)]);
    }
    let y = c.op("aten.mul.Tensor", vec![v(x), v(gelu)]);
    let kernels = c.kernels(&[y, gelu]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
}

#[test]
fn softmax_is_one_kernel() {
    for (shape, dim) in [(&[64, 100][..], -1), (&[2, 3, 17, 33][..], -1), (&[64, 96][..], 0)] {
        let mut c = Case::new("softmax");
        let x = c.input(shape);
        let dim = c.int(dim);
        let y = c.op("aten.softmax.int", vec![v(x), dim]);
        let kernels = c.kernels(&[y]);
        assert_eq!(kernels.len(), 1, "{shape:?}: {kernels:?}");
    }
}

#[test]
fn layer_norm_is_one_kernel() {
    let mut c = Case::new("layer_norm");
    let (x, w, b) = (c.input(&[8, 20, 70]), c.parameter(&[70]), c.parameter(&[70]));
    let shape = c.ints(&[70]);
    let y = c.op("aten.layer_norm", vec![v(x), shape, v(w), v(b)]);
    let kernels = c.kernels(&[y]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
}

#[test]
fn rms_norm_with_residual_and_both_outputs_is_one_kernel() {
    let mut c = Case::new("rms_norm");
    let (x, r, w) = (c.input(&[40, 70]), c.input(&[40, 70]), c.parameter(&[70]));
    let sum = c.op("aten.add.Tensor", vec![v(x), v(r)]);
    let shape = c.ints(&[70]);
    let y = c.op("aten.rms_norm", vec![v(sum), shape, v(w)]);
    let kernels = c.kernels(&[y, sum]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
}

#[test]
fn linear_bias_activation_is_one_kernel() {
    for activation in ["aten.relu", "aten.gelu", "aten.silu"] {
        let mut c = Case::new("linear");
        let (x, w, b) = (c.input(&[3, 11, 40]), c.parameter(&[70, 40]), c.parameter(&[70]));
        let y = c.op("aten.linear", vec![v(x), v(w), v(b)]);
        let y = c.op(activation, vec![v(y)]);
        let kernels = c.kernels(&[y]);
        assert_eq!(kernels.len(), 1, "{kernels:?}");
        assert_eq!(kernels[0].0, "gemm");
    }
}

#[test]
fn a_convolution_takes_its_normalization_residual_and_activation() {
    let mut c = Case::new("conv");
    let (x, residual) = (c.input(&[2, 8, 9, 9]), c.input(&[2, 16, 9, 9]));
    let w = c.parameter(&[16, 8, 3, 3]);
    let bn: Vec<Value> = (0..4).map(|_| c.parameter(&[16])).collect();
    let bn: Vec<Value> = bn.into_iter().map(|p| c.op("aten.abs", vec![v(p)])).collect();
    let (one, pad) = (c.ints(&[1, 1]), c.ints(&[1, 1]));
    let y = c.op("aten.conv2d", vec![v(x), v(w), Arg::None, one, pad]);
    let (momentum, eps, no) = (Arg::Float(0.1), Arg::Float(1e-5), Arg::Bool(false));
    let args = vec![v(y), v(bn[0]), v(bn[1]), v(bn[2]), v(bn[3]), no.clone(), momentum, eps, no];
    let y = c.op("aten.batch_norm", args);
    let y = c.op("aten.add.Tensor", vec![v(y), v(residual)]);
    let y = c.op("aten.relu", vec![v(y)]);
    let kernels = c.kernels(&[y]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
    assert_eq!(kernels[0].0, "convolution");
}

#[test]
fn reductions_of_one_input_share_a_pass() {
    let mut c = Case::new("reductions");
    let x = c.input(&[30, 40]);
    let a = c.op("aten.abs", vec![v(x)]);
    let most = c.op("aten.amax", vec![v(a)]);
    let mean = c.op("aten.mean", vec![v(a)]);
    let square = c.op("aten.mul.Tensor", vec![v(x), v(x)]);
    let power = c.op("aten.mean", vec![v(square)]);
    let kernels = c.kernels(&[most, mean, power]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
}

#[test]
fn column_sums_run_lanes_over_rows() {
    for shape in [[300, 70], [64, 1024], [5, 3]] {
        let mut c = Case::new("columns");
        let x = c.input(&shape);
        let y = c.op("aten.mul.Tensor", vec![v(x), v(x)]);
        let dim = c.ints(&[0]);
        let y = c.op("aten.sum.dim_IntList", vec![v(y), dim]);
        let kernels = c.kernels(&[y]);
        assert_eq!(kernels.len(), 1, "{kernels:?}");
    }
}

#[test]
fn projections_of_one_input_are_one_launch() {
    let mut c = Case::new("projections");
    let x = c.input(&[3, 11, 40]);
    let mut project = |columns: i64, scale: f64| {
        let (w, b) = (c.parameter(&[columns, 40]), c.parameter(&[columns]));
        let y = c.op("aten.linear", vec![v(x), v(w), v(b)]);
        c.op("aten.mul.Scalar", vec![v(y), Arg::Float(scale)])
    };
    let outputs = [project(64, 0.125), project(64, 1.0), project(32, 3.0)];
    let kernels = c.kernels(&outputs);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
    assert_eq!(kernels[0].0, "gemm");
}

#[test]
fn independent_loops_are_one_launch_and_dependent_ones_are_not() {
    let mut c = Case::new("apart");
    let (a, b) = (c.input(&[70, 33]), c.input(&[60, 40]));
    let (x, y) = (c.op("aten.exp", vec![v(a)]), c.op("aten.sin", vec![v(b)]));
    let kernels = c.kernels(&[x, y]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");

    let mut c = Case::new("chain");
    let (x, w) = (c.input(&[8, 16]), c.parameter(&[16, 16]));
    let y = c.op("aten.linear", vec![v(x), v(w)]);
    let z = c.op("aten.linear", vec![v(y), v(w)]);
    let kernels = c.kernels(&[z]);
    assert_eq!(kernels.len(), 2, "{kernels:?}");
}

#[test]
fn a_layer_of_gpt2_is_seven_kernels() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gpt2_tiny.pt2");
    let graph = litz::frontend::pt2::read(&path).unwrap();
    let mut options = Options::new();
    options.set("backend", "cpu").unwrap();
    let described = session::compile(&graph, &options).unwrap().describe();
    let described: serde_json::Value = serde_json::from_str(&described).unwrap();
    let kernels: Vec<_> =
        described["kernels"].as_array().unwrap().iter().filter(|k| k["stage"] == "run").collect();
    // Two layers; embeddings with their first norm are in the first, a last norm and the logits come after.
    assert_eq!(kernels.len(), 2 * 7 + 2, "{kernels:#?}");
    assert_eq!(kernels.iter().filter(|k| k["kind"] == "attention").count(), 2);
}

/// The arena, with what two threads need for themselves, is little larger than what lies in it at the worst moment.
#[test]
fn memory_is_close_to_what_is_live() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut models: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    // Those that have inputs and results beside them: whole models.
    models.retain(|p| p.extension().is_some_and(|e| e == "pt2") && p.with_extension("safetensors").exists());
    assert!(models.len() > 10, "{models:?}");
    for path in models {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let graph = litz::frontend::pt2::read(&path).unwrap();
        let mut options = Options::new();
        options.set("backend", "cpu").unwrap();
        options.set("cpu.threads", "2").unwrap();
        let described = session::compile(&graph, &options).unwrap().describe();
        let described: serde_json::Value = serde_json::from_str(&described).unwrap();
        let bytes = |key: &str| described[key].as_f64().unwrap();
        let (arena, live) = (bytes("typical_arena_bytes"), bytes("live_bytes"));
        // What lies in slots is live, but not in the arena. Buffers begin at multiples of 64 bytes, which is much of a few hundred.
        assert!(arena <= 1.2 * live + 256.0, "{name}: {arena} for {live}");
        let steps = described["kernels"].as_array().unwrap().iter().any(|k| k["kind"] == "gemm");
        assert!(!steps || live > 0.0, "{name}");
    }
}

/// A cache that a program writes to and reads takes no memory but its own.
#[test]
fn caches_are_written_where_they_lie() {
    for how in ["index_copy", "slice", "add", "flip"] {
        let mut c = Case::new("cache");
        let cache = c.input(&[2, 4, 32, 8]);
        let x = c.input(&[2, 4, 2, 8]);
        let (at, step) = (c.int(2), c.int(1));
        let new = match how {
            "index_copy" => {
                let (low, high) = (c.int(5), c.int(7));
                let at_rows = c.op("aten.arange.start", vec![low, high]);
                c.op("aten.index_copy", vec![v(cache), at, v(at_rows), v(x)])
            }
            "slice" => {
                let (low, high) = (c.int(3), c.int(5));
                c.op("aten.slice_scatter", vec![v(cache), v(x), at, low, high, step])
            }
            "add" => c.op("aten.exp", vec![v(cache)]),
            // Not at the point that it is written to: a copy is needed.
            _ => {
                let last = c.ints(&[3]);
                c.op("aten.flip", vec![v(cache), last])
            }
        };
        c.graph.writes.push(litz::ir::Write { target: litz::ir::Definition::Input(0), value: new });
        let dim = c.ints(&[3]);
        let y = c.op("aten.sum.dim_IntList", vec![v(new), dim]);
        let z = c.op("aten.exp", vec![v(y)]);
        c.graph.add_output("z", OutputValue::Tensor(z));
        let run = |backend: &str| {
            let mut options = Options::new();
            options.set("backend", backend).unwrap();
            let program = session::compile(&c.graph, &options).unwrap();
            let inputs: Vec<Tensor> = c
                .inputs
                .iter()
                .map(|t| Tensor::from_bytes(t.dtype(), t.shape(), t.bytes()).unwrap())
                .collect();
            let pointers: Vec<*const litz::types::dlpack::DLTensor> =
                inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
            // SAFETY: the tensors are as they say, and nothing else uses them.
            let results = unsafe { program.run(&pointers, None) }.unwrap();
            let described: serde_json::Value = serde_json::from_str(&program.describe()).unwrap();
            (floats(&results[0]), floats(&inputs[0]), described["typical_arena_bytes"].as_u64().unwrap())
        };
        let ((got, left, arena), (want, expected, _)) = (run("cpu"), run("interpreter"));
        let near =
            |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs().max(1.0));
        assert!(near(&got, &want) && near(&left, &expected), "{how}");
        let cache_bytes = 2 * 4 * 32 * 8 * 4;
        assert_eq!(arena < cache_bytes, how != "flip", "{how}: {arena}");
    }
}

/// A layer's recurrence is one kernel whatever the length of the sequence, which need not be known.
#[test]
fn a_recurrent_layer_is_a_product_and_one_loop_of_any_length() {
    let mut c = Case::new("gru");
    let syms = Arc::clone(&c.graph.syms);
    let steps = syms.symbol("t", Range::new(1, 1000), Some(20));
    c.graph.symbols.push(steps);
    let shape = vec![steps, syms.constant(3), syms.constant(5)];
    let x = c.graph.add_input("x", TensorMeta::contiguous(&syms, Dtype::Float32, shape));
    let params: Vec<Option<Value>> =
        [&[27, 5][..], &[27, 9], &[27], &[27]].map(|s| Some(c.parameter(s))).into();
    let first = c.parameter(&[1, 3, 9]);
    let no = Arg::Bool(false);
    let args = vec![
        v(x),
        v(first),
        Arg::Values(params),
        Arg::Bool(true),
        c.int(1),
        Arg::Float(0.0),
        no.clone(),
        no.clone(),
        no,
    ];
    let all = Builder::new(&mut c.graph).call_named("aten.gru.input", args, Vec::new()).unwrap();
    for (k, value) in all.iter().enumerate() {
        c.graph.add_output(&format!("y{k}"), OutputValue::Tensor(*value));
    }
    let compile = |backend: &str| {
        let mut options = Options::new();
        options.set("backend", backend).unwrap();
        session::compile(&c.graph, &options).unwrap()
    };
    let (fast, slow) = (compile("cpu"), compile("interpreter"));
    let described: serde_json::Value = serde_json::from_str(&fast.describe()).unwrap();
    let of_runs = described["kernels"].as_array().unwrap().iter().filter(|k| k["stage"] == "run");
    let kinds: Vec<&str> = of_runs.map(|k| k["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.iter().filter(|k| **k == "recurrence").count(), 1, "{kinds:?}");
    assert!(kinds.len() <= 3, "{kinds:?}");
    for steps in [1, 2, 333] {
        let x = Tensor::from_bytes(Dtype::Float32, &[steps, 3, 5], &c.numbers(&[steps, 3, 5])).unwrap();
        let (got, want) = (fast.run_tensors(&[&x]).unwrap(), slow.run_tensors(&[&x]).unwrap());
        for (a, b) in got.iter().zip(&want) {
            assert_eq!(a.shape(), b.shape());
            for (x, y) in floats(a).into_iter().zip(floats(b)) {
                assert!((x - y).abs() <= 1e-4, "{steps} steps: {x} is not {y}");
            }
        }
        // The hidden values after the last step are those of the last step.
        assert_eq!(floats(&got[0])[(steps as usize - 1) * 27..], floats(&got[1]));
    }
}

#[test]
fn a_product_computes_its_left_operand_on_the_way() {
    let mut c = Case::new("prologue");
    let (x, scale, w) = (c.input(&[3, 20, 40]), c.input(&[3, 1, 40]), c.parameter(&[70, 40]));
    let scaled = c.op("aten.mul.Tensor", vec![v(x), v(scale)]);
    let y = c.op("aten.relu", vec![v(scaled)]);
    let y = c.op("aten.linear", vec![v(y), v(w)]);
    let kernels = c.kernels(&[y]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
    assert_eq!(kernels[0].0, "gemm");

    // What costs more than a look is computed once.
    let mut c = Case::new("dear");
    let (x, w) = (c.input(&[20, 40]), c.parameter(&[70, 40]));
    let y = c.op("aten.gelu", vec![v(x)]);
    let y = c.op("aten.linear", vec![v(y), v(w)]);
    assert_eq!(c.kernels(&[y]).len(), 2);
}

#[test]
fn a_convolution_of_one_by_one_computes_its_image_on_the_way() {
    for (groups, side, count) in [(1, 1, 1), (2, 1, 1), (1, 3, 2)] {
        let mut c = Case::new("prologue");
        let (x, scale) = (c.input(&[2, 8, 5, 7]), c.input(&[2, 8, 1, 1]));
        let w = c.parameter(&[16, 8 / groups, side, side]);
        let gate = c.op("aten.sigmoid", vec![v(scale)]);
        let y = c.op("aten.mul.Tensor", vec![v(x), v(gate)]);
        let (one, none, groups) = (c.ints(&[1, 1]), c.ints(&[0, 0]), c.int(groups));
        let y = c.op("aten.conv2d", vec![v(y), v(w), Arg::None, one.clone(), none, one, groups]);
        let y = c.op("aten.relu", vec![v(y)]);
        let kernels = c.kernels(&[y]);
        assert_eq!(kernels.len(), count, "{kernels:?}");
        assert_eq!(kernels[count - 1].0, "convolution");
    }
}

#[test]
fn pointwise_operators_of_one_input_read_it_once() {
    let mut c = Case::new("siblings");
    let (a, b) = (c.input(&[40, 50]), c.input(&[50, 40]));
    let (zero, one) = (c.int(0), c.int(1));
    let turned = c.op("aten.transpose.int", vec![v(b), zero, one]);
    let x = c.op("aten.add.Tensor", vec![v(a), v(turned)]);
    let y = c.op("aten.exp", vec![v(a)]);
    let kernels = c.kernels(&[x, y]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
}

/// Tiles of rows, whole and at the edges, with several dimensions before them.
#[test]
fn transposed_operands_are_read_by_tiles() {
    for (rows, columns) in [(16, 16), (37, 50), (64, 5), (17, 200)] {
        let mut c = Case::new("turned");
        let (a, b) = (c.input(&[3, rows, columns]), c.input(&[3, columns, rows]));
        let bias = c.input(&[columns]);
        let (one, two) = (c.int(1), c.int(2));
        let turned = c.op("aten.transpose.int", vec![v(b), one, two]);
        let x = c.op("aten.mul.Tensor", vec![v(a), v(turned)]);
        let y = c.op("aten.add.Tensor", vec![v(x), v(bias)]);
        let kernels = c.kernels(&[y]);
        assert_eq!(kernels.len(), 1, "{kernels:?}");
    }
}
