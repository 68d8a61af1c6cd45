//! Scans one line, one element after another.

use super::emit::Emitter;
use super::lines::Lines;
use crate::kernels::{Axis, IndexOp, Statement, Type, Unroll, Value, ValueId};
use crate::loops::{BinaryOp, BufferId, ExprId, ScanOp, UnaryOp};
use crate::types::{Dtype, Scalar, SymInt};

/// A scan of the values over `sizes`; `outs`: the results, and for an extreme its places.
pub struct Scan<'n> {
    pub sizes: &'n [SymInt],
    pub axis: usize,
    pub op: ScanOp,
    pub value: ExprId,
    pub outs: &'n [BufferId],
}

/// The loop along a line whose other variables are bound. What came so far is kept in this dtype.
pub fn walk(lines: &mut Lines<'_, '_>, scan: &Scan<'_>, dtype: Dtype) {
    let Scan { sizes, axis, op, value, outs } = *scan;
    let own = lines.program.exprs.dtype(value);
    let e = &mut *lines.emitter;
    let zero = e.add(Value::Constant(Scalar::Int(0), dtype));
    let total = e.local("total", Type::Scalar(dtype));
    e.push(Statement::Variable { local: total, value: Some(zero) });
    let total = e.local_value(total);
    let place = op.has_places().then(|| {
        let place = e.local("place", Type::Scalar(Dtype::Int64));
        let zero = e.integer(0);
        e.push(Statement::Variable { local: place, value: Some(zero) });
        e.local_value(place)
    });
    let count = e.index(sizes[axis]);
    let step = e.local("step", Type::Index);
    let at = e.local_value(step);
    e.open();
    lines.bind_axis(sizes, axis, at);
    let e = &mut *lines.emitter;
    let mut v = e.value(value).value;
    let mut result = total;
    if dtype != own {
        v = e.add(Value::Cast(dtype, v));
        result = e.add(Value::Cast(own, total));
    }
    let zero = e.integer(0);
    let first = e.index_op(IndexOp::Equal, &[at, zero]);
    Element { e, dtype, total, v, first, place: place.map(|place| (place, at)) }.take(op);
    lines.store_at(outs[0], sizes, result);
    if let (Some(places), Some(place)) = (outs.get(1), place) {
        lines.store_at(*places, sizes, place);
    }
    lines.emitter.close_loop(step, count, Axis::Serial, Unroll::Free);
}

/// An element of a line, and what comes before it.
struct Element<'e, 'p> {
    e: &'e mut Emitter<'p>,
    dtype: Dtype,
    /// The variable that holds the result so far.
    total: ValueId,
    v: ValueId,
    /// Whether nothing came before.
    first: ValueId,
    /// For an extreme the variable of its place, and this element's.
    place: Option<(ValueId, ValueId)>,
}

impl Element<'_, '_> {
    fn both(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        self.e.add(Value::Binary(op, a, b))
    }
    fn one(&mut self, op: UnaryOp, a: ValueId) -> ValueId {
        self.e.add(Value::Unary(op, a))
    }
    fn is(&mut self, op: IndexOp, a: ValueId, b: ValueId) -> ValueId {
        self.e.index_op(op, &[a, b])
    }
    fn assign(&self, value: ValueId) -> Statement {
        Statement::Assign { place: self.total, value }
    }

    /// Takes the element into the result so far.
    fn take(mut self, op: ScanOp) {
        match op {
            ScanOp::Sum => self.combine(BinaryOp::Add),
            ScanOp::Product => self.combine(BinaryOp::Mul),
            ScanOp::LogSumExp => self.log_sum_exp(),
            ScanOp::MaxWithIndex => self.extreme(IndexOp::GreaterEqual),
            ScanOp::MinWithIndex => self.extreme(IndexOp::LessEqual),
        }
    }

    fn combine(&mut self, op: BinaryOp) {
        let more = self.both(op, self.total, self.v);
        let value = self.e.index_op(IndexOp::Choose, &[self.first, self.v, more]);
        let statement = self.assign(value);
        self.e.push(statement);
    }

    /// log(exp(total) + exp(v)), from the larger of the two, so that nothing overflows.
    fn log_sum_exp(&mut self) {
        let (total, v) = (self.total, self.v);
        let is_nan = self.is(IndexOp::NotEqual, v, v);
        let starts = self.is(IndexOp::Or, self.first, is_nan);
        let (known, infinite) = (self.is(IndexOp::Equal, total, total), self.one(UnaryOp::IsInf, total));
        let same = self.is(IndexOp::Equal, total, v);
        let both_infinite = self.is(IndexOp::And, infinite, same);
        let finite = self.e.add(Value::Not(both_infinite));
        let adds = self.is(IndexOp::And, known, finite);
        let ty = Type::Scalar(self.dtype);
        self.e.open();
        let most = self.both(BinaryOp::Maximum, total, v);
        let most = self.e.named("most", ty, most);
        let least = self.both(BinaryOp::Minimum, total, v);
        let least = self.e.named("least", ty, least);
        let apart = self.both(BinaryOp::Sub, least, most);
        let part = self.one(UnaryOp::Exp, apart);
        let more = self.one(UnaryOp::Log1p, part);
        let sum = self.both(BinaryOp::Add, most, more);
        let statement = self.assign(sum);
        self.e.push(statement);
        let then = self.e.close_block();
        let otherwise = vec![Statement::If { condition: adds, then, otherwise: Vec::new() }];
        let then = vec![self.assign(v)];
        self.e.push(Statement::If { condition: starts, then, otherwise });
    }

    /// The last of equal ones, and any NaN from the first on.
    fn extreme(&mut self, better: IndexOp) {
        let (total, v) = (self.total, self.v);
        let mut beats = self.is(better, v, total);
        if self.dtype.is_float() {
            let known = self.is(IndexOp::Equal, total, total);
            let beaten = self.is(IndexOp::And, known, beats);
            let is_nan = self.is(IndexOp::NotEqual, v, v);
            beats = self.is(IndexOp::Or, is_nan, beaten);
        }
        let condition = self.is(IndexOp::Or, self.first, beats);
        let mut then = vec![self.assign(v)];
        then.extend(self.place.map(|(place, at)| Statement::Assign { place, value: at }));
        self.e.push(Statement::If { condition, then, otherwise: Vec::new() });
    }
}
