//! Small random graphs: pointwise operators over broadcast inputs, reductions, softmax, what only moves elements
//! (transposes, slices, concatenations and the like) and writes to inputs, at sizes from 0 and 1 on, of one dtype each.
//!
//! Every operator here is continuous, so that rounding in another order cannot turn into another choice: there are no
//! comparisons but for choosing the smaller or larger of two.

use super::random::Random;
use litz::types::Dtype;
use std::fmt::Write as _;

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

pub type Shape = Vec<i64>;

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
    dtype: Dtype,
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
        let _ = writeln!(self.text, "  input %{k} \"x{k}\": {}[{}]", self.dtype, sizes.join(", "));
        self.values.push((k, shape));
        (self.inputs, self.next) = (k + 1, k + 1);
    }
    /// Sums of integers are int64 where nothing is said.
    fn same_dtype(&self) -> String {
        if self.dtype.is_float() { String::new() } else { format!(", dtype={}", self.dtype) }
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
            let name = match self.dtype.is_float() {
                true => self.random.of(&["tanh", "relu", "sigmoid", "neg", "abs"]),
                false => self.random.of(&["neg", "abs", "square"]),
            };
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
                let of_floats = self.dtype.is_float();
                let second = if of_floats { "mean.dim" } else { "amin.default" };
                let name = self.random.of(&["sum.dim_IntList", second, "amax.default"]);
                let keep = self.random.below(3) > 0;
                if keep {
                    sizes[dim] = 1;
                } else {
                    sizes.remove(dim);
                }
                // The largest of none is no number.
                if !name.starts_with("am") || size > 0 {
                    let dtype = if name.starts_with("sum") { self.same_dtype() } else { String::new() };
                    self.value(&format!("aten.{name}(%{a}, [{dim}], {keep}{dtype})"), sizes);
                }
            }
            13 if self.dtype.is_float() => self.value(&format!("aten.softmax.int(%{a}, {dim})"), sizes),
            13 | 14 => {
                let dtype = self.same_dtype();
                self.value(&format!("aten.cumsum.default(%{a}, {dim}{dtype})"), sizes);
            }
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
                let value = if self.dtype.is_float() { "0.5" } else { "1" };
                self.value(
                    &format!("aten.constant_pad_nd.default(%{a}, [{before}, {after}], {value})"),
                    sizes,
                );
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
pub struct Case {
    pub text: String,
    pub dtype: Dtype,
    pub inputs: Vec<Shape>,
    pub results: Vec<Shape>,
}

/// The dtypes of graphs, by their numbers: every other graph is of float32.
const DTYPES: [Dtype; 16] = {
    use Dtype::*;
    [
        Float32, Float64, Float32, Float16, Float32, Bfloat16, Float32, Int64, Float32, Int32, Float32,
        Int16, Float32, Int8, Float32, Uint8,
    ]
};

pub fn case(number: usize) -> Case {
    case_among(number, &SIZES)
}

/// The graph of this number, whose tensors start from one of these sizes.
pub fn case_among(number: usize, sizes: &[(i64, i64)]) -> Case {
    let dtype = DTYPES[number % DTYPES.len()];
    let mut w = Writer {
        dtype,
        random: Random(number as u64),
        text: String::from("graph \"random\" {\n"),
        inputs: 0,
        values: Vec::new(),
        places: None,
        next: 0,
    };
    let (rows, columns) = w.random.of(sizes);
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
    Case { text: w.text, dtype, inputs, results }
}
