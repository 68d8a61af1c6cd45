//! Graphs: read from files, described, drawn, compiled, cut down to what fails. `building` adds to them.

use crate::error::{Error, c_path, c_text, call, give};
use crate::executable::Executable;
use crate::options::{Kept, Options};
use crate::registry::Registry;
use crate::sys;
use crate::tensor::{Tensor, borrowed};
use crate::weights::Weights;
use std::path::Path;

/// A tensor program that was loaded or is being built. One thread at a time.
pub struct Graph {
    pub(crate) handle: *mut sys::litz_graph,
    pub(crate) kept: Kept,
}

// SAFETY: graphs are for one thread at a time, any thread.
unsafe impl Send for Graph {}

impl Graph {
    /// Reads what `torch.export.save` wrote.
    pub fn from_pt2(path: impl AsRef<Path>, options: &Options) -> Result<Graph, Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        // SAFETY: the path ends with NUL and the options are alive.
        Graph::made(options, |out, err| unsafe {
            (library.graph_from_pt2)(path.as_ptr(), options.handle, out, err)
        })
    }

    /// Reads an archive that lies in memory, which is not needed afterwards.
    pub fn from_pt2_memory(data: &[u8], options: &Options) -> Result<Graph, Error> {
        let library = sys::library()?;
        // SAFETY: the bytes live until the call ends.
        Graph::made(options, |out, err| unsafe {
            (library.graph_from_pt2_memory)(data.as_ptr().cast(), data.len(), options.handle, out, err)
        })
    }

    /// Reads an ONNX model, with the files beside it that hold its weights.
    pub fn from_onnx(path: impl AsRef<Path>, options: &Options) -> Result<Graph, Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        // SAFETY: as for `from_pt2`.
        Graph::made(options, |out, err| unsafe {
            (library.graph_from_onnx)(path.as_ptr(), options.handle, out, err)
        })
    }

    /// Reads an exported program's JSON, without its weights: they become inputs.
    pub fn from_export_json(json: &str, options: &Options) -> Result<Graph, Error> {
        let library = sys::library()?;
        // SAFETY: as for `from_pt2_memory`.
        Graph::made(options, |out, err| unsafe {
            (library.graph_from_export_json)(json.as_ptr().cast(), json.len(), options.handle, out, err)
        })
    }

    /// Reads Litz's own text.
    pub fn from_text(text: &str, options: &Options) -> Result<Graph, Error> {
        let library = sys::library()?;
        // SAFETY: as for `from_pt2_memory`.
        Graph::made(options, |out, err| unsafe {
            (library.graph_from_text)(text.as_ptr().cast(), text.len(), options.handle, out, err)
        })
    }

    /// The graph and the options of a folder that [`Graph::save_repro`] wrote.
    pub fn from_repro(folder: impl AsRef<Path>) -> Result<(Graph, Options), Error> {
        let library = sys::library()?;
        let folder = c_path(folder.as_ref())?;
        let (mut graph, mut options) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: both places are valid, and what is written to them is ours.
        call(|err| unsafe { (library.graph_from_repro)(folder.as_ptr(), &mut graph, &mut options, err) })?;
        Ok((Graph { handle: graph, kept: Vec::new() }, Options::of(options)))
    }

    /// [`Graph::from_repro`] with what the program's host registers: operators that the graph calls, the backend, passes and decompositions.
    pub fn from_repro_with(folder: impl AsRef<Path>, registry: &Registry) -> Result<(Graph, Options), Error> {
        let library = sys::library()?;
        let folder = c_path(folder.as_ref())?;
        let (mut graph, mut options) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: both places are valid, and what is written to them is ours; the options keep the registry.
        call(|err| unsafe {
            (library.graph_from_repro_with)(folder.as_ptr(), registry.handle, &mut graph, &mut options, err)
        })?;
        Ok((Graph { handle: graph, kept: Vec::new() }, Options::of(options)))
    }

    /// The inputs of such a folder, none where it has none.
    pub fn repro_inputs(folder: impl AsRef<Path>, options: &Options) -> Result<Vec<Tensor>, Error> {
        let library = sys::library()?;
        let folder = c_path(folder.as_ref())?;
        let mut n = 0;
        // SAFETY: without room, the call writes the count alone.
        let counted = call(|err| unsafe {
            (library.repro_inputs)(folder.as_ptr(), options.handle, std::ptr::null_mut(), 0, &mut n, err)
        });
        match counted {
            Err(error) if error.status != crate::Status::CAPACITY => return Err(error),
            _ => {}
        }
        let mut given = vec![std::ptr::null_mut(); n];
        // SAFETY: there is room for all of them, and those that are written are ours.
        call(|err| unsafe {
            (library.repro_inputs)(folder.as_ptr(), options.handle, given.as_mut_ptr(), n, &mut n, err)
        })?;
        // SAFETY: as above.
        let tensors: Vec<_> = given.into_iter().map(|t| unsafe { Tensor::given(t) }).collect();
        tensors.into_iter().collect()
    }

    /// Reads an ONNX model that lies in memory; weights in other files are looked for in `folder`.
    pub fn from_onnx_memory(data: &[u8], folder: Option<&Path>, options: &Options) -> Result<Graph, Error> {
        let library = sys::library()?;
        let folder = folder.map(c_path).transpose()?;
        let place = folder.as_ref().map_or(std::ptr::null(), |f| f.as_ptr());
        // SAFETY: the bytes live until the call ends, and the path ends with NUL.
        Graph::made(options, |out, err| unsafe {
            (library.graph_from_onnx_memory)(
                data.as_ptr().cast(),
                data.len(),
                place,
                options.handle,
                out,
                err,
            )
        })
    }

    /// [`Graph::from_export_json`] with weights: parameters, buffers and constants are tensors of the file by their exported names.
    pub fn from_export_json_with_weights(
        json: &str,
        weights: &Weights,
        options: &Options,
    ) -> Result<Graph, Error> {
        let library = sys::library()?;
        // SAFETY: as for `from_pt2_memory`; the weights are alive.
        Graph::made(options, |out, err| unsafe {
            let (data, size) = (json.as_ptr().cast(), json.len());
            (library.graph_from_export_json_with_weights)(
                data,
                size,
                weights.handle,
                options.handle,
                out,
                err,
            )
        })
    }

    pub(crate) fn made(
        options: &Options,
        f: impl FnOnce(*mut *mut sys::litz_graph, *mut *mut sys::litz_error) -> i32,
    ) -> Result<Graph, Error> {
        let mut handle = std::ptr::null_mut();
        call(|err| f(&mut handle, err))?;
        Ok(Graph { handle, kept: options.kept.clone() })
    }

    /// The graph as Litz's own text.
    pub fn to_text(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.graph_to_text)(self.handle, out, err) })
    }

    /// The graph as JSON: inputs, outputs, constants, symbols, operators.
    pub fn describe(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.graph_describe)(self.handle, out, err) })
    }

    /// The graph's signature as JSON.
    pub fn spec(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.graph_spec)(self.handle, out, err) })
    }

    /// A picture with a box for each module: "svg" or "dot".
    pub fn draw(&self, format: &str) -> Result<String, Error> {
        let library = sys::library()?;
        let format = c_text("the format", format)?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.graph_draw)(self.handle, format.as_ptr(), out, err) })
    }

    /// Compiles the graph for this process.
    pub fn compile(&self, options: &Options) -> Result<Executable, Error> {
        let library = sys::library()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: both handles are alive.
        call(|err| unsafe { (library.compile)(self.handle, options.handle, &mut handle, err) })?;
        let mut kept = self.kept.clone();
        kept.extend(options.kept.iter().cloned());
        Executable::of(handle, kept)
    }

    /// Compiles the graph to an artifact, a file or in a folder.
    pub fn compile_artifact(&self, options: &Options, path: impl AsRef<Path>) -> Result<(), Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        // SAFETY: both handles are alive.
        call(|err| unsafe { (library.compile_artifact)(self.handle, options.handle, path.as_ptr(), err) })
    }

    /// Writes a folder that reproduces what the graph does with these options and inputs (none, or all of them).
    pub fn save_repro(
        &self,
        options: &Options,
        inputs: &[&Tensor],
        folder: impl AsRef<Path>,
    ) -> Result<(), Error> {
        let library = sys::library()?;
        let folder = c_path(folder.as_ref())?;
        let given = borrowed(inputs);
        let pointers = given.pointers();
        // SAFETY: the tensors are borrowed until the call ends, and are only read.
        call(|err| unsafe {
            (library.graph_save_repro)(
                self.handle,
                options.handle,
                pointers.as_ptr(),
                pointers.len(),
                folder.as_ptr(),
                err,
            )
        })
    }

    /// The smallest part found for which the predicate still holds.
    pub fn minify(&self, predicate: Predicate) -> Result<Graph, Error> {
        let library = sys::library()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the predicate lives until the call ends.
        call(|err| unsafe {
            (library.minify)(self.handle, library.predicate_holds, predicate.handle.cast(), &mut handle, err)
        })?;
        Ok(Graph { handle, kept: self.kept.clone() })
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if let Ok(library) = sys::library() {
            // SAFETY: the handle is ours, and this is its last use.
            unsafe { (library.graph_release)(self.handle) }
        }
    }
}

/// What [`Graph::minify`] asks of a part: "compile_fails", "crashes" or "differs".
pub struct Predicate {
    handle: *mut sys::litz_predicate,
    _kept: Kept,
}

impl Predicate {
    /// `inputs` are all inputs of the whole graph, or none.
    pub fn new(kind: &str, options: &Options, inputs: &[&Tensor]) -> Result<Predicate, Error> {
        let library = sys::library()?;
        let kind = c_text("the kind", kind)?;
        let given = borrowed(inputs);
        let pointers = given.pointers();
        let mut handle = std::ptr::null_mut();
        // SAFETY: the tensors are borrowed until the call ends, and are only read.
        call(|err| unsafe {
            (library.predicate_new)(
                kind.as_ptr(),
                options.handle,
                pointers.as_ptr(),
                pointers.len(),
                &mut handle,
                err,
            )
        })?;
        Ok(Predicate { handle, _kept: options.kept.clone() })
    }
}

impl Drop for Predicate {
    fn drop(&mut self) {
        if let Ok(library) = sys::library() {
            // SAFETY: the handle is ours, and this is its last use.
            unsafe { (library.predicate_release)(self.handle) }
        }
    }
}
