//! Facts that a proof of bounds may use, and multiples.
//!
//! Invariant: each added fact follows from the given one for all integers.

use crate::base::HashMap;
use crate::types::{SymArena, SymInt, SymNode, SymbolId, SymbolKind, gcd};

/// Adds an expression that is not negative, and what follows for each operand of the minimum in it: that needs no choice of the
/// prover. Several minima stay, since their operands would be as many facts as there are choices.
pub(super) fn add(syms: &SymArena, facts: &mut Vec<SymInt>, fact: SymInt) {
    let fact = tightened(syms, fact);
    facts.push(fact);
    if let Some(whole) = undivided(syms, fact) {
        add(syms, facts, whole);
    }
    let mut minima = syms.atoms(fact).into_iter().filter_map(|atom| match syms.node(atom) {
        SymNode::Min(a, b) => Some((atom, [a, b])),
        _ => None,
    });
    if let (Some((atom, operands)), None) = (minima.next(), minima.next())
        && let Some((coefficient, rest)) = syms.linear_in_atom(fact, atom)
        && syms.range(coefficient).min > 0
    {
        for operand in operands {
            add(syms, facts, syms.add(rest, syms.mul(coefficient, operand)));
        }
    }
}

/// `a // b + rest >= 0` is `a + rest * b >= 0`, and `rest - a // b >= 0` is `(rest + 1) * b - a - 1 >= 0`.
fn undivided(syms: &SymArena, fact: SymInt) -> Option<SymInt> {
    syms.atoms(fact).into_iter().find_map(|atom| {
        let SymNode::FloorDiv(a, b) = syms.node(atom) else { return None };
        let (coefficient, rest) = syms.linear_in_atom(fact, atom).filter(|_| syms.range(b).min > 0)?;
        match syms.as_const(coefficient) {
            Some(1) => Some(syms.add(a, syms.mul(rest, b))),
            Some(-1) => Some(syms.add_const(syms.sub(syms.mul(syms.add_const(rest, 1), b), a), -1)),
            _ => None,
        }
    })
}

/// `699 - 4*i` is not negative where `174 - i` is not.
fn tightened(syms: &SymArena, fact: SymInt) -> SymInt {
    let SymNode::Add(terms) = syms.node(fact) else { return fact };
    let (mut common, mut own) = (0, 0);
    for term in terms {
        match syms.node(term) {
            SymNode::Constant(value) => own = value,
            _ => common = gcd(common, coefficient(syms, term)),
        }
    }
    if common <= 1 {
        return fact;
    }
    let whole = syms.add_const(fact, -own.rem_euclid(common));
    syms.divide_exact(whole, syms.constant(common)).unwrap_or(whole)
}

/// A number that divides a term.
fn coefficient(syms: &SymArena, term: SymInt) -> i64 {
    match syms.node(term) {
        SymNode::Mul(factors) => syms.as_const(factors[0]).map_or(1, |c| c.checked_abs().unwrap_or(1)),
        _ => 1,
    }
}

/// Positions of quotients and remainders among the variables of the prover.
const PARTS: u32 = 2_000_000;
/// Divisions that one goal is rid of, at most.
const MOST_DIVISIONS: u32 = 4;

