//! Interprets calls of templates that work row by row: attention, recurrences and sorts.

use super::Fault;
use super::template::{Given, Source, add_products, all, ceil, fused, needed, wrong};
use super::thread::{Thread, Where, World};
use crate::base::StableSort;
use crate::kernels::TemplateCall;
use crate::loops::{BinaryOp, Cell, Number, UnaryOp};
use crate::templates::recurrence::PANEL;
use crate::templates::scan_sort::KEYED_BYTES;
use crate::types::{Dtype, Scalar};
use std::cmp::Ordering;

type Result<T> = std::result::Result<T, Fault>;

impl<'k> Thread<'k> {
    /// A task is so many queries of a head; scores are changed in pieces of so many keys.
    pub(super) fn attention(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
        (dtype, scale, causal, zeros): (Dtype, f64, bool, bool),
        [queries_of_task, keys_of_piece]: [i64; 2],
    ) -> Result<()> {
        let [_, heads, kv_heads, queries, keys, width, value_width, rest @ ..]: [i64; 16] =
            all(call, numbers)?;
        let mut operands = Vec::with_capacity(3);
        for k in 0..3 {
            operands.push(self.memory(world, call, k)?.ok_or_else(|| wrong(call))?);
        }
        if queries_of_task < 1 || keys_of_piece < 1 {
            return Err(wrong(call));
        }
        let blocks = ceil(queries, queries_of_task);
        let scale = Number::constant(Scalar::Float(scale), dtype);
        let epilogue = needed(call, 1)?;
        for task in self.place.begin..self.place.end {
            let (line, first) = (task / blocks, task % blocks * queries_of_task);
            let (batch, head) = (line / heads, line % heads);
            let other = head * kv_heads / heads;
            // The first element of each operand's rows.
            let at = |k: usize, head: i64| batch * rest[3 * k] + head * rest[3 * k + 1];
            let firsts = [at(0, head), at(1, other), at(2, other)];
            for query in first..(first + queries_of_task).min(queries) {
                let seen = if causal { keys.min(query + 1) } else { keys };
                let own = self.line(world, operands[0], firsts[0] + query * rest[2], width, dtype)?;
                let mut scores = Vec::with_capacity(seen as usize);
                for key in 0..seen {
                    let there = self.line(world, operands[1], firsts[1] + key * rest[5], width, dtype)?;
                    let mut sum = Number::zero(dtype);
                    for (a, b) in own.iter().zip(there) {
                        sum = fused(dtype, *a, b, sum);
                    }
                    scores.push(Some(Number::binary(BinaryOp::Mul, dtype, sum, scale)));
                }
                if let Some(score) = call.regions[0] {
                    let mut begin = 0;
                    while begin < seen {
                        let end = begin.saturating_add(keys_of_piece).min(seen);
                        let lent = scores[begin as usize..end as usize].to_vec();
                        let coordinates = &[batch, head, query, begin, end - begin];
                        let changed =
                            self.called(world, call, score, Given { coordinates, lent, values: &[] })?;
                        scores[begin as usize..end as usize].copy_from_slice(&changed);
                        begin = end;
                    }
                }
                let lowest = Number::constant(Scalar::Float(f64::NEG_INFINITY), dtype);
                let greater =
                    |a, b: &Option<Number>| Number::binary(BinaryOp::Maximum, dtype, a, b.unwrap_or(a));
                let most = scores.iter().fold(lowest, greater);
                let base = if Number::binary(BinaryOp::Eq, dtype, most, lowest).is_true() {
                    Number::zero(dtype)
                } else {
                    most
                };
                let mut total = Number::zero(dtype);
                let mut row = vec![Number::zero(dtype); value_width as usize];
                for (key, score) in scores.iter().enumerate() {
                    let less = Number::binary(BinaryOp::Sub, dtype, score.unwrap_or(lowest), base);
                    let weight = less.unary(UnaryOp::Exp, dtype);
                    total = Number::binary(BinaryOp::Add, dtype, total, weight);
                    let place = firsts[2] + key as i64 * rest[8];
                    let value = self.line(world, operands[2], place, value_width, dtype)?;
                    add_products(dtype, &mut row, weight, &value);
                }
                let nothing = Number::binary(BinaryOp::Eq, dtype, total, Number::zero(dtype)).is_true();
                let empty = nothing && (zeros || keys == 0);
                let finished = |v: Number| match empty {
                    true => Number::zero(dtype),
                    false => Number::binary(BinaryOp::Div, dtype, v, total),
                };
                let lent = row.into_iter().map(|v| Some(finished(v))).collect();
                let given = Given { coordinates: &[batch, head, query], lent, values: &[most, total] };
                self.called(world, call, epilogue, given)?;
            }
        }
        Ok(())
    }

