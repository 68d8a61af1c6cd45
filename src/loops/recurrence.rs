//! The recurrence node: cells of recurrent networks over the steps of a sequence.

use super::{BufferId, ExprId};
use crate::types::{SymArena, SymInt};

/// A recurrent cell; the gates in PyTorch's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    Tanh,
    Relu,
    /// Input, forget, cell, output.
    Lstm,
    /// Reset, update, new.
    Gru,
}

impl Cell {
    pub fn gates(self) -> i64 {
        match self {
            Cell::Tanh | Cell::Relu => 1,
            Cell::Gru => 3,
            Cell::Lstm => 4,
        }
    }
}

/// A cell applied to the steps of a sequence, one after the other; the rows of a batch do not meet. At each step,
/// with `h` the hidden values before it, the cell makes new ones of `gates` at this step and `h · weight + bias`,
/// which `projection` then maps. Everything in float32 or float64.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurrence {
    pub cell: Cell,
    pub steps: SymInt,
    pub batch: SymInt,
    pub hidden: SymInt,
    /// The width of hidden values; that of cell states, `hidden`, where nothing is projected.
    pub projected: SymInt,
    /// From the last step to the first.
    pub reverse: bool,
    /// Rows are `[batch, steps]`, not `[steps, batch]`.
    pub batch_first: bool,
    /// The input's part of the gates, over `[rows.., gates * hidden]`.
    pub gates: ExprId,
    /// Over `[projected, gates * hidden]`.
    pub weight: ExprId,
    /// Over `[gates * hidden]`.
    pub bias: Option<ExprId>,
    /// The first hidden values, over `[batch, projected]`.
    pub first: ExprId,
    /// An LSTM's first cell state, over `[batch, hidden]`.
    pub first_cell: Option<ExprId>,
    /// Over `[hidden, projected]`.
    pub projection: Option<ExprId>,
    /// `[rows.., projected]`
    pub out: BufferId,
    /// The hidden values after all steps, `[batch, projected]`.
    pub last: BufferId,
    /// An LSTM's cell state after all steps, `[batch, hidden]`.
    pub last_cell: Option<BufferId>,
}

impl Recurrence {
    /// The operands with their spaces: gates, weight, first, bias, first cell, projection.
    pub fn operands(&self, syms: &SymArena) -> [Option<(ExprId, Vec<SymInt>)>; 6] {
        let width = syms.mul_const(self.hidden, self.cell.gates());
        let rows = if self.batch_first { [self.batch, self.steps] } else { [self.steps, self.batch] };
        [
            Some((self.gates, vec![rows[0], rows[1], width])),
            Some((self.weight, vec![self.projected, width])),
            Some((self.first, vec![self.batch, self.projected])),
            self.bias.map(|e| (e, vec![width])),
            self.first_cell.map(|e| (e, vec![self.batch, self.hidden])),
            self.projection.map(|e| (e, vec![self.hidden, self.projected])),
        ]
    }
    /// The operands' places, in the order of [`Recurrence::operands`].
    pub fn operands_mut(&mut self) -> [Option<&mut ExprId>; 6] {
        [
            Some(&mut self.gates),
            Some(&mut self.weight),
            Some(&mut self.first),
            self.bias.as_mut(),
            self.first_cell.as_mut(),
            self.projection.as_mut(),
        ]
    }
}
