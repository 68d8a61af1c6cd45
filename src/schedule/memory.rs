//! Where every buffer lies: inputs, outputs and constants where the caller has them, what constants determine in the
//! derived block, and the rest in one arena per run, where buffers whose lifetimes do not overlap share memory.

use super::placed::Placed;
use super::{Group, Step};
use crate::base::{HashMap, HashSet, SideMap, StableSort};
use crate::kernels::reach;
use crate::loops::uses::leaves_the_program;
use crate::loops::{BufferData, BufferId, BufferKind, Control, NodeKind, Program};
use crate::types::{SymInt, dense_order};
use std::collections::BTreeMap;
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
    /// In a slot: its size is known only in the middle of the run.
    Slot(usize),
    /// At a byte offset of what is zero before and after each run.
    Semaphores(u64),
}

#[derive(Debug)]
pub struct Placements {
    /// Buffers without an entry exist only inside kernels.
    pub of: SideMap<BufferData, Placement>,
    pub derived_bytes: u64,
    pub arena_bytes: SymInt,
    /// The largest sum of the sizes of what lies in the arena at one time; sizes that a run decides count as typical.
    pub live_bytes: i64,
    /// The scratch of a launch's threads in the arena: its offset, and the bytes of all threads.
    pub scratch: HashMap<usize, (SymInt, SymInt)>,
    /// Of all that lies in the arena but that.
    lifetimes: Vec<Lifetime>,
}

/// What lies at one place of the arena for some steps, sizes that a run decides as typical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub offset: i64,
    pub bytes: i64,
    /// Steps of a run, both inclusive.
    pub first: usize,
    pub last: usize,
}

impl Placements {
    /// What a text says of them.
    pub(super) fn of_text(of: SideMap<BufferData, Placement>, arena_bytes: SymInt) -> Placements {
        let (scratch, lifetimes) = (HashMap::default(), Vec::new());
        Placements { of, derived_bytes: 0, arena_bytes, live_bytes: 0, scratch, lifetimes }
    }
    /// All that lies in the arena.
    pub fn spans(&self, program: &Program) -> Vec<Span> {
        let syms = &program.syms;
        let span = |life: &Lifetime| {
            let offset = match life.tenant {
                Tenant::Buffer(buffer) => match self.of.get(buffer)? {
                    Placement::Arena(offset) => *offset,
                    _ => return None,
                },
                Tenant::Scratch(launch) => self.scratch.get(&launch)?.0,
            };
            let (offset, bytes) = (syms.hint(offset), syms.hint(life.bytes));
            (bytes > 0).then_some(Span { offset, bytes, first: life.first, last: life.last })
        };
        self.lifetimes.iter().filter_map(span).collect()
    }
}

/// Bytes that every buffer starts at a multiple of.
const ALIGNMENT: i64 = 64;

#[derive(Clone, Copy, Debug)]
struct Lifetime {
    tenant: Tenant,
    bytes: SymInt,
    first: usize,
    last: usize,
}

#[derive(Clone, Copy, Debug)]
enum Tenant {
    Buffer(BufferId),
    /// What the threads of a launch need for themselves.
    Scratch(usize),
}

/// Places all buffers that groups share; of each pair of `in_place` the second lies where the first does.
pub fn place(
    program: &Program,
    init: &[Group],
    main: &[Group],
    launches: &[Range<usize>],
    in_place: &[(BufferId, BufferId)],
    steps: &[Step],
) -> Placements {
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
    for (first, second) in in_place {
        if let Some(placement) = of.get(*first).copied() {
            of.insert(*second, placement);
        }
    }
    let mut derived_bytes = 0u64;
    for buffer in init.iter().flat_map(|g| &g.writes) {
        let bytes = program.syms.as_const(bytes_of(program, *buffer)).unwrap_or(0).max(0) as u64;
        of.insert(*buffer, Placement::Derived(derived_bytes));
        derived_bytes += bytes.next_multiple_of(ALIGNMENT as u64);
    }
    let mut semaphores_bytes = 0u64;
    for semaphores in main.iter().flat_map(Group::semaphores) {
        if of.contains(semaphores) {
            continue;
        }
        let bytes = program.syms.as_const(bytes_of(program, semaphores)).unwrap_or(0).max(0) as u64;
        of.insert(semaphores, Placement::Semaphores(semaphores_bytes));
        semaphores_bytes += bytes.next_multiple_of(ALIGNMENT as u64);
    }
    let lifetimes = lifetimes(program, main, launches, steps, &of);
    let live_bytes = live_bytes(program, &lifetimes);
    // By the buffer's own size: rounded up it may be the same whatever the run finds.
    let unbacked = |l: &Lifetime| match l.tenant {
        Tenant::Buffer(buffer) => is_unbacked(program, bytes_of(program, buffer)),
        Tenant::Scratch(_) => is_unbacked(program, l.bytes),
    };
    let (unbacked, lifetimes): (Vec<_>, Vec<_>) = lifetimes.into_iter().partition(unbacked);
    place_slots(unbacked, &mut of);
    let scratch = HashMap::default();
    let arena_bytes = program.syms.constant(0);
    let mut placements = Placements { of, derived_bytes, arena_bytes, live_bytes, scratch, lifetimes };
    place_arena(program, placements.lifetimes.clone(), &mut placements);
    placements
}

