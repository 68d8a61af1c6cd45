//! Gradients of a graph that is being built; and training programs: a forward, what it keeps, and its backward.

use super::edit::Change;
use super::error::{give_text, litz_error, litz_string};
use super::executable::{read_named, read_run_options};
use super::graph::litz_graph;
use super::guard::{self, Opaque, Outcome, invalid, wall, wall_on_this_stack};
use super::handles::{GraphState, edit, hand_over};
use super::options::{self, litz_options};
use super::types::*;
use crate::ir::{Arg, Value};
use crate::runtime::shared_inputs::{self, Kept};
use crate::session::{self, Training};
use std::ffi::c_char;

/// A program and its gradients: a forward, and a backward that is compiled when it is first asked for. Any number of threads may use
/// one at the same time.
pub struct litz_training {
    _opaque: [u8; 0],
}

impl Opaque for litz_training {
    type State = Training;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzTrn\x01");
    const NAME: &'static str = "litz_training";
}

/// What a forward keeps for its backward.
pub struct litz_saved {
    _opaque: [u8; 0],
}

impl Opaque for litz_saved {
    type State = Kept;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzSav\x01");
    const NAME: &'static str = "litz_saved";
}

/// Appends the gradients of `outputs` with respect to the tensors `wrt`, and writes them to `grads` (`n_wrt` of them), each with
/// the dtype and sizes of its tensor; 0 where no output depends on the tensor. `cotangents` weigh the outputs: each has the dtype and
/// sizes of its output, and 0 leaves an output out; they are values of this graph. NULL as `cotangents` asks for one
/// output of one element, weighted by 1. What is appended are operators like others: calling this again gives second derivatives. A
/// graph with in-place operators is made functional first: its values stay valid and mean what they show in the end, its
/// nodes (`litz_node`) do not. An operator without a derivative is `LITZ_ERROR_UNSUPPORTED` by name, and the graph stays as it was. One
/// thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_differentiate(
    g: *mut litz_graph,
    outputs: *const litz_value,
    cotangents: *const litz_value,
    n_outputs: usize,
    wrt: *const litz_value,
    n_wrt: usize,
    grads: *mut litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Rewrite, err, |state| {
            let (outputs, wrt) =
                (state.tensors(outputs, n_outputs, "outputs")?, state.tensors(wrt, n_wrt, "wrt")?);
            if n_wrt > 0 {
                guard::out(grads, "grads")?;
            }
            let weights = match cotangents.is_null() {
                true => None,
                false => Some(state.optional_tensors(cotangents, n_outputs, "cotangents")?),
            };
            let made = session::differentiate(&state.graph, &outputs, weights.as_deref(), &wrt)?;
            state.give_derivatives(made, grads);
            Ok(())
        })
    }
}

/// Appends the derivatives of `outputs` along a direction (forward mode, a Jacobian-vector product): the tensors `wrt` move along
/// `tangents`. Writes `n_outputs` values to `derivatives`, each with the dtype and sizes of its output, or 0 where the output does not
/// depend on a tensor that moves. A tangent is a value of this graph with the dtype and sizes of its tensor; 0 is a tangent of zeros.
/// The rules are those of `litz_graph_differentiate`, and the operators that they append can be differentiated again: a Hessian-vector
/// product is the derivative of a gradient. A graph with in-place operators is made functional first, as there. An operator whose gradient has no
/// derivative is `LITZ_ERROR_UNSUPPORTED` by name, and the graph stays as it was. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_differentiate_forward(
    g: *mut litz_graph,
    outputs: *const litz_value,
    n_outputs: usize,
    wrt: *const litz_value,
    tangents: *const litz_value,
    n_wrt: usize,
    derivatives: *mut litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Rewrite, err, |state| {
            let (outputs, wrt) =
                (state.tensors(outputs, n_outputs, "outputs")?, state.tensors(wrt, n_wrt, "wrt")?);
            let tangents = state.optional_tensors(tangents, n_wrt, "tangents")?;
            if n_outputs > 0 {
                guard::out(derivatives, "derivatives")?;
            }
            let moved: Vec<_> = wrt.into_iter().zip(tangents).collect();
            let made = session::differentiate_forward(&state.graph, &outputs, &moved)?;
            state.give_derivatives(made, derivatives);
            Ok(())
        })
    }
}

