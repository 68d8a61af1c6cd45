//! The call of a host's operator in a plan: which operator, the types of its tensors, and its other arguments.
//!
//! A call is a list of words, the same in every process, and a list of numbers that may depend on a run: sizes, and arguments
//! that are numbers. Words say by index which numbers they mean.
//!
//! Words: [`HEADER`] of them; for each tensor that the operator takes, then for each result, [`TENSOR`]; for each argument [`ARGUMENT`];
//! then names, strings and lists. A string is its length in bytes and then its bytes.
//!
//! The operands of the step are the tensors, the results, and the new contents of each tensor that the operator writes, which
//! the executor copies there before the call.
//!
//! Deliberately absent: the function that is called, which a program finds by the operator's name.

use std::ffi::c_void;

/// Where the name is; how many tensors, results and arguments there are; how many tensors are written.
const HEADER: usize = 5;
/// The dtype, the number of dimensions, which number is the first size, and 1 + the place among the tensors that are written.
const TENSOR: usize = 4;
/// Where the name is, the kind, how many elements a list has, and the number or the place of what there is.
const ARGUMENT: usize = 4;

/// What an argument is, by the numbers of the C ABI (`LITZ_ARG_…`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum HostKind {
    None = 0,
    Tensor = 1,
    Int = 2,
    Float = 3,
    Bool = 4,
    Ints = 5,
    Tensors = 6,
    Floats = 7,
    String = 8,
    Dtype = 9,
    Bools = 12,
    Device = 13,
    MemoryFormat = 14,
    Layout = 15,
}

impl HostKind {
    pub const ALL: [HostKind; 14] = [
        HostKind::None,
        HostKind::Tensor,
        HostKind::Int,
        HostKind::Float,
        HostKind::Bool,
        HostKind::Ints,
        HostKind::Tensors,
        HostKind::Floats,
        HostKind::String,
        HostKind::Dtype,
        HostKind::Device,
        HostKind::MemoryFormat,
        HostKind::Layout,
        HostKind::Bools,
    ];
}

/// Source of a host's takes tensors of no more dimensions.
pub const MOST_SOURCE_DIMENSIONS: usize = 8;

/// A call whose numbers are each a `T`.
#[derive(Clone, Debug, PartialEq)]
pub struct HostCall<T> {
    pub words: Vec<u32>,
    pub values: Vec<T>,
}

/// A tensor's type.
pub struct HostTensor<T> {
    pub dtype: i32,
    pub sizes: Vec<T>,
    pub written: bool,
}

/// An argument that is no tensor itself; tensors are given by their places among the call's.
pub enum HostArgument<T> {
    None,
    Tensor(u32),
    Tensors(Vec<Option<u32>>),
    Number(HostKind, T),
    Numbers(HostKind, Vec<T>),
    String(String),
}

impl<T> HostCall<T> {
    pub fn new(
        name: &str,
        tensors: Vec<HostTensor<T>>,
        results: Vec<HostTensor<T>>,
        arguments: Vec<(String, HostArgument<T>)>,
    ) -> HostCall<T> {
        let counts = [tensors.len(), results.len(), arguments.len(), 0].map(|n| n as u32);
        let mut call = HostCall { words: vec![0], values: Vec::new() };
        call.words.extend(counts);
        for tensor in tensors.into_iter().chain(results) {
            let first = call.values.len() as u32;
            let copy = if tensor.written {
                call.words[4] += 1;
                call.words[4]
            } else {
                0
            };
            call.words.extend([tensor.dtype as u32, tensor.sizes.len() as u32, first, copy]);
            call.values.extend(tensor.sizes);
        }
        let mut place = call.words.len();
        call.words.resize(place + ARGUMENT * arguments.len(), 0);
        call.words[0] = call.string(name);
        for (name, argument) in arguments {
            let name = call.string(&name);
            let (kind, n, at) = call.argument(argument);
            call.words[place..place + ARGUMENT].copy_from_slice(&[name, kind as u32, n, at]);
            place += ARGUMENT;
        }
        call
    }

    fn argument(&mut self, argument: HostArgument<T>) -> (HostKind, u32, u32) {
        let (next, first) = (self.words.len() as u32, self.values.len() as u32);
        match argument {
            HostArgument::None => (HostKind::None, 0, 0),
            HostArgument::Tensor(place) => (HostKind::Tensor, 0, place),
            HostArgument::Tensors(list) => {
                self.words.extend(list.iter().map(|place| place.map_or(0, |place| place + 1)));
                (HostKind::Tensors, list.len() as u32, next)
            }
            HostArgument::Number(kind, value) => {
                self.values.push(value);
                (kind, 0, first)
            }
            HostArgument::Numbers(kind, values) => {
                let n = values.len() as u32;
                self.values.extend(values);
                (kind, n, first)
            }
            HostArgument::String(text) => {
                let at = self.string(&text);
                (HostKind::String, 0, at)
            }
        }
    }

