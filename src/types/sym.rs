//! Symbolic integers: sizes, strides, offsets, loop variables and index expressions, interned in one arena.
//!
//! Invariants:
//! - equal expressions have equal handles: sums and products are flattened, sorted and expanded (a polynomial
//!   with integer coefficients over atoms), so `a*(b+1)` and `a*b + a` are one handle;
//! - every handle has a range that holds for all values of its symbols within their ranges;
//! - constant folding never wraps: an operation that would overflow stays as a node, and fails when evaluated.
//!
//! Division and remainder round as Python's do. Comparisons and logic give 0 or 1.
//!
//! Floats are results of calculations; see `calculate`.
//!
//! Deliberately absent: facts beyond ranges (a guard is recorded by whoever needs one).

mod bounds;
mod calculate;
mod divide;
mod evaluate;
mod lengths;
mod marks;
mod simplify;
#[cfg(test)]
mod tests;

pub use calculate::{Calculation, float_text};
pub use divide::gcd;
pub use marks::Replaced;

use std::sync::Mutex;

use crate::base::{HashMap, HashSet};

/// A handle to an expression of a [`SymArena`]; the same expression has the same handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymInt(u32);

/// A handle to a symbol of a [`SymArena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(u32);

/// Inclusive bounds. `i64::MIN` and `i64::MAX` stand for "no bound".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    pub min: i64,
    pub max: i64,
}

impl Range {
    pub fn new(min: i64, max: i64) -> Range {
        Range { min, max }
    }
    pub fn exactly(value: i64) -> Range {
        Range { min: value, max: value }
    }
    /// Sizes: zero or more, no bound.
    pub fn size() -> Range {
        Range { min: 0, max: i64::MAX }
    }
    pub fn contains(self, value: i64) -> bool {
        self.min <= value && value <= self.max
    }
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A size or number the graph gets at run time.
    Free,
    /// Loop variable number `position`, running over `[0, size)`.
    Index { position: u32, size: SymInt },
    /// The `k`-th value read from a tensor that an index expression depends on; its meaning is local to the load
    /// or store that binds it.
    Data(u32),
}

#[derive(Clone, Debug)]
struct SymbolData {
    name: String,
    range: Range,
    hint: Option<i64>,
    kind: SymbolKind,
}

/// The random state that a run starts from. Each has one symbol in an arena, whose value the run's options give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomState {
    /// All 64 bits of the seed.
    Seed,
    /// The number of the first block of random words that the run takes.
    Offset,
}

impl RandomState {
    pub const ALL: [RandomState; 2] = [RandomState::Seed, RandomState::Offset];
    /// No run takes blocks from here on, so that the number of a word fits 64 bits.
    pub const MOST_OFFSET: i64 = 1 << 60;

    pub fn name(self) -> &'static str {
        match self {
            RandomState::Seed => "random_seed",
            RandomState::Offset => "random_offset",
        }
    }
    pub fn range(self) -> Range {
        match self {
            RandomState::Seed => Range::new(i64::MIN, i64::MAX),
            RandomState::Offset => Range::new(0, RandomState::MOST_OFFSET),
        }
    }
}

/// One node of an expression, as [`SymArena::node`] shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SymNode {
    Constant(i64),
    Symbol(SymbolId),
    /// Two or more terms, sorted, at most one constant.
    Add(Box<[SymInt]>),
    /// Two or more factors, sorted, at most one constant, which comes first.
    Mul(Box<[SymInt]>),
    FloorDiv(SymInt, SymInt),
    Mod(SymInt, SymInt),
    Min(SymInt, SymInt),
    Max(SymInt, SymInt),
    Eq(SymInt, SymInt),
    Lt(SymInt, SymInt),
    Le(SymInt, SymInt),
    And(SymInt, SymInt),
    Or(SymInt, SymInt),
    Not(SymInt),
    /// `Select(condition, then, otherwise)`
    Select(SymInt, SymInt, SymInt),
}

impl SymNode {
    /// What it is made of.
    pub fn operands(&self) -> Vec<SymInt> {
        match self {
            SymNode::Constant(_) | SymNode::Symbol(_) => Vec::new(),
            SymNode::Add(list) | SymNode::Mul(list) => list.to_vec(),
            SymNode::Not(a) => vec![*a],
            SymNode::Select(a, b, c) => vec![*a, *b, *c],
            SymNode::FloorDiv(a, b)
            | SymNode::Mod(a, b)
            | SymNode::Min(a, b)
            | SymNode::Max(a, b)
            | SymNode::Eq(a, b)
            | SymNode::Lt(a, b)
            | SymNode::Le(a, b)
            | SymNode::And(a, b)
            | SymNode::Or(a, b) => vec![*a, *b],
        }
    }
}

