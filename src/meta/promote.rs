//! Result dtypes of mixed operands, and the layout of element-wise results: PyTorch's two conventions that nearly
//! every operator shares.

use crate::base::StableSort;
use crate::ir::{Arg, Graph};
use crate::types::{
    Dtype, MemoryFormat, SymArena, SymInt, TensorMeta, contiguous_strides, dense_order, promote,
};

/// The dtype that these arguments promote to, as `torch.result_type`: tensors with dimensions outrank 0-d tensors,
/// and those outrank numbers, unless the lower rank has the higher category. Absent arguments do not count.
/// The error names two dtypes that have no common one.
pub fn result_type<'a>(graph: &Graph, args: impl IntoIterator<Item = &'a Arg>) -> Result<Dtype, String> {
    ranked_type(args.into_iter().filter_map(|arg| {
        Some(match arg {
            Arg::Value(v) => {
                let meta = graph.meta(*v);
                (usize::from(meta.rank() == 0), meta.dtype)
            }
            Arg::Int(_) => (2, Dtype::Int64),
            Arg::Float(_) | Arg::SymFloat(_) => (2, Dtype::Float32),
            Arg::Complex(_) => (2, Dtype::Complex64),
            Arg::Bool(_) => (2, Dtype::Bool),
            _ => return None,
        })
    }))
}

/// [`result_type`] of dtypes with their ranks: 0 for tensors with dimensions, 1 for those without, 2 for numbers.
pub fn ranked_type(operands: impl IntoIterator<Item = (usize, Dtype)>) -> Result<Dtype, String> {
    let mut ranks: [Option<Dtype>; 3] = [None; 3];
    for (rank, dtype) in operands {
        ranks[rank] = Some(match ranks[rank] {
            Some(have) => join(have, dtype)?,
            None => dtype,
        });
    }
    let low = combine(ranks[1], ranks[2])?;
    Ok(combine(ranks[0], low)?.unwrap_or(Dtype::Float32))
}

fn join(a: Dtype, b: Dtype) -> Result<Dtype, String> {
    promote(a, b).ok_or_else(|| format!("{a} and {b} do not promote"))
}

fn combine(high: Option<Dtype>, low: Option<Dtype>) -> Result<Option<Dtype>, String> {
    Ok(match (high, low) {
        (Some(h), Some(l)) if l.category() > h.category() => Some(join(h, l)?),
        (Some(h), _) => Some(h),
        (None, l) => l,
    })
}

/// The strides that PyTorch gives a new tensor of this shape computed element-wise from these operands: those of
/// the operands where they agree and leave no gaps, otherwise dense in the operands' order of dimensions. Where
/// strides compare differently for different values of symbols, row-major.
pub fn elementwise_strides(syms: &SymArena, shape: &[SymInt], operands: &[&TensorMeta]) -> Vec<SymInt> {
    let contiguous = contiguous_strides(syms, shape);
    let dims: Vec<&TensorMeta> = operands.iter().copied().filter(|t| t.rank() > 0).collect();
    if dims.iter().all(|t| t.shape == shape && t.strides == contiguous) {
        return contiguous;
    }
    let same_shape = dims.iter().all(|t| t.shape == shape);
    if same_shape && dims.iter().all(|t| t.is_contiguous(syms)) {
        return contiguous;
    }
    let same_strides = dims.windows(2).all(|w| w[0].strides == w[1].strides);
    if same_shape && same_strides && is_dense(syms, dims[0]) {
        return dims[0].strides.clone();
    }
    match dimension_order(syms, shape, &dims) {
        Some(order) => dense_strides(syms, shape, &order),
        None => contiguous,
    }
}

/// True when every element of the tensor's span belongs to exactly one index.
pub fn is_dense(syms: &SymArena, meta: &TensorMeta) -> bool {
    let mut order: Vec<usize> = (0..meta.rank()).collect();
    let Some(known) = syms.as_consts(&meta.strides) else {
        return dense_order(syms, &meta.shape, &meta.strides).is_some();
    };
    order.stable_sort_by_key(|k| (known[*k], syms.as_const(meta.shape[*k])));
    let mut expected = syms.constant(1);
    for k in order {
        if syms.as_const(meta.shape[k]) == Some(1) {
            continue;
        }
        if meta.strides[k] != expected {
            return false;
        }
        expected = syms.mul(expected, meta.shape[k]);
    }
    true
}

/// Dense strides in a memory format, or `None` where the format is for another rank. `Preserve` is contiguous.
pub fn memory_format_strides(syms: &SymArena, shape: &[SymInt], format: MemoryFormat) -> Option<Vec<SymInt>> {
    let fastest_first: &[usize] = match (format, shape.len()) {
        (MemoryFormat::Contiguous | MemoryFormat::Preserve, _) => {
            return Some(contiguous_strides(syms, shape));
        }
        (MemoryFormat::ChannelsLast, 4) => &[1, 3, 2, 0],
        (MemoryFormat::ChannelsLast3d, 5) => &[1, 4, 3, 2, 0],
        _ => return None,
    };
    Some(dense_strides(syms, shape, fastest_first))
}

