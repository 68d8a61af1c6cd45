//! What a name of a model stands for while it is read: a tensor of the graph, data of the file, or numbers that are known
//! as expressions of sizes. A tensor becomes a node or a constant of the graph when an operator first needs it as one, so
//! that shapes computed by chains of operators leave nothing behind.

use super::super::number::Number;
use super::data::{Data, Narrow};
use crate::ir::Value;
use crate::types::Dtype;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Entry {
    Tensor(Tensor),
    /// Its elements; their number is known while the model is read.
    Sequence(Rc<Vec<Entry>>),
    /// A sequence of so many tensors of one shape as a run decides, stacked.
    Stacked(Tensor),
    /// An optional input that is not given, or an optional without a value.
    Nothing,
}

#[derive(Clone, Debug)]
pub struct Tensor {
    pub at: At,
    /// Its elements, where they are known.
    pub known: Option<Rc<Known>>,
    /// What the elements mean, where that is not what the dtype says.
    pub narrow: Option<Narrow>,
}

/// Where a tensor is.
#[derive(Clone, Debug)]
pub enum At {
    /// In the graph of this depth: 0 is the model's own, others are branches and bodies.
    Graph(usize, Value),
    File(Rc<Data>),
    /// Nowhere yet.
    Known,
}

/// Elements, row by row.
#[derive(Clone, Debug)]
pub struct Known {
    pub dtype: Dtype,
    pub shape: Vec<i64>,
    pub items: Vec<Number>,
}

/// More elements are not calculated with while a model is read.
pub const MOST_KNOWN: usize = 4096;

impl Entry {
    pub fn known(known: Known) -> Entry {
        Entry::Tensor(Tensor { at: At::Known, known: Some(Rc::new(known)), narrow: None })
    }
}
