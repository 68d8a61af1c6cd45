//! Derivatives against differences: the slope of each rule, and of its slope, in float64 on the interpreter.

#[path = "derivatives/attention.rs"]
mod attention;
#[path = "derivatives/branches.rs"]
mod branches;
mod common;
#[path = "derivatives/formulas.rs"]
mod formulas;
#[path = "derivatives/layers.rs"]
mod layers;
#[path = "derivatives/linear_algebra.rs"]
mod linear_algebra;
#[path = "derivatives/loops.rs"]
mod loops;
#[path = "derivatives/placed.rs"]
mod placed;
#[path = "derivatives/points.rs"]
mod points;

use litz::ir::{Arg, Graph, OutputValue, Value};
use litz::meta::Builder;
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, BackendRequest, Executable, Options};
use litz::types::Dtype;

/// Calls on `%0` and `%1`, float64 of [2, 3] between 0 and 1, whose last result is `%2`.
const CALLS: &[&str] = &[
    "%2 = aten.add.Tensor(%0, %1, alpha=2.5)",
    "%2 = aten.sub.Tensor(%0, %1, alpha=0.5)",
    "%2 = aten.rsub.Tensor(%0, %1)",
    "%2 = aten.mul.Tensor(%0, %1)",
    "%2 = aten.div.Tensor(%0, %1)",
    "%2 = aten.pow.Tensor_Tensor(%0, %1)",
    "%2 = aten.pow.Tensor_Scalar(%0, 2.5)",
    "%2 = aten.pow.Scalar(1.7, %0)",
    "%2 = aten.atan2.default(%0, %1)",
    "%3 = aten.copy.default(%0, %1)\n  %2 = aten.mul.Tensor(%3, %0)",
    "%2 = aten.hypot.default(%0, %1)",
    "%2 = aten.logaddexp.default(%0, %1)",
    "%2 = aten.logaddexp2.default(%0, %1)",
    "%2 = aten.xlogy.Tensor(%0, %1)",
    "%2 = aten.special_xlog1py.default(%0, %1)",
    "%2 = aten.maximum.default(%0, %1)",
    "%2 = aten.fmin.default(%0, %1)",
    "%2 = aten.lerp.Tensor(%0, %1, %0)",
    "%2 = aten.addcmul.default(%0, %1, %0, value=0.7)",
    "%2 = aten.addcdiv.default(%0, %0, %1, value=0.7)",
    "%2 = aten.clamp.default(%0, 0.3, 0.6)",
    "%2 = aten.abs.default(%0)",
    "%2 = aten.square.default(%0)",
    "%2 = aten.reciprocal.default(%0)",
    "%2 = aten.sqrt.default(%0)",
    "%2 = aten.rsqrt.default(%0)",
    "%2 = aten.exp.default(%0)",
    "%2 = aten.exp2.default(%0)",
    "%2 = aten.expm1.default(%0)",
    "%2 = aten.log.default(%0)",
    "%2 = aten.log2.default(%0)",
    "%2 = aten.log10.default(%0)",
    "%2 = aten.log1p.default(%0)",
    "%2 = aten.sin.default(%0)",
    "%2 = aten.cos.default(%0)",
    "%2 = aten.tan.default(%0)",
    "%2 = aten.asin.default(%0)",
    "%2 = aten.acos.default(%0)",
    "%2 = aten.atan.default(%0)",
    "%2 = aten.sinh.default(%0)",
    "%2 = aten.cosh.default(%0)",
    "%2 = aten.tanh.default(%0)",
    "%2 = aten.asinh.default(%0)",
    "%2 = aten.atanh.default(%0)",
    "%2 = aten.sinc.default(%0)",
    "%2 = aten.erf.default(%0)",
    "%2 = aten.erfc.default(%0)",
    "%2 = aten.erfinv.default(%0)",
    "%2 = aten.lgamma.default(%0)",
    "%2 = aten.digamma.default(%0)",
    "%2 = aten.logit.default(%0)",
    "%2 = aten.special_entr.default(%0)",
    "%2 = aten.special_ndtr.default(%0)",
    "%2 = aten.special_ndtri.default(%0)",
    "%2 = aten.special_log_ndtr.default(%0)",
    "%2 = aten.special_i0.default(%0)",
    "%2 = aten.special_i0e.default(%0)",
    "%2 = aten.special_i1.default(%0)",
    "%2 = aten.special_i1e.default(%0)",
    "%2 = aten.special_erfcx.default(%0)",
    "%2 = aten.sigmoid.default(%0)",
    "%2 = aten.silu.default(%0)",
    "%2 = aten.mish.default(%0)",
    "%2 = aten.gelu.default(%0)",
    "%2 = aten.gelu.default(%0, approximate=\"tanh\")",
    "%2 = aten.elu.default(%0, 1.3)",
    "%2 = aten.celu.default(%0, 1.3)",
    "%2 = aten.selu.default(%0)",
    "%2 = aten.softplus.default(%0, 2.0)",
    "%2 = aten.log_sigmoid.default(%0)",
    "%2 = aten.hardswish.default(%0)",
    "%2 = aten.leaky_relu.default(%0, 0.2)",
    "%2 = aten.sum.dim_IntList(%0, [1])",
    "%2 = aten.mean.dim(%0, [0], true)",
    "%2 = aten.prod.dim_int(%0, 1)",
    "%2 = aten.prod.default(%0)",
    "%2 = aten.amax.default(%0, [1])",
    "%2 = aten.var.correction(%0, [1], correction=1)",
    "%2 = aten.std.correction(%0, [0], correction=0)",
    "%2 = aten.logsumexp.default(%0, [1])",
    "%2 = aten.linalg_vector_norm.default(%0, 3.0, [1])",
    "%2 = aten.cumsum.default(%0, 1)",
    "%2 = aten.cumprod.default(%0, 1)",
    "%2 = aten.logcumsumexp.default(%0, 1)",
    "%2 = aten.softmax.int(%0, 1)",
    "%2 = aten.log_softmax.int(%0, 0)",
    "%2 = aten.layer_norm.default(%0, [3], None, None, 0.00001)",
    "%2 = aten.rms_norm.default(%0, [3], None, 0.00001)",
    "%5 = aten.select.int(%1, 0, 0)\n  %2, %3, %4 = aten.native_batch_norm.default(%0, %5, %5, None, None, true, 0.1, 0.5)",
    "%2, %3, %4 = aten._native_batch_norm_legit.no_stats(%0, None, None, true, 0.1, 0.5)",
    "%3, %2, %4 = aten.native_batch_norm.default(%0, None, None, None, None, true, 0.1, 0.5)",
    "%3, %4, %2 = aten.native_batch_norm.default(%0, None, None, None, None, true, 0.1, 0.5)",
    "%3, %4, %2 = aten.native_group_norm.default(%0, None, None, 2, 3, 1, 1, 0.5)",
    "%2 = aten.linear.default(%0, %1)",
    "%2 = aten.unfold.default(%0, 1, 2, 1)",
    "%2 = aten.slice.Tensor(%0, 1, 1, 3)",
    "%2 = aten.diff.default(%0, 2, 1, %1)",
    "%2 = aten.repeat.default(%0, [2, 2])",
    "%2 = aten.constant_pad_nd.default(%0, [1, -1])",
    "%2 = aten.roll.default(%0, [1], [1])",
    "%2 = aten.where.ScalarOther(%1, %0, 0.5)",
    "%3 = aten.full.default([2, 2], -1, dtype=int64)\n  %2 = aten.take_along_dim.default(%0, %3, 1)",
    // An output padding of a stride or more, which the dilation allows.
    "%3 = aten.reshape.default(%0, [1, 1, 6])\n  %4 = aten.reshape.default(%1, [1, 2, 3])\n  \
     %2 = aten.conv_transpose1d.default(%3, %4, None, [1], [0], [1], 1, [2])",
    // Zeros for what only says where the gradient goes.
    "%2 = aten.threshold_backward.default(%1, %0, 0.5)",
];

