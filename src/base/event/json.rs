//! JSON appended to bytes: values of events, without a detour over serializers.
//!
//! Invariant: what is appended is what `serde_json` reads as the same value.

use serde_json::Value;
use std::io::Write;

pub fn value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(truth) => self::truth(out, *truth),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => digits(out, number),
            (_, Some(number)) => whole(out, number),
            _ => drop(write!(out, "{number}")),
        },
        Value::String(text) => self::text(out, text),
        Value::Array(all) => list(out, all.iter(), self::value),
        Value::Object(all) => {
            out.push(b'{');
            for (k, (key, value)) in all.iter().enumerate() {
                if k > 0 {
                    out.push(b',');
                }
                text(out, key);
                out.push(b':');
                self::value(out, value);
            }
            out.push(b'}');
        }
    }
}

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

pub fn text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    within_text(out, text);
    out.push(b'"');
}

/// A text without its quotes.
pub fn within_text(out: &mut Vec<u8>, text: &str) {
    let plain = |byte: &u8| *byte >= b' ' && *byte != b'"' && *byte != b'\\';
    if text.as_bytes().iter().all(plain) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let start = out.len();
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(&mut *out, text);
    out.remove(start);
    out.pop();
}

pub fn truth(out: &mut Vec<u8>, truth: bool) {
    out.extend_from_slice(if truth { b"true" } else { b"false" });
}

/// What is no number of JSON is null.
pub fn real(out: &mut Vec<u8>, number: f64) {
    let _ = serde_json::to_writer(out, &number);
}

pub fn whole(out: &mut Vec<u8>, number: i64) {
    if number < 0 {
        out.push(b'-');
    }
    digits(out, number.unsigned_abs());
}

pub fn digits(out: &mut Vec<u8>, number: u64) {
    padded(out, number, 1);
}

/// A number of so many thousandths, millionths, …: `after` digits stand behind the point.
pub fn fraction(out: &mut Vec<u8>, number: u64, after: u32) {
    let unit = 10u64.pow(after);
    digits(out, number / unit);
    out.push(b'.');
    padded(out, number % unit, after as usize);
}

/// With zeros in front where there are fewer digits.
fn padded(out: &mut Vec<u8>, mut number: u64, least: usize) {
    let mut text = [b'0'; 20];
    let mut at = text.len();
    while number > 0 {
        at -= 1;
        text[at] += (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&text[at.min(text.len() - least)..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_read_as_they_were() {
        let all = json!({
            "plain": "a b",
            "escaped \" key": "line\n\ttab \\ \u{1} \u{7f} ä \u{1f600}",
            "numbers": [0, 9, 10, -1, i64::MIN, u64::MAX, 1.5, -2e-300, 1e300],
            "nested": [[], {}, [null, true, false, {"a": [""]}]],
        });
        let mut out = Vec::new();
        value(&mut out, &all);
        assert_eq!(out, all.to_string().as_bytes());
    }

    #[test]
    fn numbers_have_their_digits() {
        let of = |append: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            append(&mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(of(&|out| digits(out, u64::MAX)), u64::MAX.to_string());
        assert_eq!(of(&|out| whole(out, i64::MIN)), i64::MIN.to_string());
        for (number, after, want) in
            [(0, 3, "0.000"), (7, 3, "0.007"), (1_234_567, 3, "1234.567"), (2_000_000_001, 9, "2.000000001")]
        {
            assert_eq!(of(&|out| fraction(out, number, after)), want);
        }
        for (number, want) in [(f64::NAN, "null"), (f64::INFINITY, "null"), (0.25, "0.25")] {
            assert_eq!(of(&|out| real(out, number)), want);
        }
    }
}
