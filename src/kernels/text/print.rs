//! Kernels to text.

use super::{BUILTINS, INFIX, is_list};
use crate::base::HashSet;
use crate::ir::text::Names;
use crate::kernels::{
    Access, Base, Block, Body, Extreme, IndexType, Kernel, LastBlocks, Launch, Length, LocalId, Loop,
    Operand, Over, Pointer, Reduction, Shape, Statement, Step, TensorMap, Type, Unroll, Value, ValueId,
    each_statement,
};
use crate::types::{Scalar, SymArena, SymInt, SymbolId, contiguous_strides, float_text};
use std::fmt::Write;

/// The whole kernel, whose body is finished.
pub fn text(syms: &SymArena, kernel: &Kernel) -> String {
    let mut printer =
        Printer { syms, kernel, names: Names::default(), out: "kernel {\n".to_string(), heads: Vec::new() };
    printer.parameters();
    printer.block(&kernel.body.block, 1);
    printer.out.push_str("}\n");
    printer.out
}

/// The first line of each statement, in the order of their text: for messages.
pub fn heads(syms: &SymArena, kernel: &Kernel) -> Vec<String> {
    let mut printer =
        Printer { syms, kernel, names: Names::default(), out: String::new(), heads: Vec::new() };
    printer.parameters();
    printer.block(&kernel.body.block, 1);
    printer.heads
}

/// An operand of a template's call, as the kernel's text has it: for messages.
pub fn operand(syms: &SymArena, kernel: &Kernel, operand: &Operand) -> String {
    let mut printer =
        Printer { syms, kernel, names: Names::default(), out: String::new(), heads: Vec::new() };
    printer.parameters();
    printer.template_operand(operand)
}

/// A value, as the kernel's text has it: for messages.
pub fn value(syms: &SymArena, kernel: &Kernel, value: ValueId) -> String {
    let mut printer =
        Printer { syms, kernel, names: Names::default(), out: String::new(), heads: Vec::new() };
    printer.parameters();
    printer.of(value)
}

