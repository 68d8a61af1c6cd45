//! Gives images their channels last, for a GPU's tensor cores and its depthwise template: a convolution of reduced floats reads eight
//! neighbouring channels at a time.
//!
//! The nodes around a buffer decide its layout. The images that such a convolution reads and writes have their channels last, and so do
//! those that pointwise nodes and reductions compute from them, channel by channel. Such a buffer gets its dimensions in that order, and
//! the nodes that write it iterate in that order, so that later passes need not know of it. Other operands (an input, a viewed
//! tensor) are copied before a convolution, with their channels padded by zeros to multiples of 8. So are weights, which are mostly
//! constants and then copied once.
//!
//! A convolution of one by one is a product of matrices.
//!
//! Inputs and outputs that the graph has with their channels last are read and written as they are.
//!
//! Deliberately absent: float32, which uses tensor cores only by an option, and keeps its layout; outputs in another layout, which are
//! copied.

use super::copies::{Copied, copied};
use super::result_order;
use crate::base::HashSet;
use crate::loops::access::{flatten, offset_of, replacing, unflatten};
use crate::loops::uses::{lies_in_memory, reduced_load};
use crate::loops::{BufferId, BufferKind, Convolution, Expr, ExprId, LoopNode, NodeKind, Operators, Program};
use crate::target::Target;
use crate::types::{SymInt, contiguous_strides};
use std::sync::Arc;

/// Elements that tensor cores are fed with at once.
pub const CHUNK: i64 = 8;

/// Gives images that convolutions read or write their channels last.
pub fn run(program: &mut Program, target: &Target) {
    let wished = wished(program);
    if wished.is_empty() {
        return;
    }
    reorder(program, &wished);
    for mut node in std::mem::take(&mut program.nodes) {
        let operators = node.operators.clone();
        if let NodeKind::Convolution(c) = &mut node.kind
            && c.channels_last
        {
            let mut own = c.clone();
            operands(program, &mut own, &operators);
            // Hopper's convolutions have the better epilogue for the few channels of such products.
            let product = if target.has_wide_convolution_epilogue() { None } else { product(program, &own) };
            node.kind = match product {
                Some(product) => product,
                None => NodeKind::Convolution(own),
            };
        }
        program.nodes.push(node);
    }
}

/// True for a convolution that tensor cores take: of reduced floats, each group's channels and filters whole chunks. Also for a depthwise
/// convolution: `reduce_windows` leaves only those that the template takes.
fn reads_chunks(program: &Program, c: &Convolution) -> bool {
    let syms = &program.syms;
    let [input, weight] = [c.input, c.weight].map(|e| program.exprs.dtype(reduced_load(program, e)));
    let Some([filters, channels, ..]) = syms.as_consts(&c.weight_sizes).as_deref().map(|s| [s[0], s[1]])
    else {
        return false;
    };
    let whole = channels % CHUNK == 0 && filters / c.groups % CHUNK == 0;
    let grouped = c.groups == 1 || whole || c.is_depthwise(syms);
    input.is_reduced_float() && input == weight && grouped && channels > 0 && filters > 0
}

/// The buffer that the expression is a load of, and its index.
fn loaded(program: &Program, expr: ExprId) -> Option<(BufferId, &[SymInt])> {
    match &program.exprs[reduced_load(program, expr)] {
        Expr::Load { buffer, index, data } if data.is_empty() => Some((*buffer, index)),
        _ => None,
    }
}

/// A temporary of images that may lie in any order, or an output that has its channels last.
fn is_free(program: &Program, buffer: BufferId) -> bool {
    let data = &program.buffers[buffer];
    let contiguous = data.strides == contiguous_strides(&program.syms, &data.sizes);
    if data.kind != BufferKind::Temporary || data.sizes.len() < 3 || !contiguous {
        return false;
    }
    !lies_in_memory(program, buffer) || is_given_last(program, buffer)
}

