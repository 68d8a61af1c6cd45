//! Facts about the turns of a loop, read off its graphs: a bound on their number, and the rows that a turn reads and writes.
//!
//! A loop counts where its condition asks, at least, that a carried number is below a bound, and its body adds a constant to that
//! number. A row is *the turn's own* where its index is the counter plus or minus a constant: no other turn has it.
//!
//! Deliberately absent: counters that go down, and bounds that tensors hold which a run computes.

use crate::base::SideMap;
use crate::ir::{Arg, ConstantKind, Definition, Graph, Node, OutputValue, Value, ValueData};
use crate::ops::OpId;
use crate::types::{Dtype, SymInt};

/// How a loop counts its turns.
pub(super) struct Turns {
    /// Which carried value counts.
    pub counter: usize,
    /// Its first value.
    pub first: SymInt,
    /// What a turn adds.
    pub step: i64,
    /// There are no more turns than so many.
    pub most: SymInt,
    /// There are exactly so many.
    pub exact: bool,
}

/// A `while_loop` with its graphs and operands.
pub(super) struct Loop<'g> {
    pub outer: &'g Graph,
    pub condition: &'g Graph,
    pub body: &'g Graph,
    pub carried: &'g [Value],
    pub additional: &'g [Value],
}

impl Loop<'_> {
    /// How the loop counts, where it is known to.
    pub fn turns(&self) -> Option<Turns> {
        let OutputValue::Tensor(goes_on) = self.condition.outputs[0].value else { return None };
        let mut terms = vec![goes_on];
        let mut all = 0;
        let mut found = None;
        while let Some(term) = terms.pop() {
            let Some(node) = self.condition.producer(term) else {
                all += 1;
                continue;
            };
            match node.op {
                OpId::LogicalAnd | OpId::BitwiseAndTensor => terms.extend(node.uses()),
                _ => {
                    all += 1;
                    found = found.or_else(|| self.limit(node));
                }
            }
        }
        let (counter, bound) = found?;
        let syms = &self.body.syms;
        let first = number(self.outer, self.carried[counter], &|_| None)?;
        let step = self.step(counter).filter(|step| *step > 0)?;
        let distance = syms.add_const(syms.sub(bound, first), step - 1);
        let most = syms.floordiv(distance, syms.constant(step));
        let most = if syms.range(most).min >= 0 { most } else { syms.max(most, syms.constant(0)) };
        Some(Turns { counter, first, step, most, exact: all == 1 })
    }

    /// A carried integer that a condition's node has below a bound.
    fn limit(&self, node: &Node) -> Option<(usize, SymInt)> {
        let syms = &self.condition.syms;
        let (small, large, equal) = match node.op {
            OpId::LtScalar | OpId::LtTensor => ("self", "other", false),
            OpId::LeScalar | OpId::LeTensor => ("self", "other", true),
            OpId::GtTensor => ("other", "self", false),
            OpId::GeTensor => ("other", "self", true),
            _ => return None,
        };
        let counter = node.arg(small)?.value()?;
        let Definition::Input(k) = self.condition.values[counter].definition else { return None };
        let is_int = matches!(self.condition.meta(counter).dtype, Dtype::Int64 | Dtype::Int32);
        let bound = match node.arg(large)? {
            Arg::Int(bound) => Some(*bound),
            Arg::Value(v) => number(self.condition, *v, &|input| self.outside(input)),
            _ => None,
        }?;
        let bound = if equal { syms.add_const(bound, 1) } else { bound };
        (k < self.carried.len() && is_int).then_some((k, bound))
    }

    /// The integer in an operand that stays the same.
    fn outside(&self, input: usize) -> Option<SymInt> {
        let place = input.checked_sub(self.carried.len())?;
        number(self.outer, *self.additional.get(place)?, &|_| None)
    }

    /// What the body adds to a carried integer.
    fn step(&self, counter: usize) -> Option<i64> {
        let OutputValue::Tensor(result) = self.body.outputs[counter].value else { return None };
        let row = row(self.body, self.body.inputs[counter].value, result)?;
        (row.sign == 1).then(|| self.body.syms.as_const(row.addend)).flatten()
    }
}

/// An index that is the counter times `sign`, plus `addend`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub sign: i64,
    pub addend: SymInt,
}

impl Row {
    /// Whether no two turns have this index, and all have it from the front.
    pub fn is_own(&self, graph: &Graph, turns: &Turns) -> bool {
        let syms = &graph.syms;
        let last = syms.mul_const(syms.add_const(turns.most, -1), turns.step);
        let least = match self.sign {
            1 => syms.add(turns.first, self.addend),
            _ => syms.sub(syms.sub(self.addend, turns.first), last),
        };
        syms.range(least).min >= 0
    }
}

