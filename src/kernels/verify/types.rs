//! Definitions, uses and types of statements.

mod attention;
mod calls;
mod order;
mod products;
mod values;

use super::{Found, Wrong, name};
use crate::base::{HashMap, HashSet};
use crate::kernels::text::{self, type_text};
use crate::kernels::{
    Access, Base, Block, Boxes, Is, Kernel, Launch, Length, LocalId, Operand, Over, Parameter, Pointer,
    Region, Role, Shape, Space, Statement, Step, TemplateCall, Type, Value, ValueId, each_statement,
};
use crate::types::{Dtype, SymArena};
use calls::Call;

/// What is read or written whole lies in a buffer.
const NO_BUFFER: Wrong = Wrong::Misplaced { what: "memory of a thread" };
const CONDITION: Type = Type::Scalar(Dtype::Bool);
const MASK: Type = Type::Vector(Dtype::Bool);

pub(super) fn check(syms: &SymArena, kernel: &Kernel) -> Result<(), Found> {
    let mut checker = Checker {
        syms,
        kernel,
        visible: HashSet::default(),
        defined: HashSet::default(),
        variables: HashSet::default(),
        written: HashSet::default(),
        kept: HashSet::default(),
        gives: None,
        regions: HashMap::default(),
        at: 0,
    };
    each_statement(&kernel.body.block, &mut |statement| {
        if let Statement::Region(region) = statement {
            checker.regions.insert(region.local, region);
        }
    });
    checker.block(&kernel.body.block)?;
    for (place, parameter) in kernel.buffers.iter().enumerate() {
        let promised = !matches!(parameter.role, Role::Input | Role::Workspace);
        let is_empty = parameter.sizes.iter().any(|n| syms.as_const(*n) == Some(0));
        if promised && !is_empty && !checker.written.contains(&place) {
            return Err((None, Wrong::NeverWritten { memory: format!("b{place}") }));
        }
    }
    Ok(())
}

/// The type of an element in a register.
pub(super) fn register(dtype: Dtype) -> Dtype {
    if dtype.is_reduced_float() { Dtype::Float32 } else { dtype }
}

struct Checker<'k> {
    syms: &'k SymArena,
    kernel: &'k Kernel,
    visible: HashSet<LocalId>,
    defined: HashSet<LocalId>,
    variables: HashSet<LocalId>,
    written: HashSet<usize>,
    /// Elements that a region reads alone.
    kept: HashSet<LocalId>,
    /// The type of the result of the region around.
    gives: Option<Type>,
    regions: HashMap<LocalId, &'k Region>,
    /// The number of the next statement.
    at: usize,
}

type Checked<T> = Result<T, Wrong>;

/// Integers that are indexed with may have a dtype of their own, and are converted.
fn expect(what: &'static str, found: Type, expected: Type) -> Checked<()> {
    let integer = |ty| matches!(ty, Type::Index | Type::Scalar(Dtype::Int32 | Dtype::Int64));
    let index = found == Type::Index || expected == Type::Index;
    if registers(found) == registers(expected) || index && integer(found) && integer(expected) {
        return Ok(());
    }
    Err(Wrong::Type { what, found: type_text(found), expected: type_text(expected) })
}
/// An integer holds where it is not 0.
fn condition(found: Type) -> Checked<()> {
    if found == Type::Index { Ok(()) } else { expect("an operand", found, CONDITION) }
}
fn registers(ty: Type) -> Type {
    match ty {
        Type::Scalar(dtype) => Type::Scalar(register(dtype)),
        Type::Vector(dtype) => Type::Vector(register(dtype)),
        other => other,
    }
}

