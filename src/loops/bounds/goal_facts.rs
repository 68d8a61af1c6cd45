//! The facts that a goal is compared with: those of conditions, the choice among them, and those of quotients that are whole.
//!
//! Invariant: every expression here is not negative at each point where the goal is asked for.
//!
//! Deliberately absent: proofs, which `prove` and `again` make of them.

use super::prove::Prover;
use crate::types::{SymArena, SymInt, SymNode};

/// Facts that a goal is compared with, the latest first.
const MOST_FACTS: usize = 24;
/// Terms of a fact that is looked at for parts that are whole.
const MOST_TERMS_OF_PARTS: usize = 5;

/// The expressions that are not negative where a 0/1 condition has this truth. A disjunction says nothing.
pub fn not_negative(syms: &SymArena, condition: SymInt, truth: bool, found: &mut Vec<SymInt>) {
    match (syms.node(condition), truth) {
        (SymNode::And(a, b), true) | (SymNode::Or(a, b), false) => {
            not_negative(syms, a, truth, found);
            not_negative(syms, b, truth, found);
        }
        (SymNode::Not(a), _) => not_negative(syms, a, !truth, found),
        (SymNode::Constant(value), _) if (value != 0) != truth => found.push(syms.constant(-1)),
        (SymNode::Le(a, b), true) => found.push(syms.sub(b, a)),
        (SymNode::Le(a, b), false) => found.push(syms.add_const(syms.sub(a, b), -1)),
        (SymNode::Lt(a, b), true) => found.push(syms.add_const(syms.sub(b, a), -1)),
        (SymNode::Lt(a, b), false) => found.push(syms.sub(a, b)),
        (SymNode::Eq(a, b), true) => found.extend([syms.sub(a, b), syms.sub(b, a)]),
        _ => {}
    }
}

impl Prover<'_> {
    /// The latest facts, without constants that say nothing and without duplicates.
    pub(super) fn telling(&self, facts: &[SymInt]) -> Vec<SymInt> {
        let mut latest: Vec<SymInt> = Vec::new();
        for fact in facts.iter().rev() {
            let fact = self.primitive(self.lift(*fact));
            if self.syms.as_const(fact).is_none_or(|value| value < 0) && !latest.contains(&fact) {
                latest.push(fact);
                self.whole_parts(fact, &mut latest);
            }
            if latest.len() >= MOST_FACTS {
                break;
            }
        }
        latest.reverse();
        latest
    }

    /// What a fact says about the terms with a common divisor, whose quotient is whole: `24 - 5 * row - column >= 0` says
    /// `4 - row >= 0`, as no column is negative.
    fn whole_parts(&self, fact: SymInt, found: &mut Vec<SymInt>) {
        let syms = self.syms;
        let terms = syms.terms_of(fact);
        if !(2..=MOST_TERMS_OF_PARTS).contains(&terms.len()) {
            return;
        }
        for (k, (_, divisor)) in terms.iter().enumerate() {
            let divisor = divisor.saturating_abs();
            if divisor < 2 || terms[..k].iter().any(|(_, before)| before.saturating_abs() == divisor) {
                continue;
            }
            let whole = terms.iter().filter(|(_, c)| c % divisor == 0);
            let whole = whole.map(|(term, c)| syms.mul_const(*term, c / divisor));
            let whole = syms.sum(&whole.collect::<Vec<_>>());
            let most = syms.range(syms.sub(fact, syms.mul_const(whole, divisor))).max;
            if most == i64::MAX || most % divisor == 0 {
                continue;
            }
            let part = syms.add_const(whole, most.div_euclid(divisor));
            if syms.range(part).min < 0 && !found.contains(&part) {
                found.push(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prove::{Proof, Prover};
    use crate::types::{Range, SymArena};

    /// A row of five elements lies before the end of so many elements as five rows have, of a known number of rows or not.
    #[test]
    fn places_before_the_end_of_whole_rows_are_of_these_rows() {
        let syms = SymArena::new();
        let size = |name: &str, most| syms.symbol(name, Range::new(0, most), None);
        let (row, column, rows) = (size("row", 100), size("column", 4), size("rows", 1000));
        let place = syms.add(syms.mul_const(row, 5), column);
        for count in [syms.constant(5), rows] {
            let end = syms.mul_const(count, 5);
            let before = syms.add_const(syms.sub(end, place), -1);
            let mut prover = Prover::new(&syms);
            let within = syms.add_const(syms.sub(count, row), -1);
            assert_eq!(prover.prove(within, &[before], &[]), Proof::Holds);
            let beyond = syms.add_const(within, -1);
            assert_ne!(prover.prove(beyond, &[before], &[]), Proof::Holds);
        }
    }
}
