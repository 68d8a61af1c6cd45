//! What the fuzzers have in common.

use crate::archives::Archives;
use crate::check::{self, Answer};
use crate::common::random::Random;
use crate::compilers::Compilers;
use crate::graphs;
use crate::models::Models;
use crate::operators::Operators;
use crate::texts::Texts;
use crate::watch::{Finding, Log};
use litz::frontend::FrontendError;
use litz::ir::Graph;

/// One of the fuzzers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Operators,
    Texts,
    Archives,
    Models,
    Compilers,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Operators, Kind::Texts, Kind::Archives, Kind::Models, Kind::Compilers];
    pub fn name(self) -> &'static str {
        match self {
            Kind::Operators => "operators",
            Kind::Texts => "texts",
            Kind::Archives => "archives",
            Kind::Models => "models",
            Kind::Compilers => "compilers",
        }
    }
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.name() == name)
    }
}

/// Cases by number. A case follows from the seed and its number alone.
pub trait Cases {
    /// `alone`: what could be gone through with others is not.
    fn begin(&mut self, seed: u64, alone: bool);
    /// How many there are, where there is an end to them.
    fn count(&self) -> Option<u64> {
        None
    }
    /// Goes through one case.
    fn case(&mut self, number: u64, log: &mut Log);
    /// What was put off.
    fn finish(&mut self, _log: &mut Log) {}
    /// What a case is about, and the case as text.
    fn described(&mut self, seed: u64, number: u64) -> (String, String);
}

pub fn cases(kind: Kind) -> Box<dyn Cases> {
    match kind {
        Kind::Operators => Box::new(Operators::default()),
        Kind::Texts => Box::new(Texts::default()),
        Kind::Archives => Box::new(Archives::default()),
        Kind::Models => Box::new(Models::default()),
        Kind::Compilers => Box::new(Compilers::default()),
    }
}

/// Counts what came of reading a case and going through it, or notes it as a finding.
pub fn tell(log: &mut Log, number: u64, went: Result<Answer, Answer>, case: impl FnOnce() -> String) {
    match went {
        Ok(Answer::Gave(_)) => log.count("run", 1),
        Ok(Answer::Defect(defect)) | Err(Answer::Defect(defect)) => log.found(Finding {
            numbers: vec![number],
            kind: defect.kind.into(),
            subject: shortened(&defect.saw),
            saw: defect.saw,
            case: case(),
        }),
        Ok(Answer::Refused(_)) => log.count("refused later", 1),
        Err(_) => {}
    }
}

/// Bytes of a file with a few of them damaged, and the rest cut off now and then; says how.
pub fn damaged(bytes: &[u8], random: &mut Random) -> (Vec<String>, Vec<u8>) {
    let (mut bytes, mut said) = (bytes.to_vec(), Vec::new());
    for _ in 0..random.within(1, 6) {
        let k = random.below(bytes.len());
        bytes[k] = random.of(&[0, 1, 0xff, 0x7f, 0x80, bytes[k] ^ 1]);
        said.push(format!("byte {k} is {}", bytes[k]));
    }
    if random.once_in(3) {
        bytes.truncate(random.below(bytes.len()));
        said.push(format!("cut off at {}", bytes.len()));
    }
    (said, bytes)
}

/// Reads a mutant and goes through its graph.
pub fn read(
    log: &mut Log,
    number: u64,
    on_cpu: bool,
    read: impl FnOnce() -> Result<Graph, FrontendError>,
    case: impl FnOnce() -> String,
) {
    log.count("cases", 1);
    let go = || {
        let graph = check::guarded(|| read().map_err(|e| check::told(e.status(), &e.to_string(), None)))?;
        Ok(graphs::go_through(&graph, &mut Random(number), on_cpu))
    };
    tell(log, number, go(), case);
}

/// What a defect's text begins with, so that the same defect is told once.
fn shortened(saw: &str) -> String {
    let words: String = saw.chars().filter(|c| !c.is_ascii_digit()).collect();
    words.split_whitespace().take(12).collect::<Vec<_>>().join(" ")
}
