//! The function around a template's lines.

use crate::kernels::Body;
use crate::loops::{BufferId, Program};
use crate::print::Dialect;
use crate::print::words as cpp;
use crate::schedule::Group;

/// How a kernel's blocks are.
#[derive(Clone, Copy)]
pub struct Launch {
    pub threads: i64,
    /// Blocks of a cluster, whose shared memory they read from one another; 1: none.
    pub cluster: i64,
    /// Blocks of a multiprocessor at a time, among which its registers are dealt out, so that threads can hand them to
    /// one another; 0: as the compiler likes.
    pub resident: i64,
}

impl Launch {
    pub fn block(threads: i64) -> Launch {
        Launch { threads, cluster: 1, resident: 0 }
    }
}

/// The function around a kernel's lines.
pub fn function(
    program: &Program,
    group: &Group,
    buffers: &[BufferId],
    n_maps: usize,
    n_symbols: usize,
    launch: Launch,
    body: &Body,
) -> String {
    let mut text = head(program, group, buffers, n_maps, n_symbols, launch);
    text.push_str(&crate::print::block(Dialect::Cuda, body, &body.block, 1));
    text.push_str("}\n");
    text
}

/// The function up to its lines.
pub fn head(
    program: &Program,
    group: &Group,
    buffers: &[BufferId],
    n_maps: usize,
    n_symbols: usize,
    launch: Launch,
) -> String {
    let mut parameters: Vec<String> = Vec::new();
    for (k, buffer) in buffers.iter().enumerate() {
        let ty = cpp::memory_type(program.buffers[*buffer].dtype);
        let written = group.writes.contains(buffer) || group.tickets().any(|t| t == *buffer);
        let constant = if written { "" } else { "const " };
        parameters.push(format!("{constant}{ty} *__restrict__ b{k}"));
    }
    parameters.extend((0..n_maps).map(|k| format!("const __grid_constant__ litz_tensor_map t{k}")));
    let symbols: Vec<String> = (0..n_symbols).map(|k| format!("s{k}")).collect();
    parameters.extend(symbols.iter().map(|s| format!("i64 {s}")));
    parameters.push("int *failure".into());
    let Launch { threads, cluster, resident } = launch;
    let cluster = if cluster > 1 { format!("__cluster_dims__({cluster}, 1, 1) ") } else { String::new() };
    let resident = if resident > 0 { format!(", {resident}") } else { String::new() };
    let mut text = format!(
        "\nextern \"C\" __global__ void {cluster}__launch_bounds__({threads}{resident}) LITZ_KERNEL({}) {{\n",
        parameters.join(", ")
    );
    if !symbols.is_empty() {
        text.push_str(&format!("  const i64 S[] = {{{}}};\n", symbols.join(", ")));
    }
    text
}
