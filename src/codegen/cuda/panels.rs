//! Rows' and columns' reductions of one matrix in one read: a block takes some rows of 512 columns, as strips beside one
//! another. Its warps stand above one another; a thread adds up its columns in registers, and a warp's rows are folded
//! some at a time.

use super::super::{Kernel, cpp};
use super::beside::Walk;
use super::columns::{self, ACROSS};
use super::last::Grid;
use super::writer::{Partial, Writer};
use crate::kernels;
use crate::loops::Program;
use crate::print::words::functor;
use crate::schedule::{Group, INNER, Item, PANEL, Panels};
use crate::types::SymInt;

/// Elements of a thread's vector, and how many vectors of a row a thread has.
const LANES: i64 = 8;
const STRIPS: i64 = PANEL / (ACROSS * LANES);
/// Warps above one another, and rows that each of them has on their way at a time.
const ABOVE: i64 = 16;
const ROWS: i64 = 4;

/// The kernel of such a group.
pub fn kernel(program: &Program, group: &Group, panels: &Panels) -> Kernel {
    let syms = &program.syms;
    let (loops, stage) = (&panels.columns, panels.stage());
    let (outer, length) = (&loops.outer, stage.inner[0]);
    let (var, down) = (syms.index_var(1, outer[1]), syms.index_var(INNER, length));
    let pieces = syms.floordiv(outer[1], syms.constant(PANEL));
    let blocks = syms.mul(outer[0], pieces);
    let mut w = Writer::new(program, group, loops, LANES, syms.mul(syms.product(outer), length));
    w.resident = 2048 / 2 / (ACROSS * ABOVE);
    let ty = w.emitter.index_name();
    w.emitter.line(&format!("const int across = threadIdx.x % {ACROSS}, above = threadIdx.x / {ACROSS};"));
    w.emitter.line(&columns::shared_memory(&w, [stage].into_iter(), ABOVE));
    w.emitter.open();
    let (beside, rows) = (w.emitter.divisor_text(pieces), w.emitter.index_text(syms.mul(outer[0], length)));
    w.emitter.line(&format!("const {ty} panel = ({ty})blockIdx.x / {beside};"));
    w.emitter.line(&format!("const {ty} piece = ({ty})blockIdx.x - panel * {beside};"));
    w.emitter.bind_point(&outer[..1], "panel");
    let partials: Vec<Option<Partial>> = stage.items.iter().map(|i| strips(&mut w, i)).collect();
    w.emitter.open();
    let folded: Vec<String> = panels.rows.iter().map(|item| folded(&mut w, item)).collect();
    // Rows, and in each its strips.
    w.emitter.open();
    w.emitter.line(&format!("const {ty} r = p + u;"));
    let level = w.emitter.depth();
    w.emitter.bind(down, "r", level);
    open_strip(&mut w, var);
    for (item, partial) in stage.items.iter().zip(&partials) {
        if let Some(partial) = partial {
            w.accumulate(item, partial, stage);
        }
    }
    for (item, name) in panels.rows.iter().zip(&folded) {
        let Item::Reduce { op, value, .. } = item else { continue };
        let own = program.exprs.dtype(*value);
        let mut operand = w.emitter.value(*value);
        if kernels::accumulator(own) != own {
            operand = w.emitter.convert(operand, kernels::accumulator(own));
        }
        let (text, function) = (w.emitter.vector_text(operand), functor(*op));
        w.emitter.line(&format!("{name}[u] = {function}()({name}[u], litz_fold({function}(), {text}));"));
    }
    close_strip(&mut w);
    let around = w.emitter.depth() - 1;
    w.emitter.line_at(around, "_Pragma(\"unroll\")");
    w.emitter.close(&format!("for (int u = 0; u < {ROWS}; u++)"));
    let length = w.emitter.index_text(length);
    for (item, name) in panels.rows.iter().zip(&folded) {
        let Item::Reduce { op, value, outs, .. } = item else { continue };
        let own = program.exprs.dtype(*value);
        let pointer = w.pointer(outs[0]);
        w.emitter.line(&format!("litz_fold_rows<{ROWS}>({name}, {}());", functor(*op)));
        let text = if kernels::accumulator(own) == own {
            format!("{name}[0]")
        } else {
            format!("{}({name}[0])", cpp::cast(own))
        };
        let each = ACROSS / ROWS;
        w.emitter.line(&format!(
            "if (across % {each} == 0) store({pointer} + (piece * {rows} + panel * {length} + p + across / {each}), {text});"
        ));
    }
    w.emitter.close(&format!("for ({ty} p = above * {ROWS}; p < {length}; p += {})", ABOVE * ROWS));
    for (item, partial) in stage.items.iter().zip(&partials) {
        if let Some(partial) = partial {
            combined(&mut w, item, partial, var);
        }
    }
    w.emitter.close("");
    super::last::write(&mut w, &Grid::Columns { blocks: pieces, strips: STRIPS, above: ABOVE });
    w.finish("panels", blocks, ACROSS * ABOVE, syms.constant(0))
}

