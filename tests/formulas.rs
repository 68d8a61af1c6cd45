//! Operators that are expanded when they are added to a graph: calls that PyTorch refuses, sizes of zero, layouts, and a gradient where
//! products overflow. What formulas compute is compared with PyTorch's record in tests/operators.rs.

mod common;

use common::draws::{doubles, program, run_from};
use litz::meta::text::parse;
use litz::runtime::{RunOptions, RuntimeError, Tensor};
use litz::types::Dtype;

fn graph(lines: &str) -> String {
    format!("graph \"g\" {{\n{lines}\n}}\n")
}

/// Calls with a part of the error that each gives.
const REFUSED: [(&str, &str); 20] = [
    (
        "input %0 \"x\": int64[2]\n aten._foreach_div_.Scalar([%0], 2)\n output \"y\" = %0",
        "can't be cast to int64 in place",
    ),
    (
        "input %0 \"x\": int64[2]\n %1 = aten.polygamma_.default(%0, 1)\n output \"y\" = %1",
        "can't be cast to int64 in place",
    ),
    (
        "input %0 \"x\": float32[2]\n input %1 \"g\": float32[2]\n aten._fused_sgd_.default([%0], [%1], [], weight_decay=0.0, momentum=0.9, \
         lr=0.1, dampening=0.0, nesterov=false, maximize=false, is_first_step=false)\n output \"y\" = %0",
        "list 2 has 0 tensors, not 1",
    ),
    (
        "input %0 \"x\": float32[2]\n input %1 \"g\": float32[2]\n aten._fused_sgd_.default([%0], [%1], [%1], weight_decay=0.0, momentum=0.0, \
         lr=0.1, dampening=0.0, nesterov=false, maximize=false, is_first_step=false)\n output \"y\" = %0",
        "`momentum_buffer_list` must be empty",
    ),
    (
        "input %0 \"x\": float32[2]\n input %1 \"g\": float32[2]\n input %2 \"n\": float32[]\n aten._fused_adam_.default([%0], [%1], [%1], [%1], \
         [], [%2], lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=true, maximize=false)\n output \"y\" = %0",
        "list 4 has 0 tensors, not 1",
    ),
    (
        "input %0 \"g\": float32[3]\n input %1 \"i\": int64[4]\n input %2 \"o\": int64[2]\n %3 = aten._embedding_bag_backward.default(%0, %1, \
         %2, %1, %2, %2, 5, false, 2, false, None)\n output \"y\" = %3",
        "`grad` must have 2 dimensions, not 1",
    ),
    (
        "input %0 \"g\": float32[2, 3]\n input %1 \"w\": float32[5, 3]\n input %2 \"i\": int64[]\n input %3 \"o\": int64[2]\n \
         %4 = aten._embedding_bag_per_sample_weights_backward.default(%0, %1, %2, %3, %2, 0)\n output \"y\" = %4",
        "`indices` must have 1 dimensions, not 0",
    ),
    (
        "input %0 \"g\": float32[]\n input %1 \"x\": float32[2, 3]\n input %2 \"t\": int64[2]\n \
         %3 = aten.multi_margin_loss_backward.default(%0, %1, %2, 3, 1.0)\n output \"y\" = %3",
        "`p` is 3, not 1 or 2",
    ),
    (
        "input %0 \"x\": float32[2, 5]\n input %1 \"w\": int64[1]\n %2 = aten.cov.default(%0, fweights=%1)\n output \"y\" = %2",
        "`fweights` must have one element for each observation",
    ),
    (
        "input %0 \"a\": float32[2]\n input %1 \"b\": float32[3]\n aten._foreach_add_.List([%0], [%1])\n output \"y\" = %0",
        "element 0",
    ),
    (
        "input %0 \"p\": float32[4, 2, 5]\n input %1 \"t\": int64[2, 3]\n %2 = aten.ctc_loss.IntList(%0, %1, [4, 5], [1, 1])\n output \"y\" = %2",
        "the input length 5 is more than the 4 steps",
    ),
    (
        "input %0 \"p\": float32[4, 2, 5]\n input %1 \"t\": int64[2, 3]\n %2 = aten.ctc_loss.IntList(%0, %1, [4, 4], [1, 4])\n output \"y\" = %2",
        "the target length 4 is more than the 3 labels",
    ),
    (
        "input %0 \"p\": float32[4, 2, 5]\n input %1 \"t\": int64[3]\n %2 = aten.ctc_loss.IntList(%0, %1, [4, 4], [2, 2])\n output \"y\" = %2",
        "add up to 4, and there are 3 targets",
    ),
    (
        "input %0 \"p\": float32[4, 2, 5]\n input %1 \"t\": int64[2, 3]\n %2 = aten.ctc_loss.IntList(%0, %1, [4], [1], 0)\n output \"y\" = %2",
        "1 lengths are given for a batch of 2",
    ),
    (
        "input %0 \"p\": float32[4, 2, 5]\n input %1 \"t\": int64[2, 3]\n %2 = aten.ctc_loss.IntList(%0, %1, [4, 4], [1, 1], 5)\n output \"y\" = %2",
        "the blank 5 is none of 5 classes",
    ),
    (
        "input %0 \"p\": float16[4, 2, 5]\n input %1 \"t\": int64[2, 3]\n %2 = aten.ctc_loss.IntList(%0, %1, [4, 4], [1, 1])\n output \"y\" = %2",
        "float16",
    ),
    (
        "input %0 \"r\": int64[2]\n %1 = aten.poisson.default(%0)\n output \"y\" = %1",
        "needs floats, not int64",
    ),
    (
        "input %0 \"x\": float32[2]\n input %1 \"m\": bool[2]\n input %2 \"v\": complex64[]\n %3 = aten.masked_fill.Tensor(%0, %1, %2)\n output \"y\" = %3",
        "a complex number can't fill a tensor of float32",
    ),
    (
        "input %0 \"x\": float32[2, 0]\n input %1 \"t\": int64[2, 0]\n %2 = aten.multilabel_margin_loss.default(%0, %1)\n output \"y\" = %2",
        "`self` needs at least one class",
    ),
    (
        "input %0 \"x\": float32[3, 1, 4]\n input %1 \"w\": float32[8, 4]\n input %2 \"h\": float32[1, 1, 2]\n \
         %3, %4, %5, %6, %7 = aten._cudnn_rnn.default(%0, [%1, %1], 2, None, %2, %2, 2, 2, 0, 1, false, 0.0, false, false, [1, 1, 1], None)\n \
         output \"y\" = %3",
        "sequences of different lengths",
    ),
];

