//! Decides whether a node may, and should, share a group's loops.
//!
//! Joining finds how the node's variables follow from the group's (or the other way round), rewrites one side, and
//! then proves for every value that the node takes from the group that it was computed at the same point: the
//! rewritten load offset must be the very expression of the store offset. Without such a proof the node does not join.

use super::change_of_variables::{Map, carried, moved, same_count, space_map, stores_neighbours, worse};
use super::fuse::{Draft, DraftKind, Member};
use super::occupancy::{enough_columns, enough_rows};
use super::{INNER, Item};
use crate::base::{HashMap, HashSet};
use crate::loops::access::{divisor_of, flat_accesses, flatten, memory_order, replacing, unflatten};
use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program};
use crate::target::Target;
use crate::types::{SymArena, SymInt};
use std::sync::Arc;

/// A pointwise node or reduction, with flat loads; rows use positions from 0, reduced dimensions from `INNER`.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub sizes: Vec<SymInt>,
    pub reduced: Vec<SymInt>,
    pub item: Item,
}

/// A kernel with more is split: registers, compile time and readability suffer.
const MOST_MEMBERS: usize = 48;
/// The most expressions of all members together: compile time grows with the square of a function's length.
const MOST_EXPRS: usize = 2048;
/// An expression nests at most this deep once members take each other's values without memory in between: what walks
/// expressions does so by recursion, on a stack that is the host's.
const DEEPEST: usize = 384;

/// First position of variables that stand for parts of others.
const PARTS: u32 = 2 * INNER;

/// Why a node does not share a group's loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    Full,
    Deep,
    FewRows,
    Space,
    Point,
    Order,
    Reduction,
    Check,
    Alone,
    Unrelated,
    Vendor,
    Work,
}

impl Apart {
    /// In words, after "the group": for traces and logs.
    pub fn reason(self) -> &'static str {
        match self {
            Apart::Full => "has as many members as a kernel takes",
            Apart::Deep => "would nest expressions too deep",
            Apart::FewRows => "would have too few rows for the machine's workers",
            Apart::Space => "has another number of elements or rows",
            Apart::Point => "makes what the node reads at another point of the loops",
            Apart::Order => "would visit memory out of order",
            Apart::Reduction => "is a template, whose epilogue takes no reduction",
            Apart::Check => "is a template, whose epilogue takes no node that can fail",
            Apart::Alone => "is a node that is computed by itself",
            Apart::Unrelated => "shares no data that is worth a common loop",
            Apart::Vendor => "is done by a library, which cannot take the node",
            Apart::Work => "is a template, whose registers hold no further matrix and so much work",
        }
    }
}

/// Matrices that an epilogue of a product reads, and operations on each element of it and of such a matrix, at most.
const MOST_MATRICES: usize = 2;
const MOST_WORK: usize = 12;

type Joined = Result<(), Apart>;

/// Joins a node to a group that makes something it reads.
pub(super) fn join(
    program: &mut Program,
    target: &Target,
    draft: &mut Draft,
    candidate: &Candidate,
) -> Joined {
    if is_full(program, draft, candidate) {
        return Err(Apart::Full);
    }
    if too_deep(program, draft, candidate) {
        return Err(Apart::Deep);
    }
    let is_reduction = matches!(candidate.item, Item::Reduce { .. });
    match &draft.kind {
        DraftKind::Pointwise { outer } => {
            let outer = outer.clone();
            if is_reduction {
                if !enough_rows(program, target, &candidate.sizes, &candidate.reduced, true) {
                    return Err(Apart::FewRows);
                }
                reshape_to_reduction(program, draft, &outer, candidate)
            } else {
                join_pointwise(program, draft, &outer, candidate)
                    .or_else(|_| reshape_to_pointwise(program, draft, &outer, candidate))
            }
        }
        DraftKind::Rows { outer } => {
            let outer = outer.clone();
            join_rows(program, target, draft, &outer, candidate)
        }
        DraftKind::Template { node, dims, .. } => {
            let (node, dims) = (*node, dims.clone());
            if is_reduction {
                return Err(Apart::Reduction);
            }
            if target.computes_faster_than_it_reads() && works_on_matrices(program, draft, candidate) {
                return Err(Apart::Work);
            }
            join_epilogue(program, draft, node, &dims, candidate)
        }
        DraftKind::Pack { .. } | DraftKind::Standalone { .. } => Err(Apart::Alone),
    }
}

