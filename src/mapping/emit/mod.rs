//! Turns scalar expressions and symbolic integers into statements at the loop level where they belong.
//!
//! A body grows as a stack of scopes: the function, a row, its inner loops, and the loop over lanes. An expression is computed in the
//! outermost scope that has all of its variables, so that loop invariants are hoisted. Within a scope equal expressions are computed once.
//! Loads and checks do not leave a loop that may have no iterations: such a loop must read nothing.
//!
//! In the lane loop a value that varies with the lane is a vector with one element for each lane; all others are scalars. Under a mask (the
//! tail of a loop, `Expr::Masked`) loads touch only the active lanes.

mod build;
mod index;
mod lanes;
mod region;
mod steps;
mod value;

pub use lanes::is_unrolled;
pub use region::OpenRegion;
pub use steps::lane_step;

use crate::base::{HashMap, HashSet};
use crate::kernels::{Block, Body, IndexType, Pointer, Statement, ValueId};
use crate::loops::{BufferId, Expr, ExprId, Program};
use crate::types::{Dtype, SymInt, SymbolId, SymbolKind};

/// A value, whether it is a vector, and the innermost scope that it names something of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    pub value: ValueId,
    pub varying: bool,
    level: usize,
}

impl Operand {
    pub fn uniform(value: ValueId) -> Operand {
        Operand { value, varying: false, level: 0 }
    }
    pub fn varying(value: ValueId) -> Operand {
        Operand { value, varying: true, level: 0 }
    }
    fn at(self, level: usize) -> Operand {
        Operand { level: self.level.max(level), ..self }
    }
}

/// How a template's sums become a value of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    Cast(Dtype),
    Round(Dtype),
}

/// Where the elements of a buffer are found.
#[derive(Clone, Debug)]
pub enum Storage {
    /// Memory as the plan has it.
    Memory(Pointer),
    /// One value per row, already in registers (or one vector per lane block).
    Row(Operand),
    /// One value for each turn of the loop over `variable`, in registers.
    Turn { value: Operand, variable: SymInt },
    /// Memory that is addressed by a position that only the stage knows.
    Local { pointer: Pointer, position: SymInt },
    /// Memory that is addressed by the lane variable less this start.
    Accumulator { pointer: Pointer, start: ValueId, convert: Option<Conversion> },
}

/// The lanes of the innermost loop.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    pub symbol: SymbolId,
    /// The number of lanes that are on, where that may be fewer than all.
    pub count: Option<ValueId>,
    /// The lanes of a vector, where the variable is a multiple of them at every first lane.
    pub multiple: Option<i64>,
}

/// A loop over lanes: its variable, and its elements from the first to the one after the last.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub variable: SymInt,
    pub first: ValueId,
    pub last: ValueId,
    /// The number of elements, where it may be relied on.
    pub known: Option<i64>,
    /// The lanes of a vector.
    pub lanes: i64,
    /// The first element is at a multiple of the lanes.
    pub whole: bool,
    /// The number of elements is a multiple of the lanes, known or not.
    pub divisible: bool,
}

#[derive(Default)]
struct Scope {
    block: Block,
    /// By expression and the innermost mask that it was computed under.
    values: HashMap<(ExprId, Option<ValueId>), Operand>,
    indices: HashMap<SymInt, ValueId>,
    /// It is the body of a loop over a size that may be 0.
    may_be_empty: bool,
}

/// Builds the body of one kernel.
pub struct Emitter<'p> {
    pub program: &'p Program,
    pub body: Body,
    pub storage: HashMap<BufferId, Storage>,
    pub lanes: Option<Lanes>,
    /// The target's whole-vector accesses ask for addresses at multiples of a vector of this many elements; other accesses are
    /// told apart.
    pub aligned: Option<i64>,
    /// Values that end up only in half-precision results, through multiplications at most: a target may compute them to fewer
    /// digits.
    pub rounded: HashSet<ExprId>,
    /// Buffers that the kernel writes.
    pub written: HashSet<BufferId>,
    /// The scope in which what is one value per row is computed.
    pub row_level: usize,
    scopes: Vec<Scope>,
    /// The values and levels of loop variables.
    variables: HashMap<SymbolId, (ValueId, usize)>,
    /// Free symbols in the order of the kernel's scalar parameters.
    symbols: Vec<SymbolId>,
    /// Scalar parameters that stand before them.
    reserved: usize,
    levels: HashMap<ExprId, usize>,
    /// Values of `data_var(k)` of the load being built.
    data: Vec<Operand>,
    /// Masks in force, innermost last; the first may be the tail's.
    masks: Vec<ValueId>,
    /// Loads and checks may not be computed in a scope below this one.
    guard: usize,
    counter: u32,
}

/// What an emitter has built.
pub struct Finished {
    pub body: Body,
    pub symbols: Vec<SymbolId>,
}

impl<'p> Emitter<'p> {
    pub fn new(program: &'p Program) -> Self {
        Emitter {
            program,
            body: Body::default(),
            storage: HashMap::default(),
            lanes: None,
            aligned: None,
            rounded: HashSet::default(),
            written: HashSet::default(),
            row_level: 1,
            scopes: vec![Scope::default()],
            variables: HashMap::default(),
            symbols: Vec::new(),
            reserved: 0,
            levels: HashMap::default(),
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
    /// Ends the innermost scope, whose statements become part of one in the scope around it.
    pub fn close_block(&mut self) -> Block {
        self.levels.clear();
        self.scopes.pop().unwrap_or_default().block
    }
    pub fn depth(&self) -> usize {
        self.scopes.len() - 1
    }
    pub fn push(&mut self, statement: Statement) {
        let top = self.depth();
        self.push_at(top, statement);
    }
    pub fn push_at(&mut self, level: usize, statement: Statement) {
        self.scopes[level].block.push(statement);
    }
    pub fn finish(mut self) -> Finished {
        self.body.block = self.close_block();
        Finished { body: self.body, symbols: self.symbols }
    }
    /// Gives a loop variable its value in the scope of this level.
    pub fn bind(&mut self, variable: SymInt, value: ValueId, level: usize) {
        if let Some(symbol) = self.program.syms.as_symbol(variable) {
            if let SymbolKind::Index { size, .. } = self.program.syms.symbol_kind(symbol)
                && self.program.syms.range(size).min < 1
                && let Some(scope) = self.scopes.get_mut(level)
            {
                scope.may_be_empty = true;
            }
            self.variables.insert(symbol, (value, level));
            self.levels.clear();
        }
    }
    /// Runs with the tail's mask in force.
    pub fn set_tail_mask(&mut self, mask: Option<ValueId>) {
        self.masks = mask.into_iter().collect();
    }
    pub fn set_index_type(&mut self, index: IndexType) {
        self.body.index = index;
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
