//! The inferring builder: what readers, decompositions and the C ABI build graphs with.

use super::infer::takes_complex;
use super::{MetaError, coerce, coerce_by, dynamic, formulas, infer_form};
use crate::base::{Status, memory, shortened};
use crate::ir::{Arg, FUNCTIONAL, Graph, Guard, HostCall, HostOperator, HostOperators, Value};
use crate::ops::{ArgBase, Form, OpId};
use crate::types::TensorMeta;
use std::sync::Arc;

/// Appends nodes to a graph, inferring as it goes. A failed call leaves the graph as it was.
pub struct Builder<'g> {
    pub graph: &'g mut Graph,
    /// How many results the next calls give, where their operators leave that to sizes which only a run knows.
    pub(super) results: Option<usize>,
}

/// A call that is coerced and inferred, and not yet part of the graph.
pub enum Prepared {
    Call {
        op: OpId,
        form: Form,
        args: Vec<Arg>,
        results: Vec<TensorMeta>,
        guards: Vec<Guard>,
    },
    /// An operator that is others: these stand in the graph already, and nothing depends on them yet.
    Expanded(Vec<Value>),
}

impl Prepared {
    /// How many results the call gives.
    pub fn count(&self) -> usize {
        match self {
            Prepared::Call { results, .. } => results.len(),
            Prepared::Expanded(values) => values.len(),
        }
    }
}

impl<'g> Builder<'g> {
    pub fn new(graph: &'g mut Graph) -> Self {
        Builder { graph, results: None }
    }
    /// A builder of calls that give this many results in the program which they are read from. A run whose sizes give
    /// another number is refused.
    pub fn with_results(graph: &'g mut Graph, results: usize) -> Self {
        Builder { graph, results: Some(results) }
    }

    /// Appends an operator with arguments that already stand as its schema says; gives its results.
    pub fn call(&mut self, op: OpId, form: Form, args: Vec<Arg>) -> Result<Vec<Value>, MetaError> {
        let (results, guards) = infer_form(self.graph, op, form, &args)?;
        Ok(self.commit(Prepared::Call { op, form, args, results, guards }))
    }

