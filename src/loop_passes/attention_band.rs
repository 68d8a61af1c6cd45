//! Masks that are bands: which keys a query attends, as two bounds instead of a condition for each pair.
//!
//! A mask is an expression over positions. Where it is computed from them alone, it is computed where it is used and
//! not kept in memory; and what of it says no more than `query + lower <= key <= query + upper`, a causal mask aligned to
//! either end, a sliding window, or than `key < length`, where each sequence of a batch has a length that is read, becomes
//! the attention's [`Band`]: templates skip the keys outside it.
//!
//! Invariants: a score that the band excludes was minus infinity before, whatever its value; what is left of a mask
//! still applies within the band.
//!
//! Deliberately absent: bounds that are no straight lines, such as documents of a packed batch; they stay masks.

use crate::base::HashMap;
use crate::loops::access::replacing;
use crate::loops::{
    Attention, Band, BinaryOp, BufferId, BufferKind, Expr, ExprId, NodeKind, Program, Score, UnaryOp,
};
use crate::types::{Dtype, SymArena, SymInt, SymNode};
use std::sync::Arc;

/// A mask of more expressions than this is computed once and read.
const LIGHT: usize = 32;

/// The places of a query and of a key that meet.
struct Pair {
    query: SymInt,
    key: SymInt,
}

impl Pair {
    fn of(syms: &SymArena, queries: SymInt, keys: SymInt) -> Pair {
        Pair { query: syms.index_var(2, queries), key: syms.index_var(3, keys) }
    }
    /// Whether a position depends on either.
    fn is_in(&self, syms: &SymArena, position: SymInt) -> bool {
        let own = [self.query, self.key].map(|v| syms.as_symbol(v));
        syms.symbols(position).iter().any(|s| own.contains(&Some(*s)))
    }
}

/// Finds the bands of all attention.
pub fn run(program: &mut Program) {
    let mut made: HashMap<BufferId, usize> = HashMap::default();
    for node in 0..program.nodes.len() {
        if let NodeKind::Control(_) = program.nodes[node].kind {
            made.clear();
        }
        made.extend(program.nodes[node].outs().into_iter().map(|out| (out, node)));
        match program.nodes[node].kind.clone() {
            NodeKind::Attention(mut a) => {
                let pair = Pair::of(&program.syms, a.queries, a.keys);
                if let Some(mask) = a.mask {
                    a.mask = Some(positional(program, &made, &pair, mask));
                }
                if let Some(score) = a.score {
                    let value = positional(program, &made, &pair, score.value);
                    a.score = Some(Score { value, ..score });
                }
                narrow(program, &mut a);
                program.nodes[node].kind = NodeKind::Attention(a);
            }
            NodeKind::AttentionBackward(mut a) => {
                let pair = Pair::of(&program.syms, a.queries, a.keys);
                if let Some(mask) = a.mask {
                    let mask = positional(program, &made, &pair, mask);
                    let mut bounds = Bounds::of(&program.syms, [a.queries, a.keys], a.band);
                    a.mask = bounds.rest_of_mask(program, mask);
                    a.band = bounds.band;
                }
                program.nodes[node].kind = NodeKind::AttentionBackward(a);
            }
            _ => {}
        }
    }
}

/// The expression with what is computed from positions alone in place of its loads.
fn positional(program: &mut Program, made: &HashMap<BufferId, usize>, pair: &Pair, root: ExprId) -> ExprId {
    let syms = Arc::clone(&program.syms);
    let mut known: HashMap<ExprId, ExprId> = HashMap::default();
    for load in program.exprs.loads(&[root]) {
        let Expr::Load { buffer, index, data } = program.exprs[load].clone() else { continue };
        if !data.is_empty() || program.buffers[buffer].kind != BufferKind::Temporary {
            continue;
        }
        let Some(NodeKind::Pointwise { sizes, value, .. }) =
            made.get(&buffer).map(|n| program.nodes[*n].kind.clone())
        else {
            continue;
        };
        let value = positional(program, made, pair, value);
        let map = replacing(&syms, &program.vars(&sizes), &index);
        let value = program.exprs.substitute(&syms, value, &map);
        let order = program.exprs.postorder(&[value]);
        let fails = |e: &ExprId| match &program.exprs[*e] {
            Expr::Check { .. } => true,
            // A number of a sequence's, such as its length, is the same for all its queries and keys.
            Expr::Load { index, data, .. } => !data.is_empty() || index.iter().any(|i| pair.is_in(&syms, *i)),
            _ => false,
        };
        if order.len() <= LIGHT && !order.iter().any(fails) {
            known.insert(load, value);
        }
    }
    if known.is_empty() {
        return root;
    }
    program.exprs.rewrite(root, &mut |_, e| known.get(&e).copied().unwrap_or(e))
}

