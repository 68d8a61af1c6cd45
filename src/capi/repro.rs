//! Folders that hold all that a failure takes.

use super::error::litz_error;
use super::graph::litz_graph;
use super::guard::{self, Failure, wall};
use super::handles::GraphState;
use super::options::{self, litz_options};
use super::registry::litz_registry;
use super::types::{DLManagedTensorVersioned, DLTensor, litz_status};
use crate::base::Status;
use crate::runtime::{Captured, SharedTensor};
use crate::session::{BackendRequest, repro};
use std::ffi::c_char;
use std::path::Path;

/// Writes a folder with the graph, its constants, the options that were set and the inputs, and a C program that replays
/// them: `sh replay.sh` there compiles and runs it. The folder is made where it is missing, and an earlier repro in it is
/// replaced. `n` is 0, or as many inputs as the graph has, in host memory or a GPU's: they keep their strides and the
/// memory that they share. With the option `debug.repro_constants` larger constants are made of seeds. `o` is nullable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_save_repro(
    g: *const litz_graph,
    o: *const litz_options,
    inputs: *const *const DLTensor,
    n: usize,
    folder: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let (graph, options) = (guard::get(g, "g")?.sound()?, options::read(o)?);
            let folder = guard::text(folder, "folder")?;
            let inputs = Captured::of(guard::list(inputs, n, "inputs")?)?;
            repro::save(graph, &options, &inputs, Path::new(folder))?;
        }
        Ok(())
    })
}

/// The graph and the options of a folder that `litz_graph_save_repro` wrote. The caller owns both. A program that was saved with
/// operators, a backend, passes or decompositions of its host is `LITZ_ERROR_UNSUPPORTED`, and the message names them:
/// `litz_graph_from_repro_with` reads it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_from_repro(
    folder: *const c_char,
    g: *mut *mut litz_graph,
    o: *mut *mut litz_options,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for a live string and live pointers.
    unsafe { litz_graph_from_repro_with(folder, std::ptr::null_mut(), g, o, err) }
}

/// Reads a folder as [`litz_graph_from_repro`] does, for a program that uses what its host registers. The registry must have the
/// operators that the graph calls, with the same schemas, the backend, as many passes at each point and a decomposition of each
/// operator that the saved options' registry decomposes. A registry that lacks any of them is `LITZ_ERROR_UNSUPPORTED`; the
/// message names each one that is missing. The folder's `replay.c` lists them. The options have the registry. `r` is nullable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_from_repro_with(
    folder: *const c_char,
    r: *mut litz_registry,
    g: *mut *mut litz_graph,
    o: *mut *mut litz_options,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for a live string, and for NULL or a live registry.
        let (folder, registry) = unsafe {
            let registry = if r.is_null() { None } else { Some(guard::get(r, "r")?) };
            (guard::text(folder, "folder")?, registry)
        };
        let (g, o) = (guard::out(g, "g")?, guard::out(o, "o")?);
        let (graph, options) = repro::load(Path::new(folder), registry)?;
        // SAFETY: checked above.
        unsafe {
            g.write(guard::wrap(GraphState::new(graph)));
            o.write(guard::wrap(options));
        }
        Ok(())
    })
}

/// The inputs of such a folder, on the device that the options run programs on; each is the caller's to free with
/// litz_tensor_release. There is room for `capacity` of them in `inputs`, which may be NULL where that is 0; `*n` is how many
/// there are, and with too little room the call gives `LITZ_ERROR_CAPACITY`. `o` is nullable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_repro_inputs(
    folder: *const c_char,
    o: *const litz_options,
    inputs: *mut *mut DLManagedTensorVersioned,
    capacity: usize,
    n: *mut usize,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (folder, options) = unsafe { (guard::text(folder, "folder")?, options::read(o)?) };
        let n = guard::out(n, "n")?;
        let inputs = if capacity == 0 { inputs } else { guard::out(inputs, "inputs")? };
        let captured = repro::load_inputs(Path::new(folder))?;
        let count = captured.tensors.len();
        if count > capacity {
            // SAFETY: checked above.
            unsafe { n.write(count) };
            let message = format!("the folder holds {count} inputs, and there is room for {capacity}");
            return Err(Failure::new(Status::Capacity, message).with("needed", count));
        }
        let device = matches!(options.backend, BackendRequest::Cuda).then_some(options.device);
        // Numbers stay on the host.
        let on_host = |k: usize| captured.tensors[k].as_ref().is_some_and(|t| t.shape.is_empty());
        for (k, tensor) in captured.tensors(device, &on_host)?.into_iter().enumerate() {
            // SAFETY: there is room for all of them.
            unsafe { inputs.add(k).write(tensor.map_or(std::ptr::null_mut(), SharedTensor::into_raw)) };
        }
        // SAFETY: checked above.
        unsafe { n.write(count) };
        Ok(())
    })
}
