//! Further ways to prove a goal that could not be proved as it is: without a quotient, by facts times sizes, by the bounds that a fact
//! about a quotient sets to its dividend, and by the equalities that guards give for symbols.
//!
//! Invariant: each way leads to goals from which the first one follows.
//!
//! Deliberately absent: the order of the ways, and their limits of steps (see `prove`).

use super::facts::Interval;
use super::prove::{Proof, Prover};
use crate::types::{SymInt, SymNode};

impl Prover<'_> {
    /// The goal without one of its quotients, where that loses nothing. Variables go first otherwise, and with them what a fact says of
    /// the sum of one and another that is divided: `3 * i + j >= 6` is `i + j // 3 >= 2`.
    pub(super) fn without_quotient(
        &mut self,
        expression: SymInt,
        facts: &[SymInt],
        data: &[Interval],
    ) -> Proof {
        let syms = self.syms;
        let d = self.lift(expression);
        let mut proof = Proof::Open;
        for atom in syms.atoms(d) {
            if !matches!(syms.node(atom), SymNode::FloorDiv(..)) {
                continue;
            }
            let Some((coefficient, rest)) = syms.linear_in_atom(d, atom) else { continue };
            if matches!(syms.as_const(coefficient), Some(1 | -1)) {
                proof =
                    proof.or(|| self.without(atom, coefficient, rest, facts, data).unwrap_or(Proof::Open));
            }
        }
        proof
    }

    /// Subtracts facts times sizes, as places in flattened rows need: `n * i + j >= 0` where `i >= 0` and `j >= 0` are facts. The
    /// coefficient of one atom says how many times.
    pub(super) fn by_multiples(&mut self, expression: SymInt, facts: &[SymInt], data: &[Interval]) -> Proof {
        let syms = self.syms;
        let d = self.lift(expression);
        self.steps += 1;
        if self.is_spent() {
            return Proof::Open;
        }
        let mut proof = Proof::Open;
        for atom in syms.atoms(d) {
            if !self.moves(atom) {
                continue;
            }
            let Some((wanted, _)) = syms.linear_in_atom(d, atom) else { continue };
            if syms.as_const(wanted).is_some() {
                continue;
            }
            for (k, fact) in facts.iter().enumerate().rev() {
                let Some((given, _)) = syms.linear_in_atom(*fact, atom) else { continue };
                let Some(times) = syms.divide_exact(wanted, given) else { continue };
                if syms.range(times).min < 0 {
                    continue;
                }
                let left = syms.sub(d, syms.mul(*fact, times));
                // Each fact serves once, so that this ends.
                let others: Vec<SymInt> =
                    facts.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, f)| *f).collect();
                proof =
                    proof.or(|| self.goal(left, facts, data)).or(|| self.by_multiples(left, &others, data));
                if proof == Proof::Holds || self.is_spent() {
                    return proof;
                }
            }
        }
        proof
    }

    /// The goal with facts about quotients turned into facts about dividends: `a // n <= c` is `a <= n * c + n - 1`. So
    /// `i // 12 <= 7` bounds `i // 24`.
    pub(super) fn by_dividends(&mut self, expression: SymInt, facts: &[SymInt], data: &[Interval]) -> Proof {
        let syms = self.syms;
        let mut all = facts.to_vec();
        for fact in facts {
            for atom in syms.atoms(*fact) {
                let SymNode::FloorDiv(a, by) = syms.node(atom) else { continue };
                if syms.range(by).min < 1 {
                    continue;
                }
                let Some((coefficient, rest)) = syms.linear_in_atom(*fact, atom) else { continue };
                let rest = syms.mul(by, rest);
                match syms.as_const(coefficient) {
                    Some(1) => all.push(syms.add(a, rest)),
                    Some(-1) => all.push(syms.sub(syms.add(rest, syms.add_const(by, -1)), a)),
                    _ => {}
                }
            }
        }
        if all.len() == facts.len() { Proof::Open } else { self.goal(expression, &all, data) }
    }

    /// The goal after the substitutions that guards allow.
    pub(super) fn by_equal(&mut self, expression: SymInt, facts: &[SymInt], data: &[Interval]) -> Proof {
        let other = self.equal.stand_in(self.syms, expression);
        if other == expression { Proof::Open } else { self.by_operands(other, facts, data) }
    }

    /// The goal for the operands of each minimum and maximum over free symbols, before variables reach their ends: `i < min(m, n)`
    /// is `i < m` and `i < n`.
    fn by_operands(&mut self, d: SymInt, facts: &[SymInt], data: &[Interval]) -> Proof {
        let syms = self.syms;
        for atom in syms.atoms(d) {
            let (SymNode::Min(a, b) | SymNode::Max(a, b)) = syms.node(atom) else { continue };
            let Some((coefficient, rest)) = syms.linear_in_atom(d, atom).filter(|_| !self.moves(atom)) else {
                continue;
            };
            if syms.range(coefficient).min < 0 || self.is_spent() {
                continue;
            }
            let with = |value: SymInt| syms.add(syms.mul(coefficient, value), rest);
            let first = self.by_operands(with(a), facts, data);
            return match syms.node(atom) {
                SymNode::Min(..) => first.and(syms, || self.by_operands(with(b), facts, data)),
                _ => first.or(|| self.by_operands(with(b), facts, data)),
            };
        }
        self.goal(d, facts, data)
    }
}
