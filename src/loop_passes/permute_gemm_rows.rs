//! Puts rows of matrix products in the order in which the left operand has them in memory.
//!
//! A product over a tensor with two leading dimensions exchanged reads rows at `row % p` and `row / p`. These have no single stride, so
//! neither the copy engine nor a library takes such an operand. A product does not depend on the order of its rows, so its result gets the
//! order of memory, and so do the pointwise nodes that read it; other readers index accordingly.
//!
//! Invariant: each reader finds the value that it found before; only results that no one outside sees are changed.
//!
//! Deliberately absent: rows made of more than two dimensions, sizes that only a run knows, and columns.

use crate::base::{HashMap, HashSet};
use crate::loops::access::{divisor_of, flat_accesses, flat_loads, flatten, replacing, unflatten};
use crate::loops::uses::{lies_in_memory, reduced_load};
use crate::loops::{BufferData, BufferId, Expr, ExprId, LoopNode, NodeKind, Program, Stand};
use crate::types::{SymArena, SymInt, SymbolId};
use std::sync::Arc;

/// How rows move: row `i` of `fast * slow` to row `i % fast * slow + i / fast`.
#[derive(Clone, Copy)]
struct Turn {
    fast: SymInt,
    slow: SymInt,
}

impl Turn {
    fn new_row(self, syms: &SymArena, row: SymInt) -> SymInt {
        let Turn { fast, slow } = self;
        syms.add(syms.mul(syms.modulo(row, fast), slow), syms.floordiv(row, fast))
    }
    fn old_row(self, syms: &SymArena, row: SymInt) -> SymInt {
        Turn { fast: self.slow, slow: self.fast }.new_row(syms, row)
    }
}

/// A result in another order.
struct Moved {
    /// The sizes under which readers know it.
    from: Vec<SymInt>,
    to: BufferId,
    turn: Turn,
}

/// Gives products another order of rows where that makes their left operand a matrix.
pub fn run(program: &mut Program) {
    let mut moved: HashMap<BufferId, Moved> = HashMap::default();
    let mut nodes = std::mem::take(&mut program.nodes);
    let steering: HashSet<BufferId> = nodes
        .iter()
        .filter_map(|n| if let NodeKind::Control(c) = &n.kind { c.reads() } else { None })
        .collect();
    for node in &mut nodes {
        if !moved.is_empty() {
            redirect(program, &moved, node);
        }
        let fixed = |out: BufferId| steering.contains(&out) || lies_in_memory(program, out);
        let found = match node.kind {
            NodeKind::Gemm { out, .. } if !fixed(out) => product(program, &mut node.kind),
            NodeKind::Pointwise { out, .. } if !moved.is_empty() && !fixed(out) => {
                elements(program, &moved, &mut node.kind)
            }
            _ => None,
        };
        if let Some((out, turned)) = found {
            moved.insert(out, turned);
        }
    }
    // What comes first may read what comes later, in a loop.
    if !moved.is_empty() {
        nodes.iter_mut().for_each(|node| redirect(program, &moved, node));
    }
    program.nodes = nodes;
}

/// A buffer like `old`, of rows and columns.
fn matrix_like(program: &mut Program, old: BufferId, rows: SymInt, columns: SymInt) -> BufferId {
    let (sizes, strides) = (vec![rows, columns], vec![columns, program.syms.constant(1)]);
    let data = BufferData { sizes, strides, ..program.buffers[old].clone() };
    program.buffers.push(data)
}

/// Notes where the rows of `old` are.
fn stands_for(program: &mut Program, own: BufferId, old: BufferId, turn: Turn) {
    let Turn { fast, slow } = turn;
    program.stands_for.insert(own, (old, Stand::Rows { fast, slow }));
}

/// The result as rows and columns: its leading dimensions are rows.
fn rows_and_columns(program: &Program, sizes: &[SymInt]) -> Option<(SymInt, SymInt)> {
    let (columns, rows) = sizes.split_last()?;
    Some((program.syms.product(rows), *columns))
}

