//! Which symbols an expression may depend on, as 64 bits: what has none of a symbol's bit does not depend on it.
//!
//! Invariant: symbols of the graph, and loop variables and the like, have bits of their own. Symbols of one kind share bits.

use super::{Inner, SymArena, SymInt, SymbolId, SymbolKind};
use crate::base::HashMap;

impl SymbolId {
    /// The bit of a symbol that the graph has, among the lower 48.
    pub(super) fn mark(self) -> u64 {
        1 << (self.0 % 48)
    }
    /// The bit of a loop variable or the like. No long sum has one, so a variable is not looked for there.
    fn variable_mark(self) -> u64 {
        1 << (48 + self.0 % 16)
    }
}

/// What replaces symbols that the graph has, with all of their bits.
#[derive(Default)]
pub struct Replaced {
    map: HashMap<SymbolId, SymInt>,
    marks: u64,
}

impl Replaced {
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
    pub fn get(&self, symbol: &SymbolId) -> Option<SymInt> {
        self.map.get(symbol).copied()
    }
    pub fn insert(&mut self, symbol: SymbolId, to: SymInt) {
        self.marks |= symbol.mark();
        self.map.insert(symbol, to);
    }
}

impl Inner {
    /// The bit of a symbol.
    pub(super) fn mark(&self, id: SymbolId) -> u64 {
        match self.symbols[id.0 as usize].kind {
            SymbolKind::Free => id.mark(),
            SymbolKind::Index { .. } | SymbolKind::Data(_) => id.variable_mark(),
        }
    }
}

impl SymArena {
    /// [`Self::substitute`] by many symbols, however many they are.
    pub fn replace(&self, a: SymInt, by: &Replaced) -> SymInt {
        if by.map.is_empty() {
            return a;
        }
        self.lock().substituted(a, &by.map, by.marks, &mut HashMap::default())
    }
}
