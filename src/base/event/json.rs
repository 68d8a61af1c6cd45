//! Parts of JSON lines appended to bytes. `serde_json` writes values; this module joins them without a tree of values in between.
//!
//! Invariant: `serde_json` reads each appended value as the same value.

use std::fmt::Display;
use std::io::Write;

pub fn list<T>(out: &mut Vec<u8>, all: impl Iterator<Item = T>, one: impl Fn(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (k, item) in all.enumerate() {
        if k > 0 {
            out.push(b',');
        }
        one(out, item);
    }
    out.push(b']');
}

/// Appends a text without its quotes.
pub fn within_text(out: &mut Vec<u8>, text: &str) {
    let start = out.len();
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(&mut *out, text);
    out.remove(start);
    out.pop();
}

/// Appends an integer, or what prints as JSON otherwise.
pub fn printed(out: &mut Vec<u8>, value: impl Display) {
    let _ = write!(out, "{value}");
}

/// A fixed-point number: `number` counts units of 10^-`after`.
pub fn fraction(out: &mut Vec<u8>, number: u64, after: usize) {
    let unit = 10u64.pow(after as u32);
    let _ = write!(out, "{}.{:0after$}", number / unit, number % unit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_within_others() {
        let mut out = b"\"name: ".to_vec();
        within_text(&mut out, "a \"b\"\n\t\\ \u{1} ä");
        out.push(b'"');
        let read: String = serde_json::from_slice(&out).unwrap();
        assert_eq!(read, "name: a \"b\"\n\t\\ \u{1} ä");
    }

    #[test]
    fn fractions_keep_their_zeros() {
        for (number, after, want) in
            [(0, 3, "0.000"), (7, 3, "0.007"), (1_234_567, 3, "1234.567"), (2_000_000_001, 9, "2.000000001")]
        {
            let mut out = Vec::new();
            fraction(&mut out, number, after);
            assert_eq!(String::from_utf8(out).unwrap(), want);
        }
    }
}
