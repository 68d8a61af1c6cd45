//! Operators that are made of factorisations, by what they must satisfy: products of results give the matrix back.

use super::{BACKENDS, graph, numbers, positive, program, run, tensor, try_run, words};
use litz::base::Status;
use litz::runtime::Tensor;
use litz::types::Dtype;

type Law = (&'static [&'static str], &'static [(&'static str, &'static str)]);

/// Lines of a graph, and pairs of values that are equal. `%0` are two matrices of 4 x 4, `%1` right-hand sides of 4 x 3, `%2` positive
/// definite matrices of 4 x 4, `%3` matrices of 5 x 3, `%4` one vector of 4 for each matrix, and `%5` an identity of 4 x 4.
const LAWS: &[Law] = &[
    (
        &[
            "%10 = aten.linalg_solve.default(%0, %1)",
            "%11 = aten.matmul.default(%0, %10)",
            "%12, %13 = aten.linalg_solve_ex.default(%0, %1)",
            "%14 = aten.mT.default(%1)",
            "%15 = aten.linalg_solve.default(%0, %14, left=false)",
            "%16 = aten.matmul.default(%15, %0)",
            "%17 = aten.linalg_solve.default(%0, %4)",
            "%18 = aten.unsqueeze.default(%17, -1)",
            "%19 = aten.matmul.default(%0, %18)",
            "%20 = aten.squeeze.dim(%19, -1)",
            "%21 = aten.zeros.default([2], dtype=int32)",
        ],
        &[("%11", "%1"), ("%12", "%10"), ("%16", "%14"), ("%20", "%4"), ("%13", "%21")],
    ),
    (
        // Right-hand sides of one batch, matrices of another.
        &[
            "%10 = aten.select.int(%1, 0, 0)",
            "%11 = aten.linalg_solve.default(%0, %10)",
            "%12 = aten.matmul.default(%0, %11)",
            "%13 = aten.expand.default(%10, [2, 4, 3])",
        ],
        &[("%12", "%13")],
    ),
    (
        &[
            "%10 = aten.linalg_inv.default(%0)",
            "%11 = aten.matmul.default(%10, %0)",
            "%12 = aten.expand.default(%5, [2, 4, 4])",
            "%13 = aten.inverse.default(%0)",
            "%14, %15 = aten.linalg_inv_ex.default(%0)",
            "%16 = aten.linalg_matrix_power.default(%0, -2)",
            "%17 = aten.matmul.default(%10, %10)",
            "%18 = aten.linalg_matrix_power.default(%0, 0)",
        ],
        &[("%11", "%12"), ("%13", "%10"), ("%14", "%10"), ("%16", "%17"), ("%18", "%12")],
    ),
    (
        &[
            "%10 = aten.linalg_cholesky.default(%2)",
            "%11 = aten.mT.default(%10)",
            "%12 = aten.matmul.default(%10, %11)",
            "%13 = aten.linalg_cholesky.default(%2, upper=true)",
            "%14 = aten.cholesky_solve.default(%1, %10)",
            "%15 = aten.matmul.default(%2, %14)",
            "%16 = aten.cholesky_solve.default(%1, %13, true)",
            "%17 = aten.cholesky_inverse.default(%10)",
            "%18 = aten.linalg_inv.default(%2)",
            "%19 = aten.cholesky_inverse.default(%13, true)",
        ],
        &[("%12", "%2"), ("%13", "%11"), ("%15", "%1"), ("%16", "%14"), ("%17", "%18"), ("%19", "%18")],
    ),
    (
        &[
            "%10, %11, %12 = aten.linalg_lu.default(%3)",
            "%13 = aten.matmul.default(%10, %11)",
            "%14 = aten.matmul.default(%13, %12)",
            "%15 = aten.mT.default(%3)",
            "%16, %17 = aten.linalg_lu_factor.default(%15)",
            "%18, %19, %20 = aten.lu_unpack.default(%16, %17)",
            "%21 = aten.matmul.default(%18, %19)",
            "%22 = aten.matmul.default(%21, %20)",
            "%23, %24, %25 = aten._lu_with_info.default(%0)",
            "%26 = aten.lu_solve.default(%1, %23, %24)",
            "%27 = aten.matmul.default(%0, %26)",
        ],
        &[("%14", "%3"), ("%22", "%15"), ("%27", "%1")],
    ),
    (
        // A determinant is the product of the eigenvalues, and of those of two products.
        &[
            "%10 = aten.linalg_det.default(%2)",
            "%11 = aten.linalg_eigvalsh.default(%2)",
            "%12 = aten.prod.dim_int(%11, -1)",
            "%13 = aten.matmul.default(%0, %2)",
            "%14 = aten.det.default(%13)",
            "%15 = aten.det.default(%0)",
            "%16 = aten.mul.Tensor(%15, %10)",
            "%17, %18 = aten.linalg_slogdet.default(%0)",
            "%19 = aten.exp.default(%18)",
            "%20 = aten.mul.Tensor(%17, %19)",
            "%21, %22 = aten.slogdet.default(%2)",
            "%23 = aten.logdet.default(%2)",
            "%24 = aten.log.default(%10)",
        ],
        &[("%10", "%12"), ("%14", "%16"), ("%15", "%20"), ("%22", "%23"), ("%23", "%24")],
    ),
    (
        &[
            "%10, %11 = aten.linalg_qr.default(%3)",
            "%12 = aten.matmul.default(%10, %11)",
            "%13, %14 = aten.linalg_qr.default(%3, \"complete\")",
            "%15 = aten.matmul.default(%13, %14)",
            "%16, %17 = aten.linalg_qr.default(%3, \"r\")",
            "%18 = aten.mT.default(%3)",
            "%19, %20 = aten.linalg_qr.default(%18)",
            "%21 = aten.matmul.default(%19, %20)",
            "%22 = aten.mT.default(%10)",
            "%23 = aten.matmul.default(%22, %10)",
            "%24 = aten.eye.default(3, dtype=float64)",
            "%25 = aten.expand.default(%24, [2, 3, 3])",
            "%26, %27 = aten.qr.default(%3)",
            "%28, %29 = aten.qr.default(%3, false)",
        ],
        &[
            ("%12", "%3"),
            ("%15", "%3"),
            ("%17", "%11"),
            ("%21", "%18"),
            ("%23", "%25"),
            ("%26", "%10"),
            ("%27", "%11"),
            ("%28", "%13"),
            ("%29", "%14"),
        ],
    ),
    (
        &[
            "%10, %11, %12 = aten.linalg_svd.default(%3, false)",
            "%13 = aten.unsqueeze.default(%11, -2)",
            "%14 = aten.mul.Tensor(%10, %13)",
            "%15 = aten.matmul.default(%14, %12)",
            "%16, %17, %18 = aten.svd.default(%3)",
            "%19 = aten.mT.default(%12)",
            "%20 = aten.linalg_svdvals.default(%3)",
            "%21 = aten.linalg_matrix_norm.str_ord(%3, \"nuc\")",
            "%22 = aten.sum.dim_IntList(%11, [-1])",
            "%23 = aten.linalg_matrix_norm.default(%3, 2)",
            "%24 = aten.select.int(%11, -1, 0)",
            "%25 = aten.linalg_matrix_norm.default(%3, -2)",
            "%26 = aten.select.int(%11, -1, 2)",
            "%27 = aten.linalg_cond.default(%3)",
            "%28 = aten.div.Tensor(%24, %26)",
            "%29 = aten.nuclear_norm.dim(%3, [1, 2])",
        ],
        &[
            ("%15", "%3"),
            ("%16", "%10"),
            ("%18", "%19"),
            ("%20", "%11"),
            ("%21", "%22"),
            ("%23", "%24"),
            ("%25", "%26"),
            ("%27", "%28"),
            ("%29", "%22"),
        ],
    ),
    (
        &[
            "%10, %11 = aten.linalg_eigh.default(%2, \"U\")",
            "%12 = aten.unsqueeze.default(%10, -2)",
            "%13 = aten.mul.Tensor(%11, %12)",
            "%14 = aten.mT.default(%11)",
            "%15 = aten.matmul.default(%13, %14)",
            "%16 = aten.linalg_matrix_sqrth.default(%2)",
            "%17 = aten.matmul.default(%16, %16)",
            "%18, %19 = aten.linalg_polar.default(%3)",
            "%20 = aten.matmul.default(%18, %19)",
            "%21 = aten.mT.default(%18)",
            "%22 = aten.matmul.default(%21, %18)",
            "%23 = aten.eye.default(3, dtype=float64)",
            "%24 = aten.expand.default(%23, [2, 3, 3])",
        ],
        &[("%15", "%2"), ("%17", "%2"), ("%20", "%3"), ("%22", "%24")],
    ),
    (
        // Of rank 3, so no inverse.
        &[
            "%10 = aten.mT.default(%3)",
            "%11 = aten.matmul.default(%3, %10)",
            "%12 = aten.linalg_pinv.atol_rtol_float(%11, rtol=1e-10)",
            "%13 = aten.matmul.default(%11, %12)",
            "%14 = aten.matmul.default(%13, %11)",
            "%15 = aten.matmul.default(%12, %13)",
            "%16 = aten.linalg_pinv.default(%11, 1e-10, true)",
            "%17 = aten.linalg_matrix_rank.atol_rtol_float(%11, rtol=1e-10)",
            "%18 = aten.full.default([2], 3, dtype=int64)",
            "%19 = aten.linalg_matrix_rank.default(%11, 1e-10, true)",
            "%20 = aten.pinverse.default(%3)",
            "%21 = aten.matmul.default(%20, %3)",
            "%22 = aten.eye.default(3, dtype=float64)",
            "%23 = aten.expand.default(%22, [2, 3, 3])",
        ],
        &[("%14", "%11"), ("%15", "%12"), ("%16", "%12"), ("%17", "%18"), ("%19", "%18"), ("%21", "%23")],
    ),
    (
        &[
            "%10 = aten.select.int(%0, 0, 0)",
            "%11 = aten.reshape.default(%10, [4, 2, 2])",
            "%12 = aten.linalg_tensorinv.default(%11, 1)",
            "%13 = aten.reshape.default(%12, [4, 4])",
            "%14 = aten.linalg_inv.default(%10)",
            "%15 = aten.select.int(%4, 0, 0)",
            "%16 = aten.linalg_tensorsolve.default(%11, %15)",
            "%17 = aten.reshape.default(%16, [4])",
            "%18 = aten.mv.default(%14, %15)",
            "%19, %20 = aten.triangular_solve.default(%1, %2, false, true)",
            "%21 = aten.tril.default(%2)",
            "%22 = aten.mT.default(%21)",
            "%23 = aten.matmul.default(%22, %19)",
        ],
        &[("%13", "%14"), ("%17", "%18"), ("%23", "%1"), ("%20", "%2")],
    ),
];

