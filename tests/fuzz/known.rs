//! What the fuzzers found, smallest first: each must be refused in words, or give the same on the CPU and the interpreter
//! without a touch outside of its operands.

use crate::check::{self, Answer};
use crate::common::random::Random;
use crate::graphs;

const TEXTS: &[&str] = &[
    // The variable of a dimension that is empty is 0: its load stood before the loop that does not run.
    "input %0 \"x\": float32[0]\n  %1 = aten.nonzero.default(%0)\n  output \"y\" = %1",
    "input %0 \"x\": bool[17, 0] strides [1, 17]\n  %1 = aten.nonzero_static.default(%0, size=2, fill_value=1)\n  output \"y\" = %1",
    "symbol s0 in [0, 1] hint 0\n  input %0 \"x\": float32[s0]\n  %1 = aten.nonzero.default(%0)\n  output \"y\" = %1",
    "symbol s0 in [0, 1] hint 0\n  input %0 \"x\": float32[3, s0]\n  %1 = aten.relu.default(%0)\n  output \"y\" = %1",
    // An element that all lanes of a row share, of which none is used.
    "input %0 \"x\": int64[7]\n  %1 = aten.diag_embed.default(%0, 4)\n  output \"y\" = %1",
    "input %0 \"x\": float32[1, 2]\n  %1 = aten.diagflat.default(%0, 1)\n  output \"y\" = %1",
    // A contiguous result that is given twice, of a size that its decomposition writes otherwise.
    "symbol s0 in [1, 64]\n  input %0 \"x\": float32[2, s0, 3]\n  %1 = aten.fft_rfft.default(%0, s0)\n  output \"y\" = %1\n  output \"z\" = %1",
    // A size that one run may have and the operator may not.
    "symbol s0 in [0, 64]\n  input %0 \"x\": float32[s0, 2]\n  %1 = aten._chunk_cat.default([%0], -2, 1)\n  output \"y\" = %1",
    // Numbers that reach beyond 64 bits.
    "input %0 \"x\": float32[1, 8, 24, 24]\n  input %1 \"w\": float32[8, 8, 3, 3]\n  %2 = aten.conv_transpose2d.input(%0, %1, None, [1, 1], [1, 4611686018427387904])\n  output \"y\" = %2",
    "input %0 \"x\": float32[5, 2]\n  input %1 \"h\": float32[1, 5]\n  input %2 \"w\": float32[5, 2]\n  %3, %4 = aten.rnn_tanh.input(%0, %1, [%2, %2], false, 4611686018427387904, 0.0, false, true, true)\n  output \"y\" = %3",
    "input %0 \"x\": float32[9223372036854775807, 3, 9]\n  %1, %2 = aten.cummax.default(%0, 0)\n  output \"y\" = %1",
    "input %0 \"x\": float32[1, 1, 2, 5]\n  %1 = aten._adaptive_avg_pool2d.default(%0, [2147483648, 2])\n  output \"y\" = %1",
    "symbol s0 in [9223372036854775807, inf]\n  input %0 \"x\": float32[s0]\n  output \"y\" = %0",
    "input %0 \"x\": uint64[2, 1]\n  %1 = aten.remainder.Scalar(%0, other=--9223372036854775808)\n  output \"y\" = %1",
    "input %0 \"x\": float32[3, 4, 4]\n  %1 = aten.max_pool1d.default(%0, [9223372036854775807], [2], [0], [2], false)\n  output \"y\" = %1",
    "input %0 \"x\": float32[3, 5]\n  %1 = aten.gradient.scalarint(%0, edge_order=9223372036854775807)\n  output \"y\" = %1",
    "input %0 \"x\": float32[1, 2, 4, 4]\n  %1 = aten.im2col.default(%0, [2, 2], [1, 1], [1, 9223372036854775806], [1, 1])\n  output \"y\" = %1",
    "input %0 \"x\": float32[4, 3]\n  %1 = aten.slice.Tensor(%0, 0, 0, 9223372036854775807, 9223372036854775807)\n  output \"y\" = %1",
    "symbol s0 in [0, inf]\n  input %0 \"x\": float32[s0, 3]\n  %1 = aten.slice.Tensor(%0, 0, 0, 9223372036854775807, 9223372036854775807)\n  output \"y\" = %1",
    "input %0 \"x\": int8[4]\n  %1 = aten.combinations.default(%0, r=9223372036854775807, with_replacement=true)\n  output \"y\" = %1",
    "%0 = aten.fft_fftfreq.default(9223372036854775807, dtype=float8_e4m3fn)\n  output \"y\" = %0",
    "input %0 \"x\": float64[3, 1]\n  %1, %2 = quantized_decomposed.choose_qparams_symmetric.tensor(%0, -9223372036854775808, 255, 0.5, int8)\n  output \"y\" = %1",
    "input %0 \"x\": uint8[1, 1, 1, 4611686018427387904]\n  %1 = aten.upsample_nearest2d.default(%0, [1, 2])\n  output \"y\" = %1",
    "input %0 \"x\": uint8[1, 1, 1, 4611686018427387904]\n  %1 = aten.upsample_nearest2d.vec(%0, [2, 9223372036854775807], None)\n  output \"y\" = %1",
    "input %0 \"x\": float32[0, 4611686018427387904]\n  input %1 \"w\": float32[4611686018427387904, 1]\n  %2 = aten.mm.default(%0, %1)\n  output \"y\" = %2",
    // As many steps as a number says.
    "input %0 \"x\": float32[1, 4, 6, 2147483647]\n  %1 = aten._upsample_bicubic2d_aa.default(%0, [6, 4], true)\n  output \"y\" = %1",
    "input %0 \"x\": float32[4]\n  %1 = aten.mvlgamma.default(%0, 4611686018427387904)\n  output \"y\" = %1",
    "symbol s0 in [0, inf]\n  input %0 \"x\": float32[s0]\n  %1 = aten.diff.default(%0, 4611686018427387904)\n  output \"y\" = %1",
    // A gradient's windows that have no size, halves of a number, and classes of no dimension.
    "input %0 \"g\": float32[1, 2, 2]\n  input %1 \"x\": float32[1, 4, 4]\n  %2 = aten.avg_pool2d_backward.default(%0, %1, [], [], [0, 0], false, true, None)\n  output \"y\" = %2",
    "input %0 \"g\": float32[]\n  input %1 \"x\": float32[]\n  %2 = aten.glu_backward.default(%0, %1, 0)\n  output \"y\" = %2",
    "input %0 \"g\": float32[]\n  input %1 \"x\": float32[]\n  input %2 \"t\": int64[]\n  %3 = aten.nll_loss_backward.default(%0, %1, %2, None, 1, 0, %0)\n  output \"y\" = %3",
    "input %0 \"x\": float32[3, 3, 7, 5]\n  %1 = aten.special_multigammaln.default(%0, -4294967296)\n  output \"y\" = %1",
    // A size that can be one number alone, beside one that may be 0; and rows with gaps, or none.
    "symbol s0 in [2, 64]\n  symbol s1 in [0, inf] hint 0\n  symbol s2 in [1, 1]\n  input %0 \"x\": uint8[s0, 1, 17, s1, s2]\n  %1 = aten.any.default(%0)\n  output \"y\" = %1",
    "symbol s0 in [0, 64] hint 3\n  symbol s1 in [0, 8] hint 0\n  input %0 \"x\": float32[s0, s1] strides [8, 1]\n  %1 = aten.sin.default(%0)\n  output \"y\" = %1",
    "symbol s0 in [0, 64] hint 0\n  symbol s1 in [0, 8] hint 3\n  input %0 \"x\": float32[s0, s1] strides [8, 1]\n  %1 = aten.sin.default(%0)\n  output \"y\" = %1",
    // Images whose results have places that they lack, one by one.
    "input %0 \"x\": float32[1, 3, 3]\n  input %1 \"w\": float32[3, 3, 1]\n  %2 = aten.conv_transpose1d.default(%0, %1, None, output_padding=[1], dilation=[2])\n  output \"y\" = %2",
    "symbol s0 in [1, 64]\n  symbol s1 in [0, 64]\n  symbol s2 in [2, 3]\n  input %0 \"x\": float32[s0, s1, s2]\n  input %1 \"w\": float32[3, 3, 1] strides [6, 2, 2]\n  %2 = aten.conv_transpose1d.default(%0, %1, None, output_padding=[1], dilation=[2])\n  output \"y\" = %2",
    // Half of a spectrum whose length a symbol cuts or fills.
    "symbol s0 in [0, 64]\n  symbol s1 in [1, 64]\n  symbol s2 in [1, 64]\n  input %0 \"x\": float64[s0, s1, s2]\n  %1 = aten.fft_irfft.default(self=%0, n=3, norm=None)\n  output \"y\" = %1",
    // Which dimension is meant depends on a size.
    "symbol s0 in [2, 64]\n  input %0 \"x\": float32[s0, 3]\n  input %1 \"y\": float32[s0, 3]\n  %2 = aten.cross.default(%0, %1)\n  output \"y\" = %2",
    // Weights whose sizes guards make those of the state.
    "symbol s0 in [1, 64]\n  symbol s1 in [1, 64]\n  symbol s2 in [1, 64]\n  symbol s3 in [0, 64]\n  symbol s4 in [1, 64]\n  input %0 \"x\": float32[5, 0, s0]\n  input %1 \"h\": float32[1, 0, 1]\n  input %2 \"w\": float32[s1, 2]\n  input %3 \"u\": float32[s2, s3]\n  input %4 \"b\": float32[1]\n  input %5 \"c\": float32[s4]\n  %6, %7 = aten.rnn_tanh.input(%0, %1, [%2, %3, %4, %5], true, 1, 0.0, true, false, false)\n  output \"y\" = %6",
    // A proof that a goal's goals take as deep as they may.
    "symbol s0 in [0, 64]\n  symbol s1 in [1, 64]\n  symbol s2 in [0, 64]\n  symbol s3 in [0, 64]\n  symbol s4 in [1, 64]\n  symbol s5 in [1, 64]\n  symbol s6 in [1, 64]\n  symbol s7 in [0, 64]\n  symbol s8 in [2, 64]\n  input %0 \"x0\": float32[s0, s1, s2, s3, s4]\n  input %1 \"x1\": float32[2, s5, s6, s7, s8]\n  %2 = aten.cumulative_trapezoid.x(%0, %1)\n  output \"y0\" = %2",
    // Views of an input whose elements share memory.
    "input %0 \"x\": uint8[3, 64] strides [34, 2]\n  %1 = aten.atleast_1d.default(%0)\n  output \"y\" = %1",
    "input %0 \"x\": int32[5, 3] strides [3, 0]\n  %1, %2 = aten.unsafe_split_with_sizes.default(%0, split_sizes=[5, 0])\n  output \"y\" = %1",
    "input %0 \"x\": int32[5, 1]\n  %1 = aten.expand.default(%0, [5, 3])\n  output \"y\" = %1",
    // A size that a guard makes equal to a number, or to another one.
    "symbol s0 in [2, 64]\n  symbol s1 in [1, 64]\n  symbol s2 in [0, 64]\n  input %0 \"x\": bfloat16[s0, 4, s1, 1]\n  input %1 \"w\": bfloat16[s2]\n  %2, %3, %4 = aten.native_group_norm.default(%0, %1, None, N=2, C=4, HxW=s1, group=1, eps=0.5)\n  output \"y\" = %2",
    "symbol s0 in [1, 64]\n  symbol s1 in [0, 64]\n  symbol s2 in [2, 64]\n  symbol s3 in [2, 64]\n  symbol s4 in [0, 64]\n  input %0 \"q\": float64[4, 8, s0, 2]\n  input %1 \"k\": float64[s1, s2, s3, 2, s4]\n  input %2 \"v\": float64[4, 8, 2, 4]\n  %3 = aten.scaled_dot_product_attention.default(%0, %1, %2, None, 0.0, false)\n  output \"y\" = %3",
    "symbol s0 in [2, 64]\n  symbol s1 in [0, 64]\n  symbol s2 in [2, 64]\n  symbol s3 in [0, 64]\n  symbol s4 in [0, 64]\n  input %0 \"x\": float32[s0, s1, s2]\n  input %1 \"h\": float32[s3, s1, s3]\n  input %2 \"w\": float32[s4, s2]\n  input %3 \"u\": float32[3, s3]\n  input %4 \"b\": float32[3]\n  %5, %6 = aten.gru.input(%0, %1, [%2, %3, %4, %4], true, 1, 0.5, false, false, true)\n  output \"y\" = %5",
    // The result is given out twice, in the layout of an input that a guard settles.
    "symbol s0 in [2, 64]\n  input %0 \"x\": float16[4, s0]\n  input %1 \"y\": float16[3]\n  %2 = aten.copysign_.Tensor(%0, %1)\n  output \"y0\" = %2\n  output \"y1\" = %2",
    "symbol s0 in [2, 64]\n  input %0 \"x\": float16[s0, 4] strides [1, s0]\n  input %1 \"y\": float16[3, 1]\n  %2 = aten.copysign_.Tensor(%0, %1)\n  output \"y0\" = %2\n  output \"y1\" = %2",
    // A guard makes a size that may be 0 one that may not, and strides count both.
    "symbol s0 in [2, 64]\n  symbol s1 in [0, 64]\n  symbol s2 in [1, 64]\n  symbol s3 in [0, 64]\n  input %0 \"x\": float32[s0, 9, s1, s2, s3]\n  %1, %2 = aten.linalg_inv_ex.default(%0)\n  output \"y0\" = %1\n  output \"y1\" = %1",
    // The parameters of a group norm have one dimension.
    "symbol s0 in [0, 64]\n  symbol s1 in [2, 64]\n  input %0 \"x\": float16[s0, 3, 2, s1]\n  input %1 \"b\": float16[1, s1, 1, 1]\n  %2, %3, %4 = aten.native_group_norm.default(%0, None, %1, 4, s1, 6, 1, 0.5)\n  output \"y\" = %2",
    // Dimensions of a tensor that has none.
    "input %0 \"x\": float32[]\n  %1 = aten.roll.default(%0, [3], [0])\n  output \"y\" = %1",
    // Channels of a scale without dimensions, and bins for more coordinates than tensors have dimensions.
    "input %0 \"x\": float32[1]\n  input %1 \"s\": float32[]\n  input %2 \"z\": float32[1]\n  %3 = quantized_decomposed.quantize_per_channel.default(%0, %1, %2, 0, 0, 255, uint8)\n  output \"y\" = %3",
    "input %0 \"x\": float32[1]\n  input %1 \"s\": float32[1]\n  input %2 \"z\": float32[]\n  %3 = quantized_decomposed.quantize_per_channel.default(%0, %1, %2, 0, 0, 255, uint8)\n  output \"y\" = %3",
    "input %0 \"x\": float32[3, 4294967296]\n  %1, %2 = aten.histogramdd.int_bins(%0, 1, None, density=true)\n  output \"y\" = %1",
    // A size of -1, which a guard says a symbol is.
    "symbol s0 in [0, 64]\n  input %0 \"x\": float32[s0]\n  %1 = prims.broadcast_in_dim.default(%0, [-1], [0])\n  output \"y\" = %1",
    // Weights of more dimensions than the gradient has.
    "input %0 \"g\": float32[1, 9, 1]\n  input %1 \"x\": float32[1, 9, 1]\n  input %2 \"w\": float32[1, 1, 9, 1]\n  %3 = aten.binary_cross_entropy_backward.default(%0, %1, %1, %2, 2)\n  output \"y\" = %3",
    // No heads of keys.
    "symbol s0 in [0, 64]\n  symbol s1 in [0, 64]\n  input %0 \"q\": float32[2, s0, 1, 5]\n  input %1 \"k\": float32[2, 0, 3, 5]\n  input %2 \"v\": float32[2, s1, 3, 4]\n  %3 = aten.scaled_dot_product_attention.default(%0, %1, %2, is_causal=true, enable_gqa=true)\n  output \"y\" = %3",
    // Eigenvectors that are given out twice.
    "symbol s0 in [0, 0]\n  symbol s1 in [0, 7]\n  input %0 \"x\": float32[s0, s1] strides [7, -1]\n  %1, %2 = aten.linalg_eig.default(%0)\n  output \"y\" = %2\n  output \"z\" = %2",
    "symbol s0 in [0, 4]\n  input %0 \"x\": float32[s0, s0]\n  %1, %2 = aten.linalg_eig.default(%0)\n  output \"y\" = %2\n  output \"z\" = %2",
    // A path of too few operands.
    "input %0 \"x\": uint8[3, 5]\n  input %1 \"y\": uint8[1, 4]\n  %2 = aten.einsum.default(\"ab,bc\", [%0, %1], path=[])\n  output \"y\" = %2",
    // Dtypes that nothing computes with, or not here.
    "input %0 \"x\": float8_e4m3fn[2]\n  %1 = aten.alias_copy.default(%0)\n  output \"y\" = %1",
    "symbol s0 in [0, 9]\n  number %0 \"n\": float8_e5m2 = s0\n  output \"y\" = s0",
    "input %0 \"x\": int8[1, 3]\n  input %1 \"h\": int8[1, 1]\n  input %2 \"w\": int8[1, 3]\n  %3 = aten.rnn_tanh_cell.default(%0, %1, %2, %1)\n  output \"y\" = %3",
    "input %0 \"x\": int32[]\n  %1, %2, %3 = aten.unique_dim.default(%0, -1, true)\n  output \"y\" = %1",
    // A 0-d tensor counts in the dtype of a Kronecker product with a tensor of some rank.
    "input %0 \"x\": int64[]\n  input %1 \"y\": int16[2, 3]\n  %2 = aten.kron.default(%0, %1)\n  output \"y\" = %2",
    // The gradient of a trace of integers.
    "input %0 \"x\": uint8[]\n  %1 = aten.trace_backward.default(%0, [4, 3])\n  output \"y\" = %1",
    // The first number of a spectrum of nothing.
    "symbol s0 in [0, 4] hint 0\n  input %0 \"x\": float32[s0]\n  %1 = aten._fft_r2c.default(%0, [0], 1, true)\n  output \"y\" = %1",
];

