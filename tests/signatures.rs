//! Signatures of exported programs against what PyTorch says of them (`tests/trees.py` made both), as graphs, texts and
//! executables, and what is wrong with signatures that a host gives.

use litz::frontend::from_pt2;
use litz::ir::text::print;
use litz::ir::{Graph, spec};
use litz::meta::text::parse;
use litz::session::{self, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const ALL: [&str; 5] = ["plain", "classes", "single", "dynamic", "mutated"];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/trees").join(name)
}
fn read(name: &str) -> Graph {
    from_pt2(&data(&format!("{name}.pt2"))).unwrap_or_else(|e| panic!("{name}: {e}"))
}
fn recorded(name: &str) -> Value {
    let text = std::fs::read_to_string(data(&format!("{name}.json"))).expect("the record is there");
    serde_json::from_str(&text).expect("JSON")
}
fn given(name: &str) -> Value {
    session::graph_spec(&read(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}
fn list<'a>(spec: &'a Value, side: &str) -> &'a Vec<Value> {
    spec[side].as_array().expect("a list")
}

/// A size of the record against one of ours: a symbol stands for any.
fn size_fits(ours: &Value, theirs: &Value) -> bool {
    ours.is_string() || ours == theirs
}

#[test]
fn leaves_are_those_of_pytorch() {
    for name in ALL {
        let (ours, theirs) = (given(name), recorded(name));
        for key in ["in_tree", "out_tree", "metadata"] {
            assert_eq!(ours[key], theirs[key], "{name}");
        }
        for side in ["inputs", "outputs"] {
            let paths = |spec: &Value| list(spec, side).iter().map(|l| l["path"].clone()).collect::<Vec<_>>();
            assert_eq!(paths(&ours), paths(&theirs), "{name}");
            for (ours, theirs) in list(&ours, side).iter().zip(list(&theirs, side)) {
                let place = format!("{name}: {ours} for {theirs}");
                match ours["kind"].as_str().expect("a kind") {
                    // A number is a tensor where a run gives it; where it is known it has a value.
                    "scalar" => {
                        assert!(theirs["kind"] == "fixed", "{place}");
                        assert!(ours.get("value").is_none_or(|v| *v == theirs["value"]), "{place}");
                    }
                    "fixed" => {
                        assert_eq!((&ours["kind"], &ours["value"]), (&theirs["kind"], &theirs["value"]))
                    }
                    "none" => assert_eq!(theirs["kind"], "none", "{place}"),
                    _ => {
                        assert_eq!(ours["dtype"], theirs["dtype"], "{place}");
                        for key in ["shape", "strides"] {
                            let (ours, theirs) = (list(ours, key), list(theirs, key));
                            let fits = ours.iter().zip(theirs).all(|(o, t)| size_fits(o, t));
                            assert!(ours.len() == theirs.len() && fits, "{place}");
                        }
                        if side == "outputs" {
                            assert_eq!(ours["alias_of"], theirs["alias_of"], "{place}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn results_are_named_by_their_paths() {
    let names = |name: &str| read(name).outputs.iter().map(|o| o.name.clone()).collect::<Vec<_>>();
    assert_eq!(names("single"), ["output"]);
    assert_eq!(names("dynamic"), ["output[0]", "output[1][0]", "output[1][1]", "output[2]"]);
    assert_eq!(names("classes")[1..3], ["output[0].second.scale", "output[0].second.weight"]);
}

#[test]
fn fields_of_named_tuples_are_named() {
    let spec = given("classes");
    assert_eq!(spec["inputs"][0]["path"], "args[0].first");
    // What was given is what may be set, and trees that differ are told by the same paths.
    let mut graph = read("classes");
    assert_eq!(spec::read(&graph, &spec).unwrap(), graph.spec);
    let told = difference("classes", |s| {
        let tree = s["out_tree"].as_str().expect("a tree").replace("[\\\"bias\\\"]]", "[\\\"other\\\"]]");
        *s = json!({"out_tree": tree});
    });
    assert!(told.starts_with("output[0].second: this trees.Settings has the context"), "{told}");
    // Paths of another's making name nothing.
    let indices = |text: String| text.replace(".first", "[0]").replace(".second", "[1]");
    let plain: Value = serde_json::from_str(&indices(spec.to_string())).unwrap();
    graph.spec = spec::read(&graph, &plain).unwrap();
    assert_eq!(spec::inputs(&graph).leaves[0].path, "args[0][0]");
    // Written for PyTorch, they are where PyTorch has them.
    let written = litz::frontend::to_export_json(&read("classes")).unwrap();
    let fields = &written["graph_module"]["treespec_namedtuple_fields"];
    assert_eq!(*fields, json!({"trees.Pair": {"field_names": ["first", "second"]}}));
    // Fields that are None are no leaves there, and come back.
    let again = litz::frontend::from_export_json(written.to_string().as_bytes()).unwrap();
    assert_eq!(spec::signature(&again), spec::signature(&read("classes")));
}

#[test]
fn what_a_run_changes_is_said() {
    let spec = given("mutated");
    assert_eq!(spec["inputs"][0]["mutated"], true);
    assert_eq!(spec["inputs"][1]["mutated"], false);
    assert_eq!(spec["outputs"][1]["alias_of"], json!({"constant": "count"}));
}

#[test]
fn a_text_keeps_the_signature() {
    for name in ALL {
        let graph = read(name);
        let again = parse(&print(&graph)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again.spec, graph.spec, "{name}");
        assert_eq!(print(&again), print(&graph), "{name}");
    }
}

#[test]
fn a_text_whose_signature_does_not_fit_is_told() {
    let wrong = |lines: &str| {
        let text = format!("graph \"g\" {{\n  input %0 \"x\": float32[2]\n  output \"y\" = %0\n{lines}}}\n");
        parse(&text).expect_err("the text is wrong").to_string()
    };
    assert!(wrong("  argument \"a\"\n  argument \"b\"\n").contains("as many leaves as the graph has inputs"));
    assert!(wrong("  result \"a\" = None\n").contains("as many leaves as the graph has outputs"));
    assert!(wrong("  metadata \"a\" = \"b\"\n  metadata \"a\" = \"c\"\n").contains("given twice"));
    assert!(wrong("  results \"t\"\n  results \"t\"\n").contains("given twice"));
    assert!(wrong("  argument 3\n").contains("the path as a string"));
}

#[test]
fn executables_have_the_graphs_signature() {
    for name in ALL {
        let graph = read(name);
        let mut options = Options::default();
        options.set("backend", "interpreter").expect("an option");
        let executable = session::compile(&graph, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        let spec = executable.spec().expect("a signature");
        assert_eq!(spec, given(name), "{name}");
        assert!(!executable.describe().contains("in_tree"), "{name}");
        spec::compare(&spec, &spec).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

/// The first difference that is found when a member of a signature is another one.
fn difference(name: &str, change: impl FnOnce(&mut Value)) -> String {
    let own = given(name);
    let mut other = own.clone();
    change(&mut other);
    spec::compare(&own, &other).expect_err("a difference").to_string()
}

#[test]
fn the_first_path_that_differs_is_named() {
    let told = |change: &dyn Fn(&mut Value)| difference("plain", change);
    let value = told(&|s| s["inputs"][4]["value"] = json!(3.0));
    assert!(value.starts_with("kwargs.scale: its value is 3.0, where the program has 2.0"), "{value}");
    let kind = told(&|s| s["inputs"][2]["kind"] = json!("tensor"));
    assert!(kind.starts_with("args[1][0][\"deep\"][0]: its kind is \"tensor\""), "{kind}");
    let shape = told(&|s| s["inputs"][1]["shape"][1] = json!(4));
    assert!(shape.starts_with("args[0][\"x\"]: its shape is [2,4], where the program has [2,3]"), "{shape}");
    let tree = |key: &'static str, from: &'static str, to: &'static str| {
        difference("plain", move |s| {
            let text = s[key].as_str().expect("a tree").replacen(from, to, 1);
            s[key] = text.into();
        })
    };
    let order = tree("in_tree", r#"[\"z\", \"x\"]"#, r#"[\"x\", \"z\"]"#);
    assert!(order.starts_with("args[0]: this builtins.dict has the context [\"x\",\"z\"]"), "{order}");
    let kind = tree("in_tree", "collections.deque", "builtins.list");
    assert!(kind.starts_with("args[0][\"z\"]: it is builtins.list"), "{kind}");
    let named = tree("in_tree", r#"\"mask\""#, r#"\"other\""#);
    assert!(named.starts_with("kwargs: this builtins.dict has the context"), "{named}");
    let out = tree("out_tree", "collections.OrderedDict", "builtins.dict");
    assert!(out.starts_with("output[1]: it is builtins.dict"), "{out}");
    let missing = told(&|s| {
        s["inputs"].as_array_mut().expect("a list").pop();
    });
    assert!(missing.starts_with("kwargs.steps: the program has it"), "{missing}");
    let more = told(&|s| {
        let list = s["outputs"].as_array_mut().expect("a list");
        list.push(json!({"path": "output[2]"}));
    });
    assert!(more.starts_with("output[2]: the program has 12 outputs only"), "{more}");
    let unknown = told(&|s| s["inputs"][0]["colour"] = json!("red"));
    assert!(unknown.starts_with("args[0][\"z\"][0]: `colour` is no member"), "{unknown}");
    // A size of a run fits any number, and none that is negative.
    let own = given("dynamic");
    let mut other = own.clone();
    other["inputs"][0]["shape"][0] = json!(17);
    assert_eq!(spec::compare(&own, &other), Ok(()));
    other["inputs"][0]["shape"][0] = json!(-1);
    assert!(spec::compare(&own, &other).is_err());
}

/// Trees and leaves are one walk: a leaf before a node of the tree that differs is named, and a node before its leaves.
#[test]
fn trees_and_leaves_are_compared_in_one_walk() {
    let two = |leaf: usize, from: &str, to: &str| {
        difference("plain", |s| {
            s["inputs"][leaf]["kind"] = json!("other");
            let text = s["in_tree"].as_str().expect("a tree").replacen(from, to, 1);
            assert_ne!(s["in_tree"], json!(text), "{from} stands in the tree");
            s["in_tree"] = text.into();
        })
    };
    let leaf = two(0, "collections.defaultdict", "builtins.dict");
    assert!(leaf.starts_with("args[0][\"z\"][0]: its kind"), "{leaf}");
    let node = two(2, "collections.deque", "builtins.list");
    assert!(node.starts_with("args[0][\"z\"]: it is builtins.list"), "{node}");
    let parent = two(0, "collections.deque", "builtins.list");
    assert!(parent.starts_with("args[0][\"z\"]: it is builtins.list"), "{parent}");
}

fn by_hand() -> Graph {
    parse("graph \"g\" {\n  input %0 \"a\": float32[2, 3]\n  input %1 \"b\": float32[2, 3]\n  %2 = aten.add.Tensor(%0, %1)\n  output \"sum\" = %2\n  output \"again\" = %0\n}\n")
        .expect("a graph")
}

#[test]
fn a_host_sets_a_signature() {
    let mut graph = by_hand();
    let flat = session::graph_spec(&graph).expect("a signature");
    assert_eq!((&flat["inputs"][1]["path"], &flat["in_tree"]), (&json!("args[1]"), &Value::Null));
    assert_eq!(flat["outputs"][1]["alias_of"], json!({"input": "args[0]"}));
    let leaf = r#"{"type": null, "context": null, "children_spec": []}"#;
    let dict = |n: usize| {
        let (keys, leaves) =
            (["\\\"u\\\"", "\\\"v\\\"", "\\\"w\\\""][..n].join(", "), vec![leaf; n].join(", "));
        format!(r#"{{"type": "builtins.dict", "context": "[{keys}]", "children_spec": [{leaves}]}}"#)
    };
    let call = |args: String| {
        let none = r#"{"type": "builtins.dict", "context": "[]", "children_spec": []}"#;
        let tuple = |inner: &str| {
            format!(r#"{{"type": "builtins.tuple", "context": "null", "children_spec": [{inner}]}}"#)
        };
        format!("[1, {}]", tuple(&format!("{}, {none}", tuple(&args))))
    };
    // A tree alone.
    graph.spec = spec::read(&graph, &json!({"in_tree": call(dict(2))})).expect("a tree");
    let paths: Vec<&str> = graph.spec.inputs.leaves.iter().map(|l| &*l.path).collect();
    assert_eq!(paths, ["args[0][\"u\"]", "args[0][\"v\"]"]);
    // A tree with a place that is no input.
    let leaves = json!([
        {"path": "args[0][\"u\"]"},
        {"path": "args[0][\"v\"]", "kind": "fixed", "type": "float", "value": "-inf"},
        {"path": "args[0][\"w\"]", "name": "b"},
    ]);
    let whole = json!({"in_tree": call(dict(3)), "inputs": leaves, "metadata": {"k": "v"}});
    graph.spec = spec::read(&graph, &whole).expect("a tree and leaves");
    let set = session::graph_spec(&graph).expect("a signature");
    assert_eq!(
        set["inputs"][1],
        json!({"path": "args[0][\"v\"]", "kind": "fixed", "type": "float", "value": "-inf"})
    );
    assert_eq!(set["metadata"], json!({"k": "v"}));
    spec::compare(&set, &whole).expect("what was set");
    graph.spec = spec::read(&graph, &set).expect("what was given");
    assert_eq!(session::graph_spec(&graph).as_ref().ok(), Some(&set));

    let wrong = |given: Value| spec::read(&by_hand(), &given).expect_err("a wrong signature").to_string();
    let paths =
        |list: &[&str]| json!({"inputs": list.iter().map(|p| json!({"path": p})).collect::<Vec<_>>()});
    assert_eq!(wrong(paths(&["x"])), "inputs: 1 of its leaves are given, but the graph has 2 inputs");
    assert_eq!(wrong(paths(&["x", "x"])), "x: two leaves have this path");
    assert_eq!(wrong(json!({"inputs": [{"kind": "tensor"}]})), "inputs[0]: it has no `path`");
    assert!(wrong(json!({"in_tree": "[1, 2"})).starts_with("in_tree: it is not valid JSON"));
    assert!(wrong(json!({"in_tree": "[2, {}]"})).contains("its version is 2"));
    assert!(wrong(json!({"in_tree": format!("[1, {leaf}]")})).contains("a tuple of a tuple and of a dict"));
    let mut moved = whole.clone();
    moved["inputs"][1]["path"] = json!("args[1]");
    assert_eq!(wrong(moved), "args[0][\"v\"]: `inputs` has `args[1]` in this place");
    let mut unknown = whole;
    unknown["inputs"][1]["value"] = json!({"a": 1});
    assert!(wrong(unknown).contains("no number, bool or string"));
}

/// What no step needs is known, and what is computed of constants before the first run has a name.
#[test]
fn unused_inputs_and_folded_constants_are_told() {
    let text = r#"graph "g" {
  input %0 "x": float32[2, 2]
  input %1 "unused": float32[2]
  parameter %2 "w": float32[2, 2] = [1.0, 2.0, 3.0, 4.0]
  parameter %3 "v": float32[2, 2] = [3.0, 4.0, 5.0, 6.0]
  parameter %4 "idle": float32[2] = [5.0, 6.0]
  %5 = aten.mm.default(%2, %3)
  %6 = aten.mm.default(%0, %5)
  output "y" = %6
}
"#;
    let mut options = Options::default();
    options.set("backend", "interpreter").expect("an option");
    let executable = session::compile(&parse(text).expect("a graph"), &options).expect("a program");
    let told: Value = serde_json::from_str(&executable.describe()).expect("JSON");
    let used = |list: &str| -> Vec<(Value, Value)> {
        let entries = told[list].as_array().expect("a list");
        entries.iter().map(|t| (t["name"].clone(), t["used"].clone())).collect()
    };
    assert_eq!(used("inputs"), [(json!("x"), json!(true)), (json!("unused"), json!(false))]);
    let constants = [(json!("w"), json!(true)), (json!("v"), json!(true)), (json!("idle"), json!(false))];
    assert_eq!(used("constants"), constants);
    let folded = told["folded"].as_array().expect("a list");
    assert!(!folded.is_empty(), "{told}");
    for (k, entry) in folded.iter().enumerate() {
        let want =
            json!({"name": format!("_FOLDED_CONST_{k}"), "bytes": 16, "from": ["w", "v"], "nodes": ["%5"]});
        assert_eq!(*entry, want);
    }
}
