//! Several tensors as one: joined along a dimension or a diagonal, or all tuples of their elements, as choices between loads.

use super::rearrange::masked;
use super::view::{from_meta, infer_of, reshape_lazy};
use crate::ir::OriginId;
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{ExprId, NodeKind, ScatterMode};
use crate::meta::rules::{is_empty_vector, joined_shapes, matrix_sizes, swaps_first_two};
use crate::types::SymInt;

type Results = Result<Vec<Lazy>, LowerError>;

/// The value whose half-open interval of `bounds` the position is in. Halves the intervals, so that many cost few
/// comparisons.
fn choose(cx: &mut Lower<'_>, position: SymInt, bounds: &[SymInt], values: &[ExprId]) -> ExprId {
    if values.len() == 1 {
        return values[0];
    }
    let middle = values.len() / 2;
    let low = choose(cx, position, &bounds[..=middle], &values[..middle]);
    let high = choose(cx, position, &bounds[middle..], &values[middle..]);
    let is_low = cx.syms().lt(position, bounds[middle]);
    let dtype = cx.program.exprs.dtype(low);
    let nothing = cx.program.exprs.int(0, dtype);
    let is_high = cx.syms().not(is_low);
    let high = masked(cx, is_high, high, nothing);
    masked(cx, is_low, low, high)
}

/// Parts that one expression chooses among. It looks at all of them for each vector of a result whose parts are shorter
/// than vectors, and a compiler takes more than twice as long for twice as many.
const MOST_PARTS: usize = 64;
/// Parts that are joined first where there are more.
const JOINED_FIRST: usize = 32;

/// The origins that a piece of a join is named for. Joins of joins have become one, of as many origins, the outermost first:
/// were each piece named for all of them, names would grow with the square of the parts.
fn share(origins: &[OriginId], piece: usize, pieces: usize) -> Vec<OriginId> {
    if origins.len() <= JOINED_FIRST {
        return origins.to_vec();
    }
    let behind = pieces - 1 - piece;
    let begin = origins.len() * behind / pieces;
    origins[begin..(origins.len() * (behind + 1) / pieces).max(begin + 1)].to_vec()
}

/// Values joined along a dimension; each has the sizes of the result but in that dimension.
pub(super) fn concatenate(cx: &mut Lower<'_>, parts: &[Lazy], dim: usize, sizes: &[SymInt]) -> Lazy {
    let joined: Vec<Lazy>;
    // What has no elements is read nowhere; the last part stands for all where none has any.
    let filled: Vec<Lazy> =
        parts.iter().filter(|part| cx.syms().as_const(part.sizes[dim]) != Some(0)).cloned().collect();
    let mut parts = if filled.is_empty() { &parts[parts.len() - 1..] } else { &filled[..] };
    if parts.len() > MOST_PARTS {
        let origins = cx.origins.clone();
        let pieces = parts.len().div_ceil(JOINED_FIRST);
        joined = parts
            .chunks(JOINED_FIRST)
            .enumerate()
            .map(|(k, some)| {
                cx.origins = share(&origins, k, pieces);
                let mut own = sizes.to_vec();
                let lengths: Vec<SymInt> = some.iter().map(|part| part.sizes[dim]).collect();
                own[dim] = *cx.syms().ends(&lengths).last().unwrap_or(&own[dim]);
                let lazy = concatenate(cx, some, dim, &own);
                cx.computed(&lazy)
            })
            .collect();
        cx.origins = origins;
        if joined.len() > MOST_PARTS {
            return concatenate(cx, &joined, dim, sizes);
        }
        parts = &joined;
    }
    let vars = cx.vars(sizes);
    let lengths: Vec<SymInt> = parts.iter().map(|part| part.sizes[dim]).collect();
    let mut bounds = vec![cx.syms().constant(0)];
    bounds.extend(cx.syms().ends(&lengths));
    let mut values = Vec::with_capacity(parts.len());
    for (part, start) in parts.iter().zip(bounds.clone()) {
        let mut index = vars.clone();
        index[dim] = cx.syms().sub(vars[dim], start);
        values.push(cx.at(part, &index));
    }
    Lazy { sizes: sizes.to_vec(), expr: choose(cx, vars[dim], &bounds, &values) }
}

