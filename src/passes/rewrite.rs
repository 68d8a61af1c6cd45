//! What rewriting passes share: one walk over the nodes in order that replaces values by others.

use crate::base::{HashMap, SideMap};
use crate::ir::{Definition, Graph, NodeId, OutputValue, Value, ValueData};
use crate::meta::MetaError;

/// Values for a node's results, or `None` to keep the node.
pub(super) type Replacement = Result<Option<Vec<Value>>, MetaError>;

/// Walks the nodes in order. The function sees each with its arguments replaced already, may append nodes with the
/// builder (they come to stand before it, and from where it comes), and gives values to stand for the node's results, or `None` to keep it.
pub(super) fn rewrite(
    graph: &mut Graph,
    f: &mut dyn FnMut(&mut Graph, NodeId) -> Replacement,
) -> Result<bool, MetaError> {
    let mut replaced: SideMap<ValueData, Value> = SideMap::new();
    let order = std::mem::take(&mut graph.order);
    let mut changed = false;
    for id in order {
        if changed {
            let mut args = std::mem::take(&mut graph.nodes[id].args);
            args.iter_mut().for_each(|a| a.map_values(&mut |v| replaced.get(v).copied().unwrap_or(v)));
            graph.nodes[id].args = args;
        }
        graph.making = graph.nodes[id].origins.clone();
        match f(graph, id).map_err(|e| e.at(&graph.making))? {
            None => graph.order.push(id),
            Some(values) => {
                changed = true;
                for (old, new) in graph.nodes[id].outputs.clone().into_iter().zip(values) {
                    move_name(graph, old, new);
                    replaced.insert(old, new);
                }
            }
        }
    }
    graph.making = Vec::new();
    if changed {
        let new = |v: Value| replaced.get(v).copied().unwrap_or(v);
        for output in &mut graph.outputs {
            if let OutputValue::Tensor(v) = &mut output.value {
                *v = new(*v);
            }
        }
        graph.writes.iter_mut().for_each(|w| w.value = new(w.value));
    }
    Ok(changed)
}

/// What replaces a named value takes its name over, if it has none.
fn move_name(graph: &mut Graph, old: Value, new: Value) {
    if graph.values[new].name.is_none() {
        graph.values[new].name = graph.values[old].name.take();
    }
}

/// How many nodes, outputs and writes use each value.
pub(super) fn count_uses(graph: &Graph) -> HashMap<Value, usize> {
    let mut uses = HashMap::default();
    let nodes = graph.order.iter().flat_map(|id| graph.nodes[*id].uses());
    for value in nodes.chain(results(graph)) {
        *uses.entry(value).or_insert(0) += 1;
    }
    uses
}

/// The values that leave the graph.
pub(super) fn results(graph: &Graph) -> impl Iterator<Item = Value> + '_ {
    let outputs = graph.outputs.iter().filter_map(|o| match o.value {
        OutputValue::Tensor(v) => Some(v),
        OutputValue::Number(_) => None,
    });
    outputs.chain(graph.writes.iter().map(|w| w.value))
}

/// True for a constant that no run writes to.
pub(super) fn is_fixed_constant(graph: &Graph, value: Value) -> bool {
    let definition = graph.values[value].definition;
    matches!(definition, Definition::Constant(_)) && graph.writes.iter().all(|w| w.target != definition)
}
