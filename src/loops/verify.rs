//! Checks the invariants of the parent module.

use super::{BufferId, BufferKind, Control, Expr, ExprId, LoopNode, NodeKind, Program, UnaryOp};
use crate::base::{HashSet, Status};
use crate::types::{SymbolId, SymbolKind};

/// A program that is not what it must be: a mistake in Litz.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LoopsError {
    #[error("loop node {node} ({operators}) reads buffer {buffer} before it is written")]
    ReadBeforeWrite { node: usize, operators: String, buffer: BufferId },
    #[error(
        "loop node {node} ({operators}) writes buffer {buffer}, which is written already or not a temporary"
    )]
    SecondWrite { node: usize, operators: String, buffer: BufferId },
    #[error("loop node {node} ({operators}): load of {buffer} has {found} indices for {expected} dimensions")]
    IndexCount { node: usize, operators: String, buffer: BufferId, found: usize, expected: usize },
    #[error("loop node {node} ({operators}): arithmetic on a reduced float in {expr}")]
    ReducedFloat { node: usize, operators: String, expr: ExprId },
    #[error("loop node {node} ({operators}): `{variable}` over {size} is no variable of the space {space}")]
    Variable { node: usize, operators: String, variable: String, size: String, space: String },
    #[error("loop node {0}: a slice has another dtype or rank than the rows that it is written over")]
    Slice(usize),
    #[error("loop node {0}: the marks of blocks do not match")]
    Blocks(usize),
    #[error("output {0} is no distinct contiguous temporary")]
    Output(usize),
}

impl LoopsError {
    pub fn status(&self) -> Status {
        Status::Internal
    }
}

/// Checks a program's structure: the order of reads and writes, how many indices a load has, loop variables, dtypes, how control nodes
/// nest, and outputs. `loops::bounds` proves that accesses stay within their buffers.
pub fn verify(program: &Program) -> Result<(), LoopsError> {
    let mut written: HashSet<BufferId> = program.inputs.iter().chain(&program.constants).copied().collect();
    let (mut open, mut copied): (Vec<&Control>, HashSet<BufferId>) = Default::default();
    let mut ended: HashSet<u32> = HashSet::default();
    for (k, node) in program.nodes.iter().enumerate() {
        let operators = || node.operators.text();
        variables(program, k, node)?;
        for id in program.exprs.postorder(&node.exprs()) {
            match &program.exprs[id] {
                Expr::Load { buffer, index, .. } => {
                    if !written.contains(buffer) {
                        return Err(LoopsError::ReadBeforeWrite {
                            node: k,
                            operators: operators(),
                            buffer: *buffer,
                        });
                    }
                    let expected = program.buffers[*buffer].sizes.len();
                    if index.len() != expected {
                        let (found, buffer) = (index.len(), *buffer);
                        return Err(LoopsError::IndexCount {
                            node: k,
                            operators: operators(),
                            buffer,
                            found,
                            expected,
                        });
                    }
                }
                Expr::Unary(UnaryOp::ToBits, _) => {}
                Expr::Unary(_, a) | Expr::Binary(_, a, _) if program.exprs.dtype(*a).is_reduced_float() => {
                    return Err(LoopsError::ReducedFloat { node: k, operators: operators(), expr: id });
                }
                _ => {}
            }
        }
        if let NodeKind::Control(control) = &node.kind {
            let matches = match control {
                Control::Again { function } => ended.contains(function),
                Control::If { .. } | Control::While | Control::Function { .. } => {
                    open.push(control);
                    true
                }
                Control::Else => {
                    matches!(open.last_mut().map(|o| std::mem::replace(o, control)), Some(Control::If { .. }))
                }
                Control::Do { .. } => {
                    matches!(open.last_mut().map(|o| std::mem::replace(o, control)), Some(Control::While))
                }
                Control::EndIf => matches!(open.pop(), Some(Control::Else)),
                Control::EndWhile => matches!(open.pop(), Some(Control::Do { .. })),
                Control::EndFunction => match open.pop() {
                    Some(Control::Function { number }) => ended.insert(*number),
                    _ => false,
                },
                _ => true,
            };
            if !matches {
                return Err(LoopsError::Blocks(k));
            }
            if let Some(buffer) = control.reads().filter(|b| !written.contains(b)) {
                return Err(LoopsError::ReadBeforeWrite { node: k, operators: operators(), buffer });
            }
            if let Control::Place { destination, source, .. } = control {
                if !copied.contains(destination) {
                    let (operators, buffer) = (operators(), *destination);
                    return Err(LoopsError::ReadBeforeWrite { node: k, operators, buffer });
                }
                let (whole, slice) = (&program.buffers[*destination], &program.buffers[*source]);
                let (rank, rows) = (whole.sizes.len(), slice.sizes.len());
                if whole.dtype != slice.dtype || rank == 0 || ![rank, rank - 1].contains(&rows) {
                    return Err(LoopsError::Slice(k));
                }
            }
            if let Some(buffer) = control.writes() {
                let first = written.insert(buffer);
                if program.buffers[buffer].kind != BufferKind::Temporary
                    || !first && !copied.contains(&buffer)
                {
                    return Err(LoopsError::SecondWrite { node: k, operators: operators(), buffer });
                }
                copied.insert(buffer);
            }
            continue;
        }
        if let NodeKind::Library(routine) = &node.kind
            && let Some(buffer) = routine.reads().find(|b| !written.contains(b))
        {
            return Err(LoopsError::ReadBeforeWrite { node: k, operators: operators(), buffer });
        }
        for buffer in node.outs() {
            if program.buffers[buffer].kind != BufferKind::Temporary || !written.insert(buffer) {
                return Err(LoopsError::SecondWrite { node: k, operators: operators(), buffer });
            }
        }
    }
    if !open.is_empty() {
        return Err(LoopsError::Blocks(program.nodes.len()));
    }
    let mut seen = HashSet::default();
    for (k, out) in program.outputs.iter().enumerate() {
        let ok =
            program.buffers[*out].kind == BufferKind::Temporary && written.contains(out) && seen.insert(*out);
        if !ok {
            return Err(LoopsError::Output(k));
        }
    }
    Ok(())
}

