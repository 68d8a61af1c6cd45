//! Reading exported programs: every archive under `tests/data`, and what happens when archives are damaged.

use litz::base::Status;
use litz::frontend::{FrontendError, from_export_json, from_pt2, from_pt2_bytes, to_export_json};
use litz::ir::text::print;
use litz::ir::{ConstantData, ConstantKind, Definition, Graph, Number, OutputValue};
use litz::meta::text::parse;
use litz::ops::{Form, OpId};
use litz::types::{Dtype, Range, Scalar};
use serde_json::{Value, json};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}
fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(data(&format!("{name}.pt2"))).expect("the sample is there")
}
fn read(name: &str) -> Graph {
    from_pt2(&data(&format!("{name}.pt2"))).unwrap_or_else(|e| panic!("{e}"))
}

/// An archive's entries, by name within the root.
fn entries(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(archive)).expect("a zip archive");
    (0..zip.len())
        .map(|k| {
            let mut entry = zip.by_index(k).expect("an entry");
            let mut content = Vec::new();
            entry.read_to_end(&mut content).expect("its data");
            let name = entry.name().expect("a name").into_owned();
            (name.split_once('/').map_or(name.clone(), |(_, n)| n.to_string()), content)
        })
        .collect()
}
fn archive(root: &str, entries: &[(String, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(format!("{root}{name}"), options).expect("an entry");
        writer.write_all(content).expect("its data");
    }
    writer.finish().expect("an archive").into_inner()
}
/// A sample with one entry changed.
fn changed(sample: &str, entry: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let mut all = entries(&bytes(sample));
    let found = all.iter_mut().find(|(n, _)| n == entry).expect("the entry is there");
    found.1 = change(std::mem::take(&mut found.1));
    archive("changed/", &all, CompressionMethod::Stored)
}
fn changed_json(sample: &str, entry: &str, change: impl Fn(&mut Value)) -> Vec<u8> {
    changed(sample, entry, |content| {
        let mut value: Value = serde_json::from_slice(&content).expect("JSON");
        change(&mut value);
        value.to_string().into_bytes()
    })
}
fn model(sample: &str) -> Value {
    let all = entries(&bytes(sample));
    let (_, content) = all.iter().find(|(n, _)| n == "models/model.json").expect("a program");
    serde_json::from_slice(content).expect("JSON")
}
fn error(archive: Vec<u8>) -> FrontendError {
    from_pt2_bytes(archive).expect_err("a damaged archive")
}
fn guard_holds(graph: &Graph, k: usize, values: &[(&str, i64)]) -> bool {
    let condition = graph.guards[k].condition;
    // Names first: the arena is locked while it evaluates.
    let known: Vec<_> = graph
        .syms
        .symbols(condition)
        .into_iter()
        .map(|id| (id, values.iter().find(|(n, _)| *n == graph.syms.symbol_name(id)).map(|(_, v)| *v)))
        .collect();
    let value = |id| known.iter().find(|(k, _)| *k == id).and_then(|(_, v)| *v);
    graph.syms.eval(condition, &value).expect("a value") != 0
}

/// What each sample that is not read is refused for.
const REFUSED: &[(&str, &str)] = &[
    ("custom_operators", "`mylib.blend.default`"),
    ("custom_operators_decomposed", "`mylib.accumulate.default`"),
];

#[test]
fn reads_every_sample_and_prints_it_as_text() {
    for entry in std::fs::read_dir(data("")).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "pt2") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        match (from_pt2(&path), REFUSED.iter().find(|(n, _)| *n == name)) {
            (Err(e), Some((_, why))) => {
                assert!(e.status == Status::Unsupported && e.message.contains(why), "{name}: {e}")
            }
            (Err(e), None) => panic!("{e}"),
            (Ok(_), Some((_, why))) => panic!("{name} was to be refused: {why}"),
            (Ok(graph), None) => {
                let text = print(&graph);
                let again = parse(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
                assert_eq!(print(&again), text, "{name}");
                let from_memory = from_pt2_bytes(bytes(&name)).expect("the same from memory");
                assert_eq!(print(&from_memory), text, "{name}");
            }
        }
    }
}

