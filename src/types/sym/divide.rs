//! Quotients and remainders in canonical form: what divides exactly is divided term by term, common factors are
//! cancelled, and what is known to lie within the divisor vanishes.

use super::{Inner, SymInt, SymNode, floor_div, floor_mod};

impl Inner {
    /// `a == quotient * b + rest` with as many terms in the quotient as divide exactly.
    fn divide_terms(&mut self, a: SymInt, b: SymInt) -> Option<(SymInt, SymInt)> {
        let (terms, constant) = self.terms(a);
        let (mut quotient, mut rest) = (Vec::new(), Vec::new());
        let (divisor_terms, divisor_constant) = self.terms(b);
        let (q_constant, r_constant) = match divisor_terms.len() {
            0 => (floor_div(constant, divisor_constant)?, floor_mod(constant, divisor_constant)?),
            _ => (0, constant),
        };
        if divisor_terms.len() > 1 || (divisor_terms.len() == 1 && divisor_constant != 0) {
            // A sum as the divisor divides exactly only when it is the dividend itself.
            let zero = self.constant(0);
            let one = self.constant(1);
            return Some(if a == b { (one, zero) } else { (zero, a) });
        }
        for (t, c) in terms {
            match divisor_terms.first() {
                None => match whole(c, divisor_constant) {
                    Some(times) => quotient.push((t, times)),
                    None => rest.push((t, c)),
                },
                Some((d, dc)) => match (self.divide_product(t, *d), whole(c, *dc)) {
                    (Some(q), Some(times)) => match self.value(q) {
                        Some(v) => quotient.push((q, v.checked_mul(times)?)),
                        None => quotient.push((q, times)),
                    },
                    _ => rest.push((t, c)),
                },
            }
        }
        let mut constant_part = q_constant;
        let mut symbolic = Vec::new();
        for (t, c) in quotient {
            match self.value(t) {
                Some(_) => constant_part = constant_part.checked_add(c)?,
                None => symbolic.push((t, c)),
            }
        }
        let q = self.sum_of(symbolic, constant_part)?;
        let r = self.sum_of(rest, r_constant)?;
        Some((q, r))
    }

    /// `t / d` when every factor of the product `d` is a factor of `t`.
    pub(super) fn divide_product(&mut self, t: SymInt, d: SymInt) -> Option<SymInt> {
        let mut factors = self.factors(t);
        for f in self.factors(d) {
            let place = factors.iter().position(|x| *x == f)?;
            factors.remove(place);
        }
        Some(match factors.len() {
            0 => self.constant(1),
            1 => factors[0],
            _ => self.intern(SymNode::Mul(factors.into())),
        })
    }

    pub(super) fn floordiv(&mut self, a: SymInt, b: SymInt) -> SymInt {
        self.remembered(false, a, b, Self::simplified_floordiv)
    }

    fn remembered(
        &mut self,
        remainder: bool,
        a: SymInt,
        b: SymInt,
        simplify: fn(&mut Self, SymInt, SymInt) -> SymInt,
    ) -> SymInt {
        if let Some(found) = self.divisions.get(&(remainder, a, b)) {
            return *found;
        }
        let simplified = simplify(self, a, b);
        self.divisions.insert((remainder, a, b), simplified);
        simplified
    }

    fn simplified_floordiv(&mut self, a: SymInt, b: SymInt) -> SymInt {
        if self.value(b) == Some(1) {
            return a;
        }
        if self.value(b) == Some(0) {
            return self.intern(SymNode::FloorDiv(a, b));
        }
        if let (Some(x), Some(y)) = (self.value(a), self.value(b))
            && let Some(q) = floor_div(x, y)
        {
            return self.constant(q);
        }
        // Also where b may be 0: a loop variable below it is there only where it is not.
        if self.within(a, b) {
            return self.constant(0);
        }
        if self.range_of(b).min >= 1
            && let Some((q, r)) = self.divide_terms(a, b)
        {
            let zero = self.constant(0);
            if r == zero || self.within(r, b) {
                return q;
            }
            if q != zero {
                let inner = self.floordiv(r, b);
                return self.add(q, inner);
            }
            if let SymNode::FloorDiv(x, y) = self.nodes[a.0 as usize]
                && self.range_of(y).min >= 1
            {
                let product = self.mul(y, b);
                return self.floordiv(x, product);
            }
            if let Some((x, y)) = self.reduce_fraction(a, b) {
                return self.floordiv(x, y);
            }
            // `(g*q + r) // (g*h) == q // h` for `0 <= r < g`.
            if let Some((_, q, _, h)) = self.split_by_common_factor(a, b) {
                return self.floordiv(q, h);
            }
        }
        let quotient = self.intern(SymNode::FloorDiv(a, b));
        let range = self.range_of(quotient);
        if range.min == range.max { self.constant(range.min) } else { quotient }
    }

