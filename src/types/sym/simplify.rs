//! The canonical form of symbolic integers: how each operation is folded, ordered and bounded.

use super::{Inner, Range, SymInt, SymNode, SymbolId, SymbolKind, floor_div, floor_mod};
use rustc_hash::FxHashMap;

impl Inner {
    pub(super) fn intern(&mut self, node: SymNode) -> SymInt {
        if let Some(done) = self.interned.get(&node) {
            return *done;
        }
        let range = self.bound(&node);
        let handle = SymInt(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ranges.push(range);
        let depth = node.operands().iter().map(|o| self.depths[o.0 as usize]).max().unwrap_or(0) + 1;
        self.depths.push(depth);
        self.interned.insert(node, handle);
        handle
    }

    pub(super) fn constant(&mut self, value: i64) -> SymInt {
        self.intern(SymNode::Constant(value))
    }
    fn value(&self, a: SymInt) -> Option<i64> {
        match self.nodes[a.0 as usize] {
            SymNode::Constant(v) => Some(v),
            _ => None,
        }
    }
    fn range_of(&self, a: SymInt) -> Range {
        self.ranges[a.0 as usize]
    }

    /// The expression as `coefficient * term` pairs plus a constant; terms carry no constant factor.
    fn terms(&mut self, a: SymInt) -> (Vec<(SymInt, i64)>, i64) {
        match self.nodes[a.0 as usize].clone() {
            SymNode::Constant(v) => (Vec::new(), v),
            SymNode::Add(list) => {
                let (mut terms, mut constant) = (Vec::with_capacity(list.len()), 0);
                for t in list.iter() {
                    match self.value(*t) {
                        Some(v) => constant = v,
                        None => terms.push(self.split_coefficient(*t)),
                    }
                }
                (terms, constant)
            }
            _ => (vec![self.split_coefficient(a)], 0),
        }
    }

    fn split_coefficient(&mut self, t: SymInt) -> (SymInt, i64) {
        if let SymNode::Mul(list) = &self.nodes[t.0 as usize]
            && let SymNode::Constant(c) = self.nodes[list[0].0 as usize]
        {
            let rest: Box<[SymInt]> = list[1..].into();
            let term = if rest.len() == 1 { rest[0] } else { self.intern(SymNode::Mul(rest)) };
            return (term, c);
        }
        (t, 1)
    }

    /// Builds the sum of the pairs; the pairs may repeat terms.
    fn sum_of(&mut self, mut terms: Vec<(SymInt, i64)>, constant: i64) -> Option<SymInt> {
        terms.sort_by_key(|t| t.0);
        let mut merged: Vec<(SymInt, i64)> = Vec::with_capacity(terms.len());
        for (t, c) in terms {
            match merged.last_mut() {
                Some(last) if last.0 == t => last.1 = last.1.checked_add(c)?,
                _ => merged.push((t, c)),
            }
        }
        merged.retain(|t| t.1 != 0);
        if let Some(joined) = self.join_division(&merged) {
            return self.sum_of(joined, constant);
        }
        let mut list: Vec<SymInt> = Vec::with_capacity(merged.len() + 1);
        for (t, c) in merged {
            list.push(self.scaled(t, c));
        }
        if constant != 0 || list.is_empty() {
            list.push(self.constant(constant));
        }
        if list.len() == 1 {
            return Some(list[0]);
        }
        list.sort();
        Some(self.intern(SymNode::Add(list.into())))
    }

    /// `b*(x // b) + x % b == x`, which undoing a reshape produces.
    fn join_division(&mut self, terms: &[(SymInt, i64)]) -> Option<Vec<(SymInt, i64)>> {
        for (k, (t, c)) in terms.iter().enumerate() {
            let SymNode::Mod(x, b) = self.nodes[t.0 as usize] else { continue };
            let quotient = self.floordiv(x, b);
            let scaled = self.mul(quotient, b);
            let (wanted, constant) = self.terms(scaled);
            if constant != 0 || wanted.is_empty() {
                continue;
            }
            let all = wanted.iter().all(|(w, wc)| {
                wc.checked_mul(*c).is_some_and(|n| terms.iter().any(|(t, tc)| t == w && *tc == n))
            });
            if all {
                let (xs, xc) = self.terms(x);
                if xc != 0 {
                    continue;
                }
                let mut rest: Vec<_> = terms
                    .iter()
                    .enumerate()
                    .filter(|(j, (t, _))| *j != k && !wanted.iter().any(|(w, _)| w == t))
                    .map(|(_, t)| *t)
                    .collect();
                for (t, tc) in xs {
                    rest.push((t, tc.checked_mul(*c)?));
                }
                return Some(rest);
            }
        }
        None
    }

    fn scaled(&mut self, term: SymInt, coefficient: i64) -> SymInt {
        if coefficient == 1 {
            return term;
        }
        let c = self.constant(coefficient);
        let mut list = vec![c];
        match &self.nodes[term.0 as usize] {
            SymNode::Mul(factors) => list.extend(factors.iter()),
            _ => list.push(term),
        }
        self.intern(SymNode::Mul(list.into()))
    }

    pub(super) fn add(&mut self, a: SymInt, b: SymInt) -> SymInt {
        let (mut terms, ca) = self.terms(a);
        let (more, cb) = self.terms(b);
        terms.extend(more);
        match ca.checked_add(cb).and_then(|c| self.sum_of(terms, c)) {
            Some(sum) => sum,
            None => self.intern(SymNode::Add(sorted([a, b]))),
        }
    }

    pub(super) fn sub(&mut self, a: SymInt, b: SymInt) -> SymInt {
        let minus_one = self.constant(-1);
        let negated = self.mul(b, minus_one);
        self.add(a, negated)
    }

    pub(super) fn mul(&mut self, a: SymInt, b: SymInt) -> SymInt {
        let (ta, ca) = self.terms(a);
        let (tb, cb) = self.terms(b);
        match self.expand(&ta, ca, &tb, cb) {
            Some(product) => product,
            None => self.intern(SymNode::Mul(sorted([a, b]))),
        }
    }

    fn expand(&mut self, ta: &[(SymInt, i64)], ca: i64, tb: &[(SymInt, i64)], cb: i64) -> Option<SymInt> {
        let mut terms = Vec::with_capacity((ta.len() + 1) * (tb.len() + 1));
        for (x, cx) in ta {
            for (y, cy) in tb {
                let mut factors = self.factors(*x);
                factors.extend(self.factors(*y));
                factors.sort();
                terms.push((self.intern(SymNode::Mul(factors.into())), cx.checked_mul(*cy)?));
            }
            terms.push((*x, cx.checked_mul(cb)?));
        }
        for (y, cy) in tb {
            terms.push((*y, cy.checked_mul(ca)?));
        }
        self.sum_of(terms, ca.checked_mul(cb)?)
    }

    fn factors(&self, a: SymInt) -> Vec<SymInt> {
        match &self.nodes[a.0 as usize] {
            SymNode::Mul(list) => list.to_vec(),
            _ => vec![a],
        }
    }

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
                None if c % divisor_constant == 0 => quotient.push((t, c / divisor_constant)),
                None => rest.push((t, c)),
                Some((d, dc)) => match self.divide_product(t, *d) {
                    Some(q) if c % dc == 0 => match self.value(q) {
                        Some(v) => quotient.push((q, v.checked_mul(c / dc)?)),
                        None => quotient.push((q, c / dc)),
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
    fn divide_product(&mut self, t: SymInt, d: SymInt) -> Option<SymInt> {
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
        self.intern(SymNode::FloorDiv(a, b))
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
            if coefficient % divisor_coefficient != 0 {
                return None;
            }
            let q = if self.value(divisor) == Some(1) { term } else { self.divide_product(term, divisor)? };
            let c = self.constant(coefficient / divisor_coefficient);
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
            if let SymNode::Mod(x, y) = self.nodes[a.0 as usize]
                && let Some((_, left)) = self.divide_terms(y, b)
                && left == zero
                && self.range_of(y).min >= 1
            {
                return self.modulo(x, b);
            }
        }
        self.intern(SymNode::Mod(a, b))
    }

    /// `0 <= r < b` for all values in range.
    fn within(&mut self, r: SymInt, b: SymInt) -> bool {
        self.range_of(r).min >= 0 && {
            let gap = self.sub(b, r);
            self.range_of(gap).min >= 1 || self.lower_by_indices(gap) >= 1
        }
    }

    /// A lower bound that knows `index <= size - 1` symbolically: every loop variable that only lowers the
    /// expression is replaced by its last value.
    fn lower_by_indices(&mut self, a: SymInt) -> i64 {
        let (terms, _) = self.terms(a);
        let mut map = FxHashMap::default();
        for (t, c) in &terms {
            for f in self.factors(*t) {
                let SymNode::Symbol(id) = self.nodes[f.0 as usize] else { continue };
                let SymbolKind::Index { size, .. } = self.symbols[id.0 as usize].kind else { continue };
                if *c < 0 && self.factors(*t).iter().all(|g| self.range_of(*g).min >= 0) {
                    let one = self.constant(1);
                    let last = self.sub(size, one);
                    map.insert(id, last);
                }
            }
        }
        if map.is_empty() {
            return self.range_of(a).min;
        }
        // A variable that also raises the expression elsewhere must not be replaced.
        for (t, c) in &terms {
            if *c > 0 {
                for f in self.factors(*t) {
                    if let SymNode::Symbol(id) = self.nodes[f.0 as usize] {
                        map.remove(&id);
                    }
                }
            }
        }
        let replaced = self.substitute(a, &map, &mut FxHashMap::default());
        self.range_of(replaced).min
    }

    pub(super) fn min(&mut self, a: SymInt, b: SymInt) -> SymInt {
        match self.order(a, b) {
            Some(true) => a,
            Some(false) => b,
            None => {
                let (a, b) = if a < b { (a, b) } else { (b, a) };
                self.intern(SymNode::Min(a, b))
            }
        }
    }
    pub(super) fn max(&mut self, a: SymInt, b: SymInt) -> SymInt {
        match self.order(a, b) {
            Some(true) => b,
            Some(false) => a,
            None => {
                let (a, b) = if a < b { (a, b) } else { (b, a) };
                self.intern(SymNode::Max(a, b))
            }
        }
    }

    /// `Some(true)`: `a <= b` always; `Some(false)`: `a >= b` always.
    fn order(&mut self, a: SymInt, b: SymInt) -> Option<bool> {
        let gap = self.sub(b, a);
        let range = self.range_of(gap);
        if range.min >= 0 || self.lower_by_indices(gap) >= 0 {
            return Some(true);
        }
        let back = self.sub(a, b);
        (range.max <= 0 || self.lower_by_indices(back) >= 0).then_some(false)
    }

    pub(super) fn eq(&mut self, a: SymInt, b: SymInt) -> SymInt {
        let gap = self.sub(a, b);
        let range = self.range_of(gap);
        if let Some(v) = self.value(gap) {
            return self.constant((v == 0) as i64);
        }
        if !range.contains(0) {
            return self.constant(0);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.intern(SymNode::Eq(a, b))
    }
    pub(super) fn lt(&mut self, a: SymInt, b: SymInt) -> SymInt {
        let gap = self.sub(b, a);
        if self.range_of(gap).min >= 1 || self.lower_by_indices(gap) >= 1 {
            return self.constant(1);
        }
        let back = self.sub(a, b);
        if self.range_of(gap).max <= 0 || self.lower_by_indices(back) >= 0 {
            return self.constant(0);
        }
        self.intern(SymNode::Lt(a, b))
    }
    pub(super) fn le(&mut self, a: SymInt, b: SymInt) -> SymInt {
        let gap = self.sub(b, a);
        if self.range_of(gap).min >= 0 || self.lower_by_indices(gap) >= 0 {
            return self.constant(1);
        }
        let back = self.sub(a, b);
        if self.range_of(gap).max < 0 || self.lower_by_indices(back) >= 1 {
            return self.constant(0);
        }
        self.intern(SymNode::Le(a, b))
    }
    pub(super) fn and(&mut self, a: SymInt, b: SymInt) -> SymInt {
        match (self.truth(a), self.truth(b)) {
            (Some(false), _) | (_, Some(false)) => self.constant(0),
            (Some(true), Some(true)) => self.constant(1),
            (Some(true), _) => self.as_truth(b),
            (_, Some(true)) => self.as_truth(a),
            _ if a == b => self.as_truth(a),
            _ => self.intern(SymNode::And(a.min(b), a.max(b))),
        }
    }
    pub(super) fn or(&mut self, a: SymInt, b: SymInt) -> SymInt {
        match (self.truth(a), self.truth(b)) {
            (Some(true), _) | (_, Some(true)) => self.constant(1),
            (Some(false), Some(false)) => self.constant(0),
            (Some(false), _) => self.as_truth(b),
            (_, Some(false)) => self.as_truth(a),
            _ if a == b => self.as_truth(a),
            _ => self.intern(SymNode::Or(a.min(b), a.max(b))),
        }
    }
    pub(super) fn not(&mut self, a: SymInt) -> SymInt {
        match (self.truth(a), &self.nodes[a.0 as usize]) {
            (Some(t), _) => self.constant(!t as i64),
            (None, SymNode::Not(x)) => {
                let x = *x;
                self.as_truth(x)
            }
            (None, SymNode::Lt(x, y)) => {
                let (x, y) = (*x, *y);
                self.le(y, x)
            }
            (None, SymNode::Le(x, y)) => {
                let (x, y) = (*x, *y);
                self.lt(y, x)
            }
            _ => self.intern(SymNode::Not(a)),
        }
    }
    pub(super) fn select(&mut self, condition: SymInt, then: SymInt, otherwise: SymInt) -> SymInt {
        match self.truth(condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None if then == otherwise => then,
            None => self.intern(SymNode::Select(condition, then, otherwise)),
        }
    }
    fn truth(&self, a: SymInt) -> Option<bool> {
        let r = self.range_of(a);
        if r == Range::exactly(0) { Some(false) } else { (!r.contains(0)).then_some(true) }
    }
    /// The expression as 0 or 1.
    fn as_truth(&mut self, a: SymInt) -> SymInt {
        let r = self.range_of(a);
        if r.min >= 0 && r.max <= 1 {
            return a;
        }
        let zero = self.constant(0);
        let e = self.eq(a, zero);
        self.not(e)
    }

    pub(super) fn linear_in(&mut self, a: SymInt, symbol: SymbolId) -> Option<(SymInt, SymInt)> {
        let itself = self.intern(SymNode::Symbol(symbol));
        let (terms, constant) = self.terms(a);
        let (mut coefficient, mut rest) = (Vec::new(), Vec::new());
        for (t, c) in terms {
            if !self.contains(t, symbol) {
                rest.push((t, c));
                continue;
            }
            let q = self.divide_product(t, itself)?;
            if self.contains(q, symbol) {
                return None;
            }
            coefficient.push((q, c));
        }
        let mut sum = self.constant(0);
        for (q, c) in coefficient {
            let c = self.constant(c);
            let t = self.mul(q, c);
            sum = self.add(sum, t);
        }
        Some((sum, self.sum_of(rest, constant)?))
    }

    fn contains(&self, a: SymInt, symbol: SymbolId) -> bool {
        let mut stack = vec![a];
        while let Some(e) = stack.pop() {
            if self.nodes[e.0 as usize] == SymNode::Symbol(symbol) {
                return true;
            }
            stack.extend(self.children(e));
        }
        false
    }

    fn bound(&self, node: &SymNode) -> Range {
        use SymNode::*;
        let r = |a: &SymInt| self.ranges[a.0 as usize];
        match node {
            Constant(v) => Range::exactly(*v),
            Symbol(id) => self.symbols[id.0 as usize].range,
            Add(list) => list
                .iter()
                .map(r)
                .fold(Range::exactly(0), |a, b| clamp((low(a.min) + low(b.min), high(a.max) + high(b.max)))),
            Mul(list) => list.iter().map(r).fold(Range::exactly(1), |a, b| {
                let corners = [
                    times(low(a.min), low(b.min)),
                    times(low(a.min), high(b.max)),
                    times(high(a.max), low(b.min)),
                    times(high(a.max), high(b.max)),
                ];
                clamp((
                    corners.iter().copied().min().unwrap_or(0),
                    corners.iter().copied().max().unwrap_or(0),
                ))
            }),
            FloorDiv(a, b) => {
                let (a, b) = (r(a), r(b));
                if b.min < 1 {
                    return Range::new(i64::MIN, i64::MAX);
                }
                let of = |x: i64, y: i64| {
                    if x == i64::MIN || x == i64::MAX { x } else { floor_div(x, y).unwrap_or(x) }
                };
                let (p, q) = (of(a.min, b.min), of(a.min, b.max));
                let (s, t) = (of(a.max, b.min), of(a.max, b.max));
                let min = if a.min >= 0 && b.max == i64::MAX { 0 } else { p.min(q) };
                Range::new(min, s.max(t))
            }
            Mod(a, b) => {
                let (a, b) = (r(a), r(b));
                if b.min < 1 {
                    return Range::new(i64::MIN, i64::MAX);
                }
                let max = if b.max == i64::MAX { i64::MAX } else { b.max - 1 };
                Range::new(0, if a.min >= 0 { max.min(a.max) } else { max })
            }
            Min(a, b) => Range::new(r(a).min.min(r(b).min), r(a).max.min(r(b).max)),
            Max(a, b) => Range::new(r(a).min.max(r(b).min), r(a).max.max(r(b).max)),
            Eq(..) | Lt(..) | Le(..) | And(..) | Or(..) | Not(..) => Range::new(0, 1),
            Select(_, a, b) => Range::new(r(a).min.min(r(b).min), r(a).max.max(r(b).max)),
        }
    }
}

const INFINITE: i128 = 1 << 100;

fn low(v: i64) -> i128 {
    if v == i64::MIN { -INFINITE } else { v as i128 }
}
fn high(v: i64) -> i128 {
    if v == i64::MAX { INFINITE } else { v as i128 }
}
fn times(a: i128, b: i128) -> i128 {
    a.saturating_mul(b)
}
fn clamp((min, max): (i128, i128)) -> Range {
    let min = if min <= i64::MIN as i128 { i64::MIN } else { min.min(i64::MAX as i128) as i64 };
    let max = if max >= i64::MAX as i128 { i64::MAX } else { max.max(i64::MIN as i128) as i64 };
    Range { min, max }
}
fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}
fn sorted(pair: [SymInt; 2]) -> Box<[SymInt]> {
    let mut pair = pair;
    pair.sort();
    pair.into()
}
