//! Kernels for GPUs: what the schedule makes of whole models, and that NVRTC takes every kernel, for three generations. No
//! GPU is needed; `scripts/test-gpu` runs programs on one. `scripts/nvrtc` gets the compiler.
#![cfg(feature = "cuda")]

use litz::frontend::pt2;
use litz::ir::{Arg, Graph, OutputValue};
use litz::meta::Builder;
use litz::session::{self, Options};
use litz::types::{Dtype, TensorMeta};
use serde_json::Value;
use std::path::Path;

/// What describe says of a graph compiled for an architecture.
fn describe(graph: &Graph, arch: &str) -> Value {
    let mut options = Options::new();
    options.set("backend", "cuda").unwrap();
    options.set("cuda.arch", arch).unwrap();
    let plan = session::plan(graph, &options).unwrap_or_else(|e| {
        panic!("{arch}: {e}\n{}", e.output().unwrap_or("run scripts/nvrtc for the compiler"))
    });
    serde_json::from_str(&plan.metadata).unwrap()
}

/// The kinds of the kernels of a run, in order.
fn kinds(description: &Value) -> Vec<String> {
    let kernels = description["kernels"].as_array().unwrap();
    let run = kernels.iter().filter(|k| k["stage"] == "run");
    run.map(|k| k["kind"].as_str().unwrap().to_string()).collect()
}

/// The kinds of kernels of a graph over bfloat16 inputs, for Hopper.
fn kinds_of(
    shapes: &[&[i64]],
    build: impl FnOnce(&mut Graph, &[litz::ir::Value]) -> Vec<litz::ir::Value>,
) -> Vec<String> {
    let mut graph = Graph::new("case");
    let mut inputs = Vec::new();
    for (k, shape) in shapes.iter().enumerate() {
        let sizes = shape.iter().map(|n| graph.syms.constant(*n)).collect();
        let meta = TensorMeta::contiguous(&graph.syms, Dtype::Bfloat16, sizes);
        inputs.push(graph.add_input(&format!("x{k}"), meta));
    }
    for (k, output) in build(&mut graph, &inputs).into_iter().enumerate() {
        graph.add_output(&format!("y{k}"), OutputValue::Tensor(output));
    }
    kinds(&describe(&graph, "90"))
}

fn op(graph: &mut Graph, name: &str, args: Vec<Arg>) -> litz::ir::Value {
    Builder::new(graph).op(name, args).unwrap()
}

#[test]
fn what_shares_a_kernel_on_a_gpu() {
    let wide: &[i64] = &[4096, 8192];
    let pointwise = kinds_of(&[wide, wide], |g, x| {
        let sum = op(g, "aten.add.Tensor", vec![Arg::Value(x[0]), Arg::Value(x[1])]);
        let bent = op(g, "aten.tanh.default", vec![Arg::Value(sum)]);
        vec![op(g, "aten.mul.Tensor", vec![Arg::Value(bent), Arg::Value(x[0])])]
    });
    assert_eq!(pointwise, ["points"]);
    let softmax = kinds_of(&[wide], |g, x| {
        let (dim, half) = (g.syms.constant(-1), Arg::Bool(false));
        vec![op(g, "aten._softmax.default", vec![Arg::Value(x[0]), Arg::Int(dim), half])]
    });
    assert_eq!(softmax, ["rows"]);
    // Down the columns the blocks would be too few: one kernel for chunks, one for their results.
    let columns = kinds_of(&[&[32768, 8192]], |g, x| {
        let dims = Arg::Ints(vec![g.syms.constant(0)]);
        vec![op(g, "aten.sum.dim_IntList", vec![Arg::Value(x[0]), dims])]
    });
    assert_eq!(columns, ["columns", "columns"]);
    let linear = kinds_of(&[&[1024, 768], &[3072, 768], &[3072]], |g, x| {
        let product = op(g, "aten.linear.default", x.iter().map(|v| Arg::Value(*v)).collect());
        vec![op(g, "aten.gelu.default", vec![Arg::Value(product)])]
    });
    assert_eq!(linear, ["gemm"]);
    let heads: &[i64] = &[2, 8, 512, 64];
    let attention = kinds_of(&[heads, heads, heads], |g, x| {
        let args = x.iter().map(|v| Arg::Value(*v)).collect();
        vec![op(g, "aten.scaled_dot_product_attention.default", args)]
    });
    assert_eq!(attention, ["attention"]);
}

