//! What programs hold beside operators on tensors: tensors made of others, regions that are called again, and graphs to choose from.

use litz::base::Status;
use litz::frontend::{from_export_json, from_pt2};
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Executable, Options};
use litz::types::Dtype;
use serde_json::{Value as Json, json};
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

fn outputs(name: &str) -> (Vec<String>, serde_json::Value) {
    let graph = from_pt2(&data(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let spec = session::graph_spec(&graph).expect("a signature");
    let paths = spec["outputs"].as_array().unwrap().iter().map(|o| o["path"].as_str().unwrap().to_string());
    let told = spec["metadata"]["composite_outputs"].as_str().expect("metadata");
    (paths.collect(), serde_json::from_str(told).expect("JSON"))
}

/// A result that is made of others is its parts, under the names that the archive gives them, where the tensor was.
#[test]
fn a_result_made_of_others_is_its_parts() {
    let (paths, told) = outputs("composite/results.pt2");
    let rows = ["qdata", "scale", "zero_point"].map(|part| format!("output[\"rows\"][\"{part}\"]"));
    assert_eq!(paths, [&rows[..], &["output[\"y\"]".to_string()]].concat());
    let about = &told["output[\"rows\"]"];
    assert_eq!(about["parts"], serde_json::json!(["qdata", "scale", "zero_point"]), "{told}");
    assert_eq!((&about["type"], &about["dtype"]), (&"Int8Tensor".into(), &"torch.float32".into()), "{told}");
    // Sizes that only a run knows come with the parts.
    let (paths, _) = outputs("composite/sizes.pt2");
    let parts = ["a", "size0", "b", "size1", "size2"].map(|part| format!("output[1][\"{part}\"]"));
    assert_eq!(paths, [&["output[0]".to_string()], &parts[..], &["output[2]".to_string()]].concat());
}

/// The only result of a program needs no word of the archive's; its parts are numbered.
#[test]
fn the_parts_of_the_only_result_are_known() {
    let (paths, told) = outputs("composite/one_result.pt2");
    assert_eq!(paths, ["0", "1", "2", "3"].map(|part| format!("output[\"{part}\"]")));
    assert_eq!(told["output"]["parts"], serde_json::json!(["0", "1", "2", "3"]), "{told}");
}

#[test]
fn a_composite_input_that_is_returned_is_its_parts() {
    let (paths, told) = outputs("composite/returned.pt2");
    let weight = ["qdata", "scale"].map(|part| format!("output[\"weight\"][\"{part}\"]"));
    assert_eq!(paths, [&weight[..], &["output[\"y\"]".to_string()]].concat());
    assert_eq!(
        told["output[\"weight\"]"]["sizes"],
        serde_json::json!([{"as_int": 8}, {"as_int": 16}]),
        "{told}"
    );
}

/// Which results are parts of which is never guessed.
#[test]
fn results_that_nothing_tells_apart_are_refused() {
    for (name, said) in [
        ("untold", "gives 4 results where its tree has 2"),
        ("not_decomposed", "save what `run_decompositions` makes of the export"),
    ] {
        let error = from_pt2(&data(&format!("composite/{name}.pt2"))).expect_err(name);
        assert_eq!(error.status(), Status::Unsupported, "{error}");
        let message = error.to_string();
        assert!(message.contains(said) && message.contains("composite_outputs"), "{message}");
    }
}

/// PyTorch does not save a program that makes a composite tensor; its JSON names the operator.
#[test]
fn a_composite_tensor_that_a_program_makes_is_refused_by_name() {
    let json = r#"{"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "two"}}],
        "nodes": [{"target": "torch.ops.higher_order.flat_apply", "name": "two", "inputs": [], "outputs": [{"as_tensor": {"name": "two"}}], "metadata": {}}],
        "tensor_values": {"x": {"dtype": 7, "sizes": [{"as_int": 3}], "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7, "requires_grad": false, "device": {"type": "cpu", "index": null}}},
        "sym_int_values": {}, "sym_bool_values": {}},
        "signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}], "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "two"}}}}]}}"#;
    let error = litz::frontend::export_json::read(json.as_bytes()).expect_err("refused");
    assert_eq!(error.status(), Status::Unsupported, "{error}");
    let message = error.to_string();
    assert!(message.contains("`flat_apply`") && message.contains("return the parts"), "{message}");
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

