//! What a target can hold.

use super::{Found, Wrong};
use crate::kernels::{Block, IndexType, Kernel, Launch, Space, Statement, Type, each_statement};
use crate::target::Target;
use crate::types::SymArena;

/// Threads of a block, blocks of a cluster, and bytes of registers of a thread: what CUDA allows on every GPU that kernels are
/// written for.
const MOST_THREADS: i64 = 1024;
const MOST_BLOCKS: i64 = 8;
const MOST_REGISTERS: i64 = 255 * 4;
/// Bytes of static shared memory of a block.
const MOST_STATIC: i64 = 48 << 10;
/// The widest vectors of a CPU.
const MOST_LANES: i64 = 64;

pub(super) fn check(syms: &SymArena, kernel: &Kernel, target: &Target) -> Result<(), Found> {
    let (mut registers, mut shared) = (0, 0);
    arrays(kernel, &kernel.body.block, &mut registers, &mut shared);
    let limit = |what, found: i64, most: i64| match found > most {
        true => Err((None, Wrong::Limit { what, found, most, target: target.name() })),
        false => Ok(()),
    };
    let launch = |what, found: i64, fits: bool, expected: &str| match fits {
        true => Ok(()),
        false => Err((None, Wrong::Launch { what, found, expected: expected.to_string() })),
    };
    launch("lanes", kernel.lanes, kernel.lanes > 0, "a positive number")?;
    limit("lanes", kernel.lanes, MOST_LANES)?;
    match (&kernel.launch, target) {
        (Launch::Cpu { scratch, grain, .. }, Target::Cpu(_)) => {
            launch("shared bytes", shared, shared == 0, "0 on a CPU")?;
            let wide = if kernel.body.index == IndexType::I32 { 32 } else { 64 };
            launch("bits of an index", wide, wide == 64, "64 on a CPU")?;
            let least = syms.range(*grain).min;
            launch("tasks of a thread", least, least > 0, "a positive number")?;
            let least = syms.range(*scratch).min;
            launch("bytes of scratch", least, least >= 0, "0 or more")
        }
        (Launch::Gpu { threads, cluster, resident, shared: dynamic, .. }, Target::Cuda(gpu)) => {
            launch("threads", *threads, *threads > 0, "a positive number")?;
            limit("threads in a block", *threads, MOST_THREADS)?;
            launch("threads", *threads, *threads % 32 == 0, "a number of whole warps")?;
            launch("blocks of a cluster", *cluster, *cluster > 0, "a positive number")?;
            limit("blocks in a cluster", *cluster, if gpu.arch >= 90 { MOST_BLOCKS } else { 1 })?;
            launch("resident blocks", *resident, *resident >= 0, "0 or more")?;
            limit("resident threads", resident * threads, 2048)?;
            limit("bytes of registers in arrays", registers, MOST_REGISTERS)?;
            limit("bytes of static shared memory", shared, MOST_STATIC)?;
            let dynamic = syms.range(*dynamic);
            launch("bytes of dynamic shared memory", dynamic.min, dynamic.min >= 0, "0 or more")?;
            limit("bytes of shared memory", dynamic.max.saturating_add(shared), gpu.shared_bytes as i64)
        }
        (Launch::Cpu { .. }, _) => Err((None, Wrong::OtherMachine { what: "the launch" })),
        (Launch::Gpu { .. }, _) => Err((None, Wrong::OtherMachine { what: "the launch" })),
    }
}

/// Bytes of a kernel's arrays in registers and in shared memory.
fn arrays(kernel: &Kernel, block: &Block, registers: &mut i64, shared: &mut i64) {
    each_statement(block, &mut |statement| {
        if let Statement::Array { local, .. } = statement
            && let Type::Array { dtype, vectors, length, space } = kernel.body.locals[*local].ty
        {
            let wide = if vectors { kernel.lanes } else { 1 };
            let held = if space == Space::Shared { dtype } else { super::types::register(dtype) };
            let bytes = length.count(kernel.lanes).saturating_mul(wide).saturating_mul(held.size() as i64);
            *if space == Space::Shared { &mut *shared } else { &mut *registers } += bytes;
        }
        if let Statement::Array { local, .. } = statement
            && let Type::Held { dtype, width, count } = kernel.body.locals[*local].ty
        {
            *registers += width * count * dtype.size() as i64;
        }
    });
}
