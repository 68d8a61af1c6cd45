//! Proofs that an integer expression is not negative at every point of a loop nest.
//!
//! A variable in which the expression is linear is replaced by the end of its range that makes the expression smallest,
//! until free symbols alone are left. Quotients, remainders, minima and selections are replaced by linear bounds first.
//! What is left over free symbols is decided from their ranges or becomes a condition for a guard.
//!
//! Invariant: a proof never relies on points that do not exist; the caller adds "or the nest is empty" to a condition.
//!
//! Deliberately absent: scalar expressions (see `facts`), and a complete decision procedure. A goal that takes too many
//! steps is open.

use super::abbreviate::Abbreviations;
use super::assumed::Assumed;
use super::atoms::over_quotient;
use super::equal::Equal;
use super::facts::Interval;
use super::goal_facts::not_negative;
use crate::base::{HashMap, HashSet};
use crate::types::{Range, SymArena, SymInt, SymNode, SymbolId, SymbolKind};

/// The outcome of a goal `expression >= 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    Holds,
    /// It holds wherever this condition over free symbols does.
    When(SymInt),
    Open,
}

impl Proof {
    pub fn and(self, syms: &SymArena, other: impl FnOnce() -> Proof) -> Proof {
        match self {
            Proof::Open => Proof::Open,
            Proof::Holds => other(),
            Proof::When(a) => match other() {
                Proof::When(b) => Proof::When(syms.and(a, b)),
                Proof::Holds => self,
                Proof::Open => Proof::Open,
            },
        }
    }
    /// The first that holds, otherwise the first that does so under a condition.
    pub(super) fn or(self, other: impl FnOnce() -> Proof) -> Proof {
        match (self, other) {
            (Proof::Holds, _) => Proof::Holds,
            (Proof::When(_), other) => match other() {
                Proof::Holds => Proof::Holds,
                _ => self,
            },
            (Proof::Open, other) => other(),
        }
    }
}

/// Steps that one goal may take.
const MOST_STEPS: usize = 600;
/// Goals that one goal may lead to, each by the one before. A goal is proved within the one that it came from, on the same stack.
const MOST_DEPTH: usize = 100;
/// The most work on long sums in one goal. Comparing and rewriting a sum takes the square of its length: sixteen terms count as one.
const MOST_WORK: usize = 600;
const TERMS_OF_ONE: usize = 16;
/// Symbols and constants of a term that counts as several.
const LEAVES_OF_TERM: usize = 64;
/// The most that one step of a goal with shortened sums counts: what takes more steps with long sums is hopeless with short ones, too.
const MOST_OF_SHORTENED: usize = 16;
/// Expressions that are looked at to see that one over free symbols is never negative.
const MOST_CASES: usize = 60;
/// What is the same for all goals of a node.
pub struct Prover<'a> {
    pub syms: &'a SymArena,
    /// The guards that hold before the node runs.
    pub assumed: Assumed,
    /// What guards equate.
    pub(super) equal: Equal,
    /// Free symbols that are positive where the nest has points, by stand-ins with that range.
    lifted: HashMap<SymbolId, SymInt>,
    original: HashMap<SymbolId, SymInt>,
    stand_ins: HashMap<(SymbolId, i64), SymInt>,
    /// Of the goal at hand, over stand-ins.
    abbreviations: Abbreviations,
    /// The work that a step of a shortened goal counts at least.
    shortened: usize,
    pub(super) steps: usize,
    depth: usize,
    work: usize,
}

