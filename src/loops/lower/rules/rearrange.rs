//! Rearrangements: padded, repeated and turned tensors as choices between loads; nothing is computed.

use super::conv_transpose::{Folded, folded};
use super::convolution::Geometry;
use super::view::{dim_arg, from_meta, infer_of, remapped, reshape_lazy, storage_index, wrapped};
use super::view::{require_within, strided_position};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{ExprId, NodeKind, ScatterMode};
use crate::meta::rules::{Windows, padding_mode};
use crate::types::{Dtype, SymInt, slice_range};

type Results = Result<Vec<Lazy>, LowerError>;

/// `value` where the 0/1 index condition holds, `otherwise` elsewhere; `value` is only read where it holds.
pub(super) fn masked(cx: &mut Lower<'_>, condition: SymInt, value: ExprId, otherwise: ExprId) -> ExprId {
    match cx.syms().decide(condition) {
        Some(true) => value,
        Some(false) => otherwise,
        None => {
            let condition = cx.program.exprs.index_value(condition, Dtype::Bool);
            cx.program.exprs.masked(condition, value, otherwise)
        }
    }
}

/// Padding with a number, or from the tensor itself.
pub fn pad(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mode = padding_mode(&infer_of(args)).map_err(from_meta)?;
    let named = if args.node.op.schema().arg("pad").is_some() { "pad" } else { "padding" };
    let pads = args.ints(named).unwrap_or(&[]).to_vec();
    let source = args.lazy(cx, "self")?;
    let result = args.result(0);
    let (sizes, dtype) = (result.shape.clone(), result.dtype);
    let vars = cx.vars(&sizes);
    let (syms, mut index) = (cx.syms(), vars.clone());
    let mut inside = syms.constant(1);
    for (k, pair) in pads.chunks(2).enumerate() {
        let dim = sizes.len() - 1 - k;
        let size = source.sizes[dim];
        let (i, last, zero) = (syms.sub(vars[dim], pair[0]), syms.add_const(size, -1), syms.constant(0));
        index[dim] = match mode {
            "reflect" => {
                let i = syms.max(i, syms.neg(i));
                let back = syms.sub(last, i);
                syms.sub(last, syms.max(back, syms.neg(back)))
            }
            "replicate" => syms.min(syms.max(i, zero), last),
            // What negative padding cuts off is not repeated.
            "circular" => {
                let cut = syms.max(syms.neg(pair[0]), zero);
                let kept = syms.add(syms.sub(size, cut), syms.min(pair[1], zero));
                syms.add(syms.modulo(syms.sub(i, cut), kept), cut)
            }
            _ => {
                inside = syms.and(inside, syms.and(syms.le(zero, i), syms.lt(i, size)));
                i
            }
        };
    }
    let value = cx.at(&source, &index);
    let fill = match args.node.op.schema().arg("value") {
        Some(_) => args.number(cx, "value", dtype),
        None => None,
    };
    let fill = fill.unwrap_or_else(|| cx.program.exprs.int(0, dtype));
    Ok(vec![Lazy { sizes, expr: masked(cx, inside, value, fill) }])
}

/// Dimensions in reverse.
pub fn flip(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let rank = args.meta("self")?.rank();
    let dims = match args.node.op.schema().arg("dims") {
        Some(_) => args.known_ints("dims")?,
        None if args.node.op.name().contains("fliplr") => vec![1],
        None => vec![0],
    };
    let infer = infer_of(args);
    let dims: Vec<usize> =
        dims.iter().map(|d| infer.dim(*d, rank)).collect::<Result<_, _>>().map_err(from_meta)?;
    remapped(cx, args, |cx, vars| {
        let sizes = &args.result(0).shape;
        let at = |k: usize| match dims.contains(&k) {
            true => cx.syms().sub(cx.syms().add_const(sizes[k], -1), vars[k]),
            false => vars[k],
        };
        Ok((0..rank).map(at).collect())
    })
}

