//! Convolutions that cuDNN does: by a rule, large ones that no tensor-core template takes, and those for which autotuning
//! chose it (`mode=max-autotune`).
//!
//! The library reads and writes contiguous tensors, with their channels first or last, in one dtype, and applies nothing after
//! the sum: an epilogue is a kernel of its own.
//!
//! The rule leaves convolutions of halves with their channels last (`loop_passes::channels_last`) to Litz's template, whose epilogue takes
//! a norm, a residual and an activation. It also leaves those of float64 and of several groups, for which the template is faster.

use crate::loops::access::flatten;
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Convolution, Expr, ExprId, NodeKind, Program, Routine};
use crate::plan::{self, Attributes};
use crate::target::{CudaTarget, Target};
use crate::types::{Dtype, SymInt, SymbolKind};

/// Convolutions of fewer multiplications are the own template's: a call of the library takes 0.1 ms of the host's time, as
/// long as an H200 takes for so many; in replayed runs there is only the epilogue's way through memory to gain.
const LEAST_WORK: f64 = (1u64 << 30) as f64;
const LEAST_WORK_REPLAYED: f64 = (1u64 << 25) as f64;

/// Whether the library is to do the convolution `node`, which it can, where nothing else was chosen.
pub fn by_rule(program: &Program, target: &Target, node: usize) -> bool {
    let Target::Cuda(target) = target else { return false };
    let NodeKind::Convolution(c) = &program.nodes[node].kind else { return false };
    let least = if target.vendor.replayed { LEAST_WORK_REPLAYED } else { LEAST_WORK };
    let dtype = program.buffers[c.out].dtype;
    !c.channels_last && c.groups == 1 && dtype != Dtype::Float64 && work(program, c) >= least
}

/// Whether the library can do it.
pub fn can(program: &Program, target: &CudaTarget, node: usize) -> bool {
    let NodeKind::Convolution(c) = &program.nodes[node].kind else { return false };
    target.vendor.cudnn && routine(program, node, c.out, false).is_some()
}

/// Multiplications.
pub fn work(program: &Program, c: &Convolution) -> f64 {
    let sizes = program.buffers[c.out].sizes.iter().chain(&c.weight_sizes[1..]);
    sizes.map(|s| program.syms.hint(*s).max(1) as f64).product()
}

/// The convolution as the library's routine, where it takes the operands as they lie.
pub fn routine(program: &Program, node: usize, result: BufferId, tf32: bool) -> Option<Routine> {
    let syms = &program.syms;
    let NodeKind::Convolution(c) = &program.nodes[node].kind else { return None };
    if result != c.out || !c.reaches(program) {
        return None;
    }
    let (input, dtype, input_offset) = contiguous(program, c.input, &c.input_sizes, c.channels_last)?;
    let (weight, of_weight, weight_offset) = contiguous(program, c.weight, &c.weight_sizes, c.channels_last)?;
    let out = &program.buffers[c.out];
    let vars = program.vars(&out.sizes);
    let strided: Vec<SymInt> = vars.iter().zip(&out.strides).map(|(v, s)| syms.mul(*v, *s)).collect();
    let packed = syms.sum(&strided) == flatten(syms, &vars, &out.sizes);
    let known = matches!(dtype, Dtype::Float32 | Dtype::Float64) || dtype.is_reduced_float();
    if !known || of_weight != dtype || out.dtype != dtype || !packed || !fits_the_library(program, c) {
        return None;
    }
    let number = |v: i64| syms.constant(v);
    let attributes = plan::external::Convolution {
        dtype: number(dtype.number().into()),
        tf32: number(tf32.into()),
        last: number(c.channels_last.into()),
        groups: number(c.groups),
        stride: c.stride.map(number),
        padding: c.padding.map(number),
        dilation: c.dilation.map(number),
        input_sizes: c.input_sizes,
        weight_sizes: c.weight_sizes,
        input: input_offset,
        weight: weight_offset,
        result: number(0),
    };
    Some(Routine::pure(Attributes::Convolution(attributes), vec![input, weight, c.out]))
}

/// Whether sizes are such as the library takes: those of the weight known and none of them zero, no negative padding, and no
/// tensor of more elements than 32 bits count.
fn fits_the_library(program: &Program, c: &Convolution) -> bool {
    let weight = program.syms.as_consts(&c.weight_sizes);
    let most = i64::from(i32::MAX);
    let small = |s: SymInt| program.syms.range(s).max <= most;
    let elements = program.syms.product(&c.input_sizes);
    weight.is_some_and(|w| w.iter().all(|n| *n > 0))
        && c.padding.iter().all(|p| *p >= 0)
        && small(elements)
        && small(program.syms.product(&program.buffers[c.out].sizes))
}

/// The buffer, dtype and offset of an operand that is a contiguous tensor in memory, its channels last or second.
fn contiguous(
    program: &Program,
    operand: ExprId,
    sizes: &[SymInt; 4],
    channels_last: bool,
) -> Option<(BufferId, Dtype, SymInt)> {
    let syms = &program.syms;
    let load = reduced_load(program, operand);
    let Expr::Load { buffer, index, data } = &program.exprs[load] else { return None };
    let [offset] = index[..] else { return None };
    let order = if channels_last { [0, 2, 3, 1] } else { [0, 1, 2, 3] };
    let vars = program.vars(sizes);
    let (sizes, vars) = (order.map(|k| sizes[k]), order.map(|k| vars[k]));
    let from = syms.sub(offset, flatten(syms, &vars, &sizes));
    let free = syms.symbols(from).iter().all(|s| !matches!(syms.symbol_kind(*s), SymbolKind::Index { .. }));
    (data.is_empty() && free).then(|| (*buffer, program.exprs.dtype(load), from))
}
