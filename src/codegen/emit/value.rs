//! Scalar expressions as text: one name for each value, loads of every kind, masks and checks.

use super::{Emitter, Operand, Scope, Storage};
use crate::base::is_planted;
use crate::codegen::cpp;
use crate::kernels::Word;
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
            return Operand::uniform(cpp::literal(*value, *dtype));
        }
        // A value made under a mask serves where that mask still holds; one made without serves everywhere.
        let masks: Vec<String> = self.masks.iter().rev().cloned().chain([String::new()]).collect();
        let find = |scope: &Scope| masks.iter().find_map(|m| scope.values.get(&(id, m.clone())).cloned());
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
        let mask = if level >= self.lane_scope() { masks[0].clone() } else { String::new() };
        self.scopes[level].values.insert((id, mask), named.clone());
        named
    }

    /// Gives an expression its value in the innermost scope.
    pub fn preset(&mut self, id: ExprId, operand: Operand) {
        let top = self.depth();
        self.scopes[top].values.insert((id, String::new()), operand);
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
        let name = self.fresh("v");
        let ty = if operand.varying { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
        self.line_at(level, &format!("const {ty} {name} = {};", operand.text));
        Operand { text: name, varying: operand.varying, level }
    }

    /// The operand as a vector.
    pub fn vector(&mut self, operand: Operand) -> String {
        if operand.varying {
            return operand.text;
        }
        format!("splat({})", operand.text)
    }

    pub fn call(&mut self, name: &str, args: Vec<Operand>) -> Operand {
        let varying = args.iter().any(|a| a.varying);
        let level = args.iter().map(|a| a.level).max().unwrap_or(0);
        let parts: Vec<String> =
            args.into_iter().map(|a| if varying { self.vector(a) } else { a.text }).collect();
        Operand { text: format!("{name}({})", parts.join(", ")), varying, level }
    }

    fn compute(&mut self, id: ExprId, level: usize) -> Operand {
        match self.program.exprs[id].clone() {
            Expr::Constant(value, dtype) => Operand::uniform(cpp::literal(value, dtype)),
            Expr::Index(index, dtype) => self.index_value(id, index, dtype),
            Expr::Load { buffer, index, data } => self.load(id, buffer, index[0], &data),
            Expr::Unary(op, a) => {
                if op == UnaryOp::Sigmoid
                    && self.rounded.contains(&id)
                    && let Some((x, by)) = self.scaled(a)
                {
                    let by = cpp::literal(Scalar::Float(by * -LOG2_E), Dtype::Float32);
                    let args = vec![self.value(x), Operand::uniform(by)];
                    return self.call("l_sigmoid_scaled", args);
                }
                if op == UnaryOp::ToBits && self.program.exprs.dtype(a).is_reduced_float() {
                    return self.bits_of_half(a);
                }
                let (name, function) = cpp::unary(op);
                let is_rounded = op == UnaryOp::Sigmoid && self.rounded.contains(&id);
                let name = if is_rounded { cpp::word(Word::SigmoidRounded).0 } else { name };
                self.use_function(function);
                let a = self.value(a);
                self.call(name, vec![a])
            }
            Expr::Binary(op, a, b) => {
                let (name, function) = match op {
                    BinaryOp::Mul if is_planted("wrong result") => cpp::binary(BinaryOp::Add),
                    BinaryOp::Mul if is_planted("crash") => std::process::abort(),
                    BinaryOp::Mul if is_planted("wrong source") => ("no_word", None),
                    op => cpp::binary(op),
                };
                self.use_function(function);
                let args = vec![self.value(a), self.value(b)];
                let (many, one) = (args[0].varying, !args[1].varying);
                if op == BinaryOp::Div && many && one && self.program.exprs.dtype(id) == Dtype::Float32 {
                    let text = format!("divide_by({}, {})", args[0].text, args[1].text);
                    return Operand { text, varying: true, level: args[0].level.max(args[1].level) };
                }
                if op == BinaryOp::Philox && !many {
                    let text = format!("{name}({}, {})", args[0].text, args[1].text);
                    let level = args[0].level.max(args[1].level);
                    return Operand { text, varying: args[1].varying, level };
                }
                self.call(name, args)
            }
            Expr::Select(c, a, b) => {
                let args = vec![self.value(c), self.value(a), self.value(b)];
                self.call("select", args)
            }
            Expr::Cast(to, a) => self.cast(a, to),
            Expr::Masked { condition, value, otherwise } => {
                self.masked(id, level, condition, value, otherwise)
            }
            Expr::Check { condition, value, assertion } => {
                let condition = self.value(condition);
                let fail = assertion + 1;
                let inner = self.inner_mask().cloned();
                // The condition may have needed a deeper scope than the one that it depends on: a value that another
                // condition chooses stands in a block of its own.
                let level = level.max(condition.level);
                match (condition.varying, self.masks.last().cloned(), inner) {
                    (true, Some(mask), _) => self.line(&format!(
                        "if (any(mask_and({mask}, mask_not({})))) return LITZ_FAIL({fail});",
                        condition.text
                    )),
                    (true, None, _) => self
                        .line(&format!("if (any(mask_not({}))) return LITZ_FAIL({fail});", condition.text)),
                    // Some lane is on wherever the loop runs at all; under a mask of lanes none may be.
                    (false, _, Some(mask)) => self
                        .line(&format!("if (!{} && any({mask})) return LITZ_FAIL({fail});", condition.text)),
                    (false, _, None) => {
                        self.line_at(level, &format!("if (!{}) return LITZ_FAIL({fail});", condition.text))
                    }
                }
                self.value(value).at(level)
            }
        }
    }

    /// The bits of a half. Registers hold halves as float32, which knows fewer kinds of NaN: from memory they are read as
    /// they stand there.
    fn bits_of_half(&mut self, a: ExprId) -> Operand {
        if let Expr::Load { buffer, index, data } = self.program.exprs[a].clone()
            && let Some(Storage::Memory(pointer)) = self.storage.get(&buffer).cloned()
        {
            self.storage.insert(buffer, Storage::Memory(format!("((const i16 *){pointer})")));
            let bits = self.load(a, buffer, index[0], &data);
            self.storage.insert(buffer, Storage::Memory(pointer));
            return bits;
        }
        let name = match self.program.exprs.dtype(a) {
            Dtype::Bfloat16 => "litz_bits_of_bfloat",
            _ => "litz_bits_of_half",
        };
        let a = self.value(a);
        self.call(name, vec![a])
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
        let converted =
            if register(from) == register(to) { operand } else { self.call(cpp::cast(to), vec![operand]) };
        match cpp::rounding(to) {
            Some(round) if from != to && !self.is_exact(a, to, 0) => self.call(round, vec![converted]),
            _ => converted,
        }
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
            if self.lanes.as_ref().is_some_and(|lanes| self.is_shared(index, lanes)) {
                return Operand::uniform(format!("({} != 0)", self.index(index)));
            }
            if let Some(mask) = self.lane_condition(index) {
                return Operand::varying(mask);
            }
        }
        let base = if !self.varies(id) {
            // A parameter has 64 bits whatever the kernel's indices have.
            let parameter = self.program.syms.as_symbol(index).and_then(|symbol| self.parameter(symbol));
            Operand::uniform(parameter.unwrap_or_else(|| self.wide_index(index)))
        } else {
            self.lane_indices(index)
        };
        if dtype == Dtype::Int64 { base } else { self.call(cpp::cast(dtype), vec![base]) }
    }

    /// An index as a 64-bit value.
    pub(super) fn wide_index(&mut self, index: SymInt) -> String {
        let text = self.index(index);
        if self.index_type == "i64" { text } else { format!("(i64){text}") }
    }

    /// A vector of an index at every lane.
    pub(super) fn lane_indices(&mut self, index: SymInt) -> Operand {
        let Some(lanes) = self.lanes.clone() else { return Operand::uniform(self.wide_index(index)) };
        let syms = std::sync::Arc::clone(&self.program.syms);
        if let Some(vector) = self.machine_index(index, &lanes) {
            return vector;
        }
        let data_varies = self.data.iter().any(|d| d.varying)
            && syms.symbols(index).iter().any(|s| matches!(syms.symbol_kind(*s), SymbolKind::Data(_)));
        if !data_varies && let Some(coefficient) = self.lane_step(index, &lanes) {
            let base = self.index(index);
            let step = self.index(coefficient);
            return Operand::varying(if syms.as_const(coefficient) == Some(1) {
                format!("add(splat((i64){base}), lane_index())")
            } else {
                format!("add(splat((i64){base}), mul(lane_index(), splat((i64){step})))")
            });
        }
        // Lane by lane: the lane variable and the data take each lane's value in turn.
        let (array, lane) = (self.fresh("a"), self.fresh("l"));
        let mut restored = Vec::new();
        for k in 0..self.data.len() {
            if self.data[k].varying {
                let values = self.fresh("d");
                let apart = if self.aligned.is_some() { "_apart" } else { "" };
                let text = &self.data[k].text;
                let store = format!("i64 {values}[LITZ_LANES]; store{apart}({values}, {text});");
                self.line(&store);
                restored.push((k, self.data[k].clone()));
                self.data[k] = Operand::uniform(format!("{values}[{lane}]"));
            }
        }
        let own = self.variables.get(&lanes.symbol).cloned();
        self.line(&format!("i64 {array}[LITZ_LANES];"));
        self.open();
        if let Some((name, _)) = &own {
            let level = self.depth();
            let shifted = self.fresh("j");
            let ty = self.index_type;
            self.line(&format!("const {ty} {shifted} = {name} + {lane}; (void){shifted};"));
            self.variables.insert(lanes.symbol, (shifted, level));
        }
        let text = self.index(index);
        self.line(&format!("{array}[{lane}] = {text};"));
        if let Some(own) = own {
            self.variables.insert(lanes.symbol, own);
        }
        self.close(&format!("for (int {lane} = 0; {lane} < LITZ_LANES; {lane}++)"));
        for (k, operand) in restored {
            self.data[k] = operand;
        }
        let apart = if self.aligned.is_some() { "_apart" } else { "" };
        Operand::varying(format!("load{apart}((const i64 *){array})")).at(self.depth())
    }

    fn load(&mut self, id: ExprId, buffer: BufferId, offset: SymInt, data: &[ExprId]) -> Operand {
        let storage = self.storage.get(&buffer).cloned();
        let (pointer, offset) = match storage {
            Some(Storage::Row(value) | Storage::Turn { value, .. }) => return value,
            Some(Storage::Memory(pointer)) => (pointer, offset),
            Some(Storage::Local { pointer, position }) => (pointer, position),
            Some(Storage::Accumulator { pointer, start, cast }) => {
                return self.accumulator(&pointer, &start, cast);
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
        let result = self.memory_load(id, &pointer, offset);
        self.data = saved;
        result.at(below)
    }

    fn memory_load(&mut self, id: ExprId, pointer: &str, offset: SymInt) -> Operand {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let data_varies = self.data.iter().any(|d| d.varying);
        if !self.varies(id) {
            let place = format!("{pointer} + {}", self.index(offset));
            // One element for all lanes, and perhaps for none.
            return Operand::uniform(match self.inner_mask() {
                Some(mask) => {
                    format!("(any({mask}) ? load_scalar({place}) : decltype(load_scalar({place}))())")
                }
                None => format!("load_scalar({place})"),
            });
        }
        let Some(lanes) = self.lanes.clone() else { unreachable!("a value varies only between lanes") };
        if !data_varies && let Some(coefficient) = self.lane_step(offset, &lanes) {
            let place = self.index(offset);
            let place = format!("{pointer} + {place}");
            if syms.as_const(coefficient) == Some(0) && self.inner_mask().is_none() {
                return Operand::varying(format!("splat(load_scalar({place}))"));
            }
            if syms.as_const(coefficient) == Some(1) {
                let apart = !self.is_aligned(offset, lanes.symbol);
                return self.contiguous(&place, apart);
            }
            let stride = self.index(coefficient);
            let count = lanes.count.clone().unwrap_or_else(|| "LITZ_LANES".to_string());
            if self.inner_mask().is_none() {
                return Operand::varying(format!("load_strided({place}, {stride}, {count})"));
            }
        }
        let indices = self.lane_indices(offset);
        let mask = self.masks.last().cloned().unwrap_or_else(|| "splat(true)".to_string());
        Operand::varying(format!("load_gather({pointer}, {}, {mask})", indices.text)).at(indices.level)
    }

    /// The mask in force beyond the tail's.
    pub(super) fn inner_mask(&self) -> Option<&String> {
        let tail = usize::from(self.lanes.as_ref().is_some_and(|l| l.count.is_some()));
        self.masks.get(tail..).and_then(|m| m.last())
    }

    /// Whether an offset is a multiple of a vector's elements wherever the lane variable is; true where the dialect
    /// does not ask.
    pub(super) fn is_aligned(&self, offset: SymInt, lane: SymbolId) -> bool {
        let Some(elements) = self.aligned else { return true };
        let syms = &self.program.syms;
        let Some((_, rest)) = syms.linear_in(offset, lane) else { return false };
        syms.as_const(syms.modulo(rest, syms.constant(elements))) == Some(0)
    }

    pub(super) fn contiguous(&mut self, place: &str, apart: bool) -> Operand {
        let Some(lanes) = &self.lanes else { return Operand::uniform(format!("load_scalar({place})")) };
        let text = match (self.inner_mask(), &lanes.count) {
            (Some(mask), _) => format!("load_where({place}, {mask})"),
            (None, Some(count)) => format!("load_tail({place}, {count})"),
            (None, None) if apart => format!("load_apart({place})"),
            (None, None) => format!("load({place})"),
        };
        Operand::varying(text)
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
        let condition = self.value(condition);
        let otherwise = self.value(otherwise);
        if condition.varying {
            // Lanes that are off load nothing; both sides are vectors.
            let mask = self.fresh("m");
            let text = match self.masks.last() {
                Some(outer) => format!("mask_and({outer}, {})", condition.text),
                None => condition.text.clone(),
            };
            self.line(&format!("const vmask {mask} = {text};"));
            self.masks.push(mask);
            let depth = self.depth();
            let guard = std::mem::replace(&mut self.guard, depth);
            let value = self.value(value);
            self.guard = guard;
            self.masks.pop();
            let args = vec![condition, value, otherwise];
            let chosen = self.call("select", args);
            return self.name(chosen, dtype, self.depth());
        }
        let varying = self.varies(id);
        let name = self.fresh("v");
        let ty = if varying { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
        let other = if varying { self.vector(otherwise) } else { otherwise.text };
        let top = self.depth();
        // The block stands in the innermost scope, whatever the level, so that what it needs is there already.
        let level = level.max(top);
        self.line_at(level, &format!("{ty} {name} = {other};"));
        self.open();
        let depth = self.depth();
        let guard = std::mem::replace(&mut self.guard, depth);
        let saved = std::mem::take(&mut self.levels);
        let inside = self.value(value);
        let inside = if varying { self.vector(inside) } else { inside.text };
        self.line(&format!("{name} = {inside};"));
        self.guard = guard;
        self.close(&format!("if ({})", condition.text));
        self.levels = saved;
        Operand { text: name, varying, level }
    }
}
