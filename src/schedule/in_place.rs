//! Mutated inputs and buffers that are written where they lie, instead of beside and then copied: caches of keys and
//! values, running statistics, counters.
//!
//! A write's source may lie in its target when nobody needs the target's old contents any more: every kernel that
//! reads it runs before, and the kernel that makes the source reads it, if at all, at the point that it writes, and
//! not after having written it. On a GPU several threads compute the values of a row, and one of them stores them: another
//! might read what that one has written. There such kernels write beside.
//!
//! Deliberately absent: changing what a kernel computes. Only a scatter into a copy of the target becomes one into
//! the target itself.

use super::{Group, GroupKind, Item};
use crate::loops::access::{flat_accesses, store_offset};
use crate::loops::{BufferId, BufferKind, Expr, ExprId, NodeKind, Program};
use crate::target::Target;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// The writes that happen in place, as `(target, source)`: these buffers are to have one place.
pub fn writes_in_place(
    program: &mut Program,
    target: &Target,
    main: &mut [Group],
    launches: &[Range<usize>],
) -> Vec<(BufferId, BufferId)> {
    let mut done: Vec<(BufferId, BufferId)> = Vec::new();
    let on_gpu = matches!(target, Target::Cuda(_));
    for (target, source) in program.writes.clone() {
        let (old, new) = (&program.buffers[target], &program.buffers[source]);
        let alike = old.dtype == new.dtype && old.sizes == new.sizes && old.strides == new.strides;
        let alone = new.kind == BufferKind::Temporary
            && !program.outputs.contains(&source)
            && program.writes.iter().filter(|w| w.0 == target || w.1 == source).count() == 1;
        let Some(maker) = main.iter().position(|g| g.writes.contains(&source)) else { continue };
        let launch = launches.iter().position(|l| l.contains(&maker));
        let before = |k: usize| launches.iter().position(|l| l.contains(&k)) < launch;
        let read_before =
            (0..main.len()).all(|k| k == maker || before(k) || !main[k].reads.contains(&target));
        if !alike || !alone || !read_before {
            continue;
        }
        if !main[maker].reads.contains(&target) {
            done.push((target, source));
        } else if !(on_gpu && shares_its_points(&main[maker]))
            && reads_only_its_point(program, &main[maker], target, source)
        {
            let group = &mut main[maker];
            group.reads.retain(|b| *b != target);
            group.updates.push(source);
            rename(program, group, target, source);
            done.push((target, source));
        }
    }
    done
}

/// True for a kernel of which a GPU computes some values in several threads each: rows with reductions or several stages.
fn shares_its_points(group: &Group) -> bool {
    let GroupKind::Loops(loops) = &group.kind else { return false };
    let mut items = loops.stages.iter().flat_map(|s| &s.items);
    loops.stages.len() > 1 || !loops.row_buffers.is_empty() || items.any(|i| matches!(i, Item::Reduce { .. }))
}

fn reads_only_its_point(program: &Program, group: &Group, target: BufferId, source: BufferId) -> bool {
    let reads = |e: ExprId| flat_accesses(program, e).iter().any(|(b, _, _)| *b == target);
    // A last stage runs while other blocks are at the group's own loops.
    if !group.last.is_empty() {
        return false;
    }
    match &group.kind {
        GroupKind::Standalone { node } => {
            let NodeKind::Scatter { data, value, initial, .. } = &program.nodes[*node].kind else {
                return false;
            };
            let elsewhere = data.iter().chain([value]).any(|e| reads(*e));
            !elsewhere && is_whole(program, *initial, target, source)
        }
        GroupKind::Template { node, epilogue, .. } => {
            let inside = program.nodes[*node].exprs().into_iter().any(reads);
            !inside
                && !read_again(program, epilogue, source)
                && items_agree(program, epilogue, target, source)
        }
        GroupKind::Loops(loops) => {
            let storing = |items: &[Item]| items.iter().any(|i| i.outs().contains(&source));
            let others = loops.stages.iter().filter(|s| !storing(&s.items));
            let mut storing_stages = loops.stages.iter().filter(|s| storing(&s.items));
            let elsewhere = others.flat_map(|s| &s.items).any(|i| reads(i.value()));
            let again = loops.stages.iter().any(|s| read_again(program, &s.items, source));
            let stage = storing_stages.next();
            !elsewhere && !again && stage.is_some_and(|s| items_agree(program, &s.items, target, source))
        }
        GroupKind::Pack { .. } | GroupKind::RowColumnReduction(_) => false,
    }
}

