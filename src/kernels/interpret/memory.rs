//! Memory whose elements remember who wrote them and who read them, and when.
//!
//! A *stamp* says which thread did something and how many barriers it had met. One thing happened before another if the same
//! thread did both, if a barrier that both threads met lies between, or if the later block has learned of the earlier one's
//! (by a barrier of their cluster, or as the last to arrive at a semaphore). Two accesses to one element are a race if
//! one of them is a write and neither happened before the other.

use super::Fault;
use crate::base::HashMap;
use crate::kernels::Role;
use crate::loops::Number;
use crate::types::Dtype;

/// Who did something, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// A block of a GPU, or a call on a CPU.
    pub block: u32,
    pub thread: u32,
    /// Barriers that its block, and its warp, had met.
    pub epoch: u32,
    pub warp_epoch: u32,
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "thread {} of block {} after {} barriers", self.thread, self.block, self.epoch)
    }
}

const WARP: u32 = 32;

/// What each block knows of the others: up to which of their epochs it sees what they wrote.
pub type Seen = HashMap<u32, u32>;

/// Whether `then` happened before `now`.
fn before(then: Stamp, now: Stamp, seen: &Seen) -> bool {
    if then.block != now.block {
        return seen.get(&then.block).is_some_and(|epoch| *epoch > then.epoch);
    }
    then.thread == now.thread
        || then.epoch < now.epoch
        || then.thread / WARP == now.thread / WARP && then.warp_epoch < now.warp_epoch
}

fn happened(then: Stamp, by: &By<'_>) -> bool {
    before(then, by.stamp, by.seen)
}

#[derive(Clone, Debug)]
struct Cell {
    number: Number,
    dtype: Dtype,
    width: usize,
    /// None: it was there before the kernel.
    writer: Option<Stamp>,
    /// It was written by an atomic operation, which others may follow at once.
    atomic: bool,
    /// Others that wrote the same.
    also: Vec<Stamp>,
    /// Since it was written, the latest of each thread.
    readers: Vec<Stamp>,
}

/// A buffer, an array, or raw bytes. Offsets are in elements, or in bytes where it is raw.
#[derive(Clone, Debug)]
pub struct Region {
    pub name: String,
    pub role: Role,
    pub raw: bool,
    cells: Vec<Option<Cell>>,
}

/// One access by a thread: its stamp, and what its block knows.
pub struct By<'a> {
    pub stamp: Stamp,
    pub seen: &'a Seen,
}

impl Region {
    pub fn new(name: String, role: Role, raw: bool, length: usize) -> Region {
        Region { name, role, raw, cells: vec![None; length] }
    }
    pub fn len(&self) -> usize {
        self.cells.len()
    }
    /// What it held before the kernel.
    pub fn give(&mut self, at: usize, number: Number, dtype: Dtype) {
        self.cells[at] = Some(Cell {
            number,
            dtype,
            width: 1,
            writer: None,
            atomic: false,
            also: Vec::new(),
            readers: Vec::new(),
        });
    }
    /// The value at a place, where there is one, and whether the kernel wrote it.
    pub fn get(&self, at: usize) -> Option<(Number, bool)> {
        self.cells[at].as_ref().map(|cell| (cell.number, cell.writer.is_some()))
    }

    fn place(&self, at: i64, dtype: Dtype) -> Result<(usize, usize), Fault> {
        let width = if self.raw { dtype.size() } else { 1 };
        let outside = || Fault::Outside { memory: self.name.clone(), at, length: self.cells.len() as i64 };
        let first = usize::try_from(at).map_err(|_| outside())?;
        if first.checked_add(width).is_none_or(|end| end > self.cells.len()) {
            return Err(outside());
        }
        if !first.is_multiple_of(width) {
            return Err(Fault::Unaligned { memory: self.name.clone(), at, multiple: width as i64 });
        }
        Ok((first, width))
    }

    pub fn read(&mut self, at: i64, dtype: Dtype, by: &By<'_>) -> Result<Number, Fault> {
        let (first, width) = self.place(at, dtype)?;
        let Region { name, role, cells, .. } = self;
        let Some(cell) = cells[first].as_mut().filter(|c| c.dtype == dtype && c.width == width) else {
            return Err(Fault::Uninitialised { memory: name.clone(), at });
        };
        if *role == Role::Input {
            return Ok(cell.number);
        }
        let own = cell.also.iter().any(|w| before(*w, by.stamp, by.seen));
        if let Some(writer) = cell.writer.filter(|w| !own && !before(*w, by.stamp, by.seen)) {
            return Err(Fault::Race {
                memory: name.clone(),
                at,
                what: "read",
                by: by.stamp,
                other: writer,
                did: "wrote",
            });
        }
        let same = |r: &Stamp| r.block == by.stamp.block && r.thread == by.stamp.thread;
        match cell.readers.iter_mut().find(|r| same(r)) {
            Some(reader) => *reader = by.stamp,
            None => cell.readers.push(by.stamp),
        }
        Ok(cell.number)
    }

