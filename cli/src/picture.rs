//! `litz report` and `litz draw`: pages and pictures, as the library makes them.

use crate::args::{By, DrawArgs, ReportArgs};
use crate::failure::{About, Failure};
use crate::given;
use crate::inputs::inputs;
use crate::output::{Output, bytes};
use crate::source::{self, Kind, Source};
use litz_api::RunOptions;
use serde_json::json;
use std::path::{Path, PathBuf};

fn written(path: &Path, text: &str, output: &Output) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|e| Failure::input(path, e))?;
    output.answer(&json!({"written": given::named(path), "bytes": text.len()}), |o| {
        o.say(&format!("{}: {}", o.bold(&path.display().to_string()), bytes(text.len() as f64)));
    });
    Ok(())
}

pub fn report(args: &ReportArgs, output: &Output) -> Result<(), Failure> {
    let mut options = args.options.clone();
    if args.runs > 0 {
        options.set.push("profile=true".to_string());
    }
    let program = source::program(&args.model, &options, output)?;
    if args.runs > 0 {
        let mut given = inputs(&args.inputs, &program)?;
        for _ in 0..args.runs {
            program.run_mut(&mut given, &RunOptions::default()).about(&args.model)?;
        }
    }
    let path = match &args.output {
        Some(path) => path.clone(),
        None => PathBuf::from(args.model.file_stem().unwrap_or_default()).with_extension("html"),
    };
    written(&path, &program.report()?, output)
}

pub fn draw(args: &DrawArgs, output: &Output) -> Result<(), Failure> {
    let format = match args.output.as_deref().map(|p| (p, p.extension().and_then(|e| e.to_str()))) {
        None | Some((_, Some("dot"))) => "dot",
        Some((_, Some("svg"))) => "svg",
        Some((path, _)) => {
            return Err(Failure::Usage(format!("{}: pictures are .svg or .dot", path.display())));
        }
    };
    let kind = Kind::of(&args.model)?;
    let picture = if args.by == By::Module && kind != Kind::Artifact {
        let (source, _, _) = source::open(&args.model, &args.options, output)?;
        match source {
            Source::Graph(graph) => graph.draw(format)?,
            Source::Artifact(program) => program.draw(format)?,
        }
    } else {
        source::program(&args.model, &args.options, output)?.draw(format).about(&args.model)?
    };
    match &args.output {
        Some(path) => written(path, &picture, output),
        None => {
            output.answer(&json!({"format": format, "picture": picture}), |o| o.say(picture.trim_end()));
            Ok(())
        }
    }
}
