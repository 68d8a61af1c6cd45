//! Derivatives against differences: the slope of each rule, and of its slope, in float64 on the interpreter.

#[path = "derivatives/attention.rs"]
mod attention;
mod common;
#[path = "derivatives/formulas.rs"]
mod formulas;
#[path = "derivatives/loops.rs"]
mod loops;
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

/// Layers over two sequences of three steps of one number, whose weights of one hidden value are made of `%1`.
fn recurrences() -> impl Iterator<Item = String> {
    [
        ("lstm", 4, true, false),
        ("gru", 3, false, true),
        ("rnn_tanh", 1, true, true),
        ("rnn_relu", 1, false, false),
    ]
    .map(|(kind, gates, batch_first, both)| {
        let sides = if both { 2 } else { 1 };
        let mut text = format!(
            "%3 = aten.unsqueeze.default(%0, 2)\n  %4 = aten.transpose.int(%3, 0, {})\n  ",
            1 - i64::from(batch_first)
        );
        text += "%5 = aten.cat.default([%1, %1])\n  %6 = aten.reshape.default(%5, [12, 1])\n  ";
        text += "%7 = aten.slice.Tensor(%0, 1, 0, 2)\n  ";
        let state = if both { "[2, 2, 1]" } else { "[1, 2, 1]" };
        let states = if both { "%7" } else { "%8" };
        text += &format!(
            "%8 = aten.slice.Tensor(%7, 0, 0, 1)\n  %9 = aten.reshape.default({states}, {state})\n  "
        );
        let (mut params, mut k) = (Vec::new(), 10);
        for side in 0..sides {
            for from in [0, 1] {
                let from = from + side;
                text += &format!("%{k} = aten.slice.Tensor(%6, 0, {from}, {})\n  ", from + gates);
                params.push(format!("%{k}"));
                k += 1;
            }
        }
        let hx = if kind == "lstm" { "[%9, %9]" } else { "%9" };
        let (results, last) = if kind == "lstm" {
            (format!("%{k}, %{}, %{}", k + 1, k + 2), k + 2)
        } else {
            (format!("%{k}, %{}", k + 1), k + 1)
        };
        text += &format!(
            "{results} = aten.{kind}.input(%4, {hx}, [{}], false, 1, 0.0, false, {both}, {batch_first})\n  ",
            params.join(", ")
        );
        text += &format!("%40 = aten.sum.default(%{last})\n  %2 = aten.add.Tensor(%{k}, %40)");
        text
    })
    .into_iter()
}

/// Sampling `%3`, `%0` and `%1` as an image of two channels, at places that are made of `%1`.
fn samplings() -> impl Iterator<Item = String> {
    let flat = "%3 = aten.stack.default([%0, %1], 0)\n  %4 = aten.reshape.default(%3, [1, 2, 2, 3])\n  \
         %5 = aten.mul.Scalar(%1, 2.7)\n  %6 = aten.sub.Scalar(%5, 1.3)\n  %7 = aten.reshape.default(%6, [1, 1, 3, 2])\n  ";
    let flat = (0..18).map(move |k| {
        let (mode, padding, align) = (k % 3, k / 3 % 3, k / 9 == 0);
        format!("{flat}%2 = aten.grid_sampler_2d.default(%4, %7, {mode}, {padding}, {align})")
    });
    let solid = "%3 = aten.reshape.default(%0, [1, 1, 1, 2, 3])\n  %5 = aten.mul.Scalar(%1, 2.7)\n  \
         %6 = aten.sub.Scalar(%5, 1.3)\n  %7 = aten.reshape.default(%6, [1, 1, 1, 2, 3])\n  ";
    let solid = (0..4).map(move |k| {
        format!("{solid}%2 = aten.grid_sampler_3d.default(%3, %7, 0, {}, {})", k % 2, k / 2 == 0)
    });
    flat.chain(solid)
}