/// Evaluation that cannot give a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymError {
    #[error("the symbolic expression `{0}` overflows 64 bits")]
    Overflow(String),
    #[error("the symbolic expression `{0}` divides by zero")]
    DivisionByZero(String),
    #[error("the symbol `{0}` has no value here")]
    Unbound(String),
    #[error("the calculation `{0}` has no result")]
    NoResult(String),
}

#[derive(Clone, Default)]
struct Inner {
    nodes: Vec<SymNode>,
    ranges: Vec<Range>,
    /// How deep each nests.
    depths: Vec<u32>,
    /// How many symbols and numbers the text of each would have, in which shared parts stand once for each use.
    leaves: Vec<u32>,
    /// Which hold a constant beyond 32 bits.
    large: Vec<bool>,
    /// For each node the bits of the symbols that it depends on ([`Inner::mark`]). Symbols share bits, so a node with a symbol's
    /// bit may or may not depend on it, and one without the bit does not.
    marks: Vec<u64>,
    interned: HashMap<SymNode, SymInt>,
    /// The interned constants from -1 to 16, which are found without hashing.
    small_constants: [Option<SymInt>; 18],
    /// Quotients (false) and remainders (true) that were simplified before: nested ones ask for each other again and
    /// again.
    divisions: HashMap<(bool, SymInt, SymInt), SymInt>,
    symbols: Vec<SymbolData>,
    index_vars: HashMap<(u32, SymInt), SymbolId>,
    data_vars: Vec<SymbolId>,
    calculations: HashMap<(Calculation, Vec<SymInt>), SymbolId>,
    /// What [`RandomState`] names, in its order.
    random: [Option<SymbolId>; 2],
    definitions: HashMap<SymbolId, (Calculation, Vec<SymInt>)>,
    /// The symbols of long sums, and how many nest in each.
    long_sums: HashMap<SymInt, u32>,
    /// Typical values that were asked for: sizes are parts of others, and offsets of all that come after.
    hints: HashMap<SymInt, i64>,
    /// Of the symbols that stand for floats.
    float_intervals: HashMap<SymbolId, (f64, f64)>,
}

/// The arena of one compilation's symbolic integers. It only grows; all methods take `&self`, and it is shared
/// by a graph, its subgraphs and everything lowered from them.
pub struct SymArena {
    inner: Mutex<Inner>,
}

impl Default for SymArena {
    fn default() -> Self {
        SymArena { inner: Mutex::new(Inner::default()) }
    }
}

impl std::fmt::Debug for SymArena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SymArena({} expressions)", self.lock().nodes.len())
    }
}

impl SymArena {
    pub fn new() -> Self {
        Self::default()
    }
    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn constant(&self, value: i64) -> SymInt {
        self.lock().constant(value)
    }
    /// A new symbol, distinct from all others whatever its name. `hint` is a typical value for heuristics.
    pub fn symbol(&self, name: &str, range: Range, hint: Option<i64>) -> SymInt {
        let mut inner = self.lock();
        let id = inner.add_symbol(name.to_string(), range, hint, SymbolKind::Free);
        inner.intern(SymNode::Symbol(id))
    }
    /// The symbol of a part of the random state; the same one each time.
    pub fn random_state(&self, part: RandomState) -> SymInt {
        let mut inner = self.lock();
        let id = match inner.random[part as usize] {
            Some(id) => id,
            None => {
                let id = inner.add_symbol(part.name().to_string(), part.range(), None, SymbolKind::Free);
                inner.random[part as usize] = Some(id);
                id
            }
        };
        inner.intern(SymNode::Symbol(id))
    }
    /// The part of the random state that a symbol stands for.
    pub fn random_part(&self, symbol: SymbolId) -> Option<RandomState> {
        let known = self.lock().random;
        RandomState::ALL.into_iter().find(|part| known[*part as usize] == Some(symbol))
    }
    /// Loop variable number `position` over `[0, size)`; the same arguments give the same variable. Over one value
    /// it is the constant 0.
    pub fn index_var(&self, position: u32, size: SymInt) -> SymInt {
        let mut inner = self.lock();
        if inner.nodes[size.0 as usize] == SymNode::Constant(1) {
            return inner.constant(0);
        }
        let id = match inner.index_vars.get(&(position, size)) {
            Some(id) => *id,
            None => {
                let max = inner.ranges[size.0 as usize].max;
                let range = Range::new(0, if max == i64::MAX { max } else { max.saturating_sub(1).max(0) });
                let kind = SymbolKind::Index { position, size };
                let id = inner.add_symbol(format!("i{position}"), range, None, kind);
                inner.index_vars.insert((position, size), id);
                id
            }
        };
        inner.intern(SymNode::Symbol(id))
    }
    /// The `k`-th data-dependent index; see [`SymbolKind::Data`].
    pub fn data_var(&self, k: u32) -> SymInt {
        let mut inner = self.lock();
        while inner.data_vars.len() <= k as usize {
            let n = inner.data_vars.len() as u32;
            let id =
                inner.add_symbol(format!("d{n}"), Range::new(i64::MIN, i64::MAX), None, SymbolKind::Data(n));
            inner.data_vars.push(id);
        }
        let id = inner.data_vars[k as usize];
        inner.intern(SymNode::Symbol(id))
    }

