//! Programs of loops to text.

use super::{MOST_VARIABLES, Operand, operands};
use crate::base::HashMap;
use crate::ir::text::{Names, quoted};
use crate::loops::{Band, BufferId, BufferKind, Control, Expr, ExprId, LoopNode, NodeKind, Program, Routine};
use crate::types::{Scalar, SymInt, SymbolId, SymbolKind, contiguous_strides, float_text};
use std::fmt::Write;

/// Characters of an expression that stand in one line.
const LONGEST: usize = 120;

/// The whole program.
pub fn text(program: &Program) -> String {
    let mut printer = Printer { program, names: symbol_names(program), out: "loops {\n".to_string() };
    printer.symbols();
    printer.buffers();
    for (k, message) in program.assertions.iter().enumerate() {
        printer.line(1, format_args!("assertion {k} {}", quoted(message, '"')));
    }
    for node in &program.nodes {
        printer.node(node);
    }
    for (k, buffer) in program.outputs.iter().enumerate() {
        let given = printer.given(program.given.outputs.get(k));
        let order = program.orders.get(buffer).map(|o| format!(" order {o:?}")).unwrap_or_default();
        printer.line(1, format_args!("output {}{given}{order}", name(*buffer)));
    }
    for (target, source) in &program.writes {
        printer.line(1, format_args!("write {} = {}", name(*target), name(*source)));
    }
    printer.out.push_str("}\n");
    printer.out
}

/// A buffer's name in texts.
pub fn name(buffer: BufferId) -> String {
    format!("b{}", buffer.index())
}

/// An expression's text in a text of another stage; lines that it needs before it are written.
pub fn value(program: &Program, names: &Names, root: ExprId, out: &mut String) -> String {
    Lines::new(program, names, 1).of(root, out)
}

/// A routine of a library: its name, its attributes and its operands.
pub fn routine(program: &Program, names: &Names, r: &Routine) -> String {
    let values: Vec<SymInt> = r.attributes.values().into_iter().copied().collect();
    let words = r.attributes.words();
    let words = if words.is_empty() { String::new() } else { format!(" words {words:?}") };
    let operands: Vec<String> = r.operands.iter().map(|b| name(*b)).collect();
    let values = names.list(&program.syms, &values);
    format!("{:?} {values}{words} of {}", r.attributes.routine(), operands.join(", "))
}

/// The names of a program's symbols in its text.
pub fn symbol_names(program: &Program) -> Names {
    let mut names = Names::default();
    names.reserve((0..MOST_VARIABLES).flat_map(|k| [format!("i{k}"), format!("d{k}")]));
    mentioned(program).into_iter().for_each(|id| {
        names.add(&program.syms, id);
    });
    names
}

