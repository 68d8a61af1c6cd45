//! Turning scalar expressions and symbolic integers into statements, at the loop level where they belong.
//!
//! A kernel's text grows as a stack of scopes: the function, a row, its inner loops, and the loop over lanes. What an
//! expression depends on says in which scope it is computed: everything that does not vary in an inner loop is
//! computed before it. Within a scope equal expressions are computed once. Loads and checks do not leave a loop that may
//! have no turn: where nothing is computed, nothing is read.
//!
//! In the lane loop values are vectors of one element per lane where they vary with the lane, scalars otherwise.
//! Under a mask (the tail of a loop, `Expr::Masked`) loads touch only lanes that are on.

mod index;
mod lanes;
mod steps;
mod value;

use crate::loops::{BufferId, Expr, ExprId, Program};
use crate::types::{SymInt, SymbolId, SymbolKind};
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
    /// One value for each turn of the loop over `variable`, in registers.
    Turn { value: Operand, variable: SymInt },
    /// Memory of this name, addressed by a position that only the stage knows.
    Local { pointer: String, position: SymInt },
    /// Memory of this name, addressed by the lane variable less this start.
    Accumulator { pointer: String, start: String, cast: Option<&'static str> },
}

/// The name of a chunk's first element: chunks are multiples of every vector's lanes.
pub const FIRST_OF_CHUNK: &str = "first";

/// The lanes of the innermost loop.
#[derive(Clone, Debug)]
pub struct Lanes {
    pub symbol: SymbolId,
    /// The number of lanes that are on, where that may be fewer than all.
    pub count: Option<String>,
    /// The lanes of a vector, where the variable is a multiple of them at every first lane.
    pub multiple: Option<i64>,
}

#[derive(Default)]
struct Scope {
    lines: Vec<String>,
    /// By expression and the innermost mask that it was computed under.
    values: FxHashMap<(ExprId, String), Operand>,
    indices: FxHashMap<SymInt, String>,
    /// It is the body of a loop over a size that may be 0.
    may_be_empty: bool,
}

/// Writes one kernel.
pub struct Emitter<'p> {
    pub program: &'p Program,
    pub storage: FxHashMap<BufferId, Storage>,
    pub lanes: Option<Lanes>,
    /// The type of offsets and loop variables.
    pub index_type: &'static str,
    /// The dialect's whole-vector accesses ask for addresses at multiples of a vector of this many elements; another
    /// access is spelled apart.
    pub aligned: Option<i64>,
    /// Values of which nothing but halves is made, by products at most: a dialect may compute them to fewer digits.
    pub rounded: FxHashSet<ExprId>,
    /// Buffers that the kernel writes.
    pub written: FxHashSet<BufferId>,
    /// Macros of the native functions that the text uses.
    pub functions: BTreeSet<&'static str>,
    /// The scope in which what is one value per row is computed.
    pub row_level: usize,
    scopes: Vec<Scope>,
    /// The C names and levels of loop variables.
    variables: FxHashMap<SymbolId, (String, usize)>,
    /// Free symbols in the order of the kernel's scalar parameters.
    symbols: Vec<SymbolId>,
    /// Scalar parameters that stand before them.
    reserved: usize,
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
            index_type: "i64",
            aligned: None,
            rounded: FxHashSet::default(),
            written: FxHashSet::default(),
            functions: BTreeSet::new(),
            row_level: 1,
            scopes: vec![Scope::default()],
            variables: FxHashMap::default(),
            symbols: Vec::new(),
            reserved: 0,
            levels: FxHashMap::default(),
            data: Vec::new(),
            masks: Vec::new(),
            guard: 0,
            counter: 0,
        }
    }

    /// Leaves the first scalar parameters to others.
    pub fn reserve_symbols(&mut self, count: usize) {
        self.reserved = count;
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
            if let SymbolKind::Index { size, .. } = self.program.syms.symbol_kind(symbol)
                && self.program.syms.range(size).min < 1
                && let Some(scope) = self.scopes.get_mut(level)
            {
                scope.may_be_empty = true;
            }
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

    pub(super) fn symbol_level(&self, symbol: SymbolId) -> usize {
        match self.program.syms.symbol_kind(symbol) {
            SymbolKind::Free => 0,
            SymbolKind::Index { .. } => self.variables.get(&symbol).map_or(self.depth(), |(_, level)| *level),
            SymbolKind::Data(_) => self.depth(),
        }
    }
    pub(super) fn index_level(&self, index: SymInt) -> usize {
        self.program.syms.symbols(index).into_iter().map(|s| self.symbol_level(s)).max().unwrap_or(0)
    }
    pub(super) fn level(&mut self, id: ExprId) -> usize {
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
                            self.row_level
                        }
                    }
                    Some(Storage::Turn { variable, .. }) => self.index_level(*variable).max(self.row_level),
                    Some(Storage::Local { position, .. }) => self.index_level(*position).max(self.row_level),
                    Some(Storage::Accumulator { .. }) => self.lane_level(),
                    // What the kernel itself writes is there only once the row's earlier stages are done.
                    _ if self.written.contains(buffer) => self
                        .plain_index_level(index[0])
                        .max(self.row_level)
                        .max(self.loop_that_may_be_empty()),
                    _ => self.plain_index_level(index[0]).max(self.loop_that_may_be_empty()),
                };
                level = level.max(own);
            }
            Expr::Check { .. } => level = level.max(self.loop_that_may_be_empty()),
            _ => {}
        }
        self.levels.insert(id, level);
        level
    }
    /// The level of the innermost loop that may have no turn, 0 without one.
    fn loop_that_may_be_empty(&self) -> usize {
        self.scopes.iter().rposition(|s| s.may_be_empty).unwrap_or(0)
    }
    pub(super) fn lane_level(&self) -> usize {
        self.lanes.as_ref().map_or(1, |l| self.symbol_level(l.symbol))
    }
    /// The level of an offset, data variables aside (their expressions count for themselves).
    pub(super) fn plain_index_level(&self, index: SymInt) -> usize {
        let syms = &self.program.syms;
        let plain = |s: &SymbolId| !matches!(syms.symbol_kind(*s), SymbolKind::Data(_));
        syms.symbols(index).into_iter().filter(plain).map(|s| self.symbol_level(s)).max().unwrap_or(0)
    }
}
