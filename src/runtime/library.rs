//! Routines of Litz's own library for whoever computes nodes without a plan.

use super::RuntimeError;
use super::error::Message;
use super::ffi;
use crate::base::Status;
use crate::plan::{Attributes, Library, Routine};

/// Does a routine for all of its batch. `operands` holds the bytes of each, as large as the attributes say; those that the routine
/// writes are replaced.
pub fn call_routine(attributes: &Attributes<i64>, operands: &mut [Vec<u8>]) -> Result<(), RuntimeError> {
    let routine = attributes.routine();
    let fits = routine.library() == Library::Linalg && operands.len() == attributes.operand_count();
    if !fits {
        return Err(RuntimeError::new(Status::Internal, "a routine is called with the operands of another"));
    }
    let number = Routine::ALL.iter().position(|r| *r == routine).unwrap_or_default() as u32;
    let values: Vec<i64> = attributes.values().into_iter().copied().collect();
    // Elements of any dtype are aligned in these.
    let mut words: Vec<Vec<u64>> = operands.iter().map(|bytes| words_of(bytes)).collect();
    let memory: Vec<*mut std::ffi::c_void> = words.iter_mut().map(|w| w.as_mut_ptr().cast()).collect();
    let mut message = Message::new();
    // SAFETY: the routine has as many attributes, and operands of the sizes that the caller promises.
    let status = unsafe {
        ffi::lx_call_routine(number, values.as_ptr(), memory.as_ptr(), message.pointer(), message.size())
    };
    message.check(status)?;
    for k in attributes.written() {
        let bytes = words[k].iter().flat_map(|word| word.to_ne_bytes());
        let length = operands[k].len();
        operands[k] = bytes.take(length).collect();
    }
    Ok(())
}

pub(super) fn words_of(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}
