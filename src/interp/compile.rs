//! An expression DAG as a flat list of steps over typed columns, each column holding one value for a block of
//! points.
//!
//! Invariants: a step's result stands after its operands in its bank, so the parts of a bank before and from the
//! result on can be borrowed apart; loads and checks carry the mask of the points that they are made for, every
//! other step is total and is computed for all points of a block.

use super::InterpError;
use crate::base::{HashMap, HashSet, StableSort};
use crate::loops::{BinaryOp, BufferId, Expr, ExprId, Program, UnaryOp};
use crate::types::{Dtype, Scalar, SymInt, SymNode, SymbolId, SymbolKind};

/// Which kind of number a column holds: float32 (and the reduced floats, exactly), float64, or any integer or bool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bank {
    Float32,
    Float64,
    Integer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reg {
    pub bank: Bank,
    pub at: usize,
}

pub(super) fn bank_of(dtype: Dtype) -> Bank {
    match dtype {
        Dtype::Float64 => Bank::Float64,
        d if d.is_float() => Bank::Float32,
        _ => Bank::Integer,
    }
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// `dtype` is the operand's.
    Unary {
        op: UnaryOp,
        dtype: Dtype,
        a: Reg,
        out: Reg,
    },
    Binary {
        op: BinaryOp,
        dtype: Dtype,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    Select {
        condition: Reg,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    Cast {
        from: Dtype,
        to: Dtype,
        a: Reg,
        out: Reg,
    },
    /// `slot` counts the node's reads.
    Load {
        slot: usize,
        index: Box<[Reg]>,
        mask: Option<Reg>,
        out: Reg,
    },
    Check {
        condition: Reg,
        mask: Option<Reg>,
        assertion: u32,
    },
}

/// Steps that compute some results at every point of a space.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    /// The space's sizes.
    pub sizes: Vec<SymInt>,
    /// Computed once, before any point.
    pub uniform: Vec<Step>,
    pub steps: Vec<Step>,
    /// Columns that hold a dimension's index.
    pub variables: Vec<(usize, Reg)>,
    pub constants: Vec<(Reg, Scalar)>,
    pub symbols: Vec<(SymbolId, Reg)>,
    pub results: Vec<Reg>,
    /// Columns of each bank.
    pub floats32: usize,
    pub floats64: usize,
    pub integers: usize,
}

/// The buffers that a node reads, in order of first use.
#[derive(Default)]
pub(super) struct Reads {
    pub list: Vec<BufferId>,
    places: HashMap<BufferId, usize>,
}

impl Reads {
    pub fn add(&mut self, buffer: BufferId) {
        self.slot(buffer);
    }
    fn slot(&mut self, buffer: BufferId) -> usize {
        *self.places.entry(buffer).or_insert_with(|| {
            self.list.push(buffer);
            self.list.len() - 1
        })
    }
}

/// Where an expression is evaluated: everywhere (number 0), or only where a mask holds.
#[derive(Clone, Copy)]
struct Context {
    mask: Option<Reg>,
    parent: usize,
}

enum Work {
    Visit(ExprId, usize),
    Finish(ExprId, usize),
    /// The condition and the other side of a `Masked` are there; its value comes next.
    Enter(ExprId, usize),
    Leave(ExprId, usize, usize),
    /// The condition of a `Check` is there.
    Assert(ExprId, usize),
}

pub(super) struct Compiler<'p> {
    program: &'p Program,
    reads: &'p mut Reads,
    code: Code,
    dims: HashMap<SymbolId, usize>,
    contexts: Vec<Context>,
    children: HashMap<(usize, Reg), usize>,
    done: HashMap<(ExprId, usize), Reg>,
    /// Expressions with a load or a check below: what may not be evaluated outside its context.
    guarded: HashSet<ExprId>,
    syms: HashMap<(SymInt, usize), Reg>,
    scopes: HashMap<Vec<Reg>, usize>,
    uniform: HashSet<Reg>,
    constants: HashMap<(Bank, Scalar), Reg>,
}

