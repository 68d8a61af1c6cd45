//! Random graphs round one template: products, convolutions, attention and its gradients, recurrences, sorts, scans and scatters,
//! with operators before and after that it takes as regions, over sizes below, at and above its blocks.

use super::programs::Case;
use super::random::Random;
use litz::types::Dtype;
use std::fmt::Write as _;

const DTYPES: [Dtype; 3] = [Dtype::Float32, Dtype::Float64, Dtype::Bfloat16];

/// The kinds of templates.
const FORMS: usize = 8;

struct Writer {
    dtype: Dtype,
    random: Random,
    text: String,
    inputs: Vec<Vec<i64>>,
    constants: usize,
    next: usize,
}

/// The graph of this number.
pub fn template_case(number: usize) -> Case {
    let dtype = match DTYPES[number / FORMS % DTYPES.len()] {
        // Gradients of attention have no template in float64.
        Dtype::Float64 if number % FORMS == 5 => Dtype::Float32,
        dtype => dtype,
    };
    let mut w = Writer {
        dtype,
        random: Random(number as u64),
        text: String::new(),
        inputs: Vec::new(),
        constants: 0,
        next: 0,
    };
    let results = match number % FORMS {
        0 => w.product(),
        1 => w.convolution(),
        2 => w.attention(),
        3 => w.recurrence(),
        4 => w.sort(),
        5 => w.attention_backward(),
        6 => w.scan(),
        _ => w.scatter(),
    };
    let mut text = String::from("graph \"template\" {\n") + &w.text;
    for (k, value) in results.iter().enumerate() {
        let _ = writeln!(text, "  output \"y{k}\" = %{value}");
    }
    text.push_str("}\n");
    Case { text, dtype, inputs: w.inputs, results: Vec::new() }
}

impl Writer {
    fn named(&mut self, what: &str) -> usize {
        let _ = writeln!(self.text, "  {}", what.replace("%%", &format!("%{}", self.next)));
        self.next += 1;
        self.next - 1
    }
    fn input(&mut self, shape: &[i64]) -> usize {
        self.inputs.push(shape.to_vec());
        let (k, dtype) = (self.inputs.len(), self.dtype);
        self.named(&format!("input %% \"x{k}\": {dtype}{shape:?}"))
    }
    fn constant(&mut self, shape: &[i64]) -> usize {
        self.constants += 1;
        let (k, dtype) = (self.constants, self.dtype);
        self.named(&format!("constant %% \"c{k}\": {dtype}{shape:?} = seeded {k} mean 0.0 spread 0.5"))
    }
    fn line(&mut self, call: &str) -> usize {
        self.named(&format!("%% = {call}"))
    }
    fn chance(&mut self, of: usize) -> bool {
        self.random.once_in(of)
    }
    /// An operand of this shape: given, transposed, or computed.
    fn operand(&mut self, shape: &[i64]) -> usize {
        match self.random.within(0, 6) {
            0 => {
                let turned: Vec<i64> =
                    [&shape[..shape.len() - 2], &[shape[shape.len() - 1], shape[shape.len() - 2]]].concat();
                let given = self.input(&turned);
                self.line(&format!("aten.transpose.int(%{given}, -2, -1)"))
            }
            1 => {
                let given = self.input(shape);
                self.line(&format!("aten.relu.default(%{given})"))
            }
            _ => self.input(shape),
        }
    }
    /// What follows a template point by point.
    fn followed(&mut self, value: usize, shape: &[i64]) -> Vec<usize> {
        let mut results = vec![value];
        if self.chance(2) {
            let bias = self.input(&shape[shape.len() - 1..]);
            results.push(self.line(&format!("aten.add.Tensor(%{value}, %{bias})")));
        }
        if self.chance(2) {
            let last = results[results.len() - 1];
            results.push(self.line(&format!("aten.relu.default(%{last})")));
        }
        if self.chance(3) {
            let (last, other) = (results[results.len() - 1], self.input(shape));
            results.push(self.line(&format!("aten.mul.Tensor(%{last}, %{other})")));
        }
        // Sometimes the template's own result is given out, too.
        let last = results[results.len() - 1];
        if last != value && self.chance(2) { vec![value, last] } else { vec![last] }
    }

    fn product(&mut self) -> Vec<usize> {
        let [m, n] = [(); 2].map(|()| self.random.of(&[1, 2, 5, 8, 14, 15, 33, 70, 136]));
        let k = self.random.of(&[1, 3, 16, 37, 64, 300]);
        if self.chance(2) {
            let (x, w) = (self.operand(&[m, k]), self.constant(&[n, k]));
            let made = self.line(&format!("aten.linear.default(%{x}, %{w})"));
            return self.followed(made, &[m, n]);
        }
        if self.chance(2) {
            let (a, b) = (self.operand(&[3, m, k]), self.operand(&[3, k, n]));
            let made = self.line(&format!("aten.bmm.default(%{a}, %{b})"));
            return self.followed(made, &[3, m, n]);
        }
        let (a, b) = (self.operand(&[m, k]), self.operand(&[k, n]));
        let made = self.line(&format!("aten.mm.default(%{a}, %{b})"));
        self.followed(made, &[m, n])
    }

