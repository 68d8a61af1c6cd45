//! Sorts: each task sorts one line along the axis in scratch, by the native sort.
//!
//! Scratch holds 16 bytes for each element, its key and its position. Keys and positions are two pointers into the same bytes.

use super::{LINES, declare_buffers, finish};
use crate::kernels::{
    Access, Axis, Kernel, Launch, LocalId, Routine, Shape, Space, Statement, TemplateCall, Type, Unroll,
    Value, ValueId,
};
use crate::loops::{NodeKind, Program};
use crate::mapping::emit::Emitter;
use crate::mapping::lines::Lines;
use crate::schedule::Group;
use crate::target::CpuTarget;
use crate::templates::scan_sort::KEYED_BYTES;
use crate::types::Dtype;

/// The kernel of a sort.
pub fn kernel(program: &Program, group: &Group, node: usize, target: &CpuTarget) -> Kernel {
    let NodeKind::Sort { sizes, axis, descending, kept, value, values, positions } =
        program.nodes[node].kind.clone()
    else {
        unreachable!("a sort's node is one")
    };
    let mut emitter = Emitter::new(program);
    let buffers = declare_buffers(&mut emitter, group);
    let mut lines = Lines { emitter: &mut emitter, program, group };
    let dtype = register(program.exprs.dtype(value));
    let e = &mut *lines.emitter;
    let [count, many] = [sizes[axis], kept].map(|n| e.index(n));
    let keys = keyed(e, "keys", dtype, 0);
    let places = keyed(e, "places", Dtype::Int64, 1);
    let row = e.local("row", Type::Index);
    let line = e.local_value(row);
    e.open();
    lines.bind(&sizes, axis, line);
    let e = &mut *lines.emitter;
    let step = e.local("step", Type::Index);
    let at = e.local_value(step);
    e.open();
    lines.bind_axis(&sizes, axis, at);
    let e = &mut *lines.emitter;
    let v = e.value(value).value;
    for (array, value) in [(keys, v), (places, at)] {
        let access = element(e, array, at);
        e.push(Statement::Store { access, value });
    }
    e.close_loop(step, count, Axis::Serial, Unroll::Free);
    let routine = Routine::Sort { dtype, descending, some: kept != sizes[axis] };
    let call =
        TemplateCall { routine, operands: Vec::new(), numbers: vec![count, many], regions: Vec::new() };
    e.push(Statement::Template(Box::new(call)));
    let step = e.local("step", Type::Index);
    let at = e.local_value(step);
    e.open();
    lines.bind_axis(&sizes, axis, at);
    for (array, buffer) in [(keys, values), (places, positions)] {
        let access = element(lines.emitter, array, at);
        let there = lines.emitter.add(Value::Load(access));
        lines.store_at(buffer, &sizes, there);
    }
    let e = &mut *lines.emitter;
    e.close_loop(step, many, Axis::Serial, Unroll::Free);
    e.close_tasks(row);
    let syms = &program.syms;
    // Merging needs as much space again as there is to merge.
    let scratch = syms.mul_const(syms.add(sizes[axis], kept), KEYED_BYTES);
    let (tasks, grain) = (lines.count(&sizes, axis), syms.constant(LINES));
    finish(emitter, buffers, Launch::Cpu { tasks, grain, scratch }, target.isa.lanes() as i64)
}

/// Registers hold halves as float32.
fn register(dtype: Dtype) -> Dtype {
    if dtype.is_reduced_float() { Dtype::Float32 } else { dtype }
}

/// One of the two halves of the keyed elements: the array, the elements from one to the next, and the first.
#[derive(Clone, Copy)]
struct Keyed {
    array: LocalId,
    apart: i64,
    first: i64,
}

fn keyed(e: &mut Emitter<'_>, name: &'static str, dtype: Dtype, first: i64) -> Keyed {
    let array = e.local(name, Type::Pointer { dtype, space: Space::Scratch });
    let bytes = e.integer(0);
    e.push(Statement::Pointer { local: array, bytes, elements: None });
    Keyed { array, apart: KEYED_BYTES / dtype.size() as i64, first }
}

fn element(e: &mut Emitter<'_>, keyed: Keyed, at: ValueId) -> Access {
    let apart = e.integer(keyed.apart);
    let mut at = e.times(at, apart);
    if keyed.first > 0 {
        let first = e.integer(keyed.first);
        at = e.plus(at, first);
    }
    Access { pointer: keyed.array.into(), at, shape: Shape::Element }
}
