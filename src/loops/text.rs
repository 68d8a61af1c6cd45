//! Programs of loops as text, to look at: buffers, then nodes in order, each with its space and what it computes there.
//!
//! Expressions that a node uses more than once, and long ones, have a line of their own: `v3 = …`.
//!
//! Deliberately absent: a parser.

use super::{BufferId, BufferKind, Control, Expr, ExprId, LoopNode, NodeKind, Program};
use crate::types::SymInt;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Characters of an expression that stand in one line.
const LONGEST: usize = 120;

/// The whole program.
pub fn text(program: &Program) -> String {
    let mut out = String::new();
    for (buffer, data) in program.buffers.iter() {
        let kind = match data.kind {
            BufferKind::Input(k) => format!("input {k}"),
            BufferKind::Constant(k) => format!("constant {k}"),
            BufferKind::Temporary => match program.outputs.iter().position(|o| *o == buffer) {
                Some(k) => format!("output {k}"),
                None => "temporary".to_string(),
            },
        };
        let sizes = program.syms.display_list(&data.sizes);
        let _ = writeln!(out, "{}: {}{sizes} {kind}", name(buffer), data.dtype);
    }
    for (k, node) in program.nodes.iter().enumerate() {
        let _ = writeln!(out, "\nnode {k} ({}{})", node.operators.text(), names(program, node));
        self::node(program, node, &mut out);
    }
    for (target, source) in &program.writes {
        let _ = writeln!(out, "\nwrite {} = {}", name(*target), name(*source));
    }
    out
}

/// A buffer's name in texts.
pub fn name(buffer: BufferId) -> String {
    format!("b{}", buffer.index())
}

/// The nodes of the user's program.
fn names(program: &Program, node: &LoopNode) -> String {
    let origins = program.origins.all(&node.operators.origins);
    let names: Vec<&str> = origins.iter().map(|o| o.node.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("; {}", names.join(", ")) }
}

fn node(program: &Program, node: &LoopNode, out: &mut String) {
    let syms = &program.syms;
    let list = |sizes: &[SymInt]| syms.display_list(sizes);
    let outs: Vec<String> = node.outs().into_iter().map(name).collect();
    let head = match &node.kind {
        NodeKind::Pointwise { sizes, .. } => format!("for each of {}", list(sizes)),
        NodeKind::Reduction { sizes, reduced, op, .. } => {
            format!("for each of {}, {op:?} over {}", list(sizes), list(reduced))
        }
        NodeKind::Scan { sizes, axis, op, .. } => format!("over {}, scan {op:?} along {axis}", list(sizes)),
        NodeKind::Sort { sizes, axis, descending, kept, .. } => {
            let order = if *descending { "descending" } else { "ascending" };
            format!("over {}, sort {order} along {axis}, the first {}", list(sizes), syms.display(*kept))
        }
        NodeKind::Scatter { sizes, index, mode, .. } => {
            format!("for each of {}, {mode:?} at {}", list(sizes), list(index))
        }
        NodeKind::Gemm { batch, m, n, k, .. } => {
            format!("product of batch {}, m, n, k = {}", list(batch), list(&[*m, *n, *k]))
        }
        NodeKind::Convolution(c) => {
            let (input, weight) = (list(&c.input_sizes), list(&c.weight_sizes));
            let how = format!("{:?}, padding {:?}, dilation {:?}", c.stride, c.padding, c.dilation);
            format!("convolution of {input} by {weight}, stride {how}, {} groups", c.groups)
        }
        NodeKind::Attention(a) => {
            let sizes = [a.batch, a.heads, a.queries, a.keys, a.head_size, a.value_size];
            format!("attention of batch, heads, queries, keys, head and value size {}", list(&sizes))
        }
        NodeKind::Recurrence(r) => format!("recurrence {:?}", r.cell),
        NodeKind::Control(control) => return steer(program, control, out),
    };
    let _ = writeln!(out, "  {head}");
    let mut lines = Lines { program, known: FxHashMap::default(), uses: FxHashMap::default(), next: 0, out };
    for root in node.exprs() {
        lines.count(root);
    }
    let values: Vec<String> = node.exprs().into_iter().map(|root| lines.of(root)).collect();
    let _ = writeln!(out, "  {} = {}", outs.join(", "), values.join("; "));
}

