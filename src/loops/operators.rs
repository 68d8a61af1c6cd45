//! What a loop node or a kernel computes, in the user's terms: operators, and the nodes of the program that they come from.
//! Describe, messages and traces tell it.

use crate::base::HashSet;
use crate::ir::{OriginId, Origins, merge};

/// Lists of so many origins are looked through one by one.
const FEW: usize = 32;

/// Names what copies a value into an output, which no operator does.
pub const OUTPUT: &str = "output";

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
        let list: Vec<&Operators> = list.into_iter().collect();
        let mut all = Operators::default();
        if list.iter().map(|o| o.origins.len()).sum::<usize>() <= FEW {
            list.into_iter().for_each(|operators| all.add(operators));
            return all;
        }
        // Looking each up among the others would take the square of their number.
        let mut known = HashSet::default();
        for operators in list {
            operators.names.iter().for_each(|name| all.add_name(name));
            all.origins.extend(operators.origins.iter().filter(|id| known.insert(**id)));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Origin;

    #[test]
    fn each_is_named_once_in_order_however_many_there_are() {
        let origins = Origins::default();
        let ids: Vec<OriginId> =
            (0..100).map(|k| origins.add(Origin { node: format!("n{k}"), ..Origin::default() })).collect();
        for n in [3, 100] {
            let each: Vec<Operators> =
                (0..n).map(|k| Operators::new(["a", "b"][k % 2], &[ids[k / 2], ids[k], ids[0]])).collect();
            let all = Operators::of(&each);
            let mut one_by_one = Operators::default();
            each.iter().for_each(|o| one_by_one.add(o));
            assert_eq!(all, one_by_one);
            assert_eq!((all.origins.len(), &all.names[..]), (n, &["a", "b"][..]));
        }
    }
}
