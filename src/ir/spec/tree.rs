//! PyTorch's serialised trees, `[1, {"type": "builtins.tuple", "context": "null", "children_spec": […]}]`: their leaves, and
//! where each lies.
//!
//! A named tuple is serialised without the names of its fields: archives list them beside the trees, and elsewhere the paths of
//! the leaves tell them ([`Tree::learn`]). Fields without a name are indices in paths.
//!
//! Deliberately absent: making objects of a type; a type is a name.

use super::compare::{Same, differs};
use serde_json::Value as Json;
use std::iter::Peekable;

/// The version that PyTorch writes.
const PROTOCOL: i64 = 1;

#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// `None`: a leaf.
    kind: Option<String>,
    /// The names of children, or what else the type keeps: JSON, `null` where it keeps nothing.
    context: Json,
    pub children: Vec<Tree>,
    /// Of a named tuple: the names of its fields, as far as they are known.
    members: Vec<Option<String>>,
}

const NAMED_TUPLE: &str = "collections.namedtuple";

/// From a tree to one of its children.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Index(usize),
    Key(Json),
    Field(String),
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Index(k) => write!(f, "[{k}]"),
            Step::Key(key) => write!(f, "[{key}]"),
            Step::Field(name) if is_identifier(name) => write!(f, ".{name}"),
            Step::Field(name) => write!(f, "[{}]", Json::from(name.as_str())),
        }
    }
}

impl Step {
    /// The key of a keyword argument as a name.
    fn of_keyword(&self) -> Step {
        match self {
            Step::Key(Json::String(name)) => Step::Field(name.clone()),
            other => other.clone(),
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(word) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// A place of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub steps: Vec<Step>,
    /// A field of a dataclass that is None, which PyTorch keeps out of the leaves.
    pub absent: bool,
}

impl Tree {
    /// The error says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Tree, String> {
        let json: Json = serde_json::from_str(text).map_err(|e| format!("it is not valid JSON: {e}"))?;
        Tree::of_json(&json)
    }
    /// The tree of a document that was parsed.
    pub fn of_json(json: &Json) -> Result<Tree, String> {
        match json.as_array().map(Vec::as_slice) {
            Some([version, tree]) if version.as_i64() == Some(PROTOCOL) => node(tree),
            Some([version, _]) => Err(format!("its version is {version}, and {PROTOCOL} is known")),
            _ => Err("it is no list of a version and a tree".to_string()),
        }
    }

    /// Names the fields of named tuples, which `fields` knows by the name of the type.
    pub fn name_fields(&mut self, fields: &dyn Fn(&str) -> Option<Vec<String>>) {
        if self.is_named_tuple()
            && let Some(names) = self.context.as_str().and_then(fields)
            && names.len() == self.children.len()
        {
            self.members = names.into_iter().map(Some).collect();
        }
        self.children.iter_mut().for_each(|child| child.name_fields(fields));
    }

    /// Tells each named tuple's type and the names of its fields, where all are known.
    pub fn visit_named_tuples(&self, tell: &mut dyn FnMut(&str, &[String])) {
        let names: Option<Vec<String>> = self.members.iter().cloned().collect();
        if let (Some(kind), Some(names)) = (self.context.as_str(), names.filter(|n| !n.is_empty())) {
            tell(kind, &names);
        }
        self.children.iter().for_each(|child| child.visit_named_tuples(tell));
    }

    /// Names those fields of named tuples that the paths of the leaves name: of a call's arguments, or of results.
    pub fn learn(&mut self, arguments: bool, paths: &[&str]) {
        let mut paths = paths.iter().copied().peekable();
        if !arguments {
            return self.learn_in("output", &mut paths);
        }
        for (half, root) in self.children.iter_mut().zip(["args", "kwargs"]) {
            half.learn_in(root, &mut paths);
        }
    }
    fn learn_in<'p>(&mut self, prefix: &str, paths: &mut Peekable<impl Iterator<Item = &'p str>>) {
        if self.kind.is_none() {
            paths.next();
            return;
        }
        if self.is_named_tuple() {
            self.members.resize(self.children.len(), None);
        }
        let steps = self.steps();
        for (k, child) in self.children.iter_mut().enumerate() {
            let mut step = if prefix == "kwargs" { steps[k].of_keyword() } else { steps[k].clone() };
            let first = if child.places().is_empty() { None } else { paths.peek() };
            if let (Some(name), Some(member)) =
                (first.and_then(|path| field(path.strip_prefix(prefix)?)), self.members.get_mut(k))
            {
                *member = Some(name.to_string());
                step = Step::Field(name.to_string());
            }
            child.learn_in(&format!("{prefix}{step}"), paths);
        }
        for _ in self.fields().map(|(_, none)| none).unwrap_or_default() {
            paths.next();
        }
    }

