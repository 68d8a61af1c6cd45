//! Mutated `.pt2` archives: documents whose values are changed, moved or left out, entries that are, and damaged bytes.
//! What can be read must compile and run like any graph.

use crate::common;
use crate::common::random::Random;
use crate::fuzzer::{self, Cases};
use crate::watch::Log;
use serde_json::{Value, json};
use std::io::{Cursor, Read, Write};
use zip::read::{ArchiveOffset, Config};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Larger archives have nothing that the small ones lack.
const LARGEST: usize = 64 << 10;

struct Archive {
    name: String,
    bytes: Vec<u8>,
    entries: Vec<(String, Vec<u8>)>,
}

#[derive(Default)]
pub struct Archives {
    seed: u64,
    alone: bool,
    bases: Vec<Archive>,
}

fn bases() -> Vec<Archive> {
    let folder = common::root().join("tests/data");
    let files = std::fs::read_dir(folder).expect("the data").flatten().map(|e| e.path());
    let mut files: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "pt2")).collect();
    files.sort();
    let one = |path: &std::path::PathBuf| {
        let bytes = std::fs::read(path).expect("an archive");
        if bytes.len() > LARGEST {
            return None;
        }
        // An archive holds its sample inputs as an archive, which the crate's guess of where it begins may take for it.
        let config = Config { archive_offset: ArchiveOffset::Known(0) };
        let mut zip = ZipArchive::with_config(config, Cursor::new(&bytes)).expect("an archive");
        let mut entries = Vec::new();
        for k in 0..zip.len() {
            let mut entry = zip.by_index(k).expect("an entry");
            let mut data = Vec::new();
            entry.read_to_end(&mut data).expect("an entry's data");
            entries.push((entry.name().expect("a name").into_owned(), data));
        }
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        Some(Archive { name, bytes, entries })
    };
    files.iter().filter_map(one).collect()
}