/// Sizes of a difference, and how far a slope may be from it, relative and absolute.
const STEP: f64 = 1e-5;
const NEAR: f64 = 2e-5;

fn graph_of(call: &str) -> Graph {
    // A condition is no float.
    let call = match call.strip_prefix("%2 = aten.where") {
        Some(rest) => {
            format!("%3 = aten.gt.Scalar(%1, 0.5)\n  %2 = aten.where{}", rest.replacen("%1", "%3", 1))
        }
        None => call.to_string(),
    };
    let text = format!(
        "graph \"g\" {{\n  input %0 \"x\": float64[2, 3]\n  input %1 \"y\": float64[2, 3]\n  {call}\n  output \"z\" = %2\n}}\n"
    );
    parse(&text).unwrap_or_else(|e| panic!("{call}: {e}"))
}

/// The sum of squares of a tensor, appended.
fn loss(graph: &mut Graph, value: Value) -> Value {
    let mut builder = Builder::new(graph);
    let square =
        builder.op("aten.mul.Tensor", vec![Arg::Value(value), Arg::Value(value)]).expect("a product");
    builder.op("aten.sum.default", vec![Arg::Value(square)]).expect("a sum")
}

/// A program that gives one number and its gradients by both inputs.
struct Slopes {
    program: Executable,
    given: [bool; 2],
}

