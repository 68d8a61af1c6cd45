//! Scatters. Where two points may meet in one element and their order shows, as it does when floats are added, the points of
//! an element are one thread's, which takes them in their order, or, where very many meet, one block's, which puts them together
//! in an order that is always the same: results do not depend on how threads run. They are brought together by sorting all points
//! by their places, all together, or each block those that it finds among few. Otherwise points are dealt out over all threads, and
//! atomic operations join those that meet.
//!
//! A scatter finds in its result what was there before: `schedule::fill` saw to that.

use super::template::{Blocks, Template};
use crate::kernels::{
    Access, Axis, IndexOp, Kernel, LocalId, Operand, Pointer, Role, Routine, Shape, Statement, Type, Unroll,
    Value, ValueId,
};
use crate::loops::{Expr, NodeKind, ScatterMode};
use crate::schedule::workspaces::{Points, ScatterShape};
use crate::templates::scan_sort::{AT_ONCE, Scatter, Sort, THREADS};
use crate::types::{Scalar, SymInt};

impl Template<'_> {
    pub(super) fn scatter(mut self) -> Kernel {
        let NodeKind::Scatter { sizes, index, data, value, mode, out, .. } =
            self.program.nodes[self.node].kind.clone()
        else {
            unreachable!("a scatter's node is one")
        };
        let (program, syms) = (self.program, &self.program.syms);
        self.set_role(out, Role::Combined);
        let s = Points { sizes: &sizes, index: &index, data: &data, value, mode, out };
        let all: Vec<usize> = (0..sizes.len()).collect();
        let none = syms.constant(0);
        match s.shape(program, self.target) {
            ScatterShape::Points { .. } if mode == ScatterMode::SetAny => self.any(&s, &all),
            ScatterShape::Points { meet } => {
                let total = s.space(program, &all);
                let point = self.open_own("point", total);
                self.lines().bind_dims(&sizes, &all, point);
                // Points that meet where they replace one another bring the same number.
                let same = mode == ScatterMode::Set && matches!(program.exprs[value], Expr::Constant(..));
                self.take_point(&s, meet || same);
                self.emitter.close_scope();
                self.finish(Blocks::new(syms.ceildiv(total, syms.constant(THREADS)), THREADS, none))
            }
            ScatterShape::Own { apart, meeting } => {
                let total = s.space(program, &apart);
                let own = self.open_own("own", total);
                self.lines().bind_dims(&sizes, &apart, own);
                let end = self.emitter.index(s.space(program, &meeting));
                let point = self.emitter.local("point", Type::Index);
                self.emitter.open();
                let at = self.emitter.local_value(point);
                self.lines().bind_dims(&sizes, &meeting, at);
                self.take_point(&s, false);
                self.emitter.close_loop(point, end, Axis::Serial, Unroll::Free);
                self.emitter.close_scope();
                self.finish(Blocks::new(syms.ceildiv(total, syms.constant(THREADS)), THREADS, none))
            }
            ScatterShape::Sorted { apart, meeting } => self.sorted(&s, &apart, &meeting),
            ScatterShape::Near { lines, beside, meeting, groups } => {
                self.near(&s, [&lines, &beside, &meeting], groups)
            }
        }
    }

    /// Where the point goes, and its value.
    fn point(&mut self, s: &Points<'_>) -> [ValueId; 2] {
        let offset = self.lines().offset(s.out, s.index);
        let v = self.emitter.value(s.value).value;
        [self.emitter.index_of_data(offset, s.data), v]
    }

    /// Takes the point's value into its element.
    fn take_point(&mut self, s: &Points<'_>, atomic: bool) {
        let ([at, value], pointer) = (self.point(s), self.pointer(s.out));
        self.put(pointer, s.mode, [at, value], atomic);
    }
    fn put(&mut self, pointer: Pointer, mode: ScatterMode, [at, value]: [ValueId; 2], atomic: bool) {
        let access = Access { pointer, at, shape: Shape::Element };
        self.emitter.push(Statement::Scatter { access, mode, value, atomic });
    }

    /// Several points to a thread where they are more than threads that run at a time. Any one may stay where they meet: very
    /// many go where what is left out goes, behind all others, and of those a thread writes one.
    fn any(mut self, s: &Points<'_>, all: &[usize]) -> Kernel {
        let (program, syms) = (self.program, &self.program.syms);
        let total = s.space(program, all);
        let at_once = 2048 * self.target.multiprocessors as i64;
        let each = (syms.hint(total) / at_once).clamp(1, Scatter::MOST_OF_A_THREAD);
        let (dtype, pointer) = (program.exprs.dtype(s.value), self.pointer(s.out));
        let e = &mut self.emitter;
        let none = e.integer(-1);
        let held = e.local("held", Type::Index);
        e.push(Statement::Variable { local: held, value: Some(none) });
        let zero = e.add(Value::Constant(Scalar::Int(0), dtype));
        let kept = e.local("kept", Type::Scalar(dtype));
        e.push(Statement::Variable { local: kept, value: Some(zero) });
        let [held, kept] = [held, kept].map(|local| e.local_value(local));
        let count = e.index(total);
        let k = e.local("k", Type::Index);
        e.open();
        let [block, thread] = [crate::kernels::Builtin::BlockIndex, crate::kernels::Builtin::ThreadIndex]
            .map(|builtin| e.builtin(builtin));
        let (turn, each_value, threads) = (e.local_value(k), e.integer(each), e.integer(THREADS));
        let first = e.times(block, each_value);
        let row = e.plus(first, turn);
        let row = e.times(row, threads);
        let point = e.plus(row, thread);
        let point = e.named("point", Type::Index, point);
        let there = e.index_op(IndexOp::Less, &[point, count]);
        e.open();
        self.lines().bind_dims(s.sizes, all, point);
        let [at, value] = self.point(s);
        let at = self.emitter.named("at", Type::Index, at);
        let before = self.emitter.index_op(IndexOp::Less, &[at, held]);
        self.emitter.open();
        self.put(pointer.clone(), s.mode, [at, value], true);
        self.emitter.close_if(before);
        let behind = self.emitter.index_op(IndexOp::Greater, &[at, held]);
        self.emitter.open();
        self.put_held(&pointer, s.mode, [held, kept]);
        self.emitter.push(Statement::Assign { place: held, value: at });
        self.emitter.push(Statement::Assign { place: kept, value });
        self.emitter.close_if(behind);
        self.emitter.close_if(there);
        self.emitter.close_counted(k, each, Axis::Serial, Unroll::Times(4));
        self.put_held(&pointer, s.mode, [held, kept]);
        let blocks = syms.ceildiv(total, syms.constant(THREADS * each));
        self.finish(Blocks::new(blocks, THREADS, syms.constant(0)))
    }

    /// Writes what a thread holds, if it holds anything.
    fn put_held(&mut self, pointer: &Pointer, mode: ScatterMode, [held, kept]: [ValueId; 2]) {
        let zero = self.emitter.integer(0);
        let holds = self.emitter.index_op(IndexOp::GreaterEqual, &[held, zero]);
        self.emitter.open();
        self.put(pointer.clone(), mode, [held, kept], true);
        self.emitter.close_if(holds);
    }

    fn sorted(mut self, s: &Points<'_>, apart: &[usize], meeting: &[usize]) -> Kernel {
        let (program, syms) = (self.program, &self.program.syms);
        let (beside, points) = (s.space(program, apart), s.space(program, meeting));
        let regions = self.point_regions(s, [&[], apart, meeting]);
        let threads = Scatter::SHARING;
        let (dtype, wide) = (program.exprs.dtype(s.value), s.tag_bytes(program) > 8);
        let routine = Routine::ScatterSorted { dtype, mode: s.mode, threads, wide };
        let operands = self.result_and_workspace(s);
        self.call(routine, operands, &[syms.constant(1), points, beside], regions);
        let tiles = syms.ceildiv(points, syms.constant(Scatter::SHARING * Sort::EACH));
        let more = syms.ceildiv(syms.mul(points, beside), syms.constant(Scatter::SHARING));
        let at_once = syms.constant(AT_ONCE * self.target.multiprocessors as i64);
        let blocks = syms.min(syms.max(tiles, more), at_once);
        let shared = Scatter::SHARING * Sort::EACH * Sort::padded(s.tag_bytes(program)) + Sort::RESERVED;
        self.finish(Blocks::new(blocks, threads, syms.constant(shared)))
    }

    fn near(mut self, s: &Points<'_>, dims: [&[usize]; 3], groups: i64) -> Kernel {
        let (program, syms) = (self.program, &self.program.syms);
        let [lines, beside, points] = dims.map(|dims| s.space(program, dims));
        // A line's points are a block's, which needs no more threads than there are eights of them.
        let few = syms.hint(points).max(1) as u64;
        let threads = if groups > 1 {
            Scatter::SHARING
        } else {
            (few.div_ceil(Sort::EACH as u64).next_power_of_two() as i64).clamp(64, Scatter::SHARING)
        };
        let regions = self.point_regions(s, dims);
        let (dtype, wide) = (program.exprs.dtype(s.value), s.tag_bytes(program) > 8);
        let routine = Routine::ScatterNear { dtype, mode: s.mode, threads, wide, groups };
        let operands = self.result_and_workspace(s);
        self.call(routine, operands, &[lines, points, beside], regions);
        let chunks = syms.ceildiv(beside, syms.constant(Scatter::NEAR_WIDE));
        let blocks = syms.mul_const(syms.mul(lines, chunks), groups);
        let shared = syms.constant(s.near_bytes(program) * threads / Scatter::SHARING);
        self.finish(Blocks::new(blocks, threads, shared))
    }

    fn result_and_workspace(&self, s: &Points<'_>) -> Vec<Operand> {
        let out = Operand::Memory(Box::new(self.whole(s.out)));
        [out].into_iter().chain(self.workspace()).collect()
    }

    /// A point's key and value, and where an element lies from its key.
    fn point_regions(&mut self, s: &Points<'_>, dims: [&[usize]; 3]) -> Vec<Option<LocalId>> {
        let program = self.program;
        let [line, beside, meeting] = dims;
        let spaces = dims.map(|dims| s.space(program, dims));
        let open = |t: &mut Self, name| {
            let mut region = t.emitter.open_region(name);
            let coordinates = [("line", line, spaces[0]), ("point", meeting, spaces[2])];
            for (name, dims, size) in coordinates {
                let at = t.emitter.coordinate(&mut region, name, size);
                t.lines().bind_dims(s.sizes, dims, at);
            }
            region
        };
        let mut region = open(self, "key_of");
        let to = self.emitter.variable(&mut region, "to", Type::Index);
        let moved = s.moved(program, beside);
        let moved = self.emitter.index_of_data(moved, s.data);
        self.emitter.push(Statement::Assign { place: to, value: moved });
        let key_of = self.emitter.close_region(region, None);

        let mut region = self.emitter.open_region("rest_of");
        self.bind_beside(&mut region, s, beside, spaces[1]);
        let rest = self.emitter.index(s.rest(program, beside));
        self.emitter.push(Statement::Give(rest));
        let rest_of = self.emitter.close_region(region, Some(Type::Index));

        let mut region = open(self, "value_of");
        self.bind_beside(&mut region, s, beside, spaces[1]);
        let to = self.emitter.variable(&mut region, "to", Type::Scalar(program.exprs.dtype(s.value)));
        let v = self.emitter.value(s.value).value;
        self.emitter.push(Statement::Assign { place: to, value: v });
        vec![Some(key_of), Some(rest_of), Some(self.emitter.close_region(region, None))]
    }

    fn bind_beside(
        &mut self,
        region: &mut crate::mapping::emit::OpenRegion,
        s: &Points<'_>,
        beside: &[usize],
        size: SymInt,
    ) {
        let own = self.emitter.coordinate(region, "own", size);
        self.lines().bind_dims(s.sizes, beside, own);
    }
}
