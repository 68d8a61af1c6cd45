//! What goes wrong when a program is loaded or run.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use crate::base::{Boxed, Status};
use crate::device::toolchain::ToolchainError;
use crate::plan::PlanError;

/// A failure with its message, written where it was found: in most cases by the executor.
pub type RuntimeError = Boxed<RuntimeErrorFields>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RuntimeErrorFields {
    pub status: Status,
    pub message: String,
    /// What a compiler printed.
    pub output: Option<String>,
}

impl RuntimeError {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Boxed::of(RuntimeErrorFields { status, message: message.into(), output: None })
    }
    pub(super) fn io(what: impl std::fmt::Display, error: &std::io::Error) -> Self {
        RuntimeError::new(Status::Io, format!("{what}: {error}"))
    }
}

impl From<PlanError> for RuntimeError {
    fn from(error: PlanError) -> Self {
        RuntimeError::new(error.status(), error.to_string())
    }
}

impl From<ToolchainError> for RuntimeError {
    fn from(error: ToolchainError) -> Self {
        let output = error.output().map(str::to_owned);
        let mut failure = RuntimeError::new(error.status(), error.to_string());
        failure.output = output;
        failure
    }
}

/// Room for the executor's messages. It holds a string at all times, and is not cleared: that would take 0.03 µs of each call.
pub(super) struct Message(MaybeUninit<[u8; 1024]>);

impl Message {
    pub(super) fn new() -> Self {
        let mut text = MaybeUninit::<[u8; 1024]>::uninit();
        // SAFETY: the first of 1024 bytes, which makes the string empty.
        unsafe { text.as_mut_ptr().cast::<u8>().write(0) };
        Message(text)
    }
    pub(super) fn pointer(&mut self) -> *mut c_char {
        self.0.as_mut_ptr().cast()
    }
    pub(super) fn size(&self) -> usize {
        size_of_val(&self.0)
    }
    /// `Ok` for status 0, otherwise the error with the message that was written.
    pub(super) fn check(&self, status: i32) -> Result<(), RuntimeError> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: empty at first, and what the executor writes within `size` bytes ends with zero.
        let text = unsafe { CStr::from_ptr(self.0.as_ptr().cast()) };
        Err(RuntimeError::new(Status::from_code(status), text.to_string_lossy()))
    }
}

/// What a function that the executor calls gives back: the status, and the message in the executor's room.
///
/// # Safety
/// `error` has room for `size` bytes.
pub(super) unsafe fn report(outcome: Result<(), RuntimeError>, error: *mut c_char, size: usize) -> i32 {
    let Err(failure) = outcome else { return Status::Ok.code() };
    if size > 0 {
        let text = failure.message.as_bytes();
        let mut n = text.len().min(size - 1);
        while !failure.message.is_char_boundary(n) {
            n -= 1;
        }
        // SAFETY: as the caller vouches.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), error.cast::<u8>(), n);
            error.add(n).write(0);
        }
    }
    failure.status.code()
}
