//! Every access within its memory, for all sizes in range, and aligned where it says so.

use super::facts::{add, is_multiple};
use super::parts::{assignments, operands, values};
use super::symbolic::Symbols;
use super::{Data, Found, Wrong, name};
use crate::kernels::{
    Access, Base, Block, Is, Kernel, Launch, LocalId, Loop, Memory, Operand, Over, Region, Shape, Space,
    Statement, Step, Type, Value, ValueId,
};
use crate::loops::{Proof, Prover, not_negative};
use crate::types::{Dtype, Range, SymArena, SymInt};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn check(syms: &SymArena, kernel: &Kernel, data: Data) -> Result<(), Found> {
    let mut checker = Checker {
        symbols: Symbols::new(syms, kernel),
        prover: Prover::new(syms),
        facts: Vec::new(),
        sizes: Vec::new(),
        pointers: FxHashMap::default(),
        at: 0,
        data,
    };
    let (begin, end) = (checker.symbols.begin, checker.symbols.end);
    match &kernel.launch {
        Launch::Cpu { tasks, .. } => {
            let some = syms.add_const(*tasks, -1);
            checker.facts.extend([syms.sub(end, begin), syms.sub(*tasks, end), some]);
        }
        Launch::Gpu { blocks, .. } => {
            checker.sizes.push(*blocks);
            // Where there is no block nothing is accessed.
            checker.facts.push(syms.add_const(*blocks, -1));
        }
    }
    checker.block(&kernel.body.block)
}

/// The dtype of an access's memory.
pub(super) fn dtype(kernel: &Kernel, access: &Access) -> Dtype {
    match access.pointer.base {
        Base::Buffer(place) => kernel.buffers.get(place).map_or(Dtype::Int64, |b| b.dtype),
        Base::Local(local) => match kernel.body.locals[local].ty {
            Type::Array { dtype, .. } | Type::Pointer { dtype, .. } => dtype,
            _ => Dtype::Int64,
        },
        Base::Text(_) => Dtype::Int64,
    }
}

struct Checker<'k> {
    symbols: Symbols<'k>,
    prover: Prover<'k>,
    /// Expressions that are not negative here.
    facts: Vec<SymInt>,
    /// Turns of the loops around, each of which is positive here.
    sizes: Vec<SymInt>,
    /// Elements behind a pointer.
    pointers: FxHashMap<LocalId, SymInt>,
    at: usize,
    data: Data,
}

