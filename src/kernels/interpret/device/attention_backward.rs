//! Interprets calls of the templates of attention's gradients for a GPU. A block computes some rows of one result, from all rows of the other
//! side that they attend to.

use super::attention::{Attention, Rows, dot};
use crate::kernels::TemplateCall;
use crate::kernels::interpret::Fault;
use crate::kernels::interpret::template::{Source, add_products, ceil, needed, wrong};
use crate::kernels::interpret::thread::{Thread, World};
use crate::loops::{BinaryOp, Number, UnaryOp};

type Result<T> = std::result::Result<T, Fault>;

/// A result's memory, and its strides of batch, head and row.
type To = Option<(Source, [i64; 3])>;

impl<'k> Thread<'k> {
    /// The rows of a block, as batch, head and first row. `last_first`: of neighbouring blocks the first have the last tiles.
    fn rows_in_order(
        &self,
        world: &World<'_>,
        call: &TemplateCall,
        a: &Attention,
        [heads, size]: [i64; 2],
        ([rows, near], last_first): ([i64; 2], bool),
    ) -> Result<[i64; 3]> {
        if rows < 1 || near < 1 {
            return Err(wrong(call));
        }
        let tiles = ceil(size, rows);
        self.one_each(world, a.batch * heads * tiles)?;
        let block = i64::from(self.stamp.block);
        let (section, within) = (block / (near * tiles), block % (near * tiles));
        let width = near.min(a.batch * heads - section * near);
        let (tile, which) = (within / width, section * near + within % width);
        let tile = if last_first { tiles - 1 - tile } else { tile };
        Ok([which / heads, which % heads, tile * rows])
    }

    pub(super) fn gradient_of_queries(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        a: &Attention,
        [rows, near]: [i64; 2],
    ) -> Result<()> {
        let order = ([rows, near], true);
        let [batch, head, first] = self.rows_in_order(world, call, a, [a.heads, a.queries], order)?;
        let to = self.result(world, call, 4)?;
        let other = head / a.group();
        let attended = self.place_of(world, call, needed(call, 3)?, &[batch, head])?;
        let operands = self.tensors(world, call)?;
        let [keys, values] = self.keys_and_values(world, call, a, &operands, [batch, other])?;
        for query in first..(first + rows).min(a.queries) {
            let row = self.query_row(world, call, a, &operands, [batch, head, query])?;
            let mut sums = vec![Number::zero(a.dtype); a.widths[0].max(0) as usize];
            for key in a.attended(query, attended) {
                let (own, beside) = (&keys[key as usize], &values[key as usize]);
                let (_, slope) = self.weight(world, call, a, &row, (key, own, beside))?;
                add_products(a.dtype, &mut sums, slope, own);
            }
            self.store_row(world, a, to, ([batch, head, query], true), sums)?;
        }
        Ok(())
    }

    pub(super) fn gradient_of_keys(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        a: &Attention,
        [rows, near]: [i64; 2],
    ) -> Result<()> {
        let order = ([rows, near], false);
        let [batch, shared, first] = self.rows_in_order(world, call, a, [a.kv_heads, a.keys], order)?;
        let (to_key, to_value) = (self.result(world, call, 4)?, self.result(world, call, 5)?);
        let operands = self.tensors(world, call)?;
        let [keys, values] = self.keys_and_values(world, call, a, &operands, [batch, shared])?;
        let own = first..(first + rows).min(a.keys);
        let zeros =
            |width: i64| vec![vec![Number::zero(a.dtype); width.max(0) as usize]; own.clone().count()];
        let (mut of_keys, mut of_values) = (zeros(a.widths[0]), zeros(a.widths[1]));
        for head in shared * a.group()..(shared + 1) * a.group() {
            let attended = self.place_of(world, call, needed(call, 3)?, &[batch, head])?;
            for query in 0..a.queries {
                let met = a.attended(query, attended);
                let met = met.start.max(own.start)..met.end.min(own.end);
                if met.is_empty() {
                    continue;
                }
                let row = self.query_row(world, call, a, &operands, [batch, head, query])?;
                for key in met {
                    let (there, beside) = (&keys[key as usize], &values[key as usize]);
                    let (weight, slope) = self.weight(world, call, a, &row, (key, there, beside))?;
                    let at = (key - own.start) as usize;
                    add_products(a.dtype, &mut of_values[at], weight, &row.cotangent);
                    add_products(a.dtype, &mut of_keys[at], slope, &row.query);
                }
            }
        }
        for (key, (of_key, of_value)) in own.zip(of_keys.into_iter().zip(of_values)) {
            self.store_row(world, a, to_key, ([batch, shared, key], true), of_key)?;
            self.store_row(world, a, to_value, ([batch, shared, key], false), of_value)?;
        }
        Ok(())
    }

