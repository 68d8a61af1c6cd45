//! Recurrences, step by step in double precision.

use super::InterpError;
use super::storage::{Dense, from_f64};
use crate::loops::{Cell, Recurrence};
use crate::types::Dtype;

/// A recurrence's operands as numbers: gates, weight, first, bias, first cell, projection.
pub(super) type RecurrenceOperands = [Option<Vec<f64>>; 6];

/// The hidden values of all steps, the last ones, and the last cell state. Gives `[out, last, last_cell]`; what a
/// step hands on is rounded to `dtype`.
pub(super) fn recurrence(
    node: &Recurrence,
    dtype: Dtype,
    operands: &RecurrenceOperands,
    [steps, batch, hidden, projected]: [usize; 4],
) -> Result<[Dense; 3], InterpError> {
    let [Some(gates), Some(weight), Some(first), bias, first_cell, projection] = operands else {
        return Err(InterpError::internal("a recurrence lacks an operand"));
    };
    let width = hidden * node.cell.gates() as usize;
    let round = |x: f64| if dtype == Dtype::Float32 { x as f32 as f64 } else { x };
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let mut out = vec![0.0; steps * batch * projected];
    let mut h = first.clone();
    let mut c = first_cell.clone().unwrap_or_default();
    for k in 0..steps {
        let step = if node.reverse { steps - 1 - k } else { k };
        for b in 0..batch {
            let place = if node.batch_first { b * steps + step } else { step * batch + b };
            let x = &gates[place * width..][..width];
            let own = &h[b * projected..][..projected];
            let mut g = bias.clone().unwrap_or_else(|| vec![0.0; width]);
            for (value, row) in own.iter().zip(weight.chunks(width.max(1))) {
                g.iter_mut().zip(row).for_each(|(sum, w)| *sum += value * w);
            }
            let made: Vec<f64> = (0..hidden)
                .map(|j| {
                    let (x, g) = (|q: usize| x[q * hidden + j], |q: usize| g[q * hidden + j]);
                    round(match node.cell {
                        Cell::Tanh => (x(0) + g(0)).tanh(),
                        Cell::Relu => {
                            let sum = x(0) + g(0);
                            if sum < 0.0 { 0.0 } else { sum }
                        }
                        Cell::Lstm => {
                            let state = &mut c[b * hidden + j];
                            let kept = sigmoid(x(1) + g(1)) * *state;
                            *state = round(kept + sigmoid(x(0) + g(0)) * (x(2) + g(2)).tanh());
                            sigmoid(x(3) + g(3)) * state.tanh()
                        }
                        Cell::Gru => {
                            let (reset, update) = (sigmoid(x(0) + g(0)), sigmoid(x(1) + g(1)));
                            let fresh = (x(2) + reset * g(2)).tanh();
                            (own[j] - fresh) * update + fresh
                        }
                    })
                })
                .collect();
            let made = match projection {
                None => made,
                Some(p) => (0..projected)
                    .map(|n| round(made.iter().enumerate().map(|(j, v)| v * p[j * projected + n]).sum()))
                    .collect(),
            };
            h[b * projected..][..projected].copy_from_slice(&made);
            out[place * projected..][..projected].copy_from_slice(&made);
        }
    }
    Ok([from_f64(dtype, &out), from_f64(dtype, &h), from_f64(dtype, &c)])
}
