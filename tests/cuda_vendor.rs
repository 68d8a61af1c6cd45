//! Programs for GPUs with NVIDIA's libraries: which steps become theirs. No GPU and no such library is needed: compiling
//! only looks for its file, for which an empty one stands here.
#![cfg(feature = "cuda")]

mod common;

use common::graphs::{cuda as options, describe, graph_of, op};
use litz::ir::{Arg, Graph, Value};
use litz::session::{self, Options};
use litz::types::Dtype;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A library without anything in it, under the name of one of NVIDIA's.
fn stand_in(folder: &Path, name: &str) -> PathBuf {
    let (source, library) = (folder.join("nothing.c"), folder.join(name));
    std::fs::write(&source, "int litz_nothing;\n").unwrap();
    let made =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status().unwrap();
    assert!(made.success());
    library
}

/// What a run does, a step of the library by its name, a kernel by its kind.
fn steps(description: &serde_json::Value) -> Vec<String> {
    let kernels = description["kernels"].as_array().unwrap();
    let run = kernels.iter().filter(|k| k["stage"] == "run");
    let name = |k: &serde_json::Value| match k["name"].as_str().unwrap() {
        library @ ("cuBLASLt" | "cuDNN") => library.to_string(),
        _ => k["kind"].as_str().unwrap().to_string(),
    };
    run.map(name).collect()
}

fn linear(g: &mut Graph, x: &[Value]) -> Value {
    op(g, "aten.linear.default", x.iter().map(|v| Arg::Value(*v)).collect())
}

fn unary(g: &mut Graph, name: &str, x: Value) -> Value {
    op(g, name, vec![Arg::Value(x)])
}

fn gelu(g: &mut Graph, x: Value) -> Value {
    op(g, "aten.gelu.default", vec![Arg::Value(x), Arg::Str("tanh".into())])
}

/// The same function as a user may write it.
fn own_gelu(g: &mut Graph, x: Value) -> Value {
    let number = |v: f64| Arg::Float(v);
    let times = |g: &mut Graph, a: Value, b: Arg| op(g, "aten.mul.Tensor", vec![Arg::Value(a), b]);
    let square = times(g, x, Arg::Value(x));
    let cube = times(g, square, Arg::Value(x));
    let cubic = times(g, cube, number(0.044715));
    let sum = add(g, x, cubic);
    let inner = times(g, sum, number(2.0 * (2.0 / std::f64::consts::PI).sqrt()));
    let sigmoid = unary(g, "aten.sigmoid.default", inner);
    times(g, x, Arg::Value(sigmoid))
}

fn transposed(g: &mut Graph, x: Value) -> Value {
    let (zero, one) = (g.syms.constant(0), g.syms.constant(1));
    op(g, "aten.transpose.int", vec![Arg::Value(x), Arg::Int(zero), Arg::Int(one)])
}

fn add(g: &mut Graph, a: Value, b: Value) -> Value {
    op(g, "aten.add.Tensor", vec![Arg::Value(a), Arg::Value(b)])
}

const LINEAR: [&[i64]; 3] = [&[1024, 768], &[3072, 768], &[3072]];

/// A graph, and what its run is to be of.
type Case = (Graph, &'static [&'static str]);

