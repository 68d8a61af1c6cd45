//! `litz compile`: a graph to an artifact.

use crate::args::CompileArgs;
use crate::failure::{About, Failure};
use crate::given;
use crate::output::{Output, bytes, seconds};
use crate::progress::Progress;
use crate::source::{self, Kind, Source};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

pub fn compile(args: &CompileArgs, output: &Output) -> Result<(), Failure> {
    let begin = std::time::Instant::now();
    let kind = Kind::of(&args.model)?;
    if kind == Kind::Artifact {
        return Err(Failure::input(&args.model, "is an artifact already"));
    }
    let path = match &args.output {
        Some(path) => path.clone(),
        None => PathBuf::from(args.model.file_stem().unwrap_or_default()).with_extension("so"),
    };
    let (source, mut options, _) =
        source::open_with(&args.model, kind, source::options(&args.options, output)?, &args.options, output)?;
    if let Some(trace) = &args.trace {
        let text = trace.to_str().ok_or_else(|| Failure::input(trace, "the path is no UTF-8"))?;
        options.set("trace.file", text)?;
    }
    let Source::Graph(graph) = source else { unreachable!("artifacts were refused") };
    let progress = Progress::begin(&mut options, output)?;
    let compiled = graph.compile_artifact(&options, &path).about(&args.model);
    let heard = progress.end();
    compiled?;
    let artifact = heard.artifact.map_or(path, PathBuf::from);
    let file = given::read(&artifact)?;
    let sha256: String = Sha256::digest(&file).iter().map(|b| format!("{b:02x}")).collect();
    let total = begin.elapsed().as_secs_f64();
    let stages: serde_json::Map<_, _> = heard.stages.iter().map(|(s, t)| (s.clone(), json!(t))).collect();
    let answer = json!({
        "artifact": given::named(&artifact),
        "bytes": file.len(),
        "sha256": sha256,
        "seconds": total,
        "compile_seconds": heard.seconds,
        "stages": stages,
        "kernels": heard.kernels,
        "cache": heard.cache,
        "autotuned": heard.candidates,
        "fallbacks": heard.fallbacks,
    });
    output.answer(&answer, |o| {
        o.say(&format!(
            "{}: {}, {} kernels, compiled in {} (cache: {})",
            o.bold(&artifact.display().to_string()),
            bytes(file.len() as f64),
            heard.kernels,
            seconds(total),
            heard.cache,
        ));
    });
    Ok(())
}
