//! Products of few rows with a matrix (`native/cuda/gemv.h`). Reading the matrix takes all of their time, so all threads read it.

use super::product::{Chunks, Product};
use super::template::{Blocks, Template};
use crate::kernels::{Kernel, Routine};
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
    pub(super) fn few_rows(&self, [m, n]: [SymInt; 2], [left, right]: [&Chunks; 2]) -> Option<Thin> {
        let few = |rows: SymInt, thin: &Chunks, wide: &Chunks| {
            let by_rows = |operand: &Chunks| matches!(operand, Chunks::Rows { .. });
            let most = if by_rows(wide) { MOST_ROWS } else { MOST_BY_COLUMNS };
            let rows = self.program.syms.as_const(rows).filter(|n| (1..=most).contains(n))?;
            by_rows(thin).then_some(rows)
        };
        few(m, left, right)
            .map(|rows| Thin { rows, swapped: false })
            .or_else(|| few(n, right, left).map(|rows| Thin { rows, swapped: true }))
    }

    pub(super) fn gemv(mut self, p: &Product, operands: [Chunks; 2], thin: Thin) -> Kernel {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let stored = operands[0].dtype();
        let lanes = 16 / stored.size() as i64;
        let Thin { rows: thin_rows, swapped } = thin;
        let wide = if swapped { p.m } else { p.n };
        let in_rows = matches!(operands[usize::from(!swapped)], Chunks::Rows { .. });
        let sizes = self.sizes(p);
        let operands = self.operands_of_chunks(p, operands);
        let epilogue = self.product_epilogue(p, Dtype::Float32);
        self.lanes = lanes;
        let results = syms.hint(sizes[0]).max(1) * syms.hint(wide).max(1);
        let enough = self.target.multiprocessors as i64 * 4;
        let shape = match in_rows {
            true => gemv::Shape::of_rows(thin_rows, results, enough),
            false => gemv::Shape::of_columns(lanes, results, enough),
        };
        let width = shape.width(lanes);
        let routine = match shape {
            gemv::Shape::Rows { rows, split, unrolled } => {
                Routine::GemvRows { stored, thin: thin_rows, rows, split, unrolled, swapped, width }
            }
            gemv::Shape::Columns { across, threads, unrolled } => {
                Routine::GemvColumns { stored, thin: thin_rows, across, threads, unrolled, swapped, width }
            }
        };
        self.call(routine, operands, &sizes, vec![Some(epilogue)]);
        let blocks = syms.mul(sizes[0], syms.ceildiv(wide, syms.constant(width)));
        self.finish(Blocks::new(blocks, shape.threads(), syms.constant(0)))
    }
}