/// True when the items load what one of them has stored: where old and new contents have one name, the two loads would be
/// one.
fn read_again(program: &Program, items: &[Item], source: BufferId) -> bool {
    let roots: Vec<ExprId> = items.iter().map(Item::value).collect();
    let loads = program.exprs.loads(&roots);
    loads.into_iter().any(|l| matches!(&program.exprs[l], Expr::Load { buffer, .. } if *buffer == source))
}

/// Items up to the one that stores read the target at that item's offset; later ones read it only as part of the value
/// that was stored, which is at hand.
fn items_agree(program: &Program, items: &[Item], target: BufferId, source: BufferId) -> bool {
    let Some(last) = items.iter().position(|i| i.outs().contains(&source)) else { return false };
    let Item::Store { offset, value: stored, .. } = items[last] else { return false };
    items.iter().enumerate().all(|(k, item)| {
        if k > last {
            return !reads_beside(program, item.value(), stored, target);
        }
        let mut reads = flat_accesses(program, item.value()).into_iter().filter(|a| a.0 == target);
        reads.all(|(_, at, data)| at == offset && !data)
    })
}

/// True when the target is loaded other than within `known`.
fn reads_beside(program: &Program, root: ExprId, known: ExprId, target: BufferId) -> bool {
    let (mut stack, mut seen) = (vec![root], FxHashSet::default());
    while let Some(id) = stack.pop() {
        if id == known || !seen.insert(id) {
            continue;
        }
        if matches!(&program.exprs[id], Expr::Load { buffer, .. } if *buffer == target) {
            return true;
        }
        stack.extend(program.exprs.operands(id));
    }
    false
}

/// All of the target, in the source's own space.
fn is_whole(program: &Program, initial: ExprId, target: BufferId, source: BufferId) -> bool {
    let vars = program.vars(&program.buffers[source].sizes);
    match &program.exprs[initial] {
        Expr::Load { buffer, index, data } => {
            *buffer == target && data.is_empty() && index[..] == [store_offset(program, source, &vars)]
        }
        _ => false,
    }
}

/// What the group loads of the target it loads of the source.
fn rename(program: &mut Program, group: &mut Group, target: BufferId, source: BufferId) {
    let mut renamed = |root: ExprId| {
        program.exprs.rewrite(root, &mut |exprs, id| match exprs[id].clone() {
            Expr::Load { buffer, index, data } if buffer == target => {
                let dtype = exprs.dtype(id);
                exprs.load(source, dtype, index.into(), data.into())
            }
            _ => id,
        })
    };
    match &mut group.kind {
        GroupKind::Standalone { node } => {
            if let NodeKind::Scatter { initial, .. } = &mut program.nodes[*node].kind {
                *initial = renamed(*initial);
            }
        }
        GroupKind::Template { epilogue, .. } => {
            for Item::Store { value, .. } | Item::Reduce { value, .. } in epilogue {
                *value = renamed(*value);
            }
        }
        GroupKind::Loops(loops) => {
            for Item::Store { value, .. } | Item::Reduce { value, .. } in
                loops.stages.iter_mut().flat_map(|s| &mut s.items)
            {
                *value = renamed(*value);
            }
        }
        GroupKind::Pack { .. } | GroupKind::RowColumnReduction(_) => {}
    }
}
