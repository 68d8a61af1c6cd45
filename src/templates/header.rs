//! Native headers: their text, and the numbers that are printed in front of it.

use super::blocked::RegisterTile;
use super::{Constant, attention, blocked, fma, gemv, mma, recurrence, scan_sort, tma};
use crate::base::embedded;
use std::fmt::Write;

macro_rules! headers {
    ($($header:ident: $path:literal,)*) => {
        /// A native text that kernels build on. A header stands behind those that it needs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Header {
            $($header,)*
        }

        impl Header {
            pub const ALL: &[Header] = &[$(Header::$header,)*];

            fn native(self) -> &'static str {
                match self {
                    $(Header::$header => embedded!(concat!("native/", $path)).text(),)*
                }
            }
        }
    };
}

headers! {
    Tile: "tile.h",
    Gemm: "gemm.h",
    Unpacked: "unpacked.h",
    Convolution: "conv.h",
    Attention: "attention.h",
    AttentionBackward: "attention_backward.h",
    AttentionRows: "attention_rows.h",
    Recurrence: "recurrence.h",
    Sort: "sort.h",
    CudaPhases: "cuda/phases.h",
    CudaMerge: "cuda/merge.h",
    CudaSort: "cuda/sort.h",
    CudaScatter: "cuda/scatter.h",
    CudaScan: "cuda/scan.h",
    CudaRecurrence: "cuda/recurrence.h",
    CudaGemm: "cuda/gemm.h",
    CudaMma: "cuda/mma.h",
    CudaTma: "cuda/tma.h",
    CudaCluster: "cuda/cluster.h",
    CudaWgmma: "cuda/wgmma.h",
    CudaConvolution: "cuda/convolution.h",
    CudaConvolutionWgmma: "cuda/convolution_wgmma.h",
    CudaConvolutionDepthwise: "cuda/convolution_depthwise.h",
    CudaAttentionBand: "cuda/attention_band.h",
    CudaGemmTma: "cuda/gemm_tma.h",
    CudaGemv: "cuda/gemv.h",
    CudaGemvCodes: "cuda/gemv_codes.h",
    CudaAttention: "cuda/attention.h",
    CudaAttentionFma: "cuda/attention_fma.h",
    CudaAttentionFmaRows: "cuda/attention_fma_rows.h",
    CudaAttentionFew: "cuda/attention_few.h",
    CudaAttentionMma: "cuda/attention_mma.h",
    CudaAttentionWgmma: "cuda/attention_wgmma.h",
    CudaAttentionBackwardWgmma: "cuda/attention_backward_wgmma.h",
    CudaAttentionSplit: "cuda/attention_split.h",
}

impl Header {
    /// Those of a CPU, each behind what it needs.
    pub const CPU: [Header; 9] = [
        Header::Tile,
        Header::Gemm,
        Header::Unpacked,
        Header::Convolution,
        Header::Attention,
        Header::AttentionBackward,
        Header::AttentionRows,
        Header::Recurrence,
        Header::Sort,
    ];

    /// The cost of compiling a CPU's header once, in characters of kernel text. g++ compiles 110 characters in a millisecond.
    /// Those of tiles, products, convolutions, attention and recurrences were measured; the others are estimates.
    pub fn compile_cost(self) -> usize {
        match self {
            Header::Tile => 800,
            Header::Gemm => 3000,
            Header::Convolution => 3300,
            Header::Attention | Header::AttentionBackward | Header::Recurrence => 4000,
            _ => 2000,
        }
    }

    /// What a program of kernels contains: the header behind its constants, for vectors of so many bytes on a CPU.
    pub fn text(self, vector_bytes: i64) -> String {
        self.constants(vector_bytes) + self.native()
    }

    /// The constants as macros.
    pub fn constants(self, vector_bytes: i64) -> String {
        macros(self.numbers(vector_bytes))
    }

    /// The constants of a CPU's prelude.
    pub fn prelude_constants(vector_bytes: i64) -> String {
        macros(vec![("LITZ_VECTOR_BYTES", vector_bytes)])
    }

    fn numbers(self, vector_bytes: i64) -> Vec<Constant> {
        let tile = RegisterTile::of(vector_bytes);
        match self {
            Header::Tile => tile.constants(),
            Header::Gemm => tile.product_constants(),
            Header::Unpacked => blocked::unpacked_constants(),
            Header::Convolution => blocked::convolution_constants(),
            Header::Attention => tile.attention_constants(),
            Header::Recurrence => recurrence::constants(),
            Header::Sort => scan_sort::keyed_constants(),
            Header::CudaMerge => scan_sort::merge_constants(),
            Header::CudaScan => scan_sort::scan_constants(),
            Header::CudaGemm => fma::constants(),
            Header::CudaMma => mma::constants(),
            Header::CudaGemmTma => tma::constants(),
            Header::CudaGemv => gemv::constants(),
            Header::CudaAttentionBand => attention::band_constants(),
            Header::CudaGemvCodes => gemv::codes::constants(),
            Header::CudaAttention => attention::constants(),
            Header::CudaAttentionFma => attention::fma_constants(),
            Header::CudaAttentionFew => attention::few_constants(),
            Header::CudaAttentionMma => attention::mma_constants(),
            Header::CudaAttentionSplit => attention::split_constants(),
            _ => Vec::new(),
        }
    }
}

fn macros(constants: Vec<Constant>) -> String {
    let mut text = String::new();
    for (name, value) in constants {
        let _ = writeln!(text, "#define {name} {value}");
    }
    text
}
