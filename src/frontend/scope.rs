//! What the names of an exported graph stand for. A name is given once, and before it is used.

use super::FrontendError;
use super::error::Result;
use super::number::Number;
use crate::base::HashMap;
use crate::ir::Value;

/// What a name of the file stands for.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    Tensor(Value),
    /// With the depth of the calculation that made it, which is bounded.
    Number(Number, u32),
    /// None, or a token that only orders effects.
    Nothing,
}

pub type Scope = HashMap<String, Entry>;

pub fn bind(scope: &mut Scope, name: &str, entry: Entry, place: &str) -> Result<()> {
    match scope.insert(name.to_string(), entry) {
        None => Ok(()),
        Some(_) => Err(FrontendError::parse(format!("{place}: the name `{name}` is given twice"))),
    }
}

pub fn lookup(scope: &Scope, name: &str) -> Result<Entry> {
    scope
        .get(name)
        .copied()
        .ok_or_else(|| FrontendError::parse(format!("`{name}` is used, but nothing before it gives it")))
}
pub fn lookup_tensor(scope: &Scope, name: &str) -> Result<Value> {
    match lookup(scope, name)? {
        Entry::Tensor(v) => Ok(v),
        _ => Err(FrontendError::parse(format!("`{name}` is used as a tensor, but is none"))),
    }
}
pub fn lookup_number(scope: &Scope, name: &str) -> Result<(Number, u32)> {
    match lookup(scope, name)? {
        Entry::Number(n, depth) => Ok((n, depth)),
        _ => Err(FrontendError::parse(format!("`{name}` is used as a number, but is none"))),
    }
}
