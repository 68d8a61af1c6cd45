//! Option `amp`: mixed precision, which is put into a graph before any other pass sees it.
//!
//! Invariant: it is applied once. The two halves of a training program are divided from a graph that has its casts already, and are
//! compiled with [`Options::settled`].

use super::{BackendRequest, Options, SessionError};
use crate::ir::Graph;
use crate::ops::autocast::Lists;
use crate::passes::Autocast;
use std::borrow::Cow;

impl Options {
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
