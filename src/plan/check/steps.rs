//! What holds of a plan's steps: what they name is there, what they write they may write, blocks end within their lists,
//! and sizes that steps give are used behind those steps alone.

use super::super::{
    Buffer, BufferId, BufferKind, Plan, PlanError, ScalarId, ScalarOp, Step, SymbolSource, TensorMap,
};
use super::MAX_DEPTH;
use crate::types::Dtype;

impl Plan {
    pub(super) fn check_step(
        &self,
        step: &Step,
        block: &str,
        k: usize,
        arity: &mut [Option<(usize, usize, usize)>],
    ) -> Result<(), PlanError> {
        let user = || format!("{block} step {k}");
        match step {
            Step::Kernel {
                kernel, buffers, scalars, tasks, grain, scratch, scratch_buffer, maps, ..
            } => {
                let Some(known) = arity.get_mut(kernel.0 as usize) else {
                    return Err(PlanError::Range {
                        user: user(),
                        table: "kernels",
                        index: kernel.0,
                        length: self.kernels.len(),
                    });
                };
                let given = (buffers.len(), scalars.len(), maps.len());
                if *known.get_or_insert(given) != given {
                    return Err(PlanError::invalid(format!(
                        "{block} step {k} gives kernel `{}` {} buffers, {} scalars and {} tensor maps, an earlier step other numbers",
                        self.kernels[kernel.0 as usize].symbol, given.0, given.1, given.2
                    )));
                }
                for s in scalars.iter().chain([tasks, grain, scratch]) {
                    self.scalar(*s, user)?;
                }
                if let Some(scratch_buffer) = scratch_buffer {
                    self.check_step_buffer(*scratch_buffer, block, k, true)?;
                    if !matches!(self.buffers[scratch_buffer.0 as usize].kind, BufferKind::Arena { .. }) {
                        return Err(PlanError::invalid(format!(
                            "{block} step {k} has its threads' scratch in buffer {}, which is not in the arena",
                            scratch_buffer.0
                        )));
                    }
                }
                buffers.iter().try_for_each(|b| self.check_step_buffer(*b, block, k, false))?;
                maps.iter().try_for_each(|m| {
                    if !buffers.contains(&m.buffer) {
                        let message = format!("{block} step {k} maps a buffer that it does not take");
                        return Err(PlanError::invalid(message));
                    }
                    self.check_map(m, block, k)
                })
            }
            Step::Copy { destination, source, bytes, start } => {
                self.scalar(*bytes, user)?;
                if let Some(start) = start {
                    self.scalar(*start, user)?;
                }
                if start.is_some() && block == "init" {
                    return Err(PlanError::invalid(format!(
                        "init step {k} copies into the middle of a buffer"
                    )));
                }
                self.check_step_buffer(*source, block, k, false)?;
                self.check_step_buffer(*destination, block, k, true)
            }
            Step::Extern { attributes, operands, workspace } => {
                let routine = attributes.routine();
                let expected = attributes.operand_count();
                if operands.len() != expected {
                    return Err(PlanError::invalid(format!(
                        "{block} step {k} gives {} {} operands instead of {expected}",
                        routine.library().name(),
                        operands.len(),
                    )));
                }
                for s in attributes.values().into_iter().chain([workspace]) {
                    self.scalar(*s, user)?;
                }
                let written = attributes.written();
                let check =
                    |(n, b): (usize, &BufferId)| self.check_step_buffer(*b, block, k, written.contains(&n));
                operands.iter().enumerate().try_for_each(check)
            }
            control => self.check_control(control, block, k),
        }
    }

    fn check_map(&self, map: &TensorMap, block: &str, k: usize) -> Result<(), PlanError> {
        map.scalars().try_for_each(|s| self.scalar(*s, || format!("{block} step {k}")))?;
        let rank = map.sizes.len();
        let item = Dtype::from_number(map.dtype.into()).map_or(0, |d| d.size() as u64);
        let same = [map.strides.len(), map.boxes.len(), map.steps.len()].iter().all(|n| *n == rank);
        let ranges =
            map.boxes.iter().all(|n| (1..=256).contains(n)) && map.steps.iter().all(|n| (1..=8).contains(n));
        let row = map.boxes.first().map_or(0, |n| u64::from(*n) * item);
        let swizzle = u64::from(map.swizzle);
        let good = (1..=TensorMap::MAX_RANK).contains(&rank)
            && same
            && ranges
            && row.is_multiple_of(16)
            && matches!((item, swizzle), (1 | 2 | 4 | 8, 0 | 32 | 64 | 128))
            && (swizzle == 0 || row <= swizzle)
            && (!map.tf32 || map.dtype == Dtype::Float32.number());
        if !good {
            return Err(PlanError::invalid(format!(
                "{block} step {k} has a tensor map that no GPU can read"
            )));
        }
        Ok(())
    }

