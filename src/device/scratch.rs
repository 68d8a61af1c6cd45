//! Folders for what is being compiled: under TMPDIR, private, gone when their owner is, and swept by a later compilation
//! where the owner was killed.
//!
//! A folder is locked (`flock` of the folder itself) as long as it is used, and the system drops the lock with the process.
//! Whoever gets the lock of somebody else's folder may therefore remove it.
//!
//! Deliberately absent: any other name in TMPDIR is never touched.

use std::fs::{DirEntry, File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use super::toolchain::ToolchainError;
use crate::base::file;

const PREFIX: &str = ".litz-compile-";
/// Letters and digits after the prefix.
const RANDOM: usize = 12;
/// How often a process looks for what others left.
const SWEEP_EVERY: Duration = Duration::from_secs(600);
/// Where the file system has no locks, what is older is taken for abandoned: compilers are stopped much earlier.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// A private folder, removed when it is dropped.
pub struct Folder {
    folder: tempfile::TempDir,
    _lock: Option<File>,
}

impl Folder {
    pub fn new() -> Result<Folder, ToolchainError> {
        let parent = parent();
        let cannot = |reason: String| {
            let place = parent.display();
            let what = format!("cannot make a folder for temporary files in `{place}`, {}", whose());
            ToolchainError::Io { what, reason }
        };
        if !parent.is_dir() {
            return Err(cannot(
                if parent.exists() { "it is no folder" } else { "there is no such folder" }.into(),
            ));
        }
        sweep_sometimes(&parent);
        let made = Folder::within(&parent).map_err(|e| cannot(file::reason(&e)))?;
        made.ok_or_else(|| cannot("others remove what is made there".into()))
    }

    /// `None`: a sweep of another process was quicker than the lock, again and again.
    fn within(parent: &Path) -> io::Result<Option<Folder>> {
        for _ in 0..10 {
            let folder = tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM).tempdir_in(parent);
            let folder = folder?;
            // Whatever the umask left of them.
            match std::fs::set_permissions(folder.path(), Permissions::from_mode(0o700)) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                changed => changed?,
            }
            let Ok(file) = File::open(folder.path()) else { continue };
            let locked = lock(&file);
            let there = std::fs::symlink_metadata(folder.path()).is_ok_and(|m| Some(m.ino()) == inode(&file));
            match locked {
                Ok(()) if there => return Ok(Some(Folder { folder, _lock: Some(file) })),
                Err(e) if there && e.kind() != io::ErrorKind::WouldBlock => {
                    return Ok(Some(Folder { folder, _lock: None }));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Writes a file of such a folder.
pub fn write(folder: &Path, name: &str, content: &[u8]) -> Result<PathBuf, ToolchainError> {
    let path = folder.join(name);
    match file::write_private(&path, content) {
        Ok(()) => Ok(path),
        Err(e) => Err(ToolchainError::Io {
            what: format!("cannot write the temporary file `{}`, {}", path.display(), whose()),
            reason: e.to_string(),
        }),
    }
}

/// What TMPDIR names.
fn named() -> Option<PathBuf> {
    std::env::var_os("TMPDIR").filter(|name| !name.is_empty()).map(PathBuf::from)
}

/// Why temporary files lie where they do, as a message goes on.
pub fn whose() -> &'static str {
    match named() {
        Some(_) => "which the environment's TMPDIR names",
        None => "since the environment's TMPDIR names no other place",
    }
}

fn parent() -> PathBuf {
    let given = named().unwrap_or_else(|| "/tmp".into());
    std::path::absolute(&given).unwrap_or(given)
}

/// What is known of the file system that a path lies on.
fn file_system(path: &Path) -> Option<libc::statvfs> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: all-zero is a value of this plain struct.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path is a C string, and the struct is ours.
    let status = unsafe { libc::statvfs(path.as_ptr(), &mut found) };
    (status == 0).then_some(found)
}

/// Whether code that lies there may not be run, as far as that can be told.
pub fn forbids_execution(path: &Path) -> bool {
    file_system(path).is_some_and(|found| found.f_flag & libc::ST_NOEXEC != 0)
}

/// Whether hardly anything more can be written there, as far as that can be told.
pub fn is_full(path: &Path) -> bool {
    const LITTLE: u64 = 1 << 20;
    file_system(path).is_some_and(|found| {
        let room = found.f_bavail.saturating_mul(found.f_frsize);
        room < LITTLE || (found.f_files != 0 && found.f_favail == 0)
    })
}

fn inode(file: &File) -> Option<u64> {
    Some(file.metadata().ok()?.ino())
}

fn lock(file: &File) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `file` is.
    match unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn sweep_sometimes(parent: &Path) {
    static LAST: Mutex<Option<(PathBuf, Instant)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(|e| e.into_inner());
    if last.as_ref().is_some_and(|(place, when)| place == parent && when.elapsed() < SWEEP_EVERY) {
        return;
    }
    *last = Some((parent.to_owned(), Instant::now()));
    drop(last);
    sweep(parent);
}

/// Removes the folders of processes that are gone.
fn sweep(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        if is_abandoned(&entry) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    if !random.is_some_and(|r| r.len() == RANDOM && r.bytes().all(|b| b.is_ascii_alphanumeric())) {
        return false;
    }
    // Of a link this is what is known of the link.
    let Ok(found) = entry.metadata() else { return false };
    if !found.is_dir() || found.uid() != super::effective_user() {
        return false;
    }
    let Ok(file) = File::open(entry.path()) else { return false };
    match lock(&file) {
        Ok(()) => true,
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => false,
        Err(_) => found
            .modified()
            .is_ok_and(|used| SystemTime::now().duration_since(used).is_ok_and(|age| age > ABANDONED)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_stays_and_what_was_left_goes() {
        let parent = tempfile::tempdir().unwrap();
        let place = |name: &str| parent.path().join(name);
        let used = Folder::within(parent.path()).unwrap().unwrap();
        std::fs::write(used.path().join("kernels0.cpp"), "").unwrap();
        assert_eq!(std::fs::metadata(used.path()).unwrap().mode() & 0o777, 0o700);
        let abandoned = place(".litz-compile-abcDEF012345");
        std::fs::create_dir(&abandoned).unwrap();
        std::fs::write(abandoned.join("kernels0.cpp"), "").unwrap();
        for name in [".litz-compile-abc", ".litz-compile-abcDEF01234_", "litz-compile-abcDEF012345", "other"]
        {
            std::fs::create_dir(place(name)).unwrap();
        }
        std::fs::create_dir(place("target")).unwrap();
        std::os::unix::fs::symlink("target", place(".litz-compile-linklinklink")).unwrap();
        std::fs::write(place(".litz-compile-filefilefile"), "").unwrap();
        let count = || std::fs::read_dir(parent.path()).unwrap().count();
        assert_eq!(count(), 9);
        sweep(parent.path());
        assert!(!abandoned.exists() && used.path().join("kernels0.cpp").exists());
        assert_eq!(count(), 8, "nothing else was touched");
        drop(used);
        assert_eq!(count(), 7);
    }
}
