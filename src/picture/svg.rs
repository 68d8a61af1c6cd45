//! A picture as SVG, by itself or as a part of a page.
//!
//! Colours are a style's, light and dark; a node's hue is its module's. Text is in a font of one width, so that boxes fit it
//! wherever it is shown.

use super::layout::{Layout, Rect, SHOWN, layout};
use super::{Boxed, Kind, Node, Picture};
use std::fmt::Write;

/// The style of pictures, for a page that holds one.
pub const STYLE: &str = include_str!("picture.css");

const MARGIN: f64 = 24.0;

/// A file of its own.
pub fn document(picture: &Picture) -> String {
    let style = format!("<style>{STYLE}</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    format!("{head}{}", element(picture, &style))
}

/// The `svg` element; `inside` comes first in it.
pub fn element(picture: &Picture, inside: &str) -> String {
    let layout = layout(picture);
    let (w, h) = (layout.size.0 + 2.0 * MARGIN, layout.size.1 + 2.0 * MARGIN);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"litz-picture\" width=\"{w:.0}\" height=\"{h:.0}\" \
         viewBox=\"{m} {m} {w:.0} {h:.0}\" role=\"img\">{inside}<title>{}</title>",
        escaped(&picture.outline.title),
        m = -MARGIN
    );
    out.push_str(
        "<defs><marker id=\"litz-arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n",
    );
    for (k, frame) in picture.frames.iter().enumerate() {
        let (class, Rect { x, y, w, h }) = (class_of(frame.of), layout.frames[k]);
        let kernel = frame.kernel.map(|k| format!(" data-kernel=\"{k}\"")).unwrap_or_default();
        let _ = writeln!(
            out,
            "<g class=\"frame {class}\"{kernel}><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"8\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text><text class=\"detail\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            x + 10.0,
            y + 17.0,
            escaped(&shortened_to(&frame.label)),
            x + 10.0,
            y + 30.0,
            escaped(&shortened_to(&frame.detail)),
        );
    }
    edges(picture, &layout, &mut out);
    for (k, node) in picture.outline.nodes.iter().enumerate() {
        write_node(k, node, layout.nodes[k], &mut out);
    }
    out.push_str("</svg>\n");
    out
}

fn class_of(of: Boxed) -> &'static str {
    match of {
        Boxed::Module => "module",
        Boxed::Kernel => "kernel",
    }
}

/// The two lines of a node.
pub(super) fn texts(node: &Node) -> (String, String) {
    match node.kind {
        Kind::Operator => {
            // The namespace and the overload say little: the whole name is in the tooltip.
            let parts: Vec<&str> = node.operator.split('.').collect();
            let short = parts.get(1).copied().unwrap_or(&node.operator);
            (short.to_string(), node.name.clone())
        }
        Kind::Input => (node.name.clone(), node.notes.first().cloned().unwrap_or_default()),
        Kind::Output => (node.name.clone(), "output".to_string()),
    }
}

fn write_node(k: usize, node: &Node, rect: Rect, out: &mut String) {
    let Rect { x, y, w, h } = rect;
    let (label, detail) = texts(node);
    let class = match node.kind {
        Kind::Input => "input",
        Kind::Operator => "operator",
        Kind::Output => "output",
    };
    let radius = if node.kind == Kind::Operator { 6.0 } else { h / 2.0 };
    let mut tip = vec![if node.operator.is_empty() { class } else { &node.operator }, &node.name];
    tip.extend([&node.module, &node.source].into_iter().filter(|t| !t.is_empty()).map(String::as_str));
    tip.extend(node.notes.iter().map(String::as_str));
    let _ = writeln!(
        out,
        "<g class=\"node {class}\" data-node=\"{k}\" style=\"--hue:{}\"><title>{}</title>\
         <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"{radius:.1}\"/>\
         <text x=\"{c:.1}\" y=\"{:.1}\">{}</text><text class=\"detail\" x=\"{c:.1}\" y=\"{:.1}\">{}</text></g>",
        hue(&node.module),
        escaped(&tip.join("\n")),
        y + 17.0,
        escaped(&shortened_to(&label)),
        y + 31.0,
        escaped(&shortened_to(&detail)),
        c = x + w / 2.0,
    );
}

/// Lines behind the nodes, then the sizes of the tensors on them, once for each value.
fn edges(picture: &Picture, layout: &Layout, out: &mut String) {
    let mut labels = String::new();
    let mut labelled: Vec<(usize, &str)> = Vec::new();
    for (user, node) in picture.outline.nodes.iter().enumerate() {
        for (k, used) in node.uses.iter().enumerate() {
            let (from, to) = (layout.nodes[used.node], layout.nodes[user]);
            let mut points = vec![(from.x + from.w / 2.0, from.y + from.h)];
            points.extend(layout.routes.get(&(user, k)).into_iter().flatten().copied());
            points.push((to.x + to.w / 2.0, to.y));
            let _ = writeln!(
                out,
                "<path class=\"edge\" data-from=\"{}\" data-to=\"{user}\" d=\"{}\" marker-end=\"url(#litz-arrow)\"/>",
                used.node,
                curve(&points)
            );
            if labelled.contains(&(used.node, used.tensor.as_str())) {
                continue;
            }
            // The uses of a node are few; what lies far back is another node's.
            if labelled.len() > 64 {
                labelled.retain(|l| l.0 + 64 > used.node);
            }
            labelled.push((used.node, &used.tensor));
            let (a, b) = (points[0], points[1]);
            let part = (18.0 / (b.1 - a.1).abs().max(36.0)).min(0.5);
            let (x, y) = (a.0 + (b.0 - a.0) * part * 0.5, a.1 + 15.0);
            let _ = writeln!(
                labels,
                "<text class=\"size\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                escaped(&shortened_to(&used.tensor))
            );
        }
    }
    out.push_str(&labels);
}

/// A smooth line through points, which leaves and arrives downwards.
fn curve(points: &[(f64, f64)]) -> String {
    let mut path = format!("M{:.1},{:.1}", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let ((a, b), (c, d)) = (pair[0], pair[1]);
        let bend = if d > b { (d - b) / 2.0 } else { 60.0 };
        let _ = write!(path, " C{a:.1},{:.1} {c:.1},{:.1} {c:.1},{d:.1}", b + bend, d - bend);
    }
    path
}

/// A colour of the circle for a module: the same in every picture.
fn hue(module: &str) -> u32 {
    if module.is_empty() {
        return 215;
    }
    let hash = module.bytes().fold(2_166_136_261u32, |h, b| (h ^ u32::from(b)).wrapping_mul(16_777_619));
    (hash >> 8) % 360
}

fn shortened_to(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_string();
    }
    let kept: String = text.chars().take(SHOWN - 1).collect();
    kept + "…"
}

/// Text as XML and HTML hold it, within elements and quoted attributes. Characters that XML does not allow become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
