//! Matrix products that cuBLASLt does, and the part of their epilogue that it applies.
//!
//! The library reads and writes matrices with one stride, whose rows or columns are contiguous. After the sum it can
//! scale, add a matrix or a bias, and apply one of two activations. A [`Routine`] states what it is asked for. A group
//! that needs more is left to Litz's template, which takes any epilogue.
//!
//! Deliberately absent: whether the library is there, which the target says, and running it.

use super::fuse::Member;
use super::vendor_epilogue::{Epilogue, Place, epilogue};
use super::{Group, GroupKind, Item, Schedule};
use crate::base::{HashMap, HashSet};
use crate::loops::access::flatten;
use crate::loops::uses::{Readers, lies_in_memory, reads_of, reduced_load};
use crate::loops::{BufferId, BufferKind, Expr, ExprId, NodeKind, Program, Routine};
use crate::plan::Attributes;
use crate::plan::external::{Activation, Matrix, Product};
use crate::target::{Choice, CudaTarget, Target};
use crate::types::{Dtype, SymInt, SymbolKind};

/// An operand as a strided matrix in memory: its offset, and the strides of the batch and of the two dimensions.
pub struct Strided {
    pub buffer: BufferId,
    pub dtype: Dtype,
    pub offset: SymInt,
    pub strides: [SymInt; 3],
}

/// The operand as a strided matrix, where it is one: a load, perhaps of a reduced float, at a linear offset.
pub fn strided_matrix(
    program: &Program,
    batch: &[SymInt],
    vars: [SymInt; 2],
    operand: ExprId,
    dtype: Dtype,
) -> Option<Strided> {
    let load = if dtype == Dtype::Float32 { reduced_load(program, operand) } else { operand };
    let Expr::Load { buffer, index, data } = &program.exprs[load] else { return None };
    let from = program.exprs.dtype(load);
    if !data.is_empty() || (from != dtype && !from.is_reduced_float()) {
        return None;
    }
    let (offset, strides) = strides_of(program, batch, vars, index[0])?;
    Some(Strided { buffer: *buffer, dtype: from, offset, strides })
}

/// An offset as what it starts from and its strides along the batch, walked by one stride, and two variables.
fn strides_of(
    program: &Program,
    batch: &[SymInt],
    vars: [SymInt; 2],
    offset: SymInt,
) -> Option<(SymInt, [SymInt; 3])> {
    let syms = &program.syms;
    let mut rest = offset;
    let mut strides = Vec::new();
    for var in vars {
        let (step, left) = match syms.as_symbol(var) {
            Some(symbol) => syms.linear_in(rest, symbol)?,
            None => (syms.constant(0), rest),
        };
        strides.push(step);
        rest = left;
    }
    // All dimensions of the batch must be walked by one stride.
    let mut step = syms.constant(0);
    let mut below: Option<(SymInt, SymInt)> = None;
    for (d, size) in batch.iter().enumerate().rev() {
        let Some(symbol) = syms.as_symbol(syms.index_var(d as u32, *size)) else { continue };
        let (own, left) = syms.linear_in(rest, symbol)?;
        match below {
            None => step = own,
            Some((stride, count)) if own != syms.mul(stride, count) => return None,
            Some(_) => {}
        }
        below = Some((own, *size));
        rest = left;
    }
    let fixed = [strides[0], strides[1], step].iter().all(|s| is_free(program, *s));
    fixed.then_some((rest, [step, strides[0], strides[1]]))
}

/// Depends on no loop variable.
fn is_free(program: &Program, value: SymInt) -> bool {
    let syms = &program.syms;
    !syms.symbols(value).iter().any(|v| matches!(syms.symbol_kind(*v), SymbolKind::Index { .. }))
}

/// Products with fewer rows, columns or terms are the own template's: what the library could gain is lost in its launch.
const LEAST: i64 = 16;
/// Operations a second of large products on an H200: the library's, and what share of it the own template reaches, with
/// wgmma fed by the copy engine and with what older generations have.
const LIBRARY_SPEED: f64 = 760e12;
const OWN_SHARE: [f64; 2] = [0.9, 0.65];
/// Bytes a second that a kernel moves there, partly from the second-level cache, and the seconds that a launch costs.
const BANDWIDTH: f64 = 5e12;
const LAUNCH: f64 = 2e-6;

/// Temporaries that one node reads, and nothing else.
pub fn read_once(program: &Program, readers: &Readers) -> HashSet<BufferId> {
    let alone =
        |b: &BufferId| program.buffers[*b].kind == BufferKind::Temporary && !lies_in_memory(program, *b);
    readers.iter().filter(|(b, nodes)| nodes.len() == 1 && alone(b)).map(|(b, _)| *b).collect()
}

