//! Eigenvalues of matrices that need not be symmetric. They are complex even if the matrix is real: the routine gives pairs.

use super::Results;
use super::context::{Held, Split};
use crate::ir::Arg;

/// Computes the vectors only if the operator returns them.
pub fn eig(cx: &mut Split<'_, '_>) -> Results {
    let (own, count) = (cx.given_value("self")?, cx.node.outputs.len());
    let pairs = cx.is_complex(own);
    let matrix = if pairs { cx.joined_of(own)? } else { cx.real_of(own) };
    let args = vec![Arg::Value(matrix), Arg::Bool(pairs), Arg::Bool(count == 2)];
    let results = cx.call_all("litz.eig.default", args, Vec::new())?;
    Ok(results.into_iter().take(count).map(Held::Joined).collect())
}
