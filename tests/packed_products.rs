//! Products whose weight lies packed in memory: what they compute is what the interpreter computes, for every instruction set, number of
//! rows and form of a weight; and no copy of the weight in floats is made.

use litz::ir::Graph;
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;
use serde_json::Value as Json;

const K: i64 = 256;
const N: i64 = 192;

fn options(backend: &str, isa: &str) -> Options {
    let mut options = Options::new();
    options.set("backend", backend).unwrap();
    if backend == "cpu" {
        options.set("cpu.isa", isa).unwrap();
    }
    options
}

/// The ways in which models keep weights: lines that make `%w`, a float32 matrix of N rows and K columns, and the bytes that its constants take
/// for each element. Scales are neither tiny nor zero.
fn forms() -> Vec<(&'static str, String, i64)> {
    let codes = |shape: &str, dtype: &str, from: i64, to: i64| {
        format!("  constant %2 \"q\": {dtype}[{shape}] = seeded 5 from {from} to {to}\n")
    };
    let groups = K / 32;
    let scale = |shape: &str, dtype: &str| {
        format!("  constant %3 \"s\": {dtype}[{shape}] = seeded 6 mean 0.05 spread 0.01\n")
    };
    let bytes = codes(&format!("{N}, {K}"), "int8", -128, 127);
    let unsigned = codes(&format!("{N}, {K}"), "uint8", 0, 255);
    let nibbles = codes(&format!("{N}, {groups}, 16"), "uint8", 0, 255);
    let two_halves = "  %5 = aten.bitwise_and.Scalar(%2, 15)\n  %6 = aten.__rshift__.Scalar(%2, 4)\n  %7 = aten.cat.default([%5, %6], 2)\n  %8 = aten.to.dtype(%7, float32)\n".to_string();
    vec![
        // The floats of eight bits, and a scale for each row.
        (
            "int8",
            format!(
                "{bytes}{}  %5 = aten.to.dtype(%2, float32)\n  %w = aten.mul.Tensor(%5, %3)\n",
                scale(&format!("{N}, 1"), "float32")
            ),
            1,
        ),
        // With a number that is taken off first, and a scale and an offset for each row.
        (
            "uint8",
            format!(
                "{unsigned}{}  constant %4 \"z\": float32[{N}, 1] = seeded 7 mean 0.0 spread 1.0\n  %5 = aten.to.dtype(%2, float32)\n  %6 = aten.sub.Scalar(%5, 128.0)\n  %7 = aten.mul.Tensor(%6, %3)\n  %w = aten.add.Tensor(%7, %4)\n",
                scale(&format!("{N}, 1"), "float32")
            ),
            1,
        ),
        // A scale for each group of a row.
        (
            "groups",
            format!(
                "{}{}  %5 = aten.to.dtype(%2, float32)\n  %6 = aten.to.dtype(%3, float32)\n  %7 = aten.mul.Tensor(%5, %6)\n  %w = aten.reshape.default(%7, [{N}, {K}])\n",
                codes(&format!("{N}, {groups}, 32"), "int8", -128, 127),
                scale(&format!("{N}, {groups}, 1"), "float16")
            ),
            1,
        ),
        // Two halves of a group in the halves of bytes.
        (
            "nibbles",
            format!(
                "{nibbles}{}{two_halves}  %9 = aten.sub.Scalar(%8, 8.0)\n  %10 = aten.to.dtype(%3, float32)\n  %11 = aten.mul.Tensor(%9, %10)\n  %w = aten.reshape.default(%11, [{N}, {K}])\n",
                scale(&format!("{N}, {groups}, 1"), "float16")
            ),
            1,
        ),
        // A zero point that is a vector, taken off before it is scaled.
        (
            "zeros",
            format!(
                "{nibbles}{}  constant %4 \"z\": float32[{N}, {groups}, 1] = seeded 7 mean 8.0 spread 1.0\n{two_halves}  %9 = aten.sub.Tensor(%8, %4)\n  %11 = aten.mul.Tensor(%9, %3)\n  %w = aten.reshape.default(%11, [{N}, {K}])\n",
                scale(&format!("{N}, {groups}, 1"), "float32")
            ),
            1,
        ),
    ]
}

