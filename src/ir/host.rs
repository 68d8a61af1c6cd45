//! Operators of a host's own: what they take and give as their schemas say, and the functions that a host gave for them.
//!
//! A node that calls one is of the row `litz.host_call` and its like, with a [`HostCall`] as its one argument: the operator, and the
//! arguments by the operator's schema. [`Node::called`](super::Node::called) gives what the user wrote.
//!
//! Invariants: an operator stays as it was registered; results are tensors, each new or an argument that the operator
//! writes; a call's arguments hold no calls.
//!
//! Deliberately absent: C types, and when functions are called.

use super::{Arg, Graph, Value};
use crate::base::{HashMap, HashSet, StableSort, Status};
use crate::ops::{ArgBase, ArgType, OpId, Schema, SchemaArg, parse_schema};
use crate::plan::host::Invocation;
use crate::types::TensorMeta;
use std::sync::{Arc, Mutex, OnceLock, RwLock};

/// What a host's function says went wrong, or did wrong.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    pub status: Status,
    pub message: String,
}

/// Types of the results that no argument is, from the arguments; the graph is the one that they are values of.
pub type MetaFunction =
    Box<dyn Fn(&Graph, &HostOperator, &[Arg]) -> Result<Vec<TensorMeta>, HostError> + Send + Sync>;

/// Appends the cotangents of the tensors among the arguments, in their order, made from those of the results. `None`: none flows.
pub type DerivativeFunction = Box<
    dyn Fn(&mut Graph, &HostOperator, &[Arg], &[Option<Value>]) -> Result<Vec<Option<Value>>, HostError>
        + Send
        + Sync,
>;

/// Computes results from tensors, on the machine that these lie on.
pub type HostFunction = Arc<dyn Fn(&Invocation<'_>) -> Result<(), HostError> + Send + Sync>;

/// What a host gives beside a schema.
#[derive(Default)]
pub struct HostFunctions {
    pub meta: Option<MetaFunction>,
    pub derivative: Option<DerivativeFunction>,
    pub cpu: Option<HostFunction>,
    pub cuda: Option<HostFunction>,
    /// A C expression of the arguments, for each element of the result.
    pub expression: Option<String>,
    /// It is run for what it does besides: once, in the program's order, and never left out.
    pub effect: bool,
    /// Its functions and sources give the same bits at every run and number of threads.
    pub deterministic: bool,
}

/// Source that computes, which is compiled with a program's kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSource {
    pub text: String,
    /// The function in it.
    pub function: String,
}

pub struct HostOperator {
    /// `mylib.scale.default`
    pub name: &'static str,
    /// As it was registered.
    pub text: String,
    pub schema: Schema,
    pub functions: HostFunctions,
    /// For a CPU and for a GPU; given once.
    sources: [OnceLock<Arc<HostSource>>; 2],
}

impl std::fmt::Debug for HostOperator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostResult {
    /// The result of this number among those that are new.
    New(usize),
    /// The argument of this number, which the operator writes.
    Argument(usize),
}

impl HostOperator {
    /// An operator by its schema as PyTorch writes it: `mylib::scale(Tensor x, float by=2.0) -> Tensor`.
    pub fn new(text: &str, functions: HostFunctions) -> Result<HostOperator, String> {
        let (name, schema) = read_schema(text)?;
        if let Some(arg) = schema.args.iter().find(|a| matches!(a.ty.base, ArgBase::Graph | ArgBase::Call)) {
            return Err(format!(
                "argument `{}` is {}, which operators of a host do not take",
                arg.name, arg.ty
            ));
        }
        let mut names = HashSet::default();
        if let Some(arg) = schema.args.iter().find(|a| !names.insert(&a.name)) {
            return Err(format!("two arguments are called `{}`", arg.name));
        }
        let (name, text) = (interned(name), text.trim().to_string());
        let operator = HostOperator { name, text, schema, functions, sources: Default::default() };
        operator.check_results()?;
        let told = operator.functions.meta.is_some() || operator.functions.expression.is_some();
        if !told && operator.new_results() != Some(0) {
            return Err("it has results and no meta function that tells their types".into());
        }
        if operator.functions.expression.is_some() && !operator.is_pure() {
            return Err("an operator with an expression has one result, and writes to nothing".into());
        }
        Ok(operator)
    }

