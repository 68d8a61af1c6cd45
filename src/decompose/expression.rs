//! Expressions of C that a host gives for a pointwise operator, as calls of ATen's operators: these fuse, have derivatives and run
//! everywhere.
//!
//! An expression is C's, of the operator's arguments: numbers and tensors, of which it is computed for each element. It means what it
//! means in C, but that a literal such as `0.5` has the precision of what it is combined with, and that integers are not
//! narrower than those of the tensors. Its value is converted to the result's dtype.
//!
//! Invariants: nesting is bounded; a name that is no argument, and a function that is not in the table, is refused by name.
//!
//! Deliberately absent: statements, pointers, assignment.

use super::{Decompose, DecomposeError};
use crate::base::Status;
use crate::ir::{Arg, HostOperator, Value};
use crate::meta::{MetaError, infer};
use crate::ops::ArgBase;
use crate::types::Dtype;

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Int(i64),
    Float(f64),
    Name(String),
    Cast(Dtype, Box<Expression>),
    Unary(&'static str, Box<Expression>),
    Binary(&'static str, Box<[Expression; 2]>),
    Select(Box<[Expression; 3]>),
    Call(&'static Function, Vec<Expression>),
}

/// A function of C's library: its name, how many arguments it takes, and what it is.
#[derive(Debug, PartialEq)]
struct Function {
    name: &'static str,
    arguments: usize,
    meaning: Meaning,
}

#[derive(Debug, PartialEq)]
enum Meaning {
    /// An operator of ATen, of floats unless they are given others.
    Operator(&'static str),
    /// As C's `round`: halves away from zero.
    Round,
    MultiplyAdd,
}

macro_rules! functions {
    ($($name:literal($arguments:literal) $operator:literal;)*) => {
        &[
            $(Function { name: $name, arguments: $arguments, meaning: Meaning::Operator($operator) },)*
            Function { name: "round", arguments: 1, meaning: Meaning::Round },
            Function { name: "fma", arguments: 3, meaning: Meaning::MultiplyAdd },
        ]
    };
}

/// Each also with an `f` behind its name, as C calls those of `float`.
const FUNCTIONS: &[Function] = functions! {
    "exp"(1) "aten.exp.default";
    "exp2"(1) "aten.exp2.default";
    "expm1"(1) "aten.expm1.default";
    "log"(1) "aten.log.default";
    "log2"(1) "aten.log2.default";
    "log10"(1) "aten.log10.default";
    "log1p"(1) "aten.log1p.default";
    "sqrt"(1) "aten.sqrt.default";
    "rsqrt"(1) "aten.rsqrt.default";
    "sin"(1) "aten.sin.default";
    "cos"(1) "aten.cos.default";
    "tan"(1) "aten.tan.default";
    "asin"(1) "aten.asin.default";
    "acos"(1) "aten.acos.default";
    "atan"(1) "aten.atan.default";
    "sinh"(1) "aten.sinh.default";
    "cosh"(1) "aten.cosh.default";
    "tanh"(1) "aten.tanh.default";
    "asinh"(1) "aten.asinh.default";
    "acosh"(1) "aten.acosh.default";
    "atanh"(1) "aten.atanh.default";
    "erf"(1) "aten.erf.default";
    "erfc"(1) "aten.erfc.default";
    "lgamma"(1) "aten.lgamma.default";
    "abs"(1) "aten.abs.default";
    "fabs"(1) "aten.abs.default";
    "floor"(1) "aten.floor.default";
    "ceil"(1) "aten.ceil.default";
    "trunc"(1) "aten.trunc.default";
    "rint"(1) "aten.round.default";
    "nearbyint"(1) "aten.round.default";
    "isnan"(1) "aten.isnan.default";
    "isinf"(1) "aten.isinf.default";
    "isfinite"(1) "aten.isfinite.default";
    "signbit"(1) "aten.signbit.default";
    "pow"(2) "aten.pow.Tensor_Tensor";
    "fmod"(2) "aten.fmod.Tensor";
    "atan2"(2) "aten.atan2.default";
    "hypot"(2) "aten.hypot.default";
    "copysign"(2) "aten.copysign.Tensor";
    "fmin"(2) "aten.fmin.default";
    "fmax"(2) "aten.fmax.default";
    "min"(2) "aten.fmin.default";
    "max"(2) "aten.fmax.default";
};

/// Operators with two operands, those that bind weakest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

const TYPES: [(&str, Dtype); 8] = [
    ("float", Dtype::Float32),
    ("double", Dtype::Float64),
    ("int", Dtype::Int32),
    ("bool", Dtype::Bool),
    ("int8_t", Dtype::Int8),
    ("uint8_t", Dtype::Uint8),
    ("int32_t", Dtype::Int32),
    ("int64_t", Dtype::Int64),
];

/// Expressions nest no deeper.
const DEPTH: usize = 50;

struct Reader<'t> {
    text: &'t str,
    rest: &'t str,
    depth: usize,
}

type Read<T> = Result<T, String>;

fn read(text: &str) -> Read<Expression> {
    let mut reader = Reader { text, rest: text, depth: 0 };
    let expression = reader.choice()?;
    reader.skip();
    if reader.rest.is_empty() { Ok(expression) } else { Err(reader.wrong("an operator or the end")) }
}

impl<'t> Reader<'t> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }
    fn wrong(&self, expected: &str) -> String {
        let column = self.text[..self.text.len() - self.rest.len()].chars().count() + 1;
        format!("in the expression `{}`, column {column}: expected {expected}", self.text)
    }
    fn take(&mut self, sign: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
    fn expect(&mut self, sign: &str) -> Read<()> {
        if self.take(sign) { Ok(()) } else { Err(self.wrong(&format!("`{sign}`"))) }
    }
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEPTH {
            return Err(format!("the expression nests deeper than {DEPTH}"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn choice(&mut self) -> Read<Expression> {
        self.nested(|reader| {
            let condition = reader.binary(0)?;
            if !reader.take("?") {
                return Ok(condition);
            }
            let yes = reader.choice()?;
            reader.expect(":")?;
            let no = reader.choice()?;
            Ok(Expression::Select(Box::new([condition, yes, no])))
        })
    }

    /// Operands joined by operators that bind at least as tightly as those of this level.
    fn binary(&mut self, level: usize) -> Read<Expression> {
        let mut left = self.unary()?;
        while let Some((sign, own)) = self.sign(level) {
            let right = self.binary(own + 1)?;
            left = Expression::Binary(sign, Box::new([left, right]));
        }
        Ok(left)
    }
    /// Takes an operator that binds so tightly, or tighter.
    fn sign(&mut self, least: usize) -> Option<(&'static str, usize)> {
        self.skip();
        let all = LEVELS.iter().enumerate().flat_map(|(level, signs)| signs.iter().map(move |s| (*s, level)));
        let (sign, level) = all.filter(|(s, _)| self.rest.starts_with(s)).max_by_key(|(s, _)| s.len())?;
        if level < least {
            return None;
        }
        self.rest = &self.rest[sign.len()..];
        Some((sign, level))
    }

    fn unary(&mut self) -> Read<Expression> {
        for sign in ["-", "+", "!", "~"] {
            if self.take(sign) {
                return self.nested(|reader| Ok(Expression::Unary(sign, Box::new(reader.unary()?))));
            }
        }
        self.primary()
    }

    fn primary(&mut self) -> Read<Expression> {
        if self.take("(") {
            let before = self.rest;
            if let Some(word) = self.word()
                && let Some((_, dtype)) = TYPES.iter().find(|(name, _)| *name == word)
            {
                self.expect(")")?;
                return self.nested(|reader| Ok(Expression::Cast(*dtype, Box::new(reader.unary()?))));
            }
            self.rest = before;
            let inner = self.choice()?;
            self.expect(")")?;
            return Ok(inner);
        }
        self.skip();
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number();
        }
        let before = self.rest;
        let Some(word) = self.word() else {
            return Err(self.wrong("a number, an argument, a function or `(`"));
        };
        if !self.take("(") {
            return Ok(Expression::Name(word.to_string()));
        }
        let function = function(word).ok_or_else(|| {
            self.rest = before;
            self.wrong(&format!("a function that pointwise operators may call, which `{word}` is not"))
        })?;
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.choice()?);
        }
        if arguments.len() != function.arguments {
            let (found, taken) = (arguments.len(), function.arguments);
            return Err(format!(
                "in the expression `{}`: `{word}` takes {taken} arguments, not {found}",
                self.text
            ));
        }
        Ok(Expression::Call(function, arguments))
    }

    fn word(&mut self) -> Option<&'t str> {
        self.skip();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.rest = rest;
        Some(word)
    }

    fn number(&mut self) -> Read<Expression> {
        let wrong = self.wrong("a number");
        if let Some(digits) = self.rest.strip_prefix("0x").or_else(|| self.rest.strip_prefix("0X")) {
            let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
            let value = i64::from_str_radix(&digits[..end], 16).map_err(|_| wrong)?;
            self.rest = digits[end..].trim_start_matches(['u', 'U', 'l', 'L']);
            return Ok(Expression::Int(value));
        }
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let exponent =
                matches!(bytes[end], b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            if !(bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b'e' | b'E') || exponent) {
                break;
            }
            end += 1;
        }
        let (digits, rest) = self.rest.split_at(end);
        let is_float = digits.contains(['.', 'e', 'E']) || rest.starts_with(['f', 'F']);
        self.rest =
            rest.trim_start_matches(if is_float { ['f', 'F', 'l', 'L'] } else { ['u', 'U', 'l', 'L'] });
        if is_float {
            Ok(Expression::Float(digits.parse().map_err(|_| wrong)?))
        } else {
            Ok(Expression::Int(digits.parse().map_err(|_| wrong)?))
        }
    }
}

