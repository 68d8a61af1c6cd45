//! A compilation that has begun: who hears of it, and the stages that it has gone through.
//!
//! A training program's forward begins with the graph that is divided; so the stages before the division are its own.
//!
//! Invariant: what began is told to have ended, whatever came of it, unless it was cancelled.

use super::watch::Watch;
use super::{Compiled, Options, SessionError};
use crate::base::event::Event;
use crate::base::memory;
use crate::ir::Graph;
use serde_json::{Map, Value};
use std::time::Instant;

pub struct Begun {
    watch: Watch,
    start: Instant,
    /// Seconds by stage.
    stages: Vec<(&'static str, f64)>,
}

impl Begun {
    /// Tells that the compilation of this graph begins.
    pub fn new(graph: &Graph, options: &Options) -> Result<Begun, SessionError> {
        let watch = options.watch.of_compile(graph.id);
        watch.open()?;
        let start = Instant::now();
        watch.emit(&Event::Begin {
            name: graph.name.clone(),
            backend: options.backend.name().to_string(),
            nodes: graph.order.len(),
            constants: graph.constants.len(),
            options: options.given_json(),
        });
        Ok(Begun { watch, start, stages: Vec::new() })
    }

    /// The options with those who hear of this compilation.
    pub fn heard(&self, options: &Options) -> Options {
        options.heard_by(self.watch.clone())
    }

    /// The time of what is done from now on, beside that of what is done already.
    pub fn timing<'o>(&self, options: &'o Options) -> Timing<'o> {
        Timing { stages: self.stages.clone(), options }
    }

    /// Notes the stages that were gone through.
    pub fn went_through(&mut self, timing: Timing<'_>) {
        self.stages = timing.stages;
    }

    /// Tells how it ended.
    pub(super) fn ended(&self, outcome: Result<&Compiled, &SessionError>) {
        let (kernels, cache) = outcome.map_or((0, "none"), |c| (c.plan.kernels.len(), c.cache));
        self.watch.emit(&Event::End {
            seconds: self.start.elapsed().as_secs_f64(),
            kernels,
            cache,
            status: outcome.err().map_or(0, |e| e.status().code()),
            error: outcome.err().map(ToString::to_string),
        });
    }
}

/// Seconds by stage, in order.
pub struct Timing<'o> {
    stages: Vec<(&'static str, f64)>,
    pub(super) options: &'o Options,
}

impl<'o> Timing<'o> {
    /// Of a compilation that nobody is told of.
    pub fn untold(options: &'o Options) -> Timing<'o> {
        Timing { stages: Vec::new(), options }
    }
    pub fn stage<T, E>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        memory::checkpoint();
        let start = Instant::now();
        let result = work();
        memory::checkpoint();
        let seconds = start.elapsed().as_secs_f64();
        self.stages.push((name, seconds));
        self.options.emit(&Event::Stage { stage: name, seconds });
        result
    }
    /// What describe says of it.
    pub fn about(&self) -> Value {
        let mut seconds = Map::new();
        for (name, time) in &self.stages {
            let before = seconds.get(*name).and_then(Value::as_f64).unwrap_or(0.0);
            seconds.insert(name.to_string(), (before + time).into());
        }
        seconds.insert("total".to_string(), self.stages.iter().map(|t| t.1).sum::<f64>().into());
        seconds.into()
    }
}
