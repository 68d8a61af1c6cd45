//! The wall between C and Rust: catching panics, checking pointers, opaque handles with a kind.

use super::error::{litz_error, new_error};
use super::types::litz_status;
use crate::base::cancel::Cancelled;
use crate::base::memory::{self, OutOfMemory};
use crate::base::{self, Status, is_planted};
use crate::device::stack;
use serde_json::{Map, Value as Json};
use std::any::Any;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A failure on its way to the caller.
pub(super) type Failure = base::Boxed<FailureFields>;

/// What is known of it.
#[derive(Clone, Debug)]
pub(super) struct FailureFields {
    pub status: Status,
    pub message: String,
    /// Facts for programs to read, beside the message.
    pub detail: Map<String, Json>,
}

pub(super) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub fn new(status: Status, message: impl Into<String>) -> Failure {
        Failure::of(FailureFields { status, message: message.into(), detail: Map::new() })
    }
    pub fn with(mut self, key: &str, value: impl Into<Json>) -> Failure {
        self.detail.insert(key.to_string(), value.into());
        self
    }
    /// Says where it happened, in front of the message.
    pub fn within(mut self, place: &str) -> Failure {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

/// The most common failure: an argument that cannot be.
pub(super) fn invalid(message: impl Into<String>) -> Failure {
    Failure::new(Status::InvalidArgument, message)
}

/// No memory was left for the library's own work.
pub(super) fn out_of_memory() -> Failure {
    Failure::new(Status::OutOfMemory, "memory ran out; what the call had made is released")
}

/// Runs the body of an export. A panic is `LITZ_ERROR_INTERNAL`; a failure is written to `err` where there is one.
///
/// Threads of a host may have stacks of 100 KB: there the body gets another one, on the same thread.
pub(super) fn wall(err: *mut *mut litz_error, body: impl FnOnce() -> Outcome) -> litz_status {
    let mut body = Some(body);
    wall_of(err, &mut || body.take().map_or(Ok(()), |body| body()))
}

/// One function serves every export.
fn wall_of(err: *mut *mut litz_error, body: &mut dyn FnMut() -> Outcome) -> litz_status {
    wall_on_this_stack(err, || stack::with_enough(body))
}

/// [`wall`] for exports that neither read a program nor compile: another stack would cost more than a short run.
#[inline]
pub(super) fn wall_on_this_stack(err: *mut *mut litz_error, body: impl FnOnce() -> Outcome) -> litz_status {
    match caught(body) {
        Ok(()) => Status::Ok.code(),
        Err(failure) => reported(failure, err),
    }
}

/// Writes a failure to `err` where there is one. One function serves every export.
#[cold]
fn reported(failure: Failure, err: *mut *mut litz_error) -> litz_status {
    memory::begin();
    let code = failure.status.code();
    if !err.is_null() {
        let FailureFields { message, detail, .. } = failure.into_fields();
        let error = new_error(code, &message, detail);
        // SAFETY: the header asks that a non-NULL `err` points at room for one pointer.
        unsafe { err.write(error) };
    }
    code
}

/// [`wall`] for exports that cannot report errors: they return `otherwise`.
pub(super) fn wall_or<T>(otherwise: T, body: impl FnOnce() -> Outcome<T>) -> T {
    caught(body).unwrap_or(otherwise)
}

/// A panic of the body as a failure.
#[inline]
pub(super) fn caught<T>(body: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let body = || {
        // Seen not to leave the library.
        if is_planted("panic") {
            panic!("a panic that a test asked for");
        }
        body()
    };
    memory::begin();
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(of_panic(payload)))
}

/// What a panic means to the caller. One function serves every export.
#[cold]
fn of_panic(payload: Box<dyn Any + Send>) -> Failure {
    if payload.is::<OutOfMemory>() {
        return out_of_memory();
    }
    if payload.is::<Cancelled>() {
        return Failure::new(Status::Cancelled, "the call was cancelled; what it had made is released");
    }
    let said = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Failure::new(Status::Internal, format!("a mistake inside Litz: {said}"))
}

/// A string argument: not NULL, UTF-8.
///
/// # Safety
/// `text` is NULL or a NUL-terminated string that lives through the call.
pub(super) unsafe fn text<'a>(text: *const c_char, what: &str) -> Outcome<&'a str> {
    if text.is_null() {
        return Err(invalid(format!("`{what}` is NULL")));
    }
    // SAFETY: not NULL, and the caller gives a NUL-terminated string.
    let bytes = unsafe { CStr::from_ptr(text) };
    bytes.to_str().map_err(|e| invalid(format!("`{what}` is not UTF-8: {e}")))
}

