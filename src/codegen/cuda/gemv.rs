//! Products of few rows with a matrix: they take as long as the matrix takes to be read, so that all threads read it
//! (`native/cuda/gemv.h`).

use super::super::{Kernel, NativeHeader, cpp};
use super::function::Launch;
use super::matrix::ChunkOperand;
use super::template::{Shape, Template};
use crate::loops::BufferId;
use crate::templates::gemv::{self, MOST_BY_COLUMNS, MOST_ROWS};
use crate::types::{Dtype, SymInt};

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
        let sizes: Vec<String> = [batches, m, n, k].into_iter().map(|s| self.emitter.index_text(s)).collect();
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        let results = syms.hint(batches).max(1) * syms.hint(wide).max(1);
        let enough = self.target.multiprocessors as i64 * 4;
        let shape = match in_rows {
            true => gemv::Shape::of_rows(rows, results, enough),
            false => gemv::Shape::of_columns(lanes, results, enough),
        };
        let (name, numbers) = match shape {
            gemv::Shape::Rows { rows, split, unrolled } => ("rows", [rows, split, unrolled]),
            gemv::Shape::Columns { across, threads, unrolled } => ("columns", [across, threads, unrolled]),
        };
        let numbers = numbers.map(|n| n.to_string()).join(", ");
        self.emitter.line(&format!(
            "litz_gemv_{name}<{memory}, {rows}, {numbers}, {swapped}>(shape, {names}, epilogue);"
        ));
        let (width, threads) = (shape.width(lanes), shape.threads());
        let blocks = syms.mul(batches, syms.ceildiv(wide, syms.constant(width)));
        let headers = vec![NativeHeader::CudaGemm, NativeHeader::CudaMma, NativeHeader::CudaGemv];
        let shared = syms.constant(0);
        self.finish(Shape { kind: "gemv", headers, blocks, launch: Launch::block(threads), shared })
    }
}
