//! Sizes of resampled tensors.

use super::contraction::made;
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MetaError};
use crate::types::{Calculation, Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// `[n, c, spatial..]` with new spatial sizes: those given, or the old ones times factors, rounded down.
pub fn upsample(cx: &mut Infer<'_>) -> Metas {
    let name = cx.op.name();
    let vector = cx.op.schema().arg("input").is_some();
    let input = cx.meta(if vector { "input" } else { "self" })?.clone();
    let count = name.bytes().find(u8::is_ascii_digit).map_or(0, |b| (b - b'0') as usize);
    if input.rank() != count + 2 {
        return Err(cx.shape_error(format!(
            "an input of {} dimensions is needed, not {}",
            count + 2,
            input.rank()
        )));
    }
    let nearest = name.contains("nearest");
    let bytes = nearest || name.contains("bilinear") || name.contains("bicubic");
    let resampled = input.dtype.is_float() || bytes && input.dtype == Dtype::Uint8;
    if !resampled {
        return Err(cx.error(Status::Unsupported, format!("{} tensors are not resampled", input.dtype)));
    }
    if vector && cx.optional_ints("output_size").is_some() && *cx.arg("scale_factors") != Arg::None {
        return Err(cx.error(Status::InvalidArgument, "give `output_size` or `scale_factors`, not both"));
    }
    let sizes: Vec<SymInt> = match (cx.optional_ints("output_size"), vector) {
        (Some(sizes), _) => sizes.to_vec(),
        (None, true) => scaled_sizes(cx, &input.shape[2..])?,
        (None, false) => return Err(cx.error(Status::InvalidArgument, "`output_size` must be given")),
    };
    if sizes.len() != count {
        return Err(cx.error(Status::InvalidArgument, format!("{} sizes given, not {count}", sizes.len())));
    }
    let one = cx.syms().constant(1);
    for (size, from) in sizes.iter().zip(&input.shape[2..]) {
        cx.require(cx.syms().le(one, *size), "the output's sizes must be positive")?;
        cx.require(cx.syms().le(one, *from), "the input's spatial sizes must be positive")?;
    }
    for size in &input.shape[1..2] {
        cx.require(cx.syms().le(one, *size), "the input must have channels")?;
    }
    let mut shape = input.shape[..2].to_vec();
    shape.extend(sizes);
    Ok(vec![super::rearrange::suggested(cx, &input, input.dtype, shape)])
}

fn scaled_sizes(cx: &Infer<'_>, sizes: &[SymInt]) -> Result<Vec<SymInt>, MetaError> {
    let Arg::Floats(factors) = cx.arg("scale_factors") else {
        return Err(
            cx.error(Status::InvalidArgument, "either `output_size` or `scale_factors` must be given")
        );
    };
    if factors.len() != sizes.len() {
        return Err(cx.error(Status::InvalidArgument, format!("{} factors given", factors.len())));
    }
    sizes.iter().zip(factors).map(|(size, factor)| scaled_size(cx, *size, *factor)).collect()
}

/// `size * factor` in double precision, rounded towards zero. Of a symbolic size it is a quotient where the factor is a fraction so
/// short that the product is exact, and is calculated otherwise.
fn scaled_size(cx: &Infer<'_>, size: SymInt, factor: f64) -> Result<SymInt, MetaError> {
    if !(factor > 0.0 && factor <= 1e9) {
        return Err(cx.error(Status::InvalidArgument, format!("a scale factor of {factor}")));
    }
    if let Some(known) = cx.syms().as_const(size) {
        return Ok(cx.syms().constant((known as f64 * factor) as i64));
    }
    const SHIFT: i64 = 1 << 20;
    let whole = factor * SHIFT as f64;
    if whole.fract() != 0.0 || whole > (1i64 << 40) as f64 {
        let wide = cx.syms().calculate(Calculation::Float, &[size]);
        let product = cx.syms().calculate(Calculation::Mul, &[wide, cx.syms().float_constant(factor)]);
        return Ok(cx.syms().calculate(Calculation::Trunc, &[product]));
    }
    let (mut numerator, mut denominator) = (whole as i64, SHIFT);
    while numerator % 2 == 0 && denominator > 1 {
        (numerator, denominator) = (numerator / 2, denominator / 2);
    }
    let product = cx.syms().mul_const(size, numerator);
    Ok(cx.syms().floordiv(product, cx.syms().constant(denominator)))
}

/// The input sampled at the grid's places: one number each of as many as there are spatial dimensions.
/// Where `grid_sampler` reads for a place outside of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridPadding {
    /// Nowhere: the element is 0.
    Zeros,
    /// The nearest element of the border.
    Border,
    /// The place mirrored at the borders.
    Reflection,
}

