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

/// PyTorch's memory-efficient attention and its gradients, beside products that say what they are.
#[test]
fn memory_efficient_attention_is_attention() {
    for (queries, values, bias, causal) in [
        (40, 16, false, false),
        (33, 16, true, false),
        (64, 24, true, false),
        (40, 16, false, true),
        (5, 24, false, true),
    ] {
        let keys = if causal { queries } else { 50 };
        let scores = format!("float32[2, 4, {queries}, {keys}]");
        let given = if bias { "%4" } else { "None" };
        // Sums are not kept where keys and values differ in size.
        let sums = values == 16;
        let mut text = format!(
            "graph \"g\" {{\n  input %0 \"q\": float32[2, 4, {queries}, 16]\n  input %1 \"k\": float32[2, 4, {keys}, 16]\n  \
             input %2 \"v\": float32[2, 4, {keys}, {values}]\n  input %3 \"g\": float32[2, 4, {queries}, {values}]\n  \
             input %4 \"b\": {scores}\n  \
             %10, %11, %12, %13 = aten._scaled_dot_product_efficient_attention.default(%0, %1, %2, {given}, {sums}, 0.0, {causal}, scale=0.5)\n  \
             %20 = aten.transpose.int(%1, -2, -1)\n  %21 = aten.matmul.default(%0, %20)\n  %22 = aten.mul.Tensor(%21, 0.5)\n  \
             %23 = aten.ones_like.default(%22)\n  %24 = aten.tril.default(%23)\n  %25 = aten.log.default({})\n  \
             %26 = aten.add.Tensor(%22, %25)\n  %27 = aten.add.Tensor(%26, {})\n  %28 = aten.softmax.int(%27, -1)\n  \
             %29 = aten.matmul.default(%28, %2)\n  %19 = aten.contiguous.default(%10)\n  output \"out\" = %19\n  output \"want\" = %29\n",
            if causal { "%24" } else { "%23" },
            if bias { "%4" } else { "0.0" },
        );
        if sums {
            // The rest of the rows are infinite, whose exponentials' inverses are 0.
            let rows = (queries + 31) / 32 * 32;
            text += &format!(
                "  %30 = aten.logsumexp.default(%27, [-1])\n  %31 = aten.neg.default(%11)\n  %32 = aten.exp.default(%31)\n  \
                 %33 = aten.neg.default(%30)\n  %34 = aten.exp.default(%33)\n  \
                 %35 = aten.constant_pad_nd.default(%34, [0, {}])\n  output \"sums\" = %32\n  output \"want sums\" = %35\n",
                rows - queries
            );
        }
        let kept = (queries + 31) / 32 * 32;
        text += &format!(
            "  %36 = aten.zeros.default([2, 4, {kept}])\n  \
             %40, %41, %42, %43 = aten._scaled_dot_product_efficient_attention_backward.default(%3, %0, %1, %2, {given}, %10, {}, %12, %13, \
             0.0, [true, true, true, {bias}], {causal}, scale=0.5)\n  \
             %50 = aten.transpose.int(%28, -2, -1)\n  %51 = aten.matmul.default(%50, %3)\n  \
             %52 = aten.transpose.int(%2, -2, -1)\n  %53 = aten.matmul.default(%3, %52)\n  %54 = aten.mul.Tensor(%53, %28)\n  \
             %55 = aten.sum.dim_IntList(%54, [-1], true)\n  %56 = aten.sub.Tensor(%53, %55)\n  %57 = aten.mul.Tensor(%28, %56)\n  \
             %58 = aten.mul.Tensor(%57, 0.5)\n  %59 = aten.matmul.default(%58, %1)\n  %60 = aten.transpose.int(%58, -2, -1)\n  \
             %61 = aten.matmul.default(%60, %0)\n",
            if sums { "%11" } else { "%36" },
        );
        let bias_too = if bias { &[(43, 57)][..] } else { &[] };
        for (have, want) in [(40, 59), (41, 61), (42, 51)].iter().chain(bias_too) {
            // Gradients lie with their heads side by side.
            text += &format!(
                "  %{have}9 = aten.contiguous.default(%{have})\n  output \"have{have}\" = %{have}9\n"
            );
            text += &format!("  output \"want{have}\" = %{want}\n");
        }
        text += "}\n";
        let size = |shape: [i64; 4], seed| numbers(Dtype::Float32, &shape, seed);
        let inputs = [
            size([2, 4, queries, 16], 0.3),
            size([2, 4, keys, 16], 1.7),
            size([2, 4, keys, values], 5.1),
            size([2, 4, queries, values], 3.3),
            size([2, 4, queries, keys], 9.2),
        ];
        for backend in ["interpreter", "cpu"] {
            let quick = [("cpp.optimization", "1"), ("cpp.strict", "false")];
            let own = if backend == "cpu" { &quick[..] } else { &[] };
            let program = compiled(&text, &[&[("backend", backend)][..], own].concat());
            let results = program.run_tensors(&inputs.each_ref()).expect("it runs");
            for (k, pair) in results.chunks(2).enumerate() {
                let tolerance = tolerance(Dtype::Float32);
                let differs = difference(Dtype::Float32, pair[0].bytes(), pair[1].bytes(), tolerance);
                assert!(
                    differs.is_none(),
                    "{backend}, {queries} queries, bias {bias}, causal {causal}, pair {k}: {differs:?}"
                );
            }
        }
    }
}
