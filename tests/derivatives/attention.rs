//! Slopes of attention, and slopes of these: the gradient's own node, and the products of matrices that it is differentiated through.

use super::{compare, compare_modes, loss};
use litz::ir::{Arg, OutputValue, Value};
use litz::meta::Builder;
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, BackendRequest, Options};
use litz::types::Dtype;

/// Queries, keys and values of four dimensions, which the gradient's node takes: heads that share keys, a query that attends nothing,
/// more queries than keys and the reverse.
const FUSED: &[&str] = &[
    "%3 = aten.reshape.default(%0, [1, 2, 1, 3])\n  %4 = aten.reshape.default(%1, [1, 2, 1, 3])\n  \
     %5 = aten.cat.default([%4, %3], 2)\n  %6 = aten.mul.Scalar(%5, 1.5)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %5, %6)",
    "%3 = aten.reshape.default(%0, [1, 1, 2, 3])\n  %4 = aten.reshape.default(%1, [1, 1, 2, 3])\n  \
     %5 = aten.mul.Tensor(%4, %4)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %4, %5, None, 0.0, true, scale=0.7)",
    "%3 = aten.reshape.default(%0, [1, 2, 3, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 6, 1])\n  \
     %5 = aten.mul.Scalar(%4, 1.5)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %4, %5, None, 0.0, true, enable_gqa=true)",
    "%3 = aten.reshape.default(%0, [1, 1, 6, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 6, 1])\n  \
     %5 = aten.narrow.default(%4, 2, 0, 4)\n  %6 = aten.mul.Scalar(%5, 1.5)\n  \
     %7 = aten.ones.default([6, 4], dtype=bool)\n  %8 = aten.tril.default(%7, -1)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %5, %6, %8)",
    "%3 = aten.reshape.default(%0, [2, 1, 3, 1])\n  %4 = aten.reshape.default(%1, [2, 1, 3, 1])\n  \
     %5 = aten.mul.Scalar(%4, 1.5)\n  %6 = aten.full.default([3], 0.25, dtype=float64)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %4, %5, %6)",
    "%3 = aten.reshape.default(%0, [1, 2, 3, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 6, 1])\n  \
     %2, %5 = aten._scaled_dot_product_flash_attention_for_cpu.default(%3, %4, %4)",
];

/// What is left to products of matrices: another number of dimensions, a batch that is broadcast, values of another size than heads,
/// and masks with a gradient.
const PRODUCTS: &[&str] = &[
    "%2 = aten.scaled_dot_product_attention.default(%0, %1, %1)",
    "%3 = aten.reshape.default(%0, [2, 1, 3, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 6, 1])\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %4, %4)",
    "%3 = aten.reshape.default(%0, [1, 1, 6, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 3, 2])\n  \
     %5 = aten.narrow.default(%4, 3, 0, 1)\n  %2 = aten.scaled_dot_product_attention.default(%3, %5, %4)",
    "%3 = aten.reshape.default(%0, [1, 2, 3, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 3, 2])\n  \
     %5 = aten.narrow.default(%4, 3, 0, 1)\n  %6 = aten.reshape.default(%1, [2, 3, 1])\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %5, %5, %6)",
];

#[test]
fn slopes_of_attention_are_those_of_differences() {
    let calls = || FUSED.iter().chain(PRODUCTS).map(|call| call.to_string());
    compare(calls());
    compare_modes(calls());
}

/// The gradients of a sum of squares over causal attention by queries, keys and values, on the interpreter.
fn attention_gradients(dtype: Dtype, operands: &[Vec<f64>; 3]) -> Vec<Vec<f64>> {
    let inputs = ["q", "k", "v"].iter().enumerate();
    let inputs: String =
        inputs.map(|(k, n)| format!("  input %{k} \"{n}\": {dtype}[1, 1, 128, 32]\n")).collect();
    let text = format!(
        "graph \"g\" {{\n{inputs}  %3 = aten.scaled_dot_product_attention.default(%0, %1, %2, None, 0.0, true)\n  \
         %4 = aten.to.dtype(%3, float64)\n  output \"z\" = %4\n}}\n"
    );
    let mut graph = parse(&text).expect("it reads");
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("a number") };
    let total = loss(&mut graph, z);
    let by: Vec<Value> = graph.inputs.iter().map(|i| i.value).collect();
    let mut made = session::differentiate(&graph, &[total], None, &by).expect("it has gradients");
    made.graph.outputs.clear();
    for gradient in made.gradients.iter().flatten() {
        let wide = vec![Arg::Value(*gradient), Arg::Dtype(Dtype::Float64)];
        let wide = Builder::new(&mut made.graph).op("aten.to.dtype", wide).expect("a conversion");
        made.graph.add_output("gradient", OutputValue::Tensor(wide));
    }
    let mut options = Options::default();
    options.backend = BackendRequest::Interpreter;
    let program = session::compile(&made.graph, &options).expect("it compiles");
    let tensors: Vec<Tensor> = operands
        .iter()
        .map(|operand| {
            let bytes: Vec<u8> = match dtype {
                Dtype::Float64 => operand.iter().flat_map(|x| x.to_ne_bytes()).collect(),
                _ => operand.iter().flat_map(|x| half::bf16::from_f64(*x).to_ne_bytes()).collect(),
            };
            Tensor::from_bytes(dtype, &[1, 1, 128, 32], &bytes).expect("memory")
        })
        .collect();
    let results = program.run_tensors(&tensors.iter().collect::<Vec<_>>()).expect("it runs");
    let number = |b: &[u8]| f64::from_ne_bytes(b.try_into().expect("eight bytes"));
    results.iter().map(|t| t.bytes().chunks(8).map(number).collect()).collect()
}

/// What is rounded between the products is what PyTorch's kernel rounds: operands, not differences of what almost cancels.
#[test]
fn gradients_of_attention_on_halves_are_those_of_float64() {
    let numbers = |seed: u64| {
        let next = |k: u64| (k + seed * 7919).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let sum = |k: u64| (0..6).map(|j| next(6 * k + j) as f64 / (1u64 << 24) as f64 - 0.5).sum::<f64>();
        (0..4096).map(|k| half::bf16::from_f64(3.0 * sum(k)).to_f64()).collect::<Vec<f64>>()
    };
    let operands = [numbers(1), numbers(2), numbers(3)];
    let exact = attention_gradients(Dtype::Float64, &operands);
    let found = attention_gradients(Dtype::Bfloat16, &operands);
    assert_eq!(found.len(), 3);
    let size = |values: &[f64]| (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
    for (found, exact) in found.iter().zip(&exact) {
        let off: Vec<f64> = found.iter().zip(exact).map(|(f, e)| f - e).collect();
        assert!(size(&off) < 0.008 * size(exact), "off by {} of {}", size(&off), size(exact));
    }
}