pub(super) struct Printer<'k> {
    syms: &'k SymArena,
    pub(super) kernel: &'k Kernel,
    names: Names,
    out: String,
    heads: Vec<String>,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * depth);
    }
    pub(super) fn size(&self, e: SymInt) -> String {
        self.names.expression(self.syms, e)
    }

    fn parameters(&mut self) {
        let (syms, kernel) = (self.syms, self.kernel);
        for id in mentioned(syms, kernel) {
            self.names.add(syms, id);
            let bound =
                |v: i64, end: i64, text: &str| if v == end { text.to_string() } else { v.to_string() };
            let range = syms.symbol_range(id);
            let (min, max) = (bound(range.min, i64::MIN, "-inf"), bound(range.max, i64::MAX, "inf"));
            let hint = syms.symbol_hint(id).map(|h| format!(" hint {h}")).unwrap_or_default();
            self.line(1, &format!("symbol {} in [{min}, {max}]{hint}", self.names.get(syms, id)));
        }
        for (place, parameter) in kernel.buffers.iter().enumerate() {
            let list = |list: &[SymInt]| self.names.list(syms, list);
            let strides = match parameter.strides == contiguous_strides(syms, &parameter.sizes) {
                true => String::new(),
                false => format!(" strides {}", list(&parameter.strides)),
            };
            let (dtype, sizes, role) = (parameter.dtype, list(&parameter.sizes), parameter.role);
            self.line(1, &format!("b{place}: {dtype}{sizes}{strides} {role:?}"));
        }
        for symbol in &kernel.symbols {
            self.line(1, &format!("parameter {}", self.size(syms.symbol_expr(*symbol))));
        }
        let launch = match &kernel.launch {
            Launch::Cpu { tasks, grain, scratch } => {
                let [tasks, grain, scratch] = [tasks, grain, scratch].map(|e| self.size(*e));
                format!("cpu tasks {tasks} grain {grain} scratch {scratch}")
            }
            Launch::Gpu { blocks, threads, cluster, resident, shared } => {
                let [blocks, shared] = [blocks, shared].map(|e| self.size(*e));
                format!(
                    "gpu blocks {blocks} threads {threads} cluster {cluster} resident {resident} shared {shared}"
                )
            }
        };
        self.line(1, &launch);
        self.line(1, &format!("lanes {}", kernel.lanes));
        for map in &kernel.maps {
            self.line(1, &self.map(map));
        }
        if kernel.body.index == IndexType::I32 {
            self.line(1, "index int32");
        }
    }

    fn map(&self, map: &TensorMap) -> String {
        let TensorMap { buffer, offset, sizes, strides, boxes, steps, swizzle, tf32 } = map;
        let place = self.kernel.buffers.iter().position(|b| b.buffer == *buffer).unwrap_or(usize::MAX);
        let list = |list: &[SymInt]| self.names.list(self.syms, list);
        let (offset, sizes, strides) = (self.size(*offset), list(sizes), list(strides));
        let tf32 = if *tf32 { " tf32" } else { "" };
        format!(
            "map b{place} at {offset} sizes {sizes} strides {strides} boxes {boxes:?} steps {steps:?} swizzle {swizzle}{tf32}"
        )
    }

    fn block(&mut self, block: &Block, depth: usize) {
        block.iter().for_each(|statement| self.statement(statement, depth));
    }
    fn inside(&mut self, head: &str, block: &Block, depth: usize) {
        self.line(depth, &format!("{head} {{"));
        self.block(block, depth + 1);
    }

    fn body(&self) -> &Body {
        &self.kernel.body
    }
    pub(super) fn local(&self, local: LocalId) -> String {
        let local = &self.body().locals[local];
        local.number.map_or_else(|| local.name.to_string(), |n| format!("{}{n}", local.name))
    }
    fn declared(&self, local: LocalId) -> String {
        let data = &self.body().locals[local];
        let unused = if data.may_be_unused { " unused" } else { "" };
        format!("{}: {}{unused}", self.local(local), type_text(data.ty))
    }
    pub(super) fn of(&self, value: ValueId) -> String {
        let mut text = String::new();
        self.value(value, &mut text);
        text
    }
    fn behind(&self, word: &str, value: Option<ValueId>) -> String {
        value.map(|v| format!(" {word} {}", self.of(v))).unwrap_or_default()
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let head = self.head(statement);
        self.heads.push(head.clone());
        match statement {
            Statement::Loop(l) => self.inside(&head, &l.body, depth),
            Statement::If { then, otherwise, .. } => {
                self.inside(&head, then, depth);
                if !otherwise.is_empty() {
                    self.inside("} else", otherwise, depth);
                }
            }
            Statement::Block(block) => self.inside(&head, block, depth),
            Statement::LastBlocks(last) => {
                self.line(depth, &head);
                for (k, region) in last.regions.iter().enumerate() {
                    self.inside(if k == 0 { "region" } else { "} region" }, region, depth);
                }
                if last.regions.is_empty() {
                    return;
                }
            }
            Statement::Region(region) => self.inside(&head, &region.body, depth),
            Statement::ReduceStrips(strips) => self.inside(&head, &strips.body, depth),
            _ => return self.line(depth, &head),
        }
        self.line(depth, "}");
    }

    fn head(&self, statement: &Statement) -> String {
        match statement {
            Statement::Let { local, value } => format!("let {} = {}", self.declared(*local), self.of(*value)),
            Statement::Variable { local, value } => {
                format!("var {}{}", self.declared(*local), self.behind("=", *value))
            }
            Statement::Assign { place, value } => format!("set {} = {}", self.of(*place), self.of(*value)),
            Statement::Array { local, fill } => {
                format!("array {}{}", self.declared(*local), self.behind("=", *fill))
            }
            Statement::Pointer { local, bytes, elements } => {
                let (at, more) = (self.of(*bytes), self.behind("plus", *elements));
                format!("pointer {} at {at}{more}", self.declared(*local))
            }
            Statement::Store { access, value } => {
                format!("store{} = {}", self.access(access), self.of(*value))
            }
            Statement::Scatter { access, mode, value, atomic } => {
                let atomic = if *atomic { ".atomic" } else { "" };
                format!("scatter.{mode:?}{atomic}{} = {}", self.access(access), self.of(*value))
            }
            Statement::Prefetch { pointer, at } => {
                let access = Access { pointer: pointer.clone(), at: *at, shape: Shape::Element };
                format!("prefetch{}", self.access(&access))
            }
            Statement::Loop(l) => self.loop_head(l),
            Statement::If { condition, .. } => format!("if {}", self.of(*condition)),
            Statement::Block(_) => "block".to_string(),
            Statement::Check { failed, assertion } => {
                format!("check {} assertion {assertion}", self.of(*failed))
            }
            Statement::FoldArray { op, dtype, array, into } => {
                format!("fold.{op:?}.{dtype} {} into {}", self.local(*array), self.local(*into))
            }
            Statement::Transpose { array, first } => {
                format!("transpose {}[{}]", self.local(*array), self.of(*first))
            }
            Statement::Extreme(e) => self.extreme(e),
            Statement::Return { when } => format!("return {}", self.of(*when)),
            Statement::Barrier(scope) => format!("barrier {scope:?}"),
            Statement::Reduction(r) => self.reduction(r),
            Statement::LastBlocks(last) => self.last(last),
            Statement::ReduceStrips(_)
            | Statement::FoldRows { .. }
            | Statement::Fetch { .. }
            | Statement::PutSquare { .. }
            | Statement::Flush { .. } => self.shared(statement),
            Statement::Region(region) => self.region(region),
            Statement::Give(value) => format!("give {}", self.of(*value)),
            Statement::Template(call) => self.call_of(call),
        }
    }

    fn loop_head(&self, l: &Loop) -> String {
        let variable = match l.first {
            Some(first) => {
                let ty = self.body().locals[l.variable].ty;
                let unused = if self.body().locals[l.variable].may_be_unused { " unused" } else { "" };
                let ty = if ty == Type::Index { String::new() } else { format!(": {}", type_text(ty)) };
                format!("{}{ty}{unused} = {}", self.local(l.variable), self.of(first))
            }
            None => self.local(l.variable),
        };
        let step = match l.step {
            Step::One => String::new(),
            Step::By(n) => format!(" step {n}"),
            Step::Vectors(n) => format!(" step vectors {n}"),
        };
        let unroll = match l.unroll {
            Unroll::Free => String::new(),
            Unroll::Times(n) => format!(" unroll {n}"),
            Unroll::Whole => " unroll whole".to_string(),
        };
        format!("for {:?} {variable} to {}{step}{unroll}", l.axis, self.of(l.bound))
    }

    fn extreme(&self, e: &Extreme) -> String {
        let any = e.any.map(|any| format!(" any {}", self.local(any))).unwrap_or_default();
        let [best, place] = [e.best, e.place].map(|l| self.local(l));
        let [value, position] = [e.value, e.position].map(|v| self.of(v));
        format!("extreme.{:?}.{} {best} at {place}{any} from {value} at {position}", e.op, e.dtype)
    }

    fn reduction(&self, r: &Reduction) -> String {
        let over = match r.over {
            Over::Threads { threads } => format!("threads {threads}"),
            Over::Cluster { blocks, threads, turn } => {
                format!("cluster {blocks} threads {threads} turn {turn}")
            }
            Over::Above { across, above } => format!("across {across} above {above}"),
        };
        let place = r.result_place.map(|p| format!(" at {}", self.declared(p))).unwrap_or_default();
        let result = self.declared(r.result);
        let workspace = r.workspace.map(|w| format!(" in {}", self.local(w))).unwrap_or_default();
        let (value, at) = (self.of(r.value), self.behind("at", r.place));
        format!("reduce.{:?}.{} {result}{place} over {over} of {value}{at}{workspace}", r.op, r.dtype)
    }

    fn last(&self, last: &LastBlocks) -> String {
        let list: Vec<String> = last
            .semaphores
            .iter()
            .map(|s| format!("b{}[{}] of {}", s.buffer, self.of(s.at), self.of(s.blocks)))
            .collect();
        format!("last {} at {}", self.declared(last.ready), list.join(", "))
    }

    /// What stands behind `load` or `store`.
    pub(super) fn access(&self, access: &Access) -> String {
        let of = |v: &ValueId| self.of(*v);
        let shape = match &access.shape {
            Shape::Element => String::new(),
            Shape::ElementWhere { mask } => format!(".element_where({})", of(mask)),
            Shape::Vector { aligned: true } => ".aligned".to_string(),
            Shape::Vector { aligned: false } => ".vector".to_string(),
            Shape::Tail { count } => format!(".tail({})", of(count)),
            Shape::Where { mask } => format!(".where({})", of(mask)),
            Shape::Strided { step, count: None } => format!(".strided({})", of(step)),
            Shape::Strided { step, count: Some(count) } => format!(".strided({}, {})", of(step), of(count)),
            Shape::Each { mask } => format!(".each({})", of(mask)),
        };
        let Pointer { base, origin, bits } = &access.pointer;
        let base = match base {
            Base::Buffer(place) => format!("b{place}"),
            Base::Local(local) => self.local(*local),
        };
        let bits = bits.map_or_else(String::new, |dtype| format!(" as {dtype}"));
        format!("{shape} {base}[{}{}]{bits}", of(&access.at), self.behind("from", *origin))
    }

    fn call(&self, name: &str, operands: &[ValueId], out: &mut String) {
        out.push_str(name);
        out.push('(');
        for (k, operand) in operands.iter().enumerate() {
            if k > 0 {
                out.push_str(", ");
            }
            self.value(*operand, out);
        }
        out.push(')');
    }

    fn value(&self, value: ValueId, out: &mut String) {
        match &self.body().values[value] {
            Value::Constant(scalar, dtype) => {
                let _ = match scalar {
                    Scalar::Float(v) => write!(out, "{}:{dtype}", float_text(*v)),
                    Scalar::Int(v) => write!(out, "{v}:{dtype}"),
                    Scalar::Bool(v) => write!(out, "{v}:{dtype}"),
                };
            }
            Value::Integer(v) => {
                let _ = write!(out, "{v}");
            }
            Value::Parameter(place) => {
                let symbol = self.kernel.symbols.get(*place);
                let text = symbol.map_or_else(
                    || place.to_string(),
                    |s| self.names.expression(self.syms, self.syms.symbol_expr(*s)),
                );
                let _ = write!(out, "symbol({text})");
            }
            Value::Builtin(builtin) => {
                let name = BUILTINS.iter().find(|(b, _)| b == builtin).map_or("", |b| b.1);
                out.push_str(name);
            }
            Value::Local(local) => out.push_str(&self.local(*local)),
            Value::Element(array, at) => {
                let _ = write!(out, "{}[", self.local(*array));
                self.value(*at, out);
                out.push(']');
            }
            Value::Index(op, operands) => {
                let fits = operands.len() == 2 || operands.len() > 2 && is_list(*op);
                match INFIX.iter().find(|(o, _)| o == op).filter(|_| fits) {
                    Some((_, sign)) => {
                        out.push('(');
                        for (k, operand) in operands.iter().enumerate() {
                            if k > 0 {
                                let _ = write!(out, " {sign} ");
                            }
                            self.value(*operand, out);
                        }
                        out.push(')');
                    }
                    None => self.call(&format!("index.{op:?}"), operands, out),
                }
            }
            Value::ToIndex(a) => self.call("ToIndex", &[*a], out),
            Value::ToWide(a) => self.call("ToWide", &[*a], out),
            Value::Not(a) => self.call("Not", &[*a], out),
            Value::Unary(op, a) => self.call(&format!("{op:?}"), &[*a], out),
            Value::Binary(op, a, b) => self.call(&format!("{op:?}"), &[*a, *b], out),
            Value::Cast(to, a) => self.call(to.name(), &[*a], out),
            Value::Round(to, a) => self.call(&format!("round.{to}"), &[*a], out),
            Value::Select(c, a, b) => self.call("Select", &[*c, *a, *b], out),
            Value::Splat(a) => self.call("Splat", &[*a], out),
            Value::Fold(op, dtype, a) => self.call(&format!("fold.{op:?}.{dtype}"), &[*a], out),
            Value::Word(word, operands) => self.call(&format!("{word:?}"), operands, out),
            Value::Load(access) => {
                let _ = write!(out, "load{}", self.access(access));
            }
        }
    }
}

