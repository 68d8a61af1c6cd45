//! Plans to bytes: tables in the order of the plan, each placed when all that it names has a place.

use super::super::{
    Alias, Buffer, BufferKind, Constant, Guard, Input, InputNeed, Output, OutputMemory, Panels, Plan,
    PlanError, ScalarId, ScalarOp, Step, Storage, Symbol, SymbolSource, TensorMap,
};
use super::{
    HEADER_BYTES, MAGIC, MAP_BYTES, NONE, STORAGE_FROZEN, STORAGE_UNUSED, Span, TENSOR_FIXED, TENSOR_MUTATED,
    TENSOR_OPTIONAL, TENSOR_OVERWRITTEN, TENSOR_SCALAR, TENSOR_UNREAD, VERSION,
};

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
        let outputs =
            w.tensors(self.outputs.iter().chain(&self.hidden).map(TensorRow::of_output).collect())?;
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
        header
            .u32(self.arena_bytes.map_or(NONE, |s| s.0))
            .u32(self.hidden.len() as u32)
            .u64(self.derived_bytes)
            .u32(self.next_offset.map_or(NONE, |s| s.0))
            .u32(0);
        w.bytes[..HEADER_BYTES].copy_from_slice(&header.bytes);
        Ok(w.bytes)
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
    /// Of an output.
    memory: &'a OutputMemory,
    alias: Alias,
}

