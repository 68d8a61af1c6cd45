//! Turning scalar expressions and symbolic integers into statements, at the loop level where they belong.
//!
//! A kernel's text grows as a stack of scopes: the function, a row, its inner loops, and the loop over lanes. What an
//! expression depends on says in which scope it is computed: everything that does not vary in an inner loop is
//! computed before it. Within a scope equal expressions are computed once.
//!
//! In the lane loop values are vectors of one element per lane where they vary with the lane, scalars otherwise.
//! Under a mask (the tail of a loop, `Expr::Masked`) loads touch only lanes that are on.

use super::cpp;
use crate::loops::{BinaryOp, BufferId, Expr, ExprId, Program};
use crate::types::{Dtype, SymInt, SymNode, SymbolId, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A value in the text: a name or expression, whether it is a vector, and the innermost scope that it names
/// something of.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    pub text: String,
    pub varying: bool,
    level: usize,
}

impl Operand {
    pub fn uniform(text: impl Into<String>) -> Operand {
        Operand { text: text.into(), varying: false, level: 0 }
    }
    pub fn varying(text: impl Into<String>) -> Operand {
        Operand { text: text.into(), varying: true, level: 0 }
    }
    fn at(self, level: usize) -> Operand {
        Operand { level: self.level.max(level), ..self }
    }
}

/// Where the elements of a buffer are found.
#[derive(Clone, Debug)]
pub enum Storage {
    /// A pointer parameter of this name.
    Memory(String),
    /// One value per row, already in registers (or one vector per lane block).
    Row(Operand),
    /// Memory of this name, addressed by a position that only the stage knows.
    Local { pointer: String, position: SymInt },
    /// Memory of this name, addressed by the lane variable less this start.
    Accumulator { pointer: String, start: String, cast: Option<&'static str> },
}

/// The lanes of the innermost loop.
#[derive(Clone, Debug)]
pub struct Lanes {
    pub symbol: SymbolId,
    /// The number of lanes that are on, where that may be fewer than all.
    pub count: Option<String>,
}

#[derive(Default)]
struct Scope {
    lines: Vec<String>,
    /// By expression and the innermost mask that it was computed under.
    values: FxHashMap<(ExprId, String), Operand>,
    indices: FxHashMap<SymInt, String>,
}

/// Writes one kernel.
pub struct Emitter<'p> {
    pub program: &'p Program,
    pub storage: FxHashMap<BufferId, Storage>,
    pub lanes: Option<Lanes>,
    /// Buffers that the kernel writes.
    pub written: FxHashSet<BufferId>,
    /// Macros of the native functions that the text uses.
    pub functions: BTreeSet<&'static str>,
    scopes: Vec<Scope>,
    /// The C names and levels of loop variables.
    variables: FxHashMap<SymbolId, (String, usize)>,
    /// Free symbols in the order of the kernel's scalar parameters.
    symbols: Vec<SymbolId>,
    levels: FxHashMap<ExprId, usize>,
    /// Values of `data_var(k)` of the load being written.
    data: Vec<Operand>,
    /// Masks in force, innermost last; the first may be the tail's.
    masks: Vec<String>,
    /// Loads and checks may not be computed in a scope below this one.
    guard: usize,
    counter: usize,
}

impl<'p> Emitter<'p> {
    pub fn new(program: &'p Program) -> Self {
        Emitter {
            program,
            storage: FxHashMap::default(),
            lanes: None,
            written: FxHashSet::default(),
            functions: BTreeSet::new(),
            scopes: vec![Scope::default()],
            variables: FxHashMap::default(),
            symbols: Vec::new(),
            levels: FxHashMap::default(),
            data: Vec::new(),
            masks: Vec::new(),
            guard: 0,
            counter: 0,
        }
    }

