//! Compiling graphs: for this process, with examples of the inputs, and to artifacts.

use super::error::litz_error;
use super::executable::{hand_over, litz_executable};
use super::graph::litz_graph;
use super::guard::{self, invalid, wall};
use super::options::{self, litz_options};
use super::types::*;
use crate::runtime::Examples;
use crate::session::{self, Given};
use std::ffi::c_char;
use std::path::Path;

/// Compiles a graph. `o` is nullable. The graph is not changed and may be released. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_compile(
    g: *const litz_graph,
    o: *const litz_options,
    out: *mut *mut litz_executable,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (graph, options) = unsafe { (guard::get(g, "g")?.sound()?, options::read(o)?) };
        let out = guard::out(out, "out")?;
        hand_over(session::compile(graph, &options)?, out);
        Ok(())
    })
}

/// Compiles a graph with example inputs. `n` is the graph's number of inputs. `examples` are tensors like those of later runs:
/// their sizes become the hints of the graph's symbols, and autotuning times runs on their data. The program runs once on
/// copies of them before the call returns; neither they nor the constants change. NULL: no examples. As in a run,
/// `examples[k]` may be NULL where the program does not use the input. `static_inputs[k]` is 1
/// for an input whose address stays the same between runs (CUDA graphs), as in the run options; NULL: none. Otherwise as
/// `litz_compile`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_compile_with(
    g: *const litz_graph,
    o: *const litz_options,
    examples: *const *const DLTensor,
    n: usize,
    static_inputs: *const u8,
    out: *mut *mut litz_executable,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (graph, options) = unsafe { (guard::get(g, "g")?.sound()?, options::read(o)?) };
        let out = guard::out(out, "out")?;
        if n != graph.inputs.len() {
            let names: Vec<&str> = graph.inputs.iter().map(|i| i.name.as_str()).collect();
            let (takes, names) = (names.len(), names.join(", "));
            return Err(invalid(format!("the graph has {takes} inputs ({names}), `n` is {n}")));
        }
        let mut tensors = None;
        if !examples.is_null() {
            // SAFETY: the header asks for `n` readable pointers.
            let list = unsafe { guard::list(examples, n, "examples") }?;
            for (k, tensor) in list.iter().enumerate().filter(|(_, t)| !t.is_null()) {
                // SAFETY: the header asks for tensors.
                unsafe { guard::item(*tensor, &format!("examples[{k}]")) }?;
            }
            // SAFETY: the header asks for NULL, or tensors that stay as they are during the call.
            tensors = Some(unsafe { Examples::new(list) }.map_err(session::SessionError::from)?);
        }
        let mut fixed = Vec::new();
        if !static_inputs.is_null() {
            // SAFETY: the header asks for `n` readable flags.
            for (k, flag) in unsafe { guard::list(static_inputs, n, "static_inputs") }?.iter().enumerate() {
                if *flag > 1 {
                    return Err(invalid(format!("static_inputs[{k}] is {flag}; it is 0 or 1")));
                }
                fixed.push(*flag == 1);
            }
        }
        let given = Given { examples: tensors.as_ref(), fixed: &fixed, ..Given::default() };
        hand_over(session::compile_with(graph, &options, given)?, out);
        Ok(())
    })
}

/// Compiles a graph to an artifact, a `.so` that `litz_executable_open` and `litz/artifact.h` read. Where `path` is a
/// folder the file is named by its content there; a log line of level 2 says which it is, and `litz_executable_describe` of
/// the folder, opened, has its `path`. `o` is nullable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_compile_artifact(
    g: *const litz_graph,
    o: *const litz_options,
    path: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (graph, options, path) =
            unsafe { (guard::get(g, "g")?.sound()?, options::read(o)?, guard::text(path, "path")?) };
        session::compile_artifact(graph, &options, Path::new(path))?;
        Ok(())
    })
}
