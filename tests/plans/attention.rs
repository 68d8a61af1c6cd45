//! Attention, given as one operator or written by hand, and what joins its kernel.

use super::{Case, v};
use litz::ir::{Arg, Value};
use litz::types::Dtype;

#[test]
fn attention_is_one_kernel() {
    let mut c = Case::new("attention");
    let (q, k, x) = (c.input(&[2, 3, 20, 16]), c.input(&[2, 3, 33, 16]), c.input(&[2, 3, 33, 16]));
    let y = c.op("aten.scaled_dot_product_attention", vec![v(q), v(k), v(x)]);
    let kernels = c.kernels(&[y]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
    assert_eq!(kernels[0].0, "attention");
}

/// Queries, keys and values of a batch of heads.
fn operands(c: &mut Case, batch: &[i64], queries: i64, keys: i64, width: i64) -> [Value; 3] {
    [queries, keys, keys].map(|rows| c.input(&[batch, &[rows, width]].concat()))
}

/// How a hand-written attention makes scores of queries and keys.
type Scores = fn(&mut Case, Value, Value) -> Value;

fn product(c: &mut Case, q: Value, k: Value) -> Value {
    let (a, b) = (c.int(-2), c.int(-1));
    let k = c.op("aten.transpose.int", vec![v(k), a, b]);
    c.op("aten.matmul", vec![v(q), v(k)])
}

#[test]
fn attention_by_hand_is_one_kernel() {
    let ways: &[(&str, Scores)] = &[
        ("bare", product),
        ("scale after", |c, q, k| {
            let s = product(c, q, k);
            c.op("aten.mul.Scalar", vec![v(s), Arg::Float(0.25)])
        }),
        ("divided", |c, q, k| {
            let s = product(c, q, k);
            c.op("aten.div.Scalar", vec![v(s), Arg::Float(4.0)])
        }),
        ("scale before", |c, q, k| {
            let q = c.op("aten.mul.Scalar", vec![v(q), Arg::Float(0.25)]);
            product(c, q, k)
        }),
        ("scale on both", |c, q, k| {
            let q = c.op("aten.mul.Scalar", vec![v(q), Arg::Float(0.5)]);
            let k = c.op("aten.div.Scalar", vec![v(k), Arg::Float(2.0)]);
            product(c, q, k)
        }),
        ("a tensor as scale", |c, q, k| {
            let (s, by) = (product(c, q, k), c.parameter(&[]));
            c.op("aten.mul.Tensor", vec![v(s), v(by)])
        }),
        ("a mask added", |c, q, k| {
            let (s, mask) = (product(c, q, k), c.input(&[2, 1, 20, 33]));
            c.op("aten.add.Tensor", vec![v(s), v(mask)])
        }),
        ("masked_fill", |c, q, k| {
            let (s, given) = (product(c, q, k), c.input(&[2, 1, 1, 33]));
            let mask = c.op("aten.gt.Scalar", vec![v(given), Arg::Float(1.0)]);
            c.op("aten.masked_fill.Scalar", vec![v(s), v(mask), Arg::Float(f64::NEG_INFINITY)])
        }),
        ("where, then a mask added", |c, q, k| {
            let (s, given) = (product(c, q, k), c.input(&[20, 33]));
            let mask = c.op("aten.gt.Scalar", vec![v(given), Arg::Float(0.0)]);
            let s = c.op("aten.where.ScalarOther", vec![v(mask), v(s), Arg::Float(-1e9)]);
            c.op("aten.add.Tensor", vec![v(s), v(given)])
        }),
        ("capped", |c, q, k| {
            let s = product(c, q, k);
            let s = c.op("aten.tanh", vec![v(s)]);
            c.op("aten.mul.Scalar", vec![v(s), Arg::Float(5.0)])
        }),
        ("keys times queries", |c, q, k| {
            let (s, a, b) = (product(c, k, q), c.int(-2), c.int(-1));
            c.op("aten.transpose.int", vec![v(s), a, b])
        }),
        ("einsum", |c, q, k| {
            let list = Arg::Values(vec![Some(q), Some(k)]);
            c.op("aten.einsum", vec![Arg::Str("bhqd,bhkd->bhqk".into()), list])
        }),
        ("bmm", |c, q, k| {
            let (q3, k3, s4) = (c.ints(&[6, 20, 16]), c.ints(&[6, 33, 16]), c.ints(&[2, 3, 20, 33]));
            let q = c.op("aten.view", vec![v(q), q3]);
            let k = c.op("aten.view", vec![v(k), k3]);
            let s = product(c, q, k);
            c.op("aten.view", vec![v(s), s4])
        }),
        ("baddbmm", |c, q, k| {
            let (q3, k3, s4) = (c.ints(&[6, 20, 16]), c.ints(&[6, 33, 16]), c.ints(&[2, 3, 20, 33]));
            let (a, b, bias) = (c.int(-2), c.int(-1), c.input(&[6, 20, 33]));
            let q = c.op("aten.view", vec![v(q), q3]);
            let k = c.op("aten.view", vec![v(k), k3]);
            let k = c.op("aten.transpose.int", vec![v(k), a, b]);
            let s = c.op("aten.baddbmm", vec![v(bias), v(q), v(k)]);
            c.op("aten.view", vec![v(s), s4])
        }),
    ];
    for (name, scores) in ways {
        let mut c = Case::new("attention");
        let [q, k, x] = operands(&mut c, &[2, 3], 20, 33, 16);
        let s = scores(&mut c, q, k);
        let dim = c.int(-1);
        let p = c.op("aten.softmax.int", vec![v(s), dim]);
        let p = c.op("aten.dropout", vec![v(p), Arg::Float(0.0), Arg::Bool(false)]);
        let y = c.op("aten.matmul", vec![v(p), v(x)]);
        let kernels = c.kernels(&[y]);
        assert_eq!(kernels.len(), 1, "{name}: {kernels:?}");
        assert_eq!(kernels[0].0, "attention", "{name}");
    }
}

#[test]
fn heads_that_share_keys_read_them_where_they_are() {
    for name in ["repeat_interleave", "expand"] {
        let mut c = Case::new("grouped");
        let (q, k, x) = (c.input(&[2, 6, 20, 16]), c.input(&[2, 2, 33, 16]), c.input(&[2, 2, 33, 16]));
        let mut repeated = |value: Value| {
            if name == "expand" {
                let (one, five, four) = (c.int(2), c.ints(&[2, 2, 3, 33, 16]), c.ints(&[2, 6, 33, 16]));
                let value = c.op("aten.unsqueeze", vec![v(value), one]);
                let value = c.op("aten.expand", vec![v(value), five]);
                return c.op("aten.reshape", vec![v(value), four]);
            }
            let (repeats, dim) = (c.int(3), c.int(1));
            c.op("aten.repeat_interleave.self_int", vec![v(value), repeats, dim])
        };
        let (k, x) = (repeated(k), repeated(x));
        let s = product(&mut c, q, k);
        let dim = c.int(-1);
        let p = c.op("aten.softmax.int", vec![v(s), dim]);
        let y = c.op("aten.matmul", vec![v(p), v(x)]);
        let kernels = c.kernels(&[y]);
        assert_eq!(kernels.len(), 1, "{name}: {kernels:?}");
    }
}

#[test]
fn weights_that_are_wanted_are_computed_once() {
    let mut c = Case::new("weights");
    let [q, k, x] = operands(&mut c, &[2, 3], 20, 33, 16);
    let s = product(&mut c, q, k);
    let dim = c.int(-1);
    let p = c.op("aten.softmax.int", vec![v(s), dim]);
    let y = c.op("aten.matmul", vec![v(p), v(x)]);
    let kernels = c.kernels(&[y, p]);
    assert!(kernels.iter().all(|k| k.0 != "attention"), "{kernels:?}");
}

/// A softmax over a row of minus infinity is NaN, though scaled_dot_product_attention gives zeros there.
#[test]
fn attention_by_hand_to_nothing_is_nan() {
    for by_hand in [true, false] {
        let mut c = Case::new("nothing");
        let [q, k, x] = operands(&mut c, &[1, 2], 5, 7, 8);
        let mask = c.input(&[1, 1, 5, 7]);
        let mask = c.op("aten.gt.Scalar", vec![v(mask), Arg::Float(9.0)]);
        let lowest = c.op("aten.zeros_like", vec![v(mask), Arg::Dtype(Dtype::Float32)]);
        let lowest = c.op("aten.sub.Scalar", vec![v(lowest), Arg::Float(f64::INFINITY)]);
        let y = if by_hand {
            let (s, dim) = (product(&mut c, q, k), c.int(-1));
            let s = c.op("aten.where.self", vec![v(mask), v(s), v(lowest)]);
            let p = c.op("aten.softmax.int", vec![v(s), dim]);
            c.op("aten.matmul", vec![v(p), v(x)])
        } else {
            c.op("aten.scaled_dot_product_attention", vec![v(q), v(k), v(x), v(mask)])
        };
        let nan = c.op("aten.isnan", vec![v(y)]);
        let y = c.op("aten.to.dtype", vec![v(nan), Arg::Dtype(Dtype::Float32)]);
        let sum = c.op("aten.sum", vec![v(y)]);
        let kernels = c.kernels_giving(&[sum], if by_hand { 80.0 } else { 0.0 });
        assert!(kernels.iter().any(|k| k.0 == "attention"), "{kernels:?}");
    }
}

#[test]
fn what_follows_attention_is_its_epilogue() {
    let mut c = Case::new("epilogue");
    let [q, k, x] = operands(&mut c, &[2, 3], 20, 33, 16);
    let residual = c.input(&[2, 20, 48]);
    let y = c.op("aten.scaled_dot_product_attention", vec![v(q), v(k), v(x)]);
    let (one, two, shape) = (c.int(1), c.int(2), c.ints(&[2, 20, 48]));
    let y = c.op("aten.transpose.int", vec![v(y), one, two]);
    let y = c.op("aten.reshape", vec![v(y), shape]);
    let y = c.op("aten.add.Tensor", vec![v(y), v(residual)]);
    let kernels = c.kernels(&[y]);
    assert_eq!(kernels.len(), 1, "{kernels:?}");
    assert_eq!(kernels[0].0, "attention");
}
