//! Limits of a target: threads, clusters, shared memory and registers.

use super::parts::values;
use super::{Found, Wrong};
use crate::kernels::{
    Base, Block, IndexType, Kernel, Launch, LocalId, Space, Statement, Type, Value, ValueId, each_statement,
};
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
    let (registers, shared) = (live_registers(kernel, &kernel.body.block), shared_arrays(kernel));
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

/// Bytes of a kernel's arrays in shared memory, all of which exist at one time.
fn shared_arrays(kernel: &Kernel) -> i64 {
    let mut bytes = 0;
    each_statement(&kernel.body.block, &mut |statement| {
        if let Statement::Array { local, .. } = statement {
            bytes += held(kernel, *local)[1];
        }
    });
    bytes
}

/// The most bytes of arrays in registers that are in use at one time: from a declaration to the last statement beside it
/// that names the array.
fn live_registers(kernel: &Kernel, block: &Block) -> i64 {
    let mut live: Vec<(usize, i64)> = Vec::new();
    let mut most = 0;
    for (k, statement) in block.iter().enumerate() {
        if let Statement::Array { local, .. } = statement {
            let last = block.iter().rposition(|s| names(kernel, s, *local)).unwrap_or(k);
            live.push((last, held(kernel, *local)[0]));
        }
        live.retain(|(last, _)| *last >= k);
        let inside = statement.blocks().into_iter().map(|b| live_registers(kernel, b)).max().unwrap_or(0);
        most = most.max(live.iter().map(|(_, bytes)| bytes).sum::<i64>() + inside);
    }
    most
}

/// Bytes of an array in registers and in shared memory.
fn held(kernel: &Kernel, local: LocalId) -> [i64; 2] {
    match kernel.body.locals[local].ty {
        Type::Array { dtype, vectors, length, space } => {
            let wide = if vectors { kernel.lanes } else { 1 };
            let held = if space == Space::Shared { dtype } else { super::types::register(dtype) };
            let bytes = length.count(kernel.lanes).saturating_mul(wide).saturating_mul(held.size() as i64);
            if space == Space::Shared { [0, bytes] } else { [bytes, 0] }
        }
        Type::Held { dtype, width, count } => [width * count * dtype.size() as i64, 0],
        _ => [0, 0],
    }
}

/// Whether a statement, or one inside of it, names a local.
fn names(kernel: &Kernel, statement: &Statement, local: LocalId) -> bool {
    let own = match statement {
        Statement::Array { local: own, .. } => *own == local,
        Statement::Assign { place, .. } => reads(kernel, *place, local),
        Statement::FoldArray { array, into, .. } => *array == local || *into == local,
        Statement::Transpose { array, .. }
        | Statement::FoldRows { array, .. }
        | Statement::Flush { array, .. } => *array == local,
        Statement::Fetch { held, .. } => *held == local,
        Statement::PutSquare { held, array, .. } => *held == local || *array == local,
        Statement::ReduceStrips(s) => s.array == local,
        Statement::Store { access, .. } => access.pointer.base == Base::Local(local),
        // Operands and regions may be anything that is in scope.
        Statement::Template(_) | Statement::Region(_) => true,
        _ => false,
    };
    own || values(statement).into_iter().any(|value| reads(kernel, value, local))
        || statement.blocks().into_iter().flatten().any(|inside| names(kernel, inside, local))
}

/// Whether a value names a local.
fn reads(kernel: &Kernel, value: ValueId, local: LocalId) -> bool {
    let value = &kernel.body.values[value];
    let own = match value {
        Value::Local(own) | Value::Element(own, _) => *own == local,
        Value::Load(access) => access.pointer.base == Base::Local(local),
        _ => false,
    };
    own || value.operands().into_iter().any(|operand| reads(kernel, operand, local))
}