    fn string(&mut self, text: &str) -> u32 {
        let at = self.words.len() as u32;
        self.words.push(text.len() as u32);
        for chunk in text.as_bytes().chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            self.words.push(u32::from_le_bytes(word));
        }
        at
    }

    /// The operator's name; `None`: the words are no call.
    pub fn name(&self) -> Option<String> {
        string_at(&self.words, *self.words.first()?)
    }
    /// The operands that it reads alone, and those that it writes, which follow them.
    pub fn operand_counts(&self) -> (usize, usize) {
        let count = |k: usize| self.words.get(k).map_or(0, |n| *n as usize);
        (count(1), count(2).saturating_add(count(4)))
    }
    /// The operands that are written in copies: which, and which operand the copy is.
    pub fn copies(&self) -> Vec<(usize, usize)> {
        let count = |k: usize| self.words.get(k).map_or(0, |n| *n as usize);
        let first = count(1) + count(2);
        let copy = |k: usize| self.words.get(HEADER + k * TENSOR + 3).copied().unwrap_or(0) as usize;
        (0..count(1)).filter(|k| copy(*k) > 0).map(|k| (k, first + copy(k) - 1)).collect()
    }
    /// The dtypes and sizes of its operands. `None`: the words are no call.
    pub fn operand_types(&self) -> Option<Vec<(i32, &[T])>> {
        let count = |k: usize| self.words.get(k).map(|n| *n as usize);
        let (tensors, results, copies) = (count(1)?, count(2)?, count(4)?);
        let mut types = Vec::new();
        let mut of_copies = vec![None; copies];
        for k in 0..tensors.checked_add(results)? {
            let row = self.words.get(HEADER + k * TENSOR..HEADER + (k + 1) * TENSOR)?;
            let sizes = self.values.get(row[2] as usize..(row[2] as usize).checked_add(row[1] as usize)?)?;
            types.push((row[0] as i32, sizes));
            if let Some(copy) = row[3].checked_sub(1) {
                *of_copies.get_mut(copy as usize)? = Some((row[0] as i32, sizes));
            }
        }
        types.extend(of_copies.into_iter().collect::<Option<Vec<_>>>()?);
        Some(types)
    }
    pub fn try_map<U, E>(&self, f: impl FnMut(&T) -> Result<U, E>) -> Result<HostCall<U>, E> {
        let values = self.values.iter().map(f).collect::<Result<_, E>>()?;
        Ok(HostCall { words: self.words.clone(), values })
    }
}

/// A string among words, if there is one.
fn string_at(words: &[u32], at: u32) -> Option<String> {
    let (length, rest) = words.get(at as usize..)?.split_first()?;
    let bytes: Vec<u8> =
        rest.get(..length.div_ceil(4) as usize)?.iter().flat_map(|w| w.to_le_bytes()).collect();
    String::from_utf8(bytes[..*length as usize].to_vec()).ok()
}

/// What a call's words say.
pub struct Parsed<'a, T> {
    pub tensors: Vec<ParsedTensor<'a, T>>,
    pub results: Vec<ParsedTensor<'a, T>>,
    pub arguments: Vec<(String, ParsedArgument<'a, T>)>,
}

/// A contiguous tensor: its memory is that operand's.
pub struct ParsedTensor<'a, T> {
    pub operand: usize,
    pub dtype: i32,
    pub sizes: &'a [T],
}

