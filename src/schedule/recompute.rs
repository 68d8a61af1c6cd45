//! Values that other kernels compute again instead of reading them from memory.
//!
//! A value with several readers lies in a buffer. Where readers are in other kernels, the buffer costs a write and a
//! read for each of them. If a value is cheap, and its operands lie in memory anyway in no more bytes, each reader computes it again:
//! a log-softmax from the scores and two numbers for each row, a normalised row from its mean and deviation, a function of
//! what a product's epilogue stores anyway.
//!
//! Invariants: all readers outside of its kernel compute a value again or none of them does, so that it is not written; no kernel reads
//! more bytes than before.
//!
//! Deliberately absent: operands of templates and of standalone nodes, which read memory; epilogues of libraries; values in
//! small buffers, which caches serve.

use super::Item;
use super::fuse::{Draft, DraftKind};
use crate::base::{HashMap, HashSet, StableSort};
use crate::loops::access::{flat_loads, replacing, unflatten};
use crate::loops::uses::{Readers, lies_in_memory};
use crate::loops::{BinaryOp, BufferId, Expr, ExprId, NodeKind, Operators, Program, UnaryOp};
use crate::target::Target;
use crate::types::SymInt;
use std::sync::Arc;

/// A buffer of fewer bytes is served by caches.
const LEAST_BYTES: i64 = 1 << 20;
/// A value of more expressions is worth its memory.
const MOST_EXPRS: usize = 24;
/// A buffer with so many times fewer elements is read without counting its bytes.
const FEW: i64 = 16;

/// A pointwise node of these drafts whose result is no one else's.
#[derive(Clone)]
struct Made {
    draft: usize,
    sizes: Vec<SymInt>,
    /// Over the node's own variables, with flat loads.
    value: ExprId,
    node: usize,
}

/// Has readers compute values again where that saves memory traffic, and drops what nobody reads then. `readers` covers the whole
/// program, since drafts of other lists may read the same buffers.
pub(super) fn across_kernels(
    program: &mut Program,
    target: &Target,
    drafts: Vec<Draft>,
    readers: &Readers,
) -> Vec<Draft> {
    let mut drafts = drafts;
    let made = made(program, &drafts);
    let members: HashSet<usize> =
        drafts.iter().flat_map(|d| d.members.iter().map(|m| m.item.node())).collect();
    // By buffer, the drafts whose members read it; they read others when they have computed something again.
    let mut read_by: HashMap<BufferId, HashSet<usize>> = HashMap::default();
    for (k, draft) in drafts.iter().enumerate() {
        for buffer in read(program, &values(draft)) {
            read_by.entry(buffer).or_default().insert(k);
        }
    }
    let mut buffers: Vec<BufferId> = made.keys().copied().collect();
    // Later values first: what they are computed from may then be read by nobody else.
    buffers.stable_sort_by_key(|b| std::cmp::Reverse(made[b].node));
    let mut dropped = false;
    for buffer in buffers {
        let (own, node) = (made[&buffer].draft, made[&buffer].node);
        if readers.get(&buffer).is_some_and(|nodes| !nodes.iter().all(|n| members.contains(n))) {
            continue;
        }
        let elsewhere = read_by.get(&buffer).into_iter().flatten().copied().filter(|k| *k != own);
        let mut elsewhere: Vec<usize> = elsewhere.collect();
        elsewhere.stable_sort();
        if elsewhere.is_empty() || !elsewhere.iter().all(|k| is_written_here(&drafts[*k])) {
            continue;
        }
        let in_memory = |b: &BufferId| read_by.get(b).is_some_and(|by| by.iter().any(|k| *k != own));
        let Some(value) = again(program, target, &made, &drafts[own], buffer, &in_memory) else { continue };
        let changed: Option<Vec<Vec<ExprId>>> = elsewhere
            .iter()
            .map(|k| recomputed(program, &drafts[*k], buffer, &made[&buffer].sizes, value))
            .collect();
        let Some(changed) = changed else { continue };
        let operators = program.nodes[node].operators.clone();
        for (k, values) in elsewhere.into_iter().zip(changed) {
            for (member, value) in drafts[k].members.iter_mut().zip(values) {
                if member.item.value() != value {
                    *member.item.value_mut() = value;
                    let node = &mut program.nodes[member.item.node()];
                    node.operators = Operators::of([&operators, &node.operators]);
                }
            }
            for read in read(program, &[value]) {
                read_by.entry(read).or_default().insert(k);
            }
        }
        read_by.remove(&buffer);
        dropped = true;
    }
    if dropped { without_unread(program, drafts, readers, &made) } else { drafts }
}

