//! Nodes whose elements depend on their order: scans, sorts and scatters, each a kernel of its own.
//!
//! A block sorts a line, in shared memory where it fits, and where only the first of a long line are asked for they are
//! selected by their digits. Blocks share longer lines, in phases of one launch (`schedule::workspaces` says which, and finds them
//! memory). A scatter finds in its result what was there before: `schedule::fill` saw to that.

use super::super::emit::{Emitter, Finished, Storage};
use super::super::lines::Lines;
use super::super::{Kernel, NativeHeader, Refusal, cpp};
use super::function::{Launch, function};
use crate::kernels::{Base, Pointer};
use crate::loops::{BufferId, ExprId, NodeKind, Program, ScanOp};
use crate::print::Dialect;
use crate::schedule::Group;
use crate::schedule::workspaces::{self, Points, ScanShape};
use crate::target::CudaTarget;
use crate::templates::scan_sort::{AT_ONCE, Scan, Scatter, Sort, THREADS};
use crate::types::SymInt;

/// The kernel of a node that is computed by itself.
pub fn kernel(program: &Program, group: &Group, node: usize, target: &CudaTarget) -> Result<Kernel, Refusal> {
    let buffers: Vec<BufferId> =
        group.reads.iter().chain(&group.writes).copied().chain(group.tickets()).collect();
    let mut emitter = Emitter::new(program, Dialect::Cuda);
    for (k, buffer) in buffers.iter().enumerate() {
        emitter.storage.insert(*buffer, Storage::Memory(Pointer::buffer(k)));
    }
    let mut writer = Order { lines: Lines { emitter, program, group }, target };
    let (mut headers, mut scratch) = (Vec::new(), program.syms.constant(0));
    let (kind, blocks, threads) = match program.nodes[node].kind.clone() {
        NodeKind::Scan { sizes, axis, op, value, outs } => {
            headers.extend([NativeHeader::CudaPhases, NativeHeader::CudaScan]);
            let (blocks, threads) = writer.scan(&sizes, axis, op, value, &outs);
            ("scan", blocks, threads)
        }
        NodeKind::Sort { sizes, axis, descending, kept, value, values, positions } => {
            headers.extend([NativeHeader::CudaPhases, NativeHeader::CudaMerge, NativeHeader::CudaSort]);
            let (blocks, threads, shared) =
                writer.sort(&sizes, axis, (descending, kept), value, [values, positions]);
            scratch = shared;
            ("sort", blocks, threads)
        }
        NodeKind::Scatter { sizes, index, data, value, mode, out, .. } => {
            headers.extend([NativeHeader::CudaPhases, NativeHeader::CudaMerge, NativeHeader::CudaScatter]);
            let (sizes, index, data) = (&sizes, &index, &data);
            let (blocks, threads, shared) = writer.scatter(&Points { sizes, index, data, value, mode, out });
            scratch = shared;
            ("scatter", blocks, threads)
        }
        _ => {
            let message = "the CUDA backend has no kernel for it yet; the backend cpu has".into();
            return Err(Refusal { operators: group.operators.located(&program.origins), message });
        }
    };
    let Finished { body: lines, symbols, functions } = writer.lines.emitter.finish();
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
    /// Gives blocks, and threads of a block.
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
        let shape = workspaces::scan_shape(program, sizes, axis, outs[0], self.target);
        let at_once = syms.constant(AT_ONCE * self.target.multiprocessors as i64);
        let room = self.room();
        let lines = &mut self.lines;
        let (count, n) = (lines.count(sizes, axis), sizes[axis]);
        let (total, size) = (lines.emitter.index_text(count), lines.emitter.index_text(n));
        let (row, blocks, threads) = match shape {
            ScanShape::Thread => {
                lines.emitter.line(&format!("const i64 row = blockIdx.x * (i64){THREADS} + threadIdx.x;"));
                lines.emitter.line(&format!("if (row >= {total}) return;"));
                ("row".to_string(), syms.ceildiv(count, syms.constant(THREADS)), THREADS)
            }
            ScanShape::Beside => {
                // Lines beyond the last are scanned again, with the same result.
                let line = format!("litz_lesser(blockIdx.x * (i64)32 + threadIdx.x % 32, {total} - 1)");
                (line, syms.ceildiv(count, syms.constant(32)), Scan::WIDE)
            }
            ScanShape::Blocks { parts: 1, threads } => ("blockIdx.x".to_string(), count, threads),
            ScanShape::Blocks { parts, threads } => {
                let items = syms.mul_const(count, parts);
                ("row".to_string(), syms.min(items, at_once), threads)
            }
        };
        // Blocks that share lines come to many of them.
        if let ScanShape::Blocks { parts: parts @ 2.., .. } = shape {
            lines.emitter.open();
            lines
                .emitter
                .line(&format!("const i64 row = item / {parts}; const int part = (int)(item % {parts});"));
        }
        lines.emitter.open();
        lines.bind(sizes, axis, &row);
        lines.emitter.open();
        lines.bind_axis(sizes, axis, "step");
        let v = lines.emitter.value_text(value);
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
        let call = match shape {
            ScanShape::Thread => format!("serial<{element}>({functor}(), value_at, give, {size})"),
            ScanShape::Beside => {
                format!("beside<{}, {element}>({functor}(), value_at, give, {size})", Scan::WIDE / 32)
            }
            ScanShape::Blocks { parts: 1, threads } => {
                format!("line<{threads}, {element}>({functor}(), value_at, give, 0, {size}, nullptr)")
            }
            ScanShape::Blocks { parts, threads } => {
                let tile = syms.constant(Scan::EACH * threads);
                let part = syms.mul(syms.ceildiv(n, syms.constant(parts * Scan::EACH * threads)), tile);
                let part = lines.emitter.index_text(part);
                let totals = room.buffers.first().map_or("nullptr", String::as_str);
                lines
                    .emitter
                    .line(&format!("{element} *const totals = ({element} *){totals} + row * {parts};"));
                format!(
                    "part<{threads}, {element}>({functor}(), value_at, give, phase, part, {part}, {size}, totals)"
                )
            }
        };
        lines.emitter.line(&format!("litz_scan_{call};"));
        lines.emitter.close("");
        if let ScanShape::Blocks { parts: parts @ 2.., .. } = shape {
            lines.emitter.close("const auto work = [&](int phase, i64 item)");
            lines.emitter.line(";");
            let tickets = room.tickets;
            lines
                .emitter
                .line(&format!("litz_phases({tickets}, 1, {total} * {parts}, {total} * {parts}, work);"));
        }
        (blocks, threads)
    }

    /// Gives blocks, the threads of a block and its shared memory.
    fn sort(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        (descending, kept): (bool, SymInt),
        value: ExprId,
        [values, positions]: [BufferId; 2],
    ) -> (SymInt, i64, SymInt) {
        let program = self.lines.program;
        let syms = &program.syms;
        let dtype = program.exprs.dtype(value);
        let ty = cpp::scalar_type(dtype);
        let near = workspaces::near(self.target);
        let far = workspaces::is_far(program, sizes[axis], kept, self.target);
        let room = self.room();
        let lines = &mut self.lines;
        lines.emitter.open();
        lines.emitter.open();
        lines.bind(sizes, axis, "line");
        lines.bind_axis(sizes, axis, "step");
        lines.emitter.line(&format!("to = {ty}();"));
        let v = lines.emitter.value_text(value);
        lines.emitter.line(&format!("to = {v};"));
        lines.emitter.close(&format!("const auto value_at = [&](i64 line, i64 step, {ty} &to)"));
        lines.emitter.line(";");
        lines.emitter.open();
        let first = kept != sizes[axis];
        if far && first {
            let kept = lines.emitter.index_text(kept);
            lines.emitter.line(&format!("if (step >= {kept}) return;"));
        }
        lines.bind(sizes, axis, "line");
        lines.bind_axis(sizes, axis, "step");
        lines.store_at(values, sizes, "key");
        lines.store_at(positions, sizes, "at");
        lines.emitter.close(&format!("const auto give = [&](i64 line, i64 step, {ty} key, i64 at)"));
        lines.emitter.line(";");
        let (n, count) = (sizes[axis], lines.count(sizes, axis));
        let (total, size) = (lines.emitter.index_text(count), lines.emitter.index_text(n));
        let k = lines.emitter.index_text(kept);
        lines.emitter.line("extern __shared__ __align__(16) char dynamic[];");
        let range = syms.range(n);
        let tag = Sort::padded(workspaces::tag_bytes(dtype));
        let each = Sort::EACH;
        // A line that a block sorts by itself.
        let own = format!(
            "for (i64 line = blockIdx.x; line < {total}; line += gridDim.x) litz_sort_line<{ty}, {descending}, {first}, {near}>(value_at, give, line, {size}, {k}, dynamic);"
        );
        let only_far = range.min > near;
        let (blocks, threads, shared) = if far {
            let threads = if only_far { Scatter::SHARING.min(near / each) } else { near / each };
            let [first, second] = [0, 1].map(|k| room.buffers.get(k).map_or("nullptr", String::as_str));
            let shared_line = format!(
                "litz_sort_far<{threads}, {ty}, {descending}>(value_at, give, {total}, {size}, {first}, {second}, {}, dynamic);",
                room.tickets
            );
            lines.emitter.line(&if only_far {
                shared_line
            } else {
                format!("if ({size} > {near}) {{ {shared_line} }} else {{ {own} }}")
            });
            let tiles = syms.mul(count, syms.ceildiv(n, syms.constant(threads * each)));
            let at_once = syms.constant(AT_ONCE * self.target.multiprocessors as i64);
            let tile =
                syms.constant(threads * each * if only_far { tag } else { Sort::WIDEST } + Sort::RESERVED);
            (syms.min(tiles, at_once), threads, tile)
        } else {
            lines.emitter.line(&own);
            let threads = syms.as_const(n).filter(|n| *n <= near).map_or(Sort::MOST_THREADS, |n| {
                ((n.max(1) + each - 1) as u64 / each as u64)
                    .next_power_of_two()
                    .clamp(32, Sort::MOST_THREADS as u64) as i64
            });
            let held = syms.min(n, syms.constant(near));
            (count, threads, syms.add_const(syms.mul_const(held, tag), Sort::RESERVED))
        };
        lines.emitter.close("");
        (blocks, threads, shared)
    }

    /// The names of what the kernel works in.
    pub fn room(&self) -> RoomNames {
        let Some(room) = &self.lines.group.workspace else { return RoomNames::default() };
        let name = |b: &BufferId| pointer_of(&self.lines.emitter, *b);
        RoomNames { tickets: name(&room.tickets), buffers: room.buffers.iter().map(name).collect() }
    }
}

/// A room's pointers in a kernel's text.
#[derive(Default)]
pub struct RoomNames {
    pub tickets: String,
    pub buffers: Vec<String>,
}

/// A buffer parameter's name.
pub fn pointer_of(emitter: &Emitter<'_>, buffer: BufferId) -> String {
    match emitter.storage.get(&buffer) {
        Some(Storage::Memory(Pointer { base: Base::Buffer(place), .. })) => format!("b{place}"),
        other => unreachable!("buffer {buffer} is {other:?}, not memory"),
    }
}
