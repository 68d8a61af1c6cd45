//! A sequence of an arena's items that is edited in the middle: a doubly linked list, whose links lie in a table keyed by the
//! items' handles.
//!
//! Invariants: a handle stands in the sequence at most once; labels grow along the sequence.
//!
//! Membership, neighbours and the order of two items take constant time, insertion amortised
//! logarithmic time: where two labels have none between them, the neighbourhood gets new labels (Bender, Cole, Demaine,
//! Farach-Colton and Zito, "Two simplified algorithms for maintaining order in a list", 2002).

use super::Handle;
use std::fmt;

/// No item: the neighbour of an end.
const END: u32 = u32::MAX;

/// Between labels of items that are appended.
const STEP: u64 = 1 << 32;

/// How much sparser than the next smaller one a range of labels has to be to be given new labels.
const SPARSER: f64 = 1.4;

struct Link<T> {
    item: Handle<T>,
    before: u32,
    after: u32,
    label: u64,
}

/// Items in an order that calls may change anywhere.
pub struct Order<T> {
    /// By the place of the item in its arena.
    links: Vec<Option<Link<T>>>,
    first: u32,
    last: u32,
    len: usize,
}

impl<T> Clone for Link<T> {
    fn clone(&self) -> Self {
        Link { item: self.item, ..*self }
    }
}
impl<T> Clone for Order<T> {
    fn clone(&self) -> Self {
        Order { links: self.links.clone(), ..*self }
    }
}
impl<T> Default for Order<T> {
    fn default() -> Self {
        Order { links: Vec::new(), first: END, last: END, len: 0 }
    }
}
impl<T> fmt::Debug for Order<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> Order<T> {
    pub fn new() -> Self {
        Self::default()
    }
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    fn get(&self, place: u32) -> Option<&Link<T>> {
        self.links.get(place as usize)?.as_ref()
    }
    fn link(&self, place: u32) -> &Link<T> {
        self.get(place).expect("neighbours are in the sequence")
    }
    fn link_mut(&mut self, place: u32) -> &mut Link<T> {
        self.links[place as usize].as_mut().expect("neighbours are in the sequence")
    }
    pub fn contains(&self, item: Handle<T>) -> bool {
        self.get(place(item)).is_some()
    }
    pub fn first(&self) -> Option<Handle<T>> {
        self.get(self.first).map(|l| l.item)
    }
    pub fn last(&self) -> Option<Handle<T>> {
        self.get(self.last).map(|l| l.item)
    }
    /// The item that follows one of the sequence.
    pub fn after(&self, item: Handle<T>) -> Option<Handle<T>> {
        self.get(self.get(place(item))?.after).map(|l| l.item)
    }
    /// Grows along the sequence; another one after the next insertion. `None`: not in the sequence.
    pub fn label(&self, item: Handle<T>) -> Option<u64> {
        self.get(place(item)).map(|l| l.label)
    }
    /// Whether `a` comes before `b`; both are in the sequence.
    pub fn precedes(&self, a: Handle<T>, b: Handle<T>) -> bool {
        self.link(place(a)).label < self.link(place(b)).label
    }
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { order: self, first: self.first, last: self.last, left: self.len }
    }
    /// The items behind `item`, or all.
    pub fn iter_after(&self, item: Option<Handle<T>>) -> impl Iterator<Item = Handle<T>> + '_ {
        let first = item.map_or(self.first(), |item| self.after(item));
        std::iter::successors(first, |item| self.after(*item))
    }

    /// Appends an item that is not in the sequence.
    pub fn push(&mut self, item: Handle<T>) {
        self.insert(item, END);
    }
    /// Puts an item that is not in the sequence in front of one that is.
    pub fn insert_before(&mut self, item: Handle<T>, before: Handle<T>) {
        assert!(self.contains(before), "{before:?} is not in the sequence");
        self.insert(item, place(before));
    }
    fn insert(&mut self, item: Handle<T>, after: u32) {
        assert!(!self.contains(item), "{item:?} is in the sequence already");
        let before = if after == END { self.last } else { self.link(after).before };
        let label = self.label_between(before, after);
        if self.links.len() <= item.index() {
            self.links.resize_with(item.index() + 1, || None);
        }
        self.links[item.index()] = Some(Link { item, before, after, label });
        self.join(before, place(item));
        self.join(place(item), after);
        self.len += 1;
    }
    /// Takes an item out. Says whether it was in the sequence.
    pub fn remove(&mut self, item: Handle<T>) -> bool {
        let Some(link) = self.links.get_mut(item.index()).and_then(Option::take) else { return false };
        self.join(link.before, link.after);
        self.len -= 1;
        true
    }
    /// Makes two neighbours.
    fn join(&mut self, before: u32, after: u32) {
        match before {
            END => self.first = after,
            before => self.link_mut(before).after = after,
        }
        match after {
            END => self.last = before,
            after => self.link_mut(after).before = before,
        }
    }
    pub fn retain(&mut self, mut keep: impl FnMut(&Handle<T>) -> bool) {
        let mut next = self.first();
        while let Some(item) = next {
            next = self.after(item);
            if !keep(&item) {
                self.remove(item);
            }
        }
    }
    /// Takes out all behind an item, or all.
    pub fn truncate_after(&mut self, item: Option<Handle<T>>) {
        while self.last() != item
            && let Some(last) = self.last()
        {
            self.remove(last);
        }
    }

    /// A label for an item between two neighbours.
    fn label_between(&mut self, before: u32, after: u32) -> u64 {
        loop {
            let low = self.get(before).map(|l| l.label);
            let high = self.get(after).map(|l| l.label);
            let found = match (low, high) {
                (None, None) => Some(1 << 63),
                (Some(low), None) => low.checked_add(STEP),
                (None, Some(high)) => high.checked_sub(STEP),
                (Some(low), Some(high)) => (high - low > 1).then(|| low + (high - low) / 2),
            };
            match found {
                Some(label) => return label,
                None => self.spread(if before == END { after } else { before }),
            }
        }
    }
    /// Deals out new labels around an item: over the smallest range, aligned to its size, that is sparse enough.
    fn spread(&mut self, around: u32) {
        let label = self.link(around).label;
        let (mut low, mut high, mut count) = (around, around, 1u64);
        for bits in 2..=u64::BITS {
            let mask = u64::MAX >> (u64::BITS - bits);
            let inside = |link: &Link<T>| link.label & !mask == label & !mask;
            while let Some(link) = self.get(self.link(low).before).filter(|l| inside(l)) {
                (low, count) = (place(link.item), count + 1);
            }
            while let Some(link) = self.get(self.link(high).after).filter(|l| inside(l)) {
                (high, count) = (place(link.item), count + 1);
            }
            let gap = mask / (count + 1);
            if gap as f64 >= SPARSER.powi(bits as i32) && gap > 2 {
                let (mut at, mut label) = (low, label & !mask);
                for _ in 0..count {
                    label += gap;
                    let link = self.link_mut(at);
                    link.label = label;
                    at = link.after;
                }
                return;
            }
        }
        unreachable!("fewer than 2^32 items leave room among 2^64 labels");
    }
}

