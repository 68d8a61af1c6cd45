//! Scatters. Where two points may meet in one element and their order shows, as it does when floats are added, the points of
//! an element are one thread's, which takes them in their order, or, where very many meet, one block's, which puts them together
//! in an order that is always the same: results do not depend on how threads run. They are brought together by sorting all points
//! by their places, all together, or each block those that it finds among few. Otherwise points are dealt out over all threads, and atomic operations join those that meet.

use super::super::cpp;
use super::super::lines::Lines;
use super::scan_sort::{Order, pointer_of};
use crate::loops::ScatterMode;
use crate::schedule::workspaces::{Points, ScatterShape};
use crate::templates::scan_sort::{AT_ONCE, Scatter, Sort, THREADS};
use crate::types::SymInt;

impl Order<'_> {
    /// Gives blocks, threads of a block, and its shared memory.
    pub fn scatter(&mut self, s: &Points<'_>) -> (SymInt, i64, SymInt) {
        let program = self.lines.program;
        let syms = &program.syms;
        let all: Vec<usize> = (0..s.sizes.len()).collect();
        let none = syms.constant(0);
        match s.shape(program, self.target) {
            ScatterShape::Points { .. } if s.mode == ScatterMode::SetAny => self.any(s, &all),
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
                let end = self.lines.emitter.index_text(s.space(program, &meeting));
                self.lines.emitter.open();
                self.lines.bind_dims(s.sizes, &meeting, "point");
                self.put(s, false);
                self.lines.emitter.close(&format!("for (i64 point = 0; point < {end}; point++)"));
                self.lines.emitter.close("");
                (syms.ceildiv(total, syms.constant(THREADS)), THREADS, none)
            }
            ScatterShape::Sorted { apart, meeting } => self.sorted(s, &apart, &meeting),
            ScatterShape::Near { lines, beside, meeting, groups } => {
                self.near(s, [&lines, &beside, &meeting], groups)
            }
        }
    }

    /// Several points to a thread where they are more than threads that run at a time.
    fn any(&mut self, s: &Points<'_>, all: &[usize]) -> (SymInt, i64, SymInt) {
        let program = self.lines.program;
        let syms = &program.syms;
        let total = s.space(program, all);
        let at_once = 2048 * self.target.multiprocessors as i64;
        let each = (syms.hint(total) / at_once).clamp(1, Scatter::MOST_OF_A_THREAD);
        let (memory, ty) = (program.buffers[s.out].dtype, program.exprs.dtype(s.value));
        let (memory, ty) = (cpp::memory_type(memory), cpp::scalar_type(ty));
        let lines = &mut self.lines;
        let count = lines.emitter.index_text(total);
        let out = pointer_of(&lines.emitter, s.out);
        lines.emitter.line(&format!("litz_any<{memory}, {ty}> any = {{{out}, -1, {ty}()}};"));
        lines.emitter.open();
        lines
            .emitter
            .line(&format!("const i64 point = (blockIdx.x * (i64){each} + k) * {THREADS} + threadIdx.x;"));
        lines.emitter.line(&format!("if (point >= {count}) break;"));
        lines.bind_dims(s.sizes, all, "point");
        let offset = lines.offset(s.out, s.index);
        let v = lines.emitter.value_text(s.value);
        let place = lines.emitter.index_of_data_text(offset, s.data);
        lines.emitter.line(&format!("any.put({place}, {v});"));
        let around = lines.emitter.depth() - 1;
        lines.emitter.line_at(around, "_Pragma(\"unroll 4\")");
        lines.emitter.close(&format!("for (int k = 0; k < {each}; k++)"));
        lines.emitter.line("any.end();");
        (syms.ceildiv(total, syms.constant(THREADS * each)), THREADS, syms.constant(0))
    }

    fn sorted(&mut self, s: &Points<'_>, apart: &[usize], meeting: &[usize]) -> (SymInt, i64, SymInt) {
        let program = self.lines.program;
        let syms = &program.syms;
        let (beside, points) = (s.space(program, apart), s.space(program, meeting));
        let room = self.room();
        self.lines.emitter.open();
        let call = self.describe(s, [&[], apart, meeting], Scatter::SHARING);
        let [width, count] = [beside, points].map(|n| self.lines.emitter.index_text(n));
        let [first, second] = [0, 1].map(|k| room.buffers.get(k).map_or("nullptr", String::as_str));
        let tickets = room.tickets;
        self.lines.emitter.line(&format!(
            "litz_scatter_sorted{call}, {count}, {width}, {first}, {second}, {tickets}, dynamic);"
        ));
        self.lines.emitter.close("");
        let tiles = syms.ceildiv(points, syms.constant(Scatter::SHARING * Sort::EACH));
        let more = syms.ceildiv(syms.mul(points, beside), syms.constant(Scatter::SHARING));
        let at_once = syms.constant(AT_ONCE * self.target.multiprocessors as i64);
        let blocks = syms.min(syms.max(tiles, more), at_once);
        let shared = Scatter::SHARING * Sort::EACH * Sort::padded(s.tag_bytes(program)) + Sort::RESERVED;
        (blocks, Scatter::SHARING, syms.constant(shared))
    }

    fn near(
        &mut self,
        s: &Points<'_>,
        [lines, beside, meeting]: [&[usize]; 3],
        groups: i64,
    ) -> (SymInt, i64, SymInt) {
        let program = self.lines.program;
        let syms = &program.syms;
        self.lines.emitter.open();
        // A line's points are a block's, which needs no more threads than there are eights of them.
        let few = syms.hint(s.space(program, meeting)).max(1) as u64;
        let threads = if groups > 1 {
            Scatter::SHARING
        } else {
            (few.div_ceil(Sort::EACH as u64).next_power_of_two() as i64).clamp(64, Scatter::SHARING)
        };
        let call = self.describe(s, [lines, beside, meeting], threads);
        let [lines, width, count] = [lines, beside, meeting].map(|dims| s.space(program, dims));
        let (width_text, count) =
            (self.lines.emitter.index_text(width), self.lines.emitter.index_text(count));
        let near_wide = Scatter::NEAR_WIDE;
        self.lines.emitter.line(&format!(
            "litz_scatter_near{call}, {groups}, {count}, {width_text}, {near_wide}, dynamic);"
        ));
        self.lines.emitter.close("");
        let chunks = syms.ceildiv(width, syms.constant(Scatter::NEAR_WIDE));
        let blocks = syms.mul_const(syms.mul(lines, chunks), groups);
        (blocks, threads, syms.constant(s.near_bytes(program) * threads / Scatter::SHARING))
    }

    /// What the templates ask of points, and the beginning of a call that has it.
    fn describe(&mut self, s: &Points<'_>, [line, beside, meeting]: [&[usize]; 3], threads: i64) -> String {
        let program = self.lines.program;
        let digits = if s.tag_bytes(program) == 8 { "u32" } else { "u64" };
        let ty = cpp::scalar_type(program.exprs.dtype(s.value));
        let moved = s.moved(program, beside);
        let lines = &mut self.lines;
        // What a point fails at ends its own lambda: barriers come after it.
        let open = |lines: &mut Lines<'_>| {
            lines.emitter.open();
            lines.bind_dims(s.sizes, line, "line");
            lines.bind_dims(s.sizes, meeting, "point");
        };
        open(lines);
        let moved = lines.emitter.index_of_data_text(moved, s.data);
        lines.emitter.line(&format!("to = ({digits})({moved});"));
        lines.emitter.close(&format!("const auto key_of = [&](i64 line, i64 point, {digits} &to)"));
        lines.emitter.line(";");
        lines.emitter.open();
        lines.bind_dims(s.sizes, beside, "own");
        let rest = lines.emitter.index_text(s.rest(program, beside));
        lines.emitter.line(&format!("return {rest};"));
        lines.emitter.close("const auto rest_of = [&](i64 own) -> i64");
        lines.emitter.line(";");
        open(lines);
        lines.bind_dims(s.sizes, beside, "own");
        let v = lines.emitter.value_text(s.value);
        lines.emitter.line(&format!("to = {v};"));
        lines.emitter.close(&format!("const auto value_of = [&](i64 line, i64 point, i64 own, {ty} &to)"));
        lines.emitter.line(";");
        let functor = functor(s.mode).unwrap_or("litz_last()");
        let out = pointer_of(&lines.emitter, s.out);
        lines.emitter.line("extern __shared__ __align__(16) char dynamic[];");
        format!("<{threads}, {digits}, {ty}>({functor}, key_of, rest_of, value_of, {out}")
    }

    fn open_points(&mut self, name: &str, total: SymInt) {
        let total = self.lines.emitter.index_text(total);
        self.lines.emitter.line(&format!("const i64 {name} = blockIdx.x * (i64){THREADS} + threadIdx.x;"));
        self.lines.emitter.line(&format!("if ({name} >= {total}) return;"));
        self.lines.emitter.open();
    }

    /// Takes the point's value into its element.
    fn put(&mut self, s: &Points<'_>, atomic: bool) {
        let lines = &mut self.lines;
        let offset = lines.offset(s.out, s.index);
        let v = lines.emitter.value_text(s.value);
        let place = lines.emitter.index_of_data_text(offset, s.data);
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
