//! Weights of 4 and 8 bits: what PyTorch packs and computes (tests/int4.py writes it), on a CPU in each of its orders and on a GPU.

use litz::base::Status;
use litz::frontend::from_pt2;
use litz::ir::Graph;
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;
use safetensors::SafeTensors;
use std::path::PathBuf;

mod common;
use common::graphs;

const ORDERS: [&str; 3] = ["avx512", "avx2", "default"];

fn data(name: &str) -> PathBuf {
    common::root().join("tests/data/int4").join(name)
}

fn options(backend: &str, layout: &str) -> Options {
    let mut options = Options::new();
    options.set("backend", backend).expect("a backend");
    options.set("int4.layout", layout).expect("a layout");
    options
}

fn tensor(file: &SafeTensors<'_>, name: &str) -> Tensor {
    let view = file.tensor(name).expect(name);
    let dtype = match view.dtype() {
        safetensors::Dtype::F32 => Dtype::Float32,
        safetensors::Dtype::BF16 => Dtype::Bfloat16,
        safetensors::Dtype::I32 => Dtype::Int32,
        safetensors::Dtype::U8 => Dtype::Uint8,
        other => panic!("{name} is {other:?}"),
    };
    let shape: Vec<i64> = view.shape().iter().map(|n| *n as i64).collect();
    Tensor::from_bytes(dtype, &shape, view.data()).expect("memory")
}

fn numbers(t: &Tensor) -> Vec<f32> {
    let halves = |c: &[u8]| f32::from_bits(u32::from(u16::from_le_bytes([c[0], c[1]])) << 16);
    match t.dtype() {
        Dtype::Float32 => t.bytes().chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect(),
        Dtype::Bfloat16 => t.bytes().chunks(2).map(halves).collect(),
        other => panic!("{other} are no floats"),
    }
}

/// Within `near` of the largest number; integers are equal.
fn close(got: &Tensor, want: &Tensor, near: f32, what: &str) {
    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{what}");
    if !want.dtype().is_float() {
        return assert!(got.bytes() == want.bytes(), "{what}");
    }
    let (got, want) = (numbers(got), numbers(want));
    let largest = want.iter().fold(0f32, |m, x| m.max(x.abs()));
    for (k, (a, b)) in got.iter().zip(&want).enumerate() {
        assert!((a - b).abs() <= near * largest, "{what}: element {k} is {a}, not {b}");
    }
}

fn as_pytorch(backend: &str) {
    for order in ORDERS {
        let graph = from_pt2(&data(&format!("{order}.pt2"))).expect("it is read");
        let bytes = std::fs::read(data(&format!("{order}.safetensors"))).expect("results");
        let file = SafeTensors::deserialize(&bytes).expect("tensors");
        let program = session::compile(&graph, &options(backend, order)).expect("it compiles");
        let outputs = program.run_tensors(&[&tensor(&file, "in0"), &tensor(&file, "in1")]).expect("it runs");
        assert_eq!(outputs.len(), 6);
        // The second is rounded to bfloat16, the third to float16.
        for (k, near) in [1e-6, 1.0 / 128.0, 1.0 / 1024.0, 1e-6, 1e-6, 0.0].into_iter().enumerate() {
            let name = format!("out{k}");
            close(&outputs[k], &tensor(&file, &name), near, &format!("{order} {name}"));
        }
    }
}

#[test]
fn products_are_pytorchs_in_each_order_of_a_cpu() {
    as_pytorch("cpu");
}

#[test]
fn products_are_pytorchs_on_the_interpreter() {
    as_pytorch("interpreter");
}

