//! Convolutions: the native template with the operands' strides and the epilogue.

use super::blocks::Copies;
use super::emit::{Finished, Spelled, Storage};
use super::template::{Template, pointer_of};
use super::{Kernel, NativeHeader, cpp};
use crate::loops::access::flatten;
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Convolution, Expr, NodeKind};
use crate::mapping::cpu::declare_buffers;
use crate::print;
use crate::schedule::{GroupKind, Item};
use crate::templates::blocked::rows_in_place;
use crate::types::{Dtype, SymInt};

/// The function of a convolution and its epilogue.
pub fn kernel(mut t: Template<'_>) -> Kernel {
    let program = t.program;
    let syms = &program.syms;
    let NodeKind::Convolution(c) = program.nodes[t.node].kind.clone() else {
        unreachable!("a convolution group has a convolution node")
    };
    let out_sizes = program.buffers[c.out].sizes.clone();
    let dtype = program.exprs.dtype(c.input).compute();
    let ty = cpp::scalar_type(dtype);
    let parameters = declare_buffers(&mut t.emitter, t.group);
    let buffers: Vec<BufferId> = parameters.iter().map(|b| b.buffer).collect();
    t.emitter.use_function(Some(if dtype == Dtype::Float64 { "TILE_F64" } else { "TILE_F32" }));
    // An image that is computed on the way; the schedule sees to it that the convolution is a plain product.
    let computed = !matches!(program.exprs[reduced_load(program, c.input)], Expr::Load { .. });
    let (image, image_type, strides) = if computed {
        image_function(&mut t, &c, ty);
        (String::new(), "", vec![syms.constant(0); 4])
    } else {
        operand(&mut t, c.input, &c.input_sizes)
    };
    let (weight, weight_type, _) = operand(&mut t, c.weight, &c.weight_sizes);
    let positions = syms.mul(out_sizes[2], out_sizes[3]);
    let groups = syms.constant(c.groups);
    let (out_channels, batches) = (syms.floordiv(c.weight_sizes[0], groups), syms.mul(out_sizes[0], groups));
    epilogue(&mut t, &c, positions, ty);
    let mut fields = vec![out_sizes[0], groups, c.weight_sizes[1], out_channels];
    fields.extend([
        c.input_sizes[2],
        c.input_sizes[3],
        out_sizes[2],
        out_sizes[3],
        c.weight_sizes[2],
        c.weight_sizes[3],
    ]);
    fields.extend([c.stride, c.padding, c.dilation].concat().into_iter().map(|n| syms.constant(n)));
    fields.extend(&strides[..3]);
    let fields: Vec<String> = fields.into_iter().map(|f| t.emitter.index_text(f)).collect();
    t.emitter.line(&format!("const litz_conv_shape shape = {{{}}};", fields.join(", ")));
    let one = syms.constant(1);
    let depthwise = syms.as_const(c.weight_sizes[1]) == Some(1) && c.groups > 1 && dtype == Dtype::Float32;
    let (tasks, scratch) = if depthwise {
        t.emitter.line(&format!("litz_conv_depthwise_run(shape, {image}, {weight}, epilogue, begin, end);"));
        (syms.mul(batches, out_channels), 0)
    } else {
        let depth = syms.mul(c.weight_sizes[1], syms.mul(c.weight_sizes[2], c.weight_sizes[3]));
        let copies = Copies {
            rows_in_place: match weight_type == ty {
                true => rows_in_place(syms.as_const(depth), dtype.size() as i64),
                false => 0,
            },
            rows_unpacked: 0,
            left_is_computed: false,
        };
        let blocks = t.blocks(batches, [out_channels, positions, depth], dtype.size() as i64, copies);
        let pointwise = c.weight_sizes[2] == one
            && c.weight_sizes[3] == one
            && c.stride == [1, 1]
            && c.padding == [0, 0]
            && strides[2] == c.input_sizes[3];
        let run = if pointwise { "litz_conv_pointwise_run" } else { "litz_conv_run" };
        let arguments = blocks.arguments();
        t.emitter.line(&format!("const litz_gemm_shape gemm = litz_conv_gemm(shape, {arguments});"));
        t.emitter.line(&if computed {
            format!(
                "litz_conv_product<{ty}, {weight_type}>(shape, gemm, litz_b_function<{ty}, decltype(image)>{{image}}, {weight}, epilogue, begin, end, scratch);"
            )
        } else {
            format!(
                "{run}<{ty}, {image_type}, {weight_type}>(shape, gemm, {image}, {weight}, epilogue, begin, end, scratch);"
            )
        });
        (blocks.tasks(syms, batches, out_channels, positions), blocks.bytes)
    };
    let Finished { body: lines, symbols, functions } = t.emitter.finish();
    Kernel {
        kind: "convolution",
        body: print::cxx::function(&parameters, &lines),
        functions,
        headers: vec![NativeHeader::Tile, NativeHeader::Gemm, NativeHeader::Convolution],
        buffers,
        symbols,
        tasks,
        grain: one,
        scratch: syms.constant(scratch),
        lanes: 0,
        maps: Vec::new(),
    }
}

