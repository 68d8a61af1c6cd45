//! Vectors of a weight that a product unpacks: the regions that compute them, their prefetches, and codes of four bits, which machines with
//! sixteen lanes look up in a register.

use super::template::Template;
use crate::kernels::{IndexOp, LocalId, Statement, Type, Value, ValueId, Word};
use crate::loops::{BinaryOp, Expr, ExprId};
use crate::mapping::emit::{Operand, Storage};
use crate::schedule::Digit;
use crate::types::{Dtype, Scalar, SymInt};

/// How many bytes ahead of what is read a line is fetched: a core that waits for each line reads half as fast.
const AHEAD: i64 = 4096;
const LINE: i64 = 64;
/// The lanes of a register that a number of four bits is looked up in.
const TABLE: i64 = 16;

impl Template<'_> {
    /// A region that gives an expression of float32 as a vector, whose lanes are those of the digit `lane`. With a digit for the place
    /// in a phase it also fetches ahead along that.
    pub(super) fn vector_of(
        &mut self,
        name: &'static str,
        value: ExprId,
        digits: &[Digit],
        lane: Digit,
    ) -> LocalId {
        let lanes = self.target.isa.lanes() as i64;
        let mut region = self.emitter.open_region(name);
        let mut vector = None;
        for (digit, name) in digits.iter().zip(["panel", "vector", "group", "phase", "place"]) {
            let coordinate = self.emitter.coordinate(&mut region, name, digit.size);
            let level = self.emitter.depth();
            self.emitter.bind(digit.variable, coordinate, level);
            vector = vector.or((name == "vector").then_some(coordinate));
        }
        self.emitter.open_vector(lane.variable, lanes);
        let result = self.looked_up(value).unwrap_or_else(|| self.emitter.value(value));
        let result = self.emitter.vector(result);
        self.emitter.lanes = None;
        if let ([.., place], Some(vector)) = (digits, vector)
            && digits.len() == 5
        {
            self.fetch_ahead(value, place.variable, vector);
        }
        self.emitter.push(Statement::Give(result));
        self.emitter.close_region(region, Some(Type::Vector(Dtype::Float32)))
    }

    /// Asks for the line that is so many bytes behind what a vector loads, in the first vector of each line.
    fn fetch_ahead(&mut self, value: ExprId, place: SymInt, vector: ValueId) {
        let (program, syms) = (self.program, &self.program.syms);
        let Some(along) = syms.as_symbol(place) else { return };
        let lanes = self.target.isa.lanes() as i64;
        for load in program.exprs.loads(&[value]) {
            let Expr::Load { buffer, index, .. } = &program.exprs[load] else { continue };
            let Some(Storage::Memory(pointer)) = self.emitter.storage.get(buffer).cloned() else { continue };
            if !syms.depends_on(index[0], along) {
                continue;
            }
            let size = program.buffers[*buffer].dtype.size() as i64;
            let e = &mut self.emitter;
            let (zero, of_line) = (e.integer(0), e.integer((LINE / (lanes * size)).max(1)));
            let within = e.rest_of(vector, of_line);
            let condition = e.index_op(IndexOp::Equal, &[within, zero]);
            let (at, ahead) = (e.index(index[0]), e.integer(AHEAD / size));
            let at = e.plus(at, ahead);
            let then = vec![Statement::Prefetch { pointer, at }];
            e.push(Statement::If { condition, then, otherwise: Vec::new() });
        }
    }

    /// The integer whose low four bits an expression is, less a constant.
    fn nibble(&self, value: ExprId) -> Option<(ExprId, f64)> {
        let exprs = &self.program.exprs;
        let (float, less) = match exprs[value] {
            Expr::Binary(BinaryOp::Sub, a, b) => match exprs[b] {
                Expr::Constant(Scalar::Float(less), Dtype::Float32) => (a, less),
                _ => return None,
            },
            _ => (value, 0.0),
        };
        let Expr::Cast(Dtype::Float32, bits) = exprs[float] else { return None };
        if !self.is_of_four_bits(bits) || exprs.dtype(bits).size() > 4 {
            return None;
        }
        Some(match exprs[bits] {
            Expr::Binary(BinaryOp::BitwiseAnd, a, b) if self.integer_of(b) == Some(15) => (a, less),
            _ => (bits, less),
        })
    }

    fn integer_of(&self, e: ExprId) -> Option<i64> {
        match self.program.exprs[e] {
            Expr::Constant(Scalar::Int(value), _) => Some(value),
            _ => None,
        }
    }

    /// Whether an integer is one of 0 to 15.
    fn is_of_four_bits(&self, e: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let small = |e: ExprId| self.integer_of(e).is_some_and(|value| (0..16).contains(&value));
        match &exprs[e] {
            Expr::Constant(..) => small(e),
            Expr::Binary(BinaryOp::BitwiseAnd, a, b) => small(*a) || small(*b),
            Expr::Binary(BinaryOp::ShiftRight, a, b) => {
                exprs.dtype(*a) == Dtype::Uint8 && self.integer_of(*b).is_some_and(|by| by >= 4)
            }
            Expr::Masked { value, otherwise, .. } => {
                self.is_of_four_bits(*value) && self.is_of_four_bits(*otherwise)
            }
            Expr::Select(_, a, b) => self.is_of_four_bits(*a) && self.is_of_four_bits(*b),
            Expr::Cast(to, a) => to.is_integer() && exprs.dtype(*a).is_integer() && self.is_of_four_bits(*a),
            _ => false,
        }
    }

    /// An expression whose numbers of four bits are looked up, if it is one of these: such a number, perhaps less another value.
    fn looked_up(&mut self, value: ExprId) -> Option<Operand> {
        if self.target.isa.lanes() as i64 != TABLE {
            return None;
        }
        if let Some((bits, less)) = self.nibble(value) {
            return Some(self.number(bits, less));
        }
        let Expr::Binary(BinaryOp::Sub, a, b) = self.program.exprs[value] else { return None };
        let (bits, less) = self.nibble(a)?;
        let operands = [self.number(bits, less), self.emitter.value(b)];
        Some(self.emitter.apply(operands, |[a, b]| Value::Binary(BinaryOp::Sub, a, b)))
    }

    fn number(&mut self, bits: ExprId, less: f64) -> Operand {
        let own = self.program.exprs.dtype(bits);
        let e = &mut self.emitter;
        let mut bits = e.value(bits);
        if own != Dtype::Int32 {
            bits = e.convert(bits, Dtype::Int32);
        }
        let bits = e.vector(bits);
        let less = e.add(Value::Constant(Scalar::Float(less), Dtype::Float32));
        Operand::varying(e.add(Value::Word(Word::Nibble, [bits, less].into())))
    }
}