fn place<T>(item: Handle<T>) -> u32 {
    item.index() as u32
}

/// The items from either end.
pub struct Iter<'a, T> {
    order: &'a Order<T>,
    first: u32,
    last: u32,
    left: usize,
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a Handle<T>;
    fn next(&mut self) -> Option<&'a Handle<T>> {
        self.left = self.left.checked_sub(1)?;
        let link = self.order.link(self.first);
        self.first = link.after;
        Some(&link.item)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}
impl<T> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let link = self.order.link(self.last);
        self.last = link.before;
        Some(&link.item)
    }
}
impl<T> ExactSizeIterator for Iter<'_, T> {}

impl<'a, T> IntoIterator for &'a Order<T> {
    type Item = &'a Handle<T>;
    type IntoIter = Iter<'a, T>;
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
impl<T> IntoIterator for Order<T> {
    type Item = Handle<T>;
    type IntoIter = std::vec::IntoIter<Handle<T>>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied().collect::<Vec<_>>().into_iter()
    }
}
impl<T> FromIterator<Handle<T>> for Order<T> {
    fn from_iter<I: IntoIterator<Item = Handle<T>>>(items: I) -> Self {
        let mut order = Order::new();
        items.into_iter().for_each(|item| order.push(item));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(order: &Order<()>) -> Vec<usize> {
        let list: Vec<usize> = order.iter().map(|h| h.index()).collect();
        let mut back: Vec<usize> = order.iter().rev().map(|h| h.index()).collect();
        back.reverse();
        assert_eq!(list, back);
        assert_eq!(list.len(), order.len());
        let labels: Vec<u64> = order.iter().map(|h| order.label(*h).expect("it is in it")).collect();
        assert!(labels.is_sorted_by(|a, b| a < b), "{labels:?}");
        list
    }

    #[test]
    fn insertion_removal_and_comparison_anywhere() {
        let h = Handle::<()>::new;
        let mut order: Order<()> = [0, 1, 2].into_iter().map(h).collect();
        order.insert_before(h(5), h(1));
        order.insert_before(h(4), h(0));
        assert_eq!(list(&order), [4, 0, 5, 1, 2]);
        assert!(order.precedes(h(5), h(1)) && !order.precedes(h(1), h(5)));
        assert!(order.remove(h(4)) && !order.remove(h(4)) && !order.contains(h(4)) && !order.contains(h(9)));
        assert_eq!((order.first(), order.after(h(0)), order.after(h(2))), (Some(h(0)), Some(h(5)), None));
        order.retain(|i| i.index() != 5);
        assert_eq!(list(&order), [0, 1, 2]);
        order.truncate_after(Some(h(0)));
        assert_eq!(list(&order), [0]);
        order.truncate_after(None);
        assert!(order.is_empty() && order.first().is_none() && order.last().is_none());
    }

    /// Each makes labels run out somewhere else.
    #[test]
    fn labels_grow_along_the_sequence_wherever_items_come() {
        let n = 3000;
        let mut fronts: Order<()> = Order::new();
        let mut backs: Order<()> = [0, 1].into_iter().map(Handle::new).collect();
        let mut anywhere: Order<()> = [0].into_iter().map(Handle::new).collect();
        fronts.push(Handle::new(0));
        for k in 2..n {
            let before = fronts.first().expect("there is one");
            fronts.insert_before(Handle::new(k), before);
            backs.insert_before(Handle::new(k), Handle::new(1));
            anywhere.insert_before(Handle::new(k - 1), Handle::new((k * 7919) % (k - 1)));
        }
        assert!(list(&fronts).is_sorted_by(|a, b| a > b || *b == 0));
        assert!(list(&backs)[..n - 1].is_sorted());
        let mut all = list(&anywhere);
        all.sort();
        assert!(all.into_iter().eq(0..n - 1));
    }
}