#[test]
fn calls_that_pytorch_refuses_are_refused() {
    for (lines, part) in REFUSED {
        let error = parse(&graph(lines)).err().unwrap_or_else(|| panic!("{lines} is taken")).to_string();
        assert!(error.contains(part), "{lines}\n{error}");
    }
}

fn ran(lines: &str, inputs: &[&Tensor]) -> Result<Vec<Tensor>, RuntimeError> {
    let program = program(&graph(lines), &[("backend", "interpreter")]);
    let inputs: Vec<_> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
    // SAFETY: the inputs are tensors of this process, alive until the run has ended.
    unsafe { program.run(&inputs, Some(&RunOptions::default())) }
}

fn tensor(shape: &[i64], values: &[f64]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    Tensor::from_bytes(Dtype::Float64, shape, &bytes).expect("memory")
}

#[test]
fn sizes_that_a_run_gives_may_be_zero() {
    let powers = "symbol n in [0, 9]\n input %0 \"x\": float64[2]\n input %1 \"s\": float64[n]\n \
         %2 = aten.vander.default(%0, n)\n output \"y\" = %2\n output \"s\" = %1";
    for (count, want) in [(0, vec![]), (3, vec![4.0, 2.0, 1.0, 9.0, 3.0, 1.0])] {
        let sized = tensor(&[count], &vec![0.0; count as usize]);
        let made =
            ran(powers, &[&tensor(&[2], &[2.0, 3.0]), &sized]).unwrap_or_else(|e| panic!("{count}: {e}"));
        assert_eq!(doubles(&made[0]), want, "{count} powers");
    }
    let chosen = "symbol n in [0, 9]\n input %0 \"g\": float64[3]\n input %1 \"s\": float64[n]\n %2 = aten.gt.Scalar(%0, 1.5)\n \
         %3 = aten.masked_scatter_backward.default(%0, %2, [n])\n output \"y\" = %3\n output \"s\" = %1";
    for (count, want) in [(0, vec![]), (1, vec![2.0]), (4, vec![2.0, 3.0, 0.0, 0.0])] {
        let sized = tensor(&[count], &vec![0.0; count as usize]);
        let made = ran(chosen, &[&tensor(&[3], &[1.0, 2.0, 3.0]), &sized])
            .unwrap_or_else(|e| panic!("{count}: {e}"));
        assert_eq!(doubles(&made[0]), want, "{count} elements");
    }
}

