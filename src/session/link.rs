//! Schedule and kernels to a plan: every symbolic size becomes a line of the scalar program, every group a step.

mod scalars;

use super::SessionError;
use crate::base::{HashMap, HashSet, Status};
use crate::codegen::TensorMap;
use crate::ir::{Alias, Graph, OutputValue, Returned, Shown, Value};
use crate::loops::{
    BufferData, BufferId, BufferKind as LoopBufferKind, Control, Equal, NodeKind, Program, Routine,
};
use crate::plan::{self, Costs, Plan, ScalarId, ScalarOp, Step};
use crate::schedule::{self, Placement, Schedule, bytes_of};
use crate::types::{SymArena, SymInt, SymbolId, contiguous_strides, dense_order};
use std::sync::Arc;

/// One group as a step calls it.
pub struct Call {
    /// The kernel's symbol; equal symbols are one kernel.
    pub symbol: String,
    pub buffers: Vec<BufferId>,
    pub symbols: Vec<SymbolId>,
    pub tasks: SymInt,
    pub grain: SymInt,
    pub scratch: SymInt,
    pub maps: Vec<TensorMap>,
    /// A library does it instead of a kernel.
    pub routine: Option<Routine>,
}

/// The fields of a kernel's step that its call does not give.
#[derive(Clone, Copy)]
struct Effects {
    lasting: bool,
    packs: Option<plan::Panels>,
}

/// A plan, and its numbers for the buffers and symbols of the loops that it was made of.
pub struct Linked {
    pub plan: Plan,
    pub buffers: HashMap<BufferId, plan::BufferId>,
    pub symbols: HashMap<SymbolId, u32>,
    /// Of each kernel of a run, where the schedule has them.
    pub costs: Costs,
}

/// Builds the plan; `init` and `main` are the calls of the schedule's groups, in order. Which constants are used, and where they
/// lie, is left to `usage::settle`.
pub fn link(
    graph: &Graph,
    program: &Program,
    schedule: &Schedule,
    init: &[Call],
    main: &[Call],
) -> Result<Linked, SessionError> {
    let mut linker = Linker {
        graph,
        program,
        schedule,
        plan: Plan { name: graph.name.clone(), assertions: program.assertions.clone(), ..Plan::default() },
        scalars: HashMap::default(),
        sizes: HashMap::default(),
        symbols: HashMap::default(),
        buffers: HashMap::default(),
        kernels: HashMap::default(),
        costs: Vec::new(),
        first_names: graph
            .constants
            .iter()
            .scan(0, |next, c| Some(std::mem::replace(next, *next + c.views.len().max(1) as u32)))
            .collect(),
        results_of: Vec::new(),
        equal: Equal::of(&graph.syms, graph.guards.iter().map(|g| g.condition)),
    };
    linker.bind_symbols();
    linker.tensors()?;
    for (group, call) in schedule.init.iter().zip(init) {
        let packs = match group.kind {
            schedule::GroupKind::Pack { node, out } => schedule::packed_part(program, node, out),
            _ => schedule::copied_part(program, group),
        };
        let step = linker.kernel_step(call, None, Effects { lasting: false, packs })?;
        linker.plan.init.push(step);
    }
    let mut steps = linker.run(main)?;
    let place = |b: &BufferId| schedule.placements.of.get(*b);
    // A source that lies in its target is there already.
    for (target, source) in program.writes.iter().filter(|(target, source)| place(target) != place(source)) {
        let (destination, source) = (linker.buffer(*target)?, linker.buffer(*source)?);
        let bytes = linker.scalar(bytes_of(program, *target))?;
        steps.push(Step::Copy { destination, source, bytes, start: None });
    }
    linker.plan.main = steps;
    for guard in &graph.guards {
        // What depends on an unbacked symbol is checked by a step.
        if schedule::is_unbacked(program, guard.condition) {
            continue;
        }
        let scalar = linker.scalar(guard.condition)?;
        let message = guard.message.clone();
        linker.plan.guards.push(plan::Guard { scalar, status: Status::Shape.code(), message });
    }
    linker.plan.arena_bytes = Some(linker.scalar(schedule.placements.arena_bytes)?);
    linker.plan.next_offset = program.next_offset.map(|next| linker.scalar(next)).transpose()?;
    linker.plan.derived_bytes = schedule.placements.derived_bytes;
    let costs = linker.take_costs()?;
    let Linker { plan, buffers, symbols, .. } = linker;
    Ok(Linked { plan, buffers, symbols, costs })
}

