//! Fourier transforms by Litz's second library: sums of waves for every length, dimension and normalization, sizes that are known
//! late, plans that threads share, and bad input.

mod common;

use common::draws::{doubles, floats, program};
use litz::base::Status;
use litz::runtime::{RunOptions, Tensor};
use litz::session::{Executable, Options, Training};
use litz::types::Dtype;
use std::f64::consts::PI;

type Complex = (f64, f64);

const BACKENDS: [&str; 2] = ["interpreter", "cpu"];

fn compiled(text: &str, backend: &str) -> Executable {
    static BUILT: std::sync::Once = std::sync::Once::new();
    BUILT.call_once(|| drop(common::linear_algebra()));
    program(text, &[("backend", backend)])
}

fn run(program: &Executable, inputs: &[&Tensor]) -> Vec<Tensor> {
    let inputs: Vec<_> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
    // SAFETY: the inputs are tensors of this process, alive until the run has ended.
    unsafe { program.run(&inputs, Some(&RunOptions::default())) }.unwrap_or_else(|e| panic!("{e}"))
}

/// Numbers between -1 and 1.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(next).collect()
}

fn real(shape: &[usize], values: &[f64]) -> Tensor {
    let shape: Vec<i64> = shape.iter().map(|s| *s as i64).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Tensor::from_bytes(Dtype::Float64, &shape, &bytes).expect("memory")
}

fn complex(shape: &[usize], values: &[Complex]) -> Tensor {
    let shape: Vec<i64> = shape.iter().map(|s| *s as i64).collect();
    let bytes: Vec<u8> =
        values.iter().flat_map(|(re, im)| [re.to_le_bytes(), im.to_le_bytes()]).flatten().collect();
    Tensor::from_bytes(Dtype::Complex128, &shape, &bytes).expect("memory")
}

fn pairs(values: &[f64]) -> Vec<Complex> {
    values.chunks(2).map(|c| (c[0], c[1])).collect()
}

/// The transform along the middle of three dimensions, by its definition; `sign` is that of the exponent.
fn summed(x: &[Complex], [outer, n, inner]: [usize; 3], sign: f64, scale: f64) -> Vec<Complex> {
    let mut result = Vec::with_capacity(x.len());
    for (o, k, i) in (0..outer).flat_map(|o| (0..n).flat_map(move |k| (0..inner).map(move |i| (o, k, i)))) {
        let mut sum = (0.0, 0.0);
        for j in 0..n {
            // Whole turns are taken off while the product is exact.
            let angle = sign * 2.0 * PI * ((j * k) % n) as f64 / n as f64;
            let (re, im) = x[(o * n + j) * inner + i];
            sum.0 += re * angle.cos() - im * angle.sin();
            sum.1 += re * angle.sin() + im * angle.cos();
        }
        result.push((sum.0 * scale, sum.1 * scale));
    }
    result
}

#[track_caller]
fn close(what: &str, have: &[Complex], want: &[Complex]) {
    assert_eq!(have.len(), want.len(), "{what}");
    let most = want.iter().map(|v| v.0.hypot(v.1)).fold(1.0, f64::max);
    for (k, (a, b)) in have.iter().zip(want).enumerate() {
        let gap = (a.0 - b.0).hypot(a.1 - b.1);
        assert!(gap <= 1e-12 * most, "{what}: number {k} is {a:?}, not {b:?}");
    }
}

/// Small lengths, powers, primes that take two different algorithms, and products of both.
const LENGTHS: [usize; 14] = [1, 2, 3, 4, 5, 8, 12, 13, 31, 64, 97, 101, 120, 211];

#[test]
fn transforms_of_any_length_are_sums_of_waves() {
    for n in LENGTHS {
        // The middle dimension, whose columns are more than are gathered at once, and the last.
        for shape in [[2, n, 11], [3, n, 1]] {
            let count = shape.iter().product::<usize>();
            let x = pairs(&numbers(2 * count, n as u64));
            let text = format!(
                "graph \"g\" {{\n  input %0 \"z\": complex128{shape:?}\n  %1 = aten.fft_fft.default(%0, None, 1)\n  \
                 %2 = aten.fft_ifft.default(%0, None, 1)\n  %3 = aten.fft_fft.default(%0, None, 1, \"ortho\")\n  \
                 %4 = aten.fft_fft.default(%0, None, 1, \"forward\")\n  %5 = aten.fft_ifft.default(%0, None, 1, \"forward\")\n  \
                 output \"1\" = %1\n  output \"2\" = %2\n  output \"3\" = %3\n  output \"4\" = %4\n  output \"5\" = %5\n}}\n"
            );
            let whole = 1.0 / n as f64;
            let want = [(-1.0, 1.0), (1.0, whole), (-1.0, whole.sqrt()), (-1.0, whole), (1.0, 1.0)];
            // The kernels around the routine do not depend on the length.
            for backend in if n == 12 { &BACKENDS[..] } else { &BACKENDS[..1] } {
                let got = run(&compiled(&text, backend), &[&complex(&shape, &x)]);
                for (k, (sign, scale)) in want.into_iter().enumerate() {
                    let what = format!("{backend}, {shape:?}, result {k}");
                    close(&what, &pairs(&doubles(&got[k])), &summed(&x, shape, sign, scale));
                }
            }
        }
    }
}

