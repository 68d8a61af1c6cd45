//! The two programs of a training program, and what lies between them.
//!
//! Parameters and buffers are held here, once, and are inputs of both programs. What is kept of a run is a [`Saved`]: the forward's
//! further outputs, and the parameters as they were.
//!
//! Invariants: a backward reads what its forward read: parameters that it is to read are not updated in between, and what the forward
//! itself writes to is copied. So are small inputs; larger ones that the backward needs are not: the caller keeps them as they are
//! until then. A backward may overwrite copies that were kept: one that has begun is never run again, whether or not it failed.
//! A forward that is cancelled or fails keeps nothing, so that no update waits for its backward.
//!
//! Deliberately absent: dividing a graph in two, and compiling (see `session::training`).

use super::{Captured, Executable, RUN_ASYNC, RunOptions, RuntimeError, Tensor};
use crate::base::{Status, cancel};
use crate::types::dlpack::DLTensor;
use crate::types::{Dtype, floats};
use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, RwLock};

/// What a host is told of a tensor.
#[derive(Clone, Debug)]
pub struct Given {
    pub name: CString,
    pub dtype: Dtype,
    /// -1 where there is no bound.
    pub min_shape: Vec<i64>,
    pub max_shape: Vec<i64>,
    /// As they are declared; `None` where a size decides them.
    pub strides: Option<Vec<i64>>,
    pub kind: i32,
}

impl Given {
    pub fn name(&self) -> Cow<'_, str> {
        self.name.to_string_lossy()
    }
    /// A tensor as it is said to lie, of elements that come in order.
    fn laid_out(&self, bytes: &[u8]) -> Result<Tensor, RuntimeError> {
        match &self.strides {
            Some(strides) => Tensor::laid_out(self.dtype, &self.min_shape, strides, bytes),
            None => Tensor::from_bytes(self.dtype, &self.min_shape, bytes),
        }
    }
}

/// A parameter or a buffer.
pub struct Held {
    name: String,
    aliases: Vec<String>,
    given: Given,
    value: RwLock<Arc<Tensor>>,
    /// Forwards whose backward is to read it.
    awaited: Arc<AtomicUsize>,
}