/// Joins a reduction to rows of the same shape, or a pointwise node to a pointwise group over the same space, that read
/// the same data.
pub(super) fn join_beside(
    program: &mut Program,
    target: &Target,
    draft: &mut Draft,
    candidate: &Candidate,
    reads: &[BufferId],
) -> Joined {
    if let (DraftKind::Pointwise { outer }, Item::Store { .. }) = (&draft.kind, &candidate.item) {
        if *outer != candidate.sizes {
            return Err(Apart::Space);
        }
        return join_pointwise_beside(program, draft, candidate, reads);
    }
    let DraftKind::Rows { outer } = &draft.kind else { return Err(Apart::Unrelated) };
    let same = matches!(candidate.item, Item::Reduce { .. })
        && *outer == candidate.sizes
        && draft.members.iter().any(|m| m.inner == candidate.reduced);
    let shares = draft
        .members
        .iter()
        .any(|m| flat_accesses(program, m.item.value()).iter().any(|(b, _, _)| reads.contains(b)));
    if !same || !shares {
        return Err(if same { Apart::Unrelated } else { Apart::Space });
    }
    if is_full(program, draft, candidate) {
        return Err(Apart::Full);
    }
    if too_deep(program, draft, candidate) {
        return Err(Apart::Deep);
    }
    let outer = outer.clone();
    if reads.iter().any(|b| made_by(draft, *b).is_some()) {
        return join_rows(program, target, draft, &outer, candidate);
    }
    draft.members.push(Member { inner: candidate.reduced.clone(), item: candidate.item.clone() });
    Ok(())
}

/// Whether a kernel of the members and the node would be too large.
fn is_full(program: &Program, draft: &Draft, candidate: &Candidate) -> bool {
    let members = draft.members.iter().map(|m| m.item.value());
    let values: Vec<ExprId> = members.chain([candidate.item.value()]).collect();
    values.len() > MOST_MEMBERS || program.exprs.postorder(&values).len() > MOST_EXPRS
}

/// Whether the members and the node, each taking what the one before made, might nest too deep.
fn too_deep(program: &Program, draft: &Draft, candidate: &Candidate) -> bool {
    let mut made = HashMap::default();
    for member in &draft.members {
        if let Item::Store { buffer, value, .. } = &member.item {
            made.insert(*buffer, program.exprs.depth(*value, &made));
        }
    }
    program.exprs.depth(candidate.item.value(), &made) > DEEPEST
}

/// Only where all of something is read once instead of twice: a shared bias is worth no common loop.
fn join_pointwise_beside(
    program: &Program,
    draft: &mut Draft,
    candidate: &Candidate,
    reads: &[BufferId],
) -> Joined {
    let syms = &program.syms;
    let count = syms.product(&candidate.sizes);
    let shares = |b: &BufferId| {
        let read = |m: &Member| flat_accesses(program, m.item.value()).iter().any(|a| a.0 == *b);
        syms.product(&program.buffers[*b].sizes) == count && draft.members.iter().any(read)
    };
    let apart = !reads.iter().any(|b| made_by(draft, *b).is_some());
    if !apart {
        return Err(Apart::Point);
    }
    if is_full(program, draft, candidate) {
        return Err(Apart::Full);
    }
    if !reads.iter().any(shares) {
        return Err(Apart::Unrelated);
    }
    draft.members.push(Member { inner: Vec::new(), item: candidate.item.clone() });
    Ok(())
}

