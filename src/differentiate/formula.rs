//! Derivatives as formulas: `grad * cos(self)`.
//!
//! A formula is written with the names of the operator's arguments, `grad` for the cotangent, and `result` for what
//! the operator gave. `+ - * /`, comparisons, `&&`, `||` and `!` are the operators of those meanings, `choose(c, a, b)` is `aten.where`, and
//! every other call is the ATen operator of that name. Tensors of 16-bit floats take part as float32, as in PyTorch's own
//! kernels; the result is rounded once.
//!
//! Invariant: every formula of the rules parses and names only arguments of the rows that use it; a test holds it.

use super::Outcome;
use super::context::Derivative;
use crate::base::{HashMap, Status};
use crate::ir::{Arg, Value};

/// A formula, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term<'t> {
    Name(&'t str),
    Number(f64),
    Call(&'t str, Vec<Term<'t>>),
}

/// Reads a formula; the error says where it is wrong.
pub(super) fn parse(text: &str) -> Result<Term<'_>, String> {
    let mut parser = Parser { text, at: 0 };
    let term = parser.level(0)?;
    match parser.peek() {
        None => Ok(term),
        Some(c) => Err(format!("unexpected `{c}` at {} of `{text}`", parser.at)),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

/// Operators by how tightly they bind, loosest first.
const LEVELS: [&[(&str, &str)]; 5] = [
    &[("||", "logical_or")],
    &[("&&", "logical_and")],
    &[("==", "eq"), ("!=", "ne"), ("<=", "le"), (">=", "ge"), ("<", "lt"), (">", "gt")],
    &[("+", "add"), ("-", "sub")],
    &[("*", "mul"), ("/", "div")],
];

impl<'t> Parser<'t> {
    fn rest(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }
    fn peek(&mut self) -> Option<char> {
        self.rest().chars().next()
    }
    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }
    fn level(&mut self, level: usize) -> Result<Term<'t>, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some((_, name)) = operators.iter().find(|(sign, _)| self.eat(sign)) {
            left = Term::Call(name, vec![left, self.level(level + 1)?]);
        }
        Ok(left)
    }
    fn unary(&mut self) -> Result<Term<'t>, String> {
        if self.eat("-") {
            return Ok(Term::Call("neg", vec![self.unary()?]));
        }
        if !self.rest().starts_with("!=") && self.eat("!") {
            return Ok(Term::Call("logical_not", vec![self.unary()?]));
        }
        if self.eat("(") {
            let inner = self.level(0)?;
            return if self.eat(")") { Ok(inner) } else { Err(self.missing(")")) };
        }
        let rest = self.rest();
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let length = rest.find(|c: char| !letters(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().map(Term::Number).map_err(|_| format!("`{word}` is no number"));
        }
        if word.is_empty() {
            return Err(self.missing("a name or a number"));
        }
        if !self.eat("(") {
            return Ok(Term::Name(word));
        }
        let mut args = Vec::new();
        loop {
            args.push(self.level(0)?);
            if self.eat(")") {
                return Ok(Term::Call(word, args));
            }
            if !self.eat(",") {
                return Err(self.missing(")"));
            }
        }
    }
    fn missing(&self, what: &str) -> String {
        format!("{what} is missing at {} of `{}`", self.at, self.text)
    }
}

/// The value of a part of a formula.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Tensor(Value),
    Number(f64),
    /// A number known when the program runs, or something else that only a call takes.
    Other(Arg),
}

impl Item {
    fn arg(&self) -> Arg {
        match self {
            Item::Tensor(value) => Arg::Value(*value),
            Item::Number(number) => Arg::Float(*number),
            Item::Other(arg) => arg.clone(),
        }
    }
}

