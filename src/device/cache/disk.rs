//! The level on disk: results of earlier processes.
//!
//! An entry is a folder named by its key, with the entry's files and a list (`sums`) of their lengths and SHA-256,
//! which ends in its own. It is written beside its place, synced, and renamed, so that no half-written entry is ever
//! seen, whoever else writes the same key at the same time.
//!
//! Invariants:
//! - a cache can only cost time: what cannot be read, or is not what was written, is not there, and is removed;
//! - what `load` gives is what `store` was given under this key, byte for byte: it is hashed after it is read;
//! - nobody else can have written it: the folder belongs to this user, and no one else may write to it.
//!
//! Deliberately absent: what entries mean, and any lock: two processes that make one entry both write it, one stays.

use crate::base::StableSort;
use crate::base::signal::within_limits;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Item, Key, hex};
use sha2::{Digest, Sha256};

/// Changes with the layout of entries; others are then not seen.
const FORMAT: &str = "v1";
/// The file that lists an entry's files.
const SUMS: &str = "sums";
const SUMS_LIMIT: u64 = 64 << 10;
/// What was left half-written by a process that ended is removed after this time.
const ABANDONED: Duration = Duration::from_secs(3600);

/// What looking for an entry gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Entry(Vec<Item>),
    Missing,
    /// Something was there, and it was removed as far as that was possible.
    Damaged(String),
}

/// A folder of entries.
#[derive(Clone, Debug)]
pub struct Disk {
    folder: PathBuf,
    owner: u32,
    max_bytes: u64,
}

impl Disk {
    /// The cache in a folder, which is made where it is missing. The error says why it cannot be used.
    pub fn open(folder: &Path, max_bytes: u64) -> Result<Disk, String> {
        if !folder.is_absolute() {
            return Err(format!("the cache folder `{}` is not an absolute path", folder.display()));
        }
        let owner = crate::device::effective_user();
        make_private(folder, owner)?;
        let folder = folder.join(FORMAT);
        make_private(&folder, owner)?;
        Ok(Disk { folder, owner, max_bytes })
    }

    /// What was stored under a key. It counts as used now.
    pub fn load(&self, key: &Key) -> Found {
        let place = self.folder.join(key.hex());
        let found = self.look(&place, key);
        match &found {
            // For eviction alone; whatever hinders it, the entry is good.
            Found::Entry(_) => drop(File::open(&place).and_then(|f| f.set_modified(SystemTime::now()))),
            Found::Missing => {}
            Found::Damaged(_) => self.discard(&place),
        }
        found
    }

    /// The folder, by which one cache is told from another.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether something lies under a key. It counts as used now.
    pub fn holds(&self, key: &Key) -> bool {
        let place = self.folder.join(key.hex());
        File::open(place).and_then(|f| f.set_modified(SystemTime::now())).is_ok()
    }

    /// Keeps items under a key. An intact entry of that key stays as it is, unless it is to be replaced.
    pub fn store(&self, key: &Key, items: &[Item], replace: bool) -> Result<(), String> {
        let size: u64 = items.iter().map(|item| on_disk(item.bytes.len() as u64)).sum();
        if size > self.max_bytes {
            return Ok(());
        }
        let written = self
            .write(key, items)
            .map_err(|e| format!("cannot write to the cache folder `{}`: {e}", self.folder.display()))?;
        let place = self.folder.join(key.hex());
        if replace {
            self.discard(&place);
        }
        for _ in 0..3 {
            match std::fs::rename(written.path(), &place) {
                Ok(()) => {
                    // The temporary folder is an entry now, and no longer removed.
                    let _ = written.keep();
                    let _ = File::open(&self.folder).and_then(|f| f.sync_all());
                    break;
                }
                Err(_) => match self.look(&place, key) {
                    Found::Entry(_) => break,
                    Found::Missing => {}
                    Found::Damaged(_) => self.discard(&place),
                },
            }
        }
        self.evict();
        Ok(())
    }

