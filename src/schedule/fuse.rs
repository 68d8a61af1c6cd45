//! Groups nodes into kernels, in one pass over the nodes in order. A node joins the latest group that it depends on if `join` finds a
//! mapping between the two index spaces; otherwise it starts a group.
//!
//! A node only ever joins the latest of the groups that it reads from, so that the order of the groups stays an order of
//! dependence without a search.

use super::join::{self, Apart, Candidate};
use super::packing::Packed;
use super::unpacking::Unpacked;
use super::{Decision, Group, GroupKind, INNER, Item, Loops, Stage};
use crate::base::{HashMap, HashSet, memory};
use crate::loops::access::{flat_loads, store_offset};
use crate::loops::uses::{Readers, is_template, readers, reads_of};
use crate::loops::{BufferId, NodeKind, Operators, Program};
use crate::target::Target;
use crate::types::SymInt;
use std::sync::Arc;

/// A group while it grows.
#[derive(Debug)]
pub(super) struct Draft {
    pub kind: DraftKind,
    pub members: Vec<Member>,
}

#[derive(Debug)]
pub(super) enum DraftKind {
    /// All members are stores over `outer` itself, without inner loops.
    Pointwise {
        outer: Vec<SymInt>,
    },
    /// Rows with inner loops.
    Rows {
        outer: Vec<SymInt>,
    },
    Template {
        node: usize,
        packed: Option<BufferId>,
        unpacked: Option<Arc<Unpacked>>,
        dims: Vec<SymInt>,
        /// A vendor's library is to do it: only what that can do joins.
        vendor: bool,
    },
    Pack {
        node: usize,
        out: BufferId,
    },
    Standalone {
        node: usize,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub inner: Vec<SymInt>,
    pub item: Item,
}

/// Every node a kernel of its own.
pub fn singles(program: &Program, nodes: &[usize]) -> Vec<Group> {
    nodes
        .iter()
        .map(|node| Group {
            kind: GroupKind::Standalone { node: *node },
            reads: reads_of(program, *node),
            writes: program.nodes[*node].outs(),
            updates: Vec::new(),
            operators: program.nodes[*node].operators.clone(),
            last: Vec::new(),
            workspace: None,
        })
        .collect()
}

/// Facts about the whole program that grouping needs, gathered once for all lists of nodes.
pub struct Facts {
    readers: Readers,
    alone: HashSet<BufferId>,
    packed: HashMap<usize, Packed>,
    unpacked: HashMap<usize, Arc<Unpacked>>,
}

impl Facts {
    pub fn of(
        program: &Program,
        packed: HashMap<usize, Packed>,
        unpacked: HashMap<usize, Arc<Unpacked>>,
    ) -> Facts {
        let readers = readers(program);
        Facts { alone: super::vendor::read_once(program, &readers), readers, packed, unpacked }
    }
}

/// Groups the nodes.
pub fn fuse(
    program: &mut Program,
    target: &Target,
    nodes: &[usize],
    facts: &Facts,
    mut told: Option<&mut Vec<Decision>>,
) -> Vec<Group> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut owner: HashMap<BufferId, usize> = HashMap::default();
    for node in nodes {
        memory::checkpoint();
        let reads = reads_of(program, *node);
        let latest = reads.iter().filter_map(|b| owner.get(b)).max().copied();
        let place = match candidate(program, *node) {
            Some(candidate) => {
                let mut decide = |program: &Program, draft: &Draft, apart: Option<Apart>| {
                    if let Some(told) = &mut told {
                        let node = program.nodes[*node].operators.clone();
                        told.push(Decision { node, group: drafted(program, draft), apart });
                    }
                };
                let outcome = latest
                    .map(|g| (g, join_maker(program, target, &mut drafts[g], &candidate, &facts.alone)));
                if let Some((g, outcome)) = &outcome {
                    decide(program, &drafts[*g], outcome.err());
                }
                let joined = match outcome {
                    Some((g, Ok(()))) => Some(g),
                    _ => {
                        let found = join_sibling(program, target, &mut drafts, &candidate, latest, &reads);
                        if let Some(g) = found {
                            decide(program, &drafts[g], None);
                        }
                        found
                    }
                };
                joined.unwrap_or_else(|| {
                    drafts.push(start(candidate));
                    drafts.len() - 1
                })
            }
            None => {
                start_alone(program, target, &mut drafts, *node, facts);
                drafts.len() - 1
            }
        };
        for buffer in program.nodes[*node].outs() {
            owner.insert(buffer, place);
        }
    }
    drafts = super::recompute::across_kernels(program, target, drafts, &facts.readers);
    // What has lost its epilogue may be a library's again.
    for draft in drafts.iter_mut().filter(|d| d.members.is_empty()) {
        if let DraftKind::Template { node, dims, vendor, .. } = &mut draft.kind {
            *vendor = super::vendor::takes(program, target, *node, dims);
        }
    }
    // Code for GPUs has no such operands yet.
    if let Target::Cpu(_) = target {
        drafts = super::prologue::sink(program, drafts, &facts.readers);
    }
    let mut groups: Vec<Group> = drafts.into_iter().map(|d| finish(program, d)).collect();
    for group in &mut groups {
        if !matches!(group.kind, GroupKind::Template { vendor: true, .. }) {
            super::vendor::expand(program, target, group);
        }
    }
    groups
}