/// `[0, 1, …]` split by an operator into as many parts as the text names, on a dimension that only a run knows.
fn split_of(operator: &str, args: &str, parts: usize) -> Result<Executable, String> {
    let names: Vec<String> = (0..parts).map(|k| format!("%{}", k + 1)).collect();
    let outputs: String =
        names.iter().enumerate().map(|(k, n)| format!("  output \"p{k}\" = {n}\n")).collect();
    let text = format!(
        "graph \"g\" {{\n  symbol s0 in [0, 64]\n  symbol s1 in [0, 64]\n  input %0 \"x\": float32[s0]\n  input %99 \"y\": float32[s1]\n  {} = aten.{operator}(%0, {args})\n{outputs}}}",
        names.join(", ")
    );
    let graph = parse(&text).map_err(|e| e.to_string())?;
    session::compile(&graph, &options("interpreter")).map_err(|e| e.to_string())
}

/// The sizes of the parts of `size` elements, which must be those elements in order; `None` where the size is refused.
fn part_sizes(executable: &Executable, size: usize, other: usize) -> Option<Vec<usize>> {
    let all: Vec<f32> = (0..size).map(|k| k as f32).collect();
    let tensors = [floats(&all), floats(&vec![0.0; other])];
    match executable.run_tensors(&[&tensors[0], &tensors[1]]) {
        Ok(results) => {
            let parts: Vec<Vec<u8>> = results.iter().map(|t| t.bytes().to_vec()).collect();
            let whole: Vec<u8> = all.iter().flat_map(|v| v.to_le_bytes()).collect();
            assert_eq!(parts.concat(), whole, "{size}");
            Some(parts.iter().map(|p| p.len() / 4).collect())
        }
        Err(error) => {
            assert_eq!(error.status, Status::Shape, "{error}");
            None
        }
    }
}

/// PyTorch's parts of `size` elements.
fn chunks(size: usize, chunks: usize) -> Vec<usize> {
    if size == 0 { vec![0; chunks] } else { pieces(size, size.div_ceil(chunks)) }
}
fn pieces(size: usize, each: usize) -> Vec<usize> {
    if size == 0 { vec![0] } else { (0..size).step_by(each).map(|at| each.min(size - at)).collect() }
}

/// Runs give the parts that PyTorch gives, where they are as many as the program was made for; other sizes are refused.
#[test]
fn a_dimension_of_unknown_size_is_split_into_the_parts_that_a_program_names() {
    for (parts, asked) in [(1, 1), (1, 4), (2, 2), (3, 3), (3, 4), (4, 4), (5, 8)] {
        for operator in ["chunk.default", "unsafe_chunk.default"] {
            let executable = split_of(operator, &asked.to_string(), parts).unwrap();
            for size in 0..20 {
                let want = Some(chunks(size, asked)).filter(|w| w.len() == parts);
                assert_eq!(part_sizes(&executable, size, 1), want, "{size} in {asked} chunks");
            }
        }
    }
    for (parts, each) in [(1, 3), (2, 3), (4, 2), (3, 1)] {
        for operator in ["split.Tensor", "unsafe_split.Tensor", "split_copy.Tensor"] {
            let executable = split_of(operator, &each.to_string(), parts).unwrap();
            for size in 0..14 {
                let want = Some(pieces(size, each)).filter(|w| w.len() == parts);
                assert_eq!(part_sizes(&executable, size, 1), want, "{size} in parts of {each}");
            }
        }
    }
    let executable = split_of("split.Tensor", "s1", 3).unwrap();
    for (size, each) in (0..14).flat_map(|size| (1..8).map(move |each| (size, each))) {
        let want = Some(pieces(size, each)).filter(|w| w.len() == 3);
        assert_eq!(part_sizes(&executable, size, each), want, "{size} in parts of {each}");
    }
    assert_eq!(part_sizes(&executable, 4, 0), None);
    let executable = split_of("tensor_split.sections", "3", 3).unwrap();
    for size in 0..11 {
        let want = (0..3).map(|k| size / 3 + usize::from(k < size % 3)).collect();
        assert_eq!(part_sizes(&executable, size, 1), Some(want), "{size} in 3 sections");
    }
    let executable = split_of("hsplit.int", "3", 3).unwrap();
    for size in 0..11 {
        let want = (size % 3 == 0).then(|| vec![size / 3; 3]);
        assert_eq!(part_sizes(&executable, size, 1), want, "{size} in 3 equal parts");
    }
    for operator in ["unbind.int", "unbind_copy.int"] {
        let executable = split_of(operator, "0", 3).unwrap();
        for size in 0..5 {
            assert_eq!(part_sizes(&executable, size, 1), (size == 3).then(|| vec![1; 3]), "{size} unbound");
        }
    }
}

