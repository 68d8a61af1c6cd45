//! Copies values to inputs and buffers by kernels of a GPU, where they cannot be written in place. One launch copies many values. Each norm
//! of a network has two small ones, its running statistics, and the executor would copy each by itself.
//!
//! Invariant: these launches come last in a run. By then every kernel has read the old contents of the inputs.
//!
//! Deliberately absent: values whose sizes only a run knows, since a launch cannot combine them, and a value that would be alone in
//! its launch. The executor copies both.

use super::{Group, GroupKind, INNER, Item, Loops, Stage, Step, in_place, launch};
use crate::base::{HashMap, HashSet};
use crate::loops::{BufferId, BufferKind, LoopNode, NodeKind, Operators, Program};
use crate::target::Target;
use crate::types::contiguous_strides;
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
    let written: HashSet<BufferId> = done.iter().map(|(_, from)| *from).collect();
    let mut times: HashMap<BufferId, usize> = HashMap::default();
    program.writes.iter().for_each(|(to, _)| *times.entry(*to).or_default() += 1);
    let is_copied = |(to, from): (BufferId, BufferId)| {
        let data = &program.buffers[from];
        data.kind == BufferKind::Temporary
            && in_place::alike(program, to, from)
            && data.strides == contiguous_strides(&program.syms, &data.sizes)
            && times[&to] == 1
            && !written.contains(&from)
    };
    let copied: Vec<usize> = (0..program.writes.len()).filter(|k| is_copied(program.writes[*k])).collect();
    let makers: HashMap<BufferId, Operators> =
        main.iter().flat_map(|g| g.writes.iter().map(|b| (*b, g.operators.clone()))).collect();
    let of = |from: BufferId| makers.get(&from).cloned().unwrap_or_default();
    let mut groups: Vec<Group> = Vec::with_capacity(copied.len());
    for write in &copied {
        let from = program.writes[*write].1;
        groups.push(copy(program, of(from), from));
    }
    // The copies' results, and the writes that they are for.
    let made: HashMap<BufferId, usize> =
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

/// A kernel that copies a contiguous buffer to a new one, named by the operators that make it.
fn copy(program: &mut Program, operators: Operators, from: BufferId) -> Group {
    let syms = std::sync::Arc::clone(&program.syms);
    let data = &program.buffers[from];
    let (dtype, sizes, count) = (data.dtype, data.sizes.clone(), syms.product(&data.sizes));
    let out = program.temporary(dtype, &sizes);
    let vars = program.vars(&sizes);
    let value = program.exprs.load(from, dtype, vars, Vec::new());
    let node = program.nodes.len();
    let kind = NodeKind::Pointwise { sizes, value, out };
    program.nodes.push(LoopNode { kind, operators: operators.clone() });
    let at = syms.index_var(INNER, count);
    let value = program.exprs.load(from, dtype, vec![at], Vec::new());
    let items = vec![Item::Store { node, buffer: out, offset: at, value }];
    let stages = vec![Stage { inner: vec![count], items }];
    let loops = Loops { outer: Vec::new(), stages, row_buffers: HashMap::default() };
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
