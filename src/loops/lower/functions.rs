//! Subgraphs that several nodes run are lowered once: as a function, a block that stands where it is run first and that is
//! run again from elsewhere.
//!
//! A function reads its operands from buffers of its own, into which each node that runs it copies them, and leaves its results in
//! buffers that its next run overwrites. Constants that no run writes to are read where they lie; other constants make
//! another function, up to a number.
//!
//! Invariant: no function runs itself, since graphs hold only graphs that are complete.
//!
//! Deliberately absent: functions of plain blocks, which may fuse with nothing, but would have their operands copied.

#[cfg(test)]
mod tests;

use super::{Lazy, Lower, LowerError};
use crate::base::{HashMap, HashSet};
use crate::ir::{Definition, Graph, each_graph, gives_symbols};
use crate::loops::{BufferId, BufferKind, Control};

/// Functions of one graph that read constants where they lie, at most; a further one has all operands copied.
const MOST_BINDINGS: usize = 4;

/// The functions of a program.
#[derive(Default)]
pub(super) struct Functions {
    /// The graphs that become functions.
    shared: HashSet<*const Graph>,
    /// The constants that no run writes to.
    fixed: HashSet<BufferId>,
    made: HashMap<*const Graph, Vec<Function>>,
    count: u32,
}

#[derive(Clone)]
struct Function {
    number: u32,
    /// For each operand the constant that the function reads in its place.
    bound: Vec<Option<BufferId>>,
    operands: Vec<BufferId>,
    results: Vec<BufferId>,
}

impl Functions {
    /// Those of a graph's program with these constants.
    pub fn of(graph: &Graph, constants: &[BufferId]) -> Functions {
        let holds_control = |g: &Graph| g.order.iter().any(|id| g.nodes[*id].subgraphs().next().is_some());
        // The symbols of a graph that gives some stand for the numbers of one run.
        let repeated = each_graph(graph).into_iter().filter(|(g, count)| *count > 1 && holds_control(g));
        let shared =
            repeated.filter(|(g, _)| !gives_symbols(g)).map(|(g, _)| std::ptr::from_ref(g)).collect();
        let written = |k: usize| graph.writes.iter().any(|w| w.target == Definition::Constant(k));
        let fixed = (0..constants.len()).filter(|k| !written(*k)).map(|k| constants[k]).collect();
        Functions { shared, fixed, ..Functions::default() }
    }

    pub fn contains(&self, graph: &Graph) -> bool {
        self.shared.contains(&std::ptr::from_ref(graph))
    }
}

impl Lower<'_> {
    /// Runs a function. Its results hold until it is run again.
    pub(super) fn function(&mut self, graph: &Graph, operands: &[Lazy]) -> Result<Vec<Lazy>, LowerError> {
        let (op, origins) = (self.op, self.origins.clone());
        let key = std::ptr::from_ref(graph);
        let mut bound: Vec<Option<BufferId>> = operands
            .iter()
            .map(|o| self.whole_buffer(o).filter(|b| self.functions.fixed.contains(b)))
            .collect();
        let made = self.functions.made.entry(key).or_default();
        if made.len() >= MOST_BINDINGS && made.iter().all(|f| f.bound != bound) {
            bound.fill(None);
        }
        let known = made.iter().find(|f| f.bound == bound).cloned();
        let own: Vec<BufferId> = match &known {
            Some(function) => function.operands.clone(),
            None => {
                let mut list = Vec::new();
                for (input, _) in graph.inputs.iter().zip(&bound).filter(|(_, bound)| bound.is_none()) {
                    let meta = graph.meta(input.value);
                    list.push(self.program.temporary(meta.dtype, &meta.shape));
                }
                list
            }
        };
        let copied = operands.iter().zip(&bound).filter(|(_, bound)| bound.is_none()).map(|(o, _)| o);
        for (destination, operand) in own.iter().zip(copied) {
            let source = self.realize(operand);
            self.steer(Control::Copy { destination: *destination, source });
        }
        if let Some(Function { number, results, .. }) = known {
            self.steer(Control::Again { function: number });
            return Ok(results.iter().map(|b| self.load_all(*b)).collect());
        }
        let number = self.functions.count;
        self.functions.count += 1;
        self.steer(Control::Function { number });
        let mut copies = own.iter();
        let inside: Vec<Lazy> = bound
            .iter()
            .filter_map(|bound| bound.as_ref().or_else(|| copies.next()).copied())
            .map(|b| self.load_all(b))
            .collect();
        let found = self.inlined(graph, &inside)?;
        (self.op, self.origins) = (op, origins);
        let results: Vec<BufferId> = found.iter().map(|r| self.own_buffer(r, &[])).collect();
        self.program.pinned.extend(&results);
        self.steer(Control::EndFunction);
        let function = Function { number, bound, operands: own, results: results.clone() };
        self.functions.made.entry(key).or_default().push(function);
        Ok(results.iter().map(|b| self.load_all(*b)).collect())
    }

    /// A value that running a function again does not change.
    pub(super) fn lasting(&mut self, lazy: &Lazy) -> Lazy {
        match self.whole_buffer(lazy).filter(|b| self.program.buffers[*b].kind == BufferKind::Temporary) {
            Some(source) => {
                let (dtype, sizes) = {
                    let buffer = &self.program.buffers[source];
                    (buffer.dtype, buffer.sizes.clone())
                };
                let destination = self.program.temporary(dtype, &sizes);
                self.steer(Control::Copy { destination, source });
                self.load_all(destination)
            }
            None => self.computed(lazy),
        }
    }
}
