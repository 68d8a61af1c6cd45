//! `deterministic`: the same bits whatever the number of threads that a program is compiled for and runs on.

use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;

const TEXT: &str = r#"graph "sums" {
  input %0 "x": float32[600, 500]
  input %1 "i": int64[600]
  input %2 "w": float32[500, 40]
  %3 = aten.sum.default(%0)
  %4 = aten.logsumexp.default(%0, [0])
  %5 = aten.mm.default(%0, %2)
  %6 = aten.cumsum.default(%0, 0)
  %7 = aten.mean.dim(%6, [0, 1])
  %8 = aten.index_add.default(%5, 0, %1, %5)
  %9 = aten.softmax.int(%0, 0)
  output "a" = %3
  output "b" = %4
  output "c" = %7
  output "d" = %8
  output "e" = %9
}
"#;

/// The kernels by name, which their text decides, and the bytes of all results.
fn made(set: &[(&str, &str)], inputs: &[Tensor]) -> (Vec<String>, Vec<Vec<u8>>) {
    let graph = litz::meta::text::parse(TEXT).unwrap();
    let mut options = Options::new();
    options.set("backend", "cpu").unwrap();
    set.iter().for_each(|(key, value)| options.set(key, value).unwrap());
    let program = session::compile(&graph, &options).unwrap();
    let described: serde_json::Value = serde_json::from_str(&program.describe()).unwrap();
    let kernels = described["kernels"].as_array().unwrap();
    let names = kernels.iter().map(|k| k["name"].as_str().unwrap().to_string()).collect();
    let outputs = program.run_tensors(&inputs.iter().collect::<Vec<_>>()).unwrap();
    (names, outputs.iter().map(|t| t.bytes().to_vec()).collect())
}

#[test]
fn threads_change_no_bit() {
    let mut state = 7u64;
    let mut float = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.3
    };
    let mut floats = |shape: &[i64]| {
        let bytes: Vec<u8> = (0..shape.iter().product()).flat_map(|_: i64| float().to_le_bytes()).collect();
        Tensor::from_bytes(Dtype::Float32, shape, &bytes).unwrap()
    };
    let places: Vec<u8> = (0..600i64).flat_map(|k| (k * k % 7).to_le_bytes()).collect();
    let places = Tensor::from_bytes(Dtype::Int64, &[600], &places).unwrap();
    let inputs = [floats(&[600, 500]), places, floats(&[500, 40])];
    let of = |threads: &str, on: &str| made(&[("cpu.threads", threads), ("deterministic", on)], &inputs);
    let first = of("1", "true");
    for threads in ["2", "7", "16"] {
        assert!(of(threads, "true") == first, "{threads} threads");
    }
    assert_eq!(made(&[("deterministic", "true")], &inputs).1, first.1);
    // Without it kernels are written for the threads that there are.
    assert_ne!(of("1", "false").0, of("7", "false").0);
}