#[test]
fn rows_of_one_element_compile() {
    let softmax = kinds_of(&[&[40, 1]], |g, x| {
        let (dim, half) = (g.syms.constant(-1), Arg::Bool(false));
        vec![op(g, "aten._softmax.default", vec![Arg::Value(x[0]), Arg::Int(dim), half])]
    });
    assert_eq!(softmax, ["rows"]);
}

#[test]
fn cubins_are_found_by_the_next_compilation() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let graph = pt2::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mlp.pt2")).unwrap();
    let compile = |set: &[(&str, &str)]| {
        let mut options = Options::new();
        options.set("backend", "cuda").unwrap();
        options.set("cuda.arch", "90").unwrap();
        options.set("cache.dir", cache.to_str().unwrap()).unwrap();
        for (key, value) in set {
            options.set(key, value).unwrap();
        }
        let plan = session::plan(&graph, &options).unwrap();
        let description: Value = serde_json::from_str(&plan.metadata).unwrap();
        description["cache"].as_str().unwrap().to_string()
    };
    assert_eq!(compile(&[("cache.enabled", "false")]), "none");
    assert!(!cache.exists(), "a cache that is off writes nothing");
    assert_eq!(compile(&[]), "miss");
    assert_eq!(compile(&[]), "hit");
    assert_eq!(compile(&[("cuda.arch", "80")]), "miss");
    assert_eq!(compile(&[]), "hit");
    // A cubin that is not what was written is made again, once.
    let entries = || std::fs::read_dir(cache.join("v1")).unwrap().map(|e| e.unwrap().path());
    for entry in entries() {
        let file = entry.join("kernels.cubin");
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&file, bytes).unwrap();
    }
    assert_eq!(compile(&[]), "miss");
    assert_eq!(compile(&[]), "hit");
    // So is one that is gone.
    std::fs::remove_dir_all(entries().next().unwrap()).unwrap();
    for _ in 0..2 {
        compile(&[]);
        compile(&[("cuda.arch", "80")]);
    }
    assert_eq!([compile(&[]), compile(&[("cuda.arch", "80")])], ["hit", "hit"]);
}

#[test]
fn a_gpu_that_is_not_there_is_named() {
    let mut graph = Graph::new("case");
    let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, Vec::new());
    let x = graph.add_input("x", meta);
    graph.add_output("y", OutputValue::Tensor(x));
    let mut options = Options::new();
    options.set("backend", "cuda").unwrap();
    options.set("cuda.driver", "/nonexistent/libcuda.so.1").unwrap();
    let error = session::plan(&graph, &options).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the CUDA driver") && text.contains("`cuda.driver`"), "{text}");
    options.set("cuda.nvrtc", "/nonexistent/libnvrtc.so").unwrap();
    let text = session::plan(&graph, &options).unwrap_err().to_string();
    assert!(text.contains("NVRTC") && text.contains("`cuda.nvrtc`"), "{text}");
    assert!(options.set("cuda.arch", "ninety").is_err());
}

#[test]
fn an_artifact_for_a_gpu_is_made_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let graph = pt2::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mlp.pt2")).unwrap();
    let mut options = Options::new();
    options.set("backend", "cuda").unwrap();
    options.set("cuda.arch", "90").unwrap();
    let path = folder.path().join("mlp.so");
    session::compile_artifact(&graph, &options, &path).unwrap();
    // It opens the driver itself; where there is none, it says so.
    if let Err(error) = session::open(&path, &options) {
        let text = error.to_string();
        assert!(text.contains("CUDA driver") || text.contains("GPU"), "{text}");
    }
}

#[test]
fn every_kernel_of_the_models_compiles_for_three_generations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let models = ["mlp_dynamic_batch", "resnet18_thin", "gpt2_tiny", "dlrm_thin", "stateful_mutation"];
    for model in models {
        let graph = pt2::read(&folder.join(format!("{model}.pt2"))).unwrap();
        for arch in ["80", "90", "100"] {
            let description = describe(&graph, arch);
            assert!(!kinds(&description).is_empty(), "{model} for {arch}");
            assert_eq!(description["fallbacks"], Value::Array(Vec::new()), "{model} for {arch}");
        }
    }
}