impl<'k> Checker<'k> {
    fn syms(&self) -> &'k SymArena {
        self.symbols.syms
    }

    /// Statements; what a return or a check leaves is a fact for those after it.
    fn block(&mut self, block: &'k Block) -> Result<(), Found> {
        let facts = self.facts.len();
        for statement in block {
            let at = self.at;
            self.at += 1;
            self.statement(statement).map_err(|wrong| (Some(at), wrong))?;
            self.inside(statement)?;
        }
        self.facts.truncate(facts);
        Ok(())
    }

    fn learn(&mut self, condition: ValueId, truth: bool) {
        let condition = self.symbols.value(condition);
        let mut found = Vec::new();
        not_negative(self.symbols.syms, condition, truth, &mut found);
        found.into_iter().for_each(|fact| add(self.symbols.syms, &mut self.facts, fact));
    }

    fn inside(&mut self, statement: &'k Statement) -> Result<(), Found> {
        match statement {
            Statement::Loop(l) => self.loop_(l),
            Statement::If { condition, then, otherwise } => {
                let (facts, before) = (self.facts.len(), self.symbols.known.clone());
                self.learn(*condition, true);
                self.block(then)?;
                self.facts.truncate(facts);
                let after = std::mem::replace(&mut self.symbols.known, before.clone());
                self.learn(*condition, false);
                self.block(otherwise)?;
                self.facts.truncate(facts);
                let other = std::mem::replace(&mut self.symbols.known, before);
                self.merge(*condition, [then, otherwise], [&after, &other]);
                Ok(())
            }
            Statement::Block(block) => self.block(block),
            Statement::Region(region) => self.region(region),
            Statement::ReduceStrips(s) => {
                let syms = self.syms();
                let strips = match (self.symbols.kernel.body.locals[s.array].ty, s.over) {
                    (Type::Array { length, .. }, Over::Above { across, .. }) => {
                        length.count(self.symbols.kernel.lanes) * across * self.symbols.kernel.lanes
                    }
                    _ => 0,
                };
                let columns = syms.constant(strips);
                let column = syms.index_var(self.sizes.len() as u32, columns);
                self.symbols.known.insert(s.place, column);
                self.symbols.forget(s.result);
                self.sizes.push(columns);
                self.block(&s.body)?;
                self.sizes.pop();
                Ok(())
            }
            Statement::LastBlocks(last) => {
                for region in &last.regions {
                    self.block(region)?;
                    self.forget([region]);
                }
                Ok(())
            }
            Statement::Return { when } => {
                self.learn(*when, false);
                Ok(())
            }
            Statement::Check { failed, .. } => {
                self.learn(*failed, false);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A region may be called for every coordinate, and for every run within a row.
    fn region(&mut self, region: &'k Region) -> Result<(), Found> {
        let syms = self.syms();
        let (facts, sizes, known) = (self.facts.len(), self.sizes.len(), self.symbols.known.clone());
        let (mut run, mut counted) = (None, None);
        for parameter in &region.parameters {
            match parameter.is {
                Is::Below(size) | Is::First(size) => {
                    let at = syms.index_var(self.sizes.len() as u32, size);
                    self.symbols.known.insert(parameter.local, at);
                    self.sizes.push(size);
                    self.facts.push(syms.add_const(size, -1));
                    if let Is::First(_) = parameter.is {
                        run = Some((at, size));
                    }
                }
                Is::Count => {
                    let count = syms.symbol("count", Range::new(1, i64::MAX), None);
                    self.symbols.known.insert(parameter.local, count);
                    counted = Some(count);
                    if let Some((first, size)) = run {
                        add(syms, &mut self.facts, syms.sub(syms.sub(size, first), count));
                    }
                }
                Is::Elements { length, .. } => {
                    let length = length.or(counted).unwrap_or_else(|| syms.constant(0));
                    self.pointers.insert(parameter.local, length);
                }
                Is::Value | Is::Place => self.symbols.forget(parameter.local),
            }
        }
        self.forget([&region.body]);
        self.block(&region.body)?;
        self.sizes.truncate(sizes);
        self.facts.truncate(facts);
        self.symbols.known = known;
        self.forget([&region.body]);
        Ok(())
    }

    /// What a template touches of an operand.
    fn operand(&mut self, memory: &Memory) -> Result<(), Wrong> {
        let syms = self.syms();
        let at = memory.at.map_or_else(|| syms.constant(0), |at| self.symbols.value(at));
        let (length, end) = (self.length(&memory.pointer.base), syms.add(at, memory.elements));
        let facts = self.facts.clone();
        if self.holds(at, &facts) && self.holds(syms.sub(length, end), &facts) {
            return Ok(());
        }
        let memory = match memory.pointer.base {
            Base::Buffer(place) => format!("b{place}"),
            _ => String::new(),
        };
        Err(Wrong::Outside { memory, index: syms.display(end), length: syms.display(length) })
    }

    fn forget<const N: usize>(&mut self, blocks: [&Block; N]) {
        let mut assigned = FxHashSet::default();
        blocks.iter().for_each(|block| assignments(self.symbols.kernel, block, &mut assigned));
        assigned.into_iter().for_each(|local| self.symbols.forget(local));
    }

    /// What a condition's blocks have assigned is one or the other.
    fn merge(&mut self, condition: ValueId, blocks: [&Block; 2], known: [&FxHashMap<LocalId, SymInt>; 2]) {
        let condition = self.symbols.value(condition);
        let mut assigned = FxHashSet::default();
        blocks.into_iter().for_each(|block| assignments(self.symbols.kernel, block, &mut assigned));
        for local in assigned {
            match known.map(|known| known.get(&local)) {
                [Some(then), Some(otherwise)] => {
                    let either = self.syms().select(condition, *then, *otherwise);
                    self.symbols.known.insert(local, either);
                }
                _ => self.symbols.forget(local),
            }
        }
    }

    fn loop_(&mut self, l: &'k Loop) -> Result<(), Found> {
        let syms = self.syms();
        let first = match l.first {
            Some(first) => self.symbols.value(first),
            None => self.symbols.value_of(l.variable),
        };
        let bound = self.symbols.value(l.bound);
        let (step, fits) = match l.step {
            Step::One => (1, 1),
            Step::By(n) => (n, 1),
            Step::Vectors(n) => (n * self.symbols.kernel.lanes, n * self.symbols.kernel.lanes),
        };
        // Turn k is taken where first + step * k + fits <= bound.
        let room = syms.add_const(syms.sub(bound, first), step - fits);
        let turns = syms.floordiv(room, syms.constant(step));
        let turn = syms.index_var(self.sizes.len() as u32, turns);
        let variable = syms.add(first, syms.mul_const(turn, step));
        let facts = self.facts.len();
        self.forget([&l.body]);
        self.symbols.known.insert(l.variable, variable);
        self.facts.push(syms.add_const(turns, -1));
        add(syms, &mut self.facts, syms.add_const(syms.sub(bound, variable), -fits));
        self.sizes.push(turns);
        self.block(&l.body)?;
        self.sizes.pop();
        self.facts.truncate(facts);
        self.forget([&l.body]);
        if l.first.is_none() {
            let taken = syms.max(turns, syms.constant(0));
            let after = syms.add(first, syms.mul_const(taken, step));
            self.symbols.known.insert(l.variable, after);
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'k Statement) -> Result<(), Wrong> {
        for value in values(statement) {
            self.loads(value)?;
        }
        match statement {
            Statement::Let { local, value } | Statement::Variable { local, value: Some(value) } => {
                let value = self.symbols.value(*value);
                self.symbols.known.insert(*local, value);
            }
            Statement::Variable { local, value: None } => self.symbols.forget(*local),
            Statement::Assign { place, value } => match self.symbols.kernel.body.values[*place] {
                Value::Local(local) => {
                    let value = self.symbols.value(*value);
                    self.symbols.known.insert(local, value);
                }
                Value::Element(array, at) => {
                    self.loads(at)?;
                    self.element(array, at)?;
                }
                _ => {}
            },
            Statement::FoldArray { into, .. } => self.symbols.forget(*into),
            Statement::Extreme(e) => {
                [Some(e.best), Some(e.place), e.any]
                    .into_iter()
                    .flatten()
                    .for_each(|l| self.symbols.forget(l));
            }
            Statement::Reduction(r) => {
                [Some(r.result), r.result_place].into_iter().flatten().for_each(|l| self.symbols.forget(l));
            }
            Statement::LastBlocks(last) => {
                for s in &last.semaphores {
                    let length = self.length(&Base::Buffer(s.buffer));
                    let (at, facts) = (self.symbols.value(s.at), self.facts.clone());
                    self.within(&format!("b{}", s.buffer), at, length, &facts)?;
                }
                self.symbols.forget(last.ready);
            }
            Statement::Pointer { local, bytes, elements } => self.pointer(*local, *bytes, *elements)?,
            Statement::Store { access, .. } => self.access(access)?,
            Statement::Fetch { held, turn, from, at } => {
                if let Type::Held { width, count, .. } = self.symbols.kernel.body.locals[*held].ty {
                    let (turn, count) = (self.symbols.value(*turn), self.syms().constant(count));
                    let (memory, facts) = (name(self.symbols.kernel, *held), self.facts.clone());
                    self.within(&memory, turn, count, &facts)?;
                    self.run(&from.base, *at, width, true)?;
                }
            }
            Statement::Flush { array, place, to, at, width } => {
                self.run(&to.base, *at, *width, true)?;
                self.run(&Base::Local(*array), *place, *width, false)?;
            }
            Statement::Template(call) => {
                for operand in &call.operands {
                    if let Operand::Memory(memory) = operand {
                        self.operand(memory)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A run of neighbours, at a multiple of their number where it is `aligned`.
    fn run(&mut self, base: &Base, at: ValueId, width: i64, aligned: bool) -> Result<(), Wrong> {
        let syms = self.syms();
        let memory = match base {
            Base::Local(local) => name(self.symbols.kernel, *local),
            Base::Buffer(place) => format!("b{place}"),
            Base::Text(_) => return Err(Wrong::Unfinished),
        };
        let (at, length, facts) = (self.symbols.value(at), self.length(base), self.facts.clone());
        if aligned && !is_multiple(syms, at, width) {
            return Err(Wrong::Unaligned { memory, index: syms.display(at), lanes: width });
        }
        let last = syms.add_const(at, width - 1);
        self.within(&memory, at, length, &facts)?;
        self.within(&memory, last, length, &facts)
    }

    /// Every load below a value.
    fn loads(&mut self, value: ValueId) -> Result<(), Wrong> {
        let kernel = self.symbols.kernel;
        match &kernel.body.values[value] {
            Value::Load(access) => {
                for operand in operands(access) {
                    self.loads(operand)?;
                }
                self.access(access)
            }
            Value::Element(array, at) => {
                self.loads(*at)?;
                self.element(*array, *at)
            }
            // Only the chosen one is computed.
            Value::Index(crate::kernels::IndexOp::Choose, list) => {
                self.loads(list[0])?;
                for (operand, truth) in [(list[1], true), (list[2], false)] {
                    let facts = self.facts.len();
                    self.learn(list[0], truth);
                    self.loads(operand)?;
                    self.facts.truncate(facts);
                }
                Ok(())
            }
            Value::Index(op @ (crate::kernels::IndexOp::And | crate::kernels::IndexOp::Or), list) => {
                let facts = self.facts.len();
                for operand in list {
                    self.loads(*operand)?;
                    self.learn(*operand, *op == crate::kernels::IndexOp::And);
                }
                self.facts.truncate(facts);
                Ok(())
            }
            Value::Index(_, list) | Value::Word(_, list) => list.iter().try_for_each(|v| self.loads(*v)),
            Value::ToIndex(a)
            | Value::ToWide(a)
            | Value::Not(a)
            | Value::Unary(_, a)
            | Value::Cast(_, a)
            | Value::Round(_, a)
            | Value::Splat(a)
            | Value::Fold(_, _, a) => self.loads(*a),
            Value::Binary(_, a, b) => [a, b].into_iter().try_for_each(|v| self.loads(*v)),
            Value::Select(c, a, b) => [c, a, b].into_iter().try_for_each(|v| self.loads(*v)),
            _ => Ok(()),
        }
    }

    fn element(&mut self, array: LocalId, at: ValueId) -> Result<(), Wrong> {
        let Type::Array { length, .. } = self.symbols.kernel.body.locals[array].ty else { return Ok(()) };
        let (at, length) =
            (self.symbols.value(at), self.syms().constant(length.count(self.symbols.kernel.lanes)));
        let (memory, facts) = (name(self.symbols.kernel, array), self.facts.clone());
        self.within(&memory, at, length, &facts)
    }

    fn length(&self, base: &Base) -> SymInt {
        let syms = self.syms();
        let kernel = self.symbols.kernel;
        match base {
            Base::Buffer(place) => {
                let b = &kernel.buffers[*place];
                if b.sizes.iter().any(|n| syms.as_const(*n) == Some(0)) {
                    return syms.constant(0);
                }
                let last = b.sizes.iter().zip(&b.strides);
                let last: Vec<SymInt> =
                    last.map(|(size, stride)| syms.mul(syms.add_const(*size, -1), *stride)).collect();
                syms.add_const(syms.sum(&last), 1)
            }
            Base::Local(local) => match kernel.body.locals[*local].ty {
                Type::Array { length, .. } => syms.constant(length.count(kernel.lanes)),
                _ => self.pointers.get(local).copied().unwrap_or_else(|| syms.constant(0)),
            },
            Base::Text(_) => syms.constant(0),
        }
    }

    /// A pointer reaches from where it points to the end of its space.
    fn pointer(&mut self, local: LocalId, bytes: ValueId, elements: Option<ValueId>) -> Result<(), Wrong> {
        let syms = self.syms();
        let Type::Pointer { dtype, space } = self.symbols.kernel.body.locals[local].ty else { return Ok(()) };
        let all = match (&self.symbols.kernel.launch, space) {
            (Launch::Cpu { scratch, .. }, Space::Scratch) => *scratch,
            (Launch::Gpu { shared, .. }, Space::DynamicShared) => *shared,
            _ => return Err(Wrong::OtherMachine { what: "the memory" }),
        };
        let size = dtype.size() as i64;
        let bytes = self.symbols.value(bytes);
        let more = elements.map_or_else(|| syms.constant(0), |e| self.symbols.value(e));
        let (memory, facts) = (name(self.symbols.kernel, local), self.facts.clone());
        if !is_multiple(syms, bytes, size) {
            return Err(Wrong::UnalignedPointer { memory, first: syms.display(bytes), size });
        }
        let first = syms.add(bytes, syms.mul_const(more, size));
        if !self.holds(first, &facts) {
            let (index, length) = (syms.display(first), syms.display(all));
            return Err(Wrong::Outside { memory, index, length });
        }
        let length = syms.floordiv(syms.sub(all, first), syms.constant(size));
        self.pointers.insert(local, length);
        Ok(())
    }

    fn access(&mut self, access: &Access) -> Result<(), Wrong> {
        let syms = self.syms();
        let kernel = self.symbols.kernel;
        let memory = match &access.pointer.base {
            Base::Buffer(place) => format!("b{place}"),
            Base::Local(local) => name(kernel, *local),
            Base::Text(_) => return Err(Wrong::Unfinished),
        };
        let origin = access.pointer.origin.map(|o| self.symbols.value(o));
        let at = self.symbols.value(access.at);
        let at = origin.map_or(at, |origin| syms.sub(at, origin));
        let (lane, lanes) = (self.symbols.lane(), kernel.lanes);
        // Lanes below this take part.
        let mut count = None;
        let mut facts = self.facts.clone();
        let mut masked = |mask: ValueId| {
            let condition = self.symbols.value(mask);
            let mut found = Vec::new();
            not_negative(syms, condition, true, &mut found);
            // A fact `rest - lane >= 0` says that lanes up to `rest` take part.
            let below = |fact: &SymInt| {
                let (coefficient, rest) = syms.linear_in_atom(*fact, lane)?;
                (syms.as_const(coefficient) == Some(-1)).then(|| syms.add_const(rest, 1))
            };
            let count = found.iter().find_map(below);
            found.into_iter().for_each(|fact| add(syms, &mut facts, fact));
            count
        };
        let at = match access.shape {
            Shape::Element => at,
            Shape::Vector { aligned } => {
                if aligned && !is_multiple(syms, at, lanes) {
                    return Err(Wrong::Unaligned { memory, index: syms.display(at), lanes });
                }
                syms.add(at, lane)
            }
            Shape::Tail { count: n } => {
                count = Some(self.symbols.value(n));
                syms.add(at, lane)
            }
            Shape::Where { mask } => {
                count = masked(mask);
                syms.add(at, lane)
            }
            // The place of a scatter is that of a lane already.
            Shape::ElementWhere { mask } | Shape::Each { mask } => {
                count = masked(mask);
                at
            }
            Shape::Strided { step, count: n } => {
                count = n.map(|n| self.symbols.value(n));
                syms.add(at, syms.mul(lane, self.symbols.value(step)))
            }
        };
        // What data give is bound where the loops are made: by their own proofs, or by a check that the program has.
        if self.data == Data::BoundByLoops && self.symbols.is_of_data(at) {
            return Ok(());
        }
        let length = self.length(&access.pointer.base);
        if let Some(count) = count {
            add(syms, &mut facts, syms.add_const(count, -1));
            // A linear offset is least and greatest in the first and in the last lane that takes part.
            if let Some((step, rest)) = syms.linear_in_atom(at, lane) {
                let last = syms.add(rest, syms.mul(step, syms.add_const(count, -1)));
                let both =
                    [rest, last].into_iter().all(|at| self.within(&memory, at, length, &facts).is_ok());
                if both {
                    return Ok(());
                }
            }
            add(syms, &mut facts, syms.add_const(syms.sub(count, lane), -1));
        }
        self.within(&memory, at, length, &facts)
    }

    fn within(&mut self, memory: &str, at: SymInt, length: SymInt, facts: &[SymInt]) -> Result<(), Wrong> {
        let syms = self.syms();
        let rest = syms.add_const(syms.sub(length, at), -1);
        if self.holds(at, facts) && self.holds(rest, facts) {
            return Ok(());
        }
        let (index, length) = (syms.display(at), syms.display(length));
        Err(Wrong::Outside { memory: memory.to_string(), index, length })
    }

    fn holds(&mut self, e: SymInt, facts: &[SymInt]) -> bool {
        self.prover.enter(&self.sizes);
        if self.prover.prove(e, facts, &[]) == Proof::Holds {
            return true;
        }
        // A place and the quotient that it is counted from belong together.
        let (e, facts) = super::facts::divided(self.prover.syms, e, facts);
        let Some(facts) = facts else { return false };
        let near = super::facts::about(self.prover.syms, e, &facts);
        [near, facts].iter().any(|facts| self.prover.prove(e, facts, &[]) == Proof::Holds)
    }
}

impl Symbols<'_> {
    fn value_of(&mut self, local: LocalId) -> SymInt {
        if !self.known.contains_key(&local) {
            self.forget(local);
        }
        self.known[&local]
    }
}