    pub fn add(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().add(a, b)
    }
    pub fn sub(&self, a: SymInt, b: SymInt) -> SymInt {
        let mut inner = self.lock();
        inner.sub(a, b)
    }
    pub fn neg(&self, a: SymInt) -> SymInt {
        let mut inner = self.lock();
        let minus_one = inner.constant(-1);
        inner.mul(a, minus_one)
    }
    pub fn mul(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().mul(a, b)
    }
    pub fn floordiv(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().floordiv(a, b)
    }
    /// The polynomial `q` with `q * b == a`, where there is one; it is the quotient wherever `b` is not zero.
    pub fn divide_exact(&self, a: SymInt, b: SymInt) -> Option<SymInt> {
        self.lock().divide_exact(a, b)
    }
    /// Python's `%`: the result has the divisor's sign.
    pub fn modulo(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().modulo(a, b)
    }
    /// `ceil(a / b)` for positive `b`.
    pub fn ceildiv(&self, a: SymInt, b: SymInt) -> SymInt {
        let mut inner = self.lock();
        if inner.large[b.0 as usize] {
            // `a + b - 1` may overflow where the quotient does not.
            let minus_one = inner.constant(-1);
            let negated = inner.mul(a, minus_one);
            let quotient = inner.floordiv(negated, b);
            return inner.mul(quotient, minus_one);
        }
        let one = inner.constant(1);
        let t = inner.sub(b, one);
        let t = inner.add(a, t);
        inner.floordiv(t, b)
    }
    pub fn min(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().min(a, b)
    }
    pub fn max(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().max(a, b)
    }
    pub fn eq(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().eq(a, b)
    }
    pub fn ne(&self, a: SymInt, b: SymInt) -> SymInt {
        let mut inner = self.lock();
        let e = inner.eq(a, b);
        inner.not(e)
    }
    pub fn lt(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().lt(a, b)
    }
    pub fn le(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().le(a, b)
    }
    pub fn and(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().and(a, b)
    }
    pub fn or(&self, a: SymInt, b: SymInt) -> SymInt {
        self.lock().or(a, b)
    }
    pub fn not(&self, a: SymInt) -> SymInt {
        self.lock().not(a)
    }
    pub fn select(&self, condition: SymInt, then: SymInt, otherwise: SymInt) -> SymInt {
        self.lock().select(condition, then, otherwise)
    }
    pub fn add_const(&self, a: SymInt, value: i64) -> SymInt {
        let mut inner = self.lock();
        let c = inner.constant(value);
        inner.add(a, c)
    }
    pub fn mul_const(&self, a: SymInt, value: i64) -> SymInt {
        let mut inner = self.lock();
        let c = inner.constant(value);
        inner.mul(a, c)
    }
    pub fn sum(&self, terms: &[SymInt]) -> SymInt {
        self.lock().sum_all(terms)
    }
    pub fn product(&self, factors: &[SymInt]) -> SymInt {
        let mut inner = self.lock();
        let one = inner.constant(1);
        factors.iter().fold(one, |a, b| inner.mul(a, *b))
    }

