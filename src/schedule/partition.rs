//! Divides nodes into those that run once, those of each run, and dead ones.

use super::{Group, GroupKind, workspaces};
use crate::base::HashSet;
use crate::loops::uses::{fixed_constants, reads_of, stays_packed};
use crate::loops::{BufferId, Control, Expr, NodeKind, Program};
use crate::target::CudaTarget;

/// Nodes that depend on nothing that changes between runs: constants that no run writes, and static sizes. Outputs
/// are not among them: a run must fill them. Gives the nodes, and every buffer that does not change.
pub fn constant_nodes(
    program: &Program,
    live: &[usize],
    gpu: Option<&CudaTarget>,
) -> (HashSet<usize>, HashSet<BufferId>) {
    let mut fixed = fixed_constants(program);
    let mut nodes = HashSet::default();
    let given: HashSet<BufferId> =
        program.outputs.iter().copied().chain(program.writes.iter().map(|w| w.1)).collect();
    let right = right_operands(program);
    let mut depth = 0;
    for node in live {
        if let NodeKind::Control(control) = &program.nodes[*node].kind {
            match control {
                Control::If { .. } | Control::While | Control::Function { .. } => depth += 1,
                Control::EndIf | Control::EndWhile | Control::EndFunction => depth -= 1,
                _ => {}
            }
            continue;
        }
        if program.nodes[*node].kind.acts() {
            continue;
        }
        // An assertion in a block that does not run does not fail.
        if depth > 0 && has_check(program, *node) {
            continue;
        }
        if gpu.is_some_and(|gpu| workspaces::has_workspace(program, *node, gpu)) {
            continue;
        }
        if gpu.is_some() && unpacks(program, *node, &right) {
            continue;
        }
        let outs = program.nodes[*node].outs();
        let reads = reads_of(program, *node);
        if reads.is_empty() && points(program, *node).is_none_or(|n| n > MOST_OF_NOTHING) {
            continue;
        }
        if reads.iter().all(|b| fixed.contains(b))
            && !outs.iter().any(|b| given.contains(b))
            && is_static(program, *node)
        {
            fixed.extend(outs);
            nodes.insert(*node);
        }
    }
    (nodes, fixed)
}

/// The most points of a node without operands that is computed before the first run. A larger one is computed in each run, which can be
/// cancelled.
const MOST_OF_NOTHING: i64 = 1 << 28;

/// The points of a node's largest space; `None` where they are not known, or too many for 64 bits.
fn points(program: &Program, node: usize) -> Option<i64> {
    let syms = &program.syms;
    let spaces = program.spaces(&program.nodes[node].kind).into_iter();
    spaces.map(|sizes| syms.as_const(syms.product(&sizes))).try_fold(0, |most, n| Some(n?.max(most)))
}

/// Smaller weights may lie in memory twice.
const LEAST_UNPACKED: i64 = 1 << 12;

/// The buffers that products read as their right operands.
fn right_operands(program: &Program) -> HashSet<BufferId> {
    let mut found = HashSet::default();
    for node in &program.nodes {
        if let NodeKind::Gemm { b, .. } = &node.kind {
            found.extend(program.exprs.loads(&[*b]).into_iter().filter_map(|l| match &program.exprs[l] {
                Expr::Load { buffer, .. } => Some(*buffer),
                _ => None,
            }));
        }
    }
    found
}

/// A weight of a product that lies packed in memory, and is unpacked for each run.
fn unpacks(program: &Program, node: usize, right: &HashSet<BufferId>) -> bool {
    let NodeKind::Pointwise { sizes, value, out } = &program.nodes[node].kind else { return false };
    if !right.contains(out) {
        return false;
    }
    let elements = program.syms.as_const(program.syms.product(sizes));
    elements.is_some_and(|n| n >= LEAST_UNPACKED && stays_packed(program, *value, n))
}

fn has_check(program: &Program, node: usize) -> bool {
    let order = program.exprs.postorder(&program.nodes[node].exprs());
    order.into_iter().any(|e| matches!(program.exprs[e], crate::loops::Expr::Check { .. }))
}

/// No free symbol in sizes or expressions.
fn is_static(program: &Program, node: usize) -> bool {
    use crate::loops::Expr;
    let syms = &program.syms;
    let fixed = |e: crate::types::SymInt| {
        syms.symbols(e).into_iter().all(|s| syms.symbol_kind(s) != crate::types::SymbolKind::Free)
    };
    let outs = program.nodes[node].outs();
    let numbers = match &program.nodes[node].kind {
        NodeKind::Library(routine) => routine.attributes.values(),
        _ => Vec::new(),
    };
    numbers.into_iter().all(|v| fixed(*v))
        && outs.iter().all(|b| program.buffers[*b].sizes.iter().all(|s| fixed(*s)))
        && program.spaces(&program.nodes[node].kind).into_iter().flatten().all(fixed)
        && program.exprs.postorder(&program.nodes[node].exprs()).into_iter().all(|e| {
            match &program.exprs[e] {
                Expr::Index(i, _) => fixed(*i),
                Expr::Load { index, .. } => index.iter().all(|i| fixed(*i)),
                _ => true,
            }
        })
}

/// Operands are packed only where constants alone determine them: that is done once.
pub fn hoist_packing(init: &mut Vec<Group>, main: &mut Vec<Group>) {
    let (packs, rest) =
        std::mem::take(main).into_iter().partition(|g| matches!(g.kind, GroupKind::Pack { .. }));
    *main = rest;
    init.extend::<Vec<Group>>(packs);
}
