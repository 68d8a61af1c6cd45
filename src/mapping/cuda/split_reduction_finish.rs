//! The last stages of a kernel's reductions, which the last block to finish computes.

use super::columns::{self, Block};
use super::rows;
use super::writer::Writer;
use crate::kernels::{Axis, Builtin, LastBlocks, Loop, Semaphore, Statement, Step, Type, Unroll, ValueId};
use crate::schedule::{Last, Waits};
use crate::types::{Dtype, SymInt};

/// How a kernel's blocks are dealt out.
pub enum Grid {
    /// So many rows to a block of so many threads.
    Rows { per_block: i64, threads: i64 },
    /// Columns beside one another, `blocks` to a row of them, each of so many strips as wide as a row of threads.
    Columns { blocks: SymInt, strips: i64, block: Block },
}

/// The part of a last stage that a block belongs to.
#[derive(Clone, Copy)]
struct Part {
    place: ValueId,
    /// Blocks that have it.
    blocks: ValueId,
}

/// Builds all of them, after the kernel's own statements.
pub fn write(w: &mut Writer<'_>, grid: &Grid) {
    let group = w.group;
    let all: Vec<&[Last]> = group.last.chunk_by(|a, b| a.semaphores == b.semaphores).collect();
    if all.is_empty() {
        return;
    }
    // The semaphores of all of them are counted at once.
    let mut parts = Vec::with_capacity(all.len());
    let mut semaphores = Vec::with_capacity(all.len());
    for first in all.iter().filter_map(|stages| stages.first()) {
        let part = part_of(w, grid, first);
        let [at, blocks] = match part {
            Some(Part { place, blocks }) => [place, blocks],
            None => [w.emitter.integer(0), w.emitter.builtin(Builtin::Blocks)],
        };
        semaphores.push(Semaphore { buffer: w.place(first.semaphores), at, blocks });
        parts.push(part);
    }
    let ready = w.emitter.local("ready", Type::Scalar(Dtype::Uint32));
    let mut regions = Vec::with_capacity(all.len());
    for (stages, part) in all.into_iter().zip(parts) {
        w.emitter.open();
        for last in stages {
            // What the kernel's own stages left in registers is one block's part.
            for buffer in &group.writes {
                w.store_in_memory(*buffer);
            }
            w.loops = &last.loops;
            match (part, grid) {
                (Some(part), Grid::Columns { blocks, strips, block }) => {
                    let strips = w.program.syms.mul_const(*blocks, *strips);
                    columns_of(w, last, part, strips, (grid, *block));
                }
                (part, grid) => rows_of(w, last, part, grid),
            }
        }
        regions.push(w.emitter.close_block());
    }
    w.emitter.push(Statement::LastBlocks(Box::new(LastBlocks { ready, semaphores, regions })));
}

/// The strips of a part. A row of columns has `strips` of them.
fn columns_of(w: &mut Writer<'_>, last: &Last, part: Part, strips: SymInt, (grid, block): (&Grid, Block)) {
    let syms = std::sync::Arc::clone(&w.program.syms);
    let variable = w.emitter.local("strip", Type::Index);
    let width = columns::ACROSS * w.lanes;
    // A panel's rows are the columns of what its blocks have left.
    let (all, each) = if last.waits == Waits::Panel {
        let all = syms.floordiv(syms.product(&last.loops.outer), syms.constant(width));
        (all, syms.floordiv(all, w.panels()))
    } else {
        let Grid::Columns { strips: each, .. } = grid else { return };
        (strips, syms.constant(*each))
    };
    let few = columns::alone(w, last);
    let e = &mut w.emitter;
    let each = e.index(syms.mul_const(each, if few { width } else { 1 }));
    let first = e.times(part.place, each);
    let (first, axis, step) = if few {
        let thread = e.builtin(Builtin::ThreadIndex);
        (e.plus(first, thread), Axis::Thread, Step::By(columns::ACROSS * block.height))
    } else {
        (first, Axis::Serial, Step::One)
    };
    e.open();
    let place = e.local_value(variable);
    if few {
        columns::part_alone(w, place, width, all);
    } else {
        columns::part(w, place, all, block);
    }
    let e = &mut w.emitter;
    let body = e.close_block();
    let one = e.integer(1);
    let next = e.plus(part.place, one);
    let bound = e.times(next, each);
    let (first, unroll) = (Some(first), Unroll::Free);
    e.push(Statement::Loop(Box::new(Loop { axis, variable, first, bound, step, unroll, body })));
}

/// Rows, one after another, by all threads of a block: that of the part, or all.
fn rows_of(w: &mut Writer<'_>, last: &Last, part: Option<Part>, grid: &Grid) {
    let threads = match grid {
        Grid::Rows { threads, .. } => *threads,
        Grid::Columns { block, .. } => columns::ACROSS * block.height,
    };
    let row = w.emitter.local("row", Type::Index);
    let rows = w.emitter.index(w.program.syms.product(&last.loops.outer));
    w.emitter.open();
    let place = w.emitter.local_value(row);
    rows::part(w, place, threads);
    let e = &mut w.emitter;
    let ends = match part {
        Some(part) => {
            let one = e.integer(1);
            [part.place, e.plus(part.place, one)]
        }
        None => [e.integer(0), rows],
    };
    e.close_range(row, ends, Axis::Serial, Unroll::Free);
}

/// The part of the last stage that this block belongs to; `None`: all blocks are waited for.
fn part_of(w: &mut Writer<'_>, grid: &Grid, last: &Last) -> Option<Part> {
    let syms = std::sync::Arc::clone(&w.program.syms);
    let local = w.emitter.local("part", Type::Index);
    let e = &mut w.emitter;
    let own = e.builtin(Builtin::BlockIndex);
    let (value, blocks) = match (grid, last.waits) {
        (Grid::Rows { per_block: 1, .. }, Waits::Neighbours(n)) => {
            let n = e.divisor(n);
            (e.quotient_of(own, n), n)
        }
        (Grid::Columns { blocks, .. }, Waits::Apart(n)) => {
            let rows = last.loops.outer.split_last().map_or(syms.constant(1), |(_, rest)| syms.product(rest));
            let parts = e.divisor(syms.mul(rows, *blocks));
            (e.rest_of(own, parts), e.index(n))
        }
        (Grid::Columns { blocks, .. }, Waits::Panel) => {
            let beside = e.divisor(*blocks);
            (e.quotient_of(own, beside), beside)
        }
        _ => return None,
    };
    e.push(Statement::Let { local, value });
    Some(Part { place: e.local_value(local), blocks })
}
