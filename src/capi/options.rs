//! Options: string keys and values.

use super::error::{give_text, litz_error, litz_string};
use super::guard::{self, Opaque, Outcome, wall};
use super::types::{litz_log_fn, litz_status, litz_trace_fn};
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

/// Sets several options at once, or none: `json` is an object of keys and values (strings, numbers, bools); null unsets
/// a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_patch(
    o: *mut litz_options,
    json: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (options, json) = unsafe { (guard::get_mut(o, "o")?, guard::text(json, "json")?) };
        Ok(options.patch(json)?)
    })
}

/// The effective value of an option: the value that was set, otherwise its mode's, the environment's, or the default.
/// NULL options are the defaults. The caller owns `*value`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_get(
    o: *const litz_options,
    key: *const c_char,
    value: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((value, "value"), err, || {
        // SAFETY: the header asks for NULL or live options, and a live string.
        let (options, key) = unsafe { (read(o)?, guard::text(key, "key")?) };
        let (text, _) = options.get(key).map_err(|e| super::guard::Failure::from(e).with("key", key))?;
        Ok(text)
    })
}

/// Every option as a JSON object: key to `value`, the effective one, and `from`, where it comes from: `set`, `mode`,
/// `environment` or `default`. NULL options are the defaults. The caller owns `*json`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_json(
    o: *const litz_options,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for NULL or live options.
        Ok(unsafe { read(o) }?.values_json())
    })
}

/// The machine as a compilation with these options finds it, as JSON: `cpu` (`isa`, `cores`, caches) and `parts`, a list of the C++
/// compiler, the GPU with its driver, NVRTC, cuBLASLt, cuDNN and the cache's folder, each with `name`, `needed_for`, `path` (for
/// the GPU its name), `version` and `why_not`, null where it was found. Takes up to a second. NULL options are the defaults. The
/// caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_machine_describe(
    o: *const litz_options,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for NULL or live options.
        Ok(session::machine_json(&unsafe { read(o) }?))
    })
}

/// The cache on disk that these options name, as JSON: `folder`, `max_bytes`, `bytes`, and `entries`, the least recently used
/// first, each with `key`, `bytes` and `used`, in seconds since 1970. NULL options are the defaults. The caller owns `*json`.
/// Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_cache_describe(
    o: *const litz_options,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for NULL or live options.
        Ok(session::cache_json(&unsafe { read(o) }?)?)
    })
}

/// Removes the least recently used entries of the cache on disk that these options name until the others take `max_bytes` at most;
/// 0 removes all. `*json` says which were removed: `folder`, `bytes`, and `removed`, a list as the entries of
/// `litz_cache_describe`. NULL options are the defaults. The caller owns `*json`. Any thread, also while other processes use
/// the cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_cache_prune(
    o: *const litz_options,
    max_bytes: u64,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for NULL or live options.
        Ok(session::prune_cache(&unsafe { read(o) }?, max_bytes)?)
    })
}

/// Copies options: values, log and trace callbacks, registry. Cancelling the compilations of one does nothing to those of
/// the other. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_clone(
    o: *const litz_options,
    out: *mut *mut litz_options,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        let out = guard::out(out, "out")?;
        // SAFETY: the header asks for live options.
        let copied = unsafe { guard::get(o, "o") }?.copied();
        // SAFETY: checked above.
        unsafe { out.write(guard::wrap(copied)) };
        Ok(())
    })
}

/// The values that a mode gives other keys, as a JSON object. A key that is set itself keeps its value. `dynamic` is 1 for
/// programs whose sizes change between runs and 0 for others; the values are the same for both. The caller owns `*json`. Any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_mode_options(
    mode: *const c_char,
    dynamic: i32,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        if !(0..=1).contains(&dynamic) {
            return Err(guard::invalid(format!("`dynamic` is {dynamic}; it is 0 or 1")));
        }
        // SAFETY: the header asks for a live string.
        Ok(session::Options::mode_json(unsafe { guard::text(mode, "mode") }?)?)
    })
}

/// The backends without any of the `n` tags, as a JSON list of `name`, `tags`, `available` and `why_not` (null where it is
/// available). Looks for compilers, drivers and libraries, which takes up to a second. `exclude_tags` may be NULL where `n` is
/// 0. The caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_backends(
    exclude_tags: *const *const c_char,
    n: usize,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for `n` pointers to strings.
        let given = unsafe { guard::list(exclude_tags, n, "exclude_tags") }?;
        // SAFETY: as above.
        let tags = given.iter().map(|t| unsafe { guard::text(*t, "exclude_tags") });
        Ok(session::backends_json(&tags.collect::<Result<Vec<_>, _>>()?))
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
pub(super) struct Context(pub *mut c_void);
// SAFETY: the header says that the callback is called on whatever thread is working.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}
impl Context {
    // A method, so that closures capture the whole and not the pointer alone.
    pub fn pointer(self) -> *mut c_void {
        self.0
    }
}

/// Sends log messages up to `level` (0 errors, 1 warnings, 2 information, 3 debugging) to `fn`, with `context`. Both
/// must stay valid until the options, and graphs and executables made with them, are released; `fn` may be called on any thread
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

/// Sets a trace callback. Every event of a compilation with these options, and of the runs of the resulting executable, is
/// passed to `fn` with `context`, as one line of JSON with the ids of the compilation, graph and kernel. `fn` and `context`
/// must stay valid until the options and all executables compiled with them are released. `fn` may be called on any thread and
/// must not unwind. A NULL `fn` removes the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_set_trace(
    o: *mut litz_options,
    r#fn: litz_trace_fn,
    context: *mut c_void,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let options = unsafe { guard::get_mut(o, "o") }?;
        let context = Context(context);
        options.set_trace(r#fn.map(|callback| {
            std::sync::Arc::new(move |line: &str| {
                let text = CString::new(line).unwrap_or_default();
                // SAFETY: the header asks that callback and context stay valid and that it does not unwind.
                unsafe { callback(context.pointer(), text.as_ptr()) }
            }) as session::TraceCallback
        }));
        Ok(())
    })
}

/// Every option as a JSON list of `key`, `type`, `default` and `meaning`. The caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_list(
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || Ok(session::Options::list_json()))
}

/// Frees options; NULL is accepted. Graphs and executables made with them live on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_release(o: *mut litz_options) {
    // SAFETY: the header asks for NULL or live options that are the caller's.
    unsafe { guard::release(o) }
}