fn is_loops(draft: &Draft) -> bool {
    matches!(draft.kind, DraftKind::Pointwise { .. } | DraftKind::Rows { .. })
}

/// Loops, and epilogues of templates: a library has patterns that an epilogue must not leave.
fn is_written_here(draft: &Draft) -> bool {
    is_loops(draft) || matches!(draft.kind, DraftKind::Template { vendor: false, .. })
}

fn values(draft: &Draft) -> Vec<ExprId> {
    draft.members.iter().map(|m| m.item.value()).collect()
}

/// The buffers that expressions read, each once.
fn read(program: &Program, roots: &[ExprId]) -> Vec<BufferId> {
    let mut read: Vec<BufferId> = program
        .exprs
        .loads(roots)
        .into_iter()
        .filter_map(|l| match &program.exprs[l] {
            Expr::Load { buffer, .. } => Some(*buffer),
            _ => None,
        })
        .collect();
    read.stable_sort();
    read.dedup();
    read
}

/// The pointwise nodes of these drafts whose results are temporary and large.
fn made(program: &mut Program, drafts: &[Draft]) -> HashMap<BufferId, Made> {
    let mut found = HashMap::default();
    for (draft, d) in drafts.iter().enumerate() {
        if !is_written_here(d) {
            continue;
        }
        for member in &d.members {
            let Item::Store { node, buffer, .. } = member.item else { continue };
            let NodeKind::Pointwise { sizes, value, .. } = program.nodes[node].kind.clone() else { continue };
            if lies_in_memory(program, buffer) || bytes(program, buffer) < LEAST_BYTES {
                continue;
            }
            let value = flat_loads(program, value);
            found.insert(buffer, Made { draft, sizes, value, node });
        }
    }
    found
}

fn elements(program: &Program, buffer: BufferId) -> i64 {
    program.syms.hint(program.syms.product(&program.buffers[buffer].sizes))
}
fn bytes(program: &Program, buffer: BufferId) -> i64 {
    elements(program, buffer).saturating_mul(program.buffers[buffer].dtype.size() as i64)
}

/// The value over its node's variables, made of what lies in memory: values that its kernel keeps to itself are computed, too; in the epilogue
/// of a template those that other kernels read are there. `None` where that is not cheap.
fn again(
    program: &mut Program,
    target: &Target,
    made: &HashMap<BufferId, Made>,
    draft: &Draft,
    buffer: BufferId,
    in_memory: &dyn Fn(&BufferId) -> bool,
) -> Option<ExprId> {
    let syms = Arc::clone(&program.syms);
    let own = made[&buffer].draft;
    let mut value = made[&buffer].value;
    if let DraftKind::Template { node, .. } = &draft.kind {
        let kept = program.nodes[*node].outs();
        let stored = |b: &BufferId| {
            let there = in_memory(b) || lies_in_memory(program, *b);
            there || !kept.contains(b) && made.get(b).is_none_or(|m| m.draft != own)
        };
        return (read(program, &[value]).iter().all(stored)
            && is_cheap(program, target, value, elements(program, buffer)))
        .then_some(value);
    }
    loop {
        let load = program.exprs.loads(&[value]).into_iter().find_map(|l| match program.exprs[l].clone() {
            Expr::Load { buffer, index, data } => {
                let inner = made.get(&buffer).filter(|m| m.draft == own)?;
                Some((l, inner.clone(), index[0], data.is_empty()))
            }
            _ => None,
        });
        if program.exprs.postorder(&[value]).len() > MOST_EXPRS {
            return None;
        }
        let Some((load, inner, index, is_plain)) = load else { break };
        if !is_plain {
            return None;
        }
        let vars = program.vars(&inner.sizes);
        let map = replacing(&syms, &vars, &unflatten(&syms, index, &inner.sizes));
        let by = program.exprs.substitute(&syms, inner.value, &map);
        value = program.exprs.rewrite(value, &mut |_, id| if id == load { by } else { id });
    }
    is_cheap(program, target, value, elements(program, buffer)).then_some(value)
}