/// Half of a spectrum, and back from half of one: imaginary parts at the ends, which no real signal has, count nothing.
#[test]
fn transforms_of_real_signals_are_halves_of_spectra() {
    for n in LENGTHS {
        let half = n / 2 + 1;
        for [outer, inner] in [[2, 10], [3, 1]] {
            let x = numbers(outer * n * inner, n as u64);
            let z = pairs(&numbers(2 * outer * half * inner, 5 + n as u64));
            let text = format!(
                "graph \"g\" {{\n  input %0 \"x\": float64[{outer}, {n}, {inner}]\n  \
                 input %1 \"z\": complex128[{outer}, {half}, {inner}]\n  %2 = aten.fft_rfft.default(%0, None, 1)\n  \
                 %3 = aten.fft_ihfft.default(%0, None, 1)\n  %4 = aten.fft_irfft.default(%1, {n}, 1)\n  \
                 %5 = aten.fft_hfft.default(%1, {n}, 1)\n  %6 = aten.fft_fft.default(%0, None, 1)\n  \
                 output \"rfft\" = %2\n  output \"ihfft\" = %3\n  output \"irfft\" = %4\n  output \"hfft\" = %5\n  \
                 output \"fft\" = %6\n}}\n"
            );
            let signal: Vec<Complex> = x.iter().map(|v| (*v, 0.0)).collect();
            let shape = [outer, n, inner];
            let part = |all: Vec<Complex>| -> Vec<Complex> {
                all.chunks(n * inner).flat_map(|line| line[..half * inner].to_vec()).collect()
            };
            let forward = summed(&signal, shape, -1.0, 1.0);
            // The number at `-k` is the conjugate of that at `k`.
            let mut full = vec![(0.0, 0.0); outer * n * inner];
            for (o, k, i) in
                (0..outer).flat_map(|o| (0..n).flat_map(move |k| (0..inner).map(move |i| (o, k, i))))
            {
                let (re, im) = z[(o * half + k.min(n - k)) * inner + i];
                let own = if k == 0 || 2 * k == n { 0.0 } else { im };
                full[(o * n + k) * inner + i] = (re, if k < half { own } else { -own });
            }
            let turned: Vec<Complex> = full.iter().map(|(re, im)| (*re, -im)).collect();
            let want = [
                part(forward.clone()),
                part(summed(&signal, shape, 1.0, 1.0 / n as f64)),
                summed(&full, shape, 1.0, 1.0 / n as f64),
                summed(&turned, shape, 1.0, 1.0),
                forward,
            ];
            for backend in if n == 13 { &BACKENDS[..] } else { &BACKENDS[..1] } {
                let program = compiled(&text, backend);
                let got = run(&program, &[&real(&shape, &x), &complex(&[outer, half, inner], &z)]);
                for (k, want) in want.iter().enumerate() {
                    let values = doubles(&got[k]);
                    let is_real = k == 2 || k == 3;
                    let have =
                        if is_real { values.iter().map(|v| (*v, 0.0)).collect() } else { pairs(&values) };
                    close(&format!("{backend}, {shape:?}, result {k}"), &have, want);
                }
            }
        }
    }
}

