//! Scalar expressions as values: named values, loads of every shape, masks and checks.

use super::lanes::Edges;
use super::steps::is_multiple;
use super::{Emitter, Lanes, Operand, Scope, Storage};
use crate::base::is_planted;
use crate::kernels::{
    Access, Axis, Builtin, IndexOp, IndexType, Length, LocalId, Pointer, Shape, Space, Statement, Type,
    Unroll, Value, ValueId, Word,
};
use crate::loops::{BinaryOp, BufferId, Expr, ExprId, UnaryOp};
use crate::types::{Dtype, Scalar, SymInt, SymbolId, SymbolKind};
use std::f64::consts::LOG2_E;

/// Factors that may be multiplied with another number beforehand.
const MODERATE: std::ops::Range<f64> = 1e-30..1e30;
/// How far down a value is followed to see that it need not be rounded.
const DEEP: usize = 8;

impl Emitter<'_> {
    /// Whether a value differs between lanes.
    fn varies(&self, id: ExprId) -> bool {
        let Some(lanes) = &self.lanes else { return false };
        let syms = &self.program.syms;
        self.program.exprs.postorder(&[id]).into_iter().any(|e| match &self.program.exprs[e] {
            Expr::Index(index, _) => syms.depends_on(*index, lanes.symbol),
            Expr::Load { buffer, index, .. } => match self.storage.get(buffer) {
                Some(Storage::Row(value) | Storage::Turn { value, .. }) => value.varying,
                Some(Storage::Local { .. } | Storage::Accumulator { .. }) => true,
                _ => syms.depends_on(index[0], lanes.symbol),
            },
            _ => false,
        })
    }

    /// The value of an expression, computed where it belongs.
    pub fn value(&mut self, id: ExprId) -> Operand {
        if let Expr::Constant(value, dtype) = &self.program.exprs[id] {
            return Operand::uniform(self.add(Value::Constant(*value, *dtype)));
        }
        // A value made under a mask serves where that mask still holds; one made without serves everywhere.
        let masks: Vec<Option<ValueId>> = self.masks.iter().rev().map(|m| Some(*m)).chain([None]).collect();
        let find = |scope: &Scope| masks.iter().find_map(|m| scope.values.get(&(id, *m)).copied());
        if let Some(found) = self.scopes.iter().rev().find_map(find) {
            return found;
        }
        let dtype = self.program.exprs.dtype(id);
        let nominal = self.level(id);
        let touches = self.guard > 0 && self.touches_memory(id);
        let level = if touches { nominal.max(self.guard) } else { nominal };
        let level = if self.may_be_nowhere(id) { level.max(self.depth()) } else { level };
        let operand = self.compute(id, level);
        let level = level.max(operand.level);
        let named = match &self.program.exprs[id] {
            Expr::Check { .. } | Expr::Masked { .. } => operand,
            Expr::Load { buffer, .. } if matches!(self.storage.get(buffer), Some(Storage::Row(_))) => operand,
            _ => self.name(operand, dtype, level),
        };
        let mask = if level >= self.lane_scope() { masks[0] } else { None };
        self.scopes[level].values.insert((id, mask), named);
        named
    }

    /// Gives an expression its value in the innermost scope.
    pub fn preset(&mut self, id: ExprId, operand: Operand) {
        let top = self.depth();
        self.scopes[top].values.insert((id, None), operand);
    }

    fn lane_scope(&self) -> usize {
        if self.lanes.is_some() { self.lane_level() } else { usize::MAX }
    }

    /// Whether a load's index lacks the variable of a dimension that may be empty: there the variable is only ever 0. Such
    /// a load stays in that dimension's loop, which then does not run.
    fn may_be_nowhere(&self, id: ExprId) -> bool {
        let Expr::Load { buffer, .. } = &self.program.exprs[id] else { return false };
        let range = |size: &SymInt| self.program.syms.range(*size);
        self.program.buffers[*buffer].sizes.iter().map(range).any(|r| r.min <= 0 && r.max <= 1)
    }

    fn touches_memory(&self, id: ExprId) -> bool {
        self.program
            .exprs
            .postorder(&[id])
            .into_iter()
            .any(|e| matches!(self.program.exprs[e], Expr::Load { .. } | Expr::Check { .. }))
    }

    pub(super) fn name(&mut self, operand: Operand, dtype: Dtype, level: usize) -> Operand {
        let ty = Type::of(dtype, operand.varying);
        let value = self.name_at(level, "v", ty, operand.value);
        Operand { value, varying: operand.varying, level }
    }

    fn compute(&mut self, id: ExprId, level: usize) -> Operand {
        match self.program.exprs[id].clone() {
            Expr::Constant(value, dtype) => Operand::uniform(self.add(Value::Constant(value, dtype))),
            Expr::Index(index, dtype) => self.index_value(id, index, dtype),
            Expr::Load { buffer, index, data } => self.load(id, buffer, index[0], &data),
            Expr::Unary(op, a) => self.unary(id, op, a),
            Expr::Binary(op, a, b) => {
                let op = match op {
                    BinaryOp::Mul if is_planted("wrong result") => BinaryOp::Add,
                    BinaryOp::Mul if is_planted("crash") => std::process::abort(),
                    op => op,
                };
                let (a, b) = (self.value(a), self.value(b));
                let divisor = op == BinaryOp::Div && a.varying && !b.varying;
                if divisor && self.program.exprs.dtype(id) == Dtype::Float32 {
                    let value = self.word(Word::DivideBy, &[a.value, b.value]);
                    return Operand { value, varying: true, level: a.level.max(b.level) };
                }
                if op == BinaryOp::Philox && !a.varying {
                    let value = self.add(Value::Binary(op, a.value, b.value));
                    return Operand { value, varying: b.varying, level: a.level.max(b.level) };
                }
                self.apply([a, b], |[a, b]| Value::Binary(op, a, b))
            }
            Expr::Select(c, a, b) => {
                let args = [self.value(c), self.value(a), self.value(b)];
                self.apply(args, |[c, a, b]| Value::Select(c, a, b))
            }
            Expr::Cast(to, a) => self.cast(a, to),
            Expr::Masked { condition, value, otherwise } => {
                self.masked(id, level, condition, value, otherwise)
            }
            Expr::Check { condition, value, assertion } => self.check(level, condition, value, assertion),
        }
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, a: ExprId) -> Operand {
        let is_rounded = op == UnaryOp::Sigmoid && self.rounded.contains(&id);
        if is_rounded && let Some((x, by)) = self.scaled(a) {
            let by = self.add(Value::Constant(Scalar::Float(by * -LOG2_E), Dtype::Float32));
            let args = [self.value(x), Operand::uniform(by)];
            return self.apply(args, |args| Value::Word(Word::SigmoidScaled, args.into()));
        }
        if op == UnaryOp::ToBits && self.program.exprs.dtype(a).is_reduced_float() {
            return self.bits_of_half(a);
        }
        let a = self.value(a);
        self.apply([a], |[a]| match is_rounded {
            true => Value::Word(Word::SigmoidRounded, [a].into()),
            false => Value::Unary(op, a),
        })
    }

    /// The bits of a half. Registers hold halves as float32, which knows fewer kinds of NaN: from memory they are read as
    /// they stand there.
    fn bits_of_half(&mut self, a: ExprId) -> Operand {
        if let Expr::Load { buffer, index, data } = self.program.exprs[a].clone()
            && let Some(Storage::Memory(pointer)) = self.storage.get(&buffer).cloned()
        {
            let bits = pointer.clone().as_bits(Dtype::Int16);
            self.storage.insert(buffer, Storage::Memory(bits));
            let bits = self.load(a, buffer, index[0], &data);
            self.storage.insert(buffer, Storage::Memory(pointer));
            return bits;
        }
        let word = match self.program.exprs.dtype(a) {
            Dtype::Bfloat16 => Word::BitsOfBfloat,
            _ => Word::BitsOfHalf,
        };
        let a = self.value(a);
        self.apply([a], |args| Value::Word(word, args.into()))
    }

    fn check(&mut self, level: usize, condition: ExprId, value: ExprId, assertion: u32) -> Operand {
        let condition = self.value(condition);
        let inner = self.inner_mask();
        // The condition may have needed a deeper scope than the one that it depends on: a value that another
        // condition chooses stands in a block of its own.
        let level = level.max(condition.level);
        let (failed, at) = match (condition.varying, self.masks.last().copied(), inner) {
            (true, mask, _) => {
                let off = self.mask_not(condition.value);
                let failed = match mask {
                    Some(mask) => self.add(Value::Binary(BinaryOp::LogicalAnd, mask, off)),
                    None => off,
                };
                (self.word(Word::Any, &[failed]), self.depth())
            }
            // Some lane is on wherever the loop runs at all; under a mask of lanes none may be.
            (false, _, Some(mask)) => {
                let failed = self.add(Value::Not(condition.value));
                let any = self.word(Word::Any, &[mask]);
                (self.index_op(IndexOp::And, &[failed, any]), self.depth())
            }
            (false, _, None) => (self.add(Value::Not(condition.value)), level),
        };
        self.push_at(at, Statement::Check { failed, assertion });
        self.value(value).at(level)
    }

    /// A value of float32 as another one times a number.
    fn scaled(&self, id: ExprId) -> Option<(ExprId, f64)> {
        let exprs = &self.program.exprs;
        let Expr::Binary(BinaryOp::Mul, a, b) = exprs[id] else { return None };
        let number = |e: ExprId| match &exprs[e] {
            Expr::Constant(value, Dtype::Float32) => {
                Some(value.as_f64()).filter(|n| MODERATE.contains(&n.abs()))
            }
            _ => None,
        };
        number(b).map(|n| (a, n)).or_else(|| number(a).map(|n| (b, n)))
    }

    fn cast(&mut self, a: ExprId, to: Dtype) -> Operand {
        let from = self.program.exprs.dtype(a);
        let operand = self.value(a);
        // In registers a reduced float is a float32 that happens to be one of its values.
        let register = |d: Dtype| if d.is_reduced_float() { Dtype::Float32 } else { d };
        let converted = if register(from) == register(to) { operand } else { self.convert(operand, to) };
        if to.is_reduced_float() && from != to && !self.is_exact(a, to, 0) {
            return self.apply([converted], |[a]| Value::Round(to, a));
        }
        converted
    }

    /// True for a value that a reduced float has anyway: one of its own values, its size, the larger of two, a choice.
    fn is_exact(&self, id: ExprId, to: Dtype, depth: usize) -> bool {
        use crate::loops::UnaryOp::{Abs, Neg};
        let exact = |e: ExprId| depth < DEEP && self.is_exact(e, to, depth + 1);
        let exprs = &self.program.exprs;
        match exprs[id] {
            _ if exprs.dtype(id) == to => true,
            Expr::Cast(Dtype::Float32, a) | Expr::Unary(Abs | Neg, a) => exact(a),
            Expr::Binary(BinaryOp::Maximum | BinaryOp::Minimum, a, b) | Expr::Select(_, a, b) => {
                exact(a) && exact(b)
            }
            Expr::Constant(Scalar::Float(value), _) => value == 0.0 || value == 1.0,
            _ => false,
        }
    }

    fn index_value(&mut self, id: ExprId, index: SymInt, dtype: Dtype) -> Operand {
        if dtype == Dtype::Bool && self.varies(id) {
            if self.lanes.is_some_and(|lanes| self.is_shared(index, &lanes)) {
                return Operand::uniform(self.holds(index));
            }
            if let Some(mask) = self.lane_condition(index) {
                return Operand::varying(mask);
            }
        }
        let base = if !self.varies(id) {
            Operand::uniform(self.wide_index(index))
        } else {
            self.lane_indices(index)
        };
        if dtype == Dtype::Int64 { base } else { self.convert(base, dtype) }
    }

    /// An index as a 64-bit value.
    pub(super) fn wide_index(&mut self, index: SymInt) -> ValueId {
        let value = self.index(index);
        match self.body.index {
            IndexType::I64 => value,
            IndexType::I32 => self.add(Value::ToWide(value)),
        }
    }

    /// A vector of an index at every lane.
    pub(super) fn lane_indices(&mut self, index: SymInt) -> Operand {
        let Some(lanes) = self.lanes else { return Operand::uniform(self.wide_index(index)) };
        let syms = std::sync::Arc::clone(&self.program.syms);
        if let Some(vector) = self.machine_index(index, &lanes) {
            return vector;
        }
        let data_varies = self.data.iter().any(|d| d.varying)
            && syms.symbols(index).iter().any(|s| matches!(syms.symbol_kind(*s), SymbolKind::Data(_)));
        if !data_varies && let Some(step) = self.lane_step(index, &lanes) {
            let base = self.index(index);
            let base = self.add(Value::ToWide(base));
            let base = self.splat(base);
            return Operand::varying(self.stepping(base, step));
        }
        self.lane_by_lane(index, lanes.symbol)
    }

    /// A vector of an index, computed in a loop over the lanes: the lane variable and the data take each lane's value in
    /// turn.
    fn lane_by_lane(&mut self, index: SymInt, symbol: SymbolId) -> Operand {
        let lane = self.local("l", Type::Scalar(Dtype::Int32));
        let at = self.local_value(lane);
        let mut restored = Vec::new();
        for k in 0..self.data.len() {
            if self.data[k].varying {
                let values = self.lane_array("d");
                let access = self.all_lanes(values);
                self.push(Statement::Store { access, value: self.data[k].value });
                restored.push((k, self.data[k]));
                self.data[k] = Operand::uniform(self.add(Value::Element(values, at)));
            }
        }
        let array = self.lane_array("a");
        let own = self.variables.get(&symbol).copied();
        self.open();
        if let Some((variable, _)) = own {
            let level = self.depth();
            let shifted = self.index_op(IndexOp::Add, &[variable, at]);
            let shifted = self.spare("j", Type::Index, shifted);
            self.variables.insert(symbol, (shifted, level));
        }
        let value = self.index(index);
        let place = self.add(Value::Element(array, at));
        self.push(Statement::Assign { place, value });
        if let Some(own) = own {
            self.variables.insert(symbol, own);
        }
        let lanes = self.builtin(Builtin::Lanes);
        self.close_loop(lane, lanes, Axis::Lane, Unroll::Free);
        for (k, operand) in restored {
            self.data[k] = operand;
        }
        let access = self.all_lanes(array);
        Operand::varying(self.add(Value::Load(access))).at(self.depth())
    }

    /// An array of an integer for each lane.
    fn lane_array(&mut self, name: &'static str) -> LocalId {
        let ty = Type::Array {
            dtype: Dtype::Int64,
            vectors: false,
            length: Length::Lanes,
            space: Space::Registers,
        };
        let local = self.local(name, ty);
        self.push(Statement::Array { local, fill: None });
        local
    }
    fn all_lanes(&mut self, array: LocalId) -> Access {
        let shape = Shape::Vector { aligned: false };
        Access { pointer: array.into(), at: self.integer(0), shape }
    }

    fn load(&mut self, id: ExprId, buffer: BufferId, offset: SymInt, data: &[ExprId]) -> Operand {
        let storage = self.storage.get(&buffer).cloned();
        let (pointer, offset) = match storage {
            Some(Storage::Row(value) | Storage::Turn { value, .. }) => return value,
            Some(Storage::Memory(pointer)) => (pointer, offset),
            Some(Storage::Local { pointer, position }) => (pointer, position),
            Some(Storage::Accumulator { pointer, start, convert }) => {
                return self.accumulator(pointer, start, convert);
            }
            None => unreachable!("buffer {buffer} has no storage in this kernel"),
        };
        let offset = match is_planted("outside") {
            true => self.program.syms.add_const(offset, 1),
            false => offset,
        };
        let saved = std::mem::take(&mut self.data);
        let mut operands = Vec::with_capacity(data.len());
        for d in data {
            operands.push(self.value(*d));
        }
        let below = operands.iter().map(|o| o.level).max().unwrap_or(0);
        self.data = operands;
        let result = self.memory_load(id, pointer, offset);
        self.data = saved;
        result.at(below)
    }

    fn memory_load(&mut self, id: ExprId, pointer: Pointer, offset: SymInt) -> Operand {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let data_varies = self.data.iter().any(|d| d.varying);
        if !self.varies(id) {
            let at = self.index(offset);
            // One element for all lanes, and perhaps for none.
            let shape = match self.inner_mask() {
                Some(mask) => Shape::ElementWhere { mask },
                None => Shape::Element,
            };
            return Operand::uniform(self.add(Value::Load(Access { pointer, at, shape })));
        }
        let Some(lanes) = self.lanes else { unreachable!("a value varies only between lanes") };
        if !data_varies && let Some(step) = self.lane_step(offset, &lanes) {
            let at = self.index(offset);
            if syms.as_const(step) == Some(0) && self.inner_mask().is_none() {
                let element = self.add(Value::Load(Access { pointer, at, shape: Shape::Element }));
                return Operand::varying(self.splat(element));
            }
            if syms.as_const(step) == Some(1) {
                let apart = !self.is_aligned(offset, lanes.symbol);
                return self.contiguous(pointer, at, apart);
            }
            let step = self.index(step);
            if self.inner_mask().is_none() {
                let shape = Shape::Strided { step, count: lanes.count };
                return Operand::varying(self.add(Value::Load(Access { pointer, at, shape })));
            }
        }
        let indices = self.lane_indices(offset);
        let mask = self.masks.last().copied().unwrap_or_else(|| self.every_lane());
        let access = Access { pointer, at: indices.value, shape: Shape::Each { mask } };
        Operand::varying(self.add(Value::Load(access))).at(indices.level)
    }

    /// The mask in force beyond the tail's.
    pub(super) fn inner_mask(&self) -> Option<ValueId> {
        let tail = usize::from(self.lanes.is_some_and(|l| l.count.is_some()));
        self.masks.get(tail..).and_then(|m| m.last()).copied()
    }

    /// Whether an offset is known to be a multiple of a vector's elements wherever the lane variable is; a target that does not
    /// ask is told that it is not.
    pub(super) fn is_aligned(&self, offset: SymInt, lane: SymbolId) -> bool {
        let Some(elements) = self.aligned else { return false };
        let syms = &self.program.syms;
        match syms.linear_in(offset, lane) {
            Some((_, rest)) => syms.as_const(syms.modulo(rest, syms.constant(elements))) == Some(0),
            None => is_multiple(syms, offset, lane, elements),
        }
    }

    pub(super) fn contiguous(&mut self, pointer: Pointer, at: ValueId, apart: bool) -> Operand {
        let (varying, shape) = match (&self.lanes, self.inner_mask()) {
            (None, _) => (false, Shape::Element),
            (Some(_), Some(mask)) => (true, Shape::Where { mask }),
            (Some(Lanes { count: Some(count), .. }), None) => (true, Shape::Tail { count: *count }),
            (Some(_), None) => (true, Shape::Vector { aligned: !apart }),
        };
        let value = self.add(Value::Load(Access { pointer, at, shape }));
        if varying { Operand::varying(value) } else { Operand::uniform(value) }
    }

    fn masked(
        &mut self,
        id: ExprId,
        level: usize,
        condition: ExprId,
        value: ExprId,
        otherwise: ExprId,
    ) -> Operand {
        let dtype = self.program.exprs.dtype(id);
        let otherwise = self.value(otherwise);
        if let Some(index) = self.edges(condition, value)
            && let Some(edges) = self.split_condition(index)
        {
            return self.masked_at_edges(dtype, edges, value, otherwise);
        }
        let condition = self.value(condition);
        if condition.varying {
            let chosen = self.masked_lanes(condition, value, otherwise);
            return self.name(chosen, dtype, self.depth());
        }
        let varying = self.varies(id);
        let fit = |e: &mut Self, operand| if varying { e.vector(operand) } else { operand.value };
        let other = fit(self, otherwise);
        // The block stands in the innermost scope, whatever the level, so that what it needs is there already.
        let level = level.max(self.depth());
        let local = self.local("v", Type::of(dtype, varying));
        self.push_at(level, Statement::Variable { local, value: Some(other) });
        let name = self.local_value(local);
        self.open();
        let saved = std::mem::take(&mut self.levels);
        let inside = self.guarded(value);
        let value = fit(self, inside);
        self.push(Statement::Assign { place: name, value });
        let then = self.close_block();
        self.push(Statement::If { condition: condition.value, then, otherwise: Vec::new() });
        self.levels = saved;
        Operand { value: name, varying, level }
    }

    /// A value under a condition of each lane: lanes that are off load nothing, and both sides are vectors.
    fn masked_lanes(&mut self, condition: Operand, value: ExprId, otherwise: Operand) -> Operand {
        let mask = match self.masks.last() {
            Some(outer) => self.add(Value::Binary(BinaryOp::LogicalAnd, *outer, condition.value)),
            None => condition.value,
        };
        let mask = self.named("m", Type::Vector(Dtype::Bool), mask);
        self.masks.push(mask);
        let value = self.guarded(value);
        self.masks.pop();
        self.apply([condition, value, otherwise], |[c, a, b]| Value::Select(c, a, b))
    }

    /// The condition as an index, where it draws edges between lanes that load: a vector within them needs no mask. A machine
    /// whose lanes are registers of a thread masks each load by itself, and so does what stands under a mask already.
    fn edges(&self, condition: ExprId, value: ExprId) -> Option<SymInt> {
        let Expr::Index(index, Dtype::Bool) = self.program.exprs[condition] else { return None };
        let lanes = self.lanes.filter(|_| self.aligned.is_none())?;
        let apart = self.inner_mask().is_none() && !self.is_shared(index, &lanes);
        (apart && self.varies(value) && self.touches_memory(value)).then_some(index)
    }

    /// A value under a condition that draws edges: a vector within them is computed without it, one at an edge under a mask, and
    /// none where what all lanes share does not hold.
    fn masked_at_edges(&mut self, dtype: Dtype, edges: Edges, value: ExprId, otherwise: Operand) -> Operand {
        let level = self.depth();
        let local = self.local("v", Type::of(dtype, true));
        let start = self.vector(otherwise);
        self.push(Statement::Variable { local, value: Some(start) });
        let name = self.local_value(local);
        let saved = std::mem::take(&mut self.levels);
        self.open();
        self.open();
        let inside = self.guarded(value);
        let inside = self.vector(inside);
        self.push(Statement::Assign { place: name, value: inside });
        let then = self.close_block();
        self.open();
        // The mask is made here, so that vectors within do not wait for it.
        let on = self.named("v", Type::Vector(Dtype::Bool), edges.on);
        let chosen = self.masked_lanes(Operand::varying(on), value, otherwise);
        self.push(Statement::Assign { place: name, value: chosen.value });
        let at_edge = self.close_block();
        self.push(Statement::If { condition: edges.whole, then, otherwise: at_edge });
        match edges.shared {
            Some(shared) => self.close_if(shared),
            None => self.close_scope(),
        }
        self.levels = saved;
        Operand::varying(name).at(level)
    }

    /// A value whose loads and checks stay in the innermost scope.
    pub fn guarded(&mut self, value: ExprId) -> Operand {
        let depth = self.depth();
        let guard = std::mem::replace(&mut self.guard, depth);
        let value = self.value(value);
        self.guard = guard;
        value
    }
}
