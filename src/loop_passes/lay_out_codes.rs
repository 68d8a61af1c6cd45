//! Keeps weights of 4 and 8 bits packed for products of few rows. Reading the weights takes all of the time of such a product, so its
//! kernel unpacks them in registers.
//!
//! A weight is computed from a *code*, an integer of 4 or 8 bits, and numbers that [a chunk](Codes::chunk) of codes shares. The
//! codes get a copy in the order in which lanes of tensor cores read them, 16 bytes each, which is made once. Nothing else reads
//! the original.
//!
//! Invariants: the codes are a function of constants that no run writes; a product has such a weight only where its template reads it
//! ([`codes_of`]).
//!
//! Deliberately absent: products of many rows, whose weights are unpacked into memory for tensor cores (`schedule::partition`); products
//! of float32, for which there are no tensor cores; weights whose scales differ within a chunk, and functions of codes that halves do not
//! compute.

mod made;
mod range;

pub use made::{Made, made_of};
pub use range::range;

use super::constant_values::{ConstantValue, inlined};
use crate::base::{HashMap, HashSet};
use crate::loops::access::{flatten, offset_of, replacing};
use crate::loops::uses::{fixed_constants, lies_in_memory, reduced_load};
use crate::loops::{BinaryOp, BufferId, Control, Expr, ExprId, LoopNode, NodeKind, Operators, Program};
use crate::target::Target;
use crate::templates::gemv::codes::{LANES, LANES_ACROSS, MOST_ROWS, PER_LANE, ROWS};
use crate::types::{Dtype, SymArena, SymInt, SymNode, SymbolId};
use std::sync::Arc;

/// A value of more expressions is computed once.
const MOST_EXPRS: usize = 64;
/// Less is not worth the work.
const LEAST_ELEMENTS: i64 = 1 << 12;

/// The codes of a product's right operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes {
    /// What stands for them in the operand.
    pub value: ExprId,
    pub buffer: BufferId,
    pub bits: i64,
    /// Bytes have a sign.
    pub signed: bool,
}

impl Codes {
    /// Codes of a lane's 16 bytes: neighbours in k.
    pub fn chunk(&self) -> i64 {
        chunk(self.bits)
    }
}

fn chunk(bits: i64) -> i64 {
    8 * PER_LANE / bits
}

/// A product whose right operand may be made of codes: its rows, columns and depth, and their variables.
#[derive(Clone, Copy)]
struct Sizes {
    n: i64,
    k: i64,
    nv: SymInt,
    kv: SymInt,
}

/// By the codes, and the sizes of the matrix.
type Copies = HashMap<(ExprId, i64, i64), BufferId>;

pub fn run(program: &mut Program, _: &Target) {
    let fixed = fixed_constants(program);
    let mut made: HashMap<BufferId, ConstantValue> = HashMap::default();
    let mut copies = Copies::default();
    for mut node in std::mem::take(&mut program.nodes) {
        match &node.kind {
            NodeKind::Pointwise { sizes, value, out } if !lies_in_memory(program, *out) => {
                let of =
                    ConstantValue { sizes: sizes.clone(), value: *value, operators: node.operators.clone() };
                made.insert(*out, of);
            }
            NodeKind::Gemm { .. } => lay_out(program, &mut node, &made, &mut copies, &fixed),
            NodeKind::Control(Control::Fence) => made.clear(),
            _ => {}
        }
        program.nodes.push(node);
    }
}

