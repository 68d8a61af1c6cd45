//! Constants that products read in panels: the right operands that are packed once, and the other readers of their panels.
//!
//! If a product packs a constant, loop nodes read it from the panels, too: element `(n, k)` lies at
//! `[n / columns, k, n % columns]`. Then no run reads the original copy, and it is dropped. The verifier proves these reads within
//! the panels; a node whose reads it cannot prove keeps the original copy.
//!
//! Invariants: the panels hold each element of such a constant once; products that read one operand alike share its
//! panels; a constant has all of its readers moved, or none of them.
//!
//! Deliberately absent: operands of other templates, which are read as they lie; constants that runs change; one layout for
//! products that need different ones, since the slower of the two would pay for it in each run.

use super::unpacking::Unpacked;
use super::{Group, GroupKind, Item, strided_matrix, unpacking};
use crate::base::{HashMap, HashSet};
use crate::loops::access::{flat_loads, flatten, memory_order, unflatten};
use crate::loops::uses::{gemm_shares_b, reads_of, reduced_load, stays_packed};
use crate::loops::{self, BufferId, BufferKind, Expr, ExprArena, ExprId, NodeKind, Program};
use crate::plan::Panels;
use crate::target::Target;
use crate::types::{Dtype, SymInt};
use std::sync::Arc;

/// A smaller constant is not worth another way of reading it, and the executor keeps both copies of it.
const SMALLEST_BYTES: i64 = 64 << 10;

/// The panels that products read, and the constants that are in memory more than once.
#[derive(Debug, Default)]
pub struct Packing {
    /// By product.
    pub of: HashMap<usize, Packed>,
    /// Products that unpack theirs in each run, in vectors.
    pub unpacked: HashMap<usize, Arc<Unpacked>>,
    pub held_twice: Vec<HeldTwice>,
}

/// A product's right operand in panels.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    pub out: BufferId,
    /// Of the products that read these panels the first one has them made.
    pub first: bool,
}

/// A constant that runs read in more than one copy.
#[derive(Clone, Debug)]
pub struct HeldTwice {
    pub constant: BufferId,
    /// Copies, the given one among them.
    pub copies: usize,
    pub because: &'static str,
}

/// The panels of one operand.
struct Operand {
    node: usize,
    out: BufferId,
    columns: i64,
    /// Where the operand is all of a constant.
    whole: Option<Whole>,
}

#[derive(Clone)]
struct Whole {
    constant: BufferId,
    /// Sizes of the operand's space: the batch's, columns, depth.
    sizes: Vec<SymInt>,
    /// Its dimensions from the slowest to the fastest in the constant's memory.
    order: Vec<usize>,
}

/// Gives the products among `main` their panels, and rewrites who else reads the constants in these.
pub fn plan(
    program: &mut Program,
    target: &Target,
    main: &[usize],
    init: &[usize],
    fixed: &HashSet<BufferId>,
) -> Packing {
    let mut packing = Packing::default();
    let mut panels: Vec<Operand> = Vec::new();
    let mut known: HashMap<Key, BufferId> = HashMap::default();
    for node in init.iter().chain(main) {
        if reads_fixed(program, *node, fixed)
            && let Some(unpacked) = unpacking::find(program, target, *node)
        {
            packing.unpacked.insert(*node, Arc::new(unpacked));
            continue;
        }
        let Some((key, found)) = panels_of(program, target, *node, fixed) else { continue };
        let mut first = false;
        let out = *known.entry(key).or_insert_with(|| {
            first = true;
            let out = program.temporary(found.dtype, &found.sizes);
            let Found { columns, whole, .. } = found;
            panels.push(Operand { node: *node, out, columns, whole });
            out
        });
        packing.of.insert(*node, Packed { out, first });
    }
    let mut constants: Vec<BufferId> = Vec::new();
    for constant in panels.iter().filter_map(|p| p.whole.as_ref()).map(|w| w.constant) {
        if !constants.contains(&constant) {
            constants.push(constant);
        }
    }
    for constant in constants {
        let of: Vec<&Operand> =
            panels.iter().filter(|p| p.whole.as_ref().is_some_and(|w| w.constant == constant)).collect();
        let given = share(program, main, constant, &of, &packing.of).err();
        let copies = of.len() + usize::from(given.is_some());
        if copies > 1 {
            let because = given.unwrap_or("products need it in panels along different dimensions");
            packing.held_twice.push(HeldTwice { constant, copies, because });
        }
    }
    packing
}

