//! `litz minify`: the smallest part of a graph found that still fails.

use crate::args::{Fails, MinifyArgs};
use crate::failure::{About, Failure};
use crate::given;
use crate::output::Output;
use crate::source::{self, Kind, Source};
use litz_api::{Graph, Predicate, Tensor};
use serde_json::{Value, json};

pub fn minify(args: &MinifyArgs, output: &Output) -> Result<(), Failure> {
    let (source, options, kind) = source::open(&args.model, &args.options, output)?;
    let Source::Graph(graph) = source else {
        return Err(Failure::input(&args.model, "is an artifact, which holds no graph"));
    };
    let inputs = if kind == Kind::Repro { Graph::repro_inputs(&args.model, &options)? } else { Vec::new() };
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    let predicate = match args.fails {
        Fails::Compile => "compile_fails",
        Fails::Crash => "crashes",
        Fails::Differ => "differs",
    };
    let predicate = Predicate::new(predicate, &options, &inputs)?;
    let part = graph.minify(predicate).about(&args.model)?;
    let count = |graph: &Graph| -> Result<u64, Failure> {
        let about: Value = serde_json::from_str(&graph.describe()?).unwrap_or_default();
        Ok(about["operators"].as_object().into_iter().flatten().filter_map(|(_, n)| n.as_u64()).sum())
    };
    let (before, after) = (count(&graph)?, count(&part)?);
    let text = part.to_text()?;
    match &args.output {
        Some(path) if path.extension().is_some_and(|e| e == "litz") => {
            std::fs::write(path, &text).map_err(|e| Failure::input(path, e))?;
        }
        Some(folder) => part.save_repro(&options, &[], folder).about(folder)?,
        None => {}
    }
    let answer = json!({"nodes_before": before, "nodes": after, "written": args.output.as_deref().map(given::named), "graph": text});
    output.answer(&answer, |o| match &args.output {
        Some(path) => {
            o.say(&format!("{before} nodes became {after}: {}", o.bold(&path.display().to_string())))
        }
        None => o.say(text.trim_end()),
    });
    Ok(())
}
