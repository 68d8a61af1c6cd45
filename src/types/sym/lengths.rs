//! Long sums as symbols of their own.
//!
//! If a join grows by a new symbol in each of n steps, its sizes are sums of 1 to n symbols, and a pass over all of them takes n^2 time.
//! A sum of [`LONG`] or more parts therefore becomes a symbol that the sum defines ([`Calculation::Itself`]). The next length is added
//! to the symbol.
//!
//! Invariant: comparisons know as much of such a symbol as of its sum. Symbols are written out only as far as needed: two sums cancel
//! at the newest symbol that both contain.

use super::{Calculation, Inner, SymArena, SymInt, SymNode, SymbolKind};
use crate::base::{OrderedMap, StableSort};

/// A sum of so many symbols and numbers becomes a symbol.
const LONG: u32 = 24;
/// How deep long sums may nest, since readers recurse through them. A deeper one is written out.
const DEEPEST: u32 = 64;

impl SymArena {
    /// The running sums of lengths: where each ends if they lie one after the other. Long sums are symbols.
    pub fn ends(&self, lengths: &[SymInt]) -> Vec<SymInt> {
        let mut inner = self.lock();
        let mut end = inner.constant(0);
        let mut ends = Vec::with_capacity(lengths.len());
        for length in lengths {
            end = inner.add(end, *length);
            end = inner.in_short(end);
            ends.push(end);
        }
        ends
    }
}

impl Inner {
    fn in_short(&mut self, sum: SymInt) -> SymInt {
        let is_sum = matches!(self.nodes[sum.0 as usize], SymNode::Add(_));
        if !is_sum || self.leaves[sum.0 as usize] < LONG {
            return sum;
        }
        let inside = |inner: &Inner, sum: SymInt| match &inner.nodes[sum.0 as usize] {
            SymNode::Add(list) => {
                list.iter().filter_map(|t| inner.long_sums.get(t)).max().map_or(0, |n| n + 1)
            }
            _ => 0,
        };
        let (mut sum, mut depth) = (sum, inside(self, sum));
        if depth > DEEPEST
            && let Some(flat) = self.flat(sum)
        {
            (sum, depth) = (flat, inside(self, flat));
        }
        let symbol = self.calculate(Calculation::Itself, &[sum]);
        self.long_sums.insert(symbol, depth);
        symbol
    }

    /// The sum that a symbol stands for.
    fn long_sum(&self, a: SymInt) -> Option<SymInt> {
        if !self.long_sums.contains_key(&a) {
            return None;
        }
        let SymNode::Symbol(id) = self.nodes[a.0 as usize] else { return None };
        match self.definitions.get(&id) {
            Some((Calculation::Itself, operands)) => Some(operands[0]),
            _ => None,
        }
    }

    /// Replaces an end minus the end before it by the length between them.
    pub(super) fn between_ends(&mut self, terms: &[(SymInt, i64)]) -> Option<(Vec<(SymInt, i64)>, i64)> {
        if self.long_sums.is_empty() || terms.len() < 2 {
            return None;
        }
        for (k, (end, coefficient)) in terms.iter().enumerate().rev() {
            let Some(sum) = self.long_sum(*end) else { continue };
            let (parts, constant) = self.terms(sum);
            let opposite = coefficient.checked_neg()?;
            let begins = |(part, c): &(SymInt, i64)| {
                *c == 1 && self.long_sum(*part).is_some() && terms.contains(&(*part, opposite))
            };
            if parts.iter().any(begins) {
                let mut all = terms.to_vec();
                all.remove(k);
                for (part, c) in parts {
                    all.push((part, c.checked_mul(*coefficient)?));
                }
                return Some((all, constant.checked_mul(*coefficient)?));
            }
        }
        None
    }

    /// Whether a factor is a loop variable or the like, which no sum of lengths has.
    fn has_variable(&self, term: SymInt) -> bool {
        let is_variable = |f: &SymInt| match self.nodes[f.0 as usize] {
            SymNode::Symbol(id) => self.symbols[id.0 as usize].kind != SymbolKind::Free,
            _ => false,
        };
        self.factors(term).iter().any(is_variable)
    }

    /// The expression with long sums written out where something may cancel; `None` where that changes nothing.
    pub(super) fn written_out(&mut self, a: SymInt) -> Option<SymInt> {
        if self.long_sums.is_empty() {
            return None;
        }
        // The symbol has the range of its sum. Writing the sum out tells more only if its terms may cancel against others.
        let (mut sums, mut others) = ([false; 2], [false; 2]);
        for (term, coefficient) in self.terms(a).0 {
            let sign = usize::from(coefficient < 0);
            sums[sign] |= self.long_factor(term).is_some();
            others[sign] |= !self.has_variable(term);
        }
        if sums[0] && others[1] || sums[1] && others[0] { self.flat(a) } else { None }
    }

    pub(super) fn has_long_sum(&mut self, a: SymInt) -> bool {
        let terms = if self.long_sums.is_empty() { Vec::new() } else { self.terms(a).0 };
        terms.into_iter().any(|(term, _)| self.long_factor(term).is_some())
    }