/// Whether a library is to do the template `node`, were it alone.
pub fn takes(program: &Program, target: &Target, node: usize, dims: &[SymInt]) -> bool {
    let by_rule = || match program.nodes[node].kind {
        NodeKind::Convolution(_) => super::convolve::by_rule(program, target, node),
        _ => !super::gemm_cost::own_is_ahead(program, target, node),
    };
    let wanted = match choice(program, target, node) {
        Some(Choice::Template | Choice::Tile(_)) => false,
        Some(Choice::Library) => true,
        None => by_rule(),
    };
    wanted && can(program, target, node, dims)
}

fn choice<'t>(program: &Program, target: &'t Target, node: usize) -> Option<&'t Choice> {
    let Target::Cuda(target) = target else { return None };
    chosen(program, target, node)
}

/// What was decided for the product, beside the rules.
pub fn chosen<'t>(program: &Program, target: &'t CudaTarget, node: usize) -> Option<&'t Choice> {
    if target.vendor.choices.is_empty() {
        return None;
    }
    target.vendor.choices.get(&name(program, node)?)
}

/// A product's or convolution's name, which those share that one choice is made for: its dtype, sizes, the order of its
/// operands in memory, and the operators of what it is and of what reads it.
fn name(program: &Program, node: usize) -> Option<String> {
    let syms = &program.syms;
    let joined = |sizes: &[SymInt]| {
        let sizes: Vec<String> = sizes.iter().map(|s| syms.display(*s).to_string()).collect();
        sizes.join("x")
    };
    let (out, what) = match &program.nodes[node].kind {
        NodeKind::Gemm { batch, m, n, k, a, b, out } => {
            let at = batch.len() as u32;
            let (dtype, kv) = (program.exprs.dtype(reduced_load(program, *a)), syms.index_var(at + 2, *k));
            let lies = |operand: ExprId, rows: SymInt, position: u32| {
                let computed = program.exprs.dtype(operand);
                let vars = [syms.index_var(position, rows), kv];
                let matrix = strided_matrix(program, batch, vars, operand, computed);
                if matrix.is_some_and(|m| syms.as_const(m.strides[2]) == Some(1)) { "" } else { "t" }
            };
            let sizes: Vec<SymInt> = batch.iter().chain([m, n, k]).copied().collect();
            let (left, right) = (lies(*a, *m, at), lies(*b, *n, at + 1));
            (*out, format!("{dtype} {} {left}x{right}", joined(&sizes)))
        }
        NodeKind::Convolution(c) => {
            let dtype = program.exprs.dtype(reduced_load(program, c.input));
            let (input, weight) = (joined(&c.input_sizes), joined(&c.weight_sizes));
            let lies = if c.channels_last { "channels last" } else { "channels first" };
            let how = format!("{:?} {:?} {:?} {}", c.stride, c.padding, c.dilation, c.groups);
            (c.out, format!("{dtype} {input} by {weight} {how} {lies}"))
        }
        _ => return None,
    };
    let mut operators = program.nodes[node].operators.names.clone();
    for reader in 0..program.nodes.len() {
        if reads_of(program, reader).contains(&out) {
            operators.extend(&program.nodes[reader].operators.names);
        }
    }
    Some(format!("{what} {}", operators.join(" ")))
}

/// Products or convolutions of a schedule that one choice is made for.
#[derive(Clone, Debug)]
pub struct Products {
    /// Multiplications in all of them.
    pub work: f64,
    /// Whether the library does some of them.
    pub by_library: bool,
    /// Whether the library could.
    pub library: bool,
    /// One of them, among the schedule's groups of each run.
    pub group: usize,
}

/// The products and convolutions of a schedule by the names under which there is a choice.
pub fn products(program: &Program, scheduled: &Schedule, target: &Target) -> HashMap<String, Products> {
    let mut found: HashMap<String, Products> = HashMap::new();
    for (place, group) in scheduled.main.iter().enumerate() {
        let GroupKind::Template { node, dims, vendor, .. } = &group.kind else { continue };
        let Some(name) = name(program, *node) else { continue };
        let work = match &program.nodes[*node].kind {
            NodeKind::Gemm { batch, m, n, k, .. } => {
                let sizes = batch.iter().chain([m, n, k]);
                sizes.map(|s| program.syms.hint(*s).max(1) as f64).product()
            }
            NodeKind::Convolution(c) => super::convolve::work(program, c),
            _ => continue,
        };
        let library = can(program, target, *node, dims);
        let entry =
            found.entry(name).or_insert(Products { work: 0.0, by_library: false, library, group: place });
        entry.work += work;
        entry.by_library |= *vendor;
        entry.library &= library;
    }
    found
}

