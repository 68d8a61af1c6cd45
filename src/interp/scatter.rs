//! Stores at computed indices, one after the other: a later value is set over an earlier one, or combined with it.
//!
//! Invariant: an index outside of the output is an error or leaves the point out, never a write.

use super::InterpError;
use super::eval::Machine;
use super::reduce::{Number, number};
use super::storage::{Dense, Slot};
use crate::loops::ScatterMode;
use crate::loops::arithmetic as f;
use crate::types::Dtype;

/// Results of the code: the value, the data, then one index for each dimension of the output.
pub(super) fn scatter(
    m: &mut Machine<'_>,
    values: &mut Dense,
    out: &Slot<'_>,
    mode: ScatterMode,
) -> Result<(), InterpError> {
    let rank = out.sizes.len();
    m.run(&mut |_, n, m| {
        let value = m.result(0, n);
        let first = m.results() - rank;
        'points: for k in 0..n {
            let mut place = 0i64;
            for d in 0..rank {
                let Number::Integer(i) = number(m.result(first + d, n), k) else {
                    return Err(InterpError::internal("an index that is no integer"));
                };
                let size = out.sizes[d];
                if i == size && mode.leaves_out() {
                    continue 'points;
                }
                if i < 0 || i >= size {
                    return Err(InterpError::OutOfBounds { buffer: out.buffer, index: i, size });
                }
                place = place * size + i;
            }
            combine(values, place as usize, number(value, k), mode, out.dtype);
        }
        Ok(())
    })
}

fn combine(values: &mut Dense, place: usize, x: Number, mode: ScatterMode, dtype: Dtype) {
    let op = mode.combination();
    match (values, x) {
        (Dense::Float32(v), Number::Float(x)) => {
            let new = op.map_or(x as f32, |op| f::float32_binary(op, v[place], x as f32));
            v[place] = f::round_reduced(dtype, new);
        }
        (Dense::Float64(v), Number::Float(x)) => {
            v[place] = op.map_or(x, |op| f::float64_binary(op, v[place], x));
        }
        (Dense::Integer(v), Number::Integer(x)) => {
            let new = op.map_or(x, |op| f::int_binary(op, dtype, v[place], x));
            v[place] = f::wrap(dtype, new);
        }
        // Value and output have one dtype, which is checked when the node is made.
        _ => {}
    }
}
