//! A line of the scalar program as numbers: its operation, its operands, and a constant.

use super::CALCULATIONS;
use crate::plan::{ScalarId, ScalarOp};
use crate::types::Calculation;

impl ScalarOp {
    pub(in crate::plan) fn numbers(&self) -> (u32, [u32; 3], i64) {
        use ScalarOp::*;
        match *self {
            Constant(v) => (0, [0; 3], v),
            Symbol(s) => (1, [s, 0, 0], 0),
            Add(a, b) => (2, [a.0, b.0, 0], 0),
            Sub(a, b) => (3, [a.0, b.0, 0], 0),
            Mul(a, b) => (4, [a.0, b.0, 0], 0),
            FloorDiv(a, b) => (5, [a.0, b.0, 0], 0),
            Mod(a, b) => (6, [a.0, b.0, 0], 0),
            Min(a, b) => (7, [a.0, b.0, 0], 0),
            Max(a, b) => (8, [a.0, b.0, 0], 0),
            Eq(a, b) => (9, [a.0, b.0, 0], 0),
            Lt(a, b) => (10, [a.0, b.0, 0], 0),
            Le(a, b) => (11, [a.0, b.0, 0], 0),
            And(a, b) => (12, [a.0, b.0, 0], 0),
            Or(a, b) => (13, [a.0, b.0, 0], 0),
            Not(a) => (14, [a.0, 0, 0], 0),
            Select(c, a, b) => (15, [c.0, a.0, b.0], 0),
            Calculate(of, operands) => (CALCULATIONS + of as u32, operands.map(|s| s.0), 0),
        }
    }

    /// `None`: there is no such operation.
    pub(in crate::plan) fn of_numbers(op: u32, operands: [u32; 3], value: i64) -> Option<ScalarOp> {
        use ScalarOp::*;
        let [a, b, c] = operands.map(ScalarId);
        Some(match op {
            0 => Constant(value),
            1 => Symbol(a.0),
            2 => Add(a, b),
            3 => Sub(a, b),
            4 => Mul(a, b),
            5 => FloorDiv(a, b),
            6 => Mod(a, b),
            7 => Min(a, b),
            8 => Max(a, b),
            9 => Eq(a, b),
            10 => Lt(a, b),
            11 => Le(a, b),
            12 => And(a, b),
            13 => Or(a, b),
            14 => Not(a),
            15 => Select(a, b, c),
            other => Calculate(Calculation::from_number(other.checked_sub(CALCULATIONS)?)?, [a, b, c]),
        })
    }
}
