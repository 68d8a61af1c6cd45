//! Matches attention that a model spells out: two matrix products with a softmax between them become one node.
//!
//! There is one matcher, and no list of spellings. It works on loops, where views, permutations, expansions
//! and copies are index expressions already: the left operand of a product is followed back through the pointwise
//! nodes that make it to a quotient of exponentials and their sum, whose exponents are differences from a row's
//! maximum, and the exponents to the product that they are computed from. Whatever happens to a score on the way,
//! scaling, masks, biases, rounding, caps, stays an expression over the score.
//!
//! Invariants: sum and maximum are proved to be those of the very row, by rewriting them to the point where they are
//! used: equal expressions have equal handles. Nothing is rewritten where the first product would be needed still.
//!
//! Deliberately absent: anything that happens between the softmax and the second product but rounding.

use super::liveness::Liveness;
use crate::base::{HashMap, memory};
use crate::ir::merge;
use crate::loops::access::{divisor_of, replacing, unflatten};
use crate::loops::uses::reads_of;
use crate::loops::{
    Attention, Band, BinaryOp, BufferId, BufferKind, Expr, ExprId, LoopNode, NodeKind, Operators, Program,
    ReductionOp, Score, UnaryOp,
};
use crate::target::Target;
use crate::types::{Dtype, SymArena, SymInt};
use std::sync::Arc;

/// Expressions longer than this are not looked through.
const MOST_EXPRS: usize = 400;
/// Producers that one expression is followed through.
const MOST_STEPS: usize = 64;
/// A function of more expressions than this is computed once and read.
const LIGHT: usize = 16;

/// Replaces every attention written by hand that the target's template takes.
pub fn run(program: &mut Program, target: &Target) {
    let widest = target.widest_attention_value();
    let mut made: HashMap<BufferId, usize> = HashMap::default();
    // Nodes that are to stand before others, by the place of these.
    let mut before: Vec<(usize, LoopNode)> = Vec::new();
    let mut live: Option<Liveness> = None;
    for node in 0..program.nodes.len() {
        memory::checkpoint();
        // Across the marks of blocks nothing moves: what was read there may have changed since.
        if let NodeKind::Control(_) = program.nodes[node].kind {
            made.clear();
        }
        for out in program.nodes[node].outs() {
            made.insert(out, node);
        }
        let NodeKind::Gemm { .. } = program.nodes[node].kind else { continue };
        let Some(found) = [false, true].into_iter().find_map(|s| found(program, &made, node, s)) else {
            continue;
        };
        let Found { attention, scores, outside } = found;
        let width = program.syms.as_const(attention.value_size);
        if widest.is_some_and(|most| width.is_none_or(|n| n > most)) {
            continue;
        }
        let (facts, reads) = (live.get_or_insert_with(|| Liveness::of(program)), reads_of(program, node));
        let product =
            std::mem::replace(&mut program.nodes[node].kind, NodeKind::Attention(Box::new(attention)));
        if !facts.frees(program, node, &reads, scores) {
            program.nodes[node].kind = product;
        } else {
            name_operators(program, node, scores);
            before.extend(outside.into_iter().map(|n| (node, n)));
        }
    }
    if before.is_empty() {
        return;
    }
    let mut before = before.into_iter().peekable();
    for (node, own) in std::mem::take(&mut program.nodes).into_iter().enumerate() {
        while let Some((_, outside)) = before.next_if(|b| b.0 == node) {
            program.nodes.push(outside);
        }
        program.nodes.push(own);
    }
}

struct Found {
    attention: Attention,
    /// The node of its scores.
    scores: usize,
    /// What is computed before it.
    outside: Vec<LoopNode>,
}

/// The node is named for all that it replaces: what lies between the scores and it is no longer run.
fn name_operators(program: &mut Program, node: usize, scores: usize) {
    let mut operators = program.nodes[scores].operators.clone();
    operators.add_name("aten.softmax.int");
    let mut between = program.nodes[scores].outs();
    for other in scores + 1..node {
        if reads_of(program, other).iter().any(|b| between.contains(b)) {
            between.extend(program.nodes[other].outs());
            merge(&mut operators.origins, &program.nodes[other].operators.origins);
        }
    }
    operators.add(&program.nodes[node].operators);
    program.nodes[node].operators = operators;
}

