//! Which CPU packed weights of 4 bits, told to the nodes that read and make them.
//!
//! A node may say it itself. Otherwise it is what the option says; without an option, a weight that the graph packs and reads alone
//! lies in one layout, and so do weights that lie alike in every layout. Nothing else can be known, and is refused.

use super::rewrite::results;
use crate::base::{HashSet, Status};
use crate::ir::{Arg, Definition, Graph, NodeId, Shared, Value, each_graph};
use crate::meta::MetaError;
use crate::ops::OpId;
use crate::ops::int4::Int4Layout;

const READ: OpId = OpId::WeightInt4packMmForCpu;
const PACK: OpId = OpId::ConvertWeightToInt4packForCpu;
/// The layout of weights that are packed and read only inside the graph: any would do.
const OWN: Int4Layout = Int4Layout::Avx512;

/// True where a graph has weights of 4 bits as a CPU packs them.
pub fn concerns(graph: &Graph) -> bool {
    let own = |graph: &Graph| graph.order.iter().any(|id| matches!(graph.nodes[*id].op, READ | PACK));
    own(graph) || each_graph(graph).into_iter().any(|(inner, _)| own(inner))
}

/// Gives each such node its layout.
pub fn settle(graph: &mut Graph, told: Option<Int4Layout>) -> Result<(), MetaError> {
    within(&mut Shared::default(), graph, told)
}

fn within(shared: &mut Shared, graph: &mut Graph, told: Option<Int4Layout>) -> Result<(), MetaError> {
    graph.map_subgraphs(shared, &mut |shared, inner| {
        let mut inner = inner.clone();
        within(shared, &mut inner, told)?;
        Ok::<_, MetaError>(inner)
    })?;
    let nodes: Vec<NodeId> = graph.order.iter().copied().filter(|id| is_silent(graph, *id)).collect();
    let seen = seen_packed(graph);
    for id in nodes {
        // What the maker of the bytes says goes before the option, which is about bytes from elsewhere.
        let layout = match made_in(graph, id).or(told) {
            Some(layout) => layout,
            None if is_ours(graph, id, &seen) || lies_alike(graph, id) => OWN,
            None => return Err(unknown(graph, id)),
        };
        let node = &mut graph.nodes[id];
        let place = node.op.schema().arg("layout").unwrap_or(usize::MAX);
        node.args[place] = Arg::Str(layout.name().into());
    }
    Ok(())
}

/// A node of this kind that does not say its layout.
fn is_silent(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    let place = node.op.schema().arg("layout");
    matches!(node.op, READ | PACK) && place.is_some_and(|place| node.args[place] == Arg::None)
}

/// Values that something else than a silent product reads.
fn seen_packed(graph: &Graph) -> HashSet<Value> {
    let mut seen: HashSet<Value> = results(graph).collect();
    for id in &graph.order {
        let node = &graph.nodes[*id];
        let silent = is_silent(graph, *id) && node.op == READ;
        let own = silent.then(|| node.args[1].value()).flatten();
        seen.extend(node.uses().filter(|v| Some(*v) != own));
    }
    seen
}

/// True for a maker of bytes that only silent nodes of this graph read.
fn is_ours(graph: &Graph, id: NodeId, seen: &HashSet<Value>) -> bool {
    let node = &graph.nodes[id];
    node.op == PACK && node.outputs.first().is_some_and(|packed| !seen.contains(packed))
}

/// The layout that a reader's weight was packed in, where a node of this graph made it and says so. A maker comes before its readers, so
/// that it has been told already.
fn made_in(graph: &Graph, id: NodeId) -> Option<Int4Layout> {
    let node = &graph.nodes[id];
    let packed = if node.op == READ { node.args[1].value()? } else { return None };
    let Definition::Node { node: maker, .. } = graph.values[packed].definition else { return None };
    let maker = &graph.nodes[maker];
    let place = maker.op.schema().arg("layout").filter(|_| maker.op == PACK)?;
    maker.args[place].string().and_then(Int4Layout::from_name)
}

fn lies_alike(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    let weight = if node.op == PACK { 0 } else { 1 };
    let rows = node.args[weight].value().map(|v| graph.meta(v).shape[0]);
    rows.and_then(|rows| graph.syms.as_const(rows)).is_some_and(Int4Layout::is_one)
}

fn unknown(graph: &Graph, id: NodeId) -> MetaError {
    let node = &graph.nodes[id];
    let message = match node.op {
        PACK => {
            "the order of its bytes is that of the CPU that runs it, and the graph gives them away; set option `int4.layout` to the order wanted: avx512, avx2 or default"
        }
        _ => {
            "the bytes of `mat2` lie in the order of the CPU that packed them, which an exported program does not say; set option `int4.layout` to what torch.backends.cpu.get_cpu_capability() says there: avx512, avx2 or default (an x86 CPU without either). Weights that an Arm CPU packed are not supported"
        }
    };
    MetaError::new(Status::Unsupported, node.op.name(), message).at(&node.origins)
}
