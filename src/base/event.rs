//! Typed events of compilations and runs. Traces, logs and counters are views of them.
//!
//! [`KINDS`] states each event once: its channel, its level and its keys with their meanings. `docs/trace.md` is made of it,
//! and an event's values stand in the order of its keys.
//!
//! Deliberately absent: the listeners (`session::watch`), and anything that knows about tensors: events hold names and numbers
//! alone.

pub mod json;
mod kinds;

pub use kinds::{COMMON_KEYS, KINDS, Kind};

use serde_json::Value;

/// The subject of events; logs are requested by channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Channel {
    Stages,
    Fusion,
    Guards,
    Cache,
    PerfHints,
    CudaGraphs,
    Autotune,
    Memory,
    Kernels,
}

impl Channel {
    pub const ALL: [Channel; 9] = [
        Channel::Stages,
        Channel::Fusion,
        Channel::Guards,
        Channel::Cache,
        Channel::PerfHints,
        Channel::CudaGraphs,
        Channel::Autotune,
        Channel::Memory,
        Channel::Kernels,
    ];
    pub fn name(self) -> &'static str {
        match self {
            Channel::Stages => "stages",
            Channel::Fusion => "fusion",
            Channel::Guards => "guards",
            Channel::Cache => "cache",
            Channel::PerfHints => "perf_hints",
            Channel::CudaGraphs => "cudagraphs",
            Channel::Autotune => "autotune",
            Channel::Memory => "memory",
            Channel::Kernels => "kernels",
        }
    }
    pub fn from_name(name: &str) -> Option<Channel> {
        Channel::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// Some channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels(u16);

impl Channels {
    pub fn add(&mut self, channel: Channel) {
        self.0 |= 1 << channel as u8;
    }
    pub fn has(self, channel: Channel) -> bool {
        self.0 & (1 << channel as u8) != 0
    }
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The value of an event's key. It is borrowed: a trace costs little only where nothing is copied first.
#[derive(Clone, Copy)]
pub enum Field<'a> {
    Json(&'a Value),
    Text(&'a str),
    Texts(&'a [String]),
    Words(&'a [&'static str]),
    Whole(i64),
    Real(f64),
    Truth(bool),
    Pair([usize; 2]),
    Places(&'a [Place]),
    Null,
}

impl<'a> Field<'a> {
    fn count(number: impl TryInto<i64>) -> Field<'a> {
        Field::Whole(number.try_into().unwrap_or(i64::MAX))
    }
    fn or_null<T>(value: Option<T>, of: impl FnOnce(T) -> Field<'a>) -> Field<'a> {
        value.map_or(Field::Null, of)
    }

    /// Appends it as JSON. A number that JSON does not have is null.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        // Strings, numbers, and lists and objects of these can be written, and memory takes them.
        let _ = match self {
            Field::Json(value) => serde_json::to_writer(out, value),
            Field::Text(text) => serde_json::to_writer(out, text),
            Field::Texts(all) => serde_json::to_writer(out, all),
            Field::Words(all) => serde_json::to_writer(out, all),
            Field::Whole(number) => serde_json::to_writer(out, number),
            Field::Real(number) => serde_json::to_writer(out, number),
            Field::Truth(truth) => serde_json::to_writer(out, truth),
            Field::Pair(pair) => serde_json::to_writer(out, pair),
            Field::Places(all) => return json::list(out, all.iter(), Place::append_to),
            Field::Null => serde_json::to_writer(out, &()),
        };
    }
}

impl Place {
    fn append_to(out: &mut Vec<u8>, place: &Place) {
        out.extend_from_slice(b"{\"steps\":");
        Field::Pair(place.steps).append_to(out);
        out.extend_from_slice(b",\"offset\":");
        json::printed(out, place.offset);
        out.extend_from_slice(b",\"bytes\":");
        json::printed(out, place.bytes);
        out.push(b'}');
    }
}

/// As many keys as the kind with most of them has.
const MOST_KEYS: usize = 6;

fn fields<const N: usize>(list: [Field<'_>; N]) -> [Field<'_>; MOST_KEYS] {
    let mut all = [Field::Null; MOST_KEYS];
    all[..N].copy_from_slice(&list);
    all
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Event {
    Begin {
        name: String,
        backend: String,
        nodes: usize,
        constants: usize,
        options: Value,
    },
    Stage {
        stage: &'static str,
        seconds: f64,
    },
    Pass {
        pass: &'static str,
        subgraph: Option<String>,
        nodes: [usize; 2],
        removed: Value,
        added: Value,
        seconds: f64,
    },
    LoopPass {
        pass: &'static str,
        changed: bool,
        nodes: [usize; 2],
        seconds: f64,
    },
    Guard {
        condition: String,
        message: String,
        made_by: &'static str,
    },
    Fused {
        node: Names,
        group: Names,
    },
    NotFused {
        node: Names,
        group: Names,
        reason: &'static str,
    },
    Kernel {
        kernel: usize,
        description: Value,
    },
    Memory {
        arena: Value,
        live: i64,
        scratch: i64,
        derived: u64,
        buffers: Vec<Place>,
        held_twice: Value,
    },
    Cache {
        what: &'static str,
        outcome: &'static str,
        level: Option<&'static str>,
        key: String,
        bytes: u64,
    },
    Candidate {
        product: String,
        way: String,
        seconds: f64,
        usual: f64,
        chosen: bool,
    },
    CudaGraph {
        outcome: &'static str,
        runs: u64,
        reason: Option<String>,
    },
    Run {
        runs: u64,
        replayed: bool,
        seconds: f64,
    },
    KernelRun {
        kernel: Option<usize>,
        step: usize,
        name: String,
        bytes: Option<f64>,
        flop: Option<f64>,
        seconds: f64,
    },
    Fallback {
        asked: &'static str,
        got: &'static str,
        because: String,
    },
    Message {
        level: i32,
        channel: Channel,
        text: String,
    },
    End {
        seconds: f64,
        kernels: usize,
        cache: &'static str,
        status: i32,
        error: Option<String>,
    },
}

/// A node or a group of them, as a user knows it.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub operators: Vec<&'static str>,
    /// Nodes of the program.
    pub nodes: Vec<String>,
}

/// Memory of an intermediate result.
#[derive(Clone, Debug)]
pub struct Place {
    /// The steps of a run that write it first and use it last.
    pub steps: [usize; 2],
    /// Where in the arena, at typical sizes.
    pub offset: i64,
    pub bytes: i64,
}

impl Event {
    pub fn kind(&self) -> &'static Kind {
        let place = match self {
            Event::Begin { .. } => 0,
            Event::Stage { .. } => 1,
            Event::Pass { .. } => 2,
            Event::LoopPass { .. } => 3,
            Event::Guard { .. } => 4,
            Event::Fused { .. } => 5,
            Event::NotFused { .. } => 6,
            Event::Kernel { .. } => 7,
            Event::Memory { .. } => 8,
            Event::Cache { .. } => 9,
            Event::Candidate { .. } => 10,
            Event::CudaGraph { .. } => 11,
            Event::Run { .. } => 12,
            Event::KernelRun { .. } => 13,
            Event::Fallback { .. } => 14,
            Event::Message { .. } => 15,
            Event::End { .. } => 16,
        };
        &KINDS[place]
    }
    pub fn channel(&self) -> Channel {
        if let Event::Message { channel, .. } = self { *channel } else { self.kind().channel }
    }
    pub fn level(&self) -> i32 {
        if let Event::Message { level, .. } = self { *level } else { self.kind().level }
    }
    /// Whether the event is a detail of a stage. The stage's own event comes after its details.
    pub fn is_detail(&self) -> bool {
        matches!(
            self,
            Event::Pass { .. }
                | Event::LoopPass { .. }
                | Event::Guard { .. }
                | Event::Fused { .. }
                | Event::NotFused { .. }
                | Event::Kernel { .. }
                | Event::Memory { .. }
        )
    }
    /// How long it took that ended now; `None` for what takes no time.
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Event::Stage { seconds, .. }
            | Event::Pass { seconds, .. }
            | Event::LoopPass { seconds, .. }
            | Event::Run { seconds, .. }
            | Event::KernelRun { seconds, .. }
            | Event::End { seconds, .. } => Some(*seconds),
            _ => None,
        }
    }
    /// Its keys with their values, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, Field<'_>)> {
        self.kind().keys.iter().map(|(key, _)| *key).zip(self.values())
    }
    /// A line of a log.
    pub fn text(&self) -> String {
        if let Event::Message { text, .. } = self {
            return text.clone();
        }
        if let Event::Fallback { got: "interpreter", because, .. } = self {
            return format!("the interpreter runs this program, slowly: {because}");
        }
        let mut line = format!("{}: ", self.kind().name).into_bytes();
        for (k, (key, value)) in self.entries().enumerate() {
            line.extend_from_slice(if k > 0 { b", " } else { b"" });
            line.extend_from_slice(key.as_bytes());
            line.push(b' ');
            value.append_to(&mut line);
        }
        String::from_utf8(line).unwrap_or_default()
    }

    /// What it is about, beside its kind: the name in a picture of a trace.
    pub fn subject(&self) -> Option<&str> {
        Some(match self {
            Event::Begin { name, .. } | Event::KernelRun { name, .. } => name,
            Event::Stage { stage, .. } => stage,
            Event::Pass { pass, .. } | Event::LoopPass { pass, .. } => pass,
            Event::Cache { what, .. } => what,
            Event::Candidate { product, .. } => product,
            _ => return None,
        })
    }

    /// In the order of its kind's keys; behind them there is nothing.
    fn values(&self) -> [Field<'_>; MOST_KEYS] {
        use Field as F;
        match self {
            Event::Begin { name, backend, nodes, constants, options } => fields([
                F::Text(name),
                F::Text(backend),
                F::count(*nodes),
                F::count(*constants),
                F::Json(options),
            ]),
            Event::Stage { stage, seconds } => fields([F::Text(stage), F::Real(*seconds)]),
            Event::Pass { pass, subgraph, nodes, removed, added, seconds } => fields([
                F::Text(pass),
                F::or_null(subgraph.as_deref(), F::Text),
                F::Pair(*nodes),
                F::Json(removed),
                F::Json(added),
                F::Real(*seconds),
            ]),
            Event::LoopPass { pass, changed, nodes, seconds } => {
                fields([F::Text(pass), F::Truth(*changed), F::Pair(*nodes), F::Real(*seconds)])
            }
            Event::Guard { condition, message, made_by } => {
                fields([F::Text(condition), F::Text(message), F::Text(made_by)])
            }
            Event::Fused { node, group } => {
                fields([F::Words(&node.operators), F::Texts(&node.nodes), F::Texts(&group.nodes)])
            }
            Event::NotFused { node, group, reason } => fields([
                F::Words(&node.operators),
                F::Texts(&node.nodes),
                F::Texts(&group.nodes),
                F::Text(reason),
            ]),
            Event::Kernel { kernel, description } => fields([F::count(*kernel), F::Json(description)]),
            Event::Memory { arena, live, scratch, derived, buffers, held_twice } => fields([
                F::Json(arena),
                F::Whole(*live),
                F::Whole(*scratch),
                F::count(*derived),
                F::Places(buffers),
                F::Json(held_twice),
            ]),
            Event::Cache { what, outcome, level, key, bytes } => fields([
                F::Text(what),
                F::Text(outcome),
                F::or_null(*level, F::Text),
                F::Text(key),
                F::count(*bytes),
            ]),
            Event::Candidate { product, way, seconds, usual, chosen } => fields([
                F::Text(product),
                F::Text(way),
                F::Real(*seconds),
                F::Real(*usual),
                F::Truth(*chosen),
            ]),
            Event::CudaGraph { outcome, runs, reason } => {
                fields([F::Text(outcome), F::count(*runs), F::or_null(reason.as_deref(), F::Text)])
            }
            Event::Run { runs, replayed, seconds } => {
                fields([F::count(*runs), F::Truth(*replayed), F::Real(*seconds)])
            }
            Event::KernelRun { kernel, step, name, bytes, flop, seconds } => fields([
                F::or_null(*kernel, F::count),
                F::count(*step),
                F::Text(name),
                F::or_null(*bytes, F::Real),
                F::or_null(*flop, F::Real),
                F::Real(*seconds),
            ]),
            Event::Fallback { asked, got, because } => {
                fields([F::Text(asked), F::Text(got), F::Text(because)])
            }
            Event::Message { level, channel, text } => {
                fields([F::Whole((*level).into()), F::Text(channel.name()), F::Text(text)])
            }
            Event::End { seconds, kernels, cache, status, error } => fields([
                F::Real(*seconds),
                F::count(*kernels),
                F::Text(cache),
                F::Whole((*status).into()),
                F::or_null(error.as_deref(), F::Text),
            ]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json;

    /// One event of each kind, in their order.
    fn each() -> Vec<Event> {
        let (names, null) = (Names::default(), Value::Null);
        vec![
            Event::Begin {
                name: "g".into(),
                backend: "cpu".into(),
                nodes: 1,
                constants: 0,
                options: json!({}),
            },
            Event::Stage { stage: "lower", seconds: 0.5 },
            Event::Pass {
                pass: "p",
                subgraph: None,
                nodes: [2, 1],
                removed: null.clone(),
                added: null.clone(),
                seconds: 0.1,
            },
            Event::LoopPass { pass: "p", changed: true, nodes: [2, 3], seconds: 0.1 },
            Event::Guard { condition: "s0 > 1".into(), message: "m".into(), made_by: "graph" },
            Event::Fused { node: names.clone(), group: names.clone() },
            Event::NotFused { node: names.clone(), group: names, reason: "r" },
            Event::Kernel { kernel: 0, description: null.clone() },
            Event::Memory {
                arena: json!(0),
                live: 0,
                scratch: 0,
                derived: 0,
                buffers: vec![],
                held_twice: null,
            },
            Event::Cache { what: "kernels", outcome: "hit", level: Some("disk"), key: "k".into(), bytes: 1 },
            Event::Candidate {
                product: "p".into(),
                way: "own".into(),
                seconds: 1.0,
                usual: 2.0,
                chosen: true,
            },
            Event::CudaGraph { outcome: "recorded", runs: 1, reason: None },
            Event::Run { runs: 3, replayed: false, seconds: 0.1 },
            Event::KernelRun {
                kernel: Some(0),
                step: 1,
                name: "k".into(),
                bytes: Some(8.0),
                flop: None,
                seconds: 0.1,
            },
            Event::Fallback { asked: "auto", got: "interpreter", because: "b".into() },
            Event::Message { level: 1, channel: Channel::Cache, text: "t".into() },
            Event::End { seconds: 1.0, kernels: 1, cache: "hit", status: 0, error: None },
        ]
    }

    #[test]
    fn every_key_has_a_value_and_every_kind_its_place() {
        let all = each();
        assert_eq!(all.len(), KINDS.len());
        for (event, kind) in all.iter().zip(&KINDS) {
            assert_eq!(event.kind().name, kind.name);
            // Behind its keys there are no values.
            let behind = &event.values()[kind.keys.len()..];
            assert!(behind.iter().all(|field| matches!(field, Field::Null)), "{}", kind.name);
            assert!(!event.text().is_empty());
        }
        assert_eq!(all[15].channel(), Channel::Cache);
        assert_eq!((all[15].level(), all[1].level()), (1, 3));
    }

    #[test]
    fn channels_are_named() {
        for channel in Channel::ALL {
            assert_eq!(Channel::from_name(channel.name()), Some(channel));
        }
        let mut some = Channels::default();
        some.add(Channel::Kernels);
        assert!(some.has(Channel::Kernels) && !some.has(Channel::Stages));
    }
}
