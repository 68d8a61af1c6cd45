//! Indices over the lanes of one vector: those with an even step from lane to lane, conditions that all lanes share, and
//! all other indices as vectors.
//!
//! A loop that begins at a multiple of the lanes takes whole vectors at multiples of them. So quotients and remainders by a multiple of the
//! lanes are known within a vector: `j % 512` steps by one, `j / 512` is constant.

use super::{Emitter, Lanes, Operand};
use crate::kernels::{Value, ValueId, Word};
use crate::loops::BinaryOp;
use crate::types::{SymArena, SymInt, SymNode, SymbolId, SymbolKind};

/// The largest quotient that is found in float64 with certainty.
const EXACT: i64 = 1 << 48;

/// What each lane adds to an index without data, where all add the same.
pub fn lane_step(syms: &SymArena, index: SymInt, lanes: &Lanes) -> Option<SymInt> {
    if let Some((step, _)) = syms.linear_in(index, lanes.symbol) {
        return Some(step);
    }
    let multiple = lanes.multiple?;
    let whole_steps = |a: SymInt, b: SymInt| {
        let (step, first) = place_in_steps(syms, a, lanes)?;
        (first == 0 && step > 0 && divides(syms, step * multiple, b)).then_some(step)
    };
    match syms.node(index) {
        SymNode::Add(terms) => {
            let steps: Option<Vec<SymInt>> = terms.iter().map(|t| lane_step(syms, *t, lanes)).collect();
            Some(syms.sum(&steps?))
        }
        SymNode::Mul(factors) => {
            let (own, rest): (Vec<SymInt>, Vec<SymInt>) =
                factors.iter().copied().partition(|f| syms.depends_on(*f, lanes.symbol));
            let [own] = own[..] else { return None };
            Some(syms.mul(lane_step(syms, own, lanes)?, syms.product(&rest)))
        }
        SymNode::Mod(_, b) | SymNode::FloorDiv(_, b) if syms.depends_on(b, lanes.symbol) => None,
        // What stands still stands still in all that is made of it.
        SymNode::Mod(a, _) | SymNode::FloorDiv(a, _) if stands_still(syms, a, lanes) => {
            Some(syms.constant(0))
        }
        SymNode::Mod(a, b) => whole_steps(a, b).map(|step| syms.constant(step)),
        SymNode::FloorDiv(a, b) => whole_steps(a, b).map(|_| syms.constant(0)),
        _ => None,
    }
}

/// Whether an index has one value in all lanes of a vector.
fn stands_still(syms: &SymArena, index: SymInt, lanes: &Lanes) -> bool {
    lane_step(syms, index, lanes).and_then(|step| syms.as_const(step)) == Some(0)
}

fn divides(syms: &SymArena, unit: i64, index: SymInt) -> bool {
    syms.as_const(index).is_some_and(|n| n > 0)
        && syms.as_const(syms.modulo(index, syms.constant(unit))) == Some(0)
}

/// The step of an index from lane to lane, and where a vector's first lane stands between two multiples of what a
/// whole vector steps.
fn place_in_steps(syms: &SymArena, index: SymInt, lanes: &Lanes) -> Option<(i64, i64)> {
    let (step, rest) = syms.linear_in(index, lanes.symbol)?;
    let step = syms.as_const(step)?;
    let unit = step.checked_abs()?.checked_mul(lanes.multiple?)?;
    if unit == 0 {
        return None;
    }
    let first = syms.as_const(syms.modulo(rest, syms.constant(unit)))?;
    Some((step, first))
}

/// Whether an index is a multiple of `unit` wherever the lane variable is one.
pub(super) fn is_multiple(syms: &SymArena, index: SymInt, lane: SymbolId, unit: i64) -> bool {
    if !syms.depends_on(index, lane) {
        return syms.as_const(syms.modulo(index, syms.constant(unit))) == Some(0);
    }
    match syms.node(index) {
        SymNode::Add(terms) => terms.iter().all(|t| is_multiple(syms, *t, lane, unit)),
        SymNode::Mul(factors) => factors.iter().any(|f| is_multiple(syms, *f, lane, unit)),
        SymNode::Mod(a, b) => {
            is_multiple(syms, a, lane, unit) && syms.as_const(b).is_some_and(|b| b > 0 && b % unit == 0)
        }
        _ => syms.as_symbol(index) == Some(lane),
    }
}

