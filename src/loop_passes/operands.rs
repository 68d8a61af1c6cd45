//! Copies operands that a template cannot read where they lie, and gives attention's results the layout in which their readers read them.

use crate::base::memory;
use crate::loops::access::{flat_accesses, flat_loads, flatten, offset_of, replacing, unflatten};
use crate::loops::uses::{gemm_shares_b, lies_in_memory, reduced_load};
use crate::loops::{Expr, ExprId, LoopNode, NodeKind, Operators, Program};
use crate::target::Target;
use crate::types::{Dtype, SymInt};
use std::sync::Arc;

/// Inserts copies of operands that a template cannot read where they are, and gives the results of attention the
/// layout in which they are read next.
pub fn run(program: &mut Program, target: &Target) {
    let nodes = std::mem::take(&mut program.nodes);
    for mut node in nodes {
        memory::checkpoint();
        let operators = node.operators.clone();
        fold_batch(program, target, &mut node.kind);
        if target.walks_rows_by_one_stride() {
            keep_matrices(program, &mut node.kind, &operators);
        }
        let spaces = program.spaces(&node.kind);
        match &mut node.kind {
            NodeKind::Convolution(c) if !c.channels_last => {
                let (input_sizes, weight_sizes) = (c.input_sizes, c.weight_sizes);
                let fits = is_strided(program, c.input, &input_sizes, Read::Rows);
                c.input = kept(program, c.input, &input_sizes, fits, &operators);
                let fits = is_strided(program, c.weight, &weight_sizes, Read::Whole);
                c.weight = kept(program, c.weight, &weight_sizes, fits, &operators);
            }
            NodeKind::Attention(a) => {
                let products = [&mut a.query, &mut a.key, &mut a.value];
                one_type(program, products, &spaces, Read::Rows, &operators);
                heads_innermost(program, a.out);
            }
            NodeKind::AttentionBackward(a) => {
                let products = [&mut a.query, &mut a.key, &mut a.value, &mut a.grad];
                let read = if target.attention_backward_owns_rows() { Read::Boxes } else { Read::Rows };
                one_type(program, products, &spaces, read, &operators);
                for (operand, sizes) in [&mut a.log_sum, &mut a.mean].into_iter().zip(&spaces[4..]) {
                    let plain = matches!(program.exprs[*operand], Expr::Load { .. });
                    let fits = plain && is_strided(program, *operand, sizes, Read::Rows);
                    *operand = kept(program, *operand, sizes, fits, &operators);
                }
                a.results().for_each(|(out, _)| heads_innermost(program, out));
            }
            NodeKind::Recurrence(r) => {
                let spaces = r.operands(&program.syms).map(|o| o.map(|o| o.1));
                for (k, (operand, sizes)) in r.operands_mut().into_iter().zip(spaces).enumerate() {
                    let (Some(operand), Some(sizes)) = (operand, sizes) else { continue };
                    *operand = match target.recurrence_panel() {
                        // Each step reads every element again, so an operand that is computed gets a buffer.
                        None => {
                            let plain =
                                matches!(program.exprs[reduced_load(program, *operand)], Expr::Load { .. });
                            kept(program, *operand, &sizes, plain, &operators)
                        }
                        // Weights are read panel by panel, at every step.
                        Some(panel) if k == 1 || k == 5 => {
                            in_panels(program, *operand, [sizes[0], sizes[1]], panel, &operators)
                        }
                        Some(_) => {
                            let fits = is_strided(program, *operand, &sizes, Read::Rows)
                                && matches!(program.exprs[*operand], Expr::Load { .. });
                            kept(program, *operand, &sizes, fits, &operators)
                        }
                    };
                }
            }
            _ => {}
        }
        program.nodes.push(node);
    }
}

/// Operands that an attention's template reads as one type in memory, each over its space, row by row.
fn one_type<const N: usize>(
    program: &mut Program,
    operands: [&mut ExprId; N],
    spaces: &[Vec<SymInt>],
    read: Read,
    operators: &Operators,
) {
    let stored = operands.each_ref().map(|o| program.exprs.dtype(reduced_load(program, **o)));
    let one_type = stored.iter().all(|d| *d == stored[0]);
    for (operand, sizes) in operands.into_iter().zip(spaces) {
        let narrow = reduced_load(program, *operand);
        let widened = narrow != *operand;
        let fits = (one_type || !widened) && is_strided(program, *operand, sizes, read);
        *operand = if one_type && widened && !fits {
            let stored = kept(program, narrow, sizes, false, operators);
            program.exprs.cast(stored, Dtype::Float32)
        } else {
            kept(program, *operand, sizes, fits, operators)
        };
    }
}

