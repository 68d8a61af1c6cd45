//! Files that the host names: the one way in which they are opened for reading, and the one in which they are written.
//!
//! Invariants:
//! - only regular files are read: a named pipe, a device or a socket is refused without being waited for, and a device is
//!   not even opened, since that alone may do something;
//! - only a free name or a regular file is written to: links (dangling ones, too), pipes, devices and folders stay as they
//!   are. The content is written beside the target, synced, and renamed, so a reader sees the old file or the new one;
//! - a file beside a target carries a hash of the target's name, and its writer locks it (`flock`) until it ends. Who next writes to
//!   that target removes such files that nobody locks: writers that were killed left them;
//! - a file that is replaced keeps its permissions; a new one has those that the process's umask leaves, unless it is private;
//! - a write beyond the process's limit for file sizes (RLIMIT_FSIZE) fails with an error, without the signal that would end a host
//!   that does not expect it (`base/signal.rs`).
//!
//! Deliberately absent: what files hold, and limits of their length, which their readers know.

use super::signal::within_limits;
use rustc_hash::FxHasher;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::hash::Hasher;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Opens a regular file for reading; a link is followed.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    regular(&std::fs::metadata(path)?)?;
    // What lies there may be another thing by now: it is opened without waiting, and looked at again.
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    regular(&metadata)?;
    Ok((file, metadata))
}

/// Reads exactly so many bytes; memory for them is asked for fallibly.
pub fn read_exactly(file: &mut File, bytes: usize) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    content.try_reserve_exact(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
    file.take(bytes as u64).read_to_end(&mut content)?;
    if content.len() != bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(content)
}

/// Whether a file may be written there; see the module's invariants. The error says what stands there instead.
pub fn check_target(path: &Path) -> io::Result<()> {
    existing(path).map(drop)
}

/// Writes a whole file.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = NewFile::beside(path, Access::Data)?;
    file.write_all(content)?;
    file.keep()
}

/// Writes a file that this user alone may use, whatever the umask. It is neither synced nor renamed: use it for temporary files in a
/// folder of their own.
pub fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    within_limits(|| file.write_all(content))
}

