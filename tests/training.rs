//! Training programs: what a forward keeps, budgets, marks, and random numbers that are drawn once.

#[path = "training/pitfalls.rs"]
mod pitfalls;

use litz::frontend::{from_export_json, pt2};
use litz::meta::text::parse;
use litz::runtime::{RUN_HAS_SEED, RunOptions, Tensor};
use litz::session::{Options, Training};
use litz::types::Dtype;
use safetensors::SafeTensors;
use serde_json::{Value as Json, json};

fn options(list: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    // As a key, which stays where others are set.
    for (key, value) in [("backend", "interpreter")].iter().chain(list) {
        options.set(key, value).unwrap_or_else(|e| panic!("{key}: {e}"));
    }
    options
}

fn program(inputs: &[&str], nodes: &[&str], loss: usize) -> Training {
    trained(inputs, nodes, loss, &[])
}

/// A graph's text from its inputs and its nodes; `loss` is the number of its output.
fn text(inputs: &[&str], nodes: &[&str], loss: usize) -> String {
    let inputs: String = inputs.iter().enumerate().map(|(k, i)| format!("  input %{k} {i}\n")).collect();
    let nodes: String = nodes.iter().map(|n| format!("  {n}\n")).collect();
    format!("graph \"g\" {{\n{inputs}{nodes}  output \"loss\" = %{loss}\n}}\n")
}

fn trained(inputs: &[&str], nodes: &[&str], loss: usize, list: &[(&str, &str)]) -> Training {
    let graph = parse(&text(inputs, nodes, loss)).expect("it parses");
    Training::compile(&graph, &options(list)).expect("it compiles")
}

fn described(training: &Training) -> Json {
    serde_json::from_str(&training.describe()).expect("JSON")
}

fn kept(training: &Training) -> Vec<String> {
    let list = described(training)["saved"].clone();
    list.as_array().expect("a list").iter().map(|v| v.as_str().unwrap_or_default().to_string()).collect()
}

fn floats(shape: &[i64], seed: f64) -> Tensor {
    let count: i64 = shape.iter().product();
    let one = |k: i64| (((k as f64 + seed) * 0.618_034) % 1.0 - 0.5) as f32;
    let bytes: Vec<u8> = (0..count).flat_map(|k| one(k).to_ne_bytes()).collect();
    Tensor::from_bytes(Dtype::Float32, shape, &bytes).expect("memory")
}

fn read(tensor: &Tensor) -> Vec<f32> {
    tensor.bytes().chunks(4).map(|b| f32::from_ne_bytes(b.try_into().expect("four bytes"))).collect()
}

/// The loss and the gradients of a run.
fn step(training: &Training, inputs: &[Tensor], seed: u64) -> Vec<Vec<f32>> {
    let pointers: Vec<_> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
    // SAFETY: all zeros say nothing of a run; own tensors are as they say, and no program here writes to them.
    unsafe {
        let mut how: RunOptions = std::mem::zeroed();
        (how.struct_size, how.flags, how.seed) = (size_of::<RunOptions>(), RUN_HAS_SEED, seed);
        let (outputs, saved) =
            training.forward(training.forward_program(), &pointers, Some(&how)).expect("the forward runs");
        // Another seed: what was drawn is the forward's.
        how.seed = seed + 1;
        let backward = training.backward_program().expect("it compiles");
        let gradients = training.backward(backward, &saved, &[None], Some(&how)).expect("the backward runs");
        outputs.iter().chain(gradients.iter().flatten()).map(read).collect()
    }
}

/// A tensor's elements in the order of its sizes.
fn in_order(tensor: &Tensor) -> Vec<f32> {
    let all = read(tensor);
    let (shape, strides) = (tensor.shape(), tensor.strides());
    let mut found = vec![0];
    for (size, stride) in shape.iter().zip(strides) {
        found = found.iter().flat_map(|at| (0..*size).map(move |k| at + k * stride)).collect();
    }
    found.into_iter().map(|at| all[at as usize]).collect()
}

