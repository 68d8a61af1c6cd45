//! JSON values from Rust's, in the words of `serde_json::json!`. A field that serde_json's macro makes is a hundred bytes of code:
//! here an object's fields are listed, and one function fills the map.
//!
//! Invariant: fields keep the order in which they are written; of two with one name the last stays.
//!
//! Deliberately absent: reading JSON.

use serde_json::{Map, Value};

/// What `serde_json::to_value` made.
pub fn json_value(made: serde_json::Result<Value>) -> Value {
    made.expect("numbers, texts, lists and maps of them by text are JSON")
}

/// An object of these fields. It takes their values.
pub fn json_object(fields: &mut [(&str, Value)]) -> Value {
    let mut map = Map::new();
    for (name, value) in fields {
        map.insert((*name).to_string(), value.take());
    }
    Value::Object(map)
}

/// `json!({"name": value, "list": [1, x], "inner": {…}})`, as serde_json's.
macro_rules! json {
    (null) => { serde_json::Value::Null };
    ([]) => { serde_json::Value::Array(Vec::new()) };
    ([ $($items:tt)+ ]) => { $crate::base::json!(@items [] $($items)+) };
    ({}) => { serde_json::Value::Object(serde_json::Map::new()) };
    ({ $($fields:tt)+ }) => { $crate::base::json!(@fields [] $($fields)+) };
    (@fields [$($done:tt)*]) => { $crate::base::json_object(&mut [$($done)*]) };
    (@fields [$($done:tt)*] $name:tt : null $(, $($rest:tt)*)?) => {
        $crate::base::json!(@fields [$($done)* ($name, serde_json::Value::Null),] $($($rest)*)?)
    };
    (@fields [$($done:tt)*] $name:tt : { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::base::json!(@fields [$($done)* ($name, $crate::base::json!({ $($inner)* })),] $($($rest)*)?)
    };
    (@fields [$($done:tt)*] $name:tt : [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::base::json!(@fields [$($done)* ($name, $crate::base::json!([ $($inner)* ])),] $($($rest)*)?)
    };
    (@fields [$($done:tt)*] $name:tt : $value:expr $(, $($rest:tt)*)?) => {
        $crate::base::json!(@fields [$($done)* ($name, $crate::base::json_value(serde_json::to_value(&$value))),] $($($rest)*)?)
    };
    (@items [$($done:tt)*]) => { serde_json::Value::Array(vec![$($done)*]) };
    (@items [$($done:tt)*] null $(, $($rest:tt)*)?) => {
        $crate::base::json!(@items [$($done)* serde_json::Value::Null,] $($($rest)*)?)
    };
    (@items [$($done:tt)*] { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::base::json!(@items [$($done)* $crate::base::json!({ $($inner)* }),] $($($rest)*)?)
    };
    (@items [$($done:tt)*] [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::base::json!(@items [$($done)* $crate::base::json!([ $($inner)* ]),] $($($rest)*)?)
    };
    (@items [$($done:tt)*] $item:expr $(, $($rest:tt)*)?) => {
        $crate::base::json!(@items [$($done)* $crate::base::json_value(serde_json::to_value(&$item)),] $($($rest)*)?)
    };
    ($value:expr) => { $crate::base::json_value(serde_json::to_value(&$value)) };
}
pub(crate) use json;

#[cfg(test)]
mod tests {
    #[test]
    fn values_are_those_of_serde_json() {
        let (none, name) = (None::<f64>, "key".to_string());
        let list = vec![1, 2];
        let made = json!({
            "null": null, "none": none, (&*name): {"a": [1, [], {}, [null, {"b": -0.5}], list], "c": list.len() as f32 * 0.5},
            "computed": [list.clone(), vec![3]].concat(), "text": format!("{}", 1), "wide": u64::MAX,
        });
        let want = serde_json::json!({
            "null": null, "none": none, "key": {"a": [1, [], {}, [null, {"b": -0.5}], list], "c": 1.0},
            "computed": [1, 2, 3], "text": "1", "wide": u64::MAX,
        });
        assert_eq!(made.to_string(), want.to_string());
        assert_eq!(
            (json!([]), json!({}), json!(null)),
            (serde_json::json!([]), serde_json::json!({}), serde_json::Value::Null)
        );
    }
}
