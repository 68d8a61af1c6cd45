//! Factories: contiguous tensors from sizes and numbers, and tensors like others.

use super::conversion::like;
use crate::base::{StableSort, Status};
use crate::ir::Arg;
use crate::meta::numbers::overflows;
use crate::meta::{Infer, MetaError, ScalarArg, dense_strides};
use crate::types::{Calculation, Dtype, Scalar, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

fn computable(cx: &Infer<'_>, dtype: Dtype) -> Result<Dtype, MetaError> {
    if dtype.is_arithmetic() || dtype.is_float8() && cx.op.is_of_zeros() {
        return Ok(dtype);
    }
    Err(cx.error(Status::Unsupported, format!("a tensor of dtype {dtype}")))
}

pub(super) fn sized(cx: &mut Infer<'_>, dtype: Dtype, shape: Vec<SymInt>) -> Metas {
    computable(cx, dtype)?;
    let zero = cx.syms().constant(0);
    for size in &shape {
        let message = format!("size {} is negative", cx.syms().display(*size));
        cx.require(cx.syms().le(zero, *size), message)?;
    }
    Ok(vec![TensorMeta::contiguous(cx.syms(), dtype, shape)])
}

/// `zeros`, `ones`, `empty`: of `size`, of the default float where no dtype is given.
pub fn of_size(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Float32);
    let shape = cx.ints("size")?.to_vec();
    let mut metas = sized(cx, dtype, shape)?;
    if cx.op.schema().arg("memory_format").is_some()
        && let Arg::MemoryFormat(format) = cx.arg("memory_format")
    {
        metas[0].strides = super::conversion::format_strides(cx, &metas[0].shape, *format)?;
    }
    Ok(metas)
}

/// The dtype of a number that is the fill.
fn dtype_of_number(cx: &Infer<'_>, name: &str) -> Dtype {
    if let Arg::Complex(_) = cx.arg(name) {
        return Dtype::Complex64;
    }
    match cx.scalar(name) {
        Some(ScalarArg::Known(value)) => value.default_dtype(),
        Some(ScalarArg::SymFloat(_)) => Dtype::Float32,
        _ => Dtype::Int64,
    }
}

/// `full`: the dtype follows from the number where none is given.
pub fn full(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.dtype("dtype").unwrap_or(dtype_of_number(cx, "fill_value"));
    let shape = cx.ints("size")?.to_vec();
    sized(cx, dtype, shape)
}

/// `scalar_tensor`: 0-d, of the default float where no dtype is given.
pub fn scalar_tensor(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Float32);
    sized(cx, dtype, Vec::new())
}

/// `new_…`: of `size`, of `self`'s dtype where none is given.
pub fn new_of_size(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.dtype("dtype").unwrap_or(cx.meta("self")?.dtype);
    let shape = cx.ints("size")?.to_vec();
    sized(cx, dtype, shape)
}

/// `…_like`: of `self`'s shape, and its dtype where none is given.
pub fn new_like(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    let dtype = computable(cx, cx.dtype("dtype").unwrap_or(own.dtype))?;
    Ok(vec![like(cx, own, dtype)?])
}

/// `empty_strided`: the strides are the user's.
pub fn of_strides(cx: &mut Infer<'_>) -> Metas {
    let mut metas = if cx.op.schema().arg("self").is_some() { new_of_size(cx)? } else { of_size(cx)? };
    let strides = cx.ints("stride")?;
    if strides.len() != metas[0].rank() {
        return Err(cx.shape_error(format!("{} strides for {} sizes", strides.len(), metas[0].rank())));
    }
    for stride in strides {
        let message = format!("stride {} is negative", cx.syms().display(*stride));
        cx.require(cx.syms().le(cx.syms().constant(0), *stride), message)?;
    }
    metas[0].strides = strides.to_vec();
    Ok(metas)
}

