//! Interprets calls of a CPU's template of attention's gradients, query by query.

use super::Fault;
use super::template::{Given, Source, add_products, all, fused, wrong};
use super::thread::{Thread, World};
use crate::kernels::TemplateCall;
use crate::loops::{BinaryOp, Number, UnaryOp};
use crate::types::{Dtype, Scalar};

type Result<T> = std::result::Result<T, Fault>;

/// Everything is computed in it.
const DTYPE: Dtype = Dtype::Float32;

/// Rows of sums.
struct Sums(Vec<Vec<Number>>);

impl Sums {
    fn zeros(rows: i64, columns: i64) -> Sums {
        Sums(vec![vec![Number::zero(DTYPE); columns.max(0) as usize]; rows.max(0) as usize])
    }
}

impl<'k> Thread<'k> {
    /// A task is one head of keys and values, with the heads of queries that read it; scores are changed in pieces of so many keys.
    pub(super) fn attention_backward(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
        (scale, causal): (f64, bool),
        keys_of_piece: i64,
    ) -> Result<()> {
        let [_, heads, kv_heads, queries, keys, width, value_width, rest @ ..]: [i64; 37] =
            all(call, numbers)?;
        let read =
            |operand: usize, batch: i64, head: i64| batch * rest[3 * operand] + head * rest[3 * operand + 1];
        let row = |operand: usize| rest[3 * operand + 2];
        let mut operands = Vec::with_capacity(6);
        for k in 0..6 {
            operands.push(self.memory(world, call, k)?.ok_or_else(|| wrong(call))?);
        }
        if keys_of_piece < 1 || kv_heads < 1 {
            return Err(wrong(call));
        }
        // Weights and their cotangents are multiplied in the type of the operands.
        let stored = operands[0].dtype;
        let rounded = |v: Number| v.cast(DTYPE, stored).cast(stored, DTYPE);
        let binary = |op: BinaryOp, a: Number, b: Number| Number::binary(op, DTYPE, a, b);
        let factor = Number::constant(Scalar::Float(scale), DTYPE);
        let group = heads / kv_heads;
        for task in self.place.begin..self.place.end {
            let (batch, shared) = (task / kv_heads, task % kv_heads);
            let [key_at, value_at] = [1, 2].map(|operand| read(operand, batch, shared));
            let (mut key_rows, mut value_rows) = (Vec::new(), Vec::new());
            for key in 0..keys {
                key_rows.push(self.line(world, operands[1], key_at + key * row(1), width, DTYPE)?);
                value_rows.push(self.line(
                    world,
                    operands[2],
                    value_at + key * row(2),
                    value_width,
                    DTYPE,
                )?);
            }
            let (mut of_keys, mut of_values) = (Sums::zeros(keys, width), Sums::zeros(keys, value_width));
            for head in shared * group..(shared + 1) * group {
                let mut of_queries = Sums::zeros(queries, width);
                for query in 0..queries {
                    let place = |operand: usize| read(operand, batch, head) + query * row(operand);
                    let own = self.line(world, operands[0], place(0), width, DTYPE)?;
                    let cotangent = self.line(world, operands[3], place(3), value_width, DTYPE)?;
                    let log_sum = self.read(world, operands[4], place(4), DTYPE)?;
                    let mean = self.read(world, operands[5], place(5), DTYPE)?;
                    let seen = if causal { keys.min(query + 1) } else { keys };
                    let mut scores = Vec::with_capacity(seen as usize);
                    for key_row in &key_rows[..seen as usize] {
                        scores.push(Some(binary(BinaryOp::Mul, dot(&own, key_row), factor)));
                    }
                    if let Some(score) = call.regions[0] {
                        for begin in (0..seen).step_by(keys_of_piece as usize) {
                            let end = begin.saturating_add(keys_of_piece).min(seen);
                            let lent = scores[begin as usize..end as usize].to_vec();
                            let coordinates = &[batch, head, query, begin, end - begin];
                            let given = Given { coordinates, lent, values: &[] };
                            let changed = self.called(world, call, score, given)?;
                            scores[begin as usize..end as usize].copy_from_slice(&changed);
                        }
                    }
                    for (key, score) in scores.into_iter().enumerate() {
                        let score = score.ok_or_else(|| wrong(call))?;
                        let weight = binary(BinaryOp::Sub, score, log_sum).unary(UnaryOp::Exp, DTYPE);
                        let less = binary(BinaryOp::Sub, dot(&cotangent, &value_rows[key]), mean);
                        let slope = binary(BinaryOp::Mul, binary(BinaryOp::Mul, weight, less), factor);
                        let (weight, slope) = (rounded(weight), rounded(slope));
                        add_products(DTYPE, &mut of_values.0[key], weight, &cotangent);
                        add_products(DTYPE, &mut of_keys.0[key], slope, &own);
                        add_products(DTYPE, &mut of_queries.0[query as usize], slope, &key_rows[key]);
                    }
                }
                self.store_sums(world, call, (6, [batch, head], &rest[18..22]), of_queries)?;
            }
            self.store_sums(world, call, (7, [batch, shared], &rest[22..26]), of_keys)?;
            self.store_sums(world, call, (8, [batch, shared], &rest[26..30]), of_values)?;
        }
        Ok(())
    }

    /// Writes rows to an operand of four strides, where it is wanted.
    fn store_sums(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        (operand, at, strides): (usize, [i64; 2], &[i64]),
        sums: Sums,
    ) -> Result<()> {
        let Some(to): Option<Source> = self.memory(world, call, operand)? else { return Ok(()) };
        let first = at[0] * strides[0] + at[1] * strides[1];
        for (r, row) in sums.0.into_iter().enumerate() {
            for (c, sum) in row.into_iter().enumerate() {
                self.write(world, to, first + r as i64 * strides[2] + c as i64 * strides[3], (DTYPE, sum))?;
            }
        }
        Ok(())
    }
}

fn dot(a: &[Number], b: &[Number]) -> Number {
    a.iter().zip(b).fold(Number::zero(DTYPE), |sum, (a, b)| fused(DTYPE, *a, *b, sum))
}
