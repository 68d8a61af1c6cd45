//! The inside of a group of loops: which items share an inner loop nest, and which values stay in registers, in a
//! row-local buffer or in memory.

use super::{Group, GroupKind, INNER, Item, Loops, RowBuffer, Stage};
use crate::base::{HashMap, HashSet};
use crate::loops::access::{flat_accesses, flatten};
use crate::loops::uses::lies_in_memory;
use crate::loops::{BufferId, Expr, ExprId, Program};
use crate::target::Target;
use crate::types::SymInt;

/// An expression this small is computed again in a later stage instead of being kept.
const CHEAP_EXPRS: usize = 6;
/// The same where threads have no room to keep it.
const SHORT_EXPRS: usize = 16;
/// Rows beside one another that are worth threads beside one another.
const BESIDE: i64 = 32;

/// Completes every group: merges stages, forwards values, and leaves in `reads` and `writes` what memory is for.
pub fn finish(program: &mut Program, target: &Target, init: &mut [Group], main: &mut [Group]) {
    let mut readers: HashMap<BufferId, HashSet<usize>> = HashMap::default();
    for (k, group) in init.iter().chain(main.iter()).enumerate() {
        for buffer in &group.reads {
            readers.entry(*buffer).or_default().insert(k);
        }
    }
    for (place, group) in init.iter_mut().chain(main.iter_mut()).enumerate() {
        let outside = |program: &Program, b: BufferId| {
            lies_in_memory(program, b) || readers.get(&b).is_some_and(|r| r.iter().any(|g| *g != place))
        };
        let shared: HashSet<BufferId> =
            group.writes.iter().copied().filter(|b| outside(program, *b)).collect();
        match &mut group.kind {
            GroupKind::Loops(loops) => {
                finish_loops(program, target, loops, &shared, &mut group.writes);
                super::collapse::collapse(program, loops);
                // The kernel of rows on a GPU depends on the number of their loops.
                if matches!(target, Target::Cpu(_)) && group.last.is_empty() {
                    super::collapse::collapse_rows(program, loops);
                }
            }
            GroupKind::Template { epilogue, .. } => {
                forward(program, epilogue);
                group.writes.retain(|b| shared.contains(b));
            }
            GroupKind::Pack { .. } | GroupKind::Standalone { .. } | GroupKind::RowColumnReduction(_) => {}
        }
    }
}

fn finish_loops(
    program: &mut Program,
    target: &Target,
    loops: &mut Loops,
    shared: &HashSet<BufferId>,
    writes: &mut Vec<BufferId>,
) {
    merge_stages(program, loops);
    let mut in_memory = shared.clone();
    keep_between_stages(program, target, loops, &mut in_memory);
    for stage in &mut loops.stages {
        forward(program, &mut stage.items);
    }
    writes.retain(|b| in_memory.contains(b));
    // A store that nobody needs in memory, and whose value was forwarded, is no longer one.
    let alone = loops.stages.len() == 1;
    for stage in &mut loops.stages {
        // A value of a row serves later stages from a register.
        let inner = alone || !stage.inner.is_empty();
        stage.items.retain(|item| match item {
            Item::Store { buffer, .. } => {
                in_memory.contains(buffer) || loops.row_buffers.contains_key(buffer) || !inner
            }
            Item::Reduce { .. } => true,
        });
    }
    if loops.stages.len() > 1 {
        loops.stages.retain(|s| !s.items.is_empty());
    }
}

/// Each item goes to the first stage where everything it needs is ready.
fn merge_stages(program: &Program, loops: &mut Loops) {
    let mut made: HashMap<BufferId, (usize, Vec<SymInt>, bool)> = HashMap::default();
    let mut stages: Vec<Stage> = Vec::new();
    for Stage { inner, items } in std::mem::take(&mut loops.stages) {
        for item in items {
            let mut first = 0;
            for (buffer, _, _) in flat_accesses(program, item.value()) {
                if let Some((stage, shape, is_reduction)) = made.get(&buffer) {
                    let same_point = !is_reduction && *shape == inner;
                    first = first.max(if same_point { *stage } else { stage + 1 });
                }
            }
            let place = (first..stages.len()).find(|s| stages[*s].inner == inner).unwrap_or(stages.len());
            if place == stages.len() {
                stages.push(Stage { inner: inner.clone(), items: Vec::new() });
            }
            for buffer in item.outs() {
                made.insert(buffer, (place, inner.clone(), matches!(item, Item::Reduce { .. })));
            }
            stages[place].items.push(item);
        }
    }
    loops.stages = stages;
}

