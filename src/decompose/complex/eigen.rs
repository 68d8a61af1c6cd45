//! Two functions of matrices. Eigenvalues of a general matrix are complex even if the matrix is real: the routine gives pairs. The
//! exponential of a complex matrix is that of a real one of twice the size.

use super::Results;
use super::context::{Held, Pair, Split};
use crate::ir::{Arg, Value};

/// Computes the vectors only if the operator returns them.
pub fn eig(cx: &mut Split<'_, '_>) -> Results {
    let (own, count) = (cx.given_value("self")?, cx.node.outputs.len());
    let pairs = cx.is_complex(own);
    let matrix = if pairs { cx.joined_of(own)? } else { cx.real_of(own) };
    let args = vec![Arg::Value(matrix), Arg::Bool(pairs), Arg::Bool(count == 2)];
    let results = cx.call_all("litz.eig.default", args, Vec::new())?;
    Ok(results.into_iter().take(count).map(Held::Joined).collect())
}

/// Real matrices `[[X, -Y], [Y, X]]` multiply as `X + i Y` do. So the exponential of one holds the parts of the other's.
pub fn matrix_exp(cx: &mut Split<'_, '_>) -> Results {
    let own = cx.pair("self")?;
    let other = cx.unary("neg", own.im)?;
    let (top, below) = (cx.cat(vec![own.re, other], -1)?, cx.cat(vec![own.im, own.re], -1)?);
    let both = cx.cat(vec![top, below], -2)?;
    let both = cx.call("aten.linalg_matrix_exp.default", vec![Arg::Value(both)])?;
    let shape = cx.shape(own.re);
    let n = shape[shape.len() - 1];
    let part = |cx: &mut Split<'_, '_>, of: Value, dim: i64, begin, end| {
        let dim = cx.int_arg(dim);
        cx.call("aten.slice.Tensor", vec![Arg::Value(of), dim, Arg::Int(begin), Arg::Int(end)])
    };
    let (zero, twice) = (cx.constant(0), cx.syms().mul_const(n, 2));
    let left = part(cx, both, -1, zero, n)?;
    Ok(vec![Pair { re: part(cx, left, -2, zero, n)?, im: part(cx, left, -2, n, twice)? }.into()])
}
