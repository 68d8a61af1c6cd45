//! Ready predicates for [`super::minify`]: a graph that fails to compile, crashes, or gives other results than the interpreter.
//!
//! Where a part has an input instead of a removed node, the input gets the node's value in the whole graph, which the
//! interpreter computes. So a fault that only some values show stays visible.
//!
//! Invariant: the failure that is looked for is the whole graph's; a part that fails in another way does not count.
//!
//! Deliberately absent: looking for the part.

use super::executable::Executable;
use super::{BackendRequest, Options, SessionError, compile, repro};
use crate::base::cancel::Cancelled;
use crate::base::memory::OutOfMemory;
use crate::base::{HashMap, Status};
use crate::device::child::{Child, Ended};
use crate::ir::seeded::{MOST_BYTES, Seeded};
use crate::ir::{Graph, Input, Number, OutputValue, Value};
use crate::runtime::{Captured, CapturedView};
use crate::types::Dtype;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

/// What a graph is tested for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    CompileFails,
    Crashes,
    Differs,
}

impl Kind {
    pub const ALL: [(&'static str, Kind); 3] =
        [("compile_fails", Kind::CompileFails), ("crashes", Kind::Crashes), ("differs", Kind::Differs)];
}

/// A run that takes longer hangs, which is a crash.
const LONGEST: Duration = Duration::from_secs(120);

/// A predicate, and what it knows of the whole graph: the first that it is shown.
pub struct Predicate {
    kind: Kind,
    options: Options,
    inputs: Captured,
    whole: Option<Graph>,
    /// Values of the whole graph's nodes, by name.
    values: HashMap<String, (CapturedView, Vec<u8>)>,
    failure: Option<String>,
    child: Option<Child>,
}

impl Predicate {
    /// `inputs`: the whole graph's, or none; then they are made up.
    pub fn new(kind: Kind, options: &Options, inputs: Captured) -> Result<Predicate, SessionError> {
        let mut options = options.copied();
        options.seeds_constants = false;
        if kind == Kind::Differs {
            if options.backend == BackendRequest::Interpreter {
                let message = "the predicate `differs` compares a backend with the interpreter: option `backend` cannot be interpreter";
                return Err(SessionError::invalid(message));
            }
            options.set("debug.compare", "interpreter")?;
        }
        Ok(Predicate {
            kind,
            options,
            inputs,
            whole: None,
            values: HashMap::default(),
            failure: None,
            child: None,
        })
    }

    /// Whether a graph does it.
    pub fn holds(&mut self, graph: &Graph) -> Result<bool, SessionError> {
        let first = self.whole.is_none();
        if first {
            self.begin(graph)?;
        }
        let found = match self.kind {
            Kind::CompileFails => self.compile_failure(graph),
            Kind::Differs => match self.difference(graph) {
                // What is wrong with the whole graph is the caller's to hear of.
                Err(error) if first => return Err(error),
                found => found.unwrap_or(None),
            },
            Kind::Crashes => match self.crash(graph) {
                Err(error) if first => return Err(error),
                found => found?,
            },
        };
        if first {
            self.failure.clone_from(&found);
        }
        Ok(found.is_some() && found == self.failure)
    }

    fn begin(&mut self, graph: &Graph) -> Result<(), SessionError> {
        if self.inputs.tensors.is_empty() {
            for (k, input) in graph.inputs.iter().enumerate() {
                let (view, bytes) = made_up(graph, input, k as u64)?;
                push(&mut self.inputs, view, bytes);
            }
        }
        if self.inputs.tensors.len() != graph.inputs.len() {
            let (given, wanted) = (self.inputs.tensors.len(), graph.inputs.len());
            return Err(SessionError::invalid(format!(
                "the predicate was made with {given} inputs, and the graph takes {wanted}"
            )));
        }
        let needs = repro::Needs::of(graph, &self.options).list();
        if self.kind == Kind::Crashes && !needs.is_empty() {
            let message = format!(
                "the predicate `crashes` runs graphs in a process of its own, which does not have what the host registered: {}",
                needs.join(", ")
            );
            return Err(SessionError::Option { status: Status::Unsupported, message });
        }
        self.whole = Some(graph.clone());
        Ok(())
    }

    /// The kind of an error of compiling: without names and numbers, which differ in parts.
    fn compile_failure(&self, graph: &Graph) -> Option<String> {
        let compiled = catch_unwind(AssertUnwindSafe(|| compile(graph, &self.options).map(|_| ())));
        match compiled {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("{:?}: {}", error.status(), essence(&error.to_string()))),
            Err(payload) if payload.is::<OutOfMemory>() || payload.is::<Cancelled>() => {
                resume_unwind(payload)
            }
            Err(_) => Some("a panic".to_string()),
        }
    }

    fn difference(&mut self, graph: &Graph) -> Result<Option<String>, SessionError> {
        let program = compile(graph, &self.options)?;
        let inputs = self.inputs_of(graph)?;
        let outcome = program.run_captured(&inputs);
        let differs = program.take_difference().is_some();
        match outcome {
            Err(error) if !differs => Err(error.into()),
            _ => Ok(differs.then(|| "a difference".to_string())),
        }
    }

    fn crash(&mut self, graph: &Graph) -> Result<Option<String>, SessionError> {
        let inputs = self.inputs_of(graph)?;
        let child = match &mut self.child {
            Some(child) => child,
            none => none.insert(Child::new(&self.options.search(&self.options.cache()))?),
        };
        let folder = child.folder().join("repro");
        repro::save(graph, &self.options, &inputs, &folder)?;
        Ok(match child.run(&folder, LONGEST)? {
            Ended::Well => None,
            Ended::Killed(how) => Some(how),
            Ended::TooLate => Some("it does not end".to_string()),
        })
    }

    /// Data for the inputs of a part.
    fn inputs_of(&mut self, graph: &Graph) -> Result<Captured, SessionError> {
        self.compute(graph);
        let mut captured = Captured::default();
        for (k, input) in graph.inputs.iter().enumerate() {
            let given = self.whole.as_ref().and_then(|whole| {
                let k = whole.inputs.iter().position(|i| i.name == input.name)?;
                let (own, part) = (whole.meta(whole.inputs[k].value), graph.meta(input.value));
                (own.dtype == part.dtype && own.rank() == part.rank())
                    .then(|| self.inputs.tensors.get(k).cloned().flatten())?
            });
            let (view, bytes) = match (given, self.values.get(&input.name)) {
                (Some(view), _) => (view.clone(), self.inputs.storages[view.storage].clone()),
                (None, Some((view, bytes))) => (view.clone(), bytes.clone()),
                (None, None) => made_up(graph, input, k as u64)?,
            };
            push(&mut captured, view, bytes);
        }
        Ok(captured)
    }

    /// Finds the values of the whole graph that a part's inputs stand for. What cannot be computed stays unknown.
    fn compute(&mut self, graph: &Graph) {
        let Some(whole) = &self.whole else { return };
        let named: HashMap<&str, Value> = whole
            .order
            .iter()
            .flat_map(|id| &whole.nodes[*id].outputs)
            .filter_map(|v| Some((whole.values[*v].name.as_deref()?, *v)))
            .collect();
        let mut wanted = whole.clone();
        wanted.outputs.clear();
        for input in &graph.inputs {
            let known =
                self.values.contains_key(&input.name) || whole.inputs.iter().any(|i| i.name == input.name);
            match (named.get(input.name.as_str()), input.symbol) {
                _ if known => {}
                (Some(value), _) => wanted.add_output(&input.name, OutputValue::Tensor(*value)),
                (None, Some(symbol)) if graph.meta(input.value).dtype == Dtype::Int64 => {
                    wanted.add_output(&input.name, OutputValue::Number(Number::Symbolic(symbol)));
                }
                (None, _) => {}
            }
        }
        if wanted.outputs.is_empty() {
            return;
        }
        let names: Vec<String> = wanted.outputs.iter().map(|o| o.name.clone()).collect();
        let mut options = Options::new();
        options.backend = BackendRequest::Interpreter;
        let run = |program: Executable| program.run_captured(&self.inputs).map_err(SessionError::from);
        let Ok(results) = compile(&wanted, &options).and_then(run) else { return };
        for (name, tensor) in names.into_iter().zip(results) {
            let view = CapturedView {
                dtype: tensor.dtype(),
                shape: tensor.shape().to_vec(),
                strides: tensor.strides().to_vec(),
                storage: 0,
                offset: 0,
            };
            self.values.insert(name, (view, tensor.bytes().to_vec()));
        }
    }
}

fn push(captured: &mut Captured, view: CapturedView, bytes: Vec<u8>) {
    let storage = captured.storages.len();
    captured.storages.push(bytes);
    captured.tensors.push(Some(CapturedView { storage, ..view }));
}

/// An input of the sizes that its symbols are typical for: floats about 0, whole numbers 0 or 1.
fn made_up(graph: &Graph, input: &Input, seed: u64) -> Result<(CapturedView, Vec<u8>), SessionError> {
    let (meta, syms) = (graph.meta(input.value), &graph.syms);
    let view = |shape: Vec<i64>| {
        let mut strides = vec![1i64; shape.len()];
        for k in (1..shape.len()).rev() {
            strides[k - 1] = strides[k].saturating_mul(shape[k].max(1));
        }
        CapturedView { dtype: meta.dtype, shape, strides, storage: 0, offset: 0 }
    };
    if let Some(symbol) = input.symbol {
        let number = syms.hint(symbol);
        let bytes = number.to_le_bytes()[..meta.dtype.size().min(8)].to_vec();
        return Ok((view(Vec::new()), bytes));
    }
    let shape: Vec<i64> = meta.shape.iter().map(|s| syms.hint(*s).max(0)).collect();
    let view = view(shape);
    let bytes = view.extent().unwrap_or(0);
    let seeded = match meta.dtype.is_float() {
        true => Seeded::Floats { seed, mean: 0.0, spread: 1.0 },
        false => Seeded::Integers { seed, from: 0, to: 1 },
    };
    let mut data = seeded.bytes(meta.dtype, bytes).unwrap_or_default();
    if bytes > MOST_BYTES || data.try_reserve_exact(bytes - data.len()).is_err() {
        let message = format!("no data for input `{}`, which has {bytes} bytes: give inputs", input.name);
        return Err(SessionError::Option { status: Status::OutOfMemory, message });
    }
    data.resize(bytes, 0);
    Ok((view, data))
}

/// A message without what is quoted, and without numbers.
fn essence(message: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in message.chars() {
        match c {
            '`' | '"' => quoted = !quoted,
            _ if quoted || c.is_ascii_digit() => {}
            c => out.push(c),
        }
    }
    // A compiler's output follows the first line.
    out.lines().next().unwrap_or_default().to_string()
}

impl std::str::FromStr for Kind {
    type Err = SessionError;

    fn from_str(name: &str) -> Result<Kind, SessionError> {
        Kind::ALL.iter().find(|k| k.0 == name).map(|k| k.1).ok_or_else(|| {
            let known = Kind::ALL.map(|k| k.0).join(", ");
            let message = format!("there is no predicate `{name}`; there are {known}");
            SessionError::Option { status: Status::InvalidArgument, message }
        })
    }
}
