//! Attention and its gradient, one score at a time.

use super::InterpError;
use super::contract::dot;
use crate::loops::arithmetic::round_reduced;
use crate::loops::{Attention, AttentionBackward, Band};
use crate::types::Dtype;

/// What is added to scores, or says which count (true).
pub(super) type Mask = Option<(Vec<f64>, bool)>;

/// An attention's operands, dense: query, key, value.
pub(super) struct Operands<'a> {
    pub values: [&'a [f64]; 3],
    pub mask: Mask,
    /// `[batch, heads, queries, head_size]`
    pub query_sizes: &'a [usize],
    /// `[batch, kv_heads, keys, head_size]`
    pub key_sizes: &'a [usize],
    /// `[batch, kv_heads, keys, value_size]`
    pub value_sizes: &'a [usize],
}

/// One query and its scores.
struct Row {
    /// Among all queries of all heads.
    row: usize,
    /// Among all heads of keys and values.
    kv: usize,
    scores: Vec<f64>,
}

impl Operands<'_> {
    /// Goes through all queries in order. `dtype` is that of the scores.
    fn for_each_row(
        &self,
        dtype: Dtype,
        scale: f64,
        band: &Band,
        f: &mut dyn FnMut(&Row),
    ) -> Result<(), InterpError> {
        let [batch, heads, queries, size] = *self.query_sizes else {
            return Err(InterpError::internal("an attention's query has not four dimensions"));
        };
        let (kv_heads, keys) = (self.key_sizes[1], self.key_sizes[2]);
        if kv_heads == 0 && heads > 0 || kv_heads > 0 && heads % kv_heads != 0 {
            return Err(InterpError::internal("an attention's heads are no multiple of its key heads"));
        }
        let causal = *band != Band::default();
        let [query, key, _] = self.values;
        for row in 0..batch * heads * queries {
            let (head, q) = (row / queries, row % queries);
            let kv = head / heads * kv_heads + head % heads / (heads / kv_heads);
            let own = &query[row * size..][..size];
            let score = |k: usize| {
                let score = scaled_score(dtype, scale, own, &key[(kv * keys + k) * size..][..size]);
                match &self.mask {
                    _ if causal && k > q => f64::NEG_INFINITY,
                    Some((m, true)) if m[row * keys + k] == 0.0 => f64::NEG_INFINITY,
                    Some((m, false)) => score + m[row * keys + k],
                    _ => score,
                }
            };
            f(&Row { row, kv, scores: (0..keys).map(score).collect() });
        }
        Ok(())
    }
}

/// The result, and the logarithm of each query's sum of exponentials. A query that attends nothing gives zeros, as PyTorch's
/// attention does.
pub(super) fn attention(
    node: &Attention,
    dtype: Dtype,
    operands: &Operands<'_>,
) -> Result<[Vec<f64>; 2], InterpError> {
    let (keys, width) = (operands.key_sizes[2], operands.value_sizes[3]);
    let rows: usize = operands.query_sizes[..3].iter().product();
    let (mut out, mut log_sum) = (vec![0.0; rows * width], vec![0.0; rows]);
    operands.for_each_row(dtype, node.scale, &node.band, &mut |Row { row, kv, scores }| {
        let highest = scores.iter().fold(f64::NEG_INFINITY, |a, b| if *b > a || b.is_nan() { *b } else { a });
        if highest == f64::NEG_INFINITY {
            return;
        }
        let weights: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
        let sum: f64 = weights.iter().sum();
        log_sum[*row] = highest + sum.ln();
        let result = &mut out[row * width..][..width];
        for (k, weight) in weights.iter().enumerate() {
            let from = &operands.values[2][(kv * keys + k) * width..][..width];
            result.iter_mut().zip(from).for_each(|(r, v)| *r += weight / sum * v);
        }
    })?;
    Ok([out, log_sum])
}

/// The gradients of query, key and value, which have the dtype `stored` in memory. `grad`, `log_sum` and `mean` are as in the node.
pub(super) fn attention_backward(
    node: &AttentionBackward,
    stored: Dtype,
    operands: &Operands<'_>,
    [grad, log_sum, mean]: [&[f64]; 3],
) -> Result<[Vec<f64>; 3], InterpError> {
    let (keys, size, width) = (operands.key_sizes[2], operands.query_sizes[3], operands.value_sizes[3]);
    let [query, key, value] = operands.values;
    let mut grads = [query, key, value].map(|o| vec![0.0; o.len()]);
    let round = |x: f64| match stored {
        Dtype::Float64 => x,
        Dtype::Float32 => f64::from(x as f32),
        half => f64::from(round_reduced(half, x as f32)),
    };
    let add = |sums: &mut [f64], factor: f64, terms: &[f64]| {
        sums.iter_mut().zip(terms).for_each(|(sum, x)| *sum += factor * x);
    };
    operands.for_each_row(stored.compute(), node.scale, &node.band, &mut |Row { row, kv, scores }| {
        let own = &grad[row * width..][..width];
        for (k, score) in scores.iter().enumerate() {
            // A query that attends nothing has a logarithm of zero, and weights of zero.
            let weight = (score - log_sum[*row]).exp();
            let (of_key, of_value) = ((kv * keys + k) * size, (kv * keys + k) * width);
            let change = dot(own, &value[of_value..][..width]) - mean[*row];
            let change = round(node.scale * weight * change);
            add(&mut grads[0][row * size..][..size], change, &key[of_key..][..size]);
            add(&mut grads[1][of_key..][..size], change, &query[row * size..][..size]);
            add(&mut grads[2][of_value..][..width], round(weight), own);
        }
    })?;
    Ok(grads)
}

