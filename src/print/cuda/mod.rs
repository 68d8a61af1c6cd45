//! The function of a kernel for a GPU, as one thread runs it.

mod attention;
mod convolution;
pub(super) mod order;
mod recurrence;
pub(super) mod template;

use super::{Dialect, words};
use crate::kernels::{BufferParameter, Kernel, Launch};
use crate::templates::Header;
use crate::types::Dtype;

/// Native headers that a kernel needs, each behind those that it builds on.
pub fn headers(kernel: &Kernel) -> Vec<Header> {
    let of_templates = super::headers(&kernel.body);
    match kernel.launch {
        // Reductions over a cluster.
        Launch::Gpu { cluster: 2.., .. } if of_templates.is_empty() => {
            vec![Header::CudaTma, Header::CudaCluster]
        }
        _ => of_templates,
    }
}

/// The head of a function of blocks of so many threads: its buffers, each with whether it is written, and its scalars.
pub fn head(buffers: impl Iterator<Item = (usize, Dtype, bool)>, symbols: usize, threads: i64) -> String {
    let pointer = |(place, dtype, written)| {
        let constant = if written { "" } else { "const " };
        format!("{constant}{} *__restrict__ b{place}", words::memory_type(dtype))
    };
    let parameters: Vec<String> = buffers.map(pointer).chain(last_parameters(symbols)).collect();
    let parameters = parameters.join(", ");
    let scalars = scalars(symbols);
    format!(
        "\nextern \"C\" __global__ void __launch_bounds__({threads}) LITZ_KERNEL({parameters}) {{\n{scalars}"
    )
}

/// The function around a kernel's body; tensor maps follow the buffers.
pub fn function(kernel: &Kernel) -> String {
    let Launch::Gpu { threads, cluster, resident, .. } = kernel.launch else {
        unreachable!("a GPU's kernel has a GPU's launch")
    };
    let mut parameters = pointers(&kernel.buffers);
    parameters
        .extend((0..kernel.maps.len()).map(|k| format!("const __grid_constant__ litz_tensor_map t{k}")));
    parameters.extend(last_parameters(kernel.symbols.len()));
    let cluster = if cluster > 1 { format!("__cluster_dims__({cluster}, 1, 1) ") } else { String::new() };
    let resident = if resident > 0 { format!(", {resident}") } else { String::new() };
    let mut text = template::before(&kernel.body);
    text.push_str(&format!(
        "\nextern \"C\" __global__ void {cluster}__launch_bounds__({threads}{resident}) LITZ_KERNEL({}) {{\n",
        parameters.join(", ")
    ));
    text.push_str(&lines(kernel));
    text
}

/// One of the kernels of a launch: the function that it calls, the positions of its buffers and symbols among the launch's parameters, and
/// its number of blocks.
pub struct Part {
    pub function: usize,
    pub buffers: Vec<usize>,
    pub symbols: Vec<usize>,
    pub blocks: i64,
}

/// A kernel that has the blocks of all parts, grouped by function. `buffers` and `symbols` are those of all parts. A block finds its part by
/// binary search, and calls the part's function with its number within the part.
pub fn together(
    functions: &[&Kernel],
    buffers: &[BufferParameter],
    symbols: usize,
    threads: i64,
    parts: &[Part],
) -> String {
    let mut text = String::new();
    for (k, kernel) in functions.iter().enumerate() {
        let mut parameters = vec!["const litz_block_place blockIdx".to_string()];
        parameters.extend(pointers(&kernel.buffers));
        parameters.extend(last_parameters(kernel.symbols.len()));
        let parameters = parameters.join(", ");
        text.push_str(&format!("\nLITZ_FN void LITZ_KERNEL_part_{k}({parameters}) {{\n{}", lines(kernel)));
    }
    let mut parameters = pointers(buffers);
    parameters.extend(last_parameters(symbols));
    text.push_str(&format!(
        "\nextern \"C\" __global__ void __launch_bounds__({threads}) LITZ_KERNEL({}) {{\n",
        parameters.join(", ")
    ));
    text.push_str("  const u32 block = blockIdx.x;\n  u32 first;\n");
    let mut begin = 0;
    for (k, kernel) in functions.iter().enumerate() {
        let mut own = Vec::new();
        for part in parts.iter().filter(|p| p.function == k) {
            own.push((begin, part));
            begin += part.blocks;
        }
        text.push_str(&format!("  if (block < {begin}u) {{\n"));
        let mut arguments = vec!["{block - first}".to_string()];
        for (place, parameter) in kernel.buffers.iter().enumerate() {
            text.push_str(&format!("    {} *a{place};\n", pointee(parameter)));
            arguments.push(format!("a{place}"));
        }
        for place in 0..kernel.symbols.len() {
            text.push_str(&format!("    i64 n{place};\n"));
            arguments.push(format!("n{place}"));
        }
        arguments.push("failure".into());
        choose(&mut text, &own, 2);
        text.push_str(&format!("    LITZ_KERNEL_part_{k}({});\n    return;\n  }}\n", arguments.join(", ")));
    }
    text.push_str("}\n");
    text
}

/// Sets the function's arguments to those of the part that the block belongs to.
fn choose(text: &mut String, parts: &[(i64, &Part)], depth: usize) {
    let indent = "  ".repeat(depth);
    if let [(first, part)] = parts {
        let buffers = part.buffers.iter().enumerate().map(|(place, b)| format!("a{place} = b{b}; "));
        let symbols = part.symbols.iter().enumerate().map(|(place, s)| format!("n{place} = s{s}; "));
        let values: String = buffers.chain(symbols).collect();
        text.push_str(&format!("{indent}{values}first = {first}u;\n"));
        return;
    }
    let (before, after) = parts.split_at(parts.len() / 2);
    text.push_str(&format!("{indent}if (block < {}u) {{\n", after[0].0));
    choose(text, before, depth + 1);
    text.push_str(&format!("{indent}}} else {{\n"));
    choose(text, after, depth + 1);
    text.push_str(&format!("{indent}}}\n"));
}

fn pointee(parameter: &BufferParameter) -> String {
    let constant = if parameter.role.is_written() { "" } else { "const " };
    format!("{constant}{}", words::memory_type(parameter.dtype))
}

fn pointers(buffers: &[BufferParameter]) -> Vec<String> {
    let pointer = |(place, b): (usize, &BufferParameter)| format!("{} *__restrict__ b{place}", pointee(b));
    buffers.iter().enumerate().map(pointer).collect()
}

/// The parameters after the buffers and tensor maps.
fn last_parameters(symbols: usize) -> impl Iterator<Item = String> {
    (0..symbols).map(|k| format!("i64 s{k}")).chain(["int *failure".to_string()])
}

/// The scalar parameters as one array.
fn scalars(count: usize) -> String {
    if count == 0 {
        return String::new();
    }
    let symbols: Vec<String> = (0..count).map(|k| format!("s{k}")).collect();
    format!("  const i64 S[] = {{{}}};\n", symbols.join(", "))
}

/// The lines of a function, and its end.
fn lines(kernel: &Kernel) -> String {
    let mut text = scalars(kernel.symbols.len());
    text.push_str(&super::block(Dialect::Cuda, &kernel.body, &kernel.body.block, 1));
    text.push_str("}\n");
    text
}