/// Operators with the types of their results, then outputs and guards. The nodes that make named views of a storage are left out.
fn outline(graph: &Graph) -> Vec<String> {
    let ty = |value| {
        let meta = graph.meta(value);
        let sizes: Vec<i64> = meta.shape.iter().map(|s| graph.syms.hint(*s)).collect();
        format!("{}{sizes:?}", meta.dtype)
    };
    let mut lines = Vec::new();
    for id in &graph.order {
        let node = &graph.nodes[*id];
        let is_storage = |v| graph.constants.iter().any(|c| c.value == v && !c.views.is_empty());
        if node.op == OpId::AsStrided && node.uses().all(is_storage) {
            continue;
        }
        let results: Vec<String> = node.outputs.iter().map(|v| ty(*v)).collect();
        let name =
            if node.form == Form::InPlace { node.op.inplace_name() } else { node.op.name().to_string() };
        lines.push(format!("{name} -> {}", results.join(", ")));
        lines.extend(node.subgraphs().flat_map(outline));
    }
    for output in &graph.outputs {
        lines.push(match output.value {
            OutputValue::Tensor(v) => format!("output {}: {}", output.name, ty(v)),
            OutputValue::Number(_) => format!("output {}", output.name),
        });
    }
    lines.push(format!("{} writes, {} guards", graph.writes.len(), graph.guards.len()));
    lines
}