/// Equal operands: the expression, the place of its first variable, and its space.
type Key = (ExprId, usize, Vec<SymInt>);

/// How a product's right operand lies in its panels, where it is a part of a constant as that lies.
pub fn packed_part(program: &Program, node: usize, out: BufferId) -> Option<Panels> {
    let NodeKind::Gemm { batch, n, k, b, .. } = &program.nodes[node].kind else { return None };
    let syms = &program.syms;
    let at = batch.len() as u32;
    let vars = [syms.index_var(at + 1, *n), syms.index_var(at + 2, *k)];
    let batch = if gemm_shares_b(program, batch, *b) { &[] } else { &batch[..] };
    let matrix = strided_matrix(program, batch, vars, *b, program.exprs.dtype(*b))?;
    let BufferKind::Constant(_) = program.buffers[matrix.buffer].kind else { return None };
    let of = |list: [SymInt; 3]| syms.as_consts(&list)?.try_into().ok();
    Some(Panels {
        item: matrix.dtype.size() as i64,
        columns: syms.as_const(*program.buffers[out].sizes.last()?)?,
        sizes: of([syms.product(batch), *n, *k])?,
        strides: of(matrix.strides)?,
        offset: syms.as_const(matrix.offset)?,
    })
}

/// The same of a copy whose last dimension is columns of a constant, and the first their panels where there are several.
pub fn copied_part(program: &Program, group: &Group) -> Option<Panels> {
    let GroupKind::Loops(loops) = &group.kind else { return None };
    let [stage] = &loops.stages[..] else { return None };
    let [Item::Store { node, buffer, value, offset }] = &stage.items[..] else { return None };
    let NodeKind::Pointwise { sizes, out, .. } = &program.nodes[*node].kind else { return None };
    let Expr::Load { buffer: from, index, data } = &program.exprs[*value] else { return None };
    let (syms, constant) = (&program.syms, &program.buffers[*from]);
    let in_order = *offset == flatten(syms, &program.vars(sizes), sizes);
    if out != buffer || !in_order || !data.is_empty() || !matches!(constant.kind, BufferKind::Constant(_)) {
        return None;
    }
    let (lengths, mut rest, mut steps) = (syms.as_consts(sizes)?, index[0], Vec::new());
    for var in program.vars(sizes) {
        let (step, left) =
            syms.as_symbol(var).map_or(Some((syms.constant(0), rest)), |s| syms.linear_in(rest, s))?;
        steps.push(syms.as_const(step)?);
        rest = left;
    }
    let (columns, of_column) = (*lengths.last()?, *steps.last()?);
    let in_panels = lengths.len() > 2 && steps[0] == columns.checked_mul(of_column)?;
    let first = usize::from(in_panels);
    let (mut depth, mut of_row) = (1i64, 0);
    for d in (first..lengths.len() - 1).rev().filter(|d| lengths[*d] != 1) {
        match depth {
            1 => of_row = steps[d],
            _ if steps[d] == of_row.checked_mul(depth)? => {}
            _ => return None,
        }
        depth = depth.checked_mul(lengths[d])?;
    }
    Some(Panels {
        item: constant.dtype.size() as i64,
        columns,
        sizes: [1, if in_panels { lengths[0].checked_mul(columns)? } else { columns }, depth],
        strides: [0, of_column, of_row],
        offset: syms.as_const(rest)?,
    })
}

/// What packing an operand takes.
struct Found {
    dtype: Dtype,
    sizes: Vec<SymInt>,
    columns: i64,
    whole: Option<Whole>,
}