struct Printer<'p> {
    program: &'p Program,
    names: Names,
    out: String,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * depth);
    }
    fn size(&self, e: SymInt) -> String {
        self.names.expression(&self.program.syms, e)
    }
    fn list(&self, list: &[SymInt]) -> String {
        self.names.list(&self.program.syms, list)
    }
    fn given(&self, strides: Option<&Vec<SymInt>>) -> String {
        let strides = strides.filter(|s| !s.is_empty());
        strides.map(|s| format!(" given {}", self.list(s))).unwrap_or_default()
    }

    /// Those that are declared: all but variables and calculations.
    fn symbols(&mut self) {
        let syms = &self.program.syms;
        for id in mentioned(self.program) {
            let unbacked = if self.program.unbacked.contains(&id) { "unbacked " } else { "" };
            let bound =
                |v: i64, end: i64, text: &str| if v == end { text.to_string() } else { v.to_string() };
            let range = syms.symbol_range(id);
            let (min, max) = (bound(range.min, i64::MIN, "-inf"), bound(range.max, i64::MAX, "inf"));
            let hint = syms.symbol_hint(id).map(|h| format!(" hint {h}")).unwrap_or_default();
            let called = self.names.get(syms, id);
            self.line(1, format_args!("{unbacked}symbol {called} in [{min}, {max}]{hint}"));
        }
    }

    fn buffers(&mut self) {
        let program = self.program;
        for (buffer, data) in program.buffers.iter() {
            let strides = match data.strides == contiguous_strides(&program.syms, &data.sizes) {
                true => String::new(),
                false => format!(" strides {}", self.list(&data.strides)),
            };
            let kind = match data.kind {
                BufferKind::Input(k) => format!(" input {k}{}", self.given(program.given.inputs.get(k))),
                BufferKind::Constant(k) => format!(" constant {k}"),
                BufferKind::Temporary => String::new(),
            };
            let pinned = if program.pinned.contains(&buffer) { " pinned" } else { "" };
            let spent = if program.spent.contains(&buffer) { " spent" } else { "" };
            let sizes = self.list(&data.sizes);
            self.line(
                1,
                format_args!("{}: {}{sizes}{strides}{kind}{spent}{pinned}", name(buffer), data.dtype),
            );
        }
    }

    fn node(&mut self, node: &LoopNode) {
        let program = self.program;
        let operators: Vec<String> = node.operators.names.iter().map(|n| quoted(n, '"')).collect();
        let origins = program.origins.all(&node.operators.origins);
        let origins: Vec<&str> = origins.iter().map(|o| o.node.as_str()).collect();
        let comment = if origins.is_empty() { String::new() } else { format!("  # {}", origins.join(", ")) };
        let space = if operators.is_empty() { "" } else { " " };
        self.line(1, format_args!("node{space}{}{comment}", operators.join(", ")));
        if let NodeKind::Control(control) = &node.kind {
            let text = self.control(control);
            return self.line(2, format_args!("{text}"));
        }
        let operands = operands(program, node);
        // The place of a scatter and of an attention's result have variables of the node's own space.
        let own = match &node.kind {
            NodeKind::Attention(a) => vec![a.batch, a.heads, a.queries, a.value_size],
            NodeKind::Scatter { sizes, .. } => sizes.clone(),
            _ => Vec::new(),
        };
        let head = {
            let names = self.names_in(&own, &places(&node.kind));
            let outer = std::mem::replace(&mut self.names, names);
            let head = self.head(node);
            self.names = outer;
            head
        };
        self.line(2, format_args!("{head}"));
        for operand in operands {
            self.operand(&operand);
        }
    }

    /// What a node writes, what it is, and its sizes.
    fn head(&self, node: &LoopNode) -> String {
        let outs: Vec<String> = node.outs().into_iter().map(name).collect();
        let what = match &node.kind {
            NodeKind::Pointwise { sizes, .. } => format!("for {}", self.list(sizes)),
            NodeKind::Reduction { sizes, reduced, op, .. } => {
                format!("{op:?} over {} for {}", self.list(reduced), self.list(sizes))
            }
            NodeKind::Scan { sizes, axis, op, .. } => {
                format!("scan {op:?} along {axis} for {}", self.list(sizes))
            }
            NodeKind::Sort { sizes, axis, descending, kept, .. } => {
                let order = if *descending { " descending" } else { "" };
                format!("sort along {axis}{order} kept {} for {}", self.size(*kept), self.list(sizes))
            }
            NodeKind::Scatter { sizes, index, mode, data, .. } => {
                let (at, sizes) = (self.list(index), self.list(sizes));
                format!("scatter {mode:?} for {sizes} by {} at {at}", data.len())
            }
            NodeKind::Gemm { batch, m, n, k, .. } => {
                let [m, n, k] = [m, n, k].map(|s| self.size(*s));
                format!("gemm batch {} m {m} n {n} k {k}", self.list(batch))
            }
            NodeKind::Convolution(c) => format!(
                "convolution input {} weight {} stride {:?} padding {:?} dilation {:?} groups {}{}",
                self.list(&c.input_sizes),
                self.list(&c.weight_sizes),
                c.stride,
                c.padding,
                c.dilation,
                c.groups,
                if c.channels_last { " channels_last" } else { "" }
            ),
            NodeKind::Attention(a) => {
                let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size];
                format!(
                    "attention {} at {} scale {}{}{}{}",
                    self.list(&sizes),
                    self.list(&a.place),
                    float_text(a.scale),
                    if a.empty_is_nan { " empty_is_nan" } else { "" },
                    self.band(&a.band),
                    a.score.map(|s| format!(" score {}", name(s.raw))).unwrap_or_default(),
                )
            }
            NodeKind::AttentionBackward(a) => {
                let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size];
                let results = [("query", a.grad_query), ("key", a.grad_key), ("value", a.grad_value)];
                let results: Vec<_> = results.iter().filter(|r| r.1.is_some()).map(|r| r.0).collect();
                let (sizes, results, scale) = (self.list(&sizes), results.join(" "), float_text(a.scale));
                format!("attention_backward {sizes} of {results} scale {scale}{}", self.band(&a.band))
            }
            NodeKind::Recurrence(r) => format!(
                "recurrence {:?} {}{}{}",
                r.cell,
                self.list(&[r.steps, r.batch, r.hidden, r.projected]),
                if r.reverse { " reverse" } else { "" },
                if r.batch_first { " batch_first" } else { "" },
            ),
            NodeKind::Library(r) => {
                let effect = if r.effect { " effect" } else { "" };
                let what = format!("library{effect} {}", routine(self.program, &self.names, r));
                // It may have no results.
                return if outs.is_empty() { what } else { format!("{} = {what}", outs.join(", ")) };
            }
            NodeKind::Control(_) => String::new(),
        };
        format!("{} = {what}", outs.join(", "))
    }

    /// The bounds of a band; its length is an operand.
    fn band(&self, band: &Band) -> String {
        let bounds = [("lower", band.lower), ("upper", band.upper)].into_iter();
        bounds.filter_map(|(word, bound)| Some(format!(" {word} {}", self.size(bound?)))).collect()
    }

    fn operand(&mut self, operand: &Operand) {
        let program = self.program;
        let mut inside = Vec::new();
        for id in program.exprs.postorder(&[operand.value]) {
            match &program.exprs[id] {
                Expr::Index(index, _) => inside.push(*index),
                Expr::Load { index, .. } => inside.extend(index.iter()),
                _ => {}
            }
        }
        let names = self.names_in(&operand.space, &inside);
        let mut before = String::new();
        let value = Lines::new(program, &names, 4).of(operand.value, &mut before);
        if before.is_empty() {
            return self.line(3, format_args!("{} = {value}", operand.name));
        }
        self.line(3, format_args!("{} =", operand.name));
        self.out.push_str(&before);
        self.line(4, format_args!("{value}"));
    }

    /// The names with those of a space's variables; a variable of another space, which should not be there, is told apart.
    fn names_in(&self, space: &[SymInt], inside: &[SymInt]) -> Names {
        let syms = &self.program.syms;
        let mut names = self.names.clone();
        for id in inside.iter().flat_map(|e| syms.symbols(*e)) {
            match syms.symbol_kind(id) {
                SymbolKind::Index { position, size } => {
                    let own = space.get(position as usize) == Some(&size);
                    let foreign = || format!("`i{position} below {}`", self.size(size));
                    names.call(id, if own { format!("i{position}") } else { foreign() });
                }
                SymbolKind::Data(k) => names.call(id, format!("d{k}")),
                SymbolKind::Free => {}
            }
        }
        names
    }

    fn control(&self, control: &Control) -> String {
        let syms = &self.program.syms;
        match control {
            Control::Read { symbol, buffer } => {
                format!("read {} = {}", self.names.get(syms, *symbol), name(*buffer))
            }
            Control::Set { symbol, value } => {
                format!("set {} = {}", self.names.get(syms, *symbol), self.size(*value))
            }
            Control::Check { condition, assertion } => {
                format!("check {} assertion {assertion}", self.size(*condition))
            }
            Control::Print { text } => format!("print assertion {text}"),
            Control::Fence => "fence".to_string(),
            Control::Copy { destination, source } => {
                format!("copy {} = {}", name(*destination), name(*source))
            }
            Control::Place { destination, source, start } => {
                format!("place {} over {} from {}", name(*source), name(*destination), self.size(*start))
            }
            Control::If { predicate } => format!("if {}", name(*predicate)),
            Control::Else => "else".to_string(),
            Control::EndIf => "end if".to_string(),
            Control::While => "while".to_string(),
            Control::Do { predicate } => format!("do {}", name(*predicate)),
            Control::EndWhile => "end while".to_string(),
            Control::Function { number } => format!("function {number}"),
            Control::EndFunction => "end function".to_string(),
            Control::Again { function } => format!("again {function}"),
        }
    }
}

