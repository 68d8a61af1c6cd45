//! What a compiled program says of itself and of how it was made: where its kernels come from in the user's program, and the
//! events of its compilation.

mod common;

use litz::base::event::{COMMON_KEYS, KINDS};
use litz::frontend::from_pt2;
use litz::runtime::Tensor;
use litz::session::dump::FILES;
use litz::session::{Executable, Options, compile};
use litz::types::Dtype;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A network of nested modules, exported with the lines of its source.
fn network() -> litz::ir::Graph {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/modules_and_lines.pt2");
    from_pt2(&path).unwrap_or_else(|e| panic!("{e}"))
}

fn compiled(backend: &str) -> Executable {
    let mut options = Options::new();
    options.set("backend", backend).expect("a backend");
    compile(&network(), &options).unwrap_or_else(|e| panic!("{e}"))
}

fn described(executable: &Executable) -> Json {
    serde_json::from_str(&executable.describe()).expect("JSON")
}

fn strings(list: &Json) -> BTreeSet<&str> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}

/// The kernels that compute a node of the program.
fn kernels_of<'a>(described: &'a Json, node: &str) -> Vec<&'a Json> {
    let kernels = described["kernels"].as_array().expect("kernels");
    kernels.iter().filter(|k| strings(&k["nodes"]).contains(node)).collect()
}

#[test]
fn kernels_say_which_modules_and_lines_they_come_from() {
    for backend in ["cpu", "interpreter"] {
        let executable = compiled(backend);
        let described = described(&executable);
        for kernel in described["kernels"].as_array().expect("kernels") {
            assert!(!strings(&kernel["nodes"]).is_empty(), "{backend}: {kernel}");
            assert!(strings(&kernel["source"]).iter().all(|s| s.starts_with("model.py:")), "{kernel}");
        }
        // Each node that is no view is in a kernel, whatever became of it: a norm went into the convolution before it, and
        // an in-place addition into a pure one.
        let computing = ["embedding", "conv1d", "batch_norm", "relu", "linear", "div", "softmax", "matmul_3"];
        for node in computing.into_iter().chain(["linear_1", "gelu", "linear_2", "add_1", "add_", "mean"]) {
            assert!(!kernels_of(&described, node).is_empty(), "{backend}: no kernel computes `{node}`");
        }
        let line = |node: &str| strings(&kernels_of(&described, node)[0]["source"]).contains("model.py:12");
        assert!(line("gelu") && !line("softmax"), "{backend}");
        let nodes = described["nodes"].as_array().expect("nodes");
        let gelu = nodes.iter().find(|n| n["node"] == "gelu").expect("it is listed");
        assert_eq!(gelu["module"], "blocks.0.1");
        assert_eq!(gelu["class"], "model.Mlp");
        assert_eq!(gelu["source"], "model.py:12");
        assert_eq!(gelu["function"], "forward");
        assert_eq!(gelu["code"], "hidden = nn.functional.gelu(self.fc1(x))");
        assert_eq!(gelu["operator"], "aten.gelu.default");
    }
}

#[test]
fn a_text_keeps_where_nodes_come_from() {
    let text = litz::ir::text::print(&network());
    assert!(text.contains("  module 0 ") && text.contains(" from ["), "{text}");
    // A stack trace that many nodes have stands once.
    assert_eq!(text.matches("hidden = nn.functional.gelu(self.fc1(x))").count(), 2);
    let again = litz::meta::text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(litz::ir::text::print(&again), text);
    let mut options = Options::new();
    options.set("backend", "interpreter").expect("a backend");
    let of = |graph: &litz::ir::Graph| described(&compile(graph, &options).unwrap_or_else(|e| panic!("{e}")));
    let (before, after) = (of(&network()), of(&again));
    for key in ["kernels", "nodes"] {
        assert_eq!(before[key], after[key]);
    }
    // So does the folder of a failure.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let repro = folder.path().join("repro");
    litz::session::repro::save(&network(), &options, &litz::runtime::Captured::default(), &repro)
        .unwrap_or_else(|e| panic!("{e}"));
    let (graph, _) = litz::session::repro::load(&repro, None).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(of(&graph)["nodes"], before["nodes"]);
}

