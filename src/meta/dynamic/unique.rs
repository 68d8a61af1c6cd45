//! Distinct elements and rows: sorted, cut into runs of equal ones, and the first of each run kept.

use super::{Expand, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::meta::{MetaError, distinct};
use crate::types::{Dtype, SymInt};

/// Rows longer than this are not sorted column by column (see `distinct`).
const MOST_COLUMNS: i64 = 64;

impl Expand<'_, '_> {
    /// True in every row of a sorted tensor that differs from the one before it.
    fn starts(&mut self, rows: Value) -> Result<Value, MetaError> {
        let (one, zero) = (self.ints(&[1]), self.ints(&[0]));
        let before = self.call("aten.roll.default", vec![v(rows), one, zero])?;
        let mut differs = self.call("aten.ne.Tensor", vec![v(rows), v(before)])?;
        if self.shape(differs).len() > 1 {
            differs = self.call("aten.any.dim", vec![v(differs), self.int(1)])?;
        }
        let size = self.shape(rows)[0];
        let position = self.arange(size)?;
        let first = self.call("aten.eq.Scalar", vec![v(position), self.int(0)])?;
        self.call("aten.logical_or.default", vec![v(differs), v(first)])
    }

    /// The first of each run, which run each row is in, and how long runs are, of sorted rows.
    fn runs(&mut self, rows: Value) -> Result<(Value, Value, Value), MetaError> {
        let starts = self.starts(rows)?;
        let number = self.call("aten.cumsum.default", vec![v(starts), self.int(0)])?;
        let run = self.call("aten.sub.Scalar", vec![v(number), self.int(1)])?;
        let count = self.count(starts)?;
        let places = self.nonzero_of(starts, count)?;
        let first = self.call("aten.select.int", vec![v(places), self.int(1), self.int(0)])?;
        let (back, zero) = (self.ints(&[-1]), self.ints(&[0]));
        let next = self.call("aten.roll.default", vec![v(first), back, zero])?;
        let position = self.arange(count)?;
        let syms = self.b.graph.syms.clone();
        let last = self.call("aten.eq.Scalar", vec![v(position), Arg::Int(syms.add_const(count, -1))])?;
        let size = self.shape(rows)[0];
        let end = self.call("aten.where.ScalarSelf", vec![v(last), Arg::Int(size), v(next)])?;
        let length = self.call("aten.sub.Tensor", vec![v(end), v(first)])?;
        Ok((first, run, length))
    }
    fn nothing(&mut self) -> Result<Value, MetaError> {
        let zero = self.ints(&[0]);
        self.b.op_with("aten.empty.memory_format", vec![zero], vec![("dtype", Arg::Dtype(Dtype::Int64))])
    }
    /// `run` of each row, in the order that `order` sorted.
    fn unsort(&mut self, run: Value, order: Value) -> Result<Value, MetaError> {
        self.call("aten.scatter.src", vec![v(order), self.int(0), v(order), v(run)])
    }

    pub(super) fn unique2(&mut self) -> Results {
        let own = self.value("self")?;
        let flat = self.flat(own)?;
        let sorted = self.sort(flat)?;
        let (first, run, length) = self.runs(sorted[0])?;
        let values = self.call("aten.index_select.default", vec![v(sorted[0]), self.int(0), v(first)])?;
        let inverse = match self.flag("return_inverse") {
            true => {
                let inverse = self.unsort(run, sorted[1])?;
                let shape = self.shape(own);
                self.call("aten.reshape.default", vec![v(inverse), Arg::Ints(shape)])?
            }
            false => self.nothing()?,
        };
        let counts = if self.flag("return_counts") { length } else { self.nothing()? };
        Ok(vec![values, inverse, counts])
    }
    /// Values in order, and where they came from; equal ones stay in their order.
    fn sort(&mut self, flat: Value) -> Results {
        let named = vec![("stable".to_string(), Arg::Bool(true)), ("dim".to_string(), self.int(0))];
        self.b.call_named("aten.sort.stable", vec![v(flat)], named)
    }

    pub(super) fn unique_consecutive(&mut self) -> Results {
        let own = self.value("self")?;
        // The only dimension is as good as none.
        let dim = self.known("dim").filter(|dim| *dim != 0 || self.shape(own).len() != 1);
        let (rows, dim) = match dim {
            None => (self.flat(own)?, None),
            Some(given) => {
                let dim = self.dim(given, self.shape(own).len())?;
                (self.rows(own, dim)?, Some(dim))
            }
        };
        let (first, run, length) = self.runs(rows)?;
        let (from, along) = match dim {
            None => (rows, 0),
            Some(dim) => (own, dim as i64),
        };
        let mut values = self.call("aten.index_select.default", vec![v(from), self.int(along), v(first)])?;
        if let Some(dim) = dim {
            values = self.outermost(values, dim)?;
        }
        // Along a dimension PyTorch gives both, asked for or not.
        let inverse = match (self.flag("return_inverse"), dim) {
            (_, Some(_)) => run,
            (false, None) => self.nothing()?,
            (true, None) => {
                let shape = self.shape(own);
                self.call("aten.reshape.default", vec![v(run), Arg::Ints(shape)])?
            }
        };
        let counts = if dim.is_some() || self.flag("return_counts") { length } else { self.nothing()? };
        Ok(vec![values, inverse, counts])
    }
    /// `[size of dim, everything else]`
    fn rows(&mut self, own: Value, dim: usize) -> Result<Value, MetaError> {
        let syms = self.b.graph.syms.clone();
        let shape = self.shape(own);
        let empty = |size: &SymInt| syms.as_const(*size) == Some(0);
        let selected = shape.get(dim).ok_or_else(|| {
            self.error(Status::Shape, "a 0-d tensor has no dimension to find equal rows along")
        })?;
        if !empty(selected) && shape.iter().any(empty) || shape.iter().filter(|s| empty(s)).count() > 1 {
            return Err(self.error(Status::Shape, "rows without elements cannot be told apart"));
        }
        let moved = self.call("aten.movedim.int", vec![v(own), self.int(dim as i64), self.int(0)])?;
        let shape = self.shape(moved);
        if shape.is_empty() {
            return Err(self.error(Status::Shape, "a 0-d tensor has no dimension `dim`"));
        }
        let rest = self.b.graph.syms.product(&shape[1..]);
        self.call("aten.reshape.default", vec![v(moved), Arg::Ints(vec![shape[0], rest])])
    }

    /// The order in which rows ascend; equal ones stay in their order.
    fn order_of_rows(&mut self, rows: Value, columns: i64) -> Result<Value, MetaError> {
        let count = self.shape(rows)[0];
        if columns > MOST_COLUMNS {
            return distinct::order_of_rows(self.b, rows, columns);
        }
        let mut order = self.arange(count)?;
        for column in (0..columns).rev() {
            let keys = self.call("aten.select.int", vec![v(rows), self.int(1), self.int(column)])?;
            let keys = self.call("aten.index_select.default", vec![v(keys), self.int(0), v(order)])?;
            let by = self.sort(keys)?[1];
            order = self.call("aten.index_select.default", vec![v(order), self.int(0), v(by)])?;
        }
        Ok(order)
    }

    pub(super) fn unique_dim(&mut self) -> Results {
        let own = self.value("self")?;
        let given =
            self.known("dim").ok_or_else(|| self.error(Status::Unsupported, "`dim` must be known"))?;
        let dim = self.dim(given, self.shape(own).len())?;
        let rows = self.rows(own, dim)?;
        let shape = self.shape(rows);
        let columns = self.b.graph.syms.as_const(shape[1]);
        let columns = columns.ok_or_else(|| {
            self.error(Status::Unsupported, "unique rows of which only a run knows the length".to_string())
        })?;
        let order = self.order_of_rows(rows, columns)?;
        let sorted = self.call("aten.index_select.default", vec![v(rows), self.int(0), v(order)])?;
        let (first, run, length) = self.runs(sorted)?;
        let chosen = self.call("aten.index_select.default", vec![v(order), self.int(0), v(first)])?;
        let values = self.call("aten.index_select.default", vec![v(own), self.int(dim as i64), v(chosen)])?;
        let values = self.outermost(values, dim)?;
        // PyTorch gives the inverse and the counts, asked for or not.
        let inverse = self.unsort(run, order)?;
        Ok(vec![values, inverse, length])
    }
}
