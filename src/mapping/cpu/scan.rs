//! Scans: each task walks one line along the axis.

use super::{LINES, declare_buffers, finish};
use crate::kernels::{Kernel, Launch, Type};
use crate::loops::uses::reduced_load;
use crate::loops::{ExprId, Program, ScanOp};
use crate::mapping::emit::Emitter;
use crate::mapping::lines::Lines;
use crate::mapping::scan::{self, Scan};
use crate::schedule::Group;
use crate::target::CpuTarget;
use crate::types::Dtype;

/// What it is summed in: float64 for float32, as PyTorch on a CPU, since what is lost at one place is lost for all that
/// follow; halves in float32.
fn computed_in(program: &Program, op: ScanOp, value: ExprId) -> Dtype {
    let own = program.exprs.dtype(value);
    let halves = program.exprs.dtype(reduced_load(program, value)).is_reduced_float();
    match op {
        ScanOp::Sum | ScanOp::Product | ScanOp::LogSumExp if own == Dtype::Float32 && !halves => {
            Dtype::Float64
        }
        _ => own,
    }
}

/// The kernel of a scan.
pub fn kernel(program: &Program, group: &Group, scan: &Scan<'_>, target: &CpuTarget) -> Kernel {
    let mut emitter = Emitter::new(program);
    let buffers = declare_buffers(&mut emitter, group);
    let row = emitter.local("row", Type::Index);
    let line = emitter.local_value(row);
    emitter.open();
    let mut lines = Lines { emitter: &mut emitter, program, group };
    lines.bind(scan.sizes, scan.axis, line);
    scan::walk(&mut lines, scan, computed_in(program, scan.op, scan.value));
    let (syms, tasks) = (&program.syms, lines.count(scan.sizes, scan.axis));
    emitter.close_tasks(row);
    let (grain, scratch) = (syms.constant(LINES), syms.constant(0));
    finish(emitter, buffers, Launch::Cpu { tasks, grain, scratch }, target.isa.lanes() as i64)
}
