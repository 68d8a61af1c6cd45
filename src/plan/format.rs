//! The flat bytes of a plan: little-endian, every table at a multiple of 8 bytes and named by its offset, so that
//! the executor reads them in place. `src/executor/format.h` states the same layout in C; both change together,
//! with [`VERSION`]. Numbers that both name stand here alone: `routines.h` is written from them ([`c_numbers`]), and the C compiler
//! compares each record's size.

mod read;
mod scalar;
mod write;

use super::TensorMap;

const MAGIC: u32 = 0x4e4c_505a;
const VERSION: u32 = 21;
/// Scalar operations from here on are calculations.
const CALCULATIONS: u32 = 16;
const NONE: u32 = u32::MAX;
const SPAN_BYTES: usize = 8;
const HEADER_BYTES: usize = 8 + 8 + 15 * 8 + 8 + 8 + 8;
const SYMBOL_BYTES: usize = 56;
const SCALAR_BYTES: usize = 24;
const GUARD_BYTES: usize = 16;
const TENSOR_BYTES: usize = 72;
const STORAGE_BYTES: usize = 24;
const CONSTANT_BYTES: usize = 56;
const BUFFER_BYTES: usize = 24;
const STEP_BYTES: usize = 64;
const MAP_BYTES: usize = 4 * (6 + 4 * TensorMap::MAX_RANK);
const TENSOR_MUTATED: u32 = 1;
const TENSOR_SCALAR: u32 = 2;
const TENSOR_FIXED: u32 = 4;
const TENSOR_UNREAD: u32 = 8;
const TENSOR_OPTIONAL: u32 = 16;
const TENSOR_OVERWRITTEN: u32 = 32;
const STORAGE_UNUSED: u32 = 2;
const STORAGE_FROZEN: u32 = 4;

/// The numbers that the executor's header has from here, as C.
pub(super) fn c_numbers() -> String {
    let numbers: [(&str, &str, usize); 26] = [
        ("PLAN_MAGIC", "", MAGIC as usize),
        ("PLAN_VERSION", "", VERSION as usize),
        ("NONE", "No scalar, buffer or number.", NONE as usize),
        ("MAX_RANK", "", super::MAX_RANK),
        ("MAP_RANK", "", TensorMap::MAX_RANK),
        ("CALCULATIONS", "The first scalar operation that is a calculation.", CALCULATIONS as usize),
        ("TENSOR_MUTATED", "", TENSOR_MUTATED as usize),
        ("TENSOR_SCALAR", "", TENSOR_SCALAR as usize),
        ("TENSOR_FIXED", "Its address stays the same between runs, as the host says.", TENSOR_FIXED as usize),
        (
            "TENSOR_UNREAD",
            "Of an input: no step reads it; its memory, strides and device are not looked at.",
            TENSOR_UNREAD as usize,
        ),
        ("TENSOR_OPTIONAL", "Neither are its sizes needed: it may be NULL.", TENSOR_OPTIONAL as usize),
        (
            "TENSOR_OVERWRITTEN",
            "Of an input: kernels write other values over its contents, which nobody needs after the run.",
            TENSOR_OVERWRITTEN as usize,
        ),
        (
            "STORAGE_UNUSED",
            "Beside LX_TENSOR_MUTATED: no step names it, and it has no bytes.",
            STORAGE_UNUSED as usize,
        ),
        (
            "STORAGE_FROZEN",
            "What init makes of it stays: it is not replaced, and where no run reads it, it is let go.",
            STORAGE_FROZEN as usize,
        ),
        (
            "MOST_SEMAPHORES",
            "The last offset that a buffer of semaphores may have, and the most bytes of one.",
            super::check::MOST_SEMAPHORES as usize,
        ),
        ("PLAN_BYTES", "Bytes of records.", HEADER_BYTES),
        ("SYMBOL_BYTES", "", SYMBOL_BYTES),
        ("SCALAR_BYTES", "", SCALAR_BYTES),
        ("GUARD_BYTES", "", GUARD_BYTES),
        ("TENSOR_BYTES", "", TENSOR_BYTES),
        ("STORAGE_BYTES", "", STORAGE_BYTES),
        ("CONSTANT_BYTES", "", CONSTANT_BYTES),
        ("BUFFER_BYTES", "", BUFFER_BYTES),
        ("STEP_BYTES", "", STEP_BYTES),
        ("MAP_BYTES", "", MAP_BYTES),
        ("SPAN_BYTES", "", SPAN_BYTES),
    ];
    let line = |(name, comment, number): (&str, &str, usize)| {
        let comment = if comment.is_empty() { String::new() } else { format!("/* {comment} */\n") };
        format!("{comment}#define LX_{name} {number}u\n")
    };
    numbers.map(line).concat()
}

/// Where a table lies: byte offset and number of items.
#[derive(Clone, Copy)]
struct Span {
    offset: u32,
    count: u32,
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::super::tests::sample;

    #[test]
    fn a_plan_survives_its_bytes() {
        let plan = sample();
        let bytes = plan.to_bytes().unwrap();
        assert_eq!(Plan::from_bytes(&bytes).unwrap(), plan);
        assert_eq!(Plan::default().to_bytes().and_then(|b| Plan::from_bytes(&b)).unwrap(), Plan::default());
    }

    #[test]
    fn damaged_bytes_are_errors_not_panics() {
        let bytes = sample().to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(Plan::from_bytes(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let _ = Plan::from_bytes(&damaged);
        }
    }
}
