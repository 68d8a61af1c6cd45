//! The geometry of views: strides, slices and reshapes as symbolic arithmetic, shared by inference and lowering.
//!
//! Invariants: nothing here decides what symbols leave open without saying so in its result.
//!
//! Deliberately absent: tensors and values; see `meta` and `loops::lower` for who uses what.

use super::{SymArena, SymInt, contiguous_strides};
use crate::base::StableSort;

/// The strides that show a tensor of `shape` and `strides` as one of `new_shape` with as many elements, without
/// moving any; `None` where there are none, or where the symbols leave it open.
pub fn view_strides(
    syms: &SymArena,
    shape: &[SymInt],
    strides: &[SymInt],
    new_shape: &[SymInt],
) -> Option<Vec<SymInt>> {
    let one = syms.constant(1);
    if shape == new_shape {
        return Some(strides.to_vec());
    }
    let as_contiguous = contiguous_strides(syms, shape);
    let is_one = |s: SymInt| syms.as_const(s) == Some(1);
    let contiguous = (0..shape.len()).all(|k| strides[k] == as_contiguous[k] || is_one(shape[k]));
    if contiguous || syms.as_const(syms.product(shape)) == Some(0) {
        return Some(contiguous_strides(syms, new_shape));
    }
    let mut result = vec![one; new_shape.len()];
    let mut left = new_shape.len();
    let mut base = *strides.last()?;
    // Twice the number of elements of the run of dimensions so far: as it is, and with empty sizes counted as 1, as
    // strides count them.
    let (mut run, mut run_filled, mut seen) = (one, one, one);
    for k in (0..shape.len()).rev() {
        run = syms.mul(run, shape[k]);
        run_filled = syms.mul(run_filled, syms.max(shape[k], one));
        let joins = k > 0
            && (is_one(shape[k - 1])
                || strides[k - 1] == syms.mul(run, base)
                || strides[k - 1] == syms.mul(run_filled, base));
        if joins {
            continue;
        }
        while left > 0 && (!syms.known_eq(seen, run) || is_one(new_shape[left - 1])) {
            if syms.known_lt(run, seen) {
                return None;
            }
            result[left - 1] = syms.mul(seen, base);
            seen = syms.mul(seen, new_shape[left - 1]);
            left -= 1;
        }
        if !syms.known_eq(seen, run) {
            return None;
        }
        if k > 0 {
            (base, run, run_filled, seen) = (strides[k - 1], one, one, one);
        }
    }
    (left == 0).then_some(result)
}

/// The strides of a new tensor that keeps the order of another one's dimensions in memory (PyTorch's "preserve"
/// format): its own where it is dense, otherwise dense ones in the same order. Contiguous where symbols leave the
/// order open.
pub fn preserved_strides(syms: &SymArena, shape: &[SymInt], strides: &[SymInt]) -> Vec<SymInt> {
    let one = syms.constant(1);
    let as_contiguous = contiguous_strides(syms, shape);
    let (Some(sizes), Some(steps)) = (syms.as_consts(shape), syms.as_consts(strides)) else {
        return symbolic_order(syms, shape, strides).unwrap_or(as_contiguous);
    };
    let mut order: Vec<usize> = (0..shape.len()).collect();
    order.stable_sort_by_key(|k| (steps[*k], sizes[*k]));
    let mut next = Some(1i64);
    let dense = sizes.contains(&0)
        || order.iter().filter(|k| sizes[**k] != 1).all(|k| {
            let fits = Some(steps[*k]) == next;
            next = next.and_then(|n| n.checked_mul(sizes[*k]));
            fits
        });
    if dense {
        return strides.to_vec();
    }
    // PyTorch compares neighbours, and leaves broadcast dimensions where they are.
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    let swaps = |a: usize, b: usize| match (steps[a], steps[b]) {
        (0, _) | (_, 0) => None,
        (x, y) if x < y => Some(false),
        (x, y) if x > y => Some(true),
        _ if sizes[a] > sizes[b] => Some(true),
        _ => None,
    };
    for i in 1..order.len() {
        let mut place = i;
        for j in (0..i).rev() {
            match swaps(order[j], order[place]) {
                Some(true) => {
                    order.swap(j, place);
                    place = j;
                }
                Some(false) => break,
                None => {}
            }
        }
    }
    let mut result = vec![one; shape.len()];
    let mut step = one;
    for k in order {
        result[k] = step;
        step = syms.mul(step, syms.max(shape[k], one));
    }
    result
}

