//! Gradients that are easy to get wrong: values of several results, derivatives within a loss, parts that are written over, in-place
//! products, buffers that are written to, masked NaN, and budgets over sizes that data give.

use super::{described, options, read, step, trained};
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Training};
use litz::types::Dtype;

/// Every way to divide a program, on both backends.
fn ways() -> impl Iterator<Item = Vec<(&'static str, &'static str)>> {
    let divided = [
        ("training.partitioner", "default"),
        ("training.partitioner", "min_cut"),
        ("training.partitioner", "memory_efficient"),
        ("training.budget", "0.5"),
        ("training.budget", "0"),
    ];
    divided.into_iter().flat_map(|way| ["interpreter", "cpu"].map(|backend| vec![("backend", backend), way]))
}

fn tensor(shape: &[i64], values: &[f32]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
    Tensor::from_bytes(Dtype::Float32, shape, &bytes).expect("memory")
}

fn near(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-5 * b.abs().max(1.0))
}

/// Each program's text behind its header, its inputs, and the gradients by them.
type Case = (&'static [&'static str], &'static [&'static str], Vec<Tensor>, Vec<Vec<f32>>);

fn check(name: &str, (inputs, nodes, given, want): Case) {
    let loss = inputs.len() - 1 + nodes.len();
    for way in ways() {
        let training = trained(inputs, nodes, loss, &way);
        let found = step(&training, &given, 1);
        for (k, (found, want)) in found[1..].iter().zip(&want).enumerate() {
            assert!(near(found, want), "{name}, {way:?}, by input {k}: {found:?}, not {want:?}");
        }
    }
}

/// What an operator of several results gives is kept or computed again, whichever of them the backward reads.
#[test]
fn operators_of_several_results_are_divided() {
    let training = |way: &[(&str, &str)]| {
        let nodes = [
            "%1, %2 = aten.topk.default(%0, 3)",
            "%3, %4, %5 = aten.native_layer_norm.default(%1, [3], None, None, 1e-05)",
            "%6 = aten.exp.default(%3)",
            "%7 = aten.mul.Tensor(%6, %4)",
            "%8 = aten.mul.Tensor(%7, %5)",
            "%9 = aten.sum.default(%8)",
        ];
        trained(&["\"x\": float32[4, 5]"], &nodes, 9, way)
    };
    let x: Vec<f32> = (0..20).map(|k| ((k * 7 % 20) as f32) / 10.0).collect();
    let want = step(&training(&[]), &[tensor(&[4, 5], &x)], 1);
    assert_eq!(want[1].iter().filter(|g| **g != 0.0).count(), 12);
    for way in ways() {
        let found = step(&training(&way), &[tensor(&[4, 5], &x)], 1);
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-3;
        assert!(found[1].iter().zip(&want[1]).all(is_near), "{way:?}: {found:?}, not {want:?}");
    }
}

/// The loss holds a gradient, `3 x^2 w`, squared: `9 x^4 w^2`. Its own gradients are `36 x^3 w^2` and `18 x^4 w`.
#[test]
fn a_loss_that_holds_a_gradient_has_all_of_its_own() {
    let text = "graph \"g\" {\n  input %0 \"x\": float32[3]\n  input %1 \"w\": float32[3]\n  \
         %2 = aten.pow.Tensor_Scalar(%0, 3.0)\n  %3 = aten.mul.Tensor(%2, %1)\n  %4 = aten.sum.default(%3)\n}\n";
    let graph = parse(text).expect("it parses");
    let energy = graph.nodes[*graph.order.iter().next_back().expect("a node")].outputs[0];
    let x = graph.inputs[0].value;
    let made = session::differentiate(&graph, &[energy], None, &[x]).expect("a gradient");
    let force = made.gradients[0].expect("one");
    let mut graph = made.graph;
    let mut build = litz::meta::Builder::new(&mut graph);
    let mut op = |name: &str, args: Vec<litz::ir::Arg>| build.op(name, args).expect("an operator");
    let square = op("aten.square.default", vec![litz::ir::Arg::Value(force)]);
    let loss = op("aten.sum.default", vec![litz::ir::Arg::Value(square)]);
    graph.add_output("loss", litz::ir::OutputValue::Tensor(loss));
    let (x, w) = ([0.5f32, -1.0, 2.0], [2.0f32, 3.0, -1.0]);
    let by_x: Vec<f32> = x.iter().zip(w).map(|(x, w)| 36.0 * x.powi(3) * w * w).collect();
    let by_w: Vec<f32> = x.iter().zip(w).map(|(x, w)| 18.0 * x.powi(4) * w).collect();
    for way in ways() {
        let training = Training::compile(&graph, &options(&way)).expect("it compiles");
        let found = step(&training, &[tensor(&[3], &x), tensor(&[3], &w)], 1);
        assert!(near(&found[1], &by_x) && near(&found[2], &by_w), "{way:?}: {found:?}");
    }
}

