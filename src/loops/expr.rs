//! Scalar expressions: what is computed at one point of an index space, as a hash-consed DAG.

use super::BufferId;
use crate::base::{Arena, Handle, HashMap, HashSet};
use crate::types::{Dtype, Scalar, SymArena, SymInt, SymbolId};
use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

pub type ExprId = Handle<Expr>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    Constant(Scalar, Dtype),
    /// An integer expression of loop variables and symbols, as a value.
    Index(SymInt, Dtype),
    /// The element of a buffer. `index` may use `data_var(k)`, which stands for the int64 value `data[k]`.
    Load {
        buffer: BufferId,
        index: Box<[SymInt]>,
        data: Box<[ExprId]>,
    },
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// Both sides are evaluated.
    Select(ExprId, ExprId, ExprId),
    /// As a C conversion; to bool: nonzero.
    Cast(Dtype, ExprId),
    /// `value` where the condition holds, `otherwise` elsewhere; the loads of `value` are only made where it holds.
    Masked {
        condition: ExprId,
        value: ExprId,
        otherwise: ExprId,
    },
    /// `value`, once `condition` is seen to hold; otherwise the run fails with the numbered assertion. `value` is not
    /// evaluated where the condition fails.
    Check {
        condition: ExprId,
        value: ExprId,
        assertion: u32,
    },
}

/// Functions of one argument; the result has the argument's dtype, but for predicates, which give bool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Neg,
    Abs,
    /// -1, 0 or 1; NaN stays NaN.
    Sign,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Erf,
    Erfc,
    Erfinv,
    Sqrt,
    /// `1 / sqrt(x)`
    Rsqrt,
    Reciprocal,
    Sigmoid,
    /// GELU by tanh, which a library may take as its epilogue. A pass puts its formula ([`ExprArena::expanded`]) wherever no
    /// library does, so that kernels have none.
    GeluTanh,
    Floor,
    Ceil,
    Trunc,
    /// Half to even.
    Round,
    Lgamma,
    Digamma,
    /// Bool operand.
    LogicalNot,
    /// Integers.
    BitwiseNot,
    /// The bits of a float as the signed integer of its size.
    ToBits,
    /// The float32 whose bits an int32 is, or the float64 of an int64.
    FromBits,
    /// The float16 whose bits an int16 is.
    HalfFromBits,
    /// The bfloat16 whose bits an int16 is.
    BfloatFromBits,
    IsNan,
    IsInf,
    Signbit,
}

/// Functions of two arguments of one dtype; comparisons and logic give bool, the others that dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Floats.
    Div,
    /// Rounded down, as Python's `//`; integers: a zero divisor must be excluded by a `Check`.
    FloorDiv,
    /// Integers, rounded to zero; a zero divisor must be excluded by a `Check`.
    TruncDiv,
    /// Python's `%`.
    Remainder,
    /// C's `fmod` and `%`.
    Fmod,
    Pow,
    /// NaN wins.
    Maximum,
    Minimum,
    /// NaN loses.
    Fmax,
    Fmin,
    Atan2,
    Copysign,
    Nextafter,
    Hypot,
    /// The regularised incomplete gamma function of `b` with the parameter `a`, from 0 to `b`.
    Igamma,
    /// From `b` on.
    Igammac,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Bool operands.
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    /// Integers and bool.
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    ShiftLeft,
    ShiftRight,
    /// Random word number `b` under the seed `a`, both int64: `0..2^32`. Word `b % 4` of what Philox 4x32-10 makes of the
    /// counter `b / 4` and the key `a`.
    Philox,
}

impl UnaryOp {
    pub fn is_predicate(self) -> bool {
        matches!(self, UnaryOp::LogicalNot | UnaryOp::IsNan | UnaryOp::IsInf | UnaryOp::Signbit)
    }
    /// The dtype of the result for an operand of this one.
    pub fn result(self, operand: Dtype) -> Dtype {
        match self {
            UnaryOp::FromBits if operand == Dtype::Int32 => Dtype::Float32,
            UnaryOp::FromBits => Dtype::Float64,
            UnaryOp::HalfFromBits => Dtype::Float16,
            UnaryOp::BfloatFromBits => Dtype::Bfloat16,
            UnaryOp::ToBits => operand.integer_of_size(),
            op if op.is_predicate() => Dtype::Bool,
            _ => operand,
        }
    }
}

