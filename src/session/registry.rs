//! What a host registers: passes at named points of the pipeline, decompositions of operators, and backends and
//! operators of its own.
//!
//! Invariants: a compilation uses what was registered when it began; what a host's function did to a graph is checked
//! before anything depends on it, and an error names the function.
//!
//! Deliberately absent: C types.

use super::SessionError;
use super::hosted::HostBackend;
use super::options::BACKEND_NAMES;
use crate::base::{StableSort, Status, json, memory};
use crate::decompose::{Decomposed, HostRule, HostRules, check_expression, has_rule};
use crate::ir::host::{HostFunctions, HostSource};
use crate::ir::{Graph, HostOperator, HostOperators, Shared};
use crate::meta::edit;
use crate::meta::expands_always;
use crate::ops::{Form, OpId};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};

pub use crate::ir::host::HostError;

impl HostError {
    /// A callable gave sizes to an output that has them.
    pub(super) fn given_already(output: usize) -> HostError {
        let message = format!("the sizes of output {output} are given already");
        HostError { status: Status::InvalidArgument, message }
    }
    /// The same as the pipeline's error, with the function's name in front.
    pub(super) fn within(self, what: &str) -> SessionError {
        SessionError::Option { status: self.status, message: format!("{what}: {}", self.message) }
    }
}

impl From<edit::EditError> for HostError {
    fn from(error: edit::EditError) -> HostError {
        HostError { status: error.status, message: error.message }
    }
}

/// Rewrites a graph; `true` where it changed something. It is told whether a node of another graph runs this one.
pub type PassFunction = Arc<dyn Fn(&mut Graph, bool) -> Result<bool, HostError> + Send + Sync>;

/// Where a host's passes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// On the graph as it was given, with in-place operators and views.
    PreGrad,
    /// On the functional, decomposed graph, before Litz's own passes.
    Joint,
    /// After Litz's own passes.
    PostGrad,
}

impl Point {
    pub const ALL: [Point; 3] = [Point::PreGrad, Point::Joint, Point::PostGrad];

    pub fn name(self) -> &'static str {
        match self {
            Point::PreGrad => "pre_grad",
            Point::Joint => "joint",
            Point::PostGrad => "post_grad",
        }
    }
    pub fn from_name(name: &str) -> Option<Point> {
        Point::ALL.into_iter().find(|p| p.name() == name)
    }
}