/// The same for operators that the second library computes: `%3` is a matrix of 2 x 2, and `%4` a positive definite one.
const LINEAR_ALGEBRA: &[&str] = &[
    "%2 = aten.linalg_inv.default(%4)",
    "%2 = aten.linalg_solve.default(%4, %0)",
    "%5 = aten.mT.default(%0)\n  %2 = aten.linalg_solve.default(%4, %5, left=false)",
    "%2 = aten.linalg_det.default(%3)",
    "%2 = aten.logdet.default(%4)",
    "%2 = aten.linalg_cholesky.default(%4)",
    "%2 = aten.linalg_cholesky.default(%4, upper=true)",
    "%5 = aten.tril.default(%4)\n  %2 = aten.cholesky_solve.default(%0, %5)",
    "%5 = aten.triu.default(%4)\n  %2 = aten.cholesky_solve.default(%0, %5, true)",
    "%5 = aten.tril.default(%4)\n  %2 = aten.cholesky_inverse.default(%5)",
    "%5 = aten.triu.default(%4)\n  %2 = aten.cholesky_inverse.default(%5, true)",
    "%2 = aten.linalg_solve_triangular.default(%4, %0, upper=true)",
    "%2 = aten.linalg_solve_triangular.default(%4, %0, upper=false, unitriangular=true)",
    "%5, %6, %2 = aten.linalg_lu.default(%4)",
    "%5, %2, %6 = aten.linalg_lu.default(%0)",
    "%5 = aten.mT.default(%0)\n  %6, %2, %7 = aten.linalg_lu.default(%5)",
    "%5, %6 = aten.linalg_lu_factor.default(%4)\n  %2 = aten.linalg_lu_solve.default(%5, %6, %0, adjoint=true)",
    "%2, %5 = aten.linalg_qr.default(%0)",
    "%5 = aten.mT.default(%0)\n  %6, %2 = aten.linalg_qr.default(%5)",
    "%5 = aten.mT.default(%0)\n  %6, %2, %7 = aten.linalg_svd.default(%5, false)",
    "%2 = aten.linalg_svdvals.default(%0)",
    "%5, %6, %7 = aten.linalg_svd.default(%0, false)\n  %2 = aten.matmul.default(%5, %7)",
    "%2 = aten.linalg_eigvalsh.default(%4)",
    "%5, %6 = aten.linalg_eigh.default(%4)\n  %7 = aten.abs.default(%6)\n  %2 = aten.mul.Tensor(%7, %5)",
    "%2, %5 = litz.eig.default(%3, false, false)",
    "%2, %5 = litz.eig.default(%3, false, true)",
    "%5, %6 = litz.eig.default(%3, false, true)\n  %7 = aten.mul.Tensor(%6, %6)\n  %2 = aten.sum.dim_IntList(%7, [-1])",
    "%7 = aten.stack.default([%3, %4], -1)\n  %2, %5 = litz.eig.default(%7, true, false)",
    "%7 = aten.stack.default([%3, %4], -1)\n  %5, %6 = litz.eig.default(%7, true, true)\n  %10 = aten.mul.Tensor(%6, %6)\n  %11 = aten.sum.dim_IntList(%10, [-1])\n  %12 = aten.sum.dim_IntList(%5, [-1])\n  %2 = aten.mul.Tensor(%11, %12)",
    "%2 = aten.linalg_matrix_sqrth.default(%4)",
    "%2, %5 = aten.linalg_polar.default(%3)",
    "%5 = aten.mT.default(%0)\n  %6, %2 = aten.linalg_polar.default(%5)",
    "%5 = aten.mT.default(%0)\n  %2, %6 = aten.linalg_polar.default(%5)",
    "%2, %5, %6, %7 = aten.linalg_lstsq.default(%4, %0)",
    "%5 = aten.mT.default(%0)\n  %6 = aten.mT.default(%1)\n  %2, %7, %10, %11 = aten.linalg_lstsq.default(%5, %6, driver=\"gels\")",
    "%5 = aten.mT.default(%0)\n  %6 = aten.mT.default(%1)\n  %7, %2, %10, %11 = aten.linalg_lstsq.default(%5, %6, driver=\"gelsd\")",
    "%2, %5, %6, %7 = aten.linalg_lstsq.default(%0, %3, driver=\"gels\")",
    "%2 = aten.linalg_matrix_exp.default(%3)",
    "%2 = aten.linalg_matrix_power.default(%4, -2)",
    "%2 = aten.linalg_matrix_power.default(%4, 0)",
    "%2 = aten.linalg_pinv.default(%0, 1e-10)",
    "%2 = aten.linalg_matrix_norm.str_ord(%0, \"nuc\")",
    "%2 = aten.linalg_matrix_norm.default(%0, -2)",
    "%2 = aten.linalg_cond.default(%4)",
    "%2 = aten.linalg_cond.default(%4, 1)",
];

