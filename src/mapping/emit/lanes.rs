//! The lane loop: whole vectors and tails, stores, and the sums of a template.

use super::{Conversion, Emitter, Lanes, Operand, Span};
use crate::kernels::{
    Access, Axis, Builtin, IndexOp, LocalId, Loop, Pointer, Shape, Statement, Step, Type, Unroll, Value,
    ValueId, Word,
};
use crate::loops::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::types::{Dtype, SymInt, SymNode, SymbolKind};

/// A condition of a vector's lanes.
pub(super) struct Edges {
    /// Whether it holds for all lanes that are on, as far as they differ.
    pub whole: ValueId,
    /// For which lanes, as a mask that has no name yet.
    pub on: ValueId,
    /// The part that all lanes share.
    pub shared: Option<ValueId>,
}

impl Emitter<'_> {
    /// A template's sums at the lanes.
    pub fn accumulator(
        &mut self,
        pointer: impl Into<Pointer>,
        start: ValueId,
        convert: Option<Conversion>,
    ) -> Operand {
        let pointer = pointer.into();
        let lane = self.lanes.and_then(|l| self.variables.get(&l.symbol)).map(|v| v.0);
        let (origin, at) = match lane {
            Some(lane) => (Some(start), lane),
            None => (None, self.integer(0)),
        };
        let apart = self.aligned.is_none();
        let loaded = self.contiguous(Pointer { origin, ..pointer }, at, apart);
        self.converted(loaded, convert)
    }

    /// A condition at every lane, where its comparisons are of sums in which the lane has a known factor: each then holds
    /// for the first lanes, or for all but those.
    pub(super) fn lane_condition(&mut self, condition: SymInt) -> Option<ValueId> {
        let lane = self.lanes?.symbol;
        let syms = std::sync::Arc::clone(&self.program.syms);
        let is_data = |s| matches!(syms.symbol_kind(s), SymbolKind::Data(_));
        if syms.symbols(condition).into_iter().any(is_data) {
            return None;
        }
        if !syms.depends_on(condition, lane) {
            return Some(self.shared_condition(condition));
        }
        let (a, b, strict) = match syms.node(condition) {
            SymNode::And(a, b) => return self.two_conditions(BinaryOp::LogicalAnd, a, b),
            SymNode::Or(a, b) => return self.two_conditions(BinaryOp::LogicalOr, a, b),
            SymNode::Not(a) => {
                let a = self.lane_condition(a)?;
                return Some(self.mask_not(a));
            }
            SymNode::Lt(a, b) => (a, b, true),
            SymNode::Le(a, b) => (a, b, false),
            _ => return None,
        };
        // What is left at the first lane, and what each further lane adds.
        let left = syms.sub(b, a);
        let step = syms.linear_in(left, lane).and_then(|(step, _)| syms.as_const(step))?;
        if step == 0 {
            return Some(self.shared_condition(condition));
        }
        let left = self.wide_index(left);
        let one = self.integer(1);
        let first = match (step > 0, strict) {
            (true, true) => {
                let left = self.index_op(IndexOp::Negate, &[left]);
                let lanes = self.quotient_by(left, step);
                self.index_op(IndexOp::Add, &[lanes, one])
            }
            (true, false) => {
                let most = self.integer(step - 1);
                let left = self.index_op(IndexOp::Subtract, &[most, left]);
                self.quotient_by(left, step)
            }
            (false, true) => {
                let more = self.integer(-step - 1);
                let left = self.index_op(IndexOp::Add, &[left, more]);
                self.quotient_by(left, -step)
            }
            (false, false) => {
                let lanes = self.quotient_by(left, -step);
                self.index_op(IndexOp::Add, &[lanes, one])
            }
        };
        let lanes = self.word(Word::FirstLanes, &[first]);
        Some(if step > 0 { self.mask_not(lanes) } else { lanes })
    }

    /// A condition that draws edges between lanes, in its parts; none that only data or other sums decide.
    pub(super) fn split_condition(&mut self, condition: SymInt) -> Option<Edges> {
        let lane = self.lanes?.symbol;
        let syms = std::sync::Arc::clone(&self.program.syms);
        let is_data = |s| matches!(syms.symbol_kind(s), SymbolKind::Data(_));
        if syms.symbols(condition).into_iter().any(is_data) {
            return None;
        }
        let (mut parts, mut left) = ((Vec::new(), Vec::new()), vec![condition]);
        while let Some(part) = left.pop() {
            match syms.node(part) {
                SymNode::And(a, b) => left.extend([b, a]),
                _ if syms.depends_on(part, lane) => parts.0.push(part),
                _ => parts.1.push(part),
            }
        }
        let all = |list: Vec<SymInt>| list.into_iter().reduce(|a, b| syms.and(a, b));
        let (own, shared) = (all(parts.0)?, all(parts.1));
        let whole = self.holds_in_all_lanes(own)?;
        let on = self.lane_condition(own)?;
        Some(Edges { whole, on, shared: shared.map(|shared| self.holds(shared)) })
    }

    /// Whether a condition holds for every lane that is on, as one bool for all of them, where it joins comparisons of sums in
    /// which the lane has a known factor: each is then decided by the first lane or by the last.
    fn holds_in_all_lanes(&mut self, condition: SymInt) -> Option<ValueId> {
        let lanes = self.lanes?;
        let syms = std::sync::Arc::clone(&self.program.syms);
        let (left, least) = match syms.node(condition) {
            SymNode::And(a, b) => {
                let both = [self.holds_in_all_lanes(a)?, self.holds_in_all_lanes(b)?];
                return Some(self.index_op(IndexOp::And, &both));
            }
            SymNode::Lt(a, b) => (syms.sub(b, a), 1),
            SymNode::Le(a, b) => (syms.sub(b, a), 0),
            _ => return None,
        };
        let step = syms.linear_in(left, lanes.symbol).and_then(|(step, _)| syms.as_const(step))?;
        let (mut left, least) = (self.index(left), self.integer(least));
        if step < 0 {
            let (step, one) = (self.integer(step), self.integer(1));
            let count = lanes.count.unwrap_or_else(|| self.builtin(Builtin::Lanes));
            let further = self.minus(count, one);
            let further = self.times(step, further);
            left = self.plus(left, further);
        }
        Some(self.index_op(IndexOp::LessEqual, &[least, left]))
    }

    fn two_conditions(&mut self, op: BinaryOp, a: SymInt, b: SymInt) -> Option<ValueId> {
        let (a, b) = (self.lane_condition(a)?, self.lane_condition(b)?);
        Some(self.add(Value::Binary(op, a, b)))
    }
    pub(super) fn mask_not(&mut self, mask: ValueId) -> ValueId {
        self.add(Value::Unary(UnaryOp::LogicalNot, mask))
    }
    /// A condition that all lanes share, as a bool.
    pub fn holds(&mut self, condition: SymInt) -> ValueId {
        let (condition, zero) = (self.index(condition), self.add(Value::Integer(0)));
        self.index_op(IndexOp::NotEqual, &[condition, zero])
    }
    fn shared_condition(&mut self, condition: SymInt) -> ValueId {
        let holds = self.holds(condition);
        self.splat(holds)
    }
    fn quotient_by(&mut self, value: ValueId, by: i64) -> ValueId {
        if by == 1 {
            return value;
        }
        let by = self.integer(by);
        let by = self.add(Value::ToWide(by));
        self.index_op(IndexOp::FloorDivide, &[value, by])
    }

    /// The mask of the loop's tail.
    pub fn tail_mask(&mut self) -> ValueId {
        match self.masks.first() {
            Some(mask) => *mask,
            None => self.every_lane(),
        }
    }
    pub(super) fn every_lane(&mut self) -> ValueId {
        let on = self.bool(true);
        self.splat(on)
    }

    /// Computes a value and stores it at an offset. Storing rounds to a reduced float by itself.
    pub fn store(&mut self, pointer: impl Into<Pointer>, offset: SymInt, value: ExprId) {
        if let Some(bits) = self.program.exprs.stored_bits(value) {
            let operand = self.value(bits);
            return self.store_value(pointer.into().as_bits(Dtype::Int16), offset, operand);
        }
        let operand = self.rounded_by_store(value);
        self.store_value(pointer, offset, operand);
    }

    /// Computes a value that is about to be stored.
    pub fn rounded_by_store(&mut self, value: ExprId) -> Operand {
        let rounded = match &self.program.exprs[value] {
            Expr::Cast(to, a) if to.is_reduced_float() && self.program.exprs.dtype(*a) == Dtype::Float32 => {
                *a
            }
            _ => value,
        };
        self.value(rounded)
    }

    pub fn store_value(&mut self, pointer: impl Into<Pointer>, offset: SymInt, operand: Operand) {
        let pointer = pointer.into();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let at = self.index(offset);
        let Some(lanes) = self.lanes else {
            let access = Access { pointer, at, shape: Shape::Element };
            return self.push(Statement::Store { access, value: operand.value });
        };
        let value = self.vector(operand);
        let (at, shape) = match self.lane_step(offset, &lanes) {
            Some(step) if syms.as_const(step) == Some(1) => match lanes.count {
                Some(count) => (at, Shape::Tail { count }),
                None => (at, Shape::Vector { aligned: self.is_aligned(offset, lanes.symbol) }),
            },
            Some(step) => (at, Shape::Strided { step: self.index(step), count: lanes.count }),
            None => {
                let at = self.lane_indices(offset).value;
                (at, Shape::Each { mask: self.tail_mask() })
            }
        };
        self.push(Statement::Store { access: Access { pointer, at, shape }, value });
    }

    /// Names the variables of the point at a row-major position, in the innermost scope.
    pub fn bind_point(&mut self, sizes: &[SymInt], position: ValueId) {
        self.bind_space(0, sizes, position);
    }

    /// [`Self::bind_point`] for variables counted from `base`.
    pub fn bind_space(&mut self, base: u32, sizes: &[SymInt], position: ValueId) {
        let dims: Vec<(u32, SymInt)> = (base..).zip(sizes.iter().copied()).collect();
        self.bind_dims(&dims, position);
    }

    /// Names the variables of these dimensions for a row-major position in the space that they span.
    pub fn bind_dims(&mut self, dims: &[(u32, SymInt)], position: ValueId) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let level = self.depth();
        let vars = dims.iter().map(|(place, size)| (syms.index_var(*place, *size), *size));
        let wide: Vec<(SymInt, SymInt)> = vars.filter(|(var, _)| syms.as_symbol(*var).is_some()).collect();
        if wide.is_empty() {
            return;
        }
        let mut left = position;
        if let [(only, _)] = wide[..] {
            return self.bind(only, left, level);
        }
        for (n, (var, size)) in wide.into_iter().enumerate().rev() {
            if n == 0 {
                let name = self.spare("i", Type::Index, left);
                self.bind(var, name, level);
            } else {
                let size = self.divisor(size);
                let rest = self.index_op(IndexOp::Remainder, &[left, size]);
                let name = self.spare("i", Type::Index, rest);
                let quotient = self.index_op(IndexOp::Divide, &[left, size]);
                left = self.named("q", Type::Index, quotient);
                self.bind(var, name, level);
            }
        }
    }

    /// From here on values are vectors over this variable, which has as many values as there are lanes; until `lanes` is reset.
    pub fn open_vector(&mut self, variable: SymInt, lanes: i64) {
        let Some(symbol) = self.program.syms.as_symbol(variable) else { return };
        let (first, level) = (self.integer(0), self.depth());
        self.bind(variable, first, level);
        self.lanes = Some(Lanes { symbol, count: None, multiple: Some(lanes) });
    }

    /// A loop over a span in whole vectors, then what is left under a mask. A variable over one value gives a plain block.
    pub fn over_lanes(&mut self, span: Span, body: &mut dyn FnMut(&mut Self)) {
        self.over_lanes_unrolled(span, 1, &mut |e, _| body(e));
    }

    /// [`Self::over_lanes`], first with `unroll` vectors a turn: there the body is told which of them it computes.
    pub fn over_lanes_unrolled(
        &mut self,
        span: Span,
        unroll: i64,
        body: &mut dyn FnMut(&mut Self, Option<ValueId>),
    ) {
        let Span { variable: var, first, last, known, lanes, whole, divisible } = span;
        let Some(symbol) = self.program.syms.as_symbol(var) else {
            self.open();
            body(self, None);
            let block = self.close_block();
            return self.push(Statement::Block(block));
        };
        let whole_vectors = Lanes { symbol, count: None, multiple: whole.then_some(lanes) };
        let variable = self.local("j", Type::Index);
        self.push(Statement::Variable { local: variable, value: Some(first) });
        let place = self.local_value(variable);
        let over = |step: i64, body| {
            Statement::Loop(Box::new(Loop {
                axis: Axis::Vector,
                variable,
                first: None,
                bound: last,
                step: Step::Vectors(step),
                unroll: Unroll::Free,
                body,
            }))
        };
        if is_unrolled(known, unroll, lanes) {
            // Several vectors a turn, each with an accumulator of its own: no addition waits for the last.
            self.open();
            self.open();
            let level = self.depth();
            let turn = self.local("u", Type::Index);
            let counted = self.local_value(turn);
            let own = self.lanes_behind(place, counted);
            let own = self.spare("j", Type::Index, own);
            self.bind(var, own, level);
            self.lanes = Some(whole_vectors);
            body(self, Some(counted));
            self.lanes = None;
            self.close_counted(turn, unroll, Axis::Unrolled, Unroll::Times(8));
            let block = self.close_block();
            self.push(over(unroll, block));
        }
        if known.is_none_or(|n| n >= lanes) {
            self.open();
            let level = self.depth();
            self.bind(var, place, level);
            self.lanes = Some(whole_vectors);
            body(self, None);
            self.lanes = None;
            let block = self.close_block();
            self.push(over(1, block));
        }
        if !divisible {
            self.open();
            let level = self.depth();
            self.bind(var, place, level);
            let count = self.index_op(IndexOp::Subtract, &[last, place]);
            let count = self.open_tail(count);
            self.lanes = Some(Lanes { count: Some(count), ..whole_vectors });
            body(self, None);
            self.lanes = None;
            self.set_tail_mask(None);
            let then = self.close_block();
            let condition = self.index_op(IndexOp::Less, &[place, last]);
            self.push(Statement::If { condition, then, otherwise: Vec::new() });
        }
    }

    /// Puts the mask of the first `count` lanes in force; gives the count under a name.
    pub fn open_tail(&mut self, count: ValueId) -> ValueId {
        let count = self.named("n", Type::Index, count);
        let mask = self.word(Word::TailMask, &[count]);
        let mask = self.spare("m", Type::Vector(Dtype::Bool), mask);
        self.set_tail_mask(Some(mask));
        count
    }

    /// `first` and so many whole vectors more.
    pub fn lanes_behind(&mut self, first: ValueId, vectors: ValueId) -> ValueId {
        let lanes = self.builtin(Builtin::Lanes);
        let behind = self.index_op(IndexOp::Multiply, &[vectors, lanes]);
        self.index_op(IndexOp::Add, &[first, behind])
    }

    /// Closes the innermost scope as a loop with so many turns, known beforehand.
    pub fn close_counted(&mut self, variable: LocalId, turns: i64, axis: Axis, unroll: Unroll) {
        let bound = self.integer(turns);
        self.close_loop(variable, bound, axis, unroll);
    }
    /// Closes the innermost scope as a loop that counts from 0.
    pub fn close_loop(&mut self, variable: LocalId, bound: ValueId, axis: Axis, unroll: Unroll) {
        let first = self.integer(0);
        self.close_range(variable, [first, bound], axis, unroll);
    }
    pub fn close_range(&mut self, variable: LocalId, ends: [ValueId; 2], axis: Axis, unroll: Unroll) {
        let ([first, bound], body) = (ends, self.close_block());
        let (first, step) = (Some(first), Step::One);
        self.push(Statement::Loop(Box::new(Loop { axis, variable, first, bound, step, unroll, body })));
    }
    /// Closes the innermost scope as the loop over the tasks of a call.
    pub fn close_tasks(&mut self, variable: LocalId) {
        let ends = [self.builtin(Builtin::Begin), self.builtin(Builtin::End)];
        self.close_range(variable, ends, Axis::Task, Unroll::Free);
    }
}

/// Whether a loop over lanes has turns of several vectors.
pub fn is_unrolled(known: Option<i64>, unroll: i64, lanes: i64) -> bool {
    unroll > 1 && known.is_none_or(|n| n >= 2 * unroll * lanes)
}
