//! Kernels for GPUs: what the schedule makes of whole models, and that NVRTC takes every kernel, for three generations. No
//! GPU is needed; `scripts/test-gpu` runs programs on one. `scripts/nvrtc` gets the compiler.
#![cfg(feature = "cuda")]

mod common;

use common::graphs::{self, op};
use litz::frontend::pt2;
use litz::ir::{Arg, ConstantData, ConstantKind, Graph, OutputValue, Value as Tensor};
use litz::meta::Builder;
use litz::meta::text::parse;
use litz::session::{self, Options};
use litz::types::{Dtype, TensorMeta};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// What describe says of a graph compiled for an architecture.
fn describe(graph: &Graph, arch: &str) -> Value {
    graphs::describe(graph, &graphs::cuda(arch, &[]))
}

/// The kinds of the kernels of a run, in order.
fn kinds(description: &Value) -> Vec<String> {
    let kernels = description["kernels"].as_array().unwrap();
    let run = kernels.iter().filter(|k| k["stage"] == "run");
    run.map(|k| k["kind"].as_str().unwrap().to_string()).collect()
}

/// The kinds of kernels of a graph over bfloat16 inputs, for Hopper.
fn kinds_of(
    shapes: &[&[i64]],
    build: impl FnOnce(&mut Graph, &[litz::ir::Value]) -> Vec<litz::ir::Value>,
) -> Vec<String> {
    kinds(&described(shapes, build))
}

/// What describe says of a graph over bfloat16 inputs, for Hopper.
fn described(
    shapes: &[&[i64]],
    build: impl FnOnce(&mut Graph, &[litz::ir::Value]) -> Vec<litz::ir::Value>,
) -> Value {
    describe(&graphs::graph_of(Dtype::Bfloat16, shapes, build), "90")
}

#[test]
fn what_shares_a_kernel_on_a_gpu() {
    let wide: &[i64] = &[4096, 8192];
    let pointwise = kinds_of(&[wide, wide], |g, x| {
        let sum = op(g, "aten.add.Tensor", vec![Arg::Value(x[0]), Arg::Value(x[1])]);
        let bent = op(g, "aten.tanh.default", vec![Arg::Value(sum)]);
        vec![op(g, "aten.mul.Tensor", vec![Arg::Value(bent), Arg::Value(x[0])])]
    });
    assert_eq!(pointwise, ["points"]);
    let softmax = kinds_of(&[wide], |g, x| {
        let (dim, half) = (g.syms.constant(-1), Arg::Bool(false));
        vec![op(g, "aten._softmax.default", vec![Arg::Value(x[0]), Arg::Int(dim), half])]
    });
    assert_eq!(softmax, ["rows"]);
    // Along another dimension than the innermost, neighbouring threads take neighbouring rows.
    let softmax = kinds_of(&[&[64, 100, 512]], |g, x| {
        let (dim, half) = (g.syms.constant(1), Arg::Bool(false));
        vec![op(g, "aten._softmax.default", vec![Arg::Value(x[0]), Arg::Int(dim), half])]
    });
    assert_eq!(softmax, ["columns"]);
    // Random numbers are functions of their place: a dropout is part of its chain, and indices stay at 32 bits.
    let dropped = kinds_of(&[wide, wide], |g, x| {
        let sum = op(g, "aten.add.Tensor", vec![Arg::Value(x[0]), Arg::Value(x[1])]);
        let dropped = op(g, "aten.dropout.default", vec![Arg::Value(sum), Arg::Float(0.1), Arg::Bool(true)]);
        vec![op(g, "aten.mul.Tensor", vec![Arg::Value(dropped), Arg::Value(x[0])])]
    });
    assert_eq!(dropped, ["points"]);
    let normalized = kinds_of(&[wide, wide], |g, x| {
        let dropped = op(g, "aten.dropout.default", vec![Arg::Value(x[0]), Arg::Float(0.1), Arg::Bool(true)]);
        let sum = op(g, "aten.add.Tensor", vec![Arg::Value(dropped), Arg::Value(x[1])]);
        let (dim, half) = (g.syms.constant(-1), Arg::Bool(false));
        vec![op(g, "aten._softmax.default", vec![Arg::Value(sum), Arg::Int(dim), half])]
    });
    assert_eq!(normalized, ["rows"]);
    // Down the columns the blocks would be too few: in chunks, whose results the last block of each column combines.
    let columns = kinds_of(&[&[32768, 8192]], |g, x| {
        let dims = Arg::Ints(vec![g.syms.constant(0)]);
        vec![op(g, "aten.sum.dim_IntList", vec![Arg::Value(x[0]), dims])]
    });
    assert_eq!(columns, ["columns"]);
    let three = kinds_of(&[&[16384, 8192]], |g, x| {
        let size = op(g, "aten.abs.default", vec![Arg::Value(x[0])]);
        let none = || Arg::Ints(Vec::new());
        let most = op(g, "aten.amax.default", vec![Arg::Value(size), none()]);
        let mean = op(g, "aten.mean.default", vec![Arg::Value(size)]);
        let square = op(g, "aten.mul.Tensor", vec![Arg::Value(x[0]), Arg::Value(x[0])]);
        vec![most, mean, op(g, "aten.mean.default", vec![Arg::Value(square)])]
    });
    assert_eq!(three, ["rows"]);
    let both = |shape: &'static [i64]| {
        kinds_of(&[shape], |g, x| {
            let sum = |g: &mut Graph, dim| {
                let dims = Arg::Ints(vec![g.syms.constant(dim)]);
                op(g, "aten.sum.dim_IntList", vec![Arg::Value(x[0]), dims])
            };
            vec![sum(g, 0), sum(g, 1)]
        })
    };
    // What is made of rows is made by the last block of them, if there are any.
    let rows = |count: &'static [i64]| {
        kinds_of(&[count], |g, x| {
            let dims = Arg::Ints(vec![g.syms.constant(1)]);
            let rows = op(g, "aten.sum.dim_IntList", vec![Arg::Value(x[0]), dims]);
            let all = op(g, "aten.sum.default", vec![Arg::Value(rows)]);
            vec![rows, all]
        })
    };
    assert_eq!(rows(&[64, 200]), ["rows"]);
    assert_eq!(rows(&[0, 200]), ["rows", "rows"]);
    assert_eq!(both(&[16384, 8192]), ["panels"]);
    // Columns that are no whole panels are read apart.
    assert_eq!(both(&[16384, 8200]), ["columns", "rows"]);
    let linear = kinds_of(&[&[1024, 768], &[3072, 768], &[3072]], |g, x| {
        let product = op(g, "aten.linear.default", x.iter().map(|v| Arg::Value(*v)).collect());
        vec![op(g, "aten.gelu.default", vec![Arg::Value(product)])]
    });
    assert_eq!(linear, ["gemm"]);
}

