//! What is known of an expression's value: the range of each node from those of its operands, and a bound that knows that a
//! loop variable is less than its size. Infinite ends stay infinite.

use super::{Inner, Range, SymInt, SymNode, SymbolKind, floor_div};
use rustc_hash::FxHashMap;

impl Inner {
    /// A lower bound that knows `index <= size - 1` symbolically: every loop variable that only lowers the
    /// expression is replaced by its last value.
    pub(super) fn lower_by_indices(&mut self, a: SymInt) -> i64 {
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