/// Outputs, gradients and parameters have PyTorch's strides, as descriptions and runs say: a gradient those of what it is the
/// gradient of where that is dense (`tests/strides.py` recorded them).
#[test]
fn gradients_lie_as_in_pytorch() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gradients_with_strides.pt2");
    let graph = litz::frontend::from_pt2(&path).unwrap_or_else(|e| panic!("{e}"));
    let told = |key: &str| -> Json { serde_json::from_str(&graph.spec.metadata[key]).expect("JSON") };
    let ints = |list: &Json| -> Vec<i64> { serde_json::from_value(list.clone()).expect("strides") };
    let numbers = |list: &Json| -> Vec<f32> { serde_json::from_value(list.clone()).expect("numbers") };
    let inputs = told("inputs");
    let given = |k: usize, shape: &[i64], strides: &[i64]| {
        let bytes: Vec<u8> = numbers(&inputs[k]).iter().flat_map(|v| v.to_ne_bytes()).collect();
        Tensor::laid_out(Dtype::Float32, shape, strides, &bytes).expect("memory")
    };
    let inputs = [given(0, &[2, 3, 5, 5], &[75, 1, 15, 3]), given(1, &[4, 5], &[1, 4])];
    for backend in ["interpreter", "cpu"] {
        let training =
            Training::compile(&graph, &options(&[("backend", backend)])).unwrap_or_else(|e| panic!("{e}"));
        for held in training.held.iter() {
            let name = held.given().name();
            let want = ints(&told("parameters")[&*name]);
            assert_eq!(held.given().strides.as_deref(), Some(&want[..]), "{name}");
            assert_eq!(training.constant(&name).expect("it is there").strides(), want, "{name}");
        }
        let pointers: Vec<_> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
        // SAFETY: own tensors are as they say, and the program writes to none.
        let (outputs, saved) = unsafe { training.forward(training.forward_program(), &pointers, None) }
            .expect("the forward runs");
        for (k, output) in outputs.iter().enumerate() {
            let want = ints(&told("results")[k]);
            assert_eq!(output.strides(), want, "{backend}, output {k}");
            assert_eq!(training.forward_program().outputs()[k].strides.as_deref(), Some(&want[..]), "{k}");
        }
        let ones: Vec<Tensor> = outputs
            .iter()
            .map(|o| {
                let count = o.shape().iter().product::<i64>() as usize;
                Tensor::from_bytes(Dtype::Float32, o.shape(), &1f32.to_ne_bytes().repeat(count))
                    .expect("memory")
            })
            .collect();
        let cotangents: Vec<_> = ones.iter().map(|t| Some(t.dl())).collect();
        let backward = training.backward_program().expect("it compiles");
        let cotangents: Vec<_> = cotangents.iter().map(|t| t.map(std::ptr::from_ref)).collect();
        // SAFETY: as above.
        let found =
            unsafe { training.backward(backward, &saved, &cotangents, None) }.expect("the backward runs");
        for ((about, _), gradient) in training.gradients.iter().zip(&found) {
            let (name, gradient) = (about.name(), gradient.as_ref().expect("a gradient"));
            let told = told("gradients")[&*name].clone();
            let (strides, values) = (&told[0], &told[1]);
            assert_eq!(gradient.strides(), ints(strides), "{backend}, gradient of {name}");
            assert_eq!(about.strides.as_deref(), Some(gradient.strides()), "{backend}, gradient of {name}");
            for (a, b) in in_order(gradient).iter().zip(numbers(values)) {
                assert!((a - b).abs() <= 1e-4 + 1e-4 * b.abs(), "{backend}, gradient of {name}: {a} for {b}");
            }
        }
    }
}

/// Eight layers, each a product, a norm and an activation.
fn deep() -> (Vec<&'static str>, Vec<String>, usize) {
    let mut nodes = Vec::new();
    let mut last = 0;
    for layer in 0..8 {
        let k = 2 + 3 * layer;
        nodes.push(format!("%{k} = aten.linear.default(%{last}, %1)"));
        nodes.push(format!("%{} = aten.layer_norm.default(%{k}, [32])", k + 1));
        nodes.push(format!("%{} = aten.gelu.default(%{})", k + 2, k + 1));
        last = k + 2;
    }
    nodes.push(format!("%{} = aten.mul.Tensor(%{last}, %0)", last + 1));
    nodes.push(format!("%{} = aten.sum.default(%{})", last + 2, last + 1));
    (vec!["\"x\": float32[256, 32]", "\"w\": float32[32, 32]"], nodes, last + 2)
}

fn deep_with(list: &[(&str, &str)]) -> Training {
    let (inputs, nodes, loss) = deep();
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    trained(&inputs, &nodes, loss, list)
}