impl GraphState {
    /// SAFETY: `list` is NULL, or `count` values can be read there.
    unsafe fn tensors(&self, list: *const litz_value, count: usize, name: &str) -> Outcome<Vec<Value>> {
        // SAFETY: the caller's.
        let list = unsafe { guard::list(list, count, name) }?;
        list.iter().map(|v| self.tensor(*v)).collect()
    }
    /// The same, where 0 stands for none.
    ///
    /// SAFETY: as for [`Self::tensors`].
    unsafe fn optional_tensors(
        &self,
        list: *const litz_value,
        count: usize,
        name: &str,
    ) -> Outcome<Vec<Option<Value>>> {
        // SAFETY: the caller's.
        let list = unsafe { guard::list(list, count, name) }?;
        list.iter().map(|v| if *v == 0 { Ok(None) } else { self.tensor(*v).map(Some) }).collect()
    }
    /// Takes the graph with its derivatives, and hands these out.
    ///
    /// SAFETY: there is room for each at `out`.
    unsafe fn give_derivatives(&mut self, made: session::Differentiated, out: *mut litz_value) {
        match &made.places {
            Some(places) => self.replace(made.graph, places),
            None => self.graph = made.graph,
        }
        for (k, derivative) in made.gradients.into_iter().enumerate() {
            let value = derivative.map_or(0, |v| self.give_tensor(v));
            // SAFETY: the caller's.
            unsafe { out.add(k).write(value) };
        }
    }
}

/// Appends one step of an optimizer: `n` parameters are updated in place by their gradients when the graph runs. `kind` is "sgd",
/// "adam", "adamw", "adagrad", "rmsprop", "adafactor", "muon" or "lion". `hyper` names hyper-parameters as PyTorch does (lr, beta1, beta2, eps,
/// weight_decay, momentum, …), each a number, a bool, or a 0-d float of this graph, so that a schedule needs no other program; the others have
/// PyTorch's usual values. State becomes buffers of the graph, named "<parameter>.exp_avg" and the like, and one int64 "optimizer.step". With
/// `master_weights`, a parameter of 16 bits has a float32 copy "<parameter>.master". A parameter whose gradient is 0 is skipped.
///
/// Before the updates all gradients are, in this order: divided by `loss_scale`; added up over `accumulate` runs, the last of which
/// updates ("<parameter>.grad"); clipped as by `clip_grad_norm_` to the norm `clip_grad_norm`; clipped to +-`clip_grad_value`. With
/// `loss_scale` or `skip_nonfinite`, a step with a gradient that is NaN or infinite changes no parameter and no optimizer state but the
/// int64 "optimizer.skipped". With `ema_decay`, "<parameter>.ema" is the exponential moving average of the parameter, which begins as
/// its value after the first step. Each of these is off by default. `accumulate` and the flags are numbers, not graph values.
///
/// On failure the graph stays as it was. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_optimizer_step(
    g: *mut litz_graph,
    kind: *const c_char,
    params: *const litz_value,
    grads: *const litz_value,
    n: usize,
    hyper: *const litz_arg,
    n_hyper: usize,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Constants, err, |state| {
            let kind = guard::text(kind, "kind")?;
            let (params, grads) = (guard::list(params, n, "params")?, guard::list(grads, n, "grads")?);
            let mut pairs = Vec::with_capacity(n);
            for (parameter, gradient) in params.iter().zip(grads).filter(|(_, g)| **g != 0) {
                pairs.push((state.tensor(*parameter)?, state.tensor(*gradient)?));
            }
            guard::list(hyper, n_hyper, "hyper")?;
            let read = super::args::read(state, hyper, n_hyper)?;
            if !read.positional.is_empty() {
                return Err(invalid("a hyper-parameter has no name"));
            }
            let mut list = Vec::with_capacity(n_hyper);
            for (name, arg) in read.named {
                let known = |s| state.graph.syms.as_const(s).map(|n| n as f64);
                let value = match arg {
                    Arg::Float(number) => Some(session::Hyper::Number(number)),
                    Arg::Bool(is) => Some(session::Hyper::Number(f64::from(u8::from(is)))),
                    Arg::Int(number) => known(number).map(session::Hyper::Number),
                    Arg::Value(value) => Some(session::Hyper::Tensor(value)),
                    _ => None,
                };
                let wrong =
                    || invalid(format!("the hyper-parameter `{name}` must be a number or a 0-d float"));
                list.push((name.clone(), value.ok_or_else(wrong)?));
            }
            let mut graph = state.graph.clone();
            session::optimizer_step(&mut graph, kind, &pairs, &list)?;
            state.graph = graph;
            Ok(())
        })
    }
}

