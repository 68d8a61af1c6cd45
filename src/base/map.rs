//! Hash maps that share one table ([`Table`]), which knows no types. The standard library compiles a table for each pair of key
//! and value types: its growth alone is half a kilobyte of code. Here entries lie in a vector, and the table finds their positions.
//!
//! Invariants: entries are visited in the order of insertion, so that the same graph gives the same text; removing an entry
//! moves the last one to its place. Each entry's position stands in the table once.
//!
//! Deliberately absent: defence against numbers that are chosen to collide.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::mem::replace;
use std::ops::Index;
use std::sync::LazyLock;

use rustc_hash::FxHasher;

use super::table::Table;

/// Hashes numbers by Fx, and texts, which files choose, by the standard library's hash with keys of the process.
struct KeyHasher(FxHasher);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        let mut hasher = KEYS.build_hasher();
        hasher.write(bytes);
        self.0.write_u64(hasher.finish());
    }
    fn write_u8(&mut self, number: u8) {
        self.0.write_u8(number);
    }
    fn write_u16(&mut self, number: u16) {
        self.0.write_u16(number);
    }
    fn write_u32(&mut self, number: u32) {
        self.0.write_u32(number);
    }
    fn write_u64(&mut self, number: u64) {
        self.0.write_u64(number);
    }
    fn write_usize(&mut self, number: usize) {
        self.0.write_usize(number);
    }
    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// 32 bits of a key's hash.
#[inline(always)]
fn hash_of<Q: Hash + ?Sized>(key: &Q) -> u32 {
    let mut hasher = KeyHasher(FxHasher::default());
    key.hash(&mut hasher);
    hasher.finish() as u32
}

/// A map from keys to values, in the order of insertion.
#[derive(Clone)]
pub struct HashMap<K, V> {
    table: Table,
    pub(super) entries: Vec<(K, V)>,
}

impl<K, V> HashMap<K, V> {
    pub const fn new() -> Self {
        HashMap { table: Table::new(), entries: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.entries.clear();
            self.table.clear();
        }
    }

    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.entries.iter())
    }

    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut(self.entries.iter_mut())
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.entries.into_iter().map(|(key, _)| key)
    }

    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }

    /// The entry at a position of the order.
    pub fn get_index(&self, position: usize) -> Option<(&K, &V)> {
        self.entries.get(position).map(|(key, value)| (key, value))
    }

    /// Keeps the entries that `keep` accepts, in their order.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let mut kept = 0;
        let mut moved = Vec::with_capacity(self.entries.len());
        self.entries.retain_mut(|(key, value)| {
            let stays = keep(key, value);
            moved.push(stays.then_some(kept));
            kept += u32::from(stays);
            stays
        });
        if self.entries.len() < moved.len() {
            self.table.renumber(&moved);
        }
    }
}

impl<K: Hash + Eq, V> HashMap<K, V> {
    /// The position of a key in the order.
    pub fn get_index_of<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        let entries = &self.entries[..];
        self.table.find(hash_of(key), &mut |at| entries[at].0.borrow() == key)
    }

    pub fn contains_key<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get_index_of(key).is_some()
    }

    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.get_index_of(key).map(|at| &self.entries[at].1)
    }

    // `Index::index` is `#[track_caller]`: each call of it would carry the caller's place in a file, 24 bytes.
    fn of<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> &V
    where
        K: Borrow<Q>,
    {
        self.get(key).expect("the map holds this key")
    }

    pub fn get_key_value<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.get_index_of(key).and_then(|at| self.get_index(at))
    }

    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.get_index_of(key).map(|at| &mut self.entries[at].1)
    }

    /// Gives a key its value, and returns the value that it had. The key that was there stays.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.entry(key) {
            Entry::Occupied(mut there) => Some(there.insert(value)),
            Entry::Vacant(place) => {
                place.insert(value);
                None
            }
        }
    }

    /// The last entry moves to the place of the removed one.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let hash = hash_of(key);
        let position = self.table.find(hash, &mut |at| self.entries[at].0.borrow() == key)?;
        self.table.remove(self.table.slot_of(hash, position));
        let (_, value) = self.entries.swap_remove(position);
        if let Some((moved, _)) = self.entries.get(position) {
            let slot = self.table.slot_of(hash_of(moved), self.entries.len());
            self.table.set_position(slot, position);
        }
        Some(value)
    }

    /// Removes an entry, and keeps the order of the others. It takes time in proportion to their number.
    pub fn shift_remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let hash = hash_of(key);
        let position = self.table.find(hash, &mut |at| self.entries[at].0.borrow() == key)?;
        self.table.remove(self.table.slot_of(hash, position));
        self.table.close(position);
        let (_, value) = self.entries.remove(position);
        Some(value)
    }

    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let hash = hash_of(&key);
        let entries = &self.entries[..];
        match self.table.find(hash, &mut |at| entries[at].0 == key) {
            Some(position) => Entry::Occupied(Occupied { map: self, position }),
            None => Entry::Vacant(Vacant { map: self, hash, key }),
        }
    }
}

/// A key's place in a map.
pub enum Entry<'a, K, V> {
    Occupied(Occupied<'a, K, V>),
    Vacant(Vacant<'a, K, V>),
}

pub struct Occupied<'a, K, V> {
    map: &'a mut HashMap<K, V>,
    pub(super) position: usize,
}

pub struct Vacant<'a, K, V> {
    map: &'a mut HashMap<K, V>,
    hash: u32,
    key: K,
}

impl<'a, K, V> Occupied<'a, K, V> {
    pub fn get(&self) -> &V {
        &self.map.entries[self.position].1
    }

    pub fn get_mut(&mut self) -> &mut V {
        &mut self.map.entries[self.position].1
    }

