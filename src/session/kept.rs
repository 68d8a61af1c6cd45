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

/// What an entry depends on.
pub struct Depends<'a> {
    /// What an entry of its kind holds.
    pub what: &'static str,
    /// The machines that code is for.
    pub target: String,
    /// What is compiled, and by what.
    pub parts: Vec<Cow<'a, [u8]>>,
    /// What else tells the entry from others on this machine.
    pub here: String,
}

/// A half of a training program, as its compilation's options name it.
#[derive(Clone)]
pub struct TrainingHalf {
    pub name: &'static str,
    /// Tells the program from others.
    pub program: Key,
}

/// A half's files in the entry of both.
struct Part {
    /// What stands before their names.
    prefix: String,
    /// What the half depends on. A file of the entry holds it.
    key: String,
}

/// The file of that key.
const KEY: &str = "key";

/// An entry that was looked up.
pub struct Kept {
    keys: Keys,
    found: Option<(Level, Items)>,
    part: Option<Part>,
    /// What it holds beside machine code.
    beside: Vec<Item>,
}

impl Depends<'_> {
    fn keys(&self) -> Keys {
        let version = [env!("CARGO_PKG_VERSION"), &self.target].map(str::as_bytes);
        Keys::of(self.what, version.into_iter().chain(self.parts.iter().map(|p| &**p)), &self.here)
    }

    /// The keys of both halves' entry.
    fn keys_of(&self, program: &Key) -> Keys {
        let parts = [env!("CARGO_PKG_VERSION").as_bytes(), self.target.as_bytes(), program.bytes()];
        Keys::of("training", parts, &self.here)
    }
}

impl Part {
    fn item<'a>(&self, items: &'a [Item], name: &str) -> Option<&'a [u8]> {
        let name = format!("{}{name}", self.prefix);
        items.iter().find(|item| item.name == name).map(|item| &item.bytes[..])
    }

    /// The files of an entry with those of the half instead of what it had.
    fn placed(&self, entry: &[Item], made: Vec<Item>) -> Vec<Item> {
        let key = Item { name: KEY.into(), bytes: self.key.clone().into_bytes() };
        let own = std::iter::once(key).chain(made);
        let own = own.map(|item| Item { name: format!("{}{}", self.prefix, item.name), ..item });
        let others = entry.iter().filter(|item| !item.name.starts_with(&self.prefix)).cloned();
        others.chain(own).collect()
    }
}

impl Kept {
    pub fn look_up(cache: &Cache, depends: &Depends<'_>, options: &Options) -> Kept {
        let complaints = RefCell::new(Vec::new());
        let complain = |reason| complaints.borrow_mut().push(reason);
        let own = depends.keys();
        let (keys, part) = match &options.half {
            None => (own, None),
            Some(half) => {
                let part = Part { prefix: format!("{}-", half.name), key: own.own.hex() };
                (depends.keys_of(&half.program), Some(part))
            }
        };
        let mut found = cache.load(&keys, &complain);
        if let Some(part) = &part {
            found = found.filter(|(_, items)| part.item(items, KEY) == Some(part.key.as_bytes()));
        }
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
        Kept { keys, found, part, beside: Vec::new() }
    }

    /// A file that the entry holds.
    pub fn item(&self, name: &str) -> Option<&[u8]> {
        let (_, items) = self.found.as_ref()?;
        if let Some(part) = &self.part {
            return part.item(items, name);
        }
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
        let complain = |reason: String| options.log(1, Channel::Cache, &reason);
        let mut items: Vec<Item> = self.beside.into_iter().chain(made).collect();
        if let Some(part) = &self.part {
            // What the other half has made by now, of a fresh compilation, too.
            let entry = Cache { fresh: false, ..cache.clone() }.load(&self.keys, &complain);
            items = part.placed(entry.as_ref().map_or(&[], |(_, items)| items), items);
        }
        let replace = self.found.is_some() || self.part.is_some();
        cache.store(&self.keys, &Arc::new(items), replace, &complain);
        Entry::new(cache, &self.keys, None)
    }
}
