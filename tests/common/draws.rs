//! Programs that draw random numbers, run from a given state, and Philox as its authors describe it.

use litz::meta::text::parse;
use litz::runtime::{RUN_HAS_SEED, RunOptions, Tensor};
use litz::session::{self, Executable, Options};

/// A program of a graph in text.
pub fn program(text: &str, options: &[(&str, &str)]) -> Executable {
    let mut chosen = Options::default();
    options.iter().for_each(|(key, value)| chosen.set(key, value).expect("an option"));
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    session::compile(&graph, &chosen).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A graph without inputs that gives the results of these calls.
pub fn calls(calls: &[&str]) -> String {
    let nodes = calls.iter().enumerate().map(|(k, call)| format!("  %{k} = {call}\n"));
    let outputs = (0..calls.len()).map(|k| format!("  output \"y{k}\" = %{k}\n"));
    format!("graph \"g\" {{\n{}}}\n", nodes.chain(outputs).collect::<String>())
}

/// The results of a run from a seed and an offset, and the offset after it.
pub fn run_from(program: &Executable, inputs: &[&Tensor], seed: u64, offset: u64) -> (Vec<Tensor>, u64) {
    run_with(program, inputs, RUN_HAS_SEED, seed, offset)
}

/// As [`run_from`], with these flags.
pub fn run_with(
    program: &Executable,
    inputs: &[&Tensor],
    flags: u32,
    seed: u64,
    offset: u64,
) -> (Vec<Tensor>, u64) {
    let inputs: Vec<_> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
    let mut next = 0;
    let options = RunOptions { flags, seed, offset, next_offset: &raw mut next, ..RunOptions::default() };
    // SAFETY: the inputs are tensors of this process, alive until the run has ended.
    let results = unsafe { program.run(&inputs, Some(&options)) }.unwrap_or_else(|e| panic!("{e}"));
    (results, next)
}

/// The bytes of each element, in the order of the dimensions, wherever it lies.
fn elements<const N: usize>(tensor: &Tensor) -> impl Iterator<Item = [u8; N]> + '_ {
    let (shape, strides) = (tensor.shape(), tensor.strides());
    (0..shape.iter().product::<i64>()).map(move |mut place| {
        let mut at = 0;
        for (size, stride) in shape.iter().zip(strides).rev() {
            at += place % size * stride;
            place /= size;
        }
        let at = at as usize * N;
        tensor.bytes()[at..at + N].try_into().expect("an element")
    })
}

pub fn floats(tensor: &Tensor) -> Vec<f32> {
    if tensor.dtype().is_complex() {
        let pairs = elements::<8>(tensor).flatten().collect::<Vec<u8>>();
        return pairs.chunks(4).map(|b| f32::from_le_bytes(b.try_into().expect("four"))).collect();
    }
    elements(tensor).map(f32::from_le_bytes).collect()
}

pub fn doubles(tensor: &Tensor) -> Vec<f64> {
    if tensor.dtype().is_complex() {
        // A pair for each element.
        let pairs = elements::<16>(tensor).flatten().collect::<Vec<u8>>();
        return pairs.chunks(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight"))).collect();
    }
    elements(tensor).map(f64::from_le_bytes).collect()
}

pub fn integers(tensor: &Tensor) -> Vec<i64> {
    elements(tensor).map(i64::from_le_bytes).collect()
}

/// The four words of a block: Philox 4x32-10, whose key is the seed and whose counter is the block's number.
pub fn block(seed: u64, number: u64) -> [u32; 4] {
    let split = |v: u64| (v as u32, (v >> 32) as u32);
    let ((mut a, mut b), (mut c, mut d)) = (split(number), (0u32, 0u32));
    let (mut k, mut l) = split(seed);
    for _ in 0..10 {
        let (first, second) = (u64::from(a) * 0xD2511F53, u64::from(c) * 0xCD9E8D57);
        let ((low, high), (other_low, other_high)) = (split(first), split(second));
        (a, b, c, d) = (other_high ^ b ^ k, other_low, high ^ d ^ l, low);
        (k, l) = (k.wrapping_add(0x9E3779B9), l.wrapping_add(0xBB67AE85));
    }
    [a, b, c, d]
}

/// The first words from a block on.
pub fn words(seed: u64, from: u64, count: usize) -> Vec<u32> {
    (0..count.div_ceil(4) as u64).flat_map(|k| block(seed, from + k)).take(count).collect()
}