/// A real signal's whole spectrum is made of half of one, mirrored in every dimension.
#[test]
fn transforms_of_several_dimensions_are_transforms_of_each() {
    let shape = [3, 4, 5];
    let x = numbers(60, 9);
    let text = "graph \"g\" {\n  input %0 \"x\": float64[3, 4, 5]\n  %1 = aten.fft_fftn.default(%0)\n  \
                %2 = aten.fft_ifftn.default(%0, None, [2, 0])\n  %3 = aten.fft_rfftn.default(%0)\n  \
                %4 = aten.fft_irfftn.default(%3, [3, 4, 5])\n  output \"1\" = %1\n  output \"2\" = %2\n  output \"4\" = %4\n}\n";
    let signal: Vec<Complex> = x.iter().map(|v| (*v, 0.0)).collect();
    let along = |x: &[Complex], dim: usize, sign: f64| {
        let around = [shape[..dim].iter().product(), shape[dim], shape[dim + 1..].iter().product()];
        let scale = if sign > 0.0 { 1.0 / shape[dim] as f64 } else { 1.0 };
        summed(x, around, sign, scale)
    };
    let all = (0..3).fold(signal.clone(), |x, dim| along(&x, dim, -1.0));
    let some = along(&along(&signal, 0, 1.0), 2, 1.0);
    for backend in BACKENDS {
        let got = run(&compiled(text, backend), &[&real(&shape, &x)]);
        close(backend, &pairs(&doubles(&got[0])), &all);
        close(backend, &pairs(&doubles(&got[1])), &some);
        let back: Vec<Complex> = doubles(&got[2]).iter().map(|v| (*v, 0.0)).collect();
        close(backend, &back, &signal);
    }
}

#[test]
fn one_program_transforms_sizes_that_runs_tell() {
    let text = "graph \"g\" {\n  symbol n in [1, 1000]\n  symbol b in [1, 100]\n  input %0 \"z\": complex128[b, n, 3]\n  \
                %1 = aten.fft_fft2.default(%0, None, [0, 1], \"ortho\")\n  %2 = aten.real.default(%0)\n  \
                %3 = aten.fft_rfft.default(%2, None, 1)\n  %4 = aten.fft_irfft.default(%3, n, 1)\n  \
                %5 = aten.fft_fft.default(%2, 6, 1)\n  output \"1\" = %1\n  output \"4\" = %4\n  output \"5\" = %5\n}\n";
    for backend in BACKENDS {
        let program = compiled(text, backend);
        for [b, n] in [[1, 1], [2, 7], [5, 30], [3, 600]] {
            let x = pairs(&numbers(b * n * 3 * 2, 4));
            let got = run(&program, &[&complex(&[b, n, 3], &x)]);
            let what = format!("{backend}, {b} by {n}");
            let scale = |n: usize| 1.0 / (n as f64).sqrt();
            let want = summed(&summed(&x, [b, n, 3], -1.0, scale(n)), [1, b, n * 3], -1.0, scale(b));
            close(&what, &pairs(&doubles(&got[0])), &want);
            let parts: Vec<Complex> = x.iter().map(|v| (v.0, 0.0)).collect();
            let back: Vec<Complex> = doubles(&got[1]).iter().map(|v| (*v, 0.0)).collect();
            close(&what, &back, &parts);
            // Six points: cut off, or zeros behind.
            let six: Vec<Complex> = (0..b * 18)
                .map(|k| (k / 18, k / 3 % 6, k % 3))
                .map(|(o, j, i)| if j < n { parts[(o * n + j) * 3 + i] } else { (0.0, 0.0) })
                .collect();
            close(&what, &pairs(&doubles(&got[2])), &summed(&six, [b, 6, 3], -1.0, 1.0));
        }
    }
}

/// Frames that overlap are added up to the signal, for even and odd frames, windows shorter than a frame, and hops that do not
/// divide it.
#[test]
fn short_time_transforms_are_undone() {
    for (size, hop, window, center) in
        [(16, 4, 16, true), (9, 2, 9, true), (15, 4, 10, true), (8, 3, 8, false)]
    {
        let (batch, length) = (2, 77);
        let count = if center { 1 + (length + size / 2 * 2 - size) / hop } else { 1 + (length - size) / hop };
        let kept = (count - 1) * hop + size - if center { size / 2 * 2 } else { 0 };
        let text = format!(
            "graph \"g\" {{\n  input %0 \"x\": float64[{batch}, {length}]\n  input %1 \"w\": float64[{window}]\n  \
             %2 = aten.stft.center(%0, {size}, {hop}, {window}, %1, {center}, return_complex=true)\n  \
             %3 = aten.istft.default(%2, {size}, {hop}, {window}, %1, {center})\n  output \"x\" = %3\n}}\n"
        );
        let x = numbers(batch * length, 3);
        let weights: Vec<f64> = numbers(window, 8).iter().map(|v| v * 0.25 + 1.0).collect();
        for backend in BACKENDS {
            let program = compiled(&text, backend);
            let got = run(&program, &[&real(&[batch, length], &x), &real(&[window], &weights)]);
            let have: Vec<Complex> = doubles(&got[0]).iter().map(|v| (*v, 0.0)).collect();
            let want: Vec<Complex> = x.chunks(length).flat_map(|l| &l[..kept]).map(|v| (*v, 0.0)).collect();
            close(&format!("{backend}: frames of {size} by {hop}"), &have, &want);
        }
    }
}