#[test]
fn rows_of_one_element_compile() {
    let softmax = kinds_of(&[&[40, 1]], |g, x| {
        let (dim, half) = (g.syms.constant(-1), Arg::Bool(false));
        vec![op(g, "aten._softmax.default", vec![Arg::Value(x[0]), Arg::Int(dim), half])]
    });
    assert_eq!(softmax, ["rows"]);
    // What is stored, and read again by a later stage.
    let both = kinds_of(&[&[40, 1], &[40, 1]], |g, x| {
        let sum = op(g, "aten.add.Tensor", vec![Arg::Value(x[0]), Arg::Value(x[1])]);
        let (dim, half) = (g.syms.constant(-1), Arg::Bool(false));
        vec![sum, op(g, "aten._softmax.default", vec![Arg::Value(sum), Arg::Int(dim), half])]
    });
    assert_eq!(both, ["rows"]);
}

/// The kernel that sorts positions has a workspace for them, of a size that data give: a step allocates it.
#[test]
fn a_workspace_waits_for_the_number_that_data_give() {
    let text = "graph \"repeated\" {
      input %0 \"counts\": int64[3]
      input %1 \"x\": float32[2, 3, 4]
      %2 = aten.repeat_interleave.Tensor(%0)
      %3 = aten.index_select.default(%1, 1, %2)
      %4 = aten.zeros_like.default(%1)
      %5 = aten.index_add.default(%4, 1, %2, %3)
      output \"y\" = %5
    }";
    let description = describe(&parse(text).expect("the graph"), "90");
    assert!(kinds(&description).contains(&"scatter".into()), "{description}");
}

