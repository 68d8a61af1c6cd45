//! Every access within its memory, for all sizes in range, and aligned where it says so.

mod goals;

use super::facts::{add, is_multiple};
use super::parts::{assignments, values};
use super::symbolic::{Symbols, TASK};
use super::{Data, Found, Wrong, name};
use crate::base::{HashMap, HashSet};
use crate::kernels::{
    Access, Base, Block, ConvolutionForm, Is, Kernel, Launch, LocalId, Loop, Memory, Operand, Over, Region,
    Routine, Shape, Space, Statement, Step, TemplateCall, Type, Value, ValueId, reach,
};
use crate::loops::{Prover, not_negative};
use crate::types::{Dtype, Range, SymArena, SymInt};

/// Returns the number of accesses that only the loops' proof covers.
pub(super) fn check(syms: &SymArena, kernel: &Kernel, data: Data) -> Result<usize, Found> {
    let mut checker = Checker {
        symbols: Symbols::new(syms, kernel),
        prover: Prover::new(syms),
        facts: Vec::new(),
        conditions: Vec::new(),
        sizes: Vec::new(),
        pointers: HashMap::default(),
        at: 0,
        data,
        open: 0,
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
    checker.block(&kernel.body.block)?;
    Ok(checker.open)
}

/// The dtype of an access's memory.
pub(super) fn dtype(kernel: &Kernel, access: &Access) -> Dtype {
    match access.pointer.base {
        Base::Buffer(place) => kernel.buffers.get(place).map_or(Dtype::Int64, |b| b.dtype),
        Base::Local(local) => match kernel.body.locals[local].ty {
            Type::Array { dtype, .. } | Type::Pointer { dtype, .. } => dtype,
            _ => Dtype::Int64,
        },
    }
}

struct Checker<'k> {
    symbols: Symbols<'k>,
    prover: Prover<'k>,
    /// Expressions that are not negative here.
    facts: Vec<SymInt>,
    /// The conditions that the facts were learned from, each as an expression that is not negative: the condition minus 1.
    conditions: Vec<SymInt>,
    /// Turns of the loops around, each of which is positive here.
    sizes: Vec<SymInt>,
    /// Elements behind a pointer.
    pointers: HashMap<LocalId, SymInt>,
    at: usize,
    data: Data,
    /// The number of accesses that are neither proved nor refuted: the loops' proof covers them.
    open: usize,
}