/// All of these are linear: a cotangent's product with the result is the gradient's with the input.
#[test]
fn gradients_are_the_transposed_transforms() {
    for call in [
        "%1 = aten.fft_rfft.default(%0, 9)\n  %2 = aten.view_as_real.default(%1)",
        "%1 = aten.fft_fft2.default(%0, None, [0, 1], \"ortho\")\n  %2 = aten.view_as_real.default(%1)",
        "%1 = aten.fft_ihfftn.default(%0)\n  %2 = aten.view_as_real.default(%1)",
        "%1 = aten.fft_hfft.default(%0, 11)\n  %3 = aten.fft_ifft.default(%1)\n  %4 = aten.real.default(%3)\n  %2 = aten.mul.Tensor(%4, 2.0)",
        "%1 = aten.fft_rfft.default(%0)\n  %2 = aten.fft_irfft.default(%1, 15)",
        "%1 = aten.stft.center(%0, 6, 2, 4, return_complex=true)\n  %2 = aten.view_as_real.default(%1)",
        "%1 = aten.stft.center(%0, 6, 2, return_complex=true)\n  %2 = aten.istft.default(%1, 6, 3, 6)",
        "%1 = aten.stft.center(%0, 4, 1, return_complex=true)\n  %2 = aten.istft.default(%1, 4, 1, 4, length=20)",
    ] {
        let text =
            format!("graph \"g\" {{\n  input %0 \"x\": float64[2, 12]\n  {call}\n  output \"y\" = %2\n}}\n");
        let x = numbers(24, 2);
        let results = run(&compiled(&text, "interpreter"), &[&real(&[2, 12], &x)]);
        let y = doubles(&results[0]);
        let cotangent = numbers(y.len(), 6);
        for backend in BACKENDS {
            let mut options = Options::default();
            options.set("backend", backend).expect("a backend");
            let graph = litz::meta::text::parse(&text).unwrap_or_else(|e| panic!("{call}: {e}"));
            let training = Training::compile(&graph, &options).unwrap_or_else(|e| panic!("{call}: {e}"));
            let input = real(&[2, 12], &x);
            let dl = results[0].dl();
            // SAFETY: a tensor's shape has as many sizes as it has dimensions.
            let shape = unsafe { std::slice::from_raw_parts(dl.shape, dl.ndim as usize) };
            let shape: Vec<usize> = shape.iter().map(|s| *s as usize).collect();
            let weights = real(&shape, &cotangent);
            // SAFETY: the tensors are alive until both runs have ended.
            let gradients = unsafe {
                let forward =
                    training.forward(training.forward_program(), &[std::ptr::from_ref(input.dl())], None);
                let (_, saved) = forward.unwrap_or_else(|e| panic!("{call}: {e}"));
                let backward = training.backward_program().unwrap_or_else(|e| panic!("{call}: {e}"));
                let gradients =
                    training.backward(backward, &saved, &[Some(std::ptr::from_ref(weights.dl()))], None);
                gradients.unwrap_or_else(|e| panic!("{call}: {e}"))
            };
            let gradient = doubles(gradients[0].as_ref().expect("a gradient"));
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let (by_result, by_input) = (dot(&y, &cotangent), dot(&x, &gradient));
            let gap = (by_result - by_input).abs();
            assert!(gap <= 1e-10 * (1.0 + by_result.abs()), "{backend}: {call}: {by_result}, {by_input}");
        }
    }
}

#[test]
fn windows_that_leave_samples_out_end_the_run() {
    let text = "graph \"g\" {\n  input %0 \"z\": complex128[9, 5]\n  input %1 \"w\": float64[16]\n  \
                %2 = aten.istft.default(%0, 16, 4, 16, %1)\n  output \"x\" = %2\n}\n";
    for backend in BACKENDS {
        let program = compiled(text, backend);
        let inputs = [complex(&[9, 5], &pairs(&numbers(90, 1))), real(&[16], &[0.0; 16])];
        let inputs: Vec<_> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
        // SAFETY: the inputs are alive until the run has ended.
        let error = unsafe { program.run(&inputs, Some(&RunOptions::default())) }.expect_err("it fails");
        assert_eq!(error.status, Status::Assertion, "{}", error.message);
        assert!(
            error.message.contains("the windows of all frames must cover every sample"),
            "{}",
            error.message
        );
    }
}

