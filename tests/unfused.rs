//! Regions that run one operator at a time: marked by a call, in a graph's text and in an exported program.

use litz::ir::text::print;
use litz::ir::{Graph, NodeId};
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;

mod common;
use common::graphs;

/// Elementwise chains, a product with an epilogue, a softmax, and operators on a constant alone.
const GRAPH: &str = r#"graph "g" {
  input %0 "x": float32[8, 16]
  constant %1 "w": float32[16, 16] = seeded 1 mean 0.0 spread 0.5
  %2 = aten.relu.default(%0)
  %3 = aten.mul.Scalar(%1, 2.0)
  %4 = aten.sin.default(%3)
  %5 = aten.mm.default(%2, %4)
  %6 = aten.t.default(%5)
  %7 = aten.neg.default(%6)
  %8 = aten.exp.default(%7)
  %9 = aten.softmax.int(%8, 1)
  %10 = aten.add.Scalar(%9, 1.0)
  %11 = aten.mul.Tensor(%10, %10)
  %12 = aten.cos.default(%11)
  output "y" = %12
}"#;

fn options(backend: &str) -> Options {
    let mut options = match backend {
        "cuda" => graphs::cuda("90", &[]),
        _ => Options::new(),
    };
    if backend != "cuda" {
        options.set("backend", backend).expect("a backend");
    }
    options
}

/// The operators of each kernel.
fn kernels(graph: &Graph, backend: &str) -> Vec<Vec<String>> {
    let plan = session::plan(graph, &options(backend)).unwrap_or_else(|e| panic!("{backend}: {e}"));
    let described: serde_json::Value = serde_json::from_str(&plan.metadata).expect("JSON");
    let names = |k: &serde_json::Value| {
        let operators = k["operators"].as_array().expect("operators").iter();
        operators.map(|o| o.as_str().expect("a name").to_string()).collect()
    };
    described["kernels"].as_array().expect("kernels").iter().map(names).collect()
}

/// Marks the nodes of these operators.
fn marked(names: &[&str]) -> Graph {
    let mut graph = parse(GRAPH).expect("a graph");
    let is_named = |graph: &Graph, id: &NodeId| names.iter().any(|n| graph.nodes[*id].name().contains(n));
    let found: Vec<NodeId> = graph.order.iter().copied().filter(|id| is_named(&graph, id)).collect();
    found.into_iter().for_each(|id| graph.unfuse(id));
    graph
}

fn input() -> Tensor {
    let bytes: Vec<u8> = (0..128).flat_map(|k| ((k * 37 % 64) as f32 / 32.0 - 1.0).to_le_bytes()).collect();
    Tensor::from_bytes(Dtype::Float32, &[8, 16], &bytes).expect("memory")
}