    // Scopes.

    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }
    /// Closes the innermost scope and writes it into the one around it as `head { … }`.
    pub fn close(&mut self, head: &str) {
        let scope = self.scopes.pop().unwrap_or_default();
        self.line(&format!("{head} {{"));
        for line in scope.lines {
            self.line(&format!("  {line}"));
        }
        self.line("}");
        self.levels.clear();
    }
    pub fn depth(&self) -> usize {
        self.scopes.len() - 1
    }
    pub fn line(&mut self, text: &str) {
        let top = self.depth();
        self.line_at(top, text);
    }
    pub fn line_at(&mut self, level: usize, text: &str) {
        self.scopes[level].lines.push(text.to_string());
    }
    pub fn finish(mut self) -> (Vec<String>, Vec<SymbolId>, BTreeSet<&'static str>) {
        let scope = self.scopes.pop().unwrap_or_default();
        (scope.lines, self.symbols, self.functions)
    }
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }
    /// Gives a loop variable a name in the scope of this level.
    pub fn bind(&mut self, variable: SymInt, name: &str, level: usize) {
        if let Some(symbol) = self.program.syms.as_symbol(variable) {
            self.variables.insert(symbol, (name.to_string(), level));
            self.levels.clear();
        }
    }
    /// Runs with the tail's mask in force.
    pub fn set_tail_mask(&mut self, mask: Option<String>) {
        self.masks = mask.into_iter().collect();
    }
    pub fn use_function(&mut self, name: Option<&'static str>) {
        self.functions.extend(name);
    }

    // Levels.

    fn symbol_level(&self, symbol: SymbolId) -> usize {
        match self.program.syms.symbol_kind(symbol) {
            SymbolKind::Free => 0,
            SymbolKind::Index { .. } => self.variables.get(&symbol).map_or(self.depth(), |(_, level)| *level),
            SymbolKind::Data(_) => self.depth(),
        }
    }
    fn index_level(&self, index: SymInt) -> usize {
        self.program.syms.symbols(index).into_iter().map(|s| self.symbol_level(s)).max().unwrap_or(0)
    }
    fn level(&mut self, id: ExprId) -> usize {
        if let Some(level) = self.levels.get(&id) {
            return *level;
        }
        let operands = self.program.exprs.operands(id);
        let mut level = operands.into_iter().map(|o| self.level(o)).max().unwrap_or(0);
        match &self.program.exprs[id] {
            Expr::Index(index, _) => level = level.max(self.index_level(*index)),
            Expr::Load { buffer, index, .. } => {
                let own = match self.storage.get(buffer) {
                    Some(Storage::Row(value)) => {
                        if value.varying {
                            self.lane_level()
                        } else {
                            1
                        }
                    }
                    Some(Storage::Local { position, .. }) => self.index_level(*position).max(1),
                    Some(Storage::Accumulator { .. }) => self.lane_level(),
                    // What the kernel itself writes is there only once the row's earlier stages are done.
                    _ if self.written.contains(buffer) => self.plain_index_level(index[0]).max(1),
                    _ => self.plain_index_level(index[0]),
                };
                level = level.max(own);
            }
            _ => {}
        }
        self.levels.insert(id, level);
        level
    }
    fn lane_level(&self) -> usize {
        self.lanes.as_ref().map_or(1, |l| self.symbol_level(l.symbol))
    }
    /// The level of an offset, data variables aside (their expressions count for themselves).
    fn plain_index_level(&self, index: SymInt) -> usize {
        let syms = &self.program.syms;
        let plain = |s: &SymbolId| !matches!(syms.symbol_kind(*s), SymbolKind::Data(_));
        syms.symbols(index).into_iter().filter(plain).map(|s| self.symbol_level(s)).max().unwrap_or(0)
    }

    // Symbolic integers.

    /// The text of an index at the first lane; computed in the scope that it belongs to.
    pub fn index(&mut self, index: SymInt) -> String {
        let syms = &self.program.syms;
        if let Some(value) = syms.as_const(index) {
            return if value == i64::MIN { "((i64)1 << 63)".into() } else { format!("(i64){value}") };
        }
        if let Some(symbol) = syms.as_symbol(index) {
            return self.symbol_name(symbol);
        }
        let is_data =
            syms.symbols(index).into_iter().any(|s| matches!(syms.symbol_kind(s), SymbolKind::Data(_)));
        if !is_data && let Some(name) = self.scopes.iter().rev().find_map(|s| s.indices.get(&index)) {
            return name.clone();
        }
        let text = self.index_text(index);
        if is_data {
            return text;
        }
        let (name, level) = (self.fresh("x"), self.index_level(index));
        self.line_at(level, &format!("const i64 {name} = {text};"));
        self.scopes[level].indices.insert(index, name.clone());
        name
    }

    fn symbol_name(&mut self, symbol: SymbolId) -> String {
        match self.program.syms.symbol_kind(symbol) {
            SymbolKind::Index { .. } => match self.variables.get(&symbol) {
                Some((name, _)) => name.clone(),
                None => unreachable!("loop variable {} is not bound", self.program.syms.symbol_name(symbol)),
            },
            SymbolKind::Data(k) => self.data[k as usize].text.clone(),
            SymbolKind::Free => {
                let place = self.symbols.iter().position(|s| *s == symbol).unwrap_or_else(|| {
                    self.symbols.push(symbol);
                    self.symbols.len() - 1
                });
                format!("S[{place}]")
            }
        }
    }

    fn index_text(&mut self, index: SymInt) -> String {
        use SymNode::*;
        let syms = std::sync::Arc::clone(&self.program.syms);
        let join = |parts: Vec<String>, op: &str| format!("({})", parts.join(op));
        match syms.node(index) {
            Constant(_) | Symbol(_) => self.index(index),
            Add(list) => {
                // Terms that belong to outer loops are added up there.
                let own = self.index_level(index);
                let (outer, inner): (Vec<SymInt>, Vec<SymInt>) =
                    list.iter().copied().partition(|t| self.index_level(*t) < own);
                let mut parts: Vec<String> = inner.into_iter().map(|t| self.index(t)).collect();
                match outer.len() {
                    0 => {}
                    n if n == list.len() => parts.extend(outer.into_iter().map(|t| self.index(t))),
                    _ => {
                        let sum = syms.sum(&outer);
                        parts.push(self.index(sum));
                    }
                }
                join(parts, " + ")
            }
            Mul(list) => {
                let parts = list.iter().map(|t| self.index(*t)).collect();
                join(parts, " * ")
            }
            FloorDiv(a, b) => {
                let plain = syms.range(a).min >= 0 && syms.range(b).min >= 0;
                let (a, b) = (self.index(a), self.divisor(b));
                if plain { format!("({a} / {b})") } else { format!("litz_floor_divide({a}, {b})") }
            }
            Mod(a, b) => {
                let plain = syms.range(a).min >= 0 && syms.range(b).min >= 0;
                let (a, b) = (self.index(a), self.divisor(b));
                if plain { format!("({a} % {b})") } else { format!("litz_modulo({a}, {b})") }
            }
            Min(a, b) => self.index_call("litz_lesser", &[a, b]),
            Max(a, b) => self.index_call("litz_greater", &[a, b]),
            Eq(a, b) => self.index_compare(a, "==", b),
            Lt(a, b) => self.index_compare(a, "<", b),
            Le(a, b) => self.index_compare(a, "<=", b),
            And(a, b) => self.index_compare(a, "&&", b),
            Or(a, b) => self.index_compare(a, "||", b),
            Not(a) => format!("(i64)!{}", self.index(a)),
            Select(c, a, b) => {
                let (c, a, b) = (self.index(c), self.index(a), self.index(b));
                format!("({c} ? {a} : {b})")
            }
        }
    }
    /// An index to divide by. Over an empty space nothing is ever computed, but compilers read what would be.
    pub fn divisor(&mut self, index: SymInt) -> String {
        if self.program.syms.as_const(index) == Some(0) { "(i64)1".to_string() } else { self.index(index) }
    }
    fn index_call(&mut self, name: &str, args: &[SymInt]) -> String {
        let parts: Vec<String> = args.iter().map(|a| self.index(*a)).collect();
        format!("{name}({})", parts.join(", "))
    }
    fn index_compare(&mut self, a: SymInt, op: &str, b: SymInt) -> String {
        let (a, b) = (self.index(a), self.index(b));
        format!("(i64)({a} {op} {b})")
    }

    /// An index that data variables stand in, each for its expression.
    pub fn index_of_data(&mut self, index: SymInt, data: &[ExprId]) -> String {
        let operands: Vec<Operand> = data.iter().map(|d| self.value(*d)).collect();
        let saved = std::mem::replace(&mut self.data, operands);
        let text = self.index(index);
        self.data = saved;
        text
    }

    // Values.

    /// Whether a value differs between lanes.
    fn varies(&self, id: ExprId) -> bool {
        let Some(lanes) = &self.lanes else { return false };
        let syms = &self.program.syms;
        self.program.exprs.postorder(&[id]).into_iter().any(|e| match &self.program.exprs[e] {
            Expr::Index(index, _) => syms.depends_on(*index, lanes.symbol),
            Expr::Load { buffer, index, .. } => match self.storage.get(buffer) {
                Some(Storage::Row(value)) => value.varying,
                Some(Storage::Local { .. } | Storage::Accumulator { .. }) => true,
                _ => syms.depends_on(index[0], lanes.symbol),
            },
            _ => false,
        })
    }

    /// The value of an expression, computed where it belongs.
    pub fn value(&mut self, id: ExprId) -> Operand {
        if let Expr::Constant(value, dtype) = &self.program.exprs[id] {
            return Operand::uniform(cpp::literal(*value, *dtype));
        }
        // A value made under a mask serves where that mask still holds; one made without serves everywhere.
        let masks: Vec<String> = self.masks.iter().rev().cloned().chain([String::new()]).collect();
        let find = |scope: &Scope| masks.iter().find_map(|m| scope.values.get(&(id, m.clone())).cloned());
        if let Some(found) = self.scopes.iter().rev().find_map(find) {
            return found;
        }
        let dtype = self.program.exprs.dtype(id);
        let nominal = self.level(id);
        let touches = self.guard > 0 && self.touches_memory(id);
        let level = if touches { nominal.max(self.guard) } else { nominal };
        let operand = self.compute(id, level);
        let level = level.max(operand.level);
        let named = match &self.program.exprs[id] {
            Expr::Check { .. } | Expr::Masked { .. } => operand,
            Expr::Load { buffer, .. } if matches!(self.storage.get(buffer), Some(Storage::Row(_))) => operand,
            _ => self.name(operand, dtype, level),
        };
        let mask = if level >= self.lane_scope() { masks[0].clone() } else { String::new() };
        self.scopes[level].values.insert((id, mask), named.clone());
        named
    }

    fn lane_scope(&self) -> usize {
        if self.lanes.is_some() { self.lane_level() } else { usize::MAX }
    }

    fn touches_memory(&self, id: ExprId) -> bool {
        self.program
            .exprs
            .postorder(&[id])
            .into_iter()
            .any(|e| matches!(self.program.exprs[e], Expr::Load { .. } | Expr::Check { .. }))
    }

    fn name(&mut self, operand: Operand, dtype: Dtype, level: usize) -> Operand {
        let name = self.fresh("v");
        let ty = if operand.varying { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
        self.line_at(level, &format!("const {ty} {name} = {};", operand.text));
        Operand { text: name, varying: operand.varying, level }
    }

    /// The operand as a vector.
    pub fn vector(&mut self, operand: Operand) -> String {
        if operand.varying {
            return operand.text;
        }
        format!("splat({})", operand.text)
    }

    pub fn call(&mut self, name: &str, args: Vec<Operand>) -> Operand {
        let varying = args.iter().any(|a| a.varying);
        let level = args.iter().map(|a| a.level).max().unwrap_or(0);
        let parts: Vec<String> =
            args.into_iter().map(|a| if varying { self.vector(a) } else { a.text }).collect();
        Operand { text: format!("{name}({})", parts.join(", ")), varying, level }
    }

    fn compute(&mut self, id: ExprId, level: usize) -> Operand {
        match self.program.exprs[id].clone() {
            Expr::Constant(value, dtype) => Operand::uniform(cpp::literal(value, dtype)),
            Expr::Index(index, dtype) => self.index_value(id, index, dtype),
            Expr::Load { buffer, index, data } => self.load(id, buffer, index[0], &data),
            Expr::Unary(op, a) => {
                let (name, function) = cpp::unary(op);
                self.use_function(function);
                let a = self.value(a);
                self.call(name, vec![a])
            }
            Expr::Binary(op, a, b) => {
                let (name, function) = cpp::binary(op);
                self.use_function(function);
                let args = vec![self.value(a), self.value(b)];
                let (many, one) = (args[0].varying, !args[1].varying);
                if op == BinaryOp::Div && many && one && self.program.exprs.dtype(id) == Dtype::Float32 {
                    let text = format!("divide_by({}, {})", args[0].text, args[1].text);
                    return Operand { text, varying: true, level: args[0].level.max(args[1].level) };
                }
                self.call(name, args)
            }
            Expr::Select(c, a, b) => {
                let args = vec![self.value(c), self.value(a), self.value(b)];
                self.call("select", args)
            }
            Expr::Cast(to, a) => self.cast(a, to),
            Expr::Masked { condition, value, otherwise } => {
                self.masked(id, level, condition, value, otherwise)
            }
            Expr::Check { condition, value, assertion } => {
                let condition = self.value(condition);
                let fail = assertion + 1;
                let inner = self.inner_mask().cloned();
                match (condition.varying, self.masks.last().cloned(), inner) {
                    (true, Some(mask), _) => self.line(&format!(
                        "if (any(mask_and({mask}, mask_not({})))) return {fail};",
                        condition.text
                    )),
                    (true, None, _) => {
                        self.line(&format!("if (any(mask_not({}))) return {fail};", condition.text))
                    }
                    // Some lane is on wherever the loop runs at all; under a mask of lanes none may be.
                    (false, _, Some(mask)) => {
                        self.line(&format!("if (!{} && any({mask})) return {fail};", condition.text))
                    }
                    (false, _, None) => {
                        self.line_at(level, &format!("if (!{}) return {fail};", condition.text))
                    }
                }
                self.value(value)
            }
        }
    }

    fn cast(&mut self, a: ExprId, to: Dtype) -> Operand {
        let from = self.program.exprs.dtype(a);
        let operand = self.value(a);
        // In registers a reduced float is a float32 that happens to be one of its values.
        let register = |d: Dtype| if d.is_reduced_float() { Dtype::Float32 } else { d };
        let converted =
            if register(from) == register(to) { operand } else { self.call(cpp::cast(to), vec![operand]) };
        match cpp::rounding(to) {
            Some(round) if from != to => self.call(round, vec![converted]),
            _ => converted,
        }
    }

    fn index_value(&mut self, id: ExprId, index: SymInt, dtype: Dtype) -> Operand {
        let base =
            if !self.varies(id) { Operand::uniform(self.index(index)) } else { self.lane_indices(index) };
        if dtype == Dtype::Int64 { base } else { self.call(cpp::cast(dtype), vec![base]) }
    }

    /// A vector of an index at every lane.
    fn lane_indices(&mut self, index: SymInt) -> Operand {
        let Some(lanes) = self.lanes.clone() else { return Operand::uniform(self.index(index)) };
        let syms = std::sync::Arc::clone(&self.program.syms);
        let data_varies = self.data.iter().any(|d| d.varying)
            && syms.symbols(index).iter().any(|s| matches!(syms.symbol_kind(*s), SymbolKind::Data(_)));
        if !data_varies && let Some((coefficient, _)) = syms.linear_in(index, lanes.symbol) {
            let base = self.index(index);
            let step = self.index(coefficient);
            return Operand::varying(if syms.as_const(coefficient) == Some(1) {
                format!("add(splat((i64){base}), lane_index())")
            } else {
                format!("add(splat((i64){base}), mul(lane_index(), splat((i64){step})))")
            });
        }
        // Lane by lane: the lane variable and the data take each lane's value in turn.
        let (array, lane) = (self.fresh("a"), self.fresh("l"));
        let mut restored = Vec::new();
        for k in 0..self.data.len() {
            if self.data[k].varying {
                let values = self.fresh("d");
                let store = format!("i64 {values}[LITZ_LANES]; store({values}, {});", self.data[k].text);
                self.line(&store);
                restored.push((k, self.data[k].clone()));
                self.data[k] = Operand::uniform(format!("{values}[{lane}]"));
            }
        }
        let own = self.variables.get(&lanes.symbol).cloned();
        self.line(&format!("i64 {array}[LITZ_LANES];"));
        self.open();
        if let Some((name, _)) = &own {
            let level = self.depth();
            let shifted = self.fresh("j");
            self.line(&format!("const i64 {shifted} = {name} + {lane}; (void){shifted};"));
            self.variables.insert(lanes.symbol, (shifted, level));
        }
        let text = self.index(index);
        self.line(&format!("{array}[{lane}] = {text};"));
        if let Some(own) = own {
            self.variables.insert(lanes.symbol, own);
        }
        self.close(&format!("for (int {lane} = 0; {lane} < LITZ_LANES; {lane}++)"));
        for (k, operand) in restored {
            self.data[k] = operand;
        }
        Operand::varying(format!("load((const i64 *){array})")).at(self.depth())
    }

    fn load(&mut self, id: ExprId, buffer: BufferId, offset: SymInt, data: &[ExprId]) -> Operand {
        let storage = self.storage.get(&buffer).cloned();
        let (pointer, offset) = match storage {
            Some(Storage::Row(value)) => return value,
            Some(Storage::Memory(pointer)) => (pointer, offset),
            Some(Storage::Local { pointer, position }) => (pointer, position),
            Some(Storage::Accumulator { pointer, start, cast }) => {
                return self.accumulator(&pointer, &start, cast);
            }
            None => unreachable!("buffer {buffer} has no storage in this kernel"),
        };
        let saved = std::mem::take(&mut self.data);
        let mut operands = Vec::with_capacity(data.len());
        for d in data {
            operands.push(self.value(*d));
        }
        let below = operands.iter().map(|o| o.level).max().unwrap_or(0);
        self.data = operands;
        let result = self.memory_load(id, &pointer, offset);
        self.data = saved;
        result.at(below)
    }

    fn memory_load(&mut self, id: ExprId, pointer: &str, offset: SymInt) -> Operand {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let data_varies = self.data.iter().any(|d| d.varying);
        if !self.varies(id) {
            let place = self.index(offset);
            return Operand::uniform(format!("load_scalar({pointer} + {place})"));
        }
        let Some(lanes) = self.lanes.clone() else { unreachable!("a value varies only between lanes") };
        if !data_varies && let Some((coefficient, _)) = syms.linear_in(offset, lanes.symbol) {
            let place = self.index(offset);
            let place = format!("{pointer} + {place}");
            if syms.as_const(coefficient) == Some(1) {
                return self.contiguous(&place);
            }
            let stride = self.index(coefficient);
            let count = lanes.count.clone().unwrap_or_else(|| "LITZ_LANES".to_string());
            if self.inner_mask().is_none() {
                return Operand::varying(format!("load_strided({place}, {stride}, {count})"));
            }
        }
        let indices = self.lane_indices(offset);
        let mask = self.masks.last().cloned().unwrap_or_else(|| "splat(true)".to_string());
        Operand::varying(format!("load_gather({pointer}, {}, {mask})", indices.text)).at(indices.level)
    }

    /// The mask in force beyond the tail's.
    fn inner_mask(&self) -> Option<&String> {
        let tail = usize::from(self.lanes.as_ref().is_some_and(|l| l.count.is_some()));
        self.masks.get(tail..).and_then(|m| m.last())
    }

    fn contiguous(&mut self, place: &str) -> Operand {
        let Some(lanes) = &self.lanes else { return Operand::uniform(format!("load_scalar({place})")) };
        let text = match (self.inner_mask(), &lanes.count) {
            (Some(mask), _) => format!("load_where({place}, {mask})"),
            (None, Some(count)) => format!("load_tail({place}, {count})"),
            (None, None) => format!("load({place})"),
        };
        Operand::varying(text)
    }

    fn masked(
        &mut self,
        id: ExprId,
        level: usize,
        condition: ExprId,
        value: ExprId,
        otherwise: ExprId,
    ) -> Operand {
        let dtype = self.program.exprs.dtype(id);
        let condition = self.value(condition);
        let otherwise = self.value(otherwise);
        if condition.varying {
            // Lanes that are off load nothing; both sides are vectors.
            let mask = self.fresh("m");
            let text = match self.masks.last() {
                Some(outer) => format!("mask_and({outer}, {})", condition.text),
                None => condition.text.clone(),
            };
            self.line(&format!("const vmask {mask} = {text};"));
            self.masks.push(mask);
            let depth = self.depth();
            let guard = std::mem::replace(&mut self.guard, depth);
            let value = self.value(value);
            self.guard = guard;
            self.masks.pop();
            let args = vec![condition, value, otherwise];
            let chosen = self.call("select", args);
            return self.name(chosen, dtype, self.depth());
        }
        let varying = self.varies(id);
        let name = self.fresh("v");
        let ty = if varying { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
        let other = if varying { self.vector(otherwise) } else { otherwise.text };
        let top = self.depth();
        // The block stands in the innermost scope, whatever the level, so that what it needs is there already.
        let level = level.max(top);
        self.line_at(level, &format!("{ty} {name} = {other};"));
        self.open();
        let depth = self.depth();
        let guard = std::mem::replace(&mut self.guard, depth);
        let saved = std::mem::take(&mut self.levels);
        let inside = self.value(value);
        let inside = if varying { self.vector(inside) } else { inside.text };
        self.line(&format!("{name} = {inside};"));
        self.guard = guard;
        self.close(&format!("if ({})", condition.text));
        self.levels = saved;
        Operand { text: name, varying, level }
    }

    // Stores.

    /// A template's sums at the lanes.
    pub fn accumulator(&mut self, pointer: &str, start: &str, cast: Option<&'static str>) -> Operand {
        let lane = self.lanes.as_ref().and_then(|l| self.variables.get(&l.symbol)).map(|v| v.0.clone());
        let place = match lane {
            Some(lane) => format!("{pointer} + ({lane} - {start})"),
            None => pointer.to_string(),
        };
        let loaded = self.contiguous(&place);
        match cast {
            Some(cast) => self.call(cast, vec![loaded]),
            None => loaded,
        }
    }

    /// The operand in another register type.
    pub fn convert(&mut self, operand: Operand, to: Dtype) -> Operand {
        self.call(cpp::cast(to), vec![operand])
    }

    /// The mask of the loop's tail.
    pub fn tail_mask(&self) -> String {
        self.masks.first().cloned().unwrap_or_else(|| "splat(true)".to_string())
    }

    /// Computes a value and stores it at an offset. Storing rounds to a reduced float by itself.
    pub fn store(&mut self, pointer: &str, offset: SymInt, value: ExprId) {
        let rounded = match &self.program.exprs[value] {
            Expr::Cast(to, a) if to.is_reduced_float() && self.program.exprs.dtype(*a) == Dtype::Float32 => {
                *a
            }
            _ => value,
        };
        let operand = self.value(rounded);
        self.store_text(pointer, offset, operand);
    }

    pub fn store_text(&mut self, pointer: &str, offset: SymInt, operand: Operand) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let place = self.index(offset);
        let Some(lanes) = self.lanes.clone() else {
            self.line(&format!("store({pointer} + {place}, {});", operand.text));
            return;
        };
        let text = self.vector(operand);
        match syms.linear_in(offset, lanes.symbol) {
            Some((step, _)) if syms.as_const(step) == Some(1) => match &lanes.count {
                Some(count) => self.line(&format!("store_tail({pointer} + {place}, {text}, {count});")),
                None => self.line(&format!("store({pointer} + {place}, {text});")),
            },
            Some((step, _)) => {
                let step = self.index(step);
                let count = lanes.count.unwrap_or_else(|| "LITZ_LANES".to_string());
                self.line(&format!("store_strided({pointer} + {place}, {text}, {step}, {count});"));
            }
            None => {
                let indices = self.lane_indices(offset).text;
                let mask = self.tail_mask();
                self.line(&format!("store_scatter({pointer}, {indices}, {text}, {mask});"));
            }
        }
    }

    // Loops.

    /// Names the variables of the point at a row-major position, in the innermost scope.
    pub fn bind_point(&mut self, sizes: &[SymInt], position: &str) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let level = self.depth();
        let wide: Vec<usize> = (0..sizes.len())
            .filter(|k| syms.as_symbol(syms.index_var(*k as u32, sizes[*k])).is_some())
            .collect();
        if let [only] = wide[..] {
            let var = syms.index_var(only as u32, sizes[only]);
            return self.bind(var, position, level);
        }
        let mut left = position.to_string();
        for (n, k) in wide.iter().enumerate().rev() {
            let (var, name) = (syms.index_var(*k as u32, sizes[*k]), self.fresh("i"));
            if n == 0 {
                self.line(&format!("const i64 {name} = {left};"));
            } else {
                let (size, quotient) = (self.divisor(sizes[*k]), self.fresh("q"));
                self.line(&format!("const i64 {name} = {left} % {size}, {quotient} = {left} / {size};"));
                left = quotient;
            }
            self.line(&format!("(void){name};"));
            self.bind(var, &name, level);
        }
    }

    /// A loop over `[first, last)` in whole vectors, then what is left under a mask. `known`: the number of elements
    /// where the text may rely on it. A variable over one value gives a plain block.
    pub fn over_lanes(
        &mut self,
        var: SymInt,
        (first, last): (&str, &str),
        known: Option<i64>,
        lanes: i64,
        body: &mut dyn FnMut(&mut Self),
    ) {
        self.over_lanes_unrolled(var, (first, last), known, lanes, 1, &mut |e, _| body(e));
    }

    /// [`Self::over_lanes`], first with `unroll` vectors a turn: there the body is told so, and `u` counts them.
    pub fn over_lanes_unrolled(
        &mut self,
        var: SymInt,
        (first, last): (&str, &str),
        known: Option<i64>,
        lanes: i64,
        unroll: i64,
        body: &mut dyn FnMut(&mut Self, bool),
    ) {
        let Some(symbol) = self.program.syms.as_symbol(var) else {
            self.open();
            body(self, false);
            return self.close("");
        };
        let name = self.fresh("j");
        self.line(&format!("i64 {name} = {first};"));
        if unroll > 1 && known.is_none_or(|n| n >= 2 * unroll * lanes) {
            // Several vectors a turn, each with an accumulator of its own: no addition waits for the last.
            self.open();
            self.open();
            let level = self.depth();
            let own = self.fresh("j");
            self.line(&format!("const i64 {own} = {name} + u * LITZ_LANES; (void){own};"));
            self.bind(var, &own, level);
            self.lanes = Some(Lanes { symbol, count: None });
            body(self, true);
            self.lanes = None;
            self.line_at(level - 1, "_Pragma(\"GCC unroll 8\")");
            self.close(&format!("for (i64 u = 0; u < {unroll}; u++)"));
            self.close(&format!(
                "for (; {name} + {unroll} * LITZ_LANES <= {last}; {name} += {unroll} * LITZ_LANES)"
            ));
        }
        if known.is_none_or(|n| n >= lanes) {
            self.open();
            let level = self.depth();
            self.bind(var, &name, level);
            self.lanes = Some(Lanes { symbol, count: None });
            body(self, false);
            self.lanes = None;
            self.close(&format!("for (; {name} + LITZ_LANES <= {last}; {name} += LITZ_LANES)"));
        }
        if known.is_none_or(|n| n % lanes != 0) {
            self.open();
            let level = self.depth();
            self.bind(var, &name, level);
            let (count, mask) = (self.fresh("n"), self.fresh("m"));
            self.line(&format!("const i64 {count} = {last} - {name};"));
            self.line(&format!("const vmask {mask} = tail_mask({count}); (void){mask};"));
            self.set_tail_mask(Some(mask));
            self.lanes = Some(Lanes { symbol, count: Some(count) });
            body(self, false);
            self.lanes = None;
            self.set_tail_mask(None);
            self.close(&format!("if ({name} < {last})"));
        }
    }
}
