//! Fuzzers in processes of their own, watched: a worker that dies or does not go on is started again behind the case at
//! which it did, and the case is a finding.
//!
//! A worker is this test binary with one test, `worker`, and says in a file what it is about to do. Its address space is
//! limited; the time that a case may take is limited from here.

use crate::check;
use crate::fuzzer::{Kind, cases};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The address space of a worker, and of each compiler that it starts.
const ADDRESS_SPACE: u64 = 6 << 30;

/// Cases of one kind and subject that are told.
const TOLD: usize = 2;

/// Cases that are counted before the count is told.
const TOGETHER: usize = 50;

/// A defect that a case showed.
#[derive(Clone, Debug)]
pub struct Finding {
    pub numbers: Vec<u64>,
    pub kind: String,
    /// An operator, an archive: the same defect shows in many cases of one subject.
    pub subject: String,
    pub saw: String,
    /// The case, as text.
    pub case: String,
}

/// What a worker says, line by line.
pub struct Log {
    file: File,
    counts: BTreeMap<&'static str, usize>,
}

impl Log {
    fn line(&mut self, line: &Value) {
        writeln!(self.file, "{line}").expect("the worker's log can be written");
    }
    /// These cases are next, and may take so many seconds of the processor.
    pub fn begin(&mut self, numbers: &[u64], seconds: u64) {
        self.line(&json!({"begin": numbers, "seconds": seconds}));
    }
    pub fn found(&mut self, f: Finding) {
        self.line(&json!({"numbers": f.numbers, "kind": f.kind, "subject": f.subject, "saw": f.saw, "case": f.case}));
    }
    /// So many cases more were counted under a name.
    pub fn count(&mut self, what: &'static str, n: usize) {
        let count = self.counts.entry(what).or_default();
        *count += n;
        if *count >= TOGETHER {
            self.tell_counts();
        }
    }
    fn tell_counts(&mut self) {
        for (what, n) in std::mem::take(&mut self.counts) {
            self.line(&json!({"count": what, "n": n}));
        }
    }
}

/// What one fuzzer is to do.
#[derive(Clone, Debug)]
pub struct Order {
    pub kind: Kind,
    pub seed: u64,
    pub seconds: u64,
    /// The number of the case to stop before, where time is left.
    pub most: u64,
    /// These cases alone, each on its own.
    pub only: Vec<u64>,
    pub plant: Option<Plant>,
}

/// A planted fault, and the kinds of finding that show it: one of them is enough.
#[derive(Clone, Copy, Debug)]
pub struct Plant {
    pub name: &'static str,
    pub kinds: &'static [&'static str],
}