/// An output that nothing else holds, and that the graph has with its channels last.
fn is_given_last(program: &Program, buffer: BufferId) -> bool {
    let mut outputs = program.outputs.iter().zip(&program.given.outputs).filter(|(b, _)| **b == buffer);
    let Some((_, strides)) = outputs.next() else { return false };
    let pinned = program.pinned.contains(&buffer) || program.writes.iter().any(|w| w.1 == buffer);
    outputs.next().is_none() && !pinned && lies_last(program, &program.buffers[buffer].sizes, strides)
}

/// True for strides of an image that is contiguous with its channels last, and not otherwise.
fn lies_last(program: &Program, sizes: &[SymInt], strides: &[SymInt]) -> bool {
    let syms = &program.syms;
    sizes.len() >= 3
        && strides.len() == sizes.len()
        && channels_last(strides) == contiguous_strides(syms, &channels_last(sizes))
        && strides != contiguous_strides(syms, sizes)
}

/// The buffers that are to have their channels last.
fn wished(program: &Program) -> HashSet<BufferId> {
    let mut wished: HashSet<BufferId> = HashSet::default();
    // Those whose writers can go over them in another order: a product's result, viewed as an image, is copied.
    let turned: HashSet<BufferId> = program.nodes.iter().flat_map(turned_outs(program)).collect();
    let is_free = |buffer: BufferId| turned.contains(&buffer) && is_free(program, buffer);
    for node in &program.nodes {
        let (input, outs) = match &node.kind {
            NodeKind::Convolution(c) if reads_chunks(program, c) => {
                let vars = program.vars(&c.input_sizes);
                (loaded(program, c.input).filter(|(_, index)| index.get(..2) == vars.get(..2)), vec![c.out])
            }
            _ => continue,
        };
        wished.extend(outs);
        wished.extend(input.map(|(buffer, _)| buffer).filter(|b| is_free(*b)));
    }
    // What is made of such images channel by channel, or what they are made of.
    loop {
        let before = wished.len();
        for node in &program.nodes {
            let (NodeKind::Pointwise { sizes, .. } | NodeKind::Reduction { sizes, .. }) = &node.kind else {
                continue;
            };
            let outs = node.outs();
            if !outs.iter().all(|b| is_free(*b)) {
                continue;
            }
            let read: Vec<BufferId> = by_channel(program, node, sizes);
            if outs.iter().any(|b| wished.contains(b)) {
                wished.extend(read.iter().filter(|b| is_free(**b)));
            }
            if read.iter().any(|b| wished.contains(b)) {
                wished.extend(outs);
            }
        }
        if wished.len() == before {
            break;
        }
    }
    // A node's results lie alike.
    for node in &program.nodes {
        if let NodeKind::Reduction { outs, .. } = &node.kind
            && !outs.iter().all(|b| wished.contains(b))
        {
            outs.iter().for_each(|b| _ = wished.remove(b));
        }
    }
    wished
}

/// The results of a node that writes them in whatever order they lie: other convolutions and products have their own.
fn turned_outs(program: &Program) -> impl Fn(&LoopNode) -> Vec<BufferId> {
    move |node| match &node.kind {
        NodeKind::Pointwise { sizes, .. } | NodeKind::Reduction { sizes, .. } => {
            let as_computed = |b: &BufferId| program.buffers[*b].sizes == *sizes;
            node.outs().into_iter().filter(as_computed).collect()
        }
        NodeKind::Convolution(c) if reads_chunks(program, c) => vec![c.out],
        _ => Vec::new(),
    }
}

/// The buffers of images that a node reads so that its own channels are theirs.
fn by_channel(program: &Program, node: &LoopNode, sizes: &[SymInt]) -> Vec<BufferId> {
    let syms = &program.syms;
    let Some(channel) = syms.as_symbol(syms.index_var(1, sizes[1])) else { return Vec::new() };
    let loads = program.exprs.loads(&node.exprs());
    let images = loads.into_iter().filter_map(|load| loaded(program, load)).filter(|(_, index)| {
        let elsewhere = index.iter().enumerate().any(|(k, i)| k != 1 && syms.depends_on(*i, channel));
        index.len() >= 3 && syms.depends_on(index[1], channel) && !elsewhere
    });
    images.map(|(buffer, _)| buffer).collect()
}

