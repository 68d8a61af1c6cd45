//! What the canonical form must keep: the value, under any values of the symbols within their ranges.

use crate::base::HashMap;
use crate::types::{
    Calculation, Range, SymArena, SymError, SymInt, SymNode, SymbolId, flatten_index, reshape_index,
    unflatten_index,
};
use proptest::prelude::*;

/// An expression as it was written.
#[derive(Clone, Debug)]
enum Tree {
    Constant(i64),
    Symbol(usize),
    Binary(u8, Box<Tree>, Box<Tree>),
    Select(Box<Tree>, Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
}

const SYMBOLS: usize = 5;
const BINARY: u8 = 12;

fn trees() -> impl Strategy<Value = Tree> {
    trees_of(-3i64..9)
}

fn trees_of(constants: impl Strategy<Value = i64> + 'static) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![constants.prop_map(Tree::Constant), (0..SYMBOLS).prop_map(Tree::Symbol)];
    leaf.prop_recursive(5, 40, 3, |inner| {
        prop_oneof![
            8 => (0..BINARY, inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| Tree::Binary(op, Box::new(a), Box::new(b))),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(c, a, b)| Tree::Select(Box::new(c), Box::new(a), Box::new(b))),
            1 => inner.prop_map(|a| Tree::Not(Box::new(a))),
        ]
    })
}

/// Two sizes, and loop variables over a constant and over each of the two.
fn symbols(syms: &SymArena) -> Vec<SymInt> {
    let (a, b) = (syms.symbol("a", Range::new(0, 6), None), syms.symbol("b", Range::new(1, 5), None));
    let four = syms.constant(4);
    vec![a, b, syms.index_var(0, four), syms.index_var(1, a), syms.index_var(2, b)]
}

fn build(syms: &SymArena, symbols: &[SymInt], tree: &Tree) -> SymInt {
    match tree {
        Tree::Constant(v) => syms.constant(*v),
        Tree::Symbol(k) => symbols[*k],
        Tree::Not(a) => syms.not(build(syms, symbols, a)),
        Tree::Select(c, a, b) => {
            let (c, a, b) = (build(syms, symbols, c), build(syms, symbols, a), build(syms, symbols, b));
            syms.select(c, a, b)
        }
        Tree::Binary(op, a, b) => {
            let (a, b) = (build(syms, symbols, a), build(syms, symbols, b));
            match op {
                0 | 1 => syms.add(a, b),
                2 | 3 => syms.mul(a, b),
                4 => syms.sub(a, b),
                5 => syms.floordiv(a, b),
                6 => syms.modulo(a, b),
                7 => syms.min(a, b),
                8 => syms.max(a, b),
                9 => syms.lt(a, b),
                10 => syms.eq(a, b),
                _ => syms.le(a, b),
            }
        }
    }
}

/// The value as Python gives it; `None` for a division by zero anywhere, or an overflow.
fn plain(values: &[i64], tree: &Tree) -> Option<i64> {
    Some(match tree {
        Tree::Constant(v) => *v,
        Tree::Symbol(k) => values[*k],
        Tree::Not(a) => (plain(values, a)? == 0) as i64,
        Tree::Select(c, a, b) => {
            let (c, a, b) = (plain(values, c)?, plain(values, a)?, plain(values, b)?);
            if c != 0 { a } else { b }
        }
        Tree::Binary(op, a, b) => {
            let (a, b) = (plain(values, a)?, plain(values, b)?);
            match op {
                0 | 1 => a.checked_add(b)?,
                2 | 3 => a.checked_mul(b)?,
                4 => a.checked_sub(b)?,
                5 | 6 => {
                    let q = a.checked_div(b)?;
                    let q = if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q };
                    if *op == 5 { q } else { (a as i128 - q as i128 * b as i128) as i64 }
                }
                7 => a.min(b),
                8 => a.max(b),
                9 => (a < b) as i64,
                10 => (a == b) as i64,
                _ => (a <= b) as i64,
            }
        }
    })
}

fn eval(syms: &SymArena, symbols: &[SymInt], values: &[i64], e: SymInt) -> i64 {
    // The arena is locked while it evaluates: what the values need of it is asked for before.
    let ids: Vec<Option<SymbolId>> = symbols.iter().map(|s| syms.as_symbol(*s)).collect();
    let find = |id: SymbolId| ids.iter().position(|s| *s == Some(id)).map(|k| values[k]);
    syms.eval(e, &find).unwrap_or_else(|error| panic!("{}: {error}", syms.display(e)))
}