    fn check_results(&self) -> Result<(), String> {
        for (k, result) in self.schema.returns.iter().enumerate() {
            if result.base != ArgBase::Tensor || result.optional || result.element_optional {
                return Err(format!("result {k} is no tensor"));
            }
            if result.list
                && (self.schema.returns.len() > 1 || result.length.is_some() || result.alias.is_some())
            {
                return Err(format!(
                    "result {k} is a list: a list of new tensors is the only result, `-> Tensor[]`"
                ));
            }
            if result.alias.is_some() && self.aliased(result).is_none() {
                return Err(format!(
                    "result {k} is a view: a result is new, or the argument of the same mark that is written, which is no list"
                ));
            }
        }
        Ok(())
    }

    fn is_pure(&self) -> bool {
        self.schema.returns.len() == 1 && !self.gives_list() && !self.writes() && !self.functions.effect
    }

    /// Whether its one result is a list of tensors.
    fn gives_list(&self) -> bool {
        matches!(&self.schema.returns[..], [only] if only.list)
    }

    /// The argument that a result is.
    fn aliased(&self, result: &ArgType) -> Option<usize> {
        let alias = result.alias?;
        let same =
            |a: &SchemaArg| is_written(a) && a.ty.alias.is_some_and(|b| b.name == alias.name) && !a.ty.list;
        self.schema.args.iter().position(same)
    }

    /// Adds source for a CPU or for a GPU.
    pub fn add_source(&self, on_gpu: bool, source: HostSource) -> Result<(), String> {
        let takes = |a: &&SchemaArg| {
            use ArgBase as B;
            let number =
                matches!(a.ty.base, B::Int | B::Float | B::Bool | B::Scalar | B::Dtype) && !a.ty.optional;
            a.ty.list || !(number || a.ty.base == B::Tensor)
        };
        if let Some(arg) = self.schema.args.iter().find(takes) {
            return Err(format!(
                "argument `{}` is {}; source takes tensors, and numbers that are always given",
                arg.name, arg.ty
            ));
        }
        if self.writes() {
            return Err("it writes to what it is given, which source does not".into());
        }
        if self.gives_list() {
            return Err("it gives a list, which source does not".into());
        }
        let name = source.function.as_str();
        if !is_identifier(name) {
            return Err(format!("`{name}` is no name of a function"));
        }
        if !source.text.contains(name) {
            return Err(format!("the source has no function `{name}`"));
        }
        let machine = if on_gpu { "cuda" } else { "cpu" };
        self.sources[usize::from(on_gpu)]
            .set(Arc::new(source))
            .map_err(|_| format!("it has source for `{machine}` already"))
    }
    pub fn source(&self, on_gpu: bool) -> Option<Arc<HostSource>> {
        self.sources[usize::from(on_gpu)].get().cloned()
    }

    /// What each result is, where so many are new.
    pub fn results(&self, new_ones: usize) -> Vec<HostResult> {
        if self.gives_list() {
            return (0..new_ones).map(HostResult::New).collect();
        }
        let mut new = 0;
        let mut one = |result: &ArgType| match self.aliased(result) {
            Some(argument) => HostResult::Argument(argument),
            None => {
                new += 1;
                HostResult::New(new - 1)
            }
        };
        self.schema.returns.iter().map(&mut one).collect()
    }
    /// The number of results that alias no argument; `None` for a list, whose length the meta function decides.
    pub fn new_results(&self) -> Option<usize> {
        let new = self.schema.returns.iter().filter(|r| self.aliased(r).is_none()).count();
        (!self.gives_list()).then_some(new)
    }
    /// Whether it writes to what it is given.
    pub fn writes(&self) -> bool {
        self.schema.args.iter().any(is_written)
    }
    /// The row that calls of it are nodes of.
    pub fn row(&self) -> OpId {
        // One without results would not be there for anything else.
        let effect = self.functions.effect || self.schema.returns.is_empty() && !self.writes();
        match (&self.functions.expression, effect) {
            (_, true) => OpId::HostEffect,
            (Some(_), false) => OpId::HostPointwise,
            (None, false) => OpId::HostCall,
        }
    }
}