/// Moves what of the attention's mask is a band to its band.
fn narrow(program: &mut Program, a: &mut Attention) {
    let mut bounds = Bounds::of(&program.syms, [a.queries, a.keys], a.band);
    if let Some(mask) = a.mask {
        a.mask = bounds.rest_of_mask(program, mask);
    }
    if let Some(score) = a.score {
        let value = bounds.rest_of_score(program, score.value, score.raw);
        let scored = !matches!(&program.exprs[value], Expr::Load { buffer, .. } if *buffer == score.raw);
        a.score = scored.then_some(Score { value, ..score });
        if let Some(factor) = factor_of(program, value, score.raw) {
            a.scale *= factor;
            a.score = None;
        }
    }
    a.band = bounds.band;
}

/// What a score that is nothing but scaled is scaled by.
fn factor_of(program: &Program, id: ExprId, raw: BufferId) -> Option<f64> {
    let constant = |e: ExprId| match program.exprs[e] {
        Expr::Constant(v, _) => Some(v.as_f64()),
        _ => None,
    };
    match &program.exprs[id] {
        Expr::Load { buffer, .. } => (*buffer == raw).then_some(1.0),
        Expr::Binary(BinaryOp::Mul, a, b) => {
            let (of, by) = if constant(*b).is_some() { (*a, *b) } else { (*b, *a) };
            Some(factor_of(program, of, raw)? * constant(by)?)
        }
        Expr::Binary(BinaryOp::Div, a, b) => {
            let by = constant(*b).filter(|c| *c != 0.0)?;
            factor_of(program, *a, raw).map(|f| f / by)
        }
        _ => None,
    }
}

struct Bounds {
    syms: Arc<SymArena>,
    pair: Pair,
    keys: SymInt,
    band: Band,
}

impl Bounds {
    fn of(syms: &Arc<SymArena>, [queries, keys]: [SymInt; 2], band: Band) -> Bounds {
        Bounds { syms: Arc::clone(syms), pair: Pair::of(syms, queries, keys), keys, band }
    }

    /// What is left of a mask once its bounds are the band's.
    fn rest_of_mask(&mut self, program: &mut Program, mask: ExprId) -> Option<ExprId> {
        match program.exprs.dtype(mask) {
            Dtype::Bool => self.rest(program, mask),
            _ => self.rest_of_bias(program, mask),
        }
    }

    /// What is left of a condition once its bounds are the band's; nothing, where it says no more.
    fn rest(&mut self, program: &mut Program, condition: ExprId) -> Option<ExprId> {
        match program.exprs[condition].clone() {
            Expr::Constant(v, Dtype::Bool) if v.as_f64() != 0.0 => return None,
            Expr::Binary(BinaryOp::LogicalAnd | BinaryOp::BitwiseAnd, a, b)
                if program.exprs.dtype(a) == Dtype::Bool && program.exprs.dtype(b) == Dtype::Bool =>
            {
                return match (self.rest(program, a), self.rest(program, b)) {
                    (Some(a), Some(b)) => Some(program.exprs.binary(BinaryOp::LogicalAnd, a, b)),
                    (rest, None) | (None, rest) => rest,
                };
            }
            _ => {}
        }
        match self.bound(program, condition, true) {
            Some(parts) => {
                parts.into_iter().for_each(|p| self.take(program, p));
                None
            }
            None => Some(condition),
        }
    }

    /// The same of a number added to scores: zero or minus infinity.
    fn rest_of_bias(&mut self, program: &mut Program, bias: ExprId) -> Option<ExprId> {
        match self.chosen(program, bias) {
            Some(value) if is_constant(program, value, 0.0) => None,
            Some(value) => self.rest_of_bias(program, value),
            None => match program.exprs[bias].clone() {
                Expr::Binary(BinaryOp::Add, a, b) => {
                    match (self.rest_of_bias(program, a), self.rest_of_bias(program, b)) {
                        (Some(a), Some(b)) => Some(program.exprs.binary(BinaryOp::Add, a, b)),
                        (rest, None) | (None, rest) => rest,
                    }
                }
                Expr::Cast(to, a) if program.exprs.dtype(a).is_float() && to.is_float() => {
                    self.rest_of_bias(program, a).map(|a| program.exprs.cast(a, to))
                }
                _ => Some(bias),
            },
        }
    }