/// Elements moved on by `shifts`, those pushed out entering at the other end; without `dims`, in the flat tensor.
pub fn roll(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let sizes = args.result(0).shape.clone();
    let rank = sizes.len();
    let shifts = args.ints("shifts").unwrap_or(&[]).to_vec();
    let dims = args.known_ints("dims")?;
    if dims.is_empty() {
        let [shift] = shifts[..] else {
            return Err(cx.unsupported("a flat roll has one shift"));
        };
        let numel = cx.syms().product(&sizes);
        let flat = reshape_lazy(cx, &source, &[numel]);
        let var = cx.vars(&[numel])[0];
        let index = shifted(cx, var, shift, numel);
        let rolled = Lazy { sizes: vec![numel], expr: cx.at(&flat, &[index]) };
        return Ok(vec![reshape_lazy(cx, &rolled, &sizes)]);
    }
    if dims.len() != shifts.len() {
        return Err(cx.unsupported("a roll has as many shifts as dimensions"));
    }
    let mut index = cx.vars(&sizes);
    for (dim, shift) in dims.iter().zip(shifts) {
        let dim = infer_of(args).dim(*dim, rank).map_err(from_meta)?;
        if rank > 0 {
            index[dim] = shifted(cx, index[dim], shift, sizes[dim]);
        }
    }
    let expr = cx.at(&source, &index);
    Ok(vec![Lazy { sizes, expr }])
}

fn shifted(cx: &Lower<'_>, index: SymInt, shift: SymInt, size: SymInt) -> SymInt {
    cx.syms().modulo(cx.syms().sub(index, shift), size)
}

/// Zero frequency to the middle (`fft_fftshift`) or back.
pub fn fftshift(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let rank = args.meta("self")?.rank();
    let forward = args.node.op.name().contains(".fft_fftshift.");
    let infer = infer_of(args);
    let dims: Vec<usize> = match args.ints("dim") {
        None => (0..rank).collect(),
        Some(_) => args
            .known_ints("dim")?
            .iter()
            .map(|d| infer.dim(*d, rank))
            .collect::<Result<_, _>>()
            .map_err(from_meta)?,
    };
    remapped(cx, args, |cx, vars| {
        let (syms, sizes, mut index) = (cx.syms(), &args.result(0).shape, vars.to_vec());
        for k in dims.into_iter().filter(|k| *k < rank) {
            let half = if forward { sizes[k] } else { syms.add_const(sizes[k], 1) };
            let half = syms.floordiv(half, syms.constant(2));
            index[k] = shifted(cx, index[k], half, sizes[k]);
        }
        Ok(index)
    })
}

/// The whole tensor again and again.
pub fn repeat(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.meta("self")?.shape.clone();
    remapped(cx, args, |cx, vars| {
        let skip = vars.len() - source.len();
        Ok(source.iter().enumerate().map(|(k, s)| cx.syms().modulo(vars[skip + k], *s)).collect())
    })
}

/// Every element several times in a row.
pub fn repeat_interleave(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let sizes = args.result(0).shape.clone();
    let repeats = args.int("repeats").ok_or_else(|| cx.unsupported("`repeats` must be an integer"))?;
    let (source, dim) = match args.int("dim") {
        None => {
            let numel = cx.syms().product(&source.sizes);
            (reshape_lazy(cx, &source, &[numel]), 0)
        }
        Some(_) if source.sizes.is_empty() => {
            let one = cx.syms().constant(1);
            (reshape_lazy(cx, &source, &[one]), 0)
        }
        Some(_) => {
            let dim = dim_arg(args, "dim", source.sizes.len())?;
            (source, dim)
        }
    };
    let mut index = cx.vars(&sizes);
    index[dim] = cx.syms().floordiv(index[dim], repeats);
    let expr = cx.at(&source, &index);
    Ok(vec![Lazy { sizes, expr }])
}