fn run(graph: &Graph, backend: &str) -> Vec<f32> {
    let program = session::compile(graph, &options(backend)).unwrap_or_else(|e| panic!("{backend}: {e}"));
    let out = program.run_tensors(&[&input()]).expect("it runs");
    out[0].bytes().chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

const ALL: [&str; 11] =
    ["relu", "mul.Scalar", "sin", "mm", "aten.t.", "neg", "exp", "softmax", "add", "mul.Tensor", "cos"];

/// Kernels that compute operators of two kinds, of those that the user's graph has.
fn mixed(kernels: &[Vec<String>]) -> Vec<&Vec<String>> {
    let of_user = |name: &String| ALL.iter().any(|n| name.contains(n));
    kernels.iter().filter(|names| names.iter().filter(|n| of_user(n)).count() > 1).collect()
}

#[test]
fn each_operator_of_a_region_is_a_kernel_of_its_own() {
    let (plain, apart) = (marked(&[]), marked(&ALL));
    for backend in ["cpu", "cuda"] {
        let fused = kernels(&plain, backend);
        assert!(!mixed(&fused).is_empty(), "{backend}: {fused:?}");
        let unfused = kernels(&apart, backend);
        assert!(unfused.len() > fused.len(), "{backend}: {unfused:?}");
        // The loops of the softmax are its own, and the transposition is none.
        for name in ALL.iter().filter(|n| **n != "softmax" && **n != "aten.t.") {
            let found = unfused.iter().filter(|k| k.iter().any(|o| o.contains(name))).count();
            assert!(found >= 1, "{backend}: {name} in {unfused:?}");
        }
        assert_eq!(mixed(&unfused), Vec::<&Vec<String>>::new(), "{backend}");
    }
    let unfused = kernels(&apart, "interpreter");
    assert_eq!(mixed(&unfused), Vec::<&Vec<String>>::new());
}

/// What is outside is fused as before, and with nothing inside.
#[test]
fn the_rest_fuses_without_the_region() {
    let graph = marked(&["exp", "add"]);
    for backend in ["cpu", "cuda"] {
        let kernels = kernels(&graph, backend);
        let with = |name: &str| -> Vec<&Vec<String>> {
            kernels.iter().filter(|k| k.iter().any(|o| o.contains(name))).collect()
        };
        for name in ["exp", "aten.add.Scalar"] {
            assert_eq!(with(name), [&vec![with(name)[0][0].clone()]], "{backend}: {kernels:?}");
        }
        assert!(with("mul.Tensor")[0].iter().any(|o| o.contains("cos")), "{backend}: {kernels:?}");
    }
}

#[test]
fn results_are_those_of_the_fused_program() {
    let want = run(&marked(&[]), "interpreter");
    for names in [&ALL[..], &["exp", "add"]] {
        for backend in ["cpu", "interpreter"] {
            let got = run(&marked(names), backend);
            for (a, b) in got.iter().zip(&want) {
                assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{backend}: {a} is not {b}");
            }
        }
    }
}

/// What passes would put into one kernel before anything is scheduled.
#[test]
fn passes_leave_a_region_apart() {
    let norm = r#"  input %0 "x": float32[1, 4, 8, 8]
  constant %1 "w": float32[4, 4, 3, 3] = seeded 1 mean 0.0 spread 0.5
  constant %2 "v": float32[4] = seeded 2 mean 2.0 spread 0.1
  constant %3 "m": float32[4] = seeded 3 mean 0.0 spread 0.5
  %4 = aten.conv2d.default(%0, %1)
  %5 = aten.batch_norm.default(%4, %2, %3, %3, %2, false, 0.1, 1e-5, false)
  output "y" = %5"#;
    let weight = r#"  input %0 "x": float32[4, 128]
  constant %1 "w": int8[128, 64] = seeded 1 from -128 to 127
  constant %2 "s": float32[64] = seeded 2 mean 1.0 spread 0.1
  %3 = aten.to.dtype(%1, float32)
  %4 = aten.mul.Tensor(%3, %2)
  %5 = aten.mm.default(%0, %4)
  output "y" = %5"#;
    let rounded = r#"  input %0 "x": float16[64, 64]
  input %1 "y": float16[64, 64]
  %2 = aten.to.dtype(%0, float32)
  %3 = aten.to.dtype(%1, float32)
  %4 = aten.mm.default(%2, %3)
  %5 = aten.to.dtype(%4, float16)
  %6 = aten.mm.default(%5, %5)
  output "y" = %6"#;
    let looked_up = r#"  input %0 "x": float32[256, 1024]
  input %1 "k": int64[256, 1]
  %2 = aten.exp.default(%0)
  %3 = aten.gather.default(%2, 1, %1)
  output "y" = %3"#;
    let unpacked = r#"  input %0 "x": float32[4, 128]
  constant %1 "w": int8[128, 64] = seeded 1 from -128 to 127
  %2 = aten.to.dtype(%1, float32)
  %3 = aten.mm.default(%0, %2)
  output "y" = %3"#;
    let coded = r#"  input %0 "x": bfloat16[4, 4096]
  constant %1 "w": int8[128, 4096] = seeded 1 from -128 to 127
  %2 = aten.to.dtype(%1, bfloat16)
  %3 = aten.linear.default(%0, %2)
  output "y" = %3"#;
    let attention = r#"  input %0 "q": float16[2, 4, 64, 64]
  input %1 "k": float16[2, 4, 64, 64]
  %2 = aten.matmul.default(%0, %1)
  %3 = aten.softmax.int(%2, -1)
  %4 = aten.matmul.default(%3, %1)
  output "y" = %4"#;
    let cases: [(&str, &[&str]); 3] = [
        (norm, &["conv2d", "aten.add.Tensor"]),
        (weight, &["aten.to.dtype", "mul", "aten.mm"]),
        (attention, &["matmul", "softmax"]),
    ];
    let graph_of = |text: &str, marked: bool| {
        let text = format!("graph \"g\" {{\n{text}\n}}");
        let mut graph = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let nodes: Vec<NodeId> = graph.order.iter().copied().filter(|_| marked).collect();
        nodes.into_iter().for_each(|id| graph.unfuse(id));
        graph
    };
    // A product writes halves where nothing else is read of it, and few elements are computed where data place them: then a kernel
    // does not name all that it computes.
    type Counts = [(&'static str, usize); 2];
    let counted: [(&str, &[&str], Counts); 4] = [
        (rounded, &["cpu", "cuda"], [("aten.to.dtype", 3), ("aten.mm", 2)]),
        (looked_up, &["cpu", "cuda"], [("exp", 1), ("gather", 1)]),
        (unpacked, &["cpu", "cuda"], [("aten.to.dtype", 1), ("aten.mm", 1)]),
        (coded, &["cuda"], [("aten.to.dtype", 1), ("aten.linear", 1)]),
    ];
    for (text, backends, counts) in counted {
        for backend in backends {
            let [fused, apart] = [false, true].map(|marked| kernels(&graph_of(text, marked), backend));
            // A product may have a kernel that packs its operand.
            let alone = |kernels: &[Vec<String>], name: &str| {
                kernels.iter().filter(|k| k.len() == 1 && k[0].contains(name)).count()
            };
            let has_all =
                |kernels: &[Vec<String>]| counts.iter().all(|(name, count)| alone(kernels, name) >= *count);
            assert!(!has_all(&fused), "{backend}: {fused:?}");
            assert!(has_all(&apart), "{backend}: {apart:?}");
        }
    }
    for (text, names) in cases {
        let mixed = |marked: bool| {
            let graph = graph_of(text, marked);
            let all = ["cpu", "cuda"].map(|backend| kernels(&graph, backend)).concat();
            let counts =
                all.iter().map(|k| names.iter().filter(|n| k.iter().any(|o| o.contains(**n))).count());
            let counts: Vec<usize> = counts.collect();
            (counts.iter().filter(|n| **n > 1).count(), all)
        };
        let (fused, all) = mixed(false);
        assert!(fused > 0, "{all:?}");
        let (fused, all) = mixed(true);
        assert_eq!(fused, 0, "{all:?}");
    }
}

#[test]
fn equal_operators_of_a_region_are_computed_each() {
    let text = "graph \"g\" {\n  input %0 \"x\": float32[64]\n  %1 = aten.sin.default(%0)\n  %2 = aten.sin.default(%0)\n  %3 = aten.mul.Tensor(%1, %2)\n  output \"y\" = %3\n}";
    let mut graph = parse(text).expect("a graph");
    assert_eq!(kernels(&graph, "cpu").len(), 1);
    for id in graph.order.iter().copied().collect::<Vec<_>>() {
        graph.unfuse(id);
    }
    assert_eq!(kernels(&graph, "cpu").len(), 3);
}

#[test]
fn a_mark_stays_in_the_text() {
    let graph = marked(&["exp", "add"]);
    let text = print(&graph);
    assert!(text.contains("unfused") && text.contains(" from ["), "{text}");
    let again = parse(&text).expect("its own text");
    assert_eq!(print(&again), text);
    assert_eq!(kernels(&again, "cpu"), kernels(&graph, "cpu"));
    let by_hand = GRAPH
        .replace("  input", "  origin 0 \"e\" \"aten.exp.default\" unfused\n  input")
        .replace("exp.default(%7)", "exp.default(%7) from [0]");
    let by_hand = parse(&by_hand).unwrap_or_else(|e| panic!("{e}\n{by_hand}"));
    assert!(kernels(&by_hand, "cpu").contains(&vec!["aten.exp.default".to_string()]));
}

#[test]
fn the_gradient_of_a_region_is_of_the_region() {
    let text = "graph \"g\" {\n  input %0 \"x\": float32[64]\n  input %9 \"d\": float32[]\n  %1 = aten.sin.default(%0)\n  %2 = aten.exp.default(%1)\n  %3 = aten.sum.default(%2)\n}";
    let of = |marked: bool| {
        let mut graph = parse(text).expect("a graph");
        let nodes: Vec<NodeId> = graph.order.iter().copied().filter(|_| marked).collect();
        let values: Vec<_> = graph.order.iter().map(|id| graph.nodes[*id].outputs[0]).collect();
        nodes.into_iter().for_each(|id| graph.unfuse(id));
        let [x, d] = [0, 1].map(|k| graph.inputs[k].value);
        let outputs = [(values[2], Some(d))];
        let found = litz::differentiate::gradients(&mut graph, &outputs, &[x]).expect("a gradient");
        graph.add_output("dx", litz::ir::OutputValue::Tensor(found[0].expect("it depends on x")));
        kernels(&graph, "cpu")
    };
    assert_eq!(of(false).len(), 1);
    let apart = of(true);
    let with = |name: &str| apart.iter().filter(|k| k.iter().any(|o| o.contains(name))).count();
    assert_eq!((apart.len(), with("sin"), with("exp"), with("cos")), (3, 1, 1, 1), "{apart:?}");
}

/// The branches of a `cond` that is marked are marked.
#[test]
fn a_region_holds_the_graphs_of_its_nodes() {
    let branch = |name: &str, last: &str| {
        format!(
            "graph \"{name}\" {{\n  input %10 \"x\": float32[32]\n  %11 = aten.exp.default(%10)\n  %12 = aten.{last}.default(%11)\n  output \"y\" = %12\n}}"
        )
    };
    let text = format!(
        "graph \"g\" {{\n  input %0 \"p\": bool[]\n  input %1 \"x\": float32[32]\n  %2 = higher_order.cond.default(%0, {}, {}, [%1])\n  output \"y\" = %2\n}}",
        branch("a", "sin"),
        branch("b", "cos")
    );
    let mut graph = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let own = |graph: &Graph| -> usize {
        kernels(graph, "cpu").iter().filter(|k| k.len() == 1 && k[0].contains("exp")).count()
    };
    assert_eq!(own(&graph), 0);
    for id in graph.order.iter().copied().collect::<Vec<_>>() {
        graph.unfuse(id);
    }
    assert_eq!(own(&graph), 2);
    let program = session::compile(&graph, &options("cpu")).expect("it compiles");
    let given: Vec<u8> = (0..32).flat_map(|k| (k as f32 / 16.0).to_le_bytes()).collect();
    let x = Tensor::from_bytes(Dtype::Float32, &[32], &given).expect("memory");
    for (truth, function) in [(1u8, f32::sin as fn(f32) -> f32), (0, f32::cos)] {
        let p = Tensor::from_bytes(Dtype::Bool, &[], &[truth]).expect("memory");
        let out = program.run_tensors(&[&p, &x]).expect("it runs");
        for (k, c) in out[0].bytes().chunks(4).enumerate() {
            let (got, want) = (f32::from_le_bytes(c.try_into().unwrap()), function((k as f32 / 16.0).exp()));
            assert!((got - want).abs() < 1e-5, "{k}: {got} is not {want}");
        }
    }
}

/// `torch.fx.traceback.annotate({"litz": "unfused"})` around `sin(2 * y)`; tests/unfused.py writes it.
#[test]
fn an_annotation_of_an_export_is_such_a_mark() {
    let graph = litz::frontend::from_pt2(&common::root().join("tests/data/unfused.pt2")).expect("it is read");
    let found = kernels(&graph, "cpu");
    let names: Vec<String> = found.iter().map(|k| k.join(" ")).collect();
    assert_eq!(names, ["aten.relu.default", "aten.mul.Scalar", "aten.sin.default", "aten.add.Scalar"]);
}
