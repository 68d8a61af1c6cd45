//! Shared by the templates of a GPU: operands as regions and memory, and epilogues.

use crate::base::HashSet;
use crate::kernels::{
    BufferParameter, Kernel, Launch, LocalId, Memory, Operand, Pointer, Role, Routine, Statement,
    TemplateCall, TensorMap, Type, ValueId,
};
use crate::loops::{BinaryOp, BufferId, Expr, ExprId, Program, UnaryOp};
use crate::mapping::emit::{Conversion, Emitter, Finished, Lanes, Storage};
use crate::mapping::parameters;
use crate::schedule::{Group, GroupKind, Item};
use crate::target::CudaTarget;
use crate::types::{Dtype, SymInt};

/// A template's kernel being built.
pub struct Template<'p> {
    pub emitter: Emitter<'p>,
    pub program: &'p Program,
    pub group: &'p Group,
    pub target: &'p CudaTarget,
    pub node: usize,
    /// Elements of a vector.
    pub lanes: i64,
    parameters: Vec<BufferParameter>,
    maps: Vec<TensorMap>,
}

/// How a template's blocks are launched, and their dynamic shared memory.
pub(super) struct Blocks {
    pub count: SymInt,
    pub threads: i64,
    pub cluster: i64,
    pub resident: i64,
    pub shared: SymInt,
}

impl Blocks {
    pub fn new(count: SymInt, threads: i64, shared: SymInt) -> Blocks {
        Blocks { count, threads, cluster: 1, resident: 0, shared }
    }
}

