//! Products of any operands on a GPU, in ordinary arithmetic (`native/cuda/gemm.h`).

use super::Constant;

/// Rows and columns of a block's tile, and k of a step.
pub const SIDE: i64 = 64;
const STEP: i64 = 16;
/// Threads of a block: each has four by four sums.
pub const THREADS: i64 = (SIDE / 4) * (SIDE / 4);

pub fn constants() -> Vec<Constant> {
    vec![("LITZ_GEMM_SIDE", SIDE), ("LITZ_GEMM_STEP", STEP), ("LITZ_GEMM_THREADS", THREADS)]
}
