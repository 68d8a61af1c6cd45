//! The command `litz`: what it answers, in words and as JSON, and the exit code of each kind of failure.

mod common;

use common::root;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn litz(arguments: &[&str]) -> Output {
    let mut command = Command::new(common::command());
    command.args(arguments).current_dir(root().join("tests/data"));
    command.env("LITZ_LIBRARY", common::shared_library()).env_remove("NO_COLOR");
    command.output().expect("the command starts")
}

/// What it says when it ends with a code.
fn ends(code: i32, arguments: &[&str]) -> (String, String) {
    let Output { status, stdout, stderr } = litz(arguments);
    let texts = [stdout, stderr].map(|t| String::from_utf8(t).expect("UTF-8"));
    assert_eq!(status.code(), Some(code), "litz {arguments:?}\n{}\n{}", texts[0], texts[1]);
    let [out, err] = texts;
    (out, err)
}

/// The answer as JSON.
fn answer(arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let (out, err) = ends(0, &arguments);
    assert_eq!(err, "", "litz {arguments:?}");
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("litz {arguments:?}: {e}: {out}"))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn a_graph_becomes_an_artifact_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let artifact = folder.path().join("mlp.so");
    let made = answer(&["compile", "mlp.pt2", "-o", text(&artifact)]);
    assert_eq!(made["artifact"], text(&artifact));
    assert_eq!(made["bytes"], std::fs::metadata(&artifact).unwrap().len());
    let stages: Vec<&String> = made["stages"].as_object().unwrap().keys().collect();
    assert_eq!(
        (stages.first().unwrap().as_str(), stages.last().unwrap().as_str()),
        ("functionalize", "link")
    );
    assert!(made["kernels"].as_u64() > Some(3));
    // In a folder its content names it.
    let named = answer(&["compile", "mlp.pt2", "-o", text(folder.path())]);
    let name = format!("{}.so", named["sha256"].as_str().unwrap());
    assert_eq!(named["artifact"], text(&folder.path().join(name)));

    let about = answer(&["inspect", text(&artifact)]);
    assert_eq!(about["backend"], "cpu");
    assert_eq!(about["sha256"], made["sha256"]);
    assert_eq!(about["kernels"].as_array().unwrap().len() as u64, made["kernels"].as_u64().unwrap());
    assert_eq!(about["licences"]["executor"], "MIT OR Apache-2.0");
    assert_eq!(about["signature"]["inputs"][0]["path"], "args[0]");
    assert_eq!(about["weights"]["kinds"]["parameter float32"]["tensors"], 8);
    let graph = answer(&["inspect", "mlp.pt2"]);
    assert_eq!(graph["weights"], about["weights"]);
    assert_eq!(graph["operators"]["aten.linear.default"], 3);

    // Outputs go to files, and come back as what is expected.
    let (out, _) = ends(
        0,
        &["run", text(&artifact), "-i", "mlp.safetensors", "-c", "mlp.safetensors", "--atol", "1e-4"],
    );
    assert!(out.contains("equal  output:"), "{out}");
    for name in ["y.npz", "y.npy", "y.safetensors"] {
        let file = folder.path().join(name);
        let file = text(&file);
        answer(&["run", text(&artifact), "--random", "3", "-o", file]);
        let same = answer(&["run", text(&artifact), "--random", "3", "-c", file]);
        assert_eq!(
            (&same["equal"], &same["comparisons"][0]["mismatched"]),
            (&true.into(), &0.into()),
            "{name}"
        );
        let (out, _) = ends(1, &["run", text(&artifact), "--random", "4", "-c", file]);
        assert!(out.contains("differs  output: 70 of 70 elements differ") && out.contains("rtol"), "{out}");
    }
}

