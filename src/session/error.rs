//! Everything that can go wrong between a graph and its results, with one status each.

use crate::base::Status;
use crate::device::toolchain::ToolchainError;
use crate::ir::{Origin, OriginId, Origins, VerifyError};
use crate::kernels;
use crate::loop_passes::LoopPassError;
use crate::loops::{BoundsError, LoopsError, lower::LowerError};
use crate::mapping::Refusal;
use crate::meta::MetaError;
use crate::passes::PassError;
use crate::plan::PlanError;
use crate::runtime::RuntimeError;
use std::sync::Arc;

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
    LoopPass(#[from] LoopPassError),
    #[error("{0}")]
    Bounds(#[from] BoundsError),
    #[error("{0}")]
    Mapping(#[from] Refusal),
    /// A mistake in Litz.
    #[error("{operators}: the kernel for {target} is not valid: {error}")]
    Kernel { operators: String, target: String, error: Box<kernels::verify::VerifyError> },
    #[error("{0}")]
    Toolchain(#[from] ToolchainError),
    #[cfg(feature = "cuda")]
    #[error("{0}")]
    Cuda(#[from] crate::device::cuda::CudaError),
    #[error("{0}")]
    Plan(#[from] PlanError),
    #[error("{0}")]
    Runtime(#[from] RuntimeError),
    /// An error and the user's nodes that caused it. The message names the first.
    #[error("{error}{place}")]
    At { error: Box<SessionError>, origin: Arc<Origin>, place: String },
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
            SessionError::LoopPass(e) => e.error.status(),
            SessionError::Bounds(e) => e.status(),
            SessionError::Mapping(e) => e.status(),
            SessionError::Kernel { .. } => Status::Internal,
            SessionError::Toolchain(e) => e.status(),
            #[cfg(feature = "cuda")]
            SessionError::Cuda(e) => e.status(),
            SessionError::Plan(e) => e.status(),
            SessionError::Runtime(e) => e.status,
            SessionError::At { error, .. } => error.status(),
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
            SessionError::At { error, .. } => error.output(),
            _ => None,
        }
    }
    /// The node of the user's program that it is about.
    pub fn origin(&self) -> Option<&Origin> {
        if let SessionError::At { origin, .. } = self { Some(origin) } else { None }
    }
    /// The error with what the handles of nodes in it stand for.
    pub(crate) fn placed(self, origins: &Origins) -> SessionError {
        let ids: &[OriginId] = match &self {
            SessionError::Graph(e) => &e.origins,
            SessionError::Pass(PassError::Rewrite { error, .. }) => &error.origins,
            SessionError::Lower(e) => &e.origins,
            _ => &[],
        };
        match ids.first() {
            Some(first) => {
                let (origin, place) = (origins.get(*first), origins.place(ids));
                SessionError::At { error: Box::new(self), origin, place }
            }
            None => self,
        }
    }
    pub(crate) fn invalid(message: impl Into<String>) -> SessionError {
        SessionError::Option { status: Status::InvalidArgument, message: message.into() }
    }
}
