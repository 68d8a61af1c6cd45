//! A plan without its init: what init derives from constants is given as data, and constants that only init read are gone.
//!
//! Deliberately absent: making that data; see `session::frozen`.

use super::{Buffer, BufferId, BufferKind, Plan, Step, Storage};

/// See the module.
pub struct Folded {
    /// Its storages have the sizes of the plan that it was made of, and no bytes where they were dropped. Behind them lie the pieces,
    /// whose sizes are not set; nor are the offsets of any.
    pub plan: Plan,
    /// The derived buffers that became storages, in this order: each by its number among all derived buffers.
    pub pieces: Vec<usize>,
}

impl Step {
    /// Gives every buffer that the step names another number.
    fn renumber(&mut self, new: impl Fn(BufferId) -> BufferId) {
        let one = |b: &mut BufferId| *b = new(*b);
        match self {
            Step::Kernel { buffers, maps, scratch_buffer, .. } => {
                buffers
                    .iter_mut()
                    .chain(maps.iter_mut().map(|m| &mut m.buffer))
                    .chain(scratch_buffer)
                    .for_each(one);
            }
            Step::Extern { operands, .. } => operands.iter_mut().for_each(one),
            Step::Copy { destination, source, .. } => [destination, source].into_iter().for_each(one),
            Step::Read { buffer, .. } | Step::Allocate { buffer } => one(buffer),
            Step::If { predicate, .. } | Step::While { predicate, .. } => one(predicate),
            Step::Set { .. }
            | Step::Check { .. }
            | Step::Print { .. }
            | Step::Function { .. }
            | Step::Again { .. } => {}
        }
    }
}

impl Plan {
    /// The plan without its init. All constants that init reads must be frozen.
    pub fn folded(&self) -> Folded {
        let mut plan = self.clone();
        let mut read = vec![false; self.buffers.len()];
        for buffer in self.main.iter().flat_map(Step::buffers) {
            read[buffer.0 as usize] = true;
        }
        let needed = self.storage_use().main;
        for (storage, needed) in plan.storages.iter_mut().zip(needed) {
            if storage.frozen && !needed {
                (storage.bytes, storage.unused) = (0, true);
            }
        }
        let (mut pieces, mut derived) = (Vec::new(), 0);
        let mut numbers = vec![BufferId(u32::MAX); self.buffers.len()];
        plan.buffers.clear();
        for (k, buffer) in self.buffers.iter().enumerate() {
            let kind = match buffer.kind {
                BufferKind::Derived { .. } => {
                    derived += 1;
                    if !read[k] {
                        continue;
                    }
                    pieces.push(derived - 1);
                    plan.storages.push(Storage::default());
                    BufferKind::Storage(plan.storages.len() as u32 - 1)
                }
                BufferKind::Storage(_) if !read[k] => continue,
                kind => kind,
            };
            numbers[k] = BufferId(plan.buffers.len() as u32);
            plan.buffers.push(Buffer { kind, bytes: buffer.bytes });
        }
        plan.init.clear();
        plan.derived_bytes = 0;
        plan.main.iter_mut().for_each(|step| step.renumber(|b| numbers[b.0 as usize]));
        Folded { plan, pieces }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::sample;

    #[test]
    fn what_init_makes_is_a_storage_and_its_constants_have_no_bytes() {
        let mut plan = sample();
        plan.storages[0].frozen = true;
        let Folded { plan: mut folded, pieces } = plan.folded();
        assert_eq!(pieces, [0]);
        folded.storages[1].bytes = 12;
        folded.check().expect("a whole plan");
        assert!(folded.init.is_empty() && folded.storages[0].unused && folded.storages[0].frozen);
        // The buffer of the constant is gone, and the others keep their order.
        assert_eq!(folded.buffers.len(), plan.buffers.len() - 1);
        assert_eq!(folded.buffers[2].kind, BufferKind::Storage(1));
        let Step::Kernel { buffers, scratch_buffer, .. } = &folded.main[0] else { panic!("a kernel") };
        assert_eq!(
            (buffers.as_slice(), scratch_buffer),
            (&[BufferId(0), BufferId(2), BufferId(3)][..], &Some(BufferId(3)))
        );
        // What runs read stays.
        plan.main.push(Step::Copy {
            destination: BufferId(1),
            source: BufferId(2),
            bytes: super::super::ScalarId(6),
            start: None,
        });
        let kept = plan.folded().plan;
        assert_eq!((kept.storages[0].bytes, kept.storages[0].unused), (12, false));
        assert_eq!(kept.buffers.len(), plan.buffers.len());
    }
}
