//! Readers and writers of a program's buffers, for loop passes and the scheduler.

use super::{BufferId, BufferKind, Control, Expr, ExprId, LoopNode, NodeKind, Program};
use crate::base::{HashMap, HashSet};
use crate::types::{Dtype, SymInt};

/// The nodes that outputs and writes depend on, in order.
pub fn live_nodes(program: &Program) -> Vec<usize> {
    let mut needed: HashSet<BufferId> = program.outputs.iter().copied().collect();
    needed.extend(program.writes.iter().map(|w| w.1));
    needed.extend(&program.pinned);
    let mut live = Vec::new();
    for node in (0..program.nodes.len()).rev() {
        let acts = program.nodes[node].kind.acts();
        if acts || program.nodes[node].outs().iter().any(|b| needed.contains(b)) {
            needed.extend(reads_of(program, node));
            live.push(node);
        }
    }
    live.reverse();
    live
}

/// The buffers that a node reads.
pub fn reads_of(program: &Program, node: usize) -> Vec<BufferId> {
    let mut reads = Vec::new();
    match &program.nodes[node].kind {
        NodeKind::Control(control) => reads.extend(control.reads()),
        NodeKind::Library(routine) => routine.reads().for_each(|b| {
            if !reads.contains(&b) {
                reads.push(b);
            }
        }),
        _ => {}
    }
    for load in program.exprs.loads(&program.nodes[node].exprs()) {
        if let Expr::Load { buffer, .. } = &program.exprs[load]
            && !reads.contains(buffer)
            && program.nodes[node].inside() != Some(*buffer)
        {
            reads.push(*buffer);
        }
    }
    reads
}

/// How many fences stand before each node: nodes with another number are computed apart from it.
pub fn stretches(program: &Program) -> Vec<usize> {
    let mut fences = 0;
    let count = |node: &LoopNode| {
        fences += usize::from(node.kind == NodeKind::Control(Control::Fence));
        fences
    };
    program.nodes.iter().map(count).collect()
}

/// The nodes that read each buffer, in order.
pub type Readers = HashMap<BufferId, Vec<usize>>;

/// Gathers the readers of all buffers, which takes a walk over the whole program.
pub fn readers(program: &Program) -> Readers {
    let mut readers = Readers::default();
    for node in 0..program.nodes.len() {
        for buffer in reads_of(program, node) {
            readers.entry(buffer).or_default().push(node);
        }
    }
    readers
}

/// True for buffers that something other than a kernel reads or writes.
pub fn lies_in_memory(program: &Program, buffer: BufferId) -> bool {
    leaves_the_program(program, buffer) || program.pinned.contains(&buffer)
}

/// True for buffers that a run fills for its caller or for later runs.
pub fn leaves_the_program(program: &Program, buffer: BufferId) -> bool {
    program.buffers[buffer].kind != BufferKind::Temporary
        || program.outputs.contains(&buffer)
        || program.writes.iter().any(|w| w.1 == buffer)
}

/// True for the nodes that templates compute.
pub fn is_template(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Gemm { .. } | NodeKind::Convolution(_) | NodeKind::Attention(_))
}

/// The load below a conversion from a reduced float, or the expression itself.
pub fn reduced_load(program: &Program, operand: ExprId) -> ExprId {
    match program.exprs[operand] {
        Expr::Cast(Dtype::Float32, a) if program.exprs.dtype(a).is_reduced_float() => a,
        _ => operand,
    }
}

/// The constants that no run writes.
pub fn fixed_constants(program: &Program) -> HashSet<BufferId> {
    let written: HashSet<BufferId> = program.writes.iter().map(|w| w.0).collect();
    program.constants.iter().copied().filter(|c| !written.contains(c)).collect()
}

/// True for floats that are made of integers (and of scales beside them) which take at most three quarters of a byte for each: a
/// weight of fewer than eight bits.
pub fn stays_packed(program: &Program, value: ExprId, elements: i64) -> bool {
    packed_bytes(program, value, elements)
        .is_some_and(|packed| packed.saturating_mul(4) <= elements.saturating_mul(3))
}

/// The same of a byte and a half: a weight of up to eight bits, which products of a CPU read packed if they can compute it in vectors.
pub fn is_read_packed(program: &Program, value: ExprId, elements: i64) -> bool {
    packed_bytes(program, value, elements)
        .is_some_and(|packed| packed.saturating_mul(2) <= elements.saturating_mul(3))
}

/// The bytes of the buffers that a float is made of, if there are integers among them.
fn packed_bytes(program: &Program, value: ExprId, elements: i64) -> Option<i64> {
    let (dtype, syms) = (program.exprs.dtype(value), &program.syms);
    let mut read: Vec<BufferId> = Vec::new();
    for load in program.exprs.loads(&[value]) {
        if let Expr::Load { buffer, .. } = &program.exprs[load]
            && !read.contains(buffer)
        {
            read.push(*buffer);
        }
    }
    let bytes = |b: &BufferId| {
        let data = &program.buffers[*b];
        syms.as_const(syms.product(&data.sizes)).map(|n| n.saturating_mul(data.dtype.size() as i64))
    };
    let of_integers = |b: &BufferId| {
        let of = program.buffers[*b].dtype;
        of.is_integer() && bytes(b).is_some_and(|n| 8 * n >= elements)
    };
    let packed = read.iter().try_fold(0i64, |sum, b| Some(sum.saturating_add(bytes(b)?)));
    packed.filter(|_| dtype.is_float() && read.iter().any(of_integers))
}

/// True when the right operand does not depend on the batch, so that one packed copy serves all.
pub fn gemm_shares_b(program: &Program, batch: &[SymInt], b: ExprId) -> bool {
    let syms = &program.syms;
    let vars: Vec<_> = program.vars(batch).into_iter().filter_map(|v| syms.as_symbol(v)).collect();
    let free = |e: SymInt| !vars.iter().any(|v| syms.depends_on(e, *v));
    program.exprs.postorder(&[b]).into_iter().all(|e| match &program.exprs[e] {
        Expr::Load { index, .. } => index.iter().all(|i| free(*i)),
        Expr::Index(i, _) => free(*i),
        _ => true,
    })
}