fn can(program: &Program, target: &Target, node: usize, dims: &[SymInt]) -> bool {
    let Target::Cuda(target) = target else { return false };
    let syms = &program.syms;
    let NodeKind::Gemm { m, n, k, out, .. } = program.nodes[node].kind else {
        return super::convolve::can(program, target, node);
    };
    let many = |s: SymInt| syms.hint(s) >= LEAST;
    let known = syms.as_consts(&[n, k]).is_some() && syms.as_const(m) != Some(1);
    let own = Place { buffer: out, offset: flatten(syms, &program.vars(dims), dims) };
    target.vendor.cublaslt
        && known
        && many(m)
        && many(n)
        && many(k)
        && product(program, node, own, &Epilogue::default(), false).is_some()
}

/// Whether the library can do everything that the members of a group do. The last member makes the only result.
pub fn does(
    program: &Program,
    target: &Target,
    node: usize,
    dims: &[SymInt],
    members: &[Member],
    alone: &HashSet<BufferId>,
) -> bool {
    let out = program.nodes[node].outs()[0];
    let Some((last, before)) = members.split_last() else { return true };
    if matches!(program.nodes[node].kind, NodeKind::Convolution(_)) {
        return false;
    }
    let Item::Store { buffer, offset, value, .. } = last.item else { return false };
    let mut values = HashMap::default();
    for member in before {
        let Item::Store { buffer, value, .. } = member.item else { return false };
        values.insert(buffer, value);
    }
    if !alone.contains(&out) || !values.keys().all(|b| alone.contains(b)) {
        return false;
    }
    let Some(found) = epilogue(program, node, dims, &values, value, buffer) else { return false };
    let Target::Cuda(target) = target else { return false };
    product(program, node, Place { buffer, offset }, &found, target.vendor.tf32).is_some()
}

/// Whether the library's product followed by a kernel for the rest is better than the own template with all in one: what
/// the library gains must pay for the result's way to memory and back.
pub fn stays(program: &Program, target: &Target, node: usize) -> bool {
    let NodeKind::Gemm { batch, m, n, k, a, out, .. } = &program.nodes[node].kind else {
        // A convolution is given to it where that pays for an epilogue of its own.
        return true;
    };
    if choice(program, target, node) == Some(&Choice::Library) {
        return true;
    }
    let reduced = program.exprs.dtype(reduced_load(program, *a)).is_reduced_float();
    let share = match target {
        Target::Cuda(cuda) if cuda.arch >= 80 && reduced => OWN_SHARE[usize::from(cuda.arch != 90)],
        // Without tensor cores for the dtype the own template is far behind.
        _ => return true,
    };
    let hint = |s: &SymInt| program.syms.hint(*s).max(1) as f64;
    let elements: f64 = batch.iter().chain([m, n]).map(hint).product();
    let gained = 2.0 * elements * hint(k) / LIBRARY_SPEED * (1.0 / share - 1.0);
    let moved = 2.0 * elements * program.buffers[*out].dtype.size() as f64;
    gained > moved / BANDWIDTH + LAUNCH
}

/// Says what the library is asked for, of each group that was made for it. Nothing that moves values comes after this.
pub fn assign(program: &mut Program, target: &Target, groups: &mut [Group]) {
    for group in groups {
        ask(program, target, group);
        if matches!(group.kind, GroupKind::Template { vendor: true, routine: None, .. }) {
            expand(program, target, group);
        }
    }
}

/// Puts formulas in the place of functions that only a library has: another kernel does the group.
pub fn expand(program: &mut Program, target: &Target, group: &mut Group) {
    if !target.library_applies_gelu() {
        return;
    }
    let mut put = |value: &mut ExprId| *value = program.exprs.expanded(*value);
    match &mut group.kind {
        GroupKind::Template { epilogue, .. } => {
            epilogue.iter_mut().for_each(|item| put(item.value_mut()));
        }
        GroupKind::Loops(loops) => {
            let items = loops.stages.iter_mut().flat_map(|stage| &mut stage.items);
            items.for_each(|item| put(item.value_mut()));
        }
        GroupKind::Standalone { .. } | GroupKind::Pack { .. } | GroupKind::RowColumnReduction(_) => {}
    }
}

fn ask(program: &Program, target: &Target, group: &mut Group) {
    let Target::Cuda(target) = target else { return };
    let GroupKind::Template { node, dims, epilogue: items, vendor: true, routine, .. } = &mut group.kind
    else {
        return;
    };
    let [written] = group.writes[..] else { return };
    if let NodeKind::Convolution(_) = program.nodes[*node].kind {
        *routine = super::convolve::routine(program, *node, written, target.vendor.tf32);
        return;
    }
    let item = items.iter().rev().find(|i| i.outs() == [written]);
    let (place, found) = match item {
        Some(Item::Store { offset, value, .. }) => (
            Place { buffer: written, offset: *offset },
            epilogue(program, *node, dims, &HashMap::default(), *value, written),
        ),
        _ => {
            let own = flatten(&program.syms, &program.vars(dims), dims);
            (Place { buffer: written, offset: own }, Some(Epilogue::default()))
        }
    };
    *routine = found.and_then(|f| product(program, *node, place, &f, target.vendor.tf32));
}

