//! The axis that lanes run along: the innermost loop, or the fastest dimension of the rows where neighbouring rows are contiguous.

use super::{INNER, Item, Loops};
use crate::base::{HashMap, HashSet};
use crate::loops::{BufferId, Expr, ExprId, Program, ReductionOp};
use crate::types::{SymInt, SymNode, SymbolId};

/// How many neighbouring rows a warp of a GPU takes at once.
pub const COLUMNS: i64 = 32;
/// Elements of a window that is gone through for each row of a block.
const WINDOW: i64 = 64;
/// Where loads of one buffer stream through memory, one with so many times fewer elements stays in a cache, however it is read.
const STREAMED: i64 = 64;

/// The first of two positions that no loop has, for a variable that is taken apart.
const RUN: u32 = 1 << 20;

/// How accesses lie along both loops that lanes may run along.
struct Ways {
    /// Those that are not contiguous, along the rows' fastest dimension and along the innermost loop.
    along_rows: i64,
    along_inner: i64,
    /// All step evenly along the rows.
    even: bool,
    /// Every stage goes through few elements, in lines that fill half a vector at most.
    window: bool,
    /// The rows fill a vector; or there are at least more of them than elements in any such line.
    full: bool,
    fuller: bool,
}

/// True when more accesses are contiguous along the rows' fastest dimension, which has at least `least` rows, than
/// along the innermost loop.
pub fn rows_are_better(program: &Program, loops: &Loops, least: i64) -> bool {
    ways(program, loops, least).is_some_and(|w| w.full && w.along_rows < w.along_inner)
}

/// True for loops that a GPU goes through by columns: neighbouring threads take neighbouring rows, and a block takes [`COLUMNS`] of them.
pub fn goes_by_columns(program: &Program, loops: &Loops) -> bool {
    loops.row_buffers.is_empty() && rows_are_better(program, loops, COLUMNS)
}

/// [`rows_are_better`], or neither is.
pub fn rows_are_as_good(program: &Program, loops: &Loops, least: i64) -> bool {
    ways(program, loops, least).is_some_and(|w| w.full && w.along_rows <= w.along_inner)
}

/// [`rows_are_better`], or lanes along the innermost loop would be few, those along the rows are more, and strided loads serve
/// them.
pub fn rows_fill_vectors(program: &Program, loops: &Loops, lanes: i64) -> bool {
    ways(program, loops, lanes)
        .is_some_and(|w| w.full && w.along_rows < w.along_inner || w.window && w.even && (w.full || w.fuller))
}

fn ways(program: &Program, loops: &Loops, least: i64) -> Option<Ways> {
    let syms = &program.syms;
    let last = loops.outer.last()?;
    let row = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let row = syms.as_symbol(row)?;
    let (rows, mut line) = (syms.hint(*last), 0);
    let (mut along_rows, mut along_inner) = (0i64, 0i64);
    let (mut even, mut window, mut longest) = (true, true, 0);
    let elements = |buffer: BufferId| syms.hint(syms.product(&program.buffers[buffer].sizes));
    let most = loads(program, loops).map(|(buffer, _)| elements(buffer)).max().unwrap_or(0);
    for stage in &loops.stages {
        let Some(k) = stage.inner.len().checked_sub(1) else { continue };
        window &= syms.as_const(stage.inner[k]).is_some_and(|n| n * 2 <= least);
        line = line.max(syms.hint(stage.inner[k]));
        longest = longest.max(syms.range(syms.product(&stage.inner)).max);
        let inner = syms.as_symbol(syms.index_var(INNER + k as u32, stage.inner[k]));
        for item in &stage.items {
            // The position of an extreme value is found by a scalar loop.
            if let Item::Reduce {
                op: ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex | ReductionOp::Xor,
                ..
            } = item
            {
                return None;
            }
            for load in program.exprs.loads(&[item.value()]) {
                let Expr::Load { buffer, index, data } = &program.exprs[load] else { continue };
                // What is kept of a row lies as the lanes like it.
                if loops.row_buffers.contains_key(buffer) {
                    continue;
                }
                // Places that are looked up are anywhere, wherever what they are looked up in moves.
                let moves = |symbol| moves(program, data, symbol);
                let good = |symbol: SymbolId| {
                    let step = syms.linear_in(index[0], symbol).and_then(|(c, _)| syms.as_const(c));
                    let near = match step {
                        Some(step) => matches!(step, 0 | 1),
                        None => runs_of(program, index[0], symbol).is_some_and(|run| run % least == 0),
                    };
                    near && !moves(symbol)
                };
                let steps = syms.linear_in(index[0], row).is_some_and(|(c, _)| syms.as_const(c).is_some());
                even &= steps && !moves(row);
                if elements(*buffer).saturating_mul(STREAMED) <= most {
                    continue;
                }
                along_rows += i64::from(!good(row));
                along_inner += i64::from(inner.is_some_and(|s| !good(s)));
            }
        }
    }
    window &= (1..=WINDOW).contains(&longest);
    Some(Ways { along_rows, along_inner, even, window, full: rows >= least, fuller: rows > line })
}

/// The buffers that a group's items load, and their offsets.
fn loads<'p>(program: &'p Program, loops: &'p Loops) -> impl Iterator<Item = (BufferId, SymInt)> + 'p {
    let items = loops.stages.iter().flat_map(|s| &s.items);
    items.flat_map(|item| program.exprs.loads(&[item.value()])).filter_map(|load| {
        match &program.exprs[load] {
            Expr::Load { buffer, index, .. } => Some((*buffer, index[0])),
            _ => None,
        }
    })
}

/// How many values of a variable, from a multiple of that number on, an offset that is no linear function of it takes to neighbours:
/// 64 for `i // 64 * 4096 + i % 64`.
fn runs_of(program: &Program, offset: SymInt, symbol: SymbolId) -> Option<i64> {
    let syms = &program.syms;
    let (mut divisors, mut open, mut seen) = (Vec::new(), vec![offset], HashSet::default());
    while let Some(e) = open.pop() {
        // Sizes may share any number of parts.
        if !seen.insert(e) || !syms.depends_on(e, symbol) {
            continue;
        }
        match syms.node(e) {
            SymNode::FloorDiv(a, b) | SymNode::Mod(a, b) => {
                if syms.as_symbol(a) == Some(symbol) {
                    divisors.extend(syms.as_const(b));
                }
                open.push(a);
            }
            SymNode::Add(list) | SymNode::Mul(list) => open.extend(list.iter()),
            _ => {}
        }
    }
    let run = divisors.into_iter().min()?;
    let length = syms.constant(run);
    let (outer, inner) = (syms.index_var(RUN, length), syms.index_var(RUN + 1, length));
    let map = HashMap::from_iter([(symbol, syms.add(syms.mul(outer, length), inner))]);
    let (step, _) = syms.linear_in(syms.substitute(offset, &map), syms.as_symbol(inner)?)?;
    (syms.as_const(step) == Some(1)).then_some(run)
}

/// Whether any of these values changes with a loop's variable.
pub fn moves(program: &Program, values: &[ExprId], symbol: SymbolId) -> bool {
    let syms = &program.syms;
    program.exprs.postorder(values).into_iter().any(|e| match &program.exprs[e] {
        Expr::Index(index, _) => syms.depends_on(*index, symbol),
        Expr::Load { index, .. } => syms.depends_on(index[0], symbol),
        _ => false,
    })
}
