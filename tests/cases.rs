//! Graphs as text and what a stage makes of them: `tests/cases/<stage>/*.litz`. A case is a graph in Litz text; the
//! expected text stands in the same file, in lines that start with `#=`. `LITZ_BLESS=1` rewrites those.
//!
//! | stage | expected |
//! |---|---|
//! | `functionalize` | the pure graph |
//! | `passes` | the pure graph after every pass of the pipeline |
//! | `decompose` | the pure graph in simpler operators |
//! | `trace` | what a compilation tells: an event each line, without what differs from machine to machine |
//! | `kernels` | what the whole pipeline compiles: a line for each kernel with its kind and what fused into it |

use litz::base::event::COMMON_KEYS;
use litz::decompose::decompose;
use litz::functionalize::functionalize;
use litz::ir::text::print;
use litz::meta::text::parse;
use litz::passes;
use litz::session::{self, Options};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const MARK: &str = "#=";

fn kernels(text: &str) -> String {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::new();
    options.set("backend", "cpu").unwrap();
    let executable = session::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let described: serde_json::Value = serde_json::from_str(&executable.describe()).unwrap();
    let mut lines = String::new();
    for kernel in described["kernels"].as_array().unwrap() {
        let word = |key: &str| kernel[key].as_str().unwrap_or("?").to_string();
        let operators: Vec<&str> =
            kernel["operators"].as_array().unwrap().iter().filter_map(|o| o.as_str()).collect();
        lines += &format!("{} {}: {}\n", word("stage"), word("kind"), operators.join(", "));
    }
    lines
}

fn events(text: &str) -> String {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::new();
    for (key, value) in
        [("backend", "cpu"), ("cpu.isa", "scalar"), ("cpu.threads", "2"), ("cache.enabled", "false")]
    {
        options.set(key, value).unwrap();
    }
    let lines = Arc::new(Mutex::new(String::new()));
    let told = Arc::clone(&lines);
    options.set_trace(Some(Arc::new(move |line: &str| {
        let mut event: Map<String, Value> = serde_json::from_str(line).unwrap();
        let name = event.shift_remove("event").unwrap();
        for (key, _) in COMMON_KEYS.iter().filter(|(key, _)| *key != "event") {
            assert!(event.shift_remove(*key).is_some_and(|v| v.is_number()), "{key}: {line}");
        }
        event.shift_remove("seconds");
        if let Some(description) = event.get_mut("description") {
            description["name"] = Value::Null;
        }
        if name == "cache" {
            event.insert("key".into(), Value::Null);
        }
        *told.lock().unwrap() += &format!("{} {}\n", name.as_str().unwrap(), Value::Object(event));
    })));
    session::plan(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    lines.lock().unwrap().clone()
}

fn stage(name: &str, text: &str) -> String {
    let functional = || {
        let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
        functionalize(&graph).unwrap_or_else(|e| panic!("{e}"))
    };
    match name {
        "functionalize" => match functionalize(&parse(text).unwrap_or_else(|e| panic!("{e}"))) {
            Ok(graph) => print(&graph),
            Err(e) => format!("error {}: {e}\n", e.status.code()),
        },
        "passes" => {
            let mut graph = functional();
            passes::run(&mut graph).unwrap_or_else(|e| panic!("{e}"));
            print(&graph)
        }
        "decompose" => print(&decompose(&functional()).unwrap_or_else(|e| panic!("{e}"))),
        "kernels" => kernels(text),
        "trace" => events(text),
        other => panic!("no stage is called `{other}`"),
    }
}

/// The graph and the expected text.
fn split(text: &str) -> (String, String) {
    let (expected, graph): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with(MARK));
    let strip = |l: &&str| format!("{}\n", l[MARK.len()..].strip_prefix(' ').unwrap_or_default());
    (graph.join("\n").trim_end().to_string(), expected.iter().map(strip).collect())
}

fn check(path: &Path, name: &str) -> Option<String> {
    let (graph, expected) = split(&std::fs::read_to_string(path).unwrap());
    let got = stage(name, &graph);
    if std::env::var_os("LITZ_BLESS").is_some() {
        let marked: String =
            got.lines().map(|l| format!("{MARK} {l}").trim_end().to_string() + "\n").collect();
        std::fs::write(path, format!("{graph}\n\n{marked}")).unwrap();
        return None;
    }
    (got != expected).then(|| format!("{}: expected\n{expected}got\n{got}", path.display()))
}

fn cases(name: &str) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases")).join(name);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    let problems: Vec<String> = paths.iter().filter_map(|p| check(p, name)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn functionalized_graphs() {
    cases("functionalize");
}

#[test]
fn passes_over_graphs() {
    cases("passes");
}

#[test]
fn decomposed_graphs() {
    cases("decompose");
}

#[test]
fn what_fuses() {
    cases("kernels");
}

#[test]
fn what_is_told() {
    cases("trace");
}