#[test]
fn indefinite_matrices_have_factors() {
    // Diagonals of zeros ask for blocks of 2.
    for n in [1, 2, 5, 9] {
        let mut a = numbers(2 * n * n, 40);
        for (k, value) in a.iter_mut().enumerate() {
            let place = k % (n * n);
            *value = if place / n == place % n && n > 1 { 0.0 } else { *value };
        }
        let text = graph(
            &[&format!("float64[2, {n}, {n}]"), &format!("float64[{n}, 3]")],
            &[
                "%2, %3, %4 = aten.linalg_ldl_factor_ex.default(%0)",
                "%5 = aten.linalg_ldl_solve.default(%2, %3, %1)",
                "%6 = aten.tril.default(%0)",
                "%7 = aten.tril.default(%0, -1)",
                "%8 = aten.mT.default(%7)",
                "%9 = aten.add.Tensor(%6, %8)",
                "%10 = aten.matmul.default(%9, %5)",
                "%11 = aten.sub.Tensor(%10, %1)",
                "%12 = aten.abs.default(%11)",
                "%13 = aten.amax.default(%12)",
            ],
            &["%13", "%4", "%3"],
        );
        let given = [tensor(&[2, n as i64, n as i64], &a), tensor(&[n as i64, 3], &numbers(n * 3, 41))];
        for backend in BACKENDS {
            let got = run(&text, backend, &given.each_ref());
            assert!(super::doubles(&got[0])[0] < 1e-9, "{backend} {n}: {:?}", super::doubles(&got[0]));
            assert_eq!(words(&got[1]), [0, 0]);
            assert!(n == 1 || words(&got[2]).iter().any(|p| *p < 0));
        }
    }
    let text = graph(&["float64[2, 2]"], &["%1, %2 = aten.linalg_ldl_factor.default(%0)"], &["%1"]);
    for backend in BACKENDS {
        let error = try_run(&text, backend, &[&tensor(&[2, 2], &[0.0; 4])]).expect_err("it fails");
        assert!(error.message.contains("a diagonal element of D is zero"), "{}", error.message);
    }
}

