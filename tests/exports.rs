//! What programs hold beside operators on tensors: tensors made of others, regions that are called again, and graphs to choose from.

use litz::base::Status;
use litz::frontend::from_pt2;
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;
use std::collections::BTreeSet;
use std::path::PathBuf;

mod common;

fn data(name: &str) -> PathBuf {
    common::root().join("tests/data").join(name)
}

fn options(backend: &str) -> Options {
    let mut options = Options::new();
    options.set("backend", backend).expect("a backend");
    options
}

fn floats(values: &[f32]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Tensor::from_bytes(Dtype::Float32, &[values.len() as i64], &bytes).expect("memory")
}

/// A quantised weight that callers give is its parts, under their names, where the tensor was.
#[test]
fn a_tensor_made_of_others_is_its_parts() {
    let graph = from_pt2(&data("composite/input.pt2")).expect("it is read");
    let inputs: Vec<&str> = graph.inputs.iter().map(|i| &*i.name).collect();
    assert_eq!(inputs, ["x", "weight.qdata", "weight.scale"]);
    let spec = session::graph_spec(&graph).expect("a signature");
    let paths: Vec<&str> =
        spec["inputs"].as_array().unwrap().iter().map(|i| i["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["args[0]", "args[1][\"qdata\"]", "args[1][\"scale\"]"]);
    let told = spec["metadata"]["composite_inputs"].as_str().expect("metadata");
    let told: serde_json::Value = serde_json::from_str(told).expect("JSON");
    assert_eq!(told["weight"]["parts"], serde_json::json!(["qdata", "scale"]), "{told}");
    assert_eq!(told["weight"]["sizes"], serde_json::json!([{"as_int": 8}, {"as_int": 16}]), "{told}");
}

#[test]
fn a_parameter_that_is_a_pickle_is_refused_with_what_to_do() {
    let error = from_pt2(&data("composite/parameter.pt2")).expect_err("a pickle");
    assert_eq!(error.status(), Status::Unsupported);
    let message = error.to_string();
    assert!(message.contains("`0.weight` is pickled") && message.contains("run_decompositions"), "{message}");
}

/// Twenty calls of one region are the kernels of one.
#[test]
fn a_region_that_is_called_again_is_compiled_once() {
    let graph = from_pt2(&data("repeated_region.pt2")).expect("it is read");
    let plan = session::plan(&graph, &options("cpu")).expect("it compiles");
    let described: serde_json::Value = serde_json::from_str(&plan.metadata).expect("JSON");
    let kernels = described["kernels"].as_array().expect("kernels");
    let different: BTreeSet<&str> = kernels.iter().map(|k| k["name"].as_str().unwrap()).collect();
    assert!(kernels.len() >= 60 && different.len() <= 6, "{} kernels, {different:?}", kernels.len());
}

fn switch(branches: usize) -> String {
    let branch = |k: usize| {
        format!(
            "graph \"b{k}\" {{\n  input %10 \"x\": float32[3]\n  %11 = aten.mul.Scalar(%10, {}.0)\n  output \"y\" = %11\n}}",
            k + 1
        )
    };
    let all: Vec<String> = (0..branches).map(branch).collect();
    format!(
        "graph \"g\" {{\n  input %0 \"i\": int64[1]\n  input %1 \"x\": float32[3]\n  %2 = higher_order.switch.default(%0, [{}], [%1])\n  output \"y\" = %2\n}}",
        all.join(", ")
    )
}

/// Indices outside of the list mean the first and the last graph, as in torch.switch.
#[test]
fn a_switch_runs_the_graph_of_its_index() {
    for backend in ["interpreter", "cpu"] {
        for branches in [1, 2, 3, 5] {
            let graph = parse(&switch(branches)).unwrap_or_else(|e| panic!("{e}"));
            let program = session::compile(&graph, &options(backend)).expect("it compiles");
            for index in -2i64..7 {
                let given = Tensor::from_bytes(Dtype::Int64, &[1], &index.to_le_bytes()).expect("memory");
                let out = program.run_tensors(&[&given, &floats(&[1.0, -2.0, 0.5])]).expect("it runs");
                let by = (index.clamp(0, branches as i64 - 1) + 1) as f32;
                assert_eq!(
                    out[0].bytes(),
                    floats(&[by, -2.0 * by, 0.5 * by]).bytes(),
                    "{backend} {branches} {index}"
                );
            }
        }
    }
}

#[test]
fn a_switch_needs_one_integer_and_graphs() {
    let text = switch(2).replace("int64[1]", "float32[1]");
    let error = parse(&text).expect_err("no integer");
    assert!(error.to_string().contains("one integer"), "{error}");
    let text = switch(2).replace("int64[1]", "int64[2]");
    assert!(parse(&text).expect_err("two numbers").to_string().contains("one integer"));
}