/// The joint graph of a program: its outputs and, from cotangents, the gradients of its floating inputs and parameters, as a graph that can
/// be changed and compiled like any other. The last inputs are cotangents, one for each floating output, and the last outputs gradients. The metadata `joint`
/// of its signature is JSON: `inputs` and `outputs`, how many are the program's own; `cotangents`; `gradients`, each with what it is `of` and its `output`, null
/// where nothing depends on it; `mutations`, what running the program writes to; `aliases`, outputs that share memory. `o` is nullable. An
/// operator without a derivative is `LITZ_ERROR_UNSUPPORTED` by name. `g` is not changed. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_export_joint(
    g: *const litz_graph,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (graph, options) = unsafe { (guard::get(g, "g")?.sound()?, options::read(o)?) };
        let out = guard::out(out, "out")?;
        hand_over(session::export_joint(graph, &options)?, out);
        Ok(())
    })
}

/// Compiles a graph for training. The forward gives the outputs and keeps what the gradients need. The backward gives a gradient for
/// every floating input and parameter, in the order of `gradients` in `litz_graph_describe`. Both share one copy of parameters and
/// buffers. `o` is nullable. An operator without a derivative is `LITZ_ERROR_UNSUPPORTED` by name. The
/// graph is not changed and may be released. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_compile_training(
    g: *const litz_graph,
    o: *const litz_options,
    out: *mut *mut litz_training,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (graph, options) = unsafe { (guard::get(g, "g")?.sound()?, options::read(o)?) };
        let out = guard::out(out, "out")?;
        let handle = guard::wrap(Training::compile(graph, &options)?);
        // SAFETY: `out` was checked.
        unsafe { out.write(handle) };
        Ok(())
    })
}

/// Describes a training program as a JSON object. `forward` and `backward` describe the two programs as `litz_executable_describe`
/// does; `backward` is null until it is compiled. `saved` lists the values that a forward keeps. `partition` says how they were
/// chosen: `saved_bytes`, `computed_again` (how many operators run in both programs) and, with a budget, `budget` (`bytes`, `met`, `peak_bytes`). `gradients` lists
/// the names of the gradients in order. The caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_training_describe(
    t: *const litz_training,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for live pointers.
        let training = unsafe { guard::get(t, "t") }?;
        Ok(training.describe())
    })
}