/// A node joins a group that makes what it reads. A group that a vendor's library is to do takes it if the library can,
/// becomes the own template's where that is better, or stays without it.
fn join_maker(
    program: &mut Program,
    target: &Target,
    draft: &mut Draft,
    candidate: &Candidate,
    alone: &HashSet<BufferId>,
) -> Result<(), Apart> {
    join::join(program, target, draft, candidate)?;
    let DraftKind::Template { node, dims, vendor, .. } = &mut draft.kind else { return Ok(()) };
    if !*vendor || super::vendor::does(program, target, *node, dims, &draft.members, alone) {
        return Ok(());
    }
    if super::vendor::stays(program, target, *node) {
        draft.members.pop();
        return Err(Apart::Vendor);
    }
    *vendor = false;
    Ok(())
}

/// What a group computes so far.
fn drafted(program: &Program, draft: &Draft) -> Operators {
    let own = match draft.kind {
        DraftKind::Template { node, .. } | DraftKind::Pack { node, .. } | DraftKind::Standalone { node } => {
            Some(node)
        }
        DraftKind::Pointwise { .. } | DraftKind::Rows { .. } => None,
    };
    let members = draft.members.iter().map(|m| m.item.node());
    Operators::of(own.into_iter().chain(members).map(|n| &program.nodes[n].operators))
}

/// How far back a sibling is looked for.
const SIBLINGS: usize = 8;

/// A node joins a group that reads the same data over the same space, although neither depends on the other.
fn join_sibling(
    program: &mut Program,
    target: &Target,
    drafts: &mut [Draft],
    candidate: &Candidate,
    latest: Option<usize>,
    reads: &[BufferId],
) -> Option<usize> {
    let first = latest.unwrap_or(0).max(drafts.len().saturating_sub(SIBLINGS));
    (first..drafts.len())
        .rev()
        .find(|g| join::join_beside(program, target, &mut drafts[*g], candidate, reads).is_ok())
}

/// The node as something that can share loops: over its own variables, reduced ones renamed to inner ones.
fn candidate(program: &mut Program, node: usize) -> Option<Candidate> {
    match program.nodes[node].kind.clone() {
        NodeKind::Pointwise { sizes, value, out } => {
            let value = flat_loads(program, value);
            let offset = store_offset(program, out, &program.vars(&sizes));
            Some(Candidate {
                sizes,
                reduced: Vec::new(),
                item: Item::Store { node, buffer: out, offset, value },
            })
        }
        NodeKind::Reduction { sizes, reduced, op, value, outs } => {
            let value = flat_loads(program, value);
            let n = sizes.len() as u32;
            let from: Vec<SymInt> =
                reduced.iter().enumerate().map(|(k, s)| program.syms.index_var(n + k as u32, *s)).collect();
            let to: Vec<SymInt> = reduced
                .iter()
                .enumerate()
                .map(|(k, s)| program.syms.index_var(INNER + k as u32, *s))
                .collect();
            let map = crate::loops::access::replacing(&program.syms, &from, &to);
            let syms = std::sync::Arc::clone(&program.syms);
            let value = program.exprs.substitute(&syms, value, &map);
            let offset = store_offset(program, outs[0], &program.vars(&sizes));
            Some(Candidate { sizes, reduced, item: Item::Reduce { node, op, value, outs, offset } })
        }
        _ => None,
    }
}

fn start(candidate: Candidate) -> Draft {
    let Candidate { sizes, reduced, item } = candidate;
    let kind = match item {
        Item::Store { .. } => DraftKind::Pointwise { outer: sizes },
        Item::Reduce { .. } => DraftKind::Rows { outer: sizes },
    };
    Draft { kind, members: vec![Member { inner: reduced, item }] }
}

fn start_alone(program: &mut Program, target: &Target, drafts: &mut Vec<Draft>, node: usize, facts: &Facts) {
    let kind = program.nodes[node].kind.clone();
    flatten_operands(program, node);
    if !is_template(&kind) {
        drafts.push(Draft { kind: DraftKind::Standalone { node }, members: Vec::new() });
        return;
    }
    let packed = facts.packed.get(&node);
    if let Some(Packed { out, first: true }) = packed {
        let out = *out;
        drafts.push(Draft { kind: DraftKind::Pack { node, out }, members: Vec::new() });
    }
    let packed = packed.map(|p| p.out);
    let mut dims = program.buffers[program.nodes[node].outs()[0]].sizes.clone();
    match &program.nodes[node].kind {
        NodeKind::Gemm { batch, m, n, .. } => dims = batch.iter().copied().chain([*m, *n]).collect(),
        NodeKind::Attention(a) => dims = vec![a.batch, a.heads, a.queries, a.value_size],
        _ => {}
    }
    if let NodeKind::Convolution(c) = &kind {
        if c.channels_last {
            dims = vec![program.syms.product(&dims[..3]), dims[3]];
        } else {
            // The template counts positions of an image, not rows and columns.
            let positions = program.syms.mul(dims[2], dims[3]);
            dims.truncate(2);
            dims.push(positions);
        }
    }
    let vendor = super::vendor::takes(program, target, node, &dims);
    let unpacked = facts.unpacked.get(&node).cloned();
    let kind = DraftKind::Template { node, packed, unpacked, dims, vendor };
    drafts.push(Draft { kind, members: Vec::new() });
}