fn lay_out(
    program: &mut Program,
    node: &mut LoopNode,
    made: &HashMap<BufferId, ConstantValue>,
    copies: &mut Copies,
    fixed: &HashSet<BufferId>,
) {
    let NodeKind::Gemm { batch, m, n, k, a, b, .. } = &mut node.kind else { return };
    let syms = Arc::clone(&program.syms);
    let Some(&[rows, columns, depth]) = syms.as_consts(&[*m, *n, *k]).as_deref() else { return };
    let sizes = Sizes { n: columns, k: depth, nv: syms.index_var(1, *n), kv: syms.index_var(2, *k) };
    let half = program.exprs.dtype(reduced_load(program, *a));
    let small = columns.saturating_mul(depth) < LEAST_ELEMENTS;
    if !batch.is_empty() || !(1..=MOST_ROWS).contains(&rows) || small || !half.is_reduced_float() {
        return;
    }
    if !reads_rows(program, reduced_load(program, *a), sizes.kv) {
        return;
    }
    let mut operators = Vec::new();
    let mut value = *b;
    // What one layer makes of constants, another may have made already.
    loop {
        let before = operators.len();
        value = inlined(program, value, made, &mut operators);
        if operators.len() == before {
            break;
        }
        if program.exprs.postorder(&[value]).len() > MOST_EXPRS {
            return;
        }
    }
    let order = program.exprs.postorder(&[value]);
    let constant = |e: &ExprId| match &program.exprs[*e] {
        Expr::Check { .. } => false,
        Expr::Load { buffer, data, .. } => data.is_empty() && fixed.contains(buffer),
        _ => true,
    };
    if !order.iter().all(constant) || !has_values_of(program, value, half) {
        return;
    }
    let Some((code, bits)) = code_in(program, value, sizes.kv) else { return };
    let (low, high) = range(program, code).unwrap_or_default();
    let (mut left, mut seen) = (vec![value], HashSet::from_iter([code]));
    while let Some(e) = left.pop() {
        if seen.insert(e) {
            if !is_shared(program, e, sizes.kv, chunk(bits)) {
                return;
            }
            left.extend(program.exprs.operands(e));
        }
    }
    if depth % chunk(bits) != 0 {
        return;
    }
    let signed = bits == 8 && low >= -128 && high <= 127;
    let buffer = *copies
        .entry((code, columns, depth))
        .or_insert_with(|| copy(program, code, sizes, (bits, signed, low)));
    let unpacked = unpacked(program, (code, buffer), sizes, (bits, signed, low));
    let value = program.exprs.rewrite(value, &mut |_, id| if id == code { unpacked } else { id });
    // Of another weight the copy is read by nobody.
    let codes = codes_of(program, [sizes.nv, sizes.kv], value);
    if codes.and_then(|codes| made_of(program, codes, sizes.kv, half, value)).is_none() {
        return;
    }
    *b = value;
    operators.push(node.operators.clone());
    node.operators = Operators::of(&operators);
}

/// Neighbours in k, from multiples of 16 bytes on.
fn reads_rows(program: &Program, load: ExprId, kv: SymInt) -> bool {
    let syms = &program.syms;
    let Expr::Load { buffer, index, data } = &program.exprs[load] else { return false };
    let offset = offset_of(syms, index, &program.buffers[*buffer].strides);
    let Some(symbol) = syms.as_symbol(kv) else { return false };
    syms.linear_in(offset, symbol).is_some_and(|(step, at)| {
        let whole = syms.as_const(syms.modulo(at, syms.constant(8))) == Some(0);
        data.is_empty() && syms.as_const(step) == Some(1) && whole
    })
}

/// Whether the half holds every value of the expression: one of its own, or a small integer.
fn has_values_of(program: &Program, value: ExprId, half: Dtype) -> bool {
    let exact = if half == Dtype::Bfloat16 { 256 } else { 2048 };
    match program.exprs[value] {
        Expr::Cast(Dtype::Float32, a) if program.exprs.dtype(a) == half => true,
        _ => range(program, value).is_some_and(|(low, high)| -exact <= low && high <= exact),
    }
}

/// The one integer of 4 or 8 bits that what differs within a chunk is made of, and its bits.
fn code_in(program: &Program, value: ExprId, kv: SymInt) -> Option<(ExprId, i64)> {
    let mut found: Option<(ExprId, i64)> = None;
    let (mut left, mut seen) = (vec![value], HashSet::default());
    while let Some(e) = left.pop() {
        if !seen.insert(e) || is_all_shared(program, e, kv) {
            continue;
        }
        let bits = match range(program, e) {
            Some((low, high)) if program.exprs.dtype(e).is_integer() => match high - low {
                ..=15 => Some(4),
                16..=255 => Some(8),
                _ => None,
            },
            _ => None,
        };
        match bits {
            Some(bits) if found.is_none_or(|f| f.0 == e) => found = Some((e, bits)),
            Some(_) => return None,
            None => left.extend(program.exprs.operands(e)),
        }
    }
    found
}

/// Whether a value is the same in a whole chunk, of any bits.
fn is_all_shared(program: &Program, value: ExprId, kv: SymInt) -> bool {
    program.exprs.postorder(&[value]).into_iter().all(|e| is_shared(program, e, kv, chunk(4)))
}

