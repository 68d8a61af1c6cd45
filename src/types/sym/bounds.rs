//! What is known of an expression's value: the range of each node from those of its operands, and a bound that knows that a
//! loop variable is less than its size. Infinite ends stay infinite.

use super::{Inner, Range, SymInt, SymNode, SymbolKind};
use crate::base::{HashMap, HashSet};

impl Inner {
    /// A lower bound that knows `index <= size - 1` symbolically: every loop variable that only lowers the
    /// expression is replaced by its last value.
    pub(super) fn lower_by_indices(&mut self, a: SymInt) -> i64 {
        let (terms, _) = self.terms(a);
        let mut map = HashMap::default();
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
            return self.lower_written_out(a);
        }
        // A variable that may also raise the expression elsewhere must not be replaced.
        for (t, c) in &terms {
            for f in self.factors(*t) {
                match self.nodes[f.0 as usize] {
                    SymNode::Symbol(id) if *c > 0 => drop(map.remove(&id)),
                    SymNode::Symbol(_) => {}
                    _ => map.retain(|id, _| !self.contains(f, self.interned[&SymNode::Symbol(*id)])),
                }
            }
        }
        let replaced = self.substitute(a, &map, &mut HashMap::default());
        self.lower_written_out(replaced)
    }

    fn lower_written_out(&mut self, a: SymInt) -> i64 {
        let least = self.range_of(a).min;
        match if least < 0 { self.written_out(a) } else { None } {
            Some(whole) => least.max(self.range_of(whole).min),
            None => least,
        }
    }

    /// A lower bound that takes out the factors which all terms have: `s*t - t` is `t` times `s - 1`.
    pub(super) fn lower_by_factors(&mut self, a: SymInt) -> i64 {
        let (terms, constant) = self.terms(a);
        let [(first, _), others @ ..] = &terms[..] else { return self.range_of(a).min };
        let mut common = self.factors(*first);
        for (term, _) in others {
            let mut left = self.factors(*term);
            common.retain(|f| left.iter().position(|g| g == f).map(|k| left.swap_remove(k)).is_some());
        }
        if constant != 0 || common.is_empty() || common.iter().any(|f| self.range_of(*f).min < 0) {
            return self.range_of(a).min;
        }
        let mut quotient = Vec::with_capacity(terms.len());
        for (term, coefficient) in &terms {
            let mut rest = self.factors(*term);
            for f in &common {
                if let Some(k) = rest.iter().position(|g| g == f) {
                    rest.remove(k);
                }
            }
            quotient.push((rest, *coefficient));
        }
        let mut sum = self.constant(0);
        for (factors, coefficient) in quotient {
            let start = self.constant(coefficient);
            let term = factors.into_iter().fold(start, |product, f| self.mul(product, f));
            sum = self.add(sum, term);
        }
        let least = self.range_of(sum).min;
        if least < 0 {
            return self.range_of(a).min;
        }
        common.iter().fold(least, |product, f| product.saturating_mul(self.range_of(*f).min))
    }

    pub(super) fn fits(&self, a: SymInt) -> bool {
        let (mut seen, mut stack) = (HashSet::default(), vec![a]);
        while let Some(e) = stack.pop() {
            if !self.large[e.0 as usize] || !seen.insert(e) {
                continue;
            }
            let node = &self.nodes[e.0 as usize];
            let bounded = |a: &&SymInt| {
                let range = self.range_of(**a);
                range.min != i64::MIN && range.max != i64::MAX || self.value(**a).is_some()
            };
            let one = |a: &SymInt| -> (i128, i128) {
                let range = self.range_of(*a);
                (range.min.into(), range.max.into())
            };
            let (min, max) = match node {
                SymNode::Add(list) => {
                    list.iter().filter(bounded).map(one).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
                }
                // A factor that may be anything may be 1.
                SymNode::Mul(list) => list.iter().filter(bounded).map(one).fold((1, 1), product),
                _ => (0, 0),
            };
            if min < i64::MIN.into() || max > i64::MAX.into() {
                return false;
            }
            stack.extend(node.operands());
        }
        true
    }

    pub(super) fn bound(&self, node: &SymNode) -> Range {
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
                clamp(product((low(a.min), high(a.max)), (low(b.min), high(b.max))))
            }),
            FloorDiv(a, b) => {
                let (a, b) = (r(a), r(b));
                if b.min < 1 {
                    return Range::new(i64::MIN, i64::MAX);
                }
                let of = |x: i128, y: i128| if x.abs() == INFINITE { x } else { x.div_euclid(y) };
                let (least, most) = (low(a.min), high(a.max));
                let (small, large) = (low(b.min), high(b.max));
                clamp((of(least, small).min(of(least, large)), of(most, small).max(of(most, large))))
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
/// The least and the greatest product of values between these bounds.
fn product(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(x, y)| x.saturating_mul(y));
    (corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0))
}
fn clamp((min, max): (i128, i128)) -> Range {
    let min = if min <= i64::MIN as i128 { i64::MIN } else { min.min(i64::MAX as i128) as i64 };
    let max = if max >= i64::MAX as i128 { i64::MAX } else { max.max(i64::MIN as i128) as i64 };
    Range { min, max }
}
