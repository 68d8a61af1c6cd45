//! Operators that lower by themselves, and are decomposed only where the target has no kernel for them, or where their sizes make
//! something else faster.

use super::{Rule, rules};
use crate::ir::{Arg, Graph, Node};
use crate::ops::OpId;
use crate::target::Target;
use crate::types::Dtype;

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
            OpId::IsinTensorTensor if is_searched(graph, node) => Some(rules::sorted_isin),
            // Normalization is left to the kernels that follow: a GPU's library has none.
            OpId::Fourier | OpId::FourierReal | OpId::FourierBack if self.are_of_a_gpu() => {
                let none = matches!(node.arg("normalization"), Some(Arg::Int(n)) if graph.syms.as_const(*n) == Some(0));
                (!none).then_some(rules::scaled_fourier as Rule)
            }
            OpId::LinalgLuFactorEx
                if !self.stand_for_a_gpu(graph) && !node.arg("pivot").is_some_and(Arg::is_true) =>
            {
                Some(rules::no_lu_without_pivots)
            }
            _ => None,
        }
    }

    /// Whether the kernels are a GPU's, or the interpreter's or a host's for a graph that was made on a GPU.
    fn stand_for_a_gpu(&self, graph: &Graph) -> bool {
        match self {
            Kernels::Of(_) => self.are_of_a_gpu(),
            Kernels::All | Kernels::None => graph.made_on_gpu,
        }
    }

    fn are_of_a_gpu(&self) -> bool {
        matches!(self, Kernels::Of(Target::Cuda(_)))
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

/// The most test elements that each element is compared with. Sorting more of them is faster.
const COMPARED: i64 = 256;

/// Whether `isin` has so many test elements that sorting them pays.
fn is_searched(graph: &Graph, node: &Node) -> bool {
    let given = |name: &str| node.arg(name).and_then(|a| a.value()).map(|v| graph.meta(v));
    let (Some(elements), Some(tests)) = (given("elements"), given("test_elements")) else { return false };
    let count = graph.syms.range(graph.syms.product(&tests.shape));
    let dtypes = [elements.dtype, tests.dtype];
    let has_order =
        dtypes.iter().all(|d| !d.is_complex() && !matches!(d, Dtype::Uint16 | Dtype::Uint32 | Dtype::Uint64));
    has_order && count.min >= 1 && count.max > COMPARED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompose::{HostRules, Own, Rules, decompose_by};
    use crate::meta::text::parse;
    use crate::target::{CpuTarget, CudaTarget, Isa};

    /// Whether the gradients of attention over this dtype and head size stay one operator.
    fn is_kept(kernels: Kernels<'_>, dtype: Dtype, size: i64) -> bool {
        let sums = dtype.compute();
        let text = format!(
            "graph \"g\" {{\n  input %0 \"q\": {dtype}[1, 4, 8, {size}]\n  input %1 \"k\": {dtype}[1, 2, 8, {size}]\n  \
             input %2 \"s\": {sums}[1, 4, 8]\n  %3, %4, %5 = \
             aten._scaled_dot_product_flash_attention_for_cpu_backward.default(%0, %0, %1, %1, %0, %2, 0.0, true)\n  \
             output \"dq\" = %3\n  output \"dk\" = %4\n  output \"dv\" = %5\n}}\n"
        );
        let graph = parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let rules = Rules { host: &HostRules::default(), own: Own::All, kernels };
        let graph = decompose_by(&graph, rules).unwrap_or_else(|e| panic!("{e}"));
        graph.order.iter().any(|id| graph.nodes[*id].op == OpId::FlashAttentionForCpuBackward)
    }

    #[test]
    fn attentions_gradients_are_products_without_a_kernel() {
        let cpu = Target::Cpu(CpuTarget::generic(Isa::Avx2));
        let [hopper, ampere] = [90, 80].map(|arch| Target::Cuda(CudaTarget::generic(arch)));
        let cases = [
            (Kernels::All, Dtype::Float64, 8, true),
            (Kernels::None, Dtype::Float32, 64, false),
            (Kernels::Of(&cpu), Dtype::Float64, 64, false),
            (Kernels::Of(&cpu), Dtype::Float32, 64, true),
            (Kernels::Of(&hopper), Dtype::Bfloat16, 64, true),
            (Kernels::Of(&hopper), Dtype::Bfloat16, 24, true),
            (Kernels::Of(&hopper), Dtype::Bfloat16, 36, false),
            (Kernels::Of(&hopper), Dtype::Bfloat16, 256, false),
            (Kernels::Of(&hopper), Dtype::Float32, 64, false),
            (Kernels::Of(&ampere), Dtype::Float16, 64, false),
        ];
        for (kernels, dtype, size, want) in cases {
            assert_eq!(is_kept(kernels, dtype, size), want, "{kernels:?}, {dtype}, {size}");
        }
    }

    #[test]
    fn a_gpus_transforms_are_scaled_behind_them() {
        let (cpu, gpu) = (Target::Cpu(CpuTarget::generic(Isa::Avx2)), Target::Cuda(CudaTarget::generic(90)));
        for norm in ["backward", "ortho", "forward"] {
            for size in ["12", "n"] {
                let text = format!(
                    "graph \"g\" {{\n  symbol n in [2, 64]\n  input %0 \"x\": complex64[4, {size}]\n  \
                     %1 = aten.fft_fft.default(%0, None, 1, \"{norm}\")\n  output \"y\" = %1\n}}\n"
                );
                let graph = parse(&text).unwrap_or_else(|e| panic!("{e}"));
                let scales = |kernels| {
                    let rules = Rules { host: &HostRules::default(), own: Own::All, kernels };
                    let graph = decompose_by(&graph, rules).unwrap_or_else(|e| panic!("{e}"));
                    let nodes: Vec<&Node> = graph.order.iter().map(|id| &graph.nodes[*id]).collect();
                    let transforms: Vec<_> = nodes.iter().filter(|n| n.op == OpId::Fourier).collect();
                    let [transform] = transforms[..] else { panic!("one transform") };
                    let Some(&Arg::Int(own)) = transform.arg("normalization") else { panic!("a number") };
                    let behind =
                        nodes.iter().filter(|n| matches!(n.op, OpId::MulScalar | OpId::DivTensor)).count();
                    (graph.syms.as_const(own) == Some(0), behind)
                };
                let none = norm == "backward";
                assert_eq!(scales(Kernels::Of(&cpu)), (none, 0), "{norm}, {size}");
                assert_eq!(scales(Kernels::Of(&gpu)), (true, usize::from(!none)), "{norm}, {size}");
            }
        }
    }
}
