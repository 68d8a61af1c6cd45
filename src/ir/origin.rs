//! Where nodes come from: the node of the program that a user knows, its module and the lines of source that called it.
//!
//! A graph's nodes name their origins, and every stage passes them on: what a stage makes of a node comes from where the
//! node came from ([`super::Graph::making`]). Kernels, messages and traces tell them to the user.
//!
//! Invariants: an origin never changes, and equal ones are one; graphs that are made of one another share a table.
//!
//! Deliberately absent: where constants and inputs come from, which have names of their own.

use crate::base::{HashSet, json, shortened};
use serde_json::{Map, Value as Json};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// An origin of an [`Origins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(u32);

/// A module of the exported program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Module {
    /// As the program's parameters are named: `blocks.0.attn`; empty for the outermost.
    pub path: String,
    /// `torch.nn.modules.linear.Linear`
    pub class: String,
}

/// A node of the program as it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Its name there, or that of its first result.
    pub node: String,
    /// The operator that it calls.
    pub operator: String,
    /// The modules whose code called it, outermost first.
    pub modules: Vec<Module>,
    /// Python's account of the calls that led to it, innermost last; empty where there is none.
    pub stack_trace: String,
    /// It stands in a region of the program that sets its precision itself (`torch.autocast`), on or off.
    pub sets_precision: bool,
    /// The node runs unfused: no kernel computes it together with another node.
    pub unfused: bool,
}

/// A line of the program's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    pub file: &'a str,
    pub line: u64,
    pub function: &'a str,
    pub code: &'a str,
}

impl Origin {
    /// The line of the user's own code that called the node: the innermost that lies outside of PyTorch.
    pub fn frame(&self) -> Option<Frame<'_>> {
        let all = frames(&self.stack_trace);
        let own = |f: &&Frame<'_>| !f.file.split(['/', '\\']).any(|part| part == "torch");
        all.iter().rfind(own).or(all.last()).copied()
    }
    /// The innermost module.
    pub fn module(&self) -> Option<&Module> {
        self.modules.last()
    }
    /// Whether more is known than the node's name.
    pub fn is_placed(&self) -> bool {
        !self.modules.is_empty() || !self.stack_trace.is_empty()
    }
    /// For describe, details of errors and traces.
    pub fn json(&self) -> Map<String, Json> {
        let mut entry = Map::new();
        entry.insert("node".into(), json!(self.node));
        entry.insert("operator".into(), json!(self.operator));
        if let Some(module) = self.module() {
            entry.insert("module".into(), json!(module.path));
            entry.insert("class".into(), json!(module.class));
        }
        if let Some(frame) = self.frame() {
            entry.insert("source".into(), json!(frame.place()));
            entry.insert("function".into(), json!(frame.function));
            entry.insert("code".into(), json!(frame.code));
        }
        entry
    }
}

impl Frame<'_> {
    /// `model.py:12`
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// ``node `linear_3` of module `blocks.0.fc1` at model.py:12, `y = self.fc1(x)` ``
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node `{}`", shortened(&self.node))?;
        if let Some(module) = self.module().filter(|m| !m.path.is_empty()) {
            write!(f, " of module `{}`", shortened(&module.path))?;
        }
        if let Some(frame) = self.frame() {
            write!(f, " at {}", shortened(&frame.place()))?;
            if !frame.code.is_empty() {
                write!(f, ", `{}`", shortened(frame.code))?;
            }
        }
        Ok(())
    }
}

/// The frames of a stack trace as Python writes them; lines of another form are passed over.
pub fn frames(trace: &str) -> Vec<Frame<'_>> {
    let mut lines = trace.lines().peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some((file, rest)) = line.trim().strip_prefix("File \"").and_then(|l| l.rsplit_once("\", line "))
        else {
            continue;
        };
        let (number, function) = rest.split_once(", in ").unwrap_or((rest, ""));
        let Ok(line) = number.parse() else { continue };
        let code = lines.next_if(|l| !l.trim_start().starts_with("File \"")).unwrap_or("").trim();
        found.push(Frame { file, line, function, code });
    }
    found
}

/// The origins of a graph's nodes and of all that is made of them.
#[derive(Debug, Default)]
pub struct Origins {
    list: Mutex<HashSet<Arc<Origin>>>,
    /// Whether any node runs unfused. Kept, since each lowered subgraph asks.
    any_unfused: AtomicBool,
}

impl Origins {
    /// The handle of an origin.
    pub fn add(&self, origin: Origin) -> OriginId {
        self.any_unfused.fetch_or(origin.unfused, Ordering::Relaxed);
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        OriginId(list.insert_full(Arc::new(origin)).0 as u32)
    }
    pub fn get(&self, id: OriginId) -> Arc<Origin> {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.get_index(id.0 as usize).cloned().unwrap_or_default()
    }
    /// The origins among `ids` whose nodes run unfused.
    pub fn unfused(&self, ids: &[OriginId]) -> Vec<OriginId> {
        ids.iter().copied().filter(|id| self.get(*id).unfused).collect()
    }
    /// Whether any node runs unfused.
    pub fn any_unfused(&self) -> bool {
        self.any_unfused.load(Ordering::Relaxed)
    }
    /// All of these, each once, in order.
    pub fn all(&self, ids: &[OriginId]) -> Vec<Arc<Origin>> {
        ids.iter().map(|id| self.get(*id)).collect()
    }
    /// Where something was made, as messages say it: nothing where no more is known than names.
    pub fn place(&self, ids: &[OriginId]) -> String {
        let placed = self.all(ids).into_iter().find(|o| o.is_placed());
        placed.map(|o| format!(" ({o})")).unwrap_or_default()
    }
}

/// Appends the origins that `into` lacks.
pub fn merge(into: &mut Vec<OriginId>, more: &[OriginId]) {
    for id in more {
        if !into.contains(id) {
            into.push(*id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "  File \"/model.py\", line 13, in forward\n    x = b(x)\n        ^^^^\n  \
        File \"/my model.py\", line 6, in inner\n    y = relu(self.fc(x))\n  \
        File \"/lib/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n    return F.linear(x)";

    #[test]
    fn the_line_is_the_users_own() {
        let origin = Origin { node: "linear".into(), stack_trace: TRACE.into(), ..Origin::default() };
        let frame = origin.frame().unwrap();
        assert_eq!((frame.file, frame.line, frame.function), ("/my model.py", 6, "inner"));
        assert_eq!(frame.code, "y = relu(self.fc(x))");
        assert_eq!(frames(TRACE).len(), 3);
        assert_eq!(origin.to_string(), "node `linear` at /my model.py:6, `y = relu(self.fc(x))`");
    }

    #[test]
    fn a_trace_of_another_form_has_no_lines() {
        for trace in ["", "File", "File \"a\", line x, in f", "  File \"a\"\n", "Datei \"a\", Zeile 3"] {
            assert_eq!(frames(trace), [], "{trace:?}");
        }
        // Only PyTorch's own: the innermost is better than none.
        let own = "File \"/torch/nn/linear.py\", line 2, in forward";
        let origin = Origin { stack_trace: own.into(), ..Origin::default() };
        assert_eq!(origin.frame().unwrap().line, 2);
    }

    #[test]
    fn equal_origins_are_one() {
        let origins = Origins::default();
        let one = |node: &str| Origin { node: node.into(), ..Origin::default() };
        let (a, b) = (origins.add(one("a")), origins.add(one("b")));
        assert_eq!(origins.add(one("a")), a);
        assert_eq!(origins.get(b).node, "b");
        assert_eq!(origins.place(&[a, b]), "");
    }
}
