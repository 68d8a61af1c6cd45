//! How many points the spaces of nests have: what a machine can hold, or nothing runs.
//!
//! The points of every space, and the elements of every buffer that a node writes, are at most [`MOST_POINTS`]. Where the
//! ranges of sizes do not show it, it is a condition that a run checks. So sizes and their products do not overflow, even
//! where no memory is ever asked for: values that are fused away have sizes, too.
//!
//! Invariant: a count that another one bounds has no condition of its own.

use crate::base::StableSort;
use crate::types::{SymArena, SymInt};

/// Elements of the largest space that a nest may have. The address space of a process is 2^47 bytes, so no tensor has
/// more.
pub(super) const MOST_POINTS: i64 = 1 << 47;

/// A product of sizes: constants apart from the others, which are sorted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Count {
    constant: i128,
    factors: Vec<SymInt>,
}

impl Count {
    /// `None` where the space is empty for all sizes.
    pub(super) fn new(syms: &SymArena, sizes: &[SymInt]) -> Option<Count> {
        let mut count = Count { constant: 1, factors: Vec::new() };
        for size in sizes {
            if syms.range(*size).max < 1 {
                return None;
            }
            match syms.as_const(*size) {
                Some(value) => count.constant = count.constant.saturating_mul(value as i128),
                None => count.factors.push(*size),
            }
        }
        count.factors.stable_sort();
        Some(count)
    }

    pub(super) fn factors(&self) -> &[SymInt] {
        &self.factors
    }

    /// Whether ranges show that there are not too many.
    pub(super) fn is_small(&self, syms: &SymArena) -> bool {
        let most =
            self.factors.iter().fold(self.constant, |n, s| n.saturating_mul(syms.range(*s).max as i128));
        most <= MOST_POINTS as i128
    }

    /// Whether there are too many whatever the sizes are.
    pub(super) fn is_too_large(&self) -> bool {
        self.factors.is_empty() && self.constant > MOST_POINTS as i128
    }

    /// Whether `other` is at least as large for all sizes.
    pub(super) fn is_bounded_by(&self, other: &Count, syms: &SymArena) -> bool {
        let mut rest = other.constant;
        let mut own = self.factors.iter().peekable();
        for factor in &other.factors {
            if own.next_if_eq(&factor).is_none() {
                rest = rest.saturating_mul(syms.range(*factor).min as i128);
            }
        }
        own.next().is_none() && self.constant <= rest
    }

    /// `count <= MOST_POINTS`. Where it overflows, a run fails as well.
    pub(super) fn condition(&self, syms: &SymArena) -> SymInt {
        // Each factor is at least 1 where the space has points, so the other factors are at most so many.
        let most = syms.constant((MOST_POINTS as i128 / self.constant) as i64);
        let product = self.factors.iter().fold(syms.constant(1), |product, size| syms.mul(product, *size));
        syms.le(product, most)
    }

    pub(super) fn text(&self, syms: &SymArena) -> String {
        let factors = self.factors.iter().map(|s| syms.display(*s).to_string());
        let constant = (self.constant != 1 || self.factors.is_empty()).then(|| self.constant.to_string());
        constant.into_iter().chain(factors).collect::<Vec<_>>().join(" * ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Range;

    #[test]
    fn a_count_is_bounded_by_one_with_more_factors_that_are_not_zero() {
        let syms = SymArena::new();
        let batch = syms.symbol("b", Range { min: 1, max: i64::MAX }, None);
        let rows = syms.symbol("s", Range { min: 0, max: i64::MAX }, None);
        let count = |sizes: &[SymInt]| Count::new(&syms, sizes).unwrap();
        let constant = |v| syms.constant(v);
        assert!(count(&[batch, rows]).is_bounded_by(&count(&[rows, batch, constant(4)]), &syms));
        assert!(count(&[rows, constant(4)]).is_bounded_by(&count(&[batch, rows, constant(4)]), &syms));
        assert!(!count(&[batch, constant(4)]).is_bounded_by(&count(&[batch, rows, constant(4)]), &syms));
        assert!(!count(&[batch, batch]).is_bounded_by(&count(&[batch, constant(4)]), &syms));
        assert!(!count(&[rows, constant(5)]).is_bounded_by(&count(&[rows, constant(4)]), &syms));
        assert!(Count::new(&syms, &[rows, constant(0)]).is_none());
    }

    #[test]
    fn constants_that_overflow_are_too_large() {
        let syms = SymArena::new();
        let huge = syms.constant(1 << 62);
        assert!(Count::new(&syms, &[huge, huge, huge, huge]).unwrap().is_too_large());
        let rows = syms.symbol("s", Range { min: 0, max: i64::MAX }, None);
        let count = Count::new(&syms, &[huge, rows]).unwrap();
        assert!(!count.is_small(&syms) && !count.is_too_large());
        assert_eq!(syms.decide(count.condition(&syms)), None);
    }
}
