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
            once: false,
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
fn a_graph_that_many_ways_lead_to_is_drawn_once() {
    let mut text = "graph \"leaf\" as 0 {\n input %0 \"p\": bool[]\n output \"y\" = %0\n }".to_string();
    for level in 1..40 {
        text = format!(
            "graph \"c\" as {level} {{\n input %0 \"p\": bool[]\n \
             %1 = higher_order.cond.default(%0, {text}, graph {}, [%0])\n output \"y\" = %1\n }}",
            level - 1
        );
    }
    let whole = format!(
        "graph \"g\" {{\n input %0 \"p\": bool[]\n %1 = higher_order.cond.default(%0, {text}, graph 39, [%0])\n \
         output \"y\" = %1\n}}"
    );
    let outline = Outline::of(&parse(&whole).unwrap());
    // An input, forty conds and an output.
    assert_eq!(outline.nodes.len(), 42);
}

#[test]
fn views_lie_with_their_users() {
    let outline = outline();
    let kernel = |nodes: &[&str]| KernelLabel {
        label: "k".into(),
        detail: String::new(),
        nodes: nodes.iter().map(|n| n.to_string()).collect(),
        once: false,
    };
    let kernels = [kernel(&["%2", "%3"]), kernel(&["%6"])];
    let picture = Picture::by_kernel(&outline, &kernels);
    assert_eq!(picture.frame_of, [None, None, Some(0), Some(0), Some(1), Some(1), Some(1), None]);
    // A kernel whose node another begins has it, and one that runs once does not.
    let kernels = [
        kernel(&["%2", "%3"]),
        KernelLabel { once: true, ..kernel(&["%2"]) },
        kernel(&["%3"]),
        kernel(&["%6"]),
    ];
    let picture = Picture::by_kernel(&outline, &kernels);
    assert_eq!(picture.frame_of[..4], [None, None, Some(0), Some(1)]);
    assert_eq!(picture.frames[1].kernel, Some(2));
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

const MODULES: &str = r#"graph "net" {
  module 0 "a" "A"
  module 1 "a.b" "B"
  module 2 "c" "C"
  trace 0 "File \"net.py\", line 7, in forward"
  origin 0 "first" "aten.relu.default" modules [0] trace 0
  origin 1 "second" "aten.add.Tensor" modules [0, 1]
  origin 2 "third" "aten.sigmoid.default" modules [0]
  origin 3 "choice" "higher_order.cond" modules [2]
  input %0 "x": float32[3]
  input %1 "p": bool[]
  parameter %2 "w": float32[3] = [1.0, 2.0, 3.0]
  %3 = aten.relu.default(%0) from [0]
  %4 = aten.add.Tensor(%3, %2) from [1]
  %5 = aten.sigmoid.default(%4) from [2]
  %6 = higher_order.cond.default(%1, graph "yes" {
    input %0 "a": float32[3]
    %1 "inner" = aten.cos.default(%0)
    output "r" = %1
  }, graph "no" {
    input %0 "a": float32[3]
    %1 "other" = aten.sin.default(%0)
    output "r" = %1
  }, [%5]) from [3]
  output "y" = %6
}
"#;

#[test]
fn a_graph_in_dot_is_these_lines() {
    let outline = Outline::of(&parse(MODULES).unwrap());
    let dot = Picture::by_module(&outline).write(Format::Dot);
    let body = dot.split_once("fontsize=9];\n").expect("its head").1;
    let want = r#"  subgraph cluster_0 {
    label="a"; style=dashed;
    subgraph cluster_1 {
      label="a.b"; style=dashed;
      n3 [label="aten.add.Tensor\nsecond", tooltip="takes w: float32[3]\ngives float32[3]"];
    }
    n2 [label="aten.relu.default\nfirst", tooltip="gives float32[3]"];
    n4 [label="aten.sigmoid.default\nthird", tooltip="gives float32[3]"];
  }
  subgraph cluster_2 {
    label="c"; style=dashed;
    n7 [label="higher_order.cond.default\nchoice", tooltip="gives float32[3]"];
  }
  n0 [label="x", tooltip="float32[3]", shape=ellipse];
  n1 [label="p", tooltip="bool[]", shape=ellipse];
  n5 [label="aten.cos.default\ninner", tooltip="gives float32[3]"];
  n6 [label="aten.sin.default\nother", tooltip="gives float32[3]"];
  n8 [label="y", tooltip="", shape=ellipse];
  n0 -> n2 [label="float32[3]"];
  n2 -> n3 [label="float32[3]"];
  n3 -> n4 [label="float32[3]"];
  n4 -> n5 [label="float32[3]"];
  n4 -> n6 [label="float32[3]"];
  n1 -> n7 [label="bool[]"];
  n4 -> n7 [label="float32[3]"];
  n5 -> n7 [label="float32[3]"];
  n6 -> n7 [label="float32[3]"];
  n7 -> n8 [label="float32[3]"];
}
"#;
    assert_eq!(body, want);
    assert_eq!(outline.nodes[2].source, "net.py:7");
}

#[test]
fn a_node_lies_in_its_first_kernel_and_a_view_with_all_its_users() {
    let outline = outline();
    let kernel = |nodes: &[&str]| KernelLabel {
        label: "k".into(),
        detail: "more".into(),
        nodes: nodes.iter().map(|n| n.to_string()).collect(),
        once: false,
    };
    // %3 is computed in both; %4 and %5 are views on the way to %6; %2 has its user in another kernel.
    let kernels = [kernel(&["%3"]), kernel(&["%3", "%6"])];
    let picture = Picture::by_kernel(&outline, &kernels);
    assert_eq!(picture.frame_of[3..7], [Some(0), Some(1), Some(1), Some(1)]);
    let dot = picture.write(Format::Dot);
    assert!(dot.contains("label=\"k\\nmore\"; style=solid;"), "{dot}");
    // A view whose users lie in two kernels lies in neither.
    let text =
        GRAPH.replace("output \"y\"", "%7 = aten.sin.default(%4)\n  output \"z\" = %7\n  output \"y\"");
    let outline = Outline::of(&parse(&text).unwrap());
    let picture = Picture::by_kernel(&outline, &[kernel(&["%6"]), kernel(&["%7"])]);
    assert_eq!((picture.frame_of[4], picture.frame_of[5]), (None, Some(0)));
}

#[test]
fn each_kernel_has_its_row_and_its_source() {
    let row = |name: &str, once: bool| report::KernelRow {
        name: name.into(),
        kind: "pointwise".into(),
        operators: vec!["aten.relu.default".into()],
        nodes: Vec::new(),
        modules: Vec::new(),
        lines: Vec::new(),
        once,
        bytes: Some(1024.0),
        flop: Some(2048.0),
        seconds: None,
        share: None,
    };
    let page = report::Page {
        title: "t".into(),
        facts: Vec::new(),
        outline: None,
        kernels: vec![row("first", false), row("second", true)],
        sources: vec![("first", "int a;"), ("second", "int b;")],
        memory: Vec::new(),
        steps: 0,
        limits: None,
        profiled_runs: 0,
    };
    let html = page.html();
    assert!(
        html.contains("<tr class=\"row\" data-kernel=\"0\"")
            && html.contains("<tr class=\"row once\" data-kernel=\"1\"")
    );
    let source =
        |k: usize| html.split(&format!("<template class=\"kernel\" data-kernel=\"{k}\"")).nth(1).unwrap();
    assert!(source(0).split("</template>").next().unwrap().contains("<pre>int a;</pre>"));
    assert!(source(1).split("</template>").next().unwrap().contains("<pre>int b;</pre>"));
}
