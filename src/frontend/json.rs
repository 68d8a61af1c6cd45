//! Reading JSON values with errors that say where.

use super::FrontendError;
use super::error::Result;
use crate::base::{is_planted, memory};
use serde_json::{Map, Value};

/// Parses a document. Nesting is bounded by the parser, so that no input overflows the stack.
pub fn parse(bytes: &[u8]) -> Result<Value> {
    // A tree of many small pieces.
    memory::expect(bytes.len().saturating_mul(8));
    serde_json::from_slice(bytes).map_err(|e| {
        let place = format!("line {}, column {}", e.line(), e.column());
        FrontendError::parse(
            format!("this is not valid JSON: {e} ({place})").replace(&format!(" at {place} ("), " ("),
        )
    })
}

pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn wrong(place: &str, want: &str, found: &Value) -> FrontendError {
    assert!(!is_planted("document"), "a panic that a test asked for");
    FrontendError::parse(format!("{place} must be {want}, but is {}", kind(found)))
}

pub fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Map<String, Value>> {
    value.as_object().ok_or_else(|| wrong(place, "an object", value))
}
pub fn list<'a>(value: &'a Value, place: &str) -> Result<&'a Vec<Value>> {
    value.as_array().ok_or_else(|| wrong(place, "a list", value))
}
pub fn string<'a>(value: &'a Value, place: &str) -> Result<&'a str> {
    value.as_str().ok_or_else(|| wrong(place, "a string", value))
}
pub fn integer(value: &Value, place: &str) -> Result<i64> {
    value.as_i64().ok_or_else(|| wrong(place, "a 64-bit integer", value))
}
pub fn boolean(value: &Value, place: &str) -> Result<bool> {
    value.as_bool().ok_or_else(|| wrong(place, "a bool", value))
}
/// A float; those that JSON lacks stand as strings.
pub fn float(value: &Value, place: &str) -> Result<f64> {
    match value {
        Value::Number(n) => n.as_f64().ok_or_else(|| wrong(place, "a float", value)),
        Value::String(s) => match s.as_str() {
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            "NaN" => Ok(f64::NAN),
            _ => Err(FrontendError::parse(format!("{place} must be a float, but is the string `{s}`"))),
        },
        _ => Err(wrong(place, "a float", value)),
    }
}

/// A member that must be there.
pub fn field<'a>(value: &'a Value, name: &str, place: &str) -> Result<&'a Value> {
    object(value, place)?
        .get(name)
        .ok_or_else(|| FrontendError::parse(format!("{place} has no member `{name}`")))
}
/// A member that may be missing or null.
pub fn optional<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|v| !v.is_null())
}
/// The one member of a tagged union, `{"as_int": 3}`.
pub fn tagged<'a>(value: &'a Value, place: &str) -> Result<(&'a str, &'a Value)> {
    let members = object(value, place)?;
    let mut given = members.iter().filter(|(_, v)| members.len() == 1 || !v.is_null());
    match (given.next(), given.next()) {
        (Some((tag, v)), None) => Ok((tag, v)),
        _ => Err(FrontendError::parse(format!("{place} must have exactly one member"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A neighbour of the largest float32 is too large for one.
    #[test]
    fn floats_are_read_exactly() {
        for (text, want) in
            [("-3.4028234663852886e+38", f64::from(f32::MIN)), ("0.1", 0.1), ("5e-324", 5e-324)]
        {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(float(&value, "a number").unwrap(), want);
        }
    }
}
