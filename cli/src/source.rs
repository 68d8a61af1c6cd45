//! Files that hold programs: which kind one is, by its content, and opening it.

use crate::args::Options as Given;
use crate::failure::{About, Failure};
use crate::given;
use crate::output::Output;
use litz_api::{Executable, Graph, Options};
use std::io::Read;
use std::path::Path;

/// What a file holds.
pub enum Source {
    Graph(Graph),
    Artifact(Executable),
}

/// The kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pt2,
    Onnx,
    ExportJson,
    Text,
    Repro,
    Artifact,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Pt2 => "archive of torch.export (.pt2)",
            Kind::Onnx => "ONNX model",
            Kind::ExportJson => "exported program's JSON, without weights",
            Kind::Text => "graph in Litz's text",
            Kind::Repro => "folder of a repro",
            Kind::Artifact => "artifact",
        }
    }

    pub fn of(path: &Path) -> Result<Kind, Failure> {
        let about = std::fs::metadata(path).map_err(|e| Failure::input(path, e))?;
        if about.is_dir() {
            return if path.join("options.json").exists() {
                Ok(Kind::Repro)
            } else {
                Err(Failure::input(path, "is a folder, and not one of a repro"))
            };
        }
        let mut head = Vec::new();
        given::open(path)?.take(64).read_to_end(&mut head).map_err(|e| Failure::input(path, e))?;
        let text = head.trim_ascii_start();
        Ok(match text {
            _ if head.starts_with(b"PK") => Kind::Pt2,
            // A model begins with its IR version, which is not large.
            _ if path.extension().is_some_and(|e| e == "onnx") || matches!(head[..], [8, 1..=64, ..]) => {
                Kind::Onnx
            }
            _ if head.starts_with(b"\x7fELF") => Kind::Artifact,
            _ if text.starts_with(b"{") => Kind::ExportJson,
            _ if path.extension().is_some_and(|e| e == "litz") || text.starts_with(b"graph") => Kind::Text,
            [] => return Err(Failure::input(path, "is empty")),
            _ => {
                return Err(Failure::input(
                    path,
                    "holds no program: it is no .pt2 archive, no ONNX model, no artifact, no JSON of an export and no text of Litz's",
                ));
            }
        })
    }
}

/// The options that the command line asks for, beside those of a repro.
pub fn options(given: &Given, output: &Output) -> Result<Options, Failure> {
    // The first call of most commands: it opens the library.
    let options = Options::new().map_err(Failure::Library)?;
    set(options, given, output)
}

fn set(mut options: Options, given: &Given, output: &Output) -> Result<Options, Failure> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (key, value) in [("backend", &given.backend), ("mode", &given.mode)] {
        pairs.extend(value.clone().map(|v| (key.to_string(), v)));
    }
    pairs.extend(given.device.map(|d| ("device".to_string(), d.to_string())));
    for text in &given.set {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| Failure::Usage(format!("--set takes KEY=VALUE, and this is `{text}`")))?;
        pairs.push((key.to_string(), value.to_string()));
    }
    for (key, value) in pairs {
        options.set(&key, &value).map_err(|e| Failure::Usage(e.message))?;
    }
    if !output.quiet {
        let level = match output.verbose {
            0 => 1,
            1 => 2,
            _ => 3,
        };
        options.set_log(level, |level, message| {
            let word = ["error: ", "warning: "].get(level as usize).copied().unwrap_or("");
            eprintln!("litz: {word}{message}");
        })?;
    }
    Ok(options)
}

/// Opens a file. The options are those of the command line, on top of a repro's own.
pub fn open(path: &Path, given: &Given, output: &Output) -> Result<(Source, Options, Kind), Failure> {
    let kind = Kind::of(path)?;
    open_with(path, kind, options(given, output)?, given, output)
}

pub fn open_with(
    path: &Path,
    kind: Kind,
    options: Options,
    given: &Given,
    output: &Output,
) -> Result<(Source, Options, Kind), Failure> {
    let read = || given::read_text(path);
    let graph = match kind {
        Kind::Pt2 => Graph::from_pt2(path, &options).about(path)?,
        Kind::Onnx => Graph::from_onnx(path, &options).about(path)?,
        Kind::ExportJson => Graph::from_export_json(&read()?, &options).about(path)?,
        Kind::Text => Graph::from_text(&read()?, &options).about(path)?,
        Kind::Repro => {
            let (graph, own) = Graph::from_repro(path).about(path)?;
            return Ok((Source::Graph(graph), set(own, given, output)?, kind));
        }
        Kind::Artifact => {
            let opened = Executable::open(path, &options).about(path)?;
            return Ok((Source::Artifact(opened), options, kind));
        }
    };
    Ok((Source::Graph(graph), options, kind))
}

/// A program to run: a graph is compiled.
pub fn program(path: &Path, given: &Given, output: &Output) -> Result<Executable, Failure> {
    let kind = Kind::of(path)?;
    let mut options = options(given, output)?;
    let progress = crate::progress::Progress::begin(&mut options, output)?;
    let (source, mut options, _) = open_with(path, kind, options, given, output)?;
    // The command's tensors lie in the host's memory.
    let made = match source {
        Source::Graph(graph) => {
            if options.get("backend")? == "cuda" {
                options.set("run.host_tensors", "copy")?;
            }
            graph.compile(&options).about(path)
        }
        Source::Artifact(executable) => {
            let about: serde_json::Value = serde_json::from_str(&executable.describe()?).unwrap_or_default();
            if about["backend"] == "cuda" {
                drop(executable);
                options.set("run.host_tensors", "copy")?;
                Executable::open(path, &options).about(path)
            } else {
                Ok(executable)
            }
        }
    };
    progress.end();
    made
}
