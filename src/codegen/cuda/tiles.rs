//! Pointwise groups some of whose accesses run across the lanes: a transposed operand, a change between layouts.
//!
//! A block computes a square of two dimensions: the one that its lanes run along, and the one along which the accesses
//! that are not contiguous for the lanes are. Those go through shared memory, so that every access to memory is whole
//! vectors of neighbours on both sides.
//!
//! Invariants: what is staged is loaded whatever the data (no mask, no check, no place that data give) and within the
//! space; a square's row in shared memory is one element longer than it needs to be, which spreads a column over the banks.

use super::super::Kernel;
use super::super::cpp;
use super::BLOCK;
use super::writer::{Writer, last_inner};
use crate::loops::{BufferId, Expr, ExprId, Program};
use crate::schedule::{Group, Item, Loops};
use crate::types::{SymInt, SymbolId};

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
    let ty = w.emitter.index_name();
    let (along, above) = (w.emitter.divisor_text(along), w.emitter.divisor_text(above));
    w.emitter.line(&format!(
        "const {ty} strip = ({ty})blockIdx.x / {along}, first = (({ty})blockIdx.x - strip * {along}) * {side};"
    ));
    w.emitter.line(&format!(
        "const {ty} whole = strip / {above}, top = (strip - whole * {above}) * {side}; (void)whole;"
    ));
    let (last, wide) = (w.emitter.index_text(last), w.emitter.index_text(wide));
    w.emitter.open();
    w.emitter.bind_point(&rest, "whole");
    let mut square = Square {
        w,
        var,
        across: syms.index_var(tiling.across as u32, loops.outer[tiling.across]),
        side,
        last,
        wide,
    };
    let staged: Vec<(String, String)> =
        tiling.loads.iter().map(|(_, buffer, offset)| square.fetch(*buffer, *offset)).collect();
    for (put, _) in &staged {
        square.w.emitter.line(put);
    }
    let outgoing: Vec<(BufferId, String)> = tiling.stores.iter().map(|b| (*b, square.array(*b))).collect();
    if !staged.is_empty() {
        square.w.emitter.line("__syncthreads();");
    }
    square.compute(tiling, &staged, &outgoing);
    if !outgoing.is_empty() {
        square.w.emitter.line("__syncthreads();");
    }
    for item in &stage.items {
        if let Item::Store { buffer, offset, .. } = item
            && let Some((_, array)) = outgoing.iter().find(|o| o.0 == *buffer)
        {
            square.flush(*buffer, *offset, array);
        }
    }
    let mut w = square.w;
    w.emitter.close("");
    w.finish("tiles", blocks, BLOCK, syms.constant(0))
}

/// The most elements that 16 bytes of the narrowest element hold, of which `size` and the offsets `rests` are multiples.
fn whole_vectors(program: &Program, size: SymInt, bytes: i64, rests: &[SymInt]) -> i64 {
    let syms = &program.syms;
    let mut lanes = (16 / bytes.max(1)).clamp(1, 8);
    let whole = |n: SymInt, lanes: i64| syms.as_const(syms.modulo(n, syms.constant(lanes))) == Some(0);
    while lanes > 1 && !(whole(size, lanes) && rests.iter().all(|r| whole(*r, lanes))) {
        lanes /= 2;
    }
    lanes
}

struct Square<'p> {
    w: Writer<'p>,
    /// The lane variable, and the one that staged accesses are contiguous along.
    var: SymInt,
    across: SymInt,
    side: i64,
    /// The texts of their sizes.
    last: String,
    wide: String,
}

