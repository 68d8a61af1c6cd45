//! Reductions of one matrix along its rows and along its columns, in one read.
//!
//! A group that reduces rows and a group that reduces columns of the same matrix become one. Its blocks take a piece of some rows and
//! columns (of a panel), and write a partial result for each row and column. The last stage of the split column reduction combines those
//! of the columns; a new last stage combines those of the rows.
//!
//! Invariants: rows and columns are whole panels; the two groups share at least a read of the whole matrix.
//!
//! Deliberately absent: more than two dimensions, and unknown sizes.

use super::{Group, GroupKind, INNER, Item, Last, Loops, RowColumnReduction, Stage, Waits};
use crate::base::{HashMap, StableSort};
use crate::loops::access::{flat_accesses, flatten, replacing};
use crate::loops::{BufferId, Program, ReductionOp};
use crate::types::{Dtype, SymInt};

/// Columns of a block.
pub const PANEL: i64 = 512;
/// What the rows of a panel are a multiple of.
const STRIP: i64 = 256;

/// Joins such groups, each pair where the first of them is.
pub fn join(program: &mut Program, groups: &mut Vec<Group>) {
    // Groups that may be half of a pair, by the buffers that they read: the halves of a pair share one.
    let mut readers: HashMap<BufferId, Vec<usize>> = HashMap::default();
    for (k, group) in groups.iter().enumerate() {
        if columns_of(program, group).is_some() || rows_of(program, group).is_some() {
            group.reads.iter().for_each(|b| readers.entry(*b).or_default().push(k));
        }
    }
    let mut joined = vec![false; groups.len()];
    for k in 0..groups.len() {
        let read = groups[k].reads.iter().filter_map(|b| readers.get(b));
        let lists = read.filter(|list| list.binary_search(&k).is_ok());
        let mut others: Vec<usize> = lists.flatten().copied().filter(|j| *j > k && !joined[*j]).collect();
        others.stable_sort();
        others.dedup();
        let found = others.into_iter().filter(|_| !joined[k]).find_map(|j| {
            let mut pairs = [(k, j), (j, k)].into_iter();
            let (columns, _) = pairs.find(|(c, r)| fits(program, &groups[*c], &groups[*r]))?;
            let mut before = (k..j).filter(|g| !joined[*g]);
            let early = before.any(|g| reads_of(&groups[j], &groups[g]));
            (!early).then_some((j, columns == k))
        });
        if let Some((j, columns_first)) = found {
            joined[j] = true;
            let (first, second) = (groups[k].clone(), groups[j].clone());
            let (columns, rows) = if columns_first { (first, second) } else { (second, first) };
            groups[k] = merged(program, columns, rows);
        }
    }
    let mut joined = joined.into_iter();
    groups.retain(|_| joined.next() == Some(false));
}

fn reads_of(reader: &Group, writer: &Group) -> bool {
    reader.reads.iter().any(|b| writer.writes.contains(b))
}

fn plain(items: &[Item]) -> bool {
    let placeless = |op: &ReductionOp| !matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex);
    !items.is_empty() && items.iter().all(|i| matches!(i, Item::Reduce { op, .. } if placeless(op)))
}

/// Panels, rows of each, and columns: of a group that reduces down the columns panel by panel.
fn columns_of(program: &Program, group: &Group) -> Option<[i64; 3]> {
    let GroupKind::Loops(loops) = &group.kind else { return None };
    let ([panels, width], [stage]) = (&loops.outer[..], &loops.stages[..]) else { return None };
    let [length] = stage.inner[..] else { return None };
    let sizes = program.syms.as_consts(&[*panels, length, *width])?;
    let place = flatten(&program.syms, &program.vars(&loops.outer), &loops.outer);
    let whole = sizes[1] % STRIP == 0 && sizes[2] % PANEL == 0 && sizes[0] > 1;
    let fits = whole && plain(&stage.items) && stage.items.iter().all(|i| i.offset() == place);
    (fits && loops.row_buffers.is_empty() && group.last.is_empty()).then(|| [sizes[0], sizes[1], sizes[2]])
}

/// Rows and columns of a group that reduces along the rows first, and then has what is one value a row.
fn rows_of(program: &Program, group: &Group) -> Option<[i64; 2]> {
    let GroupKind::Loops(loops) = &group.kind else { return None };
    let ([rows], [first, rest @ ..]) = (&loops.outer[..], &loops.stages[..]) else { return None };
    let [width] = first.inner[..] else { return None };
    let sizes = program.syms.as_consts(&[*rows, width])?;
    let fits = plain(&first.items) && rest.iter().all(|s| s.inner.is_empty()) && loops.row_buffers.is_empty();
    (fits && group.last.is_empty()).then(|| [sizes[0], sizes[1]])
}

