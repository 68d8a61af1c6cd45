//! Compiled programs: compiling, saving, opening, running.

use super::error::{give_text, litz_error, litz_string};
use super::guard::{self, Failure, Opaque, Outcome, invalid, wall, wall_on_this_stack, wall_or};
use super::options::{self, litz_options};
use super::types::*;
use crate::plan::{Alias, InputNeed};
use crate::runtime::{RandomState, RunOptions, TensorInfo};
use crate::session::{self, Executable};
use crate::types::dlpack::DLDevice;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

/// A compiled program with its constants. Any number of threads may run one at once; runs of a program that mutates
/// its own constants are serialised.
pub struct litz_executable {
    _opaque: [u8; 0],
}

impl Opaque for litz_executable {
    type State = Executable;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzExe\x01");
    const NAME: &'static str = "litz_executable";
}

/// Writes an artifact of the compiled program, with the constants as they are now. A program that was opened in memory and dropped
/// constants which its artifact holds (`freeze`, for several instruction sets) is `LITZ_ERROR_STATE`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_save(
    e: *const litz_executable,
    path: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (executable, path) = unsafe { (guard::get(e, "e")?, guard::text(path, "path")?) };
        executable.save(Path::new(path))?;
        Ok(())
    })
}

/// Opens an artifact. Its magic, version, target and hash are checked before its code is loaded. Loading runs its code, so
/// open only files that you trust. Options that act when a program is compiled change nothing here; the log says which they
/// are. `o` is nullable. The caller owns `*out`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_open(
    path: *const c_char,
    o: *const litz_options,
    out: *mut *mut litz_executable,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (path, options) = unsafe { (guard::text(path, "path")?, options::read(o)?) };
        let out = guard::out(out, "out")?;
        hand_over(session::open(Path::new(path), &options)?, out);
        Ok(())
    })
}

/// Opens an artifact that lies in memory. `data` is not needed after the call. As `litz_executable_open` otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_open_memory(
    data: *const c_void,
    size: usize,
    o: *const litz_options,
    out: *mut *mut litz_executable,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        if data.is_null() {
            return Err(invalid("`data` is NULL"));
        }
        // SAFETY: the header asks for live pointers.
        let (bytes, options) = unsafe { (guard::list(data.cast::<u8>(), size, "data")?, options::read(o)?) };
        let out = guard::out(out, "out")?;
        hand_over(session::open_memory(bytes, &options)?, out);
        Ok(())
    })
}

/// Ends the runs of this executable that are in progress on other threads: they give `LITZ_ERROR_CANCELLED`, and constants
/// and inputs are as they were before them. A run that has begun to write to constants or inputs goes on to its end. On the CPU a
/// kernel ends between two pieces of its work; a GPU's kernels that are launched finish. Later runs are as ever. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_cancel(
    e: *const litz_executable,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe { guard::get(e, "e") }?.cancel();
        Ok(())
    })
}

pub(super) fn hand_over(executable: Executable, out: *mut *mut litz_executable) {
    let handle = guard::wrap(executable);
    // SAFETY: `out` was checked before the executable was made.
    unsafe { out.write(handle) };
}

/// Makes another instance: it shares code and constants that no run changes, and has its own mutable state, which
/// begins as the original's is now. The caller owns `*out`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_clone(
    e: *const litz_executable,
    out: *mut *mut litz_executable,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let executable = unsafe { guard::get(e, "e") }?;
        let out = guard::out(out, "out")?;
        hand_over(executable.clone_instance()?, out);
        Ok(())
    })
}

/// Describes the executable as JSON: `backend`, `target`, `inputs`, `outputs`, `constants`, `symbols`, `kernels`,
/// `arena_bytes`, `compile_seconds`, `artifact`, `needs`, `fallbacks`. The caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_describe(
    e: *const litz_executable,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for live pointers.
        let executable = unsafe { guard::get(e, "e") }?;
        Ok(executable.describe())
    })
}

