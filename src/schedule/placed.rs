//! Finds the placed buffers whose lifetimes overlap that of another one.
//!
//! All lifetimes are known beforehand: they are the leaves of a tree in the order in which they begin, and each node of the
//! tree has the latest end of the placed leaves below it. A query takes time that grows with the number of results, not with the number of
//! placed buffers.

use super::memory::MOST_NEIGHBOURS;
use crate::base::StableSort;

/// Placed buffers with their lifetimes.
pub(super) struct Placed {
    /// By leaf: when it begins, and the bytes that it has, once it is placed.
    begins: Vec<usize>,
    bytes: Vec<(i64, i64)>,
    /// The leaf of each buffer.
    leaves: Vec<usize>,
    last: Vec<usize>,
    /// A complete binary tree from 1 on: the latest last step below, plus one; 0 where nothing is placed.
    ends: Vec<usize>,
}

impl Placed {
    /// For buffers of these lifetimes, none of them placed.
    pub fn new(lifetimes: impl Iterator<Item = (usize, usize)>) -> Placed {
        let lifetimes: Vec<(usize, usize)> = lifetimes.collect();
        let mut order: Vec<usize> = (0..lifetimes.len()).collect();
        order.stable_sort_by_key(|k| lifetimes[*k].0);
        let mut leaves = vec![0; order.len()];
        for (leaf, buffer) in order.iter().enumerate() {
            leaves[*buffer] = leaf;
        }
        Placed {
            begins: order.iter().map(|k| lifetimes[*k].0).collect(),
            bytes: vec![(0, 0); order.len()],
            leaves,
            last: lifetimes.iter().map(|l| l.1).collect(),
            ends: vec![0; 2 * order.len().next_power_of_two()],
        }
    }

    pub fn insert(&mut self, buffer: usize, bytes: (i64, i64)) {
        let leaf = self.leaves[buffer];
        self.bytes[leaf] = bytes;
        let mut node = self.ends.len() / 2 + leaf;
        while node > 0 {
            self.ends[node] = self.ends[node].max(self.last[buffer] + 1);
            node /= 2;
        }
    }

    /// The bytes of those that live in some step from `first` to `last`; no more than [`MOST_NEIGHBOURS`] of them.
    pub fn beside(&self, first: usize, last: usize) -> Vec<(i64, i64)> {
        let begun = self.begins.partition_point(|b| *b <= last);
        let leaves = self.ends.len() / 2;
        let mut found = Vec::new();
        // Nodes, each with its first leaf and how many it has.
        let mut waiting = vec![(1, 0, leaves)];
        while let Some((node, from, count)) = waiting.pop() {
            if from >= begun || self.ends[node] <= first {
                continue;
            }
            if count == 1 {
                found.push(self.bytes[from]);
                if found.len() == MOST_NEIGHBOURS {
                    break;
                }
                continue;
            }
            let half = count / 2;
            waiting.extend([(2 * node, from, half), (2 * node + 1, from + half, half)]);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Placed;

    #[test]
    fn finds_what_lives_at_the_same_time() {
        let lifetimes = [(0, 3), (5, 9), (2, 2), (4, 4), (0, 9)];
        let mut placed = Placed::new(lifetimes.into_iter());
        for first in 0..11 {
            assert_eq!(placed.beside(first, 20), []);
        }
        for k in [1, 3, 0, 4] {
            placed.insert(k, (k as i64, k as i64 + 1));
        }
        for first in 0..11 {
            for last in first..11 {
                let mut found: Vec<usize> = placed.beside(first, last).iter().map(|b| b.0 as usize).collect();
                found.sort();
                let want: Vec<usize> = [0, 1, 3, 4]
                    .into_iter()
                    .filter(|k| lifetimes[*k].0 <= last && first <= lifetimes[*k].1)
                    .collect();
                assert_eq!(found, want, "{first} to {last}");
            }
        }
    }
}
