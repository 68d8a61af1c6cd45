//! Collective operations of a block in shared memory: squares, rows and strips.

use super::compute::combine;
use super::memory::By;
use super::thread::{Slot, Thread, Where, World};
use super::{Data, Fault};
use crate::kernels::{Base, LocalId, Over, Pointer, ReduceStrips, ValueId};
use crate::loops::{Number, ReductionOp};
use crate::types::Dtype;

type Result<T> = std::result::Result<T, Fault>;

/// Threads of a warp.
const WARP: usize = 32;

impl<'k> Thread<'k> {
    /// All elements of an array in registers.
    pub fn whole(&self, world: &World<'_>, array: LocalId) -> Result<Vec<Data>> {
        let unset = || Fault::Unset { local: world.name(array) };
        match &self.slots[array.index()] {
            Slot::Array(elements) => elements.iter().map(|e| e.clone().ok_or_else(unset)).collect(),
            _ => Err(unset()),
        }
    }

    /// An element of memory, as it lies there.
    fn raw(&self, world: &mut World<'_>, base: &Base, at: i64) -> Result<(Dtype, Number)> {
        let (place, first, dtype) = self.base(world, base)?;
        let (region, seen) = world.region(place, self.stamp.block);
        let by = By { stamp: self.stamp, seen };
        region.read(first + at, dtype, &by).map(|number| (dtype, number))
    }
    fn put(
        &self,
        world: &mut World<'_>,
        place: Where,
        at: i64,
        (dtype, number): (Dtype, Number),
    ) -> Result<()> {
        let (region, seen) = world.region(place, self.stamp.block);
        region.write(at, dtype, number, &By { stamp: self.stamp, seen })
    }

    pub fn fetch(
        &mut self,
        world: &mut World<'_>,
        held: LocalId,
        turn: ValueId,
        (from, at): (&Pointer, ValueId),
    ) -> Result<()> {
        let crate::kernels::Type::Held { width, .. } = world.kernel.body.locals[held].ty else {
            return Err(Fault::Unset { local: world.name(held) });
        };
        let (turn, at) = (self.index(world, turn)?, self.index(world, at)?);
        if at % width != 0 {
            return Err(Fault::Unaligned { memory: format!("{:?}", from.base), at, multiple: width });
        }
        for k in 0..width {
            let (dtype, number) = self.raw(world, &from.base, at + k)?;
            *self.element(world, held, turn * width + k)? = Some(Data::Scalar(dtype, number));
        }
        Ok(())
    }

    pub fn put_square(
        &mut self,
        world: &mut World<'_>,
        [held, array]: [LocalId; 2],
        [side, threads]: [i64; 2],
    ) -> Result<()> {
        let crate::kernels::Type::Held { width, count, .. } = world.kernel.body.locals[held].ty else {
            return Err(Fault::Unset { local: world.name(held) });
        };
        let row = (side / width.max(1)).max(1);
        for turn in 0..count {
            let v = turn * threads + i64::from(self.stamp.thread);
            for k in 0..width {
                // What lies outside of the space is not held.
                let Some(Data::Scalar(dtype, number)) = self.element(world, held, turn * width + k)?.clone()
                else {
                    continue;
                };
                let at = v / row * (side + 1) + v % row * width + k;
                self.put(world, Where::Shared(array), at, (dtype, number))?;
            }
        }
        Ok(())
    }

    pub fn flush(
        &mut self,
        world: &mut World<'_>,
        (array, place): (LocalId, ValueId),
        (to, at): (&Pointer, ValueId),
        width: i64,
    ) -> Result<()> {
        let (place, at) = (self.index(world, place)?, self.index(world, at)?);
        if at % width != 0 {
            return Err(Fault::Unaligned { memory: format!("{:?}", to.base), at, multiple: width });
        }
        let (region, first, _) = self.base(world, &to.base)?;
        for k in 0..width {
            let element = self.raw(world, &Base::Local(array), place + k)?;
            self.put(world, region, first + at + k, element)?;
        }
        Ok(())
    }

    /// Begins the body of a reduction of strips, for the column of this thread.
    pub fn give_strip(&mut self, strips: &'k ReduceStrips, column: usize, result: Data) {
        self.set(strips.place, Data::Index(column as i64));
        self.set(strips.result, result);
        self.enter(&strips.body, None);
    }
}

/// The element that each thread of a warp has of its threads' arrays, put together.
pub fn fold_rows(op: ReductionOp, parts: &[Vec<Data>], lane: usize) -> Option<Data> {
    let rows = parts.first()?.len();
    let row = lane / (WARP / rows.max(1)).max(1);
    fold(op, parts.iter().map(|part| part.get(row)))
}

/// A column of the threads' vectors, put together.
pub fn strip(s: &ReduceStrips, parts: &[Vec<Data>], column: usize, lanes: usize) -> Option<Data> {
    let Over::Above { across, above } = s.over else { return None };
    let (across, lane) = (across as usize, column / lanes % across as usize);
    let strip = column / (across * lanes);
    let all: Vec<Option<Data>> = (0..above as usize)
        .map(|row| match parts.get(row * across + lane)?.get(strip)? {
            Data::Vector(dtype, v) => Some(Data::Scalar(*dtype, *v.get(column % lanes)?)),
            _ => None,
        })
        .collect();
    fold(s.op, all.iter().map(Option::as_ref))
}

fn fold<'d>(op: ReductionOp, parts: impl Iterator<Item = Option<&'d Data>>) -> Option<Data> {
    let mut all: Option<(Dtype, Number)> = None;
    for part in parts {
        let Data::Scalar(dtype, number) = part? else { return None };
        all = Some(match all {
            None => (*dtype, *number),
            Some((d, a)) => (d, combine(op, d, (a, -1), (*number, -1)).0),
        });
    }
    all.map(|(dtype, number)| Data::Scalar(dtype, number))
}
