//! Operators of PyTorch that are defined by other operators. A call of one is expanded when it is added to a graph, so it needs
//! no row: shapes, derivatives and kernels come from the operators in its expansion.
//!
//! A formula is a line of [`formula`](super::formula)'s language, or a rule in Rust where it takes a choice. `aten._foreach_…`
//! is the operator on single tensors for each element of the lists ([`lists`]).
//!
//! Invariants: a name is either that of a row or that of a formula; a formula uses rows and other formulas alone.
//!
//! Deliberately absent: operators that a host lists and replaces: those have rows.

mod backward;
mod ctc;
mod lanczos;
mod lists;
mod loss;
mod optimizers;
mod products;
mod quantized;
mod rearrange;
mod recurrence;
mod region_maps;
mod regions;
mod repeat;
mod sampling;
mod statistics;
mod table;

use super::formula::{self, Scope};
use super::{Builder, MetaError, coerce_by};
use crate::base::{HashMap, Status};
use crate::ir::{Arg, Value};
use crate::ops::{Form, parse_schema};
use crate::types::{Dtype, SymArena, SymInt};
use once_cell::sync::Lazy;

type Results = Result<Vec<Value>, MetaError>;
type Built = Result<Value, MetaError>;

/// What an operator becomes.
#[derive(Clone, Copy)]
enum Becomes {
    /// A formula of its arguments.
    Formula(&'static str),
    /// A formula whose result is written to the first argument.
    InPlace(&'static str),
    Rule(fn(&mut Cx<'_, '_>) -> Results),
}

struct Named {
    name: &'static str,
    schema: &'static str,
    becomes: Becomes,
}

static BY_NAME: Lazy<HashMap<&'static str, &'static Named>> =
    Lazy::new(|| table::ALL.iter().map(|named| (named.name, named)).collect());

fn find(name: &str) -> Option<&'static Named> {
    let name = name.strip_prefix("torch.ops.").unwrap_or(name);
    BY_NAME.get(name).or_else(|| BY_NAME.get(&*format!("{name}.default"))).copied()
}

/// Whether an operator of this name is a formula.
pub fn is_formula(name: &str) -> bool {
    find(name).is_some() || lists::is_known(name)
}

/// The operators that are formulas, with what they become where that is one line.
pub fn all() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    table::ALL.iter().map(|named| match named.becomes {
        Becomes::Formula(text) | Becomes::InPlace(text) => (named.name, Some(text)),
        Becomes::Rule(_) => (named.name, None),
    })
}

/// Expands a call of a formula.
pub(super) fn expand(
    b: &mut Builder<'_>,
    name: &str,
    positional: Vec<Arg>,
    named: Vec<(String, Arg)>,
) -> Results {
    match find(name) {
        Some(found) => called(b, found, positional, named),
        None => lists::each(b, name, positional, named),
    }
}

fn called(b: &mut Builder<'_>, found: &Named, positional: Vec<Arg>, named: Vec<(String, Arg)>) -> Results {
    let schema = parse_schema(found.schema)
        .map_err(|e| MetaError::new(Status::Internal, found.name, format!("its schema: {e}")))?;
    let args = coerce_by(b.graph, (found.name, &schema), Form::Functional, positional, named)?;
    let mut cx = Cx { b, name: found.name, args };
    let results = match found.becomes {
        Becomes::Rule(rule) => rule(&mut cx),
        Becomes::Formula(text) => {
            let args = cx.args.clone();
            cx.calls(text, &args)
        }
        Becomes::InPlace(text) => {
            let (own, args) = (cx.value(0)?, cx.args.clone());
            let result = cx.call(text, &args)?;
            cx.write(own, result).map(|own| vec![own])
        }
    };
    // The operators in it are not the caller's.
    results.map_err(|e| match e.op == found.name {
        true => e,
        false => MetaError::new(e.status, found.name, format!("{}: {}", e.op, e.message)),
    })
}

/// One call that becomes others.
struct Cx<'b, 'g> {
    b: &'b mut Builder<'g>,
    name: &'static str,
    args: Vec<Arg>,
}

impl Scope for Cx<'_, '_> {
    type Error = MetaError;

