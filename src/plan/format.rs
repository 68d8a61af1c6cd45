//! The flat bytes of a plan: little-endian, every table at a multiple of 8 bytes and named by its offset, so that
//! the executor reads them in place. `src/executor/format.h` states the same layout in C; both change together,
//! with [`VERSION`].

use super::{
    Buffer, BufferId, BufferKind, Constant, Guard, Input, Kernel, KernelId, Output, Plan, PlanError, Routine,
    ScalarId, ScalarOp, Step, Storage, Symbol, SymbolSource, TensorMap,
};
use crate::types::Calculation;

const MAGIC: u32 = 0x4e4c_505a;
const VERSION: u32 = 6;
/// Scalar operations from here on are calculations.
const CALCULATIONS: u32 = 16;
const NONE: u32 = u32::MAX;
const HEADER_BYTES: usize = 8 + 8 + 15 * 8 + 8 + 8;
const MAP_BYTES: usize = 4 * (6 + 4 * TensorMap::MAX_RANK);
const TENSOR_MUTATED: u32 = 1;
const TENSOR_SCALAR: u32 = 2;

/// Where a table lies: byte offset and number of items.
#[derive(Clone, Copy)]
struct Span {
    offset: u32,
    count: u32,
}

impl Plan {
    /// The plan as the executor's flat bytes. Fails where [`Plan::check`] does.
    pub fn to_bytes(&self) -> Result<Vec<u8>, PlanError> {
        self.check()?;
        let mut w = Writer { bytes: vec![0; HEADER_BYTES], maps: Row::default() };
        let name = w.string(&self.name)?;
        let metadata = w.string(&self.metadata)?;
        let symbols = w.symbols(&self.symbols)?;
        let scalars = w.scalars(&self.scalars)?;
        let guards = w.guards(&self.guards)?;
        let inputs = w.tensors(self.inputs.iter().map(TensorRow::of_input).collect())?;
        let outputs = w.tensors(self.outputs.iter().map(TensorRow::of_output).collect())?;
        let storages = w.storages(&self.storages)?;
        let constants = w.constants(&self.constants)?;
        let buffers = w.buffers(&self.buffers)?;
        let kernels = w.strings(self.kernels.iter().map(|k| k.symbol.as_str()))?;
        let assertions = w.strings(self.assertions.iter().map(String::as_str))?;
        let init = w.steps(&self.init)?;
        let main = w.steps(&self.main)?;
        let maps = std::mem::take(&mut w.maps).bytes;
        let maps = w.place(&maps, maps.len() / MAP_BYTES)?;

        let total = w.bytes.len() as u64;
        let mut header = Row::default();
        header.u32(MAGIC).u32(VERSION).u64(total);
        for span in [
            name, metadata, symbols, scalars, guards, inputs, outputs, storages, constants, buffers, kernels,
            assertions, init, main, maps,
        ] {
            header.span(span);
        }
        header.u32(self.arena_bytes.map_or(NONE, |s| s.0)).u32(0).u64(self.derived_bytes);
        w.bytes[..HEADER_BYTES].copy_from_slice(&header.bytes);
        Ok(w.bytes)
    }

