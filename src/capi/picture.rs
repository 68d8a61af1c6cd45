//! Graphs and programs drawn.

use super::error::{give_text, litz_error, litz_string};
use super::executable::litz_executable;
use super::graph::litz_graph;
use super::guard::{self, Outcome, invalid};
use super::types::litz_status;
use crate::picture::Format;
use crate::session;
use std::ffi::c_char;

/// The format of this name.
///
/// # Safety
/// NULL or a string.
unsafe fn format(name: *const c_char) -> Outcome<Format> {
    // SAFETY: the caller's.
    let name = unsafe { guard::text(name, "format") }?;
    Format::from_name(name).ok_or_else(|| {
        let known = Format::ALL.map(|f| f.0).join(", ");
        invalid(format!("there is no format `{name}` of pictures; there are {known}"))
    })
}

/// Draws a graph: its nodes, a box around the nodes of each module, and the size of each edge's tensor. `format` is "svg"
/// (self-contained, for light and dark pages) or "dot" (Graphviz). The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_draw(
    g: *const litz_graph,
    format: *const c_char,
    out: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((out, "out"), err, || {
        // SAFETY: the header asks for live pointers.
        let (graph, format) = unsafe { (guard::get(g, "g")?.sound()?, self::format(format)?) };
        Ok(session::draw_graph(graph, format)?)
    })
}

/// A picture of the graph that a program was compiled from, with a box around the nodes of each kernel. Formats are those of
/// `litz_graph_draw`. An artifact holds the graph where it was written with `artifact.graph=true`; of others this is
/// `LITZ_ERROR_UNSUPPORTED`. The caller owns `*out`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_draw(
    e: *const litz_executable,
    format: *const c_char,
    out: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((out, "out"), err, || {
        // SAFETY: the header asks for live pointers.
        let (executable, format) = unsafe { (guard::get(e, "e")?, self::format(format)?) };
        Ok(executable.draw(format)?)
    })
}

/// A page of HTML about a program: its picture with the source of each kernel beside it, its kernels with their bytes,
/// operations and, where runs were profiled, times, the machine's limits, and its memory over the steps of a run. The page
/// is complete in itself. The caller owns `*html`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_report(
    e: *const litz_executable,
    html: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((html, "html"), err, || {
        // SAFETY: the header asks for live pointers.
        let executable = unsafe { guard::get(e, "e") }?;
        Ok(executable.report()?)
    })
}