/// Symbolic integers of a node's head that have variables.
fn places(kind: &NodeKind) -> Vec<SymInt> {
    match kind {
        NodeKind::Attention(a) => a.place.clone(),
        NodeKind::Scatter { index, .. } => index.clone(),
        _ => Vec::new(),
    }
}

/// The symbols that a program's text declares, as they appear.
fn mentioned(program: &Program) -> Vec<SymbolId> {
    let mut all: Vec<SymInt> = Vec::new();
    for (_, data) in program.buffers.iter() {
        all.extend(data.sizes.iter().chain(&data.strides));
    }
    all.extend(program.given.inputs.iter().chain(&program.given.outputs).flatten());
    for node in &program.nodes {
        all.extend(places(&node.kind));
        all.extend(operands(program, node).into_iter().flat_map(|o| o.space));
        match &node.kind {
            NodeKind::Sort { kept, .. } => all.push(*kept),
            NodeKind::Library(r) => all.extend(r.attributes.values().into_iter().copied()),
            NodeKind::Attention(a) => all.extend(a.band.lower.into_iter().chain(a.band.upper)),
            NodeKind::AttentionBackward(a) => all.extend(a.band.lower.into_iter().chain(a.band.upper)),
            NodeKind::Control(control) => {
                all.extend(control.gives().map(|id| program.syms.symbol_expr(id)));
                if let Control::Set { value: e, .. }
                | Control::Check { condition: e, .. }
                | Control::Place { start: e, .. } = control
                {
                    all.push(*e);
                }
            }
            _ => {}
        }
        for id in program.exprs.postorder(&node.exprs()) {
            match &program.exprs[id] {
                Expr::Index(index, _) => all.push(*index),
                Expr::Load { index, .. } => all.extend(index.iter()),
                _ => {}
            }
        }
    }
    let (mut found, mut seen) = (Vec::new(), crate::base::HashSet::default());
    let mut stack: Vec<SymbolId> = Vec::new();
    for e in all {
        stack.extend(program.syms.symbols(e));
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match (program.syms.definition(id), program.syms.symbol_kind(id)) {
                (Some((_, operands)), _) => {
                    stack.extend(operands.iter().flat_map(|o| program.syms.symbols(*o)))
                }
                (None, SymbolKind::Free) => found.push(id),
                _ => {}
            }
        }
    }
    found
}

