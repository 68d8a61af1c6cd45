//! Small random graphs, compiled for the CPU and held to the interpreter: pointwise operators over broadcast inputs,
//! reductions, softmax, what only moves elements (transposes, slices, concatenations and the like), lookups and writes
//! to inputs, at sizes from 0 and 1 on. Which of these meet in one kernel, and in which order they read what another
//! writes, is what no list of cases covers.
//!
//! A graph follows from its number alone. Its results and its inputs after each of two runs must be the interpreter's.
//! A failure prints the number and the graph's text. `LITZ_RANDOM_GRAPHS=N` runs the graphs 0 to N-1, of which the
//! usual number is [`USUAL`]; `LITZ_RANDOM_GRAPH=K` runs graph K only.
//!
//! Every operator here is continuous, so that rounding in another order cannot turn into another choice: there are no
//! comparisons but for choosing the smaller or larger of two.

use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;
use litz::types::dlpack::DLTensor;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// As many as two busy cores run in a minute.
const USUAL: usize = 200;

/// The sizes that a graph's tensors start from: below, at and above a vector's width, prime, long, and none.
const SIZES: [(i64, i64); 13] = [
    (5, 8),
    (67, 96),
    (1, 40),
    (33, 7),
    (16, 64),
    (3, 130),
    (1, 1),
    (0, 5),
    (6, 0),
    (2, 9000),
    (9000, 2),
    (24, 1024),
    (1, 20011),
];

/// The most elements of a value: the interpreter takes long for more.
const LARGEST: i64 = 60_000;

/// Numbers that follow from a seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    /// At least `low`, below `high`.
    fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low) as u64) as i64
    }
    fn below(&mut self, high: usize) -> usize {
        (self.next() % high as u64) as usize
    }
    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

type Shape = Vec<i64>;

/// The shape that both are broadcast to.
fn broadcast(a: &[i64], b: &[i64]) -> Option<Shape> {
    let rank = a.len().max(b.len());
    let at = |s: &[i64], k: usize| (k + s.len()).checked_sub(rank).map_or(1, |k| s[k]);
    (0..rank)
        .map(|k| match (at(a, k), at(b, k)) {
            (1, n) => Some(n),
            (n, m) => (m == 1 || m == n).then_some(n),
        })
        .collect()
}

/// A graph as it is written: its text, the shapes of its inputs, and of all values so far.
struct Writer {
    random: Random,
    text: String,
    inputs: usize,
    values: Vec<(usize, Shape)>,
    /// Integers of at least 0, and how many.
    places: Option<(usize, i64)>,
    next: usize,
}

