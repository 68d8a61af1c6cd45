//! The order in which a graph's nodes are read: each behind those that it needs. ONNX asks writers for that; some converters append
//! nodes that earlier ones need.
//!
//! Invariant: nodes that are in such an order stay in it. Of a cycle's nodes the first one in the file comes first; the reader then
//! refuses it, and names the input that is missing.

use super::proto;
use crate::base::HashMap;

/// The nodes' places, each behind those of the nodes that it needs.
pub fn needed_first(nodes: &[proto::Node]) -> Vec<usize> {
    let mut gives: HashMap<&str, usize> = HashMap::default();
    for (k, node) in nodes.iter().enumerate() {
        for name in node.outputs.iter().filter(|name| !name.is_empty()) {
            gives.entry(name).or_insert(k);
        }
    }
    let mut entered = vec![false; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    let mut stack = Vec::new();
    for root in 0..nodes.len() {
        stack.push((root, false));
        while let Some((k, is_done)) = stack.pop() {
            if is_done {
                order.push(k);
            } else if !std::mem::replace(&mut entered[k], true) {
                stack.push((k, true));
                needs(&nodes[k], &mut |name| {
                    if let Some(before) = gives.get(name).filter(|before| !entered[**before]) {
                        stack.push((*before, false));
                    }
                });
            }
        }
    }
    order
}

/// The names that a node reads, those in its branches and bodies among them.
fn needs(node: &proto::Node, found: &mut dyn FnMut(&str)) {
    for name in &node.inputs {
        found(name);
    }
    for graph in node.attributes.iter().filter_map(|a| a.graph.as_ref()) {
        for node in &graph.nodes {
            needs(node, found);
        }
        for output in &graph.outputs {
            found(&output.name);
        }
    }
}