/// One row, several, and many; results are rounded to bfloat16.
#[test]
fn products_with_weights_of_8_bits_are_pytorchs() {
    let graph = from_pt2(&data("bytes.pt2")).expect("it is read");
    let bytes = std::fs::read(data("bytes.safetensors")).expect("results");
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    for isa in ["scalar", "avx2", "avx512", ""] {
        let mut options = options(if isa.is_empty() { "interpreter" } else { "cpu" }, "");
        if !isa.is_empty() {
            options.set("cpu.isa", isa).expect("an instruction set");
        }
        let program = session::compile(&graph, &options).expect("it compiles");
        let outputs = program.run_tensors(&[&tensor(&file, "in0")]).expect("it runs");
        for (k, output) in outputs.iter().enumerate() {
            let name = format!("out{k}");
            close(output, &tensor(&file, &name), 1.0 / 128.0, &format!("{isa} {name}"));
        }
    }
}

/// A weight is `(code - zero) * scale`, rounded to the dtype of the rows; each dtype and group, on every vector width.
#[test]
fn products_with_scales_and_zero_points_apart_are_the_formulas() {
    let graph = from_pt2(&data("zeros.pt2")).expect("it is read");
    let bytes = std::fs::read(data("zeros.safetensors")).expect("results");
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    let given = ["in0", "in1", "in2"].map(|name| tensor(&file, name));
    for isa in ["scalar", "avx2", "avx512", ""] {
        let mut options = options(if isa.is_empty() { "interpreter" } else { "cpu" }, "");
        if !isa.is_empty() {
            options.set("cpu.isa", isa).expect("an instruction set");
        }
        let program = session::compile(&graph, &options).expect("it compiles");
        let outputs = program.run_tensors(&given.each_ref()).expect("it runs");
        for (k, near) in [1e-6, 1.0 / 128.0, 1.0 / 1024.0].into_iter().enumerate() {
            let name = format!("out{k}");
            close(&outputs[k], &tensor(&file, &name), near, &format!("{isa} {name}"));
        }
    }
}