impl Placements {
    /// Places everything in the arena anew, with the scratch of threads: for each launch, the first and the last step at
    /// which it runs, its number, and the bytes of all threads.
    pub fn add_scratch(&mut self, program: &Program, scratch: &[(Range<usize>, usize, SymInt)]) {
        let syms = &program.syms;
        let mut lifetimes = self.lifetimes.clone();
        for (steps, launch, bytes) in scratch {
            // The arena is as large as it is before the run, which finds these sizes.
            if syms.as_const(*bytes) != Some(0) && !is_unbacked(program, *bytes) {
                let bytes = round_up(program, *bytes);
                let tenant = Tenant::Scratch(*launch);
                lifetimes.push(Lifetime { tenant, bytes, first: steps.start, last: steps.end });
            }
        }
        place_arena(program, lifetimes, self);
    }

    fn put(&mut self, lifetime: &Lifetime, offset: SymInt) {
        match lifetime.tenant {
            Tenant::Buffer(buffer) => {
                self.of.insert(buffer, Placement::Arena(offset));
            }
            Tenant::Scratch(launch) => {
                self.scratch.insert(launch, (offset, lifetime.bytes));
            }
        }
    }
}

/// Bytes of all inputs and outputs, as they typically are.
pub fn held_bytes(program: &Program) -> i64 {
    let buffers: HashSet<BufferId> = program.inputs.iter().chain(&program.outputs).copied().collect();
    let bytes = |buffer: &BufferId| program.syms.hint(bytes_of(program, *buffer)).max(0);
    buffers.iter().map(bytes).fold(0, i64::saturating_add)
}

fn live_bytes(program: &Program, lifetimes: &[Lifetime]) -> i64 {
    // What begins at a step lives beside what ends there.
    let mut changes: Vec<(usize, bool, i64)> = Vec::with_capacity(2 * lifetimes.len());
    for l in lifetimes {
        let bytes = program.syms.hint(l.bytes);
        changes.extend([(l.first, false, bytes), (l.last, true, bytes)]);
    }
    changes.stable_sort();
    let (mut live, mut most) = (0i128, 0i128);
    for (_, ends, bytes) in changes {
        live += if ends { -i128::from(bytes) } else { i128::from(bytes) };
        most = most.max(live);
    }
    i64::try_from(most).unwrap_or(i64::MAX)
}

/// Bytes of a buffer, as a symbolic integer: with the gaps between the rows of an input that is a part of a larger tensor.
pub fn bytes_of(program: &Program, buffer: BufferId) -> SymInt {
    let (data, syms) = (&program.buffers[buffer], &program.syms);
    let dense =
        !matches!(data.kind, BufferKind::Input(_)) || dense_order(syms, &data.sizes, &data.strides).is_some();
    let elements = if dense {
        syms.product(&data.sizes)
    } else {
        // A tensor without elements has no last one.
        let zero = syms.constant(0);
        let maybe_empty = data.sizes.iter().filter(|size| syms.range(**size).min < 1);
        maybe_empty.fold(reach(syms, &data.sizes, &data.strides), |all, size| {
            syms.select(syms.eq(*size, zero), zero, all)
        })
    };
    syms.mul_const(elements, data.dtype.size() as i64)
}

/// True for sizes that a control node gives.
pub fn is_unbacked(program: &Program, size: SymInt) -> bool {
    !program.unbacked.is_empty() && program.syms.sources(size).iter().any(|s| program.unbacked.contains(s))
}