/// True where both reduce the same matrix.
fn fits(program: &mut Program, columns: &Group, rows: &Group) -> bool {
    let (Some([panels, length, width]), Some([height, across])) =
        (columns_of(program, columns), rows_of(program, rows))
    else {
        return false;
    };
    if panels * length != height || width != across || reads_of(rows, columns) || reads_of(columns, rows) {
        return false;
    }
    let (GroupKind::Loops(down), GroupKind::Loops(along)) = (&columns.kind, &rows.kind) else { return false };
    if super::split_reduction_finish::stops(program, down, &[])
        || super::split_reduction_finish::stops(program, along, &[])
    {
        return false;
    }
    let moved = moved_items(program, down, along);
    let read = |program: &Program, items: &[Item]| -> Vec<(BufferId, SymInt, bool)> {
        items.iter().flat_map(|i| flat_accesses(program, i.value())).collect()
    };
    let own = read(program, &down.stages[0].items);
    read(program, &moved).into_iter().any(|load| {
        let elements = program.syms.product(&program.buffers[load.0].sizes);
        !load.2 && own.contains(&load) && program.syms.as_const(elements).is_some_and(|n| n >= height * width)
    })
}

/// The rows' reductions over the columns' variables.
fn moved_items(program: &mut Program, columns: &Loops, rows: &Loops) -> Vec<Item> {
    let syms = std::sync::Arc::clone(&program.syms);
    let (height, width, length) = (rows.outer[0], columns.outer[1], columns.stages[0].inner[0]);
    let (panel, down) = (syms.index_var(0, columns.outer[0]), syms.index_var(INNER, length));
    let row = syms.add(syms.mul(panel, length), down);
    let from = [syms.index_var(0, height), syms.index_var(INNER, width)];
    let map = replacing(&syms, &from, &[row, syms.index_var(1, width)]);
    let mut items = rows.stages[0].items.clone();
    for item in &mut items {
        let (Item::Store { value, offset, .. } | Item::Reduce { value, offset, .. }) = item;
        *value = program.exprs.substitute(&syms, *value, &map);
        *offset = syms.substitute(*offset, &map);
    }
    items
}

fn merged(program: &mut Program, columns: Group, rows: Group) -> Group {
    let (GroupKind::Loops(down), GroupKind::Loops(mut along)) = (columns.kind, rows.kind) else {
        unreachable!("only loops fit")
    };
    let syms = std::sync::Arc::clone(&program.syms);
    let mut parts = moved_items(program, &down, &along);
    let (height, width) = (along.outer[0], down.outer[1]);
    let pieces = syms.floordiv(width, syms.constant(PANEL));
    let (row, piece) = (syms.index_var(0, height), syms.index_var(INNER, pieces));
    let mut writes = columns.writes;
    // Each piece of a row leaves its part beside those of other rows; then they are put together.
    for (part, whole) in parts.iter_mut().zip(&mut along.stages[0].items) {
        let (Item::Reduce { outs, .. }, Item::Reduce { value, .. }) = (part, whole) else { continue };
        let dtype = program.exprs.dtype(*value);
        let between = program.temporary(dtype, &[pieces, height]);
        *outs = vec![between];
        let place = syms.add(syms.mul(piece, height), row);
        *value = program.exprs.load(between, dtype, vec![place], Vec::new());
        writes.push(between);
    }
    along.stages[0].inner = vec![pieces];
    let mut reads = columns.reads;
    let new: Vec<BufferId> = rows.reads.iter().copied().filter(|b| !reads.contains(b)).collect();
    reads.extend(new);
    writes.extend(rows.writes);
    let mut operators = columns.operators;
    operators.add(&rows.operators);
    let semaphores = program.temporary(Dtype::Int32, &[down.outer[0]]);
    let last = vec![Last { loops: along, waits: Waits::Panel, semaphores }];
    let kind = GroupKind::RowColumnReduction(RowColumnReduction { columns: down, rows: parts });
    Group { kind, reads, writes, updates: Vec::new(), operators, last, workspace: None }
}

impl RowColumnReduction {
    /// The stage whose items reduce down the columns.
    pub fn stage(&self) -> &Stage {
        &self.columns.stages[0]
    }
}
