//! Decides the goals of an access: the prover proves one, or a trial of its places proves or refutes it. What neither decides
//! is an error, or is left to the loops' proof where indices come from data.

use super::Checker;
use crate::kernels::verify::symbolic::{BLOCK, LANE, TASK, THREAD};
use crate::kernels::verify::trial::{Trial, trial};
use crate::kernels::verify::{Data, Wrong, facts};
use crate::loops::Proof;
use crate::types::SymInt;

impl Checker<'_> {
    pub(super) fn within(
        &mut self,
        memory: &str,
        at: SymInt,
        length: SymInt,
        facts: &[SymInt],
    ) -> Result<(), Wrong> {
        let rest = self.syms().add_const(self.syms().sub(length, at), -1);
        self.decide(memory, [at, rest], (at, length), facts)
    }

    /// Decides whether an access at `at` stays within `length` elements, which is so where no goal is negative.
    pub(super) fn decide(
        &mut self,
        memory: &str,
        goals: [SymInt; 2],
        (at, length): (SymInt, SymInt),
        facts: &[SymInt],
    ) -> Result<(), Wrong> {
        for goal in goals {
            if self.proved(goal, facts) {
                continue;
            }
            let trial = trial(self.syms(), goal, facts, &self.conditions);
            if trial == Trial::Holds || self.proved_in_parts(goal, facts) {
                continue;
            }
            let (memory, index, length) = (memory.to_string(), self.shown(at), self.shown(length));
            match trial {
                // Of numbers alone.
                Trial::Fails(place) if place.is_empty() => {
                    return Err(Wrong::Outside { memory, index, length });
                }
                Trial::Fails(place) => {
                    let one = |(symbol, value)| {
                        format!("{} = {value}", self.shown(self.symbols.syms.symbol_expr(symbol)))
                    };
                    let place = place.into_iter().map(one).collect::<Vec<_>>().join(", ");
                    return Err(Wrong::Beyond { memory, index, length, place });
                }
                _ if self.data == Data::BoundByLoops => self.open += 1,
                _ => return Err(Wrong::Outside { memory, index, length }),
            }
        }
        Ok(())
    }

    /// An expression in a message.
    pub(super) fn shown(&self, e: SymInt) -> String {
        let names = [(LANE, "lane"), (BLOCK, "block"), (THREAD, "thread"), (TASK, "task")];
        let text = self.symbols.syms.display(e);
        names.iter().fold(text, |text, (position, name)| text.replace(&format!("i{position}"), name))
    }

    pub(super) fn proved(&mut self, e: SymInt, facts: &[SymInt]) -> bool {
        self.prover.enter(&self.sizes);
        self.prover.prove(e, facts, &[]) == Proof::Holds
    }

    /// Proves the goal with each quotient and its remainder as one variable.
    fn proved_in_parts(&mut self, e: SymInt, facts: &[SymInt]) -> bool {
        self.prover.enter(&self.sizes);
        let (e, facts) = facts::divided(self.prover.syms, e, facts);
        let Some(facts) = facts else { return false };
        let near = facts::about(self.prover.syms, e, &facts);
        [near, facts].iter().any(|facts| self.prover.prove(e, facts, &[]) == Proof::Holds)
    }

    pub(super) fn holds(&mut self, e: SymInt, facts: &[SymInt]) -> bool {
        self.proved(e, facts) || self.proved_in_parts(e, facts)
    }
}