    fn check_control(&self, step: &Step, block: &str, k: usize) -> Result<(), PlanError> {
        let user = || format!("{block} step {k}");
        let range = |table, index: u32, length| {
            if (index as usize) < length {
                return Ok(());
            }
            Err(PlanError::Range { user: user(), table, index, length })
        };
        let given_by_a_step = |symbol: u32| {
            range("symbols", symbol, self.symbols.len())?;
            if self.symbols[symbol as usize].source == SymbolSource::Step {
                return Ok(());
            }
            Err(PlanError::invalid(format!("{block} step {k} gives a symbol that an input gives")))
        };
        if block == "init" {
            return Err(PlanError::invalid(format!("init step {k} steers, which only main steps may")));
        }
        match step {
            Step::Read { symbol, buffer, dtype } => {
                given_by_a_step(*symbol)?;
                if ![5, 8, 12].contains(dtype) {
                    return Err(PlanError::invalid(format!(
                        "{block} step {k} reads a number of dtype {dtype}"
                    )));
                }
                self.check_step_buffer(*buffer, block, k, false)
            }
            Step::Set { symbol, value } => {
                given_by_a_step(*symbol)?;
                self.scalar(*value, user)
            }
            Step::Check { condition, assertion } => {
                range("assertions", *assertion, self.assertions.len())?;
                self.scalar(*condition, user)
            }
            Step::Print { text } => range("assertions", *text, self.assertions.len()),
            Step::Allocate { buffer } => {
                range("buffers", buffer.0, self.buffers.len())?;
                match self.buffers[buffer.0 as usize].kind {
                    BufferKind::Slot(_) | BufferKind::Output(_) => Ok(()),
                    kind => Err(PlanError::invalid(format!("{block} step {k} allocates {}", kind.name()))),
                }
            }
            Step::If { predicate, .. } | Step::While { predicate, .. } => {
                self.check_step_buffer(*predicate, block, k, false)
            }
            Step::Again { function } => {
                let begin = *function as usize;
                match self.main.get(begin) {
                    Some(Step::Function { steps }) if begin + (*steps as usize) < k => Ok(()),
                    _ => Err(PlanError::invalid(format!("{block} step {k} runs no function before it"))),
                }
            }
            Step::Kernel { .. } | Step::Copy { .. } | Step::Extern { .. } | Step::Function { .. } => Ok(()),
        }
    }

    /// Memory of a size that data give is there before a step names it.
    pub(super) fn check_allocations(&self, block: &str, steps: &[Step]) -> Result<(), PlanError> {
        let mut allocated = vec![false; self.buffers.len()];
        for (k, step) in steps.iter().enumerate() {
            if let Step::Allocate { buffer } = step {
                allocated[buffer.0 as usize] = true;
                continue;
            }
            let waits = |b: &BufferId| {
                matches!(self.buffers[b.0 as usize].kind, BufferKind::Slot(_)) && !allocated[b.0 as usize]
            };
            if let Some(buffer) = step.buffers().into_iter().find(waits) {
                return Err(PlanError::invalid(format!(
                    "{block} step {k} names buffer {}, which no step before it allocates",
                    buffer.0
                )));
            }
        }
        Ok(())
    }

    /// Each block lies within the one around it.
    pub(super) fn check_blocks(&self, block: &str, steps: &[Step]) -> Result<(), PlanError> {
        let mut open = vec![steps.len()];
        for (k, step) in steps.iter().enumerate() {
            while open.last().is_some_and(|end| *end <= k) {
                open.pop();
            }
            let [first, second] = step.blocks();
            let end = k + 1 + first + second;
            if end > open.last().copied().unwrap_or(0) {
                return Err(PlanError::invalid(format!(
                    "{block} step {k}: its blocks reach beyond the block around it"
                )));
            }
            if first + second > 0 {
                open.extend([end, k + 1 + first]);
            }
            if open.len() > 2 * MAX_DEPTH {
                return Err(PlanError::invalid(format!("blocks nest deeper than {MAX_DEPTH}")));
            }
        }
        Ok(())
    }

