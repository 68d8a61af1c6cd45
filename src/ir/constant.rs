//! The data of a constant, wherever it lies.

use crate::base::{Bytes, Origin, SharedBytes};
use std::fmt;
use std::ops::Range;

/// Bytes that stay where they are as long as this lives.
pub enum ConstantData {
    Owned(Vec<u8>),
    /// A piece of something larger that is shared: a mapped file, an archive in memory.
    Shared {
        owner: SharedBytes,
        range: Range<usize>,
    },
}

impl ConstantData {
    pub fn bytes(&self) -> &[u8] {
        match self {
            ConstantData::Owned(bytes) => bytes,
            ConstantData::Shared { owner, range } => &(**owner).as_ref()[range.clone()],
        }
    }
}

impl AsRef<[u8]> for ConstantData {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

impl Bytes for ConstantData {
    fn origin(&self) -> Origin {
        match self {
            ConstantData::Owned(_) => Origin::Held,
            ConstantData::Shared { owner, .. } => owner.origin(),
        }
    }
}

impl fmt::Debug for ConstantData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConstantData({} bytes)", self.bytes().len())
    }
}
