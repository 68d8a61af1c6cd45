//! Mixed precision: what PyTorch's autocast computes (tests/autocast.py writes it), and where casts stand.

use litz::frontend::from_pt2;
use litz::ir::Graph;
use litz::ir::text::print;
use litz::meta::text::parse;
use litz::ops::autocast::Lists;
use litz::passes::Autocast;
use litz::runtime::Tensor;
use litz::session::{self, Options, Training};
use litz::types::Dtype;
use safetensors::SafeTensors;
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn options(amp: &str) -> Options {
    let mut options = Options::default();
    // As a key, which stays where others are set.
    options.set("backend", "interpreter").expect("a backend");
    options.set("amp", amp).expect("a precision");
    options
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().expect("four bytes"))).collect()
}

fn input(file: &SafeTensors<'_>) -> Tensor {
    let view = file.tensor("in0").expect("an input");
    let shape: Vec<i64> = view.shape().iter().map(|n| *n as i64).collect();
    Tensor::from_bytes(Dtype::Float32, &shape, view.data()).expect("memory")
}

/// How far a tensor is from what PyTorch has, relative to the largest number.
fn distance(got: &Tensor, file: &SafeTensors<'_>, name: &str) -> f32 {
    assert_eq!(got.dtype(), Dtype::Float32, "{name}");
    let (got, want) = (numbers(got.bytes()), numbers(file.tensor(name).expect(name).data()));
    assert_eq!(got.len(), want.len(), "{name}");
    let largest = want.iter().fold(1e-6f32, |m, x| m.max(x.abs()));
    // A NaN is far from everything.
    got.iter().zip(&want).map(|(a, b)| (a - b).abs() / largest).fold(0.0, |m, d| if d <= m { m } else { d })
}

#[test]
fn outputs_and_gradients_are_those_of_autocast() {
    let graph = from_pt2(&data("autocast.pt2")).expect("it is read");
    let bytes = std::fs::read(data("autocast.safetensors")).expect("results");
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    let x = input(&file);
    // Sums in another order round to a neighbour in the lower precision here and there.
    for (amp, near) in [("bfloat16", 1.0 / 128.0), ("float16", 1.0 / 1024.0)] {
        let run = |amp: &str| {
            let program = session::compile(&graph, &options(amp)).expect("it compiles");
            program.run_tensors(&[&x]).expect("it runs")
        };
        let (got, plain) = (run(amp), run("off"));
        let name = format!("{amp}.out1");
        let (off, without) = (distance(&got[1], &file, &name), distance(&plain[1], &file, &name));
        assert!(off < without / 4.0, "{name}: {off}, and {without} without mixed precision");
        assert!(distance(&got[0], &file, &format!("{amp}.out0")) < near, "{amp}: the loss");

        let training = Training::compile(&graph, &options(amp)).expect("it compiles");
        let one = Tensor::from_bytes(Dtype::Float32, &[], &1f32.to_ne_bytes()).expect("memory");
        let ones: Vec<u8> = (0..32).flat_map(|_| 1f32.to_ne_bytes()).collect();
        let ones = Tensor::from_bytes(Dtype::Float32, &[4, 8], &ones).expect("memory");
        // SAFETY: own tensors are as they say, and the program writes to none.
        let gradients = unsafe {
            let forward = training.forward_program();
            let (_, saved) =
                training.forward(forward, &[std::ptr::from_ref(x.dl())], None).expect("a forward");
            let backward = training.backward_program().expect("a backward");
            let weights = [Some(std::ptr::from_ref(one.dl())), Some(std::ptr::from_ref(ones.dl()))];
            training.backward(backward, &saved, &weights, None).expect("gradients")
        };
        let mut compared = 0;
        for ((given, _), gradient) in training.gradients.iter().zip(gradients) {
            let name = format!("{amp}.gradient of {}", given.name());
            if file.tensor(&name).is_ok() {
                let off = distance(&gradient.expect("a gradient"), &file, &name);
                assert!(off < near, "{name}: {off}");
                compared += 1;
            }
        }
        assert_eq!(compared, 10);
    }
}

#[test]
fn regions_of_a_program_have_their_own_precision() {
    let graph = from_pt2(&data("autocast_regions.pt2")).expect("it is read");
    let bytes = std::fs::read(data("autocast_regions.safetensors")).expect("results");
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    let program = session::compile(&graph, &options("off")).expect("it compiles");
    let got = program.run_tensors(&[&input(&file)]).expect("it runs");
    for (k, near) in [(0, 1.0 / 128.0), (1, 1e-3), (2, 1e-3)] {
        let off = distance(&got[k], &file, &format!("out{k}"));
        assert!(off < near, "output {k}: {off}");
    }
    // In the text, too: what the region holds is not cast by an option.
    let again = parse(&print(&graph)).expect("its own text");
    assert_eq!(casts(&again, Lists::Cpu), casts(&graph, Lists::Cpu));
    let outside = casts(&graph, Lists::Cpu) - of_op(&graph, "aten._to_copy.default");
    // Two products of three operands each stand outside of it, and the last one's result is an output.
    assert_eq!(outside, 7, "{}", print(&graph));
}