/// Lookups whose index a condition chooses: its bounds check stands after what defines it, for both compilers.
#[test]
fn lookups_whose_index_a_condition_chooses() {
    check::note_panics();
    let indices = [
        "aten.cat.default([%7, %8])",
        "aten.constant_pad_nd.default(%7, [2, 1], 1)",
        "aten.stack.default([%7, %8])",
        "aten.select_scatter.default(%9, %8, 0, 1)",
        "aten.slice_scatter.default(%7, %10, 0, 1, 3)",
        "aten.where.self(%3, %7, %8)",
        "aten.roll.default(%7, [1])",
    ];
    let lookups = [
        "aten.embedding.default(%0, %N)",
        "aten.index.Tensor(%0, [%N])",
        "aten.take.default(%0, %N)",
        "aten.index_put.default(%0, [%N], %6, true)",
        "aten.index.Tensor(%0, [%N, %N])",
    ];
    let mut lines = vec![
        "graph \"g\" {".to_string(),
        "  input %0 \"w\": float32[5, 5]\n  input %1 \"i\": int64[4]\n  input %2 \"u\": int64[4]".to_string(),
        "  input %3 \"c\": bool[4]\n  input %4 \"m\": int64[2, 4]\n  input %5 \"s\": int64[2]".to_string(),
        "  input %6 \"v\": float32[5]".to_string(),
    ];
    // Places that the table has.
    for (k, input) in [1, 2, 4, 5].into_iter().enumerate() {
        lines.push(format!("  %{} = aten.clamp.default(%{input}, 0, 4)", 7 + k));
    }
    let (mut next, mut outputs) = (11, Vec::new());
    for index in indices {
        lines.push(format!("  %{next} = {index}"));
        let chosen = format!("%{next}");
        for lookup in lookups {
            next += 1;
            lines.push(format!("  %{next} = {}", lookup.replace("%N", &chosen)));
            outputs.push(format!("  output \"y{next}\" = %{next}"));
        }
        next += 1;
    }
    let text = [lines, outputs, vec!["}\n".to_string()]].concat().join("\n");
    let graph = check::read(&text).unwrap_or_else(|answer| panic!("{answer:?}\n{text}"));
    for compiler in crate::compilers::COMPILERS {
        let answer = graphs::compared(&graph, &mut Random(1), &[("cpp.compiler", compiler)]);
        assert!(matches!(answer, Answer::Gave(_)), "{compiler}: {answer:?}\n{text}");
    }
}

#[test]
fn what_was_found_stays_mended() {
    check::note_panics();
    for text in TEXTS {
        let text = format!("graph \"g\" {{\n  {text}\n}}\n");
        let answer = match check::read(&text) {
            Ok(graph) => graphs::go_through(&graph, &mut Random(1), true),
            Err(answer) => answer,
        };
        assert!(!matches!(answer, Answer::Defect(_)), "{answer:?}\n{text}");
    }
}