/// Whether an expression's own indices are the same in a whole chunk.
fn is_shared(program: &Program, e: ExprId, kv: SymInt, chunk: i64) -> bool {
    let Some(k) = program.syms.as_symbol(kv) else { return false };
    match &program.exprs[e] {
        Expr::Load { index, .. } => index.iter().all(|i| is_constant_in_chunks(&program.syms, *i, k, chunk)),
        Expr::Index(index, _) => is_constant_in_chunks(&program.syms, *index, k, chunk),
        Expr::Masked { .. } => false,
        _ => true,
    }
}

/// Whether an index depends on k through the number of its chunk alone.
pub fn is_constant_in_chunks(syms: &SymArena, index: SymInt, k: SymbolId, chunk: i64) -> bool {
    if !syms.depends_on(index, k) {
        return true;
    }
    let all = |list: &[SymInt]| list.iter().all(|i| is_constant_in_chunks(syms, *i, k, chunk));
    match syms.node(index) {
        SymNode::FloorDiv(a, by) if syms.as_symbol(a) == Some(k) => {
            syms.as_const(by).is_some_and(|by| by > 0 && by % chunk == 0)
        }
        SymNode::Add(list) | SymNode::Mul(list) => all(&list),
        SymNode::FloorDiv(a, by) | SymNode::Mod(a, by) => all(&[a, by]),
        _ => false,
    }
}

/// The codes in the order of lanes: `[tile of 16 rows, step, half of the tile, lane, byte]`. What is beyond the last row or column is
/// some code: nothing comes of it.
fn copy(
    program: &mut Program,
    code: ExprId,
    sizes: Sizes,
    (bits, signed, low): (i64, bool, i64),
) -> BufferId {
    let syms = Arc::clone(&program.syms);
    let space = space(&syms, sizes, bits);
    let vars = program.vars(&space);
    let [tile, step, half, lane, byte] = vars[..] else { unreachable!("five sizes") };
    let across = syms.constant(LANES_ACROSS);
    let row =
        syms.sum(&[syms.mul_const(tile, ROWS), syms.mul_const(half, ROWS / 2), syms.floordiv(lane, across)]);
    let first = syms.add(
        syms.mul_const(step, LANES_ACROSS * chunk(bits)),
        syms.mul_const(syms.modulo(lane, across), chunk(bits)),
    );
    let at = |program: &mut Program, within: SymInt| {
        let place = syms.add(first, within);
        let place = if sizes.k % (LANES_ACROSS * chunk(bits)) == 0 {
            place
        } else {
            syms.min(place, syms.constant(sizes.k - 1))
        };
        let row = if sizes.n % ROWS == 0 { row } else { syms.min(row, syms.constant(sizes.n - 1)) };
        let map = replacing(&syms, &[sizes.nv, sizes.kv], &[row, place]);
        let own = program.exprs.substitute(&syms, code, &map);
        let wide = program.exprs.cast(own, Dtype::Int32);
        if signed || low == 0 {
            return wide;
        }
        let low = program.exprs.int(low, Dtype::Int32);
        program.exprs.binary(BinaryOp::Sub, wide, low)
    };
    let value = match bits {
        4 => {
            let [word, within] = [syms.floordiv(byte, syms.constant(4)), syms.modulo(byte, syms.constant(4))];
            let of_pair = syms.mul_const(syms.modulo(within, syms.constant(2)), 4);
            let place =
                syms.sum(&[syms.mul_const(word, 8), of_pair, syms.floordiv(within, syms.constant(2))]);
            let [low, high] = [place, syms.add_const(place, 2)].map(|p| at(program, p));
            let four = program.exprs.int(4, Dtype::Int32);
            let high = program.exprs.binary(BinaryOp::ShiftLeft, high, four);
            program.exprs.binary(BinaryOp::BitwiseOr, low, high)
        }
        _ => at(program, byte),
    };
    let dtype = if signed { Dtype::Int8 } else { Dtype::Uint8 };
    let value = program.exprs.cast(value, dtype);
    let out = program.temporary(dtype, &space);
    let kind = NodeKind::Pointwise { sizes: space, value, out };
    program.nodes.push(LoopNode { kind, operators: Operators::default() });
    out
}

fn space(syms: &SymArena, sizes: Sizes, bits: i64) -> Vec<SymInt> {
    let depth = LANES_ACROSS * chunk(bits);
    [(sizes.n + ROWS - 1) / ROWS, (sizes.k + depth - 1) / depth, 2, LANES, PER_LANE]
        .map(|n| syms.constant(n))
        .to_vec()
}

