//! What goes wrong when a program is loaded or run.

use std::ffi::c_char;

use crate::base::Status;
use crate::device::toolchain::ToolchainError;
use crate::plan::PlanError;

/// A failure with its message, written where it was found: in most cases by the executor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RuntimeError {
    pub status: Status,
    pub message: String,
    /// What a compiler printed.
    pub output: Option<String>,
}

impl RuntimeError {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        RuntimeError { status, message: message.into(), output: None }
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
        RuntimeError { output, ..RuntimeError::new(error.status(), error.to_string()) }
    }
}

/// Room for the executor's messages.
pub(super) struct Message([u8; 1024]);

impl Message {
    pub(super) fn new() -> Self {
        Message([0; 1024])
    }
    pub(super) fn pointer(&mut self) -> *mut c_char {
        self.0.as_mut_ptr().cast()
    }
    pub(super) fn size(&self) -> usize {
        self.0.len()
    }
    /// `Ok` for status 0, otherwise the error with the message that was written.
    pub(super) fn check(&self, status: i32) -> Result<(), RuntimeError> {
        if status == 0 {
            return Ok(());
        }
        let text = self.0.split(|b| *b == 0).next().unwrap_or_default();
        Err(RuntimeError::new(Status::from_code(status), String::from_utf8_lossy(text)))
    }
}
