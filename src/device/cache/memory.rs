//! The level in memory: what this process compiled or found, for its next compilations.
//!
//! Invariants: entries of one configuration of levels are not seen by another, so that a folder and a store hold what
//! their compilations made; the table of the process stays within the bound of whoever stored last.

use super::{Items, Key};
use crate::base::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard};

/// The process's entries that belong to one configuration of the other levels.
#[derive(Clone, Debug)]
pub struct Memory {
    configuration: Key,
    max_bytes: u64,
}

/// The entries of the process, the one that was used least recently first.
#[derive(Default)]
struct Table {
    entries: HashMap<(Key, Key), Items>,
    bytes: u64,
}

fn table() -> MutexGuard<'static, Table> {
    static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(Mutex::default);
    TABLE.lock().unwrap_or_else(|e| e.into_inner())
}

/// Drops all entries.
pub fn forget() {
    *table() = Table::default();
}

fn size(items: &Items) -> u64 {
    items.iter().map(|item| (item.name.len() + item.bytes.len()) as u64).sum()
}

impl Table {
    fn load(&mut self, key: &(Key, Key)) -> Option<Items> {
        let items = self.take(key)?;
        self.put(*key, items.clone());
        Some(items)
    }
    fn store(&mut self, key: (Key, Key), items: &Items, max_bytes: u64) {
        self.take(&key);
        if size(items) > max_bytes {
            return;
        }
        self.put(key, items.clone());
        while self.bytes > max_bytes {
            let Some(oldest) = self.entries.get_index(0).map(|(key, _)| *key) else { return };
            self.take(&oldest);
        }
    }
    fn take(&mut self, key: &(Key, Key)) -> Option<Items> {
        let items = self.entries.shift_remove(key)?;
        self.bytes -= size(&items);
        Some(items)
    }
    fn put(&mut self, key: (Key, Key), items: Items) {
        self.bytes += size(&items);
        self.entries.insert(key, items);
    }
}

impl Memory {
    /// `configuration` names the other levels.
    pub fn new(configuration: &[&[u8]], max_bytes: u64) -> Memory {
        Memory { configuration: Key::of("configuration", configuration.iter().copied()), max_bytes }
    }
    pub fn load(&self, key: &Key) -> Option<Items> {
        table().load(&(self.configuration, *key))
    }
    pub fn store(&self, key: &Key, items: &Items) {
        table().store((self.configuration, *key), items, self.max_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Item;
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_least_recently_used_goes_first() {
        let items = |n: usize| Arc::new(vec![Item { name: "x".into(), bytes: vec![1; n] }]);
        let key = |n: u8| (Key::of("one", []), Key::of("memory", [[n].as_slice()]));
        let mut table = Table::default();
        for n in 0..3 {
            table.store(key(n), &items(900), 3000);
        }
        assert!(table.load(&key(0)).is_some());
        table.store(key(3), &items(900), 3000);
        assert_eq!([0, 1, 2, 3].map(|n| table.load(&key(n)).is_some()), [true, false, true, true]);
        assert!(table.load(&(Key::of("another", []), key(0).1)).is_none());
        table.store(key(4), &items(4000), 3000);
        assert!(table.load(&key(4)).is_none() && table.load(&key(3)).is_some());
        table.store(key(3), &items(4000), 3000);
        assert!(table.load(&key(3)).is_none(), "what it held before is stale");
        assert_eq!(table.bytes, table.entries.values().map(size).sum::<u64>());
    }
}
