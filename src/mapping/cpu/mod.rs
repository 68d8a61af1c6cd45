//! Kernels for a CPU. [`dealing`] divides loops among tasks and lanes; the other modules build the bodies.

mod attention;
mod attention_backward;
mod block;
mod blocks;
mod convolution;
mod dealing;
mod loops;
mod product;
mod recurrence;
mod scan;
mod scatter;
mod sort;
mod template;
mod tile;
mod unpacked;
mod windows;

use crate::kernels::{BufferParameter, Kernel, Launch};
use crate::loops::{BufferId, NodeKind, Program};
use crate::mapping::Refusal;
use crate::mapping::emit::{Emitter, Finished};
use crate::mapping::parameters;
use crate::mapping::scan::Scan;
use crate::schedule::{Group, GroupKind};
use crate::target::CpuTarget;
use scatter::Scatter;
use template::Template;

/// Lines along an axis that are worth a thread.
const LINES: i64 = 16;

/// The kernel of a group, and what it is, for `describe`. `scratch`: bytes that a thread should need at most, where that is for
/// the mapping to decide.
pub fn kernel(
    program: &Program,
    group: &Group,
    target: &CpuTarget,
    scratch: i64,
) -> Result<(&'static str, Kernel), Refusal> {
    let refused = || Err(Refusal::new(program, group, "the CPU backend has no kernel for it"));
    let template = |node: usize| Template::new(program, group, target, node, scratch);
    let kind = |node: usize| &program.nodes[node].kind;
    Ok(match &group.kind {
        GroupKind::Loops(loops) => ("loops", loops::kernel(program, group, loops, target)),
        GroupKind::Pack { node, .. } => ("pack", product::kernel(template(*node))),
        GroupKind::Template { node, .. } => match kind(*node) {
            NodeKind::Gemm { .. } => ("gemm", product::kernel(template(*node))),
            NodeKind::Convolution(_) => ("convolution", convolution::kernel(template(*node))),
            NodeKind::Attention(_) => ("attention", attention::kernel(template(*node))),
            _ => return refused(),
        },
        GroupKind::Standalone { node } => match kind(*node) {
            NodeKind::Scan { sizes, axis, op, value, outs } => {
                let scan = Scan { sizes, axis: *axis, op: *op, value: *value, outs };
                ("scan", scan::kernel(program, group, &scan, target))
            }
            NodeKind::Scatter { sizes, index, data, value, mode, initial, out } => {
                let (value, mode, initial, out) = (*value, *mode, *initial, *out);
                let scatter = Scatter { sizes, index, data, value, mode, initial, out };
                ("scatter", scatter::kernel(program, group, &scatter, target))
            }
            NodeKind::Sort { .. } => ("sort", sort::kernel(program, group, *node, target)),
            NodeKind::AttentionBackward(_) => {
                ("attention_backward", attention_backward::kernel(template(*node)))
            }
            NodeKind::Recurrence(_) => ("recurrence", recurrence::kernel(template(*node))),
            _ => return refused(),
        },
        GroupKind::RowColumnReduction(_) => unreachable!("rows and columns are not joined for a CPU"),
    })
}

/// The buffers of a group as parameters of its kernel.
fn declare_buffers(emitter: &mut Emitter<'_>, group: &Group) -> Vec<BufferParameter> {
    emitter.written.extend(group.writes.iter().copied());
    let buffers: Vec<BufferId> = group.reads.iter().chain(&group.writes).copied().collect();
    parameters::declare(emitter, group, &buffers)
}

/// The finished kernel of an emitter's body.
fn finish(emitter: Emitter<'_>, buffers: Vec<BufferParameter>, launch: Launch, lanes: i64) -> Kernel {
    let Finished { body, symbols } = emitter.finish();
    Kernel { buffers, symbols, launch, lanes, maps: Vec::new(), body }
}