/// Values that a later stage needs: computed again where that is cheap, otherwise kept per row or in memory.
fn keep_between_stages(
    program: &mut Program,
    target: &Target,
    loops: &mut Loops,
    in_memory: &mut HashSet<BufferId>,
) {
    let syms = std::sync::Arc::clone(&program.syms);
    // Threads beside one another in neighbouring rows have no room for a row each, and read it again anyway.
    let across = matches!(target, Target::Cuda(_)) && runs_along_rows(program, loops);
    let in_registers = stays_in_registers(program, target, loops);
    let mut stored: HashMap<BufferId, (usize, Vec<SymInt>, SymInt, ExprId)> = HashMap::default();
    for s in 0..loops.stages.len() {
        for i in 0..loops.stages[s].items.len() {
            let inner = loops.stages[s].inner.clone();
            let mut value = loops.stages[s].items[i].value();
            let mut needed: Vec<BufferId> = flat_accesses(program, value).into_iter().map(|a| a.0).collect();
            let mut seen = HashSet::default();
            while let Some(buffer) = needed.pop() {
                if !seen.insert(buffer) {
                    continue;
                }
                let Some((stage, shape, offset, made)) = stored.get(&buffer).cloned() else { continue };
                // Row scalars are local variables, and values of this stage are forwarded.
                if shape.is_empty() || stage == s || in_memory.contains(&buffer) {
                    continue;
                }
                let elements = syms.product(&shape);
                let bytes = syms.hint(elements).saturating_mul(program.buffers[buffer].dtype.size() as i64);
                if shape == inner && (is_cheap(program, made) || (across && is_short(program, made))) {
                    value = replace_loads(program, value, &HashMap::from_iter([(buffer, made)]));
                    // What it is computed from is needed here now.
                    needed.extend(flat_accesses(program, made).into_iter().map(|a| a.0));
                } else if shape == inner && (in_registers || bytes <= target.row_bytes()) {
                    loops.row_buffers.entry(buffer).or_insert(RowBuffer { elements, offset });
                } else {
                    in_memory.insert(buffer);
                }
            }
            let (Item::Store { value: v, .. } | Item::Reduce { value: v, .. }) =
                &mut loops.stages[s].items[i];
            *v = value;
            if let Item::Store { buffer, offset, value, .. } = &loops.stages[s].items[i] {
                stored.insert(*buffer, (s, inner, *offset, *value));
            }
        }
    }
    loops.row_buffers.retain(|b, _| !in_memory.contains(b));
}

/// Whether the threads that share a row keep all of it, stage after stage, in their registers.
fn stays_in_registers(program: &Program, target: &Target, loops: &Loops) -> bool {
    let Target::Cuda(gpu) = target else { return false };
    let mut widths = loops.stages.iter().filter(|s| !s.inner.is_empty()).map(|s| match s.inner[..] {
        [only] => program.syms.as_const(only),
        _ => None,
    });
    let Some(Some(width)) = widths.next() else { return false };
    gpu.keeps_row(width) && widths.all(|w| w == Some(width))
}

/// True where neighbours in memory lie in neighbouring rows, in most of what is loaded.
fn runs_along_rows(program: &Program, loops: &Loops) -> bool {
    let syms = &program.syms;
    let Some(last) = loops.outer.last() else { return false };
    let row = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let contiguous = |offset: SymInt, var: SymInt| {
        let step = syms.as_symbol(var).and_then(|s| syms.linear_in(offset, s));
        i64::from(step.is_some_and(|(c, _)| syms.as_const(c) == Some(1)))
    };
    let (mut along, mut inside) = (0, 0);
    for stage in &loops.stages {
        let Some(k) = stage.inner.len().checked_sub(1) else { continue };
        let var = syms.index_var(INNER + k as u32, stage.inner[k]);
        for (_, offset, _) in stage.items.iter().flat_map(|i| flat_accesses(program, i.value())) {
            // What does not change within a row says nothing.
            if syms.as_symbol(var).is_some_and(|s| syms.depends_on(offset, s)) {
                along += contiguous(offset, row);
                inside += contiguous(offset, var);
            }
        }
    }
    along > inside && syms.hint(*last) >= BESIDE
}

fn is_short(program: &Program, value: ExprId) -> bool {
    let order = program.exprs.postorder(&[value]);
    order.len() <= SHORT_EXPRS
        && order.iter().all(|e| match &program.exprs[*e] {
            Expr::Masked { .. } | Expr::Check { .. } => false,
            Expr::Load { data, .. } => data.is_empty(),
            _ => true,
        })
}

fn is_cheap(program: &Program, value: ExprId) -> bool {
    let order = program.exprs.postorder(&[value]);
    let loads = order.iter().filter(|e| matches!(program.exprs[**e], Expr::Load { .. })).count();
    let simple = order.iter().all(|e| match &program.exprs[*e] {
        Expr::Constant(..) | Expr::Index(..) | Expr::Cast(..) => true,
        Expr::Load { data, .. } => data.is_empty(),
        Expr::Binary(op, ..) => {
            use crate::loops::BinaryOp::*;
            matches!(op, Add | Sub | Mul | Maximum | Minimum)
        }
        Expr::Unary(op, _) => {
            use crate::loops::UnaryOp::*;
            matches!(op, Neg | Abs)
        }
        _ => false,
    });
    simple && loads <= 1 && order.len() <= CHEAP_EXPRS
}

/// Within one loop body a value that was just stored is used as it is.
fn forward(program: &mut Program, items: &mut [Item]) {
    let mut values: HashMap<BufferId, ExprId> = HashMap::default();
    for item in items {
        let (Item::Store { value, .. } | Item::Reduce { value, .. }) = item;
        *value = replace_loads(program, *value, &values);
        if let Item::Store { buffer, value, .. } = item {
            values.insert(*buffer, *value);
        }
    }
}

fn replace_loads(program: &mut Program, root: ExprId, values: &HashMap<BufferId, ExprId>) -> ExprId {
    if values.is_empty() {
        return root;
    }
    program.exprs.rewrite(root, &mut |exprs, id| match &exprs[id] {
        Expr::Load { buffer, .. } => values.get(buffer).copied().unwrap_or(id),
        _ => id,
    })
}

/// The position within a row of a point of a stage: what row-local buffers are addressed by.
pub fn inner_position(program: &Program, inner: &[SymInt]) -> SymInt {
    let vars: Vec<SymInt> =
        inner.iter().enumerate().map(|(k, s)| program.syms.index_var(INNER + k as u32, *s)).collect();
    flatten(&program.syms, &vars, inner)
}
