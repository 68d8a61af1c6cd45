//! Matrix products.
//!
//! Products of halves use tensor cores if the layout of the operands allows whole chunks of 16 bytes. All others use a template that asks for
//! single elements.

use super::template::{Blocks, Template};
use crate::kernels::{Kernel, LocalId, Memory, Operand, Pointer, Routine, Statement, Type, ValueId, reach};
use crate::loops::access::flatten;
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Expr, ExprId, NodeKind};
use crate::schedule::{Strided, strided_matrix};
use crate::templates::fma;
use crate::templates::mma::{HOPPER_TILES, TILES, Tile};
use crate::types::{Dtype, SymInt};

/// An operand of a product that is read in chunks of 16 bytes.
pub(super) enum Chunks {
    /// Neighbours in k, each row beginning at an offset of its own.
    Rows { buffer: BufferId, dtype: Dtype, at: SymInt },
    /// Neighbours in the rows.
    Transposed(Strided),
}

impl Chunks {
    pub fn dtype(&self) -> Dtype {
        match self {
            Chunks::Rows { dtype, .. } => *dtype,
            Chunks::Transposed(matrix) => matrix.dtype,
        }
    }
}

/// A product's sizes and result.
#[derive(Clone)]
pub(super) struct Product {
    pub batch: Vec<SymInt>,
    pub m: SymInt,
    pub n: SymInt,
    pub k: SymInt,
    pub out: BufferId,
}

/// The region of an epilogue that is being built: what it is given.
pub(super) struct Epilogue {
    pub sums: Pointer,
    /// The coordinate along which sums are neighbours.
    pub start: ValueId,
}

