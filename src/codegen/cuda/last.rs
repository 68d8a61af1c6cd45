//! The last stages of a kernel's reductions: what a block computes once it is the last one that its part waited for.

use super::columns;
use super::rows;
use super::writer::Writer;
use crate::schedule::{Last, Waits};
use crate::types::SymInt;

/// How a kernel's blocks are dealt out.
pub enum Grid {
    /// So many rows to a block of so many threads.
    Rows { per_block: i64, threads: i64 },
    /// Columns beside one another, `blocks` to a row of them, each of so many strips as wide as a row of threads.
    Columns { blocks: SymInt, strips: i64, above: i64 },
}

/// Writes all of them, after the kernel's own lines.
pub fn write(w: &mut Writer<'_>, grid: &Grid) {
    let group = w.group;
    let all: Vec<&[Last]> = group.last.chunk_by(|a, b| a.tickets == b.tickets).collect();
    if all.is_empty() {
        return;
    }
    // The tickets of all of them are taken at once.
    let mut parts = Vec::with_capacity(all.len());
    let (mut tickets, mut counts) = (Vec::new(), Vec::new());
    for first in all.iter().filter_map(|stages| stages.first()) {
        let part = part_of(w, grid, first);
        let (place, blocks) = match &part {
            Some((place, blocks)) => (place.clone(), blocks.clone()),
            None => ("0".to_string(), "(int)gridDim.x".to_string()),
        };
        tickets.push(format!("{} + {place}", w.pointer(first.tickets)));
        counts.push(format!("(int)({blocks})"));
        parts.push(part);
    }
    let ready = w.emitter.fresh("ready");
    let (count, tickets, counts) = (all.len(), tickets.join(", "), counts.join(", "));
    w.emitter.line(&format!(
        "i32 *const {ready}_tickets[] = {{{tickets}}}; const int {ready}_counts[] = {{{counts}}};"
    ));
    w.emitter.line(&format!("const u32 {ready} = litz_are_last<{count}>({ready}_tickets, {ready}_counts);"));
    for (k, (stages, part)) in all.into_iter().zip(parts).enumerate() {
        w.emitter.open();
        for last in stages {
            // What the kernel's own stages left in registers is one block's part.
            for buffer in &group.writes {
                w.store_in_memory(*buffer);
            }
            w.loops = &last.loops;
            match (&part, grid) {
                (Some((place, _)), Grid::Columns { blocks, strips, above }) => {
                    let (ty, strip) = (w.emitter.index_name(), w.emitter.fresh("strip"));
                    let syms = std::sync::Arc::clone(&w.program.syms);
                    let width = columns::ACROSS * w.lanes;
                    // A panel's rows are the columns of what its blocks have left.
                    let (all, each) = if last.waits == Waits::Panel {
                        let all = syms.floordiv(syms.product(&last.loops.outer), syms.constant(width));
                        (all, syms.floordiv(all, w.panels()))
                    } else {
                        (syms.mul_const(*blocks, *strips), syms.constant(*strips))
                    };
                    let few = columns::alone(w, last);
                    let from = w.emitter.index_text(syms.mul_const(each, if few { width } else { 1 }));
                    let (first, step) = match few {
                        true => (format!("{place} * {from} + (int)threadIdx.x"), columns::ACROSS * above),
                        false => (format!("{place} * {from}"), 1),
                    };
                    w.emitter.open();
                    if few {
                        columns::part_alone(w, &strip, width, all);
                    } else {
                        columns::part(w, &strip, all, *above);
                    }
                    w.emitter.close(&format!(
                        "for ({ty} {strip} = {first}; {strip} < ({place} + 1) * {from}; {strip} += {step})"
                    ));
                }
                (part, grid) => {
                    let threads = match grid {
                        Grid::Rows { threads, .. } => *threads,
                        Grid::Columns { above, .. } => columns::ACROSS * above,
                    };
                    let (ty, row) = (w.emitter.index_name(), w.emitter.fresh("row"));
                    let rows = w.emitter.index_text(w.program.syms.product(&last.loops.outer));
                    w.emitter.open();
                    rows::part(w, &row, threads);
                    let (from, to) = match part {
                        Some((place, _)) => (place.clone(), format!("{place} + 1")),
                        None => ("0".to_string(), rows),
                    };
                    w.emitter.close(&format!("for ({ty} {row} = {from}; {row} < {to}; {row}++)"));
                }
            }
        }
        w.emitter.close(&format!("if ({ready} >> {k} & 1)"));
    }
}

/// The part of the last stage that this block belongs to, and how many blocks that has; `None`: all blocks are waited for.
fn part_of(w: &mut Writer<'_>, grid: &Grid, last: &Last) -> Option<(String, String)> {
    let (ty, name) = (w.emitter.index_name(), w.emitter.fresh("part"));
    let syms = std::sync::Arc::clone(&w.program.syms);
    let (text, blocks) = match (grid, last.waits) {
        (Grid::Rows { per_block: 1, .. }, Waits::Neighbours(n)) => {
            let n = w.emitter.divisor_text(n);
            (format!("({ty})blockIdx.x / {n}"), n)
        }
        (Grid::Columns { blocks, .. }, Waits::Apart(n)) => {
            let rows = last.loops.outer.split_last().map_or(syms.constant(1), |(_, rest)| syms.product(rest));
            let parts = w.emitter.divisor_text(syms.mul(rows, *blocks));
            (format!("({ty})blockIdx.x % {parts}"), w.emitter.index_text(n))
        }
        (Grid::Columns { blocks, .. }, Waits::Panel) => {
            let beside = w.emitter.divisor_text(*blocks);
            (format!("({ty})blockIdx.x / {beside}"), beside)
        }
        _ => return None,
    };
    w.emitter.line(&format!("const {ty} {name} = {text};"));
    Some((name, blocks))
}
