//! Bytes to plans: every offset and count is checked against what there is before it is used, and the plan is checked as a
//! whole at the end.

use super::super::{
    Alias, Attributes, Buffer, BufferId, BufferKind, Constant, Guard, Input, InputNeed, Kernel, KernelId,
    Output, OutputMemory, Panels, Plan, PlanError, Routine, ScalarId, ScalarOp, Step, Storage, Symbol,
    SymbolSource, TensorMap,
};
use super::{
    BUFFER_BYTES, CONSTANT_BYTES, GUARD_BYTES, HEADER_BYTES, MAGIC, MAP_BYTES, NONE, SCALAR_BYTES,
    STEP_BYTES, STORAGE_BYTES, STORAGE_FROZEN, STORAGE_UNUSED, SYMBOL_BYTES, Span, TENSOR_BYTES,
    TENSOR_FIXED, TENSOR_MUTATED, TENSOR_OPTIONAL, TENSOR_OVERWRITTEN, TENSOR_SCALAR, TENSOR_UNREAD, VERSION,
};
use crate::types::RandomState;

impl Plan {
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
        let mut all = r.rows(outputs, TENSOR_BYTES, |row| r.output(row))?;
        let arena_bytes = Some(h.u32()?).filter(|s| *s != NONE).map(ScalarId);
        let results = all.len().checked_sub(h.u32()? as usize);
        let results = results.ok_or_else(|| PlanError::damaged("it hides more outputs than it has"))?;
        let plan = Plan {
            name: r.string(name)?,
            metadata: r.string(metadata)?,
            symbols: r.rows(symbols, SYMBOL_BYTES, |row| r.symbol(row))?,
            scalars: r.rows(scalars, SCALAR_BYTES, |row| r.scalar(row))?,
            guards: r.rows(guards, GUARD_BYTES, |row| r.guard(row))?,
            inputs: r.rows(inputs, TENSOR_BYTES, |row| r.input(row))?,
            hidden: all.split_off(results),
            outputs: all,
            storages: r.rows(storages, STORAGE_BYTES, |row| r.storage(row))?,
            constants: r.rows(constants, CONSTANT_BYTES, |row| r.constant(row))?,
            buffers: r.rows(buffers, BUFFER_BYTES, |row| r.buffer(row))?,
            kernels: r.strings(kernels)?.into_iter().map(|symbol| Kernel { symbol }).collect(),
            assertions: r.strings(assertions)?,
            init: r.rows(init, STEP_BYTES, |row| r.step(row, &maps))?,
            main: r.rows(main, STEP_BYTES, |row| r.step(row, &maps))?,
            arena_bytes,
            derived_bytes: h.u64()?,
            next_offset: Some(h.u32()?).filter(|s| *s != NONE).map(ScalarId),
        };
        plan.check()?;
        Ok(plan)
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
            3 => SymbolSource::Random(RandomState::Seed),
            4 => SymbolSource::Random(RandomState::Offset),
            other => return Err(PlanError::damaged(format!("unknown symbol source {other}"))),
        };
        Ok(Symbol { name, min, max, source })
    }
    fn scalar(&self, row: &mut Fields) -> Result<ScalarOp, PlanError> {
        let op = row.u32()?;
        let operands = [row.u32()?, row.u32()?, row.u32()?];
        ScalarOp::of_numbers(op, operands, row.i64()?)
            .ok_or_else(|| PlanError::damaged(format!("unknown scalar operation {op}")))
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
            overwritten: flags & TENSOR_OVERWRITTEN != 0,
            scalar: flags & TENSOR_SCALAR != 0,
            fixed: flags & TENSOR_FIXED != 0,
            need: match flags & (TENSOR_UNREAD | TENSOR_OPTIONAL) {
                0 => InputNeed::Data,
                TENSOR_UNREAD => InputNeed::Sizes,
                _ => InputNeed::Nothing,
            },
            min_shape: self.i64s(row.span()?)?,
            max_shape: self.i64s(row.span()?)?,
        })
    }
    fn output(&self, row: &mut Fields) -> Result<Output, PlanError> {
        let (name, dtype, _) = (self.string(row.span()?)?, row.i32()?, row.u32()?);
        let (shape, strides) = (self.scalar_ids(row.span()?)?, self.scalar_ids(row.span()?)?);
        let (min_shape, max_shape) = (self.i64s(row.span()?)?, self.i64s(row.span()?)?);
        let (packed, view, offset) = (self.scalar_ids(row.span()?)?, row.u32()?, ScalarId(row.u32()?));
        let memory = match view.checked_sub(1) {
            Some(of) => OutputMemory::View { of, offset },
            None if packed.is_empty() => OutputMemory::Own,
            None => OutputMemory::Packed(packed),
        };
        let alias = match (row.u32()?, row.u32()?) {
            (0, _) => Alias::None,
            (1, k) => Alias::Input(k),
            (2, k) => Alias::Constant(k),
            (3, k) => Alias::Output(k),
            (other, _) => return Err(PlanError::damaged(format!("unknown kind of alias {other}"))),
        };
        Ok(Output { name, dtype, shape, strides, min_shape, max_shape, memory, alias })
    }
    fn storage(&self, row: &mut Fields) -> Result<Storage, PlanError> {
        let (offset, bytes, flags) = (row.u64()?, row.u64()?, row.u32()?);
        let is = |flag: u32| flags & flag != 0;
        let (unused, frozen) = (is(STORAGE_UNUSED), is(STORAGE_FROZEN));
        Ok(Storage { offset, bytes, mutated: is(TENSOR_MUTATED), unused, frozen })
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
            6 => BufferKind::Semaphores { offset },
            other => return Err(PlanError::damaged(format!("unknown buffer kind {other}"))),
        };
        Ok(Buffer { kind, bytes: ScalarId(row.u32()?) })
    }
    fn map(&self, row: &mut Fields) -> Result<TensorMap, PlanError> {
        let (buffer, dtype, offset) = (BufferId(row.u32()?), row.i32()?, ScalarId(row.u32()?));
        let (rank, swizzle) = (row.u32()? as usize, row.u32()?);
        let tf32 = match row.u32()? {
            0 => false,
            1 => true,
            other => return Err(PlanError::damaged(format!("a tensor map of rounding {other}"))),
        };
        if rank > TensorMap::MAX_RANK {
            return Err(PlanError::damaged(format!("a tensor map of {rank} dimensions")));
        }
        let mut list = || -> Result<Vec<u32>, PlanError> {
            let all = (0..TensorMap::MAX_RANK).map(|_| row.u32()).collect::<Result<Vec<_>, _>>()?;
            Ok(all[..rank].to_vec())
        };
        let scalars = |list: Vec<u32>| list.into_iter().map(ScalarId).collect();
        let (sizes, strides) = (scalars(list()?), scalars(list()?));
        Ok(TensorMap { buffer, dtype, offset, sizes, strides, boxes: list()?, steps: list()?, swizzle, tf32 })
    }
    fn panels(&self, span: Span) -> Result<Option<Panels>, PlanError> {
        match self.i64s(span)?[..] {
            [] => Ok(None),
            [item, columns, batch, n, k, of_batch, of_n, of_k, offset] => {
                let (sizes, strides) = ([batch, n, k], [of_batch, of_n, of_k]);
                Ok(Some(Panels { item, columns, sizes, strides, offset }))
            }
            _ => Err(PlanError::damaged("a step packs something else than a matrix".to_string())),
        }
    }
    fn step(&self, row: &mut Fields, maps: &[TensorMap]) -> Result<Step, PlanError> {
        let (kind, kernel, buffers, scalars) = (row.u32()?, row.u32()?, row.span()?, row.span()?);
        let (tasks, grain, scratch) = (ScalarId(row.u32()?), ScalarId(row.u32()?), ScalarId(row.u32()?));
        let (destination, source, bytes) = (BufferId(row.u32()?), BufferId(row.u32()?), ScalarId(row.u32()?));
        let (lasting, _, detail) = (row.u32()? != 0, row.u32()?, row.span()?);
        Ok(match kind {
            0 => Step::Kernel {
                kernel: KernelId(kernel),
                buffers: self.rows(buffers, 4, |row| Ok(BufferId(row.u32()?)))?,
                scalars: self.scalar_ids(scalars)?,
                tasks,
                grain,
                scratch,
                scratch_buffer: bytes.0.checked_sub(1).map(BufferId),
                maps: {
                    let (first, count) = (destination.0 as usize, source.0);
                    let end = first.checked_add(count as usize).ok_or_else(PlanError::truncated)?;
                    maps.get(first..end).ok_or_else(PlanError::truncated)?.to_vec()
                },
                lasting,
                packs: self.panels(detail)?,
            },
            1 => {
                let start = kernel.checked_sub(1).map(ScalarId);
                Step::Copy { destination, source, bytes, start }
            }
            2 => Step::Read { symbol: destination.0, buffer: source, dtype: kernel as i32 },
            3 => Step::Set { symbol: destination.0, value: bytes },
            4 => Step::Check { condition: bytes, assertion: kernel },
            5 => Step::Allocate { buffer: destination },
            6 => Step::If { predicate: source, then: destination.0, otherwise: kernel },
            7 => Step::While { predicate: source, condition: destination.0, body: kernel },
            9 => Step::Function { steps: destination.0 },
            10 => Step::Again { function: destination.0 },
            11 => Step::Print { text: kernel },
            8 => {
                let routine = *Routine::ALL
                    .get(kernel as usize)
                    .ok_or_else(|| PlanError::damaged(format!("unknown routine {kernel}")))?;
                let words = self.rows(detail, 4, |row| row.u32())?;
                let attributes = Attributes::from_values(routine, self.scalar_ids(scalars)?, words);
                Step::Extern {
                    attributes: attributes.ok_or_else(|| {
                        PlanError::damaged(format!("{routine:?} has another number of attributes"))
                    })?,
                    operands: self.rows(buffers, 4, |row| Ok(BufferId(row.u32()?)))?,
                    workspace: scratch,
                }
            }
            other => return Err(PlanError::damaged(format!("unknown kind of step {other}"))),
        })
    }
}
