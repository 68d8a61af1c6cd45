//! A compilation's entry of the cache: all that it makes, under one key.
//!
//! Invariants: what an entry holds is what the compilation would make; an entry that lacks a file, or whose code does not
//! load, is made again and replaced.
//!
//! Deliberately absent: levels and their upkeep (see `device::cache`).

use super::Options;
use super::describe::Entry;
use crate::device::cache::{Cache, Item, Items, Keys, Level};
use std::sync::Arc;

/// An entry that was looked up.
pub struct Kept {
    keys: Keys,
    found: Option<(Level, Items)>,
    /// What it holds beside machine code.
    beside: Vec<Item>,
}

impl Kept {
    pub fn look_up(cache: &Cache, keys: Keys, options: &Options) -> Kept {
        let found = cache.load(&keys, &|reason| options.log(1, &reason));
        let said = match &found {
            Some((level, _)) => format!("found on the level {}", level.name()),
            None => "not found".to_string(),
        };
        if cache.is_on() {
            options.log(3, &format!("the cache's entry {} is {said}", keys.own.hex()));
        }
        Kept { keys, found, beside: Vec::new() }
    }

    /// A file that the entry holds.
    pub fn item(&self, name: &str) -> Option<&[u8]> {
        let (_, items) = self.found.as_ref()?;
        items.iter().find(|item| item.name == name).map(|item| &item.bytes[..])
    }

    /// Adds a file that is not machine code; it is kept with the rest.
    pub fn add(&mut self, item: Item) {
        self.beside.push(item);
    }

    /// The entry as describe says it, of a compilation that used it.
    pub fn used(&self, cache: &Cache) -> Entry {
        Entry::new(cache, &self.keys, self.found.as_ref().map(|found| found.0))
    }

    /// Keeps what was made instead of it.
    pub fn store(self, cache: &Cache, made: Vec<Item>, options: &Options) -> Entry {
        let items = self.beside.into_iter().chain(made).collect();
        let replace = self.found.is_some();
        cache.store(&self.keys, &Arc::new(items), replace, &|reason| options.log(1, &reason));
        Entry::new(cache, &self.keys, None)
    }
}
