//! Values of a row that several stages use: in registers where each thread reads back its own elements, otherwise in shared memory.
//!
//! Invariant: an array in registers is indexed by the number of a thread's vector, never by data.
//!
//! Deliberately absent: the choice of how many threads share a row (see `row_threads`).

use super::Rows;
use crate::base::{HashMap, StableSort};
use crate::kernels::{Builtin, LocalId, Space, Statement, Type, Value, ValueId};
use crate::loops::{BufferId, Expr, ExprId};
use crate::mapping::emit::{Operand, Storage};
use crate::schedule::{INNER, Item, Stage};
use crate::types::{Dtype, SymInt};

impl Rows<'_, '_> {
    /// Registers of the arrays that a thread holds at a time: where one's last stage is another's first, element by
    /// element, the one gives way to the other.
    pub(super) fn registers(&self, stages: usize) -> i64 {
        let Some((_, vectors)) = self.kept else { return 0 };
        let sum = |with: &dyn Fn(usize, usize) -> bool| -> i64 {
            self.held.iter().filter(|a| with(a.0, a.1)).map(|a| a.2).sum()
        };
        let at = |s: usize| {
            let through = sum(&|first, last| first < s && s < last);
            through
                + sum(&|first, last| first == s && s < last).max(sum(&|first, last| first < s && s == last))
        };
        (0..stages).map(at).max().unwrap_or(0) * vectors * self.w.lanes
    }

    /// The vector of an array that a thread is at. The only one of a row is read outside of the loop too: a variable of one
    /// value is no variable.
    pub(super) fn held_at(&mut self, array: LocalId) -> ValueId {
        let first = self.turn.is_none() || self.kept.is_some_and(|(_, vectors)| vectors == 1);
        let at = match self.turn {
            Some(turn) if !first => turn,
            _ => self.w.emitter.integer(0),
        };
        self.w.emitter.add(Value::Element(array, at))
    }
    /// The vector of an array that a thread is at, as an expression's value.
    pub(super) fn found_in(&mut self, array: LocalId) -> Operand {
        let value = self.held_at(array);
        self.w.wide(value)
    }
    /// Sets the vector of an array that a thread is at.
    pub(super) fn keep_in(&mut self, array: LocalId, operand: Operand) {
        let value = self.w.as_wide(operand);
        let place = self.held_at(array);
        self.w.emitter.push(Statement::Assign { place, value });
    }

    /// Takes note of an array that is held over these stages.
    pub(super) fn hold(&mut self, stages: &[usize], dtype: Dtype) {
        if let (Some(first), Some(last)) = (stages.first(), stages.last()) {
            self.held.push((
                *first,
                *last,
                dtype.compute().size() as i64 / 4 + i64::from(dtype.compute().size() < 4),
            ));
        }
    }

    pub(super) fn is_kept(&self, stage: &Stage) -> bool {
        matches!((&stage.inner[..], self.kept), ([only], Some((width, _))) if *only == width)
    }

    /// Values that one stage leaves for another: in registers where each thread finds its own again, otherwise in
    /// shared memory. Returns the bytes of the latter.
    pub(super) fn row_buffers(&mut self, per_block: i64) -> SymInt {
        let program = self.w.program;
        let syms = std::sync::Arc::clone(&program.syms);
        let mut buffers: Vec<(BufferId, SymInt)> =
            self.w.loops.row_buffers.iter().map(|(b, r)| (*b, r.elements)).collect();
        buffers.stable_sort();
        let mut end = syms.constant(0);
        for (buffer, elements) in buffers {
            let dtype = program.buffers[buffer].dtype;
            match self.kept {
                Some((width, vectors))
                    if width == elements && self.stages_of(buffer).all(|s| self.is_kept(s)) =>
                {
                    let array = self.w.held("w", dtype, vectors);
                    let value = self.found_in(array);
                    let variable = syms.index_var(INNER, width);
                    self.w.emitter.storage.insert(buffer, Storage::Turn { value, variable });
                    self.in_registers.push((buffer, array));
                    let stages = self.places_of(buffer);
                    self.hold(&stages, dtype);
                }
                _ => {
                    let threads = self.threads;
                    let e = &mut self.w.emitter;
                    let local = e.local("w", Type::Pointer { dtype, space: Space::DynamicShared });
                    let (bytes, size) = (e.index(end), e.index(elements));
                    let (thread, threads) = (e.builtin(Builtin::ThreadIndex), e.integer(threads));
                    let row = e.quotient_of(thread, threads);
                    let elements_before = Some(e.times(row, size));
                    e.push(Statement::Pointer { local, bytes, elements: elements_before });
                    let position = syms.constant(0);
                    e.storage.insert(buffer, Storage::Local { pointer: local.into(), position });
                    let bytes = syms.mul_const(elements, dtype.size() as i64 * per_block);
                    let unit = syms.constant(16);
                    end = syms.add(end, syms.mul(syms.ceildiv(bytes, unit), unit));
                }
            }
        }
        end
    }