/// The panels of a product's right operand, where constants alone determine it, and what tells equal ones.
fn panels_of(
    program: &mut Program,
    target: &Target,
    node: usize,
    fixed: &HashSet<BufferId>,
) -> Option<(Key, Found)> {
    let NodeKind::Gemm { batch, n, k, b, .. } = program.nodes[node].kind.clone() else { return None };
    let syms = Arc::clone(&program.syms);
    let dtype = program.exprs.dtype(b);
    if !reads_fixed(program, node, fixed)
        || syms.as_consts(&[n, k]).is_none()
        || !matches!(dtype, Dtype::Float32 | Dtype::Float64)
    {
        return None;
    }
    // What lies packed is unpacked in the product.
    if syms.as_const(syms.mul(n, k)).is_some_and(|elements| stays_packed(program, b, elements)) {
        return None;
    }
    let columns = target.panel_columns(dtype.size())? as i64;
    // The batch of the packed operand is that of the product, unless `b` is the same for all of it.
    let shared = gemm_shares_b(program, &batch, b);
    let batch_sizes = if shared { Vec::new() } else { batch.clone() };
    syms.as_consts(&batch_sizes)?;
    let panel = syms.constant(columns);
    let mut sizes = vec![syms.ceildiv(n, panel), k, panel];
    if !shared {
        sizes.insert(0, syms.product(&batch_sizes));
    }
    // Reduced floats stay as they are: half the bytes to read, widened panel by panel.
    let load = reduced_load(program, b);
    let space: Vec<SymInt> = batch_sizes.iter().copied().chain([n, k]).collect();
    let at = batch.len() as u32;
    let mut vars = program.vars(&batch_sizes);
    vars.extend([syms.index_var(at + 1, n), syms.index_var(at + 2, k)]);
    let whole = whole_constant(program, load, &vars, &space);
    Some(((b, batch.len(), space), Found { dtype: program.exprs.dtype(load), sizes, columns, whole }))
}

/// Whether nothing of a product's right operand changes between runs.
fn reads_fixed(program: &Program, node: usize, fixed: &HashSet<BufferId>) -> bool {
    let NodeKind::Gemm { b, .. } = &program.nodes[node].kind else { return false };
    let fixed =
        |e: &ExprId| matches!(&program.exprs[*e], Expr::Load { buffer, .. } if fixed.contains(buffer));
    program.exprs.loads(&[*b]).iter().all(fixed)
}

/// The constant that an operand is, each element once.
fn whole_constant(program: &mut Program, load: ExprId, vars: &[SymInt], sizes: &[SymInt]) -> Option<Whole> {
    let flat = flat_loads(program, load);
    let Expr::Load { buffer, index, data } = &program.exprs[flat] else { return None };
    let (syms, data_of) = (&program.syms, &program.buffers[*buffer]);
    let elements = syms.product(&data_of.sizes);
    if !data.is_empty()
        || !matches!(data_of.kind, BufferKind::Constant(_))
        || syms.product(sizes) != elements
        || syms.as_const(elements)?.saturating_mul(data_of.dtype.size() as i64) < SMALLEST_BYTES
    {
        return None;
    }
    let order = memory_order(syms, index[0], vars, sizes)?;
    Some(Whole { constant: *buffer, sizes: sizes.to_vec(), order })
}

