//! Several kernels as one: a function that deals a range of tasks out over the kernels' own.

use super::Kernel;
use super::emit::{Emitter, Finished};
use crate::loops::Program;
use crate::print::Dialect;
use crate::print::cxx::{self, Part};

/// The kernel that runs these, by their final names, as if the tasks of each followed those of the one before.
pub fn kernel(program: &Program, kernels: &[(String, &Kernel)]) -> Kernel {
    let syms = &program.syms;
    let mut emitter = Emitter::new(program, Dialect::Cxx);
    let (mut buffers, mut symbols) = (Vec::new(), Vec::new());
    let (mut tasks, mut scratch) = (syms.constant(0), syms.constant(0));
    let (mut pieces, mut known) = (0.0, 0);
    // The kernels' symbols come first, so that each finds its own in a row; what the counts need follows.
    emitter.reserve_symbols(kernels.iter().map(|(_, k)| k.symbols.len()).sum());
    let mut parts = Vec::with_capacity(kernels.len());
    for (name, kernel) in kernels {
        let count = emitter.index(kernel.tasks);
        parts.push(Part { name, tasks: count, buffers: buffers.len(), symbols: symbols.len() });
        buffers.extend(kernel.buffers.iter().copied());
        symbols.extend(kernel.symbols.iter().copied());
        tasks = syms.add(tasks, kernel.tasks);
        scratch = syms.max(scratch, kernel.scratch);
        let count = syms.hint(kernel.tasks).max(0);
        known += count;
        pieces += count as f64 / syms.hint(kernel.grain).max(1) as f64;
    }
    let Finished { body, symbols: counted, functions } = emitter.finish();
    symbols.extend(counted);
    let grain = (known as f64 / f64::max(pieces, 1e-9)).ceil().clamp(1.0, 1e15) as i64;
    Kernel {
        kind: kernels[0].1.kind,
        body: cxx::parts(&body, &parts),
        functions,
        headers: Vec::new(),
        buffers,
        symbols,
        tasks,
        grain: syms.constant(grain),
        scratch,
        lanes: 0,
        maps: Vec::new(),
    }
}
