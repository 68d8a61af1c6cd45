//! What the routines of a GPU's products and convolutions ask of a call: its operands, its numbers, its region and its launch.

use super::Checked;
use super::calls::{Asked, Call, Given};
use crate::kernels::text;
use crate::kernels::{Boxes, Operand, Routine, Type};
use crate::templates::pixels::{DEPTHWISE_CHANNELS, DEPTHWISE_THREADS, PixelTile};
use crate::templates::tma::{self, BOX};
use crate::templates::{fma, gemv, mma};
use crate::types::Dtype;

/// Checks a call of one of these; other routines pass.
pub(super) fn check(c: &Call<'_>) -> Checked<()> {
    let lanes = c.kernel.lanes;
    let block = |threads, bytes| Asked { threads: Some(threads), cluster: 1, bytes: Some(bytes) };
    match c.call.routine {
        Routine::GemmFma { dtype } => {
            c.operands(2)?;
            for operand in &c.call.operands {
                match operand {
                    Operand::Region(region) => c.region(*region, 3, &[], Some(Type::Scalar(dtype)))?,
                    other => return c.other_operand(other, "a region".to_string()),
                }
            }
            c.counts(4, 1)?;
            c.epilogue(dtype, 1)?;
            c.launch(block(fma::THREADS, 0))
        }
        Routine::GemmMma { stored, warpgroups: wgmma, rows, columns, down, across, stages } => {
            c.chunks(stored)?;
            c.counts(4, 1)?;
            c.epilogue(Dtype::Float32, lanes)?;
            let tile = mma::Tile { wgmma, rows, columns, down, across, stages };
            c.launch(block(tile.threads(), tile.bytes()))
        }
        Routine::GemvRows { stored, rows, split, unrolled, width, .. } => {
            c.gemv(stored, gemv::Shape::Rows { rows, split, unrolled }, width)
        }
        Routine::GemvColumns { stored, across, threads, unrolled, width, .. } => {
            c.gemv(stored, gemv::Shape::Columns { across, threads, unrolled }, width)
        }
        Routine::GemvCodes { stored, bits, makes, warps, .. } => {
            c.operands(3)?;
            match &c.call.operands[..] {
                [Operand::Rows(rows, at), Operand::Region(weight), Operand::Memory(codes)]
                    if rows.dtype == stored && codes.dtype.size() == 1 && matches!(bits, 4 | 8) =>
                {
                    c.region(*at, 2, &[], Some(Type::Index))?;
                    c.region(*weight, 3, &[], Some(Type::Scalar(Dtype::Float32)))?;
                }
                others => {
                    let what = format!("rows of {stored}, a region and codes");
                    let found: Vec<String> =
                        others.iter().map(|operand| text::operand(c.syms, c.kernel, operand)).collect();
                    return c.other("operands", found.join(", "), what);
                }
            }
            c.counts(4, 1 + makes.shared())?;
            c.lanes(16 / stored.size() as i64)?;
            c.epilogue(Dtype::Float32, 1)?;
            for k in 1..=makes.shared() {
                c.needed(k, |region| c.region(region, 2, &[], Some(Type::Scalar(Dtype::Float32))))?;
            }
            c.launch(block(warps * gemv::codes::LANES, 0))
        }
        Routine::GemmTma {
            stored,
            result,
            groups,
            blocks,
            columns,
            stages,
            down,
            across,
            split,
            skew,
            boxes,
            in_turn,
            exchanged,
            ..
        } => {
            c.operands(3)?;
            (0..2).try_for_each(|k| c.boxes(k, stored, true))?;
            c.counts(4, 1)?;
            if boxes > 0 {
                c.boxes(2, result, true)?;
                c.lanes(2)?;
                let pair = Some(Type::Vector(Dtype::Float32));
                let along = if exchanged { 1 } else { 2 };
                c.needed(0, |region| {
                    c.region_along(region, (3, along), &[Given::Elements(Dtype::Float32, 2)], pair)
                })?;
            } else {
                c.epilogue(Dtype::Float32, lanes)?;
            }
            let tile = tma::Tile { groups, blocks, columns, stages, down, across, split, skew, in_turn };
            c.tma(tile, boxes)
        }
        Routine::ConvolutionMma {
            stored, warpgroups: wgmma, rows, columns, down, across, stages, ..
        } => {
            c.image(stored)?;
            c.epilogue(Dtype::Float32, lanes)?;
            let tile = mma::Tile { wgmma, rows, columns, down, across, stages };
            c.launch(block(tile.threads(), tile.bytes()))
        }
        Routine::ConvolutionWgmma {
            stored,
            groups,
            high,
            columns,
            stages,
            split,
            channels,
            taps_y,
            taps_x,
            ..
        } => {
            c.image(stored)?;
            c.epilogue(Dtype::Float32, lanes)?;
            let tile = PixelTile { groups, high, columns, stages, split };
            let bytes = tile.shared(channels * taps_y * taps_x);
            c.launch(Asked { cluster: split, ..block(128 * groups, bytes) })
        }
        Routine::ConvolutionDepthwise { stored, .. } => {
            c.image(stored)?;
            c.lanes(DEPTHWISE_CHANNELS)?;
            c.epilogue(Dtype::Float32, DEPTHWISE_CHANNELS)?;
            c.launch(block(DEPTHWISE_THREADS, 0))
        }
        Routine::ConvolutionTma {
            stored,
            groups,
            blocks,
            columns,
            stages,
            down,
            across,
            split,
            skew,
            in_turn,
            axes,
            ..
        } => {
            c.operands(2)?;
            (0..2).try_for_each(|k| c.boxes(k, stored, false))?;
            c.counts(4 + 2 * axes.rank, 1)?;
            c.epilogue(Dtype::Float32, lanes)?;
            let tile = tma::Tile { groups, blocks, columns, stages, down, across, split, skew, in_turn };
            c.tma(tile, 0)
        }
        _ => Ok(()),
    }
}

