//! The graphs that `cond` and `while_loop` run: each is walked as the outermost graph is, on the operands that it has here.
//!
//! Invariants: symbols that a graph gives hold for one walk of it; iterations count from 1.
//!
//! Deliberately absent: branches that are not taken.

use super::{HostTensor, Laid, Outcome, Run, wrong};
use crate::ir::{Arg, Graph, NodeId, Number, OutputValue};
use crate::ops::OpId;
use crate::types::{Dtype, Scalar, SymInt};

impl Run<'_> {
    /// The results of a node that runs graphs; `None` where one depends on what nobody knows.
    pub(super) fn bodies(&self, id: NodeId) -> Outcome<Option<Vec<HostTensor>>> {
        let node = &self.graph.nodes[id];
        let graphs: Vec<&Graph> = node.subgraphs().collect();
        let operands: Vec<Laid> = node.uses().map(|v| self.values[&v].clone()).collect();
        let own: &[SymInt] = match node.arg("sizes") {
            Some(Arg::Ints(sizes)) => sizes,
            _ => &[],
        };
        match (node.op, &graphs[..]) {
            (OpId::Cond, [yes, no]) => {
                let Some((predicate, operands)) = operands.split_first() else { return Ok(None) };
                let (graph, word) = if holds(&predicate.tensor) { (yes, "true") } else { (no, "false") };
                let place = format!(", in the {word} branch of {}", self.name(id));
                self.walk(graph, operands, own, place)
            }
            (OpId::WhileLoop, [condition, body]) => self.iterations(id, condition, body, operands, own),
            _ => Ok(None),
        }
    }

    fn iterations(
        &self,
        id: NodeId,
        condition: &Graph,
        body: &Graph,
        mut operands: Vec<Laid>,
        own: &[SymInt],
    ) -> Outcome<Option<Vec<HostTensor>>> {
        let carried = self.graph.nodes[id].outputs.len();
        for iteration in 1.. {
            let of = format!("iteration {iteration} of {}", self.name(id));
            let decided = self.walk(condition, &operands, own, format!(", in the condition before {of}"))?;
            match decided.as_deref() {
                Some([goes_on]) if holds(goes_on) => {}
                Some([_]) => break,
                _ => return Ok(None),
            }
            let Some(results) = self.walk(body, &operands, own, format!(", in {of}"))? else {
                return Ok(None);
            };
            for (operand, tensor) in operands.iter_mut().zip(results) {
                // Carried tensors are contiguous.
                let strides = contiguous(&tensor.shape);
                *operand = Laid { tensor, strides };
            }
        }
        operands.truncate(carried);
        Ok(Some(operands.into_iter().map(|o| o.tensor).collect()))
    }

    /// Checks a graph on its operands, and gives its results. `own`: symbols that it takes from the sizes of its operands.
    fn walk(
        &self,
        graph: &Graph,
        operands: &[Laid],
        own: &[SymInt],
        place: String,
    ) -> Outcome<Option<Vec<HostTensor>>> {
        let (symbols, values) = (self.symbols.clone(), Default::default());
        let mut inner = Run { graph, symbols, values, finite: self.finite, place };
        for (input, operand) in graph.inputs.iter().zip(operands) {
            let meta = graph.meta(input.value);
            for (size, number) in meta.shape.iter().zip(&operand.tensor.shape) {
                if let Some(symbol) = graph.syms.as_symbol(*size).filter(|_| own.contains(size)) {
                    inner.symbols.insert(symbol, *number);
                }
            }
            if let Some(symbol) = input.symbol.and_then(|s| graph.syms.as_symbol(s)) {
                inner.symbols.insert(symbol, number_in(&operand.tensor));
            }
            let sizes = inner.numbers(&meta.shape);
            let fits = sizes.as_ref().is_none_or(|sizes| *sizes == operand.tensor.shape);
            if meta.dtype != operand.tensor.dtype || !fits {
                return Err(wrong(format!(
                    "input `{}`{} is {}{:?}, and inference said {}{:?}",
                    input.name,
                    inner.place,
                    operand.tensor.dtype,
                    operand.tensor.shape,
                    meta.dtype,
                    sizes.unwrap_or_default()
                )));
            }
            let strides = inner.numbers(&meta.strides).unwrap_or_else(|| operand.strides.clone());
            inner.give(input.value, Laid { tensor: operand.tensor.clone(), strides });
        }
        for constant in &graph.constants {
            let bytes = constant.data.bytes().to_vec();
            inner.given(constant.value, Some(bytes), &format!("constant `{}`", constant.name))?;
        }
        graph.order.iter().try_for_each(|id| inner.node(*id))?;
        let result = |value: &OutputValue| match value {
            OutputValue::Tensor(value) => inner.values.get(value).map(|laid| laid.tensor.clone()),
            OutputValue::Number(number) => inner.result_number(*number),
        };
        Ok(graph.outputs.iter().map(|o| result(&o.value)).collect())
    }

    fn result_number(&self, number: Number) -> Option<HostTensor> {
        let (dtype, value) = match number {
            Number::Symbolic(s) => (Dtype::Int64, self.number(s).ok()?),
            Number::Truth(s) => (Dtype::Bool, self.number(s).ok()?),
            Number::Float(s) => (Dtype::Float64, self.number(s).ok()?),
            Number::Scalar(Scalar::Int(v)) => (Dtype::Int64, v),
            Number::Scalar(Scalar::Bool(v)) => (Dtype::Bool, i64::from(v)),
            Number::Scalar(Scalar::Float(v)) => (Dtype::Float64, v.to_bits() as i64),
        };
        Some(HostTensor::new(dtype, &[], value.to_ne_bytes()[..dtype.size()].to_vec()))
    }
}

/// A bool in a tensor of one element.
fn holds(tensor: &HostTensor) -> bool {
    tensor.bytes.first().is_some_and(|b| *b != 0)
}

/// The number in a 0-d tensor.
pub(super) fn number_in(tensor: &HostTensor) -> i64 {
    let mut word = [0u8; 8];
    let n = tensor.bytes.len().min(8);
    word[..n].copy_from_slice(&tensor.bytes[..n]);
    i64::from_ne_bytes(word)
}

fn contiguous(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        strides[d - 1] = strides[d] * shape[d].max(1);
    }
    strides
}
