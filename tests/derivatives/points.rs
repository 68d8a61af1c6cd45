//! Derivatives where formulas have corners, ties, zeros or poles: shared as in PyTorch, finite in both modes, and differentiated
//! again as differences say.

use super::{STEP, Slopes, graph_of, loss};
use litz::ir::{Arg, Graph, OutputValue, Value};
use litz::meta::Builder;
use litz::session;
use litz::types::Dtype;

/// Tensors that calls name beside `%0` and `%1`.
const GIVEN: &str = "%3 = aten.full.default([2, 3], 3.0, dtype=float64)\n  %4 = aten.full.default([1], 0.25, dtype=float64)\n  \
         %5 = aten.full.default([2, 3], -1.0, dtype=float64)\n  %2 = ";

/// What PyTorch 2.15 gives for the sum of each result, where `%0` is [1, 2, 3, 2, 0, 3] and `%1` is [2, 2, 1, 2, 0, 3].
const TIES: &[(&str, [f64; 6], [f64; 6])] = &[
    ("aten.maximum.default(%0, %1)", [0.0, 0.5, 1.0, 0.5, 0.5, 0.5], [1.0, 0.5, 0.0, 0.5, 0.5, 0.5]),
    ("aten.minimum.default(%0, %1)", [1.0, 0.5, 0.0, 0.5, 0.5, 0.5], [0.0, 0.5, 1.0, 0.5, 0.5, 0.5]),
    ("aten.fmax.default(%0, %1)", [0.0, 0.5, 1.0, 0.5, 0.5, 0.5], [1.0, 0.5, 0.0, 0.5, 0.5, 0.5]),
    ("aten.fmin.default(%0, %1)", [1.0, 0.5, 0.0, 0.5, 0.5, 0.5], [0.0, 0.5, 1.0, 0.5, 0.5, 0.5]),
    ("aten.clamp_min.Tensor(%0, %1)", [0.0, 0.5, 1.0, 0.5, 0.5, 0.5], [1.0, 0.5, 0.0, 0.5, 0.5, 0.5]),
    ("aten.clamp_max.Tensor(%0, %1)", [1.0, 0.5, 0.0, 0.5, 0.5, 0.5], [0.0, 0.5, 1.0, 0.5, 0.5, 0.5]),
    ("aten.clamp.Tensor(%0, %1)", [0.0, 0.5, 1.0, 0.5, 0.5, 0.5], [1.0, 0.5, 0.0, 0.5, 0.5, 0.5]),
    ("aten.clamp.Tensor(%0, None, %1)", [1.0, 0.5, 0.0, 0.5, 0.5, 0.5], [0.0, 0.5, 1.0, 0.5, 0.5, 0.5]),
    ("aten.clamp.Tensor(%0, %1, %3)", [0.0, 0.5, 0.5, 0.5, 0.5, 1.0], [1.0, 0.5, 0.0, 0.5, 0.5, 0.0]),
    ("aten.clamp.Tensor(%0, %3, %1)", [0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]),
    ("aten.clamp.default(%0, 2.0, 3.0)", [0.0; 6], [0.0; 6]),
    ("aten.clamp_min.default(%0, 2.0)", [0.0, 0.0, 1.0, 0.0, 0.0, 1.0], [0.0; 6]),
    ("aten.clamp_max.default(%0, 2.0)", [1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0; 6]),
    ("aten.relu.default(%0)", [1.0, 1.0, 1.0, 1.0, 0.0, 1.0], [0.0; 6]),
    ("aten.prelu.default(%0, %4)", [1.0, 1.0, 1.0, 1.0, 0.25, 1.0], [0.0; 6]),
    ("aten.median.default(%0)", [0.0, 0.5, 0.0, 0.5, 0.0, 0.0], [0.0; 6]),
    ("aten.nanmedian.default(%0)", [0.0, 0.5, 0.0, 0.5, 0.0, 0.0], [0.0; 6]),
    ("aten.max.default(%0)", [0.0, 0.0, 0.5, 0.0, 0.0, 0.5], [0.0; 6]),
    ("aten.amin.default(%0, [1])", [1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0; 6]),
    (
        "aten.hinge_embedding_loss.default(%0, %5, 2.0)",
        [-1.0 / 6.0, 0.0, 0.0, 0.0, -1.0 / 6.0, 0.0],
        [0.0; 6],
    ),
];