/// `empty_permuted`: dense, dimensions from the slowest to the fastest in `physical_layout`.
pub fn of_layout(cx: &mut Infer<'_>) -> Metas {
    let mut metas = of_size(cx)?;
    let rank = metas[0].rank();
    let mut order = Vec::new();
    for d in cx.known_ints("physical_layout")?.into_iter().rev() {
        let dim = usize::try_from(d).ok().filter(|d| *d < rank);
        order.push(dim.ok_or_else(|| cx.shape_error(format!("physical_layout names a dimension {d}")))?);
    }
    let mut sorted = order.clone();
    sorted.stable_sort();
    if sorted != (0..rank).collect::<Vec<_>>() {
        return Err(cx.shape_error("physical_layout must name every dimension once"));
    }
    metas[0].strides = dense_strides(cx.syms(), &metas[0].shape, &order);
    Ok(metas)
}

/// `arange`: from `start` (0) to before `end` in steps (1); integers where all three are.
pub fn arange(cx: &mut Infer<'_>) -> Metas {
    let number = |name: &str, default: i64| match cx.op.schema().arg(name) {
        Some(_) => cx.scalar(name).unwrap_or(ScalarArg::Known(Scalar::Int(default))),
        None => ScalarArg::Known(Scalar::Int(default)),
    };
    let (start, end, step) = (number("start", 0), number("end", 0), number("step", 1));
    let is_float = |n: ScalarArg| matches!(n, ScalarArg::Known(Scalar::Float(_)) | ScalarArg::SymFloat(_));
    let any_float = [start, end, step].into_iter().any(is_float);
    let dtype = cx.dtype("dtype").unwrap_or(if any_float { Dtype::Float32 } else { Dtype::Int64 });
    let whole = |cx: &Infer<'_>, n: ScalarArg| match n {
        ScalarArg::Known(value) => cx.syms().constant(value.as_i64()),
        ScalarArg::Symbolic(s) | ScalarArg::SymFloat(s) => s,
    };
    let all_known = [start, end, step].iter().all(|n| matches!(n, ScalarArg::Known(_)));
    let size = if any_float && !all_known {
        let syms = cx.syms();
        let bits = |n: ScalarArg| match n {
            ScalarArg::Known(value) => syms.float_constant(value.as_f64()),
            ScalarArg::Symbolic(s) => syms.calculate(Calculation::Float, &[s]),
            ScalarArg::SymFloat(s) => s,
        };
        let span = syms.calculate(Calculation::Sub, &[bits(end), bits(start)]);
        let steps = syms.calculate(Calculation::Div, &[span, bits(step)]);
        let count = syms.calculate(Calculation::Ceil, &[steps]);
        let zero = syms.constant(0);
        cx.require(syms.le(zero, count), "the range would have a negative size")?;
        syms.max(count, zero)
    } else if any_float {
        let known = |n: ScalarArg| match n {
            ScalarArg::Known(value) => value.as_f64(),
            ScalarArg::Symbolic(_) | ScalarArg::SymFloat(_) => f64::NAN,
        };
        let (start, end, step) = (known(start), known(end), known(step));
        let count = ((end - start) / step).ceil();
        let backwards = if step > 0.0 { end < start } else { end > start };
        if step == 0.0 || backwards || !count.is_finite() || count > i64::MAX as f64 {
            return Err(cx.shape_error(format!("no range from {start} to {end} in steps of {step}")));
        }
        cx.syms().constant((count as i64).max(0))
    } else {
        let (start, end, step) = (whole(cx, start), whole(cx, end), whole(cx, step));
        let step =
            cx.syms().as_const(step).ok_or_else(|| cx.error(Status::Unsupported, "a symbolic step"))?;
        if step == 0 {
            return Err(cx.shape_error("the step must not be zero"));
        }
        let syms = cx.syms();
        let (from, to) = if step > 0 { (start, end) } else { (end, start) };
        let message =
            format!("no range from {} to {} in steps of {step}", syms.display(start), syms.display(end));
        cx.require(syms.le(from, to), message)?;
        syms.ceildiv(syms.sub(to, from), syms.constant(step.saturating_abs()))
    };
    if dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "bools are no range"));
    }
    Ok(vec![TensorMeta::contiguous(cx.syms(), computable(cx, dtype)?, vec![size])])
}