impl Square<'_> {
    /// A square of a buffer's elements in shared memory, each of its rows along `across`.
    fn array(&mut self, buffer: BufferId) -> String {
        let (name, ty) = (self.w.emitter.fresh("t"), cpp::memory_type(self.w.program.buffers[buffer].dtype));
        self.w.emitter.line(&format!("__shared__ {ty} {name}[{}];", self.side * (self.side + 1)));
        name
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

    /// The head of a loop over the square in chunks along `across`; `in` says that one lies within the space.
    fn open_chunks(&mut self, chunk: i64) {
        let (ty, side) = (self.w.emitter.index_name(), self.side);
        let row = side / chunk;
        self.w.emitter.open();
        self.w.emitter.line(&format!(
            "const int v = k * {BLOCK} + (int)threadIdx.x, down = v / {row}, beside = v % {row} * {chunk};"
        ));
        self.w.emitter.line(&format!("const {ty} l = first + down, x = top + beside; (void)l; (void)x;"));
        self.w.emitter.open();
        let level = self.w.emitter.depth();
        self.w.emitter.bind(self.var, "l", level);
        self.w.emitter.bind(self.across, "x", level);
    }
    fn close_chunks(&mut self, chunk: i64) -> i64 {
        let turns = self.side * self.side / (chunk * BLOCK);
        let (last, wide) = (&self.last, &self.wide);
        self.w.emitter.close(&format!("if (l < {last} && x < {wide})"));
        let around = self.w.emitter.depth() - 1;
        self.w.emitter.line_at(around, "_Pragma(\"unroll\")");
        self.w.emitter.close(&format!("for (int k = 0; k < {turns}; k++)"));
        turns
    }

    /// Loads a square into registers; gives the line that puts it into shared memory, and the array there.
    fn fetch(&mut self, buffer: BufferId, offset: SymInt) -> (String, String) {
        let (chunk, ty) =
            (self.chunk(buffer, offset), cpp::memory_type(self.w.program.buffers[buffer].dtype));
        let (array, held) = (self.array(buffer), self.w.emitter.fresh("c"));
        let turns = self.side * self.side / (chunk * BLOCK);
        self.w.emitter.line(&format!("litz_chunk<{ty}, {chunk}> {held}[{turns}];"));
        let pointer = self.w.pointer(buffer);
        self.open_chunks(chunk);
        let place = self.w.emitter.index_text(offset);
        self.w.emitter.line(&format!("{held}[k].get({pointer} + {place});"));
        self.close_chunks(chunk);
        (format!("litz_put_square<{}, {BLOCK}>({array}, {held});", self.side), array)
    }

    /// Every point's values, with the staged loads found in shared memory and the staged stores left there.
    fn compute(&mut self, tiling: &Tiling, staged: &[(String, String)], outgoing: &[(BufferId, String)]) {
        let (ty, side, lanes) = (self.w.emitter.index_name(), self.side, self.w.lanes);
        let (row, turns, pitch) = (side / lanes, side * side / (lanes * BLOCK), side + 1);
        self.w.emitter.open();
        self.w.emitter.line(&format!(
            "const int v = k * {BLOCK} + (int)threadIdx.x, down = v / {row}, beside = v % {row} * {lanes}, own = beside * {pitch} + down;"
        ));
        self.w.emitter.line(&format!("const {ty} l = first + beside, x = top + down; (void)own;"));
        self.w.emitter.open();
        let level = self.w.emitter.depth();
        self.w.emitter.bind(self.across, "x", level);
        self.w.enter_lanes(self.var, "l");
        for ((load, _, _), (_, array)) in tiling.loads.iter().zip(staged) {
            let name = self.w.emitter.fresh("v");
            let operand = match lanes {
                1 => {
                    self.w.emitter.line(&format!("const auto {name} = load_scalar({array} + own);"));
                    self.w.emitter.uniform(&name)
                }
                _ => {
                    self.w
                        .emitter
                        .line(&format!("const auto {name} = load_strided({array} + own, {pitch});"));
                    self.w.emitter.varying(&name)
                }
            };
            self.w.emitter.preset(*load, operand);
        }
        let loops = self.w.loops;
        for item in &loops.stages[0].items {
            let Item::Store { buffer, offset, value, .. } = item else { continue };
            if let Some((_, array)) = outgoing.iter().find(|o| o.0 == *buffer) {
                let operand = self.w.emitter.value(*value);
                let line = match lanes {
                    1 => format!("store({array} + own, {});", self.w.emitter.text(operand.value)),
                    _ => {
                        format!(
                            "store_strided({array} + own, {}, {pitch});",
                            self.w.emitter.vector_text(operand)
                        )
                    }
                };
                self.w.emitter.line(&line);
            } else if self.w.group.writes.contains(buffer) {
                self.w.store(*buffer, *offset, *value);
            }
        }
        self.w.leave_lanes();
        let (last, wide) = (&self.last, &self.wide);
        self.w.emitter.close(&format!("if (l < {last} && x < {wide})"));
        let around = self.w.emitter.depth() - 1;
        self.w.emitter.line_at(around, "_Pragma(\"unroll\")");
        self.w.emitter.close(&format!("for (int k = 0; k < {turns}; k++)"));
    }

    /// A square from shared memory to its place.
    fn flush(&mut self, buffer: BufferId, offset: SymInt, array: &str) {
        let (chunk, ty) =
            (self.chunk(buffer, offset), cpp::memory_type(self.w.program.buffers[buffer].dtype));
        let (pointer, pitch) = (self.w.pointer(buffer), self.side + 1);
        self.open_chunks(chunk);
        let place = self.w.emitter.index_text(offset);
        self.w.emitter.line(&format!(
            "litz_chunk<{ty}, {chunk}> c; c.gather({array} + down * {pitch} + beside); c.put({pointer} + {place});"
        ));
        self.close_chunks(chunk);
    }
}