#[test]
fn what_is_written_as_export_json_is_read_as_the_same_graph() {
    for entry in std::fs::read_dir(data("")).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let Some(name) =
            path.to_str().and_then(|p| p.strip_suffix(".pt2")?.rsplit('/').next().map(str::to_owned))
        else {
            continue;
        };
        let Ok(graph) = from_pt2(&path) else { continue };
        let text = to_export_json(&graph).unwrap_or_else(|e| panic!("{name}: {e}")).to_string();
        let again = from_export_json(text.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        assert_eq!(outline(&again), outline(&graph), "{name}");
        let names = |g: &Graph| -> Vec<String> {
            let constants = g.constants.iter().flat_map(|c| match &c.views[..] {
                [] => vec![c.name.clone()],
                views => views.iter().map(|v| v.name.clone()).collect(),
            });
            constants.chain(g.inputs.iter().map(|i| i.name.clone())).collect()
        };
        assert_eq!(names(&again), names(&graph), "{name}: constants became inputs");
        // What was read once is written the same.
        let second = to_export_json(&again).unwrap_or_else(|e| panic!("{name}: {e}"));
        let third = from_export_json(second.to_string().as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        // Gradients are named by inputs then, which are identifiers.
        let plain = |graph: &Graph| -> Vec<String> {
            outline(graph).iter().map(|line| line.replace('.', "_")).collect()
        };
        assert_eq!(plain(&third), plain(&graph), "{name}");
    }
}

/// A joint program tells its loss, its results and its gradients apart when it is written and read again, whether PyTorch
/// exported it so or Litz made it.
#[test]
fn kinds_of_a_joint_programs_results_are_written() {
    let kinds = |graph: &Graph| -> Vec<String> {
        let document = to_export_json(graph).unwrap_or_else(|e| panic!("{e}"));
        let specs = document["graph_module"]["signature"]["output_specs"].as_array().expect("a list").clone();
        let one = |spec: &Value| {
            let (kind, of) = spec.as_object().and_then(|o| o.iter().next()).expect("a kind");
            let name = |key: &str| of.get(key).and_then(Value::as_str);
            format!("{kind} {}", name("parameter_name").or(name("user_input_name")).unwrap_or_default())
        };
        specs.iter().map(one).collect()
    };
    let graph = read("joint_program");
    let names: Vec<String> =
        graph.constants.iter().map(|c| format!("gradient_to_parameter {}", c.name)).collect();
    let found = kinds(&graph);
    assert_eq!(found[0], "loss_output ");
    assert!(found.len() > 1 && found[1..].iter().all(|kind| names.contains(kind)), "{found:?}");
    let text = to_export_json(&graph).unwrap_or_else(|e| panic!("{e}")).to_string();
    let again = from_export_json(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    // Weights are left out, so its parameters are inputs now.
    let told = kinds(&again);
    assert_eq!((told.len(), &told[0]), (found.len(), &found[0]));
    assert!(told[1..].iter().all(|kind| kind.starts_with("gradient_to_user_input ")), "{told:?}");

    let text = r#"graph "g" { input %0 "x": float32[3]
 parameter %1 "w": float32[3] = [1.0, 2.0, 3.0]
 %2 = aten.mul.Tensor(%0, %1)
 output "y" = %2 }"#;
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut joint =
        litz::session::export_joint(&graph, &litz::session::Options::new()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(kinds(&joint), ["user_output ", "gradient_to_user_input x", "gradient_to_parameter w"]);
    // A result more, and it is not known any longer which is which.
    let value = joint.inputs[0].value;
    joint.add_output("more", OutputValue::Tensor(value));
    assert_eq!(kinds(&joint), ["user_output "; 4]);
}

/// PyTorch's schema has one entry for a list.
#[test]
fn a_list_behind_another_result_is_written_as_one() {
    let text = r#"graph "g" { input %0 "x": float32[4, 2]
 %1, %2, %3 = aten.histogramdd.default(%0, [3, 5])
 output "output[0]" = %1
 output "output[1]" = %2
 output "output[2]" = %3 }"#;
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let document = to_export_json(&graph).unwrap_or_else(|e| panic!("{e}"));
    let node = &document["graph_module"]["graph"]["nodes"][0];
    assert!(node["outputs"][0]["as_tensor"].is_object(), "{node}");
    assert_eq!(node["outputs"][1]["as_tensors"].as_array().map(Vec::len), Some(2), "{node}");
    let again = from_export_json(document.to_string().as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(outline(&again), outline(&graph));
}

/// Numbers of floats, sizes that a branch decides, a number in a tensor, and views of one storage.
#[test]
fn what_runs_decide_is_written_as_export_json() {
    let texts = [
        r#"graph "floats" { symbol n in [2, 100]
 input %0 "x": float32[n, 2]
 %1 = aten.mul.Scalar(%0, fdiv(float(n), 3.0))
 %2 = aten.slice.Tensor(%0, 0, 0, ftrunc(fmul(float(n), 0.7)))
 %3 = aten.add.Scalar(%1, fabs(fsub(1.0, fsqrt(float(n)))))
 output "output[0]" = %2
 output "output[1]" = %3
 output "output[2]" = fpow(fdiv(float(n), 7.0), 2.0)
 output "output[3]" = bool(flt(fdiv(float(n), 7.0), 2.0)) }"#,
        r#"graph "branch" { symbol u0 in [2, 3]
 input %0 "p": bool[]
 input %1 "x": float32[9]
 %2 = higher_order.cond.default(%0, graph "yes" { input %0 "x": float32[9]
 %1 = aten.slice.Tensor(%0, 0, 0, 2)
 output "result_0" = %1 }, graph "no" { input %0 "x": float32[9]
 %1 = aten.slice.Tensor(%0, 0, 0, 3)
 output "result_0" = %1 }, [%1], [u0])
 %3 = aten.mul.Scalar(%2, 2)
 output "output[0]" = %3
 output "output[1]" = 2*u0 }"#,
        r#"graph "item" { symbol bits in [-inf, inf]
 input %0 "x": float32[4]
 input %1 "f": float64[]
 litz.bind(%1, bits)
 %2 = aten.mul.Scalar(%0, as_float(bits))
 output "output[0]" = %2 }"#,
    ];
    for text in texts {
        let graph = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let document = to_export_json(&graph).unwrap_or_else(|e| panic!("{e}\n{text}")).to_string();
        let again = from_export_json(document.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{document}"));
        assert_eq!(outline(&again), outline(&graph));
    }
    let refused = |text: &str| to_export_json(&parse(text).unwrap_or_else(|e| panic!("{e}"))).unwrap_err();
    let exponential = r#"graph "g" { symbol n in [2, 9]
 input %0 "x": float32[n]
 output "y" = fexp(float(n)) }"#;
    assert!(refused(exponential).message.contains("`fexp`"));
    let whole = r#"graph "g" {
 buffer %0 "s" views [buffer "a" [2] strides [1] offset 0, buffer "b" [2] strides [1] offset 1]: float32[3] = [1.0, 2.0, 3.0]
 %1 = aten.neg.default(%0)
 output "y" = %1 }"#;
    assert!(refused(whole).message.contains("`a` is a view of"));
}