impl Checker<'_> {
    fn block(&mut self, block: &Block) -> Result<(), Found> {
        let outer = self.visible.clone();
        for statement in block {
            let at = self.at;
            self.at += 1;
            self.statement(statement).map_err(|wrong| (Some(at), wrong))?;
            self.inside(statement)?;
        }
        self.visible = outer;
        Ok(())
    }

    fn inside(&mut self, statement: &Statement) -> Result<(), Found> {
        match statement {
            Statement::Loop(l) => {
                let outer = self.visible.clone();
                if l.first.is_some() {
                    self.visible.insert(l.variable);
                }
                self.block(&l.body)?;
                self.visible = outer;
                Ok(())
            }
            Statement::If { then, otherwise, .. } => {
                self.block(then)?;
                self.block(otherwise)
            }
            Statement::Block(block) => self.block(block),
            Statement::ReduceStrips(strips) => {
                let outer = self.visible.clone();
                self.visible.extend([strips.place, strips.result]);
                self.block(&strips.body)?;
                self.visible = outer;
                Ok(())
            }
            Statement::Region(region) => {
                let (outer, gives) = (self.visible.clone(), self.gives);
                for parameter in &region.parameters {
                    self.visible.insert(parameter.local);
                    if parameter.is == Is::Place {
                        self.variables.insert(parameter.local);
                    }
                    if let Is::Elements { written: false, .. } = parameter.is {
                        self.kept.insert(parameter.local);
                    }
                }
                self.gives = region.gives;
                self.block(&region.body)?;
                (self.visible, self.gives) = (outer, gives);
                self.visible.insert(region.local);
                Ok(())
            }
            Statement::LastBlocks(last) => last.regions.iter().try_for_each(|r| self.block(r)),
            _ => Ok(()),
        }
    }

    fn define(&mut self, local: LocalId) -> Checked<()> {
        if !self.defined.insert(local) {
            return Err(Wrong::DefinedTwice { local: name(self.kernel, local) });
        }
        self.visible.insert(local);
        Ok(())
    }
    fn ty(&self, local: LocalId) -> Type {
        self.kernel.body.locals[local].ty
    }
    fn used(&self, local: LocalId) -> Checked<Type> {
        match self.visible.contains(&local) {
            true => Ok(self.ty(local)),
            false => Err(Wrong::Undefined { local: name(self.kernel, local) }),
        }
    }
    fn variable(&self, local: LocalId) -> Checked<Type> {
        let ty = self.used(local)?;
        match self.variables.contains(&local) {
            true => Ok(ty),
            false => Err(Wrong::NotAVariable { local: name(self.kernel, local) }),
        }
    }

    fn statement(&mut self, statement: &Statement) -> Checked<()> {
        match statement {
            Statement::Let { local, value } => {
                expect("the value", self.value(*value)?, self.ty(*local))?;
                self.define(*local)
            }
            Statement::Variable { local, value } => {
                if let Some(value) = value {
                    expect("the value", self.value(*value)?, self.ty(*local))?;
                }
                self.variables.insert(*local);
                self.define(*local)
            }
            Statement::Assign { place, value } => {
                let place = match self.kernel.body.values[*place] {
                    Value::Local(local) => self.variable(local)?,
                    Value::Element(..) => self.value(*place)?,
                    _ => {
                        return Err(Wrong::Type {
                            what: "the place",
                            found: text::value(self.syms, self.kernel, *place),
                            expected: "a variable or an element".to_string(),
                        });
                    }
                };
                expect("the value", self.value(*value)?, place)
            }
            Statement::Array { local, fill: None } if matches!(self.ty(*local), Type::Held { .. }) => {
                self.define(*local)
            }
            Statement::Array { local, fill } => {
                let Type::Array { dtype, vectors, .. } = self.ty(*local) else {
                    return Err(self.other("the local", self.ty(*local), "an array"));
                };
                if let Some(fill) = fill {
                    expect("the filling", self.value(*fill)?, Type::of(dtype, vectors))?;
                }
                self.define(*local)
            }
            Statement::Pointer { local, bytes, elements } => {
                if !matches!(self.ty(*local), Type::Pointer { .. }) {
                    return Err(self.other("the local", self.ty(*local), "a pointer"));
                }
                expect("the place", self.value(*bytes)?, Type::Index)?;
                if let Some(elements) = elements {
                    expect("the place", self.value(*elements)?, Type::Index)?;
                }
                self.define(*local)
            }
            Statement::Store { access, value } => {
                let ty = self.access(access)?;
                expect("the stored value", self.value(*value)?, ty)?;
                if let Base::Local(local) = access.pointer.base
                    && self.kept.contains(&local)
                {
                    return Err(Wrong::WritesInput { memory: name(self.kernel, local) });
                }
                if let Base::Buffer(place) = access.pointer.base {
                    if !self.kernel.buffers[place].role.is_written() {
                        return Err(Wrong::WritesInput { memory: format!("b{place}") });
                    }
                    self.written.insert(place);
                }
                Ok(())
            }
            Statement::Scatter { access, value, .. } => self.scatter(access, *value),
            Statement::Loop(l) => {
                let ty = match l.first {
                    Some(first) => {
                        self.value(first)?;
                        if !self.defined.insert(l.variable) {
                            return Err(Wrong::DefinedTwice { local: name(self.kernel, l.variable) });
                        }
                        self.ty(l.variable)
                    }
                    None => self.variable(l.variable)?,
                };
                if !matches!(ty, Type::Index | Type::Scalar(Dtype::Int32 | Dtype::Int64)) {
                    return Err(self.other("the variable of the loop", ty, "an integer"));
                }
                expect("the bound", self.value(l.bound)?, Type::Index)?;
                match l.step {
                    Step::By(step) | Step::Vectors(step) if step < 1 => Err(Wrong::Step { step }),
                    _ => Ok(()),
                }
            }
            Statement::If { condition, .. } => expect("the condition", self.value(*condition)?, CONDITION),
            Statement::Prefetch { pointer, at } => {
                let access = Access { pointer: pointer.clone(), at: *at, shape: Shape::Element };
                self.access(&access).map(|_| ())
            }
            Statement::Block(_) | Statement::Barrier(_) => Ok(()),
            Statement::Check { failed, .. } => expect("the condition", self.value(*failed)?, CONDITION),
            Statement::FoldArray { dtype, array, into, .. } => {
                let Type::Array { dtype: found, vectors, .. } = self.used(*array)? else {
                    return Err(self.other("what is folded", self.ty(*array), "an array"));
                };
                expect("the array's element", Type::Scalar(found), Type::Scalar(*dtype))?;
                expect("the variable", self.variable(*into)?, Type::of(found, vectors))
            }
            Statement::Transpose { array, first } => {
                expect("the first vector", self.value(*first)?, Type::Index)?;
                match (self.used(*array)?, &self.kernel.launch) {
                    (found, Launch::Gpu { .. }) => {
                        Err(self.other("what is transposed", found, "a CPU's vectors"))
                    }
                    (Type::Array { dtype, vectors: true, space: Space::Registers, .. }, _)
                        if matches!(register(dtype).size(), 2 | 4) =>
                    {
                        Ok(())
                    }
                    (found, _) => Err(self.other(
                        "what is transposed",
                        found,
                        "an array in registers, of vectors whose lanes have 16 or 32 bits",
                    )),
                }
            }
            Statement::Extreme(e) => {
                expect("the best so far", self.variable(e.best)?, Type::Scalar(e.dtype))?;
                self.variable(e.place)?;
                if let Some(any) = e.any {
                    expect("whether there is one", self.variable(any)?, CONDITION)?;
                }
                self.value(e.position)?;
                expect("the value", self.value(e.value)?, Type::Scalar(e.dtype))
            }
            Statement::Return { when } => expect("the condition", self.value(*when)?, CONDITION),
            Statement::Reduction(r) => {
                let found = self.value(r.value)?;
                let expected = match (r.over, found) {
                    (Over::Above { .. }, Type::Vector(_)) => Type::Vector(r.dtype),
                    _ => Type::Scalar(r.dtype),
                };
                expect("the thread's part", found, expected)?;
                expect("the result", self.ty(r.result), expected)?;
                if let Some(place) = r.place {
                    self.value(place)?;
                }
                if let Some(workspace) = r.workspace
                    && !matches!(self.used(workspace)?, Type::Array { .. } | Type::Pointer { .. })
                {
                    return Err(self.other("the workspace", self.ty(workspace), "an array"));
                }
                self.define(r.result)?;
                r.result_place.map_or(Ok(()), |place| self.define(place))
            }
            Statement::LastBlocks(last) => {
                for s in &last.semaphores {
                    let Some(parameter) = self.kernel.buffers.get(s.buffer) else {
                        return Err(Wrong::Missing { what: "buffer", place: s.buffer });
                    };
                    if parameter.role != Role::Semaphores {
                        let (found, expected) = (format!("{:?}", parameter.role), "Semaphores".to_string());
                        return Err(Wrong::Type { what: "the role of the buffer", found, expected });
                    }
                    self.written.insert(s.buffer);
                    expect("the semaphore's place", self.value(s.at)?, Type::Index)?;
                    expect("the number of blocks", self.value(s.blocks)?, Type::Index)?;
                }
                let (semaphores, regions) = (last.semaphores.len(), last.regions.len());
                if semaphores != regions {
                    return Err(Wrong::Regions { semaphores, regions });
                }
                self.define(last.ready)
            }
            Statement::FoldRows { .. }
            | Statement::Fetch { .. }
            | Statement::PutSquare { .. }
            | Statement::Flush { .. }
            | Statement::ReduceStrips(_) => self.shared(statement),
            Statement::Region(region) => {
                for parameter in &region.parameters {
                    self.parameter(parameter)?;
                }
                if !self.defined.insert(region.local) {
                    return Err(Wrong::DefinedTwice { local: name(self.kernel, region.local) });
                }
                Ok(())
            }
            Statement::Give(value) => match self.gives {
                Some(ty) => expect("the result of the region", self.value(*value)?, ty),
                None => Err(Wrong::Misplaced { what: "a result" }),
            },
            Statement::Template(call) => self.template(call),
        }
    }

    /// What threads do together in shared memory.
    fn shared(&mut self, statement: &Statement) -> Checked<()> {
        match statement {
            Statement::FoldRows { dtype, array, .. } => match self.used(*array)? {
                Type::Array { dtype: found, vectors: false, length: Length::Known(n), .. } => {
                    expect("the array's element", Type::Scalar(found), Type::Scalar(*dtype))?;
                    match 1 < n && n <= 32 && 32 % n == 0 {
                        true => Ok(()),
                        false => Err(Wrong::Square { what: "rows of a warp's 32 threads", found: n }),
                    }
                }
                found => Err(self.other("what is folded", found, "an array of scalars")),
            },
            Statement::Fetch { held, turn, from, at } => {
                let dtype = self.buffer(from)?;
                expect("the turn", self.value(*turn)?, Type::Index)?;
                expect("the offset", self.value(*at)?, Type::Index)?;
                match self.used(*held)? {
                    Type::Held { dtype: found, .. } if found == dtype => Ok(()),
                    found => Err(self.other("what is held", found, &format!("runs of {dtype}"))),
                }
            }
            Statement::PutSquare { held, array, side, threads } => {
                match (self.used(*held)?, self.used(*array)?) {
                    (
                        Type::Held { dtype, width, count },
                        Type::Array { dtype: found, vectors: false, length, space: Space::Shared },
                    ) if dtype == found => {
                        let whole = width > 0 && side % width == 0 && threads * count * width == side * side;
                        match whole && length.count(self.kernel.lanes) >= side * (side + 1) {
                            true => Ok(()),
                            false => Err(Wrong::Square { what: "a side of the square", found: *side }),
                        }
                    }
                    (_, found) => Err(self.other("the square", found, "an array in shared memory")),
                }
            }
            Statement::Flush { array, place, to, at, .. } => {
                let dtype = self.buffer(to)?;
                if let Base::Buffer(place) = to.base {
                    if !self.kernel.buffers[place].role.is_written() {
                        return Err(Wrong::WritesInput { memory: format!("b{place}") });
                    }
                    self.written.insert(place);
                }
                expect("the place", self.value(*place)?, Type::Index)?;
                expect("the offset", self.value(*at)?, Type::Index)?;
                match self.used(*array)? {
                    Type::Array { dtype: found, vectors: false, .. } if found == dtype => Ok(()),
                    found => Err(self.other("the square", found, &format!("an array of {dtype}"))),
                }
            }
            Statement::ReduceStrips(s) => {
                let Type::Array { dtype, vectors: true, .. } = self.used(s.array)? else {
                    return Err(self.other("what is reduced", self.ty(s.array), "an array of vectors"));
                };
                expect("the array's element", Type::Scalar(dtype), Type::Scalar(s.dtype))?;
                self.used(s.workspace)?;
                for local in [s.place, s.result] {
                    if !self.defined.insert(local) {
                        return Err(Wrong::DefinedTwice { local: name(self.kernel, local) });
                    }
                }
                expect("the result", self.ty(s.result), Type::Scalar(s.dtype))
            }
            _ => Ok(()),
        }
    }
    fn buffer(&self, pointer: &Pointer) -> Checked<Dtype> {
        let Base::Buffer(place) = pointer.base else { return Err(NO_BUFFER) };
        let parameter = self.kernel.buffers.get(place);
        parameter.map(|b| b.dtype).ok_or(Wrong::Missing { what: "buffer", place })
    }

    fn parameter(&mut self, parameter: &Parameter) -> Checked<()> {
        if !self.defined.insert(parameter.local) {
            return Err(Wrong::DefinedTwice { local: name(self.kernel, parameter.local) });
        }
        let ty = self.ty(parameter.local);
        let (fits, expected) = match parameter.is {
            Is::Below(_) | Is::First(_) | Is::Count => (ty == Type::Index, "index"),
            Is::Step { of, .. } => (ty == Type::Index && of > 0, "index"),
            Is::Elements { .. } => (matches!(ty, Type::Pointer { space: Space::Lent, .. }), "a lent pointer"),
            Is::Value => (matches!(ty, Type::Scalar(_)), "a number"),
            Is::Place => (matches!(ty, Type::Scalar(_) | Type::Index), "a number or index"),
        };
        if fits { Ok(()) } else { Err(self.other("the parameter", ty, expected)) }
    }

    /// Values are taken into a result that holds something before.
    fn scatter(&mut self, access: &Access, value: ValueId) -> Checked<()> {
        if let Launch::Cpu { .. } = self.kernel.launch {
            return Err(Wrong::OtherMachine { what: "the scatter" });
        }
        if access.shape != Shape::Element {
            let (found, expected) = ("more than one element".to_string(), "one".to_string());
            return Err(Wrong::Type { what: "what is scattered to", found, expected });
        }
        let ty = self.access(access)?;
        expect("the value", self.value(value)?, ty)?;
        let parameter = match access.pointer.base {
            Base::Buffer(place) if access.pointer.bits.is_none() => Some(place),
            _ => None,
        };
        let role = parameter.and_then(|place| self.kernel.buffers.get(place)).map(|b| b.role);
        if role != Some(Role::Combined) {
            let found = role.map_or("no buffer".to_string(), |role| format!("{role:?}"));
            let expected = "Combined".to_string();
            return Err(Wrong::Type { what: "the role of the buffer", found, expected });
        }
        self.written.extend(parameter);
        Ok(())
    }

    fn template(&mut self, call: &TemplateCall) -> Checked<()> {
        let called = Call { syms: self.syms, kernel: self.kernel, regions: &self.regions, call };
        products::check(&called)?;
        attention::check(&called)?;
        order::check(&called)?;
        for operand in &call.operands {
            match operand {
                Operand::Absent => {}
                Operand::Region(region) => {
                    self.used(*region)?;
                }
                Operand::Boxes(Boxes { map, at, written }) => {
                    if let Some(at) = at {
                        self.used(*at)?;
                    }
                    let buffer = self.kernel.maps.get(*map).map(|map| map.buffer);
                    let place = self.kernel.buffers.iter().position(|b| Some(b.buffer) == buffer);
                    let Some(place) = place else { return Err(Wrong::Missing { what: "map", place: *map }) };
                    if *written {
                        if !self.kernel.buffers[place].role.is_written() {
                            return Err(Wrong::WritesInput { memory: format!("b{place}") });
                        }
                        self.written.insert(place);
                    }
                }
                Operand::Memory(memory) | Operand::Rows(memory, _) => {
                    if let Operand::Rows(_, at) = operand {
                        self.used(*at)?;
                    }
                    let Base::Buffer(place) = memory.pointer.base else { return Err(NO_BUFFER) };
                    let Some(parameter) = self.kernel.buffers.get(place) else {
                        return Err(Wrong::Missing { what: "buffer", place });
                    };
                    let (found, expected) = (Type::Scalar(memory.dtype), Type::Scalar(parameter.dtype));
                    if found != expected {
                        return Err(self.other("the operand", found, &type_text(expected)));
                    }
                    for value in memory.at.iter().chain(&memory.strides) {
                        expect("a place or a stride", self.value(*value)?, Type::Index)?;
                    }
                    if memory.written {
                        if !parameter.role.is_written() {
                            return Err(Wrong::WritesInput { memory: format!("b{place}") });
                        }
                        self.written.insert(place);
                    }
                }
            }
        }
        for number in &call.numbers {
            expect("a size", self.value(*number)?, Type::Index)?;
        }
        call.regions.iter().flatten().try_for_each(|region| match self.used(*region)? {
            Type::Region => Ok(()),
            found => Err(self.other("what the template calls", found, "a region")),
        })
    }

    fn other(&self, what: &'static str, found: Type, expected: &str) -> Wrong {
        Wrong::Type { what, found: type_text(found), expected: expected.to_string() }
    }
}
