//! Fuzzers: random calls of operators, mutated texts, archives and models. A crash, a hang, an internal error, a message in Rust's
//! debug text, generated code that does not compile, results that differ, and memory touched outside of the operands are
//! findings, and fail the test with the case as text.
//!
//! `LITZ_FUZZ_SECONDS` is the budget of each (usually [`USUAL`]), `LITZ_FUZZ_SEED` the seed, which is printed;
//! `LITZ_FUZZ_CASE=N` goes through case N alone. `scripts/fuzz` runs all of them for an hour.

#[path = "../common/mod.rs"]
mod common;

mod archives;
mod calls;
mod check;
mod compilers;
mod fuzzer;
mod graphs;
mod known;
mod models;
mod operators;
mod recipes;
mod sizes;
mod texts;
mod watch;

use fuzzer::Kind;
use watch::Order;
#[cfg(debug_assertions)]
use watch::Plant;

/// Seconds of each fuzzer in a plain test run, at most.
const USUAL: u64 = 60;

/// Cases of a plain run: what a machine of two cores goes through in a quarter of a minute.
const OPERATORS: u64 = 500;
const TEXTS: u64 = 8000;
const ARCHIVES: u64 = 5000;
const MODELS: u64 = 2000;

fn asked(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

/// Goes through cases for the usual budget. A plain run ends at the case `most`, however fast the machine is, so that
/// it finds the same everywhere; what the others hold is for the script, which gives seconds and a seed.
fn fuzz(kind: Kind, most: u64) {
    let plain = asked("LITZ_FUZZ_SECONDS").is_none() && asked("LITZ_FUZZ_SEED").is_none();
    let most = if plain { most } else { u64::MAX };
    let seed = asked("LITZ_FUZZ_SEED").unwrap_or(1);
    let seconds = asked("LITZ_FUZZ_SECONDS").unwrap_or(USUAL);
    let only: Vec<u64> = asked("LITZ_FUZZ_CASE").into_iter().collect();
    let report = watch::run(&Order { kind, seed, seconds, most, only, plant: None });
    println!("{}: seed {seed}, {:?}, {} findings", kind.name(), report.counts, report.findings.len());
    assert!(
        report.findings.is_empty(),
        "seed {seed}: {} findings; LITZ_FUZZ_SEED={seed} LITZ_FUZZ_CASE=N goes through one again\n{}",
        report.findings.len(),
        report.text()
    );
}

/// What a fuzzer starts.
#[test]
#[ignore = "a fuzzer's own process"]
fn worker() {
    watch::work();
}

#[test]
fn operators_called_at_random() {
    fuzz(Kind::Operators, OPERATORS);
}

#[test]
fn texts_mutated() {
    fuzz(Kind::Texts, TEXTS);
}

#[test]
fn archives_mutated() {
    fuzz(Kind::Archives, ARCHIVES);
}

#[test]
fn models_mutated() {
    fuzz(Kind::Models, MODELS);
}

#[test]
fn compilers_take_every_dtype_of_an_operator() {
    compilers::are_there();
    fuzz(Kind::Compilers, u64::MAX);
}

/// A fuzzer finds a fault that is planted, and says what kind it is.
#[cfg(debug_assertions)]
fn finds(kind: Kind, name: &'static str, kinds: &'static [&'static str]) {
    let plant = Plant { name, kinds };
    let report = watch::run(&Order {
        kind,
        seed: 1,
        seconds: 300,
        most: u64::MAX,
        only: Vec::new(),
        plant: Some(plant),
    });
    let found = report.findings.iter().find(|f| plant.is_shown_by(&f.kind));
    let found = found.unwrap_or_else(|| panic!("{name} is not found: {:?}{}", report.counts, report.text()));
    assert!(!found.case.is_empty(), "{name} is found without its case: {found:?}");
}

/// Release builds have no faults to plant.
#[cfg(debug_assertions)]
#[test]
fn planted_faults_are_found() {
    finds(Kind::Operators, "wrong result", &["differs from the interpreter"]);
    finds(Kind::Operators, "outside", &["crash", "depends on what lies beside the inputs"]);
    finds(Kind::Texts, "death", &["crash"]);
    finds(Kind::Texts, "hang", &["hang"]);
    finds(Kind::Archives, "document", &["internal error"]);
    finds(Kind::Models, "tensor", &["internal error"]);
    finds(Kind::Compilers, "wrong source", &["does not compile"]);
}