    /// Functions run one another no deeper than blocks nest. Those that a function runs end before it does.
    pub(super) fn check_functions(&self) -> Result<(), PlanError> {
        // How deep each step of a function leads: those of its own function, and of the functions around it.
        let mut depths: Vec<usize> = vec![0; self.main.len()];
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (k, step) in self.main.iter().enumerate() {
            while let Some((begin, _)) = open.pop_if(|(_, end)| *end <= k) {
                if let Some((outer, _)) = open.last() {
                    depths[*outer] = depths[*outer].max(depths[begin]);
                }
            }
            match step {
                Step::Function { steps } => open.push((k, k + 1 + *steps as usize)),
                Step::Again { function } => {
                    let depth = depths[*function as usize] + 1;
                    if depth > MAX_DEPTH {
                        return Err(PlanError::invalid(format!("functions run deeper than {MAX_DEPTH}")));
                    }
                    if let Some((outer, _)) = open.last() {
                        depths[*outer] = depths[*outer].max(depth);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What a run must know before its first step depends on no symbol that a step gives.
    pub(super) fn check_late(&self) -> Result<(), PlanError> {
        let mut late: Vec<bool> = Vec::with_capacity(self.scalars.len());
        for s in &self.scalars {
            late.push(match s {
                ScalarOp::Symbol(k) => self.symbols[*k as usize].source == SymbolSource::Step,
                other => other.operands().iter().any(|o| late[o.0 as usize]),
            });
        }
        let is_late = |s: &ScalarId| late[s.0 as usize];
        let inputs =
            self.inputs.iter().flat_map(|t| t.shape.iter().chain(&t.strides).map(|s| ("an input", *s)));
        let buffers = self.buffers.iter().flat_map(|b| match b.kind {
            BufferKind::Slot(_) | BufferKind::Output(_) => vec![],
            BufferKind::Arena { offset } => vec![("a buffer", b.bytes), ("a buffer's place", offset)],
            _ => vec![("a buffer", b.bytes)],
        });
        let guards = self.guards.iter().map(|g| ("a guard", g.scalar));
        let arena = self.arena_bytes.map(|s| ("the arena", s));
        if let Some((user, _)) = inputs.chain(buffers).chain(guards).chain(arena).find(|(_, s)| is_late(s)) {
            return Err(PlanError::invalid(format!("{user} needs a size before a step gives it")));
        }
        let slot = |b: &Buffer| matches!(b.kind, BufferKind::Slot(k) if k as usize >= self.buffers.len());
        if self.buffers.iter().any(slot) {
            return Err(PlanError::invalid("there are fewer slots than a buffer's number"));
        }
        Ok(())
    }

    /// A kernel does not say which of its buffers it writes, so only a copy's destination is known to be written.
    fn check_step_buffer(&self, id: BufferId, block: &str, k: usize, written: bool) -> Result<(), PlanError> {
        let Some(buffer) = self.buffers.get(id.0 as usize) else {
            return Err(PlanError::Range {
                user: format!("{block} step {k}"),
                table: "buffers",
                index: id.0,
                length: self.buffers.len(),
            });
        };
        let init = block == "init";
        let allowed = match buffer.kind {
            BufferKind::Input(i) => {
                let input = &self.inputs[i as usize];
                !init && (!written || input.mutated || input.overwritten)
            }
            BufferKind::Output(_)
            | BufferKind::Arena { .. }
            | BufferKind::Slot(_)
            | BufferKind::Semaphores { .. } => !init,
            // What `init` makes of a constant that runs change would be out of date after the first run.
            BufferKind::Storage(i) => match (init, self.storages[i as usize].mutated) {
                (true, mutated) => !mutated && !written,
                (false, mutated) => mutated || !written,
            },
            BufferKind::Derived { .. } => init || !written,
        };
        if allowed {
            return Ok(());
        }
        let verb = if written { "write" } else { "use" };
        Err(PlanError::invalid(format!(
            "{block} step {k} may not {verb} buffer {}, which is {}",
            id.0,
            buffer.kind.name()
        )))
    }
}
