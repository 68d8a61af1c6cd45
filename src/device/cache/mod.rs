//! Results of earlier compilations: found again under a key, or not. There are up to three levels, the nearest first: this
//! process's memory, a folder on disk, and a store that machines share.
//!
//! Invariants:
//! - a cache can only cost time: an entry that cannot be read, or is not what was written, counts as missing;
//! - what `load` gives is what `store` was given under this key, byte for byte;
//! - an entry that a farther level has is copied to the nearer ones.
//!
//! Deliberately absent: what entries mean.

mod disk;
mod memory;
#[cfg(feature = "remote-cache")]
mod remote;

pub use disk::{Disk, Found, Listed};
pub use memory::{Memory, forget};
#[cfg(feature = "remote-cache")]
pub use remote::{Limits, Remote, check_url};

use sha2::{Digest, Sha256};
use std::sync::Arc;

/// What an entry is found by: a hash of everything that its content depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of the parts, in order; `kind` keeps keys for different things apart.
    pub fn of<'a>(kind: &'a str, parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
        let mut hash = Sha256::new();
        for part in std::iter::once(kind.as_bytes()).chain(parts) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hash.finalize().into())
    }
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The keys of one entry. Machines tell compilers apart by their files, whose places and times differ between machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// On this machine.
    pub own: Key,
    /// Where machines share entries.
    pub shared: Key,
}

impl Keys {
    /// The keys of the parts, in order; `here` is what else tells the entry from others on this machine.
    pub fn of<'a>(kind: &'a str, parts: impl IntoIterator<Item = &'a [u8]>, here: &str) -> Keys {
        let shared = Key::of(kind, parts);
        Keys { own: Key::of("own", [shared.bytes().as_slice(), here.as_bytes()]), shared }
    }
}

/// A file of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Letters, digits, `_`, `-` and inner dots.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The files of an entry.
pub type Items = Arc<Vec<Item>>;

/// Where an entry was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Memory,
    Disk,
    #[cfg(feature = "remote-cache")]
    Remote,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Memory => "memory",
            Level::Disk => "disk",
            #[cfg(feature = "remote-cache")]
            Level::Remote => "remote",
        }
    }
}

/// The levels that a compilation uses.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    pub memory: Option<Memory>,
    pub disk: Option<Disk>,
    #[cfg(feature = "remote-cache")]
    pub remote: Option<Remote>,
    /// Nothing is looked up; what is made replaces what was there.
    pub fresh: bool,
}

/// Receives what is wrong with a level.
pub type Complain<'a> = &'a dyn Fn(String);

impl Cache {
    /// Whether there is a level.
    pub fn is_on(&self) -> bool {
        #[cfg(feature = "remote-cache")]
        if self.remote.is_some() {
            return true;
        }
        self.memory.is_some() || self.disk.is_some()
    }

    /// What was stored under these keys, and where it was found. It counts as used now.
    pub fn load(&self, keys: &Keys, complain: Complain) -> Option<(Level, Items)> {
        if self.fresh {
            return None;
        }
        if let Some(items) = self.memory.as_ref().and_then(|memory| memory.load(&keys.own)) {
            // The folder may have been emptied since, and later processes have no other.
            if let Some(disk) = self.disk.as_ref().filter(|disk| !disk.holds(&keys.own)) {
                disk.store(&keys.own, &items, false).unwrap_or_else(complain);
            }
            return Some((Level::Memory, items));
        }
        match self.disk.as_ref().map(|disk| disk.load(&keys.own)) {
            Some(Found::Entry(items)) => {
                let items = Arc::new(items);
                self.remember(keys, &items);
                return Some((Level::Disk, items));
            }
            Some(Found::Damaged(reason)) => {
                complain(format!("an entry of the cache is damaged and made again: {reason}"));
            }
            Some(Found::Missing) | None => {}
        }
        #[cfg(feature = "remote-cache")]
        match self.remote.as_ref().map(|remote| remote.load(&keys.shared)) {
            Some(Ok(Some(items))) => {
                self.remember(keys, &items);
                if let Some(disk) = &self.disk {
                    disk.store(&keys.own, &items, true).unwrap_or_else(complain);
                }
                return Some((Level::Remote, items));
            }
            Some(Err(reason)) => complain(reason),
            Some(Ok(None)) | None => {}
        }
        None
    }

    /// Keeps items under these keys. An intact entry on disk stays as it is, unless it is to be replaced.
    pub fn store(&self, keys: &Keys, items: &Items, replace: bool, complain: Complain) {
        self.remember(keys, items);
        if let Some(disk) = &self.disk {
            disk.store(&keys.own, items, replace || self.fresh).unwrap_or_else(complain);
        }
        #[cfg(feature = "remote-cache")]
        if let Some(remote) = &self.remote {
            remote.store(&keys.shared, items).unwrap_or_else(complain);
        }
    }

    fn remember(&self, keys: &Keys, items: &Items) {
        if let Some(memory) = &self.memory {
            memory.store(&keys.own, items);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Items {
        Arc::new(vec![Item { name: "text".into(), bytes: text.into() }])
    }

    #[test]
    fn an_entry_is_copied_to_the_levels_before_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("litz");
        let keys = Keys::of("levels", [b"one".as_slice()], "here");
        let disk = || Some(Disk::open(&place, 1 << 20).unwrap());
        let memory = || Some(Memory::new(&[place.as_os_str().as_encoded_bytes()], 1 << 20));
        let fail = |reason: String| panic!("{reason}");
        let both = Cache { memory: memory(), disk: disk(), ..Cache::default() };
        assert!(both.load(&keys, &fail).is_none());
        both.store(&keys, &items("one"), false, &fail);
        assert_eq!(both.load(&keys, &fail), Some((Level::Memory, items("one"))));
        // Another process, which has the folder alone.
        let other = Cache { memory: Some(Memory::new(&[b"another"], 1 << 20)), ..both.clone() };
        assert_eq!(other.load(&keys, &fail).map(|found| found.0), Some(Level::Disk));
        assert_eq!(other.load(&keys, &fail).map(|found| found.0), Some(Level::Memory));
        // An emptied folder is filled again by who has the entry in memory.
        std::fs::remove_dir_all(place.join("v1").join(keys.own.hex())).unwrap();
        assert_eq!(both.load(&keys, &fail).map(|found| found.0), Some(Level::Memory));
        let on_disk = Cache { memory: None, ..both.clone() };
        assert_eq!(on_disk.load(&keys, &fail), Some((Level::Disk, items("one"))));
        // A fresh compilation finds nothing, and what it makes is what others find.
        let fresh = Cache { fresh: true, ..both.clone() };
        assert!(fresh.load(&keys, &fail).is_none());
        fresh.store(&keys, &items("two"), false, &fail);
        for cache in [&both, &on_disk] {
            assert_eq!(cache.load(&keys, &fail).map(|found| found.1), Some(items("two")));
        }
    }

    #[test]
    fn machines_share_what_does_not_name_their_files() {
        let keys = |here| Keys::of("shared", [b"text".as_slice()], here);
        assert_eq!(keys("a").shared, keys("b").shared);
        assert_ne!(keys("a").own, keys("b").own);
    }
}
