//! Least squares. The driver `gels` takes the rank to be full and goes by QR; others go by the pseudo-inverse, which is differentiated where
//! singular values are equal, too.

use super::linalg::{rows_and_columns, solve_triangular, turned};
use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::Dtype;

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

pub fn lstsq(cx: &mut Decompose<'_>) -> Results {
    let (matrix, given) = (cx.value("self")?, cx.value("b")?);
    let driver = cx.string("driver").unwrap_or("gelsy").to_string();
    let rcond = cx.float("rcond").filter(|r| *r >= 0.0).map_or(Arg::None, Arg::Float);
    let is_vector = crate::meta::rules::is_vector_side(cx.syms(), &cx.shape(matrix), &cx.shape(given));
    let right = if is_vector { cx.unsqueeze(given, -1)? } else { given };
    let [rows, columns] = rows_and_columns(cx, matrix);
    let tall = cx.syms().decide(cx.syms().lt(columns, rows));
    let solution = if driver == "gels" {
        let missing = || cx.error(Status::Unsupported, "whether there are more rows must be known");
        by_reflections(cx, matrix, right, tall.ok_or_else(missing)?)?
    } else {
        let inverse = by_tolerance(cx, "aten.linalg_pinv.atol_rtol_float", matrix, &rcond)?;
        cx.matmul(inverse, right)?
    };
    let dtype = cx.dtype_of(matrix);
    let rank = if driver == "gels" {
        empty(cx, Dtype::Int64)?
    } else {
        by_tolerance(cx, "aten.linalg_matrix_rank.atol_rtol_float", matrix, &rcond)?
    };
    let values = if matches!(&*driver, "gelsd" | "gelss") {
        super::singular_values::singular_values(cx, matrix)?
    } else {
        empty(cx, dtype)?
    };
    let residuals = if driver != "gelsy" && tall == Some(true) {
        let made = cx.matmul(matrix, solution)?;
        let rest = cx.sub(right, made)?;
        let squares = cx.mul(rest, rest)?;
        let sums = cx.sum(squares, &[-2], false)?;
        if driver == "gels" { sums } else { where_full(cx, sums, rank, columns)? }
    } else {
        empty(cx, dtype)?
    };
    let solution = if is_vector { cx.squeeze(solution, -1)? } else { solution };
    Ok(vec![solution, residuals, rank, values])
}

/// `R⁻¹ · Qᵀ · right`; where there are fewer equations than unknowns the least solution, by the factors of the transposed matrix.
fn by_reflections(cx: &mut Decompose<'_>, matrix: Value, right: Value, tall: bool) -> Built {
    let given = if tall { matrix } else { turned(cx, matrix)? };
    let parts = cx.call_all("aten.linalg_qr.default", vec![Arg::Value(given)], Vec::new())?;
    if tall {
        let back = turned(cx, parts[0])?;
        let seen = cx.matmul(back, right)?;
        return solve_triangular(cx, parts[1], seen, true);
    }
    let lower = turned(cx, parts[1])?;
    let half = solve_triangular(cx, lower, right, false)?;
    cx.matmul(parts[0], half)
}

fn by_tolerance(cx: &mut Decompose<'_>, name: &str, matrix: Value, rcond: &Arg) -> Built {
    cx.call_with(name, vec![Arg::Value(matrix)], vec![("rtol", rcond.clone())])
}

fn empty(cx: &mut Decompose<'_>, dtype: Dtype) -> Built {
    let size = cx.ints_arg(&[0]);
    cx.call_with("aten.zeros.default", vec![size], vec![("dtype", Arg::Dtype(dtype))])
}

/// The residuals, or NaN where the rank of some matrix is not full: PyTorch gives none of the batch then.
fn where_full(cx: &mut Decompose<'_>, sums: Value, rank: Value, full: crate::types::SymInt) -> Built {
    let want = cx.call("aten.scalar_tensor.default", vec![Arg::Int(full)])?;
    let full = cx.compare("eq", rank, want)?;
    let all = cx.call("aten.all.default", vec![Arg::Value(full)])?;
    let nan = cx.scalar(f64::NAN, cx.dtype_of(sums))?;
    cx.select(all, sums, nan)
}