impl<'a> Prover<'a> {
    pub fn new(syms: &'a SymArena) -> Prover<'a> {
        Prover {
            syms,
            assumed: Assumed::default(),
            equal: Equal::default(),
            lifted: HashMap::default(),
            original: HashMap::default(),
            stand_ins: HashMap::default(),
            abbreviations: Abbreviations::default(),
            shortened: 0,
            steps: 0,
            depth: 0,
            work: 0,
        }
    }

    /// Takes a condition as given until [`Self::assumed`] is cut back.
    pub fn assume(&mut self, condition: SymInt) {
        let mut found = Vec::new();
        not_negative(self.syms, condition, true, &mut found);
        found.into_iter().for_each(|e| self.assumed.add(self.syms, e));
    }
    /// Takes a condition as given for all goals.
    pub fn assume_always(&mut self, condition: SymInt) {
        self.assume(condition);
        self.equal.learn(self.syms, condition);
    }

    /// Whether what is given for all goals makes a condition false.
    pub fn is_never(&self, condition: SymInt) -> bool {
        self.syms.decide(self.equal.stand_in(self.syms, condition)) == Some(false)
    }

    /// Whether what is given for all goals makes two expressions one.
    pub fn are_equal(&self, a: SymInt, b: SymInt) -> bool {
        self.equal.are_equal(self.syms, &self.assumed, a, b)
    }

    /// Goals from here on are about points of a nest of these sizes, of which each is positive.
    pub fn enter(&mut self, sizes: &[SymInt]) {
        self.lifted.clear();
        self.original.clear();
        self.abbreviations.clear();
        for size in sizes {
            self.at_least(*size, 1);
        }
    }

    /// Notes that an expression is at least a bound, where that says something about one symbol.
    fn at_least(&mut self, size: SymInt, bound: i64) {
        if self.syms.range(size).min >= bound {
            return;
        }
        match self.syms.node(size) {
            SymNode::Symbol(id) if self.syms.symbol_kind(id) == SymbolKind::Free => {
                let range = self.syms.symbol_range(id);
                if range.max < bound || self.lifted.contains_key(&id) {
                    return;
                }
                let stand_in = *self.stand_ins.entry((id, bound)).or_insert_with(|| {
                    self.syms.symbol(&self.syms.symbol_name(id), Range::new(bound, range.max), None)
                });
                self.lifted.insert(id, stand_in);
                if let Some(symbol) = self.syms.as_symbol(stand_in) {
                    self.original.insert(symbol, size);
                }
            }
            SymNode::Add(_) => {
                let atoms = self.syms.atoms(size);
                if let [atom] = atoms[..]
                    && let Some((coefficient, rest)) = self.syms.linear_in_atom(size, atom)
                    && let (Some(1), Some(rest)) = (self.syms.as_const(coefficient), self.syms.as_const(rest))
                    && let Some(bound) = bound.checked_sub(rest)
                {
                    self.at_least(atom, bound);
                }
            }
            SymNode::Mul(factors) if bound == 1 && factors.iter().all(|f| self.syms.range(*f).min >= 0) => {
                factors.iter().for_each(|f| self.at_least(*f, 1));
            }
            SymNode::Min(a, b) => [a, b].into_iter().for_each(|e| self.at_least(e, bound)),
            SymNode::Max(a, b) => {
                for (one, other) in [(a, b), (b, a)] {
                    if self.syms.range(one).max < bound {
                        self.at_least(other, bound);
                    }
                }
            }
            SymNode::FloorDiv(a, b) => {
                if let Some(bound) =
                    self.syms.as_const(b).filter(|b| *b > 0).and_then(|b| b.checked_mul(bound))
                {
                    self.at_least(a, bound);
                }
            }
            _ => {}
        }
    }

    pub(super) fn lift(&self, e: SymInt) -> SymInt {
        self.abbreviations.shorten(self.syms, self.syms.substitute(e, &self.lifted))
    }
    /// An expression with the same sign whose coefficients have no common divisor: `15 - 2 * q >= 0` is
    /// `7 - q >= 0`.
    pub(super) fn primitive(&self, e: SymInt) -> SymInt {
        match self.syms.content(e) {
            0 | 1 => e,
            divisor => self.syms.floordiv(e, self.syms.constant(divisor)),
        }
    }
    fn unlift(&self, e: SymInt) -> SymInt {
        self.syms.substitute(self.abbreviations.spell_out(self.syms, e), &self.original)
    }

    pub(super) fn is_spent(&self) -> bool {
        self.steps > MOST_STEPS || self.work > MOST_WORK
    }

    /// `expression >= 0`, where the facts are not negative and data variable `k` lies in `data[k]`.
    pub fn prove(&mut self, expression: SymInt, facts: &[SymInt], data: &[Interval]) -> Proof {
        let facts = self.telling(facts);
        let mut short = facts.clone();
        self.begin();
        self.abbreviate(expression, &mut short, data);
        let mut proof = self.attempt(expression, &short, data);
        // Assumptions name the symbols of a sum, so that they do not apply to its stand-in.
        if proof != Proof::Holds && !self.abbreviations.is_empty() {
            self.begin();
            let spelled_out = self.attempt(expression, &facts, data);
            proof = proof.or(|| spelled_out);
        }
        self.begin();
        proof
    }

    /// Forgets what belongs to one way of proving one goal.
    fn begin(&mut self) {
        (self.steps, self.work, self.shortened) = (0, 0, 0);
        self.abbreviations.clear();
    }

    /// Tries the goal as it is, and then each further rule. Every rule has the full number of steps. If one uses them up, the rest is not
    /// tried.
    fn attempt(&mut self, expression: SymInt, facts: &[SymInt], data: &[Interval]) -> Proof {
        let mut proof = self.goal(expression, facts, data);
        for rule in [Self::without_quotient, Self::by_multiples, Self::by_dividends, Self::by_equal] {
            if proof == Proof::Holds || self.is_spent() {
                break;
            }
            (self.steps, self.work) = (0, 0);
            proof = proof.or(|| rule(self, expression, facts, data));
        }
        proof
    }

    /// Shortens the sums of a goal.
    fn abbreviate(&mut self, expression: SymInt, facts: &mut [SymInt], data: &[Interval]) {
        let mut ends = data.to_vec();
        for end in ends.iter_mut().flat_map(|interval| interval.lows.iter_mut().chain(&mut interval.highs)) {
            *end = self.lift(*end);
        }
        let goal = self.lift(expression);
        self.abbreviations.find(self.syms, &self.lifted, (goal, facts, &ends));
        if !self.abbreviations.is_empty() {
            let leaves =
                facts.iter().chain([&goal]).map(|e| self.syms.leaves(*e) as usize).max().unwrap_or(0);
            self.shortened = (leaves / TERMS_OF_ONE).saturating_pow(2).min(MOST_OF_SHORTENED);
            facts.iter_mut().for_each(|fact| *fact = self.lift(*fact));
        }
    }

    pub(super) fn goal(&mut self, expression: SymInt, facts: &[SymInt], data: &[Interval]) -> Proof {
        self.steps += 1;
        if self.is_spent() || self.depth == MOST_DEPTH {
            return Proof::Open;
        }
        self.depth += 1;
        let proof = self.goal_within(expression, facts, data);
        self.depth -= 1;
        proof
    }

    /// [`Self::goal`], where steps and depth are left.
    fn goal_within(&mut self, expression: SymInt, facts: &[SymInt], data: &[Interval]) -> Proof {
        let syms = self.syms;
        let d = self.primitive(self.lift(expression));
        let terms = match syms.node(d) {
            SymNode::Add(terms) => terms.len(),
            _ => 1,
        };
        // Products and selections are terms of terms.
        let terms = terms.max(syms.leaves(d) as usize / LEAVES_OF_TERM);
        self.work += (terms / TERMS_OF_ONE).saturating_pow(2).max(self.shortened);
        // A fact that cannot be is that of a place which is never evaluated.
        let settles = |f: &SymInt| syms.range(*f).max < 0 || syms.known_le(*f, d);
        if syms.range(d).min >= 0 || facts.iter().rev().any(settles) {
            return Proof::Holds;
        }
        let atoms = syms.atoms(d);
        match self.by_facts(d, &atoms, facts, data) {
            Proof::Holds => Proof::Holds,
            weaker => weaker.or(|| self.by_ends(d, &atoms, facts, data)),
        }
    }

    /// Subtracts facts from the goal. A fact serves if it has an atom of the goal with a coefficient of the same sign. As long as the
    /// goal has variables, only atoms with variables count: facts about free symbols can still be subtracted when none is left.
    fn by_facts(&mut self, d: SymInt, atoms: &[SymInt], facts: &[SymInt], data: &[Interval]) -> Proof {
        let syms = self.syms;
        let mut proof = Proof::Open;
        let moves = self.moves(d);
        let coefficients = |e: SymInt| -> HashMap<SymInt, i64> { syms.coefficients(e).into_iter().collect() };
        let own = coefficients(d);
        let of_facts: Vec<_> = facts.iter().map(|f| coefficients(*f)).collect();
        // Goal and fact may share many atoms, and each yields the same difference.
        let mut tried = HashSet::default();
        for atom in atoms {
            if moves && !self.moves(*atom) {
                continue;
            }
            let Some(wanted) = own.get(atom).copied() else { continue };
            for (k, fact) in facts.iter().enumerate().rev() {
                let Some(given) = of_facts[k].get(atom).copied() else { continue };
                // The smallest number by -1 is none.
                let Some(times) = wanted.checked_div(given) else { continue };
                if wanted % given == 0 && times > 0 && tried.insert((k, times)) {
                    let left = syms.sub(d, syms.mul_const(*fact, times));
                    // Each fact serves once, so that this ends.
                    let others: Vec<SymInt> =
                        facts.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, f)| *f).collect();
                    proof = proof.or(|| self.goal(left, &others, data));
                    if proof == Proof::Holds {
                        return proof;
                    }
                }
            }
        }
        proof
    }

    /// Replaces variables by the ends of their ranges, and other atoms by their bounds.
    fn by_ends(&mut self, d: SymInt, atoms: &[SymInt], facts: &[SymInt], data: &[Interval]) -> Proof {
        let syms = self.syms;
        // Data first: their bounds may name loop variables.
        for is_data in [true, false] {
            for atom in atoms {
                let SymNode::Symbol(id) = syms.node(*atom) else { continue };
                let ends = match syms.symbol_kind(id) {
                    SymbolKind::Data(k) if is_data => match data.get(k as usize) {
                        Some(interval) => interval.clone(),
                        None => return Proof::Open,
                    },
                    SymbolKind::Index { size, .. } if !is_data => {
                        let last = syms.add_const(size, -1);
                        let mut ends = Interval { lows: vec![syms.constant(0)], highs: vec![last] };
                        self.narrow(*atom, last, facts, &mut ends);
                        ends
                    }
                    _ => continue,
                };
                if let Some((coefficient, rest)) = syms.linear_in_atom(d, *atom) {
                    return self.at_ends(coefficient, rest, &ends, facts, data);
                }
            }
        }
        if !self.moves(d) {
            return self.over_symbols(d);
        }
        // Atoms that move go first. Minima over free symbols would split the goal into two cases each.
        let (moving, still): (Vec<SymInt>, Vec<SymInt>) = atoms.iter().partition(|a| self.moves(**a));
        let without = |this: &mut Self, list: &[SymInt]| {
            list.iter().find_map(|atom| {
                let (coefficient, rest) = syms.linear_in_atom(d, *atom)?;
                this.without(*atom, coefficient, rest, facts, data)
            })
        };
        if let Some(proof) = without(self, &moving) {
            return proof;
        }
        // Divisors that sizes give have to be positive, which is a condition then.
        for atom in &moving {
            let (SymNode::FloorDiv(_, by) | SymNode::Mod(_, by)) = syms.node(*atom) else { continue };
            if self.moves(by) || syms.range(by).max < 1 || syms.range(by).min >= 1 {
                continue;
            }
            if let Some((coefficient, rest)) = syms.linear_in_atom(d, *atom)
                && let Some(proof) = self.under_division(*atom, coefficient, rest, facts, data)
            {
                return proof.and(syms, || self.over_symbols(syms.add_const(by, -1)));
            }
        }
        without(self, &still).unwrap_or(Proof::Open)
    }

    /// Adds ends of a variable from 0 to `last` that facts about its remainders give. `i % 4 <= 1` is `i <= 4 * (last // 4) + 1`, and
    /// `i % 4 >= 2` is `i >= 2`.
    fn narrow(&self, variable: SymInt, last: SymInt, facts: &[SymInt], ends: &mut Interval) {
        let syms = self.syms;
        for fact in facts {
            for atom in syms.atoms(*fact) {
                let SymNode::Mod(a, by) = syms.node(atom) else { continue };
                if a != variable || self.moves(by) || syms.range(by).min < 1 {
                    continue;
                }
                let Some((coefficient, rest)) = syms.linear_in_atom(*fact, atom) else { continue };
                if self.moves(rest) {
                    continue;
                }
                match syms.as_const(coefficient) {
                    Some(1) => ends.lows.push(syms.neg(rest)),
                    Some(-1) => {
                        let whole = syms.mul(by, syms.floordiv(last, by));
                        ends.highs.push(syms.add(whole, rest));
                    }
                    _ => {}
                }
            }
        }
    }

    /// `coefficient * x + rest >= 0` for a variable between two ends, of each of which several bounds are known: a linear
    /// function is least at an end.
    fn at_ends(
        &mut self,
        coefficient: SymInt,
        rest: SymInt,
        ends: &Interval,
        facts: &[SymInt],
        data: &[Interval],
    ) -> Proof {
        let syms = self.syms;
        let range = syms.range(coefficient);
        let at = |this: &mut Self, list: &[SymInt]| {
            list.iter().fold(Proof::Open, |proof, end| {
                proof.or(|| this.goal(syms.add(syms.mul(coefficient, *end), rest), facts, data))
            })
        };
        if range.min >= 0 {
            at(self, &ends.lows)
        } else if range.max <= 0 {
            at(self, &ends.highs)
        } else {
            at(self, &ends.lows).and(syms, || at(self, &ends.highs))
        }
    }

    /// True where loop and data variables are in remainders alone.
    pub(super) fn is_plain(&self, e: SymInt) -> bool {
        let syms = self.syms;
        syms.atoms(e).into_iter().all(|a| !self.moves(a) || matches!(syms.node(a), SymNode::Mod(..)))
    }

    /// True where loop or data variables are in it.
    pub(super) fn moves(&self, e: SymInt) -> bool {
        self.syms.symbols(e).into_iter().any(|s| self.syms.symbol_kind(s) != SymbolKind::Free)
    }

    /// A goal over free symbols: known, or a condition.
    fn over_symbols(&mut self, d: SymInt) -> Proof {
        let syms = self.syms;
        let plain = self.unlift(d);
        let mut candidates = vec![d, plain];
        if !self.equal.is_empty() {
            candidates.push(self.equal.stand_in(syms, plain));
            // Guards may have put other symbols into it than the goal had.
            candidates.push(syms.substitute(candidates[2], &self.lifted));
        }
        let known = candidates.iter().any(|e| syms.range(*e).min >= 0 || self.assumed.settle(syms, *e));
        if known || self.never_negative(d, &mut { MOST_CASES }) {
            return Proof::Holds;
        }
        let condition = syms.le(syms.constant(0), plain);
        match syms.decide(condition) {
            Some(true) => Proof::Holds,
            Some(false) => Proof::Open,
            None => Proof::When(condition),
        }
    }

    /// Whether an expression over free symbols is at least 0 for all of their values: a minimum, a maximum or a selection is
    /// replaced by its operands, and a quotient by what it divides.
    fn never_negative(&self, e: SymInt, cases: &mut usize) -> bool {
        let syms = self.syms;
        if *cases == 0 {
            return false;
        }
        *cases -= 1;
        let e = self.primitive(e);
        if syms.range(e).min >= 0 || self.assumed.settle(syms, self.unlift(e)) {
            return true;
        }
        for atom in syms.atoms(e) {
            let (SymNode::Min(a, b)
            | SymNode::Max(a, b)
            | SymNode::Select(_, a, b)
            | SymNode::FloorDiv(a, b)) = syms.node(atom)
            else {
                continue;
            };
            let Some((coefficient, rest)) = syms.linear_in_atom(e, atom) else { continue };
            let Some(k) = syms.as_const(coefficient).filter(|k| *k != i64::MIN) else { continue };
            let with = |value: SymInt| syms.add(syms.mul_const(value, k), rest);
            let whole = match syms.node(atom) {
                SymNode::FloorDiv(..) if syms.range(b).min < 1 => continue,
                SymNode::FloorDiv(..) => {
                    // A multiple of what is divided by takes no other quotient: `3 * (a // 3)` is within 2 below `a`.
                    let linear = syms.as_const(b).filter(|b| k % b == 0).map(|b| {
                        let least = if k > 0 { syms.add_const(a, 1 - b) } else { a };
                        syms.add(syms.mul_const(least, k / b), rest)
                    });
                    return linear.is_some_and(|e| self.never_negative(e, cases))
                        || self.never_negative(over_quotient(syms, k, rest, a, b), cases);
                }
                SymNode::Min(..) => k > 0,
                SymNode::Max(..) => k < 0,
                _ => true,
            };
            if whole {
                return self.never_negative(with(a), cases) && self.never_negative(with(b), cases);
            }
            if self.never_negative(with(a), cases) || self.never_negative(with(b), cases) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of windows in flattened rows: a row is divided by the stride.
    #[test]
    fn facts_about_a_quotient_bound_another() {
        let syms = SymArena::new();
        let i = syms.index_var(0, syms.constant(108));
        let quotient = |n: i64| syms.floordiv(i, syms.constant(n));
        let fact = syms.sub(syms.constant(7), quotient(12));
        let mut prover = Prover::new(&syms);
        let mut proved = |most: i64| prover.prove(syms.sub(syms.constant(most), quotient(24)), &[fact], &[]);
        assert_eq!(proved(3), Proof::Holds);
        assert_ne!(proved(2), Proof::Holds);
        let fact = syms.add_const(quotient(12), -2);
        assert_eq!(prover.prove(syms.add_const(quotient(24), -1), &[fact], &[]), Proof::Holds);
    }

    /// A part of a join of many symbolic sizes: the goal and the facts are sums with all sizes in common.
    #[test]
    fn sums_with_many_terms_in_common_are_subtracted_once() {
        let syms = SymArena::new();
        let size = |name: String| syms.symbol(&name, Range::new(0, 1000), None);
        let sizes: Vec<SymInt> = (0..200).map(|k| size(format!("s{k}"))).collect();
        let (end, x, y) = (syms.sum(&sizes), size("x".into()), size("y".into()));
        let mut prover = Prover::new(&syms);
        let proof = prover.goal(syms.sub(end, x), &[syms.sub(end, y)], &[]);
        assert!(matches!(proof, Proof::When(_)), "{proof:?}");
        assert!(prover.steps < 10, "{} steps", prover.steps);
        assert_eq!(prover.goal(syms.sub(end, x), &[syms.sub(end, y), syms.sub(y, x)], &[]), Proof::Holds);
    }
}