/// The rest of a least squares solution is at right angles to the columns; the least of many solutions is a combination of rows.
#[test]
fn least_squares_are_least() {
    for driver in ["gels", "gelsy", "gelsd", "gelss"] {
        let text = graph(
            &["float64[2, 5, 3]", "float64[5, 2]"],
            &[
                &format!("%2, %3, %4, %5 = aten.linalg_lstsq.default(%0, %1, driver=\"{driver}\")"),
                "%6 = aten.matmul.default(%0, %2)",
                "%7 = aten.sub.Tensor(%6, %1)",
                "%8 = aten.mT.default(%0)",
                "%9 = aten.matmul.default(%8, %7)",
                "%10 = aten.mul.Tensor(%7, %7)",
                "%11 = aten.sum.dim_IntList(%10, [1])",
                "%12 = aten.select.int(%1, 1, 0)",
                "%13 = aten.reshape.default(%12, [1, 5])",
                "%14 = aten.expand.default(%13, [2, 5])",
                &format!("%15, %16, %17, %18 = aten.linalg_lstsq.default(%8, %2, driver=\"{driver}\")"),
                "%19 = aten.matmul.default(%8, %15)",
                "%20 = aten.sub.Tensor(%19, %2)",
                "%21 = aten.linalg_pinv.atol_rtol_float(%8)",
                "%22 = aten.matmul.default(%21, %2)",
                "%23 = aten.sub.Tensor(%22, %15)",
                &format!("%24, %25, %26, %27 = aten.linalg_lstsq.default(%0, %14, driver=\"{driver}\")"),
                "%28 = aten.select.int(%2, 2, 0)",
                "%29 = aten.sub.Tensor(%24, %28)",
            ],
            &["%9", "%20", "%23", "%29", "%11", "%3", "%4", "%5"],
        );
        let given = [tensor(&[2, 5, 3], &numbers(30, 42)), tensor(&[5, 2], &numbers(10, 43))];
        for backend in BACKENDS {
            let got = run(&text, backend, &given.each_ref());
            for zeros in &got[..4] {
                assert!(super::doubles(zeros).iter().all(|d| d.abs() < 1e-9), "{backend} {driver}");
            }
            if driver == "gelsy" {
                assert!(got[5].bytes().is_empty());
            } else {
                super::close(&super::doubles(&got[5]), &super::doubles(&got[4]));
            }
            let ranks = super::common::draws::integers(&got[6]);
            assert_eq!(ranks, if driver == "gels" { vec![] } else { vec![3, 3] });
            assert_eq!(
                got[7].bytes().len(),
                if driver.starts_with("gelsd") || driver == "gelss" { 48 } else { 0 }
            );
        }
    }
}