type Made = HashMap<BufferId, usize>;

/// The attention that the product computes; `swapped`: with the probabilities as the product's right operand.
fn found(program: &mut Program, made: &Made, node: usize, swapped: bool) -> Option<Found> {
    let NodeKind::Gemm { batch, m, n, k, a, b, out } = program.nodes[node].kind.clone() else { return None };
    let syms = Arc::clone(&program.syms);
    let at = batch.len();
    let dtype = program.exprs.dtype(a);
    let space: Vec<SymInt> = batch.iter().copied().chain([m, n, k]).collect();
    let vars = program.vars(&space);
    let (probabilities, value) = if swapped { (b, a) } else { (a, b) };
    let ((queries, query_var), (value_size, value_var)) = {
        let (rows, columns) = ((m, vars[at]), (n, vars[at + 1]));
        if swapped { (columns, rows) } else { (rows, columns) }
    };
    let key_var = vars[at + 2];
    let Softmax { exponent, zeros } = softmax(program, made, probabilities, key_var)?;
    let raw = products(program, made, exponent)?;
    let NodeKind::Gemm { batch: batch1, m: m1, n: n1, k: depth, a: left, b: right, .. } =
        program.nodes[raw.node].kind.clone()
    else {
        return None;
    };
    if program.exprs.dtype(left) != dtype || program.exprs.dtype(exponent) != dtype {
        return None;
    }
    // The product's own rows are the queries and its columns the keys, or the other way round.
    let own = program.vars(&batch1.iter().copied().chain([m1, n1, depth]).collect::<Vec<_>>());
    let at1 = batch1.len();
    let turned = match (raw.index[at1], raw.index[at1 + 1]) {
        (r, c) if r == query_var && c == key_var && (m1, n1) == (queries, k) => false,
        (r, c) if r == key_var && c == query_var && (m1, n1) == (k, queries) => true,
        _ => return None,
    };
    let (query, key) = if turned { (right, left) } else { (left, right) };
    let within = |e: SymInt| {
        !syms.symbols(e).iter().any(|s| [query_var, key_var].iter().any(|v| syms.as_symbol(*v) == Some(*s)))
    };
    if !raw.index[..at1].iter().all(|i| within(*i)) {
        return None;
    }
    // From the variables of both products to those of the attention.
    let (outer, heads) = heads_of(
        program,
        &batch,
        &vars[..at],
        &[raw.index.clone(), loaded_indices(program, &[value, exponent, query, key])].concat(),
    );
    let sizes = [outer, heads, queries, k];
    let point = program.vars(&sizes);
    let batch_point = match (&batch[..], heads == syms.constant(1)) {
        ([_], true) => vec![point[0]],
        ([_], false) => vec![syms.add(syms.mul(point[0], heads), point[1])],
        ([], _) => Vec::new(),
        (more, _) => {
            let mut index = unflatten(&syms, point[0], &more[..more.len() - 1]);
            index.push(point[1]);
            index
        }
    };
    let width = |size: SymInt| syms.index_var(3, size);
    let key_row = syms.index_var(2, k);
    let mut map = replacing(&syms, &vars[..at], &batch_point);
    let mut value_map = map.clone();
    value_map.extend(replacing(&syms, &[key_var, value_var], &[key_row, width(value_size)]));
    let value = program.exprs.substitute(&syms, value, &value_map);
    let batch_index: Vec<SymInt> = raw.index[..at1].iter().map(|i| syms.substitute(*i, &map)).collect();
    map.extend(replacing(&syms, &[query_var, key_var], &[point[2], point[3]]));
    let exponent = program.exprs.substitute(&syms, raw.path, &map);
    let mut operand = |operand: ExprId, row_var: SymInt| {
        let mut map = replacing(&syms, &own[..at1], &batch_index);
        map.extend(replacing(&syms, &[row_var, own[at1 + 2]], &[point[2], width(depth)]));
        program.exprs.substitute(&syms, operand, &map)
    };
    let (query_row, key_own) = if turned { (own[at1 + 1], own[at1]) } else { (own[at1], own[at1 + 1]) };
    let query = operand(query, query_row);
    // Keys are rows of their own: their variable is the same, over as many.
    let key = {
        let mut map = replacing(&syms, &own[..at1], &batch_index);
        map.extend(replacing(&syms, &[key_own, own[at1 + 2]], &[key_row, width(depth)]));
        program.exprs.substitute(&syms, key, &map)
    };
    let (exponent_scale, rest) = scaled(program, made, exponent, &|p, e| is_load_of(p, e, raw.buffer));
    let plain = is_load_of(program, rest, raw.buffer);
    let (query_scale, query) = strip_scale(program, made, query);
    let (key_scale, key) = strip_scale(program, made, key);
    let (mut scale, mut score, mut outside) = (query_scale * key_scale, None, Vec::new());
    if plain {
        scale *= exponent_scale;
    } else {
        let operators = program.nodes[raw.node].operators.clone();
        let value = settled(program, exponent, raw.buffer, &sizes, &operators, &mut outside);
        score = Some(Score { raw: raw.buffer, value });
    }
    let place_vars = program.vars(&[outer, heads, queries, value_size]);
    let mut place = batch_point;
    let (row, column) = (place_vars[2], place_vars[3]);
    place.extend(if swapped { [column, row] } else { [row, column] });
    let attention = Attention {
        batch: outer,
        heads,
        kv_heads: heads,
        queries,
        keys: k,
        head_size: depth,
        value_size,
        query,
        key,
        value,
        mask: None,
        score,
        band: Band::default(),
        scale,
        empty_is_nan: !zeros,
        place,
        out,
        log_sum: None,
    };
    Some(Found { attention, scores: raw.node, outside })
}