impl<'a> TensorRow<'a> {
    fn of_input(t: &'a Input) -> Self {
        let set = |on: bool, flag: u32| if on { flag } else { 0 };
        let flags = set(t.mutated, TENSOR_MUTATED)
            | set(t.scalar, TENSOR_SCALAR)
            | set(t.overwritten, TENSOR_OVERWRITTEN)
            | set(t.fixed, TENSOR_FIXED)
            | set(t.need < InputNeed::Data, TENSOR_UNREAD)
            | set(t.need == InputNeed::Nothing, TENSOR_OPTIONAL);
        TensorRow {
            name: &t.name,
            dtype: t.dtype,
            flags,
            shape: &t.shape,
            strides: &t.strides,
            min_shape: &t.min_shape,
            max_shape: &t.max_shape,
            memory: &OutputMemory::Own,
            alias: Alias::None,
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
            memory: &t.memory,
            alias: t.alias,
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
                SymbolSource::Random(part) => (3 + part as u32, 0, 0, 1, 0),
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
        let mut row = Row::default();
        for s in scalars {
            let (op, [a, b, c], value) = s.numbers();
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
            let (packed, view, offset) = match t.memory {
                OutputMemory::Own => (&[][..], 0, 0),
                OutputMemory::Packed(strides) => (&strides[..], 0, 0),
                OutputMemory::View { of, offset } => (&[][..], of + 1, offset.0),
            };
            let packed = self.u32s(packed.iter().map(|s| s.0))?;
            let (alias, alias_of) = match t.alias {
                Alias::None => (0, 0),
                Alias::Input(k) => (1, k),
                Alias::Constant(k) => (2, k),
                Alias::Output(k) => (3, k),
            };
            row.span(name)
                .i32(t.dtype)
                .u32(t.flags)
                .span(shape)
                .span(strides)
                .span(min_shape)
                .span(max_shape)
                .span(packed)
                .u32(view)
                .u32(offset)
                .u32(alias)
                .u32(alias_of);
        }
        self.place(&row.bytes, tensors.len())
    }
    fn storages(&mut self, storages: &[Storage]) -> Result<Span, PlanError> {
        let mut row = Row::default();
        for s in storages {
            let set = |on: bool, flag: u32| if on { flag } else { 0 };
            let flags = set(s.mutated, TENSOR_MUTATED)
                | set(s.unused, STORAGE_UNUSED)
                | set(s.frozen, STORAGE_FROZEN);
            row.u64(s.offset).u64(s.bytes).u32(flags).u32(0);
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
                BufferKind::Semaphores { offset } => (6, 0, offset),
            };
            row.u32(kind).u32(index).u64(offset).u32(b.bytes.0).u32(0);
        }
        self.place(&row.bytes, buffers.len())
    }
    fn map(&mut self, map: &TensorMap) {
        let row = &mut self.maps;
        row.u32(map.buffer.0).i32(map.dtype).u32(map.offset.0);
        row.u32(map.sizes.len() as u32).u32(map.swizzle).u32(map.tf32.into());
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
        let none = Span { offset: 0, count: 0 };
        for s in steps {
            match s {
                Step::Kernel {
                    kernel,
                    buffers,
                    scalars,
                    tasks,
                    grain,
                    scratch,
                    scratch_buffer,
                    maps,
                    lasting,
                    packs,
                } => {
                    let buffers = self.u32s(buffers.iter().map(|b| b.0))?;
                    let scalars = self.u32s(scalars.iter().map(|s| s.0))?;
                    let panels = packs.map(|p| {
                        let Panels { item, columns, sizes, strides, offset } = p;
                        [&[item, columns], &sizes[..], &strides[..], &[offset]].concat()
                    });
                    let panels = self.i64s(&panels.unwrap_or_default())?;
                    row.u32(0).u32(kernel.0).span(buffers).span(scalars);
                    let first = (self.maps.bytes.len() / MAP_BYTES) as u32;
                    let scratch_buffer = scratch_buffer.map_or(0, |b| b.0.saturating_add(1));
                    row.u32(tasks.0)
                        .u32(grain.0)
                        .u32(scratch.0)
                        .u32(first)
                        .u32(maps.len() as u32)
                        .u32(scratch_buffer);
                    row.u32((*lasting).into()).u32(0).span(panels);
                    maps.iter().for_each(|map| self.map(map));
                }
                Step::Extern { attributes, operands, workspace } => {
                    let operands = self.u32s(operands.iter().map(|b| b.0))?;
                    let scalars = self.u32s(attributes.values().into_iter().map(|s| s.0))?;
                    let words = self.u32s(attributes.words().iter().copied())?;
                    row.u32(8).u32(attributes.routine() as u32).span(operands).span(scalars);
                    row.u32(0).u32(0).u32(workspace.0).u32(0).u32(0).u32(0).u32(0).u32(0).span(words);
                }
                other => {
                    // Kind, then what format.h calls `kernel`, `destination`, `source` and `bytes`.
                    let (kind, kernel, destination, source, bytes) = match *other {
                        Step::Kernel { .. } | Step::Extern { .. } => unreachable!("written above"),
                        Step::Copy { destination, source, bytes, start } => {
                            let start = start.map_or(0, |s| s.0.saturating_add(1));
                            (1, start, destination.0, source.0, bytes.0)
                        }
                        Step::Read { symbol, buffer, dtype } => (2, dtype as u32, symbol, buffer.0, 0),
                        Step::Set { symbol, value } => (3, 0, symbol, 0, value.0),
                        Step::Check { condition, assertion } => (4, assertion, 0, 0, condition.0),
                        Step::Allocate { buffer } => (5, 0, buffer.0, 0, 0),
                        Step::If { predicate, then, otherwise } => (6, otherwise, then, predicate.0, 0),
                        Step::While { predicate, condition, body } => (7, body, condition, predicate.0, 0),
                        Step::Function { steps } => (9, 0, steps, 0, 0),
                        Step::Again { function } => (10, 0, function, 0, 0),
                        Step::Print { text } => (11, text, 0, 0, 0),
                    };
                    row.u32(kind).u32(kernel).span(none).span(none);
                    row.u32(0).u32(0).u32(0).u32(destination).u32(source).u32(bytes).u32(0).u32(0).span(none);
                }
            }
        }
        self.place(&row.bytes, steps.len())
    }
}
