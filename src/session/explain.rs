//! What stages decided, as events: made where somebody hears them.

use super::native::Kernels;
use crate::base::event::{Channel, Event, Names, Place};
use crate::base::json;
use crate::ir::{Arg, Graph};
use crate::loop_passes;
use crate::loops::{BufferKind, Operators, Program};
use crate::ops::OpId;
use crate::passes;
use crate::schedule::{self, Schedule, Span};
use crate::types::{SymArena, SymInt};
use serde_json::{Map, Value};

pub fn pass(report: passes::Report) -> Event {
    let some = |sign: i64| -> Value {
        let some = report.difference.iter().filter(|(_, n)| **n * sign > 0);
        Value::Object(some.map(|(op, n)| (op.to_string(), json!(n.abs()))).collect::<Map<_, _>>())
    };
    Event::Pass {
        pass: report.pass,
        nodes: report.nodes,
        removed: some(-1),
        added: some(1),
        seconds: report.seconds,
        subgraph: report.subgraph,
    }
}

pub fn loop_pass(report: loop_passes::Report) -> Event {
    Event::LoopPass {
        pass: report.pass,
        changed: report.changed == Some(true),
        nodes: report.nodes,
        seconds: report.seconds,
    }
}

/// Dropout that draws, in a graph that is compiled to be run: the first node's module is named.
pub fn dropout(graph: &Graph) -> Vec<Event> {
    use OpId::{AlphaDropout, Dropout, FeatureAlphaDropout, FeatureDropout, NativeDropout};
    let of = [AlphaDropout, Dropout, FeatureAlphaDropout, FeatureDropout, NativeDropout];
    let nodes = graph.order.iter().map(|id| &graph.nodes[*id]);
    let mut drawing = nodes.filter(|n| of.contains(&n.op) && n.arg("train") == Some(&Arg::Bool(true)));
    let Some(first) = drawing.next() else { return Vec::new() };
    let text = format!(
        "{} drops elements at random{}: the program is in training mode. For inference call `.eval()` on the model before it is exported",
        first.name(),
        graph.origins.place(&first.origins),
    );
    vec![Event::Message { level: 1, channel: Channel::PerfHints, text }]
}

/// The graph's guards from a place on.
pub fn guards(graph: &Graph, from: usize, made_by: &'static str) -> Vec<Event> {
    let one = |guard: &crate::ir::Guard| {
        let condition = graph.syms.display(guard.condition);
        Event::Guard { condition, message: guard.message.clone(), made_by }
    };
    graph.guards[from..].iter().map(one).collect()
}

/// What joined, and what did not and why.
pub fn fusion(program: &Program, schedule: &Schedule) -> Vec<Event> {
    let names = |operators: &Operators| Names {
        operators: operators.names.clone(),
        nodes: program.origins.all(&operators.origins).iter().map(|o| o.node.clone()).collect(),
    };
    let one = |decision: &crate::schedule::Decision| {
        let (node, group) = (names(&decision.node), names(&decision.group));
        match decision.apart {
            Some(apart) => Event::NotFused { node, group, reason: apart.reason() },
            None => Event::Fused { node, group },
        }
    };
    schedule.decisions.iter().map(one).collect()
}

/// Where intermediate results lie, and which constants take more memory than their own.
pub fn memory(graph: &Graph, program: &Program, schedule: &Schedule, kernels: &Kernels) -> Vec<Event> {
    let (syms, placements) = (&program.syms, &schedule.placements);
    let place = |span: Span| Place { steps: [span.first, span.last], offset: span.offset, bytes: span.bytes };
    let name = |b| match program.buffers[b].kind {
        BufferKind::Constant(k) => graph.constants[k].name.clone(),
        _ => String::new(),
    };
    let twice = |h: &schedule::HeldTwice| json!({"constant": name(h.constant), "copies": h.copies, "because": h.because});
    vec![Event::Memory {
        arena: number_or_text(syms, placements.arena_bytes),
        live: placements.live_bytes,
        scratch: kernels.main.iter().map(|c| syms.hint(c.scratch)).max().unwrap_or(0),
        derived: placements.derived_bytes,
        buffers: placements.spans(program).into_iter().map(place).collect(),
        held_twice: schedule.held_twice.iter().map(twice).collect(),
    }]
}

pub fn number_or_text(syms: &SymArena, value: SymInt) -> Value {
    match syms.as_const(value) {
        Some(v) => json!(v),
        None => json!(syms.display(value)),
    }
}
