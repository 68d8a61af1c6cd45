//! Small random graphs (`common/programs.rs`), compiled for the CPU and held to the interpreter. Which of their operators
//! meet in one kernel, and in which order they read what another writes, is what no list of cases covers.
//!
//! A graph follows from its number alone, and every fourth is compiled by clang. Its results and its inputs after each of
//! two runs must be the interpreter's. A failure prints the number and the graph's text. `LITZ_RANDOM_GRAPHS=N` runs
//! the graphs 0 to N-1, of which the usual number is [`USUAL`]; `LITZ_RANDOM_GRAPH=K` runs graph K only.

mod common;

use common::contents::{Content, fill, number};
use common::programs::{Case, Shape, case};
use common::random::Random;
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;
use litz::types::dlpack::DLTensor;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// As many as two busy cores run in a minute.
const USUAL: usize = 200;

/// What two runs give, each followed by what it leaves in the inputs.
fn run(case: &Case, at: usize, backend: &str) -> Result<Vec<Tensor>, String> {
    let graph = parse(&case.text).map_err(|e| e.to_string())?;
    let mut options = Options::new();
    let compiler = if at % 4 == 3 { "clang++" } else { "g++" };
    let set = [
        ("backend", backend),
        ("cpp.optimization", "1"),
        ("cache.enabled", "false"),
        ("cpp.compiler", compiler),
    ];
    // The interpreter has no compiler to be told anything.
    for (key, value) in set.into_iter().filter(|(key, _)| backend == "cpu" || !key.starts_with("cpp.")) {
        options.set(key, value).map_err(|e| e.to_string())?;
    }
    let program = session::compile(&graph, &options).map_err(|e| e.to_string())?;
    let mut random = Random(!(at as u64));
    let inputs: Vec<Tensor> = case
        .inputs
        .iter()
        .map(|shape| {
            // Few digits, so that sums of inputs are exact in any order.
            let count = shape.iter().product::<i64>() as usize;
            let bytes = fill(case.dtype, count, Content::Small, &mut random);
            Tensor::from_bytes(case.dtype, shape, &bytes).expect("memory for an input")
        })
        .collect();
    let pointers: Vec<*const DLTensor> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
    let mut seen = Vec::new();
    for _ in 0..2 {
        // SAFETY: the tensors are as they say, live as long as the run, and nobody reads them meanwhile.
        let results = unsafe { program.run(&pointers, None) }.map_err(|e| e.to_string())?;
        seen.extend(results);
        for input in &inputs {
            seen.push(
                Tensor::from_bytes(case.dtype, input.shape(), input.bytes()).expect("memory for an input"),
            );
        }
    }
    Ok(seen)
}

/// In the order of their indices, whatever the strides.
fn numbers(t: &Tensor) -> impl Iterator<Item = f64> {
    let (shape, strides, item) = (t.shape(), t.strides(), t.dtype().size());
    (0..shape.iter().product::<i64>()).map(move |k| {
        let (mut rest, mut at) = (k, 0);
        for d in (0..shape.len()).rev() {
            at += rest % shape[d] * strides[d];
            rest /= shape[d];
        }
        number(t.dtype(), &t.bytes()[at as usize * item..][..item])
    })
}

/// How far results may lie apart: relative, absolute. Halves are rounded after each operator, or after several that one
/// kernel does: what lies between the two grows with the numbers on the way.
fn tolerance(dtype: Dtype, want: &Tensor) -> (f64, f64) {
    let largest = || numbers(want).filter(|y| y.is_finite()).fold(1.0, |m: f64, y| m.max(y.abs()));
    match dtype {
        Dtype::Float64 => (1e-9, 1e-9),
        Dtype::Float16 => (1e-2, 1e-2 * largest()),
        Dtype::Bfloat16 => (5e-2, 5e-2 * largest()),
        Dtype::Float32 => (1e-4, 1e-4),
        _ => (0.0, 0.0),
    }
}