/// Quarter turns.
pub fn rot90(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.meta("self")?.shape.clone();
    let dims = args.known_ints("dims")?;
    let infer = infer_of(args);
    let dim = |k: usize| infer.dim(dims[k], source.len()).map_err(from_meta);
    let (a, b) = (dim(0)?, dim(1)?);
    let turns = args.known_int("k")?.rem_euclid(4);
    remapped(cx, args, |cx, vars| {
        let syms = cx.syms();
        let mut index = vars.to_vec();
        let back = |k: usize, i: SymInt| syms.sub(syms.add_const(source[k], -1), i);
        match turns {
            1 => (index[a], index[b]) = (vars[b], back(b, vars[a])),
            2 => (index[a], index[b]) = (back(a, vars[a]), back(b, vars[b])),
            3 => (index[a], index[b]) = (back(a, vars[b]), vars[a]),
            _ => {}
        }
        Ok(index)
    })
}

/// A value as the diagonal `offset` of dimensions `a` and `b` of the result, its own dimension being the last.
fn on_diagonal(cx: &mut Lower<'_>, source: &Lazy, sizes: &[SymInt], a: usize, b: usize, offset: i64) -> Lazy {
    let vars = cx.vars(sizes);
    let syms = cx.syms();
    let mut index: Vec<SymInt> = (0..vars.len()).filter(|k| *k != a && *k != b).map(|k| vars[k]).collect();
    index.push(syms.add_const(vars[a], offset.min(0)));
    let on = syms.eq(syms.add_const(vars[a], offset), vars[b]);
    let value = cx.at(source, &index);
    let dtype = cx.program.exprs.dtype(value);
    let zero = cx.program.exprs.int(0, dtype);
    Lazy { sizes: sizes.to_vec(), expr: masked(cx, on, value, zero) }
}

/// A vector as a diagonal, or a matrix's diagonal.
pub fn diag(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let offset = args.known_int("diagonal")?;
    let sizes = args.result(0).shape.clone();
    if source.sizes.len() == 1 {
        return Ok(vec![on_diagonal(cx, &source, &sizes, 0, 1, offset)]);
    }
    let (syms, var) = (cx.syms(), cx.vars(&sizes)[0]);
    let index = [syms.add_const(var, offset.min(0).saturating_neg()), syms.add_const(var, offset.max(0))];
    let expr = cx.at(&source, &index);
    Ok(vec![Lazy { sizes, expr }])
}

/// All elements as a diagonal.
pub fn diagflat(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let numel = cx.syms().product(&source.sizes);
    let flat = reshape_lazy(cx, &source, &[numel]);
    Ok(vec![on_diagonal(cx, &flat, &args.result(0).shape, 0, 1, args.known_int("offset")?)])
}

/// The last dimension as a diagonal of two.
pub fn diag_embed(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let rank = args.result(0).rank();
    let (a, b) = (dim_arg(args, "dim1", rank)?, dim_arg(args, "dim2", rank)?);
    Ok(vec![on_diagonal(cx, &source, &args.result(0).shape, a, b, args.known_int("offset")?)])
}

/// Channels to pixels.
pub fn pixel_shuffle(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let factor = args.known_int("upscale_factor")?;
    remapped(cx, args, |cx, vars| {
        let (syms, at) = (cx.syms(), vars.len() - 3);
        let f = syms.constant(factor);
        let (y, x) = (vars[at + 1], vars[at + 2]);
        let within = syms.add(syms.mul(syms.modulo(y, f), f), syms.modulo(x, f));
        let mut index = vars.to_vec();
        index[at] = syms.add(syms.mul(vars[at], syms.mul(f, f)), within);
        (index[at + 1], index[at + 2]) = (syms.floordiv(y, f), syms.floordiv(x, f));
        Ok(index)
    })
}

