//! The names of a graph's inputs and constants, found in constant time.
//!
//! Invariant: the table follows the graph's lists as far as they only grow, which is all that [`Graph`]'s own functions do to
//! them; `Graph::take_inputs` begins it anew.

use super::{Definition, Graph};
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub definition: Definition,
    /// It is a further name of a constant (`Constant::aliases`), which other inputs and constants may have for their own.
    pub is_alias: bool,
}

/// How far the lists were read, and the names in them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    inputs: usize,
    constants: usize,
    of: FxHashMap<String, Named>,
}

/// A copy of a graph finds its names again, if anybody asks.
impl Clone for Names {
    fn clone(&self) -> Names {
        Names::default()
    }
}

impl Graph {
    /// What has this name: an input, or a constant by its own name, that of a view of it, or a further one.
    pub fn named(&mut self, name: &str) -> Option<Named> {
        let Graph { names, inputs, constants, .. } = self;
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
