//! Seeing a run between its steps.
//!
//! Invariant: an observer is called on the thread of the run, which waits for it; what it sees of a GPU's memory is what the
//! steps so far have written.
//!
//! Deliberately absent: changing anything.

use super::RuntimeError;
use super::error::{Message, report};
use super::ffi;
use crate::base::Status;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before its first step.
    Begin,
    /// After the step of that number of `main`, which computes or copies.
    Step(usize),
    /// The same of `init`, which is not part of a run.
    Init(usize),
    /// At its end, whatever its outcome.
    End,
}

/// Whoever looks on. An error ends the run with it.
pub trait Observer: Send + Sync {
    fn see(&self, view: &View<'_>, moment: Moment) -> Result<(), RuntimeError>;
}

/// What a run has in hand.
pub struct View<'a>(&'a ffi::View);

impl View<'_> {
    /// Tells runs apart that go on at the same time.
    pub fn run(&self) -> u64 {
        // SAFETY: the view is the executor's, for the time of the call.
        unsafe { ffi::lx_view_run(self.0) }
    }
    /// What a buffer of the plan holds.
    pub fn read(&self, buffer: u32) -> Result<Vec<u8>, RuntimeError> {
        // SAFETY: as above.
        let bytes = unsafe { ffi::lx_view_bytes(self.0, buffer) };
        let mut data = Vec::new();
        let room = usize::try_from(bytes).ok().filter(|n| data.try_reserve_exact(*n).is_ok());
        let room = room.ok_or_else(|| {
            RuntimeError::new(
                Status::OutOfMemory,
                format!("there is no memory to look at {bytes} bytes of a run"),
            )
        })?;
        data.resize(room, 0);
        let mut message = Message::new();
        // SAFETY: as above; the vector has room for as many bytes.
        let status = unsafe {
            ffi::lx_view_read(
                self.0,
                buffer,
                data.as_mut_ptr().cast(),
                bytes,
                message.pointer(),
                message.size(),
            )
        };
        message.check(status)?;
        Ok(data)
    }
    /// A symbol of the plan, if its value is known by now.
    pub fn symbol(&self, symbol: u32) -> Option<i64> {
        let mut value = 0;
        // SAFETY: as above.
        (unsafe { ffi::lx_view_symbol(self.0, symbol, &mut value) } != 0).then_some(value)
    }
}

/// Those of a program, in the order in which they are called.
pub(super) type Observers = Vec<Arc<dyn Observer>>;

/// What the executor calls; its context are the observers that the program keeps.
pub(super) unsafe extern "C" fn call(
    context: *mut c_void,
    view: *const ffi::View,
    init: i32,
    step: u32,
    error: *mut c_char,
    error_size: usize,
) -> i32 {
    // SAFETY: the executor hands back the context that it was given, and a view of its own.
    let (observers, view) = unsafe { (&*context.cast::<Observers>(), View(&*view)) };
    let moment = match (step, init) {
        (ffi::VIEW_BEGIN, _) => Moment::Begin,
        (ffi::VIEW_END, _) => Moment::End,
        (step, 0) => Moment::Step(step as usize),
        (step, _) => Moment::Init(step as usize),
    };
    let seen = catch_unwind(AssertUnwindSafe(|| observers.iter().try_for_each(|o| o.see(&view, moment))));
    let outcome = seen.unwrap_or_else(|_| {
        Err(RuntimeError::new(Status::Internal, "a mistake inside Litz, in what looks on at a run"))
    });
    // SAFETY: the executor gives room for as many bytes.
    unsafe { report(outcome, error, error_size) }
}
