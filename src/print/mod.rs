//! Floor 9: kernels to source text. A printer spells a kernel and decides nothing.
//!
//! Both targets have one vocabulary ([`words`]), which each target's prelude defines: vectors of the machine on a CPU, a few registers of a
//! thread on a GPU. Most values and statements have one spelling for both; [`cxx`] and [`cuda`] write the function around them.
//!
//! Invariants: equal kernels have equal text; the text includes no header and is warning-free under `-Wall -Wextra`. The
//! function is named `LITZ_KERNEL`.
//!
//! Deliberately absent: choices, the native headers, and compilers.

pub mod cuda;
pub mod cxx;
mod statement;
mod template;
mod value;
pub mod words;

use crate::base::OrderedSet;
use crate::kernels::{Body, Statement, Value, ValueId};

pub use template::{headers, is_tile, tile_heights};

/// Whose text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Cxx,
    Cuda,
}

/// A body being spelled.
struct Speller<'k> {
    dialect: Dialect,
    body: &'k Body,
    text: String,
    depth: usize,
}

/// A value's text.
pub fn value(dialect: Dialect, body: &Body, value: ValueId) -> String {
    let mut speller = Speller { dialect, body, text: String::new(), depth: 0 };
    speller.value(value);
    speller.text
}

/// The text of a block's statements, at this depth of nesting.
pub fn block(dialect: Dialect, body: &Body, block: &[Statement], depth: usize) -> String {
    let mut speller = Speller { dialect, body, text: String::new(), depth };
    speller.block(block);
    speller.text
}

/// Macros of the native functions that a body uses.
pub fn functions(body: &Body) -> OrderedSet<&'static str> {
    let of = |value: &Value| match value {
        Value::Unary(op, _) => words::unary(*op).1,
        Value::Binary(op, _, _) => words::binary(*op).1,
        Value::Word(word, _) => words::word(*word).1,
        _ => None,
    };
    let mut found = OrderedSet::from_iter(body.values.iter().filter_map(|(_, value)| of(value)));
    template::functions(body, &mut found);
    found
}