/// Products of the first rows of `x` with one weight, each with a bias, for every number of rows; 0: all of them.
fn graph(weight: &str, rows: &str, dtype: &str, of: &[i64]) -> Graph {
    let symbol = if rows == "s0" { "  symbol s0 in [1, 64] hint 4\n" } else { "" };
    let mut text = format!(
        "graph \"g\" {{\n{symbol}  input %0 \"x\": {dtype}[{rows}, {K}]\n  constant %1 \"bias\": float32[{N}] = seeded 9 mean 0.0 spread 1.0\n{weight}  %20 = aten.to.dtype(%0, float32)\n"
    );
    let mut outputs = String::new();
    for (k, rows) in of.iter().enumerate() {
        let [part, product, out] = [0, 1, 2].map(|n| 21 + 3 * k + n);
        text += &match rows {
            0 => format!("  %{part} = aten.alias.default(%20)\n"),
            rows => format!("  %{part} = aten.slice.Tensor(%20, 0, 0, {rows})\n"),
        };
        text += &format!("  %{product} = aten.linear.default(%{part}, %w, %1)\n");
        text += &format!("  %{out} = aten.relu.default(%{product})\n");
        outputs += &format!("  output \"y{k}\" = %{out}\n");
    }
    let text = (text + &outputs + "}").replace("%w", "%19");
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn numbers(rows: i64, dtype: Dtype) -> Tensor {
    let mut seed = 1u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    let numbers: Vec<f32> = (0..rows * K).map(|_| next()).collect();
    let bytes: Vec<u8> = match dtype {
        Dtype::Bfloat16 => numbers.iter().flat_map(|x| ((x.to_bits() >> 16) as u16).to_le_bytes()).collect(),
        _ => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
    };
    Tensor::from_bytes(dtype, &[rows, K], &bytes).expect("memory")
}

fn floats(t: &Tensor) -> Vec<f32> {
    t.bytes().chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn close(got: &Tensor, want: &Tensor, what: &str) {
    let (got, want) = (floats(got), floats(want));
    assert_eq!(got.len(), want.len(), "{what}");
    let largest = want.iter().fold(0f32, |m, x| m.max(x.abs()));
    for (k, (a, b)) in got.iter().zip(&want).enumerate() {
        assert!((a - b).abs() <= 2e-6 * largest, "{what}: element {k} is {a}, not {b}");
    }
}

fn kinds(described: &str) -> Vec<(String, String)> {
    let described: Json = serde_json::from_str(described).unwrap();
    let text = |kernel: &Json, name: &str| kernel[name].as_str().unwrap().to_string();
    let kernels = described["kernels"].as_array().unwrap().iter();
    kernels.map(|kernel| (text(kernel, "stage"), text(kernel, "kind"))).collect()
}

/// Rows that are one vector's sums, several at once, in two passes, and a panel's.
#[test]
fn results_are_the_interpreters_on_every_machine() {
    const ROWS: [i64; 6] = [1, 2, 3, 7, 9, 0];
    for (form, (name, weight, _)) in forms().into_iter().enumerate() {
        let dtype = if form % 2 == 0 { Dtype::Float32 } else { Dtype::Bfloat16 };
        let (graph, x) = (graph(&weight, "40", &dtype.to_string(), &ROWS), numbers(40, dtype));
        let run = |backend: &str, isa: &str| {
            let program = session::compile(&graph, &options(backend, isa)).unwrap_or_else(|e| panic!("{e}"));
            (program.run_tensors(&[&x]).expect("it runs"), program.describe())
        };
        let (want, _) = run("interpreter", "");
        for isa in ["scalar", "avx2", "avx512"] {
            let (got, described) = run("cpu", isa);
            for ((got, want), rows) in got.iter().zip(&want).zip(ROWS) {
                close(got, want, &format!("{name}, {rows} rows, {isa}"));
            }
            let kinds = kinds(&described);
            assert!(!kinds.iter().any(|(_, kind)| kind == "pack"), "{name} {isa}: {kinds:?}");
        }
    }
}

/// One program for any number of rows.
#[test]
fn a_number_of_rows_that_only_a_run_knows_takes_each_way() {
    let (_, weight, _) = forms().remove(3);
    let graph = graph(&weight, "s0", "float32", &[0]);
    for isa in ["avx2", "avx512"] {
        let program = session::compile(&graph, &options("cpu", isa)).unwrap_or_else(|e| panic!("{e}"));
        let interpreted =
            session::compile(&graph, &options("interpreter", "")).unwrap_or_else(|e| panic!("{e}"));
        for rows in [1, 4, 6, 8, 9, 33] {
            let x = numbers(rows, Dtype::Float32);
            let (got, want) = (program.run_tensors(&[&x]).unwrap(), interpreted.run_tensors(&[&x]).unwrap());
            close(&got[0], &want[0], &format!("{isa}, {rows} rows"));
        }
    }
}

/// The constants that a run reads are no larger than those that were given.
#[test]
fn no_weight_of_floats_is_made() {
    for (name, weight, bytes) in forms() {
        let graph = graph(&weight, "1", "float32", &[0]);
        let program = session::compile(&graph, &options("cpu", "avx512")).unwrap_or_else(|e| panic!("{e}"));
        let described: Json = serde_json::from_str(&program.describe()).unwrap();
        let folded = described["folded"].as_array().unwrap();
        let most: i64 = folded.iter().filter_map(|f| f["bytes"].as_i64()).max().unwrap_or(0);
        assert!(most <= bytes * N * K, "{name}: {most} of {folded:?}");
    }
}

/// Sums of values may overflow, and infinities of the two signs meet, where neither happens to whole elements.
#[test]
fn sums_that_are_not_finite_are_those_of_whole_elements() {
    for form in [2, 4] {
        let (name, weight, _) = forms().remove(form);
        let graph = graph(&weight, "1", "float32", &[0]);
        for large in [1e37f32, f32::INFINITY] {
            let mut row = vec![0f32; K as usize];
            row[3] = large;
            row[100] = 1.0;
            let bytes: Vec<u8> = row.iter().flat_map(|x| x.to_le_bytes()).collect();
            let x = Tensor::from_bytes(Dtype::Float32, &[1, K], &bytes).expect("memory");
            let run = |backend: &str| {
                let program =
                    session::compile(&graph, &options(backend, "avx512")).unwrap_or_else(|e| panic!("{e}"));
                floats(&program.run_tensors(&[&x]).expect("it runs")[0])
            };
            let (got, want) = (run("cpu"), run("interpreter"));
            let largest = want.iter().filter(|x| x.is_finite()).fold(0f32, |m, x| m.max(x.abs()));
            for (k, (a, b)) in got.into_iter().zip(want).enumerate() {
                let near = a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-5 * largest;
                assert!(near, "{name}, {large}: element {k} is {a}, not {b}");
            }
        }
    }
}