/// Pixels to channels.
pub fn pixel_unshuffle(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let factor = args.known_int("downscale_factor")?;
    remapped(cx, args, |cx, vars| {
        let (syms, at) = (cx.syms(), vars.len() - 3);
        let f = syms.constant(factor);
        let area = syms.mul(f, f);
        let within = syms.modulo(vars[at], area);
        let mut index = vars.to_vec();
        index[at] = syms.floordiv(vars[at], area);
        index[at + 1] = syms.add(syms.mul(vars[at + 1], f), syms.floordiv(within, f));
        index[at + 2] = syms.add(syms.mul(vars[at + 2], f), syms.modulo(within, f));
        Ok(index)
    })
}

/// Channels dealt out to groups.
pub fn channel_shuffle(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let groups = args.known_int("groups")?;
    let channels = args.meta("self")?.shape[1];
    remapped(cx, args, |cx, vars| {
        let (syms, mut index) = (cx.syms(), vars.to_vec());
        let groups = syms.constant(groups);
        let each = syms.floordiv(channels, groups);
        let group = syms.modulo(vars[1], groups);
        index[1] = syms.add(syms.mul(group, each), syms.floordiv(vars[1], groups));
        Ok(index)
    })
}

/// `self` with a slice written over.
pub fn slice_scatter(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, mut src) = (args.lazy(cx, "self")?, args.lazy(cx, "src")?);
    let sizes = args.result(0).shape.clone();
    let dim = dim_arg(args, "dim", sizes.len())?;
    let syms = cx.syms();
    let step = args.int("step").unwrap_or(syms.constant(1));
    let (start, length) = slice_range(syms, sizes[dim], args.int("start"), args.int("end"), step);
    let mut place = sizes.clone();
    place[dim] = length;
    let expr = cx.broadcast(&src, &place);
    src = Lazy { sizes: place, expr };
    let vars = cx.vars(&sizes);
    let offset = syms.sub(vars[dim], start);
    let mut index = vars.clone();
    index[dim] = syms.floordiv(offset, step);
    let zero = syms.constant(0);
    let after = syms.and(syms.le(start, vars[dim]), syms.lt(index[dim], length));
    let inside = syms.and(after, syms.eq(syms.modulo(offset, step), zero));
    let value = cx.at(&src, &index);
    Ok(vec![Lazy { sizes, expr: masked(cx, inside, value, source.expr) }])
}

/// `self` with one index of a dimension written over.
pub fn select_scatter(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, src) = (args.lazy(cx, "self")?, args.lazy(cx, "src")?);
    let sizes = args.result(0).shape.clone();
    let dim = dim_arg(args, "dim", sizes.len())?;
    let index = args.int("index").ok_or_else(|| cx.unsupported("`index` must be an integer"))?;
    let index = wrapped(cx, index, sizes[dim]);
    let mut vars = cx.vars(&sizes);
    let inside = cx.syms().eq(vars[dim], index);
    vars.remove(dim);
    let value = cx.at(&src, &vars);
    Ok(vec![Lazy { sizes, expr: masked(cx, inside, value, source.expr) }])
}

/// `self` with a diagonal written over.
pub fn diagonal_scatter(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, src) = (args.lazy(cx, "self")?, args.lazy(cx, "src")?);
    let sizes = args.result(0).shape.clone();
    let (a, b) = (dim_arg(args, "dim1", sizes.len())?, dim_arg(args, "dim2", sizes.len())?);
    let offset = args.known_int("offset")?;
    let vars = cx.vars(&sizes);
    let syms = cx.syms();
    let inside = syms.eq(syms.add_const(vars[a], offset), vars[b]);
    let mut index: Vec<SymInt> = (0..sizes.len()).filter(|k| *k != a && *k != b).map(|k| vars[k]).collect();
    index.push(syms.add_const(vars[a], offset.min(0)));
    let value = cx.at(&src, &index);
    Ok(vec![Lazy { sizes, expr: masked(cx, inside, value, source.expr) }])
}

