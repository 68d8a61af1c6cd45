//! Nodes that run graphs: the loops of each subgraph stand between the marks of a block.
//!
//! What a block reads from outside is in memory before it begins; what leaves it is copied to a buffer that outlives
//! it. A loop's carried values each have one such buffer: a body computes the next values aside and copies them when
//! all are there.

use super::{Lazy, Lower, LowerError, count_uses, empty_program};
use crate::base::{SideMap, Status};
use crate::ir::{Arg, Graph, Node, OutputValue};
use crate::loops::{BufferId, BufferKind, Control};
use crate::types::{Dtype, SymInt, SymbolId};
use std::sync::Arc;

impl Lower<'_> {
    pub(super) fn cond(&mut self, node: &Node) -> Result<(), LowerError> {
        let name = node.op.name();
        let operands = self.operands(node, "operands");
        let Some(Arg::Value(predicate)) = node.arg("pred") else {
            return Err(self.error(Status::Internal, "no predicate"));
        };
        let predicate = self.value(*predicate);
        let predicate = self.predicate(&predicate);
        let sizes = self.size_symbols(node);
        let outs: Vec<BufferId> = node
            .outputs
            .iter()
            .map(|v| self.graph.meta(*v).in_parts(&self.graph.syms))
            .map(|meta| self.program.temporary(meta.dtype, &meta.shape))
            .collect();
        let mut branches = node.subgraphs();
        let (Some(yes), Some(no)) = (branches.next(), branches.next()) else {
            return Err(self.error(Status::Internal, "no branches"));
        };
        (self.op, self.origins) = (name, node.origins.clone());
        if std::ptr::eq(yes, no) {
            // Whatever the predicate is, this is what happens.
            let results = self.block(yes, &operands)?;
            for (value, result) in node.outputs.iter().zip(results) {
                let result = match self.functions.contains(yes) {
                    true => self.lasting(&result),
                    false => self.computed(&result),
                };
                self.values.insert(*value, result);
            }
            self.check_guards();
            return Ok(());
        }
        self.steer(Control::If { predicate });
        for (branch, end) in [(yes, Control::Else), (no, Control::EndIf)] {
            let results = self.block(branch, &operands)?;
            (self.op, self.origins) = (name, node.origins.clone());
            let sources: Vec<BufferId> = results.iter().map(|r| self.own_buffer(r, &[])).collect();
            self.set_sizes(&sizes, &outs, &results);
            for (destination, source) in outs.iter().zip(sources) {
                self.steer(Control::Copy { destination: *destination, source });
            }
            self.steer(end);
        }
        self.give(node, &outs);
        self.check_guards();
        Ok(())
    }

    pub(super) fn while_loop(&mut self, node: &Node) -> Result<(), LowerError> {
        let name = node.op.name();
        let first = self.operands(node, "carried");
        let additional = self.operands(node, "additional");
        let sizes = self.size_symbols(node);
        let mut graphs = node.subgraphs();
        let (Some(condition), Some(body)) = (graphs.next(), graphs.next()) else {
            return Err(self.error(Status::Internal, "no condition and body"));
        };
        let carried: Vec<BufferId> = body.inputs[..first.len()]
            .iter()
            .map(|i| body.meta(i.value).in_parts(&body.syms))
            .map(|meta| self.program.temporary(meta.dtype, &meta.shape))
            .collect();
        (self.op, self.origins) = (name, node.origins.clone());
        let sources: Vec<BufferId> = first.iter().map(|r| self.realize(r)).collect();
        self.set_sizes(&sizes, &carried, &first);
        for (destination, source) in carried.iter().zip(sources) {
            self.steer(Control::Copy { destination: *destination, source });
        }
        let mut operands: Vec<Lazy> = carried.iter().map(|c| self.load_all(*c)).collect();
        operands.extend(additional);
        self.steer(Control::While);
        let goes_on = self.block(condition, &operands)?;
        (self.op, self.origins) = (name, node.origins.clone());
        let predicate = self.predicate(&goes_on[0]);
        self.steer(Control::Do { predicate });
        let results = self.block(body, &operands)?;
        (self.op, self.origins) = (name, node.origins.clone());
        // A value that stays is not copied; every other one is computed before any carried buffer changes.
        let next: Vec<(BufferId, BufferId)> = carried
            .iter()
            .zip(&results)
            .filter_map(|(own, result)| {
                let stays = self.whole_buffer(result) == Some(*own);
                (!stays).then(|| (*own, self.own_buffer(result, &carried)))
            })
            .collect();
        self.set_sizes(&sizes, &carried, &results);
        for (destination, source) in next {
            self.steer(Control::Copy { destination, source });
        }
        self.steer(Control::EndWhile);
        self.give(node, &carried);
        self.check_guards();
        Ok(())
    }

    /// Tensors that a block uses, so that it only reads memory.
    fn operands(&mut self, node: &Node, name: &str) -> Vec<Lazy> {
        let Some(Arg::Values(list)) = node.arg(name) else { return Vec::new() };
        list.iter()
            .flatten()
            .map(|v| {
                let lazy = self.value(*v);
                let lazy = self.computed(&lazy);
                self.values.insert(*v, lazy.clone());
                lazy
            })
            .collect()
    }

    /// A bool in memory.
    fn predicate(&mut self, lazy: &Lazy) -> BufferId {
        let index = vec![self.syms().constant(0); lazy.sizes.len()];
        let element = self.at(lazy, &index);
        let expr = self.program.exprs.cast(element, Dtype::Bool);
        self.realize(&Lazy { sizes: Vec::new(), expr })
    }

    /// A temporary that holds the value and is none of these.
    pub(super) fn own_buffer(&mut self, lazy: &Lazy, others: &[BufferId]) -> BufferId {
        match self.whole_buffer(lazy) {
            Some(b) if self.program.buffers[b].kind == BufferKind::Temporary && !others.contains(&b) => b,
            _ => self.materialize(lazy),
        }
    }

    fn size_symbols(&self, node: &Node) -> Vec<SymInt> {
        match node.arg("sizes") {
            Some(Arg::Ints(list)) => list.clone(),
            _ => Vec::new(),
        }
    }

    /// Gives the symbols among the sizes of these buffers the sizes of what will be copied there. All are worked out
    /// before any changes, since they may depend on one another.
    fn set_sizes(&mut self, symbols: &[SymInt], buffers: &[BufferId], values: &[Lazy]) {
        let syms = Arc::clone(&self.program.syms);
        let mut sets: Vec<(SymbolId, SymInt)> = Vec::new();
        for (buffer, value) in buffers.iter().zip(values) {
            for (size, to) in self.program.buffers[*buffer].sizes.iter().zip(&value.sizes) {
                let Some(symbol) = syms.as_symbol(*size).filter(|_| symbols.contains(size)) else { continue };
                if size != to && sets.iter().all(|(s, _)| *s != symbol) {
                    sets.push((symbol, *to));
                }
            }
        }
        if let [(symbol, value)] = sets[..] {
            return self.steer(Control::Set { symbol, value });
        }
        let aside: Vec<(SymbolId, SymInt)> = sets
            .into_iter()
            .filter_map(|(symbol, value)| {
                let between = syms.symbol("next", syms.range(value), None);
                self.steer(Control::Set { symbol: syms.as_symbol(between)?, value });
                Some((symbol, between))
            })
            .collect();
        for (symbol, value) in aside {
            self.steer(Control::Set { symbol, value });
        }
    }

    fn give(&mut self, node: &Node, buffers: &[BufferId]) {
        for (value, buffer) in node.outputs.iter().zip(buffers) {
            let lazy = self.load_all(*buffer);
            self.values.insert(*value, lazy);
        }
    }

    /// A subgraph, run where the program has come to; gives its results.
    fn block(&mut self, graph: &Graph, operands: &[Lazy]) -> Result<Vec<Lazy>, LowerError> {
        if self.functions.contains(graph) {
            self.function(graph, operands)
        } else {
            self.inlined(graph, operands)
        }
    }

    /// The nodes of a subgraph, appended; gives its results.
    pub(super) fn inlined(&mut self, graph: &Graph, operands: &[Lazy]) -> Result<Vec<Lazy>, LowerError> {
        let program = std::mem::replace(&mut self.program, empty_program(self.graph));
        let mut inner = Lower {
            graph,
            program,
            values: SideMap::new(),
            uses: count_uses(graph),
            contractions: std::mem::take(&mut self.contractions),
            op: self.op,
            origins: self.origins.clone(),
            pending: std::mem::take(&mut self.pending),
            guards: graph.guards.clone(),
            data_symbols: self.data_symbols.clone(),
            functions: std::mem::take(&mut self.functions),
        };
        for (input, lazy) in graph.inputs.iter().zip(operands) {
            inner.values.insert(input.value, lazy.clone());
        }
        let outcome = inner.lower_block(graph);
        self.contractions = std::mem::take(&mut inner.contractions);
        self.pending = std::mem::take(&mut inner.pending);
        self.functions = std::mem::take(&mut inner.functions);
        self.program = inner.program;
        outcome
    }

    fn lower_block(&mut self, graph: &Graph) -> Result<Vec<Lazy>, LowerError> {
        self.check_guards();
        for id in &graph.order {
            self.lower_node(&graph.nodes[*id])?;
        }
        let result = |o: &crate::ir::Output| match o.value {
            OutputValue::Tensor(v) => Ok(self.value(v)),
            OutputValue::Number(_) => Err(self.unsupported("a number as a block's result")),
        };
        graph.outputs.iter().map(result).collect()
    }
}
