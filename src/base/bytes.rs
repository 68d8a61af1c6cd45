//! Bytes that many hold and nobody changes: constants' data, mapped files.

use std::sync::Arc;

/// Whose memory bytes lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The library's.
    Held,
    /// The host's, which promised to keep them.
    Borrowed,
    /// The host's, for the time of a call alone.
    Lent,
    /// A file that is mapped privately and never written: pages that are given back are read again from the file.
    Mapped,
}

/// Bytes that stay where and as they are while this lives.
pub trait Bytes: AsRef<[u8]> + Send + Sync {
    fn origin(&self) -> Origin;
}

pub type SharedBytes = Arc<dyn Bytes>;

impl Bytes for Vec<u8> {
    fn origin(&self) -> Origin {
        Origin::Held
    }
}

impl Bytes for memmap2::Mmap {
    fn origin(&self) -> Origin {
        Origin::Mapped
    }
}
