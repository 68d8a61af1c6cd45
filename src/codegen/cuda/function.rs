//! The beginning of a function that a host's source gives the lines of.

use crate::loops::{BufferId, Program};
use crate::print::words as cpp;
use crate::schedule::Group;

/// The function of blocks of so many threads, up to its lines.
pub fn head(
    program: &Program,
    group: &Group,
    buffers: &[BufferId],
    n_symbols: usize,
    threads: i64,
) -> String {
    let mut parameters: Vec<String> = Vec::new();
    for (k, buffer) in buffers.iter().enumerate() {
        let ty = cpp::memory_type(program.buffers[*buffer].dtype);
        let written = group.writes.contains(buffer) || group.tickets().any(|t| t == *buffer);
        let constant = if written { "" } else { "const " };
        parameters.push(format!("{constant}{ty} *__restrict__ b{k}"));
    }
    let symbols: Vec<String> = (0..n_symbols).map(|k| format!("s{k}")).collect();
    parameters.extend(symbols.iter().map(|s| format!("i64 {s}")));
    parameters.push("int *failure".into());
    let mut text = format!(
        "\nextern \"C\" __global__ void __launch_bounds__({threads}) LITZ_KERNEL({}) {{\n",
        parameters.join(", ")
    );
    if !symbols.is_empty() {
        text.push_str(&format!("  const i64 S[] = {{{}}};\n", symbols.join(", ")));
    }
    text
}