#[test]
fn inputs_come_from_files_by_name_or_are_made_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.npy");
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 32), }";
    let header = format!("{header}{}\n", " ".repeat(117 - header.len()));
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(header.bytes());
    bytes.extend(vec![0; 2 * 32 * 4]);
    std::fs::write(&file, &bytes).unwrap();
    let shape = |arguments: &[&str]| answer(arguments)["outputs"][0]["shape"].clone();
    let model = "mlp_dynamic_batch.pt2";
    let wanted = serde_json::json!([2, 10]);
    assert_eq!(shape(&["run", model, "-i", text(&file)]), wanted);
    for name in ["x", "args[0]", "in0"] {
        assert_eq!(shape(&["run", model, "-i", &format!("{name}={}", text(&file))]), wanted, "{name}");
    }
    assert_eq!(shape(&["run", model, "--size", "s77=31"]), serde_json::json!([31, 10]));
    // Another case of the same file.
    answer(&["run", model, "-i", "mlp_dynamic_batch.safetensors", "--prefix", "dyn0."]);
    // A number that is an input, and inputs that a run writes to.
    answer(&["run", "number_input.pt2", "--size", "n=5"]);
    assert_eq!(answer(&["run", "signal.pt2"])["mutated_inputs"].as_array().unwrap().len(), 0);
    let (_, err) = ends(3, &["run", "control_flow.pt2", "-i", text(&file)]);
    assert!(err.contains("--random SEED"), "{err}");
}

/// The commands of the documents, in a folder with the files that they name.
#[test]
fn commands_of_the_documents_run() {
    let command = common::command();
    for document in ["introduction.md", "cli.md"] {
        let folder = tempfile::tempdir().unwrap();
        let given = [
            ("mlp.pt2", "model.pt2"),
            ("mlp.safetensors", "inputs.safetensors"),
            ("mlp.safetensors", "case.safetensors"),
        ];
        for (file, name) in given {
            std::fs::copy(root().join("tests/data").join(file), folder.path().join(name)).expect("a copy");
        }
        let blocks = common::documents::blocks(document);
        let blocks: Vec<_> = blocks.iter().filter(|b| b.words == ["sh"]).collect();
        assert!(!blocks.is_empty(), "{document} shows no commands");
        for block in blocks {
            let places = std::env::join_paths(
                std::iter::once(command.parent().expect("a folder").to_path_buf())
                    .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
            );
            let done = Command::new("bash")
                .args(["-euc", &block.text])
                .current_dir(folder.path())
                .env("PATH", places.expect("paths"))
                .env("LITZ_LIBRARY", common::shared_library())
                .output()
                .expect("bash starts");
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(done.status.success(), "docs/{document}:{}: {said}", block.line);
        }
    }
}