/// The sum of a value's elements, or of all elements of several values.
fn sum(graph: &mut Graph, values: &[Value]) -> Value {
    let mut builder = Builder::new(graph);
    let mut op = |name: &str, args: &[Value]| {
        builder.op(name, args.iter().map(|v| Arg::Value(*v)).collect()).expect("an operator")
    };
    let sums: Vec<Value> = values.iter().map(|v| op("aten.sum.default", &[*v])).collect();
    sums.into_iter().reduce(|a, b| op("aten.add.Tensor", &[a, b])).expect("a value")
}

/// The graph of a call of one line, or of several lines that name their result.
fn graph_at(call: &str) -> Graph {
    graph_of(&if call.starts_with('%') { call.to_string() } else { format!("{GIVEN}{call}") })
}

/// The sum of a call's result, and the graph that gives it.
fn total(call: &str) -> (Graph, Value) {
    let mut graph = graph_at(call);
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("{call}: a number") };
    let total = sum(&mut graph, &[z]);
    (graph, total)
}

/// The gradients of a call's sum at some elements, zeros where there is none; and how it moves if all elements move alike.
fn at(call: &str, inputs: &[Vec<f64>; 2]) -> (Vec<Vec<f64>>, f64) {
    let (graph, value) = total(call);
    let given = [graph.inputs[0].value, graph.inputs[1].value];
    let found =
        session::differentiate(&graph, &[value], None, &given).unwrap_or_else(|e| panic!("{call}: {e}"));
    let slopes = Slopes::of(found.graph, value, &found.gradients).at(inputs);
    let mut slopes = slopes.into_iter().skip(1);
    let mut next = |gradient: &Option<Value>| gradient.and_then(|_| slopes.next()).unwrap_or(vec![0.0; 6]);
    let gradients = found.gradients.iter().map(&mut next).collect();

    let (mut graph, value) = total(call);
    let along: Vec<(Value, Option<Value>)> = given
        .iter()
        .map(|v| {
            let ones = Builder::new(&mut graph).op("aten.ones_like.default", vec![Arg::Value(*v)]);
            (*v, Some(ones.expect("ones")))
        })
        .collect();
    let ahead =
        session::differentiate_forward(&graph, &[value], &along).unwrap_or_else(|e| panic!("{call}: {e}"));
    let moved = ahead.gradients[0].map(|v| Slopes::of(ahead.graph, v, &[None, None]).at(inputs)[0][0]);
    (gradients, moved.unwrap_or(0.0))
}

#[test]
fn equal_elements_share_gradients_as_in_pytorch() {
    let inputs = [vec![1.0, 2.0, 3.0, 2.0, 0.0, 3.0], vec![2.0, 2.0, 1.0, 2.0, 0.0, 3.0]];
    for (call, by_x, by_y) in TIES {
        let (found, moved) = at(call, &inputs);
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(&found[0], by_x), "{call}, by x: {found:?}");
        assert!(near(&found[1], by_y), "{call}, by y: {found:?}");
        let want: f64 = by_x.iter().chain(by_y).sum();
        assert!((moved - want).abs() < 1e-12, "{call}, forward mode: {moved}, not {want}");
    }
}

