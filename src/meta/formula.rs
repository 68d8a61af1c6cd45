//! The small language that rows say operators in: calls of ATen operators, nested.
//!
//! `add($0, mul($1, @alpha=1.0))`: `$k` is argument `k`, `#k` its dtype, `@name=default` an attribute of the node; numbers,
//! `'text'`, `true`, `false`, `none`, lists in brackets and named arguments (`dim=1`) stand as in Python. An operator's name
//! lacks `aten.`, and `.Tensor` where that is the overload; those of other libraries are whole. The value is that of the outermost call.
//!
//! Formulas are the project's own, so the reader expects them to be well formed. An operator that does not exist, or arguments
//! that it does not take, are an error of the node.
//!
//! Deliberately absent: names for intermediate values, and choices; rules written in Rust have them.

use super::formulas::is_formula;
use super::{Builder, MetaError};
use crate::ir::{Arg, Value};
use crate::ops::OpId;

/// What a formula is evaluated in.
pub trait Scope {
    type Error: From<MetaError>;
    fn builder(&mut self) -> Builder<'_>;
    /// An attribute of the node, or its default.
    fn attribute(&self, name: &str, default: Option<Arg>) -> Result<Arg, Self::Error>;
    fn wrong(&self, message: String) -> Self::Error;
}

/// The results of the outermost call.
pub fn evaluate<S: Scope>(scope: &mut S, text: &str, args: &[Arg]) -> Result<Vec<Value>, S::Error> {
    let mut reader = Formula { scope, rest: text.trim_start(), args };
    match reader.term()? {
        Term::Values(values) => Ok(values),
        Term::Arg(Arg::Value(value)) => Ok(vec![value]),
        Term::Arg(other) => {
            Err(reader.scope.wrong(format!("the operator is given {} for a tensor", other.kind())))
        }
    }
}

struct Formula<'s, 't, S> {
    scope: &'s mut S,
    rest: &'t str,
    args: &'t [Arg],
}

enum Term {
    Arg(Arg),
    Values(Vec<Value>),
}

impl<'t, S: Scope> Formula<'_, 't, S> {
    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }
    fn word(&mut self, holds: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !holds(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }
    fn name(&mut self) -> &'t str {
        self.word(|c| c.is_alphanumeric() || c == '_' || c == '.')
    }

    fn arg(&mut self) -> Result<Arg, S::Error> {
        Ok(match self.term()? {
            Term::Arg(arg) => arg,
            Term::Values(values) => values.first().map_or(Arg::None, |v| Arg::Value(*v)),
        })
    }

    fn term(&mut self) -> Result<Term, S::Error> {
        if self.take('$') {
            let k = self.name().parse::<usize>().unwrap_or(usize::MAX);
            return Ok(Term::Arg(self.args.get(k).cloned().unwrap_or(Arg::None)));
        }
        if self.take('#') {
            let k = self.name().parse::<usize>().unwrap_or(usize::MAX);
            return match self.args.get(k) {
                Some(Arg::Value(v)) => {
                    let dtype = self.scope.builder().graph.meta(*v).dtype;
                    Ok(Term::Arg(Arg::Dtype(dtype)))
                }
                _ => Err(self.scope.wrong(format!("input {k} is missing"))),
            };
        }
        if self.take('@') {
            let name = self.name();
            let default = if self.take('=') { Some(self.arg()?) } else { None };
            return self.scope.attribute(name, default).map(Term::Arg);
        }
        if self.take('\'') {
            let text = self.word(|c| c != '\'').to_string();
            self.take('\'');
            return Ok(Term::Arg(Arg::Str(text)));
        }
        if self.take('[') {
            let list = self.list(']')?.into_iter().map(|(_, arg)| arg).collect();
            return Ok(Term::Arg(self.joined(list)));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let text = self.word(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
            return Ok(Term::Arg(match text.parse::<i64>() {
                Ok(int) => Arg::Int(self.scope.builder().graph.syms.constant(int)),
                Err(_) => Arg::Float(text.parse().unwrap_or(f64::NAN)),
            }));
        }
        match self.name() {
            "true" => Ok(Term::Arg(Arg::Bool(true))),
            "false" => Ok(Term::Arg(Arg::Bool(false))),
            "none" => Ok(Term::Arg(Arg::None)),
            "inf" => Ok(Term::Arg(Arg::Float(f64::INFINITY))),
            name => {
                self.take('(');
                let (mut positional, mut named) = (Vec::new(), Vec::new());
                for (name, arg) in self.list(')')? {
                    match name {
                        Some(name) => named.push((name.to_string(), arg)),
                        None => positional.push(arg),
                    }
                }
                let full = format!("aten.{name}");
                let name = match OpId::find(name) {
                    Some(_) => name.to_string(),
                    None if OpId::find(&full).is_some() || is_formula(&full) => full,
                    None => full + ".Tensor",
                };
                let values = self.scope.builder().call_named(&name, positional, named)?;
                Ok(Term::Values(values))
            }
        }
    }

    /// Arguments up to the closing bracket, with the names that they are given by.
    fn list(&mut self, close: char) -> Result<Vec<(Option<&'t str>, Arg)>, S::Error> {
        let mut list = Vec::new();
        while !self.rest.is_empty() && !self.take(close) {
            let begin = self.rest;
            let name = self.name();
            let name = if !name.is_empty() && self.take('=') {
                Some(name)
            } else {
                self.rest = begin;
                None
            };
            list.push((name, self.arg()?));
            self.take(',');
        }
        Ok(list)
    }

    fn joined(&self, list: Vec<Arg>) -> Arg {
        let ints: Option<Vec<_>> = list.iter().map(Arg::int).collect();
        if let Some(ints) = ints {
            return Arg::Ints(ints);
        }
        let floats = list.iter().map(|a| if let Arg::Float(v) = a { Some(*v) } else { None });
        if let Some(floats) = floats.collect::<Option<Vec<_>>>() {
            return Arg::Floats(floats);
        }
        Arg::Values(list.iter().map(Arg::value).collect())
    }
}