    /// A factor that is a long sum, and that sum.
    fn long_factor(&self, term: SymInt) -> Option<(SymInt, SymInt)> {
        self.factors(term).into_iter().find_map(|f| self.long_sum(f).map(|sum| (f, sum)))
    }

    /// The expression without long sums.
    fn flat(&mut self, a: SymInt) -> Option<SymInt> {
        let (terms, mut constant) = self.terms(a);
        let mut pending: OrderedMap<SymInt, i64> = terms.into_iter().collect();
        let mut done: Vec<(SymInt, i64)> = Vec::new();
        // A sum is older than the symbol that stands for it, so the newest goes first and meets its like.
        while let Some((term, coefficient)) = pending.pop_last() {
            let Some((factor, sum)) = self.long_factor(term) else {
                done.push((term, coefficient));
                continue;
            };
            let mut rest = self.factors(term);
            rest.retain(|f| *f != factor);
            let powers = self.factors(term).len() - rest.len();
            let one = self.constant(1);
            let rest = rest.into_iter().fold(one, |product, f| self.mul(product, f));
            let product = (0..powers).fold(rest, |product, _| self.mul(product, sum));
            let (terms, own) = self.terms(product);
            constant = own.checked_mul(coefficient).and_then(|own| constant.checked_add(own))?;
            for (t, c) in terms {
                add(&mut pending, t, c.checked_mul(coefficient)?)?;
            }
        }
        done.stable_sort_by_key(|(term, _)| *term);
        let mut terms: Vec<(SymInt, i64)> = Vec::with_capacity(done.len());
        for (term, coefficient) in done {
            match terms.last_mut() {
                Some((last, sum)) if *last == term => *sum = sum.checked_add(coefficient)?,
                _ => terms.push((term, coefficient)),
            }
        }
        terms.retain(|(_, coefficient)| *coefficient != 0);
        self.sum_of(terms, constant)
    }
}

/// Adds to a term's coefficient; a term without one is left out.
fn add(terms: &mut OrderedMap<SymInt, i64>, term: SymInt, coefficient: i64) -> Option<()> {
    let sum = terms.get(&term).copied().unwrap_or(0).checked_add(coefficient)?;
    if sum == 0 {
        terms.remove(&term);
    } else {
        terms.insert(term, sum);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::Range;
    use super::*;

    #[test]
    fn comparisons_see_through_long_sums() {
        let syms = SymArena::new();
        let lengths: Vec<SymInt> =
            (0..100).map(|k| syms.symbol(&format!("s{k}"), Range::new(1, 9), None)).collect();
        let ends = syms.ends(&lengths);
        let whole = ends[99];
        assert!(syms.as_symbol(whole).is_some());
        assert_eq!(syms.range(whole), Range::new(100, 900));
        assert_eq!(syms.sub(ends[70], ends[69]), lengths[70]);
        let plain = syms.sum(&lengths);
        assert!(syms.known_eq(whole, plain) && syms.known_le(plain, whole));
        assert!(syms.known_lt(ends[98], whole) && syms.known_eq(syms.add(ends[98], lengths[99]), whole));
        assert!(syms.known_le(syms.mul(ends[60], lengths[0]), syms.mul(ends[61], lengths[0])));
        let last = syms.index_var(0, whole);
        assert!(syms.known_lt(syms.sub(last, ends[98]), lengths[99]));
        assert_eq!(syms.decide(syms.eq(ends[50], ends[51])), Some(false));
        let own: Vec<_> = lengths.iter().filter_map(|length| syms.as_symbol(*length)).collect();
        let value = |id| own.contains(&id).then_some(2);
        assert_eq!(syms.eval(whole, &value), Ok(200));
        assert_eq!(syms.sources(whole).len(), 100);
        // Short sums are as they are.
        assert_eq!(ends[5], syms.sum(&lengths[..6]));
    }
    /// Whoever looks through them recurses a few times only.
    #[test]
    fn many_lengths_do_not_nest_deeply() {
        let work = || {
            let syms = SymArena::new();
            let lengths: Vec<SymInt> =
                (0..5000).map(|k| syms.symbol(&format!("s{k}"), Range::new(1, 9), None)).collect();
            let ends = syms.ends(&lengths);
            let whole = ends[4999];
            let first = syms.as_symbol(lengths[0]).expect("a symbol");
            let map = [(first, syms.constant(3))].into_iter().collect();
            assert_ne!(syms.substitute(whole, &map), whole);
            assert_eq!(syms.eval(whole, &|_| Some(2)), Ok(2));
            assert_eq!(syms.hint(whole), 9 * 5000);
            assert!(!syms.display(whole).is_empty());
            assert_eq!((syms.label(whole), syms.label(ends[1])), ("…".into(), "s0 + s1".into()));
            assert_eq!(syms.sources(whole).len(), 5000);
            assert!(syms.known_lt(ends[4000], whole));
        };
        let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(work);
        thread.expect("a thread").join().expect("done");
    }
}