/// A buffer as the host knows it: complex numbers are one element, not two.
fn as_given(graph: &Graph, value: Value, data: &BufferData) -> BufferData {
    let dtype = graph.meta(value).dtype;
    if !dtype.is_complex() {
        return BufferData { dtype, ..data.clone() };
    }
    let (sizes, strides) = of_pairs(&graph.syms, &data.sizes, &data.strides);
    BufferData { dtype, sizes, strides, ..data.clone() }
}

/// Sizes and strides in pairs, which are the last dimension and lie side by side.
fn of_pairs(syms: &SymArena, sizes: &[SymInt], strides: &[SymInt]) -> (Vec<SymInt>, Vec<SymInt>) {
    let two = syms.constant(2);
    let rank = sizes.len() - 1;
    let half = |s: &SymInt| syms.divide_exact(*s, two).unwrap_or_else(|| syms.floordiv(*s, two));
    (sizes[..rank].to_vec(), strides[..rank].iter().map(half).collect())
}

struct Linker<'a> {
    graph: &'a Graph,
    program: &'a Program,
    schedule: &'a Schedule,
    plan: Plan,
    scalars: HashMap<ScalarOp, ScalarId>,
    /// The line of each symbolic integer.
    sizes: HashMap<SymInt, ScalarId>,
    symbols: HashMap<SymbolId, u32>,
    buffers: HashMap<BufferId, plan::BufferId>,
    kernels: HashMap<String, plan::KernelId>,
    costs: Vec<[SymInt; 2]>,
    /// For each of the graph's constants its first place among the plan's, which has one for each view.
    first_names: Vec<u32>,
    /// The result that each output is.
    results_of: Vec<u32>,
    /// What the graph's guards make equal.
    equal: Equal,
}

