//! Products so large that the GPU's power limit decides their time. Litz's template does them, because it reads less for each operation than
//! the library.
//!
//! Deliberately absent: the tiling of such a product, which the template's mapping chooses.

use super::vendor::strided_matrix;
use crate::loops::uses::reduced_load;
use crate::loops::{BufferKind, ExprId, NodeKind, Program};
use crate::target::Target;
use crate::templates::tma::LARGEST;

/// Operations from which on a product takes as long as its energy lasts; two multiprocessors then have one tile.
const LONG: f64 = 5e11;

/// Whether the product is so large, and cut into tiles that leave few multiprocessors idle, that the own template is faster than the
/// library: halves on Hopper, whose operands the copy engine takes.
pub fn own_is_ahead(program: &Program, target: &Target, node: usize) -> bool {
    let (Target::Cuda(target), NodeKind::Gemm { batch, m, n, k, a, b, out }) =
        (target, &program.nodes[node].kind)
    else {
        return false;
    };
    let syms = &program.syms;
    let Some(&[m_size, n_size, k_size]) = syms.as_consts(&[*m, *n, *k]).as_deref() else { return false };
    let at = batch.len() as u32;
    let [row, column, depth] = [(at, m), (at + 1, n), (at + 2, k)].map(|(d, size)| syms.index_var(d, *size));
    let result = &program.buffers[*out];
    let halves = program.exprs.dtype(reduced_load(program, *a));
    let matrix = |operand: ExprId, vars| {
        let found = strided_matrix(program, batch, vars, operand, program.exprs.dtype(operand))?;
        let [_, rows, depth] = found.strides.map(|s| syms.as_const(s));
        (found.dtype == halves && syms.as_const(found.offset)? % 8 == 0).then_some([rows?, depth?])
    };
    let (Some(left), Some(right)) = (matrix(*a, [row, depth]), matrix(*b, [column, depth])) else {
        return false;
    };
    let whole = |[one, other]: [i64; 2]| (one == 1 && other % 8 == 0) || (other == 1 && one % 8 == 0);
    let sizes = m_size as f64 * n_size as f64;
    // The share of the time in which multiprocessors have a tile, where the result's columns are tiles' rows.
    let at_once = (target.multiprocessors as i64 / 2).max(1);
    let busy = |[rows, columns]: [i64; 2]| {
        let tiles = (n_size + rows - 1) / rows * ((m_size + columns - 1) / columns);
        sizes / ((tiles + at_once - 1) / at_once * at_once * rows * columns) as f64
    };
    target.arch == 90
        && batch.is_empty()
        && halves.is_reduced_float()
        && (result.dtype == halves || result.kind == BufferKind::Temporary)
        && left[1] == 1
        && whole(left)
        && whole(right)
        && m_size % 2 == 0
        && n_size % 8 == 0
        && 2.0 * sizes * k_size as f64 >= LONG
        && LARGEST.into_iter().map(|tile| busy(tile.of_cluster())).fold(0.0, f64::max) >= 0.95
}