/// `self` with places of its storage written over; `self` must be dense.
pub fn as_strided_scatter(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, src) = (args.lazy(cx, "self")?, args.lazy(cx, "src")?);
    let (meta, result) = (args.meta("self")?, args.result(0));
    let strides = args.ints("stride").unwrap_or(&[]).to_vec();
    let offset = args.int("storage_offset").unwrap_or(meta.offset);
    let vars = cx.vars(&src.sizes);
    let position = strided_position(cx, &vars, &strides, offset);
    let index = storage_index(cx, meta, position)
        .ok_or_else(|| cx.unsupported("the storage of `self` is not that of a dense tensor"))?;
    require_within(cx, meta, &src.sizes, &strides, offset)?;
    let out = cx.program.temporary(result.dtype, &result.shape);
    cx.push(NodeKind::Scatter {
        sizes: src.sizes.clone(),
        index,
        data: Vec::new(),
        value: src.expr,
        mode: ScatterMode::Set,
        initial: source.expr,
        out,
    });
    Ok(vec![cx.load_all(out)])
}

/// Windows of an image as columns: `[…, channels * kernel, windows]`.
pub fn im2col(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let infer = infer_of(args);
    let windows = Windows::of(&infer).map_err(from_meta)?;
    let source = args.lazy(cx, "self")?;
    let result = args.result(0);
    let at = source.sizes.len() - 3;
    let size = [source.sizes[at + 1], source.sizes[at + 2]];
    let columns = windows.count(&infer, 1, size[1]);
    let vars = cx.vars(&result.shape);
    let syms = cx.syms();
    let (kh, kw) = (syms.constant(windows.kernel[0]), syms.constant(windows.kernel[1]));
    let (row, window) = (vars[at], vars[at + 1]);
    let channel = syms.floordiv(row, syms.mul(kh, kw));
    let taps = [syms.modulo(syms.floordiv(row, kw), kh), syms.modulo(row, kw)];
    let places = [syms.floordiv(window, columns), syms.modulo(window, columns)];
    let mut index = vars[..at].to_vec();
    index.push(channel);
    let (zero, mut inside) = (syms.constant(0), syms.constant(1));
    for k in 0..2 {
        let from = syms.add_const(syms.mul_const(places[k], windows.stride[k]), -windows.padding[k]);
        let i = syms.add(from, syms.mul_const(taps[k], windows.dilation[k]));
        inside = syms.and(inside, syms.and(syms.le(zero, i), syms.lt(i, size[k])));
        index.push(i);
    }
    let value = cx.at(&source, &index);
    let fill = cx.program.exprs.int(0, result.dtype);
    Ok(vec![Lazy { sizes: result.shape.clone(), expr: masked(cx, inside, value, fill) }])
}

/// Columns added up to an image.
pub fn col2im(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let infer = infer_of(args);
    let windows = Windows::of(&infer).map_err(from_meta)?;
    let source = args.lazy(cx, "self")?;
    let result = args.result(0);
    let at = result.rank() - 3;
    let syms = cx.syms();
    let window = windows.kernel.map(|k| syms.constant(k));
    let places = [0, 1].map(|k| windows.count(&infer, k, result.shape[at + 1 + k]));
    let parts = [&result.shape[..=at], &window, &places].concat();
    let mut columns = reshape_lazy(cx, &source, &parts);
    if result.dtype == Dtype::Bool {
        // A sum of bools is whether any holds; their elements are counted, since masks have no addition.
        columns.expr = cx.program.exprs.cast(columns.expr, Dtype::Int32);
    }
    let columns = cx.computed(&columns);
    let geometry = Geometry {
        stride: windows.stride.to_vec(),
        padding: windows.padding.to_vec(),
        dilation: windows.dilation.to_vec(),
        groups: 1,
    };
    let folds = Folded { window: &window, places: &places, geometry: &geometry };
    let sum = folded(cx, &columns, &result.shape, &folds);
    let expr = cx.program.exprs.cast(sum.expr, result.dtype);
    Ok(vec![Lazy { sizes: sum.sizes, expr }])
}
