//! What attention's templates for a GPU ask of their operands, numbers, regions and launch.

use super::Checked;
use super::calls::{Asked, Call, Given};
use crate::kernels::{Boxes, Operand, Routine, Type};
use crate::templates::attention::{BackwardTile, FewTile, FmaTile, MmaTile, SplitTile, WARPS, WgmmaTile};
use crate::types::Dtype;

/// Checks a call of attention; other routines pass.
pub(super) fn check(c: &Call<'_>) -> Checked<()> {
    let Call { kernel, call, .. } = *c;
    let block = |threads, bytes| Asked { threads: Some(threads), cluster: 1, bytes: Some(bytes) };
    match call.routine {
        Routine::AttentionWarps { dtype, .. } => {
            c.elements(dtype, false)?;
            c.rows(dtype, 1, 9)?;
            c.launch(Asked { threads: Some(32 * WARPS), cluster: 1, bytes: None })
        }
        Routine::AttentionFew { dtype, splits, .. } => {
            c.elements(dtype, false)?;
            c.rows(dtype, 1, 9)?;
            c.launch(Asked { threads: Some(32 * FewTile::WARPS), cluster: splits, bytes: None })
        }
        Routine::AttentionFma { dtype, own, head_size, parts, stages, rows, .. } => {
            c.elements(dtype, rows)?;
            c.rows(dtype, 1, 9)?;
            let bytes = FmaTile { own, stages }.bytes(head_size, 32 * parts, dtype.size() as i64);
            c.launch(block(FmaTile::THREADS, bytes))
        }
        Routine::AttentionMma { stored, warps, head_size, value_size, .. } => {
            c.operands(3)?;
            (0..3).try_for_each(|k| c.heads(k, stored))?;
            c.rows(Dtype::Float32, kernel.lanes, 7)?;
            c.launch(block(32 * warps, MmaTile { warps }.bytes(head_size, value_size)))
        }
        Routine::AttentionSplit { stored, warps, splits, tiles, head_size, value_size, .. } => {
            c.operands(3)?;
            (0..3).try_for_each(|k| c.heads(k, stored))?;
            c.lanes(8)?;
            c.rows(Dtype::Float32, 8, 7)?;
            let bytes = SplitTile::bytes(16 * tiles, head_size, value_size);
            c.launch(Asked { cluster: splits, ..block(32 * warps, bytes) })
        }
        Routine::AttentionWgmma { stored, groups, keys, stages, head_size, value_size, .. } => {
            c.operands(3)?;
            let tile = WgmmaTile { groups, keys, stages, resident: 1 };
            for (k, rows) in [tile.queries(), keys, keys].into_iter().enumerate() {
                c.tensor(k, stored, rows)?;
            }
            c.lanes(8)?;
            c.rows(Dtype::Float32, 8, 9)?;
            c.launch(block(tile.threads(), tile.bytes(head_size, value_size)))
        }
        Routine::AttentionGradQueries { stored, groups, walked, stages, head_size, value_size, .. } => {
            let tile = BackwardTile::of_queries(head_size, value_size);
            c.geometry([groups, walked, stages], &tile)?;
            c.gradients(stored, [tile.rows(), walked], 1)?;
            c.launch(block(tile.threads(), tile.bytes(head_size, value_size)))
        }
        Routine::AttentionGradKeys { stored, groups, walked, stages, head_size, value_size, .. } => {
            let tile = BackwardTile::of_keys(head_size, value_size);
            c.geometry([groups, walked, stages], &tile)?;
            c.gradients(stored, [walked, tile.rows()], 2)?;
            c.launch(block(tile.threads(), tile.bytes(head_size, value_size)))
        }
        _ => Ok(()),
    }
}