const FOURIER: &[&str] = &[
    "%2 = litz.fourier_real.default(%0, 1, 1)",
    "%2 = litz.fourier_real.default(%0, 0, 2)",
    "%3 = aten.stack.default([%0, %1], -1)\n  %2 = litz.fourier.default(%3, 1, 1, true)",
    "%3 = aten.stack.default([%0, %1], -1)\n  %2 = litz.fourier.default(%3, 0, 2, false)",
    "%3 = aten.stack.default([%0, %1], -1)\n  %2 = litz.fourier_back.default(%3, 1, 4, 1)",
    "%3 = aten.stack.default([%0, %1], -1)\n  %2 = litz.fourier_back.default(%3, 1, 5, 2)",
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

#[test]
fn slopes_of_what_data_place_are_those_of_differences() {
    compare(PLACED.iter().map(|call| format!("{PLACES}{call}")));
}

/// What [`PLACED`] names.
const PLACES: &str = "%12 = aten.gt.Scalar(%1, 2.0)\n  %13 = aten._to_copy.default(%12, dtype=int64)\n  \
         %14 = aten.cumsum.default(%13, 1)\n  %15 = aten.arange.default(3, dtype=int64)\n  \
         %16 = aten.remainder.Scalar(%15, 2)\n  %3 = aten.add.Tensor(%14, %16)\n  %4 = aten.mul.Scalar(%1, 1.1)\n  ";

/// The gradients of a sum of squares over causal attention by queries, keys and values, on the interpreter.
fn attention_gradients(dtype: Dtype, operands: &[Vec<f64>; 3]) -> Vec<Vec<f64>> {
    let inputs = ["q", "k", "v"].iter().enumerate();
    let inputs: String =
        inputs.map(|(k, n)| format!("  input %{k} \"{n}\": {dtype}[1, 1, 128, 32]\n")).collect();
    let text = format!(
        "graph \"g\" {{\n{inputs}  %3 = aten.scaled_dot_product_attention.default(%0, %1, %2, None, 0.0, true)\n  \
         %4 = aten.to.dtype(%3, float64)\n  output \"z\" = %4\n}}\n"
    );
    let mut graph = parse(&text).expect("it reads");
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("a number") };
    let total = loss(&mut graph, z);
    let by: Vec<Value> = graph.inputs.iter().map(|i| i.value).collect();
    let mut made = session::differentiate(&graph, &[total], None, &by).expect("it has gradients");
    made.graph.outputs.clear();
    for gradient in made.gradients.iter().flatten() {
        let wide = vec![Arg::Value(*gradient), Arg::Dtype(Dtype::Float64)];
        let wide = Builder::new(&mut made.graph).op("aten.to.dtype", wide).expect("a conversion");
        made.graph.add_output("gradient", OutputValue::Tensor(wide));
    }
    let mut options = Options::default();
    options.backend = BackendRequest::Interpreter;
    let program = session::compile(&made.graph, &options).expect("it compiles");
    let tensors: Vec<Tensor> = operands
        .iter()
        .map(|operand| {
            let bytes: Vec<u8> = match dtype {
                Dtype::Float64 => operand.iter().flat_map(|x| x.to_ne_bytes()).collect(),
                _ => operand.iter().flat_map(|x| half::bf16::from_f64(*x).to_ne_bytes()).collect(),
            };
            Tensor::from_bytes(dtype, &[1, 1, 128, 32], &bytes).expect("memory")
        })
        .collect();
    let results = program.run_tensors(&tensors.iter().collect::<Vec<_>>()).expect("it runs");
    let number = |b: &[u8]| f64::from_ne_bytes(b.try_into().expect("eight bytes"));
    results.iter().map(|t| t.bytes().chunks(8).map(number).collect()).collect()
}

