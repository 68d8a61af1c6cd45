//! Files that are mapped: the bytes of weights stay where they lie.
//!
//! Invariants: only regular files are mapped; a file that another one names lies in that one's folder, links followed.

use super::error::{FrontendError, Result};
use crate::base::{SharedBytes, Status, file};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Bytes that several constants share.
pub type Shared = SharedBytes;

/// Maps a file.
pub fn map(path: &Path) -> Result<Shared> {
    let io = |what: &str, e: std::io::Error| FrontendError::new(Status::Io, format!("{what}: {e}"));
    let (file, metadata) = file::open(path).map_err(|e| io("the file cannot be opened", e))?;
    if metadata.len() == 0 {
        return Err(FrontendError::parse("the file is empty"));
    }
    // SAFETY: the mapping is private and read-only; that the file is not written to meanwhile is what this module's
    // documentation asks of the user, as every mapped file does.
    let mapped = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| io("the file cannot be mapped", e))?;
    Ok(Arc::new(mapped))
}

/// The file that another one in this folder names; it lies in the folder, too.
pub fn beside(folder: &Path, location: &str) -> Result<PathBuf> {
    let outside = || FrontendError::parse("it does not lie within the folder of the file that names it");
    let relative = Path::new(location);
    let plain = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    if location.is_empty() || !relative.components().all(plain) {
        return Err(outside());
    }
    let io = |e: std::io::Error| FrontendError::new(Status::Io, format!("the file cannot be found: {e}"));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = folder.canonicalize().map_err(io)?;
    let path = folder.join(relative).canonicalize().map_err(io)?;
    if path.starts_with(&folder) { Ok(path) } else { Err(outside()) }
}

/// Whether bytes lie aligned for every dtype.
pub fn is_aligned(bytes: &[u8]) -> bool {
    (bytes.as_ptr() as usize).is_multiple_of(8)
}
