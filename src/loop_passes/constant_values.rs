//! Values that nodes compute from constants, in place of the loads that read them.

use crate::base::HashMap;
use crate::loops::access::replacing;
use crate::loops::{BufferId, Expr, ExprId, Operators, Program};
use crate::types::SymInt;
use std::sync::Arc;

/// The value of a node, over its sizes.
pub struct ConstantValue {
    pub sizes: Vec<SymInt>,
    pub value: ExprId,
    pub operators: Operators,
}

/// `root` with the values of its loads in their place. Adds the operators of these values.
pub fn inlined(
    program: &mut Program,
    root: ExprId,
    values: &HashMap<BufferId, ConstantValue>,
    operators: &mut Vec<Operators>,
) -> ExprId {
    let syms = Arc::clone(&program.syms);
    program.exprs.rewrite(root, &mut |exprs, id| match exprs[id].clone() {
        Expr::Load { buffer, index, data } if data.is_empty() => match values.get(&buffer) {
            Some(of) => {
                operators.push(of.operators.clone());
                let vars: Vec<SymInt> =
                    of.sizes.iter().enumerate().map(|(d, s)| syms.index_var(d as u32, *s)).collect();
                exprs.substitute(&syms, of.value, &replacing(&syms, &vars, &index))
            }
            None => id,
        },
        _ => id,
    })
}
