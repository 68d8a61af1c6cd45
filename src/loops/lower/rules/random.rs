//! Random numbers as functions of their place: word `i` under the run's seed, whoever asks for it and how often.
//!
//! Element `i` of a tensor, in the order of its logical shape, takes its words from the block that its node's stretch begins
//! with on: one word each, or two, four elements or two to a block. `docs/random.md` gives the formulas.
//!
//! Invariant: integers, uniform numbers and masks are the same on every machine, bit by bit. Normal numbers need a logarithm
//! and a cosine, whose last digits differ between machines.

use super::pointwise::{Results, finish};
use crate::base::Status;
use crate::loops::lower::{Args, Lower, LowerError, X};
use crate::loops::{BinaryOp, ExprId};
use crate::types::{Calculation, Dtype, contiguous_strides};
use std::f64::consts::TAU;

/// The seed, the number of the stretch's first word, and the element's place, as int64.
#[derive(Clone, Copy)]
struct Place {
    seed: ExprId,
    first: ExprId,
    element: ExprId,
}

impl Place {
    fn of(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<Place, LowerError> {
        let syms = cx.syms();
        let shape = &args.result(0).shape;
        let offset = args.int("offset").ok_or_else(|| cx.error(Status::Internal, "has no offset"))?;
        let terms: Vec<_> = cx
            .vars(shape)
            .into_iter()
            .zip(contiguous_strides(syms, shape))
            .map(|(var, stride)| syms.mul(var, stride))
            .collect();
        let element = syms.sum(&terms);
        let block = syms.calculate(Calculation::Itself, &[offset]);
        let state = args.optional_lazy(cx, "state");
        let state = state.map(|lazy| cx.at(&lazy, &[]));
        let seed = args.int("seed").ok_or_else(|| cx.error(Status::Internal, "has no seed"))?;
        let exprs = &mut cx.program.exprs;
        let [seed, block, element] = [seed, block, element].map(|s| exprs.index_value(s, Dtype::Int64));
        let block = match state {
            Some(state) => exprs.binary(BinaryOp::Add, block, state),
            None => block,
        };
        // Multiplied in the kernel, so that the compiler knows which of a block's words an element has.
        let four = exprs.int(4, Dtype::Int64);
        let first = exprs.binary(BinaryOp::Mul, block, four);
        Ok(Place { seed, first, element })
    }
}

/// Word number `place` of the stretch.
fn word<'c>(of: &dyn Fn(ExprId) -> X<'c>, at: Place, place: X<'c>) -> X<'c> {
    of(at.seed).binary(BinaryOp::Philox, of(at.first) + place)
}

/// The upper bits of a word as a float, exact: the lower ones are left out.
fn upper<'c>(word: X<'c>, bits: i64) -> X<'c> {
    word.shift_right(32 - bits).cast(Dtype::Int32).cast(Dtype::Float32)
}

/// In `(0, 1)`, float32, from all bits of a word: what is small keeps its digits.
fn open32(word: X<'_>) -> X<'_> {
    let high = upper(word, 16) * 2f64.powi(-16);
    let low = word.bitwise_and(0xffff).cast(Dtype::Int32).cast(Dtype::Float32);
    (high + (low + 0.5) * 2f64.powi(-32)).minimum(1.0 - 2f64.powi(-24))
}

/// The upper bits of two words, at least 33 of them, as a float64.
fn upper64<'c>(first: X<'c>, second: X<'c>, bits: i64) -> X<'c> {
    let joined = first.shift_left(bits - 32).bitwise_or(second.shift_right(64 - bits));
    joined.cast(Dtype::Float64)
}

/// In `(0, 1)`, float64.
fn open64<'c>(first: X<'c>, second: X<'c>) -> X<'c> {
    (upper64(first, second, 52) + 0.5) * 2f64.powi(-52)
}

/// `litz.random_bits`: a word, or two as one int64, the first in the upper half.
pub fn random_bits(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (at, bits) = (Place::of(cx, args)?, args.known_int("bits")?);
    let value = cx.formula(|of| {
        let element = of(at.element);
        if bits == 32 {
            return word(of, at, element);
        }
        let twice = element * 2i64;
        word(of, at, twice).shift_left(32).bitwise_or(word(of, at, twice + 1i64))
    });
    Ok(vec![finish(cx, args, 0, value)])
}

/// `litz.random_uniform`: in `[0, 1)`, as many bits as the dtype's fraction keeps; in `(0, 1)` where `open`.
pub fn random_uniform(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (at, dtype, open) = (Place::of(cx, args)?, args.result(0).dtype, args.bool("open"));
    let bits = match dtype {
        Dtype::Bfloat16 => 8,
        Dtype::Float16 => 11,
        _ => 24,
    };
    let value = cx.formula(|of| {
        let element = of(at.element);
        if dtype == Dtype::Float64 {
            let twice = element * 2i64;
            let (first, second) = (word(of, at, twice), word(of, at, twice + 1i64));
            return if open { open64(first, second) } else { upper64(first, second, 53) * 2f64.powi(-53) };
        }
        let word = word(of, at, element);
        if open { open32(word) } else { upper(word, bits) * 2f64.powi(-(bits as i32)) }
    });
    Ok(vec![finish(cx, args, 0, value)])
}

/// `litz.random_normal`: two neighbours share the words of both (Box and Muller, 1958). The even one is
/// `sqrt(-2 log u) cos(2 pi v)`, the odd one has the sine.
pub fn random_normal(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (at, dtype) = (Place::of(cx, args)?, args.result(0).dtype);
    let value = cx.formula(|of| {
        let element = of(at.element);
        let (even, odd) = (element.bitwise_and(-2), element.bitwise_and(1));
        let (radius, turns, compute) = if dtype == Dtype::Float64 {
            let first = even * 2i64;
            let word = |k: i64| word(of, at, first + k);
            (open64(word(0), word(1)), upper64(word(2), word(3), 53) * 2f64.powi(-53), Dtype::Float64)
        } else {
            let word = |k: i64| word(of, at, even + k);
            (open32(word(0)), upper(word(1), 24) * 2f64.powi(-24), Dtype::Float32)
        };
        let back = odd.cast(Dtype::Int32).cast(compute) * 0.25;
        ((radius.log() * -2.0).sqrt()) * ((turns - back) * TAU).cos()
    });
    Ok(vec![finish(cx, args, 0, value)])
}

/// `litz.random_next`: where the state stands after a run.
pub fn random_next(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    cx.program.next_offset = args.int("offset");
    Ok(Vec::new())
}

/// `litz.checked`: the element, once the condition is seen to hold.
pub fn checked_elements(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let value = super::pointwise::operand(cx, args, "self", None, false)?;
    let condition = super::pointwise::operand(cx, args, "condition", None, false)?;
    let (Some(value), Some(condition)) = (value, condition) else {
        return Err(cx.error(Status::Internal, "checks nothing"));
    };
    let assertion = cx.assertion(args.string("message").unwrap_or_default().to_string());
    let value = cx.program.exprs.check(condition, value, assertion);
    Ok(vec![finish(cx, args, 0, value)])
}
