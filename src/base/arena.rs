//! Typed `u32` handles, the arenas they index and side tables keyed by them.
//!
//! Invariant: a handle is only valid for the arena that made it; arenas only grow.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The place of a `T` in its [`Arena`]: four bytes, copied freely, printed as `%N`.
pub struct Handle<T>(u32, PhantomData<fn() -> T>);

impl<T> Handle<T> {
    pub fn new(index: usize) -> Self {
        Handle(u32::try_from(index).expect("an arena holds fewer than 2^32 items"), PhantomData)
    }
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Handle<T> {}
impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Handle<T> {}
impl<T> PartialOrd for Handle<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Handle<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl<T> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state)
    }
}
impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}
impl<T> fmt::Display for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// A growing list of `T`, indexed by the handles it gave out.
#[derive(Clone, Debug)]
pub struct Arena<T> {
    items: Vec<T>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena { items: Vec::new() }
    }
}

impl<T> Arena<T> {
    pub fn new() -> Self {
        Self::default()
    }
    pub fn push(&mut self, item: T) -> Handle<T> {
        let handle = Handle::new(self.items.len());
        self.items.push(item);
        handle
    }
    // `Index::index` is `#[track_caller]`: each call of it would carry the caller's place in a file, 24 bytes.
    fn of(&self, handle: Handle<T>) -> &T {
        &self.items[handle.index()]
    }
    fn of_mut(&mut self, handle: Handle<T>) -> &mut T {
        &mut self.items[handle.index()]
    }
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        self.items.get(handle.index())
    }
    pub fn len(&self) -> usize {
        self.items.len()
    }
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// Every handle in order of creation.
    pub fn handles(&self) -> impl DoubleEndedIterator<Item = Handle<T>> + ExactSizeIterator + use<T> {
        (0..self.items.len()).map(Handle::new)
    }
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Handle<T>, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (Handle::new(i), t))
    }
}

impl<T> Index<Handle<T>> for Arena<T> {
    type Output = T;
    fn index(&self, handle: Handle<T>) -> &T {
        self.of(handle)
    }
}
impl<T> IndexMut<Handle<T>> for Arena<T> {
    fn index_mut(&mut self, handle: Handle<T>) -> &mut T {
        self.of_mut(handle)
    }
}

/// Facts about the items of an arena, kept beside it. A missing entry is `None`.
pub struct SideMap<K, V> {
    items: Vec<Option<V>>,
    key: PhantomData<fn() -> K>,
}

impl<K, V> Default for SideMap<K, V> {
    fn default() -> Self {
        SideMap { items: Vec::new(), key: PhantomData }
    }
}
impl<K, V: Clone> Clone for SideMap<K, V> {
    fn clone(&self) -> Self {
        SideMap { items: self.items.clone(), key: PhantomData }
    }
}
impl<K, V: fmt::Debug> fmt::Debug for SideMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.items.iter()).finish()
    }
}

impl<K, V> SideMap<K, V> {
    pub fn new() -> Self {
        Self::default()
    }
    pub fn insert(&mut self, key: Handle<K>, value: V) -> Option<V> {
        if self.items.len() <= key.index() {
            self.items.resize_with(key.index() + 1, || None);
        }
        self.items[key.index()].replace(value)
    }
    pub fn get(&self, key: Handle<K>) -> Option<&V> {
        self.items.get(key.index()).and_then(Option::as_ref)
    }
    pub fn get_mut(&mut self, key: Handle<K>) -> Option<&mut V> {
        self.items.get_mut(key.index()).and_then(Option::as_mut)
    }
    // As for [`Arena`].
    fn of(&self, key: Handle<K>) -> &V {
        self.get(key).unwrap_or_else(|| panic!("no fact recorded for {key}"))
    }
    pub fn contains(&self, key: Handle<K>) -> bool {
        self.get(key).is_some()
    }
}

impl<K, V> Index<Handle<K>> for SideMap<K, V> {
    type Output = V;
    fn index(&self, key: Handle<K>) -> &V {
        self.of(key)
    }
}
