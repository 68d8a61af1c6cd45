//! The hash table of [`HashMap`](super::HashMap): positions of entries by 32 bits of their keys' hashes. It has open addressing with
//! linear probing.
//!
//! Invariants: the number of slots is a power of two; at most three quarters of them are taken; each position stands there once.
//!
//! Deliberately absent: keys. A caller says whether the entry at a position is the one it looks for.

use std::mem::replace;

/// A slot of the table. It is free where its position is `VACANT`.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    position: u32,
}

const VACANT: u32 = u32::MAX;

/// Positions by hash.
#[derive(Clone)]
pub(super) struct Table {
    slots: Vec<Slot>,
}

impl Table {
    pub(super) const fn new() -> Table {
        Table { slots: Vec::new() }
    }

    /// The position of the entry with this hash that `is_it` accepts by its position.
    pub(super) fn find(&self, hash: u32, is_it: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
        let slots = &self.slots[..];
        let mask = slots.len().checked_sub(1)?;
        let mut at = home(hash, mask);
        loop {
            let slot = slots[at];
            if slot.position == VACANT {
                return None;
            }
            if slot.hash == hash && is_it(slot.position as usize) {
                return Some(slot.position as usize);
            }
            at = (at + 1) & mask;
        }
    }

    /// The slot of a position, which is in the table.
    pub(super) fn slot_of(&self, hash: u32, position: usize) -> usize {
        let slots = &self.slots[..];
        let mask = slots.len() - 1;
        let mut at = home(hash, mask);
        while slots[at].position as usize != position {
            assert!(slots[at].position != VACANT, "each entry has a slot");
            at = (at + 1) & mask;
        }
        at
    }

    pub(super) fn set_position(&mut self, slot: usize, position: usize) {
        self.slots[slot].position = position as u32;
    }

    /// Adds the position behind all that are in the table.
    pub(super) fn insert(&mut self, hash: u32, position: usize) {
        assert!(position < VACANT as usize, "a hash map holds fewer than 2^32 entries");
        self.reserve(position + 1);
        place(&mut self.slots, Slot { hash, position: position as u32 });
    }

    /// Makes room for so many entries in all.
    pub(super) fn reserve(&mut self, count: usize) {
        let (wanted, has) = (count.saturating_mul(4) / 3 + 1, self.slots.len());
        if wanted > has {
            // Few slots grow fast, since placing the entries anew costs more than a slot.
            let grown = if has < 512 { 4 * has } else { 2 * has };
            self.resize(wanted.next_power_of_two().max(grown).max(8));
        }
    }

    /// Places the entries anew over so many slots.
    fn resize(&mut self, count: usize) {
        let vacant = Slot { hash: 0, position: VACANT };
        let old = replace(&mut self.slots, vec![vacant; count]);
        let slots = &mut self.slots[..];
        for slot in old {
            if slot.position != VACANT {
                place(slots, slot);
            }
        }
    }

    /// Gives each entry the position that `moved` has for its own, and drops those that have none.
    pub(super) fn renumber(&mut self, moved: &[Option<u32>]) {
        for slot in &mut self.slots {
            if slot.position != VACANT {
                slot.position = moved[slot.position as usize].unwrap_or(VACANT);
            }
        }
        self.resize(self.slots.len());
    }

    /// Frees a slot. Those behind it that are not at home move up, so that each is still found.
    pub(super) fn remove(&mut self, slot: usize) {
        let slots = &mut self.slots[..];
        let mask = slots.len() - 1;
        let mut free = slot;
        let mut at = (free + 1) & mask;
        while slots[at].position != VACANT {
            let from_home = at.wrapping_sub(home(slots[at].hash, mask)) & mask;
            if from_home >= at.wrapping_sub(free) & mask {
                slots[free] = slots[at];
                free = at;
            }
            at = (at + 1) & mask;
        }
        slots[free].position = VACANT;
    }

    /// Moves the positions behind this one to the front by one: it is not in the table any more.
    pub(super) fn close(&mut self, position: usize) {
        for slot in &mut self.slots {
            if slot.position != VACANT && slot.position as usize > position {
                slot.position -= 1;
            }
        }
    }

    pub(super) fn clear(&mut self) {
        for slot in &mut self.slots {
            slot.position = VACANT;
        }
    }
}

/// Where the search for a hash begins: the upper bits of its product with the golden ratio, since its lower bits alone may repeat.
fn home(hash: u32, mask: usize) -> usize {
    (hash.wrapping_mul(0x9e37_79b9) >> (mask as u32).leading_zeros()) as usize
}

/// Puts an entry into the first vacant slot from its home on.
fn place(slots: &mut [Slot], slot: Slot) {
    let mask = slots.len() - 1;
    let mut at = home(slot.hash, mask);
    while slots[at].position != VACANT {
        at = (at + 1) & mask;
    }
    slots[at] = slot;
}
