//! Runs a launch: calls of a CPU's function, or blocks of a GPU's threads that meet at barriers.

use super::compute::combine;
use super::memory::{Region, Seen};
use super::shared::{fold_rows, strip};
use super::thread::{Event, Map, Place, Slot, Thread, World, numbered, put_together};
use super::{Data, Fault};
use crate::base::{HashMap, HashSet};
use crate::kernels::text::heads;
use crate::kernels::{Kernel, LastBlocks, Launch, Over, Reduction, Role, Scope, Statement};
use crate::loops::Number;
use crate::types::{Dtype, SymArena, SymInt, SymbolId};

type Result<T> = std::result::Result<T, Fault>;

const WARP: usize = 32;

/// A sequence of numbers that looks random, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
    fn shuffle<T>(&mut self, list: &mut [T]) {
        for k in (1..list.len()).rev() {
            list.swap(k, self.below(k + 1));
        }
    }
}

/// Runs a kernel on the bytes of its buffers, for these values of symbols. `order` chooses one of the orders in which threads
/// may run; order 0 is that of their numbers.
pub fn run(
    syms: &SymArena,
    kernel: &Kernel,
    symbols: &dyn Fn(SymbolId) -> Option<i64>,
    memory: &mut [Vec<u8>],
    order: u64,
) -> Result<()> {
    let of = |e: SymInt| syms.eval(e, symbols).map_err(|e| Fault::Launch(e.to_string()));
    if memory.len() != kernel.buffers.len() {
        return Err(Fault::Launch("a wrong number of buffers is given".to_string()));
    }
    let mut shapes = Vec::new();
    for parameter in &kernel.buffers {
        let all = |list: &[SymInt]| list.iter().map(|e| of(*e)).collect::<Result<Vec<i64>>>();
        shapes.push((all(&parameter.sizes)?, all(&parameter.strides)?));
    }
    let mut buffers = Vec::new();
    for (k, parameter) in kernel.buffers.iter().enumerate() {
        buffers.push(given(k, parameter.dtype, parameter.role, length(&shapes[k]), &memory[k])?);
    }
    let mut maps = Vec::new();
    for map in &kernel.maps {
        let all = |list: &[SymInt]| list.iter().map(|e| of(*e)).collect::<Result<Vec<i64>>>();
        let Some(buffer) = kernel.buffers.iter().position(|b| b.buffer == map.buffer) else {
            return Err(Fault::Launch("a tensor map is of no buffer of the kernel".to_string()));
        };
        let (offset, sizes, strides) = (of(map.offset)?, all(&map.sizes)?, all(&map.strides)?);
        maps.push(Map { buffer, offset, sizes, strides });
    }
    let (bytes, cluster, blocks) = match &kernel.launch {
        Launch::Cpu { scratch, .. } => (of(*scratch)?, 1, 0),
        Launch::Gpu { blocks, cluster, shared, .. } => (of(*shared)?, *cluster, of(*blocks)?),
    };
    let parameters = kernel.symbols.iter().map(|s| of(syms.symbol_expr(*s))).collect::<Result<_>>()?;
    let mut statements = Vec::new();
    numbered(&kernel.body.block, &mut statements);
    let regions = statements.iter().filter_map(|s| match s {
        Statement::Region(region) => Some((region.local, &**region)),
        _ => None,
    });
    let places = statements.iter().map(|s| std::ptr::from_ref(*s) as usize);
    let mut world = World {
        kernel,
        parameters,
        lanes: usize::try_from(kernel.lanes).map_err(|_| Fault::Launch("negative lanes".to_string()))?,
        blocks,
        cluster,
        buffers,
        maps,
        own: HashMap::default(),
        bytes: bytes.max(0) as usize,
        regions: regions.collect(),
        seen: HashMap::default(),
        steps: 0,
        heads: places.zip(heads(syms, kernel)).collect(),
        nothing: Seen::default(),
    };
    let mut dice = Dice(order);
    match &kernel.launch {
        Launch::Cpu { tasks, .. } => calls(&mut world, of(*tasks)?, order, &mut dice)?,
        Launch::Gpu { threads, .. } => {
            let cluster = cluster.max(1);
            if blocks % cluster != 0 {
                let message = format!("{blocks} blocks are no whole clusters of {cluster}");
                return Err(Fault::Launch(message));
            }
            let mut groups: Vec<i64> = (0..blocks / cluster).collect();
            if order > 0 {
                dice.shuffle(&mut groups);
            }
            let mut semaphores = HashMap::default();
            for group in groups {
                let blocks = group * cluster..(group + 1) * cluster;
                let side_by_side = blocks.flat_map(|b| {
                    (0..*threads)
                        .map(move |t| Thread::new(kernel, b as u32, t as u32, Place { begin: 0, end: 0 }))
                });
                let mut group = Group {
                    threads: side_by_side.collect(),
                    waits: Vec::new(),
                    per_block: *threads as usize,
                    semaphores: &mut semaphores,
                };
                group.run(&mut world, order, &mut dice)?;
                world.own.clear();
            }
        }
    }
    for (k, (parameter, shape)) in kernel.buffers.iter().zip(&shapes).enumerate() {
        settle(&world.buffers[k], parameter.role, shape)?;
        let size = parameter.dtype.size();
        for (at, bytes) in memory[k].chunks_exact_mut(size).take(world.buffers[k].len()).enumerate() {
            if let Some((number, true)) = world.buffers[k].get(at) {
                number.write(bytes, parameter.dtype);
            }
        }
    }
    Ok(())
}

