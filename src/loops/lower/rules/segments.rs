//! Runs of consecutive elements reduced each to one. Bags that are all of one size, known from how their offsets were
//! made, are an ordinary reduction; for others every element finds its run's number and is scattered to it.

use super::indexing::checked;
use super::view::{dim_arg, from_meta, infer_of};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, Expr, ExprId, NodeKind, ReductionOp, ScanOp, ScatterMode};
use crate::meta::rules::{BagMode, bag_padding};
use crate::types::{Dtype, Scalar, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// `out = initial` everywhere, then `value` of every point of `sizes` put in at `index`.
fn scattered(
    cx: &mut Lower<'_>,
    out: &[SymInt],
    initial: ExprId,
    sizes: &[SymInt],
    (index, data): (Vec<SymInt>, Vec<ExprId>),
    value: ExprId,
    mode: ScatterMode,
) -> Lazy {
    let dtype = cx.program.exprs.dtype(value);
    let buffer = cx.program.temporary(dtype, out);
    cx.push(NodeKind::Scatter { sizes: sizes.to_vec(), index, data, value, mode, initial, out: buffer });
    cx.load_all(buffer)
}

/// For each of `count` places of the last dimension, how many of `ends` (`[lead.., segments]`) are not behind it:
/// the number of its run, when these are the places where runs end.
fn run_numbers(cx: &mut Lower<'_>, args: &Args<'_>, ends: &Lazy, count: SymInt) -> Lazy {
    let syms = cx.syms();
    let axis = ends.sizes.len() - 1;
    // One place more, for runs that end with the elements.
    let mut marked = ends.sizes.clone();
    marked[axis] = syms.add_const(count, 1);
    let message = format!("{}: segments must lie within the data", args.node.op.name());
    let place = checked(cx, ends.expr, marked[axis], false, message);
    let mut index = cx.vars(&ends.sizes);
    index[axis] = syms.data_var(0);
    let (zero, one) = (cx.program.exprs.int(0, Dtype::Int64), cx.program.exprs.int(1, Dtype::Int64));
    let marks = scattered(cx, &marked, zero, &ends.sizes, (index, vec![place]), one, ScatterMode::Add);
    let out = cx.program.temporary(Dtype::Int64, &marked);
    cx.push(NodeKind::Scan { sizes: marked, axis, op: ScanOp::Sum, value: marks.expr, outs: vec![out] });
    let all = cx.load_all(out);
    let mut sizes = ends.sizes.clone();
    sizes[axis] = count;
    let vars = cx.vars(&sizes);
    let expr = cx.at(&all, &vars);
    Lazy { sizes, expr }
}

/// The elements of `list` from the second on.
fn without_first(cx: &mut Lower<'_>, list: &Lazy) -> Lazy {
    let axis = list.sizes.len() - 1;
    let mut sizes = list.sizes.clone();
    sizes[axis] = cx.syms().add_const(sizes[axis], -1);
    let mut index = cx.vars(&sizes);
    index[axis] = cx.syms().add_const(index[axis], 1);
    let expr = cx.at(list, &index);
    Lazy { sizes, expr }
}

/// A bag operator's tensors and numbers.
struct Bags {
    weight: Lazy,
    indices: Lazy,
    offsets: Lazy,
    scales: Option<Lazy>,
    mode: BagMode,
    /// The row that does not count.
    padding: Option<SymInt>,
    count: SymInt,
    width: SymInt,
    include_last: bool,
    dtype: Dtype,
}

impl Bags {
    fn new(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<Self, LowerError> {
        let infer = infer_of(args);
        let padding = bag_padding(&infer, args.meta("weight")?).map_err(from_meta)?;
        let shape = &args.result(0).shape;
        Ok(Bags {
            weight: args.lazy(cx, "weight")?,
            indices: args.lazy(cx, "indices")?,
            offsets: args.lazy(cx, "offsets")?,
            scales: args.optional_lazy(cx, "per_sample_weights"),
            mode: BagMode::from_number(args.known_int("mode")?).unwrap_or(BagMode::Sum),
            padding,
            count: shape[0],
            width: shape[1],
            include_last: args.bool("include_last_offset"),
            dtype: args.result(0).dtype.compute(),
        })
    }

    /// How many indices every bag has, where the offsets are `0, n, 2n, ..` and the last bag is full too.
    fn even(&self, cx: &Lower<'_>) -> Option<SymInt> {
        let syms = cx.syms();
        let mut expr = self.offsets.expr;
        while let Expr::Cast(Dtype::Int64 | Dtype::Int32, inner) = cx.program.exprs[expr] {
            expr = inner;
        }
        let Expr::Index(place, _) = cx.program.exprs[expr] else { return None };
        let var = cx.vars(&self.offsets.sizes)[0];
        let Some(symbol) = syms.as_symbol(var) else {
            // One offset, which is then 0: one bag of all.
            return (syms.as_const(place) == Some(0) && !self.include_last).then_some(self.indices.sizes[0]);
        };
        let (size, first) = syms.linear_in(place, symbol)?;
        let full = syms.known_eq(self.indices.sizes[0], syms.mul(self.count, size));
        (syms.as_const(first) == Some(0) && full).then_some(size)
    }

    /// The row of the table at a place among the indices, and whether it counts.
    fn row(&self, cx: &mut Lower<'_>, args: &Args<'_>, place: SymInt) -> (ExprId, Option<ExprId>) {
        let index = cx.at(&self.indices, &[place]);
        let message = format!("{}: index out of range in the table", args.node.op.name());
        let row = checked(cx, index, self.weight.sizes[0], false, message);
        let counts = self.padding.map(|padding| {
            let padding = cx.size_as(padding, Dtype::Int64);
            cx.bin(BinaryOp::Ne, row, padding)
        });
        (row, counts)
    }

    /// The table's number for a place among the indices, as it enters the bag; `otherwise` where it does not count.
    fn element(
        &self,
        cx: &mut Lower<'_>,
        args: &Args<'_>,
        place: SymInt,
        column: SymInt,
        otherwise: ExprId,
    ) -> ExprId {
        let (row, counts) = self.row(cx, args, place);
        let index = vec![cx.syms().data_var(0), column];
        let value = cx.at_data(&self.weight, index, vec![row]);
        let mut value = cx.compute(value);
        if let Some(scales) = &self.scales {
            let scale = cx.compute_at(scales, &[place]);
            value = cx.bin(BinaryOp::Mul, value, scale);
        }
        match counts {
            Some(counts) => cx.program.exprs.select(counts, value, otherwise),
            None => value,
        }
    }

    /// What a bag begins with.
    fn start(&self, cx: &mut Lower<'_>) -> ExprId {
        let value = if self.mode == BagMode::Max { f64::NEG_INFINITY } else { 0.0 };
        cx.program.exprs.constant(Scalar::Float(value), self.dtype)
    }

    /// 1 or 0: whether the index at a place counts.
    fn one(&self, cx: &mut Lower<'_>, args: &Args<'_>, place: SymInt) -> ExprId {
        match self.row(cx, args, place).1 {
            Some(counts) => cx.cast(counts, Dtype::Int64),
            None => cx.program.exprs.int(1, Dtype::Int64),
        }
    }

    /// From what the rows sum up to (or their maxima) and how many they are, over `[count, width]`.
    fn finish(&self, cx: &mut Lower<'_>, sums: &Lazy, sizes: &Lazy, dtype: Dtype) -> Lazy {
        let vars = cx.vars(&[self.count, self.width]);
        let size = cx.at(sizes, &vars[..1]);
        let own = self.dtype;
        let mode = self.mode;
        let expr = match mode {
            BagMode::Sum => sums.expr,
            _ => cx.formula(|x| {
                let (sum, size) = (x(sums.expr), x(size));
                let value = match mode {
                    BagMode::Mean => sum / size.maximum(1).cast(own),
                    _ => sum,
                };
                size.gt(0).select(value, value.float(0.0))
            }),
        };
        Lazy { sizes: vec![self.count, self.width], expr: cx.cast(expr, dtype) }
    }
}

pub fn embedding_bag(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut bags = Bags::new(cx, args)?;
    bags.weight = cx.computed(&bags.weight);
    bags.indices = cx.computed(&bags.indices);
    let index = args.result(1).dtype;
    let (sums, sizes, numbers, places) = match bags.even(cx) {
        Some(size) => even_bags(cx, args, &bags, size),
        None => uneven_bags(cx, args, &mut bags)?,
    };
    let values = bags.finish(cx, &sums, &sizes, args.result(0).dtype);
    let mut list = vec![values];
    let maxima = match places {
        None => sizes.clone(),
        Some(places) => {
            // The row at the place; 0 where there is none.
            let vars = cx.vars(&places.sizes);
            let size = cx.at(&sizes, &vars[..1]);
            let last = cx.size_as(cx.syms().add_const(bags.indices.sizes[0], -1), Dtype::Int64);
            let place = cx.formula(|x| x(places.expr).minimum(x(last)).maximum(0));
            let row = cx.at_data(&bags.indices, vec![cx.syms().data_var(0)], vec![place]);
            let row = cx.cast(row, Dtype::Int64);
            let zero = cx.program.exprs.int(0, Dtype::Int64);
            let some = cx.bin(BinaryOp::Gt, size, zero);
            Lazy { sizes: places.sizes.clone(), expr: cx.program.exprs.masked(some, row, zero) }
        }
    };
    for (k, lazy) in [numbers, sizes, maxima].into_iter().enumerate() {
        let shape = args.result(1 + k).shape.clone();
        let unfilled = k > 0 && bags.mode == BagMode::Sum;
        let expr = match cx.syms().as_const(shape[0]) {
            _ if unfilled => cx.program.exprs.int(0, index),
            Some(0) => cx.program.exprs.int(0, index),
            _ => cx.cast(lazy.expr, index),
        };
        list.push(Lazy { sizes: shape, expr });
    }
    Ok(list)
}

/// Sums (or maxima), sizes, the bag of each index, and the places of maxima where they are wanted.
type Parts = (Lazy, Lazy, Lazy, Option<Lazy>);

fn even_bags(cx: &mut Lower<'_>, args: &Args<'_>, bags: &Bags, size: SymInt) -> Parts {
    let syms = cx.syms();
    let sizes = [bags.count, bags.width];
    let vars = cx.vars(&[bags.count, bags.width, size]);
    let place = syms.add(syms.mul(vars[0], size), vars[2]);
    let start = bags.start(cx);
    let element = bags.element(cx, args, place, vars[1], start);
    let wanted = bags.mode == BagMode::Max && cx.is_used(args.node.outputs[3]);
    let op = match bags.mode {
        BagMode::Max if wanted => ReductionOp::MaxWithIndex,
        BagMode::Max => ReductionOp::Max,
        _ => ReductionOp::Sum,
    };
    let made = cx.reduce_all(op, &sizes, &[size], element);
    let counted = match bags.padding {
        None => Lazy { sizes: vec![bags.count], expr: cx.size_as(size, Dtype::Int64) },
        Some(_) => {
            let vars = cx.vars(&[bags.count, size]);
            let one = bags.one(cx, args, syms.add(syms.mul(vars[0], size), vars[1]));
            cx.reduce(ReductionOp::Sum, &[bags.count], &[size], one)
        }
    };
    let places = wanted.then(|| {
        let first = cx.size_as(syms.mul(vars[0], size), Dtype::Int64);
        let expr = cx.bin(BinaryOp::Add, made[1].expr, first);
        Lazy { sizes: sizes.to_vec(), expr }
    });
    let all = vec![bags.indices.sizes[0]];
    let number = syms.floordiv(cx.vars(&all)[0], syms.max(size, syms.constant(1)));
    let expr = cx.program.exprs.index_value(number, Dtype::Int64);
    (made[0].clone(), counted, Lazy { sizes: all, expr }, places)
}

fn uneven_bags(cx: &mut Lower<'_>, args: &Args<'_>, bags: &mut Bags) -> Result<Parts, LowerError> {
    let syms = cx.syms();
    let all = bags.indices.sizes[0];
    let name = args.node.op.name();
    let offsets = cx.computed(&bags.offsets);
    let expr = cx.cast(offsets.expr, Dtype::Int64);
    let offsets = Lazy { sizes: offsets.sizes, expr };
    let sizes = vec![bags.count, bags.width];
    let start = bags.start(cx);
    if syms.as_const(bags.count) == Some(0) {
        let none = cx.program.exprs.int(0, Dtype::Int64);
        let places = (bags.mode == BagMode::Max).then(|| Lazy { sizes: sizes.clone(), expr: none });
        let empty = Lazy { sizes, expr: start };
        let counted = Lazy { sizes: vec![bags.count], expr: none };
        return Ok((empty, counted, Lazy { sizes: vec![all], expr: none }, places));
    }
    let ends = without_first(cx, &offsets);
    let numbers = run_numbers(cx, args, &ends, all);
    // The first bag begins with the first index, the last one ends with the last.
    let first = cx.at(&offsets, &[syms.constant(0)]);
    let zero = cx.program.exprs.int(0, Dtype::Int64);
    let begins = cx.bin(BinaryOp::Eq, first, zero);
    let assertion = cx.assertion(format!("{name}: the first offset must be 0"));
    let number = cx.program.exprs.check(begins, numbers.expr, assertion);
    let message = format!("{name}: the last offset must be the number of indices");
    let number = checked(cx, number, bags.count, false, message);
    let numbers = cx.computed(&Lazy { sizes: vec![all], expr: number });

    let space = [all, bags.width];
    let vars = cx.vars(&space);
    let bag = cx.at(&numbers, &vars[..1]);
    let element = bags.element(cx, args, vars[0], vars[1], start);
    let to = || vec![syms.data_var(0), vars[1]];
    let mode = if bags.mode == BagMode::Max { ScatterMode::Max } else { ScatterMode::Add };
    let made = scattered(cx, &sizes, start, &space, (to(), vec![bag]), element, mode);
    let one = bags.one(cx, args, cx.vars(&[all])[0]);
    let at = (vec![syms.data_var(0)], vec![numbers.expr]);
    let counted = scattered(cx, &[bags.count], zero, &[all], at, one, ScatterMode::Add);
    let wanted = bags.mode == BagMode::Max && cx.is_used(args.node.outputs[3]);
    let places = wanted.then(|| {
        // The first place that has the maximum.
        let most = cx.at_data(&made, to(), vec![bag]);
        let behind = cx.size_as(all, Dtype::Int64);
        let own = cx.program.exprs.index_value(vars[0], Dtype::Int64);
        let is = cx.bin(BinaryOp::Eq, element, most);
        let place = cx.program.exprs.select(is, own, behind);
        scattered(cx, &sizes, behind, &space, (to(), vec![bag]), place, ScatterMode::Min)
    });
    Ok((made, counted, numbers, places))
}

pub fn segment_reduce(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let data = args.lazy(cx, "data")?;
    let axis = dim_arg(args, "axis", data.sizes.len())?;
    let name = args.node.op.name();
    let dtype = out.dtype.compute();
    let int64 = |cx: &mut Lower<'_>, lazy: Lazy| {
        let expr = cx.cast(lazy.expr, Dtype::Int64);
        cx.computed(&Lazy { sizes: lazy.sizes, expr })
    };
    // An element's place is the number of bounds at or before it. Elements before the first offset or behind the last segment get places
    // of their own, which are dropped.
    let (bounds, before) = match args.optional_lazy(cx, "lengths") {
        Some(lengths) => {
            let lengths = int64(cx, lengths);
            let sums = cx.program.temporary(Dtype::Int64, &lengths.sizes);
            let sizes = lengths.sizes.clone();
            cx.push(NodeKind::Scan { sizes, axis, op: ScanOp::Sum, value: lengths.expr, outs: vec![sums] });
            (cx.load_all(sums), 0)
        }
        None => {
            let offsets = args.lazy(cx, "offsets")?;
            (int64(cx, offsets), 1)
        }
    };
    let numbers = run_numbers(cx, args, &bounds, data.sizes[axis]);
    let mut shape = out.shape.clone();
    shape[axis] = cx.syms().add_const(bounds.sizes[axis], 1);
    // PyTorch checks lengths unless the call says `unsafe`. It never checks offsets.
    let (all, message) = match before == 0 && !args.bool("unsafe") {
        true => (out.shape[axis], "the segments must cover the data"),
        false => (shape[axis], "segments must lie within the data"),
    };
    let number = checked(cx, numbers.expr, all, false, format!("{name}: {message}"));
    let numbers = cx.computed(&Lazy { sizes: numbers.sizes, expr: number });

    let reduce = args.string("reduce").unwrap_or("");
    let (mode, start) = match reduce {
        "max" => (ScatterMode::Max, f64::NEG_INFINITY),
        "min" => (ScatterMode::Min, f64::INFINITY),
        "prod" => (ScatterMode::Multiply, 1.0),
        _ => (ScatterMode::Add, 0.0),
    };
    let given = args.number(cx, "initial", dtype);
    let start = given.unwrap_or_else(|| cx.program.exprs.constant(Scalar::Float(start), dtype));
    let mut index = cx.vars(&data.sizes);
    let number = cx.at(&numbers, &index[..=axis]);
    index[axis] = cx.syms().data_var(0);
    let value = cx.compute(data.expr);
    let made = scattered(cx, &shape, start, &data.sizes, (index, vec![number]), value, mode);
    let mut vars = cx.vars(&out.shape);
    vars[axis] = cx.syms().add_const(vars[axis], before);
    let mut expr = cx.at(&made, &vars);
    if reduce == "mean" {
        let zero = cx.program.exprs.int(0, Dtype::Int64);
        let one = cx.program.exprs.int(1, Dtype::Int64);
        let mut at = cx.vars(&numbers.sizes);
        at[axis] = cx.syms().data_var(0);
        let places = &shape[..=axis];
        let counted =
            scattered(cx, places, zero, &numbers.sizes, (at, vec![numbers.expr]), one, ScatterMode::Add);
        let size = cx.at(&counted, &vars[..=axis]);
        // Without a first number, the mean of nothing is none.
        let empty = if given.is_some() { start } else { cx.program.exprs.float(f64::NAN, dtype) };
        expr = cx.formula(|x| {
            let (sum, size) = (x(expr), x(size));
            size.gt(0).select(sum / size.maximum(1).cast(dtype), x(empty))
        });
    }
    let expr = cx.cast(expr, out.dtype);
    Ok(vec![Lazy { sizes: out.shape.clone(), expr }])
}