/// A coordinate of a region: the variable that it is, the size of its dimension, and its name.
pub(super) type Coordinate = (SymInt, SymInt, &'static str);

impl<'p> Template<'p> {
    pub fn new(program: &'p Program, group: &'p Group, target: &'p CudaTarget, node: usize) -> Self {
        let buffers = group.reads.iter().chain(&group.writes).copied().chain(group.semaphores());
        let mut emitter = Emitter::new(program);
        let parameters = parameters::declare(&mut emitter, group, &buffers.collect::<Vec<_>>());
        Template { emitter, program, group, target, node, lanes: 1, parameters, maps: Vec::new() }
    }

    /// Calls the routine with the whole block.
    pub(super) fn call(
        &mut self,
        routine: Routine,
        operands: Vec<Operand>,
        numbers: &[SymInt],
        regions: Vec<Option<LocalId>>,
    ) {
        let numbers = numbers.iter().map(|n| self.emitter.index(*n)).collect();
        let call = TemplateCall { routine, operands, numbers, regions };
        self.emitter.push(Statement::Template(Box::new(call)));
    }

    pub(super) fn finish(self, blocks: Blocks) -> Kernel {
        let Finished { body, symbols } = self.emitter.finish();
        let Blocks { count, threads, cluster, resident, shared } = blocks;
        let launch = Launch::Gpu { blocks: count, threads, cluster, resident, shared };
        Kernel { buffers: self.parameters, symbols, launch, lanes: self.lanes, maps: self.maps, body }
    }

    /// Says otherwise what the kernel does with a buffer.
    pub(super) fn set_role(&mut self, buffer: BufferId, role: Role) {
        self.parameters.iter_mut().filter(|p| p.buffer == buffer).for_each(|p| p.role = role);
    }

    /// The start of a buffer.
    pub(super) fn pointer(&self, buffer: BufferId) -> Pointer {
        parameters::pointer(&self.parameters, buffer)
    }

    /// All of a buffer.
    pub(super) fn whole(&self, buffer: BufferId) -> Memory {
        parameters::whole(self.program, self.group, &self.parameters, buffer)
    }

    /// A parameter by which the copy engine moves boxes of a tensor; its place.
    pub(super) fn map(&mut self, map: TensorMap) -> usize {
        self.maps.push(map);
        self.maps.len() - 1
    }

    pub(super) fn epilogue_items(&self) -> (Vec<SymInt>, Vec<Item>) {
        match &self.group.kind {
            GroupKind::Template { dims, epilogue, .. } => (dims.clone(), epilogue.clone()),
            _ => unreachable!("a template's group is one"),
        }
    }

    /// A region that gives an element of an operand at coordinates: first a position in each space, then the variables.
    pub(super) fn element(
        &mut self,
        name: &'static str,
        spaces: &[(&'static str, &[SymInt])],
        coordinates: &[Coordinate],
        operand: ExprId,
        dtype: Dtype,
    ) -> LocalId {
        let own = self.program.exprs.dtype(operand);
        let syms = &self.program.syms;
        let mut region = self.emitter.open_region(name);
        for (position, sizes) in spaces {
            let at = self.emitter.coordinate(&mut region, position, syms.product(sizes));
            self.emitter.bind_point(sizes, at);
        }
        for (variable, size, name) in coordinates {
            let at = self.emitter.coordinate(&mut region, name, *size);
            let level = self.emitter.depth();
            self.emitter.bind(*variable, at, level);
        }
        let mut value = self.emitter.value(operand);
        if own != dtype {
            value = self.emitter.convert(value, dtype);
        }
        self.emitter.push(Statement::Give(value.value));
        self.emitter.close_region(region, Some(Type::Scalar(dtype)))
    }

    /// Binds a variable; values are vectors along it from here on, where a vector has several elements.
    pub(super) fn lanes_along(&mut self, variable: SymInt, at: ValueId) {
        let level = self.emitter.depth();
        self.emitter.bind(variable, at, level);
        if self.lanes > 1
            && let Some(symbol) = self.program.syms.as_symbol(variable)
        {
            self.emitter.lanes = Some(Lanes { symbol, count: None, multiple: None });
        }
    }

    /// Lets the epilogue find the template's result in `sums`, which begin with the element at `start`; returns the conversion that
    /// rounds them.
    pub(super) fn keep_sums(
        &mut self,
        out: BufferId,
        dtype: Dtype,
        pointer: &Pointer,
        start: ValueId,
    ) -> Option<Conversion> {
        let stored = self.program.buffers[out].dtype;
        let convert = match stored {
            _ if stored == dtype => None,
            reduced if reduced.is_reduced_float() => Some(Conversion::Round(reduced)),
            other => Some(Conversion::Cast(other)),
        };
        let sums = Storage::Accumulator { pointer: pointer.clone(), start, convert };
        self.emitter.storage.insert(out, sums);
        convert
    }

    /// What of the epilogue is only rounded to halves.
    pub(super) fn rounded(&self, items: &[Item]) -> HashSet<ExprId> {
        let exprs = &self.program.exprs;
        let (mut rounded, mut exact) = (HashSet::default(), HashSet::default());
        let mut roots = Vec::new();
        for item in items {
            if let Item::Store { buffer, value, .. } = item {
                let half = self.program.buffers[*buffer].dtype.is_reduced_float();
                if half {
                    rounded.insert(*value)
                } else {
                    exact.insert(*value)
                };
                roots.push(*value);
            }
        }
        for id in exprs.postorder(&roots).into_iter().rev() {
            let keeps = match &exprs[id] {
                Expr::Cast(to, _) if to.is_reduced_float() => true,
                Expr::Binary(BinaryOp::Mul | BinaryOp::Div, ..) | Expr::Unary(UnaryOp::Neg, _) => {
                    !exact.contains(&id)
                }
                _ => false,
            };
            for operand in exprs.operands(id) {
                if keeps {
                    rounded.insert(operand)
                } else {
                    exact.insert(operand)
                };
            }
        }
        rounded.difference(&exact).copied().collect()
    }

    /// The template's own result where it is needed in memory (`own` is its offset), then what the epilogue stores. The sums at
    /// `pointer` begin with that at `start`.
    pub(super) fn store_epilogue(
        &mut self,
        out: BufferId,
        own: SymInt,
        items: &[Item],
        (dtype, sums, start): (Dtype, Pointer, ValueId),
    ) {
        let convert = self.keep_sums(out, dtype, &sums, start);
        self.emitter.rounded = self.rounded(items);
        if self.group.writes.contains(&out) {
            let pointer = self.pointer(out);
            let sums = self.emitter.accumulator(sums, start, convert);
            self.emitter.store_value(pointer, own, sums);
        }
        for item in items {
            if let Item::Store { buffer, offset, value, .. } = item
                && self.group.writes.contains(buffer)
            {
                let pointer = self.pointer(*buffer);
                self.emitter.store(pointer, *offset, *value);
            }
        }
    }
}