struct Lines<'p> {
    program: &'p Program,
    names: &'p Names,
    depth: usize,
    known: HashMap<ExprId, String>,
    next: usize,
}

impl<'p> Lines<'p> {
    fn new(program: &'p Program, names: &'p Names, depth: usize) -> Lines<'p> {
        Lines { program, names, depth, known: HashMap::default(), next: 0 }
    }

    fn of(&mut self, root: ExprId, out: &mut String) -> String {
        let exprs = &self.program.exprs;
        let mut uses: HashMap<ExprId, usize> = HashMap::default();
        for id in exprs.postorder(&[root]) {
            exprs.operands(id).into_iter().for_each(|operand| *uses.entry(operand).or_insert(0) += 1);
        }
        for id in exprs.postorder(&[root]) {
            let mut text = self.one(&exprs[id]);
            let leaf = matches!(exprs[id], Expr::Constant(..) | Expr::Index(..));
            let again = uses.get(&id).is_some_and(|n| *n > 1);
            if id != root && !leaf && (again || text.len() > LONGEST) {
                let _ = writeln!(out, "{:2$}v{} = {text}", "", self.next, 2 * self.depth);
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
            Expr::Constant(scalar, dtype) => match scalar {
                Scalar::Float(v) => format!("{}:{dtype}", float_text(*v)),
                Scalar::Int(v) => format!("{v}:{dtype}"),
                Scalar::Bool(v) => format!("{v}:{dtype}"),
            },
            Expr::Index(index, dtype) => format!("({}):{dtype}", self.names.expression(syms, *index)),
            Expr::Load { buffer, index, data } => {
                let data: Vec<&str> = data.iter().map(of).collect();
                let by = if data.is_empty() { String::new() } else { format!("{{{}}}", data.join(", ")) };
                format!("{}{}{by}", name(*buffer), self.names.list(syms, index))
            }
            Expr::Unary(op, a) => format!("{op:?}({})", of(a)),
            Expr::Binary(op, a, b) => format!("{op:?}({}, {})", of(a), of(b)),
            Expr::Select(c, a, b) => format!("Select({}, {}, {})", of(c), of(a), of(b)),
            Expr::Cast(dtype, a) => format!("{dtype}({})", of(a)),
            Expr::Masked { condition, value, otherwise } => {
                format!("Masked({}, {}, {})", of(condition), of(value), of(otherwise))
            }
            Expr::Check { condition, value, assertion } => {
                format!("Check({}, {}, {assertion})", of(condition), of(value))
            }
        }
    }
}
