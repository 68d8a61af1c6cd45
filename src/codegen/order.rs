//! Nodes whose elements depend on their order: scans, sorts, scatters and recurrences, each a kernel of its own. One row of a
//! scan or sort is one task; a scatter is one task, since any two of its elements may meet.

use super::emit::{Emitter, Operand};
use super::template::{Template, declare_pointers, function, pointer_of};
use super::{CodegenError, Kernel, NativeHeader, cpp};
use crate::loops::{BufferId, ExprId, NodeKind, Program, ScanOp, ScatterMode, SortOrder};
use crate::schedule::Group;
use crate::target::CpuTarget;
use crate::types::SymInt;

/// The function of a node that is computed by itself.
pub fn kernel(
    program: &Program,
    group: &Group,
    node: usize,
    target: &CpuTarget,
) -> Result<Kernel, CodegenError> {
    if let NodeKind::Recurrence(_) = program.nodes[node].kind {
        return Ok(super::recurrence::kernel(Template::new(program, group, target, node)));
    }
    let mut writer = Order { emitter: Emitter::new(program), program, group, target };
    let buffers: Vec<BufferId> = group.reads.iter().chain(&group.writes).copied().collect();
    declare_pointers(&mut writer.emitter, program, group, &buffers);
    let syms = &program.syms;
    let mut headers = Vec::new();
    let mut scratch = syms.constant(0);
    let (kind, tasks) = match program.nodes[node].kind.clone() {
        NodeKind::Scan { sizes, axis, op, value, outs } => {
            ("scan", writer.scan(&sizes, axis, op, value, &outs))
        }
        NodeKind::Sort { sizes, axis, descending, order, value, values, positions } => {
            headers.push(NativeHeader::Sort);
            // Merging needs as much space again.
            let copies = if order == SortOrder::Stable { 2 } else { 1 };
            scratch = syms.mul_const(sizes[axis], copies * KEYED_BYTES);
            ("sort", writer.sort(&sizes, axis, (descending, order), value, [values, positions]))
        }
        NodeKind::Scatter { sizes, index, data, value, mode, initial, out } => {
            writer.scatter(&sizes, &index, &data, value, mode, initial, out);
            ("scatter", syms.constant(1))
        }
        other => {
            let message = format!("no native code for {other:?} by itself");
            return Err(CodegenError { operators: group.operators.join(", "), message });
        }
    };
    let (lines, symbols, functions) = writer.emitter.finish();
    let grain = syms.constant(16);
    Ok(Kernel {
        kind,
        body: function(&lines),
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

/// A key of at most eight bytes, aligned, and its position.
const KEYED_BYTES: i64 = 16;

struct Order<'p> {
    emitter: Emitter<'p>,
    program: &'p Program,
    group: &'p Group,
    target: &'p CpuTarget,
}

impl Order<'_> {
    /// Opens a loop over the rows along `axis` and names all other variables; gives the number of rows.
    fn open_rows(&mut self, sizes: &[SymInt], axis: usize) -> SymInt {
        let syms = std::sync::Arc::clone(&self.program.syms);
        self.emitter.open();
        let level = self.emitter.depth();
        self.emitter.line("i64 left = row; (void)left;");
        let mut rows = syms.constant(1);
        for k in (0..sizes.len()).rev().filter(|k| *k != axis) {
            rows = syms.mul(rows, sizes[k]);
            let (name, size) = (self.emitter.fresh("i"), self.emitter.divisor(sizes[k]));
            self.emitter.line(&format!("const i64 {name} = left % {size}; left /= {size}; (void){name};"));
            self.emitter.bind(syms.index_var(k as u32, sizes[k]), &name, level);
        }
        rows
    }

    /// The offset of an element of a buffer of the node's own sizes.
    fn offset(&self, buffer: BufferId, index: &[SymInt]) -> SymInt {
        let syms = &self.program.syms;
        let strides = &self.program.buffers[buffer].strides;
        let terms: Vec<SymInt> = index.iter().zip(strides).map(|(i, s)| syms.mul(*i, *s)).collect();
        syms.sum(&terms)
    }

    fn store_at(&mut self, buffer: BufferId, vars: &[SymInt], text: &str) {
        if self.group.writes.contains(&buffer) {
            let (offset, pointer) = (self.offset(buffer, vars), pointer_of(&self.emitter, buffer));
            self.emitter.store_text(&pointer, offset, Operand::uniform(text));
        }
    }

    fn scan(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        op: ScanOp,
        value: ExprId,
        outs: &[BufferId],
    ) -> SymInt {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let dtype = self.program.exprs.dtype(value);
        let ty = cpp::scalar_type(dtype);
        let vars = self.program.vars(sizes);
        let rows = self.open_rows(sizes, axis);
        self.emitter.line(&format!("{ty} total = {ty}(); i64 place = 0; (void)place;"));
        let count = self.emitter.index(sizes[axis]);
        self.emitter.open();
        let level = self.emitter.depth();
        self.emitter.bind(syms.index_var(axis as u32, sizes[axis]), "step", level);
        let v = self.emitter.value(value).text;
        match op {
            ScanOp::Sum => self.emitter.line(&format!("total = step == 0 ? {v} : add(total, {v});")),
            ScanOp::Product => self.emitter.line(&format!("total = step == 0 ? {v} : mul(total, {v});")),
            ScanOp::LogSumExp => {
                for name in ["EXP", "LOG1P"] {
                    self.emitter.use_function(Some(name));
                }
                self.emitter.line(&format!("if (step == 0 || {v} != {v}) total = {v};"));
                self.emitter
                    .line(&format!("else if (total == total && !(l_isinf(total) && total == {v})) {{"));
                self.emitter.line(&format!(
                    "  const {ty} most = l_maximum(total, {v}), least = l_minimum(total, {v});"
                ));
                self.emitter.line("  total = add(most, l_log1p(l_exp(sub(least, most))));");
                self.emitter.line("}");
            }
            ScanOp::MaxWithIndex | ScanOp::MinWithIndex => {
                let better = if op == ScanOp::MaxWithIndex { ">=" } else { "<=" };
                let beats = if dtype.is_float() {
                    format!("{v} != {v} || (total == total && {v} {better} total)")
                } else {
                    format!("{v} {better} total")
                };
                self.emitter.line(&format!("if (step == 0 || {beats}) {{ total = {v}; place = step; }}"));
            }
        }
        self.store_at(outs[0], &vars, "total");
        if let Some(places) = outs.get(1) {
            self.store_at(*places, &vars, "place");
        }
        self.emitter.close(&format!("for (i64 step = 0; step < {count}; step++)"));
        self.emitter.close("for (i64 row = begin; row < end; row++)");
        rows
    }

    fn sort(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        (descending, order): (bool, SortOrder),
        value: ExprId,
        [values, positions]: [BufferId; 2],
    ) -> SymInt {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let ty = cpp::scalar_type(self.program.exprs.dtype(value));
        let vars = self.program.vars(sizes);
        let count = self.emitter.index(sizes[axis]);
        self.emitter.line(&format!("const i64 count = {count};"));
        self.emitter.line(&format!("litz_keyed<{ty}> *const keyed = (litz_keyed<{ty}> *)scratch;"));
        let call = match order {
            SortOrder::Stable => "stable(keyed, keyed + count, count)".to_string(),
            SortOrder::Unstable => "unstable(keyed, count)".to_string(),
            SortOrder::First { k, sorted } => {
                format!("first(keyed, count, {}, {sorted})", self.emitter.index(k))
            }
            SortOrder::Place { k } => format!("place(keyed, count, {})", self.emitter.index(k)),
        };
        let rows = self.open_rows(sizes, axis);
        let variable = syms.index_var(axis as u32, sizes[axis]);
        self.emitter.open();
        let level = self.emitter.depth();
        self.emitter.bind(variable, "step", level);
        let v = self.emitter.value(value).text;
        self.emitter.line(&format!("keyed[step].key = {v}; keyed[step].at = step;"));
        self.emitter.close("for (i64 step = 0; step < count; step++)");
        self.emitter.line(&format!("litz_order<{ty}, {descending}>::{call};"));
        self.emitter.open();
        let level = self.emitter.depth();
        self.emitter.bind(variable, "step", level);
        self.store_at(values, &vars, "keyed[step].key");
        self.store_at(positions, &vars, "keyed[step].at");
        self.emitter.close("for (i64 step = 0; step < count; step++)");
        self.emitter.close("for (i64 row = begin; row < end; row++)");
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
        let pointer = pointer_of(&self.emitter, out);
        let out_sizes = self.program.buffers[out].sizes.clone();
        let out_vars = self.program.vars(&out_sizes);
        let own = self.offset(out, &out_vars);
        // What lies there already needs no loop.
        let there = matches!(&self.program.exprs[initial], crate::loops::Expr::Load { buffer, index, .. }
            if *buffer == out && index[..] == [own]);
        if !there {
            self.initial(&out_sizes, &out_vars, own, initial, &pointer);
        }
        self.emitter.open();
        let heads = self.open_loops(sizes);
        let offset = self.offset(out, index);
        let v = self.emitter.value(value).text;
        let place = self.emitter.index_of_data(offset, data);
        let at = format!("{pointer} + {place}");
        let text = match mode {
            ScatterMode::Set => v,
            ScatterMode::Add => format!("add(load_scalar({at}), {v})"),
            ScatterMode::Multiply => format!("mul(load_scalar({at}), {v})"),
            ScatterMode::Max => format!("l_maximum(load_scalar({at}), {v})"),
            ScatterMode::Min => format!("l_minimum(load_scalar({at}), {v})"),
        };
        self.emitter.line(&format!("store({at}, {text});"));
        self.close_loops(heads);
        self.emitter.close("if (begin < end)");
    }

    /// Fills a scatter's result with what is there before.
    fn initial(&mut self, sizes: &[SymInt], vars: &[SymInt], own: SymInt, initial: ExprId, pointer: &str) {
        let lanes = self.target.isa.lanes() as i64;
        self.emitter.open();
        let heads = self.open_loops(&sizes[..sizes.len().saturating_sub(1)]);
        match sizes.last() {
            Some(last) => {
                let (end, var) = (self.emitter.index(*last), vars[vars.len() - 1]);
                let known = self.program.syms.as_const(*last);
                self.emitter.over_lanes(var, ("0", &end), known, lanes, &mut |e| {
                    e.store(pointer, own, initial);
                });
            }
            None => self.emitter.store(pointer, own, initial),
        }
        self.close_loops(heads);
        self.emitter.close("if (begin < end)");
    }

    fn open_loops(&mut self, sizes: &[SymInt]) -> Vec<String> {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let mut heads = Vec::new();
        for (k, size) in sizes.iter().enumerate() {
            let (name, bound) = (self.emitter.fresh("j"), self.emitter.index(*size));
            self.emitter.open();
            let level = self.emitter.depth();
            self.emitter.bind(syms.index_var(k as u32, *size), &name, level);
            heads.push(format!("for (i64 {name} = 0; {name} < {bound}; {name}++)"));
        }
        heads
    }
    fn close_loops(&mut self, heads: Vec<String>) {
        for head in heads.into_iter().rev() {
            self.emitter.close(&head);
        }
    }
}