#[test]
fn a_number_of_parts_that_no_size_gives_is_refused() {
    for (operator, args, parts) in [
        ("chunk.default", "2", 3),
        ("split.Tensor", "2", 40),
        ("split.Tensor", "-1", 2),
        ("unbind.int", "0", 65),
    ] {
        let refused = split_of(operator, args, parts).err().expect(operator);
        assert!(refused.contains(operator), "{refused}");
    }
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

/// A mask with more dimensions than what it chooses from repeats it. PyTorch's exporter asserts that no more is chosen than there is
/// without that.
#[test]
fn a_mask_that_repeats_its_operand_may_choose_more_than_that_has() {
    let program = |own: &[i64], mask: &[i64], asserted: i64| {
        let tensor = |dtype: i64, shape: &[i64]| {
            let sizes: Vec<Json> = shape.iter().map(|n| json!({"as_int": n})).collect();
            let strides = (0..shape.len()).map(|k| json!({"as_int": shape[k + 1..].iter().product::<i64>()}));
            json!({"dtype": dtype, "sizes": sizes, "strides": strides.collect::<Vec<_>>(), "storage_offset": {"as_int": 0},
                "requires_grad": false, "device": {"type": "cpu", "index": null}, "layout": 7})
        };
        let given = |name: &str| json!({"as_tensor": {"name": name}});
        let arg = |name: &str, value: Json| json!({"name": name, "arg": value, "kind": 1});
        let node = |target: &str, inputs: Vec<Json>, outputs: Vec<Json>| json!({"target": target, "inputs": inputs, "outputs": outputs, "metadata": {}});
        let size = json!({"as_sym_int": {"as_name": "size"}});
        let count = json!({"as_expr": {"expr_str": "u0", "hint": null}});
        let mut chosen = tensor(7, &[1]);
        chosen["sizes"][0] = count.clone();
        json!({"graph": {
            "inputs": [given("x"), given("m")],
            "outputs": [given("y")],
            "nodes": [
                node("torch.ops.aten.masked_select.default", vec![arg("self", given("x")), arg("mask", given("m"))], vec![given("y")]),
                node("torch.ops.aten.sym_size.int", vec![arg("self", given("y")), arg("dim", json!({"as_int": 0}))], vec![size.clone()]),
                node("_operator.le", vec![arg("", size), arg("", json!({"as_int": asserted}))],
                    vec![json!({"as_sym_bool": {"as_name": "le"}})]),
                node("torch.ops.aten._assert_scalar.default",
                    vec![arg("self", json!({"as_sym_bool": {"as_name": "le"}})), arg("assert_msg", json!({"as_string": "too many"}))], vec![])
            ],
            "tensor_values": {"x": tensor(7, own), "m": tensor(12, mask), "y": chosen},
            "sym_int_values": {"size": count},
            "sym_bool_values": {"le": {"as_expr": {"expr_str": format!("u0 <= {asserted}"), "hint": null}}}},
            "signature": {"input_specs": [{"user_input": {"arg": given("x")}}, {"user_input": {"arg": given("m")}}],
                "output_specs": [{"user_output": {"arg": given("y")}}]},
            "range_constraints": {"u0": {"min_val": 0, "max_val": asserted}},
            "schema_version": {"major": 8, "minor": 20}})
    };
    for backend in ["interpreter", "cpu"] {
        for (own, mask, asserted, want) in [
            (&[2, 2][..], &[3, 2, 2][..], 4, Some(12)),
            (&[4, 1], &[1, 5], 4, Some(20)),
            (&[4, 5], &[4, 1], 20, Some(20)),
            // What the program itself asserts holds.
            (&[2, 2], &[3, 2, 2], 11, None),
            (&[2, 2], &[2, 2], 3, None),
        ] {
            let text = program(own, mask, asserted).to_string();
            let graph = from_export_json(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
            let executable = session::compile(&graph, &options(backend)).unwrap_or_else(|e| panic!("{e}"));
            let count = |shape: &[i64]| shape.iter().product::<i64>();
            let x: Vec<u8> = (0..count(own)).flat_map(|k| (k as f32).to_le_bytes()).collect();
            let x = Tensor::from_bytes(Dtype::Float32, own, &x).expect("memory");
            let m = Tensor::from_bytes(Dtype::Bool, mask, &vec![1; count(mask) as usize]).expect("memory");
            match (executable.run_tensors(&[&x, &m]), want) {
                (Ok(found), Some(n)) => assert_eq!(found[0].shape(), [n], "{own:?} by {mask:?}"),
                (Err(error), None) => assert!(error.to_string().contains("too many"), "{error}"),
                (found, _) => panic!("{own:?} by {mask:?}: {}", found.is_ok()),
            }
        }
    }
}
