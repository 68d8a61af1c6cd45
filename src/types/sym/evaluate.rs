//! Walks over whole expressions: with symbols replaced, as a number, as text. Shared parts are visited once, but for text.

use super::{Inner, SymError, SymInt, SymNode, SymbolId, floor_div, floor_mod};
use crate::base::HashMap;
use std::fmt::Write;

/// Bytes of an expression that are shown.
const MOST_SHOWN: usize = 1 << 16;

impl Inner {
    pub(super) fn substitute(
        &mut self,
        a: SymInt,
        map: &HashMap<SymbolId, SymInt>,
        memo: &mut HashMap<SymInt, SymInt>,
    ) -> SymInt {
        // What has none of these marks has none of the symbols.
        let marks = map.keys().fold(0, |marks, id| marks | self.mark(*id));
        self.substituted(a, map, marks, memo)
    }

    /// [`Self::substitute`] by symbols with these marks.
    pub(super) fn substituted(
        &mut self,
        a: SymInt,
        map: &HashMap<SymbolId, SymInt>,
        marks: u64,
        memo: &mut HashMap<SymInt, SymInt>,
    ) -> SymInt {
        if self.marks[a.0 as usize] & marks == 0 {
            return a;
        }
        if let Some(done) = memo.get(&a) {
            return *done;
        }
        use SymNode::*;
        let node = self.nodes[a.0 as usize].clone();
        let result = match node {
            Constant(_) => a,
            Symbol(id) => match (map.get(&id), self.definitions.get(&id).cloned()) {
                (Some(to), _) => *to,
                (None, Some((calculation, operands))) => {
                    let new: Vec<SymInt> =
                        operands.iter().map(|o| self.substituted(*o, map, marks, memo)).collect();
                    if new == operands { a } else { self.calculate(calculation, &new) }
                }
                (None, None) => a,
            },
            Add(list) => {
                let new: Vec<SymInt> = list.iter().map(|t| self.substituted(*t, map, marks, memo)).collect();
                if new[..] == list[..] { a } else { self.sum_all(&new) }
            }
            Mul(list) => {
                let one = self.constant(1);
                list.iter().fold(one, |product, t| {
                    let t = self.substituted(*t, map, marks, memo);
                    self.mul(product, t)
                })
            }
            Not(x) => {
                let x = self.substituted(x, map, marks, memo);
                self.not(x)
            }
            Select(c, x, y) => {
                let c = self.substituted(c, map, marks, memo);
                let (x, y) = (self.substituted(x, map, marks, memo), self.substituted(y, map, marks, memo));
                self.select(c, x, y)
            }
            FloorDiv(x, y)
            | Mod(x, y)
            | Min(x, y)
            | Max(x, y)
            | Eq(x, y)
            | Lt(x, y)
            | Le(x, y)
            | And(x, y)
            | Or(x, y) => {
                let (x, y) = (self.substituted(x, map, marks, memo), self.substituted(y, map, marks, memo));
                match node {
                    FloorDiv(..) => self.floordiv(x, y),
                    Mod(..) => self.modulo(x, y),
                    Min(..) => self.min(x, y),
                    Max(..) => self.max(x, y),
                    Eq(..) => self.eq(x, y),
                    Lt(..) => self.lt(x, y),
                    Le(..) => self.le(x, y),
                    And(..) => self.and(x, y),
                    _ => self.or(x, y),
                }
            }
        };
        memo.insert(a, result);
        result
    }