/// The first layers of a residual network with bottlenecks, all of its kinds of layers: as many kernels as it has
/// convolutions and poolings, the copy of its three channels to eight, and its last product.
#[test]
fn a_residual_network_is_a_kernel_for_each_convolution() {
    let mut graph = Graph::new("residual");
    let parameter = |g: &mut Graph, shape: &[i64]| {
        let sizes = shape.iter().map(|n| g.syms.constant(*n)).collect();
        let meta = TensorMeta::contiguous(&g.syms, Dtype::Bfloat16, sizes);
        let name = format!("w{}", g.constants.len());
        let bytes = vec![0; 2 * shape.iter().product::<i64>() as usize];
        g.add_constant(&name, ConstantKind::Parameter, meta, Arc::new(ConstantData::Owned(bytes)))
    };
    let ints = |g: &Graph, list: &[i64]| Arg::Ints(list.iter().map(|n| g.syms.constant(*n)).collect());
    let int = |g: &Graph, n: i64| Arg::Int(g.syms.constant(n));
    let convolved = |g: &mut Graph, x: Tensor, channels: [i64; 2], window: i64, stride: i64| {
        let w = parameter(g, &[channels[1], channels[0], window, window]);
        let mut args = vec![Arg::Value(x), Arg::Value(w), Arg::None];
        args.extend([ints(g, &[stride; 2]), ints(g, &[window / 2; 2]), ints(g, &[1, 1]), int(g, 1)]);
        let y = op(g, "aten.conv2d.default", args);
        let mut args = vec![Arg::Value(y)];
        args.extend((0..4).map(|_| Arg::Value(parameter(g, &[channels[1]]))));
        args.extend([Arg::Bool(false), Arg::Float(0.1), Arg::Float(1e-5), Arg::Bool(true)]);
        op(g, "aten.batch_norm.default", args)
    };
    let relu = |g: &mut Graph, x: Tensor| op(g, "aten.relu.default", vec![Arg::Value(x)]);
    let sizes = [8, 3, 128, 128].iter().map(|n| graph.syms.constant(*n)).collect();
    let meta = TensorMeta::contiguous(&graph.syms, Dtype::Bfloat16, sizes);
    let g = &mut graph;
    let x = g.add_input("x", meta);
    let x = convolved(g, x, [3, 64], 7, 2);
    let x = relu(g, x);
    let args = vec![Arg::Value(x), ints(g, &[3, 3]), ints(g, &[2, 2]), ints(g, &[1, 1])];
    let mut x = op(g, "aten.max_pool2d.default", args);
    for (channels, stride) in [(64, 1), (256, 2), (512, 1)] {
        let narrow = if stride == 1 && channels == 64 { 64 } else { 128 };
        let y = convolved(g, x, [channels, narrow], 1, 1);
        let y = relu(g, y);
        let y = convolved(g, y, [narrow, narrow], 3, stride);
        let y = relu(g, y);
        let y = convolved(g, y, [narrow, 4 * narrow], 1, 1);
        let beside =
            if channels == 4 * narrow { x } else { convolved(g, x, [channels, 4 * narrow], 1, stride) };
        let sum = op(g, "aten.add.Tensor", vec![Arg::Value(y), Arg::Value(beside)]);
        x = relu(g, sum);
    }
    let args = vec![Arg::Value(x), ints(g, &[2, 3]), Arg::Bool(false)];
    let x = op(g, "aten.mean.dim", args);
    let w = parameter(g, &[1000, 512]);
    let y = op(g, "aten.linear.default", vec![Arg::Value(x), Arg::Value(w), Arg::None]);
    graph.add_output("y", OutputValue::Tensor(y));
    for arch in ["80", "90"] {
        let kinds = kinds(&describe(&graph, arch));
        let of = |list: &[&str]| kinds.iter().filter(|k| list.contains(&k.as_str())).count();
        // Products of one by one are convolutions or matrix products.
        assert_eq!(of(&["convolution", "gemm"]), 1 + 3 + 4 + 4 + 1, "{arch}: {kinds:?}");
        assert_eq!(of(&["points"]), 1, "{arch}: {kinds:?}");
        assert_eq!(of(&["windows"]), 1, "{arch}: {kinds:?}");
        assert!(kinds.len() <= 17, "{arch}: {kinds:?}");
    }
}

/// The kinds of the kernels of attention over `[batch, heads, queries, keys, size]`, with a mask where `mask` gives one.
fn attention_kinds(
    arch: &str,
    dtype: Dtype,
    [batch, heads, kv_heads, queries, keys, size]: [i64; 6],
    mask: impl FnOnce(&mut Graph) -> Option<litz::ir::Value>,
) -> Vec<String> {
    let mut graph = Graph::new("case");
    let mut inputs = Vec::new();
    for (k, shape) in [[heads, queries], [kv_heads, keys], [kv_heads, keys]].into_iter().enumerate() {
        let sizes = [batch, shape[0], shape[1], size].map(|n| graph.syms.constant(n)).to_vec();
        let meta = TensorMeta::contiguous(&graph.syms, dtype, sizes);
        inputs.push(Arg::Value(graph.add_input(&format!("x{k}"), meta)));
    }
    inputs.push(mask(&mut graph).map_or(Arg::None, Arg::Value));
    inputs.extend([Arg::Float(0.0), Arg::Bool(false), Arg::None, Arg::Bool(heads != kv_heads)]);
    let name = "aten.scaled_dot_product_attention.default";
    let y = op(&mut graph, name, inputs);
    graph.add_output("y", OutputValue::Tensor(y));
    kinds(&describe(&graph, arch))
}

