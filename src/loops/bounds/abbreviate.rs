//! Long sums of free symbols as one symbol each, so that a proof about places in a join of hundreds of sizes takes the steps of one about
//! three.
//!
//! Symbols that have one coefficient in each expression of a goal, and are nowhere else in it, can be told apart by nothing: a new
//! symbol with the range of their sum stands for them.
//!
//! Invariant: replaced in an expression of the goal, the new symbols give an expression of the same value wherever each has the
//! value of its sum. In any other expression they would not: a symbol may stand there without those that it is summed up with.

use super::facts::Interval;
use crate::base::{HashMap, HashSet};
use crate::types::{SymArena, SymInt, SymbolId, SymbolKind};

/// Symbols that make an expression long.
const LONG: u32 = 24;
/// Fewer symbols are left as they are.
const FEWEST: usize = 4;

/// The stand-ins of one goal.
#[derive(Default)]
pub(super) struct Abbreviations {
    short: HashMap<SymbolId, SymInt>,
    long: HashMap<SymbolId, SymInt>,
    /// Of all goals, by their sums.
    known: HashMap<SymInt, SymInt>,
}

impl Abbreviations {
    pub fn is_empty(&self) -> bool {
        self.short.is_empty()
    }
    pub fn clear(&mut self) {
        self.short.clear();
        self.long.clear();
    }
    /// The expression with symbols for sums, and back.
    pub fn shorten(&self, syms: &SymArena, e: SymInt) -> SymInt {
        syms.substitute(e, &self.short)
    }
    pub fn spell_out(&self, syms: &SymArena, e: SymInt) -> SymInt {
        syms.substitute(e, &self.long)
    }

    /// Finds them for the expressions of a goal, in which `lifted` symbols are replaced already. Sizes of the loop variables in them are
    /// looked at, too: they replace the variables.
    pub fn find(
        &mut self,
        syms: &SymArena,
        lifted: &HashMap<SymbolId, SymInt>,
        (goal, facts, data): (SymInt, &[SymInt], &[Interval]),
    ) {
        self.clear();
        let ends = data.iter().flat_map(|i| i.lows.iter().chain(&i.highs));
        let mut stack: Vec<SymInt> = [goal].iter().chain(facts).chain(ends).copied().collect();
        if stack.iter().all(|e| syms.leaves(*e) < LONG) {
            return;
        }
        let (mut all, mut variables, mut seen) = (Vec::new(), Vec::new(), HashSet::default());
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            all.push(e);
            for symbol in syms.symbols(e) {
                if let SymbolKind::Index { size, position } = syms.symbol_kind(symbol)
                    && seen.insert(syms.symbol_expr(symbol))
                {
                    let size = syms.substitute(size, lifted);
                    variables.push((symbol, position, size));
                    stack.push(size);
                }
            }
        }
        for group in groups(syms, &all) {
            let sum = syms.sum(&group);
            let stand_in =
                *self.known.entry(sum).or_insert_with(|| syms.symbol("sum", syms.range(sum), None));
            let (zero, ids) = (syms.constant(0), group.iter().filter_map(|s| syms.as_symbol(*s)));
            self.short.extend(ids.zip(std::iter::once(stand_in).chain(std::iter::repeat(zero))));
            self.long.extend(syms.as_symbol(stand_in).map(|id| (id, sum)));
        }
        // A variable over an abbreviated size; one over another size keeps its own.
        for (id, position, size) in variables {
            let own = syms.index_var(position, self.shorten(syms, size));
            let whole = syms.symbol_expr(id);
            if own != whole {
                self.short.insert(id, own);
                self.long.extend(syms.as_symbol(own).map(|id| (id, whole)));
            }
        }
    }
}

/// Free symbols that are alike in all of these expressions.
fn groups(syms: &SymArena, all: &[SymInt]) -> Vec<Vec<SymInt>> {
    let mut places: HashMap<SymInt, Vec<(usize, i64)>> = HashMap::new();
    let mut inside: HashSet<SymbolId> = HashSet::default();
    for (k, e) in all.iter().enumerate() {
        for (term, coefficient) in syms.terms_of(*e) {
            match syms.as_symbol(term) {
                Some(id) if syms.symbol_kind(id) == SymbolKind::Free && syms.definition(id).is_none() => {
                    places.entry(term).or_default().push((k, coefficient));
                }
                // Of a quotient and the like, and what a calculation is made of.
                _ => inside.extend(syms.sources(term)),
            }
        }
    }
    let mut alike: HashMap<Vec<(usize, i64)>, Vec<SymInt>> = HashMap::new();
    for (symbol, place) in places {
        if syms.as_symbol(symbol).is_some_and(|id| !inside.contains(&id)) {
            alike.entry(place).or_default().push(symbol);
        }
    }
    alike.into_values().filter(|group| group.len() >= FEWEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Range;

    #[test]
    fn symbols_that_nothing_tells_apart_are_one() {
        let syms = SymArena::new();
        let size = |name: String| syms.symbol(&name, Range::new(1, 9), None);
        let sizes: Vec<SymInt> = (0..40).map(|k| size(format!("s{k}"))).collect();
        let start = syms.sum(&sizes[..30]);
        let whole = syms.sum(&sizes);
        let i = syms.index_var(0, whole);
        // The last is in a quotient, too.
        let quotient = syms.floordiv(sizes[39], syms.constant(2));
        let goal = syms.sub(syms.add(i, quotient), start);
        let mut found = Abbreviations::default();
        let none = HashMap::default();
        found.find(&syms, &none, (goal, &[], &[]));
        let short = found.shorten(&syms, goal);
        assert_eq!(syms.atoms(short).len(), 3);
        assert_eq!(found.spell_out(&syms, short), goal);
        let SymbolKind::Index { size, .. } =
            syms.symbol_kind(*found.short.keys().find(|id| syms.symbol_name(**id) == "i0").unwrap())
        else {
            panic!("a loop variable")
        };
        let size = found.shorten(&syms, size);
        assert_eq!(syms.range(size), syms.range(whole));
        assert_eq!(syms.atoms(size).len(), 3);
        // Short sums are left alone.
        found.find(&syms, &none, (syms.sum(&sizes[..10]), &[], &[]));
        assert!(found.is_empty());
    }
}
