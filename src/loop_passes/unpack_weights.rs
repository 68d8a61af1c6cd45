//! Unpacks weights that a model keeps as integers of up to eight bits inside the products that read them, in every run.
//!
//! Otherwise they would be folded once and lie in memory as floats, which are four times the bytes of 8-bit weights, and
//! a product of few rows has to read all of them. Weights of eight bits are unpacked only where columns fill whole vectors
//! (`schedule::unpacking`), which is faster than reading floats.
//!
//! A product computes its right operand row by row, so its loads must be contiguous along the row. A constant that is not contiguous there
//! gets a transposed copy in its own dtype, which is made once.
//!
//! Invariants: the value is a function of constants that no run writes; they take much less memory than the value.
//!
//! Deliberately absent: values with indices from data; convolutions and attention, which read their weights more than once in a run;
//! GPUs, whose tensor cores need matrices in memory (`schedule::partition` unpacks them in each run).

use super::constant_values::{ConstantValue, inlined};
use crate::base::{HashMap, HashSet};
use crate::loops::access::{VECTOR, offset_of, vector_step};
use crate::loops::uses::{fixed_constants, gemm_shares_b, is_read_packed, lies_in_memory, stays_packed};
use crate::loops::{BufferId, Control, Expr, ExprId, LoopNode, NodeKind, Operators, Program};
use crate::target::Target;
use crate::types::SymInt;
use std::sync::Arc;

/// A value of more expressions is computed once.
const MOST_EXPRS: usize = 64;
/// Less is not worth the work.
const LEAST_ELEMENTS: i64 = 1 << 12;

pub fn run(program: &mut Program, target: &Target) {
    let fixed = fixed_constants(program);
    let mut made: HashMap<BufferId, ConstantValue> = HashMap::default();
    let mut copies: HashMap<(BufferId, usize), BufferId> = HashMap::default();
    for mut node in std::mem::take(&mut program.nodes) {
        match &node.kind {
            NodeKind::Pointwise { sizes, value, out }
                if !lies_in_memory(program, *out) && is_made_of(program, *value, &fixed) =>
            {
                let of =
                    ConstantValue { sizes: sizes.clone(), value: *value, operators: node.operators.clone() };
                made.insert(*out, of);
            }
            NodeKind::Gemm { .. } => unpack(program, target, &mut node, &made, &mut copies, &fixed),
            NodeKind::Control(Control::Fence) => made.clear(),
            _ => {}
        }
        program.nodes.push(node);
    }
}

/// A function of constants and of the place, without checks.
fn is_made_of(program: &Program, value: ExprId, fixed: &HashSet<BufferId>) -> bool {
    let order = program.exprs.postorder(&[value]);
    order.len() <= MOST_EXPRS
        && order.iter().all(|e| match &program.exprs[*e] {
            Expr::Check { .. } => false,
            Expr::Load { buffer, data, .. } => data.is_empty() && fixed.contains(buffer),
            _ => true,
        })
}

/// Puts the value in place of the product's right operand, if it is made of fewer bytes and can be read along the rows.
fn unpack(
    program: &mut Program,
    target: &Target,
    node: &mut LoopNode,
    made: &HashMap<BufferId, ConstantValue>,
    copies: &mut HashMap<(BufferId, usize), BufferId>,
    fixed: &HashSet<BufferId>,
) {
    let NodeKind::Gemm { batch, n, k, b, .. } = &mut node.kind else { return };
    let syms = Arc::clone(&program.syms);
    let dtype = program.exprs.dtype(*b);
    let elements = syms.as_const(syms.mul(*n, *k)).unwrap_or(0);
    if !dtype.is_float() || elements < LEAST_ELEMENTS || !gemm_shares_b(program, batch, *b) {
        return;
    }
    let row = syms.index_var(batch.len() as u32 + 1, *n);
    let mut operators = Vec::new();
    let value = inlined(program, *b, made, &mut operators);
    let columns = syms.as_const(*n).unwrap_or(0);
    let pair = target.panel_columns(size_of::<f32>()).map_or(1, |columns| columns as i64);
    let in_vectors = columns % pair == 0 && is_read_packed(program, value, elements);
    if !is_made_of(program, value, fixed) || !(in_vectors || stays_packed(program, value, elements)) {
        return;
    }
    // As many columns as a product unpacks side by side, so that it reads memory in order.
    let panel = if columns % (2 * pair) == 0 { 2 * pair } else { pair.max(VECTOR) };
    let Some(value) = read_along(program, value, (row, panel), copies) else { return };
    *b = value;
    operators.push(node.operators.clone());
    node.operators = Operators::of(&operators);
}

/// The value with each of its loads along the row, if that is possible.
fn read_along(
    program: &mut Program,
    value: ExprId,
    (row, panel): (SymInt, i64),
    copies: &mut HashMap<(BufferId, usize), BufferId>,
) -> Option<ExprId> {
    let syms = Arc::clone(&program.syms);
    let symbol = syms.as_symbol(row)?;
    let mut moved: HashMap<ExprId, (BufferId, Vec<SymInt>)> = HashMap::default();
    for load in program.exprs.loads(&[value]) {
        let Expr::Load { buffer, index, .. } = program.exprs[load].clone() else { continue };
        let offset = offset_of(&syms, &index, &program.buffers[buffer].strides);
        if matches!(vector_step(&syms, offset, symbol), Some(0 | 1)) {
            continue;
        }
        let moving: Vec<usize> = (0..index.len()).filter(|d| syms.depends_on(index[*d], symbol)).collect();
        let [along] = moving[..] else { return None };
        if vector_step(&syms, index[along], symbol) != Some(1) {
            return None;
        }
        let to = *copies.entry((buffer, along)).or_insert_with(|| copy(program, buffer, along, panel));
        let mut index = index.to_vec();
        let last = index.remove(along);
        if program.buffers[to].sizes.len() > index.len() + 1 {
            let panel = syms.constant(panel);
            index.insert(0, syms.floordiv(last, panel));
            index.push(syms.modulo(last, panel));
        } else {
            index.push(last);
        }
        moved.insert(load, (to, index));
    }
    Some(program.exprs.rewrite(value, &mut |exprs, id| match moved.get(&id) {
        Some((buffer, index)) => {
            let dtype = exprs.dtype(id);
            exprs.load(*buffer, dtype, index.clone(), Vec::new())
        }
        None => id,
    }))
}

/// A copy of a buffer with one of its dimensions last: in panels, as products compute them, where it is made of whole ones, so that a
/// thread reads memory in order.
fn copy(program: &mut Program, buffer: BufferId, along: usize, panel: i64) -> BufferId {
    let syms = Arc::clone(&program.syms);
    let data = program.buffers[buffer].clone();
    let mut sizes = data.sizes.clone();
    let size = sizes.remove(along);
    let in_panels = panel % VECTOR == 0 && syms.as_const(size).is_some_and(|n| n % panel == 0);
    if in_panels {
        sizes.insert(0, syms.floordiv(size, syms.constant(panel)));
        sizes.push(syms.constant(panel));
    } else {
        sizes.push(size);
    }
    let mut index = program.vars(&sizes);
    let mut place = index.pop().unwrap_or(syms.constant(0));
    if in_panels {
        place = syms.add(syms.mul_const(index.remove(0), panel), place);
    }
    index.insert(along, place);
    let value = program.exprs.load(buffer, data.dtype, index, Vec::new());
    let out = program.temporary(data.dtype, &sizes);
    let kind = NodeKind::Pointwise { sizes, value, out };
    program.nodes.push(LoopNode { kind, operators: Operators::default() });
    out
}