#[test]
fn attention_has_the_template_that_fits() {
    let none = |_: &mut Graph| None;
    let half = Dtype::Float16;
    for size in [8, 16, 40, 64, 72, 80, 96, 128, 192, 256] {
        let long = [2, 8, 8, 500, 500, size];
        assert_eq!(attention_kinds("90", half, long, none), ["attention_wgmma"], "{size}");
    }
    let long = [2, 8, 2, 512, 512, 64];
    for arch in ["80", "100"] {
        assert_eq!(attention_kinds(arch, Dtype::Bfloat16, long, none), ["attention_mma"], "{arch}");
    }
    // Few queries over many keys: one kernel, which puts together what its blocks find.
    // The smallest GPUs of the generation before have no room for it.
    for (arch, kind) in [("80", "attention_mma"), ("90", "attention_split"), ("100", "attention_split")] {
        let few = [1, 32, 8, 1, 4096, 128];
        assert_eq!(attention_kinds(arch, Dtype::Bfloat16, few, none), [kind], "{arch}");
        let rows = [4, 8, 8, 32, 200, 80];
        assert_eq!(attention_kinds(arch, half, rows, none), [kind], "{arch}");
    }
    // Rows that are no whole chunks of 16 bytes, and other types.
    for size in [3, 36, 50, 127] {
        for arch in ["80", "90", "100"] {
            assert_eq!(
                attention_kinds(arch, half, [2, 8, 8, 64, 64, size], none),
                ["attention_mma"],
                "{size}"
            );
        }
    }
    assert_eq!(attention_kinds("90", Dtype::Float32, long, none), ["attention_fma"]);
    for (dtype, size) in [(Dtype::Float32, 128), (Dtype::Float64, 200), (half, 36), (Dtype::Bfloat16, 3)] {
        for arch in ["75", "80", "90", "100"] {
            let few = [2, 12, 4, 1, 4096, size];
            assert_eq!(attention_kinds(arch, dtype, few, none), ["attention_few"], "{arch}: {dtype}");
        }
        assert_eq!(attention_kinds("90", dtype, [1, 4, 4, 8, 70, size], none), ["attention_few"]);
    }
    // Tensor cores of a generation that has no bfloat16: its values are converted by integer instructions.
    assert_eq!(attention_kinds("75", Dtype::Bfloat16, long, none), ["attention_fma"]);
    // No room for a tile: a warp for each query.
    assert_eq!(attention_kinds("90", Dtype::Float64, [1, 2, 2, 64, 64, 256], none), ["attention"]);
    // A mask computed from positions has no kernel and no memory.
    let window = |g: &mut Graph| {
        let sizes = Arg::Ints([512, 512].map(|n| g.syms.constant(n)).to_vec());
        let all = vec![sizes, Arg::Dtype(Dtype::Bool)];
        let ones = op(g, "aten.ones.default", all);
        let (at, back) = (g.syms.constant(0), g.syms.constant(-100));
        let causal = op(g, "aten.tril.default", vec![Arg::Value(ones), Arg::Int(at)]);
        Some(op(g, "aten.triu.default", vec![Arg::Value(causal), Arg::Int(back)]))
    };
    assert_eq!(attention_kinds("90", half, long, window), ["attention_wgmma"]);
    // Nor has one that says how many keys each sequence of a batch has.
    for (arch, kind) in [("80", "attention_mma"), ("90", "attention_wgmma")] {
        assert_eq!(attention_kinds(arch, half, long, |g| Some(lengths(g, 2, 512))), [kind]);
    }
    let few = [2, 8, 2, 1, 4096, 64];
    assert_eq!(attention_kinds("90", half, few, |g| Some(lengths(g, 2, 4096))), ["attention_split"]);
}