/// A file that grows as it is written, for others to read meanwhile: empty, whatever was there.
pub fn begin(path: &Path) -> io::Result<File> {
    let stands = existing(path)?.is_some();
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = if stands { options.open(path)? } else { options.create_new(true).open(path)? };
    regular(&file.metadata()?)?;
    if stands {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Who may use a new file, before the umask takes its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Data,
    /// It may be executed, too.
    Library,
}

/// A file that is being written beside its target. It vanishes unless it is kept.
#[derive(Debug)]
pub struct NewFile {
    file: tempfile::NamedTempFile,
    target: PathBuf,
}

impl NewFile {
    pub fn beside(target: &Path, access: Access) -> io::Result<NewFile> {
        let replaced = existing(target)?;
        let prefix = prefix_for(target);
        remove_abandoned(folder_of(target), &prefix);
        let file = make(folder_of(target), &prefix, access)?;
        if let Some(replaced) = replaced {
            file.as_file().set_permissions(Permissions::from_mode(replaced.mode() & 0o777))?;
        }
        Ok(NewFile { file, target: target.to_owned() })
    }

    /// A file whose name within the folder is known only when it is written.
    pub fn within(folder: &Path, access: Access) -> io::Result<NewFile> {
        Ok(NewFile { file: make(folder, PREFIX, access)?, target: PathBuf::new() })
    }

    /// Gives the finished file its name.
    pub fn keep(self) -> io::Result<()> {
        let target = self.target.clone();
        self.keep_as(&target)
    }

    /// Gives the finished file a name in the folder that it was made in.
    pub fn keep_as(self, target: &Path) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        // Something may have been put there meanwhile.
        existing(target)?;
        self.file.persist(target).map_err(|e| e.error)?;
        // The name is on the disk when its folder is; not every file system can sync one.
        if let Ok(folder) = File::open(folder_of(target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        within_limits(|| self.file.as_file_mut().write(bytes))
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

const PREFIX: &str = ".litz-";

/// What the names of files beside this target begin with. A hash keeps them short enough for any target.
fn prefix_for(target: &Path) -> String {
    let mut hasher = FxHasher::default();
    hasher.write(target.file_name().unwrap_or_default().as_bytes());
    format!("{PREFIX}{:016x}-", hasher.finish())
}

/// A new file that is locked as long as it is open.
fn make(folder: &Path, prefix: &str, access: Access) -> io::Result<tempfile::NamedTempFile> {
    let mode = if access == Access::Library { 0o777 } else { 0o666 };
    loop {
        let file = tempfile::Builder::new()
            .prefix(prefix)
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(folder)
            .map_err(|error| {
                // Callers say which one.
                io::Error::new(error.kind(), format!("no file can be made in the folder: {}", reason(&error)))
            })?;
        // Another writer may take it for an abandoned one before it is locked, and remove it. Where a file system cannot lock, nobody
        // removes anything.
        if file.as_file().lock().is_err() || file.as_file().metadata()?.nlink() > 0 {
            return Ok(file);
        }
    }
}

/// Removes files with this prefix whose writers are gone. What cannot be looked at stays.
fn remove_abandoned(folder: &Path, prefix: &str) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|e| e.file_name().as_bytes().starts_with(prefix.as_bytes())) {
        let path = entry.path();
        let Ok((file, found)) = open(&path) else { continue };
        // Its writer may have ended, and another file may have got the name since.
        let is_same = || std::fs::symlink_metadata(&path).is_ok_and(|now| now.ino() == found.ino());
        if file.try_lock().is_ok() && is_same() {
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// The regular file that stands there, if one does.
fn existing(path: &Path) -> io::Result<Option<Metadata>> {
    match std::fs::symlink_metadata(path) {
        // Without a folder there is no such file either: what fails then is to make one there.
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(e),
        Ok(found) if found.is_symlink() => {
            Err(io::Error::other("it is a symbolic link, which is not written through; name the file itself"))
        }
        Ok(found) => regular(&found).map(|()| Some(found)),
    }
}

fn regular(found: &Metadata) -> io::Result<()> {
    let kind = found.file_type();
    let what = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "something else",
    };
    Err(io::Error::other(format!("it is {what}, not a regular file")))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The cause of an error. `tempfile` adds the path of a temporary file, which says nothing to a user. Its error gives the cause in its text
/// alone.
pub fn reason(error: &io::Error) -> String {
    let said = error.to_string();
    said.split_once(" at path ").map_or(said.as_str(), |(cause, _)| cause).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn names(folder: &Path) -> Vec<String> {
        let listing = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            listing.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_regular_files_are_read_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("file"), "content").unwrap();
        symlink("file", place("link")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(place("pipe")).status().unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(place("socket")).unwrap();
        for name in ["file", "link"] {
            let (mut file, metadata) = open(&place(name)).unwrap();
            assert_eq!(read_exactly(&mut file, metadata.len() as usize).unwrap(), b"content");
            assert_eq!(read_exactly(&mut file, 1).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
            assert_eq!(read_exactly(&mut file, usize::MAX).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
        }
        let refused = [("pipe", "a named pipe"), ("socket", "a socket"), ("", "a folder")];
        for (name, what) in refused {
            assert!(open(&place(name)).unwrap_err().to_string().contains(what), "{name}");
        }
        assert!(open(Path::new("/dev/zero")).unwrap_err().to_string().contains("a device"));
        assert_eq!(open(&place("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn only_regular_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("victim"), "precious").unwrap();
        symlink("victim", place("link")).unwrap();
        symlink("nowhere", place("dangling")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(place("pipe")).status().unwrap().success());
        std::fs::create_dir(place("folder")).unwrap();
        let before = names(folder.path());
        for name in ["link", "dangling", "pipe", "folder"] {
            assert!(check_target(&place(name)).is_err(), "{name}");
            assert!(write(&place(name), b"new").is_err(), "{name}");
        }
        assert_eq!(names(folder.path()), before);
        assert_eq!(std::fs::read(place("victim")).unwrap(), b"precious");
        // What is put there after the writing began stays, too.
        let mut late = NewFile::beside(&place("late"), Access::Data).unwrap();
        late.write_all(b"new").unwrap();
        symlink("victim", place("late")).unwrap();
        assert!(late.keep().unwrap_err().to_string().contains("symbolic link"));
        assert_eq!(std::fs::read(place("victim")).unwrap(), b"precious");
    }

    #[test]
    fn what_killed_writers_left_is_removed_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let begin = |name: &str| {
            let mut file = NewFile::beside(&place(name), Access::Data).unwrap();
            file.write_all(b"half").unwrap();
            file
        };
        // A killed writer's file keeps its name and loses its lock.
        let kill = |writer: NewFile| drop(writer.file.keep().unwrap());
        let other = begin("other");
        kill(begin("state"));
        kill(begin("state"));
        assert_eq!(names(folder.path()).len(), 2, "the second removed what the first left");
        let alive = begin("state");
        assert_eq!(names(folder.path()).len(), 2);
        kill(other);
        write(&place("state"), b"whole").unwrap();
        assert_eq!(names(folder.path()).len(), 3, "those of a living writer and of another name stay");
        alive.keep().unwrap();
        write(&place("other"), b"").unwrap();
        assert_eq!(names(folder.path()), ["other", "state"]);
        assert_eq!(std::fs::read(place("state")).unwrap(), b"half");
        // A name as long as can be.
        write(&place(&"n".repeat(255)), b"").unwrap();
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions_and_a_new_one_has_the_umasks() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let mode = |name: &str| std::fs::metadata(place(name)).unwrap().mode() & 0o777;
        std::fs::write(place("plain"), "").unwrap();
        write(&place("new"), b"content").unwrap();
        assert_eq!(mode("new"), mode("plain"));
        let library = NewFile::beside(&place("library"), Access::Library).unwrap();
        library.keep().unwrap();
        assert_eq!(mode("library"), mode("plain") | (mode("plain") & 0o444) >> 2);
        std::fs::set_permissions(place("new"), Permissions::from_mode(0o600)).unwrap();
        write(&place("new"), b"other").unwrap();
        assert_eq!((mode("new"), std::fs::read(place("new")).unwrap()), (0o600, b"other".to_vec()));
        let error = write(&place("none/file"), b"").unwrap_err();
        assert!(!error.to_string().contains(".litz-"), "{error}");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
