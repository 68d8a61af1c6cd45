//! Nodes whose elements depend on their order: scans, sorts and scatters, each a kernel of its own.
//!
//! A block sorts a line, in shared memory where it fits, and where only the first of a long line are asked for they are
//! selected by their digits. A scatter finds in its result what was there before: `schedule::fill` saw to that.

use super::super::emit::{Emitter, Storage};
use super::super::lines::Lines;
use super::super::template::pointer_of;
use super::super::{CodegenError, Kernel, NativeHeader, cpp};
use super::scatter::Scatter;
use super::writer::{Launch, function};
use crate::loops::{BufferId, ExprId, NodeKind, Program, ScanOp, SortOrder};
use crate::schedule::Group;
use crate::target::CudaTarget;
use crate::types::SymInt;

/// Threads of a block whose threads have nothing to do with one another.
pub const THREADS: i64 = 128;
/// A line that a thread scans alone, at most.
const SHORT: i64 = 16;
/// A key of at most eight bytes, aligned, and its position.
const KEYED_BYTES: i64 = 16;
/// Threads of a block that scans lines beside one another.
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
            headers.push(NativeHeader::CudaScan);
            let (blocks, threads) = writer.scan(&sizes, axis, op, value, &outs);
            ("scan", blocks, threads)
        }
        NodeKind::Sort { sizes, axis, descending, order, value, values, positions } => {
            headers.extend([NativeHeader::Sort, NativeHeader::CudaSort]);
            let (blocks, threads, shared) =
                writer.sort(&sizes, axis, (descending, order), value, [values, positions]);
            scratch = shared;
            ("sort", blocks, threads)
        }
        NodeKind::Scatter { sizes, index, data, value, mode, out, .. } => {
            let scatter = Scatter { sizes, index, data, value, mode, out };
            let (blocks, threads) = writer.scatter(&scatter);
            ("scatter", blocks, threads)
        }
        _ => {
            let message = "the CUDA backend has no kernel for it yet; the backend cpu has".into();
            return Err(CodegenError { operators: group.operators.join(", "), message });
        }
    };
    let (lines, symbols, functions) = writer.lines.emitter.finish();
    let body = function(program, group, &buffers, 0, symbols.len(), Launch::block(threads), &lines);
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

pub struct Order<'p> {
    pub lines: Lines<'p>,
    pub target: &'p CudaTarget,
}

impl Order<'_> {
    /// Gives blocks, and threads of a block. A thread scans a short line, or one of very many that lie beside one another;
    /// otherwise lines beside one another are scanned by segments, and lines of neighbouring elements by blocks.
    fn scan(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        op: ScanOp,
        value: ExprId,
        outs: &[BufferId],
    ) -> (SymInt, i64) {
        let program = self.lines.program;
        let syms = &program.syms;
        let ty = cpp::scalar_type(program.exprs.dtype(value));
        let (functor, with_place) = match op {
            ScanOp::Sum => ("litz_add", false),
            ScanOp::Product => ("litz_mul", false),
            ScanOp::LogSumExp => ("litz_log_add", false),
            ScanOp::MaxWithIndex => ("litz_last_max", true),
            ScanOp::MinWithIndex => ("litz_last_min", true),
        };
        let element = if with_place { format!("litz_place<{ty}>") } else { ty.to_string() };
        let lines = &mut self.lines;
        let (count, n) = (lines.count(sizes, axis), sizes[axis]);
        let (some, long) = (syms.hint(count).max(1), syms.hint(n).max(1));
        let beside = some > 1 && syms.as_const(program.buffers[outs[0]].strides[axis]) != Some(1);
        let multiprocessors = self.target.multiprocessors as i64;
        let serial = long <= SHORT || (beside && some >= multiprocessors * WIDE);
        let (total, size) = (lines.emitter.index(count), lines.emitter.index(n));
        // Blocks that scan one line, and threads of a block.
        let (parts, threads) = if serial || beside {
            (1, if serial { THREADS } else { WIDE })
        } else {
            let threads = ((long / 4).max(1) as u64).next_power_of_two().clamp(32, 256) as i64;
            ((2 * multiprocessors / some).min(long / (32 * threads)).max(1), threads)
        };
        let (row, blocks) = if serial {
            lines.emitter.line(&format!("const i64 row = blockIdx.x * (i64){threads} + threadIdx.x;"));
            lines.emitter.line(&format!("if (row >= {total}) return;"));
            ("row".to_string(), syms.ceildiv(count, syms.constant(threads)))
        } else if beside {
            // Lines beyond the last are scanned again, with the same result.
            let line = format!("litz_lesser(blockIdx.x * (i64)32 + threadIdx.x % 32, {total} - 1)");
            (line, syms.ceildiv(count, syms.constant(32)))
        } else {
            (format!("blockIdx.x / {parts}"), syms.mul_const(count, parts))
        };
        lines.emitter.open();
        lines.bind(sizes, axis, &row);
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        let v = lines.emitter.value(value).text;
        lines.emitter.line(&if with_place {
            format!("to.value = {v}; to.place = step;")
        } else {
            format!("to = {v};")
        });
        lines.emitter.close(&format!("const auto value_at = [&](i64 step, {element} &to)"));
        lines.emitter.line(";");
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        lines.store_at(outs[0], sizes, if with_place { "x.value" } else { "x" });
        if let Some(places) = outs.get(1) {
            lines.store_at(*places, sizes, "x.place");
        }
        lines.emitter.close(&format!("const auto give = [&](i64 step, const {element} &x)"));
        lines.emitter.line(";");
        if serial {
            lines.emitter.line(&format!("litz_scan_serial<{element}>({functor}(), value_at, give, {size});"));
        } else if beside {
            let segments = WIDE / 32;
            lines.emitter.line(&format!(
                "litz_scan_beside<{segments}, {element}>({functor}(), value_at, give, {size});"
            ));
        } else {
            let tile = syms.constant(4 * threads);
            let part = syms.mul(syms.ceildiv(n, syms.constant(parts * 4 * threads)), tile);
            let part = lines.emitter.index(part);
            lines.emitter.line(&format!("const i64 begin = blockIdx.x % {parts} * {part};"));
            lines.emitter.line(&format!(
                "litz_scan_line<{threads}, {element}>({functor}(), value_at, give, begin, litz_lesser(begin + {part}, {size}));"
            ));
        }
        lines.emitter.close("");
        (blocks, threads)
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
}
