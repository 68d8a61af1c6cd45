//! Attention whose sums a gradient reads is the form that gives them: a derivative builds this form beside the attention that it
//! finds, and here the attention becomes one too, so that the two are equal nodes.
//!
//! Exact: both forms lower to the same loops.

use super::rewrite::{count_uses, rewrite};
use crate::base::HashMap;
use crate::ir::{Arg, Graph, Node, Value};
use crate::meta::MetaError;
use crate::ops::{Form, OpId};
use crate::types::TensorMeta;

pub(super) fn run(graph: &mut Graph) -> Result<bool, MetaError> {
    let is_form = |n: &&Node| n.op == OpId::FlashAttentionForCpu;
    if !graph.order.iter().map(|id| &graph.nodes[*id]).any(|n| is_form(&n)) {
        return Ok(false);
    }
    let uses = count_uses(graph);
    let nodes = graph.order.iter().map(|id| &graph.nodes[*id]);
    let read = nodes.filter(|n| is_form(n) && uses.contains_key(&n.outputs[1]));
    let metas = |n: &Node| n.outputs.iter().map(|v| graph.meta(*v).clone()).collect::<Vec<_>>();
    let forms: HashMap<Key, Vec<TensorMeta>> =
        read.filter_map(|n| Some((Key::of(n, &HashMap::default())?, metas(n)))).collect();
    // What a new node gives is known to the forms' keys as what it stands for.
    let mut before: HashMap<Value, Value> = HashMap::default();
    rewrite(graph, &mut |graph, id| {
        let node = &graph.nodes[id];
        if node.op != OpId::ScaledDotProductAttention {
            return Ok(None);
        }
        let form = Key::of(node, &before).and_then(|key| forms.get(&key));
        let (Some([found, sums]), Some(args)) = (form.map(Vec::as_slice), form_args(node)) else {
            return Ok(None);
        };
        let own = graph.meta(node.outputs[0]);
        if (found.dtype, &found.shape) != (own.dtype, &own.shape) {
            return Ok(None);
        }
        let (old, metas) = (node.outputs[0], vec![own.clone(), sums.clone()]);
        let made = graph.add_node(OpId::FlashAttentionForCpu, Form::Functional, args, metas);
        let new = graph.nodes[made].outputs[0];
        before.insert(new, old);
        Ok(Some(vec![new]))
    })
}

/// Equal for attentions that compute the same.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    operands: [Value; 3],
    mask: Option<Value>,
    causal: bool,
    /// Its bits, where it is given.
    scale: Option<u64>,
}

impl Key {
    /// None: something is known only at run time, or dropped.
    fn of(node: &Node, before: &HashMap<Value, Value>) -> Option<Key> {
        let value = |name: &str| node.arg(name).and_then(Arg::value);
        let value = |name: &str| value(name).map(|v| before.get(&v).copied().unwrap_or(v));
        let scale = match node.arg("scale")? {
            Arg::None => None,
            Arg::Float(scale) => Some(scale.to_bits()),
            _ => return None,
        };
        let whole = matches!(node.arg("dropout_p"), Some(Arg::Float(p)) if *p == 0.0);
        whole.then_some(())?;
        Some(Key {
            operands: [value("query")?, value("key")?, value("value")?],
            mask: value("attn_mask"),
            causal: node.arg("is_causal")?.is_true(),
            scale,
        })
    }
}

/// An attention's arguments in the places that the form has for them.
fn form_args(node: &Node) -> Option<Vec<Arg>> {
    let schema = OpId::FlashAttentionForCpu.schema();
    schema.args.iter().map(|a| node.arg(&a.name).cloned()).collect()
}
