//! `litz run`: one run, its outputs shown, written, and compared.

use crate::args::RunArgs;
use crate::compare::{self, compare};
use crate::failure::{About, Failure};
use crate::files;
use crate::given;
use crate::inputs::{inputs, leaves, place};
use crate::output::{Output, seconds};
use crate::source;
use litz_api::{Executable, RunOptions, Tensor};
use serde_json::{Value, json};
use std::path::Path;

pub fn run(args: &RunArgs, output: &Output) -> Result<(), Failure> {
    let program = source::program(&args.model, &args.options, output)?;
    if let Some(path) = &args.output {
        files::check_writable(path, program.outputs().len())?;
    }
    let expected =
        args.compare.as_deref().map(|path| expected(path, &args.inputs.prefix, &program)).transpose()?;
    let mut tensors = inputs(&args.inputs, &program)?;
    let options = RunOptions { seed: args.seed.map(|seed| (seed, 0)), ..RunOptions::default() };
    let begin = std::time::Instant::now();
    let results = program.run_mut(&mut tensors, &options).about(&args.model)?;
    let took = begin.elapsed().as_secs_f64();
    let mut comparisons = Vec::new();
    for (k, wanted) in expected.iter().flatten() {
        comparisons.push(compare(&program.outputs()[*k].name, &results[*k], wanted, args.tolerance)?);
    }
    let shown: Vec<Value> =
        program.outputs().iter().zip(&results).map(|(i, t)| shown(&i.name, t)).collect::<Result<_, _>>()?;
    let mutated: Vec<&str> = program.inputs().iter().filter(|i| i.mutated).map(|i| i.name.as_str()).collect();
    let named: Vec<(String, Tensor)> =
        program.outputs().iter().map(|i| i.name.clone()).zip(results).collect();
    if let Some(path) = &args.output {
        files::write(path, &named)?;
    }
    let equal = comparisons.iter().all(|c| c.equal);
    let answer = json!({
        "seconds": took,
        "outputs": shown,
        "mutated_inputs": mutated,
        "written": args.output.as_deref().map(given::named),
        "comparisons": comparisons.iter().map(compare::Comparison::json).collect::<Vec<_>>(),
        "equal": expected.is_some().then_some(equal),
    });
    output.answer(&answer, |o| {
        o.say(&format!("{} in {}", o.bold("ran"), seconds(took)));
        o.table(&shown.iter().map(row).collect::<Vec<_>>());
        if !mutated.is_empty() {
            o.say(&format!("  the run wrote to its inputs {}", mutated.join(", ")));
        }
        if let Some(path) = &args.output {
            o.say(&format!("written to {}", path.display()));
        }
        for comparison in &comparisons {
            comparison.say(o);
        }
    });
    if equal { Ok(()) } else { Err(Failure::No) }
}

/// The outputs that a file has, by their numbers. All must be there.
fn expected(path: &Path, prefix: &str, program: &Executable) -> Result<Vec<(usize, Tensor)>, Failure> {
    let spec: Value = serde_json::from_str(&program.spec()?).unwrap_or_default();
    let leaves = leaves(&spec["outputs"]);
    let mut found = Vec::new();
    for (name, tensor) in files::read(path)? {
        let k = match name.as_deref() {
            None => (program.outputs().len() == 1).then_some(0),
            Some(name) => name.strip_prefix(prefix).and_then(|n| place(n, "out", program.outputs(), &leaves)),
        };
        found.extend(k.map(|k| (k, tensor)));
    }
    for (k, output) in program.outputs().iter().enumerate() {
        if !found.iter().any(|(have, _)| *have == k) {
            return Err(Failure::input(path, format!("has no output `{}` (out{k})", output.name)));
        }
    }
    found.sort_by_key(|(k, _)| *k);
    Ok(found)
}

/// Facts about a tensor and its first elements.
fn shown(name: &str, tensor: &Tensor) -> Result<Value, Failure> {
    let numbers = compare::numbers(tensor)?;
    let finite: Vec<f64> = numbers.iter().copied().filter(|x| x.is_finite()).collect();
    let mean = finite.iter().sum::<f64>() / finite.len() as f64;
    let not = numbers.len() - finite.len();
    let first: Vec<Value> =
        numbers.iter().take(6).map(|x| if x.is_finite() { json!(x) } else { json!(x.to_string()) }).collect();
    Ok(json!({
        "name": name,
        "dtype": tensor.dtype().name(),
        "shape": tensor.shape(),
        "least": finite.iter().copied().reduce(f64::min),
        "largest": finite.iter().copied().reduce(f64::max),
        "mean": mean.is_finite().then_some(mean),
        "not_finite": not,
        "first": first,
    }))
}

fn row(about: &Value) -> Vec<String> {
    let text = |key: &str| about[key].as_str().unwrap_or_default().to_string();
    let number = |value: &Value| match value.as_f64() {
        Some(x) if x.fract() == 0.0 && x.abs() < 1e15 => format!("{x}"),
        Some(x) => format!("{x:.5}"),
        None => value.as_str().unwrap_or("-").to_string(),
    };
    let first: Vec<String> = about["first"].as_array().into_iter().flatten().map(number).collect();
    let mut facts = format!(
        "least {} largest {} mean {}",
        number(&about["least"]),
        number(&about["largest"]),
        number(&about["mean"])
    );
    if about["not_finite"] != 0 {
        facts.push_str(&format!(", {} not finite", about["not_finite"]));
    }
    vec![text("name"), format!("{}{}", text("dtype"), about["shape"]), facts, first.join(" ")]
}
