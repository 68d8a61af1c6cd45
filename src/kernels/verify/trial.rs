//! Decides a goal by evaluating it: at every place where there are few of them, and at samples otherwise, which can only refute it.
//!
//! The prover loses the relation between a row and a place in that row. An evaluation of all places loses nothing.
//!
//! Invariants: `Holds` covers every place where the facts hold. `Fails` names a place that the kernel reaches, so a goal that
//! depends on anything but loops, lanes, threads and blocks is never refuted.

use crate::types::{SymArena, SymInt, SymbolId, SymbolKind};

/// The most places that are all evaluated, and the number of samples of a larger space.
const MOST: i64 = 4096;
const SAMPLES: u64 = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    Holds,
    /// The goal fails at this place.
    Fails(Vec<(SymbolId, i64)>),
    Unknown,
}

/// Whether `goal >= 0` wherever all facts and conditions are not negative.
pub(super) fn trial(syms: &SymArena, goal: SymInt, facts: &[SymInt], conditions: &[SymInt]) -> Trial {
    // Where a condition is not known, the kernel may reach less than its loops do.
    let counted = |s: SymbolId| matches!(syms.symbol_kind(s), SymbolKind::Index { .. });
    let exact = conditions.iter().all(|c| syms.symbols(*c).into_iter().all(counted));
    let mut space = Space { syms, variables: Vec::new(), constraints: Vec::new(), exact };
    if !space.add(goal) {
        return Trial::Unknown;
    }
    // A fact about something else does not bear on the goal; one about both brings its own variables in.
    let mut rest: Vec<SymInt> = facts.iter().chain(conditions).copied().collect();
    loop {
        let (near, far): (Vec<SymInt>, Vec<SymInt>) = rest.iter().partition(|fact| space.meets(**fact));
        if near.is_empty() {
            break;
        }
        near.into_iter().for_each(|fact| space.constrain(fact));
        rest = far;
    }
    space.narrow();
    space.search(goal)
}

struct Space<'s> {
    syms: &'s SymArena,
    /// Each with its least and its greatest value.
    variables: Vec<(SymbolId, i64, i64)>,
    constraints: Vec<SymInt>,
    /// No fact was left out, and the kernel itself counts every variable.
    exact: bool,
}

impl Space<'_> {
    /// Adds the variables of an expression. False where one of them has no bounds.
    fn add(&mut self, e: SymInt) -> bool {
        for symbol in self.syms.symbols(e) {
            if self.variables.iter().any(|(known, ..)| *known == symbol) {
                continue;
            }
            let range = self.syms.symbol_range(symbol);
            let many = range.max.checked_sub(range.min).is_none_or(|n| n >= 1 << 31);
            match self.syms.symbol_kind(symbol) {
                SymbolKind::Index { size, .. } => {
                    let most = self.syms.range(size).max;
                    if most >= 1 << 31 {
                        return false;
                    }
                    self.variables.push((symbol, 0, most - 1));
                    if self.syms.as_const(size).is_none() {
                        let own = self.syms.symbol_expr(symbol);
                        self.constrain(self.syms.add_const(self.syms.sub(size, own), -1));
                    }
                }
                _ if many => return false,
                _ => {
                    self.exact = false;
                    self.variables.push((symbol, range.min, range.max));
                }
            }
        }
        true
    }

    fn meets(&self, e: SymInt) -> bool {
        let own = self.syms.symbols(e);
        own.iter().any(|s| self.variables.iter().any(|(known, ..)| known == s))
    }

    fn constrain(&mut self, fact: SymInt) {
        let before = self.variables.len();
        let too_many = self.places().is_none_or(|n| n > MOST);
        let known = |s: &SymbolId| self.variables.iter().any(|(known, ..)| known == s);
        if too_many && !self.syms.symbols(fact).iter().all(known) || !self.add(fact) {
            // Without a fact there are more places than the kernel reaches.
            self.exact = false;
            self.variables.truncate(before);
            let names: Vec<SymbolId> = self.variables.iter().map(|v| v.0).collect();
            self.constraints.retain(|c| self.syms.symbols(*c).iter().all(|s| names.contains(s)));
        } else {
            self.constraints.push(fact);
        }
    }

    fn places(&self) -> Option<i64> {
        let count =
            |n: i64, (_, least, most): &(SymbolId, i64, i64)| n.checked_mul((most - least + 1).max(0));
        self.variables.iter().try_fold(1, count)
    }

    /// Narrows the range of each variable by the facts that name no other.
    fn narrow(&mut self) {
        for fact in &self.constraints {
            let [symbol] = self.syms.symbols(*fact)[..] else { continue };
            let Some((coefficient, rest)) = self.syms.linear_in(*fact, symbol) else { continue };
            let (Some(c), Some(rest)) = (self.syms.as_const(coefficient), self.syms.as_const(rest)) else {
                continue;
            };
            for (known, least, most) in &mut self.variables {
                if *known == symbol && c > 0 {
                    *least = (*least).max((-rest).div_euclid(c) + i64::from((-rest).rem_euclid(c) != 0));
                } else if *known == symbol && c < 0 {
                    *most = (*most).min(rest.div_euclid(-c));
                }
            }
        }
    }

    fn search(&self, goal: SymInt) -> Trial {
        let holds = |values: &[i64]| -> Option<bool> {
            let value = |symbol| {
                let at = self.variables.iter().position(|(known, ..)| *known == symbol)?;
                values.get(at).copied()
            };
            if self.syms.eval(goal, &value).ok()? >= 0 {
                return Some(true);
            }
            for fact in &self.constraints {
                if self.syms.eval(*fact, &value).ok()? < 0 {
                    return Some(true);
                }
            }
            Some(false)
        };
        let fails = |values: &[i64]| match self.exact {
            true => Trial::Fails(self.variables.iter().map(|v| v.0).zip(values.iter().copied()).collect()),
            false => Trial::Unknown,
        };
        let places = self.places();
        let spans = self.variables.iter().map(|(_, least, most)| (*least, most - least + 1));
        let spans: Vec<(i64, i64)> = spans.collect();
        if let Some(places) = places.filter(|n| *n <= MOST) {
            for place in 0..places {
                let mut rest = place;
                let digit = |(least, n): &(i64, i64)| {
                    let at = least + rest % n;
                    rest /= n;
                    at
                };
                let values: Vec<i64> = spans.iter().map(digit).collect();
                match holds(&values) {
                    Some(true) => {}
                    Some(false) => return fails(&values),
                    None => return Trial::Unknown,
                }
            }
            return Trial::Holds;
        }
        if !self.exact {
            return Trial::Unknown;
        }
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for k in 0..SAMPLES {
            // The ends first: most mistakes show there.
            let pick = |(least, n): &(i64, i64)| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let random = (state >> 33) as i64;
                let one = if k % 2 == 0 { [0, n - 1, n / 2][random as usize % 3] } else { random % n };
                least + one
            };
            let values: Vec<i64> = spans.iter().map(pick).collect();
            if holds(&values) == Some(false) {
                return fails(&values);
            }
        }
        Trial::Unknown
    }
}