impl Linker<'_> {
    fn bounds(&self, shape: &[SymInt]) -> (Vec<i64>, Vec<i64>) {
        let syms = &self.graph.syms;
        let range = |s: &SymInt| syms.range(*s);
        let max = |s: &SymInt| if range(s).max == i64::MAX { -1 } else { range(s).max };
        (shape.iter().map(|s| range(s).min.max(0)).collect(), shape.iter().map(max).collect())
    }

    fn tensors(&mut self) -> Result<(), SessionError> {
        let (graph, program) = (self.graph, self.program);
        let targets: HashSet<BufferId> = program.writes.iter().map(|w| w.0).collect();
        let written = |b: BufferId| targets.contains(&b);
        let mut tenants = vec![false; program.inputs.len()];
        for (buffer, _) in program.buffers.iter().filter(|(_, d)| d.kind == LoopBufferKind::Temporary) {
            if let Some(Placement::Input(k)) = self.schedule.placements.of.get(buffer) {
                tenants[*k] = true;
            }
        }
        let overwritten = |k: usize| tenants[k] && !written(program.inputs[k]);
        for (k, input) in graph.inputs.iter().enumerate() {
            let data = as_given(graph, input.value, &program.buffers[program.inputs[k]]);
            let (min_shape, max_shape) = self.bounds(&data.sizes);
            let tensor = plan::Input {
                name: input.name.clone(),
                dtype: data.dtype.number(),
                shape: self.scalars(&data.sizes)?,
                strides: self.scalars(&data.strides)?,
                mutated: written(program.inputs[k]),
                overwritten: overwritten(k),
                scalar: input.symbol.is_some(),
                fixed: false,
                need: plan::InputNeed::Data,
                min_shape,
                max_shape,
            };
            self.plan.inputs.push(tensor);
        }
        self.outputs()?;
        for (k, constant) in graph.constants.iter().enumerate() {
            let data = &as_given(graph, constant.value, &program.buffers[program.constants[k]]);
            let bytes = constant.data.bytes().len() as u64;
            let (storage, dtype) = (k as u32, data.dtype.number());
            let mutated = written(program.constants[k]);
            self.plan.storages.push(plan::Storage { bytes, mutated, ..plan::Storage::default() });
            if constant.views.is_empty() {
                self.plan.constants.push(plan::Constant {
                    name: constant.name.clone(),
                    aliases: constant.aliases.clone(),
                    kind: constant.kind as i32,
                    dtype,
                    shape: graph.syms.as_consts(&data.sizes).unwrap_or_default(),
                    strides: graph.syms.as_consts(&data.strides).unwrap_or_default(),
                    storage,
                    offset: 0,
                });
            }
            for view in &constant.views {
                self.plan.constants.push(plan::Constant {
                    name: view.name.clone(),
                    aliases: view.aliases.clone(),
                    kind: view.kind as i32,
                    dtype,
                    shape: view.shape.clone(),
                    strides: view.strides.clone(),
                    storage,
                    offset: view.offset as u64 * data.dtype.size() as u64,
                });
            }
        }
        Ok(())
    }

    /// The results, in their order.
    fn outputs(&mut self) -> Result<(), SessionError> {
        let (graph, program) = (self.graph, self.program);
        // Where a graph is timed in parts, its outputs are its results.
        let default = graph.outputs.iter().enumerate().map(|(output, o)| Returned {
            name: o.name.clone(),
            alias: None,
            output,
            shown: None,
        });
        let results = if graph.results.is_empty() { default.collect() } else { graph.results.clone() };
        self.results_of = vec![0; graph.outputs.len()];
        let mut end = results.len() as u32;
        for (k, result) in results.iter().enumerate() {
            if result.storage().is_some() {
                // No result is all of it: it stands after them.
                self.results_of[result.output] = end;
                end += 1;
            } else if !result.is_view() {
                self.results_of[result.output] = k as u32;
            }
        }
        let mut earliest: HashMap<usize, usize> = HashMap::default();
        for (k, result) in results.iter().enumerate() {
            let first = earliest.entry(result.output).or_insert(k);
            let buffer = program.outputs[result.output];
            let data = &program.buffers[buffer];
            let (mut sizes, mut strides) = in_order(data, program.orders.get(&buffer));
            let mut dtype = data.dtype;
            if let OutputValue::Tensor(value) = graph.outputs[result.output].value
                && graph.meta(value).dtype != dtype
            {
                dtype = graph.meta(value).dtype;
            }
            if dtype.is_complex() {
                (sizes, strides) = of_pairs(&graph.syms, &sizes, &strides);
            }
            let mut output = plan::Output {
                name: result.name.clone(),
                dtype: dtype.number(),
                shape: self.scalars(&sizes)?,
                strides: self.scalars(&strides)?,
                min_shape: Vec::new(),
                max_shape: Vec::new(),
                memory: plan::OutputMemory::Own,
                alias: self.alias(result, k, *first),
            };
            (output.min_shape, output.max_shape) = self.bounds(&sizes);
            if result.storage().is_some() {
                self.plan.hidden.push(plan::Output { alias: plan::Alias::None, ..output.clone() });
            }
            if let Some(shown) = &result.shown {
                self.show(&mut output, shown, self.results_of[result.output], (&sizes, &strides))?;
            }
            self.plan.outputs.push(output);
        }
        Ok(())
    }

    /// Gives an output the strides that PyTorch gives it; `memory` is the one whose memory a view lies in.
    fn show(
        &mut self,
        output: &mut plan::Output,
        shown: &Shown,
        memory: u32,
        (sizes, strides): (&[SymInt], &[SymInt]),
    ) -> Result<(), SessionError> {
        let syms = Arc::clone(&self.graph.syms);
        let settled = |list: &[SymInt]| list.iter().map(|s| self.equal.stand_in(&syms, *s)).collect();
        let (shape_shown, strides_shown): (Vec<SymInt>, Vec<SymInt>) =
            (settled(&shown.shape), settled(&shown.strides));
        let settled_sizes: Vec<SymInt> = settled(sizes);
        let sizes = &settled_sizes[..];
        if let Some((_, offset)) = shown.base {
            output.memory = plan::OutputMemory::View { of: memory, offset: self.scalar(offset)? };
        } else if sizes.len() == shape_shown.len()
            && (dense_order(&syms, sizes, &strides_shown).is_some()
                || is_contiguous_as_shown(&syms, (sizes, strides), (&shape_shown, &strides_shown)))
        {
            // The scheduler has given it that order. Where PyTorch counts sizes otherwise, they are of size 1.
            let one = |k: usize| syms.as_const(sizes[k]) == Some(1);
            let own: Vec<SymInt> =
                (0..sizes.len()).map(|k| if one(k) { strides_shown[k] } else { strides[k] }).collect();
            output.strides = self.scalars(&own)?;
            if shape_shown
                .iter()
                .zip(sizes)
                .all(|(shown, own)| shown == own || syms.as_const(*own) != Some(1))
            {
                return Ok(());
            }
        } else {
            // What repeats has one element in memory.
            let packed: Vec<SymInt> = (0..sizes.len())
                .map(|k| {
                    let repeats = syms.as_const(sizes[k]) == Some(1) && sizes[k] != shape_shown[k];
                    if repeats { syms.constant(0) } else { strides[k] }
                })
                .collect();
            output.memory = plan::OutputMemory::Packed(self.scalars(&packed)?);
        }
        output.dtype = shown.dtype.number();
        output.shape = self.scalars(&shown.shape)?;
        output.strides = self.scalars(&shown.strides)?;
        (output.min_shape, output.max_shape) = self.bounds(&shown.shape);
        Ok(())
    }

    /// What result `k` shares memory with. Of several results it is the `first`.
    fn alias(&self, result: &Returned, k: usize, first: usize) -> plan::Alias {
        match result.alias {
            Some(Alias::Input(input)) => plan::Alias::Input(input as u32),
            Some(Alias::Constant(storage)) => plan::Alias::Constant(self.first_names[storage]),
            _ if first < k => plan::Alias::Output(first as u32),
            _ => plan::Alias::None,
        }
    }

    fn buffer(&mut self, buffer: BufferId) -> Result<plan::BufferId, SessionError> {
        if let Some(id) = self.buffers.get(&buffer) {
            return Ok(*id);
        }
        let placement = self.schedule.placements.of.get(buffer).copied();
        let kind = match (placement, self.program.buffers[buffer].kind) {
            (Some(Placement::Input(k)), _) => plan::BufferKind::Input(k as u32),
            (Some(Placement::Constant(k)), _) => plan::BufferKind::Storage(k as u32),
            (Some(Placement::Output(k)), _) => plan::BufferKind::Output(self.results_of[k]),
            (Some(Placement::Derived(offset)), _) => plan::BufferKind::Derived { offset },
            (Some(Placement::Semaphores(offset)), _) => plan::BufferKind::Semaphores { offset },
            (Some(Placement::Slot(k)), _) => plan::BufferKind::Slot(k as u32),
            (Some(Placement::Arena(offset)), _) => plan::BufferKind::Arena { offset: self.scalar(offset)? },
            (None, kind) => {
                debug_assert!(kind == LoopBufferKind::Temporary);
                let message = format!("buffer {buffer} has no place in memory");
                return Err(SessionError::Option { status: Status::Internal, message });
            }
        };
        let bytes = self.scalar(bytes_of(self.program, buffer))?;
        let id = plan::BufferId(self.plan.buffers.len() as u32);
        self.plan.buffers.push(plan::Buffer { kind, bytes });
        self.buffers.insert(buffer, id);
        Ok(id)
    }

    /// A buffer of the arena that no kernel is given.
    fn arena_buffer(&mut self, offset: SymInt, bytes: SymInt) -> Result<plan::BufferId, SessionError> {
        let (offset, bytes) = (self.scalar(offset)?, self.scalar(bytes)?);
        let id = plan::BufferId(self.plan.buffers.len() as u32);
        self.plan.buffers.push(plan::Buffer { kind: plan::BufferKind::Arena { offset }, bytes });
        Ok(id)
    }

    /// One run: launches, and what steers them.
    fn run(&mut self, calls: &[Call]) -> Result<Vec<Step>, SessionError> {
        // The blocks that are open, innermost last; the first is the run itself.
        let mut blocks: Vec<Vec<Step>> = vec![Vec::new()];
        let mut predicates = Vec::new();
        let take = |blocks: &mut Vec<Vec<Step>>| blocks.pop().unwrap_or_default();
        for step in &self.schedule.steps {
            let mut made = Vec::new();
            match step {
                schedule::Step::Launch(k) => {
                    let groups = &self.schedule.main[self.schedule.launches[*k].clone()];
                    for group in groups {
                        // Memory is given once: to what fills a scatter's result, not to the scatter again.
                        let filled = schedule::goes_on_with(self.program, group);
                        for buffer in group.writes.iter().filter(|b| Some(**b) != filled) {
                            made.extend(self.allocation(*buffer)?);
                        }
                    }
                    let scratch = match self.schedule.placements.scratch.get(k) {
                        Some((offset, bytes)) => Some(self.arena_buffer(*offset, *bytes)?),
                        None => None,
                    };
                    let outlives = |b: &BufferId| match self.schedule.placements.of.get(*b) {
                        Some(Placement::Input(k)) => !self.plan.inputs[*k].overwritten,
                        place => matches!(place, Some(Placement::Constant(_))),
                    };
                    let lasting = groups.iter().flat_map(|g| &g.writes).any(outlives);
                    made.push(self.kernel_step(&calls[*k], scratch, Effects { lasting, packs: None })?);
                    self.costs.extend(self.schedule.costs.get(*k).map(|cost| [cost.bytes, cost.flop]));
                }
                schedule::Step::Control(node) => {
                    let NodeKind::Control(control) = &self.program.nodes[*node].kind else { continue };
                    match control {
                        Control::If { .. }
                        | Control::While
                        | Control::Else
                        | Control::Do { .. }
                        | Control::Function { .. } => {
                            if let Control::If { predicate } | Control::Do { predicate } = control {
                                predicates.push(self.buffer(*predicate)?);
                            }
                            blocks.push(Vec::new());
                            continue;
                        }
                        Control::EndIf | Control::EndWhile => {
                            let (second, first) = (take(&mut blocks), take(&mut blocks));
                            let predicate = predicates.pop().unwrap_or(plan::BufferId(0));
                            let (a, b) = (first.len() as u32, second.len() as u32);
                            made.push(match control {
                                Control::EndIf => Step::If { predicate, then: a, otherwise: b },
                                _ => Step::While { predicate, condition: a, body: b },
                            });
                            made.extend(first);
                            made.extend(second);
                        }
                        Control::EndFunction => {
                            let block = take(&mut blocks);
                            made.push(Step::Function { steps: block.len() as u32 });
                            made.extend(block);
                        }
                        Control::Again { function } => made.push(Step::Again { function: *function }),
                        Control::Read { symbol, buffer } => made.push(Step::Read {
                            symbol: self.symbols[symbol],
                            dtype: self.program.buffers[*buffer].dtype.number(),
                            buffer: self.buffer(*buffer)?,
                        }),
                        Control::Set { symbol, value } => {
                            made.push(Step::Set {
                                symbol: self.symbols[symbol],
                                value: self.scalar(*value)?,
                            });
                        }
                        Control::Check { condition, assertion } => {
                            let condition = self.scalar(*condition)?;
                            made.push(Step::Check { condition, assertion: *assertion });
                        }
                        Control::Print { text } => made.push(Step::Print { text: *text }),
                        // The scheduler heeded it.
                        Control::Fence => {}
                        Control::Copy { destination, source } => {
                            made.extend(self.allocation(*destination)?);
                            // The destination's sizes: the source's may be written in symbols that were set anew since.
                            let bytes = self.scalar(bytes_of(self.program, *destination))?;
                            let (destination, source) = (self.buffer(*destination)?, self.buffer(*source)?);
                            made.push(Step::Copy { destination, source, bytes, start: None });
                        }
                        Control::Place { destination, source, start } => {
                            let start = self.program.bytes_before(*destination, *start);
                            let start = Some(self.scalar(start)?);
                            let bytes = self.scalar(bytes_of(self.program, *source))?;
                            let (destination, source) = (self.buffer(*destination)?, self.buffer(*source)?);
                            made.push(Step::Copy { destination, source, bytes, start });
                        }
                    }
                }
            }
            if let Some(block) = blocks.last_mut() {
                block.extend(made);
            }
        }
        let mut steps = take(&mut blocks);
        // Functions are called by their steps.
        let is_function =
            |(k, step): (usize, &Step)| matches!(step, Step::Function { .. }).then_some(k as u32);
        let functions: Vec<u32> = steps.iter().enumerate().filter_map(is_function).collect();
        for step in &mut steps {
            if let Step::Again { function } = step {
                *function = functions.get(*function as usize).copied().unwrap_or(u32::MAX);
            }
        }
        Ok(steps)
    }

    /// What gives a buffer its memory before it is written, where that waits for its size.
    fn allocation(&mut self, buffer: BufferId) -> Result<Option<Step>, SessionError> {
        let waits = match self.schedule.placements.of.get(buffer) {
            Some(Placement::Slot(_)) => true,
            Some(Placement::Output(_)) => schedule::is_unbacked(self.program, bytes_of(self.program, buffer)),
            _ => false,
        };
        if !waits {
            return Ok(None);
        }
        Ok(Some(Step::Allocate { buffer: self.buffer(buffer)? }))
    }

    fn kernel_step(
        &mut self,
        call: &Call,
        scratch_buffer: Option<plan::BufferId>,
        effects: Effects,
    ) -> Result<Step, SessionError> {
        if let Some(Routine { attributes, operands, .. }) = &call.routine {
            let operands = operands.iter().map(|b| self.buffer(*b)).collect::<Result<_, _>>()?;
            let attributes = attributes.try_map(|value| self.scalar(*value))?;
            let workspace = self.scalar(self.graph.syms.constant(plan::external::WORKSPACE))?;
            return Ok(Step::Extern { attributes, operands, workspace });
        }
        let next = plan::KernelId(self.plan.kernels.len() as u32);
        let kernel = *self.kernels.entry(call.symbol.clone()).or_insert(next);
        if kernel == next {
            self.plan.kernels.push(plan::Kernel { symbol: call.symbol.clone() });
        }
        let buffers = call.buffers.iter().map(|b| self.buffer(*b)).collect::<Result<_, _>>()?;
        let symbols: Vec<SymInt> = call.symbols.iter().map(|s| self.graph.syms.symbol_expr(*s)).collect();
        Ok(Step::Kernel {
            kernel,
            buffers,
            scalars: self.scalars(&symbols)?,
            tasks: self.scalar(call.tasks)?,
            grain: self.scalar(call.grain)?,
            scratch: self.scalar(call.scratch)?,
            scratch_buffer,
            maps: call.maps.iter().map(|m| self.map(m)).collect::<Result<_, _>>()?,
            lasting: effects.lasting,
            packs: effects.packs,
        })
    }

    fn map(&mut self, map: &TensorMap) -> Result<plan::TensorMap, SessionError> {
        let item = self.program.buffers[map.buffer].dtype.size() as i64;
        let bytes = |s: SymInt| self.graph.syms.mul_const(s, item);
        let (offset, strides) =
            (bytes(map.offset), map.strides.iter().map(|s| bytes(*s)).collect::<Vec<_>>());
        Ok(plan::TensorMap {
            buffer: self.buffer(map.buffer)?,
            dtype: self.program.buffers[map.buffer].dtype.number(),
            offset: self.scalar(offset)?,
            sizes: self.scalars(&map.sizes)?,
            strides: self.scalars(&strides)?,
            boxes: map.boxes.clone(),
            steps: map.steps.clone(),
            swizzle: map.swizzle,
            tf32: map.tf32,
        })
    }
}

/// Sizes and strides of a buffer whose dimensions may lie in another order.
/// True if a buffer and the result that it holds are both contiguous, each by its own sizes. The sizes are equal, but a decomposition may
/// have computed them by other expressions.
fn is_contiguous_as_shown(
    syms: &SymArena,
    (sizes, strides): (&[SymInt], &[SymInt]),
    (shape_shown, strides_shown): (&[SymInt], &[SymInt]),
) -> bool {
    let is_one = |size: SymInt| syms.as_const(size) == Some(1);
    let repeats = sizes.iter().zip(shape_shown).any(|(own, shown)| is_one(*own) != is_one(*shown));
    !repeats
        && strides == contiguous_strides(syms, sizes)
        && strides_shown == contiguous_strides(syms, shape_shown)
}

fn in_order(data: &BufferData, order: Option<&Vec<usize>>) -> (Vec<SymInt>, Vec<SymInt>) {
    let (mut sizes, mut strides) = (data.sizes.clone(), data.strides.clone());
    for (place, dim) in order.into_iter().flatten().enumerate() {
        (sizes[*dim], strides[*dim]) = (data.sizes[place], data.strides[place]);
    }
    (sizes, strides)
}