/// Buffers of sizes that a run finds share slots where they live apart.
fn place_slots(mut unbacked: Vec<Lifetime>, of: &mut SideMap<BufferData, Placement>) {
    unbacked.stable_sort_by_key(|l| l.first);
    let mut slots: Vec<usize> = Vec::new();
    for l in unbacked {
        let slot = slots.iter().position(|last| *last < l.first).unwrap_or_else(|| {
            slots.push(0);
            slots.len() - 1
        });
        slots[slot] = l.last;
        if let Tenant::Buffer(buffer) = l.tenant {
            of.insert(buffer, Placement::Slot(slot));
        }
    }
}

/// Lifetimes in steps. What is made before a loop and used in it lives until the loop's end, and what a function uses until it
/// is run for the last time: its memory is its own at all places where it runs.
fn lifetimes(
    program: &Program,
    main: &[Group],
    launches: &[Range<usize>],
    steps: &[Step],
    of: &SideMap<BufferData, Placement>,
) -> Vec<Lifetime> {
    let mut place: SideMap<BufferData, usize> = SideMap::new();
    let mut lifetimes: Vec<Lifetime> = Vec::new();
    let ends = ends_of_loops(program, steps);
    let runs = last_runs(program, steps);
    // First and last step of the loops around this one.
    let mut around: Vec<(usize, usize)> = Vec::new();
    for (k, step) in steps.iter().enumerate() {
        around.retain(|(_, end)| *end >= k);
        around.extend(ends.get(&k).map(|end| (k, *end)));
        let (reads, writes): (Vec<BufferId>, Vec<BufferId>) = match step {
            Step::Launch(l) => {
                let groups = &main[launches[*l].clone()];
                (
                    groups.iter().flat_map(|g| &g.reads).copied().collect(),
                    groups.iter().flat_map(|g| &g.writes).copied().collect(),
                )
            }
            Step::Control(node) => {
                (crate::loops::uses::reads_of(program, *node), program.nodes[*node].outs())
            }
        };
        for buffer in &writes {
            if of.contains(*buffer) || place.contains(*buffer) {
                continue;
            }
            let last = if leaves_the_program(program, *buffer) { steps.len() } else { k };
            place.insert(*buffer, lifetimes.len());
            let bytes = round_up(program, bytes_of(program, *buffer));
            lifetimes.push(Lifetime { tenant: Tenant::Buffer(*buffer), bytes, first: k, last });
        }
        for buffer in reads.iter().chain(&writes) {
            if let Some(p) = place.get(*buffer) {
                let l = &mut lifetimes[*p];
                let later = around.iter().filter(|(begin, _)| l.first < *begin);
                l.last = later.map(|(_, end)| *end).max().unwrap_or(k).max(l.last).max(runs[k]);
            }
        }
    }
    lifetimes
}

/// For each step the last one that runs it: another one where it is a part of a function.
pub(super) fn last_runs(program: &Program, steps: &[Step]) -> Vec<usize> {
    let mut last: Vec<usize> = (0..steps.len()).collect();
    let control = |step: &Step| match step {
        Step::Control(node) => match &program.nodes[*node].kind {
            NodeKind::Control(control) => Some(control),
            _ => None,
        },
        Step::Launch(_) => None,
    };
    // Where functions stand, by number, and the places that run them.
    let mut open: Vec<(u32, usize)> = Vec::new();
    let mut bodies: HashMap<u32, Range<usize>> = HashMap::default();
    let mut places: HashMap<u32, Vec<usize>> = HashMap::default();
    for (k, step) in steps.iter().enumerate() {
        match control(step) {
            Some(Control::Function { number }) => open.push((*number, k)),
            Some(Control::EndFunction) => {
                bodies.extend(open.pop().map(|(number, begin)| (number, begin..k + 1)))
            }
            Some(Control::Again { function }) => places.entry(*function).or_default().push(k),
            _ => {}
        }
    }
    // What runs a function ends behind it: those that end last have their places settled first.
    let mut order: Vec<(&u32, &Range<usize>)> = bodies.iter().collect();
    order.stable_sort_by_key(|(_, body)| std::cmp::Reverse(body.end));
    for (number, body) in order {
        let runs = places.get(number).into_iter().flatten().chain([&body.start]);
        let latest = runs.map(|k| last[*k]).max().unwrap_or(0);
        last[body.clone()].iter_mut().for_each(|l| *l = latest.max(*l));
    }
    last
}

/// The last step of every loop, by its first.
fn ends_of_loops(program: &Program, steps: &[Step]) -> HashMap<usize, usize> {
    let (mut open, mut loops) = (Vec::new(), HashMap::default());
    for (k, step) in steps.iter().enumerate() {
        let Step::Control(node) = step else { continue };
        match program.nodes[*node].kind {
            NodeKind::Control(Control::While) => open.push(k),
            NodeKind::Control(Control::EndWhile) => loops.extend(open.pop().map(|begin| (begin, k))),
            _ => {}
        }
    }
    loops
}