fn channels_last(list: &[SymInt]) -> Vec<SymInt> {
    channels_last_order(list.len()).into_iter().map(|k| list[k]).collect()
}

/// Batch, spatial dimensions, channels.
fn channels_last_order(rank: usize) -> Vec<usize> {
    std::iter::once(0).chain(2..rank).chain([1]).collect()
}

/// Gives the buffers that order.
fn reorder(program: &mut Program, wished: &HashSet<BufferId>) {
    let last = |b: &BufferId| (*b, channels_last_order(program.buffers[*b].sizes.len()));
    let orders = wished.iter().map(last).collect();
    result_order::reorder(program, &orders);
}

/// Operands in whole chunks of channels: the input where it does not lie so already, the weight as a rule.
fn operands(program: &mut Program, c: &mut Convolution, operators: &Operators) {
    let syms = Arc::clone(&program.syms);
    if c.is_depthwise(&syms) {
        if !in_chunks(program, c) {
            copy_input(program, c, c.weight_sizes[1], 1, operators);
        }
        return;
    }
    // Pixels side by side that count as one, whose channels stand one after the other.
    let few = syms.as_const(c.weight_sizes[1]).is_some_and(|n| 2 * n <= CHUNK);
    let together = if few && c.groups == 1 && c.stride[1] % 2 == 0 && c.dilation[1] == 1 { 2 } else { 1 };
    let channels = c.weight_sizes[1];
    let padded = match together {
        1 => syms.mul_const(syms.ceildiv(channels, syms.constant(CHUNK)), CHUNK),
        _ => syms.constant(CHUNK),
    };
    if padded != channels || !in_chunks(program, c) {
        copy_input(program, c, padded, together, operators);
    }
    copy_weight(program, c, padded, together, operators);
    if together > 1 {
        c.stride[1] /= together;
        c.padding[1] = 0;
    }
}

/// Which pixel of a group a padded channel belongs to, and its channel there.
fn parted(program: &Program, channel: SymInt, padded: SymInt, together: i64) -> (SymInt, SymInt) {
    let syms = &program.syms;
    let slots = syms.floordiv(padded, syms.constant(together));
    (syms.floordiv(channel, slots), syms.modulo(channel, slots))
}

fn copy_input(
    program: &mut Program,
    c: &mut Convolution,
    padded: SymInt,
    together: i64,
    operators: &Operators,
) {
    let syms = Arc::clone(&program.syms);
    let [images, all, height, mut width] = c.input_sizes;
    let wide = if c.groups == 1 { padded } else { all };
    if together > 1 {
        let taps = syms.ceildiv(c.weight_sizes[3], syms.constant(together));
        let last = syms.add_const(program.buffers[c.out].sizes[2], -1);
        width = syms.add(syms.mul_const(last, c.stride[1] / together), taps);
    }
    let sizes = vec![images, height, width, wide];
    let [image, line, place, at] = program.vars(&sizes)[..] else {
        unreachable!("an image has four dimensions")
    };
    let (mut channel, mut x, mut inside) = (at, place, syms.constant(1));
    if together > 1 {
        let (pixel, own) = parted(program, at, padded, together);
        let first = syms.mul_const(place, together);
        (channel, x) = (own, syms.add_const(syms.add(first, pixel), -c.padding[1]));
        for condition in [syms.le(syms.constant(0), x), syms.lt(x, c.input_sizes[3])] {
            inside = both(program, inside, condition);
        }
    }
    inside = both(program, inside, syms.lt(channel, all));
    let own = program.vars(&c.input_sizes);
    c.input_sizes = [images, wide, height, width];
    let index = channels_last(&program.vars(&c.input_sizes));
    let copy = Copied { sizes, own, to: vec![image, channel, line, x], inside, index };
    c.input = copied(program, c.input, copy, operators);
}