/// An argument with its numbers; tensors by their places, counted from 1, and 0 for none.
pub enum ParsedArgument<'a, T> {
    None,
    Tensor(u32),
    Tensors(&'a [u32]),
    Number(HostKind, &'a T),
    Numbers(HostKind, &'a [T]),
    String(String),
}

/// Reads a call of so many operands. `None`: the words are no such call.
pub fn parse<'a, T>(words: &'a [u32], values: &'a [T], n_operands: usize) -> Option<Parsed<'a, T>> {
    let [n_tensors, n_results, n_arguments, n_written] =
        [1, 2, 3, 4].map(|k| words.get(k).map_or(usize::MAX, |n| *n as usize));
    if n_operands != n_tensors.checked_add(n_results)?.checked_add(n_written)? {
        return None;
    }
    let numbers = |first: u32, n: u32| values.get(first as usize..(first as usize).checked_add(n as usize)?);
    let tensor = |k: usize| -> Option<ParsedTensor<'a, T>> {
        let row = words.get(HEADER + k * TENSOR..HEADER + (k + 1) * TENSOR)?;
        let operand = match row[3] as usize {
            0 => k,
            copy if copy <= n_written => n_tensors + n_results + copy - 1,
            _ => return None,
        };
        Some(ParsedTensor { operand, dtype: row[0] as i32, sizes: numbers(row[2], row[1])? })
    };
    let mut tensors: Vec<ParsedTensor<'a, T>> =
        (0..n_tensors + n_results).map(tensor).collect::<Option<_>>()?;
    let start = HEADER + TENSOR * (n_tensors + n_results);
    let argument = |k: usize| -> Option<(String, ParsedArgument<'a, T>)> {
        let row = words.get(start + k * ARGUMENT..start + (k + 1) * ARGUMENT)?;
        let (n, at) = (row[2], row[3]);
        let is_tensor = |place: &u32| (*place as usize) <= n_tensors;
        let kind = *HostKind::ALL.iter().find(|kind| **kind as u32 == row[1])?;
        let value = match kind {
            HostKind::None => ParsedArgument::None,
            HostKind::Tensor => ParsedArgument::Tensor(Some(at.checked_add(1)?).filter(is_tensor)?),
            HostKind::Tensors => {
                let places = words.get(at as usize..(at as usize).checked_add(n as usize)?)?;
                ParsedArgument::Tensors(Some(places).filter(|p| p.iter().all(is_tensor))?)
            }
            HostKind::String => ParsedArgument::String(string_at(words, at)?),
            HostKind::Ints | HostKind::Floats | HostKind::Bools => {
                ParsedArgument::Numbers(kind, numbers(at, n)?)
            }
            _ => ParsedArgument::Number(kind, values.get(at as usize)?),
        };
        Some((string_at(words, row[0])?, value))
    };
    let arguments = (0..n_arguments.min(words.len())).map(argument).collect::<Option<_>>()?;
    let results = tensors.split_off(n_tensors);
    Some(Parsed { tensors, results, arguments })
}

/// What a function is called with.
pub struct Invocation<'a> {
    pub call: Parsed<'a, i64>,
    /// The memory of each operand.
    pub operands: &'a [*mut c_void],
    /// DLPack's device type and index.
    pub device: (i32, i32),
    /// The stream of a GPU that the work belongs on.
    pub stream: *mut c_void,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> HostCall<i64> {
        let tensor = |sizes: &[i64], written| HostTensor { dtype: 6, sizes: sizes.to_vec(), written };
        HostCall::new(
            "mylib.scale.default",
            vec![tensor(&[2, 3], false), tensor(&[3], true)],
            vec![tensor(&[2, 3], false)],
            vec![
                ("x".into(), HostArgument::Tensor(0)),
                ("rest".into(), HostArgument::Tensors(vec![None, Some(1)])),
                ("by".into(), HostArgument::Number(HostKind::Float, 2.5f64.to_bits() as i64)),
                ("dims".into(), HostArgument::Numbers(HostKind::Ints, vec![7, 8])),
                ("mode".into(), HostArgument::String("linear".into())),
            ],
        )
    }

    #[test]
    fn a_call_is_read_as_it_was_written() {
        let call = sample();
        assert_eq!((call.name().as_deref(), call.operand_counts()), (Some("mylib.scale.default"), (2, 2)));
        let read = parse(&call.words, &call.values, 4).unwrap();
        // The second tensor is written: its memory is that of the copy.
        let places: Vec<usize> = read.tensors.iter().chain(&read.results).map(|t| t.operand).collect();
        assert_eq!(places, [0, 3, 2]);
        assert_eq!((read.tensors[0].sizes, read.results[0].sizes), (&[2, 3][..], &[2, 3][..]));
        let named: Vec<&str> = read.arguments.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(named, ["x", "rest", "by", "dims", "mode"]);
        assert!(matches!(read.arguments[1].1, ParsedArgument::Tensors([0, 2])));
        assert!(matches!(read.arguments[3].1, ParsedArgument::Numbers(HostKind::Ints, [7, 8])));
        assert!(matches!(&read.arguments[4].1, ParsedArgument::String(s) if s == "linear"));
    }

    #[test]
    fn damaged_words_are_no_call() {
        let call = sample();
        let read = |words: &[u32], n: usize| parse(words, &call.values, n).is_some();
        assert!(read(&call.words, 4) && !read(&call.words, 3));
        for end in 0..call.words.len() {
            assert!(!read(&call.words[..end], 4), "{end}");
        }
        // Whatever stands in a word, nothing is read outside.
        for place in 0..call.words.len() {
            for value in [0, 1, 5, 99, u32::MAX - 1, u32::MAX] {
                let mut words = call.words.clone();
                words[place] = value;
                read(&words, 4);
            }
        }
    }
}