fn of_op(graph: &Graph, name: &str) -> usize {
    graph.order.iter().filter(|id| graph.nodes[**id].op.name() == name).count()
}

/// How many casts a graph has in bfloat16 by these lists.
fn casts(graph: &Graph, lists: Lists) -> usize {
    let mut graph = graph.clone();
    Autocast { lower: Dtype::Bfloat16, lists }.run(&mut graph).expect("casts");
    of_op(&graph, "aten._to_copy.default")
}

/// The dtypes of nodes in order, in lower precision.
fn dtypes(lists: Lists, nodes: &[&str]) -> Vec<String> {
    let nodes: String = nodes.iter().map(|n| format!("  {n}\n")).collect();
    let text = format!(
        "graph \"g\" {{\n  input %0 \"x\": float32[4, 4]\n  input %1 \"y\": float64[4, 4]\n{nodes}  output \"z\" = %2\n}}\n"
    );
    let mut graph = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Autocast { lower: Dtype::Float16, lists }.run(&mut graph).expect("casts");
    litz::ir::verify(&graph, false).expect("a graph");
    let all = graph.order.iter().map(|id| &graph.nodes[*id]);
    let own = all.filter(|n| n.op.name() != "aten._to_copy.default");
    let list = own.map(|n| graph.meta(n.outputs[0]).dtype.to_string()).collect();
    let out = graph.outputs.iter().map(|o| match o.value {
        litz::ir::OutputValue::Tensor(v) => graph.meta(v).dtype,
        litz::ir::OutputValue::Number(_) => Dtype::Float64,
    });
    assert!(out.eq([graph_of(&text)]), "the signature stays");
    list
}

fn graph_of(text: &str) -> Dtype {
    let graph = parse(text).expect("a graph");
    match graph.outputs[0].value {
        litz::ir::OutputValue::Tensor(v) => graph.meta(v).dtype,
        litz::ir::OutputValue::Number(_) => Dtype::Float64,
    }
}

#[test]
fn lists_of_a_cpu_and_of_a_gpu_differ() {
    let nodes = [
        "%2 = aten.mm.default(%0, %0)",
        "%3 = aten.exp.default(%2)",
        "%4 = aten.softmax.int(%2, 1)",
        "%5 = aten.sum.default(%2)",
        "%6 = aten.mul.Tensor(%2, %0)",
        "%7 = aten.addcmul.default(%2, %2, %0)",
        "%8 = aten.cat.default([%2, %0])",
        "%9 = aten.mse_loss.default(%2, %0)",
        "%10 = aten.mm.default(%1, %1)",
    ];
    let found = |lists| dtypes(lists, &nodes).join(" ");
    assert_eq!(found(Lists::Cpu), "float16 float16 float16 float16 float32 float32 float32 float32 float64");
    assert_eq!(found(Lists::Cuda), "float16 float32 float32 float32 float32 float32 float32 float32 float64");
}

/// What writes to a tensor keeps its dtype, and reads what was written before it.
#[test]
fn writes_stay_in_order() {
    let nodes = [
        "%2 = aten.mm.default(%0, %0)",
        "%3 = aten.relu_.default(%2)",
        "%4 = aten.exp.default(%3)",
        "%5 = aten.mm.default(%2, %4)",
    ];
    assert_eq!(dtypes(Lists::Cuda, &nodes).join(" "), "float16 float16 float32 float16");
}

#[test]
fn a_loss_that_autocast_bans_is_refused_by_name() {
    let text = "graph \"g\" {\n  input %0 \"x\": float32[4]\n  %1 = aten.binary_cross_entropy.default(%0, %0)\n  output \"z\" = %1\n}\n";
    let mut graph = parse(text).expect("a graph");
    let error = Autocast { lower: Dtype::Float16, lists: Lists::Cuda }.run(&mut graph).expect_err("refused");
    assert!(error.to_string().contains("aten.binary_cross_entropy.default"), "{error}");
    Autocast { lower: Dtype::Float16, lists: Lists::Cpu }.run(&mut graph).expect("a CPU has it in float32");
}

#[test]
fn another_precision_is_refused() {
    let mut options = Options::default();
    let error = options.set("amp", "float8_e4m3fn").expect_err("no such value").to_string();
    assert!(error.contains("off, bfloat16 or float16"), "{error}");
}