/// Runs once nothing refers to what was registered any more.
struct Cleanup(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Drop for Cleanup {
    fn drop(&mut self) {
        if let Some(function) = self.0.take() {
            function();
        }
    }
}

/// What was registered.
#[derive(Clone, Default)]
pub struct Registry {
    passes: Vec<(Point, PassFunction)>,
    rules: HostRules,
    backends: Vec<Arc<HostBackend>>,
    /// Shared with all graphs that look operators up in it.
    operators: HostOperators,
    /// Behind the functions, which are dropped first.
    cleanups: Vec<Arc<Cleanup>>,
}

/// A registry that options and programs hold.
#[derive(Clone, Default)]
pub struct SharedRegistry(Arc<Mutex<Registry>>);

impl SharedRegistry {
    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
    /// What is registered now.
    pub(super) fn now(&self) -> Registry {
        self.lock().clone()
    }
    pub(super) fn has_backend(&self, name: &str) -> bool {
        self.lock().backend(name).is_some()
    }

    pub fn operators(&self) -> HostOperators {
        self.lock().operators.clone()
    }

    /// Adds an operator by its schema.
    pub fn add_operator(&self, schema: &str, functions: HostFunctions) -> Result<(), SessionError> {
        let refuse =
            |why: String| SessionError::invalid(format!("the operator `{schema}` cannot be added: {why}"));
        let operator = HostOperator::new(schema, functions).map_err(refuse)?;
        if let Some(expression) = &operator.functions.expression {
            check_expression(&operator, expression).map_err(refuse)?;
        }
        let name = operator.name;
        if !self.operators().add(operator) {
            return Err(refuse(format!("this registry has `{name}` already")));
        }
        Ok(())
    }

    /// Adds source to an operator, for the backend of that name.
    pub fn add_source(&self, operator: &str, backend: &str, source: HostSource) -> Result<(), SessionError> {
        let found = self.operators().find(operator).ok_or_else(|| SessionError::Option {
            status: Status::Unsupported,
            message: format!("this registry has no operator `{operator}`"),
        })?;
        let on_gpu = match backend {
            "cpu" => false,
            "cuda" => true,
            other => {
                let message = format!("source is for the backend `cpu` or `cuda`, not `{other}`");
                return Err(SessionError::invalid(message));
            }
        };
        let refuse =
            |why| SessionError::invalid(format!("source cannot be added to `{}`: {why}", found.name));
        found.add_source(on_gpu, source).map_err(refuse)
    }

    pub fn add_pass(&self, point: Point, pass: PassFunction) {
        self.lock().passes.push((point, pass));
    }

    /// Adds a rule for an operator: one of Litz's, or one of this registry's.
    pub fn add_decomposition(&self, op: &str, rule: HostRule) -> Result<(), SessionError> {
        let own = self.operators().find(op);
        let of = match &own {
            Some(own) if own.writes() || own.functions.effect || own.schema.returns.is_empty() => {
                let why = "it writes, acts or gives nothing, which no other nodes stand for";
                return Err(SessionError::invalid(format!("`{op}` cannot be decomposed: {why}")));
            }
            Some(own) => Decomposed::Host(own.name),
            None => Decomposed::Operator(Self::decomposable(op)?),
        };
        let rules = &mut self.lock().rules;
        if rules.contains_key(&of) {
            let why = "it has a decomposition in this registry already";
            return Err(SessionError::invalid(format!("`{op}` cannot be decomposed: {why}")));
        }
        rules.insert(of, rule);
        Ok(())
    }

    fn decomposable(op: &str) -> Result<OpId, SessionError> {
        let (id, form) = OpId::find(op).ok_or_else(|| SessionError::Option {
            status: Status::Unsupported,
            message: format!("there is no operator `{op}`{}", OpId::suggestions(op)),
        })?;
        let refuse = |why: &str| Err(SessionError::invalid(format!("`{op}` cannot be decomposed: {why}")));
        if form == Form::InPlace {
            return refuse("graphs have no operators in place by then; register the functional one");
        }
        if id.schema().returns.is_empty() {
            return refuse("it has no results");
        }
        if expands_always(id) {
            return refuse("it becomes others when it is added to a graph, so that no node has it");
        }
        Ok(id)
    }

    pub fn add_backend(&self, backend: HostBackend) -> Result<(), SessionError> {
        let name = &backend.name;
        let refuse =
            |why: &str| Err(SessionError::invalid(format!("a backend cannot be called `{name}`: {why}")));
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.is_empty() || !name.chars().all(plain) {
            return refuse("a name is letters, digits, `_`, `-` and `.`");
        }
        if BACKEND_NAMES.contains(&name.as_str()) {
            return refuse("Litz has one of that name");
        }
        let mut registry = self.lock();
        if registry.backend(name).is_some() {
            return refuse("this registry has one of that name already");
        }
        registry.backends.push(Arc::new(backend));
        Ok(())
    }

    /// Calls the function once nothing holds the registry, nor what was compiled with it.
    pub fn add_cleanup(&self, function: Box<dyn FnOnce() + Send + Sync>) {
        self.lock().cleanups.push(Arc::new(Cleanup(Some(function))));
    }

    /// What is registered, as JSON: `passes` by point, `decompositions`, those of Litz that none of them replaces, and `backends`
    /// with their tags, and `operators`.
    pub fn describe(&self) -> Value {
        let registry = self.lock();
        let count = |p: Point| registry.passes.iter().filter(|(point, _)| *point == p).count();
        let passes = Point::ALL.iter().map(|p| (p.name().to_string(), json!(count(*p))));
        let mut rules: Vec<&str> = registry.rules.keys().map(|op| op.name()).collect();
        rules.stable_sort();
        let backends: Vec<Value> =
            registry.backends.iter().map(|b| json!({"name": b.name, "tags": b.tags})).collect();
        let replaced = |op: &OpId| registry.rules.contains_key(&Decomposed::Operator(*op));
        let own = OpId::all().iter().filter(|op| has_rule(**op) && !replaced(op));
        let mut own: Vec<&str> = own.map(|op| op.name()).collect();
        own.stable_sort();
        json!({
            "passes": Value::Object(passes.collect()),
            "decompositions": rules,
            "own_decompositions": own,
            "operators": registry.operators.names(),
            "backends": backends,
        })
    }
}

impl Registry {
    pub(super) fn has_passes(&self) -> bool {
        !self.passes.is_empty()
    }
    pub(super) fn rules(&self) -> &HostRules {
        &self.rules
    }
    pub(super) fn backend(&self, name: &str) -> Option<&Arc<HostBackend>> {
        self.backends.iter().find(|b| b.name == name)
    }

    /// Runs the passes of a point in the order in which they were registered. Says whether any changed the graph.
    pub(super) fn run(&self, point: Point, graph: &mut Graph) -> Result<bool, SessionError> {
        let mut changed = false;
        let passes = self.passes.iter().filter(|(at, _)| *at == point);
        for (k, (_, pass)) in passes.enumerate() {
            memory::checkpoint();
            let name = format!("the host's pass {k} at `{}`", point.name());
            changed |= run_pass(pass, graph, &mut Shared::default(), false).map_err(|e| e.within(&name))?;
        }
        Ok(changed)
    }
}

/// Runs a pass, first on the graphs that nodes run, and checks what it made.
fn run_pass(
    pass: &PassFunction,
    graph: &mut Graph,
    shared: &mut Shared,
    inside: bool,
) -> Result<bool, HostError> {
    let mut changed = false;
    let before = graph.clone();
    graph.map_subgraphs(shared, &mut |shared, inner| {
        let mut inner = inner.clone();
        changed |= run_pass(pass, &mut inner, shared, true)?;
        Ok::<_, HostError>(inner)
    })?;
    changed |= pass(graph, inside)?;
    if changed {
        edit::lint(graph)?;
        edit::check_outputs(&before, graph)?;
    }
    Ok(changed)
}