impl Plant {
    pub fn is_shown_by(self, kind: &str) -> bool {
        self.kinds.contains(&kind)
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Report {
    pub counts: BTreeMap<String, usize>,
    pub findings: Vec<Finding>,
}

impl Report {
    /// A few findings of each kind and subject.
    pub fn text(&self) -> String {
        let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut text = String::new();
        for f in &self.findings {
            let count = seen.entry((&f.kind, &f.subject)).or_default();
            *count += 1;
            if *count <= TOLD {
                text +=
                    &format!("\n== {}: {} (case {:?})\n{}\n{}", f.kind, f.subject, f.numbers, f.saw, f.case);
            }
        }
        for ((kind, subject), count) in seen.iter().filter(|(_, n)| **n > TOLD) {
            text += &format!("\n{kind}: {subject}: {count} cases");
        }
        text
    }
}

const ENVIRONMENT: [&str; 7] = [
    "LITZ_FUZZ_WORK",
    "LITZ_FUZZ_LOG",
    "LITZ_FUZZ_FROM",
    "LITZ_FUZZ_SEED",
    "LITZ_FUZZ_SECONDS",
    "LITZ_FUZZ_ONLY",
    "LITZ_FUZZ_MOST",
];

fn start(order: &Order, from: u64, seconds: u64, only: &[u64], folder: &Path) -> Child {
    let said = File::create(folder.join("said")).expect("a file for what a worker prints");
    let only: Vec<String> = only.iter().map(u64::to_string).collect();
    let mut command = Command::new(std::env::current_exe().expect("the test knows its path"));
    command.args(["worker", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    let values = [
        order.kind.name().to_string(),
        folder.join("log").to_string_lossy().into_owned(),
        from.to_string(),
        order.seed.to_string(),
        seconds.to_string(),
        only.join(","),
        order.most.to_string(),
    ];
    command.envs(ENVIRONMENT.into_iter().zip(values)).env("TMPDIR", folder).env("RUST_BACKTRACE", "0");
    if let Some(plant) = order.plant {
        command.env("LITZ_TEST_PLANT", plant.name);
    }
    command.stdin(Stdio::null()).stdout(said.try_clone().expect("a second handle")).stderr(said);
    command.process_group(0).spawn().expect("a worker starts")
}

/// The lines that a worker has written, as they come.
struct Said {
    file: File,
    unfinished: String,
    lines: Vec<Value>,
}

/// The most seconds that a case may take where a fault is planted: it is known to end early or never.
const PLANTED: u64 = 10;

impl Said {
    fn read_on(&mut self) -> bool {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).expect("a worker's log can be read");
        self.unfinished.push_str(&String::from_utf8_lossy(&bytes));
        while let Some((line, rest)) = self.unfinished.split_once('\n') {
            self.lines.extend(serde_json::from_str::<Value>(line));
            self.unfinished = rest.to_string();
        }
        !bytes.is_empty()
    }
}

/// How long a case may take by the clock: so many times the processor's time, which it shares with what else the machine does.
const SHARED: u64 = 6;

/// The processor's time that a worker and the compilers that it waited for took so far.
fn processor_time(worker: &Child) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", worker.id())).unwrap_or_default();
    // Behind the name, which may be anything: the state, ten numbers, and four times.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(4).filter_map(|f| f.parse::<u64>().ok()).sum();
    // SAFETY: the call has no conditions.
    let each = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
    Duration::from_millis(ticks * 1000 / each)
}

/// Waits for a worker. There is no status where it had to be ended, because one case took too long, or because it found
/// what was planted.
fn watch(child: &mut Child, log: &Path, plant: Option<Plant>) -> (Option<ExitStatus>, Vec<Value>) {
    let file = File::open(log).expect("a worker's log");
    let mut said = Said { file, unfinished: String::new(), lines: Vec::new() };
    let shown = |line: &Value| {
        plant.is_some_and(|plant| line["kind"].as_str().is_some_and(|kind| plant.is_shown_by(kind)))
    };
    let (mut since, mut before) = (Instant::now(), processor_time(child));
    loop {
        let ended = child.try_wait().expect("a child can be waited for");
        if said.read_on() {
            (since, before) = (Instant::now(), processor_time(child));
        }
        if ended.is_some() {
            return (ended, said.lines);
        }
        let limit = said.lines.iter().rev().find_map(|l| l["seconds"].as_u64()).unwrap_or(60);
        let limit = if plant.is_some() { limit.min(PLANTED) } else { limit };
        let late = processor_time(child).saturating_sub(before) > Duration::from_secs(limit)
            || since.elapsed() > Duration::from_secs(SHARED * limit);
        if late || said.lines.iter().any(shown) {
            // SAFETY: a signal to the group that this child leads.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
            child.wait().expect("a child can be waited for");
            return (None, said.lines);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn numbers(line: &Value, key: &str) -> Vec<u64> {
    line[key].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
}

/// Runs a fuzzer for its time.
pub fn run(order: &Order) -> Report {
    let (begun, mut report) = (Instant::now(), Report::default());
    let (mut from, mut again): (u64, Vec<u64>) = (0, order.only.clone());
    loop {
        let left = order.seconds.saturating_sub(begun.elapsed().as_secs());
        if again.is_empty() && left == 0 {
            return report;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let log = folder.path().join("log");
        File::create(&log).expect("a file for what a worker says");
        let only = std::mem::take(&mut again);
        let mut child = start(order, from, left.max(1), &only, folder.path());
        let (status, lines) = watch(&mut child, &log, order.plant);
        for line in &lines {
            if let Some(kind) = line["kind"].as_str() {
                let text = |key: &str| line[key].as_str().unwrap_or_default().to_string();
                let (subject, saw, case) = (text("subject"), text("saw"), text("case"));
                let numbers = numbers(line, "numbers");
                report.findings.push(Finding { numbers, kind: kind.into(), subject, saw, case });
            } else if let Some(what) = line["count"].as_str() {
                *report.counts.entry(what.into()).or_default() += line["n"].as_u64().unwrap_or(0) as usize;
            }
        }
        let begun_with: Vec<Vec<u64>> =
            lines.iter().filter(|l| !l["begin"].is_null()).map(|l| numbers(l, "begin")).collect();
        let ended = status.is_some_and(|s| s.success()) && lines.iter().any(|l| !l["end"].is_null());
        let shown = |report: &Report| {
            let by = |f: &Finding| order.plant.is_some_and(|plant| plant.is_shown_by(&f.kind));
            report.findings.iter().any(by)
        };
        if shown(&report) {
            return report;
        }
        if !ended {
            let last = begun_with.last().cloned().unwrap_or_default();
            if last.len() > 1 {
                // One of these: each alone.
                again.clone_from(&last);
            } else {
                let said = std::fs::read_to_string(folder.path().join("said")).unwrap_or_default();
                report.findings.push(death(order, &last, status, &said));
                // Those of a batch that were not looked at yet.
                let after = only.iter().position(|n| last.contains(n)).map_or(only.len(), |k| k + 1);
                again.extend_from_slice(&only[after..]);
                if last.is_empty() {
                    return report;
                }
            }
        }
        if only.is_empty() {
            from = begun_with.iter().flatten().max().map_or(from, |n| n + 1);
            if ended {
                return report;
            }
        } else if again.is_empty() && !order.only.is_empty() {
            return report;
        }
        if shown(&report) {
            return report;
        }
    }
}

/// A worker that died, or had to be ended.
fn death(order: &Order, numbers: &[u64], status: Option<ExitStatus>, said: &str) -> Finding {
    let told: Vec<&str> =
        said.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("running")).collect();
    let last = told.iter().rev().take(3).rev().copied().collect::<Vec<_>>().join(" / ");
    let (kind, saw) = match status {
        None => ("hang", "no end within the time of a case".to_string()),
        Some(status) => match status.signal() {
            Some(signal) => ("crash", format!("signal {signal}: {last}")),
            None => ("crash", format!("{status}: {last}")),
        },
    };
    let (subject, case) = match numbers {
        [one] => cases(order.kind).described(order.seed, *one),
        _ => (String::new(), String::new()),
    };
    Finding { numbers: numbers.to_vec(), kind: kind.into(), subject, saw, case }
}

/// The worker's side: does what the environment says.
pub fn work() {
    let [kind, log, from, seed, seconds, only, most] =
        ENVIRONMENT.map(|name| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set")));
    let limit = |resource, most: u64| {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: the call reads the structure.
        assert_eq!(unsafe { libc::setrlimit(resource, &limit) }, 0, "a limit can be set");
    };
    limit(libc::RLIMIT_AS, ADDRESS_SPACE);
    limit(libc::RLIMIT_CORE, 0);
    check::note_panics();
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let file = File::options().append(true).open(log).expect("the worker's log");
    let mut log = Log { file, counts: BTreeMap::new() };
    let only: Vec<u64> = only.split(',').filter(|n| !n.is_empty()).map(number).collect();
    let kind = Kind::from_name(&kind).expect("a fuzzer of this name");
    let mut fuzzer = cases(kind);
    fuzzer.begin(number(&seed), !only.is_empty());
    let end = Instant::now() + Duration::from_secs(number(&seconds));
    if only.is_empty() {
        let mut next = number(&from);
        let most = fuzzer.count().unwrap_or(u64::MAX).min(number(&most));
        while Instant::now() < end && next < most {
            log.begin(&[next], 30);
            fuzzer.case(next, &mut log);
            next += 1;
        }
    }
    for one in only {
        log.begin(&[one], 60);
        fuzzer.case(one, &mut log);
    }
    fuzzer.finish(&mut log);
    log.tell_counts();
    log.line(&json!({"end": true}));
}
