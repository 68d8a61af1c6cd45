//! An artifact's weights: they lie in its file, in a file beside it, or in the host's memory.
//!
//! Invariant: a file beside it is only taken where its trailer has the artifact's identity, and its hash is right.

use super::content::{Content, Mapped, Piece};
use super::open::{bad, check_hash};
use super::trailer::{self, Kind, Trailer};
use crate::base::{SharedBytes, file};
use crate::plan::{Plan, Storage};
use crate::runtime::RuntimeError;
use std::path::Path;
use std::sync::Arc;

/// The data of a plan's storages.
pub(super) fn constants(plan: &Plan, weights: Option<&Arc<Mapped>>) -> Vec<SharedBytes> {
    let piece = |s: &Storage| -> SharedBytes {
        match weights {
            Some(weights) if s.bytes != 0 => Arc::new(Piece {
                weights: weights.clone(),
                offset: s.offset as usize,
                bytes: s.bytes as usize,
            }),
            _ => Arc::new(Vec::new()),
        }
    };
    plan.storages.iter().map(piece).collect()
}

/// An artifact's weights, wherever they lie.
pub(super) fn mapped_weights(
    path: &Path,
    content: Content<'_>,
    trailer: &Trailer,
) -> Result<Option<Arc<Mapped>>, RuntimeError> {
    Ok(match trailer.weights_bytes {
        0 => None,
        _ if trailer.flags & trailer::FLAG_EXTERNAL == 0 => Some(weights_of(path, content, trailer)?),
        _ => Some(external_weights(path, trailer)?),
    })
}

/// The weights that lie in an artifact, or in a file of weights.
fn weights_of(path: &Path, content: Content<'_>, trailer: &Trailer) -> Result<Arc<Mapped>, RuntimeError> {
    let (offset, bytes) = (trailer.weights_offset, trailer.weights_bytes);
    let outside = || bad(path, "its weights lie outside of it");
    if !offset.is_multiple_of(trailer::PAGE) {
        return Err(outside());
    }
    let end = offset.checked_add(bytes).ok_or_else(outside)?;
    let weights = match content {
        Content::File(file) => {
            if file.metadata().map_or(0, |m| m.len()) < end {
                return Err(outside());
            }
            let mut options = memmap2::MmapOptions::new();
            options.offset(offset).len(bytes as usize);
            // SAFETY: the mapping is private and only read; a file that someone else cuts while it is mapped is the loader's trouble
            // too.
            Mapped::File(unsafe { options.map(file) }.map_err(|e| {
                RuntimeError::io(format!("cannot map the weights of `{}`", path.display()), &e)
            })?)
        }
        Content::Memory(memory) => {
            let part = memory.get(offset as usize..end as usize).ok_or_else(outside)?;
            Mapped::Lent(part.as_ptr(), part.len())
        }
    };
    Ok(Arc::new(weights))
}

/// External weights: theirs is the trailer with the same identity.
fn external_weights(path: &Path, trailer: &Trailer) -> Result<Arc<Mapped>, RuntimeError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".weights");
    let path = Path::new(&name);
    let (file, _) = file::open(path)
        .map_err(|e| RuntimeError::io(format!("cannot open the weights `{}`", path.display()), &e))?;
    let (theirs, _) = check_hash(path, Content::File(&file), |theirs, _| match theirs {
        None => Err(bad(path, "it does not end as a file of weights does")),
        Some(t) if t.kind != Kind::Weights as u32 || t.id != trailer.id => {
            Err(bad(path, "it holds the weights of another program"))
        }
        Some(t) => Ok(t),
    })?;
    if theirs.weights_bytes != trailer.weights_bytes {
        return Err(bad(path, "it holds the weights of another program"));
    }
    weights_of(path, Content::File(&file), &theirs)
}