impl Slopes {
    fn of(mut graph: Graph, value: Value, gradients: &[Option<Value>]) -> Slopes {
        graph.outputs.clear();
        graph.add_output("loss", OutputValue::Tensor(value));
        for (k, gradient) in gradients.iter().enumerate() {
            if let Some(gradient) = gradient {
                // As it lies in memory: a repeated one has strides of 0.
                let gradient = &Builder::new(&mut graph)
                    .op("aten.contiguous.default", vec![Arg::Value(*gradient)])
                    .expect("it lies in order");
                graph.add_output(&format!("gradient {k}"), OutputValue::Tensor(*gradient));
            }
        }
        let mut options = Options::default();
        options.backend = BackendRequest::Interpreter;
        let program = session::compile(&graph, &options).expect("it compiles");
        Slopes { program, given: [gradients[0].is_some(), gradients[1].is_some()] }
    }
    fn at(&self, inputs: &[Vec<f64>; 2]) -> Vec<Vec<f64>> {
        let tensors: Vec<Tensor> = inputs
            .iter()
            .map(|v| {
                let bytes: Vec<u8> = v.iter().flat_map(|x| x.to_ne_bytes()).collect();
                Tensor::from_bytes(Dtype::Float64, &[2, 3], &bytes).expect("memory")
            })
            .collect();
        let results = self.program.run_tensors(&tensors.iter().collect::<Vec<_>>()).expect("it runs");
        let number = |b: &[u8]| f64::from_ne_bytes(b.try_into().expect("eight bytes"));
        results.iter().map(|t| t.bytes().chunks(8).map(number).collect()).collect()
    }
    /// What its gradients are wrong by, if they are.
    fn wrong(&self) -> Option<String> {
        let numbers = |seed: f64| (0..6).map(|k| 0.15 + ((k as f64 + seed) * 0.618_034) % 0.7).collect();
        self.wrong_at(&[numbers(0.3), numbers(3.7)], STEP)
    }
    /// The same at given elements.
    fn wrong_at(&self, inputs: &[Vec<f64>; 2], step: f64) -> Option<String> {
        let mut found = self.at(inputs).into_iter().skip(1);
        for (which, _) in self.given.iter().enumerate().filter(|(_, given)| **given) {
            let slope = found.next()?;
            for (k, slope) in slope.into_iter().enumerate() {
                let mut beside = [inputs.clone(), inputs.clone()];
                beside[0][which][k] += step;
                beside[1][which][k] -= step;
                let [more, less] = beside.map(|i| self.at(&i)[0][0]);
                let want = (more - less) / (2.0 * step);
                // A NaN is not near.
                let is_near = (slope - want).abs() <= NEAR * want.abs().max(1.0);
                if !is_near {
                    return Some(format!(
                        "by input {which}, element {k}: {slope}, and the difference is {want}"
                    ));
                }
            }
        }
        None
    }
}

#[test]
fn slopes_are_those_of_differences() {
    compare(CALLS.iter().map(|call| call.to_string()));
}

/// A step has no slope: rounding to quantised numbers counts as the identity where these are within their range, as in PyTorch.
#[test]
fn rounding_to_quantised_numbers_counts_as_the_identity_within_their_range() {
    for call in [
        "%2 = aten.fake_quantize_per_tensor_affine.default(%0, 0.1, 0, 0, 5)",
        "%3 = aten.full.default([2], 0.1)\n  %4 = aten.full.default([2], 0, dtype=int32)\n  \
         %2 = aten.fake_quantize_per_channel_affine.default(%0, %3, %4, 0, 0, 5)",
    ] {
        let mut graph = graph_of(call);
        let OutputValue::Tensor(result) = graph.outputs[0].value else { panic!("a tensor") };
        let total = Builder::new(&mut graph).op("aten.sum.default", vec![Arg::Value(result)]).expect("a sum");
        let input = graph.inputs[0].value;
        let made = session::differentiate(&graph, &[total], None, &[input]).expect("it has a gradient");
        let program = Slopes::of(made.graph, total, &[made.gradients[0], None]);
        let found = program.at(&[vec![0.2, 0.54, 0.56, -0.2, 0.0, 0.9], vec![1.0; 6]]);
        assert_eq!(found[1], [1.0, 1.0, 0.0, 0.0, 1.0, 0.0], "{call}");
    }
}

