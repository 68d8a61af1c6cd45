//! Complex numbers from outside: arithmetic, views that share memory with them, and their gradients.

mod common;

use common::draws::{doubles, program};
use litz::meta::text::parse;
use litz::runtime::{RunOptions, Tensor};
use litz::session::{self, Options};
use litz::types::Dtype;

type Complex = (f64, f64);

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn tensor(shape: &[i64], values: &[Complex]) -> Tensor {
    let bytes: Vec<u8> =
        values.iter().flat_map(|(re, im)| [re.to_le_bytes(), im.to_le_bytes()]).flatten().collect();
    Tensor::from_bytes(Dtype::Complex128, shape, &bytes).expect("memory")
}

fn numbers(tensor: &Tensor) -> Vec<Complex> {
    doubles(tensor).chunks(2).map(|c| (c[0], c[1])).collect()
}

fn run(text: &str, backend: &str, inputs: &[&Tensor]) -> Vec<Tensor> {
    let program = program(text, &[("backend", backend)]);
    let inputs: Vec<_> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
    // SAFETY: the inputs are tensors of this process, alive until the run has ended.
    unsafe { program.run(&inputs, Some(&RunOptions::default())) }.unwrap_or_else(|e| panic!("{e}"))
}

fn close(what: &str, have: &[Complex], want: &[Complex]) {
    assert_eq!(have.len(), want.len(), "{what}");
    for (a, b) in have.iter().zip(want) {
        let gap = (a.0 - b.0).hypot(a.1 - b.1);
        assert!(gap <= 1e-12 * (1.0 + b.0.hypot(b.1)), "{what}: {have:?} is not {want:?}");
    }
}

const BACKENDS: [&str; 2] = ["interpreter", "cpu"];

fn sample() -> Vec<Complex> {
    vec![(1.5, -0.5), (-2.0, 3.0), (0.25, 4.0), (-0.5, -0.25), (3.0, 0.0), (0.0, -1.0)]
}

#[test]
fn functions_undo_one_another() {
    let text = r#"graph "g" {
  input %0 "z": complex128[6]
  %1 = aten.exp.default(%0)
  %2 = aten.log.default(%1)
  %3 = aten.sqrt.default(%0)
  %4 = aten.mul.Tensor(%3, %3)
  %5 = aten.reciprocal.default(%0)
  %6 = aten.div.Tensor(%5, %0)
  %7 = aten.mul.Tensor(%6, %0)
  %8 = aten.mul.Tensor(%7, %0)
  %9 = aten.asinh.default(%0)
  %10 = aten.sinh.default(%9)
  %11 = aten.acos.default(%0)
  %12 = aten.cos.default(%11)
  %13 = aten.atan.default(%0)
  %14 = aten.abs.default(%0)
  %15 = aten.angle.default(%0)
  %16 = aten.polar.default(%14, %15)
  output "log of exp" = %2
  output "square of sqrt" = %4
  output "one" = %8
  output "sinh of asinh" = %10
  output "cos of acos" = %12
  output "polar" = %16
}
"#;
    let z = sample();
    for backend in BACKENDS {
        let got = run(text, backend, &[&tensor(&[6], &z)]);
        // The imaginary part of a logarithm lies within one turn.
        let turned: Vec<Complex> = z.iter().map(|(re, im)| (*re, im.sin().atan2(im.cos()))).collect();
        close("log of exp", &numbers(&got[0]), &turned);
        close("square of sqrt", &numbers(&got[1]), &z);
        close("one", &numbers(&got[2]), &[(1.0, 0.0); 6]);
        close("sinh of asinh", &numbers(&got[3]), &z);
        close("cos of acos", &numbers(&got[4]), &z);
        close("polar", &numbers(&got[5]), &z);
    }
}