#[test]
fn times_are_told_apart() {
    let timed = answer(&["bench", "mlp.pt2", "-t", "0.2", "-j", "2"]);
    let call = &timed["call_seconds"];
    let order: Vec<f64> = ["least", "p50", "p90", "p99", "p99.9", "largest"]
        .iter()
        .map(|k| call[k].as_f64().unwrap())
        .collect();
    assert!(order.is_sorted() && order[0] > 0.0, "{order:?}");
    assert_eq!(timed["threads"], 2);
    assert!(timed["runs"].as_u64() > Some(2));
    let device = &timed["device"];
    let parts = device["kernel_seconds"].as_f64().unwrap() + device["host_seconds"].as_f64().unwrap();
    assert!((parts / device["run_seconds"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{device}");
    assert!(device["share_of_limit"].as_f64() > Some(0.0), "{device}");
    let interpreted = answer(&["bench", "mlp.pt2", "-t", "0.05", "-b", "interpreter", "--no-profile"]);
    assert!(interpreted["device"].is_null());
    assert!(interpreted["advice"][0].as_str().unwrap().contains("the interpreter runs this program"));
}

#[test]
fn the_doctor_says_what_is_missing_in_a_second() {
    let about = answer(&["doctor"]);
    assert_eq!(about["healthy"], true);
    assert_eq!(about["library"], text(&common::shared_library()));
    assert_eq!(about["backends"]["cpu"], true);
    assert!(about["parts"][0]["path"].as_str().unwrap().starts_with('/'), "{about}");
    assert!(about["seconds"].as_f64() < Some(1.0), "{about}");
    let mut command = Command::new(common::command());
    let empty = tempfile::tempdir().unwrap();
    command
        .args(["doctor"])
        .env("LITZ_LIBRARY", common::shared_library())
        .env("PATH", empty.path())
        .env_remove("CXX");
    let output = command.env("CUDA_HOME", empty.path()).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("no C++ compiler was found") && out.contains("apt install g++"), "{out}");
}

#[test]
fn pages_and_pictures_go_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    answer(&["report", "mlp.pt2", "-o", text(&at("page.html"))]);
    let page = std::fs::read_to_string(at("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("aten.gelu"), "{page}");
    for (by, name, begin) in
        [("kernel", "k.svg", "<svg"), ("module", "m.svg", "<svg"), ("module", "m.dot", "digraph")]
    {
        answer(&["draw", "mlp.pt2", "--by", by, "-o", text(&at(name))]);
        assert!(std::fs::read_to_string(at(name)).unwrap().contains(begin), "{name}");
    }
    assert!(ends(0, &["draw", "mlp.pt2"]).0.starts_with("digraph"));
    let (_, err) = ends(2, &["draw", "mlp.pt2", "-o", "picture.png"]);
    assert!(err.contains(".svg or .dot"), "{err}");
}

#[test]
fn programs_and_traces_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a.so", "b.so", "a.json", "b.json"].map(|name| text(&folder.path().join(name)).to_string());
    let [a, b, trace_a, trace_b] = files.each_ref().map(String::as_str);
    answer(&["compile", "mlp.pt2", "-o", a, "--trace", trace_a]);
    answer(&["compile", "gru.pt2", "-o", b, "--trace", trace_b]);
    assert_eq!(answer(&["diff", a, a])["equal"], true);
    assert_eq!(answer(&["diff", "mlp.pt2", "mlp.pt2"])["differences"].as_array().unwrap().len(), 0);
    for (x, y, what) in
        [(a, b, "a.weight"), (trace_a, trace_b, "aten.gelu"), ("mlp.pt2", "gru.pt2", "aten.gru")]
    {
        let (out, _) = ends(1, &["diff", x, y]);
        assert!(out.contains(what), "{out}");
    }
    let (out, _) = ends(1, &["diff", trace_a, trace_b, "--json"]);
    let said: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(said["seconds"].as_array().unwrap().len(), 10);
    ends(3, &["diff", a, trace_a]);
}

#[test]
fn programs_are_verified_and_cut_down() {
    let folder = tempfile::tempdir().unwrap();
    let artifact = folder.path().join("mlp.so");
    let checked = answer(&["verify", "mlp.pt2", "--by-node"]);
    assert_eq!((&checked["equal"], checked["checks"].as_array().unwrap().len()), (&true.into(), 2));
    answer(&["compile", "mlp.pt2", "-o", text(&artifact)]);
    assert_eq!(answer(&["verify", text(&artifact), "--against", "mlp.pt2"])["decided_by_outputs"], true);
    let (out, _) =
        ends(1, &["verify", text(&artifact), "--against", "mlp.pt2", "--rtol", "0", "--atol", "0"]);
    assert!(out.contains("differs  output"), "{out}");
    let (_, err) = ends(2, &["verify", text(&artifact)]);
    assert!(err.contains("--against"), "{err}");
    // The part is of one node: each fails to compile with a flag that there is not.
    let flag = ["-s", "cpp.flags=-no-such-flag", "-b", "cpu", "-s", "cache.enabled=false"];
    let part = answer(&[&["minify", "mlp.pt2", "-f", "compile"][..], &flag].concat());
    assert_eq!((&part["nodes_before"], &part["nodes"]), (&6.into(), &1.into()), "{part}");
    let (_, err) = ends(3, &["minify", "mlp.pt2", "-f", "differ"]);
    assert!(err.contains("does not hold"), "{err}");
}

#[test]
fn the_cache_is_listed_and_pruned() {
    let folder = tempfile::tempdir().unwrap();
    let place = format!("cache.dir={}", text(&folder.path().join("cache")));
    let of = |action: &[&str]| answer(&[&["cache"], action, &["-s", &place]].concat());
    answer(&["compile", "mlp.pt2", "-s", &place, "-o", text(&folder.path().join("mlp.so"))]);
    let listed = of(&["list"]);
    let count = listed["entries"].as_array().unwrap().len();
    assert!(count > 0 && listed["bytes"].as_u64() > Some(0), "{listed}");
    assert_eq!(of(&["size"])["entries"], count);
    assert_eq!(of(&["prune", "--keep", "1G"])["removed"].as_array().unwrap().len(), 0);
    assert_eq!(of(&["prune"])["removed"].as_array().unwrap().len(), count);
    assert_eq!(of(&["size"])["bytes"], 0);
    ends(2, &["cache", "prune", "--keep", "much"]);
}

#[test]
fn failures_have_a_message_and_a_code() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        text(&path).to_string()
    };
    let (empty, noise, json) = (of("empty", b""), of("noise", b"\x01\x02"), of("x.json", b"{\"a\": 1}"));
    let cut = &std::fs::read(root().join("tests/data/mlp.pt2")).unwrap()[..400];
    let cut = of("cut.pt2", cut);
    let artifact = of("no.so", b"\x7fELF and nothing else");
    let cases: [(i32, &[&str], &str); 26] = [
        (2, &["walk"], "unrecognized subcommand"),
        (2, &["run"], "MODEL"),
        (2, &["run", "mlp.pt2", "-s", "mode"], "KEY=VALUE"),
        (2, &["run", "mlp.pt2", "-s", "speed=high"], "speed"),
        (2, &["run", "mlp.pt2", "--integers", "3:1"], "LEAST:LARGEST"),
        (2, &["run", "mlp_dynamic_batch.pt2", "--size", "t=1"], "it has s77"),
        (2, &["bench", "mlp.pt2", "-t", "0"], "--time"),
        (2, &["bench", "mlp.pt2", "-t", "1e300"], "up to 86400"),
        (2, &["bench", "mlp.pt2", "-j", "0"], "--threads"),
        (2, &["run", "mlp.pt2", "--rtol=nan"], "--rtol <NUMBER>': it must be a finite number of at least 0"),
        (
            2,
            &["verify", "mlp.pt2", "--atol=-1"],
            "--atol <NUMBER>': it must be a finite number of at least 0",
        ),
        (2, &["run", "signal.pt2", "-o", "all.npy"], "a .npy holds one tensor"),
        (3, &["run", "missing.pt2"], "missing.pt2: No such file"),
        (3, &["run", "."], "not one of a repro"),
        (3, &["run", &empty], "is empty"),
        (3, &["run", &noise], "holds no program"),
        (3, &["inspect", &json], "x.json"),
        (3, &["inspect", &cut], "cut.pt2"),
        (3, &["inspect", &artifact], "no.so"),
        (3, &["run", "mlp.pt2", "-i", "mlp.pt2"], ".npz or .safetensors"),
        (3, &["run", "mlp.pt2", "-i", "gru.safetensors"], "expects float32"),
        (3, &["run", "control_flow.pt2", "-c", "mlp.safetensors"], "has no output `output[1]`"),
        (3, &["run", "mlp_dynamic_batch.pt2", "--size", "s77=9999"], "512"),
        (3, &["run", "mlp_dynamic_batch.pt2", "--size", "s77=999999999999"], "the program takes 1 to 512"),
        (5, &["run", "mlp.pt2", "-s", "cpp.compiler=/none/g++", "-b", "cpu"], "cpp.compiler"),
        (3, &["compile", "mlp.pt2", "-o", "/none/x.so"], "/none/x.so"),
    ];
    for (code, arguments, what) in cases {
        let (out, err) = ends(code, arguments);
        assert!(err.contains(what), "litz {arguments:?}: {err}");
        assert_eq!(out, "", "litz {arguments:?}");
    }
    let as_json: [(i32, &[&str], &str); 3] = [
        (3, &["run", "missing.pt2", "--json"], "missing.pt2"),
        (2, &["run", "--json"], "MODEL"),
        (2, &["--json", "walk"], "unrecognized subcommand"),
    ];
    for (code, arguments, what) in as_json {
        let (out, err) = ends(code, arguments);
        let error: Value =
            serde_json::from_str(&out).unwrap_or_else(|e| panic!("litz {arguments:?}: {e}: {out}"));
        assert_eq!(error["error"]["exit_code"], code);
        assert!(
            err.contains(what) && error["error"]["message"].as_str().is_some_and(|m| m.contains(what)),
            "{out}"
        );
    }
    let output = Command::new(common::command())
        .args(["doctor", "--json"])
        .env("LITZ_LIBRARY", "/none/liblitz.so")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(7));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("LITZ_LIBRARY") && said.contains("No such file"), "{said}");
}

