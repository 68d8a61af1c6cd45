//! Operators that lower by themselves, and are decomposed only where the target has no kernel for them.

use super::{Rule, rules};
use crate::ir::{Graph, Node};
use crate::ops::OpId;
use crate::target::Target;

/// Which kernels there are for the graphs that a decomposition makes.
#[derive(Clone, Copy, Debug)]
pub enum Kernels<'r> {
    /// Whatever lowers is computed, as by the interpreter.
    All,
    /// Those of a target.
    Of(&'r Target),
    /// None but those of operators that have no decomposition.
    None,
}

impl Kernels<'_> {
    /// The decomposition of an operator without a kernel.
    pub(super) fn missing(&self, graph: &Graph, node: &Node) -> Option<Rule> {
        match node.op {
            OpId::FlashAttentionForCpuBackward if !self.have_attention_backward(graph, node) => {
                Some(rules::flash_attention_backward)
            }
            _ => None,
        }
    }

    fn have_attention_backward(&self, graph: &Graph, node: &Node) -> bool {
        let target = match self {
            Kernels::All => return true,
            Kernels::None => return false,
            Kernels::Of(target) => target,
        };
        let shape = |name: &str| node.arg(name).and_then(|a| a.value()).map(|v| graph.meta(v));
        let (Some(key), Some(value)) = (shape("key"), shape("value")) else { return false };
        let size = |shape: &[crate::types::SymInt]| shape.last().and_then(|s| graph.syms.as_const(*s));
        target.has_attention_backward(key.dtype, [size(&key.shape), size(&value.shape)])
    }
}