/// Calls whose formulas divide by zero, or take its logarithm, where they do not choose what comes of it.
const CORNERS: &[&str] = &[
    "aten.atan2.default(%0, %1)",
    "aten.pow.Tensor_Tensor(%0, %3)",
    "aten.pow.Scalar(0.0, %0)",
    "aten.float_power.Tensor_Tensor(%0, %3)",
    "aten.xlogy.Tensor(%0, %3)",
    "aten.logit.default(%0, 0.2)",
    "aten.sinc.default(%0)",
    "aten.std.correction(%0, [1])",
    "aten.linalg_vector_norm.default(%0)",
    "aten.linalg_vector_norm.default(%0, 3.0, [1])",
    "aten.linalg_vector_norm.default(%0, 1.5, [1])",
    "aten.linalg_norm.default(%0)",
    "aten.cumprod.default(%0, 1)",
    "%3 = aten.gt.Scalar(%0, -1.0)\n  %4 = aten.masked_select.default(%0, %3)\n  %2 = aten.cumprod.default(%4, 0)",
    "aten.prod.default(%0)",
    "aten.prod.dim_int(%0, 1)",
    "aten.huber_loss.default(%0, %1)",
    "aten.smooth_l1_loss.default(%0, %1)",
    "aten.binary_cross_entropy.default(%0, %1)",
];

/// No gradient, no derivative in forward mode and no second derivative is NaN or infinite at zero.
#[test]
fn derivatives_are_finite_at_zero() {
    let inputs = [vec![0.0; 6], vec![0.0; 6]];
    for call in CORNERS {
        let (found, moved) = at(call, &inputs);
        let sum: f64 = found.iter().flatten().sum();
        assert!(sum.is_finite() && (moved - sum).abs() < 1e-12, "{call}: {found:?}, forward mode {moved}");
        let (graph, value) = total(call);
        let given = [graph.inputs[0].value, graph.inputs[1].value];
        let first = session::differentiate(&graph, &[value], None, &given).expect("gradients");
        let mut graph = first.graph;
        let gradients: Vec<Value> = first.gradients.into_iter().flatten().collect();
        let slope = self::sum(&mut graph, &gradients);
        let second = session::differentiate(&graph, &[slope], None, &given).expect("second gradients");
        let found = Slopes::of(second.graph, slope, &second.gradients).at(&inputs);
        assert!(found.iter().flatten().all(|v| v.is_finite()), "{call}, again: {found:?}");
    }
}

/// What is smooth, at elements some of which are zero or equal.
const SMOOTH: &[&str] = &[
    "aten.cumprod.default(%0, 1)",
    "aten.cumprod.default(%0, 0)",
    "aten.prod.default(%0)",
    "aten.prod.dim_int(%0, 1)",
    "aten.sinc.default(%0)",
    "aten.huber_loss.default(%0, %1, 0)",
    "aten.smooth_l1_loss.default(%0, %1, 0)",
    "aten.mul.Tensor(%0, %1)",
    // Factors that meet at places which data give, and as many factors as data say.
    "%3 = aten.full.default([2, 3], 0, dtype=int64)\n  %2 = aten.scatter_reduce.two(%0, 1, %3, %1, \"prod\")",
    "%3 = aten.gt.Scalar(%0, -1.0)\n  %4 = aten.masked_select.default(%0, %3)\n  %2 = aten.cumprod.default(%4, 0)",
];

const SOME_ZEROS: [[f64; 6]; 2] = [[0.0, 0.5, 0.7, 0.3, 0.0, 0.9], [0.0, 0.5, 0.4, 0.3, 0.8, 0.9]];

#[test]
fn forward_mode_at_zero_is_reverse_mode_along_a_direction() {
    for call in SMOOTH {
        let (found, moved) = at(call, &SOME_ZEROS.map(Vec::from));
        let sum: f64 = found.iter().flatten().sum();
        assert!((moved - sum).abs() < 1e-12, "{call}: {moved}, and reverse mode has {sum}");
    }
}

