//! Where every buffer lies: inputs, outputs and constants where the caller has them, what constants determine in the
//! derived block, and the rest in one arena per run, where buffers whose lifetimes do not meet share room.

use super::Group;
use super::partition::leaves_the_program;
use crate::base::SideMap;
use crate::loops::{BufferData, BufferId, BufferKind, Program};
use crate::types::SymInt;
use std::ops::Range;

/// The memory of one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    Input(usize),
    Constant(usize),
    Output(usize),
    /// At a byte offset of the derived block.
    Derived(u64),
    /// At a byte offset of the arena.
    Arena(SymInt),
}

#[derive(Debug)]
pub struct Placements {
    /// Buffers without an entry exist only inside kernels.
    pub of: SideMap<BufferData, Placement>,
    pub derived_bytes: u64,
    pub arena_bytes: SymInt,
}

/// Bytes that every buffer starts at a multiple of.
const ALIGNMENT: i64 = 64;

struct Lifetime {
    buffer: BufferId,
    bytes: SymInt,
    first: usize,
    last: usize,
}

/// Places all buffers that groups share.
pub fn place(program: &Program, init: &[Group], main: &[Group], launches: &[Range<usize>]) -> Placements {
    let mut of = SideMap::new();
    for (_, buffers) in [(0, &program.inputs), (1, &program.constants), (2, &program.outputs)] {
        for (k, buffer) in buffers.iter().enumerate() {
            let placement = match program.buffers[*buffer].kind {
                BufferKind::Input(_) => Placement::Input(k),
                BufferKind::Constant(_) => Placement::Constant(k),
                BufferKind::Temporary => Placement::Output(k),
            };
            of.insert(*buffer, placement);
        }
    }
    let mut derived_bytes = 0u64;
    for buffer in init.iter().flat_map(|g| &g.writes) {
        let bytes = program.syms.as_const(bytes_of(program, *buffer)).unwrap_or(0).max(0) as u64;
        of.insert(*buffer, Placement::Derived(derived_bytes));
        derived_bytes += bytes.next_multiple_of(ALIGNMENT as u64);
    }
    let lifetimes = lifetimes(program, main, launches, &of);
    let arena_bytes = place_arena(program, lifetimes, &mut of);
    Placements { of, derived_bytes, arena_bytes }
}

/// Bytes of a buffer, as a symbolic integer.
pub fn bytes_of(program: &Program, buffer: BufferId) -> SymInt {
    let data = &program.buffers[buffer];
    program.syms.mul_const(program.syms.product(&data.sizes), data.dtype.size() as i64)
}

/// Lifetimes in launches.
fn lifetimes(
    program: &Program,
    main: &[Group],
    launches: &[Range<usize>],
    of: &SideMap<BufferData, Placement>,
) -> Vec<Lifetime> {
    let mut place: SideMap<BufferData, usize> = SideMap::new();
    let mut lifetimes: Vec<Lifetime> = Vec::new();
    let groups = launches.iter().enumerate().flat_map(|(k, l)| main[l.clone()].iter().map(move |g| (k, g)));
    for (k, group) in groups {
        for buffer in &group.writes {
            if of.contains(*buffer) || place.contains(*buffer) {
                continue;
            }
            let last = if leaves_the_program(program, *buffer) { launches.len() } else { k };
            place.insert(*buffer, lifetimes.len());
            lifetimes.push(Lifetime { buffer: *buffer, bytes: aligned(program, *buffer), first: k, last });
        }
        for buffer in &group.reads {
            if let Some(p) = place.get(*buffer) {
                lifetimes[*p].last = lifetimes[*p].last.max(k);
            }
        }
    }
    lifetimes
}

fn aligned(program: &Program, buffer: BufferId) -> SymInt {
    let syms = &program.syms;
    let unit = syms.constant(ALIGNMENT);
    syms.mul(syms.ceildiv(bytes_of(program, buffer), unit), unit)
}

/// Static buffers are packed first, largest first, each at the lowest place that is free throughout its life;
/// dynamic ones follow in slots, each slot as large as the largest buffer that ever uses it.
fn place_arena(
    program: &Program,
    lifetimes: Vec<Lifetime>,
    of: &mut SideMap<BufferData, Placement>,
) -> SymInt {
    let syms = &program.syms;
    let (mut fixed, mut dynamic) = (Vec::new(), Vec::new());
    for l in lifetimes {
        match syms.as_const(l.bytes) {
            Some(bytes) => fixed.push((bytes, l)),
            None => dynamic.push(l),
        }
    }
    fixed.sort_by_key(|(bytes, l)| (std::cmp::Reverse(*bytes), l.first));
    let mut placed: Vec<(i64, i64, usize, usize)> = Vec::with_capacity(fixed.len());
    let mut total = 0;
    for (bytes, l) in &fixed {
        let mut taken: Vec<(i64, i64)> =
            placed.iter().filter(|p| p.2 <= l.last && l.first <= p.3).map(|p| (p.0, p.1)).collect();
        taken.sort_unstable();
        let mut start = 0;
        for (from, to) in taken {
            if from - start >= *bytes {
                break;
            }
            start = start.max(to);
        }
        placed.push((start, start + bytes, l.first, l.last));
        total = total.max(start + bytes);
        of.insert(l.buffer, Placement::Arena(syms.constant(start)));
    }
    let mut slots: Vec<(SymInt, usize, Vec<BufferId>)> = Vec::new();
    for l in dynamic {
        let free = slots.iter_mut().filter(|s| s.1 < l.first).max_by_key(|s| syms.known_le(l.bytes, s.0));
        match free {
            Some(slot) => {
                slot.0 = syms.max(slot.0, l.bytes);
                slot.1 = l.last;
                slot.2.push(l.buffer);
            }
            None => slots.push((l.bytes, l.last, vec![l.buffer])),
        }
    }
    let mut end = syms.constant(total);
    for (bytes, _, buffers) in slots {
        for buffer in buffers {
            of.insert(buffer, Placement::Arena(end));
        }
        end = syms.add(end, bytes);
    }
    end
}
