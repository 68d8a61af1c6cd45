//! Symbolic integers as text: offsets, sizes and positions, each computed in the scope that it belongs to.

use super::{Emitter, Operand};
use crate::loops::ExprId;
use crate::types::{SymInt, SymNode, SymbolId, SymbolKind};

impl Emitter<'_> {
    /// The text of an index at the first lane; computed in the scope that it belongs to.
    pub fn index(&mut self, index: SymInt) -> String {
        let syms = &self.program.syms;
        if let Some(value) = syms.as_const(index) {
            let ty = self.index_type;
            return if value == i64::MIN { "((i64)1 << 63)".into() } else { format!("({ty}){value}") };
        }
        if let Some(symbol) = syms.as_symbol(index) {
            return self.symbol_name(symbol);
        }
        let is_data =
            syms.symbols(index).into_iter().any(|s| matches!(syms.symbol_kind(s), SymbolKind::Data(_)));
        // A variable may have been given another name since, as the lane's has where each lane takes its turn: what was
        // computed further out was another's.
        let level = self.index_level(index);
        let known = || self.scopes.get(level..)?.iter().rev().find_map(|s| s.indices.get(&index));
        if !is_data && let Some(name) = known() {
            return name.clone();
        }
        let text = self.index_text(index);
        if is_data {
            return text;
        }
        let name = self.fresh("x");
        let ty = self.index_type;
        self.line_at(level, &format!("const {ty} {name} = {text};"));
        self.scopes[level].indices.insert(index, name.clone());
        name
    }

    fn symbol_name(&mut self, symbol: SymbolId) -> String {
        match self.program.syms.symbol_kind(symbol) {
            SymbolKind::Index { .. } => match self.variables.get(&symbol) {
                Some((name, _)) => name.clone(),
                None => unreachable!("loop variable {} is not bound", self.program.syms.symbol_name(symbol)),
            },
            SymbolKind::Data(k) => self.data[k as usize].text.clone(),
            SymbolKind::Free => {
                let parameter = self.parameter(symbol).unwrap_or_default();
                if self.index_type == "i64" { parameter } else { format!("({}){parameter}", self.index_type) }
            }
        }
    }

    /// A free symbol as the kernel is given it: 64 bits.
    pub(super) fn parameter(&mut self, symbol: SymbolId) -> Option<String> {
        if self.program.syms.symbol_kind(symbol) != SymbolKind::Free {
            return None;
        }
        let place = self.symbols.iter().position(|s| *s == symbol).unwrap_or_else(|| {
            self.symbols.push(symbol);
            self.symbols.len() - 1
        });
        Some(format!("S[{}]", self.reserved + place))
    }

    fn index_text(&mut self, index: SymInt) -> String {
        use SymNode::*;
        let syms = std::sync::Arc::clone(&self.program.syms);
        let join = |parts: Vec<String>, op: &str| format!("({})", parts.join(op));
        match syms.node(index) {
            Constant(_) | Symbol(_) => self.index(index),
            Add(list) => {
                // Terms that belong to outer loops are added up there.
                let own = self.index_level(index);
                let (outer, inner): (Vec<SymInt>, Vec<SymInt>) =
                    list.iter().copied().partition(|t| self.index_level(*t) < own);
                let mut parts: Vec<String> = inner.into_iter().map(|t| self.index(t)).collect();
                match outer.len() {
                    0 => {}
                    n if n == list.len() => parts.extend(outer.into_iter().map(|t| self.index(t))),
                    _ => {
                        let sum = syms.sum(&outer);
                        parts.push(self.index(sum));
                    }
                }
                join(parts, " + ")
            }
            Mul(list) => {
                let parts = list.iter().map(|t| self.index(*t)).collect();
                join(parts, " * ")
            }
            FloorDiv(a, b) => {
                let plain = syms.range(a).min >= 0 && syms.range(b).min >= 0;
                let (a, b) = (self.index(a), self.divisor(b));
                if plain { format!("({a} / {b})") } else { format!("litz_floor_divide({a}, {b})") }
            }
            Mod(a, b) => {
                let plain = syms.range(a).min >= 0 && syms.range(b).min >= 0;
                let (a, b) = (self.index(a), self.divisor(b));
                if plain { format!("({a} % {b})") } else { format!("litz_modulo({a}, {b})") }
            }
            Min(a, b) => self.index_call("litz_lesser", &[a, b]),
            Max(a, b) => self.index_call("litz_greater", &[a, b]),
            Eq(a, b) => self.index_compare(a, "==", b),
            Lt(a, b) => self.index_compare(a, "<", b),
            Le(a, b) => self.index_compare(a, "<=", b),
            And(a, b) => self.index_compare(a, "&&", b),
            Or(a, b) => self.index_compare(a, "||", b),
            Not(a) => {
                let (ty, a) = (self.index_type, self.index(a));
                format!("({ty})!{a}")
            }
            Select(c, a, b) => {
                let (c, a, b) = (self.index(c), self.index(a), self.index(b));
                format!("({c} ? {a} : {b})")
            }
        }
    }
    /// A divisor; a size that may be 0 counts as 1: no element asks for the quotient then, but a line outside of the
    /// empty loop may compute it.
    pub fn divisor(&mut self, index: SymInt) -> String {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let at_least_one = syms.max(index, syms.constant(1));
        self.index(if syms.range(index).min == 0 { at_least_one } else { index })
    }
    fn index_call(&mut self, name: &str, args: &[SymInt]) -> String {
        let parts: Vec<String> = args.iter().map(|a| self.index(*a)).collect();
        format!("{name}({})", parts.join(", "))
    }
    fn index_compare(&mut self, a: SymInt, op: &str, b: SymInt) -> String {
        let (a, b) = (self.index(a), self.index(b));
        format!("({})({a} {op} {b})", self.index_type)
    }

    /// An index that data variables stand in, each for its expression.
    pub fn index_of_data(&mut self, index: SymInt, data: &[ExprId]) -> String {
        let operands: Vec<Operand> = data.iter().map(|d| self.value(*d)).collect();
        let saved = std::mem::replace(&mut self.data, operands);
        let text = self.index(index);
        self.data = saved;
        text
    }
}