/// The member that makes a buffer.
fn made_by(draft: &Draft, buffer: BufferId) -> Option<&Member> {
    draft.members.iter().find(|m| m.item.outs().contains(&buffer))
}

/// Both are pointwise, and the node's space is the group's, up to a reshape.
fn join_pointwise(
    program: &mut Program,
    draft: &mut Draft,
    outer: &[SymInt],
    candidate: &Candidate,
) -> Joined {
    let syms = Arc::clone(&program.syms);
    if !same_count(&syms, outer, &candidate.sizes) {
        return Err(Apart::Space);
    }
    let map = space_map(&syms, &candidate.sizes, 0, outer, 0);
    let item = moved(program, &candidate.item, &map);
    agrees(
        program,
        draft,
        &item,
        &program.vars(outer),
        &[],
        &candidate.item,
        &program.vars(&candidate.sizes),
    )?;
    draft.members.push(Member { inner: Vec::new(), item });
    Ok(())
}

/// Both are pointwise, and the group's members are rewritten over the node's space.
fn reshape_to_pointwise(
    program: &mut Program,
    draft: &mut Draft,
    outer: &[SymInt],
    candidate: &Candidate,
) -> Joined {
    let syms = Arc::clone(&program.syms);
    if !same_count(&syms, outer, &candidate.sizes) {
        return Err(Apart::Space);
    }
    let members = rewritten_members(program, draft, outer, candidate)?;
    draft.members = members;
    draft.kind = DraftKind::Pointwise { outer: candidate.sizes.clone() };
    draft.members.push(Member { inner: Vec::new(), item: candidate.item.clone() });
    Ok(())
}

/// The group is pointwise; a reduction over its whole space makes it rows.
fn reshape_to_reduction(
    program: &mut Program,
    draft: &mut Draft,
    outer: &[SymInt],
    candidate: &Candidate,
) -> Joined {
    let syms = Arc::clone(&program.syms);
    let space: Vec<SymInt> = candidate.sizes.iter().chain(&candidate.reduced).copied().collect();
    if !same_count(&syms, outer, &space) {
        return Err(Apart::Space);
    }
    let mut members = rewritten_members(program, draft, outer, candidate)?;
    for member in &mut members {
        member.inner = candidate.reduced.clone();
    }
    draft.members = members;
    draft.kind = DraftKind::Rows { outer: candidate.sizes.clone() };
    draft.members.push(Member { inner: candidate.reduced.clone(), item: candidate.item.clone() });
    Ok(())
}

/// The pointwise group's members over the candidate's variables: the position at which the candidate reads a
/// member's buffer is the member's own position.
fn rewritten_members(
    program: &mut Program,
    draft: &Draft,
    outer: &[SymInt],
    candidate: &Candidate,
) -> Result<Vec<Member>, Apart> {
    let syms = Arc::clone(&program.syms);
    let accesses = flat_accesses(program, candidate.item.value());
    let made = accesses.iter().find(|(b, _, _)| made_by(draft, *b).is_some());
    let (_, position, _) = made.ok_or(Apart::Unrelated)?;
    let (vars, sizes) = candidate_space(&syms, candidate);
    memory_order(&syms, *position, &vars, &sizes).ok_or(Apart::Order)?;
    // Pointwise members store contiguously, so a position in memory is a position in their space.
    let map = replacing(&syms, &program.vars(outer), &unflatten(&syms, *position, outer));
    let mut members = Vec::with_capacity(draft.members.len());
    for member in &draft.members {
        let item = moved(program, &member.item, &map);
        if worse(program, &member.item, &program.vars(outer), &item, &vars) {
            return Err(Apart::Order);
        }
        members.push(Member { inner: Vec::new(), item });
    }
    let made = |b: BufferId| members.iter().find(|m| m.item.outs().contains(&b));
    let same = accesses.iter().all(|(b, o, data)| made(*b).is_none_or(|m| !data && m.item.offset() == *o));
    if same { Ok(members) } else { Err(Apart::Point) }
}

