//! Depthwise convolutions as reductions over the window, where memory bounds them. Large windows, which arithmetic bounds, are left to
//! a template where the target has one.

use super::channels_last::CHUNK;
use super::copies::{Copied, copied};
use crate::loops::access::replacing;
use crate::loops::uses::reduced_load;
use crate::loops::{BinaryOp, Convolution, ExprId, NodeKind, Operators, Program, ReductionOp};
use crate::target::Target;
use crate::types::{Dtype, SymInt};
use std::sync::Arc;

/// Convolutions of each channel by itself become reductions, and so do those of groups of few channels with one
/// result each, as which a convolution of each channel over three dimensions comes.
pub fn run(program: &mut Program, target: &Target) {
    for mut node in std::mem::take(&mut program.nodes) {
        if let NodeKind::Convolution(c) = &node.kind
            && c.groups > 1
            && let Some(channels) = program.syms.as_const(c.weight_sizes[1])
            && (channels == 1
                || channels <= CHUNK && program.syms.as_const(c.weight_sizes[0]) == Some(c.groups))
        {
            let mut c = c.clone();
            node.kind = if is_for_template(program, target, &c) {
                c.weight = filters_last(program, &c, &node.operators);
                NodeKind::Convolution(c)
            } else {
                window_sum(program, &c, &node.operators)
            };
        }
        program.nodes.push(node);
    }
}

/// Whether the target's template for convolutions of each channel by itself takes it.
fn is_for_template(program: &Program, target: &Target, c: &Convolution) -> bool {
    let [input, weight] = [c.input, c.weight].map(|e| program.exprs.dtype(reduced_load(program, e)));
    let sizes = program.syms.as_consts(&c.weight_sizes);
    c.is_depthwise(&program.syms)
        && input == weight
        && sizes.is_some_and(|s| target.has_depthwise_template(input, s[0], [s[2], s[3]]))
}

/// The weight as it is read where its filters are neighbours in memory.
fn filters_last(program: &mut Program, c: &Convolution, operators: &Operators) -> ExprId {
    let own = program.vars(&c.weight_sizes);
    let sizes = [&c.weight_sizes[1..], &c.weight_sizes[..1]].concat();
    let at = program.vars(&sizes);
    let (to, index) = (vec![at[3], at[0], at[1], at[2]], vec![own[1], own[2], own[3], own[0]]);
    let copy = Copied { sizes, own, to, inside: program.syms.constant(1), index };
    copied(program, c.weight, copy, operators)
}

/// The sum over the window of one group's channels; the weight lies with its filters last.
fn window_sum(program: &mut Program, c: &Convolution, operators: &Operators) -> NodeKind {
    let syms = Arc::clone(&program.syms);
    let sizes = program.buffers[c.out].sizes.clone();
    let reduced = c.weight_sizes[1..].to_vec();
    let space: Vec<SymInt> = sizes.iter().chain(&reduced).copied().collect();
    let v = program.vars(&space);
    let per_channel = syms.floordiv(c.weight_sizes[0], syms.constant(c.groups));
    let group = syms.floordiv(v[1], per_channel);
    let mut place = vec![v[0], syms.add(syms.mul(group, c.weight_sizes[1]), v[4])];
    let mut inside = syms.constant(1);
    for k in 0..2 {
        let begin = syms.add_const(syms.mul_const(v[2 + k], c.stride[k]), -c.padding[k]);
        let at = syms.add(begin, syms.mul_const(v[5 + k], c.dilation[k]));
        for condition in [syms.le(syms.constant(0), at), syms.lt(at, c.input_sizes[2 + k])] {
            if syms.decide(condition) != Some(true) {
                inside =
                    if syms.as_const(inside) == Some(1) { condition } else { syms.and(inside, condition) };
            }
        }
        place.push(at);
    }
    let own = program.vars(&c.input_sizes);
    let x = program.exprs.substitute(&syms, c.input, &replacing(&syms, &own, &place));
    let own = program.vars(&c.weight_sizes);
    let w = if program.exprs.dtype(reduced_load(program, c.weight)).is_reduced_float() {
        filters_last(program, c, operators)
    } else {
        c.weight
    };
    let place = [v[1], v[4], v[5], v[6]];
    let w = program.exprs.substitute(&syms, w, &replacing(&syms, &own, &place));
    let mut value = program.exprs.binary(BinaryOp::Mul, x, w);
    if syms.decide(inside) != Some(true) {
        let dtype = program.exprs.dtype(value);
        let (condition, zero) = (program.exprs.index_value(inside, Dtype::Bool), program.exprs.int(0, dtype));
        value = program.exprs.masked(condition, value, zero);
    }
    NodeKind::Reduction { sizes, reduced, op: ReductionOp::Sum, value, outs: vec![c.out] }
}
