//! Values of a kernel as symbolic integers, so that the bounds prover of the loop IR works on them.
//!
//! A loop's variable is its first value and its step times a variable of the prover, which runs over the turns. A value that
//! is not known is a symbol of its own with the range of its type. A vector's value is that of any one lane.
//!
//! Invariant: an expression is what the kernel computes, or a symbol that may be anything of its type; what may wrap is a symbol.

use crate::base::HashMap;
use crate::kernels::{Builtin, IndexOp, Kernel, Launch, LocalId, Type, Value, ValueId, Word};
use crate::loops::{BinaryOp, UnaryOp};
use crate::types::{Dtype, Range, Scalar, SymArena, SymInt};

/// Positions of variables that no loop has.
pub const LANE: u32 = 1_000_000;
pub const BLOCK: u32 = 1_000_001;
pub const THREAD: u32 = 1_000_002;
pub const TASK: u32 = 1_000_003;

/// The name of values that memory holds, and of values that are computed from these.
const DATA: &str = "data";

pub struct Symbols<'k> {
    pub syms: &'k SymArena,
    pub kernel: &'k Kernel,
    /// What locals are at this place.
    pub known: HashMap<LocalId, SymInt>,
    pub begin: SymInt,
    pub end: SymInt,
}

impl<'k> Symbols<'k> {
    pub fn new(syms: &'k SymArena, kernel: &'k Kernel) -> Symbols<'k> {
        let call = |name: &str| syms.symbol(name, Range::new(0, i64::MAX), None);
        let (begin, end) = (call("task.begin"), call("task.end"));
        Symbols { syms, kernel, known: HashMap::default(), begin, end }
    }

    /// A lane of a vector.
    pub fn lane(&self) -> SymInt {
        self.syms.index_var(LANE, self.syms.constant(self.kernel.lanes))
    }
    /// Something of a dtype that nothing else is known of.
    pub fn unknown(&self, name: &str, dtype: Dtype) -> SymInt {
        let bits = 8 * dtype.size() as u32;
        let range = match dtype {
            Dtype::Bool => Range::new(0, 1),
            d if d.is_float() || d.size() == 8 => Range::new(i64::MIN, i64::MAX),
            d if d.is_signed() => Range::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => Range::new(0, (1 << bits) - 1),
        };
        self.syms.symbol(name, range, None)
    }
    pub fn forget(&mut self, local: LocalId) {
        let symbol = match self.kernel.body.locals[local].ty {
            Type::Scalar(dtype) | Type::Vector(dtype) => self.unknown(DATA, dtype),
            _ => self.unknown(&super::name(self.kernel, local), Dtype::Int64),
        };
        self.known.insert(local, symbol);
    }

    /// The value, or a new symbol. Conditions are 0 or 1.
    pub fn value(&self, value: ValueId) -> SymInt {
        let (e, dtype) = self.typed(value);
        e.filter(|e| self.fits(*e, dtype)).unwrap_or_else(|| self.unknown(self.origin(value), dtype))
    }

    /// Whether an expression is made of what memory holds.
    pub fn is_of_data(&self, e: SymInt) -> bool {
        self.syms.symbols(e).into_iter().any(|s| self.syms.symbol_name(s) == DATA)
    }
    /// Whether an integer is not 0: conditions are it already.
    fn truth(&self, value: ValueId) -> SymInt {
        let e = self.value(value);
        let range = self.syms.range(e);
        let is_condition = range.min >= 0 && range.max <= 1;
        if is_condition { e } else { self.syms.ne(e, self.syms.constant(0)) }
    }
    /// The name of a value that is not known: elements are computed from what memory holds.
    fn origin(&self, value: ValueId) -> &'static str {
        match &self.kernel.body.values[value] {
            Value::Index(..) | Value::ToIndex(_) | Value::ToWide(_) | Value::Not(_) => "value",
            _ => DATA,
        }
    }

    /// Whether a calculation gives a number of the dtype, so that it did not wrap.
    fn fits(&self, e: SymInt, dtype: Dtype) -> bool {
        if dtype.size() == 8 {
            return true;
        }
        let (range, held) = (self.syms.range(e), self.syms.range(self.unknown("held", dtype)));
        range.min >= held.min && range.max <= held.max
    }

    fn typed(&self, value: ValueId) -> (Option<SymInt>, Dtype) {
        let syms = self.syms;
        let index = |e| (Some(e), Dtype::Int64);
        match &self.kernel.body.values[value] {
            Value::Constant(Scalar::Float(_), dtype) => (None, *dtype),
            Value::Constant(scalar, dtype) if !dtype.is_float() => {
                (Some(syms.constant(scalar.as_i64())), *dtype)
            }
            Value::Constant(_, dtype) => (None, *dtype),
            Value::Integer(v) => index(syms.constant(*v)),
            Value::Parameter(place) => index(syms.symbol_expr(self.kernel.symbols[*place])),
            Value::Builtin(builtin) => index(self.builtin(*builtin)),
            Value::Local(local) => {
                let dtype = match self.kernel.body.locals[*local].ty {
                    Type::Scalar(dtype) | Type::Vector(dtype) => dtype,
                    _ => Dtype::Int64,
                };
                (self.known.get(local).copied(), dtype)
            }
            Value::Element(array, _) => match self.kernel.body.locals[*array].ty {
                Type::Array { dtype, .. } => (None, dtype),
                _ => (None, Dtype::Int64),
            },
            Value::Index(op, operands) => self.index(*op, operands),
            Value::ToIndex(a) | Value::ToWide(a) => index(self.value(*a)),
            Value::Splat(a) => {
                let (e, dtype) = self.typed(*a);
                (e.filter(|e| self.fits(*e, dtype)), dtype)
            }
            Value::Not(a) => (Some(syms.not(self.value(*a))), Dtype::Bool),
            Value::Unary(UnaryOp::LogicalNot, a) if self.dtype(*a) == Dtype::Bool => {
                (Some(syms.not(self.value(*a))), Dtype::Bool)
            }
            Value::Unary(UnaryOp::Neg, a) if !self.dtype(*a).is_float() => {
                (Some(syms.neg(self.value(*a))), self.dtype(*a))
            }
            Value::Unary(op, a) => (None, op.result(self.dtype(*a))),
            Value::Binary(op, a, b) => self.binary(*op, *a, *b),
            Value::Cast(to, a) => {
                let integers = !to.is_float() && !self.dtype(*a).is_float();
                let truth = *to == Dtype::Bool;
                (integers.then(|| if truth { self.truth(*a) } else { self.value(*a) }), *to)
            }
            Value::Round(to, _) => (None, *to),
            Value::Select(c, a, b) => {
                let dtype = self.dtype(*a);
                let chosen = || syms.select(self.value(*c), self.value(*a), self.value(*b));
                ((!dtype.is_float()).then(chosen), dtype)
            }
            Value::Fold(_, dtype, _) => (None, *dtype),
            Value::Word(word, operands) => match word {
                Word::LaneIndex => index(self.lane()),
                Word::FirstLanes | Word::TailMask => {
                    (Some(syms.lt(self.lane(), self.value(operands[0]))), Dtype::Bool)
                }
                Word::Any => (None, Dtype::Bool),
                Word::QuotientBy => index(syms.floordiv(self.value(operands[0]), self.value(operands[1]))),
                Word::RestBy => index(syms.modulo(self.value(operands[0]), self.value(operands[1]))),
                Word::BitsOfHalf | Word::BitsOfBfloat => (None, Dtype::Int16),
                Word::Nibble => (None, Dtype::Float32),
                Word::DivideBy | Word::SigmoidRounded | Word::SigmoidScaled => {
                    (None, self.dtype(operands[0]))
                }
            },
            Value::Load(access) => (None, super::bounds::dtype(self.kernel, access)),
        }
    }

    fn dtype(&self, value: ValueId) -> Dtype {
        self.typed(value).1
    }

    pub fn builtin(&self, builtin: Builtin) -> SymInt {
        let syms = self.syms;
        let (blocks, threads, cluster) = match &self.kernel.launch {
            Launch::Gpu { blocks, threads, cluster, .. } => (*blocks, *threads, *cluster),
            Launch::Cpu { .. } => (syms.constant(1), 1, 1),
        };
        match builtin {
            Builtin::Begin => self.begin,
            Builtin::End => self.end,
            Builtin::Lanes => syms.constant(self.kernel.lanes),
            Builtin::BlockIndex => syms.index_var(BLOCK, blocks),
            Builtin::Blocks => blocks,
            Builtin::ThreadIndex => syms.index_var(THREAD, syms.constant(threads)),
            Builtin::ClusterRank => {
                let block = syms.index_var(BLOCK, blocks);
                syms.modulo(block, syms.constant(cluster.max(1)))
            }
        }
    }

    fn index(&self, op: IndexOp, operands: &[ValueId]) -> (Option<SymInt>, Dtype) {
        use IndexOp::*;
        let syms = self.syms;
        if op == Choose {
            let dtype = self.dtype(operands[1]);
            let [c, a, b] = [0, 1, 2].map(|k| self.value(operands[k]));
            return ((!dtype.is_float()).then(|| syms.select(c, a, b)), dtype);
        }
        // A float may be different from itself.
        if operands.iter().any(|o| self.dtype(*o).is_float()) {
            return (None, Dtype::Bool);
        }
        let values: Vec<SymInt> = operands.iter().map(|o| self.value(*o)).collect();
        let zero = syms.constant(0);
        let (a, b) = (values[0], values.get(1).copied().unwrap_or(zero));
        let integer = |e| (Some(e), Dtype::Int64);
        let truth = |e| (Some(e), Dtype::Bool);
        // What is divided by zero, or by what may be negative, is not known.
        let divisor = syms.range(b).min > 0;
        match op {
            Add => integer(syms.sum(&values)),
            Multiply => integer(syms.product(&values)),
            Subtract => integer(syms.sub(a, b)),
            Negate => integer(syms.neg(a)),
            Divide | FloorDivide if divisor => integer(syms.floordiv(a, b)),
            Remainder | FloorRemainder if divisor => integer(syms.modulo(a, b)),
            Divide | FloorDivide | Remainder | FloorRemainder => (None, Dtype::Int64),
            Min => integer(syms.min(a, b)),
            Max => integer(syms.max(a, b)),
            Equal => truth(syms.eq(a, b)),
            NotEqual if b == zero => truth(self.truth(operands[0])),
            NotEqual => truth(syms.ne(a, b)),
            Less => truth(syms.lt(a, b)),
            LessEqual => truth(syms.le(a, b)),
            Greater => truth(syms.lt(b, a)),
            GreaterEqual => truth(syms.le(b, a)),
            And => truth(values[1..].iter().fold(a, |all, v| syms.and(all, *v))),
            Or => truth(values[1..].iter().fold(a, |all, v| syms.or(all, *v))),
            Choose => (None, Dtype::Int64),
        }
    }

    fn binary(&self, op: BinaryOp, a: ValueId, b: ValueId) -> (Option<SymInt>, Dtype) {
        use BinaryOp::*;
        let syms = self.syms;
        let dtype = self.dtype(a);
        let result = if op.is_predicate() { Dtype::Bool } else { dtype };
        if dtype.is_float() || dtype == Dtype::Uint64 {
            return (None, result);
        }
        let (a, b) = (self.value(a), self.value(b));
        let e = match op {
            Add => syms.add(a, b),
            Sub => syms.sub(a, b),
            Mul => syms.mul(a, b),
            FloorDiv if syms.range(b).min > 0 => syms.floordiv(a, b),
            Remainder if syms.range(b).min > 0 => syms.modulo(a, b),
            Minimum | Fmin => syms.min(a, b),
            Maximum | Fmax => syms.max(a, b),
            Eq => syms.eq(a, b),
            Ne => syms.ne(a, b),
            Lt => syms.lt(a, b),
            Le => syms.le(a, b),
            Gt => syms.lt(b, a),
            Ge => syms.le(b, a),
            LogicalAnd | BitwiseAnd if dtype == Dtype::Bool => syms.and(a, b),
            LogicalOr | BitwiseOr if dtype == Dtype::Bool => syms.or(a, b),
            _ => return (None, result),
        };
        // A sum of numbers that may be anything may wrap.
        let wraps = matches!(op, Add | Sub | Mul) && !syms.fits(e);
        ((!wraps).then_some(e), result)
    }
}
