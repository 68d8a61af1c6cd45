//! Nodes that compute the same from the same are one node. Two nodes are equal when operator and arguments are,
//! floats bit by bit; nodes that run for their effect never are, nor nodes that run unfused. Random numbers are functions of their
//! place by now.

use super::rewrite::rewrite;
use crate::base::HashMap;
use crate::ir::{Arg, Graph, Node, NodeId, merge};
use crate::meta::MetaError;
use crate::ops::Class;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub(super) fn run(graph: &mut Graph) -> Result<bool, MetaError> {
    let mut known: HashMap<u64, Vec<NodeId>> = HashMap::default();
    rewrite(graph, &mut |graph, id| {
        let node = &graph.nodes[id];
        if matches!(node.op.class(), Class::Effect | Class::Control) {
            return Ok(None);
        }
        // One operator at a time, also where two compute the same.
        if !graph.origins.unfused(&node.origins).is_empty() {
            return Ok(None);
        }
        let bucket = known.entry(hash(node)).or_default();
        match bucket.iter().find(|other| equal(&graph.nodes[**other], node)) {
            Some(other) => {
                let origins = node.origins.clone();
                merge(&mut graph.nodes[*other].origins, &origins);
                Ok(Some(graph.nodes[*other].outputs.clone()))
            }
            None => {
                bucket.push(id);
                Ok(None)
            }
        }
    })
}

fn hash(node: &Node) -> u64 {
    let mut state = FxHasher::default();
    node.op.hash(&mut state);
    hash_all(&node.args, &mut state);
    state.finish()
}

fn hash_all(args: &[Arg], state: &mut FxHasher) {
    for arg in args {
        std::mem::discriminant(arg).hash(state);
        match arg {
            Arg::Value(v) => v.hash(state),
            Arg::Values(list) => list.hash(state),
            Arg::Int(v) => v.hash(state),
            Arg::Ints(list) => list.hash(state),
            Arg::Float(v) => v.to_bits().hash(state),
            Arg::Floats(list) => list.iter().for_each(|v| v.to_bits().hash(state)),
            Arg::Bool(v) => v.hash(state),
            Arg::Str(v) => v.hash(state),
            Arg::Dtype(v) => v.hash(state),
            Arg::Call(call) => {
                call.operator.name.hash(state);
                hash_all(&call.args, state);
            }
            _ => {}
        }
    }
}

fn equal(a: &Node, b: &Node) -> bool {
    a.op == b.op && all_equal(&a.args, &b.args)
}

fn all_equal(a: &[Arg], b: &[Arg]) -> bool {
    let same = |x: &f64, y: &f64| x.to_bits() == y.to_bits();
    let one = |(x, y): (&Arg, &Arg)| match (x, y) {
        (Arg::Float(x), Arg::Float(y)) => same(x, y),
        (Arg::Floats(x), Arg::Floats(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Arg::Call(x), Arg::Call(y)) => Arc::ptr_eq(&x.operator, &y.operator) && all_equal(&x.args, &y.args),
        _ => x == y,
    };
    a.len() == b.len() && a.iter().zip(b).all(one)
}
