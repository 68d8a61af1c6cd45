//! Bounds of quotients, remainders, minima, maxima and selections, by which a goal loses an atom that is no variable.
//!
//! Invariant: a step replaces an atom by bounds that hold at every point, or by all of its cases.
//!
//! Deliberately absent: the order in which atoms are taken, and the limit of steps (see `prove`).

use super::facts::Interval;
use super::goal_facts::not_negative;
use super::prove::{Proof, Prover};
use crate::types::{SymArena, SymInt, SymNode, SymbolKind};

impl Prover<'_> {
    /// `coefficient * atom + rest >= 0` by bounds of an atom that is no variable.
    pub(super) fn without(
        &mut self,
        atom: SymInt,
        coefficient: SymInt,
        rest: SymInt,
        facts: &[SymInt],
        data: &[Interval],
    ) -> Option<Proof> {
        let syms = self.syms;
        let (rises, _) = self.direction(coefficient)?;
        let with = |value: SymInt| syms.add(syms.mul(coefficient, value), rest);
        let both = |this: &mut Self, a: SymInt, b: SymInt| {
            this.goal(with(a), facts, data).and(syms, || this.goal(with(b), facts, data))
        };
        let either = |this: &mut Self, a: SymInt, b: SymInt| {
            this.goal(with(a), facts, data).or(|| this.goal(with(b), facts, data))
        };
        Some(match syms.node(atom) {
            SymNode::FloorDiv(_, b) | SymNode::Mod(_, b) if syms.range(b).min < 1 => return None,
            SymNode::FloorDiv(..) | SymNode::Mod(..) => {
                return self.under_division(atom, coefficient, rest, facts, data);
            }
            SymNode::Min(a, b) if rises => both(self, a, b),
            SymNode::Min(a, b) => {
                either(self, a, b).or(|| self.by_mean(coefficient, rest, [a, b], facts, data))
            }
            SymNode::Max(a, b) if rises => {
                either(self, a, b).or(|| self.by_mean(coefficient, rest, [a, b], facts, data))
            }
            SymNode::Max(a, b) => both(self, a, b),
            SymNode::Select(condition, a, b) => self.by_case(condition, with(a), with(b), facts, data),
            SymNode::Constant(_) | SymNode::Symbol(_) | SymNode::Add(_) | SymNode::Mul(_) => return None,
            // The others are 0 or 1.
            _ => self.by_case(atom, with(syms.constant(1)), with(syms.constant(0)), facts, data),
        })
    }

    /// [`Self::without`] of a quotient or a remainder by a positive divisor.
    pub(super) fn under_division(
        &mut self,
        atom: SymInt,
        coefficient: SymInt,
        rest: SymInt,
        facts: &[SymInt],
        data: &[Interval],
    ) -> Option<Proof> {
        let proof = self.by_division(atom, coefficient, rest, facts, data)?;
        Some(proof.or(|| self.without_coefficient(atom, coefficient, rest, facts, data)))
    }

    /// A symbolic coefficient that divides the rest, too, is left out: `n * q <= n * m` where `q <= m`, for `n >= 0`.
    fn without_coefficient(
        &mut self,
        atom: SymInt,
        coefficient: SymInt,
        rest: SymInt,
        facts: &[SymInt],
        data: &[Interval],
    ) -> Proof {
        let syms = self.syms;
        let falls = syms.range(coefficient).max <= 0;
        if syms.as_const(coefficient).is_some() {
            return Proof::Open;
        }
        let (by, one) = match falls {
            true => (syms.neg(coefficient), syms.neg(atom)),
            false => (coefficient, atom),
        };
        match syms.divide_exact(rest, by) {
            Some(part) => self.goal(syms.add(part, one), facts, data),
            None => Proof::Open,
        }
    }

    fn by_division(
        &mut self,
        atom: SymInt,
        coefficient: SymInt,
        rest: SymInt,
        facts: &[SymInt],
        data: &[Interval],
    ) -> Option<Proof> {
        let syms = self.syms;
        let (rises, falls) = self.direction(coefficient)?;
        Some(match syms.node(atom) {
            SymNode::FloorDiv(a, b) => {
                let proof = match syms.as_const(coefficient) {
                    // Of several quotients each would be divided by the others' numbers.
                    Some(k) if matches!(k, 1 | -1) || k != 0 && k != i64::MIN && self.is_plain(rest) => {
                        self.goal(over_quotient(syms, k, rest, a, b), facts, data)
                    }
                    _ => Proof::Open,
                };
                let at_end = |this: &mut Self| match this.last_quotient(a, b) {
                    Some(last) => this.goal(syms.add(syms.mul(coefficient, last), rest), facts, data),
                    None => Proof::Open,
                };
                match syms.as_const(coefficient) {
                    Some(1 | -1) => proof,
                    // `a - b < b * (a // b) <= a`
                    _ if falls => proof
                        .or(|| self.goal(syms.add(syms.mul(rest, b), syms.mul(coefficient, a)), facts, data))
                        .or(|| at_end(self)),
                    _ => {
                        let least = syms.add_const(syms.sub(a, b), 1);
                        let within = syms.add(syms.mul(rest, b), syms.mul(coefficient, least));
                        let zero =
                            if syms.range(a).min >= 0 { self.goal(rest, facts, data) } else { Proof::Open };
                        proof.or(|| zero).or(|| self.goal(within, facts, data))
                    }
                }
            }
            SymNode::Mod(a, b) => {
                let with = |value: SymInt| syms.add(syms.mul(coefficient, value), rest);
                if rises {
                    self.goal(rest, facts, data)
                } else if syms.range(a).min >= 0 {
                    self.goal(with(syms.add_const(b, -1)), facts, data).or(|| self.goal(with(a), facts, data))
                } else {
                    self.goal(with(syms.add_const(b, -1)), facts, data)
                }
            }
            _ => return None,
        })
    }

    /// The largest value of a quotient of a loop variable by a positive divisor.
    fn last_quotient(&self, a: SymInt, b: SymInt) -> Option<SymInt> {
        let syms = self.syms;
        let SymNode::Symbol(id) = syms.node(a) else { return None };
        match syms.symbol_kind(id) {
            SymbolKind::Index { size, .. } => Some(syms.floordiv(syms.add_const(size, -1), b)),
            _ => None,
        }
    }

    /// Whether a coefficient is never negative, and whether it is never positive; nothing if it may be both.
    fn direction(&self, coefficient: SymInt) -> Option<(bool, bool)> {
        let range = self.syms.range(coefficient);
        let (rises, falls) = (range.min >= 0, range.max <= 0);
        (rises || falls).then_some((rises, falls))
    }

    /// The larger of two is at least their mean, and the smaller at most, as in `max(x, -x) >= 0`.
    fn by_mean(
        &mut self,
        coefficient: SymInt,
        rest: SymInt,
        [a, b]: [SymInt; 2],
        facts: &[SymInt],
        data: &[Interval],
    ) -> Proof {
        let syms = self.syms;
        let twice = syms.add(syms.mul_const(rest, 2), syms.mul(coefficient, syms.add(a, b)));
        self.goal(twice, facts, data)
    }

    /// One goal where a condition holds, another where it does not.
    fn by_case(
        &mut self,
        condition: SymInt,
        then: SymInt,
        otherwise: SymInt,
        facts: &[SymInt],
        data: &[Interval],
    ) -> Proof {
        let syms = self.syms;
        let under = |truth: bool| {
            let mut list = facts.to_vec();
            not_negative(syms, condition, truth, &mut list);
            list
        };
        self.goal(then, &under(true), data).and(syms, || self.goal(otherwise, &under(false), data))
    }
}

/// An expression without the quotient that is at least 0 exactly where `k * (a // b) + rest` is; `k` is not 0, `b` is positive.
/// `rest >= k * (a // b)` holds where `(rest // k + 1) * b > a`, and `k * (a // b) >= -rest` where `a >= -(rest // k) * b`.
pub(super) fn over_quotient(syms: &SymArena, k: i64, rest: SymInt, a: SymInt, b: SymInt) -> SymInt {
    let part = syms.floordiv(rest, syms.constant(k.abs()));
    if k < 0 {
        let above = syms.mul(syms.add_const(part, 1), b);
        syms.add_const(syms.sub(above, a), -1)
    } else {
        syms.add(a, syms.mul(part, b))
    }
}
