//! Scatters. Where two points may meet in one element and their order shows, as it does when floats are added, the points of
//! an element are one thread's, which takes them in their order, or, where very many meet, one block's, which puts them together
//! in an order that is always the same: results do not depend on how threads run. They are brought together by sorting all points
//! by their places. Otherwise points are dealt out over all threads, and atomic operations join those that meet.

use super::super::cpp;
use super::super::template::pointer_of;
use super::order::{Order, THREADS};
use crate::loops::ScatterMode;
use crate::schedule::rooms::{Points, SHARING, SORT_EACH, ScatterShape};
use crate::types::SymInt;

/// Blocks of a multiprocessor among which the points are dealt out.
const AT_ONCE: i64 = 4;

impl Order<'_> {
    /// Gives blocks, threads of a block, and its shared memory.
    pub fn scatter(&mut self, s: &Points<'_>) -> (SymInt, i64, SymInt) {
        let program = self.lines.program;
        let syms = &program.syms;
        let all: Vec<usize> = (0..s.sizes.len()).collect();
        let none = syms.constant(0);
        match s.shape(program, self.target) {
            ScatterShape::Points { meet } => {
                let total = s.space(program, &all);
                self.open_points("point", total);
                self.lines.bind_dims(s.sizes, &all, "point");
                self.put(s, meet);
                self.lines.emitter.close("");
                (syms.ceildiv(total, syms.constant(THREADS)), THREADS, none)
            }
            ScatterShape::Own { apart, meeting } => {
                let total = s.space(program, &apart);
                self.open_points("own", total);
                self.lines.bind_dims(s.sizes, &apart, "own");
                let end = self.lines.emitter.index(s.space(program, &meeting));
                self.lines.emitter.open();
                self.lines.bind_dims(s.sizes, &meeting, "point");
                self.put(s, false);
                self.lines.emitter.close(&format!("for (i64 point = 0; point < {end}; point++)"));
                self.lines.emitter.close("");
                (syms.ceildiv(total, syms.constant(THREADS)), THREADS, none)
            }
            ScatterShape::Sorted { apart, meeting } => self.sorted(s, &apart, &meeting),
        }
    }

    fn sorted(&mut self, s: &Points<'_>, apart: &[usize], meeting: &[usize]) -> (SymInt, i64, SymInt) {
        let program = self.lines.program;
        let syms = &program.syms;
        let (beside, points) = (s.space(program, apart), s.space(program, meeting));
        let tag = s.tag_bytes(program);
        let digits = if tag == 8 { "u32" } else { "u64" };
        let ty = cpp::scalar_type(program.exprs.dtype(s.value));
        let room = self.room();
        let moved = s.moved(program, apart);
        let lines = &mut self.lines;
        lines.emitter.open();
        let (width, count) = (lines.emitter.index(beside), lines.emitter.index(points));
        // What a point fails at ends its own lambda: barriers come after it.
        lines.emitter.open();
        lines.bind_dims(s.sizes, meeting, "point");
        let moved = lines.emitter.index_of_data(moved, s.data);
        lines.emitter.line(&format!("to = ({digits})({moved});"));
        lines.emitter.close(&format!("const auto key_of = [&](i64 point, {digits} &to)"));
        lines.emitter.line(";");
        lines.emitter.open();
        lines.bind_dims(s.sizes, meeting, "point");
        lines.bind_dims(s.sizes, apart, "own");
        let place = lines.offset(s.out, s.index);
        let place = lines.emitter.index_of_data(place, s.data);
        lines.emitter.line(&format!("to = {place};"));
        lines.emitter.close("const auto place_of = [&](i64 point, i64 own, i64 &to)");
        lines.emitter.line(";");
        lines.emitter.open();
        lines.bind_dims(s.sizes, meeting, "point");
        lines.bind_dims(s.sizes, apart, "own");
        let v = lines.emitter.value(s.value).text;
        lines.emitter.line(&format!("to = {v};"));
        lines.emitter.close(&format!("const auto value_of = [&](i64 point, i64 own, {ty} &to)"));
        lines.emitter.line(";");
        let functor = functor(s.mode).unwrap_or("litz_last()");
        let out = pointer_of(&lines.emitter, s.out);
        let [first, second] = [0, 1].map(|k| room.buffers.get(k).map_or("nullptr", String::as_str));
        let tickets = room.tickets;
        lines.emitter.line("extern __shared__ __align__(16) char dynamic[];");
        lines.emitter.line(&format!(
            "litz_scatter_sorted<{SHARING}, {digits}, {ty}>({functor}, key_of, place_of, value_of, {out}, {count}, {width}, {first}, {second}, {tickets}, dynamic);"
        ));
        lines.emitter.close("");
        let tiles = syms.ceildiv(points, syms.constant(SHARING * SORT_EACH));
        let more = syms.ceildiv(syms.mul(points, beside), syms.constant(SHARING));
        let at_once = syms.constant(AT_ONCE * self.target.multiprocessors as i64);
        let blocks = syms.min(syms.max(tiles, more), at_once);
        let shared = SHARING * SORT_EACH * tag * 9 / 8 + 32;
        (blocks, SHARING, syms.constant(shared))
    }

    fn open_points(&mut self, name: &str, total: SymInt) {
        let total = self.lines.emitter.index(total);
        self.lines.emitter.line(&format!("const i64 {name} = blockIdx.x * (i64){THREADS} + threadIdx.x;"));
        self.lines.emitter.line(&format!("if ({name} >= {total}) return;"));
        self.lines.emitter.open();
    }

    /// Takes the point's value into its element.
    fn put(&mut self, s: &Points<'_>, atomic: bool) {
        let lines = &mut self.lines;
        let offset = lines.offset(s.out, s.index);
        let v = lines.emitter.value(s.value).text;
        let place = lines.emitter.index_of_data(offset, s.data);
        let at = format!("{} + {place}", pointer_of(&lines.emitter, s.out));
        lines.emitter.line(&match functor(s.mode) {
            None => format!("store({at}, {v});"),
            Some(functor) if atomic => format!("litz_atomic({at}, {v}, {functor});"),
            Some(functor) => format!("litz_combine({at}, {v}, {functor});"),
        });
    }
}

/// What joins a point's value with what is there; `None`: it replaces it.
fn functor(mode: ScatterMode) -> Option<&'static str> {
    match mode {
        ScatterMode::Set | ScatterMode::SetAny => None,
        ScatterMode::Add => Some("litz_add()"),
        ScatterMode::Multiply => Some("litz_mul()"),
        ScatterMode::Max => Some("litz_max()"),
        ScatterMode::Min => Some("litz_min()"),
    }
}
