//! Mutated texts: words, numbers and signs that are changed, moved, left out or repeated, lines too, and texts that are cut off.
//! What can be read must come back from its own text, and compile and run like any graph.

use crate::calls;
use crate::check::{self, Answer};
use crate::common;
use crate::common::random::Random;
use crate::fuzzer::{self, Cases};
use crate::graphs;
use crate::watch::Log;
use litz::ir::text::print;
use litz::ops::OpId;
use litz::types::Dtype;

/// Archives whose graphs are texts to start from: small ones, with symbols, branches, writes and views.
const ARCHIVES: [&str; 10] = [
    "control_flow",
    "data_dependent_sizes",
    "derived_dimension",
    "guard_modulo",
    "guarded_branch",
    "mutations",
    "number_input",
    "stateful_mutation",
    "symbolic_arithmetic",
    "tied_views",
];

#[derive(Default)]
pub struct Texts {
    seed: u64,
    alone: bool,
    bases: Vec<String>,
}

fn bases() -> Vec<String> {
    let mut bases = Vec::new();
    let cases = common::root().join("tests/cases");
    let mut files: Vec<_> = std::fs::read_dir(&cases)
        .expect("the cases")
        .flatten()
        .flat_map(|folder| std::fs::read_dir(folder.path()).expect("a folder of cases").flatten())
        .map(|e| e.path())
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a case");
        bases.push(text.lines().filter(|l| !l.starts_with('#')).map(|l| format!("{l}\n")).collect());
    }
    for name in ARCHIVES {
        let path = common::root().join(format!("tests/data/{name}.pt2"));
        let graph = litz::frontend::from_pt2(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let text = print(&graph);
        if text.len() < 30_000 {
            bases.push(text);
        }
    }
    bases
}

/// Words, strings, numbers, signs and what is between them.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut in_string = false;
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '%');
    let mut last = ' ';
    for c in text.chars() {
        let joined = (word(c) && word(last) && c != '%') || in_string || (c == ' ' && last == ' ');
        match pieces.last_mut() {
            Some(piece) if joined => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
        if c == '"' {
            in_string = !in_string;
        }
        last = if c == '"' { '"' } else { c };
    }
    pieces
}

const NUMBERS: [&str; 30] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "-2",
    "7",
    "64",
    "65536",
    "9000",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967296",
    "-4294967296",
    "4611686018427387904",
    "-4611686018427387904",
    "9223372036854775806",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999",
    "0.5",
    "1e400",
    "nan",
    "inf",
    "-inf",
];
const SIGNS: [&str; 22] = [
    "(", ")", "[", "]", "{", "}", ",", "=", ":", "\"", "%", "-", "+", "*", "//", "==", "<", "#", "\n",
    "\u{0}", "\u{e9}", "\\",
];
const WORDS: [&str; 24] = [
    "None", "true", "false", "graph", "input", "output", "symbol", "number", "buffer", "guard", "write",
    "in", "hint", "strides", "offset", "base64", "views", "aliases", "min", "max", "select", "float", "bool",
    "s0",
];

