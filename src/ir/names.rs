//! The names of a graph's inputs and constants, found in constant time.
//!
//! Invariants:
//! - the table is read off the graph's lists as they grow, up to the lengths that it notes. It begins anew where inputs are taken in
//!   another order (`Graph::take_inputs`) or a list is shorter than before;
//! - a constant has all its names when it is first looked for. Readers of files, which add names later, keep tables of their own.

use super::{Definition, Graph};
use crate::base::HashMap;

/// The input or constant that a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub definition: Definition,
    /// Whether it is a further name of a constant (`Constant::aliases`). Another input or constant may have it as its own.
    pub is_alias: bool,
}

/// The names found so far, and how many inputs and constants were read.
#[derive(Debug, Default)]
pub(crate) struct Names {
    inputs: usize,
    constants: usize,
    of: HashMap<String, Named>,
}

/// Empty: the copy of a graph reads its names anew when it is first asked.
impl Clone for Names {
    fn clone(&self) -> Names {
        Names::default()
    }
}

impl Graph {
    /// The input or constant of this name. Constants are found by their own names, those of their views, and aliases.
    pub fn named(&mut self, name: &str) -> Option<Named> {
        let Graph { names, inputs, constants, .. } = self;
        if inputs.len() < names.inputs || constants.len() < names.constants {
            *names = Names::default();
        }
        let own = |definition| Named { definition, is_alias: false };
        for (k, input) in inputs.iter().enumerate().skip(names.inputs) {
            names.of.insert(input.name.clone(), own(Definition::Input(k)));
        }
        for (k, constant) in constants.iter().enumerate().skip(names.constants) {
            let views = constant.views.iter().map(|v| &v.name);
            for name in views.chain([&constant.name]) {
                names.of.insert(name.clone(), own(Definition::Constant(k)));
            }
            for alias in &constant.aliases {
                let definition = Definition::Constant(k);
                names.of.entry(alias.clone()).or_insert(Named { definition, is_alias: true });
            }
        }
        (names.inputs, names.constants) = (inputs.len(), constants.len());
        names.of.get(name).copied()
    }
}
