//! Convolutions: the native template with the operands' strides and the epilogue.

use super::blocks::{Blocks, Copies};
use super::template::{Sums, Template};
use crate::kernels::{ConvolutionForm, Kernel, LocalId, Operand, Routine};
use crate::loops::access::flatten;
use crate::loops::uses::reduced_load;
use crate::loops::{Convolution, Expr, NodeKind};
use crate::mapping::emit::Span;
use crate::templates::blocked::rows_in_place;
use crate::types::{Dtype, SymInt};

/// The kernel of a convolution and its epilogue.
pub fn kernel(mut t: Template<'_>) -> Kernel {
    let program = t.program;
    let syms = &program.syms;
    let NodeKind::Convolution(c) = program.nodes[t.node].kind.clone() else {
        unreachable!("a convolution group has a convolution node")
    };
    let out_sizes = program.buffers[c.out].sizes.clone();
    let dtype = program.exprs.dtype(c.input).compute();
    // An image that is computed on the way; the schedule sees to it that the convolution is a plain product.
    let computed = !matches!(program.exprs[reduced_load(program, c.input)], Expr::Load { .. });
    let (image, strides) = if computed {
        (Operand::Region(t.image(&c)), vec![syms.constant(0); 4])
    } else {
        let (image, _, strides) = t.operand(c.input, &c.input_sizes);
        (image, strides)
    };
    let (weight, weight_type, _) = t.operand(c.weight, &c.weight_sizes);
    let positions = syms.mul(out_sizes[2], out_sizes[3]);
    let groups = syms.constant(c.groups);
    let (out_channels, batches) = (syms.floordiv(c.weight_sizes[0], groups), syms.mul(out_sizes[0], groups));
    let depthwise = syms.as_const(c.weight_sizes[1]) == Some(1) && c.groups > 1 && dtype == Dtype::Float32;
    // A depthwise convolution finishes pieces of one row of the result, the others finish blocks of all positions.
    let whole_vectors = t.fills_vectors(if depthwise { out_sizes[3] } else { positions });
    let epilogue = t.finished_channel(&c, positions, whole_vectors, dtype);
    let mut numbers = vec![out_sizes[0], groups, c.weight_sizes[1], out_channels];
    numbers.extend([c.input_sizes[2], c.input_sizes[3], out_sizes[2], out_sizes[3]]);
    numbers.extend([c.weight_sizes[2], c.weight_sizes[3]]);
    numbers.extend([c.stride, c.padding, c.dilation].concat().into_iter().map(|n| syms.constant(n)));
    numbers.extend(&strides[..3]);
    let depth = syms.mul(c.weight_sizes[1], syms.mul(c.weight_sizes[2], c.weight_sizes[3]));
    let (form, blocks, tasks) = if depthwise {
        (ConvolutionForm::Depthwise, Blocks::default(), syms.mul(batches, out_channels))
    } else {
        let copies = Copies {
            rows_in_place: match weight_type == dtype {
                true => rows_in_place(syms.as_const(depth), dtype.size() as i64),
                false => 0,
            },
            rows_unpacked: 0,
            left_is_computed: false,
            whole_columns: 1,
            whole_depth: 1,
            packed_bytes: 0,
        };
        let blocks = t.blocks(batches, [out_channels, positions, depth], dtype.size() as i64, copies);
        let pointwise = c.is_pointwise(t.program) && strides[2] == c.input_sizes[3];
        let form = match (computed, pointwise) {
            (true, _) => ConvolutionForm::Computed,
            (false, true) => ConvolutionForm::Product,
            (false, false) => ConvolutionForm::Windows,
        };
        (form, blocks, blocks.tasks(syms, batches, out_channels, positions))
    };
    let Blocks { m, n, k, left_copied, right_copied, bytes } = blocks;
    let watched = t.watches(dtype, m, &[batches, out_channels, positions, depth]);
    let routine = Routine::Convolution { dtype, form, m, n, k, left_copied, right_copied, watched };
    t.call(routine, vec![image, weight], &numbers, vec![Some(epilogue)]);
    t.finish(tasks, 1, syms.constant(bytes))
}

impl Template<'_> {
    /// A region that computes a piece of a channel of the image, which the schedule has made one row.
    fn image(&mut self, c: &Convolution) -> LocalId {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let lanes = self.target.isa.lanes() as i64;
        let exprs = &self.program.exprs;
        let (own, computed) = (exprs.dtype(c.input), exprs.dtype(c.input).compute());
        let e = &mut self.emitter;
        let mut region = e.open_region("image");
        let pictures = syms.mul_const(c.input_sizes[0], c.groups);
        let batch = e.coordinate(&mut region, "batch", pictures);
        let k = e.coordinate(&mut region, "k", c.weight_sizes[1]);
        let groups = e.integer(c.groups);
        let channels = e.index(c.weight_sizes[1]);
        let picture = e.quotient_of(batch, groups);
        let picture = e.spare("picture", crate::kernels::Type::Index, picture);
        let group = e.rest_of(batch, groups);
        let before = e.times(group, channels);
        let channel = e.plus(before, k);
        let channel = e.spare("channel", crate::kernels::Type::Index, channel);
        let level = e.depth();
        e.bind(syms.index_var(0, c.input_sizes[0]), picture, level);
        e.bind(syms.index_var(1, c.input_sizes[1]), channel, level);
        let [first, count] = e.run(&mut region, ["n_begin", "n_count"], c.input_sizes[3]);
        let space = e.elements(&mut region, "space", computed, None, true).from_origin(first);
        let (last, variable) = (e.plus(first, count), syms.index_var(3, c.input_sizes[3]));
        let span = Span { variable, first, last, known: None, lanes, whole: false, divisible: false };
        e.over_lanes(span, &mut |e| {
            let mut value = e.value(c.input);
            if own != computed {
                value = e.convert(value, computed);
            }
            e.store_value(space.clone(), variable, value);
        });
        e.close_region(region, None)
    }

    /// What is done with a piece of a finished channel.
    fn finished_channel(
        &mut self,
        c: &Convolution,
        positions: SymInt,
        whole_vectors: bool,
        dtype: Dtype,
    ) -> LocalId {
        let (dims, epilogue) = self.epilogue();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        let e = &mut self.emitter;
        let mut region = e.open_region("epilogue");
        e.bind_coordinate(&mut region, (0, dims[0]), "image");
        e.bind_coordinate(&mut region, (1, dims[1]), "channel");
        let run = e.run(&mut region, ["n_begin", "n_count"], positions);
        let pointer = e.elements(&mut region, "sums", dtype, None, true);
        let sums = Sums { pointer, run, whole_vectors, convert: None };
        let memory = self.find_sums(c.out, &sums);
        let (var, own) = (syms.index_var(2, positions), flatten(&syms, &vars, &dims));
        self.store_epilogue(var, own, memory, &epilogue, &sums);
        self.emitter.close_region(region, None)
    }
}