#[test]
fn a_smaller_budget_keeps_less_at_no_higher_peak() {
    let inputs = [floats(&[256, 32], 0.3), floats(&[32, 32], 7.7)];
    let all = deep_with(&[("training.partitioner", "default")]);
    let want = step(&all, &inputs, 1);
    let (mut most, mut highest) = (u64::MAX, u64::MAX);
    let mut seen = Vec::new();
    for budget in ["1", "0.9", "0.7", "0.5", "150000", "0"] {
        let training = deep_with(&[("training.budget", budget)]);
        let about = described(&training)["partition"].clone();
        let bytes = about["saved_bytes"].as_u64().expect("bytes");
        let peak = about["budget"]["peak_bytes"].as_u64().expect("a peak");
        let allowed = about["budget"]["bytes"].as_u64().expect("a budget");
        assert_eq!(about["budget"]["met"], bytes <= allowed, "{budget}: {about}");
        seen.push((allowed, bytes, peak));
        let got = step(&training, &inputs, 1);
        for (want, got) in want.iter().zip(&got) {
            let near = want.iter().zip(got).all(|(a, b)| (a - b).abs() <= 1e-4 * a.abs().max(1.0));
            assert!(near, "{budget}: {want:?}, {got:?}");
        }
    }
    seen.sort_unstable();
    for (_, bytes, peak) in seen.iter().rev() {
        assert!(*bytes <= most && *peak <= highest, "{seen:?}");
        (most, highest) = (*bytes, *peak);
    }
    assert!(seen[0].1 < seen[seen.len() - 1].1, "a budget of 0 keeps less: {seen:?}");
}

/// Four blocks of a transformer's second half. Running their products again is worth the same for each, so that a price takes all or none.
#[test]
fn a_budget_between_all_and_the_least_is_made_use_of() {
    let mut nodes = Vec::new();
    let mut last = 0;
    for layer in 0..4 {
        let k = 3 + 5 * layer;
        nodes.push(format!("%{k} = aten.layer_norm.default(%{last}, [64])"));
        nodes.push(format!("%{} = aten.linear.default(%{k}, %1)", k + 1));
        nodes.push(format!("%{} = aten.gelu.default(%{})", k + 2, k + 1));
        nodes.push(format!("%{} = aten.linear.default(%{}, %2)", k + 3, k + 2));
        nodes.push(format!("%{} = aten.add.Tensor(%{last}, %{})", k + 4, k + 3));
        last = k + 4;
    }
    nodes.push(format!("%{} = aten.mul.Tensor(%{last}, %0)", last + 1));
    nodes.push(format!("%{} = aten.sum.default(%{})", last + 2, last + 1));
    let inputs = ["\"x\": float32[512, 64]", "\"up\": float32[256, 64]", "\"down\": float32[64, 256]"];
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let bytes = |budget| {
        let training = trained(&inputs, &nodes, last + 2, &[("training.budget", budget)]);
        described(&training)["partition"]["saved_bytes"].as_u64().expect("bytes")
    };
    let [most, three_quarters, half, least] = ["1", "0.75", "0.5", "0"].map(bytes);
    assert!(three_quarters > half && half > least, "{most}, {three_quarters}, {half}, {least}");
    assert!(2 * (three_quarters - least) >= most - least, "{most}, {three_quarters}, {half}, {least}");
}

#[test]
fn a_minimum_cut_keeps_less_than_all() {
    let bytes = |partitioner| {
        let training = deep_with(&[("training.partitioner", partitioner)]);
        described(&training)["partition"]["saved_bytes"].as_u64().expect("bytes")
    };
    let [all, least, reduced] = ["default", "min_cut", "memory_efficient"].map(bytes);
    assert!(least * 10 <= all * 6 && reduced <= least, "{all}, {least}, {reduced}");
}

#[test]
fn a_budget_without_recomputation_is_refused() {
    let (inputs, nodes, loss) = deep();
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let graph = parse(&text(&inputs, &nodes, loss)).expect("it parses");
    let list = [("training.partitioner", "default"), ("training.budget", "0.5")];
    let Err(error) = Training::compile(&graph, &options(&list)) else { panic!("it compiles") };
    assert!(error.to_string().contains("training.budget"), "{error}");
    for wrong in ["1.5", "-1", "much"] {
        assert!(Options::default().set("training.budget", wrong).is_err(), "{wrong}");
    }
}

