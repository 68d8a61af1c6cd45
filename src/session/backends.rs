//! The backends by name, and which of them can be used here.
//!
//! Deliberately absent: choosing one; a compilation asks for it by option.

use super::options::Options;
use crate::device::toolchain::Toolchain;
use serde_json::{Value, json};

/// A backend's name and tags. `debug` is for finding mistakes, not for speed.
const BACKENDS: [(&str, &[&str]); 5] = [
    ("cpu", &["native"]),
    ("cuda", &["native", "gpu"]),
    ("interpreter", &["debug"]),
    ("nop", &["debug"]),
    ("print", &["debug"]),
];

/// The backends without any of the tags, as a JSON array: name, tags, whether it can be used here, and why not.
pub fn backends_json(exclude: &[&str]) -> String {
    let one = |(name, tags): &(&str, &[&str])| {
        let why = unusable(name);
        json!({"name": name, "tags": tags, "available": why.is_none(), "why_not": why})
    };
    let kept = BACKENDS.iter().filter(|(_, tags)| !tags.iter().any(|t| exclude.contains(t)));
    Value::Array(kept.map(one).collect()).to_string()
}

/// Why a backend cannot be used here.
fn unusable(name: &str) -> Option<String> {
    let options = Options::new();
    match name {
        "cpu" => Toolchain::find(&options.search(&options.cache())).err().map(|e| e.to_string()),
        #[cfg(feature = "cuda")]
        "cuda" => super::cuda::Gpu::find(&options).err().map(|e| e.to_string()),
        #[cfg(not(feature = "cuda"))]
        "cuda" => Some("this build has no backend `cuda`".to_string()),
        _ => None,
    }
}