/// A goal and facts in which a dividend's variable is written as `divisor * quotient + remainder`; no facts where nothing is
/// divided. Then the bounds of a row and of a place in it are those of two variables.
pub(super) fn divided(syms: &SymArena, goal: SymInt, facts: &[SymInt]) -> (SymInt, Option<Vec<SymInt>>) {
    let (mut goal, mut all) = (goal, facts.to_vec());
    let mut count = 0;
    while count < MOST_DIVISIONS
        && let Some((dividend, divisor)) = division(syms, goal)
        && let Some((variable, size, coefficient)) = unit(syms, dividend)
    {
        let remainder = syms.index_var(PARTS + 2 * count, divisor);
        let most = syms.range(syms.floordiv(dividend, divisor)).max;
        let quotient = syms.index_var(PARTS + 2 * count + 1, syms.constant(most.saturating_add(1)));
        count += 1;
        let whole = syms.add(syms.mul(divisor, quotient), remainder);
        let Some((_, rest)) = syms.linear_in(dividend, variable) else { break };
        let own = syms.mul_const(syms.sub(whole, rest), coefficient);
        let map = HashMap::from_iter([(variable, own)]);
        goal = syms.substitute(goal, &map);
        all.iter_mut().for_each(|fact| *fact = syms.substitute(*fact, &map));
        all.extend([own, syms.add_const(syms.sub(size, own), -1)]);
        // Without the remainder a fact about both is one about the quotient.
        let ends = [syms.constant(0), syms.add_const(divisor, -1)];
        for k in 0..all.len() {
            let Some((c, rest)) = syms.linear_in_atom(all[k], remainder) else { continue };
            let range = syms.range(c);
            if range.max < 0 || range.min > 0 {
                let greatest = ends[usize::from(range.min > 0)];
                add(syms, &mut all, syms.add(rest, syms.mul(c, greatest)));
            }
        }
    }
    (goal, (count > 0).then_some(all))
}

/// The facts that name nothing else than a goal does: with all of them the prover looks for long.
pub(super) fn about(syms: &SymArena, goal: SymInt, facts: &[SymInt]) -> Vec<SymInt> {
    let own = syms.symbols(goal);
    let near = |fact: &SymInt| syms.symbols(*fact).iter().all(|s| own.contains(s));
    facts.iter().copied().filter(near).collect()
}

/// A quotient or a remainder in an expression: what is divided by what.
fn division(syms: &SymArena, e: SymInt) -> Option<(SymInt, SymInt)> {
    match syms.node(e) {
        SymNode::FloorDiv(a, b) | SymNode::Mod(a, b) if syms.range(b).min > 0 && syms.range(a).min >= 0 => {
            division(syms, a).or(Some((a, b)))
        }
        node => node.operands().into_iter().find_map(|o| division(syms, o)),
    }
}

/// A variable of an expression that occurs once, as it is or negated: the variable, its size and its sign.
fn unit(syms: &SymArena, e: SymInt) -> Option<(SymbolId, SymInt, i64)> {
    syms.atoms(e).into_iter().find_map(|atom| {
        let id = syms.as_symbol(atom)?;
        let SymbolKind::Index { size, .. } = syms.symbol_kind(id) else { return None };
        let (coefficient, _) = syms.linear_in(e, id)?;
        syms.as_const(coefficient).filter(|c| c.abs() == 1).map(|sign| (id, size, sign))
    })
}

/// Whether an expression is a multiple of a number wherever its variables are.
pub(super) fn is_multiple(syms: &SymArena, e: SymInt, of: i64) -> bool {
    if of == 1 || syms.as_const(syms.modulo(e, syms.constant(of))) == Some(0) {
        return true;
    }
    let each = |list: &[SymInt]| list.iter().all(|o| is_multiple(syms, *o, of));
    match syms.node(e) {
        SymNode::Constant(value) => value % of == 0,
        SymNode::Add(terms) => each(&terms),
        SymNode::Mul(factors) => {
            let (known, rest) = (coefficient(syms, e), of / gcd(of, coefficient(syms, e)));
            known % of == 0
                || factors.iter().any(|f| syms.as_const(*f).is_none() && is_multiple(syms, *f, rest))
        }
        SymNode::Min(a, b) | SymNode::Max(a, b) | SymNode::Mod(a, b) => each(&[a, b]),
        SymNode::Select(_, a, b) => each(&[a, b]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Range;

    #[test]
    fn a_sum_of_minima_is_one_fact() {
        let syms = SymArena::new();
        let least =
            |k: i64| syms.min(syms.symbol(&format!("u{k}"), Range::size(), None), syms.constant(1000));
        let mut facts = Vec::new();
        add(&syms, &mut facts, (0..20).map(least).fold(syms.constant(-1), |sum, m| syms.add(sum, m)));
        assert_eq!(facts.len(), 1);
        add(&syms, &mut facts, syms.add_const(least(0), -1));
        assert_eq!(facts.len(), 4, "a minimum, and each of its operands");
    }
}