    /// Query, cotangent, key and value.
    fn tensors(&mut self, world: &mut World<'k>, call: &TemplateCall) -> Result<[Rows; 4]> {
        let mut rows = |k| self.rows(world, call, k);
        Ok([rows(0)?, rows(1)?, rows(2)?, rows(3)?])
    }

    fn keys_and_values(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        a: &Attention,
        operands: &[Rows; 4],
        [batch, head]: [i64; 2],
    ) -> Result<[Vec<Vec<Number>>; 2]> {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for key in 0..a.keys {
            let at = [batch, head, key];
            keys.push(self.row_of(world, call, operands[2], (at, a.widths[0], a.dtype))?);
            values.push(self.row_of(world, call, operands[3], (at, a.widths[1], a.dtype))?);
        }
        Ok([keys, values])
    }

    fn query_row(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        a: &Attention,
        operands: &[Rows; 4],
        at: [i64; 3],
    ) -> Result<Row> {
        let query = self.row_of(world, call, operands[0], (at, a.widths[0], a.dtype))?;
        let cotangent = self.row_of(world, call, operands[1], (at, a.widths[1], a.dtype))?;
        let log_sum = self.element_of(world, call, needed(call, 1)?, &at, &[])?;
        let mean = self.element_of(world, call, needed(call, 2)?, &at, &[])?;
        Ok(Row { at, query, cotangent, log_sum, mean })
    }

    /// A query's weight for a key, and the score's cotangent, as factors of products.
    fn weight(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        a: &Attention,
        row: &Row,
        (key, own, value): (i64, &[Number], &[Number]),
    ) -> Result<(Number, Number)> {
        let [batch, head, query] = row.at;
        let product = dot(a, &row.query, own);
        let score = self.score_of(world, call, a, [batch, head, query, key], product)?;
        let weight = a.binary(BinaryOp::Sub, score, row.log_sum).unary(UnaryOp::Exp, a.dtype);
        let less = a.binary(BinaryOp::Sub, dot(a, &row.cotangent, value), row.mean);
        Ok((a.rounded(weight), a.rounded(a.binary(BinaryOp::Mul, weight, less))))
    }

    fn result(&mut self, world: &mut World<'k>, call: &TemplateCall, k: usize) -> Result<To> {
        use crate::kernels::Operand;
        match call.operands.get(k) {
            Some(Operand::Absent) => Ok(None),
            Some(Operand::Memory(memory)) => {
                Ok(Some((self.source(world, memory)?, self.indices(world, call, memory)?)))
            }
            _ => Err(wrong(call)),
        }
    }

    /// Writes a row of sums, times the scale where it is so, where the result is wanted.
    fn store_row(
        &mut self,
        world: &mut World<'k>,
        a: &Attention,
        to: To,
        ([batch, head, row], scaled): ([i64; 3], bool),
        sums: Vec<Number>,
    ) -> Result<()> {
        let Some((to, strides)) = to else { return Ok(()) };
        let first = batch * strides[0] + head * strides[1] + row * strides[2];
        for (d, sum) in sums.into_iter().enumerate() {
            let sum = if scaled { a.binary(BinaryOp::Mul, sum, a.scale) } else { sum };
            self.write(world, to, first + d as i64, (a.dtype, sum))?;
        }
        Ok(())
    }
}

/// A query and what its gradient needs.
struct Row {
    at: [i64; 3],
    query: Vec<Number>,
    cotangent: Vec<Number>,
    log_sum: Number,
    mean: Number,
}