    pub fn as_const(&self, a: SymInt) -> Option<i64> {
        match self.lock().nodes[a.0 as usize] {
            SymNode::Constant(v) => Some(v),
            _ => None,
        }
    }
    /// The symbol itself when the expression is nothing but one symbol.
    pub fn as_symbol(&self, a: SymInt) -> Option<SymbolId> {
        match self.lock().nodes[a.0 as usize] {
            SymNode::Symbol(id) => Some(id),
            _ => None,
        }
    }
    /// All as constants, or `None`.
    pub fn as_consts(&self, list: &[SymInt]) -> Option<Vec<i64>> {
        list.iter().map(|a| self.as_const(*a)).collect()
    }
    pub fn range(&self, a: SymInt) -> Range {
        self.lock().ranges[a.0 as usize]
    }
    /// Whether a constant beyond 32 bits stands in it: only then its constants alone may overflow.
    pub fn is_large(&self, a: SymInt) -> bool {
        self.lock().large[a.0 as usize]
    }
    /// Whether each sum and product of it lies within 64 bits as far as ranges are known: of symbols without a bound, and of
    /// what depends on them, nothing is.
    pub fn fits(&self, a: SymInt) -> bool {
        self.lock().fits(a)
    }
    /// How many nodes lie on the longest way down.
    pub fn depth(&self, a: SymInt) -> u32 {
        self.lock().depths[a.0 as usize]
    }
    /// How many symbols and numbers its text has where shared parts stand once for each use; `u32::MAX` for more.
    pub fn leaves(&self, a: SymInt) -> u32 {
        self.lock().leaves[a.0 as usize]
    }
    pub fn node(&self, a: SymInt) -> SymNode {
        self.lock().nodes[a.0 as usize].clone()
    }
    /// `Some(true)` or `Some(false)` where the 0/1 expression is the same for all values in range.
    pub fn decide(&self, condition: SymInt) -> Option<bool> {
        let range = self.range(condition);
        if range == Range::exactly(0) {
            Some(false)
        } else if range.min > 0 || range.max < 0 {
            Some(true)
        } else {
            None
        }
    }
    /// True when the two are equal for all values in range.
    pub fn known_eq(&self, a: SymInt, b: SymInt) -> bool {
        a == b || self.decide(self.eq(a, b)) == Some(true)
    }
    pub fn known_lt(&self, a: SymInt, b: SymInt) -> bool {
        self.decide(self.lt(a, b)) == Some(true) || self.least_gap(a, b) >= 1
    }
    pub fn known_le(&self, a: SymInt, b: SymInt) -> bool {
        self.decide(self.le(a, b)) == Some(true) || self.least_gap(a, b) >= 0
    }
    fn least_gap(&self, a: SymInt, b: SymInt) -> i64 {
        let mut inner = self.lock();
        let gap = inner.sub(b, a);
        inner.lower_by_factors(gap)
    }