impl Writer {
    fn line(&mut self, call: &str) -> usize {
        let _ = writeln!(self.text, "  %{} = {call}", self.next);
        self.next += 1;
        self.next - 1
    }
    /// Writes a call, unless its result is large: rows and columns that meet, and concatenations, multiply.
    fn value(&mut self, call: &str, shape: Shape) {
        if shape.iter().product::<i64>() > LARGEST {
            return;
        }
        let number = self.line(call);
        self.values.push((number, shape));
    }
    fn input(&mut self, shape: Shape) {
        let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
        let k = self.inputs;
        let _ = writeln!(self.text, "  input %{k} \"x{k}\": float32[{}]", sizes.join(", "));
        self.values.push((k, shape));
        (self.inputs, self.next) = (k + 1, k + 1);
    }
    /// Writes one operator, or nothing where what was drawn does not fit.
    fn operator(&mut self) -> Option<()> {
        // One of the last values mostly, so that chains are long.
        let recent = self.values[self.values.len().saturating_sub(3)..].to_vec();
        let (a, shape) =
            if self.random.below(3) > 0 { self.random.of(&recent) } else { self.random.of(&self.values) };
        let (b, other) = self.random.of(&self.values);
        let kind = self.random.below(24);
        let (rank, dim) = (shape.len(), self.random.below(shape.len().max(1)));
        let mut sizes = shape.clone();
        if kind < 5 {
            let name = self.random.of(&["add.Tensor", "sub.Tensor", "mul.Tensor", "maximum.default"]);
            self.value(&format!("aten.{name}(%{a}, %{b})"), broadcast(&shape, &other)?);
            return Some(());
        }
        if kind < 7 {
            let name = self.random.of(&["tanh", "relu", "sigmoid", "neg", "abs"]);
            self.value(&format!("aten.{name}.default(%{a})"), shape);
            return Some(());
        }
        if kind < 10 {
            let k = self.random.within(1, self.inputs as i64) as usize;
            let target = self.values[k].1.clone();
            let name = self.random.of(&["add_.Tensor", "mul_.Tensor", "sub_.Tensor", "copy_.default"]);
            if broadcast(&target, &other)? == target {
                self.value(&format!("aten.{name}(%{k}, %{b})"), target);
            }
            return Some(());
        }
        // The rest is along a dimension.
        let size = *shape.get(dim)?;
        match kind {
            10..=12 => {
                let name = self.random.of(&["sum.dim_IntList", "mean.dim", "amax.default"]);
                let keep = self.random.below(3) > 0;
                if keep {
                    sizes[dim] = 1;
                } else {
                    sizes.remove(dim);
                }
                // The largest of none is no number.
                if name != "amax.default" || size > 0 {
                    self.value(&format!("aten.{name}(%{a}, [{dim}], {keep})"), sizes);
                }
            }
            13 => self.value(&format!("aten.softmax.int(%{a}, {dim})"), sizes),
            14 => self.value(&format!("aten.cumsum.default(%{a}, {dim})"), sizes),
            15 if rank == 2 => {
                sizes.reverse();
                self.value(&format!("aten.t.default(%{a})"), sizes);
            }
            16 if shape == other => {
                sizes[dim] *= 2;
                self.value(&format!("aten.cat.default([%{a}, %{b}], {dim})"), sizes);
            }
            17 if size > 2 => {
                let begin = self.random.within(0, size - 1);
                let end = self.random.within(begin + 1, size + 1);
                let step = self.random.of(&[1, 1, 2]);
                sizes[dim] = (end - begin + step - 1) / step;
                self.value(&format!("aten.slice.Tensor(%{a}, {dim}, {begin}, {end}, {step})"), sizes);
            }
            // The smaller of two.
            18 if shape == other => {
                let larger = self.line(&format!("aten.gt.Tensor(%{a}, %{b})"));
                self.value(&format!("aten.where.self(%{larger}, %{b}, %{a})"), sizes);
            }
            19 => self.value(&format!("aten.flip.default(%{a}, [{dim}])"), sizes),
            20 => {
                // At an end of the last dimension.
                let (before, after) = (self.random.within(0, 3), self.random.within(0, 3));
                sizes[rank - 1] += before + after;
                self.value(&format!("aten.constant_pad_nd.default(%{a}, [{before}, {after}], 0.5)"), sizes);
            }
            21 if size > 0 => {
                let at = self.random.within(0, size);
                sizes.remove(dim);
                self.value(&format!("aten.select.int(%{a}, {dim}, {at})"), sizes);
            }
            // Lookups at places that a condition chooses among.
            22.. if size > 0 => {
                let (places, count) = self.places?;
                let near = self.line(&format!("aten.remainder.Scalar(%{places}, {size})"));
                let (call, more) = self.random.of(&[
                    (format!("cat.default([%{near}, %{near}])"), count),
                    (format!("constant_pad_nd.default(%{near}, [1, 2], 0)"), 3),
                    (format!("slice_scatter.default(%{near}, %{near}, 0, 0, None, 1)"), 0),
                ]);
                let chosen = self.line(&format!("aten.{call}"));
                sizes[dim] = count + more;
                self.value(&format!("aten.index_select.default(%{a}, {dim}, %{chosen})"), sizes);
            }
            _ => {}
        }
        Some(())
    }
}

/// A graph's text, and the shapes of its inputs and results.
struct Case {
    text: String,
    inputs: Vec<Shape>,
    results: Vec<Shape>,
}