fn steer(program: &Program, control: &Control, out: &mut String) {
    let (syms, value) = (&program.syms, |v: SymInt| program.syms.display(v));
    let _ = match control {
        Control::Read { symbol, buffer } => {
            writeln!(out, "  {} = {}[]", syms.symbol_name(*symbol), name(*buffer))
        }
        Control::Set { symbol, value: to } => {
            writeln!(out, "  {} = {}", syms.symbol_name(*symbol), value(*to))
        }
        Control::Check { condition, assertion } => {
            let message = program.assertions.get(*assertion as usize);
            writeln!(out, "  check {}: {}", value(*condition), message.map_or("", |m| m))
        }
        Control::Copy { destination, source } => {
            writeln!(out, "  copy {} = {}", name(*destination), name(*source))
        }
        Control::If { predicate } => writeln!(out, "  if {}", name(*predicate)),
        Control::Else => writeln!(out, "  else"),
        Control::EndIf => writeln!(out, "  end if"),
        Control::While => writeln!(out, "  while"),
        Control::Do { predicate } => writeln!(out, "  {} do", name(*predicate)),
        Control::EndWhile => writeln!(out, "  end while"),
    };
}

/// An expression's text; lines that it needs before it are written.
pub fn value(program: &Program, root: ExprId, out: &mut String) -> String {
    let mut lines = Lines { program, known: FxHashMap::default(), uses: FxHashMap::default(), next: 0, out };
    lines.count(root);
    lines.of(root)
}

struct Lines<'p, 'o> {
    program: &'p Program,
    known: FxHashMap<ExprId, String>,
    uses: FxHashMap<ExprId, usize>,
    next: usize,
    out: &'o mut String,
}

impl Lines<'_, '_> {
    fn count(&mut self, root: ExprId) {
        for id in self.program.exprs.postorder(&[root]) {
            for operand in operands(&self.program.exprs[id]) {
                *self.uses.entry(operand).or_insert(0) += 1;
            }
        }
    }

    fn of(&mut self, root: ExprId) -> String {
        for id in self.program.exprs.postorder(&[root]) {
            if self.known.contains_key(&id) {
                continue;
            }
            let mut text = self.one(&self.program.exprs[id]);
            let leaf = matches!(self.program.exprs[id], Expr::Constant(..) | Expr::Index(..));
            let again = self.uses.get(&id).is_some_and(|n| *n > 1);
            if id != root && !leaf && (again || text.len() > LONGEST) {
                let _ = writeln!(self.out, "  v{} = {text}", self.next);
                text = format!("v{}", self.next);
                self.next += 1;
            }
            self.known.insert(id, text);
        }
        self.known[&root].clone()
    }

    fn one(&self, expr: &Expr) -> String {
        let syms = &self.program.syms;
        let of = |id: &ExprId| self.known[id].as_str();
        match expr {
            Expr::Constant(scalar, dtype) => format!("{scalar:?}: {dtype}"),
            Expr::Index(index, dtype) => format!("({}): {dtype}", syms.display(*index)),
            Expr::Load { buffer, index, data } => {
                let data: Vec<&str> = data.iter().map(of).collect();
                let by = if data.is_empty() { String::new() } else { format!(" by {}", data.join(", ")) };
                format!("{}{}{by}", name(*buffer), syms.display_list(index))
            }
            Expr::Unary(op, a) => format!("{op:?}({})", of(a)),
            Expr::Binary(op, a, b) => format!("{op:?}({}, {})", of(a), of(b)),
            Expr::Select(c, a, b) => format!("Select({}, {}, {})", of(c), of(a), of(b)),
            Expr::Cast(dtype, a) => format!("{dtype}({})", of(a)),
            Expr::Masked { condition, value, otherwise } => {
                format!("Masked({}, {}, {})", of(condition), of(value), of(otherwise))
            }
            Expr::Check { condition, value, assertion } => {
                format!("Check({}, {}, assertion {assertion})", of(condition), of(value))
            }
        }
    }
}

fn operands(expr: &Expr) -> Vec<ExprId> {
    match expr {
        Expr::Constant(..) | Expr::Index(..) => Vec::new(),
        Expr::Load { data, .. } => data.to_vec(),
        Expr::Unary(_, a) | Expr::Cast(_, a) => vec![*a],
        Expr::Binary(_, a, b) => vec![*a, *b],
        Expr::Select(a, b, c) => vec![*a, *b, *c],
        Expr::Masked { condition, value, otherwise } => vec![*condition, *value, *otherwise],
        Expr::Check { condition, value, .. } => vec![*condition, *value],
    }
}