    /// A function of the score without what makes scores outside the band minus infinity.
    fn rest_of_score(&mut self, program: &mut Program, value: ExprId, raw: BufferId) -> ExprId {
        if let Some(value) = self.chosen(program, value) {
            return self.rest_of_score(program, value, raw);
        }
        let reads = |p: &Program, e: ExprId| {
            p.exprs
                .postorder(&[e])
                .iter()
                .any(|e| matches!(&p.exprs[*e], Expr::Load { buffer, .. } if *buffer == raw))
        };
        match program.exprs[value].clone() {
            Expr::Binary(BinaryOp::Add, a, b) => {
                let (score, bias) = if reads(program, a) { (a, b) } else { (b, a) };
                if reads(program, bias) {
                    return value;
                }
                let score = self.rest_of_score(program, score, raw);
                match self.rest_of_bias(program, bias) {
                    Some(bias) => program.exprs.binary(BinaryOp::Add, score, bias),
                    None => score,
                }
            }
            Expr::Cast(to, a) if program.exprs.dtype(a).is_float() && to.is_float() => {
                let rest = self.rest_of_score(program, a, raw);
                program.exprs.cast(rest, to)
            }
            _ => value,
        }
    }

    /// Of a choice between a value and minus infinity by a band: the value.
    fn chosen(&mut self, program: &mut Program, id: ExprId) -> Option<ExprId> {
        let Expr::Select(condition, a, b) = program.exprs[id] else { return None };
        let (value, truth) =
            match (is_constant(program, a, f64::NEG_INFINITY), is_constant(program, b, f64::NEG_INFINITY)) {
                (false, true) => (a, true),
                (true, false) => (b, false),
                _ => return None,
            };
        let parts = self.bound(program, condition, truth)?;
        parts.into_iter().for_each(|p| self.take(program, p));
        Some(value)
    }

    fn take(&mut self, program: &mut Program, part: Band) {
        let both = |a: Option<SymInt>, b: Option<SymInt>, f: &dyn Fn(SymInt, SymInt) -> SymInt| match (a, b) {
            (Some(a), Some(b)) => Some(f(a, b)),
            (one, None) | (None, one) => one,
        };
        self.band.lower = both(self.band.lower, part.lower, &|a, b| self.syms.max(a, b));
        self.band.upper = both(self.band.upper, part.upper, &|a, b| self.syms.min(a, b));
        self.band.length = match (self.band.length, part.length) {
            (Some(a), Some(b)) => Some(program.exprs.binary(BinaryOp::Minimum, a, b)),
            (one, None) | (None, one) => one,
        };
    }