fn function(word: &str) -> Option<&'static Function> {
    let of = |name: &str| FUNCTIONS.iter().find(|f| f.name == name);
    of(word).or_else(|| of(word.strip_suffix('f')?))
}

/// Whether an operator of this schema can be the expression; the error says why not.
pub fn check(operator: &HostOperator, text: &str) -> Result<(), String> {
    let mut open = vec![read(text)?];
    while let Some(expression) = open.pop() {
        match expression {
            Expression::Int(_) | Expression::Float(_) => {}
            Expression::Name(name) => {
                let Some(k) = operator.schema.arg(&name) else {
                    return Err(format!("the expression `{text}` uses `{name}`, which is no argument"));
                };
                let ty = operator.schema.args[k].ty;
                let number =
                    matches!(ty.base, ArgBase::Int | ArgBase::Float | ArgBase::Bool | ArgBase::Scalar);
                if ty.list || !(number || ty.base == ArgBase::Tensor) {
                    return Err(format!("the expression `{text}` uses `{name}`, which is {ty}"));
                }
            }
            Expression::Cast(_, a) | Expression::Unary(_, a) => open.push(*a),
            Expression::Binary(_, list) => open.extend(*list),
            Expression::Select(list) => open.extend(*list),
            Expression::Call(_, list) => open.extend(list),
        }
    }
    Ok(())
}

