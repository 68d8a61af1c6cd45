//! How a GPU's kernels deal out their work: what is shared by blocks though it has few results, and how what they need comes to them.
//! No GPU is needed; `tests/cuda.rs` says more.
#![cfg(feature = "cuda")]

mod common;

use common::graphs;
use serde_json::Value;

/// The kinds of the kernels of a run, in order.
fn kinds(description: &Value) -> Vec<String> {
    let kernels = description["kernels"].as_array().unwrap();
    let run = kernels.iter().filter(|k| k["stage"] == "run");
    run.map(|k| k["kind"].as_str().unwrap().to_string()).collect()
}

/// The kinds of a graph's kernels, and their text.
fn kinds_and_source(text: &str) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().to_str().unwrap();
    let options = graphs::cuda("90", &[("debug.dump", dump), ("cache.enabled", "false")]);
    let graph = litz::meta::text::parse(text).unwrap();
    let kinds = kinds(&graphs::describe(&graph, &options));
    let sources = std::fs::read_dir(common::dumped(folder.path())).unwrap().flatten();
    (kinds, sources.map(|s| std::fs::read_to_string(s.path()).unwrap_or_default()).collect())
}

#[test]
fn few_results_and_few_points_are_many_blocks_work() {
    // The place of an extreme is found in parts, which the last block puts together.
    for (rows, width) in [(1, 128_256), (2, 1 << 20)] {
        let (kinds, source) = kinds_and_source(&format!(
            r#"graph "extreme" {{
              input %0 "x": float32[{rows}, {width}]
              %1 = aten.argmax.default(%0, 1)
              output "y" = %1
            }}"#
        ));
        assert_eq!(kinds, ["rows"], "{rows} x {width}");
        assert!(source.contains("litz_are_last<1>(ready"), "{rows} x {width}");
    }
    // Keys of ordinary arithmetic are copied as the rows that they are, where these are whole chunks.
    for (size, rows) in [(128, true), (126, false)] {
        let (kinds, source) = kinds_and_source(&format!(
            r#"graph "attention" {{
              input %0 "q": float32[1, 8, 512, {size}]
              input %1 "k": float32[1, 8, 512, {size}]
              input %2 "v": float32[1, 8, 512, {size}]
              %3 = aten.scaled_dot_product_attention.default(%0, %1, %2)
              output "y" = %3
            }}"#
        ));
        assert_eq!(kinds, ["attention_fma"]);
        assert_eq!(source.contains("const litz_heads<f32> key"), rows);
    }
    // A window along what lies beside one another, as its results do.
    let (kinds, _) = kinds_and_source(
        r#"graph "depthwise" {
          input %0 "x": float32[2, 256, 512]
          input %1 "w": float32[256, 1, 31]
          %2 = aten.conv1d.default(%0, %1, None, [1], [15], [1], 256)
          output "y" = %2
        }"#,
    );
    assert_eq!(kinds, ["windows"]);
    // Large windows of halves have a template, which reads channels that are neighbours.
    for (window, padding, template) in [(7, 3, true), (3, 1, false)] {
        let (kinds, _) = kinds_and_source(&format!(
            r#"graph "depthwise" {{
              input %0 "x": bfloat16[2, 64, 28, 28] strides [50176, 1, 1792, 64]
              input %1 "w": bfloat16[64, 1, {window}, {window}]
              %2 = aten.conv2d.default(%0, %1, None, [1, 1], [{padding}, {padding}], [1, 1], 64)
              %3 = aten.gelu.default(%2)
              output "y" = %3
            }}"#
        ));
        assert_eq!(kinds.contains(&"convolution_depthwise".to_string()), template, "{kinds:?}");
        assert_eq!(kinds.contains(&"windows".to_string()), !template, "{kinds:?}");
    }
    // Rows of points, and points of rows: each block finds its own. Very many are sorted together, and counts in any order.
    let added = |places: &str, points: &str, call: &str| {
        let (kinds, source) = kinds_and_source(&format!(
            r#"graph "added" {{
              input %0 "x": float32[{places}]
              input %1 "at": int64[{}]
              input %2 "y": float32[{points}]
              %3 = aten.{call}
              output "z" = %3
            }}"#,
            if call.starts_with("scatter") { points } else { points.split(',').next().unwrap_or(points) }
        ));
        assert_eq!(kinds, ["points", "scatter"], "{call}");
        ["near", "sorted"].map(|way| source.contains(&format!("\n  litz_scatter_{way}<")))
    };
    let along = |dim: i64| format!("scatter_add.default(%0, {dim}, %1, %2)");
    let rows = "index_add.default(%0, 0, %1, %2)";
    assert_eq!(added("1024, 256", "8192, 256", rows), [true, false]);
    assert_eq!(added("1024, 256", "4096, 256", &along(0)), [true, false]);
    assert_eq!(added("512, 1024", "512, 300", &along(1)), [true, false]);
    assert_eq!(added("1024, 2", "1000000, 2", rows), [false, true]);
    let (kinds, source) = kinds_and_source(
        r#"graph "counts" {
          input %0 "x": float32[100000]
          %1 = aten.histc.default(%0, 100, -3, 3)
          output "y" = %1
        }"#,
    );
    assert_eq!(kinds.iter().filter(|k| *k == "scatter").count(), 1);
    assert!(source.contains("    litz_atomic(b"));
}

/// An optimizer's step of `count` tensors of `sizes`, which takes their gradients' scale from `"lr"`.
fn updates(count: usize, sizes: &str) -> String {
    let mut text = String::from("graph \"updates\" {\n");
    for k in 0..count {
        let (p, g) = (2 * k, 2 * k + 1);
        text +=
            &format!("  input %{p} \"p{k}\": float32[{sizes}]\n  input %{g} \"g{k}\": float32[{sizes}]\n");
    }
    let lr = 2 * count;
    text += &format!("  input %{lr} \"lr\": float32[]\n");
    for k in 0..count {
        let (p, g, at) = (2 * k, 2 * k + 1, lr + 1 + 2 * k);
        text += &format!(
            "  %{at} = aten.mul.Tensor(%{g}, %{lr})\n  %{} = aten.sub_.Tensor(%{p}, %{at})\n",
            at + 1
        );
    }
    text + "}\n"
}

#[test]
fn updates_of_many_tensors_are_few_launches() {
    let points = |text: &str| {
        let (kinds, source) = kinds_and_source(text);
        (kinds.iter().filter(|k| *k == "points").count(), source.matches("LITZ_FN void litz_points_").count())
    };
    // Equal tensors have one function of a launch, and equal launches are one kernel.
    assert_eq!(points(&updates(150, "64, 24")), (3, 2));
    assert_eq!(points(&updates(64, "5")), (1, 1));
    assert_eq!(points(&updates(1, "5")), (1, 0));
    // What one of them writes in place no other reads.
    let read_as_well = r#"graph "read" {
      input %0 "p": float32[8]
      input %1 "g": float32[8]
      input %2 "h": float32[2, 8]
      %3 = aten.mul.Tensor(%2, %0)
      %4 = aten.sub_.Tensor(%0, %1)
      output "y" = %3
    }"#;
    let (kinds, _) = kinds_and_source(read_as_well);
    assert_eq!(kinds, ["points", "points"]);
}