impl Call<'_> {
    /// What is done with so many neighbouring sums at (batch, m, n).
    fn epilogue(&self, dtype: Dtype, lanes: i64) -> Checked<()> {
        self.needed(0, |region| self.region(region, 3, &[Given::Elements(dtype, lanes)], None))
    }

    /// Two operands that come in chunks of 16 bytes: rows that a region finds, or a matrix of two strides.
    fn chunks(&self, stored: Dtype) -> Checked<()> {
        self.operands(2)?;
        for operand in &self.call.operands {
            match operand {
                Operand::Rows(memory, at) if memory.dtype == stored => {
                    self.region(*at, 2, &[], Some(Type::Index))?;
                }
                Operand::Memory(memory) if memory.dtype == stored && memory.strides.len() == 2 => {}
                other => {
                    return self.other_operand(other, format!("chunks of {stored}"));
                }
            }
        }
        Ok(())
    }

    fn gemv(&self, stored: Dtype, shape: gemv::Shape, width: i64) -> Checked<()> {
        let lanes = 16 / stored.size() as i64;
        self.chunks(stored)?;
        self.counts(4, 1)?;
        self.lanes(lanes)?;
        self.epilogue(Dtype::Float32, 1)?;
        self.count("results of a block", width as usize, shape.width(lanes) as usize)?;
        self.launch(Asked { threads: Some(shape.threads()), cluster: 1, bytes: Some(0) })
    }

    /// Boxes of a map, with a region that finds them or without.
    fn boxes(&self, k: usize, dtype: Dtype, found: bool) -> Checked<()> {
        let other = |operand: &Operand| self.other_operand(operand, format!("boxes of a tensor of {dtype}"));
        let operand = &self.call.operands[k];
        let Operand::Boxes(Boxes { map, at, .. }) = operand else { return other(operand) };
        let map = self.kernel.maps.get(*map);
        let buffer = map.and_then(|map| self.kernel.buffers.iter().find(|b| b.buffer == map.buffer));
        let Some((map, _)) = map.zip(buffer).filter(|(_, buffer)| buffer.dtype == dtype) else {
            return other(operand);
        };
        match at {
            Some(at) if found => {
                let places = map.sizes.iter().map(|_| Given::Place(Type::Index)).collect::<Vec<_>>();
                self.region(*at, 3, &places, None)
            }
            None if !found => Ok(()),
            _ => other(operand),
        }
    }

    /// An image and a weight in memory, and the numbers of the image's windows.
    fn image(&self, stored: Dtype) -> Checked<()> {
        self.operands(2)?;
        for operand in &self.call.operands {
            match operand {
                Operand::Memory(memory) if memory.dtype == stored => {}
                other => {
                    return self.other_operand(other, format!("a buffer of {stored}"));
                }
            }
        }
        self.counts(15, 1)
    }

    fn tma(&self, tile: tma::Tile, boxes: i64) -> Checked<()> {
        let bytes = tile.bytes() + tile.groups * boxes * BOX;
        self.launch(Asked { threads: Some(tile.threads()), cluster: tile.cluster(), bytes: Some(bytes) })
    }
}
