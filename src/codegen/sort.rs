//! Sorts: a task is a line along the axis, which the native sort puts in order in scratch.

use super::emit::{Emitter, Finished};
use super::lines::Lines;
use super::{Kernel, NativeHeader, cpp};
use crate::loops::{BufferId, ExprId, NodeKind, Program};
use crate::mapping::cpu::declare_buffers;
use crate::print::{self, Dialect};
use crate::schedule::Group;
use crate::templates::order::KEYED_BYTES;
use crate::types::SymInt;

/// The kernel of a sort.
pub fn kernel(program: &Program, group: &Group, node: usize) -> Kernel {
    let NodeKind::Sort { sizes, axis, descending, kept, value, values, positions } =
        program.nodes[node].kind.clone()
    else {
        unreachable!("a sort's node is one")
    };
    let mut emitter = Emitter::new(program, Dialect::Cxx);
    let parameters = declare_buffers(&mut emitter, group);
    let mut lines = Lines { emitter, program, group };
    let tasks = sort(&mut lines, &sizes, axis, (descending, kept), value, [values, positions]);
    let Finished { body, symbols, functions } = lines.emitter.finish();
    let syms = &program.syms;
    Kernel {
        kind: "sort",
        body: print::cxx::function(&parameters, &body),
        functions,
        headers: vec![NativeHeader::Sort],
        buffers: parameters.iter().map(|b| b.buffer).collect(),
        symbols,
        tasks,
        grain: syms.constant(16),
        // Merging needs as much space again as there is to merge.
        scratch: syms.mul_const(syms.add(sizes[axis], kept), KEYED_BYTES),
        lanes: 0,
        maps: Vec::new(),
    }
}

fn sort(
    lines: &mut Lines<'_>,
    sizes: &[SymInt],
    axis: usize,
    (descending, kept): (bool, SymInt),
    value: ExprId,
    [values, positions]: [BufferId; 2],
) -> SymInt {
    let ty = cpp::scalar_type(lines.program.exprs.dtype(value));
    let count = lines.emitter.index_text(sizes[axis]);
    let first = kept != sizes[axis];
    let kept = lines.emitter.index_text(kept);
    lines.emitter.line(&format!("const i64 count = {count}, kept = {kept};"));
    lines.emitter.line(&format!("litz_keyed<{ty}> *const keyed = (litz_keyed<{ty}> *)scratch;"));
    lines.emitter.open();
    lines.bind(sizes, axis, "row");
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
    lines.count(sizes, axis)
}
