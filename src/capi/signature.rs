//! Signatures: the trees of a program's arguments and results, and text that comes with it.

use super::edit::Change;
use super::error::{give_text, litz_error, litz_string};
use super::executable::litz_executable;
use super::graph::litz_graph;
use super::guard::{self, Failure, Outcome, invalid, wall};
use super::handles::edit;
use super::types::litz_status;
use crate::base::Status;
use crate::ir::spec;
use crate::session;
use serde_json::Value as Json;
use std::ffi::c_char;

impl From<spec::Difference> for Failure {
    fn from(difference: spec::Difference) -> Failure {
        invalid(difference.to_string()).with("path", difference.path)
    }
}

fn read_json(text: &str) -> Outcome<Json> {
    serde_json::from_str(text)
        .map_err(|e| Failure::new(Status::Parse, format!("the signature is not valid JSON: {e}")))
}

/// The graph's signature, as JSON. `inputs` and `outputs` are lists of leaves in order, each with `path`
/// (`args[0]["mask"]`, `kwargs.scale`, `output[1]`) and `kind`: `tensor` or `scalar`, which is the next input or output, with
/// `name`, `dtype`, `shape`, `strides`, and `mutated` for inputs and `alias_of` for outputs; `none`; or `fixed`, with `type`
/// and `value`. `in_tree` and `out_tree` are PyTorch's serialised trees, null where there are none; `metadata` is text by
/// name. The caller owns `*json`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_spec(
    g: *const litz_graph,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for live pointers.
        let graph = unsafe { guard::get(g, "g") }?.sound()?;
        Ok(session::graph_spec(graph)?.to_string())
    })
}

/// Sets the signature of a graph that has all its inputs and outputs. The JSON is that of `litz_graph_spec`; a part that is
/// missing stays as it is. A tree alone is enough where each of its leaves is an input, or output; otherwise the list of leaves
/// says which are None or fixed. The dtypes and sizes of leaves must match the graph. The error names the first path that does
/// not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_set_spec(
    g: *mut litz_graph,
    json: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Signature, err, |state| {
            let given = read_json(guard::text(json, "json")?)?;
            let spec = spec::read(&state.graph, &given)?;
            let mut graph = state.graph.clone();
            graph.spec = spec;
            spec::compare(&session::graph_spec(&graph)?, &given)?;
            state.graph.spec = graph.spec;
            Ok(())
        })
    }
}

/// Adds text to the graph under a name, or replaces it; NULL as `value` removes it. It comes back in the `metadata` of the
/// signature, of executables and artifacts too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_set_metadata(
    g: *mut litz_graph,
    key: *const c_char,
    value: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Signature, err, |state| {
            let key = guard::text(key, "key")?;
            if key.is_empty() {
                return Err(invalid("`key` is empty"));
            }
            let metadata = &mut state.graph.spec.metadata;
            if value.is_null() {
                metadata.shift_remove(key);
            } else {
                metadata.insert(key.to_string(), guard::text(value, "value")?.to_string());
            }
            Ok(())
        })
    }
}

/// The signature of the graph that was compiled, as `litz_graph_spec` gives it. The caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_spec(
    e: *const litz_executable,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for live pointers.
        let executable = unsafe { guard::get(e, "e") }?;
        Ok(executable.spec()?.to_string())
    })
}

/// Compares a caller's view of the signature with the program's: the trees, the leaves, fixed values, and whatever else the
/// JSON (as `litz_graph_spec` gives it, parts may be missing) states. A size that the program takes from its inputs fits
/// every number. The error names the first path that differs, in its detail (`path`) too. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_check_spec(
    e: *const litz_executable,
    json: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (executable, json) = unsafe { (guard::get(e, "e")?, guard::text(json, "json")?) };
        spec::compare(&executable.spec()?, &read_json(json)?)?;
        Ok(())
    })
}
