//! The canonical form of symbolic integers: how each operation is folded, ordered and bounded.

use super::{Inner, Range, SymInt, SymNode};
use crate::base::{HashSet, StableSort};

/// Terms of a product of two sums. Sizes that data give may be products of many sums, whose terms would be millions.
const MOST_TERMS: usize = 1024;

impl Inner {
    pub(super) fn intern(&mut self, node: SymNode) -> SymInt {
        if let Some(done) = self.interned.get(&node) {
            return *done;
        }
        let range = self.bound(&node);
        let handle = SymInt(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ranges.push(range);
        let operands = node.operands();
        let depth = operands.iter().map(|o| self.depths[o.0 as usize]).max().unwrap_or(0) + 1;
        self.depths.push(depth);
        let large = match node {
            SymNode::Constant(v) => v.unsigned_abs() > i32::MAX as u64,
            _ => operands.iter().any(|o| self.large[o.0 as usize]),
        };
        self.large.push(large);
        let (own, made_of) = match &node {
            SymNode::Symbol(id) => {
                (self.mark(*id), self.definitions.get(id).map_or(&[][..], |(_, list)| list))
            }
            _ => (0, &operands[..]),
        };
        let leaves =
            made_of.iter().fold(0, |sum: u32, o| sum.saturating_add(self.leaves[o.0 as usize])).max(1);
        self.leaves.push(leaves);
        self.marks.push(made_of.iter().fold(own, |marks, o| marks | self.marks[o.0 as usize]));
        self.interned.insert(node, handle);
        handle
    }

    pub(super) fn constant(&mut self, value: i64) -> SymInt {
        let place =
            usize::try_from(value.wrapping_add(1)).ok().filter(|place| *place < self.small_constants.len());
        if let Some(known) = place.and_then(|place| self.small_constants[place]) {
            return known;
        }
        let constant = self.intern(SymNode::Constant(value));
        if let Some(place) = place {
            self.small_constants[place] = Some(constant);
        }
        constant
    }
    pub(super) fn value(&self, a: SymInt) -> Option<i64> {
        match self.nodes[a.0 as usize] {
            SymNode::Constant(v) => Some(v),
            _ => None,
        }
    }
    pub(super) fn range_of(&self, a: SymInt) -> Range {
        self.ranges[a.0 as usize]
    }

    /// The expression as `coefficient * term` pairs plus a constant; terms carry no constant factor, unless their constants
    /// alone go beyond 64 bits.
    pub(super) fn terms(&mut self, a: SymInt) -> (Vec<(SymInt, i64)>, i64) {
        match self.nodes[a.0 as usize].clone() {
            SymNode::Constant(v) => (Vec::new(), v),
            SymNode::Add(list) if self.constants(&list) <= 1 => {
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

    /// More than one are what an addition or multiplication that would overflow leaves.
    fn constants(&self, list: &[SymInt]) -> usize {
        list.iter().filter(|a| self.value(**a).is_some()).count()
    }

    fn split_coefficient(&mut self, t: SymInt) -> (SymInt, i64) {
        if let SymNode::Mul(list) = &self.nodes[t.0 as usize]
            && let SymNode::Constant(c) = self.nodes[list[0].0 as usize]
            && self.constants(list) == 1
        {
            let rest: Box<[SymInt]> = list[1..].into();
            let term = if rest.len() == 1 { rest[0] } else { self.intern(SymNode::Mul(rest)) };
            return (term, c);
        }
        (t, 1)
    }

    /// Builds the sum of the pairs; the pairs may repeat terms.
    pub(super) fn sum_of(&mut self, mut terms: Vec<(SymInt, i64)>, constant: i64) -> Option<SymInt> {
        terms.stable_sort_by_key(|t| t.0);
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
        if let Some((between, more)) = self.between_ends(&merged) {
            return self.sum_of(between, constant.checked_add(more)?);
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
        list.stable_sort();
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
            None => {
                let mut list = self.addends(a);
                list.extend(self.addends(b));
                list.stable_sort();
                self.intern(SymNode::Add(list.into()))
            }
        }
    }

    /// The terms of a sum. A sum that overflows is kept flat, since a sum that grows in n steps would otherwise be n deep.
    fn addends(&self, a: SymInt) -> Vec<SymInt> {
        match &self.nodes[a.0 as usize] {
            SymNode::Add(list) => list.iter().flat_map(|t| self.addends(*t)).collect(),
            _ => vec![a],
        }
    }

    /// The sum of many at once: one by one, each sum on the way would be brought into its canonical form.
    pub(super) fn sum_all(&mut self, list: &[SymInt]) -> SymInt {
        let (mut terms, mut constant) = (Vec::with_capacity(list.len()), Some(0i64));
        for a in list {
            let (more, c) = self.terms(*a);
            terms.extend(more);
            constant = constant.and_then(|sum| sum.checked_add(c));
        }
        match constant.and_then(|c| self.sum_of(terms, c)) {
            Some(sum) => sum,
            None => {
                let zero = self.constant(0);
                list.iter().fold(zero, |sum, a| self.add(sum, *a))
            }
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
            None => {
                let mut factors = self.factors(a);
                factors.extend(self.factors(b));
                factors.stable_sort();
                self.intern(SymNode::Mul(factors.into()))
            }
        }
    }

    /// The product of two sums as a sum, unless a constant overflows or it has more than [`MOST_TERMS`].
    fn expand(&mut self, ta: &[(SymInt, i64)], ca: i64, tb: &[(SymInt, i64)], cb: i64) -> Option<SymInt> {
        let (na, nb) = (ta.len() + usize::from(ca != 0), tb.len() + usize::from(cb != 0));
        if na > 1 && nb > 1 && na * nb > MOST_TERMS {
            return None;
        }
        let mut terms = Vec::with_capacity((ta.len() + 1) * (tb.len() + 1));
        for (x, cx) in ta {
            for (y, cy) in tb {
                let mut factors = self.factors(*x);
                factors.extend(self.factors(*y));
                factors.stable_sort();
                terms.push((self.intern(SymNode::Mul(factors.into())), cx.checked_mul(*cy)?));
            }
            terms.push((*x, cx.checked_mul(cb)?));
        }
        for (y, cy) in tb {
            terms.push((*y, cy.checked_mul(ca)?));
        }
        self.sum_of(terms, ca.checked_mul(cb)?)
    }

    pub(super) fn factors(&self, a: SymInt) -> Vec<SymInt> {
        match &self.nodes[a.0 as usize] {
            SymNode::Mul(list) => list.to_vec(),
            _ => vec![a],
        }
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
        if range.min >= 0 || range.max <= 0 {
            return Some(range.min >= 0);
        }
        if self.lower_by_indices(gap) >= 0 {
            return Some(true);
        }
        let back = self.sub(a, b);
        (self.lower_by_indices(back) >= 0).then_some(false)
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
        if let Some(whole) = self.written_out(gap) {
            match self.value(whole) {
                Some(v) => return self.constant((v == 0) as i64),
                None if !self.range_of(whole).contains(0) => return self.constant(0),
                None => {}
            }
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.intern(SymNode::Eq(a, b))
    }
    pub(super) fn lt(&mut self, a: SymInt, b: SymInt) -> SymInt {
        let gap = self.sub(b, a);
        let range = self.range_of(gap);
        if range.min >= 1 || range.max <= 0 {
            return self.constant((range.min >= 1) as i64);
        }
        if self.lower_by_indices(gap) >= 1 {
            return self.constant(1);
        }
        let back = self.sub(a, b);
        if self.lower_by_indices(back) >= 0 {
            return self.constant(0);
        }
        self.intern(SymNode::Lt(a, b))
    }
    pub(super) fn le(&mut self, a: SymInt, b: SymInt) -> SymInt {
        let gap = self.sub(b, a);
        let range = self.range_of(gap);
        if range.min >= 0 || range.max < 0 {
            return self.constant((range.min >= 0) as i64);
        }
        if self.lower_by_indices(gap) >= 0 {
            return self.constant(1);
        }
        let back = self.sub(a, b);
        if self.lower_by_indices(back) >= 1 {
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

    pub(super) fn linear_in(&mut self, a: SymInt, atom: SymInt) -> Option<(SymInt, SymInt)> {
        let (terms, constant) = self.terms(a);
        let (mut coefficient, mut rest) = (Vec::new(), Vec::new());
        for (t, c) in terms {
            if !self.contains(t, atom) {
                rest.push((t, c));
                continue;
            }
            let q = self.divide_product(t, atom)?;
            if self.contains(q, atom) {
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

    pub(super) fn coefficients(&mut self, a: SymInt) -> Vec<(SymInt, i64)> {
        let (mut terms, _) = self.terms(a);
        let operands = |e: SymInt| self.nodes[e.0 as usize].operands();
        let (mut inside, mut stack) = (HashSet::default(), Vec::new());
        terms.iter().for_each(|(t, _)| stack.extend(operands(*t)));
        while let Some(e) = stack.pop() {
            if inside.insert(e) {
                stack.extend(operands(e));
            }
        }
        terms.retain(|(t, _)| !inside.contains(t));
        terms
    }

    pub(super) fn contains(&self, a: SymInt, atom: SymInt) -> bool {
        let wanted = self.marks[atom.0 as usize];
        // An operand is made before what it is in.
        let may = |e: &SymInt| *e >= atom && self.marks[e.0 as usize] & wanted == wanted;
        let (mut seen, mut stack) = (HashSet::default(), Vec::from_iter(Some(a).filter(may)));
        while let Some(e) = stack.pop() {
            if e == atom {
                return true;
            }
            if seen.insert(e) {
                stack.extend(self.nodes[e.0 as usize].operands().into_iter().filter(may));
            }
        }
        false
    }
}