/// A type, as texts have it.
pub fn type_text(ty: Type) -> String {
    match ty {
        Type::Index => "index".to_string(),
        Type::Scalar(dtype) => dtype.to_string(),
        Type::Vector(dtype) => format!("vector {dtype}"),
        Type::Array { dtype, vectors, length, space } => {
            let length = match length {
                Length::Known(n) => n.to_string(),
                Length::Lanes => "lanes".to_string(),
            };
            format!("{}{dtype}[{length}] {space:?}", if vectors { "vector " } else { "" })
        }
        Type::Pointer { dtype, space } => format!("pointer {dtype} {space:?}"),
        Type::Held { dtype, width, count } => format!("held {dtype} width {width} count {count}"),
        Type::Region => "region".to_string(),
    }
}

/// The symbols that a kernel's text declares, as they appear: all but calculations.
fn mentioned(syms: &SymArena, kernel: &Kernel) -> Vec<SymbolId> {
    let mut all: Vec<SymInt> =
        kernel.buffers.iter().flat_map(|b| b.sizes.iter().chain(&b.strides).copied()).collect();
    for map in &kernel.maps {
        all.extend([map.offset].iter().chain(&map.sizes).chain(&map.strides));
    }
    all.extend(kernel.symbols.iter().map(|s| syms.symbol_expr(*s)));
    match &kernel.launch {
        Launch::Cpu { tasks, grain, scratch } => all.extend([*tasks, *grain, *scratch]),
        Launch::Gpu { blocks, shared, .. } => all.extend([*blocks, *shared]),
    }
    each_statement(&kernel.body.block, &mut |statement| match statement {
        Statement::Region(region) => all.extend(region.parameters.iter().filter_map(|p| p.is.size())),
        Statement::Template(call) => all.extend(call.operands.iter().filter_map(|o| match o {
            Operand::Memory(memory) | Operand::Rows(memory, _) => Some(memory.elements),
            _ => None,
        })),
        _ => {}
    });
    let (mut found, mut seen) = (Vec::new(), HashSet::default());
    for e in all {
        let mut stack: Vec<SymbolId> = syms.symbols(e);
        stack.reverse();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match syms.definition(id) {
                Some((_, operands)) => stack.extend(operands.iter().flat_map(|o| syms.symbols(*o))),
                None => found.push(id),
            }
        }
    }
    found
}
