//! The table of options: keys with their types, defaults and meanings, and how each is set from text.
//!
//! What is documented, listed and looked up comes from here; `options` holds what they set.

mod build;
mod cache;
mod programs;
mod training;
mod watching;

use super::options::Options;

pub use cache::{CACHE_MAX_BYTES, CACHE_MEMORY_BYTES, CACHE_REMOTE_BYTES, CACHE_REMOTE_SECONDS};

/// An option's key, as `docs/options.md` has it.
pub struct Key {
    pub name: &'static str,
    pub ty: &'static str,
    pub default: &'static str,
    pub meaning: &'static str,
    pub set: fn(&mut Options, &str) -> Result<(), String>,
}

/// All of them, in the order of the document.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    [programs::KEYS, training::KEYS, build::KEYS, cache::KEYS, watching::KEYS].into_iter().flatten()
}

fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("it is true or false".into()),
    }
}