fn case(number: usize) -> Case {
    let mut w = Writer {
        random: Random(number as u64),
        text: String::from("graph \"random\" {\n"),
        inputs: 0,
        values: Vec::new(),
        places: None,
        next: 0,
    };
    let (rows, columns) = w.random.of(&SIZES);
    w.input(vec![rows, columns]);
    for _ in 0..w.random.within(1, 4) {
        let shapes = [
            vec![rows, columns],
            vec![rows, columns],
            vec![rows, 1],
            vec![columns],
            vec![1, columns],
            vec![],
        ];
        let shape = w.random.of(&shapes);
        w.input(shape);
    }
    let inputs = w.values.iter().map(|(_, shape)| shape.clone()).collect();
    if rows > 0 && columns > 0 && columns < 200 {
        // Inputs are eighths between -1 and 1: no rounding.
        let first = w.line("aten.select.int(%0, 0, 0)");
        let eighths = w.line(&format!("aten.mul.Scalar(%{first}, 8.0)"));
        let from_0 = w.line(&format!("aten.add.Scalar(%{eighths}, 8.0)"));
        let places = w.line(&format!("aten.to.dtype(%{from_0}, int64)"));
        w.places = Some((places, columns));
    }
    for _ in 0..w.random.within(6, 16) {
        // What does not fit is left out.
        let _ = w.operator();
    }
    let (first, second) = (w.values[0].clone(), w.values[1].clone());
    let shape = broadcast(&first.1, &second.1).expect("inputs are broadcast together");
    w.value(&format!("aten.add.Tensor(%{}, %{})", first.0, second.0), shape);
    // The last values, of which most of the graph is made, and sometimes one on the way.
    let made = w.values[w.inputs..].to_vec();
    let mut chosen: Vec<_> = made.iter().rev().take(3).cloned().collect();
    chosen.push(w.random.of(&made));
    let mut results = Vec::new();
    for (k, (value, shape)) in chosen.into_iter().take(w.random.within(2, 5) as usize).enumerate() {
        let _ = writeln!(w.text, "  output \"y{k}\" = %{value}");
        results.push(shape);
    }
    w.text.push_str("}\n");
    Case { text: w.text, inputs, results }
}

/// What two runs give, each followed by what it leaves in the inputs.
fn run(case: &Case, number: usize, backend: &str) -> Result<Vec<Tensor>, String> {
    let graph = parse(&case.text).map_err(|e| e.to_string())?;
    let mut options = Options::new();
    for (key, value) in [("backend", backend), ("cpp.optimization", "1"), ("cache.enabled", "false")] {
        options.set(key, value).map_err(|e| e.to_string())?;
    }
    let program = session::compile(&graph, &options).map_err(|e| e.to_string())?;
    let mut random = Random(!(number as u64));
    let inputs: Vec<Tensor> = case
        .inputs
        .iter()
        .map(|shape| {
            // Few digits, so that sums of inputs are exact in any order.
            let count = shape.iter().product::<i64>();
            let bytes: Vec<u8> =
                (0..count).flat_map(|_| (random.within(-8, 9) as f32 / 8.0).to_le_bytes()).collect();
            Tensor::from_bytes(Dtype::Float32, shape, &bytes).expect("memory for an input")
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
                Tensor::from_bytes(Dtype::Float32, input.shape(), input.bytes())
                    .expect("memory for an input"),
            );
        }
    }
    Ok(seen)
}

fn floats(t: &Tensor) -> impl Iterator<Item = f32> {
    t.bytes().chunks(4).map(|c| f32::from_le_bytes(c.try_into().expect("four bytes")))
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
        for (at, (x, y)) in floats(a).zip(floats(b)).enumerate() {
            let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= 1e-4 + 1e-4 * y.abs();
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
    let case = Case { text: text.to_string(), inputs: vec![vec![1, 20011]], results: vec![vec![1, 20012]] };
    let last = run(&case, 0, "cpu").expect("the graph runs");
    assert_eq!(floats(&last[0]).last(), Some(16_797_228.0));
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
    let case =
        Case { text: text.to_string(), inputs: vec![vec![2, 8, 2, 3]], results: vec![vec![2, 16, 2, 3]] };
    let seen = ["cpu", "interpreter"].map(|backend| run(&case, 0, backend).expect("the graph runs"));
    for (x, y) in floats(&seen[0][0]).zip(floats(&seen[1][0])) {
        assert!((x - y).abs() <= 1e-3 + 1e-3 * y.abs(), "{x} instead of {y}");
    }
}
