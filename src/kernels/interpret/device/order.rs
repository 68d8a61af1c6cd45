//! Interprets calls of a GPU's scans, sorts and scatters. Where several blocks share a line or an element in the native text, one of
//! them computes it here: workspaces and semaphores are not used.

use crate::base::StableSort;
use crate::kernels::interpret::rows::sorted;
use crate::kernels::interpret::template::{Given, Source, all, ceil, needed, wrong};
use crate::kernels::interpret::thread::{Thread, World};
use crate::kernels::interpret::{Data, Fault, register};
use crate::kernels::{LocalId, Routine, TemplateCall};
use crate::loops::{BinaryOp, Number, ScanOp, ScatterMode, UnaryOp};
use crate::templates::scan_sort::{Scatter, Sort};
use crate::types::Dtype;

type Result<T> = std::result::Result<T, Fault>;

/// Points of one line whose keys a block finds, in the order in which it takes them, and the elements that are its own.
struct Share {
    dtype: Dtype,
    mode: ScatterMode,
    line: i64,
    /// Each point by its key, and those of a key in their order.
    points: Vec<(i64, i64)>,
}

impl<'k> Thread<'k> {
    /// One of these routines; false: the call is another's.
    pub(super) fn order(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
    ) -> Result<bool> {
        let (block, first) = (i64::from(self.stamp.block), self.stamp.thread == 0);
        match call.routine {
            Routine::ScanBeside { dtype, op, .. } => {
                let [lines, n] = all(call, numbers)?;
                self.one_each(world, ceil(lines, 32))?;
                let lane = i64::from(self.stamp.thread);
                if lane < 32 && block * 32 + lane < lines {
                    self.scan_line(world, call, (register(dtype), op), (&[], n))?;
                }
            }
            Routine::ScanLine { dtype, op, .. } if first => {
                let [lines, n] = all(call, numbers)?;
                self.one_each(world, lines)?;
                self.scan_line(world, call, (register(dtype), op), (&[], n))?;
            }
            Routine::ScanParts { dtype, op, parts, .. } if first => {
                let [lines, n, part] = all(call, numbers)?;
                for line in self.turns(world, lines) {
                    self.scan_line(world, call, (register(dtype), op), (&[line], n.min(parts * part)))?;
                }
            }
            Routine::SortLines { dtype, descending, near, .. } if first => {
                let [lines, n, kept] = all(call, numbers)?;
                let tag = Sort::padded(Sort::tag_bytes(dtype.size() as i64));
                holds(world, n.min(near) * tag + Sort::RESERVED)?;
                for line in self.turns(world, lines) {
                    self.sort_line(world, call, (register(dtype), descending), [line, n, kept.min(n)])?;
                }
            }
            Routine::SortTogether { dtype, descending, threads } if first => {
                let [lines, n] = all(call, numbers)?;
                let tag = Sort::padded(Sort::tag_bytes(dtype.size() as i64));
                holds(world, threads * Sort::EACH * tag + Sort::RESERVED)?;
                for line in self.turns(world, lines) {
                    self.sort_line(world, call, (register(dtype), descending), [line, n, n])?;
                }
            }
            Routine::ScatterNear { dtype, mode, threads, wide, groups } if first => {
                let [lines, points, beside] = all(call, numbers)?;
                let tag = Sort::tag_bytes(if wide { 8 } else { 4 });
                holds(world, Scatter::near_bytes(tag) * threads / Scatter::SHARING)?;
                let chunks = ceil(beside, Scatter::NEAR_WIDE);
                self.one_each(world, lines * chunks * groups)?;
                let begin = block % chunks * Scatter::NEAR_WIDE;
                let (group, line) = (block / chunks % groups, block / chunks / groups);
                let mut share = self.points(world, call, (register(dtype), mode), [line, points])?;
                share.points.retain(|(key, _)| {
                    let key = if wide { *key as u64 } else { u64::from(*key as u32) };
                    groups == 1 || (mixed(key) * groups as u64) >> 31 == group as u64
                });
                for own in begin..beside.min(begin + Scatter::NEAR_WIDE) {
                    self.scatter(world, call, &share, own, &|_| true)?;
                }
            }
            Routine::ScatterSorted { dtype, mode, threads, wide } if first => {
                let [line, points, beside] = all(call, numbers)?;
                let tag = Sort::padded(Sort::tag_bytes(if wide { 8 } else { 4 }));
                holds(world, threads * Sort::EACH * tag + Sort::RESERVED)?;
                if line != 1 {
                    return Err(wrong(call));
                }
                let share = self.points(world, call, (register(dtype), mode), [0, points])?;
                // A block has so many turns, each a point in order and an element beside.
                let blocks = world.blocks;
                for own in 0..beside {
                    let mine = |head: usize| (head as i64 * beside + own) / threads % blocks == block;
                    self.scatter(world, call, &share, own, &mine)?;
                }
            }
            Routine::ScanLine { .. }
            | Routine::ScanParts { .. }
            | Routine::SortLines { .. }
            | Routine::SortTogether { .. }
            | Routine::ScatterNear { .. }
            | Routine::ScatterSorted { .. } => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What this block has of things that blocks take in turn.
    fn turns(&self, world: &World<'_>, count: i64) -> impl Iterator<Item = i64> + use<'k> {
        (i64::from(self.stamp.block)..count).step_by(world.blocks.max(1) as usize)
    }

    /// What a region sets at coordinates.
    fn set_by(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        region: LocalId,
        coordinates: &[i64],
    ) -> Result<Number> {
        let given = Given { coordinates, lent: Vec::new(), values: &[] };
        let answer = self.answered(world, call, region, given, &[])?;
        match answer.places.into_iter().next().flatten() {
            Some(Data::Scalar(_, number)) => Ok(number),
            Some(Data::Index(at)) => Ok(Number::Integer(at)),
            _ => Err(Fault::Unset { local: world.name(region) }),
        }
    }

    /// Gives a region values at coordinates.
    fn give_to(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        region: LocalId,
        (coordinates, values): (&[i64], &[Number]),
    ) -> Result<()> {
        let given = Given { coordinates, lent: Vec::new(), values };
        self.answered(world, call, region, given, &[]).map(|_| ())
    }

    fn scan_line(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        (dtype, op): (Dtype, ScanOp),
        (line, n): (&[i64], i64),
    ) -> Result<()> {
        let [value_at, give] = [needed(call, 0)?, needed(call, 1)?];
        let mut before: Option<(Number, i64)> = None;
        for step in 0..n {
            let coordinates: Vec<i64> = line.iter().copied().chain([step]).collect();
            let own = (self.set_by(world, call, value_at, &coordinates)?, step);
            let result = before.map_or(own, |before| scanned(op, dtype, before, own));
            let values = [result.0, Number::Integer(result.1)];
            let values = &values[..if op.has_places() { 2 } else { 1 }];
            self.give_to(world, call, give, (&coordinates, values))?;
            before = Some(result);
        }
        Ok(())
    }

    /// Gives the first `kept` of a line in order.
    fn sort_line(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        (dtype, descending): (Dtype, bool),
        [line, n, kept]: [i64; 3],
    ) -> Result<()> {
        let [value_at, give] = [needed(call, 0)?, needed(call, 1)?];
        let mut keyed = Vec::with_capacity(n.max(0) as usize);
        for step in 0..n {
            keyed.push((self.set_by(world, call, value_at, &[line, step])?, Number::Integer(step)));
        }
        let keyed = sorted(keyed, dtype, descending);
        for (step, (key, at)) in (0..kept).zip(keyed) {
            self.give_to(world, call, give, (&[line, step], &[key, at]))?;
        }
        Ok(())
    }

    /// The points of a line, brought together by their keys.
    fn points(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        (dtype, mode): (Dtype, ScatterMode),
        [line, points]: [i64; 2],
    ) -> Result<Share> {
        let key_of = needed(call, 0)?;
        let mut found = Vec::with_capacity(points.max(0) as usize);
        for point in 0..points {
            found.push((self.set_by(world, call, key_of, &[line, point])?.as_i64(), point));
        }
        found.stable_sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Share { dtype, mode, line, points: found })
    }

    /// Takes the values that points have for one of the elements beside one another, into those whose first point, by its place
    /// among all, is `mine`.
    fn scatter(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        share: &Share,
        own: i64,
        mine: &dyn Fn(usize) -> bool,
    ) -> Result<()> {
        let [rest_of, value_of] = [needed(call, 1)?, needed(call, 2)?];
        let Some(out) = self.memory(world, call, 0)? else { return Err(wrong(call)) };
        let rest = self.place_of(world, call, rest_of, &[own])?;
        let mut head = 0;
        for (k, (key, point)) in share.points.iter().enumerate() {
            if k > 0 && share.points[k - 1].0 != *key {
                head = k;
            }
            if mine(head) {
                let value = self.set_by(world, call, value_of, &[share.line, *point, own])?;
                self.take_into(world, out, key + rest, (share.dtype, share.mode, value))?;
            }
        }
        Ok(())
    }

    fn take_into(
        &mut self,
        world: &mut World<'k>,
        out: Source,
        at: i64,
        (dtype, mode, value): (Dtype, ScatterMode, Number),
    ) -> Result<()> {
        let number = match mode.combination() {
            Some(op) => Number::binary(op, dtype, self.read(world, out, at, dtype)?, value),
            None => value,
        };
        self.write(world, out, at, (dtype, number))
    }
}

/// Whether a block has so many bytes of shared memory.
fn holds(world: &World<'_>, bytes: i64) -> Result<()> {
    match world.bytes as i64 >= bytes {
        true => Ok(()),
        false => Err(Fault::Launch(format!("{} bytes of shared memory for {bytes}", world.bytes))),
    }
}

/// `litz_mixed`
fn mixed(key: u64) -> u64 {
    u64::from((key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32)
}

/// What comes before an element, and the element: values with their places.
fn scanned(op: ScanOp, dtype: Dtype, before: (Number, i64), own: (Number, i64)) -> (Number, i64) {
    let two = |op, a, b| Number::binary(op, dtype, a, b);
    let (a, b) = (before.0, own.0);
    match op {
        ScanOp::Sum => (two(BinaryOp::Add, a, b), own.1),
        ScanOp::Product => (two(BinaryOp::Mul, a, b), own.1),
        ScanOp::LogSumExp => {
            let equal = two(BinaryOp::Eq, a, b).is_true();
            if a.is_nan() || equal && a.unary(UnaryOp::IsInf, dtype).is_true() {
                return (a, own.1);
            }
            let (most, least) = (two(BinaryOp::Maximum, a, b), two(BinaryOp::Minimum, a, b));
            let part = two(BinaryOp::Sub, least, most).unary(UnaryOp::Exp, dtype);
            (two(BinaryOp::Add, most, part.unary(UnaryOp::Log1p, dtype)), own.1)
        }
        ScanOp::MaxWithIndex | ScanOp::MinWithIndex => {
            let better = if op == ScanOp::MaxWithIndex { BinaryOp::Ge } else { BinaryOp::Le };
            let beats = b.is_nan() || !a.is_nan() && two(better, b, a).is_true();
            if beats { own } else { before }
        }
    }
}
