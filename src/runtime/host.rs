//! Kernels that are Rust closures: how the interpreter's kernels stand in a plan.

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One call of a kernel. Buffers may be the same memory; the executor gives their sizes, so an access beyond one is
/// a panic of the slice, which ends the run with an error.
pub struct KernelCall<'a> {
    pub buffers: &'a [&'a [Cell<u8>]],
    pub scalars: &'a [i64],
    /// The tasks to run: always all of the step's, on one thread.
    pub begin: i64,
    pub end: i64,
}

/// A kernel in Rust. The error is the index of an assertion of the plan, or [`NO_MEMORY`].
pub type HostKernel = Box<dyn Fn(&KernelCall) -> Result<(), u32> + Send + Sync>;

/// What a kernel gives that would need more memory than there is.
pub const NO_MEMORY: u32 = u32::MAX;

/// What the executor hands back as the kernel's context.
pub(super) struct HostContext {
    pub(super) kernel: HostKernel,
    pub(super) n_buffers: usize,
    pub(super) n_scalars: usize,
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
        Ok(Err(NO_MEMORY)) => i32::MIN, // as src/executor/steps.c has it
        Ok(Err(assertion)) => i32::try_from(assertion).ok().and_then(|a| a.checked_add(1)).unwrap_or(-1),
        Err(_) => -1,
    }
}

/// A slice of `n` items; for none, the pointer may mean nothing.
unsafe fn slice<'a, T>(pointer: *const T, n: usize) -> &'a [T] {
    // SAFETY: the caller's.
    if n == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pointer, n) } }
}
