//! The bytes of an artifact, in a file or in memory, and the weights among them.

use super::trailer;
use crate::base::{Bytes, Origin};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// The bytes of an artifact.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    File(&'a File),
    Memory(&'a [u8]),
}

impl Content<'_> {
    pub fn len(self) -> std::io::Result<u64> {
        match self {
            Content::File(file) => Ok(file.metadata()?.len()),
            Content::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }
    pub fn read_exact_at(self, to: &mut [u8], at: u64) -> std::io::Result<()> {
        match self {
            Content::File(file) => file.read_exact_at(to, at),
            Content::Memory(bytes) => {
                let part = usize::try_from(at).ok().and_then(|at| bytes.get(at..)?.get(..to.len()));
                to.copy_from_slice(part.ok_or(std::io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
    pub fn checked_hash(self, bytes: u64) -> std::io::Result<Option<String>> {
        match self {
            Content::File(mut file) => {
                file.seek(SeekFrom::Start(0))?;
                trailer::checked_hash(&mut file, bytes)
            }
            Content::Memory(mut memory) => trailer::checked_hash(&mut memory, bytes),
        }
    }
}

/// The weights of an artifact.
pub(super) enum Mapped {
    File(memmap2::Mmap),
    /// The host's memory, for the time of the call that opens it.
    Lent(*const u8, usize),
}

// SAFETY: nobody writes to it while it is read.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        match self {
            Mapped::File(map) => map,
            // SAFETY: a slice of the host's; `Program::start` replaces what it made of it before the call ends.
            Mapped::Lent(first, bytes) => unsafe { std::slice::from_raw_parts(*first, *bytes) },
        }
    }
}

/// One storage of constants in the weights.
pub(super) struct Piece {
    pub weights: Arc<Mapped>,
    pub offset: usize,
    pub bytes: usize,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &(*self.weights).as_ref()[self.offset..][..self.bytes]
    }
}

impl Bytes for Piece {
    fn origin(&self) -> Origin {
        match *self.weights {
            Mapped::File(_) => Origin::Mapped,
            Mapped::Lent(..) => Origin::Lent,
        }
    }
}
