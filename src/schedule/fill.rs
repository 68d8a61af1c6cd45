//! On a GPU, the initial values of a scatter's result are a kernel of their own, since blocks do not wait for each other. Where the
//! result lies in its target, there is nothing to fill.
//!
//! This comes after everything that asks which kernel writes a buffer: from here on a scatter reads its own result.

use super::{Group, GroupKind, INNER, Item, Loops, Stage, Step};
use crate::base::HashMap;
use crate::loops::access::{replacing, store_offset};
use crate::loops::{BufferId, Expr, NodeKind, Program};
use std::ops::Range;
use std::sync::Arc;

/// Splits the scatters of groups that run once.
pub fn split_init(program: &mut Program, init: &mut Vec<Group>) {
    for group in std::mem::take(init) {
        init.extend(fill(program, &group));
        init.push(group);
    }
}

/// Splits the scatters of a run. Each of them is a launch of its own.
pub fn split(
    program: &mut Program,
    main: &mut Vec<Group>,
    launches: &mut Vec<Range<usize>>,
    steps: &mut Vec<Step>,
) {
    let fills: Vec<Option<Group>> = main.iter().map(|g| fill(program, g)).collect();
    if fills.iter().all(Option::is_none) {
        return;
    }
    let mut place = Vec::with_capacity(main.len());
    for (group, fill) in std::mem::take(main).into_iter().zip(fills) {
        let first = main.len();
        main.extend(fill);
        main.push(group);
        place.push(first..main.len());
    }
    let old = std::mem::take(launches);
    for step in std::mem::take(steps) {
        let Step::Launch(launch) = step else {
            steps.push(step);
            continue;
        };
        let launch = old[launch].clone();
        let groups = place[launch.start].start..place[launch.end - 1].end;
        let width = launch.len();
        for first in groups.step_by(width) {
            steps.push(Step::Launch(launches.len()));
            launches.push(first..first + width);
        }
    }
}

/// The result of a scatter that goes on with what another kernel has put there.
pub fn goes_on_with(program: &Program, group: &Group) -> Option<BufferId> {
    let GroupKind::Standalone { node } = group.kind else { return None };
    let NodeKind::Scatter { initial, out, .. } = program.nodes[node].kind else { return None };
    matches!(&program.exprs[initial], Expr::Load { buffer, .. } if *buffer == out).then_some(out)
}

/// The group that fills a scatter's result; the scatter then starts from what lies there.
fn fill(program: &mut Program, group: &Group) -> Option<Group> {
    let GroupKind::Standalone { node } = group.kind else { return None };
    let NodeKind::Scatter { initial, out, .. } = program.nodes[node].kind else { return None };
    let sizes = program.buffers[out].sizes.clone();
    let vars = program.vars(&sizes);
    let own = store_offset(program, out, &vars);
    if matches!(&program.exprs[initial], Expr::Load { buffer, index, .. } if *buffer == out && index[..] == [own])
    {
        return None;
    }
    let syms = Arc::clone(&program.syms);
    // The last dimension is the innermost loop.
    let outer = sizes[..sizes.len().saturating_sub(1)].to_vec();
    let inner = sizes[outer.len()..].to_vec();
    let last: Vec<_> = inner.iter().map(|n| syms.index_var(INNER, *n)).collect();
    let map = replacing(&syms, &vars[outer.len()..], &last);
    let value = program.exprs.substitute(&syms, initial, &map);
    let mut index = vars[..outer.len()].to_vec();
    index.extend(&last);
    let offset = store_offset(program, out, &index);
    let items = vec![Item::Store { node, buffer: out, offset, value }];
    let stages = vec![Stage { inner, items }];
    let kind = GroupKind::Loops(Loops { outer, stages, row_buffers: HashMap::default() });
    let dtype = program.buffers[out].dtype;
    let load = program.exprs.load(out, dtype, vec![own], Vec::new());
    if let NodeKind::Scatter { initial, .. } = &mut program.nodes[node].kind {
        *initial = load;
    }
    let mut reads = Vec::new();
    for load in program.exprs.loads(&[value]) {
        if let Expr::Load { buffer, .. } = &program.exprs[load]
            && !reads.contains(buffer)
        {
            reads.push(*buffer);
        }
    }
    Some(Group {
        kind,
        reads,
        writes: vec![out],
        updates: Vec::new(),
        operators: group.operators.clone(),
        last: Vec::new(),
        workspace: None,
    })
}