/// What is rounded between the products is what PyTorch's kernel rounds: operands, not differences of what almost cancels.
#[test]
fn gradients_of_attention_on_halves_are_those_of_float64() {
    let numbers = |seed: u64| {
        let next = |k: u64| (k + seed * 7919).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let sum = |k: u64| (0..6).map(|j| next(6 * k + j) as f64 / (1u64 << 24) as f64 - 0.5).sum::<f64>();
        (0..4096).map(|k| half::bf16::from_f64(3.0 * sum(k)).to_f64()).collect::<Vec<f64>>()
    };
    let operands = [numbers(1), numbers(2), numbers(3)];
    let exact = attention_gradients(Dtype::Float64, &operands);
    let found = attention_gradients(Dtype::Bfloat16, &operands);
    assert_eq!(found.len(), 3);
    let size = |values: &[f64]| (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
    for (found, exact) in found.iter().zip(&exact) {
        let off: Vec<f64> = found.iter().zip(exact).map(|(f, e)| f - e).collect();
        assert!(size(&off) < 0.008 * size(exact), "off by {} of {}", size(&off), size(exact));
    }
}

#[test]
fn slopes_of_sampling_are_those_of_differences() {
    compare(samplings());
}

#[test]
fn slopes_of_recurrent_layers_are_those_of_differences() {
    compare(recurrences());
}

/// Branches on both inputs, each with a predicate that is true and one that is not.
fn branches() -> impl Iterator<Item = String> {
    let graph = |name: &str, body: &str| {
        format!(
            "graph \"{name}\" {{\n input %0 \"x\": float64[2, 3]\n input %1 \"y\": float64[2, 3]\n {body}\n }}"
        )
    };
    let product =
        graph("product", "%2 = aten.mul.Tensor(%0, %1)\n %3 = aten.sin.default(%2)\n output \"a\" = %3");
    // No gradient by the second operand.
    let power = graph("power", "%2 = aten.exp.default(%0)\n output \"a\" = %2");
    // The operand itself, and a view of one.
    let given = graph("given", "output \"a\" = %1");
    let turned =
        graph("turned", "%2 = aten.flip.default(%1, [1])\n %3 = aten.mul.Tensor(%2, %2)\n output \"a\" = %3");
    let pair = |first: &str, second: &str| format!("{first}, {second}, [%0, %1]");
    let nested = graph(
        "nested",
        &format!(
            "%2 = aten.sum.default(%1)\n %3 = aten.lt.Scalar(%2, 0.0)\n %4 = higher_order.cond.default(%3, {})\n \
             %5 = aten.mul.Tensor(%4, %0)\n output \"a\" = %5",
            pair(&product, &power)
        ),
    );
    // Results that are numbers of places, and one that is not used.
    let more = |name: &str, op: &str| {
        let body = format!(
            "%2 = aten.{op}.default(%0)\n %3 = aten.argmax.default(%1)\n %4 = aten.mul.Tensor(%2, %1)\n \
             output \"a\" = %2\n output \"b\" = %3\n output \"c\" = %4"
        );
        graph(name, &body)
    };
    let one = [
        pair(&product, &power),
        pair(&power, &product),
        pair(&given, &turned),
        pair(&nested, &turned),
        pair(&power, &nested),
        // An operand that is given twice.
        format!("{product}, {turned}, [%0, %0]"),
    ];
    let several = format!(
        "%6, %7, %8 = higher_order.cond.default(%4, {}, {}, [%0, %1])",
        more("m", "sin"),
        more("n", "exp")
    );
    let one = one
        .into_iter()
        .map(|c| format!("%5 = higher_order.cond.default(%4, {c})\n  %2 = aten.mul.Tensor(%5, %5)"));
    let several = [
        format!("{several}\n  %2 = aten.mul.Tensor(%6, %8)"),
        format!("{several}\n  %2 = aten.sin.default(%8)"),
    ];
    one.chain(several).flat_map(|call| {
        ["gt", "lt"].map(|compare| {
            format!("%3 = aten.sum.default(%0)\n  %4 = aten.{compare}.Scalar(%3, 0.0)\n  {call}")
        })
    })
}

#[test]
fn slopes_of_branches_are_those_of_differences() {
    compare(branches());
}

#[test]
fn what_a_branch_would_do_twice_is_refused() {
    let branch = |body: &str| format!("graph \"b\" {{\n input %0 \"x\": float64[2, 3]\n {body}\n }}");
    let plain = branch("%1 = aten.sin.default(%0)\n output \"a\" = %1");
    let flat = branch("%1 = aten.view.default(%0, [6])\n output \"a\" = %1");
    let part =
        branch("%1 = aten.view.default(%0, [6])\n %2 = aten.slice.Tensor(%1, 0, 0, 4)\n output \"a\" = %2");
    let found = branch(
        "%1 = aten.gt.Scalar(%0, 0.5)\n %2 = aten.masked_select.default(%0, %1)\n %3 = aten.sum.default(%2)\n %4 = aten.mul.Tensor(%0, %3)\n output \"a\" = %4",
    );
    for (yes, no, words) in
        [(&flat, &part, "sizes differ between the branches"), (&found, &plain, "would run it again")]
    {
        let call = format!(
            "%3 = aten.sum.default(%0)\n  %4 = aten.gt.Scalar(%3, 0.0)\n  \
             %5 = higher_order.cond.default(%4, {yes}, {no}, [%0])\n  %2 = aten.sin.default(%5)"
        );
        let mut graph = graph_of(&call);
        let (x, y) = (graph.inputs[0].value, graph.inputs[1].value);
        let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("{call}: a number") };
        let total = loss(&mut graph, z);
        let error =
            session::differentiate(&graph, &[total], None, &[x, y]).err().expect("it is refused").to_string();
        assert!(error.contains("higher_order.cond") && error.contains(words), "{error}");
    }
}