#[test]
fn curvature_at_zero_is_that_of_differences() {
    let inputs = SOME_ZEROS.map(Vec::from);
    for call in SMOOTH {
        let mut graph = graph_at(call);
        let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("{call}: a number") };
        let mut builder = Builder::new(&mut graph);
        let square = builder.op("aten.exp.default", vec![Arg::Value(z)]).expect("an exponential");
        let value = sum(&mut graph, &[square]);
        let given = [graph.inputs[0].value, graph.inputs[1].value];
        let first = session::differentiate(&graph, &[value], None, &given).expect("gradients");
        let mut graph = first.graph;
        let mut parts = Vec::new();
        for gradient in first.gradients.iter().flatten() {
            // Weights that differ, so that all second derivatives count, those of gradients of zero too.
            parts.push(weighted(&mut graph, *gradient));
        }
        let slope = sum(&mut graph, &parts);
        let second = session::differentiate(&graph, &[slope], None, &given).expect("second gradients");
        let slopes = Slopes::of(second.graph, slope, &second.gradients);
        assert_eq!(slopes.wrong_at(&inputs, STEP), None, "{call}");
    }
}

/// The gradient of a call's exponentials by `%0`, differentiated again until it is the derivative of this order. Weights that differ make
/// all of its terms count.
fn derived(call: &str, order: usize, inputs: &[Vec<f64>; 2]) -> Vec<f64> {
    let mut graph = graph_at(call);
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("{call}: a number") };
    let mut of = Builder::new(&mut graph).op("aten.exp.default", vec![Arg::Value(z)]).expect("exponentials");
    let x = graph.inputs[0].value;
    for k in 0..order {
        let value = if k == 0 { sum(&mut graph, &[of]) } else { weighted(&mut graph, of) };
        let found = session::differentiate(&graph, &[value], None, &[x]).expect("a derivative");
        of = found.gradients[0].expect("it depends on x");
        graph = found.graph;
    }
    let total = sum(&mut graph, &[of]);
    Slopes::of(graph, total, &[Some(of), None]).at(inputs)[1].clone()
}

/// The sum of a matrix's elements, each with a weight of its own.
fn weighted(graph: &mut Graph, matrix: Value) -> Value {
    let [two, three, six] = [2, 3, 6].map(|n| graph.syms.constant(n));
    let mut builder = Builder::new(graph);
    let dtype = vec![("dtype", Arg::Dtype(Dtype::Float64))];
    let weights = builder.op_with("aten.arange.default", vec![Arg::Int(six)], dtype).expect("numbers");
    let weights = builder
        .op("aten.reshape.default", vec![Arg::Value(weights), Arg::Ints(vec![two, three])])
        .expect("a matrix");
    let weights = builder.op("aten.cos.default", vec![Arg::Value(weights)]).expect("cosines");
    let part =
        builder.op("aten.mul.Tensor", vec![Arg::Value(matrix), Arg::Value(weights)]).expect("a product");
    sum(graph, &[part])
}

/// A line whose size data give has the derivatives of one whose size is known, however many zeros there are.
#[test]
fn products_so_far_have_all_derivatives_at_zeros() {
    let known = "%3 = aten.reshape.default(%0, [6])\n  %2 = aten.cumprod.default(%3, 0)";
    let chosen = "%3 = aten.gt.Scalar(%0, -1.0)\n  %4 = aten.masked_select.default(%0, %3)\n  %2 = aten.cumprod.default(%4, 0)";
    for x in [
        vec![0.4, 0.5, 0.7, 0.3, 0.8, 0.9],
        vec![0.4, 0.0, 0.7, 0.3, 0.8, 0.9],
        vec![0.4, 0.0, 0.7, 0.3, 0.0, 0.9],
        vec![0.0, 0.5, 0.0, 0.0, 0.8, 0.9],
        vec![0.0; 6],
    ] {
        let inputs = [x, vec![0.0; 6]];
        for order in 1..=4 {
            let (want, found) = (derived(known, order, &inputs), derived(chosen, order, &inputs));
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * a.abs().max(1.0);
            assert!(want.iter().zip(&found).all(is_near), "{order}, {:?}: {want:?}, {found:?}", inputs[0]);
        }
    }
}