/// Small ones, and those that products and sums take beyond 64 bits.
fn extremes() -> impl Strategy<Value = i64> {
    let large = [i64::MAX, i64::MAX - 1, i64::MAX / 2 + 1, 1 << 40, -(1 << 62), i64::MIN + 1, i64::MIN];
    prop_oneof![-3i64..9, prop::sample::select(large.to_vec())]
}

#[test]
fn a_loop_variable_below_a_condition_is_not_taken_for_its_last_value() {
    let syms = SymArena::new();
    let (n, i) = (syms.symbol("n", Range::new(1, 5), None), syms.index_var(0, syms.constant(4)));
    let chosen = syms.select(i, syms.constant(2), syms.constant(-100));
    let least = syms.min(chosen, syms.sub(i, n));
    assert_eq!(eval(&syms, &[n, i], &[1, 0], least), -100);
}

#[test]
fn symbols_whose_marks_are_one_bit_are_told_apart() {
    let syms = SymArena::new();
    let all: Vec<SymInt> = (0..130).map(|k| syms.symbol(&format!("s{k}"), Range::size(), None)).collect();
    // Numbers 1, 65 and 129 have the same bit.
    let e = syms.add(syms.floordiv(all[1], all[2]), syms.modulo(all[65], all[3]));
    let id = |k: usize| syms.as_symbol(all[k]).expect("a symbol");
    let found: Vec<usize> = (0..130).filter(|k| syms.depends_on(e, id(*k))).collect();
    assert_eq!(found, [1, 2, 3, 65]);
    let to = |k: usize, value: i64| HashMap::from_iter([(id(k), syms.constant(value))]);
    assert_eq!(syms.substitute(e, &to(129, 7)), e);
    let left = syms.add(syms.floordiv(all[1], all[2]), syms.modulo(syms.constant(7), all[3]));
    assert_eq!(syms.substitute(e, &to(65, 7)), left);
}

#[test]
fn sums_that_overflow_again_and_again_stay_flat() {
    let syms = SymArena::new();
    let least = syms.constant(i64::MIN + 1);
    let sum = (0..3000).fold(least, |sum, _| syms.add(sum, least));
    assert!(syms.as_const(sum).is_none() && syms.depth(sum) <= 3, "{}", syms.depth(sum));
    assert!(matches!(syms.eval(sum, &|_| None), Err(SymError::Overflow(_))));
}

#[test]
fn what_a_symbol_is_calculated_from_is_replaced() {
    let syms = SymArena::new();
    let n = syms.symbol("n", Range::new(0, 9), None);
    let id = syms.as_symbol(n).expect("a symbol");
    let root = syms.calculate(Calculation::Sqrt, &[syms.calculate(Calculation::Float, &[n])]);
    let whole = syms.add(syms.calculate(Calculation::Trunc, &[root]), n);
    let at_nine = syms.substitute(whole, &HashMap::from_iter([(id, syms.constant(9))]));
    assert_eq!(syms.as_const(at_nine), Some(12));
}

#[test]
fn what_does_not_fit_64_bits_is_seen() {
    let syms = SymArena::new();
    let (n, s) = (syms.symbol("n", Range::new(1, 5), None), syms.symbol("s", Range::size(), None));
    let large = syms.constant(i64::MAX);
    assert!(syms.fits(syms.mul_const(s, 1 << 62)) && syms.fits(syms.add_const(large, -1)));
    for beyond in
        [syms.mul_const(syms.mul_const(s, 3), i64::MAX), syms.mul_const(n, 1 << 61), syms.add(large, n)]
    {
        assert!(syms.is_large(beyond) && !syms.fits(beyond), "{}", syms.display(beyond));
    }
    // A slice of any length with the largest step.
    let ten = syms.constant(10);
    assert_eq!(syms.as_const(syms.ceildiv(ten, large)), Some(1));
    assert_eq!(syms.as_const(syms.ceildiv(n, large)), Some(1));
    assert_eq!(eval(&syms, &[s], &[i64::MAX], syms.ceildiv(s, large)), 1);
}