/// The product as the library's routine, where it takes the operands and places as they lie.
fn product(program: &Program, node: usize, to: Place, epilogue: &Epilogue, tf32: bool) -> Option<Routine> {
    let syms = &program.syms;
    let NodeKind::Gemm { batch, m, n, k, a, b, .. } = &program.nodes[node].kind else { return None };
    let at = batch.len() as u32;
    let [mv, nv, kv] = [syms.index_var(at, *m), syms.index_var(at + 1, *n), syms.index_var(at + 2, *k)];
    let computed = program.exprs.dtype(*a);
    let left = strided_matrix(program, batch, [mv, kv], *a, computed)?;
    let right = strided_matrix(program, batch, [nv, kv], *b, computed)?;
    let (dtype, result) = (left.dtype, program.buffers[to.buffer].dtype);
    let known = match dtype {
        Dtype::Float32 | Dtype::Float64 => result == dtype,
        d if d.is_reduced_float() => result == dtype || result == Dtype::Float32,
        _ => false,
    };
    if !known || right.dtype != dtype {
        return None;
    }
    // Activations of float64 are not among the library's.
    if dtype == Dtype::Float64 && epilogue.activation != Activation::None {
        return None;
    }
    let (zero, one) = (syms.constant(0), syms.constant(1));
    // Kernels for halves read 16 bytes at once.
    let whole = |item: usize, values: &[SymInt]| {
        let by = syms.constant(16 / item as i64);
        values.iter().all(|v| syms.as_const(syms.modulo(*v, by)) == Some(0))
    };
    let operand = |matrix: &Strided, rows: SymInt| -> Option<Matrix<SymInt>> {
        let [step, row, depth] = matrix.strides;
        let (stride, turned) = if depth == one {
            (row, zero)
        } else if row == one {
            (depth, one)
        } else {
            return None;
        };
        let neighbours = if turned == one { rows } else { *k };
        let apart = syms.decide(syms.le(neighbours, stride)) == Some(true);
        let aligned = !dtype.is_reduced_float() || whole(dtype.size(), &[step, stride, matrix.offset]);
        (apart && aligned && is_free(program, matrix.offset)).then_some(Matrix {
            offset: matrix.offset,
            batch_stride: step,
            stride,
            turned,
        })
    };
    let matrix = |place: Place| -> Option<Matrix<SymInt>> {
        let (offset, [step, row, column]) = strides_of(program, batch, [mv, nv], place.offset)?;
        let apart = syms.decide(syms.le(*n, row)) == Some(true);
        let aligned = !dtype.is_reduced_float() || whole(result.size(), &[step, row, offset]);
        (column == one && apart && aligned && is_free(program, offset)).then_some(Matrix {
            offset,
            batch_stride: step,
            stride: row,
            turned: zero,
        })
    };
    let own = matrix(to)?;
    let mut bias = (to.buffer, zero);
    if let Some(place) = epilogue.bias {
        let (offset, [_, _, step]) = strides_of(program, batch, [mv, nv], place.offset)?;
        if step != one || !whole(result.size(), &[offset]) || !is_free(program, offset) {
            return None;
        }
        bias = (place.buffer, offset);
    }
    let (mut addend, mut added) = (to.buffer, own);
    if let Some(place) = epilogue.addend {
        (addend, added) = (place.buffer, matrix(place)?);
    }
    let number = |v: i64| syms.constant(v);
    let bits = |v: f64| syms.constant(v.to_bits() as i64);
    let product = Product {
        dtype: number(dtype.number().into()),
        result_dtype: number(result.number().into()),
        tf32: number(tf32.into()),
        activation: number(epilogue.activation as i64),
        has_bias: number(epilogue.bias.is_some().into()),
        has_addend: number(epilogue.addend.is_some().into()),
        alpha: bits(epilogue.alpha),
        beta: bits(epilogue.beta),
        batch: syms.product(batch),
        rows: *m,
        columns: *n,
        depth: *k,
        left: operand(&left, *m)?,
        right: operand(&right, *n)?,
        result: own,
        addend: added,
        bias: bias.1,
    };
    let operands = vec![left.buffer, right.buffer, to.buffer, bias.0, addend];
    Some(Routine::pure(Attributes::Product(product), operands))
}
