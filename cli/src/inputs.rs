//! What a run is given: tensors of files by name or in order, and made up by the signature.

use crate::args::Inputs;
use crate::expression::evaluate;
use crate::failure::Failure;
use crate::files;
use litz_api::{Dtype, Executable, Info, Tensor};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The size that a symbol is given where nothing else says it.
const USUAL_SIZE: i64 = 8;

/// A name in a file, or none, and the tensor.
type Named = (Option<String>, Tensor);

pub fn inputs(given: &Inputs, program: &Executable) -> Result<Vec<Tensor>, Failure> {
    let spec: Value = serde_json::from_str(&program.spec()?).unwrap_or_default();
    let leaves = leaves(&spec["inputs"]);
    let mut slots: Vec<Option<Tensor>> = program.inputs().iter().map(|_| None).collect();
    for text in &given.input {
        for (name, tensor) in named(text, &given.prefix)? {
            let place = match &name {
                Some(name) => match place(name, "in", program.inputs(), &leaves) {
                    Some(k) => k,
                    None => continue,
                },
                None => slots.iter().position(Option::is_none).ok_or_else(|| {
                    Failure::Input(format!(
                        "{}: the program takes {} inputs, all of which are given",
                        text.display(),
                        slots.len()
                    ))
                })?,
            };
            if slots[place].replace(tensor).is_some() {
                let name = &program.inputs()[place].name;
                return Err(Failure::Input(format!(
                    "{}: the input `{name}` is given already",
                    text.display()
                )));
            }
        }
    }
    let random = given.random.or(given.input.is_empty().then_some(0));
    let missing: Vec<&str> = slots
        .iter()
        .zip(program.inputs())
        .filter(|(s, _)| s.is_none())
        .map(|(_, i)| i.name.as_str())
        .collect();
    if random.is_none() && !missing.is_empty() {
        let names = missing.join("`, `");
        return Err(Failure::Input(format!(
            "the files have no input `{names}`; --random SEED makes up what is missing"
        )));
    }
    let maker = if missing.is_empty() { None } else { Some(Maker::new(given, program, &leaves)?) };
    slots
        .into_iter()
        .enumerate()
        .map(|(k, slot)| match (slot, &maker) {
            (Some(tensor), _) => Ok(tensor),
            (None, Some(maker)) => {
                let seed = random.unwrap_or(0).wrapping_mul(0x9e37_79b9).wrapping_add(k as u64);
                maker.make(&program.inputs()[k], leaves.get(k).copied(), seed)
            }
            (None, None) => unreachable!("nothing is missing"),
        })
        .collect()
}

/// The leaves of a signature that are inputs, or outputs, in order.
pub fn leaves(list: &Value) -> Vec<&Value> {
    let is_tensor = |leaf: &&Value| matches!(leaf["kind"].as_str(), Some("tensor" | "scalar"));
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter(is_tensor).collect()
}

/// The tensors of one word of the command line.
fn named(text: &OsStr, prefix: &str) -> Result<Vec<Named>, Failure> {
    let bytes = text.as_bytes();
    if let Some(at) = bytes.iter().position(|b| *b == b'=').filter(|_| bytes.ends_with(b".npy")) {
        let name = String::from_utf8_lossy(&bytes[..at]);
        let tensors = files::read(Path::new(OsStr::from_bytes(&bytes[at + 1..])))?;
        return Ok(tensors.into_iter().map(|(_, t)| (Some(name.to_string()), t)).collect());
    }
    let mut tensors = files::read(Path::new(text))?;
    tensors.retain_mut(|(name, _)| match name {
        None => true,
        Some(full) => match full.strip_prefix(prefix) {
            Some(rest) => {
                *full = rest.to_string();
                true
            }
            None => false,
        },
    });
    Ok(tensors)
}

/// The input or output that a name in a file means: its own name, its path, or its number behind `in` or `out`.
pub fn place(name: &str, word: &str, infos: &[Info], leaves: &[&Value]) -> Option<usize> {
    let by_name = infos.iter().position(|i| i.name == name);
    let by_path = || leaves.iter().position(|l| l["path"].as_str() == Some(name));
    let by_number = || {
        let digits = [word, &format!("{word}put"), "arr_"]
            .iter()
            .find_map(|w| name.strip_prefix(w).map(str::to_string))?;
        digits.parse().ok().filter(|k| *k < infos.len())
    };
    by_name.or_else(by_path).or_else(by_number)
}

/// Makes up tensors: floats about 0 with a spread of 1, and whole numbers of a range.
struct Maker {
    symbols: BTreeMap<String, i64>,
    least: i64,
    largest: i64,
}