#[test]
fn products_with_common_factors_are_compared() {
    let syms = SymArena::new();
    let size = |name: &str, min: i64| syms.symbol(name, Range::new(min, i64::MAX), None);
    let (h, w, e) = (size("h", 2), size("w", 1), size("e", 0));
    let area = syms.mul_const(syms.mul(h, w), 3);
    let row = syms.mul_const(w, 3);
    assert!(syms.known_le(row, area) && syms.known_lt(row, area));
    assert!(!syms.known_le(area, row) && !syms.known_lt(area, row));
    assert!(syms.known_le(w, syms.mul(w, w)) && !syms.known_lt(w, syms.mul(w, w)));
    // A factor of 0 leaves nothing larger, one that may be 0 decides nothing.
    let (some, more) = (syms.mul(e, w), syms.mul(syms.mul(e, w), h));
    assert!(syms.known_le(some, more) && !syms.known_lt(some, more));
    assert!(!syms.known_le(w, some));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn what_overflows_is_never_another_number(
        tree in trees_of(extremes()), a in 1i64..=6, b in 1i64..=5, i in 0i64..4, j in 0i64..6, k in 0i64..5,
    ) {
        let syms = SymArena::new();
        let symbols = symbols(&syms);
        let values = [a, b, i, j % a, k % b];
        let e = build(&syms, &symbols, &tree);
        let Some(want) = plain(&values, &tree) else { return Ok(()) };
        let ids: Vec<Option<SymbolId>> = symbols.iter().map(|s| syms.as_symbol(*s)).collect();
        let got = syms.eval(e, &|id| ids.iter().position(|s| *s == Some(id)).map(|k| values[k]));
        match got {
            // Terms are added in another order.
            Err(SymError::Overflow(_)) => prop_assert!(syms.is_large(e)),
            other => prop_assert_eq!(other, Ok(want), "{}", syms.display(e)),
        }
        let range = syms.range(e);
        prop_assert!(range.contains(want), "{} = {want} is outside {range:?}", syms.display(e));
        if let Some(known) = syms.decide(e) {
            prop_assert_eq!(known, want != 0);
        }
    }

    #[test]
    fn orders_that_are_known_hold(
        (one, other) in (trees(), trees()), a in 1i64..=6, b in 1i64..=5, i in 0i64..4, j in 0i64..6, k in 0i64..5,
    ) {
        let syms = SymArena::new();
        let symbols = symbols(&syms);
        let values = [a, b, i, j % a, k % b];
        let (x, y) = (plain(&values, &one), plain(&values, &other));
        let (Some(x), Some(y)) = (x, y) else { return Ok(()) };
        let (one, other) = (build(&syms, &symbols, &one), build(&syms, &symbols, &other));
        // Differences with common factors are what is made of both.
        let (common, at) = (syms.mul(one, other), x.checked_mul(y));
        for ((p, v), (q, u)) in [((one, Some(x)), (other, Some(y))), ((one, Some(x)), (common, at)), ((common, at), (other, Some(y)))] {
            let (Some(v), Some(u)) = (v, u) else { continue };
            prop_assert!(!syms.known_le(p, q) || v <= u, "{} <= {}", syms.display(p), syms.display(q));
            prop_assert!(!syms.known_lt(p, q) || v < u, "{} < {}", syms.display(p), syms.display(q));
        }
    }

    #[test]
    fn simplifying_keeps_the_value_and_the_range(
        tree in trees(), a in 1i64..=6, b in 1i64..=5, i in 0i64..4, j in 0i64..6, k in 0i64..5,
    ) {
        let syms = SymArena::new();
        let symbols = symbols(&syms);
        let values = [a, b, i, j % a, k % b];
        let Some(want) = plain(&values, &tree) else { return Ok(()) };
        let e = build(&syms, &symbols, &tree);
        prop_assert_eq!(eval(&syms, &symbols, &values, e), want, "{}", syms.display(e));
        let range = syms.range(e);
        prop_assert!(range.contains(want), "{} = {want} is outside {range:?}", syms.display(e));
        if let Some(known) = syms.decide(e) {
            prop_assert_eq!(known, want != 0);
        }
    }

    #[test]
    fn substituting_is_evaluating_later(
        tree in trees(), inner in trees(), place in 0..2usize, a in 1i64..=6, b in 1i64..=5, i in 0i64..4,
        j in 0i64..6, k in 0i64..5,
    ) {
        let syms = SymArena::new();
        let symbols = symbols(&syms);
        let values = [a, b, i, j % a, k % b];
        // Only a replacement within the symbol's own range is one that lowering makes.
        let Some(put) = plain(&values, &inner) else { return Ok(()) };
        let limit = if place == 0 { 4 } else { values[1] };
        prop_assume!((0..limit).contains(&put));
        let at = [2, 4][place];
        let mut later = values;
        later[at] = put;
        let Some(want) = plain(&later, &tree) else { return Ok(()) };
        let (e, inner) = (build(&syms, &symbols, &tree), build(&syms, &symbols, &inner));
        let mut map = HashMap::default();
        if let Some(id) = syms.as_symbol(symbols[at]) {
            map.insert(id, inner);
        }
        let e = syms.substitute(e, &map);
        prop_assert_eq!(eval(&syms, &symbols, &values, e), want, "{}", syms.display(e));
    }

    #[test]
    fn exact_quotients_multiply_back(a in trees(), b in trees()) {
        let syms = SymArena::new();
        let symbols = symbols(&syms);
        let (a, b) = (build(&syms, &symbols, &a), build(&syms, &symbols, &b));
        let product = syms.mul(a, b);
        if let Some(q) = syms.divide_exact(product, b) {
            prop_assert_eq!(syms.mul(q, b), product);
        }
    }

    #[test]
    fn reshaping_moves_nothing(sizes in prop::collection::vec(1i64..5, 0..4), cut in 1i64..5, at in 0..4usize) {
        let syms = SymArena::new();
        let old: Vec<SymInt> = sizes.iter().map(|s| syms.constant(*s)).collect();
        // Another shape of as many elements: one size divided, its factor put elsewhere.
        let mut new = sizes.clone();
        let total: i64 = sizes.iter().product();
        if let Some(k) = new.iter().position(|s| s % cut == 0) {
            new[k] /= cut;
            new.insert(at.min(new.len()), cut);
        }
        prop_assert_eq!(new.iter().product::<i64>(), total);
        let new: Vec<SymInt> = new.iter().map(|s| syms.constant(*s)).collect();
        let vars: Vec<SymInt> = new.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        let index = reshape_index(&syms, &old, &new, &vars);
        for flat in 0..total {
            let position = syms.constant(flat);
            let here = unflatten_index(&syms, &new, position);
            let at: Vec<i64> = here.iter().filter_map(|i| syms.as_const(*i)).collect();
            let there: Vec<SymInt> =
                index.iter().map(|i| syms.constant(eval(&syms, &vars, &at, *i))).collect();
            prop_assert_eq!(syms.as_const(flatten_index(&syms, &old, &there)), Some(flat));
        }
    }
}

