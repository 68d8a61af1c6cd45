//! Subgraphs that several nodes run. A `cond` in a `cond` whose branches are one graph holds few graphs along very many
//! ways: what goes over all graphs looks at each once.
//!
//! Invariant: a graph that gives symbols is run by one node, since its symbols stand for the numbers of one run.

use super::{Arg, Graph, Subgraph};
use crate::base::map::Entry;
use crate::base::{HashMap, HashSet};
use crate::ops::OpId;
use crate::types::{SymArena, SymInt, SymbolId};
use std::sync::Arc;

/// What became of subgraphs, so that those that are shared stay shared.
#[derive(Default)]
pub struct Shared {
    /// Results by address; the originals are held, so that no other graph takes their place in memory.
    results: HashMap<*const Graph, (Subgraph, Subgraph)>,
}

impl Shared {
    /// The subgraph rebuilt by `f`, which has not seen it yet.
    pub fn map<E>(
        &mut self,
        subgraph: &Subgraph,
        f: &mut dyn FnMut(&mut Shared, &Graph) -> Result<Graph, E>,
    ) -> Result<Subgraph, E> {
        let address = Arc::as_ptr(&subgraph.0);
        if let Some((_, known)) = self.results.get(&address) {
            return Ok(known.clone());
        }
        let result = Subgraph(Arc::new(f(self, &subgraph.0)?));
        self.results.insert(address, (subgraph.clone(), result.clone()));
        Ok(result)
    }
}

/// The same graph, with subgraphs, over symbols with other typical values. The original keeps its own.
pub fn with_hints(graph: &Graph, hints: &[(SymbolId, i64)]) -> Graph {
    let syms = Arc::new(graph.syms.with_hints(hints));
    over(&syms, graph, &mut Shared::default())
}

fn over(syms: &Arc<SymArena>, graph: &Graph, shared: &mut Shared) -> Graph {
    let mut new = Graph { syms: Arc::clone(syms), ..graph.clone() };
    for id in &graph.order {
        for arg in &mut new.nodes[*id].args {
            if let Arg::Graph(inner) = arg {
                let mapped = shared.map(inner, &mut |shared, inner| {
                    Ok::<_, std::convert::Infallible>(over(syms, inner, shared))
                });
                *inner = mapped.unwrap_or_else(|never| match never {});
            }
        }
    }
    new
}

/// Every graph that nodes of this one run, directly or not, and how many arguments it is.
pub fn each_graph(graph: &Graph) -> Vec<(&Graph, usize)> {
    each_of(graph.order.iter().flat_map(|id| graph.nodes[*id].subgraphs()))
}

/// The same for graphs that are arguments themselves.
fn each_of<'g>(graphs: impl Iterator<Item = &'g Graph>) -> Vec<(&'g Graph, usize)> {
    let mut places: HashMap<*const Graph, usize> = HashMap::default();
    let mut found: Vec<(&Graph, usize)> = Vec::new();
    let mut looked_at = 0;
    let mut note = |inner: &'g Graph, found: &mut Vec<(&'g Graph, usize)>| match places.entry(inner) {
        Entry::Occupied(place) => found[*place.get()].1 += 1,
        Entry::Vacant(place) => {
            place.insert(found.len());
            found.push((inner, 1));
        }
    };
    graphs.for_each(|inner| note(inner, &mut found));
    while let Some((graph, _)) = found.get(looked_at).copied() {
        looked_at += 1;
        let inner = graph.order.iter().flat_map(|id| graph.nodes[*id].subgraphs());
        inner.for_each(|inner| note(inner, &mut found));
    }
    found
}

/// The graphs of [`each_graph`] that are several arguments, and which of all, the given one too, give symbols: a number in
/// a tensor, or a size that a branch or body decides.
pub fn gives_symbols(graph: &Graph) -> bool {
    let own = |graph: &Graph| {
        graph.order.iter().map(|id| &graph.nodes[*id]).any(|node| {
            node.op == OpId::Bind
                || matches!(node.arg("sizes"), Some(Arg::Ints(s)) if !s.is_empty() && is_control(node.op))
        })
    };
    own(graph) || each_graph(graph).into_iter().any(|(inner, _)| own(inner))
}

/// The symbols that nodes give, those of subgraphs too.
pub fn symbols_of_nodes(graph: &Graph) -> HashSet<SymbolId> {
    let mut found = HashSet::default();
    let inner = each_graph(graph).into_iter().map(|(inner, _)| inner);
    for graph in std::iter::once(graph).chain(inner) {
        found.extend(symbols_of_own_nodes(graph));
    }
    found
}

/// The symbols that nodes give, without those of subgraphs.
pub fn symbols_of_own_nodes(graph: &Graph) -> impl Iterator<Item = SymbolId> + '_ {
    graph.order.iter().map(|id| &graph.nodes[*id]).flat_map(|node| {
        let given: &[SymInt] = match (node.op, node.arg("symbol"), node.arg("sizes")) {
            (OpId::Bind, Some(Arg::Int(symbol)), _) => std::slice::from_ref(symbol),
            (op, _, Some(Arg::Ints(sizes))) if is_control(op) => sizes,
            _ => &[],
        };
        given.iter().filter_map(|s| graph.syms.as_symbol(*s))
    })
}

fn is_control(op: OpId) -> bool {
    matches!(op, OpId::Cond | OpId::WhileLoop)
}

/// The graphs that are more than one argument.
pub(super) fn repeated<'g>(graphs: impl Iterator<Item = &'g Graph>) -> HashSet<*const Graph> {
    each_of(graphs).into_iter().filter(|(_, count)| *count > 1).map(|(g, _)| std::ptr::from_ref(g)).collect()
}