/// Windows of three dimensions that overlap: what adds them up reads rows of rows, which bounds have to be proved for.
#[test]
fn transposed_convolutions_of_volumes_are_differentiated_again() {
    let text = "graph \"g\" {\n  input %0 \"x\": float64[2, 3]\n  input %1 \"y\": float64[2, 3]\n  \
         %3 = aten.reshape.default(%0, [1, 1, 2, 1, 3])\n  %4 = aten.expand.default(%3, [1, 1, 2, 3, 3])\n  \
         %5 = aten.reshape.default(%1, [1, 1, 1, 2, 3])\n  %6 = aten.expand.default(%5, [1, 1, 3, 2, 3])\n  \
         %7 = aten.constant_pad_nd.default(%6, [1, 1, 1, 1])\n  \
         %2 = aten.conv_transpose3d.input(%4, %7, None, [2, 2, 2], [1, 1, 1], [1, 1, 1])\n  output \"z\" = %2\n}\n";
    let mut graph = litz::meta::text::parse(text).expect("it parses");
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("a number") };
    let value = loss(&mut graph, z);
    let given = [graph.inputs[0].value, graph.inputs[1].value];
    let first = session::differentiate(&graph, &[value], None, &given).expect("gradients");
    let mut graph = first.graph;
    let gradients: Vec<Value> = first.gradients.into_iter().flatten().collect();
    let parts: Vec<Value> = gradients.iter().map(|g| loss(&mut graph, *g)).collect();
    let slope = sum(&mut graph, &parts);
    let second = session::differentiate(&graph, &[slope], None, &given).expect("second gradients");
    assert_eq!(Slopes::of(second.graph, slope, &second.gradients).wrong(), None);
}

/// A mask chooses how many rows an operator writes: its count is read before what it is the size of, in forward mode too.
#[test]
fn forward_mode_reads_the_sizes_that_data_give() {
    let text = "graph \"g\" {\n  input %0 \"x\": float64[2, 3]\n  input %1 \"y\": float64[2, 3]\n  \
         %3 = aten.gt.Scalar(%0, 0.5)\n  %4 = aten.select.int(%3, 1, 0)\n  %5 = aten.select.int(%1, 0, 0)\n  \
         %2 = aten.index_put.default(%0, [%4], %5)\n  output \"z\" = %2\n}\n";
    let mut graph = litz::meta::text::parse(text).expect("it parses");
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("a number") };
    let value = sum(&mut graph, &[z]);
    let (x, y) = (graph.inputs[0].value, graph.inputs[1].value);
    let ahead = session::differentiate_forward(&graph, &[value], &[(x, Some(y)), (y, Some(x))])
        .expect("forward mode");
    let moved = ahead.gradients[0].expect("it moves");
    let inputs = [vec![0.7, 0.1, 0.2, 0.3, 0.4, 0.5], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]];
    let found = Slopes::of(ahead.graph, moved, &[None, None]).at(&inputs);
    // The first row moves as the first row of x, the second as that of y.
    assert!((found[0][0] - (0.7 + 0.1 + 0.2 + 4.0 + 5.0 + 6.0)).abs() < 1e-12, "{found:?}");
}

