//! Scans: a thread walks a line, a block has segments of neighbouring lines, or one or more blocks share a line
//! (`schedule::workspaces` decides which).
//!
//! Where a thread or a block has one line, the line is named before the regions, so that they do not find it again for each element.

use super::template::{Blocks, Template};
use crate::kernels::{Builtin, IndexOp, Kernel, LocalId, Operand, Routine, Statement, Type, ValueId};
use crate::loops::NodeKind;
use crate::mapping::lines::Lines;
use crate::mapping::scan::{self, Scan};
use crate::schedule::workspaces::{ScanShape, scan_shape};
use crate::templates::scan_sort::{self as template, AT_ONCE, THREADS};
use crate::types::{Dtype, SymInt};

impl Template<'_> {
    pub(super) fn scan(mut self) -> Kernel {
        let NodeKind::Scan { sizes, axis, op, value, outs } = self.program.nodes[self.node].kind.clone()
        else {
            unreachable!("a scan's node is one")
        };
        let scan = Scan { sizes: &sizes, axis, op, value, outs: &outs };
        let (program, syms) = (self.program, &self.program.syms);
        let dtype = program.exprs.dtype(value);
        let shape = scan_shape(program, &sizes, axis, outs[0], self.target);
        let (count, n) = (self.lines().count(&sizes, axis), sizes[axis]);
        let none = syms.constant(0);
        match shape {
            ScanShape::Thread => {
                let row = self.open_own("row", count);
                self.lines().bind(&sizes, axis, row);
                scan::walk(&mut self.lines(), &scan, dtype);
                self.emitter.close_scope();
                let blocks = syms.ceildiv(count, syms.constant(THREADS));
                self.finish(Blocks::new(blocks, THREADS, none))
            }
            ScanShape::Beside => {
                let threads = template::Scan::WIDE;
                let e = &mut self.emitter;
                let [block, thread] = [Builtin::BlockIndex, Builtin::ThreadIndex].map(|b| e.builtin(b));
                let (warp, one, total) = (e.integer(32), e.integer(1), e.index(count));
                let (first, lane) = (e.times(block, warp), e.rest_of(thread, warp));
                let (own, last) = (e.plus(first, lane), e.minus(total, one));
                // Lines beyond the last are scanned again, with the same result.
                let row = e.lesser(own, last);
                let row = e.named("row", Type::Index, row);
                self.scan_of_line(&scan, row, Routine::ScanBeside { dtype, op, segments: threads / 32 });
                let blocks = syms.ceildiv(count, syms.constant(32));
                self.finish(Blocks::new(blocks, threads, none))
            }
            ScanShape::Blocks { parts: 1, threads } => {
                let row = self.emitter.builtin(Builtin::BlockIndex);
                self.scan_of_line(&scan, row, Routine::ScanLine { dtype, op, threads });
                self.finish(Blocks::new(count, threads, none))
            }
            ScanShape::Blocks { parts, threads } => {
                let regions = self.scan_regions(&scan, Some(count));
                let tile = syms.constant(template::Scan::EACH * threads);
                let whole = syms.constant(parts * template::Scan::EACH * threads);
                let part = syms.mul(syms.ceildiv(n, whole), tile);
                let routine = Routine::ScanParts { dtype, op, threads, parts };
                let operands = self.workspace();
                self.call(routine, operands, &[count, n, part], regions);
                let at_once = syms.constant(AT_ONCE * self.target.multiprocessors as i64);
                let blocks = syms.min(syms.mul_const(count, parts), at_once);
                self.finish(Blocks::new(blocks, threads, none))
            }
        }
    }

    /// The scan of the line that a thread or a block has.
    fn scan_of_line(&mut self, scan: &Scan<'_>, row: ValueId, routine: Routine) {
        self.emitter.open();
        self.lines().bind(scan.sizes, scan.axis, row);
        let regions = self.scan_regions(scan, None);
        let numbers = [self.lines().count(scan.sizes, scan.axis), scan.sizes[scan.axis]];
        self.call(routine, Vec::new(), &numbers, regions);
        self.emitter.close_scope();
    }

    /// What sets an element, and what is given a result, of one of so many lines or of the line at hand.
    fn scan_regions(&mut self, scan: &Scan<'_>, count: Option<SymInt>) -> Vec<Option<LocalId>> {
        let Scan { sizes, axis, op, value, outs } = *scan;
        let dtype = self.program.exprs.dtype(value);
        let mut region = self.open_line("value_at", (sizes, axis), count, sizes[axis]);
        let to = self.emitter.variable(&mut region, "to", Type::Scalar(dtype));
        let v = self.emitter.value(value).value;
        self.emitter.push(Statement::Assign { place: to, value: v });
        let value_at = self.emitter.close_region(region, None);
        let mut region = self.open_line("give", (sizes, axis), count, sizes[axis]);
        let x = self.emitter.given(&mut region, "x", dtype);
        let at = op.has_places().then(|| self.emitter.given(&mut region, "at", Dtype::Int64));
        self.lines().store_at(outs[0], sizes, x);
        if let (Some(places), Some(at)) = (outs.get(1), at) {
            self.lines().store_at(*places, sizes, at);
        }
        vec![Some(value_at), Some(self.emitter.close_region(region, None))]
    }
}

/// What scans, sorts and scatters share.
impl<'p> Template<'p> {
    pub(super) fn lines(&mut self) -> Lines<'_, 'p> {
        Lines { emitter: &mut self.emitter, program: self.program, group: self.group }
    }

    /// The kernel's workspaces, and the semaphores of its phases.
    pub(super) fn workspace(&self) -> Vec<Operand> {
        let Some(workspace) = &self.group.workspace else { return Vec::new() };
        let mut semaphores = self.whole(workspace.semaphores);
        semaphores.written = true;
        let memories = workspace.buffers.iter().map(|buffer| self.whole(*buffer)).chain([semaphores]);
        memories.map(|memory| Operand::Memory(Box::new(memory))).collect()
    }

    /// Begins a region about one of so many steps of a line, which is one of so many or that at hand.
    pub(super) fn open_line(
        &mut self,
        name: &'static str,
        (sizes, axis): (&[SymInt], usize),
        count: Option<SymInt>,
        steps: SymInt,
    ) -> crate::mapping::emit::OpenRegion {
        let mut region = self.emitter.open_region(name);
        if let Some(count) = count {
            let line = self.emitter.coordinate(&mut region, "line", count);
            self.lines().bind(sizes, axis, line);
        }
        let step = self.emitter.coordinate(&mut region, "step", steps);
        self.lines().bind_axis(sizes, axis, step);
        region
    }

    /// Begins what a thread does that has one of so many things; gives which.
    pub(super) fn open_own(&mut self, name: &'static str, count: SymInt) -> ValueId {
        let e = &mut self.emitter;
        let [block, thread] = [Builtin::BlockIndex, Builtin::ThreadIndex].map(|b| e.builtin(b));
        let threads = e.integer(THREADS);
        let first = e.times(block, threads);
        let own = e.plus(first, thread);
        let own = e.named(name, Type::Index, own);
        let total = e.index(count);
        let when = e.index_op(IndexOp::GreaterEqual, &[own, total]);
        e.push(Statement::Return { when });
        e.open();
        own
    }
}
