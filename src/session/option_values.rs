//! Options by key: setting and patching them, their effective values, and where each comes from.
//!
//! Invariants: what a key was set to wins over its mode's value, whichever was set first; a call that fails changes nothing.
//!
//! Deliberately absent: what the keys mean (see `option_keys`).

use super::SessionError;
use super::modes::{MODES, mode_values};
use super::option_keys::{Key, keys};
use super::options::{Options, from_environment};
use crate::base::{HashMap, Status, json};
use serde_json::{Map, Value};

/// Keys, beside the cache's, that say how to compile and not what: equal programs of different caches are equal bytes.
const LEAVING_NO_TRACE: [&str; 9] = [
    "cpp.timeout",
    "debug.check",
    "debug.compare",
    "debug.dump",
    "debug.repro_constants",
    "debug.save_inputs",
    "debug.verify",
    "log",
    "trace.file",
];

/// Where an effective value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    Mode,
    Set,
    Environment,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Origin::Default => "default",
            Origin::Mode => "mode",
            Origin::Set => "set",
            Origin::Environment => "environment",
        }
    }
}

impl Options {
    /// Sets an option by its key.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SessionError> {
        let mut given = self.given.clone();
        given.insert(find(key)?.name, value.to_string());
        *self = self.made_of(given)?;
        Ok(())
    }

    /// Sets several options at once: a JSON object of keys and values, where null stands for a value that is not set.
    pub fn patch(&mut self, json: &str) -> Result<(), SessionError> {
        let wrong =
            |why: String| SessionError::invalid(format!("the patch of options is no JSON object: {why}"));
        let patch: Map<String, Value> = serde_json::from_str(json).map_err(|e| wrong(e.to_string()))?;
        let mut given = self.given.clone();
        for (key, value) in patch {
            let name = find(&key)?.name;
            let text = match value {
                Value::Null => {
                    given.shift_remove(name);
                    continue;
                }
                Value::String(text) => text,
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                Value::Array(_) | Value::Object(_) => {
                    return Err(SessionError::invalid(format!(
                        "option `{key}` cannot be {value}: it is a string, a number, a bool or null"
                    )));
                }
            };
            given.insert(name, text);
        }
        *self = self.made_of(given)?;
        Ok(())
    }

    /// The effective value of an option, and where it comes from.
    pub fn get(&self, key: &str) -> Result<(String, Origin), SessionError> {
        let key = find(key)?;
        let by_mode = || {
            let values = mode_values(self.given.get("mode")?)?;
            values.iter().find(|v| v.0 == key.name).map(|v| v.1.to_string())
        };
        Ok(match self.given.get(key.name) {
            Some(value) => (shown(key.name, value), Origin::Set),
            None => match (by_mode(), from_environment(key.name)) {
                (Some(value), _) => (value, Origin::Mode),
                (None, Some(value)) => (value, Origin::Environment),
                (None, None) => (key.default.to_string(), Origin::Default),
            },
        })
    }

    /// Every key with its effective value and where that comes from, as a JSON object.
    pub fn values_json(&self) -> String {
        let value = |key: &Key| {
            let (value, origin) = self.get(key.name).unwrap_or((String::new(), Origin::Default));
            (key.name.to_string(), json!({"value": value, "from": origin.name()}))
        };
        Value::Object(keys().map(value).collect()).to_string()
    }

    /// The values that were set, as a patch. The address and key of a remote cache are secrets and left out.
    pub(super) fn set_json(&self) -> String {
        let open = self.given.iter().filter(|(key, _)| !key.starts_with("cache.remote"));
        let values = open.map(|(key, value)| (key.to_string(), json!(value)));
        format!("{:#}\n", Value::Object(values.collect()))
    }

    /// The values that were set and that a program's bytes may follow from, by key.
    pub(super) fn given_json(&self) -> Value {
        let shapes = |key: &str| !key.starts_with("cache.") && !LEAVING_NO_TRACE.contains(&key);
        let given = self.given.iter().filter(|(key, _)| shapes(key));
        Value::Object(given.map(|(key, value)| (key.to_string(), json!(value))).collect())
    }

    /// The values that a mode gives other keys, as a JSON object.
    pub fn mode_json(mode: &str) -> Result<String, SessionError> {
        let values = mode_values(mode).ok_or_else(|| {
            let known = MODES.map(|m| m.0).join(", ");
            SessionError::invalid(format!("there is no mode `{mode}`; there are {known}"))
        })?;
        Ok(Value::Object(values.iter().map(|(k, v)| (k.to_string(), json!(v))).collect()).to_string())
    }

    /// The options that these values make.
    fn made_of(&self, given: HashMap<&'static str, String>) -> Result<Options, SessionError> {
        let mut made = self.fresh();
        let mode = given.get("mode").and_then(|mode| mode_values(mode)).unwrap_or_default();
        for (key, value) in mode.iter().filter(|(key, _)| !given.contains_key(key)) {
            made.apply(key, value)?;
        }
        for (key, value) in &given {
            made.apply(key, value)?;
        }
        made.given = given;
        Ok(made)
    }

    fn apply(&mut self, key: &str, value: &str) -> Result<(), SessionError> {
        (find(key)?.set)(self, value).map_err(|reason| {
            let value = shown(key, value);
            let status =
                if reason.contains("not supported") { Status::Unsupported } else { Status::InvalidArgument };
            SessionError::Option { status, message: format!("option `{key}` cannot be `{value}`: {reason}") }
        })
    }
}