/// Takes one more reference and gives the same handle; NULL for NULL. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_retain(e: *mut litz_executable) -> *mut litz_executable {
    // SAFETY: the header asks for NULL or a live executable.
    wall_or(std::ptr::null_mut(), || unsafe { guard::retain(e, "e") })
}

/// How many inputs a run takes; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_num_inputs(e: *const litz_executable) -> usize {
    // SAFETY: the header asks for NULL or a live executable.
    wall_or(0, || Ok(unsafe { guard::get(e, "e") }?.inputs().len()))
}

/// How many outputs a run gives; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_num_outputs(e: *const litz_executable) -> usize {
    // SAFETY: the header asks for NULL or a live executable.
    wall_or(0, || Ok(unsafe { guard::get(e, "e") }?.outputs().len()))
}

/// How many parameters, buffers and constants the program has; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_num_constants(e: *const litz_executable) -> usize {
    // SAFETY: the header asks for NULL or a live executable.
    wall_or(0, || Ok(unsafe { guard::get(e, "e") }?.constants().len()))
}

/// Describes input, output or constant number `k` (`what`: `LITZ_INFO_…`). Set `out->struct_size` first: members behind that
/// size are not written. The pointers written belong to the executable. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_info(
    e: *const litz_executable,
    what: i32,
    k: usize,
    out: *mut litz_tensor_info,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let executable = unsafe { guard::get(e, "e") }?;
        let (name, list) = match what {
            LITZ_INFO_INPUT => ("input", executable.inputs()),
            LITZ_INFO_OUTPUT => ("output", executable.outputs()),
            LITZ_INFO_CONSTANT => ("constant", executable.constants()),
            other => return Err(invalid(format!("`what` is {other}: 0 is input, 1 output, 2 constant"))),
        };
        let info: &TensorInfo = list
            .get(k)
            .ok_or_else(|| invalid(format!("there is no {name} {k}: the program has {}", list.len())))?;
        let out = guard::out(out, "out")?;
        let (alias_kind, alias_of) = match info.alias {
            Alias::None => (LITZ_ALIAS_NONE, 0),
            Alias::Input(k) => (LITZ_ALIAS_INPUT, k.into()),
            Alias::Constant(k) => (LITZ_ALIAS_CONSTANT, k.into()),
            Alias::Output(k) => (LITZ_ALIAS_OUTPUT, k.into()),
        };
        let device = match executable.program().device().filter(|_| !info.host) {
            Some(device_id) => DLDevice { device_type: DLDevice::CUDA_TYPE, device_id },
            None => DLDevice::CPU,
        };
        let filled = litz_tensor_info {
            struct_size: 0,
            name: info.name.as_ptr(),
            dtype: info.dtype.into(),
            device,
            ndim: info.min_shape.len() as i32,
            kind: info.kind,
            min_shape: info.min_shape.as_ptr(),
            max_shape: info.max_shape.as_ptr(),
            strides: info.strides.as_ref().map_or(std::ptr::null(), |s| s.as_ptr()),
            mutated: info.mutated.into(),
            alias_kind,
            alias_of,
        };
        // SAFETY: checked above; the caller has set the first member.
        unsafe { write_info(out, filled) }
    })
}

/// Writes as many members of a description as the caller's struct has room for.
///
/// # Safety
/// `out` is aligned and has as many bytes as its first member says.
pub(super) unsafe fn write_info(out: *mut litz_tensor_info, filled: litz_tensor_info) -> Outcome {
    // SAFETY: the caller's.
    let given = unsafe { (&raw const (*out).struct_size).read() };
    // What the first version of the struct had.
    let least = std::mem::offset_of!(litz_tensor_info, strides);
    if given < least {
        return Err(invalid(format!(
            "`out` has struct_size {given}, but sizeof is {}: set it to sizeof",
            size_of::<litz_tensor_info>()
        )));
    }
    let filled = litz_tensor_info { struct_size: given, ..filled };
    let bytes = given.min(size_of::<litz_tensor_info>());
    // SAFETY: the caller's struct has room for as many bytes as it says.
    unsafe { std::ptr::copy_nonoverlapping((&raw const filled).cast::<u8>(), out.cast::<u8>(), bytes) };
    Ok(())
}