/// An energy over a spectrum: real inside and out of complex numbers. Its gradients are appended, and differentiated again.
#[test]
fn graphs_with_complex_numbers_are_differentiated_again() {
    super::common::linear_algebra();
    for call in [
        "%3 = aten.fft_rfft.default(%0)\n  %4 = aten.abs.default(%3)\n  %5 = aten.pow.Tensor_Scalar(%4, 3.0)\n  \
         %6 = aten.sum.dim_IntList(%5, [1], true)\n  %2 = aten.mul.Tensor(%6, %1)",
        "%3 = aten.complex.default(%0, %1)\n  %4 = aten.exp.default(%3)\n  %5 = aten.mul.Tensor(%4, %3)\n  \
         %6 = aten.real.default(%5)\n  %7 = aten.imag.default(%4)\n  %2 = aten.mul.Tensor(%6, %7)",
    ] {
        let mut graph = graph_of(call);
        let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("a number") };
        let value = sum(&mut graph, &[z]);
        let given = [graph.inputs[0].value, graph.inputs[1].value];
        let first =
            session::differentiate(&graph, &[value], None, &given).unwrap_or_else(|e| panic!("{call}: {e}"));
        let places = first.places.expect("complex numbers are split");
        let mut graph = first.graph;
        assert_eq!(Slopes::of(graph.clone(), places[value], &first.gradients).wrong(), None, "{call}");
        let gradients: Vec<Value> = first.gradients.into_iter().flatten().collect();
        let parts: Vec<Value> = gradients.iter().map(|g| loss(&mut graph, *g)).collect();
        let slope = sum(&mut graph, &parts);
        let given = [graph.inputs[0].value, graph.inputs[1].value];
        let second = session::differentiate(&graph, &[slope], None, &given).expect("second gradients");
        let slope = second.places.map_or(slope, |p| p[slope]);
        assert_eq!(Slopes::of(second.graph, slope, &second.gradients).wrong(), None, "{call}, again");
    }
}

/// Where a norm is zero it has no slope; 0 is taken, as PyTorch does, and never what is no number.
#[test]
fn norms_have_no_slope_at_zero() {
    for call in [
        "%2 = aten.linalg_vector_norm.default(%0)",
        "%2 = aten.linalg_norm.default(%0)",
        "%2 = aten.linalg_matrix_norm.str_ord(%0, \"fro\")",
        "%2 = aten.frobenius_norm.dim(%0, [1])",
        "%2 = aten.dist.default(%0, %1)",
        "%2 = aten.dist.default(%0, %1, 3)",
        "%2 = aten.pairwise_distance.default(%0, %1, 2, 0.0)",
        "%2 = aten.cdist.default(%0, %1)",
    ] {
        let mut graph = graph_of(call);
        let (x, y) = (graph.inputs[0].value, graph.inputs[1].value);
        let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("{call}: a number") };
        let total =
            Builder::new(&mut graph).op("aten.sum.default", vec![Arg::Value(z)]).expect("a sum of norms");
        let found =
            session::differentiate(&graph, &[total], None, &[x, y]).unwrap_or_else(|e| panic!("{call}: {e}"));
        let slopes = Slopes::of(found.graph, total, &found.gradients).at(&[vec![0.0; 6], vec![0.0; 6]]);
        assert!(slopes.len() > 1, "{call}: no gradient");
        assert!(slopes.iter().flatten().all(|slope| *slope == 0.0), "{call}: {slopes:?}");
    }
}

/// The gradient of a mean of nothing is a tensor of no elements, and moves with the mean's cotangent by 0.
#[test]
fn a_mean_of_nothing_moves_by_zero() {
    for mean in [
        "aten.mean.default(%3)",
        "aten.mse_loss.default(%3, %3)",
        "aten.binary_cross_entropy.default(%3, %3)",
        "aten.smooth_l1_loss.default(%3, %3)",
    ] {
        let mut graph = graph_of(&format!(
            "%3 = aten.slice.Tensor(%0, 0, 0, 0)\n  %4 = {mean}\n  %2 = aten.mul.Tensor(%4, %1)"
        ));
        let (x, y) = (graph.inputs[0].value, graph.inputs[1].value);
        let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("{mean}: a number") };
        let total = sum(&mut graph, &[z]);
        let first = session::differentiate(&graph, &[total], None, &[x]).expect("a gradient");
        let mut graph = first.graph;
        let slope = sum(&mut graph, &[first.gradients[0].expect("it depends on x")]);
        let second = session::differentiate(&graph, &[slope], None, &[x, y]).expect("a second gradient");
        let found = Slopes::of(second.graph, slope, &second.gradients).at(&[vec![0.5; 6], vec![0.5; 6]]);
        assert!(found.iter().flatten().all(|v| *v == 0.0), "{mean}: {found:?}");
    }
}