/// A score of some hundreds has an error in float32 that shows in the result, so it is computed as PyTorch does: each
/// product added in float32, rounded once, and then scaled.
fn scaled_score(dtype: Dtype, scale: f64, query: &[f64], key: &[f64]) -> f64 {
    if dtype == Dtype::Float64 {
        return scale * dot(query, key);
    }
    let sum = query.iter().zip(key).fold(0.0f32, |sum, (x, y)| (*x as f32).mul_add(*y as f32, sum));
    (sum * scale as f32) as f64
}

#[cfg(test)]
mod tests {
    use crate::interp::run_program;
    use crate::loops::text::parse;

    /// The sum of `grad` times the result of an attention, and its gradients. Two heads share keys and values, the band is
    /// causal, and one query attends nothing.
    const ATTENTION: &str = "loops {
  b0: float64[1, 2, 4, 3] input 0
  b1: float64[1, 1, 3, 3] input 1
  b2: float64[1, 1, 3, 2] input 2
  b3: float64[1, 2, 4, 2] input 3
  b4: float64[2, 4, 3] input 4
  b5: float64[1, 2, 4, 2]
  b6: float64[1, 2, 4]
  b7: float64[1, 2, 4]
  b8: float64[]
  b9: float64[1, 2, 4, 3]
  b10: float64[1, 1, 3, 3]
  b11: float64[1, 1, 3, 2]
  node
    b5, b6 = attention [1, 2, 1, 4, 3, 3, 2] at [0, i1, i2, i3] scale 0.7 upper 0
      query = b0[0, i1, i2, i3]
      key = b1[0, 0, i2, i3]
      value = b2[0, 0, i2, i3]
      mask = b4[i1, i2, i3]
  node
    b7 = Sum over [2] for [1, 2, 4]
      value = Mul(b5[0, i1, i2, i3], b3[0, i1, i2, i3])
  node
    b8 = Sum over [2, 4] for []
      value = b7[0, i0, i1]
  node
    b9, b10, b11 = attention_backward [1, 2, 1, 4, 3, 3, 2] of query key value scale 0.7 upper 0
      query = b0[0, i1, i2, i3]
      key = b1[0, 0, i2, i3]
      value = b2[0, 0, i2, i3]
      grad = b3[0, i1, i2, i3]
      log_sum = b6[0, i1, i2]
      mean = b7[0, i1, i2]
      mask = b4[i1, i2, i3]
  output b8
  output b9
  output b10
  output b11
}
";

    #[test]
    fn attentions_gradient_is_its_slope() {
        let p = parse(ATTENTION).unwrap_or_else(|e| panic!("{e}"));
        let values = |count: usize| -> Vec<f64> {
            (0..count).map(|k| (k * k + count) as f64 * 0.37 % 2.0 - 1.0).collect()
        };
        let mut inputs: Vec<Vec<f64>> = [24, 9, 6, 16, 24].map(values).to_vec();
        // The second query of the first head attends nothing, and the last one of the second not the first key.
        inputs[4][3..6].fill(f64::NEG_INFINITY);
        inputs[4][21] = f64::NEG_INFINITY;
        let results = |inputs: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let bytes: Vec<Vec<u8>> =
                inputs.iter().map(|v| v.iter().flat_map(|x| x.to_ne_bytes()).collect()).collect();
            let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
            let number = |b: &[u8]| f64::from_ne_bytes(b.try_into().unwrap());
            let found = run_program(&p, &bytes, &[], &|_| None).unwrap().0;
            found.iter().map(|out| out.chunks_exact(8).map(number).collect()).collect()
        };
        let grads = results(&inputs);
        for operand in 0..3 {
            for k in 0..inputs[operand].len() {
                let at = |step: f64| {
                    let mut inputs = inputs.clone();
                    inputs[operand][k] += step;
                    results(&inputs)[0][0]
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                let found = grads[1 + operand][k];
                assert!((found - slope).abs() < 1e-8, "operand {operand}, element {k}: {found}, not {slope}");
            }
        }
        assert_eq!(grads[1][3..6], [0.0; 3]);
        assert!(grads[1].iter().filter(|g| **g != 0.0).count() > 12);
    }
}