/// The weight with its channels last, in whole chunks of them.
fn copy_weight(
    program: &mut Program,
    c: &mut Convolution,
    padded: SymInt,
    together: i64,
    operators: &Operators,
) {
    let syms = Arc::clone(&program.syms);
    let [filters, channels, taps_y, taps_x] = c.weight_sizes;
    let own = program.vars(&c.weight_sizes);
    let wide = [filters, padded, taps_y, syms.ceildiv(taps_x, syms.constant(together))];
    let sizes = channels_last(&wide);
    let [filter, y, x, at] = program.vars(&sizes)[..] else { unreachable!("four sizes are given") };
    let (pixel, channel) = parted(program, at, padded, together);
    let tap = syms.add(syms.mul_const(x, together), pixel);
    let inside = both(program, syms.lt(channel, channels), syms.lt(tap, taps_x));
    let index = channels_last(&program.vars(&wide));
    c.weight_sizes = wide;
    let unchanged = padded == channels && together == 1;
    if !unchanged || offset_loaded(program, c.weight) != Some(flatten(&syms, &index, &sizes)) {
        let copy = Copied { sizes, own, to: vec![filter, channel, y, tap], inside, index };
        c.weight = copied(program, c.weight, copy, operators);
    }
}

/// `a and b`, where either may be known.
fn both(program: &Program, a: SymInt, b: SymInt) -> SymInt {
    match (program.syms.decide(a), program.syms.decide(b)) {
        (Some(true), _) => b,
        (_, Some(true)) => a,
        _ => program.syms.and(a, b),
    }
}

/// Where the element lies that the expression is a load of.
fn offset_loaded(program: &Program, expr: ExprId) -> Option<SymInt> {
    let (buffer, index) = loaded(program, expr)?;
    Some(offset_of(&program.syms, index, &program.buffers[buffer].strides))
}

/// True for an image in memory whose channels are neighbours, in chunks that begin where accesses of 16 bytes may.
fn in_chunks(program: &Program, c: &Convolution) -> bool {
    let syms = &program.syms;
    let whole = |s: SymInt| syms.as_const(syms.modulo(s, syms.constant(CHUNK))) == Some(0);
    let Some(mut rest) = offset_loaded(program, c.input) else { return false };
    for (k, var) in program.vars(&c.input_sizes).into_iter().enumerate() {
        let Some(symbol) = syms.as_symbol(var) else { continue };
        let Some((step, left)) = syms.linear_in(rest, symbol) else { return false };
        if k == 1 && syms.as_const(step) != Some(1) || k != 1 && !whole(step) {
            return false;
        }
        rest = left;
    }
    whole(rest)
}

/// A convolution of one by one as the product of pixels with filters.
fn product(program: &mut Program, c: &Convolution) -> Option<NodeKind> {
    let syms = Arc::clone(&program.syms);
    let one = syms.constant(1);
    if c.weight_sizes[2..] != [one, one] || c.padding != [0, 0] || c.groups != 1 || !c.reaches(program) {
        return None;
    }
    let out_sizes = program.buffers[c.out].sizes.clone();
    let (pixels, n, k) = (&out_sizes[..3], c.weight_sizes[0], c.weight_sizes[1]);
    let m = syms.product(pixels);
    let [row, filter, channel] = [syms.index_var(0, m), syms.index_var(1, n), syms.index_var(2, k)];
    let pixel = unflatten(&syms, row, pixels);
    let [y, x] = [0, 1].map(|d| syms.mul_const(pixel[1 + d], c.stride[d]));
    let own = program.vars(&c.input_sizes);
    let map = replacing(&syms, &own, &[pixel[0], channel, y, x]);
    let a = program.exprs.substitute(&syms, c.input, &map);
    let own = program.vars(&c.weight_sizes);
    let zero = syms.constant(0);
    let map = replacing(&syms, &own, &[filter, channel, zero, zero]);
    let b = program.exprs.substitute(&syms, c.weight, &map);
    Some(NodeKind::Gemm { batch: Vec::new(), m, n, k, a, b, out: c.out })
}