/// A function of a score with what is better computed before: whatever does not depend on the score and may fail,
/// looks up, or costs more than it would to read it.
fn settled(
    program: &mut Program,
    id: ExprId,
    raw: BufferId,
    sizes: &[SymInt; 4],
    operators: &Operators,
    outside: &mut Vec<LoopNode>,
) -> ExprId {
    let order = program.exprs.postorder(&[id]);
    if is_load_of(program, id, raw) {
        return id;
    }
    if order.iter().any(|e| is_load_of(program, *e, raw)) {
        let operands = program.exprs.operands(id);
        let operands: Vec<ExprId> =
            operands.into_iter().map(|o| settled(program, o, raw, sizes, operators, outside)).collect();
        return rebuilt(program, id, &operands).unwrap_or(id);
    }
    let cheap = |e: &ExprId| match &program.exprs[*e] {
        Expr::Load { data, .. } => data.is_empty(),
        Expr::Unary(op, _) => {
            matches!(op, UnaryOp::Neg | UnaryOp::Abs | UnaryOp::LogicalNot | UnaryOp::BitwiseNot)
        }
        Expr::Check { .. } => false,
        _ => true,
    };
    if order.len() <= LIGHT && order.iter().all(cheap) {
        return id;
    }
    let syms = Arc::clone(&program.syms);
    let uses = |var: SymInt| {
        let Some(symbol) = syms.as_symbol(var) else { return false };
        order.iter().any(|e| match &program.exprs[*e] {
            Expr::Load { index, .. } => index.iter().any(|i| syms.depends_on(*i, symbol)),
            Expr::Index(i, _) => syms.depends_on(*i, symbol),
            _ => false,
        })
    };
    let point = program.vars(sizes);
    let used: Vec<usize> = (0..4).filter(|k| uses(point[*k])).collect();
    let index: Vec<SymInt> = used.iter().map(|k| point[*k]).collect();
    let own: Vec<SymInt> = used.iter().map(|k| sizes[*k]).collect();
    let map = replacing(&syms, &index, &program.vars(&own));
    let value = program.exprs.substitute(&syms, id, &map);
    let dtype = program.exprs.dtype(id);
    let out = program.temporary(dtype, &own);
    let kind = NodeKind::Pointwise { sizes: own, value, out };
    outside.push(LoopNode { kind, operators: operators.clone() });
    program.exprs.load(out, dtype, index, Vec::new())
}

