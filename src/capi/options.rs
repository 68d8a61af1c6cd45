//! Options: string keys and values.

use super::error::{litz_error, litz_string, new_string};
use super::guard::{self, Opaque, Outcome, wall};
use super::types::{litz_log_fn, litz_status};
use crate::session;
use std::ffi::{CString, c_char, c_void};

/// How to compile: string keys and values; `litz_options_list` tells them all. One thread at a time.
pub struct litz_options {
    _opaque: [u8; 0],
}

impl Opaque for litz_options {
    type State = session::Options;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzOpt\x01");
    const NAME: &'static str = "litz_options";
}

/// The options behind a nullable handle; defaults for NULL.
///
/// # Safety
/// As [`guard::get`].
pub(super) unsafe fn read(o: *const litz_options) -> Outcome<session::Options> {
    if o.is_null() {
        return Ok(session::Options::new());
    }
    // SAFETY: as the caller vouches.
    Ok(unsafe { guard::get(o, "o") }?.clone())
}

/// Checks a nullable handle that is not needed yet.
pub(super) fn check(o: *const litz_options) -> Outcome {
    if !o.is_null() {
        // SAFETY: the header asks for NULL or live options.
        unsafe { guard::get(o, "o") }?;
    }
    Ok(())
}

/// Makes options that hold the defaults. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_new(
    out: *mut *mut litz_options,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        let out = guard::out(out, "out")?;
        // SAFETY: checked above.
        unsafe { out.write(guard::wrap(session::Options::new())) };
        Ok(())
    })
}

/// Sets one option. A key that does not exist or a value that does not suit it is `LITZ_ERROR_INVALID_ARGUMENT` and
/// changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_set(
    o: *mut litz_options,
    key: *const c_char,
    value: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (options, key, value) =
            unsafe { (guard::get_mut(o, "o")?, guard::text(key, "key")?, guard::text(value, "value")?) };
        options.set(key, value).map_err(|e| super::guard::Failure::from(e).with("key", key))
    })
}

/// Ends the compilations that were begun with these options and are in progress: they give `LITZ_ERROR_CANCELLED`, and the
/// compilers that they started are stopped. Later ones are as ever. Any thread, also while others compile with the options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_cancel(
    o: *const litz_options,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live options.
        unsafe { guard::get(o, "o") }?.cancel();
        Ok(())
    })
}

/// The callback's context may be used by any thread that compiles or runs.
#[derive(Clone, Copy)]
struct Context(*mut c_void);
// SAFETY: the header says that the callback is called on whatever thread is working.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}
impl Context {
    // A method, so that closures capture the whole and not the pointer alone.
    fn pointer(self) -> *mut c_void {
        self.0
    }
}

/// Sends what is logged up to `level` (0 errors, 1 warnings, 2 information, 3 debugging) to `fn`, with `context`. Both
/// must stay valid until the options and all that was made with them are released; `fn` may be called on any thread
/// and must not unwind. A NULL `fn` takes the callback away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_set_log(
    o: *mut litz_options,
    level: i32,
    r#fn: litz_log_fn,
    context: *mut c_void,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let options = unsafe { guard::get_mut(o, "o") }?;
        if level < 0 {
            return Err(guard::invalid(format!("log level {level} is negative")));
        }
        let context = Context(context);
        options.set_log(
            level,
            r#fn.map(|callback| {
                std::sync::Arc::new(move |level: i32, message: &str| {
                    let text = CString::new(message.replace('\0', "\u{fffd}")).unwrap_or_default();
                    // SAFETY: the header asks that callback and context stay valid and that it does not unwind.
                    unsafe { callback(context.pointer(), level, text.as_ptr()) }
                }) as session::LogCallback
            }),
        );
        Ok(())
    })
}

/// Every option as a JSON list of `key`, `type`, `default` and `meaning`. The caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_list(
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        let json = guard::out(json, "json")?;
        let text = session::Options::list_json();
        // SAFETY: checked above.
        unsafe { json.write(new_string(&text)) };
        Ok(())
    })
}

/// Frees options; NULL is accepted. What was made with them lives on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_release(o: *mut litz_options) {
    // SAFETY: the header asks for NULL or live options that are the caller's.
    unsafe { guard::release(o) }
}