/// True for an image that PyTorch takes for one with its channels last: four dimensions (five with a depth), each stride at
/// least what the dimensions inside of it span. A channel stride of 0, and sizes of 1 that leave it open, do not count.
pub fn lies_channels_last(syms: &SymArena, shape: &[SymInt], strides: &[SymInt]) -> bool {
    let order: &[usize] = match shape.len() {
        4 => &[1, 3, 2, 0],
        5 => &[1, 4, 3, 2, 0],
        _ => return false,
    };
    if syms.as_const(strides[1]).is_none_or(|s| s == 0) {
        return false;
    }
    let (one, mut least) = (syms.constant(1), syms.constant(0));
    for k in order {
        let (size, stride) = (shape[*k], strides[*k]);
        if syms.as_const(size) == Some(0) || !syms.known_le(least, stride) {
            return false;
        }
        // Contiguous images of one channel look the same.
        if *k == 0 && syms.known_eq(least, strides[1]) {
            return false;
        }
        least = stride;
        if syms.range(size).max > 1 {
            least = syms.mul(least, syms.max(size, one));
        }
    }
    true
}

/// The dimensions of a tensor that is contiguous with its dimensions in another order, outermost first; those of size 1 come
/// first of all. `None` for strides that leave gaps or repeat elements, or where the symbols leave it open.
pub fn dense_order(syms: &SymArena, shape: &[SymInt], strides: &[SymInt]) -> Option<Vec<usize>> {
    let one = syms.constant(1);
    let (mut order, mut left): (Vec<usize>, Vec<usize>) =
        (0..shape.len()).partition(|k| syms.as_const(shape[*k]) == Some(1));
    let mut inner = Vec::new();
    let (mut step, mut filled) = (one, one);
    while !left.is_empty() {
        // The last one first: where sizes of 1 are not known as such, dimensions stay in their order.
        let place = left.iter().rposition(|k| strides[*k] == step || strides[*k] == filled)?;
        let k = left.remove(place);
        step = syms.mul(step, shape[k]);
        filled = syms.mul(filled, syms.max(shape[k], one));
        inner.push(k);
    }
    order.extend(inner.into_iter().rev());
    Some(order)
}

/// True for strides that are known to give each element a place of its own.
pub fn lies_apart(syms: &SymArena, shape: &[SymInt], strides: &[SymInt]) -> bool {
    if dense_order(syms, shape, strides).is_some() {
        return true;
    }
    let (Some(sizes), Some(steps)) = (syms.as_consts(shape), syms.as_consts(strides)) else { return false };
    let mut dims: Vec<(i64, i64)> = steps.into_iter().zip(sizes).filter(|(_, size)| *size != 1).collect();
    dims.stable_sort();
    let mut reach = Some(0i64);
    dims.into_iter().all(|(step, size)| {
        let apart = size == 0 || reach.is_some_and(|r| step > r);
        reach = reach.and_then(|r| step.checked_mul((size - 1).max(0))?.checked_add(r));
        apart
    })
}

/// The strides themselves when they are those of a contiguous tensor with its dimensions in another order.
fn symbolic_order(syms: &SymArena, shape: &[SymInt], strides: &[SymInt]) -> Option<Vec<SymInt>> {
    let one = syms.constant(1);
    let mut left: Vec<usize> = (0..shape.len()).filter(|k| syms.as_const(shape[*k]) != Some(1)).collect();
    let (mut step, mut filled) = (one, one);
    while !left.is_empty() {
        let place = left.iter().position(|k| strides[*k] == step || strides[*k] == filled)?;
        let k = left.remove(place);
        step = syms.mul(step, shape[k]);
        filled = syms.mul(filled, syms.max(shape[k], one));
    }
    Some(strides.to_vec())
}

