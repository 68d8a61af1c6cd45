//! Graphs that others wrote: exported programs and Litz text.

use super::error::{give_text, litz_error, litz_string};
use super::graph::litz_graph;
use super::guard::{self, wall};
use super::handles::hand_over;
use super::options::{self, litz_options};
use super::types::litz_status;
use crate::base::memory;
use crate::frontend::{self, FrontendError};
use crate::ir::HostOperators;
use crate::{ir, meta, session};
use std::ffi::{c_char, c_void};
use std::path::Path;

/// Loads an exported program (`.pt2`) from a file, which is mapped and must not change until the graph and every
/// executable made from it are released. `o` is nullable. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_from_pt2(
    path: *const c_char,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers, and for NULL or live options.
    unsafe { from_file(path, o, out, err, frontend::from_pt2_with) }
}

/// [`litz_graph_from_pt2`] from memory, which is not needed any more after the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_from_pt2_memory(
    data: *const c_void,
    size: usize,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for `size` readable bytes, a live pointer, and for NULL or live options.
    unsafe { from_memory((data, size), o, out, err, || Ok(frontend::from_pt2_bytes_with)) }
}

/// Loads an ONNX model from a file: opsets 13 to 28 of ONNX's operators, operators of `com.microsoft` that exporters write,
/// and functions. The file and those that it names for its weights are mapped and must not change until the graph and every
/// executable made from it are released; a name that leads out of the model's folder is `LITZ_ERROR_PARSE`. Inputs and
/// outputs have the model's names, named sizes are symbols, and initializers that operators use are constants: those of
/// floats are parameters. Elements of 2 and 4 bits, and floats of 8 and 4 bits, take a byte each, int8 or uint8. An operator
/// that is not supported is `LITZ_ERROR_UNSUPPORTED`, and the message has its name, opset and node. `o` is nullable. The
/// caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_from_onnx(
    path: *const c_char,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers, and for NULL or live options.
    unsafe { from_file(path, o, out, err, |path, _| frontend::from_onnx(path)) }
}

/// [`litz_graph_from_onnx`] from memory, which is not needed any more after the call. Files that the model names for its
/// weights are looked for in `folder`; with NULL, a model that names any is `LITZ_ERROR_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_from_onnx_memory(
    data: *const c_void,
    size: usize,
    folder: *const c_char,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    let read = || {
        // SAFETY: the header asks for NULL or live pointers.
        let folder = if folder.is_null() { None } else { Some(unsafe { guard::text(folder, "folder") }?) };
        Ok(move |bytes, _: &_| frontend::from_onnx_bytes(bytes, folder.map(Path::new)))
    };
    // SAFETY: the header asks for `size` readable bytes, a live pointer, and for NULL or live options.
    unsafe { from_memory((data, size), o, out, err, read) }
}

/// Reads an ExportedProgram's JSON, or its graph_module part alone, of `size` bytes, without weights: parameters,
/// buffers and constants become inputs. `o` is nullable. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_from_export_json(
    json: *const c_char,
    size: usize,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for `size` readable bytes.
        let bytes = unsafe { sized_bytes(json, size, "json") }?;
        // SAFETY: the header asks for NULL or live options.
        let options = unsafe { options::read(o) }?;
        let out = guard::out(out, "out")?;
        let operators = options.operators();
        let read = || frontend::from_export_json_with(bytes, &operators);
        hand_over(session::read(&options, "export JSON", read)?, out);
        Ok(())
    })
}

/// Writes the graph as the JSON of an ExportedProgram, weights left out: PyTorch's export schema, which
/// `litz_graph_from_export_json` reads and PyTorch's `torch._export.serde` too. Graphs that the schema cannot hold are
/// `LITZ_ERROR_UNSUPPORTED`: functions of floats such as `exp` in sizes, storages that are used apart from their views,
/// numbers as operands of graphs that nodes run, operators that data-dependent ones became. The caller owns `*json`. One
/// thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_to_export_json(
    g: *const litz_graph,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for live pointers.
        let graph = unsafe { guard::get(g, "g") }?.sound()?;
        Ok(frontend::to_export_json(graph)?.to_string())
    })
}

/// Reads Litz text, as `litz_graph_to_text` writes it, of `size` bytes. `LITZ_ERROR_PARSE` names line and column. `o`
/// is nullable. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_from_text(
    text: *const c_char,
    size: usize,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for `size` readable bytes.
        let bytes = unsafe { sized_bytes(text, size, "text") }?;
        // SAFETY: the header asks for NULL or live options.
        let options = unsafe { options::read(o) }?;
        let out = guard::out(out, "out")?;
        let text = std::str::from_utf8(bytes).map_err(|e| {
            guard::Failure::new(crate::base::Status::Parse, format!("the text is not UTF-8: {e}"))
        })?;
        let operators = options.operators();
        hand_over(session::read(&options, "text", || meta::text::parse_with(text, &operators))?, out);
        Ok(())
    })
}

/// Writes the graph as Litz text, constants with their data. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_to_text(
    g: *const litz_graph,
    out: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((out, "out"), err, || {
        // SAFETY: the header asks for live pointers.
        let graph = unsafe { guard::get(g, "g") }?.sound()?;
        Ok(ir::text::print(graph))
    })
}

/// Reads a file with one of the frontends.
///
/// # Safety
/// The pointers are live or NULL.
unsafe fn from_file(
    path: *const c_char,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
    read: impl FnOnce(&Path, &HostOperators) -> Result<ir::Graph, FrontendError>,
) -> litz_status {
    wall(err, || {
        // SAFETY: as the caller vouches.
        let path = unsafe { guard::text(path, "path") }?;
        // SAFETY: as the caller vouches.
        let options = unsafe { options::read(o) }?;
        let out = guard::out(out, "out")?;
        let graph =
            session::read(&options, &format!("`{path}`"), || read(Path::new(path), &options.operators()))
                .map_err(|e| guard::Failure::from(e).with("path", path))?;
        hand_over(graph, out);
        Ok(())
    })
}

/// Reads bytes with the frontend that `reader` gives.
///
/// # Safety
/// `data` is NULL or has `size` readable bytes, and the other pointers are live or NULL.
unsafe fn from_memory<R: FnOnce(Vec<u8>, &HostOperators) -> Result<ir::Graph, FrontendError>>(
    (data, size): (*const c_void, usize),
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
    reader: impl FnOnce() -> guard::Outcome<R>,
) -> litz_status {
    wall(err, || {
        // SAFETY: as the caller vouches.
        let bytes = unsafe { sized_bytes(data.cast(), size, "data") }?;
        let read = reader()?;
        // SAFETY: as the caller vouches.
        let options = unsafe { options::read(o) }?;
        let out = guard::out(out, "out")?;
        memory::expect(bytes.len());
        hand_over(session::read(&options, "memory", || read(bytes.to_vec(), &options.operators()))?, out);
        Ok(())
    })
}

/// # Safety
/// `bytes` is NULL or has `size` readable bytes.
pub(super) unsafe fn sized_bytes<'a>(
    bytes: *const c_char,
    size: usize,
    what: &str,
) -> guard::Outcome<&'a [u8]> {
    if bytes.is_null() {
        return Err(guard::invalid(format!("`{what}` is NULL")));
    }
    // SAFETY: as the caller vouches.
    unsafe { guard::list(bytes.cast::<u8>(), size, what) }
}