    /// The bounds that hold together exactly where the condition is `truth`.
    fn bound(&self, program: &mut Program, condition: ExprId, truth: bool) -> Option<Vec<Band>> {
        let is = |p: &Program, e: ExprId, value: bool| matches!(p.exprs[e], Expr::Constant(v, _) if (v.as_f64() != 0.0) == value);
        let truths = |p: &Program, e: ExprId| p.exprs.dtype(e) == Dtype::Bool;
        match program.exprs[condition] {
            Expr::Unary(UnaryOp::LogicalNot | UnaryOp::BitwiseNot, a) if truths(program, a) => {
                self.bound(program, a, !truth)
            }
            Expr::Cast(Dtype::Bool, a) if truths(program, a) => self.bound(program, a, truth),
            Expr::Select(c, a, b) if is(program, a, true) && is(program, b, false) => {
                self.bound(program, c, truth)
            }
            Expr::Select(c, a, b) if is(program, a, false) && is(program, b, true) => {
                self.bound(program, c, !truth)
            }
            Expr::Binary(BinaryOp::LogicalAnd | BinaryOp::BitwiseAnd, a, b)
                if truth && truths(program, a) && truths(program, b) =>
            {
                let mut parts = self.bound(program, a, true)?;
                parts.extend(self.bound(program, b, true)?);
                Some(parts)
            }
            Expr::Binary(BinaryOp::LogicalOr | BinaryOp::BitwiseOr, a, b)
                if !truth && truths(program, a) && truths(program, b) =>
            {
                let mut parts = self.bound(program, a, false)?;
                parts.extend(self.bound(program, b, false)?);
                Some(parts)
            }
            Expr::Binary(op, a, b) => {
                // As `small <= large`, or as `small < large`.
                let (small, large, strict) = match (op, truth) {
                    (BinaryOp::Le, true) | (BinaryOp::Gt, false) => (a, b, false),
                    (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => (a, b, true),
                    (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => (b, a, false),
                    (BinaryOp::Gt, true) | (BinaryOp::Le, false) => (b, a, true),
                    _ => return None,
                };
                let one = match (self.position(program, small)?, self.position(program, large)) {
                    (a, Some(b)) if strict => self.below(a, b)?,
                    (a, Some(b)) => self.at_most(a, b)?,
                    (place, None) => {
                        Band { length: Some(self.length(program, place, large, strict)?), ..Band::default() }
                    }
                };
                Some(vec![one])
            }
            Expr::Index(e, _) => self.symbolic(e, truth),
            _ => None,
        }
    }

    /// How many keys come before a number that is read, which is the same for all queries and keys of a head:
    /// `place < number` as `key < length`, or `place <= number`.
    fn length(&self, program: &mut Program, place: SymInt, number: ExprId, strict: bool) -> Option<ExprId> {
        let syms = &self.syms;
        let (by_key, rest) = syms.linear_in(place, syms.as_symbol(self.pair.key)?)?;
        let same = |e: &ExprId| match &program.exprs[*e] {
            Expr::Index(at, _) => !self.pair.is_in(syms, *at),
            Expr::Load { index, data, .. } => {
                data.is_empty() && !index.iter().any(|i| self.pair.is_in(syms, *i))
            }
            Expr::Check { .. } => false,
            _ => true,
        };
        let integer = matches!(program.exprs.dtype(number), Dtype::Int64 | Dtype::Int32);
        let straight = syms.as_const(by_key) == Some(1) && !self.pair.is_in(syms, rest);
        if !integer || !straight || !program.exprs.postorder(&[number]).iter().all(same) {
            return None;
        }
        // Brought to where it makes a difference first: nothing overflows then.
        let first = if strict { rest } else { syms.sub(rest, syms.constant(1)) };
        let last = syms.add(first, self.keys);
        let exprs = &mut program.exprs;
        let [first, last] = [first, last].map(|s| exprs.index_value(s, Dtype::Int64));
        let number = exprs.cast(number, Dtype::Int64);
        let number = exprs.binary(BinaryOp::Maximum, number, first);
        let number = exprs.binary(BinaryOp::Minimum, number, last);
        Some(exprs.binary(BinaryOp::Sub, number, first))
    }

    fn symbolic(&self, e: SymInt, truth: bool) -> Option<Vec<Band>> {
        let one = match (self.syms.node(e), truth) {
            (SymNode::Not(a), _) => return self.symbolic(a, !truth),
            (SymNode::And(a, b), true) | (SymNode::Or(a, b), false) => {
                let mut parts = self.symbolic(a, truth)?;
                parts.extend(self.symbolic(b, truth)?);
                return Some(parts);
            }
            (SymNode::Le(a, b), true) => self.at_most(a, b),
            (SymNode::Lt(a, b), true) => self.below(a, b),
            (SymNode::Le(a, b), false) => self.below(b, a),
            (SymNode::Lt(a, b), false) => self.at_most(b, a),
            _ => None,
        };
        one.map(|b| vec![b])
    }

    fn below(&self, a: SymInt, b: SymInt) -> Option<Band> {
        self.at_most(self.syms.add(a, self.syms.constant(1)), b)
    }

    /// `a <= b` as a bound.
    fn at_most(&self, a: SymInt, b: SymInt) -> Option<Band> {
        let syms = &self.syms;
        let gap = syms.sub(b, a);
        let (by_key, rest) = syms.linear_in(gap, syms.as_symbol(self.pair.key)?)?;
        let (by_query, rest) = match syms.as_symbol(self.pair.query) {
            Some(query) => syms.linear_in(rest, query)?,
            // The only query's place is zero.
            None => (syms.neg(by_key), rest),
        };
        let free = syms.symbols(rest).iter().all(|s| syms.symbol_kind(*s) == crate::types::SymbolKind::Free);
        match (syms.as_const(by_key)?, syms.as_const(by_query)?) {
            // 0 <= query - key + rest
            (-1, 1) if free => Some(Band { upper: Some(rest), ..Band::default() }),
            // 0 <= key - query + rest
            (1, -1) if free => Some(Band { lower: Some(syms.neg(rest)), ..Band::default() }),
            _ => None,
        }
    }

    /// An integer computed from positions, symbols and constants.
    fn position(&self, program: &Program, id: ExprId) -> Option<SymInt> {
        let integer = |d: Dtype| matches!(d, Dtype::Int64 | Dtype::Int32);
        let syms = &self.syms;
        match &program.exprs[id] {
            Expr::Index(e, dtype) if integer(*dtype) => Some(*e),
            Expr::Constant(v, dtype) if integer(*dtype) => {
                let number = v.as_f64();
                (number.abs() < 1e15).then(|| syms.constant(number as i64))
            }
            Expr::Cast(to, a) if integer(*to) && integer(program.exprs.dtype(*a)) => {
                self.position(program, *a)
            }
            Expr::Unary(UnaryOp::Neg, a) => self.position(program, *a).map(|a| syms.neg(a)),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (a, b) = (self.position(program, *a)?, self.position(program, *b)?);
                Some(if *op == BinaryOp::Add { syms.add(a, b) } else { syms.sub(a, b) })
            }
            _ => None,
        }
    }
}

fn is_constant(program: &Program, id: ExprId, value: f64) -> bool {
    match program.exprs[id] {
        Expr::Constant(v, _) => v.as_f64() == value,
        Expr::Cast(to, a) if to.is_float() => is_constant(program, a, value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::{LoopNode, Operators};
    use crate::types::Scalar;

    const SIZES: [i64; 4] = [2, 3, 40, 50];

    type Masks = (Option<ExprId>, Option<ExprId>);

    /// What `find` makes of attention with a mask or a function of the score, made of the places of query and key and the
    /// score itself; and its bounds.
    fn found(
        build: impl FnOnce(&mut Program, ExprId, ExprId, ExprId) -> Masks,
    ) -> (Attention, [Option<i64>; 2]) {
        let mut p = Program::new(Arc::new(SymArena::new()));
        let sizes = SIZES.map(|n| p.syms.constant(n));
        let point = p.vars(&sizes);
        let [raw, data, out] = [0; 3].map(|_| p.temporary(Dtype::Float32, &sizes));
        let query = p.exprs.index_value(point[2], Dtype::Int64);
        let key = p.exprs.index_value(point[3], Dtype::Int64);
        let s = p.exprs.load(raw, Dtype::Float32, point.clone(), Vec::new());
        let operand = p.exprs.load(data, Dtype::Float32, point.clone(), Vec::new());
        let (mask, score) = build(&mut p, query, key, s);
        let attention = Attention {
            batch: sizes[0],
            heads: sizes[1],
            kv_heads: sizes[1],
            queries: sizes[2],
            keys: sizes[3],
            head_size: sizes[3],
            value_size: sizes[3],
            query: operand,
            key: operand,
            value: operand,
            mask,
            score: score.map(|value| Score { raw, value }),
            band: Band::default(),
            scale: 0.5,
            empty_is_nan: false,
            place: point,
            out,
            log_sum: None,
        };
        p.nodes.push(LoopNode {
            kind: NodeKind::Attention(Box::new(attention)),
            operators: Operators::default(),
        });
        run(&mut p);
        let NodeKind::Attention(a) = p.nodes[0].kind.clone() else { unreachable!() };
        let constant = |bound: Option<SymInt>| bound.map(|b| p.syms.as_const(b).unwrap());
        let bounds = [constant(a.band.lower), constant(a.band.upper)];
        (*a, bounds)
    }

    #[test]
    fn a_window_is_a_band_without_a_mask() {
        let (a, bounds) = found(|p, query, key, _| {
            let seen = p.exprs.binary(BinaryOp::Le, key, query);
            let back = p.exprs.binary(BinaryOp::Sub, query, key);
            let few = p.exprs.int(5, Dtype::Int64);
            let near = p.exprs.binary(BinaryOp::Lt, back, few);
            (Some(p.exprs.binary(BinaryOp::BitwiseAnd, seen, near)), None)
        });
        assert_eq!((bounds, a.mask), ([Some(-4), Some(0)], None));
    }

    #[test]
    fn what_is_no_bound_stays_a_mask() {
        let (a, bounds) = found(|p, query, key, _| {
            let last = p.exprs.int(20, Dtype::Int64);
            let short = p.exprs.binary(BinaryOp::Lt, key, last);
            let seen = p.exprs.binary(BinaryOp::Ge, query, key);
            (Some(p.exprs.binary(BinaryOp::LogicalAnd, short, seen)), None)
        });
        assert_eq!(bounds, [None, Some(0)]);
        assert!(a.mask.is_some());
        // Either of two bounds is none.
        let (a, bounds) = found(|p, query, key, _| {
            let (less, more) =
                (p.exprs.binary(BinaryOp::Lt, key, query), p.exprs.binary(BinaryOp::Gt, key, query));
            (Some(p.exprs.binary(BinaryOp::LogicalOr, less, more)), None)
        });
        assert_eq!(bounds, [None, None]);
        assert!(a.mask.is_some());
    }

    #[test]
    fn a_number_that_is_read_is_a_length() {
        // `key + 3 <= number of the sequence`, and the same the other way round.
        let read = |p: &mut Program, by_query: bool| {
            let (batch, query) = (p.syms.constant(SIZES[0]), p.syms.constant(SIZES[2]));
            let numbers = p.temporary(Dtype::Int32, &[if by_query { query } else { batch }]);
            let at = if by_query { p.syms.index_var(2, query) } else { p.syms.index_var(0, batch) };
            let number = p.exprs.load(numbers, Dtype::Int32, vec![at], Vec::new());
            p.exprs.cast(number, Dtype::Int64)
        };
        for turned in [false, true] {
            let (a, bounds) = found(|p, _, key, _| {
                let (three, number) = (p.exprs.int(3, Dtype::Int64), read(p, false));
                let place = p.exprs.binary(BinaryOp::Add, key, three);
                let seen = match turned {
                    false => p.exprs.binary(BinaryOp::Le, place, number),
                    true => {
                        let beyond = p.exprs.binary(BinaryOp::Lt, number, place);
                        p.exprs.unary(UnaryOp::LogicalNot, beyond)
                    }
                };
                (Some(seen), None)
            });
            assert_eq!((bounds, a.mask), ([None, None], None));
            assert!(a.band.length.is_some());
        }
        // A number of each query's stays a mask.
        let (a, _) = found(|p, _, key, _| {
            let number = read(p, true);
            (Some(p.exprs.binary(BinaryOp::Lt, key, number)), None)
        });
        assert!(a.mask.is_some() && a.band == Band::default());
        // So does what keys from a number on see.
        let (a, _) = found(|p, _, key, _| {
            let number = read(p, false);
            (Some(p.exprs.binary(BinaryOp::Gt, key, number)), None)
        });
        assert!(a.mask.is_some() && a.band == Band::default());
    }

    #[test]
    fn a_number_added_is_a_band_where_it_is_zero_or_minus_infinity() {
        let lowest = |p: &mut Program| p.exprs.constant(Scalar::Float(f64::NEG_INFINITY), Dtype::Float32);
        let (a, bounds) = found(|p, query, key, s| {
            let hidden = p.exprs.binary(BinaryOp::Gt, key, query);
            let (none, zero) = (lowest(p), p.exprs.float(0.0, Dtype::Float32));
            let bias = p.exprs.select(hidden, none, zero);
            let eighth = p.exprs.float(0.125, Dtype::Float32);
            let scaled = p.exprs.binary(BinaryOp::Mul, s, eighth);
            (None, Some(p.exprs.binary(BinaryOp::Add, scaled, bias)))
        });
        assert_eq!((bounds, a.scale), ([None, Some(0)], 0.0625));
        assert!(a.score.is_none());
        // Minus one is a bias within the band.
        let (a, bounds) = found(|p, query, key, _| {
            let hidden = p.exprs.binary(BinaryOp::Gt, key, query);
            let (none, one) = (lowest(p), p.exprs.float(-1.0, Dtype::Float32));
            (Some(p.exprs.select(hidden, none, one)), None)
        });
        assert_eq!(bounds, [None, Some(0)]);
        assert!(a.mask.is_some());
        // A low number is no infinity: weights of a row that sees nothing else are equal, not zero.
        let (a, bounds) = found(|p, query, key, _| {
            let hidden = p.exprs.binary(BinaryOp::Gt, key, query);
            let (low, zero) = (p.exprs.float(-1e30, Dtype::Float32), p.exprs.float(0.0, Dtype::Float32));
            (Some(p.exprs.select(hidden, low, zero)), None)
        });
        assert_eq!(bounds, [None, None]);
        assert!(a.mask.is_some());
    }
}