type Layout = (Vec<i64>, Vec<i64>);

/// Elements up to the last one.
fn length((sizes, strides): &Layout) -> usize {
    if sizes.iter().any(|s| *s <= 0) {
        return 0;
    }
    let last: i64 = sizes.iter().zip(strides).map(|(size, stride)| (size - 1) * stride).sum();
    usize::try_from(last + 1).unwrap_or(0)
}

/// Every element's offset.
fn offsets((sizes, strides): &Layout) -> Vec<usize> {
    let mut found = vec![0i64];
    for (size, stride) in sizes.iter().zip(strides) {
        found = found.iter().flat_map(|at| (0..(*size).max(0)).map(move |k| at + k * stride)).collect();
    }
    found.into_iter().filter_map(|at| usize::try_from(at).ok()).collect()
}

fn given(k: usize, dtype: Dtype, role: Role, length: usize, bytes: &[u8]) -> Result<Region> {
    let mut region = Region::new(format!("b{k}"), role, false, length);
    if bytes.len() < length * dtype.size() {
        return Err(Fault::Launch(format!(
            "buffer {k} has {} bytes, not {}",
            bytes.len(),
            length * dtype.size()
        )));
    }
    match role {
        Role::Input | Role::Updated | Role::Combined => {
            for (at, bytes) in bytes.chunks_exact(dtype.size()).take(length).enumerate() {
                region.give(at, Number::read(bytes, dtype), dtype);
            }
        }
        Role::Semaphores => (0..length).for_each(|at| region.give(at, Number::Integer(0), dtype)),
        Role::Result | Role::Repeated | Role::Accumulated | Role::Workspace => {}
    }
    Ok(region)
}