/// A parameter or buffer that a backward is to read.
struct Awaited {
    value: Arc<Tensor>,
    count: Arc<AtomicUsize>,
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Held {
    /// With its elements in order, which are copied to where the program runs.
    pub fn new(
        name: &str,
        aliases: &[String],
        given: Given,
        bytes: &[u8],
        device: Option<i32>,
    ) -> Result<Held, RuntimeError> {
        let tensor = placed(given.laid_out(bytes)?, device)?;
        let (name, aliases) = (name.to_string(), aliases.to_vec());
        Ok(Held { name, aliases, given, value: RwLock::new(Arc::new(tensor)), awaited: Arc::default() })
    }
    pub fn given(&self) -> &Given {
        &self.given
    }
    fn now(&self) -> Arc<Tensor> {
        Arc::clone(&self.value.read().unwrap_or_else(|e| e.into_inner()))
    }
    /// What it is now, for a backward.
    fn awaited(&self) -> Awaited {
        self.awaited.fetch_add(1, Ordering::SeqCst);
        Awaited { value: self.now(), count: self.awaited.clone() }
    }
}

/// What a backward needs of one forward.
pub struct Saved {
    parts: Mutex<Kept>,
}

/// What is there of it.
enum Kept {
    Whole(Parts),
    /// The backward has run.
    Used,
    /// The backward failed, and had written over parts of it.
    Broken,
}

/// A caller's tensor by its description, of which this is a copy; its elements are the caller's.
struct Lent {
    tensor: DLTensor,
    /// What `tensor` points at.
    _sizes: Box<[i64]>,
    _strides: Option<Box<[i64]>>,
}

// SAFETY: the elements are there and do not change until the backward has run (`Between::forward`); all else is its own.
unsafe impl Send for Lent {}
// SAFETY: as above; nothing of it is written to.
unsafe impl Sync for Lent {}

impl Lent {
    /// # Safety
    /// The tensor is as it says, with as many sizes as dimensions.
    unsafe fn of(given: *const DLTensor) -> Lent {
        // SAFETY: the caller's.
        let mut tensor = unsafe { *given };
        let rank = usize::try_from(tensor.ndim).unwrap_or(0);
        let copied = |list: *const i64| {
            // SAFETY: a list of a tensor has an element for each dimension.
            (!list.is_null()).then(|| Box::from(unsafe { std::slice::from_raw_parts(list, rank) }))
        };
        let mut sizes: Box<[i64]> = copied(tensor.shape).unwrap_or_default();
        let mut strides = copied(tensor.strides);
        tensor.shape = sizes.as_mut_ptr();
        tensor.strides = strides.as_mut().map_or(std::ptr::null_mut(), |s| s.as_mut_ptr());
        Lent { tensor, _sizes: sizes, _strides: strides }
    }
}

struct Parts {
    lent: Vec<Lent>,
    kept: Vec<Tensor>,
    held: Vec<Awaited>,
    /// The sizes and dtypes of outputs that take a cotangent.
    outputs: Vec<(Dtype, Vec<i64>)>,
}

/// What a forward and its backward share.
pub struct Between {
    pub held: Arc<Vec<Held>>,
    /// The parameters and buffers that the forward takes, and those that the backward takes, by their place in `held`.
    pub forward_held: Vec<usize>,
    pub backward_held: Vec<usize>,
    /// The inputs that the backward reads where the caller has them.
    pub lent: Vec<usize>,
    /// How many sizes the forward gives for the backward, behind the tensors that it keeps.
    pub sizes: usize,
    pub inputs: Vec<Given>,
    pub outputs: Vec<Given>,
    /// The outputs that take a cotangent, in order.
    pub weighted: Vec<usize>,
    /// The cotangent of a loss on a GPU: copied there by the first backward that is given none.
    pub one: OnceLock<Tensor>,
    /// Each gradient, and its place among the backward's outputs, if it has one.
    pub gradients: Vec<(Given, Option<usize>)>,
    /// Runs that write to buffers go one after another.
    pub writing: Option<Arc<Mutex<()>>>,
    /// Updates go in between runs' looking at what is held.
    pub updating: Arc<RwLock<()>>,
    /// To end forwards and backwards. Their programs end the runs; this ends those that have not come to their runs.
    pub cancels: cancel::Requests,
}

fn cancelled(message: &str) -> RuntimeError {
    RuntimeError::new(Status::Cancelled, message)
}

/// An error of what a caller gave.
fn invalid(message: impl Into<String>) -> RuntimeError {
    RuntimeError::new(Status::InvalidArgument, message)
}

impl Between {
    fn alone(&self) -> Option<MutexGuard<'_, ()>> {
        self.writing.as_ref().map(|m| m.lock().unwrap_or_else(|e| e.into_inner()))
    }

    /// For each input the first one that it shares memory with, directly or through others; `None` where none of them is written to.
    ///
    /// # Safety
    /// As [`Executable::run`].
    pub unsafe fn overlaps(
        &self,
        program: &Executable,
        inputs: &[*const DLTensor],
    ) -> Result<Option<Vec<u32>>, RuntimeError> {
        let own: Vec<Arc<Tensor>> = self.forward_held.iter().map(|k| self.held[*k].now()).collect();
        let all: Vec<_> =
            inputs.iter().copied().chain(own.iter().map(|t| std::ptr::from_ref(t.dl()))).collect();
        // SAFETY: the caller's; tensors that are held are as they say.
        let mut groups = unsafe { program.overlaps(&all) }?;
        groups.truncate(inputs.len());
        Ok((0..).zip(&groups).any(|(k, first)| *first != k).then_some(groups))
    }