fn candidate_space(syms: &SymArena, candidate: &Candidate) -> (Vec<SymInt>, Vec<SymInt>) {
    let outer = candidate.sizes.iter().enumerate().map(|(k, s)| (syms.index_var(k as u32, *s), *s));
    let inner = candidate.reduced.iter().enumerate().map(|(k, s)| (syms.index_var(INNER + k as u32, *s), *s));
    outer.chain(inner).unzip()
}

/// The group has rows already.
fn join_rows(
    program: &mut Program,
    target: &Target,
    draft: &mut Draft,
    outer: &[SymInt],
    candidate: &Candidate,
) -> Joined {
    let syms = Arc::clone(&program.syms);
    let is_reduction = matches!(candidate.item, Item::Reduce { .. });
    let (row_dims, rest_dims) = if is_reduction {
        ((0..candidate.sizes.len()).collect(), Vec::new())
    } else {
        match row_dimensions(program, draft, outer, candidate) {
            Some(split) => split,
            None => return Err(Apart::Space),
        }
    };
    // A loop over one value is none.
    let one = syms.constant(1);
    let rest_dims: Vec<usize> = rest_dims.into_iter().filter(|d| candidate.sizes[*d] != one).collect();
    let pick = |dims: &[usize]| -> Vec<SymInt> { dims.iter().map(|d| candidate.sizes[*d]).collect() };
    let row_sizes = pick(&row_dims);
    if !same_count(&syms, outer, &row_sizes) {
        return Err(Apart::Space);
    }
    let mut inner = if is_reduction { candidate.reduced.clone() } else { pick(&rest_dims) };
    // A cluster of blocks can share a row if all stages go along it.
    let kept = draft.members.iter().all(|m| m.inner.is_empty() || same_count(&syms, &m.inner, &inner));
    if !enough_rows(program, target, outer, &inner, kept) {
        return Err(Apart::FewRows);
    }
    // Rows follow from rows; what is left becomes inner loops, in the shape of a member that it shares them with.
    let mut map = Map::default();
    let from: Vec<SymInt> = row_dims.iter().map(|d| syms.index_var(*d as u32, candidate.sizes[*d])).collect();
    let to = carried(&syms, &row_sizes, outer, 0);
    map.extend(replacing(&syms, &from, &to));
    let shared =
        draft.members.iter().map(|m| &m.inner).find(|i| !i.is_empty() && same_count(&syms, i, &inner));
    let shape = shared.cloned().unwrap_or_else(|| inner.clone());
    let from: Vec<SymInt> = if is_reduction {
        inner.iter().enumerate().map(|(k, s)| syms.index_var(INNER + k as u32, *s)).collect()
    } else {
        rest_dims.iter().map(|d| syms.index_var(*d as u32, candidate.sizes[*d])).collect()
    };
    let to = carried(&syms, &inner, &shape, INNER);
    map.extend(replacing(&syms, &from, &to));
    inner = shape;
    let item = moved(program, &candidate.item, &map);
    let inner_vars: Vec<SymInt> =
        inner.iter().enumerate().map(|(k, s)| syms.index_var(INNER + k as u32, *s)).collect();
    let (vars, _) = candidate_space(&syms, candidate);
    agrees(program, draft, &item, &program.vars(outer), &inner_vars, &candidate.item, &vars)?;
    let member = Member { inner, item };
    if !enough_columns(program, target, draft, outer, &member) {
        return Err(Apart::FewRows);
    }
    draft.members.push(member);
    Ok(())
}