/// `cat`, `stack` and their kin.
pub fn join(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let infer = infer_of(args);
    let (shapes, dim) = joined_shapes(&infer).map_err(from_meta)?;
    let result = args.result(0);
    let mut parts = Vec::new();
    for (value, shape) in args.values("tensors").into_iter().flatten().zip(shapes) {
        if is_empty_vector(&infer, &shape) {
            continue;
        }
        let source = cx.value(value);
        let mut part = reshape_lazy(cx, &source, &shape);
        part.expr = cx.program.exprs.cast(part.expr, result.dtype);
        parts.push(part);
    }
    if parts.is_empty() {
        let expr = cx.program.exprs.int(0, result.dtype);
        return Ok(vec![Lazy { sizes: result.shape.clone(), expr }]);
    }
    Ok(vec![concatenate(cx, &parts, dim, &result.shape)])
}

/// Each vector along its dimension of the grid.
pub fn meshgrid(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let swap = swaps_first_two(&infer_of(args)).map_err(from_meta)?;
    let mut results = Vec::new();
    for (k, value) in args.values("tensors").into_iter().flatten().enumerate() {
        let source = cx.value(value);
        let sizes = args.result(k).shape.clone();
        let dim = if swap && k < 2 && sizes.len() > 1 { 1 - k } else { k };
        let index = if source.sizes.is_empty() { Vec::new() } else { vec![cx.vars(&sizes)[dim]] };
        let expr = cx.at(&source, &index);
        results.push(Lazy { sizes, expr });
    }
    Ok(results)
}

/// Matrices along the diagonal, zero elsewhere.
pub fn block_diag(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let result = args.result(0);
    let (sizes, dtype) = (result.shape.clone(), result.dtype);
    let vars = cx.vars(&sizes);
    let zero = cx.program.exprs.int(0, dtype);
    let (mut rows, mut column) = (vec![cx.syms().constant(0)], cx.syms().constant(0));
    let mut values = Vec::new();
    for value in args.values("tensors").into_iter().flatten() {
        let source = cx.value(value);
        let [height, width] = matrix_sizes(&infer_of(args), args.graph.meta(value));
        let source = reshape_lazy(cx, &source, &[height, width]);
        let row = rows[rows.len() - 1];
        let syms = cx.syms();
        if [height, width].iter().any(|n| syms.as_const(*n) == Some(0)) {
            rows.push(syms.add(row, height));
            column = syms.add(column, width);
            values.push(zero);
            continue;
        }
        let index = [syms.sub(vars[0], row), syms.sub(vars[1], column)];
        let end = syms.add(column, width);
        let inside = syms.and(syms.le(column, vars[1]), syms.lt(vars[1], end));
        rows.push(syms.add(row, height));
        column = end;
        let expr = cx.at(&source, &index);
        let expr = cx.program.exprs.cast(expr, dtype);
        values.push(masked(cx, inside, expr, zero));
    }
    let expr = if values.is_empty() { zero } else { choose(cx, vars[0], &rows, &values) };
    Ok(vec![Lazy { sizes, expr }])
}