/// The mask of sequences whose numbers of keys are an input.
fn lengths(g: &mut Graph, batch: i64, keys: i64) -> litz::ir::Value {
    let meta = TensorMeta::contiguous(&g.syms, Dtype::Int64, vec![g.syms.constant(batch)]);
    let given = g.add_input("lengths", meta);
    let sizes = Arg::Ints([-1, 1, 1, 1].map(|n| g.syms.constant(n)).to_vec());
    let given = op(g, "aten.view.default", vec![Arg::Value(given), sizes]);
    let end = Arg::Int(g.syms.constant(keys));
    let places = op(g, "aten.arange.default", vec![end]);
    op(g, "aten.lt.Tensor", vec![Arg::Value(places), Arg::Value(given)])
}

#[test]
fn rows_too_wide_for_a_block_are_a_clusters() {
    let softmax = |width: i64, arch: &str| {
        let folder = tempfile::tempdir().unwrap();
        let graph = graphs::graph_of(Dtype::Float32, &[&[300, width]], |g, x| {
            let (dim, half) = (g.syms.constant(-1), Arg::Bool(false));
            vec![op(g, "aten._softmax.default", vec![Arg::Value(x[0]), Arg::Int(dim), half])]
        });
        let dump = folder.path().to_str().unwrap();
        let options = graphs::cuda(arch, &[("debug.dump", dump), ("cache.enabled", "false")]);
        assert_eq!(kinds(&graphs::describe(&graph, &options)), ["rows"], "{width}");
        let sources = std::fs::read_dir(common::dumped(folder.path())).unwrap().flatten();
        let text: String = sources.map(|s| std::fs::read_to_string(s.path()).unwrap_or_default()).collect();
        let at = text.find("__cluster_dims__(")? + "__cluster_dims__(".len();
        text[at..].split(',').next()?.parse::<i64>().ok()
    };
    assert_eq!(softmax(32_768, "90"), None);
    assert_eq!(softmax(65_536, "90"), Some(4));
    assert_eq!(softmax(128_256, "90"), Some(8));
    assert_eq!(softmax(262_144, "90"), Some(8));
    // Wider ones are walked, and other GPUs have no clusters.
    assert_eq!(softmax(400_000, "90"), None);
    assert_eq!(softmax(128_256, "80"), None);
}

#[test]
fn nodes_along_an_axis_are_kernels_of_their_own() {
    let int = |g: &Graph, n: i64| Arg::Int(g.syms.constant(n));
    // In shared memory, and beyond it, where blocks share lines and hand one another tags of eight bytes.
    for (width, room) in [(8000, 0), (100_000, 2 * 8 * 4 * 100_000)] {
        let sorted = described(&[&[4, width]], |g, x| {
            let args = vec![Arg::Value(x[0]), int(g, -1), Arg::Bool(false)];
            Builder::new(g).call_named("aten.sort.default", args, Vec::new()).unwrap()
        });
        assert_eq!(kinds(&sorted), ["sort"], "{width}");
        assert_eq!(sorted["arena_bytes"], room, "{width}");
    }
    let first = kinds_of(&[&[8, 50257]], |g, x| {
        let args = vec![Arg::Value(x[0]), int(g, 50), int(g, -1), Arg::Bool(true), Arg::Bool(true)];
        Builder::new(g).call_named("aten.topk.default", args, Vec::new()).unwrap()
    });
    assert_eq!(first, ["sort"]);
    // By a few blocks, by many, by segments of lines beside one another, and by a thread.
    for (shape, axis) in [([64, 4096], 1), ([1, 1 << 20], 1), ([4096, 64], 0), ([4096, 8], 1)] {
        let scanned = kinds_of(&[&shape], |g, x| {
            let args = vec![Arg::Value(x[0]), int(g, axis)];
            vec![op(g, "aten.cumsum.default", args)]
        });
        assert_eq!(scanned, ["scan"]);
    }
    // What a scatter starts from is another kernel's.
    let sums = kinds_of(&[&[4096, 768], &[512, 768]], |g, x| {
        let zero = op(g, "aten.select.int", vec![Arg::Value(x[1]), int(g, 1), int(g, 0)]);
        let at = op(g, "aten.argsort.default", vec![Arg::Value(zero)]);
        let args = vec![Arg::Value(x[0]), Arg::Values(vec![Some(at)]), Arg::Value(x[1]), Arg::Bool(true)];
        vec![op(g, "aten.index_put.default", args)]
    });
    assert_eq!(sums, ["sort", "points", "scatter"]);
}