    /// Appends an operator by name with positional and named arguments, which are coerced by the schema and
    /// completed by its defaults.
    pub fn call_named(
        &mut self,
        name: &str,
        positional: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<Vec<Value>, MetaError> {
        let prepared = self.prepare(name, positional, named)?;
        Ok(self.commit(prepared))
    }

    /// The first half of [`Self::call_named`]: all that may fail. For callers that must see what a call would give
    /// before they decide on it.
    pub fn prepare(
        &mut self,
        name: &str,
        positional: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<Prepared, MetaError> {
        memory::checkpoint();
        if let Some(operators) = OpId::of_out_form(name) {
            return self.call_with_out(&operators, positional, named).map(Prepared::Expanded);
        }
        let Some((op, form)) = OpId::find(name) else {
            let (called, form) = of_host(name);
            if let Some(operator) = self.graph.operators.find(called) {
                return self.prepare_host_call(operator, form, positional, named);
            }
            if formulas::is_formula(name) {
                return formulas::expand(self, name, positional, named).map(Prepared::Expanded);
            }
            let message = format!("there is no operator `{}`{}", shortened(name), OpId::suggestions(name));
            return Err(MetaError::new(Status::Unsupported, "graph", message));
        };
        let op = number_overload(op, form, &positional, &named).unwrap_or(op);
        let args = coerce(self.graph, op, form, positional, named)?;
        takes_complex(self.graph, op, &args)?;
        let args = self.in_dtype_of_target(op, args)?;
        if let Some(values) = dynamic::expand(self, op, form, &args) {
            return values.map(Prepared::Expanded);
        }
        let (results, guards) = infer_form(self.graph, op, form, &args)?;
        Ok(Prepared::Call { op, form, args, results, guards })
    }

    /// The arguments of an operator that writes over a view. Its source is converted to the dtype of its target, as `copy_` does.
    fn in_dtype_of_target(&mut self, op: OpId, mut args: Vec<Arg>) -> Result<Vec<Arg>, MetaError> {
        use OpId::{AsStridedScatter, DiagonalScatter, SelectScatter, SliceScatter};
        if let (SliceScatter | SelectScatter | DiagonalScatter | AsStridedScatter, [own, src, ..]) =
            (op, &mut args[..])
            && let (Some(own), Some(value)) = (own.value(), src.value())
        {
            let (have, dtype) = (self.graph.meta(value).dtype, self.graph.meta(own).dtype);
            if have != dtype {
                let named = vec![("dtype", Arg::Dtype(dtype))];
                *src = Arg::Value(self.op_with("aten._to_copy.default", vec![Arg::Value(value)], named)?);
            }
        }
        Ok(args)
    }

    fn prepare_host_call(
        &mut self,
        operator: Arc<HostOperator>,
        form: Form,
        positional: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<Prepared, MetaError> {
        let (name, schema) = (operator.name, &operator.schema);
        let args = coerce_by(self.graph, (name, schema), form, positional, named)?;
        for (arg, want) in args.iter().zip(&schema.args) {
            if want.ty.base == ArgBase::Tensor && !matches!(arg, Arg::None | Arg::Value(_) | Arg::Values(_)) {
                let message =
                    format!("argument `{}` is {}, where the schema has {}", want.name, arg.kind(), want.ty);
                return Err(MetaError::new(Status::InvalidArgument, name, message));
            }
        }
        let (op, writes) = (operator.row(), operator.writes());
        let args = vec![Arg::Call(Box::new(HostCall { operator, args }))];
        let form = if writes { form } else { Form::Functional };
        let (results, guards) = infer_form(self.graph, op, form, &args)?;
        Ok(Prepared::Call { op, form, args, results, guards })
    }

    /// A call that writes its result to the argument `out`: the first of the operators that takes the other arguments.
    fn call_with_out(
        &mut self,
        operators: &[OpId],
        mut positional: Vec<Arg>,
        mut named: Vec<(String, Arg)>,
    ) -> Result<Vec<Value>, MetaError> {
        let first = operators[0];
        let wrong = |status, message: &str| MetaError::new(status, first.name(), message);
        let out = match named.iter().position(|(name, _)| name == "out") {
            Some(k) => Some(named.remove(k).1),
            // In C all arguments are positional.
            None if positional.len() > first.schema().args.len() => positional.pop(),
            None => None,
        };
        let Some(Arg::Value(out)) = out else {
            return Err(wrong(Status::InvalidArgument, "the argument `out` must be a tensor"));
        };
        let takes = |op: &&OpId| {
            op.schema().returns.len() == 1
                && coerce(self.graph, **op, Form::Functional, positional.clone(), named.clone()).is_ok()
        };
        let op = operators.iter().find(takes).unwrap_or(&operators[0]);
        let results = self.call_named(op.name(), positional, named)?;
        let [result] = results[..] else {
            return Err(wrong(Status::Unsupported, "a form that writes to more than one tensor"));
        };
        let (have, want) = (self.graph.meta(out).clone(), self.graph.meta(result).clone());
        if want.dtype.category() > have.dtype.category() {
            let message = format!("the result is {}, which can't be cast to {}", want.dtype, have.dtype);
            return Err(wrong(Status::Dtype, &message));
        }
        let same = have.rank() == want.rank()
            && have.shape.iter().zip(&want.shape).all(|(a, b)| self.graph.syms.known_eq(*a, *b));
        let mut out = out;
        if !same {
            // As PyTorch, which gives it the size of the result.
            let shape = Arg::Ints(want.shape);
            out = self.call_named("aten.resize_.default", vec![Arg::Value(out), shape], Vec::new())?[0];
        }
        self.call_named("aten.copy_.default", vec![Arg::Value(out), Arg::Value(result)], Vec::new())
    }

    /// Appends what was prepared.
    pub fn commit(&mut self, prepared: Prepared) -> Vec<Value> {
        let (op, form, args, results, guards) = match prepared {
            Prepared::Call { op, form, args, results, guards } => (op, form, args, results, guards),
            Prepared::Expanded(values) => return values,
        };
        for guard in guards {
            if !self.graph.guards.contains(&guard) {
                self.graph.guards.push(guard);
            }
        }
        let node = self.graph.add_node(op, form, args, results);
        self.graph.nodes[node].outputs.clone()
    }

    /// [`Self::call_named`] for operators with one result and positional arguments, as decompositions use it.
    pub fn op(&mut self, name: &str, positional: Vec<Arg>) -> Result<Value, MetaError> {
        Ok(self.call_named(name, positional, Vec::new())?[0])
    }
    /// [`Self::op`] with named arguments too.
    pub fn op_with(
        &mut self,
        name: &str,
        positional: Vec<Arg>,
        named: Vec<(&str, Arg)>,
    ) -> Result<Value, MetaError> {
        let named = named.into_iter().map(|(n, a)| (n.to_string(), a)).collect();
        Ok(self.call_named(name, positional, named)?[0])
    }
}

/// PyTorch takes a number where an operator asks for a tensor (`aten.add.Tensor(x, 1)`), and lets it take part in
/// promotion by its kind alone. The overload that asks for a number there says the same: this finds it.
fn number_overload(op: OpId, form: Form, positional: &[Arg], named: &[(String, Arg)]) -> Option<OpId> {
    let schema = op.schema();
    let is_number = |arg: &Arg| {
        matches!(arg, Arg::Int(_) | Arg::Float(_) | Arg::SymFloat(_) | Arg::Complex(_) | Arg::Bool(_))
    };
    let given: Vec<(usize, &Arg)> = positional
        .iter()
        .enumerate()
        .chain(named.iter().filter_map(|(name, arg)| Some((schema.arg(name)?, arg))))
        .collect();
    let single = |op: OpId, k: usize, base: ArgBase| {
        op.schema().args.get(k).is_some_and(|a| a.ty.base == base && !a.ty.list)
    };
    if !given.iter().any(|(k, arg)| is_number(arg) && single(op, *k, ArgBase::Tensor)) {
        return None;
    }
    op.overloads().iter().copied().find(|other| {
        let same_names = other.schema().args.len() == schema.args.len()
            && other.schema().args.iter().zip(&schema.args).all(|(a, b)| a.name == b.name);
        let takes_all = given.iter().all(|(k, arg)| match arg {
            Arg::Value(_) => single(*other, *k, ArgBase::Tensor),
            arg if is_number(arg) => !single(*other, *k, ArgBase::Tensor),
            _ => true,
        });
        same_names && takes_all && (form == Form::Functional || other.row().inplace)
    })
}

/// A host's operator by its name: the form that writes to its arguments, unless the name says otherwise.
fn of_host(name: &str) -> (&str, Form) {
    match name.strip_prefix(FUNCTIONAL) {
        Some(called) => (called, Form::Functional),
        None => (name, Form::InPlace),
    }
}

/// Whether a call of this name can be made.
pub fn is_known(name: &str, host: &HostOperators) -> bool {
    OpId::find(name).is_some()
        || OpId::of_out_form(name).is_some()
        || host.find(of_host(name).0).is_some()
        || formulas::is_formula(name)
}
