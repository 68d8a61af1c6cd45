//! Integer values of scalar expressions: the conditions under which an expression is evaluated, and the interval that a
//! value, such as an index from data, lies in.
//!
//! Invariants: an interval's ends are integer expressions of loop variables and free symbols; an interval of a buffer
//! names free symbols alone. What is not known has no end. The interval of a float is that of the integer it is truncated
//! to.
//!
//! Deliberately absent: arithmetic of floats, and intervals of arithmetic that may wrap.

use super::goal_facts::not_negative;
use crate::base::HashMap;
use crate::loops::{BinaryOp, BufferId, Expr, ExprId, NodeKind, Program, ReductionOp, ScanOp, UnaryOp};
use crate::types::{Dtype, Scalar, SymArena, SymInt, SymbolKind};

/// Bounds of a value, each of which holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    pub lows: Vec<SymInt>,
    pub highs: Vec<SymInt>,
}

/// Bounds kept of one end.
const MOST_ENDS: usize = 4;
/// Expressions that are looked through for one value.
const DEEPEST: usize = 24;

/// Integers up to here are numbers of float32 and of float64.
const LARGEST_EXACT: f64 = (1 << 24) as f64;

/// What holds where an expression is evaluated: a condition and its truth, after those of the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Context(u32);

struct Scope {
    parent: Option<Context>,
    facts: Vec<SymInt>,
    values: Vec<(ExprId, Interval)>,
}

/// The contexts and values of one program.
pub(super) struct Facts<'p> {
    program: &'p Program,
    scopes: Vec<Scope>,
    entered: HashMap<(Context, ExprId, bool), Context>,
    intervals: HashMap<(ExprId, Context), Interval>,
    buffers: HashMap<BufferId, Interval>,
}

impl<'p> Facts<'p> {
    pub const TOP: Context = Context(0);

    pub fn new(program: &'p Program) -> Facts<'p> {
        let top = Scope { parent: None, facts: Vec::new(), values: Vec::new() };
        Facts {
            program,
            scopes: vec![top],
            entered: HashMap::default(),
            intervals: HashMap::default(),
            buffers: HashMap::default(),
        }
    }

    fn syms(&self) -> &'p SymArena {
        &self.program.syms
    }

    /// The context where a condition has this truth.
    pub fn enter(&mut self, parent: Context, condition: ExprId, truth: bool) -> Context {
        if let Some(known) = self.entered.get(&(parent, condition, truth)) {
            return *known;
        }
        let mut scope = Scope { parent: Some(parent), facts: Vec::new(), values: Vec::new() };
        self.learn(condition, truth, &mut scope);
        let context = if scope.facts.is_empty() && scope.values.is_empty() {
            parent
        } else {
            self.scopes.push(scope);
            Context(self.scopes.len() as u32 - 1)
        };
        self.entered.insert((parent, condition, truth), context);
        context
    }

    fn learn(&self, condition: ExprId, truth: bool, scope: &mut Scope) {
        let exprs = &self.program.exprs;
        match exprs[condition] {
            Expr::Index(index, _) => not_negative(self.syms(), index, truth, &mut scope.facts),
            Expr::Constant(value, Dtype::Bool) => {
                let value = self.syms().constant(value.as_bool().into());
                not_negative(self.syms(), value, truth, &mut scope.facts);
            }
            Expr::Unary(UnaryOp::LogicalNot, a) => self.learn(a, !truth, scope),
            Expr::Cast(Dtype::Bool, a) if exprs.dtype(a) == Dtype::Bool => self.learn(a, truth, scope),
            Expr::Binary(BinaryOp::LogicalAnd | BinaryOp::BitwiseAnd, a, b)
                if truth && exprs.dtype(a) == Dtype::Bool =>
            {
                self.learn(a, true, scope);
                self.learn(b, true, scope);
            }
            Expr::Binary(BinaryOp::LogicalOr | BinaryOp::BitwiseOr, a, b)
                if !truth && exprs.dtype(a) == Dtype::Bool =>
            {
                self.learn(a, false, scope);
                self.learn(b, false, scope);
            }
            Expr::Binary(op, a, b) if exprs.dtype(a).is_integer() => self.compare(op, a, b, truth, scope),
            // A comparison that fails says nothing of NaN.
            Expr::Binary(op, a, b) if exprs.dtype(a).is_float() && truth => {
                self.compare(op, a, b, true, scope);
            }
            _ => {}
        }
    }

