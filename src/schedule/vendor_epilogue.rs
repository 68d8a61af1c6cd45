//! The part of a product's epilogue that a vendor's library can do: scale, bias, one more matrix, and an activation.
//!
//! Deliberately absent: where matrices may lie, which `vendor` checks.

use crate::base::HashMap;
use crate::loops::{BinaryOp, BufferId, Expr, ExprId, Program, UnaryOp};
use crate::plan::external::Activation;
use crate::types::{Dtype, SymInt};

/// Where something lies, as a function of the product's variables.
#[derive(Clone, Copy)]
pub struct Place {
    pub buffer: BufferId,
    pub offset: SymInt,
}

/// `activation(alpha * sum + bias + beta * addend)`
pub struct Epilogue {
    pub alpha: f64,
    pub beta: f64,
    pub bias: Option<Place>,
    pub addend: Option<Place>,
    pub activation: Activation,
}

impl Default for Epilogue {
    fn default() -> Self {
        Epilogue { alpha: 1.0, beta: 0.0, bias: None, addend: None, activation: Activation::None }
    }
}

/// What of the result's `value` is more than the sum, where the library can do that. `values`: what the group's other
/// buffers hold, at the same point.
pub fn epilogue(
    program: &Program,
    node: usize,
    dims: &[SymInt],
    values: &HashMap<BufferId, ExprId>,
    value: ExprId,
    result: BufferId,
) -> Option<Epilogue> {
    let out = program.nodes[node].outs()[0];
    let dtype = program.buffers[result].dtype;
    let mut reader = Reader {
        program,
        out,
        dims,
        values,
        rounded: dtype.is_reduced_float(),
        dtype,
        found: Epilogue::default(),
        sums: 0,
    };
    let (inner, activation) = reader.activation(value);
    reader.found.activation = activation;
    reader.terms(inner, 1.0)?;
    (reader.sums == 1).then_some(reader.found)
}

struct Reader<'p> {
    program: &'p Program,
    out: BufferId,
    dims: &'p [SymInt],
    values: &'p HashMap<BufferId, ExprId>,
    /// The result is rounded at the end, so that not rounding in between only makes it better.
    rounded: bool,
    dtype: Dtype,
    found: Epilogue,
    sums: usize,
}

impl Reader<'_> {
    /// The expression below conversions between floats that the library need not make.
    fn strip(&self, mut value: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        while let Expr::Cast(to, inner) = exprs[value] {
            let from = exprs.dtype(inner);
            let narrow = |d: Dtype| d == Dtype::Float32 || d.is_reduced_float();
            if !narrow(to) || !narrow(from) || (to.is_reduced_float() && to != from && !self.rounded) {
                break;
            }
            value = inner;
        }
        value
    }

    fn number(&self, value: ExprId) -> Option<f64> {
        match self.program.exprs[self.strip(value)] {
            Expr::Constant(scalar, _) => Some(scalar.as_f64()),
            _ => None,
        }
    }

    fn binary(&self, op: BinaryOp, value: ExprId) -> Option<(ExprId, ExprId)> {
        match self.program.exprs[self.strip(value)] {
            Expr::Binary(found, a, b) if found == op => Some((a, b)),
            _ => None,
        }
    }

    /// What an activation is applied to.
    fn activation(&self, value: ExprId) -> (ExprId, Activation) {
        if let Some((a, b)) = self.binary(BinaryOp::Maximum, value) {
            for (x, zero) in [(a, b), (b, a)] {
                if self.number(zero) == Some(0.0) {
                    return (x, Activation::Relu);
                }
            }
        }
        match self.program.exprs[self.strip(value)] {
            Expr::Unary(UnaryOp::GeluTanh, x) => (x, Activation::GeluTanh),
            _ => (value, Activation::None),
        }
    }

    /// Adds the terms of a sum, `None` where one is nothing that the library adds.
    fn terms(&mut self, value: ExprId, scale: f64) -> Option<()> {
        use BinaryOp::{Add, Mul, Sub};
        let value = self.strip(value);
        match self.program.exprs[value].clone() {
            Expr::Binary(Add, a, b) => {
                self.terms(a, scale)?;
                self.terms(b, scale)
            }
            Expr::Binary(Sub, a, b) => {
                self.terms(a, scale)?;
                self.terms(b, -scale)
            }
            Expr::Binary(Mul, a, b) => match (self.number(a), self.number(b)) {
                (Some(by), _) => self.terms(b, scale * by),
                (_, Some(by)) => self.terms(a, scale * by),
                _ => None,
            },
            Expr::Load { buffer, .. } if buffer == self.out => {
                self.sums += 1;
                self.found.alpha = scale;
                Some(())
            }
            Expr::Load { buffer, index, data } => {
                if let Some(made) = self.values.get(&buffer) {
                    return self.terms(*made, scale);
                }
                let place = Place { buffer, offset: index[0] };
                if !data.is_empty() || self.program.buffers[buffer].dtype != self.dtype {
                    return None;
                }
                self.added(place, scale)
            }
            _ => None,
        }
    }

    /// A bias is the same in all rows; anything else that is added is a matrix.
    fn added(&mut self, place: Place, scale: f64) -> Option<()> {
        let vars = self.program.vars(self.dims);
        let symbols = |v: &SymInt| self.program.syms.as_symbol(*v);
        let (column, others) = vars.split_last()?;
        let of_rows =
            others.iter().filter_map(symbols).any(|s| self.program.syms.depends_on(place.offset, s));
        let of_columns = symbols(column).is_some_and(|s| self.program.syms.depends_on(place.offset, s));
        if of_columns && !of_rows && scale == 1.0 && self.found.bias.is_none() && self.dims.len() == 2 {
            self.found.bias = Some(place);
        } else if of_columns && of_rows && self.found.addend.is_none() {
            self.found.addend = Some(place);
            self.found.beta = scale;
        } else {
            return None;
        }
        Some(())
    }
}