fn product(program: &mut Program, kind: &mut NodeKind) -> Option<(BufferId, Moved)> {
    let NodeKind::Gemm { batch, m, n, a, out, .. } = kind else { return None };
    let from = program.buffers[*out].sizes.clone();
    if !batch.is_empty() || rows_and_columns(program, &from) != Some((*m, *n)) {
        return None;
    }
    let row = program.syms.as_symbol(program.syms.index_var(0, *m))?;
    let (left, turn) = straightened(program, *a, row, *m)?;
    let (old, to) = (*out, matrix_like(program, *out, *m, *n));
    (*a, *out) = (left, to);
    stands_for(program, to, old, turn);
    Some((old, Moved { from, to, turn }))
}

/// The left operand by rows in another order, in which one stride walks them.
fn straightened(program: &mut Program, left: ExprId, row: SymbolId, rows: SymInt) -> Option<(ExprId, Turn)> {
    let syms = Arc::clone(&program.syms);
    if !matches!(program.exprs[reduced_load(program, left)], Expr::Load { .. }) {
        return None;
    }
    let flat = flat_loads(program, left);
    let offset = flat_accesses(program, flat).first()?.1;
    if syms.linear_in(offset, row).is_some() {
        return None;
    }
    let fast = divisor_of(&syms, offset, row)?;
    let turn = Turn { fast, slow: syms.divide_exact(rows, fast)? };
    let map = HashMap::from_iter([(row, turn.old_row(&syms, syms.symbol_expr(row)))]);
    syms.linear_in(syms.substitute(offset, &map), row)?;
    Some((program.exprs.substitute(&syms, left, &map), turn))
}

/// Elements computed of a moved result, each where the result's element now is.
fn elements(
    program: &mut Program,
    moved: &HashMap<BufferId, Moved>,
    kind: &mut NodeKind,
) -> Option<(BufferId, Moved)> {
    let NodeKind::Pointwise { sizes, value, out } = kind else { return None };
    let syms = Arc::clone(&program.syms);
    let (rows, columns) = rows_and_columns(program, sizes)?;
    if *sizes != program.buffers[*out].sizes {
        return None;
    }
    let (turn, found) = moved_load(program, moved, *value)?;
    let vars = program.vars(sizes);
    let own = program.vars(&[rows, columns]);
    if found == flatten(&syms, &vars, sizes) {
        return None;
    }
    let mut to = unflatten(&syms, turn.old_row(&syms, own[0]), &sizes[..sizes.len() - 1]);
    to.push(own[1]);
    let map = replacing(&syms, &vars, &to);
    if syms.substitute(found, &map) != flatten(&syms, &own, &[rows, columns]) {
        return None;
    }
    let (old, from) = (*out, sizes.clone());
    *out = matrix_like(program, old, rows, columns);
    *value = program.exprs.substitute(&syms, *value, &map);
    *sizes = vec![rows, columns];
    stands_for(program, *out, old, turn);
    Some((old, Moved { from, to: *out, turn }))
}

/// Where an expression loads a moved result, and how that moved.
fn moved_load(
    program: &mut Program,
    moved: &HashMap<BufferId, Moved>,
    value: ExprId,
) -> Option<(Turn, SymInt)> {
    let flat = flat_loads(program, value);
    let accesses = flat_accesses(program, flat);
    accesses
        .into_iter()
        .filter(|access| !access.2)
        .find_map(|(buffer, offset, _)| moved.values().find(|m| m.to == buffer).map(|m| (m.turn, offset)))
}

/// Loads of moved results find them where they are.
fn redirect(program: &mut Program, moved: &HashMap<BufferId, Moved>, node: &mut LoopNode) {
    let syms = Arc::clone(&program.syms);
    node.for_each_expr(&mut |root| {
        *root = program.exprs.rewrite(*root, &mut |exprs, id| {
            let Expr::Load { buffer, index, data } = exprs[id].clone() else { return id };
            let Some(found) = moved.get(&buffer) else { return id };
            let rows = index.len() - 1;
            let row = flatten(&syms, &index[..rows], &found.from[..rows]);
            let dtype = exprs.dtype(id);
            exprs.load(found.to, dtype, vec![found.turn.new_row(&syms, row), index[rows]], data.into())
        });
    });
}