#[test]
fn a_template_names_all_that_it_replaced() {
    let executable = compiled("cpu");
    let described = described(&executable);
    let attention = kernels_of(&described, "softmax");
    assert_eq!(attention.len(), 1, "{attention:?}");
    for node in ["matmul", "div", "softmax", "matmul_1"] {
        assert!(strings(&attention[0]["nodes"]).contains(node), "`{node}` is not in {}", attention[0]);
    }
    let convolution = described["kernels"].as_array().expect("kernels").iter();
    let convolution = convolution.filter(|k| k["stage"] == "run" && k["kind"] == "convolution");
    for kernel in convolution {
        let modules = strings(&kernel["modules"]);
        assert!(modules.contains("stem.conv") && modules.contains("stem.norm"), "{kernel}");
    }
}

#[test]
fn a_failed_assertion_names_the_line() {
    for backend in ["cpu", "interpreter"] {
        let executable = compiled(backend);
        let mut tokens = [3i64; 14];
        tokens[13] = 99;
        let bytes = tokens.iter().flat_map(|t| t.to_ne_bytes()).collect::<Vec<u8>>();
        let tokens = Tensor::from_bytes(Dtype::Int64, &[2, 7], &bytes).expect("a tensor");
        let message = executable.run_tensors(&[&tokens]).expect_err("the table has 10 rows").to_string();
        let place = "node `embedding` of module `table` at model.py:46, `x = self.table(tokens)`";
        assert!(message.contains("index out of range") && message.contains(place), "{backend}: {message}");
    }
}

/// The events of a compilation of the network.
fn told(keys: &[(&str, &str)]) -> Vec<Json> {
    told_of(&network(), keys)
}

fn told_of(graph: &litz::ir::Graph, keys: &[(&str, &str)]) -> Vec<Json> {
    let mut options = Options::new();
    keys.iter().for_each(|(key, value)| options.set(key, value).expect("an option"));
    let lines = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&lines);
    options.set_trace(Some(Arc::new(move |line: &str| list.lock().unwrap().push(line.to_string()))));
    compile(graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let lines = std::mem::take(&mut *lines.lock().unwrap());
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn events_have_the_keys_of_their_kind_and_the_ids_of_one_compilation() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    let keys =
        [("backend", "cpu"), ("cache.dir", cache.to_str().expect("UTF-8")), ("cache.memory_bytes", "0")];
    let events = told(&keys);
    for event in &events {
        let kind = KINDS.iter().find(|k| k.name == event["event"]).unwrap_or_else(|| panic!("{event}"));
        let keys = COMMON_KEYS.iter().chain(kind.keys).map(|(key, _)| *key);
        assert!(event.as_object().expect("an object").keys().eq(keys), "{event}");
        assert_eq!((&event["compile"], &event["graph"]), (&events[0]["compile"], &events[0]["graph"]));
    }
    let of = |kind: &str| events.iter().filter(|e| e["event"] == kind).collect::<Vec<_>>();
    assert_eq!((of("compile_begin").len(), of("compile_end").len()), (1, 1));
    let stages: Vec<&str> = of("stage").iter().filter_map(|e| e["stage"].as_str()).collect();
    let order = [
        "functionalize",
        "decompose",
        "passes",
        "lower",
        "bounds",
        "loop_passes",
        "schedule",
        "codegen",
        "build",
        "link",
    ];
    assert_eq!(stages, order);
    assert_eq!(of("cache")[0]["outcome"], "miss");
    // Why something did not fuse is told by the nodes of the user's program.
    let apart = of("not_fused");
    assert!(apart.iter().all(|e| e["reason"].is_string() && !strings(&e["group"]).is_empty()), "{apart:?}");
    assert!(of("fused").iter().any(|e| strings(&e["nodes"]).contains("gelu")), "{:?}", of("fused"));
    // Whatever shares a kernel was told to have joined, also where one's loops compute another inside of them. Attention is one
    // node when nodes join: the event of its pass tells it.
    // Constants that a pass folds are of several nodes without any fusion.
    let several = |kernel: &&&Json| {
        kernel["description"]["stage"] == "run" && strings(&kernel["description"]["nodes"]).len() > 1
    };
    let kernels = of("kernel");
    let (attention, fused): (Vec<&Json>, Vec<&Json>) =
        kernels.iter().filter(several).partition(|k| k["description"]["kind"] == "attention");
    assert!(!attention.is_empty() && !fused.is_empty(), "{kernels:?}");
    for kernel in fused {
        let nodes = strings(&kernel["description"]["nodes"]);
        // Events of this kernel's nodes alone, one after the other, must reach all of them from the first.
        let mut reached: BTreeSet<&str> = nodes.iter().take(1).copied().collect();
        loop {
            let before = reached.len();
            for event in of("fused") {
                let told: BTreeSet<&str> =
                    strings(&event["group"]).union(&strings(&event["nodes"])).copied().collect();
                if told.is_subset(&nodes) && !told.is_disjoint(&reached) {
                    reached.extend(told);
                }
            }
            if reached.len() == before {
                break;
            }
        }
        assert_eq!(reached, nodes, "{kernel}");
    }
    // So is a chain that nothing but the result of the program reads.
    let chain = litz::meta::text::parse(
        "graph \"g\" { input %0 \"x\": float32[8]\n %1 \"r\" = aten.relu.default(%0)\n %2 \"e\" = aten.exp.default(%1)\n output \"y\" = %2 }",
    );
    let events = told_of(&chain.expect("a graph"), &[("backend", "cpu")]);
    let fused = events.iter().find(|e| e["event"] == "fused").expect("they are one kernel");
    assert_eq!((strings(&fused["nodes"]), strings(&fused["group"])), (["e"].into(), ["r", "e"].into()));
    let again = told(&keys);
    let cache = again.iter().find(|e| e["event"] == "cache").expect("it is looked up");
    assert_eq!((cache["outcome"].as_str(), cache["level"].as_str()), (Some("hit"), Some("disk")));
    assert_eq!(cache["key"], of("cache")[0]["key"]);
    assert_ne!(again[0]["compile"], events[0]["compile"]);
}

