//! Computes values of one thread.

use super::memory::By;
use super::thread::{Slot, Thread, Where, World};
use super::{Data, Fault, register};
use crate::kernels::{
    Access, Base, Builtin, IndexOp, IndexType, LocalId, Shape, Type, Value, ValueId, Word, combination,
};
use crate::loops::{BinaryOp, Number, ReductionOp, ScatterMode, UnaryOp};
use crate::types::{Dtype, Scalar};

type Result<T> = std::result::Result<T, Fault>;

fn wrong<T>(what: &'static str, found: &impl std::fmt::Debug) -> Result<T> {
    Err(Fault::Type { what, found: format!("{found:?}") })
}

/// Partial results put together: the value, and for extremes the place, -1 where there is none.
pub(super) fn combine(op: ReductionOp, dtype: Dtype, a: (Number, i64), b: (Number, i64)) -> (Number, i64) {
    if !matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex) {
        return (Number::binary(combination(op), dtype, a.0, b.0), -1);
    }
    if a.1 < 0 || b.1 < 0 {
        return if a.1 < 0 { b } else { a };
    }
    let (first, second) = if a.1 <= b.1 { (a, b) } else { (b, a) };
    let better = if op == ReductionOp::MaxWithIndex { BinaryOp::Gt } else { BinaryOp::Lt };
    let beats = !first.0.is_nan()
        && (second.0.is_nan() || Number::binary(better, dtype, second.0, first.0).is_true());
    if beats { second } else { first }
}

