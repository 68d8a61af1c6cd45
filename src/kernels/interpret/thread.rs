//! One thread of a GPU, or one call on a CPU: its locals and its place in the body.

use super::compute::combine;
use super::memory::{Region, Seen, Stamp};
use super::{Data, Fault, register};
use crate::base::HashMap;
use crate::kernels::{
    Kernel, LastBlocks, Launch, LocalId, Loop, Reduction, Scope, Space, Statement, Step, Type, Value,
    ValueId, each_statement,
};
use crate::loops::{Number, ReductionOp};
use crate::types::Dtype;

type Result<T> = std::result::Result<T, Fault>;

/// Statements that a launch may run.
const MOST_STEPS: u64 = 200_000_000;

/// Which memory a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Where {
    Buffer(usize),
    /// An array in registers, which is the thread's own.
    Local(LocalId),
    /// The memory of a call; a block's dynamic shared memory.
    Scratch,
    Dynamic,
    /// A block's array in shared memory.
    Shared(LocalId),
    /// What a template lends the region with this parameter.
    Lent(LocalId),
}

/// What a local is at the moment.
#[derive(Clone, Debug)]
pub enum Slot {
    Unset,
    Value(Data),
    Array(Vec<Option<Data>>),
    /// The region, and the byte or element in it that the pointer points to.
    Pointer {
        region: Where,
        first: i64,
    },
}

/// A tensor map in numbers: the place of its buffer, and where its elements lie there.
pub struct Map {
    pub buffer: usize,
    pub offset: i64,
    pub sizes: Vec<i64>,
    pub strides: Vec<i64>,
}

/// What all threads of a launch share.
pub struct World<'k> {
    pub kernel: &'k Kernel,
    pub parameters: Vec<i64>,
    pub lanes: usize,
    pub blocks: i64,
    pub cluster: i64,
    pub buffers: Vec<Region>,
    pub maps: Vec<Map>,
    /// The memory of each block, or call.
    pub own: HashMap<(u32, Where), Region>,
    /// Bytes of scratch or of dynamic shared memory.
    pub bytes: usize,
    /// The blocks that templates call.
    pub regions: HashMap<LocalId, &'k crate::kernels::Region>,
    /// What each block knows of the others.
    pub seen: HashMap<u32, Seen>,
    pub steps: u64,
    /// The first line of each statement, by where it lies.
    pub heads: HashMap<usize, String>,
    pub nothing: Seen,
}

impl World<'_> {
    pub fn name(&self, local: LocalId) -> String {
        let local = &self.kernel.body.locals[local];
        local.number.map_or_else(|| local.name.to_string(), |n| format!("{}{n}", local.name))
    }
    pub fn head(&self, statement: &Statement) -> String {
        self.heads.get(&(std::ptr::from_ref(statement) as usize)).cloned().unwrap_or_default()
    }
    /// A region, and what the block that looks at it knows.
    pub fn region(&mut self, place: Where, block: u32) -> (&mut Region, &Seen) {
        let seen = self.seen.get(&block).unwrap_or(&self.nothing);
        let region = match place {
            Where::Buffer(k) => &mut self.buffers[k],
            place => {
                let (name, raw, length) = match place {
                    Where::Shared(local) => {
                        let data = &self.kernel.body.locals[local];
                        let Type::Array { length, vectors, .. } = data.ty else {
                            unreachable!("an array in shared memory has an array's type")
                        };
                        let wide = if vectors { self.lanes as i64 } else { 1 };
                        (
                            data.name.to_string(),
                            false,
                            (length.count(self.lanes as i64) * wide).max(0) as usize,
                        )
                    }
                    Where::Scratch => ("scratch".to_string(), true, self.bytes),
                    _ => ("shared".to_string(), true, self.bytes),
                };
                self.own
                    .entry((block, place))
                    .or_insert_with(|| Region::new(name, crate::kernels::Role::Workspace, raw, length))
            }
        };
        (region, seen)
    }
}

/// Which tasks a call has.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub begin: i64,
    pub end: i64,
}

/// A block of statements that a thread is in.
struct Frame<'k> {
    statements: &'k [Statement],
    at: usize,
    /// What it is the body of.
    of: Option<&'k Loop>,
}