impl<'k> Checker<'k> {
    fn syms(&self) -> &'k SymArena {
        self.symbols.syms
    }

    /// The number of facts and conditions at this place; [`Self::back`] forgets those that come later.
    fn mark(&self) -> (usize, usize) {
        (self.facts.len(), self.conditions.len())
    }
    fn back(&mut self, (facts, conditions): (usize, usize)) {
        self.facts.truncate(facts);
        self.conditions.truncate(conditions);
    }

    /// Statements; what a return or a check leaves is a fact for those after it.
    fn block(&mut self, block: &'k Block) -> Result<(), Found> {
        let facts = self.mark();
        for statement in block {
            let at = self.at;
            self.at += 1;
            self.statement(statement).map_err(|wrong| (Some(at), wrong))?;
            self.inside(statement)?;
        }
        self.back(facts);
        Ok(())
    }

    fn learn(&mut self, condition: ValueId, truth: bool) {
        let (syms, condition) = (self.symbols.syms, self.symbols.value(condition));
        let whole = if truth { condition } else { syms.not(condition) };
        self.conditions.push(syms.add_const(whole, -1));
        let mut found = Vec::new();
        not_negative(syms, condition, truth, &mut found);
        found.into_iter().for_each(|fact| add(self.symbols.syms, &mut self.facts, fact));
    }

    fn inside(&mut self, statement: &'k Statement) -> Result<(), Found> {
        match statement {
            Statement::Loop(l) => self.loop_(l),
            Statement::If { condition, then, otherwise } => {
                let (facts, before) = (self.mark(), self.symbols.known.clone());
                self.learn(*condition, true);
                self.block(then)?;
                self.back(facts);
                let after = std::mem::replace(&mut self.symbols.known, before.clone());
                self.learn(*condition, false);
                self.block(otherwise)?;
                self.back(facts);
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
        let (facts, sizes, known) = (self.mark(), self.sizes.len(), self.symbols.known.clone());
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
                Is::Step { size, of } => {
                    let steps = syms.floordiv(size, syms.constant(of));
                    let at = syms.mul_const(syms.index_var(self.sizes.len() as u32, steps), of);
                    self.symbols.known.insert(parameter.local, at);
                    self.sizes.push(steps);
                    self.facts.push(syms.sub(syms.add_const(size, -of), at));
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
        self.back(facts);
        self.symbols.known = known;
        self.forget([&region.body]);
        Ok(())
    }

    /// Checks what a template touches of an operand. It touches nothing of an operand without elements.
    fn operand(&mut self, memory: &Memory) -> Result<(), Wrong> {
        let syms = self.syms();
        if syms.as_const(memory.elements) == Some(0) {
            return Ok(());
        }
        let at = memory.at.map_or_else(|| syms.constant(0), |at| self.symbols.value(at));
        let (length, end) = (self.length(&memory.pointer.base), syms.add(at, memory.elements));
        let name = match memory.pointer.base {
            Base::Buffer(place) => format!("b{place}"),
            _ => String::new(),
        };
        let mut facts = self.facts.clone();
        add(syms, &mut facts, syms.add_const(memory.elements, -1));
        self.decide(&name, [at, syms.sub(length, end)], (end, length), &facts)
    }

    /// A convolution that reads its image as a matrix has no place that the image lacks.
    fn as_the_image_lies(&mut self, call: &TemplateCall) -> Result<(), Wrong> {
        let facts = self.facts.clone();
        // Heights, then widths.
        for [image, result] in [[4, 6], [5, 7]] {
            let [image, result] = [image, result].map(|k| self.symbols.value(call.numbers[k]));
            let syms = self.syms();
            let (room, last) = (syms.sub(image, result), syms.add_const(result, -1));
            self.decide("the image", [room, room], (last, image), &facts)?;
        }
        Ok(())
    }

    fn forget<const N: usize>(&mut self, blocks: [&Block; N]) {
        let mut assigned = HashSet::default();
        blocks.iter().for_each(|block| assignments(self.symbols.kernel, block, &mut assigned));
        assigned.into_iter().for_each(|local| self.symbols.forget(local));
    }

    /// What a condition's blocks have assigned is one or the other.
    fn merge(&mut self, condition: ValueId, blocks: [&Block; 2], known: [&HashMap<LocalId, SymInt>; 2]) {
        let condition = self.symbols.value(condition);
        let mut assigned = HashSet::default();
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
        // Calls share all tasks out: together they take each.
        let tasks = match (&self.symbols.kernel.launch, l.step) {
            (Launch::Cpu { tasks, .. }, Step::One)
                if first == self.symbols.begin && bound == self.symbols.end =>
            {
                Some(*tasks)
            }
            _ => None,
        };
        let (first, bound) = tasks.map_or((first, bound), |tasks| (syms.constant(0), tasks));
        let (step, fits) = match l.step {
            Step::One => (1, 1),
            Step::By(n) => (n, 1),
            Step::Vectors(n) => (n * self.symbols.kernel.lanes, n * self.symbols.kernel.lanes),
        };
        // Turn k is taken where first + step * k + fits <= bound.
        let room = syms.add_const(syms.sub(bound, first), step - fits);
        let turns = syms.floordiv(room, syms.constant(step));
        let position = if tasks.is_some() { TASK } else { self.sizes.len() as u32 };
        let turn = syms.index_var(position, turns);
        let variable = syms.add(first, syms.mul_const(turn, step));
        let facts = self.mark();
        self.forget([&l.body]);
        self.symbols.known.insert(l.variable, variable);
        self.facts.push(syms.add_const(turns, -1));
        add(syms, &mut self.facts, syms.add_const(syms.sub(bound, variable), -fits));
        self.sizes.push(turns);
        self.block(&l.body)?;
        self.sizes.pop();
        self.back(facts);
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
            Statement::Transpose { array, first } => {
                self.run(&Base::Local(*array), *first, self.symbols.kernel.lanes, false)?;
            }
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
            Statement::Store { access, .. } | Statement::Scatter { access, .. } => self.access(access)?,
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
                if let Routine::Convolution { form: ConvolutionForm::Product, .. } = call.routine {
                    self.as_the_image_lies(call)?;
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
        };
        let (at, length, facts) = (self.symbols.value(at), self.length(base), self.facts.clone());
        if aligned && !is_multiple(syms, at, width) {
            return Err(Wrong::Unaligned { memory, index: self.shown(at), lanes: width });
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
                access.operands().into_iter().try_for_each(|operand| self.loads(operand))?;
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
                    let facts = self.mark();
                    self.learn(list[0], truth);
                    self.loads(operand)?;
                    self.back(facts);
                }
                Ok(())
            }
            Value::Index(op @ (crate::kernels::IndexOp::And | crate::kernels::IndexOp::Or), list) => {
                let facts = self.mark();
                for operand in list {
                    self.loads(*operand)?;
                    self.learn(*operand, *op == crate::kernels::IndexOp::And);
                }
                self.back(facts);
                Ok(())
            }
            other => other.operands().into_iter().try_for_each(|operand| self.loads(operand)),
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
                reach(syms, &b.sizes, &b.strides)
            }
            Base::Local(local) => match kernel.body.locals[*local].ty {
                Type::Array { length, .. } => syms.constant(length.count(kernel.lanes)),
                _ => self.pointers.get(local).copied().unwrap_or_else(|| syms.constant(0)),
            },
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
            return Err(Wrong::UnalignedPointer { memory, first: self.shown(bytes), size });
        }
        let first = syms.add(bytes, syms.mul_const(more, size));
        if !self.holds(first, &facts) {
            let (index, length) = (self.shown(first), self.shown(all));
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
        };
        let origin = access.pointer.origin.map(|o| self.symbols.value(o));
        let at = self.symbols.value(access.at);
        let at = origin.map_or(at, |origin| syms.sub(at, origin));
        let (lane, lanes) = (self.symbols.lane(), kernel.lanes);
        // Lanes below this take part.
        let mut count = None;
        let (mut facts, given) = (self.facts.clone(), self.mark());
        let conditions = &mut self.conditions;
        let mut masked = |mask: ValueId| {
            let condition = self.symbols.value(mask);
            conditions.push(syms.add_const(condition, -1));
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
                    return Err(Wrong::Unaligned { memory, index: self.shown(at), lanes });
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
            self.back(given);
            return Ok(());
        }
        let length = self.length(&access.pointer.base);
        if let Some(count) = count {
            add(syms, &mut facts, syms.add_const(count, -1));
            // A linear offset is least and greatest in the first and in the last lane that takes part.
            if let Some((step, rest)) = syms.linear_in_atom(at, lane) {
                let last = syms.add(rest, syms.mul(step, syms.add_const(count, -1)));
                let both = [rest, last].into_iter().all(|at| {
                    let left = syms.add_const(syms.sub(length, at), -1);
                    self.proved(at, &facts) && self.proved(left, &facts)
                });
                if both {
                    self.back(given);
                    return Ok(());
                }
            }
            add(syms, &mut facts, syms.add_const(syms.sub(count, lane), -1));
        }
        let within = self.within(&memory, at, length, &facts);
        self.back(given);
        within
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
