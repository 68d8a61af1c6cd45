//! A node's arguments by name, as lowering rules read them.

use super::{Lazy, Lower, LowerError};
use crate::base::Status;
use crate::ir::{Arg, Graph, Node, Value};
use crate::types::{Dtype, Scalar, SymInt, TensorMeta};
use std::cell::Cell;

/// The node being lowered.
pub struct Args<'a> {
    pub graph: &'a Graph,
    pub node: &'a Node,
    /// Set where a rule that must know a float found one that is known only at run time; the operator is refused then.
    pub unknown_float: Cell<bool>,
}

impl<'a> Args<'a> {
    pub fn new(graph: &'a Graph, node: &'a Node) -> Args<'a> {
        Args { graph, node, unknown_float: Cell::new(false) }
    }
}

impl<'a> Args<'a> {
    pub fn get(&self, name: &str) -> &'a Arg {
        self.node.arg(name).unwrap_or_else(|| panic!("{} has no argument `{name}`", self.node.op.name()))
    }
    fn wrong(&self, name: &str, want: &str) -> LowerError {
        let message = format!("argument `{name}` must be {want}");
        LowerError::new(Status::Unsupported, self.node.name(), message, self.node.origins.clone())
    }
    pub fn value(&self, name: &str) -> Result<Value, LowerError> {
        self.optional_value(name).ok_or_else(|| self.wrong(name, "a tensor"))
    }
    pub fn optional_value(&self, name: &str) -> Option<Value> {
        self.get(name).value()
    }
    pub fn lazy(&self, cx: &Lower<'_>, name: &str) -> Result<Lazy, LowerError> {
        Ok(cx.value(self.value(name)?))
    }
    pub fn optional_lazy(&self, cx: &Lower<'_>, name: &str) -> Option<Lazy> {
        self.optional_value(name).map(|v| cx.value(v))
    }
    pub fn values(&self, name: &str) -> Vec<Option<Value>> {
        match self.get(name) {
            Arg::Values(list) => list.clone(),
            _ => Vec::new(),
        }
    }
    pub fn meta(&self, name: &str) -> Result<&'a TensorMeta, LowerError> {
        Ok(self.graph.meta(self.value(name)?))
    }
    /// The meta of the node's `k`-th result.
    pub fn result(&self, k: usize) -> &'a TensorMeta {
        self.graph.meta(self.node.outputs[k])
    }
    pub fn int(&self, name: &str) -> Option<SymInt> {
        self.get(name).int()
    }
    pub fn known_int(&self, name: &str) -> Result<i64, LowerError> {
        self.int(name)
            .and_then(|v| self.graph.syms.as_const(v))
            .ok_or_else(|| self.wrong(name, "a constant integer"))
    }
    pub fn ints(&self, name: &str) -> Option<&'a [SymInt]> {
        self.get(name).ints()
    }
    pub fn known_ints(&self, name: &str) -> Result<Vec<i64>, LowerError> {
        self.ints(name)
            .and_then(|v| self.graph.syms.as_consts(v))
            .ok_or_else(|| self.wrong(name, "a list of constant integers"))
    }
    pub fn bool(&self, name: &str) -> bool {
        self.get(name).is_true()
    }
    /// A number that is known, of any kind.
    pub fn float(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Arg::Float(v) => Some(*v),
            Arg::Bool(v) => Some(*v as u8 as f64),
            Arg::Int(v) => match self.graph.syms.as_const(*v) {
                Some(known) => Some(known as f64),
                None => {
                    self.unknown_float.set(true);
                    None
                }
            },
            Arg::SymFloat(_) => {
                self.unknown_float.set(true);
                None
            }
            _ => None,
        }
    }
    /// True for a float, known or not.
    pub fn is_float(&self, name: &str) -> bool {
        matches!(self.get(name), Arg::Float(_) | Arg::SymFloat(_))
    }
    pub fn string(&self, name: &str) -> Option<&'a str> {
        self.get(name).string()
    }
    pub fn dtype(&self, name: &str) -> Option<Dtype> {
        self.get(name).dtype()
    }
    /// A number argument as an expression of this dtype (a symbolic one is an index expression); `None` where it is
    /// not given.
    pub fn number(&self, cx: &mut Lower<'_>, name: &str, dtype: Dtype) -> Option<super::ExprId> {
        let value = match self.get(name) {
            Arg::Int(v) => match self.graph.syms.as_const(*v) {
                Some(c) => Scalar::Int(c),
                None => {
                    let index = cx.program.exprs.index_value(*v, Dtype::Int64);
                    return Some(cx.program.exprs.cast(index, dtype));
                }
            },
            Arg::Float(v) => Scalar::Float(*v),
            Arg::SymFloat(bits) => {
                let float = cx.program.exprs.float_of_bits(*bits);
                return Some(cx.program.exprs.cast(float, dtype));
            }
            Arg::Bool(v) => Scalar::Bool(*v),
            _ => return None,
        };
        Some(cx.program.exprs.constant(value, dtype))
    }
}