fn is_written(arg: &SchemaArg) -> bool {
    arg.ty.alias.is_some_and(|a| a.written)
}

/// The name of an operator as nodes have it, and its schema.
pub fn read_schema(text: &str) -> Result<(String, Schema), String> {
    let open = text.find('(').ok_or("there is no `(`")?;
    Ok((operator_name(text[..open].trim())?, parse_schema(&text[open..])?))
}

/// `mylib::scale` and `mylib::scale.overload` with dots, and the overload that PyTorch leaves out.
fn operator_name(text: &str) -> Result<String, String> {
    let wrong = || {
        format!(
            "`{text}` is no name such as `mylib::scale` or `mylib::scale.overload`: a namespace, a name and perhaps an overload, each of letters, digits and `_`"
        )
    };
    let (namespace, rest) = text.split_once("::").ok_or_else(wrong)?;
    let (name, overload) = rest.split_once('.').unwrap_or((rest, "default"));
    if ![namespace, name, overload].into_iter().all(is_identifier) {
        return Err(wrong());
    }
    if ["aten", "prims", "litz", "higher_order", "functional"].contains(&namespace) {
        return Err(format!("the namespace `{namespace}` is not a host's to add to"));
    }
    Ok(format!("{namespace}.{name}.{overload}"))
}

fn is_identifier(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Errors and kernels name operators by names that live as long as the process. Equal ones are one.
fn interned(name: String) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(|e| e.into_inner());
    let names = names.get_or_insert_default();
    match names.get(name.as_str()) {
        Some(known) => known,
        None => {
            let kept: &'static str = Box::leak(name.into_boxed_str());
            names.insert(kept);
            kept
        }
    }
}

/// A host's operator with its arguments, one for each of its schema's.
#[derive(Clone, Debug)]
pub struct HostCall {
    pub operator: Arc<HostOperator>,
    pub args: Vec<Arg>,
}

impl PartialEq for HostCall {
    fn eq(&self, other: &HostCall) -> bool {
        Arc::ptr_eq(&self.operator, &other.operator) && self.args == other.args
    }
}

impl HostCall {
    /// The tensors that the call writes.
    pub fn written(&self) -> Vec<Value> {
        let args = self.operator.schema.args.iter().zip(&self.args);
        args.filter(|(want, _)| is_written(want)).flat_map(|(_, arg)| arg.values()).collect()
    }
}

/// The operators of a registry, which graphs look names up in.
#[derive(Clone, Default)]
pub struct HostOperators(Arc<RwLock<HashMap<&'static str, Arc<HostOperator>>>>);

impl std::fmt::Debug for HostOperators {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl HostOperators {
    /// Adds an operator; `false`: there is one of its name.
    pub fn add(&self, operator: HostOperator) -> bool {
        let mut operators = self.0.write().unwrap_or_else(|e| e.into_inner());
        match operators.entry(operator.name) {
            crate::base::map::Entry::Occupied(_) => false,
            crate::base::map::Entry::Vacant(place) => {
                place.insert(Arc::new(operator));
                true
            }
        }
    }
    /// Finds `mylib.scale.default`, `mylib.scale` and `mylib::scale`, each with or without PyTorch's prefix `torch.ops.`.
    pub fn find(&self, name: &str) -> Option<Arc<HostOperator>> {
        let name = name.strip_prefix("torch.ops.").unwrap_or(name).replace("::", ".");
        let operators = self.0.read().unwrap_or_else(|e| e.into_inner());
        operators.get(name.as_str()).or_else(|| operators.get(format!("{name}.default").as_str())).cloned()
    }
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> =
            self.0.read().unwrap_or_else(|e| e.into_inner()).keys().copied().collect();
        names.stable_sort();
        names
    }
}