    /// The plan that [`Plan::to_bytes`] wrote; anything else is an error, never a panic.
    pub fn from_bytes(bytes: &[u8]) -> Result<Plan, PlanError> {
        let r = Reader { bytes };
        let mut h = r.row(0, HEADER_BYTES)?;
        if h.u32()? != MAGIC {
            return Err(PlanError::damaged("it does not begin with a plan's magic number"));
        }
        let version = h.u32()?;
        if version != VERSION {
            return Err(PlanError::damaged(format!(
                "it has version {version}, this library reads version {VERSION}"
            )));
        }
        if h.u64()? != bytes.len() as u64 {
            return Err(PlanError::damaged("its length is not the one it states"));
        }
        let mut spans = [Span { offset: 0, count: 0 }; 15];
        for span in &mut spans {
            *span = h.span()?;
        }
        let [
            name,
            metadata,
            symbols,
            scalars,
            guards,
            inputs,
            outputs,
            storages,
            constants,
            buffers,
            kernels,
            assertions,
            init,
            main,
            maps,
        ] = spans;
        let maps = r.rows(maps, MAP_BYTES, |row| r.map(row))?;
        let plan = Plan {
            name: r.string(name)?,
            metadata: r.string(metadata)?,
            symbols: r.rows(symbols, 56, |row| r.symbol(row))?,
            scalars: r.rows(scalars, 24, |row| r.scalar(row))?,
            guards: r.rows(guards, 16, |row| r.guard(row))?,
            inputs: r.rows(inputs, 48, |row| r.input(row))?,
            outputs: r.rows(outputs, 48, |row| r.output(row))?,
            storages: r.rows(storages, 24, |row| r.storage(row))?,
            constants: r.rows(constants, 56, |row| r.constant(row))?,
            buffers: r.rows(buffers, 24, |row| r.buffer(row))?,
            kernels: r.strings(kernels)?.into_iter().map(|symbol| Kernel { symbol }).collect(),
            assertions: r.strings(assertions)?,
            init: r.rows(init, 48, |row| r.step(row, &maps))?,
            main: r.rows(main, 48, |row| r.step(row, &maps))?,
            arena_bytes: Some(h.u32()?).filter(|s| *s != NONE).map(ScalarId),
            derived_bytes: {
                h.u32()?;
                h.u64()?
            },
        };
        plan.check()?;
        Ok(plan)
    }
}

/// What inputs and outputs share.
struct TensorRow<'a> {
    name: &'a str,
    dtype: i32,
    flags: u32,
    shape: &'a [ScalarId],
    strides: &'a [ScalarId],
    min_shape: &'a [i64],
    max_shape: &'a [i64],
}

impl<'a> TensorRow<'a> {
    fn of_input(t: &'a Input) -> Self {
        let flags = (if t.mutated { TENSOR_MUTATED } else { 0 }) | (if t.scalar { TENSOR_SCALAR } else { 0 });
        TensorRow {
            name: &t.name,
            dtype: t.dtype,
            flags,
            shape: &t.shape,
            strides: &t.strides,
            min_shape: &t.min_shape,
            max_shape: &t.max_shape,
        }
    }
    fn of_output(t: &'a Output) -> Self {
        TensorRow {
            name: &t.name,
            dtype: t.dtype,
            flags: 0,
            shape: &t.shape,
            strides: &t.strides,
            min_shape: &t.min_shape,
            max_shape: &t.max_shape,
        }
    }
}

/// Fixed-size fields being written.
#[derive(Default)]
struct Row {
    bytes: Vec<u8>,
}

impl Row {
    fn u32(&mut self, v: u32) -> &mut Self {
        self.bytes.extend_from_slice(&v.to_le_bytes());
        self
    }
    fn i32(&mut self, v: i32) -> &mut Self {
        self.u32(v as u32)
    }
    fn u64(&mut self, v: u64) -> &mut Self {
        self.bytes.extend_from_slice(&v.to_le_bytes());
        self
    }
    fn i64(&mut self, v: i64) -> &mut Self {
        self.u64(v as u64)
    }
    fn span(&mut self, s: Span) -> &mut Self {
        self.u32(s.offset).u32(s.count)
    }
}

struct Writer {
    bytes: Vec<u8>,
    /// The tensor maps of all steps so far.
    maps: Row,
}

