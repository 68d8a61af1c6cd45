//! Symbolic integers as text whose order does not depend on when an expression was made.

use crate::base::StableSort;
use crate::types::{Calculation, Dtype, SymArena, SymInt, SymNode, SymbolId, float_text};
use rustc_hash::{FxHashMap, FxHashSet};

/// Words that a bare symbol cannot be called.
const KEYWORDS: [&str; 21] = [
    "and",
    "or",
    "not",
    "min",
    "max",
    "select",
    "true",
    "false",
    "None",
    "inf",
    "nan",
    "hint",
    "in",
    "cpu",
    "cuda",
    "strided",
    "contiguous",
    "channels_last",
    "channels_last_3d",
    "preserve",
    "elided",
];

/// A name for every symbol of a graph, unique and lexically sound.
#[derive(Clone, Default)]
pub struct Names {
    names: FxHashMap<SymbolId, String>,
    used: FxHashSet<String>,
}

impl Names {
    /// Gives the symbol a name, numbered where another one has its own; false when it has one already.
    pub fn add(&mut self, syms: &SymArena, id: SymbolId) -> bool {
        if self.names.contains_key(&id) {
            return false;
        }
        let own = syms.symbol_name(id);
        let mut free = own.clone();
        let mut k = 1;
        while !self.used.insert(free.clone()) {
            free = format!("{own}_{k}");
            k += 1;
        }
        self.names.insert(id, spell(&free));
        true
    }
    /// No symbol gets one of these names.
    pub fn reserve(&mut self, names: impl IntoIterator<Item = String>) {
        self.used.extend(names);
    }
    /// Gives the symbol this very text, instead of any other name.
    pub fn call(&mut self, id: SymbolId, text: String) {
        self.names.insert(id, text);
    }
    pub fn get(&self, syms: &SymArena, id: SymbolId) -> String {
        self.names.get(&id).cloned().unwrap_or_else(|| spell(&syms.symbol_name(id)))
    }

    /// The expression; sums and products in the order of their terms' text.
    pub fn expression(&self, syms: &SymArena, e: SymInt) -> String {
        self.write(syms, e, 0)
    }
    pub fn list(&self, syms: &SymArena, list: &[SymInt]) -> String {
        let parts: Vec<String> = list.iter().map(|e| self.expression(syms, *e)).collect();
        format!("[{}]", parts.join(", "))
    }

    /// A float that is held as its bits.
    pub fn float(&self, syms: &SymArena, e: SymInt) -> String {
        match (syms.as_const(e), syms.as_symbol(e)) {
            (Some(bits), _) => float_text(f64::from_bits(bits as u64)),
            (None, Some(id)) if syms.definition(id).is_some() => self.expression(syms, e),
            _ => format!("as_float({})", self.expression(syms, e)),
        }
    }

    /// `level`: how strongly the surroundings bind; weaker operators are put in parentheses.
    fn write(&self, syms: &SymArena, e: SymInt, level: u8) -> String {
        use SymNode::*;
        let sub = |e: &SymInt, level| self.write(syms, *e, level);
        let binary = |a: &SymInt, op: &str, b: &SymInt, own: u8| {
            (format!("{} {op} {}", sub(a, own), sub(b, own + 1)), own)
        };
        let call = |name: &str, list: &[SymInt]| {
            let parts: Vec<String> = list.iter().map(|e| sub(e, 0)).collect();
            (format!("{name}({})", parts.join(", ")), u8::MAX)
        };
        // The order of these operators' operands says nothing; numbers stand last.
        let sorted = |a: &SymInt, b: &SymInt, level, between: &str| {
            let mut both = [sub(a, level), sub(b, level)];
            both.stable_sort_by_key(|t| (t.parse::<i64>().is_ok(), t.clone()));
            both.join(between)
        };
        let (text, own) = match syms.node(e) {
            Constant(v) => (v.to_string(), if v < 0 { PRODUCT } else { u8::MAX }),
            Symbol(id) => match syms.definition(id) {
                Some((calculation, operands)) => {
                    let one = |(k, o): (usize, &SymInt)| {
                        if calculation.takes_float(k) { self.float(syms, *o) } else { sub(o, 0) }
                    };
                    let parts: Vec<String> = operands.iter().enumerate().map(one).collect();
                    (format!("{}({})", calculation.name(), parts.join(", ")), u8::MAX)
                }
                None => (self.get(syms, id), u8::MAX),
            },
            Add(list) => {
                let mut terms: Vec<String> = list.iter().map(|t| sub(t, SUM + 1)).collect();
                terms.stable_sort_by_key(|t| (t.parse::<i64>().is_ok(), t.clone()));
                (terms.join(" + "), SUM)
            }
            Mul(list) => {
                let mut factors: Vec<String> = list.iter().map(|t| sub(t, PRODUCT + 1)).collect();
                factors
                    .stable_sort_by_key(|t| (t.trim_matches(['(', ')']).parse::<i64>().is_err(), t.clone()));
                (factors.join("*"), PRODUCT)
            }
            FloorDiv(a, b) => binary(&a, "//", &b, PRODUCT),
            Mod(a, b) => binary(&a, "%", &b, PRODUCT),
            Min(a, b) => (format!("min({})", sorted(&a, &b, 0, ", ")), u8::MAX),
            Max(a, b) => (format!("max({})", sorted(&a, &b, 0, ", ")), u8::MAX),
            Eq(a, b) => (sorted(&a, &b, SUM, " == "), COMPARISON),
            Lt(a, b) => (format!("{} < {}", sub(&a, SUM), sub(&b, SUM)), COMPARISON),
            Le(a, b) => (format!("{} <= {}", sub(&a, SUM), sub(&b, SUM)), COMPARISON),
            And(a, b) => (sorted(&a, &b, AND + 1, " and "), AND),
            Or(a, b) => (sorted(&a, &b, OR + 1, " or "), OR),
            Not(a) => match syms.node(a) {
                Eq(a, b) => (sorted(&a, &b, SUM, " != "), COMPARISON),
                _ => (format!("not {}", sub(&a, COMPARISON + 1)), NOT),
            },
            Select(c, a, b) => call("select", &[c, a, b]),
        };
        if own < level { format!("({text})") } else { text }
    }
}

const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;

/// True for words that mean something in an expression or argument, so that a symbol's name is quoted.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
        || name == "as_float"
        || name == "bool"
        || name == "graph"
        || Calculation::from_name(name).is_some()
}

fn spell(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && !is_keyword(name) && Dtype::from_name(name).is_none() {
        name.to_string()
    } else {
        super::quoted(name, '`')
    }
}