/// A value as it may be seen: keys and passwords are hidden.
fn shown(key: &str, value: &str) -> String {
    match key {
        "cache.remote_key" if !value.is_empty() => HIDDEN.to_string(),
        // The part of a URL before the last @ names a user and a password.
        "cache.remote" => match (value.find("//"), value.rfind('@')) {
            (Some(start), Some(end)) => format!("{}//{HIDDEN}{}", &value[..start], &value[end..]),
            _ => value.to_string(),
        },
        _ => value.to_string(),
    }
}

/// What stands for a value that is not shown.
const HIDDEN: &str = "***";

fn find(key: &str) -> Result<&'static Key, SessionError> {
    keys().find(|k| k.name == key).ok_or_else(|| {
        let known: Vec<&str> = keys().map(|k| k.name).collect();
        SessionError::invalid(format!("there is no option `{key}`; there are {}", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_set_wins_over_its_mode() {
        let mut options = Options::new();
        options.set("mode", "max-autotune").unwrap();
        assert!(options.graphs && options.autotunes);
        assert_eq!(options.get("cudagraph.enabled").unwrap(), ("true".to_string(), Origin::Mode));
        options.set("cudagraph.enabled", "false").unwrap();
        options.set("mode", "reduce-overhead").unwrap();
        assert!(!options.graphs && !options.autotunes);
        assert_eq!(options.get("cudagraph.enabled").unwrap(), ("false".to_string(), Origin::Set));
        options.patch(r#"{"cudagraph.enabled": null}"#).unwrap();
        assert!(options.graphs);
    }

    #[test]
    fn a_patch_is_all_or_nothing() {
        let mut options = Options::new();
        options.patch(r#"{"cpp.optimization": 1, "cache.enabled": false, "mode": "default"}"#).unwrap();
        assert_eq!((options.optimization, options.cache_enabled), (1, false));
        for wrong in [
            r#"{"cpp.optimization": 3, "no.such": 1}"#,
            r#"{"cpp.optimization": 3, "cache.enabled": "perhaps"}"#,
            r#"{"cpp.optimization": [3]}"#,
            "[]",
            "{",
        ] {
            options.patch(wrong).expect_err(wrong);
            assert_eq!((options.optimization, options.cache_enabled), (1, false), "{wrong}");
        }
        let values: Value = serde_json::from_str(&options.values_json()).unwrap();
        assert_eq!(values["cpp.optimization"], json!({"value": "1", "from": "set"}));
        assert_eq!(values["device"], json!({"value": "0", "from": "default"}));
    }

    #[test]
    fn a_repro_has_no_secret() {
        let mut options = Options::new();
        let set = r#"{"cache.remote_key": "sixteen characters", "cpp.optimization": 1}"#;
        options.patch(set).unwrap();
        let kept: Value = serde_json::from_str(&options.set_json()).unwrap();
        assert_eq!(kept, json!({"cpp.optimization": "1"}));
    }
}
