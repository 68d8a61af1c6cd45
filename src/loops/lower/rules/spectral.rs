//! Fourier transforms: nodes for the routine of Litz's second library, which transforms one dimension of contiguous operands.

use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{NodeKind, Routine};
use crate::meta::rules::half;
use crate::plan::external::{self as by, Attributes};

type Results = Result<Vec<Lazy>, LowerError>;

/// The kinds of transforms, as the routine numbers them.
#[derive(Clone, Copy)]
enum Kind {
    Forward,
    Backward,
    ToHalf,
    FromHalf,
}

/// Numbers that one call transforms where lines are short.
const TOGETHER: i64 = 8192;
/// The length that blocks of lines of an unknown length are made for.
const USUAL: i64 = 512;
/// Columns that the routine gathers together.
const COLUMNS: i64 = 8;

/// How many outer places a block of lines has, and how many inner ones of each.
fn block(n: Option<i64>, inner: Option<i64>) -> [i64; 2] {
    let lines = (TOGETHER / n.unwrap_or(USUAL).max(1)).max(1);
    match inner {
        Some(1) => [lines, 1],
        Some(inner) => {
            let columns = (lines.max(COLUMNS) / COLUMNS * COLUMNS).min(inner.max(1));
            [(lines / columns).max(1), columns]
        }
        None => [1, lines.max(COLUMNS)],
    }
}

fn transform(cx: &mut Lower<'_>, args: &Args<'_>, kind: Kind) -> Results {
    let mut x = args.lazy(cx, "self")?;
    let dtype = cx.program.exprs.dtype(x.expr);
    let out = args.result(0).shape.clone();
    // Of real numbers, whose shape has no pairs behind it.
    let shape = if matches!(kind, Kind::FromHalf) { &out } else { &x.sizes };
    let end = shape.len() - usize::from(matches!(kind, Kind::Forward | Kind::Backward));
    let dim = args.known_int("dim")? as usize;
    let syms = cx.syms();
    let (outer, n, inner) = (syms.product(&shape[..dim]), shape[dim], syms.product(&shape[dim + 1..end]));
    let [outers, columns] = block(syms.as_const(n), syms.as_const(inner)).map(|v| syms.constant(v));
    let batch = syms.mul(syms.ceildiv(outer, outers), syms.ceildiv(inner, columns));
    let number = |v: i64| syms.constant(v);
    let attributes = Attributes::Fourier(by::Fourier {
        batch,
        dtype: number(dtype.number().into()),
        outer,
        n,
        inner,
        outers,
        columns,
        kind: number(kind as i64),
        normalization: number(args.known_int("normalization")?),
    });
    if matches!(kind, Kind::FromHalf) {
        // As many as the routine reads: where the operand's own size is another expression, a guard holds that they are equal.
        let mut sizes = x.sizes.clone();
        sizes[dim] = half(syms, n);
        if sizes != x.sizes {
            let vars = cx.program.vars(&sizes);
            x = Lazy { expr: cx.at(&x, &vars), sizes };
        }
    }
    let input = cx.realize(&x);
    let result = cx.program.temporary(dtype, &out);
    cx.push(NodeKind::Library(Box::new(Routine::pure(attributes, vec![input, result]))));
    Ok(vec![cx.load_all(result)])
}

pub fn fourier(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let kind = if args.bool("forward") { Kind::Forward } else { Kind::Backward };
    transform(cx, args, kind)
}

pub fn fourier_real(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    transform(cx, args, Kind::ToHalf)
}

pub fn fourier_back(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    transform(cx, args, Kind::FromHalf)
}

#[cfg(test)]
mod tests {
    use super::block;

    #[test]
    fn blocks_have_enough_lines_to_be_worth_a_call_and_whole_groups_of_columns() {
        assert_eq!(block(Some(4096), Some(1)), [2, 1]);
        assert_eq!(block(Some(1 << 20), Some(1)), [1, 1]);
        assert_eq!(block(Some(0), Some(0)), [8192, 1]);
        assert_eq!(block(Some(1024), Some(513)), [1, 8]);
        assert_eq!(block(Some(64), Some(3)), [42, 3]);
        assert_eq!(block(Some(100), Some(1000)), [1, 80]);
        assert_eq!(block(None, None), [1, 16]);
    }
}
