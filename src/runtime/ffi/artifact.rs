//! The exports of an artifact, as `include/litz/artifact.h` declares them.

use super::{ArtifactTable, OutputFn};
use crate::runtime::RunOptions;
use crate::types::dlpack::DLTensor;
use std::ffi::{c_char, c_void};

pub const ARTIFACT_MAGIC: u32 = 0x5a54_494c;
pub const ARTIFACT_ABI_VERSION: u32 = 1;

/// `litz_artifact_options`.
#[repr(C)]
pub struct ArtifactOptions {
    pub struct_size: usize,
    pub weights_path: *const c_char,
    pub file: *const c_void,
    pub file_bytes: usize,
    pub device_index: i32,
    pub threads: i32,
    pub reserved: [u64; 4],
}

type CreateFn = unsafe extern "C" fn(*const c_char, i32, *mut *mut c_void, *mut c_char, usize) -> i32;
type InferFn = unsafe extern "C" fn(
    *mut c_void,
    *const *const DLTensor,
    usize,
    *mut DLTensor,
    usize,
    *mut c_char,
    usize,
) -> i32;
type RunFn = unsafe extern "C" fn(
    *mut c_void,
    *const *const DLTensor,
    usize,
    *const *const DLTensor,
    usize,
    *const RunOptions,
    *mut c_char,
    usize,
) -> i32;
type ConstantFn = unsafe extern "C" fn(*mut c_void, usize, *mut DLTensor, *mut c_char, usize) -> i32;
type UpdateFn = unsafe extern "C" fn(
    *mut c_void,
    *const *const c_char,
    *const *const DLTensor,
    usize,
    *mut c_char,
    usize,
) -> i32;
type SimpleFn = unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> i32;
type RunAllocatingFn = unsafe extern "C" fn(
    *mut c_void,
    *const *const DLTensor,
    usize,
    OutputFn,
    *mut c_void,
    usize,
    *const RunOptions,
    *mut c_char,
    usize,
) -> i32;

/// `litz_artifact_api`. This library runs the `program` of an artifact itself; the functions are for hosts that have the
/// artifact alone.
#[repr(C)]
pub struct ArtifactApi {
    pub struct_size: usize,
    pub magic: u32,
    pub abi_version: u32,
    pub metadata: *const c_char,
    pub create: CreateFn,
    pub infer_outputs: InferFn,
    pub run: RunFn,
    pub constant: ConstantFn,
    pub update_constants: UpdateFn,
    pub synchronize: SimpleFn,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub run_allocating: RunAllocatingFn,
    pub create_with:
        unsafe extern "C" fn(*const ArtifactOptions, *mut *mut c_void, *mut c_char, usize) -> i32,
    pub clone: unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *mut c_char, usize) -> i32,
    pub cancel: SimpleFn,
    pub release_memory: SimpleFn,
    pub program: *const ArtifactTable,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Size and places of a struct's members, as `abi/layouts.txt` records them of C.
    fn recorded(name: &str) -> (usize, Vec<(String, usize)>) {
        let record = concat!(env!("CARGO_MANIFEST_DIR"), "/abi/layouts.txt");
        let record = std::fs::read_to_string(record).expect("the record is there");
        let number = |text: &str| text.parse().expect("a number");
        let (mut size, mut fields) = (0, Vec::new());
        for words in record.lines().map(|l| l.split(' ').collect::<Vec<_>>()) {
            match words[..] {
                ["size", of, bytes] if of == name => size = number(bytes),
                ["field", member, "at", place, ..] => {
                    let (of, member) = member.split_once('.').expect("a member of a struct");
                    if of == name {
                        fields.push((member.to_string(), number(place)));
                    }
                }
                _ => {}
            }
        }
        (size, fields)
    }

    macro_rules! same_layout {
        ($rust:ty, $c:literal, [$($field:ident),*]) => {
            let (size, fields) = recorded($c);
            assert_eq!(size, size_of::<$rust>(), $c);
            let here = vec![$((stringify!($field).to_string(), offset_of!($rust, $field))),*];
            assert_eq!(fields, here, $c);
        };
    }

    #[test]
    fn rust_and_c_see_the_same_artifacts() {
        same_layout!(
            ArtifactApi,
            "litz_artifact_api",
            [
                struct_size,
                magic,
                abi_version,
                metadata,
                create,
                infer_outputs,
                run,
                constant,
                update_constants,
                synchronize,
                destroy,
                run_allocating,
                create_with,
                clone,
                cancel,
                release_memory,
                program
            ]
        );
        same_layout!(
            ArtifactOptions,
            "litz_artifact_options",
            [struct_size, weights_path, file, file_bytes, device_index, threads, reserved]
        );
        same_layout!(
            RunOptions,
            "litz_run_options",
            [
                struct_size,
                flags,
                device_index,
                stream,
                seed,
                offset,
                parallel_for,
                parallel_for_context,
                static_inputs,
                static_outputs,
                next_offset,
                reserved
            ]
        );
    }
}