#[test]
fn marked_values_are_kept_or_computed_again() {
    let inputs: &[&str] = &["\"x\": float32[64, 8]", "\"w\": float32[8, 8]"];
    let of = |mark: &str| {
        let product = "%2 = aten.linear.default(%0, %1)";
        let last = ["%4 = aten.exp.default(%3)", "%5 = aten.sin.default(%4)", "%6 = aten.sum.default(%5)"];
        match mark {
            "" => program(inputs, &[product, "%3 = aten.cos.default(%2)", last[0], last[1], last[2]], 6),
            mark => {
                let marked = format!("%7 = litz.{mark}.default(%2)");
                let nodes = [product, &marked, "%3 = aten.cos.default(%7)", last[0], last[1], last[2]];
                program(inputs, &nodes, 6)
            }
        }
    };
    let product = |training: &Training| kept(training).iter().any(|v| v.contains("linear"));
    // A product is not run again unless that is asked for.
    assert!(product(&of("")), "{:?}", kept(&of("")));
    assert!(product(&of("keep")), "{:?}", kept(&of("keep")));
    assert!(!product(&of("recompute")), "{:?}", kept(&of("recompute")));
    let inputs = [floats(&[64, 8], 0.3), floats(&[8, 8], 7.7)];
    assert_eq!(step(&of(""), &inputs, 1), step(&of("recompute"), &inputs, 1));

    // What is kept is the last of what the user's node became: a softmax, and no part of it.
    let nodes = [
        "%1 = aten.softmax.int(%0, 1)",
        "%2 = litz.keep.default(%1)",
        "%3 = aten.sin.default(%2)",
        "%4 = aten.sum.default(%3)",
    ];
    let training = program(&["\"x\": float32[64, 8]"], &nodes, 4);
    assert_eq!(kept(&training).len(), 1, "{:?}", kept(&training));
}

/// A branch that draws: its derivative masks what the forward masked.
#[test]
fn a_branch_draws_what_its_derivative_draws() {
    let branch = |name: &str, call: &str| {
        format!(
            "graph \"{name}\" {{\n input %0 \"x\": float32[8, 16]\n input %1 \"w\": float32[16, 16]\n %2 = aten.linear.default(%0, %1)\n {call}\n output \"y\" = %3\n }}"
        )
    };
    let (yes, no) = (
        branch("yes", "%3 = aten.dropout.default(%2, 0.5, true)"),
        branch("no", "%3 = aten.tanh.default(%2)"),
    );
    let nodes = [
        "%2 = aten.sum.default(%0)".to_string(),
        "%3 = aten.gt.Scalar(%2, 0.0)".to_string(),
        format!("%4 = higher_order.cond.default(%3, {yes}, {no}, [%0, %1])"),
        "%5 = aten.sum.default(%4)".to_string(),
    ];
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let shapes = ["\"x\": float32[8, 16]", "\"w\": float32[16, 16]"];
    for partitioner in ["default", "min_cut"] {
        for backend in ["interpreter", "cpu"] {
            let training =
                trained(&shapes, &nodes, 5, &[("backend", backend), ("training.partitioner", partitioner)]);
            for sign in [1.0f32, -1.0] {
                let x: Vec<f32> =
                    read(&floats(&[8, 16], 0.2)).iter().map(|v| sign * (v.abs() + 0.1)).collect();
                let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_ne_bytes()).collect();
                let x = Tensor::from_bytes(Dtype::Float32, &[8, 16], &bytes).expect("memory");
                let inputs = [x, floats(&[16, 16], 0.7)];
                let found = step(&training, &inputs, 9);
                // The loss is linear in what is masked, so that it is the product of the weight and its gradient.
                let (weight, gradient) = (read(&inputs[1]), found.last().expect("a gradient"));
                let product: f32 = weight.iter().zip(gradient).map(|(w, g)| w * g).sum();
                if sign > 0.0 {
                    let loss = found[0][0];
                    assert!(
                        (product - loss).abs() <= 1e-3 * loss.abs().max(1.0),
                        "{backend}, {partitioner}: {product} and {loss}"
                    );
                }
                assert!(gradient.iter().any(|g| *g != 0.0));
            }
        }
    }
}

