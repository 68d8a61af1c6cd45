//! A compilation's entry of the cache: all that it makes, under one key.
//!
//! The halves of a training program are one entry, whichever is compiled first.
//!
//! Invariants: what an entry holds is what the compilation would make; an entry that lacks a file, or whose code does not
//! load, is made again and replaced. A half replaces its own files alone.
//!
//! Deliberately absent: levels and their upkeep (see `device::cache`).

use super::Options;
use super::describe::Entry;
use crate::base::event::{Channel, Event};
use crate::device::cache::{Cache, Item, Items, Key, Keys, Level};
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

/// The inputs of a compilation that decide an entry's content.
pub struct Depends<'a> {
    /// The kind of entry, as events name it.
    pub what: &'static str,
    /// The architectures that the code is for.
    pub target: String,
    /// The sources, with the compiler and its options.
    pub parts: Vec<Cow<'a, [u8]>>,
    /// The compiler's file on this machine.
    pub here: String,
}

/// A half of a training program. The options of its compilation hold it.
#[derive(Clone)]
pub struct TrainingHalf {
    pub name: &'static str,
    /// Identifies the program: both halves and the options.
    pub program: Key,
}

/// The file with the key that a half would have alone.
const KEY: &str = "key";

/// An entry that was looked up.
pub struct Kept {
    keys: Keys,
    found: Option<(Level, Items)>,
    /// The prefix of the compilation's files: a half's name, empty for a whole program.
    prefix: String,
    /// Files beside the machine code.
    beside: Vec<Item>,
}

impl Depends<'_> {
    fn keys(&self) -> Keys {
        let version = [env!("CARGO_PKG_VERSION"), &self.target].map(str::as_bytes);
        Keys::of(self.what, version.into_iter().chain(self.parts.iter().map(|p| &**p)), &self.here)
    }

    /// The keys of the entry of both halves.
    fn keys_of(&self, program: &Key) -> Keys {
        let parts = [env!("CARGO_PKG_VERSION").as_bytes(), self.target.as_bytes(), program.bytes()];
        Keys::of("training", parts, &self.here)
    }
}

fn file<'a>(items: &'a [Item], prefix: &str, name: &str) -> Option<&'a [u8]> {
    let found = items.iter().find(|item| item.name.strip_prefix(prefix) == Some(name));
    found.map(|item| &item.bytes[..])
}

impl Kept {
    pub fn look_up(cache: &Cache, depends: &Depends<'_>, options: &Options) -> Kept {
        let complaints = RefCell::new(Vec::new());
        let complain = |reason| complaints.borrow_mut().push(reason);
        let (mut keys, mut prefix, mut beside) = (depends.keys(), String::new(), Vec::new());
        if let Some(half) = &options.half {
            beside.push(Item { name: KEY.into(), bytes: keys.own.hex().into_bytes() });
            (keys, prefix) = (depends.keys_of(&half.program), format!("{}-", half.name));
        }
        // A half is found if its own key is the same.
        let is_same =
            |items: &Items| beside.iter().all(|item| file(items, &prefix, &item.name) == Some(&item.bytes));
        let found = cache.load(&keys, &complain).filter(|(_, items)| is_same(items));
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
            what: depends.what,
            outcome,
            level: found.as_ref().map(|found| found.0.name()),
            key: keys.own.hex(),
            bytes: found.iter().flat_map(|found| &*found.1).map(|item| item.bytes.len() as u64).sum(),
        });
        Kept { keys, found, prefix, beside }
    }

    /// A file that the entry holds.
    pub fn item(&self, name: &str) -> Option<&[u8]> {
        let (_, items) = self.found.as_ref()?;
        file(items, &self.prefix, name)
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
        let complain = |reason: String| options.log(1, Channel::Cache, &reason);
        let own = self.beside.into_iter().chain(made);
        let mut items: Vec<Item> =
            own.map(|item| Item { name: format!("{}{}", self.prefix, item.name), ..item }).collect();
        let is_half = !self.prefix.is_empty();
        if is_half {
            // The other half may have been stored since the entry was looked up. A fresh compilation keeps it, too.
            let entry = Cache { fresh: false, ..cache.clone() }.load(&self.keys, &complain);
            let others = entry.iter().flat_map(|(_, items)| &**items);
            items.extend(others.filter(|item| !item.name.starts_with(&self.prefix)).cloned());
        }
        let replace = self.found.is_some() || is_half;
        cache.store(&self.keys, &Arc::new(items), replace, &complain);
        Entry::new(cache, &self.keys, None)
    }
}