/// Dense strides with the dimensions from the fastest to the slowest in the given order.
pub fn dense_strides(syms: &SymArena, shape: &[SymInt], fastest_first: &[usize]) -> Vec<SymInt> {
    let one = syms.constant(1);
    let mut strides = vec![one; shape.len()];
    let mut next = one;
    for k in fastest_first {
        strides[*k] = next;
        next = syms.mul(next, syms.max(shape[*k], one));
    }
    strides
}

/// Strides of a result of this shape that is one of two tensors. It lies in the order of dimensions that both have in memory, and is
/// contiguous if they differ in that.
pub fn common_strides(syms: &SymArena, a: &TensorMeta, b: &TensorMeta, shape: &[SymInt]) -> Vec<SymInt> {
    let order = |meta: &TensorMeta| dense_order(syms, &meta.shape, &meta.strides);
    match order(a).filter(|own| order(b).as_ref() == Some(own)) {
        Some(_) if a.shape == shape => a.strides.clone(),
        Some(order) => {
            let fastest_first: Vec<usize> = order.into_iter().rev().collect();
            dense_strides(syms, shape, &fastest_first)
        }
        None => contiguous_strides(syms, shape),
    }
}

/// The order of dimensions, fastest first, that the operands' strides ask for; `None` where it depends on symbols.
fn dimension_order(syms: &SymArena, shape: &[SymInt], operands: &[&TensorMeta]) -> Option<Vec<usize>> {
    let rank = shape.len();
    let zero = syms.constant(0);
    let stride = |t: &TensorMeta, k: usize| {
        let skip = rank - t.rank();
        if k < skip || (t.shape[k - skip] != shape[k] && syms.as_const(t.shape[k - skip]) == Some(1)) {
            zero
        } else {
            t.strides[k - skip]
        }
    };
    // 1: the first dimension belongs after the second; -1: before; 0: nothing says.
    let compare = |first: usize, second: usize| -> Option<i32> {
        for t in operands {
            let (a, b) = (stride(t, first), stride(t, second));
            if a == zero || b == zero {
                continue;
            }
            if a == b {
                if shape[first] == shape[second] || syms.known_le(shape[first], shape[second]) {
                    continue;
                }
                return syms.known_lt(shape[second], shape[first]).then_some(1);
            }
            if syms.known_le(a, b) {
                return Some(-1);
            }
            return syms.known_le(b, a).then_some(1);
        }
        Some(0)
    };
    let mut order: Vec<usize> = (0..rank).rev().collect();
    for i in 1..rank {
        let mut at = i;
        for before in (0..i).rev() {
            match compare(order[before], order[at])? {
                1 => {
                    order.swap(before, at);
                    at = before;
                }
                -1 => break,
                _ => {}
            }
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(syms: &SymArena, shape: &[i64], strides: &[i64]) -> TensorMeta {
        let list = |v: &[i64]| v.iter().map(|x| syms.constant(*x)).collect::<Vec<_>>();
        TensorMeta {
            dtype: Dtype::Float32,
            shape: list(shape),
            strides: list(strides),
            offset: syms.constant(0),
        }
    }

    fn strides(syms: &SymArena, shape: &[i64], operands: &[&TensorMeta]) -> Vec<i64> {
        let shape: Vec<SymInt> = shape.iter().map(|x| syms.constant(*x)).collect();
        syms.as_consts(&elementwise_strides(syms, &shape, operands)).unwrap()
    }

    #[test]
    fn results_keep_the_layout_of_their_operands() {
        let syms = SymArena::new();
        let transposed = meta(&syms, &[3, 4], &[1, 3]);
        let plain = meta(&syms, &[3, 4], &[4, 1]);
        let row = meta(&syms, &[4], &[1]);
        let channels_last = meta(&syms, &[2, 3, 4, 5], &[60, 1, 15, 3]);
        let bias = meta(&syms, &[3, 1, 1], &[1, 1, 1]);
        assert_eq!(strides(&syms, &[3, 4], &[&transposed]), [1, 3]);
        assert_eq!(strides(&syms, &[3, 4], &[&transposed, &plain]), [1, 3]);
        assert_eq!(strides(&syms, &[3, 4], &[&plain, &transposed]), [4, 1]);
        assert_eq!(strides(&syms, &[3, 4], &[&transposed, &row]), [1, 3]);
        assert_eq!(strides(&syms, &[2, 3, 4, 5], &[&channels_last, &bias]), [60, 1, 15, 3]);
        // A slice with gaps: dense in its order.
        let gaps = meta(&syms, &[3, 4], &[1, 10]);
        assert_eq!(strides(&syms, &[3, 4], &[&gaps]), [1, 3]);
        // An expanded operand.
        let expanded = meta(&syms, &[3, 4], &[0, 1]);
        assert_eq!(strides(&syms, &[3, 4], &[&expanded]), [4, 1]);
    }
}
