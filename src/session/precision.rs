//! Option `amp`: mixed precision of a graph as it was given, before anything else is made of it.
//!
//! Invariant: it is applied once. What is made of the graph afterwards, such as the two halves of a training program, is compiled with
//! [`Options::settled`].

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

    /// The same options for what is made of a graph whose precision is settled.
    pub(super) fn settled(&self) -> Options {
        let mut settled = self.clone();
        settled.amp = None;
        settled
    }
}
