//! What belongs to the library as a whole.

use crate::error::{Error, c_text, call, give, text};
use crate::sys;
use std::path::Path;

/// The library's version, such as "0.1.0".
pub fn version() -> Result<String, Error> {
    let library = sys::library()?;
    // SAFETY: the text is borrowed for ever.
    Ok(unsafe { text((library.version)()) })
}

/// The file of the library that is used.
pub fn library_path() -> Result<&'static Path, Error> {
    Ok(sys::library()?.path())
}

/// The backends without any of these tags, as a JSON list: name, tags, whether each can be used here, and why not.
pub fn backends(exclude_tags: &[&str]) -> Result<String, Error> {
    let library = sys::library()?;
    let tags = exclude_tags.iter().map(|t| c_text("a tag", t)).collect::<Result<Vec<_>, _>>()?;
    let tags: Vec<_> = tags.iter().map(|t| t.as_ptr()).collect();
    // SAFETY: the texts live until the call ends.
    give(|out, err| unsafe { (library.backends)(tags.as_ptr(), tags.len(), out, err) })
}

/// Every option as a JSON list of `key`, `type`, `default` and `meaning`.
pub fn options_list() -> Result<String, Error> {
    let library = sys::library()?;
    // SAFETY: nothing is borrowed.
    give(|out, err| unsafe { (library.options_list)(out, err) })
}

/// Counts of the library's work in this process, as JSON.
pub fn counters() -> Result<String, Error> {
    let library = sys::library()?;
    // SAFETY: nothing is borrowed.
    give(|out, err| unsafe { (library.counters)(out, err) })
}

/// Drops memory that only makes later calls faster.
pub fn reset() -> Result<(), Error> {
    let library = sys::library()?;
    // SAFETY: nothing is borrowed.
    call(|err| unsafe { (library.reset)(err) })
}
