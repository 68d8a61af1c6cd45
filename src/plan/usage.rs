//! Which inputs and constants the steps of a plan use.
//!
//! Deliberately absent: what is done about those that they do not; see `session::usage`.

use super::{
    Buffer, BufferId, BufferKind, InputNeed, OutputMemory, Plan, ScalarId, ScalarOp, Step, SymbolSource,
};

/// By storage: whether it is read when the program is created, and whether runs name it.
pub struct StorageUse {
    pub init: Vec<bool>,
    pub main: Vec<bool>,
}

impl Step {
    /// The buffers that the step names.
    pub fn buffers(&self) -> Vec<BufferId> {
        match self {
            Step::Kernel { buffers, maps, .. } => {
                buffers.iter().copied().chain(maps.iter().map(|m| m.buffer)).collect()
            }
            Step::Extern { operands, .. } => operands.clone(),
            Step::Copy { destination, source, .. } => vec![*source, *destination],
            Step::Read { buffer, .. } | Step::Allocate { buffer } => vec![*buffer],
            Step::If { predicate, .. } | Step::While { predicate, .. } => vec![*predicate],
            Step::Set { .. }
            | Step::Check { .. }
            | Step::Print { .. }
            | Step::Function { .. }
            | Step::Again { .. } => Vec::new(),
        }
    }

    /// The scalars that the step takes.
    fn scalars(&self) -> Vec<ScalarId> {
        match self {
            Step::Kernel { scalars, tasks, grain, scratch, maps, .. } => {
                let of_maps = maps.iter().flat_map(|m| m.scalars());
                scalars.iter().chain([tasks, grain, scratch]).chain(of_maps).copied().collect()
            }
            Step::Extern { attributes, workspace, .. } => {
                attributes.values().into_iter().chain([workspace]).copied().collect()
            }
            Step::Copy { bytes, start, .. } => start.iter().chain([bytes]).copied().collect(),
            Step::Set { value: s, .. } | Step::Check { condition: s, .. } => {
                vec![*s]
            }
            Step::Read { .. }
            | Step::Print { .. }
            | Step::Allocate { .. }
            | Step::If { .. }
            | Step::While { .. }
            | Step::Function { .. }
            | Step::Again { .. } => Vec::new(),
        }
    }
}

impl Plan {
    pub fn storage_use(&self) -> StorageUse {
        let named = |steps: &[Step]| {
            let mut named = vec![false; self.storages.len()];
            for buffer in steps.iter().flat_map(Step::buffers) {
                if let Some(Buffer { kind: BufferKind::Storage(k), .. }) = self.buffers.get(buffer.0 as usize)
                    && let Some(named) = named.get_mut(*k as usize)
                {
                    *named = true;
                }
            }
            named
        };
        StorageUse { init: named(&self.init), main: named(&self.main) }
    }

    /// Of each storage, whether runs read it where it lies: not only what init derives from it, and not a copy of an instance's
    /// own.
    pub fn storages_of_runs(&self) -> Vec<bool> {
        let named = self.storage_use().main;
        named.iter().zip(&self.storages).map(|(named, storage)| *named && !storage.mutated).collect()
    }

