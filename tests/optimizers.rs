//! Optimizer steps against numbers of `torch.optim`, and steps that must change nothing.

use litz::ir::{ConstantData, ConstantKind, Graph, Value};
use litz::runtime::Tensor;
use litz::session::{self, BackendRequest, Executable, Hyper, Options};
use litz::types::{Dtype, TensorMeta};
use serde_json::Value as Json;
use std::sync::Arc;

const SHAPES: [(&str, &[i64]); 2] = [("w", &[4, 3]), ("v", &[5])];

fn bytes(list: &[f32]) -> Vec<u8> {
    list.iter().flat_map(|x| x.to_ne_bytes()).collect()
}

fn floats(list: &Json) -> Vec<f32> {
    list.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number") as f32).collect()
}

fn shape(name: &str) -> &'static [i64] {
    SHAPES.iter().find(|s| s.0 == name).expect("a parameter").1
}

/// A program that does nothing but step: its inputs are the gradients, in the order of the parameters, and a hyper-parameter where one
/// is given by name.
fn program(
    start: &Json,
    params: &[&str],
    kind: &str,
    hyper: &[(&str, f64)],
    given: Option<&str>,
) -> Executable {
    let mut graph = Graph::new("step");
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    for name in params {
        let sizes = shape(name).iter().map(|n| graph.syms.constant(*n)).collect();
        let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, sizes);
        let data = Arc::new(ConstantData::Owned(bytes(&floats(&start[*name]))));
        let parameter = graph.add_constant(name, ConstantKind::Parameter, meta.clone(), data);
        pairs.push((parameter, graph.add_input(&format!("gradient of {name}"), meta)));
    }
    let mut list: Vec<(String, Hyper)> =
        hyper.iter().map(|(name, n)| (name.to_string(), Hyper::Number(*n))).collect();
    if let Some(name) = given {
        let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, Vec::new());
        let value = graph.add_input(name, meta);
        list.retain(|(known, _)| known != name);
        list.push((name.to_string(), Hyper::Tensor(value)));
    }
    session::optimizer_step(&mut graph, kind, &pairs, &list).unwrap_or_else(|e| panic!("{kind}: {e}"));
    let mut options = Options::default();
    options.backend = BackendRequest::Interpreter;
    session::compile(&graph, &options).unwrap_or_else(|e| panic!("{kind}: {e}"))
}

fn run(program: &Executable, inputs: &[Tensor]) {
    program.run_tensors(&inputs.iter().collect::<Vec<_>>()).expect("it runs");
}

fn constant(program: &Executable, name: &str) -> Vec<f32> {
    let tensor = program.constant(name).expect("it is there");
    tensor.bytes().chunks(4).map(|b| f32::from_ne_bytes(b.try_into().expect("four bytes"))).collect()
}

fn tensor(name: &str, list: &[f32]) -> Tensor {
    Tensor::from_bytes(Dtype::Float32, shape(name), &bytes(list)).expect("memory")
}

fn scalar(number: f64) -> Tensor {
    Tensor::from_bytes(Dtype::Float32, &[], &(number as f32).to_ne_bytes()).expect("memory")
}

fn recorded() -> Json {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/optimizers.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("it is there")).expect("JSON")
}

/// Muon rounds to bfloat16 after each product, in whichever order it is summed up.
fn tolerance(kind: &str) -> f32 {
    if kind == "muon" { 2e-2 } else { 2e-6 }
}