/// Moves all readers of a constant to one of its panels; otherwise says why the constant stays as it was given.
fn share(
    program: &mut Program,
    main: &[usize],
    constant: BufferId,
    panels: &[&Operand],
    packed: &HashMap<usize, Packed>,
) -> Result<(), &'static str> {
    let leaves = program.outputs.contains(&constant)
        || program.pinned.contains(&constant)
        || program.writes.iter().any(|w| w.1 == constant);
    if leaves {
        return Err("it is a result or decides about blocks");
    }
    let mut readers = Vec::new();
    for node in main {
        if !reads_of(program, *node).contains(&constant) {
            continue;
        }
        match &program.nodes[*node].kind {
            NodeKind::Pointwise { .. }
            | NodeKind::Reduction { .. }
            | NodeKind::Scan { .. }
            | NodeKind::Sort { .. }
            | NodeKind::Scatter { .. } => readers.push(*node),
            NodeKind::Gemm { a, .. } => {
                if !packed.contains_key(node) || loads(program, *a, constant) {
                    return Err("a product reads it as its left operand, or as numbers of another type");
                }
            }
            _ => return Err("a convolution, attention, recurrence or copy reads it"),
        }
    }
    if readers.is_empty() {
        return Ok(());
    }
    // Rows along which the panels' columns lie are read as they were.
    let along = |p: &&&Operand| {
        let whole = p.whole.as_ref();
        whole.is_some_and(|w| w.order.last() == Some(&(w.sizes.len() - 2)))
    };
    let chosen = panels.iter().find(along).or(panels.first()).ok_or("nothing has packed it")?;
    if !is_worth_it(program, &readers, chosen) {
        return Err("reading it in panels would take long beside the product");
    }
    let before: Vec<NodeKind> = readers.iter().map(|r| program.nodes[*r].kind.clone()).collect();
    readers.iter().for_each(|r| read_in_panels(program, *r, constant, chosen));
    let all = readers.iter().copied().collect();
    if loops::stay_within(program, &all) {
        return Ok(());
    }
    for (reader, kind) in readers.into_iter().zip(before) {
        program.nodes[reader].kind = kind;
    }
    Err("a read of it cannot be shown to stay within the panels")
}

fn loads(program: &Program, root: ExprId, buffer: BufferId) -> bool {
    let loads = program.exprs.loads(&[root]);
    loads.iter().any(|e| matches!(&program.exprs[*e], Expr::Load { buffer: b, .. } if *b == buffer))
}

/// Reading one element in panels may cost a cache line, which holds several elements of the panel. The readers must not cost
/// more than the product's own work on the panels.
fn is_worth_it(program: &Program, readers: &[usize], panels: &Operand) -> bool {
    let syms = &program.syms;
    let typical = |sizes: &[SymInt]| sizes.iter().map(|s| syms.hint(*s).max(1) as f64).product::<f64>();
    let points =
        |node: usize| program.spaces(&program.nodes[node].kind).first().map_or(0.0, |space| typical(space));
    let read: f64 = readers.iter().map(|r| points(*r)).sum();
    read * panels.columns as f64 <= points(panels.node)
}

/// Replaces a node's loads of a constant by loads of its panels.
fn read_in_panels(program: &mut Program, node: usize, constant: BufferId, panels: &Operand) {
    let Some(whole) = &panels.whole else { return };
    let syms = Arc::clone(&program.syms);
    let strides = program.buffers[constant].strides.clone();
    let columns = syms.constant(panels.columns);
    let in_order: Vec<SymInt> = whole.order.iter().map(|d| whole.sizes[*d]).collect();
    let (mut reader, exprs) = (program.nodes[node].clone(), &mut program.exprs);
    let mut moved = |exprs: &mut ExprArena, id: ExprId| match exprs[id].clone() {
        Expr::Load { buffer, index, data } if buffer == constant => {
            let terms: Vec<SymInt> = index.iter().zip(&strides).map(|(i, s)| syms.mul(*i, *s)).collect();
            let mut place = vec![syms.constant(0); whole.sizes.len()];
            let point = unflatten(&syms, syms.sum(&terms), &in_order);
            whole.order.iter().zip(point).for_each(|(d, i)| place[*d] = i);
            let batch = place.len() - 2;
            let (n, k) = (place[batch], place[batch + 1]);
            let mut at = vec![syms.floordiv(n, columns), k, syms.modulo(n, columns)];
            if batch > 0 {
                at.insert(0, flatten(&syms, &place[..batch], &whole.sizes[..batch]));
            }
            let dtype = exprs.dtype(id);
            exprs.load(panels.out, dtype, at, data.into())
        }
        _ => id,
    };
    reader.for_each_expr(&mut |root| *root = exprs.rewrite(*root, &mut moved));
    program.nodes[node] = reader;
}
