//! Graphs that are built again: with some symbols known, and with other inputs.

use crate::base::{HashMap, SideMap};
use crate::ir::{Arg, Graph, Guard, Number, OutputValue, Shared, Value, ValueData, Write};
use crate::meta::{Builder, MetaError};
use crate::types::{SymInt, SymbolId, TensorMeta};

/// A graph that is built again, with some symbols known.
pub struct Rebuild<'g> {
    pub fixed: HashMap<SymbolId, SymInt>,
    pub old: &'g Graph,
    pub new: Graph,
    /// The new value of each old one.
    pub map: SideMap<ValueData, Value>,
}

impl Rebuild<'_> {
    pub fn size(&self, size: SymInt) -> SymInt {
        self.old.syms.substitute(size, &self.fixed)
    }
    pub fn add_input(&mut self, input: &crate::ir::Input) {
        let meta = self.old.meta(input.value);
        let sizes = |list: &[SymInt]| list.iter().map(|s| self.size(*s)).collect();
        let meta = TensorMeta {
            dtype: meta.dtype,
            shape: sizes(&meta.shape),
            strides: sizes(&meta.strides),
            offset: self.size(meta.offset),
        };
        let value = self.new.add_input_like(input, meta);
        self.map.insert(input.value, value);
    }

    /// Everything behind inputs and constants, but what is written.
    pub fn nodes(&mut self, shared: &mut Shared) -> Result<(), MetaError> {
        let old = self.old;
        for id in &old.order {
            let node = &old.nodes[*id];
            let mut args = node.args.clone();
            for arg in &mut args {
                arg.map_values(&mut |v| self.map[v]);
                match arg {
                    Arg::Int(size) | Arg::SymFloat(size) => *size = self.size(*size),
                    Arg::Ints(list) => list.iter_mut().for_each(|s| *s = self.size(*s)),
                    Arg::Graph(graph) => {
                        let fixed = &self.fixed;
                        *graph = shared.map(graph, &mut |shared, inner| again(fixed, inner, shared))?;
                    }
                    _ => {}
                }
            }
            self.new.making = old.origins_of(*id);
            let results = Builder::new(&mut self.new).call(node.op, node.form, args)?;
            for (before, after) in node.outputs.iter().zip(results) {
                self.map.insert(*before, after);
            }
        }
        self.new.making = Vec::new();
        for guard in &old.guards {
            let condition = self.size(guard.condition);
            if old.syms.decide(condition) != Some(true) {
                self.new.guards.push(Guard { condition, message: guard.message.clone() });
            }
        }
        self.new.symbols =
            old.symbols.iter().copied().filter(|s| old.syms.as_symbol(self.size(*s)).is_some()).collect();
        for output in &old.outputs {
            let value = match output.value {
                OutputValue::Tensor(v) => OutputValue::Tensor(self.map[v]),
                OutputValue::Number(Number::Symbolic(s)) => {
                    OutputValue::Number(Number::Symbolic(self.size(s)))
                }
                OutputValue::Number(Number::Truth(s)) => OutputValue::Number(Number::Truth(self.size(s))),
                OutputValue::Number(Number::Float(s)) => OutputValue::Number(Number::Float(self.size(s))),
                number => number,
            };
            self.new.add_output(&output.name, value);
        }
        Ok(())
    }
}

/// A subgraph with the symbols known.
pub fn again(
    fixed: &HashMap<SymbolId, SymInt>,
    old: &Graph,
    shared: &mut Shared,
) -> Result<Graph, MetaError> {
    let mut cx = Rebuild { fixed: fixed.clone(), old, new: old.new_subgraph(&old.name), map: SideMap::new() };
    old.inputs.iter().for_each(|input| cx.add_input(input));
    cx.nodes(shared)?;
    for write in &old.writes {
        cx.new.writes.push(Write { target: write.target, value: cx.map[write.value] });
    }
    Ok(cx.new)
}
