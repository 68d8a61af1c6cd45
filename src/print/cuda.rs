//! The function of a kernel for a GPU: what one thread does.

use super::{Dialect, words};
use crate::kernels::{Kernel, Launch};

/// The function around a kernel's body; `maps` tensor maps follow the buffers.
pub fn function(kernel: &Kernel, maps: usize) -> String {
    let Launch::Gpu { threads, cluster, resident, .. } = kernel.launch else {
        unreachable!("a GPU's kernel has a GPU's launch")
    };
    let mut parameters: Vec<String> = Vec::new();
    for (place, parameter) in kernel.buffers.iter().enumerate() {
        let ty = words::memory_type(parameter.dtype);
        let constant = if parameter.role.is_written() { "" } else { "const " };
        parameters.push(format!("{constant}{ty} *__restrict__ b{place}"));
    }
    parameters.extend((0..maps).map(|k| format!("const __grid_constant__ litz_tensor_map t{k}")));
    let symbols: Vec<String> = (0..kernel.symbols.len()).map(|k| format!("s{k}")).collect();
    parameters.extend(symbols.iter().map(|s| format!("i64 {s}")));
    parameters.push("int *failure".into());
    let cluster = if cluster > 1 { format!("__cluster_dims__({cluster}, 1, 1) ") } else { String::new() };
    let resident = if resident > 0 { format!(", {resident}") } else { String::new() };
    let mut text = format!(
        "\nextern \"C\" __global__ void {cluster}__launch_bounds__({threads}{resident}) LITZ_KERNEL({}) {{\n",
        parameters.join(", ")
    );
    if !symbols.is_empty() {
        text.push_str(&format!("  const i64 S[] = {{{}}};\n", symbols.join(", ")));
    }
    text.push_str(&super::block(Dialect::Cuda, &kernel.body, &kernel.body.block, 1));
    text.push_str("}\n");
    text
}
