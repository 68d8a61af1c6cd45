//! Numbers that are calculated with floats at run time: nodes of Python's operators, and the same for sympy in the facts.
//!
//! Deliberately absent: functions that the schema has no operator for (`exp`, `log`, `round`, …), which are refused by name.

use super::Writer;
use super::numbers::{Kind, float, no_source};
use crate::base::json;
use crate::frontend::FrontendError;
use crate::frontend::error::Result;
use crate::types::{Calculation, SymInt, SymbolId};
use serde_json::Value as Json;

impl Writer<'_> {
    /// A float, given by its bits, as an argument of an operator.
    pub(super) fn float_argument(&mut self, bits: SymInt) -> Result<Json> {
        Ok(match self.graph.syms.as_const(bits) {
            Some(known) => json!({"as_float": float(f64::from_bits(known as u64))}),
            None => json!({"as_sym_float": {"as_name": self.float_name(bits)?}}),
        })
    }

    fn float_name(&mut self, bits: SymInt) -> Result<String> {
        if let Some(name) = self.numbers.get(&bits) {
            return Ok(name.clone());
        }
        let symbol = self.graph.syms.as_symbol(bits);
        let definition = symbol.and_then(|id| self.graph.syms.definition(id));
        match (symbol, definition) {
            (_, Some((calculation, operands))) => self.calculated(calculation, &operands, bits),
            (Some(id), None) => Err(no_source(self.graph, id)),
            (None, None) => Err(FrontendError::unsupported(
                "a float whose bits are calculated as an integer has no form in PyTorch's export schema",
            )),
        }
    }

    /// The node that gives the result of a calculation.
    pub(super) fn calculated(
        &mut self,
        calculation: Calculation,
        operands: &[SymInt],
        result: SymInt,
    ) -> Result<String> {
        use Calculation::*;
        let syms = self.graph.syms.clone();
        let minus_zero = syms.float_constant(-0.0);
        let negative = |of: SymInt| syms.calculate(Sub, &[minus_zero, of]);
        let target = match calculation {
            Sub if operands[0] == minus_zero => {
                let of = vec![self.float_argument(operands[1])?];
                return Ok(self.number_node("_operator.neg", of, result, Kind::Float));
            }
            // The largest of it and its negative.
            Abs => {
                let pair =
                    vec![self.float_argument(operands[0])?, self.float_argument(negative(operands[0]))?];
                return Ok(self.number_node("torch.sym_max", pair, result, Kind::Float));
            }
            // What `//` gives for a divisor of 1, which has no fraction left.
            Floor => {
                let down = syms.calculate(FloorDiv, &[operands[0], syms.float_constant(1.0)]);
                let down = vec![self.float_argument(down)?];
                return Ok(self.number_node("math.trunc", down, result, Kind::Integer));
            }
            Ceil => {
                let down = syms.calculate(Floor, &[negative(operands[0])]);
                let down = vec![self.int_argument(down)?];
                return Ok(self.number_node("_operator.neg", down, result, Kind::Integer));
            }
            Float => "torch.sym_float",
            Add => "_operator.add",
            Sub => "_operator.sub",
            Mul => "_operator.mul",
            Div => "_operator.truediv",
            FloorDiv => "_operator.floordiv",
            Mod => "_operator.mod",
            Pow | IntPow => "_operator.pow",
            Min => "torch.sym_min",
            Max => "torch.sym_max",
            Sqrt => "torch.sym_sqrt",
            Select => "torch.sym_ite",
            Trunc => "math.trunc",
            Eq => "_operator.eq",
            Lt => "_operator.lt",
            Le => "_operator.le",
            other => {
                return Err(FrontendError::unsupported(format!(
                    "`{}` of a number that a run gives has no operator in PyTorch's export schema",
                    other.name()
                )));
            }
        };
        let mut arguments = Vec::new();
        for (k, operand) in operands.iter().enumerate() {
            arguments.push(match calculation {
                Select if k == 0 => self.bool_argument(*operand)?,
                _ if calculation.takes_float(k) => self.float_argument(*operand)?,
                _ => self.int_argument(*operand)?,
            });
        }
        Ok(self.number_node(target, arguments, result, Kind::of(calculation)))
    }

    /// A float as sympy writes it.
    pub(super) fn srepr_float(&self, bits: SymInt) -> String {
        let syms = &self.graph.syms;
        match (syms.as_const(bits), syms.as_symbol(bits)) {
            (Some(known), _) => format!("Float('{:?}', precision=53)", f64::from_bits(known as u64)),
            (None, Some(id)) => match syms.definition(id) {
                Some((calculation, operands)) => self.srepr_calculation(calculation, &operands),
                None => format!("Symbol('{}')", self.spelled(id)),
            },
            // Read back as the bits of a float, an integer is none.
            (None, None) => format!("ToFloat({})", self.srepr(bits)),
        }
    }

    pub(super) fn srepr_calculation(&self, calculation: Calculation, operands: &[SymInt]) -> String {
        use Calculation::*;
        let text = |k: usize| match calculation {
            _ if calculation.takes_float(k) => self.srepr_float(operands[k]),
            _ => self.srepr(operands[k]),
        };
        let all: Vec<String> = (0..operands.len()).map(text).collect();
        let call = |name: &str| format!("{name}({})", all.join(", "));
        match calculation {
            Float => call("ToFloat"),
            Add => call("Add"),
            Sub => format!("Add({}, Mul(Integer(-1), {}))", all[0], all[1]),
            Mul => call("Mul"),
            Div => call("FloatTrueDiv"),
            FloorDiv => format!("ToFloat(FloorToInt({}))", call("FloatTrueDiv")),
            Mod => call("Mod"),
            Pow => call("FloatPow"),
            IntPow => call("PowByNatural"),
            Min => call("Min"),
            Max => call("Max"),
            Abs => call("Abs"),
            Select => call("Where"),
            Trunc => call("TruncToInt"),
            Floor => call("FloorToInt"),
            Ceil => call("CeilToInt"),
            Round => call("RoundToInt"),
            Itself => all[0].clone(),
            Eq => call("Equality"),
            Lt => call("StrictLessThan"),
            Le => call("LessThan"),
            Sqrt | Exp | Log | Log2 | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh => {
                call(&format!("OpaqueUnaryFn_{}", &calculation.name()[1..]))
            }
        }
    }

    /// The name of a symbol: PyTorch tells by how it begins whether a run finds the value (`u`, `zuf`) or the caller gives it.
    pub(super) fn spelled(&self, id: SymbolId) -> String {
        let name = self.graph.syms.symbol_name(id);
        let prefix = match (self.data_symbols.contains(&id), self.float_symbols.contains(&id)) {
            (true, false) => "u",
            (true, true) => "zuf",
            (false, _) if !name.starts_with('u') && !name.starts_with("zuf") => return name,
            (false, _) => "s",
        };
        if name.starts_with(prefix) { name } else { format!("{prefix}_{name}") }
    }
}