impl Call<'_> {
    /// Regions that give elements; where `rows`, the last two are rows in memory.
    fn elements(&self, dtype: Dtype, rows: bool) -> Checked<()> {
        self.operands(3)?;
        for (k, operand) in self.call.operands.iter().enumerate() {
            match operand {
                _ if rows && k > 0 => self.heads(k, dtype)?,
                Operand::Region(region) => self.region(*region, 4, &[], Some(Type::Scalar(dtype)))?,
                other => {
                    return self.other_operand(other, "a region".to_string());
                }
            }
        }
        Ok(())
    }
    /// Rows in memory, of strides of batch, head and row.
    fn heads(&self, k: usize, dtype: Dtype) -> Checked<()> {
        match &self.call.operands[k] {
            Operand::Memory(memory) if memory.dtype == dtype && memory.strides.len() == 3 => Ok(()),
            other => self.other_operand(other, format!("rows of {dtype} of three strides")),
        }
    }
    /// Boxes of 64 elements by so many rows.
    fn tensor(&self, k: usize, dtype: Dtype, rows: i64) -> Checked<()> {
        let map = match &self.call.operands[k] {
            Operand::Boxes(Boxes { map, at: None, written: false }) => self.kernel.maps.get(*map),
            _ => None,
        };
        let buffer = map.and_then(|map| self.kernel.buffers.iter().find(|b| b.buffer == map.buffer));
        let fits = map.is_some_and(|map| {
            map.boxes.iter().map(|n| i64::from(*n)).eq([64, rows, 1, 1])
                && map.steps.iter().all(|n| *n == 1)
                && map.swizzle == 128
        });
        match fits && buffer.is_some_and(|b| b.dtype == dtype) {
            true => Ok(()),
            false => {
                let expected =
                    format!("a tensor of {dtype} in boxes of [64, {rows}, 1, 1], in rows of 128 bytes");
                self.other_operand(&self.call.operands[k], expected)
            }
        }
    }

    /// The regions of attention, whose epilogue takes so many elements, and the number of its numbers.
    fn rows(&self, dtype: Dtype, lanes: i64, numbers: usize) -> Checked<()> {
        self.counts(numbers, 4)?;
        self.score(dtype)?;
        self.needed(1, |region| self.region(region, 4, &[Given::Elements(dtype, lanes)], None))?;
        if let Some(log_sum) = self.call.regions[2] {
            self.region(log_sum, 3, &[Given::Value(dtype)], None)?;
        }
        self.needed(3, |region| self.region(region, 2, &[], Some(Type::Index)))
    }
    fn score(&self, dtype: Dtype) -> Checked<()> {
        let given = [Given::Value(dtype)];
        let score = |region| self.region(region, 4, &given, Some(Type::Scalar(dtype)));
        self.call.regions[0].map_or(Ok(()), score)
    }
    /// Tensors of query, cotangent, key and value, in boxes of so many rows of queries and of keys; then so many results.
    fn gradients(&self, dtype: Dtype, [queries, keys]: [i64; 2], results: usize) -> Checked<()> {
        self.operands(4 + results)?;
        for (k, rows) in [queries, queries, keys, keys].into_iter().enumerate() {
            self.tensor(k, dtype, rows)?;
        }
        for k in 4..4 + results {
            match &self.call.operands[k] {
                Operand::Absent if results > 1 => {}
                Operand::Memory(memory) if memory.written => self.heads(k, dtype)?,
                other => {
                    return self.other_operand(other, "rows that are written".to_string());
                }
            }
        }
        self.counts(8, 4)?;
        self.score(Dtype::Float32)?;
        let number = Some(Type::Scalar(Dtype::Float32));
        for k in [1, 2] {
            self.needed(k, |region| self.region(region, 3, &[], number))?;
        }
        self.needed(3, |region| self.region(region, 2, &[], Some(Type::Index)))
    }

    fn geometry(&self, found: [i64; 3], tile: &BackwardTile) -> Checked<()> {
        let expected = [tile.groups, tile.walked, tile.stages];
        match found == expected {
            true => Ok(()),
            false => self.other("the geometry", format!("{found:?}"), format!("{expected:?}")),
        }
    }
}
