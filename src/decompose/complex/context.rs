//! What a rule sees: its node's operands, complex ones as pairs, and shorthands for arithmetic on pairs.

use crate::base::{SideMap, Status};
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Graph, Node, Value, ValueData};
use crate::meta::{Builder, result_type};
use crate::types::{Dtype, SymInt};
use std::ops::{Deref, DerefMut};

pub type Built = Result<Value, DecomposeError>;
pub type BuiltPair = Result<Pair, DecomposeError>;

/// The parts of complex numbers.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub re: Value,
    pub im: Value,
}

/// A value of the old graph in the new one.
#[derive(Clone, Copy, Debug)]
pub enum Held {
    /// As it was: a real value, or a complex one at the boundary.
    Whole(Value),
    /// A complex value as its parts.
    Parts(Pair),
    /// A complex value as one tensor with a last dimension of 2, real parts first.
    Joined(Value),
}

impl Held {
    /// A value that is no complex one.
    pub fn whole(self) -> Value {
        match self {
            Held::Whole(value) | Held::Joined(value) => value,
            Held::Parts(pair) => pair.re,
        }
    }
}

impl From<Pair> for Held {
    fn from(pair: Pair) -> Held {
        Held::Parts(pair)
    }
}

fn call(graph: &mut Graph, name: &str, args: Vec<Arg>) -> Built {
    Builder::new(graph).op(name, args)
}

/// Parts as one tensor.
fn join(graph: &mut Graph, pair: Pair) -> Built {
    let last = Arg::Int(graph.syms.constant(-1));
    let parts = Arg::Values(vec![Some(pair.re), Some(pair.im)]);
    call(graph, "aten.stack.default", vec![parts, last])
}

/// One tensor as parts.
fn parted(graph: &mut Graph, joined: Value) -> BuiltPair {
    let mut part = |index: i64| {
        let (last, index) = (Arg::Int(graph.syms.constant(-1)), Arg::Int(graph.syms.constant(index)));
        call(graph, "aten.select.int", vec![Arg::Value(joined), last, index])
    };
    Ok(Pair { re: part(0)?, im: part(1)? })
}

/// A value of the old graph as it leaves the new one.
pub fn whole(graph: &mut Graph, held: &mut SideMap<ValueData, Held>, value: Value) -> Built {
    let joined = match held[value] {
        Held::Whole(value) => return Ok(value),
        Held::Joined(joined) => joined,
        Held::Parts(pair) => join(graph, pair)?,
    };
    let whole = call(graph, "aten.view_as_complex.default", vec![Arg::Value(joined)])?;
    held.insert(value, Held::Whole(whole));
    Ok(whole)
}

/// A complex node being taken apart.
pub struct Split<'g, 's> {
    cx: Decompose<'g>,
    pub old: &'g Graph,
    pub node: &'g Node,
    held: &'s mut SideMap<ValueData, Held>,
    /// The dtype of the parts that operands promote to.
    pub part: Dtype,
}

impl<'g> Deref for Split<'g, '_> {
    type Target = Decompose<'g>;
    fn deref(&self) -> &Decompose<'g> {
        &self.cx
    }
}
impl DerefMut for Split<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cx
    }
}

impl<'g, 's> Split<'g, 's> {
    pub fn new(
        old: &'g Graph,
        new: &'g mut Graph,
        node: &'g Node,
        args: &'g [Arg],
        held: &'s mut SideMap<ValueData, Held>,
    ) -> Self {
        let result = node.outputs.first().map(|v| old.meta(*v).dtype).filter(|d| d.is_complex());
        let common = result.or_else(|| result_type(old, &node.args).ok()).unwrap_or(Dtype::Complex64);
        let unknown_float = std::cell::Cell::new(false);
        let cx = Decompose { graph: new, op: node.op, args, unknown_float };
        Split { cx, old, node, held, part: common.part() }
    }

