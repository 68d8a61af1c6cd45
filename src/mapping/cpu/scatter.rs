//! Scatters: one task takes all points, in their order, since any two of them may meet.

use super::{LINES, declare_buffers, finish};
use crate::kernels::{
    Access, Axis, Builtin, IndexOp, Kernel, Launch, LocalId, Pointer, Role, Shape, Statement, Type, Unroll,
    Value, ValueId,
};
use crate::loops::{BufferId, Expr, ExprId, Program, ScatterMode};
use crate::mapping::emit::{Emitter, Span};
use crate::mapping::lines::{Lines, open_ends};
use crate::schedule::Group;
use crate::schedule::lane_axis::moves;
use crate::target::CpuTarget;
use crate::types::{Dtype, SymInt};

/// Takes the value at each point of `sizes` into the element of `out` that `index` names, which begins as `initial`.
pub struct Scatter<'n> {
    pub sizes: &'n [SymInt],
    pub index: &'n [SymInt],
    pub data: &'n [ExprId],
    pub value: ExprId,
    pub mode: ScatterMode,
    pub initial: ExprId,
    pub out: BufferId,
}

/// The kernel of a scatter.
pub fn kernel(program: &Program, group: &Group, scatter: &Scatter<'_>, target: &CpuTarget) -> Kernel {
    let mut emitter = Emitter::new(program);
    let mut buffers = declare_buffers(&mut emitter, group);
    let place = buffers.iter().position(|b| b.buffer == scatter.out).expect("the result is a parameter");
    buffers[place].role = Role::Accumulated;
    let lanes = target.isa.lanes() as i64;
    let lines = Lines { emitter: &mut emitter, program, group };
    Writer { lines, pointer: Pointer::buffer(place), lanes }.build(scatter);
    let syms = &program.syms;
    let (tasks, grain, scratch) = (syms.constant(1), syms.constant(LINES), syms.constant(0));
    finish(emitter, buffers, Launch::Cpu { tasks, grain, scratch }, lanes)
}

struct Writer<'e, 'p> {
    lines: Lines<'e, 'p>,
    /// The result.
    pointer: Pointer,
    lanes: i64,
}

impl Writer<'_, '_> {
    fn build(&mut self, s: &Scatter<'_>) {
        let program = self.lines.program;
        let sizes = program.buffers[s.out].sizes.clone();
        let vars = program.vars(&sizes);
        let own = self.lines.offset(s.out, &vars);
        // What lies there already needs no loop.
        let there = matches!(&program.exprs[s.initial], Expr::Load { buffer, index, .. }
            if *buffer == s.out && index[..] == [own]);
        if !there {
            self.fill(&sizes, &vars, own, s.initial);
        }
        self.lines.emitter.open();
        let offset = self.lines.offset(s.out, s.index);
        let along = runs_along(program, s, offset);
        let loops = self.open_loops(&s.sizes[..s.sizes.len() - usize::from(along.is_some())]);
        let has_place = self.lines.has_place(s.mode, s.out, (s.index, s.data));
        if has_place.is_some() {
            self.lines.emitter.open();
        }
        let (pointer, e) = (self.pointer.clone(), &mut *self.lines.emitter);
        match along {
            Some(last) => {
                let var = program.syms.index_var(s.sizes.len() as u32 - 1, last);
                let span = span(e, var, last, self.lanes);
                e.over_lanes(span, &mut |e| {
                    let operand = e.value(s.value);
                    let value = e.vector(operand);
                    let at = e.index_of_data(offset, s.data);
                    let shape = match e.lanes.and_then(|l| l.count) {
                        Some(count) => Shape::Tail { count },
                        None => Shape::Vector { aligned: false },
                    };
                    take(e, s.mode, Access { pointer: pointer.clone(), at, shape }, value);
                });
            }
            None => {
                let value = e.value(s.value).value;
                let at = e.index_of_data(offset, s.data);
                take(e, s.mode, Access { pointer, at, shape: Shape::Element }, value);
            }
        }
        if let Some(condition) = has_place {
            self.lines.emitter.close_if(condition);
        }
        self.close_loops(loops);
        self.close_task();
    }