/// A list argument: NULL only when it is empty.
///
/// # Safety
/// `start` is NULL or points at `n` readable items that live and stay unchanged through the call.
pub(super) unsafe fn list<'a, T>(start: *const T, n: usize, what: &str) -> Outcome<&'a [T]> {
    if n == 0 {
        return Ok(&[]);
    }
    if start.is_null() {
        return Err(invalid(format!("`{what}` is NULL but has {n} items")));
    }
    if !start.is_aligned() {
        return Err(invalid(format!("`{what}` is not aligned as its type asks")));
    }
    if n.checked_mul(size_of::<T>().max(1)).is_none_or(|bytes| bytes > isize::MAX as usize) {
        return Err(invalid(format!("`{what}` cannot have {n} items")));
    }
    // SAFETY: not NULL, aligned, and the caller vouches for `n` items.
    Ok(unsafe { std::slice::from_raw_parts(start, n) })
}

/// A pointer to one item, where NULL is an error.
///
/// # Safety
/// `item` is NULL or points at a readable `T` that lives and stays unchanged through the call.
pub(super) unsafe fn item<'a, T>(item: *const T, what: &str) -> Outcome<&'a T> {
    if item.is_null() {
        return Err(invalid(format!("`{what}` is NULL")));
    }
    if !item.is_aligned() {
        return Err(invalid(format!("`{what}` is not aligned as its type asks")));
    }
    // SAFETY: not NULL, aligned, and the caller vouches for it.
    Ok(unsafe { &*item })
}

/// Checks that an out-parameter has somewhere to go, before work is done for it.
pub(super) fn out<T>(place: *mut T, what: &str) -> Outcome<*mut T> {
    if place.is_null() {
        return Err(invalid(format!("`{what}` is NULL")));
    }
    if !place.is_aligned() {
        return Err(invalid(format!("`{what}` is not aligned as its type asks")));
    }
    Ok(place)
}

/// Checks the `struct_size` of a caller's struct: it has all members that this library knows, and members that a newer
/// header added behind them are zero.
///
/// # Safety
/// `given` points at a readable size and, behind it, at as many bytes as it says.
pub(super) unsafe fn struct_size(given: *const usize, known: usize, what: &str) -> Outcome {
    // SAFETY: as the caller vouches.
    let size = unsafe { given.read() };
    if size < known {
        return Err(invalid(format!(
            "`{what}` has struct_size {size}, but sizeof is {known}: set it to sizeof"
        )));
    }
    if size > known {
        // A size that no version of the struct will have is a field that was never set.
        if size > 4096 {
            return Err(invalid(format!(
                "`{what}` has struct_size {size}, which cannot be: set it to sizeof"
            )));
        }
        // SAFETY: the struct has `size` bytes.
        let rest = unsafe { std::slice::from_raw_parts(given.cast::<u8>().add(known), size - known) };
        if rest.iter().any(|b| *b != 0) {
            let message =
                format!("`{what}` uses fields that this library does not know: it is older than the header");
            return Err(Failure::new(Status::Abi, message));
        }
    }
    Ok(())
}

/// A type that C sees as an opaque struct; behind the pointer lies a [`Boxed`] state.
pub(super) trait Opaque: Sized {
    type State;
    /// The first word of every object of this kind.
    const MAGIC: u64;
    const NAME: &'static str;
}

/// The object behind a handle.
#[repr(C)]
pub(super) struct Boxed<S> {
    magic: u64,
    references: AtomicUsize,
    pub state: S,
}

/// Makes a handle with one reference, unless memory ran out on the way to it.
pub(super) fn wrap<H: Opaque>(state: H::State) -> *mut H {
    memory::checkpoint();
    wrap_anyway(state)
}

/// [`wrap`] for the error that reports the shortage.
pub(super) fn wrap_anyway<H: Opaque>(state: H::State) -> *mut H {
    Box::into_raw(Box::new(Boxed { magic: H::MAGIC, references: AtomicUsize::new(1), state })).cast()
}

/// References of a handle that is lent, more than a borrower gives back by mistake.
const LENT: usize = 1 << 32;

/// Makes a handle that lives until [`take_back`].
pub(super) fn lend<H: Opaque>(state: H::State) -> *mut H {
    Box::into_raw(Box::new(Boxed { magic: H::MAGIC, references: AtomicUsize::new(LENT), state })).cast()
}

/// Ends a loan. Also says whether the borrower gave no reference back, which was not its own.
///
/// # Safety
/// [`lend`] made the handle, and it is not used any more.
pub(super) unsafe fn take_back<H: Opaque>(handle: *mut H) -> (H::State, bool) {
    // SAFETY: as the caller vouches.
    let object = unsafe {
        handle.cast::<u64>().write_volatile(!H::MAGIC);
        Box::from_raw(handle.cast::<Boxed<H::State>>())
    };
    let kept = object.references.load(Ordering::Acquire) == LENT;
    (object.state, kept)
}

