//! Regions that run unfused: nodes whose origins are marked ([`crate::ir::Origin::unfused`]).
//!
//! A fence stands wherever the marked origins change from one node to the next. Nodes of one user's operator have equal origins
//! and may share a kernel; no other node joins them. Values are stored to memory before a fence: an expression that a later node
//! read would become a part of that node's kernel.
//!
//! Deliberately absent: views, which have no kernel; the fences' effect (see `schedule`).

use super::Lower;
use crate::ir::{Graph, Node, OriginId, Value};
use crate::loops::{Control, Expr};
use crate::ops::Class;

#[derive(Default)]
pub(super) struct Region {
    /// Whether the graph has marked nodes at all.
    any: bool,
    /// The marked origins of the node that is being lowered.
    own: Vec<OriginId>,
    /// The values that were computed since the last fence.
    made: Vec<Value>,
}

impl Region {
    pub fn of(graph: &Graph) -> Region {
        Region { any: graph.origins.any_unfused(), ..Region::default() }
    }
    /// Notes a result.
    pub fn made(&mut self, value: Value) {
        if self.any {
            self.made.push(value);
        }
    }
}

impl Lower<'_> {
    /// Called before a node is lowered.
    pub(super) fn cross(&mut self, node: &Node) {
        if !self.region.any {
            return;
        }
        if node.op.class() == Class::View {
            // A view has no kernel. The value that it shows is stored first, so that its kernel does not compute the view.
            if !self.region.own.is_empty() {
                self.put_into_memory();
            }
            return;
        }
        let own = self.graph.origins.unfused(&node.origins);
        if own != self.region.own {
            self.fence(own);
        }
    }
    /// Called behind the last node of a graph.
    pub(super) fn leave_region(&mut self) {
        if !self.region.own.is_empty() {
            self.fence(Vec::new());
        }
    }

    fn fence(&mut self, next: Vec<OriginId>) {
        self.put_into_memory();
        self.steer(Control::Fence);
        self.region.own = next;
    }
    fn put_into_memory(&mut self) {
        for value in std::mem::take(&mut self.region.made) {
            let lazy = self.values[value].clone();
            // A number is no tensor in memory, and a plain load reads one.
            let is_plain = match &self.program.exprs[lazy.expr] {
                Expr::Constant(..) | Expr::Index(..) => true,
                Expr::Load { data, .. } => data.is_empty(),
                _ => false,
            };
            if !is_plain {
                let buffer = self.materialize(&lazy);
                let lazy = self.load_all(buffer);
                self.values.insert(value, lazy);
            }
        }
    }
}
