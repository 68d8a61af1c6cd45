//! What a derivative rule sees and builds with: its node's arguments by name, its results and their cotangents; and where
//! it puts the cotangents of the arguments.

use super::{DerivativeError, Outcome};
use crate::base::{HashSet, StableSort, Status};
use crate::decompose::Decompose;
use crate::ir::{Arg, Graph, Node, Value};
use crate::types::{Dtype, SymInt};
use std::ops::{Deref, DerefMut};

/// One node being differentiated. It builds nodes with the methods of [`Decompose`].
pub struct Derivative<'g> {
    build: Decompose<'g>,
    /// The node's results.
    pub results: &'g [Value],
    cotangents: Vec<Option<Value>>,
    active: HashSet<Value>,
    contributions: Vec<(Value, Value)>,
    by_parts: bool,
    parts: Vec<Value>,
}

/// What a rule has given.
pub(super) struct Given {
    pub contributions: Vec<(Value, Value)>,
    /// The operator's decomposition gives more.
    pub by_parts: bool,
    /// Values equal to the first results, whose derivatives give more.
    pub parts: Vec<Value>,
}

impl<'g> Deref for Derivative<'g> {
    type Target = Decompose<'g>;
    fn deref(&self) -> &Decompose<'g> {
        &self.build
    }
}
impl<'g> DerefMut for Derivative<'g> {
    fn deref_mut(&mut self) -> &mut Decompose<'g> {
        &mut self.build
    }
}

impl<'g> Derivative<'g> {
    pub(super) fn new(
        graph: &'g mut Graph,
        node: &'g Node,
        cotangents: Vec<Option<Value>>,
        active: HashSet<Value>,
    ) -> Self {
        let unknown_float = std::cell::Cell::new(false);
        let build = Decompose { graph, op: node.op, args: &node.args, unknown_float };
        Derivative {
            build,
            results: &node.outputs,
            cotangents,
            active,
            contributions: Vec::new(),
            by_parts: false,
            parts: Vec::new(),
        }
    }

    /// What the rule has given, once it is done.
    pub(super) fn into_given(self) -> Outcome<Given> {
        if self.build.unknown_float.get() {
            return Err(self
                .build
                .unsupported("the derivative by an argument that is a float known only at run time"));
        }
        Ok(Given { contributions: self.contributions, by_parts: self.by_parts, parts: self.parts })
    }

    /// The cotangent of a result, if there is one.
    pub fn cotangent(&self, result: usize) -> Option<Value> {
        self.cotangents.get(result).copied().flatten()
    }
    /// The cotangent of the first result; the walk asks no rule of one result without it.
    pub fn grad(&mut self) -> Outcome<Value> {
        self.grad_of(0)
    }
    /// The cotangent of a result, zeros without one.
    pub fn grad_of(&mut self, result: usize) -> Outcome<Value> {
        match self.cotangent(result) {
            Some(value) => Ok(value),
            None => self.build.call("aten.zeros_like.default", vec![Arg::Value(self.results[result])]),
        }
    }
    /// The first argument, whatever its name.
    pub fn first(&self) -> Outcome<Value> {
        let first = self.args.first().and_then(Arg::value);
        first.ok_or_else(|| self.error(Status::InvalidArgument, "the first argument must be a tensor"))
    }
    /// Whether a gradient is wanted for the tensor argument of this name.
    pub fn needs(&self, name: &str) -> bool {
        self.build.optional_value(name).is_some_and(|v| self.active.contains(&v))
    }
    pub fn needs_value(&self, value: Value) -> bool {
        self.active.contains(&value)
    }

    /// Adds to the cotangent of the argument of this name. What was broadcast is summed up, and a wider dtype is narrowed. An
    /// argument that is no tensor, or that no gradient is wanted for, is passed over.
    pub fn give(&mut self, name: &str, cotangent: Value) -> Outcome {
        match self.build.optional_value(name) {
            Some(value) => self.give_value(value, cotangent),
            None => Ok(()),
        }
    }
    /// [`Self::give`] for a value that stands among the arguments, such as one of a list.
    pub fn give_value(&mut self, value: Value, cotangent: Value) -> Outcome {
        if self.active.contains(&value) {
            let fitted = self.fitted(cotangent, value)?;
            self.contributions.push((value, fitted));
        }
        Ok(())
    }

