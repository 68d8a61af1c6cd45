//! The plan's invariants, as the module's documentation lists them.

mod steps;

use super::{Alias, BufferKind, Output, OutputMemory, Plan, PlanError, ScalarId, ScalarOp, SymbolSource};
use crate::types::Dtype;

/// Tensors of more dimensions are refused: the executor keeps a tensor's sizes in fixed arrays.
pub const MAX_RANK: usize = 64;
/// Blocks of steps nest no deeper: the executor runs them by recursion.
const MAX_DEPTH: usize = 100;
/// The last offset that a buffer of semaphores may have, and the most bytes of one.
pub(super) const MOST_SEMAPHORES: u64 = 1 << 26;

impl Plan {
    /// Verifies the invariants of the module's documentation; the executor accepts a plan that passes.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_strings()?;
        self.check_symbols()?;
        self.check_scalars()?;
        self.check_tensors()?;
        self.check_constants()?;
        self.check_buffers()?;
        let mut arity = vec![None; self.kernels.len()];
        for (block, steps) in [("init", &self.init), ("main", &self.main)] {
            for (k, step) in steps.iter().enumerate() {
                self.check_step(step, block, k, &mut arity)?;
            }
            self.check_blocks(block, steps)?;
            self.check_allocations(block, steps)?;
        }
        self.check_functions()?;
        self.check_late()?;
        self.check_needs()
    }

    /// Every input promises at least the data and sizes that steps and other sizes use.
    fn check_needs(&self) -> Result<(), PlanError> {
        match self.inputs.iter().zip(self.input_needs()).find(|(input, need)| input.need < *need) {
            Some((input, _)) => Err(PlanError::invalid(format!(
                "input `{}` is needed, but the plan says it is not",
                input.name
            ))),
            None => Ok(()),
        }
    }

    fn scalar(&self, id: ScalarId, user: impl FnOnce() -> String) -> Result<(), PlanError> {
        if (id.0 as usize) < self.scalars.len() {
            return Ok(());
        }
        Err(PlanError::Range { user: user(), table: "scalars", index: id.0, length: self.scalars.len() })
    }

    /// C reads these strings up to a NUL.
    fn check_strings(&self) -> Result<(), PlanError> {
        let inputs = self.inputs.iter().map(|t| &t.name);
        let outputs = self.outputs.iter().chain(&self.hidden).map(|t| &t.name);
        let constants = self.constants.iter().flat_map(|c| std::iter::once(&c.name).chain(&c.aliases));
        let symbols = self.symbols.iter().map(|s| &s.name);
        let kernels = self.kernels.iter().map(|k| &k.symbol);
        let messages = self.guards.iter().map(|g| &g.message).chain(&self.assertions);
        let own = [&self.name, &self.metadata];
        match own
            .into_iter()
            .chain(inputs)
            .chain(outputs)
            .chain(constants)
            .chain(symbols)
            .chain(kernels)
            .chain(messages)
            .find(|s| s.contains('\0'))
        {
            Some(s) => Err(PlanError::invalid(format!("the string {s:?} holds a NUL"))),
            None => Ok(()),
        }
    }

    fn check_output(&self, t: &Output) -> Result<(), PlanError> {
        let name = &t.name;
        let bad = |what: &str| Err(PlanError::invalid(format!("output `{name}` {what}")));
        match &t.memory {
            OutputMemory::Own => {}
            OutputMemory::Packed(strides) => {
                if strides.len() != t.shape.len() || strides.is_empty() {
                    return bad("is packed with another number of strides than it has dimensions");
                }
                for s in strides {
                    self.scalar(*s, || format!("output `{name}`"))?;
                }
            }
            OutputMemory::View { of, offset } => {
                self.scalar(*offset, || format!("output `{name}`"))?;
                match self.computed(*of) {
                    Some(base) if base.memory == OutputMemory::Own => {}
                    _ => return bad("is a view of what is no output with memory of its own"),
                }
            }
        }
        let (of, length) = match t.alias {
            Alias::None => return Ok(()),
            Alias::Input(k) => (k, self.inputs.len()),
            Alias::Constant(k) => (k, self.constants.len()),
            Alias::Output(k) => (k, self.outputs.len()),
        };
        if of as usize >= length { bad("is an alias of what is not there") } else { Ok(()) }
    }

    fn check_symbols(&self) -> Result<(), PlanError> {
        for s in &self.symbols {
            if s.min > s.max {
                return Err(PlanError::invalid(format!(
                    "symbol `{}` has the empty range {}..={}",
                    s.name, s.min, s.max
                )));
            }
            let (SymbolSource::Dimension { input, .. } | SymbolSource::Value { input }) = s.source else {
                continue;
            };
            let Some(tensor) = self.inputs.get(input as usize) else {
                return Err(PlanError::Range {
                    user: format!("symbol `{}`", s.name),
                    table: "inputs",
                    index: input,
                    length: self.inputs.len(),
                });
            };
            match s.source {
                SymbolSource::Dimension { dim, factor, .. } => {
                    if dim as usize >= tensor.shape.len() {
                        return Err(PlanError::Range {
                            user: format!("symbol `{}`", s.name),
                            table: "its input's dimensions",
                            index: dim,
                            length: tensor.shape.len(),
                        });
                    }
                    if factor == 0 {
                        return Err(PlanError::invalid(format!("symbol `{}` divides a size by 0", s.name)));
                    }
                }
                SymbolSource::Step | SymbolSource::Random(_) => {}
                SymbolSource::Value { .. } => {
                    let dtype = Dtype::from_number(tensor.dtype.into());
                    let integral = dtype.is_some_and(|d| d.is_integral() || d == Dtype::Float64);
                    if !tensor.shape.is_empty() || !integral {
                        return Err(PlanError::invalid(format!(
                            "symbol `{}` is the value of input `{}`, which is not a 0-d integer, bool or float64",
                            s.name, tensor.name
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    fn check_scalars(&self) -> Result<(), PlanError> {
        use ScalarOp::Symbol;
        for (k, s) in self.scalars.iter().enumerate() {
            if let Symbol(symbol) = s
                && *symbol as usize >= self.symbols.len()
            {
                return Err(PlanError::Range {
                    user: format!("scalar {k}"),
                    table: "symbols",
                    index: *symbol,
                    length: self.symbols.len(),
                });
            }
            let operands = s.operands();
            if let Some(late) = operands.iter().find(|o| o.0 as usize >= k) {
                return Err(PlanError::invalid(format!(
                    "scalar {k} refers to scalar {}, which is not before it",
                    late.0
                )));
            }
        }
        for (k, g) in self.guards.iter().enumerate() {
            self.scalar(g.scalar, || format!("guard {k}"))?;
            if g.status == 0 {
                return Err(PlanError::invalid(format!(
                    "guard {k} would fail with status 0, which is success"
                )));
            }
        }
        if let Some(s) = self.next_offset {
            self.scalar(s, || "the next random offset".into())?;
        }
        match self.arena_bytes {
            Some(s) => self.scalar(s, || "the arena's size".into()),
            None => Ok(()),
        }
    }

    fn check_tensors(&self) -> Result<(), PlanError> {
        let inputs = self
            .inputs
            .iter()
            .map(|t| ("input", &t.name, t.dtype, &t.shape, &t.strides, &t.min_shape, &t.max_shape));
        let outputs = self
            .outputs
            .iter()
            .chain(&self.hidden)
            .map(|t| ("output", &t.name, t.dtype, &t.shape, &t.strides, &t.min_shape, &t.max_shape));
        for (what, name, dtype, shape, strides, min_shape, max_shape) in inputs.chain(outputs) {
            let rank = shape.len();
            if Dtype::from_number(dtype.into()).is_none() {
                return Err(PlanError::invalid(format!("{what} `{name}` has the unknown dtype {dtype}")));
            }
            if rank > MAX_RANK {
                return Err(PlanError::invalid(format!(
                    "{what} `{name}` has {rank} dimensions, more than {MAX_RANK}"
                )));
            }
            if [strides.len(), min_shape.len(), max_shape.len()] != [rank; 3] {
                return Err(PlanError::invalid(format!(
                    "{what} `{name}`: shape, strides and bounds differ in length"
                )));
            }
            for s in shape.iter().chain(strides.iter()) {
                self.scalar(*s, || format!("{what} `{name}`"))?;
            }
        }
        for t in self.outputs.iter().chain(&self.hidden) {
            self.check_output(t)?;
        }
        if let Some(t) = self.hidden.iter().find(|t| t.memory != OutputMemory::Own || t.alias != Alias::None)
        {
            return Err(PlanError::invalid(format!("hidden output `{}` is no memory of its own", t.name)));
        }
        for t in &self.inputs {
            if t.mutated && t.overwritten {
                let message = format!("input `{}` is both written back to and overwritten", t.name);
                return Err(PlanError::invalid(message));
            }
            if t.scalar && (!t.shape.is_empty() || t.mutated || t.overwritten) {
                return Err(PlanError::invalid(format!("scalar input `{}` is mutated or not 0-d", t.name)));
            }
        }
        Ok(())
    }

    fn check_constants(&self) -> Result<(), PlanError> {
        for (k, s) in self.storages.iter().enumerate() {
            if s.offset % 64 != 0 || s.offset.checked_add(s.bytes).is_none() {
                return Err(PlanError::invalid(format!("storage {k} lies at the bad offset {}", s.offset)));
            }
            if s.unused && s.bytes != 0 {
                return Err(PlanError::invalid(format!(
                    "storage {k} is not used, but has {} bytes",
                    s.bytes
                )));
            }
        }
        for c in &self.constants {
            let Some(dtype) = Dtype::from_number(c.dtype.into()) else {
                return Err(PlanError::invalid(format!(
                    "constant `{}` has the unknown dtype {}",
                    c.name, c.dtype
                )));
            };
            if c.shape.len() > MAX_RANK {
                return Err(PlanError::invalid(format!(
                    "constant `{}` has more than {MAX_RANK} dimensions",
                    c.name
                )));
            }
            let Some(storage) = self.storages.get(c.storage as usize) else {
                return Err(PlanError::Range {
                    user: format!("constant `{}`", c.name),
                    table: "storages",
                    index: c.storage,
                    length: self.storages.len(),
                });
            };
            let item = dtype.size() as u64;
            let end = extent(&c.shape, &c.strides, item).and_then(|n| n.checked_add(c.offset));
            if c.offset % item != 0 || end.is_none_or(|end| end > storage.bytes && !storage.unused) {
                return Err(PlanError::invalid(format!(
                    "constant `{}` of shape {:?}, strides {:?} and {dtype} at byte {} does not lie in its storage of {} bytes",
                    c.name, c.shape, c.strides, c.offset, storage.bytes
                )));
            }
        }
        Ok(())
    }

    fn check_buffers(&self) -> Result<(), PlanError> {
        for (k, b) in self.buffers.iter().enumerate() {
            let user = || format!("buffer {k}");
            self.scalar(b.bytes, user)?;
            let (table, index, length) = match b.kind {
                BufferKind::Input(i) => ("inputs", i, self.inputs.len()),
                BufferKind::Output(i) => {
                    if let Some(Output { memory: OutputMemory::View { .. }, name, .. }) = self.computed(i) {
                        return Err(PlanError::invalid(format!(
                            "buffer {k} is output `{name}`, which is a view of another"
                        )));
                    }
                    ("outputs", i, self.outputs.len() + self.hidden.len())
                }
                BufferKind::Storage(i) => {
                    if self.storages.get(i as usize).is_some_and(|s| s.unused) {
                        return Err(PlanError::invalid(format!("buffer {k} is a storage that is not used")));
                    }
                    ("storages", i, self.storages.len())
                }
                BufferKind::Derived { offset } => {
                    if offset % 64 != 0 || offset > self.derived_bytes {
                        return Err(PlanError::invalid(format!(
                            "buffer {k} lies at the bad derived offset {offset}"
                        )));
                    }
                    continue;
                }
                BufferKind::Slot(_) => continue,
                BufferKind::Semaphores { offset } => {
                    if offset % 64 != 0 || offset > MOST_SEMAPHORES {
                        return Err(PlanError::invalid(format!(
                            "buffer {k} has semaphores at the bad offset {offset}"
                        )));
                    }
                    continue;
                }
                BufferKind::Arena { offset } => {
                    self.scalar(offset, user)?;
                    if self.arena_bytes.is_none() {
                        return Err(PlanError::invalid(format!(
                            "buffer {k} lies in an arena, and the plan has none"
                        )));
                    }
                    continue;
                }
            };
            if index as usize >= length {
                return Err(PlanError::Range { user: user(), table, index, length });
            }
            if let BufferKind::Input(i) = b.kind
                && self.inputs[i as usize].scalar
            {
                return Err(PlanError::invalid(format!(
                    "buffer {k} is a scalar input, which no kernel reads"
                )));
            }
        }
        Ok(())
    }
}

impl ScalarOp {
    pub(super) fn operands(&self) -> Vec<ScalarId> {
        use ScalarOp::*;
        match *self {
            Constant(_) | Symbol(_) => vec![],
            Add(a, b)
            | Sub(a, b)
            | Mul(a, b)
            | FloorDiv(a, b)
            | Mod(a, b)
            | Min(a, b)
            | Max(a, b)
            | Eq(a, b)
            | Lt(a, b)
            | Le(a, b)
            | And(a, b)
            | Or(a, b) => vec![a, b],
            Not(a) => vec![a],
            Select(c, a, b) => vec![c, a, b],
            Calculate(_, operands) => operands.to_vec(),
        }
    }
}

/// Bytes from the first element of a view to the end of its last; `None` where a stride is negative or it overflows.
fn extent(shape: &[i64], strides: &[i64], item: u64) -> Option<u64> {
    if shape.len() != strides.len() || shape.iter().chain(strides).any(|n| *n < 0) {
        return None;
    }
    if shape.contains(&0) {
        return Some(0);
    }
    let last = shape
        .iter()
        .zip(strides)
        .try_fold(0u64, |sum, (n, stride)| sum.checked_add((*n as u64 - 1).checked_mul(*stride as u64)?))?;
    last.checked_add(1)?.checked_mul(item)
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use crate::plan::{BufferId, InputNeed, KernelId, Step, Storage, TensorMap};

    #[track_caller]
    fn refused(change: impl FnOnce(&mut Plan), part: &str) {
        let mut plan = sample();
        change(&mut plan);
        let message = plan.check().expect_err("the plan is broken").to_string();
        assert!(message.contains(part), "{message:?} does not say {part:?}");
    }

    #[test]
    fn each_invariant_is_checked() {
        sample().check().unwrap();
        refused(|p| p.scalars[0] = ScalarOp::Not(ScalarId(0)), "not before it");
        refused(|p| p.scalars[1] = ScalarOp::Symbol(9), "symbols");
        refused(|p| p.symbols[0].source = SymbolSource::Value { input: 0 }, "0-d");
        refused(|p| p.inputs[0].shape[0] = ScalarId(99), "scalars");
        refused(|p| p.inputs[0].dtype = 77, "unknown dtype");
        refused(|p| p.inputs[0].strides.clear(), "differ in length");
        refused(|p| p.constants[0].offset += 4, "does not lie in its storage");
        refused(|p| p.constants[0].strides[0] = -1, "does not lie in its storage");
        refused(|p| p.constants[0].storage = 1, "storages");
        refused(|p| p.storages[0].offset = 8, "bad offset");
        refused(|p| p.storages[0].unused = true, "is not used, but has");
        refused(|p| p.storages[0] = Storage { unused: true, ..Storage::default() }, "that is not used");
        refused(|p| p.inputs[0].need = InputNeed::Sizes, "is needed, but");
        refused(|p| p.name.push('\0'), "NUL");
        refused(|p| p.buffers[0].kind = BufferKind::Output(7), "outputs");
        refused(|p| p.buffers[0].kind = BufferKind::Output(2), "a view of another");
        refused(|p| p.outputs[1].memory = OutputMemory::Packed(vec![]), "is packed with");
        let view = |of| OutputMemory::View { of, offset: ScalarId(0) };
        refused(move |p| p.outputs[2].memory = view(1), "memory of its own");
        refused(move |p| p.outputs[2].memory = view(3), "memory of its own");
        refused(move |p| p.outputs[2].memory = view(5), "memory of its own");
        refused(move |p| p.hidden[0].memory = view(0), "memory of its own");
        refused(|p| p.hidden[0].alias = Alias::Input(0), "no memory of its own");
        refused(|p| p.outputs[2].alias = Alias::Constant(1), "what is not there");
        refused(|p| p.arena_bytes = None, "has none");
        refused(|p| p.guards[0].status = 0, "success");
        refused(
            |p| {
                let Step::Kernel { kernel, .. } = &mut p.main[0] else { panic!() };
                *kernel = KernelId(40);
            },
            "kernels",
        );
        let map = |change: fn(&mut TensorMap)| {
            move |p: &mut Plan| {
                let Step::Kernel { maps, .. } = &mut p.main[0] else { panic!() };
                change(&mut maps[0]);
            }
        };
        refused(map(|m| m.boxes[0] = 3), "tensor map");
        refused(map(|m| m.boxes[1] = 257), "tensor map");
        refused(map(|m| m.swizzle = 16), "tensor map");
        refused(map(|m| m.steps.push(1)), "tensor map");
        refused(map(|m| m.dtype = 11), "tensor map");
        refused(map(|m| m.buffer = BufferId(1)), "does not take");
        refused(map(|m| m.sizes[1] = ScalarId(40)), "scalars");
        refused(|p| p.init = vec![p.main[0].clone()], "may not write");
        refused(|p| p.init = vec![Step::Allocate { buffer: BufferId(5) }], "only main steps");
        refused(
            |p| p.main[3] = Step::While { predicate: BufferId(4), condition: 1, body: 15 },
            "beyond the block",
        );
        refused(
            |p| p.main[3] = Step::While { predicate: BufferId(4), condition: 1, body: 1 },
            "beyond the block",
        );
        refused(|p| p.main[3] = Step::While { predicate: BufferId(40), condition: 1, body: 2 }, "buffers");
        refused(|p| p.main.push(Step::Again { function: 3 }), "no function");
        refused(
            |p| p.main.extend([Step::Function { steps: 1 }, Step::Again { function: p.main.len() as u32 }]),
            "no function",
        );
        let deep = |n: usize| {
            move |p: &mut Plan| {
                p.main.push(Step::Function { steps: 0 });
                for _ in 0..n {
                    let last = p.main.iter().rposition(|s| matches!(s, Step::Function { .. }));
                    let again = Step::Again { function: last.unwrap() as u32 };
                    p.main.extend([Step::Function { steps: 1 }, again]);
                }
            }
        };
        let mut within = sample();
        deep(MAX_DEPTH)(&mut within);
        within.check().unwrap();
        refused(deep(MAX_DEPTH + 1), "deeper");
        refused(|p| p.main[2] = Step::Read { symbol: 0, buffer: BufferId(0), dtype: 5 }, "an input gives");
        refused(|p| p.main[2] = Step::Read { symbol: 1, buffer: BufferId(0), dtype: 7 }, "dtype 7");
        refused(|p| p.main[6] = Step::Allocate { buffer: BufferId(4) }, "allocates");
        refused(
            |p| p.main[2] = Step::Read { symbol: 1, buffer: BufferId(5), dtype: 5 },
            "no step before it allocates",
        );
        refused(
            |p| {
                let Step::Extern { operands, .. } = p.main.last_mut().unwrap() else { panic!() };
                operands.pop();
            },
            "operands",
        );
        refused(
            |p| {
                // The result must be something that a run writes.
                let Step::Extern { operands, .. } = p.main.last_mut().unwrap() else { panic!() };
                operands[2] = BufferId(2);
            },
            "may not",
        );
        refused(|p| p.main[7] = Step::Check { condition: ScalarId(0), assertion: 3 }, "assertions");
        refused(|p| p.main[7] = Step::Print { text: 3 }, "assertions");
        refused(|p| p.guards[0].scalar = ScalarId(11), "before a step gives it");
        refused(|p| p.buffers[4].bytes = ScalarId(11), "before a step gives it");
    }
}