#[inline]
fn check<H: Opaque>(handle: *const H, what: &str) -> Outcome {
    if handle.is_null() || !handle.cast::<Boxed<H::State>>().is_aligned() {
        return Err(no_handle(handle.is_null(), false, what, H::NAME));
    }
    // SAFETY: not NULL and aligned. Handles come from this library, whose objects all begin with a magic word;
    // for any other readable memory this tells that it is none.
    let magic = unsafe { handle.cast::<u64>().read_volatile() };
    if magic != H::MAGIC {
        return Err(no_handle(false, magic == !H::MAGIC, what, H::NAME));
    }
    Ok(())
}

/// Why a pointer is no handle of this kind. One function serves all kinds.
#[cold]
fn no_handle(is_null: bool, was_released: bool, what: &str, name: &str) -> Failure {
    match (is_null, was_released) {
        (true, _) => invalid(format!("`{what}` is NULL")),
        (false, true) => invalid(format!("`{what}` is a {name} that was released")),
        (false, false) => invalid(format!("`{what}` is not a {name}")),
    }
}

/// The state of a handle.
///
/// # Safety
/// `handle` is NULL or points at readable memory; a live handle stays alive through the call.
#[inline]
pub(super) unsafe fn get<'a, H: Opaque>(handle: *const H, what: &str) -> Outcome<&'a H::State> {
    check(handle, what)?;
    // SAFETY: the magic word says that it is a live `Boxed<H::State>`.
    Ok(unsafe { &(*handle.cast::<Boxed<H::State>>()).state })
}

/// The state of a handle, to change it.
///
/// # Safety
/// As [`get`], and nothing else uses the handle during the call.
pub(super) unsafe fn get_mut<'a, H: Opaque>(handle: *mut H, what: &str) -> Outcome<&'a mut H::State> {
    check(handle, what)?;
    // SAFETY: the magic word says that it is a live `Boxed<H::State>`, which this thread alone uses.
    Ok(unsafe { &mut (*handle.cast::<Boxed<H::State>>()).state })
}

/// One more reference.
///
/// # Safety
/// As [`get`].
pub(super) unsafe fn retain<H: Opaque>(handle: *mut H, what: &str) -> Outcome<*mut H> {
    check(handle, what)?;
    // SAFETY: the magic word says that it is a live `Boxed<H::State>`.
    unsafe { &(*handle.cast::<Boxed<H::State>>()).references }.fetch_add(1, Ordering::Relaxed);
    Ok(handle)
}

/// Drops a reference, and with the last one the object. NULL and other pointers than such handles are left alone.
///
/// # Safety
/// As [`get`], and the caller owns a reference.
pub(super) unsafe fn release<H: Opaque>(handle: *mut H) {
    wall_or((), || {
        check(handle, "handle")?;
        let object = handle.cast::<Boxed<H::State>>();
        // SAFETY: the magic word says that it is a live `Boxed<H::State>`.
        if unsafe { &(*object).references }.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: the last reference is gone, so nothing else uses the object; it was made by `wrap`.
            unsafe {
                object.cast::<u64>().write_volatile(!H::MAGIC);
                drop(Box::from_raw(object));
            }
        }
        Ok(())
    })
}

macro_rules! failures {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::new(error.status(), error.to_string())
            }
        })*
    };
}
failures!(crate::meta::MetaError, crate::meta::edit::EditError);

impl From<crate::meta::text::TextError> for Failure {
    fn from(error: crate::meta::text::TextError) -> Failure {
        Failure::new(error.status(), error.to_string()).with("line", error.line).with("column", error.column)
    }
}

impl From<crate::runtime::RuntimeError> for Failure {
    fn from(error: crate::runtime::RuntimeError) -> Failure {
        let failure = Failure::new(error.status, error.to_string());
        match error.into_fields().output {
            Some(output) => failure.with("output", output),
            None => failure,
        }
    }
}

impl From<crate::session::SessionError> for Failure {
    fn from(error: crate::session::SessionError) -> Failure {
        let mut failure = Failure::new(error.status(), error.to_string());
        failure.detail.extend(error.origin().map(|o| o.json()).unwrap_or_default());
        match error.output() {
            // What the compiler said.
            Some(output) => failure.with("output", output),
            None => failure,
        }
    }
}

impl From<crate::frontend::FrontendError> for Failure {
    fn from(error: crate::frontend::FrontendError) -> Failure {
        let mut failure = Failure::new(error.status(), error.to_string());
        let error = error.into_fields();
        failure.detail.extend(error.origin.map(|o| o.json()).unwrap_or_default());
        let fields = [("entry", error.entry.map(Json::from)), ("offset", error.offset.map(Json::from))];
        for (key, value) in fields.into_iter().chain([("node", error.node.map(Json::from))]) {
            if let Some(value) = value {
                failure.detail.insert(key.to_string(), value);
            }
        }
        failure
    }
}
