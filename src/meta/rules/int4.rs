//! Products with weights of 4 bits, and the packing of such weights.

use super::contraction::{check_rank, made, require_dtype, same_size};
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::ops::int4::Int4Layout;
use crate::types::{Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// Rows of a tensor core's tile.
const TILE_ROWS: i64 = 8;
const THREADS: i64 = 32;

fn multiple(cx: &mut Infer<'_>, size: SymInt, of: i64, what: &str) -> Result<(), MetaError> {
    let syms = cx.syms();
    let whole = syms.eq(syms.modulo(size, syms.constant(of)), syms.constant(0));
    cx.require(whole, format!("{what} must be a multiple of {of}"))
}

/// The group size, and scales and zero points `[groups, n, 2]` for `[m, k]` and `n` rows; gives the result.
fn product(cx: &mut Infer<'_>, n: SymInt, k: SymInt) -> Metas {
    let group = cx.known_int("qGroupSize")?;
    if ![32, 64, 128, 256].contains(&group) {
        let message = format!("`qGroupSize` is {group}, not 32, 64, 128 or 256");
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let dtype = cx.meta("self")?.dtype;
    require_dtype(cx, "qScaleAndZeros", dtype)?;
    check_rank(cx, "qScaleAndZeros", &[3])?;
    let (x, scales) = (cx.meta("self")?.clone(), cx.meta("qScaleAndZeros")?.clone());
    same_size(cx, "the inner sizes", x.shape[1], k)?;
    multiple(cx, k, group, "the inner size")?;
    let (two, groups) = (cx.syms().constant(2), cx.syms().floordiv(k, cx.syms().constant(group)));
    same_size(cx, "the groups of `qScaleAndZeros` and those of a row,", scales.shape[0], groups)?;
    same_size(cx, "the rows of the weight and those of `qScaleAndZeros`,", n, scales.shape[1])?;
    same_size(cx, "the last size of `qScaleAndZeros` and", scales.shape[2], two)?;
    Ok(vec![made(cx, dtype, vec![x.shape[0], n])])
}

/// bfloat16 `[m, k]` and int32 `[n / 8, k / (16 t), 32, t / 2]` give `[m, n]`; `t` is 2, 4 or 8.
pub fn int4_weight_mm(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    require_dtype(cx, "self", Dtype::Bfloat16)?;
    check_rank(cx, "mat2", &[4])?;
    require_dtype(cx, "mat2", Dtype::Int32)?;
    let packed = cx.meta("mat2")?.shape.clone();
    let syms = cx.syms();
    let tiles = syms.as_const(packed[3]).map(|half| 2 * half);
    if syms.as_const(packed[2]) != Some(THREADS) || !matches!(tiles, Some(2 | 4 | 8)) {
        return Err(
            cx.shape_error("`mat2` must be packed as [n / 8, k / (16 t), 32, t / 2] with t of 2, 4 or 8")
        );
    }
    let k = syms.mul_const(packed[1], 16 * tiles.unwrap_or(0));
    let n = syms.mul_const(packed[0], TILE_ROWS);
    product(cx, n, k)
}

/// Floats `[m, k]` and uint8 `[n, k / 2]` give `[m, n]`.
pub fn int4_weight_mm_for_cpu(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    let dtype = cx.meta("self")?.dtype;
    if !matches!(dtype, Dtype::Float16 | Dtype::Bfloat16 | Dtype::Float32) {
        return Err(cx.error(Status::Dtype, format!("`self` is {dtype}, not float32 or a half")));
    }
    check_rank(cx, "mat2", &[2])?;
    require_dtype(cx, "mat2", Dtype::Uint8)?;
    check_layout(cx)?;
    let packed = cx.meta("mat2")?.shape.clone();
    multiple(cx, packed[0], 16, "the rows of the weight")?;
    let k = cx.syms().mul_const(packed[1], 2);
    product(cx, packed[0], k)
}

/// Floats `[m, k]` and int32 `[n, k / 8]` give `[m, n]`; scales and zero points are `[k / group, n]`.
pub fn int4_weight_mm_with_zeros(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    let dtype = cx.meta("self")?.dtype;
    if !matches!(dtype, Dtype::Float16 | Dtype::Bfloat16 | Dtype::Float32) {
        return Err(cx.error(Status::Dtype, format!("`self` is {dtype}, not float32 or a half")));
    }
    check_rank(cx, "mat2", &[2])?;
    require_dtype(cx, "mat2", Dtype::Int32)?;
    let group = cx.known_int("qGroupSize")?;
    if group <= 0 || group % 32 != 0 {
        let message = format!("`qGroupSize` is {group}, not a multiple of 32");
        return Err(cx.error(Status::InvalidArgument, message));
    }
    require_dtype(cx, "qScale", dtype)?;
    require_dtype(cx, "qZeros", Dtype::Int8)?;
    let (x, packed) = (cx.meta("self")?.shape.clone(), cx.meta("mat2")?.shape.clone());
    let k = cx.syms().mul_const(packed[1], 8);
    same_size(cx, "the inner sizes", x[1], k)?;
    multiple(cx, k, group, "the inner size")?;
    let groups = cx.syms().floordiv(k, cx.syms().constant(group));
    for name in ["qScale", "qZeros"] {
        check_rank(cx, name, &[2])?;
        let own = cx.meta(name)?.shape.clone();
        same_size(cx, &format!("the groups of `{name}` and those of a row,"), own[0], groups)?;
        same_size(cx, &format!("the rows of the weight and those of `{name}`,"), packed[0], own[1])?;
    }
    Ok(vec![made(cx, dtype, vec![x[0], packed[0]])])
}

fn check_layout(cx: &Infer<'_>) -> Result<(), MetaError> {
    match cx.string("layout") {
        Some(name) if Int4Layout::from_name(name).is_none() => {
            let message = format!("`layout` is `{name}`, not avx512, avx2 or default");
            Err(cx.error(Status::InvalidArgument, message))
        }
        _ => Ok(()),
    }
}

/// uint8 `[n, k / 2]`, two codes a byte with the first in the upper half, packed in the order of tensor cores.
pub fn int4_packed(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    require_dtype(cx, "self", Dtype::Uint8)?;
    let tiles = cx.known_int("innerKTiles")?;
    if ![2, 4, 8].contains(&tiles) {
        return Err(cx.error(Status::InvalidArgument, format!("`innerKTiles` is {tiles}, not 2, 4 or 8")));
    }
    let own = cx.meta("self")?.shape.clone();
    multiple(cx, own[0], TILE_ROWS, "the rows of the weight")?;
    multiple(cx, own[1], 8 * tiles, "the bytes of a row of the weight")?;
    let syms = cx.syms();
    let shape = vec![
        syms.floordiv(own[0], syms.constant(TILE_ROWS)),
        syms.floordiv(own[1], syms.constant(8 * tiles)),
        syms.constant(THREADS),
        syms.constant(tiles / 2),
    ];
    Ok(vec![made(cx, Dtype::Int32, shape)])
}

/// int32 `[n, k]` as uint8 `[n, k / 2]`.
pub fn int4_packed_for_cpu(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    require_dtype(cx, "self", Dtype::Int32)?;
    check_layout(cx)?;
    let own = cx.meta("self")?.shape.clone();
    multiple(cx, own[0], 16, "the rows of the weight")?;
    multiple(cx, own[1], 2, "the columns of the weight")?;
    let half = cx.syms().floordiv(own[1], cx.syms().constant(2));
    Ok(vec![made(cx, Dtype::Uint8, vec![own[0], half])])
}
