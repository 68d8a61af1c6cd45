//! Files that the command line names: the one way in which they are read, and how their paths are said in JSON.
//!
//! Only regular files are read. A named pipe would be waited for, and a device may have no end.

use crate::failure::Failure;
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Opens a regular file; a link is followed.
pub fn open(path: &Path) -> Result<File, Failure> {
    let about = std::fs::metadata(path).map_err(|e| Failure::input(path, e))?;
    match () {
        () if about.is_dir() => Err(Failure::input(path, "is a folder")),
        () if !about.is_file() => Err(Failure::input(path, "is no regular file")),
        () => File::open(path).map_err(|e| Failure::input(path, e)),
    }
}

pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut content = Vec::new();
    open(path)?.read_to_end(&mut content).map_err(|e| Failure::input(path, e))?;
    Ok(content)
}

pub fn read_text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read(path)?).map_err(|e| Failure::input(path, e.utf8_error()))
}

/// A path in JSON. Bytes that are no UTF-8 are replaced, as JSON has none.
pub fn named(path: &Path) -> Value {
    path.to_string_lossy().into()
}