fn pack(entries: &[(String, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, data) in entries {
        let options = SimpleFileOptions::default().compression_method(method);
        // A name that is there already cannot be written again.
        if zip.start_file(name.as_str(), options).is_ok() {
            zip.write_all(data).expect("memory takes it");
        }
    }
    zip.finish().expect("memory takes it").into_inner()
}

/// How many values a document has, itself counted.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(items) => items.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// The value of a number, in the order in which [`count`] goes.
fn at(value: &mut Value, number: usize) -> &mut Value {
    if number == 0 {
        return value;
    }
    let mut left = number - 1;
    let inner: Box<dyn Iterator<Item = &mut Value>> = match value {
        Value::Array(items) => Box::new(items.iter_mut()),
        Value::Object(items) => Box::new(items.values_mut()),
        _ => unreachable!("a number below the count"),
    };
    for item in inner {
        let n = count(item);
        if left < n {
            return at(item, left);
        }
        left -= n;
    }
    unreachable!("a number below the count")
}

fn mutate(document: &mut Value, random: &mut Random) {
    let total = count(document);
    // Mostly a leaf or what is near one: what is around them all would change all.
    let mut number = random.below(total);
    for _ in 0..4 {
        if matches!(at(document, number), Value::Object(_) | Value::Array(_)) && !random.once_in(4) {
            number = random.below(total);
        }
    }
    let elsewhere = at(document, random.below(total)).clone();
    let value = at(document, number);
    let numbers = [
        json!(0),
        json!(1),
        json!(-1),
        json!(2),
        json!(3),
        json!(7),
        json!(13),
        json!(9_000),
        json!(1u64 << 31),
        json!(1u64 << 62),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(0.5),
        json!(1e300),
    ];
    *value = match (value.take(), random.below(8)) {
        (_, 0) => elsewhere,
        (Value::Number(_), 1..=6) => random.of(&numbers),
        (Value::Bool(b), 1..=4) => Value::Bool(!b),
        (Value::String(s), 1..=2) => json!(s + "x"),
        (Value::String(_), 3) => {
            json!(random.of(&["", "s0", "NaN", "Infinity", "torch.ops.aten.relu.default", "x"]))
        }
        (Value::String(s), 4) => json!(s.chars().rev().collect::<String>()),
        (Value::Array(mut items), 1..=3) if !items.is_empty() => {
            let k = random.below(items.len());
            items.remove(k);
            Value::Array(items)
        }
        (Value::Array(mut items), 4 | 5) if !items.is_empty() => {
            let k = random.below(items.len());
            items.push(items[k].clone());
            Value::Array(items)
        }
        (Value::Array(mut items), 6) if items.len() > 1 => {
            let (a, b) = (random.below(items.len()), random.below(items.len()));
            items.swap(a, b);
            Value::Array(items)
        }
        (Value::Object(mut items), 1..=4) if !items.is_empty() => {
            let key = items.keys().nth(random.below(items.len())).cloned().expect("it is not empty");
            items.shift_remove(&key);
            Value::Object(items)
        }
        (_, 7) => Value::Null,
        (other, _) => match random.below(6) {
            0 => json!({}),
            1 => json!([]),
            2 => json!(""),
            3 => json!(random.of(&[true, false])),
            4 => random.of(&numbers),
            _ => other,
        },
    };
}

impl Archives {
    /// The base's name, what was changed, and the mutant.
    fn mutant(&self, seed: u64, number: u64) -> (String, Vec<String>, Vec<u8>) {
        let mut random = Random(Random(seed).next() ^ number);
        let random = &mut random;
        let base = &self.bases[random.below(self.bases.len())];
        if random.once_in(8) {
            let (said, bytes) = fuzzer::damaged(&base.bytes, random);
            return (base.name.clone(), said, bytes);
        }
        let (mut entries, mut said) = (base.entries.clone(), Vec::new());
        for _ in 0..random.within(1, 4) {
            let k = random.below(entries.len());
            let documents: Vec<usize> =
                (0..entries.len()).filter(|k| entries[*k].0.ends_with(".json")).collect();
            match random.below(12) {
                0 => said.push(format!("without {}", entries.remove(k).0)),
                1 => {
                    entries[k].0.push('x');
                    said.push(format!("renamed to {}", entries[k].0));
                }
                2 => {
                    let length = random.below(entries[k].1.len() + 9);
                    entries[k].1.resize(length, 0);
                    said.push(format!("{} of {length} bytes", entries[k].0));
                }
                3 => {
                    let from = random.below(entries.len());
                    entries[k].1 = entries[from].1.clone();
                    said.push(format!("{} with the data of {}", entries[k].0, entries[from].0));
                }
                _ if !documents.is_empty() => {
                    let (name, data) = &mut entries[random.of(&documents)];
                    if let Ok(mut document) = serde_json::from_slice::<Value>(data) {
                        let before = document.clone();
                        mutate(&mut document, random);
                        said.extend(changed("", &before, &document).map(|how| format!("{name}: {how}")));
                        *data = document.to_string().into_bytes();
                    }
                }
                _ => {}
            }
            if entries.is_empty() {
                break;
            }
        }
        let method = random.of(&[CompressionMethod::Stored, CompressionMethod::Deflated]);
        (base.name.clone(), said, pack(&entries, method))
    }
}

/// Where two documents begin to differ, in words.
fn changed(path: &str, before: &Value, after: &Value) -> Option<String> {
    match (before, after) {
        (a, b) if a == b => None,
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(k, (a, b))| changed(&format!("{path}/{k}"), a, b))
        }
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            a.iter().find_map(|(k, v)| changed(&format!("{path}/{k}"), v, b.get(k)?))
        }
        (a, b) => {
            let short = |v: &Value| v.to_string().chars().take(300).collect::<String>();
            Some(format!("{path}: {} instead of {}", short(b), short(a)))
        }
    }
}

impl Cases for Archives {
    fn begin(&mut self, seed: u64, alone: bool) {
        (self.seed, self.alone, self.bases) = (seed, alone, bases());
    }

    fn case(&mut self, number: u64, log: &mut Log) {
        let (name, said, bytes) = self.mutant(self.seed, number);
        let on_cpu = self.alone || number.is_multiple_of(60);
        let read = || litz::frontend::from_pt2_bytes(bytes);
        fuzzer::read(log, number, on_cpu, read, || format!("{name}: {}\n", said.join("; ")));
    }

    fn described(&mut self, seed: u64, number: u64) -> (String, String) {
        self.begin(seed, true);
        let (name, said, _) = self.mutant(seed, number);
        (name.clone(), format!("{name}: {}\n", said.join("; ")))
    }
}
