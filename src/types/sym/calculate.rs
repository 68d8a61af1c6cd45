//! Calculations on symbolic numbers that polynomials of integers do not cover: floats, and powers with a symbolic
//! exponent.
//!
//! A float is held as the bits of a float64 in a symbolic integer. The result of each calculation is a symbol of its
//! own, the same one for the same operands, so that index expressions never look inside; [`SymArena::definition`]
//! says how its value is found.
//!
//! Invariants: what gives an integer or a truth has a range that holds; arithmetic is float64's, rounded once.

use super::{Inner, Range, SymArena, SymInt, SymNode, SymbolId, SymbolKind};

/// One calculation; the numbers are those of the plan's bytes. Operands are floats but where it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Calculation {
    /// Of an integer.
    Float = 0,
    Add = 1,
    Sub = 2,
    Mul = 3,
    /// A zero divisor has no quotient.
    Div = 4,
    /// Python's `//` and `%` of floats; a zero divisor has none.
    FloorDiv = 5,
    Mod = 6,
    Pow = 7,
    Min = 8,
    Max = 9,
    Abs = 10,
    /// Of a negative number there is none.
    Sqrt = 11,
    Exp = 12,
    /// Of zero and negative numbers there is none.
    Log = 13,
    Log2 = 14,
    Sin = 15,
    Cos = 16,
    Tan = 17,
    Asin = 18,
    Acos = 19,
    Atan = 20,
    Sinh = 21,
    Cosh = 22,
    Tanh = 23,
    /// A truth, and two floats.
    Select = 24,
    /// These give integers; what does not fit 64 bits has none.
    Trunc = 25,
    Floor = 26,
    Ceil = 27,
    /// Half to even.
    Round = 28,
    /// These give truths.
    Eq = 29,
    Lt = 30,
    Le = 31,
    /// Of two integers, the exponent not negative.
    IntPow = 32,
    /// An integer itself, as a symbol of its own: the number of a block of random words, or a long sum (`lengths`). Kernels that
    /// differ in it alone are the same.
    Itself = 33,
}

use Calculation::*;

