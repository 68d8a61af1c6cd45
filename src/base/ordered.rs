//! Maps and sets in the order of their keys, for few entries: sorted vectors, whose code is small. The standard library's trees
//! cost kilobytes for each type of key and value.
//!
//! Invariant: the entries are sorted by key, and no key is there twice.
//!
//! Deliberately absent: speed for thousands of entries, for which there is `BTreeMap`.

use std::borrow::Borrow;
use std::mem::replace;
use std::ops::Index;

use super::StableSort;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedMap<K, V>(Vec<(K, V)>);

impl<K, V> OrderedMap<K, V> {
    pub const fn new() -> Self {
        OrderedMap(Vec::new())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.0.iter().map(|(key, value)| (key, value))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.0.iter().map(|(key, _)| key)
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    pub fn pop_last(&mut self) -> Option<(K, V)> {
        self.0.pop()
    }
}

impl<K: Ord, V> OrderedMap<K, V> {
    /// The position of a key, or the one where it would be.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(own, _)| own.borrow().cmp(key))
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    // As for `Arena`.
    fn of<Q: Ord + ?Sized>(&self, key: &Q) -> &V
    where
        K: Borrow<Q>,
    {
        self.get(key).expect("the map holds this key")
    }

    /// Gives a key its value, and returns the value that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => Some(replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// The value of a key, which is the default one where it has none yet.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let at = self.find(&key).unwrap_or_else(|at| {
            self.0.insert(at, (key, V::default()));
            at
        });
        &mut self.0[at].1
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| self.0.remove(at).1)
    }
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for OrderedMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.of(key)
    }
}

/// The last item with a key wins.
impl<K: Ord, V> FromIterator<(K, V)> for OrderedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(items: I) -> Self {
        let mut list: Vec<(K, V)> = items.into_iter().collect();
        list.stable_sort_by(|a, b| a.0.cmp(&b.0));
        list.reverse();
        list.dedup_by(|later, earlier| later.0 == earlier.0);
        list.reverse();
        OrderedMap(list)
    }
}

impl<K, V> IntoIterator for OrderedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedSet<T>(Vec<T>);

impl<T> OrderedSet<T> {
    pub const fn new() -> Self {
        OrderedSet(Vec::new())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T: Ord> OrderedSet<T> {
    pub fn contains(&self, item: &T) -> bool {
        self.0.binary_search(item).is_ok()
    }

    /// Adds an item, and says whether it is new.
    pub fn insert(&mut self, item: T) -> bool {
        match self.0.binary_search(&item) {
            Ok(_) => false,
            Err(at) => {
                self.0.insert(at, item);
                true
            }
        }
    }
}

impl<T> Default for OrderedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Ord> Extend<T> for OrderedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord> FromIterator<T> for OrderedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list: Vec<T> = items.into_iter().collect();
        list.stable_sort();
        list.dedup();
        OrderedSet(list)
    }
}

impl<T> IntoIterator for OrderedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a OrderedSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{OrderedMap, OrderedSet};

    #[test]
    fn entries_are_sorted_and_the_last_of_a_key_wins() {
        let mut map: OrderedMap<&str, i32> = [("b", 1), ("a", 2), ("b", 3)].into_iter().collect();
        assert_eq!((map["a"], map["b"]), (2, 3));
        assert_eq!(map.insert("b", 4), Some(3));
        assert_eq!(map.insert("aa", 5), None);
        *map.or_default("c") += 6;
        assert_eq!(map.remove("a"), Some(2));
        assert_eq!(map.into_iter().collect::<Vec<_>>(), [("aa", 5), ("b", 4), ("c", 6)]);
        let mut set: OrderedSet<i32> = [3, 1, 3].into_iter().collect();
        assert!(set.insert(2) && !set.insert(1) && set.contains(&3));
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
    }
}