    /// Has the operator's decomposition differentiated as well.
    pub fn by_parts(&mut self) {
        self.by_parts = true;
    }

    /// Has values differentiated in the place of the first results. The rule has built them of operators with derivatives.
    pub fn through(&mut self, parts: Vec<Value>) {
        self.parts = parts;
    }

    /// A cotangent with the sizes and dtype of the value that it belongs to.
    fn fitted(&mut self, cotangent: Value, value: Value) -> Outcome<Value> {
        let (want, have) = (self.meta(value), self.meta(cotangent));
        let more = have.rank().checked_sub(want.rank()).ok_or_else(|| {
            self.error(Status::Internal, "a gradient has fewer dimensions than what it belongs to")
        })?;
        let one = self.constant(1);
        let repeated = |k: usize| k < more || want.shape[k - more] == one && have.shape[k] != one;
        let dims: Vec<i64> = (0..have.rank()).filter(|k| repeated(*k)).map(|k| k as i64).collect();
        let mut fitted = cotangent;
        if !dims.is_empty() {
            fitted = self.sum(fitted, &dims, true)?;
        }
        if more > 0 {
            fitted = self.reshape(fitted, &want.shape)?;
        }
        self.cast(fitted, want.dtype)
    }

    /// A tensor of zeros with sizes and dtype of another.
    pub fn zeros_like(&mut self, value: Value) -> Outcome<Value> {
        self.build.call("aten.zeros_like.default", vec![Arg::Value(value)])
    }
    pub fn zeros(&mut self, shape: &[SymInt], dtype: Dtype) -> Outcome<Value> {
        let named = vec![("dtype", Arg::Dtype(dtype))];
        self.build.call_with("aten.zeros.default", vec![Arg::Ints(shape.to_vec())], named)
    }
    /// The dimensions that a reduction goes over, counted from the front; all where none is named.
    pub fn reduced_dims(&self, name: &str, rank: usize) -> Result<Vec<usize>, DerivativeError> {
        let given = match self.arg(name) {
            Arg::Ints(_) => self.known_ints(name)?,
            Arg::Int(_) => vec![self.known_int(name)?],
            _ => Vec::new(),
        };
        if given.is_empty() {
            return Ok((0..rank).collect());
        }
        let mut dims = given.into_iter().map(|d| self.dim(d, rank)).collect::<Result<Vec<_>, _>>()?;
        dims.stable_sort();
        // A 0-d tensor has no dimension, but lets itself be reduced over its first.
        dims.retain(|d| *d < rank);
        Ok(dims)
    }
    /// What a reduction over these dimensions gave, with them as sizes of 1 again.
    pub fn kept(&mut self, value: Value, dims: &[usize], rank: usize) -> Outcome<Value> {
        let mut value = value;
        if self.rank(value) != rank {
            for d in dims {
                value = self.unsqueeze(value, *d as i64)?;
            }
        }
        Ok(value)
    }
    /// `a / b`, and 0 where `b` is 0. So are its derivatives there: a division that is only chosen against leaves NaN in them.
    pub fn ratio(&mut self, a: Value, b: Value) -> Outcome<Value> {
        let nothing = self.compare("eq", b, 0.0)?;
        let one = self.call("aten.ones_like.default", vec![Arg::Value(b)])?;
        let divisor = self.select(nothing, one, b)?;
        let (quotient, zero) = (self.div(a, divisor)?, self.zeros_like(a)?);
        self.select(nothing, zero, quotient)
    }
    /// A tensor repeated to the sizes of another.
    pub fn expanded(&mut self, value: Value, to: Value) -> Outcome<Value> {
        let shape = self.shape(to);
        self.call("aten.expand.default", vec![Arg::Value(value), Arg::Ints(shape)])
    }
    /// The product of the sizes of some dimensions.
    pub fn count(&self, value: Value, dims: &[usize]) -> SymInt {
        let shape = self.shape(value);
        let sizes: Vec<SymInt> = dims.iter().map(|d| shape[*d]).collect();
        self.syms().product(&sizes)
    }
    /// A value divided by that product, as a mean's gradient is; of no elements, which share nothing, by 1: a NaN would reach the
    /// gradient by the value.
    pub fn shared(&mut self, value: Value, of: Value, dims: &[usize]) -> Outcome<Value> {
        let count = self.count(of, dims);
        let one = self.constant(1);
        let count = self.syms().max(count, one);
        self.div(value, count)
    }
}