#[test]
fn a_failed_compilation_tells_what_went_wrong() {
    let mut options = Options::new();
    for (key, value) in
        [("backend", "cpu"), ("cpp.flags", "-Dfloat=no_such_type"), ("cache.enabled", "false")]
    {
        options.set(key, value).expect("an option");
    }
    let last = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&last);
    options.set_trace(Some(Arc::new(move |line: &str| *kept.lock().unwrap() = line.to_string())));
    let error = compile(&network(), &options).err().expect("that does not compile");
    let last: Json = serde_json::from_str(&last.lock().unwrap()).expect("JSON");
    assert_eq!((last["event"].as_str(), last["status"].as_i64()), (Some("compile_end"), Some(8)), "{last}");
    assert_eq!(last["error"].as_str(), Some(&*error.to_string()));
}

/// Whether a file is one that the document names: `<n>` and the like stand for letters and digits.
fn is_listed(name: &str) -> bool {
    FILES.iter().any(|(pattern, _)| {
        let mut rest = name;
        for (k, part) in pattern.split(['<', '>']).enumerate() {
            if k % 2 == 1 {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                rest = &rest[end..];
            } else {
                match rest.strip_prefix(part) {
                    Some(after) => rest = after,
                    None => return false,
                }
            }
        }
        rest.is_empty()
    })
}