/// A slice as Python clamps it: the first index, and how many there are. `None` for a bound stands for "from the
/// start" or "to the end"; `step` is positive. PyTorch counts known numbers in 64 bits that wrap, which gives 0 or a
/// negative count for steps near the largest integer.
pub fn slice_range(
    syms: &SymArena,
    size: SymInt,
    start: Option<SymInt>,
    end: Option<SymInt>,
    step: SymInt,
) -> (SymInt, SymInt) {
    let zero = syms.constant(0);
    let bound = |given: SymInt| -> SymInt {
        match syms.as_const(given) {
            // PyTorch writes "to the end" as the largest integer.
            Some(v) if v >= i64::MAX / 2 => return size,
            Some(v) if v < i64::MIN / 2 => return zero,
            _ => {}
        }
        let shifted = syms.select(syms.lt(given, zero), syms.add(given, size), given);
        syms.min(syms.max(shifted, zero), size)
    };
    let start = start.map_or(zero, bound);
    let end = end.map_or(size, bound);
    let span = syms.max(syms.sub(end, start), zero);
    let count = match (syms.as_const(span), syms.as_const(step)) {
        (Some(span), Some(step)) if step > 0 => syms.constant(span.wrapping_add(step - 1) / step),
        _ => syms.ceildiv(span, step),
    };
    (start, count)
}

/// Where element `index` of a row-major tensor of `new_sizes` lies in one of `old_sizes` with as many elements.
/// Dimensions that stand for each other are kept apart, so that only what is really split or joined divides.
pub fn reshape_index(
    syms: &SymArena,
    old_sizes: &[SymInt],
    new_sizes: &[SymInt],
    index: &[SymInt],
) -> Vec<SymInt> {
    let zero = syms.constant(0);
    if syms.as_const(syms.product(old_sizes)) == Some(0) {
        return vec![zero; old_sizes.len()];
    }
    let mut result = Vec::with_capacity(old_sizes.len());
    let (mut i, mut j) = (0, 0);
    while i < old_sizes.len() || j < new_sizes.len() {
        let (di, dj) = next_group(syms, &old_sizes[i..], &new_sizes[j..]);
        let flat = flatten_index(syms, &new_sizes[j..j + dj], &index[j..j + dj]);
        result.extend(unflatten_index(syms, &old_sizes[i..i + di], flat));
        (i, j) = (i + di, j + dj);
    }
    result
}

/// The fewest leading dimensions of both with equal products.
fn next_group(syms: &SymArena, old: &[SymInt], new: &[SymInt]) -> (usize, usize) {
    for total in 1..=old.len() + new.len() {
        for di in 0..=total.min(old.len()) {
            let dj = total - di;
            if dj > new.len() {
                continue;
            }
            // Nothing may be left on one side but sizes of 1.
            let (a, b) = (syms.product(&old[..di]), syms.product(&new[..dj]));
            let (c, d) = (syms.product(&old[di..]), syms.product(&new[dj..]));
            if syms.known_eq(a, b) && (syms.known_eq(c, d) || (di < old.len() && dj < new.len())) {
                return (di, dj);
            }
        }
    }
    (old.len(), new.len())
}

/// The position of an index in row-major order.
pub fn flatten_index(syms: &SymArena, sizes: &[SymInt], index: &[SymInt]) -> SymInt {
    let mut flat = syms.constant(0);
    for (size, i) in sizes.iter().zip(index) {
        flat = syms.add(syms.mul(flat, *size), *i);
    }
    flat
}

/// The index of a position in row-major order; the inverse of [`flatten_index`].
pub fn unflatten_index(syms: &SymArena, sizes: &[SymInt], flat: SymInt) -> Vec<SymInt> {
    let mut result = vec![syms.constant(0); sizes.len()];
    let mut step = syms.constant(1);
    let first = sizes.iter().position(|s| syms.as_const(*s) != Some(1));
    for k in (0..sizes.len()).rev() {
        if syms.as_const(sizes[k]) == Some(1) {
            continue;
        }
        let quotient = syms.floordiv(flat, step);
        result[k] = if Some(k) == first { quotient } else { syms.modulo(quotient, sizes[k]) };
        step = syms.mul(step, sizes[k]);
    }
    result
}
