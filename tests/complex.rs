//! Complex numbers from outside: arithmetic, views that share memory with them, and their gradients.

mod common;

use common::draws::{doubles, program};
use litz::meta::text::parse;
use litz::runtime::{RunOptions, Tensor};
use litz::session::{Options, Training};
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

/// Powers of zero are C's, and no elements have the logarithm of an empty sum.
#[test]
fn powers_of_zero_and_sums_of_nothing_are_those_of_pytorch() {
    let text = r#"graph "g" {
  input %0 "w": complex128[4]
  input %1 "none": complex128[0, 3]
  %2 = aten.zeros_like.default(%0)
  %3 = aten.pow.Tensor_Tensor(%2, %0)
  %4 = aten.pow.Tensor_Scalar(%2, 0)
  %5 = aten.logsumexp.default(%1, [0])
  output "powers" = %3
  output "ones" = %4
  output "sums" = %5
}
"#;
    let exponents = tensor(&[4], &[(1.0, 1.0), (-1.0, 0.5), (0.0, 0.0), (0.0, 2.0)]);
    let none = tensor(&[0, 3], &[]);
    for backend in BACKENDS {
        let found = run(text, backend, &[&exponents, &none]);
        let powers = numbers(&found[0]);
        assert_eq!(powers[0], (0.0, 0.0), "{backend}");
        assert!(powers[1].0 == f64::INFINITY && powers[1].1.is_nan(), "{backend}: {:?}", powers[1]);
        assert!(powers[2..].iter().all(|p| p.0.is_nan() && p.1.is_nan()), "{backend}: {powers:?}");
        assert_eq!(numbers(&found[1]), [(1.0, 0.0); 4], "{backend}");
        assert_eq!(numbers(&found[2]), [(f64::NEG_INFINITY, 0.0); 3], "{backend}");
    }
}

