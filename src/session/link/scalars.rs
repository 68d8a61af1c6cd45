//! Sizes as lines of a plan's scalar program, and the sources of the symbols in them.
//!
//! Invariant: equal expressions are one line.
//!
//! Deliberately absent: buffers and steps.

use super::{Linker, SessionError};
use crate::base::{HashMap, Status};
use crate::loops::NodeKind;
use crate::plan::{self, Costs, Plan, ScalarId, ScalarOp};
use crate::types::{SymInt, SymNode, SymbolId, SymbolKind};

impl Linker<'_> {
    /// Every free symbol of the inputs' shapes, and where its value comes from.
    pub(super) fn bind_symbols(&mut self) {
        let syms = &self.graph.syms;
        let add = |plan: &mut Plan, symbols: &mut HashMap<SymbolId, u32>, symbol: SymbolId, source| {
            if symbols.contains_key(&symbol) {
                return;
            }
            let range = syms.symbol_range(symbol);
            symbols.insert(symbol, plan.symbols.len() as u32);
            plan.symbols.push(plan::Symbol {
                name: syms.symbol_name(symbol),
                min: range.min,
                max: range.max,
                source,
            });
        };
        for (k, input) in self.graph.inputs.iter().enumerate() {
            if let Some(symbol) = input.symbol.and_then(|s| syms.as_symbol(s)) {
                let source = plan::SymbolSource::Value { input: k as u32 };
                add(&mut self.plan, &mut self.symbols, symbol, source);
            }
        }
        for node in &self.program.nodes {
            if let NodeKind::Control(control) = &node.kind
                && let Some(symbol) = control.gives()
            {
                add(&mut self.plan, &mut self.symbols, symbol, plan::SymbolSource::Step);
            }
        }
        // A symbol is read from a dimension whose size is that symbol. Where there is none, it is solved for in a size of the
        // form `factor * symbol + addend`.
        for bare in [true, false] {
            for (k, input) in self.graph.inputs.iter().enumerate() {
                for (d, size) in self.graph.meta(input.value).shape.iter().enumerate() {
                    let (input, dim) = (k as u32, d as u32);
                    if let Some(symbol) = syms.as_symbol(*size) {
                        let source = plan::SymbolSource::Dimension { input, dim, factor: 1, addend: 0 };
                        add(&mut self.plan, &mut self.symbols, symbol, source);
                    } else if !bare && let [symbol] = syms.symbols(*size)[..] {
                        let Some((factor, rest)) = syms.linear_in(*size, symbol) else { continue };
                        let (Some(factor), Some(addend)) = (syms.as_const(factor), syms.as_const(rest))
                        else {
                            continue;
                        };
                        if factor > 0 {
                            let source = plan::SymbolSource::Dimension { input, dim, factor, addend };
                            add(&mut self.plan, &mut self.symbols, symbol, source);
                        }
                    }
                }
            }
        }
    }

    /// The costs of kernels, as scalars that the plan does without. Sizes that are known once a program is compiled need none:
    /// then the numbers stand in what describe says.
    pub(super) fn take_costs(&mut self) -> Result<Costs, SessionError> {
        if self.plan.symbols.is_empty() {
            return Ok(Costs::default());
        }
        let first = self.plan.scalars.len();
        let mut of = Vec::with_capacity(self.costs.len());
        for [bytes, flop] in std::mem::take(&mut self.costs) {
            of.push([self.scalar(bytes)?, self.scalar(flop)?]);
        }
        Ok(Costs { scalars: self.plan.scalars.split_off(first), of })
    }

    fn emit(&mut self, op: ScalarOp) -> ScalarId {
        if let Some(id) = self.scalars.get(&op) {
            return *id;
        }
        let id = ScalarId(self.plan.scalars.len() as u32);
        self.plan.scalars.push(op);
        self.scalars.insert(op, id);
        id
    }

    /// A symbolic integer as a line of the scalar program. Shared parts are looked at once: written out they could be any number.
    pub(super) fn scalar(&mut self, value: SymInt) -> Result<ScalarId, SessionError> {
        if let Some(known) = self.sizes.get(&value) {
            return Ok(*known);
        }
        let id = self.new_scalar(value)?;
        self.sizes.insert(value, id);
        Ok(id)
    }

    fn new_scalar(&mut self, value: SymInt) -> Result<ScalarId, SessionError> {
        use SymNode::*;
        let node = self.graph.syms.node(value);
        let op = match node {
            Constant(v) => ScalarOp::Constant(v),
            Symbol(symbol) => match self.symbols.get(&symbol) {
                Some(k) => ScalarOp::Symbol(*k),
                None => match self.graph.syms.definition(symbol) {
                    Some((calculation, operands)) => {
                        let operands = self.scalars(&operands)?;
                        let one = |k: usize| operands.get(k).copied().unwrap_or(operands[0]);
                        ScalarOp::Calculate(calculation, [one(0), one(1), one(2)])
                    }
                    None => ScalarOp::Symbol(self.random_state(symbol)?),
                },
            },
            Add(list) => return self.fold(&list, ScalarOp::Add),
            Mul(list) => return self.fold(&list, ScalarOp::Mul),
            Not(a) => ScalarOp::Not(self.scalar(a)?),
            Select(c, a, b) => ScalarOp::Select(self.scalar(c)?, self.scalar(a)?, self.scalar(b)?),
            FloorDiv(a, b) => ScalarOp::FloorDiv(self.scalar(a)?, self.scalar(b)?),
            Mod(a, b) => ScalarOp::Mod(self.scalar(a)?, self.scalar(b)?),
            Min(a, b) => ScalarOp::Min(self.scalar(a)?, self.scalar(b)?),
            Max(a, b) => ScalarOp::Max(self.scalar(a)?, self.scalar(b)?),
            Eq(a, b) => ScalarOp::Eq(self.scalar(a)?, self.scalar(b)?),
            Lt(a, b) => ScalarOp::Lt(self.scalar(a)?, self.scalar(b)?),
            Le(a, b) => ScalarOp::Le(self.scalar(a)?, self.scalar(b)?),
            And(a, b) => ScalarOp::And(self.scalar(a)?, self.scalar(b)?),
            Or(a, b) => ScalarOp::Or(self.scalar(a)?, self.scalar(b)?),
        };
        Ok(self.emit(op))
    }

    fn fold(
        &mut self,
        list: &[SymInt],
        combine: fn(ScalarId, ScalarId) -> ScalarOp,
    ) -> Result<ScalarId, SessionError> {
        let mut sum = self.scalar(list[0])?;
        for term in &list[1..] {
            let term = self.scalar(*term)?;
            sum = self.emit(combine(sum, term));
        }
        Ok(sum)
    }

    /// A part of the random state, whose number the plan has once something needs it.
    fn random_state(&mut self, symbol: SymbolId) -> Result<u32, SessionError> {
        let syms = &self.graph.syms;
        let part = syms.random_part(symbol).ok_or_else(|| self.unbound(symbol))?;
        let (place, range) = (self.plan.symbols.len() as u32, syms.symbol_range(symbol));
        let source = plan::SymbolSource::Random(part);
        let name = syms.symbol_name(symbol);
        self.plan.symbols.push(plan::Symbol { name, min: range.min, max: range.max, source });
        self.symbols.insert(symbol, place);
        Ok(place)
    }

    fn unbound(&self, symbol: SymbolId) -> SessionError {
        let syms = &self.graph.syms;
        let what = match syms.symbol_kind(symbol) {
            SymbolKind::Free => "no input's shape gives its value",
            _ => "it is a loop variable outside of its loop",
        };
        let message = format!("the symbol `{}` has no source: {what}", syms.symbol_name(symbol));
        SessionError::Option { status: Status::Unsupported, message }
    }

    pub(super) fn scalars(&mut self, list: &[SymInt]) -> Result<Vec<ScalarId>, SessionError> {
        list.iter().map(|s| self.scalar(*s)).collect()
    }
}