    fn compare(&self, op: BinaryOp, a: ExprId, b: ExprId, truth: bool, scope: &mut Scope) {
        use BinaryOp::*;
        let is_float = self.program.exprs.dtype(a).is_float();
        let (least, most, strict) = match (op, truth) {
            (Le, true) | (Gt, false) => (a, b, 0),
            (Lt, true) | (Ge, false) => (a, b, 1),
            (Ge, true) | (Lt, false) => (b, a, 0),
            (Gt, true) | (Le, false) => (b, a, 1),
            (Eq, true) | (Ne, false) => {
                self.compare(Le, a, b, true, scope);
                (b, a, 0)
            }
            _ => return,
        };
        let syms = self.syms();
        match (self.number(least), self.number(most)) {
            (Some(x), Some(y)) => scope.facts.push(syms.add_const(syms.sub(y, x), -strict)),
            (Some(x), None) => {
                let low = if is_float { x } else { syms.add_const(x, strict) };
                scope.values.push((most, Interval { lows: vec![low], highs: Vec::new() }));
            }
            (None, Some(y)) => {
                // A float between -1 and 0 is truncated to 0.
                let high = syms.add_const(y, -strict);
                let highs = vec![if is_float { syms.max(high, syms.constant(0)) } else { high }];
                scope.values.push((least, Interval { lows: Vec::new(), highs }));
            }
            (None, None) => {}
        }
    }

    /// A value that is an integer expression of loop variables and symbols.
    fn number(&self, e: ExprId) -> Option<SymInt> {
        match self.program.exprs[e] {
            Expr::Constant(Scalar::Float(value), dtype) if dtype.is_float() => {
                let exact = value == value.trunc() && value.abs() <= LARGEST_EXACT;
                exact.then(|| self.syms().constant(value as i64))
            }
            Expr::Index(index, Dtype::Int64) => Some(index),
            Expr::Constant(value, dtype) if dtype.is_integer() => Some(self.syms().constant(value.as_i64())),
            _ => None,
        }
    }

    /// The expressions that are not negative in a context, the innermost last.
    pub fn facts(&self, context: Context) -> Vec<SymInt> {
        let (mut found, mut at) = (Vec::new(), Some(context));
        while let Some(Context(k)) = at {
            let scope = &self.scopes[k as usize];
            found.extend(scope.facts.iter().rev());
            at = scope.parent;
        }
        found.reverse();
        found
    }

    /// The interval of an integer value where it is evaluated in a context.
    pub fn interval(&mut self, e: ExprId, context: Context) -> Interval {
        self.interval_at(e, context, 0)
    }

    fn interval_at(&mut self, e: ExprId, context: Context, depth: usize) -> Interval {
        if let Some(known) = self.intervals.get(&(e, context)) {
            return known.clone();
        }
        let mut found = Interval::default();
        if depth < DEEPEST {
            let mut at = Some(context);
            while let Some(Context(k)) = at {
                let scope = &self.scopes[k as usize];
                for (_, known) in scope.values.iter().filter(|v| v.0 == e) {
                    found.lows.extend(&known.lows);
                    found.highs.extend(&known.highs);
                }
                at = scope.parent;
            }
            let own = self.structure(e, context, depth + 1);
            found.lows.extend(own.lows);
            found.highs.extend(own.highs);
        }
        self.add_range_of_dtype(&mut found, self.program.exprs.dtype(e));
        for ends in [&mut found.lows, &mut found.highs] {
            let mut kept: Vec<SymInt> = Vec::new();
            for end in ends.iter() {
                if kept.len() < MOST_ENDS && !kept.contains(end) {
                    kept.push(*end);
                }
            }
            *ends = kept;
        }
        self.intervals.insert((e, context), found.clone());
        found
    }

    fn add_range_of_dtype(&self, found: &mut Interval, dtype: Dtype) {
        let range = match dtype {
            Dtype::Bool => (0, 1),
            Dtype::Uint8 => (0, u8::MAX as i64),
            Dtype::Int8 => (i8::MIN as i64, i8::MAX as i64),
            Dtype::Int16 => (i16::MIN as i64, i16::MAX as i64),
            Dtype::Int32 => (i32::MIN as i64, i32::MAX as i64),
            _ => return,
        };
        found.lows.push(self.syms().constant(range.0));
        found.highs.push(self.syms().constant(range.1));
    }