impl Maker {
    fn new(given: &Inputs, program: &Executable, leaves: &[&Value]) -> Result<Maker, Failure> {
        let about: Value = serde_json::from_str(&program.describe()?).unwrap_or_default();
        let mut symbols = BTreeMap::new();
        for symbol in about["symbols"].as_array().into_iter().flatten() {
            let (min, max) =
                (symbol["min"].as_i64().unwrap_or(0), symbol["max"].as_i64().unwrap_or(i64::MAX));
            let name = symbol["name"].as_str().unwrap_or_default().to_string();
            symbols.insert(name, USUAL_SIZE.clamp(min, max.max(min)));
        }
        // So are numbers that are inputs, by their own names.
        for (info, leaf) in program.inputs().iter().zip(leaves) {
            if leaf["kind"] == "scalar" && info.dtype == Dtype::Int64 {
                symbols.insert(info.name.clone(), USUAL_SIZE);
            }
        }
        for text in &given.sizes {
            let usage = || Failure::Usage(format!("--size takes SYMBOL=SIZE, and this is `{text}`"));
            let (name, size) = text.split_once('=').ok_or_else(usage)?;
            let size: i64 = size.parse().map_err(|_| usage())?;
            let known = symbols.keys().cloned().collect::<Vec<_>>().join(", ");
            let slot = symbols.get_mut(name).ok_or_else(|| {
                Failure::Usage(format!(
                    "the program has no symbol `{name}`; it has {}",
                    if known.is_empty() { "none" } else { &known }
                ))
            })?;
            *slot = size;
        }
        let usage =
            || Failure::Usage(format!("--integers takes LEAST:LARGEST, and this is `{}`", given.integers));
        let (least, largest) = given.integers.split_once(':').ok_or_else(usage)?;
        let (least, largest) = (least.parse().map_err(|_| usage())?, largest.parse().map_err(|_| usage())?);
        if least > largest {
            return Err(usage());
        }
        Ok(Maker { symbols, least, largest })
    }

    fn make(&self, info: &Info, leaf: Option<&Value>, seed: u64) -> Result<Tensor, Failure> {
        let is_number = leaf.is_some_and(|l| l["kind"] == "scalar");
        if let (true, Some(value), Dtype::Int64) = (is_number, self.symbols.get(&info.name), info.dtype) {
            return Ok(Tensor::from_slice(&[], &[*value])?);
        }
        let sizes = leaf.and_then(|l| l["shape"].as_array());
        let size = |k: usize| -> Result<i64, Failure> {
            let (min, max) = (info.min_shape[k], info.max_shape[k]);
            match sizes.and_then(|s| s.get(k)) {
                _ if min == max => Ok(min),
                Some(Value::String(text)) => {
                    let place = format!("input `{}`, dimension {k}, `{text}`", info.name);
                    let size = evaluate(text, &self.symbols)
                        .map_err(|e| Failure::Input(format!("{place}: {e}; give the input in a file")))?;
                    let most = if max < 0 { i64::MAX } else { max };
                    if size < min || size > most {
                        let range =
                            if max < 0 { format!("at least {min}") } else { format!("{min} to {max}") };
                        return Err(Failure::Input(format!("{place} is {size}; the program takes {range}")));
                    }
                    Ok(size)
                }
                _ => Ok(USUAL_SIZE.clamp(min, if max < 0 { i64::MAX } else { max })),
            }
        };
        let shape = (0..info.min_shape.len()).map(size).collect::<Result<Vec<_>, _>>()?;
        let mut tensor = Tensor::zeros(info.dtype, &shape)?;
        let mut source = Source(seed);
        let span = (self.largest as i128 - self.least as i128 + 1) as u128;
        let whole =
            |source: &mut Source| (self.least as i128 + (u128::from(source.word()) % span) as i128) as i64;
        let wide = info.dtype.size();
        for place in tensor.bytes_mut().expect("a tensor made here").chunks_exact_mut(wide) {
            match info.dtype {
                Dtype::Float64 => place.copy_from_slice(&source.normal().to_le_bytes()),
                Dtype::Float32 => place.copy_from_slice(&(source.normal() as f32).to_le_bytes()),
                Dtype::Float16 => place.copy_from_slice(&half::f16::from_f64(source.normal()).to_le_bytes()),
                Dtype::Bfloat16 => {
                    place.copy_from_slice(&half::bf16::from_f64(source.normal()).to_le_bytes())
                }
                Dtype::Complex64 => {
                    let (re, im) = place.split_at_mut(4);
                    re.copy_from_slice(&(source.normal() as f32).to_le_bytes());
                    im.copy_from_slice(&(source.normal() as f32).to_le_bytes());
                }
                Dtype::Complex128 => {
                    let (re, im) = place.split_at_mut(8);
                    re.copy_from_slice(&source.normal().to_le_bytes());
                    im.copy_from_slice(&source.normal().to_le_bytes());
                }
                Dtype::Bool => place[0] = (source.word() >> 63) as u8,
                Dtype::Float8E4m3fn | Dtype::Float8E5m2 | Dtype::Float8E4m3fnuz | Dtype::Float8E5m2fnuz => {
                    // Small numbers of either sign; no pattern of these is a NaN.
                    place[0] = (source.word() >> 56) as u8 & 0xbf;
                }
                _ => place.copy_from_slice(&whole(&mut source).to_le_bytes()[..wide]),
            }
        }
        Ok(tensor)
    }
}

/// Random words: SplitMix64.
struct Source(u64);

impl Source {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn unit(&mut self) -> f64 {
        ((self.word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
    /// Normally distributed, by Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}
