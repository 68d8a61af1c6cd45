//! The CUDA dialect: groups as kernels for one thread of a GPU.
//!
//! The walk over expressions is the one that CPUs have (`emit`), and so is the vocabulary; `native/cuda/prelude.h` gives
//! its words their meaning for a thread. What differs is how a group's loops are dealt out: over blocks and threads
//! instead of tasks and lanes (`mapping::cuda`).
//!
//! Invariants: a kernel touches only the buffers it is given; every thread of a block meets every barrier; vector
//! accesses are proved to be aligned, given buffers that start at multiples of 16 bytes.
//!
//! Deliberately absent: running a compiler, and devices.

pub(super) mod function;

use super::{Kernel, Refusal};
use crate::base::{embedded, ordered_set};
use crate::kernels::{self, Launch};
use crate::loops::Program;
use crate::print;
use crate::schedule::Group;

/// The kernel of a group: `tasks` is the number of blocks, `grain` the threads of a block, and `scratch` the bytes of
/// its dynamic shared memory.
pub fn kernel(
    program: &Program,
    group: &Group,
    mapped: Option<(&'static str, kernels::Kernel)>,
) -> Result<Kernel, Refusal> {
    match mapped {
        Some((kind, kernel)) => Ok(spelled(program, kind, kernel)),
        None => {
            let message = "the CUDA backend has no kernel for it yet; the backend cpu has";
            Err(Refusal::new(program, group, message))
        }
    }
}

/// A kernel of a GPU as text.
fn spelled(program: &Program, kind: &'static str, kernel: kernels::Kernel) -> Kernel {
    let Launch::Gpu { blocks, threads, shared, .. } = kernel.launch else {
        unreachable!("a GPU's kernel has a GPU's launch")
    };
    Kernel {
        kind,
        body: print::cuda::function(&kernel),
        functions: print::functions(&kernel.body),
        headers: print::cuda::headers(&kernel),
        buffers: kernel.buffers.iter().map(|b| b.buffer).collect(),
        symbols: kernel.symbols,
        tasks: blocks,
        grain: program.syms.constant(threads),
        scratch: shared,
        lanes: kernel.lanes,
        maps: kernel.maps,
    }
}

/// A program of kernels whose vectors have `lanes` elements, under their final names.
pub fn source(lanes: i64, kernels: &[(&String, &Kernel)]) -> String {
    let mut text = format!("#define LITZ_LANES {lanes}\n{}", embedded!("native/cuda/prelude.h").text());
    let headers = ordered_set(kernels.iter().flat_map(|(_, k)| k.headers.iter().copied()));
    if super::has_gamma(kernels.iter().flat_map(|(_, k)| k.functions.iter().copied())) {
        text.push_str(GAMMA);
        text.push_str(embedded!("native/gamma.h").text());
    }
    for header in headers {
        text.push_str(&header.text(0));
    }
    for (name, kernel) in kernels {
        text.push_str(&kernel.body.replace("LITZ_KERNEL", name));
    }
    super::includes_first(text, str::to_string)
}

/// The incomplete gamma functions in this vocabulary; their text follows.
const GAMMA: &str = "
#define LITZ_LIBM(name) name
LITZ_NOINLINE f64 litz_gamma_part(f64 a, f64 x, int upper);
LITZ_FLOAT l_igamma(T a, T x) { return (T)litz_gamma_part((f64)a, (f64)x, 0); }
LITZ_FLOAT l_igammac(T a, T x) { return (T)litz_gamma_part((f64)a, (f64)x, 1); }
LITZ_LIFT2(l_igamma) LITZ_LIFT2(l_igammac)
";

/// The program that the executor copies between layouts with.
pub fn copy_source() -> String {
    source(1, &[]) + embedded!("native/cuda/copy.h").text()
}
