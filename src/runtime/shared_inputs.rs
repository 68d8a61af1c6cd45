//! Training runs in which an input that the forward writes to shares memory with another. A second training program of the same graph
//! does them: its inputs are views of bases (as in `overlap.rs`). It works on copies of the inputs that share memory, which are
//! copied back when the forward has succeeded.
//!
//! Invariants: a forward whose program fails writes to no input; a backward is of the program whose forward it follows.
//!
//! Deliberately absent: making such programs, which the session does.

use super::training::{Between, Saved};
use super::{Executable, RunOptions, RuntimeError, Tensor};
use crate::types::Dtype;
use crate::types::dlpack::DLTensor;
use std::sync::Arc;

/// A training program: its halves, and the state between them.
pub trait Halves: Send + Sync {
    fn between(&self) -> &Between;
    fn forward_program(&self) -> &Executable;
    fn backward_program(&self) -> Result<&Executable, RuntimeError>;
    /// Which inputs are written to; `None` where no two inputs can share memory that is.
    fn shared_writes(&self) -> Option<&[bool]>;
    /// The program for inputs of these groups (of each input the first one of its group).
    fn form(&self, groups: &[u32]) -> Result<Form, RuntimeError>;
}

/// A training program for inputs that share memory. Behind the program's inputs it takes the numbers of each base.
#[derive(Clone)]
pub struct Form {
    /// For each input the number of its base, from 1 on; 0: it is in none.
    pub bases: Vec<u32>,
    pub program: Arc<dyn Halves>,
}

/// What a forward keeps, and which program made it.
pub struct Kept {
    saved: Saved,
    by: Option<Arc<dyn Halves>>,
    /// What the backward reads instead of the caller's inputs.
    _copies: Vec<Tensor>,
}

/// Runs a forward; its inputs may share memory.
///
/// # Safety
/// As [`Between::forward`].
pub unsafe fn forward(
    of: &dyn Halves,
    inputs: &[*const DLTensor],
    options: Option<&RunOptions>,
) -> Result<(Vec<Tensor>, Kept), RuntimeError> {
    let (between, program) = (of.between(), of.forward_program());
    if let Some(mutated) = of.shared_writes().filter(|mutated| mutated.len() == inputs.len())
        // SAFETY: the caller's.
        && let Some(groups) = unsafe { between.overlaps(program, inputs) }?
    {
        // SAFETY: the caller's.
        return unsafe { forward_of_form(of.form(&groups)?, &groups, mutated, inputs, options) };
    }
    // SAFETY: the caller's.
    let (results, saved) = unsafe { between.forward(program, inputs, options) }?;
    Ok((results, Kept { saved, by: None, _copies: Vec::new() }))
}

/// Runs the backward of a forward, once.
///
/// # Safety
/// As [`Between::backward`].
pub unsafe fn backward(
    of: &dyn Halves,
    kept: &Kept,
    cotangents: &[Option<*const DLTensor>],
    options: Option<&RunOptions>,
) -> Result<Vec<Option<Tensor>>, RuntimeError> {
    let by = kept.by.as_deref().unwrap_or(of);
    // SAFETY: the caller's.
    unsafe { by.between().backward(by.backward_program()?, &kept.saved, cotangents, options) }
}

/// # Safety
/// As [`Between::forward`].
unsafe fn forward_of_form(
    Form { bases, program }: Form,
    groups: &[u32],
    mutated: &[bool],
    inputs: &[*const DLTensor],
    options: Option<&RunOptions>,
) -> Result<(Vec<Tensor>, Kept), RuntimeError> {
    // SAFETY: the caller's.
    let given: Vec<Input> = inputs.iter().map(|input| unsafe { Input::of(&**input) }).collect();
    let run = program.forward_program();
    let mut all = inputs.to_vec();
    let mut copies = Vec::new();
    for (k, _) in bases.iter().enumerate().filter(|(_, base)| **base > 0) {
        // SAFETY: the caller's.
        let copy = unsafe { run.copy_of(&*inputs[k], options) }?;
        all[k] = std::ptr::from_ref(copy.dl());
        copies.push((k, copy));
    }
    let numbers = places(&bases, groups, &given)
        .into_iter()
        .map(|number| Tensor::from_bytes(Dtype::Int64, &[], &number.to_ne_bytes()))
        .collect::<Result<Vec<_>, RuntimeError>>()?;
    all.extend(numbers.iter().map(|number| std::ptr::from_ref(number.dl())));
    // SAFETY: the caller vouches for its tensors. The copies describe their own memory, and live as long as what is kept.
    let (results, saved) = unsafe { program.between().forward(run, &all, options) }?;
    for (k, copy) in copies.iter().filter(|(k, _)| mutated[*k]) {
        // SAFETY: the caller's: the input can be written to, and has the copy's sizes.
        unsafe { run.copy_elements(&*inputs[*k], copy.dl(), options) }?;
    }
    let copies = copies.into_iter().map(|(_, copy)| copy).collect();
    Ok((results, Kept { saved, by: Some(program), _copies: copies }))
}

