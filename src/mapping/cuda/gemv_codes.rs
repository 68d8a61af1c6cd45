//! Products of few rows with weights that are unpacked from codes of 4 or 8 bits (`native/cuda/gemv_codes.h`).

use super::product::{Chunks, Product};
use super::template::{Blocks, Template};
use super::width::indices_fit;
use crate::kernels::{IndexType, Kernel, Operand, Routine};
use crate::loop_passes::lay_out_codes::{Codes, Made, codes_of, made_of};
use crate::loops::ExprId;
use crate::templates::gemv::codes::{LANES_ACROSS, MOST_ROWS, ROWS, Shape};
use crate::types::Dtype;

/// What a chunk's numbers are called.
const SHARED: [&str; 4] = ["shared_0", "shared_1", "shared_2", "shared_3"];

/// A right operand that is made of codes.
pub(super) struct Coded {
    codes: Codes,
    made: Made,
}

impl Template<'_> {
    /// The right operand of a product of few rows, where its template can read it.
    pub(super) fn coded(&self, p: &Product, left: &Chunks, b: ExprId) -> Option<Coded> {
        let (program, syms) = (self.program, &self.program.syms);
        let Chunks::Rows { dtype: half, .. } = *left else { return None };
        let &[rows, _, depth] = syms.as_consts(&[p.m, p.n, p.k])?.as_slice() else { return None };
        let vars = [syms.index_var(1, p.n), syms.index_var(2, p.k)];
        let fits = p.batch.is_empty() && half.is_reduced_float() && rows <= MOST_ROWS;
        if !fits || !self.target.multiplies_codes() {
            return None;
        }
        let codes = codes_of(program, vars, b).filter(|codes| depth % codes.chunk() == 0)?;
        let made = made_of(program, codes, vars[1], half, b)?;
        (made.shared.len() <= SHARED.len()).then_some(Coded { codes, made })
    }

    pub(super) fn gemv_codes(mut self, p: &Product, left: Chunks, b: ExprId, coded: Coded) -> Kernel {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let Coded { codes, made } = coded;
        let known = syms.as_consts(&[p.m, p.n, p.k]).expect("the sizes of such a product are known");
        let (stored, sizes) = (left.dtype(), self.sizes(p));
        let buffers: Vec<_> = self.group.reads.iter().chain(&self.group.writes).copied().collect();
        if indices_fit(self.program, self.group, &buffers, &[b]) {
            self.emitter.set_index_type(IndexType::I32);
        }
        let [nv, kv] = [syms.index_var(1, p.n), syms.index_var(2, p.k)];
        let coordinates = [(nv, p.n, "n"), (kv, p.k, "k")];
        let left = self.operand_of_chunks(p, 0, (p.m, "left_at"), left);
        let right = self.element("right", &[("batch", &p.batch)], &coordinates, b, Dtype::Float32);
        let memory = Operand::Memory(Box::new(self.whole(codes.buffer)));
        let numbers = made.shared.iter().zip(SHARED);
        let shared: Vec<_> = numbers
            .map(|(value, name)| Some(self.element(name, &[], &coordinates, *value, Dtype::Float32)))
            .collect();
        let mut regions = vec![Some(self.product_epilogue(p, Dtype::Float32))];
        regions.extend(shared);
        self.lanes = 16 / stored.size() as i64;
        let blocks = syms.ceildiv(p.n, syms.constant(ROWS));
        let step = LANES_ACROSS * codes.chunk();
        let steps = (known[2] + step - 1) / step;
        let shape = Shape::of((known[1] + ROWS - 1) / ROWS, steps, self.target.multiprocessors as i64);
        let routine = Routine::GemvCodes {
            stored,
            thin: known[0],
            bits: codes.bits,
            signed: codes.signed,
            bias: made.bias,
            makes: made.steps,
            warps: shape.warps,
            depth: shape.depth,
            ragged: known[2] % step != 0,
        };
        self.call(routine, vec![left, Operand::Region(right), memory], &sizes, regions);
        let blocks =
            Blocks { resident: shape.resident(), ..Blocks::new(blocks, shape.threads(), syms.constant(0)) };
        self.finish(blocks)
    }
}