/// The index that a value is, as a function of the counter; of one element, whatever its rank.
pub(super) fn row(graph: &Graph, counter: Value, value: Value) -> Option<Row> {
    let syms = &graph.syms;
    if value == counter {
        return Some(Row { sign: 1, addend: syms.constant(0) });
    }
    let node = graph.producer(value)?;
    let operand = |name: &str| node.arg(name).and_then(Arg::value);
    let plain = || {
        matches!(node.arg("alpha"), None | Some(Arg::Int(_))) && {
            let alpha = node.arg("alpha").and_then(Arg::int);
            alpha.is_none_or(|a| syms.as_const(a) == Some(1))
        }
    };
    let other = || match node.arg("other")? {
        Arg::Int(n) => Some(*n),
        Arg::Value(v) => number(graph, *v, &|_| None),
        _ => None,
    };
    let below = |name: &str| row(graph, counter, operand(name)?);
    match node.op {
        OpId::Unsqueeze
        | OpId::Squeeze
        | OpId::SqueezeDim
        | OpId::View
        | OpId::Reshape
        | OpId::Alias
        | OpId::Clone
        | OpId::Detach => {
            let one = |v: Value| graph.meta(v).shape.iter().all(|size| syms.as_const(*size) == Some(1));
            below("self").filter(|_| one(value))
        }
        OpId::AddScalar | OpId::AddTensor if plain() => {
            let (inner, addend) = (below("self")?, other()?);
            Some(Row { addend: syms.add(inner.addend, addend), ..inner })
        }
        OpId::SubScalar | OpId::SubTensor if plain() => {
            let (inner, addend) = (below("self")?, other()?);
            Some(Row { addend: syms.sub(inner.addend, addend), ..inner })
        }
        OpId::RsubScalar | OpId::RsubTensor if plain() => {
            let (inner, from) = (below("self")?, other()?);
            Some(Row { sign: -inner.sign, addend: syms.sub(from, inner.addend) })
        }
        _ => None,
    }
}

/// The integer that a tensor of one element is known to hold; `input` says it for a graph's inputs.
fn number(graph: &Graph, value: Value, input: &dyn Fn(usize) -> Option<SymInt>) -> Option<SymInt> {
    let syms = &graph.syms;
    let meta = graph.meta(value);
    if !matches!(meta.dtype, Dtype::Int64 | Dtype::Int32) || meta.numel(syms) != syms.constant(1) {
        return None;
    }
    let node = match graph.values[value].definition {
        Definition::Input(k) => return input(k),
        Definition::Constant(k) => {
            let constant = &graph.constants[k];
            let written = graph.writes.iter().any(|w| w.target == Definition::Constant(k));
            let fixed = constant.kind == ConstantKind::Constant && constant.views.is_empty() && !written;
            return match (fixed, constant.data.bytes()) {
                (true, [a, b, c, d]) => Some(i64::from(i32::from_ne_bytes([*a, *b, *c, *d]))),
                (true, [a, b, c, d, e, f, g, h]) => {
                    Some(i64::from_ne_bytes([*a, *b, *c, *d, *e, *f, *g, *h]))
                }
                _ => None,
            }
            .map(|n| syms.constant(n));
        }
        Definition::Node { node, .. } => &graph.nodes[node],
    };
    let given = |name: &str| match node.arg(name)? {
        Arg::Int(n) => Some(*n),
        Arg::Bool(truth) => Some(syms.constant(i64::from(*truth))),
        _ => None,
    };
    match node.op {
        OpId::Zeros => Some(syms.constant(0)),
        OpId::Ones => Some(syms.constant(1)),
        OpId::ScalarTensor => given("s"),
        OpId::Full => given("fill_value"),
        OpId::Alias | OpId::Clone | OpId::Detach | OpId::LiftFreshCopy | OpId::ToCopy => {
            number(graph, node.arg("self")?.value()?, input)
        }
        _ => None,
    }
}

/// What a body's node reads of an operand: a row, with the index.
pub(super) fn row_read(graph: &Graph, node: &Node, operand: Value) -> Option<Value> {
    let is_first = |dim: &Arg| dim.int().is_some_and(|d| graph.syms.as_const(d) == Some(0));
    if node.arg("self")?.value()? != operand || node.uses().filter(|v| *v == operand).count() != 1 {
        return None;
    }
    match (node.op, node.arg("dim"), node.arg("index"), node.arg("indices")) {
        (OpId::IndexSelect, Some(dim), Some(Arg::Value(index)), _) if is_first(dim) => Some(*index),
        (OpId::IndexTensor | OpId::UnsafeIndexTensor, _, _, Some(Arg::Values(list))) => match &list[..] {
            [Some(index), rest @ ..] if rest.iter().all(Option::is_none) => Some(*index),
            _ => None,
        },
        _ => None,
    }
}

/// The index and the row, where a node gives an operand with one row written over.
pub(super) fn row_written(graph: &Graph, node: &Node, operand: Value) -> Option<(Value, Value)> {
    let syms = &graph.syms;
    if !matches!(node.op, OpId::IndexPut | OpId::UnsafeIndexPut)
        || node.arg("self")?.value()? != operand
        || node.uses().filter(|v| *v == operand).count() != 1
        || node.arg("accumulate").is_some_and(Arg::is_true)
    {
        return None;
    }
    let Arg::Values(list) = node.arg("indices")? else { return None };
    let [Some(index), rest @ ..] = &list[..] else { return None };
    let row = node.arg("values")?.value()?;
    let (whole, one) = (graph.meta(operand), graph.meta(row));
    let same = whole.rank() == one.rank() + 1
        && whole.dtype == one.dtype
        && whole.shape[1..].iter().zip(&one.shape).all(|(a, b)| syms.known_eq(*a, *b));
    (same && rest.iter().all(Option::is_none) && graph.meta(*index).rank() == 0).then_some((*index, row))
}

/// The values from which paths of floats lead to these.
pub(super) fn reached(graph: &Graph, to: &[Value]) -> SideMap<ValueData, ()> {
    let mut found: SideMap<ValueData, ()> = SideMap::new();
    to.iter().for_each(|v| {
        found.insert(*v, ());
    });
    let nodes: Vec<_> = graph.order.iter().copied().collect();
    for node in nodes.into_iter().rev().map(|id| &graph.nodes[id]) {
        if node.outputs.iter().any(|v| found.get(*v).is_some()) {
            for v in node.uses().filter(|v| graph.meta(*v).dtype.is_continuous()) {
                found.insert(v, ());
            }
        }
    }
    found
}
