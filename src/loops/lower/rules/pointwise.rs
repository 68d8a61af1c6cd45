//! Pointwise operators as scalar expressions.

use crate::loops::BinaryOp;
use crate::loops::lower::{Args, Lazy, Lower, LowerError};

type Results = Result<Vec<Lazy>, LowerError>;

/// `self + alpha * other`
pub fn add(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let (dtype, sizes) = (out.dtype, out.shape.clone());
    let compute = dtype.compute();
    let (a, b) = (args.lazy(cx, "self")?, args.lazy(cx, "other")?);
    let (a, b) = (cx.broadcast(&a, &sizes), cx.broadcast(&b, &sizes));
    let a = cx.program.exprs.cast(a, compute);
    let mut b = cx.program.exprs.cast(b, compute);
    if let Some(alpha) = args.number(cx, "alpha", compute) {
        b = cx.program.exprs.binary(BinaryOp::Mul, alpha, b);
    }
    let sum = cx.program.exprs.binary(BinaryOp::Add, a, b);
    let expr = cx.program.exprs.cast(sum, dtype);
    Ok(vec![Lazy { sizes, expr }])
}

/// `max(self, 0)`, NaN kept.
pub fn relu(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let a = args.lazy(cx, "self")?;
    let dtype = args.result(0).dtype;
    let x = cx.compute(a.expr);
    let zero = cx.program.exprs.int(0, dtype.compute());
    let y = cx.program.exprs.binary(BinaryOp::Maximum, x, zero);
    let expr = cx.program.exprs.cast(y, dtype);
    Ok(vec![Lazy { sizes: a.sizes, expr }])
}