/// Describes input, output, constant or gradient number `k` (`what`: `LITZ_INFO_…`), as `litz_executable_info`. A gradient has the
/// strides of its input or parameter if that is dense, and is contiguous otherwise. `strides` is NULL if there is no such gradient.
/// Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_training_info(
    t: *const litz_training,
    what: i32,
    k: usize,
    out: *mut litz_tensor_info,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let training = unsafe { guard::get(t, "t") }?;
        let (name, found, count) = match what {
            LITZ_INFO_INPUT => ("input", training.inputs.get(k), training.inputs.len()),
            LITZ_INFO_OUTPUT => ("output", training.outputs.get(k), training.outputs.len()),
            LITZ_INFO_CONSTANT => ("constant", training.held.get(k).map(|h| h.given()), training.held.len()),
            LITZ_INFO_GRADIENT => {
                ("gradient", training.gradients.get(k).map(|g| &g.0), training.gradients.len())
            }
            other => {
                let message = format!("`what` is {other}: 0 is input, 1 output, 2 constant, 3 gradient");
                return Err(invalid(message));
            }
        };
        let info =
            found.ok_or_else(|| invalid(format!("there is no {name} {k}: the program has {count}")))?;
        let out = guard::out(out, "out")?;
        let device = match training.device() {
            Some(device_id) => DLDevice { device_type: DLDevice::CUDA_TYPE, device_id },
            None => DLDevice::CPU,
        };
        // The forward's program lists saved values behind the outputs.
        let made = match what {
            LITZ_INFO_OUTPUT => training.forward_program().outputs().get(k).filter(|o| o.name == info.name),
            _ => None,
        };
        let strides = made.map_or(&info.strides, |output| &output.strides).as_ref();
        let filled = litz_tensor_info {
            struct_size: 0,
            name: info.name.as_ptr(),
            dtype: info.dtype.into(),
            device,
            ndim: info.min_shape.len() as i32,
            kind: info.kind,
            min_shape: info.min_shape.as_ptr(),
            max_shape: info.max_shape.as_ptr(),
            strides: strides.map_or(std::ptr::null(), |s| s.as_ptr()),
            mutated: 0,
            alias_kind: LITZ_ALIAS_NONE,
            alias_of: 0,
        };
        // SAFETY: checked above; the caller has set the first member.
        unsafe { super::executable::write_info(out, filled) }
    })
}

/// A copy of a parameter or buffer as it is now, in host memory. The caller owns `*out`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_training_constant(
    t: *const litz_training,
    name: *const c_char,
    out: *mut *mut DLManagedTensorVersioned,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (training, name) = unsafe { (guard::get(t, "t")?, guard::text(name, "name")?) };
        let out = guard::out(out, "out")?;
        let tensor = training.constant(name)?;
        // SAFETY: `out` was checked.
        unsafe { out.write(tensor.into_raw()) };
        Ok(())
    })
}

/// Replaces the data of `n` parameters and buffers by copies of `data`, all or none. `LITZ_ERROR_STATE` while the backward of a
/// forward is still to read one of them: until it has run, or its `litz_saved` is released. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_training_update_constants(
    t: *mut litz_training,
    names: *const *const c_char,
    data: *const *const DLTensor,
    n: usize,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let training = guard::get(t.cast_const(), "t")?;
            let (names, data) = read_named(names, data, n)?;
            training.update(&names, data, training.device())?;
        }
        Ok(())
    })
}

/// Runs the forward into outputs that Litz allocates, and keeps in `*saved` what its backward needs. The caller owns the outputs and
/// `*saved`. Inputs of more than 1 MiB are not copied, where sizes that a run decides count as typical: their memory stays alive and
/// unchanged until the backward has run or `*saved` is released. Inputs that the program writes to are copied, and need not stay. The
/// `DLTensor`s may go after the call. Inputs may share memory that the program writes to. A write to one is then seen in the others. An
/// element that several inputs show has its gradient in that of the last of them. The first such call compiles a program for it. `ro` is nullable; the call waits for the run, whatever its flags say. Any number of threads at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_training_forward(
    t: *const litz_training,
    inputs: *const *const DLTensor,
    n_inputs: usize,
    outputs: *mut *mut DLManagedTensorVersioned,
    n_outputs: usize,
    saved: *mut *mut litz_saved,
    ro: *const litz_run_options,
    err: *mut *mut litz_error,
) -> litz_status {
    wall_on_this_stack(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let training = guard::get(t, "t")?;
            let inputs = guard::list(inputs, n_inputs, "inputs")?;
            for (k, input) in inputs.iter().enumerate() {
                guard::item(*input, &format!("inputs[{k}]"))?;
            }
            guard::list(outputs.cast_const(), n_outputs, "outputs")?;
            let saved = guard::out(saved, "saved")?;
            count("outputs", n_outputs, training.outputs.len())?;
            let options = read_run_options(ro)?;
            let (made, kept) = shared_inputs::forward(training, inputs, options.as_ref())?;
            for (k, tensor) in made.into_iter().enumerate() {
                outputs.add(k).write(tensor.into_raw());
            }
            saved.write(guard::wrap(kept));
        }
        Ok(())
    })
}

