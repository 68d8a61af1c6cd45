//! The file that a trace is written to: what waits, when it is written, and which of the process's options write to it together.
//!
//! Invariant: the file is a complete JSON list between two writes.

use crate::base::{file, signal};
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Whether an event waits to be written together with later ones.
#[derive(Clone, Copy)]
pub enum Waits {
    No,
    /// Until so much time has gone since the last write: short stages cost no call to the system each.
    Shortly,
    /// For the next event that is no detail.
    Long,
}

/// How long events of a compilation wait.
pub const SHORTLY: Duration = Duration::from_millis(10);

/// A trace on disk: a JSON list. It is complete when a compilation begins and ends, after each event outside of one, and within one
/// after each stage that ends [`SHORTLY`] after the last write. Details are written together with what follows.
pub struct TraceFile {
    name: Arc<Name>,
    state: Mutex<State>,
}

/// Which file a trace is written to.
struct Name {
    path: PathBuf,
    /// Known once the file is open.
    identity: OnceLock<Identity>,
}

/// Device and number of a file.
type Identity = (u64, u64);

fn identity(about: &Metadata) -> Identity {
    (about.dev(), about.ino())
}

impl Name {
    /// Whether this is the file `there`, at a path. A file that was removed or replaced since is another one.
    fn is(&self, path: &Path, there: Option<Identity>) -> bool {
        self.identity.get().map_or(self.path == path, |own| Some(*own) == there)
    }
}

enum State {
    Closed,
    /// `waiting`: bytes to write at the offset `end`.
    Open {
        file: File,
        end: u64,
        waiting: Vec<u8>,
        is_empty: bool,
        /// When it was written to.
        written: Instant,
    },
    Failed,
}

/// What ends the list; the next event is written over it.
pub const CLOSING: &[u8] = b"\n]\n";

/// More bytes than this do not wait, even if all of them are details.
pub const MOST_WAITING: usize = 1 << 16;

impl TraceFile {
    /// The file at a path: the one that others of this process write to, since two writers would write over one another, or a
    /// new one.
    pub fn at(path: &Path) -> Arc<TraceFile> {
        // A file is written when its last handle goes. Names are kept apart, so that a search takes no handles of other files.
        static IN_USE: Mutex<Vec<(Arc<Name>, Weak<TraceFile>)>> = Mutex::new(Vec::new());
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|(_, file)| file.strong_count() > 0);
        let there = std::fs::metadata(path).ok().as_ref().map(identity);
        let found = in_use.iter().filter(|(name, _)| name.is(path, there)).filter_map(|(_, f)| f.upgrade());
        found.into_iter().find(|file| !file.has_failed()).unwrap_or_else(|| {
            let name = Arc::new(Name { path: path.to_owned(), identity: OnceLock::new() });
            let made = TraceFile { name: Arc::clone(&name), state: Mutex::new(State::Closed) };
            let made = Arc::new(made);
            in_use.push((name, Arc::downgrade(&made)));
            made
        })
    }

    pub fn path(&self) -> &Path {
        &self.name.path
    }

    fn has_failed(&self) -> bool {
        matches!(*self.state.lock().unwrap_or_else(PoisonError::into_inner), State::Failed)
    }

    pub fn open(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Closed = *state {
            let mut file = file::begin(self.path())?;
            signal::within_limits(|| file.write_all(&[b"[", CLOSING].concat()))?;
            let own = identity(&file.metadata()?);
            self.name.identity.get_or_init(|| own);
            *state =
                State::Open { file, end: 1, waiting: Vec::new(), is_empty: true, written: Instant::now() };
        }
        Ok(())
    }

    /// Nothing once it failed, which is told once.
    pub fn append(&self, waits: Waits, append: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        self.open()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State::Open { waiting, is_empty, written, .. } = &mut *state else { return Ok(()) };
        waiting.extend_from_slice(if std::mem::take(is_empty) { b"\n" } else { b",\n" });
        append(waiting);
        let waits = match waits {
            Waits::No => false,
            Waits::Shortly => written.elapsed() < SHORTLY,
            Waits::Long => true,
        };
        if waits && waiting.len() < MOST_WAITING { Ok(()) } else { state.write() }
    }
}

impl State {
    /// Writes what waits.
    fn write(&mut self) -> io::Result<()> {
        let State::Open { file, end, waiting, written, .. } = self else { return Ok(()) };
        if waiting.is_empty() {
            return Ok(());
        }
        let bytes = waiting.len();
        waiting.extend_from_slice(CLOSING);
        // In one call: the list is complete again once it returns.
        let outcome = signal::within_limits(|| file.write_all_at(waiting, *end));
        *end += bytes as u64;
        *written = Instant::now();
        waiting.clear();
        if outcome.is_err() {
            *self = State::Failed;
        }
        outcome
    }
}

/// Writes the details of a compilation that panicked. Every other compilation ends with an event that is no detail.
impl Drop for TraceFile {
    fn drop(&mut self) {
        // Nobody is left to hear that it failed.
        let _ = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).write();
    }
}