impl Writer {
    /// Appends a table at a multiple of 8 bytes.
    fn place(&mut self, data: &[u8], count: usize) -> Result<Span, PlanError> {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let offset = u32::try_from(self.bytes.len()).map_err(|_| PlanError::TooLarge)?;
        let count = u32::try_from(count).map_err(|_| PlanError::TooLarge)?;
        self.bytes.extend_from_slice(data);
        u32::try_from(self.bytes.len()).map_err(|_| PlanError::TooLarge)?;
        Ok(Span { offset, count })
    }
    fn string(&mut self, s: &str) -> Result<Span, PlanError> {
        let mut data = s.as_bytes().to_vec();
        data.push(0);
        self.place(&data, s.len())
    }
    fn u32s(&mut self, items: impl Iterator<Item = u32>) -> Result<Span, PlanError> {
        let mut row = Row::default();
        items.for_each(|v| {
            row.u32(v);
        });
        self.place(&row.bytes, row.bytes.len() / 4)
    }
    fn i64s(&mut self, items: &[i64]) -> Result<Span, PlanError> {
        let mut row = Row::default();
        items.iter().for_each(|v| {
            row.i64(*v);
        });
        self.place(&row.bytes, items.len())
    }
    fn strings<'a>(&mut self, items: impl Iterator<Item = &'a str>) -> Result<Span, PlanError> {
        let mut row = Row::default();
        let mut count = 0;
        for s in items {
            let span = self.string(s)?;
            row.span(span);
            count += 1;
        }
        self.place(&row.bytes, count)
    }
    fn symbols(&mut self, symbols: &[Symbol]) -> Result<Span, PlanError> {
        let mut row = Row::default();
        for s in symbols {
            let name = self.string(&s.name)?;
            let (source, input, dim, factor, addend) = match s.source {
                SymbolSource::Dimension { input, dim, factor, addend } => (0, input, dim, factor, addend),
                SymbolSource::Value { input } => (1, input, 0, 1, 0),
                SymbolSource::Step => (2, 0, 0, 1, 0),
            };
            row.span(name)
                .i64(s.min)
                .i64(s.max)
                .u32(source)
                .u32(input)
                .u32(dim)
                .u32(0)
                .i64(factor)
                .i64(addend);
        }
        self.place(&row.bytes, symbols.len())
    }
    fn scalars(&mut self, scalars: &[ScalarOp]) -> Result<Span, PlanError> {
        use ScalarOp::*;
        let mut row = Row::default();
        for s in scalars {
            let (op, a, b, c, value) = match *s {
                Constant(v) => (0, 0, 0, 0, v),
                Symbol(s) => (1, s, 0, 0, 0),
                Add(a, b) => (2, a.0, b.0, 0, 0),
                Sub(a, b) => (3, a.0, b.0, 0, 0),
                Mul(a, b) => (4, a.0, b.0, 0, 0),
                FloorDiv(a, b) => (5, a.0, b.0, 0, 0),
                Mod(a, b) => (6, a.0, b.0, 0, 0),
                Min(a, b) => (7, a.0, b.0, 0, 0),
                Max(a, b) => (8, a.0, b.0, 0, 0),
                Eq(a, b) => (9, a.0, b.0, 0, 0),
                Lt(a, b) => (10, a.0, b.0, 0, 0),
                Le(a, b) => (11, a.0, b.0, 0, 0),
                And(a, b) => (12, a.0, b.0, 0, 0),
                Or(a, b) => (13, a.0, b.0, 0, 0),
                Not(a) => (14, a.0, 0, 0, 0),
                Select(c, a, b) => (15, c.0, a.0, b.0, 0),
                Calculate(of, [a, b, c]) => (CALCULATIONS + of as u32, a.0, b.0, c.0, 0),
            };
            row.u32(op).u32(a).u32(b).u32(c).i64(value);
        }
        self.place(&row.bytes, scalars.len())
    }
    fn guards(&mut self, guards: &[Guard]) -> Result<Span, PlanError> {
        let mut row = Row::default();
        for g in guards {
            let message = self.string(&g.message)?;
            row.u32(g.scalar.0).i32(g.status).span(message);
        }
        self.place(&row.bytes, guards.len())
    }
    fn tensors(&mut self, tensors: Vec<TensorRow>) -> Result<Span, PlanError> {
        let mut row = Row::default();
        for t in &tensors {
            let name = self.string(t.name)?;
            let shape = self.u32s(t.shape.iter().map(|s| s.0))?;
            let strides = self.u32s(t.strides.iter().map(|s| s.0))?;
            let min_shape = self.i64s(t.min_shape)?;
            let max_shape = self.i64s(t.max_shape)?;
            row.span(name)
                .i32(t.dtype)
                .u32(t.flags)
                .span(shape)
                .span(strides)
                .span(min_shape)
                .span(max_shape);
        }
        self.place(&row.bytes, tensors.len())
    }
    fn storages(&mut self, storages: &[Storage]) -> Result<Span, PlanError> {
        let mut row = Row::default();
        for s in storages {
            row.u64(s.offset).u64(s.bytes).u32(if s.mutated { TENSOR_MUTATED } else { 0 }).u32(0);
        }
        self.place(&row.bytes, storages.len())
    }
    fn constants(&mut self, constants: &[Constant]) -> Result<Span, PlanError> {
        let mut row = Row::default();
        for c in constants {
            let name = self.string(&c.name)?;
            let aliases = self.strings(c.aliases.iter().map(String::as_str))?;
            let shape = self.i64s(&c.shape)?;
            let strides = self.i64s(&c.strides)?;
            row.span(name).span(aliases).i32(c.kind).i32(c.dtype).span(shape).span(strides);
            row.u64(c.offset).u32(c.storage).u32(0);
        }
        self.place(&row.bytes, constants.len())
    }
    fn buffers(&mut self, buffers: &[Buffer]) -> Result<Span, PlanError> {
        let mut row = Row::default();
        for b in buffers {
            let (kind, index, offset) = match b.kind {
                BufferKind::Input(k) => (0, k, 0),
                BufferKind::Output(k) => (1, k, 0),
                BufferKind::Storage(k) => (2, k, 0),
                BufferKind::Derived { offset } => (3, 0, offset),
                BufferKind::Arena { offset } => (4, offset.0, 0),
                BufferKind::Slot(k) => (5, k, 0),
                BufferKind::Tickets { offset } => (6, 0, offset),
            };
            row.u32(kind).u32(index).u64(offset).u32(b.bytes.0).u32(0);
        }
        self.place(&row.bytes, buffers.len())
    }
    fn map(&mut self, map: &TensorMap) {
        let row = &mut self.maps;
        row.u32(map.buffer.0).i32(map.dtype).u32(map.offset.0);
        row.u32(map.sizes.len() as u32).u32(map.swizzle).u32(0);
        for list in [map.sizes.iter().map(|s| s.0).collect(), map.strides.iter().map(|s| s.0).collect()]
            .iter()
            .chain([&map.boxes, &map.steps])
        {
            let list: &Vec<u32> = list;
            for k in 0..TensorMap::MAX_RANK {
                row.u32(list.get(k).copied().unwrap_or(0));
            }
        }
    }
    fn steps(&mut self, steps: &[Step]) -> Result<Span, PlanError> {
        let mut row = Row::default();
        for s in steps {
            match s {
                Step::Kernel { kernel, buffers, scalars, tasks, grain, scratch, room, maps } => {
                    let buffers = self.u32s(buffers.iter().map(|b| b.0))?;
                    let scalars = self.u32s(scalars.iter().map(|s| s.0))?;
                    row.u32(0).u32(kernel.0).span(buffers).span(scalars);
                    let first = (self.maps.bytes.len() / MAP_BYTES) as u32;
                    let room = room.map_or(0, |b| b.0.saturating_add(1));
                    row.u32(tasks.0).u32(grain.0).u32(scratch.0).u32(first).u32(maps.len() as u32).u32(room);
                    maps.iter().for_each(|map| self.map(map));
                }
                Step::Routine { routine, buffers, scalars } => {
                    let buffers = self.u32s(buffers.iter().map(|b| b.0))?;
                    let scalars = self.u32s(scalars.iter().map(|s| s.0))?;
                    row.u32(8).u32(*routine as u32).span(buffers).span(scalars);
                    row.u32(0).u32(0).u32(0).u32(0).u32(0).u32(0);
                }
                other => {
                    // Kind, then what format.h calls `kernel`, `destination`, `source` and `bytes`.
                    let (kind, kernel, destination, source, bytes) = match *other {
                        Step::Kernel { .. } | Step::Routine { .. } => unreachable!("written above"),
                        Step::Copy { destination, source, bytes } => (1, 0, destination.0, source.0, bytes.0),
                        Step::Read { symbol, buffer, dtype } => (2, dtype as u32, symbol, buffer.0, 0),
                        Step::Set { symbol, value } => (3, 0, symbol, 0, value.0),
                        Step::Check { condition, assertion } => (4, assertion, 0, 0, condition.0),
                        Step::Allocate { buffer } => (5, 0, buffer.0, 0, 0),
                        Step::If { predicate, then, otherwise } => (6, otherwise, then, predicate.0, 0),
                        Step::While { predicate, condition, body } => (7, body, condition, predicate.0, 0),
                    };
                    let none = Span { offset: 0, count: 0 };
                    row.u32(kind).u32(kernel).span(none).span(none);
                    row.u32(0).u32(0).u32(0).u32(destination).u32(source).u32(bytes);
                }
            }
        }
        self.place(&row.bytes, steps.len())
    }
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
}