/// `index` shown with loop variables as `i0`, `i1`, …
fn shown(syms: &SymArena, index: &[SymInt]) -> String {
    syms.display_list(index)
}

fn vars(syms: &SymArena, sizes: &[SymInt]) -> Vec<SymInt> {
    sizes.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect()
}

#[test]
fn heads_split_and_joined_again_leave_linear_indices() {
    for symbolic in [false, true] {
        let syms = SymArena::new();
        let c = |v| syms.constant(v);
        let (batch, time) = if symbolic {
            (syms.symbol("B", Range::size(), None), syms.symbol("T", Range::new(1, 128), None))
        } else {
            (c(2), c(16))
        };
        let (split, joined) = ([batch, time, c(4), c(8)], [batch, time, c(32)]);
        let heads = [batch, c(4), time, c(8)];
        let v = vars(&syms, &heads);
        let index = reshape_index(&syms, &joined, &split, &[v[0], v[2], v[1], v[3]]);
        assert_eq!(shown(&syms, &index), "[i0, i2, i3 + 8*i1]");
        // Joined to a batch of matrices, and split again.
        let flat = [syms.mul(batch, c(4)), time, c(8)];
        let outer = reshape_index(&syms, &flat, &heads, &v);
        assert_eq!(shown(&syms, &outer), "[i1 + 4*i0, i2, i3]");
        let back = reshape_index(&syms, &heads, &flat, &outer);
        assert_eq!(back, v, "{}", shown(&syms, &back));
        // And all the way back to where the heads lie side by side.
        let w = vars(&syms, &joined);
        let apart = reshape_index(&syms, &split, &joined, &w);
        assert_eq!(shown(&syms, &apart), "[i0, i1, i2 // 8, i2 % 8]");
        let again = reshape_index(&syms, &joined, &split, &apart);
        assert_eq!(again, w, "{}", shown(&syms, &again));
    }
}

