//! Slopes of formulas that build loops, and of windows.

use super::{Slopes, graph_of, loss};
use litz::ir::OutputValue;
use litz::session;

/// Loops that formulas build.
const FORMULAS: &[&str] = &[
    "%3 = aten.unsqueeze.default(%0, 1)\n  %4 = aten.log_softmax.int(%3, 2)\n  %5 = aten.full.default([1, 1], 2, dtype=int64)\n  \
     %2 = aten.ctc_loss.IntList(%4, %5, [2], [1], 0, 0)",
    "%3 = aten.view.default(%0, [1, 1, 2, 3])\n  %4 = aten.constant_pad_nd.default(%1, [1, 1])\n  \
     %2 = torchvision.roi_align.default(%3, %4, 1.0, 2, 3, -1, false)",
    "%3 = aten.view.default(%0, [1, 1, 2, 3])\n  %4 = aten.constant_pad_nd.default(%1, [1, 1])\n  \
     %2, %5 = torchvision.roi_pool.default(%3, %4, 1.0, 1, 1)",
    "%3 = aten.view.default(%0, [1, 2, 1, 3])\n  %4 = aten.constant_pad_nd.default(%1, [1, 1])\n  \
     %2, %5 = torchvision.ps_roi_align.default(%3, %4, 1.0, 2, 1, 2)",
    "%3 = aten.view.default(%0, [1, 1, 2, 3])\n  %6 = aten.constant_pad_nd.default(%1, [1, 0])\n  \
     %4 = aten.constant_pad_nd.default(%6, [0, 1], 2.0)\n  \
     %2, %5 = torchvision.ps_roi_pool.default(%3, %4, 1.0, 1, 1)",
    "%3 = aten.unsqueeze.default(%0, 1)\n  %4 = aten.log_softmax.int(%3, 2)\n  %5 = aten.full.default([1], 2, dtype=int64)\n  \
     %6 = aten.full.default([1], 1, dtype=int64)\n  %2 = aten.ctc_loss.Tensor(%4, %5, %5, %6, 0, 0)",
    "%3 = aten.view.default(%0, [1, 1, 2, 3])\n  %2 = aten._upsample_lanczos2d_aa.default(%3, [3, 2], false)",
];

#[test]
fn slopes_of_formulas_are_those_of_differences() {
    for call in FORMULAS {
        let mut graph = graph_of(call);
        let OutputValue::Tensor(result) = graph.outputs[0].value else { panic!("a tensor") };
        let total = loss(&mut graph, result);
        let input = graph.inputs[0].value;
        let made = session::differentiate(&graph, &[total], None, &[input]).expect("it has a gradient");
        let slopes = Slopes::of(made.graph, total, &[made.gradients[0], None]);
        if let Some(wrong) = slopes.wrong() {
            panic!("{call}: {wrong}");
        }
    }
}
