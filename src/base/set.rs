//! Hash sets over [`HashMap`]'s table.
//!
//! Invariant: items are visited in the order of insertion; removing an item moves the last one to its place.
//!
//! Deliberately absent: the same as in [`HashMap`].

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;

use super::HashMap;
use super::map::Entry;

/// A set, in the order of insertion.
#[derive(Clone)]
pub struct HashSet<T>(HashMap<T, ()>);

impl<T> HashSet<T> {
    pub const fn new() -> Self {
        HashSet(HashMap::new())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn iter(&self) -> Items<'_, T> {
        Items(self.0.entries.iter())
    }

    /// The item at a position of the order.
    pub fn get_index(&self, position: usize) -> Option<&T> {
        self.0.entries.get(position).map(|(item, ())| item)
    }

    /// Keeps the items that `keep` accepts, in their order.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.0.retain(|item, ()| keep(item));
    }
}

impl<T: Hash + Eq> HashSet<T> {
    /// Adds an item, and says whether it is new. An item that was there stays.
    pub fn insert(&mut self, item: T) -> bool {
        self.insert_full(item).1
    }

    /// Adds an item. Returns its position in the order, and whether it is new.
    pub fn insert_full(&mut self, item: T) -> (usize, bool) {
        match self.0.entry(item) {
            Entry::Occupied(there) => (there.position, false),
            Entry::Vacant(place) => {
                place.insert(());
                (self.len() - 1, true)
            }
        }
    }

    pub fn contains<Q: Hash + Eq + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }

    pub fn get<Q: Hash + Eq + ?Sized>(&self, item: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.0.get_key_value(item).map(|(item, ())| item)
    }

    /// The position of an item in the order.
    pub fn get_index_of<Q: Hash + Eq + ?Sized>(&self, item: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        self.0.get_index_of(item)
    }

    /// Removes an item, and says whether it was there. The last item moves to its place.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(item).is_some()
    }

    /// The items that the other set lacks.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> + 'a {
        self.iter().filter(|item| !other.contains(*item))
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|item| other.contains(item))
    }
}

impl<T> Default for HashSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for HashSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

/// Sets are equal when they hold equal items, in any order.
impl<T: Hash + Eq> PartialEq for HashSet<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.is_subset(other)
    }
}

impl<T: Hash + Eq> Eq for HashSet<T> {}

impl<T: Hash + Eq> Extend<T> for HashSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<'a, T: Hash + Eq + Copy> Extend<&'a T> for HashSet<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, items: I) {
        self.extend(items.into_iter().copied());
    }
}

impl<T: Hash + Eq> FromIterator<T> for HashSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

impl<T: Hash + Eq, const N: usize> From<[T; N]> for HashSet<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T> IntoIterator for HashSet<T> {
    type Item = T;
    type IntoIter = std::iter::Map<std::vec::IntoIter<(T, ())>, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.entries.into_iter().map(|(item, ())| item)
    }
}

impl<'a, T> IntoIterator for &'a HashSet<T> {
    type Item = &'a T;
    type IntoIter = Items<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The items of a set.
pub struct Items<'a, T>(std::slice::Iter<'a, (T, ())>);

impl<T> Clone for Items<'_, T> {
    fn clone(&self) -> Self {
        Items(self.0.clone())
    }
}

impl<'a, T> Iterator for Items<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.0.next().map(|(item, ())| item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<'a, T> DoubleEndedIterator for Items<'a, T> {
    fn next_back(&mut self) -> Option<&'a T> {
        self.0.next_back().map(|(item, ())| item)
    }
}

impl<T> ExactSizeIterator for Items<'_, T> {}

#[cfg(test)]
mod tests {
    use super::HashSet;

    #[test]
    fn items_are_there_once_in_the_order_of_insertion() {
        let mut set: HashSet<&str> = ["b", "a", "b", "c"].into_iter().collect();
        assert_eq!(set.insert_full("a"), (1, false));
        assert_eq!(set.insert_full("d"), (3, true));
        assert_eq!(set.iter().copied().collect::<Vec<_>>(), ["b", "a", "c", "d"]);
        assert!(set.remove("b") && !set.remove("b") && !set.contains("b"));
        assert_eq!(set.get_index(0), Some(&"d"));
        assert_eq!(set.difference(&HashSet::from(["a", "c"])).copied().collect::<Vec<_>>(), ["d"]);
        assert_eq!(set, HashSet::from(["a", "c", "d"]));
    }
}
