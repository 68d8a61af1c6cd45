//! Slopes of what data place: gathers, scatters, segments and bags of embeddings.

use super::compare;

/// What data place: `%3` is places of `%0`'s elements, and `%4` a tensor to reduce into.
const PLACED: &[&str] = &[
    "%2 = aten.gather.default(%0, 1, %3)",
    "%5 = aten.slice.Tensor(%3, 1, 0, 1)\n  %2 = aten.gather.default(%0, 1, %5)",
    "%5 = aten.slice.Tensor(%13, 0, 0, 1)\n  %2 = aten.gather.default(%0, -2, %5)",
    "%5 = aten.select.int(%3, 1, 0)\n  %2 = aten.cross_entropy_loss.default(%0, %5)",
    "%2 = aten.scatter_reduce.two(%4, 1, %3, %0, \"sum\", include_self=false)",
    "%2 = aten.scatter_reduce.two(%4, 1, %3, %0, \"mean\")",
    "%2 = aten.scatter_reduce.two(%4, 1, %3, %0, \"mean\", include_self=false)",
    "%2 = aten.scatter_reduce.two(%4, 1, %3, %0, \"prod\")",
    "%2 = aten.scatter_reduce.two(%4, 1, %3, %0, \"prod\", include_self=false)",
    "%2 = aten.scatter_reduce.two(%4, 1, %3, %0, \"amax\")",
    "%2 = aten.scatter_reduce.two(%4, 1, %3, %0, \"amin\", include_self=false)",
    "%5 = aten.slice.Tensor(%3, 1, 0, 2)\n  %2 = aten.scatter_reduce.two(%4, -1, %5, %0, \"prod\")",
    "%5 = aten.select.int(%3, 0, 0)\n  %2 = aten.index_reduce.default(%4, 1, %5, %0, \"prod\")",
    "%5 = aten.select.int(%3, 0, 0)\n  %2 = aten.index_reduce.default(%4, 1, %5, %0, \"mean\", include_self=false)",
    "%5 = aten.select.int(%3, 0, 0)\n  %2 = aten.index_reduce.default(%4, 1, %5, %0, \"amax\")",
    "%5 = aten.slice.Tensor(%3, 1, 1, 3)\n  %6 = aten.add.Scalar(%5, 1)\n  %2 = aten.segment_reduce.default(%0, \"sum\", lengths=%6, axis=1, unsafe=true)",
    "%5 = aten.full.default([2], 1, dtype=int64)\n  %2 = aten.segment_reduce.default(%0, \"prod\", lengths=%5, initial=1.5)",
    "%5 = aten.arange.start_step(0, 3, 2, dtype=int64)\n  %2 = aten.segment_reduce.default(%0, \"max\", offsets=%5)",
    "%5 = aten.arange.start_step(0, 3, 2, dtype=int64)\n  %2 = aten.segment_reduce.default(%0, \"mean\", offsets=%5)",
    "%5 = aten.arange.start_step(0, 3, 2, dtype=int64)\n  %2 = aten.segment_reduce.default(%0, \"min\", offsets=%5, initial=0.4)",
    // Rows before the first offset belong to no segment.
    "%5 = aten.arange.start_step(1, 3, 1, dtype=int64)\n  %2 = aten.segment_reduce.default(%0, \"sum\", offsets=%5)",
    "%5 = aten.full.default([4], 1, dtype=int64)\n  %6 = aten.arange.start_step(0, 4, 3, dtype=int64)\n  \
     %2, %7, %8, %9 = aten._embedding_bag.default(%0, %5, %6, false, 1)",
    "%5 = aten.select.int(%3, 0, 0)\n  %6 = aten.clamp.default(%5, 0, 1)\n  %7 = aten.arange.start_step(0, 3, 2, dtype=int64)\n  \
     %8 = aten.select.int(%1, 0, 0)\n  %2, %9, %10, %11 = aten._embedding_bag.default(%0, %6, %7, false, 0, false, %8)",
    "%5 = aten.select.int(%3, 0, 0)\n  %6 = aten.clamp.default(%5, 0, 1)\n  %7 = aten.arange.start_step(0, 3, 2, dtype=int64)\n  \
     %2, %9, %10, %11 = aten.embedding_bag.padding_idx(%0, %6, %7, false, 2, false, None, false, -1)",
];

#[test]
fn slopes_of_what_data_place_are_those_of_differences() {
    compare(placed());
}

/// What [`PLACED`] names.
const PLACES: &str = "%12 = aten.gt.Scalar(%1, 2.0)\n  %13 = aten._to_copy.default(%12, dtype=int64)\n  \
         %14 = aten.cumsum.default(%13, 1)\n  %15 = aten.arange.default(3, dtype=int64)\n  \
         %16 = aten.remainder.Scalar(%15, 2)\n  %3 = aten.add.Tensor(%14, %16)\n  %4 = aten.mul.Scalar(%1, 1.1)\n  ";

/// The calls with the tensors that they name.
pub fn placed() -> impl Iterator<Item = String> {
    PLACED.iter().map(|call| format!("{PLACES}{call}"))
}