/// Which dimensions of a pointwise node are the group's rows: those by which it reads a row's result, otherwise the
/// leading ones that number as many.
fn row_dimensions(
    program: &Program,
    draft: &Draft,
    outer: &[SymInt],
    candidate: &Candidate,
) -> Option<(Vec<usize>, Vec<usize>)> {
    let syms = &program.syms;
    let vars = program.vars(&candidate.sizes);
    for (buffer, offset, _) in flat_accesses(program, candidate.item.value()) {
        let Some(member) = made_by(draft, buffer) else { continue };
        if !matches!(member.item, Item::Reduce { .. }) && !member.inner.is_empty() {
            continue;
        }
        let used: Vec<usize> = (0..vars.len())
            .filter(|k| syms.as_symbol(vars[*k]).is_some_and(|s| syms.depends_on(offset, s)))
            .collect();
        let rest = (0..vars.len()).filter(|k| !used.contains(k)).collect();
        return Some((used, rest));
    }
    let rows = syms.product(outer);
    let mut count = syms.constant(1);
    for k in 0..=candidate.sizes.len() {
        if count == rows {
            return Some(((0..k).collect(), (k..candidate.sizes.len()).collect()));
        }
        if k < candidate.sizes.len() {
            count = syms.mul(count, candidate.sizes[k]);
        }
    }
    None
}

/// Whether an epilogue of a product reads matrices beside it, and so many of them or computes so much with one that a kernel of its own, which
/// has more threads, is worth the bytes.
fn works_on_matrices(program: &Program, draft: &Draft, candidate: &Candidate) -> bool {
    let syms = &program.syms;
    let DraftKind::Template { node, .. } = &draft.kind else { return false };
    if !matches!(program.nodes[*node].kind, NodeKind::Gemm { .. }) {
        return false;
    }
    let own = program.nodes[*node].outs();
    let made = |b: BufferId| own.contains(&b) || made_by(draft, b).is_some();
    let elements = |b: BufferId| syms.hint(syms.product(&program.buffers[b].sizes));
    let count = syms.hint(syms.product(&candidate.sizes));
    let value = candidate.item.value();
    let accesses = flat_accesses(program, value);
    let matrices: HashSet<BufferId> =
        accesses.iter().map(|a| a.0).filter(|b| !made(*b) && elements(*b) >= count).collect();
    let operations =
        |e: &&ExprId| matches!(program.exprs[**e], Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..));
    let work = program.exprs.postorder(&[value]).iter().filter(operations).count();
    matrices.len() > MOST_MATRICES || !matrices.is_empty() && work > MOST_WORK
}

/// A pointwise node over the result of a template, applied to it tile by tile: a node that visits the result in its
/// own order, or in another one in which neighbours stay neighbours.
fn join_epilogue(
    program: &mut Program,
    draft: &mut Draft,
    node: usize,
    dims: &[SymInt],
    candidate: &Candidate,
) -> Joined {
    let syms = Arc::clone(&program.syms);
    if !same_count(&syms, dims, &candidate.sizes) {
        return Err(Apart::Space);
    }
    let checks = |e: &crate::loops::ExprId| matches!(program.exprs[*e], crate::loops::Expr::Check { .. });
    if program.exprs.postorder(&[candidate.item.value()]).iter().any(checks) {
        return Err(Apart::Check);
    }
    let outs = program.nodes[node].outs();
    let (out, others) = (outs[0], &outs[1..]);
    // An attention's `log_sum` is complete only at the end of the kernel.
    if flat_accesses(program, candidate.item.value()).iter().any(|(b, _, _)| others.contains(b)) {
        return Err(Apart::Point);
    }
    let own = template_offset(program, node, dims);
    let made = |b: BufferId| if b == out { Some(own) } else { made_by(draft, b).map(|m| m.item.offset()) };
    let in_order = space_map(&syms, &candidate.sizes, 0, dims, 0);
    let turned = turned_map(program, candidate, &made);
    let mut apart = Apart::Point;
    for (map, order) in [(Some(in_order), true), (turned, false)] {
        let Some(item) = map.map(|m| moved(program, &candidate.item, &m)) else { continue };
        let accesses = flat_accesses(program, item.value());
        let agrees = accesses.iter().all(|(b, offset, data)| made(*b).is_none_or(|m| !data && m == *offset));
        let (before, after) = (program.vars(&candidate.sizes), program.vars(dims));
        let stays = order || stores_neighbours(&syms, item.offset(), &after);
        if !agrees {
            continue;
        }
        apart = Apart::Order;
        if stays && !worse(program, &candidate.item, &before, &item, &after) {
            draft.members.push(Member { inner: Vec::new(), item });
            return Ok(());
        }
    }
    Err(apart)
}