/// The expression of a call, built.
pub fn build(cx: &mut Decompose<'_>) -> Result<Vec<Value>, DecomposeError> {
    let [Arg::Call(call)] = cx.args else {
        return Err(cx.error(Status::Internal, "a call without an operator"));
    };
    let operator = call.operator.clone();
    let named = |mut error: MetaError| {
        if !error.op.starts_with("aten.") {
            error.op = operator.name;
        }
        error
    };
    let (metas, _) = infer(cx.graph, cx.op, cx.args)?;
    let text = operator.functions.expression.as_deref().unwrap_or_default();
    let expression =
        read(text).map_err(|message| MetaError::new(Status::InvalidArgument, operator.name, message))?;
    let mut build = Build { cx, operator: &operator, args: &call.args };
    let value = build.value(&expression).map_err(named)?;
    let value = build.cast(value, metas[0].dtype)?;
    let shape = Arg::Ints(metas[0].shape.clone());
    Ok(vec![cx.call("aten.expand.default", vec![Arg::Value(value), shape])?])
}

/// Expressions as calls. Numbers are tensors without dimensions, which leave the dtype to others of their kind.
struct Build<'b, 'g> {
    cx: &'b mut Decompose<'g>,
    operator: &'b HostOperator,
    args: &'b [Arg],
}