    /// Runs the forward. Gives the program's outputs, and what the backward needs.
    ///
    /// # Safety
    /// As [`Executable::run`]: the tensors are as they say. Those of [`Self::lent`] stay so until the backward has run, or what is saved
    /// is dropped.
    pub unsafe fn forward(
        &self,
        program: &Executable,
        inputs: &[*const DLTensor],
        options: Option<&RunOptions>,
    ) -> Result<(Vec<Tensor>, Saved), RuntimeError> {
        if inputs.len() != self.inputs.len() {
            let message =
                format!("{} inputs are given, and the program takes {}", inputs.len(), self.inputs.len());
            return Err(invalid(message));
        }
        let began = self.cancels.now();
        let alone = self.alone();
        if self.cancels.is_asked_since(began) {
            return Err(cancelled("the forward was cancelled before its run began"));
        }
        // No update comes in between: it is seen whole.
        let still = self.updating.read().unwrap_or_else(|e| e.into_inner());
        let awaited: Vec<Awaited> = self.backward_held.iter().map(|k| self.held[*k].awaited()).collect();
        let own: Vec<Arc<Tensor>> = self.forward_held.iter().map(|k| self.held[*k].now()).collect();
        drop(still);
        let mut all: Vec<*const DLTensor> = inputs.to_vec();
        all.extend(own.iter().map(|t| std::ptr::from_ref(t.dl())));
        // SAFETY: the caller's; tensors that are held are as they say, and one run at a time writes to them.
        let mut results = unsafe { program.run(&all, waiting(options).as_ref()) }?;
        let mut kept = results.split_off(self.outputs.len());
        let tensors = kept.len().saturating_sub(self.sizes);
        for size in kept.iter_mut().skip(tensors).filter(|t| !t.dl().device.is_host()) {
            // A program takes numbers from the host's memory.
            // SAFETY: an own tensor is as it says.
            *size = unsafe { copied(size.dl()) }?;
        }
        let sizes =
            self.weighted.iter().map(|k| (results[*k].dtype(), results[*k].shape().to_vec())).collect();
        // SAFETY: the run has read them by their descriptions.
        let lent = self.lent.iter().map(|k| unsafe { Lent::of(inputs[*k]) }).collect();
        let parts = Parts { lent, kept, held: awaited, outputs: sizes };
        drop(alone);
        Ok((results, Saved { parts: Mutex::new(Kept::Whole(parts)) }))
    }

