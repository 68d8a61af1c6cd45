//! Nodes whose elements depend on their order: scans, sorts, scatters and recurrences, each a kernel of its own. One row of a
//! scan or sort is one task; a scatter is one task, since any two of its elements may meet.

use super::emit::{Emitter, Finished};
use super::lines::Lines;
use super::template::{Template, pointer_of};
use super::{CodegenError, Kernel, NativeHeader, cpp};
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program, ScanOp, ScatterMode};
use crate::mapping::cpu::declare_buffers;
use crate::print::{self, Dialect};
use crate::schedule::Group;
use crate::target::CpuTarget;
use crate::templates::order;
use crate::types::{Dtype, SymInt};

/// The function of a node that is computed by itself.
pub fn kernel(
    program: &Program,
    group: &Group,
    node: usize,
    target: &CpuTarget,
) -> Result<Kernel, CodegenError> {
    if let NodeKind::Recurrence(_) = program.nodes[node].kind {
        return Ok(super::recurrence::kernel(Template::new(program, group, target, node, 0)));
    }
    let lines = Lines { emitter: Emitter::new(program, Dialect::Cxx), program, group };
    let mut writer = Order { lines, target };
    let parameters = declare_buffers(&mut writer.lines.emitter, group);
    let buffers: Vec<BufferId> = parameters.iter().map(|b| b.buffer).collect();
    let syms = &program.syms;
    let mut headers = Vec::new();
    let mut scratch = syms.constant(0);
    let (kind, tasks) = match program.nodes[node].kind.clone() {
        NodeKind::Scan { sizes, axis, op, value, outs } => {
            ("scan", writer.scan(&sizes, axis, op, value, &outs))
        }
        NodeKind::Sort { sizes, axis, descending, kept, value, values, positions } => {
            headers.push(NativeHeader::Sort);
            // Merging needs as much space again as there is to merge.
            scratch = syms.mul_const(syms.add(sizes[axis], kept), order::KEYED_BYTES);
            ("sort", writer.sort(&sizes, axis, (descending, kept), value, [values, positions]))
        }
        NodeKind::Scatter { sizes, index, data, value, mode, initial, out } => {
            writer.scatter(&sizes, &index, &data, value, mode, initial, out);
            ("scatter", syms.constant(1))
        }
        other => {
            let message = format!("no native code for {other:?} by itself");
            return Err(CodegenError { operators: group.operators.located(&program.origins), message });
        }
    };
    let Finished { body: lines, symbols, functions } = writer.lines.emitter.finish();
    let grain = syms.constant(16);
    Ok(Kernel {
        kind,
        body: print::cxx::function(&parameters, &lines),
        functions,
        headers,
        buffers,
        symbols,
        tasks,
        grain,
        scratch,
        lanes: 0,
        maps: Vec::new(),
    })
}

struct Order<'p> {
    lines: Lines<'p>,
    target: &'p CpuTarget,
}

/// What a scan adds up or multiplies in: float64 for float32, as PyTorch on a CPU, since what is lost at one place is lost for
/// all that follow; halves in float32.
fn scan_dtype(program: &Program, op: ScanOp, value: ExprId) -> Dtype {
    let own = program.exprs.dtype(value);
    let halves = program.exprs.dtype(reduced_load(program, value)).is_reduced_float();
    match op {
        ScanOp::Sum | ScanOp::Product if own == Dtype::Float32 && !halves => Dtype::Float64,
        _ => own,
    }
}