    /// How many symbols were made.
    pub fn symbol_count(&self) -> usize {
        self.lock().symbols.len()
    }
    pub fn symbol_name(&self, id: SymbolId) -> String {
        self.lock().symbols[id.0 as usize].name.clone()
    }
    pub fn symbol_range(&self, id: SymbolId) -> Range {
        self.lock().symbols[id.0 as usize].range
    }
    /// A copy in which every handle stands for the same, with other typical values of some symbols.
    pub fn with_hints(&self, hints: &[(SymbolId, i64)]) -> SymArena {
        let mut inner = self.lock().clone();
        for (id, hint) in hints {
            inner.symbols[id.0 as usize].hint = Some(*hint);
            inner.hints.clear();
        }
        SymArena { inner: Mutex::new(inner) }
    }
    pub fn symbol_hint(&self, id: SymbolId) -> Option<i64> {
        self.lock().symbols[id.0 as usize].hint
    }
    pub fn symbol_kind(&self, id: SymbolId) -> SymbolKind {
        self.lock().symbols[id.0 as usize].kind
    }
    pub fn symbol_expr(&self, id: SymbolId) -> SymInt {
        self.lock().intern(SymNode::Symbol(id))
    }
    /// The symbols of an expression, each once, in order of first appearance.
    pub fn symbols(&self, a: SymInt) -> Vec<SymbolId> {
        let inner = self.lock();
        let (mut found, mut seen, mut stack) = (Vec::new(), HashSet::default(), vec![a]);
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            if let SymNode::Symbol(id) = inner.nodes[e.0 as usize] {
                found.push(id);
            }
            inner.nodes[e.0 as usize].operands().into_iter().rev().for_each(|c| stack.push(c));
        }
        found
    }
    pub fn depends_on(&self, a: SymInt, symbol: SymbolId) -> bool {
        let inner = self.lock();
        inner.interned.get(&SymNode::Symbol(symbol)).is_some_and(|atom| inner.contains(a, *atom))
    }
    /// The expression with each symbol of the map replaced.
    pub fn substitute(&self, a: SymInt, map: &HashMap<SymbolId, SymInt>) -> SymInt {
        if map.is_empty() {
            return a;
        }
        self.lock().substitute(a, map, &mut HashMap::default())
    }
    /// `(coefficient, rest)` with `a == coefficient * symbol + rest` and neither containing the symbol.
    pub fn linear_in(&self, a: SymInt, symbol: SymbolId) -> Option<(SymInt, SymInt)> {
        let mut inner = self.lock();
        let itself = inner.intern(SymNode::Symbol(symbol));
        inner.linear_in(a, itself)
    }
    /// [`Self::linear_in`] for any factor of a term, such as a quotient.
    pub fn linear_in_atom(&self, a: SymInt, atom: SymInt) -> Option<(SymInt, SymInt)> {
        self.lock().linear_in(a, atom)
    }
    /// The terms that are in no other term, and how many times each is added. For those that are atoms this is the coefficient
    /// of [`Self::linear_in_atom`].
    pub fn coefficients(&self, a: SymInt) -> Vec<(SymInt, i64)> {
        self.lock().coefficients(a)
    }
    /// The terms but the constant, and how many times each is added.
    pub fn terms_of(&self, a: SymInt) -> Vec<(SymInt, i64)> {
        self.lock().terms(a).0
    }
    /// The greatest number that divides the coefficients of all terms but the constant; 0 of a constant.
    pub fn content(&self, a: SymInt) -> i64 {
        self.lock().terms(a).0.into_iter().fold(0, |g, (_, c)| divide::gcd(g, c))
    }
    /// What the terms of a polynomial are products of: symbols, quotients, minima and the like, each once.
    pub fn atoms(&self, a: SymInt) -> Vec<SymInt> {
        let mut inner = self.lock();
        let (terms, _) = inner.terms(a);
        let (mut found, mut seen) = (Vec::new(), HashSet::default());
        for (term, _) in terms {
            found.extend(inner.factors(term).into_iter().filter(|factor| seen.insert(*factor)));
        }
        found
    }
    /// The value under the given values of symbols. The arena is locked meanwhile: `value` must not ask it anything.
    pub fn eval(&self, a: SymInt, value: &dyn Fn(SymbolId) -> Option<i64>) -> Result<i64, SymError> {
        let inner = self.lock();
        inner.eval(a, value, &mut HashMap::default())
    }
    /// A typical value for heuristics: hints where given, otherwise something within the range.
    pub fn hint(&self, a: SymInt) -> i64 {
        let mut inner = self.lock();
        let mut known = std::mem::take(&mut inner.hints);
        let guess = |id: SymbolId| {
            if inner.definitions.contains_key(&id) {
                return None;
            }
            let s = &inner.symbols[id.0 as usize];
            let size = match s.kind {
                SymbolKind::Index { size, .. } => inner.ranges[size.0 as usize].max.min(1024) / 2,
                _ => 64,
            };
            Some(s.hint.unwrap_or(size).clamp(s.range.min, s.range.max))
        };
        let hint = inner.eval(a, &guess, &mut known).unwrap_or(i64::MAX);
        inner.hints = known;
        hint
    }
    /// Python-like text, as messages and the text form show it.
    pub fn display(&self, a: SymInt) -> String {
        let inner = self.lock();
        let mut out = String::new();
        inner.write(a, &mut out, 0);
        out
    }
    /// [`SymArena::display`] for labels: a long expression is left out.
    pub fn label(&self, a: SymInt) -> String {
        const LONG: u32 = 64;
        let mut inner = self.lock();
        let is_long = inner.leaves[a.0 as usize] > LONG || inner.has_long_sum(a);
        drop(inner);
        if is_long { "…".into() } else { self.display(a) }
    }
    pub fn display_list(&self, list: &[SymInt]) -> String {
        let parts: Vec<String> = list.iter().map(|a| self.display(*a)).collect();
        format!("[{}]", parts.join(", "))
    }
}

impl Inner {
    fn add_symbol(&mut self, name: String, range: Range, hint: Option<i64>, kind: SymbolKind) -> SymbolId {
        self.symbols.push(SymbolData { name, range, hint, kind });
        SymbolId(self.symbols.len() as u32 - 1)
    }
}

/// Python's `//`; `None` for a zero divisor or an overflow.
pub(super) fn floor_div(a: i64, b: i64) -> Option<i64> {
    let q = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
}

/// Python's `%`; `None` for a zero divisor.
pub(super) fn floor_mod(a: i64, b: i64) -> Option<i64> {
    if b == -1 {
        return Some(0);
    }
    let r = a.checked_rem(b)?;
    Some(if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
}