    /// Every leaf, in order.
    pub fn places(&self) -> Vec<Place> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }
    fn collect(&self, steps: &mut Vec<Step>, found: &mut Vec<Place>) {
        if self.kind.is_none() {
            return found.push(Place { steps: steps.clone(), absent: false });
        }
        for (step, child) in self.steps().into_iter().zip(&self.children) {
            steps.push(step);
            child.collect(steps, found);
            steps.pop();
        }
        for name in self.fields().map(|(_, none)| none).unwrap_or_default() {
            let steps = steps.iter().cloned().chain([Step::Field(name)]).collect();
            found.push(Place { steps, absent: true });
        }
    }

    /// The paths of the arguments of a call: a pair of a tuple and a dict by name.
    pub fn argument_paths(&self) -> Option<Vec<(String, Place)>> {
        let [args, kwargs] = &self.children[..] else { return None };
        let kinds = [&self.kind, &args.kind, &kwargs.kind].map(|k| k.as_deref().unwrap_or_default());
        if kinds != ["builtins.tuple", "builtins.tuple", "builtins.dict"] {
            return None;
        }
        let path = |place: &Place| {
            let [half, name, rest @ ..] = &place.steps[..] else { return String::new() };
            let root = if *half == Step::Index(0) { "args" } else { "kwargs" };
            format!("{root}{}{}", name.of_keyword(), text(rest))
        };
        Some(self.places().into_iter().map(|place| (path(&place), place)).collect())
    }
    /// The paths of results.
    pub fn result_paths(&self) -> Vec<(String, Place)> {
        self.places().into_iter().map(|place| (format!("output{}", text(&place.steps)), place)).collect()
    }

    /// The way to each child.
    fn steps(&self) -> Vec<Step> {
        let indices = || (0..self.children.len()).map(Step::Index).collect();
        match self.kind.as_deref() {
            Some("builtins.tuple" | "builtins.list" | "collections.deque") => indices(),
            Some(NAMED_TUPLE) => {
                let name = |k: usize| self.members.get(k).cloned().flatten();
                (0..self.children.len()).map(|k| name(k).map_or(Step::Index(k), Step::Field)).collect()
            }
            _ => self.named_children().unwrap_or_else(indices),
        }
    }
    fn named_children(&self) -> Option<Vec<Step>> {
        let as_many = |names: Vec<Step>| (names.len() == self.children.len()).then_some(names);
        if let Some((names, _)) = self.fields() {
            return as_many(names.into_iter().map(Step::Field).collect());
        }
        let keys = self.context.get("dict_context").unwrap_or(&self.context).as_array()?;
        as_many(keys.iter().cloned().map(Step::Key).collect())
    }
    /// The fields of a dataclass: those that hold something, and those that are None.
    fn fields(&self) -> Option<(Vec<String>, Vec<String>)> {
        let names = |list: &Json| -> Option<Vec<String>> {
            list.as_array()?.iter().map(|name| Some(name.as_str()?.to_string())).collect()
        };
        match self.context.as_array()?.as_slice() {
            [held, none] if !self.is_dict() => {
                let (held, none) = (names(held)?, names(none)?);
                (held.len() == self.children.len()).then_some((held, none))
            }
            _ => None,
        }
    }

    fn is_named_tuple(&self) -> bool {
        self.kind.as_deref() == Some(NAMED_TUPLE)
    }
    fn is_dict(&self) -> bool {
        matches!(self.kind.as_deref(), Some("builtins.dict" | "collections.OrderedDict"))
    }

    /// Walks the trees of two calls as [`Tree::compare`] does. Paths begin with `args` and `kwargs`.
    pub(super) fn compare_arguments(&self, given: &Tree, leaf: &mut dyn FnMut() -> Same) -> Same {
        if self.argument_paths().is_none() {
            return self.compare(given, "the arguments", leaf);
        }
        self.compare_nodes(given, "the arguments")?;
        let halves = self.children.iter().zip(&given.children).zip(["args", "kwargs"]);
        halves.into_iter().try_for_each(|((want, found), root)| want.compare(found, root, leaf))
    }
    /// Walks two trees at once, depth first and each node before its children, up to the first difference. `leaf` is called
    /// for each leaf that both have, in order, and its error ends the walk.
    pub(super) fn compare(&self, given: &Tree, path: &str, leaf: &mut dyn FnMut() -> Same) -> Same {
        self.compare_nodes(given, path)?;
        if self.kind.is_none() {
            return leaf();
        }
        for ((want, found), step) in self.children.iter().zip(&given.children).zip(self.steps()) {
            let step = if path == "kwargs" { step.of_keyword() } else { step };
            want.compare(found, &format!("{path}{step}"), leaf)?;
        }
        // Equal contexts name the same fields that are None.
        self.fields().map(|(_, none)| none).unwrap_or_default().iter().try_for_each(|_| leaf())
    }
    /// Compares two nodes without their children.
    fn compare_nodes(&self, given: &Tree, path: &str) -> Same {
        let name = |kind: &Option<String>| kind.clone().unwrap_or_else(|| "a leaf".to_string());
        if self.kind != given.kind {
            let (want, found) = (name(&self.kind), name(&given.kind));
            return differs(path, format!("it is {found}, where the program has {want}"));
        }
        let kind = name(&self.kind);
        if self.context != given.context {
            let (want, found) = (&self.context, &given.context);
            return differs(
                path,
                format!("this {kind} has the context {found}, where the program has {want}"),
            );
        }
        let (want, found) = (self.children.len(), given.children.len());
        if want != found {
            return differs(path, format!("this {kind} has {found} items, where the program has {want}"));
        }
        Ok(())
    }
}