fn compare(calls: impl Iterator<Item = String>) {
    let mut wrong = Vec::new();
    for call in calls {
        let call = &*call;
        let mut graph = graph_of(call);
        let (x, y) = (graph.inputs[0].value, graph.inputs[1].value);
        let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("{call}: a number") };
        let total = loss(&mut graph, z);
        let first =
            session::differentiate(&graph, &[total], None, &[x, y]).unwrap_or_else(|e| panic!("{call}: {e}"));
        assert!(first.gradients.iter().any(Option::is_some), "{call}: no gradient at all");
        let (total, inputs) = (in_the_new(&first, total), first.graph.inputs.iter().map(|i| i.value));
        let inputs: Vec<Value> = inputs.collect();
        if let Some(why) = Slopes::of(first.graph.clone(), total, &first.gradients).wrong() {
            wrong.push(format!("{call}\n  {why}"));
        }
        // The slope's own slope.
        let mut graph = first.graph;
        let Some(gradient) = first.gradients[0] else { continue };
        let total = loss(&mut graph, gradient);
        let second = session::differentiate(&graph, &[total], None, &inputs)
            .unwrap_or_else(|e| panic!("{call}, twice: {e}"));
        let total = in_the_new(&second, total);
        if let Some(why) = Slopes::of(second.graph, total, &second.gradients).wrong() {
            wrong.push(format!("{call}, twice\n  {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where a tensor is after differentiating.
fn in_the_new(made: &session::Differentiated, value: Value) -> Value {
    made.places.as_ref().map_or(value, |places| places[value])
}

#[test]
fn forward_mode_is_reverse_mode_along_a_direction() {
    let calls = CALLS.iter().map(|call| call.to_string()).chain(placed::placed());
    let layers = layers::samplings().step_by(5).chain(layers::recurrences());
    compare_modes(calls.chain(layers).chain(branches::branches()));
}

/// Forward mode along `y` for `x` and along `x` for `y`, against the gradients of reverse mode, which are compared with differences.
fn compare_modes(calls: impl Iterator<Item = String>) {
    let mut wrong = Vec::new();
    for call in calls {
        let mut graph = graph_of(&call);
        let (x, y) = (graph.inputs[0].value, graph.inputs[1].value);
        let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("{call}: a number") };
        let total = loss(&mut graph, z);
        let back = session::differentiate(&graph, &[total], None, &[x, y]).expect("gradients");
        let total = in_the_new(&back, total);
        let [x, y] = [0, 1].map(|k| back.graph.inputs[k].value);
        let ahead = session::differentiate_forward(&back.graph, &[total], &[(x, Some(y)), (y, Some(x))])
            .unwrap_or_else(|e| panic!("{call}: {e}"));
        let gradients = back.gradients.iter().map(|g| g.map(|g| in_the_new(&ahead, g)));
        let gradients: Vec<Option<Value>> = gradients.collect();
        let (total, mut graph) = (in_the_new(&ahead, total), ahead.graph);
        let [x, y] = [0, 1].map(|k| graph.inputs[k].value);
        let mut sum = None;
        for (gradient, tangent) in gradients.iter().zip([y, x]) {
            let Some(gradient) = gradient else { continue };
            let mut builder = Builder::new(&mut graph);
            let product = builder.op("aten.mul.Tensor", vec![Arg::Value(*gradient), Arg::Value(tangent)]);
            let own = builder.op("aten.sum.default", vec![Arg::Value(product.expect("a product"))]);
            let own = own.expect("a sum");
            sum = Some(match sum {
                None => own,
                Some(before) => {
                    builder.op("aten.add.Tensor", vec![Arg::Value(before), Arg::Value(own)]).expect("a sum")
                }
            });
        }
        // None: nothing moves.
        let moved = ahead.gradients[0].unwrap_or_else(|| {
            let args = vec![Arg::Value(total)];
            Builder::new(&mut graph).op("aten.zeros_like.default", args).expect("zero")
        });
        let numbers = |seed: f64| (0..6).map(|k| 0.15 + ((k as f64 + seed) * 0.618_034) % 0.7).collect();
        let found = Slopes::of(graph, moved, &[sum, None]).at(&[numbers(0.3), numbers(3.7)]);
        let (have, want) = (found[0][0], found[1][0]);
        let is_near = (have - want).abs() <= 1e-9 * want.abs().max(1.0);
        if !is_near {
            wrong.push(format!("{call}: {have}, and reverse mode has {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is appended is what the derivative needs: no dummy cotangents, and nothing of the gradient itself.
#[test]
fn forward_mode_leaves_nothing_over() {
    let graph = graph_of("%2 = aten.mul.Tensor(%0, %1)");
    let (x, y) = (graph.inputs[0].value, graph.inputs[1].value);
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("a number") };
    let before = graph.order.len();
    let found = session::differentiate_forward(&graph, &[z], &[(x, Some(y))]).expect("a derivative");
    assert!(found.gradients[0].is_some());
    assert_eq!(found.graph.order.len(), before + 1, "the tangent times y");
    let none = session::differentiate_forward(&graph, &[z], &[(x, None)]).expect("no derivative");
    assert!(none.gradients[0].is_none());
    assert_eq!(none.graph.order.len(), before);
}
