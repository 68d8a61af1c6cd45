//! Calls of a GPU's templates, run by what their routines mean: a block's first thread computes what the native text's blocks
//! compute, piece by piece, with the kernel's own regions. The other threads of the block wait for it.

use super::template::{Given, Source, add_products, all, ceil, needed, wrong};
use super::thread::{Thread, World};
use super::{Data, Fault};
use crate::kernels::{LocalId, Operand, Routine, TemplateCall};
use crate::loops::Number;
use crate::templates::fma;
use crate::types::Dtype;

type Result<T> = std::result::Result<T, Fault>;

/// An operand of a product, of which rows are read: a row of the left one is one of the result, of the right one a column.
enum Factor {
    /// A region gives an element.
    Region(LocalId),
    /// A region gives where a row begins.
    Rows(Source, LocalId),
    /// Rows are neighbours: strides of the batch and along k.
    Matrix(Source, [i64; 2]),
}

/// A product in tiles, one of which a block has.
struct Product {
    dtype: Dtype,
    batches: i64,
    sizes: [i64; 3],
    tile: [i64; 2],
}

impl<'k> Thread<'k> {
    pub fn device_template(&mut self, world: &mut World<'k>, call: &'k TemplateCall) -> Result<()> {
        if self.stamp.thread != 0 {
            return Ok(());
        }
        let mut numbers = Vec::with_capacity(call.numbers.len());
        for number in &call.numbers {
            numbers.push(self.index(world, *number)?);
        }
        match call.routine {
            Routine::GemmFma { dtype } => self.gemm(world, call, &numbers, (dtype, [fma::SIDE, fma::SIDE])),
            Routine::GemmMma { rows, columns, .. } => {
                self.gemm(world, call, &numbers, (Dtype::Float32, [rows, columns]))
            }
            _ => Err(wrong(call)),
        }
    }

    fn gemm(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
        (dtype, tile): (Dtype, [i64; 2]),
    ) -> Result<()> {
        let [batches, rows, columns, depth] = all(call, numbers)?;
        let product = Product { dtype, batches, sizes: [rows, columns, depth], tile };
        let factors = [self.row_factor(world, call, 0)?, self.row_factor(world, call, 1)?];
        let tiles = batches * ceil(rows, tile[0]) * ceil(columns, tile[1]);
        self.one_each(world, tiles)?;
        self.tile(world, call, &product, &factors, i64::from(self.stamp.block))
    }

    /// Every block has one of so many tiles.
    fn one_each(&self, world: &World<'_>, tiles: i64) -> Result<()> {
        match world.blocks == tiles {
            true => Ok(()),
            false => Err(Fault::Launch(format!("{} blocks for {tiles} tiles", world.blocks))),
        }
    }

    fn row_factor(&mut self, world: &mut World<'k>, call: &TemplateCall, k: usize) -> Result<Factor> {
        match call.operands.get(k) {
            Some(Operand::Region(region)) => Ok(Factor::Region(*region)),
            Some(Operand::Rows(memory, at)) => Ok(Factor::Rows(self.source(world, memory)?, *at)),
            Some(Operand::Memory(memory)) => {
                let source = self.source(world, memory)?;
                Ok(Factor::Matrix(source, self.indices(world, call, memory)?))
            }
            _ => Err(wrong(call)),
        }
    }

    /// A row of a factor, from its first element on.
    fn row(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        factor: &Factor,
        [batch, row, depth]: [i64; 3],
        dtype: Dtype,
    ) -> Result<Vec<Number>> {
        match factor {
            Factor::Region(region) => {
                (0..depth).map(|k| self.element_of(world, call, *region, &[batch, row, k], &[])).collect()
            }
            Factor::Rows(source, at) => {
                let at = self.place_of(world, call, *at, &[batch, row])?;
                (at..at + depth).map(|at| self.read(world, *source, at, dtype)).collect()
            }
            Factor::Matrix(source, [of_batch, of_depth]) => {
                let first = batch * of_batch + row;
                (0..depth).map(|k| self.read(world, *source, first + k * of_depth, dtype)).collect()
            }
        }
    }

    /// Computes a tile and hands its sums to the epilogue, so many neighbours of a row at a time as that takes.
    fn tile(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        product: &Product,
        [left, right]: &[Factor; 2],
        tile: i64,
    ) -> Result<()> {
        let Product { dtype, sizes: [rows, columns, depth], tile: [high, wide], .. } = *product;
        let (down, across) = (ceil(rows, high), ceil(columns, wide));
        let (batch, within) = (tile / (down * across), tile % (down * across));
        let (first_row, first_column) = (within / across * high, within % across * wide);
        let region = needed(call, 0)?;
        let lanes = world.lanes as i64;
        let mut beside = Vec::new();
        for column in first_column..columns.min(first_column + wide) {
            beside.push(self.row(world, call, right, [batch, column, depth], dtype)?);
        }
        for row in first_row..rows.min(first_row + high) {
            let own = self.row(world, call, left, [batch, row, depth], dtype)?;
            let mut sums = vec![Number::zero(dtype); beside.len()];
            for (sum, column) in sums.iter_mut().zip(&beside) {
                for (a, b) in own.iter().zip(column) {
                    add_products(dtype, std::slice::from_mut(sum), *a, std::slice::from_ref(b));
                }
            }
            for (k, sums) in sums.chunks(lanes.max(1) as usize).enumerate() {
                let coordinates = &[batch, row, first_column + k as i64 * lanes];
                let lent = sums.iter().copied().map(Some).collect();
                self.called(world, call, region, Given { coordinates, lent, values: &[] })?;
            }
        }
        Ok(())
    }

    /// The element that a region gives.
    pub(super) fn element_of(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        region: LocalId,
        coordinates: &[i64],
        values: &[Number],
    ) -> Result<Number> {
        let given = Given { coordinates, lent: Vec::new(), values };
        match self.answered(world, call, region, given, &[])?.given {
            Some(Data::Scalar(_, number)) => Ok(number),
            _ => Err(wrong(call)),
        }
    }
    /// The integer that a region gives.
    pub(super) fn place_of(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        region: LocalId,
        coordinates: &[i64],
    ) -> Result<i64> {
        let given = Given { coordinates, lent: Vec::new(), values: &[] };
        match self.answered(world, call, region, given, &[])?.given {
            Some(Data::Index(place)) => Ok(place),
            _ => Err(wrong(call)),
        }
    }
}
