//! Option `numerics`: halves as PyTorch's kernels round them (tests/composite.py writes what they give).

use litz::frontend::from_pt2;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;
use safetensors::SafeTensors;

mod common;

/// Results that are rounded within an operator: a softmax's logarithm, and an attention that a model writes by hand.
const WITHIN: [usize; 2] = [8, 9];

fn tensor(file: &SafeTensors<'_>, name: &str, dtype: Dtype) -> Tensor {
    let view = file.tensor(name).expect(name);
    let shape: Vec<i64> = view.shape().iter().map(|n| *n as i64).collect();
    Tensor::from_bytes(dtype, &shape, view.data()).expect("memory")
}

/// For each result how many elements are other bits than PyTorch's, and how many there are.
fn differing(dtype: Dtype, backend: &str, numerics: &str) -> Vec<(usize, usize)> {
    let at = |end: &str| common::root().join(format!("tests/data/numerics/{}.{end}", dtype.name()));
    let bytes = std::fs::read(at("safetensors")).expect("results");
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    let mut options = Options::new();
    options.set("backend", backend).expect("a backend");
    options.set("numerics", numerics).expect("a choice");
    let program =
        session::compile(&from_pt2(&at("pt2")).expect("it is read"), &options).expect("it compiles");
    let inputs = ["in0", "in1"].map(|name| tensor(&file, name, dtype));
    let outputs = program.run_tensors(&inputs.each_ref()).expect("it runs");
    let count = |(k, got): (usize, &Tensor)| {
        let want = tensor(&file, &format!("out{k}"), dtype);
        assert_eq!((got.dtype(), got.shape()), (dtype, want.shape()), "result {k}");
        let pairs = got.bytes().chunks(2).zip(want.bytes().chunks(2));
        (pairs.filter(|(a, b)| a != b).count(), want.bytes().len() / 2)
    };
    outputs.iter().enumerate().map(count).collect()
}

/// A sum in another order rounds to a neighbour here and there; a rounding too few does so everywhere.
fn are_bits(counts: (usize, usize)) -> bool {
    counts.0 * 500 <= counts.1
}

#[test]
fn strict_halves_have_pytorchs_bits() {
    for dtype in [Dtype::Bfloat16, Dtype::Float16] {
        for backend in ["cpu", "interpreter"] {
            for (k, counts) in differing(dtype, backend, "strict").into_iter().enumerate() {
                assert!(are_bits(counts), "{dtype} {backend}: {counts:?} of result {k} differ");
            }
        }
    }
}

/// What the option's text says of the default: results of whole operators have PyTorch's bits, and two do not.
#[test]
fn halves_are_rounded_after_each_operator_by_default() {
    for dtype in [Dtype::Bfloat16, Dtype::Float16] {
        for (k, counts) in differing(dtype, "cpu", "default").into_iter().enumerate() {
            assert_eq!(are_bits(counts), !WITHIN.contains(&k), "{dtype}: {counts:?} of result {k} differ");
        }
    }
}

#[test]
fn a_choice_that_there_is_not_is_refused() {
    let error = Options::new().set("numerics", "fast").expect_err("no such choice");
    assert!(error.to_string().contains("default or strict"), "{error}");
}
