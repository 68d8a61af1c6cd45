//! The flat bytes of a plan: little-endian, every table at a multiple of 8 bytes and named by its offset, so that
//! the executor reads them in place. `src/executor/format.h` states the same layout in C; both change together,
//! with [`VERSION`].

mod read;
mod write;

use super::TensorMap;

const MAGIC: u32 = 0x4e4c_505a;
const VERSION: u32 = 17;
/// Scalar operations from here on are calculations.
const CALCULATIONS: u32 = 16;
const NONE: u32 = u32::MAX;
const HEADER_BYTES: usize = 8 + 8 + 15 * 8 + 8 + 8 + 8;
const MAP_BYTES: usize = 4 * (6 + 4 * TensorMap::MAX_RANK);
const TENSOR_BYTES: usize = 72;
const TENSOR_MUTATED: u32 = 1;
const TENSOR_SCALAR: u32 = 2;
const TENSOR_FIXED: u32 = 4;
const TENSOR_UNREAD: u32 = 8;
const TENSOR_OPTIONAL: u32 = 16;
const STORAGE_UNUSED: u32 = 2;
const STORAGE_FROZEN: u32 = 4;

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