impl Thread<'_> {
    pub fn index(&mut self, world: &mut World<'_>, value: ValueId) -> Result<i64> {
        match self.value(world, value)? {
            Data::Index(v) | Data::Scalar(Dtype::Int32 | Dtype::Int64, Number::Integer(v)) => Ok(v),
            other => wrong("an integer that is indexed with is expected", &other),
        }
    }
    pub fn truth(&mut self, world: &mut World<'_>, value: ValueId) -> Result<bool> {
        match self.value(world, value)? {
            Data::Scalar(Dtype::Bool, v) => Ok(v.is_true()),
            Data::Index(v) => Ok(v != 0),
            other => wrong("a condition is expected", &other),
        }
    }
    fn mask(&mut self, world: &mut World<'_>, value: ValueId) -> Result<Vec<bool>> {
        match self.value(world, value)? {
            Data::Vector(Dtype::Bool, lanes) => Ok(lanes.iter().map(|l| l.is_true()).collect()),
            other => wrong("a mask is expected", &other),
        }
    }

    pub fn value(&mut self, world: &mut World<'_>, value: ValueId) -> Result<Data> {
        let kernel = world.kernel;
        Ok(match &kernel.body.values[value] {
            Value::Constant(scalar, dtype) => {
                let dtype = register(*dtype);
                Data::Scalar(dtype, Number::constant(*scalar, dtype))
            }
            Value::Integer(v) => self.fit(world, *v)?,
            Value::Parameter(place) => match world.parameters.get(*place) {
                Some(v) => self.fit(world, *v)?,
                None => return wrong("there is no such parameter", place),
            },
            Value::Builtin(builtin) => Data::Index(self.builtin(world, *builtin)),
            Value::Local(local) => match &self.slots[local.index()] {
                Slot::Value(data) => data.clone(),
                _ => return Err(Fault::Unset { local: world.name(*local) }),
            },
            Value::Element(array, at) => {
                let at = self.index(world, *at)?;
                self.element(world, *array, at)?
                    .clone()
                    .ok_or_else(|| Fault::Unset { local: format!("{}[{at}]", world.name(*array)) })?
            }
            Value::Index(op, operands) => self.integer(world, *op, operands)?,
            Value::ToIndex(a) => match self.value(world, *a)? {
                Data::Index(v) => self.fit(world, v)?,
                Data::Scalar(dtype, Number::Integer(v)) if !dtype.is_float() => self.fit(world, v)?,
                other => return wrong("an integer is expected", &other),
            },
            Value::ToWide(a) => Data::Scalar(Dtype::Int64, Number::Integer(self.index(world, *a)?)),
            Value::Not(a) => Data::Scalar(Dtype::Bool, Number::bool(!self.truth(world, *a)?)),
            Value::Unary(op, a) => {
                let a = as_element(self.value(world, *a)?);
                self.unary(*op, a)?
            }
            Value::Binary(op, a, b) => {
                let (a, b) = (self.value(world, *a)?, self.value(world, *b)?);
                binary(*op, as_element(a), as_element(b))?
            }
            Value::Cast(to, a) => {
                let to = register(*to);
                self.map(world, *a, to, |from, x| x.cast(from, to))?
            }
            Value::Round(to, a) => self.map(world, *a, Dtype::Float32, |from, x| x.cast(from, *to))?,
            Value::Select(c, a, b) => {
                let (c, a, b) = (self.value(world, *c)?, self.value(world, *a)?, self.value(world, *b)?);
                match (c, a, b) {
                    (Data::Scalar(Dtype::Bool, c), a, b) => {
                        if c.is_true() {
                            a
                        } else {
                            b
                        }
                    }
                    (Data::Vector(Dtype::Bool, c), Data::Vector(d, a), Data::Vector(e, b)) if d == e => {
                        let pick = |k: usize| if c[k].is_true() { a[k] } else { b[k] };
                        Data::Vector(d, (0..c.len()).map(pick).collect())
                    }
                    found => return wrong("a selection's operands do not fit", &found),
                }
            }
            Value::Splat(a) => match as_element(self.value(world, *a)?) {
                Data::Scalar(dtype, v) => Data::Vector(dtype, vec![v; world.lanes].into()),
                other => return wrong("a scalar is expected", &other),
            },
            Value::Fold(op, dtype, a) => match self.value(world, *a)? {
                Data::Vector(found, lanes) if found == register(*dtype) => {
                    let all = lanes.iter().copied().reduce(|a, b| combine(*op, found, (a, -1), (b, -1)).0);
                    Data::Scalar(found, all.unwrap_or(Number::zero(found)))
                }
                other => return wrong("a vector of the reduction's dtype is expected", &other),
            },
            Value::Word(word, operands) => self.word(world, *word, operands)?,
            Value::Load(access) => self.load(world, access)?,
        })
    }

    fn fit(&self, world: &World<'_>, v: i64) -> Result<Data> {
        match world.kernel.body.index {
            IndexType::I32 if i32::try_from(v).is_err() => Err(Fault::Overflow { bits: 32 }),
            _ => Ok(Data::Index(v)),
        }
    }

    fn builtin(&self, world: &World<'_>, builtin: Builtin) -> i64 {
        match builtin {
            Builtin::Begin => self.place.begin,
            Builtin::End => self.place.end,
            Builtin::Lanes => world.lanes as i64,
            Builtin::BlockIndex => i64::from(self.stamp.block),
            Builtin::Blocks => world.blocks,
            Builtin::ThreadIndex => i64::from(self.stamp.thread),
            Builtin::ClusterRank => i64::from(self.stamp.block) % world.cluster.max(1),
        }
    }

    /// What each lane's number becomes.
    fn map(
        &mut self,
        world: &mut World<'_>,
        value: ValueId,
        to: Dtype,
        f: impl Fn(Dtype, Number) -> Number,
    ) -> Result<Data> {
        Ok(match as_element(self.value(world, value)?) {
            Data::Scalar(from, v) => Data::Scalar(to, f(from, v)),
            Data::Vector(from, lanes) => Data::Vector(to, lanes.iter().map(|v| f(from, *v)).collect()),
            other => return wrong("an element is expected", &other),
        })
    }

    fn unary(&self, op: UnaryOp, a: Data) -> Result<Data> {
        let result = |dtype: Dtype| register(op.result(dtype));
        Ok(match a {
            Data::Scalar(d, v) => Data::Scalar(result(d), v.unary(op, d)),
            Data::Vector(d, lanes) => Data::Vector(result(d), lanes.iter().map(|v| v.unary(op, d)).collect()),
            other => return wrong("an element is expected", &other),
        })
    }

    fn integer(&mut self, world: &mut World<'_>, op: IndexOp, operands: &[ValueId]) -> Result<Data> {
        use IndexOp::*;
        let bool = |v: bool| Ok(Data::Scalar(Dtype::Bool, Number::bool(v)));
        match op {
            Choose => {
                let chosen = if self.truth(world, operands[0])? { operands[1] } else { operands[2] };
                return self.value(world, chosen);
            }
            And | Or => {
                for operand in operands {
                    if self.truth(world, *operand)? != (op == And) {
                        return bool(op == Or);
                    }
                }
                return bool(op == And);
            }
            _ => {}
        }
        if let (Some(op), [a, b]) = (comparison(op), operands) {
            let both = (self.value(world, *a)?, self.value(world, *b)?);
            if let (Data::Scalar(d, a), Data::Scalar(e, b)) = &both
                && d == e
            {
                return bool(Number::binary(op, *d, *a, *b).is_true());
            }
        }
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            values.push(self.index(world, *operand)?);
        }
        let (a, b) = (values[0], values.get(1).copied().unwrap_or(0));
        let divides = matches!(op, Divide | Remainder | FloorDivide | FloorRemainder);
        if divides && (b == 0 || matches!(op, Divide | Remainder) && (a < 0 || b < 0)) {
            return Err(Fault::Division { dividend: a, divisor: b });
        }
        let number = match op {
            Add => values.iter().try_fold(0i64, |sum, v| sum.checked_add(*v)),
            Multiply => values.iter().try_fold(1i64, |product, v| product.checked_mul(*v)),
            Subtract => a.checked_sub(b),
            Negate => a.checked_neg(),
            Divide => a.checked_div(b),
            Remainder => a.checked_rem(b),
            FloorDivide => a.checked_div(b).map(|q| if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }),
            FloorRemainder => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
            Min => Some(a.min(b)),
            Max => Some(a.max(b)),
            Equal => return bool(a == b),
            NotEqual => return bool(a != b),
            Less => return bool(a < b),
            LessEqual => return bool(a <= b),
            Greater => return bool(a > b),
            GreaterEqual => return bool(a >= b),
            And | Or | Choose => None,
        };
        let bits = if world.kernel.body.index == IndexType::I32 { 32 } else { 64 };
        self.fit(world, number.ok_or(Fault::Overflow { bits })?)
    }

    fn word(&mut self, world: &mut World<'_>, word: Word, operands: &[ValueId]) -> Result<Data> {
        let lanes = world.lanes as i64;
        let first = |n: i64| Data::Vector(Dtype::Bool, (0..lanes).map(|k| Number::bool(k < n)).collect());
        let divided = |op: BinaryOp, v: Data, by: Data| match (v, by) {
            (Data::Vector(d, v), Data::Scalar(e, by)) if d == e => {
                Ok(Data::Vector(d, v.iter().map(|v| Number::binary(op, d, *v, by)).collect()))
            }
            (Data::Scalar(d, v), Data::Scalar(e, by)) if d == e => {
                Ok(Data::Scalar(d, Number::binary(op, d, v, by)))
            }
            (Data::Vector(Dtype::Int64, v), Data::Index(by)) => Ok(Data::Vector(
                Dtype::Int64,
                v.iter().map(|v| Number::binary(op, Dtype::Int64, *v, Number::Integer(by))).collect(),
            )),
            found => wrong("a vector and a divisor of its dtype are expected", &found),
        };
        match (word, operands) {
            (Word::LaneIndex, []) => {
                Ok(Data::Vector(Dtype::Int64, (0..lanes).map(Number::Integer).collect()))
            }
            (Word::FirstLanes, [n]) => self.index(world, *n).map(first),
            (Word::TailMask, [n]) => {
                let count = self.index(world, *n)?;
                if !(0..=lanes).contains(&count) {
                    return Err(Fault::Tail { count, lanes });
                }
                Ok(first(count))
            }
            (Word::Any, [mask]) => {
                let any = self.mask(world, *mask)?.contains(&true);
                Ok(Data::Scalar(Dtype::Bool, Number::bool(any)))
            }
            (Word::DivideBy | Word::QuotientBy | Word::RestBy, [v, by]) => {
                let (v, by) = (self.value(world, *v)?, self.value(world, *by)?);
                let op = match word {
                    Word::DivideBy => BinaryOp::Div,
                    Word::QuotientBy => BinaryOp::FloorDiv,
                    _ => BinaryOp::Remainder,
                };
                divided(op, v, by)
            }
            (Word::SigmoidRounded, [x]) => {
                let x = self.value(world, *x)?;
                self.unary(UnaryOp::Sigmoid, x)
            }
            (Word::Nibble, [x, less]) => {
                let mask = Number::Integer(15);
                let float = |x: &Number| {
                    let low = Number::binary(BinaryOp::BitwiseAnd, Dtype::Int32, *x, mask);
                    low.cast(Dtype::Int32, Dtype::Float32)
                };
                let x = match self.value(world, *x)? {
                    Data::Vector(Dtype::Int32, x) => {
                        Data::Vector(Dtype::Float32, x.iter().map(float).collect())
                    }
                    Data::Scalar(Dtype::Int32, x) => Data::Scalar(Dtype::Float32, float(&x)),
                    found => return wrong("32-bit integers are expected", &found),
                };
                let less = match (&x, self.value(world, *less)?) {
                    (Data::Vector(_, lanes), Data::Scalar(dtype, less)) => {
                        Data::Vector(dtype, vec![less; lanes.len()].into())
                    }
                    (_, less) => less,
                };
                binary(BinaryOp::Sub, x, less)
            }
            // The factor is -a log2(e): the result is 1 / (1 + 2^(factor x)).
            (Word::SigmoidScaled, [x, factor]) => {
                let (x, factor) = (self.value(world, *x)?, self.value(world, *factor)?);
                let power = self.unary(UnaryOp::Exp2, binary(BinaryOp::Mul, x, factor)?)?;
                let (Data::Scalar(dtype, _) | Data::Vector(dtype, _)) = power else {
                    return wrong("an element is expected", &power);
                };
                let one = Number::constant(Scalar::Int(1), dtype);
                let one = match &power {
                    Data::Vector(_, lanes) => Data::Vector(dtype, vec![one; lanes.len()].into()),
                    _ => Data::Scalar(dtype, one),
                };
                self.unary(UnaryOp::Reciprocal, binary(BinaryOp::Add, one, power)?)
            }
            _ => wrong("a word has other operands", &word),
        }
    }

    /// An element of an array in registers.
    pub fn element(&mut self, world: &World<'_>, array: LocalId, at: i64) -> Result<&mut Option<Data>> {
        let memory = || world.name(array);
        match &mut self.slots[array.index()] {
            Slot::Array(elements) => {
                let length = elements.len() as i64;
                let found = usize::try_from(at).ok().and_then(|at| elements.get_mut(at));
                found.ok_or_else(|| Fault::Outside { memory: memory(), at, length })
            }
            _ => Err(Fault::Unset { local: memory() }),
        }
    }

    /// The offsets that an access touches, by lane; one alone where it is no vector.
    fn offsets(&mut self, world: &mut World<'_>, access: &Access) -> Result<(Vec<Option<i64>>, bool)> {
        let lanes = world.lanes as i64;
        let origin = match access.pointer.origin {
            Some(origin) => self.index(world, origin)?,
            None => 0,
        };
        if let Shape::Each { mask } = access.shape {
            let mask = self.mask(world, mask)?;
            let Data::Vector(_, at) = self.value(world, access.at)? else {
                return wrong("a vector of offsets is expected", &access.shape);
            };
            let offsets = at.iter().zip(mask).map(|(at, on)| on.then(|| at.as_i64() - origin)).collect();
            return Ok((offsets, true));
        }
        let at = self.index(world, access.at)?.checked_sub(origin).ok_or(Fault::Overflow { bits: 64 })?;
        let neighbours = |n: i64, step: i64| {
            (0..lanes).map(|k| (k < n).then(|| at.saturating_add(k.saturating_mul(step)))).collect()
        };
        Ok(match access.shape {
            Shape::Element => (vec![Some(at)], false),
            Shape::ElementWhere { mask } => {
                let any = self.mask(world, mask)?.contains(&true);
                (vec![any.then_some(at)], false)
            }
            Shape::Vector { aligned } => {
                if aligned && at % lanes != 0 {
                    let memory = format!("{:?}", access.pointer.base);
                    return Err(Fault::Unaligned { memory, at, multiple: lanes });
                }
                (neighbours(lanes, 1), true)
            }
            Shape::Tail { count } => {
                let count = self.index(world, count)?;
                if !(0..=lanes).contains(&count) {
                    return Err(Fault::Tail { count, lanes });
                }
                (neighbours(count, 1), true)
            }
            Shape::Where { mask } => {
                let mask = self.mask(world, mask)?;
                ((0..lanes).map(|k| mask[k as usize].then_some(at + k)).collect(), true)
            }
            Shape::Strided { step, count } => {
                let step = self.index(world, step)?;
                let count = match count {
                    Some(count) => self.index(world, count)?,
                    None => lanes,
                };
                (neighbours(count, step), true)
            }
            Shape::Each { .. } => return wrong("unreachable", &access.shape),
        })
    }

    /// Where the first element of a base lies, and the dtype of its elements in memory.
    pub fn base(&self, world: &World<'_>, base: &Base) -> Result<(Where, i64, Dtype)> {
        match base {
            Base::Buffer(place) => match world.kernel.buffers.get(*place) {
                Some(parameter) => Ok((Where::Buffer(*place), 0, parameter.dtype)),
                None => wrong("there is no such buffer", place),
            },
            Base::Local(local) => match (&self.slots[local.index()], world.kernel.body.locals[*local].ty) {
                (Slot::Pointer { region, first }, Type::Pointer { dtype, .. }) => {
                    Ok((*region, *first, dtype))
                }
                (Slot::Pointer { region, first }, Type::Array { dtype, .. }) => Ok((*region, *first, dtype)),
                (Slot::Array(_), Type::Array { dtype, .. }) => Ok((Where::Local(*local), 0, dtype)),
                _ => Err(Fault::Unset { local: world.name(*local) }),
            },
        }
    }

    fn load(&mut self, world: &mut World<'_>, access: &Access) -> Result<Data> {
        let (offsets, vector) = self.offsets(world, access)?;
        let (place, first, dtype) = self.base(world, &access.pointer.base)?;
        let held = register(access.pointer.bits.unwrap_or(dtype));
        let mut lanes = Vec::with_capacity(offsets.len());
        for offset in offsets {
            lanes.push(match offset {
                None => Number::zero(held),
                Some(at) => match place {
                    Where::Local(array) => match self.element(world, array, at)? {
                        Some(Data::Scalar(_, number)) => *number,
                        _ => return Err(Fault::Uninitialised { memory: world.name(array), at }),
                    },
                    place => {
                        let (stamp, block) = (self.stamp, self.stamp.block);
                        let (region, seen) = world.region(place, block);
                        let at = if region.raw { first + at * dtype.size() as i64 } else { first + at };
                        let number = region.read(at, dtype, &By { stamp, seen })?;
                        access.pointer.bits.map_or(number, |bits| as_bits(number, dtype, bits))
                    }
                },
            });
        }
        Ok(if vector { Data::Vector(held, lanes.into()) } else { Data::Scalar(held, lanes[0]) })
    }

    /// Takes a value into the element that lies there.
    pub fn take(
        &mut self,
        world: &mut World<'_>,
        access: &Access,
        (mode, atomic): (ScatterMode, bool),
        value: ValueId,
    ) -> Result<()> {
        let data = self.value(world, value)?;
        let (offsets, _) = self.offsets(world, access)?;
        let (place, first, dtype) = self.base(world, &access.pointer.base)?;
        let (&[Some(at)], Data::Scalar(held, number)) = (&offsets[..], as_element(data)) else {
            return wrong("one element is expected", &access.shape);
        };
        let combined = |there: Number| match mode.combination() {
            Some(op) => Number::binary(op, held, there.cast(dtype, held), number),
            None => number,
        };
        let (stamp, block) = (self.stamp, self.stamp.block);
        let (region, seen) = world.region(place, block);
        let by = By { stamp, seen };
        let met = [atomic, atomic && mode == ScatterMode::Set];
        region.take((first + at, dtype), &|there| combined(there).cast(held, dtype), &by, met)
    }

    pub fn store(&mut self, world: &mut World<'_>, access: &Access, value: ValueId) -> Result<()> {
        let data = self.value(world, value)?;
        let (offsets, vector) = self.offsets(world, access)?;
        let (place, first, dtype) = self.base(world, &access.pointer.base)?;
        let bits = access.pointer.bits;
        let held = register(bits.unwrap_or(dtype));
        let lanes: Box<[Number]> = match data {
            Data::Vector(d, lanes) if vector && d == held => lanes,
            Data::Scalar(d, v) if !vector && d == held => [v].into(),
            Data::Index(v) if !vector && matches!(held, Dtype::Int32 | Dtype::Int64) => {
                [Number::Integer(v)].into()
            }
            found => return wrong("the stored value has another type", &found),
        };
        for (offset, number) in offsets.into_iter().zip(lanes.iter()) {
            let Some(at) = offset else { continue };
            match place {
                Where::Local(array) => {
                    *self.element(world, array, at)? = Some(Data::Scalar(held, *number));
                }
                place => {
                    let number = match bits {
                        Some(bits) => as_bits(*number, bits, dtype),
                        None => number.cast(held, dtype),
                    };
                    let (stamp, block) = (self.stamp, self.stamp.block);
                    let (region, seen) = world.region(place, block);
                    let at = if region.raw { first + at * dtype.size() as i64 } else { first + at };
                    region.write(at, dtype, number, &By { stamp, seen })?;
                }
            }
        }
        Ok(())
    }
}