#[test]
fn weights_are_named_as_exported_and_not_copied_where_aligned() {
    let graph = read("mlp");
    assert_eq!(graph.inputs.iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["x"]);
    let names: Vec<&str> = graph.constants.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names,
        ["a.weight", "a.bias", "b.weight", "b.bias", "c.weight", "c.bias", "n.weight", "n.bias"]
    );
    assert!(graph.constants.iter().all(|c| c.kind == ConstantKind::Parameter));
    let all = entries(&bytes("mlp"));
    for (k, constant) in graph.constants.iter().enumerate() {
        let want = &all.iter().find(|(n, _)| *n == format!("data/weights/weight_{k}")).expect("a weight").1;
        assert_eq!(constant.data.bytes(), want, "{}", constant.name);
    }
    let mut aligned = ZipWriter::new(Cursor::new(Vec::new()));
    let options =
        SimpleFileOptions::default().compression_method(CompressionMethod::Stored).with_alignment(64);
    for (name, content) in &all {
        aligned.start_file(format!("mlp/{name}"), options).expect("an entry");
        aligned.write_all(content).expect("its data");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("aligned.pt2");
    std::fs::write(&path, aligned.finish().expect("an archive").into_inner()).expect("a file");
    let mapped = from_pt2(&path).expect("a graph");
    assert_eq!(print(&mapped), print(&graph));
    assert!(mapped.constants.iter().all(|c| matches!(*c.data, ConstantData::Shared { .. })));
}

#[test]
fn a_compressed_archive_and_one_without_a_root_read_the_same() {
    let all = entries(&bytes("mlp"));
    let want = print(&read("mlp"));
    let packed = archive("mlp/", &all, CompressionMethod::Deflated);
    assert_eq!(print(&from_pt2_bytes(packed).expect("a graph")), want);
    let bare = from_pt2_bytes(archive("", &all, CompressionMethod::Stored)).expect("a graph");
    assert_eq!(print(&bare).lines().skip(1).collect::<Vec<_>>(), want.lines().skip(1).collect::<Vec<_>>());
}

#[test]
fn ranges_and_hints_come_from_the_file() {
    let graph = read("mlp_dynamic_batch");
    let symbol = graph.syms.as_symbol(graph.symbols[0]).expect("a symbol");
    assert_eq!(graph.syms.symbol_range(symbol), Range::new(1, 512));
    assert_eq!(graph.syms.symbol_hint(symbol), Some(7));
    let unbounded = read("guarded_branch");
    let symbol = unbounded.syms.as_symbol(unbounded.symbols[0]).expect("a symbol");
    assert_eq!(unbounded.syms.symbol_range(symbol), Range::new(3, i64::MAX));
    let old = read("torch211_mlp_dynamic_batch");
    assert_eq!(
        print(&old).lines().skip(1).collect::<Vec<_>>(),
        print(&graph).lines().skip(1).collect::<Vec<_>>()
    );
}

#[test]
fn guards_become_conditions() {
    let graph = read("guarded_branch");
    assert_eq!(graph.guards.len(), 1);
    assert!(graph.guards[0].message.contains("x.size()[0] > y.size()[0]"));
    assert!(guard_holds(&graph, 0, &[("s77", 5), ("s17", 3)]));
    assert!(!guard_holds(&graph, 0, &[("s77", 3), ("s17", 5)]));
    let nested = read("guards_nested_inputs");
    let [d, l, k] = [0, 1, 2]
        .map(|i| nested.syms.symbol_name(nested.syms.as_symbol(nested.symbols[i]).expect("a symbol")));
    let at = |d_size, l_size, k_size| [(d.as_str(), d_size), (l.as_str(), l_size), (k.as_str(), k_size)];
    assert!(guard_holds(&nested, 0, &at(5, 4, 7)) && guard_holds(&nested, 1, &at(5, 4, 7)));
    assert!(!guard_holds(&nested, 0, &at(4, 5, 7)) && !guard_holds(&nested, 1, &at(8, 4, 4)));
    let modulo = read("guard_modulo");
    assert!(
        guard_holds(&modulo, 0, &[("s77", 8), ("s17", 3)])
            && !guard_holds(&modulo, 0, &[("s77", 9), ("s17", 3)])
    );
}