/// The name that `.name…` begins with.
fn field(path: &str) -> Option<&str> {
    let rest = path.strip_prefix('.')?;
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| is_identifier(name))
}

fn text(steps: &[Step]) -> String {
    steps.iter().map(Step::to_string).collect()
}

/// One node; the parser of JSON bounds how deep they nest.
fn node(json: &Json) -> Result<Tree, String> {
    let children = json.get("children_spec").and_then(Json::as_array);
    let children = children.ok_or("a node of it has no list `children_spec`")?;
    let children = children.iter().map(node).collect::<Result<Vec<_>, _>>()?;
    let kind = match json.get("type") {
        Some(Json::Null) if children.is_empty() => None,
        Some(Json::Null) => return Err("a leaf of it has children".to_string()),
        Some(Json::String(name)) => Some(name.clone()),
        _ => return Err("a node of it has no `type`".to_string()),
    };
    // JSON as text, or in a form of the type's own.
    let context = match json.get("context") {
        Some(Json::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()),
        Some(context) => context.clone(),
        None => return Err("a node of it has no `context`".to_string()),
    };
    let tree = Tree { kind, context, children, members: Vec::new() };
    if tree.is_dict() && tree.named_children().is_none() {
        return Err("a dict of it has not as many keys as values".to_string());
    }
    Ok(tree)
}
