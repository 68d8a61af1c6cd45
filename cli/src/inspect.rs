//! `litz inspect`: what a graph or an artifact holds. A graph is read and not compiled.

use crate::args::{InspectArgs, Options as Given};
use crate::failure::Failure;
use crate::given;
use crate::output::{Output, amount, bytes};
use crate::source::{self, Kind, Source};
use litz_api::{Dtype, Executable};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// What an artifact has of Litz in it: its executor. Kernels are made of the graph.
const OWN_LICENCE: &str = "MIT OR Apache-2.0";

pub fn inspect(args: &InspectArgs, output: &Output) -> Result<(), Failure> {
    let (source, _, kind) = source::open(&args.file, &Given::default(), output)?;
    let mut answer = Map::new();
    answer.insert("file".into(), given::named(&args.file));
    answer.insert("kind".into(), kind.name().into());
    let (spec, about) = match &source {
        Source::Graph(graph) => (graph.spec()?, graph.describe()?),
        Source::Artifact(program) => (program.spec()?, program.describe()?),
    };
    let spec: Value = serde_json::from_str(&spec).unwrap_or_default();
    let about: Value = serde_json::from_str(&about).unwrap_or_default();
    answer.insert("name".into(), about["name"].clone());
    answer.insert("signature".into(), json!({"inputs": spec["inputs"], "outputs": spec["outputs"]}));
    answer.insert("symbols".into(), about["symbols"].clone());
    answer.insert("metadata".into(), spec["metadata"].clone());
    let constants = match &source {
        Source::Graph(_) => about["constants"].clone(),
        Source::Artifact(program) => constants(program, &about)?,
    };
    answer.insert("weights".into(), weights(&constants));
    answer.insert("licences".into(), licences(&about, &spec["metadata"], kind));
    match &source {
        Source::Graph(_) => {
            answer.insert("operators".into(), about["operators"].clone());
            answer.insert("writes".into(), about["writes"].clone());
        }
        Source::Artifact(_) => {
            let file = given::read(&args.file)?;
            let sha256: String = Sha256::digest(&file).iter().map(|b| format!("{b:02x}")).collect();
            answer.insert("bytes".into(), file.len().into());
            answer.insert("sha256".into(), sha256.into());
            for key in [
                "backend",
                "target",
                "isa",
                "compiler",
                "needs",
                "options",
                "arena_bytes",
                "derived_bytes",
                "fallbacks",
                "kernels",
            ] {
                answer.insert(key.into(), about[key].clone());
            }
        }
    }
    answer.insert("constants".into(), constants);
    let answer = Value::Object(answer);
    output.answer(&answer, |o| words(o, args, &answer));
    Ok(())
}

/// The constants as describe lists them.
fn constants(program: &Executable, about: &Value) -> Result<Value, Failure> {
    if about["constants"].is_array() {
        return Ok(about["constants"].clone());
    }
    let list = program.constants()?;
    Ok(list.iter().map(|c| json!({"name": c.name, "dtype": c.dtype.name(), "shape": c.min_shape})).collect())
}

/// How many weights there are, by kind and dtype.
fn weights(constants: &Value) -> Value {
    let (mut total, mut elements) = (0u64, 0u64);
    let mut kinds: Map<String, Value> = Map::new();
    for constant in constants.as_array().into_iter().flatten() {
        let size = constant["dtype"].as_str().and_then(Dtype::from_name).map_or(0, |d| d.size() as u64);
        let count: u64 =
            constant["shape"].as_array().into_iter().flatten().filter_map(Value::as_u64).product();
        elements += count;
        total += size * count;
        let kind = format!(
            "{} {}",
            constant["kind"].as_str().unwrap_or("constant"),
            constant["dtype"].as_str().unwrap_or("?")
        );
        let entry = kinds.entry(kind).or_insert_with(|| json!({"tensors": 0, "elements": 0, "bytes": 0}));
        for (key, more) in [("tensors", 1), ("elements", count), ("bytes", size * count)] {
            entry[key] = (entry[key].as_u64().unwrap_or(0) + more).into();
        }
    }
    json!({"elements": elements, "bytes": total, "kinds": kinds})
}

/// What the file's content is licensed under: that of the model where its metadata says it, Litz's own part of an artifact, and
/// the libraries that it opens and does not hold.
fn licences(about: &Value, metadata: &Value, kind: Kind) -> Value {
    let said = |key: &String| {
        let key = key.to_lowercase();
        key.contains("licence") || key.contains("license")
    };
    let model: Map<String, Value> = metadata
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(k, _)| said(k))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    let mut all = Map::new();
    all.insert("model".into(), if model.is_empty() { Value::Null } else { model.into() });
    if kind == Kind::Artifact {
        all.insert("executor".into(), OWN_LICENCE.into());
        let opened = about["needs"].as_array().into_iter().flatten().filter_map(Value::as_str);
        all.insert(
            "opened_libraries".into(),
            opened.map(|name| format!("{name}: NVIDIA's, not in the file")).collect(),
        );
    }
    Value::Object(all)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// One leaf of the signature.