impl Emitter<'_> {
    /// [`lane_step`] of the lanes that are there.
    pub(super) fn lane_step(&self, index: SymInt, lanes: &Lanes) -> Option<SymInt> {
        lane_step(&self.program.syms, index, lanes)
    }

    /// Whether a condition holds for all lanes or for none.
    pub(super) fn is_shared(&self, condition: SymInt, lanes: &Lanes) -> bool {
        let syms = &self.program.syms;
        if !syms.depends_on(condition, lanes.symbol) {
            return true;
        }
        let positive = |left: SymInt| {
            let (Some((step, first)), Some(n)) = (place_in_steps(syms, left, lanes), lanes.multiple) else {
                return false;
            };
            if step < 0 { first == 0 || first > -step * (n - 1) } else { (1..=step).contains(&first) }
        };
        let still = |side: SymInt| stands_still(syms, side, lanes);
        match syms.node(condition) {
            SymNode::And(a, b) | SymNode::Or(a, b) => self.is_shared(a, lanes) && self.is_shared(b, lanes),
            SymNode::Not(a) => self.is_shared(a, lanes),
            SymNode::Lt(a, b) => still(a) && still(b) || positive(syms.sub(b, a)),
            SymNode::Le(a, b) => still(a) && still(b) || positive(syms.add_const(syms.sub(b, a), 1)),
            SymNode::Eq(a, b) => still(a) && still(b),
            _ => false,
        }
    }

    /// An index at every lane as a vector of 64-bit integers, where its parts are vectors, too.
    pub(super) fn index_vector(&mut self, index: SymInt, lanes: &Lanes) -> Option<ValueId> {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let symbols = syms.symbols(index);
        let varying = |e: &Self, s| match syms.symbol_kind(s) {
            SymbolKind::Data(k) => e.data[k as usize].varying,
            _ => s == lanes.symbol,
        };
        if !symbols.iter().any(|s| varying(self, *s)) {
            return Some(self.even(index));
        }
        let is_data = symbols.iter().any(|s| matches!(syms.symbol_kind(*s), SymbolKind::Data(_)));
        if !is_data && let Some(step) = self.lane_step(index, lanes) {
            let base = self.even(index);
            return Some(self.stepping(base, step));
        }
        match syms.node(index) {
            SymNode::Symbol(s) => match syms.symbol_kind(s) {
                SymbolKind::Data(k) => Some(self.data[k as usize].value),
                _ => None,
            },
            SymNode::Add(parts) | SymNode::Mul(parts) => {
                let sum = matches!(syms.node(index), SymNode::Add(_));
                let (own, even): (Vec<SymInt>, Vec<SymInt>) = parts
                    .iter()
                    .copied()
                    .partition(|t| syms.symbols(*t).into_iter().any(|s| varying(self, s)));
                let mut vectors = Vec::with_capacity(own.len() + 1);
                for part in own {
                    vectors.push(self.index_vector(part, lanes)?);
                }
                if !even.is_empty() {
                    let even = if sum { syms.sum(&even) } else { syms.product(&even) };
                    vectors.push(self.even(even));
                }
                let op = if sum { BinaryOp::Add } else { BinaryOp::Mul };
                vectors.into_iter().reduce(|a, b| self.add(Value::Binary(op, a, b)))
            }
            SymNode::Min(a, b) => self.two_vectors(BinaryOp::Minimum, a, b, lanes),
            SymNode::Max(a, b) => self.two_vectors(BinaryOp::Maximum, a, b, lanes),
            SymNode::FloorDiv(a, b) => self.divided(Word::QuotientBy, a, b, lanes),
            SymNode::Mod(a, b) => self.divided(Word::RestBy, a, b, lanes),
            _ => None,
        }
    }

    /// The same number in every lane.
    fn even(&mut self, index: SymInt) -> ValueId {
        let value = self.wide_index(index);
        self.splat(value)
    }

    /// A vector plus `step` for each further lane.
    pub(super) fn stepping(&mut self, base: ValueId, step: SymInt) -> ValueId {
        let known = self.program.syms.as_const(step);
        if known == Some(0) {
            return base;
        }
        let mut places = self.word(Word::LaneIndex, &[]);
        if known != Some(1) {
            let step = self.index(step);
            let step = self.add(Value::ToWide(step));
            let step = self.splat(step);
            places = self.add(Value::Binary(BinaryOp::Mul, places, step));
        }
        self.add(Value::Binary(BinaryOp::Add, base, places))
    }

    fn two_vectors(&mut self, op: BinaryOp, a: SymInt, b: SymInt, lanes: &Lanes) -> Option<ValueId> {
        let (a, b) = (self.index_vector(a, lanes)?, self.index_vector(b, lanes)?);
        Some(self.add(Value::Binary(op, a, b)))
    }

    fn divided(&mut self, word: Word, a: SymInt, b: SymInt, lanes: &Lanes) -> Option<ValueId> {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let divisor = syms.as_const(b).filter(|b| *b > 0)?;
        let range = syms.range(a);
        if range.min < 0 || range.max > EXACT {
            return None;
        }
        let a = self.index_vector(a, lanes)?;
        let divisor = self.integer(divisor);
        let divisor = self.add(Value::ToWide(divisor));
        Some(self.word(word, &[a, divisor]))
    }

    /// [`Self::index_vector`] as an operand, for the target whose lanes are a machine's vector.
    pub(super) fn machine_index(&mut self, index: SymInt, lanes: &Lanes) -> Option<Operand> {
        if self.aligned.is_some() {
            return None;
        }
        self.index_vector(index, lanes).map(Operand::varying)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits of a lane's number: those above the lanes stand still, also digits of these; a divisor that moves is no unit.
    #[test]
    fn steps_of_digits_are_those_of_their_values() {
        let syms = SymArena::default();
        let lane = syms.index_var(0, syms.constant(64));
        let lanes =
            Lanes { symbol: syms.as_symbol(lane).expect("a variable"), count: None, multiple: Some(4) };
        let number = |n: i64| syms.constant(n);
        let high = syms.floordiv(lane, number(8));
        let moving = syms.add_const(lane, 1);
        let cases = [
            (syms.modulo(lane, number(8)), Some(1)),
            (high, Some(0)),
            (syms.modulo(high, number(3)), Some(0)),
            (syms.floordiv(high, number(3)), Some(0)),
            (syms.modulo(lane, number(6)), None),
            (syms.floordiv(number(5), moving), None),
            (syms.modulo(number(5), moving), None),
            (syms.floordiv(syms.add_const(high, 70), moving), None),
        ];
        for (index, want) in cases {
            let step = lane_step(&syms, index, &lanes).and_then(|step| syms.as_const(step));
            assert_eq!(step, want, "{}", syms.display(index));
        }
    }
}
