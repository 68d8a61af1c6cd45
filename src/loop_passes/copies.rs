//! Copies of templates' operands in another order, padded with zeros.

use crate::loops::access::replacing;
use crate::loops::uses::reduced_load;
use crate::loops::{ExprId, LoopNode, NodeKind, Operators, Program};
use crate::types::{Dtype, SymInt};
use std::sync::Arc;

/// How an operand is copied: the sizes of the copy, the operand's variables, the copy's variables in their place,
/// where that is inside of the operand (zero elsewhere), and where in the copy the template's operand is found.
pub struct Copied {
    pub sizes: Vec<SymInt>,
    pub own: Vec<SymInt>,
    pub to: Vec<SymInt>,
    pub inside: SymInt,
    pub index: Vec<SymInt>,
}

/// The operand copied as it is stored, and loaded.
pub fn copied(program: &mut Program, operand: ExprId, copy: Copied, operators: &Operators) -> ExprId {
    let syms = Arc::clone(&program.syms);
    let stored = reduced_load(program, operand);
    let dtype = program.exprs.dtype(stored);
    let map = replacing(&syms, &copy.own, &copy.to);
    let mut value = program.exprs.substitute(&syms, stored, &map);
    if syms.decide(copy.inside) != Some(true) {
        let inside = program.exprs.index_value(copy.inside, Dtype::Bool);
        let zero = program.exprs.int(0, dtype);
        value = program.exprs.masked(inside, value, zero);
    }
    let out = program.temporary(dtype, &copy.sizes);
    let kind = NodeKind::Pointwise { sizes: copy.sizes, value, out };
    program.nodes.push(LoopNode { kind, operators: operators.clone() });
    let load = program.exprs.load(out, dtype, copy.index, Vec::new());
    let dtype = program.exprs.dtype(operand);
    program.exprs.cast(load, dtype)
}