/// State that a row's reduction is added to is stored by one of the threads that compute it: not over what the others read.
#[test]
fn state_is_written_in_place_where_one_thread_has_it() {
    let copies = |shape: &str, sum: &str| {
        let text = format!(
            r#"graph "state" {{
              input %0 "x": float32[64, 96]
              input %1 "state": float32[{shape}]
              {sum}
              %3 = aten.add_.Tensor(%1, %2)
              %4 = aten.sub.Tensor(%0, %3)
              output "y" = %4
            }}"#
        );
        let graph = litz::meta::text::parse(&text).unwrap();
        let plan = graphs::plan(&graph, &graphs::cuda("90", &[]));
        plan.main.iter().filter(|s| matches!(s, litz::plan::Step::Copy { .. })).count()
    };
    assert_eq!(copies("64, 96", "%2 = aten.tanh.default(%0)"), 0);
    assert_eq!(copies("96", "%2 = aten.mean.dim(%0, [0])"), 1);
    assert_eq!(copies("64, 1", "%2 = aten.mean.dim(%0, [1], true)"), 1);
}

#[test]
fn cubins_are_found_by_the_next_compilation() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let graph = pt2::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mlp.pt2")).unwrap();
    let compile = |set: &[(&str, &str)]| {
        let mut options = Options::new();
        options.set("backend", "cuda").unwrap();
        options.set("cuda.arch", "90").unwrap();
        options.set("cache.dir", cache.to_str().unwrap()).unwrap();
        // What this process remembers would hide the folder.
        options.set("cache.memory_bytes", "0").unwrap();
        for (key, value) in set {
            options.set(key, value).unwrap();
        }
        let plan = session::plan(&graph, &options).unwrap();
        let description: Value = serde_json::from_str(&plan.metadata).unwrap();
        description["cache"].as_str().unwrap().to_string()
    };
    assert_eq!(compile(&[("cache.enabled", "false")]), "none");
    assert!(!cache.exists(), "a cache that is off writes nothing");
    assert_eq!(compile(&[]), "miss");
    assert_eq!(compile(&[]), "hit");
    assert_eq!(compile(&[("cuda.arch", "80")]), "miss");
    assert_eq!(compile(&[]), "hit");
    // A cubin that is not what was written is made again, once.
    let entries = || std::fs::read_dir(cache.join("v1")).unwrap().map(|e| e.unwrap().path());
    let files =
        |entry: &Path| std::fs::read_dir(entry).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
    let cubins = entries().flat_map(|e| files(&e)).filter(|f| f.extension().is_some_and(|e| e == "cubin"));
    for file in cubins.collect::<Vec<_>>() {
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&file, bytes).unwrap();
    }
    assert_eq!(compile(&[]), "miss");
    assert_eq!(compile(&[]), "hit");
    // So is one that is gone.
    std::fs::remove_dir_all(entries().next().unwrap()).unwrap();
    for _ in 0..2 {
        compile(&[]);
        compile(&[("cuda.arch", "80")]);
    }
    assert_eq!([compile(&[]), compile(&[("cuda.arch", "80")])], ["hit", "hit"]);
}

#[test]
fn accesses_across_the_lanes_go_through_shared_memory() {
    let transposed = kinds_of(&[&[4096, 8192], &[8192, 4096]], |g, x| {
        let turned = op(g, "aten.t.default", vec![Arg::Value(x[1])]);
        vec![op(g, "aten.add.Tensor", vec![Arg::Value(x[0]), Arg::Value(turned)])]
    });
    assert_eq!(transposed, ["tiles"]);
    let permuted = |dims: [i64; 4], sizes: &'static [i64]| {
        kinds_of(&[sizes], |g, x| {
            let dims = Arg::Ints(dims.iter().map(|d| g.syms.constant(*d)).collect());
            let turned = op(g, "aten.permute.default", vec![Arg::Value(x[0]), dims]);
            vec![op(g, "aten.contiguous.default", vec![Arg::Value(turned)])]
        })
    };
    // Between channels first and channels last; sizes that are no whole vectors.
    assert_eq!(permuted([0, 2, 3, 1], &[8, 64, 56, 56]), ["tiles"]);
    assert_eq!(permuted([0, 3, 1, 2], &[8, 55, 57, 63]), ["tiles"]);
    // Rows that data choose: their places are few beside them.
    let rows = kinds_of(&[&[50000, 1024], &[8192]], |g, x| {
        let at = op(g, "aten.argsort.default", vec![Arg::Value(x[1])]);
        vec![op(g, "aten.index.Tensor", vec![Arg::Value(x[0]), Arg::Values(vec![Some(at)])])]
    });
    assert_eq!(rows, ["sort", "points"]);
    // The innermost dimension stays: its neighbours are neighbours on both sides. Few channels: nothing to gain.
    assert_eq!(permuted([0, 2, 1, 3], &[8, 128, 12, 64]), ["points"]);
    assert_eq!(permuted([0, 2, 3, 1], &[8, 3, 56, 56]), ["points"]);
}