#[test]
fn in_place_operators_stand_as_written_and_signature_mutations_become_writes() {
    let stated = read("stateful_mutation");
    let outputs: Vec<&str> = stated.outputs.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(outputs, ["output[0]", "output[1]", "output[2]", "output[3]"]);
    assert!(stated.writes.is_empty() && stated.order.iter().any(|n| stated.nodes[*n].form == Form::InPlace));

    let written = read("mutations");
    assert!(written.writes.is_empty());
    let pure = read("mutations_decomposed");
    let targets: Vec<&str> = pure
        .writes
        .iter()
        .map(|w| match w.target {
            Definition::Constant(k) => pure.constants[k].name.as_str(),
            Definition::Input(k) => pure.inputs[k].name.as_str(),
            Definition::Node { .. } => "a node",
        })
        .collect();
    assert_eq!(targets, ["b", "x"]);
    for graph in [&written, &pure] {
        // None is no output; a number is.
        assert_eq!(graph.outputs.len(), 4);
        assert_eq!(graph.outputs[2].value, OutputValue::Number(Number::Scalar(Scalar::Int(3))));
        // Fixed numbers and None are no inputs.
        assert_eq!(graph.inputs.len(), 1);
        let kinds: Vec<ConstantKind> = graph.constants.iter().map(|c| c.kind).collect();
        use ConstantKind::{Buffer, Constant, Parameter};
        assert_eq!(kinds, [Parameter, Buffer, Buffer, Constant]);
    }
}

#[test]
fn weights_that_are_not_contiguous_are_made_so() {
    let graph = read("mutations");
    let stored = entries(&bytes("mutations"));
    let stored = &stored.iter().find(|(n, _)| n == "data/weights/weight_0").expect("a weight").1;
    let parameter = &graph.constants[0];
    assert_eq!(parameter.name, "p");
    for (row, column) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
        let element = |row: usize, column: usize| 4 * (3 * row + column)..4 * (3 * row + column) + 4;
        assert_eq!(parameter.data.bytes()[element(row, column)], stored[element(column, row)]);
    }
}

#[test]
fn equal_views_of_one_storage_are_one_constant() {
    let tied = changed_json("mlp", "data/weights/model_weights_config.json", |config| {
        config["config"]["n.bias"] = config["config"]["n.weight"].clone();
    });
    let graph = from_pt2_bytes(tied).expect("a graph");
    assert_eq!(graph.constants.len(), 7);
    assert_eq!(graph.constants[6].name, "n.weight");
    assert_eq!(graph.constants[6].aliases, ["n.bias"]);
}

#[test]
fn numbers_given_at_run_time_are_inputs_and_outputs() {
    let graph = read("number_input");
    let input = &graph.inputs[1];
    assert_eq!((input.name.as_str(), graph.meta(input.value).dtype), ("n", Dtype::Int64));
    let symbol = input.symbol.expect("a symbol");
    let twice = graph.syms.mul_const(symbol, 2);
    assert_eq!(graph.outputs[1].value, OutputValue::Number(Number::Symbolic(twice)));
    let derived = read("derived_dimension");
    let x = &derived.metas[derived.inputs[0].value].shape;
    assert_eq!(derived.syms.display(x[1]), "2*s40 + 1");
}

/// `forward(**more)`: guards know the name of the dictionary, and the tree of arguments its keys alone.
#[test]
fn guards_name_arguments_by_the_dictionary_that_holds_them() {
    let by_key = |guard: &str| {
        changed_json("guarded_branch", "models/model.json", |m| {
            let call = m.pointer_mut("/graph_module/module_call_graph/0/signature").expect("a signature");
            let leaf = json!({"type": null, "context": null, "children_spec": []});
            let half = |kind: &str, context: &str, leaves: usize| json!({"type": kind, "context": context, "children_spec": vec![leaf.clone(); leaves]});
            let halves = [half("builtins.tuple", "null", 0), half("builtins.dict", "[\"x\", \"y\"]", 2)];
            let tree = json!([1, {"type": "builtins.tuple", "context": "null", "children_spec": halves}]);
            call["in_spec"] = tree.to_string().into();
            m["guards_code"] = json!([guard]);
        })
    };
    let graph =
        from_pt2_bytes(by_key("L['more']['x'].size()[0] > L['more']['y'].size()[0]")).expect("a graph");
    assert!(guard_holds(&graph, 0, &[("s77", 5), ("s17", 3)]));
    assert!(!guard_holds(&graph, 0, &[("s77", 3), ("s17", 5)]));
    let e = error(by_key("L['more']['z'].size()[0] > 1"));
    assert!(e.status == Status::Unsupported && e.message.contains("there is no input"), "{e}");
}

