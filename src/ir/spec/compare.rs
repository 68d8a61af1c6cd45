//! A caller's view of a signature against the program's own.
//!
//! Members that the caller does not state are not compared. Arguments are compared before results. One depth-first walk goes over the
//! program's tree and the caller's, and compares leaves as it meets them. So the difference that is reported is the first one in
//! that order, of a node of the tree or of a leaf. A size or stride that the program knows as an expression of symbols fits any;
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

/// Ok where nothing differs.
pub(super) type Same = Result<(), Difference>;

pub(super) fn differs<T>(path: &str, message: impl Into<String>) -> Result<T, Difference> {
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
            "in_tree" | "out_tree" | "inputs" | "outputs" => {}
            "metadata" => {
                members(value, "metadata")?;
            }
            other => return differs("the signature", format!("`{other}` is no member of it")),
        }
    }
    let sides = [Comparison::new(own, given, "inputs")?, Comparison::new(own, given, "outputs")?];
    sides.into_iter().try_for_each(Comparison::run)
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

/// The arguments, or the results, of both signatures.
struct Comparison<'a> {
    /// `inputs` or `outputs`.
    side: &'a str,
    /// The program's tree and the caller's; `None` where the caller states no tree.
    trees: Option<(Tree, Tree)>,
    own: &'a [Json],
    /// `None`: the caller states no leaves.
    given: Option<&'a [Json]>,
    /// The number of leaves that were compared.
    done: usize,
}

impl<'a> Comparison<'a> {
    /// Fails where the caller's signature cannot be read, or states a tree and the program has none.
    fn new(own: &'a Json, given: &'a Map<String, Json>, side: &'a str) -> Result<Comparison<'a>, Difference> {
        let key = if side == "inputs" { "in_tree" } else { "out_tree" };
        let stated = |key: &str| given.get(key).filter(|v| !v.is_null());
        let leaves = match stated(side).map(Json::as_array) {
            Some(None) => return differs(side, "it is no list"),
            list => list.flatten().map(Vec::as_slice),
        };
        let mut compared = Comparison {
            side,
            trees: None,
            own: own[side].as_array().map_or(&[], Vec::as_slice),
            given: leaves,
            done: 0,
        };
        if let Some(found) = stated(key) {
            let found = tree(found, key)?;
            if own[key].is_null() {
                return differs(key, "the program has no such tree");
            }
            let mut want = tree(&own[key], key)?;
            let paths: Vec<&str> = compared.own.iter().map(path_of).filter(|p| !is_state(p)).collect();
            want.learn(side == "inputs", &paths);
            compared.trees = Some((want, found));
        }
        Ok(compared)
    }

    fn run(mut self) -> Same {
        if let Some((want, found)) = self.trees.take() {
            self.state()?;
            let is_call = self.side == "inputs";
            let mut leaf = || self.leaf().and_then(|()| self.state());
            if is_call {
                want.compare_arguments(&found, &mut leaf)?;
            } else {
                want.compare(&found, "output", &mut leaf)?;
            }
        }
        while self.done < self.own.len().max(self.given.map_or(0, <[Json]>::len)) {
            self.leaf()?;
        }
        Ok(())
    }

    /// Compares the leaves of a module's state that come next. They stand beside the tree.
    fn state(&mut self) -> Same {
        while self.own.get(self.done).is_some_and(|leaf| is_state(path_of(leaf))) {
            self.leaf()?;
        }
        Ok(())
    }

    /// Compares the next leaf.
    fn leaf(&mut self) -> Same {
        let (k, side) = (self.done, self.side);
        self.done += 1;
        let Some(given) = self.given else { return Ok(()) };
        let found = given.get(k).map(|leaf| members(leaf, &format!("{side}[{k}]"))).transpose()?;
        match (self.own.get(k).and_then(Json::as_object), found) {
            (Some(want), Some(found)) => compare_leaf(path_of(&self.own[k]), want, found),
            (Some(_), None) => {
                let n = given.len();
                differs(path_of(&self.own[k]), format!("the program has it, but only {n} {side} are given"))
            }
            (None, Some(found)) => {
                let path = found.get("path").and_then(Json::as_str);
                let (path, n) = (path.map_or_else(|| format!("{side}[{k}]"), str::to_string), self.own.len());
                differs(&path, format!("the program has {n} {side} only"))
            }
            (None, None) => Ok(()),
        }
    }
}

fn path_of(leaf: &Json) -> &str {
    leaf["path"].as_str().unwrap_or_default()
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
