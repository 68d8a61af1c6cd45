//! `litz diff`: in what two programs, or the traces of two compilations, differ.
//!
//! Both sides become a list of named facts. Programs: signature, symbols, constants (of artifacts, their values too),
//! operators or kernels, target, options. Traces: stages with their seconds, kernels, and counts of events.

use crate::args::{DiffArgs, Options as Given};
use crate::failure::Failure;
use crate::given;
use crate::output::{Output, seconds};
use crate::source::{self, Kind, Source};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// A section and a name in it, and what is said of that.
type Facts = BTreeMap<(String, String), Value>;

pub fn diff(args: &DiffArgs, output: &Output) -> Result<(), Failure> {
    let (traces, a, b) = match (trace(&args.a)?, trace(&args.b)?) {
        (Some(a), Some(b)) => (true, a, b),
        (None, None) => (false, program(&args.a, output)?, program(&args.b, output)?),
        _ => {
            return Err(Failure::Input(
                "a trace is compared with a trace, and a program with a program".into(),
            ));
        }
    };
    // Times are never the same: they are shown, and are no difference.
    let timed = |section: &str| section == "seconds";
    let names: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).cloned().collect();
    let mut differences = Vec::new();
    let mut times = Vec::new();
    for (section, name) in names {
        let key = (section, name);
        let (x, y) = (a.get(&key), b.get(&key));
        let fact = json!({"section": key.0, "name": key.1, "a": x, "b": y});
        if timed(&key.0) {
            times.push(fact);
        } else if x != y {
            differences.push(fact);
        }
    }
    let equal = differences.is_empty();
    let mut answer = json!({"equal": equal, "differences": differences});
    if traces {
        answer["seconds"] = times.clone().into();
    }
    output.answer(&answer, |o| {
        let shown = |value: &Value| match value {
            Value::Null => o.dim("-"),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mut last = String::new();
        for fact in &differences {
            let section = fact["section"].as_str().unwrap_or_default();
            if section != last {
                o.heading(section);
                last = section.to_string();
            }
            o.say(&format!("  {}", fact["name"].as_str().unwrap_or_default()));
            o.say(&format!("    {} {}", o.bad("-"), shown(&fact["a"])));
            o.say(&format!("    {} {}", o.good("+"), shown(&fact["b"])));
        }
        if !times.is_empty() {
            o.heading("seconds");
            let of = |value: &Value| value.as_f64().map_or("-".to_string(), seconds);
            let row = |f: &Value| {
                vec![f["name"].as_str().unwrap_or_default().to_string(), of(&f["a"]), of(&f["b"])]
            };
            o.table(&times.iter().map(row).collect::<Vec<_>>());
        }
        if equal {
            o.say("no difference");
        }
    });
    if equal { Ok(()) } else { Err(Failure::No) }
}

/// The facts of a trace; `None` for another file.
fn trace(path: &Path) -> Result<Option<Facts>, Failure> {
    let is_list = |text: &[u8]| text.trim_ascii_start().starts_with(b"[");
    if path.is_dir() {
        return Ok(None);
    }
    let text = given::read(path)?;
    if !is_list(&text) {
        return Ok(None);
    }
    let list: Value =
        serde_json::from_slice(&text).map_err(|e| Failure::input(path, format!("is no trace: {e}")))?;
    let mut facts = Facts::new();
    for entry in list.as_array().into_iter().flatten() {
        let event = &entry["args"];
        let Some(name) = event["event"].as_str() else { continue };
        let count = facts.entry(("events".into(), name.into())).or_insert(json!(0));
        *count = (count.as_u64().unwrap_or(0) + 1).into();
        match name {
            "stage" => {
                let stage = event["stage"].as_str().unwrap_or_default();
                facts.insert(("seconds".into(), stage.into()), event["seconds"].clone());
            }
            "compile_begin" => {
                for key in ["name", "nodes", "constants", "options"] {
                    facts.insert(("compilation".into(), key.into()), event[key].clone());
                }
            }
            "kernel" => kernel(&mut facts, &event["description"]),
            "memory" => {
                for key in ["arena_bytes", "derived_bytes", "scratch_bytes"] {
                    facts.insert(("memory".into(), key.into()), event[key].clone());
                }
            }
            _ => {}
        }
    }
    if facts.is_empty() {
        return Err(Failure::input(path, "is a list without events of a compilation"));
    }
    Ok(Some(facts))
}

/// A kernel by what it computes, so that another tile of the same one is a change of it; equal ones are numbered.
fn kernel(facts: &mut Facts, about: &Value) {
    let list = |key: &str| -> String {
        about[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
    };
    let name = format!("{}: {}", about["stage"].as_str().unwrap_or_default(), list("nodes"));
    let is = json!({"kind": about["kind"], "name": about["name"], "operators": list("operators")});
    let mut key = ("kernels".to_string(), name.clone());
    for k in 2.. {
        if !facts.contains_key(&key) {
            break;
        }
        key.1 = format!("{name} ({k})");
    }
    facts.insert(key, is);
}

fn program(path: &Path, output: &Output) -> Result<Facts, Failure> {
    let (source, _, kind) = source::open(path, &Given::default(), output)?;
    let mut facts = Facts::new();
    facts.insert(
        ("program".into(), "kind".into()),
        (if kind == Kind::Artifact { "artifact" } else { "graph" }).into(),
    );
    let (spec, about) = match &source {
        Source::Graph(graph) => (graph.spec()?, graph.describe()?),
        Source::Artifact(program) => (program.spec()?, program.describe()?),
    };
    let spec: Value = serde_json::from_str(&spec).unwrap_or_default();
    let about: Value = serde_json::from_str(&about).unwrap_or_default();
    for side in ["inputs", "outputs"] {
        for leaf in spec[side].as_array().into_iter().flatten() {
            let path = leaf["path"].as_str().unwrap_or_default();
            facts.insert((side.into(), path.into()), leaf.clone());
        }
    }
    for (key, value) in spec["metadata"].as_object().into_iter().flatten() {
        facts.insert(("metadata".into(), key.clone()), value.clone());
    }
    for symbol in about["symbols"].as_array().into_iter().flatten() {
        facts.insert(("symbols".into(), symbol["name"].as_str().unwrap_or_default().into()), symbol.clone());
    }
    for constant in about["constants"].as_array().into_iter().flatten() {
        let name = constant["name"].as_str().unwrap_or_default();
        let mut is =
            json!({"kind": constant["kind"], "dtype": constant["dtype"], "shape": constant["shape"]});
        if let Source::Artifact(program) = &source {
            // One that was frozen and dropped cannot be read.
            is["sha256"] = match program.constant(name) {
                Ok(value) => Sha256::digest(&*value.bytes()?)
                    .iter()
                    .map(|b| format!("{b:02x}"))
                    .collect::<String>()
                    .into(),
                Err(_) => Value::Null,
            };
        }
        facts.insert(("constants".into(), name.into()), is);
    }
    for (name, count) in about["operators"].as_object().into_iter().flatten() {
        facts.insert(("operators".into(), name.clone()), count.clone());
    }
    for key in ["name", "backend", "target", "compiler", "needs", "arena_bytes", "derived_bytes"] {
        if !about[key].is_null() {
            facts.insert(("program".into(), key.into()), about[key].clone());
        }
    }
    for (key, value) in about["options"].as_object().into_iter().flatten() {
        facts.insert(("options".into(), key.clone()), value.clone());
    }
    for about in about["kernels"].as_array().into_iter().flatten() {
        kernel(&mut facts, about);
    }
    Ok(facts)
}