/// A loop that draws in each turn: its derivative masks what the forward masked.
#[test]
fn a_loop_draws_what_its_derivative_draws() {
    let inputs = " input %0 \"i\": int64[]\n input %1 \"sum\": float32[16]\n input %2 \"all\": float32[20, 16]\n \
         input %3 \"x\": float32[20, 16]\n input %4 \"w\": float32[16, 16]\n";
    let body = "%5 = aten.unsqueeze.default(%0, 0)\n %6 = aten.index_select.default(%3, 0, %5)\n \
         %7 = aten.linear.default(%6, %4)\n %8 = aten.dropout.default(%7, 0.5, true)\n %9 = aten.squeeze.dim(%8, 0)\n \
         %10 = aten.add.Tensor(%1, %9)\n %11 = aten.index_put.default(%2, [%0], %9)\n %12 = aten.add.Scalar(%0, 1)\n \
         output \"i\" = %12\n output \"sum\" = %10\n output \"all\" = %11";
    let nodes = [
        "%2 = aten.zeros.default([], dtype=int64)".to_string(),
        "%3 = aten.zeros.default([16])".to_string(),
        "%4 = aten.zeros.default([20, 16])".to_string(),
        format!(
            "%5, %6, %7 = higher_order.while_loop.default(graph \"more\" {{\n{inputs} %5 = aten.lt.Scalar(%0, 20)\n output \"c\" = %5\n }}, \
             graph \"turn\" {{\n{inputs} {body}\n }}, [%2, %3, %4], [%0, %1])"
        ),
        "%8 = aten.sum.default(%6)".to_string(),
        "%9 = aten.sum.default(%7)".to_string(),
        "%10 = aten.add.Tensor(%8, %9)".to_string(),
    ];
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let shapes = ["\"x\": float32[20, 16]", "\"w\": float32[16, 16]"];
    let inputs = [floats(&[20, 16], 0.2), floats(&[16, 16], 0.7)];
    let mut seen: Vec<Vec<Vec<f32>>> = Vec::new();
    for partitioner in ["default", "min_cut"] {
        for backend in ["interpreter", "cpu"] {
            let training =
                trained(&shapes, &nodes, 10, &[("backend", backend), ("training.partitioner", partitioner)]);
            let found = step(&training, &inputs, 9);
            // The loss is linear in each of its inputs, so that it is the product of one and its gradient.
            for (input, gradient) in inputs.iter().zip(&found[1..]) {
                let product: f32 = read(input).iter().zip(gradient).map(|(w, g)| w * g).sum();
                let loss = found[0][0];
                let is_near = (product - loss).abs() <= 1e-3 * loss.abs().max(1.0);
                assert!(is_near, "{backend}, {partitioner}: {product} and {loss}");
                assert!(gradient.iter().any(|g| *g != 0.0));
            }
            seen.push(found);
        }
    }
    let near = |a: &[Vec<f32>], b: &[Vec<f32>]| {
        a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (a - b).abs() <= 1e-3 * b.abs().max(1.0))
    };
    assert!(seen.iter().all(|found| near(found, &seen[0])), "the same numbers on all");
}

/// What PyTorch's autograd says of `scan` and `map`.
#[test]
fn gradients_through_scans_are_those_of_pytorch() {
    let data = |name: &str| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let graph = pt2::read(&data("scan_training.pt2")).expect("a program");
    let bytes = std::fs::read(data("scan_training.safetensors")).expect("results");
    let file = SafeTensors::deserialize(&bytes).expect("safetensors");
    let tensor = |name: &str| {
        let view = file.tensor(name).unwrap_or_else(|e| panic!("{name}: {e}"));
        let shape: Vec<i64> = view.shape().iter().map(|n| *n as i64).collect();
        Tensor::from_bytes(Dtype::Float32, &shape, view.data()).expect("memory")
    };
    let inputs = [tensor("in0"), tensor("in1")];
    for partitioner in ["default", "min_cut"] {
        for backend in ["interpreter", "cpu"] {
            let list = options(&[("backend", backend), ("training.partitioner", partitioner)]);
            let training = Training::compile(&graph, &list).expect("it compiles");
            let found = step(&training, &inputs, 1);
            assert_eq!(found.len(), 7);
            let names = (0..6).map(|k| format!("gradient{k}"));
            for (name, have) in std::iter::once("out0".to_string()).chain(names).zip(&found) {
                let want = read(&tensor(&name));
                assert_eq!(want.len(), have.len(), "{name}");
                let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 + 1e-4 * b.abs();
                assert!(have.iter().zip(&want).all(is_near), "{backend}, {partitioner}: {name}");
            }
        }
    }
}

/// The attention operators of a half's kernels, in order.
fn attentions(half: &Json) -> Vec<String> {
    let kernels = half["kernels"].as_array().expect("kernels").iter();
    let named = kernels.flat_map(|k| k["operators"].as_array().expect("operators").clone());
    let named = named.map(|o| o.as_str().expect("a name").to_string());
    let mut list: Vec<String> = named.filter(|o| o.contains("attention") || o.contains("softmax")).collect();
    list.dedup();
    list
}

