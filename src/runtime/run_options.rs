//! The options of one run, as C has them.

use super::ffi::ParallelForFn;
use std::ffi::c_void;

/// `litz_run_options`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    pub struct_size: usize,
    pub flags: u32,
    pub device_index: i32,
    pub stream: *mut c_void,
    pub seed: u64,
    pub offset: u64,
    pub parallel_for: Option<ParallelForFn>,
    pub parallel_for_context: *mut c_void,
    pub static_inputs: *const u8,
    pub static_outputs: *const u8,
    pub next_offset: *mut u64,
    pub reserved: [u64; 2],
}

pub const RUN_HAS_STREAM: u32 = 1;
pub const RUN_ASYNC: u32 = 2;
pub const RUN_HAS_SEED: u32 = 4;

impl RunOptions {
    /// A run of Litz's own: it can be repeated, and takes no seed from the process's generator.
    pub fn own() -> RunOptions {
        RunOptions { flags: RUN_HAS_SEED, ..RunOptions::default() }
    }
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            struct_size: size_of::<RunOptions>(),
            flags: 0,
            device_index: 0,
            stream: std::ptr::null_mut(),
            seed: 0,
            offset: 0,
            parallel_for: None,
            parallel_for_context: std::ptr::null_mut(),
            static_inputs: std::ptr::null(),
            static_outputs: std::ptr::null(),
            next_offset: std::ptr::null_mut(),
            reserved: [0; 2],
        }
    }
}