    fn write(&self, key: &Key, items: &[Item]) -> std::io::Result<tempfile::TempDir> {
        let private = Permissions::from_mode(0o700);
        let folder =
            tempfile::Builder::new().prefix(".new-").permissions(private).tempdir_in(&self.folder)?;
        let put = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
            file.set_permissions(Permissions::from_mode(0o600))?;
            within_limits(|| file.write_all(bytes))?;
            file.sync_all()
        };
        let mut sums = format!("litz cache {FORMAT} {}\n", key.hex());
        for item in items {
            put(&item.name, &item.bytes)?;
            sums.push_str(&format!(
                "{} {} {}\n",
                hex(&Sha256::digest(&item.bytes)),
                item.bytes.len(),
                item.name
            ));
        }
        sums.push_str(&hex(&Sha256::digest(&sums)));
        put(SUMS, sums.as_bytes())?;
        File::open(folder.path())?.sync_all()?;
        Ok(folder)
    }

    /// What is there now. An entry that another process takes away while it is read is not there.
    fn look(&self, place: &Path, key: &Key) -> Found {
        let which = || std::fs::symlink_metadata(place).ok().map(|m| (m.dev(), m.ino()));
        for _ in 0..3 {
            let before = which();
            match self.read(place, key) {
                Ok(Some(items)) => return Found::Entry(items),
                Ok(None) => return Found::Missing,
                Err(reason) if which() == before => return Found::Damaged(reason),
                Err(_) => {}
            }
        }
        Found::Missing
    }

    /// `None`: there is no such entry. An error: there is one, and it is not what was written.
    fn read(&self, place: &Path, key: &Key) -> Result<Option<Vec<Item>>, String> {
        match std::fs::symlink_metadata(place) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e.to_string()),
            Ok(m) if !m.is_dir() || m.uid() != self.owner => {
                return Err("it is no folder of this user".into());
            }
            Ok(_) => {}
        }
        let sums = self.read_file(&place.join(SUMS), SUMS_LIMIT)?;
        let sums = String::from_utf8(sums).map_err(|_| "its list is no text".to_string())?;
        let damaged = || "its list is not the one that was written".to_string();
        let (listed, stated) = sums.rsplit_once('\n').ok_or_else(damaged)?;
        let listed = format!("{listed}\n");
        if hex(&Sha256::digest(&listed)) != stated {
            return Err(damaged());
        }
        let mut lines = listed.lines();
        if lines.next() != Some(format!("litz cache {FORMAT} {}", key.hex()).as_str()) {
            return Err("it is the entry of another key".into());
        }
        let mut items = Vec::new();
        for line in lines {
            let mut words = line.splitn(3, ' ');
            let (Some(sum), Some(length), Some(name)) = (words.next(), words.next(), words.next()) else {
                return Err(damaged());
            };
            let length: u64 = length.parse().map_err(|_| damaged())?;
            if !is_plain(name) {
                return Err(damaged());
            }
            let bytes = self.read_file(&place.join(name), length)?;
            if bytes.len() as u64 != length || hex(&Sha256::digest(&bytes)) != sum {
                return Err(format!("`{name}` is not what was written"));
            }
            items.push(Item { name: name.to_owned(), bytes });
        }
        Ok(Some(items))
    }

    fn read_file(&self, path: &Path, most: u64) -> Result<Vec<u8>, String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let cannot = |e: std::io::Error| format!("`{name}` cannot be read: {e}");
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(path)
            .map_err(cannot)?;
        let metadata = file.metadata().map_err(cannot)?;
        if !metadata.is_file() || metadata.uid() != self.owner {
            return Err(format!("`{name}` is no file of this user"));
        }
        if metadata.len() > most {
            return Err(format!("`{name}` is longer than it was written"));
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        file.take(most + 1).read_to_end(&mut bytes).map_err(cannot)?;
        Ok(bytes)
    }

    /// Takes an entry away: out of its place at once, then from the disk.
    fn discard(&self, place: &Path) {
        let Ok(away) = tempfile::Builder::new().prefix(".old-").tempdir_in(&self.folder) else { return };
        // Whatever lies there. Another process may have done the same; then there is nothing to move.
        let _ = std::fs::rename(place, away.path().join("entry"));
    }

    /// Removes the entries that were used least recently until the rest fits, and what was left half-written.
    fn evict(&self) {
        let _ = self.prune(self.max_bytes);
    }

    /// How much the folder may hold.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// The entries, the least recently used one first. What was abandoned half-written is removed on the way.
    pub fn entries(&self) -> std::io::Result<Vec<Listed>> {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(&self.folder)?.flatten() {
            let Ok(used) = entry.metadata().and_then(|m| m.modified()) else { continue };
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                if now.duration_since(used).is_ok_and(|age| age > ABANDONED) {
                    let _ = std::fs::remove_dir_all(entry.path());
                }
                continue;
            }
            let files = std::fs::read_dir(entry.path()).into_iter().flatten().flatten();
            let bytes = files.filter_map(|f| Some(on_disk(f.metadata().ok()?.len()))).sum();
            entries.push(Listed { used, bytes, key: name.to_string_lossy().into_owned() });
        }
        entries.stable_sort();
        Ok(entries)
    }

    /// Removes entries, the least recently used ones first, until the others take so many bytes at most. Gives those that
    /// were removed.
    pub fn prune(&self, max_bytes: u64) -> std::io::Result<Vec<Listed>> {
        let mut entries = self.entries()?;
        let mut total: u64 = entries.iter().map(|e| e.bytes).sum();
        let mut removed = 0;
        while total > max_bytes && removed < entries.len() {
            self.discard(&self.folder.join(&entries[removed].key));
            total -= entries[removed].bytes;
            removed += 1;
        }
        entries.truncate(removed);
        Ok(entries)
    }
}