/// Infers the outputs of a run on these inputs: writes dtype, ndim and device of each output, and the sizes and strides into
/// the caller's `shape` and `strides` arrays, which have room for the ndim that `litz_executable_info` tells. A size
/// that depends on data gets its bound, -1 where there is none. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_infer_outputs(
    e: *const litz_executable,
    inputs: *const *const DLTensor,
    n_inputs: usize,
    outputs: *mut DLTensor,
    n_outputs: usize,
    err: *mut *mut litz_error,
) -> litz_status {
    wall_on_this_stack(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let executable = guard::get(e, "e")?;
            let inputs = read_inputs(executable, inputs, n_inputs)?;
            count_outputs(executable, n_outputs)?;
            // Reading them first finds a NULL or unaligned pointer.
            guard::list(outputs.cast_const(), n_outputs, "outputs")?;
            let outputs = match n_outputs {
                0 => &mut [][..],
                n => std::slice::from_raw_parts_mut(outputs, n),
            };
            executable.infer_outputs(inputs, outputs)?;
        }
        Ok(())
    })
}

/// The inputs of a call, as many as the program takes; NULL those alone that it has no need of.
///
/// # Safety
/// `inputs` is NULL or has `n` readable pointers.
unsafe fn read_inputs<'a>(
    executable: &Executable,
    inputs: *const *const DLTensor,
    n: usize,
) -> Outcome<&'a [*const DLTensor]> {
    let wanted = executable.inputs();
    if n != wanted.len() {
        let names: Vec<_> = wanted.iter().map(|i| i.name.to_string_lossy()).collect();
        let message =
            format!("the program takes {} inputs ({}), {n} were given", wanted.len(), names.join(", "));
        return Err(invalid(message));
    }
    // SAFETY: as the caller vouches.
    let list = unsafe { guard::list(inputs, n, "inputs") }?;
    let needs = executable.plan().inputs.iter().map(|i| i.need != InputNeed::Nothing);
    if let Some(k) = list.iter().zip(needs).position(|(t, needed)| t.is_null() && needed) {
        return Err(invalid(format!("input {k} (`{}`) is NULL", wanted[k].name.to_string_lossy())));
    }
    Ok(list)
}

fn count_outputs(executable: &Executable, n: usize) -> Outcome {
    let gives = executable.outputs().len();
    if n != gives {
        return Err(invalid(format!("the program gives {gives} outputs, `n_outputs` is {n}")));
    }
    Ok(())
}

/// The options of a run, checked; `None` for NULL.
///
/// # Safety
/// `ro` is NULL or options whose pointers are as the header says.
pub(super) unsafe fn read_run_options(ro: *const litz_run_options) -> Outcome<Option<RunOptions>> {
    if ro.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller vouches.
    let given = unsafe {
        let given = guard::item(ro, "ro")?;
        guard::struct_size(&raw const given.struct_size, size_of::<litz_run_options>(), "ro")?;
        given
    };
    let known = LITZ_RUN_HAS_STREAM | LITZ_RUN_ASYNC | LITZ_RUN_HAS_SEED;
    if given.flags & !known != 0 {
        return Err(invalid(format!("`ro->flags` is {:#x}: only {known:#x} are known", given.flags)));
    }
    if given.reserved != [0; 2] {
        return Err(invalid("`ro->reserved` must be zero: zero the struct before filling it"));
    }
    const { assert!(size_of::<RunOptions>() == size_of::<litz_run_options>()) };
    // SAFETY: both are the same C struct; a test compares them member by member.
    let mut options = unsafe { std::ptr::from_ref(given).cast::<RunOptions>().read() };
    options.struct_size = size_of::<RunOptions>();
    Ok(Some(options))
}

