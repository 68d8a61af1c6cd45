//! What can be wrong with a plan.

use crate::base::Status;

/// A plan that breaks an invariant, or bytes that are no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("the plan is inconsistent: {user} names item {index} of {table}, which has {length}")]
    Range { user: String, table: &'static str, index: u32, length: usize },
    #[error("the plan is inconsistent: {0}")]
    Invalid(String),
    #[error("the bytes are not a plan that this library reads: {0}")]
    Damaged(String),
    #[error("the plan does not fit into 4 GiB")]
    TooLarge,
}

impl PlanError {
    pub(super) fn invalid(what: impl Into<String>) -> Self {
        PlanError::Invalid(what.into())
    }
    pub(super) fn damaged(what: impl Into<String>) -> Self {
        PlanError::Damaged(what.into())
    }
    pub(super) fn truncated() -> Self {
        PlanError::damaged("a table lies outside of them")
    }

    pub fn status(&self) -> Status {
        match self {
            PlanError::Range { .. } | PlanError::Invalid(_) => Status::Internal,
            PlanError::Damaged(_) => Status::Parse,
            PlanError::TooLarge => Status::Unsupported,
        }
    }
}