/// A batch of products that share the right operand is one product of more rows.
fn fold_batch(program: &mut Program, target: &Target, kind: &mut NodeKind) {
    let NodeKind::Gemm { batch, m, n, k, a, b, .. } = kind else { return };
    if batch.is_empty() || !gemm_shares_b(program, batch, *b) {
        return;
    }
    let syms = Arc::clone(&program.syms);
    let at = batch.len() as u32;
    let rows_of: Vec<SymInt> = batch.iter().copied().chain([*m]).collect();
    let rows = syms.product(&rows_of);
    let row = syms.index_var(0, rows);
    let mut from = program.vars(&rows_of);
    from.extend([syms.index_var(at + 1, *n), syms.index_var(at + 2, *k)]);
    let mut to = unflatten(&syms, row, &rows_of);
    to.extend([syms.index_var(1, *n), syms.index_var(2, *k)]);
    let map = replacing(&syms, &from, &to);
    let left = program.exprs.substitute(&syms, *a, &map);
    // Rows that no one stride walks are better read batch by batch; a GPU's threads look up each row once.
    let flat = flat_loads(program, left);
    let linear = match syms.as_symbol(row) {
        Some(row) => flat_accesses(program, flat).iter().all(|l| syms.linear_in(l.1, row).is_some()),
        None => true,
    };
    if linear || target.looks_up_rows_once() {
        *a = left;
        *b = program.exprs.substitute(&syms, *b, &map);
        *m = rows;
        batch.clear();
    }
}

/// Operands of a product of reduced floats that are no matrices in memory become some, for tensor cores.
fn keep_matrices(program: &mut Program, kind: &mut NodeKind, operators: &Operators) {
    let NodeKind::Gemm { batch, m, n, k, a, b, .. } = kind else { return };
    let syms = Arc::clone(&program.syms);
    let at = batch.len() as u32;
    let depth = syms.index_var(at + 2, *k);
    for (operand, row, place) in [(a, *m, at), (b, *n, at + 1)] {
        let inner = reduced_load(program, *operand);
        let plain = is_matrix(program, batch, (place, row), depth, inner);
        if plain || inner == *operand || !program.exprs.dtype(inner).is_reduced_float() {
            continue;
        }
        // The copy's own variables: the batch's, the row, k.
        let sizes: Vec<SymInt> = batch.iter().copied().chain([row, *k]).collect();
        let own = program.vars(&sizes);
        let from = [syms.index_var(place, row), depth];
        let map = replacing(&syms, &from, &own[batch.len()..]);
        let value = program.exprs.substitute(&syms, inner, &map);
        let dtype = program.exprs.dtype(inner);
        let out = program.temporary(dtype, &sizes);
        let kind = NodeKind::Pointwise { sizes, value, out };
        program.nodes.push(LoopNode { kind, operators: operators.clone() });
        let mut index = program.vars(batch);
        index.extend(from);
        let load = program.exprs.load(out, dtype, index, Vec::new());
        *operand = program.exprs.cast(load, Dtype::Float32);
    }
}

/// True for a load whose offset is linear in the batch's variables, the row (its place among the variables and its size) and the depth;
/// or whose rows lie anywhere, with neighbours along the depth.
pub(super) fn is_matrix(
    program: &Program,
    batch: &[SymInt],
    (place, row): (u32, SymInt),
    depth: SymInt,
    operand: ExprId,
) -> bool {
    let syms = &program.syms;
    let Expr::Load { buffer, index, data } = &program.exprs[operand] else { return false };
    let offset = offset_of(syms, index, &program.buffers[*buffer].strides);
    let mut rest = Some(offset);
    let vars = program.vars(batch).into_iter().chain([syms.index_var(place, row), depth]);
    for symbol in vars.filter_map(|v| syms.as_symbol(v)) {
        rest = rest.and_then(|r| syms.linear_in(r, symbol)).map(|(_, left)| left);
    }
    // Rows may lie anywhere where their elements are neighbours.
    let along = syms.as_symbol(depth).and_then(|d| syms.linear_in(offset, d));
    let rows = along.is_some_and(|(step, _)| syms.as_const(step) == Some(1));
    data.is_empty() && (rows || rest.is_some())
}

