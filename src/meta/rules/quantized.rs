//! Quantised tensors, and products with them.

use super::contraction::{check_rank, made, require_dtype, same_size};
use super::conversion::like;
use super::pointwise::{Out, elementwise};
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The bounds that quantised numbers of a dtype stay within.
pub fn quantized_range(dtype: Dtype) -> Option<(i64, i64)> {
    use Dtype::*;
    match dtype {
        Uint8 | Int8 | Uint16 | Int16 | Int32 => dtype.integer_range(),
        Float8E4m3fn => Some((-448, 448)),
        Float8E5m2 => Some((-57344, 57344)),
        _ => None,
    }
}

fn bounds(cx: &Infer<'_>, dtype: Dtype) -> Result<(i64, i64), MetaError> {
    quantized_range(dtype)
        .ok_or_else(|| cx.error(Status::Unsupported, format!("quantised numbers of dtype {dtype}")))
}

fn within(cx: &Infer<'_>) -> Result<Dtype, MetaError> {
    let dtype =
        cx.dtype("dtype").ok_or_else(|| cx.error(Status::InvalidArgument, "`dtype` must be given"))?;
    let (least, most) = bounds(cx, dtype)?;
    for name in ["quant_min", "quant_max"] {
        if cx.optional_value(name).is_some() {
            continue;
        }
        let given = cx.known_int(name)?;
        if !(least..=most).contains(&given) {
            let message = format!("`{name}` is {given}, which is not within {dtype}'s {least} and {most}");
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    Ok(dtype)
}

/// The parameters fit the tensor: one number, one for each slice along `axis`, for each token, or for each group.
fn fit(cx: &mut Infer<'_>, own: &TensorMeta) -> Result<(), MetaError> {
    let schema = cx.op.schema();
    let has = |name: &str| schema.arg(name).is_some();
    let syms = cx.syms();
    let (scale, zero) = if has("scales") { ("scales", "zero_points") } else { ("scale", "zero_point") };
    let count = if has("axis") {
        if cx.optional_meta(scale).is_some_and(|m| m.rank() == 0) {
            return Err(cx.shape_error(format!("`{scale}` has no dimension, of which channels are numbered")));
        }
        let axis = cx.dim(cx.known_int("axis")?, own.rank())?;
        let size = own.shape.get(axis).copied();
        Some(size.ok_or_else(|| cx.shape_error("a tensor without dimensions has no channels"))?)
    } else if has("group_size") {
        let group = cx.known_int("group_size")?;
        if group <= 1 || own.rank() != 2 {
            return Err(cx.shape_error("groups are of 2 or more elements of the rows of a matrix"));
        }
        let alone = cx.optional_meta("scales").and_then(|m| m.shape.last()).map(|n| syms.as_const(*n));
        let narrow = syms.as_const(own.shape[1]).is_some_and(|n| n < group) && alone == Some(Some(1));
        let group = if narrow { own.shape[1] } else { syms.constant(group) };
        let whole = syms.eq(syms.modulo(own.shape[1], group), syms.constant(0));
        cx.require(whole, "the rows are not made of whole groups")?;
        Some(syms.mul(own.shape[0], syms.floordiv(own.shape[1], group)))
    } else if has("scales") {
        Some(syms.product(&own.shape[..own.rank().saturating_sub(1)]))
    } else {
        Some(syms.constant(1))
    };
    for name in [scale, zero] {
        if let (Some(meta), Some(count)) = (cx.optional_meta(name), count) {
            let n = meta.numel(syms);
            same_size(cx, &format!("the number of elements of `{name}` and the number needed,"), n, count)?;
        }
    }
    Ok(())
}

pub fn quantized(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("input")?.clone();
    let dtype = within(cx)?;
    if !matches!(own.dtype, Dtype::Float16 | Dtype::Bfloat16 | Dtype::Float32) {
        return Err(cx.error(Status::Dtype, format!("`input` is {}, not float32 or a half", own.dtype)));
    }
    fit(cx, &own)?;
    Ok(vec![like(cx, &own, dtype)?])
}

pub fn dequantized(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("input")?.clone();
    let dtype = within(cx)?;
    if own.dtype != dtype {
        return Err(cx.error(Status::Dtype, format!("`input` is {}, but `dtype` is {dtype}", own.dtype)));
    }
    fit(cx, &own)?;
    let name = if cx.op.schema().arg("output_dtype").is_some() { "output_dtype" } else { "out_dtype" };
    let out = cx.dtype(name).unwrap_or(Dtype::Float32);
    if !out.is_float() {
        return Err(cx.error(Status::Dtype, format!("a result of dtype {out}")));
    }
    Ok(vec![like(cx, &own, out)?])
}

/// A scale in float64 and a zero point in int64, of the whole tensor or of each token; a token's symmetric scale is a float of the
/// input's, and its zero point is, too.
pub fn chosen_parameters(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("input")?.clone();
    let dtype =
        cx.dtype("dtype").ok_or_else(|| cx.error(Status::InvalidArgument, "`dtype` must be given"))?;
    let one = cx.syms().constant(1);
    if cx.op.schema().arg("quant_min").is_some() {
        bounds(cx, dtype)?;
        if cx.known_int("quant_min")? >= cx.known_int("quant_max")? {
            return Err(cx.error(Status::InvalidArgument, "`quant_min` must be below `quant_max`"));
        }
        let some = cx.syms().lt(cx.syms().constant(0), own.numel(cx.syms()));
        cx.require(some, "a tensor without elements has no least and greatest one")?;
        return Ok(vec![made(cx, Dtype::Float64, vec![one]), made(cx, Dtype::Int64, vec![one])]);
    }
    let mut shape = own.shape.clone();
    let Some(last) = shape.last_mut() else { return Err(cx.shape_error("tokens are a last dimension")) };
    let some = cx.syms().lt(cx.syms().constant(0), *last);
    *last = one;
    cx.require(some, "a token without elements has no least and greatest one")?;
    if cx.op.name().contains("asymmetric") {
        return Ok(vec![made(cx, Dtype::Float64, shape.clone()), made(cx, Dtype::Int64, shape)]);
    }
    if dtype != Dtype::Int8 {
        return Err(cx.error(Status::InvalidArgument, format!("tokens are quantised to int8, not {dtype}")));
    }
    let wide = if own.dtype == Dtype::Float16 { Dtype::Float32 } else { own.dtype };
    Ok(vec![made(cx, wide, shape.clone()), made(cx, wide, shape)])
}

/// int8 or uint8 `[m, k]` and int8 `[k, n]` give int32 `[m, n]`.
pub fn int_mm(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    check_rank(cx, "mat2", &[2])?;
    require_dtype(cx, "mat2", Dtype::Int8)?;
    let (a, b) = (cx.meta("self")?, cx.meta("mat2")?);
    if !matches!(a.dtype, Dtype::Int8 | Dtype::Uint8) {
        return Err(cx.error(Status::Dtype, format!("`self` is {}, not int8 or uint8", a.dtype)));
    }
    same_size(cx, "the inner sizes", a.shape[1], b.shape[0])?;
    Ok(vec![made(cx, Dtype::Int32, vec![a.shape[0], b.shape[1]])])
}

/// Floats `[m, k]` and int8 `[n, k]` with a scale for each row give `[m, n]`.
pub fn int8_weight_mm(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    check_rank(cx, "mat2", &[2])?;
    check_rank(cx, "scales", &[1])?;
    require_dtype(cx, "mat2", Dtype::Int8)?;
    let (a, b, scales) = (cx.meta("self")?, cx.meta("mat2")?, cx.meta("scales")?);
    if !matches!(a.dtype, Dtype::Float16 | Dtype::Bfloat16 | Dtype::Float32) {
        return Err(cx.error(Status::Dtype, format!("`self` is {}, not float32 or a half", a.dtype)));
    }
    require_dtype(cx, "scales", a.dtype)?;
    same_size(cx, "the inner sizes", a.shape[1], b.shape[1])?;
    same_size(cx, "the rows of `mat2` and the scales", b.shape[0], scales.shape[0])?;
    Ok(vec![made(cx, a.dtype, vec![a.shape[0], b.shape[0]])])
}

/// `dtype` says which float8 the bytes are of.
fn of_float8(cx: &Infer<'_>) -> Result<(), MetaError> {
    match cx.dtype("dtype") {
        Some(dtype) if dtype.is_float8() => Ok(()),
        _ => Err(cx.error(Status::Dtype, "`dtype` is no float8")),
    }
}

/// The numbers that bytes hold.
pub fn float8_value(cx: &mut Infer<'_>) -> Metas {
    require_dtype(cx, "self", Dtype::Int8)?;
    of_float8(cx)?;
    Ok(vec![elementwise(cx, &["self"], Out::Is(Dtype::Float32))?])
}

/// The bytes that hold numbers.
pub fn float8_bits(cx: &mut Infer<'_>) -> Metas {
    require_dtype(cx, "self", Dtype::Float32)?;
    of_float8(cx)?;
    Ok(vec![elementwise(cx, &["self"], Out::Is(Dtype::Int8))?])
}

/// float8 `[m, k]` and `[k, n]`, scaled by a number each, or by one for each row and each column.
pub fn scaled_mm(cx: &mut Infer<'_>) -> Metas {
    let scales = [cx.meta("scale_a")?.clone(), cx.meta("scale_b")?.clone()];
    let scale_result = cx.optional_meta("scale_result").map(|scale| scale.numel(cx.syms()));
    let result = scaled_product(cx, scales)?;
    if let Some(count) = scale_result {
        let one = cx.syms().constant(1);
        same_size(cx, "the number of elements of `scale_result` and", count, one)?;
    }
    Ok(result)
}

/// The same with lists of scales. A recipe is 0 for one number, 1 for a number for each row or column, and 4 and 5 for one for each
/// block of 1 × 128 or 128 × 128 elements, the latter with blocks along the inner dimension first, padded to a multiple of four.
pub fn scaled_mm_v2(cx: &mut Infer<'_>) -> Metas {
    let is_whole = matches!(cx.known_ints("contraction_dim")?[..], [] | [1, 0]);
    if !is_whole {
        return Err(cx.error(Status::InvalidArgument, "`contraction_dim` must be (1, 0)"));
    }
    let mut scales = Vec::new();
    let mut recipes = Vec::new();
    for [scale, recipe, swizzle] in
        [["scale_a", "recipe_a", "swizzle_a"], ["scale_b", "recipe_b", "swizzle_b"]]
    {
        let (given, ways) = (cx.metas(scale)?, cx.known_ints(recipe)?);
        let ([only], [way @ (0 | 1 | 4 | 5)], [] | [0]) =
            (&given[..], &ways[..], &cx.known_ints(swizzle)?[..])
        else {
            let message = format!(
                "`{scale}` must have one recipe, 0 (one number), 1 (one for each row or column), 4 or 5 (one for each \
                 block of 1x128 or 128x128 elements), and no swizzle"
            );
            return Err(cx.error(Status::Unsupported, message));
        };
        scales.push((*only).clone());
        recipes.push(*way);
    }
    if recipes[0] != recipes[1] && recipes.iter().any(|recipe| *recipe < 4) || recipes == [5, 5] {
        let message = "`recipe_a` and `recipe_b` must be both 0, both 1, both 4, or 4 and 5";
        return Err(cx.error(Status::Unsupported, message));
    }
    let mut scales: [TensorMeta; 2] = scales.try_into().expect("there are two");
    if recipes[0] >= 4 {
        for (k, scale) in scales.iter_mut().enumerate() {
            blocks_of_recipe(cx, k, recipes[k], scale)?;
        }
        return scaled_product(cx, scales);
    }
    for (name, scale) in ["scale_a", "scale_b"].into_iter().zip(&scales) {
        let is_one = cx.syms().as_const(scale.numel(cx.syms())) == Some(1);
        if recipes[0] == 0 && !is_one || recipes[0] == 1 && scale.rank() != 2 {
            return Err(cx.shape_error(format!("`{name}` does not have the shape that its recipe asks for")));
        }
    }
    scaled_product(cx, scales)
}

/// Elements along a side of a block that has a scale.
pub const SCALED_BLOCK: i64 = 128;

/// Checks the scales of an operand's blocks, and brings their sizes into the order of the operand's.
fn blocks_of_recipe(
    cx: &mut Infer<'_>,
    k: usize,
    recipe: i64,
    scale: &mut TensorMeta,
) -> Result<(), MetaError> {
    let (name, operand) = [("scale_a", "self"), ("scale_b", "mat2")][k];
    let operand = cx.meta(operand)?;
    if operand.rank() != 2 || scale.rank() != 2 {
        return Err(cx.shape_error(format!("`{name}` and its operand must have two dimensions")));
    }
    let (inner, rows) = (operand.shape[1 - k], operand.shape[k]);
    let syms = cx.syms();
    let blocks = |size| syms.ceildiv(size, syms.constant(SCALED_BLOCK));
    let want = match recipe {
        4 => [rows, blocks(inner)],
        _ => [syms.mul_const(syms.ceildiv(blocks(inner), syms.constant(4)), 4), blocks(rows)],
    };
    for (have, want) in scale.shape.clone().into_iter().zip(want) {
        same_size(cx, &format!("a size of `{name}` and what its recipe asks for"), have, want)?;
    }
    let syms = cx.syms();
    let blocks = |size| syms.ceildiv(size, syms.constant(SCALED_BLOCK));
    let sizes = [if recipe == 4 { rows } else { blocks(rows) }, blocks(inner)];
    scale.shape = if k == 0 { sizes.to_vec() } else { vec![sizes[1], sizes[0]] };
    Ok(())
}

fn scaled_product(cx: &mut Infer<'_>, scales: [TensorMeta; 2]) -> Metas {
    for name in ["self", "mat2"] {
        check_rank(cx, name, &[2])?;
        let dtype = cx.meta(name)?.dtype;
        if !dtype.is_float8() {
            return Err(cx.error(Status::Dtype, format!("`{name}` is {dtype}, not a float8")));
        }
    }
    let (a, b) = (cx.meta("self")?, cx.meta("mat2")?);
    same_size(cx, "the inner sizes", a.shape[1], b.shape[0])?;
    let one = cx.syms().constant(1);
    let blocks = |size| cx.syms().ceildiv(size, cx.syms().constant(SCALED_BLOCK));
    let (rows, inner, columns) = (a.shape[0], a.shape[1], b.shape[1]);
    let sizes = [
        ("scale_a", [[rows, one], [rows, blocks(inner)], [blocks(rows), blocks(inner)]]),
        ("scale_b", [[one, columns], [blocks(inner), columns], [blocks(inner), blocks(columns)]]),
    ];
    for ((name, scaled), scale) in sizes.into_iter().zip(&scales) {
        if scale.dtype != Dtype::Float32 {
            return Err(cx.error(Status::Dtype, format!("`{name}` is {}, not float32", scale.dtype)));
        }
        let fits = |sizes: &[SymInt; 2]| {
            scale.rank() == 2 && scale.shape.iter().zip(sizes).all(|(a, b)| cx.syms().known_eq(*a, *b))
        };
        if cx.syms().as_const(scale.numel(cx.syms())) != Some(1) && !scaled.iter().any(fits) {
            let message = format!(
                "`{name}` is neither one number nor one for each row, column or block of 1x128 or 128x128 elements"
            );
            return Err(cx.error(Status::Unsupported, message));
        }
    }
    let out = cx.dtype("out_dtype").unwrap_or(a.dtype);
    if !out.is_float() {
        return Err(cx.error(Status::Dtype, format!("a result of dtype {out}")));
    }
    if let Some(bias) = cx.optional_meta("bias") {
        if bias.rank() != 1 {
            return Err(cx.shape_error("`bias` must have one dimension"));
        }
        same_size(cx, "the columns of `mat2` and the bias", b.shape[1], bias.shape[0])?;
    }
    Ok(vec![made(cx, out, vec![a.shape[0], b.shape[1]])])
}
