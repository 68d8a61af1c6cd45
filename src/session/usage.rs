//! Which inputs and constants a program uses, and what it makes of constants before the first run.

use crate::plan::{Buffer, BufferId, BufferKind, Plan, Step, SymbolSource};
use serde_json::{Value, json};

/// What no step names is not used: a run takes such an input and looks at its sizes alone.
pub struct Usage {
    pub inputs: Vec<bool>,
    /// By storage.
    pub storages: Vec<bool>,
}

impl Usage {
    pub fn of(plan: &Plan) -> Usage {
        let mut usage =
            Usage { inputs: vec![false; plan.inputs.len()], storages: vec![false; plan.storages.len()] };
        for symbol in &plan.symbols {
            if let SymbolSource::Value { input } = symbol.source {
                usage.inputs[input as usize] = true;
            }
        }
        for buffer in plan.init.iter().chain(&plan.main).flat_map(named) {
            match kind(plan, buffer) {
                Some(BufferKind::Input(k)) => usage.inputs[k as usize] = true,
                Some(BufferKind::Storage(k)) => usage.storages[k as usize] = true,
                _ => {}
            }
        }
        usage
    }
}

/// What is computed of constants alone when a program is loaded: name, bytes and the constants that it comes from.
pub fn folded(plan: &Plan) -> Vec<Value> {
    // The storages that each derived buffer comes from, in the order in which they are made.
    let mut made: Vec<(BufferId, Vec<u32>)> = Vec::new();
    for step in &plan.init {
        let mut sources: Vec<u32> = Vec::new();
        let mut results = Vec::new();
        for buffer in named(step) {
            match (kind(plan, buffer), made.iter().find(|(b, _)| *b == buffer)) {
                (Some(BufferKind::Storage(k)), _) => sources.push(k),
                (_, Some((_, from))) => sources.extend(from),
                (Some(BufferKind::Derived { .. }), None) => results.push(buffer),
                _ => {}
            }
        }
        sources.sort_unstable();
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

/// The buffers that a step names.
fn named(step: &Step) -> Vec<BufferId> {
    match step {
        Step::Kernel { buffers, maps, .. } => {
            buffers.iter().copied().chain(maps.iter().map(|m| m.buffer)).collect()
        }
        Step::Routine { buffers, .. } => buffers.clone(),
        Step::Copy { destination, source, .. } => vec![*source, *destination],
        Step::Read { buffer, .. } | Step::Allocate { buffer } => vec![*buffer],
        Step::If { predicate, .. } | Step::While { predicate, .. } => vec![*predicate],
        Step::Set { .. } | Step::Check { .. } => Vec::new(),
    }
}