#[test]
fn without_weights_constants_become_inputs() {
    let whole = model("mlp");
    let graph = from_export_json(whole.to_string().as_bytes()).expect("a graph");
    let names: Vec<&str> = graph.inputs.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(
        names,
        ["a.weight", "a.bias", "b.weight", "b.bias", "c.weight", "c.bias", "n.weight", "n.bias", "x"]
    );
    assert!(graph.constants.is_empty());
    let part = from_export_json(whole["graph_module"].to_string().as_bytes()).expect("a graph");
    assert_eq!(print(&part), print(&graph));
    let mutated = from_export_json(model("mutations_decomposed").to_string().as_bytes()).expect("a graph");
    assert!(mutated.writes.iter().all(|w| matches!(w.target, Definition::Input(_))));
}

#[test]
fn refusals_name_the_node_and_what_was_meant() {
    let renamed = changed_json("mlp", "models/model.json", |m| {
        m["graph_module"]["graph"]["nodes"][1]["target"] = json!("torch.ops.aten.gelo.default");
    });
    let e = error(renamed);
    assert_eq!((e.status, e.node.as_deref()), (Status::Unsupported, Some("gelu")));
    assert!(e.message.contains("aten.gelo.default") && e.message.contains("aten.gelu.default"), "{e}");
    let foreign = changed_json("mlp", "models/model.json", |m| {
        m["graph_module"]["graph"]["nodes"][1]["target"] = json!("torch.ops.mylib.special.default");
    });
    assert_eq!(error(foreign).status, Status::Unsupported);
    for number in [33, 15, 99] {
        let dtype = changed_json("mlp", "data/weights/model_weights_config.json", |c| {
            c["config"]["a.bias"]["tensor_meta"]["dtype"] = json!(number);
        });
        let e = error(dtype);
        assert!(e.status == Status::Unsupported && e.message.contains(&number.to_string()), "{e}");
    }
    let guard = changed_json("guarded_branch", "models/model.json", |m| {
        m["guards_code"] = json!(["L['x'].is_pinned()"]);
    });
    let e = error(guard);
    assert!(e.status == Status::Unsupported && e.message.contains("is_pinned"), "{e}");
}

#[test]
fn archives_of_other_kinds_are_refused_with_what_to_do() {
    let all = entries(&bytes("mlp"));
    let with = |name: &str, content: &str| changed("mlp", name, |_| content.as_bytes().to_vec());
    let cases = [
        (with("archive_format", "pt1"), Status::Parse, "not `pt2`"),
        (with("archive_version", "7"), Status::Unsupported, "version is 7"),
        (with("byteorder", "big"), Status::Unsupported, "`big`"),
        (
            changed_json("mlp", "models/model.json", |m| m["schema_version"]["major"] = json!(5)),
            Status::Unsupported,
            "major version 5",
        ),
        (
            changed_json("mlp", "data/weights/model_weights_config.json", |c| {
                c["config"]["a.bias"]["use_pickle"] = json!(true);
            }),
            Status::Unsupported,
            "2.10",
        ),
        (
            changed_json("mlp", "data/weights/model_weights_config.json", |c| {
                c["config"]["a.bias"]["path_name"] = json!("weight_77");
            }),
            Status::Parse,
            "weight_77",
        ),
        (
            changed("mlp", "data/weights/weight_1", |w| w[1..].to_vec()),
            Status::Parse,
            "does not lie within its storage",
        ),
        (
            archive("x/", &[("data.pkl".to_string(), vec![1])], CompressionMethod::Stored),
            Status::Unsupported,
            "pickled",
        ),
        (
            archive("x/", &[("../archive_format".to_string(), b"pt2".to_vec())], CompressionMethod::Stored),
            Status::Parse,
            "leads out",
        ),
        (archive("x/", &all[..0], CompressionMethod::Stored), Status::Parse, "archive_format"),
        (b"not a zip archive at all".to_vec(), Status::Parse, "no .pt2 archive"),
        (Vec::new(), Status::Parse, "no .pt2 archive"),
    ];
    for (archive, status, message) in cases {
        let e = error(archive);
        assert!(e.status == status && e.message.contains(message), "{:?} {e}", e.status);
    }
    let missing = from_pt2(&data("no_such_file.pt2")).expect_err("no file");
    assert!(missing.status == Status::Io && missing.message.contains("no_such_file.pt2"), "{missing}");
    assert_eq!(from_pt2(&data("")).expect_err("a folder").status, Status::Io);
}