#[test]
fn attention_is_run_once_and_keeps_a_number_for_each_query() {
    let inputs =
        ["\"q\": float32[2, 4, 40, 16]", "\"k\": float32[2, 2, 40, 16]", "\"v\": float32[2, 2, 40, 16]"];
    let nodes = [
        "%3 = aten.scaled_dot_product_attention.default(%0, %1, %2, None, 0.0, true, enable_gqa=true)",
        "%4 = aten.mul.Tensor(%3, %3)",
        "%5 = aten.sum.default(%4)",
    ];
    let tensors = [floats(&[2, 4, 40, 16], 0.3), floats(&[2, 2, 40, 16], 7.7), floats(&[2, 2, 40, 16], 1.9)];
    let mut results = Vec::new();
    for partitioner in ["default", "min_cut", "memory_efficient"] {
        let training =
            trained(&inputs, &nodes, 5, &[("backend", "interpreter"), ("training.partitioner", partitioner)]);
        results.push(step(&training, &tensors, 1));
        let about = described(&training);
        // The loss; then queries, keys, values, the result, and a number for each query.
        let given = about["forward"]["outputs"].as_array().expect("outputs").iter();
        let shapes: Vec<&Json> = given.map(|o| &o["shape"]).collect();
        let (wide, shared) = (json!([2, 4, 40, 16]), json!([2, 2, 40, 16]));
        let want = [&json!([]), &wide, &shared, &shared, &wide, &json!([2, 4, 40])];
        assert_eq!(shapes, want, "{partitioner}");
        let name = "aten._scaled_dot_product_flash_attention_for_cpu";
        assert_eq!(attentions(&about["forward"]), [format!("{name}.default")], "{partitioner}");
        assert_eq!(attentions(&about["backward"]), [format!("{name}_backward.default")], "{partitioner}");
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn random_numbers_are_drawn_once() {
    let nodes = [
        "%1 = aten.dropout.default(%0, 0.5, true)",
        "%2 = litz.recompute.default(%1)",
        "%3 = aten.rand_like.default(%0)",
        "%4 = aten.mul.Tensor(%2, %3)",
        "%5 = aten.sum.default(%4)",
    ];
    let inputs = || [floats(&[64], 0.3)];
    let x: &[&str] = &["\"x\": float32[64]"];
    let all = trained(x, &nodes, 5, &[("training.partitioner", "default")]);
    let want = step(&all, &inputs(), 11);
    for list in [&[][..], &[("training.budget", "0")][..]] {
        let training = trained(x, &nodes, 5, list);
        // Nothing has to be kept: numbers are functions of their place.
        assert_eq!(described(&training)["partition"]["saved_bytes"], 0, "{:?}", kept(&training));
        let got = step(&training, &inputs(), 11);
        // The gradient is nothing but numbers that were drawn; the loss is summed in another order.
        assert_eq!(got[1], want[1]);
        assert!((got[0][0] - want[0][0]).abs() < 1e-5, "{}, {}", got[0][0], want[0][0]);
        assert_ne!(step(&training, &inputs(), 12)[1], want[1]);
    }
    // The gradient is that of the numbers that the forward drew.
    let (loss, slope) = (want[0][0], &want[1]);
    let again: f32 = slope.iter().zip(read(&inputs()[0])).map(|(d, x)| d * x).sum();
    assert!((loss - again).abs() < 1e-4 && slope.contains(&0.0), "{loss}, {again}");
}

/// An exported program: `cos(x w)`, times `w` again, and the sum of its exponential. The two products and the cosine are a region under
/// activation checkpointing, or stand in the graph themselves.
fn exported(checkpointed: bool) -> Json {
    let tensor = |name: &str| json!({"as_tensor": {"name": name}});
    let node = |target: &str, inputs: &[&str], output: &str| {
        let inputs: Vec<Json> =
            inputs.iter().map(|i| json!({"name": "", "arg": tensor(i), "kind": 1})).collect();
        json!({"target": format!("torch.ops.{target}"), "inputs": inputs, "outputs": [tensor(output)], "metadata": {}})
    };
    let values = |list: &[(&str, &[i64])]| -> Json {
        let one = |(name, shape): &(&str, &[i64])| {
            let ints = |list: &[i64]| list.iter().map(|n| json!({"as_int": n})).collect::<Vec<_>>();
            let strides: Vec<i64> = (0..shape.len()).map(|k| shape[k + 1..].iter().product()).collect();
            let meta = json!({
                "dtype": 7, "sizes": ints(shape), "requires_grad": false, "layout": 7,
                "device": {"type": "cpu", "index": null}, "strides": ints(&strides), "storage_offset": {"as_int": 0},
            });
            (name.to_string(), meta)
        };
        Json::Object(list.iter().map(one).collect())
    };
    let (square, wide): (&[i64], &[i64]) = (&[8, 8], &[64, 8]);
    let graph = |inputs: &[&str], nodes: Vec<Json>, output: &str, tensors: &[(&str, &[i64])]| {
        json!({
            "inputs": inputs.iter().map(|i| tensor(i)).collect::<Vec<_>>(), "outputs": [tensor(output)],
            "nodes": nodes, "tensor_values": values(tensors), "sym_int_values": {}, "sym_bool_values": {},
            "is_single_tensor_return": false, "custom_obj_values": {}, "sym_float_values": {},
        })
    };
    let mut region = vec![
        node("aten.mm.default", &["x", "w"], "first"),
        node("aten.cos.default", &["first"], "cosine"),
        node("aten.mm.default", &["cosine", "w"], "second"),
    ];
    let inner = [("x", wide), ("w", square), ("first", wide), ("cosine", wide), ("second", wide)];
    let outer = [inner.as_slice(), &[("exp", wide), ("loss", &[])]].concat();
    if checkpointed {
        let mut call = node("higher_order.tag_activation_checkpoint", &["x", "w"], "second");
        let body = graph(&["x", "w"], region, "second", &inner);
        let body = json!({"name": "", "arg": {"as_graph": {"name": "body", "graph": body}}, "kind": 1});
        let inputs = call["inputs"].as_array_mut().expect("a list");
        inputs.insert(0, body);
        inputs.push(json!({"name": "use_reentrant", "arg": {"as_bool": false}, "kind": 2}));
        call["is_hop_single_tensor_return"] = json!(true);
        region = vec![call];
    }
    region.push(node("aten.exp.default", &["second"], "exp"));
    region.push(node("aten.sum.default", &["exp"], "loss"));
    let input = |name: &str| json!({"user_input": {"arg": tensor(name)}});
    json!({
        "graph_module": {
            "graph": graph(&["x", "w"], region, "loss", &outer),
            "signature": {
                "input_specs": [input("x"), input("w")],
                "output_specs": [{"user_output": {"arg": tensor("loss")}}],
            },
            "module_call_graph": [],
        },
        "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 20},
        "verifiers": ["TRAINING"], "torch_version": "2.15.0", "guards_code": [],
    })
}

#[test]
fn an_activation_checkpoint_of_an_export_keeps_only_what_it_gives() {
    let compile = |checkpointed| {
        let graph = from_export_json(exported(checkpointed).to_string().as_bytes());
        Training::compile(&graph.expect("it is read"), &options(&[])).expect("it compiles")
    };
    let (plain, marked) = (compile(false), compile(true));
    let products = |training: &Training| kept(training).iter().filter(|v| v.contains("mm")).count();
    let inputs = [floats(&[64, 8], 0.3), floats(&[8, 8], 7.7)];
    assert_eq!(step(&plain, &inputs, 1), step(&marked, &inputs, 1));
    // The derivative of the cosine reads the first product. The exponential is kept in place of the second.
    assert_eq!((products(&plain), products(&marked)), (1, 0), "{:?}, {:?}", kept(&plain), kept(&marked));
}

/// Results that show parts of one value, of an input or of a parameter have their own shapes and cotangents.
#[test]
fn results_that_are_parts_of_one_memory_have_cotangents() {
    let parts = |of: &str| {
        format!("%5 = aten.slice.Tensor({of}, 0, 0, 2)\n  %6 = aten.slice.Tensor({of}, 0, 1, 4)\n")
    };
    for (of, gradients) in [
        ("%3", [vec![2.0, 220.0, 2000.0, 20000.0], vec![0.0; 4]]),
        ("%0", [vec![1.0, 110.0, 1000.0, 10000.0], vec![0.0; 4]]),
        ("%2", [vec![0.0; 4], vec![1.0, 110.0, 1000.0, 10000.0]]),
    ] {
        let text = format!(
            "graph \"g\" {{\n  input %0 \"x\": float32[4]\n  parameter %2 \"w\": float32[4] = [5.0, 6.0, 7.0, 8.0]\n  \
             %3 = aten.mul.Scalar(%0, 2)\n  %4 = aten.add.Tensor(%0, %2)\n  {}  output \"a\" = %5\n  output \"b\" = %6\n  \
             output \"all\" = %4\n}}\n",
            parts(of)
        );
        let graph = parse(&text).expect("it parses");
        let training = Training::compile(&graph, &options(&[])).expect("it compiles");
        let tensor = |values: &[f32]| {
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
            Tensor::from_bytes(Dtype::Float32, &[values.len() as i64], &bytes).expect("memory")
        };
        let x = tensor(&[1.0, 2.0, 3.0, 4.0]);
        let cotangents = [tensor(&[1.0, 10.0]), tensor(&[100.0, 1000.0, 10000.0])];
        let given = cotangents.each_ref().map(|t| Some(std::ptr::from_ref(t.dl())));
        // SAFETY: own tensors are as they say, and the program writes to none.
        let (outputs, found) = unsafe {
            let (outputs, saved) =
                training.forward(training.forward_program(), &[x.dl()], None).expect("the forward runs");
            let backward = training.backward_program().expect("it compiles");
            let cotangents = [given[0], given[1], None];
            let found = training.backward(backward, &saved, &cotangents, None).expect("the backward runs");
            (outputs, found)
        };
        assert_eq!((outputs[0].shape(), outputs[1].shape()), (&[2][..], &[3][..]));
        assert_eq!(read(&outputs[0])[1], read(&outputs[1])[0]);
        for (found, want) in found.iter().zip(gradients) {
            assert_eq!(found.as_ref().map_or(vec![0.0; 4], read), want, "{of}");
        }
    }
}

/// The score of two heads without elements is 0, whatever the scale, so each of four keys has a quarter of the weight.
#[test]
fn heads_of_no_width_have_gradients() {
    let inputs = ["\"q\": float32[2, 3, 0]", "\"k\": float32[2, 4, 0]", "\"v\": float32[2, 4, 5]"];
    let nodes = ["%3 = aten.scaled_dot_product_attention.default(%0, %1, %2)", "%4 = aten.sum.default(%3)"];
    let training = program(&inputs, &nodes, 4);
    let values = [floats(&[2, 3, 0], 0.0), floats(&[2, 4, 0], 0.0), floats(&[2, 4, 5], 0.3)];
    let found = step(&training, &values, 1);
    assert_eq!(found[3], [0.75; 40]);
}

#[test]
fn both_halves_are_one_entry_of_the_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("cache");
    let dir = place.to_str().expect("text");
    let found = |more: &[(&str, &str)], halves: &[&str]| {
        let always = [("backend", "cpu"), ("cache.dir", dir), ("cache.memory_bytes", "0")];
        let training = deep_with(&[&always, more].concat());
        if halves.contains(&"backward") {
            training.backward_program().expect("it compiles");
        }
        let about = described(&training);
        let keys = halves.iter().map(|half| about[half]["cache_key"].as_str().expect("a key").to_string());
        let keys: Vec<String> = keys.collect();
        assert!(keys.iter().all(|key| *key == keys[0]));
        halves.iter().map(|half| about[half]["cache"].as_str().expect("text").to_string()).collect::<Vec<_>>()
    };
    // The compiler's version is an entry, too.
    let entries = || {
        let all = std::fs::read_dir(place.join("v1")).expect("a folder").map(|e| e.expect("an entry").path());
        all.filter(|e| e.is_dir() && !e.join("version").exists()).count()
    };
    let both = ["forward", "backward"];
    assert_eq!(found(&[], &["forward"]), ["miss"]);
    assert_eq!(found(&[], &both), ["hit", "miss"]);
    assert_eq!(found(&[], &both), ["hit", "hit"]);
    // A fresh compilation replaces its own half alone.
    assert_eq!(found(&[("cache.fresh", "true")], &["forward"]), ["miss"]);
    assert_eq!(found(&[], &both), ["hit", "hit"]);
    assert_eq!(entries(), 1);
    // Other options are another entry, and leave this one as it is.
    let other = [("cpp.optimization", "1")];
    assert_eq!(found(&other, &both), ["miss", "miss"]);
    assert_eq!(entries(), 2);
    for options in [&other[..], &[]] {
        assert_eq!(found(options, &both), ["hit", "hit"]);
    }
}
