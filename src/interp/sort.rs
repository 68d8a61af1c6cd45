//! Sorting a line by its places. The order of equal elements is a result that is compared with PyTorch's, so those
//! sorts that are not stable take every step as libstdc++'s `std::sort`, `std::nth_element` and `std::partial_sort`
//! and PyTorch's quick selection do; `codegen/native/sort.h` says the same to the native code.

use crate::loops::SortOrder;

/// Whether the first element must come before the second.
type Before<'a> = &'a dyn Fn(&usize, &usize) -> bool;

/// Below this many elements, parts are left to the insertions at the end.
const SMALL: usize = 16;

/// Sorts `line` as far as `order` asks for; `k` is the value of its size.
pub(super) fn sort(line: &mut [usize], before: Before<'_>, order: SortOrder, k: i64) {
    let k = usize::try_from(k).unwrap_or(0);
    match order {
        SortOrder::Stable => line.sort_by(|a, b| before(b, a).cmp(&before(a, b))),
        SortOrder::Unstable => unstable(line, before),
        SortOrder::First { sorted, .. } => {
            if k == 0 || k > line.len() {
                return;
            }
            if k * 64 <= line.len() {
                heap(line, k, before);
                from_heap(&mut line[..k], before);
            } else {
                nth(line, k - 1, before);
                if sorted {
                    unstable(&mut line[..k - 1], before);
                }
            }
        }
        SortOrder::Place { .. } => place(line, k, before),
    }
}

fn unstable(line: &mut [usize], before: Before<'_>) {
    let n = line.len();
    if n < 2 {
        return;
    }
    halve(line, patience(n), before);
    insertions(&mut line[..n.min(SMALL)], before);
    for k in SMALL..n {
        insert_before_it(line, k, before);
    }
}

/// How often a part may be halved before its pivots are known to be bad.
fn patience(n: usize) -> u32 {
    2 * n.ilog2()
}

fn halve(mut line: &mut [usize], mut left: u32, before: Before<'_>) {
    while line.len() > SMALL {
        if left == 0 {
            let n = line.len();
            heap(line, n, before);
            from_heap(line, before);
            return;
        }
        left -= 1;
        let cut = split(line, before);
        let (low, high) = line.split_at_mut(cut);
        halve(high, left, before);
        line = low;
    }
}

/// Splits by the median of the second, the middle and the last element, which goes to the front: gives where the
/// second part begins.
fn split(line: &mut [usize], before: Before<'_>) -> usize {
    let (x, y, z) = (1, line.len() / 2, line.len() - 1);
    let less = |a: usize, b: usize| before(&line[a], &line[b]);
    let median = match less(x, y) {
        true if less(y, z) => y,
        true if less(x, z) => z,
        true => x,
        false if less(x, z) => x,
        false if less(y, z) => z,
        false => y,
    };
    line.swap(0, median);
    let (mut low, mut high) = (1, line.len());
    loop {
        while before(&line[low], &line[0]) {
            low += 1;
        }
        high -= 1;
        while before(&line[0], &line[high]) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        line.swap(low, high);
        low += 1;
    }
}

/// Moves element `k` to where it belongs among those before it.
fn insert(line: &mut [usize], k: usize, before: Before<'_>) {
    if before(&line[k], &line[0]) {
        line[..=k].rotate_right(1);
    } else {
        insert_before_it(line, k, before);
    }
}

/// Moves element `k` to where it belongs, where it does not belong in front of all.
fn insert_before_it(line: &mut [usize], mut k: usize, before: Before<'_>) {
    while k > 0 && before(&line[k], &line[k - 1]) {
        line.swap(k, k - 1);
        k -= 1;
    }
}

fn insertions(line: &mut [usize], before: Before<'_>) {
    for k in 1..line.len() {
        insert(line, k, before);
    }
}

/// Puts `x` into a heap whose place `hole` is free.
fn sift(heap: &mut [usize], mut hole: usize, x: usize, before: Before<'_>) {
    let (n, top) = (heap.len(), hole);
    let mut child = hole;
    while child < (n - 1) / 2 {
        child = 2 * child + 2;
        if before(&heap[child], &heap[child - 1]) {
            child -= 1;
        }
        heap[hole] = heap[child];
        hole = child;
    }
    if n.is_multiple_of(2) && child == (n - 2) / 2 {
        child = 2 * child + 1;
        heap[hole] = heap[child];
        hole = child;
    }
    while hole > top && before(&heap[(hole - 1) / 2], &x) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = x;
}

/// The `k` first of the order at the front, as a heap with the last of them on top.
fn heap(line: &mut [usize], k: usize, before: Before<'_>) {
    for parent in (0..k / 2).rev() {
        let x = line[parent];
        sift(&mut line[..k], parent, x, before);
    }
    for i in k..line.len() {
        if before(&line[i], &line[0]) {
            let x = line[i];
            line[i] = line[0];
            sift(&mut line[..k], 0, x, before);
        }
    }
}

fn from_heap(line: &mut [usize], before: Before<'_>) {
    for n in (1..line.len()).rev() {
        let x = line[n];
        line[n] = line[0];
        sift(&mut line[..n], 0, x, before);
    }
}

/// Puts the element there that belongs at place `k`.
fn nth(mut line: &mut [usize], mut k: usize, before: Before<'_>) {
    let mut left = patience(line.len());
    while line.len() > 3 {
        if left == 0 {
            heap(line, k + 1, before);
            line.swap(0, k);
            return;
        }
        left -= 1;
        let cut = split(line, before);
        let (low, high) = line.split_at_mut(cut);
        if cut <= k {
            k -= cut;
            line = high;
        } else {
            line = low;
        }
    }
    insertions(line, before);
}

/// The same by Hoare's partitions around a median of three.
fn place(line: &mut [usize], k: usize, before: Before<'_>) {
    let (mut low, mut high) = (0, line.len().saturating_sub(1));
    while low < high {
        let mut put_in_order = |first: usize, second: usize| {
            if before(&line[second], &line[first]) {
                line.swap(first, second);
            }
        };
        if high == low + 1 {
            put_in_order(low, high);
            return;
        }
        line.swap((low + high) / 2, low + 1);
        let mut put_in_order = |first: usize, second: usize| {
            if before(&line[second], &line[first]) {
                line.swap(first, second);
            }
        };
        put_in_order(low + 1, high);
        put_in_order(low, high);
        put_in_order(low + 1, low);
        let (mut i, mut j, pivot) = (low + 1, high, line[low]);
        loop {
            i += 1;
            while before(&line[i], &pivot) {
                i += 1;
            }
            j -= 1;
            while before(&pivot, &line[j]) {
                j -= 1;
            }
            if j < i {
                break;
            }
            line.swap(i, j);
        }
        line.swap(low, j);
        if j <= k {
            low = i;
        }
        if j >= k {
            high = j.saturating_sub(1);
        }
    }
}
