//! Writes to inputs and buffers that cannot happen in place, as kernels for a GPU: one launch copies many values. The running statistics
//! of a network's norms are such values, two small ones for each norm; the executor would copy each by itself.
//!
//! Invariants: these launches are the last of a run, so that every kernel has read what they write over.
//!
//! Deliberately absent: values whose sizes only a run knows, which no launch shares with others, and a value that would be alone in
//! its launch; the executor copies both.

use super::{Group, GroupKind, INNER, Item, Loops, Stage, Step, in_place, launch};
use crate::loops::{BufferId, BufferKind, LoopNode, NodeKind, Operators, Program};
use crate::target::Target;
use crate::types::contiguous_strides;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Appends the launches, and to `done` the writes that happen in them, as `(target, source)`.
pub fn append(
    program: &mut Program,
    target: &Target,
    main: &mut Vec<Group>,
    launches: &mut Vec<Range<usize>>,
    steps: &mut Vec<Step>,
    done: &mut Vec<(BufferId, BufferId)>,
) {
    let is_copied = |program: &Program, (to, from): (BufferId, BufferId)| {
        let data = &program.buffers[from];
        data.kind == BufferKind::Temporary
            && in_place::alike(program, to, from)
            && data.strides == contiguous_strides(&program.syms, &data.sizes)
            && program.writes.iter().filter(|w| w.0 == to).count() == 1
            && !done.contains(&(to, from))
    };
    let copied: Vec<usize> =
        (0..program.writes.len()).filter(|k| is_copied(program, program.writes[*k])).collect();
    let mut groups: Vec<Group> = copied.iter().map(|k| copy(program, main, program.writes[*k].1)).collect();
    // The copies' results, and the writes that they are for.
    let made: FxHashMap<BufferId, usize> =
        groups.iter().zip(&copied).map(|(group, write)| (group.writes[0], *write)).collect();
    for range in launch::combine(program, target, &mut groups).into_iter().filter(|range| range.len() > 1) {
        let first = main.len();
        for group in &groups[range] {
            let write = &mut program.writes[made[&group.writes[0]]];
            write.1 = group.writes[0];
            done.push(*write);
            main.push(group.clone());
        }
        steps.push(Step::Launch(launches.len()));
        launches.push(first..main.len());
    }
}

/// A kernel that copies a contiguous buffer, which one of the groups makes, to a new one.
fn copy(program: &mut Program, groups: &[Group], from: BufferId) -> Group {
    let syms = std::sync::Arc::clone(&program.syms);
    let data = &program.buffers[from];
    let (dtype, sizes, count) = (data.dtype, data.sizes.clone(), syms.product(&data.sizes));
    let out = program.temporary(dtype, &sizes);
    let vars = program.vars(&sizes);
    let value = program.exprs.load(from, dtype, vars, Vec::new());
    let maker = groups.iter().find(|g| g.writes.contains(&from));
    let operators = maker.map_or_else(Operators::default, |g| g.operators.clone());
    let node = program.nodes.len();
    let kind = NodeKind::Pointwise { sizes, value, out };
    program.nodes.push(LoopNode { kind, operators: operators.clone() });
    let at = syms.index_var(INNER, count);
    let value = program.exprs.load(from, dtype, vec![at], Vec::new());
    let items = vec![Item::Store { node, buffer: out, offset: at, value }];
    let stages = vec![Stage { inner: vec![count], items }];
    let loops = Loops { outer: Vec::new(), stages, row_buffers: FxHashMap::default() };
    Group {
        kind: GroupKind::Loops(loops),
        reads: vec![from],
        writes: vec![out],
        updates: Vec::new(),
        operators,
        last: Vec::new(),
        workspace: None,
    }
}
