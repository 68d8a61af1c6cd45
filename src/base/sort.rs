//! Sorting of short lists, with one copy of the algorithm in the library. The standard library makes two kilobytes of code
//! and more for each type and each comparison. Here positions are sorted, by one function for all, and the items follow them.
//!
//! Invariant: items that compare equal keep their order.
//!
//! Deliberately absent: sorting of tensors' elements, which kernels do.

use std::cmp::Ordering;

/// Lists up to this length are sorted by insertion, without memory.
const SHORT: usize = 16;

/// Stable sorting, in place of the standard library's methods.
pub trait StableSort<T> {
    fn stable_sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    fn stable_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.stable_sort_by(|a, b| key(a).cmp(&key(b)));
    }

    fn stable_sort(&mut self)
    where
        T: Ord,
    {
        self.stable_sort_by(T::cmp);
    }
}

impl<T> StableSort<T> for [T] {
    fn stable_sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        if self.len() <= SHORT {
            for end in 1..self.len() {
                let mut at = end;
                while at > 0 && compare(&self[at - 1], &self[at]).is_gt() {
                    self.swap(at - 1, at);
                    at -= 1;
                }
            }
            return;
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        sort_positions(&mut order, &mut |a, b| compare(&self[a], &self[b]));
        // Along each cycle of the permutation, every item moves to its place by one exchange.
        for start in 0..order.len() {
            let mut at = start;
            loop {
                let from = std::mem::replace(&mut order[at], at);
                if from == start {
                    break;
                }
                self.swap(at, from);
                at = from;
            }
        }
    }
}

/// The copy that all share.
fn sort_positions(order: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    order.sort_by(|a, b| compare(*a, *b));
}

#[cfg(test)]
mod tests {
    use super::StableSort;

    #[test]
    fn equal_items_keep_their_order_at_every_length() {
        let mut state = 1u64;
        for length in 0..200 {
            let mut items: Vec<(u64, usize)> = (0..length)
                .map(|k| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 61, k)
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_by_key(|i| i.0);
            items.stable_sort_by_key(|i| i.0);
            assert_eq!(items, expected);
        }
    }
}