/// Where a template's result at its own point lies.
fn template_offset(program: &Program, node: usize, dims: &[SymInt]) -> SymInt {
    let syms = &program.syms;
    match &program.nodes[node].kind {
        crate::loops::NodeKind::Attention(a) => {
            let strides = &program.buffers[a.out].strides;
            let terms: Vec<SymInt> = a.place.iter().zip(strides).map(|(v, s)| syms.mul(*v, *s)).collect();
            syms.sum(&terms)
        }
        _ => flatten(syms, &program.vars(dims), dims),
    }
}

/// The candidate's variables by the position at which it reads what the group makes, where that visits all of it.
fn turned_map(
    program: &Program,
    candidate: &Candidate,
    made: &dyn Fn(BufferId) -> Option<SymInt>,
) -> Option<Map> {
    let syms = &program.syms;
    let accesses = flat_accesses(program, candidate.item.value());
    let (position, offset) = accesses.iter().find_map(|(b, o, _)| made(*b).map(|m| (m, *o)))?;
    // A variable that runs over several dimensions of the result counts as one for each.
    let (mut split, mut parts, mut sizes) = (Map::default(), Vec::new(), Vec::new());
    let vars = program.vars(&candidate.sizes);
    for (k, (var, size)) in vars.iter().zip(&candidate.sizes).enumerate() {
        let whole = syms.as_symbol(*var).filter(|s| syms.linear_in(offset, *s).is_none());
        let by = whole.and_then(|s| divisor_of(syms, offset, s)).and_then(|d| syms.as_const(d));
        match (whole, by, syms.as_const(*size)) {
            (Some(symbol), Some(by), Some(all)) if by > 0 && all % by == 0 => {
                let (slow, fast) = (syms.constant(all / by), syms.constant(by));
                let at = PARTS + 2 * k as u32;
                let pair = [syms.index_var(at, slow), syms.index_var(at + 1, fast)];
                split.insert(symbol, syms.add(syms.mul(pair[0], fast), pair[1]));
                parts.extend(pair);
                sizes.extend([slow, fast]);
            }
            _ => {
                parts.push(*var);
                sizes.push(*size);
            }
        }
    }
    let order = memory_order(syms, syms.substitute(offset, &split), &parts, &sizes)?;
    let pick = |list: &[SymInt]| -> Vec<SymInt> { order.iter().map(|k| list[*k]).collect() };
    let found = replacing(syms, &pick(&parts), &unflatten(syms, position, &pick(&sizes)));
    let whole = vars.iter().map(|v| syms.substitute(syms.substitute(*v, &split), &found)).collect::<Vec<_>>();
    Some(replacing(syms, &vars, &whole))
}

/// Every value taken from the group is taken where it is made, and no access became harder to follow.
fn agrees(
    program: &Program,
    draft: &Draft,
    item: &Item,
    outer: &[SymInt],
    inner: &[SymInt],
    before: &Item,
    before_vars: &[SymInt],
) -> Joined {
    for (buffer, offset, data) in flat_accesses(program, item.value()) {
        if made_by(draft, buffer).is_some_and(|m| data || m.item.offset() != offset) {
            return Err(Apart::Point);
        }
    }
    let vars: Vec<SymInt> = outer.iter().chain(inner).copied().collect();
    if worse(program, before, before_vars, item, &vars) { Err(Apart::Order) } else { Ok(()) }
}
