//! Nodes whose elements depend on their order: scans, sorts and scatters, each a kernel of its own.
//!
//! A thread scans a line; a block sorts one, in shared memory where it fits, and where only the first of a long line are
//! asked for they are selected by their digits. A scatter whose result starts as something else than what lies there is one block's, which fills it first.

use super::super::emit::{Emitter, Storage};
use super::super::lines::Lines;
use super::super::template::pointer_of;
use super::super::{CodegenError, Kernel, NativeHeader, cpp};
use super::writer::function;
use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program, ScanOp, ScatterMode, SortOrder};
use crate::schedule::Group;
use crate::target::CudaTarget;
use crate::types::SymInt;

/// Threads of a block that scans rows, or scatters in place.
const THREADS: i64 = 128;
/// A key of at most eight bytes, aligned, and its position.
const KEYED_BYTES: i64 = 16;
/// Threads of a block that fills and scatters alone.
const WIDE: i64 = 1024;

/// The kernel of a node that is computed by itself.
pub fn kernel(
    program: &Program,
    group: &Group,
    node: usize,
    target: &CudaTarget,
) -> Result<Kernel, CodegenError> {
    let buffers: Vec<BufferId> = group.reads.iter().chain(&group.writes).copied().collect();
    let mut emitter = Emitter::new(program);
    for (k, buffer) in buffers.iter().enumerate() {
        emitter.storage.insert(*buffer, Storage::Memory(format!("b{k}")));
    }
    let mut writer = Order { lines: Lines { emitter, program, group }, target };
    let (mut headers, mut scratch) = (Vec::new(), program.syms.constant(0));
    let (kind, blocks, threads) = match program.nodes[node].kind.clone() {
        NodeKind::Scan { sizes, axis, op, value, outs } => {
            let rows = writer.scan(&sizes, axis, op, value, &outs);
            ("scan", program.syms.ceildiv(rows, program.syms.constant(THREADS)), THREADS)
        }
        NodeKind::Sort { sizes, axis, descending, order, value, values, positions } => {
            headers.extend([NativeHeader::Sort, NativeHeader::CudaSort]);
            let (blocks, threads, shared) =
                writer.sort(&sizes, axis, (descending, order), value, [values, positions]);
            scratch = shared;
            ("sort", blocks, threads)
        }
        NodeKind::Scatter { sizes, index, data, value, mode, initial, out } => {
            let (blocks, threads) = writer.scatter(&sizes, (&index, &data), value, mode, initial, out);
            ("scatter", blocks, threads)
        }
        _ => {
            let message = "the CUDA backend has no kernel for it yet; the backend cpu has".into();
            return Err(CodegenError { operators: group.operators.join(", "), message });
        }
    };
    let (lines, symbols, functions) = writer.lines.emitter.finish();
    let body = function(program, group, &buffers, 0, symbols.len(), threads, &lines);
    Ok(Kernel {
        kind,
        body,
        functions,
        headers,
        buffers,
        symbols,
        tasks: blocks,
        grain: program.syms.constant(threads),
        scratch,
        lanes: 1,
        maps: Vec::new(),
    })
}

struct Order<'p> {
    lines: Lines<'p>,
    target: &'p CudaTarget,
}

