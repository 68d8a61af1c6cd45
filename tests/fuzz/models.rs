//! Mutated `.onnx` models: fields whose bytes are changed, left out, repeated or swapped, names that are exchanged, damaged
//! bytes. What can be read must compile and run like any graph.

use crate::common;
use crate::common::random::Random;
use crate::fuzzer::{self, Cases};
use crate::watch::Log;

#[derive(Default)]
pub struct Models {
    seed: u64,
    alone: bool,
    bases: Vec<(String, Vec<u8>)>,
}

fn bases() -> Vec<(String, Vec<u8>)> {
    let folder = common::root().join("tests/data/onnx");
    let files = std::fs::read_dir(folder).expect("the models").flatten().map(|e| e.path());
    let mut files: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "onnx")).collect();
    files.sort();
    let name = |p: &std::path::PathBuf| p.file_name().expect("a name").to_string_lossy().into_owned();
    files.iter().map(|p| (name(p), std::fs::read(p).expect("a model"))).collect()
}

/// A field of a message.
#[derive(Clone)]
struct Field {
    key: u64,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Number(u64),
    Word([u8; 4]),
    Long([u8; 8]),
    Bytes(Vec<u8>),
    Message(Vec<Field>),
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 127) << shift;
        if *first < 128 {
            return Some(value);
        }
    }
    None
}

/// The fields of a message, or `None` where the bytes are none. Bytes inside that read as a message are one, unless all of them
/// are printable.
fn fields(mut bytes: &[u8], depth: usize) -> Option<Vec<Field>> {
    let mut list = Vec::new();
    while !bytes.is_empty() {
        let key = number(&mut bytes)?;
        let content = match key & 7 {
            0 => Content::Number(number(&mut bytes)?),
            1 => Content::Long(take(&mut bytes, 8)?.try_into().ok()?),
            5 => Content::Word(take(&mut bytes, 4)?.try_into().ok()?),
            2 => {
                let length = usize::try_from(number(&mut bytes)?).ok()?;
                let inner = take(&mut bytes, length)?;
                let is_text = inner.iter().all(|b| (32..127).contains(b));
                match fields(inner, depth + 1).filter(|f| depth < 8 && !is_text && !f.is_empty()) {
                    Some(fields) => Content::Message(fields),
                    None => Content::Bytes(inner.to_vec()),
                }
            }
            _ => return None,
        };
        if key >> 3 == 0 || key >> 3 > 64 {
            return None;
        }
        list.push(Field { key, content });
    }
    Some(list)
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (first, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(first)
}

fn put(mut value: u64, out: &mut Vec<u8>) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

fn written(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for field in fields {
        put(field.key, &mut out);
        match &field.content {
            Content::Number(value) => put(*value, &mut out),
            Content::Word(bytes) => out.extend(bytes),
            Content::Long(bytes) => out.extend(bytes),
            Content::Bytes(bytes) => {
                put(bytes.len() as u64, &mut out);
                out.extend(bytes);
            }
            Content::Message(inner) => {
                let inner = written(inner);
                put(inner.len() as u64, &mut out);
                out.extend(inner);
            }
        }
    }
    out
}

/// All fields, those inside of others too.
fn count(fields: &[Field]) -> usize {
    fields.iter().map(|f| 1 + if let Content::Message(inner) = &f.content { count(inner) } else { 0 }).sum()
}

/// The message that has the field of a number, and its place there.
fn at(fields: &mut Vec<Field>, mut index: usize) -> Option<(&mut Vec<Field>, usize)> {
    for k in 0..fields.len() {
        if index == 0 {
            return Some((fields, k));
        }
        index -= 1;
        let inside = if let Content::Message(inner) = &fields[k].content { count(inner) } else { 0 };
        if index < inside {
            return match &mut fields[k].content {
                Content::Message(inner) => at(inner, index),
                _ => None,
            };
        }
        index -= inside;
    }
    None
}

impl Models {
    /// The base's name, what was changed, and the mutant.
    fn mutant(&self, seed: u64, case: u64) -> (String, Vec<String>, Vec<u8>) {
        let mut random = Random(Random(seed).next() ^ case);
        let random = &mut random;
        let (name, bytes) = &self.bases[random.below(self.bases.len())];
        if random.once_in(6) {
            let (said, bytes) = fuzzer::damaged(bytes, random);
            return (name.clone(), said, bytes);
        }
        let (mut model, mut said) = (fields(bytes, 0).expect("a model"), Vec::new());
        let (_, other) = &self.bases[random.below(self.bases.len())];
        let mut other = fields(other, 0).expect("a model");
        for _ in 0..random.within(1, 4) {
            let (total, chosen) = (count(&model), random.below(count(&other)));
            if total == 0 {
                break;
            }
            let foreign = at(&mut other, chosen).map(|(list, k)| list[k].content.clone());
            let chosen = random.below(total);
            let Some((list, k)) = at(&mut model, chosen) else { continue };
            said.push(format!("field {chosen} (key {})", list[k].key));
            match (random.below(8), &mut list[k].content) {
                (0, _) => {
                    list.remove(k);
                }
                (1, _) => {
                    let twice = list[k].clone();
                    list.push(twice);
                }
                (2, _) => {
                    let with = random.below(list.len());
                    list.swap(k, with);
                }
                (3, content) => {
                    if let Some(foreign) =
                        foreign.filter(|f| std::mem::discriminant(f) == std::mem::discriminant(content))
                    {
                        *content = foreign;
                    }
                }
                (_, Content::Number(value)) => {
                    *value = random.of(&[
                        0,
                        1,
                        2,
                        3,
                        7,
                        16,
                        28,
                        1 << 20,
                        1 << 40,
                        u64::MAX,
                        u64::MAX - 1,
                        i64::MAX as u64,
                        value.wrapping_add(1),
                    ]);
                }
                (_, Content::Word(word)) => {
                    *word = random.of(&[[0; 4], [0, 0, 192, 127], [0, 0, 128, 127], [0, 0, 128, 191]])
                }
                (_, Content::Long(long)) => *long = random.of(&[[0; 8], [255; 8]]),
                (4, Content::Bytes(bytes)) => bytes.truncate(random.below(bytes.len() + 1)),
                (5, Content::Bytes(bytes)) => bytes.push(b'x'),
                (_, Content::Bytes(bytes)) if !bytes.is_empty() => {
                    let k = random.below(bytes.len());
                    bytes[k] = random.of(&[0, 1, 0xff, 0x7f, 0x80, bytes[k] ^ 1]);
                }
                _ => {}
            }
        }
        (name.clone(), said, written(&model))
    }
}

impl Cases for Models {
    fn begin(&mut self, seed: u64, alone: bool) {
        (self.seed, self.alone, self.bases) = (seed, alone, bases());
    }

    fn case(&mut self, number: u64, log: &mut Log) {
        let (name, said, bytes) = self.mutant(self.seed, number);
        let on_cpu = self.alone || number.is_multiple_of(200);
        let read = || litz::frontend::from_onnx_bytes(bytes, None);
        fuzzer::read(log, number, on_cpu, read, || format!("{name}: {}\n", said.join("; ")));
    }

    fn described(&mut self, seed: u64, number: u64) -> (String, String) {
        self.begin(seed, true);
        let (name, said, bytes) = self.mutant(seed, number);
        let place = std::env::temp_dir().join(format!("litz-fuzz-{seed}-{number}.onnx"));
        let kept =
            std::fs::write(&place, bytes).map_or_else(|e| e.to_string(), |()| place.display().to_string());
        (name.clone(), format!("{name}: {}\nthe model: {kept}\n", said.join("; ")))
    }
}