    pub fn into_mut(self) -> &'a mut V {
        &mut self.map.entries[self.position].1
    }

    pub fn insert(&mut self, value: V) -> V {
        replace(self.get_mut(), value)
    }
}

impl<'a, K, V> Vacant<'a, K, V> {
    pub fn insert(self, value: V) -> &'a mut V {
        let position = self.map.entries.len();
        self.map.table.insert(self.hash, position);
        self.map.entries.push((self.key, value));
        &mut self.map.entries[position].1
    }
}

impl<'a, K, V> Entry<'a, K, V> {
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        match self {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(place) => place.insert(value()),
        }
    }

    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K, V> Default for HashMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for HashMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Maps are equal when they hold equal entries, in any order.
impl<K: Hash + Eq, V: PartialEq> PartialEq for HashMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Hash + Eq, V: Eq> Eq for HashMap<K, V> {}

impl<K: Hash + Eq + Borrow<Q>, V, Q: Hash + Eq + ?Sized> Index<&Q> for HashMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.of(key)
    }
}

impl<K: Hash + Eq, V> Extend<(K, V)> for HashMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for HashMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Hash + Eq, V, const N: usize> From<[(K, V); N]> for HashMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K, V> IntoIterator for HashMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a HashMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut HashMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// The entries of a map.
pub struct Iter<'a, K, V>(std::slice::Iter<'a, (K, V)>);

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter(self.0.clone())
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, value)| (key, value))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

/// The entries of a map, with values that can be changed.
pub struct IterMut<'a, K, V>(std::slice::IterMut<'a, (K, V)>);

impl<'a, K, V> Iterator for IterMut<'a, K, V> {
    type Item = (&'a K, &'a mut V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (&*key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K, V> ExactSizeIterator for IterMut<'_, K, V> {}

#[cfg(test)]
mod tests {
    use super::HashMap;
    use std::collections::HashMap as Reference;

    /// A number that has the same hash as many others.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Alike(u32);

    impl std::hash::Hash for Alike {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            state.write_u32(self.0 % 5);
        }
    }

    #[test]
    fn keys_with_one_hash_are_told_apart_and_keep_their_order() {
        let (mut map, mut want) = (HashMap::new(), Vec::new());
        let mut state = 3u64;
        for step in 0..4_000u32 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let key = Alike((state >> 33) as u32 % 60);
            let place = want.iter().position(|(k, _)| *k == key);
            match ((state >> 21) % 4, place) {
                (0 | 1, None) => want.push((key, step)),
                (0 | 1, Some(at)) => want[at].1 = step,
                (2, Some(at)) => drop(want.swap_remove(at)),
                (3, Some(at)) => drop(want.remove(at)),
                _ => {}
            }
            match (state >> 21) % 4 {
                0 | 1 => drop(map.insert(key, step)),
                2 => drop(map.remove(&key)),
                _ => drop(map.shift_remove(&key)),
            }
            if step % 500 == 0 {
                map.retain(|k, _| k.0 % 7 > 0);
                want.retain(|(k, _)| k.0 % 7 > 0);
            }
            assert_eq!(map.iter().map(|(k, v)| (*k, *v)).collect::<Vec<_>>(), want, "step {step}");
        }
        assert!(want.iter().all(|(k, v)| map.get(k) == Some(v)));
    }

    /// The map against the standard library's, over a sequence of changes that meets growth and removal.
    #[test]
    fn changes_in_any_order_leave_what_the_standard_library_has() {
        let (mut map, mut want) = (HashMap::new(), Reference::new());
        let mut state = 7u64;
        for step in 0..20_000u32 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (key, what) = ((state >> 33) as u32 % 700, (state >> 21) % 16);
            match what {
                0..8 => assert_eq!(map.insert(key, step), want.insert(key, step)),
                8..12 => assert_eq!(map.remove(&key), want.remove(&key)),
                12 => assert_eq!(map.shift_remove(&key), want.remove(&key)),
                13 => {
                    *map.entry(key).or_insert(1) += 1;
                    *want.entry(key).or_insert(1) += 1;
                }
                14 => assert_eq!(map.get(&key), want.get(&key)),
                _ if step % 50 == 0 => {
                    map.retain(|k, _| k % 3 != step % 3);
                    want.retain(|k, _| k % 3 != step % 3);
                }
                _ => {}
            }
            assert_eq!(map.len(), want.len(), "step {step}");
        }
        for key in 0..700 {
            assert_eq!(map.get(&key), want.get(&key), "key {key}");
        }
        assert_eq!(map.iter().map(|(k, v)| (*k, *v)).collect::<Reference<_, _>>(), want);
        map.clear();
        assert!(map.is_empty() && !map.contains_key(&0));
        assert_eq!(map.insert(5, 6), None);
        assert_eq!(map[&5], 6);
    }

    #[test]
    fn entries_are_visited_in_the_order_of_insertion() {
        let mut map: HashMap<String, usize> =
            ["d", "a", "c", "b"].map(String::from).into_iter().zip(0..).collect();
        map.insert("a".to_string(), 7);
        assert_eq!(map.keys().collect::<Vec<_>>(), ["d", "a", "c", "b"]);
        assert_eq!(map.shift_remove("d"), Some(0));
        assert_eq!(map.iter().map(|(k, v)| (&**k, *v)).collect::<Vec<_>>(), [("a", 7), ("c", 2), ("b", 3)]);
        map.retain(|_, v| *v > 2);
        assert_eq!(map.get_index(1), Some((&"b".to_string(), &3)));
        assert_eq!(map.get_index_of("b"), Some(1));
        // The last entry takes the place of a removed one.
        map.insert("e".to_string(), 9);
        map.remove("a");
        assert_eq!(map.into_keys().collect::<Vec<_>>(), ["e", "b"]);
    }
}