/// The loop variables of each expression are those of its space: of the same place, over the same size.
fn variables(program: &Program, number: usize, node: &LoopNode) -> Result<(), LoopsError> {
    let syms = &program.syms;
    for (root, space) in node.exprs().into_iter().zip(program.spaces(&node.kind)) {
        let own: Vec<SymbolId> = program.vars(&space).into_iter().filter_map(|v| syms.as_symbol(v)).collect();
        if let Some(other) = program.variables(root).into_iter().find(|v| !own.contains(v)) {
            let size = match syms.symbol_kind(other) {
                SymbolKind::Index { size, .. } => syms.display(size),
                _ => String::new(),
            };
            return Err(LoopsError::Variable {
                node: number,
                operators: node.operators.text(),
                variable: syms.symbol_name(other),
                size,
                space: syms.display_list(&space),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{LoopsError, verify};
    use crate::loops::NodeKind;
    use crate::loops::text::parse;
    use crate::types::Dtype;

    /// A variable of the right place over another size, which a guard may make equal, is none of the node's.
    #[test]
    fn variables_are_those_of_the_space() {
        let text = "loops {\n  b0: int64[4, 3] pinned\n  node\n    b0 = for [4, 3]\n      value = 1:int64\n  output b0\n}\n";
        let mut program = parse(text).unwrap_or_else(|e| panic!("{e}"));
        for (size, right) in [(3, true), (7, false)] {
            let variable = program.syms.index_var(1, program.syms.constant(size));
            let index = program.exprs.index_value(variable, Dtype::Int64);
            let NodeKind::Pointwise { value, .. } = &mut program.nodes[0].kind else { panic!("one node") };
            *value = index;
            let found = verify(&program);
            let refused = matches!(&found, Err(LoopsError::Variable { size, .. }) if size == "7");
            assert_eq!((found.is_ok(), refused), (right, !right), "{found:?}");
        }
    }

    /// A slice over a tensor that a copy has filled, or that has something else; reading it verifies it.
    fn placed(slice: &str, before: &str) -> Result<(), String> {
        let text = format!(
            "loops {{\n  b0: float32[4, 3] constant 0\n  b1: {slice} constant 1\n  b2: float32[4, 3] pinned\n  \
             {before}\n  node\n    place b1 over b2 from 1\n  output b2\n}}\n"
        );
        parse(&text).map(|_| ()).map_err(|e| e.to_string())
    }

    #[test]
    fn a_slice_is_written_over_what_a_copy_has_filled() {
        let copied = "node\n    copy b2 = b0";
        for slice in ["float32[2, 3]", "float32[3]"] {
            placed(slice, copied).unwrap_or_else(|e| panic!("{slice}: {e}"));
        }
        let written = "node\n    b2 = for [4, 3]\n      value = 0.0:float32";
        for before in ["", written] {
            let found = placed("float32[2, 3]", before);
            assert!(found.as_ref().is_err_and(|e| e.contains("before it is written")), "{found:?}");
        }
        for slice in ["float64[2, 3]", "float32[1, 2, 3]", "float32[]"] {
            let found = placed(slice, copied);
            assert!(found.as_ref().is_err_and(|e| e.contains("slice")), "{slice}: {found:?}");
        }
    }
}
