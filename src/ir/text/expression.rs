//! Symbolic integers as text whose order does not depend on when an expression was made. Long parts that stand in several places may
//! have names, so that a text is no longer than what it is about.

use crate::base::{HashMap, HashSet, StableSort};
use crate::types::{Calculation, Dtype, SymArena, SymInt, SymNode, SymbolId, float_text};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Symbols and numbers of a part that gets a name where it stands more than once.
const LONG: u32 = 64;
/// Symbols and numbers of an expression that is written out where parts have no names. Shared parts could make any number of them.
const MOST_WRITTEN: u32 = 1 << 14;

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
    names: HashMap<SymbolId, String>,
    used: HashSet<String>,
    /// The names of parts; `None`: they have none, and what is too long is cut off.
    parts: Option<HashMap<SymInt, String>>,
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

    /// Names long parts that these expressions have more than once. Gives the parts, each after those that it is made of.
    pub fn name_parts(&mut self, syms: &SymArena, expressions: &[SymInt]) -> Vec<SymInt> {
        let named = self.shared(syms, expressions);
        let mut parts = HashMap::default();
        let mut number = 0;
        for part in &named {
            while !self.used.insert(format!("e{number}")) {
                number += 1;
            }
            parts.insert(*part, format!("e{number}"));
        }
        self.parts = Some(parts);
        named
    }

    /// The long parts that stand in several places, each after those that it is made of, in an order that does not depend on when
    /// they were made.
    fn shared(&self, syms: &SymArena, expressions: &[SymInt]) -> Vec<SymInt> {
        let long = |list: Vec<SymInt>| list.into_iter().filter(|e| syms.leaves(*e) >= LONG);
        let mut uses: HashMap<SymInt, usize> = HashMap::default();
        let mut stack: Vec<SymInt> = long(expressions.to_vec()).collect();
        while let Some(e) = stack.pop() {
            let count = uses.entry(e).or_insert(0);
            *count += 1;
            if *count == 1 {
                stack.extend(long(made_of(syms, e)));
            }
        }
        if uses.values().all(|count| *count < 2) {
            return Vec::new();
        }
        let keys = self.keys(syms, expressions);
        let (mut found, mut seen) = (Vec::new(), HashSet::default());
        let mut stack: Vec<(SymInt, bool)> = long(expressions.to_vec()).map(|e| (e, false)).collect();
        stack.reverse();
        while let Some((e, is_done)) = stack.pop() {
            if is_done {
                found.push(e);
            } else if seen.insert(e) {
                stack.push((e, true));
                let mut parts: Vec<SymInt> = long(made_of(syms, e)).collect();
                parts.stable_sort_by_key(|part| std::cmp::Reverse(keys[part]));
                stack.extend(parts.into_iter().map(|part| (part, false)));
            }
        }
        found.retain(|e| uses[e] > 1);
        found
    }

    /// A number for each part that depends on what it says alone.
    fn keys(&self, syms: &SymArena, expressions: &[SymInt]) -> HashMap<SymInt, u64> {
        let (mut all, mut seen, mut stack) = (Vec::new(), HashSet::default(), expressions.to_vec());
        while let Some(e) = stack.pop() {
            if seen.insert(e) {
                all.push(e);
                stack.extend(made_of(syms, e));
            }
        }
        // An operand is made before what it is in.
        all.stable_sort_by_key(|e| *e);
        let mut keys: HashMap<SymInt, u64> = HashMap::default();
        for e in all {
            let node = syms.node(e);
            let mut state = FxHasher::default();
            std::mem::discriminant(&node).hash(&mut state);
            let mut operands: Vec<u64> = made_of(syms, e).iter().map(|part| keys[part]).collect();
            match node {
                SymNode::Constant(value) => value.hash(&mut state),
                SymNode::Symbol(id) => match syms.definition(id) {
                    Some((calculation, _)) => calculation.name().hash(&mut state),
                    None => self.get(syms, id).hash(&mut state),
                },
                SymNode::Add(_) | SymNode::Mul(_) | SymNode::Min(..) | SymNode::Max(..) => {
                    operands.stable_sort()
                }
                SymNode::Eq(..) | SymNode::And(..) | SymNode::Or(..) => operands.stable_sort(),
                _ => {}
            }
            operands.hash(&mut state);
            keys.insert(e, state.finish());
        }
        keys
    }

    /// The name of a part, if it has one.
    pub fn part(&self, e: SymInt) -> Option<&str> {
        self.parts.as_ref()?.get(&e).map(String::as_str)
    }
    /// The expression that a named part stands for.
    pub fn meaning(&self, syms: &SymArena, part: SymInt) -> String {
        self.spelled(syms, part, 0)
    }

    /// The expression; sums and products in the order of their terms' text.
    pub fn expression(&self, syms: &SymArena, e: SymInt) -> String {
        if self.parts.is_none() && syms.leaves(e) > MOST_WRITTEN {
            return syms.display(e);
        }
        self.write(syms, e, 0)
    }
    /// The expression where people alone read it: long ones are left out.
    pub fn in_short(&self, syms: &SymArena, e: SymInt) -> String {
        if syms.leaves(e) < LONG || self.part(e).is_some() {
            self.write(syms, e, 0)
        } else {
            "…".to_string()
        }
    }
    pub fn list(&self, syms: &SymArena, list: &[SymInt]) -> String {
        let parts: Vec<String> = list.iter().map(|e| self.expression(syms, *e)).collect();
        format!("[{}]", parts.join(", "))
    }

    /// A float that is held as its bits.
    pub fn float(&self, syms: &SymArena, e: SymInt) -> String {
        match (syms.as_const(e), syms.as_symbol(e)) {
            _ if let Some(name) = self.part(e) => format!("as_float({name})"),
            (Some(bits), _) => float_text(f64::from_bits(bits as u64)),
            (None, Some(id)) if syms.definition(id).is_some() => self.expression(syms, e),
            _ => format!("as_float({})", self.expression(syms, e)),
        }
    }

    /// `level`: how strongly the surroundings bind; weaker operators are put in parentheses.
    fn write(&self, syms: &SymArena, e: SymInt, level: u8) -> String {
        match self.part(e) {
            Some(name) => name.to_string(),
            None => self.spelled(syms, e, level),
        }
    }
    fn spelled(&self, syms: &SymArena, e: SymInt, level: u8) -> String {
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

/// The operands of an expression, and of the calculation that gives a symbol.
fn made_of(syms: &SymArena, e: SymInt) -> Vec<SymInt> {
    match syms.node(e) {
        SymNode::Symbol(id) => syms.definition(id).map(|(_, operands)| operands).unwrap_or_default(),
        node => node.operands(),
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