#[test]
fn a_truncated_archive_is_an_error() {
    let whole = bytes("mlp");
    for end in (0..whole.len()).step_by(whole.len() / 64).chain([whole.len() - 1]) {
        let e = error(whole[..end].to_vec());
        assert_eq!(e.status, Status::Parse, "{end}: {e}");
    }
}

/// Writes a number of four bytes at an offset of every header that begins with a signature.
fn patched(archive: &[u8], signature: &[u8; 4], offset: usize, value: u32) -> Vec<u8> {
    let mut bytes = archive.to_vec();
    for at in 0..archive.len() - 4 {
        if archive[at..].starts_with(signature) && at + offset + 4 <= bytes.len() {
            bytes[at + offset..at + offset + 4].copy_from_slice(&value.to_le_bytes());
        }
    }
    bytes
}

#[test]
fn a_zip_bomb_is_an_error() {
    let mut all = entries(&bytes("mlp"));
    let model = all.iter_mut().find(|(n, _)| n == "models/model.json").expect("a program");
    // A hundred megabytes of blanks, which are valid JSON, in a hundred kilobytes.
    model.1.extend(std::iter::repeat_n(b' ', 100 << 20));
    let bomb = archive("bomb/", &all, CompressionMethod::Deflated);
    assert!(bomb.len() < 1 << 20);
    drop(all);
    let (central, local) = (b"PK\x01\x02", b"PK\x03\x04");
    // It says that it is larger, smaller, and as large as can be said.
    for size in [u32::MAX - 1, 3 << 30, 4096, 0] {
        let lying = patched(&patched(&bomb, central, 24, size), local, 22, size);
        let e = error(lying);
        assert!(e.status == Status::Parse, "{size}: {e}");
    }
    let e = error(patched(&bomb, central, 24, 3 << 30));
    assert!(e.message.contains("too much"), "{e}");
}

#[test]
fn expressions_that_nest_deep_are_errors() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    for (open, close) in [("(", ")"), ("not ", ""), ("-", ""), ("f(", ")"), ("[", "]"), ("Add(1, ", ")")] {
        let nested = deep(open, close);
        let e = error(changed_json("guarded_branch", "models/model.json", |m| {
            m["guards_code"] = json!([nested])
        }));
        assert!(matches!(e.status, Status::Parse | Status::Unsupported), "{open}: {e}");
        let place = "/graph_module/graph/tensor_values/x/sizes/0/as_expr/expr_str";
        let e = error(changed_json("mlp_dynamic_batch", "models/model.json", |m| {
            *m.pointer_mut(place).expect("a symbolic size") = json!(nested);
        }));
        assert!(matches!(e.status, Status::Parse | Status::Unsupported), "{open}: {e}");
    }
}

/// A flipped bit is found, or lies where it changes nothing.
#[test]
fn a_flipped_bit_never_changes_a_program() {
    for sample in ["mlp_dynamic_batch", "mutations"] {
        let whole = bytes(sample);
        let want = print(&from_pt2_bytes(whole.clone()).expect("a graph"));
        let body = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_string());
        let step = (whole.len() / 400).max(1);
        for at in (0..whole.len()).step_by(step).chain(whole.len().saturating_sub(300)..whole.len()) {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            if let Ok(graph) = from_pt2_bytes(flipped) {
                // The root folder's name is not part of the program.
                assert_eq!(body(&print(&graph)), body(&want), "{sample}, byte {at}");
            }
        }
    }
}

