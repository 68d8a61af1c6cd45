//! The guards that hold before a node runs, as expressions that are not negative, by their symbols.
//!
//! Invariant: where a goal and an assumption have no symbol in common, the assumption says nothing of the goal that the
//! goal's range does not say, unless the assumption cannot be. So a goal meets those of its own symbols, however many
//! guards a program has.
//!
//! Deliberately absent: what assumptions say together.

use crate::base::HashMap;
use crate::types::{SymArena, SymInt, SymbolId};

#[derive(Default)]
pub struct Assumed {
    list: Vec<SymInt>,
    by_symbol: HashMap<SymbolId, Vec<usize>>,
    /// Those that cannot be: what stands behind them is never evaluated.
    impossible: Vec<usize>,
}

impl Assumed {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn add(&mut self, syms: &SymArena, e: SymInt) {
        let place = self.list.len();
        self.list.push(e);
        for symbol in syms.symbols(e) {
            self.by_symbol.entry(symbol).or_default().push(place);
        }
        if syms.range(e).max < 0 {
            self.impossible.push(place);
        }
    }

    /// Takes back all but the first `len`.
    pub fn truncate(&mut self, syms: &SymArena, len: usize) {
        let later = |place: &mut usize| *place >= len;
        for e in self.list.drain(len.min(self.list.len())..) {
            for symbol in syms.symbols(e) {
                if let Some(places) = self.by_symbol.get_mut(&symbol) {
                    while places.pop_if(later).is_some() {}
                }
            }
        }
        while self.impossible.pop_if(later).is_some() {}
    }

    /// Whether one of them is at most this goal, which then is not negative either.
    pub fn settle(&self, syms: &SymArena, goal: SymInt) -> bool {
        let settles = |place: &usize| syms.known_le(self.list[*place], goal);
        self.impossible.iter().any(settles)
            || syms.symbols(goal).iter().filter_map(|s| self.by_symbol.get(s)).flatten().any(settles)
    }
}
