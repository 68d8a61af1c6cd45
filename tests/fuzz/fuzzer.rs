//! What the fuzzers have in common.

use crate::archives::Archives;
use crate::compilers::Compilers;
use crate::operators::Operators;
use crate::texts::Texts;
use crate::watch::Log;

/// One of the fuzzers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Operators,
    Texts,
    Archives,
    Compilers,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Operators, Kind::Texts, Kind::Archives, Kind::Compilers];
    pub fn name(self) -> &'static str {
        match self {
            Kind::Operators => "operators",
            Kind::Texts => "texts",
            Kind::Archives => "archives",
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
        Kind::Compilers => Box::new(Compilers::default()),
    }
}
