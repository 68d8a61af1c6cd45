//! Symbolic integers as values: offsets, sizes and positions, each computed in the scope where it belongs.

use super::{Emitter, Operand};
use crate::kernels::{IndexOp, Type, Value, ValueId};
use crate::loops::ExprId;
use crate::types::{SymInt, SymNode, SymbolId, SymbolKind};

impl Emitter<'_> {
    /// An index at the first lane; computed in the scope that it belongs to.
    pub fn index(&mut self, index: SymInt) -> ValueId {
        let syms = &self.program.syms;
        if let Some(value) = syms.as_const(index) {
            return self.integer(value);
        }
        if let Some(symbol) = syms.as_symbol(index) {
            return self.symbol(symbol);
        }
        let is_data = self.is_of_data(index);
        // A variable may have been given another value since, as the lane's has where each lane takes its turn: what was
        // computed further out was another's.
        let level = self.index_level(index);
        let known = || self.scopes.get(level..)?.iter().rev().find_map(|s| s.indices.get(&index));
        if !is_data && let Some(value) = known() {
            return *value;
        }
        let value = self.index_tree(index);
        if is_data {
            return value;
        }
        let value = self.name_at(level, "x", Type::Index, value);
        self.scopes[level].indices.insert(index, value);
        value
    }

    fn symbol(&mut self, symbol: SymbolId) -> ValueId {
        match self.program.syms.symbol_kind(symbol) {
            SymbolKind::Index { .. } => match self.variables.get(&symbol) {
                Some((value, _)) => *value,
                None => unreachable!("loop variable {} is not bound", self.program.syms.symbol_name(symbol)),
            },
            SymbolKind::Data(k) => self.data[k as usize].value,
            SymbolKind::Free => self.parameter(symbol),
        }
    }

    /// A free symbol, which the kernel is given.
    fn parameter(&mut self, symbol: SymbolId) -> ValueId {
        let place = self.symbols.iter().position(|s| *s == symbol).unwrap_or_else(|| {
            self.symbols.push(symbol);
            self.symbols.len() - 1
        });
        self.add(Value::Parameter(self.reserved + place))
    }

    fn index_tree(&mut self, index: SymInt) -> ValueId {
        use SymNode::*;
        let syms = std::sync::Arc::clone(&self.program.syms);
        match syms.node(index) {
            Constant(_) | Symbol(_) => self.index(index),
            Add(list) => {
                // Terms that belong to outer loops are added up there.
                let own = self.index_level(index);
                let (outer, inner): (Vec<SymInt>, Vec<SymInt>) =
                    list.iter().copied().partition(|t| self.index_level(*t) < own);
                let mut parts: Vec<ValueId> = inner.into_iter().map(|t| self.index(t)).collect();
                match outer.len() {
                    0 => {}
                    n if n == list.len() => parts.extend(outer.into_iter().map(|t| self.index(t))),
                    _ => {
                        let sum = syms.sum(&outer);
                        parts.push(self.index(sum));
                    }
                }
                self.index_op(IndexOp::Add, &parts)
            }
            Mul(list) => {
                let parts: Vec<ValueId> = list.iter().map(|t| self.index(*t)).collect();
                self.index_op(IndexOp::Multiply, &parts)
            }
            FloorDiv(a, b) => self.quotient([IndexOp::Divide, IndexOp::FloorDivide], a, b),
            Mod(a, b) => self.quotient([IndexOp::Remainder, IndexOp::FloorRemainder], a, b),
            Min(a, b) => self.two(IndexOp::Min, a, b),
            Max(a, b) => self.two(IndexOp::Max, a, b),
            Eq(a, b) => self.condition(IndexOp::Equal, a, b),
            Lt(a, b) => self.condition(IndexOp::Less, a, b),
            Le(a, b) => self.condition(IndexOp::LessEqual, a, b),
            And(a, b) => self.condition(IndexOp::And, a, b),
            Or(a, b) => self.condition(IndexOp::Or, a, b),
            Not(a) => {
                let a = self.index(a);
                let not = self.add(Value::Not(a));
                self.add(Value::ToIndex(not))
            }
            Select(c, a, b) => {
                let parts = [c, a, b].map(|part| self.index(part));
                self.index_op(IndexOp::Choose, &parts)
            }
        }
    }

    /// By the machine's division where no operand is negative.
    fn quotient(&mut self, [plain, any]: [IndexOp; 2], a: SymInt, b: SymInt) -> ValueId {
        let syms = &self.program.syms;
        let op = if syms.range(a).min >= 0 && syms.range(b).min >= 0 { plain } else { any };
        let operands = [self.of_index_type(a), self.divisor(b)];
        self.index_op(op, &operands)
    }

    /// An operand in the index type. A position that data give has the dtype of the data, and a function takes two operands of one type.
    fn of_index_type(&mut self, index: SymInt) -> ValueId {
        let value = self.index(index);
        if self.is_of_data(index) { self.add(Value::ToIndex(value)) } else { value }
    }

    fn is_of_data(&self, index: SymInt) -> bool {
        let syms = &self.program.syms;
        syms.symbols(index).into_iter().any(|s| matches!(syms.symbol_kind(s), SymbolKind::Data(_)))
    }

    /// A divisor; a size that may be 0 counts as 1: no element asks for the quotient then, but a statement outside of the
    /// empty loop may compute it.
    pub fn divisor(&mut self, index: SymInt) -> ValueId {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let at_least_one = syms.max(index, syms.constant(1));
        self.index(if syms.range(index).min == 0 { at_least_one } else { index })
    }
    fn two(&mut self, op: IndexOp, a: SymInt, b: SymInt) -> ValueId {
        let operands = [self.of_index_type(a), self.of_index_type(b)];
        self.index_op(op, &operands)
    }
    fn condition(&mut self, op: IndexOp, a: SymInt, b: SymInt) -> ValueId {
        let holds = self.two(op, a, b);
        self.add(Value::ToIndex(holds))
    }

    /// An index that data variables stand in, each for its expression.
    pub fn index_of_data(&mut self, index: SymInt, data: &[ExprId]) -> ValueId {
        let operands: Vec<Operand> = data.iter().map(|d| self.value(*d)).collect();
        let saved = std::mem::replace(&mut self.data, operands);
        let value = self.index(index);
        self.data = saved;
        value
    }
}
