//! Who hears of a compilation's events: a trace's callback, a trace's file, the log, and the process's counters.
//!
//! Everything that is told goes through [`Watch::emit`]; the log is a view of the same events. What costs something to say is
//! made only where somebody hears it ([`Watch::hears`]).
//!
//! Invariants: the counters count whether anybody hears or not; a trace that cannot be written is an error before anything
//! is compiled, and ends with a warning where it fails later.
//!
//! Deliberately absent: what events say (`base::event`).

use super::trace_file::{TraceFile, Waits};
use super::{SessionError, is_compiling};
use crate::base::counters::{Counter, count};
use crate::base::event::{Channel, Channels, Event, json};
use crate::plan::Step;
use crate::runtime::{Captured, Executable, Listener, RuntimeError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Receives log lines: level (0 error, 1 warning, 2 information, 3 debugging) and message. Called by the thread that
/// compiles.
pub type LogCallback = Arc<dyn Fn(i32, &str) + Send + Sync>;

/// Receives events, each a line of JSON. Called by the thread that compiles or runs.
pub type TraceCallback = Arc<dyn Fn(&str) + Send + Sync>;

/// Who hears of a compilation, and which one it is.
#[derive(Clone, Default)]
pub struct Watch {
    log: Option<(i32, LogCallback)>,
    /// Those that the log is to have whatever their level.
    pub(super) channels: Channels,
    trace: Option<TraceCallback>,
    file: Option<Arc<TraceFile>>,
    /// The file of options that these were made of: setting another key goes on with it.
    before: Option<Arc<TraceFile>>,
    compile: u64,
    graph: u64,
}

impl Watch {
    pub fn set_log(&mut self, level: i32, callback: Option<LogCallback>) {
        self.log = callback.map(|c| (level, c));
    }
    pub fn set_trace(&mut self, callback: Option<TraceCallback>) {
        self.trace = callback;
    }
    pub fn set_file(&mut self, path: Option<&Path>) {
        let kept = self.before.take().or(self.file.take());
        self.file = path.map(|path| match kept {
            Some(file) if file.path() == path => file,
            _ => TraceFile::at(path),
        });
    }
    /// For options whose keys are set anew.
    pub fn fresh(&self) -> Watch {
        Watch { channels: Channels::default(), file: None, before: self.file.clone(), ..self.clone() }
    }
    /// The next compilation's, of this graph.
    pub fn of_compile(&self, graph: u64) -> Watch {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Watch { compile: NEXT.fetch_add(1, Relaxed), ..self.of_graph(graph) }
    }
    /// For what is told of this graph outside of any compilation.
    pub fn of_graph(&self, graph: u64) -> Watch {
        Watch { graph, ..self.clone() }
    }
    /// Makes sure that the trace's file can be written.
    pub fn open(&self) -> Result<(), SessionError> {
        let Some(file) = &self.file else { return Ok(()) };
        file.open().map_err(|e| SessionError::Io {
            what: format!("write the trace `{}`", file.path().display()),
            reason: e.to_string(),
        })
    }

    /// Whether anybody hears events of a channel, which are for debugging.
    pub fn hears(&self, channel: Channel) -> bool {
        self.trace.is_some() || self.file.is_some() || self.is_logged(channel, 3)
    }
    fn is_logged(&self, channel: Channel, level: i32) -> bool {
        self.channels.has(channel) || self.log.as_ref().is_some_and(|(most, _)| level <= *most)
    }

    /// What was asked to be printed: to the log where there is a callback, otherwise to standard output.
    pub fn print(&self, text: &str) {
        match &self.log {
            Some((_, callback)) => callback(2, text),
            None => drop(writeln!(io::stdout(), "{text}")),
        }
    }

    /// Tells everybody who hears it.
    pub fn emit(&self, event: &Event) {
        self.emit_at(event, now());
    }

    /// [`Watch::emit`] of what ended at another time than now, in seconds as [`now`] gives them.
    pub fn emit_at(&self, event: &Event, time: f64) {
        note(event);
        let (channel, level) = (event.channel(), event.level());
        if self.is_logged(channel, level) {
            let text = event.text();
            match &self.log {
                Some((_, callback)) => callback(level, &text),
                // Channels were asked for, and nobody is there to take them.
                None => drop(writeln!(io::stderr(), "litz: {}: {text}", channel.name())),
            }
        }
        tracing::debug!(level, "{}", event.text());
        if self.trace.is_none() && self.file.is_none() {
            return;
        }
        let (time, thread) = (nanoseconds(time), thread());
        if let Some(file) = &self.file {
            let waits = match event {
                _ if event.is_detail() => Waits::Long,
                Event::Begin { .. } | Event::End { .. } => Waits::No,
                _ if is_compiling() => Waits::Shortly,
                _ => Waits::No,
            };
            self.write(file, waits, |out| {
                chrome(out, event, time, thread);
                self.append_line(out, event, time, thread);
                out.push(b'}');
            });
        }
        if let Some(callback) = &self.trace {
            let mut line = Vec::with_capacity(USUAL_LINE);
            self.append_line(&mut line, event, time, thread);
            if let Ok(line) = std::str::from_utf8(&line) {
                callback(line);
            }
        }
    }

    /// The event as JSON.
    fn append_line(&self, out: &mut Vec<u8>, event: &Event, time: u64, thread: u64) {
        out.extend_from_slice(b"{\"event\":\"");
        out.extend_from_slice(event.kind().name.as_bytes());
        out.extend_from_slice(b"\",\"compile\":");
        json::printed(out, self.compile);
        out.extend_from_slice(b",\"graph\":");
        json::printed(out, self.graph);
        out.extend_from_slice(b",\"time\":");
        json::fraction(out, time, 9);
        out.extend_from_slice(b",\"thread\":");
        json::printed(out, thread);
        for (key, value) in event.entries() {
            out.extend_from_slice(b",\"");
            out.extend_from_slice(key.as_bytes());
            out.extend_from_slice(b"\":");
            value.append_to(out);
        }
        out.push(b'}');
    }

    fn write(&self, file: &TraceFile, waits: Waits, append: impl FnOnce(&mut Vec<u8>)) {
        if let Err(e) = file.append(waits, append) {
            let text = format!("the trace `{}` ends here: {e}", file.path().display());
            let without = Watch { file: None, ..self.clone() };
            without.emit(&Event::Message { level: 1, channel: Channel::PerfHints, text });
        }
    }
}

/// Looks at the runs of a program for those who hear of its compilation.
pub struct Runs {
    watch: Watch,
    /// How many were recorded, and whether it was told that they are not.
    told: Mutex<(u64, bool)>,
    /// Where inputs are kept, and how many runs there were.
    inputs: Option<PathBuf>,
    count: AtomicU64,
}

impl Runs {
    /// None where nobody hears anything: runs are then as if there were none.
    pub fn listener(watch: &Watch, inputs: Option<PathBuf>) -> Option<Arc<dyn Listener>> {
        if !watch.hears(Channel::CudaGraphs) && !watch.hears(Channel::Kernels) && inputs.is_none() {
            return None;
        }
        Some(Arc::new(Runs {
            watch: watch.clone(),
            told: Mutex::default(),
            inputs,
            count: AtomicU64::new(0),
        }))
    }
}

impl Runs {
    /// The runs that were profiled since the last call, kernel by kernel.
    fn tell_profiled(&self, executable: &Executable) {
        let Some(profile) = executable.program().profile().filter(|_| self.watch.hears(Channel::Kernels))
        else {
            return;
        };
        let plan = executable.plan();
        let is_kernel = |step: &Step| matches!(step, Step::Kernel { .. } | Step::Extern { .. });
        let name = |step: &Step| match step {
            Step::Kernel { kernel, .. } => {
                plan.kernels.get(kernel.0 as usize).map_or("?", |k| &k.symbol).to_string()
            }
            Step::Extern { attributes, .. } => attributes.name(),
            _ => "copy".to_string(),
        };
        for run in profile.take_runs() {
            let ended = now() - run.ended.elapsed().as_secs_f64();
            let (runs, replayed, seconds) = (run.number, run.replayed, run.seconds);
            self.watch.emit_at(&Event::Run { runs, replayed, seconds }, ended);
            for time in run.steps {
                let Some(step) = plan.main.get(time.step) else { continue };
                let before = plan.main[..time.step].iter().filter(|s| is_kernel(s)).count();
                let event = Event::KernelRun {
                    kernel: is_kernel(step).then_some(before),
                    step: time.step,
                    name: name(step),
                    bytes: time.bytes,
                    flop: time.flop,
                    seconds: time.seconds,
                };
                self.watch.emit_at(&event, ended - time.before_end);
            }
        }
    }
}

impl Listener for Runs {
    fn listens(&self, executable: &Executable) {
        if let Some(profile) = executable.program().profile() {
            profile.keep_runs();
        }
    }

    fn wants_inputs(&self) -> bool {
        self.inputs.is_some()
    }

    fn begins(&self, executable: &Executable, inputs: &Captured) -> Result<(), RuntimeError> {
        let Some(folder) = &self.inputs else { return Ok(()) };
        let path = folder.join(format!("inputs{}.safetensors", self.count.fetch_add(1, Relaxed)));
        executable.save_inputs(inputs, &path)
    }

    fn ran(&self, executable: &Executable) {
        self.tell_profiled(executable);
        let Some(counts) = executable.graph_counts() else { return };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut events = Vec::new();
        if counts.recorded > told.0 {
            let runs = counts.recorded;
            events.push(Event::CudaGraph { outcome: "recorded", runs, reason: None });
        }
        if let Some(reason) = counts.reason.filter(|_| !told.1) {
            events.push(Event::CudaGraph { outcome: "skipped", runs: counts.eager, reason: Some(reason) });
        }
        *told = (
            counts.recorded,
            told.1 || events.iter().any(|e| matches!(e, Event::CudaGraph { outcome: "skipped", .. })),
        );
        drop(told);
        events.iter().for_each(|event| self.watch.emit(event));
    }
}

/// Counts what happened.
fn note(event: &Event) {
    match event {
        Event::Begin { .. } => count(Counter::CompilesBegun, 1),
        Event::End { error: Some(_), .. } => count(Counter::CompilesFailed, 1),
        Event::Cache { outcome: "hit", .. } => count(Counter::CacheHits, 1),
        Event::Cache { outcome: "miss", .. } => count(Counter::CacheMisses, 1),
        Event::Cache { outcome: "damaged", .. } => count(Counter::CacheDamaged, 1),
        Event::Candidate { .. } => count(Counter::Candidates, 1),
        Event::Fallback { .. } => count(Counter::Fallbacks, 1),
        _ => {}
    }
}

/// The begin of an event in the format of Chrome's and Perfetto's traces: microseconds; what it says follows as arguments.
fn chrome(out: &mut Vec<u8>, event: &Event, time: u64, thread: u64) {
    out.extend_from_slice(b"{\"name\":\"");
    out.extend_from_slice(event.kind().name.as_bytes());
    if let Some(subject) = event.subject() {
        out.extend_from_slice(b": ");
        json::within_text(out, subject);
    }
    out.extend_from_slice(b"\",\"cat\":\"");
    out.extend_from_slice(event.channel().name().as_bytes());
    match event.seconds().map(nanoseconds) {
        Some(took) => {
            out.extend_from_slice(b"\",\"ph\":\"X\",\"ts\":");
            json::fraction(out, time.saturating_sub(took), 3);
            out.extend_from_slice(b",\"dur\":");
            json::fraction(out, took, 3);
        }
        None => {
            out.extend_from_slice(b"\",\"ph\":\"i\",\"s\":\"t\",\"ts\":");
            json::fraction(out, time, 3);
        }
    }
    out.extend_from_slice(b",\"pid\":");
    json::printed(out, std::process::id());
    out.extend_from_slice(b",\"tid\":");
    json::printed(out, thread);
    out.extend_from_slice(b",\"args\":");
}

/// Seconds in nanoseconds; none below zero.
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// Seconds since this was first asked.
pub fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// The number of this thread.
pub fn thread() -> u64 {
    thread_local! {
        static NUMBER: u64 = {
            let text = format!("{:?}", std::thread::current().id());
            text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
        };
    }
    NUMBER.with(|number| *number)
}

/// As long as most lines.
const USUAL_LINE: usize = 512;

#[cfg(test)]
mod tests {
    use super::super::trace_file::{CLOSING, MOST_WAITING, SHORTLY};
    use super::*;
    use serde_json::Value;

    #[test]
    fn options_that_name_one_file_write_to_it_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        let read = || serde_json::from_slice::<Vec<Value>>(&std::fs::read(&path).unwrap()).unwrap().len();
        let told = |watch: &Watch| watch.emit(&Event::Stage { stage: "lower", seconds: 0.001 });
        let (mut one, mut other, mut last) = (Watch::default(), Watch::default(), Watch::default());
        one.set_file(Some(&path));
        one.open().unwrap();
        told(&one);
        other.set_file(Some(&path));
        other.open().unwrap();
        told(&other);
        told(&one);
        assert_eq!(read(), 3);
        // What was removed begins anew.
        std::fs::remove_file(&path).unwrap();
        last.set_file(Some(&path));
        last.open().unwrap();
        told(&last);
        told(&one);
        assert_eq!(read(), 1);
    }

    #[test]
    fn a_trace_is_complete_after_each_event_that_is_no_detail() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        let mut watch = Watch::default();
        watch.set_file(Some(&path));
        watch.open().unwrap();
        let read = || serde_json::from_slice::<Vec<Value>>(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(read(), Vec::<Value>::new());
        for k in 1..=3 {
            watch.emit(&Event::Stage { stage: "lower", seconds: 0.001 });
            assert_eq!(read().len(), k);
        }
        assert_eq!((read()[2]["ph"].as_str(), read()[2]["name"].as_str()), (Some("X"), Some("stage: lower")));
        // Details are written together with their stage.
        let detail = Event::Guard { condition: "s0 < 4".into(), message: String::new(), made_by: "graph" };
        watch.emit(&detail);
        assert_eq!(read().len(), 3);
        watch.emit(&Event::Stage { stage: "lower", seconds: 0.001 });
        assert_eq!((read().len(), read()[3]["name"].as_str()), (5, Some("guard")));
        let long =
            Event::Guard { condition: "s".repeat(MOST_WAITING), message: String::new(), made_by: "graph" };
        watch.emit(&long);
        assert_eq!(read().len(), 6);
        // Another key goes on with the file, and another watch begins it anew where none is left.
        let mut next = watch.fresh();
        next.set_file(Some(&path));
        next.emit(&Event::CudaGraph { outcome: "skipped", runs: 0, reason: None });
        assert_eq!(read().len(), 7);
        next.emit(&detail);
        drop((watch, next));
        assert_eq!(read().len(), 8);
        // In a compilation short stages wait for what ends it, or for a longer one.
        let mut compiling = Watch::default();
        compiling.set_file(Some(&path));
        compiling.open().unwrap();
        let requests = crate::base::cancel::Requests::default();
        let within = requests.watch();
        let stage = Event::Stage { stage: "lower", seconds: 0.001 };
        compiling.emit(&stage);
        let waited = std::fs::metadata(&path).unwrap().len() == 1 + CLOSING.len() as u64;
        std::thread::sleep(SHORTLY);
        compiling.emit(&stage);
        assert_eq!((waited, read().len()), (true, 2));
        compiling.emit(&stage);
        let end = Event::End { seconds: 0.1, kernels: 0, cache: "none", status: 0, error: None };
        compiling.emit(&end);
        assert_eq!(read().len(), 4);
        drop(within);
        compiling.emit(&stage);
        assert_eq!(read().len(), 5);
        drop(compiling);
        let mut other = Watch::default();
        other.set_file(Some(&path));
        other.open().unwrap();
        assert_eq!(read().len(), 0);
    }

    #[test]
    fn a_trace_that_cannot_be_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = Watch::default();
        for path in [folder.path().join("no/such"), folder.path().to_owned(), "/dev/null".into()] {
            watch.set_file(Some(&path));
            let error = watch.open().unwrap_err().to_string();
            assert!(error.contains("cannot write the trace"), "{error}");
        }
    }

    #[test]
    fn the_log_has_levels_and_channels() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let mut watch = Watch::default();
        let list = Arc::clone(&heard);
        watch.set_log(
            1,
            Some(Arc::new(move |level, text| list.lock().unwrap().push((level, text.to_string())))),
        );
        let tell = |watch: &Watch| {
            watch.emit(&Event::Stage { stage: "lower", seconds: 0.5 });
            watch.emit(&Event::Message { level: 1, channel: Channel::Cache, text: "full".into() });
            watch.emit(&Event::Message { level: 2, channel: Channel::Cache, text: "well".into() });
            std::mem::take(&mut *heard.lock().unwrap())
        };
        assert_eq!(tell(&watch), [(1, "full".to_string())]);
        assert!(!watch.hears(Channel::Stages));
        watch.channels.add(Channel::Stages);
        let all = tell(&watch);
        assert_eq!(all[0], (3, "stage: stage \"lower\", seconds 0.5".to_string()));
        assert_eq!(all.len(), 2);
    }
}