/// The comparison of elements that a comparison of scalars is.
fn comparison(op: IndexOp) -> Option<BinaryOp> {
    Some(match op {
        IndexOp::Equal => BinaryOp::Eq,
        IndexOp::NotEqual => BinaryOp::Ne,
        IndexOp::Less => BinaryOp::Lt,
        IndexOp::LessEqual => BinaryOp::Le,
        IndexOp::Greater => BinaryOp::Gt,
        IndexOp::GreaterEqual => BinaryOp::Ge,
        _ => return None,
    })
}

/// The number whose bytes in memory are those of a number of another dtype of its size.
fn as_bits(number: Number, from: Dtype, to: Dtype) -> Number {
    let mut bytes = [0; 8];
    number.write(&mut bytes[..from.size()], from);
    Number::read(&bytes[..to.size()], to)
}

/// An integer that was indexed with as an element.
fn as_element(data: Data) -> Data {
    match data {
        Data::Index(v) => Data::Scalar(Dtype::Int64, Number::Integer(v)),
        other => other,
    }
}

pub(super) fn binary(op: BinaryOp, a: Data, b: Data) -> Result<Data> {
    let result = |dtype: Dtype| if op.is_predicate() { Dtype::Bool } else { dtype };
    match (a, b) {
        (Data::Scalar(d, a), Data::Scalar(e, b)) if d == e => {
            Ok(Data::Scalar(result(d), Number::binary(op, d, a, b)))
        }
        (Data::Vector(d, a), Data::Vector(e, b)) if d == e => {
            let lanes = a.iter().zip(b.iter()).map(|(a, b)| Number::binary(op, d, *a, *b)).collect();
            Ok(Data::Vector(result(d), lanes))
        }
        found => wrong("operands of one type are expected", &found),
    }
}