/// Where an input lies.
struct Input {
    start: *mut u8,
    item: usize,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Input {
    /// # Safety
    /// The tensor is as it says.
    unsafe fn of(tensor: &DLTensor) -> Input {
        let list = |numbers: *mut i64| match tensor.ndim {
            0 => Vec::new(),
            // SAFETY: the caller's.
            n => unsafe { std::slice::from_raw_parts(numbers.cast_const(), n as usize) }.to_vec(),
        };
        let shape = list(tensor.shape);
        let mut strides = vec![1; shape.len()];
        for k in (1..shape.len()).rev() {
            strides[k - 1] = strides[k] * shape[k].max(1);
        }
        if !tensor.strides.is_null() {
            strides = list(tensor.strides);
        }
        let start = tensor.data.cast::<u8>().wrapping_add(tensor.byte_offset as usize);
        Input { start, item: usize::from(tensor.dtype.bits) / 8, shape, strides }
    }
    fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }
    /// The elements from its first to its last in memory.
    fn extent(&self) -> i64 {
        match self.is_empty() {
            true => 0,
            false => 1 + self.shape.iter().zip(&self.strides).map(|(n, s)| (n - 1) * s).sum::<i64>(),
        }
    }
}

/// The numbers of each base, in the order of the form's inputs: its elements; then the offset and the strides of each input in it. Those
/// of one group lie at their distances, groups behind one another.
fn places(bases: &[u32], groups: &[u32], inputs: &[Input]) -> Vec<i64> {
    let mut numbers = Vec::new();
    for base in 1..=bases.iter().copied().max().unwrap_or(0) {
        let of_base: Vec<usize> = (0..bases.len()).filter(|k| bases[*k] == base).collect();
        let (mut elements, mut starts) = (0, vec![0; inputs.len()]);
        for first in of_base.iter().filter(|k| groups[**k] as usize == **k) {
            let group = of_base.iter().filter(|k| groups[**k] as usize == *first && !inputs[**k].is_empty());
            let begin = group.clone().map(|k| inputs[*k].start as usize).min().unwrap_or(0);
            let mut end = elements;
            for k in group {
                starts[*k] = elements + ((inputs[*k].start as usize - begin) / inputs[*k].item) as i64;
                end = end.max(starts[*k] + inputs[*k].extent());
            }
            elements = end;
        }
        numbers.push(elements);
        for k in of_base {
            numbers.push(starts[k]);
            let one = |n: &i64| *n == 1 || inputs[k].is_empty();
            numbers.extend(
                inputs[k].shape.iter().zip(&inputs[k].strides).map(|(n, s)| if one(n) { 0 } else { *s }),
            );
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_lie_at_their_distances_behind_one_another() {
        let mut memory = [0f32; 16];
        let start = memory.as_mut_ptr().cast::<u8>();
        let input = |at: usize, shape: &[i64], strides: &[i64]| Input {
            start: start.wrapping_add(4 * at),
            item: 4,
            shape: shape.to_vec(),
            strides: strides.to_vec(),
        };
        let inputs =
            [input(3, &[2, 1], &[2, 9]), input(8, &[2], &[1]), input(1, &[3], &[1]), input(5, &[0], &[1])];
        // The first and the third share memory.
        let found = places(&[1, 1, 1, 1], &[0, 1, 0, 3], &inputs);
        assert_eq!(found, [7, 2, 2, 0, 5, 1, 0, 1, 0, 0]);
        assert_eq!(places(&[1, 0, 1, 0], &[0, 1, 0, 3], &inputs), [5, 2, 2, 0, 0, 1]);
    }
}
