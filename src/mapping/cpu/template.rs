//! Shared by the templates of a CPU: operands in memory, and epilogues of finished rows.

use super::{declare_buffers, finish};
use crate::kernels::{
    BufferParameter, Kernel, Launch, Memory, Operand, Pointer, Routine, Statement, TemplateCall, ValueId,
};
use crate::kernels::{LocalId, reach};
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Expr, ExprId, Program};
use crate::mapping::emit::{Conversion, Emitter, Span, Storage};
use crate::mapping::parameters;
use crate::schedule::{Group, GroupKind, Item};
use crate::target::CpuTarget;
use crate::types::{Dtype, SymInt};

/// A template's kernel being built.
pub struct Template<'p> {
    pub emitter: Emitter<'p>,
    pub program: &'p Program,
    pub group: &'p Group,
    pub target: &'p CpuTarget,
    pub node: usize,
    /// Bytes of scratch that a thread should need at most.
    pub most_scratch: i64,
    parameters: Vec<BufferParameter>,
}

/// A row of sums that a template has finished.
#[derive(Clone)]
pub(super) struct Sums {
    pub pointer: Pointer,
    /// The first element of the row, and how many there are.
    pub run: [ValueId; 2],
    /// Each row's first element and length are multiples of the lanes.
    pub whole_vectors: bool,
    pub convert: Option<Conversion>,
}

impl<'p> Template<'p> {
    pub fn new(
        program: &'p Program,
        group: &'p Group,
        target: &'p CpuTarget,
        node: usize,
        most_scratch: i64,
    ) -> Self {
        let mut emitter = Emitter::new(program);
        let parameters = declare_buffers(&mut emitter, group);
        Template { emitter, program, group, target, node, most_scratch, parameters }
    }

    /// Calls the routine; the kernel's only work.
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

    pub(super) fn finish(self, tasks: SymInt, grain: i64, scratch: SymInt) -> Kernel {
        let grain = self.program.syms.constant(grain);
        let launch = Launch::Cpu { tasks, grain, scratch };
        finish(self.emitter, self.parameters, launch, self.target.isa.lanes() as i64)
    }

    /// The start of a buffer.
    pub(super) fn pointer(&self, buffer: BufferId) -> Pointer {
        parameters::pointer(&self.parameters, buffer)
    }

    /// All of a buffer.
    pub(super) fn whole(&self, buffer: BufferId) -> Memory {
        parameters::whole(self.program, self.group, &self.parameters, buffer)
    }

    /// An operand that is a strided load (the schedule saw to that): its dtype in memory, and its strides.
    pub(super) fn operand(&mut self, operand: ExprId, sizes: &[SymInt]) -> (Operand, Dtype, Vec<SymInt>) {
        let program = self.program;
        let syms = &program.syms;
        let load = reduced_load(program, operand);
        let Expr::Load { buffer, index, .. } = &program.exprs[load] else {
            unreachable!("the operand is a load")
        };
        let (mut rest, mut strides) = (index[0], Vec::new());
        for var in program.vars(sizes) {
            let step = syms.as_symbol(var).and_then(|s| syms.linear_in(rest, s));
            let (step, left) = step.unwrap_or((syms.constant(0), rest));
            strides.push(step);
            rest = left;
        }
        // A dimension of one element may have any stride; the template asks for that of whole rows.
        for k in (0..sizes.len().saturating_sub(1)).rev() {
            if syms.as_const(sizes[k]) == Some(1) {
                let below = if k + 2 == sizes.len() { syms.constant(1) } else { strides[k + 1] };
                strides[k] = syms.mul(below, sizes[k + 1]);
            }
        }
        let (dtype, pointer) = (program.exprs.dtype(load), self.pointer(*buffer));
        let elements = reach(syms, sizes, &strides);
        let at = Some(self.emitter.index(rest));
        let memory = Memory { pointer, dtype, at, strides: Vec::new(), elements, written: false };
        (Operand::Memory(Box::new(memory)), dtype, strides)
    }

    /// Whether a product of these sizes, in blocks of so many rows, keeps off subnormal factors.
    pub(super) fn watches(&self, dtype: Dtype, block: i64, sizes: &[SymInt]) -> bool {
        let known = |size: &SymInt| self.program.syms.as_const(*size);
        let multiplications = sizes.iter().try_fold(1i64, |all, size| Some(all.saturating_mul(known(size)?)));
        dtype == Dtype::Float32 && self.target.register_tile().watches(block, multiplications)
    }

    /// Whether a dimension is made of whole vectors. Its blocks are, too: they are made of panels.
    pub(super) fn fills_vectors(&self, size: SymInt) -> bool {
        let lanes = self.target.isa.lanes() as i64;
        self.program.syms.as_const(size).is_some_and(|size| size % lanes == 0)
    }

    /// The result and the items of the epilogue, over the variables of the result's dimensions.
    pub(super) fn epilogue(&self) -> (Vec<SymInt>, Vec<Item>) {
        match &self.group.kind {
            GroupKind::Template { dims, epilogue, .. } => (dims.clone(), epilogue.clone()),
            _ => unreachable!("what has an epilogue is a template"),
        }
    }

    /// From here on the template's own result is found among the sums; gives where it lies otherwise.
    pub(super) fn find_sums(&mut self, out: BufferId, sums: &Sums) -> Option<Storage> {
        let Sums { pointer, run: [start, _], convert, .. } = sums.clone();
        self.emitter.storage.insert(out, Storage::Accumulator { pointer, start, convert })
    }

    /// The loop over a row of finished sums: the template's own result where it is needed in memory (`own` is its
    /// offset), then what the epilogue stores.
    pub(super) fn store_epilogue(
        &mut self,
        var: SymInt,
        own: SymInt,
        memory: Option<Storage>,
        epilogue: &[Item],
        sums: &Sums,
    ) {
        let (group, lanes) = (self.group, self.target.isa.lanes() as i64);
        let Sums { pointer: from, run: [start, count], whole_vectors, convert } = sums.clone();
        let pointers: Vec<Option<Pointer>> = epilogue
            .iter()
            .map(|item| match item {
                Item::Store { buffer, .. } if group.writes.contains(buffer) => Some(self.pointer(*buffer)),
                _ => None,
            })
            .collect();
        let last = self.emitter.plus(start, count);
        let span = Span {
            variable: var,
            first: start,
            last,
            known: None,
            lanes,
            whole: whole_vectors,
            divisible: whole_vectors,
        };
        self.emitter.over_lanes(span, &mut |e| {
            if let Some(Storage::Memory(pointer)) = &memory {
                let sums = e.accumulator(from.clone(), start, convert);
                e.store_value(pointer.clone(), own, sums);
            }
            for (item, pointer) in epilogue.iter().zip(&pointers) {
                if let (Item::Store { offset, value, .. }, Some(pointer)) = (item, pointer) {
                    e.store(pointer.clone(), *offset, *value);
                }
            }
        });
    }
}