impl<'p> Compiler<'p> {
    /// `space`: the position of each loop variable and its size, in order of nesting.
    pub fn new(program: &'p Program, reads: &'p mut Reads, space: &[(u32, SymInt)]) -> Compiler<'p> {
        let mut dims = HashMap::default();
        for (k, (position, size)) in space.iter().enumerate() {
            if let Some(symbol) = program.syms.as_symbol(program.syms.index_var(*position, *size)) {
                dims.insert(symbol, k);
            }
        }
        let code = Code { sizes: space.iter().map(|s| s.1).collect(), ..Code::default() };
        Compiler {
            program,
            reads,
            code,
            dims,
            contexts: vec![Context { mask: None, parent: 0 }],
            children: HashMap::default(),
            done: HashMap::default(),
            guarded: HashSet::default(),
            syms: HashMap::default(),
            scopes: HashMap::from_iter([(Vec::new(), 0)]),
            uniform: HashSet::default(),
            constants: HashMap::default(),
        }
    }

    pub fn finish(self) -> Code {
        self.code
    }

    /// Adds an expression to the results.
    pub fn result(&mut self, root: ExprId) -> Result<Reg, InterpError> {
        let reg = self.expr(root)?;
        self.code.results.push(reg);
        Ok(reg)
    }
    /// Adds an index expression over the data to the results.
    pub fn result_index(&mut self, index: SymInt, data: &[Reg]) -> Result<(), InterpError> {
        let reg = self.sym(index, data)?;
        self.code.results.push(reg);
        Ok(())
    }

    fn new_reg(&mut self, bank: Bank) -> Reg {
        let count = match bank {
            Bank::Float32 => &mut self.code.floats32,
            Bank::Float64 => &mut self.code.floats64,
            Bank::Integer => &mut self.code.integers,
        };
        *count += 1;
        Reg { bank, at: *count - 1 }
    }
    /// Appends a total step; before the loop where all its operands are known there.
    fn emit(&mut self, bank: Bank, operands: &[Reg], step: impl FnOnce(Reg) -> Step) -> Reg {
        let out = self.new_reg(bank);
        if operands.iter().all(|r| self.uniform.contains(r)) {
            self.uniform.insert(out);
            self.code.uniform.push(step(out));
        } else {
            self.code.steps.push(step(out));
        }
        out
    }
    fn constant(&mut self, bank: Bank, value: Scalar) -> Reg {
        if let Some(reg) = self.constants.get(&(bank, value)) {
            return *reg;
        }
        let reg = self.new_reg(bank);
        self.uniform.insert(reg);
        self.code.constants.push((reg, value));
        self.constants.insert((bank, value), reg);
        reg
    }

    fn expr(&mut self, root: ExprId) -> Result<Reg, InterpError> {
        let program = self.program;
        for id in program.exprs.postorder(&[root]) {
            let own = matches!(program.exprs[id], Expr::Load { .. } | Expr::Check { .. });
            if own || program.exprs.operands(id).iter().any(|o| self.guarded.contains(o)) {
                self.guarded.insert(id);
            }
        }
        let mut stack = vec![Work::Visit(root, 0)];
        while let Some(work) = stack.pop() {
            match work {
                Work::Visit(id, context) => {
                    if self.find(id, context).is_some() {
                        continue;
                    }
                    match &program.exprs[id] {
                        Expr::Masked { condition, otherwise, .. } if self.guarded.contains(&id) => {
                            stack.push(Work::Enter(id, context));
                            stack.push(Work::Visit(*otherwise, context));
                            stack.push(Work::Visit(*condition, context));
                        }
                        Expr::Check { condition, .. } => {
                            stack.push(Work::Assert(id, context));
                            stack.push(Work::Visit(*condition, context));
                        }
                        _ => {
                            stack.push(Work::Finish(id, context));
                            for operand in program.exprs.operands(id).into_iter().rev() {
                                stack.push(Work::Visit(operand, context));
                            }
                        }
                    }
                }
                Work::Enter(id, context) => {
                    let Expr::Masked { condition, value, .. } = program.exprs[id] else { continue };
                    let inner = self.inner_context(context, self.get(condition, context)?);
                    stack.push(Work::Leave(id, context, inner));
                    stack.push(Work::Visit(value, inner));
                }
                Work::Leave(id, context, inner) => {
                    let Expr::Masked { condition, value, otherwise } = program.exprs[id] else { continue };
                    let (condition, b) = (self.get(condition, context)?, self.get(otherwise, context)?);
                    let a = self.get(value, inner)?;
                    let out =
                        self.emit(a.bank, &[condition, a, b], |out| Step::Select { condition, a, b, out });
                    self.done.insert((id, context), out);
                }
                Work::Assert(id, context) => {
                    let Expr::Check { condition, value, assertion } = program.exprs[id] else { continue };
                    let (condition, mask) = (self.get(condition, context)?, self.contexts[context].mask);
                    self.code.steps.push(Step::Check { condition, mask, assertion });
                    stack.push(Work::Finish(id, context));
                    stack.push(Work::Visit(value, context));
                }
                Work::Finish(id, context) => self.step(id, context)?,
            }
        }
        self.get(root, 0)
    }

    /// The context for an expression: total ones are computed once, for all.
    fn home(&self, id: ExprId, context: usize) -> usize {
        if self.guarded.contains(&id) { context } else { 0 }
    }
    fn find(&self, id: ExprId, context: usize) -> Option<Reg> {
        let mut context = self.home(id, context);
        loop {
            if let Some(reg) = self.done.get(&(id, context)) {
                return Some(*reg);
            }
            if context == 0 {
                return None;
            }
            context = self.contexts[context].parent;
        }
    }
    fn get(&self, id: ExprId, context: usize) -> Result<Reg, InterpError> {
        self.find(id, context).ok_or_else(|| InterpError::internal(format!("{id} is used before it is made")))
    }
    fn inner_context(&mut self, parent: usize, condition: Reg) -> usize {
        if let Some(done) = self.children.get(&(parent, condition)) {
            return *done;
        }
        let mask = match self.contexts[parent].mask {
            None => condition,
            Some(outer) => self.emit(Bank::Integer, &[outer, condition], |out| Step::Binary {
                op: BinaryOp::LogicalAnd,
                dtype: Dtype::Bool,
                a: outer,
                b: condition,
                out,
            }),
        };
        self.contexts.push(Context { mask: Some(mask), parent });
        let inner = self.contexts.len() - 1;
        self.children.insert((parent, condition), inner);
        inner
    }

    /// Emits one expression whose operands are there.
    fn step(&mut self, id: ExprId, context: usize) -> Result<(), InterpError> {
        let program = self.program;
        let exprs = &program.exprs;
        let dtype = exprs.dtype(id);
        if !dtype.is_computable() {
            return Err(InterpError::internal(format!("{id} has dtype {dtype}")));
        }
        let bank = bank_of(dtype);
        let context = self.home(id, context);
        let out = match &exprs[id] {
            Expr::Constant(value, dtype) => {
                let value = match value {
                    Scalar::Float(v) if dtype.is_reduced_float() => {
                        Scalar::Float(crate::loops::arithmetic::round_reduced(*dtype, *v as f32) as f64)
                    }
                    Scalar::Int(v) => Scalar::Int(crate::loops::arithmetic::wrap(*dtype, *v)),
                    other => *other,
                };
                self.constant(bank, value)
            }
            Expr::Index(index, dtype) => {
                let a = self.sym(*index, &[])?;
                let to = *dtype;
                if to == Dtype::Int64 {
                    a
                } else {
                    self.emit(bank, &[a], |out| Step::Cast { from: Dtype::Int64, to, a, out })
                }
            }
            // The bits of a half are read as they stand in memory: float32 knows fewer kinds of NaN.
            Expr::Unary(UnaryOp::ToBits, half)
                if exprs.dtype(*half).is_reduced_float() && matches!(exprs[*half], Expr::Load { .. }) =>
            {
                let Expr::Load { buffer, index, data } = &exprs[*half] else {
                    return Err(InterpError::internal(format!("{half} is no load")));
                };
                self.load(*buffer, index, data, bank, context)?
            }
            Expr::Load { buffer, index, data } => {
                if program.buffers[*buffer].dtype != dtype {
                    return Err(InterpError::internal(format!("{id} has not the dtype of its buffer")));
                }
                self.load(*buffer, index, data, bank, context)?
            }
            Expr::Unary(op, a) => {
                let (op, dtype) = (*op, exprs.dtype(*a));
                let a = self.get(*a, context)?;
                self.emit(bank, &[a], |out| Step::Unary { op, dtype, a, out })
            }
            Expr::Binary(op, a, b) => {
                let (op, dtype) = (*op, exprs.dtype(*a));
                if exprs.dtype(*b) != dtype {
                    return Err(InterpError::internal(format!("{id} has operands of two dtypes")));
                }
                let (a, b) = (self.get(*a, context)?, self.get(*b, context)?);
                self.emit(bank, &[a, b], |out| Step::Binary { op, dtype, a, b, out })
            }
            Expr::Select(condition, a, b) | Expr::Masked { condition, value: a, otherwise: b } => {
                if exprs.dtype(*a) != dtype || exprs.dtype(*b) != dtype {
                    return Err(InterpError::internal(format!("{id} chooses between two dtypes")));
                }
                let condition = self.get(*condition, context)?;
                let (a, b) = (self.get(*a, context)?, self.get(*b, context)?);
                self.emit(bank, &[condition, a, b], |out| Step::Select { condition, a, b, out })
            }
            Expr::Cast(to, a) => {
                let (to, from) = (*to, exprs.dtype(*a));
                let a = self.get(*a, context)?;
                self.emit(bank, &[a], |out| Step::Cast { from, to, a, out })
            }
            Expr::Check { value, .. } => self.get(*value, context)?,
        };
        self.done.insert((id, context), out);
        Ok(())
    }

    fn load(
        &mut self,
        buffer: BufferId,
        index: &[SymInt],
        data: &[ExprId],
        bank: Bank,
        context: usize,
    ) -> Result<Reg, InterpError> {
        let data = data.iter().map(|d| self.get(*d, context)).collect::<Result<Vec<_>, _>>()?;
        let index = index.iter().map(|i| self.sym(*i, &data)).collect::<Result<Box<[_]>, _>>()?;
        if index.len() != self.program.buffers[buffer].sizes.len() {
            return Err(InterpError::internal(format!("a load of {buffer} has a wrong number of indices")));
        }
        let slot = self.reads.slot(buffer);
        let mask = self.contexts[context].mask;
        let out = self.new_reg(bank);
        self.code.steps.push(Step::Load { slot, index, mask, out });
        Ok(out)
    }

    /// An index expression; `data[k]` is what `data_var(k)` stands for. As deep as index expressions are, which
    /// evaluating them elsewhere bounds already.
    fn sym(&mut self, root: SymInt, data: &[Reg]) -> Result<Reg, InterpError> {
        let fresh = self.scopes.len();
        let scope = *self.scopes.entry(data.to_vec()).or_insert(fresh);
        self.sym_in(root, data, scope)
    }
    fn sym_in(&mut self, root: SymInt, data: &[Reg], scope: usize) -> Result<Reg, InterpError> {
        if let Some(reg) = self.syms.get(&(root, scope)).or_else(|| self.syms.get(&(root, 0))) {
            return Ok(*reg);
        }
        use SymNode as N;
        let node = self.program.syms.node(root);
        let binary = |this: &mut Self, op: BinaryOp, x: SymInt, y: SymInt| {
            let (a, b) = (this.sym_in(x, data, scope)?, this.sym_in(y, data, scope)?);
            Ok::<Reg, InterpError>(this.integers(op, a, b))
        };
        let reg = match node {
            N::Constant(v) => self.constant(Bank::Integer, Scalar::Int(v)),
            N::Symbol(symbol) => self.symbol(symbol, data)?,
            N::Add(list) | N::Mul(list) => {
                let op = match self.program.syms.node(root) {
                    N::Add(_) => BinaryOp::Add,
                    _ => BinaryOp::Mul,
                };
                let mut all =
                    list.iter().map(|x| self.sym_in(*x, data, scope)).collect::<Result<Vec<_>, _>>()?;
                // What is known before the loop is joined first, before the loop.
                all.stable_sort_by_key(|r| !self.uniform.contains(r));
                let mut all = all.into_iter();
                let first = all.next().ok_or_else(|| InterpError::internal("an empty sum"))?;
                all.fold(first, |a, b| self.integers(op, a, b))
            }
            N::FloorDiv(x, y) => binary(self, BinaryOp::FloorDiv, x, y)?,
            N::Mod(x, y) => binary(self, BinaryOp::Remainder, x, y)?,
            N::Min(x, y) => binary(self, BinaryOp::Minimum, x, y)?,
            N::Max(x, y) => binary(self, BinaryOp::Maximum, x, y)?,
            N::Eq(x, y) => binary(self, BinaryOp::Eq, x, y)?,
            N::Lt(x, y) => binary(self, BinaryOp::Lt, x, y)?,
            N::Le(x, y) => binary(self, BinaryOp::Le, x, y)?,
            N::And(x, y) => binary(self, BinaryOp::LogicalAnd, x, y)?,
            N::Or(x, y) => binary(self, BinaryOp::LogicalOr, x, y)?,
            N::Not(x) => {
                let a = self.sym_in(x, data, scope)?;
                let zero = self.constant(Bank::Integer, Scalar::Int(0));
                self.integers(BinaryOp::Eq, a, zero)
            }
            N::Select(c, x, y) => {
                let condition = self.sym_in(c, data, scope)?;
                let (a, b) = (self.sym_in(x, data, scope)?, self.sym_in(y, data, scope)?);
                self.emit(Bank::Integer, &[condition, a, b], |out| Step::Select { condition, a, b, out })
            }
        };
        // Loop variables and symbols mean the same whatever the data.
        let shared = matches!(self.program.syms.node(root), N::Symbol(s)
            if !matches!(self.program.syms.symbol_kind(s), SymbolKind::Data(_)));
        self.syms.insert((root, if shared { 0 } else { scope }), reg);
        Ok(reg)
    }

    fn integers(&mut self, op: BinaryOp, a: Reg, b: Reg) -> Reg {
        self.emit(Bank::Integer, &[a, b], |out| Step::Binary { op, dtype: Dtype::Int64, a, b, out })
    }

    fn symbol(&mut self, symbol: SymbolId, data: &[Reg]) -> Result<Reg, InterpError> {
        let name = || self.program.syms.symbol_name(symbol);
        match self.program.syms.symbol_kind(symbol) {
            SymbolKind::Free => {
                let reg = self.new_reg(Bank::Integer);
                self.uniform.insert(reg);
                self.code.symbols.push((symbol, reg));
                Ok(reg)
            }
            SymbolKind::Index { .. } => {
                let dim = *self.dims.get(&symbol).ok_or_else(|| {
                    InterpError::internal(format!("`{}` is no variable of this space", name()))
                })?;
                let reg = self.new_reg(Bank::Integer);
                self.code.variables.push((dim, reg));
                Ok(reg)
            }
            SymbolKind::Data(k) => data
                .get(k as usize)
                .copied()
                .ok_or_else(|| InterpError::internal(format!("`{}` stands for nothing here", name()))),
        }
    }
}