/// How a template reads an operand.
#[derive(Clone, Copy, PartialEq)]
enum Read {
    /// Any strides, but 1 in the last dimension.
    Rows,
    /// The same, as the copy engine takes it: rows begin at multiples of eight elements, and each has its own place.
    Boxes,
    /// Contiguous.
    Whole,
}

/// True when the operand is nothing but a load (of a reduced float, perhaps) with fitting strides.
fn is_strided(program: &Program, operand: ExprId, sizes: &[SymInt], read: Read) -> bool {
    let syms = &program.syms;
    let load = reduced_load(program, operand);
    let Expr::Load { buffer, index, data } = &program.exprs[load] else { return false };
    if !data.is_empty() || program.exprs.dtype(load).compute() != program.exprs.dtype(operand).compute() {
        return false;
    }
    let offset = offset_of(syms, index, &program.buffers[*buffer].strides);
    let vars = program.vars(sizes);
    if read == Read::Whole {
        return offset == flatten(syms, &vars, sizes);
    }
    let in_eights = |s: SymInt| syms.as_const(syms.modulo(s, syms.constant(8))) == Some(0);
    let mut rest = offset;
    for (k, var) in vars.iter().enumerate() {
        let Some(symbol) = syms.as_symbol(*var) else { continue };
        let Some((step, left)) = syms.linear_in(rest, symbol) else { return false };
        let plain = syms.symbols(step).iter().all(|s| syms.symbol_kind(*s) == crate::types::SymbolKind::Free);
        let last = k + 1 == vars.len();
        if !plain || (last && syms.as_const(step) != Some(1)) {
            return false;
        }
        if read == Read::Boxes && !last && (!in_eights(step) || syms.as_const(step) == Some(0)) {
            return false;
        }
        rest = left;
    }
    if read == Read::Boxes && !in_eights(rest) {
        return false;
    }
    syms.symbols(rest).iter().all(|s| syms.symbol_kind(*s) == crate::types::SymbolKind::Free)
}

/// The operand as it is where it fits, otherwise computed into a buffer of its own.
fn kept(
    program: &mut Program,
    operand: ExprId,
    sizes: &[SymInt],
    fits: bool,
    operators: &Operators,
) -> ExprId {
    if fits {
        return operand;
    }
    let dtype = program.exprs.dtype(operand);
    let out = program.temporary(dtype, sizes);
    let kind = NodeKind::Pointwise { sizes: sizes.to_vec(), value: operand, out };
    program.nodes.push(LoopNode { kind, operators: operators.clone() });
    let vars = program.vars(sizes);
    program.exprs.load(out, dtype, vars, Vec::new())
}

/// A matrix in panels of columns, each with its rows one after the other; what is beyond the last column is zero.
fn in_panels(
    program: &mut Program,
    operand: ExprId,
    sizes: [SymInt; 2],
    columns: i64,
    operators: &Operators,
) -> ExprId {
    let syms = Arc::clone(&program.syms);
    let panel = syms.constant(columns);
    let space = [syms.ceildiv(sizes[1], panel), sizes[0], panel];
    let (vars, own) = (program.vars(&space), program.vars(&sizes));
    let column = syms.add(syms.mul(vars[0], panel), vars[2]);
    let map = replacing(&syms, &own, &[vars[1], column]);
    let mut value = program.exprs.substitute(&syms, operand, &map);
    let dtype = program.exprs.dtype(value);
    let inside = syms.lt(column, sizes[1]);
    if syms.decide(inside) != Some(true) {
        let inside = program.exprs.index_value(inside, Dtype::Bool);
        let zero = program.exprs.int(0, dtype);
        value = program.exprs.masked(inside, value, zero);
    }
    let out = program.temporary(dtype, &space);
    let kind = NodeKind::Pointwise { sizes: space.to_vec(), value, out };
    program.nodes.push(LoopNode { kind, operators: operators.clone() });
    let place = vec![syms.floordiv(own[1], panel), own[0], syms.modulo(own[1], panel)];
    program.exprs.load(out, dtype, place, Vec::new())
}

/// `[batch, heads, queries, width]` laid out as `[batch, queries, heads, width]`: projections read it so.
fn heads_innermost(program: &mut Program, out: crate::loops::BufferId) {
    let syms = Arc::clone(&program.syms);
    if lies_in_memory(program, out) || program.buffers[out].sizes.len() != 4 {
        return;
    }
    let data = &mut program.buffers[out];
    let [_, heads, queries, width] = data.sizes[..] else { return };
    let row = syms.mul(heads, width);
    data.strides = vec![syms.mul(queries, row), width, row, syms.constant(1)];
}