/// An operand's pointer, memory type and strides, where it is a strided load (the schedule saw to that).
pub fn operand(
    t: &mut Template<'_>,
    operand: crate::loops::ExprId,
    sizes: &[SymInt],
) -> (String, &'static str, Vec<SymInt>) {
    let program = t.program;
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
    let pointer = format!("{} + {}", pointer_of(&t.emitter, *buffer), t.emitter.index_text(rest));
    // A dimension of one element may have any stride; the template asks for that of whole rows.
    for k in (0..sizes.len().saturating_sub(1)).rev() {
        if syms.as_const(sizes[k]) == Some(1) {
            let below = if k + 2 == sizes.len() { syms.constant(1) } else { strides[k + 1] };
            strides[k] = syms.mul(below, sizes[k + 1]);
        }
    }
    (pointer, cpp::memory_type(program.exprs.dtype(load)), strides)
}

/// A function that computes a piece of a channel of the image, which the schedule has made one row.
fn image_function(t: &mut Template<'_>, c: &Convolution, ty: &str) {
    let syms = std::sync::Arc::clone(&t.program.syms);
    let lanes = t.target.isa.lanes() as i64;
    let (own, computed) = (t.program.exprs.dtype(c.input), t.program.exprs.dtype(c.input).compute());
    let (groups, channels) = (c.groups, t.emitter.index_text(c.weight_sizes[1]));
    t.emitter.open();
    t.emitter
        .line(&format!("const i64 picture = batch / {groups}, channel = batch % {groups} * {channels} + k;"));
    t.emitter.line("(void)picture; (void)channel;");
    let level = t.emitter.depth();
    t.emitter.bind(syms.index_var(0, c.input_sizes[0]), "picture", level);
    t.emitter.bind(syms.index_var(1, c.input_sizes[1]), "channel", level);
    let lane = syms.index_var(3, c.input_sizes[3]);
    let span = t.emitter.span(lane, ("n_begin", "n_begin + n_count"), None, lanes);
    t.emitter.over_lanes(span, &mut |e| {
        let mut value = e.value(c.input);
        if own != computed {
            value = e.convert(value, computed);
        }
        e.store_value("(space - n_begin)", lane, value);
    });
    t.emitter
        .close(&format!("const auto image = [&](i64 batch, i64 k, i64 n_begin, i64 n_count, {ty} *space)"));
    t.emitter.line(";");
}

fn epilogue(t: &mut Template<'_>, c: &Convolution, positions: SymInt, ty: &str) {
    let GroupKind::Template { dims, epilogue, .. } = &t.group.kind else { return };
    let (dims, epilogue): (Vec<SymInt>, Vec<Item>) = (dims.clone(), epilogue.clone());
    let syms = std::sync::Arc::clone(&t.program.syms);
    let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
    t.emitter.open();
    t.emitter.line("(void)image; (void)channel;");
    let level = t.emitter.depth();
    t.emitter.bind(vars[0], "image", level);
    t.emitter.bind(vars[1], "channel", level);
    let memory = t.emitter.storage.get(&c.out).cloned();
    let start = "n_begin".value(&mut t.emitter);
    let sums = Storage::Accumulator { pointer: "sums".into(), start, convert: None };
    t.emitter.storage.insert(c.out, sums);
    let var = syms.index_var(2, positions);
    let own = flatten(&syms, &vars, &dims);
    t.store_epilogue(var, own, memory, &epilogue, None);
    t.emitter.close(&format!(
        "const auto epilogue = [&](i64 image, i64 channel, i64 n_begin, i64 n_count, {ty} *sums)"
    ));
    t.emitter.line(";");
}
