//! Interprets calls of a GPU's recurrences: each block follows its cluster's rows through all steps, and stores its own hidden units.

use crate::kernels::interpret::rows::one_cell;
use crate::kernels::interpret::template::{Given, all, ceil, fused, needed, wrong};
use crate::kernels::interpret::thread::{Thread, World};
use crate::kernels::interpret::{Fault, register};
use crate::kernels::{LocalId, TemplateCall};
use crate::loops::{BinaryOp, Cell, Number};
use crate::templates::recurrence::Held;
use crate::types::Dtype;

type Result<T> = std::result::Result<T, Fault>;

/// What a call's geometry says.
#[derive(Clone, Copy)]
pub(super) struct Cluster {
    pub dtype: Dtype,
    pub cell: Cell,
    pub blocks: i64,
    pub rows: i64,
    pub kept: bool,
    pub projects: bool,
    pub reverse: bool,
}

impl<'k> Thread<'k> {
    pub(super) fn recurrence_cluster(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
        cluster: Cluster,
    ) -> Result<()> {
        let [steps, batch, hidden, projected] = all(call, numbers)?;
        let Cluster { cell, blocks, rows, kept, projects, reverse, .. } = cluster;
        let (dtype, gates) = (register(cluster.dtype), cell.gates());
        self.one_each(world, ceil(batch, rows) * blocks)?;
        let held = Held { blocks, rows, hidden, projected, gates, projects, kept };
        let needs = held.elements() * dtype.size() as i64;
        if world.cluster != blocks || (world.bytes as i64) < needs {
            let found = (world.cluster, world.bytes);
            return Err(Fault::Launch(format!("{found:?} blocks and bytes for {:?}", (blocks, needs))));
        }
        let block = i64::from(self.stamp.block);
        let rank = block % blocks;
        let own = |n: i64| (rank * ceil(n, blocks)).min(n)..((rank + 1) * ceil(n, blocks)).min(n);
        let (units, places) = (own(hidden), own(projected));
        let region = |k: usize| call.regions.get(k).copied().flatten();
        let [gates_at, weight_at, first_at] = [needed(call, 0)?, needed(call, 1)?, needed(call, 3)?];
        let weight = self.matrix(world, call, weight_at, [projected, gates * hidden])?;
        let projection = match (projects, region(5)) {
            (true, Some(at)) => Some(self.matrix(world, call, at, [hidden, projected])?),
            (false, _) => None,
            _ => return Err(wrong(call)),
        };
        let first_row = block / blocks * rows;
        for row in first_row..batch.min(first_row + rows) {
            let mut h = Vec::with_capacity(projected as usize);
            for k in 0..projected {
                h.push(self.element_of(world, call, first_at, &[row, k], &[])?);
            }
            let mut c = vec![Number::zero(dtype); hidden as usize];
            if let Some(at) = region(4) {
                for (k, state) in (0..).zip(&mut c) {
                    *state = self.element_of(world, call, at, &[row, k], &[])?;
                }
            }
            for k in 0..steps {
                let step = if reverse { steps - 1 - k } else { k };
                let mut sums = times(dtype, &h, &weight);
                if let Some(at) = region(2) {
                    for (n, sum) in (0..).zip(&mut sums) {
                        let bias = self.element_of(world, call, at, &[n], &[])?;
                        *sum = Number::binary(BinaryOp::Add, dtype, *sum, bias);
                    }
                }
                let mut given = Vec::with_capacity(sums.len());
                for n in 0..gates * hidden {
                    given.push(self.element_of(world, call, gates_at, &[step, row, n], &[])?);
                }
                let mut made = Vec::with_capacity(hidden as usize);
                for (j, state) in c.iter_mut().enumerate() {
                    let gate = |k: usize| [&given, &sums].map(|list| list[k * hidden as usize + j]);
                    made.push(one_cell(dtype, cell, &gate, h.get(j).copied(), state));
                }
                h = projection.as_ref().map_or_else(|| made.clone(), |p| times(dtype, &made, p));
                // Without a projection, hidden values are units.
                for n in if projects { places.clone() } else { units.clone() } {
                    self.store_at(world, call, region(6), (&[step, row, n], h[n as usize]))?;
                }
            }
            for n in places.clone() {
                self.store_at(world, call, region(7), (&[row, n], h[n as usize]))?;
            }
            for n in units.clone().filter(|_| cell == Cell::Lstm) {
                self.store_at(world, call, region(8), (&[row, n], c[n as usize]))?;
            }
        }
        Ok(())
    }

    /// Gives a region a value, if there is one that wants it.
    fn store_at(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        region: Option<LocalId>,
        (coordinates, value): (&[i64], Number),
    ) -> Result<()> {
        let Some(region) = region else { return Ok(()) };
        let given = Given { coordinates, lent: Vec::new(), values: &[value] };
        self.answered(world, call, region, given, &[]).map(|_| ())
    }

    /// What a region gives, row by row.
    fn matrix(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        region: LocalId,
        [rows, columns]: [i64; 2],
    ) -> Result<Vec<Vec<Number>>> {
        let row = |t: &mut Self, world: &mut World<'k>, k: i64| {
            (0..columns).map(|n| t.element_of(world, call, region, &[k, n], &[])).collect()
        };
        (0..rows).map(|k| row(self, world, k)).collect()
    }
}

/// A row times a matrix.
fn times(dtype: Dtype, row: &[Number], matrix: &[Vec<Number>]) -> Vec<Number> {
    let columns = matrix.first().map_or(0, Vec::len);
    let sum = |n: usize| {
        let products = row.iter().zip(matrix);
        products.fold(Number::zero(dtype), |sum, (a, b)| fused(dtype, *a, b[n], sum))
    };
    (0..columns).map(sum).collect()
}
