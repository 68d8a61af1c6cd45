//! Floor 0: what every other module stands on: typed handles with their arenas, side tables and orders, maps and sets, sorting,
//! JSON values, status codes shared by all floors, files that the host names or the library carries, bytes that many hold, what happens
//! when memory runs out or work is cancelled, what happens in a compilation as events and as numbers, and faults that tests
//! plant.
//!
//! Deliberately absent: anything that knows what a tensor is.

mod arena;
mod boxed;
mod bytes;
pub mod cancel;
pub mod counters;
mod embedded;
pub mod event;
pub mod file;
mod json;
pub mod map;
pub mod memory;
mod offsets;
mod order;
mod ordered;
mod plant;
mod set;
pub mod signal;
mod sort;
mod status;
mod table;
mod text;

pub use arena::{Arena, Handle, SideMap};
pub use boxed::Boxed;
pub use bytes::{Bytes, Origin, SharedBytes};
pub use embedded::Embedded;
pub(crate) use embedded::embedded;
pub(crate) use json::json;
pub use json::{json_object, json_value};
pub use map::HashMap;
pub use offsets::offsets;
pub use order::Order;
pub use ordered::{OrderedMap, OrderedSet};
pub use plant::is_planted;
pub use set::HashSet;
pub use sort::StableSort;
pub use status::Status;
pub use text::{bounded, shortened};
