//! The function that computes a weight from its code, in halves and two codes at a time.
//!
//! Small integers are halves, and so are values that were rounded to a half. An operation on halves rounds once; the same operation in
//! float32, rounded to a half, rounds a sum twice. Products of halves are exact in float32. So a sum is computed in halves where passes need
//! not keep each rounding: it then has one rounding less, as PyTorch's kernels on GPUs have it.

use super::{Codes, is_constant_in_chunks, range};
use crate::loops::{BinaryOp, Expr, ExprId, Program};
use crate::templates::gemv::codes::{CodeStep, CodeSteps};
use crate::types::{Dtype, Scalar, SymInt, SymbolId};

/// How weights are made of codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// What a code is less than its bits.
    pub bias: i64,
    pub steps: CodeSteps,
    /// The numbers that the codes of a chunk share, in float32.
    pub shared: Vec<ExprId>,
}

/// Biases that leave the numbers which unpack codes exact.
const MOST_BIAS: i64 = 128;

/// How the operand `b` is made of codes in operations on halves; none where it takes others.
pub fn made_of(program: &Program, codes: Codes, kv: SymInt, half: Dtype, b: ExprId) -> Option<Made> {
    let k = program.syms.as_symbol(kv)?;
    let mut writer = Writer { program, codes, k, half, bias: 0, steps: Vec::new(), shared: Vec::new() };
    writer.exact(b)?;
    let Writer { bias, steps, shared, .. } = writer;
    let mut all = CodeSteps::default();
    if steps.len() > all.0.len() {
        return None;
    }
    all.0[..steps.len()].copy_from_slice(&steps);
    Some(Made { bias, steps: all, shared })
}

struct Writer<'p> {
    program: &'p Program,
    codes: Codes,
    k: SymbolId,
    half: Dtype,
    bias: i64,
    steps: Vec<CodeStep>,
    shared: Vec<ExprId>,
}

impl Writer<'_> {
    /// A value that a half holds, made of the code.
    fn exact(&mut self, e: ExprId) -> Option<()> {
        let exprs = &self.program.exprs;
        if self.is_small(e)
            && let Some(more) = self.code_and(e)
        {
            let fits = if self.codes.signed { more == 0 } else { more.abs() <= MOST_BIAS };
            self.bias = -more;
            return fits.then_some(());
        }
        match exprs[e] {
            Expr::Cast(to, a) if to == self.half && exprs.dtype(a) == Dtype::Float32 => self.rounded(a),
            Expr::Cast(_, a) if exprs.dtype(a) == self.half || self.is_small(e) => self.exact(a),
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..) if self.is_small(e) => self.sum(e),
            _ => None,
        }
    }

    /// A value that is rounded to a half.
    fn rounded(&mut self, e: ExprId) -> Option<()> {
        let exprs = &self.program.exprs;
        let factors = |e: ExprId| match exprs[e] {
            Expr::Binary(BinaryOp::Mul, a, b) => Some((a, b)),
            _ => None,
        };
        if self.is_small(e) {
            return self.exact(e);
        }
        if let Some((a, b)) = factors(e) {
            let by = self.with_shared(a, b)?;
            self.steps.push(CodeStep::Multiply(by));
            return Some(());
        }
        if let Expr::Cast(Dtype::Float32, _) = exprs[e] {
            return self.exact(e);
        }
        if self.program.keeps_roundings {
            return None;
        }
        let Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = exprs[e] else { return None };
        let ((x, y), added) = match (factors(a), factors(b)) {
            (Some(product), _) if !self.is_shared(a) => (product, b),
            (_, Some(product)) if op == BinaryOp::Add && !self.is_shared(b) => (product, a),
            _ => return self.sum(e),
        };
        let by = self.with_shared(x, y)?;
        let added = self.shared(added)?;
        self.steps.push(match op {
            BinaryOp::Add => CodeStep::MultiplyAdd(by, added),
            _ => CodeStep::MultiplySubtract(by, added),
        });
        Some(())
    }

    /// The sum or difference of two halves.
    fn sum(&mut self, e: ExprId) -> Option<()> {
        let Expr::Binary(op, a, b) = self.program.exprs[e] else { return None };
        let step = match op {
            BinaryOp::Add => CodeStep::Add(self.with_shared(a, b)?),
            _ => {
                self.exact(a)?;
                CodeStep::Subtract(self.shared(b)?)
            }
        };
        self.steps.push(step);
        Some(())
    }

    /// One of two values is made of the code; the place of the other, which codes share.
    fn with_shared(&mut self, a: ExprId, b: ExprId) -> Option<i64> {
        let (made, shared) = if self.is_shared(b) { (a, b) } else { (b, a) };
        self.exact(made)?;
        self.shared(shared)
    }

    /// What is added to the code, where a value is that sum.
    fn code_and(&self, e: ExprId) -> Option<i64> {
        let number = |e: ExprId| range(self.program, e).filter(|r| r.0 == r.1).map(|r| r.0);
        match self.program.exprs[e] {
            _ if e == self.codes.value => Some(0),
            Expr::Cast(_, a) => self.code_and(a),
            Expr::Binary(BinaryOp::Add, a, b) => match (number(a), number(b)) {
                (None, Some(n)) => Some(self.code_and(a)? + n),
                (Some(n), None) => Some(self.code_and(b)? + n),
                _ => None,
            },
            Expr::Binary(BinaryOp::Sub, a, b) => Some(self.code_and(a)? - number(b)?),
            _ => None,
        }
    }

    /// The place of a half that the codes of a chunk share.
    fn shared(&mut self, e: ExprId) -> Option<i64> {
        let exprs = &self.program.exprs;
        let is_half = match exprs[e] {
            Expr::Cast(Dtype::Float32, a) => exprs.dtype(a) == self.half,
            Expr::Constant(Scalar::Float(value), Dtype::Float32) => match self.half {
                Dtype::Bfloat16 => f64::from(half::bf16::from_f64(value).to_f32()) == value,
                _ => f64::from(half::f16::from_f64(value).to_f32()) == value,
            },
            _ => false,
        };
        if !self.is_shared(e) || exprs.dtype(e) != Dtype::Float32 || !(is_half || self.is_small(e)) {
            return None;
        }
        let place = self.shared.iter().position(|s| *s == e).unwrap_or_else(|| {
            self.shared.push(e);
            self.shared.len() - 1
        });
        Some(place as i64)
    }

    fn is_shared(&self, value: ExprId) -> bool {
        let syms = &self.program.syms;
        let same = |i: &SymInt| is_constant_in_chunks(syms, *i, self.k, self.codes.chunk());
        self.program.exprs.postorder(&[value]).iter().all(|e| match &self.program.exprs[*e] {
            Expr::Load { index, data, .. } => data.is_empty() && index.iter().all(same),
            Expr::Index(index, _) => same(index),
            Expr::Masked { .. } | Expr::Check { .. } => false,
            _ => true,
        })
    }

    /// An integer that a half holds.
    fn is_small(&self, e: ExprId) -> bool {
        let most = if self.half == Dtype::Bfloat16 { 256 } else { 2048 };
        range(self.program, e).is_some_and(|(low, high)| -most <= low && high <= most)
    }
}
