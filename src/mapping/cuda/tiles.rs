//! Pointwise groups with accesses that run across the lanes: a transposed operand, or a change of layout.
//!
//! A block computes a square of two dimensions: the one that its lanes run along, and the one along which the other accesses are contiguous.
//! Those accesses go through shared memory, so that every access to global memory is coalesced and whole vectors wide.
//!
//! Invariants: a staged load needs no mask, no check and no index from data, and stays within the space. A row of a square in shared
//! memory is padded by one element, which spreads a column over the banks.

use super::BLOCK;
use super::writer::{Writer, last_inner};
use crate::kernels::{
    Access, Axis, Builtin, IndexOp, Kernel, Length, LocalId, Scope, Shape, Space, Statement, Type, Unroll,
    Value, ValueId,
};
use crate::loops::{BufferId, Expr, ExprId, Program};
use crate::mapping::emit::Emitter;
use crate::schedule::{Group, Item, Loops};
use crate::types::{Dtype, SymInt, SymbolId};

/// Elements of a side of the square, and of a smaller one for wide elements.
const SIDES: [i64; 2] = [64, 32];
/// Shared memory of all squares: what every GPU gives without being asked.
const SHARED: i64 = 48 << 10;
/// Dimensions that are shorter are not worth a square.
const SHORTEST: i64 = 16;

/// What goes through shared memory.
pub struct Tiling {
    /// The row dimension along which the staged accesses are contiguous.
    across: usize,
    side: i64,
    loads: Vec<(ExprId, BufferId, SymInt)>,
    stores: Vec<BufferId>,
}

/// How a pointwise group is tiled, where that is better than one vector after the other.
pub fn tiling(program: &Program, group: &Group, loops: &Loops) -> Option<Tiling> {
    let syms = &program.syms;
    let stage = &loops.stages[0];
    let [last] = stage.inner[..] else { return None };
    let lane = syms.as_symbol(last_inner(program, stage)?)?;
    if syms.hint(last) < SHORTEST {
        return None;
    }
    let roots: Vec<ExprId> = stage.items.iter().map(Item::value).collect();
    let loads = program.exprs.unconditional_loads(&roots);
    let bytes = |b: BufferId| program.buffers[b].dtype.size() as i64;
    let mut best: Option<(i64, Tiling)> = None;
    for (across, size) in loops.outer.iter().enumerate() {
        let Some(symbol) = syms.as_symbol(syms.index_var(across as u32, *size)) else { continue };
        if syms.hint(*size) < SHORTEST {
            continue;
        }
        let crosses = |offset: SymInt| crosses(program, offset, lane, symbol);
        let mut staged: Vec<(ExprId, BufferId, SymInt)> = Vec::new();
        for load in &loads {
            if let Expr::Load { buffer, index, data } = &program.exprs[*load]
                && data.is_empty()
                && crosses(index[0])
            {
                staged.push((*load, *buffer, index[0]));
            }
        }
        let stores: Vec<BufferId> = stage
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Store { buffer, offset, .. } if group.writes.contains(buffer) && crosses(*offset) => {
                    Some(*buffer)
                }
                _ => None,
            })
            .collect();
        let all =
            |t: &Tiling| t.loads.iter().map(|l| bytes(l.1)).chain(t.stores.iter().map(|b| bytes(*b))).sum();
        let mut tiling = Tiling { across, side: SIDES[0], loads: staged, stores };
        for side in SIDES {
            tiling.side = side;
            if all(&tiling) * side * (side + 1) <= SHARED {
                break;
            }
        }
        while all(&tiling) * tiling.side * (tiling.side + 1) > SHARED {
            if tiling.loads.pop().is_none() {
                tiling.stores.pop();
            }
        }
        let weight = all(&tiling);
        if weight > best.as_ref().map_or(0, |b| b.0) {
            best = Some((weight, tiling));
        }
    }
    best.map(|b| b.1)
}

