//! What the guards of all goals make equal: symbols by what stands for them, and expressions that are zero.
//!
//! Invariant: what stands for a symbol names no symbol that something stands for.
//!
//! Deliberately absent: guards that hold for some goals alone (see `assumed`).

use super::assumed::Assumed;
use crate::base::{HashMap, HashSet};
use crate::types::{Replaced, SymArena, SymInt, SymNode, SymbolId};
use std::cmp::Reverse;

#[derive(Default)]
pub struct Equal {
    symbols: Replaced,
    /// The symbols whose stand-in names this one, so that a new equality looks at those alone.
    naming: HashMap<SymbolId, Vec<SymbolId>>,
    /// Differences that are zero and define no symbol.
    zero: Vec<SymInt>,
}

impl Equal {
    /// What these conditions make equal.
    pub fn of(syms: &SymArena, conditions: impl Iterator<Item = SymInt>) -> Equal {
        let mut equal = Equal::default();
        conditions.for_each(|condition| equal.learn(syms, condition));
        equal
    }

    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Takes the equalities of a condition as given.
    pub fn learn(&mut self, syms: &SymArena, condition: SymInt) {
        let mut conditions = vec![condition];
        while let Some(condition) = conditions.pop() {
            match syms.node(condition) {
                SymNode::And(a, b) => conditions.extend([a, b]),
                SymNode::Eq(a, b) => self.equate(syms, self.stand_in(syms, a), self.stand_in(syms, b)),
                _ => {}
            }
        }
    }

    fn equate(&mut self, syms: &SymArena, a: SymInt, b: SymInt) {
        // Of two symbols the one with the larger lower bound stays, so that `max(s, 1)` becomes `s`, and then the one with the smaller
        // upper bound. If the bounds are equal, the one that more stand-ins name stays, so that each stand-in changes a few times only.
        let weight = |e: SymInt| {
            let naming = syms.as_symbol(e).and_then(|id| self.naming.get(&id));
            let range = syms.range(e);
            (range.min, Reverse(range.max), naming.map_or(0, Vec::len))
        };
        let (a, b) = if weight(a) > weight(b) { (b, a) } else { (a, b) };
        for (from, to) in [(a, b), (b, a)] {
            if let Some(symbol) = syms.as_symbol(from)
                && !syms.depends_on(to, symbol)
            {
                self.replace(syms, symbol, to);
                return;
            }
        }
        self.zero.extend([syms.sub(a, b), syms.sub(b, a)]);
    }

    fn replace(&mut self, syms: &SymArena, symbol: SymbolId, to: SymInt) {
        let map = [(symbol, to)].into_iter().collect();
        let mut changed = self.naming.remove(&symbol).unwrap_or_default();
        for other in &changed {
            if let Some(value) = self.symbols.get(other) {
                self.symbols.insert(*other, syms.substitute(value, &map));
            }
        }
        self.zero.iter_mut().for_each(|other| *other = syms.substitute(*other, &map));
        self.symbols.insert(symbol, to);
        changed.push(symbol);
        // Through calculations, too.
        let named: HashSet<SymbolId> = syms.symbols(to).into_iter().chain(syms.sources(to)).collect();
        for name in named {
            self.naming.entry(name).or_default().extend(&changed);
        }
    }

    /// Replaces each symbol of an expression by its value.
    pub fn stand_in(&self, syms: &SymArena, e: SymInt) -> SymInt {
        syms.replace(e, &self.symbols)
    }

    /// Whether two expressions are one.
    pub fn are_equal(&self, syms: &SymArena, assumed: &Assumed, a: SymInt, b: SymInt) -> bool {
        let is_zero = |e: SymInt| syms.as_const(e) == Some(0) || self.zero.contains(&e);
        let mut gap = syms.sub(self.stand_in(syms, a), self.stand_in(syms, b));
        if is_zero(gap) || syms.known_eq(a, b) {
            return true;
        }
        // What divides evenly is a part: `3 * (s // 3)` is `s`.
        for atom in syms.atoms(gap) {
            if let SymNode::FloorDiv(whole, by) = syms.node(atom)
                && let Some((coefficient, rest)) = syms.linear_in_atom(gap, atom)
                && assumed.settle(syms, syms.sub(syms.constant(0), syms.modulo(whole, by)))
            {
                gap = syms.add(syms.mul(coefficient, whole), syms.mul(rest, by));
            }
        }
        is_zero(gap)
    }
}