    pub(super) fn eval(
        &self,
        a: SymInt,
        value: &dyn Fn(SymbolId) -> Option<i64>,
        memo: &mut HashMap<SymInt, i64>,
    ) -> Result<i64, SymError> {
        if let Some(v) = memo.get(&a) {
            return Ok(*v);
        }
        use SymNode::*;
        let text = || {
            let mut out = String::new();
            self.write(a, &mut out, 0);
            out
        };
        let mut get = |x: SymInt| self.eval(x, value, memo);
        let result = match &self.nodes[a.0 as usize] {
            Constant(v) => *v,
            Symbol(id) => match (value(*id), self.definitions.get(id)) {
                (Some(v), _) => v,
                (None, Some((calculation, operands))) => {
                    let operands = operands.iter().map(|o| get(*o)).collect::<Result<Vec<_>, _>>()?;
                    calculation.evaluate(&operands).ok_or_else(|| SymError::NoResult(text()))?
                }
                (None, None) => return Err(SymError::Unbound(self.symbols[id.0 as usize].name.clone())),
            },
            Add(list) => list.iter().try_fold(0i64, |sum, t| {
                sum.checked_add(get(*t)?).ok_or_else(|| SymError::Overflow(text()))
            })?,
            Mul(list) => list.iter().try_fold(1i64, |product, t| {
                product.checked_mul(get(*t)?).ok_or_else(|| SymError::Overflow(text()))
            })?,
            FloorDiv(x, y) => {
                floor_div(get(*x)?, get(*y)?).ok_or_else(|| SymError::DivisionByZero(text()))?
            }
            Mod(x, y) => floor_mod(get(*x)?, get(*y)?).ok_or_else(|| SymError::DivisionByZero(text()))?,
            Min(x, y) => get(*x)?.min(get(*y)?),
            Max(x, y) => get(*x)?.max(get(*y)?),
            Eq(x, y) => (get(*x)? == get(*y)?) as i64,
            Lt(x, y) => (get(*x)? < get(*y)?) as i64,
            Le(x, y) => (get(*x)? <= get(*y)?) as i64,
            // One operand may decide, whatever the other is about: "the index fits, or nothing is read".
            And(x, y) => match (get(*x), get(*y)) {
                (Ok(0), _) | (_, Ok(0)) => 0,
                (x, y) => x.and(y).map(|_| 1)?,
            },
            Or(x, y) => match (get(*x), get(*y)) {
                (Ok(v), _) | (_, Ok(v)) if v != 0 => 1,
                (x, y) => x.and(y).map(|_| 0)?,
            },
            Not(x) => (get(*x)? == 0) as i64,
            Select(c, x, y) => {
                if get(*c)? != 0 {
                    get(*x)?
                } else {
                    get(*y)?
                }
            }
        };
        memo.insert(a, result);
        Ok(result)
    }

    /// `level`: 0 anything, 1 inside a sum's term, 2 inside a product. Behind [`MOST_SHOWN`] nothing is written: parts that an expression
    /// shares stand once for each use, which may be any number.
    pub(super) fn write(&self, a: SymInt, out: &mut String, level: u32) {
        use SymNode::*;
        if out.len() > MOST_SHOWN {
            if !out.ends_with('…') {
                out.push('…');
            }
            return;
        }
        let binary = |out: &mut String, x: SymInt, op: &str, y: SymInt, own: u32| {
            let paren = level >= own;
            if paren {
                out.push('(');
            }
            self.write(x, out, 2);
            out.push_str(op);
            self.write(y, out, 2);
            if paren {
                out.push(')');
            }
        };
        let call = |out: &mut String, name: &str, list: &[SymInt]| {
            out.push_str(name);
            out.push('(');
            for (k, x) in list.iter().enumerate() {
                if k > 0 {
                    out.push_str(", ");
                }
                self.write(*x, out, 0);
            }
            out.push(')');
        };
        match &self.nodes[a.0 as usize] {
            Constant(v) if *v < 0 && level >= 2 => write!(out, "({v})").unwrap_or_default(),
            Constant(v) => write!(out, "{v}").unwrap_or_default(),
            Symbol(id) => match self.definitions.get(id) {
                Some((calculation, operands)) => self.write_calculation(*calculation, operands, out),
                None => out.push_str(&self.symbols[id.0 as usize].name),
            },
            Add(list) => {
                if level >= 1 {
                    out.push('(');
                }
                for (k, t) in list.iter().enumerate() {
                    if k > 0 {
                        out.push_str(" + ");
                    }
                    self.write(*t, out, 1);
                    if out.len() > MOST_SHOWN {
                        break;
                    }
                }
                if level >= 1 {
                    out.push(')');
                }
            }
            Mul(list) => {
                let paren = level >= 2;
                if paren {
                    out.push('(');
                }
                for (k, t) in list.iter().enumerate() {
                    if k > 0 {
                        out.push('*');
                    }
                    self.write(*t, out, 2);
                }
                if paren {
                    out.push(')');
                }
            }
            FloorDiv(x, y) => binary(out, *x, " // ", *y, 1),
            Mod(x, y) => binary(out, *x, " % ", *y, 1),
            Min(x, y) => call(out, "min", &[*x, *y]),
            Max(x, y) => call(out, "max", &[*x, *y]),
            Eq(x, y) => binary(out, *x, " == ", *y, 1),
            Lt(x, y) => binary(out, *x, " < ", *y, 1),
            Le(x, y) => binary(out, *x, " <= ", *y, 1),
            And(x, y) => binary(out, *x, " and ", *y, 1),
            Or(x, y) => binary(out, *x, " or ", *y, 1),
            Not(x) => call(out, "not", &[*x]),
            Select(c, x, y) => call(out, "select", &[*c, *x, *y]),
        }
    }
}
