//! Random graphs round attention and its gradients, in sizes that choose each of a GPU's forms: by elements, few queries, tiles in
//! ordinary arithmetic and on tensor cores, and blocks that share keys; with masks, bands and heads that share keys.

use super::programs::Case;
use super::random::Random;
use litz::types::Dtype;
use std::fmt::Write as _;

const DTYPES: [Dtype; 4] = [Dtype::Bfloat16, Dtype::Float32, Dtype::Float16, Dtype::Float64];

struct Writer {
    dtype: Dtype,
    random: Random,
    text: String,
    inputs: Vec<Vec<i64>>,
    next: usize,
}

/// Sizes of attention.
#[derive(Clone, Copy)]
struct Sizes {
    batch: i64,
    heads: i64,
    kv_heads: i64,
    queries: i64,
    keys: i64,
    width: i64,
    value_width: i64,
}

/// The graph of attention of this number.
pub fn attention_case(number: usize) -> Case {
    case(number, DTYPES[number % DTYPES.len()], Writer::attention)
}

/// The graph of this number with attention's gradients, which a GPU has of halves.
pub fn gradients_case(number: usize) -> Case {
    case(number, [Dtype::Bfloat16, Dtype::Float16][number % 2], Writer::gradients)
}

fn case(number: usize, dtype: Dtype, write: impl FnOnce(&mut Writer) -> Vec<usize>) -> Case {
    let random = Random(number as u64 ^ 0xa77e);
    let mut w = Writer { dtype, random, text: String::new(), inputs: Vec::new(), next: 0 };
    let results = write(&mut w);
    let mut text = String::from("graph \"attention\" {\n") + &w.text;
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
    fn line(&mut self, call: &str) -> usize {
        self.named(&format!("%% = {call}"))
    }
    fn input(&mut self, shape: &[i64]) -> usize {
        self.inputs.push(shape.to_vec());
        let (k, dtype) = (self.inputs.len(), self.dtype);
        self.named(&format!("input %% \"x{k}\": {dtype}{shape:?}"))
    }
    /// Heads of rows: as they are, with heads beside one another in memory, or computed.
    fn heads(&mut self, [batch, heads, rows, width]: [i64; 4]) -> usize {
        match self.random.within(0, 5) {
            0 => {
                let given = self.input(&[batch, rows, heads, width]);
                self.line(&format!("aten.transpose.int(%{given}, 1, 2)"))
            }
            1 => {
                let given = self.input(&[batch, heads, rows, width]);
                self.line(&format!("aten.relu.default(%{given})"))
            }
            _ => self.input(&[batch, heads, rows, width]),
        }
    }

    fn sizes(&mut self) -> Sizes {
        let (kv_heads, group) = (self.random.of(&[1, 1, 2]), self.random.of(&[1, 1, 2, 3]));
        let (batch, queries) = (self.random.of(&[1, 1, 2]), self.random.of(&[1, 3, 9, 17, 70, 150]));
        let keys = self.random.of(&[1, 7, 33, 90, 260, 600]);
        // Long rows of both would take long.
        let keys = if queries > 20 { keys.min(150) } else { keys };
        let width = self.random.of(&[3, 4, 6, 8, 16, 40, 72]);
        let value_width = self.random.of(&[width, width, 5, 8, 16, 24]);
        Sizes { batch, heads: kv_heads * group, kv_heads, queries, keys, width, value_width }
    }

    /// A condition on how far a key is from a query; some queries may have none.
    fn window(&mut self, s: Sizes) -> usize {
        let (query, key) = (
            self.line(&format!("aten.arange.default({})", s.queries)),
            self.line(&format!("aten.arange.default({})", s.keys)),
        );
        let query = self.line(&format!("aten.unsqueeze.default(%{query}, 1)"));
        let far = self.line(&format!("aten.sub.Tensor(%{key}, %{query})"));
        let upper = self.random.of(&[0, 2, s.keys - s.queries]);
        let near = self.line(&format!("aten.le.Scalar(%{far}, {upper})"));
        if self.random.once_in(2) {
            return near;
        }
        let lower = upper - self.random.of(&[0, 5, 40]);
        let within = self.line(&format!("aten.ge.Scalar(%{far}, {lower})"));
        self.line(&format!("aten.logical_and.default(%{near}, %{within})"))
    }
    /// A mask: numbers, a condition that data give, a window, or none.
    fn mask(&mut self, s: Sizes) -> Option<usize> {
        match self.random.within(0, 5) {
            0 => Some(self.input(&[s.queries, s.keys])),
            1 => {
                let given = self.input(&[s.batch, 1, s.queries, s.keys]);
                Some(self.line(&format!("aten.gt.Scalar(%{given}, 0.3)")))
            }
            2 => Some(self.window(s)),
            _ => None,
        }
    }

    fn attention(&mut self) -> Vec<usize> {
        let mut s = self.sizes();
        if self.dtype == Dtype::Float64 && self.random.once_in(2) {
            // No tile has registers for such values.
            (s.queries, s.keys, s.width, s.value_width) = (9, s.keys.min(40), 4, 300);
        }
        let Sizes { batch, heads, kv_heads, queries, keys, width, value_width } = s;
        let q = self.heads([batch, heads, queries, width]);
        let k = self.heads([batch, kv_heads, keys, width]);
        let v = self.heads([batch, kv_heads, keys, value_width]);
        if heads == kv_heads && self.random.once_in(5) {
            return vec![self.capped(q, k, v)];
        }
        let shared = if heads == kv_heads { "" } else { ", enable_gqa=true" };
        let more = match self.mask(s) {
            Some(mask) => format!(", %{mask}, 0.0, false{shared}"),
            None if self.random.once_in(3) => format!(", None, 0.0, true{shared}"),
            None => format!(", None, 0.0, false{shared}"),
        };
        let made = self.line(&format!("aten.scaled_dot_product_attention.default(%{q}, %{k}, %{v}{more})"));
        let shape = [batch, heads, queries, value_width];
        let mut results = vec![made];
        if self.random.once_in(2) {
            let (bias, last) = (self.input(&shape[3..]), results[0]);
            results.push(self.line(&format!("aten.add.Tensor(%{last}, %{bias})")));
        }
        if self.random.once_in(3) {
            let (last, other) = (results[results.len() - 1], self.input(&shape));
            results.push(self.line(&format!("aten.mul.Tensor(%{last}, %{other})")));
        }
        // Sometimes the template's own result is given out, too.
        let last = results[results.len() - 1];
        if last != made && self.random.once_in(2) { vec![made, last] } else { vec![last] }
    }

    /// Attention as products and a softmax, whose scores are capped.
    fn capped(&mut self, q: usize, k: usize, v: usize) -> usize {
        let k = self.line(&format!("aten.transpose.int(%{k}, -2, -1)"));
        let mut scores = self.line(&format!("aten.matmul.default(%{q}, %{k})"));
        for call in ["mul.Scalar(%%, 0.3)", "tanh.default(%%)", "mul.Scalar(%%, 5.0)"] {
            scores = self.line(&format!("aten.{}", call.replace("%%", &format!("%{scores}"))));
        }
        let weights = self.line(&format!("aten.softmax.int(%{scores}, -1)"));
        self.line(&format!("aten.matmul.default(%{weights}, %{v})"))
    }

    /// Both attention, which gives the sums of its scores, and its gradients.
    fn gradients(&mut self) -> Vec<usize> {
        let mut s = self.sizes();
        s.width = self.random.of(&[8, 16, 40, 72]);
        (s.value_width, s.keys) = (s.width, s.keys.min(150));
        let Sizes { batch, heads, kv_heads, queries, keys, width, .. } = s;
        let q = self.heads([batch, heads, queries, width]);
        let k = self.heads([batch, kv_heads, keys, width]);
        let v = self.heads([batch, kv_heads, keys, width]);
        let grad = self.input(&[batch, heads, queries, width]);
        let more = match self.mask(s) {
            Some(mask) => format!(", 0.0, false, attn_mask=%{mask}"),
            None if self.random.once_in(2) => ", 0.0, true, scale=0.7".to_string(),
            None => ", 0.0, false".to_string(),
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
        let left_out = self.random.within(0, 5) as usize;
        let mut results: Vec<usize> = (0..3).filter(|k| *k != left_out).map(|k| grads[k]).collect();
        results.extend(self.random.once_in(2).then_some(out));
        results.extend(self.random.once_in(2).then_some(sums));
        results
    }
}