#[test]
fn a_cube_is_checked_when_its_sizes_are_known() {
    let lines = "symbol n in [1, 9]\n symbol m in [1, 9]\n input %0 \"x\": float64[n, m, m]\n %1 = aten.clone.default(%0)\n \
         %2 = aten.fill_diagonal_.default(%1, 5)\n output \"y\" = %2";
    let even = ran(lines, &[&tensor(&[2, 2, 2], &[0.0; 8])]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(doubles(&even[0]), [5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0]);
    let error = ran(lines, &[&tensor(&[3, 2, 2], &[0.0; 12])]).expect_err("it is no cube").to_string();
    assert!(error.contains("fill_diagonal_") && error.contains("equal sizes"), "{error}");
}

#[test]
fn negative_weights_and_rates_are_refused_by_the_run() {
    let weighed = "input %0 \"x\": float64[3]\n input %1 \"w\": float64[3]\n %2 = aten.cov.default(%0, aweights=%1)\n output \"y\" = %2";
    let values = tensor(&[3], &[1.0, 2.0, 4.0]);
    assert!(ran(weighed, &[&values, &tensor(&[3], &[1.0, 0.0, 2.0])]).is_ok());
    let error = ran(weighed, &[&values, &tensor(&[3], &[1.0, -1.0, 2.0])]).expect_err("a negative weight");
    assert!(error.to_string().contains("a weight is negative"), "{error}");
    let drawn = "input %0 \"r\": float64[2]\n %1 = aten.poisson.default(%0)\n output \"y\" = %1";
    let error = ran(drawn, &[&tensor(&[2], &[1.0, -1.0])]).expect_err("a negative rate");
    assert!(error.to_string().contains("aten.poisson.default: a rate is negative"), "{error}");
}

/// Along the slope of the quantile, the distribution function stays as it is.
#[test]
fn gamma_distributed_numbers_move_with_their_quantile() {
    let lines = "input %0 \"a\": float64[6]\n input %1 \"x\": float64[6]\n %2 = aten._standard_gamma_grad.default(%0, %1)\n \
         %3 = aten.mul.Scalar(%2, 1e-5)\n %4 = aten.add.Scalar(%0, 1e-5)\n %5 = aten.add.Tensor(%1, %3)\n \
         %6 = aten.igamma.default(%4, %5)\n %7 = aten.sub.Scalar(%0, 1e-5)\n %8 = aten.sub.Tensor(%1, %3)\n \
         %9 = aten.igamma.default(%7, %8)\n output \"s\" = %2\n output \"a\" = %6\n output \"b\" = %9";
    let shapes = tensor(&[6], &[0.3, 0.3, 1.0, 4.0, 40.0, 40.0]);
    let numbers = tensor(&[6], &[0.01, 1.5, 0.7, 9.0, 35.0, 55.0]);
    let made = ran(lines, &[&shapes, &numbers]).unwrap_or_else(|e| panic!("{e}"));
    let [slopes, more, less] = [0, 1, 2].map(|k| doubles(&made[k]));
    for k in 0..6 {
        assert!(slopes[k] > 0.0 && (more[k] - less[k]).abs() < 1e-9, "{k}: {slopes:?} {more:?} {less:?}");
    }
}

#[test]
fn operators_of_vendors_and_of_recipes_are_the_plain_ones() {
    let layers = [(0, "rnn_relu", 2), (1, "rnn_tanh", 2), (2, "lstm", 8), (3, "gru", 6)];
    for (mode, name, rows) in layers {
        let (cells, state) = if mode == 2 { ("%3", "[%2, %3]") } else { ("None", "%2") };
        let count = if mode == 2 { 3 } else { 2 };
        let plain: Vec<String> = (12..12 + count).map(|k| format!("%{k}")).collect();
        let lines = format!(
            "input %0 \"x\": float64[3, 1, 2]\n input %1 \"w\": float64[{rows}, 2]\n input %2 \"h\": float64[1, 1, 2]\n \
             input %3 \"c\": float64[1, 1, 2]\n input %4 \"b\": float64[{rows}]\n \
             %5, %6, %7, %8, %9 = aten._cudnn_rnn.default(%0, [%1, %1, %4, %4], 4, None, %2, {cells}, {mode}, 2, 0, 1, false, 0.0, false, false, [], None)\n \
             {} = aten.{name}.input(%0, {state}, [%1, %1, %4, %4], true, 1, 0.0, false, false, false)\n \
             output \"a\" = %5\n output \"b\" = %6\n output \"c\" = %12\n output \"d\" = %13",
            plain.join(", ")
        );
        let lines = lines.replace("%12", "%10").replace("%13", "%11").replace("%14", "%12");
        let numbers = |count: i64| (0..count).map(|k| (k as f64 * 0.7).sin()).collect::<Vec<_>>();
        let given = [
            tensor(&[3, 1, 2], &numbers(6)),
            tensor(&[rows, 2], &numbers(rows * 2)),
            tensor(&[1, 1, 2], &numbers(2)),
            tensor(&[1, 1, 2], &numbers(2)),
            tensor(&[rows], &numbers(rows)),
        ];
        let made = ran(&lines, &given.each_ref()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let made: Vec<Vec<f64>> = made.iter().map(doubles).collect();
        assert!(made[0] == made[2] && made[1] == made[3] && made[0].iter().any(|v| *v != 0.0), "{name}");
    }
    let scaled = "input %0 \"a\": float8_e4m3fn[4, 16]\n input %1 \"b\": float8_e4m3fn[2, 16, 16]\n input %2 \"s\": float32[4]\n \
         input %3 \"t\": float32[2, 16]\n input %4 \"o\": int32[2]\n \
         %5 = aten._scaled_grouped_mm_v2.default(%0, %1, [%2], [1], [0], [%3], [1], [0], %4, None, bfloat16)\n output \"y\" = %5";
    let by_recipe = parse(&graph(scaled)).unwrap_or_else(|e| panic!("{e}"));
    let plain = "aten._scaled_grouped_mm.default(%0, %1, %2, %3, %4, None, None, bfloat16)";
    let (head, _) = scaled.split_once("%5 = ").expect("a call");
    let plain =
        parse(&graph(&format!("{head}%5 = {plain}\n output \"y\" = %5"))).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(litz::ir::text::print(&by_recipe), litz::ir::text::print(&plain));
    let blocks = scaled.replace("[%2], [1]", "[%2], [4]");
    let error = parse(&graph(&blocks)).expect_err("scales of blocks").to_string();
    assert!(error.contains("scales other than one for each row"), "{error}");
}

#[test]
fn padded_sequences_lie_as_in_pytorch() {
    for (batch_first, strides) in [(false, [6, 3, 1]), (true, [12, 3, 1])] {
        let lines = format!(
            "input %0 \"a\": float32[4, 3]\n input %1 \"b\": float32[2, 3]\n \
             %2 = aten.pad_sequence.default([%0, %1], {batch_first})\n output \"y\" = %2"
        );
        let graph = parse(&graph(&lines)).unwrap_or_else(|e| panic!("{e}"));
        let litz::ir::OutputValue::Tensor(y) = graph.outputs[0].value else { panic!("a number") };
        let have = graph.syms.as_consts(&graph.meta(y).strides);
        assert_eq!(have.as_deref(), Some(&strides[..]), "batch_first = {batch_first}");
    }
}

#[test]
fn running_products_that_overflow_have_slopes() {
    let graph = parse(&graph(
        "input %0 \"x\": float64[3]\n %1 = aten.cumprod.default(%0, 0)\n %2 = aten.sum.default(%1)\n output \"y\" = %2",
    ));
    let graph = graph.unwrap_or_else(|e| panic!("{e}"));
    let litz::ir::OutputValue::Tensor(y) = graph.outputs[0].value else { panic!("a number") };
    let made = litz::session::differentiate(&graph, &[y], None, &[graph.inputs[0].value])
        .unwrap_or_else(|e| panic!("{e}"));
    let mut graph = made.graph;
    graph.outputs[0].value = litz::ir::OutputValue::Tensor(made.gradients[0].expect("it depends on it"));
    let text = litz::ir::text::print(&graph);
    let lines = text.split_once("{\n").and_then(|(_, rest)| rest.rsplit_once('}')).expect("a graph").0;
    let made = ran(lines, &[&tensor(&[3], &[2.0, 3.0, f64::INFINITY])]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(doubles(&made[0]), [f64::INFINITY, f64::INFINITY, 6.0]);
}

#[test]
fn lengths_of_ctc_loss_are_checked_where_a_run_knows_them() {
    let lines = "input %0 \"p\": float64[4, 2, 3]\n input %1 \"t\": int64[2, 2]\n input %2 \"n\": int64[2]\n input %3 \"m\": int64[2]\n \
         %4 = aten.ctc_loss.Tensor(%0, %1, %2, %3, 0, 0)\n output \"y\" = %4";
    let long = |list: [i64; 2]| {
        Tensor::from_bytes(Dtype::Int64, &[2], &list.map(i64::to_ne_bytes).concat()).expect("it fits")
    };
    let targets = Tensor::from_bytes(Dtype::Int64, &[2, 2], &[1i64, 2, 2, 1].map(i64::to_ne_bytes).concat())
        .expect("it fits");
    let logs = tensor(&[4, 2, 3], &[(1.0f64 / 3.0).ln(); 24]);
    ran(lines, &[&logs, &targets, &long([4, 3]), &long([2, 0])]).unwrap_or_else(|e| panic!("{e}"));
    for (steps, labels) in [([4, -1], [2, 1]), ([5, 4], [2, 1]), ([4, 4], [3, 1]), ([4, 4], [-2, 1])] {
        let error =
            ran(lines, &[&logs, &targets, &long(steps), &long(labels)]).expect_err("a length is wrong");
        assert!(error.to_string().contains("length"), "{steps:?} {labels:?}: {error}");
    }
}

/// The elements of float16.
fn halves(tensor: &Tensor) -> Vec<f64> {
    let bytes = tensor.bytes().chunks(2);
    bytes.map(|b| half::f16::from_ne_bytes([b[0], b[1]]).to_f64()).collect()
}

#[test]
fn shares_of_small_concentrations_are_not_cut_off() {
    let lines =
        "input %0 \"a\": float16[4000, 2]\n %1 = aten._sample_dirichlet.default(%0)\n output \"y\" = %1";
    let half = half::f16::from_f64(0.1).to_ne_bytes().repeat(8000);
    let given = Tensor::from_bytes(Dtype::Float16, &[4000, 2], &half).expect("it fits");
    let (made, _) = run_from(&program(&graph(lines), &[("backend", "interpreter")]), &[&given], 5, 0);
    let shares: Vec<f64> = halves(&made[0]);
    let first: Vec<f64> = shares.chunks(2).map(|row| row[0]).collect();
    let mean = first.iter().sum::<f64>() / 4000.0;
    let variance = first.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 4000.0;
    // a b / ((a + b)^2 (a + b + 1)) of two concentrations of 0.1.
    assert!((variance - 0.25 / 1.2).abs() < 0.01, "{variance}");
    assert!(first.iter().filter(|v| **v == 0.5).count() < 20);
}

#[test]
fn the_slope_of_a_gamma_distributed_number_holds_far_from_the_mean() {
    let lines = "input %0 \"a\": float64[5]\n input %1 \"x\": float64[5]\n %2 = aten._standard_gamma_grad.default(%0, %1)\n output \"y\" = %2";
    let (a, x) = ([1.0, 1.0, 100.0, 2.5, f64::NAN], [40.0, 100.0, 200.0, 0.3, 1.0]);
    let made = ran(lines, &[&tensor(&[5], &a), &tensor(&[5], &x)]).unwrap_or_else(|e| panic!("{e}"));
    let slopes = doubles(&made[0]);
    for (slope, want) in slopes.iter().zip([4.29050, 5.19229, 1.38857]) {
        assert!((slope / want - 1.0).abs() < 1e-5, "{slopes:?}");
    }
    assert!(slopes[3] > 0.0 && slopes[4].is_nan(), "{slopes:?}");
}

/// Below and above the mean, far from it, and where one parameter is nearly zero. The numbers wanted are differences of the distribution
/// function, computed with 400 digits.
#[test]
fn the_slope_of_a_share_is_that_of_its_quantile() {
    let lines = "input %0 \"x\": float64[8]\n input %1 \"a\": float64[8]\n input %2 \"t\": float64[8]\n \
         %3 = aten._dirichlet_grad.default(%0, %1, %2)\n output \"y\" = %3";
    let x = [0.3, 0.02, 0.4, 0.5, 0.95, 0.97, 0.999, 0.0];
    let a = [0.5, 3.0, 3.0, 40.0, 0.1, 20.0, 1.0, 2.0];
    let totals = [2.5, 30.0, 30.0, 90.0, 20.1, 20.3, 1.01, 4.0];
    let given = [tensor(&[8], &x), tensor(&[8], &a), tensor(&[8], &totals)];
    let made = ran(lines, &[&given[0], &given[1], &given[2]]).unwrap_or_else(|e| panic!("{e}"));
    let want = [
        0.755398600685725,
        0.0141943356502849,
        0.0659870709992373,
        0.0118727303518912,
        0.666030834821273,
        0.050105114425866,
        1.63203035540891,
    ];
    let slopes = doubles(&made[0]);
    for (slope, want) in slopes.iter().zip(want) {
        assert!((slope / want - 1.0).abs() < 1e-10, "{slopes:?}");
    }
    assert_eq!(slopes[7], 0.0);
}

#[test]
fn channels_that_a_regions_cells_do_not_divide_are_refused() {
    let lines = "input %0 \"x\": float32[1, 6, 4, 4]\n input %1 \"r\": float32[2, 5]\n \
         %2, %3 = torchvision.ps_roi_align.default(%0, %1, 1.0, 2, 2, -1)\n output \"y\" = %2";
    let error = parse(&graph(lines)).expect_err("6 channels for 4 cells").to_string();
    assert!(error.contains("the cells of a region are 4, which do not divide 6 channels"), "{error}");
}

#[test]
fn a_largest_element_is_no_nan_and_a_region_that_is_none_leaves_the_others() {
    let lines = "input %0 \"x\": float64[1, 1, 2, 2]\n input %1 \"r\": float64[1, 5]\n \
         %2, %3 = torchvision.roi_pool.default(%0, %1, 1.0, 1, 1)\n output \"y\" = %2\n output \"p\" = %3";
    let region = tensor(&[1, 5], &[0.0, 0.0, 0.0, 1.0, 1.0]);
    let made = ran(lines, &[&tensor(&[1, 1, 2, 2], &[f64::NAN, 1.0, 3.0, 2.0]), &region])
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(doubles(&made[0]), [3.0]);
    let lines = "input %0 \"x\": float64[1, 1, 3, 3]\n input %1 \"r\": float64[2, 5]\n \
         %2 = torchvision.roi_align.default(%0, %1, 1.0, 1, 1, -1, false)\n output \"y\" = %2";
    let regions = tensor(&[2, 5], &[0.0, f64::NAN, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 2.0, 2.0]);
    let made = ran(lines, &[&tensor(&[1, 1, 3, 3], &[1.0; 9]), &regions]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(doubles(&made[0])[1], 1.0);
}

#[test]
fn a_tangent_that_is_zero_has_the_dtype_of_what_it_is_a_tangent_of() {
    let lines = "input %0 \"x\": float32[2, 4]\n input %1 \"y\": float64[3]\n \
         %2 = aten._new_zeros_with_same_feature_meta.default(%0, %1, self_num_batch_dims=1)\n output \"y\" = %2";
    let graph = parse(&graph(lines)).unwrap_or_else(|e| panic!("{e}"));
    let litz::ir::OutputValue::Tensor(y) = graph.outputs[0].value else { panic!("a number") };
    assert_eq!(graph.meta(y).dtype, Dtype::Float64);
}

#[test]
fn a_step_of_adagrad_is_computed_in_the_dtype_of_its_parameter() {
    let lines = "input %0 \"p\": float64[1]\n input %1 \"g\": float64[1]\n input %2 \"s\": float64[1]\n input %3 \"n\": float32[]\n \
         aten._fused_adagrad_.default([%0], [%1], [%2], [%3], lr=0.1, lr_decay=0.1, weight_decay=0.0, eps=1e-10, maximize=false)\n \
         output \"y\" = %0";
    let steps = Tensor::from_bytes(Dtype::Float32, &[], &3f32.to_ne_bytes()).expect("memory");
    let given = [tensor(&[1], &[1.0]), tensor(&[1], &[0.3]), tensor(&[1], &[0.25])];
    let made = ran(lines, &[&given[0], &given[1], &given[2], &steps]).unwrap_or_else(|e| panic!("{e}"));
    let want = 1.0 - 0.1 / (1.0 + 2.0 * 0.1) * 0.3 / (f64::sqrt(0.25 + 0.09) + 1e-10);
    assert!((doubles(&made[0])[0] - want).abs() < 1e-15, "{:?}, not {want}", doubles(&made[0]));
}

#[test]
fn what_is_written_over_a_part_takes_the_dtype_of_the_whole() {
    for (call, want) in [
        ("slice_scatter.default(%0, %1, 0, 1, 3, 1)", [1.0, 7.0, 8.0, 4.0]),
        ("as_strided_scatter.default(%0, %1, [2], [2], 1)", [1.0, 7.0, 3.0, 8.0]),
        ("select_scatter.default(%2, %1, 0, 1)", [1.0, 2.0, 7.0, 8.0]),
        ("diagonal_scatter.default(%2, %1, 0, 0, 1)", [7.0, 2.0, 3.0, 8.0]),
    ] {
        let lines = format!(
            "input %0 \"x\": float64[4]\n input %1 \"part\": int32[2]\n %2 = aten.view.default(%0, [2, 2])\n \
             %3 = aten.{call}\n output \"y\" = %3"
        );
        let part = [7i32, 8].map(i32::to_ne_bytes).concat();
        let part = Tensor::from_bytes(Dtype::Int32, &[2], &part).expect("memory");
        let made = ran(&lines, &[&tensor(&[4], &[1.0, 2.0, 3.0, 4.0]), &part])
            .unwrap_or_else(|e| panic!("{call}: {e}"));
        assert_eq!((made[0].dtype(), doubles(&made[0])), (Dtype::Float64, want.to_vec()), "{call}");
    }
}