#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    for arguments in [
        &["inspect", "mlp.pt2"][..],
        &["inspect", "mlp.pt2", "--json"],
        &["completions", "bash"],
        &["diff", "mlp.pt2", "gru.pt2"],
    ] {
        let mut command = Command::new(common::command());
        command.args(arguments).current_dir(root().join("tests/data")).stdout(full());
        let output = command.env("LITZ_LIBRARY", common::shared_library()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("standard output: ") && said.contains("space"), "{said}");
    }
    // A reader that goes away has seen what it wanted.
    let mut command = Command::new(common::command());
    command.args(["completions", "bash"]).env("LITZ_LIBRARY", common::shared_library());
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

/// A pipe without a writer would be waited for, and a device has no end.
#[test]
fn only_regular_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.npy");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let endless = folder.path().join("endless.npy");
    std::os::unix::fs::symlink("/dev/zero", &endless).unwrap();
    for file in [text(&pipe), text(&endless)] {
        let calls: [&[&str]; 6] = [
            &["inspect", file],
            &["diff", file, file],
            &["verify", "mlp.pt2", "--against", file],
            &["run", "mlp.pt2", "-i", file],
            &["run", "mlp.pt2", "-i", &format!("x={file}")],
            &["run", "mlp.pt2", "-c", file],
        ];
        for arguments in calls {
            let (_, err) = ends(3, arguments);
            assert!(err.contains(file) && err.contains("is no regular file"), "litz {arguments:?}: {err}");
        }
    }
}