#[test]
fn a_dump_has_the_files_that_the_document_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("made");
    let mut options = Options::new();
    let keys =
        [("backend", "cpu"), ("debug.dump", root.to_str().expect("UTF-8")), ("debug.save_inputs", "true")];
    keys.iter().for_each(|(key, value)| options.set(key, value).expect("an option"));
    let executable = compile(&network(), &options).unwrap_or_else(|e| panic!("{e}"));
    let tokens = Tensor::zeros(Dtype::Int64, &[2, 7]).expect("a tensor");
    for _ in 0..2 {
        executable.run_tensors(&[&tokens]).expect("a run");
    }
    let dump = common::dumped(&root);
    let mut names: Vec<String> = std::fs::read_dir(&dump)
        .expect("the folder is there")
        .map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    assert!(names.iter().all(|n| is_listed(n)), "{names:?}");
    let text =
        |name: &str| std::fs::read_to_string(dump.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    for name in ["graph.litz", "functionalized.litz", "decomposed.litz", "passes.litz"] {
        assert!(text(name).starts_with("graph "), "{name}");
    }
    assert!(text("graph.litz").contains("aten.add_") && !text("functionalized.litz").contains("aten.add_"));
    assert!(
        text("decomposed.litz").contains("aten.batch_norm")
            && !text("passes.litz").contains("aten.batch_norm")
    );
    let loops = text("loops.txt");
    assert!(loops.contains("= gemm batch "), "{loops}");
    assert!(loops.contains("  # embedding, transpose"), "{loops}");
    let groups = names.iter().find(|n| n.starts_with("groups_")).expect("groups");
    assert!(
        text(groups).contains("template of node") && text(groups).contains("arena of "),
        "{}",
        text(groups)
    );
    let kernels = names.iter().find(|n| n.starts_with("kernels_") && n.ends_with(".txt")).expect("kernels");
    assert!(
        text(kernels).contains("\nkernel {\n") && text(kernels).contains("call Product("),
        "{}",
        text(kernels)
    );
    assert!(names.iter().any(|n| n.starts_with("kernels") && n.ends_with(".cpp")));
    let program: Json = serde_json::from_str(&text("program.json")).expect("JSON");
    assert_eq!(program["kernels"], described(&executable)["kernels"]);
    let inputs = std::fs::read(dump.join("inputs1.safetensors")).expect("the second run's");
    let inputs = safetensors::SafeTensors::deserialize(&inputs).expect("safetensors");
    assert_eq!(inputs.tensor("tokens").expect("by name").shape(), [2, 7]);
    assert!(!dump.join("inputs2.safetensors").exists());
    // The next compilation has a folder of its own; an artifact's has what it is linked from, too.
    litz::session::compile_artifact(&network(), &options, &folder.path().join("program.so"))
        .unwrap_or_else(|e| panic!("{e}"));
    let mut folders: Vec<_> =
        std::fs::read_dir(&root).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    folders.sort();
    assert_eq!(folders.len(), 2, "{folders:?}");
    let files = std::fs::read_dir(&folders[1]).expect("the folder is there");
    let files: Vec<String> =
        files.map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    assert!(files.iter().all(|n| is_listed(n)), "{files:?}");
    assert!(["program.s", "plan.bin"].iter().all(|n| files.iter().any(|f| f == n)), "{files:?}");
    options.set("debug.dump", "").expect("an option");
    let error = compile(&network(), &options).err().expect("there is no folder");
    assert!(error.to_string().contains("debug.dump"), "{error}");
}

#[test]
fn a_training_program_is_dumped_before_it_is_divided() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = Options::new();
    let root = folder.path().to_str().expect("UTF-8");
    for (key, value) in [("backend", "cpu"), ("debug.dump", root)] {
        options.set(key, value).expect("an option");
    }
    let text = "graph \"step\" {\n  input %0 \"x\": float32[4, 3]\n  parameter %1 \"w\": float32[3, 3] = seeded 1 mean 0.0 spread 1.0\n  \
                %2 = aten.mm.default(%0, %1)\n  %3 = aten.relu_.default(%2)\n  %4 = aten.sum.default(%3)\n  output \"loss\" = %4\n}";
    let graph = litz::meta::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let training = litz::session::Training::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    training.backward_program().unwrap_or_else(|e| panic!("{e}"));
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("the folder is there")
        .map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    assert_eq!(names, ["step_0", "step_backward_0", "step_forward_0"]);
    let text = |name: &str| std::fs::read_to_string(folder.path().join("step_0").join(name)).expect(name);
    assert!(text("graph.litz").contains("aten.relu_.default"));
    assert!(text("functionalized.litz").contains("aten.relu.default"));
    let joint = text("joint.litz");
    assert!(
        joint.starts_with("graph ")
            && joint.matches("aten.").count() > text("functionalized.litz").matches("aten.").count(),
        "{joint}"
    );
    assert!(
        std::fs::read_dir(folder.path().join("step_0"))
            .expect("it")
            .flatten()
            .all(|e| is_listed(&e.file_name().to_string_lossy()))
    );
}
