//! Artifacts of programs that dropped constants: they hold the derived buffers (packed weights, folded subgraphs) instead.
//!
//! Invariants:
//! - the file holds each buffer once, also where both the program and its form for inputs that share memory read it;
//! - the form's storages have the offsets of the program's storages.
//!
//! Deliberately absent: artifacts for several instruction sets, or for a machine other than this one. Their derived buffers differ, so
//! those artifacts keep the constants and derive the buffers when they are opened.

use super::SessionError;
use super::usage::place;
use crate::plan::{Folded, Plan, Step, Storage};
use crate::runtime::{self, ConstantBytes};
use serde_json::Value;
use std::sync::Arc;

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
        needs_of_runs(&mut plan);
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

/// What init alone called is needed no more.
fn needs_of_runs(plan: &mut Plan) {
    let Ok(mut metadata) = serde_json::from_str::<Value>(&plan.metadata) else { return };
    let Some(needs) = metadata.get_mut("needs").and_then(Value::as_array_mut) else { return };
    let called = |name: &str| {
        plan.main
            .iter()
            .any(|step| matches!(step, Step::Extern { attributes, .. } if attributes.name() == name))
    };
    let before = needs.len();
    needs.retain(|need| need.as_str().is_none_or(called));
    if needs.len() < before {
        plan.metadata = metadata.to_string();
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