/// Runs the backward of a forward, once: then `saved` is spent, and another backward is `LITZ_ERROR_STATE`. `cotangents` has one for
/// each output, of its sizes and of any strides; a float of another dtype than its output's is converted to it; NULL is zero. Where
/// all are NULL, the program's only floating output has one element, and its cotangent is 1. `grads` has room for one of each name of
/// `gradients`; a gradient that does not exist is NULL. The caller owns the gradients, and `saved` still. The backward may write over
/// what is saved: one that fails after its first kernel has begun may leave `saved` spent, too, which another backward's message says. One
/// that is refused before, for its arguments or for want of memory, does not. `ro` is nullable, as for the forward. Any number of threads at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_training_backward(
    t: *const litz_training,
    saved: *mut litz_saved,
    cotangents: *const *const DLTensor,
    n_cotangents: usize,
    grads: *mut *mut DLManagedTensorVersioned,
    n_grads: usize,
    ro: *const litz_run_options,
    err: *mut *mut litz_error,
) -> litz_status {
    wall_on_this_stack(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let training = guard::get(t, "t")?;
            let saved = guard::get(saved.cast_const(), "saved")?;
            let given = guard::list(cotangents, n_cotangents, "cotangents")?;
            guard::list(grads.cast_const(), n_grads, "grads")?;
            count("cotangents", n_cotangents, training.outputs.len())?;
            count("grads", n_grads, training.gradients.len())?;
            let weights: Vec<Option<*const DLTensor>> =
                given.iter().map(|c| (!c.is_null()).then_some(*c)).collect();
            let options = read_run_options(ro)?;
            let made = shared_inputs::backward(training, saved, &weights, options.as_ref())?;
            for (k, gradient) in made.into_iter().enumerate() {
                grads.add(k).write(gradient.map_or(std::ptr::null_mut(), |t| t.into_raw()));
            }
        }
        Ok(())
    })
}

/// Ends the forwards and backwards of this program that are in progress on other threads, and the compilation of a first backward:
/// they give `LITZ_ERROR_CANCELLED`, and parameters, buffers and inputs are as they were. A cancelled forward keeps nothing. A
/// forward that has begun to write to buffers or inputs goes on to its end. A cancelled backward leaves `saved` to be used again
/// or, where it had written over what is saved, spent, as one that fails; its message says which. Later calls are as ever. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_training_cancel(
    t: *const litz_training,
    err: *mut *mut litz_error,
) -> litz_status {
    wall_on_this_stack(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe { guard::get(t, "t") }?.cancel();
        Ok(())
    })
}

fn count(what: &str, given: usize, want: usize) -> Outcome {
    if given == want {
        return Ok(());
    }
    Err(invalid(format!("{given} {what} are given where the program has {want}")))
}

/// Frees what a forward kept. NULL is accepted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_saved_release(s: *mut litz_saved) {
    // SAFETY: the header asks for NULL or a live handle that is the caller's.
    unsafe { guard::release(s) }
}

/// Frees a training program. NULL is accepted. Outputs, gradients and what was kept live on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_training_release(t: *mut litz_training) {
    // SAFETY: the header asks for NULL or a live handle that is the caller's.
    unsafe { guard::release(t) }
}
