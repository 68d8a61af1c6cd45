//! Attention and its gradients on a CPU, for each of its instruction sets, against the interpreter.

use litz::device::cpu;
use litz::interp::difference::{difference, tolerance};
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Executable, Options};
use litz::target::Isa;
use litz::types::Dtype;

/// Sizes of queries and keys, which one program takes: within a block and over several, few beside many, and no multiples of
/// anything.
const SIZES: [(i64, i64); 5] = [(1, 1), (7, 300), (300, 5), (131, 131), (40, 290)];
const WIDTH: i64 = 24;

/// Gradients of attentions over the same queries: each of them with what the call has after the operands, and how many heads of
/// keys there are.
const CALLS: [(&str, i64); 4] = [
    ("0.0, true", 4),
    ("0.0, true, scale=0.5", 2),
    ("0.0, false, attn_mask=%5", 4),
    // Queries that attend nothing.
    ("0.0, false, attn_mask=%6", 2),
];

fn program(dtype: Dtype) -> String {
    let name = "aten._scaled_dot_product_flash_attention_for_cpu";
    let mut text = format!(
        "graph \"gradients\" {{\n  symbol n in [1, 400]\n  symbol m in [1, 400]\n  \
         input %0 \"q\": {dtype}[2, 4, n, {WIDTH}]\n  input %1 \"g\": {dtype}[2, 4, n, {WIDTH}]\n  \
         input %2 \"k\": {dtype}[2, m, 4, {WIDTH}]\n  input %3 \"v\": {dtype}[2, 4, m, {WIDTH}]\n  \
         input %5 \"mask\": {dtype}[n, m]\n  %6 = aten.gt.Scalar(%5, 0.9)\n  \
         %7 = aten.transpose.int(%2, 1, 2)\n  %8 = aten.narrow.default(%7, 1, 0, 2)\n  %9 = aten.narrow.default(%3, 1, 0, 2)\n"
    );
    let mut outputs = String::new();
    for (k, (more, heads)) in CALLS.into_iter().enumerate() {
        let (first, [key, value]) = (10 * k + 10, if heads == 4 { [7, 3] } else { [8, 9] });
        let [out, sums, q, k, v] = [0, 1, 2, 3, 4].map(|at| first + at);
        text += &format!("  %{out}, %{sums} = {name}.default(%0, %{key}, %{value}, {more})\n");
        text += &format!(
            "  %{q}, %{k}, %{v} = {name}_backward.default(%1, %0, %{key}, %{value}, %{out}, %{sums}, {more})\n"
        );
        for value in [sums, q, k, v] {
            outputs += &format!("  output \"y{value}\" = %{value}\n");
        }
    }
    text + &outputs + "}\n"
}

fn compiled(text: &str, list: &[(&str, &str)]) -> Executable {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut options = Options::default();
    for (key, value) in list {
        options.set(key, value).unwrap_or_else(|e| panic!("{key}: {e}"));
    }
    session::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn numbers(dtype: Dtype, shape: &[i64], seed: f64) -> Tensor {
    let count: i64 = shape.iter().product();
    let one = |k: i64| (((k as f64 + seed) * 0.618_034) % 1.0 * 2.0 - 1.0) as f32;
    let bytes: Vec<u8> = (0..count)
        .flat_map(|k| match dtype {
            Dtype::Float16 => half::f16::from_f32(one(k)).to_ne_bytes().to_vec(),
            Dtype::Bfloat16 => half::bf16::from_f32(one(k)).to_ne_bytes().to_vec(),
            _ => one(k).to_ne_bytes().to_vec(),
        })
        .collect();
    Tensor::from_bytes(dtype, shape, &bytes).expect("memory")
}

fn inputs(dtype: Dtype, (n, m): (i64, i64)) -> [Tensor; 5] {
    [
        numbers(dtype, &[2, 4, n, WIDTH], 0.1),
        numbers(dtype, &[2, 4, n, WIDTH], 11.7),
        numbers(dtype, &[2, m, 4, WIDTH], 5.3),
        numbers(dtype, &[2, 4, m, WIDTH], 2.9),
        numbers(dtype, &[n, m], 7.1),
    ]
}

/// The instruction sets of this machine.
fn isas() -> Vec<&'static str> {
    let mut all = vec!["scalar"];
    let best = cpu::detect().isa;
    all.extend((best != Isa::Scalar).then_some("avx2"));
    all.extend((best == Isa::Avx512).then_some("avx512"));
    all
}

#[test]
fn gradients_of_attention_are_those_of_the_interpreter() {
    for dtype in [Dtype::Float32, Dtype::Bfloat16, Dtype::Float16] {
        let text = program(dtype);
        let plain = compiled(&text, &[("backend", "interpreter")]);
        let want: Vec<Vec<Tensor>> = SIZES
            .iter()
            .map(|sizes| plain.run_tensors(&inputs(dtype, *sizes).each_ref()).expect("it runs"))
            .collect();
        for isa in isas() {
            // GCC 12 warns of tails longer than a vector in copies that it unrolls; there are none.
            let quick = [("cpp.optimization", "1"), ("cpp.strict", "false")];
            let set = [("backend", "cpu"), ("cpu.isa", isa), ("cpu.threads", "3"), quick[0], quick[1]];
            let program = compiled(&text, &set);
            for (sizes, want) in SIZES.iter().zip(&want) {
                let have = program.run_tensors(&inputs(dtype, *sizes).each_ref()).expect("it runs");
                for (k, (have, want)) in have.iter().zip(want).enumerate() {
                    // The sums of scores are float32, whatever the operands are.
                    let own = if k % 4 == 0 { Dtype::Float32 } else { dtype };
                    let differs = difference(own, have.bytes(), want.bytes(), tolerance(dtype));
                    assert!(differs.is_none(), "{dtype} {isa} {sizes:?} result {k}: {differs:?}");
                }
            }
        }
    }
}

#[test]
fn gradients_of_attention_do_not_depend_on_threads() {
    let text = program(Dtype::Float32);
    let results = ["1", "2", "5"].map(|threads| {
        let program =
            compiled(&text, &[("backend", "cpu"), ("cpu.threads", threads), ("deterministic", "true")]);
        program.run_tensors(&inputs(Dtype::Float32, (131, 131)).each_ref()).expect("it runs")
    });
    for other in &results[1..] {
        for (k, (a, b)) in results[0].iter().zip(other).enumerate() {
            assert!(a.bytes() == b.bytes(), "result {k}");
        }
    }
}