/// More lengths than plans are kept of at one time, by several threads, and lengths beyond the bound.
#[test]
fn threads_share_plans() {
    let text = "graph \"g\" {\n  symbol n in [1, 10000000]\n  input %0 \"x\": float32[n]\n  %1 = aten.fft_rfft.default(%0)\n  \
                %2 = aten.fft_irfft.default(%1, n)\n  output \"x\" = %2\n}\n";
    let program = compiled(text, "cpu");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let program = &program;
            scope.spawn(move || {
                let lengths =
                    (1..200).map(|k| 1 + (k * (7 + thread)) % 1013).chain([3_000_000, 1_500_000 + thread]);
                for n in lengths {
                    let x: Vec<f32> = (0..n).map(|k| ((k * 37) % 101) as f32 / 50.0 - 1.0).collect();
                    let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_le_bytes()).collect();
                    let input = Tensor::from_bytes(Dtype::Float32, &[n as i64], &bytes).expect("memory");
                    let back = floats(&run(program, &[&input])[0]);
                    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
                    assert!(back.len() == n && back.iter().zip(&x).all(is_near), "{n} samples");
                }
            });
        }
    });
}

#[test]
fn what_has_no_transform_is_refused_in_words() {
    let stft = "%1 = aten.stft.default(%0";
    for (meta, line, words) in [
        ("float16[8]", "%1 = aten.fft_fft.default(%0)", "Fourier transforms of float16"),
        ("bfloat16[8]", "%1 = aten.fft_rfft.default(%0)", "Fourier transforms of bfloat16"),
        ("complex64[8]", "%1 = aten.fft_rfft.default(%0)", "takes real numbers"),
        ("complex64[8]", "%1 = aten.fft_fft.default(%0, 0)", "0 points are not transformed"),
        ("complex64[1]", "%1 = aten.fft_irfft.default(%0)", "0 points are not transformed"),
        ("complex64[0]", "%1 = aten.fft_fft.default(%0)", "0 points are not transformed"),
        ("float32[]", "%1 = aten.fft_fft.default(%0)", "a 0-d tensor has no dimension to transform"),
        ("float32[8]", "%1 = aten.fft_fft.default(%0, None, 1)", "dimension"),
        ("float32[8]", "%1 = aten.fft_fft.default(%0, None, 0, \"half\")", "`norm` \"half\" is not"),
        (
            "float32[8, 8]",
            "%1 = aten.fft_fftn.default(%0, None, [0, -2])",
            "a dimension is transformed twice",
        ),
        ("float32[8, 8]", "%1 = aten.fft_fftn.default(%0, [3], [0, 1])", "as many sizes as dimensions"),
        ("float32[8]", "%1 = aten.fft_fftn.default(%0, [3, 4])", "more sizes than dimensions"),
        ("float32[8]", "%1 = aten.fft_rfftn.default(%0, None, [])", "at least one dimension"),
        (
            "complex64[3, 4]",
            "%1 = aten._fft_c2r.default(%0, [1], 0, 9)",
            "fewer numbers than half of the spectrum",
        ),
        ("float32[8]", &format!("{stft}, 4)"), "`return_complex` must be given"),
        ("float32[8]", &format!("{stft}, 16, return_complex=true)"), "fewer samples than a frame has"),
        ("float32[8]", &format!("{stft}, 4, 0, return_complex=true)"), "`hop_length` must be at least 1"),
        ("float32[8]", &format!("{stft}, 4, 1, 5, return_complex=true)"), "`win_length` from 1"),
        ("complex64[8]", &format!("{stft}, 4, onesided=true)"), "no half of a spectrum"),
        ("int64[8]", &format!("{stft}, 4, return_complex=true)"), "floats or complex numbers"),
        ("complex64[5, 9]", "%1 = aten.istft.default(%0, 12)", "another number of frequencies"),
        ("complex64[5, 9]", "%1 = aten.istft.default(%0, 8, 9)", "`hop_length` must be at most"),
        (
            "complex64[5, 9]",
            "%1 = aten.istft.default(%0, 8, return_complex=true)",
            "half of a spectrum gives real",
        ),
    ] {
        let text = format!("graph \"g\" {{\n  input %0 \"x\": {meta}\n  {line}\n  output \"y\" = %1\n}}\n");
        let error =
            litz::meta::text::parse(&text).err().unwrap_or_else(|| panic!("{line} of {meta} is taken"));
        assert!(error.to_string().contains(words), "{line} of {meta}: {error}");
    }
}
