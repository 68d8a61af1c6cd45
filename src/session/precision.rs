//! Options that say how a graph is meant, put into it before any other pass sees it: `amp`, mixed precision, and `int4.layout`.
//!
//! Invariant: mixed precision is applied once. The two halves of a training program are divided from a graph that has its casts already, and are
//! compiled with [`Options::settled`].

use super::{BackendRequest, Options, SessionError};
use crate::ir::Graph;
use crate::ops::autocast::Lists;
use crate::passes::{Autocast, int4_layout};
use std::borrow::Cow;

impl Options {
    /// The graph as these options mean it.
    pub(super) fn meant<'g>(&self, graph: Cow<'g, Graph>) -> Result<Cow<'g, Graph>, SessionError> {
        self.in_layout(self.in_precision(graph)?)
    }

    /// The graph with the order of packed weights that option `int4.layout` says.
    pub(super) fn in_layout<'g>(&self, mut graph: Cow<'g, Graph>) -> Result<Cow<'g, Graph>, SessionError> {
        if int4_layout::concerns(&graph) {
            int4_layout::settle(graph.to_mut(), self.int4_layout)?;
        }
        Ok(graph)
    }

    /// The graph in the precision that option `amp` asks for.
    pub(super) fn in_precision<'g>(&self, graph: Cow<'g, Graph>) -> Result<Cow<'g, Graph>, SessionError> {
        let Some(lower) = self.amp else { return Ok(graph) };
        let lists = if self.backend == BackendRequest::Cuda { Lists::Cuda } else { Lists::Cpu };
        let mut graph = graph.into_owned();
        Autocast { lower, lists }.run(&mut graph)?;
        Ok(Cow::Owned(graph))
    }

    /// The same options for graphs that have their casts already.
    pub(super) fn settled(&self) -> Options {
        let mut settled = self.clone();
        settled.amp = None;
        settled
    }
}
