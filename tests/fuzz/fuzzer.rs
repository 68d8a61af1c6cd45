//! What the fuzzers have in common.

use crate::archives::Archives;
use crate::check::Answer;
use crate::compilers::Compilers;
use crate::models::Models;
use crate::operators::Operators;
use crate::texts::Texts;
use crate::watch::{Finding, Log};

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

/// What a defect's text begins with, so that the same defect is told once.
fn shortened(saw: &str) -> String {
    let words: String = saw.chars().filter(|c| !c.is_ascii_digit()).collect();
    words.split_whitespace().take(12).collect::<Vec<_>>().join(" ")
}