    /// Gives each element what it begins as.
    fn fill(&mut self, sizes: &[SymInt], vars: &[SymInt], own: SymInt, initial: ExprId) {
        self.lines.emitter.open();
        let loops = self.open_loops(&sizes[..sizes.len().saturating_sub(1)]);
        let (pointer, e) = (self.pointer.clone(), &mut *self.lines.emitter);
        match sizes.last() {
            Some(last) => {
                let span = span(e, vars[vars.len() - 1], *last, self.lanes);
                e.over_lanes(span, &mut |e| e.store(pointer.clone(), own, initial));
            }
            None => e.store(pointer, own, initial),
        }
        self.close_loops(loops);
        self.close_task();
    }

    /// Closes the innermost scope as what the task does, if this call has it.
    fn close_task(&mut self) {
        let e = &mut *self.lines.emitter;
        let then = e.close_block();
        let ends = [e.builtin(Builtin::Begin), e.builtin(Builtin::End)];
        let condition = e.index_op(IndexOp::Less, &ends);
        e.push(Statement::If { condition, then, otherwise: Vec::new() });
    }

    fn open_loops(&mut self, sizes: &[SymInt]) -> Vec<(LocalId, ValueId)> {
        let syms = std::sync::Arc::clone(&self.lines.program.syms);
        let e = &mut *self.lines.emitter;
        let mut loops = Vec::with_capacity(sizes.len());
        for (k, size) in sizes.iter().enumerate() {
            let (variable, bound) = (e.local("j", Type::Index), e.index(*size));
            e.open();
            let (level, place) = (e.depth(), e.local_value(variable));
            e.bind(syms.index_var(k as u32, *size), place, level);
            loops.push((variable, bound));
        }
        loops
    }
    fn close_loops(&mut self, loops: Vec<(LocalId, ValueId)>) {
        for (variable, bound) in loops.into_iter().rev() {
            self.lines.emitter.close_loop(variable, bound, Axis::Serial, Unroll::Free);
        }
    }
}

/// All elements of a dimension.
fn span(e: &mut Emitter<'_>, variable: SymInt, size: SymInt, lanes: i64) -> Span {
    let known = e.program.syms.as_const(size);
    let divisible = known.is_some_and(|n| n % lanes == 0);
    Span { variable, first: e.integer(0), last: e.index(size), known, lanes, whole: true, divisible }
}

/// Takes a value into what lies there.
fn take(e: &mut Emitter<'_>, mode: ScatterMode, access: Access, value: ValueId) {
    let value = mode.combination().map_or(value, |op| {
        let there = e.add(Value::Load(access.clone()));
        e.add(Value::Binary(op, there, value))
    });
    e.push(Statement::Store { access, value });
}

/// The size of the innermost loop, where what it scatters are neighbours beside one another: no two lanes meet.
fn runs_along(program: &Program, s: &Scatter<'_>, offset: SymInt) -> Option<SymInt> {
    let (syms, last) = (&program.syms, *s.sizes.last()?);
    let var = syms.as_symbol(syms.index_var(s.sizes.len() as u32 - 1, last))?;
    let step = syms.linear_in(offset, var).and_then(|(step, _)| syms.as_const(step));
    let reads = |e: &ExprId| matches!(&program.exprs[*e], Expr::Load { buffer, .. } if *buffer == s.out);
    let plain =
        !program.exprs.loads(&[s.value]).iter().any(reads) && program.buffers[s.out].dtype != Dtype::Bool;
    let same = !moves(program, s.data, var)
        && open_ends(program, s.mode, s.out, s.index).all(|(i, _)| !syms.depends_on(i, var));
    (step == Some(1) && plain && same).then_some(last)
}
