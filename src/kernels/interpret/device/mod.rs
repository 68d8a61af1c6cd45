//! Interprets calls of a GPU's templates by the definition of each routine. The first thread of a block computes what the native text's block
//! computes, piece by piece, with the kernel's own regions. The other threads of the block wait for it.

mod attention;
mod attention_backward;
mod convolution;
mod order;
mod recurrence;

use super::template::{Given, Source, add_products, all, ceil, needed, wrong};
use super::thread::{Thread, World};
use super::{Data, Fault};
use crate::kernels::{Boxes, LocalId, Operand, Routine, TemplateCall};
use crate::loops::Number;
use crate::templates::fma;
use crate::templates::gemv::codes;
use crate::types::Dtype;

use recurrence::Cluster;

type Result<T> = std::result::Result<T, Fault>;

/// An operand of a product that is read by rows. A row of the left operand gives a row of the result, a row of the right one a column.
enum Factor {
    /// A region gives an element.
    Region(LocalId),
    /// A region gives where a row begins.
    Rows(Source, LocalId),
    /// Rows are neighbours: strides of the batch and along k.
    Matrix(Source, [i64; 2]),
    /// Boxes of a tensor map, whose inner coordinate is k, or the row where it is turned.
    Boxes(Boxes, bool),
}

/// A product in tiles.
pub(super) struct Product {
    pub dtype: Dtype,
    batches: i64,
    pub sizes: [i64; 3],
    pub tile: [i64; 2],
    /// Sums that the epilogue takes at once, neighbours in a row.
    pub lanes: i64,
    /// It is the transposed product that has these sizes.
    exchanged: bool,
    /// The result's boxes, where the epilogue gives what is stored.
    result: Option<Boxes>,
}

impl Product {
    pub fn of(
        call: &TemplateCall,
        numbers: &[i64],
        dtype: Dtype,
        tile: [i64; 2],
        lanes: i64,
    ) -> Result<Product> {
        let [batches, rows, columns, depth] = all(call, numbers)?;
        if tile.iter().any(|n| *n < 1) || lanes < 1 {
            return Err(wrong(call));
        }
        let sizes = [rows, columns, depth];
        Ok(Product { dtype, batches, sizes, tile, lanes, exchanged: false, result: None })
    }
    pub fn tiles(&self) -> i64 {
        self.batches * ceil(self.sizes[0], self.tile[0]) * ceil(self.sizes[1], self.tile[1])
    }
}

impl<'k> Thread<'k> {
    pub fn device_template(&mut self, world: &mut World<'k>, call: &'k TemplateCall) -> Result<()> {
        let mut numbers = Vec::with_capacity(call.numbers.len());
        for number in &call.numbers {
            numbers.push(self.index(world, *number)?);
        }
        if self.order(world, call, &numbers)? || self.stamp.thread != 0 {
            return Ok(());
        }
        let lanes = world.lanes as i64;
        match call.routine {
            Routine::GemmFma { dtype } => {
                let product = Product::of(call, &numbers, dtype, [fma::SIDE, fma::SIDE], 1)?;
                self.gemm(world, call, &product)
            }
            Routine::GemmMma { rows, columns, .. } => {
                let product = Product::of(call, &numbers, Dtype::Float32, [rows, columns], lanes)?;
                self.gemm(world, call, &product)
            }
            Routine::GemvRows { thin, width, swapped, .. }
            | Routine::GemvColumns { thin, width, swapped, .. } => {
                let tile = if swapped { [width, thin] } else { [thin, width] };
                let product = Product::of(call, &numbers, Dtype::Float32, tile, 1)?;
                match product.sizes[usize::from(swapped)] == thin {
                    true => self.gemm(world, call, &product),
                    false => Err(wrong(call)),
                }
            }
            Routine::GemvCodes { thin, .. } => {
                let product = Product::of(call, &numbers, Dtype::Float32, [thin, codes::ROWS], 1)?;
                match product.sizes[0] == thin {
                    true => self.gemm(world, call, &product),
                    false => Err(wrong(call)),
                }
            }
            Routine::GemmTma {
                groups,
                blocks,
                columns,
                down,
                across,
                split,
                in_turn,
                boxes,
                exchanged,
                ..
            } => {
                let rows = blocks * 64 * if in_turn { 1 } else { groups };
                let tile = [rows * down, columns * across];
                let product = Product::of(call, &numbers, Dtype::Float32, tile, lanes)?;
                let result = match call.operands.get(2) {
                    Some(Operand::Boxes(result)) if boxes > 0 => Some(*result),
                    Some(Operand::Absent) if boxes == 0 => None,
                    _ => return Err(wrong(call)),
                };
                let product = Product { exchanged, result, ..product };
                self.gemm_tma(world, call, &product, (down * across * split, split))
            }
            Routine::RecurrenceCluster { dtype, cell, blocks, rows, kept, projects, reverse } => {
                let cluster = Cluster { dtype, cell, blocks, rows, kept, projects, reverse };
                self.recurrence_cluster(world, call, &numbers, cluster)
            }
            Routine::AttentionWarps { .. }
            | Routine::AttentionFew { .. }
            | Routine::AttentionFma { .. }
            | Routine::AttentionMma { .. }
            | Routine::AttentionSplit { .. }
            | Routine::AttentionWgmma { .. }
            | Routine::AttentionGradQueries { .. }
            | Routine::AttentionGradKeys { .. } => self.device_attention(world, call, &numbers),
            _ => self.device_convolution(world, call, &numbers),
        }
    }