fn leaf(about: &Value) -> Vec<String> {
    let kind = text(&about["kind"]);
    let what = match kind.as_str() {
        "tensor" | "scalar" => format!("{}[{}]", text(&about["dtype"]), text(&about["shape"])),
        "fixed" => format!("always {}", text(&about["value"])),
        other => other.to_string(),
    };
    let mut notes = Vec::new();
    if about["mutated"] == true {
        notes.push("written to".to_string());
    }
    if !about["alias_of"].is_null() {
        let with = about["alias_of"].as_object().and_then(|o| o.iter().next());
        notes
            .push(with.map_or(String::new(), |(kind, of)| format!("shares memory with {kind} {}", text(of))));
    }
    vec![text(&about["path"]), text(&about["name"]), what, notes.join(", ")]
}

fn words(o: &Output, args: &InspectArgs, answer: &Value) {
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    o.say(&format!(
        "{}: {} `{}`",
        o.bold(&args.file.display().to_string()),
        text(&answer["kind"]),
        text(&answer["name"])
    ));
    for (title, key) in [("inputs", "inputs"), ("outputs", "outputs")] {
        let list = answer["signature"][key].as_array().cloned().unwrap_or_default();
        o.heading(&format!("{title} ({})", list.len()));
        o.table(&list.iter().map(leaf).collect::<Vec<_>>());
    }
    let symbols = answer["symbols"].as_array().cloned().unwrap_or_default();
    if !symbols.is_empty() {
        o.heading("symbols");
        let range = |s: &Value| {
            let max = if s["max"].is_null() { "any".to_string() } else { text(&s["max"]) };
            vec![text(&s["name"]), format!("{} to {max}", text(&s["min"]))]
        };
        o.table(&symbols.iter().map(range).collect::<Vec<_>>());
    }
    let weights = &answer["weights"];
    let total =
        format!("{}elements, {}", amount(number(&weights["elements"])), bytes(number(&weights["bytes"])));
    o.heading(&format!("weights ({total})"));
    let kinds = weights["kinds"].as_object().cloned().unwrap_or_default();
    let row = |(kind, w): (&String, &Value)| {
        vec![kind.clone(), format!("{} tensors", w["tensors"]), bytes(number(&w["bytes"]))]
    };
    o.table(&kinds.iter().map(row).collect::<Vec<_>>());
    if args.weights {
        let row = |c: &Value| {
            vec![text(&c["name"]), text(&c["kind"]), format!("{}[{}]", text(&c["dtype"]), text(&c["shape"]))]
        };
        o.table(&answer["constants"].as_array().into_iter().flatten().map(row).collect::<Vec<_>>());
    }
    if let Some(operators) = answer["operators"].as_object() {
        o.heading(&format!("operators ({} kinds)", operators.len()));
        let mut rows: Vec<_> = operators.iter().collect();
        rows.sort_by_key(|(_, n)| std::cmp::Reverse(n.as_u64()));
        o.table(&rows.iter().map(|(name, n)| vec![n.to_string(), (*name).clone()]).collect::<Vec<_>>());
    }
    if let Some(kernels) = answer["kernels"].as_array() {
        o.heading("program");
        let mut rows = vec![
            vec![
                "backend".to_string(),
                format!("{} for {}", text(&answer["backend"]), text(&answer["target"])),
            ],
            vec!["compiler".to_string(), text(&answer["compiler"])],
            vec!["size".to_string(), bytes(number(&answer["bytes"]))],
            vec!["sha256".to_string(), text(&answer["sha256"])],
            vec!["arena".to_string(), format!("{} bytes", text(&answer["arena_bytes"]))],
        ];
        if answer["needs"].as_array().is_some_and(|n| !n.is_empty()) {
            rows.push(vec!["needs".to_string(), text(&answer["needs"])]);
        }
        o.table(&rows);
        let runs = kernels.iter().filter(|k| k["stage"] == "run").count();
        o.heading(&format!("kernels ({runs} in a run, {} once)", kernels.len() - runs));
        if args.kernels {
            let row = |k: &Value| {
                vec![text(&k["stage"]), text(&k["kind"]), text(&k["name"]), text(&k["operators"])]
            };
            o.table(&kernels.iter().map(row).collect::<Vec<_>>());
        } else {
            o.say("  --kernels lists them");
        }
    }
    o.heading("licences");
    let licences = answer["licences"].as_object().cloned().unwrap_or_default();
    let row = |(what, name): (&String, &Value)| {
        let name = match name {
            Value::Null => "its metadata says none".to_string(),
            Value::Object(all) => {
                all.iter().map(|(k, v)| format!("{k}: {}", text(v))).collect::<Vec<_>>().join(", ")
            }
            other => text(other),
        };
        vec![what.clone(), name]
    };
    o.table(&licences.iter().map(row).filter(|r| !r[1].is_empty()).collect::<Vec<_>>());
}