    /// A task is a block of rows of the batch, followed through all steps.
    pub(super) fn recurrence(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
        (dtype, cell): (Dtype, Cell),
        (block, reverse): (i64, bool),
    ) -> Result<()> {
        let [steps, batch, hidden, projected, rest @ ..]: [i64; 10] = all(call, numbers)?;
        let [gate_step, gate_row, out_step, out_row, first_row, first_cell_row] = rest;
        let mut operands = [None; 9];
        for (k, operand) in operands.iter_mut().enumerate() {
            *operand = self.memory(world, call, k)?;
        }
        let [gates, weight, bias, first, first_cell, projection, out, last, last_cell] = operands;
        let needed = |operand: Option<Source>| operand.ok_or_else(|| wrong(call));
        let width = cell.gates() * hidden;
        for row in (self.place.begin * block).max(0)..(self.place.end * block).min(batch) {
            let mut h = self.line(world, needed(first)?, row * first_row, projected, dtype)?;
            let mut c = match first_cell {
                Some(source) => self.line(world, source, row * first_cell_row, hidden, dtype)?,
                None => vec![Number::zero(dtype); hidden as usize],
            };
            for k in 0..steps {
                let step = if reverse { steps - 1 - k } else { k };
                let mut sums = self.by_panels(world, needed(weight)?, &h, width, dtype)?;
                if let Some(bias) = bias {
                    let bias = self.line(world, bias, 0, width, dtype)?;
                    for (sum, bias) in sums.iter_mut().zip(bias) {
                        *sum = Number::binary(BinaryOp::Add, dtype, *sum, bias);
                    }
                }
                let place = step * gate_step + row * gate_row;
                let own = self.line(world, needed(gates)?, place, width, dtype)?;
                let mut made = Vec::with_capacity(hidden as usize);
                for j in 0..hidden as usize {
                    let at = |list: &[Number], gate: usize| list[gate * hidden as usize + j];
                    let gate = |k: usize| [at(&own, k), at(&sums, k)];
                    made.push(one_cell(dtype, cell, &gate, h.get(j).copied(), &mut c[j]));
                }
                h = match projection {
                    Some(projection) => self.by_panels(world, projection, &made, projected, dtype)?,
                    None => made,
                };
                for (j, value) in h.iter().enumerate() {
                    let at = step * out_step + row * out_row + j as i64;
                    self.write(world, needed(out)?, at, (dtype, *value))?;
                }
            }
            for (j, value) in h.iter().enumerate() {
                self.write(world, needed(last)?, row * projected + j as i64, (dtype, *value))?;
            }
            if cell == Cell::Lstm {
                for (j, value) in c.iter().enumerate() {
                    self.write(world, needed(last_cell)?, row * hidden + j as i64, (dtype, *value))?;
                }
            }
        }
        Ok(())
    }

    /// A row times a matrix in panels of a recurrence's columns.
    fn by_panels(
        &mut self,
        world: &mut World<'k>,
        source: Source,
        row: &[Number],
        columns: i64,
        dtype: Dtype,
    ) -> Result<Vec<Number>> {
        let depth = row.len() as i64;
        let mut sums = Vec::with_capacity(columns as usize);
        for n in 0..columns {
            let mut sum = Number::zero(dtype);
            for (k, a) in row.iter().enumerate() {
                let at = n / PANEL * depth * PANEL + k as i64 * PANEL + n % PANEL;
                sum = fused(dtype, *a, self.read(world, source, at, dtype)?, sum);
            }
            sums.push(sum);
        }
        Ok(sums)
    }