#[test]
fn float_powers_are_in_double_precision() {
    let text = r#"graph "g" {
  input %0 "z": complex128[6]
  %1 = aten._to_copy.default(%0, dtype=complex64)
  %2 = aten.float_power.Tensor_Scalar(%1, 2)
  output "y" = %2
}
"#;
    let z = sample();
    let squares: Vec<Complex> = z.iter().map(|v| times(*v, *v)).collect();
    for backend in BACKENDS {
        let results = run(text, backend, &[&tensor(&[6], &z)]);
        assert_eq!(results[0].dtype(), Dtype::Complex128);
        close("float_power", &numbers(&results[0]), &squares);
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

/// The gradients of a training program's inputs, by the cotangent of its only output.
fn gradients(text: &str, backend: &str, inputs: &[&Tensor], cotangent: &Tensor) -> Vec<Tensor> {
    let mut options = Options::default();
    options.set("backend", backend).expect("a backend");
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let training = Training::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let inputs: Vec<_> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
    let cotangents = [Some(std::ptr::from_ref(cotangent.dl()))];
    // SAFETY: the tensors are this process's, alive until both runs have ended.
    unsafe {
        let forward = training.forward(training.forward_program(), &inputs, None);
        let (_, saved) = forward.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let backward = training.backward_program().unwrap_or_else(|e| panic!("{e}\n{text}"));
        let gradients = training.backward(backward, &saved, &cotangents, None);
        gradients.unwrap_or_else(|e| panic!("{e}\n{text}")).into_iter().flatten().collect()
    }
}

/// PyTorch 2.15's gradients, recorded. Its convention: the gradient of a real function is its slope by the real part plus `i` times
/// that by the imaginary part, so that the gradient of a holomorphic function is the cotangent times the conjugate of its slope.
#[test]
fn gradients_are_those_of_pytorch() {
    let z = [(1.5, -0.5), (-2.0, 3.0), (0.25, 4.0), (-0.5, -0.25)];
    let w = [(0.5, 1.0), (1.0, -2.0), (-1.5, 0.25), (2.0, 0.0)];
    let by_complex = [(1.0, 2.0), (-1.0, 0.5), (0.5, -1.0), (2.0, 1.0)];
    let by_real = [1.0, -2.0, 0.5, 3.0];
    let real = |shape: &[i64], values: &[f64]| {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Tensor::from_bytes(Dtype::Float64, shape, &bytes).expect("memory")
    };
    let of_one = |call: &str| {
        format!("graph \"g\" {{\n  input %0 \"z\": complex128[4]\n  %1 = {call}\n  output \"y\" = %1\n}}\n")
    };
    let of_two = |call: &str, first: &str, shape: &str| {
        format!(
            "graph \"g\" {{\n  input %0 \"a\": {first}{shape}\n  input %1 \"b\": complex128{shape}\n  %2 = {call}\n  output \"y\" = %2\n}}\n"
        )
    };
    let (flat, square) = ([4i64], [2i64, 2]);
    let complex = tensor(&flat, &by_complex);
    let slopes = real(&flat, &by_real);
    let ramp = real(&[4, 2], &[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    let one: [(&str, [Complex; 4], &Tensor, [Complex; 4]); 8] = [
        (
            "aten.abs.default(%0)",
            z,
            &slopes,
            [
                (0.948683298050514, -0.316227766016838),
                (1.109400392450458, -1.664100588675687),
                (0.03118914307759, 0.499026289241444),
                (-2.683281572999748, -1.341640786499874),
            ],
        ),
        (
            "aten.abs.default(%0)",
            [(0.0, 0.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0)],
            &slopes,
            [(0.0, 0.0), (-2.0, 0.0), (0.0, 0.0), (0.0, 0.0)],
        ),
        (
            "aten.angle.default(%0)",
            z,
            &slopes,
            [
                (0.2, 0.6),
                (0.461538461538462, 0.307692307692308),
                (-0.124513618677043, 0.007782101167315),
                (2.4, -4.8),
            ],
        ),
        (
            "aten.angle.default(%0)",
            [(0.0, 0.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0)],
            &slopes,
            [(0.0, 0.0), (0.0, -2.0), (0.0, 0.0), (0.0, 0.0)],
        ),
        (
            "aten.exp.default(%0)",
            [(0.5, -0.5), (-1.0, 3.0), (0.25, 1.0), (-0.5, -0.25)],
            &complex,
            [
                (-0.13398912984306, 3.684217156381953),
                (0.39015546126488, -0.130183793503473),
                (-0.733589185183761, -1.233996959378987),
                (1.025292094065682, 0.887791263588249),
            ],
        ),
        ("aten._conj.default(%0)", z, &complex, [(1.0, -2.0), (-1.0, -0.5), (0.5, 1.0), (2.0, -1.0)]),
        ("aten.imag.default(%0)", z, &slopes, [(0.0, 1.0), (0.0, -2.0), (0.0, 0.5), (0.0, 3.0)]),
        ("aten.view_as_real.default(%0)", z, &ramp, [(-3.0, -2.0), (-1.0, 0.0), (1.0, 2.0), (3.0, 4.0)]),
    ];
    let x = real(&flat, &[0.5, -1.0, 2.0, 3.0]);
    for backend in BACKENDS {
        for (call, at, cotangent, want) in &one {
            let got = gradients(&of_one(call), backend, &[&tensor(&flat, at)], cotangent);
            close(call, &numbers(&got[0]), want);
        }
        let two = |call: &str, text: &str, shape: &[i64]| {
            let text = of_two(call, "complex128", text);
            let got = gradients(
                &text,
                backend,
                &[&tensor(shape, &z), &tensor(shape, &w)],
                &tensor(shape, &by_complex),
            );
            [numbers(&got[0]), numbers(&got[1])]
        };
        let mul = two("aten.mul.Tensor(%0, %1)", "[4]", &flat);
        close("mul", &mul[0], &[(2.5, 0.0), (-2.0, -1.5), (-1.0, 1.375), (4.0, 2.0)]);
        close("mul", &mul[1], &[(0.5, 3.5), (3.5, 2.0), (-3.875, -2.25), (-1.25, 0.0)]);
        let matmul = two("aten.matmul.default(%0, %1)", "[2, 2]", &square);
        close("matmul", &matmul[0], &[(0.5, -1.5), (-3.0, -2.25), (-0.75, 4.0), (3.0, 3.375)]);
        close("matmul", &matmul[1], &[(-3.375, 1.25), (2.75, -7.5), (4.0, -6.375), (2.25, 2.0)]);
        let div = two("aten.div.Tensor(%0, %1)", "[4]", &flat);
        close(
            "div",
            &div[0],
            &[(-1.2, 1.6), (0.0, 0.5), (-0.216216216216216, 0.702702702702703), (1.0, 0.5)],
        );
        close(
            "div",
            &div[1],
            &[(2.48, 1.36), (0.1, 0.8), (1.900657414170927, 0.376917457998539), (0.3125, 0.0)],
        );
        // The gradient of a real factor is real.
        let text = of_two("aten.mul.Tensor(%0, %1)", "float64", "[4]");
        let mixed = gradients(&text, backend, &[&x, &tensor(&flat, &z)], &complex);
        assert_eq!(doubles(&mixed[0]), [0.5, 3.5, -3.875, -1.25], "{backend}");
        close("mixed", &numbers(&mixed[1]), &[(0.5, 1.0), (1.0, -0.5), (1.0, -2.0), (6.0, 3.0)]);
    }
}

/// PyTorch 2.15's gradients of elementary functions, recorded at five points: on both sides of a branch cut, and at zero, too. Where a derivative is
/// infinite or undefined, no finite number may come out.
#[test]
fn gradients_of_elementary_functions_are_those_of_pytorch() {
    const NONE: Complex = (f64::NAN, f64::NAN);
    let points = [(0.75, -1.25), (-2.0, 0.0), (-2.0, -0.0), (0.0, 0.0), (-0.5, 3.0)];
    let cotangent = tensor(&[5], &[(1.0, 2.0), (-1.0, 0.5), (-1.0, 0.5), (0.5, -1.0), (2.0, 1.0)]);
    let recorded: &[(&str, [Complex; 5])] = &[
        (
            "sgn",
            [
                (1.109696727392704, 0.665818036435623),
                (0.0, 0.25),
                (0.0, 0.25),
                (0.0, 0.0),
                (0.693141676206371, 0.115523612701062),
            ],
        ),
        (
            "sqrt",
            [
                (0.768447245254107, 0.516702774304454),
                (-0.176776695296637, -0.353553390593274),
                (0.176776695296637, 0.353553390593274),
                NONE,
                (0.151875941805357, 0.622841204934395),
            ],
        ),
        (
            "rsqrt",
            [
                (-0.575159483209951, 0.269662106277314),
                (-0.088388347648318, -0.176776695296637),
                (0.088388347648318, 0.176776695296637),
                NONE,
                (0.210212063319553, -0.015589970048527),
            ],
        ),
        (
            "reciprocal",
            [
                (-0.608996539792388, 0.858131487889273),
                (0.25, -0.125),
                (0.25, -0.125),
                NONE,
                (0.169466764061359, 0.172388604821037),
            ],
        ),
        (
            "log",
            [
                (1.529411764705882, 0.117647058823529),
                (0.5, -0.25),
                (0.5, -0.25),
                NONE,
                (-0.432432432432432, 0.594594594594595),
            ],
        ),
        (
            "log2",
            [
                (2.206474768418415, 0.169728828339878),
                (0.721347520444482, -0.360673760222241),
                (0.721347520444482, -0.360673760222241),
                NONE,
                (-0.623868125789822, 0.857818672961005),
            ],
        ),
        (
            "log1p",
            [
                (0.918918918918919, 0.486486486486486),
                (1.0, -0.5),
                (1.0, -0.5),
                (0.5, -1.0),
                (-0.216216216216216, 0.702702702702703),
            ],
        ),
        (
            "expm1",
            [
                (-3.350463463452766, 3.344075347799212),
                (-0.135335283236613, 0.067667641618306),
                (-0.135335283236613, 0.067667641618306),
                (0.5, -1.0),
                (-1.115327992560047, -0.771648025248032),
            ],
        ),
        (
            "sinc",
            [
                (-23.92477596587249, -21.16486613104928),
                (0.5, -0.25),
                (0.5, -0.25),
                (0.0, 0.0),
                (3349.7823795522318, 2339.291754439583),
            ],
        ),
        ("square", [(-3.5, 5.5), (4.0, -2.0), (4.0, -2.0), (0.0, 0.0), (4.0, -13.0)]),
        (
            "sin",
            [
                (3.565599001742208, 1.671547325714543),
                (0.416146836547142, -0.208073418273571),
                (0.416146836547142, -0.208073418273571),
                (0.5, -1.0),
                (22.473234295745023, -0.770445558985072),
            ],
        ),
        (
            "tan",
            [
                (-0.552858435094974, 0.462743233108359),
                (-5.774399204041917, 2.887199602020959),
                (-5.774399204041917, 2.887199602020959),
                (0.5, -1.0),
                (0.002456230320171, 0.021974422798348),
            ],
        ),
        (
            "tanh",
            [
                (1.382972755297156, -2.529518941740053),
                (-0.070650824853165, 0.035325412426582),
                (-0.070650824853165, 0.035325412426582),
                (0.5, -1.0),
                (1.479308900552252, 1.001668120135754),
            ],
        ),
        (
            "asin",
            [
                (0.117441930528275, 1.345381136817372),
                (-0.288675134594813, -0.577350269189626),
                (0.288675134594813, 0.577350269189626),
                (0.5, -1.0),
                (0.572673051208819, 0.402726529812791),
            ],
        ),
        (
            "acos",
            [
                (-0.117441930528275, -1.345381136817372),
                (0.288675134594813, 0.577350269189626),
                (-0.288675134594813, -0.577350269189626),
                (-0.5, 1.0),
                (-0.572673051208819, -0.402726529812791),
            ],
        ),
        (
            "atan",
            [
                (1.066666666666667, -0.533333333333333),
                (-0.2, 0.1),
                (-0.2, 0.1),
                (0.5, -1.0),
                (-0.180995475113122, -0.199095022624434),
            ],
        ),
        (
            "asinh",
            [
                (1.549193338482967, 0.516397779494322),
                (-0.447213595499958, 0.223606797749979),
                (-0.447213595499958, 0.223606797749979),
                (0.5, -1.0),
                (0.468380673167871, -0.618285033458678),
            ],
        ),
        (
            "acosh",
            [
                (1.345381136817372, -0.117441930528275),
                (0.577350269189626, -0.288675134594813),
                (0.577350269189626, -0.288675134594813),
                (1.0, 0.5),
                (-0.402726529812791, 0.572673051208819),
            ],
        ),
        (
            "atanh",
            [
                (-0.232848232848233, 0.781704781704782),
                (0.333333333333333, -0.166666666666667),
                (0.333333333333333, -0.166666666666667),
                (0.5, -1.0),
                (0.158558558558559, 0.151351351351351),
            ],
        ),
        (
            "sigmoid",
            [
                (0.57269272526795, 0.392752009879243),
                (-0.104993585403507, 0.052496792701753),
                (-0.104993585403507, 0.052496792701753),
                (0.125, -0.25),
                (-4.200648082710388, -6.952847641634087),
            ],
        ),
    ];
    // `asin` and `acos` below the cut are the exception: PyTorch's `1 - z * z` loses the side there, so these are the slopes
    // `±1 / (√(1 - z) √(1 + z))` of the side.
    let mut wrong = Vec::new();
    for (name, want) in recorded {
        let text = format!(
            "graph \"g\" {{\n  input %0 \"z\": complex128[5]\n  %1 = aten.{name}.default(%0)\n  output \"y\" = %1\n}}\n"
        );
        let got = numbers(&gradients(&text, "interpreter", &[&tensor(&[5], &points)], &cotangent)[0]);
        for ((have, want), point) in got.iter().zip(want).zip(points) {
            let gap = (have.0 - want.0).hypot(have.1 - want.1);
            let holds = match want.0.is_nan() {
                true => !(have.0.is_finite() && have.1.is_finite()),
                false => gap <= 1e-12 * (1.0 + want.0.hypot(want.1)),
            };
            if !holds {
                wrong.push(format!("{name} at {point:?}: {have:?} is not {want:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
    for call in ["view_as_complex.default(%0)", "complex.default(%0, %0)", "chalf.default(%0)"] {
        let text = format!(
            "graph \"g\" {{\n  input %0 \"z\": float16[3, 2]\n  %1 = aten.{call}\n  output \"y\" = %1\n}}\n"
        );
        let error = parse(&text).expect_err("complex32").to_string();
        assert!(error.contains("complex32"), "{error}");
    }
}

/// A complex number is no loss: without a cotangent there is no direction to differentiate in.
#[test]
fn a_complex_output_needs_a_cotangent() {
    let text = "graph \"g\" {\n  input %0 \"z\": complex64[3]\n  %1 = aten.sum.default(%0)\n  output \"y\" = %1\n}\n";
    let mut options = Options::default();
    options.set("backend", "interpreter").expect("a backend");
    let training = Training::compile(&parse(text).expect("a graph"), &options).expect("it compiles");
    let z = Tensor::zeros(Dtype::Complex64, &[3]).expect("memory");
    // SAFETY: the input is a tensor of this process, alive until both runs have ended.
    let error = unsafe {
        let forward = training.forward(training.forward_program(), &[std::ptr::from_ref(z.dl())], None);
        let (_, saved) = forward.expect("the forward runs");
        let backward = training.backward_program().expect("it compiles");
        training.backward(backward, &saved, &[None], None).expect_err("a refusal")
    };
    assert!(error.to_string().contains("of one real element"), "{error}");
}
