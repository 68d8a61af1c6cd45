//! Matrix products, convolutions and attention over operands computed in full, summed in float64; but see `scaled_score` and
//! `add_products`.

use super::InterpError;
use super::storage::{Dense, from_f64};
use crate::loops::Convolution;
use crate::loops::arithmetic as f;
use crate::types::Dtype;

/// Several partial sums, so that additions need not wait for each other.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let whole = a.len() / LANES * LANES;
    for (x, y) in a[..whole].chunks_exact(LANES).zip(b[..whole].chunks_exact(LANES)) {
        for k in 0..LANES {
            sums[k] += x[k] * y[k];
        }
    }
    let tail: f64 = a[whole..].iter().zip(&b[whole..]).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + tail
}

/// `out[batch, m, n] = sum over k of a[batch, m, k] * b[batch, n, k]`
pub(super) fn gemm(
    dtype: Dtype,
    [batch, m, n, k]: [usize; 4],
    a: &Dense,
    b: &Dense,
) -> Result<Dense, InterpError> {
    if let (Dense::Integer(a), Dense::Integer(b)) = (a, b) {
        let mut out = Vec::with_capacity(batch * m * n);
        for s in 0..batch {
            for i in 0..m {
                for j in 0..n {
                    let x = &a[(s * m + i) * k..][..k];
                    let y = &b[(s * n + j) * k..][..k];
                    let sum = x.iter().zip(y).fold(0i64, |t, (x, y)| t.wrapping_add(x.wrapping_mul(*y)));
                    out.push(f::wrap(dtype, sum));
                }
            }
        }
        return Ok(Dense::Integer(out));
    }
    let (a, b) = (a.to_f64(), b.to_f64());
    let mut out = Vec::with_capacity(batch * m * n);
    for s in 0..batch {
        for i in 0..m {
            let row = &a[(s * m + i) * k..][..k];
            for j in 0..n {
                out.push(dot(row, &b[(s * n + j) * k..][..k]));
            }
        }
    }
    Ok(from_f64(dtype, &out))
}

/// Outputs whose window of one tap lies inside the input: `first..end` of `0..size`.
fn inside(offset: i64, stride: i64, input: i64, size: i64) -> (usize, usize) {
    // place = out * stride + offset must be within 0..input
    let first = if offset >= 0 { 0 } else { (-offset + stride - 1) / stride };
    let end = if input <= offset { 0 } else { (input - 1 - offset) / stride + 1 };
    let end = end.clamp(0, size);
    (first.min(end) as usize, end as usize)
}

pub(super) fn convolution(
    node: &Convolution,
    dtype: Dtype,
    (input, input_sizes): (&Dense, &[usize]),
    (weight, weight_sizes): (&Dense, &[usize]),
    out_sizes: &[i64],
) -> Result<Dense, InterpError> {
    if !dtype.is_float() {
        return Err(InterpError::internal("a convolution of integers"));
    }
    let (input, weight) = (input.to_f64(), weight.to_f64());
    let [channels, height, width] = [input_sizes[1], input_sizes[2], input_sizes[3]];
    let [outs, per_group, kernel_height, kernel_width] = *weight_sizes else {
        return Err(InterpError::internal("a convolution's weight has not four dimensions"));
    };
    let groups = node.groups as usize;
    let out_height = out_sizes[2] as usize;
    let out_width = out_sizes[3] as usize;
    let batch = out_sizes[0] as usize;
    if groups == 0 || channels != per_group * groups || outs % groups != 0 || out_sizes[1] as usize != outs {
        return Err(InterpError::internal("a convolution's groups do not divide its channels"));
    }
    if batch != input_sizes[0] {
        return Err(InterpError::internal("a convolution's batch sizes differ"));
    }
    let single = dtype == Dtype::Float32 && kernel_height * kernel_width == 1;
    let outs_per_group = outs / groups;
    let mut out = vec![0.0f64; batch * outs * out_height * out_width];
    for n in 0..batch {
        for o in 0..outs {
            let group = o / outs_per_group;
            let plane = &mut out[(n * outs + o) * out_height * out_width..][..out_height * out_width];
            for c in 0..per_group {
                let source =
                    &input[(n * channels + group * per_group + c) * height * width..][..height * width];
                for ky in 0..kernel_height {
                    let dy = ky as i64 * node.dilation[0] - node.padding[0];
                    let (y0, y1) = inside(dy, node.stride[0], height as i64, out_height as i64);
                    for kx in 0..kernel_width {
                        let factor = weight[((o * per_group + c) * kernel_height + ky) * kernel_width + kx];
                        let dx = kx as i64 * node.dilation[1] - node.padding[1];
                        let (x0, x1) = inside(dx, node.stride[1], width as i64, out_width as i64);
                        if x0 >= x1 {
                            continue;
                        }
                        for y in y0..y1 {
                            let line = (y as i64 * node.stride[0] + dy) as usize * width;
                            let from = line + (x0 as i64 * node.stride[1] + dx) as usize;
                            let taps = source[from..].iter().step_by(node.stride[1] as usize);
                            let row = &mut plane[y * out_width + x0..y * out_width + x1];
                            add_products(row, factor, taps, single);
                        }
                    }
                }
            }
        }
    }
    Ok(from_f64(dtype, &out))
}

/// Where the window is one element, as in the columns that a transposed convolution adds up, float32 is rounded at each
/// step, as machines and PyTorch do: sums of columns that cancel show it.
fn add_products<'a>(sums: &mut [f64], factor: f64, taps: impl Iterator<Item = &'a f64>, single: bool) {
    let pairs = sums.iter_mut().zip(taps);
    if single {
        pairs.for_each(|(sum, x)| *sum = f64::from((factor as f32).mul_add(*x as f32, *sum as f32)));
    } else {
        pairs.for_each(|(sum, x)| *sum += factor * x);
    }
}