type Built = Result<Value, DecomposeError>;

impl Build<'_, '_> {
    fn call(&mut self, name: &str, operands: &[Value]) -> Built {
        self.cx.call(name, operands.iter().map(|v| Arg::Value(*v)).collect())
    }
    fn dtype(&self, value: Value) -> Dtype {
        self.cx.dtype_of(value)
    }
    fn cast(&mut self, value: Value, dtype: Dtype) -> Built {
        self.cx.cast(value, dtype)
    }
    fn number(&mut self, number: Arg, dtype: Dtype) -> Built {
        self.cx.call_with("aten.scalar_tensor.default", vec![number], vec![("dtype", Arg::Dtype(dtype))])
    }
    /// What arithmetic is done with: truth values are integers in C.
    fn arithmetic(&mut self, value: Value) -> Built {
        if self.dtype(value) == Dtype::Bool { self.cast(value, Dtype::Int32) } else { Ok(value) }
    }
    fn truth(&mut self, value: Value) -> Built {
        if self.dtype(value) == Dtype::Bool { Ok(value) } else { self.cast(value, Dtype::Bool) }
    }

    fn value(&mut self, expression: &Expression) -> Built {
        match expression {
            Expression::Int(v) => {
                let number = self.cx.constant(*v);
                self.number(Arg::Int(number), Dtype::Int64)
            }
            Expression::Float(v) => self.number(Arg::Float(*v), Dtype::Float64),
            Expression::Name(name) => self.argument(name),
            Expression::Cast(dtype, inner) => {
                let inner = self.value(inner)?;
                self.cast(inner, *dtype)
            }
            Expression::Unary(sign, inner) => {
                let inner = self.value(inner)?;
                match *sign {
                    "!" => {
                        let truth = self.truth(inner)?;
                        self.call("aten.logical_not.default", &[truth])
                    }
                    sign => {
                        let number = self.arithmetic(inner)?;
                        match sign {
                            "-" => self.call("aten.neg.default", &[number]),
                            "~" => self.call("aten.bitwise_not.default", &[number]),
                            _ => Ok(number),
                        }
                    }
                }
            }
            Expression::Binary(sign, operands) => {
                let [a, b] = [self.value(&operands[0])?, self.value(&operands[1])?];
                self.binary(sign, a, b)
            }
            Expression::Select(parts) => {
                let condition = self.value(&parts[0])?;
                let condition = self.truth(condition)?;
                let [yes, no] = [self.value(&parts[1])?, self.value(&parts[2])?];
                self.call("aten.where.self", &[condition, yes, no])
            }
            Expression::Call(function, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    let value = self.value(argument)?;
                    values.push(self.arithmetic(value)?);
                }
                match function.meaning {
                    Meaning::Operator(name) => self.call(name, &values),
                    Meaning::Round => self.round(values[0]),
                    Meaning::MultiplyAdd => {
                        let product = self.call("aten.mul.Tensor", &values[..2])?;
                        self.call("aten.add.Tensor", &[product, values[2]])
                    }
                }
            }
        }
    }

    fn argument(&mut self, name: &str) -> Built {
        let place = self.operator.schema.arg(name).unwrap_or(usize::MAX);
        match self.args.get(place).cloned() {
            Some(Arg::Value(value)) => Ok(value),
            Some(number @ Arg::Int(_)) => self.number(number, Dtype::Int64),
            Some(number @ (Arg::Float(_) | Arg::SymFloat(_))) => self.number(number, Dtype::Float64),
            Some(number @ Arg::Bool(_)) => self.number(number, Dtype::Bool),
            _ => {
                let message = format!("its expression uses `{name}`, which is not given");
                Err(MetaError::new(Status::InvalidArgument, self.operator.name, message))
            }
        }
    }

    fn binary(&mut self, sign: &str, a: Value, b: Value) -> Built {
        if matches!(sign, "&&" | "||") {
            let [a, b] = [self.truth(a)?, self.truth(b)?];
            let name = if sign == "&&" { "aten.logical_and.default" } else { "aten.logical_or.default" };
            return self.call(name, &[a, b]);
        }
        let [a, b] = [self.arithmetic(a)?, self.arithmetic(b)?];
        let integers = self.dtype(a).is_integral() && self.dtype(b).is_integral();
        let name = match sign {
            "/" if integers => {
                let rounding = vec![("rounding_mode", Arg::Str("trunc".into()))];
                let operands = vec![Arg::Value(a), Arg::Value(b)];
                return self.cx.call_with("aten.div.Tensor_mode", operands, rounding);
            }
            "+" => "aten.add.Tensor",
            "-" => "aten.sub.Tensor",
            "*" => "aten.mul.Tensor",
            "/" => "aten.div.Tensor",
            "%" => "aten.fmod.Tensor",
            "==" => "aten.eq.Tensor",
            "!=" => "aten.ne.Tensor",
            "<" => "aten.lt.Tensor",
            "<=" => "aten.le.Tensor",
            ">" => "aten.gt.Tensor",
            ">=" => "aten.ge.Tensor",
            "&" => "aten.bitwise_and.Tensor",
            "|" => "aten.bitwise_or.Tensor",
            "^" => "aten.bitwise_xor.Tensor",
            "<<" => "aten.bitwise_left_shift.Tensor",
            _ => "aten.bitwise_right_shift.Tensor",
        };
        self.call(name, &[a, b])
    }

    /// To the nearest integer, halves away from zero.
    fn round(&mut self, value: Value) -> Built {
        if self.dtype(value).is_integral() {
            return Ok(value);
        }
        let whole = self.call("aten.trunc.default", &[value])?;
        let part = self.call("aten.sub.Tensor", &[value, whole])?;
        let size = self.call("aten.abs.default", &[part])?;
        let further = self.cx.call("aten.ge.Scalar", vec![Arg::Value(size), Arg::Float(0.5)])?;
        let one = self.number(Arg::Float(1.0), Dtype::Float64)?;
        let one = self.cast(one, self.dtype(value))?;
        let away = self.call("aten.copysign.Tensor", &[one, value])?;
        let moved = self.call("aten.add.Tensor", &[whole, away])?;
        self.call("aten.where.self", &[further, moved, whole])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_as_in_c() {
        let same = |a: &str, b: &str| assert_eq!(read(a), read(b), "{a}");
        same("a + b * c", "a + (b * c)");
        same("a - b - c", "(a - b) - c");
        same("a < b == c > d", "(a < b) == (c > d)");
        same("a && b || c", "(a && b) || c");
        same("a ? b : c ? d : e", "a ? b : (c ? d : e)");
        same("-a * b", "(-a) * b");
        same("a << 1 + b", "a << (1 + b)");
        same("expf(x)", "exp(x)");
        same("1.5f + .5 + 2u + 0x1F", "1.5 + 0.5 + 2 + 31");
        assert_eq!(
            read("(float)x"),
            Ok(Expression::Cast(Dtype::Float32, Box::new(Expression::Name("x".into()))))
        );
        assert_eq!(read("1e-3"), Ok(Expression::Float(1e-3)));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let refused = |text: &str, what: &str| {
            let error = read(text).unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        };
        refused("x +", "column 4: expected a number, an argument");
        refused("x y", "expected an operator or the end");
        refused("system(x)", "which `system` is not");
        refused("pow(x)", "`pow` takes 2 arguments, not 1");
        refused("x = 1", "expected an operator or the end");
        refused("99999999999999999999", "a number");
        refused(&"(".repeat(1000), "nests deeper");
        refused(&"-".repeat(1000), "nests deeper");
    }
}
