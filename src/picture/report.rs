//! A compiled program as one page: its picture, kernels, roofline, memory and source. The page holds all that it shows and
//! asks nothing of a network.

use super::plots;
use super::svg::{self, escaped};
use super::{KernelLabel, Outline, Picture};
use crate::schedule::Span;
use std::fmt::Write;

/// A kernel of a program, as the page shows it.
#[derive(Clone, Debug, Default)]
pub struct KernelRow {
    /// The symbol of its code.
    pub name: String,
    pub kind: String,
    pub operators: Vec<String>,
    /// The nodes that it computes, by name, and the modules and lines that they come from.
    pub nodes: Vec<String>,
    pub modules: Vec<String>,
    pub lines: Vec<String>,
    /// It runs when the program is created, not in a run.
    pub once: bool,
    /// Bytes moved and floating-point operations of one run; `None`: not known.
    pub bytes: Option<f64>,
    pub flop: Option<f64>,
    /// Seconds of a run, on average, where runs were profiled.
    pub seconds: Option<f64>,
    /// The part of the machine's limit that it reached then.
    pub share: Option<f64>,
}

/// The machine's limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// As measured.
    pub bytes_per_second: f64,
    /// As measured, of float32.
    pub flop_per_second: f64,
    /// Of a GPU's tensor cores with halves, as its clock says; `None`: there are none, or it is not known.
    pub tensor_flop_per_second: Option<f64>,
}

#[derive(Debug, Default)]
pub struct Page<'a> {
    pub title: String,
    /// Names and values for the head of the page.
    pub facts: Vec<(&'static str, String)>,
    pub outline: Option<&'a Outline>,
    pub kernels: Vec<KernelRow>,
    /// The generated source of kernels, by symbol.
    pub sources: Vec<(&'a str, &'a str)>,
    pub limits: Option<Limits>,
    pub memory: Vec<Span>,
    /// How many steps a run has.
    pub steps: usize,
    pub profiled_runs: u64,
}

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

