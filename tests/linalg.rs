//! Linear algebra by Litz's second library: factorisations put together again, edges of sizes, matrices that have no
//! factorisation, and what a program without the library says.

mod common;
#[path = "linalg/complex.rs"]
mod complex;
#[path = "linalg/composites.rs"]
mod composites;
#[path = "linalg/eigen.rs"]
mod eigen;

use common::draws::{doubles, floats, program};
use litz::base::Status;
use litz::runtime::{RunOptions, RuntimeError, Tensor};
use litz::types::Dtype;

const BACKENDS: [&str; 2] = ["interpreter", "cpu"];

fn linear_algebra() {
    static BUILT: std::sync::Once = std::sync::Once::new();
    BUILT.call_once(|| drop(common::linear_algebra()));
}

fn tensor(shape: &[i64], values: &[f64]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Tensor::from_bytes(Dtype::Float64, shape, &bytes).expect("memory")
}

fn singles(shape: &[i64], values: &[f32]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Tensor::from_bytes(Dtype::Float32, shape, &bytes).expect("memory")
}

fn words(tensor: &Tensor) -> Vec<i32> {
    tensor.bytes().chunks(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// A graph of these inputs and lines that gives these values.
fn graph(inputs: &[&str], lines: &[&str], results: &[&str]) -> String {
    let inputs = inputs.iter().enumerate().map(|(k, meta)| format!("  input %{k} \"x{k}\": {meta}\n"));
    let lines = lines.iter().map(|line| format!("  {line}\n"));
    let outputs = results.iter().enumerate().map(|(k, value)| format!("  output \"y{k}\" = {value}\n"));
    format!("graph \"g\" {{\n{}}}\n", inputs.chain(lines).chain(outputs).collect::<String>())
}

fn try_run(text: &str, backend: &str, inputs: &[&Tensor]) -> Result<Vec<Tensor>, RuntimeError> {
    let program = program(text, &[("backend", backend)]);
    let inputs: Vec<_> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
    // SAFETY: the inputs are tensors of this process, alive until the run has ended.
    unsafe { program.run(&inputs, Some(&RunOptions::default())) }
}

fn run(text: &str, backend: &str, inputs: &[&Tensor]) -> Vec<Tensor> {
    linear_algebra();
    try_run(text, backend, inputs).unwrap_or_else(|e| panic!("{backend}: {}\n{text}", e.message))
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

fn at(matrix: &[f64], columns: usize, i: usize, j: usize) -> f64 {
    matrix[i * columns + j]
}

/// `rows x depth` times `depth x columns`.
fn product(a: &[f64], b: &[f64], [rows, depth, columns]: [usize; 3]) -> Vec<f64> {
    let cell = |i: usize, j: usize| (0..depth).map(|k| at(a, depth, i, k) * at(b, columns, k, j)).sum();
    (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| cell(i, j)).collect()
}

fn transposed(a: &[f64], [rows, columns]: [usize; 2]) -> Vec<f64> {
    (0..columns).flat_map(|j| (0..rows).map(move |i| at(a, columns, i, j))).collect()
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect()
}

fn diagonal(values: &[f64], [rows, columns]: [usize; 2]) -> Vec<f64> {
    let cell = |k: usize| if k / columns == k % columns { values[k / columns] } else { 0.0 };
    (0..rows * columns).map(cell).collect()
}

#[track_caller]
fn close(have: &[f64], want: &[f64]) {
    assert_eq!(have.len(), want.len());
    for (a, b) in have.iter().zip(want) {
        assert!((a - b).abs() <= 1e-10 * (1.0 + b.abs()), "{have:?} is not {want:?}");
    }
}

/// Symmetric, with eigenvalues of 1 at least.
fn positive(n: usize, seed: u64) -> Vec<f64> {
    let a = numbers(n * n, seed);
    let square = product(&a, &transposed(&a, [n, n]), [n, n, n]);
    square.iter().zip(identity(n)).map(|(a, one)| a + one).collect()
}

/// 70 columns are more than a panel of LU and more than a block of reflections.
const SIZES: [usize; 4] = [1, 2, 5, 70];

#[test]
fn systems_are_solved_from_both_sides() {
    for backend in BACKENDS {
        for n in SIZES {
            let (a, b) = (numbers(2 * n * n, 3), numbers(2 * n * 3, 4));
            let text = graph(
                &[&format!("float64[2, {n}, {n}]"), &format!("float64[2, {n}, 3]")],
                &[
                    "%2, %3, %4 = aten.linalg_lu_factor_ex.default(%0)",
                    "%5 = aten.linalg_lu_solve.default(%2, %3, %1)",
                    "%6 = aten.linalg_lu_solve.default(%2, %3, %1, adjoint=true)",
                    "%7 = aten.transpose.int(%1, 1, 2)",
                    "%8 = aten.linalg_lu_solve.default(%2, %3, %7, left=false)",
                ],
                &["%5", "%6", "%8", "%4"],
            );
            let (m, k) = (n as i64, n * 3);
            let got = run(&text, backend, &[&tensor(&[2, m, m], &a), &tensor(&[2, m, 3], &b)]);
            assert_eq!(words(&got[3]), [0, 0]);
            for item in 0..2 {
                let (a, b) = (&a[item * n * n..][..n * n], &b[item * k..][..k]);
                let part = |r: usize| doubles(&got[r])[item * k..][..k].to_vec();
                close(&product(a, &part(0), [n, n, 3]), b);
                close(&product(&transposed(a, [n, n]), &part(1), [n, n, 3]), b);
                close(&product(&part(2), a, [3, n, n]), &transposed(b, [n, 3]));
            }
        }
    }
}

#[test]
fn triangles_are_solved_and_the_other_triangle_is_not_read() {
    let n = 5;
    let (mut a, b) = (numbers(n * n, 5), numbers(n * 2, 6));
    (0..n).for_each(|k| a[k * n + k] += 3.0);
    let triangle = |upper: bool, unit: bool| -> Vec<f64> {
        let cell = |k: usize| match (k / n, k % n) {
            (i, j) if i == j && unit => 1.0,
            (i, j) if i == j || (i < j) == upper => a[k],
            _ => 0.0,
        };
        (0..n * n).map(cell).collect()
    };
    for backend in BACKENDS {
        for (upper, unit) in [(false, false), (false, true), (true, false), (true, true)] {
            let options = format!("upper={upper}, unitriangular={unit}");
            let text = graph(
                &["float64[5, 5]", "float64[5, 2]", "float64[2, 5]"],
                &[
                    &format!("%3 = aten.linalg_solve_triangular.default(%0, %1, {options})"),
                    &format!("%4 = aten.linalg_solve_triangular.default(%0, %2, {options}, left=false)"),
                ],
                &["%3", "%4"],
            );
            let inputs = [&tensor(&[5, 5], &a), &tensor(&[5, 2], &b), &tensor(&[2, 5], &b)];
            let got = run(&text, backend, &inputs);
            close(&product(&triangle(upper, unit), &doubles(&got[0]), [n, n, 2]), &b);
            close(&product(&doubles(&got[1]), &triangle(upper, unit), [2, n, n]), &b);
        }
    }
}

#[test]
fn factors_are_the_matrix() {
    for backend in BACKENDS {
        for n in SIZES {
            let a = positive(n, 7);
            let text = graph(
                &[&format!("float64[{n}, {n}]")],
                &[
                    "%1, %2 = aten.linalg_cholesky_ex.default(%0)",
                    "%3, %4 = aten.linalg_cholesky_ex.default(%0, upper=true)",
                ],
                &["%1", "%3", "%2", "%4"],
            );
            let got = run(&text, backend, &[&tensor(&[n as i64; 2], &a)]);
            let (lower, upper) = (doubles(&got[0]), doubles(&got[1]));
            close(&product(&lower, &transposed(&lower, [n, n]), [n, n, n]), &a);
            assert!((0..n).all(|i| (i + 1..n).all(|j| at(&lower, n, i, j) == 0.0)));
            close(&upper, &transposed(&lower, [n, n]));
            assert_eq!((words(&got[2]), words(&got[3])), (vec![0], vec![0]));

            // Rows of the product of L and U are rows of the matrix in the order of the pivots.
            let a = numbers(n * n, 8);
            let text = graph(
                &[&format!("float64[{n}, {n}]")],
                &[
                    "%1, %2, %3 = aten.linalg_lu_factor_ex.default(%0)",
                    &format!("%4 = litz.lu_permutation.default(%2, {n})"),
                ],
                &["%1", "%4"],
            );
            let got = run(&text, backend, &[&tensor(&[n as i64; 2], &a)]);
            let (factors, order) = (doubles(&got[0]), common::draws::integers(&got[1]));
            let lower: Vec<f64> = (0..n * n)
                .map(|k| match k / n {
                    i if i == k % n => 1.0,
                    i if i > k % n => factors[k],
                    _ => 0.0,
                })
                .collect();
            let upper: Vec<f64> = (0..n * n).map(|k| if k / n <= k % n { factors[k] } else { 0.0 }).collect();
            let rows: Vec<f64> = order.iter().flat_map(|r| &a[*r as usize * n..][..n]).copied().collect();
            close(&product(&lower, &upper, [n, n, n]), &rows);
        }
    }
}

#[test]
fn reflections_are_an_orthogonal_matrix() {
    for backend in BACKENDS {
        for [m, n] in [[1, 1], [5, 3], [3, 5], [70, 40]] {
            let a = numbers(m * n, 9);
            let few = m.min(n);
            let text = graph(
                &[&format!("float64[{m}, {n}]"), &format!("float64[{m}, {m}]")],
                &[
                    "%2, %3 = aten.geqrf.default(%0)",
                    "%4 = aten.ormqr.default(%2, %3, %1)",
                    "%5 = aten.ormqr.default(%2, %3, %4, true, true)",
                    "%6 = aten.ormqr.default(%2, %3, %1, false)",
                    &format!("%7 = aten.slice.Tensor(%2, 1, 0, {few})"),
                    "%8 = aten.linalg_householder_product.default(%7, %3)",
                ],
                &["%2", "%4", "%5", "%6", "%8"],
            );
            let inputs = [&tensor(&[m as i64, n as i64], &a), &tensor(&[m as i64; 2], &identity(m))];
            let got: Vec<Vec<f64>> = run(&text, backend, &inputs).iter().map(doubles).collect();
            let [factors, q, same, right, thin] = &got[..] else { panic!("five results") };
            let upper: Vec<f64> = (0..m * n).map(|k| if k / n <= k % n { factors[k] } else { 0.0 }).collect();
            close(&product(q, &transposed(q, [m, m]), [m, m, m]), &identity(m));
            close(&product(q, &upper, [m, m, n]), &a);
            close(same, &identity(m));
            close(right, q);
            let first: Vec<f64> = (0..m).flat_map(|i| &q[i * m..][..few]).copied().collect();
            close(thin, &first);
        }
    }
}

#[test]
fn spectra_are_the_matrix() {
    for backend in BACKENDS {
        for n in SIZES {
            let a = positive(n, 10);
            // Numbers in the triangle that is not read change nothing.
            let spoiled = |upper: bool| -> Vec<f64> {
                let read = |k: usize| k / n == k % n || (k / n < k % n) == upper;
                (0..n * n).map(|k| if read(k) { a[k] } else { f64::NAN }).collect()
            };
            for upper in [false, true] {
                let triangle = if upper { "U" } else { "L" };
                let text = graph(
                    &[&format!("float64[{n}, {n}]")],
                    &[
                        &format!("%1, %2 = aten._linalg_eigh.default(%0, \"{triangle}\")"),
                        &format!("%3, %4 = aten._linalg_eigh.default(%0, \"{triangle}\", false)"),
                    ],
                    &["%1", "%2", "%3"],
                );
                let got: Vec<Vec<f64>> = run(&text, backend, &[&tensor(&[n as i64; 2], &spoiled(upper))])
                    .iter()
                    .map(doubles)
                    .collect();
                let [values, vectors, alone] = &got[..] else { panic!("three results") };
                assert!(values.is_sorted(), "{values:?}");
                close(alone, values);
                let scaled = product(vectors, &diagonal(values, [n, n]), [n, n, n]);
                close(&product(&scaled, &transposed(vectors, [n, n]), [n, n, n]), &a);
                close(&product(vectors, &transposed(vectors, [n, n]), [n, n, n]), &identity(n));
            }
        }
    }
}

#[test]
fn singular_values_and_vectors_are_the_matrix() {
    for backend in BACKENDS {
        for [m, n] in [[1, 1], [5, 3], [3, 5], [40, 33]] {
            let a = numbers(m * n, 11);
            let few = m.min(n);
            let text = graph(
                &[&format!("float64[{m}, {n}]")],
                &[
                    "%1, %2, %3 = aten._linalg_svd.default(%0)",
                    "%4, %5, %6 = aten._linalg_svd.default(%0, true)",
                    "%7, %8, %9 = aten._linalg_svd.default(%0, false, false)",
                ],
                &["%1", "%2", "%3", "%4", "%5", "%6", "%8"],
            );
            let got = run(&text, backend, &[&tensor(&[m as i64, n as i64], &a)]);
            let got: Vec<Vec<f64>> = got.iter().map(doubles).collect();
            let [left, values, right, full_left, full_values, full_right, alone] = &got[..] else {
                panic!("seven results")
            };
            assert!(values.is_sorted_by(|a, b| a >= b) && values[few - 1] >= 0.0, "{values:?}");
            let scaled = product(left, &diagonal(values, [few, few]), [m, few, few]);
            close(&product(&scaled, right, [m, few, n]), &a);
            let scaled = product(full_left, &diagonal(full_values, [m, n]), [m, m, n]);
            close(&product(&scaled, full_right, [m, n, n]), &a);
            close(&product(full_left, &transposed(full_left, [m, m]), [m, m, m]), &identity(m));
            close(&product(full_right, &transposed(full_right, [n, n]), [n, n, n]), &identity(n));
            close(alone, values);
        }
    }
}

#[test]
fn exponentials_of_rotations_and_of_large_matrices() {
    let text = |dtype: &str| {
        graph(&[&format!("{dtype}[3, 2, 2]")], &["%1 = aten.linalg_matrix_exp.default(%0)"], &["%1"])
    };
    // A rotation, a shear, and a diagonal that takes squarings.
    let (angle, large) = (0.75f64, 20.0f64);
    let given = [0.0, -angle, angle, 0.0, 0.0, 3.0, 0.0, 0.0, large, 0.0, 0.0, -large];
    let (cosine, sine) = (angle.cos(), angle.sin());
    let want = [cosine, -sine, sine, cosine, 1.0, 3.0, 0.0, 1.0, large.exp(), 0.0, 0.0, (-large).exp()];
    for backend in BACKENDS {
        let got = run(&text("float64"), backend, &[&tensor(&[3, 2, 2], &given)]);
        close(&doubles(&got[0]), &want);
        let given: Vec<f32> = given.iter().map(|v| *v as f32).collect();
        let got = run(&text("float32"), backend, &[&singles(&[3, 2, 2], &given)]);
        for (a, b) in floats(&got[0]).iter().zip(want) {
            assert!((f64::from(*a) - b).abs() <= 1e-6 * (1.0 + b.abs()), "{a} is not {b}");
        }
    }
}

/// Without rows or without matrices there are results of the right shapes, and those of no rows at all are identities.
#[test]
fn nothing_is_factored_without_rows_or_matrices() {
    let lines = [
        "%1, %2 = aten.linalg_cholesky_ex.default(%0)",
        "%3, %4, %5 = aten.linalg_lu_factor_ex.default(%0)",
        "%6 = aten.linalg_lu_solve.default(%3, %4, %0)",
        "%7, %8 = aten.geqrf.default(%0)",
        "%9, %10, %11 = aten._linalg_svd.default(%0)",
        "%12, %13 = aten._linalg_eigh.default(%0)",
        "%14 = aten.linalg_matrix_exp.default(%0)",
        "%15 = aten.linalg_solve_triangular.default(%0, %0, upper=true)",
    ];
    let results: Vec<String> = (1..16).map(|k| format!("%{k}")).collect();
    let results: Vec<&str> = results.iter().map(String::as_str).collect();
    for backend in BACKENDS {
        for (shape, infos) in [([2, 0, 0], 2), ([0, 3, 3], 0)] {
            let text = graph(&[&format!("float64{shape:?}")], &lines, &results);
            let got = run(&text, backend, &[&tensor(&shape, &[])]);
            for (k, result) in got.iter().enumerate() {
                let is_info = k == 1 || k == 4;
                assert_eq!(result.bytes().len(), if is_info { infos * 4 } else { 0 }, "{backend} {k}");
                assert!(!is_info || words(result).iter().all(|w| *w == 0));
            }
        }
        let text = graph(
            &["float64[0, 3]"],
            &["%1, %2, %3 = aten._linalg_svd.default(%0, true)"],
            &["%1", "%2", "%3"],
        );
        let got = run(&text, backend, &[&tensor(&[0, 3], &[])]);
        assert_eq!(doubles(&got[2]), identity(3));
    }
}

#[test]
fn a_matrix_without_a_factorisation_is_told_by_info_or_ends_the_run() {
    // Of each batch, the second matrix has rank 1.
    let batch = [4.0, 1.0, 1.0, 3.0, 1.0, 2.0, 2.0, 4.0];
    for backend in BACKENDS {
        let text = graph(
            &["float64[2, 2, 2]"],
            &[
                "%1, %2 = aten.linalg_cholesky_ex.default(%0)",
                "%3, %4, %5 = aten.linalg_lu_factor_ex.default(%0)",
            ],
            &["%2", "%5"],
        );
        let got = run(&text, backend, &[&tensor(&[2, 2, 2], &batch)]);
        assert_eq!((words(&got[0]), words(&got[1])), (vec![0, 2], vec![0, 2]));

        let mut infinite = batch;
        infinite[5] = f64::INFINITY;
        for (line, given, message) in [
            (
                "%1, %2 = aten.linalg_cholesky_ex.default(%0, check_errors=true)",
                batch,
                "not positive-definite",
            ),
            (
                "%1, %2, %3 = aten.linalg_lu_factor_ex.default(%0, check_errors=true)",
                batch,
                "a diagonal element of U is zero",
            ),
            ("%1, %2, %3 = aten._linalg_svd.default(%0)", infinite, "non-finite"),
        ] {
            let text = graph(&["float64[2, 2, 2]"], &[line], &["%1"]);
            let error = try_run(&text, backend, &[&tensor(&[2, 2, 2], &given)]).expect_err("it fails");
            assert_eq!(error.status, Status::Assertion, "{}", error.message);
            assert!(error.message.contains(message), "{}", error.message);
        }
        let text = graph(
            &["float64[2, 2]", "int32[2]"],
            &["%2 = aten.linalg_lu_solve.default(%0, %1, %0)"],
            &["%2"],
        );
        let pivots: Vec<u8> = [1i32, 3].iter().flat_map(|p| p.to_le_bytes()).collect();
        let pivots = Tensor::from_bytes(Dtype::Int32, &[2], &pivots).expect("memory");
        let error = try_run(&text, backend, &[&tensor(&[2, 2], &batch[..4]), &pivots]).expect_err("it fails");
        assert!(error.message.contains("a pivot is not from 1"), "{}", error.message);
    }
}

const IS_ALONE: &str = "LITZ_TEST_WITHOUT_LINALG";

/// Runs itself by a link in a folder that has no library.
#[test]
fn a_program_says_where_it_looked_for_the_library() {
    if let Ok(folder) = std::env::var(IS_ALONE) {
        let text = graph(&["float64[2, 2]"], &["%1, %2 = aten.linalg_cholesky_ex.default(%0)"], &["%1"]);
        for backend in BACKENDS {
            let graph = litz::meta::text::parse(&text).expect("a graph");
            let mut options = litz::session::Options::default();
            options.set("backend", backend).expect("an option");
            let error = litz::session::compile(&graph, &options).err().expect("there is no library");
            let message = error.to_string();
            assert_eq!(error.status(), Status::Io, "{message}");
            for part in ["liblitz_linalg.so.0", "linear algebra", &folder] {
                assert!(message.contains(part), "{message}");
            }
        }
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("test");
    std::os::unix::fs::symlink(std::env::current_exe().expect("the test"), &link).expect("a link");
    let name = "a_program_says_where_it_looked_for_the_library";
    let mut alone = std::process::Command::new(&link);
    alone.args(["--exact", name]).env(IS_ALONE, folder.path()).env_remove("LD_LIBRARY_PATH");
    assert!(common::run(&mut alone).contains("1 passed"));
}

/// A host that knows `artifact.h` alone: prints a result of four numbers of the artifact `argv[1]`, or its error.
const C_HOST: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
#include "litz/artifact.h"
int main(int argc, char **argv) {
    void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    if (!library) { puts(dlerror()); return 2; }
    litz_artifact_entry_fn entry;
    *(void **)&entry = dlsym(library, LITZ_ARTIFACT_ENTRY);
    const litz_artifact_api *api = entry();
    char error[4096];
    void *self;
    if (api->create(NULL, 0, &self, error, sizeof error)) { puts(error); return 0; }
    double x[4] = {4, 2, 2, 10}, y[4];
    int64_t shape[2] = {2, 2}, strides[2] = {2, 1};
    DLTensor in = {x, {kDLCPU, 0}, 2, {kDLFloat, 64, 1}, shape, strides, 0}, out = in;
    out.data = y;
    const DLTensor *ins[1] = {&in}, *outs[1] = {&out};
    if (api->run(self, ins, 1, outs, 1, NULL, error, sizeof error)) { puts(error); return 3; }
    printf("%g %g %g %g", y[0], y[1], y[2], y[3]);
    api->destroy(self);
    return dlclose(library);
}
"#;

#[test]
fn an_artifact_opens_the_library_beside_itself() {
    linear_algebra();
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    let text = graph(&["float64[2, 2]"], &["%1, %2 = aten.linalg_cholesky_ex.default(%0)"], &["%1"]);
    let parsed = litz::meta::text::parse(&text).expect("a graph");
    litz::session::compile_artifact(&parsed, &Default::default(), &place("program.so"))
        .unwrap_or_else(|e| panic!("{e}"));
    std::fs::write(place("host.c"), C_HOST).expect("a file");
    let mut compiler = std::process::Command::new(common::c_compiler());
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"]).arg(common::root().join("include"));
    common::run(compiler.arg(place("host.c")).arg("-o").arg(place("host")).arg("-ldl"));
    let run = || common::run(std::process::Command::new(place("host")).arg(place("program.so")).env_clear());
    let message = run();
    assert!(message.contains("liblitz_linalg.so.0 (linear algebra, Fourier transforms)"), "{message}");
    let library = std::env::current_exe().expect("the test").with_file_name("liblitz_linalg.so");
    std::os::unix::fs::symlink(library, place("liblitz_linalg.so.0")).expect("a link");
    assert_eq!(run(), "2 0 1 3");
}
