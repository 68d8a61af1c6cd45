//! Kernels that are Rust closures: how the interpreter's kernels stand in a plan.

use super::RuntimeError;
use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

/// One call of a kernel. Buffers may be the same memory; the executor gives their sizes, so an access beyond one is
/// a panic of the slice, which ends the run with an error.
pub struct KernelCall<'a> {
    pub buffers: &'a [&'a [Cell<u8>]],
    pub scalars: &'a [i64],
    /// The tasks to run: always all of the step's, on one thread.
    pub begin: i64,
    pub end: i64,
}

/// Why a kernel in Rust failed.
#[derive(Debug)]
pub enum KernelFailure {
    /// The plan's assertion of that index does not hold.
    Assertion(u32),
    /// It would need more memory than there is.
    NoMemory,
    /// What the run is to fail with.
    Failed(RuntimeError),
}

/// A kernel in Rust.
pub type HostKernel = Box<dyn Fn(&KernelCall) -> Result<(), KernelFailure> + Send + Sync>;

/// Failures that the executor's codes have no number for, by the thread that runs. Kernels in Rust run on that thread alone.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<Vec<(ThreadId, RuntimeError)>>);

impl Failures {
    fn put(&self, error: RuntimeError) {
        let thread = std::thread::current().id();
        let mut list = self.0.lock().unwrap_or_else(|e| e.into_inner());
        list.retain(|(of, _)| *of != thread);
        list.push((thread, error));
    }
    /// Takes the failure of this thread's run.
    pub(super) fn take(&self) -> Option<RuntimeError> {
        let thread = std::thread::current().id();
        let mut list = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let place = list.iter().position(|(of, _)| *of == thread)?;
        Some(list.swap_remove(place).1)
    }
}

/// What the executor hands back as the kernel's context.
pub(super) struct HostContext {
    pub(super) kernel: HostKernel,
    pub(super) n_buffers: usize,
    pub(super) n_scalars: usize,
    pub(super) failures: Arc<Failures>,
}

/// The kernel function of every closure; `scratch` holds the buffers' sizes, as the program's flag asks.
pub(super) unsafe extern "C" fn call_host_kernel(
    context: *mut c_void,
    buffers: *const *mut c_void,
    scalars: *const i64,
    begin: i64,
    end: i64,
    scratch: *mut c_void,
) -> i32 {
    // SAFETY: `Program` made the context and keeps it; the executor gives as many buffers, sizes and scalars as the
    // plan's steps name, which `Program` counted.
    let (context, pointers, sizes, scalars) = unsafe {
        let context = &*context.cast::<HostContext>();
        (
            context,
            slice(buffers, context.n_buffers),
            slice(scratch.cast::<u64>().cast_const(), context.n_buffers),
            slice(scalars, context.n_scalars),
        )
    };
    let buffers: Vec<&[Cell<u8>]> = pointers
        .iter()
        .zip(sizes)
        // SAFETY: the executor checked that the memory holds that many bytes. It belongs to this run, or is only
        // read by it, and such kernels run on one thread.
        .map(|(p, n)| unsafe { slice(p.cast::<Cell<u8>>().cast_const(), *n as usize) })
        .collect();
    let call = KernelCall { buffers: &buffers, scalars, begin, end };
    match catch_unwind(AssertUnwindSafe(|| (context.kernel)(&call))) {
        Ok(Ok(())) => 0,
        Ok(Err(KernelFailure::NoMemory)) => i32::MIN, // as src/executor/steps.c has it
        Ok(Err(KernelFailure::Assertion(k))) => {
            i32::try_from(k).ok().and_then(|a| a.checked_add(1)).unwrap_or(-1)
        }
        Ok(Err(KernelFailure::Failed(error))) => {
            context.failures.put(error);
            -1
        }
        Err(_) => -1,
    }
}

/// A slice of `n` items; for none, the pointer may mean nothing.
unsafe fn slice<'a, T>(pointer: *const T, n: usize) -> &'a [T] {
    // SAFETY: the caller's.
    if n == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pointer, n) } }
}