/// The expression with other operands, where it may stand between a score and its softmax.
fn rebuilt(program: &mut Program, id: ExprId, operands: &[ExprId]) -> Option<ExprId> {
    let exprs = &mut program.exprs;
    Some(match exprs[id].clone() {
        Expr::Unary(op, _) => exprs.unary(op, operands[0]),
        Expr::Cast(to, _) => exprs.cast(operands[0], to),
        Expr::Binary(op, ..) => exprs.binary(op, operands[0], operands[1]),
        Expr::Select(..) => exprs.select(operands[0], operands[1], operands[2]),
        _ => return None,
    })
}

/// Whether a value is plainly loaded from a buffer that a pointwise node makes, then what the node computes there.
fn producer(program: &mut Program, made: &Made, id: ExprId) -> Option<ExprId> {
    let Expr::Load { buffer, index, data } = &program.exprs[id] else { return None };
    if !data.is_empty() || program.buffers[*buffer].kind != BufferKind::Temporary {
        return None;
    }
    let NodeKind::Pointwise { sizes, value, .. } = program.nodes[*made.get(buffer)?].kind.clone() else {
        return None;
    };
    let index = index.clone();
    let map = replacing(&program.syms, &program.vars(&sizes), &index);
    let syms = Arc::clone(&program.syms);
    Some(program.exprs.substitute(&syms, value, &map))
}

/// The expression behind loads of pointwise results, and behind rounding to a reduced float and back.
fn peeled(program: &mut Program, made: &Made, mut id: ExprId) -> ExprId {
    for _ in 0..MOST_STEPS {
        id = match program.exprs[id] {
            Expr::Cast(..) if program.keeps_roundings => return id,
            Expr::Cast(to, a) if to == Dtype::Float32 && program.exprs.dtype(a).is_reduced_float() => a,
            Expr::Cast(to, a) if to.is_reduced_float() && program.exprs.dtype(a) == Dtype::Float32 => a,
            Expr::Load { .. } => match producer(program, made, id) {
                Some(value) => value,
                None => return id,
            },
            _ => return id,
        };
    }
    id
}

/// The expression with every pointwise producer put in place of its loads, for comparing.
fn inlined(program: &mut Program, made: &Made, id: ExprId) -> Option<ExprId> {
    let mut done: HashMap<ExprId, ExprId> = HashMap::default();
    let mut result = id;
    for _ in 0..MOST_STEPS {
        if program.exprs.postorder(&[result]).len() > MOST_EXPRS {
            return None;
        }
        let loads = program.exprs.loads(&[result]);
        let mut changed = false;
        for load in loads {
            if !done.contains_key(&load)
                && let Some(value) = producer(program, made, load)
            {
                done.insert(load, value);
                changed = true;
            }
        }
        if !changed {
            return Some(result);
        }
        result = program.exprs.rewrite(result, &mut |_, e| done.get(&e).copied().unwrap_or(e));
    }
    None
}

struct Softmax {
    /// What is exponentiated, less the row's maximum.
    exponent: ExprId,
    /// A row of nothing but minus infinity gives zeros.
    zeros: bool,
}

