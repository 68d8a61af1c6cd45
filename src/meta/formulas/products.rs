//! The gradient of products so far, also of a line whose size a run decides.
//!
//! A line without zeros takes two scans and a division. Where there is a zero, a loop goes through the line from its end, and nothing
//! is divided. Both are exact in all derivatives, however many zeros there are.

use super::super::formula::Scope;
use super::repeat::{Turns, choose, repeat};
use super::{Built, Cx, Results, v};
use crate::ir::Arg;

/// `x_i` is a factor of `y_j` for `i <= j`: its gradient is the sum of `grad_j y_j / x_i`.
pub fn cumprod_backward(cx: &mut Cx<'_, '_>) -> Results {
    let (own, dim) = (cx.value(1)?, cx.known(2)?);
    let rank = cx.rank(own) as i64;
    if !(-rank.max(1)..rank.max(1)).contains(&dim) {
        return Err(cx.wrong(format!("there is no dimension {dim} among {rank}")));
    }
    if rank == 0 {
        return Ok(vec![cx.value(0)?]);
    }
    let args = cx.args.clone();
    let has_zero = cx.of("any(eq.Scalar($0, 0))", &[own])?;
    let divided = "div(flip(cumsum(flip(mul($0, $3), [$2]), $2), [$2]), $1)";
    choose(
        cx,
        has_zero,
        &args,
        |inside, args| Ok(vec![by_factors(inside, args)?]),
        |inside, args| Ok(vec![inside.call(divided, args)?]),
    )
}

/// The product of the factors before `x_i`, times `s_i = grad_i + x_(i+1) s_(i+1)`.
fn by_factors(cx: &mut Cx<'_, '_>, args: &[Arg]) -> Built {
    let (own, dim) = (args[1].clone(), args[2].clone());
    let first = "transpose.int($0, 0, $1)";
    let own = cx.call(first, &[own, dim.clone()])?;
    let grad = cx.call(first, &[args[0].clone(), dim.clone()])?;
    let shape = cx.shape(own);
    // A line that begins with 1, without its last factor.
    let mut room = vec![0; 2 * shape.len()];
    room[2 * shape.len() - 2..].copy_from_slice(&[1, -1]);
    let room = cx.ints(&room);
    let before = cx.call("cumprod(constant_pad_nd($0, $1, 1), 0)", &[v(own), room])?;
    let start = cx.call("new_zeros($0, $1)", &[v(own), Arg::Ints(shape[1..].to_vec())])?;
    let all = cx.of("zeros_like($0)", &[own])?;
    let given = [v(cx.of("flip($0, [0])", &[grad])?), v(cx.of("flip($0, [0])", &[own])?), Arg::Int(shape[0])];
    let turns = Turns {
        // `s` and the factor of the turn before, and all `s` from the end on.
        carried: &[start, start, all],
        given: &given,
        goes_on: "lt.Scalar($0, $6)",
        steps: &[
            "add(squeeze.dim(index_select($4, 0, unsqueeze($0, 0)), 0), mul($1, $2))",
            "squeeze.dim(index_select($5, 0, unsqueeze($0, 0)), 0)",
            "index_put($3, [$0], $7)",
        ],
    };
    let behind = repeat(cx, turns)?[2];
    let text = "contiguous(transpose.int(mul($0, flip($1, [0])), 0, $2))";
    cx.call(text, &[v(before), v(behind), dim])
}