/// The first difference between the CPU and the interpreter.
fn difference(case: &Case, number: usize) -> Option<String> {
    let (got, want) = match (run(case, number, "cpu"), run(case, number, "interpreter")) {
        (Ok(got), Ok(want)) => (got, want),
        (Err(e), _) => return Some(format!("cpu: {e}")),
        (_, Err(e)) => return Some(format!("interpreter: {e}")),
    };
    let shapes: Vec<&Shape> = case.results.iter().chain(&case.inputs).collect();
    for (k, (a, b)) in got.iter().zip(&want).enumerate() {
        let (run, place) = (k / shapes.len(), k % shapes.len());
        let name = match place.checked_sub(case.results.len()) {
            Some(input) => format!("input x{input} after run {run}"),
            None => format!("result y{place} of run {run}"),
        };
        if a.shape() != *shapes[place] || b.shape() != *shapes[place] {
            return Some(format!("{name} is {:?} and {:?}, not {:?}", a.shape(), b.shape(), shapes[place]));
        }
        if a.dtype() != case.dtype || b.dtype() != case.dtype {
            return Some(format!("{name} is {} and {}, not {}", a.dtype(), b.dtype(), case.dtype));
        }
        let (relative, absolute) = tolerance(case.dtype, b);
        for (at, (x, y)) in numbers(a).zip(numbers(b)).enumerate() {
            let near = y.is_finite() && (x - y).abs() <= absolute + relative * y.abs();
            let same = x == y || (x.is_nan() && y.is_nan()) || near;
            if !same {
                return Some(format!("{name}: element {at} is {x} instead of {y}"));
            }
        }
    }
    (got.len() != 2 * shapes.len() || want.len() != got.len()).then(|| "a result is missing".to_string())
}

fn asked(variable: &str) -> Option<usize> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

#[test]
fn random_graphs_give_on_the_cpu_what_the_interpreter_gives() {
    let numbers = match asked("LITZ_RANDOM_GRAPH") {
        Some(one) => one..one + 1,
        None => 0..asked("LITZ_RANDOM_GRAPHS").unwrap_or(USUAL),
    };
    let next = AtomicUsize::new(numbers.start);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        return;
                    }
                    let case = case(number);
                    if let Some(difference) = difference(&case, number) {
                        let report = format!("graph {number}: {difference}\n{}", case.text);
                        failures.lock().expect("no thread panics").push(report);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no thread panics");
    assert!(failures.is_empty(), "{} of {numbers:?} differ\n{}", failures.len(), failures.join("\n"));
}

/// Float32 has no number between 2^24 and the next but one: a sum that is kept in it would stay where it begins.
#[test]
fn running_sums_keep_what_their_dtype_would_lose() {
    let text = "graph \"sums\" {
  input %0 \"x\": float32[1, 20011]
  %1 = aten.full.default([1, 1], 16777216.0, dtype=float32)
  %2 = aten.mul.Scalar(%0, 0.0)
  %3 = aten.add.Scalar(%2, 1.0)
  %4 = aten.cat.default([%1, %3], 1)
  %5 = aten.cumsum.default(%4, 1)
  output \"y\" = %5
}
";
    let case = Case {
        text: text.to_string(),
        dtype: Dtype::Float32,
        inputs: vec![vec![1, 20011]],
        results: vec![vec![1, 20012]],
    };
    let last = run(&case, 0, "cpu").expect("the graph runs");
    assert_eq!(numbers(&last[0]).last(), Some(16_797_228.0));
    assert_eq!(difference(&case, 0), None);
}

/// Queries and keys that are one tensor of halves, read along its rows and across them: both come to the template as halves.
#[test]
fn attention_reads_operands_of_halves_that_lie_either_way() {
    let text = "graph \"halves\" {
  input %0 \"x\": float32[2, 8, 2, 3]
  %1 = aten.to.dtype(%0, float16)
  %2 = aten.relu.default(%1)
  %3 = aten.flatten.using_ints(%2, 2)
  %4 = aten.transpose.int(%3, 1, 2)
  %5 = aten.mul.Scalar(%4, 0.25)
  %6 = aten.matmul.default(%5, %3)
  %7 = aten.softmax.int(%6, -1)
  %8 = aten.matmul.default(%7, %4)
  %9 = aten.transpose.int(%8, 1, 2)
  %10 = aten.view.default(%9, [2, 8, 2, 3])
  %11 = aten.cat.default([%10, %2], 1)
  %12 = aten.to.dtype(%11, float32)
  output \"y\" = %12
}
";
    let case = Case {
        text: text.to_string(),
        dtype: Dtype::Float32,
        inputs: vec![vec![2, 8, 2, 3]],
        results: vec![vec![2, 16, 2, 3]],
    };
    let seen = ["cpu", "interpreter"].map(|backend| run(&case, 0, backend).expect("the graph runs"));
    for (x, y) in numbers(&seen[0][0]).zip(numbers(&seen[1][0])) {
        assert!((x - y).abs() <= 1e-3 + 1e-3 * y.abs(), "{x} instead of {y}");
    }
}