#[test]
fn a_gpu_that_is_not_there_is_named() {
    let mut graph = Graph::new("case");
    let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, Vec::new());
    let x = graph.add_input("x", meta);
    graph.add_output("y", OutputValue::Tensor(x));
    let mut options = Options::new();
    options.set("backend", "cuda").unwrap();
    options.set("cuda.driver", "/nonexistent/libcuda.so.1").unwrap();
    let error = session::plan(&graph, &options).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the CUDA driver") && text.contains("`cuda.driver`"), "{text}");
    options.set("cuda.nvrtc", "/nonexistent/libnvrtc.so").unwrap();
    let text = session::plan(&graph, &options).unwrap_err().to_string();
    assert!(text.contains("NVRTC") && text.contains("`cuda.nvrtc`"), "{text}");
    assert!(options.set("cuda.arch", "ninety").is_err());
}

#[test]
fn an_artifact_for_a_gpu_is_made_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let graph = pt2::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mlp.pt2")).unwrap();
    let mut options = Options::new();
    options.set("backend", "cuda").unwrap();
    options.set("cuda.arch", "90").unwrap();
    let path = folder.path().join("mlp.so");
    session::compile_artifact(&graph, &options, &path).unwrap();
    // What cannot act on it is refused before the driver is looked for.
    let mut threads = Options::new();
    threads.set("cpu.threads", "2").unwrap();
    let text = session::open(&path, &threads).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(text.contains("`cpu.threads`") && text.contains("GPU"), "{text}");
    // It opens the driver itself; where there is none, it says so.
    if let Err(error) = session::open(&path, &options) {
        let text = error.to_string();
        assert!(text.contains("CUDA driver") || text.contains("GPU"), "{text}");
    }
}

#[test]
fn one_artifact_holds_kernels_for_several_gpus() {
    let folder = tempfile::tempdir().unwrap();
    let graph = pt2::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mlp.pt2")).unwrap();
    let mut options = Options::new();
    options.set("backend", "cuda").unwrap();
    let artifact = |options: &Options, name: &str| {
        let path = folder.path().join(name);
        session::compile_artifact(&graph, options, &path).unwrap();
        (std::fs::read(&path).unwrap(), session::plan(&graph, options).unwrap().metadata)
    };
    options.set("cuda.arch", "80").unwrap();
    let (one, _) = artifact(&options, "one.so");
    options.set("cuda.arch", "80;90a, 100").unwrap();
    options.set("cuda.ptx", "true").unwrap();
    let (several, metadata) = artifact(&options, "several.so");
    assert!(metadata.contains("sm_80, sm_90, sm_100, compute_100"), "{metadata}");
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(holds(&several, ".target sm_100") && !holds(&one, ".target sm_100"));
    assert!(several.len() > one.len());
}

/// The published models: those of `tests/data`, and in `tests/data/shapes` those whose weights, which no kernel's text
/// depends on, are zeros there.
fn published_models() -> Vec<std::path::PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let with_weights = [
        "associative_scans",
        "control_flow",
        "data_dependent_sizes",
        "dlrm_thin",
        "gpt2_tiny",
        "gru",
        "guarded_branch",
        "lstm",
        "mlp",
        "mlp_dynamic_batch",
        "resnet18_thin",
        "scans",
        "slices",
        "stateful_mutation",
        "symbolic_arithmetic",
        "tied_views",
        "unet_thin",
    ];
    let mut models = with_weights.map(|m| data.join(format!("{m}.pt2"))).to_vec();
    let shapes = std::fs::read_dir(data.join("shapes")).expect("the folder is there");
    models.extend(shapes.map(|entry| entry.expect("an entry").path()));
    models
}

fn every_kernel_compiles(arch: &str) {
    for model in published_models() {
        let graph = pt2::read(&model).unwrap();
        let description = describe(&graph, arch);
        assert!(!kinds(&description).is_empty(), "{model:?} for {arch}");
        assert_eq!(description["fallbacks"], Value::Array(Vec::new()), "{model:?} for {arch}");
    }
}

#[test]
fn every_kernel_of_the_published_models_compiles_for_sm_80() {
    every_kernel_compiles("80");
}