    /// Long division of polynomials; `None` when a remainder is left.
    pub(super) fn divide_exact(&mut self, a: SymInt, b: SymInt) -> Option<SymInt> {
        let leading = |this: &mut Inner, x: SymInt| -> Option<(SymInt, i64)> {
            let (terms, constant) = this.terms(x);
            let degree = |t: &(SymInt, i64)| (this.factors(t.0).len(), t.0);
            match terms.into_iter().max_by_key(degree) {
                Some(t) => Some(t),
                None => (constant != 0).then_some((this.constant(1), constant)),
            }
        };
        let (divisor, divisor_coefficient) = leading(self, b)?;
        let (mut rest, mut quotient) = (a, self.constant(0));
        for _ in 0..32 {
            let Some((term, coefficient)) = leading(self, rest) else { return Some(quotient) };
            let times = whole(coefficient, divisor_coefficient)?;
            let q = if self.value(divisor) == Some(1) { term } else { self.divide_product(term, divisor)? };
            let c = self.constant(times);
            let q = self.mul(q, c);
            quotient = self.add(quotient, q);
            let taken = self.mul(q, b);
            rest = self.sub(rest, taken);
        }
        None
    }

    /// `(g, q, r, h)` with `a == g*q + r`, `b == g*h`, `0 <= r < g`, where g is what some term of `a` and `b` have in
    /// common and `g` is neither 1 nor `b`.
    fn split_by_common_factor(&mut self, a: SymInt, b: SymInt) -> Option<(SymInt, SymInt, SymInt, SymInt)> {
        let (terms, _) = self.terms(a);
        let (of_b, rest_of_b) = self.terms(b);
        let (symbolic, constant) = match of_b[..] {
            [] => (Vec::new(), rest_of_b),
            [(t, c)] if rest_of_b == 0 => (self.factors(t), c),
            _ => return None,
        };
        for (t, c) in terms {
            let (mut shared, mut own) = (Vec::new(), self.factors(t));
            for f in &symbolic {
                if let Some(k) = own.iter().position(|x| x == f) {
                    own.remove(k);
                    shared.push(*f);
                }
            }
            let mut g = self.constant(gcd(c, constant));
            for f in shared {
                g = self.mul(g, f);
            }
            if self.value(g) == Some(1) || g == b || self.range_of(g).min < 1 {
                continue;
            }
            let zero = self.constant(0);
            let (h, left) = self.divide_terms(b, g)?;
            let (q, r) = self.divide_terms(a, g)?;
            if left == zero && q != zero && self.range_of(h).min >= 1 && self.within(r, g) {
                return Some((g, q, r, h));
            }
        }
        None
    }

    /// A common constant factor taken out of both sides of a division.
    fn reduce_fraction(&mut self, a: SymInt, b: SymInt) -> Option<(SymInt, SymInt)> {
        let divisor = self.value(b)?;
        let (terms, constant) = self.terms(a);
        let g = terms.iter().fold(gcd(divisor, constant), |g, t| gcd(g, t.1));
        if g <= 1 {
            return None;
        }
        let scaled = terms.into_iter().map(|(t, c)| (t, c / g)).collect();
        let x = self.sum_of(scaled, constant / g)?;
        Some((x, self.constant(divisor / g)))
    }

    pub(super) fn modulo(&mut self, a: SymInt, b: SymInt) -> SymInt {
        self.remembered(true, a, b, Self::simplified_modulo)
    }

    fn simplified_modulo(&mut self, a: SymInt, b: SymInt) -> SymInt {
        if let (Some(x), Some(y)) = (self.value(a), self.value(b))
            && let Some(r) = floor_mod(x, y)
        {
            return self.constant(r);
        }
        if self.within(a, b) {
            return a;
        }
        if self.range_of(b).min >= 1
            && let Some((q, r)) = self.divide_terms(a, b)
        {
            let zero = self.constant(0);
            if r == zero || self.within(r, b) {
                return r;
            }
            if q != zero {
                return self.modulo(r, b);
            }
            // `(g*q + r) % (g*h) == g*(q % h) + r` for `0 <= r < g`.
            if let Some((g, q, r, h)) = self.split_by_common_factor(a, b) {
                let reduced = self.modulo(q, h);
                let scaled = self.mul(g, reduced);
                return self.add(scaled, r);
            }
            if let Some(whole) = self.without_remainders(a, b) {
                return self.modulo(whole, b);
            }
        }
        self.intern(SymNode::Mod(a, b))
    }

    /// `(c*(x % y) + r) % b == (c*x + r) % b` if `y` is a multiple of `b`: gives `c*x + r`, with all such terms of `a` replaced.
    /// This merges a chain of rotations into one.
    fn without_remainders(&mut self, a: SymInt, b: SymInt) -> Option<SymInt> {
        let (terms, constant) = self.terms(a);
        let (zero, mut found) = (self.constant(0), false);
        let mut sum = self.constant(constant);
        for (t, c) in terms {
            let mut term = t;
            if let SymNode::Mod(x, y) = self.nodes[t.0 as usize]
                && self.range_of(y).min >= 1
                && self.divide_terms(y, b).is_some_and(|(_, left)| left == zero)
            {
                (term, found) = (x, true);
            }
            let c = self.constant(c);
            let scaled = self.mul(term, c);
            sum = self.add(sum, scaled);
        }
        found.then_some(sum)
    }

    /// `0 <= r < b` for all values in range.
    fn within(&mut self, r: SymInt, b: SymInt) -> bool {
        self.range_of(r).min >= 0 && {
            let gap = self.sub(b, r);
            self.range_of(gap).min >= 1 || self.lower_by_indices(gap) >= 1
        }
    }
}

/// `a / b` where it leaves nothing and does not overflow.
fn whole(a: i64, b: i64) -> Option<i64> {
    (a.checked_rem(b)? == 0).then(|| a / b)
}

/// The greatest common divisor; one of 0 and a number is the number.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}