impl BinaryOp {
    pub fn is_predicate(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge | LogicalAnd | LogicalOr | LogicalXor)
    }
}

/// The expressions of a program; equal ones have equal handles.
#[derive(Clone, Debug, Default)]
pub struct ExprArena {
    exprs: Arena<Expr>,
    dtypes: Vec<Dtype>,
    interned: HashMap<Expr, ExprId>,
}

impl std::ops::Index<ExprId> for ExprArena {
    type Output = Expr;
    fn index(&self, id: ExprId) -> &Expr {
        &self.exprs[id]
    }
}

impl ExprArena {
    pub fn new() -> Self {
        Self::default()
    }
    pub fn dtype(&self, id: ExprId) -> Dtype {
        self.dtypes[id.index()]
    }
    fn intern(&mut self, expr: Expr, dtype: Dtype) -> ExprId {
        if let Some(id) = self.interned.get(&expr) {
            return *id;
        }
        let id = self.exprs.push(expr.clone());
        self.dtypes.push(dtype);
        self.interned.insert(expr, id);
        id
    }
    /// A literal of a dtype.
    pub fn constant(&mut self, value: Scalar, dtype: Dtype) -> ExprId {
        let value = match dtype {
            Dtype::Bool => Scalar::Bool(value.as_bool()),
            d if d.is_integer() => Scalar::Int(value.as_i64()),
            _ => Scalar::Float(value.as_f64()),
        };
        self.intern(Expr::Constant(value, dtype), dtype)
    }
    pub fn float(&mut self, value: f64, dtype: Dtype) -> ExprId {
        self.constant(Scalar::Float(value), dtype)
    }
    pub fn int(&mut self, value: i64, dtype: Dtype) -> ExprId {
        self.constant(Scalar::Int(value), dtype)
    }
    /// A float of symbols, given as its bits, in float64.
    pub fn float_of_bits(&mut self, bits: SymInt) -> ExprId {
        let bits = self.index_value(bits, Dtype::Int64);
        self.unary(UnaryOp::FromBits, bits)
    }
    /// The bits of a value, read as another dtype of its size.
    pub fn bits(&mut self, a: ExprId, dtype: Dtype) -> ExprId {
        let mut bits = a;
        if self.dtype(a).is_float() {
            bits = match self[a] {
                Expr::Unary(UnaryOp::FromBits | UnaryOp::HalfFromBits | UnaryOp::BfloatFromBits, from) => {
                    from
                }
                _ => self.unary(UnaryOp::ToBits, a),
            };
        }
        if !dtype.is_float() {
            return self.cast(bits, dtype);
        }
        let bits = self.cast(bits, dtype.integer_of_size());
        match (dtype, &self[bits]) {
            (_, Expr::Unary(UnaryOp::ToBits, from)) if self.dtype(*from) == dtype => *from,
            (Dtype::Float16, _) => self.unary(UnaryOp::HalfFromBits, bits),
            (Dtype::Bfloat16, _) => self.unary(UnaryOp::BfloatFromBits, bits),
            _ => self.unary(UnaryOp::FromBits, bits),
        }
    }
    /// The bits where the value is a half that is only made to be stored: as integers they stay what they are, whatever
    /// kind of NaN they mean.
    pub fn stored_bits(&self, value: ExprId) -> Option<ExprId> {
        match self[value] {
            Expr::Unary(UnaryOp::HalfFromBits | UnaryOp::BfloatFromBits, bits) => Some(bits),
            _ => None,
        }
    }
    pub fn index_value(&mut self, index: SymInt, dtype: Dtype) -> ExprId {
        self.intern(Expr::Index(index, dtype), dtype)
    }
    /// A load; `dtype` is the buffer's.
    pub fn load(&mut self, buffer: BufferId, dtype: Dtype, index: Vec<SymInt>, data: Vec<ExprId>) -> ExprId {
        self.intern(Expr::Load { buffer, index: index.into(), data: data.into() }, dtype)
    }
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        let dtype = op.result(self.dtype(a));
        self.intern(Expr::Unary(op, a), dtype)
    }
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        debug_assert_eq!(self.dtype(a), self.dtype(b), "{op:?} of two dtypes");
        let dtype = if op.is_predicate() { Dtype::Bool } else { self.dtype(a) };
        self.intern(Expr::Binary(op, a, b), dtype)
    }
    pub fn select(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        debug_assert_eq!(self.dtype(a), self.dtype(b), "select of two dtypes");
        let dtype = self.dtype(a);
        self.intern(Expr::Select(condition, a, b), dtype)
    }
    pub fn masked(&mut self, condition: ExprId, value: ExprId, otherwise: ExprId) -> ExprId {
        debug_assert_eq!(self.dtype(value), self.dtype(otherwise), "masked of two dtypes");
        let dtype = self.dtype(value);
        self.intern(Expr::Masked { condition, value, otherwise }, dtype)
    }
    pub fn check(&mut self, condition: ExprId, value: ExprId, assertion: u32) -> ExprId {
        let dtype = self.dtype(value);
        self.intern(Expr::Check { condition, value, assertion }, dtype)
    }
    /// A conversion; nothing where the dtype is the same already.
    pub fn cast(&mut self, a: ExprId, dtype: Dtype) -> ExprId {
        if self.dtype(a) == dtype {
            return a;
        }
        match self[a] {
            Expr::Constant(value, from)
                if !dtype.is_reduced_float()
                    && !from.is_reduced_float()
                    && (from.is_integral() || !dtype.is_integral()) =>
            {
                self.constant(value, dtype)
            }
            Expr::Index(index, _) if dtype == Dtype::Int64 => self.index_value(index, dtype),
            // Widened and narrowed again: what it was.
            Expr::Cast(Dtype::Float32, b) if dtype.is_reduced_float() && self.dtype(b) == dtype => b,
            _ => self.intern(Expr::Cast(dtype, a), dtype),
        }
    }
    /// The operands of an expression.
    pub fn operands(&self, id: ExprId) -> Vec<ExprId> {
        match &self[id] {
            Expr::Constant(..) | Expr::Index(..) => Vec::new(),
            Expr::Load { data, .. } => data.to_vec(),
            Expr::Unary(_, a) | Expr::Cast(_, a) => vec![*a],
            Expr::Binary(_, a, b) => vec![*a, *b],
            Expr::Select(c, a, b) => vec![*c, *a, *b],
            Expr::Masked { condition, value, otherwise } => vec![*condition, *value, *otherwise],
            Expr::Check { condition, value, .. } => vec![*condition, *value],
        }
    }
    /// Every expression below (and with) the roots, operands before their users.
    pub fn postorder(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let (mut order, mut seen) = (Vec::new(), HashSet::default());
        let mut stack: Vec<(ExprId, bool)> = roots.iter().rev().map(|r| (*r, false)).collect();
        while let Some((id, done)) = stack.pop() {
            if done {
                order.push(id);
            } else if seen.insert(id) {
                stack.push((id, true));
                self.operands(id).into_iter().rev().for_each(|o| stack.push((o, false)));
            }
        }
        order
    }
    /// How many expressions lie on the longest way down from a root, where a load of a buffer in `made` goes on with
    /// as many.
    pub fn depth(&self, root: ExprId, made: &HashMap<BufferId, usize>) -> usize {
        let mut depths: HashMap<ExprId, usize> = HashMap::default();
        for id in self.postorder(&[root]) {
            let below = self.operands(id).into_iter().map(|o| depths[&o]).max().unwrap_or(0);
            let loaded = match &self[id] {
                Expr::Load { buffer, .. } => made.get(buffer).copied().unwrap_or(0),
                _ => 0,
            };
            depths.insert(id, below.max(loaded) + 1);
        }
        depths[&root]
    }
    /// Every load below the roots.
    pub fn loads(&self, roots: &[ExprId]) -> Vec<ExprId> {
        self.postorder(roots).into_iter().filter(|e| matches!(self[*e], Expr::Load { .. })).collect()
    }
    /// The loads that are made whatever the data: not under a mask or a check, nor for another load's place.
    pub fn unconditional_loads(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let (mut found, mut seen) = (Vec::new(), HashSet::default());
        let mut stack: Vec<ExprId> = roots.iter().rev().copied().collect();
        while let Some(id) = stack.pop() {
            match &self[id] {
                _ if !seen.insert(id) => {}
                Expr::Masked { .. } | Expr::Check { .. } => {}
                Expr::Load { data, .. } if data.is_empty() => found.push(id),
                Expr::Load { .. } => {}
                _ => stack.extend(self.operands(id).into_iter().rev()),
            }
        }
        found
    }
    /// Rebuilds the DAG bottom up: `f` gets each expression with its operands already rewritten and may replace it.
    pub fn rewrite(&mut self, root: ExprId, f: &mut dyn FnMut(&mut ExprArena, ExprId) -> ExprId) -> ExprId {
        let mut done: HashMap<ExprId, ExprId> = HashMap::default();
        for id in self.postorder(&[root]) {
            let expr = self[id].clone();
            let get = |e: &ExprId| done[e];
            let dtype = self.dtype(id);
            let rebuilt = match expr {
                Expr::Constant(..) | Expr::Index(..) => id,
                Expr::Load { buffer, index, data } => {
                    let data: Vec<ExprId> = data.iter().map(get).collect();
                    self.load(buffer, dtype, index.into(), data)
                }
                Expr::Unary(op, a) => self.unary(op, get(&a)),
                Expr::Binary(op, a, b) => self.binary(op, get(&a), get(&b)),
                Expr::Select(c, a, b) => self.select(get(&c), get(&a), get(&b)),
                Expr::Cast(to, a) => self.cast(get(&a), to),
                Expr::Masked { condition, value, otherwise } => {
                    self.masked(get(&condition), get(&value), get(&otherwise))
                }
                Expr::Check { condition, value, assertion } => {
                    self.check(get(&condition), get(&value), assertion)
                }
            };
            let result = f(self, rebuilt);
            done.insert(id, result);
        }
        done[&root]
    }
    /// `x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3))`: (1 + tanh y) / 2 is the sigmoid of 2 y, which is cheaper and keeps
    /// its digits where y is far below 0.
    pub fn gelu_tanh(&mut self, x: ExprId) -> ExprId {
        let dtype = self.dtype(x);
        // Numbers of the dtype, as formulas have them.
        let rounded = |number: f64| if dtype == Dtype::Float64 { number } else { f64::from(number as f32) };
        let numbers = [0.044715, SQRT_2 * FRAC_2_SQRT_PI].map(rounded);
        let [small, root] = numbers.map(|number| self.float(number, dtype));
        let square = self.binary(BinaryOp::Mul, x, x);
        let cube = self.binary(BinaryOp::Mul, square, x);
        let cubic = self.binary(BinaryOp::Mul, cube, small);
        let sum = self.binary(BinaryOp::Add, x, cubic);
        let inner = self.binary(BinaryOp::Mul, sum, root);
        let sigmoid = self.unary(UnaryOp::Sigmoid, inner);
        self.binary(BinaryOp::Mul, x, sigmoid)
    }
    /// Whether any expression is [`UnaryOp::GeluTanh`].
    pub fn has_gelu_tanh(&self) -> bool {
        self.exprs.iter().any(|(_, e)| matches!(e, Expr::Unary(UnaryOp::GeluTanh, _)))
    }
    /// The expression with the formula of each function that only libraries have.
    pub fn expanded(&mut self, root: ExprId) -> ExprId {
        self.rewrite(root, &mut |exprs, id| match exprs[id] {
            Expr::Unary(UnaryOp::GeluTanh, x) => exprs.gelu_tanh(x),
            _ => id,
        })
    }
    /// The expression with loop variables (and symbols) replaced in all its index expressions. The replacements must
    /// not use data variables.
    pub fn substitute(&mut self, syms: &SymArena, root: ExprId, map: &HashMap<SymbolId, SymInt>) -> ExprId {
        if map.is_empty() {
            return root;
        }
        self.rewrite(root, &mut |exprs, id| match exprs[id].clone() {
            Expr::Index(index, dtype) => {
                let index = syms.substitute(index, map);
                exprs.index_value(index, dtype)
            }
            Expr::Load { buffer, index, data } => {
                let dtype = exprs.dtype(id);
                let index = index.iter().map(|i| syms.substitute(*i, map)).collect();
                exprs.load(buffer, dtype, index, data.into())
            }
            _ => id,
        })
    }
}
