//! Files of weights, whose tensors graphs take without reading them into memory.

use crate::error::{Error, c_path, c_text, call, give};
use crate::sys;
use std::path::Path;

/// A file of weights: safetensors, the index of several of them, or GGUF. It is mapped, and must not change as long as this, a graph
/// or a program with weights of it lives. One thread at a time.
pub struct Weights {
    pub(crate) handle: *mut sys::litz_weights,
}

// SAFETY: files of weights are for one thread at a time, any thread.
unsafe impl Send for Weights {}

impl Weights {
    pub fn open(path: impl AsRef<Path>) -> Result<Weights, Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the path ends with NUL.
        call(|err| unsafe { (library.weights_open)(path.as_ptr(), &mut handle, err) })?;
        Ok(Weights { handle })
    }

    /// What the file holds, as JSON: `metadata`, and `tensors` with `name`, `format`, `dtype`, `shape` and `bytes`.
    pub fn describe(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.weights_describe)(self.handle, out, err) })
    }

    /// Gives a tensor another name, too.
    pub fn alias(&mut self, tensor: &str, name: &str) -> Result<(), Error> {
        let library = sys::library()?;
        let (tensor, name) = (c_text("the tensor", tensor)?, c_text("the name", name)?);
        // SAFETY: the handle is ours and the texts end with NUL.
        call(|err| unsafe { (library.weights_alias)(self.handle, tensor.as_ptr(), name.as_ptr(), err) })
    }
}

impl Drop for Weights {
    fn drop(&mut self) {
        if let Ok(library) = sys::library() {
            // SAFETY: the handle is ours, and this is its last use.
            unsafe { (library.weights_release)(self.handle) }
        }
    }
}
