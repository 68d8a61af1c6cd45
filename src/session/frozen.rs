//! Files of programs that dropped constants: they hold what was made of these, as the program itself does.
//!
//! Invariants:
//! - what runs read is in the file once, whoever reads it: the program, or its form for inputs that share memory;
//! - storages of the form lie where storages of the program do.
//!
//! Deliberately absent: files of programs for several instruction sets or for a machine that is not this one. What is made of
//! constants is another thing there, so those files hold the constants.

use super::SessionError;
use crate::plan::{Folded, Plan, Storage};
use crate::runtime::{self, ConstantBytes};
use std::sync::Arc;

/// Alignment of each storage in the weights.
const ALIGNMENT: u64 = 64;

/// A program's plan and data without the constants that were dropped.
pub(crate) struct Frozen {
    pub plan: Plan,
    pub constants: Vec<ConstantBytes>,
    /// The plan of its form.
    pub form: Option<Plan>,
}

impl Frozen {
    /// Of an instance that was created of this plan; `form`: an instance of the form, and the plan of it that is written.
    pub fn of(
        plan: &Plan,
        instance: &runtime::Executable,
        form: Option<(&Plan, &runtime::Executable)>,
    ) -> Result<Frozen, SessionError> {
        let (mut plan, mut constants) = data(plan, instance)?;
        place(&mut plan);
        let form = form.map(|(form, instance)| {
            let (mut form, own) = data(form, instance)?;
            for (storage, data) in form.storages.iter_mut().zip(own).filter(|(s, _)| s.bytes != 0) {
                let same = constants.iter().position(|c| (**c).as_ref() == (*data).as_ref());
                let k = same.unwrap_or_else(|| {
                    plan.storages.push(Storage { bytes: storage.bytes, ..Storage::default() });
                    constants.push(data);
                    place(&mut plan);
                    constants.len() - 1
                });
                storage.offset = plan.storages[k].offset;
            }
            form.check()?;
            Ok::<_, SessionError>(form)
        });
        let form = form.transpose()?;
        plan.check()?;
        Ok(Frozen { plan, constants, form })
    }
}

/// Gives each storage its place in the weights.
fn place(plan: &mut Plan) {
    let mut end = 0;
    for storage in &mut plan.storages {
        storage.offset = end;
        end = (end + storage.bytes).next_multiple_of(ALIGNMENT);
    }
}

/// The plan without its init, and the data of its storages as they are now.
fn data(plan: &Plan, instance: &runtime::Executable) -> Result<(Plan, Vec<ConstantBytes>), SessionError> {
    let Folded { mut plan, pieces } = plan.folded();
    let given = plan.storages.len() - pieces.len();
    let mut constants: Vec<ConstantBytes> = Vec::with_capacity(plan.storages.len());
    for (k, storage) in plan.storages[..given].iter().enumerate() {
        let bytes = if storage.unused { Vec::new() } else { instance.storage(k)? };
        constants.push(Arc::new(bytes));
    }
    for (storage, piece) in plan.storages[given..].iter_mut().zip(pieces) {
        let bytes = instance.derived(piece)?;
        storage.bytes = bytes.len() as u64;
        constants.push(Arc::new(bytes));
    }
    Ok((plan, constants))
}