    /// Runs the backward of a forward, once. A cotangent for each output; an output without one takes no part, but for the only floating
    /// output, of one element, whose weight is 1 then. Gives a gradient, or none, for each name of [`Self::gradients`].
    ///
    /// # Safety
    /// As [`Executable::run`]: the tensors are as they say.
    pub unsafe fn backward(
        &self,
        program: &Executable,
        saved: &Saved,
        cotangents: &[Option<*const DLTensor>],
        options: Option<&RunOptions>,
    ) -> Result<Vec<Option<Tensor>>, RuntimeError> {
        if cotangents.len() != self.outputs.len() {
            let message = format!(
                "{} cotangents are given, and the program has {} outputs",
                cotangents.len(),
                self.outputs.len()
            );
            return Err(invalid(message));
        }
        let unweighted = |k: &usize| !self.weighted.contains(k);
        if let Some(k) = (0..cotangents.len()).find(|k| cotangents[*k].is_some() && unweighted(k)) {
            let message =
                format!("output {k} (`{}`) is no float and takes no cotangent", self.outputs[k].name());
            return Err(invalid(message));
        }
        let began = self.cancels.now();
        let mut place = saved.parts.lock().unwrap_or_else(|e| e.into_inner());
        if self.cancels.is_asked_since(began) {
            return Err(cancelled(
                "the backward was cancelled before its run began; what the forward kept is whole",
            ));
        }
        let gone = |message| Err(RuntimeError::new(Status::State, message));
        let parts = match &*place {
            Kept::Whole(parts) => parts,
            Kept::Used => {
                return gone("this forward's backward has run; what it kept is gone. Run the forward again");
            }
            Kept::Broken => {
                return gone(
                    "this forward's backward failed, and had overwritten what the forward kept. Run the forward again",
                );
            }
        };
        let none = self.weighted.iter().all(|k| cotangents[*k].is_none());
        // A complex output is no loss: it has no gradient without a direction.
        let is_loss = |dtype: Dtype, shape: &[i64]| !dtype.is_complex() && shape.iter().product::<i64>() == 1;
        if none && !matches!(&parts.outputs[..], [(dtype, shape)] if is_loss(*dtype, shape)) {
            let message = "no output has a cotangent; only a program with one floating output, of one real element, has 1 for it";
            return Err(invalid(message));
        }
        let device = program.program().device();
        let lasting = none && device.is_some();
        if lasting && self.one.get().is_none() {
            let (dtype, shape) = &parts.outputs[0];
            // Another thread's is the same.
            let _ = self.one.set(filled(*dtype, shape, true, device)?);
        }
        let mut made = Vec::new();
        for (k, (dtype, shape)) in self.weighted.iter().zip(&parts.outputs) {
            if cotangents[*k].is_none() && !lasting {
                made.push(filled(*dtype, shape, none, device)?);
            }
        }
        let mut own = made.iter().chain(self.one.get().filter(|_| lasting));
        let mut all: Vec<*const DLTensor> = Vec::new();
        let mut copies = Vec::new();
        for (k, (dtype, _)) in self.weighted.iter().zip(&parts.outputs) {
            match cotangents[*k] {
                Some(given) => {
                    // SAFETY: the caller's.
                    let copy = unsafe { fitted(given, *dtype, device) }?;
                    all.push(copy.as_ref().map_or(given, |t| std::ptr::from_ref(t.dl())));
                    copies.extend(copy);
                }
                None => all.extend(own.next().map(|t| std::ptr::from_ref(t.dl()))),
            }
        }
        all.extend(parts.lent.iter().map(|t| std::ptr::from_ref(&t.tensor)));
        all.extend(parts.kept.iter().map(|t| std::ptr::from_ref(t.dl())));
        all.extend(parts.held.iter().map(|h| std::ptr::from_ref(h.value.dl())));
        let begun = program.runs_begun();
        // SAFETY: the caller's; what was kept is as it says, the backward's own while `place` is locked, and all else that it writes to.
        let results = match unsafe { program.run(&all, waiting(options).as_ref()) } {
            Ok(results) => results,
            Err(error) => {
                // A run of another thread counts too: then more is given up than need be.
                let runs = program.runs_begun() != begun;
                let is_broken = runs && program.plan().inputs.iter().any(|i| i.overwritten);
                if is_broken {
                    *place = Kept::Broken;
                }
                // The executor's words are of a program whose inputs are the caller's.
                return Err(match (error.status, is_broken) {
                    (Status::Cancelled, true) => cancelled(
                        "the backward was cancelled and had overwritten what the forward kept; parameters, buffers and inputs are as they were. Run the forward again",
                    ),
                    (Status::Cancelled, false) => cancelled(
                        "the backward was cancelled; what the forward kept, parameters, buffers and inputs are as they were",
                    ),
                    _ => error,
                });
            }
        };
        *place = Kept::Used;
        let mut results: Vec<Option<Tensor>> = results.into_iter().map(Some).collect();
        let gradients = self.gradients.iter().map(|(_, at)| at.and_then(|k| results[k].take()));
        Ok(gradients.collect())
    }

    fn find(&self, name: &str) -> Result<&Held, RuntimeError> {
        let found = self.held.iter().find(|h| h.name == name || h.aliases.iter().any(|a| a == name));
        found.ok_or_else(|| invalid(format!("the program has no parameter or buffer `{name}`")))
    }

    /// A copy of a parameter or buffer with its strides, in the CPU's memory.
    pub fn constant(&self, name: &str) -> Result<Tensor, RuntimeError> {
        let held = self.find(name)?;
        // No run writes to it in the meantime.
        let _alone = self.alone();
        let value = held.now();
        // SAFETY: an own tensor is as it says.
        let copy = unsafe { copied(value.dl()) }?;
        held.given.laid_out(copy.bytes())
    }