/// Why a thread stopped.
#[derive(Clone, Debug)]
pub enum Event<'k> {
    Done,
    Barrier(&'k Statement, Scope),
    /// A part of a reduction, and its place.
    Reduce(&'k Statement, &'k Reduction, Data, i64),
    /// The elements that its block counts in, and of how many.
    Last(&'k Statement, &'k LastBlocks, Vec<(usize, i64, i64)>),
    /// The elements of an array that threads put together.
    Share(&'k Statement, Vec<Data>),
}

impl Event<'_> {
    /// Threads of this scope go on together.
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Event::Done => None,
            Event::Barrier(_, scope) => Some(*scope),
            Event::Reduce(_, reduction, ..) => Some(scope(reduction)),
            Event::Share(Statement::FoldRows { .. }, _) => Some(Scope::Warp),
            Event::Last(..) | Event::Share(..) => Some(Scope::Block),
        }
    }
    pub fn statement(&self) -> Option<&Statement> {
        match self {
            Event::Done => None,
            Event::Barrier(s, _) | Event::Reduce(s, ..) | Event::Last(s, ..) | Event::Share(s, _) => Some(s),
        }
    }
}

/// The threads that a reduction keeps waiting for one another.
pub fn scope(reduction: &Reduction) -> Scope {
    use crate::kernels::Over;
    match reduction.over {
        Over::Threads { threads } if threads <= 32 => Scope::Warp,
        Over::Threads { .. } => Scope::Block,
        Over::Cluster { .. } => Scope::Cluster,
        Over::Above { above: ..=1, .. } => Scope::Warp,
        Over::Above { .. } => Scope::Block,
    }
}

pub struct Thread<'k> {
    pub stamp: Stamp,
    pub place: Place,
    pub slots: Vec<Slot>,
    frames: Vec<Frame<'k>>,
    /// What the region that was left last gave.
    given: Option<Data>,
}

