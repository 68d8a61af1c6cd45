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

/// PyTorch 2.15's results on a CPU, recorded as bits, with and without bounds.
#[test]
fn each_step_of_a_strict_logit_is_rounded() {
    let halves = [
        (
            Dtype::Bfloat16,
            [0x3eff_u16, 0x3f01, 0x3f00, 0x3efe, 0x3f66, 0x3c24],
            [0xbb80, 0x3c7e, 0, 0xbc81, 0x400c, 0xc093],
            [0xbb80, 0x3c7e, 0, 0xbc81, 0x3fb2, 0xbfb1],
        ),
        (
            Dtype::Float16,
            [0x37f8, 0x3808, 0x3804, 0x37f0, 0x3b33, 0x211f],
            [0xa004, 0x23f0, 0x1ff8, 0xa408, 0x4065, 0xc498],
            [0xa004, 0x23f0, 0x1ff8, 0xa408, 0x3d8b, 0xbd8c],
        ),
    ];
    let bytes = |bits: [u16; 6]| bits.into_iter().flat_map(u16::to_ne_bytes).collect::<Vec<u8>>();
    for (dtype, given, whole, bounded) in halves {
        let text = format!(
            "graph \"g\" {{\n  input %0 \"x\": {dtype}[6]\n  %1 = aten.logit.default(%0)\n  \
             %2 = aten.special_logit.default(%0, 0.2)\n  output \"y\" = %1\n  output \"z\" = %2\n}}"
        );
        let graph = litz::meta::text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let x = Tensor::from_bytes(dtype, &[6], &bytes(given)).expect("memory");
        for backend in ["cpu", "interpreter"] {
            let mut options = Options::new();
            options.set("backend", backend).expect("a backend");
            options.set("numerics", "strict").expect("a choice");
            let program = session::compile(&graph, &options).expect("it compiles");
            let made = program.run_tensors(&[&x]).expect("it runs");
            assert_eq!(made[0].bytes(), bytes(whole), "{dtype} {backend}");
            assert_eq!(made[1].bytes(), bytes(bounded), "{dtype} {backend}");
        }
    }
}

/// Branches are rounded like what runs them, and rows without elements are no reason to refuse a graph.
#[test]
fn strict_numerics_hold_in_branches() {
    let branch = "graph \"b\" { input %0 \"x\": bfloat16[4, 96]\n %1 = aten.log_softmax.int(%0, -1)\n output \"y\" = %1 }";
    let other =
        "graph \"c\" { input %0 \"x\": bfloat16[4, 96]\n %1 = aten.relu.default(%0)\n output \"y\" = %1 }";
    let within = format!(
        "graph \"g\" {{\n  input %0 \"p\": bool[]\n  input %1 \"x\": bfloat16[4, 96]\n  %2 = higher_order.cond.default(%0, {branch}, {other}, [%1])\n  output \"y\" = %2\n}}"
    );
    let alone = "graph \"g\" {\n  input %1 \"x\": bfloat16[4, 96]\n  %2 = aten.log_softmax.int(%1, -1)\n  output \"y\" = %2\n}";
    let x: Vec<u8> =
        (0..384).flat_map(|k| half::bf16::from_f32((k * 37 % 101) as f32 / 9.0).to_le_bytes()).collect();
    let x = Tensor::from_bytes(Dtype::Bfloat16, &[4, 96], &x).expect("memory");
    let yes = Tensor::from_bytes(Dtype::Bool, &[], &[1]).expect("memory");
    let run = |text: &str, numerics: &str, inputs: &[&Tensor]| {
        let graph = litz::meta::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let mut options = Options::new();
        options.set("backend", "interpreter").expect("a backend");
        options.set("numerics", numerics).expect("a choice");
        session::compile(&graph, &options).expect("it compiles").run_tensors(inputs).expect("it runs")[0]
            .bytes()
            .to_vec()
    };
    let strict = run(alone, "strict", &[&x]);
    assert_ne!(strict, run(alone, "default", &[&x]), "the roundings make no difference here");
    assert_eq!(run(&within, "strict", &[&yes, &x]), strict);
    let empty = Tensor::from_bytes(Dtype::Bfloat16, &[3, 0], &[]).expect("memory");
    let text = "graph \"g\" {\n  input %0 \"x\": bfloat16[3, 0]\n  %1 = aten.log_softmax.int(%0, -1)\n  output \"y\" = %1\n}";
    assert!(run(text, "strict", &[&empty]).is_empty());
}

/// PyTorch 2.15's results on a CPU, recorded as bits. Its kernel adds the products of a window's elements in float16, one after the other.
#[test]
fn strict_transposed_convolutions_of_float16_are_rounded_as_pytorch_rounds_them() {
    type Case<'a> = (&'a str, &'a [&'a [i64]], &'a [u16]);
    let cases: [Case<'_>; 3] = [
        (
            "aten.conv_transpose2d.input(%0, %1, %2)",
            &[&[1, 4, 2, 3], &[4, 2, 2, 2], &[2]],
            &[
                18530, 21082, 53568, 50152, 49960, 21282, 49568, 54128, 52366, 20916, 51929, 52134, 49784,
                53776, 20139, 19705, 20282, 50962, 51126, 17149, 20377, 54302, 19575, 16925,
            ],
        ),
        (
            "aten.conv_transpose1d.default(%0, %1, None, [2], [1], [1], 2)",
            &[&[4, 4], &[4, 1, 3]],
            &[
                17534, 52964, 16130, 18764, 49910, 19022, 17281, 50882, 17894, 20413, 18040, 52898, 50543,
                20798, 50397, 52993,
            ],
        ),
        (
            "aten.convolution.default(%0, %1, %2, [1, 1, 1], [0, 0, 0], [1, 1, 1], true, [0, 0, 0], 1)",
            &[&[1, 3, 2, 1, 2], &[3, 1, 2, 2, 2], &[1]],
            &[
                20948, 17922, 51035, 51647, 21050, 53209, 53290, 51512, 19272, 51154, 52540, 52574, 50688,
                18752, 53125, 52054, 19935, 51252,
            ],
        ),
    ];
    for (call, shapes, want) in cases {
        let inputs = shapes.iter().enumerate().map(|(k, s)| format!("  input %{k} \"x{k}\": float16{s:?}\n"));
        let n = shapes.len();
        let text = format!(
            "graph \"g\" {{\n{}  %{n} = {call}\n  output \"y\" = %{n}\n}}",
            inputs.collect::<String>()
        );
        let made = |shape: &[i64]| {
            let number = |k: i64| half::f16::from_f32((k * 37 % 101) as f32 / 9.0 - 5.0).to_le_bytes();
            let bytes: Vec<u8> = (0..shape.iter().product()).flat_map(number).collect();
            Tensor::from_bytes(Dtype::Float16, shape, &bytes).expect("memory")
        };
        let inputs: Vec<Tensor> = shapes.iter().map(|s| made(s)).collect();
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let run = |backend: &str, numerics: &str| -> Vec<u16> {
            let graph = litz::meta::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let mut options = Options::new();
            options.set("backend", backend).expect("a backend");
            options.set("numerics", numerics).expect("a choice");
            let program = session::compile(&graph, &options).expect("it compiles");
            let result = program.run_tensors(&inputs).expect("it runs").remove(0);
            result.bytes().chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()
        };
        for backend in ["interpreter", "cpu"] {
            assert_eq!(run(backend, "strict"), want, "{backend}: {call}");
        }
        assert_ne!(run("interpreter", "default"), want, "{call}: the roundings make no difference here");
    }
}