    /// What a run needs of each input.
    pub fn input_needs(&self) -> Vec<InputNeed> {
        let mut needs = vec![InputNeed::Nothing; self.inputs.len()];
        for buffer in &self.buffers {
            if let BufferKind::Input(k) = buffer.kind {
                needs[k as usize] = InputNeed::Data;
            }
        }
        let mut wanted = Wanted { plan: self, scalars: vec![false; self.scalars.len()] };
        self.guards.iter().for_each(|g| wanted.add(&[g.scalar]));
        for output in self.outputs.iter().chain(&self.hidden) {
            wanted.add(&output.shape);
            wanted.add(&output.strides);
            match &output.memory {
                OutputMemory::Own => {}
                OutputMemory::Packed(strides) => wanted.add(strides),
                OutputMemory::View { offset, .. } => wanted.add(&[*offset]),
            }
        }
        for buffer in &self.buffers {
            wanted.add(&[buffer.bytes]);
            if let BufferKind::Arena { offset } = buffer.kind {
                wanted.add(&[offset]);
            }
        }
        wanted.add(self.arena_bytes.as_slice());
        wanted.add(self.next_offset.as_slice());
        self.init.iter().chain(&self.main).for_each(|s| wanted.add(&s.scalars()));
        // An input whose sizes are needed is compared with all that it should be, which may need another's.
        let mut counted = vec![false; needs.len()];
        loop {
            for (k, scalar) in self.scalars.iter().enumerate().filter(|(k, _)| wanted.scalars[*k]) {
                let ScalarOp::Symbol(symbol) = *scalar else { continue };
                let symbol = &self.symbols[symbol as usize];
                debug_assert!(k < self.scalars.len());
                match symbol.source {
                    SymbolSource::Dimension { input, .. } => {
                        let need = &mut needs[input as usize];
                        *need = (*need).max(InputNeed::Sizes);
                    }
                    SymbolSource::Value { input } => needs[input as usize] = InputNeed::Data,
                    SymbolSource::Step | SymbolSource::Random(_) => {}
                }
            }
            let fresh: Vec<usize> =
                (0..needs.len()).filter(|k| needs[*k] != InputNeed::Nothing && !counted[*k]).collect();
            if fresh.is_empty() {
                return needs;
            }
            for k in fresh {
                counted[k] = true;
                wanted.add(&self.inputs[k].shape);
                wanted.add(&self.inputs[k].strides);
            }
        }
    }
}

/// Scalars that a run needs, with those that they are made of.
struct Wanted<'p> {
    plan: &'p Plan,
    scalars: Vec<bool>,
}

impl Wanted<'_> {
    fn add(&mut self, list: &[ScalarId]) {
        let mut open = list.to_vec();
        while let Some(id) = open.pop() {
            let Some(known) = self.scalars.get_mut(id.0 as usize) else { continue };
            if !std::mem::replace(known, true) {
                open.extend(self.plan.scalars[id.0 as usize].operands());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::sample;
    use crate::plan::{Input, Symbol};

    fn unread(name: &str, shape: Vec<ScalarId>) -> Input {
        let mut input = Input { name: name.into(), shape, ..sample().inputs[0].clone() };
        input.strides = vec![ScalarId(2); input.shape.len()];
        input.min_shape = vec![0; input.shape.len()];
        input.max_shape = vec![-1; input.shape.len()];
        input
    }

    #[test]
    fn an_input_is_needed_for_its_data_or_its_sizes_or_not() {
        let mut plan = sample();
        let of = |input| SymbolSource::Dimension { input, dim: 0, factor: 1, addend: 0 };
        let (n, first) = (plan.scalars.len() as u32, plan.symbols.len() as u32);
        plan.symbols.push(Symbol { name: "m".into(), min: 0, max: 9, source: of(1) });
        plan.symbols.push(Symbol { name: "k".into(), min: 0, max: 9, source: of(2) });
        plan.scalars.extend([ScalarOp::Symbol(first), ScalarOp::Symbol(first + 1)]);
        plan.inputs.push(unread("a", vec![ScalarId(n)]));
        plan.inputs.push(unread("b", vec![ScalarId(n + 1)]));
        let needs = |plan: &Plan| plan.input_needs();
        assert_eq!(needs(&plan), [InputNeed::Data, InputNeed::Nothing, InputNeed::Nothing]);
        // A guard on a size of `a` needs `a`; where `a` has a size of `b`, that one is needed, too.
        plan.guards.push(crate::plan::Guard { scalar: ScalarId(n), status: 3, message: "m".into() });
        assert_eq!(needs(&plan), [InputNeed::Data, InputNeed::Sizes, InputNeed::Nothing]);
        plan.inputs[1].shape.push(ScalarId(n + 1));
        assert_eq!(needs(&plan), [InputNeed::Data, InputNeed::Sizes, InputNeed::Sizes]);
    }
}