    /// The interval that an expression's own form gives it.
    fn structure(&mut self, e: ExprId, context: Context, depth: usize) -> Interval {
        let program = self.program;
        let (syms, exprs) = (self.syms(), &program.exprs);
        if let Some(number) = self.number(e) {
            return Interval { lows: vec![number], highs: vec![number] };
        }
        match &exprs[e] {
            Expr::Cast(dtype, a) if holds_all(*dtype, exprs.dtype(*a)) => {
                self.interval_at(*a, context, depth)
            }
            Expr::Cast(dtype, a) if dtype.is_integer() && exprs.dtype(*a).is_float() => {
                self.interval_at(*a, context, depth)
            }
            Expr::Check { condition, value, .. } => {
                let inner = self.enter(context, *condition, true);
                self.interval_at(*value, inner, depth)
            }
            Expr::Masked { condition, value, otherwise } => {
                let inner = self.enter(context, *condition, true);
                let a = self.interval_at(*value, inner, depth);
                let b = self.interval_at(*otherwise, context, depth);
                self.either(&a, &b)
            }
            Expr::Select(condition, a, b) => {
                let (yes, no) =
                    (self.enter(context, *condition, true), self.enter(context, *condition, false));
                let (a, b) = (self.interval_at(*a, yes, depth), self.interval_at(*b, no, depth));
                self.either(&a, &b)
            }
            Expr::Binary(BinaryOp::Minimum, a, b) => {
                let (a, b) = (self.interval_at(*a, context, depth), self.interval_at(*b, context, depth));
                let lows = self.either(&a, &b).lows;
                Interval { lows, highs: a.highs.into_iter().chain(b.highs).collect() }
            }
            Expr::Binary(BinaryOp::Maximum, a, b) => {
                let (a, b) = (self.interval_at(*a, context, depth), self.interval_at(*b, context, depth));
                let highs = self.either(&a, &b).highs;
                Interval { lows: a.lows.into_iter().chain(b.lows).collect(), highs }
            }
            // Where both ends of both are known, nothing wraps: sizes of tensors are far from 2^63.
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b)
                if exprs.dtype(*a) == Dtype::Int64 =>
            {
                let (a, b) = (self.interval_at(*a, context, depth), self.interval_at(*b, context, depth));
                let (Some(al), Some(ah)) = (a.lows.first(), a.highs.first()) else {
                    return Interval::default();
                };
                let (Some(bl), Some(bh)) = (b.lows.first(), b.highs.first()) else {
                    return Interval::default();
                };
                match op {
                    BinaryOp::Add => {
                        Interval { lows: vec![syms.add(*al, *bl)], highs: vec![syms.add(*ah, *bh)] }
                    }
                    BinaryOp::Sub => {
                        Interval { lows: vec![syms.sub(*al, *bh)], highs: vec![syms.sub(*ah, *bl)] }
                    }
                    _ if syms.range(*al).min >= 0 && syms.range(*bl).min >= 0 => {
                        Interval { lows: vec![syms.mul(*al, *bl)], highs: vec![syms.mul(*ah, *bh)] }
                    }
                    _ => Interval::default(),
                }
            }
            Expr::Binary(BinaryOp::FloorDiv, a, b) if exprs.dtype(*a).is_integer() => match self.number(*b) {
                Some(n) if syms.range(n).min >= 1 => {
                    let a = self.interval_at(*a, context, depth);
                    let divided = |ends: Vec<SymInt>| ends.into_iter().map(|e| syms.floordiv(e, n)).collect();
                    Interval { lows: divided(a.lows), highs: divided(a.highs) }
                }
                _ => Interval::default(),
            },
            Expr::Binary(BinaryOp::Remainder, _, b) => match self.number(*b) {
                Some(n) if syms.range(n).min >= 1 => {
                    Interval { lows: vec![syms.constant(0)], highs: vec![syms.add_const(n, -1)] }
                }
                _ => Interval::default(),
            },
            Expr::Load { buffer, .. } => self.buffers.get(buffer).cloned().unwrap_or_default(),
            _ => Interval::default(),
        }
    }

    /// Bounds of a value that lies in one of two intervals.
    fn either(&self, a: &Interval, b: &Interval) -> Interval {
        let syms = self.syms();
        let pairs = |x: &[SymInt], y: &[SymInt], of: fn(&SymArena, SymInt, SymInt) -> SymInt| {
            x.iter().flat_map(|p| y.iter().map(move |q| of(syms, *p, *q))).take(MOST_ENDS).collect()
        };
        Interval {
            lows: pairs(&a.lows, &b.lows, SymArena::min),
            highs: pairs(&a.highs, &b.highs, SymArena::max),
        }
    }

    /// Notes what a node's results lie in, for the nodes after it.
    pub fn learn_results(&mut self, node: &NodeKind) {
        let program = self.program;
        let syms = self.syms();
        let places =
            |size: SymInt| Interval { lows: vec![syms.constant(0)], highs: vec![syms.add_const(size, -1)] };
        match node {
            NodeKind::Sort { sizes, axis, positions, .. } => {
                self.buffers.insert(*positions, places(sizes[*axis]));
            }
            NodeKind::Scan { sizes, axis, op: ScanOp::MaxWithIndex | ScanOp::MinWithIndex, outs, .. } => {
                self.buffers.insert(outs[1], places(sizes[*axis]));
            }
            NodeKind::Reduction { reduced, op, value, outs, .. } => match op {
                ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex => {
                    // An empty row gives a position, too.
                    let last = syms.add_const(syms.product(reduced), -1);
                    let zero = syms.constant(0);
                    let interval = Interval { lows: vec![zero], highs: vec![syms.max(last, zero)] };
                    self.buffers.insert(outs[1], interval);
                }
                // A reduction of nothing gives the least or largest number instead.
                ReductionOp::Max | ReductionOp::Min
                    if program.exprs.dtype(*value).is_integer()
                        && reduced.iter().all(|s| syms.range(*s).min >= 1) =>
                {
                    self.keep(outs[0], *value);
                }
                ReductionOp::Sum => self.keep_sum(outs[0], *value, syms.product(reduced)),
                _ => {}
            },
            NodeKind::Scan { sizes, axis, op: ScanOp::Sum, value, outs } => {
                self.keep_sum(outs[0], *value, sizes[*axis]);
            }
            NodeKind::Pointwise { value, out, .. } => self.keep(*out, *value),
            NodeKind::Scatter { value, initial, mode: crate::loops::ScatterMode::Set, out, .. } => {
                let (Some(a), Some(b)) = (self.everywhere(*value), self.everywhere(*initial)) else { return };
                let interval = self.either(&a, &b);
                self.buffers.insert(*out, interval);
            }
            _ => {}
        }
    }

    fn keep(&mut self, out: BufferId, value: ExprId) {
        if let Some(interval) = self.everywhere(value) {
            self.buffers.insert(out, interval);
        }
    }

    /// The sum of up to so many numbers that are not negative, each at most a known number, such as flags.
    fn keep_sum(&mut self, out: BufferId, value: ExprId, count: SymInt) {
        let syms = self.syms();
        let Some(interval) = self.everywhere(value) else { return };
        let most = interval.highs.iter().filter_map(|e| syms.as_const(*e)).min();
        if let Some(most) = most
            && interval.lows.iter().any(|e| syms.range(*e).min >= 0)
        {
            let highs = vec![syms.mul_const(count, most)];
            self.buffers.insert(out, Interval { lows: vec![syms.constant(0)], highs });
        }
    }

    /// The interval of an integer value at all points of its space.
    fn everywhere(&mut self, value: ExprId) -> Option<Interval> {
        if !self.program.exprs.dtype(value).is_integer() {
            return None;
        }
        let interval = self.interval(value, Self::TOP);
        let lows = interval.lows.iter().filter_map(|e| self.extreme(*e, false)).collect();
        let highs = interval.highs.iter().filter_map(|e| self.extreme(*e, true)).collect();
        Some(Interval { lows, highs })
    }

    /// A bound that holds at all points of a space: loop variables at the end that makes it weakest.
    fn extreme(&self, bound: SymInt, largest: bool) -> Option<SymInt> {
        let syms = self.syms();
        let mut bound = bound;
        for symbol in syms.symbols(bound) {
            let SymbolKind::Index { size, .. } = syms.symbol_kind(symbol) else { continue };
            let Some((coefficient, rest)) = syms.linear_in(bound, symbol) else {
                let range = syms.range(bound);
                let end = if largest { range.max } else { range.min };
                return (end != i64::MIN && end != i64::MAX).then(|| syms.constant(end));
            };
            let range = syms.range(coefficient);
            let last = syms.mul(coefficient, syms.add_const(size, -1));
            bound = match (range.min >= 0, range.max <= 0, largest) {
                (true, _, true) | (_, true, false) => syms.add(rest, last),
                (true, _, false) | (_, true, true) => rest,
                _ => return None,
            };
        }
        Some(bound)
    }
}

/// Whether every number of an integer dtype is one of another.
fn holds_all(dtype: Dtype, of: Dtype) -> bool {
    let bits = |d: Dtype| if d == Dtype::Bool { 1 } else { d.size() * 8 };
    dtype.is_integer()
        && of.is_integral()
        && (dtype.is_signed() && bits(dtype) > bits(of)
            || dtype.is_signed() == of.is_signed() && bits(dtype) >= bits(of))
}