fn finish(program: &Program, draft: Draft) -> Group {
    let mut named = Vec::new();
    let mut name = |node: usize| named.push(&program.nodes[node].operators);
    let (kind, reads, writes) = match draft.kind {
        DraftKind::Standalone { node } => {
            name(node);
            (GroupKind::Standalone { node }, reads_of(program, node), program.nodes[node].outs())
        }
        DraftKind::Pack { node, out } => {
            name(node);
            let operand = match &program.nodes[node].kind {
                NodeKind::Gemm { b, .. } => *b,
                NodeKind::Convolution(c) => c.weight,
                other => unreachable!("no operand of {other:?} is packed"),
            };
            let reads = loaded(program, &[operand]);
            (GroupKind::Pack { node, out }, reads, vec![out])
        }
        DraftKind::Template { node, packed, unpacked, dims, vendor } => {
            name(node);
            draft.members.iter().for_each(|m| name(m.item.node()));
            let epilogue: Vec<Item> = draft.members.into_iter().map(|m| m.item).collect();
            let operands = match &program.nodes[node].kind {
                NodeKind::Gemm { a, .. } if packed.is_some() => vec![*a],
                NodeKind::Gemm { a, b, .. } => vec![*a, *b],
                NodeKind::Convolution(c) if packed.is_some() => vec![c.input],
                _ => program.nodes[node].exprs(),
            };
            let mut reads = loaded(program, &operands);
            let roots: Vec<_> = epilogue.iter().map(Item::value).collect();
            reads.extend(loaded(program, &roots));
            reads.extend(packed);
            reads.retain(|b| program.nodes[node].inside() != Some(*b));
            let mut writes = program.nodes[node].outs();
            writes.extend(epilogue.iter().flat_map(Item::outs));
            let routine = None;
            (GroupKind::Template { node, packed, unpacked, dims, epilogue, vendor, routine }, reads, writes)
        }
        DraftKind::Pointwise { outer } | DraftKind::Rows { outer } => {
            draft.members.iter().for_each(|m| name(m.item.node()));
            let roots: Vec<_> = draft.members.iter().map(|m| m.item.value()).collect();
            let writes = draft.members.iter().flat_map(|m| m.item.outs()).collect();
            let stages =
                draft.members.into_iter().map(|m| Stage { inner: m.inner, items: vec![m.item] }).collect();
            let loops = Loops { outer, stages, row_buffers: HashMap::default() };
            (GroupKind::Loops(loops), loaded(program, &roots), writes)
        }
    };
    let mut unique: Vec<BufferId> = Vec::new();
    for b in reads {
        if !writes.contains(&b) && !unique.contains(&b) {
            unique.push(b);
        }
    }
    let operators = Operators::of(named);
    Group { kind, reads: unique, writes, updates: Vec::new(), operators, last: Vec::new(), workspace: None }
}

fn loaded(program: &Program, roots: &[crate::loops::ExprId]) -> Vec<BufferId> {
    let mut buffers = Vec::new();
    for load in program.exprs.loads(roots) {
        if let crate::loops::Expr::Load { buffer, .. } = &program.exprs[load]
            && !buffers.contains(buffer)
        {
            buffers.push(*buffer);
        }
    }
    buffers
}

/// Nodes that are no loops of the group's read memory by offsets, too.
pub fn flatten_operands(program: &mut Program, node: usize) {
    let mut kind = program.nodes[node].kind.clone();
    match &mut kind {
        NodeKind::Gemm { a, b, .. } => {
            *a = flat_loads(program, *a);
            *b = flat_loads(program, *b);
        }
        NodeKind::Convolution(c) => {
            c.input = flat_loads(program, c.input);
            c.weight = flat_loads(program, c.weight);
        }
        NodeKind::Attention(a) => {
            let score = a.score.as_mut().map(|s| &mut s.value);
            let operands = [&mut a.query, &mut a.key, &mut a.value].into_iter();
            for operand in operands.chain(&mut a.mask).chain(score).chain(&mut a.band.length) {
                *operand = flat_loads(program, *operand);
            }
        }
        NodeKind::AttentionBackward(a) => {
            a.exprs_mut().for_each(|operand| *operand = flat_loads(program, *operand));
        }
        NodeKind::Recurrence(r) => {
            for operand in r.operands_mut().into_iter().flatten() {
                *operand = flat_loads(program, *operand);
            }
        }
        NodeKind::Scan { value, .. } | NodeKind::Sort { value, .. } => *value = flat_loads(program, *value),
        NodeKind::Scatter { data, value, initial, .. } => {
            for operand in data.iter_mut().chain([value, initial]) {
                *operand = flat_loads(program, *operand);
            }
        }
        _ => {}
    }
    program.nodes[node].kind = kind;
}
