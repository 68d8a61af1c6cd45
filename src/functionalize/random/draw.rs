//! What the expansion of a node that draws sees and builds with: its arguments by name, numbers from its own stretch, and
//! shorthands for other operators.

use crate::base::Status;
use crate::ir::{Arg, Graph, Value};
use crate::meta::{Builder, MetaError};
use crate::ops::OpId;
use crate::types::{Calculation, Dtype, RandomState, SymArena, SymInt};

/// New contents of arguments, by name.
pub(super) type Written = Vec<(&'static str, Value)>;
type Built = Result<Value, MetaError>;

/// Words of a block.
const WORDS: i64 = 4;

pub(super) struct Draw<'f> {
    graph: &'f mut Graph,
    pub op: OpId,
    args: &'f [Arg],
    /// The state in a tensor, and where the next stretch begins beyond it.
    state: Option<Value>,
    blocks: &'f mut SymInt,
    /// New contents of arguments that the operator writes to, though it is not in place.
    pub written: Written,
}

/// A number that an operand is compared or combined with: known, or a float's bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Float {
    Known(f64),
    Bits(SymInt),
}

impl Float {
    pub fn arg(self) -> Arg {
        match self {
            Float::Known(value) => Arg::Float(value),
            Float::Bits(bits) => Arg::SymFloat(bits),
        }
    }
}

