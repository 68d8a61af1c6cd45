//! Products: the native template with the operands' and the epilogue's expressions in its regions, and the panels that it reads.

use super::blocks::Copies;
use super::template::{Sums, Template};
use crate::kernels::{Kernel, LocalId, Memory, Operand, Routine};
use crate::loops::access::flatten;
use crate::loops::uses::{gemm_shares_b, stays_packed};
use crate::loops::{BufferId, ExprId, NodeKind};
use crate::mapping::emit::{Conversion, Span};
use crate::schedule::{GroupKind, Unpacked, strided_matrix};
use crate::templates::blocked;
use crate::types::{Dtype, SymInt};

/// A product's sizes and operands.
struct Product {
    batch: Vec<SymInt>,
    m: SymInt,
    n: SymInt,
    k: SymInt,
    a: ExprId,
    b: ExprId,
    out: BufferId,
    /// What it is summed in.
    dtype: Dtype,
}

/// Which coordinates a piece of an operand's row has: its variable, size and name, and those along the piece, with whether pieces
/// begin at multiples of the lanes, as panels do, and whether they have a multiple of them.
type Row = (u32, SymInt, &'static str);
type Piece = (u32, SymInt, [&'static str; 2], [bool; 2]);

/// The kernel of a product, or of the packing of its right operand.
pub fn kernel(mut t: Template<'_>) -> Kernel {
    let program = t.program;
    let NodeKind::Gemm { batch, m, n, k, a, b, out } = program.nodes[t.node].kind.clone() else {
        unreachable!("a product's node is one")
    };
    let p = Product { dtype: computed_in(program.exprs.dtype(a)), batch, m, n, k, a, b, out };
    let group = t.group;
    match &group.kind {
        GroupKind::Pack { out, .. } => {
            let tasks = t.pack(&p, *out);
            t.finish(tasks, 1, program.syms.constant(0))
        }
        GroupKind::Template { unpacked: Some(unpacked), .. } => {
            let (tasks, scratch) = t.unpacked_product(&p, unpacked);
            t.finish(tasks, 1, program.syms.constant(scratch))
        }
        _ => {
            let (tasks, scratch) = t.product(&p);
            t.finish(tasks, 1, program.syms.constant(scratch))
        }
    }
}

impl Template<'_> {
    /// Gives the tasks.
    fn pack(&mut self, p: &Product, out: BufferId) -> SymInt {
        let (program, syms) = (self.program, &self.program.syms);
        let shared = gemm_shares_b(program, &p.batch, p.b);
        let batches = if shared { syms.constant(1) } else { syms.product(&p.batch) };
        let source = self.right(p);
        let panels = Operand::Memory(Box::new(self.whole(out)));
        let routine = Routine::Pack { dtype: p.dtype, stored: program.buffers[out].dtype };
        self.call(routine, vec![source, panels], &[batches, p.k, p.n], Vec::new());
        let columns = syms.constant(self.target.panel_columns(p.dtype.size()) as i64);
        syms.mul(batches, syms.ceildiv(p.n, columns))
    }

    /// Gives the tasks, and bytes of scratch.
    fn product(&mut self, p: &Product) -> (SymInt, i64) {
        let (program, syms) = (self.program, std::sync::Arc::clone(&self.program.syms));
        let batches = syms.product(&p.batch);
        let blocks = self.blocks(batches, [p.m, p.n, p.k], p.dtype.size() as i64, self.copies(p));
        let left = self.left(p, blocks.k);
        let right = match &self.group.kind {
            GroupKind::Template { packed: Some(packed), .. } => {
                let stride = if gemm_shares_b(program, &p.batch, p.b) {
                    syms.constant(0)
                } else {
                    let columns = syms.constant(self.target.panel_columns(p.dtype.size()) as i64);
                    syms.mul(syms.mul(syms.ceildiv(p.n, columns), columns), p.k)
                };
                let strides = vec![self.emitter.index(stride), self.emitter.index(p.k)];
                Operand::Memory(Box::new(Memory { strides, ..self.whole(*packed) }))
            }
            _ => self.right(p),
        };
        let epilogue = self.finished_row(p);
        let routine = Routine::Product {
            dtype: p.dtype,
            m: blocks.m,
            n: blocks.n,
            k: blocks.k,
            left_copied: blocks.left_copied,
            right_copied: blocks.right_copied,
            watched: self.watches(p.dtype, blocks.m, &[batches, p.m, p.n, p.k]),
        };
        self.call(routine, vec![left, right], &[batches, p.m, p.n, p.k], vec![Some(epilogue)]);
        (blocks.tasks(&syms, batches, p.m, p.n), blocks.bytes)
    }

    /// The same of a right operand that is computed in vectors.
    fn unpacked_product(&mut self, p: &Product, unpacked: &Unpacked) -> (SymInt, i64) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let batches = syms.product(&p.batch);
        let copies = Copies {
            rows_unpacked: blocked::UNPACKED_ROWS,
            whole_columns: unpacked.columns,
            whole_depth: if unpacked.group <= blocked::DEPTH { unpacked.group } else { 1 },
            ..self.copies(p)
        };
        let blocks = self.blocks(batches, [p.m, p.n, p.k], p.dtype.size() as i64, copies);
        let left = self.left(p, blocks.k);
        let [panel, vector, lane, group, phase, place] = unpacked.digits;
        let at_phase = [panel, vector, group, phase];
        let value = self.vector_of("value", unpacked.value, &[panel, vector, group, phase, place], lane);
        let scale = unpacked.scale.map(|scale| self.vector_of("scale", scale, &at_phase, lane));
        let offset = unpacked.offset.map(|offset| self.vector_of("offset", offset, &at_phase, lane));
        let epilogue = self.finished_row(p);
        let routine = Routine::UnpackedProduct {
            columns: unpacked.columns,
            group: unpacked.group,
            phase: unpacked.phase,
            m: blocks.m,
            n: blocks.n,
            k: blocks.k,
            left_copied: blocks.left_copied,
            right_copied: blocks.right_copied,
            watched: self.watches(p.dtype, blocks.m, &[batches, p.m, p.n, p.k]),
        };
        let regions = vec![Some(epilogue), Some(value), scale, offset];
        self.call(routine, vec![left], &[batches, p.m, p.n, p.k], regions);
        (blocks.tasks(&syms, batches, p.m, p.n), blocks.bytes)
    }

    /// The left operand, of which `depth` columns are wanted at a time.
    fn left(&mut self, p: &Product, depth: i64) -> Operand {
        let at = p.batch.len() as u32;
        let lanes = self.target.isa.lanes() as i64;
        let whole = self.fills_vectors(p.k) && depth % lanes == 0;
        let (row, piece) = ((at, p.m, "m"), (at + 2, p.k, ["k_begin", "k_count"], [whole; 2]));
        self.factor(p, p.a, "left", [(at, p.m), (at + 2, p.k)], row, piece)
    }

    fn right(&mut self, p: &Product) -> Operand {
        let at = p.batch.len() as u32;
        let whole = self.fills_vectors(p.n);
        let (row, piece) = ((at + 2, p.k, "k"), (at + 1, p.n, ["n_begin", "n_count"], [true, whole]));
        self.factor(p, p.b, "right", [(at + 2, p.k), (at + 1, p.n)], row, piece)
    }

    /// An operand: a strided matrix in memory, or a region.
    fn factor(
        &mut self,
        p: &Product,
        operand: ExprId,
        name: &'static str,
        dimensions: [(u32, SymInt); 2],
        row: Row,
        piece: Piece,
    ) -> Operand {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let vars = dimensions.map(|(place, size)| syms.index_var(place, size));
        let Some(found) = strided_matrix(self.program, &p.batch, vars, operand, p.dtype) else {
            return Operand::Region(self.computed(p, operand, name, row, piece));
        };
        let sizes = [syms.product(&p.batch), dimensions[0].1, dimensions[1].1];
        let all: Vec<(SymInt, SymInt)> = sizes.into_iter().zip(found.strides).collect();
        let pointer = self.pointer(found.buffer);
        self.emitter.memory(pointer, found.dtype, found.offset, &all)
    }

    /// A region that computes a piece of a row of an operand.
    fn computed(
        &mut self,
        p: &Product,
        operand: ExprId,
        name: &'static str,
        (row, rows, row_name): Row,
        (along, size, names, [whole, divisible]): Piece,
    ) -> LocalId {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let lanes = self.target.isa.lanes() as i64;
        let (own, dtype) = (self.program.exprs.dtype(operand), p.dtype);
        let e = &mut self.emitter;
        let mut region = e.open_region(name);
        let batch = e.coordinate(&mut region, "batch", syms.product(&p.batch));
        e.bind_point(&p.batch, batch);
        e.bind_coordinate(&mut region, (row, rows), row_name);
        let [first, count] = e.run(&mut region, names, size);
        let space = e.elements(&mut region, "space", dtype, None, true).from_origin(first);
        let (last, variable) = (e.plus(first, count), syms.index_var(along, size));
        let span = Span { variable, first, last, known: None, lanes, whole, divisible };
        e.over_lanes(span, &mut |e| {
            let mut value = e.value(operand);
            if own != dtype {
                value = e.convert(value, dtype);
            }
            e.store_value(space.clone(), variable, value);
        });
        e.close_region(region, None)
    }

    /// Where the operands are copied before they are multiplied, as the native sources decide it.
    fn copies(&self, p: &Product) -> Copies {
        let (program, syms, dtype) = (self.program, &self.program.syms, p.dtype);
        let at = p.batch.len() as u32;
        let (mv, nv, kv) =
            (syms.index_var(at, p.m), syms.index_var(at + 1, p.n), syms.index_var(at + 2, p.k));
        let known = |size: SymInt| syms.as_const(size);
        let left = strided_matrix(program, &p.batch, [mv, kv], p.a, dtype);
        let rows_in_place = match &left {
            Some(left) if left.dtype == dtype && known(left.strides[2]) == Some(1) => {
                blocked::rows_in_place(known(left.strides[1]), dtype.size() as i64)
            }
            _ => 0,
        };
        let rows_unpacked = match &self.group.kind {
            GroupKind::Template { packed: Some(packed), .. } if program.buffers[*packed].dtype == dtype => {
                i64::MAX
            }
            GroupKind::Template { packed: Some(_), .. } => 0,
            _ => match strided_matrix(program, &p.batch, [kv, nv], p.b, dtype) {
                Some(right) if dtype.is_float() && known(right.strides[1]) == Some(1) => blocked::THIN_DOTS,
                Some(right) if dtype.is_float() && known(right.strides[2]) == Some(1) => blocked::THIN_ROWS,
                _ => 0,
            },
        };
        let elements = known(syms.mul(p.n, p.k)).unwrap_or(0);
        let in_vectors = matches!(self.group.kind, GroupKind::Template { unpacked: Some(_), .. });
        let is_unpacked = in_vectors || stays_packed(program, p.b, elements);
        let packed_bytes = if is_unpacked { elements / 2 } else { 0 };
        Copies {
            rows_in_place,
            rows_unpacked,
            left_is_computed: left.is_none(),
            whole_columns: 1,
            whole_depth: 1,
            packed_bytes,
        }
    }

    /// What is done with a piece of a row of finished sums.
    fn finished_row(&mut self, p: &Product) -> LocalId {
        let (dims, epilogue) = Template::epilogue(self);
        let whole_vectors = self.fills_vectors(p.n);
        let syms = std::sync::Arc::clone(&self.program.syms);
        let at = p.batch.len() as u32;
        let own = self.program.buffers[p.out].dtype;
        let e = &mut self.emitter;
        let mut region = e.open_region("epilogue");
        let batch = e.coordinate(&mut region, "batch", syms.product(&p.batch));
        e.bind_point(&p.batch, batch);
        e.bind_coordinate(&mut region, (at, p.m), "m");
        let run = e.run(&mut region, ["n_begin", "n_count"], p.n);
        let pointer = e.elements(&mut region, "sums", p.dtype, None, true);
        let convert = (own != p.dtype).then_some(Conversion::Cast(own));
        let sums = Sums { pointer, run, whole_vectors, convert };
        let memory = self.find_sums(p.out, &sums);
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        let var = syms.index_var(at + 1, p.n);
        self.store_epilogue(var, flatten(&syms, &vars, &dims), memory, &epilogue, &sums);
        self.emitter.close_region(region, None)
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