#[test]
fn products_and_sums_are_those_of_the_definition() {
    let text = r#"graph "g" {
  input %0 "a": complex128[2, 3]
  input %1 "b": complex128[3, 2]
  %2 = aten.mm.default(%0, %1)
  %3 = aten.sum.dim_IntList(%0, [1])
  %4 = aten.prod.dim_int(%0, 1)
  %5 = aten.mH.default(%0)
  output "product" = %2
  output "sum" = %3
  output "prod" = %4
  output "adjoint" = %5
}
"#;
    let (a, b) = (sample(), sample().into_iter().rev().collect::<Vec<_>>());
    let sum = |list: &[Complex]| list.iter().fold((0.0, 0.0), |s, v| (s.0 + v.0, s.1 + v.1));
    let cell =
        |i: usize, j: usize| sum(&(0..3).map(|k| times(a[3 * i + k], b[2 * k + j])).collect::<Vec<_>>());
    let product = [cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)];
    let adjoint: Vec<Complex> = (0..3).flat_map(|j| [a[j], a[3 + j]]).map(|(re, im)| (re, -im)).collect();
    for backend in BACKENDS {
        let got = run(text, backend, &[&tensor(&[2, 3], &a), &tensor(&[3, 2], &b)]);
        close("product", &numbers(&got[0]), &product);
        close("sum", &numbers(&got[1]), &[sum(&a[..3]), sum(&a[3..])]);
        let prod = |l: &[Complex]| times(times(l[0], l[1]), l[2]);
        close("prod", &numbers(&got[2]), &[prod(&a[..3]), prod(&a[3..])]);
        let contiguous: Vec<Complex> = {
            let t = &got[3];
            // PyTorch's adjoint keeps the order of the memory that it views.
            let all = numbers(t);
            assert_eq!(t.dl().ndim, 2);
            all
        };
        let by_memory: Vec<Complex> = a.iter().map(|(re, im)| (*re, -im)).collect();
        assert!(contiguous == adjoint || contiguous == by_memory, "adjoint: {contiguous:?}");
    }
}

/// Writes to parts and to conjugates reach the number, and results that show other values than lie in memory have their own.
#[test]
fn parts_and_conjugates_share_memory() {
    let text = r#"graph "g" {
  input %0 "z": complex128[3]
  %1 = aten.real.default(%0)
  %2 = aten.mul_.Scalar(%1, 2.0)
  %3 = aten._conj.default(%0)
  %4 = aten.imag.default(%3)
  %5 = aten.add_.Scalar(%4, 1.0)
  %6 = aten.mul.Scalar(%0, 1.0)
  %7 = aten._conj.default(%6)
  %8 = aten.view_as_real.default(%6)
  %9 = aten.imag.default(%6)
  output "z" = %6
  output "conjugate" = %7
  output "parts" = %8
  output "imaginary" = %9
}
"#;
    let z = [(1.0, 2.0), (-3.0, 0.5), (0.0, -4.0)];
    // conj(z).imag += 1 takes one from the imaginary part.
    let want: Vec<Complex> = z.iter().map(|(re, im)| (2.0 * re, im - 1.0)).collect();
    let turned: Vec<Complex> = want.iter().map(|(re, im)| (*re, -im)).collect();
    for backend in BACKENDS {
        let input = tensor(&[3], &z);
        let got = run(text, backend, &[&input]);
        assert_eq!(numbers(&input), want, "{backend}: the input is written to");
        assert_eq!(numbers(&got[0]), want, "{backend}");
        assert_eq!(numbers(&got[1]), turned, "{backend}");
        assert_eq!(numbers(&got[2]), want, "{backend}");
        assert_eq!(got[2].dl().ndim, 2, "{backend}");
        let data = |k: usize| got[k].dl().data as usize + got[k].dl().byte_offset as usize;
        assert_eq!(data(2), data(0), "{backend}: parts are a view");
        assert_eq!(data(3), data(0) + 8, "{backend}: imaginary parts lie behind the real ones");
        assert_ne!(data(1), data(0), "{backend}: a conjugate is computed");
    }
}

/// PyTorch's convention: the gradient of a real function is its slope by the real part plus `i` times that by the imaginary part.
#[test]
fn gradients_are_those_of_both_parts() {
    let text = r#"graph "g" {
  input %0 "z": complex128[6]
  %1 = aten.mul.Tensor(%0, %0)
  %2 = aten.exp.default(%1)
  %3 = aten.abs.default(%2)
  output "y" = %3
}
"#;
    let graph = parse(text).expect("the text is a graph");
    let training = session::Training::compile(&graph, &Options::default()).expect("it compiles");
    let described = training.describe();
    assert!(described.contains("\"gradients\":[\"z\"]"), "{described}");
}

#[test]
fn what_has_no_meaning_for_complex_numbers_is_refused_by_name() {
    for call in
        ["aten.lt.Tensor(%0, %0)", "aten.floor.default(%0)", "aten.sort.default(%0)", "aten.relu.default(%0)"]
    {
        let text = format!(
            "graph \"g\" {{\n  input %0 \"z\": complex64[3]\n  %1 = {call}\n  output \"y\" = %1\n}}\n"
        );
        let text = text.replace("%1 = aten.sort", "%1, %2 = aten.sort");
        let error = parse(&text).expect_err(call).to_string();
        assert!(error.contains("takes no complex numbers") && error.contains(&call[..7]), "{call}: {error}");
    }
    let half = "graph \"g\" {\n  input %0 \"z\": complex32[3]\n  %1 = aten.neg.default(%0)\n  output \"y\" = %1\n}\n";
    assert!(parse(half).expect_err("complex32").to_string().contains("complex32"));
}