impl<'k> Thread<'k> {
    pub fn new(kernel: &'k Kernel, block: u32, thread: u32, place: Place) -> Thread<'k> {
        let frames = vec![Frame { statements: &kernel.body.block, at: 0, of: None }];
        let stamp = Stamp { block, thread, epoch: 0, warp_epoch: 0 };
        Thread { stamp, place, slots: vec![Slot::Unset; kernel.body.locals.len()], frames, given: None }
    }

    /// Runs a block by itself, to its end; gives what it gave.
    pub fn run_apart(&mut self, world: &mut World<'k>, block: &'k [Statement]) -> Result<Option<Data>> {
        let around = std::mem::take(&mut self.frames);
        self.given = None;
        self.enter(block, None);
        let event = self.run(world)?;
        self.frames = around;
        match event {
            Event::Done => Ok(self.given.take()),
            _ => Err(Fault::Launch("a template's region does not wait for others".to_string())),
        }
    }

    pub fn set(&mut self, local: LocalId, data: Data) {
        self.slots[local.index()] = Slot::Value(data);
    }

    /// Runs until it waits for others, or is done.
    pub fn run(&mut self, world: &mut World<'k>) -> Result<Event<'k>> {
        while let Some(frame) = self.frames.last_mut() {
            world.steps += 1;
            if world.steps > MOST_STEPS {
                return Err(Fault::Endless);
            }
            let Some(statement) = frame.statements.get(frame.at) else {
                let of = frame.of;
                match of {
                    Some(l) => self.turn(world, l)?,
                    None => {
                        self.frames.pop();
                    }
                }
                continue;
            };
            frame.at += 1;
            match self.statement(world, statement) {
                Ok(None) => {}
                Ok(Some(event)) => return Ok(event),
                Err(fault) => {
                    return Err(Fault::At { statement: world.head(statement), fault: Box::new(fault) });
                }
            }
        }
        Ok(Event::Done)
    }

    pub fn enter(&mut self, statements: &'k [Statement], of: Option<&'k Loop>) {
        self.frames.push(Frame { statements, at: 0, of });
    }

    /// The next turn of the loop that the innermost block is the body of, or what comes after it.
    fn turn(&mut self, world: &mut World<'k>, l: &'k Loop) -> Result<()> {
        let Slot::Value(Data::Index(at)) = self.slots[l.variable.index()] else {
            return Err(Fault::Unset { local: world.name(l.variable) });
        };
        self.set(l.variable, Data::Index(at + step(l, world.lanes)));
        if self.goes_on(world, l)? {
            if let Some(frame) = self.frames.last_mut() {
                frame.at = 0;
            }
        } else {
            self.frames.pop();
        }
        Ok(())
    }
    fn goes_on(&mut self, world: &mut World<'k>, l: &Loop) -> Result<bool> {
        let bound = self.number(world, l.bound)?;
        let Slot::Value(Data::Index(at)) = self.slots[l.variable.index()] else {
            return Err(Fault::Unset { local: world.name(l.variable) });
        };
        Ok(match l.step {
            Step::Vectors(n) => at + n * world.lanes as i64 <= bound,
            _ => at < bound,
        })
    }
    /// An integer of any type.
    fn number(&mut self, world: &mut World<'k>, value: ValueId) -> Result<i64> {
        match self.value(world, value)? {
            Data::Index(v) | Data::Scalar(_, Number::Integer(v)) => Ok(v),
            other => Err(Fault::Type { what: "an integer is expected", found: format!("{other:?}") }),
        }
    }

    fn define(&mut self, world: &World<'_>, local: LocalId, data: Data) -> Result<()> {
        let data = adapted(data, world.kernel.body.locals[local].ty);
        let fits = match (world.kernel.body.locals[local].ty, &data) {
            (Type::Index, Data::Index(_)) => true,
            (Type::Scalar(dtype), Data::Scalar(found, _)) | (Type::Vector(dtype), Data::Vector(found, _)) => {
                register(dtype) == *found
            }
            _ => false,
        };
        if !fits {
            return Err(Fault::Type {
                what: "the value does not fit the local's type",
                found: format!("{data:?} for `{}`", world.name(local)),
            });
        }
        self.set(local, data);
        Ok(())
    }

    fn statement(&mut self, world: &mut World<'k>, statement: &'k Statement) -> Result<Option<Event<'k>>> {
        match statement {
            Statement::Let { local, value } | Statement::Variable { local, value: Some(value) } => {
                let data = self.value(world, *value)?;
                self.define(world, *local, data)?;
            }
            Statement::Variable { local, value: None } => self.slots[local.index()] = Slot::Unset,
            Statement::Assign { place, value } => self.assign(world, *place, *value)?,
            Statement::Array { local, fill } => self.array(world, *local, *fill)?,
            Statement::Pointer { local, bytes, elements } => {
                let Type::Pointer { dtype, space } = world.kernel.body.locals[*local].ty else {
                    return Err(Fault::Type { what: "a pointer is expected", found: world.name(*local) });
                };
                let bytes = self.index(world, *bytes)?;
                let more = match elements {
                    Some(elements) => self.index(world, *elements)?,
                    None => 0,
                };
                let region = if space == Space::Scratch { Where::Scratch } else { Where::Dynamic };
                let first = bytes + more * dtype.size() as i64;
                self.slots[local.index()] = Slot::Pointer { region, first };
            }
            Statement::Store { access, value } => self.store(world, access, *value)?,
            Statement::Scatter { access, mode, value, atomic } => {
                self.take(world, access, (*mode, *atomic), *value)?;
            }
            Statement::Loop(l) => {
                if let Some(first) = l.first {
                    let first = self.number(world, first)?;
                    self.set(l.variable, Data::Index(first));
                }
                if step(l, world.lanes) <= 0 {
                    return Err(Fault::Endless);
                }
                if self.goes_on(world, l)? {
                    self.enter(&l.body, Some(l));
                }
            }
            Statement::If { condition, then, otherwise } => {
                let chosen = if self.truth(world, *condition)? { then } else { otherwise };
                self.enter(chosen, None);
            }
            Statement::Block(block) => self.enter(block, None),
            // It changes nothing.
            Statement::Prefetch { .. } => {}
            Statement::Check { failed, assertion } => {
                if self.truth(world, *failed)? {
                    return Err(Fault::Assertion(*assertion));
                }
            }
            Statement::FoldArray { op, array, into, .. } => self.fold(world, *op, *array, *into)?,
            Statement::Transpose { array, first } => self.transpose(world, *array, *first)?,
            Statement::Extreme(e) => {
                let Data::Scalar(dtype, value) = self.value(world, e.value)? else {
                    return Err(Fault::Type { what: "a scalar is expected", found: world.head(statement) });
                };
                let position = self.number(world, e.position)?;
                let any = match e.any {
                    Some(any) => match &self.slots[any.index()] {
                        Slot::Value(Data::Scalar(_, any)) => any.is_true(),
                        _ => return Err(Fault::Unset { local: world.name(any) }),
                    },
                    None => true,
                };
                let (best, place) = (self.scalar(world, e.best)?, self.scalar(world, e.place)?);
                let so_far = if any { (best, place.as_i64()) } else { (best, -1) };
                let (best, place) = combine(e.op, dtype, so_far, (value, position));
                self.define(world, e.best, Data::Scalar(dtype, best))?;
                let place = match world.kernel.body.locals[e.place].ty {
                    Type::Index => Data::Index(place),
                    _ => Data::Scalar(Dtype::Int64, Number::Integer(place)),
                };
                self.define(world, e.place, place)?;
                if let Some(any) = e.any {
                    self.define(world, any, Data::Scalar(Dtype::Bool, Number::bool(true)))?;
                }
            }
            Statement::Return { when } => {
                if self.truth(world, *when)? {
                    self.frames.clear();
                }
            }
            Statement::Barrier(Scope::Thread) => {}
            Statement::Barrier(scope) => return Ok(Some(Event::Barrier(statement, *scope))),
            Statement::Reduction(r) => {
                let part = self.value(world, r.value)?;
                let place = match r.place {
                    Some(place) => self.number(world, place)?,
                    None => -1,
                };
                return Ok(Some(Event::Reduce(statement, r, part, place)));
            }
            Statement::LastBlocks(last) => {
                let mut counted = Vec::new();
                for s in &last.semaphores {
                    counted.push((s.buffer, self.number(world, s.at)?, self.number(world, s.blocks)?));
                }
                return Ok(Some(Event::Last(statement, last, counted)));
            }
            Statement::Fetch { held, turn, from, at } => self.fetch(world, *held, *turn, (from, *at))?,
            Statement::PutSquare { held, array, side, threads } => {
                self.put_square(world, [*held, *array], [*side, *threads])?;
            }
            Statement::Flush { array, place, to, at, width } => {
                self.flush(world, (*array, *place), (to, *at), *width)?;
            }
            Statement::FoldRows { array, .. } => {
                let parts = self.whole(world, *array)?;
                return Ok(Some(Event::Share(statement, parts)));
            }
            Statement::ReduceStrips(strips) => {
                let parts = self.whole(world, strips.array)?;
                return Ok(Some(Event::Share(statement, parts)));
            }
            Statement::Region(_) => {}
            Statement::Template(call) => match world.kernel.launch {
                Launch::Cpu { .. } => self.template(world, call)?,
                Launch::Gpu { .. } => {
                    self.device_template(world, call)?;
                    return Ok(Some(Event::Barrier(statement, Scope::Block)));
                }
            },
            Statement::Give(value) => {
                self.given = Some(self.value(world, *value)?);
                self.frames.clear();
            }
        }
        Ok(None)
    }

    fn scalar(&self, world: &World<'_>, local: LocalId) -> Result<Number> {
        match &self.slots[local.index()] {
            Slot::Value(Data::Scalar(_, number)) => Ok(*number),
            Slot::Value(Data::Index(v)) => Ok(Number::Integer(*v)),
            _ => Err(Fault::Unset { local: world.name(local) }),
        }
    }

    fn assign(&mut self, world: &mut World<'k>, place: ValueId, value: ValueId) -> Result<()> {
        let mut data = self.value(world, value)?;
        match world.kernel.body.values[place] {
            Value::Local(local) => self.define(world, local, data),
            Value::Element(array, at) => {
                let at = self.index(world, at)?;
                if let Type::Array { dtype, vectors: false, .. } = world.kernel.body.locals[array].ty {
                    data = adapted(data, Type::Scalar(dtype));
                }
                let fits = match (world.kernel.body.locals[array].ty, &data) {
                    (Type::Array { dtype, vectors: true, .. }, Data::Vector(found, _))
                    | (Type::Array { dtype, vectors: false, .. }, Data::Scalar(found, _)) => {
                        register(dtype) == *found
                    }
                    _ => false,
                };
                if !fits {
                    return Err(Fault::Type {
                        what: "the value does not fit the array's elements",
                        found: format!("{data:?}"),
                    });
                }
                *self.element(world, array, at)? = Some(data);
                Ok(())
            }
            ref other => {
                Err(Fault::Type { what: "a variable or an element is expected", found: format!("{other:?}") })
            }
        }
    }

    fn array(&mut self, world: &mut World<'k>, local: LocalId, fill: Option<ValueId>) -> Result<()> {
        if let Type::Held { width, count, .. } = world.kernel.body.locals[local].ty {
            self.slots[local.index()] = Slot::Array(vec![None; (width * count).max(0) as usize]);
            return Ok(());
        }
        let Type::Array { length, space, .. } = world.kernel.body.locals[local].ty else {
            return Err(Fault::Type { what: "an array is expected", found: world.name(local) });
        };
        if space == Space::Shared {
            self.slots[local.index()] = Slot::Pointer { region: Where::Shared(local), first: 0 };
            return Ok(());
        }
        let fill = match fill {
            Some(fill) => Some(self.value(world, fill)?),
            None => None,
        };
        self.slots[local.index()] = Slot::Array(vec![fill; length.count(world.lanes as i64).max(0) as usize]);
        Ok(())
    }

    fn fold(&mut self, world: &mut World<'k>, op: ReductionOp, array: LocalId, into: LocalId) -> Result<()> {
        let Slot::Array(elements) = self.slots[array.index()].clone() else {
            return Err(Fault::Unset { local: world.name(array) });
        };
        let Slot::Value(mut all) = self.slots[into.index()].clone() else {
            return Err(Fault::Unset { local: world.name(into) });
        };
        for element in elements {
            let Some(element) = element else { return Err(Fault::Unset { local: world.name(array) }) };
            all = put_together(op, all, &element)?;
        }
        self.define(world, into, all)
    }

    fn transpose(&mut self, world: &mut World<'k>, array: LocalId, first: ValueId) -> Result<()> {
        let (first, lanes) = (self.index(world, first)?, world.lanes);
        let unset = || Fault::Unset { local: world.name(array) };
        let Slot::Array(elements) = &mut self.slots[array.index()] else { return Err(unset()) };
        let length = elements.len();
        let square = usize::try_from(first).ok().and_then(|first| elements.get_mut(first..first + lanes));
        let Some(square) = square else {
            return Err(Fault::Outside { memory: world.name(array), at: first, length: length as i64 });
        };
        let mut rows = Vec::with_capacity(lanes);
        for row in square.iter() {
            match row {
                Some(Data::Vector(dtype, row)) if row.len() == lanes => rows.push((*dtype, row.clone())),
                Some(other) => {
                    return Err(Fault::Type { what: "a vector is expected", found: format!("{other:?}") });
                }
                None => return Err(unset()),
            }
        }
        for (k, place) in square.iter_mut().enumerate() {
            *place = Some(Data::Vector(rows[k].0, rows.iter().map(|(_, row)| row[k]).collect()));
        }
        Ok(())
    }
}

/// An integer as one of the local's type, which is converted where the number fits.
fn adapted(data: Data, ty: Type) -> Data {
    match (ty, &data) {
        (Type::Index, Data::Scalar(Dtype::Int32 | Dtype::Int64, Number::Integer(v))) => Data::Index(*v),
        (Type::Scalar(Dtype::Int64), Data::Index(v)) => Data::Scalar(Dtype::Int64, Number::Integer(*v)),
        (Type::Scalar(Dtype::Int32), Data::Index(v)) if i32::try_from(*v).is_ok() => {
            Data::Scalar(Dtype::Int32, Number::Integer(*v))
        }
        _ => data,
    }
}

/// Two partial results of one type, positions aside.
pub fn put_together(op: ReductionOp, a: Data, b: &Data) -> Result<Data> {
    match (a, b) {
        (Data::Scalar(d, a), Data::Scalar(e, b)) if d == *e => {
            Ok(Data::Scalar(d, combine(op, d, (a, -1), (*b, -1)).0))
        }
        (Data::Vector(d, a), Data::Vector(e, b)) if d == *e => {
            let both = a.iter().zip(b.iter());
            Ok(Data::Vector(d, both.map(|(a, b)| combine(op, d, (*a, -1), (*b, -1)).0).collect()))
        }
        found => {
            Err(Fault::Type { what: "partial results of one type are expected", found: format!("{found:?}") })
        }
    }
}

fn step(l: &Loop, lanes: usize) -> i64 {
    match l.step {
        Step::One => 1,
        Step::By(n) => n,
        Step::Vectors(n) => n * lanes as i64,
    }
}

/// The statement's number in the order of their text, by where it lies.
pub fn numbered<'k>(block: &'k [Statement], into: &mut Vec<&'k Statement>) {
    each_statement(block, &mut |statement| into.push(statement));
}