#[test]
fn steps_are_those_of_pytorch() {
    let data = recorded();
    for case in data["cases"].as_array().expect("cases") {
        let kind = case["kind"].as_str().expect("a name");
        let hyper: Vec<(&str, f64)> = case["hyper"]
            .as_object()
            .expect("an object")
            .iter()
            .map(|(name, n)| (name.as_str(), n.as_f64().expect("a number")))
            .collect();
        let params: Vec<&str> =
            case["params"].as_array().expect("names").iter().filter_map(Json::as_str).collect();
        // A number, and the same as a value of the graph.
        for given in [None, Some("lr")] {
            let program = program(&data, &params, kind, &hyper, given);
            for (gradients, after) in data["gradients"]
                .as_array()
                .expect("steps")
                .iter()
                .zip(case["after"].as_array().expect("steps"))
            {
                let mut inputs: Vec<Tensor> =
                    params.iter().map(|name| tensor(name, &floats(&gradients[*name]))).collect();
                inputs.extend(
                    given.map(|name| {
                        scalar(hyper.iter().find(|(known, _)| *known == name).expect("a rate").1)
                    }),
                );
                run(&program, &inputs);
                for (name, want) in after.as_object().expect("an object") {
                    let (want, have) = (floats(want), constant(&program, name));
                    let near = want.iter().zip(&have).all(|(a, b)| (a - b).abs() <= tolerance(kind));
                    assert!(
                        near && want.len() == have.len(),
                        "{kind} {hyper:?} {given:?}, {name}: {have:?}, {want:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_step_with_a_gradient_that_is_not_finite_changes_nothing() {
    let data = recorded();
    let good = |k: usize, name: &str| floats(&data["gradients"][k][name]);
    for (kind, bad) in [("adamw", f32::NAN), ("sgd", f32::INFINITY), ("adafactor", f32::NEG_INFINITY)] {
        let hyper = [("lr", 0.1), ("ema_decay", 0.5), ("loss_scale", 8.0), ("clip_grad_norm", 1.0)];
        let scaled = program(&data, &["w", "v"], kind, &hyper, Some("loss_scale"));
        let plain = program(&data, &["w", "v"], kind, &[hyper[0], hyper[1], hyper[3]], None);
        let times = |list: Vec<f32>| list.into_iter().map(|x| x * 8.0).collect::<Vec<_>>();
        for k in 0..3 {
            let mut spoilt = times(good(k, "v"));
            spoilt[2] = bad;
            let before = [constant(&scaled, "w"), constant(&scaled, "w.ema")];
            run(&scaled, &[tensor("w", &times(good(k, "w"))), tensor("v", &spoilt), scalar(8.0)]);
            assert_eq!([constant(&scaled, "w"), constant(&scaled, "w.ema")], before, "{kind}");
            run(
                &scaled,
                &[tensor("w", &times(good(k, "w"))), tensor("v", &times(good(k, "v"))), scalar(8.0)],
            );
            run(&plain, &[tensor("w", &good(k, "w")), tensor("v", &good(k, "v"))]);
        }
        for name in ["w", "v", "w.ema"] {
            assert_eq!(constant(&scaled, name), constant(&plain, name), "{kind}, {name}");
        }
        let skipped = scaled.constant("optimizer.skipped").expect("a count");
        assert_eq!(skipped.bytes(), 3i64.to_ne_bytes());
    }
}

#[test]
fn what_an_optimizer_cannot_do_is_refused() {
    let refused = |kind: &str, params: &[&str], hyper: (&str, f64)| {
        let mut graph = Graph::new("step");
        let mut pairs = Vec::new();
        for name in params {
            let sizes = shape(name).iter().map(|n| graph.syms.constant(*n)).collect();
            let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, sizes);
            let count: i64 = shape(name).iter().product();
            let data = Arc::new(ConstantData::Owned(vec![0; 4 * count as usize]));
            let parameter = graph.add_constant(name, ConstantKind::Parameter, meta.clone(), data);
            pairs.push((parameter, graph.add_input("g", meta)));
        }
        let hyper = [(hyper.0.to_string(), Hyper::Number(hyper.1))];
        session::optimizer_step(&mut graph, kind, &pairs, &hyper).expect_err("it is refused").to_string()
    };
    assert!(refused("muon", &["v"], ("lr", 0.1)).contains("matrices; `v` has 1"));
    assert!(refused("muon", &["w"], ("ns_steps", 2.5)).contains("ns_steps"));
    assert!(refused("sgd", &["w"], ("accumulate", 0.5)).contains("accumulate"));
}

/// Parameters in groups, each with hyper-parameters of its own, are one step: corrections by the count are those of one call.
#[test]
fn groups_of_parameters_share_a_step() {
    let data = recorded();
    let together = program(&data, &["w", "v"], "adamw", &[("lr", 0.1)], None);
    let mut graph = Graph::new("groups");
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    for name in ["w", "v"] {
        let sizes = shape(name).iter().map(|n| graph.syms.constant(*n)).collect();
        let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, sizes);
        let data = Arc::new(ConstantData::Owned(bytes(&floats(&data[name]))));
        let parameter = graph.add_constant(name, ConstantKind::Parameter, meta.clone(), data);
        pairs.push((parameter, graph.add_input(&format!("gradient of {name}"), meta)));
    }
    let rate = [("lr".to_string(), Hyper::Number(0.1))];
    for pair in &pairs {
        session::optimizer_step(&mut graph, "adamw", &[*pair], &rate).expect("a group");
    }
    let scaled = [rate[0].clone(), ("skip_nonfinite".to_string(), Hyper::Number(1.0))];
    let mut third = graph.clone();
    let sizes = shape("v").iter().map(|n| third.syms.constant(*n)).collect();
    let meta = TensorMeta::contiguous(&third.syms, Dtype::Float32, sizes);
    let more =
        third.add_constant("u", ConstantKind::Parameter, meta, Arc::new(ConstantData::Owned(vec![0; 20])));
    let refused = session::optimizer_step(&mut third, "adamw", &[(more, pairs[1].1)], &scaled);
    assert!(refused.expect_err("a step of its own").to_string().contains("in one call"));
    let mut options = Options::default();
    options.backend = BackendRequest::Interpreter;
    let apart = session::compile(&graph, &options).expect("it compiles");
    for gradients in data["gradients"].as_array().expect("steps") {
        let inputs = ["w", "v"].map(|name| tensor(name, &floats(&gradients[name])));
        run(&together, &inputs);
        run(&apart, &inputs);
    }
    for name in ["w", "v"] {
        assert_eq!(constant(&apart, name), constant(&together, name), "{name}");
    }
}
