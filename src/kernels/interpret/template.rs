//! Interprets calls of a CPU's templates: operands lie in memory, and a call runs the kernel's own regions.
//! Products and convolutions are run in `products`, attention, recurrences and sorts in `rows`.

use super::memory::{By, Region};
use super::thread::{Slot, Thread, Where, World};
use super::{Data, Fault, register};
use crate::kernels::{Is, LocalId, Memory, Operand, Role, Routine, TemplateCall, Type};
use crate::loops::{BinaryOp, Number};
use crate::types::Dtype;

type Result<T> = std::result::Result<T, Fault>;

/// Elements of a kernel's memory from an operand's first one on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub place: Where,
    pub first: i64,
    pub dtype: Dtype,
}

/// What a region is called with: coordinates, memory and values, each in the order of the parameters.
pub(super) struct Given<'a> {
    pub coordinates: &'a [i64],
    pub lent: Vec<Option<Number>>,
    pub values: &'a [Number],
}

/// What a region leaves: the lent memory, its places, and what it gives.
pub(super) struct Answer {
    pub lent: Option<Vec<Option<Number>>>,
    pub places: Vec<Option<Data>>,
    pub given: Option<Data>,
}

impl<'k> Thread<'k> {
    pub fn template(&mut self, world: &mut World<'k>, call: &'k TemplateCall) -> Result<()> {
        let mut numbers = Vec::with_capacity(call.numbers.len());
        for number in &call.numbers {
            numbers.push(self.index(world, *number)?);
        }
        match call.routine {
            Routine::Pack { .. }
            | Routine::Product { .. }
            | Routine::UnpackedProduct { .. }
            | Routine::Convolution { .. } => self.products(world, call, &numbers),
            Routine::Attention { scale, causal, zeros, queries, keys, .. } => {
                let task = [queries, keys];
                self.attention(world, call, &numbers, (Dtype::Float32, scale, causal, zeros), task)
            }
            Routine::AttentionBackward { scale, causal, keys, .. } => {
                self.attention_backward(world, call, &numbers, (scale, causal), keys)
            }
            Routine::AttentionRows { scale, causal, zeros } => {
                let task = [1, i64::MAX];
                self.attention(world, call, &numbers, (Dtype::Float64, scale, causal, zeros), task)
            }
            Routine::Recurrence { dtype, cell, block, reverse } => {
                self.recurrence(world, call, &numbers, (dtype, cell), (block, reverse))
            }
            Routine::Sort { dtype, descending, .. } => {
                let [count, kept] = all(call, &numbers)?;
                self.sort(world, dtype, descending, [count, kept])
            }
            _ => Err(wrong(call)),
        }
    }

    pub(super) fn source(&mut self, world: &mut World<'k>, memory: &Memory) -> Result<Source> {
        let (place, first, dtype) = self.base(world, &memory.pointer.base)?;
        if dtype != memory.dtype {
            return Err(Fault::Type { what: "an operand of another dtype", found: format!("{dtype:?}") });
        }
        let at = match memory.at {
            Some(at) => self.index(world, at)?,
            None => 0,
        };
        Ok(Source { place, first: first + at, dtype })
    }
    pub(super) fn memory(
        &mut self,
        world: &mut World<'k>,
        call: &TemplateCall,
        k: usize,
    ) -> Result<Option<Source>> {
        match call.operands.get(k) {
            Some(Operand::Memory(memory)) => self.source(world, memory).map(Some),
            Some(Operand::Absent) => Ok(None),
            _ => Err(wrong(call)),
        }
    }
    pub(super) fn indices<const N: usize>(
        &mut self,
        world: &mut World<'k>,
        call: &TemplateCall,
        memory: &Memory,
    ) -> Result<[i64; N]> {
        let mut found = Vec::with_capacity(N);
        for stride in &memory.strides {
            found.push(self.index(world, *stride)?);
        }
        found.try_into().map_err(|_| wrong(call))
    }
    pub(super) fn read(
        &mut self,
        world: &mut World<'k>,
        source: Source,
        at: i64,
        to: Dtype,
    ) -> Result<Number> {
        let (region, seen) = world.region(source.place, self.stamp.block);
        let number = region.read(source.first + at, source.dtype, &By { stamp: self.stamp, seen })?;
        Ok(number.cast(source.dtype, to))
    }
    pub(super) fn write(
        &mut self,
        world: &mut World<'k>,
        source: Source,
        at: i64,
        (from, number): (Dtype, Number),
    ) -> Result<()> {
        let number = number.cast(from, source.dtype);
        let (region, seen) = world.region(source.place, self.stamp.block);
        region.write(source.first + at, source.dtype, number, &By { stamp: self.stamp, seen })
    }

