//! What a loop node or a kernel computes, in the user's terms: operators, and the nodes of the program that they come from.
//! Describe, messages and traces tell it.

use crate::ir::{OriginId, Origins, merge};

/// Operators and origins, each once, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operators {
    /// ATen operators, as decomposition left them.
    pub names: Vec<&'static str>,
    /// The nodes of the user's program.
    pub origins: Vec<OriginId>,
}

impl Operators {
    pub fn new(name: &'static str, origins: &[OriginId]) -> Operators {
        Operators { names: vec![name], origins: origins.to_vec() }
    }
    /// Those of several.
    pub fn of<'a>(list: impl IntoIterator<Item = &'a Operators>) -> Operators {
        let mut all = Operators::default();
        list.into_iter().for_each(|operators| all.add(operators));
        all
    }
    pub fn add(&mut self, more: &Operators) {
        for name in &more.names {
            self.add_name(name);
        }
        merge(&mut self.origins, &more.origins);
    }
    pub fn add_name(&mut self, name: &'static str) {
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
    /// The names in a message, with the place that they come from.
    pub fn located(&self, origins: &Origins) -> String {
        self.text() + &origins.place(&self.origins)
    }
    /// The names in a message.
    pub fn text(&self) -> String {
        self.names.join(", ")
    }
}