impl Calculation {
    pub const ALL: [Calculation; 34] = [
        Float, Add, Sub, Mul, Div, FloorDiv, Mod, Pow, Min, Max, Abs, Sqrt, Exp, Log, Log2, Sin, Cos, Tan,
        Asin, Acos, Atan, Sinh, Cosh, Tanh, Select, Trunc, Floor, Ceil, Round, Eq, Lt, Le, IntPow, Itself,
    ];
    pub fn from_number(number: u32) -> Option<Calculation> {
        Self::ALL.get(number as usize).copied()
    }
    /// As the text form writes it.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 34] = [
            "float",
            "fadd",
            "fsub",
            "fmul",
            "fdiv",
            "ffloordiv",
            "fmod",
            "fpow",
            "fmin",
            "fmax",
            "fabs",
            "fsqrt",
            "fexp",
            "flog",
            "flog2",
            "fsin",
            "fcos",
            "ftan",
            "fasin",
            "facos",
            "fatan",
            "fsinh",
            "fcosh",
            "ftanh",
            "fselect",
            "ftrunc",
            "ffloor",
            "fceil",
            "fround",
            "feq",
            "flt",
            "fle",
            "ipow",
            "itself",
        ];
        NAMES[self as usize]
    }
    pub fn from_name(name: &str) -> Option<Calculation> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }
    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self {
            Add | Sub | Mul | Div | FloorDiv | Mod | Pow | Min | Max | Eq | Lt | Le | IntPow => 2,
            Select => 3,
            _ => 1,
        }
    }
    /// Whether operand `k` is a float.
    pub fn takes_float(self, k: usize) -> bool {
        !(matches!(self, Float | IntPow | Itself) || self == Select && k == 0)
    }
    pub fn gives_float(self) -> bool {
        !matches!(self, Trunc | Floor | Ceil | Round | Eq | Lt | Le | IntPow | Itself)
    }

    /// The value of the calculation; `None` where there is none.
    pub fn evaluate(self, operands: &[i64]) -> Option<i64> {
        let x = |k: usize| f64::from_bits(operands[k] as u64);
        let give = |v: f64| Some(v.to_bits() as i64);
        let whole = |v: f64| (-9223372036854775808.0..9223372036854775808.0).contains(&v).then_some(v as i64);
        match self {
            Float => give(operands[0] as f64),
            Add => give(x(0) + x(1)),
            Sub => give(x(0) - x(1)),
            Mul => give(x(0) * x(1)),
            Div if x(1) == 0.0 => None,
            Div => give(x(0) / x(1)),
            FloorDiv if x(1) == 0.0 => None,
            FloorDiv => give((x(0) - modulo(x(0), x(1))) / x(1)).map(round_quotient),
            Mod if x(1) == 0.0 => None,
            Mod => give(modulo(x(0), x(1))),
            Pow => give(x(0).powf(x(1))),
            Min => give(if x(1) < x(0) { x(1) } else { x(0) }),
            Max => give(if x(1) > x(0) { x(1) } else { x(0) }),
            Abs => give(x(0).abs()),
            Sqrt if x(0) < 0.0 => None,
            Sqrt => give(x(0).sqrt()),
            Exp => give(x(0).exp()),
            Log | Log2 if x(0) <= 0.0 => None,
            Log => give(x(0).ln()),
            Log2 => give(x(0).log2()),
            Sin => give(x(0).sin()),
            Cos => give(x(0).cos()),
            Tan => give(x(0).tan()),
            Asin => give(x(0).asin()),
            Acos => give(x(0).acos()),
            Atan => give(x(0).atan()),
            Sinh => give(x(0).sinh()),
            Cosh => give(x(0).cosh()),
            Tanh => give(x(0).tanh()),
            Select => Some(if operands[0] != 0 { operands[1] } else { operands[2] }),
            Trunc => whole(x(0).trunc()),
            Floor => whole(x(0).floor()),
            Ceil => whole(x(0).ceil()),
            Round => whole(x(0).round_ties_even()),
            Eq => Some((x(0) == x(1)) as i64),
            Lt => Some((x(0) < x(1)) as i64),
            Le => Some((x(0) <= x(1)) as i64),
            IntPow => operands[0].checked_pow(u32::try_from(operands[1]).ok()?),
            Itself => Some(operands[0]),
        }
    }

    /// An interval of the results for intervals of the operands (of their numbers, whatever their kind).
    fn interval(self, of: &[(f64, f64)]) -> (f64, f64) {
        const ALL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
        let sane = |(a, b): (f64, f64)| if a.is_nan() || b.is_nan() { ALL } else { (a, b) };
        let rising = |f: fn(f64) -> f64| sane((f(of[0].0), f(of[0].1)));
        let corners = |f: &dyn Fn(f64, f64) -> f64| {
            let (a, b) = (of[0], of[1]);
            let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
            if all.iter().any(|v| v.is_nan()) {
                return ALL;
            }
            (
                all.iter().copied().fold(f64::INFINITY, f64::min),
                all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            )
        };
        match self {
            Float => of[0],
            Add => sane((of[0].0 + of[1].0, of[0].1 + of[1].1)),
            Sub => sane((of[0].0 - of[1].1, of[0].1 - of[1].0)),
            Mul => corners(&|a, b| if a == 0.0 || b == 0.0 { 0.0 } else { a * b }),
            Div if of[1].0 > 0.0 => corners(&|a, b| if a == 0.0 { 0.0 } else { a / b }),
            Pow if of[0].0 >= 1.0 && of[1].0 >= 0.0 => corners(&f64::powf),
            Pow if of[0].0 >= 0.0 => (0.0, f64::INFINITY),
            Min => (of[0].0.min(of[1].0), of[0].1.min(of[1].1)),
            Max => (of[0].0.max(of[1].0), of[0].1.max(of[1].1)),
            Abs if of[0].0 >= 0.0 => of[0],
            Abs => (0.0, of[0].0.abs().max(of[0].1.abs())),
            Sqrt => sane((of[0].0.max(0.0).sqrt(), of[0].1.max(0.0).sqrt())),
            Exp => (0.0, of[0].1.exp()),
            Log if of[0].0 > 0.0 => widened(rising(f64::ln)),
            Log2 if of[0].0 > 0.0 => widened(rising(f64::log2)),
            Sin | Cos | Tanh => (-1.0, 1.0),
            Select => (of[1].0.min(of[2].0), of[1].1.max(of[2].1)),
            Trunc => rising(f64::trunc),
            Floor => rising(f64::floor),
            Ceil => rising(f64::ceil),
            Round => rising(f64::round_ties_even),
            Eq | Lt | Le => (0.0, 1.0),
            Itself => of[0],
            IntPow if of[0].0 >= 1.0 => (1.0, f64::INFINITY),
            IntPow if of[0].0 >= 0.0 => (0.0, f64::INFINITY),
            _ => ALL,
        }
    }
}

/// Room for another library's last digit.
fn widened((a, b): (f64, f64)) -> (f64, f64) {
    (a - a.abs() * 1e-12, b + b.abs() * 1e-12)
}

/// Python's `%`: the result has the divisor's sign.
fn modulo(a: f64, b: f64) -> f64 {
    let r = a % b;
    if r == 0.0 {
        0f64.copysign(b)
    } else if (r < 0.0) != (b < 0.0) {
        r + b
    } else {
        r
    }
}