fn round_up(program: &Program, bytes: SymInt) -> SymInt {
    let syms = &program.syms;
    let unit = syms.constant(ALIGNMENT);
    syms.mul(syms.ceildiv(bytes, unit), unit)
}

/// Static buffers are packed first, largest first, each at the lowest place that is free throughout its life. Dynamic
/// ones follow in slots, largest first, each slot as large as the largest buffer that ever uses it: what would fit into a
/// gap is known only when sizes are. Scratch of threads goes where most else goes.
fn place_arena(program: &Program, lifetimes: Vec<Lifetime>, placements: &mut Placements) {
    let syms = &program.syms;
    let is_buffer = |l: &Lifetime| matches!(l.tenant, Tenant::Buffer(_));
    let changes = lifetimes.iter().any(|l| is_buffer(l) && syms.as_const(l.bytes).is_none());
    let (mut fixed, mut dynamic) = (Vec::new(), Vec::new());
    for l in lifetimes {
        match syms.as_const(l.bytes) {
            Some(bytes) if is_buffer(&l) || !changes => fixed.push((bytes, l)),
            _ => dynamic.push((syms.hint(l.bytes), l)),
        }
    }
    let total = place_fixed(program, fixed, placements);
    dynamic.stable_sort_by_key(|(bytes, l)| (std::cmp::Reverse(*bytes), l.first));
    let mut slots: Vec<Slot> = Vec::new();
    for (typical, l) in dynamic {
        // Of a slot's buffers, which live apart, the last that begins before this one ends says it all.
        let free = |s: &Slot| s.times.range(..=l.last).next_back().is_none_or(|(_, last)| *last < l.first);
        // The slot that it fits into best; else the one that it makes the least larger.
        let cost = |s: &Slot| (typical.saturating_sub(s.typical).max(0), s.typical);
        let best = (0..slots.len()).filter(|k| free(&slots[*k])).min_by_key(|k| cost(&slots[*k]));
        let slot = match best {
            Some(k) => &mut slots[k],
            None => {
                slots.push(Slot {
                    bytes: syms.constant(0),
                    typical: 0,
                    buffers: Vec::new(),
                    times: BTreeMap::new(),
                });
                slots.last_mut().expect("one was pushed")
            }
        };
        slot.bytes = syms.max(slot.bytes, l.bytes);
        slot.typical = slot.typical.max(typical);
        slot.times.insert(l.first, l.last);
        slot.buffers.push(l);
    }
    let mut end = syms.constant(total);
    for slot in slots {
        for l in slot.buffers {
            placements.put(&l, end);
        }
        end = syms.add(end, slot.bytes);
    }
    placements.arena_bytes = end;
}

/// Memory that dynamic buffers use one after the other.
struct Slot {
    bytes: SymInt,
    typical: i64,
    buffers: Vec<Lifetime>,
    /// Their last steps by their first.
    times: BTreeMap<usize, usize>,
}

/// A buffer that lives beside more placed ones than these goes behind all: gaps are not looked for among so many, so that
/// the time does not grow with the square of a graph.
pub(super) const MOST_NEIGHBOURS: usize = 512;

/// Gives the bytes of all.
fn place_fixed(program: &Program, mut fixed: Vec<(i64, Lifetime)>, placements: &mut Placements) -> i64 {
    fixed.stable_sort_by_key(|(bytes, l)| (std::cmp::Reverse(*bytes), l.first));
    let mut placed = Placed::new(fixed.iter().map(|(_, l)| (l.first, l.last)));
    let mut total = 0;
    for (k, (bytes, l)) in fixed.iter().enumerate() {
        let mut taken = placed.beside(l.first, l.last);
        taken.stable_sort();
        // The smallest gap that it fits into.
        let (mut free, mut best): (i64, Option<(i64, i64)>) = (0, None);
        for (from, to) in &taken {
            let gap = from - free;
            if gap >= *bytes && best.is_none_or(|b| gap < b.0) {
                best = Some((gap, free));
            }
            free = free.max(*to);
        }
        if taken.len() >= MOST_NEIGHBOURS {
            (free, best) = (total, None);
        }
        let start = best.map_or(free, |b| b.1);
        placed.insert(k, (start, start + bytes));
        total = total.max(start + bytes);
        placements.put(l, program.syms.constant(start));
    }
    total
}
