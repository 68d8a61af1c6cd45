//! Operators of a text that nobody knows: one error names all of them.
//!
//! Deliberately absent: whether the rest of the text is right, which nobody has read yet.

use super::TextError;
use super::cursor::Cursor;
use crate::base::{HashMap, Status, shortened};
use crate::ir::HostOperators;
use crate::ir::text::lexer::Place;
use crate::meta::builder::is_known;
use crate::ops::OpId;

/// Operators that one error names.
const MOST: usize = 60;

/// Where an operator stands first, and how often it does.
struct Calls {
    first: Place,
    count: usize,
}

/// The error for an operator that is not known, with those of the rest of the text; `None` where it is the only one.
pub(super) fn all_from(cursor: &Cursor, name: &str, place: Place, host: &HostOperators) -> Option<TextError> {
    let mut unknown: HashMap<&str, Calls> = HashMap::new();
    unknown.insert(name, Calls { first: place, count: 1 });
    for (name, first) in cursor.calls_ahead().filter(|(name, _)| !is_known(name, host)) {
        unknown.entry(name).or_insert(Calls { first, count: 0 }).count += 1;
    }
    if unknown.len() == 1 {
        return None;
    }
    let mut message = format!("{} operators of the program are not known:", unknown.len());
    for (name, Calls { first, count }) in unknown.iter().take(MOST) {
        let times = if *count == 1 { String::new() } else { format!(", called {count} times") };
        let (line, column) = (first.line, first.column);
        message += &format!(
            "\n- `{}` (line {line}, column {column}{times}){}",
            shortened(name),
            OpId::suggestions(name)
        );
    }
    if unknown.len() > MOST {
        message += &format!("\n- {} more", unknown.len() - MOST);
    }
    Some(TextError::with_status(Status::Unsupported, place, message))
}