    fn convolution(&mut self) -> Vec<usize> {
        // Tensor cores take whole eights of channels.
        let whole = self.chance(2);
        let groups = if whole { self.random.of(&[1, 1, 2, 16]) } else { self.random.of(&[1, 1, 2, 6]) };
        let (channels, each) = match groups {
            16 => (1, 1),
            6 => (1, self.random.within(1, 3)),
            _ if whole => (self.random.of(&[8, 24, 64]), self.random.of(&[3, 8, 16])),
            _ => (self.random.within(1, 4), self.random.within(1, 3)),
        };
        let (h, w) = (self.random.within(5, 9), self.random.within(5, 12));
        let [kh, kw] = match groups {
            16 => self.random.of(&[[5, 5], [4, 3]]),
            _ => self.random.of(&[[1, 1], [3, 3], [3, 1], [2, 3]]),
        };
        let (stride, padding) = (self.random.within(1, 3), self.random.within(0, 2));
        let dilation = if kh == 1 || kh > 3 { 1 } else { self.random.within(1, 3) };
        let image = [2, groups * channels, h, w];
        let x = if self.chance(3) { self.operand(&image) } else { self.input(&image) };
        let shape = [groups * each, channels, kh, kw];
        let weight = if self.chance(2) { self.constant(&shape) } else { self.input(&shape) };
        let bias =
            if self.chance(2) { format!("%{}", self.input(&[groups * each])) } else { "None".to_string() };
        let made = self.line(&format!(
            "aten.convolution.default(%{x}, %{weight}, {bias}, [{stride}, {stride}], [{padding}, {padding}], [{dilation}, {dilation}], false, [0, 0], {groups})"
        ));
        match self.chance(2) {
            true => vec![self.line(&format!("aten.relu.default(%{made})"))],
            false => vec![made],
        }
    }

    fn attention(&mut self) -> Vec<usize> {
        let (heads, queries) = (self.random.of(&[1, 2, 4]), self.random.of(&[1, 5, 17, 40]));
        let keys = self.random.of(&[1, 7, 33, 300]);
        let (width, value_width) = (self.random.of(&[4, 16, 40]), self.random.of(&[3, 16]));
        let q = self.input(&[2, heads, queries, width]);
        let k = self.input(&[2, heads, keys, width]);
        let v = self.input(&[2, heads, keys, value_width]);
        let more = match self.random.within(0, 4) {
            0 => ", None, 0.0, true".to_string(),
            1 => format!(", %{}", self.input(&[queries, keys])),
            _ => String::new(),
        };
        let made = self.line(&format!("aten.scaled_dot_product_attention.default(%{q}, %{k}, %{v}{more})"));
        self.followed(made, &[2, heads, queries, value_width])
    }

    /// Both attention, which gives the sums of its scores, and its gradients.
    fn attention_backward(&mut self) -> Vec<usize> {
        let (kv_heads, group) = (self.random.of(&[1, 2]), self.random.of(&[1, 1, 3]));
        let (queries, keys) = (self.random.of(&[1, 5, 17, 40]), self.random.of(&[1, 7, 33, 300]));
        let width = self.random.of(&[4, 16, 40]);
        let query = [2, kv_heads * group, queries, width];
        let key = [2, kv_heads, keys, width];
        let (q, k, v) = (self.operand(&query), self.operand(&key), self.input(&key));
        let grad = self.input(&query);
        let more = match self.random.within(0, 5) {
            0 => ", 0.0, true, scale=0.7".to_string(),
            1 => format!(", 0.0, false, attn_mask=%{}", self.input(&[queries, keys])),
            // Some queries attend nothing.
            2 => {
                let given = self.input(&[2, 1, queries, keys]);
                let mask = self.line(&format!("aten.gt.Scalar(%{given}, 0.4)"));
                format!(", 0.0, false, attn_mask=%{mask}")
            }
            _ => ", 0.0, false".to_string(),
        };
        let (out, sums) = (self.next, self.next + 1);
        let name = "aten._scaled_dot_product_flash_attention_for_cpu";
        let _ = writeln!(self.text, "  %{out}, %{sums} = {name}.default(%{q}, %{k}, %{v}{more})");
        let grads = [sums + 1, sums + 2, sums + 3];
        let _ = writeln!(
            self.text,
            "  %{}, %{}, %{} = {name}_backward.default(%{grad}, %{q}, %{k}, %{v}, %{out}, %{sums}{more})",
            grads[0], grads[1], grads[2]
        );
        self.next += 5;
        // Not all of them are wanted.
        let left_out = self.random.within(0, 4) as usize;
        let mut results: Vec<usize> = (0..3).filter(|k| *k != left_out).map(|k| grads[k]).collect();
        results.extend(self.chance(2).then_some(out));
        results.extend(self.chance(2).then_some(sums));
        results
    }