#[test]
fn results_satisfy_their_equations() {
    let inputs =
        ["float64[2, 4, 4]", "float64[2, 4, 3]", "float64[2, 4, 4]", "float64[2, 5, 3]", "float64[2, 4]"];
    let definite: Vec<f64> = [positive(4, 21), positive(4, 22)].concat();
    let given = [
        tensor(&[2, 4, 4], &numbers(32, 23)),
        tensor(&[2, 4, 3], &numbers(24, 24)),
        tensor(&[2, 4, 4], &definite),
        tensor(&[2, 5, 3], &numbers(30, 25)),
        tensor(&[2, 4], &numbers(8, 26)),
    ];
    for (lines, laws) in LAWS {
        let mut lines: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
        lines.insert(0, "%5 = aten.eye.default(4, dtype=float64)".into());
        let mut results = Vec::new();
        for (k, (have, want)) in laws.iter().enumerate() {
            let [a, b, c] = [100 + 3 * k, 101 + 3 * k, 102 + 3 * k];
            lines.push(format!("%{a} = aten.sub.Tensor({have}, {want})"));
            lines.push(format!("%{b} = aten.abs.default(%{a})"));
            lines.push(format!("%{c} = aten._to_copy.default(%{b}, dtype=float64)"));
            results.push(format!("%{c}"));
        }
        let [lines, results] = [&lines, &results].map(|v| v.iter().map(String::as_str).collect::<Vec<_>>());
        let text = graph(&inputs, &lines, &results);
        for backend in BACKENDS {
            for (result, law) in run(&text, backend, &given.each_ref()).iter().zip(*laws) {
                let worst = super::doubles(result).into_iter().map(|d| if d < 1e-9 { 0.0 } else { d });
                assert_eq!(
                    worst.fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) }),
                    0.0,
                    "{backend} {law:?}\n{text}"
                );
            }
        }
    }
}

