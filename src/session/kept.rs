//! A compilation's entry of the cache: all that it makes, under one key.
//!
//! Invariants: what an entry holds is what the compilation would make; an entry that lacks a file, or whose code does not
//! load, is made again and replaced.
//!
//! Deliberately absent: levels and their upkeep (see `device::cache`).

use super::Options;
use super::describe::Entry;
use crate::base::event::{Channel, Event};
use crate::device::cache::{Cache, Item, Items, Keys, Level};
use std::cell::RefCell;
use std::sync::Arc;

/// An entry that was looked up.
pub struct Kept {
    keys: Keys,
    found: Option<(Level, Items)>,
    /// What it holds beside machine code.
    beside: Vec<Item>,
}

impl Kept {
    /// `what` is what an entry of its kind holds.
    pub fn look_up(cache: &Cache, keys: Keys, what: &'static str, options: &Options) -> Kept {
        let complaints = RefCell::new(Vec::new());
        let found = cache.load(&keys, &|reason| complaints.borrow_mut().push(reason));
        let complaints = complaints.into_inner();
        complaints.iter().for_each(|reason| options.log(1, Channel::Cache, reason));
        let outcome = match &found {
            Some(_) => "hit",
            None if !cache.is_on() => "none",
            None if cache.fresh => "fresh",
            None if !complaints.is_empty() => "damaged",
            None => "miss",
        };
        options.emit(&Event::Cache {
            what,
            outcome,
            level: found.as_ref().map(|found| found.0.name()),
            key: keys.own.hex(),
            bytes: found.iter().flat_map(|found| &*found.1).map(|item| item.bytes.len() as u64).sum(),
        });
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
        cache.store(&self.keys, &Arc::new(items), replace, &|reason| options.log(1, Channel::Cache, &reason));
        Entry::new(cache, &self.keys, None)
    }
}