/// The quotient that Python's `//` gives: a whole number, whichever way the division was rounded.
fn round_quotient(bits: i64) -> i64 {
    let v = f64::from_bits(bits as u64);
    let down = v.floor();
    (if v - down > 0.5 { down + 1.0 } else { down }).to_bits() as i64
}

impl SymArena {
    /// The result of a calculation; known where its operands are.
    pub fn calculate(&self, calculation: Calculation, operands: &[SymInt]) -> SymInt {
        self.lock().calculate(calculation, operands)
    }
    /// The bits of a float as a constant.
    pub fn float_constant(&self, value: f64) -> SymInt {
        self.constant(value.to_bits() as i64)
    }
    /// How a symbol's value is found, where it is the result of a calculation.
    pub fn definition(&self, symbol: SymbolId) -> Option<(Calculation, Vec<SymInt>)> {
        self.lock().definitions.get(&symbol).cloned()
    }
    /// The symbols that a value depends on, through calculations too; results of calculations are not among them.
    pub fn sources(&self, a: SymInt) -> Vec<SymbolId> {
        let inner = self.lock();
        let (mut found, mut seen, mut stack) = (Vec::new(), crate::base::HashSet::default(), vec![a]);
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            if let SymNode::Symbol(id) = inner.nodes[e.0 as usize] {
                match inner.definitions.get(&id) {
                    Some((_, operands)) => stack.extend(operands.iter().rev()),
                    None => found.push(id),
                }
            }
            inner.nodes[e.0 as usize].operands().into_iter().rev().for_each(|c| stack.push(c));
        }
        found
    }
}

impl Inner {
    pub(super) fn calculate(&mut self, calculation: Calculation, operands: &[SymInt]) -> SymInt {
        let known: Option<Vec<i64>> = operands
            .iter()
            .map(|o| match self.nodes[o.0 as usize] {
                SymNode::Constant(v) => Some(v),
                _ => None,
            })
            .collect();
        if let Some(value) = known.and_then(|k| calculation.evaluate(&k)) {
            return self.constant(value);
        }
        let key = (calculation, operands.to_vec());
        if let Some(id) = self.calculations.get(&key) {
            let id = *id;
            return self.intern(SymNode::Symbol(id));
        }
        let intervals: Vec<(f64, f64)> =
            operands.iter().enumerate().map(|(k, o)| self.interval(*o, calculation.takes_float(k))).collect();
        let (min, max) = calculation.interval(&intervals);
        let range = if calculation == Itself {
            self.ranges[operands[0].0 as usize]
        } else if calculation.gives_float() {
            Range::new(i64::MIN, i64::MAX)
        } else {
            // The conversions saturate; what lies beyond has no value.
            Range::new(min as i64, max as i64)
        };
        let id = self.add_symbol(calculation.name().to_string(), range, None, SymbolKind::Free);
        if calculation.gives_float() {
            self.float_intervals.insert(id, (min, max));
        }
        self.calculations.insert(key.clone(), id);
        self.definitions.insert(id, key);
        self.intern(SymNode::Symbol(id))
    }

    fn interval(&self, a: SymInt, is_float: bool) -> (f64, f64) {
        if !is_float {
            let r = self.ranges[a.0 as usize];
            let min = if r.min == i64::MIN { f64::NEG_INFINITY } else { r.min as f64 };
            return (min, if r.max == i64::MAX { f64::INFINITY } else { r.max as f64 });
        }
        match self.nodes[a.0 as usize] {
            SymNode::Constant(v) if !f64::from_bits(v as u64).is_nan() => {
                (f64::from_bits(v as u64), f64::from_bits(v as u64))
            }
            SymNode::Symbol(id) => {
                self.float_intervals.get(&id).copied().unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
            }
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// A float as text.
    pub(super) fn write_float(&self, a: SymInt, out: &mut String) {
        match self.nodes[a.0 as usize] {
            SymNode::Constant(v) => out.push_str(&float_text(f64::from_bits(v as u64))),
            SymNode::Symbol(id) if self.definitions.contains_key(&id) => self.write(a, out, 0),
            _ => {
                out.push_str("as_float(");
                self.write(a, out, 0);
                out.push(')');
            }
        }
    }
    pub(super) fn write_calculation(&self, calculation: Calculation, operands: &[SymInt], out: &mut String) {
        out.push_str(calculation.name());
        out.push('(');
        for (k, o) in operands.iter().enumerate() {
            if k > 0 {
                out.push_str(", ");
            }
            if calculation.takes_float(k) {
                self.write_float(*o, out);
            } else {
                self.write(*o, out, 0);
            }
        }
        out.push(')');
    }
}

/// A float as the text form writes it: exact, and never taken for an integer.
pub fn float_text(v: f64) -> String {
    if v.is_nan() { "nan".to_string() } else { format!("{v:?}") }
}