    /// Gives parameters and buffers new values: all of them or, where one does not fit, none.
    ///
    /// # Safety
    /// The tensors are as they say.
    pub unsafe fn update(
        &self,
        names: &[&CStr],
        data: &[*const DLTensor],
        device: Option<i32>,
    ) -> Result<(), RuntimeError> {
        let mut made = Vec::with_capacity(names.len());
        for (name, tensor) in names.iter().zip(data) {
            let name = name.to_string_lossy();
            let held = self.find(&name)?;
            // SAFETY: the caller's.
            let value = unsafe { copied(*tensor) }?;
            let want = &held.given;
            if value.dtype() != want.dtype || value.shape() != want.min_shape {
                let message = format!(
                    "`{name}` is {} {:?}, not {} {:?}",
                    want.dtype,
                    want.min_shape,
                    value.dtype(),
                    value.shape()
                );
                return Err(RuntimeError::new(Status::Shape, message));
            }
            let value = placed(want.laid_out(value.bytes())?, device)?;
            made.push((held, Arc::new(value)));
        }
        let alone = self.alone();
        let still = self.updating.write().unwrap_or_else(|e| e.into_inner());
        if let Some((held, _)) = made.iter().find(|(h, _)| h.awaited.load(Ordering::SeqCst) > 0) {
            let message = format!(
                "`{}` is saved for the backward of a forward that ran before; run that backward first, or release what was saved",
                held.name
            );
            return Err(RuntimeError::new(Status::State, message));
        }
        for (held, value) in made {
            *held.value.write().unwrap_or_else(|e| e.into_inner()) = value;
        }
        drop(still);
        drop(alone);
        Ok(())
    }
}

/// A copy of a cotangent as the program takes it: on its GPU, and of this dtype where it is another float. `None`: it may go as it
/// is; what does not fit then, the run refuses.
///
/// # Safety
/// The tensor is as it says.
unsafe fn fitted(
    given: *const DLTensor,
    dtype: Dtype,
    device: Option<i32>,
) -> Result<Option<Tensor>, RuntimeError> {
    // SAFETY: the caller's.
    let (own, is_host) = unsafe { ((*given).dtype.dtype(), (*given).device.is_host()) };
    let converts = own.is_some_and(|own| own != dtype && own.is_float() && dtype.is_float());
    if !converts && (device.is_none() || !is_host) {
        return Ok(None);
    }
    // SAFETY: as above.
    let copy = unsafe { copied(given) }?;
    let copy = match floats::converted(copy.dtype(), dtype, copy.bytes()) {
        Some(bytes) if converts => Tensor::from_bytes(dtype, copy.shape(), &bytes)?,
        _ => copy,
    };
    placed(copy, device).map(Some)
}

/// A contiguous copy in the CPU's memory.
///
/// # Safety
/// The tensor is as it says.
unsafe fn copied(given: *const DLTensor) -> Result<Tensor, RuntimeError> {
    // SAFETY: the caller's.
    let copy = unsafe { Captured::of(&[given]) }?;
    let view = copy.tensors[0].as_ref();
    let view = view.ok_or_else(|| RuntimeError::new(Status::InvalidArgument, "a tensor is NULL"))?;
    Tensor::from_bytes(view.dtype, &view.shape, &copy.contiguous(view))
}

/// The options of a run that is over when the call returns: what it is given of the library's own is freed then.
fn waiting(options: Option<&RunOptions>) -> Option<RunOptions> {
    options.map(|o| RunOptions { flags: o.flags & !RUN_ASYNC, ..*o })
}

/// A tensor of zeros or ones where the program runs.
fn filled(dtype: Dtype, shape: &[i64], ones: bool, device: Option<i32>) -> Result<Tensor, RuntimeError> {
    let mut tensor = Tensor::zeros(dtype, shape)?;
    if ones {
        let one: &[u8] = match dtype {
            Dtype::Float64 => &1.0f64.to_le_bytes(),
            Dtype::Float16 => &0x3c00u16.to_le_bytes(),
            Dtype::Bfloat16 => &0x3f80u16.to_le_bytes(),
            _ => &1.0f32.to_le_bytes(),
        };
        tensor.bytes_mut().chunks_exact_mut(one.len()).for_each(|place| place.copy_from_slice(one));
    }
    placed(tensor, device)
}

/// A tensor where a program runs.
fn placed(tensor: Tensor, device: Option<i32>) -> Result<Tensor, RuntimeError> {
    match device {
        Some(device) => tensor.to_device(device),
        None => Ok(tensor),
    }
}