impl Derivative<'_> {
    /// Gives the named arguments the cotangents that formulas say.
    pub(super) fn formulas(&mut self, list: &[(&str, &str)]) -> Outcome {
        let mut names = HashMap::default();
        for (name, formula) in list {
            // `self` of one row is another's number.
            if self.op.schema().arg(name).is_some() && self.needs(name) {
                let cotangent = self.evaluated(formula, &mut names)?;
                self.give(name, cotangent)?;
            }
        }
        Ok(())
    }

    fn evaluated(&mut self, formula: &str, names: &mut HashMap<String, Item>) -> Outcome<Value> {
        let term = parse(formula).map_err(|e| self.error(Status::Internal, e))?;
        match self.item(&term, names)? {
            Item::Tensor(value) => Ok(value),
            Item::Number(number) => {
                let dtype = self.dtype_of(self.results[0]);
                self.scalar(number, dtype)
            }
            Item::Other(_) => Err(self.error(Status::Internal, format!("`{formula}` is no tensor"))),
        }
    }

    fn item(&mut self, term: &Term<'_>, names: &mut HashMap<String, Item>) -> Outcome<Item> {
        match term {
            Term::Number(number) => Ok(Item::Number(*number)),
            Term::Name(name) => {
                if let Some(known) = names.get(*name) {
                    return Ok(known.clone());
                }
                let item = self.named(name)?;
                names.insert(name.to_string(), item.clone());
                Ok(item)
            }
            Term::Call(name, args) => {
                let args = args.iter().map(|a| self.item(a, names)).collect::<Outcome<Vec<_>>>()?;
                self.called(name, &args)
            }
        }
    }

    fn named(&mut self, name: &str) -> Outcome<Item> {
        let value = match name {
            "grad" => self.grad()?,
            "result" => self.results[0],
            "true" | "false" => return Ok(Item::Other(Arg::Bool(name == "true"))),
            _ => match self.arg(name) {
                Arg::Value(value) => *value,
                Arg::None => return Ok(Item::Other(Arg::None)),
                other => return Ok(self.float(name).map_or(Item::Other(other.clone()), Item::Number)),
            },
        };
        let widened = if self.dtype_of(value).is_reduced_float() { self.compute(value)? } else { value };
        Ok(Item::Tensor(widened))
    }

    fn called(&mut self, name: &str, args: &[Item]) -> Outcome<Item> {
        if let Some(number) = folded(name, args) {
            return Ok(Item::Number(number));
        }
        let is_tensor = |k: usize| matches!(args.get(k), Some(Item::Tensor(_)));
        let list: Vec<Arg> = args.iter().map(Item::arg).collect();
        let swapped = || vec![list[1].clone(), list[0].clone()];
        let overload =
            |tensor: &str, number: &str| if is_tensor(1) { tensor.to_string() } else { number.to_string() };
        let (target, list) = match (name, is_tensor(0)) {
            // A number first: the operator that takes it second.
            ("add" | "mul" | "eq" | "ne", false) => (format!("aten.{name}.Scalar"), swapped()),
            ("sub", false) => ("aten.rsub.Scalar".to_string(), swapped()),
            ("lt", false) => ("aten.gt.Scalar".to_string(), swapped()),
            ("le", false) => ("aten.ge.Scalar".to_string(), swapped()),
            ("gt", false) => ("aten.lt.Scalar".to_string(), swapped()),
            ("ge", false) => ("aten.le.Scalar".to_string(), swapped()),
            ("div", false) => {
                let Item::Tensor(divisor) = args[1] else { return Err(self.no_such(name)) };
                let inverse = self.unary("reciprocal", divisor)?;
                ("aten.mul.Scalar".to_string(), vec![Arg::Value(inverse), list[0].clone()])
            }
            ("add" | "sub" | "mul" | "div" | "eq" | "ne" | "lt" | "le" | "gt" | "ge", true) => {
                (format!("aten.{name}.{}", overload("Tensor", "Scalar")), list)
            }
            ("pow", true) => (format!("aten.pow.{}", overload("Tensor_Tensor", "Tensor_Scalar")), list),
            ("pow", false) => ("aten.pow.Scalar".to_string(), list),
            ("choose", _) => {
                let form = match (is_tensor(1), is_tensor(2)) {
                    (true, true) => "self",
                    (true, false) => "ScalarOther",
                    (false, true) => "ScalarSelf",
                    (false, false) => "Scalar",
                };
                (format!("aten.where.{form}"), list)
            }
            ("copysign", _) => (format!("aten.copysign.{}", overload("Tensor", "Scalar")), list),
            ("xlogy", _) => (format!("aten.xlogy.{}", overload("Tensor", "Scalar_Other")), list),
            _ => (format!("aten.{name}.default"), list),
        };
        Ok(Item::Tensor(self.call(&target, list)?))
    }

    fn no_such(&self, name: &str) -> super::DerivativeError {
        self.unsupported(format!(
            "the derivative needs `{name}` of two numbers, one of them known only at run time"
        ))
    }
}

/// What an operation of numbers alone gives.
fn folded(name: &str, args: &[Item]) -> Option<f64> {
    let number = |item: &Item| match item {
        Item::Number(number) => Some(*number),
        _ => None,
    };
    let args: Option<Vec<f64>> = args.iter().map(number).collect();
    match (name, &args?[..]) {
        ("neg", [a]) => Some(-a),
        ("add", [a, b]) => Some(a + b),
        ("sub", [a, b]) => Some(a - b),
        ("mul", [a, b]) => Some(a * b),
        ("div", [a, b]) => Some(a / b),
        ("log", [a]) => Some(a.ln()),
        ("sqrt", [a]) => Some(a.sqrt()),
        _ => None,
    }
}