#[test]
fn products_go_to_the_library_with_what_it_can_add() {
    let folder = tempfile::tempdir().unwrap();
    let library = stand_in(folder.path(), "libcublasLt.so.13");
    let half = Dtype::Bfloat16;
    let with_residual: [&[i64]; 4] = [&[1024, 768], &[3072, 768], &[3072], &[1024, 3072]];
    let cases: [Case; 16] = [
        (graph_of(half, &LINEAR, |g, x| vec![linear(g, x)]), &["cuBLASLt"]),
        (graph_of(half, &LINEAR[..2], |g, x| vec![linear(g, x)]), &["cuBLASLt"]),
        (
            graph_of(half, &LINEAR, |g, x| {
                let y = linear(g, x);
                vec![unary(g, "aten.relu.default", y)]
            }),
            &["cuBLASLt"],
        ),
        (
            graph_of(half, &LINEAR, |g, x| {
                let y = linear(g, x);
                vec![gelu(g, y)]
            }),
            &["cuBLASLt"],
        ),
        (
            graph_of(half, &with_residual, |g, x| {
                let y = linear(g, &x[..3]);
                vec![add(g, x[3], y)]
            }),
            &["cuBLASLt"],
        ),
        // Where energy decides the own template is ahead, unless its tiles leave multiprocessors idle.
        (
            graph_of(half, &[&[8192, 8192], &[8192, 8192], &[8192]], |g, x| {
                let y = linear(g, x);
                vec![gelu(g, y)]
            }),
            &["gemm"],
        ),
        (graph_of(half, &[&[6400, 8192], &[6400, 8192]], |g, x| vec![linear(g, x)]), &["cuBLASLt"]),
        // Both results are needed, which the library has one of: the own template writes both.
        (
            graph_of(half, &LINEAR, |g, x| {
                let y = linear(g, x);
                vec![y, unary(g, "aten.relu.default", y)]
            }),
            &["gemm"],
        ),
        // An activation that is not the library's: after a very long sum it is a kernel of its own.
        (
            graph_of(half, &[&[4096, 16384], &[4096, 16384], &[4096]], |g, x| {
                let y = linear(g, x);
                vec![unary(g, "aten.silu.default", y)]
            }),
            &["cuBLASLt", "points"],
        ),
        (
            graph_of(half, &[&[1024, 3072], &[768, 3072], &[768]], |g, x| {
                let y = linear(g, x);
                vec![unary(g, "aten.silu.default", y)]
            }),
            &["gemm"],
        ),
        // A formula is computed as it stands: no library's function takes its place.
        (
            graph_of(Dtype::Float32, &[&[128, 192], &[96, 192], &[96]], |g, x| {
                let y = linear(g, x);
                vec![own_gelu(g, y)]
            }),
            &["cuBLASLt", "points"],
        ),
        // Nor does it where more follows.
        (
            graph_of(Dtype::Float32, &[&[128, 192], &[96, 192], &[96]], |g, x| {
                let y = linear(g, x);
                let y = gelu(g, y);
                vec![add(g, y, y)]
            }),
            &["cuBLASLt", "points"],
        ),
        // Rows of exchanged dimensions: the result has them in the order in which they lie, and then they lie as asked.
        (
            graph_of(half, &[&[32, 128, 768], &[768, 768], &[768], &[32, 128, 768]], |g, x| {
                let turned = transposed(g, x[0]);
                let y = linear(g, &[turned, x[1], x[2]]);
                let y = transposed(g, y);
                vec![add(g, x[3], y)]
            }),
            &["cuBLASLt"],
        ),
        (
            graph_of(Dtype::Float64, &LINEAR, |g, x| {
                let y = linear(g, x);
                vec![gelu(g, y)]
            }),
            &["cuBLASLt", "points"],
        ),
        (
            graph_of(Dtype::Float32, &[&[6, 128, 64], &[6, 64, 96]], |g, x| {
                vec![op(g, "aten.bmm.default", vec![Arg::Value(x[0]), Arg::Value(x[1])])]
            }),
            &["cuBLASLt"],
        ),
        (
            graph_of(Dtype::Float32, &[&[128, 192], &[96, 192], &[96]], |g, x| {
                let y = linear(g, x);
                vec![gelu(g, y)]
            }),
            &["cuBLASLt"],
        ),
    ];
    for (k, (graph, expected)) in cases.iter().enumerate() {
        let d = describe(graph, &options("90", &[("cuda.cublaslt", library.to_str().unwrap())]));
        assert_eq!(steps(&d), *expected, "case {k}");
        let uses = expected.contains(&"cuBLASLt");
        assert_eq!(d["needs"], if uses { serde_json::json!(["cuBLASLt"]) } else { serde_json::json!([]) });
    }
}

#[test]
fn what_the_library_does_not_take_has_an_own_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let library = stand_in(folder.path(), "libcublasLt.so.13");
    let half = Dtype::Bfloat16;
    let product = |g: &mut Graph, x: &[Value]| vec![linear(g, x)];
    let cases = [
        // Too small for a launch of the library's to pay; rows that begin at odd places; integers.
        graph_of(half, &[&[1, 4096], &[4096, 4096]], product),
        graph_of(half, &[&[64, 64], &[8, 64]], product),
        graph_of(half, &[&[256, 190], &[256, 190]], product),
        graph_of(Dtype::Int64, &[&[64, 64], &[64, 64]], |g, x| {
            vec![op(g, "aten.mm.default", vec![Arg::Value(x[0]), Arg::Value(x[1])])]
        }),
    ];
    for (k, graph) in cases.iter().enumerate() {
        let d = describe(graph, &options("90", &[("cuda.cublaslt", library.to_str().unwrap())]));
        assert!(!steps(&d).contains(&"cuBLASLt".to_string()), "case {k}: {:?}", steps(&d));
    }
}