impl GridPadding {
    pub fn from_number(number: i64) -> Option<GridPadding> {
        let all = [GridPadding::Zeros, GridPadding::Border, GridPadding::Reflection];
        all.get(usize::try_from(number).ok()?).copied()
    }
}

pub fn grid_sampler(cx: &mut Infer<'_>) -> Metas {
    let (input, grid) = (cx.meta("input")?.clone(), cx.meta("grid")?.clone());
    let named = cx.op.name().bytes().find(u8::is_ascii_digit).map(|b| (b - b'0') as usize);
    let count = input.rank().saturating_sub(2);
    if !(2..=3).contains(&count) || named.is_some_and(|n| n != count) || grid.rank() != count + 2 {
        let message = format!("input and grid have {} and {} dimensions", input.rank(), grid.rank());
        return Err(cx.shape_error(message));
    }
    if !input.dtype.is_float() || grid.dtype != input.dtype {
        return Err(cx.error(Status::Dtype, "input and grid must be floats of one dtype"));
    }
    let (mode, padding) = (cx.known_int("interpolation_mode")?, cx.known_int("padding_mode")?);
    if !(0..=2).contains(&mode) {
        return Err(cx.error(Status::InvalidArgument, format!("there is no `interpolation_mode` {mode}")));
    }
    if GridPadding::from_number(padding).is_none() {
        return Err(cx.error(Status::InvalidArgument, format!("there is no `padding_mode` {padding}")));
    }
    let syms = cx.syms();
    cx.require(syms.eq(input.shape[0], grid.shape[0]), "input and grid must have one batch size")?;
    let numbers = syms.constant(count as i64);
    cx.require(
        syms.eq(grid.shape[count + 1], numbers),
        "the grid's last size must be the dimensions' number",
    )?;
    for size in &input.shape[2..] {
        cx.require(syms.le(syms.constant(1), *size), "the input's spatial sizes must be positive")?;
    }
    let mut shape = input.shape[..2].to_vec();
    shape.extend(&grid.shape[1..=count]);
    Ok(vec![made(cx, input.dtype, shape)])
}

/// The grid that an affine map of each image's places gives.
pub fn affine_grid(cx: &mut Infer<'_>) -> Metas {
    let theta = cx.meta("theta")?.clone();
    let size = cx.ints("size")?.to_vec();
    let count = size.len().saturating_sub(2);
    if !(2..=3).contains(&count) || theta.rank() != 3 || !theta.dtype.is_float() {
        return Err(cx.shape_error("`theta` must be float matrices and `size` have four or five numbers"));
    }
    let syms = cx.syms();
    for (a, b) in
        theta.shape.iter().zip([size[0], syms.constant(count as i64), syms.constant(count as i64 + 1)])
    {
        cx.require(syms.eq(*a, b), "`theta` does not fit `size`")?;
    }
    let mut shape = vec![size[0]];
    shape.extend(&size[2..]);
    shape.push(syms.constant(count as i64));
    Ok(vec![made(cx, theta.dtype, shape)])
}