impl Page<'_> {
    pub fn html(&self) -> String {
        let mut out = String::new();
        let title = escaped(&self.title);
        let _ = write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} · Litz</title>\n\
             <style>\n{}\n{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1><dl class=\"facts\">",
            svg::STYLE
        );
        for (name, value) in &self.facts {
            let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(value));
        }
        out.push_str("</dl></header>\n<main>\n");
        self.graph(&mut out);
        self.table(&mut out);
        out.push_str("<div class=\"plots\">\n");
        out.push_str(&plots::roofline(&self.kernels, self.limits));
        out.push_str(&plots::memory(&self.memory, self.steps));
        out.push_str("</div>\n</main>\n");
        self.texts(&mut out);
        let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
        out
    }

    /// The picture, and beside it the source of the kernel that is chosen.
    fn graph(&self, out: &mut String) {
        out.push_str("<section id=\"graph\"><h2>Graph and kernels</h2><div class=\"split\"><div class=\"canvas\" tabindex=\"0\">");
        match self.outline {
            Some(outline) => {
                let labels: Vec<KernelLabel> = self.kernels.iter().enumerate().map(|k| label(k.0, k.1)).collect();
                out.push_str(&svg::element(&Picture::by_kernel(outline, &labels), ""));
            }
            None => out.push_str("<p class=\"none\">The artifact holds no graph: one that is written with the option <code>artifact.graph=true</code> does.</p>"),
        }
        out.push_str(
            "</div><aside><h3 id=\"chosen\">Source</h3><p id=\"chosen-about\" class=\"about\">Choose a kernel in the \
             picture or in the table.</p><pre id=\"source\"></pre></aside></div>\
             <p class=\"tools\"><button id=\"closer\">+</button><button id=\"farther\">−</button><button id=\"whole\">fit</button></p>\
             </section>\n",
        );
    }

    fn table(&self, out: &mut String) {
        let about = match self.profiled_runs {
            0 => "Bytes and floating-point operations of one run. Compile with <code>profile=true</code> and run for times.".to_string(),
            n => format!("Averages of {n} profiled runs. The share is that of the machine's measured limit."),
        };
        let _ = write!(
            out,
            "<section id=\"kernels\"><h2>Kernels</h2><p class=\"about\">{about}</p><div class=\"scroll\"><table><thead><tr>"
        );
        for (name, class) in [
            ("#", "number"),
            ("kind", ""),
            ("computes", ""),
            ("from", ""),
            ("bytes", "number"),
            ("FLOP", "number"),
            ("FLOP/byte", "number"),
            ("time", "number"),
            ("share of limit", "number"),
        ] {
            let _ = write!(out, "<th class=\"{class}\" tabindex=\"0\">{name}</th>");
        }
        out.push_str("</tr></thead><tbody>\n");
        for (k, kernel) in self.kernels.iter().enumerate() {
            let stage = if kernel.once { " once" } else { "" };
            let _ = write!(out, "<tr class=\"row{stage}\" data-kernel=\"{k}\" tabindex=\"0\">");
            cell(out, k as f64, &k.to_string());
            let kind = if kernel.once { format!("{} (once)", kernel.kind) } else { kernel.kind.clone() };
            let _ = write!(out, "<td>{}</td>", escaped(&kind));
            let _ = write!(
                out,
                "<td>{}</td>",
                escaped(&kernel.operators.iter().map(|o| short(o)).collect::<Vec<_>>().join(", "))
            );
            // The outermost module has no name.
            let modules: Vec<String> = kernel.modules.iter().filter(|m| !m.is_empty()).cloned().collect();
            let from = if modules.is_empty() { &kernel.nodes } else { &modules };
            let _ = write!(out, "<td>{}</td>", escaped(&some(from, 3)));
            optional(out, kernel.bytes, bytes);
            optional(out, kernel.flop, |n| amount(n, ""));
            optional(out, kernel.intensity(), |n| format!("{n:.2}"));
            optional(out, kernel.seconds, time);
            match kernel.share {
                Some(share) => {
                    let part = (share * 100.0).clamp(0.0, 100.0);
                    let _ = write!(
                        out,
                        "<td class=\"number\" data-value=\"{share}\"><span class=\"bar\" style=\"--part:{part:.1}%\"></span>{:.0} %</td>",
                        share * 100.0
                    );
                }
                None => out.push_str("<td class=\"number\" data-value=\"-1\">–</td>"),
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div></section>\n");
    }

    /// The contents of the aside for each kernel, as inert elements.
    fn texts(&self, out: &mut String) {
        for (k, kernel) in self.kernels.iter().enumerate() {
            let mut about = vec![format!("{} · {}", kernel.kind, kernel.name)];
            about.extend((!kernel.nodes.is_empty()).then(|| format!("nodes: {}", kernel.nodes.join(", "))));
            about.extend((!kernel.lines.is_empty()).then(|| format!("from: {}", kernel.lines.join(", "))));
            let source = self.sources.iter().find(|s| s.0 == kernel.name).map_or("", |s| s.1);
            let source = if source.is_empty() {
                "no source: a library or the interpreter runs it, or the artifact does not hold it"
            } else {
                source
            };
            let _ = writeln!(
                out,
                "<template class=\"kernel\" data-kernel=\"{k}\" data-about=\"{}\"><pre>{}</pre></template>",
                escaped(&about.join("\n")),
                escaped(source.trim_start())
            );
        }
    }
}

impl KernelRow {
    pub fn intensity(&self) -> Option<f64> {
        self.bytes.zip(self.flop).filter(|(b, f)| *b > 0.0 && *f > 0.0).map(|(b, f)| f / b)
    }
}

/// The text beside a kernel in a picture.
pub fn label(k: usize, kernel: &KernelRow) -> KernelLabel {
    let mut parts = Vec::new();
    parts.extend(kernel.seconds.map(time));
    parts.extend(kernel.bytes.map(bytes));
    parts.extend(kernel.flop.filter(|f| *f > 0.0).map(|f| amount(f, "FLOP")));
    parts.extend(kernel.share.map(|s| format!("{:.0} %", s * 100.0)));
    let once = if kernel.once { ", once" } else { "" };
    KernelLabel {
        label: format!("{k} · {}{once}", kernel.kind),
        detail: parts.join(" · "),
        once: kernel.once,
        nodes: kernel.nodes.clone(),
    }
}

fn cell(out: &mut String, value: f64, text: &str) {
    let _ = write!(out, "<td class=\"number\" data-value=\"{value}\">{}</td>", escaped(text));
}

fn optional(out: &mut String, value: Option<f64>, text: impl Fn(f64) -> String) {
    match value {
        Some(value) => cell(out, value, &text(value)),
        None => cell(out, -1.0, "–"),
    }
}

/// The first of a list, and how many more there are.
fn some(list: &[String], most: usize) -> String {
    let first = list.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if list.len() > most { format!("{first} and {} more", list.len() - most) } else { first }
}

/// `aten.add.Tensor` as `add`.
fn short(operator: &str) -> &str {
    operator.split('.').nth(1).unwrap_or(operator)
}

/// A number with a metric prefix.
pub fn amount(value: f64, unit: &str) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P"];
    let (mut value, mut k) = (value, 0);
    while value.abs() >= 1000.0 && k + 1 < prefixes.len() {
        value /= 1000.0;
        k += 1;
    }
    let digits = if k == 0 || value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    let gap = if k > 0 || !unit.is_empty() { " " } else { "" };
    format!("{value:.digits$}{gap}{}{unit}", prefixes[k])
}

pub fn bytes(value: f64) -> String {
    amount(value, "B")
}

pub fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
