//! A caller's view of a signature against the program's own.
//!
//! Only what the caller states is compared. A size or stride that the program knows as an expression of symbols fits any;
//! whether a number lies in its range is seen by a run.

use super::Tree;
use super::read::is_state;
use serde_json::{Map, Value as Json};

/// The first difference, and where it is.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Difference {
    pub path: String,
    pub message: String,
}

type Same = Result<(), Difference>;

fn differs<T>(path: &str, message: impl Into<String>) -> Result<T, Difference> {
    Err(Difference { path: path.to_string(), message: message.into() })
}

/// Members of a leaf that are compared as they are, and those that are lists of sizes.
const PLAIN: [&str; 7] = ["kind", "type", "value", "name", "dtype", "mutated", "alias_of"];
const SIZES: [&str; 2] = ["shape", "strides"];

/// Compares what `given` states with a program's signature, as [`super::json`] makes it.
pub fn compare(own: &Json, given: &Json) -> Same {
    let given = members(given, "the signature")?;
    for (key, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        match key.as_str() {
            "in_tree" => compare_trees(key, own, "inputs", value)?,
            "out_tree" => compare_trees(key, own, "outputs", value)?,
            "inputs" | "outputs" => {}
            "metadata" => {
                members(value, "metadata")?;
            }
            other => return differs("the signature", format!("`{other}` is no member of it")),
        }
    }
    for key in ["inputs", "outputs"] {
        let Some(list) = given.get(key).filter(|v| !v.is_null()) else { continue };
        let Some(list) = list.as_array() else { return differs(key, "it is no list") };
        compare_leaves(key, own[key].as_array().map_or(&[], Vec::as_slice), list)?;
    }
    Ok(())
}

pub(super) fn members<'a>(value: &'a Json, what: &str) -> Result<&'a Map<String, Json>, Difference> {
    value.as_object().map_or_else(|| differs(what, "it is no object"), Ok)
}

/// A tree, as its text or as that text's JSON.
pub(super) fn tree(value: &Json, key: &str) -> Result<Tree, Difference> {
    let tree = match value.as_str() {
        Some(text) => Tree::parse(text),
        None => Tree::of_json(value),
    };
    tree.or_else(|e| differs(key, e))
}

fn compare_trees(key: &str, own: &Json, side: &str, given: &Json) -> Same {
    let given = tree(given, key)?;
    if own[key].is_null() {
        return differs(key, "the program has no such tree");
    }
    let leaves = own[side].as_array().map_or(&[][..], Vec::as_slice);
    let paths: Vec<&str> =
        leaves.iter().filter_map(|l| l["path"].as_str()).filter(|p| !is_state(p)).collect();
    let mut own = tree(&own[key], key)?;
    own.learn(side == "inputs", &paths);
    let found = match key {
        "in_tree" => own.difference_of_arguments(&given),
        _ => own.difference(&given, "output"),
    };
    found.map_or(Ok(()), |(path, message)| differs(&path, message))
}

fn compare_leaves(side: &str, own: &[Json], given: &[Json]) -> Same {
    for (k, leaf) in given.iter().enumerate() {
        let leaf = members(leaf, &format!("{side}[{k}]"))?;
        let path = leaf.get("path").and_then(Json::as_str);
        let Some(want) = own.get(k).and_then(Json::as_object) else {
            let (path, n) = (path.map_or_else(|| format!("{side}[{k}]"), str::to_string), own.len());
            return differs(&path, format!("the program has {n} {side} only"));
        };
        compare_leaf(want["path"].as_str().unwrap_or_default(), want, leaf)?;
    }
    match own.get(given.len()) {
        Some(missing) => {
            let path = missing["path"].as_str().unwrap_or_default();
            differs(path, format!("the program has it, but only {} {side} are given", given.len()))
        }
        None => Ok(()),
    }
}

fn compare_leaf(path: &str, own: &Map<String, Json>, given: &Map<String, Json>) -> Same {
    for (key, found) in given {
        let want = own.get(key).unwrap_or(&Json::Null);
        match key.as_str() {
            "path" if found == want => {}
            "path" => return differs(path, format!("the caller has {found} in this place")),
            key if PLAIN.contains(&key) && same(want, found) => {}
            key if PLAIN.contains(&key) => {
                return differs(path, format!("its {key} is {found}, where the program has {want}"));
            }
            key if SIZES.contains(&key) => {
                let (Some(want), Some(found)) = (want.as_array(), found.as_array()) else {
                    return differs(path, format!("its {key} is {found}, where the program has {want}"));
                };
                if want.len() != found.len() || !want.iter().zip(found).all(|(w, f)| fits(w, f)) {
                    let (want, found) = (Json::from(want.clone()), Json::from(found.clone()));
                    return differs(path, format!("its {key} is {found}, where the program has {want}"));
                }
            }
            other => return differs(path, format!("`{other}` is no member of a leaf")),
        }
    }
    Ok(())
}

/// Equal values; an integer is the float of its value.
fn same(want: &Json, found: &Json) -> bool {
    want == found
        || matches!((want.as_f64(), found.as_f64()), (Some(w), Some(f)) if w == f && want.is_f64() != found.is_f64())
}

/// A size of the caller's against the program's.
fn fits(want: &Json, found: &Json) -> bool {
    match want {
        Json::String(_) => found.is_string() || found.as_i64().is_some_and(|n| n >= 0),
        _ => want == found,
    }
}