impl Order<'_> {
    fn scan(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        op: ScanOp,
        value: ExprId,
        outs: &[BufferId],
    ) -> SymInt {
        let dtype = self.lines.program.exprs.dtype(value);
        let ty = cpp::scalar_type(dtype);
        let lines = &mut self.lines;
        let rows = lines.count(sizes, axis);
        let total = lines.emitter.index(rows);
        lines.emitter.line(&format!("const i64 row = blockIdx.x * (i64){THREADS} + threadIdx.x;"));
        lines.emitter.line(&format!("if (row >= {total}) return;"));
        lines.emitter.open();
        lines.bind(sizes, axis, "row");
        lines.emitter.line(&format!("{ty} total = {ty}(); i64 place = 0; (void)place;"));
        let count = lines.emitter.index(sizes[axis]);
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        let v = lines.emitter.value(value).text;
        lines.scan_step(op, dtype, &v, "step == 0");
        lines.store_at(outs[0], sizes, "total");
        if let Some(places) = outs.get(1) {
            lines.store_at(*places, sizes, "place");
        }
        lines.emitter.close(&format!("for (i64 step = 0; step < {count}; step++)"));
        lines.emitter.close("");
        rows
    }

    /// A block for each line. Gives the lines, the threads of a block and its shared memory.
    fn sort(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        (descending, order): (bool, SortOrder),
        value: ExprId,
        [values, positions]: [BufferId; 2],
    ) -> (SymInt, i64, SymInt) {
        let program = self.lines.program;
        let syms = &program.syms;
        let ty = cpp::scalar_type(program.exprs.dtype(value));
        let near = self.near();
        let lines = &mut self.lines;
        lines.emitter.open();
        lines.bind(sizes, axis, "blockIdx.x");
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        lines.emitter.line(&format!("to = {ty}();"));
        let v = lines.emitter.value(value).text;
        lines.emitter.line(&format!("to = {v};"));
        lines.emitter.close(&format!("const auto value_at = [&](i64 step, {ty} &to)"));
        lines.emitter.line(";");
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        lines.store_at(values, sizes, "key");
        lines.store_at(positions, sizes, "at");
        lines.emitter.close(&format!("const auto give = [&](i64 step, {ty} key, i64 at)"));
        lines.emitter.line(";");
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        let vars = program.vars(sizes);
        for (buffer, field) in [(values, "key"), (positions, "at")] {
            let offset = lines.offset(buffer, &vars);
            let (pointer, place) = (pointer_of(&lines.emitter, buffer), lines.emitter.index(offset));
            lines.emitter.line(&format!("to.{field} = load_scalar({pointer} + {place});"));
        }
        lines.emitter.close(&format!("const auto take = [&](i64 step, litz_keyed<{ty}> &to)"));
        lines.emitter.line(";");
        let (kind, k) = match order {
            SortOrder::Stable => ("STABLE", None),
            SortOrder::Unstable => ("UNSTABLE", None),
            SortOrder::First { k, sorted: true } => ("FIRST", Some(k)),
            SortOrder::First { k, sorted: false } => ("FIRST_UNSORTED", Some(k)),
            SortOrder::Place { k } => ("PLACE", Some(k)),
        };
        let (count, k) = (lines.emitter.index(sizes[axis]), k.map_or("0".into(), |k| lines.emitter.index(k)));
        lines.emitter.line("extern __shared__ __align__(16) char dynamic[];");
        lines.emitter.line(&format!(
            "litz_sort_line<{ty}, {descending}, LITZ_SORT_{kind}, {near}>(value_at, give, take, {count}, {k}, dynamic);"
        ));
        lines.emitter.close("");
        let threads = (syms.hint(sizes[axis]).max(1) as u64 / 2).next_power_of_two().clamp(32, 1024) as i64;
        let kept = syms.min(sizes[axis], syms.constant(near));
        (lines.count(sizes, axis), threads, syms.mul_const(kept, KEYED_BYTES))
    }

    /// Keys of a line that shared memory holds, with some left for other uses.
    fn near(&self) -> i64 {
        let most = (self.target.shared_bytes as i64 - (8 << 10)) / KEYED_BYTES;
        (1 << most.max(2).ilog2()).min(8192)
    }

    /// Gives blocks, and threads of a block.
    fn scatter(
        &mut self,
        sizes: &[SymInt],
        (index, data): (&[SymInt], &[ExprId]),
        value: ExprId,
        mode: ScatterMode,
        initial: ExprId,
        out: BufferId,
    ) -> (SymInt, i64) {
        let syms = std::sync::Arc::clone(&self.lines.program.syms);
        let pointer = pointer_of(&self.lines.emitter, out);
        let out_sizes = self.lines.program.buffers[out].sizes.clone();
        let out_vars = self.lines.program.vars(&out_sizes);
        let own = self.lines.offset(out, &out_vars);
        let there = matches!(&self.lines.program.exprs[initial], Expr::Load { buffer, index, .. }
            if *buffer == out && index[..] == [own]);
        let points = syms.product(sizes);
        let threads = if there { THREADS } else { WIDE };
        if !there {
            let elements = syms.product(&out_sizes);
            let elements = self.lines.emitter.index(elements);
            self.lines.emitter.open();
            self.lines.emitter.bind_point(&out_sizes, "element");
            self.lines.emitter.store(&pointer, own, initial);
            self.lines
                .emitter
                .close(&format!("for (i64 element = threadIdx.x; element < {elements}; element += {WIDE})"));
            self.lines.emitter.line("__syncthreads();");
        }
        let count = self.lines.emitter.index(points);
        self.lines.emitter.open();
        self.lines.emitter.bind_point(sizes, "point");
        let offset = self.lines.offset(out, index);
        let v = self.lines.emitter.value(value).text;
        let place = self.lines.emitter.index_of_data(offset, data);
        let at = format!("{pointer} + {place}");
        match mode {
            ScatterMode::Set => self.lines.emitter.line(&format!("store({at}, {v});")),
            ScatterMode::Add => self.lines.emitter.line(&format!("litz_atomic({at}, {v}, litz_add());")),
            ScatterMode::Multiply => self.lines.emitter.line(&format!("litz_atomic({at}, {v}, litz_mul());")),
            ScatterMode::Max => self.lines.emitter.line(&format!("litz_atomic({at}, {v}, litz_max());")),
            ScatterMode::Min => self.lines.emitter.line(&format!("litz_atomic({at}, {v}, litz_min());")),
        }
        self.lines.emitter.close(&format!(
            "for (i64 point = blockIdx.x * (i64){threads} + threadIdx.x; point < {count}; point += gridDim.x * (i64){threads})"
        ));
        let blocks = if there { syms.ceildiv(points, syms.constant(threads)) } else { syms.constant(1) };
        (blocks, threads)
    }
}
