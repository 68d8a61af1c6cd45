//! Inputs and constants that a program does not use, and constants that it uses only to derive others before the first run.

use crate::base::{HashMap, HashSet, StableSort, json};
use crate::plan::{Attributes, Buffer, BufferId, BufferKind, Plan, Step};
use crate::runtime::ConstantBytes;
use serde_json::Value;
use std::sync::Arc;

/// Alignment of each constant in the weights.
const CONSTANT_ALIGNMENT: u64 = 64;

/// Marks inputs and constants that none of a program's plans uses, and gives them no memory. With `freeze`, constants that a
/// plan derives others from before the first run are frozen.
pub fn settle(plans: &mut [&mut Plan], freeze: bool) {
    let used: Vec<_> = plans.iter().map(|plan| plan.storage_use()).collect();
    for plan in plans.iter_mut() {
        settle_inputs(plan);
        for (k, storage) in plan.storages.iter_mut().enumerate() {
            let init = used.iter().any(|u| u.init[k]);
            storage.frozen = freeze && init;
            storage.unused = !init && used.iter().all(|u| !u.main[k]);
            storage.bytes = if storage.unused { 0 } else { storage.bytes };
        }
        place(plan);
    }
}

/// Marks inputs that the plan does not use.
pub fn settle_inputs(plan: &mut Plan) {
    for (input, need) in plan.input_needs().into_iter().enumerate() {
        plan.inputs[input].need = need;
    }
}

/// Gives each storage of constants its offset in the weights.
pub fn place(plan: &mut Plan) {
    let mut end = 0;
    for storage in &mut plan.storages {
        storage.offset = end;
        end = (end + storage.bytes).next_multiple_of(CONSTANT_ALIGNMENT);
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
    dropped(plan).contains(&true)
}

/// For each storage, whether its data is dropped once the program is created.
pub fn dropped(plan: &Plan) -> Vec<bool> {
    let read = plan.storages_of_runs();
    plan.storages.iter().zip(read).map(|(storage, read)| storage.frozen && !read).collect()
}

/// Whether `init` calls operators of a host's. A frozen artifact stores their results instead.
pub fn calls_once(plan: &Plan) -> bool {
    plan.init.iter().any(|step| matches!(step, Step::Extern { attributes: Attributes::Host(_), .. }))
}

/// The inputs of a derived buffer's computation.
#[derive(Clone, Default)]
struct Sources {
    storages: Vec<u32>,
    /// Names of nodes of the user's program, in the order in which init computes them.
    nodes: HashSet<String>,
}

/// Buffers that are computed from constants alone when a program is loaded, and that runs read: name, bytes, the constants they come
/// from, and the nodes that compute them. `nodes`: the names of those of each step of init.
pub fn folded(plan: &Plan, nodes: &[Vec<String>]) -> Vec<Value> {
    // In the order in which they are made.
    let mut made: HashMap<BufferId, Sources> = HashMap::new();
    for (k, step) in plan.init.iter().enumerate() {
        let mut sources = Sources::default();
        let mut results = Vec::new();
        for buffer in step.buffers() {
            match (kind(plan, buffer), made.get(&buffer)) {
                (Some(BufferKind::Storage(k)), _) => sources.storages.push(k),
                (_, Some(from)) => {
                    sources.storages.extend(&from.storages);
                    sources.nodes.extend(from.nodes.iter().cloned());
                }
                (Some(BufferKind::Derived { .. }), None) => results.push(buffer),
                _ => {}
            }
        }
        sources.storages.stable_sort();
        sources.storages.dedup();
        sources.nodes.extend(nodes.get(k).into_iter().flatten().cloned());
        made.extend(results.into_iter().map(|b| (b, sources.clone())));
    }
    let read: HashSet<BufferId> = plan.main.iter().flat_map(Step::buffers).collect();
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
    let entry = |(k, (buffer, sources)): (usize, (&BufferId, &Sources))| {
        let (name, from) = (format!("_FOLDED_CONST_{k}"), names(&sources.storages));
        json!({"name": name, "bytes": bytes(buffer), "from": from, "nodes": Vec::from_iter(&sources.nodes)})
    };
    made.iter().filter(|(b, _)| read.contains(b)).enumerate().map(entry).collect()
}

fn kind(plan: &Plan, buffer: BufferId) -> Option<BufferKind> {
    plan.buffers.get(buffer.0 as usize).map(|b| b.kind)
}