    fn gemm(&mut self, world: &mut World<'k>, call: &'k TemplateCall, product: &Product) -> Result<()> {
        let factors = [self.row_factor(world, call, 0)?, self.row_factor(world, call, 1)?];
        self.one_each(world, product.tiles())?;
        self.tile(world, call, product, &factors, i64::from(self.stamp.block))
    }

    fn gemm_tma(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        product: &Product,
        (cluster, split): (i64, i64),
    ) -> Result<()> {
        let factors = [self.row_factor(world, call, 0)?, self.row_factor(world, call, 1)?];
        for tile in self.tiles_of_cluster(world, product.tiles(), (cluster, split))? {
            self.tile(world, call, product, &factors, tile)?;
        }
        Ok(())
    }

    /// The tiles of a block's cluster, if the block is its first. Clusters take tiles in turn, or, where they share them, have one each.
    pub(super) fn tiles_of_cluster(
        &self,
        world: &World<'_>,
        tiles: i64,
        (cluster, split): (i64, i64),
    ) -> Result<Vec<i64>> {
        let clusters = world.blocks / cluster.max(1);
        if cluster != world.cluster || tiles > 0 && clusters == 0 {
            return Err(Fault::Launch(format!("{} blocks, not in clusters of {cluster}", world.blocks)));
        }
        if split > 1 {
            self.one_each(world, tiles * cluster)?;
        }
        let block = i64::from(self.stamp.block);
        Ok(match block % cluster {
            0 => (block / cluster..tiles).step_by(clusters.max(1) as usize).collect(),
            _ => Vec::new(),
        })
    }

    /// Every block has one of so many tiles.
    pub(super) fn one_each(&self, world: &World<'_>, tiles: i64) -> Result<()> {
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
            Some(Operand::Boxes(boxes)) => {
                let Routine::GemmTma { left_turned, right_turned, .. } = call.routine else {
                    return Err(wrong(call));
                };
                Ok(Factor::Boxes(*boxes, [left_turned, right_turned][k]))
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
            Factor::Boxes(boxes, turned) => {
                let mut found = Vec::with_capacity(depth.max(0) as usize);
                for k in 0..depth {
                    let [inner, outer] = if *turned { [row, k] } else { [k, row] };
                    found.push(match self.box_place(world, call, boxes, [batch, inner, outer])? {
                        Some((source, at)) => self.read(world, source, at, dtype)?,
                        None => Number::zero(dtype),
                    });
                }
                Ok(found)
            }
        }
    }

    /// Where the first element of a box lies; none outside of the tensor.
    pub(super) fn box_place(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        boxes: &Boxes,
        coordinates: [i64; 3],
    ) -> Result<Option<(Source, i64)>> {
        let given = Given { coordinates: &coordinates, lent: Vec::new(), values: &[] };
        let at = boxes.at.ok_or_else(|| wrong(call))?;
        let places = self.answered(world, call, at, given, &[])?.places;
        self.place_in_map(world, call, boxes.map, places)
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
        let Product { dtype, sizes: [rows, columns, depth], tile: [high, wide], lanes, .. } = *product;
        let (down, across) = (ceil(rows, high), ceil(columns, wide));
        let (batch, within) = (tile / (down * across), tile % (down * across));
        let (first_row, first_column) = (within / across * high, within % across * wide);
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
            for (k, sums) in sums.chunks(lanes as usize).enumerate() {
                let column = first_column + k as i64 * lanes;
                self.finished(world, call, product, [batch, row, column], sums)?;
            }
        }
        Ok(())
    }

    /// Hands neighbouring sums of a tile's row to the epilogue, and stores what it gives of them.
    fn finished(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        product: &Product,
        [batch, row, column]: [i64; 3],
        sums: &[Number],
    ) -> Result<()> {
        let turned = |row, column| if product.exchanged { [column, row] } else { [row, column] };
        let [m, n] = turned(row, column);
        let lent = sums.iter().copied().map(Some).collect();
        let given = Given { coordinates: &[batch, m, n], lent, values: &[] };
        let answer = self.answered(world, call, needed(call, 0)?, given, &[])?;
        let Some(result) = product.result else { return Ok(()) };
        let Some(Data::Vector(dtype, numbers)) = answer.given else { return Err(wrong(call)) };
        for (k, number) in numbers.iter().enumerate().take(sums.len()) {
            let [m, n] = turned(row, column + k as i64);
            let Some((to, at)) = self.box_place(world, call, &result, [batch, n, m])? else {
                return Err(wrong(call));
            };
            self.write(world, to, at, (dtype, *number))?;
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
            Some(Data::Index(place) | Data::Scalar(Dtype::Int64, Number::Integer(place))) => Ok(place),
            _ => Err(wrong(call)),
        }
    }
}