fn convolution(g: &mut Graph, x: &[Value], padding: i64, groups: i64) -> Value {
    let pair = |g: &Graph, n: i64| Arg::Ints(vec![g.syms.constant(n); 2]);
    let (one, around) = (pair(g, 1), pair(g, padding));
    let groups = Arg::Int(g.syms.constant(groups));
    let operands = vec![Arg::Value(x[0]), Arg::Value(x[1]), Arg::None, one.clone(), around, one, groups];
    op(g, "aten.conv2d.default", operands)
}

#[test]
fn convolutions_that_no_tensor_core_takes_are_the_librarys() {
    let folder = tempfile::tempdir().unwrap();
    let library = stand_in(folder.path(), "libcudnn.so.9");
    let there = library.to_str().unwrap();
    let of = |mode, dtype, shapes: &[&[i64]], groups, relu| {
        let graph = graph_of(dtype, shapes, |g, x| {
            let y = convolution(g, x, 1, groups);
            vec![if relu { op(g, "aten.relu.default", vec![Arg::Value(y)]) } else { y }]
        });
        let d = describe(&graph, &options("90", &[("cuda.cudnn", there), ("mode", mode)]));
        let uses = steps(&d).contains(&"cuDNN".to_string());
        assert_eq!(d["needs"], if uses { serde_json::json!(["cuDNN"]) } else { serde_json::json!([]) });
        steps(&d)
    };
    let (large, small): (&[&[i64]], &[&[i64]]) =
        (&[&[16, 64, 60, 60], &[64, 64, 3, 3]], &[&[4, 32, 30, 30], &[64, 32, 3, 3]]);
    assert_eq!(of("default", Dtype::Float32, large, 1, false), ["cuDNN"]);
    // It does nothing after the sum.
    assert_eq!(of("default", Dtype::Float32, large, 1, true), ["cuDNN", "points"]);
    // A call of the library is worth less where it costs the host's time each time.
    assert_eq!(of("default", Dtype::Float32, small, 1, true), ["convolution"]);
    assert_eq!(of("reduce-overhead", Dtype::Float32, small, 1, true), ["cuDNN", "points"]);
    // The own template is faster for several groups and float64, and halves have tensor cores.
    assert_eq!(of("default", Dtype::Float64, large, 1, true), ["convolution"]);
    let grouped: &[&[i64]] = &[&[16, 256, 60, 60], &[256, 64, 3, 3]];
    assert_eq!(of("default", Dtype::Float32, grouped, 4, true), ["convolution"]);
    assert!(!of("default", Dtype::Bfloat16, large, 1, true).contains(&"cuDNN".to_string()));
    // An even window that keeps sizes has more padding behind than in front, which it does not know.
    let same = |window: i64| {
        let shapes: &[&[i64]] = &[&[16, 64, 60, 60], &[64, 64, window, window]];
        let graph = graph_of(Dtype::Float32, shapes, |g, x| {
            let one = Arg::Ints(vec![g.syms.constant(1); 2]);
            let (same, groups) = (Arg::Str("same".into()), Arg::Int(g.syms.constant(1)));
            let operands =
                vec![Arg::Value(x[0]), Arg::Value(x[1]), Arg::None, one.clone(), same, one, groups];
            vec![op(g, "aten.conv2d.padding", operands)]
        });
        steps(&describe(&graph, &options("90", &[("cuda.cudnn", there)])))
    };
    assert_eq!([same(3), same(4)], [["cuDNN"], ["convolution"]]);
    // Without it there is an own kernel, and a file that is named must be there.
    let graph = graph_of(Dtype::Float32, large, |g, x| vec![convolution(g, x, 1, 1)]);
    let off = describe(&graph, &options("90", &[("artifact.vendor", "off")]));
    assert_eq!(steps(&off), ["convolution"]);
    let both = session::plan(&graph, &options("90", &[("cuda.cudnn", there), ("artifact.vendor", "off")]));
    assert!(both.unwrap_err().to_string().contains("`cuda.cudnn` cannot act"));
    let gone = options("90", &[("cuda.cudnn", "/nonexistent/libcudnn.so.9")]);
    let text = session::plan(&graph, &gone).unwrap_err().to_string();
    assert!(text.contains("cuDNN") && text.contains("`cuda.cudnn`"), "{text}");
}