    /// Calls a region; gives what the lent memory then holds.
    pub(super) fn called(
        &mut self,
        world: &mut World<'k>,
        call: &TemplateCall,
        region: LocalId,
        given: Given<'_>,
    ) -> Result<Vec<Option<Number>>> {
        self.answered(world, call, region, given, &[])?.lent.ok_or_else(|| wrong(call))
    }

    /// Calls a region, whose places hold these values before.
    pub(super) fn answered(
        &mut self,
        world: &mut World<'k>,
        call: &TemplateCall,
        region: LocalId,
        given: Given<'_>,
        before: &[Data],
    ) -> Result<Answer> {
        let Some(region) = world.regions.get(&region).copied() else { return Err(wrong(call)) };
        let (mut coordinates, mut values) = (given.coordinates.iter(), given.values.iter());
        let (mut lent, mut memory) = (Some(given.lent), None);
        let (mut before, mut places) = (before.iter(), Vec::new());
        for parameter in &region.parameters {
            let local = parameter.local;
            match parameter.is {
                Is::Below(_) | Is::Step { .. } | Is::First(_) | Is::Count => {
                    self.set(local, Data::Index(*coordinates.next().ok_or_else(|| wrong(call))?));
                }
                Is::Value => {
                    let dtype = register(region_dtype(world, local, call)?);
                    self.set(local, Data::Scalar(dtype, *values.next().ok_or_else(|| wrong(call))?));
                }
                Is::Elements { .. } => {
                    let elements = lent.take().ok_or_else(|| wrong(call))?;
                    let dtype = region_dtype(world, local, call)?;
                    let mut all = Region::new(world.name(local), Role::Workspace, false, elements.len());
                    for (at, element) in elements.into_iter().enumerate() {
                        if let Some(number) = element {
                            all.give(at, number, dtype);
                        }
                    }
                    let place = Where::Lent(local);
                    world.own.insert((self.stamp.block, place), all);
                    self.slots[local.index()] = Slot::Pointer { region: place, first: 0 };
                    memory = Some(place);
                }
                Is::Place => {
                    self.slots[local.index()] = before.next().map_or(Slot::Unset, |d| Slot::Value(d.clone()));
                    places.push(local);
                }
            }
        }
        if coordinates.next().is_some() || values.next().is_some() {
            return Err(wrong(call));
        }
        let given = self.run_apart(world, &region.body)?;
        let left = memory.and_then(|place| world.own.remove(&(self.stamp.block, place)));
        let lent =
            left.map(|left| (0..left.len()).map(|at| left.get(at).map(|(number, _)| number)).collect());
        let place = |local: &LocalId| match &self.slots[local.index()] {
            Slot::Value(data) => Some(data.clone()),
            _ => None,
        };
        Ok(Answer { lent, places: places.iter().map(place).collect(), given })
    }

    /// So many neighbours.
    pub(super) fn line(
        &mut self,
        world: &mut World<'k>,
        source: Source,
        at: i64,
        count: i64,
        dtype: Dtype,
    ) -> Result<Vec<Number>> {
        (at..at + count).map(|at| self.read(world, source, at, dtype)).collect()
    }
}

pub(super) fn fused(dtype: Dtype, a: Number, b: Number, sum: Number) -> Number {
    Number::binary(BinaryOp::Add, dtype, Number::binary(BinaryOp::Mul, dtype, a, b), sum)
}
pub(super) fn add_products(dtype: Dtype, sums: &mut [Number], a: Number, row: &[Number]) {
    for (sum, b) in sums.iter_mut().zip(row) {
        *sum = fused(dtype, a, *b, *sum);
    }
}

pub(super) fn ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}

fn region_dtype(world: &World<'_>, local: LocalId, call: &TemplateCall) -> Result<Dtype> {
    match world.kernel.body.locals[local].ty {
        Type::Scalar(dtype) | Type::Pointer { dtype, .. } => Ok(dtype),
        _ => Err(wrong(call)),
    }
}

pub(super) fn wrong(call: &TemplateCall) -> Fault {
    Fault::Template { name: call.routine.name() }
}
pub(super) fn all<const N: usize>(call: &TemplateCall, numbers: &[i64]) -> Result<[i64; N]> {
    numbers.try_into().map_err(|_| wrong(call))
}
pub(super) fn needed(call: &TemplateCall, k: usize) -> Result<LocalId> {
    call.regions.get(k).copied().flatten().ok_or_else(|| wrong(call))
}
