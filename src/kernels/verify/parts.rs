//! The values and blocks of a statement, as far as the verifier needs them.

use crate::base::HashSet;
use crate::kernels::{Block, Kernel, LocalId, Statement, Value, ValueId, each_statement};

/// The values that a statement itself computes.
pub(super) fn values(statement: &Statement) -> Vec<ValueId> {
    match statement {
        Statement::Let { value, .. } | Statement::Assign { value, .. } => vec![*value],
        Statement::Variable { value, .. } => value.iter().copied().collect(),
        Statement::Array { fill, .. } => fill.iter().copied().collect(),
        Statement::Pointer { bytes, elements, .. } => {
            [*bytes].into_iter().chain(elements.iter().copied()).collect()
        }
        Statement::Store { access, value } | Statement::Scatter { access, value, .. } => {
            access.operands().into_iter().chain([*value]).collect()
        }
        Statement::Prefetch { at, .. } => vec![*at],
        Statement::Loop(l) => [l.bound].into_iter().chain(l.first).collect(),
        Statement::If { condition, .. } => vec![*condition],
        Statement::Check { failed, .. } => vec![*failed],
        Statement::Return { when } => vec![*when],
        Statement::Give(value) => vec![*value],
        Statement::Template(call) => call.numbers.clone(),
        Statement::Fetch { turn, at, .. } => vec![*turn, *at],
        Statement::Flush { place, at, .. } => vec![*place, *at],
        Statement::Transpose { first, .. } => vec![*first],
        Statement::Extreme(e) => vec![e.value, e.position],
        Statement::Reduction(r) => [r.value].into_iter().chain(r.place).collect(),
        Statement::LastBlocks(last) => last.semaphores.iter().flat_map(|s| [s.at, s.blocks]).collect(),
        _ => Vec::new(),
    }
}

/// The locals that a block assigns to.
pub(super) fn assignments(kernel: &Kernel, block: &Block, found: &mut HashSet<LocalId>) {
    each_statement(block, &mut |statement| match statement {
        Statement::Assign { place, .. } => {
            if let Value::Local(local) = kernel.body.values[*place] {
                found.insert(local);
            }
        }
        Statement::FoldArray { into, .. } => {
            found.insert(*into);
        }
        Statement::Extreme(e) => found.extend([e.best, e.place].into_iter().chain(e.any)),
        Statement::Loop(l) if l.first.is_none() => {
            found.insert(l.variable);
        }
        _ => {}
    });
}