#[test]
fn the_library_is_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let library = stand_in(folder.path(), "libcublasLt.so.13");
    let there = library.to_str().unwrap();
    let graph = graph_of(Dtype::Bfloat16, &LINEAR, |g, x| vec![linear(g, x)]);
    let both = session::plan(&graph, &options("90", &[("cuda.cublaslt", there), ("artifact.vendor", "off")]));
    assert!(both.unwrap_err().to_string().contains("`cuda.cublaslt` cannot act"));
    let off = describe(&graph, &options("90", &[("artifact.vendor", "off")]));
    assert_eq!(steps(&off), ["gemm"]);
    assert_eq!(off["needs"], serde_json::json!([]));
    // A file that is named must be there.
    let gone = options("90", &[("cuda.cublaslt", "/nonexistent/libcublasLt.so.13")]);
    let text = session::plan(&graph, &gone).unwrap_err().to_string();
    assert!(text.contains("cuBLASLt") && text.contains("`cuda.cublaslt`"), "{text}");
    assert!(Options::new().set("artifact.vendor", "perhaps").is_err());
}

#[test]
fn factorisations_name_the_library_that_may_do_them() {
    let folder = tempfile::tempdir().unwrap();
    let library = stand_in(folder.path(), "libcusolver.so.12");
    let there = library.to_str().unwrap();
    let factor = |g: &mut Graph, x: &[Value]| {
        let y = unary(g, "aten.linalg_cholesky.default", x[0]);
        vec![unary(g, "aten.matrix_exp.default", y)]
    };
    let graph = graph_of(Dtype::Float32, &[&[64, 64]], factor);
    let libraries = |more: &[(&str, &str)]| {
        let d = describe(&graph, &options("90", more));
        let kernels = d["kernels"].as_array().unwrap().clone();
        let of = |kind: &str| kernels.iter().find(|k| k["kind"] == kind).unwrap()["name"].clone();
        // The host's library is needed either way: it does what the sizes of a run give it.
        assert_eq!(d["needs"], serde_json::json!(["liblitz_linalg"]));
        [of("cholesky"), of("matrix_exponential")]
    };
    assert_eq!(libraries(&[("cuda.cusolver", there)]), ["cuSOLVER", "liblitz_linalg"]);
    for off in [[("cuda.cusolver", "off")], [("artifact.vendor", "off")]] {
        assert_eq!(libraries(&off), ["liblitz_linalg", "liblitz_linalg"]);
    }
    let both = session::plan(&graph, &options("90", &[("cuda.cusolver", there), ("artifact.vendor", "off")]));
    assert!(both.unwrap_err().to_string().contains("`cuda.cusolver` cannot act"));
    let gone = options("90", &[("cuda.cusolver", "/nonexistent/libcusolver.so.12")]);
    let text = session::plan(&graph, &gone).unwrap_err().to_string();
    assert!(text.contains("cuSOLVER") && text.contains("`cuda.cusolver`"), "{text}");
    // Programs without factorisations do not look for it.
    let plain = graph_of(Dtype::Float32, &[&[64]], |g, x| vec![unary(g, "aten.exp.default", x[0])]);
    assert_eq!(describe(&plain, &gone)["needs"], serde_json::json!([]));
}

#[test]
fn without_a_device_autotuning_follows_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let library = stand_in(folder.path(), "libcublasLt.so.13");
    let graph = graph_of(Dtype::Bfloat16, &LINEAR, |g, x| vec![linear(g, x)]);
    let there = library.to_str().unwrap();
    for mode in ["max-autotune", "max-autotune-no-cudagraphs"] {
        let d = describe(&graph, &options("90", &[("cuda.cublaslt", there), ("mode", mode)]));
        assert_eq!(steps(&d), ["cuBLASLt"]);
        // Where there is a device, this library has nothing to time.
        assert_eq!(d["autotune"]["by"], "rules", "{}", d["autotune"]);
        assert!(d["autotune"]["because"].as_str().is_some_and(|why| !why.is_empty()));
    }
    let usual = describe(&graph, &options("90", &[("cuda.cublaslt", there)]));
    assert!(usual["autotune"].is_null());
}