#[test]
fn every_kernel_of_the_published_models_compiles_for_sm_90a() {
    every_kernel_compiles("90a");
}

#[test]
fn every_kernel_of_the_published_models_compiles_for_sm_100() {
    every_kernel_compiles("100");
}

/// A reduction of what small windows give is a kernel of its own: threads that go through windows have no last stage, and
/// where several threads have a result each, one block would combine all the channels, one after another.
#[test]
fn what_is_made_of_windows_is_a_kernel_of_its_own() {
    let ints = |g: &Graph, list: [i64; 2]| Arg::Ints(list.iter().map(|n| g.syms.constant(*n)).collect());
    let kinds = |channels: i64, size: i64| {
        let kinds = kinds_of(&[&[1, channels, size, size], &[channels, 1, 3, 3]], |g, x| {
            let mut args = vec![Arg::Value(x[0]), Arg::Value(x[1]), Arg::None];
            args.extend([ints(g, [1, 1]), ints(g, [1, 1]), ints(g, [1, 1])]);
            args.push(Arg::Int(g.syms.constant(channels)));
            let y = op(g, "aten.conv2d.default", args);
            let args = vec![Arg::Value(y), ints(g, [2, 3]), Arg::Bool(true)];
            vec![y, op(g, "aten.mean.dim", args)]
        });
        kinds.into_iter().filter(|k| k == "windows" || k == "rows").collect::<Vec<_>>()
    };
    assert_eq!(kinds(72, 56), ["windows", "rows"]);
    assert_eq!(kinds(72, 14), ["windows", "rows"]);
    assert_eq!(kinds(8, 14), ["rows", "rows"]);
}

/// Attention among channels, whose values are images: too wide for a query's threads, so two products and a softmax.
#[test]
fn attention_over_wide_values_is_two_products() {
    let kinds = kinds_of(&[&[2, 32, 3136], &[2, 32, 3136], &[2, 32, 3136]], |g, x| {
        let dims = |g: &Graph, n| Arg::Int(g.syms.constant(n));
        let (one, two) = (dims(g, -1), dims(g, -2));
        let turned = op(g, "aten.transpose.int", vec![Arg::Value(x[1]), two, one]);
        let scores = op(g, "aten.matmul.default", vec![Arg::Value(x[0]), Arg::Value(turned)]);
        let last = dims(g, -1);
        let weights = op(g, "aten.softmax.int", vec![Arg::Value(scores), last, Arg::None]);
        vec![op(g, "aten.matmul.default", vec![Arg::Value(weights), Arg::Value(x[2])])]
    });
    assert_eq!(kinds, ["gemm", "rows", "gemm"]);
}

/// Groups whose channels are no whole chunks stay as they are, whoever reads their result; and a product's result that is
/// viewed as an image is copied for the convolution behind it.
#[test]
fn images_lie_channels_last_where_their_writers_can() {
    let ints = |g: &Graph, list: &[i64]| Arg::Ints(list.iter().map(|n| g.syms.constant(*n)).collect());
    let convolved = |g: &mut Graph, x: Tensor, w: Tensor, pad: i64, groups: i64| {
        let mut args = vec![Arg::Value(x), Arg::Value(w), Arg::None];
        args.extend([ints(g, &[1, 1]), ints(g, &[pad, pad]), ints(g, &[1, 1])]);
        args.push(Arg::Int(g.syms.constant(groups)));
        op(g, "aten.conv2d.default", args)
    };
    let grouped = kinds_of(&[&[1, 40, 28, 28], &[64, 20, 3, 3], &[32, 64, 1, 1]], |g, x| {
        let y = convolved(g, x[0], x[1], 1, 2);
        vec![convolved(g, y, x[2], 0, 1)]
    });
    // The groups' convolution reads its image where it is: nothing was laid out in chunks for tensor cores before it.
    assert_eq!(grouped, ["convolution", "tiles", "convolution", "tiles"]);
    let viewed = kinds_of(&[&[2, 16, 64], &[2, 64, 64], &[32, 16, 1, 1]], |g, x| {
        let product = op(g, "aten.matmul.default", vec![Arg::Value(x[0]), Arg::Value(x[1])]);
        let shape = ints(g, &[2, 16, 8, 8]);
        let image = op(g, "aten.view.default", vec![Arg::Value(product), shape]);
        vec![convolved(g, image, x[2], 0, 1)]
    });
    assert!(viewed.contains(&"gemm".to_string()), "{viewed:?}");
}
