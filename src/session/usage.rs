//! Inputs and constants that a program does not use, and constants that it uses only to derive others before the first run.

use crate::base::StableSort;
use crate::plan::{Buffer, BufferId, BufferKind, Plan};
use crate::runtime::ConstantBytes;
use serde_json::{Value, json};
use std::sync::Arc;

/// Alignment of each constant in the weights.
const CONSTANT_ALIGNMENT: u64 = 64;

/// Marks inputs and constants that none of a program's plans uses, and gives them no memory. With `freeze`, constants that a
/// plan derives others from before the first run are frozen.
pub fn settle(plans: &mut [&mut Plan], freeze: bool) {
    let used: Vec<_> = plans.iter().map(|plan| plan.storage_use()).collect();
    for plan in plans.iter_mut() {
        for (input, need) in plan.input_needs().into_iter().enumerate() {
            plan.inputs[input].need = need;
        }
        let mut end = 0;
        for (k, storage) in plan.storages.iter_mut().enumerate() {
            let init = used.iter().any(|u| u.init[k]);
            storage.frozen = freeze && init;
            storage.unused = !init && used.iter().all(|u| !u.main[k]);
            storage.bytes = if storage.unused { 0 } else { storage.bytes };
            storage.offset = end;
            end = (end + storage.bytes).next_multiple_of(CONSTANT_ALIGNMENT);
        }
    }
}

/// The data of the storages that a plan uses; the others are empty.
pub fn held(plan: &Plan, data: impl Iterator<Item = ConstantBytes>) -> Vec<ConstantBytes> {
    let nothing = || Arc::new(Vec::new()) as ConstantBytes;
    let storages = plan.storages.iter();
    storages.zip(data).map(|(storage, data)| if storage.unused { nothing() } else { data }).collect()
}

/// Whether constants are dropped once the program is created.
pub fn drops(plan: &Plan) -> bool {
    let read = plan.storages_of_runs();
    plan.storages.iter().zip(read).any(|(storage, read)| storage.frozen && !read)
}

/// Buffers that are computed from constants alone when a program is loaded: name, bytes, and the constants they come from.
pub fn folded(plan: &Plan) -> Vec<Value> {
    // The storages that each derived buffer comes from, in the order in which they are made.
    let mut made: Vec<(BufferId, Vec<u32>)> = Vec::new();
    for step in &plan.init {
        let mut sources: Vec<u32> = Vec::new();
        let mut results = Vec::new();
        for buffer in step.buffers() {
            match (kind(plan, buffer), made.iter().find(|(b, _)| *b == buffer)) {
                (Some(BufferKind::Storage(k)), _) => sources.push(k),
                (_, Some((_, from))) => sources.extend(from),
                (Some(BufferKind::Derived { .. }), None) => results.push(buffer),
                _ => {}
            }
        }
        sources.stable_sort();
        sources.dedup();
        made.extend(results.into_iter().map(|b| (b, sources.clone())));
    }
    let names = |storages: &[u32]| -> Vec<&str> {
        let constants = plan.constants.iter().filter(|c| storages.contains(&c.storage));
        constants.map(|c| c.name.as_str()).collect()
    };
    let bytes = |buffer: &BufferId| match plan.buffers.get(buffer.0 as usize) {
        Some(Buffer { bytes, .. }) => match plan.scalars.get(bytes.0 as usize) {
            Some(crate::plan::ScalarOp::Constant(v)) => json!(v),
            _ => Value::Null,
        },
        None => Value::Null,
    };
    let entry = |(k, (buffer, storages)): (usize, &(BufferId, Vec<u32>))| json!({"name": format!("_FOLDED_CONST_{k}"), "bytes": bytes(buffer), "from": names(storages)});
    made.iter().enumerate().map(entry).collect()
}

fn kind(plan: &Plan, buffer: BufferId) -> Option<BufferKind> {
    plan.buffers.get(buffer.0 as usize).map(|b| b.kind)
}