#[test]
fn slopes_of_linear_algebra_are_those_of_differences() {
    common::linear_algebra();
    compare(linear_algebra());
}

#[test]
fn slopes_of_fourier_transforms_are_those_of_differences() {
    common::linear_algebra();
    compare(FOURIER.iter().map(|call| call.to_string()));
}

#[test]
fn slopes_of_reflections_are_those_of_differences() {
    common::linear_algebra();
    compare(reflections());
    compare_modes(reflections());
}

/// As many reflections as columns, and fewer.
fn reflections() -> impl Iterator<Item = String> {
    let operands = "%3 = aten.mT.default(%0)\n  %4 = aten.select.int(%1, 1, 0)\n  %5 = aten.slice.Tensor(%4, 0, 0, 1)\n  ";
    let calls = [
        "%2 = aten.linalg_householder_product.default(%3, %4)",
        "%2 = aten.linalg_householder_product.default(%3, %5)",
        "%2 = aten.ormqr.default(%3, %4, %3)",
        "%2 = aten.ormqr.default(%3, %4, %3, true, true)",
        "%2 = aten.ormqr.default(%3, %4, %0, false)",
        "%2 = aten.ormqr.default(%3, %4, %0, false, true)",
    ];
    calls.into_iter().map(move |call| format!("{operands}{call}"))
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
        if let Some(why) = Slopes::of(first.graph.clone(), total, &first.gradients).wrong() {
            wrong.push(format!("{call}\n  {why}"));
        }
        // The slope's own slope.
        let mut graph = first.graph;
        let Some(gradient) = first.gradients[0] else { continue };
        let total = loss(&mut graph, gradient);
        let second = session::differentiate(&graph, &[total], None, &[x, y])
            .unwrap_or_else(|e| panic!("{call}, twice: {e}"));
        if let Some(why) = Slopes::of(second.graph, total, &second.gradients).wrong() {
            wrong.push(format!("{call}, twice\n  {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The calls that [`LINEAR_ALGEBRA`] has, with the matrices that they name.
fn linear_algebra() -> impl Iterator<Item = String> {
    let matrices = "%3 = aten.linear.default(%0, %1)\n  %8 = aten.linear.default(%3, %3)\n  \
         %9 = aten.eye.default(2, dtype=float64)\n  %4 = aten.add.Tensor(%8, %9)\n  ";
    LINEAR_ALGEBRA.iter().map(move |call| format!("{matrices}{call}"))
}

#[test]
fn forward_mode_is_reverse_mode_along_a_direction() {
    let calls = CALLS.iter().map(|call| call.to_string());
    let calls = calls.chain(PLACED.iter().map(|call| format!("{PLACES}{call}")));
    compare_modes(calls.chain(samplings().step_by(5)).chain(recurrences()).chain(branches()));
}

#[test]
fn forward_mode_of_linear_algebra_is_reverse_mode_along_a_direction() {
    common::linear_algebra();
    compare_modes(linear_algebra());
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
        let ahead = session::differentiate_forward(&back.graph, &[total], &[(x, Some(y)), (y, Some(x))])
            .unwrap_or_else(|e| panic!("{call}: {e}"));
        let mut graph = ahead.graph;
        let mut sum = None;
        for (gradient, tangent) in back.gradients.iter().zip([y, x]) {
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

/// One triangle of the matrix is read, and both have the gradient.
#[test]
fn the_gradient_of_symmetric_vectors_is_symmetric() {
    common::linear_algebra();
    let call = "%4 = aten.linear.default(%0, %0)\n  %5, %6 = aten._linalg_eigh.default(%4)\n  %7 = aten.mul.Tensor(%6, %6)\n  \
         %8 = aten.linear.default(%1, %0)\n  %2 = aten.mul.Tensor(%7, %8)";
    let mut graph = graph_of(call);
    let matrix = graph.nodes[graph.order.first().expect("a node")].outputs[0];
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("a number") };
    let total = loss(&mut graph, z);
    let made = session::differentiate(&graph, &[total], None, &[matrix]).expect("a gradient");
    let numbers = |seed: f64| (0..6).map(|k| 0.15 + ((k as f64 + seed) * 0.618_034) % 0.7).collect();
    let found = Slopes::of(made.graph, total, &[made.gradients[0], None]).at(&[numbers(0.3), numbers(3.7)]);
    let slopes = &found[1];
    assert!(slopes[1].abs() > 1e-3 && (slopes[1] - slopes[2]).abs() < 1e-12, "{slopes:?}");
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