/// Runs that end because a matrix has no inverse or no factorisation, in PyTorch's words; `info` says the same where it is asked for.
#[test]
fn singular_matrices_end_the_run() {
    let singular = tensor(&[2, 2, 2], &[2.0, 1.0, 1.0, 3.0, 1.0, 2.0, 2.0, 4.0]);
    for (line, message) in [
        (
            "%1 = aten.linalg_inv.default(%0)",
            "linalg.inv: the inversion could not be completed because the input matrix is singular",
        ),
        (
            "%1 = aten.linalg_solve.default(%0, %0)",
            "linalg.solve: the solver failed because the input matrix is singular",
        ),
        ("%1, %2 = aten.linalg_inv_ex.default(%0, check_errors=true)", "linalg.inv_ex"),
        ("%1, %2 = aten.linalg_solve_ex.default(%0, %0, check_errors=true)", "linalg.solve_ex"),
        ("%1, %2 = aten.linalg_lu_factor.default(%0)", "linalg.lu_factor"),
        (
            "%1 = aten.linalg_cholesky.default(%0)",
            "linalg.cholesky: the factorization could not be completed",
        ),
        ("%1 = aten.linalg_matrix_power.default(%0, -1)", "linalg.inv"),
    ] {
        let text = graph(&["float64[2, 2, 2]"], &[line], &["%1"]);
        for backend in BACKENDS {
            super::linear_algebra();
            let error = try_run(&text, backend, &[&singular]).expect_err("it fails");
            assert_eq!(error.status, Status::Assertion, "{}", error.message);
            assert!(error.message.contains(message), "{backend}: {}", error.message);
        }
    }
    let text = graph(
        &["float64[2, 2, 2]"],
        &[
            "%1, %2 = aten.linalg_inv_ex.default(%0)",
            "%3, %4 = aten.linalg_solve_ex.default(%0, %0)",
            "%5 = aten.linalg_cond.default(%0, 1)",
            "%6 = aten.linalg_det.default(%0)",
            "%7 = aten.logdet.default(%0)",
        ],
        &["%2", "%4", "%5", "%6", "%7"],
    );
    for backend in BACKENDS {
        let got = run(&text, backend, &[&singular]);
        assert_eq!((words(&got[0]), words(&got[1])), (vec![0, 2], vec![0, 2]));
        assert_eq!(super::doubles(&got[2])[1], f64::INFINITY);
        assert_eq!(super::doubles(&got[3])[1], 0.0);
        assert_eq!(super::doubles(&got[4])[1], f64::NEG_INFINITY);
    }
}

