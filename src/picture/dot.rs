//! A picture in Graphviz's language.

use super::{Boxed, Kind, Picture};
use std::fmt::Write;

pub fn document(picture: &Picture) -> String {
    let mut out = String::new();
    let title = quoted(&picture.outline.title);
    let _ = writeln!(out, "digraph {title} {{");
    out.push_str("  graph [fontname=\"Helvetica\", rankdir=TB];\n");
    out.push_str("  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=\"rounded,filled\", fillcolor=white];\n");
    out.push_str("  edge [fontname=\"Helvetica\", fontsize=9];\n");
    block(picture, None, 1, &mut out);
    for (k, node) in picture.outline.nodes.iter().enumerate() {
        for used in &node.uses {
            let _ = writeln!(out, "  n{} -> n{k} [label={}];", used.node, quoted(&used.tensor));
        }
    }
    out.push_str("}\n");
    out
}

/// The nodes of a frame and the frames in it.
fn block(picture: &Picture, frame: Option<usize>, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for (k, inner) in picture.frames.iter().enumerate().filter(|(_, f)| f.parent == frame) {
        let mut label = vec![inner.label.as_str()];
        if !inner.detail.is_empty() {
            label.push(&inner.detail);
        }
        let style = if inner.of == Boxed::Kernel { "solid" } else { "dashed" };
        let _ = writeln!(out, "{pad}subgraph cluster_{k} {{");
        let _ = writeln!(out, "{pad}  label={}; style={style};", quoted(&label.join("\n")));
        block(picture, Some(k), depth + 1, out);
        let _ = writeln!(out, "{pad}}}");
    }
    for (k, node) in picture.outline.nodes.iter().enumerate().filter(|(k, _)| picture.frame_of[*k] == frame) {
        let (shape, label) = match node.kind {
            Kind::Operator => ("", format!("{}\n{}", node.operator, node.name)),
            _ => (", shape=ellipse", node.name.clone()),
        };
        let tip = quoted(&node.notes.join("\n"));
        let _ = writeln!(out, "{pad}n{k} [label={}, tooltip={tip}{shape}];", quoted(&label));
    }
}

/// A quoted string, in which nothing is markup: line breaks become `\n`, other control characters nothing.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