/// What is written over has no gradient where it was, and what is written has it.
#[test]
fn parts_that_are_written_over_share_the_gradient() {
    let weights = "%2 = aten.arange.default(6, dtype=float32)";
    let shaped = "%3 = aten.reshape.default(%2, [2, 3])";
    let end: [&str; 2] = ["%5 = aten.mul.Tensor(%4, %3)", "%6 = aten.sum.default(%5)"];
    for (call, size, by_x, by_y) in [
        (
            "%4 = aten.slice_scatter.default(%0, %1, 1, 0, 3, 2)",
            vec![2, 2],
            vec![0.0, 1.0, 0.0, 0.0, 4.0, 0.0],
            vec![0.0, 2.0, 3.0, 5.0],
        ),
        (
            "%4 = aten.select_scatter.default(%0, %1, 0, 1)",
            vec![3],
            vec![0.0, 1.0, 2.0, 0.0, 0.0, 0.0],
            vec![3.0, 4.0, 5.0],
        ),
        (
            "%4 = aten.diagonal_scatter.default(%0, %1)",
            vec![2],
            vec![0.0, 1.0, 2.0, 3.0, 0.0, 5.0],
            vec![0.0, 4.0],
        ),
        (
            "%4 = aten.as_strided_scatter.default(%0, %1, [2, 2], [1, 2], 1)",
            vec![2, 2],
            vec![0.0, 0.0, 0.0, 0.0, 0.0, 5.0],
            vec![1.0, 3.0, 2.0, 4.0],
        ),
    ] {
        let sizes: Vec<String> = size.iter().map(i64::to_string).collect();
        let y = format!("\"y\": float32[{}]", sizes.join(", "));
        let nodes = [weights, shaped, call, end[0], end[1]];
        for way in ways() {
            let training = trained(&["\"x\": float32[2, 3]", &y], &nodes, 6, &way);
            let count = size.iter().product::<i64>() as usize;
            let found = step(&training, &[tensor(&[2, 3], &[1.0; 6]), tensor(&size, &vec![2.0; count])], 1);
            assert_eq!((&found[1], &found[2]), (&by_x, &by_y), "{call}, {way:?}");
        }
    }
}

/// A copy of x, a column of which is multiplied by y in place, then all of it by itself: `x^2`, and `(x y)^2` in the column.
#[test]
fn products_in_place_have_the_gradients_of_what_they_were() {
    let nodes: &[&str] = &[
        "%2 = aten.clone.default(%0)",
        "%3 = aten.select.int(%2, 1, 0)",
        "%4 = aten.mul_.Tensor(%3, %1)",
        "%5 = aten.mul_.Tensor(%2, %2)",
        "%6 = aten.sum.default(%2)",
    ];
    let given = vec![tensor(&[2, 2], &[1.0, 2.0, 3.0, 4.0]), tensor(&[2], &[5.0, -2.0])];
    let want = vec![vec![50.0, 4.0, 24.0, 8.0], vec![10.0, -36.0]];
    check("a product in place", (&["\"x\": float32[2, 2]", "\"y\": float32[2]"], nodes, given, want));
}

/// A view of a buffer is read before the buffer is written to, and another after: each with what the buffer held then.
#[test]
fn views_of_a_written_buffer_have_the_values_of_their_time() {
    let text = "graph \"g\" {\n  input %0 \"x\": float32[2]\n  buffer %1 \"b\": float32[4] = [1.0, 2.0, 3.0, 4.0]\n  \
         %2 = aten.slice.Tensor(%1, 0, 1, 3)\n  %3 = aten.mul.Tensor(%2, %0)\n  %4 = aten.mul_.Scalar(%1, 10.0)\n  \
         %5 = aten.mul.Tensor(%2, %0)\n  %6 = aten.mul.Tensor(%3, %5)\n  %7 = aten.sum.default(%6)\n  \
         output \"loss\" = %7\n}\n";
    let graph = parse(text).expect("it parses");
    for way in ways() {
        let training = Training::compile(&graph, &options(&way)).expect("it compiles");
        for times in [1.0f32, 100.0] {
            // (b x) (10 b x), by x: 20 b^2 x; in the next forward b is ten times as much.
            let found = step(&training, &[tensor(&[2], &[1.0, -1.0])], 1);
            let want = [20.0 * 4.0 * times, -20.0 * 9.0 * times];
            assert!(near(&found[1], &want), "{way:?}: {:?}, not {want:?}", found[1]);
        }
        let held = training.constant("b").expect("it is there");
        assert_eq!(read(&held), [100.0, 200.0, 300.0, 400.0], "{way:?}");
    }
}