/// Quick operations, and slow ones of what few elements share; loads that no data place.
fn is_cheap(program: &Program, target: &Target, root: ExprId, elements: i64) -> bool {
    let shared = |id: ExprId| {
        let loads = program.exprs.loads(&[id]);
        loads.into_iter().all(|l| match &program.exprs[l] {
            Expr::Load { buffer, .. } => is_small(program, *buffer, elements),
            _ => true,
        })
    };
    let quick = target.computes_faster_than_it_reads();
    program.exprs.postorder(&[root]).into_iter().all(|e| match &program.exprs[e] {
        Expr::Constant(..) | Expr::Index(..) | Expr::Cast(..) | Expr::Select(..) => true,
        Expr::Load { data, .. } => data.is_empty(),
        Expr::Unary(op, a) => {
            use UnaryOp::*;
            let function =
                matches!(op, Exp | Exp2 | Log | Log2 | Tanh | Sigmoid | Erf | Sqrt | Rsqrt | Reciprocal);
            matches!(op, Neg | Abs) || quick && function || shared(*a)
        }
        Expr::Binary(op, a, b) => {
            use BinaryOp::*;
            matches!(op, Add | Sub | Mul | Maximum | Minimum | Eq | Ne | Lt | Le | Gt | Ge)
                || quick && *op == Div
                || shared(*a) && shared(*b)
        }
        Expr::Check { .. } | Expr::Masked { .. } => false,
    })
}

fn is_small(program: &Program, buffer: BufferId, elements: i64) -> bool {
    self::elements(program, buffer).saturating_mul(FEW) <= elements
}

/// The values of a draft's members with the value in place of the loads of the buffer. `None` where that would read more bytes.
fn recomputed(
    program: &mut Program,
    draft: &Draft,
    buffer: BufferId,
    sizes: &[SymInt],
    value: ExprId,
) -> Option<Vec<ExprId>> {
    let syms = Arc::clone(&program.syms);
    let count = elements(program, buffer);
    let roots = values(draft);
    let already = read(program, &roots);
    let more: i64 = read(program, &[value])
        .into_iter()
        .filter(|b| !already.contains(b) && !is_small(program, *b, count))
        .map(|b| bytes(program, b))
        .sum();
    if more > bytes(program, buffer) {
        return None;
    }
    let vars = program.vars(sizes);
    let mut changed = Vec::with_capacity(roots.len());
    for root in roots {
        let mut replaced: HashMap<ExprId, ExprId> = HashMap::default();
        for load in program.exprs.loads(&[root]) {
            let Expr::Load { buffer: b, index, data } = program.exprs[load].clone() else { continue };
            if b != buffer {
                continue;
            }
            // A window reads an element several times, and data may read it anywhere.
            if !data.is_empty() || !replaced.is_empty() {
                return None;
            }
            let map = replacing(&syms, &vars, &unflatten(&syms, index[0], sizes));
            replaced.insert(load, program.exprs.substitute(&syms, value, &map));
        }
        changed.push(match replaced.is_empty() {
            true => root,
            false => program.exprs.rewrite(root, &mut |_, id| replaced.get(&id).copied().unwrap_or(id)),
        });
    }
    Some(changed)
}

/// Removes stores that no member reads any more, and drafts that are then empty.
fn without_unread(
    program: &Program,
    mut drafts: Vec<Draft>,
    readers: &Readers,
    made: &HashMap<BufferId, Made>,
) -> Vec<Draft> {
    let listed: HashSet<usize> =
        drafts.iter().flat_map(|d| d.members.iter().map(|m| m.item.node())).collect();
    // What something else than a member reads stays.
    let ours = |b: &BufferId| readers.get(b).is_some_and(|nodes| nodes.iter().all(|n| listed.contains(n)));
    let mut read: HashSet<BufferId> = HashSet::default();
    // Members read what stands before them.
    for draft in drafts.iter_mut().rev() {
        let mut kept = Vec::with_capacity(draft.members.len());
        for member in std::mem::take(&mut draft.members).into_iter().rev() {
            let unread = match &member.item {
                Item::Store { buffer, .. } => {
                    made.contains_key(buffer) && ours(buffer) && !read.contains(buffer)
                }
                Item::Reduce { .. } => false,
            };
            if unread {
                continue;
            }
            read.extend(self::read(program, &[member.item.value()]));
            kept.push(member);
        }
        kept.reverse();
        draft.members = kept;
    }
    drafts.retain(|draft| !is_loops(draft) || !draft.members.is_empty());
    drafts
}