/// Runs once; an input that describe calls `optional` may be NULL. Litz allocates the outputs, and each `outputs[k]` is the
/// caller's to free with litz_tensor_release or its own deleter. Outputs may outlive the executable. A mutated input is
/// mutated in the caller's memory; other inputs of its dtype may share it, and then see the writes, as in PyTorch: such runs
/// go through copies, and the first one compiles the program for them. An artifact for the CPU holds it. `ro` is nullable. Any
/// number of threads at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_run(
    e: *const litz_executable,
    inputs: *const *const DLTensor,
    n_inputs: usize,
    outputs: *mut *mut DLManagedTensorVersioned,
    n_outputs: usize,
    ro: *const litz_run_options,
    err: *mut *mut litz_error,
) -> litz_status {
    wall_on_this_stack(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let executable = guard::get(e, "e")?;
            let inputs = read_inputs(executable, inputs, n_inputs)?;
            count_outputs(executable, n_outputs)?;
            guard::list(outputs.cast_const(), n_outputs, "outputs")?;
            let options = read_run_options(ro)?;
            let made = executable.run(inputs, options.as_ref())?;
            if made.len() != n_outputs {
                let message = format!("a run gave {} outputs where {n_outputs} were told", made.len());
                return Err(Failure::new(crate::base::Status::Internal, message));
            }
            for (k, tensor) in made.into_iter().enumerate() {
                outputs.add(k).write(tensor.into_raw());
            }
        }
        Ok(())
    })
}

/// Runs once into outputs that the caller allocated, of the sizes that `litz_executable_infer_outputs` tells and with
/// any strides; they must not overlap inputs, unless they are the same mutated input. `ro` is nullable. Any number of
/// threads at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_run_into(
    e: *const litz_executable,
    inputs: *const *const DLTensor,
    n_inputs: usize,
    outputs: *const *const DLTensor,
    n_outputs: usize,
    ro: *const litz_run_options,
    err: *mut *mut litz_error,
) -> litz_status {
    wall_on_this_stack(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let executable = guard::get(e, "e")?;
            let inputs = read_inputs(executable, inputs, n_inputs)?;
            count_outputs(executable, n_outputs)?;
            let outputs = guard::list(outputs, n_outputs, "outputs")?;
            if let Some(k) = outputs.iter().position(|t| t.is_null()) {
                return Err(invalid(format!("output {k} is NULL")));
            }
            let options = read_run_options(ro)?;
            executable.run_into(inputs, outputs, options.as_ref())?;
        }
        Ok(())
    })
}

/// Frees a tensor that a run or [`litz_executable_constant`] gave, or any other tensor of DLPack's, by its own deleter: for
/// bindings that would rather call a function than a member of a struct. NULL is accepted, and a tensor without a deleter
/// has nothing to free. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_tensor_release(t: *mut DLManagedTensorVersioned) {
    wall_or((), || {
        // SAFETY: the header asks for NULL or a live tensor that is the caller's.
        if let Some(deleter) = unsafe { t.as_ref() }.and_then(|tensor| tensor.deleter) {
            // SAFETY: as above; the deleter takes the tensor that it stands in.
            unsafe { deleter(t) };
        }
        Ok(())
    });
}

/// Copies a constant's value as it is now, by its name or an alias. `*out` is the caller's to free with
/// litz_tensor_release or its deleter.
/// Any thread; waits for runs that change it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_constant(
    e: *const litz_executable,
    name: *const c_char,
    out: *mut *mut DLManagedTensorVersioned,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (executable, name) = unsafe { (guard::get(e, "e")?, guard::text(name, "name")?) };
        let out = guard::out(out, "out")?;
        let tensor = executable.constant(name)?;
        // SAFETY: checked above.
        unsafe { out.write(tensor.into_raw()) };
        Ok(())
    })
}