#[test]
fn operands_of_a_product_with_zero_points_apart_are_checked() {
    let refused = |x: &str, w: &str, group: i64, scales: &str, zeros: &str| {
        let text = format!(
            "graph \"g\" {{\n  input %0 \"x\": {x}\n  input %1 \"w\": {w}\n  input %2 \"s\": {scales}\n  input %3 \"z\": {zeros}\n  %4 = aten._weight_int4pack_mm_with_scales_and_zeros.default(%0, %1, {group}, %2, %3)\n  output \"y\" = %4\n}}"
        );
        parse(&text).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let (x, w, s, z) = ("float32[2, 64]", "int32[6, 8]", "float32[2, 6]", "int8[2, 6]");
    assert_eq!(refused(x, w, 32, s, z), "");
    for (message, given) in [
        ("`qGroupSize` is 16, not a multiple of 32", refused(x, w, 16, s, z)),
        ("`qZeros`", refused(x, w, 32, s, "float32[2, 6]")),
        ("`qScale`", refused(x, w, 32, "float16[2, 6]", z)),
        ("`qZeros`", refused(x, w, 32, s, "int8[1, 6]")),
        ("`qScale`", refused(x, w, 32, "float32[2, 7]", z)),
        ("`mat2`", refused(x, "uint8[6, 32]", 32, s, z)),
        ("inner sizes", refused("float32[2, 32]", w, 32, s, z)),
    ] {
        assert!(given.contains(message), "{message}: {given}");
    }
}

/// Bytes that were packed by another CPU would be read as other weights.
#[test]
fn an_order_that_nothing_tells_is_refused() {
    let refused = |graph: &Graph| {
        let error = session::compile(graph, &options("interpreter", "")).err().expect("refused");
        assert_eq!(error.status(), Status::Unsupported, "{error}");
        error.to_string()
    };
    let packed = parse(
        "graph \"g\" {\n  input %0 \"x\": float32[2, 32]\n  input %1 \"w\": uint8[64, 16]\n  input %2 \"s\": float32[1, 64, 2]\n  %3 = aten._weight_int4pack_mm_for_cpu.default(%0, %1, 32, %2)\n  output \"y\" = %3\n}",
    )
    .expect("a graph");
    let message = refused(&packed);
    assert!(message.contains("int4.layout") && message.contains("get_cpu_capability"), "{message}");
    let given_away = parse(
        "graph \"g\" {\n  input %0 \"codes\": int32[64, 32]\n  %1 = aten._convert_weight_to_int4pack_for_cpu.default(%0, 1)\n  output \"y\" = %1\n}",
    )
    .expect("a graph");
    let message = refused(&given_away);
    assert!(message.contains("int4.layout"), "{message}");
    let error = options("cpu", "").set("int4.layout", "neon").expect_err("no such order");
    assert!(error.to_string().contains("avx512, avx2 or default"), "{error}");
}

/// A weight that nobody else sees, and one that lies alike in every order, need no word.
#[test]
fn an_order_that_does_not_matter_need_not_be_told() {
    let text = |rows: i64, packs: bool| {
        let (weight, packed) = match packs {
            true => (format!("int32[{rows}, 32]"), "aten._convert_weight_to_int4pack_for_cpu.default(%1, 1)"),
            false => (format!("uint8[{rows}, 16]"), "aten.alias.default(%1)"),
        };
        let given = if packs { "%3" } else { "%1" };
        format!(
            "graph \"g\" {{\n  input %0 \"x\": float32[2, 32]\n  input %1 \"w\": {weight}\n  input %2 \"s\": float32[1, {rows}, 2]\n  %3 = {packed}\n  %4 = aten._weight_int4pack_mm_for_cpu.default(%0, {given}, 32, %2)\n  output \"y\" = %4\n}}"
        )
    };
    let ones = |shape: &[i64]| {
        let count = shape.iter().product::<i64>() as usize;
        Tensor::from_bytes(Dtype::Float32, shape, &1f32.to_le_bytes().repeat(count)).expect("memory")
    };
    for (rows, packs, right) in [(96, true, true), (16, false, true), (32, false, false)] {
        let graph = parse(&text(rows, packs)).expect("a graph");
        let compiled = session::compile(&graph, &options("interpreter", ""));
        assert_eq!(compiled.is_ok(), right, "{rows} {packs}");
        if let (Ok(program), true) = (compiled, packs) {
            let codes: Vec<u8> = (0..rows * 32).flat_map(|k| ((k / 32 % 16) as i32).to_le_bytes()).collect();
            let codes = Tensor::from_bytes(Dtype::Int32, &[rows, 32], &codes).expect("memory");
            let out = program.run_tensors(&[&ones(&[2, 32]), &codes, &ones(&[1, rows, 2])]).expect("it runs");
            // Each of 32 weights of row n is (n % 16 - 8) * 1 + 1.
            let want: Vec<f32> = (0..2 * rows).map(|k| 32.0 * ((k % rows % 16) as f32 - 7.0)).collect();
            assert_eq!(numbers(&out[0]), want);
        }
    }
}

/// What the maker of the bytes says holds for those who read them, whatever the option says of bytes from elsewhere.
#[test]
fn readers_take_the_order_that_the_maker_says() {
    let text = "graph \"g\" {\n  input %0 \"x\": float32[2, 32]\n  input %1 \"w\": int32[64, 32]\n  input %2 \"s\": float32[1, 64, 2]\n  %3 = aten._convert_weight_to_int4pack_for_cpu.default(%1, 1, layout=\"avx2\")\n  %4 = aten._weight_int4pack_mm_for_cpu.default(%0, %3, 32, %2)\n  output \"y\" = %4\n}";
    let graph = parse(text).expect("a graph");
    let ones = |shape: &[i64]| {
        let count = shape.iter().product::<i64>() as usize;
        Tensor::from_bytes(Dtype::Float32, shape, &1f32.to_le_bytes().repeat(count)).expect("memory")
    };
    let codes: Vec<u8> = (0..64 * 32_i32).flat_map(|k| (k / 32 % 16).to_le_bytes()).collect();
    let codes = Tensor::from_bytes(Dtype::Int32, &[64, 32], &codes).expect("memory");
    let want: Vec<f32> = (0..2 * 64).map(|k| 32.0 * ((k % 64 % 16) as f32 - 7.0)).collect();
    for layout in ["", "avx2", "avx512"] {
        let program = session::compile(&graph, &options("interpreter", layout)).expect("it compiles");
        let out = program.run_tensors(&[&ones(&[2, 32]), &codes, &ones(&[1, 64, 2])]).expect("it runs");
        assert_eq!(numbers(&out[0]), want, "{layout}");
    }
}

fn tiles(inner: i64) -> Graph {
    let text = format!(
        "graph \"g\" {{\n  input %0 \"x\": bfloat16[3, 256]\n  input %1 \"w\": uint8[16, 128]\n  input %2 \"s\": bfloat16[4, 16, 2]\n  %3 = aten._convert_weight_to_int4pack.default(%1, {inner})\n  %4 = aten._weight_int4pack_mm.default(%0, %3, 64, %2)\n  output \"y\" = %4\n  output \"packed\" = %3\n}}"
    );
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn weights_in_the_order_of_tensor_cores_are_pytorchs() {
    let bytes = std::fs::read(data("tiles.safetensors")).expect("results");
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    for backend in ["interpreter", "cpu"] {
        for inner in [2, 4, 8] {
            let of = |name: &str| tensor(&file, &format!("{name}{inner}"));
            let program = session::compile(&tiles(inner), &options(backend, "")).expect("it compiles");
            let out = program.run_tensors(&[&of("x"), &of("bytes"), &of("sz")]).expect("it runs");
            close(&out[0], &of("y"), 1.0 / 128.0, &format!("{backend} {inner}"));
            close(&out[1], &of("packed"), 0.0, &format!("{backend} {inner} packed"));
        }
    }
}

/// A program keeps no copy of such a weight in floats: on a CPU the product has it as its prologue, on a GPU each run unpacks it.
#[test]
fn a_weight_lies_packed_in_memory() {
    let described = |order: &str, options: &Options| -> serde_json::Value {
        let graph = from_pt2(&data(&format!("{order}.pt2"))).expect("it is read");
        let plan = session::plan(&graph, options).unwrap_or_else(|e| panic!("{e}"));
        serde_json::from_str(&plan.metadata).expect("JSON")
    };
    let shifts = |description: &serde_json::Value, stage: &str, kinds: &[&str]| {
        let kernels = description["kernels"].as_array().expect("kernels").iter();
        let of =
            kernels.filter(|k| k["stage"] == stage && kinds.contains(&k["kind"].as_str().expect("a kind")));
        of.filter(|k| k["operators"].to_string().contains("bitwise_right_shift")).count()
    };
    // Of weights of 112, 64, 96 and 16 rows, those that are whole blocks are in no panels of floats.
    for (order, in_panels) in [("avx512", 3), ("avx2", 2)] {
        let cpu = described(order, &options("cpu", order));
        let kinds = cpu["kernels"].as_array().expect("kernels").iter().map(|k| &k["kind"]);
        assert_eq!(kinds.filter(|kind| **kind == "pack").count(), in_panels, "{order}: {cpu:#}");
        assert_eq!(shifts(&cpu, "run", &["gemm"]), 1, "{order}: {cpu:#}");
    }
    let mut options = graphs::cuda("90", &[]);
    options.set("int4.layout", "avx512").expect("a layout");
    let gpu = described("avx512", &options);
    let kinds = ["points", "tiles", "rows"];
    // The weight of 16 rows is too small to be worth it.
    assert!(shifts(&gpu, "init", &kinds) <= 1 && shifts(&gpu, "run", &kinds) >= 4, "{gpu:#}");
}