    fn builder(&mut self) -> Builder<'_> {
        Builder::new(self.b.graph)
    }
    fn attribute(&self, name: &str, _: Option<Arg>) -> Result<Arg, MetaError> {
        Err(self.wrong(format!("there is no attribute `{name}`")))
    }
    fn wrong(&self, message: String) -> MetaError {
        MetaError::new(Status::InvalidArgument, self.name, message)
    }
}

fn v(value: Value) -> Arg {
    Arg::Value(value)
}

impl Cx<'_, '_> {
    fn error(&self, status: Status, message: impl Into<String>) -> MetaError {
        MetaError::new(status, self.name, message)
    }
    fn value(&self, k: usize) -> Built {
        self.optional(k).ok_or_else(|| self.wrong(format!("argument {k} must be a tensor")))
    }
    fn optional(&self, k: usize) -> Option<Value> {
        self.args[k].value()
    }
    fn values(&self, k: usize) -> Vec<Value> {
        match &self.args[k] {
            Arg::Values(list) => list.iter().flatten().copied().collect(),
            _ => Vec::new(),
        }
    }
    fn known(&self, k: usize) -> Result<i64, MetaError> {
        let known = self.args[k].int().and_then(|n| self.syms().as_const(n));
        known.ok_or_else(|| {
            self.error(Status::Unsupported, format!("argument {k} must be an integer that is known"))
        })
    }
    fn float(&self, k: usize) -> Result<f64, MetaError> {
        match self.args[k] {
            Arg::Float(value) => Ok(value),
            _ => self.known(k).map(|n| n as f64),
        }
    }
    fn flag(&self, k: usize) -> bool {
        self.args[k].is_true()
    }
    fn text(&self, k: usize) -> &str {
        self.args[k].string().unwrap_or_default()
    }
    fn syms(&self) -> &SymArena {
        &self.b.graph.syms
    }
    fn dtype(&self, value: Value) -> Dtype {
        self.b.graph.meta(value).dtype
    }
    fn shape(&self, value: Value) -> Vec<SymInt> {
        self.b.graph.meta(value).shape.clone()
    }
    fn rank(&self, value: Value) -> usize {
        self.b.graph.meta(value).rank()
    }
    fn int(&self, n: i64) -> Arg {
        Arg::Int(self.syms().constant(n))
    }
    fn ints(&self, list: &[i64]) -> Arg {
        Arg::Ints(list.iter().map(|n| self.syms().constant(*n)).collect())
    }
    fn calls(&mut self, text: &str, args: &[Arg]) -> Results {
        formula::evaluate(self, text, args)
    }
    /// The first result of a formula.
    fn call(&mut self, text: &str, args: &[Arg]) -> Built {
        Ok(self.calls(text, args)?[0])
    }
    /// [`Self::call`] of tensors alone.
    fn of(&mut self, text: &str, values: &[Value]) -> Built {
        let args: Vec<Arg> = values.iter().map(|value| v(*value)).collect();
        self.call(text, &args)
    }
    /// Writes a result to the tensor that it is computed in place of, in whose dtype it must fit.
    fn write(&mut self, own: Value, result: Value) -> Built {
        let (own_dtype, dtype) = (self.dtype(own), self.dtype(result));
        if dtype.category() > own_dtype.category() {
            let message = format!("the result is {dtype}, which can't be cast to {own_dtype} in place");
            return Err(self.error(Status::Dtype, message));
        }
        self.of("copy_($0, $1)", &[own, result])
    }
    fn cast(&mut self, value: Value, dtype: Dtype) -> Built {
        if self.dtype(value) == dtype {
            return Ok(value);
        }
        self.call("to.dtype($0, $1)", &[v(value), Arg::Dtype(dtype)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::OpId;

    #[test]
    fn names_are_those_of_no_row_and_schemas_parse() {
        for named in table::ALL {
            assert_eq!(OpId::find(named.name), None, "{}", named.name);
            assert!(parse_schema(named.schema).is_ok(), "{}", named.name);
            assert_eq!(named.name.split('.').count(), 3, "{}", named.name);
        }
        assert_eq!(BY_NAME.len(), table::ALL.len(), "a name that stands twice");
    }
}