/// Replaces `n` constants by name, all or none. Waits for runs in flight; later runs see all of them. One that the program does
/// not use is checked and not kept; one that was frozen (option `freeze`) is `LITZ_ERROR_STATE`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_update_constants(
    e: *mut litz_executable,
    names: *const *const c_char,
    data: *const *const DLTensor,
    n: usize,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let executable = guard::get(e.cast_const(), "e")?;
            let (names, data) = read_named(names, data, n)?;
            executable.update_constants(&names, data)?;
        }
        Ok(())
    })
}

/// Tensors with their names.
///
/// # Safety
/// Both lists are NULL or have `n` readable pointers, to texts and to tensors.
pub(super) unsafe fn read_named<'a>(
    names: *const *const c_char,
    data: *const *const DLTensor,
    n: usize,
) -> Outcome<(Vec<&'a CStr>, &'a [*const DLTensor])> {
    // SAFETY: the caller's.
    unsafe {
        let (names, data) = (guard::list(names, n, "names")?, guard::list(data, n, "data")?);
        let mut read = Vec::with_capacity(n);
        for (k, (name, tensor)) in names.iter().zip(data).enumerate() {
            let text = guard::text(*name, &format!("names[{k}]"))?;
            guard::item(*tensor, &format!("data[{k}] (`{text}`)"))?;
            read.push(CStr::from_ptr(*name));
        }
        Ok((read, data))
    }
}

/// Writes every parameter and buffer as they are now to a safetensors file, beside it first and then renamed. Any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_save_constants(
    e: *const litz_executable,
    path: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (executable, path) = unsafe { (guard::get(e, "e")?, guard::text(path, "path")?) };
        executable.save_constants(Path::new(path))?;
        Ok(())
    })
}

/// Replaces parameters and buffers by those of a safetensors file, all or nothing. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_load_constants(
    e: *mut litz_executable,
    path: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (executable, path) = unsafe { (guard::get(e.cast_const(), "e")?, guard::text(path, "path")?) };
        executable.load_constants(Path::new(path))?;
        Ok(())
    })
}

/// Writes a checkpoint: a safetensors file of every parameter and buffer as they are now, an optimizer's state and its count of
/// steps among them, under PyTorch's names, with the seed and the offset that the next run is given. It is written beside `path` and
/// renamed, so a process that is killed meanwhile leaves the checkpoint before. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_save_checkpoint(
    e: *const litz_executable,
    path: *const c_char,
    seed: u64,
    offset: u64,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (executable, path) = unsafe { (guard::get(e, "e")?, guard::text(path, "path")?) };
        executable.save_checkpoint(Path::new(path), RandomState { seed, offset })?;
        Ok(())
    })
}

/// Replaces parameters and buffers by those of a checkpoint, all or nothing, and writes the seed and the offset that it holds. The
/// file and the program must have the same parameters and buffers, by name, dtype and shape; the error names the first that
/// differs. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_load_checkpoint(
    e: *mut litz_executable,
    path: *const c_char,
    seed: *mut u64,
    offset: *mut u64,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let (executable, path) = (guard::get(e.cast_const(), "e")?, guard::text(path, "path")?);
            guard::out(seed, "seed")?;
            guard::out(offset, "offset")?;
            let random = executable.load_checkpoint(Path::new(path))?;
            seed.write(random.seed);
            offset.write(random.offset);
        }
        Ok(())
    })
}

/// Waits for asynchronous runs, and gives the first failure of one that nobody was told of. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_synchronize(
    e: *const litz_executable,
    err: *mut *mut litz_error,
) -> litz_status {
    wall_on_this_stack(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe { guard::get(e, "e") }?.synchronize()?;
        Ok(())
    })
}

/// Gives a reference back; with the last one the executable is freed. NULL is accepted. Outputs live on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_executable_release(e: *mut litz_executable) {
    // SAFETY: the header asks for NULL or a live executable with a reference that is the caller's.
    unsafe { guard::release(e) }
}