    pub fn write(&mut self, at: i64, dtype: Dtype, number: Number, by: &By<'_>) -> Result<(), Fault> {
        self.write_as(at, (dtype, number), by, false)
    }

    /// Takes a number into the element that lies there: `made` of what was there before. Where `atomic`, others may do so, too:
    /// `same` says that all of them bring the same.
    pub fn take(
        &mut self,
        (at, dtype): (i64, Dtype),
        made: &dyn Fn(Number) -> Number,
        by: &By<'_>,
        [atomic, same]: [bool; 2],
    ) -> Result<(), Fault> {
        let (first, _) = self.place(at, dtype)?;
        let Some(before) = self.cells[first].as_ref().filter(|cell| cell.dtype == dtype) else {
            return Err(Fault::Uninitialised { memory: self.name.clone(), at });
        };
        let number = made(before.number);
        if !atomic || same {
            return self.write_as(at, (dtype, number), by, same);
        }
        // An atomic operation meets others, and nothing else that did not happen before.
        let plain = before.writer.filter(|w| !before.atomic && !happened(*w, by));
        let reader = before.readers.iter().copied().find(|r| !happened(*r, by));
        if let Some((other, did)) = plain.map(|w| (w, "wrote")).or(reader.map(|r| (r, "read"))) {
            let memory = self.name.clone();
            return Err(Fault::Race { memory, at, what: "write", by: by.stamp, other, did });
        }
        let (writer, also, readers) = (Some(by.stamp), Vec::new(), Vec::new());
        self.cells[first] = Some(Cell { number, dtype, width: 1, writer, atomic, also, readers });
        Ok(())
    }

    /// `same`: others may write the same number.
    fn write_as(
        &mut self,
        at: i64,
        (dtype, number): (Dtype, Number),
        by: &By<'_>,
        same: bool,
    ) -> Result<(), Fault> {
        let (first, width) = self.place(at, dtype)?;
        if self.role == Role::Input {
            return Err(Fault::WritesInput { memory: self.name.clone(), at });
        }
        let reach = if self.raw { 8 } else { 1 };
        for k in (first + 1).saturating_sub(reach)..first + width {
            let Some(cell) = self.cells[k].as_ref().filter(|c| k + c.width > first) else { continue };
            let race = |other: Stamp, did: &'static str| Fault::Race {
                memory: self.name.clone(),
                at,
                what: "write",
                by: by.stamp,
                other,
                did,
            };
            if let Some(writer) = cell.writer {
                let again = cell.number == number && k == first && cell.width == width;
                if (self.role == Role::Repeated || same && self.role == Role::Combined) && again {
                    continue;
                }
                if !before(writer, by.stamp, by.seen) {
                    return Err(race(writer, "wrote"));
                }
                if matches!(self.role, Role::Result | Role::Repeated | Role::Updated) {
                    return Err(Fault::Twice { memory: self.name.clone(), at, by: by.stamp, other: writer });
                }
            }
            // What is written again is the same for readers.
            if let Some(reader) = cell.readers.iter().find(|r| !before(**r, by.stamp, by.seen)) {
                return Err(race(*reader, "read"));
            }
            self.cells[k] = None;
        }
        let writer = Some(by.stamp);
        if let Some(cell) = &mut self.cells[first] {
            // Each of the writers sees what it wrote itself.
            if !cell.also.contains(&by.stamp) {
                cell.also.push(by.stamp);
            }
            return Ok(());
        }
        let (also, readers) = (Vec::new(), Vec::new());
        self.cells[first] = Some(Cell { number, dtype, width, writer, atomic: false, also, readers });
        Ok(())
    }

    /// Counts at a semaphore, which no other access meets. Gives what it was.
    pub fn count(&mut self, at: i64, blocks: i64) -> Result<i64, Fault> {
        let (first, _) = self.place(at, Dtype::Int32)?;
        let before = match &self.cells[first] {
            Some(cell) => cell.number.as_i64(),
            None => return Err(Fault::Uninitialised { memory: self.name.clone(), at }),
        };
        let after = if before + 1 >= blocks { 0 } else { before + 1 };
        self.give(first, Number::Integer(after), Dtype::Int32);
        Ok(before)
    }
}