    /// Keys and their positions in scratch; those beyond `kept` are left in no order, and so are none.
    pub(super) fn sort(
        &mut self,
        world: &mut World<'k>,
        dtype: Dtype,
        descending: bool,
        [count, kept]: [i64; 2],
    ) -> Result<()> {
        let key = |place: i64| Source { place: Where::Scratch, first: place * KEYED_BYTES, dtype };
        let position = |place: i64| Source {
            place: Where::Scratch,
            first: place * KEYED_BYTES + 8,
            dtype: Dtype::Int64,
        };
        let mut keyed = Vec::with_capacity(count.max(0) as usize);
        for k in 0..count {
            let value = self.read(world, key(k), 0, dtype)?;
            keyed.push((value, self.read(world, position(k), 0, Dtype::Int64)?));
        }
        for (k, (value, place)) in
            sorted(keyed, dtype, descending).into_iter().enumerate().take(kept.max(0) as usize)
        {
            self.write(world, key(k as i64), 0, (dtype, value))?;
            self.write(world, position(k as i64), 0, (Dtype::Int64, place))?;
        }
        Ok(())
    }
}

/// Keys with their positions, in order.
pub(super) fn sorted(
    mut keyed: Vec<(Number, Number)>,
    dtype: Dtype,
    descending: bool,
) -> Vec<(Number, Number)> {
    keyed.stable_sort_by(|a, b| {
        let order = compare(dtype, a.0, b.0);
        if descending { order.reverse() } else { order }
    });
    keyed
}

/// A NaN is the largest.
fn compare(dtype: Dtype, a: Number, b: Number) -> Ordering {
    let less = |a, b| Number::binary(BinaryOp::Lt, dtype, a, b).is_true();
    match (a.is_nan(), b.is_nan()) {
        (false, false) if less(a, b) => Ordering::Less,
        (false, false) if less(b, a) => Ordering::Greater,
        (false, false) => Ordering::Equal,
        (a, b) => a.cmp(&b),
    }
}

/// A cell of a recurrence: `gate(k)` are the input's and the hidden values' part of gate k.
pub(super) fn one_cell(
    dtype: Dtype,
    cell: Cell,
    gate: &dyn Fn(usize) -> [Number; 2],
    hidden: Option<Number>,
    state: &mut Number,
) -> Number {
    let two = |op, a, b| Number::binary(op, dtype, a, b);
    let sum = |k: usize| two(BinaryOp::Add, gate(k)[0], gate(k)[1]);
    let sigmoid = |k: usize| sum(k).unary(UnaryOp::Sigmoid, dtype);
    let tanh = |v: Number| v.unary(UnaryOp::Tanh, dtype);
    match cell {
        Cell::Tanh => tanh(sum(0)),
        Cell::Relu => {
            let (sum, zero) = (sum(0), Number::zero(dtype));
            if two(BinaryOp::Lt, sum, zero).is_true() { zero } else { sum }
        }
        Cell::Lstm => {
            let kept = two(BinaryOp::Mul, sigmoid(1), *state);
            let new = two(BinaryOp::Mul, sigmoid(0), tanh(sum(2)));
            *state = two(BinaryOp::Add, kept, new);
            two(BinaryOp::Mul, sigmoid(3), tanh(*state))
        }
        Cell::Gru => {
            let [x, g] = gate(2);
            let fresh = tanh(two(BinaryOp::Add, x, two(BinaryOp::Mul, sigmoid(0), g)));
            let old = hidden.unwrap_or(Number::zero(dtype));
            two(BinaryOp::Add, two(BinaryOp::Mul, two(BinaryOp::Sub, old, fresh), sigmoid(1)), fresh)
        }
    }
}