/// Fixed-size fields being read.
struct Fields<'a> {
    bytes: &'a [u8],
}

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], PlanError> {
        let (head, tail) = self.bytes.split_first_chunk::<N>().ok_or_else(PlanError::truncated)?;
        self.bytes = tail;
        Ok(*head)
    }
    fn u32(&mut self) -> Result<u32, PlanError> {
        Ok(u32::from_le_bytes(self.take()?))
    }
    fn i32(&mut self) -> Result<i32, PlanError> {
        Ok(i32::from_le_bytes(self.take()?))
    }
    fn u64(&mut self) -> Result<u64, PlanError> {
        Ok(u64::from_le_bytes(self.take()?))
    }
    fn i64(&mut self) -> Result<i64, PlanError> {
        Ok(i64::from_le_bytes(self.take()?))
    }
    fn span(&mut self) -> Result<Span, PlanError> {
        Ok(Span { offset: self.u32()?, count: self.u32()? })
    }
}

impl<'a> Reader<'a> {
    fn row(&self, offset: usize, length: usize) -> Result<Fields<'a>, PlanError> {
        let end = offset.checked_add(length).ok_or_else(PlanError::truncated)?;
        Ok(Fields { bytes: self.bytes.get(offset..end).ok_or_else(PlanError::truncated)? })
    }
    fn rows<T>(
        &self,
        span: Span,
        size: usize,
        mut read: impl FnMut(&mut Fields<'a>) -> Result<T, PlanError>,
    ) -> Result<Vec<T>, PlanError> {
        let length = (span.count as usize).checked_mul(size).ok_or_else(PlanError::truncated)?;
        let mut all = self.row(span.offset as usize, length)?;
        let mut items = Vec::with_capacity(span.count as usize);
        for _ in 0..span.count {
            let (head, tail) = all.bytes.split_at_checked(size).ok_or_else(PlanError::truncated)?;
            all.bytes = tail;
            items.push(read(&mut Fields { bytes: head })?);
        }
        Ok(items)
    }
    fn string(&self, span: Span) -> Result<String, PlanError> {
        let text = self.row(span.offset as usize, span.count as usize)?.bytes;
        String::from_utf8(text.to_vec()).map_err(|_| PlanError::damaged("a string is not UTF-8"))
    }
    fn strings(&self, span: Span) -> Result<Vec<String>, PlanError> {
        self.rows(span, 8, |row| self.string(row.span()?))
    }
    fn scalar_ids(&self, span: Span) -> Result<Vec<ScalarId>, PlanError> {
        self.rows(span, 4, |row| Ok(ScalarId(row.u32()?)))
    }
    fn i64s(&self, span: Span) -> Result<Vec<i64>, PlanError> {
        self.rows(span, 8, |row| row.i64())
    }
    fn symbol(&self, row: &mut Fields) -> Result<Symbol, PlanError> {
        let (name, min, max) = (self.string(row.span()?)?, row.i64()?, row.i64()?);
        let (source, input, dim, _) = (row.u32()?, row.u32()?, row.u32()?, row.u32()?);
        let source = match source {
            0 => SymbolSource::Dimension { input, dim, factor: row.i64()?, addend: row.i64()? },
            1 => SymbolSource::Value { input },
            2 => SymbolSource::Step,
            other => return Err(PlanError::damaged(format!("unknown symbol source {other}"))),
        };
        Ok(Symbol { name, min, max, source })
    }
    fn scalar(&self, row: &mut Fields) -> Result<ScalarOp, PlanError> {
        use ScalarOp::*;
        let op = row.u32()?;
        let first = row.u32()?;
        let (a, b, c) = (ScalarId(first), ScalarId(row.u32()?), ScalarId(row.u32()?));
        let value = row.i64()?;
        Ok(match op {
            0 => Constant(value),
            1 => Symbol(first),
            2 => Add(a, b),
            3 => Sub(a, b),
            4 => Mul(a, b),
            5 => FloorDiv(a, b),
            6 => Mod(a, b),
            7 => Min(a, b),
            8 => Max(a, b),
            9 => Eq(a, b),
            10 => Lt(a, b),
            11 => Le(a, b),
            12 => And(a, b),
            13 => Or(a, b),
            14 => Not(a),
            15 => Select(a, b, c),
            other if other.checked_sub(CALCULATIONS).and_then(Calculation::from_number).is_some() => {
                Calculate(Calculation::ALL[(other - CALCULATIONS) as usize], [a, b, c])
            }
            other => return Err(PlanError::damaged(format!("unknown scalar operation {other}"))),
        })
    }
    fn guard(&self, row: &mut Fields) -> Result<Guard, PlanError> {
        Ok(Guard { scalar: ScalarId(row.u32()?), status: row.i32()?, message: self.string(row.span()?)? })
    }
    fn input(&self, row: &mut Fields) -> Result<Input, PlanError> {
        let (name, dtype, flags) = (self.string(row.span()?)?, row.i32()?, row.u32()?);
        Ok(Input {
            name,
            dtype,
            shape: self.scalar_ids(row.span()?)?,
            strides: self.scalar_ids(row.span()?)?,
            mutated: flags & TENSOR_MUTATED != 0,
            scalar: flags & TENSOR_SCALAR != 0,
            min_shape: self.i64s(row.span()?)?,
            max_shape: self.i64s(row.span()?)?,
        })
    }
    fn output(&self, row: &mut Fields) -> Result<Output, PlanError> {
        let (name, dtype, _) = (self.string(row.span()?)?, row.i32()?, row.u32()?);
        Ok(Output {
            name,
            dtype,
            shape: self.scalar_ids(row.span()?)?,
            strides: self.scalar_ids(row.span()?)?,
            min_shape: self.i64s(row.span()?)?,
            max_shape: self.i64s(row.span()?)?,
        })
    }
    fn storage(&self, row: &mut Fields) -> Result<Storage, PlanError> {
        let (offset, bytes, flags) = (row.u64()?, row.u64()?, row.u32()?);
        Ok(Storage { offset, bytes, mutated: flags & TENSOR_MUTATED != 0 })
    }
    fn constant(&self, row: &mut Fields) -> Result<Constant, PlanError> {
        Ok(Constant {
            name: self.string(row.span()?)?,
            aliases: self.strings(row.span()?)?,
            kind: row.i32()?,
            dtype: row.i32()?,
            shape: self.i64s(row.span()?)?,
            strides: self.i64s(row.span()?)?,
            offset: row.u64()?,
            storage: row.u32()?,
        })
    }
    fn buffer(&self, row: &mut Fields) -> Result<Buffer, PlanError> {
        let (kind, index, offset) = (row.u32()?, row.u32()?, row.u64()?);
        let kind = match kind {
            0 => BufferKind::Input(index),
            1 => BufferKind::Output(index),
            2 => BufferKind::Storage(index),
            3 => BufferKind::Derived { offset },
            4 => BufferKind::Arena { offset: ScalarId(index) },
            5 => BufferKind::Slot(index),
            6 => BufferKind::Tickets { offset },
            other => return Err(PlanError::damaged(format!("unknown buffer kind {other}"))),
        };
        Ok(Buffer { kind, bytes: ScalarId(row.u32()?) })
    }
    fn map(&self, row: &mut Fields) -> Result<TensorMap, PlanError> {
        let (buffer, dtype, offset) = (BufferId(row.u32()?), row.i32()?, ScalarId(row.u32()?));
        let (rank, swizzle) = (row.u32()? as usize, row.u32()?);
        row.u32()?;
        if rank > TensorMap::MAX_RANK {
            return Err(PlanError::damaged(format!("a tensor map of {rank} dimensions")));
        }
        let mut list = || -> Result<Vec<u32>, PlanError> {
            let all = (0..TensorMap::MAX_RANK).map(|_| row.u32()).collect::<Result<Vec<_>, _>>()?;
            Ok(all[..rank].to_vec())
        };
        let scalars = |list: Vec<u32>| list.into_iter().map(ScalarId).collect();
        let (sizes, strides) = (scalars(list()?), scalars(list()?));
        Ok(TensorMap { buffer, dtype, offset, sizes, strides, boxes: list()?, steps: list()?, swizzle })
    }
    fn step(&self, row: &mut Fields, maps: &[TensorMap]) -> Result<Step, PlanError> {
        let (kind, kernel, buffers, scalars) = (row.u32()?, row.u32()?, row.span()?, row.span()?);
        let (tasks, grain, scratch) = (ScalarId(row.u32()?), ScalarId(row.u32()?), ScalarId(row.u32()?));
        let (destination, source, bytes) = (BufferId(row.u32()?), BufferId(row.u32()?), ScalarId(row.u32()?));
        Ok(match kind {
            0 => Step::Kernel {
                kernel: KernelId(kernel),
                buffers: self.rows(buffers, 4, |row| Ok(BufferId(row.u32()?)))?,
                scalars: self.scalar_ids(scalars)?,
                tasks,
                grain,
                scratch,
                room: bytes.0.checked_sub(1).map(BufferId),
                maps: {
                    let (first, count) = (destination.0 as usize, source.0);
                    let end = first.checked_add(count as usize).ok_or_else(PlanError::truncated)?;
                    maps.get(first..end).ok_or_else(PlanError::truncated)?.to_vec()
                },
            },
            1 => Step::Copy { destination, source, bytes },
            2 => Step::Read { symbol: destination.0, buffer: source, dtype: kernel as i32 },
            3 => Step::Set { symbol: destination.0, value: bytes },
            4 => Step::Check { condition: bytes, assertion: kernel },
            5 => Step::Allocate { buffer: destination },
            6 => Step::If { predicate: source, then: destination.0, otherwise: kernel },
            7 => Step::While { predicate: source, condition: destination.0, body: kernel },
            8 => Step::Routine {
                routine: *Routine::ALL
                    .get(kernel as usize)
                    .ok_or_else(|| PlanError::damaged(format!("unknown routine {kernel}")))?,
                buffers: self.rows(buffers, 4, |row| Ok(BufferId(row.u32()?)))?,
                scalars: self.scalar_ids(scalars)?,
            },
            other => return Err(PlanError::damaged(format!("unknown kind of step {other}"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn a_plan_survives_its_bytes() {
        let plan = sample();
        let bytes = plan.to_bytes().unwrap();
        assert_eq!(Plan::from_bytes(&bytes).unwrap(), plan);
        assert_eq!(Plan::default().to_bytes().and_then(|b| Plan::from_bytes(&b)).unwrap(), Plan::default());
    }

    #[test]
    fn damaged_bytes_are_errors_not_panics() {
        let bytes = sample().to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(Plan::from_bytes(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let _ = Plan::from_bytes(&damaged);
        }
    }
}
