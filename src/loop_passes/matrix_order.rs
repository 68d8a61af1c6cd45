//! Stores values that are computed for products in the order in which the products read them: a gradient of queries, keys and values that is
//! stacked in one order and read as a matrix of another is written as that matrix.
//!
//! Invariant: only the order of a buffer changes; the first product that reads it decides.
//!
//! Deliberately absent: results of other nodes than pointwise ones, and outputs; those are copied (`operands`).

use super::operands::is_matrix;
use super::result_order::reorder;
use crate::base::{HashMap, HashSet, StableSort};
use crate::loops::uses::{lies_in_memory, reduced_load};
use crate::loops::{BufferId, BufferKind, Expr, ExprId, NodeKind, Program};
use crate::types::{SymInt, SymNode, SymbolId, contiguous_strides};

pub fn run(program: &mut Program) {
    let computed: HashSet<BufferId> = program
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            NodeKind::Pointwise { sizes, out, .. } => {
                let data = &program.buffers[*out];
                let plain = data.sizes == *sizes && data.strides == contiguous_strides(&program.syms, sizes);
                let free = data.kind == BufferKind::Temporary && !lies_in_memory(program, *out);
                (plain && free && sizes.len() > 2).then_some(*out)
            }
            _ => None,
        })
        .collect();
    let mut orders: HashMap<BufferId, Vec<usize>> = HashMap::default();
    for node in &program.nodes {
        let NodeKind::Gemm { batch, m, n, k, a, b, .. } = &node.kind else { continue };
        let at = batch.len() as u32;
        let depth = program.syms.index_var(at + 2, *k);
        for (operand, row, place) in [(*a, *m, at), (*b, *n, at + 1)] {
            let operand = reduced_load(program, operand);
            let Expr::Load { buffer, .. } = program.exprs[operand] else { continue };
            if !computed.contains(&buffer)
                || orders.contains_key(&buffer)
                || is_matrix(program, batch, (place, row), depth, operand)
            {
                continue;
            }
            let mut vars = program.vars(batch);
            vars.extend([program.syms.index_var(place, row), depth]);
            orders.extend(read_order(program, operand, &vars).map(|order| (buffer, order)));
        }
    }
    if !orders.is_empty() {
        reorder(program, &orders);
    }
}

/// The order of a buffer's dimensions in which a load walks over it once, from its first to its last element, where these variables
/// are nested so.
fn read_order(program: &Program, load: ExprId, vars: &[SymInt]) -> Option<Vec<usize>> {
    let syms = &program.syms;
    let Expr::Load { buffer, index, data } = &program.exprs[load] else { return None };
    let sizes = &program.buffers[*buffer].sizes;
    let symbols: Vec<SymbolId> = vars.iter().filter_map(|v| syms.as_symbol(*v)).collect();
    let mut digits = Vec::with_capacity(index.len());
    for (dim, i) in index.iter().enumerate() {
        if syms.as_const(sizes[dim]) == Some(1) {
            digits.push((0, 0, dim));
            continue;
        }
        let (symbol, divisor) = digit(program, *i)?;
        digits.push((symbols.iter().position(|s| *s == symbol)?, -divisor, dim));
    }
    digits.stable_sort();
    let order: Vec<usize> = digits.iter().map(|d| d.2).collect();
    let turned: Vec<SymInt> = order.iter().map(|dim| sizes[*dim]).collect();
    let strides = contiguous_strides(syms, &turned);
    let terms: Vec<SymInt> =
        order.iter().zip(strides).map(|(dim, stride)| syms.mul(index[*dim], stride)).collect();
    let mut rest = Some(syms.sum(&terms));
    for symbol in symbols {
        rest = rest.and_then(|r| syms.linear_in(r, symbol)).map(|(_, left)| left);
    }
    (data.is_empty() && rest.is_some()).then_some(order)
}

/// A variable, or what its digits are divided by: `v // 64 % 12`.
fn digit(program: &Program, index: SymInt) -> Option<(SymbolId, i64)> {
    let syms = &program.syms;
    match syms.node(index) {
        SymNode::Mod(a, _) => digit(program, a),
        SymNode::FloorDiv(a, b) => {
            let (symbol, divisor) = digit(program, a)?;
            Some((symbol, divisor.checked_mul(syms.as_const(b)?)?))
        }
        _ => syms.as_symbol(index).map(|symbol| (symbol, 1)),
    }
}
