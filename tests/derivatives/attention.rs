//! Slopes of attention, and slopes of these: the gradient's own node, and the products of matrices that it is differentiated through.

use super::{compare, compare_modes};

/// Queries, keys and values of four dimensions, which the gradient's node takes: heads that share keys, a query that attends nothing,
/// more queries than keys and the reverse.
const FUSED: &[&str] = &[
    "%3 = aten.reshape.default(%0, [1, 2, 1, 3])\n  %4 = aten.reshape.default(%1, [1, 2, 1, 3])\n  \
     %5 = aten.cat.default([%4, %3], 2)\n  %6 = aten.mul.Scalar(%5, 1.5)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %5, %6)",
    "%3 = aten.reshape.default(%0, [1, 1, 2, 3])\n  %4 = aten.reshape.default(%1, [1, 1, 2, 3])\n  \
     %5 = aten.mul.Tensor(%4, %4)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %4, %5, None, 0.0, true, scale=0.7)",
    "%3 = aten.reshape.default(%0, [1, 2, 3, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 6, 1])\n  \
     %5 = aten.mul.Scalar(%4, 1.5)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %4, %5, None, 0.0, true, enable_gqa=true)",
    "%3 = aten.reshape.default(%0, [1, 1, 6, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 6, 1])\n  \
     %5 = aten.narrow.default(%4, 2, 0, 4)\n  %6 = aten.mul.Scalar(%5, 1.5)\n  \
     %7 = aten.ones.default([6, 4], dtype=bool)\n  %8 = aten.tril.default(%7, -1)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %5, %6, %8)",
    "%3 = aten.reshape.default(%0, [2, 1, 3, 1])\n  %4 = aten.reshape.default(%1, [2, 1, 3, 1])\n  \
     %5 = aten.mul.Scalar(%4, 1.5)\n  %6 = aten.full.default([3], 0.25, dtype=float64)\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %4, %5, %6)",
    "%3 = aten.reshape.default(%0, [1, 2, 3, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 6, 1])\n  \
     %2, %5 = aten._scaled_dot_product_flash_attention_for_cpu.default(%3, %4, %4)",
];

/// What is left to products of matrices: another number of dimensions, a batch that is broadcast, values of another size than heads,
/// and masks with a gradient.
const PRODUCTS: &[&str] = &[
    "%2 = aten.scaled_dot_product_attention.default(%0, %1, %1)",
    "%3 = aten.reshape.default(%0, [2, 1, 3, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 6, 1])\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %4, %4)",
    "%3 = aten.reshape.default(%0, [1, 1, 6, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 3, 2])\n  \
     %5 = aten.narrow.default(%4, 3, 0, 1)\n  %2 = aten.scaled_dot_product_attention.default(%3, %5, %4)",
    "%3 = aten.reshape.default(%0, [1, 2, 3, 1])\n  %4 = aten.reshape.default(%1, [1, 1, 3, 2])\n  \
     %5 = aten.narrow.default(%4, 3, 0, 1)\n  %6 = aten.reshape.default(%1, [2, 3, 1])\n  \
     %2 = aten.scaled_dot_product_attention.default(%3, %5, %5, %6)",
];

#[test]
fn slopes_of_attention_are_those_of_differences() {
    let calls = || FUSED.iter().chain(PRODUCTS).map(|call| call.to_string());
    compare(calls());
    compare_modes(calls());
}
