//! What a decomposition sees and builds with: its node's arguments by name, and shorthands for the operators that
//! most of them use.

use super::DecomposeError;
use crate::base::Status;
use crate::ir::{Arg, Graph, Value};
use crate::meta::{Builder, MetaError};
use crate::ops::OpId;
use crate::types::{Dtype, SymArena, SymInt, TensorMeta};

type Built = Result<Value, DecomposeError>;

/// One composite node being rebuilt; its arguments are values of the new graph.
pub struct Decompose<'g> {
    pub graph: &'g mut Graph,
    pub op: OpId,
    pub args: &'g [Arg],
    /// Set where a rule that must know a float found one that is known only at run time; the node is refused then.
    pub unknown_float: std::cell::Cell<bool>,
}

/// The second operand of arithmetic: a tensor or a number.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    Tensor(Value),
    Float(f64),
    Int(SymInt),
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Operand::Tensor(value)
    }
}
impl From<f64> for Operand {
    fn from(value: f64) -> Self {
        Operand::Float(value)
    }
}
impl From<SymInt> for Operand {
    fn from(value: SymInt) -> Self {
        Operand::Int(value)
    }
}

impl Operand {
    fn arg(self) -> Arg {
        match self {
            Operand::Tensor(v) => Arg::Value(v),
            Operand::Float(v) => Arg::Float(v),
            Operand::Int(v) => Arg::Int(v),
        }
    }
}

impl<'g> Decompose<'g> {
    pub fn syms(&self) -> &SymArena {
        &self.graph.syms
    }
    pub fn error(&self, status: Status, message: impl Into<String>) -> DecomposeError {
        MetaError::new(status, self.op.name(), message)
    }
    pub fn unsupported(&self, message: impl Into<String>) -> DecomposeError {
        self.error(Status::Unsupported, message)
    }

    // Arguments.

