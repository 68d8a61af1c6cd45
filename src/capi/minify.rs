//! The smallest part of a graph for which a host's predicate still holds.

use super::callback;
use super::edit::Lent;
use super::error::litz_error;
use super::graph::litz_graph;
use super::guard::{self, Opaque, Outcome, invalid, wall};
use super::handles::hand_over;
use super::options::{self, litz_options};
use super::types::{DLTensor, litz_status};
use crate::ir::Graph;
use crate::runtime::Captured;
use crate::session;
use std::ffi::{c_char, c_void};

/// Decides whether a graph still fails: writes 1 or 0 to `*still_fails`. The graph is lent for the call, and no
/// later one may use it. A status that is not 0 ends the search with that error.
pub type litz_predicate_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        g: *const litz_graph,
        still_fails: *mut i32,
        err: *mut *mut litz_error,
    ) -> litz_status,
>;

/// Reduces a graph to a small part for which a predicate still holds, such as "fails to compile" or "differs from the
/// interpreter". Nodes are removed first, and their results become inputs; then outputs, inputs and constants are removed. The
/// predicate is called for the whole graph first, where it must hold, and then some tens of times. `context` is passed to it
/// and may be NULL. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_minify(
    g: *const litz_graph,
    still_fails: litz_predicate_fn,
    context: *mut c_void,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let graph = unsafe { guard::get(g, "g") }?.sound()?;
        let Some(predicate) = still_fails else { return Err(invalid("`still_fails` is NULL")) };
        let out = guard::out(out, "out")?;
        let mut holds = |candidate: &Graph| -> Outcome<bool> {
            let mut still = -1;
            let ask = |g: *mut litz_graph| {
                let mut error = std::ptr::null_mut();
                // SAFETY: the header asks for a function that takes these, and they live through the call.
                let status = unsafe { predicate(context, g, &mut still, &mut error) };
                // SAFETY: a callback's error is NULL or one that it made for the caller.
                unsafe { callback::outcome("the predicate", status, error) }
            };
            callback::lend(&mut candidate.clone(), Lent::ToRead, "the predicate", ask)?;
            match still {
                0 | 1 => Ok(still == 1),
                -1 => Err(invalid("the predicate gave no answer: it writes 0 or 1 to `*still_fails`")),
                other => Err(invalid(format!("the predicate wrote {other} to `*still_fails`: it is 0 or 1"))),
            }
        };
        let least = session::minify(graph, &mut holds)?;
        let least = least.ok_or_else(|| {
            invalid("the predicate does not hold for the whole graph, so there is no part to look for")
        })?;
        hand_over(least, out);
        Ok(())
    })
}

/// A predicate for [`litz_minify`] that the library has. One thread at a time.
pub struct litz_predicate {
    _opaque: [u8; 0],
}

impl Opaque for litz_predicate {
    type State = session::Predicate;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzPre\x01");
    const NAME: &'static str = "litz_predicate";
}

/// Makes a predicate of one of three kinds. "compile_fails": the part fails to compile with the same status and message as the
/// whole graph. "crashes": compiling or running the part ends its process by a signal, or takes more than two minutes; each
/// part is tried in a process of its own, which needs a C++ compiler. "differs": a run differs from the interpreter, compared
/// kernel by kernel as by `debug.compare`. Parts are compiled with the options; `o` is nullable. `inputs` are the `n` inputs of
/// the whole graph, or none, and then inputs are made up. Where a part has an input instead of a removed node, the input gets
/// the value that the node computes from `inputs`. Pass `litz_predicate_holds` and the predicate to `litz_minify`, once. The
/// caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_predicate_new(
    kind: *const c_char,
    o: *const litz_options,
    inputs: *const *const DLTensor,
    n: usize,
    out: *mut *mut litz_predicate,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let kind: session::PredicateKind = guard::text(kind, "kind")?.parse()?;
            let options = options::read(o)?;
            let inputs = Captured::of(guard::list(inputs, n, "inputs")?)?;
            let out = guard::out(out, "out")?;
            out.write(guard::wrap(session::Predicate::new(kind, &options, inputs)?));
        }
        Ok(())
    })
}

/// A `litz_predicate_fn` whose context is a `litz_predicate`. The first graph that it is asked about is the whole one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_predicate_holds(
    context: *mut c_void,
    g: *const litz_graph,
    still_fails: *mut i32,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (predicate, graph) = unsafe {
            (guard::get_mut(context.cast::<litz_predicate>(), "context")?, guard::get(g, "g")?.sound()?)
        };
        let still_fails = guard::out(still_fails, "still_fails")?;
        let holds = predicate.holds(graph)?;
        // SAFETY: checked above.
        unsafe { still_fails.write(holds.into()) };
        Ok(())
    })
}

/// Frees a predicate; NULL is accepted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_predicate_release(p: *mut litz_predicate) {
    // SAFETY: the header asks for NULL or a live predicate that is the caller's.
    unsafe { guard::release(p) }
}