/// Where the byte of a code lies in the copy, and at which bit it begins.
fn place(syms: &SymArena, nv: SymInt, kv: SymInt, bits: i64) -> (Vec<SymInt>, SymInt) {
    let by = |n: i64| syms.constant(n);
    let depth = LANES_ACROSS * chunk(bits);
    let [row, deep] = [syms.modulo(nv, by(ROWS)), syms.modulo(kv, by(depth))];
    let lane = syms.add(
        syms.mul_const(syms.modulo(row, by(ROWS / 2)), LANES_ACROSS),
        syms.floordiv(deep, by(chunk(bits))),
    );
    let within = syms.modulo(kv, by(chunk(bits)));
    let (byte, shift) = match bits {
        4 => {
            let of_word = syms.modulo(kv, by(8));
            let byte = syms.sum(&[
                syms.mul_const(syms.floordiv(within, by(8)), 4),
                syms.mul_const(syms.modulo(kv, by(2)), 2),
                syms.floordiv(of_word, by(4)),
            ]);
            (byte, syms.mul_const(syms.floordiv(syms.modulo(kv, by(4)), by(2)), 4))
        }
        _ => (within, by(0)),
    };
    let tile = syms.floordiv(nv, by(ROWS));
    let half = syms.floordiv(row, by(ROWS / 2));
    (vec![tile, syms.floordiv(kv, by(depth)), half, lane, byte], shift)
}

/// The code as it is read from the copy.
fn unpacked(
    program: &mut Program,
    (code, buffer): (ExprId, BufferId),
    sizes: Sizes,
    (bits, signed, low): (i64, bool, i64),
) -> ExprId {
    let syms = Arc::clone(&program.syms);
    let (index, shift) = place(&syms, sizes.nv, sizes.kv, bits);
    let (of, to) = (program.buffers[buffer].dtype, program.exprs.dtype(code));
    let mut value = program.exprs.load(buffer, of, index, Vec::new());
    if bits == 4 {
        let wide = program.exprs.cast(value, Dtype::Int32);
        let shift = program.exprs.index_value(shift, Dtype::Int32);
        let shifted = program.exprs.binary(BinaryOp::ShiftRight, wide, shift);
        let mask = program.exprs.int(15, Dtype::Int32);
        value = program.exprs.binary(BinaryOp::BitwiseAnd, shifted, mask);
    }
    if !signed && low != 0 {
        let wide = program.exprs.cast(value, Dtype::Int32);
        let low = program.exprs.int(low, Dtype::Int32);
        value = program.exprs.binary(BinaryOp::Add, wide, low);
    }
    program.exprs.cast(value, to)
}

/// The codes that a right operand is made of, where it is read in the order of lanes. Loads have one index or as many as their
/// buffer has dimensions.
pub fn codes_of(program: &Program, [nv, kv]: [SymInt; 2], b: ExprId) -> Option<Codes> {
    let syms = &program.syms;
    program.exprs.postorder(&[b]).into_iter().find_map(|e| {
        let (load, bits) = match program.exprs[e] {
            Expr::Load { .. } => (e, 8),
            Expr::Binary(BinaryOp::BitwiseAnd, shifted, _) => match program.exprs[shifted] {
                Expr::Binary(BinaryOp::ShiftRight, wide, _) => match program.exprs[wide] {
                    Expr::Cast(Dtype::Int32, load) => (load, 4),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        let Expr::Load { buffer, index, .. } = &program.exprs[load] else { return None };
        let data = &program.buffers[*buffer];
        let last = data.sizes.last().and_then(|n| syms.as_const(*n));
        if data.sizes.len() != 5 || last != Some(PER_LANE) || data.dtype.size() != 1 {
            return None;
        }
        let (wanted, shift) = place(syms, nv, kv, bits);
        let at = flatten(syms, &wanted, &data.sizes);
        let found = match index[..] {
            [at] => at,
            _ => flatten(syms, index, &data.sizes),
        };
        let shifts = match program.exprs[e] {
            Expr::Binary(_, shifted, _) => program.exprs.operands(shifted)[1..]
                .iter()
                .all(|s| program.exprs[*s] == Expr::Index(shift, Dtype::Int32)),
            _ => true,
        };
        let signed = data.dtype == Dtype::Int8;
        (at == found && shifts).then_some(Codes { value: e, buffer: *buffer, bits, signed })
    })
}
