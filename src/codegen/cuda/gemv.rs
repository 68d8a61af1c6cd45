//! Products of few rows with a matrix: they take as long as the matrix takes to be read, so that all threads read it
//! (`native/cuda/gemv.h`).

use super::super::{Kernel, NativeHeader, cpp};
use super::matrix::ChunkOperand;
use super::template::{Shape, Template};
use super::writer::Launch;
use crate::loops::BufferId;
use crate::types::{Dtype, SymInt};

/// More rows than this are faster on tensor cores.
const MOST_ROWS: i64 = 4;
/// The same where the matrix is read along its columns.
const MOST_BY_COLUMNS: i64 = 2;

/// The side with few rows.
#[derive(Clone, Copy)]
pub(super) struct Thin {
    rows: i64,
    /// It is the right operand.
    swapped: bool,
}

impl Template<'_> {
    /// Whether one side has so few rows that reading the other is all there is to do.
    pub(super) fn few_rows(
        &self,
        [_, m, n, _]: [SymInt; 4],
        [left, right]: [&ChunkOperand; 2],
    ) -> Option<Thin> {
        let few = |rows: SymInt, thin: &ChunkOperand, wide: &ChunkOperand| {
            let by_rows = |operand: &ChunkOperand| matches!(operand, ChunkOperand::Rows { .. });
            let most = if by_rows(wide) { MOST_ROWS } else { MOST_BY_COLUMNS };
            let rows = self.program.syms.as_const(rows).filter(|n| (1..=most).contains(n))?;
            by_rows(thin).then_some(rows)
        };
        few(m, left, right)
            .map(|rows| Thin { rows, swapped: false })
            .or_else(|| few(n, right, left).map(|rows| Thin { rows, swapped: true }))
    }

    pub(super) fn gemv(
        mut self,
        batch: &[SymInt],
        [batches, m, n, k]: [SymInt; 4],
        out: BufferId,
        operands: [ChunkOperand; 2],
        thin: Thin,
    ) -> Kernel {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let memory = cpp::memory_type(operands[0].dtype());
        let lanes = 16 / operands[0].dtype().size() as i64;
        let Thin { rows, swapped } = thin;
        let (wide, names) = if swapped { (m, "right, left") } else { (n, "left, right") };
        let in_rows = matches!(operands[usize::from(!swapped)], ChunkOperand::Rows { .. });
        self.declare_operands(batch, [m, n, k], &operands);
        self.matrix_epilogue(batch, [m, n], out, Dtype::Float32);
        self.lanes = lanes;
        let sizes: Vec<String> = [batches, m, n, k].into_iter().map(|s| self.emitter.index(s)).collect();
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        let results = syms.hint(batches).max(1) * syms.hint(wide).max(1);
        let enough = self.target.multiprocessors as i64 * 4;
        let (width, threads) = if in_rows {
            // Rows of a warp, warps that share them, chunks of a row in flight.
            let (wide_rows, split, unrolled) = match rows {
                1 => (1, 4, 4),
                _ if results >= 32 * enough => (4, 1, 2),
                _ => (4, 8, 1),
            };
            self.emitter.line(&format!(
                "litz_gemv_rows<{memory}, {rows}, {wide_rows}, {split}, {unrolled}, {swapped}>(shape, {names}, epilogue);"
            ));
            (wide_rows * (8 / split), 256)
        } else {
            let (across, threads) = if results >= 8 * lanes * enough / 4 { (8, 512) } else { (4, 1024) };
            let unrolled = 4096 / threads;
            self.emitter.line(&format!(
                "litz_gemv_columns<{memory}, {rows}, {across}, {threads}, {unrolled}, {swapped}>(shape, {names}, epilogue);"
            ));
            (across * lanes, threads)
        };
        let blocks = syms.mul(batches, syms.ceildiv(wide, syms.constant(width)));
        let headers = vec![NativeHeader::CudaGemm, NativeHeader::CudaMma, NativeHeader::CudaGemv];
        let shared = syms.constant(0);
        self.finish(Shape { kind: "gemv", headers, blocks, launch: Launch::block(threads), shared })
    }
}