/// Sizes that are known when the program runs.
#[test]
fn sizes_may_be_symbols() {
    let text = "graph \"g\" {\n  symbol s0 in [2, 64] hint 4\n  symbol s1 in [1, 64] hint 2\n  input %0 \"a\": float64[s1, s0, s0]\n  input %1 \"b\": float64[s0]\n  \
         %2 = aten.linalg_inv.default(%0)\n  %3 = aten.matmul.default(%2, %0)\n  %4 = aten.sum.default(%3)\n  \
         %5 = aten.linalg_svdvals.default(%0)\n  %6 = aten.linalg_pinv.atol_rtol_float(%0)\n  %7 = aten.sub.Tensor(%6, %2)\n  \
         %8 = aten.abs.default(%7)\n  %9 = aten.amax.default(%8)\n  %10, %11 = aten.linalg_qr.default(%0, \"complete\")\n  \
         %12 = aten.linalg_solve.default(%0, %1)\n  \
         output \"x\" = %4\n  output \"y\" = %5\n  output \"z\" = %9\n  output \"r\" = %11\n  output \"s\" = %12\n}\n";
    super::linear_algebra();
    for backend in BACKENDS {
        let program = program(text, &[("backend", backend)]);
        for (batch, n) in [(1usize, 2usize), (3, 5)] {
            let given: Vec<f64> = (0..batch).flat_map(|k| positive(n, 30 + k as u64)).collect();
            let (b, n_) = (batch as i64, n as i64);
            let given = [tensor(&[b, n_, n_], &given), tensor(&[n_], &numbers(n, 3))];
            let got = program.run_tensors(&given.iter().collect::<Vec<&Tensor>>()).expect("it runs");
            let sum = super::doubles(&got[0])[0];
            assert!((sum - (batch * n) as f64).abs() < 1e-9, "{backend}: {sum}");
            assert_eq!(got[1].bytes().len(), batch * n * 8);
            assert!(super::doubles(&got[2])[0] < 1e-9);
            assert_eq!(got[3].bytes().len(), batch * n * n * 8);
            assert_eq!(got[4].bytes().len(), batch * n * 8);
        }
    }
}

/// Half precision has no factorisations but an exponential, which is computed in float32 and rounded once.
#[test]
fn half_precision_has_an_exponential() {
    let text = graph(&["bfloat16[2, 2]"], &["%1 = aten.matrix_exp.default(%0)"], &["%1"]);
    let given: Vec<u8> =
        [0.0f32, 1.0, 0.0, 0.0].iter().flat_map(|v| half::bf16::from_f32(*v).to_le_bytes()).collect();
    let given = Tensor::from_bytes(Dtype::Bfloat16, &[2, 2], &given).expect("memory");
    for backend in BACKENDS {
        let got = run(&text, backend, &[&given]).remove(0);
        let got: Vec<f32> =
            got.bytes().chunks(2).map(|b| half::bf16::from_le_bytes([b[0], b[1]]).to_f32()).collect();
        assert_eq!(got, [1.0, 1.0, 0.0, 1.0]);
    }
}

/// Ranks and pseudo-inverses of matrices without elements have the matrices' batch, whatever shape their tolerances have.
#[test]
fn tolerances_of_empty_matrices_are_not_looked_at() {
    let rank = "%2 = aten.linalg_matrix_rank.atol_rtol_tensor";
    let cases: [(&[i64], &[i64], String, usize); 4] = [
        (&[3, 0], &[3, 0], "%2 = aten.linalg_matrix_rank.tol_tensor(%0, %1)".into(), 1),
        (&[2, 3, 0], &[5], format!("{rank}(%0, atol=%1)"), 2),
        (&[0, 3, 3], &[5, 1], format!("{rank}(%0, rtol=%1)"), 0),
        (&[0, 3, 3], &[5, 1], "%2 = aten.linalg_pinv.atol_rtol_tensor(%0, rtol=%1)".into(), 0),
    ];
    for (matrix, tolerance, line, elements) in cases {
        let metas = [matrix, tolerance].map(|shape| format!("float64{shape:?}"));
        let text = graph(&[&metas[0], &metas[1]], &[&line], &["%2"]);
        let count = |shape: &[i64]| shape.iter().product::<i64>() as usize;
        let given = [matrix, tolerance].map(|shape| tensor(shape, &vec![1.0; count(shape)]));
        for backend in BACKENDS {
            let got = run(&text, backend, &[&given[0], &given[1]]).remove(0);
            assert_eq!(got.bytes(), vec![0; elements * 8], "{line}");
        }
    }
}