#[test]
fn names_of_files_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(std::ffi::OsStr::from_bytes(b"y\xff.npz"));
    let run = |option: &str, path: &std::ffi::OsStr| {
        let mut command = Command::new(common::command());
        command.args(["run", "mlp.pt2", "--random", "1", "--json", option]).arg(path);
        command.current_dir(root().join("tests/data")).env("LITZ_LIBRARY", common::shared_library());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).expect("JSON"), said)
    };
    let (code, written, said) = run("-o", file.as_os_str());
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(written["written"], *file.to_string_lossy());
    assert_eq!(run("-c", file.as_os_str()).1["equal"], true);
    // Its tensors are no inputs, so that all of these are made up.
    assert_eq!(run("-i", file.as_os_str()).0, Some(0));
    let missing = folder.path().join(std::ffi::OsStr::from_bytes(b"x\xff.npy"));
    let (code, failure, said) = run("-i", missing.as_os_str());
    assert_eq!((code, &failure["error"]["exit_code"]), (Some(3), &3.into()), "{said}");
}

#[test]
fn colours_are_for_terminals() {
    let plain = |arguments: &[&str]| !ends(0, arguments).0.contains('\x1b');
    assert!(plain(&["inspect", "mlp.pt2"]));
    assert!(!plain(&["inspect", "mlp.pt2", "--color", "always"]));
    assert!(plain(&["inspect", "mlp.pt2", "--color", "always", "--json"]));
}