/// True for an offset that is contiguous along `across`, and not along the lanes.
fn crosses(program: &Program, offset: SymInt, lane: SymbolId, across: SymbolId) -> bool {
    let syms = &program.syms;
    let Some((one, rest)) = syms.linear_in(offset, across) else { return false };
    let Some((step, rest)) = syms.linear_in(rest, lane) else { return false };
    let free = |e: SymInt| !syms.depends_on(e, lane) && !syms.depends_on(e, across);
    syms.as_const(one) == Some(1) && free(step) && free(rest) && !matches!(syms.as_const(step), Some(0 | 1))
}

/// The kernel of such a group.
pub fn kernel(program: &Program, group: &Group, loops: &Loops, tiling: &Tiling) -> Kernel {
    let syms = &program.syms;
    let stage = &loops.stages[0];
    let (last, var) = (stage.inner[0], last_inner(program, stage).expect("a tiled group has an inner loop"));
    let (side, wide) = (tiling.side, loops.outer[tiling.across]);
    let narrowest = group.reads.iter().chain(&group.writes).map(|b| program.buffers[*b].dtype.size() as i64);
    let lanes = whole_vectors(program, last, narrowest.min().unwrap_or(4), &[]);
    let mut rest = loops.outer.clone();
    rest[tiling.across] = syms.constant(1);
    let edge = syms.constant(side);
    let (along, above) = (syms.ceildiv(last, edge), syms.ceildiv(wide, edge));
    let blocks = syms.mul(syms.product(&rest), syms.mul(along, above));
    let mut w = Writer::new(program, group, loops, lanes, syms.mul_const(blocks, side * side));
    let e = &mut w.emitter;
    let (along, above) = (e.divisor(along), e.divisor(above));
    let (block, edge) = (e.builtin(Builtin::BlockIndex), e.integer(side));
    let split = |e: &mut Emitter<'_>, of: ValueId, by: ValueId, names: [&'static str; 2]| {
        let whole = e.quotient_of(of, by);
        let whole = e.spare(names[0], Type::Index, whole);
        let before = e.times(whole, by);
        let rest = e.minus(of, before);
        let first = e.times(rest, edge);
        [whole, e.named(names[1], Type::Index, first)]
    };
    let [strip, first] = split(e, block, along, ["strip", "first"]);
    let [whole, top] = split(e, strip, above, ["whole", "top"]);
    let (last, wide) = (e.index(last), e.index(wide));
    e.open();
    e.bind_point(&rest, whole);
    let across = syms.index_var(tiling.across as u32, loops.outer[tiling.across]);
    let mut square = Square { w, var, across, side, first, top, last, wide };
    let staged: Vec<Staged> =
        tiling.loads.iter().map(|(_, buffer, offset)| square.fetch(*buffer, *offset)).collect();
    for Staged { held, array } in &staged {
        let put = Statement::PutSquare { held: *held, array: *array, side, threads: BLOCK };
        square.w.emitter.push(put);
    }
    let outgoing: Vec<(BufferId, LocalId)> = tiling.stores.iter().map(|b| (*b, square.array(*b))).collect();
    if !staged.is_empty() {
        square.w.emitter.push(Statement::Barrier(Scope::Block));
    }
    square.compute(tiling, &staged, &outgoing);
    if !outgoing.is_empty() {
        square.w.emitter.push(Statement::Barrier(Scope::Block));
    }
    for item in &stage.items {
        if let Item::Store { buffer, offset, .. } = item
            && let Some((_, array)) = outgoing.iter().find(|o| o.0 == *buffer)
        {
            square.flush(*buffer, *offset, *array);
        }
    }
    let mut w = square.w;
    w.emitter.close_scope();
    w.finish(blocks, BLOCK, syms.constant(0))
}

/// The most elements that 16 bytes of the narrowest element hold and that divide `size` and the offsets `rests`.
fn whole_vectors(program: &Program, size: SymInt, bytes: i64, rests: &[SymInt]) -> i64 {
    let syms = &program.syms;
    let mut lanes = (16 / bytes.max(1)).clamp(1, 8);
    let whole = |n: SymInt, lanes: i64| syms.as_const(syms.modulo(n, syms.constant(lanes))) == Some(0);
    while lanes > 1 && !(whole(size, lanes) && rests.iter().all(|r| whole(*r, lanes))) {
        lanes /= 2;
    }
    lanes
}