/// None and strings among the outputs are described where they stand; a run gives the others.
#[test]
fn what_is_no_tensor_is_returned_by_the_signature() {
    let mut document = model("guarded_branch");
    let specs = "/graph_module/signature/output_specs";
    let list = document.pointer_mut(specs).and_then(Value::as_array_mut).expect("outputs");
    let count = list.len();
    list.insert(0, json!({"user_output": {"arg": {"as_string": "mean"}}}));
    list.push(json!({"user_output": {"arg": {"as_none": true}}}));
    let unfit = from_export_json(document.to_string().as_bytes()).expect_err("the tree is another one");
    assert!(unfit.status == Status::Parse && unfit.message.contains("out_spec has"), "{unfit}");
    let leaf = json!({"type": null, "context": null, "children_spec": []});
    let tree =
        json!([1, {"type": "builtins.tuple", "context": "null", "children_spec": vec![leaf; count + 2]}]);
    let call = document.pointer_mut("/graph_module/module_call_graph/0/signature").expect("a signature");
    call["out_spec"] = tree.to_string().into();
    let graph = from_export_json(document.to_string().as_bytes()).expect("it is read");
    assert_eq!(graph.outputs.len(), count);
    let signature = litz::ir::describe::graph(&graph)["signature"]["outputs"].clone();
    let fixed = json!({"path": "output[0]", "kind": "fixed", "type": "string", "value": "mean"});
    assert_eq!(signature[0], fixed);
    assert_eq!(signature[1]["name"], graph.outputs[0].name);
    assert_eq!(signature[count + 1], json!({"path": format!("output[{}]", count + 1), "kind": "none"}));
}

#[test]
fn broken_json_is_an_error_with_its_place() {
    let e = error(changed("mlp", "models/model.json", |m| m[..m.len() / 2].to_vec()));
    assert!(
        e.status == Status::Parse && e.message.contains("line 1") && e.message.contains("models/model.json"),
        "{e}"
    );
    for open in ["[", "{\"a\":"] {
        let deep = open.repeat(100_000);
        assert_eq!(from_export_json(deep.as_bytes()).expect_err("too deep").status, Status::Parse);
    }
    for text in ["", "null", "[]", "{}", "{\"graph\": 3}", "\u{0}", "{\"graph_module\": {}}"] {
        assert_eq!(from_export_json(text.as_bytes()).expect_err(text).status, Status::Parse, "{text}");
    }
}

/// Every member of a document removed or replaced by something of another kind: an error, or a graph that holds.
#[test]
fn no_change_to_a_document_panics() {
    let strange = [
        Value::Null,
        json!(-1),
        json!(9223372036854775807i64),
        json!(1e300),
        json!("x"),
        json!(""),
        json!([]),
        json!({}),
        json!({"as_int": -3}),
        json!({"as_none": true}),
        json!(true),
    ];
    for sample in
        ["guarded_branch", "number_input", "mutations_decomposed", "derived_dimension", "no_grad_region"]
    {
        let whole = model(sample);
        let mut paths = Vec::new();
        collect_paths(&whole, String::new(), &mut paths);
        for (k, path) in paths.iter().enumerate() {
            // Every path with some replacements, in turn.
            for with in strange.iter().skip(k % 4).step_by(4) {
                let mut broken = whole.clone();
                *broken.pointer_mut(path).expect("a place") = with.clone();
                if let Ok(graph) = from_export_json(broken.to_string().as_bytes()) {
                    let text = print(&graph);
                    assert!(parse(&text).is_ok(), "{sample} {path} {with}: {:?}\n{text}", parse(&text).err());
                }
            }
        }
    }
}

fn collect_paths(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(k, v)| {
            let key = k.replace('~', "~0").replace('/', "~1");
            collect_paths(v, format!("{path}/{key}"), found);
        }),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(k, v)| collect_paths(v, format!("{path}/{k}"), found));
        }
        _ => {}
    }
    if !path.is_empty() {
        found.push(path);
    }
}

/// What PyTorch's kernels for GPUs keep in float32 is read back so.
#[test]
fn an_exported_graph_of_a_gpu_is_read_as_one() {
    let text = "graph \"g\" {\n  gpu\n  input %0 \"x\": bfloat16[2, 3]\n  %1, %2, %3 = aten.native_layer_norm.default(%0, [3], None, None, 1e-5)\n  \
                output \"mean\" = %2\n}";
    let graph = litz::meta::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let document = to_export_json(&graph).unwrap_or_else(|e| panic!("{e}"));
    let again = from_export_json(document.to_string().as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    let printed = litz::ir::text::print(&again);
    assert!(printed.contains("\n  gpu\n") && printed.contains("float32[2, 1]"), "{printed}");
}