/// All tuples of the tensors' elements, the last changing fastest.
pub fn cartesian_prod(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let result = args.result(0);
    let (sizes, dtype) = (result.shape.clone(), result.dtype);
    let sources: Vec<Lazy> = args.values("tensors").into_iter().flatten().map(|v| cx.value(v)).collect();
    if sources.len() == 1 {
        return Ok(sources);
    }
    let vars = cx.vars(&sizes);
    let counts: Vec<SymInt> = sources.iter().map(|s| s.sizes[0]).collect();
    let index = crate::types::unflatten_index(cx.syms(), &counts, vars[0]);
    let values: Vec<ExprId> = sources
        .iter()
        .zip(index)
        .map(|(s, i)| {
            let expr = cx.at(s, &[i]);
            cx.program.exprs.cast(expr, dtype)
        })
        .collect();
    let bounds: Vec<SymInt> = (0..=values.len()).map(|k| cx.syms().constant(k as i64)).collect();
    Ok(vec![Lazy { sizes, expr: choose(cx, vars[1], &bounds, &values) }])
}

/// All sub-tuples in lexicographic order. Every tuple of the grid is written to the place of its rank; those that
/// are not in order go to a row behind the last, which is cut off.
pub fn combinations(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let result = args.result(0);
    let sizes = result.shape.clone();
    let r = args.known_int("r")?;
    if r == 0 || cx.syms().as_const(sizes[0]) == Some(0) {
        let expr = cx.program.exprs.int(0, result.dtype);
        return Ok(vec![Lazy { sizes, expr }]);
    }
    let (n, again) = (source.sizes[0], args.bool("with_replacement"));
    let r = r as usize;
    let mut grid = vec![n; r];
    grid.push(sizes[1]);
    let vars = cx.vars(&grid);
    let syms = cx.syms();
    // With replacement, element k of the tuple plus k makes it one without, of a longer vector.
    let shift = |k: usize| if again { syms.add_const(vars[k], k as i64) } else { vars[k] };
    let total = if again { syms.add_const(n, r as i64 - 1) } else { n };
    let mut ordered = syms.constant(1);
    let mut rank = syms.add_const(sizes[0], -1);
    for k in 0..r {
        if k > 0 {
            ordered = syms.and(ordered, syms.lt(shift(k - 1), shift(k)));
        }
        let above = syms.add_const(syms.sub(total, shift(k)), -1);
        let choose = r - k;
        let (mut product, mut factorial) = (syms.constant(1), 1i64);
        for j in 0..choose {
            product = syms.mul(product, syms.max(syms.add_const(above, -(j as i64)), syms.constant(0)));
            factorial = factorial.saturating_mul(j as i64 + 1);
        }
        rank = syms.sub(rank, syms.floordiv(product, syms.constant(factorial)));
    }
    let row = syms.select(ordered, rank, sizes[0]);
    let mut element = vars[r - 1];
    for k in (0..r - 1).rev() {
        element = syms.select(syms.eq(vars[r], syms.constant(k as i64)), vars[k], element);
    }
    let place = cx.program.exprs.index_value(row, crate::types::Dtype::Int64);
    let place = cx.clamped_or_left_out(place, sizes[0]);
    let value = cx.at(&source, &[element]);
    let initial = cx.program.exprs.int(0, result.dtype);
    let out = cx.program.temporary(result.dtype, &sizes);
    cx.push(NodeKind::Scatter {
        sizes: grid,
        index: vec![cx.syms().data_var(0), vars[r]],
        data: vec![place],
        value,
        mode: ScatterMode::SetUnique,
        initial,
        out,
    });
    Ok(vec![cx.load_all(out)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Origin, Origins};

    #[test]
    fn pieces_of_a_join_divide_its_origins() {
        let origins = Origins::default();
        let all: Vec<OriginId> =
            (0..200).map(|k| origins.add(Origin { node: format!("n{k}"), ..Origin::default() })).collect();
        // The outermost join, which comes first, adds the last part.
        let shares: Vec<_> = (0..7).map(|k| share(&all, k, 7)).collect();
        assert_eq!(shares.iter().rev().flatten().copied().collect::<Vec<_>>(), all);
        assert_eq!(share(&all[..20], 3, 7), all[..20]);
        // More pieces than origins: each is named for one.
        assert!((0..100).all(|k| share(&all[..40], k, 100).len() == 1));
    }
}
