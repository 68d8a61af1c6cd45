//! Attention whose heads share keys and values reads repeated heads once.

use crate::base::HashMap;
use crate::loops::{Expr, ExprId, NodeKind, Program};
use std::sync::Arc;

/// Keys and values that several heads read alike, however they were repeated, are heads of their own, and fewer.
pub fn run(program: &mut Program) {
    let syms = Arc::clone(&program.syms);
    for node in 0..program.nodes.len() {
        let NodeKind::Attention(a) = &program.nodes[node].kind else { continue };
        let mut a = a.clone();
        let (Some(heads), Some(head)) =
            (syms.as_const(a.heads), syms.as_symbol(syms.index_var(1, a.kv_heads)))
        else {
            continue;
        };
        if a.kv_heads != a.heads || !(2..=1024).contains(&heads) {
            continue;
        }
        let grouped = (2..=heads).rev().filter(|r| heads % r == 0).find_map(|repeats| {
            let (fewer, within) = (syms.constant(heads / repeats), syms.constant(repeats));
            let (group, other) = (syms.index_var(1, fewer), syms.index_var(4, within));
            let map = HashMap::from_iter([(head, syms.add(syms.mul(group, within), other))]);
            let other = syms.as_symbol(other)?;
            let mut operands = [a.key, a.value];
            for operand in &mut operands {
                *operand = program.exprs.substitute(&syms, *operand, &map);
                let depends = |e: &ExprId| match &program.exprs[*e] {
                    Expr::Load { index, .. } => index.iter().any(|i| syms.depends_on(*i, other)),
                    Expr::Index(i, _) => syms.depends_on(*i, other),
                    _ => false,
                };
                if program.exprs.postorder(&[*operand]).iter().any(depends) {
                    return None;
                }
            }
            Some((fewer, operands))
        });
        if let Some((fewer, [key, value])) = grouped {
            (a.kv_heads, a.key, a.value) = (fewer, key, value);
            program.nodes[node].kind = NodeKind::Attention(a);
        }
    }
}