fn mutate(pieces: &mut Vec<String>, other: &[String], random: &mut Random) {
    if pieces.is_empty() {
        return;
    }
    let at = random.below(pieces.len());
    let is_number = |p: &String| p.chars().next().is_some_and(|c| c.is_ascii_digit());
    match random.below(18) {
        0..=4 | 16 | 17 => {
            // A number.
            let numbers: Vec<usize> = (0..pieces.len()).filter(|k| is_number(&pieces[*k])).collect();
            if !numbers.is_empty() {
                let at = random.of(&numbers);
                pieces[at] = random.of(&NUMBERS).into();
            }
        }
        5 | 6 => {
            // A word by one of its kind.
            let words: Vec<usize> =
                (0..pieces.len()).filter(|k| pieces[*k].starts_with(|c: char| c.is_alphabetic())).collect();
            if !words.is_empty() {
                let at = random.of(&words);
                pieces[at] = match &pieces[at] {
                    w if w.contains('.') => random.of(OpId::all()).name().into(),
                    w if Dtype::from_name(w).is_some() => random.of(&Dtype::ALL).name().into(),
                    _ => random.of(&WORDS).into(),
                };
            }
        }
        7 => {
            // Another value.
            let values: Vec<usize> = (0..pieces.len()).filter(|k| pieces[*k].starts_with('%')).collect();
            if values.len() > 1 {
                pieces[random.of(&values)] = pieces[random.of(&values)].clone();
            }
        }
        8 => drop(pieces.remove(at)),
        9 => pieces.insert(at, pieces[at].clone()),
        10 => {
            let second = random.below(pieces.len());
            pieces.swap(at, second);
        }
        11 => pieces.insert(at, random.of(&SIGNS).into()),
        12 => pieces[at] = random.of(&SIGNS).into(),
        13 => {
            // A line, or more, of this text or another elsewhere.
            let from: Vec<String> = if random.once_in(2) { other.to_vec() } else { pieces.clone() };
            let begin = random.below(from.len().max(1));
            let line: Vec<String> = from
                .iter()
                .skip(begin)
                .skip_while(|p| *p != "\n")
                .skip(1)
                .take_while(|p| *p != "\n")
                .cloned()
                .collect();
            let to = (at..pieces.len()).find(|k| pieces[*k] == "\n").map_or(pieces.len(), |k| k + 1);
            pieces.splice(to..to, line.into_iter().chain(["\n".to_string()]));
        }
        14 => {
            // Without a line.
            let from = (0..at).rev().find(|k| pieces[*k] == "\n").map_or(0, |k| k + 1);
            let to = (at..pieces.len()).find(|k| pieces[*k] == "\n").unwrap_or(pieces.len());
            pieces.drain(from..to);
        }
        _ => {
            if random.once_in(4) {
                pieces.truncate(at);
            } else {
                // A long run of one piece.
                let again = vec![pieces[at].clone(); random.of(&[50, 500, 3000])];
                pieces.splice(at..at, again);
            }
        }
    }
}

impl Texts {
    fn text(&self, seed: u64, number: u64) -> String {
        let mut random = Random(Random(seed).next() ^ number);
        let base = |random: &mut Random| match random.below(3) {
            0 => random.of(&self.bases),
            _ => {
                let number = random.next();
                calls::call(seed, number).text()
            }
        };
        let mut pieces = pieces(&base(&mut random));
        let other = self::pieces(&base(&mut random));
        for _ in 0..random.within(1, 5) {
            mutate(&mut pieces, &other, &mut random);
        }
        pieces.concat()
    }
}

impl Cases for Texts {
    fn begin(&mut self, seed: u64, alone: bool) {
        (self.seed, self.alone, self.bases) = (seed, alone, bases());
    }

    fn case(&mut self, number: u64, log: &mut Log) {
        log.count("cases", 1);
        let text = self.text(self.seed, number);
        let mut random = Random(number);
        let mut go = || {
            let graph = check::read(&text)?;
            let again = print(&graph);
            match check::read(&again) {
                Ok(same) if print(&same) == again => {}
                Ok(_) => return Err(check::defect("does not come back from its own text", again)),
                Err(Answer::Refused(how)) => {
                    return Err(check::defect(
                        "does not come back from its own text",
                        format!("{how}\n{again}"),
                    ));
                }
                Err(answer) => return Err(answer),
            }
            let on_cpu = self.alone || number.is_multiple_of(60);
            Ok(graphs::go_through(&graph, &mut random, on_cpu))
        };
        fuzzer::tell(log, number, go(), || text.clone());
    }

    fn described(&mut self, seed: u64, number: u64) -> (String, String) {
        self.begin(seed, true);
        (String::new(), self.text(seed, number))
    }
}