impl Order<'_> {
    /// Opens a loop over the lines along `axis` and names all other variables; gives the number of lines.
    fn open_rows(&mut self, sizes: &[SymInt], axis: usize) -> SymInt {
        self.lines.emitter.open();
        self.lines.bind(sizes, axis, "row");
        self.lines.count(sizes, axis)
    }

    fn scan(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        op: ScanOp,
        value: ExprId,
        outs: &[BufferId],
    ) -> SymInt {
        let dtype = self.lines.program.exprs.dtype(value);
        let sum = scan_dtype(self.lines.program, op, value);
        let ty = cpp::scalar_type(sum);
        let rows = self.open_rows(sizes, axis);
        let lines = &mut self.lines;
        lines.emitter.line(&format!("{ty} total = {ty}(); i64 place = 0; (void)place;"));
        let count = lines.emitter.index_text(sizes[axis]);
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        let mut v = lines.emitter.value_text(value);
        let mut result = "total".to_string();
        if sum != dtype {
            v = format!("{}({v})", cpp::cast(sum));
            result = format!("{}(total)", cpp::cast(dtype));
        }
        self.scan_step(op, sum, &v, "step == 0");
        let lines = &mut self.lines;
        lines.store_at(outs[0], sizes, &result);
        if let Some(places) = outs.get(1) {
            lines.store_at(*places, sizes, "place");
        }
        lines.emitter.close(&format!("for (i64 step = 0; step < {count}; step++)"));
        lines.emitter.close("for (i64 row = begin; row < end; row++)");
        rows
    }

    /// Takes `v`, the value at `step`, into the scan's `total` and, for an extreme, its `place`; where `first` holds,
    /// nothing came before.
    fn scan_step(&mut self, op: ScanOp, dtype: Dtype, v: &str, first: &str) {
        let ty = cpp::scalar_type(dtype);
        match op {
            ScanOp::Sum => self.lines.emitter.line(&format!("total = {first} ? {v} : add(total, {v});")),
            ScanOp::Product => self.lines.emitter.line(&format!("total = {first} ? {v} : mul(total, {v});")),
            ScanOp::LogSumExp => {
                for name in ["EXP", "LOG1P"] {
                    self.lines.emitter.use_function(Some(name));
                }
                self.lines.emitter.line(&format!("if ({first} || {v} != {v}) total = {v};"));
                self.lines
                    .emitter
                    .line(&format!("else if (total == total && !(l_isinf(total) && total == {v})) {{"));
                self.lines.emitter.line(&format!(
                    "  const {ty} most = l_maximum(total, {v}), least = l_minimum(total, {v});"
                ));
                self.lines.emitter.line("  total = add(most, l_log1p(l_exp(sub(least, most))));");
                self.lines.emitter.line("}");
            }
            ScanOp::MaxWithIndex | ScanOp::MinWithIndex => {
                let better = if op == ScanOp::MaxWithIndex { ">=" } else { "<=" };
                let beats = if dtype.is_float() {
                    format!("{v} != {v} || (total == total && {v} {better} total)")
                } else {
                    format!("{v} {better} total")
                };
                self.lines.emitter.line(&format!("if ({first} || {beats}) {{ total = {v}; place = step; }}"));
            }
        }
    }

    fn sort(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        (descending, kept): (bool, SymInt),
        value: ExprId,
        [values, positions]: [BufferId; 2],
    ) -> SymInt {
        let ty = cpp::scalar_type(self.lines.program.exprs.dtype(value));
        let lines = &mut self.lines;
        let count = lines.emitter.index_text(sizes[axis]);
        let first = kept != sizes[axis];
        let kept = lines.emitter.index_text(kept);
        lines.emitter.line(&format!("const i64 count = {count}, kept = {kept};"));
        lines.emitter.line(&format!("litz_keyed<{ty}> *const keyed = (litz_keyed<{ty}> *)scratch;"));
        let rows = self.open_rows(sizes, axis);
        let lines = &mut self.lines;
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        let v = lines.emitter.value_text(value);
        lines.emitter.line(&format!("keyed[step].key = {v}; keyed[step].at = step;"));
        lines.emitter.close("for (i64 step = 0; step < count; step++)");
        // Only what is kept has to be in order.
        if first {
            lines.emitter.line(&format!("litz_order<{ty}, {descending}>::select(keyed, count, kept);"));
        }
        lines.emitter.line(&format!("litz_order<{ty}, {descending}>::sort(keyed, keyed + count, kept);"));
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        lines.store_at(values, sizes, "keyed[step].key");
        lines.store_at(positions, sizes, "keyed[step].at");
        lines.emitter.close("for (i64 step = 0; step < kept; step++)");
        lines.emitter.close("for (i64 row = begin; row < end; row++)");
        rows
    }

    #[allow(clippy::too_many_arguments)]
    fn scatter(
        &mut self,
        sizes: &[SymInt],
        index: &[SymInt],
        data: &[ExprId],
        value: ExprId,
        mode: ScatterMode,
        initial: ExprId,
        out: BufferId,
    ) {
        let pointer = pointer_of(&self.lines.emitter, out);
        let out_sizes = self.lines.program.buffers[out].sizes.clone();
        let out_vars = self.lines.program.vars(&out_sizes);
        let own = self.lines.offset(out, &out_vars);
        // What lies there already needs no loop.
        let there = matches!(&self.lines.program.exprs[initial], Expr::Load { buffer, index, .. }
            if *buffer == out && index[..] == [own]);
        if !there {
            self.initial(&out_sizes, &out_vars, own, initial, &pointer);
        }
        self.lines.emitter.open();
        let offset = self.lines.offset(out, index);
        let along = self.runs_along(sizes, offset, data, value, out);
        let heads = self.open_loops(&sizes[..sizes.len() - usize::from(along.is_some())]);
        let text = |there: &str, v: String| match mode {
            ScatterMode::Set | ScatterMode::SetAny => v,
            ScatterMode::Add => format!("add({there}, {v})"),
            ScatterMode::Multiply => format!("mul({there}, {v})"),
            ScatterMode::Max => format!("l_maximum({there}, {v})"),
            ScatterMode::Min => format!("l_minimum({there}, {v})"),
        };
        match along {
            Some(last) => {
                let var = self.lines.program.syms.index_var(sizes.len() as u32 - 1, last);
                let (end, known) =
                    (self.lines.emitter.index_text(last), self.lines.program.syms.as_const(last));
                let lanes = self.target.isa.lanes() as i64;
                let span = self.lines.emitter.span(var, ("0", &end), known, lanes);
                self.lines.emitter.over_lanes(span, &mut |e| {
                    let operand = e.value(value);
                    let v = e.vector_text(operand);
                    let at = format!("{pointer} + {}", e.index_of_data_text(offset, data));
                    let line = match e.lanes.and_then(|l| l.count).map(|n| e.text(n)) {
                        Some(n) => {
                            format!("store_tail({at}, {}, {n});", text(&format!("load_tail({at}, {n})"), v))
                        }
                        None => format!("store({at}, {});", text(&format!("load({at})"), v)),
                    };
                    e.line(&line);
                });
            }
            None => {
                let v = self.lines.emitter.value_text(value);
                let place = self.lines.emitter.index_of_data_text(offset, data);
                let at = format!("{pointer} + {place}");
                let text = text(&format!("load_scalar({at})"), v);
                self.lines.emitter.line(&format!("store({at}, {text});"));
            }
        }
        self.close_loops(heads);
        self.lines.emitter.close("if (begin < end)");
    }

    /// The size of the innermost loop, where what it scatters are neighbours beside one another: no two lanes meet.
    fn runs_along(
        &self,
        sizes: &[SymInt],
        offset: SymInt,
        data: &[ExprId],
        value: ExprId,
        out: BufferId,
    ) -> Option<SymInt> {
        let (program, last) = (self.lines.program, *sizes.last()?);
        let syms = &program.syms;
        let var = syms.as_symbol(syms.index_var(sizes.len() as u32 - 1, last))?;
        let step = syms.linear_in(offset, var).and_then(|(step, _)| syms.as_const(step));
        let reads = |e: &ExprId| matches!(&program.exprs[*e], Expr::Load { buffer, .. } if *buffer == out);
        let plain =
            !program.exprs.loads(&[value]).iter().any(reads) && program.buffers[out].dtype != Dtype::Bool;
        (step == Some(1) && plain && !crate::mapping::lane_axis::moves(program, data, var)).then_some(last)
    }

    /// Fills a scatter's result with what is there before.
    fn initial(&mut self, sizes: &[SymInt], vars: &[SymInt], own: SymInt, initial: ExprId, pointer: &str) {
        let lanes = self.target.isa.lanes() as i64;
        self.lines.emitter.open();
        let heads = self.open_loops(&sizes[..sizes.len().saturating_sub(1)]);
        match sizes.last() {
            Some(last) => {
                let (end, var) = (self.lines.emitter.index_text(*last), vars[vars.len() - 1]);
                let known = self.lines.program.syms.as_const(*last);
                let span = self.lines.emitter.span(var, ("0", &end), known, lanes);
                self.lines.emitter.over_lanes(span, &mut |e| {
                    e.store(pointer, own, initial);
                });
            }
            None => self.lines.emitter.store(pointer, own, initial),
        }
        self.close_loops(heads);
        self.lines.emitter.close("if (begin < end)");
    }

    fn open_loops(&mut self, sizes: &[SymInt]) -> Vec<String> {
        let syms = std::sync::Arc::clone(&self.lines.program.syms);
        let mut heads = Vec::new();
        for (k, size) in sizes.iter().enumerate() {
            let (name, bound) = (self.lines.emitter.fresh("j"), self.lines.emitter.index_text(*size));
            self.lines.emitter.open();
            let level = self.lines.emitter.depth();
            self.lines.emitter.bind(syms.index_var(k as u32, *size), &name, level);
            heads.push(format!("for (i64 {name} = 0; {name} < {bound}; {name}++)"));
        }
        heads
    }
    fn close_loops(&mut self, heads: Vec<String>) {
        for head in heads.into_iter().rev() {
            self.lines.emitter.close(&head);
        }
    }
}
