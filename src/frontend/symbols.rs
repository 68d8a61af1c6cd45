//! The symbols of a program: one symbolic integer per name, with the range that the file declares.

use super::FrontendError;
use super::error::Result;
use super::json;
use crate::base::HashMap;
use crate::types::{Range, SymArena, SymInt};
use serde_json::Value;
use std::sync::Arc;

pub struct Symbols {
    syms: Arc<SymArena>,
    ranges: HashMap<String, Range>,
    /// Ranges of expressions, such as `2*s0`, which hold beside those of their symbols.
    pub expressions: Vec<(String, Range)>,
    hints: HashMap<String, i64>,
    known: HashMap<String, SymInt>,
}

impl Symbols {
    pub fn new(syms: Arc<SymArena>, constraints: Option<&Value>) -> Result<Symbols> {
        let (mut ranges, mut expressions) = (HashMap::default(), Vec::new());
        let place = "range_constraints";
        if let Some(constraints) = constraints {
            for (name, bounds) in json::object(constraints, place)? {
                let place = format!("{place}.{name}");
                let range = Range::new(
                    bound(json::optional(bounds, "min_val"), i64::MIN, &place)?,
                    bound(json::optional(bounds, "max_val"), i64::MAX, &place)?,
                );
                if range.min > range.max {
                    return Err(FrontendError::parse(format!(
                        "{place}: the least value {} is above the greatest, {}",
                        range.min, range.max
                    )));
                }
                if name.chars().all(|c| c.is_alphanumeric() || c == '_') {
                    ranges.insert(name.clone(), range);
                } else {
                    expressions.push((name.clone(), range));
                }
            }
        }
        Ok(Symbols { syms, ranges, expressions, hints: HashMap::default(), known: HashMap::default() })
    }

    /// A typical value, noted before the symbol is first asked for.
    pub fn hint(&mut self, name: &str, value: i64) {
        self.hints.insert(name.to_string(), value);
    }
    /// The symbol of this name; `least` is what its declaration promises beside the ranges.
    pub fn get(&mut self, name: &str, least: i64) -> SymInt {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let declared = self.ranges.get(name).copied().unwrap_or(Range::new(i64::MIN, i64::MAX));
        let range = Range::new(declared.min.max(least).min(declared.max), declared.max);
        let hint = self.hints.get(name).copied().filter(|h| range.contains(*h));
        let symbol = self.syms.symbol(name, range, hint);
        self.known.insert(name.to_string(), symbol);
        symbol
    }
    /// The symbol of this name, if the program has used it.
    pub fn find(&self, name: &str) -> Option<SymInt> {
        self.known.get(name).copied()
    }
}

/// A bound; null, `int_oo` and sympy's way of writing infinity as 2^63 - 2 all mean that there is none.
fn bound(value: Option<&Value>, none: i64, place: &str) -> Result<i64> {
    match value {
        None => Ok(none),
        Some(Value::String(s))
            if matches!(s.as_str(), "int_oo" | "-int_oo" | "oo" | "-oo" | "Infinity" | "-Infinity") =>
        {
            Ok(none)
        }
        Some(Value::Number(n)) if n.as_i64().is_none() && (n.is_u64() || n.is_f64()) => Ok(none),
        Some(v) => match json::integer(v, place)? {
            v if v >= i64::MAX - 1 || v <= i64::MIN + 2 => Ok(none),
            v => Ok(v),
        },
    }
}