/// The operand as a softmax along the key variable.
fn softmax(program: &mut Program, made: &Made, operand: ExprId, key: SymInt) -> Option<Softmax> {
    let quotient = peeled(program, made, operand);
    let lowest = |p: &Program, e: ExprId| matches!(p.exprs[e], Expr::Constant(v, _) if v.as_f64() == f64::NEG_INFINITY);
    let zero = |p: &Program, e: ExprId| matches!(p.exprs[e], Expr::Constant(v, _) if v.as_f64() == 0.0);
    if let Expr::Select(condition, empty, rest) = program.exprs[quotient] {
        let Expr::Binary(BinaryOp::Eq, most, none) = program.exprs[condition] else { return None };
        let inner = softmax(program, made, rest, key)?;
        let is_most = reduced(program, made, most, ReductionOp::Max, key)?;
        let same = inlined(program, made, is_most)? == inlined(program, made, inner.exponent)?;
        return (same && lowest(program, none) && zero(program, empty))
            .then_some(Softmax { zeros: true, ..inner });
    }
    let Expr::Binary(BinaryOp::Div, power, sum) = program.exprs[quotient] else { return None };
    let summed = reduced(program, made, sum, ReductionOp::Sum, key)?;
    let exp = peeled(program, made, power);
    let Expr::Unary(UnaryOp::Exp, difference) = program.exprs[exp] else { return None };
    let difference = peeled(program, made, difference);
    let Expr::Binary(BinaryOp::Sub, exponent, most) = program.exprs[difference] else { return None };
    let most = reduced(program, made, most, ReductionOp::Max, key)?;
    let same_row = inlined(program, made, summed)? == inlined(program, made, exp)?
        && inlined(program, made, most)? == inlined(program, made, exponent)?;
    same_row.then_some(Softmax { exponent, zeros: false })
}

/// What is reduced, at the point given by the load's index and the key variable.
fn reduced(program: &mut Program, made: &Made, id: ExprId, op: ReductionOp, key: SymInt) -> Option<ExprId> {
    let load = peeled(program, made, id);
    let Expr::Load { buffer, index, data } = program.exprs[load].clone() else { return None };
    let NodeKind::Reduction { sizes, reduced, op: own, value, .. } =
        program.nodes[*made.get(&buffer)?].kind.clone()
    else {
        return None;
    };
    let [size] = reduced[..] else { return None };
    let syms = Arc::clone(&program.syms);
    let own_key = syms.index_var(sizes.len() as u32, size);
    if own != op || !data.is_empty() || key_size(&syms, key) != Some(size) {
        return None;
    }
    // The row does not depend on the key.
    if let Some(symbol) = syms.as_symbol(key)
        && index.iter().any(|i| syms.depends_on(*i, symbol))
    {
        return None;
    }
    let mut from = program.vars(&sizes);
    let mut to = index.to_vec();
    from.push(own_key);
    to.push(key);
    Some(program.exprs.substitute(&syms, value, &replacing(&syms, &from, &to)))
}

/// How many values a loop variable has.
fn key_size(syms: &SymArena, var: SymInt) -> Option<SymInt> {
    match syms.as_symbol(var).map(|s| syms.symbol_kind(s)) {
        Some(crate::types::SymbolKind::Index { size, .. }) => Some(size),
        Some(_) => None,
        None => Some(syms.constant(1)),
    }
}

/// The product that an exponent is computed from.
struct Raw {
    node: usize,
    buffer: BufferId,
    index: Vec<SymInt>,
    /// The exponent with the nodes between it and the product put in place.
    path: ExprId,
}

/// Follows an exponent to the only product that it is computed from point by point.
fn products(program: &mut Program, made: &Made, exponent: ExprId) -> Option<Raw> {
    let whole = inlined(program, made, exponent)?;
    let is_product = |p: &Program, e: ExprId| match &p.exprs[e] {
        Expr::Load { buffer, data, .. } if data.is_empty() => {
            matches!(made.get(buffer).map(|n| &p.nodes[*n].kind), Some(NodeKind::Gemm { .. }))
        }
        _ => false,
    };
    let found: Vec<ExprId> =
        program.exprs.loads(&[whole]).into_iter().filter(|l| is_product(program, *l)).collect();
    let [load] = found[..] else { return None };
    let Expr::Load { buffer, index, .. } = program.exprs[load].clone() else { return None };
    let mut steps = 0;
    let path = followed(program, made, exponent, buffer, &mut steps)??;
    Some(Raw { node: made[&buffer], buffer, index: index.to_vec(), path })
}

