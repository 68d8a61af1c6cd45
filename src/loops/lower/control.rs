//! Nodes that run graphs: the loops of each subgraph stand between the marks of a block.
//!
//! What a block reads from outside is in memory before it begins; what leaves it is copied to a buffer that outlives
//! it. A loop's carried values each have one such buffer: a body computes the next values aside and copies them when
//! all are there. Slices that it writes over in a carried value are computed aside and copied, and no more.

use super::region::Region;
use super::rules::{Slice, Start, slice_of, slices_written};
use super::{Args, Lazy, Lower, LowerError, count_uses, empty_program};
use crate::base::{HashMap, SideMap, Status};
use crate::ir::{Arg, Graph, Node, NodeId, OutputValue};
use crate::loops::{BufferId, BufferKind, Control, ExprId};
use crate::types::{Dtype, Range, SymInt, SymbolId};
use std::sync::Arc;

/// What a body leaves in a carried value.
enum Next {
    Whole(Lazy),
    /// The value that it was given, with these written over.
    Slices(Vec<Slice>),
}

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
        let results = self.body(body, &operands, &sizes, carried.len())?;
        (self.op, self.origins) = (name, node.origins.clone());
        self.carry_on(&sizes, &carried, results);
        self.steer(Control::EndWhile);
        self.give(node, &carried);
        self.check_guards();
        Ok(())
    }

    /// A body's nodes; gives what becomes of each carried value.
    fn body(
        &mut self,
        graph: &Graph,
        operands: &[Lazy],
        sizes: &[SymInt],
        carried: usize,
    ) -> Result<Vec<Next>, LowerError> {
        if self.functions.contains(graph) {
            return Ok(self.function(graph, operands)?.into_iter().map(Next::Whole).collect());
        }
        let uses = count_uses(graph);
        let written: Vec<Vec<NodeId>> = (0..carried)
            .map(|k| {
                let own = graph.inputs[k].value;
                let OutputValue::Tensor(result) = graph.outputs[k].value else { return Vec::new() };
                // Where sizes change, the memory is another after each turn.
                let changes = graph.meta(own).shape.iter().any(|size| sizes.contains(size));
                if changes { None } else { slices_written(graph, &uses, result, own) }.unwrap_or_default()
            })
            .collect();
        self.within(graph, operands, |inner| {
            let skipped: Vec<NodeId> = written.iter().flatten().copied().collect();
            inner.lower_nodes(graph, &skipped)?;
            let next = |(k, nodes): (usize, &Vec<NodeId>)| match nodes.is_empty() {
                true => inner.result(graph, k).map(Next::Whole),
                false => {
                    let slice = |id: &NodeId| {
                        let node = &graph.nodes[*id];
                        (inner.op, inner.origins) = (node.name(), node.origins.clone());
                        slice_of(inner, &Args::new(graph, node))
                    };
                    nodes.iter().map(slice).collect::<Result<_, _>>().map(Next::Slices)
                }
            };
            written.iter().enumerate().map(next).collect()
        })
    }

    /// Makes the results of a turn the carried values of the next. All are computed before any carried buffer changes; a value that
    /// stays is not copied.
    fn carry_on(&mut self, sizes: &[SymInt], carried: &[BufferId], results: Vec<Next>) {
        let written = |(own, next): (&BufferId, &Next)| matches!(next, Next::Slices(_)).then_some(*own);
        let written: Vec<BufferId> = carried.iter().zip(&results).filter_map(written).collect();
        let (mut whole, mut slices, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (own, next) in carried.iter().zip(results) {
            match next {
                Next::Whole(result) => {
                    if self.whole_buffer(&result) != Some(*own) {
                        whole.push((*own, self.own_buffer(&result, carried)));
                    }
                    values.push(result);
                }
                Next::Slices(list) => {
                    values.push(self.load_all(*own));
                    for Slice { start, rows } in list {
                        // Slices are written before carried values are copied, so that they may come from one of these.
                        let source = match self.whole_buffer(&rows) {
                            Some(buffer) if !written.contains(&buffer) => buffer,
                            _ => self.materialize(&rows),
                        };
                        slices.push((*own, start, source));
                    }
                }
            }
        }
        let mut known: HashMap<ExprId, SymInt> = HashMap::default();
        let mut places = Vec::with_capacity(slices.len());
        for (destination, start, source) in slices {
            let start = match start {
                Start::Known(start) => start,
                Start::Data(number) => match known.get(&number.expr) {
                    Some(start) => *start,
                    None => {
                        let start = self.row(&number, destination);
                        known.insert(number.expr, start);
                        start
                    }
                },
            };
            places.push(Control::Place { destination, source, start });
        }
        places.into_iter().for_each(|place| self.steer(place));
        self.set_sizes(sizes, carried, &values);
        for (destination, source) in whole {
            self.steer(Control::Copy { destination, source });
        }
    }

    /// The symbol of a row's number, which is read here.
    fn row(&mut self, number: &Lazy, of: BufferId) -> SymInt {
        let buffer = self.realize(number);
        let rows = self.syms().range(self.program.buffers[of].sizes[0]).max;
        let start = self.syms().symbol("row", Range::new(0, rows.saturating_sub(1).max(0)), None);
        if let Some(symbol) = self.syms().as_symbol(start) {
            self.steer(Control::Read { symbol, buffer });
        }
        start
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
        self.within(graph, operands, |inner| {
            inner.lower_nodes(graph, &[])?;
            (0..graph.outputs.len()).map(|k| inner.result(graph, k)).collect()
        })
    }

    /// Lowers in the place of a subgraph, whose inputs are these.
    fn within<T>(
        &mut self,
        graph: &Graph,
        operands: &[Lazy],
        lower: impl FnOnce(&mut Lower<'_>) -> Result<T, LowerError>,
    ) -> Result<T, LowerError> {
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
            makers: std::mem::take(&mut self.makers),
            guards: graph.guards.clone(),
            data_symbols: self.data_symbols.clone(),
            functions: std::mem::take(&mut self.functions),
            region: Region::of(graph),
        };
        for (input, lazy) in graph.inputs.iter().zip(operands) {
            inner.values.insert(input.value, lazy.clone());
        }
        let outcome = lower(&mut inner);
        self.contractions = std::mem::take(&mut inner.contractions);
        self.pending = std::mem::take(&mut inner.pending);
        self.makers = std::mem::take(&mut inner.makers);
        self.functions = std::mem::take(&mut inner.functions);
        self.program = inner.program;
        outcome
    }

    fn lower_nodes(&mut self, graph: &Graph, skipped: &[NodeId]) -> Result<(), LowerError> {
        self.check_guards();
        for id in graph.order.iter().filter(|id| !skipped.contains(id)) {
            self.lower_node(&graph.nodes[*id])?;
        }
        self.leave_region();
        Ok(())
    }

    fn result(&self, graph: &Graph, k: usize) -> Result<Lazy, LowerError> {
        match graph.outputs[k].value {
            OutputValue::Tensor(v) => Ok(self.value(v)),
            OutputValue::Number(_) => Err(self.unsupported("a number as a block's result")),
        }
    }
}