#[test]
fn pages_and_completions_are_made_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    ends(0, &["man", "-o", text(folder.path())]);
    let page = std::fs::read_to_string(folder.path().join("litz-run.1")).unwrap();
    assert!(
        page.contains(".TH litz-run 1") && page.contains("\\-\\-compare") && page.contains("Exit codes"),
        "{page}"
    );
    for shell in ["bash", "zsh", "fish"] {
        let script = ends(0, &["completions", shell]).0;
        assert!(script.contains("inspect"), "{shell}");
        assert_eq!(answer(&["completions", shell])["script"], script);
    }
    assert_eq!(answer(&["man"])["page"], ends(0, &["man"]).0);
    let written = answer(&["man", "-o", text(folder.path())])["written"].as_array().map(Vec::len);
    assert_eq!(written, std::fs::read_dir(folder.path()).ok().map(Iterator::count));
    // The guide shows every command.
    let guide = std::fs::read_to_string(root().join("docs/cli.md")).unwrap();
    let (help, _) = ends(0, &["--help"]);
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    for line in commands.lines() {
        let name = line.split_whitespace().next().unwrap();
        assert!(
            name == "help" || guide.contains(&format!("litz {name}")),
            "docs/cli.md does not show `{name}`"
        );
    }
}

/// Declarations of the crate `litz-api` are those of the header.
#[test]
fn the_crate_declares_what_the_header_declares() {
    let source = std::fs::read_to_string(root().join("bindings/rust/src/sys.rs")).unwrap();
    let functions = common::functions();
    let mut seen = 0;
    for line in source.lines().filter_map(|l| l.trim().strip_prefix("fn ")?.split_once(" = ")) {
        let (_, declaration) = line;
        let (name, rest) = declaration.split_once('(').unwrap();
        let (list, result) = rest.rsplit_once(')').unwrap();
        let result = result.trim().trim_end_matches(';').trim_start_matches("-> ").trim();
        let known =
            functions.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("{name} is not in litz.h"));
        let list: Vec<&str> = list.split(',').map(str::trim).filter(|t| !t.is_empty()).collect();
        let wanted: Vec<String> = known.parameters.iter().map(|(ty, _)| rust_type(ty)).collect();
        let given: Vec<String> = list.iter().map(|ty| alias(ty)).collect();
        assert_eq!(given, wanted, "{name}");
        assert_eq!(
            alias(result),
            if known.result == "void" { String::new() } else { rust_type(&known.result) },
            "{name}"
        );
        seen += 1;
    }
    assert!(seen > 50, "the declarations were not read: {seen}");
}

/// The aliases of `sys.rs`.
fn alias(ty: &str) -> String {
    match ty {
        "Err" => "*mut *mut litz_error".into(),
        "Text" => "*mut *mut litz_string".into(),
        "Inputs" => "*const *const DLTensor".into(),
        "Option<litz_log_fn>" => "litz_log_fn".into(),
        "Option<litz_trace_fn>" => "litz_trace_fn".into(),
        other => other.into(),
    }
}

/// A type of C as Rust writes it.
fn rust_type(c: &str) -> String {
    if let Some(inner) = c.strip_suffix("*const*").or_else(|| c.strip_suffix("*const *")) {
        return format!("*const {}", rust_type(&format!("{} *", inner.trim())));
    }
    if let Some(inner) = c.trim().strip_suffix('*') {
        let inner = inner.trim();
        return match inner.strip_prefix("const ") {
            Some(inner) if !inner.ends_with('*') => format!("*const {}", rust_type(inner)),
            _ => format!("*mut {}", rust_type(inner)),
        };
    }
    match c.trim().trim_start_matches("const ").trim() {
        "void" => "c_void",
        "char" => "c_char",
        "size_t" => "usize",
        "int32_t" | "litz_status" => "i32",
        "uint32_t" => "u32",
        "int64_t" => "i64",
        "uint64_t" => "u64",
        other => other,
    }
    .into()
}
