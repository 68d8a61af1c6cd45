//! Pictures and the page of a compiled program, from what describe says of it and what was kept of its compilation.
//!
//! Deliberately absent: how they are laid out and written (see `picture`).

use super::SessionError;
use super::executable::Executable;
use crate::base::Status;
use crate::ir::Graph;
use crate::picture::report::{KernelRow, Page, label};
use crate::picture::{Format, Outline, Picture};
use serde_json::Value;

/// A graph with a box for each module.
pub fn draw_graph(graph: &Graph, format: Format) -> Result<String, SessionError> {
    let outline = Outline::of(graph);
    readable(&outline, format)?;
    Ok(Picture::by_module(&outline).write(format))
}

/// More nodes are not laid out: nobody could read the picture.
const MOST_NODES: usize = 20_000;

fn readable(outline: &Outline, format: Format) -> Result<(), SessionError> {
    let nodes = outline.nodes.len();
    if format == Format::Dot || nodes <= MOST_NODES {
        return Ok(());
    }
    let message =
        format!("a picture of {nodes} nodes is not laid out, up to {MOST_NODES} are; ask for `dot`");
    Err(SessionError::Option { status: Status::Unsupported, message })
}

impl Executable {
    /// The graph that it was compiled from with a box for each kernel.
    pub fn draw(&self, format: Format) -> Result<String, SessionError> {
        let Some(inside) = self.inside()? else {
            return Err(SessionError::Option {
                status: Status::Unsupported,
                message:
                    "the artifact holds no graph to draw: write it with the option artifact.graph=true; \
                          litz_executable_report shows its kernels"
                        .into(),
            });
        };
        let (outline, _) = &*inside;
        readable(outline, format)?;
        let labels: Vec<_> =
            rows(&self.described()).iter().enumerate().map(|(k, row)| label(k, row)).collect();
        Ok(Picture::by_kernel(outline, &labels).write(format))
    }

    /// All that is known of it as one page of HTML.
    pub fn report(&self) -> Result<String, SessionError> {
        let about = self.described();
        let inside = self.inside()?;
        let inside = inside.as_deref();
        if let Some((outline, _)) = inside {
            readable(outline, Format::Svg)?;
        }
        let (sources, memory, steps) = match inside {
            Some((_, i)) => {
                (i.sources.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect(), i.spans.clone(), i.steps)
            }
            None => (Vec::new(), Vec::new(), 0),
        };
        let page = Page {
            title: about["name"].as_str().unwrap_or_default().to_string(),
            facts: facts(&about),
            outline: inside.map(|i| &i.0),
            kernels: rows(&about),
            sources,
            memory,
            steps,
            limits: super::profile::limits_of(self, &about),
            profiled_runs: about["profile"]["timed_runs"].as_u64().unwrap_or(0),
        };
        Ok(page.html())
    }
}

/// The head of the page.
fn facts(about: &Value) -> Vec<(&'static str, String)> {
    let text = |value: &Value| match value {
        Value::String(s) => s.clone(),
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    let count = |key: &str| about[key].as_array().map_or(0, Vec::len).to_string();
    let size = |key: &str| crate::picture::report::bytes(about[key].as_f64().unwrap_or(0.0));
    let runs = about["kernels"].as_array().map_or(0, |l| l.iter().filter(|k| k["stage"] == "run").count());
    let mut facts = vec![("backend", text(&about["backend"])), ("target", text(&about["target"]))];
    if about["compiler"].is_string() {
        facts.push(("compiler", text(&about["compiler"])));
    }
    facts.extend([
        ("nodes", count("nodes")),
        ("kernels of a run", runs.to_string()),
        ("constants", count("constants")),
        ("arena", size("typical_arena_bytes")),
    ]);
    if let Some(seconds) = about["compile_seconds"]["total"].as_f64() {
        facts.push(("compiled in", crate::picture::report::time(seconds)));
    }
    facts
}

/// The kernels as describe lists them.
fn rows(about: &Value) -> Vec<KernelRow> {
    let list = |value: &Value| -> Vec<String> {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(Value::as_str).map(str::to_string).collect()
    };
    let row = |kernel: &Value| KernelRow {
        name: kernel["name"].as_str().unwrap_or_default().to_string(),
        kind: kernel["kind"].as_str().unwrap_or_default().to_string(),
        operators: list(&kernel["operators"]),
        nodes: list(&kernel["nodes"]),
        modules: list(&kernel["modules"]),
        lines: list(&kernel["source"]),
        once: kernel["stage"] == "init",
        bytes: kernel["bytes"].as_f64(),
        flop: kernel["flop"].as_f64(),
        seconds: None,
        share: None,
    };
    let kernels = about["kernels"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut rows: Vec<KernelRow> = kernels.iter().map(row).collect();
    // What was measured takes the place of what is typical.
    for (row, timed) in rows.iter_mut().zip(about["profile"]["kernels"].as_array().into_iter().flatten()) {
        row.seconds = timed["run_seconds"].as_f64().filter(|_| timed["calls"].as_u64() > Some(0));
        row.share = timed["share_of_limit"].as_f64();
        row.bytes = timed["run_bytes"].as_f64().or(row.bytes);
        row.flop = timed["run_flop"].as_f64().or(row.flop);
    }
    rows
}