/// What goes through shared memory into a block: first into registers, then into a square.
struct Staged {
    held: LocalId,
    array: LocalId,
}

struct Square<'p> {
    w: Writer<'p>,
    /// The lane variable, and the one that staged accesses are contiguous along.
    var: SymInt,
    across: SymInt,
    side: i64,
    /// The block's first place along either.
    first: ValueId,
    top: ValueId,
    /// Their sizes.
    last: ValueId,
    wide: ValueId,
}

/// A thread's places in a turn: down the square and beside, and where it is along either dimension.
#[derive(Clone, Copy)]
struct Point {
    turn: LocalId,
    down: ValueId,
    beside: ValueId,
    lane: ValueId,
    across: ValueId,
}

impl Square<'_> {
    /// A square of a buffer's elements in shared memory, each of its rows along `across`.
    fn array(&mut self, buffer: BufferId) -> LocalId {
        let (dtype, length) = (self.w.program.buffers[buffer].dtype, self.side * (self.side + 1));
        let (length, space) = (Length::Known(length), Space::Shared);
        let local = self.w.emitter.local("t", Type::Array { dtype, vectors: false, length, space });
        self.w.emitter.push(Statement::Array { local, fill: None });
        local
    }

    /// Elements of the accesses to memory along `across`.
    fn chunk(&self, buffer: BufferId, offset: SymInt) -> i64 {
        let (program, syms) = (self.w.program, &self.w.program.syms);
        let symbol = syms.as_symbol(self.across).expect("a square has two dimensions");
        let (_, rest) = syms.linear_in(offset, symbol).expect("what is staged is contiguous");
        let wide = self.w.loops.outer[self.position()];
        whole_vectors(program, wide, program.buffers[buffer].dtype.size() as i64, &[rest])
    }
    fn position(&self) -> usize {
        let syms = &self.w.program.syms;
        let outer = &self.w.loops.outer;
        (0..outer.len()).find(|k| syms.index_var(*k as u32, outer[*k]) == self.across).unwrap_or(0)
    }

    /// Opens a loop over the square in runs of `width`; along `across`, or along the lanes.
    fn open_turn(&mut self, width: i64, along_lanes: bool) -> Point {
        let (first, top, side) = (self.first, self.top, self.side);
        let small = |w: &mut Writer<'_>, name, value| w.small(name, value);
        let e = &mut self.w.emitter;
        let turn = e.local("k", Type::Scalar(Dtype::Int32));
        let counted = e.local_value(turn);
        e.open();
        let (threads, thread) = (e.integer(BLOCK), e.builtin(Builtin::ThreadIndex));
        let before = e.times(counted, threads);
        let place = e.plus(before, thread);
        let place = small(&mut self.w, "v", place);
        let e = &mut self.w.emitter;
        let (row, width) = (e.integer(side / width), e.integer(width));
        let down = e.quotient_of(place, row);
        let down = small(&mut self.w, "down", down);
        let e = &mut self.w.emitter;
        let run = e.rest_of(place, row);
        let beside = e.times(run, width);
        let beside = small(&mut self.w, "beside", beside);
        let e = &mut self.w.emitter;
        let [lane, across] = if along_lanes { [beside, down] } else { [down, beside] };
        let lane = e.plus(first, lane);
        let lane = e.spare("l", Type::Index, lane);
        let across = e.plus(top, across);
        let across = e.spare("x", Type::Index, across);
        e.open();
        Point { turn, down, beside, lane, across }
    }
    /// Closes it: what lies within the space is done in each turn.
    fn close_turn(&mut self, point: Point, turns: i64) {
        let e = &mut self.w.emitter;
        let below = e.index_op(IndexOp::Less, &[point.lane, self.last]);
        let beside = e.index_op(IndexOp::Less, &[point.across, self.wide]);
        let within = e.index_op(IndexOp::And, &[below, beside]);
        e.close_if(within);
        e.close_counted(point.turn, turns, Axis::Unrolled, Unroll::Whole);
    }
    /// Opens a loop over the square in chunks along `across`.
    fn open_chunks(&mut self, chunk: i64) -> Point {
        let point = self.open_turn(chunk, false);
        let level = self.w.emitter.depth();
        self.w.emitter.bind(self.var, point.lane, level);
        self.w.emitter.bind(self.across, point.across, level);
        point
    }

    /// Loads a square into registers.
    fn fetch(&mut self, buffer: BufferId, offset: SymInt) -> Staged {
        let (width, dtype) = (self.chunk(buffer, offset), self.w.program.buffers[buffer].dtype);
        let array = self.array(buffer);
        let count = self.side * self.side / (width * BLOCK);
        let held = self.w.emitter.local("c", Type::Held { dtype, width, count });
        self.w.emitter.push(Statement::Array { local: held, fill: None });
        let pointer = self.w.pointer(buffer);
        let point = self.open_chunks(width);
        let e = &mut self.w.emitter;
        let (at, turn) = (e.index(offset), e.local_value(point.turn));
        e.push(Statement::Fetch { held, turn, from: pointer, at });
        self.close_turn(point, count);
        Staged { held, array }
    }

    /// Every point's values, with the staged loads found in shared memory and the staged stores left there.
    fn compute(&mut self, tiling: &Tiling, staged: &[Staged], outgoing: &[(BufferId, LocalId)]) {
        let (side, lanes) = (self.side, self.w.lanes);
        let (turns, pitch) = (side * side / (lanes * BLOCK), side + 1);
        let point = self.open_turn(lanes, true);
        let e = &mut self.w.emitter;
        let pitch = e.integer(pitch);
        let row = e.times(point.beside, pitch);
        let own = e.plus(row, point.down);
        let own = self.w.small("own", own);
        let e = &mut self.w.emitter;
        let level = e.depth();
        e.bind(self.across, point.across, level);
        self.w.enter_lanes(self.var, point.lane);
        let shape = if lanes == 1 { Shape::Element } else { Shape::Strided { step: pitch, count: None } };
        let there = |array: LocalId| Access { pointer: array.into(), at: own, shape };
        for ((load, _, _), staged) in tiling.loads.iter().zip(staged) {
            let ty = Type::of(self.w.program.exprs.dtype(*load), lanes > 1);
            let e = &mut self.w.emitter;
            let value = e.add(Value::Load(there(staged.array)));
            let value = e.named("v", ty, value);
            let operand = self.w.wide(value);
            self.w.emitter.preset(*load, operand);
        }
        let loops = self.w.loops;
        for item in &loops.stages[0].items {
            let Item::Store { buffer, offset, value, .. } = item else { continue };
            if let Some((_, array)) = outgoing.iter().find(|o| o.0 == *buffer) {
                let operand = self.w.emitter.value(*value);
                let value = self.w.as_wide(operand);
                self.w.emitter.push(Statement::Store { access: there(*array), value });
            } else if self.w.group.writes.contains(buffer) {
                self.w.store(*buffer, *offset, *value);
            }
        }
        self.w.leave_lanes();
        self.close_turn(point, turns);
    }

    /// A square from shared memory to its place.
    fn flush(&mut self, buffer: BufferId, offset: SymInt, array: LocalId) {
        let width = self.chunk(buffer, offset);
        let (pointer, pitch) = (self.w.pointer(buffer), self.side + 1);
        let point = self.open_chunks(width);
        let e = &mut self.w.emitter;
        let at = e.index(offset);
        let pitch = e.integer(pitch);
        let row = e.times(point.down, pitch);
        let place = e.plus(row, point.beside);
        e.push(Statement::Flush { array, place, to: pointer, at, width });
        self.close_turn(point, self.side * self.side / (width * BLOCK));
    }
}