    /// The argument as the old graph has it.
    pub fn given(&self, name: &str) -> &'g Arg {
        let place = self.op.schema().arg(name);
        &self.node.args[place.unwrap_or_else(|| panic!("{} has no argument `{name}`", self.op.name()))]
    }
    /// A tensor of the old graph, complex or not.
    pub fn given_value(&self, name: &str) -> Built {
        let missing = || self.error(Status::InvalidArgument, format!("argument `{name}` must be a tensor"));
        self.given(name).value().ok_or_else(missing)
    }
    pub fn has(&self, name: &str) -> bool {
        self.op.schema().arg(name).is_some()
    }
    pub fn is_complex(&self, value: Value) -> bool {
        self.old.meta(value).dtype.is_complex()
    }
    /// A real value of the old graph.
    pub fn real_of(&self, value: Value) -> Value {
        self.held[value].whole()
    }
    /// The parts of a complex value of the old graph.
    pub fn pair_of(&mut self, value: Value) -> BuiltPair {
        let pair = match self.held[value] {
            Held::Parts(pair) => return Ok(pair),
            Held::Joined(joined) => parted(self.cx.graph, joined)?,
            Held::Whole(whole) => {
                let joined = call(self.cx.graph, "aten.view_as_real.default", vec![Arg::Value(whole)])?;
                parted(self.cx.graph, joined)?
            }
        };
        self.held.insert(value, Held::Parts(pair));
        Ok(pair)
    }
    /// A complex value of the old graph as one tensor.
    pub fn joined_of(&mut self, value: Value) -> Built {
        match self.held[value] {
            Held::Parts(pair) => join(self.cx.graph, pair),
            Held::Joined(joined) => Ok(joined),
            Held::Whole(whole) => call(self.cx.graph, "aten.view_as_real.default", vec![Arg::Value(whole)]),
        }
    }
    /// The parts of numbers that one tensor holds.
    pub fn parts_of(&mut self, joined: Value) -> BuiltPair {
        parted(self.cx.graph, joined)
    }
    pub fn join(&mut self, pair: Pair) -> Built {
        join(self.cx.graph, pair)
    }

    /// An operand in the common dtype of parts; a real one has no imaginary part.
    pub fn operand(&mut self, name: &str) -> Result<(Value, Option<Value>), DecomposeError> {
        let part = self.part;
        match *self.given(name) {
            Arg::Value(v) if self.is_complex(v) => {
                let pair = self.pair_of(v)?;
                Ok((self.cast(pair.re, part)?, Some(self.cast(pair.im, part)?)))
            }
            Arg::Value(v) => {
                let value = self.real_of(v);
                Ok((self.cast(value, part)?, None))
            }
            Arg::Complex([re, im]) => Ok((self.scalar(re, part)?, Some(self.scalar(im, part)?))),
            ref number => {
                let args = vec![Arg::Ints(Vec::new()), number.clone()];
                Ok((self.call_with("aten.full.default", args, vec![("dtype", Arg::Dtype(part))])?, None))
            }
        }
    }
    /// An operand with both parts.
    pub fn pair(&mut self, name: &str) -> BuiltPair {
        let (re, im) = self.operand(name)?;
        let im = match im {
            Some(im) => im,
            None => self.zeros_like(re)?,
        };
        Ok(Pair { re, im })
    }
    pub fn zeros_like(&mut self, value: Value) -> Built {
        self.call("aten.zeros_like.default", vec![Arg::Value(value)])
    }
    /// A number beside `value`, which it broadcasts to.
    pub fn number(&mut self, number: f64) -> Built {
        let part = self.part;
        self.scalar(number, part)
    }

    /// Results in the shape that they were inferred to have.
    pub fn finish(mut self, results: Vec<Held>) -> Result<Vec<Held>, DecomposeError> {
        let mut finished = Vec::with_capacity(results.len());
        for (value, result) in self.node.outputs.iter().zip(results) {
            let meta = self.old.meta(*value).clone();
            finished.push(match result {
                Held::Parts(pair) if meta.dtype.is_complex() => Held::Parts(Pair {
                    re: self.shaped(pair.re, &meta.shape, meta.dtype.part())?,
                    im: self.shaped(pair.im, &meta.shape, meta.dtype.part())?,
                }),
                Held::Whole(value) if !meta.dtype.is_complex() => {
                    Held::Whole(self.shaped(value, &meta.shape, meta.dtype)?)
                }
                Held::Joined(value) if meta.dtype.is_complex() => Held::Joined(value),
                _ => {
                    let message = format!("a result of dtype {} of complex numbers", meta.dtype);
                    return Err(self.error(Status::Unsupported, message));
                }
            });
        }
        Ok(finished)
    }
    fn shaped(&mut self, value: Value, shape: &[SymInt], dtype: Dtype) -> Built {
        let value = self.cast(value, dtype)?;
        if self.shape(value) == shape {
            return Ok(value);
        }
        self.call("aten.expand.default", vec![Arg::Value(value), Arg::Ints(shape.to_vec())])
    }

    // Arithmetic on pairs.

    pub fn plus(&mut self, a: Pair, b: Pair) -> BuiltPair {
        Ok(Pair { re: self.add(a.re, b.re)?, im: self.add(a.im, b.im)? })
    }
    pub fn minus(&mut self, a: Pair, b: Pair) -> BuiltPair {
        Ok(Pair { re: self.sub(a.re, b.re)?, im: self.sub(a.im, b.im)? })
    }
    pub fn negated(&mut self, a: Pair) -> BuiltPair {
        Ok(Pair { re: self.unary("neg", a.re)?, im: self.unary("neg", a.im)? })
    }
    /// Both parts times a real factor.
    pub fn scaled(&mut self, a: Pair, factor: Value) -> BuiltPair {
        Ok(Pair { re: self.mul(a.re, factor)?, im: self.mul(a.im, factor)? })
    }
    pub fn times_number(&mut self, a: Pair, factor: f64) -> BuiltPair {
        Ok(Pair { re: self.mul(a.re, factor)?, im: self.mul(a.im, factor)? })
    }
    pub fn times(&mut self, a: Pair, b: Pair) -> BuiltPair {
        let (rr, ii) = (self.mul(a.re, b.re)?, self.mul(a.im, b.im)?);
        let (ri, ir) = (self.mul(a.re, b.im)?, self.mul(a.im, b.re)?);
        Ok(Pair { re: self.sub(rr, ii)?, im: self.add(ri, ir)? })
    }
    /// A quotient whose divisor is brought near one first, so that no square of its parts overflows. The quotient does not depend on
    /// that scale, so no gradient goes through it.
    pub fn quotient(&mut self, a: Pair, b: Pair) -> BuiltPair {
        let (x, y) = (self.unary("abs", b.re)?, self.unary("abs", b.im)?);
        let scale = self.call("aten.maximum.default", vec![Arg::Value(x), Arg::Value(y)])?;
        let scale = self.unary("detach", scale)?;
        let near = Pair { re: self.div(b.re, scale)?, im: self.div(b.im, scale)? };
        let (rr, ii) = (self.mul(b.re, near.re)?, self.mul(b.im, near.im)?);
        let norm = self.add(rr, ii)?;
        let (rr, ii) = (self.mul(a.re, near.re)?, self.mul(a.im, near.im)?);
        let (ir, ri) = (self.mul(a.im, near.re)?, self.mul(a.re, near.im)?);
        let (re, im) = (self.add(rr, ii)?, self.sub(ir, ri)?);
        Ok(Pair { re: self.div(re, norm)?, im: self.div(im, norm)? })
    }
    pub fn chosen(&mut self, condition: Value, a: Pair, b: Pair) -> BuiltPair {
        Ok(Pair { re: self.select(condition, a.re, b.re)?, im: self.select(condition, a.im, b.im)? })
    }
    /// `i` times it.
    pub fn turned(&mut self, a: Pair) -> BuiltPair {
        Ok(Pair { re: self.unary("neg", a.im)?, im: a.re })
    }
    /// `-i` times it.
    pub fn turned_back(&mut self, a: Pair) -> BuiltPair {
        Ok(Pair { re: a.im, im: self.unary("neg", a.re)? })
    }
    pub fn two(&mut self, name: &str, a: Value, b: Value) -> Built {
        self.call(&format!("aten.{name}.default"), vec![Arg::Value(a), Arg::Value(b)])
    }
    /// Whether a pair is zero.
    pub fn is_zero(&mut self, a: Pair) -> Built {
        let (re, im) = (self.compare("eq", a.re, 0.0)?, self.compare("eq", a.im, 0.0)?);
        self.two("logical_and", re, im)
    }
    /// The absolute value, whose gradient at zero is zero.
    pub fn magnitude(&mut self, a: Pair) -> Built {
        let (zero, one) = (self.is_zero(a)?, self.number(1.0)?);
        let none = self.number(0.0)?;
        let re = self.select(zero, one, a.re)?;
        let size = self.two("hypot", re, a.im)?;
        self.select(zero, none, size)
    }
    /// `±1` as the sign of a number, zeros included; no gradient goes through it.
    pub fn sign_of(&mut self, a: Value) -> Built {
        let one = self.number(1.0)?;
        let sign = self.call("aten.copysign.Tensor", vec![Arg::Value(one), Arg::Value(a)])?;
        self.unary("detach", sign)
    }
}
