//! Files of weights: safetensors and GGUF, as constants of graphs that are made by hand or read without weights.

use super::edit::Change;
use super::error::{give_text, litz_error, litz_string};
use super::graph::{constant_kind, litz_graph};
use super::guard::{self, Opaque, wall};
use super::handles::{edit, hand_over};
use super::load::sized_bytes;
use super::options::{self, litz_options};
use super::types::{litz_status, litz_value};
use crate::base::json;
use crate::frontend::{self, WeightFile};
use crate::session;
use std::ffi::c_char;
use std::path::Path;

/// Named tensors of a file of weights.
pub struct litz_weights {
    _opaque: [u8; 0],
}

impl Opaque for litz_weights {
    type State = WeightFile;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzWgt\x01");
    const NAME: &'static str = "litz_weights";
}

/// Opens a file of weights: safetensors, the index of several such files (`….safetensors.index.json`), or GGUF of versions 2 and
/// 3. Files are mapped, and must not change until `*out`, every graph that has weights of it and every executable made from those
/// are released. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_weights_open(
    path: *const c_char,
    out: *mut *mut litz_weights,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for a live string.
        let path = unsafe { guard::text(path, "path") }?;
        let out = guard::out(out, "out")?;
        let file =
            WeightFile::open(Path::new(path)).map_err(|e| guard::Failure::from(e).with("path", path))?;
        // SAFETY: checked above.
        unsafe { out.write(guard::wrap(file)) };
        Ok(())
    })
}

/// What a file of weights holds, as JSON: `metadata`, the file's own keys and values, and `tensors`, a list with `name`, `format` (a
/// dtype, or the name of GGUF's block format), `dtype` (that of the value in a graph; null for formats that are not read), `shape`
/// and `bytes`. The caller owns `*json`. Any thread, unless another one adds aliases.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_weights_describe(
    w: *const litz_weights,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for a live handle.
        let file = unsafe { guard::get(w, "w") }?;
        let tensors: Vec<_> = (0..file.len())
            .filter_map(|k| file.at(k))
            .map(|(name, t)| {
                let dtype = t.format.dtype().map(|d| d.name());
                json!({"name": name, "format": t.format.name(), "dtype": dtype, "shape": t.shape, "bytes": t.bytes()})
            })
            .collect();
        Ok(json!({"metadata": file.metadata, "tensors": tensors}).to_string())
    })
}

/// Gives a tensor another name, too: that of a program's parameter, where the file names it otherwise, or where the file holds a
/// shared one once. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_weights_alias(
    w: *mut litz_weights,
    tensor: *const c_char,
    name: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (file, tensor, name) =
            unsafe { (guard::get_mut(w, "w")?, guard::text(tensor, "tensor")?, guard::text(name, "name")?) };
        Ok(file.alias(tensor, name)?)
    })
}

/// Releases a file of weights; NULL is accepted. Graphs and executables keep the tensors that they use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_weights_release(w: *mut litz_weights) {
    // SAFETY: the header asks for NULL or a live handle that is the caller's.
    unsafe { guard::release(w) }
}

/// Adds a tensor of a file of weights as a parameter, buffer or constant (`kind`: `LITZ_CONSTANT_…`) called `name`; with NULL it has
/// the tensor's name. The data stay in the file. `*out` is the tensor, of the file's dtype. Of GGUF's block formats the constant is
/// the blocks, uint8 of shape `[…, blocks, bytes of a block]`, and `*out` is what unpacks them, float32 of the tensor's shape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_weight(
    g: *mut litz_graph,
    w: *const litz_weights,
    tensor: *const c_char,
    name: *const c_char,
    kind: i32,
    out: *mut litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Constants, err, |state| {
            let (file, tensor) = (guard::get(w, "w")?, guard::text(tensor, "tensor")?);
            let name = if name.is_null() { tensor } else { guard::text(name, "name")? };
            let out = guard::out(out, "out")?;
            state.check_new_name(name)?;
            let kind = constant_kind(kind, name)?;
            let value = file.add_to(&mut state.graph, tensor, name, kind)?;
            out.write(state.give_tensor(value));
            Ok(())
        })
    }
}

/// [`litz_graph_from_export_json`] with weights: parameters, buffers and constants are tensors of `w` by their exported names, and
/// floats are converted to the program's dtype. Parameters and persistent buffers that `w` lacks are an error that names them all;
/// other buffers and constants that it lacks are inputs. `o` is nullable. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_from_export_json_with_weights(
    json: *const c_char,
    size: usize,
    w: *const litz_weights,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for `size` readable bytes.
        let bytes = unsafe { sized_bytes(json, size, "json") }?;
        // SAFETY: the header asks for a live handle, and for NULL or live options.
        let (file, options) = unsafe { (guard::get(w, "w")?, options::read(o)?) };
        let out = guard::out(out, "out")?;
        let operators = options.operators();
        let read = || frontend::from_export_json_with_weights(bytes, file, &operators);
        hand_over(session::read(&options, "export JSON", read)?, out);
        Ok(())
    })
}
