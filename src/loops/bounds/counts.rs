//! Upper bounds on the points of nests.
//!
//! The spaces of a node, and the buffers that it writes, have at most [`MOST_POINTS`] points each. Where ranges of sizes do not show
//! it, a run checks it: by a guard, or by a check before the node where data give the sizes or a block may not run. So sizes and
//! their products do not overflow. Without this rule a value that is fused away has sizes that nothing looks at.
//!
//! Invariant: a count that another one bounds has no condition of its own.

use super::{BoundsError, Failure, Verifier};
use crate::base::{HashMap, StableSort, bounded};
use crate::loops::{LoopNode, NodeKind};
use crate::types::{SymArena, SymInt};

/// The most points of a space. The address space of a process is 2^47 bytes, so no tensor has more elements.
pub(super) const MOST_POINTS: i64 = 1 << 47;
/// Each count is compared with all others in programs with at most so many.
const MOST_COMPARED: usize = 64;

/// The counts of a program so far.
#[derive(Default)]
pub(super) struct Counts {
    /// Those that become guards, with the node of each: by their factors the one with the largest constant.
    guarded: HashMap<Vec<SymInt>, (Count, usize)>,
    /// Those that have a check in the current block.
    checked: Vec<Count>,
}

impl Counts {
    /// Another block begins: what one has checked may not hold in the next.
    pub(super) fn leave_block(&mut self) {
        self.checked.clear();
    }
}

impl Verifier<'_> {
    /// Bounds the spaces of a node and the buffers that it writes.
    pub(super) fn count(&mut self, node: &LoopNode) -> Result<(), Failure> {
        let program = self.program;
        if let NodeKind::Control(_) = node.kind {
            return Ok(());
        }
        let outs = node.outs().into_iter().map(|out| program.buffers[out].sizes.clone());
        for sizes in program.spaces(&node.kind).into_iter().chain(outs) {
            let syms = &program.syms;
            let Some(count) = Count::new(syms, &sizes) else { continue };
            if count.is_small(syms) {
                continue;
            }
            if count.is_too_large() {
                let (operators, count) = (self.operators(), count.text(syms));
                return Err(BoundsError::TooLarge { operators, count }.into());
            }
            if self.blocks.is_empty() && count.factors.iter().all(|s| self.is_early(*s)) {
                let node = self.node;
                let known = self.counts.guarded.entry(count.factors.clone()).or_insert((count.clone(), node));
                if !count.is_bounded_by(&known.0, syms) {
                    *known = (count, node);
                }
                continue;
            }
            // A guard holds in blocks, too.
            let guarded = self.counts.guarded.get(&count.factors).map(|(known, _)| known);
            if !self.counts.checked.iter().chain(guarded).any(|c| count.is_bounded_by(c, syms)) {
                self.limit(&count);
                self.counts.checked.push(count);
            }
        }
        Ok(())
    }

    /// Adds the guards, once all nodes were visited.
    pub(super) fn guard_counts(&mut self) {
        let mut counts: Vec<(Count, usize)> =
            std::mem::take(&mut self.counts.guarded).into_values().collect();
        if counts.len() <= MOST_COMPARED {
            let all = counts.clone();
            counts.retain(|(count, _)| {
                !all.iter().any(|(other, _)| other != count && count.is_bounded_by(other, self.syms()))
            });
        }
        for (count, node) in counts {
            self.node = node;
            self.limit(&count);
        }
    }

    fn limit(&mut self, count: &Count) {
        let (operators, text) = (self.operators(), bounded(count.text(self.syms())));
        let message = format!("{operators}: {text} elements are more than 2^47; give smaller tensors");
        self.require(count.condition(self.syms()), &[], message);
    }
}

/// A product of sizes: constants apart from the others, which are sorted.
#[derive(Clone, Debug, PartialEq)]
struct Count {
    constant: i128,
    factors: Vec<SymInt>,
}

impl Count {
    /// `None` where the space is empty for all sizes.
    fn new(syms: &SymArena, sizes: &[SymInt]) -> Option<Count> {
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

    /// Whether ranges show that there are not too many.
    fn is_small(&self, syms: &SymArena) -> bool {
        let most =
            self.factors.iter().fold(self.constant, |n, s| n.saturating_mul(syms.range(*s).max as i128));
        most <= MOST_POINTS as i128
    }

    /// Whether there are too many whatever the sizes are.
    fn is_too_large(&self) -> bool {
        self.factors.is_empty() && self.constant > MOST_POINTS as i128
    }

    /// Whether `other` is at least as large for all sizes.
    fn is_bounded_by(&self, other: &Count, syms: &SymArena) -> bool {
        let mut rest = other.constant;
        let mut own = self.factors.iter().peekable();
        for factor in &other.factors {
            if own.next_if_eq(&factor).is_none() {
                rest = rest.saturating_mul(syms.range(*factor).min.max(0) as i128);
            }
        }
        own.next().is_none() && self.constant <= rest
    }

    /// `count <= MOST_POINTS`. A run in which the product overflows fails, too.
    fn condition(&self, syms: &SymArena) -> SymInt {
        // The constant goes to the other side: symbolic products with fewer constants are more often equal.
        let most = syms.constant((MOST_POINTS as i128 / self.constant) as i64);
        let product = self.factors.iter().fold(syms.constant(1), |product, size| syms.mul(product, *size));
        syms.le(product, most)
    }

    fn text(&self, syms: &SymArena) -> String {
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
        // Two lower bounds below zero have a positive product, which is no lower bound.
        let [c, d] = ["c", "d"].map(|name| syms.symbol(name, Range::new(-3, 8), None));
        assert!(!count(&[rows]).is_bounded_by(&count(&[rows, c, d]), &syms));
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