/// The expression with producers put in place on the way to loads of a buffer, and nowhere else. `Some(None)`: it does not
/// lead there. `None`: it is too long, or the way leads where a score may not be.
fn followed(
    program: &mut Program,
    made: &Made,
    id: ExprId,
    goal: BufferId,
    steps: &mut usize,
) -> Option<Option<ExprId>> {
    *steps += 1;
    if *steps > MOST_EXPRS {
        return None;
    }
    if is_load_of(program, id, goal) {
        return Some(Some(id));
    }
    if let Expr::Load { .. } = program.exprs[id] {
        return match producer(program, made, id) {
            Some(value) => followed(program, made, value, goal, steps),
            None => Some(None),
        };
    }
    let mut leads = false;
    let mut operands = program.exprs.operands(id);
    for operand in &mut operands {
        if let Some(way) = followed(program, made, *operand, goal, steps)? {
            leads = true;
            *operand = way;
        }
    }
    if !leads {
        return Some(None);
    }
    rebuilt(program, id, &operands).map(Some)
}

fn is_load_of(program: &Program, id: ExprId, goal: BufferId) -> bool {
    matches!(&program.exprs[id], Expr::Load { buffer, .. } if *buffer == goal)
}

/// Splits off constant factors as long as the end is not reached.
fn scaled(
    program: &mut Program,
    made: &Made,
    mut id: ExprId,
    end: &dyn Fn(&Program, ExprId) -> bool,
) -> (f64, ExprId) {
    let mut factor = 1.0;
    for _ in 0..MOST_STEPS {
        if end(program, id) {
            break;
        }
        let constant = |e: ExprId| match program.exprs[e] {
            Expr::Constant(v, _) => Some(v.as_f64()),
            _ => None,
        };
        match program.exprs[id] {
            Expr::Binary(BinaryOp::Mul, a, b) => match (constant(a), constant(b)) {
                (None, Some(c)) => (factor, id) = (factor * c, a),
                (Some(c), None) => (factor, id) = (factor * c, b),
                _ => break,
            },
            Expr::Binary(BinaryOp::Div, a, b) => match constant(b) {
                Some(c) if c != 0.0 => (factor, id) = (factor / c, a),
                _ => break,
            },
            _ => match peeled(program, made, id) {
                same if same == id => break,
                other => id = other,
            },
        }
    }
    (factor, id)
}

/// An operand of the first product without constant factors, where it is a plain load without them.
fn strip_scale(program: &mut Program, made: &Made, operand: ExprId) -> (f64, ExprId) {
    let plain = |p: &Program, e: ExprId| {
        matches!(&p.exprs[e], Expr::Load { buffer, data, .. } if data.is_empty()
            && !matches!(made.get(buffer).map(|n| &p.nodes[*n].kind), Some(NodeKind::Pointwise { .. })))
    };
    let (factor, rest) = scaled(program, made, operand, &plain);
    if factor == 1.0 || !factor.is_finite() || !plain(program, rest) {
        return (1.0, operand);
    }
    let dtype = program.exprs.dtype(operand);
    if program.exprs.dtype(rest).compute() != dtype {
        return (1.0, operand);
    }
    (factor, program.exprs.cast(rest, dtype))
}

fn loaded_indices(program: &Program, roots: &[ExprId]) -> Vec<SymInt> {
    let index = |e: ExprId| match &program.exprs[e] {
        Expr::Load { index, .. } => index.to_vec(),
        _ => Vec::new(),
    };
    program.exprs.loads(roots).into_iter().flat_map(index).collect()
}

/// Batch and heads of the node from the product's batch dimensions: the last are the heads. A single dimension is
/// split where its loads split it.
fn heads_of(program: &Program, batch: &[SymInt], vars: &[SymInt], indices: &[SymInt]) -> (SymInt, SymInt) {
    let syms = &program.syms;
    let one = syms.constant(1);
    match batch {
        [] => (one, one),
        [all] => {
            let split = syms.as_symbol(vars[0]).and_then(|var| {
                let divisor = indices.iter().find_map(|i| divisor_of(syms, *i, var))?;
                let (all, heads) = (syms.as_const(*all)?, syms.as_const(divisor)?);
                (heads > 1 && all % heads == 0).then(|| (syms.constant(all / heads), divisor))
            });
            split.unwrap_or((*all, one))
        }
        [outer @ .., heads] => (syms.product(outer), *heads),
    }
}