/// What a mask leaves out has a gradient of zero, not of zero times NaN.
#[test]
fn a_mask_lets_no_nan_through() {
    let (nan, infinite) = (f32::NAN, f32::INFINITY);
    let x = || vec![tensor(&[4], &[1.0, nan, -infinite, 2.0])];
    for (name, nodes) in [
        (
            "where",
            &[
                "%1 = aten.abs.default(%0)",
                "%2 = aten.lt.Scalar(%1, 10.0)",
                "%3 = aten.mul.Scalar(%0, 3.0)",
                "%4 = aten.where.ScalarOther(%2, %3, 0.0)",
                "%5 = aten.sum.default(%4)",
            ][..],
        ),
        (
            "masked_fill",
            &[
                "%1 = aten.abs.default(%0)",
                "%2 = aten.lt.Scalar(%1, 10.0)",
                "%3 = aten.logical_not.default(%2)",
                "%4 = aten.mul.Scalar(%0, 3.0)",
                "%5 = aten.masked_fill.Scalar(%4, %3, 0.0)",
                "%6 = aten.sum.default(%5)",
            ],
        ),
        (
            "nan_to_num",
            &[
                "%1 = aten.nan_to_num.default(%0, 0.0, 0.0, 0.0)",
                "%2 = aten.mul.Scalar(%1, 3.0)",
                "%3 = aten.sum.default(%2)",
            ],
        ),
    ] {
        check(name, (&["\"x\": float32[4]"], nodes, x(), vec![vec![3.0, 0.0, 0.0, 3.0]]));
    }
    // Saturated probabilities: the slopes of their logarithms are infinite, PyTorch's of the loss are not.
    let nodes: &[&str] =
        &["%2 = aten.sigmoid.default(%0)", "%3 = aten.binary_cross_entropy.default(%2, %1, None, 2)"];
    let given = vec![tensor(&[4], &[-200.0, 200.0, -200.0, 200.0]), tensor(&[4], &[0.0, 1.0, 1.0, 0.0])];
    let want = vec![vec![0.0; 4], vec![100.0, -100.0, 100.0, -100.0]];
    check("binary_cross_entropy", (&["\"x\": float32[4]", "\"t\": float32[4]"], nodes, given, want));
}

/// Rows that a mask chooses, whose number a run alone knows: budgets are met as they are over sizes that are known, and change no gradient.
#[test]
fn budgets_hold_over_sizes_that_data_give() {
    let nodes = [
        "%2 = aten.select.int(%0, 1, 0)",
        "%3 = aten.gt.Scalar(%2, 0.0)",
        "%4 = aten.index.Tensor(%0, [%3])",
        "%5 = aten.mm.default(%4, %1)",
        "%6 = aten.tanh.default(%5)",
        "%7 = aten.mm.default(%6, %1)",
        "%8 = aten.exp.default(%7)",
        "%9 = aten.sum.default(%8)",
    ];
    let inputs = ["\"x\": float32[6, 3]", "\"w\": float32[3, 3]"];
    let x: Vec<f32> = (0..18).map(|k| ((k * 5 % 18) as f32 - 8.0) / 10.0).collect();
    let w: Vec<f32> = (0..9).map(|k| ((k * 4 % 9) as f32 - 4.0) / 5.0).collect();
    let given = || [tensor(&[6, 3], &x), tensor(&[3, 3], &w)];
    for backend in ["interpreter", "cpu"] {
        let want = step(&trained(&inputs, &nodes, 9, &[("backend", backend)]), &given(), 1);
        let mut before = [u64::MAX; 2];
        for budget in ["1", "0.7", "0.4", "0"] {
            let training = trained(&inputs, &nodes, 9, &[("backend", backend), ("training.budget", budget)]);
            let about = described(&training)["partition"].clone();
            let now =
                [&about["saved_bytes"], &about["budget"]["peak_bytes"]].map(|n| n.as_u64().expect("bytes"));
            assert!(now[0] <= before[0] && now[1] <= before[1], "{budget}: {about}, after {before:?}");
            before = now;
            let found = step(&training, &given(), 1);
            for (found, want) in found.iter().zip(&want) {
                assert!(near(found, want), "{backend}, {budget}: {found:?}, not {want:?}");
            }
        }
    }
}