    pub fn arg(&self, name: &str) -> &'g Arg {
        let place = self.op.schema().arg(name);
        &self.args[place.unwrap_or_else(|| panic!("{} has no argument `{name}`", self.op.name()))]
    }
    pub fn value(&self, name: &str) -> Built {
        self.optional_value(name)
            .ok_or_else(|| self.error(Status::InvalidArgument, format!("argument `{name}` must be a tensor")))
    }
    pub fn optional_value(&self, name: &str) -> Option<Value> {
        self.arg(name).value()
    }
    pub fn values(&self, name: &str) -> Vec<Value> {
        match self.arg(name) {
            Arg::Values(list) => list.iter().flatten().copied().collect(),
            _ => Vec::new(),
        }
    }
    pub fn meta(&self, value: Value) -> TensorMeta {
        self.graph.meta(value).clone()
    }
    pub fn rank(&self, value: Value) -> usize {
        self.graph.meta(value).rank()
    }
    pub fn dtype_of(&self, value: Value) -> Dtype {
        self.graph.meta(value).dtype
    }
    pub fn shape(&self, value: Value) -> Vec<SymInt> {
        self.graph.meta(value).shape.clone()
    }
    pub fn int(&self, name: &str) -> Option<SymInt> {
        self.arg(name).int()
    }
    pub fn known_int(&self, name: &str) -> Result<i64, DecomposeError> {
        self.int(name)
            .and_then(|v| self.syms().as_const(v))
            .ok_or_else(|| self.unsupported(format!("argument `{name}` must be a constant integer")))
    }
    pub fn ints(&self, name: &str) -> Option<&'g [SymInt]> {
        self.arg(name).ints()
    }
    pub fn known_ints(&self, name: &str) -> Result<Vec<i64>, DecomposeError> {
        self.ints(name)
            .and_then(|v| self.syms().as_consts(v))
            .ok_or_else(|| self.unsupported(format!("argument `{name}` must be constant integers")))
    }
    pub fn bool(&self, name: &str) -> bool {
        self.arg(name).is_true()
    }
    /// A float, or a scalar argument that is a known number.
    pub fn float(&self, name: &str) -> Option<f64> {
        match self.arg(name) {
            Arg::Float(v) => Some(*v),
            Arg::Int(v) => self.syms().as_const(*v).map(|c| c as f64),
            Arg::Bool(v) => Some(*v as i64 as f64),
            Arg::SymFloat(_) => {
                self.unknown_float.set(true);
                None
            }
            _ => None,
        }
    }
    pub fn string(&self, name: &str) -> Option<&'g str> {
        self.arg(name).string()
    }
    pub fn dtype(&self, name: &str) -> Option<Dtype> {
        self.arg(name).dtype()
    }
    /// A dimension number, negative ones counted from the end.
    pub fn dim(&self, given: i64, rank: usize) -> Result<usize, DecomposeError> {
        let n = rank.max(1) as i64;
        if given < -n || given >= n {
            let message = format!("dimension {given} is outside [{}, {}]", -n, n - 1);
            return Err(self.error(Status::InvalidArgument, message));
        }
        Ok((if given < 0 { given + n } else { given }) as usize)
    }

    // Building.

    /// An operator by name with positional arguments; the defaults complete them.
    pub fn call(&mut self, name: &str, args: Vec<Arg>) -> Built {
        Ok(self.call_all(name, args, Vec::new())?[0])
    }
    pub fn call_with(&mut self, name: &str, args: Vec<Arg>, named: Vec<(&str, Arg)>) -> Built {
        Ok(self.call_all(name, args, named)?[0])
    }
    /// All results of an operator.
    pub fn call_all(
        &mut self,
        name: &str,
        args: Vec<Arg>,
        named: Vec<(&str, Arg)>,
    ) -> Result<Vec<Value>, DecomposeError> {
        let named = named.into_iter().map(|(n, a)| (n.to_string(), a)).collect();
        let outer = self.op.name();
        Builder::new(self.graph)
            .call_named(name, args, named)
            .map_err(|e| MetaError::new(e.status, outer, format!("{}: {}", e.op, e.message)))
    }
    pub fn constant(&self, value: i64) -> SymInt {
        self.syms().constant(value)
    }
    pub fn int_arg(&self, value: i64) -> Arg {
        Arg::Int(self.constant(value))
    }
    pub fn ints_arg(&self, values: &[i64]) -> Arg {
        Arg::Ints(values.iter().map(|v| self.constant(*v)).collect())
    }

    fn binary(&mut self, base: &str, a: Value, b: Operand) -> Built {
        let overload = if matches!(b, Operand::Tensor(_)) { "Tensor" } else { "Scalar" };
        self.call(&format!("aten.{base}.{overload}"), vec![Arg::Value(a), b.arg()])
    }
    pub fn add(&mut self, a: Value, b: impl Into<Operand>) -> Built {
        self.binary("add", a, b.into())
    }
    pub fn sub(&mut self, a: Value, b: impl Into<Operand>) -> Built {
        self.binary("sub", a, b.into())
    }
    pub fn mul(&mut self, a: Value, b: impl Into<Operand>) -> Built {
        self.binary("mul", a, b.into())
    }
    pub fn div(&mut self, a: Value, b: impl Into<Operand>) -> Built {
        self.binary("div", a, b.into())
    }
    /// A comparison: `eq`, `ne`, `lt`, `le`, `gt`, `ge`.
    pub fn compare(&mut self, which: &str, a: Value, b: impl Into<Operand>) -> Built {
        self.binary(which, a, b.into())
    }
    /// A pointwise function of one tensor, by its ATen name: `exp`, `neg`, `abs`.
    pub fn unary(&mut self, base: &str, a: Value) -> Built {
        self.call(&format!("aten.{base}.default"), vec![Arg::Value(a)])
    }
    pub fn power(&mut self, a: Value, exponent: f64) -> Built {
        self.call("aten.pow.Tensor_Scalar", vec![Arg::Value(a), Arg::Float(exponent)])
    }
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Built {
        self.call("aten.where.self", vec![Arg::Value(condition), Arg::Value(a), Arg::Value(b)])
    }
    /// A tensor of one number with the dtype of another, 0-d.
    pub fn scalar(&mut self, value: f64, dtype: Dtype) -> Built {
        let none = Arg::Ints(Vec::new());
        self.call_with("aten.full.default", vec![none, Arg::Float(value)], vec![("dtype", Arg::Dtype(dtype))])
    }
    /// In another dtype; the tensor itself where it has it already.
    pub fn cast(&mut self, a: Value, dtype: Dtype) -> Built {
        if self.dtype_of(a) == dtype {
            return Ok(a);
        }
        self.call("aten.to.dtype", vec![Arg::Value(a), Arg::Dtype(dtype)])
    }
    /// In the dtype that arithmetic on it is done in (float32 for narrower floats).
    pub fn compute(&mut self, a: Value) -> Built {
        let dtype = self.dtype_of(a).compute();
        self.cast(a, dtype)
    }
    /// The sum over some dimensions; over all where none is named.
    pub fn sum(&mut self, a: Value, dims: &[i64], keep: bool) -> Built {
        let dims = if dims.is_empty() { Arg::None } else { self.ints_arg(dims) };
        self.call("aten.sum.dim_IntList", vec![Arg::Value(a), dims, Arg::Bool(keep)])
    }
    pub fn mean(&mut self, a: Value, dims: &[i64], keep: bool) -> Built {
        let dims = if dims.is_empty() { Arg::None } else { self.ints_arg(dims) };
        self.call("aten.mean.dim", vec![Arg::Value(a), dims, Arg::Bool(keep)])
    }
    pub fn reshape(&mut self, a: Value, shape: &[SymInt]) -> Built {
        self.call("aten.reshape.default", vec![Arg::Value(a), Arg::Ints(shape.to_vec())])
    }
    pub fn unsqueeze(&mut self, a: Value, dim: i64) -> Built {
        let dim = self.int_arg(dim);
        self.call("aten.unsqueeze.default", vec![Arg::Value(a), dim])
    }
    pub fn squeeze(&mut self, a: Value, dim: i64) -> Built {
        let dim = self.int_arg(dim);
        self.call("aten.squeeze.dim", vec![Arg::Value(a), dim])
    }
    pub fn transpose(&mut self, a: Value, from: i64, to: i64) -> Built {
        let (from, to) = (self.int_arg(from), self.int_arg(to));
        self.call("aten.transpose.int", vec![Arg::Value(a), from, to])
    }
    pub fn permute(&mut self, a: Value, dims: &[usize]) -> Built {
        let dims: Vec<i64> = dims.iter().map(|d| *d as i64).collect();
        let dims = self.ints_arg(&dims);
        self.call("aten.permute.default", vec![Arg::Value(a), dims])
    }
    pub fn select_index(&mut self, a: Value, dim: i64, index: i64) -> Built {
        let (dim, index) = (self.int_arg(dim), self.int_arg(index));
        self.call("aten.select.int", vec![Arg::Value(a), dim, index])
    }
    pub fn matmul(&mut self, a: Value, b: Value) -> Built {
        self.call("aten.matmul.default", vec![Arg::Value(a), Arg::Value(b)])
    }
    pub fn cat(&mut self, list: Vec<Value>, dim: i64) -> Built {
        let dim = self.int_arg(dim);
        let list = Arg::Values(list.into_iter().map(Some).collect());
        self.call("aten.cat.default", vec![list, dim])
    }
}