/// What a buffer holds after the kernel is what its role promises.
fn settle(region: &Region, role: Role, layout: &Layout) -> Result<()> {
    let memory = || region.name.clone();
    match role {
        Role::Input | Role::Workspace => {}
        Role::Semaphores => {
            for at in 0..region.len() {
                let left = region.get(at).map_or(0, |(number, _)| number.as_i64());
                if left != 0 {
                    return Err(Fault::SemaphoreLeft { memory: memory(), at: at as i64, left });
                }
            }
        }
        Role::Result | Role::Repeated | Role::Updated | Role::Accumulated | Role::Combined => {
            let promised: HashSet<usize> = offsets(layout).into_iter().collect();
            for at in 0..region.len() {
                let written = region.get(at).filter(|(_, written)| *written);
                match (written, promised.contains(&at)) {
                    // What is updated may keep what it held.
                    (None, true) if matches!(role, Role::Updated | Role::Combined) => {}
                    (None, true) => return Err(Fault::Unwritten { memory: memory(), at: at as i64 }),
                    (Some(_), false) => return Err(Fault::Stray { memory: memory(), at: at as i64 }),
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

/// Tasks of a CPU: all in one call, one in each, or dealt out anyhow.
fn calls(world: &mut World<'_>, tasks: i64, order: u64, dice: &mut Dice) -> Result<()> {
    let mut parts: Vec<(i64, i64)> = match order {
        0 => vec![(0, tasks)],
        1 => (0..tasks).map(|k| (k, k + 1)).collect(),
        _ => {
            let mut cuts: Vec<i64> = (1..tasks.max(1)).filter(|_| dice.below(3) == 0).collect();
            cuts.insert(0, 0);
            cuts.push(tasks);
            cuts.windows(2).map(|w| (w[0], w[1])).collect()
        }
    };
    dice.shuffle(&mut parts);
    for (call, (begin, end)) in parts.into_iter().enumerate() {
        let mut thread = Thread::new(world.kernel, call as u32, 0, Place { begin, end });
        match thread.run(world)? {
            Event::Done => {}
            event => {
                let statement = event.statement().map(|s| world.head(s)).unwrap_or_default();
                let fault = Fault::Launch("a CPU's tasks do not wait for one another".to_string());
                return Err(Fault::At { statement, fault: Box::new(fault) });
            }
        }
        world.own.clear();
    }
    Ok(())
}

/// Blocks that may meet one another, side by side.
struct Group<'k, 's> {
    threads: Vec<Thread<'k>>,
    /// Why each thread does not go on; none: it can.
    waits: Vec<Option<Event<'k>>>,
    per_block: usize,
    /// What is to be seen of each block by whoever arrives last: by buffer and element.
    semaphores: &'s mut HashMap<(usize, i64), Seen>,
}

impl<'k> Group<'k, '_> {
    fn run(&mut self, world: &mut World<'k>, order: u64, dice: &mut Dice) -> Result<()> {
        self.waits = vec![None; self.threads.len()];
        loop {
            let mut ready: Vec<usize> =
                (0..self.threads.len()).filter(|k| self.waits[*k].is_none()).collect();
            if order > 0 {
                dice.shuffle(&mut ready);
            }
            for k in &ready {
                self.waits[*k] = Some(self.threads[*k].run(world)?);
            }
            if !self.release(world)? {
                return self.all_done(world);
            }
        }
    }

    /// Lets go on those that have all met. False: nobody can.
    fn release(&mut self, world: &mut World<'k>) -> Result<bool> {
        let mut any = false;
        let all = self.threads.len();
        for (scope, size) in [(Scope::Warp, WARP), (Scope::Block, self.per_block), (Scope::Cluster, all)] {
            let mut first = 0;
            while first < all {
                // A warp does not reach into the next block.
                let rest = self.per_block - first % self.per_block;
                let end = (first + if scope == Scope::Warp { size.min(rest) } else { size }).min(all);
                any |= self.meet(world, scope, first, end)?;
                first = end;
            }
        }
        Ok(any)
    }

    fn meet(&mut self, world: &mut World<'k>, scope: Scope, first: usize, end: usize) -> Result<bool> {
        let Some(event) = self.waits[first].clone() else { return Ok(false) };
        if event.scope() != Some(scope) {
            return Ok(false);
        }
        let same = |other: &Option<Event<'k>>| match (
            other.as_ref().and_then(Event::statement),
            event.statement(),
        ) {
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            _ => false,
        };
        if !self.waits[first..end].iter().all(same) {
            return Ok(false);
        }
        match &event {
            Event::Done => return Ok(false),
            Event::Barrier(..) => {}
            Event::Reduce(statement, reduction, ..) => self
                .reduce(reduction, first, end)
                .map_err(|fault| Fault::At { statement: world.head(statement), fault: Box::new(fault) })?,
            Event::Share(statement, _) => self
                .share(world, statement, first, end)
                .map_err(|fault| Fault::At { statement: world.head(statement), fault: Box::new(fault) })?,
            Event::Last(statement, last, _) => self
                .arrive(world, last, first, end)
                .map_err(|fault| Fault::At { statement: world.head(statement), fault: Box::new(fault) })?,
        }
        if matches!(event, Event::Last(..)) {
            return Ok(true);
        }
        self.pass(world, scope, first, end);
        Ok(true)
    }

    /// They have met: what one did before, the others see.
    fn pass(&mut self, world: &mut World<'k>, scope: Scope, first: usize, end: usize) {
        for k in first..end {
            self.waits[k] = None;
            let stamp = &mut self.threads[k].stamp;
            match scope {
                Scope::Warp => stamp.warp_epoch += 1,
                _ => stamp.epoch += 1,
            }
        }
        if scope == Scope::Cluster {
            let known: Vec<(u32, u32)> =
                self.threads.iter().map(|t| (t.stamp.block, t.stamp.epoch)).collect();
            let mut all = Seen::default();
            for (block, epoch) in known {
                join(&mut all, block, epoch);
                for (block, epoch) in world.seen.get(&block).cloned().unwrap_or_default() {
                    join(&mut all, block, epoch);
                }
            }
            for thread in &self.threads {
                world.seen.insert(thread.stamp.block, all.clone());
            }
        }
    }

    /// Threads put their arrays together.
    fn share(&mut self, world: &World<'k>, statement: &'k Statement, first: usize, end: usize) -> Result<()> {
        let wrong =
            || Fault::Type { what: "what threads put together does not fit", found: world.head(statement) };
        let part = |wait: &Option<Event<'k>>| match wait {
            Some(Event::Share(_, parts)) => parts.clone(),
            _ => Vec::new(),
        };
        let parts: Vec<Vec<Data>> = self.waits[first..end].iter().map(part).collect();
        match statement {
            Statement::FoldRows { op, array, .. } => {
                for (lane, thread) in self.threads[first..end].iter_mut().enumerate() {
                    let result = fold_rows(*op, &parts, lane).ok_or_else(wrong)?;
                    *thread.element(world, *array, 0)? = Some(result);
                }
            }
            Statement::ReduceStrips(strips) => {
                let lanes = world.lanes;
                let wide = parts.first().map_or(0, Vec::len)
                    * lanes
                    * match strips.over {
                        Over::Above { across, .. } => across as usize,
                        _ => 0,
                    };
                // More columns than threads would be taken in turns.
                if wide > parts.len() {
                    return Err(wrong());
                }
                for (column, thread) in self.threads[first..end].iter_mut().enumerate().take(wide) {
                    let result = strip(strips, &parts, column, lanes).ok_or_else(wrong)?;
                    thread.give_strip(strips, column, result);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn reduce(&mut self, r: &Reduction, first: usize, end: usize) -> Result<()> {
        let part = |waits: &[Option<Event<'k>>], k: usize| match &waits[k] {
            Some(Event::Reduce(_, _, data, place)) => (data.clone(), *place),
            _ => unreachable!("all threads of the scope are at the reduction"),
        };
        let members = |k: usize| -> Vec<usize> {
            match r.over {
                Over::Threads { threads } => {
                    let (threads, block) = (threads.max(1) as usize, k / self.per_block * self.per_block);
                    let start = block + (k - block) / threads * threads;
                    (start..start + threads).collect()
                }
                Over::Cluster { .. } => (first..end).collect(),
                Over::Above { across, above } => {
                    let (across, block) = (across.max(1) as usize, k / self.per_block * self.per_block);
                    let column = (k - block) % across;
                    (0..above.max(1) as usize).map(|row| block + column + row * across).collect()
                }
            }
        };
        let mut results = Vec::new();
        for k in first..end {
            let mut all: Option<(Data, i64)> = None;
            for m in members(k) {
                if !(first..end).contains(&m) {
                    return Err(Fault::Launch(format!("thread {m} is none of those that meet")));
                }
                let (data, place) = part(&self.waits, m);
                all = Some(match (all, data) {
                    (None, data) => (data, place),
                    (Some((Data::Scalar(d, a), at)), Data::Scalar(e, b)) if d == e && r.place.is_some() => {
                        let (value, place) = combine(r.op, d, (a, at), (b, place));
                        (Data::Scalar(d, value), place)
                    }
                    (Some((a, _)), b) => (put_together(r.op, a, &b)?, -1),
                });
            }
            results.push(all);
        }
        for (k, all) in (first..end).zip(results) {
            let Some((data, place)) = all else { continue };
            self.threads[k].slots[r.result.index()] = Slot::Value(data);
            if let Some(result) = r.result_place {
                let place = Data::Scalar(Dtype::Int64, Number::Integer(place.max(0)));
                self.threads[k].slots[result.index()] = Slot::Value(place);
            }
        }
        Ok(())
    }

    /// A block arrives at its semaphores.
    fn arrive(
        &mut self,
        world: &mut World<'k>,
        last: &'k LastBlocks,
        first: usize,
        end: usize,
    ) -> Result<()> {
        let Some(Event::Last(_, _, counted)) = self.waits[first].clone() else { return Ok(()) };
        let block = self.threads[first].stamp.block;
        // The barriers of the statement: what the block wrote lies before its next epoch.
        self.pass(world, Scope::Block, first, end);
        let epoch = self.threads[first].stamp.epoch;
        let mut own = world.seen.get(&block).cloned().unwrap_or_default();
        join(&mut own, block, epoch);
        let mut ready = 0;
        for (k, (buffer, at, blocks)) in counted.into_iter().enumerate() {
            let known = self.semaphores.entry((buffer, at)).or_default();
            own.iter().for_each(|(block, epoch)| join(known, *block, *epoch));
            if world.buffers[buffer].count(at, blocks)? + 1 == blocks {
                ready |= 1 << k;
                let known = self.semaphores.remove(&(buffer, at)).unwrap_or_default();
                let seen = world.seen.entry(block).or_default();
                known.iter().for_each(|(block, epoch)| join(seen, *block, *epoch));
            }
        }
        for thread in &mut self.threads[first..end] {
            thread.set(last.ready, Data::Scalar(Dtype::Int32, Number::Integer(ready)));
            // The first region is entered last, and so runs first.
            for (k, region) in last.regions.iter().enumerate().rev() {
                if ready >> k & 1 == 1 {
                    thread.enter(region, None);
                }
            }
        }
        Ok(())
    }

    /// Nobody goes on: all are done, or some wait for others.
    fn all_done(&self, world: &World<'k>) -> Result<()> {
        let waits = |k: usize| self.waits[k].as_ref().and_then(|e| e.scope().map(|s| (e, s)));
        let Some((k, (event, scope))) = (0..self.threads.len()).find_map(|k| Some((k, waits(k)?))) else {
            return Ok(());
        };
        let statement = event.statement();
        let near = |j: &usize| {
            let (a, b) = (self.threads[k].stamp, self.threads[*j].stamp);
            match scope {
                Scope::Warp => a.block == b.block && a.thread / 32 == b.thread / 32,
                Scope::Block => a.block == b.block,
                _ => true,
            }
        };
        let differs = |j: &usize| {
            let other = self.waits[*j].as_ref().and_then(Event::statement);
            !matches!((other, statement), (Some(a), Some(b)) if std::ptr::eq(a, b))
        };
        let other = (0..self.threads.len()).filter(near).find(differs).unwrap_or(k);
        let does = match self.waits[other] {
            Some(Event::Done) => "has ended",
            _ => "waits at another one",
        };
        let (own, stamp) = (self.threads[k].stamp, self.threads[other].stamp);
        let fault = Fault::Diverged {
            scope: format!("{scope:?}"),
            block: own.block,
            thread: own.thread,
            other_block: stamp.block,
            other: stamp.thread,
            does,
        };
        let statement = statement.map(|s| world.head(s)).unwrap_or_default();
        Err(Fault::At { statement, fault: Box::new(fault) })
    }
}

fn join(seen: &mut Seen, block: u32, epoch: u32) {
    let known = seen.entry(block).or_insert(epoch);
    *known = (*known).max(epoch);
}