    /// The places of the stages that store or load a buffer.
    pub(super) fn places_of(&self, buffer: BufferId) -> Vec<usize> {
        let stages = &self.w.loops.stages;
        let is = |s: &Stage| self.stages_of(buffer).any(|o| std::ptr::eq(o, s));
        (0..stages.len()).filter(|k| is(&stages[*k])).collect()
    }

    /// The stages that store or load a buffer.
    pub(super) fn stages_of(&self, buffer: BufferId) -> impl Iterator<Item = &Stage> {
        let program = self.w.program;
        self.w.loops.stages.iter().filter(move |s| {
            s.items.iter().any(|i| {
                i.outs().contains(&buffer)
                    || program
                        .exprs
                        .loads(&[i.value()])
                        .into_iter()
                        .any(|l| matches!(&program.exprs[l], Expr::Load { buffer: b, .. } if *b == buffer))
            })
        })
    }

    /// Loads that several kept stages make, made once: by expression, the array that holds them.
    pub(super) fn cache_loads(&mut self) -> HashMap<ExprId, LocalId> {
        let program = self.w.program;
        let mut uses: HashMap<ExprId, usize> = HashMap::default();
        let mut order: Vec<ExprId> = Vec::new();
        let mut last_use: HashMap<ExprId, usize> = HashMap::default();
        for (place, stage) in self.w.loops.stages.iter().enumerate().filter(|(_, s)| self.is_kept(s)) {
            let roots: Vec<_> = stage.items.iter().map(Item::value).collect();
            for load in self.unconditional_loads(&roots) {
                let count = uses.entry(load).or_insert(0);
                if *count == 0 {
                    order.push(load);
                }
                *count += 1;
                last_use.insert(load, place);
            }
        }
        order.retain(|l| uses[l] > 1);
        let mut cached = HashMap::default();
        let Some((width, vectors)) = self.kept.filter(|_| !order.is_empty()) else { return cached };
        for load in &order {
            let dtype = program.exprs.dtype(*load);
            cached.insert(*load, self.w.held("c", dtype, vectors));
            self.hold(&[0, last_use[load]], dtype);
        }
        let stage = Stage { inner: vec![width], items: Vec::new() };
        self.over_row(&stage, &mut |this| {
            for load in &order {
                let operand = this.w.emitter.value(*load);
                this.keep_in(cached[load], operand);
            }
        });
        cached
    }

    /// What a kept stage stores and later kept stages load again at the same point stays in registers too.
    pub(super) fn keep_stores(&mut self) {
        let program = self.w.program;
        let Some((_, vectors)) = self.kept else { return };
        let kept: Vec<&Stage> = self.w.loops.stages.iter().filter(|s| self.is_kept(s)).collect();
        let stores: Vec<(usize, BufferId, SymInt)> = kept
            .iter()
            .enumerate()
            .flat_map(|(k, s)| s.items.iter().map(move |i| (k, i)))
            .filter_map(|(k, i)| match i {
                Item::Store { buffer, offset, .. } if self.w.group.writes.contains(buffer) => {
                    Some((k, *buffer, *offset))
                }
                _ => None,
            })
            .collect();
        for (place, buffer, offset) in stores {
            let roots: Vec<_> =
                kept[place + 1..].iter().flat_map(|s| s.items.iter().map(Item::value)).collect();
            let loads: Vec<ExprId> = program
                .exprs
                .loads(&roots)
                .into_iter()
                .filter(|l| match &program.exprs[*l] {
                    Expr::Load { buffer: b, index, data } => {
                        *b == buffer && data.is_empty() && index[0] == offset
                    }
                    _ => false,
                })
                .collect();
            if loads.is_empty() {
                continue;
            }
            let dtype = program.buffers[buffer].dtype;
            let array = self.w.held("c", dtype, vectors);
            self.stored.insert(buffer, (array, loads));
            let stages = self.places_of(buffer);
            self.hold(&stages, dtype);
        }
    }

    /// Loads of memory at the row's points that are made whatever the data: not under a mask, a check or through data.
    pub(super) fn unconditional_loads(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let (program, w) = (self.w.program, &self.w);
        let Some((width, _)) = self.kept else { return Vec::new() };
        let Some(symbol) = program.syms.as_symbol(program.syms.index_var(INNER, width)) else {
            return Vec::new();
        };
        let own = |load: &ExprId| match &program.exprs[*load] {
            Expr::Load { buffer, index, .. } => {
                !w.emitter.written.contains(buffer)
                    && matches!(w.emitter.storage.get(buffer), Some(Storage::Memory(_)))
                    && program.syms.depends_on(index[0], symbol)
            }
            _ => false,
        };
        program.exprs.unconditional_loads(roots).into_iter().filter(own).collect()
    }
}