/// `linspace` and `logspace`: `steps` numbers. Where no dtype is given they are float32, or complex64 where an end is complex.
pub fn spaced(cx: &mut Infer<'_>) -> Metas {
    cx.require_zero_dim("start")?;
    cx.require_zero_dim("end")?;
    let is_complex = |name: &&str| match cx.arg(name) {
        Arg::Complex(_) => true,
        Arg::Value(value) => cx.graph.meta(*value).dtype.is_complex(),
        _ => false,
    };
    let complex = ["start", "end"].into_iter().find(is_complex);
    let default = if complex.is_some() { Dtype::Complex64 } else { Dtype::Float32 };
    let dtype = cx.dtype("dtype").unwrap_or(default);
    if dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "bools are no range"));
    }
    if let Some(name) = complex
        && !dtype.is_complex()
    {
        return Err(cx.error(Status::Dtype, format!("`{name}` is complex, which {dtype} cannot hold")));
    }
    for name in ["start", "end"] {
        if let Some(ScalarArg::Known(number)) = cx.scalar(name)
            && overflows(number, dtype)
        {
            let message = format!("`{name}` is {}, which {dtype} cannot hold", number.as_f64());
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    let steps = cx.int("steps")?;
    // A single power is converted as a number is.
    if let (Some(1), Some(Arg::Float(base)), Some(ScalarArg::Known(start))) =
        (cx.syms().as_const(steps), cx.op.schema().arg("base").map(|_| cx.arg("base")), cx.scalar("start"))
    {
        let power = base.powf(start.as_f64());
        if !power.is_finite() || overflows(Scalar::Float(power), dtype) {
            let message = format!("the power {power:e}, which {dtype} cannot hold");
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    sized(cx, dtype, vec![steps])
}

/// `eye`: `n` rows, and as many columns where `m` is not given.
pub fn eye(cx: &mut Infer<'_>) -> Metas {
    let n = cx.int("n")?;
    let m = if cx.op.schema().arg("m").is_some() { cx.int("m")? } else { n };
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Float32);
    sized(cx, dtype, vec![n, m])
}

/// `tril` and `triu` need a matrix.
pub fn triangle(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    if own.rank() < 2 {
        return Err(cx.shape_error(format!("needs at least two dimensions, not {}", own.rank())));
    }
    computable(cx, own.dtype)?;
    Ok(vec![TensorMeta::contiguous(cx.syms(), own.dtype, own.shape.clone())])
}

/// `tril_indices` and `triu_indices`: rows and columns of the elements of a triangle.
pub fn triangle_indices(cx: &mut Infer<'_>) -> Metas {
    let (rows, columns, offset) = (cx.known_int("row")?, cx.known_int("col")?, cx.known_int("offset")?);
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Int64);
    if !matches!(dtype, Dtype::Int32 | Dtype::Int64) {
        return Err(cx.error(Status::Dtype, format!("indices are int64 or int32, not {dtype}")));
    }
    if rows < 0 || columns < 0 {
        return Err(cx.shape_error(format!("a matrix of {rows} by {columns}")));
    }
    let triangle = Triangle::new(rows, columns, offset, cx.op.name().contains("tril"));
    let Some(count) = triangle.count() else {
        return Err(cx.shape_error(format!("a triangle of {rows} by {columns} has too many elements")));
    };
    let shape = vec![cx.syms().constant(2), cx.syms().constant(count)];
    sized(cx, dtype, shape)
}

/// A triangle's elements, row by row: rows that are one longer each, and then full ones. An upper triangle is a lower
/// one seen from its last element.
pub struct Triangle {
    /// The first row with an element, and the first that is full.
    pub first: i64,
    pub full: i64,
    /// How many elements the first row has, where it is not full.
    pub length: i64,
    rows: i64,
    columns: i64,
}

impl Triangle {
    pub fn new(rows: i64, columns: i64, offset: i64, lower: bool) -> Triangle {
        let (r, c, offset) = (rows as i128, columns as i128, offset as i128);
        // Row `k` has `k + more` elements, as far as there are so many columns.
        let more = if lower { offset + 1 } else { c - r + 1 - offset };
        let first = (1 - more).clamp(0, r);
        let full = (c - more).clamp(first, r);
        let length = (first + more).clamp(0, c);
        Triangle { first: first as i64, full: full as i64, length: length as i64, rows, columns }
    }
    /// The elements before the first full row, and all of them.
    fn counts(&self) -> (i128, i128) {
        let partial = (self.full - self.first) as i128;
        let before = partial * self.length as i128 + partial * (partial - 1) / 2;
        (before, before + (self.rows - self.full) as i128 * self.columns as i128)
    }
    pub fn before_full(&self) -> i64 {
        self.counts().0 as i64
    }
    pub fn count(&self) -> Option<i64> {
        i64::try_from(self.counts().1).ok()
    }
}

/// `glu`: half the size along `dim`.
pub fn glu(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    let dim = cx.dim(cx.known_int("dim")?, own.rank())?;
    if own.rank() == 0 {
        return Err(cx.shape_error("a 0-d tensor has no halves"));
    }
    let (syms, mut shape) = (cx.syms(), own.shape.clone());
    let (two, zero) = (syms.constant(2), syms.constant(0));
    cx.require(
        syms.eq(syms.modulo(shape[dim], two), zero),
        format!("size {} of dimension {dim} is odd", syms.display(shape[dim])),
    )?;
    shape[dim] = syms.floordiv(shape[dim], two);
    let half = TensorMeta { shape, ..own.clone() };
    let strides = crate::meta::elementwise_strides(syms, &half.shape, &[&half]);
    Ok(vec![TensorMeta { strides, offset: zero, ..half }])
}

/// `log_sigmoid_forward`: the second result is for PyTorch's derivative.
pub fn log_sigmoid_forward(cx: &mut Infer<'_>) -> Metas {
    let one = super::pointwise::unary(cx)?.remove(0);
    Ok(vec![one.clone(), one])
}

/// `litz.bind`: from here on a symbol is the number in a 0-d tensor.
pub fn bind(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let symbol = cx.int("symbol")?;
    if meta.rank() != 0 || !matches!(meta.dtype, Dtype::Int64 | Dtype::Bool | Dtype::Float64) {
        return Err(cx.error(Status::InvalidArgument, "a symbol is bound to a 0-d int64, bool or float64"));
    }
    let plain = cx.syms().as_symbol(symbol).is_some_and(|id| cx.syms().definition(id).is_none());
    if !plain {
        return Err(cx.error(Status::InvalidArgument, "what is bound must be a symbol"));
    }
    Ok(Vec::new())
}

/// An assertion on the element of a tensor.
pub fn assert_async(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let count = meta.numel(cx.syms());
    cx.require(cx.syms().eq(count, cx.syms().constant(1)), "the condition must have one element")?;
    Ok(Vec::new())
}

/// A line of standard output.
pub fn print(cx: &mut Infer<'_>) -> Metas {
    if cx.string("s").is_some_and(|s| s.contains('\0')) {
        return Err(cx.error(Status::InvalidArgument, "the text holds a NUL, which ends strings of C"));
    }
    Ok(Vec::new())
}

/// Results whose sizes data give: such operators are made of others when they are built.
pub fn sized_by_data(cx: &mut Infer<'_>) -> Metas {
    Err(cx.error(Status::Internal, "an operator whose results' sizes depend on data was not expanded"))
}
