//! Several kernels as one: a function that divides a range of tasks, or the blocks of a launch, among the kernels.

use super::Kernel;
use crate::base::OrderedSet;
use crate::kernels::{self, BufferParameter, Launch};
use crate::loops::Program;
use crate::mapping::emit::{Emitter, Finished};
use crate::print::cxx::{self, Part};
use crate::print::{self, cuda};
use crate::types::SymbolId;

/// The kernel that runs these, by their final names, as if the tasks of each followed those of the one before.
pub fn kernel(program: &Program, kernels: &[(String, &Kernel)]) -> Kernel {
    let syms = &program.syms;
    let mut emitter = Emitter::new(program);
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
    let Finished { body, symbols: counted } = emitter.finish();
    symbols.extend(counted);
    let grain = (known as f64 / f64::max(pieces, 1e-9)).ceil().clamp(1.0, 1e15) as i64;
    Kernel {
        kind: kernels[0].1.kind,
        body: cxx::parts(&body, &parts),
        functions: print::functions(&body),
        tile_heights: 0,
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

/// The kernel of a GPU that runs these. Their blocks have as many threads, the numbers of blocks are known, and vectors have one width.
/// Kernels with the same code share a function.
pub fn blocks<'k>(
    program: &Program,
    kind: &'static str,
    kernels: impl Iterator<Item = &'k kernels::Kernel>,
) -> Kernel {
    let syms = &program.syms;
    let (mut functions, mut texts): (Vec<&kernels::Kernel>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut buffers, mut symbols): (Vec<BufferParameter>, Vec<SymbolId>) = (Vec::new(), Vec::new());
    let (mut parts, mut total, mut width, mut lanes) = (Vec::new(), 0, 0, 1);
    for kernel in kernels {
        let Launch::Gpu { blocks, threads, .. } = kernel.launch else {
            unreachable!("a GPU's kernel has a GPU's launch")
        };
        let text = cuda::function(kernel);
        let function = texts.iter().position(|t| *t == text).unwrap_or_else(|| {
            functions.push(kernel);
            texts.push(text);
            functions.len() - 1
        });
        let mut own = Vec::with_capacity(kernel.buffers.len());
        for parameter in &kernel.buffers {
            let place = buffers.iter().position(|b| b.buffer == parameter.buffer);
            own.push(place.unwrap_or(buffers.len()));
            match place {
                Some(place) if parameter.role.is_written() => buffers[place].role = parameter.role,
                Some(_) => {}
                None => buffers.push(parameter.clone()),
            }
        }
        let mut place = |symbol: &SymbolId| {
            symbols.iter().position(|s| s == symbol).unwrap_or_else(|| {
                symbols.push(*symbol);
                symbols.len() - 1
            })
        };
        let of_part = kernel.symbols.iter().map(&mut place).collect();
        let blocks = syms.as_const(blocks).expect("kernels of a launch have known numbers of blocks");
        parts.push(cuda::Part { function, buffers: own, symbols: of_part, blocks });
        (total, width, lanes) = (total + blocks, threads, kernel.lanes);
    }
    let called = functions.iter().flat_map(|k| crate::print::functions(&k.body));
    Kernel {
        kind,
        body: cuda::together(&functions, &buffers, symbols.len(), width, &parts),
        functions: OrderedSet::from_iter(called),
        tile_heights: 0,
        headers: Vec::new(),
        buffers: buffers.iter().map(|b| b.buffer).collect(),
        symbols,
        tasks: syms.constant(total),
        grain: syms.constant(width),
        scratch: syms.constant(0),
        lanes,
        maps: Vec::new(),
    }
}