impl<'f> Draw<'f> {
    pub fn new(
        graph: &'f mut Graph,
        op: OpId,
        args: &'f [Arg],
        state: Option<Value>,
        blocks: &'f mut SymInt,
    ) -> Draw<'f> {
        Draw { graph, op, args, state, blocks, written: Vec::new() }
    }
    pub fn syms(&self) -> &SymArena {
        &self.graph.syms
    }
    pub fn error(&self, status: Status, message: impl Into<String>) -> MetaError {
        MetaError::new(status, self.op.name(), message)
    }

    // Arguments.

    pub fn has(&self, name: &str) -> bool {
        self.op.schema().arg(name).is_some()
    }
    pub fn arg(&self, name: &str) -> Arg {
        self.op.schema().arg(name).map_or(Arg::None, |place| self.args[place].clone())
    }
    pub fn optional(&self, name: &str) -> Option<Value> {
        self.arg(name).value()
    }
    pub fn value(&self, name: &str) -> Built {
        self.optional(name)
            .ok_or_else(|| self.error(Status::InvalidArgument, format!("argument `{name}` must be a tensor")))
    }
    /// The tensors of a list.
    pub fn values(&self, name: &str) -> Vec<Value> {
        match self.arg(name) {
            Arg::Values(list) => list.into_iter().flatten().collect(),
            _ => Vec::new(),
        }
    }
    pub fn int(&self, name: &str) -> Option<SymInt> {
        self.arg(name).int()
    }
    pub fn flag(&self, name: &str) -> bool {
        self.arg(name).is_true()
    }
    pub fn float(&self, name: &str) -> Result<Float, MetaError> {
        match self.arg(name) {
            Arg::Float(value) => Ok(Float::Known(value)),
            Arg::SymFloat(bits) => Ok(Float::Bits(bits)),
            Arg::Int(value) => Ok(match self.syms().as_const(value) {
                Some(known) => Float::Known(known as f64),
                None => Float::Bits(self.syms().calculate(Calculation::Float, &[value])),
            }),
            Arg::Bool(value) => Ok(Float::Known(value as i64 as f64)),
            _ => Err(self.error(Status::InvalidArgument, format!("argument `{name}` must be a number"))),
        }
    }
    /// A calculation with a known number, whichever side it stands on.
    pub fn calculate(&self, calculation: Calculation, a: Float, b: Float) -> Float {
        let bits = |f: Float| match f {
            Float::Known(value) => self.syms().float_constant(value),
            Float::Bits(bits) => bits,
        };
        let result = self.syms().calculate(calculation, &[bits(a), bits(b)]);
        match self.syms().as_const(result) {
            Some(bits) => Float::Known(f64::from_bits(bits as u64)),
            None => Float::Bits(result),
        }
    }
    pub fn dtype(&self, value: Value) -> Dtype {
        self.graph.meta(value).dtype
    }
    pub fn shape(&self, value: Value) -> Vec<SymInt> {
        self.graph.meta(value).shape.clone()
    }

    // Numbers from the node's stretch.

    /// The first block of a stretch for so many words per element.
    fn stretch(&mut self, shape: &[SymInt], words: i64) -> [Arg; 4] {
        let first = *self.blocks;
        let syms = self.syms();
        let all = syms.mul_const(syms.product(shape), words);
        let next = syms.add(first, syms.ceildiv(all, syms.constant(WORDS)));
        let state = self.state.map_or(Arg::None, Arg::Value);
        let seed = Arg::Int(syms.random_state(RandomState::Seed));
        *self.blocks = next;
        [Arg::Ints(shape.to_vec()), seed, Arg::Int(first), state]
    }
    /// int64: a word, or two of them.
    pub fn bits(&mut self, shape: &[SymInt], bits: i64) -> Built {
        let count = Arg::Int(self.syms().constant(bits));
        let place = self.stretch(shape, bits / 32);
        self.call("litz.random_bits.default", [place.to_vec(), vec![count]].concat())
    }
    /// In `[0, 1)`.
    pub fn uniform(&mut self, shape: &[SymInt], dtype: Dtype) -> Built {
        self.floats(shape, dtype, false)
    }
    /// In `(0, 1)`, float32 or float64.
    pub fn open(&mut self, shape: &[SymInt], dtype: Dtype) -> Built {
        self.floats(shape, dtype, true)
    }
    fn floats(&mut self, shape: &[SymInt], dtype: Dtype, open: bool) -> Built {
        let place = self.stretch(shape, words_of(dtype));
        let rest = vec![Arg::Dtype(dtype), Arg::Bool(open)];
        self.call("litz.random_uniform.default", [place.to_vec(), rest].concat())
    }
    /// Standard normal.
    pub fn normal(&mut self, shape: &[SymInt], dtype: Dtype) -> Built {
        let place = self.stretch(shape, words_of(dtype));
        self.call("litz.random_normal.default", [place.to_vec(), vec![Arg::Dtype(dtype)]].concat())
    }

    // Building.

    pub fn call(&mut self, name: &str, args: Vec<Arg>) -> Built {
        self.call_with(name, args, Vec::new())
    }
    pub fn call_with(&mut self, name: &str, args: Vec<Arg>, named: Vec<(&str, Arg)>) -> Built {
        Builder::new(self.graph).op_with(name, args, named)
    }
    pub fn call_all(&mut self, name: &str, args: Vec<Arg>) -> Result<Vec<Value>, MetaError> {
        Builder::new(self.graph).call_named(name, args, Vec::new())
    }
    pub fn constant(&self, value: i64) -> Arg {
        Arg::Int(self.syms().constant(value))
    }
    /// `aten.<base>.Tensor` of two tensors.
    pub fn binary(&mut self, base: &str, a: Value, b: Value) -> Built {
        self.call(&format!("aten.{base}.Tensor"), vec![Arg::Value(a), Arg::Value(b)])
    }
    /// `aten.<base>.Scalar` of a tensor and a number.
    pub fn by(&mut self, base: &str, a: Value, number: Arg) -> Built {
        self.call(&format!("aten.{base}.Scalar"), vec![Arg::Value(a), number])
    }
    pub fn unary(&mut self, base: &str, a: Value) -> Built {
        self.call(&format!("aten.{base}.default"), vec![Arg::Value(a)])
    }
    pub fn cast(&mut self, a: Value, dtype: Dtype) -> Built {
        if self.dtype(a) == dtype {
            return Ok(a);
        }
        self.call_with("aten._to_copy.default", vec![Arg::Value(a)], vec![("dtype", Arg::Dtype(dtype))])
    }
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Built {
        self.call("aten.where.self", [condition, a, b].map(Arg::Value).to_vec())
    }
    pub fn full(&mut self, shape: &[SymInt], value: Arg, dtype: Dtype) -> Built {
        let args = vec![Arg::Ints(shape.to_vec()), value];
        self.call_with("aten.full.default", args, vec![("dtype", Arg::Dtype(dtype))])
    }
    /// The value, once the condition is seen to hold for each element.
    pub fn checked(&mut self, value: Value, condition: Value, message: &str) -> Built {
        let args = vec![Arg::Value(value), Arg::Value(condition), Arg::Str(message.to_string())];
        self.call("litz.checked.default", args)
    }
    /// `low <= value <= high`
    pub fn within(&mut self, value: Value, low: f64, high: f64) -> Built {
        let above = self.by("ge", value, Arg::Float(low))?;
        let below = self.by("le", value, Arg::Float(high))?;
        self.call("aten.logical_and.default", vec![Arg::Value(above), Arg::Value(below)])
    }
}

fn words_of(dtype: Dtype) -> i64 {
    if dtype == Dtype::Float64 { 2 } else { 1 }
}