    fn recurrence(&mut self) -> Vec<usize> {
        let (steps, batch) = (self.random.within(1, 5), self.random.of(&[1, 3, 15]));
        let (width, hidden) = (self.random.of(&[3, 8]), self.random.of(&[1, 5, 16, 40]));
        let (name, gates) = self.random.of(&[("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)]);
        let biases = self.chance(2);
        let x = self.input(&[steps, batch, width]);
        let h = self.input(&[1, batch, hidden]);
        let state = match name {
            "lstm" => format!("[%{h}, %{}]", self.input(&[1, batch, hidden])),
            _ => format!("%{h}"),
        };
        let mut weights =
            vec![self.constant(&[gates * hidden, width]), self.constant(&[gates * hidden, hidden])];
        if biases {
            weights.extend([self.constant(&[gates * hidden]), self.constant(&[gates * hidden])]);
        }
        let weights: Vec<String> = weights.iter().map(|w| format!("%{w}")).collect();
        let first = self.next;
        let outs: Vec<String> =
            (0..if name == "lstm" { 3 } else { 2 }).map(|k| format!("%{}", first + k)).collect();
        let _ = writeln!(
            self.text,
            "  {} = aten.{name}.input(%{x}, {state}, [{}], {biases}, 1, 0.0, false, false, false)",
            outs.join(", "),
            weights.join(", ")
        );
        self.next += outs.len();
        (0..outs.len()).map(|k| first + k).collect()
    }

    /// Lines along a dimension: short ones, long ones, some beside one another, and one that is shared.
    fn scan(&mut self) -> Vec<usize> {
        let rows = self.random.of(&[1, 3, 40]);
        let columns = if rows == 1 && self.chance(3) { 9000 } else { self.random.of(&[1, 5, 17, 33, 130]) };
        let mut x = self.input(&[rows, columns]);
        if self.chance(2) {
            x = self.line(&format!("aten.neg.default(%{x})"));
        }
        let axis = if columns > 1000 { 1 } else { self.random.within(0, 2) };
        match self.random.within(0, 5) {
            0 => vec![self.line(&format!("aten.cumsum.default(%{x}, {axis})"))],
            1 => vec![self.line(&format!("aten.logcumsumexp.default(%{x}, {axis})"))],
            2 if columns < 1000 => vec![self.line(&format!("aten.cumprod.default(%{x}, {axis})"))],
            other => {
                let (name, first) = (if other == 3 { "cummax" } else { "cummin" }, self.next);
                let _ = writeln!(self.text, "  %{first}, %{} = aten.{name}.default(%{x}, {axis})", first + 1);
                self.next += 2;
                vec![first, first + 1]
            }
        }
    }

    /// Points that meet in some of few places, rows of them or each by itself.
    fn scatter(&mut self) -> Vec<usize> {
        let (points, places) = (self.random.of(&[1, 9, 17, 60, 300]), self.random.of(&[1, 5, 40]));
        let width = self.random.of(&[1, 3, 130]);
        let of_rows = self.chance(2);
        let x = self.input(&[places, width]);
        let y = self.input(&[points, width]);
        let by = if of_rows { self.input(&[points]) } else { self.input(&[points, width]) };
        let order = self.line(&format!("aten.argsort.default(%{by}, 0)"));
        let at = self.line(&format!("aten.remainder.Scalar(%{order}, {places})"));
        let made = match (of_rows, self.random.within(0, 3)) {
            (true, 0) => format!("aten.index_put.default(%{x}, [%{at}], %{y})"),
            (true, _) => format!("aten.index_add.default(%{x}, 0, %{at}, %{y})"),
            (false, 0) => format!("aten.scatter.src(%{x}, 0, %{at}, %{y})"),
            (false, 1) => format!("aten.scatter_reduce.two(%{x}, 0, %{at}, %{y}, \"amax\")"),
            (false, _) => format!("aten.scatter_add.default(%{x}, 0, %{at}, %{y})"),
        };
        vec![self.line(&made)]
    }

    fn sort(&mut self) -> Vec<usize> {
        let (rows, columns) = (self.random.within(1, 5), self.random.of(&[1, 2, 33, 130]));
        let mut x = self.input(&[rows, columns]);
        if self.chance(2) {
            x = self.line(&format!("aten.neg.default(%{x})"));
        }
        let (axis, descending) = (self.random.within(0, 2), self.chance(2));
        let first = self.next;
        if self.chance(3) {
            let kept = self.random.within(1, columns + 1);
            let _ = writeln!(
                self.text,
                "  %{first}, %{} = aten.topk.default(%{x}, {kept}, 1, {descending})",
                first + 1
            );
            self.next += 2;
            return vec![first];
        }
        let _ = writeln!(
            self.text,
            "  %{first}, %{} = aten.sort.stable(%{x}, stable=true, dim={axis}, descending={descending})",
            first + 1
        );
        self.next += 2;
        vec![first, first + 1]
    }
}