/// A loop over a size has points only where the size is not 0.
#[test]
fn a_point_of_a_loop_is_below_its_size() {
    let syms = SymArena::new();
    let size = syms.symbol("a", Range::new(0, 6), None);
    let point = syms.index_var(0, size);
    assert_eq!(syms.modulo(point, size), point);
    assert_eq!(syms.floordiv(point, size), syms.constant(0));
    // Of the size itself nothing is known.
    assert!(matches!(syms.node(syms.modulo(size, size)), SymNode::Mod(..)));
}

#[test]
fn an_open_size_divides_polynomials() {
    let syms = SymArena::new();
    let (a, b) = (syms.symbol("a", Range::size(), None), syms.symbol("b", Range::size(), None));
    let total = syms.mul(syms.mul(a, syms.add_const(b, 1)), syms.constant(64));
    assert_eq!(syms.divide_exact(total, syms.mul_const(a, 8)), Some(syms.add_const(syms.mul_const(b, 8), 8)));
    assert_eq!(syms.divide_exact(total, syms.add_const(b, 1)), Some(syms.mul_const(a, 64)));
    assert_eq!(syms.divide_exact(total, syms.constant(128)), None);
    assert_eq!(syms.divide_exact(total, b), None);
}

#[test]
fn equal_expressions_have_equal_handles() {
    let syms = SymArena::new();
    let (a, b) = (syms.symbol("a", Range::size(), None), syms.symbol("b", Range::size(), None));
    let left = syms.mul(syms.add(a, b), syms.add(a, b));
    let right = syms.sum(&[syms.mul(a, a), syms.mul_const(syms.mul(a, b), 2), syms.mul(b, b)]);
    assert_eq!(left, right);
    assert!(matches!(syms.node(left), SymNode::Add(_)));
}

#[test]
fn a_product_of_many_sums_is_not_written_out() {
    let syms = SymArena::new();
    let symbol = |k: usize| syms.symbol(&format!("s{k}"), Range::new(1, 3), None);
    let sums: Vec<SymInt> =
        (0..20).map(|k| syms.sum(&[symbol(3 * k), symbol(3 * k + 1), symbol(3 * k + 2)])).collect();
    let product = syms.product(&sums);
    assert_eq!(syms.eval(product, &|_| Some(1)), Ok(3i64.pow(20)));
    // 3^20 terms would be 60 GB of text.
    assert!(syms.display(product).len() < 1 << 17, "{} bytes", syms.display(product).len());
    // A long sum times a number stays a sum.
    let long = syms.sum(&(0..2000).map(|k| symbol(100 + k)).collect::<Vec<_>>());
    let twice = syms.mul_const(long, 2);
    assert!(matches!(syms.node(twice), SymNode::Add(terms) if terms.len() == 2000));
}

#[test]
fn parts_that_an_expression_shares_do_not_make_its_text_endless() {
    let syms = SymArena::new();
    let mut e = syms.symbol("s", Range::size(), None);
    for k in 0..60 {
        let quotient = syms.floordiv(e, syms.constant(k + 2));
        e = syms.max(syms.modulo(e, syms.constant(k + 3)), quotient);
    }
    let text = syms.display(e);
    assert!(text.len() < 1 << 18 && text.contains('…'), "{} bytes", text.len());
}

#[test]
fn a_rotation_of_a_rotation_is_one() {
    let syms = SymArena::new();
    let (size, shift) = (syms.symbol("n", Range::new(2, 9), None), syms.constant(3));
    let at = syms.index_var(0, size);
    let rotated = |e| syms.modulo(syms.add(e, shift), size);
    assert_eq!(rotated(rotated(at)), syms.modulo(syms.add(at, syms.constant(6)), size));
    // Of twice as many, too, but not of other divisors.
    let (eight, four, six) = (syms.constant(8), syms.constant(4), syms.constant(6));
    let x = syms.symbol("x", Range::new(0, 99), None);
    let sum = |by| syms.add(syms.mul(syms.modulo(x, by), shift), at);
    let plain = syms.modulo(syms.add(syms.mul(x, shift), at), four);
    assert_eq!(syms.modulo(sum(eight), four), plain);
    assert_ne!(syms.modulo(sum(six), four), plain);
}