/// A loop over a thread's vectors, with the lanes bound; `v` counts.
fn open_strip(w: &mut Writer<'_>, var: SymInt) {
    w.emitter.open();
    let ty = w.emitter.index_name();
    w.emitter.line(&format!(
        "const {ty} column = piece * {PANEL} + v * {} + across * {LANES}; (void)column;",
        ACROSS * LANES
    ));
    w.enter_lanes(var, "column");
}
fn close_strip(w: &mut Writer<'_>) {
    w.leave_lanes();
    let around = w.emitter.depth() - 1;
    w.emitter.line_at(around, "_Pragma(\"unroll\")");
    w.emitter.close(&format!("for (int v = 0; v < {STRIPS}; v++)"));
}

/// What the warps have of a block's columns, put together and stored, each column by one thread.
fn combined(w: &mut Writer<'_>, item: &Item, partial: &Partial, var: SymInt) {
    let Item::Reduce { op, value, .. } = item else { return };
    let (ty, dtype) = (w.emitter.index_name(), kernels::accumulator(w.program.exprs.dtype(*value)));
    let (function, scalar) = (functor(*op), cpp::scalar_type(dtype));
    let name = partial.value.strip_suffix("[v]").expect("what strips() has made");
    w.emitter.open();
    w.lanes = 1;
    w.emitter.line(&format!("const {ty} column = piece * {PANEL} + c;"));
    Walk { var, places: ("0", 1), unrolled: 1, stores: None }.result(w, item, "x");
    w.lanes = LANES;
    w.emitter.close(&format!(
        "reduce_strips<{ACROSS}, {ABOVE}, {STRIPS}>({name}, {function}(), shared, [&](int c, {scalar} x)"
    ));
    w.emitter.line(");");
}

/// What a thread has of its columns: a vector for each strip.
fn strips(w: &mut Writer<'_>, item: &Item) -> Option<Partial> {
    let partial = w.partial(item, true)?;
    let Item::Reduce { value, .. } = item else { return None };
    let (name, ty) =
        (w.emitter.fresh("r"), cpp::vector_type(kernels::accumulator(w.program.exprs.dtype(*value))));
    w.emitter.line(&format!(
        "{ty} {name}[{STRIPS}]; _Pragma(\"unroll\") for (int v = 0; v < {STRIPS}; v++) {name}[v] = {};",
        partial.value
    ));
    Some(Partial { value: format!("{name}[v]"), ..partial })
}

/// What a thread has of some rows.
fn folded(w: &mut Writer<'_>, item: &Item) -> String {
    let Item::Reduce { op, value, .. } = item else { unreachable!("a panel's rows are reduced") };
    let dtype = kernels::accumulator(w.program.exprs.dtype(*value));
    let (name, ty, start) = (w.emitter.fresh("r"), cpp::scalar_type(dtype), cpp::identity(*op, dtype));
    w.emitter.line(&format!(
        "{ty} {name}[{ROWS}]; _Pragma(\"unroll\") for (int u = 0; u < {ROWS}; u++) {name}[u] = {start};"
    ));
    name
}
