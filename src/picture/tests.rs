//! Pictures: that nothing overlaps, that text is escaped, and that large ones take seconds.

use super::*;
use crate::meta::text::parse;

const GRAPH: &str = r#"graph "g<&>" {
  input %0 "x\"<script>": float32[4, 8]
  input %1 "w": float32[8, 8]
  %2 = aten.mm.default(%0, %1)
  %3 = aten.relu.default(%2)
  %4 = aten.view.default(%3, [32])
  %5 = aten.view.default(%4, [4, 8])
  %6 = aten.add.Tensor(%5, %0)
  output "y" = %6
}
"#;

fn outline() -> Outline {
    Outline::of(&parse(GRAPH).unwrap())
}

/// A long chain of modules with residuals, and a mask that each of them uses.
fn deep(blocks: usize) -> Outline {
    let node = |kind, name: String, module: String, uses: &[usize]| Node {
        kind,
        operator: "aten.add.Tensor".into(),
        name,
        module,
        source: String::new(),
        uses: uses.iter().map(|n| Use { node: *n, tensor: "float32[8, 128]".into() }).collect(),
        notes: Vec::new(),
    };
    let mut nodes = vec![node(Kind::Input, "x".into(), String::new(), &[])];
    nodes.push(node(Kind::Input, "mask".into(), String::new(), &[]));
    let mut last = 0;
    for block in 0..blocks {
        let start = last;
        for part in ["norm", "attn.q", "attn.k", "attn.v", "attn", "attn.o", "", "mlp.a", "mlp.b", "mlp"] {
            let at = nodes.len();
            let uses: Vec<usize> = match part {
                "norm" => vec![start],
                "attn.q" | "attn.k" | "attn.v" => vec![start + if block == 0 { 2 } else { 1 }],
                "attn" => vec![at - 3, at - 2, at - 1, 1],
                "" | "mlp" => vec![at - 1, start],
                _ => vec![at - 1],
            };
            nodes.push(node(Kind::Operator, format!("n{at}"), format!("blocks.{block}.{part}"), &uses));
            last = at;
        }
    }
    Outline { title: "deep".into(), nodes }
}

fn overlaps(a: layout::Rect, b: layout::Rect) -> bool {
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

fn check_places(picture: &Picture) {
    let layout = layout::layout(picture);
    let holds = |o: layout::Rect, i: layout::Rect| {
        o.x <= i.x && o.y <= i.y && i.x + i.w <= o.x + o.w + 0.01 && i.y + i.h <= o.y + o.h + 0.01
    };
    for (k, a) in layout.nodes.iter().enumerate() {
        assert!(a.w > 0.0 && a.x >= -0.01 && a.x + a.w <= layout.size.0 + 0.01, "node {k}: {a:?}");
        assert!(picture.frame_of[k].is_none_or(|f| holds(layout.frames[f], *a)), "node {k} in its frame");
        for (other, b) in layout.nodes.iter().enumerate().skip(k + 1) {
            assert!(!overlaps(*a, *b), "nodes {k} and {other}: {a:?} {b:?}");
        }
    }
    for (k, a) in layout.frames.iter().enumerate() {
        assert!(picture.frames[k].parent.is_none_or(|p| holds(layout.frames[p], *a)), "frame {k}");
        for (other, b) in layout.frames.iter().enumerate().skip(k + 1) {
            assert!(holds(*a, *b) || !overlaps(*a, *b), "frames {k} and {other}: {a:?} {b:?}");
        }
    }
}

#[test]
fn nothing_lies_on_something_else() {
    let outline = deep(6);
    let picture = Picture::by_module(&outline);
    assert!(picture.frames.iter().any(|f| f.parent.is_some()), "modules nest");
    check_places(&picture);
    let kernels: Vec<KernelLabel> = (0..7)
        .map(|k| KernelLabel {
            label: format!("kernel {k}"),
            detail: "a long line about it, which is wider than what lies in it".into(),
            nodes: (k * 9..k * 9 + 9).map(|n| format!("n{n}")).collect(),
        })
        .collect();
    check_places(&Picture::by_kernel(&outline, &kernels));
}

#[test]
fn a_picture_is_the_same_each_time() {
    let outline = deep(8);
    let once = Picture::by_module(&outline).write(Format::Svg);
    (0..4).for_each(|_| assert_eq!(Picture::by_module(&outline).write(Format::Svg), once));
}

#[test]
fn two_thousand_nodes_take_seconds() {
    let outline = deep(200);
    let start = std::time::Instant::now();
    let svg = Picture::by_module(&outline).write(Format::Svg);
    assert_eq!(svg.matches("<g class=\"node operator\"").count(), 2000);
    // Without boxes all of them are one layout.
    let frame_of = vec![None; outline.nodes.len()];
    let flat = Picture { outline: &outline, frames: Vec::new(), frame_of }.write(Format::Svg);
    assert_eq!(flat.matches("<path class=\"edge\"").count(), svg.matches("<path class=\"edge\"").count());
    assert!(start.elapsed().as_secs() < 20, "{:?} without optimization", start.elapsed());
}

#[test]
fn views_lie_with_their_users() {
    let outline = outline();
    let kernel = |nodes: &[&str]| KernelLabel {
        label: "k".into(),
        detail: String::new(),
        nodes: nodes.iter().map(|n| n.to_string()).collect(),
    };
    let kernels = [kernel(&["%2", "%3"]), kernel(&["%6"])];
    let picture = Picture::by_kernel(&outline, &kernels);
    assert_eq!(picture.frame_of, [None, None, Some(0), Some(0), Some(1), Some(1), Some(1), None]);
}

#[test]
fn text_is_escaped() {
    let outline = outline();
    let picture = Picture::by_module(&outline);
    let (svg, dot) = (picture.write(Format::Svg), picture.write(Format::Dot));
    assert!(svg.contains("g&lt;&amp;&gt;") && svg.contains("x&quot;&lt;script&gt;"));
    assert!(!svg.contains("<script"), "{svg}");
    assert!(dot.contains("digraph \"g<&>\"") && dot.contains("x\\\"<script>"), "{dot}");
    assert_eq!(svg::escaped("a\u{0}\u{1b}b\u{fffe}"), "a\u{fffd}\u{fffd}b\u{fffd}");
}

#[test]
fn edges_carry_sizes() {
    let outline = outline();
    let dot = Picture::by_module(&outline).write(Format::Dot);
    assert!(dot.contains("n2 -> n3 [label=\"float32[4, 8]\"]"), "{dot}");
    assert!(dot.contains("n4 -> n5 [label=\"float32[32]\"]"), "{dot}");
}

#[test]
fn circles_of_boxes_are_drawn() {
    let outline = outline();
    // %2 and %6 in one box, %3 between them in another.
    let kernel = |nodes: &[&str]| KernelLabel {
        nodes: nodes.iter().map(|n| n.to_string()).collect(),
        ..KernelLabel::default()
    };
    let kernels = [kernel(&["%2", "%6"]), kernel(&["%3"])];
    check_places(&Picture::by_kernel(&outline, &kernels));
}