impl Template<'_> {
    pub(super) fn product(mut self) -> (&'static str, Kernel) {
        let program = self.program;
        let syms = &program.syms;
        let NodeKind::Gemm { batch, m, n, k, a, b, out } = program.nodes[self.node].kind.clone() else {
            unreachable!("a matrix product's node is one")
        };
        let p = Product { batch, m, n, k, out };
        let dtype = computed_in(program.exprs.dtype(a));
        let at = p.batch.len() as u32;
        let [mv, nv, kv] = [syms.index_var(at, m), syms.index_var(at + 1, n), syms.index_var(at + 2, k)];
        let left = self.chunks(&p.batch, [mv, kv], [m, k], a);
        let right = self.chunks(&p.batch, [nv, kv], [n, k], b);
        if let Some(of) = &left
            && let Some(coded) = self.coded(&p, of, b)
        {
            let left = self.chunks(&p.batch, [mv, kv], [m, k], a).expect("it was found");
            return ("gemv", self.gemv_codes(&p, left, b, coded));
        }
        let chunks = left.zip(right).filter(|(left, right)| left.dtype() == right.dtype());
        if let Some((left, right)) = &chunks
            && let Some(thin) = self.few_rows([m, n], [left, right])
        {
            let (left, right) = chunks.expect("both operands were found");
            return ("gemv", self.gemv(&p, [left, right], thin));
        }
        if let Some(operands) = self.tma_operands(&p.batch, [mv, nv, kv], [a, b]) {
            return ("gemm", self.gemm_tma(&p, operands));
        }
        if let Some((left, right)) = chunks
            && left.dtype().is_reduced_float()
            && self.target.arch >= 80
        {
            return ("gemm", self.gemm_mma(&p, [left, right]));
        }
        let sizes = [syms.product(&p.batch), m, n, k];
        let left = self.element("left", &[("batch", &p.batch)], &[(mv, m, "m"), (kv, k, "k")], a, dtype);
        let right = self.element("right", &[("batch", &p.batch)], &[(nv, n, "n"), (kv, k, "k")], b, dtype);
        let epilogue = self.product_epilogue(&p, dtype);
        let operands = vec![Operand::Region(left), Operand::Region(right)];
        ("gemm", self.gemm_fma(sizes, operands, epilogue, dtype))
    }

    /// The product of what two regions give, element by element.
    pub(super) fn gemm_fma(
        mut self,
        sizes: [SymInt; 4],
        operands: Vec<Operand>,
        epilogue: LocalId,
        dtype: Dtype,
    ) -> Kernel {
        let syms = &self.program.syms;
        let [batches, m, n, _] = sizes;
        let tiles = |size: SymInt| syms.ceildiv(size, syms.constant(fma::SIDE));
        let blocks = syms.mul(batches, syms.mul(tiles(m), tiles(n)));
        let none = syms.constant(0);
        self.call(Routine::GemmFma { dtype }, operands, &sizes, vec![Some(epilogue)]);
        self.finish(Blocks::new(blocks, fma::THREADS, none))
    }

    /// An operand that is read in whole chunks of 16 bytes.
    fn chunks(
        &self,
        batch: &[SymInt],
        [row, depth]: [SymInt; 2],
        [rows, k]: [SymInt; 2],
        operand: ExprId,
    ) -> Option<Chunks> {
        let program = self.program;
        let syms = &program.syms;
        let load = reduced_load(program, operand);
        let Expr::Load { buffer, index, data } = &program.exprs[load] else { return None };
        let dtype = program.exprs.dtype(load);
        if !data.is_empty() || !(dtype.is_reduced_float() || dtype == Dtype::Float32) {
            return None;
        }
        let chunk = 16 / dtype.size() as i64;
        let whole = |s: SymInt| syms.as_const(syms.modulo(s, syms.constant(chunk))) == Some(0);
        // Neighbours in k: rows may lie anywhere.
        if let Some(symbol) = syms.as_symbol(depth)
            && let Some((step, at)) = syms.linear_in(index[0], symbol)
            && syms.as_const(step) == Some(1)
            && !syms.depends_on(at, symbol)
            && whole(at)
            && whole(k)
        {
            return Some(Chunks::Rows { buffer: *buffer, dtype, at });
        }
        let matrix = strided_matrix(program, batch, [row, depth], operand, Dtype::Float32)?;
        let [batch_stride, row_stride, depth_stride] = matrix.strides;
        let good = whole(batch_stride) && whole(matrix.offset) && whole(depth_stride) && whole(rows);
        (good && syms.as_const(row_stride) == Some(1)).then_some(Chunks::Transposed(matrix))
    }

    fn gemm_mma(mut self, p: &Product, operands: [Chunks; 2]) -> Kernel {
        let stored = operands[0].dtype();
        let sizes = self.sizes(p);
        let operands = self.operands_of_chunks(p, operands);
        self.lanes = self.epilogue_lanes(p.n);
        self.emitter.aligned = Some(self.lanes);
        let epilogue = self.product_epilogue(p, Dtype::Float32);
        let tile = self.tile(sizes[0], p.m, p.n);
        let Tile { wgmma: warpgroups, rows, columns, down, across, stages } = tile;
        let routine = Routine::GemmMma { stored, warpgroups, rows, columns, down, across, stages };
        self.call(routine, operands, &sizes, vec![Some(epilogue)]);
        self.finish_mma([sizes[0], p.m, p.n], tile)
    }

    /// Batches, m, n, k.
    pub(super) fn sizes(&self, p: &Product) -> [SymInt; 4] {
        [self.program.syms.product(&p.batch), p.m, p.n, p.k]
    }

    /// Operands as what gives chunks.
    pub(super) fn operands_of_chunks(&mut self, p: &Product, operands: [Chunks; 2]) -> Vec<Operand> {
        let all = [(p.m, "left_at"), (p.n, "right_at")].into_iter().zip(operands).enumerate();
        all.map(|(place, ((rows, name), operand))| {
            self.operand_of_chunks(p, place as u32, (rows, name), operand)
        })
        .collect()
    }

    /// An operand, the left or the right one, with its rows and the name of the region that finds them.
    pub(super) fn operand_of_chunks(
        &mut self,
        p: &Product,
        place: u32,
        (rows, name): (SymInt, &'static str),
        operand: Chunks,
    ) -> Operand {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let at = p.batch.len() as u32;
        match operand {
            Chunks::Rows { buffer, at: offset, .. } => {
                let memory = self.whole(buffer);
                let mut region = self.emitter.open_region(name);
                let batch = self.emitter.coordinate(&mut region, "batch", syms.product(&p.batch));
                self.emitter.bind_point(&p.batch, batch);
                self.emitter.bind_coordinate(&mut region, (at + place, rows), "row");
                let offset = self.emitter.index(offset);
                self.emitter.push(Statement::Give(offset));
                let region = self.emitter.close_region(region, Some(Type::Index));
                Operand::Rows(Box::new(memory), region)
            }
            Chunks::Transposed(Strided { buffer, dtype, offset, strides: [of_batch, _, of_depth] }) => {
                let sizes = [syms.product(&p.batch), p.k, rows];
                let elements = reach(&syms, &sizes, &[of_batch, of_depth, syms.constant(1)]);
                let pointer = self.pointer(buffer);
                let at = Some(self.emitter.index(offset));
                let strides = [of_batch, of_depth].map(|s| self.emitter.index(s)).to_vec();
                Operand::Memory(Box::new(Memory { pointer, dtype, at, strides, elements, written: false }))
            }
        }
    }

    pub(super) fn finish_mma(self, [batches, m, n]: [SymInt; 3], tile: Tile) -> Kernel {
        let syms = &self.program.syms;
        let tiles = |size: SymInt, by: i64| syms.ceildiv(size, syms.constant(by));
        let blocks = syms.mul(batches, syms.mul(tiles(m, tile.rows), tiles(n, tile.columns)));
        let shared = syms.constant(tile.bytes());
        self.finish(Blocks::new(blocks, tile.threads(), shared))
    }

    /// The largest tile that leaves enough tiles to fill the machine.
    pub(super) fn tile(&self, batches: SymInt, m: SymInt, n: SymInt) -> Tile {
        let syms = &self.program.syms;
        let (batches, m, n) = (syms.hint(batches).max(1), syms.hint(m).max(1), syms.hint(n).max(1));
        let count = |t: &Tile| batches * ((m + t.rows - 1) / t.rows) * ((n + t.columns - 1) / t.columns);
        // Of columns beyond the last nothing comes.
        let filled = |t: &Tile| t.columns < 2 * n.max(33);
        let enough = |t: &&Tile| filled(t) && count(t) >= self.target.multiprocessors as i64;
        // wgmma is Hopper's alone.
        let tiles: &[Tile] = if self.target.arch == 90 { &HOPPER_TILES } else { &TILES };
        *tiles.iter().find(enough).unwrap_or(&tiles[tiles.len() - 1])
    }

    /// Elements that the epilogue takes at once: eight where rows of the result are whole vectors.
    pub(super) fn epilogue_lanes(&self, n: SymInt) -> i64 {
        let syms = &self.program.syms;
        if syms.as_const(syms.modulo(n, syms.constant(8))) == Some(0) { 8 } else { 1 }
    }

    /// What is done with finished sums at (batch, m, n), the lanes along n.
    pub(super) fn product_epilogue(&mut self, p: &Product, dtype: Dtype) -> LocalId {
        let items = self.epilogue_items().1;
        let own = self.own_offset();
        let (region, given) = self.open_epilogue(p, dtype, false);
        self.store_epilogue(p.out, own, &items, (dtype, given.sums, given.start));
        self.emitter.lanes = None;
        self.emitter.close_region(region, None)
    }

    /// Where the product's own result lies in its buffer, element by element.
    pub(super) fn own_offset(&self) -> SymInt {
        let syms = &self.program.syms;
        let dims = self.epilogue_items().0;
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        flatten(syms, &vars, &dims)
    }

    /// Begins the epilogue, with lanes along n, or along m where `down`.
    pub(super) fn open_epilogue(
        &mut self,
        p: &Product,
        dtype: Dtype,
        down: bool,
    ) -> (crate::mapping::emit::OpenRegion, Epilogue) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let at = p.batch.len() as u32;
        let mut region = self.emitter.open_region("epilogue");
        let batch = self.emitter.coordinate(&mut region, "batch", syms.product(&p.batch));
        self.emitter.bind_point(&p.batch, batch);
        let (mv, nv) = (syms.index_var(at, p.m), syms.index_var(at + 1, p.n));
        let [high, wide] = if down { [self.lanes, 1] } else { [1, self.lanes] };
        let m = self.emitter.step(&mut region, "m", p.m, high);
        let n = self.emitter.step(&mut region, "n", p.n, wide);
        let length = Some(syms.constant(self.lanes));
        let sums = self.emitter.elements(&mut region, "sums", dtype, length, false);
        let level = self.emitter.depth();
        let [along, beside] = if down { [(mv, m), (nv, n)] } else { [(nv, n), (mv, m)] };
        self.emitter.bind(beside.0, beside.1, level);
        self.lanes_along(along.0, along.1);
        (region, Epilogue { sums, start: along.1 })
    }
}

/// The dtype that a product of operands of this dtype is summed in.
fn computed_in(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::Float32 | Dtype::Float64 | Dtype::Int32 | Dtype::Int64 => dtype,
        d if d.is_float() => Dtype::Float32,
        _ => Dtype::Int64,
    }
}
