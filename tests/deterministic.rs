//! `deterministic`: the same bits whatever the number of threads, in kernels that split their sums between threads otherwise.

use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{Options, compile};
use litz::types::Dtype;

const TEXT: &str = r#"graph "sums" {
  input %0 "x": float32[600, 700]
  input %1 "k": float32[6000, 70]
  input %2 "i": int64[6000]
  input %3 "image": float32[2, 40, 14, 14]
  input %4 "filter": float32[24, 40, 3, 3]
  %5 = aten.sum.default(%0)
  %6 = aten.sum.dim_IntList(%0, [0])
  %7 = aten.linalg_vector_norm.default(%0)
  %8 = aten.var.correction(%0, [1])
  %9 = aten.t.default(%1)
  %10 = aten.mm.default(%9, %1)
  %11 = aten.mean.default(%10)
  %12 = aten.new_zeros.default(%1, [9, 70])
  %13 = aten.index_add.default(%12, 0, %2, %1)
  %14 = aten.cumsum.default(%1, 0)
  %15 = aten.conv2d.default(%3, %4)
  %16 = aten.logsumexp.default(%15, [0, 2, 3])
  output "sum" = %5
  output "columns" = %6
  output "norm" = %7
  output "spread" = %8
  output "product" = %10
  output "mean" = %11
  output "bins" = %13
  output "running" = %14
  output "features" = %16
}"#;

/// Values of many magnitudes, whose sums are rounded otherwise in another order.
fn given() -> Vec<Tensor> {
    let floats = |shape: &[i64]| {
        let count: i64 = shape.iter().product();
        let value = |k: i64| ((k * 7919 % 1009) as f32 - 500.0) * 1.7f32.powi((k % 23) as i32 - 11);
        let bytes: Vec<u8> = (0..count).flat_map(|k| value(k).to_le_bytes()).collect();
        Tensor::from_bytes(Dtype::Float32, shape, &bytes).expect("a tensor")
    };
    let places: Vec<u8> = (0..6000i64).flat_map(|k| (k * 31 % 9).to_le_bytes()).collect();
    vec![
        floats(&[600, 700]),
        floats(&[6000, 70]),
        Tensor::from_bytes(Dtype::Int64, &[6000], &places).expect("a tensor"),
        floats(&[2, 40, 14, 14]),
        floats(&[24, 40, 3, 3]),
    ]
}

fn results(threads: &str, inputs: &[&Tensor]) -> Vec<Vec<u8>> {
    let mut options = Options::new();
    for (key, value) in [("backend", "cpu"), ("deterministic", "true"), ("cpu.threads", threads)] {
        options.set(key, value).expect("an option");
    }
    let program = compile(&parse(TEXT).expect("a graph"), &options).unwrap_or_else(|e| panic!("{e}"));
    let run = || -> Vec<Vec<u8>> {
        let outputs = program.run_tensors(inputs).unwrap_or_else(|e| panic!("{e}"));
        outputs.iter().map(|t| t.bytes().to_vec()).collect()
    };
    let first = run();
    assert_eq!(first, run(), "the second run with {threads} threads");
    first
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let given = given();
    let inputs: Vec<&Tensor> = given.iter().collect();
    let one = results("1", &inputs);
    for threads in ["2", "3", "8", "13"] {
        let other = results(threads, &inputs);
        for (k, (a, b)) in one.iter().zip(&other).enumerate() {
            assert!(a == b, "result {k} with {threads} threads");
        }
    }
}
