//! What can be wrong with a file, said where the user will read it.

use crate::base::{Boxed, Status, bounded, shortened};
use crate::ir::Origin;
use crate::meta::MetaError;
use std::sync::Arc;

/// A program that cannot be read. The message names file, entry and node, and says what to do where something can
/// be done; the fields hold the same for the C ABI's JSON detail.
pub type FrontendError = Boxed<FrontendErrorFields>;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct FrontendErrorFields {
    pub status: Status,
    pub message: String,
    /// The archive's entry, such as `data/weights/weight_0`.
    pub entry: Option<String>,
    /// Where in the file the trouble lies, in bytes.
    pub offset: Option<u64>,
    /// The graph's node, by its exported name.
    pub node: Option<String>,
    /// Where that comes from.
    pub origin: Option<Arc<Origin>>,
}

pub type Result<T> = std::result::Result<T, FrontendError>;

impl FrontendError {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        let message = bounded(message.into());
        Boxed::of(FrontendErrorFields {
            status,
            message,
            entry: None,
            offset: None,
            node: None,
            origin: None,
        })
    }
    /// The bytes are not what they should be.
    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(Status::Parse, message)
    }
    /// The file is well, but holds something that Litz does not do.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Status::Unsupported, message)
    }
    pub fn status(&self) -> Status {
        self.status
    }
    /// Says which entry of the archive it happened in.
    pub(super) fn in_entry(mut self, entry: &str, offset: Option<u64>) -> Self {
        let place = offset.map(|o| format!(" at byte {o}")).unwrap_or_default();
        self.message = format!("{}{place}: {}", shortened(entry), self.message);
        self.entry = Some(entry.to_string());
        self.offset = offset;
        self
    }
    /// Says which input, output or tensor it is about.
    pub(super) fn about(mut self, what: &str, name: &str) -> Self {
        self.message = format!("{what} `{}`: {}", shortened(name), self.message);
        self
    }
    /// With more text at the end.
    pub(super) fn followed_by(mut self, more: &str) -> Self {
        self.message = bounded(format!("{}{more}", self.message));
        self
    }
    pub(super) fn in_file(mut self, file: &str) -> Self {
        self.message = format!("{file}: {}", self.message);
        self
    }
    pub(super) fn at_node(mut self, node: &str, target: &str, origin: &Arc<Origin>) -> Self {
        if self.node.is_none() {
            self.message = format!("node `{}` ({}): {}", shortened(node), shortened(target), self.message);
            if origin.is_placed() {
                self.message += &format!(" ({origin})");
            }
            self.node = Some(node.to_string());
            self.origin = Some(Arc::clone(origin));
        }
        self
    }
}

impl From<MetaError> for FrontendError {
    fn from(e: MetaError) -> Self {
        FrontendError::new(e.status(), e.to_string())
    }
}
