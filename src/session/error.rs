//! Everything that can go wrong between a graph and its results, with one status each.

use crate::base::Status;
use crate::codegen::CodegenError;
use crate::device::toolchain::ToolchainError;
use crate::ir::VerifyError;
use crate::loops::{BoundsError, LoopsError, lower::LowerError};
use crate::meta::MetaError;
use crate::passes::PassError;
use crate::plan::PlanError;
use crate::runtime::RuntimeError;

/// An error of the pipeline; each floor's own error inside.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("{message}")]
    Option { status: Status, message: String },
    #[error("{0}")]
    Verify(#[from] VerifyError),
    #[error("{0}")]
    Graph(#[from] MetaError),
    #[error("{0}")]
    Pass(#[from] PassError),
    #[error("{0}")]
    Lower(#[from] LowerError),
    #[error("{0}")]
    Loops(#[from] LoopsError),
    #[error("{0}")]
    Bounds(#[from] BoundsError),
    #[error("{0}")]
    Codegen(#[from] CodegenError),
    #[error("{0}")]
    Toolchain(#[from] ToolchainError),
    #[cfg(feature = "cuda")]
    #[error("{0}")]
    Cuda(#[from] crate::device::cuda::CudaError),
    #[error("{0}")]
    Plan(#[from] PlanError),
    #[error("{0}")]
    Runtime(#[from] RuntimeError),
    #[error("cannot {what}: {reason}")]
    Io { what: String, reason: String },
}

impl SessionError {
    pub fn status(&self) -> Status {
        match self {
            SessionError::Option { status, .. } => *status,
            SessionError::Verify(e) => e.status(),
            SessionError::Graph(e) => e.status(),
            SessionError::Pass(e) => e.status(),
            SessionError::Lower(e) => e.status(),
            SessionError::Loops(e) => e.status(),
            SessionError::Bounds(e) => e.status(),
            SessionError::Codegen(e) => e.status(),
            SessionError::Toolchain(e) => e.status(),
            #[cfg(feature = "cuda")]
            SessionError::Cuda(e) => e.status(),
            SessionError::Plan(e) => e.status(),
            SessionError::Runtime(e) => e.status,
            SessionError::Io { .. } => Status::Io,
        }
    }
    /// What a tool said, for the error's detail.
    pub fn output(&self) -> Option<&str> {
        match self {
            SessionError::Toolchain(e) => e.output(),
            #[cfg(feature = "cuda")]
            SessionError::Cuda(e) => e.log(),
            SessionError::Runtime(e) => e.output.as_deref(),
            _ => None,
        }
    }
    pub(crate) fn invalid(message: impl Into<String>) -> SessionError {
        SessionError::Option { status: Status::InvalidArgument, message: message.into() }
    }
}