/// An entry, as a list shows it; ordered by its use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    pub used: SystemTime,
    pub bytes: u64,
    pub key: String,
}

/// What a file takes on most disks.
fn on_disk(bytes: u64) -> u64 {
    bytes.next_multiple_of(4096)
}

/// A folder that this user owns and nobody else may write to; made where it is missing.
fn make_private(folder: &Path, owner: u32) -> Result<(), String> {
    let cannot = |e: std::io::Error| format!("the cache folder `{}` cannot be used: {e}", folder.display());
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent).map_err(cannot)?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => return Err(cannot(e)),
        _ => {}
    }
    let found = std::fs::metadata(folder).map_err(cannot)?;
    if !found.is_dir() {
        return Err(format!("`{}` is no folder, so it cannot hold the cache", folder.display()));
    }
    if found.uid() != owner {
        return Err(format!(
            "the cache folder `{}` belongs to another user ({})",
            folder.display(),
            found.uid()
        ));
    }
    if found.mode() & 0o022 != 0 {
        return Err(format!(
            "others may write to the cache folder `{}`; its mode should be 0700",
            folder.display()
        ));
    }
    Ok(())
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name != SUMS
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<Item> {
        let item = |name: &str, bytes: &[u8]| Item { name: name.into(), bytes: bytes.into() };
        vec![item("kernels.so", &[7; 10_000]), item("object0.o", b"an object"), item("empty", b"")]
    }

    fn key(n: u64) -> Key {
        Key::of("test", [n.to_le_bytes().as_slice()])
    }

    struct Bench {
        folder: tempfile::TempDir,
        cache: Disk,
    }

    fn bench(max_bytes: u64) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let cache = Disk::open(&folder.path().join("litz"), max_bytes).unwrap();
        Bench { folder, cache }
    }

    impl Bench {
        fn place(&self, key: &Key) -> PathBuf {
            self.folder.path().join("litz/v1").join(key.hex())
        }
        fn names(&self) -> Vec<String> {
            let listing = std::fs::read_dir(self.folder.path().join("litz/v1")).unwrap();
            let mut names: Vec<String> =
                listing.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        }
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn an_entry_comes_back_under_its_key_alone() {
        let bench = bench(1 << 30);
        assert_eq!(bench.cache.load(&key(1)), Found::Missing);
        bench.cache.store(&key(1), &items(), false).unwrap();
        assert_eq!(bench.cache.load(&key(1)), Found::Entry(items()));
        assert_eq!(bench.cache.load(&key(2)), Found::Missing);
        assert_eq!(bench.names(), [key(1).hex()]);
        assert_eq!(mode(&bench.folder.path().join("litz")), 0o700);
        assert_eq!(mode(&bench.place(&key(1))), 0o700);
        assert_eq!(mode(&bench.place(&key(1)).join("kernels.so")), 0o600);
        bench.cache.store(&key(1), &items(), false).unwrap();
        assert_eq!(bench.names(), [key(1).hex()], "storing it again leaves nothing behind");
        // Where one part ends and the next begins is part of the key.
        assert_ne!(Key::of("a", [b"bc".as_slice(), b"d"]), Key::of("a", [b"b".as_slice(), b"cd"]));
    }

    #[test]
    fn what_is_not_as_written_is_not_there_and_is_replaced() {
        type Damage = fn(&Path);
        let damages: [(&str, Damage); 12] = [
            ("a changed byte", |p| {
                let mut bytes = std::fs::read(p.join("kernels.so")).unwrap();
                bytes[5000] ^= 1;
                std::fs::write(p.join("kernels.so"), bytes).unwrap();
            }),
            ("cut short", |p| {
                let file = OpenOptions::new().write(true).open(p.join("kernels.so")).unwrap();
                file.set_len(100).unwrap();
            }),
            ("grown", |p| {
                let mut file = OpenOptions::new().append(true).open(p.join("empty")).unwrap();
                file.write_all(b"x").unwrap();
            }),
            ("a file is missing", |p| std::fs::remove_file(p.join("object0.o")).unwrap()),
            ("no list", |p| std::fs::remove_file(p.join(SUMS)).unwrap()),
            ("an empty list", |p| std::fs::write(p.join(SUMS), "").unwrap()),
            ("a long list", |p| std::fs::write(p.join(SUMS), vec![b'\n'; 1 << 20]).unwrap()),
            ("a list that is no text", |p| std::fs::write(p.join(SUMS), [0xff; 90]).unwrap()),
            ("a changed list", |p| {
                let list = std::fs::read_to_string(p.join(SUMS)).unwrap();
                std::fs::write(p.join(SUMS), list.replace("object0.o", "object1.o")).unwrap();
            }),
            ("a list that leaves the folder", |p| {
                let mut list = format!("litz cache {FORMAT} {}\n", key(1).hex());
                list.push_str(&format!("{} 5 ../../../outside\n", hex(&Sha256::digest(b"other"))));
                list.push_str(&hex(&Sha256::digest(&list)));
                std::fs::write(p.join(SUMS), list).unwrap();
            }),
            ("a link", |p| {
                std::fs::remove_file(p.join("object0.o")).unwrap();
                std::fs::write(p.join("elsewhere"), b"an object").unwrap();
                std::os::unix::fs::symlink("elsewhere", p.join("object0.o")).unwrap();
            }),
            ("a pipe, which would be waited for", |p| {
                std::fs::remove_file(p.join("object0.o")).unwrap();
                let made = std::process::Command::new("mkfifo").arg(p.join("object0.o")).status().unwrap();
                assert!(made.success());
            }),
        ];
        for (what, damage) in damages {
            let bench = bench(1 << 30);
            std::fs::write(bench.folder.path().join("outside"), b"other").unwrap();
            bench.cache.store(&key(1), &items(), false).unwrap();
            damage(&bench.place(&key(1)));
            assert!(matches!(bench.cache.load(&key(1)), Found::Damaged(_)), "{what}");
            assert_eq!(bench.cache.load(&key(1)), Found::Missing, "{what}: it was removed");
            assert!(bench.names().is_empty(), "{what}: {:?}", bench.names());
            bench.cache.store(&key(1), &items(), false).unwrap();
            damage(&bench.place(&key(1)));
            bench.cache.store(&key(1), &items(), false).unwrap();
            assert_eq!(bench.cache.load(&key(1)), Found::Entry(items()), "{what}: it was replaced");
        }
    }

    #[test]
    fn an_entry_of_another_key_and_one_that_is_no_folder_are_not_taken() {
        let bench = bench(1 << 30);
        bench.cache.store(&key(1), &items(), false).unwrap();
        std::fs::rename(bench.place(&key(1)), bench.place(&key(2))).unwrap();
        assert!(matches!(bench.cache.load(&key(2)), Found::Damaged(why) if why.contains("another key")));
        std::fs::write(bench.place(&key(3)), "a file").unwrap();
        assert!(matches!(bench.cache.load(&key(3)), Found::Damaged(_)));
        bench.cache.store(&key(3), &items(), false).unwrap();
        assert_eq!(bench.cache.load(&key(3)), Found::Entry(items()));
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        // Each entry takes five pages: three for the library, one each for the object and the list.
        let bench = bench(16 * 4096);
        let age = |n: u64, seconds: u64| {
            let folder = File::open(bench.place(&key(n))).unwrap();
            folder.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        for n in 1..=3 {
            bench.cache.store(&key(n), &items(), false).unwrap();
            age(n, 1000 - n);
        }
        assert_eq!(bench.names().len(), 3);
        assert_eq!(bench.cache.load(&key(1)), Found::Entry(items())); // used, so the second is the oldest now
        bench.cache.store(&key(4), &items(), false).unwrap();
        let there = |n: u64| bench.place(&key(n)).exists();
        assert_eq!([1, 2, 3, 4].map(there), [true, false, true, true]);
        // What would fill it alone is not kept at all.
        let large = Item { name: "large".into(), bytes: vec![0; 17 * 4096] };
        bench.cache.store(&key(5), &[large], false).unwrap();
        assert_eq!([1, 2, 3, 4, 5].map(there), [true, false, true, true, false]);
    }

    #[test]
    fn what_was_left_half_written_goes_after_a_while() {
        let bench = bench(1 << 30);
        let folder = bench.folder.path().join("litz/v1");
        for (name, hours) in [(".new-old", 2), (".new-fresh", 0)] {
            std::fs::create_dir(folder.join(name)).unwrap();
            std::fs::write(folder.join(name).join("kernels.so"), "half").unwrap();
            let time = SystemTime::now() - Duration::from_secs(hours * 3600);
            File::open(folder.join(name)).unwrap().set_modified(time).unwrap();
        }
        bench.cache.store(&key(1), &items(), false).unwrap();
        let names = bench.names();
        assert!(names.contains(&".new-fresh".to_string()) && !names.contains(&".new-old".to_string()));
    }

    #[test]
    fn folders_that_others_may_write_to_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("shared");
        std::fs::create_dir(&shared).unwrap();
        std::fs::set_permissions(&shared, Permissions::from_mode(0o770)).unwrap();
        assert!(Disk::open(&shared, 1 << 30).unwrap_err().contains("0700"));
        std::fs::set_permissions(&shared, Permissions::from_mode(0o755)).unwrap();
        assert!(Disk::open(&shared, 1 << 30).is_ok());
        std::fs::set_permissions(shared.join(FORMAT), Permissions::from_mode(0o702)).unwrap();
        assert!(Disk::open(&shared, 1 << 30).unwrap_err().contains("0700"));
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(Disk::open(&folder.path().join("file"), 1 << 30).unwrap_err().contains("no folder"));
        assert!(Disk::open(Path::new("relative"), 1 << 30).unwrap_err().contains("absolute"));
        assert!(Disk::open(Path::new("/dev/null/litz"), 1 << 30).is_err());
        // Another user's: root may make one.
        let foreign = folder.path().join("foreign");
        std::fs::create_dir(&foreign).unwrap();
        if std::os::unix::fs::chown(&foreign, Some(12345), None).is_ok() {
            assert!(Disk::open(&foreign, 1 << 30).unwrap_err().contains("another user"));
        }
    }

    #[test]
    fn many_writers_of_one_key_all_succeed() {
        let bench = bench(1 << 30);
        std::thread::scope(|scope| {
            for n in 0..8 {
                let bench = &bench;
                scope.spawn(move || {
                    for round in 0..10 {
                        bench.cache.store(&key(round % 2), &items(), false).unwrap();
                        if n == 0 {
                            bench.cache.discard(&bench.place(&key(round % 2)));
                        }
                        let found = bench.cache.load(&key(round % 2));
                        assert!(
                            matches!(&found, Found::Missing) || found == Found::Entry(items()),
                            "{found:?}"
                        );
                    }
                });
            }
        });
        assert!(bench.names().iter().all(|n| !n.starts_with('.')), "{:?}", bench.names());
    }
}
